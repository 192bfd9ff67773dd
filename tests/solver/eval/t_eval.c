/* t_eval.c - tests evaluation of systems with their derivatives against MPFR, at random points, at extreme ones and
 * at zeros. */
#include "eval_oracle.h"
#include "text/system_texts.h"

static const uint64_t seed = 20121;

static double worst_error(plumb_context *context, const plumb_system *system, const plumb_view *points)
{
    int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system);
    plumb_view values = eval_view(points->prec, points->parts, m, 1, points->batch);
    plumb_view jacobians = eval_view(points->prec, points->parts, m, n, points->batch);
    plumb_status status = plumb_system_eval(context, system, points, &values, &jacobians, NULL);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(context));
    double worst = oracle_worst(system, points, &values, &jacobians);
    free(values.data);
    free(jacobians.data);
    return worst;
}

/* All precisions at `batch` random points of parts up to size, real ones where the coefficients are. */
static void check_system(const plumb_system *system, const char *name, double size, int64_t batch, int real_too)
{
    plumb_context *context = make_context(NULL, 2);
    for (int32_t parts = real_too ? PLUMB_REAL : PLUMB_COMPLEX; parts <= PLUMB_COMPLEX; parts++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_view points = eval_view(prec, parts, plumb_system_unknowns(system), 1, batch);
            random_points(&points, size, seed + (uint64_t)prec);
            double worst = worst_error(context, system, &points);
            print_message("%s, %s %s: %.2f\n", name, parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(prec),
                          worst);
            assert_true(worst <= oracle_allowed[prec]);
            free(points.data);
        }
    plumb_context_destroy(context);
}

static void check_text(const char *text, double size, int real_too)
{
    plumb_system *system = parse_system(text);
    check_system(system, text, size, 3, real_too);
    plumb_system_destroy(system);
}

static void eval_is_accurate_on_random_systems(void **state)
{
    (void)state;
    static const random_shape shapes[] = {{1, 1, 1, 1, 1, 0},   {3, 3, 7, 3, 3, 0},  {6, 5, 30, 4, 5, 1},
                                          {2, 9, 20, 9, 2, 0},  {5, 2, 40, 2, 9, 1}, {4, 12, 12, 12, 1, 1},
                                          {1, 3, 300, 3, 12, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "random system %zu, seed %llu", k, (unsigned long long)seed);
        plumb_system *system = random_system(&shapes[k], seed + k);
        check_system(system, name, 2.0, 3, !shapes[k].complex_coefficients);
        plumb_system_destroy(system);
    }
}

static void eval_is_accurate_at_extremes(void **state)
{
    (void)state;
    static const random_shape high = {2, 3, 10, 3, 100, 1};
    plumb_system *system = random_system(&high, seed);
    check_system(system, "degree up to 300, parts up to 10", 10.0, 1, 0);
    plumb_system_destroy(system);
    check_text("1 1\n x^100 - 3*x^99 + 2;", 10.0, 1);
    check_text("1 2\n x^10000*y - 1/3*x^7777 + y^10000;", 0.72, 1);
}

static void eval_takes_many_monomials(void **state)
{
    (void)state;
    static const random_shape large = {1, 6, 100000, 4, 12, 0};
    plumb_system *system = random_system(&large, seed);
    plumb_context *context = make_context(NULL, 2);
    plumb_view points = eval_view(PLUMB_DD, PLUMB_REAL, 6, 1, 1);
    random_points(&points, 1.0, seed);
    double worst = worst_error(context, system, &points);
    print_message("100,000 terms: %.2f\n", worst);
    assert_true(worst <= oracle_allowed[PLUMB_DD]);
    free(points.data);
    plumb_context_destroy(context);
    plumb_system_destroy(system);
}

static void eval_takes_odd_shapes(void **state)
{
    (void)state;
    check_text("1 1\n 5 + 0*x;", 1.0, 1);                          /* a constant */
    check_text("1 2\n x - x + y - y;", 1.0, 1);                    /* the zero polynomial */
    check_text("2 3\n x - x + y^2 + z; x - x;", 1.0, 1);           /* x never occurs */
    check_text("4 2\n x*y - 1; x^2; y^3 - x; x + y + 1;", 1.0, 1); /* overdetermined */
    check_text("1 4\n a*b*c*d;", 1.0, 1);
    check_text("2 2\n (1 + i)*x*y - i; i*x^2*y^3 + 2;", 1.0, 0);
}

/* Derivatives at points with zeros are what is left of each term, exactly. */
static void eval_divides_by_nothing(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 4\n 3*a*b*c*d + a^2*b^3 + 7*a*c; a*b^2*c^3 + d^2 + b;");
    plumb_context *context = make_context(NULL, 1);
    for (int zeros = 0; zeros < 16; zeros++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_view points = eval_view(prec, PLUMB_COMPLEX, 4, 1, 1);
            random_points(&points, 1.0, seed);
            for (int v = 0; v < 4; v++)
                for (int c = 0; zeros >> v & 1 && c < 2 * prec; c++)
                    points.data[c * points.plane + v] = 0;
            assert_true(worst_error(context, system, &points) <= oracle_allowed[prec]);
            free(points.data);
        }
    plumb_context_destroy(context);
    plumb_system_destroy(system);
}

static void eval_refuses_what_makes_no_sense(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 2\n x*y - i; x^2;");
    plumb_context *context = make_context(NULL, 1);
    plumb_view points = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 1, 3), values = points, other = points, wrong;
    values = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 1, 3);
    other = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 2, 3);
    random_points(&points, 1.0, seed);
    assert_int_equal(plumb_system_eval(NULL, system, &points, &values, &other, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_eval(context, NULL, &points, &values, &other, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_eval(context, system, NULL, &values, &other, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_eval(context, system, &points, NULL, &other, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_eval(context, system, &points, &points, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_eval(context, system, &points, &other, NULL, NULL), PLUMB_ERR_ARGUMENT);
    wrong = values;
    wrong.batch = 2;
    assert_int_equal(plumb_system_eval(context, system, &points, &wrong, NULL, NULL), PLUMB_ERR_ARGUMENT);
    wrong = values;
    wrong.prec = PLUMB_D;
    assert_int_equal(plumb_system_eval(context, system, &points, &wrong, NULL, NULL), PLUMB_ERR_ARGUMENT);
    plumb_view re = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 1), out = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 1);
    random_points(&re, 1.0, seed);
    assert_int_equal(plumb_system_eval(context, system, &re, &out, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "complex"));
    assert_int_equal(plumb_system_eval(context, system, &points, &values, &other, NULL), PLUMB_OK);
    points.batch = values.batch = 0;
    assert_int_equal(plumb_system_eval(context, system, &points, &values, NULL, NULL), PLUMB_OK);
    free(points.data), free(values.data), free(other.data), free(re.data), free(out.data);
    plumb_context_destroy(context);
    plumb_system_destroy(system);
}

static void eval_says_when_a_coefficient_is_too_large(void **state)
{
    (void)state;
    plumb_system *system = parse_system("1 1\n x^2 + 1e400*x;");
    plumb_context *context = make_context(NULL, 1);
    plumb_view points = eval_view(PLUMB_D, PLUMB_REAL, 1, 1, 1), values = eval_view(PLUMB_D, PLUMB_REAL, 1, 1, 1);
    random_points(&points, 1.0, seed);
    assert_int_equal(plumb_system_eval(context, system, &points, &values, NULL, NULL), PLUMB_ERR_RANGE);
    assert_non_null(strstr(plumb_context_message(context), "term 2"));
    free(points.data), free(values.data);
    plumb_context_destroy(context);
    plumb_system_destroy(system);
}

/* The classical systems, among them coefficients of 34 digits and of 24 orders of magnitude. */
static void eval_takes_the_classics(void **state)
{
    (void)state;
    static const char *const names[] = {
        "cyclic7.phc",   "katsura10.phc",        "noon5.phc",         "eco8.phc",           "overdet_minors34.phc",
        "mult_kss5.phc", "hard_wilkinson30.phc", "hard_cheb20x2.phc", "scaled_katsura5.phc"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char *text = load_text(names[k]);
        plumb_system *system = parse_system(text);
        check_system(system, names[k], 1.5, 2, 1);
        plumb_system_destroy(system);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eval_is_accurate_on_random_systems),
        cmocka_unit_test(eval_is_accurate_at_extremes),
        cmocka_unit_test(eval_takes_many_monomials),
        cmocka_unit_test(eval_takes_odd_shapes),
        cmocka_unit_test(eval_takes_the_classics),
        cmocka_unit_test(eval_divides_by_nothing),
        cmocka_unit_test(eval_refuses_what_makes_no_sense),
        cmocka_unit_test(eval_says_when_a_coefficient_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
