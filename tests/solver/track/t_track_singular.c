/* t_track_singular.c - tests paths that pass close to a singularity and paths that end in one: a precision that
 * cannot decide reports this, and one that can arrives on the right branch; singular endpoints have their winding
 * number; infinity is recognised. */
#define TRACK_SEED 314159
#include "track_fixture.h"

static plumb_homotopy_options homotopy_options(uint64_t number, int32_t projective)
{
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = seed + number;
    options.projective = projective;
    return options;
}

/* ---- Close to a singularity along the path
 * ---------------------------------------------------------------------------------- */

/* x^2 = (y - 1/2)^2 + delta^2 with y = t: the branch x > 0 comes within delta of the other one, and leaves it again. */
static plumb_path_record pass(const char *square_of_delta, int32_t prec, uint64_t number, double *off)
{
    char start[200], target[200];
    plumb_homotopy_options options = homotopy_options(0, 0);
    options.gamma[0] = 1.0;
    snprintf(start, sizeof start, "x^2 - (y - 1/2)^2 - %s; y;", square_of_delta);
    snprintf(target, sizeof target, "x^2 - (y - 1/2)^2 - %s; y - 1;", square_of_delta);
    track_run run = track_between(context, start, target, &options, 1, prec);
    track_set_start(&run, 0, 0, 0.5, 0.0);
    plumb_track_options how = track_defaults(prec, seed + number);
    track_all(context, &run, &how);
    *off = track_off(&run, 0, 0, 0.5, 0.0);
    plumb_path_record record = run.records[0];
    track_run_destroy(context, &run);
    return record;
}

static int has_too_few_digits(int32_t code)
{
    return code == PLUMB_PATH_PRECISION_EXHAUSTED || code == PLUMB_PATH_STEP_TOO_SMALL;
}

static void a_near_miss_needs_digits(void **state)
{
    (void)state;
    const char *near = "1/1000000000000000000000000", *nearer = "1/10000000000000000000000000000000000000000";
    double off;
    for (uint64_t number = 0; number < 50; number++)
        assert_true(has_too_few_digits(pass(near, PLUMB_D, number, &off).code));
    static const int32_t good[] = {PLUMB_DD, PLUMB_QD, 0};
    for (int k = 0; k < 3; k++) {
        plumb_path_record r = pass(near, good[k], 0, &off);
        assert_int_equal(r.code, PLUMB_PATH_SUCCESS);
        assert_true(off < 1e-12); /* sqrt(1/4 + delta^2) */
        assert_true(r.max_prec >= PLUMB_DD);
    }
    assert_true(has_too_few_digits(pass(nearer, PLUMB_D, 0, &off).code));
    assert_true(has_too_few_digits(pass(nearer, PLUMB_DD, 0, &off).code));
    for (int k = 1; k < 3; k++) {
        plumb_path_record r = pass(nearer, good[k], 0, &off);
        assert_int_equal(r.code, PLUMB_PATH_SUCCESS);
        assert_true(off < 1e-12);
        assert_int_equal(r.max_prec, PLUMB_QD);
        assert_int_equal(r.prec, good[k] ? PLUMB_QD : PLUMB_D); /* and down again */
    }
}

/* ---- Singular ends ---------------------------------------------------------------------------------------------------------- */

/* All paths of a total-degree homotopy of one polynomial: so many end in `at`, with this winding number. */
static void check_cluster(const char *text, double at, int64_t multiplicity, int32_t winding, int64_t others,
                          int32_t projective, int32_t prec)
{
    for (uint64_t number = 0; number < 3; number++) {
        track_run run = track_total_degree(context, parse_good(text), seed + number, projective, prec);
        plumb_track_options how = track_defaults(prec, seed + number);
        double tolerance = prec == PLUMB_DD ? 1e-18 : prec == PLUMB_QD ? 1e-27 : 1e-9;
        track_all(context, &run, &how);
        int64_t found = 0;
        for (int64_t k = 0; k < run.paths; k++) {
            const plumb_path_record *r = &run.records[k];
            if (r->code != PLUMB_PATH_SINGULAR)
                continue;
            found++;
            if (r->winding != winding || track_off(&run, k, 0, at, 0.0) > tolerance || r->error > tolerance) {
                track_say(&run, k);
                fail_msg("%s: off by %g", text, track_off(&run, k, 0, at, 0.0));
            }
        }
        if (found != multiplicity || track_count(&run, PLUMB_PATH_SUCCESS) != others)
            for (int64_t k = 0; k < run.paths; k++)
                track_say(&run, k);
        assert_int_equal(found, multiplicity);
        assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), others);
        track_run_destroy(context, &run);
    }
}

static void multiple_roots_have_their_winding_number(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, 0};
    for (int k = 0; k < 3; k++)
        for (int32_t projective = 0; projective < 2; projective++) {
            check_cluster("(x - 3)^2;", 3.0, 2, 2, 0, projective, precisions[k]);
            check_cluster("(x - 3)^4;", 3.0, 4, 4, 0, projective, precisions[k]);
            check_cluster("x^3;", 0.0, 3, 3, 0, projective, precisions[k]);
            check_cluster("(x - 2)^3*(x + 3);", 2.0, 3, 3, 1, projective, precisions[k]);
        }
    check_cluster("(x - 3)^2;", 3.0, 2, 2, 0, 1, PLUMB_QD);
}

/* A cusp: y^2 = x^3 meets y = 0 in x = 0, three times in x. And a point whose multiplicity 4 is that of two cycles. */
static void cusps_and_points_of_several_cycles(void **state)
{
    (void)state;
    static const char *const texts[] = {"y^2 - x^3; y - x^2;", "x^2 - y^2; x*y;"};
    static const int64_t singular[] = {3, 4}, regular[] = {1, 0};
    for (int k = 0; k < 2; k++)
        for (uint64_t number = 0; number < 3; number++) {
            track_run run = track_total_degree(context, parse_good(texts[k]), seed + number, 1, 0);
            plumb_track_options how = track_defaults(0, seed + number);
            track_all(context, &run, &how);
            for (int64_t i = 0; i < run.paths; i++)
                if (run.records[i].code == PLUMB_PATH_SINGULAR) {
                    assert_true(track_off(&run, i, 0, 0.0, 0.0) < 1e-8);
                    assert_true(track_off(&run, i, 1, 0.0, 0.0) < 1e-8);
                } else {
                    track_say(&run, i);
                }
            assert_int_equal(track_count(&run, PLUMB_PATH_SINGULAR), singular[k]);
            assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), regular[k]);
            assert_int_equal(track_count(&run, PLUMB_PATH_AT_INFINITY), run.paths - singular[k] - regular[k]);
            track_run_destroy(context, &run);
        }
}

/* (x - 1)(x - 2) ... (x - n), multiplied out. */
static void wilkinson(char *text, size_t size, int n)
{
    double c[32] = {1.0}; /* integers below 2^53 as long as n <= 16 */
    size_t at = 0;
    for (int k = 1; k <= n; k++)
        for (int i = k; i >= 0; i--)
            c[i] = (i > 0 ? c[i - 1] : 0.0) - k * (i < k ? c[i] : 0.0);
    for (int i = n; i >= 0; i--)
        at += (size_t)snprintf(text + at, size - at, "%+.0f*x^%d ", c[i], i);
    assert_true(at + 2 < size);
    snprintf(text + at, size - at, ";");
}

/* Their conditions are up to 10^20 as the tracker measures them, in one unknown and in two; the paths of the second unknown to infinity
 * end in one point of multiplicity n. All roots are simple, and found: a circle around t = 1 that leads through many of them is no
 * evidence of a singular one, and one that cannot be made no failure. */
static void simple_roots_are_not_singular(void **state)
{
    (void)state;
    static const int degrees[] = {15, 12};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        int n = degrees[k], seen[32] = {0};
        wilkinson(text, sizeof text - 20, n);
        if (k == 1)
            snprintf(text + strlen(text), 20, " x*y - 1;");
        track_run run = track_total_degree(context, parse_good(text), 1, 1, 0);
        plumb_track_options how = track_defaults(0, 1);
        track_all(context, &run, &how);
        for (int64_t i = 0; i < run.paths; i++) {
            double root = round(track_re(&run, i, 0));
            if (run.records[i].code != PLUMB_PATH_SUCCESS && run.records[i].code != PLUMB_PATH_AT_INFINITY)
                track_say(&run, i);
            if (run.records[i].code == PLUMB_PATH_SUCCESS && root >= 1.0 && root <= n)
                seen[(int)root] += track_off(&run, i, 0, root, 0.0) < 1e-8;
        }
        for (int root = 1; root <= n; root++)
            assert_int_equal(seen[root], 1);
        assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), n);
        assert_int_equal(track_count(&run, PLUMB_PATH_AT_INFINITY), run.paths - n);
        track_run_destroy(context, &run);
    }
}

/* ---- Infinity ---------------------------------------------------------------------------------------------------------------- */

/* x y = 1, x y + x = 2: one root, (1, 1); the other three paths go to infinity, where the direction (1, 0) is regular and (0, 1) is not. */
static void infinity_is_recognised(void **state)
{
    (void)state;
    for (int32_t projective = 0; projective < 2; projective++)
        for (uint64_t number = 0; number < 3; number++) {
            track_run run =
                track_total_degree(context, parse_good("x*y - 1; x*y + x - 2;"), seed + number, projective, 0);
            plumb_track_options how = track_defaults(0, seed + number);
            track_all(context, &run, &how);
            for (int64_t i = 0; i < run.paths; i++) {
                const plumb_path_record *r = &run.records[i];
                if (r->code == PLUMB_PATH_SUCCESS) {
                    assert_true(track_off(&run, i, 0, 1.0, 0.0) < 1e-12 && track_off(&run, i, 1, 1.0, 0.0) < 1e-12);
                    continue;
                }
                if (r->code != PLUMB_PATH_AT_INFINITY)
                    track_say(&run, i);
                assert_int_equal(r->code, PLUMB_PATH_AT_INFINITY);
                /* A direction whose largest entry is 1. */
                double x = hypot(track_re(&run, i, 0), track_im(&run, i, 0)),
                       y = hypot(track_re(&run, i, 1), track_im(&run, i, 1));
                assert_true(fabs(fmax(x, y) - 1.0) < 1e-12);
                assert_true(fmin(x, y) < (projective ? 1e-8 : 0.1));
            }
            assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 1);
            track_run_destroy(context, &run);
        }
}

/* Without the endgame such paths say that steps became too small, or digits too few. */
static void without_the_endgame_singular_ends_fail(void **state)
{
    (void)state;
    track_run run = track_total_degree(context, parse_good("(x - 3)^4;"), seed, 1, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    how.endgame = 0;
    track_all(context, &run, &how);
    for (int64_t k = 0; k < run.paths; k++) {
        int32_t code = run.records[k].code;
        assert_true(code == PLUMB_PATH_STEP_TOO_SMALL || code == PLUMB_PATH_PRECISION_EXHAUSTED);
        assert_true(run.records[k].t > 0.9);
    }
    track_run_destroy(context, &run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_near_miss_needs_digits),
        cmocka_unit_test(multiple_roots_have_their_winding_number),
        cmocka_unit_test(cusps_and_points_of_several_cycles),
        cmocka_unit_test(simple_roots_are_not_singular),
        cmocka_unit_test(infinity_is_recognised),
        cmocka_unit_test(without_the_endgame_singular_ends_fail),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
