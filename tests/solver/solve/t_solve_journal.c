/* t_solve_journal.c - plumb_solve with a journal: the same bits as without one, after stops and after kills, too. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "plumb.h"
#include "solver/context_test.h"

static const uint64_t SEED = 20262;
static const char SYSTEM[] = "a+b+c+d+e; a*b+b*c+c*d+d*e+e*a; a*b*c+b*c*d+c*d*e+d*e*a+e*a*b;"
                             "a*b*c*d+b*c*d*e+c*d*e*a+d*e*a*b+e*a*b*c; a*b*c*d*e-1;"; /* 70 solutions */
static char path[] = "/tmp/t_solve_journal_XXXXXX";

static plumb_system *parse(void)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    assert_int_equal(plumb_system_parse(SYSTEM, sizeof SYSTEM - 1, &s, &error), PLUMB_OK);
    return s;
}

static plumb_solve_options options_with(const char *journal, int resume)
{
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.start = PLUMB_START_TOTAL;
    options.journal = journal;
    options.resume = resume;
    return options;
}

/* A hash of all solutions, their records and the account of the paths. */
static uint64_t hash_of(const plumb_solutions *s)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    plumb_view x;
    plumb_solve_report report;
    const int32_t prec = plumb_solutions_prec(s);
    const int64_t n = plumb_solutions_unknowns(s);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, 1, &x), PLUMB_OK);
    assert_int_equal(plumb_solutions_report(s, &report), PLUMB_OK);
    int64_t counts[] = {report.paths,     report.regular, report.singular,         report.infinite,
                        report.undecided, report.failed,  plumb_solutions_count(s)};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        hash = (hash ^ (uint64_t)counts[k]) * UINT64_C(0x100000001b3);
    for (int64_t k = 0; k < plumb_solutions_count(s); k++) {
        assert_int_equal(plumb_solutions_get(s, k, &x), PLUMB_OK);
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < 2 * prec; c++) {
                uint64_t bits;
                memcpy(&bits, &x.data[c * x.plane + i], sizeof bits);
                hash = (hash ^ bits) * UINT64_C(0x100000001b3);
            }
    }
    plumb_array_destroy(context, &x);
    return hash;
}

static uint64_t solve(const plumb_solve_options *options)
{
    plumb_system *s = parse();
    plumb_solutions *found = NULL;
    if (plumb_solve(context, s, options, &found) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    const uint64_t hash = hash_of(found);
    plumb_solutions_destroy(found);
    plumb_system_destroy(s);
    return hash;
}

static uint64_t plain(void)
{
    const plumb_solve_options options = options_with(NULL, 0);
    return solve(&options);
}

static int prepare(void **state)
{
    const int file = mkstemp(path);
    backend = PLUMB_BACKEND_CPU;
    if (file < 0)
        return -1;
    close(file);
    unlink(path);
    return make_context(state);
}

static int forget(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void a_journal_changes_nothing(void **state)
{
    (void)state;
    const plumb_solve_options first = options_with(path, 0), again = options_with(path, 1);
    assert_true(solve(&first) == plain());
    assert_int_equal(access(path, F_OK), 0); /* it stays */
    assert_true(solve(&again) == plain());   /* nothing is tracked */
}

static void journals_of_others_are_refused(void **state)
{
    plumb_system *s = parse();
    plumb_solutions *found = NULL;
    plumb_solve_options options = options_with(path, 0);
    (void)state;
    (void)solve(&options);
    assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "holds a run"));
    assert_null(found);
    options.resume = 1;
    options.seed = 2;
    assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "cannot resume"));
    assert_null(found);
    plumb_system_destroy(s);
}

static int stop_at_once(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data, (void)failed, (void)total;
    return done > 5;
}

static void a_stopped_call_is_continued(void **state)
{
    plumb_system *s = parse();
    plumb_solutions *found = NULL;
    plumb_solve_report report;
    plumb_solve_options options = options_with(path, 0);
    (void)state;
    options.progress = stop_at_once;
    assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_OK);
    assert_int_equal(plumb_solutions_report(found, &report), PLUMB_OK);
    plumb_solutions_destroy(found);
    plumb_system_destroy(s);
    options = options_with(path, 1);
    assert_true(solve(&options) == plain());
}

/* The child is killed at a random moment; whoever comes next continues. */
static void a_killed_call_is_continued(void **state)
{
    enum { KILLS = 50, LONGEST = 60000 }; /* microseconds */
    const uint64_t expected = plain();
    plumb_random random = plumb_random_start(SEED);
    int before_the_end = 0;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)SEED);
    for (int k = 0; k < KILLS; k++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            plumb_context *own = NULL;
            plumb_context_options one;
            plumb_solutions *found = NULL;
            const plumb_solve_options options = options_with(path, 1);
            plumb_context_options_init(&one);
            one.backend = PLUMB_BACKEND_CPU;
            one.threads = 2;
            _exit(plumb_context_create(&one, &own) == PLUMB_OK &&
                          plumb_solve(own, parse(), &options, &found) == PLUMB_OK
                      ? 0
                      : 1);
        }
        int status = 0;
        usleep((useconds_t)plumb_random_below(&random, LONGEST));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        before_the_end += WIFSIGNALED(status);
        if (k % 5 == 4) {
            const plumb_solve_options options = options_with(path, 1);
            if (solve(&options) != expected)
                fail_msg("kill %d: the solutions differ", k);
            unlink(path);
        }
    }
    print_message("%d of %d were killed before their end\n", before_the_end, KILLS);
}

/* Every path belongs to one of the parts, and their regular endpoints are those of the whole run. */
static void ranges_share_the_paths(void **state)
{
    static const int64_t from[] = {0, 1, 50, 119}, counts[] = {1, 49, 69, 0};
    int64_t paths = 0, regular[2] = {0, 0};
    (void)state;
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        for (int with_journal = 0; with_journal < 2; with_journal++) {
            plumb_system *s = parse();
            plumb_solutions *found = NULL;
            plumb_solve_report report;
            plumb_solve_options options = options_with(with_journal ? path : NULL, 0);
            options.path_first = from[k];
            options.path_count = counts[k];
            assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_OK);
            assert_int_equal(plumb_solutions_report(found, &report), PLUMB_OK);
            assert_int_equal(report.paths, counts[k] ? counts[k] : 1);
            paths += report.paths;
            regular[with_journal] += report.regular;
            plumb_solutions_destroy(found);
            plumb_system_destroy(s);
            unlink(path);
        }
    assert_int_equal(paths, 2 * 120);
    assert_int_equal(regular[0], 70);
    assert_int_equal(regular[1], 70);
}

static int notes;

static void take_note(void *data, const char *line)
{
    assert_ptr_equal(data, &notes);
    assert_true(strlen(line) > 0);
    notes++;
}

/* Parts give what one call for all paths gives, and parts that leave paths out are refused, or filled. */
static void parts_are_put_together(void **state)
{
    static const int64_t from[] = {0, 60, 100}, counts[] = {60, 40, 20};
    char names[3][64];
    const char *parts[] = {names[2], names[0], names[1], NULL}, *some[] = {names[0], names[2], NULL};
    (void)state;
    plumb_solve_options options = options_with(NULL, 0);
    const uint64_t whole = solve(&options);
    for (int k = 0; k < 3; k++) {
        snprintf(names[k], sizeof names[k], "%s_%d", path, k);
        options = options_with(names[k], 0);
        options.path_first = from[k];
        options.path_count = counts[k];
        (void)solve(&options);
    }
    options = options_with(NULL, 0);
    options.parts = parts;
    assert_int_equal(solve(&options), whole);
    options.parts = some;
    plumb_system *s = parse();
    plumb_solutions *found = NULL;
    assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "61"));
    plumb_system_destroy(s);
    options.fill = 1;
    assert_int_equal(solve(&options), whole);

    /* A line that is damaged is a note, and its path is tracked again. */
    FILE *file = fopen(names[0], "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -20, SEEK_END), 0);
    assert_true(fputc('#', file) != EOF && fclose(file) == 0);
    options.parts = parts;
    options.note = take_note;
    options.data = &notes;
    assert_int_equal(solve(&options), whole);
    assert_true(notes > 0);
    for (int k = 0; k < 3; k++)
        unlink(names[k]);
}

/* The log has a line for each step, and one for the end of each path. */
static void steps_are_logged(void **state)
{
    (void)state;
    plumb_solve_options options = options_with(NULL, 0);
    const uint64_t expected = solve(&options);
    options.path_log = path;
    assert_int_equal(solve(&options), expected);
    int steps = 0, ends = 0;
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        steps += strstr(line, "\"step\": ") != NULL;
        ends += strstr(line, "\"code\": ") != NULL;
    }
    free(line);
    fclose(file);
    assert_int_equal(ends, 120);
    assert_true(steps > 1000);
}

static void ranges_beyond_the_paths_are_refused(void **state)
{
    static const int64_t bad[][2] = {{120, 0}, {0, 121}, {119, 2}, {-1, 0}, {0, -1}, {1, INT64_MAX}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        plumb_system *s = parse();
        plumb_solutions *found = NULL;
        plumb_solve_options options = options_with(NULL, 0);
        options.path_first = bad[k][0];
        options.path_count = bad[k][1];
        assert_int_equal(plumb_solve(context, s, &options, &found), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(context), "path"));
        assert_null(found);
        plumb_system_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_journal_changes_nothing, forget),
        cmocka_unit_test_teardown(journals_of_others_are_refused, forget),
        cmocka_unit_test_teardown(a_stopped_call_is_continued, forget),
        cmocka_unit_test_teardown(a_killed_call_is_continued, forget),
        cmocka_unit_test_teardown(ranges_share_the_paths, forget),
        cmocka_unit_test(ranges_beyond_the_paths_are_refused),
        cmocka_unit_test_teardown(parts_are_put_together, forget),
        cmocka_unit_test_teardown(steps_are_logged, forget),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
