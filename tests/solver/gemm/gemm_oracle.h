/* gemm_oracle.h - matrices that are hard for products, and the error of a product against MPFR, compared with the bound that
 * plumb.h states. */
#ifndef PLUMB_SOLVER_GEMM_GEMM_ORACLE_H
#define PLUMB_SOLVER_GEMM_GEMM_ORACLE_H

#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <string.h>

#include "base/array/view.h"
#include "base/number/random.h"
#include "plumb.h"

/* Relative to the sum of the moduli of the terms, errors of the oracle are below 2^-600. */
enum { GEMM_ORACLE_BITS = 640 };

/* What the entries of op(A) and op(B) look like. */
typedef enum gemm_kind {
    GEMM_RANDOM,    /* from -1 to 1 */
    GEMM_INTEGERS,  /* small ones */
    GEMM_ROWS,      /* rows of A and columns of B from 1e-150 to 1e150 */
    GEMM_INSIDE,    /* terms from 1e-150 to 1e150: columns of A, and rows of B the other way round */
    GEMM_ALL,       /* every entry from 1e-75 to 1e75 */
    GEMM_CANCEL,    /* the second half of the terms cancels the first up to the last bits */
    GEMM_HILBERT,   /* 1 / (i + l + 1) */
    GEMM_ZEROS,     /* rows and columns of zeros, and zeros everywhere */
    GEMM_SUBNORMAL, /* A has subnormal numbers */
    GEMM_HUGE,      /* one entry of 1e100 in every row of A and column of B */
    GEMM_EXTREME,   /* A near the largest double, B near the smallest */
    GEMM_KINDS
} gemm_kind;

static const char *const gemm_kind_names[GEMM_KINDS] = {
    "random", "integers", "rows", "inside", "all", "cancel", "hilbert", "zeros", "subnormal", "huge", "extreme"};

/* Entry (i, l) of op(view), plane 0. */
static inline double *gemm_entry(const plumb_view *v, int32_t of, int64_t matrix, int64_t i, int64_t l)
{
    const int64_t row = of & PLUMB_OPERAND_TRANSPOSE ? l : i, col = of & PLUMB_OPERAND_TRANSPOSE ? i : l;
    return v->data + (v->batch > 1 ? matrix * v->next : 0) + col * v->col + row;
}

/* Limbs of a random number of about this size: each at most half a unit of the one before. */
static inline void gemm_random(plumb_random *r, double size, int32_t prec, double *limbs)
{
    double at = size * (2.0 * plumb_random_unit(r) - 1.0);
    for (int32_t c = 0; c < prec; c++) {
        limbs[c] = at;
        int e;
        (void)frexp(at, &e);
        at = at == 0.0 ? 0.0 : ldexp(plumb_random_unit(r) - 0.5, e - 53);
    }
}

/* Fills op(view), which is the left factor or the right one. */
static inline void gemm_fill(const plumb_view *v, int32_t of, int left, gemm_kind kind, uint64_t seed)
{
    plumb_random r = plumb_random_start(seed);
    const int transposed = (of & PLUMB_OPERAND_TRANSPOSE) != 0;
    const int64_t rows = transposed ? v->cols : v->rows, cols = transposed ? v->rows : v->cols;
    const int64_t terms = left ? cols : rows, outer = left ? rows : cols;
    for (int64_t m = 0; m < v->batch; m++)
        for (int64_t o = 0; o < outer; o++)
            for (int64_t l = 0; l < terms; l++) {
                double *e = gemm_entry(v, of, m, left ? o : l, left ? l : o);
                const double grade = terms > 1 ? 300.0 * (double)l / (double)(terms - 1) - 150.0 : 0.0;
                const double outer_grade = outer > 1 ? 300.0 * (double)o / (double)(outer - 1) - 150.0 : 0.0;
                for (int32_t p = 0; p < v->parts; p++, e += v->prec * v->plane) {
                    double x[PLUMB_QD] = {0.0}, size = 1.0;
                    switch (kind) {
                    case GEMM_ROWS:
                        size = pow(10.0, outer_grade);
                        break;
                    case GEMM_INSIDE:
                        size = pow(10.0, left ? grade : -grade);
                        break;
                    case GEMM_ALL:
                        size = pow(10.0, 150.0 * plumb_random_unit(&r) - 75.0);
                        break;
                    case GEMM_SUBNORMAL:
                        size = left ? 0x1p-1060 : 1.0;
                        break;
                    case GEMM_HUGE:
                        size = l == (o * 7 + left) % terms ? 1e100 : 1.0;
                        break;
                    case GEMM_EXTREME:
                        size = left ? 0x1p900 : 0x1p-900;
                        break;
                    default:
                        break;
                    }
                    gemm_random(&r, size, v->prec, x);
                    if (kind == GEMM_INTEGERS) {
                        memset(x, 0, sizeof x);
                        x[0] = (double)plumb_random_below(&r, 2001) - 1000.0;
                    }
                    if (kind == GEMM_HILBERT && p == 0) {
                        const double d = (double)(o + l + 1);
                        double rest = 1.0; /* what the limbs so far leave of 1, exactly */
                        for (int32_t c = 0; c < v->prec; c++) {
                            x[c] = rest / d;
                            rest = fma(-x[c], d, rest);
                        }
                    }
                    if (kind == GEMM_ZEROS && (o % 3 == 0 || plumb_random_below(&r, 4) > 0))
                        memset(x, 0, sizeof x);
                    if (kind == GEMM_CANCEL && l >= (terms + 1) / 2) {
                        const int64_t twin = l - (terms + 1) / 2;
                        const double *t =
                            gemm_entry(v, of, m, left ? o : twin, left ? twin : o) + p * v->prec * v->plane;
                        for (int32_t c = 0; c < v->prec; c++)
                            x[c] = left ? -t[c * v->plane] : t[c * v->plane];
                        if (!left && plumb_random_below(&r, 2)) /* but for the last bit */
                            x[v->prec - 1] = nextafter(x[v->prec - 1], 0.0);
                    }
                    for (int32_t c = 0; c < v->prec; c++)
                        e[c * v->plane] = x[c];
                }
            }
}

static inline void gemm_get(mpfr_t to, const double *limbs, int64_t plane, int32_t prec)
{
    mpfr_set_d(to, limbs[0], MPFR_RNDN);
    for (int32_t c = 1; c < prec; c++)
        mpfr_add_d(to, to, limbs[c * plane], MPFR_RNDN);
}

/* The factor g of the bound. */
static inline double gemm_growth(int32_t prec, int32_t parts, int64_t terms)
{
    const double k = (double)terms, q = fmin(k, prec == PLUMB_D ? 256.0 : 64.0);
    const double g = prec == PLUMB_D    ? q + k / 256.0 + 4.0
                     : prec == PLUMB_DD ? (q + 3.0) * (q + 3.0) + 3.0 * k / 64.0 + 16.0
                                        : 16.0 * (q + 4.0) + 2.0 * k / 64.0 + 40.0;
    return parts == PLUMB_REAL ? g : prec == PLUMB_DD ? 4.0 * g : 2.0 * g;
}

/* The largest error of an entry of c, over g u (|alpha| |op(A)| |op(B)| + |beta| |C|) + (k + 4) 2^-1070 |alpha|. old is C before the
 * call, or NULL. */
static inline double gemm_error(const plumb_view *a, const plumb_view *b, const plumb_view *c,
                                const plumb_gemm_options *options, const plumb_view *old, double factor)
{
    const int32_t prec = c->prec, parts = c->parts;
    const int64_t terms = options->of_a & PLUMB_OPERAND_TRANSPOSE ? a->rows : a->cols;
    const int conj_a = parts == 2 && (options->of_a & PLUMB_OPERAND_CONJUGATE);
    const int conj_b = parts == 2 && (options->of_b & PLUMB_OPERAND_CONJUGATE);
    mpfr_t x[2], y[2], s[2], t[2], p, q, size, limit, alpha[2], beta[2];
    for (int k = 0; k < 2; k++) {
        mpfr_inits2(GEMM_ORACLE_BITS, x[k], y[k], s[k], t[k], alpha[k], beta[k], (mpfr_ptr)0);
        mpfr_set_zero(x[k], 1), mpfr_set_zero(y[k], 1), mpfr_set_zero(alpha[k], 1), mpfr_set_zero(beta[k], 1);
        if (options->alpha && k < parts)
            gemm_get(alpha[k], options->alpha + k * prec, 1, prec);
        if (options->beta && k < parts)
            gemm_get(beta[k], options->beta + k * prec, 1, prec);
    }
    if (!options->alpha)
        mpfr_set_d(alpha[0], 1.0, MPFR_RNDN);
    mpfr_inits2(GEMM_ORACLE_BITS, p, q, size, limit, (mpfr_ptr)0);
    const double unit = prec == PLUMB_D ? 0x1p-53 : prec == PLUMB_DD ? 0x1p-106 : 0x1p-212;
    const double g = factor * gemm_growth(prec, parts, terms);
    double worst = 0.0;
    for (int64_t m = 0; m < c->batch; m++)
        for (int64_t j = 0; j < c->cols; j++)
            for (int64_t i = 0; i < c->rows; i++) {
                mpfr_set_zero(s[0], 1), mpfr_set_zero(s[1], 1), mpfr_set_zero(size, 1);
                for (int64_t l = 0; l < terms; l++) {
                    const double *u = gemm_entry(a, options->of_a, m, i, l), *v = gemm_entry(b, options->of_b, m, l, j);
                    for (int k = 0; k < parts; k++) {
                        gemm_get(x[k], u + k * prec * a->plane, a->plane, prec);
                        gemm_get(y[k], v + k * prec * b->plane, b->plane, prec);
                    }
                    if (conj_a)
                        mpfr_neg(x[1], x[1], MPFR_RNDN);
                    if (conj_b)
                        mpfr_neg(y[1], y[1], MPFR_RNDN);
                    mpfr_fmms(p, x[0], y[0], x[1], y[1], MPFR_RNDN);
                    mpfr_add(s[0], s[0], p, MPFR_RNDN);
                    mpfr_fmma(p, x[0], y[1], x[1], y[0], MPFR_RNDN);
                    mpfr_add(s[1], s[1], p, MPFR_RNDN);
                    mpfr_hypot(p, x[0], x[1], MPFR_RNDN);
                    mpfr_hypot(q, y[0], y[1], MPFR_RNDN);
                    mpfr_fma(size, p, q, size, MPFR_RNDN);
                }
                /* alpha s + beta old */
                mpfr_fmms(t[0], alpha[0], s[0], alpha[1], s[1], MPFR_RNDN);
                mpfr_fmma(t[1], alpha[0], s[1], alpha[1], s[0], MPFR_RNDN);
                mpfr_hypot(p, alpha[0], alpha[1], MPFR_RNDN);
                mpfr_mul(size, size, p, MPFR_RNDN);
                mpfr_mul_d(limit, p, ((double)terms + 4.0) * 0x1p-1070, MPFR_RNDN);
                if (old && options->beta) {
                    const double *o = gemm_entry(old, 0, m, i, j);
                    mpfr_set_zero(x[1], 1);
                    for (int k = 0; k < parts; k++)
                        gemm_get(x[k], o + k * prec * old->plane, old->plane, prec);
                    mpfr_fmms(p, beta[0], x[0], beta[1], x[1], MPFR_RNDN);
                    mpfr_add(t[0], t[0], p, MPFR_RNDN);
                    mpfr_fmma(p, beta[0], x[1], beta[1], x[0], MPFR_RNDN);
                    mpfr_add(t[1], t[1], p, MPFR_RNDN);
                    mpfr_hypot(p, beta[0], beta[1], MPFR_RNDN);
                    mpfr_hypot(q, x[0], x[1], MPFR_RNDN);
                    mpfr_fma(size, p, q, size, MPFR_RNDN);
                    mpfr_mul_d(p, p, 0x1p-1068, MPFR_RNDN);
                    mpfr_add(limit, limit, p, MPFR_RNDN);
                }
                mpfr_mul_d(size, size, g * unit, MPFR_RNDN);
                mpfr_add(limit, limit, size, MPFR_RNDN);
                const double *e = gemm_entry(c, 0, m, i, j);
                for (int k = 0; k < parts; k++) {
                    gemm_get(p, e + k * prec * c->plane, c->plane, prec);
                    mpfr_sub(t[k], t[k], p, MPFR_RNDN);
                }
                mpfr_hypot(p, t[0], t[1], MPFR_RNDN);
                if (mpfr_nan_p(p))
                    worst = INFINITY;
                else if (!mpfr_zero_p(p)) {
                    mpfr_div(p, p, limit, MPFR_RNDN);
                    worst = fmax(worst, mpfr_get_d(p, MPFR_RNDU));
                }
            }
    for (int k = 0; k < 2; k++)
        mpfr_clears(x[k], y[k], s[k], t[k], alpha[k], beta[k], (mpfr_ptr)0);
    mpfr_clears(p, q, size, limit, (mpfr_ptr)0);
    return worst;
}

#endif
