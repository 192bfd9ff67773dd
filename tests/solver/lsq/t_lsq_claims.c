/* t_lsq_claims.c - cases in which a report of least squares could claim digits that are not correct: underflow of data and results,
 * refinements that stop by luck, factors that are noise, rows of very different size, singular data. The campaign claims_lsq searches
 * for more; the truth is that of exact_lsq.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "campaigns/exact_lsq.h"
#include "lsq_problems.h"
#include "plumb.h"
#include "solver/context_test.h"

static void put_text(const plumb_view *view, int64_t i, int64_t j, const char *text)
{
    double limbs[PLUMB_QD];
    assert_int_equal(plumb_number_read(text, strlen(text), view->prec, limbs, NULL, NULL), PLUMB_OK);
    for (int32_t c = 0; c < view->prec; c++)
        view->data[c * view->plane + j * view->col + i] = limbs[c];
}

typedef struct outcome {
    double claimed, right, condition;
    plumb_info info;
} outcome;

/* Solves and compares; right is that for the data as given, 0 if they have no solution. */
static outcome solve(lsq_problem *p, int32_t method, int32_t factor_prec)
{
    plumb_lsq_options options;
    plumb_lsq_report report;
    outcome o = {.info = -1};
    plumb_lsq_options_init(&options);
    options.method = method;
    options.factor_prec = factor_prec;
    assert_int_equal(plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, &o.info, &options, &report), PLUMB_OK);
    o.claimed = report.digits;
    o.condition = report.condition;
    if (o.info == 0)
        o.right = exact_independent(&p->a, NULL) ? exact_digits(&p->a, &p->b, NULL, &p->x) : 0.0;
    printf("  %s: info %lld, %.1f claimed, %.1f correct, condition %.1e\n", plumb_prec_name(p->a.prec),
           (long long)o.info, o.claimed, o.right, o.condition);
    assert_true(o.info != 0 || o.claimed <= o.right + 1.0);
    return o;
}

static const int32_t methods[] = {PLUMB_METHOD_MGS, PLUMB_METHOD_REFINED, PLUMB_METHOD_LU};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void results_that_underflow_lower_the_claim(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < METHODS; k++) {
            lsq_problem p = problem_make(context, prec, PLUMB_REAL, 1, 1, 1);
            put_text(&p.a, 0, 0, "3e280");
            put_text(&p.b, 0, 0, "1e-40");
            const outcome o = solve(&p, methods[k], 0);
            assert_int_equal(o.info, 0);
            assert_true(o.claimed <= 4.0);  /* x = 3.3e-321 has three digits */
            put_text(&p.b, 0, 0, "1e-100"); /* nothing is left of x */
            assert_true(solve(&p, methods[k], 0).claimed == 0.0);
            put_text(&p.b, 0, 0, "0");
            assert_true(solve(&p, methods[k], 0).claimed >= 15.0 * prec);
            problem_free(context, &p);
        }
}

/* 1e-290 has 35 digits in qd, and its reader has rounded it: the truth is that of the decimal. */
static void data_that_underflow_lower_the_claim(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        lsq_problem p = problem_make(context, PLUMB_QD, PLUMB_REAL, 1, 1, 1);
        put_text(&p.a, 0, 0, "1e-290");
        put_text(&p.b, 0, 0, "1");
        const outcome o = solve(&p, methods[k], 0);
        mpfr_t truth, x;
        mpfr_inits2(2000, truth, x, (mpfr_ptr)0);
        mpfr_set_str(truth, "1e290", 10, MPFR_RNDN);
        mpfr_set_zero(x, 1);
        for (int c = 3; c >= 0; c--)
            mpfr_add_d(x, x, p.x.data[c * p.x.plane], MPFR_RNDN);
        mpfr_sub(x, x, truth, MPFR_RNDN);
        mpfr_div(x, x, truth, MPFR_RNDN);
        const double right = -log10(fabs(mpfr_get_d(x, MPFR_RNDN)));
        printf("  1e-290 as a decimal: %.1f claimed, %.1f correct\n", o.claimed, right);
        assert_true(o.claimed <= right + 1.0 && o.claimed >= right - 3.0);
        mpfr_clears(truth, x, (mpfr_ptr)0);
        problem_free(context, &p);
    }
}

/* The second correction is 1e-34 of the first, because the first happens to be exact; it has the digits of a double. */
static void refinement_does_not_stop_by_luck(void **state)
{
    (void)state;
    const int32_t factors[] = {0, PLUMB_D, PLUMB_DD};
    for (int k = 0; k < 3; k++)
        for (int64_t m = 1; m <= 2; m++) {
            lsq_problem p = problem_make(context, PLUMB_QD, PLUMB_REAL, m, 1, 1);
            put_text(&p.a, 0, 0, "3");
            put_text(&p.b, 0, 0, "6.0000000000000000000000000000000007");
            const outcome o = solve(&p, PLUMB_METHOD_REFINED, factors[k]);
            assert_int_equal(o.info, 0);
            assert_true(o.right >= 62.0 && o.claimed >= 61.0);
            problem_free(context, &p);
        }
}

/* Condition numbers around 1/u, where a factor is as good as noise. */
static void factors_that_are_noise_claim_nothing(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < METHODS; k++)
            for (uint64_t seed = 1; seed <= 5; seed++)
                for (int halves = -3; halves <= 4; halves++) {
                    lsq_problem p = problem_make(context, prec, PLUMB_REAL, 4, 4, 1);
                    problem_matrix(&p.a, 15.95 * prec + 0.5 * halves, seed);
                    problem_right_side(&p.a, &p.b, 0.0, seed);
                    solve(&p, methods[k], 0);
                    if (methods[k] == PLUMB_METHOD_REFINED && prec == PLUMB_QD)
                        solve(&p, methods[k], PLUMB_D);
                    problem_free(context, &p);
                }
}

static void integers_without_a_solution_claim_nothing(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < METHODS; k++)
            for (int64_t n = 3; n <= 12; n++) { /* entries 1, 2, 3, ... by rows: of rank 2 */
                lsq_problem p = problem_make(context, prec, PLUMB_REAL, n, n, 1);
                for (int64_t i = 0; i < n; i++) {
                    for (int64_t j = 0; j < n; j++)
                        p.a.data[j * p.a.col + i] = (double)(i * n + j + 1);
                    p.b.data[i] = (double)(i % 3);
                }
                const outcome o = solve(&p, methods[k], 0);
                assert_true(o.info != 0 || o.claimed < 1.0);
                problem_free(context, &p);
            }
}

/* Elimination scales rows: equations 300 decades apart have the digits of equations of one size, and the claim knows. */
static void rows_may_differ_by_300_decades(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int decades = 0; decades <= 600; decades += 75) {
            lsq_problem p = problem_make(context, prec, PLUMB_REAL, 3, 3, 1);
            plumb_random rng = plumb_random_start(3);
            for (int64_t i = 0; i < 3; i++) {
                const double power =
                    pow(10.0, decades <= 300 ? -decades * (double)i / 2.0 : 300.0 - decades * (double)i / 2.0);
                for (int64_t j = 0; j < 3; j++)
                    p.a.data[j * p.a.col + i] = (plumb_random_unit(&rng) - 0.5) * power;
                p.b.data[i] = (plumb_random_unit(&rng) - 0.5) * power;
            }
            const outcome o = solve(&p, PLUMB_METHOD_LU, 0);
            assert_int_equal(o.info, 0);
            assert_true(o.right >= 15.0 * prec - 3.0 && o.claimed >= 15.0 * prec - 4.0);
            problem_free(context, &p);
        }
}

/* Rounding errors could make the entry of the small column larger than the other one, but there are none, and the exact residual
 * shows it. Data that were rounded promise nothing here. */
static void small_errors_are_found_by_the_residual(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < 2; k++)
            for (int64_t m = 2; m <= 4; m++) {
                lsq_problem p = problem_make(context, prec, PLUMB_REAL, m, 2, 1);
                for (int64_t i = 0; i < m; i++) {
                    p.a.data[i] = i == 0 ? 2.0 : 0.0;
                    p.a.data[p.a.col + i] = (double)(3 * i + 1) * 1e-90;
                    p.b.data[i] = 5.0 * p.a.data[i];
                }
                const outcome o = solve(&p, methods[k], 0);
                assert_int_equal(o.info, 0);
                assert_true(o.right == 1000.0 && o.claimed >= 15.0 * prec);
                plumb_lsq_options options;
                plumb_lsq_report report;
                plumb_lsq_options_init(&options);
                options.method = methods[k];
                options.rounded = 1;
                plumb_info info = 0;
                assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, &info, &options, &report), PLUMB_OK);
                assert_true(report.digits < 1.0);
                problem_free(context, &p);
            }
}

/* A residual of zero says nothing if the columns are dependent: x + y = 2 has more than one solution. */
static void residuals_of_singular_data_claim_nothing(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < METHODS; k++)
            for (int64_t n = 2; n <= 9; n++)
                for (uint64_t seed = 1; seed <= 20; seed++) {
                    lsq_problem p = problem_make(context, prec, PLUMB_REAL, n, n, 1);
                    plumb_random rng = plumb_random_start(seed);
                    for (int64_t i = 0; i < n; i++) {
                        double last = 0.0, sum = 0.0;
                        for (int64_t j = 0; j + 1 < n; j++) {
                            const double entry = (double)plumb_random_below(&rng, 2001) - 1000.0;
                            p.a.data[j * p.a.col + i] = entry;
                            last += (double)(j % 3 + 1) * entry;
                            sum += (double)(j + 1) * entry;
                        }
                        p.a.data[(n - 1) * p.a.col + i] = last;
                        p.b.data[i] = sum;
                    }
                    const outcome o = solve(&p, methods[k], 0);
                    assert_true(o.info != 0 || o.claimed < 1.0);
                    problem_free(context, &p);
                }
}

/* Refinement with a factor that is noise may converge, but nothing can be said about its result: the factor of full precision takes its
 * place, and claims what it has. */
static void noise_is_not_refined(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        lsq_problem p = problem_make(context, PLUMB_QD, PLUMB_REAL, 4, 4, 1);
        problem_matrix(&p.a, 15.5, seed);
        problem_right_side(&p.a, &p.b, 0.0, seed);
        const outcome o = solve(&p, PLUMB_METHOD_REFINED, PLUMB_D);
        assert_int_equal(o.info, 0);
        assert_true(o.claimed >= 40.0);
        problem_free(context, &p);
    }
}

/* Solves with pivoting. */
static plumb_lsq_report solve_by_rank(lsq_problem *p, int32_t rounded)
{
    plumb_lsq_options options;
    plumb_lsq_report report;
    plumb_info info = -1;
    plumb_lsq_options_init(&options);
    options.pivot = 1;
    options.rounded = rounded;
    assert_int_equal(plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, &info, &options, &report), PLUMB_OK);
    assert_int_equal(info, 0);
    return report;
}

/* Integers in rows or columns of very different size: exactly regular, and numerically of a lower rank if rows are. */
static void make_graded(lsq_problem *p, bool rows, uint64_t seed)
{
    plumb_random rng = plumb_random_start(seed);
    const int spread = 60 * p->a.prec;
    for (int64_t i = 0; i < p->a.rows; i++) {
        for (int64_t j = 0; j < p->a.cols; j++)
            for (int32_t part = 0; part < p->a.parts; part++)
                p->a.data[part * p->a.prec * p->a.plane + j * p->a.col + i] =
                    ldexp((double)plumb_random_below(&rng, 2001) - 1000.0, -spread * (int)(rows ? i : j));
        for (int32_t part = 0; part < p->a.parts; part++)
            p->b.data[part * p->b.prec * p->b.plane + i] =
                ldexp((double)plumb_random_below(&rng, 2001) - 1000.0, rows ? -spread * (int)i : 0);
    }
}

/* The solution of a lower rank has no digit of the solution of the given problem, whatever the residual is. */
static void ranks_by_rounding_claim_nothing(void **state)
{
    (void)state;
    int64_t lower = 0;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int64_t n = 2; n <= 5; n++)
                for (uint64_t seed = 1; seed <= 6; seed++) {
                    lsq_problem p = problem_make(context, prec, parts, n + (int64_t)(seed % 2), n, 1);
                    make_graded(&p, seed % 3 > 0, seed);
                    const plumb_lsq_report report = solve_by_rank(&p, 0);
                    const double right = exact_independent(&p.a, NULL) ? exact_digits(&p.a, &p.b, NULL, &p.x) : 0.0;
                    if (report.digits > right + 1.0)
                        printf("  %s, %d parts, %lld columns, seed %llu: rank %lld, %.1f claimed, %.1f correct\n",
                               plumb_prec_name(prec), (int)parts, (long long)n, (unsigned long long)seed,
                               (long long)report.rank, report.digits, right);
                    assert_true(report.digits <= right + 1.0);
                    assert_true((report.rank < n) == (report.note[0] != '\0'));
                    lower += report.rank < n;
                    problem_free(context, &p);
                }
    printf("  %lld of 144 have a lower rank numerically\n", (long long)lower);
    assert_true(lower >= 60);
}

/* [1e20 1e20; 1 2] x = [1e20; 3] has the solution (-1, 2); of rank 1 it would be (1, 0). The determinants of the others are
 * 2^200 times 2^61 - 1, a prime, and 2^62 - 1. */
static void rows_of_different_size_are_no_dependence(void **state)
{
    (void)state;
    const double cases[][6] = {{1e20, 1.0, 1e20, 2.0, 1e20, 3.0},
                               {0x1p200, 1.0, 0x1p200, 0x1p61, 0x1p200, 3.0},
                               {0x1p200, 1.0, 0x1p200, 0x1p62, 0x1p200, 3.0}};
    for (int k = 0; k < 3; k++) {
        lsq_problem p = problem_make(context, PLUMB_D, PLUMB_REAL, 2, 2, 1);
        for (int64_t i = 0; i < 2; i++) {
            p.a.data[i] = cases[k][i];
            p.a.data[p.a.col + i] = cases[k][2 + i];
            p.b.data[i] = cases[k][4 + i];
        }
        const plumb_lsq_report report = solve_by_rank(&p, 0);
        assert_int_equal(report.rank, 1);
        assert_true(report.digits == 0.0 && strstr(report.note, "rank") != NULL);
        problem_free(context, &p);
    }
}

/* Columns that depend exactly have a basic solution with digits, also if right-hand sides were rounded; a matrix that was rounded
 * may have had another rank. */
static void exact_dependence_keeps_its_digits(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            lsq_problem p = problem_make(context, prec, parts, 7, 4, 1);
            plumb_random rng = plumb_random_start(11);
            for (int64_t i = 0; i < 7; i++)
                for (int32_t part = 0; part < parts; part++) {
                    double *row = p.a.data + part * prec * p.a.plane + i;
                    row[0] = (double)plumb_random_below(&rng, 201) - 100.0;
                    row[p.a.col] = (double)plumb_random_below(&rng, 201) - 100.0;
                    row[2 * p.a.col] = 3.0 * row[0] - 5.0 * row[p.a.col];
                    row[3 * p.a.col] = 0.25 * row[p.a.col];
                    p.b.data[part * prec * p.b.plane + i] = (double)plumb_random_below(&rng, 201) - 100.0;
                }
            const plumb_lsq_report exact = solve_by_rank(&p, 0), sides = solve_by_rank(&p, PLUMB_ROUNDED_SIDES),
                                   all = solve_by_rank(&p, PLUMB_ROUNDED_DATA);
            assert_int_equal(exact.rank, 2);
            assert_true(exact.digits >= 14.0 * prec && exact.note[0] == '\0');
            assert_true(sides.digits >= 14.0 * prec - 1.0 && sides.digits < exact.digits);
            assert_true(all.digits == 0.0 && strstr(all.note, "rounded") != NULL);
            problem_free(context, &p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_that_underflow_lower_the_claim),
        cmocka_unit_test(data_that_underflow_lower_the_claim),
        cmocka_unit_test(refinement_does_not_stop_by_luck),
        cmocka_unit_test(factors_that_are_noise_claim_nothing),
        cmocka_unit_test(integers_without_a_solution_claim_nothing),
        cmocka_unit_test(rows_may_differ_by_300_decades),
        cmocka_unit_test(small_errors_are_found_by_the_residual),
        cmocka_unit_test(residuals_of_singular_data_claim_nothing),
        cmocka_unit_test(noise_is_not_refined),
        cmocka_unit_test(ranks_by_rounding_claim_nothing),
        cmocka_unit_test(rows_of_different_size_are_no_dependence),
        cmocka_unit_test(exact_dependence_keeps_its_digits),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
