/* team.c - see team.h.
 *
 * Every wait is for a word that is about to change: a worker waits for its own word, the threads at a barrier for the
 * number of the barrier. The thread that changes a word wakes those that sleep on it. A sleeper counts itself before it looks at the
 * word for the last time, and the other side changes the word before it looks at the count, so no wake-up is lost. */
#define _GNU_SOURCE /* CPU_COUNT, syscall */
#include "base/os/team.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/call/message.h"

/* How often a thread reads a word before it sleeps: for some tens of microseconds if there is a core for every thread, and
 * only briefly otherwise, because another thread needs the core. */
enum { SPINS = 20000, FEW_SPINS = 50 };

typedef struct worker {
    team_word go; /* counts the runs of this thread */
    team *team;
    int32_t index;
    pthread_t thread;
} worker;

struct team {
    worker *workers[TEAM_MOST]; /* from 1 to threads - 1 */
    int32_t threads;            /* that there are, the caller included */
    int32_t cores;
    int32_t spins; /* of the run */
    int32_t busy;
    /* the run */
    team_work *work;
    void *data;
    int32_t size;
    int32_t quit;
    team_word barrier; /* its number */
    _Alignas(64) int32_t arrived;
};

int32_t team_cores(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > TEAM_MOST ? TEAM_MOST : cores;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield" ::: "memory");
#endif
}

/* Waits until the word has another value than this one. */
static void wait_for(team_word *w, uint32_t old, int32_t spins)
{
    for (int32_t k = 0; k < spins; k++) {
        if (team_word_value(w) != old)
            return;
        relax();
    }
    __atomic_fetch_add(&w->sleepers, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&w->value, __ATOMIC_SEQ_CST) == old)
        syscall(SYS_futex, &w->value, FUTEX_WAIT_PRIVATE, old, NULL, NULL, 0);
    __atomic_fetch_sub(&w->sleepers, 1, __ATOMIC_SEQ_CST);
}

void team_word_change(team_word *w)
{
    __atomic_fetch_add(&w->value, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&w->sleepers, __ATOMIC_SEQ_CST) > 0)
        syscall(SYS_futex, &w->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void team_word_wait(const team *t, team_word *w, uint32_t old)
{
    wait_for(w, old, __atomic_load_n(&t->spins, __ATOMIC_RELAXED));
}

void team_wait(team *t, int32_t threads)
{
    if (threads <= 1)
        return;
    const uint32_t number = __atomic_load_n(&t->barrier.value, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&t->arrived, 1, __ATOMIC_ACQ_REL) < threads) {
        wait_for(&t->barrier, number, __atomic_load_n(&t->spins, __ATOMIC_RELAXED));
        return;
    }
    __atomic_store_n(&t->arrived, 0, __ATOMIC_RELAXED);
    team_word_change(&t->barrier);
}

static void *work_on(void *data)
{
    worker *w = data;
    team *t = w->team;
    for (uint32_t runs = 0;; runs++) {
        wait_for(&w->go, runs, t->cores > 1 ? SPINS : FEW_SPINS);
        if (__atomic_load_n(&t->quit, __ATOMIC_RELAXED))
            return NULL;
        const int32_t threads = t->size;
        t->work(t->data, t, w->index, threads);
        team_wait(t, threads);
    }
}

/* Starts one more thread. Returns 0 or an error number. */
static int add_worker(team *t)
{
    worker *w = aligned_alloc(64, (sizeof *w + 63) / 64 * 64);
    if (!w)
        return ENOMEM;
    *w = (worker){.team = t, .index = t->threads};
    const int failure = pthread_create(&w->thread, NULL, work_on, w);
    if (failure != 0) {
        free(w);
        return failure;
    }
    t->workers[t->threads++] = w;
    return 0;
}

plumb_status team_start(team **given, int32_t threads, char *message, size_t size)
{
    team *t = *given;
    int failure = 0;
    if (threads <= 1 || (t && t->threads >= threads))
        return PLUMB_OK;
    if (threads > TEAM_MOST)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "a team has at most %d threads, found %d", TEAM_MOST,
                         (int)threads);
    if (!t) {
        t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
        if (!t)
            return plumb_say(PLUMB_ERR_MEMORY, message, size, "no memory for a team of threads");
        memset(t, 0, sizeof *t);
        t->threads = 1;
        t->cores = team_cores();
        *given = t;
    }
    while (failure == 0 && t->threads < threads)
        failure = add_worker(t);
    if (failure == 0)
        return PLUMB_OK;
    char buffer[96] = "";
    const char *reason = strerror_r(failure, buffer, sizeof buffer); /* of GNU: returns the text */
    return plumb_say(PLUMB_ERR_MEMORY, message, size, "of %d threads only %d could be started: %s", (int)threads,
                     (int)t->threads, reason);
}

void team_end(team *t)
{
    if (!t)
        return;
    __atomic_store_n(&t->quit, 1, __ATOMIC_RELAXED);
    for (int32_t k = 1; k < t->threads; k++)
        team_word_change(&t->workers[k]->go);
    for (int32_t k = 1; k < t->threads; k++) {
        pthread_join(t->workers[k]->thread, NULL);
        free(t->workers[k]);
    }
    free(t);
}

void team_run(team *t, int32_t threads, team_work *work, void *data)
{
    if (t && threads > t->threads)
        threads = t->threads;
    if (!t || threads <= 1 || __atomic_load_n(&t->busy, __ATOMIC_RELAXED)) {
        work(data, t, 0, 1);
        return;
    }
    __atomic_store_n(&t->busy, 1, __ATOMIC_RELAXED);
    t->work = work;
    t->data = data;
    t->size = threads;
    __atomic_store_n(&t->spins, threads <= t->cores ? SPINS : FEW_SPINS, __ATOMIC_RELAXED);
    for (int32_t k = 1; k < threads; k++)
        team_word_change(&t->workers[k]->go);
    work(data, t, 0, threads);
    team_wait(t, threads);
    __atomic_store_n(&t->busy, 0, __ATOMIC_RELAXED);
}
