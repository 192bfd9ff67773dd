/* t_newton.c - tests Newton's method against roots in MPFR: every precision reaches its attainable accuracy and
 * estimates its error correctly; with Jacobians in lower precisions, with more equations than unknowns, and going up
 * from d to qd. */
#include "newton_cases.h"

static const random_shape shapes[] = {
    {1, 1, 6, 1, 7, 1}, {3, 3, 5, 3, 3, 0}, {6, 6, 12, 4, 4, 1}, {12, 12, 10, 5, 3, 0}, {5, 3, 6, 3, 3, 1}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Arrived, as far as the precision goes, and the estimate is an upper one without being a wild one. */
static void check_report(const plumb_newton_report *r, double far, const char *what, uint64_t number)
{
    const double best = unit(r->prec) * fmax(r->condition, 1.0);
    if (r->code != PLUMB_NEWTON_CONVERGED || !(far <= r->error) || !(r->error <= 100.0 * best))
        fail_msg("%s, seed %llu, %s with J in %s: code %d after %lld steps, condition %g, error %g, estimated %g", what,
                 (unsigned long long)number, plumb_prec_name(r->prec), plumb_prec_name(r->jacobian_prec), (int)r->code,
                 (long long)r->steps, r->condition, far, r->error);
}

static void roots_are_those_of_mpfr(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < SHAPES; k++)
        for (uint64_t number = seed + k; number < seed + 40 + k; number += 8) {
            problem p = problem_create(&shapes[k], 1.0, number);
            for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
                for (int32_t low = 0; low <= prec; low = low ? 2 * low : 1) {
                    plumb_view x = copy_of(&p.start, prec);
                    plumb_newton_report r = newton(p.system, &x, low);
                    check_report(&r, oracle_distance(&x, 0, &p.root), "root", number);
                    assert_true(low == 0 || r.jacobian_prec == low);
                    free(x.data);
                }
            problem_destroy(&p);
        }
}

/* Corrections are squared, and with a Jacobian in d all digits of qd are there at last. */
static void convergence_is_quadratic(void **state)
{
    (void)state;
    problem p = problem_create(&shapes[2], 1.0, seed);
    plumb_view x = copy_of(&p.start, PLUMB_QD), y = copy_of(&p.start, PLUMB_QD);
    plumb_newton_report full = newton(p.system, &x, PLUMB_QD), low = newton(p.system, &y, PLUMB_D);
    assert_true(full.quadratic == 1 && full.steps <= 7);
    assert_true(low.quadratic == 1 && low.steps <= 10);
    assert_true(oracle_distance(&y, 0, &p.root) <= 1e-59);
    free(x.data), free(y.data);
    problem_destroy(&p);
}

/* A root with a residual: it converges, linearly, and its estimates are true; the Jacobian goes up to the precision of x. */
static void residuals_need_not_vanish(void **state)
{
    (void)state;
    int arrived = 0;
    for (uint64_t number = seed; number < seed + 10; number++) {
        problem p = problem_create(&shapes[4], 0.999, number);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_view x = copy_of(&p.start, prec);
            plumb_newton_report r;
            plumb_newton_options options;
            plumb_newton_options_init(&options);
            options.max_steps = 100;
            assert_int_equal(plumb_newton(context, p.system, &x, &options, &r), PLUMB_OK);
            check_report(&r, oracle_distance(&x, 0, &p.root), "root with a residual", number);
            assert_true(r.residual > 1e-8 && r.jacobian_prec == prec);
            arrived += r.steps > 8 && !r.quadratic;
            free(x.data);
        }
        problem_destroy(&p);
    }
    assert_true(arrived > 0);
}

/* Of all seeds, whatever the precision that refinement ended in. */
static void refinement_climbs_and_is_true(void **state)
{
    (void)state;
    static const double digits[] = {8, 25, 50, 80};
    static const int32_t expected[] = {PLUMB_D, PLUMB_DD, PLUMB_QD, PLUMB_QD};
    for (uint64_t k = 0; k < SHAPES; k++)
        for (uint64_t number = seed + k; number < seed + 30 + k; number += 6) {
            problem p = problem_create(&shapes[k], 1.0, number);
            for (int d = 0; d < 4; d++) {
                plumb_view x = copy_of(&p.start, PLUMB_QD);
                plumb_newton_report r;
                assert_int_equal(plumb_newton_refine(context, p.system, &x, digits[d], NULL, &r), PLUMB_OK);
                const double far = oracle_distance(&x, 0, &p.root);
                if (r.code != PLUMB_NEWTON_CONVERGED || r.prec != expected[d] || !(far <= r.error) ||
                    (d < 3 && !(r.error <= pow(10.0, -digits[d]))))
                    fail_msg("seed %llu, %g digits: code %d in %s after %lld steps, condition %g, error %g, "
                             "estimated %g",
                             (unsigned long long)number, digits[d], (int)r.code, plumb_prec_name(r.prec),
                             (long long)r.steps, r.condition, far, r.error);
                free(x.data);
            }
            problem_destroy(&p);
        }
}

/* Roots of Wilkinson's kind need more than d for a few digits: the climb sees it. */
static void refinement_sees_bad_conditions(void **state)
{
    (void)state;
    plumb_system *system = parse_system("1 1\n (x-1)*(x-2)*(x-3)*(x-4)*(x-5)*(x-6)*(x-7)*(x-8)*(x-9)*(x-10)*(x-11)"
                                        "*(x-12)*(x-13)*(x-14)*(x-15)*(x-16)*(x-17)*(x-18)*(x-19)*(x-20);");
    for (int root = 10; root <= 16; root += 3) {
        plumb_view x = eval_view(PLUMB_QD, PLUMB_COMPLEX, 1, 1, 1);
        plumb_newton_report r;
        set_point(&x, 0, 0, root + 0.01, 0.01);
        assert_int_equal(plumb_newton_refine(context, system, &x, 10, NULL, &r), PLUMB_OK);
        assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
        assert_true(r.prec == PLUMB_DD && r.condition > 1e9 && r.error <= 1e-10);
        assert_true(fabs(x.data[0] - root) <= r.error * root);
        free(x.data);
    }
    plumb_system_destroy(system);
}

/* A tolerance ends early, and the estimate knows. */
static void tolerances_end_early(void **state)
{
    (void)state;
    problem p = problem_create(&shapes[1], 1.0, seed);
    plumb_view x = copy_of(&p.start, PLUMB_QD);
    plumb_newton_report r;
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    options.tolerance = 1e-10;
    assert_int_equal(plumb_newton(context, p.system, &x, &options, &r), PLUMB_OK);
    const double far = oracle_distance(&x, 0, &p.root);
    assert_true(r.code == PLUMB_NEWTON_CONVERGED && far <= r.error && r.error < 1e-10 && far > 1e-60);
    free(x.data);
    problem_destroy(&p);
}

/* Refinement ends within a tolerance, in the lowest precision that can tell; with digits that are easier than it, by them. */
static void refinement_ends_within_a_tolerance(void **state)
{
    (void)state;
    static const struct {
        double tolerance, digits;
        int32_t prec;
    } cases[] = {{1e-6, 60, PLUMB_D}, {1e-22, 60, PLUMB_DD}, {1e-40, 60, PLUMB_QD}, {1e-40, 6, PLUMB_D}};
    problem p = problem_create(&shapes[1], 1.0, seed);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_view x = copy_of(&p.start, PLUMB_QD);
        plumb_newton_report r;
        plumb_newton_options options;
        plumb_newton_options_init(&options);
        options.tolerance = cases[k].tolerance;
        assert_int_equal(plumb_newton_refine(context, p.system, &x, cases[k].digits, &options, &r), PLUMB_OK);
        const double far = oracle_distance(&x, 0, &p.root), most = fmax(cases[k].tolerance, pow(10, -cases[k].digits));
        assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
        assert_int_equal(r.prec, cases[k].prec);
        if (!(far <= r.error && r.error <= most))
            fail_msg("tolerance %g, %g digits: error %g, estimated %g", cases[k].tolerance, cases[k].digits, far,
                     r.error);
        free(x.data);
    }
    problem_destroy(&p);
}

/* Roots at zero have no relative error: they are found all the same. */
static void roots_may_be_zero(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 2\n x^2 + y - x; y^2 + 2*x*y + 3*x;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view x = eval_view(prec, PLUMB_COMPLEX, 2, 1, 1);
        set_point(&x, 0, 0, 0.01, 0.02);
        set_point(&x, 0, 1, 0.02, -0.01);
        plumb_newton_report r = newton(system, &x, 0);
        assert_int_equal(r.code, PLUMB_NEWTON_CONVERGED);
        assert_true(hypot(x.data[0], x.data[1]) <= unit(prec));
        free(x.data);
    }
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_mpfr),        cmocka_unit_test(convergence_is_quadratic),
        cmocka_unit_test(residuals_need_not_vanish),      cmocka_unit_test(refinement_climbs_and_is_true),
        cmocka_unit_test(refinement_sees_bad_conditions), cmocka_unit_test(refinement_ends_within_a_tolerance),
        cmocka_unit_test(tolerances_end_early),           cmocka_unit_test(roots_may_be_zero),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
