/* lsq_problems.h - least-squares problems with prescribed singular values, made by MPFR and rounded to the precision of the
 * views: A = H ... H D H ... H with random reflections H, singular values from 1 down to 1 / condition; b = A x + s e with x of
 * random entries, e random, so that s sets the size of the residual when there are more rows than columns. */
#ifndef PLUMB_SOLVER_LSQ_LSQ_PROBLEMS_H
#define PLUMB_SOLVER_LSQ_LSQ_PROBLEMS_H

#include "base/number/random.h"
#include "lsq_oracle.h"

static inline plumb_view problem_array(plumb_context *on, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    plumb_view view;
    if (plumb_array_create(on, PLUMB_HOST, prec, parts, rows, cols, 1, &view) != PLUMB_OK)
        abort();
    return view;
}

typedef struct lsq_problem {
    plumb_view a, b, x, residual;
} lsq_problem;

static inline lsq_problem problem_make(plumb_context *on, int32_t prec, int32_t parts, int64_t m, int64_t n,
                                       int64_t rhs)
{
    return (lsq_problem){problem_array(on, prec, parts, m, n), problem_array(on, prec, parts, m, rhs),
                         problem_array(on, prec, parts, n, rhs), problem_array(on, prec, PLUMB_REAL, 1, rhs)};
}

static inline void problem_free(plumb_context *on, lsq_problem *p)
{
    plumb_array_destroy(on, &p->a);
    plumb_array_destroy(on, &p->b);
    plumb_array_destroy(on, &p->x);
    plumb_array_destroy(on, &p->residual);
}

static inline void big_store(const big_matrix *from, const plumb_view *to)
{
    mpfr_t rest;
    mpfr_init2(rest, LSQ_ORACLE_BITS);
    for (int64_t k = 0; k < from->rows * from->cols; k++)
        for (int32_t part = 0; part < to->parts; part++) {
            mpfr_set(rest, part ? from->im[k] : from->re[k], MPFR_RNDN);
            for (int32_t c = 0; c < to->prec; c++) {
                double limb = mpfr_get_d(rest, MPFR_RNDN);
                to->data[(part * to->prec + c) * to->plane + k / from->rows * to->col + k % from->rows] = limb;
                mpfr_sub_d(rest, rest, limb, MPFR_RNDN);
            }
        }
    mpfr_clear(rest);
}

static inline void big_random(big_matrix *a, int32_t parts, plumb_random *rng)
{
    for (int64_t k = 0; k < a->rows * a->cols; k++) {
        mpfr_set_d(a->re[k], 2.0 * plumb_random_unit(rng) - 1.0, MPFR_RNDN);
        if (parts == PLUMB_COMPLEX)
            mpfr_set_d(a->im[k], 2.0 * plumb_random_unit(rng) - 1.0, MPFR_RNDN);
    }
}

/* a -= 2 v (v^H a) / (v^H v) */
static inline void big_reflect(big_matrix *a, int32_t parts, plumb_random *rng)
{
    big_matrix v = big_create(a->rows, 1);
    big_random(&v, parts, rng);
    big_matrix square = big_gram(&v, &v), along = big_gram(&v, a);
    for (int64_t j = 0; j < a->cols; j++) {
        mpfr_div(along.re[j], along.re[j], square.re[0], MPFR_RNDN);
        mpfr_div(along.im[j], along.im[j], square.re[0], MPFR_RNDN);
        mpfr_mul_si(along.re[j], along.re[j], 2, MPFR_RNDN);
        mpfr_mul_si(along.im[j], along.im[j], 2, MPFR_RNDN);
        for (int64_t i = 0; i < a->rows; i++)
            big_add_product(a->re[j * a->rows + i], a->im[j * a->rows + i], v.re[i], v.im[i], along.re[j], along.im[j],
                            0, 1);
    }
    big_destroy(&v), big_destroy(&square), big_destroy(&along);
}

static inline void problem_matrix(const plumb_view *a, double log10_condition, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    big_matrix d = big_create(a->cols, a->rows);
    for (int64_t k = 0; k < a->cols; k++) {
        mpfr_set_d(d.re[k * a->cols + k], a->cols > 1 ? -log10_condition * (double)k / (double)(a->cols - 1) : 0.0,
                   MPFR_RNDN);
        mpfr_exp10(d.re[k * a->cols + k], d.re[k * a->cols + k], MPFR_RNDN);
    }
    for (int k = 0; k < 3; k++)
        big_reflect(&d, a->parts, &rng);
    big_matrix whole = big_adjoint(&d);
    for (int k = 0; k < 3; k++)
        big_reflect(&whole, a->parts, &rng);
    big_store(&whole, a);
    big_destroy(&d), big_destroy(&whole);
}

/* For the a given. */
static inline void problem_right_side(const plumb_view *a, const plumb_view *b, double residual, uint64_t start)
{
    plumb_random rng = plumb_random_start(start + 1000);
    big_matrix A = big_of(a), t = big_adjoint(&A), x = big_create(a->cols, b->cols), e = big_create(a->rows, b->cols);
    big_random(&x, a->parts, &rng);
    big_random(&e, a->parts, &rng);
    big_matrix sum = big_gram(&t, &x); /* (A^H)^H x */
    for (int64_t k = 0; k < b->rows * b->cols; k++) {
        mpfr_mul_d(e.re[k], e.re[k], residual, MPFR_RNDN);
        mpfr_mul_d(e.im[k], e.im[k], residual, MPFR_RNDN);
        mpfr_add(sum.re[k], sum.re[k], e.re[k], MPFR_RNDN);
        mpfr_add(sum.im[k], sum.im[k], e.im[k], MPFR_RNDN);
    }
    big_store(&sum, b);
    big_destroy(&A), big_destroy(&t), big_destroy(&x), big_destroy(&e), big_destroy(&sum);
}

#endif
