/* t_mp_multiple.c - tests multiplicities at points that are known approximately: A-D-E singularities and others at irrational points, and
 * clusters, which are none. */
#include "solver/mp/multiple.h"

#include "solver/mp/mp_test.h"

enum { MOST_UNKNOWNS = 4 };

#define SQRT2 1.4142135623730951
#define SQRT3 1.7320508075688772

typedef struct known {
    const char *system;
    int64_t multiplicity;
    double x[MOST_UNKNOWNS]; /* rounded, and real; in the order in which the unknowns occur */
} known;

static bool decide_within(const plumb_system *s, const double *at, double error, int64_t multiplicity, int64_t bits,
                          mp_complex *x)
{
    plumb_status status;
    mp_multiple m = {.multiplicity = multiplicity, .error = error, .bits = bits, .most_work = 1e9};
    for (int64_t i = 0; i < plumb_system_unknowns(s); i++) {
        mpfr_set_d(x[i].re, at[i], MPFR_RNDN);
        mpfr_set_zero(x[i].im, 1);
    }
    const bool is = mp_is_multiple(s, x, &m, &status);
    assert_int_equal(status, PLUMB_OK);
    assert_true(m.work <= 2.0 * m.most_work);
    return is;
}

static bool decide(const plumb_system *s, const double *at, int64_t multiplicity, int64_t bits, mp_complex *x)
{
    return decide_within(s, at, -48.0, multiplicity, bits, x);
}

static void singularities_have_their_multiplicities(void **state)
{
    static const known cases[] = {
        {"x+y+x*y-1+(x-y)^5; x+y+x*y-1+y*(x-y)^5;", 5, {SQRT2 - 1.0, SQRT2 - 1.0}},
        {"x+y+x*y-1+(x-y)^15; x+y+x*y-1+y*(x-y)^15;", 15, {SQRT2 - 1.0, SQRT2 - 1.0}},
        {"2*(x^2-2)*y; (x^2-2)^2+6*y^5;", 7, {SQRT2, 0.0}},
        {"2*(x^2-2)*y; (x^2-2)^2+14*y^13;", 15, {-SQRT2, 0.0}},
        {"3*(x^2-2)^2+y^3; 4*y^3-(x^2-2)^2;", 6, {SQRT2, 0.0}},
        {"3*(x^2+y-2)^2+y^3; 3*(x^2+y-2)*y^2;", 7, {SQRT2, 0.0}},
        {"3*(x^2+y-3)^2+y^4; 5*y^4-(x^2+y-3)^2;", 8, {-SQRT3, 0.0}},
        {"1000000*(x^2-2)^3+y^4; y^4*(x+1)-(x^2-2)^3/1000;", 12, {SQRT2, 0.0}},
        {"(x^2-2)^2+(x^2-2)*(y^2-3)+(y^2-3)^2; (x^2-2)^3+2*(y^2-3)^3;", 6, {SQRT2, -SQRT3}},
        {"(x^2-2)^2+y*z; y^3-(x^2-2)*z^2; z^4+y^4+(x^2-2)^5;", 24, {SQRT2, 0.0, 0.0}},
    };
    const int64_t bits = 600;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        const int64_t n = plumb_system_unknowns(s), m = cases[k].multiplicity;
        mp_complex *x = mp_make(n, bits), *square = mp_make(1, bits);
        for (int64_t other = m - 1; other <= m + 1; other++)
            if (decide(s, cases[k].x, other, bits, x) != (other == m))
                fail_msg("%s: multiplicity %lld", cases[k].system, (long long)other);
        assert_true(decide(s, cases[k].x, m, bits, x));
        for (int64_t i = 0; i < n; i++)
            if (fabs(cases[k].x[i]) > 1.0) { /* x^2 is 2 or 3 to many digits */
                mpfr_sqr(square->re, x[i].re, MPFR_RNDN);
                mpfr_sub_d(square->re, square->re, round(cases[k].x[i] * cases[k].x[i]), MPFR_RNDN);
                assert_true(mp_log2(square) < -0.7 * (double)bits);
            }
        mp_free(x, n);
        mp_free(square, 1);
        plumb_system_destroy(s);
    }
}

/* The points are known to six digits, or to five and said to be worse; large terms cancel near some of them, so that what does not
 * vanish is small, too. */
static void points_with_few_digits_are_enough(void **state)
{
#define U "((x+2)^2-5)"
#define V "(x+y+7/2)"
    static const known cases[] = {
        {U "^4+2*" V "^4+" U "*" V "^3; " U "^5-3*" V "^5+(x+3*y)*(" U "^4+2*" V "^4+" U "*" V "^3);",
         20,
         {0.23606797749978969, -3.73606797749978969}},
        {U "^3*1000+" V "^3/100; " U "^4-" V "^4+" U "^2*" V "^2*(x-y)^3;",
         12,
         {0.23606797749978969, -3.73606797749978969}},
        {"2*(x^2-2)*y; (x^2-2)^2+6*y^5;", 7, {SQRT2, 0.0}},
        {"(x^2-2)^2+(x^2-2)*(y^2-3)+(y^2-3)^2; (x^2-2)^3+2*(y^2-3)^3;", 6, {SQRT2, -SQRT3}},
    };
#undef U
#undef V
    const int64_t bits = 1000;
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        const int64_t m = cases[k].multiplicity;
        mp_complex *x = mp_make(2, bits), *value = mp_make(1, bits);
        const double at[] = {cases[k].x[0] + 3e-7, cases[k].x[1] - 2e-7};
        for (int64_t other = m - 1; other <= m + 1; other++)
            if (decide_within(s, at, -15.0, other, bits, x) != (other == m))
                fail_msg("%s: multiplicity %lld", cases[k].system, (long long)other);
        assert_true(decide_within(s, at, -15.0, m, bits, x));
        mpfr_add_d(value->re, x[0].re, k < 2 ? 2.0 : 0.0, MPFR_RNDN); /* its square is 5, 2 or 3 */
        mpfr_sqr(value->re, value->re, MPFR_RNDN);
        mpfr_sub_d(value->re, value->re, k < 2 ? 5.0 : 2.0, MPFR_RNDN);
        assert_true(mp_log2(value) < -0.7 * (double)bits);
        mp_free(x, 2);
        mp_free(value, 1);
        plumb_system_destroy(s);
    }
}

static void clusters_are_not_multiple(void **state)
{
    static const known cases[] = {
        {"(x^2-2)^2-1/10^60; y-x;", 2, {SQRT2, SQRT2}},
        {"(x^2-2)*(x^2-2-1/10^60)*(x^2-2+1/10^60); y-x;", 3, {SQRT2, SQRT2}},
        {"2*(x^2-2)*y+1/10^100; (x^2-2)^2+6*y^5;", 7, {SQRT2, 0.0}},
        {"2*(x^2-2)*y; (x^2-2)^2+6*y^5-1/10^120;", 7, {SQRT2, 0.0}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        mp_complex *x = mp_make(2, 128);
        const double far[] = {cases[k].x[0] - 1e-7, cases[k].x[1] + 1e-7};
        if (decide(s, cases[k].x, cases[k].multiplicity, 1000, x) ||
            decide_within(s, far, -15.0, cases[k].multiplicity, 1000, x))
            fail_msg("%s: a multiple solution was found", cases[k].system);
        assert_true(decide(s, cases[k].x, cases[k].multiplicity, 260, x)); /* what these digits cannot show */
        mp_free(x, 2);
        plumb_system_destroy(s);
    }
}

static void regular_points_and_curves_are_refused(void **state)
{
    static const known cases[] = {
        {"x^2-2; y^2-3;", 2, {SQRT2, SQRT3}},
        {"(x^2-2)*y; (x^2-2)*(y+x);", 2, {SQRT2, 0.5}},
        {"(x^2-2)^2; (x^2-2)*(y+x);", 2, {SQRT2, 0.5}},
        {"(x^2-2)^2; (y^2-3)^2;", 4, {1.3, SQRT3}}, /* far away */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        mp_complex *x = mp_make(2, 128);
        for (int64_t m = 2; m < 6; m++)
            if (decide(s, cases[k].x, m, 400, x))
                fail_msg("%s: multiplicity %lld", cases[k].system, (long long)m);
        mp_free(x, 2);
        plumb_system_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(singularities_have_their_multiplicities),
        cmocka_unit_test(points_with_few_digits_are_enough),
        cmocka_unit_test(clusters_are_not_multiple),
        cmocka_unit_test(regular_points_and_curves_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
