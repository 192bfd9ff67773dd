/* t_mp_follow.c - tests paths that are followed with as many digits as they take: to regular, multiple, close and infinite ends. */
#include "solver/mp/follow.h"

#include "solver/mp/mp_test.h"

enum { MOST_PATHS = 64, MOST_UNKNOWNS = 4 };
static const double MUCH_WORK = 1e12;

static plumb_context *context;

static int make_context(void **state)
{
    (void)state;
    return plumb_context_create(NULL, &context) == PLUMB_OK ? 0 : -1;
}

static int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

/* The paths of total degree to the solutions of a system. */
typedef struct followed {
    plumb_homotopy *homotopy;
    int64_t count;
    mp_path path[MOST_PATHS];
} followed;

static void follow(const char *text, uint64_t seed, double digits, double work, followed *all)
{
    plumb_system *target = parse(text), *start = NULL;
    plumb_homotopy_options options;
    plumb_view x;
    plumb_homotopy_options_init(&options);
    options.projective = 1;
    options.seed = seed;
    const int64_t n = plumb_system_unknowns(target);
    assert_int_equal(plumb_system_start(target, seed, &start), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(start, target, &options, &all->homotopy), PLUMB_OK);
    assert_int_equal(plumb_system_start_count(start, &all->count), PLUMB_OK);
    assert_true(all->count <= MOST_PATHS && n <= MOST_UNKNOWNS);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, all->count, &x), PLUMB_OK);
    assert_int_equal(plumb_system_start_solutions(start, 0, &x), PLUMB_OK);
    for (int64_t k = 0; k < all->count; k++) {
        mp_complex *from = mp_make(n, 256);
        assert_non_null(from);
        for (int64_t i = 0; i < n; i++) {
            double limbs[2 * PLUMB_QD];
            for (int64_t c = 0; c < 2 * PLUMB_QD; c++)
                limbs[c] = x.data[k * x.next + c * x.plane + i];
            mp_set_limbs(&from[i], limbs, limbs + PLUMB_QD, PLUMB_QD);
        }
        const mp_follow_options limits = {.digits = digits, .most_work = work};
        all->path[k] = (mp_path){.x = NULL};
        assert_int_equal(mp_follow(all->homotopy, from, &limits, &all->path[k]), PLUMB_OK);
        mp_free(from, n);
    }
    plumb_array_destroy(context, &x);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
}

static void clear(followed *all)
{
    for (int64_t k = 0; k < all->count; k++)
        mp_path_clear(all->homotopy, &all->path[k]);
    plumb_homotopy_destroy(all->homotopy);
}

static int64_t count_ends(const followed *all, mp_end end)
{
    int64_t count = 0;
    for (int64_t k = 0; k < all->count; k++)
        count += all->path[k].end == end;
    return count;
}

/* log2 of the modulus of the homogenizing coordinate, relative to the largest one. */
static double finite_part(const followed *all, int64_t k)
{
    const mp_path *p = &all->path[k];
    return mp_log2(&p->x[0]) - mp_log2_largest(p->x, all->homotopy->unknowns);
}

/* log2 of the distance of unknown 0 at the end of a path from a decimal number. */
static double distance_from(const followed *all, int64_t k, const char *number)
{
    const mp_path *p = &all->path[k];
    mp_complex *room = mp_make(4, p->bits);
    assert_non_null(room);
    mp_div(&room[0], &p->x[1], &p->x[0], &room[1]);
    const long e = all->homotopy->exponent ? all->homotopy->exponent[0] : 0;
    mpfr_mul_2si(room[0].re, room[0].re, e, MPFR_RNDN);
    mpfr_mul_2si(room[0].im, room[0].im, e, MPFR_RNDN);
    assert_int_equal(mpfr_set_str(room[3].re, number, 10, MPFR_RNDN), 0);
    mp_sub(&room[0], &room[0], &room[3]);
    const double distance = mp_log2(&room[0]);
    mp_free(room, 4);
    return distance;
}

/* The number of paths that end at finite points within 2^within of a number. */
static int64_t count_at(const followed *all, const char *number, double within)
{
    int64_t count = 0;
    for (int64_t k = 0; k < all->count; k++)
        count +=
            all->path[k].end != MP_END_FAILED && finite_part(all, k) > -20.0 && distance_from(all, k, number) <= within;
    return count;
}

/* ---- Ends ---------------------------------------------------------------------------------------------------------- */

static void regular_ends_are_reached(void **state)
{
    static const char *const at[] = {"1", "2", "-1", "-2"};
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        followed all;
        follow("x^2 + y^2 - 5; x*y - 2;", seed, 60.0, MUCH_WORK, &all);
        assert_int_equal(all.count, 4);
        assert_int_equal(count_ends(&all, MP_END_REGULAR), 4);
        for (int i = 0; i < 4; i++)
            assert_int_equal(count_at(&all, at[i], -120.0), 1);
        for (int64_t k = 0; k < all.count; k++)
            assert_true(all.path[k].error <= -90.0 && all.path[k].steps > 0 && all.path[k].work > 0.0);
        clear(&all);
    }
}

/* The true error is not larger than the one that is told, by much. */
static void multiple_ends_are_reached(void **state)
{
    static const struct {
        const char *system, *at;
        int64_t paths, multiple;
    } cases[] = {
        {"(x - 1)^2*(x + 3);", "1", 3, 2},        {"(x - 1)^5;", "1", 5, 5},
        {"(x - 1/2)^3*(x + 1)^2;", "0.5", 5, 3},  {"29*x^3 - 32*x*y; y - x^2;", "0", 6, 3},
        {"x^2 - y^2; (x + y - 2)^2;", "1", 4, 2},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            followed all;
            follow(cases[c].system, seed, 40.0, MUCH_WORK, &all);
            assert_int_equal(all.count, cases[c].paths);
            if (count_ends(&all, MP_END_FAILED) > 0)
                fail_msg("%s: %lld paths failed", cases[c].system, (long long)count_ends(&all, MP_END_FAILED));
            if (count_at(&all, cases[c].at, -40.0 * log2(10.0) + 8.0) != cases[c].multiple)
                fail_msg("%s: not %lld paths end at %s", cases[c].system, (long long)cases[c].multiple, cases[c].at);
            for (int64_t k = 0; k < all.count; k++) {
                const double apart = distance_from(&all, k, cases[c].at);
                if (apart < -20.0 && finite_part(&all, k) > -20.0 &&
                    (all.path[k].end != MP_END_SINGULAR || apart > all.path[k].error + 6.0))
                    fail_msg("%s, path %lld: 2^%.1f away, estimated 2^%.1f", cases[c].system, (long long)k, apart,
                             all.path[k].error);
            }
            clear(&all);
        }
}

/* Where x y = 0 and y = x^2 meet, corrections of y are small and say nothing about x: a point that only one coordinate has reached is not
 * the end, and the end is not regular. */
static void coordinates_that_arrive_late_are_waited_for(void **state)
{
    static const char *const systems[] = {"29*x^3 - 32*x*y; y - x^2;", "x*(y - 2*x^2); y - x^2;"};
    (void)state;
    for (size_t c = 0; c < sizeof systems / sizeof *systems; c++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            followed all;
            follow(systems[c], seed, 40.0, MUCH_WORK, &all);
            for (int64_t k = 0; k < all.count; k++) {
                const mp_path *p = &all.path[k];
                const bool finite = p->end != MP_END_FAILED && finite_part(&all, k) > -20.0;
                const double apart = finite ? distance_from(&all, k, "0") : 0.0;
                if (p->end == MP_END_FAILED)
                    fail_msg("%s, seed %d: path %lld failed", systems[c], (int)seed, (long long)k);
                if (finite && apart < -20.0 && (p->end != MP_END_SINGULAR || apart > p->error + 6.0))
                    fail_msg("%s, seed %d, path %lld: 2^%.1f away, estimated 2^%.1f", systems[c], (int)seed,
                             (long long)k, apart, p->error);
            }
            clear(&all);
        }
}

/* Roots and multiple roots that quad doubles cannot tell apart. */
static void clusters_are_resolved(void **state)
{
    static const struct {
        const char *system, *at[2];
        double near; /* log2 of less than half of their distance */
        int64_t count[2];
        int64_t regular;
    } cases[] = {
        {"(x - 1)*(x - 1 - 1/10^50);",
         {"1", "1.00000000000000000000000000000000000000000000000001"},
         -170.0,
         {1, 1},
         2},
        {"(x - 1)^2*(x - 1 - 1/10^8)^2;", {"1", "1.00000001"}, -30.0, {2, 2}, 0},
        {"(x - 1)^3*(x - 1 - 1/10^5)^3;", {"1", "1.00001"}, -20.0, {3, 3}, 0},
        {"(x - 1)*(x - 1 - 1/10^20)^2;", {"1", "1.00000000000000000001"}, -70.0, {1, 2}, 1},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        followed all;
        follow(cases[c].system, 1, 60.0, MUCH_WORK, &all);
        for (int i = 0; i < 2; i++)
            if (count_at(&all, cases[c].at[i], cases[c].near) != cases[c].count[i])
                fail_msg("%s: not %lld paths end at %s", cases[c].system, (long long)cases[c].count[i], cases[c].at[i]);
        assert_int_equal(count_ends(&all, MP_END_REGULAR), cases[c].regular);
        clear(&all);
    }
}

/* The homogenizing coordinate tends to zero. */
static void infinite_ends_are_reached(void **state)
{
    static const struct {
        const char *system;
        int64_t finite, infinite;
    } cases[] = {
        {"x*y - 1; x - 2;", 1, 1},                   /* a regular end at infinity */
        {"x^2 + x*y - 1; x^2 + x*y + x - 3;", 1, 3}, /* a multiple one */
        {"x*y - 1; x^2*y - 2;", 1, 5},
        {"x^2 + y^2 - 1; x^2 + y^2 - 2*x - 3;", 2, 2},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        followed all;
        int64_t infinite = 0;
        follow(cases[c].system, 2, 40.0, MUCH_WORK, &all);
        assert_int_equal(count_ends(&all, MP_END_FAILED), 0);
        for (int64_t k = 0; k < all.count; k++) {
            const double part = finite_part(&all, k);
            infinite += part <= all.path[k].error + 6.0;
            assert_true(part > -20.0 || part <= all.path[k].error + 6.0);
        }
        if (infinite != cases[c].infinite || all.count - infinite != cases[c].finite)
            fail_msg("%s: %lld of %lld paths go to infinity, expected %lld", cases[c].system, (long long)infinite,
                     (long long)all.count, (long long)cases[c].infinite);
        clear(&all);
    }
}

/* Paths that run along a curve of solutions, g = 0, to infinity: the terms of g^2 overtake those of g there, so that x_0 falls like
 * tau^(1/6), or tau^(1/20) and tau^(1/10), and the radius of convergence of Newton's method like tau. */
static void slow_paths_to_infinity_arrive(void **state)
{
    static const struct {
        const char *system;
        int64_t paths, infinite;
        uint64_t seeds;
    } cases[] = {
        {"(x*y-1)*(1+(x*y-1)*(x+2*y-3));(x*y-1)*(2+(x*y-1)*(3*x-y+5));", 25, 12, 1},
        {"(x^2*y-1)*(1+(x^2*y-1)*(x+2*y^2-3));(x^2*y-1)*(2+(x^2*y-1)*(3*x^2-y+5));", 64, 30, 1},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 1; seed <= cases[c].seeds; seed++) {
            followed all;
            int64_t infinite = 0, steps = 0;
            follow(cases[c].system, seed, 40.0, MUCH_WORK, &all);
            assert_int_equal(all.count, cases[c].paths);
            assert_int_equal(count_ends(&all, MP_END_FAILED), 0);
            for (int64_t k = 0; k < all.count; k++) {
                infinite += finite_part(&all, k) <= all.path[k].error + 6.0;
                steps = all.path[k].steps > steps ? all.path[k].steps : steps;
                assert_true(all.path[k].end == MP_END_REGULAR || all.path[k].error <= -40.0 * log2(10.0));
            }
            if (infinite != cases[c].infinite || steps > 400)
                fail_msg("%s, seed %d: %lld paths go to infinity, expected %lld; at most %lld steps", cases[c].system,
                         (int)seed, (long long)infinite, (long long)cases[c].infinite, (long long)steps);
            clear(&all);
        }
}

/* The same with tiny terms, which end the fall of x_0 far out: all ends are finite, however large. */
static void slow_paths_to_large_ends_do_not_go_to_infinity(void **state)
{
    static const char *const system = "(x*y-1)*(1+(x*y-1)*(x+2*y-3))+(x^5+3*y^5)/10^90;"
                                      "(x*y-1)*(2+(x*y-1)*(3*x-y+5))+(2*x^5-y^5)/10^90;";
    (void)state;
    followed all;
    follow(system, 1, 150.0, 3e7, &all);
    for (int64_t k = 0; k < all.count; k++)
        if (all.path[k].end != MP_END_FAILED && finite_part(&all, k) <= all.path[k].error + 6.0)
            fail_msg("path %lld: x_0 is 2^%.1f, its error 2^%.1f", (long long)k, finite_part(&all, k),
                     all.path[k].error);
    clear(&all);
}

/* Work is limited, by counts: the same path ends at the same step. */
static void work_is_limited(void **state)
{
    followed all, again;
    (void)state;
    follow("(x - 1)^4; y^2 - x;", 1, 60.0, 2e4, &all);
    follow("(x - 1)^4; y^2 - x;", 1, 60.0, 2e4, &again);
    assert_int_equal(count_ends(&all, MP_END_FAILED), all.count);
    for (int64_t k = 0; k < all.count; k++) {
        assert_true(all.path[k].work < 1e6);
        assert_true(all.path[k].work == again.path[k].work && all.path[k].steps == again.path[k].steps);
    }
    clear(&all);
    clear(&again);
}

/* A point that does not solve the start system. */
static void false_starts_fail(void **state)
{
    plumb_system *target = parse("x^2 - 2;"), *start = NULL;
    plumb_homotopy *homotopy = NULL;
    plumb_homotopy_options options;
    mp_complex *from = mp_make(1, 256);
    mp_path path = {.x = NULL};
    (void)state;
    plumb_homotopy_options_init(&options);
    options.projective = 1;
    assert_int_equal(plumb_system_start(target, 1, &start), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(start, target, &options, &homotopy), PLUMB_OK);
    assert_non_null(from);
    mpfr_set_ui(from[0].re, 17, MPFR_RNDN);
    const mp_follow_options limits = {.digits = 30.0, .most_work = MUCH_WORK};
    assert_int_equal(mp_follow(homotopy, from, &limits, &path), PLUMB_OK);
    mp_free(from, 1);
    assert_int_equal(path.end, MP_END_FAILED);
    mp_path_clear(homotopy, &path);
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_ends_are_reached),
        cmocka_unit_test(multiple_ends_are_reached),
        cmocka_unit_test(coordinates_that_arrive_late_are_waited_for),
        cmocka_unit_test(clusters_are_resolved),
        cmocka_unit_test(infinite_ends_are_reached),
        cmocka_unit_test(slow_paths_to_infinity_arrive),
        cmocka_unit_test(slow_paths_to_large_ends_do_not_go_to_infinity),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(false_starts_fail),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
