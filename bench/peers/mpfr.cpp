// mpfr.cpp - MPFR at 53, 106 and 212 bits: correctly rounded, any precision, one call per operation.
#include "peers.h"

#include <memory>
#include <mpfr.h>

namespace
{

// An array of numbers of one precision; `limbs` doubles fill it.
class numbers
{
  public:
    numbers(size_t count, int limbs, uint64_t *state) : values(count)
    {
        for (auto &v : values) {
            double part[4];
            bench_random_limbs(state, limbs, part);
            mpfr_init2(v.number, 53 * limbs);
            mpfr_set_d(v.number, part[0], MPFR_RNDN);
            for (int i = 1; i < limbs; i++)
                mpfr_add_d(v.number, v.number, part[i], MPFR_RNDN);
        }
    }
    ~numbers()
    {
        for (auto &v : values)
            mpfr_clear(v.number);
    }
    numbers(const numbers &) = delete;
    numbers &operator=(const numbers &) = delete;
    mpfr_ptr operator[](size_t i)
    {
        return values[i].number;
    }

  private:
    struct value {
        mpfr_t number;
    };
    std::vector<value> values;
};

constexpr size_t wide = size_t(BENCH_LENGTH) * BENCH_TERMS;

struct operands {
    uint64_t state;
    numbers x, y, xi, yi, z, zi, t, u, positive;
    std::vector<double> scalar, sign;
    std::vector<long> power;

    explicit operands(int limbs)
        : state(2013), x(wide, limbs, &state), y(wide, limbs, &state), xi(wide, limbs, &state), yi(wide, limbs, &state),
          z(BENCH_LENGTH, limbs, &state), zi(BENCH_LENGTH, limbs, &state), t(1, limbs, &state), u(1, limbs, &state),
          positive(BENCH_LENGTH, limbs, &state), scalar(BENCH_LENGTH), sign(BENCH_LENGTH), power(BENCH_LENGTH)
    {
        for (size_t i = 0; i < BENCH_LENGTH; i++) {
            bench_random_limbs(&state, 1, &scalar[i]);
            power[i] = long(bench_random(&state) % 16) - 8;
            mpfr_abs(positive[i], positive[i], MPFR_RNDN);
        }
    }
};

const mpfr_rnd_t near = MPFR_RNDN;

void add_real(peer_cases &cases, const char *prec, const std::shared_ptr<operands> &a)
{
    auto real = [&](const char *op, auto f) {
        peer_add(cases, "mpfr", op, prec, "real", [a, f] {
            for (size_t i = 0; i < BENCH_LENGTH; i++)
                f(*a, i);
        });
    };
    real("add", [](operands &o, size_t i) { mpfr_add(o.z[i], o.x[i], o.y[i], near); });
    real("sub", [](operands &o, size_t i) { mpfr_sub(o.z[i], o.x[i], o.y[i], near); });
    real("mul", [](operands &o, size_t i) { mpfr_mul(o.z[i], o.x[i], o.y[i], near); });
    real("div", [](operands &o, size_t i) { mpfr_div(o.z[i], o.x[i], o.y[i], near); });
    real("fma", [](operands &o, size_t i) { mpfr_fma(o.z[i], o.x[i], o.y[i], o.positive[i], near); });
    real("sqr", [](operands &o, size_t i) { mpfr_sqr(o.z[i], o.x[i], near); });
    real("inv", [](operands &o, size_t i) { mpfr_ui_div(o.z[i], 1, o.x[i], near); });
    real("sqrt", [](operands &o, size_t i) { mpfr_sqrt(o.z[i], o.positive[i], near); });
    real("abs", [](operands &o, size_t i) { mpfr_abs(o.z[i], o.x[i], near); });
    real("neg", [](operands &o, size_t i) { mpfr_neg(o.z[i], o.x[i], near); });
    real("cmp", [](operands &o, size_t i) { o.sign[i] = mpfr_cmp(o.x[i], o.y[i]); });
    real("add_d", [](operands &o, size_t i) { mpfr_add_d(o.z[i], o.x[i], o.scalar[i], near); });
    real("mul_d", [](operands &o, size_t i) { mpfr_mul_d(o.z[i], o.x[i], o.scalar[i], near); });
    real("div_d", [](operands &o, size_t i) { mpfr_div_d(o.z[i], o.x[i], o.scalar[i], near); });
    real("scale", [](operands &o, size_t i) { mpfr_mul_2si(o.z[i], o.x[i], o.power[i], near); });
    real("dot", [](operands &o, size_t i) {
        size_t k = i * BENCH_TERMS;
        mpfr_mul(o.z[i], o.x[k], o.y[k], near);
        for (size_t j = 1; j < BENCH_TERMS; j++) {
            mpfr_mul(o.t[0], o.x[k + j], o.y[k + j], near);
            mpfr_add(o.z[i], o.z[i], o.t[0], near);
        }
    });
}

// (zr, zi) = (xr + i*xi) * (yr + i*yi), or conj(x) * y, in four products and two sums.
void multiply(operands &o, mpfr_ptr re, mpfr_ptr im, size_t k, bool conjugate)
{
    mpfr_mul(re, o.x[k], o.y[k], near);
    mpfr_mul(im, o.xi[k], o.yi[k], near);
    if (conjugate)
        mpfr_add(re, re, im, near);
    else
        mpfr_sub(re, re, im, near);
    mpfr_mul(im, o.x[k], o.yi[k], near);
    mpfr_mul(o.u[0], o.xi[k], o.y[k], near);
    if (conjugate)
        mpfr_sub(im, im, o.u[0], near);
    else
        mpfr_add(im, im, o.u[0], near);
}

void add_complex(peer_cases &cases, const char *prec, const std::shared_ptr<operands> &a)
{
    auto complex = [&](const char *op, auto f) {
        peer_add(cases, "mpfr", op, prec, "complex", [a, f] {
            for (size_t i = 0; i < BENCH_LENGTH; i++)
                f(*a, i);
        });
    };
    complex("add", [](operands &o, size_t i) {
        mpfr_add(o.z[i], o.x[i], o.y[i], near);
        mpfr_add(o.zi[i], o.xi[i], o.yi[i], near);
    });
    complex("sub", [](operands &o, size_t i) {
        mpfr_sub(o.z[i], o.x[i], o.y[i], near);
        mpfr_sub(o.zi[i], o.xi[i], o.yi[i], near);
    });
    complex("mul", [](operands &o, size_t i) { multiply(o, o.z[i], o.zi[i], i, false); });
    auto scratch = std::make_shared<numbers>(1, int(mpfr_get_prec(a->t[0]) / 53), &a->state);
    complex("dot", [scratch](operands &o, size_t i) {
        size_t k = i * BENCH_TERMS;
        multiply(o, o.z[i], o.zi[i], k, true);
        for (size_t j = 1; j < BENCH_TERMS; j++) {
            multiply(o, o.t[0], (*scratch)[0], k + j, true);
            mpfr_add(o.z[i], o.z[i], o.t[0], near);
            mpfr_add(o.zi[i], o.zi[i], (*scratch)[0], near);
        }
    });
}

} // namespace

void peers_mpfr(peer_cases &cases)
{
    const struct {
        const char *prec;
        int limbs;
    } precisions[] = {{"d", 1}, {"dd", 2}, {"qd", 4}};
    for (auto &p : precisions) {
        auto a = std::make_shared<operands>(p.limbs);
        add_real(cases, p.prec, a);
        add_complex(cases, p.prec, a);
    }
}
