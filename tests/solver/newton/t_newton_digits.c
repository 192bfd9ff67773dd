/* t_newton_digits.c - tests refinement to any number of digits: against square roots of MPFR, by values of the systems in more
 * bits, and of what it must refuse. */
#include "solver/mp/mp_test.h"

#include <stdlib.h>

#include "base/number/random.h"
#include "solver/mp/system.h"

/* ---- Calls -------------------------------------------------------------------------------------------------------- */

static plumb_context *context_of(int32_t threads)
{
    plumb_context_options options;
    plumb_context *context = NULL;
    plumb_context_options_init(&options);
    options.threads = threads;
    options.backend = PLUMB_BACKEND_CPU;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

/* Refines points in double: re and im of each unknown in turn. */
static plumb_digits *refine_with(int32_t threads, const plumb_system *system, const double *x, int64_t count,
                                 int64_t digits)
{
    plumb_context *context = context_of(threads);
    const int64_t n = plumb_system_unknowns(system);
    plumb_view view;
    plumb_digits *found = NULL;
    plumb_digits_options options;
    plumb_digits_options_init(&options);
    options.digits = digits;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, count, &view), PLUMB_OK);
    assert_int_equal(plumb_pack(x, &view), PLUMB_OK);
    if (plumb_refine_digits(context, system, &view, &options, &found) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    plumb_array_destroy(context, &view);
    plumb_context_destroy(context);
    assert_int_equal(plumb_digits_count(found), count);
    assert_int_equal(plumb_digits_unknowns(found), n);
    return found;
}

static plumb_digits *refine(const plumb_system *system, const double *x, int64_t count, int64_t digits)
{
    return refine_with(1, system, x, count, digits);
}

static plumb_digits_report report_of(const plumb_digits *d, int64_t k)
{
    plumb_digits_report report;
    assert_int_equal(plumb_digits_get(d, k, &report), PLUMB_OK);
    return report;
}

/* ---- Comparisons -------------------------------------------------------------------------------------------------- */

/* -log10 of the distance of a text from a number, relative to a size. */
static double digits_of(const char *text, mpfr_srcptr exact, double log10_size)
{
    mpfr_t x;
    mpfr_init2(x, 40000);
    assert_int_equal(mpfr_set_str(x, text, 10, MPFR_RNDN), 0);
    mpfr_sub(x, x, exact, MPFR_RNDN);
    long exponent = 0;
    const double mantissa = mpfr_zero_p(x) ? 0.0 : fabs(mpfr_get_d_2exp(&exponent, x, MPFR_RNDN));
    mpfr_clear(x);
    return mantissa == 0.0 ? 99999.0 : log10_size - log10(mantissa) - (double)exponent * log10(2.0);
}

static void check_root(const plumb_digits *d, int64_t unknown, unsigned long a, int64_t digits)
{
    mpfr_t root;
    mpfr_init2(root, 40000);
    mpfr_sqrt_ui(root, a, MPFR_RNDN);
    const double good = digits_of(plumb_digits_re(d, 0, unknown), root, 0.5 * log10((double)a));
    if (good < (double)digits)
        fail_msg("the square root of %lu has %.1f digits, expected %lld", a, good, (long long)digits);
    assert_string_equal(plumb_digits_im(d, 0, unknown), "0");
    mpfr_clear(root);
}

/* The numbers of a point with so many bits. */
static mp_complex *numbers_of(const plumb_digits *d, int64_t k, int64_t bits)
{
    const int64_t n = plumb_digits_unknowns(d);
    mp_complex *x = mp_make(n, bits);
    assert_non_null(x);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(mpfr_set_str(x[i].re, plumb_digits_re(d, k, i), 10, MPFR_RNDN), 0);
        assert_int_equal(mpfr_set_str(x[i].im, plumb_digits_im(d, k, i), 10, MPFR_RNDN), 0);
    }
    return x;
}

/* One more Newton step in twice the bits, by code of its own: the digits that it confirms, unknown by unknown. */
static double confirmed(const plumb_system *system, const plumb_digits *d, int64_t k, int64_t digits)
{
    const int64_t n = plumb_system_unknowns(system), bits = 8 * digits + 2000;
    mp_system s;
    mp_complex *x = numbers_of(d, k, bits), *values = mp_make(n, bits), *jacobian = mp_make(n * n, bits),
               *temporary = mp_make(3, bits);
    assert_int_equal(mp_system_begin(system, bits, &s), PLUMB_OK);
    mp_system_eval(&s, x, values, jacobian, NULL);
    assert_true(mp_solve(jacobian, values, n, 1, temporary));
    double least = (double)INFINITY;
    const double largest = mp_log2_largest(x, n);
    for (int64_t i = 0; i < n; i++) {
        const double size = mp_log2(&x[i]);
        least = fmin(least, (isfinite(size) ? size : largest) - mp_log2(&values[i]));
    }
    mp_system_clear(&s);
    mp_free(x, n);
    mp_free(values, n);
    mp_free(jacobian, n * n);
    mp_free(temporary, 3);
    return least * log10(2.0);
}

static void check_all(const plumb_system *system, const plumb_digits *d, int64_t digits, const char *what)
{
    for (int64_t k = 0; k < plumb_digits_count(d); k++) {
        const plumb_digits_report r = report_of(d, k);
        if (r.code != PLUMB_DIGITS_REACHED || r.known != digits)
            fail_msg("%s, point %lld: %s, %lld digits", what, (long long)k, plumb_digits_name(r.code),
                     (long long)r.known);
        const double good = confirmed(system, d, k, digits);
        if (good < (double)digits)
            fail_msg("%s, point %lld: %.2f digits, %lld are claimed", what, (long long)k, good, (long long)digits);
    }
}

/* ---- Zeros that are known ----------------------------------------------------------------------------------------- */

static void square_roots_have_all_their_digits(void **state)
{
    static const int64_t wanted[] = {1, 15, 60, 100, 1000, 1001, 10000};
    plumb_system *s = parse("x^2 - 2; y^2 - 3*x^2/2; z - x*y;");
    const double x[] = {1.4142135623730951, 0, 1.7320508075688772, 0, 2.449, 1e-5};
    (void)state;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        plumb_digits *d = refine(s, x, 1, wanted[k]);
        const plumb_digits_report r = report_of(d, 0);
        assert_int_equal(r.code, PLUMB_DIGITS_REACHED);
        assert_int_equal(r.known, wanted[k]);
        check_root(d, 0, 2, wanted[k]);
        check_root(d, 1, 3, wanted[k]);
        check_root(d, 2, 6, wanted[k]);
        assert_true(strlen(plumb_digits_re(d, 0, 0)) <= (size_t)wanted[k] + 3);
        plumb_digits_destroy(d);
    }
    plumb_system_destroy(s);
}

static void exact_numbers_are_short(void **state)
{
    static const struct {
        const char *system, *re, *im;
        double x[2];
    } cases[] = {
        {"x - 3;", "3", "0", {3, 0}},
        {"4*x^2 - 9;", "-1.5", "0", {-1.4, 0.01}},
        {"x^2 + 1/4;", "0", "0.5", {1e-3, 0.51}},
        {"1024*x - 1;", "0.0009765625", "0", {0.001, 0}},
        {"10^40*x - 1;", "1e-40", "0", {1e-40, 0}},
        {"x - 25*10^30;", "2.5e31", "0", {2.5e31, 0}},
        {"x - 120;", "120", "0", {119, 0}},
        {"x^3 - x^2 + x;", "0", "0", {1e-9, 1e-9}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        plumb_digits *d = refine(s, cases[k].x, 1, 300);
        assert_int_equal(report_of(d, 0).code, PLUMB_DIGITS_REACHED);
        assert_string_equal(plumb_digits_re(d, 0, 0), cases[k].re);
        assert_string_equal(plumb_digits_im(d, 0, 0), cases[k].im);
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

static void one_third_has_all_its_digits(void **state)
{
    plumb_system *s = parse("x - 1/3; y^2 - 2*x*y/7 - 1/3;");
    plumb_digits *d = refine(s, (double[]){0.3333333333, 0, 0.627, 0}, 1, 500);
    (void)state;
    check_all(s, d, 500, "rational coefficients");
    const char *third = plumb_digits_re(d, 0, 0);
    assert_int_equal(strlen(third), 2 + 501);
    assert_int_equal(strspn(third + 2, "3"), 501);
    plumb_digits_destroy(d);
    plumb_system_destroy(s);
}

/* ---- Zeros that are checked --------------------------------------------------------------------------------------- */

static void complex_coefficients_are_exact(void **state)
{
    plumb_system *s = parse("x^2 - (1/3 + 2*i)*y; y^2 + i*x - 5 + (7/11)*i*x*y;");
    const double start[] = {2.3, 0.4, 1.2, -1.4};
    plumb_context *context = context_of(1);
    plumb_view view;
    plumb_newton_report report;
    double x[4];
    (void)state;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 1, &view), PLUMB_OK);
    assert_int_equal(plumb_pack(start, &view), PLUMB_OK);
    assert_int_equal(plumb_newton(context, s, &view, NULL, &report), PLUMB_OK);
    assert_int_equal(report.code, PLUMB_NEWTON_CONVERGED);
    assert_int_equal(plumb_unpack(&view, x), PLUMB_OK);
    plumb_digits *d = refine(s, x, 1, 1000);
    check_all(s, d, 1000, "complex coefficients");
    plumb_digits_destroy(d);
    plumb_array_destroy(context, &view);
    plumb_context_destroy(context);
    plumb_system_destroy(s);
}

/* Coordinates of very different sizes have digits of their own. */
static void sizes_of_coordinates_do_not_matter(void **state)
{
    static const struct {
        const char *system;
        double x[6];
    } cases[] = {
        {"x^2 - 2*10^60; x*y - 3; z^2 - 5 + y;", {1.414213562373095e30, 0, 2.12132034e-30, 0, 2.236, 0}},
        {"x^2 - 2*10^60; y^2 - 3/10^60 + y/10^70; z^3 - x*y + z;", {1.4142136e30, 0, 1.7320508e-30, 0, 1.1, 0}},
        {"x + y - 10^30; x*y - 1; z - x + 10^30;", {1e30, 0, 1e-30, 0, -1e-30, 0}},
        {"x^2 - 2; y*x - y; z - 10^40*y - x;", {1.41421, 0, 1e-17, 0, 1.41421, 0}}, /* y is zero */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char what[40];
        plumb_system *s = parse(cases[k].system);
        plumb_digits *d = refine(s, cases[k].x, 1, 400);
        snprintf(what, sizeof what, "sizes, case %zu", k);
        check_all(s, d, 400, what);
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

static void zero_coordinates_become_zero(void **state)
{
    plumb_system *s = parse("x^2 - 2; x*y + y^2 - 3*y; z*(x + 1) + y;");
    plumb_digits *d = refine(s, (double[]){1.4142135623, 0, 1e-9, -1e-12, 0, 0}, 1, 700);
    (void)state;
    check_all(s, d, 700, "zero coordinates");
    for (int64_t i = 1; i < 3; i++) {
        assert_string_equal(plumb_digits_re(d, 0, i), "0");
        assert_string_equal(plumb_digits_im(d, 0, i), "0");
    }
    plumb_digits_destroy(d);
    plumb_system_destroy(s);
}

/* More equations than unknowns. */
static void overdetermined_zeros_are_refined_and_near_misses_refused(void **state)
{
    plumb_system *s = parse("x^2 - 2; y - x - 1; x*y - x - 2;");
    const double x[] = {1.4142135623730951, 0, 2.414213562373095, 0};
    char text[160];
    (void)state;
    plumb_digits *d = refine(s, x, 1, 2000);
    assert_int_equal(report_of(d, 0).code, PLUMB_DIGITS_REACHED);
    check_root(d, 0, 2, 2000);
    plumb_digits_destroy(d);
    plumb_system_destroy(s);
    for (int miss = 3; miss <= 1200; miss *= 3) {
        snprintf(text, sizeof text, "x^2 - 2; y - x - 1; x*y - x - 2 + 1/10^%d;", miss);
        s = parse(text);
        d = refine(s, x, 1, 2000);
        if (report_of(d, 0).code != PLUMB_DIGITS_NOT_ZERO)
            fail_msg("misses by 1e-%d: %s", miss, plumb_digits_name(report_of(d, 0).code));
        assert_int_equal(report_of(d, 0).known, 0);
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

static void close_zeros_stay_apart(void **state)
{
    (void)state;
    for (int gap = 5; gap <= 400; gap *= 3) {
        char text[160];
        snprintf(text, sizeof text, "(x - 1)*(x - 1 - 1/10^%d); y - x/10^%d;", gap, gap);
        plumb_system *s = parse(text);
        plumb_digits *d = refine(s, (double[]){1, 0, pow(10, -fmin(gap, 300)), 0}, 1, 900);
        check_all(s, d, 900, text);
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

/* ---- The roots of cyclic6 ----------------------------------------------------------------------------------------- */

static const char cyclic6[] = "a + b + c + d + e + f; a*b + b*c + c*d + d*e + e*f + f*a;"
                              "a*b*c + b*c*d + c*d*e + d*e*f + e*f*a + f*a*b;"
                              "a*b*c*d + b*c*d*e + c*d*e*f + d*e*f*a + e*f*a*b + f*a*b*c;"
                              "a*b*c*d*e + b*c*d*e*f + c*d*e*f*a + d*e*f*a*b + e*f*a*b*c + f*a*b*c*d; a*b*c*d*e*f - 1;";

/* The box around the first limbs of a root has exactly one zero: is it the one with all these digits? */
static void check_box(plumb_context *context, const plumb_certificates *proofs, const plumb_digits *d, int64_t k)
{
    const int64_t n = plumb_digits_unknowns(d);
    plumb_view centre;
    double radii[6];
    assert_int_equal(n, 6);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, 1, &centre), PLUMB_OK);
    assert_int_equal(plumb_certificates_get_box(proofs, k, &centre, radii), PLUMB_OK);
    mp_complex *x = numbers_of(d, k, 4000), *y = mp_make(1, 4000);
    for (int64_t i = 0; i < n; i++) {
        double limbs[2 * PLUMB_QD];
        for (int c = 0; c < 2 * PLUMB_QD; c++)
            limbs[c] = centre.data[c * centre.plane + i];
        mp_set_limbs(y, limbs, limbs + PLUMB_QD, PLUMB_QD);
        mp_sub(y, y, &x[i]);
        if (mp_log2(y) > log2(radii[i]) + 1.0)
            fail_msg("root %lld, unknown %lld is not in its box", (long long)k, (long long)i);
    }
    mp_free(x, n);
    mp_free(y, 1);
    plumb_array_destroy(context, &centre);
}

static void roots_of_cyclic6_have_1000_digits(void **state)
{
    plumb_system *s = parse(cyclic6);
    plumb_context *context = context_of(2);
    plumb_solutions *list = NULL;
    plumb_view x;
    plumb_certificates *proofs = NULL;
    plumb_digits_options options;
    (void)state;
    plumb_digits_options_init(&options);
    options.digits = 1000;
    assert_int_equal(plumb_solve(context, s, NULL, &list), PLUMB_OK);
    assert_int_equal(plumb_solutions_count(list), 156);
    assert_int_equal(plumb_solutions_refine(context, s, list, &options), PLUMB_OK);
    const plumb_digits *d = plumb_solutions_digits(list);
    check_all(s, d, 1000, "cyclic6");
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, plumb_solutions_prec(list), PLUMB_COMPLEX, 6, 1, 156, &x),
                     PLUMB_OK);
    assert_int_equal(plumb_solutions_get(list, 0, &x), PLUMB_OK);
    if (plumb_certify_available(NULL, 0)) {
        assert_int_equal(plumb_certify(context, s, &x, NULL, &proofs), PLUMB_OK);
        for (int64_t k = 0; k < 156; k++)
            check_box(context, proofs, d, k);
    }
    plumb_certificates_destroy(proofs);
    plumb_array_destroy(context, &x);
    plumb_solutions_destroy(list);
    plumb_context_destroy(context);
    plumb_system_destroy(s);
}

/* ---- Random systems ----------------------------------------------------------------------------------------------- */

static double next_number(plumb_random *random)
{
    return ((double)plumb_random_below(random, 2000001) - 1e6) / 1e6;
}

/* A dense system of two equations of degree 3 in two unknowns, with rational coefficients; it is zero near a random point. */
static plumb_system *random_system(plumb_random *random, double x[4])
{
    char text[4000] = "";
    for (int i = 0; i < 4; i++)
        x[i] = next_number(random);
    for (int e = 0; e < 2; e++) {
        double re = 0.0, im = 0.0;
        for (int a = 0; a <= 3; a++)
            for (int b = a == 0; a + b <= 3; b++) {
                const long long p = 1 + (long long)plumb_random_below(random, 999999), q = 1000003;
                double pr = (double)p / (double)q, pi = 0.0;
                for (int k = 0; k < a + b; k++) {
                    const double *z = k < a ? x : x + 2, r = pr * z[0] - pi * z[1];
                    pi = pr * z[1] + pi * z[0];
                    pr = r;
                }
                re += pr;
                im += pi;
                snprintf(text + strlen(text), sizeof text - strlen(text), "+ %lld/%lld*x^%d*y^%d ", p, q, a, b);
            }
        snprintf(text + strlen(text), sizeof text - strlen(text), "- (%.17g) - (%.17g)*i; ", re, im);
    }
    return parse(text);
}

static void random_systems_keep_their_promises(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        char what[40];
        double x[4];
        plumb_random random = plumb_random_start(seed);
        plumb_system *s = random_system(&random, x);
        plumb_digits *d = refine(s, x, 1, 50 + 13 * (int64_t)seed);
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        check_all(s, d, 50 + 13 * (int64_t)seed, what);
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

/* ---- Refusals ----------------------------------------------------------------------------------------------------- */

static void what_is_not_regular_is_refused(void **state)
{
    static const struct {
        const char *system;
        double x[4];
        int32_t code;
    } cases[] = {
        {"x^2; y - 1;", {0, 0, 1, 0}, PLUMB_DIGITS_SINGULAR},               /* exactly there */
        {"x^2; y - 1;", {1e-7, 0, 1, 0}, PLUMB_DIGITS_SINGULAR},            /* near it */
        {"(x - 1)^2*(x + 2); y - x;", {1, 0, 1, 0}, PLUMB_DIGITS_SINGULAR}, /* a double zero */
        {"(3*x - 1)^3; y - x;", {0.3333333333333333, 0, 0.33333, 0}, PLUMB_DIGITS_SINGULAR},
        {"(x^2 - 2)^2; y - x;", {1.4142135623730951, 0, 1.4142135623730951, 0}, PLUMB_DIGITS_SINGULAR},
        {"x*y; x*y;", {1, 0, 0, 0}, PLUMB_DIGITS_SINGULAR},               /* on a curve of zeros */
        {"x^2 + y^2 - 2; x*y - 1;", {1, 0, 1, 0}, PLUMB_DIGITS_SINGULAR}, /* a tangent */
        {"(x + y/3)*(x + y/3 - 2); y^2; 3*x^2 + y*x - 6*x + y^2;",
         {2, 0, 0, 0},
         PLUMB_DIGITS_SINGULAR},                                                         /* dependent columns */
        {"x^2 - 2; y*(x^2 - 2);", {1.4142135623730951, 0, 0, 0}, PLUMB_DIGITS_SINGULAR}, /* terms that vanish */
        {"x^2 + 1; y - x;", {0.3, 0, 0.3, 0}, PLUMB_DIGITS_DIVERGED},                    /* a real point far from i */
        {"x^2 - 2; y - x;", {(double)INFINITY, 0, 1, 0}, PLUMB_DIGITS_NONFINITE},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        plumb_digits *d = refine(s, cases[k].x, 1, 200);
        const plumb_digits_report r = report_of(d, 0);
        if (r.code != cases[k].code || r.known != 0)
            fail_msg("%s: %s with %lld digits", cases[k].system, plumb_digits_name(r.code), (long long)r.known);
        assert_true(strlen(plumb_digits_re(d, 0, 0)) > 0); /* the value that it was given */
        plumb_digits_destroy(d);
        plumb_system_destroy(s);
    }
}

static void misuse_is_told(void **state)
{
    plumb_context *context = context_of(1);
    plumb_system *s = parse("x^2 - 2;"), *few = parse("x*y - 1;");
    plumb_view view, two;
    plumb_digits *d = NULL;
    plumb_digits_options options;
    plumb_digits_report report;
    (void)state;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 1, 1, 0, &view), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 2, 1, 1, &two), PLUMB_OK);
    plumb_digits_options_init(&options);
    assert_int_equal(plumb_refine_digits(NULL, s, &view, NULL, &d), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_refine_digits(context, NULL, &view, NULL, &d), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_refine_digits(context, s, NULL, NULL, &d), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_refine_digits(context, s, &view, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_refine_digits(context, s, &two, NULL, &d), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_refine_digits(context, few, &two, NULL, &d), PLUMB_ERR_ARGUMENT);
    for (int64_t digits = 0; digits <= 10001; digits += 10001) {
        options.digits = digits;
        assert_int_equal(plumb_refine_digits(context, s, &view, &options, &d), PLUMB_ERR_ARGUMENT);
        assert_null(d);
    }
    assert_int_equal(plumb_refine_digits(context, s, &view, NULL, &d), PLUMB_OK); /* no points are fine */
    assert_int_equal(plumb_digits_count(d), 0);
    assert_int_equal(plumb_digits_get(d, 0, &report), PLUMB_ERR_ARGUMENT);
    assert_null(plumb_digits_re(d, 0, 0));
    plumb_digits_destroy(d);
    plumb_digits_destroy(NULL);
    assert_int_equal(plumb_digits_count(NULL), 0);
    assert_null(plumb_digits_im(NULL, 0, 0));
    plumb_array_destroy(context, &view);
    plumb_array_destroy(context, &two);
    plumb_system_destroy(s);
    plumb_system_destroy(few);
    plumb_context_destroy(context);
}

/* ---- Threads, progress and lists ---------------------------------------------------------------------------------- */

enum { MANY = 23 };

/* Zeros of x^24 - 2, y = x^2 + 1. */
static void many_points(double *x)
{
    const double pi = 3.141592653589793, size = pow(2.0, 1.0 / 24.0);
    for (int k = 0; k < MANY; k++) {
        const double re = size * cos(2.0 * pi * k / 24.0), im = size * sin(2.0 * pi * k / 24.0);
        x[4 * k] = re;
        x[4 * k + 1] = im;
        x[4 * k + 2] = re * re - im * im + 1.0;
        x[4 * k + 3] = 2.0 * re * im;
    }
}

static void threads_give_the_same_digits(void **state)
{
    plumb_system *s = parse("x^24 - 2; y - x^2 - 1;");
    double x[4 * MANY];
    (void)state;
    many_points(x);
    plumb_digits *one = refine_with(1, s, x, MANY, 800);
    check_all(s, one, 800, "roots of 2");
    for (int32_t threads = 2; threads <= 3; threads++) {
        plumb_digits *d = refine_with(threads, s, x, MANY, 800);
        for (int64_t k = 0; k < MANY; k++)
            for (int64_t i = 0; i < 2; i++) {
                assert_string_equal(plumb_digits_re(one, k, i), plumb_digits_re(d, k, i));
                assert_string_equal(plumb_digits_im(one, k, i), plumb_digits_im(d, k, i));
            }
        plumb_digits_destroy(d);
    }
    plumb_digits_destroy(one);
    plumb_system_destroy(s);
}

static int stop_after(void *data, int64_t done, int64_t failed, int64_t total)
{
    int *left = data;
    assert_true(done >= 0 && done <= total && failed <= done && total == MANY);
    return (*left)-- <= 0;
}

/* One thread asks before each of its steps. With two, the one that asks may come late, when the other has done almost everything. */
static void progress_stops_the_call(void **state)
{
    static const struct {
        int32_t threads;
        int left;
    } cases[] = {{1, 3}, {2, 0}};
    plumb_system *s = parse("x^24 - 2; y - x^2 - 1;");
    double x[4 * MANY];
    (void)state;
    many_points(x);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_context *context = context_of(cases[k].threads);
        plumb_view view;
        plumb_digits *d = NULL;
        int left = cases[k].left;
        plumb_digits_options options;
        plumb_digits_options_init(&options);
        options.digits = 3000;
        options.progress = stop_after;
        options.data = &left;
        assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, MANY, &view), PLUMB_OK);
        assert_int_equal(plumb_pack(x, &view), PLUMB_OK);
        assert_int_equal(plumb_refine_digits(context, s, &view, &options, &d), PLUMB_ERR_STOPPED);
        assert_null(d);
        plumb_array_destroy(context, &view);
        plumb_context_destroy(context);
    }
    plumb_system_destroy(s);
}

/* Solves a system and refines the list; the rest of the test compares the files. */
static void lists_of_solutions_keep_their_digits(void **state)
{
    plumb_system *s = parse("x^3 - 3*x^2 + 4; y^2 - x - 3/7;"); /* x is -1 or twice 2 */
    plumb_context *context = context_of(2);
    plumb_solutions *list = NULL;
    plumb_digits_options options;
    char *text = NULL;
    size_t needed = 0;
    (void)state;
    plumb_digits_options_init(&options);
    options.digits = 250;
    assert_int_equal(plumb_solve(context, s, NULL, &list), PLUMB_OK);
    assert_null(plumb_solutions_digits(list));
    assert_int_equal(plumb_solutions_refine(context, s, list, &options), PLUMB_OK);
    const plumb_digits *d = plumb_solutions_digits(list);
    assert_int_equal(plumb_digits_count(d), plumb_solutions_count(list));
    for (int64_t k = 0; k < plumb_digits_count(d); k++) {
        plumb_solution_record record;
        assert_int_equal(plumb_solutions_get_record(list, k, &record), PLUMB_OK);
        const bool regular = record.kind == PLUMB_SOLUTION_REGULAR;
        assert_int_equal(report_of(d, k).code, regular ? PLUMB_DIGITS_REACHED : PLUMB_DIGITS_SINGULAR);
        if (!regular)
            continue;
        assert_int_equal(record.known, 250);
        assert_true(confirmed(s, d, k, 250) >= 250.0);
        assert_string_equal(plumb_digits_re(d, k, 0), "-1");
    }
    for (int format = PLUMB_FORMAT_PHC; format <= PLUMB_FORMAT_JSON; format += PLUMB_FORMAT_JSON - PLUMB_FORMAT_PHC) {
        assert_int_equal(plumb_solutions_write(list, (plumb_format)format, NULL, 0, &needed), PLUMB_ERR_BUFFER);
        text = malloc(needed);
        assert_non_null(text);
        assert_int_equal(plumb_solutions_write(list, (plumb_format)format, text, needed, NULL), PLUMB_OK);
        for (int64_t k = 0; k < plumb_digits_count(d); k++) { /* 0.75592... i: the digits after the point */
            const char *im = plumb_digits_im(d, k, 1);
            assert_true(strcmp(im, "0") == 0 || strstr(text, strchr(im, '.') + 2) != NULL);
        }
        plumb_solutions *back = NULL;
        assert_int_equal(plumb_solutions_read(text, strlen(text), PLUMB_QD, &back, NULL), PLUMB_OK);
        assert_int_equal(plumb_solutions_count(back), plumb_solutions_count(list));
        plumb_solutions_destroy(back);
        free(text);
    }
    plumb_solutions_destroy(list);
    plumb_context_destroy(context);
    plumb_system_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(square_roots_have_all_their_digits),
        cmocka_unit_test(exact_numbers_are_short),
        cmocka_unit_test(one_third_has_all_its_digits),
        cmocka_unit_test(complex_coefficients_are_exact),
        cmocka_unit_test(sizes_of_coordinates_do_not_matter),
        cmocka_unit_test(zero_coordinates_become_zero),
        cmocka_unit_test(overdetermined_zeros_are_refined_and_near_misses_refused),
        cmocka_unit_test(close_zeros_stay_apart),
        cmocka_unit_test(roots_of_cyclic6_have_1000_digits),
        cmocka_unit_test(random_systems_keep_their_promises),
        cmocka_unit_test(what_is_not_regular_is_refused),
        cmocka_unit_test(misuse_is_told),
        cmocka_unit_test(threads_give_the_same_digits),
        cmocka_unit_test(progress_stops_the_call),
        cmocka_unit_test(lists_of_solutions_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
