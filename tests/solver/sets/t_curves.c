/* t_curves.c - tests plumb_components_curves: the pieces of real curves whose shapes are known are counted, all points of the lines are on
 * the curve, and all points of the curve, which sign changes on a grid find, are near a line. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"
#include "solver/context_test.h"

enum { GRID = 160, SEEDS = 4 };

typedef double plane_function(double x, double y);

static double lemniscate(double x, double y)
{
    return (x * x + y * y) * (x * x + y * y) - x * x + y * y;
}
static double cusp(double x, double y)
{
    return y * y - x * x * x;
}
static double ovals(double x, double y)
{
    return ((x - 1) * (x - 1) + y * y) * ((x + 1) * (x + 1) + y * y) - 0.9;
}
static double elliptic(double x, double y)
{
    return y * y - x * x * x + x;
}
static double acnode(double x, double y)
{
    return y * y - x * x * (x - 1);
}
static double circles(double x, double y)
{
    return (x * x + y * y - 1) * ((x - 1) * (x - 1) + y * y - 1);
}
static double apart(double x, double y)
{
    return (x * x + y * y - 1) * ((x - 4) * (x - 4) + y * y - 1);
}
static double trifolium(double x, double y)
{
    return (x * x + y * y) * (x * x + y * y) - x * (x * x - 3 * y * y);
}
static double parabola(double x, double y)
{
    return y - x * x;
}
static double hyperbola(double x, double y)
{
    return x * y - 1;
}
static double tacnode(double x, double y)
{
    return (y - x * x) * (y + x * x);
}
static double hidden(double x, double y)
{
    return (x * x + y * y) * (x + y - 3);
}

static const struct known {
    const char *system;
    plane_function *f; /* changes its sign at the curve */
    int64_t pieces, isolated, singular;
    double box; /* half of its size; 0: chosen */
} known[] = {
    {"(x^2+y^2)^2-x^2+y^2;", lemniscate, 1, 0, 1, 0.0},
    {"-x^3+y^2;", cusp, 1, 0, 1, 2.0},
    {"((x-1)^2+y^2)*((x+1)^2+y^2)-9/10;", ovals, 2, 0, 0, 0.0},
    {"-x^3+x+y^2;", elliptic, 2, 0, 0, 0.0},
    {"-x^2*(x-1)+y^2;", acnode, 1, 1, 0, 2.0},
    {"-x^2*(x-1)+y^2;", acnode, 1, 1, 0, 0.0},
    {"(x^2+y^2-1)*((x-1)^2+y^2-1);", circles, 1, 0, 2, 0.0},
    {"(x^2+y^2-1)*((x-4)^2+y^2-1);", apart, 2, 0, 0, 0.0},
    {"(x^2+y^2)^2-x*(x^2-3*y^2);", trifolium, 1, 0, 1, 0.0},
    {"-x^2+y;", parabola, 1, 0, 0, 1.5},
    {"x*y-1;", hyperbola, 2, 0, 0, 3.0},
    {"(x^2-y)*(x^2+y);", tacnode, 1, 0, 1, 1.5},
    {"(x^2+y^2)*(x+y-3);", hidden, 1, 1, 0, 4.0},
    {"x^2+y^2+1;", NULL, 0, 0, 0, 2.0},
    {"(x^2+y^2-1)^2;", NULL, 1, 0, 0, 1.5}, /* a double circle */
    {"x^2+y^2;", NULL, 0, 1, 0, 1.0},
};

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

static plumb_components *decompose(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    plumb_components *c = NULL;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_decompose(context, s, NULL, &c) != PLUMB_OK)
        fail_msg("%s: %s", text, plumb_context_message(context));
    plumb_system_destroy(s);
    return c;
}

static plumb_curves *draw(const plumb_components *c, const char *name, double half, int64_t unknowns, uint64_t seed)
{
    double low[3], high[3];
    plumb_curves_options options;
    plumb_curves *curves = NULL;
    plumb_curves_options_init(&options);
    options.seed = seed;
    for (int64_t i = 0; i < unknowns && half > 0.0; i++) {
        low[i] = -half;
        high[i] = half;
        options.low = low;
        options.high = high;
    }
    if (plumb_components_curves(context, c, -1, &options, &curves) != PLUMB_OK)
        fail_msg("%s, seed %d: %s", name, (int)seed, plumb_context_message(context));
    return curves;
}

static double to_segment(const double *p, const double *a, const double *b, int64_t n)
{
    double along = 0.0, square = 0.0, sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        along += (p[i] - a[i]) * (b[i] - a[i]);
        square += (b[i] - a[i]) * (b[i] - a[i]);
    }
    const double t = square > 0.0 ? fmin(1.0, fmax(0.0, along / square)) : 0.0;
    for (int64_t i = 0; i < n; i++)
        sum += (p[i] - a[i] - t * (b[i] - a[i])) * (p[i] - a[i] - t * (b[i] - a[i]));
    return sqrt(sum);
}

static double to_lines(const plumb_curves *curves, const double *p, int64_t n)
{
    double least = (double)INFINITY;
    plumb_curves_report r;
    assert_int_equal(plumb_curves_get_report(curves, &r), PLUMB_OK);
    for (int64_t k = 0; k < r.lines; k++) {
        plumb_curve_line l;
        assert_int_equal(plumb_curves_get_line(curves, k, &l), PLUMB_OK);
        for (int64_t j = 0; j + 1 < l.points; j++)
            least = fmin(least, to_segment(p, l.x + j * n, l.x + (j + 1) * n, n));
    }
    return least;
}

/* The place of a change of sign between two points. */
static void bisect(plane_function *f, const double *a, const double *b, double *p)
{
    double low = 0.0, high = 1.0;
    const bool sign = f(a[0], a[1]) > 0.0;
    for (int k = 0; k < 40; k++) {
        const double t = 0.5 * (low + high);
        p[0] = a[0] + t * (b[0] - a[0]);
        p[1] = a[1] + t * (b[1] - a[1]);
        *((f(p[0], p[1]) > 0.0) == sign ? &low : &high) = t;
    }
}

static void check_plane(const struct known *k, const plumb_curves *curves, uint64_t seed)
{
    double low[2], high[2], worst = 0.0, where[2] = {0.0, 0.0};
    plumb_curves_report r;
    assert_int_equal(plumb_curves_get_box(curves, low, high), PLUMB_OK);
    assert_int_equal(plumb_curves_get_report(curves, &r), PLUMB_OK);
    const double size = fmax(high[0] - low[0], high[1] - low[1]);
    for (int64_t j = 0; j < r.lines;
         j++) { /* points of lines are on the curve: f changes its sign nearby, or is small */
        plumb_curve_line l;
        assert_int_equal(plumb_curves_get_line(curves, j, &l), PLUMB_OK);
        assert_true(l.points > 1 && l.piece >= 0 && l.piece < r.pieces);
        for (int64_t i = 1; i + 1 < l.points; i++)
            if (!(fabs(k->f(l.x[2 * i], l.x[2 * i + 1])) < 1e-6 * pow(1.0 + size, 4.0)))
                fail_msg("%s, seed %d: (%g, %g) is not on the curve", k->system, (int)seed, l.x[2 * i], l.x[2 * i + 1]);
    }
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++)
            for (int way = 0; way < 2; way++) {
                const double step[2] = {(high[0] - low[0]) / GRID, (high[1] - low[1]) / GRID};
                const double a[2] = {low[0] + (i + 0.013) * step[0], low[1] + (j + 0.027) * step[1]};
                const double b[2] = {a[0] + (way == 0 ? step[0] : 0.0), a[1] + (way == 1 ? step[1] : 0.0)};
                double p[2];
                if ((k->f(a[0], a[1]) > 0.0) == (k->f(b[0], b[1]) > 0.0) || b[0] > high[0] || b[1] > high[1])
                    continue;
                bisect(k->f, a, b, p);
                const double distance = to_lines(curves, p, 2);
                if (distance > worst) {
                    worst = distance;
                    memcpy(where, p, sizeof where);
                }
            }
    if (!(worst < 2e-3 * size))
        fail_msg("%s, seed %d: (%g, %g) is %g from the lines, in a picture of size %g", k->system, (int)seed, where[0],
                 where[1], worst, size);
}

static void real_curves_are_known(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        plumb_components *c = decompose(known[k].system);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            plumb_curves *curves = draw(c, known[k].system, known[k].box, 2, seed);
            plumb_curves_report r;
            assert_int_equal(plumb_curves_get_report(curves, &r), PLUMB_OK);
            if (r.pieces != known[k].pieces || r.isolated != known[k].isolated || r.singular != known[k].singular ||
                r.doubtful != 0)
                fail_msg("%s, seed %d: %d pieces, %d isolated, %d singular, %d doubtful", known[k].system, (int)seed,
                         (int)r.pieces, (int)r.isolated, (int)r.singular, (int)r.doubtful);
            if (known[k].f)
                check_plane(&known[k], curves, seed);
            plumb_curves_destroy(curves);
        }
        plumb_components_destroy(c);
    }
}

/* A twisted cubic, alone or with a sphere that it meets: where it does, and at infinity, many paths to critical points come together. */
static void check_cubic(const char *system)
{
    plumb_components *c = decompose(system);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        plumb_curves *curves = draw(c, system, 1.5, 3, seed);
        plumb_curves_report r;
        assert_int_equal(plumb_curves_get_report(curves, &r), PLUMB_OK);
        assert_true(r.pieces == 1 && r.isolated == 0 && r.doubtful == 0);
        for (int64_t j = 0; j < r.lines; j++) {
            plumb_curve_line l;
            assert_int_equal(plumb_curves_get_line(curves, j, &l), PLUMB_OK);
            for (int64_t k = 1; k + 1 < l.points; k++) {
                const double *p = l.x + 3 * k, t = p[0];
                if (fabs(p[1] - t * t) > 1e-5 || fabs(p[2] - t * t * t) > 1e-5)
                    fail_msg("%s, seed %d: (%g, %g, %g) is not on the cubic", system, (int)seed, p[0], p[1], p[2]);
            }
        }
        for (int k = -114; k < 114; k++) {
            const double t = k / 100.0;
            const double p[3] = {t, t * t, t * t * t};
            assert_true(to_lines(curves, p, 3) < 5e-3);
        }
        plumb_curves_destroy(curves);
    }
    plumb_components_destroy(c);
}

static void curves_in_space(void **state)
{
    (void)state;
    check_cubic("x^2-y; x^3-z;");
    check_cubic("(x^2-y)*(x^2+y^2+z^2-1); (x^3-z)*(x^2+y^2+z^2-1);");
    plumb_components *c =
        decompose("x^2+y^2+z^2-4; (x-1)^2+y^2-1;"); /* Viviani's curve: it crosses itself in (2, 0, 0) */
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        plumb_curves *curves = draw(c, "Viviani", 0.0, 3, seed);
        plumb_curves_report r;
        assert_int_equal(plumb_curves_get_report(curves, &r), PLUMB_OK);
        assert_true(r.pieces == 1 && r.isolated == 0 && r.singular == 1 && r.doubtful == 0);
        for (int k = 0; k < 250; k++) {
            const double t = k / 20.0;
            const double p[3] = {1.0 + cos(t), sin(t), 2.0 * sin(0.5 * t)};
            assert_true(to_lines(curves, p, 3) < 5e-3);
        }
        plumb_curves_destroy(curves);
    }
    plumb_components_destroy(c);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    plumb_components *c = decompose("z-x^2-y^2;");
    plumb_curves_options options;
    plumb_curves *curves = NULL;
    const double low[3] = {-1, -1, 1}, high[3] = {1, 1, 1};
    plumb_curves_options_init(&options);
    assert_int_equal(plumb_components_curves(context, c, 0, NULL, &curves), PLUMB_ERR_ARGUMENT); /* a surface */
    assert_int_equal(plumb_components_curves(context, c, 1, NULL, &curves), PLUMB_ERR_ARGUMENT);
    options.low = low;
    assert_int_equal(plumb_components_curves(context, c, -1, &options, &curves), PLUMB_ERR_ARGUMENT);
    options.high = high;
    assert_int_equal(plumb_components_curves(context, c, -1, &options, &curves), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_components_curves(context, NULL, -1, NULL, &curves), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_components_curves(NULL, c, -1, NULL, &curves), PLUMB_ERR_ARGUMENT);
    assert_null(curves);
    plumb_curves_destroy(NULL);
    plumb_components_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_curves_are_known),
        cmocka_unit_test(curves_in_space),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
