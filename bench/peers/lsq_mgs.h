// lsq_mgs.h - least squares by modified Gram-Schmidt on [A b] and back substitution, in any number type with operators:
// the algorithm of plumb, as a careful programmer writes it for libqd.
//
// Columns of structs, contiguous; everything happens in place. The loops over a column are separate functions with
// inlined arithmetic, so that a disassembly shows what was measured. Like the paper: r_kk = |a_k|,
// q_k = a_k / r_kk, r_kj = q_k^H a_j, a_j -= r_kj q_k, column n+1 being b.
#ifndef PLUMB_PEERS_LSQ_MGS_H
#define PLUMB_PEERS_LSQ_MGS_H

#include "loops.h"
#include "solvers.h"

#include <cmath>
#include <cstring>

static inline double to_double(double x)
{
    return x;
}

// What the algorithm needs of a number besides its operators: the real type under it, |x|^2, |x - 1|; and a complex
// number times or over a real one.
template <class T> struct number_of {
    using real = T;
    static constexpr int parts = 1;
    static T square(const T &x)
    {
        return x * x;
    }
    static double distance_from_one(const T &x)
    {
        return std::fabs(to_double(x - T(1.0)));
    }
};

template <class T> struct number_of<complex_of<T>> {
    using real = T;
    static constexpr int parts = 2;
    static T square(const complex_of<T> &x)
    {
        return x.re * x.re + x.im * x.im;
    }
    static double distance_from_one(const complex_of<T> &x)
    {
        return std::hypot(to_double(x.re - T(1.0)), to_double(x.im));
    }
};

template <class T> complex_of<T> operator/(const complex_of<T> &x, const T &y)
{
    return {x.re / y, x.im / y};
}

template <class T> complex_of<T> operator*(const complex_of<T> &x, const T &y)
{
    return {x.re * y, x.im * y};
}

template <class X> PEER_LOOP typename number_of<X>::real column_square(int64_t m, const X *a)
{
    auto sum = number_of<X>::square(a[0]);
    for (int64_t i = 1; i < m; i++)
        sum = sum + number_of<X>::square(a[i]);
    return sum;
}

// One division and 2m products instead of 2m divisions: saves up to a tenth of a solve in qd; the errors do not change.
template <class X> PEER_LOOP void column_divide(int64_t m, X *a, typename number_of<X>::real r)
{
    auto inverse = typename number_of<X>::real(1.0) / r;
    for (int64_t i = 0; i < m; i++)
        a[i] = a[i] * inverse;
}

// Two sums side by side: one alone waits for its own additions, in dd a tenth of the whole solve (real: a quarter). A
// term in qd has enough to do by itself, and twice the code would press on the instruction cache.
template <class X> PEER_LOOP X column_dot(int64_t m, const X *q, const X *a)
{
    X even = conj_mul(q[0], a[0]);
    if (m == 1 || sizeof(typename number_of<X>::real) > 2 * sizeof(double)) {
        for (int64_t i = 1; i < m; i++)
            even = even + conj_mul(q[i], a[i]);
        return even;
    }
    X odd = conj_mul(q[1], a[1]);
    int64_t i = 2;
    for (; i + 1 < m; i += 2) {
        even = even + conj_mul(q[i], a[i]);
        odd = odd + conj_mul(q[i + 1], a[i + 1]);
    }
    if (i < m)
        even = even + conj_mul(q[i], a[i]);
    return even + odd;
}

template <class X> PEER_LOOP void column_subtract(int64_t m, X *__restrict a, const X *__restrict q, const X r)
{
    for (int64_t i = 0; i < m; i++)
        a[i] = a[i] - q[i] * r;
}

// w is [A b], m x (n+1), and becomes Q and the residual of b; r is n x (n+1), its diagonal stored separately and real.
// Returns the norm of the residual.
template <class X>
typename number_of<X>::real mgs(int64_t m, int64_t n, X *w, X *r, typename number_of<X>::real *diagonal)
{
    for (int64_t k = 0; k < n; k++) {
        X *q = w + k * m;
        diagonal[k] = sqrt(column_square(m, q));
        column_divide(m, q, diagonal[k]);
        for (int64_t j = k + 1; j <= n; j++) {
            r[k + j * n] = column_dot(m, q, w + j * m);
            column_subtract(m, w + j * m, q, r[k + j * n]);
        }
    }
    return sqrt(column_square(m, w + n * m));
}

// R x = y, y in the last column of r; x takes its place.
template <class X> void back_substitute(int64_t n, X *r, const typename number_of<X>::real *diagonal)
{
    X *x = r + n * n;
    for (int64_t j = n - 1; j >= 0; j--) {
        x[j] = x[j] / diagonal[j];
        column_subtract(j, x, r + j * n, x[j]);
    }
}

template <class X> class mgs_problem : public lsq_problem
{
    using real = typename number_of<X>::real;
    static constexpr int limbs = int(sizeof(real) / sizeof(double));
    static_assert(sizeof(X) == sizeof(double) * limbs * number_of<X>::parts, "numbers are their limbs");

  public:
    explicit mgs_problem(const lsq_shape &s)
        : m(s.m), n(s.n), ab(size_t(m * (n + 1))), w(ab), r(size_t(n * (n + 1))), diagonal(size_t(n))
    {
        lsq_data data(s, limbs, number_of<X>::parts);
        std::memcpy(static_cast<void *>(ab.data()), data.a.data(), data.a.size() * sizeof(double));
        std::memcpy(static_cast<void *>(ab.data() + m * n), data.b.data(), data.b.size() * sizeof(double));
    }
    void solve() override
    {
        w = ab; // the same size: a copy, no new memory
        residual = mgs(m, n, w.data(), r.data(), diagonal.data());
        back_substitute(n, r.data(), diagonal.data());
    }
    double error() override
    {
        double largest = 0;
        for (int64_t j = 0; j < n; j++)
            largest = std::fmax(largest, number_of<X>::distance_from_one(r[size_t(n * n + j)]));
        return largest;
    }

  private:
    int64_t m, n;
    std::vector<X> ab, w, r;
    std::vector<real> diagonal;
    real residual;
};

// Real and complex solvers over the real type T.
template <class T> void add_mgs_solvers(lsq_solvers &solvers, const char *peer, const char *prec, const char *what)
{
    solvers.push_back({peer, prec, "real", what, [](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                           return std::make_unique<mgs_problem<T>>(s);
                       }});
    solvers.push_back({peer, prec, "complex", what, [](const lsq_shape &s) -> std::unique_ptr<lsq_problem> {
                           return std::make_unique<mgs_problem<complex_of<T>>>(s);
                       }});
}

#endif
