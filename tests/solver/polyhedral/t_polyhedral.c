/* t_polyhedral.c - tests polyhedral start systems: as many different solutions as the mixed volume says, each of which
 * solves the system; bits that depend on the number of a solution alone; and solutions with zero coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "model/system/system.h"
#include "solver/context_test.h"
#include "solver/polyhedral/polyhedral.h"

static const uint64_t seed = 31415;

static const char cyclic5[] = "a+b+c+d+e; a*b+b*c+c*d+d*e+e*a; a*b*c+b*c*d+c*d*e+d*e*a+e*a*b;"
                              "a*b*c*d+b*c*d*e+c*d*e*a+d*e*a*b+e*a*b*c; a*b*c*d*e-1;";
/* Two equations with one support: cells take three points of it. */
static const char semi_mixed[] = "x^2+y*z+x+1; 2*x^2+3*y*z-x+5; y^3+x-2;";
/* Coefficients of very different sizes, so that unknowns are scaled. */
static const char scaled[] = "1e-12*x^2+y-1; 1e12*y^2*x-3e6;";
/* Large cells. */
static const char large[] = "x^7*y^11-2; x^13-y^5+1;";
static const char with_zeros[] = "x^2*y-x*y^2+x*z; y^2-y*z+3*x; z^3-z*x+y;";
/* Unknowns of weights far apart. */
static const char sparse[] = "x^40*y+x*y^40-3*x*y+1; x^39+y^39-x*y+2;";

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

static plumb_view new_points(int64_t n, int64_t count)
{
    plumb_view x;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, count, &x), PLUMB_OK);
    return x;
}

/* Newton's method moves none of the points. */
static void assert_solves(const plumb_system *system, const plumb_view *x)
{
    plumb_newton_options options;
    plumb_newton_options_init(&options);
    plumb_view roots = new_points(x->rows, x->batch);
    plumb_newton_report *reports = calloc((size_t)x->batch + 1, sizeof *reports);
    assert_non_null(reports);
    memcpy(roots.data, x->data, (size_t)(x->next * x->batch) * sizeof *x->data);
    assert_int_equal(plumb_newton(context, system, &roots, &options, reports), PLUMB_OK);
    for (int64_t k = 0; k < x->batch; k++) {
        assert_int_equal(reports[k].code, PLUMB_NEWTON_CONVERGED);
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t part = 0; part < 2; part++) {
                const int64_t at = k * x->next + part * x->prec * x->plane + i;
                const double there = roots.data[at], here = x->data[at];
                assert_true(here - there < 1e-9 * (1.0 + (here < 0 ? -here : here)));
                assert_true(there - here < 1e-9 * (1.0 + (here < 0 ? -here : here)));
            }
    }
    free(reports);
    plumb_array_destroy(context, &roots);
}

static void assert_solved(const char *text, uint64_t with, int64_t expected)
{
    plumb_system *target = parse(text);
    polyhedral *p = NULL;
    assert_int_equal(plumb_polyhedral_create(context, target, 0, with, 0, &p), PLUMB_OK);
    if (expected >= 0)
        assert_int_equal(p->count, expected);
    plumb_view x = new_points(target->unknowns, p->count);
    plumb_path_record *records = calloc((size_t)p->count + 1, sizeof *records);
    assert_non_null(records);
    assert_int_equal(plumb_polyhedral_solutions(context, p, NULL, NULL, &x, records), PLUMB_OK);
    for (int64_t k = 0; k < p->count; k++) {
        assert_int_equal(records[k].code, PLUMB_PATH_SUCCESS);
        assert_true(records[k].multiplicity <= 1); /* no other path has this end */
    }
    assert_solves(p->system, &x);

    /* Some of them, in another order: the same bits. */
    const int64_t some = p->count < 5 ? p->count : 5;
    int64_t numbers[5];
    plumb_view again = new_points(target->unknowns, some);
    for (int64_t k = 0; k < some; k++)
        numbers[k] = (p->count - 1) - k * (p->count / some);
    assert_int_equal(plumb_polyhedral_solutions(context, p, numbers, NULL, &again, records), PLUMB_OK);
    for (int64_t k = 0; k < some; k++)
        assert_memory_equal(again.data + k * again.next, x.data + numbers[k] * x.next, (size_t)x.next * sizeof *x.data);
    plumb_array_destroy(context, &again);
    plumb_array_destroy(context, &x);
    free(records);
    plumb_polyhedral_destroy(p);
    plumb_system_destroy(target);
}

static void every_root_of_the_start_system_is_found(void **state)
{
    (void)state;
    assert_solved(cyclic5, seed, 70);
    assert_solved(semi_mixed, seed, 6);
    assert_solved(scaled, seed, 5);
    assert_solved(large, seed, 178);
    assert_solved(sparse, seed, -1);
    assert_solved("x^2*y-x*y^2+x; y^2-y*z+3*x; z^3-z*x+y;", seed, -1); /* with zeros */
    assert_solved("x*(x+y-1); y*(x-y-2);", seed, 4);                   /* 1, 1, 1 and 1 */
    assert_solved("x^3-3*y; y^3-x^2*y;", seed, -1);                    /* the origin is a multiple root */
    assert_solved("x^2; y^3;", seed, 6);
}

/* Random supports of three unknowns, five points each, exponents up to 6. */
static void make_random(plumb_random *random, char *text, size_t room)
{
    int at = 0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 5; k++)
            at += snprintf(text + at, room - (size_t)at, "%s%d*x^%d*y^%d*z^%d", k ? "+" : "",
                           1 + (int)plumb_random_below(random, 9), (int)plumb_random_below(random, 7),
                           (int)plumb_random_below(random, 7), (int)plumb_random_below(random, 7));
        at += snprintf(text + at, room - (size_t)at, ";");
    }
}

static void random_supports_have_all_roots(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    for (int k = 0; k < 6; k++) {
        char text[1024];
        make_random(&random, text, sizeof text);
        assert_solved(text, seed + (uint64_t)k, -1);
    }
}

/* Solutions with zero coordinates: the supports get the origin where there are any, and nowhere else. */
static void supports_get_the_origin_where_it_is_needed(void **state)
{
    static const struct {
        const char *text;
        int32_t nonzero, origins;
        int64_t count;
    } cases[] = {{cyclic5, 0, 0, 70},
                 {"x^2; y^3;", 0, 1, 6},
                 {"x^2; y^3;", 1, 0, 0},
                 {"x*(x+y-1); y*(x-y-2);", 0, 1, 4},
                 {"x*(x+y-1); y*(x-y-2);", 1, 0, 1},
                 {"x^5-x;", 0, 1, 5},
                 {"x^5-x;", 1, 0, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_system *system = parse(cases[k].text);
        polyhedral *p = NULL;
        assert_int_equal(plumb_polyhedral_create(context, system, cases[k].nonzero, seed, 0, &p), PLUMB_OK);
        assert_int_equal(p->origins, cases[k].origins);
        assert_int_equal(p->count, cases[k].count);
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(system);
    }
    assert_solved(with_zeros, seed, -1);
}

static int64_t mixed_volume(const plumb_system *system, int32_t kind)
{
    plumb_mixed_options options;
    plumb_mixed_report report;
    plumb_mixed_options_init(&options);
    options.kind = kind;
    assert_int_equal(plumb_mixed_volume(context, system, &options, &report), PLUMB_OK);
    return report.volume;
}

/* An equation whose terms are a constant and multiples of an unknown excludes the zero of this unknown. Without zeros the stable mixed
 * volume, which is not computed then, is the mixed volume. */
static void equations_exclude_zero_coordinates(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    for (int k = 0; k < 20; k++) {
        char text[1024];
        int at = 0;
        for (int i = 0; i < 3; i++) {
            const int x = (int)plumb_random_below(&random, 3), y = (int)plumb_random_below(&random, 3);
            const int z = (int)plumb_random_below(&random, 3), of = k % 2 ? 0 : i; /* in all, or one per unknown */
            if (k % 2 == 0 || i == 0)
                at += snprintf(text + at, sizeof text - (size_t)at, "x^%d*y^%d*z^%d+2*x^%d*y^%d*z^%d-3;",
                               x + (k % 2 || of == 0), y + (k % 2 || of == 1), z + (k % 2 || of == 2),
                               z + (k % 2 || of == 0), x + (k % 2 || of == 1), y + (k % 2 || of == 2));
            else
                at += snprintf(text + at, sizeof text - (size_t)at, "x^%d*y+5*x*y^%d*z^%d-7*z^%d*x+y*z;", x, y, z, x);
        }
        plumb_system *system = parse(text);
        polyhedral *p = NULL;
        const int64_t volume = mixed_volume(system, PLUMB_MIXED_NONZERO);
        assert_int_equal(mixed_volume(system, PLUMB_MIXED_STABLE), volume);
        assert_int_equal(plumb_polyhedral_create(context, system, 0, seed, 0, &p), PLUMB_OK);
        assert_int_equal(p->origins, 0);
        assert_int_equal(p->count, volume);
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(system);
    }
}

/* Every coefficient is that of the target, turned by at most 45 degrees; and not all by the same angle. */
static void coefficients_are_turned(void **state)
{
    static const char *const texts[] = {cyclic5, semi_mixed, scaled, large, sparse};
    (void)state;
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        plumb_system *target = parse(texts[t]);
        polyhedral *p = NULL;
        double least = 1.0, most = -1.0; /* sines */
        assert_int_equal(plumb_polyhedral_create(context, target, 1, seed, 0, &p), PLUMB_OK);
        assert_int_equal(p->system->equation[target->equations], target->equation[target->equations]);
        for (int64_t k = 0; k < target->equation[target->equations]; k++) {
            const double f = mpq_get_d(target->terms[k].re); /* the texts are real */
            const double re = mpq_get_d(p->system->terms[k].re) / f, im = mpq_get_d(p->system->terms[k].im) / f;
            assert_true(re * re + im * im > 1 - 1e-14 && re * re + im * im < 1 + 1e-14);
            assert_true(re > 0.70710678);
            least = im < least ? im : least;
            most = im > most ? im : most;
        }
        assert_true(most - least > 0.1);
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(target);
    }
}

/* Coordinates are kept from root to root, in fewer places than the large cell of these systems has roots: a root has the
 * bits that it has alone. */
static void roots_of_a_cell_do_not_depend_on_those_before(void **state)
{
    (void)state;
    static const char *const texts[] = {"x^29*y^3-2; x^2*y^17+3;", "x^20-2; y^20-3;", large};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        plumb_system *system = parse(texts[k]);
        polyhedral *p = NULL;
        cell_roots *roots = NULL;
        double x[4], alone[4];
        assert_int_equal(plumb_polyhedral_create(context, system, 1, seed, 0, &p), PLUMB_OK);
        assert_int_equal(plumb_cell_roots_create(p, 0, &roots), PLUMB_OK);
        for (int64_t number = 0; number < p->cells->volume[0]; number++) {
            cell_roots *one = NULL;
            plumb_cell_roots_make(roots, number, x);
            assert_int_equal(plumb_cell_roots_create(p, 0, &one), PLUMB_OK);
            plumb_cell_roots_make(one, number, alone);
            plumb_cell_roots_destroy(one);
            assert_memory_equal(x, alone, sizeof x);
        }
        plumb_cell_roots_destroy(roots);
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(system);
    }
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    plumb_system *system = parse("x+y; x-y; x*y;");
    polyhedral *p = NULL;
    assert_int_equal(plumb_polyhedral_create(context, system, 1, seed, 0, &p), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(system);
    system = parse(cyclic5);
    assert_int_equal(plumb_polyhedral_create(context, system, 1, seed, 3, &p), PLUMB_ERR_STOPPED);
    assert_int_equal(plumb_polyhedral_create(context, system, 1, seed, 0, &p), PLUMB_OK);
    plumb_view x = new_points(5, 1);
    plumb_path_record record;
    const int64_t beyond = 70;
    assert_int_equal(plumb_polyhedral_solutions(context, p, &beyond, NULL, &x, &record), PLUMB_ERR_ARGUMENT);
    plumb_array_destroy(context, &x);
    plumb_polyhedral_destroy(p);
    plumb_system_destroy(system);
}

/* Start solutions by MPFR are those of paths in quad doubles, to the digits of these. */
static void walks_in_mpfr_agree(void **state)
{
    const char *const systems[] = {cyclic5, semi_mixed, scaled, large, with_zeros};
    (void)state;
    for (size_t c = 0; c < sizeof systems / sizeof *systems; c++) {
        plumb_system *target = parse(systems[c]);
        polyhedral *p = NULL;
        assert_int_equal(plumb_polyhedral_create(context, target, 0, seed, 0, &p), PLUMB_OK);
        const int64_t n = plumb_system_unknowns(target);
        plumb_view x = new_points(n, p->count);
        plumb_path_record *records = calloc((size_t)p->count, sizeof *records);
        mp_complex *walked = mp_make(n, 256), *tracked = mp_make(1, 256);
        assert_true(records && walked && tracked);
        assert_int_equal(plumb_polyhedral_solutions(context, p, NULL, NULL, &x, records), PLUMB_OK);
        for (int64_t k = 0; k < p->count; k += 7) {
            mp_effort effort = {.most_work = 1e10};
            assert_int_equal(records[k].code, PLUMB_PATH_SUCCESS);
            assert_int_equal(plumb_polyhedral_walk(p, k, &effort, walked), PLUMB_OK);
            assert_true(effort.arrived && effort.work > 0.0);
            for (int64_t i = 0; i < n; i++) {
                double limbs[2 * PLUMB_QD];
                for (int64_t limb = 0; limb < 2 * PLUMB_QD; limb++)
                    limbs[limb] = x.data[k * x.next + limb * x.plane + i];
                mp_set_limbs(tracked, limbs, limbs + PLUMB_QD, PLUMB_QD);
                mp_sub(tracked, tracked, &walked[i]);
                assert_true(mp_log2(tracked) - mp_log2(&walked[i]) < -30.0);
            }
        }
        mp_effort little = {.most_work = 1.0};
        assert_int_equal(plumb_polyhedral_walk(p, 0, &little, walked), PLUMB_OK);
        assert_false(little.arrived);
        mp_free(walked, n);
        mp_free(tracked, 1);
        free(records);
        plumb_array_destroy(context, &x);
        plumb_polyhedral_destroy(p);
        plumb_system_destroy(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_in_mpfr_agree),
        cmocka_unit_test(every_root_of_the_start_system_is_found),
        cmocka_unit_test(random_supports_have_all_roots),
        cmocka_unit_test(supports_get_the_origin_where_it_is_needed),
        cmocka_unit_test(equations_exclude_zero_coordinates),
        cmocka_unit_test(coefficients_are_turned),
        cmocka_unit_test(roots_of_a_cell_do_not_depend_on_those_before),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    backend = PLUMB_BACKEND_CPU;
    return cmocka_run_group_tests(tests, make_context, end_context);
}
