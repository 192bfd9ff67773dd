/* t_certify.c - tests certificates: what is proven is true, what is true and simple is proven, and nothing else is claimed.
 *
 * Every test but the first ones needs the plugin with the ball arithmetic, and is skipped without it. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *context;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static void need_plugin(void)
{
    char why[256];
    if (!plumb_certify_available(why, sizeof why)) {
        print_message("no certificates: %s\n", why);
        skip();
    }
}

/* Certifies points that are given as texts, one per unknown of each point. */
static plumb_certificates *certify(plumb_context *with, const char *system, int32_t prec, const char *const *texts,
                                   int64_t count)
{
    plumb_system *s;
    plumb_view x;
    plumb_certificates *c = NULL;
    double re[PLUMB_QD], im[PLUMB_QD];
    assert_int_equal(plumb_system_parse(system, strlen(system), &s, NULL), PLUMB_OK);
    const int64_t n = plumb_system_unknowns(s);
    assert_int_equal(plumb_array_create(with, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, count, &x), PLUMB_OK);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++) {
            const char *text = texts[k * n + i];
            assert_int_equal(plumb_number_read(text, strlen(text), prec, re, im, NULL), PLUMB_OK);
            for (int32_t l = 0; l < prec; l++) {
                x.data[k * x.next + l * x.plane + i] = re[l];
                x.data[k * x.next + (prec + l) * x.plane + i] = im[l];
            }
        }
    assert_int_equal(plumb_certify(with, s, &x, NULL, &c), PLUMB_OK);
    assert_int_equal(plumb_certificates_count(c), count);
    plumb_array_destroy(with, &x);
    plumb_system_destroy(s);
    return c;
}

static plumb_certificate get(const plumb_certificates *c, int64_t k)
{
    plumb_certificate one;
    assert_int_equal(plumb_certificates_get(c, k, &one), PLUMB_OK);
    return one;
}

static void expect(const plumb_certificates *c, int64_t k, int32_t code, int32_t real, int32_t positive,
                   int32_t distinct)
{
    const plumb_certificate one = get(c, k);
    assert_int_equal(one.code, code);
    assert_int_equal(one.real, real);
    assert_int_equal(one.positive, positive);
    assert_int_equal(one.distinct, distinct);
    assert_int_equal(one.same_as >= 0, distinct < 0);
    assert_int_equal(one.bits > 0, code <= PLUMB_CERTIFY_EXCLUDED);
}

/* ---- What is true is proven --------------------------------------------------------------------------------------- */

static void simple_zeros_are_certified(void **state)
{
    static const char *const points[] = {"1.4142135623730951", "2.414213562373095", "-1.4142135623730951",
                                         "-0.4142135623730951"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x^2 - 2; y - x - 1;", PLUMB_D, points, 2);
    expect(c, 0, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, -1, 1);
    assert_int_equal(get(c, 0).bits, 64);
    assert_true(get(c, 0).radius < 1e-17);
    assert_true(get(c, 0).moved < 1e-15);
    plumb_certificates_destroy(c);
}

static void pairs_that_are_almost_real_are_not_real(void **state)
{
    static const char *const points[] = {"1 + 1e-30i", "1 - 1e-30i", "1"};
    (void)state;
    need_plugin();
    /* (x - 1)^2 + 10^-60 */
    plumb_certificates *c = certify(context, "x^2 - 2*x + 1 + 1e-60;", PLUMB_QD, points, 3);
    expect(c, 0, PLUMB_CERTIFIED, -1, -1, 1);
    expect(c, 1, PLUMB_CERTIFIED, -1, -1, 1);
    assert_true(get(c, 2).code == PLUMB_CERTIFY_SINGULAR || get(c, 2).code == PLUMB_CERTIFY_NO_CONTRACTION);
    plumb_certificates_destroy(c);
}

static void close_zeros_are_distinct(void **state)
{
    static const char *const points[] = {"1", "1.0000000000000000000000000000000000000001", "1"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "(x - 1)*(x - 1 - 1e-40);", PLUMB_QD, points, 3);
    expect(c, 0, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 2, PLUMB_CERTIFIED, 1, 1, -1);
    assert_int_equal(get(c, 2).same_as, 0);
    plumb_certificates_destroy(c);
}

/* The two points approximate one zero by 2^-53 of different signs, so that their boxes overlap until one is refined. */
static void one_zero_is_counted_once(void **state)
{
    static const char *const points[] = {"0.33333333333333331", "0.33333333333333337", "-2", "0.3333333333"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "(3*x - 1)*(x^2 - 4);", PLUMB_D, points, 4);
    expect(c, 0, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, 1, -1);
    expect(c, 2, PLUMB_CERTIFIED, 1, -1, 1);
    expect(c, 3, PLUMB_CERTIFIED, 1, 1, -1);
    assert_int_equal(get(c, 1).same_as, 0);
    plumb_certificates_destroy(c);
}

static void ill_conditioned_zeros_take_more_bits(void **state)
{
    static const char *const points[] = {"1", "15", "30"};
    char text[4096] = "(x - 1)";
    (void)state;
    need_plugin();
    for (int k = 2; k <= 30; k++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "*(x - %d)%s", k, k == 30 ? ";" : "");
    }
    plumb_certificates *c = certify(context, text, PLUMB_D, points, 3);
    for (int64_t k = 0; k < 3; k++)
        expect(c, k, PLUMB_CERTIFIED, 1, 1, 1);
    assert_true(get(c, 1).bits > 64);
    plumb_certificates_destroy(c);
}

static void zeros_of_any_size_are_certified(void **state)
{
    static const char *const points[] = {"1e-100", "1e100", "1e-100", "-1e100"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x*y - 1; 1e-200*y^2 - 1;", PLUMB_QD, points, 2);
    expect(c, 0, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, -1, 1); /* x has the wrong sign, and the certificate tells how far the zero is */
    assert_true(get(c, 1).moved >= 1.99e-100 && get(c, 1).moved < 1e84);
    plumb_certificates_destroy(c);
}

static void coordinates_that_are_zero_have_no_sign(void **state)
{
    static const char *const points[] = {"1e-20", "1", "3 + 1e-18i", "2"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x*(x - 3); (y - 1)*(y - 2);", PLUMB_QD, points, 2);
    expect(c, 0, PLUMB_CERTIFIED, 1, 0, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, 1, 1);
    plumb_certificates_destroy(c);
}

/* Katsura's system in u_0 .. u_n, which appear in this order. */
static void write_katsura(int n, char *text, size_t size)
{
    size_t at = 0;
    for (int k = 0; k < n; k++) {
        at += (size_t)snprintf(text + at, size - at, "-u%d", k);
        for (int l = 0; l <= n; l++) {
            if (abs(k - l) <= n)
                at += (size_t)snprintf(text + at, size - at, "+u%d*u%d", l, abs(k - l));
            if (l > 0 && k + l <= n)
                at += (size_t)snprintf(text + at, size - at, "+u%d*u%d", l, k + l);
        }
        at += (size_t)snprintf(text + at, size - at, ";");
    }
    at += (size_t)snprintf(text + at, size - at, "u0");
    for (int l = 1; l <= n; l++)
        at += (size_t)snprintf(text + at, size - at, "+2*u%d", l);
    snprintf(text + at, size - at, "-1;");
}

/* u_0 = 1, and all others are zero. What is computed for them is noise, in which imaginary parts are as large as real ones. */
static void zeros_with_zero_coordinates_are_real(void **state)
{
    enum { N = 8, POINTS = 4 };
    static const char *const points[POINTS * (N + 1)] = {"1.0 + 1.3829338031593799e-16i",
                                                         "-8.733445606295715e-18 + 4.226718231712615e-17i",
                                                         "-1.0956509848791664e-17 + 1.7481975663705578e-16i",
                                                         "4.728266007294662e-17 + 4.4491069432221044e-17i",
                                                         "2.5766976043410484e-18 + 1.517214818861521e-16i",
                                                         "1.763527977964536e-16 - 4.8732050476211514e-17i",
                                                         "1.358906240528759e-16 - 2.234895018090296e-16i",
                                                         "-1.1678469017192044e-16 - 7.659739934687317e-17i",
                                                         "-1.6081242128954323e-16 + 8.637696986616859e-17i",
                                                         "1.0 + 9.497494914227334e-17i",
                                                         "2.7967868311742347e-16 - 3.359288094118547e-17i",
                                                         "8.844835648953384e-17 + 1.0890413740044361e-16i",
                                                         "-2.2313588684672256e-17 - 6.918595954413685e-17i",
                                                         "1.475635515159006e-16 - 1.2087062149473847e-16i",
                                                         "6.956712327524048e-17 + 6.586642003708543e-17i",
                                                         "-9.94757208161416e-17 - 2.1384417620040427e-16i",
                                                         "9.179834654331472e-17 - 1.043988730994989e-18i",
                                                         "2.5307585322015372e-17 - 1.3005746572938962e-16i",
                                                         "0.9999999999999999 + 6.938716375161789e-17i",
                                                         "9.039660190864573e-17 + 2.0602304160471112e-16i",
                                                         "-2.5807991027579206e-17 + 1.2180670901225886e-16i",
                                                         "9.155436141322202e-17 + 2.3844579908182477e-17i",
                                                         "-4.10074659175448e-17 + 8.864492045325105e-17i",
                                                         "-4.24356830506324e-17 - 4.724181543377498e-17i",
                                                         "-5.3595018022364687e-17 + 1.4647102136107404e-16i",
                                                         "-1.6204359087707958e-16 - 3.3954849322114134e-17i",
                                                         "-7.932423397348769e-18 + 8.584096412232935e-17i",
                                                         "0.9999999999897485 + 1.4997256620038626e-10i",
                                                         "1.1167700667217646e-10 + 7.919417523552781e-11i",
                                                         "3.6164374651402806e-11 - 1.196861538151338e-10i",
                                                         "-6.204289828387172e-11 + 7.291609131857061e-11i",
                                                         "8.910939036240097e-11 - 3.221761038672054e-11i",
                                                         "1.0930534935391105e-10 + 1.2701812082017749e-11i",
                                                         "-1.2429180691231891e-10 + 3.2987432456086486e-10i",
                                                         "5.005208554958417e-11 + 2.1817657165000055e-10i",
                                                         "1.1858301915715523e-10 + 1.507555473081358e-11i"};
    char text[4096];
    (void)state;
    need_plugin();
    write_katsura(N, text, sizeof text);
    for (int k = 0; k < POINTS; k++) {
        plumb_certificates *c = certify(context, text, PLUMB_QD, points + k * (N + 1), 1);
        expect(c, 0, PLUMB_CERTIFIED, 1, 0, 1);
        plumb_certificates_destroy(c);
    }
}

/* ---- Nothing else is claimed -------------------------------------------------------------------------------------- */

static void real_needs_real_coefficients(void **state)
{
    static const char *const points[] = {"1", "i"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x^2 - (1 + i)*x + i;", PLUMB_QD, points, 2);
    expect(c, 0, PLUMB_CERTIFIED, 0, 0, 1);
    expect(c, 1, PLUMB_CERTIFIED, -1, -1, 1);
    plumb_certificates_destroy(c);
}

static void singular_zeros_are_not_certified(void **state)
{
    static const char *const at_zero[] = {"0", "0", "1e-20", "1e-40"}, *const twice[] = {"1", "0.9999999999999999"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "29*x^3 - 32*x*y; y - x^2;", PLUMB_QD, at_zero, 2);
    for (int64_t k = 0; k < 2; k++)
        assert_true(get(c, k).code == PLUMB_CERTIFY_SINGULAR || get(c, k).code == PLUMB_CERTIFY_NO_CONTRACTION);
    assert_int_equal(get(c, 0).code, PLUMB_CERTIFY_SINGULAR);
    plumb_certificates_destroy(c);
    c = certify(context, "x^2 - 2*x + 1;", PLUMB_D, twice, 2);
    for (int64_t k = 0; k < 2; k++)
        assert_true(get(c, k).code == PLUMB_CERTIFY_SINGULAR || get(c, k).code == PLUMB_CERTIFY_NO_CONTRACTION);
    plumb_certificates_destroy(c);
}

static void points_that_are_no_zeros_are_not_certified(void **state)
{
    static const char *const points[] = {"0.1", "100 + 3i", "nan", "inf"};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x^2 - 1;", PLUMB_D, points, 4);
    assert_int_equal(get(c, 0).code, PLUMB_CERTIFY_NO_CONTRACTION);
    assert_int_equal(get(c, 1).code, PLUMB_CERTIFY_NO_CONTRACTION);
    assert_int_equal(get(c, 2).code, PLUMB_CERTIFY_NONFINITE);
    assert_int_equal(get(c, 3).code, PLUMB_CERTIFY_NONFINITE);
    plumb_certificates_destroy(c);
}

static void more_equations_prove_less(void **state)
{
    static const char *const points[] = {"1.4142135623730951", "2.414213562373095", "-1.4142135623730951",
                                         "-0.4142135623730951"};
    (void)state;
    need_plugin();
    static const char *const whole[] = {"1", "2", "2", "1"};
    plumb_certificates *c = certify(context, "x^2 + y^2 - 5; x*y - 2; x^3 + y^3 - 9;", PLUMB_D, whole, 2);
    expect(c, 0, PLUMB_CERTIFY_SQUARED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFY_SQUARED, 1, 1, 1);
    plumb_certificates_destroy(c);
    c = certify(context, "x^2 - 2; y - x - 1; x*y - x - 2;", PLUMB_D, points, 2); /* the last one follows */
    expect(c, 0, PLUMB_CERTIFIED, 1, 1, 1);
    expect(c, 1, PLUMB_CERTIFIED, 1, -1, 1);
    plumb_certificates_destroy(c);
    c = certify(context, "x^2 - 2; y - x - 1; x*y - x - 2 - 1e-9;", PLUMB_D, points, 2);
    expect(c, 0, PLUMB_CERTIFY_EXCLUDED, 1, 1, 1);
    plumb_certificates_destroy(c);
}

/* ---- Boxes -------------------------------------------------------------------------------------------------------- */

static void rounded_boxes_contain_the_zero(void **state)
{
    static const char *const points[] = {
        "1.4142135623730950488016887242096980785696718753769480731766797379907324784621", "3"};
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    (void)state;
    need_plugin();
    plumb_certificates *c = certify(context, "x^2 - 2; (y - 3)*(y - 3 - 1e-35);", PLUMB_QD, points, 1);
    for (int k = 0; k < 3; k++) {
        plumb_view centre;
        double radii[2], truth[PLUMB_QD];
        assert_int_equal(plumb_array_create(context, PLUMB_HOST, precisions[k], PLUMB_COMPLEX, 2, 1, 1, &centre),
                         PLUMB_OK);
        assert_int_equal(plumb_certificates_get_box(c, 0, &centre, radii), PLUMB_OK);
        assert_int_equal(plumb_number_read(points[0], strlen(points[0]), PLUMB_QD, truth, NULL, NULL), PLUMB_OK);
        double gap = 0.0; /* to the square root of 2 */
        for (int32_t l = 0; l < PLUMB_QD; l++)
            gap += (l < precisions[k] ? centre.data[l * centre.plane] : 0.0) - truth[l];
        assert_true(fabs(gap) <= radii[0] + 1e-63);
        assert_true(radii[0] > 0.0 && radii[0] < 1e-15);
        assert_true(centre.data[1] == 3.0);
        plumb_array_destroy(context, &centre);
    }
    plumb_certificates_destroy(c);
}

static char *text_of(const plumb_certificates *c, int64_t k)
{
    size_t needed = 0;
    assert_int_equal(plumb_certificates_write(c, k, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(plumb_certificates_write(c, k, text, needed, NULL), PLUMB_OK);
    assert_int_equal(strlen(text) + 1, needed);
    return text;
}

static void certificates_do_not_depend_on_threads(void **state)
{
    enum { COUNT = 40 };
    static char texts[COUNT][64];
    const char *points[COUNT];
    plumb_certificates *c[2];
    (void)state;
    need_plugin();
    for (int k = 0; k < COUNT; k++) { /* unit roots, among other points */
        const double angle = 2.0 * 3.14159265358979323846 * k / 37;
        snprintf(texts[k], sizeof texts[k], "%.17g %c %.17gi", cos(angle), sin(angle) < 0.0 ? '-' : '+',
                 fabs(sin(angle)));
        points[k] = texts[k];
    }
    for (int k = 0; k < 2; k++) {
        plumb_context_options options;
        plumb_context *with;
        plumb_context_options_init(&options);
        options.threads = k == 0 ? 1 : 7;
        assert_int_equal(plumb_context_create(&options, &with), PLUMB_OK);
        c[k] = certify(with, "x^37 - 1;", PLUMB_D, points, COUNT);
        plumb_context_destroy(with);
    }
    for (int64_t k = 0; k < COUNT; k++) {
        char *one = text_of(c[0], k), *seven = text_of(c[1], k);
        assert_string_equal(one, seven);
        assert_int_equal(get(c[0], k).distinct, k < 37 ? 1 : -1);
        assert_int_equal(get(c[0], k).real, k % 37 == 0 ? 1 : -1);
        free(one);
        free(seven);
    }
    plumb_certificates_destroy(c[0]);
    plumb_certificates_destroy(c[1]);
}

/* Keeps what was told last. */
static int keep_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    int64_t *told = data;
    told[0] = done;
    told[1] = failed;
    told[2] = total;
    return 0;
}

static int stop_at_once(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)done;
    (void)failed;
    (void)total;
    return ++*(int *)data;
}

static void public_calls_check_their_arguments(void **state)
{
    static const char two[] = "x^2 - 2; y - x;", one[] = "x*y - 1;";
    plumb_system *square, *wide;
    plumb_view x;
    plumb_certificates *c = NULL;
    plumb_certificate r;
    plumb_certify_options options;
    int calls = 0;
    (void)state;
    assert_int_equal(plumb_system_parse(two, strlen(two), &square, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_parse(one, strlen(one), &wide, NULL), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 1, &x), PLUMB_OK);
    x.data[0] = x.data[1] = 1.4142135623730951;
    plumb_certify_options_init(&options);
    assert_int_equal(plumb_certify(NULL, square, &x, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certify(context, NULL, &x, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certify(context, square, NULL, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certify(context, square, &x, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certify(context, wide, &x, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "1 equations and 2 unknowns"));
    options.max_bits = 32;
    assert_int_equal(plumb_certify(context, square, &x, &options, &c), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "max_bits"));
    plumb_view real = x;
    real.parts = PLUMB_REAL;
    assert_int_equal(plumb_certify(context, square, &real, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_null(c);
    assert_int_equal(plumb_certificates_count(NULL), 0);
    assert_int_equal(plumb_certificates_get(NULL, 0, &r), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certificates_get_box(NULL, 0, &x, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_certificates_write(NULL, 0, NULL, 0, NULL), PLUMB_ERR_ARGUMENT);
    plumb_certificates_destroy(NULL);
    for (int code = 0; code < PLUMB_CERTIFY_CODES; code++)
        assert_true(strlen(plumb_certify_text((plumb_certify_code)code)) > 5);
    assert_string_equal(plumb_certify_text((plumb_certify_code)-1), "unknown code");
    if (plumb_certify_available(NULL, 0)) {
        plumb_certify_options_init(&options);
        options.progress = stop_at_once;
        options.data = &calls;
        assert_int_equal(plumb_certify(context, square, &x, &options, &c), PLUMB_ERR_STOPPED);
        assert_int_equal(calls, 1);
        assert_null(c);
        int64_t told[3] = {0};
        plumb_view two_points;
        assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 2, 1, 2, &two_points),
                         PLUMB_OK);
        two_points.data[0] = two_points.data[1] = 1.4142135623730951;
        two_points.data[two_points.next] = (double)NAN; /* fails before the first attempt */
        options.progress = keep_progress;
        options.data = told;
        assert_int_equal(plumb_certify(context, square, &two_points, &options, &c), PLUMB_OK);
        assert_true(told[0] == 1 && told[1] == 1 && told[2] == 2);
        plumb_certificates_destroy(c);
        plumb_array_destroy(context, &two_points);
        assert_int_equal(plumb_certify(context, square, &x, NULL, &c), PLUMB_OK);
        assert_int_equal(plumb_certificates_get(c, 1, &r), PLUMB_ERR_ARGUMENT);
        assert_int_equal(plumb_certificates_get(c, 0, NULL), PLUMB_ERR_ARGUMENT);
        assert_int_equal(plumb_certificates_get_box(c, 0, NULL, NULL), PLUMB_ERR_ARGUMENT);
        assert_int_equal(plumb_certificates_get_box(c, 0, &real, NULL), PLUMB_ERR_ARGUMENT);
        plumb_certificates_destroy(c);
    } else {
        assert_int_equal(plumb_certify(context, square, &x, NULL, &c), PLUMB_ERR_UNSUPPORTED);
        assert_non_null(strstr(plumb_context_message(context), "FLINT"));
    }
    plumb_array_destroy(context, &x);
    plumb_system_destroy(square);
    plumb_system_destroy(wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_calls_check_their_arguments),
        cmocka_unit_test(simple_zeros_are_certified),
        cmocka_unit_test(pairs_that_are_almost_real_are_not_real),
        cmocka_unit_test(close_zeros_are_distinct),
        cmocka_unit_test(one_zero_is_counted_once),
        cmocka_unit_test(ill_conditioned_zeros_take_more_bits),
        cmocka_unit_test(zeros_of_any_size_are_certified),
        cmocka_unit_test(coordinates_that_are_zero_have_no_sign),
        cmocka_unit_test(zeros_with_zero_coordinates_are_real),
        cmocka_unit_test(real_needs_real_coefficients),
        cmocka_unit_test(singular_zeros_are_not_certified),
        cmocka_unit_test(points_that_are_no_zeros_are_not_certified),
        cmocka_unit_test(more_equations_prove_less),
        cmocka_unit_test(rounded_boxes_contain_the_zero),
        cmocka_unit_test(certificates_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
