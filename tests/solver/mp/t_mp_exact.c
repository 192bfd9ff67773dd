/* t_mp_exact.c - tests exact statements about rational solutions: which points are found, and their multiplicities. */
#include "solver/mp/exact.h"

#include "solver/mp/mp_test.h"

enum { MOST_UNKNOWNS = 8 };

/* Complex coordinates as pairs of doubles, in the order in which the unknowns occur. */
static void to_limbs(const double *at, int64_t n, double *x)
{
    memset(x, 0, (size_t)(2 * n * PLUMB_QD) * sizeof *x);
    for (int64_t k = 0; k < 2 * n; k++)
        x[k * PLUMB_QD] = at[k];
}

static bool finds(const plumb_system *s, const double *at, double error, exact_point *point)
{
    double x[2 * MOST_UNKNOWNS * PLUMB_QD];
    const int64_t n = plumb_system_unknowns(s);
    assert_true(n <= MOST_UNKNOWNS);
    to_limbs(at, n, x);
    return exact_point_find_limbs(s, x, PLUMB_QD, log2(error), point);
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* The coordinate as a text is that of the only unknown. */
static void expect_number(const char *system, const double at[2], double error, const char *re, const char *im)
{
    plumb_system *s = parse(system);
    exact_point point;
    if (!finds(s, at, error, &point))
        fail_msg("%s: there is no rational solution within %g of %.17g", system, error, at[0]);
    const char *wanted[2] = {re, im};
    for (int part = 0; part < 2; part++) {
        mpq_t w;
        mpq_init(w);
        assert_int_equal(mpq_set_str(w, wanted[part], 10), 0);
        if (!mpq_equal(point.x[part], w))
            fail_msg("%s: part %d is not %s", system, part, wanted[part]);
        mpq_clear(w);
    }
    exact_point_clear(&point);
    plumb_system_destroy(s);
}

static void rational_points_are_found(void **state)
{
    (void)state;
    expect_number("x^2 - x;", (double[]){1e-18, -1e-19}, 1e-16, "0", "0");
    expect_number("x^2 - x;", (double[]){1.0 - 0x1p-52, 0x1p-60}, 1e-15, "1", "0");
    expect_number("3*x + 1;", (double[]){-1.0 / 3.0, 0.0}, 1e-15, "-1/3", "0");
    expect_number("(7*x - 22)^3;", (double[]){22.0 / 7.0 + 1e-9, 1e-9}, 1e-8, "22/7", "0");
    expect_number("(1000*x - 999)^2;", (double[]){0.999 + 3e-10, -2e-10}, 1e-9, "999/1000", "0");
    expect_number("x - 12345678901;", (double[]){12345678901.0 + 1e-5, 0.0}, 1e-4, "12345678901", "0");
}

static void complex_rational_points_are_found(void **state)
{
    (void)state;
    expect_number("x^2 + 1;", (double[]){1e-20, 1.0}, 1e-15, "0", "1");
    expect_number("(x^2 + 1)^2;", (double[]){-1e-9, -1.0 + 1e-9}, 1e-8, "0", "-1");
    expect_number("9*x^2 - 6*x + 5;", (double[]){1.0 / 3.0, 2.0 / 3.0}, 1e-15, "1/3", "2/3");
    expect_number("2*x - 3 - 5*i;", (double[]){1.5, 2.5}, 1e-15, "3/2", "5/2");
}

/* What is near a solution, and what is rational but no solution. */
static void other_points_are_refused(void **state)
{
    static const struct {
        const char *system;
        double at[2], error;
    } cases[] = {
        {"x^2 - 2;", {1.4142135623730951, 0.0}, 1e-15},
        {"x^2 + 2;", {0.0, 1.4142135623730951}, 1e-15},
        {"x^2 - x;", {0.5, 0.0}, 1e-15},
        {"x - 1 - 1/10^40;", {1.0, 0.0}, 1e-30},
        {"x^2 - x;", {1e-10, 0.0}, 1e-16},
        {"x^2 - x;", {(double)NAN, 0.0}, 1e-16},
        {"x^2 - x;", {0.0, (double)INFINITY}, 1e-16},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        exact_point point;
        if (finds(s, cases[k].at, cases[k].error, &point))
            fail_msg("case %zu: %s has no solution near there", k, cases[k].system);
        exact_point_clear(&point);
        plumb_system_destroy(s);
    }
}

/* The limbs of a quad double add up to the number within its precision. */
static void limbs_round_the_point(void **state)
{
    plumb_system *s = parse("3*x + 1 - 7*i;");
    double x[2 * PLUMB_QD];
    exact_point point;
    (void)state;
    assert_true(finds(s, (double[]){-1.0 / 3.0, 7.0 / 3.0}, 1e-15, &point));
    for (int32_t limbs = 1; limbs <= PLUMB_QD; limbs *= 2) {
        exact_point_limbs(&point, x, limbs);
        for (int part = 0; part < 2; part++) {
            mpq_t sum, limb;
            mpq_inits(sum, limb, NULL);
            for (int32_t c = 0; c < limbs; c++) {
                mpq_set_d(limb, x[part * limbs + c]);
                mpq_add(sum, sum, limb);
                if (c > 0)
                    assert_true(fabs(x[part * limbs + c]) <= fabs(x[part * limbs + c - 1]) * 0x1p-53);
            }
            mpq_sub(sum, sum, point.x[part]);
            assert_true(fabs(mpq_get_d(sum)) <= exp2(-53.0 * limbs + 1.0));
            mpq_clears(sum, limb, NULL);
        }
    }
    exact_point_clear(&point);
    plumb_system_destroy(s);
}

/* ---- The rank of the Jacobian -------------------------------------------------------------------------------------- */

static void ranks_are_exact(void **state)
{
    static const struct {
        const char *system;
        double at[4];
        int64_t rank;
    } cases[] = {
        {"x*y; x^2 + y^2 - 1;", {1, 0, 0, 0}, 2},
        {"x*y; x*y;", {0}, 0},
        {"x*y; x*y;", {0, 0, 5, 0}, 1},
        {"x^2 + 1; x*y;", {0, 1, 0, 0}, 2},
        {"(x - y)^2; x - y;", {3, 0, 3, 0}, 1},
        {"(x - y)^2*(x + y);", {3, 0, -3, 0}, 1},
        {"x^3; y;", {0}, 1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        exact_point point;
        assert_true(finds(s, cases[k].at, 1e-15, &point));
        assert_int_equal(exact_rank(s, &point), cases[k].rank);
        exact_point_clear(&point);
        plumb_system_destroy(s);
    }
}

/* ---- Multiplicities ------------------------------------------------------------------------------------------------ */

typedef struct known {
    const char *system;
    double at[2 * MOST_UNKNOWNS];
    int64_t most, multiplicity;
} known;

static void expect_multiplicities(const known *cases, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        plumb_system *s = parse(cases[k].system);
        exact_point point;
        if (!finds(s, cases[k].at, 1e-12, &point))
            fail_msg("%s: the point is not found", cases[k].system);
        const int64_t found = exact_multiplicity(s, &point, cases[k].most);
        if (found != cases[k].multiplicity)
            fail_msg("%s: multiplicity %lld, expected %lld", cases[k].system, (long long)found,
                     (long long)cases[k].multiplicity);
        exact_point_clear(&point);
        plumb_system_destroy(s);
    }
}

static void multiplicities_are_exact(void **state)
{
    static const known cases[] = {
        {"x - 1;", {1}, 0, 1},
        {"x^2 - 3*x + 2;", {2}, 0, 1},
        {"(x - 1)^5*(x + 1);", {1}, 0, 5},
        {"(x^2 + 1)^3;", {0, 1}, 0, 3},
        {"x^2; y^2;", {0}, 0, 4},
        {"29*x^3 - 32*x*y; y - x^2;", {0}, 0, 3}, /* Griewank and Osborne */
        {"(x - 1)*(y - 2); (x - 1)^3 - (y - 2)^2;", {1, 0, 2, 0}, 0, 5},
        {"x^2 + y + z - 1; x + y^2 + z - 1; x + y + z^2 - 1;", {1, 0, 0, 0, 0, 0}, 0, 2},
        {"x^2 + y + z - 1; x + y^2 + z - 1; x + y + z^2 - 1;", {0, 0, 1, 0, 0, 0}, 0, 2},
        {"x^3 - y*z; y^3 - x*z; z^3 - x*y;", {0}, 0, 11},
        {"3*x^2 - 2*i*y; y^2;", {0}, 0, 4},
        {"x^3 - y*z; y^3 - z*w; z^3 - x*w; w^3 - x*y;", {0}, 0, 30},
        {"x^4 - y*z*w; y^4 - x*z*w; z^4 - x*y*w; w^4 - x*y*z;", {0}, 0, 131},
        {"(x - 1)^20 + y^21; (x + y - 1)^15;", {1, 0, 0, 0}, 0, 300},
        {"x^5 + 2*y^2*z^3; (x + y + z)^6 + x^7; (x - 2*y + 3*z)^5;", {0}, 0, 150},
        /* kss3: 4 is the multiplicity at (1, 1, 1) */
        {"x^2 + x + y + z - 2*x - 2; y^2 + x + y + z - 2*y - 2; z^2 + x + y + z - 2*z - 2;", {1, 0, 1, 0, 1, 0}, 0, 4},
    };
    (void)state;
    expect_multiplicities(cases, sizeof cases / sizeof *cases);
}

static void multiplicities_of_overdetermined_systems_are_exact(void **state)
{
    static const known cases[] = {
        {"x^2; x*y; y^2;", {0}, 0, 3},
        {"x + y^2; x*y; x^2;", {0}, 0, 3},
        {"x^2 - x; x*y; y^2 - y;", {0}, 0, 1},
        {"x^2 - x; x*y; y^2 - y;", {0, 0, 1, 0}, 0, 1},
        {"x^3; x^2*y; x*y^2; y^3;", {0}, 0, 6},
        {"x^2; y^2; z^2; x*y; x*z; y*z;", {0}, 0, 4},
        {"(x - i)^2; (x - i)*(y + i); (y + i)^2;", {0, 1, 0, -1}, 0, 3},
        {"x^2*y - x^2; y^3 - y^2; x^2*y;", {0}, 0, 4},
    };
    (void)state;
    expect_multiplicities(cases, sizeof cases / sizeof *cases);
}

/* On a curve the nullities grow for ever. */
static void points_of_curves_have_none(void **state)
{
    static const known cases[] = {
        {"x*y; x*y;", {0}, 0, -1},
        {"x*y; x^2;", {0}, 0, -1},
        {"x*y; x^2;", {0, 0, 1, 0}, 0, -1},
        {"(x - 1)*(x + y); (x - 1)*(x - y);", {1, 0, 3, 0}, 0, -1},
        {"x*(x - 2); x*y*(y - 2);", {2, 0, 0, 0}, 0, 1}, /* beside a curve */
    };
    (void)state;
    expect_multiplicities(cases, sizeof cases / sizeof *cases);
}

/* Counting ends where it was told to: what is returned is at least that. */
static void counting_ends_early(void **state)
{
    static const known cases[] = {
        {"x^2; y^2;", {0}, 4, 4}, {"x*y; x^2;", {0}, 3, 3}, {"(x - 1)^9;", {1}, 4, 4}, {"(x - 1)^3;", {1}, 5, 3}};
    (void)state;
    expect_multiplicities(cases, sizeof cases / sizeof *cases);
}

/* ---- All solutions ------------------------------------------------------------------------------------------------- */

static void solutions_are_counted(void **state)
{
    static const struct {
        const char *system;
        int64_t solutions; /* with multiplicity; -1: infinitely many */
    } cases[] = {
        {"x^2-2; y^2-3;", 4},
        {"x^3+i; y-i*x;", 3},
        {"x-1; x-2;", 0},
        {"x^3-y*z; y^3-z*w; z^3-x*w; w^3-x*y;", 81},
        {"2*(x^2-2)*y; (x^2-2)^2+6*y^5;", 14},
        {"x+y+x*y-1+(x-y)^5; x+y+x*y-1+y*(x-y)^5;", 15}, /* 15 at one point at infinity */
        {"x+y+x*y-1+(x-y)^9; x+y+x*y-1+y*(x-y)^9;", 27}, /* 63 */
        {"x+y+x*y; x^2+(x+y+x*y)*(x-y)^3;", 2},
        {"x*y; x*y^2;", -1},
        {"x^2-y^2; (x-y)*(x+z); z^2-1;", -1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *s = parse(cases[k].system);
        const int64_t count = cases[k].solutions;
        if (count >= 0 ? !exact_has_at_most(s, count) || exact_has_at_most(s, count - 1) : exact_has_at_most(s, 10000))
            fail_msg("%s does not have %lld solutions", cases[k].system, (long long)count);
        plumb_system_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_points_are_found),
        cmocka_unit_test(complex_rational_points_are_found),
        cmocka_unit_test(other_points_are_refused),
        cmocka_unit_test(limbs_round_the_point),
        cmocka_unit_test(ranks_are_exact),
        cmocka_unit_test(multiplicities_are_exact),
        cmocka_unit_test(multiplicities_of_overdetermined_systems_are_exact),
        cmocka_unit_test(points_of_curves_have_none),
        cmocka_unit_test(counting_ends_early),
        cmocka_unit_test(solutions_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
