/* t_scaling.c - tests the scales of unknowns and equations: a system in different units is scaled to exactly the same
 * system; systems that are well scaled, or that powers of two do not explain, are not changed. */
#include "solver/eval/eval_cases.h"

#include <math.h>

#include "model/homotopy/homogenize.h"
#include "model/homotopy/homotopy.h"
#include "model/homotopy/scaling.h"
#include "text/system/make.h"

static const uint64_t seed = 1987;
enum { MOST = 8 }; /* equations and unknowns */

static system_scaling find(const plumb_system *system)
{
    system_scaling scaling;
    assert_int_equal(plumb_scaling_find(system, &scaling), PLUMB_OK);
    return scaling;
}

/* The system with scaled unknowns and equations. */
static plumb_system *scaled(const plumb_system *system, const system_scaling *scaling)
{
    const int64_t m = system->equations, n = system->unknowns;
    polynomial p[MOST] = {{.terms = NULL}};
    int32_t to[MOST];
    plumb_system *result;
    assert_true(m <= MOST && n <= MOST);
    for (int64_t i = 0; i < n; i++)
        to[i] = (int32_t)i;
    for (int64_t k = 0; k < m; k++) {
        assert_int_equal(plumb_homogenize(system, k, to, -1, &p[k]), PLUMB_OK);
        plumb_scaling_apply(scaling, k, 0, &p[k]);
    }
    assert_int_equal(plumb_system_build(p, m, (const char *const *)system->names, n, &result), PLUMB_OK);
    return result;
}

/* From -60 to 60. */
static void draw_units(plumb_random *random, int32_t *units)
{
    for (int i = 0; i < MOST; i++)
        units[i] = (int32_t)plumb_random_below(random, 121) - 60;
}

static void units_do_not_matter(void **state)
{
    (void)state;
    static const random_shape shapes[] = {
        {5, 4, 12, 3, 3, 1}, {2, 2, 6, 2, 4, 0}, {1, 1, 16, 1, 9, 1}, {6, 6, 20, 3, 2, 0}};
    plumb_random random = plumb_random_start(seed);
    for (uint64_t k = 0; k < 40; k++) {
        plumb_system *system = random_system(&shapes[k % 4], seed + k), *normal[2];
        for (int which = 0; which < 2; which++) {
            int32_t of_unknowns[MOST], of_equations[MOST];
            draw_units(&random, of_unknowns);
            draw_units(&random, of_equations);
            of_unknowns[0] = which ? -50 : 45; /* where there is one alone, far enough from 0 */
            const system_scaling units = {.unknown = of_unknowns, .equation = of_equations, .moves = true};
            plumb_system *other = scaled(system, &units);
            system_scaling found = find(other);
            assert_true(found.unknown != NULL && found.moves);
            assert_true(plumb_scaling_fits(&found, other, NULL));
            normal[which] = scaled(other, &found);
            plumb_scaling_clear(&found);
            plumb_system_destroy(other);
        }
        assert_true(plumb_system_same(normal[0], normal[1]));
        plumb_system_destroy(normal[0]);
        plumb_system_destroy(normal[1]);
        plumb_system_destroy(system);
    }
}

static void expect_none(const plumb_system *system, const char *name)
{
    system_scaling scaling = find(system);
    if (scaling.unknown != NULL)
        fail_msg("%s is scaled", name);
    plumb_scaling_clear(&scaling);
}

static void good_scales_stay(void **state)
{
    (void)state;
    for (const system_family *family = plumb_system_families; family->name != NULL; family++)
        for (int64_t n = 2; n < 9; n++) {
            plumb_system *system;
            assert_int_equal(plumb_system_family_make(family, n, &system), PLUMB_OK);
            expect_none(system, family->name);
            plumb_system_destroy(system);
        }
    /* Roots of two scales; coefficients of all sizes; a constant, an unknown and an equation that are not there; exponents out of range. */
    static const char *const texts[] = {"x^2 + x + 1e-40;", "x^3 + 1e30*x^2 + x + 1e30;",
                                        "x - 3; 3; x - x;", "x - x + y - y; 5*y;",
                                        "x - 1e200;",       "x^2 - 1e-280; 1e280*x*y - 1;"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        plumb_system *system = parse_system(texts[k]);
        expect_none(system, texts[k]);
        plumb_system_destroy(system);
    }
}

static void check(const char *text, int64_t unknown, int32_t exponent, int64_t equation, int32_t factor)
{
    plumb_system *system = parse_system(text);
    system_scaling scaling = find(system);
    assert_non_null(scaling.unknown);
    assert_int_equal(scaling.unknown[unknown], exponent);
    assert_int_equal(scaling.equation[equation], factor);
    plumb_scaling_clear(&scaling);
    plumb_system_destroy(system);
}

/* Numbers beyond doubles are fine where scaled ones are not. */
static void scales_are_those_of_roots(void **state)
{
    (void)state;
    check("x - 1099511627776;", 0, 40, 0, -40);
    check("4096*x - 1;", 0, -12, 0, 0);
    check("x^2 - 2^60; x*y - 1;", 0, 30, 1, 0);
    check("x^2 - 2^60; x*y - 1;", 1, -30, 0, -60);
    check("x^100 - 2^2000;", 0, 20, 0, -2000);
    check("2^50*x^2 - 2^50*i;", 0, 0, 0, -50);
    check("x^2/2^50 - i/2^50;", 0, 0, 0, 50);
}

/* Start and target have the same factors, so h is what it was: multiplied by a power of two, at every t. */
static void homotopies_keep_their_time(void **state)
{
    (void)state;
    plumb_system *g = parse_system("y^2 - 3*i*x; x*y - 2;"), *f = parse_system("x^2 - 2^50*y; 2^10*y^2 - x*y - 2^70;");
    plumb_homotopy *h, *given;
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    assert_int_equal(plumb_homotopy_create(g, f, &options, &h), PLUMB_OK);
    options.unscaled = 1;
    assert_int_equal(plumb_homotopy_create(g, f, &options, &given), PLUMB_OK);
    assert_null(given->exponent);
    assert_non_null(h->exponent);
    system_scaling found = find(f);
    assert_memory_equal(h->exponent, found.unknown, 2 * sizeof(int32_t));
    int32_t twice[4] = {found.equation[0], found.equation[1], found.equation[0], found.equation[1]};
    const system_scaling both = {.unknown = found.unknown, .equation = twice, .moves = true};
    plumb_system *stacked = scaled(given->stacked, &both);
    assert_true(plumb_system_same(stacked, h->stacked));
    options.unscaled = 2;
    plumb_homotopy *no = NULL;
    assert_int_equal(plumb_homotopy_create(g, f, &options, &no), PLUMB_ERR_ARGUMENT);
    plumb_scaling_clear(&found);
    plumb_system_destroy(stacked);
    plumb_system_destroy(g);
    plumb_system_destroy(f);
    plumb_homotopy_destroy(h);
    plumb_homotopy_destroy(given);
}

/* A start system that would leave the range of doubles in the target's units keeps all of it unscaled. */
static void starts_must_fit(void **state)
{
    (void)state;
    plumb_system *g = parse_system("x^40 - 1;"), *f = parse_system("x - 2^60;"), *near = parse_system("x - 1;");
    plumb_homotopy *h;
    assert_int_equal(plumb_homotopy_create(g, f, NULL, &h), PLUMB_OK);
    assert_null(h->exponent);
    plumb_homotopy_destroy(h);
    assert_int_equal(plumb_homotopy_create(near, f, NULL, &h), PLUMB_OK);
    assert_int_equal(h->exponent[0], 60);
    plumb_homotopy_destroy(h);
    plumb_system_destroy(g);
    plumb_system_destroy(f);
    plumb_system_destroy(near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_do_not_matter), cmocka_unit_test(good_scales_stay),
                                       cmocka_unit_test(scales_are_those_of_roots),
                                       cmocka_unit_test(homotopies_keep_their_time), cmocka_unit_test(starts_must_fit)};
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
