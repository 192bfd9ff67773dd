// float128.cpp - IEEE quadruple precision in software, 113 bits, as computed by the compiler's library: the standard format that
// is closest to a double double. On arm64 it is long double, on x86-64 gcc's __float128.
#include "loops.h"

#include <cfloat>
#include <cmath>

#if LDBL_MANT_DIG == 113
using quad = long double;
static quad quad_sqrt(quad x)
{
    return std::sqrt(x);
}
#else
extern "C" {
#include <quadmath.h>
}
using quad = __float128;
static quad quad_sqrt(quad x)
{
    return sqrtq(x);
}
#endif

static quad make_quad(uint64_t *state)
{
    double limbs[2];
    bench_random_limbs(state, 2, limbs);
    return quad(limbs[0]) + quad(limbs[1]);
}

// clang-format off
struct op_sqr { quad operator()(const quad &x) const { return x * x; } };
struct op_sqrt { quad operator()(const quad &x) const { return quad_sqrt(x); } };
// clang-format on

void peers_float128(peer_cases &cases)
{
    auto a = std::make_shared<operands<quad>>(make_quad);
    add_operator_cases<quad>(cases, "float128", "float128", "dd", a);
    peer_add(cases, "float128", "sqr", "dd", "real", [a] { map1<quad, op_sqr>(a->z.data(), a->x.data()); });
    peer_add(cases, "float128", "sqrt", "dd", "real", [a] { map1<quad, op_sqrt>(a->z.data(), a->positive.data()); });
    peer_add(cases, "float128", "scale", "dd", "real",
             [a] { map2<quad, op_mul>(a->z.data(), a->x.data(), a->power.data()); });
}
