/* serve.c - a rank other than 0: passes blocks on to its worker and results to rank 0; see crew.h. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/ranks/ranks.h"
#include "app/run/crew.h"
#include "app/run/identity.h"
#include "app/run/worker.h"
#include "app/stop.h"
#include "base/os/clock.h"

/* Milliseconds between two looks at messages: with a second block in reserve nothing is urgent, and every look takes time from the paths.
 * A block that is finished rings the bell in any case. */
enum { RESERVE_WAIT = 20, URGENT_WAIT = 1 };

typedef struct server {
    const track_job *job;
    track_bell bell;
    track_worker worker;
    int64_t held; /* blocks that it has */
    bool home, stop_told;
} server;

static void take_message(server *s, const ranks_message *m)
{
    const track_block *block = m->bytes;
    switch (m->tag) {
    case RANKS_BLOCK:
        if (m->length >= sizeof *block && m->length == track_block_bytes(block->count))
            s->held += track_worker_give(&s->worker, block); /* without memory: somebody else gets it in time */
        break;
    case RANKS_CANCEL:
        track_worker_cancel(&s->worker);
        break;
    case RANKS_QUIT:
        s->home = true;
        break;
    default:
        break;
    }
}

/* Tells endpoints and finished blocks, in messages of some hundred kilobytes. Without a block in reserve, a few endpoints are told one by
 * one: libraries send messages of a few kilobytes at once, and longer ones only after their receiver has answered. */
static int tell(server *s)
{
    track_told told;
    track_told_end end;
    const int status = track_worker_take(&s->worker, &told);
    const size_t length = (size_t)told.length, few = (size_t)1 << 16;
    const size_t most = s->held - told.finished <= 1 && length < few ? 1 : (size_t)1 << 18;
    for (size_t sent = 0, at = 0; sent < length;) {
        const bool more = track_told_next(s->job, told.bytes, length, &at, &end);
        if (more && at < length && at - sent < most)
            continue;
        ranks_send(0, RANKS_RESULTS, told.bytes + sent, at - sent);
        sent = more ? at : length;
    }
    if (told.finished > 0)
        ranks_send(0, RANKS_FINISHED, &told.finished, sizeof told.finished);
    s->held -= told.finished;
    track_told_free(&told);
    return status;
}

static int serve(server *s)
{
    int result = CLI_OK;
    while (!s->home && result == CLI_OK) {
        ranks_message m;
        track_bell_wait(&s->bell, s->held > 1 ? RESERVE_WAIT : URGENT_WAIT);
        while (ranks_receive(&m)) {
            take_message(s, &m);
            free(m.bytes);
        }
        result = tell(s);
        if (cli_stopped() && !s->stop_told) {
            ranks_send(0, RANKS_STOP, NULL, 0);
            s->stop_told = true;
        }
    }
    return result;
}

int track_crew_serve(const track_job *job)
{
    char *identity = NULL;
    server s = {.job = job};
    uint64_t check = 0;
    int result = track_identity_make(job, &identity, &check);
    if (result == CLI_OK)
        result = track_bell_make(&s.bell, job->command);
    if (result == CLI_OK) {
        cli_stop_on_signals();
        plumb_context *gpu = plumb_context_backend(job->context) == PLUMB_BACKEND_GPU ? job->context : NULL;
        result = track_worker_begin(&s.worker, job, check, gpu, &s.bell);
        if (result == CLI_OK) {
            ranks_send(0, RANKS_HELLO, identity, strlen(identity) + 1);
            result = serve(&s);
        }
        track_worker_end(&s.worker);
        track_bell_free(&s.bell);
    }
    free(identity);
    return result;
}
