// libqd.cpp - libqd (Hida, Li, Bailey) at its best: its inline accurate variants, with FMA in two_prod.
//
// `libqd_fma` is the code of libqd's headers, compiled with the macros of libqd_config.h. Functions of the shared library (qd
// division, square roots) run as the package was built and are named `libqd_package`.
#include "libqd_config.h"
#include "loops.h"

static dd_real make_dd(uint64_t *state)
{
    double limbs[2];
    bench_random_limbs(state, 2, limbs);
    return dd_real(limbs[0], limbs[1]);
}

static qd_real make_qd(uint64_t *state)
{
    double limbs[4];
    bench_random_limbs(state, 4, limbs);
    return qd_real(limbs[0], limbs[1], limbs[2], limbs[3]);
}

// clang-format off
struct op_sqr { template <class T> T operator()(const T &x) const { return sqr(x); } };
struct op_sqrt { template <class T> T operator()(const T &x) const { return sqrt(x); } };
struct op_scale { template <class T> T operator()(const T &x, double y) const { return mul_pwr2(x, y); } };
// clang-format on

template <class T>
static void add_cases(peer_cases &cases, const char *division, const char *prec, T (*make)(uint64_t *))
{
    auto a = std::make_shared<operands<T>>(make);
    add_operator_cases<T>(cases, "libqd_fma", division, prec, a);
    peer_add(cases, "libqd_fma", "sqr", prec, "real", [a] { map1<T, op_sqr>(a->z.data(), a->x.data()); });
    peer_add(cases, "libqd_package", "sqrt", prec, "real", [a] { map1<T, op_sqrt>(a->z.data(), a->positive.data()); });
    peer_add(cases, "libqd_fma", "scale", prec, "real",
             [a] { map2<T, op_scale>(a->z.data(), a->x.data(), a->power.data()); });
}

void peers_libqd(peer_cases &cases)
{
    if (!libqd_can_run())
        return;
    add_cases<dd_real>(cases, "libqd_fma", "dd", make_dd);
    add_cases<qd_real>(cases, "libqd_package", "qd", make_qd);
}
