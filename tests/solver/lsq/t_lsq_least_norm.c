/* t_lsq_least_norm.c - tests solutions of least norm, where there are fewer rows than columns: against MPFR for every
 * precision and kind, ill-conditioned and graded matrices, rows that depend on others, data and results at the ends of
 * the range of doubles. The claims of the reports are held against the truth everywhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/precision.h"
#include "base/number/random.h"
#include "base/number/round.h"
#include "lsq_problems.h"
#include "plumb.h"
#include "solver/context_test.h"

static const uint64_t seed = 19670205;

static double *entry(const plumb_view *v, int32_t c, int64_t i, int64_t j)
{
    return v->data + c * v->plane + j * v->col + i;
}

/* Random numbers with all limbs; row i as large as 2^(by_row * s), column j as 2^(by_column * s), each with an s of its own in (-1, 1). */
static void fill(const plumb_view *v, uint64_t start, double by_row, double by_column)
{
    plumb_random rng = plumb_random_start(start);
    double *row = calloc((size_t)v->rows, sizeof *row);
    for (int64_t i = 0; i < v->rows; i++)
        row[i] = by_row * (2.0 * plumb_random_unit(&rng) - 1.0);
    for (int64_t j = 0; j < v->cols; j++) {
        const double column = by_column * (2.0 * plumb_random_unit(&rng) - 1.0);
        for (int64_t i = 0; i < v->rows; i++)
            for (int32_t part = 0; part < v->parts; part++) {
                double raw[PLUMB_QD], size = ldexp(1.0, (int)(row[i] + column));
                for (int32_t c = 0; c < v->prec; c++) {
                    raw[c] = size * (2.0 * plumb_random_unit(&rng) - 1.0);
                    size *= 0x1p-53;
                }
                plumb_round_limbs(raw, v->prec, raw, v->prec);
                for (int32_t c = 0; c < v->prec; c++)
                    *entry(v, part * v->prec + c, i, j) = raw[c];
            }
    }
    free(row);
}

typedef struct outcome {
    plumb_info info;
    double right, residual; /* digits; error of the norms relative to |b| + |A| |x| */
    plumb_lsq_report report;
} outcome;

/* Solves, and holds the claim against the truth. */
static outcome solve(lsq_problem *p, const plumb_lsq_options *options)
{
    outcome o = {.info = -1};
    assert_int_equal(plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, &o.info, options, &o.report), PLUMB_OK);
    if (o.info != 0) {
        for (int64_t k = 0; k < p->x.next; k++)
            assert_true(p->x.data[k] == 0.0);
        return o;
    }
    o.right = oracle_least_norm_digits(&p->a, &p->b, &p->x);
    o.residual = oracle_residual_error(&p->a, &p->b, &p->x, &p->residual);
    if (o.report.digits > 0.0 && !(o.report.digits <= o.right + 1.0))
        fail_msg("%s, %lld x %lld: %.1f digits claimed, %.1f correct, condition %.1e", plumb_prec_name(p->a.prec),
                 (long long)p->a.rows, (long long)p->a.cols, o.report.digits, o.right, o.report.condition);
    assert_int_equal(o.report.rank, p->a.rows);
    return o;
}

/* The digits that a backward stable method has: the condition number enters once. */
static double enough_digits(const lsq_problem *p, double condition)
{
    const double size = (double)(p->a.rows + p->a.cols);
    return -log10(32.0 * size * precision_unit(p->a.prec) * condition);
}

static const struct {
    int64_t rows, cols, rhs;
} shapes[] = {{1, 2, 1},   {1, 9, 3},   {2, 3, 1},    {3, 40, 2},  {7, 8, 9},
              {12, 30, 1}, {33, 35, 2}, {40, 130, 1}, {36, 60, 17}};

static void least_norm_is_that_of_mpfr(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                if (shapes[s].rows > 20 && parts != (prec == PLUMB_DD ? PLUMB_COMPLEX : PLUMB_REAL)) /* MPFR is slow */
                    continue;
                lsq_problem p = problem_make(context, prec, parts, shapes[s].rows, shapes[s].cols, shapes[s].rhs);
                fill(&p.a, seed + s, 0, 0);
                fill(&p.b, seed + 100 + s, 0, 0);
                const outcome o = solve(&p, NULL);
                assert_int_equal(o.info, 0);
                assert_int_equal(o.report.method, PLUMB_METHOD_MGS);
                assert_string_equal(o.report.note, "");
                assert_true(o.right >= enough_digits(&p, o.report.condition));
                assert_true(o.report.digits >= enough_digits(&p, o.report.condition) - 1.0);
                assert_true(o.residual <= 32.0 * (double)shapes[s].cols * precision_unit(prec));
                problem_free(context, &p);
            }
}

/* The method is backward stable: the error grows with the condition number, and every equation holds to a small multiple of u all the
 * same. With x = Q z equations would be missed by the condition number times u, because Q is not orthogonal. */
static void least_norm_loses_the_condition_once(void **state)
{
    (void)state;
    static const double decades[] = {3.0, 7.0, 11.0};
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int k = 0; k < 3; k++) {
                lsq_problem p = problem_make(context, prec, parts, 8, 19, 2);
                plumb_view tall = problem_array(context, prec, parts, 19, 8);
                problem_matrix(&tall, decades[k] * prec, seed + (uint64_t)k);
                big_matrix t = big_of(&tall), a = big_adjoint(&t);
                big_store(&a, &p.a);
                fill(&p.b, seed + 50, 0, 0);
                const outcome o = solve(&p, NULL);
                assert_int_equal(o.info, 0);
                printf("  %s, condition %.0e: %.1f correct, %.1f claimed\n", plumb_prec_name(prec), o.report.condition,
                       o.right, o.report.digits);
                assert_true(o.right >= enough_digits(&p, o.report.condition));
                assert_true(o.residual <= 32.0 * 19 * precision_unit(prec));
                assert_true(oracle_row_residual(&p.a, &p.b, &p.x) <= 8.0 * 19 * precision_unit(prec));
                big_destroy(&t), big_destroy(&a);
                plumb_array_destroy(context, &tall);
                problem_free(context, &p);
            }
}

/* Equations of very different size, for which powers of two are exact, and unknowns of different size, which lower the condition. */
static void least_norm_of_graded_matrices(void **state)
{
    (void)state;
    static const double by_row[] = {500, 0, 300, 900}, by_column[] = {0, 20, 10, 0};
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int k = 0; k < 4; k++) {
                lsq_problem p = problem_make(context, prec, parts, 6, 15, 2);
                fill(&p.a, seed + 7 + (uint64_t)k, by_row[k], by_column[k]);
                fill(&p.b, seed + 70, by_row[k] / 2, 0);
                const outcome o = solve(&p, NULL);
                assert_int_equal(o.info, 0);
                if (k < 3) { /* at the ends of the range numbers have fewer limbs */
                    assert_true(o.right >= enough_digits(&p, o.report.condition));
                    assert_true(oracle_row_residual(&p.a, &p.b, &p.x) <= 8.0 * 15 * precision_unit(prec));
                }
                problem_free(context, &p);
            }
}

/* Numbers row after row. */
static void put_numbers(const plumb_view *v, const double *numbers, int64_t count)
{
    assert_int_equal(count, v->rows * v->cols);
    memset(v->data, 0, (size_t)v->next * sizeof(double));
    for (int64_t k = 0; k < count; k++)
        *entry(v, 0, k / v->cols, k % v->cols) = numbers[k];
}

#define PUT(view, ...) \
    put_numbers(view, (const double[]){__VA_ARGS__}, (int64_t)(sizeof(const double[]){__VA_ARGS__} / sizeof(double)))

static void dependent_rows_are_named(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        lsq_problem p = problem_make(context, prec, PLUMB_REAL, 3, 4, 1);
        PUT(&p.a, 1, 2, 3, 4, 0, 1, 1, 0, 3, 8, 11, 12); /* row 3 is 3 times row 1 and 2 times row 2 */
        PUT(&p.b, 1, 2, 7);                              /* the equations agree */
        assert_int_equal(solve(&p, NULL).info, 3);
        assert_non_null(strstr(plumb_context_message(context), "row 3 depends on those before it"));
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, NULL, NULL), PLUMB_ERR_SINGULAR);
        PUT(&p.a, 1, 2, 3, 4, 0, 0, 0, 0, 1, 1, 1, 1);
        assert_int_equal(solve(&p, NULL).info, 2);
        *entry(&p.a, 0, 2, 1) = (double)NAN; /* what is not finite is seen first */
        assert_int_equal(solve(&p, NULL).info, -PLUMB_ERR_NONFINITE);
        PUT(&p.a, 1, 2, 3, 4, 0, 0, 0, 0, 1, 1, 1, 1);
        *entry(&p.b, 0, 1, 0) = -(double)INFINITY;
        assert_int_equal(solve(&p, NULL).info, -PLUMB_ERR_NONFINITE);
        assert_non_null(strstr(plumb_context_message(context), "entry (2, 1) of b is not finite"));
        problem_free(context, &p);
    }
}

/* Rows that are sums of others up to rounding are named. Where rows differ in size, the sum is rounded by more than small rows allow, and
 * the matrix need not be dependent; then at least no digit is claimed. */
static void nearly_dependent_rows_promise_nothing(void **state)
{
    (void)state;
    int named = 0, doubted = 0;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (uint64_t k = 0; k < 40; k++) {
                const int64_t m = 3 + (int64_t)(k % 5), n = m + 1 + (int64_t)(k % 7), last = (int64_t)k % m;
                lsq_problem p = problem_make(context, prec, parts, m, n, 1);
                fill(&p.a, seed + 300 + k, k % 3 == 0 ? 40.0 : 0.0, 0);
                fill(&p.b, seed + 400 + k, 0, 0);
                plumb_view row = p.a, sum = p.a; /* the last row becomes the sum of the others, each rounded */
                row.rows = sum.rows = 1;
                sum.data += last;
                for (int32_t c = 0; c < prec * parts; c++)
                    for (int64_t j = 0; j < n; j++)
                        *entry(&p.a, c, last, j) = 0.0;
                plumb_view old = problem_array(context, prec, parts, 1, n);
                for (int64_t i = 0; i < m; i++) {
                    row.data = p.a.data + i;
                    if (i == last)
                        continue;
                    assert_int_equal(plumb_copy(context, &sum, &old, NULL), PLUMB_OK);
                    assert_int_equal(plumb_map(context, PLUMB_OP_ADD, &old, &row, NULL, &sum, NULL), PLUMB_OK);
                }
                const outcome o = solve(&p, NULL);
                assert_true(o.info > 0 || (k % 3 == 0 && o.info == 0 && o.report.digits <= 1.0));
                *(o.info > 0 ? &named : &doubted) += 1;
                plumb_array_destroy(context, &old);
                problem_free(context, &p);
            }
    printf("  %d times a row was named, %d times no digit was claimed\n", named, doubted);
}

static void ends_of_the_range(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        lsq_problem p = problem_make(context, prec, PLUMB_REAL, 2, 3, 1);
        PUT(&p.a, 1e-200, 0, 1e-200, 0, 1, 0);
        PUT(&p.b, 1e200, 1);
        assert_int_equal(solve(&p, NULL).info, -PLUMB_ERR_RANGE);
        PUT(&p.a, 1e300, 1e300, 1e300, 1e308, 0, -1e308); /* products overflow, and x = (1, 1, 1) */
        PUT(&p.b, 0, 0);
        for (int64_t j = 0; j < 3; j++)
            *entry(&p.b, 0, 0, 0) += 1e300;
        outcome o = solve(&p, NULL);
        assert_int_equal(o.info, 0);
        assert_true(fabs(p.x.data[0] - 1.0) < 1e-14 && fabs(p.x.data[1] - 1.0) < 1e-14 && o.report.digits >= 14.0);
        PUT(&p.a, 3e280, 0, 1e280, 0, 3e280, 0);
        PUT(&p.b, 1e-40, 0); /* x = (3e-321, 0, 1e-321) */
        o = solve(&p, NULL);
        assert_int_equal(o.info, 0);
        assert_true(o.report.digits <= 4.0);
        PUT(&p.b, 1e-100, 0); /* nothing is left of x */
        assert_true(solve(&p, NULL).report.digits == 0.0);
        PUT(&p.b, 0, 0);
        o = solve(&p, NULL);
        assert_true(o.report.digits >= 15.0 * prec && p.residual.data[0] == 0.0);
        PUT(&p.a, 3e-310, 1e-310, 0, 0, 1, 1); /* subnormal numbers are exact, but were rounded by many a reader */
        PUT(&p.b, 1e-310, 1);
        assert_int_equal(solve(&p, NULL).info, 0);
        problem_free(context, &p);
    }
}

static void options_of_least_norm(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        lsq_problem p = problem_make(context, prec, PLUMB_COMPLEX, 5, 12, 2);
        plumb_lsq_options options;
        plumb_lsq_options_init(&options);
        fill(&p.a, seed + 1, 0, 0);
        fill(&p.b, seed + 2, 0, 0);
        const outcome plain = solve(&p, &options);
        options.rounded = PLUMB_ROUNDED_DATA;
        assert_true(solve(&p, &options).report.digits < plain.report.digits - 0.1);
        options.rounded = PLUMB_ROUNDED_NONE;
        options.reorthogonalize = options.orthogonality = 1;
        const outcome twice = solve(&p, &options);
        assert_true(twice.right >= enough_digits(&p, twice.report.condition));
        assert_true(twice.report.orthogonality <= 100.0 * precision_unit(prec));
        options.reorthogonalize = options.orthogonality = 0;
        options.method = PLUMB_METHOD_REFINED;
        const outcome refined = solve(&p, &options);
        if (prec == PLUMB_D) {
            assert_int_equal(refined.report.method, PLUMB_METHOD_MGS);
            assert_non_null(strstr(refined.report.note, "no lower precision"));
        } else {
            assert_int_equal(refined.report.method, PLUMB_METHOD_REFINED);
            assert_int_equal(refined.report.factor_prec, PLUMB_D);
        }
        options.method = PLUMB_METHOD_LU;
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, &options, NULL), PLUMB_ERR_ARGUMENT);
        options.method = PLUMB_METHOD_MGS;
        options.pivot = 1;
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, &options, NULL), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "pivoting needs at least as many rows"));
        problem_free(context, &p);
    }
}

/* Refinement is as accurate as a factor in the precision of x, for all condition numbers for which it is used; for others it falls back. */
static void refined_least_norm(void **state)
{
    (void)state;
    static const double decades[] = {0.0, 3.0, 6.0, 8.5, 12.0, 20.0};
    int refined = 0, others = 0;
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    for (int32_t prec = PLUMB_DD; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int k = 0; k < 12; k++) {
                const int64_t m = 5 + k % 4, n = m + 1 + 3 * (k % 5);
                lsq_problem p = problem_make(context, prec, parts, m, n, 2);
                plumb_view tall = problem_array(context, prec, parts, n, m);
                problem_matrix(&tall, decades[k % 6], seed + (uint64_t)k);
                big_matrix t = big_of(&tall), a = big_adjoint(&t);
                big_store(&a, &p.a);
                fill(&p.b, seed + 60 + (uint64_t)k, 0, 0);
                for (int64_t i = 0; i < m && k >= 6; i++) /* rows of very different size */
                    for (int32_t c = 0; c < prec * parts; c++) {
                        for (int64_t j = 0; j < n; j++)
                            *entry(&p.a, c, i, j) *= ldexp(1.0, (int)(70 * (i % 3)));
                        *entry(&p.b, c, i, 0) *= ldexp(1.0, (int)(70 * (i % 3)));
                    }
                const outcome o = solve(&p, &options);
                assert_int_equal(o.info, 0);
                assert_true(o.right >= enough_digits(&p, o.report.condition));
                assert_true(o.residual <= 32.0 * (double)n * precision_unit(prec));
                *(o.report.method == PLUMB_METHOD_REFINED ? &refined : &others) += 1;
                big_destroy(&t), big_destroy(&a);
                plumb_array_destroy(context, &tall);
                problem_free(context, &p);
            }
    printf("  %d refined, %d not\n", refined, others);
    assert_true(refined >= 32 && others >= 4);
}

static void lowest_precision_of_least_norm(void **state)
{
    (void)state;
    lsq_problem p = problem_make(context, PLUMB_QD, PLUMB_REAL, 6, 10, 1);
    plumb_view doubles = problem_array(context, PLUMB_D, PLUMB_REAL, 6, 10),
               sides = problem_array(context, PLUMB_D, PLUMB_REAL, 6, 1);
    fill(&doubles, seed + 3, 0, 0);
    fill(&sides, seed + 4, 0, 0);
    assert_int_equal(plumb_copy(context, &doubles, &p.a, NULL), PLUMB_OK);
    assert_int_equal(plumb_copy(context, &sides, &p.b, NULL), PLUMB_OK);
    static const int32_t precs[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    static const double wanted[] = {10, 25, 55};
    for (int k = 0; k < 3; k++) {
        plumb_lsq_report report;
        plumb_info info;
        assert_int_equal(plumb_lsq_auto(context, &p.a, &p.b, &p.x, &p.residual, &info, wanted[k], NULL, &report),
                         PLUMB_OK);
        assert_int_equal(info, 0);
        assert_int_equal(report.factor_prec, precs[k]);
        assert_true(report.digits >= wanted[k] && report.digits <= oracle_least_norm_digits(&p.a, &p.b, &p.x) + 1.0);
    }
    plumb_array_destroy(context, &doubles);
    plumb_array_destroy(context, &sides);
    problem_free(context, &p);
}

/* Claims of many small problems of all kinds. */
static void claims_are_no_higher_than_the_truth(void **state)
{
    (void)state;
    plumb_random rng = plumb_random_start(seed);
    double caution = 0.0;
    int count = 0;
    for (int k = 0; k < 600; k++) {
        const int32_t prec = 1 << plumb_random_below(&rng, 3), parts = 1 + (int32_t)plumb_random_below(&rng, 2);
        const int64_t m = 1 + (int64_t)plumb_random_below(&rng, 5), n = m + 1 + (int64_t)plumb_random_below(&rng, 6);
        lsq_problem p = problem_make(context, prec, parts, m, n, 1);
        const double by_row = plumb_random_below(&rng, 3) ? 0.0 : 100.0 * plumb_random_unit(&rng),
                     by_column = plumb_random_below(&rng, 3) ? 0.0 : 60.0 * plumb_random_unit(&rng);
        fill(&p.a, seed + 1000 + (uint64_t)k, by_row, by_column);
        fill(&p.b, seed + 5000 + (uint64_t)k, by_row, 0);
        for (int64_t j = 0; m > 1 && plumb_random_below(&rng, 2) && j < n; j++) /* a row close to another one */
            for (int32_t c = 0; c < prec * parts; c++)
                *entry(&p.a, c, m - 1, j) =
                    *entry(&p.a, c, 0, j) + (c % prec ? 0.0 : *entry(&p.a, c, m - 1, j) * 0x1p-20);
        plumb_lsq_options options;
        plumb_lsq_options_init(&options);
        options.method = k % 2 ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
        const outcome o = solve(&p, &options);
        if (o.info == 0 && o.right < 900.0)
            caution += o.right - o.report.digits, count++;
        problem_free(context, &p);
    }
    printf("  %d problems, %.1f digits more than claimed on average\n", count, caution / count);
    assert_true(count > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_norm_is_that_of_mpfr),
        cmocka_unit_test(least_norm_loses_the_condition_once),
        cmocka_unit_test(least_norm_of_graded_matrices),
        cmocka_unit_test(dependent_rows_are_named),
        cmocka_unit_test(nearly_dependent_rows_promise_nothing),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(options_of_least_norm),
        cmocka_unit_test(refined_least_norm),
        cmocka_unit_test(lowest_precision_of_least_norm),
        cmocka_unit_test(claims_are_no_higher_than_the_truth),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
