/* t_solve_answers.c - tests plumb_solve on small systems whose exact answers are known and that few digits do not show: solutions with zero
 * coordinates of overdetermined systems, clusters, solutions near the real axis, tiny positive coordinates, and near misses. Each is solved with
 * several seeds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "plumb.h"
#include "solver/context_test.h"

enum { MOST_UNKNOWNS = 6 };

/* A solution that is known: its multiplicity, and re and im of its unknowns, in the order in which the system names them. */
typedef struct point {
    int64_t multiplicity;
    double x[2 * MOST_UNKNOWNS];
} point;

typedef struct answer {
    const char *system;
    int64_t distinct, real;
    point points[6]; /* some of the solutions; multiplicity 0: the end */
    uint64_t seed;   /* one that was wrong once, or 0 */
} answer;

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

static plumb_solutions *solve(const char *text, const plumb_solve_options *options, plumb_solve_report *report)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    plumb_solutions *solutions = NULL;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_solve(context, s, options, &solutions) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, report), PLUMB_OK);
    assert_int_equal(report->paths, report->regular + report->singular + report->infinite + report->not_isolated +
                                        report->extraneous + report->undecided + report->failed);
    plumb_system_destroy(s);
    return solutions;
}

/* Whether solution k is at a point: within rounding, relative to each part that is not zero. */
static bool is_at(const plumb_solutions *solutions, int64_t k, const point *p)
{
    plumb_view x;
    plumb_solution_record record;
    const int32_t prec = plumb_solutions_prec(solutions);
    const int64_t n = plumb_solutions_unknowns(solutions);
    bool near = true;
    double size = 0.0;
    for (int64_t i = 0; i < 2 * n; i++)
        size = fmax(size, fabs(p->x[i]));
    assert_int_equal(plumb_solutions_get_record(solutions, k, &record), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, 1, &x), PLUMB_OK);
    assert_int_equal(plumb_solutions_get(solutions, k, &x), PLUMB_OK);
    for (int64_t i = 0; i < n; i++)
        for (int part = 0; part < 2; part++) {
            const double at = p->x[2 * i + part], value = x.data[part * prec * x.plane + i];
            near = near && fabs(value - at) <= 1e-14 * (at != 0.0 ? fabs(at) : size);
        }
    plumb_array_destroy(context, &x);
    return near && record.multiplicity == p->multiplicity &&
           (record.kind == PLUMB_SOLUTION_REGULAR) == (p->multiplicity == 1);
}

static void expect(const answer *a, const plumb_solve_options *options, const char *what)
{
    plumb_solve_report report;
    plumb_solutions *s = solve(a->system, options, &report);
    char line[256];
    if (plumb_solve_verdict(&report, line, sizeof line) != PLUMB_SOLVE_COMPLETE)
        fail_msg("%s, %s: %s", a->system, what, line);
    if (report.distinct != a->distinct || report.real != a->real)
        fail_msg("%s, %s: %lld solutions, %lld real; expected %lld, %lld", a->system, what, (long long)report.distinct,
                 (long long)report.real, (long long)a->distinct, (long long)a->real);
    for (int p = 0; p < 6 && a->points[p].multiplicity > 0; p++) {
        int64_t found = 0;
        for (int64_t k = 0; k < plumb_solutions_count(s); k++)
            found += is_at(s, k, &a->points[p]);
        if (found != 1)
            fail_msg("%s, %s: point %d of multiplicity %lld is there %lld times", a->system, what, p,
                     (long long)a->points[p].multiplicity, (long long)found);
    }
    plumb_solutions_destroy(s);
}

/* Solves each system with seeds 1 to seeds, and its own. */
static void expect_all(const answer *list, size_t count, uint64_t seeds)
{
    for (size_t k = 0; k < count; k++)
        for (uint64_t seed = 0; seed <= seeds; seed++) {
            plumb_solve_options options;
            char what[32];
            plumb_solve_options_init(&options);
            options.seed = seed > 0 ? seed : list[k].seed;
            if (options.seed == 0)
                continue;
            snprintf(what, sizeof what, "seed %llu", (unsigned long long)options.seed);
            expect(&list[k], &options, what);
        }
}

#define EXPECT_ALL(list, seeds) expect_all(list, sizeof(list) / sizeof *(list), seeds)

/* ---- Overdetermined systems ---------------------------------------------------------------------------------------- */

static void zero_coordinates_are_not_lost(void **state)
{
    static const answer cases[] = {
        {"x^2-x; x*y; y^2-y;", 3, 3, {{1, {0}}, {1, {1}}, {1, {0, 0, 1}}}, 0},
        {"a^3-3*a^2+2*a; b^3-3*b^2+2*b; c^3-3*c^2+2*c; a^2+a*b+b^2-3*a-3*b+2; a^2+a*c+c^2-3*a-3*c+2;"
         "b^2+b*c+c^2-3*b-3*c+2;",
         6,
         6,
         {{1, {0, 0, 1, 0, 2}},
          {1, {0, 0, 2, 0, 1}},
          {1, {1, 0, 0, 0, 2}},
          {1, {1, 0, 2, 0, 0}},
          {1, {2, 0, 0, 0, 1}},
          {1, {2, 0, 1, 0, 0}}},
         0},
        {"-8*x^2-8*x*y-12*x+6*y^2-12*y-1026/25; 9*x^2+8*x*y+44/3*x-6*y^2+15*y+1161/25; x^2+8/3*x;",
         1,
         1,
         {{1, {0, 0, -1.8}}},
         481988},
        {"-6*x^2+4*x+6*y^2+20*y+16; -2*x^2+4*x; 6*x*y+12*x+9*y^2+12*y-12;", 1, 1, {{1, {0, 0, -2}}}, 902402},
        {"x^2+2*x; y^2+2*y; z^2+2*z; x*y^2+2*y^2; -2*z-4; y*z; x^2-2*x*y^2+2*x-5*y^2-2*y+2*z^2+6*z+4;",
         2,
         2,
         {{1, {0, 0, 0, 0, -2}}, {1, {-2, 0, 0, 0, -2}}},
         0},
    };
    (void)state;
    EXPECT_ALL(cases, 4);
}

static void fat_points_are_not_lost(void **state)
{
    static const answer cases[] = {
        {"x^2; x*y; y^2;", 1, 1, {{3, {0}}}, 0},
        {"x+y^2; x*y; x^2;", 1, 1, {{3, {0}}}, 0},
        {"x^3-x^2; x^2*y; x^2*y-x*y; x*y^2; x*y^2-y^2; y^3;", 2, 2, {{3, {0}}, {1, {1}}}, 195443},
        {"x^2*y-x^2; y^3-y^2; x^2*y;", 2, 2, {{4, {0}}, {2, {0, 0, 1}}}, 459925},
        {"59*u; -122*y^2; 61*y^2-3*z; 61*y^2+3*z-59*u; x+y+z+u-13; v-19;",
         1,
         1,
         {{2, {0, 0, 0, 0, 0, 0, 13, 0, 19}}},
         121467},
    };
    (void)state;
    EXPECT_ALL(cases, 4);
}

static void points_beside_a_curve_are_not_lost(void **state)
{
    static const answer cases[] = {
        {"x^3-2*x^2; x*y^2-2*x*y; -x^3+2*x^2-x*y^2+2*x*y;", 2, 2, {{1, {2}}, {1, {2, 0, 2}}}, 170468}};
    (void)state;
    EXPECT_ALL(cases, 2);
}

static void inconsistent_systems_have_no_solution(void **state)
{
    static const answer cases[] = {
        {"x^2-2*x+1; x^2-x-1/10^12*x;", 0, 0, {{0, {0}}}, 0},
        {"x^2+y^2-1; x*y-168/625; x^3-y^3+86278399999999999999999999/10^26;", 0, 0, {{0, {0}}}, 746073},
        {"x^2-10*x+25; x*y+4*x+y^2+3*y-4; -3*x+y+19000000000009/10^12;", 0, 0, {{0, {0}}}, 430627},
        {"x^2-3*x; y; 2*x^2-3*x*y-8*x+y^2+3*y+2999999999999999999999999999/5/10^26;", 0, 0, {{0, {0}}}, 542993},
    };
    (void)state;
    EXPECT_ALL(cases, 4);
}

static void dependent_equations_are_left_out(void **state)
{
    plumb_solve_report report;
    (void)state;
    plumb_solutions_destroy(solve("x^2-2; 0;", NULL, &report));
    assert_int_equal(report.dependent, 1);
    assert_int_equal(report.squared, 0);
    assert_int_equal(report.regular, 2);
    plumb_solutions_destroy(solve("x^2+y^2-5; x*y-2; x^2+2*x*y+y^2-9; 3*x^2+3*y^2-15;", NULL, &report));
    assert_int_equal(report.dependent, 2);
    assert_int_equal(report.squared, 0);
    assert_int_equal(report.distinct, 4);
}

/* A third and a fourth equation that have no terms at x = 0 must not hide how little quad doubles know of a pair of zeros 6e-19 apart. */
static void more_equations_do_not_hide_errors(void **state)
{
    static const char text[] = "(2*x-y-1)^2+9/10^38; 4*x^2-22*x; 4*x^2*y-22*x*y; 4*x^2*y-22*x*y;";
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plumb_solve_options options;
        plumb_solve_report report;
        plumb_solution_record record;
        plumb_solve_options_init(&options);
        options.seed = seed;
        options.start = PLUMB_START_TOTAL; /* the system is triangular */
        plumb_solutions *solutions = solve(text, &options, &report);
        assert_int_equal(report.regular, 4);
        for (int64_t k = 0; k < 4; k++) {
            assert_int_equal(plumb_solutions_get_record(solutions, k, &record), PLUMB_OK);
            assert_true(record.error > 1e-48 && record.error < 1e-40);
        }
        plumb_solutions_destroy(solutions);
    }
}

/* Coefficients that were rounded: what nearly solves the system is counted, and accepted where that is asked for. */
static void near_misses_are_told_and_accepted(void **state)
{
    static const char text[] = "x^2+y^2-1; x*y-0.48; x^3-y^3-0.29600000000000004;";
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        plumb_solve_report report;
        plumb_solve_options options;
        plumb_solve_options_init(&options);
        assert_true(options.residual == 0.0);
        options.seed = seed;
        plumb_solutions_destroy(solve(text, &options, &report));
        assert_int_equal(report.distinct, 0);
        assert_int_equal(report.misses, 2);
        assert_true(report.miss > 1e-18 && report.miss < 1e-16);
        options.residual = 1e-19; /* less than they miss by */
        plumb_solutions_destroy(solve(text, &options, &report));
        assert_int_equal(report.distinct, 0);
        options.residual = 1e-15;
        expect(&(answer){text, 2, 2, {{1, {0.8, 0, 0.6}}, {1, {-0.6, 0, -0.8}}}, 0}, &options, "residual 1e-15");
        options.residual = 2.0;
        plumb_system *s = NULL;
        plumb_solutions *none = NULL;
        plumb_text_error error;
        assert_int_equal(plumb_system_parse(text, strlen(text), &s, &error), PLUMB_OK);
        assert_int_equal(plumb_solve(context, s, &options, &none), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "residual"));
        plumb_system_destroy(s);
    }
}

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

enum { GRID = 3 }; /* unknowns at most */

/* A polynomial in each unknown with two roots or one, such as those of quadratic equations; roots are left / 10^power. */
typedef struct grid {
    int unknowns;
    int64_t left[GRID][2];
    int power[GRID][2];
} grid;

/* The largest distance of a point from the nearest one of the grid, exactly, unknown by unknown; and the size of that. */
static double distance_from_grid(const grid *g, const plumb_view *x, double *size)
{
    double most = 0.0;
    mpq_t value, root, limb;
    mpq_inits(value, root, limb, NULL);
    *size = 0.0;
    for (int64_t i = 0; i < g->unknowns; i++) {
        double least = (double)INFINITY, nearest = 0.0;
        for (int k = 0; k < 2; k++) {
            double apart = 0.0, own = 0.0;
            for (int part = 0; part < 2; part++) {
                mpq_set_si(root, part == 0 ? (long)g->left[i][k] : 0, 1);
                mpz_ui_pow_ui(mpq_denref(root), 10, (unsigned long)g->power[i][k]);
                mpq_canonicalize(root);
                mpq_set_ui(value, 0, 1);
                for (int64_t c = 0; c < x->prec; c++) {
                    mpq_set_d(limb, x->data[(part * x->prec + c) * x->plane + i]);
                    mpq_add(value, value, limb);
                }
                own = part == 0 ? fabs(mpq_get_d(root)) : own;
                mpq_sub(value, value, root);
                apart = hypot(apart, mpq_get_d(value));
            }
            if (apart < least) {
                least = apart;
                nearest = own;
            }
        }
        *size = fmax(*size, nearest);
        most = fmax(most, least);
    }
    mpq_clears(value, root, limb, NULL);
    return most;
}

static int64_t pick(uint64_t *bits, int64_t count)
{
    *bits = *bits * 6364136223846793005 + 1442695040888963407;
    return (int64_t)(*bits >> 33) % count;
}

static const char grid_names[] = "xyz";

/* Adds "factor*(a*p_1 + b*p_2 + ...);" to a text, where p_i is the polynomial in unknown i. */
static void add_combination(const grid *g, const int64_t *times, const char *factor, char *text, size_t room)
{
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, room - used, "%s*(0", factor);
    for (int i = 0; i < g->unknowns; i++)
        used += (size_t)snprintf(text + used, room - used, "%+lld*(%c-(%lld)/10^%d)*(%c-(%lld)/10^%d)",
                                 (long long)times[i], grid_names[i], (long long)g->left[i][0], g->power[i][0],
                                 grid_names[i], (long long)g->left[i][1], g->power[i][1]);
    assert_true(used + 3 < room);
    memcpy(text + used, ");", 3);
}

/* As many independent combinations as unknowns, and two equations more that follow from them. */
static void make_grid(uint64_t *bits, grid *g, char *text, size_t room)
{
    static const int powers[] = {2, 4, 9, 12, 20, 40};
    for (int i = 0; i < g->unknowns; i++)
        for (int k = 0; k < 2; k++) {
            g->left[i][k] = k == 0 ? 1 + pick(bits, 9) : -pick(bits, 3);
            g->power[i][k] = powers[pick(bits, 6)];
        }
    text[0] = 0;
    for (int e = 0; e < g->unknowns + 2; e++) {
        int64_t times[GRID];
        for (int i = 0; i < g->unknowns; i++)
            times[i] = e == i ? 5 + pick(bits, 4) : e < g->unknowns ? pick(bits, 3) - 1 : pick(bits, 9) - 4;
        add_combination(g, times, e >= g->unknowns && pick(bits, 2) ? "(x-1)" : "1", text, room);
    }
}

static void expect_errors(const grid *g, const char *text, uint64_t seed)
{
    plumb_solve_options options;
    plumb_solve_report report;
    plumb_solution_record record;
    plumb_view x;
    double size;
    plumb_solve_options_init(&options);
    options.seed = seed;
    plumb_solutions *s = solve(text, &options, &report);
    assert_int_equal(
        plumb_array_create(context, PLUMB_HOST, plumb_solutions_prec(s), PLUMB_COMPLEX, g->unknowns, 1, 1, &x),
        PLUMB_OK);
    for (int64_t k = 0; k < plumb_solutions_count(s); k++) {
        assert_int_equal(plumb_solutions_get(s, k, &x), PLUMB_OK);
        assert_int_equal(plumb_solutions_get_record(s, k, &record), PLUMB_OK);
        const double apart = distance_from_grid(g, &x, &size),
                     allowed = 10.0 * (record.error + ldexp(1.0, -52 * (int)record.prec));
        if (record.kind == PLUMB_SOLUTION_REGULAR && !(apart <= allowed * (size > 0.0 ? size : 1.0)))
            fail_msg("%s, seed %llu, solution %lld: %g from the point of size %g, but the error %g is stated", text,
                     (unsigned long long)seed, (long long)k, apart, size, record.error);
    }
    plumb_array_destroy(context, &x);
    plumb_solutions_destroy(s);
}

/* The stated errors hold where there are more equations than unknowns, and some unknowns are tiny: against the exact points. */
static void errors_hold_with_more_equations(void **state)
{
    enum { SYSTEMS = 100, LONGEST = 4096 };
    static const char
        moved[] = /* Gauss-Newton steps lost digits that were known before: off by 2.9e-56, stated 4.3e-63 */
        "-3*x-3*y^2+3/10^10*y-2*z^2+2/125*z+3/10^12; x+2*y^2-1/5/10^9*y-z^2+1/125*z-1/10^12;"
        "2*x+y^2-1/10^10*y+z^2-1/125*z-1/5/10^11; x^2+2*x*y^2-1/5/10^9*x*y-x*z^2+1/125*x*z-1000000000001/10^12*x-2*y^2"
        "+1/5/10^9*y+z^2-1/125*z+1/10^12; -4*x-2*y^2+1/5/10^9*y-2*z^2+2/125*z+1/25/10^10;";
    const grid known = {3, {{1, 1}, {1, 0}, {8, 0}}, {{12, 12}, {10, 0}, {3, 0}}};
    uint64_t bits = 0x9e3779b97f4a7c15;
    (void)state;
    expect_errors(&known, moved, 188199);
    for (uint64_t number = 0; number < SYSTEMS; number++) {
        char text[LONGEST];
        grid g = {.unknowns = 2 + (int)(number % 2)};
        make_grid(&bits, &g, text, sizeof text);
        expect_errors(&g, text, 70001 + number);
    }
}

/* ---- Clusters ------------------------------------------------------------------------------------------------------ */

static void clusters_are_resolved(void **state)
{
    static const answer cases[] = {
        {"(x-1)^3*(x-1-1/10^5)^3;", 2, 2, {{3, {1}}, {3, {1.00001}}}, 0},
        {"(x-1)^2*(x-1-1/10^8)^2;", 2, 2, {{2, {1}}, {2, {1.00000001}}}, 0},
        {"(x-1)^2*(x-1-1/10^5)^3*(x+2);", 3, 3, {{2, {1}}, {3, {1.00001}}, {1, {-2}}}, 0},
        {"x^3+149999999999999999999999999997/25/10^27*x^2+5999999999999999999999999999759999999999999999999999999997/5/"
         "10^56*x+"
         "9999999999999999999999999999399999999999999999999999999985000000000000000000000000001/125/10^82;",
         2,
         2,
         {{0, {0}}},
         16186},
        {"x^2-14*x+"
         "122499999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999999/25/"
         "10^98;",
         2,
         2,
         {{0, {0}}},
         437367},
    };
    (void)state;
    EXPECT_ALL(cases, 1);
}

/* Mignotte: two roots that are 1e-48 apart. */
/* Gradients of A-D-E singularities and other points of high multiplicity, at irrational points, with other solutions, and with many paths
 * to one point at infinity. */
static void singularities_have_their_multiplicities(void **state)
{
    const double r = 1.4142135623730951, q = 1.7320508075688772;
    const answer cases[] = {
        {"x+y+x*y-1+(x-y)^5; x+y+x*y-1+y*(x-y)^5;", 7, 3, {{5, {r - 1, 0, r - 1}}, {5, {-r - 1, 0, -r - 1}}}, 0},
        {"x+y+x*y+(x-y)^4; x+y+x*y+y*(x-y)^4;", 6, 2, {{4, {0}}, {4, {-2, 0, -2}}}, 0},
        {"2*(x^2-2)*y; (x^2-2)^2+6*y^5;", 2, 2, {{7, {r}}, {7, {-r}}}, 0},
        {"2*(x-y^2)*y; (x-y^2)^2+10*y^9;", 1, 1, {{11, {0}}}, 0},
        {"3*(x^2-2)^2+y^3; 4*y^3-(x^2-2)^2;", 2, 2, {{6, {r}}, {6, {-r}}}, 0},
        {"3*(x^2+y-2)^2+y^3; 3*(x^2+y-2)*y^2;", 2, 2, {{7, {r}}, {7, {-r}}}, 0},
        {"3*(x^2+y-3)^2+y^4; 5*y^4-(x^2+y-3)^2;", 2, 2, {{8, {q}}, {8, {-q}}}, 0},
        {"(x^2-2)^2+(x^2-2)*(y^2-3)+(y^2-3)^2; (x^2-2)^3+2*(y^2-3)^3;",
         4,
         4,
         {{6, {r, 0, q}}, {6, {r, 0, -q}}, {6, {-r, 0, q}}, {6, {-r, 0, -q}}},
         0},
        {"x^3-y*z; y^3-z*w; z^3-x*w; w^3-x*y;", 52, 2, {{30, {0}}}, 0},
        {"2*(x+2*y)*(y-x); (x+2*y)^2+20*(y-x)^19;", 1, 1, {{21, {0}}}, 0}, /* 17 paths to one point at infinity */
    };
    (void)state;
    EXPECT_ALL(cases, 3);
}

static void simple_roots_stay_simple(void **state)
{
    static const answer cases[] = {{"x^30-2*(1000*x-1)^2;", 30, 4, {{0, {0}}}, 0}};
    (void)state;
    EXPECT_ALL(cases, 1);
}

static void powers_are_one_point(void **state)
{
    static const answer cases[] = {{"(x-1)^8;", 1, 1, {{8, {1}}}, 0},
                                   {"(x^2+1)^3;", 2, 0, {{3, {0, 1}}, {3, {0, -1}}}, 0}};
    (void)state;
    EXPECT_ALL(cases, 1);
}

/* ---- Real, positive, nonzero --------------------------------------------------------------------------------------- */

static void solutions_near_the_real_axis_are_not_real(void **state)
{
    static const answer cases[] = {
        {"x^2-2+10*(y^2+56/10^16*y+1940/10^32); y^2+56/10^16*y+1940/10^32;",
         4,
         0,
         {{1, {1.4142135623730951, 0, -28e-16, 34e-16}}, {1, {-1.4142135623730951, 0, -28e-16, -34e-16}}},
         0},
        {"2*x^2+19/125/10^22*x-3*y-149999999999999999999999999999999999999999999999639/10^49; 3*y+15;",
         2,
         0,
         {{1, {-3.8e-24, 1.9e-24, -5}}},
         961939},
        {"x^2-4*x+640000000000000000000000000000000000000000000000000000000000000000000001/16/10^70;",
         2,
         0,
         {{0, {0}}},
         792508},
        {"x^2-7*y^2-7/10^16*y-50000000000000000000000000000007/2/10^32; y^2+1/10^16*y+1/2/10^32;",
         4,
         0,
         {{1, {0.5, 0, -5e-17, 5e-17}}, {1, {-0.5, 0, -5e-17, -5e-17}}},
         65923},
        {"x^2+10*y^2-49999999999999999999999999999999991/25/10^33; y^2+9/25/10^34;", 4, 0, {{0, {0}}}, 484404},
    };
    (void)state;
    EXPECT_ALL(cases, 1);
}

/* How many solutions each option leaves. */
static void filters_know_zero_from_tiny(void **state)
{
    static const struct {
        const char *system;
        int64_t real, positive, nonzero;
        uint64_t seed;
    } cases[] = {
        {"x^2-x*y+1/10^20; y^2+x-1;", 4, 2, 4, 1},
        {"x^3+83/10^16*x^2+3/125/10^28*x;", 3, 0, 2, 59017},
        {"2*x-y+2*z^2-600000009/5/10^16*z+27/25/10^24; 3*x+y-z^2+600000009/10^17*z-27/5/10^25;"
         "-x-2*y-3*z^2+1800000027/10^17*z-81/5/10^25;",
         2, 0, 0, 28849},
        {"x*y-3/5/10^18; x*z-1/10^4*u; z+u-3; x-y-z;", 3, 1, 3, 332946},
        {"x*y-3/10^20*z; x+z-2/5; y+z-7;", 2, 1, 2, 1},
        {"x^2-x; x*y; y^2-y;", 3, 0, 0, 1},
        {"x^2+8/3*x; -8*x^2-8*x*y-12*x+6*y^2-12*y-1026/25; 9*x^2+8*x*y+44/3*x-6*y^2+15*y+1161/25;", 1, 0, 0, 481988},
        {"x^3-2*x^2; x*y^2-2*x*y; -x^3+2*x^2-x*y^2+2*x*y;", 2, 1, 1, 170468},
        {"x^2+2*x; y^2+2*y; z^2+2*z; x*y^2+2*y^2; -2*z-4; y*z;", 2, 0, 0, 594499},
        {"x^3-1749998001/25/10^7*x^2-1749125001/3125/10^10*x+y+11199999999997/5/10^25;"
         "-5*x^3+1749998001/5/10^7*x^2+1749125001/625/10^10*x+3*y-56000000000009/5/10^25;"
         "3*x^3-5249994003/25/10^7*x^2-5247375003/3125/10^10*x-y+33600000000003/5/10^25;",
         3, 2, 3, 811185},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int which = 0; which < 3; which++)
            for (uint64_t seed = 0; seed < 2; seed++) {
                plumb_solve_options options;
                plumb_solve_report report;
                plumb_solve_options_init(&options);
                options.seed = seed > 0 ? 2 : cases[k].seed;
                *(which == 0 ? &options.real : which == 1 ? &options.positive : &options.nonzero) = 1;
                const int64_t wanted = which == 0 ? cases[k].real : which == 1 ? cases[k].positive : cases[k].nonzero;
                plumb_solutions *s = solve(cases[k].system, &options, &report);
                if (plumb_solutions_count(s) != wanted)
                    fail_msg("%s, option %d, seed %llu: %lld solutions, expected %lld", cases[k].system, which,
                             (unsigned long long)options.seed, (long long)plumb_solutions_count(s), (long long)wanted);
                assert_int_equal(plumb_solve_verdict(&report, NULL, 0), PLUMB_SOLVE_COMPLETE);
                plumb_solutions_destroy(s);
            }
}

/* ---- Units and errors ---------------------------------------------------------------------------------------------- */

/* What scaling, elimination and removed equations do to the units of unknowns does not matter. */
static void sizes_of_unknowns_do_not_matter(void **state)
{
    static const answer cases[] = {
        {"-2*x^2+3/5/10^35*x; x^2-3/10^36*x;", 2, 2, {{1, {0}}, {1, {3e-36}}}, 217187},
        {"x^2-1000000000000000000000000000000000007/10^36*x+7/10^36; y^3-6003/1000*y^2+9/5/100*y; x-7/10^36;",
         3,
         3,
         {{1, {7e-36}}, {1, {7e-36, 0, 6}}, {1, {7e-36, 0, 3e-3}}},
         778313},
        {"-1/10^54*x^3+3/5/10^12*x^2*y-1/25/10^34*x^2-120000000000000000000000000000*x*y^2+1600000*x*y+1/225/10^16*x"
         "+8000000000000000000000000000000000000000000000000000000000000000000000*y^3"
         "-160000000000000000000000000000000000000000000000*y^2-800000000000000000000000/9*y+80/9;"
         "1/25/10^34*x^2-400000*x*y+7/15/10^17*x+10000000000000000000000000000000000000000000000*y^2"
         "-700000000000000000000000/3*y+4/3;",
         6,
         6,
         {{1, {0, 0, 1e-23}}},
         41534},
        {"-x^2-9999999999999994*x*y+60000000000000000; -x^2-9999999999999994*x*y-y^2+60000000000000001;",
         4,
         4,
         {{1, {6, 0, 1}}, {1, {-6, 0, -1}}, {1, {1e16, 0, -1}}, {1, {-1e16, 0, 1}}},
         989231},
        {"-x^2-2*x*y+31/5*x-y^2+31/5*y+28/5; "
         "-99999999999999999999999997/10^26*x^2-100000000000000000000000003/5/10^25*x*y"
         "+620000000000000000000000003/10^26*x-99999999999999999999999997/10^26*y^2+619999999999999999999999997/10^26*y"
         "+279999999999999999999999997/5/10^25;",
         4,
         4,
         {{1, {4, 0, 3}}, {1, {-1.4, 0, 0.6}}, {1, {0.1, 0, -0.9}}},
         914275},
    };
    (void)state;
    EXPECT_ALL(cases, 3);
}

/* How far the real part of unknown i is from a multiple of 1/3. */
static double distance_from_thirds(const plumb_view *x, int64_t i)
{
    mpq_t sum, limb;
    mpq_inits(sum, limb, NULL);
    for (int32_t c = 0; c < x->prec; c++) {
        mpq_set_d(limb, x->data[c * x->plane + i]);
        mpq_add(sum, sum, limb);
    }
    mpq_set_si(limb, 3, 1);
    mpq_mul(sum, sum, limb);
    mpq_set_d(limb, round(3.0 * x->data[i]));
    mpq_sub(sum, sum, limb);
    const double off = fabs(mpq_get_d(sum)) / 3.0;
    mpq_clears(sum, limb, NULL);
    return off;
}

/* Equations that differ by little: solutions are not further from the true ones than their errors say. The unknowns are multiples
 * of 1/3. */
static void errors_are_not_too_small(void **state)
{
    static const char *const cases[] = {
        "-3*x^2-25*x-28; 3*x^2+25*x+1/10^16*y^2-1/25/10^14*y+279999999999999979/10^16;",
        "-x+1/3; 3*x+3/10^5*y-99991/10^5;",
        "-3*x^2-25*x-28; 3*x^2+25*x+3/10^12*y^2-12/10^12*y+28-63/10^12;",
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            plumb_solve_report report;
            plumb_solve_options options;
            plumb_view x;
            plumb_solve_options_init(&options);
            options.seed = seed;
            plumb_solutions *s = solve(cases[c], &options, &report);
            const int32_t prec = plumb_solutions_prec(s);
            assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, 2, 1, 1, &x), PLUMB_OK);
            for (int64_t k = 0; k < plumb_solutions_count(s); k++) {
                plumb_solution_record record;
                double off = 0.0, size = 0.0;
                assert_int_equal(plumb_solutions_get_record(s, k, &record), PLUMB_OK);
                assert_int_equal(plumb_solutions_get(s, k, &x), PLUMB_OK);
                for (int64_t i = 0; i < 2; i++) {
                    off = fmax(off, distance_from_thirds(&x, i));
                    size = fmax(size, fabs(x.data[i]));
                }
                if (off > 10.0 * record.error * size + 1e-62) /* thirds are rounded */
                    fail_msg("%s, seed %llu: solution %lld is off by %.1e, and claims %.1e", cases[c],
                             (unsigned long long)seed, (long long)k, off, record.error);
            }
            plumb_array_destroy(context, &x);
            plumb_solutions_destroy(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_coordinates_are_not_lost),
        cmocka_unit_test(fat_points_are_not_lost),
        cmocka_unit_test(points_beside_a_curve_are_not_lost),
        cmocka_unit_test(inconsistent_systems_have_no_solution),
        cmocka_unit_test(dependent_equations_are_left_out),
        cmocka_unit_test(more_equations_do_not_hide_errors),
        cmocka_unit_test(errors_hold_with_more_equations),
        cmocka_unit_test(near_misses_are_told_and_accepted),
        cmocka_unit_test(clusters_are_resolved),
        cmocka_unit_test(singularities_have_their_multiplicities),
        cmocka_unit_test(simple_roots_stay_simple),
        cmocka_unit_test(powers_are_one_point),
        cmocka_unit_test(solutions_near_the_real_axis_are_not_real),
        cmocka_unit_test(filters_know_zero_from_tiny),
        cmocka_unit_test(sizes_of_unknowns_do_not_matter),
        cmocka_unit_test(errors_are_not_too_small),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
