/* t_deflate.c - tests deflation (solver/solve/points/deflate.h) at singular points that are known exactly: how many digits it gains, that the
 * errors it states are no smaller than the true ones, and which points it leaves alone. */
#include <gmp.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/system/system.h"
#include "solver/context_test.h"
#include "solver/solve/points/deflate.h"

enum { MOST = 3, NUMBERS = 2 * MOST * PLUMB_QD };

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

/* ---- The system ---------------------------------------------------------------------------------------------------- */

/* The coefficient of the monomial with these factors in an equation; NULL if it has none. */
static mpq_srcptr coefficient(const plumb_system *s, int64_t equation, const system_factor *factors, int32_t count)
{
    for (int64_t k = s->equation[equation]; k < s->equation[equation + 1]; k++)
        if (s->terms[k].count == count &&
            (count == 0 || memcmp(s->factors + s->terms[k].first, factors, (size_t)count * sizeof *factors) == 0))
            return s->terms[k].re;
    return NULL;
}

/* Row i of the Jacobian times column c of B is sum over j of the derivative by unknown j times b_jc, for the same b in each row. */
static void check_columns(const plumb_system *s, int64_t columns)
{
    for (int32_t c = 0; c < columns; c++) {
        const int32_t y = 2 + c;
        const system_factor one[] = {{y, 1}}, x_y[] = {{0, 1}, {1, 1}, {y, 1}}, x2[] = {{0, 2}, {y, 1}},
                            y2[] = {{1, 2}, {y, 1}};
        mpq_srcptr by_x = coefficient(s, 3, one, 1), twice = coefficient(s, 2, x_y, 3);
        mpq_srcptr by_y = coefficient(s, 2, x2, 2), three_times = coefficient(s, 3, y2, 2);
        mpq_srcptr h = coefficient(s, 4, one, 1);
        assert_true(by_x && twice && by_y && three_times && h);
        assert_true(mpq_get_d(twice) == 2 * mpq_get_d(by_x));
        assert_true(mpq_get_d(three_times) == 3 * mpq_get_d(by_y));
        assert_true(fabs(mpq_get_d(by_x)) <= 1 && fabs(mpq_get_d(by_y)) <= 1 && fabs(mpq_get_d(h)) <= 1);
    }
}

static void a_step_adds_the_kernel_of_the_jacobian(void **state)
{
    plumb_system *system = parse("x^2*y - 3; x + y^3;");
    (void)state;
    for (int64_t rank = 0; rank < 2; rank++) {
        plumb_system *deflated = NULL, *again = NULL, *other = NULL;
        const int64_t columns = rank + 1;
        assert_int_equal(plumb_deflate_system(system, rank, 97, &deflated), PLUMB_OK);
        assert_int_equal(plumb_deflate_system(system, rank, 97, &again), PLUMB_OK);
        assert_int_equal(plumb_deflate_system(system, rank, 98, &other), PLUMB_OK);
        assert_int_equal(deflated->equations, 5);
        assert_int_equal(deflated->unknowns, 2 + columns);
        assert_true(plumb_system_same(deflated, again));
        assert_false(plumb_system_same(deflated, other));
        assert_int_equal(deflated->equation[2] - deflated->equation[0], 4);           /* as they were */
        assert_int_equal(deflated->equation[4] - deflated->equation[2], 4 * columns); /* four derivatives */
        assert_int_equal(deflated->equation[5] - deflated->equation[4], columns + 1);
        assert_true(mpq_cmp_si(coefficient(deflated, 0, NULL, 0), -3, 1) == 0);
        assert_true(mpq_cmp_si(coefficient(deflated, 4, NULL, 0), -1, 1) == 0);
        check_columns(deflated, columns);
        plumb_system_destroy(deflated);
        plumb_system_destroy(again);
        plumb_system_destroy(other);
    }
    plumb_system_destroy(system);
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* A system and one of its zeros: real and imaginary parts as fractions, or NULL for 0. The point that is deflated is so far away in each
 * part, and says that its error is twice that. */
typedef struct known_point {
    const char *system;
    const char *zero[2 * MOST];
    double away;
    bool regular;
} known_point;

/* One point in a list of its own. */
typedef struct fixture {
    plumb_system *system;
    solve_points points;
    solve_point point;
    double x[NUMBERS], before[NUMBERS], unit[MOST];
} fixture;

static void begin(const known_point *known, int32_t room, fixture *f)
{
    *f = (fixture){.system = parse(known->system), .unit = {1.0, 1.0, 1.0}};
    f->points = (solve_points){.context = context, .list = &f->point, .count = 1, .room = room, .unit = f->unit};
    f->point = (solve_point){.x = f->x,
                             .prec = PLUMB_D,
                             .regular = known->regular,
                             .error = 2 * known->away,
                             .component_error = 2 * known->away,
                             .condition = 1e20,
                             .multiplicity = 2};
    assert_true(f->system->unknowns <= MOST);
    for (int64_t k = 0; k < 2 * f->system->unknowns; k++) {
        mpq_t exact;
        mpq_init(exact);
        if (known->zero[k])
            assert_int_equal(mpq_set_str(exact, known->zero[k], 10), 0);
        f->x[k * room] = mpq_get_d(exact) + (k % 3 == 0 ? known->away : -known->away / 2);
        mpq_clear(exact);
    }
    memcpy(f->before, f->x, sizeof f->x);
}

static void end(fixture *f)
{
    plumb_system_destroy(f->system);
}

/* The largest error of a part of an unknown, relative to the largest part unless that is 0, by rational arithmetic. */
static double true_error(const known_point *known, const fixture *f)
{
    double most = 0.0, size = 0.0;
    mpq_t sum, limb;
    mpq_inits(sum, limb, NULL);
    for (int64_t k = 0; k < 2 * f->system->unknowns; k++) {
        if (known->zero[k])
            mpq_set_str(sum, known->zero[k], 10);
        else
            mpq_set_ui(sum, 0, 1);
        size = fmax(size, fabs(mpq_get_d(sum)));
        for (int32_t c = 0; c < f->points.room; c++) {
            mpq_set_d(limb, f->x[k * f->points.room + c]);
            mpq_sub(sum, sum, limb);
        }
        most = fmax(most, fabs(mpq_get_d(sum)));
    }
    mpq_clears(sum, limb, NULL);
    return size > 0.0 ? most / size : most;
}

/* Multiplicities: double, triple and more, in one unknown and in several, with one or several directions in the kernel. The system in x, y
 * and z with squares and cubes is from the reference of deflate.h; its zero has multiplicity 4. */
static const known_point singular[] = {
    {"(3*x - 1)^2;", {"1/3"}, 1e-8, false},
    {"(3*x - 1)^3;", {"1/3"}, 1e-5, false},
    {"(x - 2)^4*(x + 7);", {"2"}, 1e-4, false},
    {"(x - 2)^5*(x + 7);", {"2"}, 1e-4, false},
    {"(3*x^2 + 2*x + 3 - i*x^2)*(x - i/5)^2;", {NULL, "1/5"}, 1e-8, false},
    {"x^2 + y^2 - 25; 3*x + 4*y - 25;", {"3", NULL, "4"}, 1e-8, false},
    {"29/16*x^3 - 2*x*y; y - x^2;", {NULL}, 1e-6, false},
    {"(x - 1)^2; (7*y - 2)^2; z - x*y;", {"1", NULL, "2/7", NULL, "2/7"}, 1e-8, false},
    {"x^3 + y^2 + z^2 - 1; x^2 + y^3 + z^2 - 1; x^2 + y^2 + z^3 - 1;", {"1"}, 1e-8, false},
    {"(x - 1/3)^2; (x - 1/3)*(y + 5); (y + 5)^2 + (x - 1/3)^3;", {"1/3", NULL, "-5"}, 1e-8, false},
};

static void singular_points_gain_the_digits_that_are_asked_for(void **state)
{
    static const struct {
        int32_t room;
        double digits;
    } list[] = {{PLUMB_QD, 50}, {PLUMB_QD, 20}, {PLUMB_DD, 25}};
    (void)state;
    for (size_t k = 0; k < sizeof singular / sizeof singular[0]; k++)
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
            fixture f;
            begin(&singular[k], list[i].room, &f);
            assert_int_equal(plumb_solve_deflate(&f.points, f.system, list[i].digits), PLUMB_OK);
            const double error = true_error(&singular[k], &f);
            print_message("%s: %d limbs, error %.1e, stated %.1e\n", singular[k].system, (int)list[i].room, error,
                          f.point.error);
            assert_true(f.point.error <= pow(10, -list[i].digits));
            assert_true(error <= f.point.error);
            assert_true(f.point.component_error >= f.point.error);
            assert_int_equal(f.point.prec, list[i].room);
            assert_false(f.point.regular);
            end(&f);
        }
}

/* ---- Points that stay ---------------------------------------------------------------------------------------------- */

static void assert_stays(const known_point *known, double digits)
{
    fixture f;
    begin(known, PLUMB_QD, &f);
    print_message("%s\n", known->system);
    assert_int_equal(plumb_solve_deflate(&f.points, f.system, digits), PLUMB_OK);
    assert_memory_equal(f.x, f.before, sizeof f.x);
    assert_int_equal(f.point.prec, PLUMB_D);
    if (!known->regular)
        assert_true(f.point.error == 2 * known->away && f.point.component_error == 2 * known->away);
    end(&f);
}

static void regular_points_stay(void **state)
{
    static const known_point marked = {"(3*x - 1)^2;", {"1/3"}, 1e-8, true};
    static const known_point full_rank = {"x^2 + y^2 - 25; 3*x - 4*y + 7;", {"3", NULL, "4"}, 1e-8, false};
    (void)state;
    assert_stays(&marked, 30);
    assert_stays(&full_rank, 30);
}

/* The zeros are 1 + 1e-30 i and 1 - 1e-30 i: nothing may be stated about a point between them but their distance. */
static void clusters_stay(void **state)
{
    static const known_point pair = {"x^2 - 2*x + 1 + 1e-60;", {"1"}, 1e-30, false};
    fixture f;
    (void)state;
    begin(&pair, PLUMB_QD, &f);
    f.point.cluster = true;
    assert_int_equal(plumb_solve_deflate(&f.points, f.system, 50), PLUMB_OK);
    assert_memory_equal(f.x, f.before, sizeof f.x);
    assert_true(f.point.error == 2e-30 && f.point.prec == PLUMB_D);
    end(&f);
}

static void points_with_enough_digits_stay(void **state)
{
    (void)state;
    assert_stays(&singular[0], 7);
    assert_stays(&singular[1], 4.5);
}

static void points_that_cannot_be_deflated_stay(void **state)
{
    static const known_point list[] = {
        {"x^2; x*y;", {NULL, NULL, "1"}, 1e-8, false},              /* on a line of zeros */
        {"x*y - x; y^2 - 2*y + 1;", {"5", NULL, "1"}, 1e-8, false}, /* on a double line */
        {"(x - 1)^8;", {"1"}, 1e-3, false},                         /* would take too many terms */
        {"x^2 - 2*x + 1 + 1e-18;", {"1"}, 1e-9, false},             /* between two zeros */
        {"x^2 + y^2 - 25 + 1e-40; 3*x + 4*y - 25;", {"3", NULL, "4"}, 1e-20, false},
        {"(x - 1)^2;", {"10003/10000"}, 1e-9, false}, /* the zero is elsewhere */
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        assert_stays(&list[k], 30);
}

static void points_of_a_list_are_independent(void **state)
{
    fixture f;
    solve_point list[3];
    double x[3][NUMBERS];
    (void)state;
    begin(&singular[1], PLUMB_QD, &f);
    for (int k = 0; k < 3; k++) {
        list[k] = f.point;
        memcpy(list[k].x = x[k], f.x, sizeof f.x);
    }
    list[1].error = 1e-40;
    f.points.list = list;
    f.points.count = 3;
    assert_int_equal(plumb_solve_deflate(&f.points, f.system, 30), PLUMB_OK);
    assert_memory_equal(x[1], f.before, sizeof x[1]);
    assert_memory_equal(x[0], x[2], sizeof x[0]);
    assert_true(list[0].error < 1e-30 && list[0].residual < 1e-60 && list[1].residual > 1e-20);
    f.points.count = 0;
    assert_int_equal(plumb_solve_deflate(&f.points, f.system, 30), PLUMB_OK);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_adds_the_kernel_of_the_jacobian),
        cmocka_unit_test(singular_points_gain_the_digits_that_are_asked_for),
        cmocka_unit_test(regular_points_stay),
        cmocka_unit_test(clusters_stay),
        cmocka_unit_test(points_with_enough_digits_stay),
        cmocka_unit_test(points_that_cannot_be_deflated_stay),
        cmocka_unit_test(points_of_a_list_are_independent),
    };
    backend = PLUMB_BACKEND_CPU;
    return cmocka_run_group_tests(tests, make_context, end_context);
}
