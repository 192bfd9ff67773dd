/* lsq_oracle.h - least squares by MPFR: the normal equations, with so many bits that squaring the condition number
 * does not matter, solved by elimination with pivoting. */
#ifndef PLUMB_SOLVER_LSQ_LSQ_ORACLE_H
#define PLUMB_SOLVER_LSQ_LSQ_ORACLE_H

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "plumb.h"

enum { LSQ_ORACLE_BITS = 3000 };

/* A dense complex matrix, column by column: entry (i, j) at re[j*rows + i]. */
typedef struct big_matrix {
    int64_t rows, cols;
    mpfr_t *re, *im;
} big_matrix;

static inline big_matrix big_create(int64_t rows, int64_t cols)
{
    big_matrix a = {rows, cols, malloc((size_t)(rows * cols) * sizeof(mpfr_t)),
                    malloc((size_t)(rows * cols) * sizeof(mpfr_t))};
    for (int64_t k = 0; k < rows * cols; k++) {
        mpfr_init2(a.re[k], LSQ_ORACLE_BITS), mpfr_set_zero(a.re[k], 1);
        mpfr_init2(a.im[k], LSQ_ORACLE_BITS), mpfr_set_zero(a.im[k], 1);
    }
    return a;
}

static inline void big_destroy(big_matrix *a)
{
    for (int64_t k = 0; k < a->rows * a->cols; k++) {
        mpfr_clear(a->re[k]);
        mpfr_clear(a->im[k]);
    }
    free(a->re);
    free(a->im);
}

static inline big_matrix big_of(const plumb_view *view)
{
    big_matrix a = big_create(view->rows, view->cols);
    for (int64_t j = 0; j < view->cols; j++)
        for (int64_t i = 0; i < view->rows; i++)
            for (int32_t c = 0; c < view->prec * view->parts; c++) {
                mpfr_t *to = c < view->prec ? a.re : a.im;
                mpfr_add_d(to[j * view->rows + i], to[j * view->rows + i],
                           view->data[c * view->plane + j * view->col + i], MPFR_RNDN);
            }
    return a;
}

/* z += x y, or x conj'd. */
static inline void big_add_product(mpfr_t re, mpfr_t im, const mpfr_t xr, const mpfr_t xi, const mpfr_t yr,
                                   const mpfr_t yi, int conjugate, int negative)
{
    mpfr_t p, q;
    mpfr_inits2(LSQ_ORACLE_BITS, p, q, (mpfr_ptr)0);
    mpfr_mul(p, xr, yr, MPFR_RNDN);
    mpfr_mul(q, xi, yi, MPFR_RNDN);
    (conjugate ? mpfr_add : mpfr_sub)(p, p, q, MPFR_RNDN);
    (negative ? mpfr_sub : mpfr_add)(re, re, p, MPFR_RNDN);
    mpfr_mul(p, xr, yi, MPFR_RNDN);
    mpfr_mul(q, xi, yr, MPFR_RNDN);
    (conjugate ? mpfr_sub : mpfr_add)(p, p, q, MPFR_RNDN);
    (negative ? mpfr_sub : mpfr_add)(im, im, p, MPFR_RNDN);
    mpfr_clears(p, q, (mpfr_ptr)0);
}

/* a^H b */
static inline big_matrix big_gram(const big_matrix *a, const big_matrix *b)
{
    big_matrix g = big_create(a->cols, b->cols);
    for (int64_t j = 0; j < b->cols; j++)
        for (int64_t k = 0; k < a->cols; k++)
            for (int64_t i = 0; i < a->rows; i++)
                big_add_product(g.re[j * g.rows + k], g.im[j * g.rows + k], a->re[k * a->rows + i],
                                a->im[k * a->rows + i], b->re[j * b->rows + i], b->im[j * b->rows + i], 1, 0);
    return g;
}

/* Solves g x = h in place, h becoming x; g is hermitian and positive, so its diagonal will do for pivots. */
static inline void big_solve(big_matrix *g, big_matrix *h)
{
    int64_t n = g->rows;
    mpfr_t fr, fi;
    mpfr_inits2(LSQ_ORACLE_BITS, fr, fi, (mpfr_ptr)0);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) {
            mpfr_div(fr, g->re[k * n + i], g->re[k * n + k], MPFR_RNDN);
            mpfr_div(fi, g->im[k * n + i], g->re[k * n + k], MPFR_RNDN);
            for (int64_t j = k; j < n; j++)
                big_add_product(g->re[j * n + i], g->im[j * n + i], fr, fi, g->re[j * n + k], g->im[j * n + k], 0, 1);
            for (int64_t j = 0; j < h->cols; j++)
                big_add_product(h->re[j * n + i], h->im[j * n + i], fr, fi, h->re[j * n + k], h->im[j * n + k], 0, 1);
        }
    for (int64_t j = 0; j < h->cols; j++)
        for (int64_t k = n - 1; k >= 0; k--) {
            for (int64_t l = k + 1; l < n; l++)
                big_add_product(h->re[j * n + k], h->im[j * n + k], g->re[l * n + k], g->im[l * n + k],
                                h->re[j * n + l], h->im[j * n + l], 0, 1);
            mpfr_div(h->re[j * n + k], h->re[j * n + k], g->re[k * n + k], MPFR_RNDN);
            mpfr_div(h->im[j * n + k], h->im[j * n + k], g->re[k * n + k], MPFR_RNDN);
        }
    mpfr_clears(fr, fi, (mpfr_ptr)0);
}

/* Decimal digits of x that are right: -log10 of the largest error over the largest entry, the worst column. x becomes the error. */
static inline double big_digits(const big_matrix *truth, big_matrix *x)
{
    double worst = 1000.0;
    mpfr_t t, largest, error;
    mpfr_inits2(200, t, largest, error, (mpfr_ptr)0);
    for (int64_t j = 0; j < x->cols; j++) {
        mpfr_set_zero(largest, 1);
        mpfr_set_zero(error, 1);
        for (int64_t k = j * x->rows; k < (j + 1) * x->rows; k++) {
            mpfr_hypot(t, truth->re[k], truth->im[k], MPFR_RNDN);
            mpfr_max(largest, largest, t, MPFR_RNDN);
            mpfr_sub(x->re[k], x->re[k], truth->re[k], MPFR_RNDN);
            mpfr_sub(x->im[k], x->im[k], truth->im[k], MPFR_RNDN);
            mpfr_hypot(t, x->re[k], x->im[k], MPFR_RNDN);
            mpfr_max(error, error, t, MPFR_RNDN);
        }
        if (!mpfr_zero_p(error)) {
            mpfr_div(t, largest, error, MPFR_RNDN);
            mpfr_log10(t, t, MPFR_RNDN);
            worst = fmin(worst, mpfr_get_d(t, MPFR_RNDN));
        }
    }
    mpfr_clears(t, largest, error, (mpfr_ptr)0);
    return worst;
}

/* For a with at least as many rows as columns. */
static inline double oracle_digits(const plumb_view *a, const plumb_view *b, const plumb_view *x)
{
    big_matrix A = big_of(a), B = big_of(b), X = big_of(x), G = big_gram(&A, &A), H = big_gram(&A, &B);
    big_solve(&G, &H);
    const double digits = big_digits(&H, &X);
    big_destroy(&A), big_destroy(&B), big_destroy(&X), big_destroy(&G), big_destroy(&H);
    return digits;
}

static inline big_matrix big_adjoint(const big_matrix *a)
{
    big_matrix t = big_create(a->cols, a->rows);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++) {
            mpfr_set(t.re[i * a->cols + j], a->re[j * a->rows + i], MPFR_RNDN);
            mpfr_neg(t.im[i * a->cols + j], a->im[j * a->rows + i], MPFR_RNDN);
        }
    return t;
}

/* The same for the solution of least norm, a with fewer rows than columns: A^H (A A^H)^-1 b. */
static inline double oracle_least_norm_digits(const plumb_view *a, const plumb_view *b, const plumb_view *x)
{
    big_matrix A = big_of(a), T = big_adjoint(&A), Y = big_of(b), X = big_of(x), G = big_gram(&T, &T);
    big_solve(&G, &Y);
    big_matrix truth = big_gram(&A, &Y);
    const double digits = big_digits(&truth, &X);
    big_destroy(&A), big_destroy(&T), big_destroy(&Y), big_destroy(&X), big_destroy(&G), big_destroy(&truth);
    return digits;
}

/* How far the residual norms given are from |b - A x| for the x given, over the norm of |b| + |A| |x|; the largest. */
static inline double oracle_residual_error(const plumb_view *a, const plumb_view *b, const plumb_view *x,
                                           const plumb_view *residual)
{
    big_matrix A = big_of(a), B = big_of(b), X = big_of(x), Z = big_of(residual);
    double worst = 0.0;
    mpfr_t sum, size, row, t, u;
    mpfr_inits2(LSQ_ORACLE_BITS, sum, size, row, t, u, (mpfr_ptr)0);
    for (int64_t j = 0; j < b->cols; j++) {
        mpfr_set_zero(sum, 1);
        mpfr_set_zero(size, 1);
        for (int64_t i = 0; i < b->rows; i++) {
            int64_t at = j * b->rows + i;
            mpfr_hypot(row, B.re[at], B.im[at], MPFR_RNDN);
            for (int64_t k = 0; k < a->cols; k++) {
                mpfr_hypot(t, A.re[k * a->rows + i], A.im[k * a->rows + i], MPFR_RNDN);
                mpfr_hypot(u, X.re[j * x->rows + k], X.im[j * x->rows + k], MPFR_RNDN);
                mpfr_fma(row, t, u, row, MPFR_RNDN);
                big_add_product(B.re[at], B.im[at], A.re[k * a->rows + i], A.im[k * a->rows + i], X.re[j * x->rows + k],
                                X.im[j * x->rows + k], 0, 1);
            }
            mpfr_fma(size, row, row, size, MPFR_RNDN);
            mpfr_hypot(t, B.re[at], B.im[at], MPFR_RNDN);
            mpfr_fma(sum, t, t, sum, MPFR_RNDN);
        }
        mpfr_sqrt(sum, sum, MPFR_RNDN);
        mpfr_sqrt(size, size, MPFR_RNDN);
        mpfr_sub(sum, sum, Z.re[j], MPFR_RNDN);
        mpfr_div(sum, sum, size, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(sum, MPFR_RNDN)));
    }
    mpfr_clears(sum, size, row, t, u, (mpfr_ptr)0);
    big_destroy(&A), big_destroy(&B), big_destroy(&X), big_destroy(&Z);
    return worst;
}

/* The largest |b_k - (A x)_k| / (|a_k| |x|) with the norms of the rows of A; the worst column. */
static inline double oracle_row_residual(const plumb_view *a, const plumb_view *b, const plumb_view *x)
{
    big_matrix A = big_of(a), B = big_of(b), X = big_of(x);
    double worst = 0.0;
    mpfr_t row, size, t;
    mpfr_inits2(LSQ_ORACLE_BITS, row, size, t, (mpfr_ptr)0);
    for (int64_t j = 0; j < b->cols; j++) {
        mpfr_set_zero(size, 1);
        for (int64_t i = 0; i < x->rows; i++) {
            mpfr_hypot(t, X.re[j * x->rows + i], X.im[j * x->rows + i], MPFR_RNDN);
            mpfr_fma(size, t, t, size, MPFR_RNDN);
        }
        for (int64_t k = 0; k < b->rows; k++) {
            const int64_t at = j * b->rows + k;
            mpfr_set_zero(row, 1);
            for (int64_t i = 0; i < a->cols; i++) {
                mpfr_hypot(t, A.re[i * a->rows + k], A.im[i * a->rows + k], MPFR_RNDN);
                mpfr_fma(row, t, t, row, MPFR_RNDN);
                big_add_product(B.re[at], B.im[at], A.re[i * a->rows + k], A.im[i * a->rows + k], X.re[j * x->rows + i],
                                X.im[j * x->rows + i], 0, 1);
            }
            mpfr_mul(row, row, size, MPFR_RNDN);
            mpfr_sqrt(row, row, MPFR_RNDN);
            mpfr_hypot(t, B.re[at], B.im[at], MPFR_RNDN);
            mpfr_div(t, t, row, MPFR_RNDN);
            worst = fmax(worst, mpfr_get_d(t, MPFR_RNDN));
        }
    }
    mpfr_clears(row, size, t, (mpfr_ptr)0);
    big_destroy(&A), big_destroy(&B), big_destroy(&X);
    return worst;
}

/* The sum of the squares of the moduli of a column. */
static inline void big_square(mpfr_t sum, const big_matrix *a, int64_t column)
{
    mpfr_t t;
    mpfr_init2(t, LSQ_ORACLE_BITS);
    mpfr_set_zero(sum, 1);
    for (int64_t k = column * a->rows; k < (column + 1) * a->rows; k++) {
        mpfr_sqr(t, a->re[k], MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
        mpfr_sqr(t, a->im[k], MPFR_RNDN);
        mpfr_add(sum, sum, t, MPFR_RNDN);
    }
    mpfr_clear(t);
}

/* The smallest |E| / |A| (Frobenius norms) such that x solves the least-squares problem of A + E and b exactly, estimated to a factor of
 * two by |M^(-1/2) A^H r| with r = b - A x and M = |x|^2 A^H A + |r|^2 I (Karlson and Walden 1997; Gu 1998); the worst column of b. */
static inline double oracle_backward_error(const plumb_view *a, const plumb_view *b, const plumb_view *x)
{
    big_matrix A = big_of(a), B = big_of(b), X = big_of(x);
    double worst = 0.0;
    mpfr_t size, norm, r2, x2, t;
    mpfr_inits2(LSQ_ORACLE_BITS, size, norm, r2, x2, t, (mpfr_ptr)0);
    mpfr_set_zero(norm, 1);
    for (int64_t k = 0; k < a->cols; k++) {
        big_square(t, &A, k);
        mpfr_add(norm, norm, t, MPFR_RNDN);
    }
    for (int64_t j = 0; j < b->cols; j++) {
        big_matrix r = big_create(a->rows, 1);
        for (int64_t i = 0; i < a->rows; i++) {
            mpfr_set(r.re[i], B.re[j * a->rows + i], MPFR_RNDN);
            mpfr_set(r.im[i], B.im[j * a->rows + i], MPFR_RNDN);
            for (int64_t k = 0; k < a->cols; k++)
                big_add_product(r.re[i], r.im[i], A.re[k * a->rows + i], A.im[k * a->rows + i], X.re[j * x->rows + k],
                                X.im[j * x->rows + k], 0, 1);
        }
        big_square(r2, &r, 0);
        big_square(x2, &X, j);
        big_matrix M = big_gram(&A, &A), g = big_gram(&A, &r), y = big_gram(&A, &r);
        for (int64_t k = 0; k < a->cols * a->cols; k++) {
            mpfr_mul(M.re[k], M.re[k], x2, MPFR_RNDN);
            mpfr_mul(M.im[k], M.im[k], x2, MPFR_RNDN);
            if (k / a->cols == k % a->cols)
                mpfr_add(M.re[k], M.re[k], r2, MPFR_RNDN);
        }
        if (!mpfr_zero_p(r2)) {
            big_solve(&M, &y);
            big_matrix square = big_gram(&g, &y);
            mpfr_div(size, square.re[0], norm, MPFR_RNDN);
            mpfr_sqrt(size, size, MPFR_RNDN);
            const double error = mpfr_get_d(size, MPFR_RNDN);
            worst = isnan(error) ? (double)INFINITY : fmax(worst, error);
            big_destroy(&square);
        }
        big_destroy(&r), big_destroy(&M), big_destroy(&g), big_destroy(&y);
    }
    mpfr_clears(size, norm, r2, x2, t, (mpfr_ptr)0);
    big_destroy(&A), big_destroy(&B), big_destroy(&X);
    return worst;
}

#endif
