// eval_libqd.cpp - evaluation of polynomial systems with their Jacobians in libqd's complex dd and qd with FMA, accurate and
// sloppy, and in plain complex doubles: the work of plumb, as a careful programmer writes it for scalars.
//
// Powers are computed once per point. For each term, one sweep forward and one backward give the product of its powers and, for
// each unknown, the product of the others, times x^(e-1) if e > 1; each is multiplied by its coefficient and added.
#include "libqd_sloppy.h"
#include "loops.h"
#include "solvers.h"

#include "bench/eval/system.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace
{

double leading(double x)
{
    return x;
}
template <class T> double leading(const T &x)
{
    return to_double(x);
}
template <class T> double leading(const sloppy<T> &x)
{
    return to_double(x.value);
}

struct eval_term {
    int64_t equation;
    int first, count; // factors
};

template <class X> struct eval_factor {
    int unknown, exponent;
    X coefficient; // of the term, times the exponent
};

template <class X> struct eval_data {
    int64_t unknowns = 0;
    int most = 1; // exponent
    std::vector<eval_term> terms;
    std::vector<eval_factor<X>> factors;
    std::vector<X> coefficients;     // of the terms
    std::vector<X> powers;           // x_v^e: [v*(most + 1) + e]
    std::vector<X> before;           // for each factor of a term, the product of the factors before it
    std::vector<X> values, jacobian; // the latter row by row
};

template <class X> PEER_LOOP void eval_powers(eval_data<X> &d, const X *point)
{
    for (int64_t v = 0; v < d.unknowns; v++) {
        X *power = d.powers.data() + v * (d.most + 1);
        power[1] = point[v];
        for (int e = 2; e <= d.most; e++)
            power[e] = power[e - 1] * point[v];
    }
}

template <class X> PEER_LOOP void eval_terms(eval_data<X> &d)
{
    const X *powers = d.powers.data();
    X *before = d.before.data();
    const int stride = d.most + 1;
    for (size_t k = 0; k < d.terms.size(); k++) {
        const eval_term &t = d.terms[k];
        const eval_factor<X> *f = d.factors.data() + t.first;
        X *row = d.jacobian.data() + t.equation * d.unknowns, *value = &d.values[size_t(t.equation)];
        if (t.count == 0) {
            *value = *value + d.coefficients[k];
            continue;
        }
#define POWER(j, less) powers[f[j].unknown * stride + f[j].exponent - (less)]
        for (int j = 1; j < t.count; j++)
            before[j] = j == 1 ? POWER(0, 0) : before[j - 1] * POWER(j - 1, 0);
        X after; // the product of the factors after j; unset for the last
        for (int j = t.count - 1; j >= 0; j--) {
            bool alone = t.count == 1, last = j == t.count - 1, raised = f[j].exponent > 1;
            X others = alone ? POWER(j, 1) : last ? before[j] : j == 0 ? after : before[j] * after;
            if (raised && !alone)
                others = others * POWER(j, 1);
            X *entry = row + f[j].unknown;
            *entry = *entry + (alone && !raised ? f[j].coefficient : f[j].coefficient * others);
            if (j > 0)
                after = last ? POWER(j, 0) : POWER(j, 0) * after;
        }
        X product = t.count == 1 ? POWER(0, 0) : POWER(0, 0) * after;
        *value = *value + d.coefficients[k] * product;
#undef POWER
    }
}

template <class T> class eval_problem : public lsq_problem
{
    using X = complex_of<T>;
    static constexpr int limbs = int(sizeof(T) / sizeof(double));
    static_assert(sizeof(X) == 2 * limbs * sizeof(double), "numbers are their limbs");

  public:
    eval_problem(const char *name, int64_t n, uint64_t seed)
    {
        d.unknowns = bench_eval_size(name, n);
        bench_eval_terms(name, n, seed, add, this);
        d.powers.assign(size_t(d.unknowns * (d.most + 1)), X{T(1.0), T(0.0)});
        d.before.resize(size_t(d.unknowns + 1));
        d.values.resize(size_t(d.unknowns));
        d.jacobian.resize(size_t(d.unknowns * d.unknowns));
        std::vector<double> numbers(size_t(d.unknowns * 2 * limbs));
        bench_eval_point(seed, d.unknowns, limbs, numbers.data());
        point.resize(size_t(d.unknowns));
        std::memcpy(static_cast<void *>(point.data()), numbers.data(), numbers.size() * sizeof(double));
        start = point[0];
    }
    void solve() override
    {
        std::fill(d.values.begin(), d.values.end(), X{T(0.0), T(0.0)});
        std::fill(d.jacobian.begin(), d.jacobian.end(), X{T(0.0), T(0.0)});
        eval_powers(d, point.data());
        eval_terms(d);
        double head;
        point[0] = start; // the next point depends on this result
        std::memcpy(&head, static_cast<void *>(&point[0]), sizeof head);
        head += bench_eval_pull * leading(d.values[0].re);
        std::memcpy(static_cast<void *>(&point[0]), &head, sizeof head);
    }
    double error() override // a checksum: the sum of all results at the first point
    {
        double re = 0, im = 0;
        point[0] = start;
        solve();
        for (auto &z : d.values)
            re += leading(z.re), im += leading(z.im);
        for (auto &z : d.jacobian)
            re += leading(z.re), im += leading(z.im);
        point[0] = start;
        return std::hypot(re, im);
    }

  private:
    static X number(const double *coefficient, double times)
    {
        X z;
        auto *p = reinterpret_cast<char *>(&z);
        std::memcpy(p, coefficient, limbs * sizeof(double));
        std::memcpy(p + limbs * sizeof(double), coefficient + 4, limbs * sizeof(double));
        return X{z.re * T(times), z.im * T(times)};
    }
    static void add(void *data, const bench_eval_term *t)
    {
        auto *self = static_cast<eval_problem *>(data);
        eval_data<X> &d = self->d;
        d.terms.push_back({t->equation, int(d.factors.size()), t->count});
        d.coefficients.push_back(number(t->coefficient, 1.0));
        for (int j = 0; j < t->count; j++) {
            d.factors.push_back({t->unknown[j], t->exponent[j], number(t->coefficient, t->exponent[j])});
            d.most = std::max(d.most, t->exponent[j]);
        }
    }
    eval_data<X> d;
    std::vector<X> point;
    X start;
};

template <class T> void add_evaluators(lsq_solvers &solvers, const char *peer, const char *prec, const char *what)
{
    for (const char *name : {"paper", "cyclic", "katsura"})
        solvers.push_back({peer, prec, name, what, [name](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                               if (bench_eval_size(name, s.n) == 0)
                                   return nullptr;
                               return std::make_unique<eval_problem<T>>(name, s.n, s.seed);
                           }});
}

} // namespace

void solvers_eval(lsq_solvers &solvers)
{
    if (!libqd_can_run())
        return;
    add_evaluators<double>(solvers, "double", "d", "evaluation in scalar doubles");
    const char *accurate = "evaluation with libqd, accurate variants, FMA",
               *quick = "evaluation with libqd, sloppy variants, FMA";
    add_evaluators<dd_real>(solvers, "libqd_fma", "dd", accurate);
    add_evaluators<qd_real>(solvers, "libqd_fma", "qd", accurate);
    add_evaluators<sloppy<dd_real>>(solvers, "libqd_fma_sloppy", "dd", quick);
    add_evaluators<sloppy<qd_real>>(solvers, "libqd_fma_sloppy", "qd", quick);
}
