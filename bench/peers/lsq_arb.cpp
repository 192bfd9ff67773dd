// lsq_arb.cpp - Arb (Johansson): floating-point Gaussian elimination, acb_mat_approx_solve, at 106 and 212 bits.
//
// It solves square systems only, and copies A itself: solve() is one call. No error bounds are computed.
#include "solvers.h"

#include <cmath>
#ifdef PEERS_ARB_IN_FLINT // FLINT 3 took Arb in
#include <flint/acb_mat.h>
#include <flint/arb_mat.h>
#else
#include <acb_mat.h>
#include <arb_mat.h>
#endif

namespace
{

// out = the exact sum of the limbs.
void set_limbs(arb_t out, const double *limbs, int count)
{
    arf_t limb;
    arf_init(limb);
    arb_zero(out);
    for (int k = 0; k < count; k++) {
        arf_set_d(limb, limbs[k]);
        arf_add(arb_midref(out), arb_midref(out), limb, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_clear(limb);
}

double distance(const arb_t x, slong from)
{
    arf_t difference;
    arf_init(difference);
    arf_sub_si(difference, arb_midref(x), from, ARF_PREC_EXACT, ARF_RND_DOWN);
    double d = arf_get_d(difference, ARF_RND_NEAR);
    arf_clear(difference);
    return std::fabs(d);
}

class real_problem : public lsq_problem
{
  public:
    real_problem(const lsq_shape &s, int limbs) : n(s.n), bits(53 * limbs)
    {
        arb_mat_init(a, n, n);
        arb_mat_init(b, n, 1);
        arb_mat_init(x, n, 1);
        lsq_data data(s, limbs, 1);
        for (slong j = 0; j < n; j++) {
            for (slong i = 0; i < n; i++)
                set_limbs(arb_mat_entry(a, i, j), &data.a[size_t((i + j * n) * limbs)], limbs);
            set_limbs(arb_mat_entry(b, j, 0), &data.b[size_t(j * limbs)], limbs);
        }
    }
    ~real_problem() override
    {
        arb_mat_clear(a);
        arb_mat_clear(b);
        arb_mat_clear(x);
    }
    real_problem(const real_problem &) = delete;
    real_problem &operator=(const real_problem &) = delete;
    void solve() override
    {
        solved = arb_mat_approx_solve(x, a, b, bits) != 0;
    }
    double error() override
    {
        double largest = solved ? 0 : INFINITY;
        for (slong j = 0; j < n; j++)
            largest = std::fmax(largest, distance(arb_mat_entry(x, j, 0), 1));
        return largest;
    }

  protected:
    slong n, bits;
    bool solved = false;
    arb_mat_t a, b, x;
};

// A product of square matrices (plumb-bench gemm), without error bounds: a a.
class real_product : public real_problem
{
  public:
    real_product(const lsq_shape &s, int limbs) : real_problem(s, limbs)
    {
        arb_mat_init(c, n, n);
    }
    ~real_product() override
    {
        arb_mat_clear(c);
    }
    void solve() override
    {
        arb_mat_approx_mul(c, a, a, bits);
    }
    double error() override
    {
        return 0;
    }

  private:
    arb_mat_t c;
};

class complex_problem : public lsq_problem
{
  public:
    complex_problem(const lsq_shape &s, int limbs) : n(s.n), bits(53 * limbs)
    {
        acb_mat_init(a, n, n);
        acb_mat_init(b, n, 1);
        acb_mat_init(x, n, 1);
        lsq_data data(s, limbs, 2);
        for (slong j = 0; j < n; j++) {
            for (slong i = 0; i < n; i++)
                set(acb_mat_entry(a, i, j), &data.a[size_t((i + j * n) * 2 * limbs)], limbs);
            set(acb_mat_entry(b, j, 0), &data.b[size_t(j * 2 * limbs)], limbs);
        }
    }
    ~complex_problem() override
    {
        acb_mat_clear(a);
        acb_mat_clear(b);
        acb_mat_clear(x);
    }
    complex_problem(const complex_problem &) = delete;
    complex_problem &operator=(const complex_problem &) = delete;
    void solve() override
    {
        solved = acb_mat_approx_solve(x, a, b, bits) != 0;
    }
    double error() override
    {
        double largest = solved ? 0 : INFINITY;
        for (slong j = 0; j < n; j++) {
            acb_srcptr z = acb_mat_entry(x, j, 0);
            largest = std::fmax(largest, std::hypot(distance(acb_realref(z), 1), distance(acb_imagref(z), 0)));
        }
        return largest;
    }

  protected:
    static void set(acb_ptr z, const double *limbs, int count)
    {
        set_limbs(acb_realref(z), limbs, count);
        set_limbs(acb_imagref(z), limbs + count, count);
    }
    slong n, bits;
    bool solved = false;
    acb_mat_t a, b, x;
};

class complex_product : public complex_problem
{
  public:
    complex_product(const lsq_shape &s, int limbs) : complex_problem(s, limbs)
    {
        acb_mat_init(c, n, n);
    }
    ~complex_product() override
    {
        acb_mat_clear(c);
    }
    void solve() override
    {
        acb_mat_approx_mul(c, a, a, bits);
    }
    double error() override
    {
        return 0;
    }

  private:
    acb_mat_t c;
};

template <class Problem>
void add(lsq_solvers &solvers, const char *prec, const char *kind, const std::string &what, int limbs)
{
    solvers.push_back({"arb", prec, kind, what, [limbs](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                           if (s.m != s.n)
                               return nullptr;
                           return std::make_unique<Problem>(s, limbs);
                       }});
}

} // namespace

void solvers_arb(lsq_solvers &solvers)
{
    flint_set_num_threads(1);
    const struct {
        const char *prec;
        int limbs;
    } precisions[] = {{"dd", 2}, {"qd", 4}};
    for (auto &p : precisions) {
        const std::string bits = std::to_string(53 * p.limbs) + " bits, ", flint = "FLINT " FLINT_VERSION;
        const std::string tail = bits + "Gaussian elimination, " + flint;
        add<real_problem>(solvers, p.prec, "real", "arb_mat_approx_solve at " + tail, p.limbs);
        add<complex_problem>(solvers, p.prec, "complex", "acb_mat_approx_solve at " + tail, p.limbs);
        add<real_product>(solvers, p.prec, "product", "arb_mat_approx_mul at " + bits + flint, p.limbs);
        add<complex_product>(solvers, p.prec, "zproduct", "acb_mat_approx_mul at " + bits + flint, p.limbs);
    }
}
