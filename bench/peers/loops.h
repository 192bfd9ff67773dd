// loops.h - the loops that every peer with operators runs: z[i] = x[i] op y[i] over arrays of structs, the way a program
// written for that peer would hold its numbers.
//
// Each operation is a small type and each loop a function of its own, so that a disassembly shows what was measured
// (map2<dd_real, op_mul>).
#ifndef PLUMB_PEERS_LOOPS_H
#define PLUMB_PEERS_LOOPS_H

#include "peers.h"

#include <memory>

// A separate function with everything it calls inlined: by default gcc would not inline the larger operations.
#define PEER_LOOP __attribute__((noinline, flatten))

template <class T> struct complex_of {
    T re, im;
};

// clang-format off
struct op_add { template <class X, class Y> auto operator()(const X &x, const Y &y) const { return x + y; } };
struct op_sub { template <class X, class Y> auto operator()(const X &x, const Y &y) const { return x - y; } };
struct op_mul { template <class X, class Y> auto operator()(const X &x, const Y &y) const { return x * y; } };
struct op_div { template <class X, class Y> auto operator()(const X &x, const Y &y) const { return x / y; } };
struct op_inv { template <class X> X operator()(const X &x) const { return X(1.0) / x; } };
struct op_neg { template <class X> X operator()(const X &x) const { return -x; } };
struct op_abs { template <class X> X operator()(const X &x) const { return x < X(0.0) ? -x : x; } };
struct op_cmp { template <class X> double operator()(const X &x, const X &y) const { return x < y ? -1.0 : y < x ? 1.0 : 0.0; } };
// clang-format on

template <class T> complex_of<T> operator+(const complex_of<T> &x, const complex_of<T> &y)
{
    return {x.re + y.re, x.im + y.im};
}

template <class T> complex_of<T> operator-(const complex_of<T> &x, const complex_of<T> &y)
{
    return {x.re - y.re, x.im - y.im};
}

template <class T> complex_of<T> operator*(const complex_of<T> &x, const complex_of<T> &y)
{
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

template <class T> complex_of<T> operator/(const complex_of<T> &x, const complex_of<T> &y)
{
    T norm = y.re * y.re + y.im * y.im;
    return {(x.re * y.re + x.im * y.im) / norm, (x.im * y.re - x.re * y.im) / norm};
}

// The factors of a dot product: conj(x) * y.
template <class T> T conj_mul(const T &x, const T &y)
{
    return x * y;
}
template <class T> complex_of<T> conj_mul(const complex_of<T> &x, const complex_of<T> &y)
{
    return {x.re * y.re + x.im * y.im, x.re * y.im - x.im * y.re};
}

template <class X, class Op, class Y, class Z> PEER_LOOP void map2(Z *__restrict z, const X *x, const Y *y)
{
    for (int i = 0; i < BENCH_LENGTH; i++)
        z[i] = Op()(x[i], y[i]);
}

template <class X, class Op> PEER_LOOP void map1(X *__restrict z, const X *x)
{
    for (int i = 0; i < BENCH_LENGTH; i++)
        z[i] = Op()(x[i]);
}

template <class X> PEER_LOOP void map_fma(X *__restrict z, const X *x, const X *y, const X *w)
{
    for (int i = 0; i < BENCH_LENGTH; i++)
        z[i] = x[i] * y[i] + w[i];
}

template <class X> PEER_LOOP void map_dot(X *__restrict z, const X *x, const X *y)
{
    for (int i = 0; i < BENCH_LENGTH; i++, x += BENCH_TERMS, y += BENCH_TERMS) {
        X sum = conj_mul(x[0], y[0]);
        for (int j = 1; j < BENCH_TERMS; j++)
            sum = sum + conj_mul(x[j], y[j]);
        z[i] = sum;
    }
}

// Operands of all the cases of one number type; shared by their closures.
template <class T> struct operands {
    std::vector<T> x, y, z, positive;
    std::vector<double> scalar, power, sign;
    std::vector<complex_of<T>> cx, cy, cz;

    explicit operands(T (*make)(uint64_t *))
    {
        uint64_t state = 2013;
        for (int i = 0; i < BENCH_LENGTH * BENCH_TERMS; i++) {
            x.push_back(make(&state));
            y.push_back(make(&state));
            cx.push_back({make(&state), make(&state)});
            cy.push_back({make(&state), make(&state)});
        }
        for (int i = 0; i < BENCH_LENGTH; i++) {
            positive.push_back(op_abs()(make(&state)));
            double s;
            bench_random_limbs(&state, 1, &s);
            scalar.push_back(s);
            power.push_back(bench_random_power(&state));
        }
        z = positive;
        sign = power;
        cz.assign(cx.begin(), cx.begin() + BENCH_LENGTH);
    }
};

// The operations that plain operators express. `inlined` names the peer for code that is compiled here, `package` for
// divisions, which may be functions of the peer's own library.
template <class T>
void add_operator_cases(peer_cases &cases, const char *inlined, const char *package, const char *prec,
                        const std::shared_ptr<operands<T>> &a)
{
    using C = complex_of<T>;
    peer_add(cases, inlined, "add", prec, "real", [a] { map2<T, op_add>(a->z.data(), a->x.data(), a->y.data()); });
    peer_add(cases, inlined, "sub", prec, "real", [a] { map2<T, op_sub>(a->z.data(), a->x.data(), a->y.data()); });
    peer_add(cases, inlined, "mul", prec, "real", [a] { map2<T, op_mul>(a->z.data(), a->x.data(), a->y.data()); });
    peer_add(cases, package, "div", prec, "real", [a] { map2<T, op_div>(a->z.data(), a->x.data(), a->y.data()); });
    peer_add(cases, inlined, "cmp", prec, "real", [a] { map2<T, op_cmp>(a->sign.data(), a->x.data(), a->y.data()); });
    peer_add(cases, inlined, "add_d", prec, "real",
             [a] { map2<T, op_add>(a->z.data(), a->x.data(), a->scalar.data()); });
    peer_add(cases, inlined, "mul_d", prec, "real",
             [a] { map2<T, op_mul>(a->z.data(), a->x.data(), a->scalar.data()); });
    peer_add(cases, package, "div_d", prec, "real",
             [a] { map2<T, op_div>(a->z.data(), a->x.data(), a->scalar.data()); });
    peer_add(cases, package, "inv", prec, "real", [a] { map1<T, op_inv>(a->z.data(), a->x.data()); });
    peer_add(cases, inlined, "neg", prec, "real", [a] { map1<T, op_neg>(a->z.data(), a->x.data()); });
    peer_add(cases, inlined, "abs", prec, "real", [a] { map1<T, op_abs>(a->z.data(), a->x.data()); });
    peer_add(cases, inlined, "fma", prec, "real",
             [a] { map_fma<T>(a->z.data(), a->x.data(), a->y.data(), a->positive.data()); });
    peer_add(cases, inlined, "dot", prec, "real", [a] { map_dot<T>(a->z.data(), a->x.data(), a->y.data()); });

    peer_add(cases, inlined, "add", prec, "complex",
             [a] { map2<C, op_add>(a->cz.data(), a->cx.data(), a->cy.data()); });
    peer_add(cases, inlined, "sub", prec, "complex",
             [a] { map2<C, op_sub>(a->cz.data(), a->cx.data(), a->cy.data()); });
    peer_add(cases, inlined, "mul", prec, "complex",
             [a] { map2<C, op_mul>(a->cz.data(), a->cx.data(), a->cy.data()); });
    peer_add(cases, package, "div", prec, "complex",
             [a] { map2<C, op_div>(a->cz.data(), a->cx.data(), a->cy.data()); });
    peer_add(cases, inlined, "dot", prec, "complex", [a] { map_dot<C>(a->cz.data(), a->cx.data(), a->cy.data()); });
}

#endif
