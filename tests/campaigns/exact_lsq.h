/* exact_lsq.h - the truth about a least-squares problem whose entries are exact sums of doubles.
 *
 * Whether the columns are independent is decided exactly: the entries are dyadic rationals, which have a value modulo the prime
 * 2^61 - 1, and the rank modulo that prime is the rank unless a minor happens to be a multiple of it (a chance of about 1e-18 each).
 * The solution is that of the normal equations in MPFR, with more bits than the squares of the smallest and the largest entry are
 * apart, and so many that doubling their number changes nothing that matters. */
#ifndef PLUMB_CAMPAIGNS_EXACT_LSQ_H
#define PLUMB_CAMPAIGNS_EXACT_LSQ_H

#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "plumb.h"

/* ---- The rank ----------------------------------------------------------------------------------------------------------- */

#define EXACT_PRIME ((UINT64_C(1) << 61) - 1)

static inline uint64_t exact_mul(uint64_t a, uint64_t b)
{
    return (uint64_t)((unsigned __int128)a * b % EXACT_PRIME);
}

static inline uint64_t exact_of(double x)
{
    int e = 0;
    const double fraction = frexp(fabs(x), &e);
    uint64_t value = (uint64_t)ldexp(fraction, 53) % EXACT_PRIME;
    e = ((e - 53) % 61 + 61) % 61; /* 2^61 is 1 */
    value = exact_mul(value, UINT64_C(1) << e);
    return x < 0.0 && value != 0 ? EXACT_PRIME - value : value;
}

static inline uint64_t exact_inverse(uint64_t a)
{
    uint64_t result = 1;
    for (uint64_t e = EXACT_PRIME - 2; e > 0; e >>= 1) {
        if (e & 1)
            result = exact_mul(result, a);
        a = exact_mul(a, a);
    }
    return result;
}

static inline uint64_t exact_entry(const plumb_view *a, int32_t part, int64_t i, int64_t j)
{
    uint64_t sum = 0;
    for (int32_t c = 0; part < a->parts && c < a->prec; c++)
        sum = (sum + exact_of(a->data[(part * a->prec + c) * a->plane + j * a->col + i])) % EXACT_PRIME;
    return sum;
}

/* The rank of the columns of a for which use[j] holds (NULL: all of them). A complex matrix takes its real form [re -im; im re],
 * which has twice the rank. */
static inline int64_t exact_rank(const plumb_view *a, const bool *use)
{
    const int64_t rows = a->rows * a->parts;
    int64_t cols = 0, rank = 0;
    uint64_t *m = calloc((size_t)(rows * a->cols * a->parts) + 1, sizeof *m); /* by columns */
    for (int64_t j = 0; j < a->cols; j++) {
        if (use && !use[j])
            continue;
        for (int32_t part = 0; part < a->parts; part++, cols++)
            for (int64_t i = 0; i < a->rows; i++) {
                const uint64_t re = exact_entry(a, 0, i, j), im = exact_entry(a, 1, i, j);
                m[cols * rows + i] = part == 0 ? re : im == 0 ? 0 : EXACT_PRIME - im;
                if (a->parts == 2)
                    m[cols * rows + a->rows + i] = part == 0 ? im : re;
            }
    }
    for (int64_t k = 0; k < cols; k++) {
        int64_t pivot = rank;
        while (pivot < rows && m[k * rows + pivot] == 0)
            pivot++;
        if (pivot == rows)
            continue;
        for (int64_t j = k; j < cols && pivot != rank; j++) {
            const uint64_t t = m[j * rows + pivot];
            m[j * rows + pivot] = m[j * rows + rank], m[j * rows + rank] = t;
        }
        const uint64_t inverse = exact_inverse(m[k * rows + rank]);
        for (int64_t i = rank + 1; i < rows; i++) {
            const uint64_t factor = exact_mul(m[k * rows + i], inverse);
            for (int64_t j = k; j < cols && factor != 0; j++) {
                const uint64_t product = exact_mul(factor, m[j * rows + rank]);
                m[j * rows + i] = (m[j * rows + i] + EXACT_PRIME - product) % EXACT_PRIME;
            }
        }
        rank++;
    }
    free(m);
    return rank / a->parts;
}

/* True if the columns of a for which use[j] holds (NULL: all of them) are linearly independent. */
static inline bool exact_independent(const plumb_view *a, const bool *use)
{
    int64_t count = 0;
    for (int64_t j = 0; j < a->cols; j++)
        count += !use || use[j];
    return exact_rank(a, use) == count;
}

/* ---- The solution ------------------------------------------------------------------------------------------------------- */

/* A dense matrix, real or complex: part of entry (i, j) at v[(j*rows + i)*parts + part]. */
typedef struct exact_matrix {
    int64_t rows, cols;
    int32_t parts;
    mpfr_t *v;
} exact_matrix;

static inline mpfr_t *exact_at(const exact_matrix *a, int64_t i, int64_t j)
{
    return a->v + (j * a->rows + i) * a->parts;
}

static inline exact_matrix exact_create(int64_t rows, int64_t cols, int32_t parts, mpfr_prec_t bits)
{
    exact_matrix a = {rows, cols, parts, malloc((size_t)(rows * cols * parts + 1) * sizeof(mpfr_t))};
    for (int64_t k = 0; k < rows * cols * parts; k++) {
        mpfr_init2(a.v[k], bits);
        mpfr_set_zero(a.v[k], 1);
    }
    return a;
}

static inline void exact_destroy(exact_matrix *a)
{
    for (int64_t k = 0; k < a->rows * a->cols * a->parts; k++)
        mpfr_clear(a->v[k]);
    free(a->v);
}

static inline void exact_load(const plumb_view *view, exact_matrix *a)
{
    for (int64_t j = 0; j < view->cols; j++)
        for (int64_t i = 0; i < view->rows; i++)
            for (int32_t c = view->prec * view->parts - 1; c >= 0; c--)
                mpfr_add_d(exact_at(a, i, j)[c / view->prec], exact_at(a, i, j)[c / view->prec],
                           view->data[c * view->plane + j * view->col + i], MPFR_RNDN);
}

/* z += conj(x) y, or z -= x y. */
static inline void exact_product(mpfr_t *z, mpfr_t *x, mpfr_t *y, int32_t parts, bool conjugate, mpfr_t t)
{
    const bool plus = conjugate;
    mpfr_mul(t, x[0], y[0], MPFR_RNDN);
    (plus ? mpfr_add : mpfr_sub)(z[0], z[0], t, MPFR_RNDN);
    if (parts == 1)
        return;
    mpfr_mul(t, x[1], y[1], MPFR_RNDN);
    mpfr_add(z[0], z[0], t, MPFR_RNDN); /* conj: + x1 y1; otherwise -(-x1 y1) */
    mpfr_mul(t, x[0], y[1], MPFR_RNDN);
    (plus ? mpfr_add : mpfr_sub)(z[1], z[1], t, MPFR_RNDN);
    mpfr_mul(t, x[1], y[0], MPFR_RNDN);
    mpfr_sub(z[1], z[1], t, MPFR_RNDN); /* conj: - x1 y0; otherwise - x1 y0 as well */
}

static inline void exact_transpose(exact_matrix *a)
{
    exact_matrix t = {a->cols, a->rows, a->parts, malloc((size_t)(a->rows * a->cols * a->parts + 1) * sizeof(mpfr_t))};
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            for (int32_t part = 0; part < a->parts; part++)
                *exact_at(&t, j, i)[part] = *exact_at(a, i, j)[part];
    for (int64_t k = 0; t.parts == 2 && k < t.rows * t.cols; k++)
        mpfr_neg(t.v[2 * k + 1], t.v[2 * k + 1], MPFR_RNDN);
    free(a->v);
    *a = t;
}

/* x = A y */
static inline exact_matrix exact_multiply(const exact_matrix *a, const exact_matrix *y, mpfr_prec_t bits)
{
    exact_matrix x = exact_create(a->rows, y->cols, a->parts, bits);
    mpfr_t t;
    mpfr_init2(t, bits);
    for (int64_t j = 0; j < y->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            for (int64_t k = 0; k < a->cols; k++)
                exact_product(exact_at(&x, i, j), exact_at(a, i, k), exact_at(y, k, j), a->parts, false, t);
    for (int64_t k = 0; k < x.rows * x.cols * x.parts; k++)
        mpfr_neg(x.v[k], x.v[k], MPFR_RNDN);
    mpfr_clear(t);
    return x;
}

/* x = the solution of the normal equations with so many bits; the columns that are not used stay zero. With fewer rows than
 * columns, that of least norm: A^H y with A A^H y = b. */
static inline exact_matrix exact_solve_with(const plumb_view *a, const plumb_view *b, const bool *use, mpfr_prec_t bits)
{
    const int32_t parts = a->parts;
    const bool wide = a->rows < a->cols;
    exact_matrix A = exact_create(a->rows, a->cols, parts, bits), B = exact_create(b->rows, b->cols, parts, bits);
    exact_load(a, &A);
    exact_load(b, &B);
    if (wide)
        exact_transpose(&A);
    int64_t *column = malloc((size_t)(A.cols + 1) * sizeof *column), n = 0;
    for (int64_t j = 0; j < A.cols; j++)
        if (!use || use[j])
            column[n++] = j;
    exact_matrix g = exact_create(n, n + b->cols, parts, bits), x = exact_create(A.cols, b->cols, parts, bits);
    mpfr_t t, factor[2];
    mpfr_inits2(bits, t, factor[0], factor[1], (mpfr_ptr)0);
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = k; j < n + b->cols; j++)
            for (int64_t i = 0; i < A.rows && (!wide || j < n); i++)
                exact_product(exact_at(&g, k, j), exact_at(&A, i, column[k]),
                              j < n ? exact_at(&A, i, column[j]) : exact_at(&B, i, j - n), parts, true, t);
    for (int64_t j = 0; wide && j < b->cols; j++)
        for (int64_t k = 0; k < n; k++)
            for (int32_t part = 0; part < parts; part++)
                mpfr_set(exact_at(&g, k, n + j)[part], exact_at(&B, k, j)[part], MPFR_RNDN);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) { /* g is hermitian: entry (i, k) is the conjugate of (k, i) */
            mpfr_div(factor[0], exact_at(&g, k, i)[0], exact_at(&g, k, k)[0], MPFR_RNDN);
            if (parts == 2) {
                mpfr_div(factor[1], exact_at(&g, k, i)[1], exact_at(&g, k, k)[0], MPFR_RNDN);
                mpfr_neg(factor[1], factor[1], MPFR_RNDN);
            }
            for (int64_t j = i; j < n + b->cols; j++)
                exact_product(exact_at(&g, i, j), factor, exact_at(&g, k, j), parts, false, t);
        }
    for (int64_t r = 0; r < b->cols; r++)
        for (int64_t k = n - 1; k >= 0; k--) {
            mpfr_t *to = exact_at(&g, k, n + r), *out = exact_at(&x, column[k], r);
            for (int64_t l = k + 1; l < n; l++)
                exact_product(to, exact_at(&g, k, l), exact_at(&x, column[l], r), parts, false, t);
            for (int32_t part = 0; part < parts; part++)
                mpfr_div(out[part], to[part], exact_at(&g, k, k)[0], MPFR_RNDN);
        }
    mpfr_clears(t, factor[0], factor[1], (mpfr_ptr)0);
    free(column);
    if (wide) {
        exact_matrix y = x;
        x = exact_multiply(&A, &y, bits);
        exact_destroy(&y);
    }
    exact_destroy(&A), exact_destroy(&B), exact_destroy(&g);
    return x;
}

/* -log10 of the largest error of y over the largest entry of x, of a column; 10000 if there is no error, negative if it is larger. */
static inline double exact_agreement(const exact_matrix *x, const exact_matrix *y, int64_t j)
{
    mpfr_t t, s, largest, error;
    mpfr_inits2(128, t, s, largest, error, (mpfr_ptr)0);
    mpfr_set_zero(largest, 1);
    mpfr_set_zero(error, 1);
    for (int64_t i = 0; i < x->rows; i++) {
        mpfr_t *p = exact_at(x, i, j), *q = exact_at(y, i, j);
        mpfr_set_zero(t, 1);
        if (x->parts == 2)
            mpfr_set(t, p[1], MPFR_RNDN);
        mpfr_hypot(t, t, p[0], MPFR_RNDN);
        mpfr_max(largest, largest, t, MPFR_RNDN);
        mpfr_sub(s, p[0], q[0], MPFR_RNDN);
        mpfr_set_zero(t, 1);
        if (x->parts == 2)
            mpfr_sub(t, p[1], q[1], MPFR_RNDN);
        mpfr_hypot(t, t, s, MPFR_RNDN);
        mpfr_max(error, error, t, MPFR_RNDN);
    }
    double digits = 10000.0;
    if (mpfr_nan_p(error) || mpfr_nan_p(largest) || mpfr_inf_p(error)) {
        digits = -10000.0;
    } else if (!mpfr_zero_p(error)) {
        mpfr_div(t, largest, error, MPFR_RNDN);
        mpfr_log10(t, t, MPFR_RNDN);
        digits = mpfr_get_d(t, MPFR_RNDN);
    }
    mpfr_clears(t, s, largest, error, (mpfr_ptr)0);
    return digits;
}

/* Widens [low, high] to the exponents of the limbs of a matrix. */
static inline void exact_range(const plumb_view *view, int *low, int *high)
{
    for (int64_t j = 0; j < view->cols; j++)
        for (int64_t i = 0; i < view->rows; i++)
            for (int32_t c = 0; c < view->prec * view->parts; c++) {
                const double limb = view->data[c * view->plane + j * view->col + i];
                int e = 0;
                frexp(limb, &e);
                if (limb != 0.0) {
                    *low = e < *low ? e : *low;
                    *high = e > *high ? e : *high;
                }
            }
}

/* The number of correct decimal digits in the largest entry of each column of x, the minimum over the columns: between 0 and 1000. The
 * columns of a that are used must be independent. */
static inline double exact_digits(const plumb_view *a, const plumb_view *b, const bool *use, const plumb_view *x)
{
    const double enough = 120.0;
    int bottom = 0, top = 0; /* rows of very different size: their squares must not be lost */
    exact_range(a, &bottom, &top);
    exact_range(b, &bottom, &top);
    mpfr_prec_t bits = 512 + 2 * (top - bottom);
    exact_matrix low = exact_solve_with(a, b, use, bits), high = low;
    for (bool settled = false; !settled;) {
        bits *= 2;
        high = exact_solve_with(a, b, use, bits);
        settled = true;
        for (int64_t j = 0; j < b->cols; j++)
            settled = settled && exact_agreement(&high, &low, j) >= enough;
        exact_destroy(&low);
        low = high;
    }
    exact_matrix found = exact_create(x->rows, x->cols, x->parts, 3000);
    exact_load(x, &found);
    double least = 1000.0;
    for (int64_t j = 0; j < b->cols; j++)
        least = fmin(least, exact_agreement(&high, &found, j));
    exact_destroy(&high), exact_destroy(&found);
    return fmax(least, 0.0);
}

#endif
