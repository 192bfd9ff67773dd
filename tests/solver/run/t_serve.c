/* t_serve.c - tests a rank other than 0 (solver/run/serve.c): it tracks the blocks that the test sends as rank 0, tells every endpoint
 * before it tells that a block is finished, and goes home when it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/run/crew.h"
#include "solver/run/ranks_test.h"

enum { BLOCKS = 4, PER_BLOCK = PATHS / BLOCKS };

/* What rank 0 has heard. */
static int hellos, stops, told[PATHS];
static int64_t finished, all_told;
static double off; /* the largest distance of an endpoint from its path's zero of x^60 - 2 */

/* What rank 0 does after the hello. */
static void (*on_hello)(void);
static int64_t expected; /* blocks after which it sends the other one home */

static void go_home(void)
{
    const int status = RUN_OK;
    post(0, RANKS_QUIT, &status, sizeof status);
}

/* Block number k, with its paths in some order; too_long: bytes that do not belong to it. */
static void send_block(int k, int32_t rerun, size_t too_long)
{
    run_block *block = calloc(1, run_block_bytes(PER_BLOCK) + too_long);
    assert_non_null(block);
    block->rerun = rerun;
    block->count = PER_BLOCK;
    for (int i = 0; i < PER_BLOCK; i++)
        block->paths[i] = FIRST + k * PER_BLOCK + (i * 3) % PER_BLOCK;
    post(0, RANKS_BLOCK, block, run_block_bytes(PER_BLOCK) + too_long);
    free(block);
}

static void take_results(const void *bytes, size_t length)
{
    run_told_end end;
    size_t at = 0;
    for (; run_told_next(&the_job, bytes, length, &at, &end); all_told++) {
        const int64_t path = end.record.path;
        const double angle = 2 * acos(-1.0) * (double)path / ALL, size = pow(2, 1.0 / ALL);
        assert_in_range(path, FIRST, FIRST + PATHS - 1);
        assert_int_equal(end.record.code, PLUMB_PATH_SUCCESS);
        off = fmax(off, hypot(end.x[0] - size * cos(angle), end.x[PLUMB_QD] - size * sin(angle)));
        told[path - FIRST]++;
        size_t line_length = 0;
        char *line = run_journal_line(&the_job, the_check, &end.record, end.x, &line_length);
        assert_non_null(line);
        assert_int_equal(end.line_length, line_length);
        assert_memory_equal(end.line, line, line_length);
        free(line);
    }
    assert_int_equal(at, length);
}

static int64_t complete_blocks(void)
{
    int64_t complete = 0;
    for (int b = 0; b < BLOCKS; b++) {
        int in_block = 0;
        for (int k = 0; k < PER_BLOCK; k++)
            in_block += told[b * PER_BLOCK + k] > 0;
        complete += in_block == PER_BLOCK;
    }
    return complete;
}

static void answer(int32_t to, ranks_tag tag, const void *bytes, size_t length)
{
    int64_t count = 0;
    assert_int_equal(to, 0);
    switch (tag) {
    case RANKS_HELLO:
        assert_string_equal(bytes, the_identity);
        assert_int_equal(length, strlen(the_identity) + 1);
        hellos++;
        on_hello();
        break;
    case RANKS_RESULTS:
        take_results(bytes, length);
        break;
    case RANKS_FINISHED:
        assert_int_equal(length, sizeof count);
        memcpy(&count, bytes, sizeof count);
        finished += count;
        if (finished == BLOCKS - 1)
            __atomic_store_n(&starts_wait, 0, __ATOMIC_RELEASE);
        if (finished == expected)
            go_home();
        if (!starts_fail && !starts_go_on)
            assert_true(finished <= complete_blocks());
        break;
    case RANKS_STOP:
        stops++;
        break;
    default:
        fail_msg("rank 1 sends message %d", (int)tag);
    }
}

static int serve(void (*hello)(void), int64_t blocks)
{
    join_ranks(1, 2, answer);
    hellos = stops = 0;
    finished = all_told = 0;
    off = 0.0;
    memset(told, 0, sizeof told);
    on_hello = hello;
    expected = blocks;
    assert_true(ranks_is_worker());
    return run_crew_serve(&the_job);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------- */

static void send_all(void)
{
    for (int k = 0; k < BLOCKS; k++)
        send_block(k, 0, 0);
}

static void blocks_are_tracked_and_told_once(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 3; threads++) {
        the_job.threads = threads;
        assert_int_equal(serve(send_all, BLOCKS), RUN_OK);
        assert_int_equal(hellos, 1);
        assert_int_equal(finished, BLOCKS);
        assert_int_equal(all_told, PATHS);
        for (int k = 0; k < PATHS; k++)
            assert_int_equal(told[k], 1);
        assert_true(off < 1e-14);
        assert_int_equal(stops, 0);
        leave_ranks();
    }
    the_job.threads = 1;
}

static void send_all_and_hold_one(void)
{
    starts_wait = FIRST_WAITS;
    send_all();
}

static void a_block_is_finished_when_all_of_its_paths_are(void **state)
{
    (void)state;
    the_job.threads = 2;
    assert_int_equal(serve(send_all_and_hold_one, BLOCKS), RUN_OK);
    assert_int_equal(all_told, PATHS);
    the_job.threads = 1;
    leave_ranks();
}

static void send_damaged(void)
{
    const run_block many = {.count = INT32_MAX};
    send_block(0, 0, 8);
    post(0, RANKS_BLOCK, "", 0);
    post(0, RANKS_BLOCK, "short", 5);
    post(0, RANKS_BLOCK, &many, sizeof many);
    post(0, RANKS_RESULTS, "not for it", 10);
    send_block(1, 0, 0);
}

static void damaged_blocks_are_passed_over(void **state)
{
    (void)state;
    assert_int_equal(serve(send_damaged, 1), RUN_OK);
    for (int k = 0; k < PATHS; k++)
        assert_int_equal(told[k], k / PER_BLOCK == 1);
    leave_ranks();
}

/* The first block hangs in its start solutions until rank 0 takes all of them back. */
static void send_and_cancel(void)
{
    starts_wait = ALL_WAIT;
    send_all();
    post(0, RANKS_CANCEL, NULL, 0);
    starts_go_on = true;
}

static void blocks_that_are_taken_back_are_finished_without_results(void **state)
{
    (void)state;
    assert_int_equal(serve(send_and_cancel, BLOCKS), RUN_OK);
    assert_int_equal(finished, BLOCKS);
    assert_int_equal(all_told, 0);
    leave_ranks();
}

static void stop_and_send(void)
{
    stop_requested = true;
    send_all();
}

static void a_stop_is_told_once(void **state)
{
    (void)state;
    assert_int_equal(serve(stop_and_send, BLOCKS), RUN_OK);
    assert_int_equal(stops, 1);
    assert_int_equal(all_told, PATHS); /* rank 0 decides what is taken back */
    leave_ranks();
}

static void fail_and_send(void)
{
    starts_fail = true;
    send_all();
}

static void a_failure_ends_it(void **state)
{
    (void)state;
    assert_int_equal(serve(fail_and_send, BLOCKS + 1), RUN_FAILED);
    assert_int_equal(said_about, PLUMB_ERR_SINGULAR);
    assert_int_equal(all_told, 0);
    leave_ranks();
}

static void it_goes_home_without_work(void **state)
{
    (void)state;
    assert_int_equal(serve(go_home, 0), RUN_OK);
    assert_int_equal(finished, 0);
    leave_ranks();
}

/* Rank 1 is late: it still talks about an earlier job, or already about the next one. The last test, because it begins another job. */
static void messages_belong_to_their_jobs(void **state)
{
    enum { NEXT_JOB = TAGS };
    ranks_message m;
    (void)state;
    join_ranks(0, 2, answer);
    post(1, (ranks_tag)(RANKS_HELLO + NEXT_JOB), "next", 5);
    post(1, RANKS_FINISHED, "now", 4);
    assert_true(ranks_receive(&m));
    assert_int_equal(m.tag, RANKS_FINISHED);
    free(m.bytes);
    assert_false(ranks_receive(&m));
    ranks_next_job();
    post(1, RANKS_FINISHED, "late", 5);
    post(1, (ranks_tag)(RANKS_RESULTS + NEXT_JOB), "now", 4);
    assert_true(ranks_receive(&m));
    assert_int_equal(m.tag, RANKS_HELLO);
    assert_string_equal(m.bytes, "next");
    free(m.bytes);
    assert_true(ranks_receive(&m));
    assert_int_equal(m.tag, RANKS_RESULTS);
    free(m.bytes);
    assert_false(ranks_receive(&m));
    leave_ranks();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_tracked_and_told_once),
        cmocka_unit_test(a_block_is_finished_when_all_of_its_paths_are),
        cmocka_unit_test(damaged_blocks_are_passed_over),
        cmocka_unit_test(blocks_that_are_taken_back_are_finished_without_results),
        cmocka_unit_test(a_stop_is_told_once),
        cmocka_unit_test(a_failure_ends_it),
        cmocka_unit_test(it_goes_home_without_work),
        cmocka_unit_test(messages_belong_to_their_jobs),
    };
    return cmocka_run_group_tests(tests, make_job, end_job);
}
