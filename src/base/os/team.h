/* team.h - a team of threads that share the work of a call.
 *
 * The threads of a team are started once and wait for work; a run hands the same function to some of them, and the
 * caller is one of them. They wait by spinning for a short time, because most runs follow each other closely, and then
 * sleep. A team belongs to one context, so there is one run at a time; a run inside a run (by a callback) is done by
 * the caller alone. Threads that cannot be started are an error of the call, never the end of the process. */
#ifndef PLUMB_BASE_OS_TEAM_H
#define PLUMB_BASE_OS_TEAM_H

#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

enum { TEAM_MOST = 1024 }; /* threads; more than most computers have cores */

typedef struct team team;

/* The part of thread number `index` of `threads`, from 0. All parts are done at the same time. */
typedef void team_work(void *data, team *t, int32_t index, int32_t threads);

/* The number of cores that this process may use, at most TEAM_MOST. */
int32_t team_cores(void);

/* Makes sure that *t (NULL at first) has this many threads, the caller included. PLUMB_ERR_MEMORY, and a line in message
 * (or NULL), if they cannot be started; those that were started before remain. */
PLUMB_USE_RESULT plumb_status team_start(team **t, int32_t threads, char *message, size_t size);
void team_end(team *t); /* NULL is allowed */

/* Runs work on this many threads, or on as many as the team has; t may be NULL. Returns when all parts are done. */
void team_run(team *t, int32_t threads, team_work *work, void *data);

/* ---- Inside of a run ---------------------------------------------------------------------------------------------- */

/* Waits until all threads of the run are here. What they wrote before is visible afterwards. Does nothing in a run on
 * one thread. */
void team_wait(team *t, int32_t threads);

/* A counter that starts at 0. A thread increases it when something is ready, one thread at a time. */
typedef struct team_word {
    _Alignas(64) uint32_t value;
    uint32_t sleepers;
} team_word;

static inline uint32_t team_word_value(const team_word *w)
{
    return __atomic_load_n(&w->value, __ATOMIC_ACQUIRE);
}

/* Adds 1, which publishes everything that was written before. */
void team_word_change(team_word *w);

/* Waits until the value differs from this one. */
void team_word_wait(const team *t, team_word *w, uint32_t old);

/* The share of a thread in count items, first .. *last - 1: contiguous, sizes differ by at most one. Returns first. */
static inline int64_t team_share(int64_t count, int32_t index, int32_t threads, int64_t *last)
{
    const int64_t each = count / threads, more = count % threads;
    const int64_t first = index * each + (index < more ? index : more);
    *last = first + each + (index < more ? 1 : 0);
    return first;
}

/* A counter from which threads take items one by one, for parts of unequal length. */
typedef struct team_counter {
    int64_t next;
} team_counter;

static inline int64_t team_take(team_counter *c, int64_t count)
{
    return __atomic_fetch_add(&c->next, count, __ATOMIC_RELAXED);
}

#endif
