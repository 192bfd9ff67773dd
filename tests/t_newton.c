/* t_newton.c - Newton's method against roots in MPFR: every precision reaches what it can, and says truthfully how far that is; with
 * Jacobians in lower precision too; more equations than unknowns; points that do not converge are told from those that do. */
#include "newton_oracle.h"

static const uint64_t seed = 271828;
static plumb_context *context;

static int say_seed_and_make(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    context = make_context(NULL, 2);
    return 0;
}

static int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static double unit(int32_t prec)
{
    return ldexp(1.0, -53 * prec);
}

static void set_point(const plumb_view *x, int64_t k, int64_t i, double re, double im)
{
    for (int32_t c = 0; c < 2 * x->prec; c++)
        x->data[k * x->next + c * x->plane + i] = 0.0;
    x->data[k * x->next + i] = re;
    x->data[k * x->next + x->prec * x->plane + i] = im;
}

static plumb_view copy_of(const plumb_view *x, int32_t prec)
{
    plumb_view copy = eval_view(prec, x->parts, x->rows, 1, x->batch);
    assert_int_equal(plumb_copy(context, x, &copy, NULL), PLUMB_OK);
    return copy;
}

static plumb_newton_report newton(const plumb_system *system, const plumb_view *x, int32_t jacobian_prec)
{
    plumb_newton_report report;
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    options.jacobian_prec = jacobian_prec;
    plumb_status status = plumb_newton(context, system, x, &options, &report);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(context));
    return report;
}

/* A system with a root near a random point, and a start a little away from it. */
typedef struct problem {
    plumb_system *system;
    plumb_view start, root; /* start in d */
} problem;

static problem problem_create(const random_shape *shape, double share, uint64_t number)
{
    problem p;
    plumb_system *system = random_system(shape, number);
    plumb_view near = root_view(shape->unknowns);
    p.start = eval_view(PLUMB_D, PLUMB_COMPLEX, shape->unknowns, 1, 1);
    random_points(&near, 1.0, number);
    p.system = shifted_system(system, &near, share);
    plumb_random rng = plumb_random_start(number);
    for (int64_t i = 0; i < shape->unknowns; i++)
        for (int part = 0; part < 2; part++)
            p.start.data[part * p.start.plane + i] =
                near.data[part * ROOT_LIMBS * near.plane + i] + 1e-3 * (plumb_random_unit(&rng) - 0.5);
    p.root = oracle_root(p.system, &near);
    free(near.data);
    plumb_system_destroy(system);
    return p;
}

static void problem_destroy(problem *p)
{
    plumb_system_destroy(p->system);
    free(p->start.data);
    free(p->root.data);
}

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
            options.most_steps = 100;
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

typedef struct hopeless {
    const char *text;
    double re, im; /* of every unknown at the start */
    plumb_newton_code code;
} hopeless;

static void what_does_not_converge_says_so(void **state)
{
    (void)state;
    static const hopeless cases[] = {
        {"1 1\n (x-1)^4;", 1.5, 0.1, PLUMB_NEWTON_SLOW},
        {"1 1\n (x-1)^2;", 1.5, 0.1, PLUMB_NEWTON_SLOW},
        {"1 1\n x^2;", 1.5, 0.1, PLUMB_NEWTON_SLOW},
        {"2 2\n x^2 + y^2 - 2; x*y - 1;", 1.25, 0.25, PLUMB_NEWTON_SLOW},
        {"1 1\n (x-1)^3;", 1.0, 0.0, PLUMB_NEWTON_SINGULAR},
        {"1 1\n x^2 + 1;", 0.7, 0.0, PLUMB_NEWTON_DIVERGED},
        {"2 2\n x^2 - 4; y - 3*x;", 0.0, 0.0, PLUMB_NEWTON_SINGULAR},
        {"2 2\n x*y - 1; 2*x*y - 3;", 1.0, 0.5, PLUMB_NEWTON_SINGULAR},
        {"1 1\n x^9 - 2;", 1e200, 0.0, PLUMB_NEWTON_NONFINITE},
        {"1 1\n 1e-300*x^3 - 1e300;", 1e-10, 0.0, PLUMB_NEWTON_NONFINITE},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_system *system = parse_system(cases[k].text);
            plumb_view x = eval_view(prec, PLUMB_COMPLEX, plumb_system_unknowns(system), 1, 1);
            for (int64_t i = 0; i < x.rows; i++)
                set_point(&x, 0, i, cases[k].re * (1.0 + 0.125 * (double)i), cases[k].im);
            plumb_newton_report r = newton(system, &x, 0);
            if (r.code != (int32_t)cases[k].code)
                fail_msg("%s in %s: '%s' after %lld steps, error %g, condition %g", cases[k].text,
                         plumb_prec_name(prec), plumb_newton_text((plumb_newton_code)r.code), (long long)r.steps,
                         r.error, r.condition);
            assert_false(r.quadratic);
            for (int64_t i = 0; i < x.next; i++)
                assert_true(isfinite(x.data[i]));
            free(x.data);
            plumb_system_destroy(system);
        }
}

/* At a root of multiplicity 4 a quarter of the digits can be right, and the estimate does not claim more. */
static void singular_roots_are_estimated_truly(void **state)
{
    (void)state;
    plumb_system *system = parse_system("1 1\n (x-1)^4;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_newton_options options;
        plumb_newton_report r;
        plumb_view x = eval_view(prec, PLUMB_COMPLEX, 1, 1, 1);
        set_point(&x, 0, 0, 1.5, 0.25);
        plumb_newton_options_init(&options);
        options.most_steps = 500;
        assert_int_equal(plumb_newton(context, system, &x, &options, &r), PLUMB_OK);
        const double far = hypot(x.data[0] - 1.0, x.data[prec]);
        assert_int_equal(r.code, PLUMB_NEWTON_SLOW);
        assert_true(far <= r.error && far <= 1e3 * pow(unit(prec), 0.25) && r.steps < 400);
        free(x.data);
    }
    plumb_system_destroy(system);
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

/* Points of a batch have the bits they have alone, and on any number of threads. */
static void batches_have_the_bits_of_single_points(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    plumb_system *system = parse_system("3 2\n x^3 - 2*y^2 + 1/3; x^2*y - x + 2; (1 + i)*x*y^3 - 5;");
    plumb_context *alone = make_context(NULL, 1);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view x = eval_view(prec, PLUMB_COMPLEX, 2, 1, COUNT), y = eval_view(prec, PLUMB_COMPLEX, 2, 1, COUNT),
                   z = eval_view(prec, PLUMB_COMPLEX, 2, 1, COUNT);
        plumb_newton_report many[COUNT], one_thread[COUNT], one;
        random_points(&x, 2.0, seed);
        random_points(&y, 2.0, seed);
        random_points(&z, 2.0, seed);
        assert_int_equal(plumb_newton(context, system, &x, NULL, many), PLUMB_OK);
        assert_int_equal(plumb_newton(alone, system, &z, NULL, one_thread), PLUMB_OK);
        assert_memory_equal(x.data, z.data, (size_t)(COUNT * x.next) * sizeof(double));
        assert_memory_equal(many, one_thread, sizeof many);
        for (int64_t k = 0; k < COUNT; k++) {
            plumb_view point = y;
            point.data += k * y.next;
            point.batch = 1;
            assert_int_equal(plumb_newton(context, system, &point, NULL, &one), PLUMB_OK);
            assert_memory_equal(&one, &many[k], sizeof one);
        }
        assert_memory_equal(x.data, y.data, (size_t)(COUNT * x.next) * sizeof(double));
        free(x.data), free(y.data), free(z.data);
    }
    plumb_context_destroy(alone);
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

/* x + dx, J dx = -f; and where J is singular x stays. */
static void a_step_is_a_step(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 2\n x^2 - 4; y - 3*x;");
    plumb_view x = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 2), dx = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 2);
    plumb_info info[2];
    memset(x.data, 0, (size_t)(2 * x.next) * sizeof(double));
    x.data[0] = 1.0, x.data[1] = x.data[x.next + 1] = 5.0;
    assert_int_equal(plumb_newton_step(context, system, &x, &dx, info, NULL), PLUMB_OK);
    assert_true(info[0] == 0 && info[1] > 0);
    assert_true(fabs(x.data[0] - 2.5) < 1e-15 && fabs(x.data[1] - 7.5) < 1e-14);
    assert_true(fabs(dx.data[0] - 1.5) < 1e-15 && fabs(dx.data[1] - 2.5) < 1e-14);
    assert_true(x.data[x.next] == 0.0 && x.data[x.next + 1] == 5.0 && dx.data[dx.next] == 0.0);
    free(x.data), free(dx.data);
    plumb_system_destroy(system);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 2\n x^2 - 4; y - 3*x;"), *under = parse_system("1 2\n x*y - 1;");
    plumb_view x = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 1, 1), real = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 1),
               wide = eval_view(PLUMB_DD, PLUMB_COMPLEX, 3, 1, 1);
    plumb_newton_report report;
    plumb_newton_options options;
    set_point(&x, 0, 0, 1, 0);
    set_point(&x, 0, 1, 1, 0);
    assert_int_equal(plumb_newton(NULL, system, &x, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton(context, NULL, &x, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton(context, system, NULL, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton(context, system, &x, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton(context, under, &x, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "1 equations in 2 unknowns"));
    assert_int_equal(plumb_newton(context, system, &real, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton(context, system, &wide, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton_step(context, under, &x, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton_step(context, system, &x, &x, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton_step(context, system, &x, &real, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_newton_refine(context, system, &x, 0, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_newton_options_init(&options);
    options.jacobian_prec = 3;
    assert_int_equal(plumb_newton(context, system, &x, &options, &report), PLUMB_ERR_ARGUMENT);
    options.jacobian_prec = PLUMB_QD;
    assert_int_equal(plumb_newton(context, system, &x, &options, &report), PLUMB_ERR_ARGUMENT);
    plumb_newton_options_init(&options);
    options.tolerance = -1;
    assert_int_equal(plumb_newton(context, system, &x, &options, &report), PLUMB_ERR_ARGUMENT);
    plumb_newton_options_init(&options);
    options.most_steps = 0;
    assert_int_equal(plumb_newton(context, system, &x, &options, &report), PLUMB_ERR_ARGUMENT);
    x.batch = 0;
    assert_int_equal(plumb_newton(context, system, &x, NULL, NULL), PLUMB_OK);
    free(x.data), free(real.data), free(wide.data);
    plumb_system_destroy(system);
    plumb_system_destroy(under);
}

static void codes_have_texts(void **state)
{
    (void)state;
    for (int code = 0; code < PLUMB_NEWTON_CODES; code++)
        assert_true(strlen(plumb_newton_text((plumb_newton_code)code)) > 4);
    assert_non_null(plumb_newton_text((plumb_newton_code)-1));
    assert_non_null(plumb_newton_text(PLUMB_NEWTON_CODES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_those_of_mpfr),
        cmocka_unit_test(convergence_is_quadratic),
        cmocka_unit_test(residuals_need_not_vanish),
        cmocka_unit_test(what_does_not_converge_says_so),
        cmocka_unit_test(singular_roots_are_estimated_truly),
        cmocka_unit_test(roots_may_be_zero),
        cmocka_unit_test(refinement_climbs_and_is_true),
        cmocka_unit_test(refinement_sees_bad_conditions),
        cmocka_unit_test(batches_have_the_bits_of_single_points),
        cmocka_unit_test(tolerances_end_early),
        cmocka_unit_test(a_step_is_a_step),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(codes_have_texts),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
