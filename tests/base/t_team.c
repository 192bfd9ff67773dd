/* t_team.c - teams of threads: every part is done once, barriers separate what they should, and threads that cannot be
 * started are an error. */
#define _GNU_SOURCE /* RLIMIT_NPROC */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/os/team.h"

/* A sanitizer does not live with little address space. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

enum { ITEMS = 1000, ROUNDS = 300, THREADS = 7 };

typedef struct job {
    int32_t done[ITEMS]; /* how often */
    int32_t seen[THREADS];
    int64_t sums[THREADS], total;
    team_counter next;
    int32_t threads, nested;
    team *team;
} job;

static void count_items(void *data, team *t, int32_t index, int32_t threads)
{
    job *j = data;
    int64_t last;
    (void)t;
    __atomic_fetch_add(&j->seen[index], 1, __ATOMIC_RELAXED);
    if (index == 0)
        j->threads = threads;
    for (int64_t k = team_share(ITEMS, index, threads, &last); k < last; k++)
        j->done[k]++;
}

static void every_item_is_done_once(void **state)
{
    (void)state;
    team *t = NULL;
    for (int32_t threads = 1; threads <= THREADS; threads++) { /* the team grows */
        assert_int_equal(team_start(&t, threads, NULL, 0), PLUMB_OK);
        for (int round = 0; round < ROUNDS; round++) {
            job j = {.threads = 0};
            const int32_t use = round % 2 ? threads : 1 + round % threads;
            team_run(t, use, count_items, &j);
            assert_int_equal(j.threads, use);
            for (int k = 0; k < ITEMS; k++)
                assert_int_equal(j.done[k], 1);
            for (int32_t k = 0; k < THREADS; k++)
                assert_int_equal(j.seen[k], k < use);
        }
    }
    job j = {.threads = 0};
    team_run(t, 100, count_items, &j); /* more than there are */
    assert_int_equal(j.threads, THREADS);
    team_run(NULL, 3, count_items, &j);
    assert_int_equal(j.threads, 1);
    team_end(t);
    team_end(NULL);
}

static void take_items(void *data, team *t, int32_t index, int32_t threads)
{
    job *j = data;
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&j->next, 3)) < ITEMS;)
        for (int64_t i = k; i < k + 3 && i < ITEMS; i++)
            j->done[i]++;
}

static void every_item_is_taken_once(void **state)
{
    (void)state;
    team *t = NULL;
    assert_int_equal(team_start(&t, 4, NULL, 0), PLUMB_OK);
    for (int round = 0; round < ROUNDS; round++) {
        job j = {.threads = 0};
        team_run(t, 4, take_items, &j);
        for (int k = 0; k < ITEMS; k++)
            assert_int_equal(j.done[k], 1);
    }
    team_end(t);
}

/* Each thread adds what all of them wrote before the barrier. */
static void add_in_turns(void *data, team *t, int32_t index, int32_t threads)
{
    job *j = data;
    for (int64_t round = 0; round < ROUNDS; round++) {
        j->sums[index] = round * (index + 1);
        team_wait(t, threads);
        int64_t total = 0;
        for (int32_t k = 0; k < threads; k++)
            total += j->sums[k];
        if (total != round * threads * (threads + 1) / 2)
            __atomic_fetch_add(&j->total, 1, __ATOMIC_RELAXED);
        team_wait(t, threads);
    }
}

static void barriers_separate(void **state)
{
    (void)state;
    for (int32_t threads = 2; threads <= THREADS; threads++) {
        team *t = NULL;
        job j = {.total = 0};
        assert_int_equal(team_start(&t, threads, NULL, 0), PLUMB_OK);
        team_run(t, threads, add_in_turns, &j);
        assert_int_equal(j.total, 0);
        team_end(t);
    }
}

/* Thread k may write when the word is k modulo the number of threads; without the waits, writes would overlap. */
typedef struct turns {
    team_word word;
    int32_t order[ITEMS];
} turns;

static void write_in_turn(void *data, team *t, int32_t index, int32_t threads)
{
    turns *s = data;
    for (uint32_t k = (uint32_t)index; k < ITEMS; k += (uint32_t)threads) {
        for (uint32_t now; (now = team_word_value(&s->word)) != k;)
            team_word_wait(t, &s->word, now);
        s->order[k] = k > 0 ? s->order[k - 1] + 1 : 1;
        team_word_change(&s->word);
    }
}

static void words_pass_on_what_was_written(void **state)
{
    (void)state;
    team *t = NULL;
    assert_int_equal(team_start(&t, THREADS, NULL, 0), PLUMB_OK);
    for (int32_t threads = 1; threads <= THREADS; threads++) {
        turns s = {.order = {0}};
        team_run(t, threads, write_in_turn, &s);
        assert_int_equal(s.order[ITEMS - 1], ITEMS);
        assert_int_equal(team_word_value(&s.word), ITEMS);
    }
    team_end(t);
}

static void run_inside(void *data, team *t, int32_t index, int32_t threads)
{
    job *j = data, inner = {.threads = 0};
    (void)index, (void)threads;
    team_run(t, 3, count_items, &inner);
    if (inner.threads == 1 && inner.done[0] == 1 && inner.done[ITEMS - 1] == 1)
        __atomic_fetch_add(&j->nested, 1, __ATOMIC_RELAXED);
}

static void runs_inside_of_runs_are_done_alone(void **state)
{
    (void)state;
    team *t = NULL;
    job j = {.nested = 0};
    assert_int_equal(team_start(&t, 3, NULL, 0), PLUMB_OK);
    team_run(t, 3, run_inside, &j);
    assert_int_equal(j.nested, 3);
    team_end(t);
}

static void threads_that_cannot_start_are_an_error(void **state)
{
    (void)state;
    struct rlimit old, low;
    char line[160] = "";
    team *t = NULL;
    assert_int_equal(team_start(&t, TEAM_MOST + 1, line, sizeof line), PLUMB_ERR_ARGUMENT);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    low = old;
    low.rlim_cur = (rlim_t)2 << 30; /* not enough for the stacks of so many */
    if (SANITIZED || setrlimit(RLIMIT_AS, &low) != 0)
        skip();
    plumb_status status = team_start(&t, TEAM_MOST, line, sizeof line);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    if (status == PLUMB_OK) { /* stacks are small here */
        team_end(t);
        skip();
    }
    assert_int_equal(status, PLUMB_ERR_MEMORY);
    assert_non_null(strstr(line, "of 1024 threads only "));
    job j = {.threads = 0};
    team_run(t, 2, count_items, &j); /* those that were started work */
    for (int k = 0; k < ITEMS; k++)
        assert_int_equal(j.done[k], 1);
    team_end(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(every_item_is_taken_once),
        cmocka_unit_test(barriers_separate),
        cmocka_unit_test(words_pass_on_what_was_written),
        cmocka_unit_test(runs_inside_of_runs_are_done_alone),
        cmocka_unit_test(threads_that_cannot_start_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
