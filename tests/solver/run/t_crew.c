/* t_crew.c - tests the manager of a crew (solver/run/crew.h): what it hands out, what it takes, and how a round ends, with other ranks that
 * answer at once, late, twice, with a failure or never. One worker is real: the thread of rank 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/run/crew.h"
#include "solver/run/ranks_test.h"

enum { RANKS = 4, MOST_BLOCKS = 1000 };

/* ---- Other ranks --------------------------------------------------------------------------------------------------- */

typedef enum habit { PROMPT, HOARDING, SILENT, FAILING, FAILING_MUTE, STOPPING } habit;

/* A block that was sent. */
typedef struct sent_block {
    int32_t to;
    bool answered;
    run_block *block;
} sent_block;

static habit habits[RANKS]; /* of each rank */
static sent_block sent[MOST_BLOCKS];
static int sent_count, cancelled[RANKS];

/* Tells an endpoint as a worker does (worker.c): the length of the line, the record, the point, and the line. x names the rank. */
static void post_end(int32_t from, int64_t path, int64_t rerun, size_t cut)
{
    const plumb_path_record record = {.path = path, .reruns = (int32_t)rerun, .code = PLUMB_PATH_SUCCESS, .prec = 1};
    const double x[2 * PLUMB_QD] = {(double)path, 0, 0, 0, (double)from};
    size_t length = 0;
    char *line = run_journal_line(&the_job, the_check, &record, x, &length);
    unsigned char bytes[2048] = {0};
    const uint64_t of_line = length;
    const size_t size = sizeof of_line + sizeof record + sizeof x + (length + 7) / 8 * 8;
    assert_non_null(line);
    assert_true(size <= sizeof bytes);
    memcpy(bytes, &of_line, sizeof of_line);
    memcpy(bytes + sizeof of_line, &record, sizeof record);
    memcpy(bytes + sizeof of_line + sizeof record, x, sizeof x);
    memcpy(bytes + sizeof of_line + sizeof record + sizeof x, line, length);
    post(from, RANKS_RESULTS, bytes, size - cut);
    free(line);
}

/* Answers a block, the last path first. */
static void answer_block(sent_block *s)
{
    const int64_t one = 1;
    for (int64_t k = s->block->count - 1; k >= 0; k--)
        post_end(s->to, s->block->paths[k], s->block->rerun, 0);
    post(s->to, RANKS_FINISHED, &one, sizeof one);
    s->answered = true;
}

/* Answers what a rank has kept for itself. */
static void answer_rest(int32_t rank)
{
    for (int k = sent_count - 1; k >= 0; k--)
        if (sent[k].to == rank && !sent[k].answered)
            answer_block(&sent[k]);
}

static void take_block(int32_t to, const void *bytes, size_t length)
{
    const struct {
        int status;
        char text[16];
    } failure = {RUN_MISUSE, "no more disk"};
    assert_true(sent_count < MOST_BLOCKS);
    sent_block *s = &sent[sent_count++];
    *s = (sent_block){.to = to, .block = malloc(length)};
    assert_non_null(s->block);
    memcpy(s->block, bytes, length);
    assert_int_equal(length, run_block_bytes(s->block->count));
    if (habits[to] == PROMPT || habits[to] == STOPPING)
        answer_block(s);
    if (habits[to] == STOPPING)
        post(to, RANKS_STOP, NULL, 0);
    if (habits[to] == FAILING)
        post(to, RANKS_FAILED, &failure, sizeof failure.status + strlen(failure.text));
    if (habits[to] == FAILING_MUTE)
        post(to, RANKS_FAILED, NULL, 0);
}

static void answer(int32_t to, ranks_tag tag, const void *bytes, size_t length)
{
    if (tag == RANKS_BLOCK)
        take_block(to, bytes, length);
    else if (tag == RANKS_CANCEL) {
        cancelled[to]++;
        if (habits[to] != SILENT)
            answer_rest(to);
    } else
        fail_msg("rank 0 sends message %d", (int)tag);
}

/* ---- A round ------------------------------------------------------------------------------------------------------- */

enum { BESIDE = 8 };

typedef struct watched_round {
    bool before[BESIDE], todo[PATHS], after[BESIDE]; /* what is beside todo is true: nobody may look there */
    int64_t left;
    int told[PATHS];       /* how often */
    int32_t teller[PATHS]; /* by which rank */
    run_path state[PATHS];
    int64_t stop_at; /* stops when so few are left; -1: never */
} watched_round;

static watched_round the_round;
static run_crew *crew;

static void on_ended(void *data, const run_told_end *end)
{
    watched_round *r = data;
    const int64_t k = end->record.path - FIRST;
    assert_true(k >= 0 && k < PATHS && r->todo[k]);
    assert_int_equal(end->line[0], '{');
    assert_int_equal(end->line[end->line_length - 1], '\n');
    r->teller[k] = end->x[0] == (double)end->record.path ? (int32_t)end->x[PLUMB_QD] : 0;
    r->told[k]++;
    r->todo[k] = false;
    if (--r->left == 0)
        __atomic_store_n(&starts_wait, 0, __ATOMIC_RELEASE);
}

static bool must_stop(void *data)
{
    const watched_round *r = data;
    for (int32_t rank = 1; rank < RANKS; rank++) /* when all paths are under way */
        if (habits[rank] == HOARDING && r->left < PATHS / 2)
            answer_rest(rank);
    if (r->left > r->stop_at)
        return false;
    __atomic_store_n(&starts_wait, 0, __ATOMIC_RELEASE);
    return true;
}

static void begin(habit first, habit second, habit third)
{
    static const habit none;
    join_ranks(0, RANKS, answer);
    habits[0] = none, habits[1] = first, habits[2] = second, habits[3] = third;
    memset(cancelled, 0, sizeof cancelled);
    for (int32_t rank = 1; rank < RANKS; rank++)
        post(rank, RANKS_HELLO, the_identity, strlen(the_identity) + 1);
    the_round = (watched_round){.left = PATHS, .stop_at = -1};
    memset(the_round.before, true, sizeof the_round.before);
    memset(the_round.todo, true, sizeof the_round.todo);
    memset(the_round.after, true, sizeof the_round.after);
    assert_int_equal(run_crew_begin(&the_job, &crew), RUN_OK);
}

static int run(int32_t rerun)
{
    const run_crew_round round = {.rerun = rerun,
                                  .todo = the_round.todo,
                                  .left = &the_round.left,
                                  .state = the_round.state,
                                  .ended = on_ended,
                                  .must_stop = must_stop,
                                  .data = &the_round};
    return run_crew_track(crew, &round);
}

static void forget_blocks(void)
{
    while (sent_count > 0)
        free(sent[--sent_count].block);
}

static void end(void)
{
    run_crew_end(crew);
    leave_ranks();
    forget_blocks();
}

static void assert_all_told(void)
{
    assert_int_equal(the_round.left, 0);
    for (int k = 0; k < PATHS; k++)
        assert_int_equal(the_round.told[k], 1);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

static void every_path_is_handed_out_and_told_once(void **state)
{
    int given[PATHS] = {0}, of_rank[RANKS] = {0};
    (void)state;
    begin(PROMPT, PROMPT, PROMPT);
    run_job logged = the_job;
    logged.path_log = "log";
    assert_true(run_crew_is_needed(&the_job) && !run_crew_is_needed(&logged));
    assert_int_equal(run(0), RUN_OK);
    assert_all_told();
    for (int k = 0; k < sent_count; k++) {
        const run_block *b = sent[k].block;
        assert_int_equal(b->rerun, 0);
        assert_true(b->count > 0);
        of_rank[sent[k].to] += (int)b->count;
        for (int64_t i = 0; i < b->count; i++) {
            assert_true(i == 0 || b->paths[i] > b->paths[i - 1]);
            assert_in_range(b->paths[i], FIRST, FIRST + PATHS - 1);
            given[b->paths[i] - FIRST]++;
        }
    }
    for (int k = 0; k < PATHS; k++)
        assert_true(given[k] == (the_round.teller[k] > 0)); /* the others are those of rank 0 */
    for (int32_t rank = 1; rank < RANKS; rank++)
        assert_true(of_rank[rank] > 0 && cancelled[rank] == 0);
    end();
}

static void a_rerun_has_the_chosen_paths_and_begins_with_the_longest(void **state)
{
    (void)state;
    begin(PROMPT, PROMPT, PROMPT);
    assert_int_equal(run(0), RUN_OK);
    forget_blocks();
    for (int k = 0; k < PATHS; k++) {
        the_round.state[k] = (run_path){.steps = 10 * k, .most_prec = k == 6 ? PLUMB_QD : PLUMB_D};
        the_round.todo[k] = k % 3 == 0;
        the_round.left += the_round.todo[k];
    }
    assert_int_equal(run(2), RUN_OK);
    for (int k = 0; k < PATHS; k++)
        assert_int_equal(the_round.told[k], 1 + (k % 3 == 0));
    for (int k = 0; k < sent_count; k++)
        assert_int_equal(sent[k].block->rerun, 2);
    static const int64_t longest[] = {FIRST + 6, FIRST + 39, FIRST + 36}; /* the first one has few steps, but in qd */
    for (int k = 0; k < RANKS - 1; k++) {
        assert_int_equal(sent[k].block->count, 1);
        assert_int_equal(sent[k].block->paths[0], longest[k]);
    }
    end();
}

static void a_round_with_nothing_left_hands_out_nothing(void **state)
{
    (void)state;
    begin(PROMPT, SILENT, FAILING);
    memset(the_round.todo, 0, sizeof the_round.todo);
    the_round.left = 0;
    assert_int_equal(run(0), RUN_OK);
    assert_int_equal(sent_count, 0);
    end();
}

/* Results that come late, twice, of another round, of other paths, or without an end. */
static void results_count_once_in_any_order(void **state)
{
    (void)state;
    begin(HOARDING, HOARDING, PROMPT);
    for (int k = 0; k < PATHS; k++) {
        post_end(1, FIRST + k, 1, 0);
        post_end(2, FIRST + k, 0, 8);
    }
    post_end(1, FIRST - 1, 0, 0);
    post_end(1, FIRST + PATHS, 0, 0);
    post_end(1, -1, 0, 0);
    post_end(3, FIRST + 5, 0, 0);
    post_end(2, FIRST + 5, 0, 0);
    post(2, RANKS_RESULTS, "", 0);
    post(3, RANKS_FINISHED, "none", 4);
    assert_int_equal(run(0), RUN_OK);
    assert_all_told();
    assert_int_equal(the_round.teller[5], 3);
    end();
}

static void paths_of_a_lost_rank_go_to_others(void **state)
{
    int of_lost = 0;
    (void)state;
    begin(PROMPT, SILENT, PROMPT);
    const double since = plumb_clock_seconds();
    assert_int_equal(run(0), RUN_OK);
    assert_all_told();
    assert_true(plumb_clock_seconds() - since >= 2); /* they might come */
    for (int k = 0; k < sent_count; k++)
        of_lost += sent[k].to == 2 ? (int)sent[k].block->count : 0;
    assert_true(of_lost > 0);
    for (int k = 0; k < PATHS; k++)
        assert_int_not_equal(the_round.teller[k], 2);
    assert_int_equal(cancelled[2], 1);
    assert_int_equal(cancelled[1] + cancelled[3], 0);
    end();
}

static void paths_of_a_hanging_thread_go_to_ranks(void **state)
{
    (void)state;
    begin(PROMPT, PROMPT, PROMPT);
    starts_wait = ALL_WAIT;
    assert_int_equal(run(0), RUN_OK);
    assert_all_told();
    for (int k = 0; k < PATHS; k++)
        assert_int_not_equal(the_round.teller[k], 0);
    end();
}

static void a_stop_takes_the_last_results(void **state)
{
    int64_t told = 0;
    (void)state;
    begin(HOARDING, SILENT, PROMPT);
    the_round.stop_at = PATHS - 1;
    const double since = plumb_clock_seconds();
    assert_int_equal(run(0), RUN_OK);
    assert_true(plumb_clock_seconds() - since < 10); /* rank 2 is waited for, for a second */
    assert_true(the_round.left > 0);
    assert_int_equal(cancelled[1], 1);
    assert_int_equal(cancelled[2], 1);
    for (int k = 0; k < sent_count; k++)
        for (int64_t i = 0; sent[k].to == 1 && i < sent[k].block->count; i++) {
            assert_int_equal(the_round.teller[sent[k].block->paths[i] - FIRST], 1);
            told++;
        }
    assert_true(told > 0);
    end();
}

static void a_stop_on_a_rank_is_one_of_the_run(void **state)
{
    (void)state;
    begin(PROMPT, STOPPING, PROMPT);
    assert_int_equal(run(0), RUN_OK);
    assert_true(stop_requested);
    end();
}

static void a_failure_of_a_rank_ends_the_round(void **state)
{
    (void)state;
    begin(PROMPT, PROMPT, FAILING);
    assert_int_equal(run(0), RUN_MISUSE);
    assert_string_equal(said, "rank 3: no more disk");
    const int before = sent_count;
    the_round.left = PATHS;
    assert_int_equal(run(0), RUN_MISUSE);
    assert_int_equal(sent_count, before);
    end();
    begin(PROMPT, FAILING_MUTE, PROMPT);
    assert_int_equal(run(0), RUN_FAILED);
    assert_string_equal(said, "rank 2: it failed");
    end();
}

static void a_failure_of_a_thread_ends_the_round(void **state)
{
    (void)state;
    begin(SILENT, SILENT, SILENT);
    starts_fail = true;
    assert_int_equal(run(0), RUN_FAILED);
    assert_int_equal(said_about, PLUMB_ERR_SINGULAR);
    end();
}

static void a_rank_that_is_different_is_refused(void **state)
{
    char *other = strdup(the_identity);
    (void)state;
    assert_non_null(other);
    char *seed = strstr(other, "\"--seed\"");
    assert_non_null(seed);
    seed += strcspn(seed, "0123456789");
    *seed = *seed == '9' ? '8' : '9';
    const char *const texts[] = {"9.9.9\n", "", other};
    const char *const lines[] = {"rank 3 runs plumb 9.9.9, rank 0 runs plumb ", "rank 3 runs plumb , rank 0 runs ",
                                 "rank 3 is different: --seed is "};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        begin(PROMPT, PROMPT, PROMPT);
        free(inbox[--inbox_last].bytes);
        post(3, RANKS_HELLO, texts[k], strlen(texts[k]) + 1);
        assert_int_equal(run(0), RUN_MISUSE);
        assert_memory_equal(said, lines[k], strlen(lines[k]));
        assert_int_equal(sent_count, 0);
        end();
    }
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_is_handed_out_and_told_once),
        cmocka_unit_test(a_rerun_has_the_chosen_paths_and_begins_with_the_longest),
        cmocka_unit_test(a_round_with_nothing_left_hands_out_nothing),
        cmocka_unit_test(results_count_once_in_any_order),
        cmocka_unit_test(paths_of_a_lost_rank_go_to_others),
        cmocka_unit_test(paths_of_a_hanging_thread_go_to_ranks),
        cmocka_unit_test(a_stop_takes_the_last_results),
        cmocka_unit_test(a_stop_on_a_rank_is_one_of_the_run),
        cmocka_unit_test(a_failure_of_a_rank_ends_the_round),
        cmocka_unit_test(a_failure_of_a_thread_ends_the_round),
        cmocka_unit_test(a_rank_that_is_different_is_refused),
    };
    return cmocka_run_group_tests(tests, make_job, end_job);
}
