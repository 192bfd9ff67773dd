/* t_track_calls.c - tests plumb_track as a call: arguments that are refused, progress reports, stopping, the same bits for any number of
 * threads and any order of the paths, and paths that are tracked again because they jumped to another one. */
#define _GNU_SOURCE /* syscall */
#define TRACK_SEED 141421
#include "track_fixture.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "solver/track/track.h"

static track_run katsura(plumb_context *on, int32_t prec)
{
    char *text = load_text("katsura5.phc");
    track_run run = track_total_degree(on, parse_good(text), seed, 1, prec);
    free(text);
    return run;
}

/* ---- Refusals ------------------------------------------------------------------------------------------------------------- */

static void bad_calls_are_refused(void **state)
{
    (void)state;
    track_run run = katsura(context, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed), bad;
    plumb_view *x = &run.starts, *y = &run.ends;
#define REFUSED(homotopy, starts, ends, options, records) \
    assert_int_equal(plumb_track(context, homotopy, starts, ends, options, records), PLUMB_ERR_ARGUMENT)
    REFUSED(NULL, x, y, &how, run.records);
    REFUSED(run.homotopy, NULL, y, &how, run.records);
    REFUSED(run.homotopy, x, NULL, &how, run.records);
    REFUSED(run.homotopy, x, y, &how, NULL);
    REFUSED(run.homotopy, x, x, &how, run.records);
    REFUSED(run.homotopy, x, y, NULL, run.records); /* automatic precision: ends in qd */
    bad = how, bad.prec = 3;
    REFUSED(run.homotopy, x, y, &bad, run.records);
    bad = how, bad.turn = 0.0;
    REFUSED(run.homotopy, x, y, &bad, run.records);
    bad = how, bad.max_steps = 0;
    REFUSED(run.homotopy, x, y, &bad, run.records);
    bad = how, bad.tolerance = -1.0;
    REFUSED(run.homotopy, x, y, &bad, run.records);
    bad = how, bad.max_winding = 0;
    REFUSED(run.homotopy, x, y, &bad, run.records);
    bad = how, bad.size = 1;
    REFUSED(run.homotopy, x, y, &bad, run.records);
#undef REFUSED
    assert_true(strlen(plumb_context_message(context)) > 0);
    assert_int_equal(plumb_track(NULL, run.homotopy, x, y, &how, run.records), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_path_text(PLUMB_PATH_AT_INFINITY), "at infinity");
    assert_string_equal(plumb_path_text(PLUMB_PATH_NOT_ISOLATED), "not isolated");
    assert_string_equal(plumb_path_text(PLUMB_PATH_UNDECIDED), "undecided");
    assert_int_equal(PLUMB_PATH_STOPPED, 7); /* codes are stored by programs: new ones are added at the end */
    assert_non_null(plumb_path_text((plumb_path_code)99));
    track_run_destroy(context, &run);
}

static void bad_starts_have_their_numbers(void **state)
{
    (void)state;
    track_run run = katsura(context, 0);
    track_set_start(&run, 7, 2, 0.75, 0.5);
    track_set_start(&run, 20, 0, NAN, 0.0);
    plumb_track_options how = track_defaults(0, seed);
    int64_t numbers[32];
    for (int64_t k = 0; k < run.paths; k++)
        numbers[k] = 100 + k;
    track_some(context, &run, &(track_part){.paths = numbers}, &how);
    for (int64_t k = 0; k < run.paths; k++) {
        assert_int_equal(run.records[k].path, 100 + k);
        assert_int_equal(run.records[k].code, k == 7 || k == 20 ? PLUMB_PATH_BAD_START : PLUMB_PATH_SUCCESS);
    }
    track_run_destroy(context, &run);
}

static void limits_are_kept(void **state)
{
    (void)state;
    track_run run = katsura(context, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    how.max_steps = 5;
    track_all(context, &run, &how);
    assert_int_equal(track_count(&run, PLUMB_PATH_TOO_MANY_STEPS), run.paths);
    for (int64_t k = 0; k < run.paths; k++)
        assert_int_equal(run.records[k].steps + run.records[k].rejected, 5);
    how = track_defaults(PLUMB_D, seed);
    how.min_step = 0.2;
    track_all(context, &run, &how);
    assert_true(track_count(&run, PLUMB_PATH_STEP_TOO_SMALL) > 0);
    assert_int_equal(track_count(&run, PLUMB_PATH_STEP_TOO_SMALL) + track_count(&run, PLUMB_PATH_SUCCESS), run.paths);
    how = track_defaults(PLUMB_D, seed);
    how.max_seconds = 1e-9; /* over before the first step is */
    track_all(context, &run, &how);
    assert_int_equal(track_count(&run, PLUMB_PATH_STOPPED), run.paths);
    for (int64_t k = 0; k < run.paths; k++)
        assert_true(isfinite(track_re(&run, k, 0)) && run.records[k].t < 1.0);
    const double long_enough[] = {1e6, 1e300, (double)INFINITY};
    for (size_t k = 0; k < sizeof long_enough / sizeof *long_enough; k++) {
        how.max_seconds = long_enough[k];
        track_all(context, &run, &how);
        assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), run.paths);
        for (int64_t path = 0; path < run.paths; path++)
            assert_int_equal(run.records[path].multiplicity, 1);
    }
    const double wrong[] = {-1.0, (double)NAN, -(double)INFINITY};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        how.max_seconds = wrong[k];
        assert_int_equal(plumb_track(context, run.homotopy, &run.starts, &run.ends, &how, run.records),
                         PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "max_seconds"));
    }
    track_run_destroy(context, &run);
}

/* ---- Clocks --------------------------------------------------------------------------------------------------------------- */

static int wall_jumps; /* whether the wall clock is set an hour ahead whenever somebody looks at it */
static time_t ahead;

/* These take the place of clock_gettime and timespec_get of the C library. */
int jumping_gettime(clockid_t clock, struct timespec *time) __asm__("clock_gettime");
int jumping_timespec(struct timespec *time, int base) __asm__("timespec_get");

int jumping_gettime(clockid_t clock, struct timespec *time)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME && wall_jumps)
        time->tv_sec += ahead += 3600;
    return result;
}

int jumping_timespec(struct timespec *time, int base)
{
    return jumping_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

static void a_wall_clock_that_jumps_stops_no_path(void **state)
{
    (void)state;
    track_run run = katsura(context, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    how.max_seconds = 1000;
    wall_jumps = 1;
    track_all(context, &run, &how);
    wall_jumps = 0;
    assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), run.paths);
    track_run_destroy(context, &run);
}

/* ---- On the way ----------------------------------------------------------------------------------------------------------- */

typedef struct told {
    int64_t steps[32], calls, done, stop_after;
    double t[32];
    int disordered, turned[32];
} told;

static void on_step(void *data, const plumb_path_step *step)
{
    told *all = data;
    assert_in_range(step->path, 0, 31);
    assert_int_equal(step->unknowns, 6);
    if (step->step > 0)
        all->steps[step->path]++;
    all->turned[step->path] |= step->t_imag != 0.0; /* around t = 1 */
    all->disordered |= !all->turned[step->path] && step->t < all->t[step->path];
    all->t[step->path] = step->t;
    assert_true(step->size >= 0.0 && step->condition > 0.0 && step->corrections > 0);
    for (int64_t i = 0; i < 2 * step->prec * step->unknowns; i++)
        assert_true(isfinite(step->x[i]));
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    told *all = data;
    assert_int_equal(total, 32);
    assert_true(failed <= done && done <= total && done >= all->done);
    all->calls++;
    all->done = done;
    return all->stop_after > 0 && done >= all->stop_after;
}

static void steps_and_progress_are_told(void **state)
{
    (void)state;
    told all = {.calls = 0};
    track_run run = katsura(context, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    how.step = on_step;
    how.progress = on_progress;
    how.data = &all;
    plumb_track_report report = {.to_device = -1, .to_host = -1, .reserved = {1}};
    how.report = &report;
    track_all(context, &run, &how);
    assert_int_equal(all.done, run.paths);
    assert_true(all.calls >= run.paths);
    assert_false(all.disordered);
    int64_t steps = 0;
    for (int64_t k = 0; k < run.paths; k++) {
        assert_int_equal(all.steps[k], run.records[k].steps);
        assert_true(all.t[k] == 1.0);
        steps += run.records[k].steps;
    }
    assert_int_equal(report.backend, PLUMB_BACKEND_CPU);
    assert_int_equal(report.to_device, 0);
    assert_int_equal(report.to_host, 0);
    assert_int_equal(report.steps, steps);
    assert_int_equal(report.reserved[0], 0);
    track_run_destroy(context, &run);
}

/* Counts the steps after the first ones, which have too few points, that need more than one correction. */
static void count_corrected_again(void *data, const plumb_path_step *step)
{
    const int64_t few = 4;
    if (step->step >= few && step->t < 1.0)
        *(int64_t *)data += step->corrections > 1;
}

/* x = 1 / (gamma (1 - t) + t / 1000) has a pole near the path, and predictions with a pole are exact. */
static void a_pole_is_predicted(void **state)
{
    (void)state;
    static const double gammas[][2] = {{0.0, 1.0}, {-0.6, 0.8}, {0.8, -0.6}};
    for (int k = 0; k < 3; k++)
        for (int prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            int64_t again = 0;
            plumb_homotopy_options options;
            plumb_homotopy_options_init(&options);
            options.projective = 0;
            memcpy(options.gamma, gammas[k], sizeof options.gamma);
            track_run run = track_between(context, "x - 1; y - 1;", "1/1000*x - 1; y + x - 1;", &options, 1, prec);
            track_set_start(&run, 0, 0, 1.0, 0.0);
            track_set_start(&run, 0, 1, 1.0, 0.0);
            plumb_track_options how = track_defaults(prec, seed);
            how.endgame = 0;
            how.step = count_corrected_again;
            how.data = &again;
            track_all(context, &run, &how);
            track_say(&run, 0);
            assert_int_equal(run.records[0].code, PLUMB_PATH_SUCCESS);
            assert_true(run.records[0].steps > 8);
            assert_int_equal(again, 0);
            track_run_destroy(context, &run);
        }
}

static void runs_stop_on_request(void **state)
{
    (void)state;
    told all = {.stop_after = 5};
    plumb_context *one = track_context(1);
    track_run run = katsura(one, PLUMB_D);
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    how.progress = on_progress;
    how.data = &all;
    track_all(one, &run, &how);
    assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 5);
    assert_int_equal(track_count(&run, PLUMB_PATH_STOPPED), run.paths - 5);
    track_run_destroy(one, &run);
    plumb_context_destroy(one);
}

/* ---- The same bits --------------------------------------------------------------------------------------------------------- */

static void bits_are_those_of_the_path(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, 0};
    for (int p = 0; p < 2; p++) {
        plumb_context *one = track_context(1);
        track_run first = katsura(one, precisions[p]), again = katsura(context, precisions[p]);
        plumb_track_options how = track_defaults(precisions[p], seed);
        track_all(one, &first, &how);
        track_all(context, &again, &how);
        size_t bytes = (size_t)(first.ends.next * first.paths) * sizeof(double);
        assert_memory_equal(first.ends.data, again.ends.data, bytes);
        assert_memory_equal(first.records, again.records, (size_t)first.paths * sizeof *first.records);

        /* Backwards: paths keep their numbers, and with them their bits. */
        int64_t numbers[32];
        track_run back = katsura(context, precisions[p]);
        for (int64_t k = 0; k < back.paths; k++) {
            numbers[k] = back.paths - 1 - k;
            memcpy(back.starts.data + k * back.starts.next, first.starts.data + numbers[k] * first.starts.next,
                   (size_t)first.starts.next * sizeof(double));
        }
        track_some(context, &back, &(track_part){.paths = numbers}, &how);
        for (int64_t k = 0; k < back.paths; k++) {
            assert_memory_equal(back.ends.data + k * back.ends.next, first.ends.data + numbers[k] * first.ends.next,
                                (size_t)first.ends.next * sizeof(double));
            assert_memory_equal(&back.records[k], &first.records[numbers[k]], sizeof *back.records);
        }
        track_run_destroy(context, &back);
        track_run_destroy(context, &again);
        track_run_destroy(one, &first);
        plumb_context_destroy(one);
    }
}

/* ---- Reruns --------------------------------------------------------------------------------------------------------------- */

/* Two paths from one start: whatever the steps, they end in one point, and are tracked again as often as is allowed. */
static void shared_endpoints_are_tracked_again(void **state)
{
    (void)state;
    track_run run = katsura(context, PLUMB_D);
    memcpy(run.starts.data + 9 * run.starts.next, run.starts.data + 4 * run.starts.next,
           (size_t)run.starts.next * sizeof(double));
    plumb_track_options how = track_defaults(PLUMB_D, seed);
    track_all(context, &run, &how);
    int64_t longer = run.records[4].steps;
    for (int64_t k = 0; k < run.paths; k++) {
        assert_int_equal(run.records[k].code, PLUMB_PATH_SUCCESS);
        assert_int_equal(run.records[k].reruns, k == 4 || k == 9 ? 2 : 0);
    }
    how.reruns = 0;
    track_all(context, &run, &how);
    assert_int_equal(run.records[4].reruns, 0);
    assert_true(longer > run.records[4].steps); /* with shorter steps */
    track_some(context, &run, &(track_part){.rerun = 2}, &how);
    assert_int_equal(run.records[4].steps, longer);
    assert_int_equal(run.records[4].reruns, 2);
    track_run_destroy(context, &run);
}

/* y and z are large, ill conditioned and do not move, and x moves beside them. The first and the last path begin at the
 * same point, so they end at the same point, and both are tracked again with shorter steps. */
static void shared_ends_are_tracked_again(void **state)
{
    (void)state;
    static const char still[] = "y + z - 200; y + 10001/10000*z - 20001/100;";
    char start[200], target[200];
    const double fifth = 0.4 * acos(-1.0);
    snprintf(start, sizeof start, "x^5 - 1; %s", still);
    snprintf(target, sizeof target, "x^5 - 2*x^3 + x + 1/10; %s", still);
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = 1;
    options.projective = 0;
    options.unscaled = 1;
    track_run run = track_between(context, start, target, &options, 5, PLUMB_D);
    for (int64_t k = 0; k < 5; k++) {
        track_set_start(&run, k, 0, cos(fifth * (double)(k % 4)), sin(fifth * (double)(k % 4)));
        track_set_start(&run, k, 1, 100.0, 0.0);
        track_set_start(&run, k, 2, 100.0, 0.0);
    }
    plumb_track_options how = track_defaults(PLUMB_D, 1);
    how.reruns = 2;
    track_all(context, &run, &how);
    assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 5);
    assert_int_equal(track_shared(&run, 1e-6), 1);
    for (int64_t k = 0; k < 5; k++)
        assert_int_equal(run.records[k].reruns, k % 4 == 0 ? 2 : 0);
    track_run_destroy(context, &run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(bad_starts_have_their_numbers),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_wall_clock_that_jumps_stops_no_path),
        cmocka_unit_test(steps_and_progress_are_told),
        cmocka_unit_test(a_pole_is_predicted),
        cmocka_unit_test(runs_stop_on_request),
        cmocka_unit_test(bits_are_those_of_the_path),
        cmocka_unit_test(shared_endpoints_are_tracked_again),
        cmocka_unit_test(shared_ends_are_tracked_again),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
