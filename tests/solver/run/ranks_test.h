/* ranks_test.h - a job with ranks in one process: the test is one of them, and plays the others by answering what is sent to them. The
 * messages go through solver/ranks and a plugin (fake_mpi.c), as those of an MPI library do. */
#ifndef PLUMB_SOLVER_RANKS_TEST_H
#define PLUMB_SOLVER_RANKS_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/os/clock.h"
#include "base/os/plugin.h"
#include "solver/context_test.h"
#include "solver/ranks/mpi.h"
#include "solver/ranks/ranks.h"
#include "solver/run/identity.h"
#include "solver/run/run.h"
#include "solver/run/worker.h"

/* ---- Messages ------------------------------------------------------------------------------------------------------ */

enum { MOST_MESSAGES = 4096, TAGS = 16 };

static mpi_place the_place; /* of the test, for begin */
static ranks_message inbox[MOST_MESSAGES];
static int inbox_first, inbox_last;
static void (*on_sent)(int32_t to, ranks_tag tag, const void *bytes, size_t length); /* answers, by post */

/* Puts a message to the test into its inbox. */
static inline void post(int32_t from, ranks_tag tag, const void *bytes, size_t length)
{
    assert_true(inbox_last < MOST_MESSAGES);
    char *copy = malloc(length + 1); /* ranks.c ends it */
    assert_non_null(copy);
    if (length > 0)
        memcpy(copy, bytes, length);
    inbox[inbox_last++] = (ranks_message){.from = from, .tag = tag, .bytes = copy, .length = length};
}

static inline void fake_about(char *text, size_t size)
{
    snprintf(text, size, "fake MPI");
}

static inline int fake_begin(mpi_place *place, char *text, size_t size)
{
    (void)text, (void)size;
    *place = the_place;
    return 0;
}

static inline int fake_send(int32_t to, int32_t tag, const void *bytes, size_t length)
{
    assert_true(to >= 0 && to < the_place.size && to != the_place.rank);
    const ranks_tag kind = (ranks_tag)(tag % TAGS); /* the rest is the number of the job */
    if (kind == RANKS_QUIT)
        post(to, RANKS_BYE, NULL, 0);
    else if (kind != RANKS_BYE)
        on_sent(to, kind, bytes, length);
    return 0;
}

/* Threads of the local worker hang while they make start solutions: all of them, or the one that begins with the first path of the job;
 * and they go on when all messages were taken. */
enum { ALL_WAIT = 1, FIRST_WAITS };
static int32_t starts_wait;
static bool starts_go_on;
static double joined; /* when the test began */
static const double PATIENCE_SECONDS = 60;

static inline int fake_receive(int32_t *from, int32_t *tag, void **bytes, size_t *length)
{
    if (inbox_first == inbox_last) {
        if (starts_go_on)
            __atomic_store_n(&starts_wait, 0, __ATOMIC_RELEASE);
        if (plumb_clock_seconds() > joined + PATIENCE_SECONDS)
            fail_msg("it does not end");
        return 0;
    }
    const ranks_message *m = &inbox[inbox_first++];
    *from = m->from, *tag = (int32_t)m->tag, *bytes = m->bytes, *length = m->length;
    return 1;
}

static inline int fake_is_sending(void)
{
    return 0;
}

static inline void fake_end(void)
{
}

static inline void fake_end_all(int status)
{
    fail_msg("the job was ended by force with status %d", status);
}

/* ---- The host ------------------------------------------------------------------------------------------------------ */

static char said[512];          /* the last line, */
static plumb_status said_about; /* and the status that it belongs to */
static bool stop_requested;

static inline void host_say(const run_voice *voice, int what, plumb_status status, bool placed, const char *line)
{
    (void)voice, (void)what, (void)placed;
    said_about = status;
    snprintf(said, sizeof said, "%s", line);
}

static inline bool host_stopped(const run_voice *voice)
{
    (void)voice;
    return stop_requested;
}

static inline void host_stop(const run_voice *voice)
{
    (void)voice;
    stop_requested = true;
}

static const run_host the_host = {.say = host_say, .stopped = host_stopped, .stop = host_stop};
static const run_voice the_voice = {.host = &the_host, .command = "track"};

/* ---- The job ------------------------------------------------------------------------------------------------------- */

/* Paths 3, ..., 42 of the 60 paths from x^60 = 1 to x^60 = 2. */
enum { ALL = 60, FIRST = 3, PATHS = 40 };

static run_job the_job;
static uint64_t the_check; /* of the first line of the journal */
static char *the_identity; /* what a rank of this job says in its hello */
static bool starts_fail;   /* the local worker cannot make its start solutions */
static plumb_system *systems[2];
static plumb_homotopy *homotopy;

static inline plumb_status make_starts(const run_job *job, plumb_context *of_thread, const int64_t *paths,
                                       int32_t rerun, plumb_view *x)
{
    (void)job, (void)of_thread, (void)rerun;
    for (int32_t wait; (wait = __atomic_load_n(&starts_wait, __ATOMIC_ACQUIRE)) == ALL_WAIT ||
                       (wait == FIRST_WAITS && paths[0] == FIRST);)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    for (int64_t k = 0; k < x->batch; k++) {
        const double angle = 2 * acos(-1.0) * (double)paths[k] / ALL;
        for (int32_t c = 0; c < 2 * x->prec; c++)
            x->data[k * x->next + c * x->plane] = c == 0 ? cos(angle) : c == x->prec ? sin(angle) : 0.0;
    }
    return starts_fail ? PLUMB_ERR_SINGULAR : PLUMB_OK;
}

static inline void describe(const run_job *job, run_fields *fields)
{
    (void)job, (void)fields;
}

static inline int make_job(void **state)
{
    static const char start[] = "x^60 - 1;", target[] = "x^60 - 2;";
    backend = PLUMB_BACKEND_CPU;
    if (make_context(state) != 0 || plumb_system_parse(start, strlen(start), &systems[0], NULL) != PLUMB_OK ||
        plumb_system_parse(target, strlen(target), &systems[1], NULL) != PLUMB_OK ||
        plumb_homotopy_create(systems[0], systems[1], NULL, &homotopy) != PLUMB_OK)
        return -1;
    the_job = (run_job){.voice = &the_voice,
                        .shared = true,
                        .target = systems[1],
                        .homotopy = homotopy,
                        .context = context,
                        .unknowns = 1,
                        .all_paths = ALL,
                        .first = FIRST,
                        .count = PATHS,
                        .threads = 1,
                        .prec = PLUMB_QD,
                        .starts = make_starts,
                        .describe = describe};
    plumb_track_options_init(&the_job.options);
    return run_identity_make(&the_job, &the_identity, &the_check);
}

static inline int end_job(void **state)
{
    free(the_identity);
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(systems[0]);
    plumb_system_destroy(systems[1]);
    return end_context(state);
}

/* ---- A rank -------------------------------------------------------------------------------------------------------- */

/* Joins a job of so many ranks as one of them. */
static inline void join_ranks(int32_t rank, int32_t size,
                              void (*answer)(int32_t to, ranks_tag tag, const void *bytes, size_t length))
{
    static const mpi_ops ops = {.interface = MPI_OPS_INTERFACE,
                                .plumb = PLUGIN_VERSION,
                                .about = fake_about,
                                .begin = fake_begin,
                                .send = fake_send,
                                .receive = fake_receive,
                                .is_sending = fake_is_sending,
                                .end = fake_end,
                                .end_all = fake_end_all};
    char why[256] = "";
    void (*set)(const mpi_ops *) = NULL;
    void *plugin = plumb_plugin_open("libfake_mpi.so", true, why, sizeof why);
    assert_string_equal(why, "");
    assert_true(plumb_plugin_find(plugin, "fake_mpi_set", (void *)&set, sizeof set));
    set(&ops);
    on_sent = answer;
    the_place = (mpi_place){.rank = rank, .size = size, .local_rank = rank, .local_size = size};
    inbox_first = inbox_last = 0;
    joined = plumb_clock_seconds();
    said[0] = '\0';
    stop_requested = starts_fail = starts_go_on = false;
    assert_int_equal(setenv("PLUMB_MPI", "libfake_mpi.so", 1), 0);
    assert_int_equal(setenv("PMI_SIZE", "1", 1), 0);
    assert_int_equal(ranks_begin(&the_voice), RUN_OK);
    assert_int_equal(ranks_count(), size);
}

static inline void leave_ranks(void)
{
    assert_int_equal(ranks_end(RUN_OK), RUN_OK);
    while (inbox_first < inbox_last)
        free(inbox[inbox_first++].bytes);
    unsetenv("PLUMB_MPI");
    unsetenv("PMI_SIZE");
}

#endif
