/* t_newton_calls.c - tests Newton's method where there is no root, or a difficult one: its codes; single steps; batch
 * invariance; invalid arguments. */
#include "newton_cases.h"

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
        options.max_steps = 500;
        assert_int_equal(plumb_newton(context, system, &x, &options, &r), PLUMB_OK);
        const double far = hypot(x.data[0] - 1.0, x.data[prec]);
        assert_int_equal(r.code, PLUMB_NEWTON_SLOW);
        assert_true(far <= r.error && far <= 1e3 * pow(unit(prec), 0.25) && r.steps < 400);
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
    options.max_steps = 0;
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
        cmocka_unit_test(what_does_not_converge_says_so),
        cmocka_unit_test(singular_roots_are_estimated_truly),
        cmocka_unit_test(batches_have_the_bits_of_single_points),
        cmocka_unit_test(a_step_is_a_step),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(codes_have_texts),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
