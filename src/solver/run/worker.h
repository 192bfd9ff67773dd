/* worker.h - threads that track blocks of paths, while another thread (their owner) hands out blocks and takes results.
 *
 * A block is a list of numbers of paths, and the number of the rerun. A worker makes the start solutions, tracks, and reports every
 * endpoint as soon as it is there. It knows nothing of other workers, of journals or of other computers.
 *
 * On the processor each thread has its own context and takes a few paths of a block at a time: threads wait for each other neither
 * at the end of a block nor for a lock while they check an endpoint and write its line. A GPU has one thread, which takes whole
 * blocks. */
#ifndef PLUMB_SOLVER_RUN_WORKER_H
#define PLUMB_SOLVER_RUN_WORKER_H

#include <pthread.h>

#include "solver/run/run.h"

typedef struct run_block {
    int64_t rerun;
    int64_t count;
    int64_t paths[];
} run_block;

static inline size_t run_block_bytes(int64_t count)
{
    return sizeof(run_block) + (size_t)count * sizeof(int64_t);
}

/* What a worker reports: endpoints, one after the other in this many bytes, and how many blocks are finished or were given up since the
 * last time. The endpoints of a block come no later. */
typedef struct run_told {
    unsigned char *bytes;
    int64_t length, room;
    int64_t finished;
} run_told;

/* An endpoint that was told. The line of the journal is made by the worker, because that takes longer than everything that the
 * manager has to do with it. */
typedef struct run_told_end {
    plumb_path_record record;
    const double *x; /* 2 * prec doubles per unknown */
    const char *line;
    size_t line_length;
} run_told_end;

/* Takes the endpoint at *at, and moves *at to the next one. False at the end of the bytes, or where they make no sense. */
bool run_told_next(const run_job *job, const unsigned char *bytes, size_t length, size_t *at, run_told_end *end);
void run_told_free(run_told *told);

typedef struct run_queued {
    run_block *block;
    int64_t taken;   /* paths that threads have taken */
    int32_t threads; /* that track some of them now */
    int32_t cancelled;
    struct run_queued *next;
} run_queued;

/* A bell that several workers of a process ring when there is something to take. */
typedef struct run_bell {
    pthread_mutex_t lock; /* of the bell and all workers that have it */
    pthread_cond_t rung;
} run_bell;

typedef struct run_thread {
    struct run_worker *worker;
    plumb_context *context;
    bool owns_context, started;
    pthread_t thread;
    int64_t room;
    plumb_view starts, ends; /* of the paths that it tracks */
    plumb_path_record *records;
} run_thread;

typedef struct run_worker {
    const run_job *job;
    uint64_t check; /* of the first line of the journal */
    run_bell *bell;
    run_thread *threads;
    int32_t thread_count;
    bool has_given;
    pthread_cond_t given; /* there is a block, or the end */
    run_queued *queue;    /* blocks that are not finished, in the order in which they came */
    bool quit;
    run_told told;
    int status; /* RUN_OK, or what the first failure returned; it tracks no more then */
} run_worker;

/* How many threads of the processor track a job. */
int32_t run_threads(const run_job *job);

int run_bell_make(run_bell *bell, const run_voice *voice);
void run_bell_free(run_bell *bell);
/* Waits until it rings, or for this many milliseconds. */
void run_bell_wait(run_bell *bell, int milliseconds);

/* Starts a worker that tracks on this GPU, whose context is its own from now on, or with all threads of the job on the processor
 * (NULL). RUN_OK, or one line and the exit status. */
int run_worker_begin(run_worker *worker, const run_job *job, uint64_t check, plumb_context *gpu, run_bell *bell);
void run_worker_end(run_worker *worker); /* cancels what it does; a worker of zeros is allowed */

/* Hands out a block, which is copied. False without memory. */
bool run_worker_give(run_worker *worker, const run_block *block);
/* Gives all blocks up; they are reported as finished soon, after what was tracked of them. */
void run_worker_cancel(run_worker *worker);
/* Takes what it has reported so far; *told is to be freed by run_told_free. Returns the status. */
int run_worker_take(run_worker *worker, run_told *told);

#endif
