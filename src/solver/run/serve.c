/* serve.c - a rank other than 0: passes blocks on to its worker and results to rank 0; see crew.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "solver/ranks/ranks.h"
#include "solver/run/crew.h"
#include "solver/run/identity.h"
#include "solver/run/worker.h"

/* Milliseconds between two looks at messages: with many paths in reserve nothing is urgent, and every look takes time from the paths. A
 * block that is finished rings the bell in any case. Long messages arrive in parts; larger ones need more polls. */
enum { LONGEST_WAIT = 50, MANY_BYTES_WAIT = 10, URGENT_WAIT = 1, MANY_BYTES = 1 << 18 };

typedef struct server {
    const run_job *job;
    run_bell bell;
    run_worker worker;
    int64_t held; /* blocks that it has */
    int64_t open; /* paths of them that were not reported */
    int64_t told; /* endpoints since the first block came */
    double began;
    size_t last; /* bytes that were reported last */
    bool home, stop_told;
} server;

static void take_message(server *s, const ranks_message *m)
{
    const run_block *block = m->bytes;
    switch (m->tag) {
    case RANKS_BLOCK:
        if (m->length < sizeof *block || m->length != run_block_bytes(block->count) ||
            !run_worker_give(&s->worker, block)) /* without memory: somebody else gets it in time */
            break;
        s->held++;
        s->open += block->count;
        s->began = s->began > 0 ? s->began : plumb_clock_seconds();
        break;
    case RANKS_CANCEL:
        run_worker_cancel(&s->worker);
        break;
    case RANKS_HOME:
    case RANKS_QUIT:
        s->home = true;
        break;
    default:
        break;
    }
}

/* The number of milliseconds that the paths in reserve will take, if they take as long as the others did. */
static double reserve(const server *s)
{
    return s->told > 0 ? 1000 * (plumb_clock_seconds() - s->began) * (double)s->open / (double)s->told : 0;
}

/* A quarter of the reserve. */
static int wait_milliseconds(const server *s)
{
    const double most = s->last > MANY_BYTES ? MANY_BYTES_WAIT : LONGEST_WAIT;
    return (int)fmax(fmin(reserve(s) / 4, most), URGENT_WAIT);
}

/* Reports endpoints and finished blocks, in messages of some hundred kilobytes. Without much in reserve, a few endpoints are reported one by
 * one: libraries send messages of a few kilobytes at once, and longer ones only after their receiver has answered. */
static int tell(server *s)
{
    run_told told;
    run_told_end end;
    const int status = run_worker_take(&s->worker, &told);
    const size_t length = (size_t)told.length, few = (size_t)1 << 16;
    const size_t most = length < few && reserve(s) < LONGEST_WAIT ? 1 : (size_t)1 << 18;
    for (size_t sent = 0, at = 0; sent < length;) {
        const bool more = run_told_next(s->job, told.bytes, length, &at, &end);
        s->told += more;
        s->open -= more;
        if (more && at < length && at - sent < most)
            continue;
        ranks_send(0, RANKS_RESULTS, told.bytes + sent, at - sent);
        sent = more ? at : length;
    }
    if (told.finished > 0)
        ranks_send(0, RANKS_FINISHED, &told.finished, sizeof told.finished);
    s->held -= told.finished;
    s->open = s->held > 0 && s->open > 0 ? s->open : 0; /* paths that were given up are not reported */
    s->last = length;
    run_told_free(&told);
    return status;
}

static int serve(server *s)
{
    int result = RUN_OK;
    while (!s->home && result == RUN_OK) {
        ranks_message m;
        run_bell_wait(&s->bell, wait_milliseconds(s));
        while (ranks_receive(&m)) {
            take_message(s, &m);
            free(m.bytes);
        }
        result = tell(s);
        if (run_is_stopped(s->job->voice) && !s->stop_told) {
            ranks_send(0, RANKS_STOP, NULL, 0);
            s->stop_told = true;
        }
    }
    return result;
}

int run_crew_serve(const run_job *job)
{
    char *identity = NULL;
    server s = {.job = job};
    uint64_t check = 0;
    int result = run_identity_make(job, &identity, &check);
    if (result == RUN_OK)
        result = run_bell_make(&s.bell, job->voice);
    if (result == RUN_OK) {
        plumb_context *gpu = run_is_on_gpu(job) ? job->context : NULL;
        result = run_worker_begin(&s.worker, job, check, gpu, &s.bell);
        if (result == RUN_OK) {
            ranks_send(0, RANKS_HELLO, identity, strlen(identity) + 1);
            result = serve(&s);
        }
        run_worker_end(&s.worker);
        run_bell_free(&s.bell);
    }
    free(identity);
    return result;
}
