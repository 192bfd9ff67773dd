/* crew.c - the manager; see crew.h. serve.c has the other side. */
#include "solver/run/crew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "solver/context/context.h"
#include "solver/ranks/ranks.h"
#include "solver/run/header.h"
#include "solver/run/identity.h"
#include "solver/run/worker.h"

/* Paths per block; FIRST_CPU, while nothing is known of their costs, and MOST_CPU for each thread. */
enum { FIRST_CPU = 8, MOST_CPU = 1024, LEAST_GPU = 1024, MOST_GPU = 16384 };
/* Seconds: what a block shall take, which is more on a GPU because a call leaves it idle in the end; what it shall take at least, because
 * the next one is under way for some milliseconds; how long rank 0 waits for the first word of the others, and for their last results
 * after a stop; after how long a path is handed out again, which doubles each time; between two questions whether to stop. */
static const double BLOCK_SECONDS = 1, GPU_BLOCK_SECONDS = 10, LEAST_SECONDS = 0.008, HELLO_SECONDS = 10,
                    LAST_SECONDS = 1, AGAIN_SECONDS = 2, ASK_SECONDS = 0.05;

typedef struct hand {
    run_worker *local; /* NULL: another rank */
    int32_t rank;
    bool ready;     /* it has said hello, and is the same */
    int64_t blocks; /* that it has not finished */
    int64_t open;   /* paths of this round that it was given and has not told */
} hand;

/* A path that was not reported yet. */
typedef struct open_path {
    int64_t k;
    double given;   /* when it was handed out last */
    int32_t copies; /* how often */
} open_path;

struct run_crew {
    const run_job *job;
    run_bell bell;
    bool has_bell;
    run_worker *locals;
    int32_t local_count;
    plumb_context **contexts; /* of local workers that have a GPU */
    hand *hands;
    int32_t hand_count;
    char *identity;
    uint64_t check; /* of the first line of the journal */
    bool greeted;   /* the others had time to say hello */
    /* The round */
    const run_crew_round *round;
    open_path *list;
    int64_t count, next; /* entries; those from next on were never handed out */
    int64_t told;        /* endpoints in this round, and since when */
    double began, looked;
    int result;
};

/* ---- Workers ---------------------------------------------------------------------------------------------------------- */

/* If there are many paths, several workers share a GPU, each with its own context and a part of the threads: while one of them makes start
 * solutions, checks ends or waits for its last paths, the GPU works for the others. */
static int32_t workers_per_gpu(const run_job *job)
{
    const int64_t many = 1 << 15;
    const int32_t most = 4, threads = run_threads(job) / 2;
    return job->shared || job->all_paths < many || threads < 2 ? 1 : threads < most ? threads : most;
}

/* Each worker with a GPU has its own context; that of rank 0 has threads of others. Where a GPU was not asked for, few paths are tracked on
 * the processor, by a worker as by one process. */
static int make_context(const run_job *job, int32_t device, plumb_context **context)
{
    plumb_context_options options;
    const int32_t workers = workers_per_gpu(job);
    plumb_context_options_init(&options);
    options.backend = job->context->wanted;
    options.device = device;
    options.threads = workers > 1 ? run_threads(job) / workers : job->threads;
    options.isa = plumb_context_isa(job->context);
    return run_context_create(job->voice, &options, context);
}

/* GPUs that are all of the same kind share the paths of a run that uses a GPU; with --mpi each rank has its own. */
static int32_t gpu_count(const run_job *job)
{
    plumb_device_info first, other;
    const int32_t devices = job->shared ? 1 : plumb_device_count(NULL, 0);
    if (devices < 2 || plumb_device_query(0, &first) != PLUMB_OK)
        return 1;
    int32_t same = 1;
    while (same < devices && plumb_device_query(same, &other) == PLUMB_OK && other.usable &&
           other.capability_major == first.capability_major && other.capability_minor == first.capability_minor &&
           other.multiprocessors == first.multiprocessors)
        same++;
    return same;
}

static int32_t local_count(const run_job *job)
{
    return run_is_on_gpu(job) ? gpu_count(job) * workers_per_gpu(job) : 1;
}

bool run_crew_is_needed(const run_job *job)
{
    const bool gpu = run_is_on_gpu(job);
    return job->path_log == NULL && (job->shared || !job->in_memory) &&
           (job->shared || (gpu ? local_count(job) > 1 : run_threads(job) > 1));
}

static int begin_locals(run_crew *crew)
{
    const run_job *job = crew->job;
    const bool gpu = run_is_on_gpu(job);
    const int32_t workers = workers_per_gpu(job), gpus = crew->local_count / workers,
                  only = job->shared ? ranks_device(PLUMB_BACKEND_GPU) : job->context->device;
    int result = RUN_OK;
    for (int32_t k = 0; k < crew->local_count && result == RUN_OK; k++) {
        if (gpu)
            result = make_context(job, gpus > 1 ? k / workers : only, &crew->contexts[k]);
        if (result == RUN_OK)
            result = run_worker_begin(&crew->locals[k], job, crew->check, crew->contexts[k], &crew->bell);
    }
    return result;
}

int run_crew_begin(const run_job *job, run_crew **made)
{
    run_crew *crew = calloc(1, sizeof *crew);
    *made = crew;
    if (!crew)
        return run_no_memory(job->voice);
    crew->job = job;
    crew->local_count = local_count(job);
    crew->hand_count = crew->local_count + (job->shared ? ranks_count() - 1 : 0);
    crew->locals = calloc((size_t)crew->local_count, sizeof *crew->locals);
    crew->contexts = calloc((size_t)crew->local_count, sizeof(plumb_context *));
    crew->hands = calloc((size_t)crew->hand_count, sizeof *crew->hands);
    int result = crew->locals && crew->contexts && crew->hands ? RUN_OK : run_no_memory(job->voice);
    if (result == RUN_OK)
        result = run_identity_make(job, &crew->identity, &crew->check);
    if (result == RUN_OK)
        result = run_bell_make(&crew->bell, job->voice);
    crew->has_bell = result == RUN_OK;
    if (result == RUN_OK)
        result = begin_locals(crew);
    for (int32_t k = 0; k < crew->hand_count && result == RUN_OK; k++)
        crew->hands[k] = k < crew->local_count ? (hand){.local = &crew->locals[k], .ready = true}
                                               : (hand){.rank = k - crew->local_count + 1};
    return result;
}

void run_crew_end(run_crew *crew)
{
    if (!crew)
        return;
    for (int32_t k = 0; crew->locals && k < crew->local_count; k++)
        run_worker_end(&crew->locals[k]);
    for (int32_t k = 0; crew->contexts && k < crew->local_count; k++)
        plumb_context_destroy(crew->contexts[k]);
    if (crew->has_bell)
        run_bell_free(&crew->bell);
    free(crew->locals);
    free((void *)crew->contexts);
    free(crew->hands);
    free(crew->identity);
    free(crew->list);
    free(crew);
}

/* ---- What comes back ---------------------------------------------------------------------------------------------------- */

static void take_ends(run_crew *crew, hand *h, const unsigned char *bytes, size_t length)
{
    const run_job *job = crew->job;
    const run_crew_round *round = crew->round;
    run_told_end end;
    for (size_t at = 0; run_told_next(job, bytes, length, &at, &end);) {
        const int64_t k = end.record.path - job->first;
        if (k < 0 || k >= job->count || end.record.reruns != round->rerun)
            continue; /* of an earlier round */
        h->open -= h->open > 0;
        if (!round->todo[k])
            continue; /* it has come before */
        crew->told++;
        round->ended(round->data, &end);
    }
}

static void take_local(run_crew *crew, hand *h)
{
    run_told told;
    const int status = run_worker_take(h->local, &told);
    take_ends(crew, h, told.bytes, (size_t)told.length);
    h->blocks -= told.finished;
    run_told_free(&told);
    if (crew->result == RUN_OK)
        crew->result = status;
}

static int take_failure(const run_crew *crew, const ranks_message *m)
{
    int status = RUN_FAILED;
    const char *text = "";
    if (m->length >= sizeof status) {
        memcpy(&status, m->bytes, sizeof status);
        text = (const char *)m->bytes + sizeof status;
    }
    const char *why = text[0] ? text : "it failed";
    return status == RUN_MISUSE ? run_misuse(crew->job->voice, "rank %d: %s", (int)m->from, why)
                                : run_fail(crew->job->voice, "rank %d: %s", (int)m->from, why);
}

static void take_message(run_crew *crew, const ranks_message *m)
{
    hand *h = &crew->hands[crew->local_count + m->from - 1];
    int64_t finished = 0;
    switch (m->tag) {
    case RANKS_HELLO:
        if (crew->result == RUN_OK)
            crew->result = run_identity_compare(crew->job, m->from, crew->identity, m->bytes);
        h->ready = crew->result == RUN_OK;
        break;
    case RANKS_RESULTS:
        take_ends(crew, h, m->bytes, m->length);
        break;
    case RANKS_FINISHED:
        if (m->length == sizeof finished)
            memcpy(&finished, m->bytes, sizeof finished);
        h->blocks -= finished;
        break;
    case RANKS_STOP:
        crew->job->voice->host->stop(crew->job->voice);
        break;
    case RANKS_FAILED:
        if (crew->result == RUN_OK)
            crew->result = take_failure(crew, m);
        break;
    default:
        break;
    }
}

/* Takes everything that is there. */
static void take_all(run_crew *crew)
{
    ranks_message m;
    for (int32_t k = 0; k < crew->local_count; k++)
        take_local(crew, &crew->hands[k]);
    while (crew->job->shared && ranks_receive(&m)) {
        if (m.from > 0 && m.from < ranks_count())
            take_message(crew, &m);
        free(m.bytes);
    }
}

/* ---- What is handed out -------------------------------------------------------------------------------------------------- */

/* Paths that took long in the round before come first; otherwise in their order. */
static double cost_of(const run_crew_round *round, int64_t k)
{
    const run_path *s = &round->state[k];
    return round->rerun > 0 ? (double)s->steps * pow(s->most_prec, 3) : 0;
}

static _Thread_local const run_crew_round *sorted_round; /* for the comparison */

static int by_cost(const void *a, const void *b)
{
    const open_path *x = a, *y = b;
    const double cx = cost_of(sorted_round, x->k), cy = cost_of(sorted_round, y->k);
    return cx != cy ? (cx < cy) - (cx > cy) : (x->k > y->k) - (x->k < y->k);
}

static int make_list(run_crew *crew)
{
    const run_crew_round *round = crew->round;
    free(crew->list);
    crew->list = calloc((size_t)*round->left + 1, sizeof *crew->list);
    if (!crew->list)
        return run_no_memory(crew->job->voice);
    crew->count = crew->next = crew->told = 0;
    for (int64_t k = 0; k < crew->job->count; k++)
        if (round->todo[k])
            crew->list[crew->count++] = (open_path){.k = k};
    sorted_round = round;
    if (round->rerun > 0)
        qsort(crew->list, (size_t)crew->count, sizeof *crew->list, by_cost);
    return RUN_OK;
}

/* How many paths a block has: what takes this many seconds, and no more than a quarter of what is left for each worker; but enough for
 * the threads or the GPU of a worker and for the time until it gets more, as long as there are as many for the others. A worker gets its
 * next block when it has no more paths than this block: so it has about two of them. */
static int64_t block_size(const run_crew *crew)
{
    const bool gpu = run_is_on_gpu(crew->job);
    const double hands = (double)crew->hand_count, seconds = plumb_clock_seconds() - crew->began;
    const double rate = crew->told > 0 ? (double)crew->told / (seconds * hands) : 0; /* paths per second of a worker */
    const double threads = run_threads(crew->job), least = gpu ? LEAST_GPU : fmax(threads, LEAST_SECONDS * rate);
    const double most = gpu ? MOST_GPU : MOST_CPU * threads, first = gpu ? LEAST_GPU : FIRST_CPU * threads;
    const double share = ceil((double)(crew->count - crew->next) / hands);
    const double in_time = crew->told > 0 ? (gpu ? GPU_BLOCK_SECONDS : BLOCK_SECONDS) * rate : first;
    const double size = fmin(fmax(fmin(ceil(share / 4), in_time), least), fmin(share, most));
    return size > 1 ? (int64_t)size : 1;
}

/* Milliseconds until the manager looks at messages again: a twentieth of what a block takes, because workers have a second one in
 * reserve. When all are handed out, it looks often. */
static int wait_milliseconds(const run_crew *crew)
{
    const double seconds = plumb_clock_seconds() - crew->began, hands = (double)crew->hand_count;
    if (crew->next == crew->count || crew->told == 0)
        return 1;
    const double block = (double)block_size(crew) * seconds * hands / (double)crew->told;
    return (int)fmin(fmax(50 * block, 1), 25);
}

/* Forgets paths that have come back, and lists in their order those of the others that were handed out long ago. */
static int64_t choose_again(run_crew *crew, int64_t most, int64_t *paths, double now)
{
    int64_t kept = 0, found = 0;
    for (int64_t i = 0; i < crew->count; i++) {
        open_path p = crew->list[i];
        if (!crew->round->todo[p.k])
            continue;
        if (found < most && now > p.given + ldexp(AGAIN_SECONDS, p.copies < 20 ? p.copies - 1 : 20)) {
            paths[found++] = crew->job->first + p.k;
            p.given = now;
            p.copies++;
        }
        crew->list[kept++] = p;
    }
    crew->count = crew->next = kept;
    return found;
}

static int64_t choose_next(run_crew *crew, int64_t most, int64_t *paths, double now)
{
    int64_t found = 0;
    for (; crew->next < crew->count && found < most; crew->next++) {
        open_path *p = &crew->list[crew->next];
        if (!crew->round->todo[p->k])
            continue;
        paths[found++] = crew->job->first + p->k;
        p->given = now;
        p->copies = 1;
    }
    return found;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Gives the hand a block, if there is one. */
static bool feed(run_crew *crew, hand *h, bool may_repeat)
{
    const double now = plumb_clock_seconds();
    const int64_t most = block_size(crew);
    run_block *block = malloc(run_block_bytes(most));
    if (!block)
        return false; /* later */
    *block = (run_block){.rerun = crew->round->rerun};
    block->count = choose_next(crew, most, block->paths, now);
    if (block->count == 0 && may_repeat && h->blocks == 0)
        block->count = choose_again(crew, 1, block->paths, now);
    bool good = block->count > 0;
    if (good) {
        qsort(block->paths, (size_t)block->count, sizeof *block->paths, by_number);
        if (h->local)
            good = run_worker_give(h->local, block);
        else
            ranks_send(h->rank, RANKS_BLOCK, block, run_block_bytes(block->count));
    }
    if (good) {
        h->blocks++;
        h->open += block->count;
    }
    free(block);
    return good;
}

static void feed_all(run_crew *crew)
{
    const double now = plumb_clock_seconds();
    const bool may_repeat = crew->next == crew->count && now > crew->looked + ASK_SECONDS;
    if (may_repeat)
        crew->looked = now;
    /* First those that have nothing; and last those that need the core of this thread. */
    for (int32_t turn = 0; turn < 2; turn++)
        for (int32_t k = crew->hand_count - 1; k >= 0 && (crew->next < crew->count || may_repeat); k--)
            if (crew->hands[k].ready && crew->hands[k].open <= (turn == 0 ? 0 : block_size(crew)))
                (void)feed(crew, &crew->hands[k], may_repeat);
}

/* ---- A round ------------------------------------------------------------------------------------------------------------- */

static bool is_ready(const run_crew *crew)
{
    for (int32_t k = 0; k < crew->hand_count; k++)
        if (!crew->hands[k].ready)
            return false;
    return true;
}

static bool is_busy(const run_crew *crew, int32_t hands)
{
    for (int32_t k = 0; k < hands; k++)
        if (crew->hands[k].blocks > 0)
            return true;
    return false;
}

/* Before the first block: whoever is different shall be refused before anything is tracked. Ranks that take longer join later. */
static void greet(run_crew *crew)
{
    const double since = plumb_clock_seconds();
    while (!crew->greeted && !is_ready(crew) && crew->result == RUN_OK && !run_is_stopped(crew->job->voice) &&
           plumb_clock_seconds() < since + HELLO_SECONDS) {
        run_bell_wait(&crew->bell, 1);
        take_all(crew);
    }
    crew->greeted = true;
}

/* Calls back what is still being tracked. Threads of this process end it; of other ranks, last results are waited for after a stop. */
static void call_back(run_crew *crew, bool stopped)
{
    const double since = plumb_clock_seconds();
    for (int32_t k = 0; k < crew->hand_count; k++) {
        if (crew->hands[k].local)
            run_worker_cancel(crew->hands[k].local);
        else if (crew->hands[k].blocks > 0)
            ranks_send(crew->hands[k].rank, RANKS_CANCEL, NULL, 0);
    }
    while (is_busy(crew, crew->local_count) ||
           (stopped && is_busy(crew, crew->hand_count) && plumb_clock_seconds() < since + LAST_SECONDS)) {
        run_bell_wait(&crew->bell, 1);
        take_all(crew);
    }
}

int run_crew_track(run_crew *crew, const run_crew_round *round)
{
    double asked = 0;
    bool stop = false;
    crew->round = round;
    for (int32_t k = 0; k < crew->hand_count; k++)
        crew->hands[k].open = 0;
    greet(crew);
    if (crew->result == RUN_OK)
        crew->result = make_list(crew);
    crew->began = plumb_clock_seconds();
    while (crew->result == RUN_OK && *round->left > 0 && !stop) {
        feed_all(crew);
        run_bell_wait(&crew->bell, wait_milliseconds(crew));
        take_all(crew);
        const double now = plumb_clock_seconds();
        if (now > asked + ASK_SECONDS) {
            asked = now;
            stop = round->must_stop(round->data);
        }
    }
    call_back(crew, stop);
    return crew->result;
}
