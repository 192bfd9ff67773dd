/* triangle_cases.h - triangular systems and Hermitian matrices for tests, and their errors over the bounds that plumb.h states. */
#ifndef PLUMB_SOLVER_GEMM_TRIANGLE_CASES_H
#define PLUMB_SOLVER_GEMM_TRIANGLE_CASES_H

#include "gemm_oracle.h"

/* How much larger than that of a product the factor g of a system is. */
static inline double triangle_factor(int64_t n)
{
    double levels = 0.0;
    for (int64_t k = 32; k < n; k *= 2)
        levels += 1.0;
    return 2.0 + levels;
}

/* Writes a value, or clears, where the triangle is not read. */
static inline void triangle_rest(const plumb_view *t, int32_t triangle, int32_t unit, double off, double diagonal)
{
    for (int64_t m = 0; m < t->batch; m++)
        for (int64_t j = 0; j < t->cols; j++)
            for (int64_t i = 0; i < t->rows; i++)
                for (int32_t c = 0; c < t->prec * t->parts; c++) {
                    double *e = gemm_entry(t, 0, m, i, j) + c * t->plane;
                    if (i == j && unit)
                        *e = isnan(diagonal) || c == 0 ? diagonal : 0.0;
                    else if (triangle == PLUMB_LOWER ? i < j : i > j)
                        *e = off;
                }
}

/* The error of X, as a share of the bound. t has zeros, and units, where it is not read. */
static inline double triangle_error(const plumb_view *t, const plumb_view *x, const plumb_view *b,
                                    const plumb_triangle_options *options)
{
    plumb_gemm_options product;
    plumb_gemm_options_init(&product);
    const double factor = triangle_factor(t->rows);
    if (options->side == PLUMB_SIDE_LEFT) {
        product.of_a = options->of_t;
        return gemm_error(t, x, b, &product, NULL, factor);
    }
    product.of_b = options->of_t;
    return gemm_error(x, t, b, &product, NULL, factor);
}

/* The error of a Cholesky factor, likewise. */
static inline double cholesky_error(const plumb_view *a, const plumb_view *factor, int32_t triangle)
{
    plumb_gemm_options product;
    plumb_gemm_options_init(&product);
    if (triangle == PLUMB_LOWER)
        product.of_b = PLUMB_OPERAND_ADJOINT;
    else
        product.of_a = PLUMB_OPERAND_ADJOINT;
    return gemm_error(factor, factor, a, &product, NULL, 2.0 * triangle_factor(a->rows));
}

/* Hermitian matrices that are positive definite: G G^H (random), rows and columns scaled from 1e-75 to 1e75 (rows), or 1 / (i + j + 1)
 * (hilbert), rounded to the precision. g is an array of the same shape that is overwritten. */
static inline void hermitian_fill(plumb_context *where, const plumb_view *a, plumb_view *g, gemm_kind kind,
                                  uint64_t seed)
{
    gemm_fill(g, 0, 1, kind == GEMM_HILBERT ? GEMM_HILBERT : GEMM_RANDOM, seed);
    plumb_gemm_options options;
    plumb_gemm_options_init(&options);
    options.of_b = PLUMB_OPERAND_ADJOINT;
    plumb_view to = *a;
    if (kind != GEMM_HILBERT && plumb_gemm(where, g, g, &to, &options, NULL) != PLUMB_OK)
        return;
    for (int64_t m = 0; m < a->batch; m++)
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t i = j; i < a->rows; i++)
                for (int32_t c = 0; c < a->prec * a->parts; c++) {
                    double *e = gemm_entry(a, 0, m, i, j) + c * a->plane;
                    const int imaginary = c >= a->prec;
                    if (kind == GEMM_HILBERT) /* real, so that it is positive definite */
                        *e = imaginary ? 0.0 : gemm_entry(g, 0, m, i, j)[c * g->plane];
                    if (kind == GEMM_ROWS)
                        *e *= ldexp(1.0, (int)(i * 400 / a->rows + j * 400 / a->rows) - 400);
                    if (imaginary && i == j)
                        *e = 0.0;
                    gemm_entry(a, 0, m, j, i)[c * a->plane] = imaginary ? 0.0 - *e : *e;
                }
}

#endif
