/* t_start_system.c - tests start systems of total degree: their form, and their solutions against MPFR: accurate to
 * the last bit, all different, and the same in any block of them. */
#include "solver/eval/eval_oracle.h"

#include "model/homotopy/start_form.h"
#include "model/system/system.h"

static const uint64_t seed = 31415;

static plumb_system *make_start(const char *target)
{
    plumb_system *f = parse_system(target), *g;
    assert_int_equal(plumb_system_start(f, seed, &g), PLUMB_OK);
    plumb_system_destroy(f);
    return g;
}

static int64_t count_of(const plumb_system *start)
{
    int64_t count = -1;
    assert_int_equal(plumb_system_start_count(start, &count), PLUMB_OK);
    return count;
}

static plumb_view all_solutions(const plumb_system *start, int32_t prec)
{
    plumb_view x = eval_view(prec, PLUMB_COMPLEX, plumb_system_unknowns(start), 1, count_of(start));
    assert_int_equal(plumb_system_start_solutions(start, 0, &x), PLUMB_OK);
    return x;
}

static void start_has_the_degrees_of_the_target(void **state)
{
    (void)state;
    plumb_system *g = make_start("x^3*y - 1; z*y + x; x*y*z^5 - y + 1;"), *again, *other;
    static const int64_t degrees[] = {4, 2, 7};
    assert_int_equal(plumb_system_equations(g), 3);
    for (int64_t i = 0; i < 3; i++) {
        const system_term *term = &g->terms[g->equation[i]];
        assert_int_equal(plumb_system_degree(g, i), degrees[i]);
        assert_int_equal(plumb_system_terms(g, i), 2);
        assert_int_equal(g->factors[term[0].first].unknown, i);
        assert_true(mpq_cmp_ui(term[0].re, 1, 1) == 0 && mpq_sgn(term[0].im) == 0);
        assert_true(fabs(hypot(mpq_get_d(term[1].re), mpq_get_d(term[1].im)) - 1) < 1e-15);
    }
    assert_string_equal(plumb_system_name(g, 1), "y");
    assert_int_equal(count_of(g), 56);
    assert_int_equal(plumb_system_start(g, seed, &again), PLUMB_OK);
    assert_true(plumb_system_same(g, again));
    assert_int_equal(plumb_system_start(g, seed + 1, &other), PLUMB_OK);
    assert_false(plumb_system_same(g, other));
    plumb_system_destroy(g);
    plumb_system_destroy(again);
    plumb_system_destroy(other);
}

/* Limbs are the nearest double to what is left, of what is not zero. */
static void check_canonical(const double *limbs, int64_t stride, int32_t prec)
{
    for (int32_t c = 0; c < prec; c++) {
        double limb = limbs[c * stride], next = c + 1 < prec ? limbs[(c + 1) * stride] : 0;
        assert_true(limb != 0 || !signbit(limb));
        assert_true(limb + next == limb);
    }
}

/* The distance of every solution from an exact one, in units of the precision and of its modulus: that of a step of Newton's
 * method, since all roots are simple and the solution is close to one. */
static double worst_distance(const plumb_system *start, const plumb_view *x)
{
    double worst = 0, unit = x->prec == 1 ? 0x1p-53 : x->prec == 2 ? 0x1p-106 : 0x1p-212;
    int64_t n = plumb_system_unknowns(start);
    for (int64_t b = 0; b < x->batch; b++) {
        oracle_result r = oracle_eval(start, x, b);
        for (int64_t i = 0; i < n; i++) {
            oracle_number z;
            int64_t u = start->factors[start->terms[start->equation[i]].first].unknown;
            oracle_init(&z);
            oracle_get(&z, x, b, u, 0);
            double step = oracle_modulus(&r.value[i]) / oracle_modulus(&r.entry[i * n + u]);
            worst = fmax(worst, step / oracle_modulus(&z) / unit);
            oracle_clear(&z);
            check_canonical(x->data + b * x->next + u, x->plane, x->prec);
            check_canonical(x->data + b * x->next + x->prec * x->plane + u, x->plane, x->prec);
        }
        oracle_result_free(&r);
    }
    return worst;
}

static int same_point(const plumb_view *x, int64_t a, int64_t b)
{
    int same = 1;
    for (int64_t i = 0; i < x->rows; i++) {
        const double *p = x->data + a * x->next + i, *q = x->data + b * x->next + i;
        int64_t im = x->prec * x->plane;
        same = same && hypot(p[0] - q[0], p[im] - q[im]) < 1e-9 * hypot(p[0], p[im]);
    }
    return same;
}

/* Coefficients on axes, on diagonals, between them, near an axis, far from 1, rational, complex; equations out of order. */
static const char *const starts[] = {
    "x^12 - 1;",
    "x^7 + 1/3; y^2 - 2;",
    "x^8 - i; y^3 + i;",
    "(1+i)*x^5 - 1; (3-4*i)*y^2 + 5*i; z - 7;",
    "x^3 - 1 - 1e-300*i; y^4 - 1e-300 - i;",
    "x^2 - 1e300; 1e200*y^2 - 1e-50 + 1e-55*i;",
    "x - x + y^3 - 2; 3*x^4 - 1;",
    "x^30 - 0.6 + 0.8*i;",
    "x^2 + 1 - i; y^2 + 1 + i; z^2 - 1 + i;",
};
enum { STARTS = sizeof starts / sizeof *starts };

static void solutions_are_accurate_and_different(void **state)
{
    (void)state;
    for (int k = 0; k <= STARTS; k++) {
        plumb_system *g = k < STARTS ? parse_system(starts[k]) : make_start("x^4*y - 1; z*y + x^3; x*y*z^3 - y + 1;");
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_view x = all_solutions(g, prec);
            double worst = worst_distance(g, &x);
            print_message("%s, %s: %.3f\n", k < STARTS ? starts[k] : "made of a target", plumb_prec_name(prec), worst);
            assert_true(worst <= 1.001); /* half a unit in the last place of a part is at most u times it */
            for (int64_t a = 0; a < x.batch; a++)
                for (int64_t b = 0; b < a; b++)
                    assert_false(same_point(&x, a, b));
            free(x.data);
        }
        plumb_system_destroy(g);
    }
}

static void exact_roots_are_exact(void **state)
{
    (void)state;
    plumb_system *g = parse_system("x^12 - 4096; y^4 + 4;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view x = all_solutions(g, prec);
        for (int64_t b = 0; b < x.batch; b++) {
            const double *p = x.data + b * x.next;
            int whole = 0;
            for (int32_t c = 0; c < 2; c++) {
                double re = fabs(p[c * prec * x.plane]);
                whole += re == 0 || re == 1 || re == 2;
                assert_true(fabs(p[c * prec * x.plane + 1]) == 1); /* the roots of y^4 + 4 are +-1 +-i */
                for (int32_t limb = 1; limb < prec; limb++) {
                    assert_true(p[(c * prec + limb) * x.plane + 1] == 0);
                    assert_true(p[(c * prec + limb) * x.plane] == 0 || fabs(re - sqrt(3)) < 1e-15);
                }
            }
            assert_true(whole >= 1);
        }
        free(x.data);
    }
    plumb_system_destroy(g);
}

static void batches_do_not_show(void **state)
{
    (void)state;
    plumb_system *g = make_start("x^5 - 1; y^3 - x; z^4 - y;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view all = all_solutions(g, prec);
        for (int64_t first = 0; first < all.batch; first += 7) {
            int64_t batch = all.batch - first < 7 ? all.batch - first : 7;
            plumb_view some = eval_view(prec, PLUMB_COMPLEX, 3, 1, batch);
            assert_int_equal(plumb_system_start_solutions(g, first, &some), PLUMB_OK);
            assert_memory_equal(some.data, all.data + first * all.next, (size_t)(batch * some.next) * sizeof(double));
            free(some.data);
        }
        /* The last unknown changes first. */
        assert_true(same_point(&all, 0, 0) && !same_point(&all, 0, 1));
        assert_true(all.data[0] == all.data[all.next] && all.data[1] == all.data[3 * all.next + 1]);
        assert_true(all.data[2] == all.data[4 * all.next + 2] && all.data[2] != all.data[all.next + 2]);
        free(all.data);
    }
    plumb_system_destroy(g);
}

/* Strides of another layout, and numbers beyond any memory. */
static void numbers_may_be_huge(void **state)
{
    (void)state;
    char text[4000] = "";
    for (int i = 0; i < 70; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "x%d^%d - 1;\n", i, i < 8 ? 2 : 10);
    plumb_system *g = make_start(text);
    int64_t count = 0;
    assert_int_equal(plumb_system_start_count(g, &count), PLUMB_ERR_SIZE);
    plumb_view x = eval_view(PLUMB_DD, PLUMB_COMPLEX, 70, 1, 2);
    x.next = 70; /* matrices within planes */
    x.plane = 140;
    assert_int_equal(plumb_system_start_solutions(g, INT64_MAX - 2, &x), PLUMB_OK);
    assert_true(worst_distance(g, &x) <= 1.5);
    assert_int_equal(plumb_system_start_solutions(g, INT64_MAX - 1, &x), PLUMB_ERR_ARGUMENT);
    free(x.data);
    plumb_system_destroy(g);
}

static void what_is_no_start_system_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {{"x^2 - y; y - 1;", "equation 1 is not of the form a x^d - c"},
               {"x - 1; y^2;", "equation 2 has no constant term, expected a x^d - c with c not zero"},
               {"x - 1; y*x - 1;", "equation 2 is not of the form a x^d - c"},
               {"x - x + y - 1; y^2 - 3;", "equations 1 and 2 have the same unknown"},
               {"x - 1; x - x;", "found 2 equations in 1 unknowns, expected a x^d - c for each unknown"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        plumb_system *g = parse_system(bad[k].text);
        int64_t count = 5;
        start_form form;
        char message[256] = "";
        assert_int_equal(plumb_system_start_count(g, &count), PLUMB_ERR_ARGUMENT);
        assert_int_equal(count, 0);
        assert_int_equal(plumb_start_form(g, &form, message, sizeof message), PLUMB_ERR_ARGUMENT);
        assert_string_equal(message, bad[k].why);
        plumb_system_destroy(g);
    }
    static const struct {
        const char *text, *why;
        plumb_status status;
    } targets[] = {
        {"x*y - 1;", "found 1 equations in 2 unknowns, expected as many equations as unknowns", PLUMB_ERR_ARGUMENT},
        {"x - y; 3;", "equation 2 is constant, expected an unknown in it", PLUMB_ERR_ARGUMENT},
        {"x - x; x - y;", "equation 1 is zero, expected an unknown in it", PLUMB_ERR_ARGUMENT},
        {"x^9999*y^2 - 1; x;", "equation 1 has degree 10001, expected at most 10000", PLUMB_ERR_RANGE}};
    for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
        plumb_system *f = parse_system(targets[k].text), *g = f;
        char message[256] = "";
        assert_int_equal(plumb_system_start(f, seed, &g), targets[k].status);
        assert_null(g);
        assert_int_equal(plumb_start_check(f, message, sizeof message), targets[k].status);
        assert_string_equal(message, targets[k].why);
        plumb_system_destroy(f);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    plumb_system *g = parse_system("x^2 - 1; y^3 - 1;"), *far = parse_system("x - 1e400;"), *made;
    plumb_view x = eval_view(PLUMB_D, PLUMB_COMPLEX, 2, 1, 6), bad = x;
    assert_int_equal(plumb_system_start_solutions(g, 0, &x), PLUMB_OK);
    assert_int_equal(plumb_system_start_solutions(g, 1, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start_solutions(g, -1, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start_solutions(NULL, 0, &x), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start_solutions(g, 0, NULL), PLUMB_ERR_ARGUMENT);
    bad.batch = 0;
    assert_int_equal(plumb_system_start_solutions(g, 6, &bad), PLUMB_OK);
    assert_int_equal(plumb_system_start_solutions(g, 7, &bad), PLUMB_ERR_ARGUMENT);
    bad = x;
    bad.parts = PLUMB_REAL;
    assert_int_equal(plumb_system_start_solutions(g, 0, &bad), PLUMB_ERR_ARGUMENT);
    bad = x;
    bad.rows = 1;
    assert_int_equal(plumb_system_start_solutions(g, 0, &bad), PLUMB_ERR_ARGUMENT);
    bad.batch = 1;
    assert_int_equal(plumb_system_start_solutions(far, 0, &bad), PLUMB_ERR_RANGE);
    assert_int_equal(plumb_system_start_count(NULL, &bad.batch), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start_count(g, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start(NULL, seed, &made), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_start(g, seed, NULL), PLUMB_ERR_ARGUMENT);
    free(x.data);
    plumb_system_destroy(g);
    plumb_system_destroy(far);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(start_has_the_degrees_of_the_target),
                                       cmocka_unit_test(solutions_are_accurate_and_different),
                                       cmocka_unit_test(exact_roots_are_exact),
                                       cmocka_unit_test(batches_do_not_show),
                                       cmocka_unit_test(numbers_may_be_huge),
                                       cmocka_unit_test(what_is_no_start_system_is_refused),
                                       cmocka_unit_test(bad_arguments_are_refused)};
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
