/* worker.c - see worker.h. One lock guards everything that a worker and its owner share; it is held for moments only. */
#include "solver/run/worker.h"
#include "solver/track/track.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What is reported --------------------------------------------------------------------------------------------------- */

/* An entry: the length of the line, the record, the endpoint, and the line, filled up to whole doubles. */
static size_t point_size(const run_job *job)
{
    return (size_t)(2 * job->prec * job->unknowns) * sizeof(double);
}

static size_t entry_size(const run_job *job, uint64_t line)
{
    return sizeof line + sizeof(plumb_path_record) + point_size(job) + (size_t)((line + 7) / 8 * 8);
}

bool run_told_next(const run_job *job, const unsigned char *bytes, size_t length, size_t *at, run_told_end *end)
{
    uint64_t line;
    if (length - *at < sizeof line)
        return false;
    const unsigned char *entry = bytes + *at;
    memcpy(&line, entry, sizeof line);
    if (line > length || entry_size(job, line) > length - *at)
        return false;
    memcpy(&end->record, entry + sizeof line, sizeof end->record);
    end->x = (const double *)(const void *)(entry + sizeof line + sizeof end->record);
    end->line = (const char *)entry + sizeof line + sizeof end->record + point_size(job);
    end->line_length = (size_t)line;
    *at += entry_size(job, line);
    return true;
}

void run_told_free(run_told *told)
{
    free(told->bytes);
    *told = (run_told){.length = 0};
}

/* Makes room for this number of further bytes. */
static bool grow(run_told *told, int64_t more)
{
    if (told->length + more <= told->room)
        return true;
    const int64_t wanted = 2 * (told->length + more);
    unsigned char *grown = realloc(told->bytes, (size_t)wanted);
    if (!grown)
        return false;
    told->bytes = grown;
    told->room = wanted;
    return true;
}

/* ---- The bell ------------------------------------------------------------------------------------------------------- */

int run_bell_make(run_bell *bell, const run_voice *voice)
{
    pthread_condattr_t monotonic;
    bool good = pthread_mutex_init(&bell->lock, NULL) == 0 && pthread_condattr_init(&monotonic) == 0;
    good = good && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&bell->rung, &monotonic) == 0;
    return good ? RUN_OK : run_no_memory(voice);
}

void run_bell_free(run_bell *bell)
{
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
}

void run_bell_wait(run_bell *bell, int milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 1000000L * milliseconds;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&bell->lock);
    (void)pthread_cond_timedwait(&bell->rung, &bell->lock, &until);
    pthread_mutex_unlock(&bell->lock);
}

static void enter(run_worker *w)
{
    pthread_mutex_lock(&w->bell->lock);
}

static void leave(run_worker *w)
{
    pthread_mutex_unlock(&w->bell->lock);
}

/* ---- Tracking, in a thread of the worker ------------------------------------------------------------------------------ */

/* Paths that a thread of the processor takes at a time, at most. A call may cost as much as a fifth of a cheap path, because it prepares
 * the mixed cells of its paths. */
enum { MOST_TAKEN = 64 };

typedef struct tracking {
    run_worker *worker;
    run_queued *queued;
} tracking;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const tracking *t = data;
    (void)done, (void)failed, (void)total;
    return __atomic_load_n(&t->queued->cancelled, __ATOMIC_RELAXED);
}

/* An endpoint that there is no memory for is not reported: its path is tracked again. */
static void on_ended(void *data, const plumb_path_record *record, const double *x)
{
    const tracking *t = data;
    run_worker *w = t->worker;
    size_t length = 0;
    char *text = run_journal_line(w->job, w->check, record, x, &length);
    if (text == NULL)
        return;
    const uint64_t line = length;
    const size_t size = entry_size(w->job, line);
    enter(w);
    if (grow(&w->told, (int64_t)size)) {
        unsigned char *entry = w->told.bytes + w->told.length;
        memset(entry + size - 8, 0, 8);
        memcpy(entry, &line, sizeof line);
        memcpy(entry + sizeof line, record, sizeof *record);
        memcpy(entry + sizeof line + sizeof *record, x, point_size(w->job));
        memcpy(entry + sizeof line + sizeof *record + point_size(w->job), text, length);
        w->told.length += (int64_t)size;
    }
    leave(w);
    free(text);
}

/* Makes arrays for this many paths. */
static plumb_status make_room(run_thread *t, int64_t count)
{
    const run_job *job = t->worker->job;
    if (count <= t->room)
        return PLUMB_OK;
    plumb_array_destroy(t->context, &t->starts);
    plumb_array_destroy(t->context, &t->ends);
    free(t->records);
    t->room = 0;
    t->records = calloc((size_t)count, sizeof *t->records);
    plumb_status status = t->records ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status =
            plumb_array_create(t->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, job->unknowns, 1, count, &t->starts);
    if (status == PLUMB_OK)
        status =
            plumb_array_create(t->context, PLUMB_HOST, job->prec, PLUMB_COMPLEX, job->unknowns, 1, count, &t->ends);
    if (status == PLUMB_OK)
        t->room = count;
    return status;
}

/* Tracks this many paths of a block. */
static plumb_status track(run_thread *t, run_queued *queued, int64_t first, int64_t count)
{
    const run_job *job = t->worker->job;
    const run_block *block = queued->block;
    tracking data = {t->worker, queued};
    plumb_status status = make_room(t, count);
    if (status != PLUMB_OK)
        return status;
    plumb_view starts = t->starts, ends = t->ends;
    plumb_track_options options = job->options;
    starts.batch = ends.batch = count;
    /* Ends are compared over the whole run. */
    const track_part part = {.paths = block->paths + first,
                             .of_paths = job->all_paths,
                             .rerun = (int32_t)block->rerun,
                             .separate = true,
                             .hurries = job->retry};
    options.progress = on_progress;
    options.ended = on_ended;
    options.data = &data;
    status = run_make_starts(job, t->context, part.paths, part.rerun, &starts);
    if (status != PLUMB_OK || __atomic_load_n(&queued->cancelled, __ATOMIC_RELAXED))
        return status;
    status = track_paths(t->context, job->homotopy, &part, &starts, &ends, &options, t->records);
    return status == PLUMB_ERR_STOPPED ? PLUMB_OK : status;
}

/* The first block with paths that no thread has taken; NULL if there is none. */
static run_queued *find_waiting(const run_worker *w)
{
    run_queued *q = w->queue;
    while (q != NULL && q->taken == q->block->count)
        q = q->next;
    return q;
}

/* The number of paths of a block that a thread takes. It takes all of them if it is the only thread, or if the block is skipped.
 * Otherwise it takes a share of what is waiting, so that the threads finish at about the same time. */
static int64_t how_many(const run_worker *w, const run_queued *q, bool skipped)
{
    const int64_t left = q->block->count - q->taken;
    int64_t waiting = 0;
    for (const run_queued *other = q; other != NULL; other = other->next)
        waiting += other->block->count - other->taken;
    const int64_t share = waiting / (2 * (int64_t)w->thread_count);
    const int64_t wanted = share < 1 ? 1 : share > MOST_TAKEN ? MOST_TAKEN : share;
    return skipped || w->thread_count == 1 || wanted > left ? left : wanted;
}

static void tell_finished(run_worker *w, run_queued *finished)
{
    run_queued **at = &w->queue;
    while (*at != finished)
        at = &(*at)->next;
    w->told.finished++;
    *at = finished->next;
    free(finished->block);
    free(finished);
    pthread_cond_signal(&w->bell->rung);
}

static void *work(void *data)
{
    run_thread *t = data;
    run_worker *w = t->worker;
    enter(w);
    while (!w->quit) {
        run_queued *now = find_waiting(w);
        if (now == NULL) {
            pthread_cond_wait(&w->given, &w->bell->lock);
            continue;
        }
        const bool skipped = now->cancelled || w->status != RUN_OK;
        const int64_t first = now->taken, count = how_many(w, now, skipped);
        now->taken += count;
        now->threads++;
        leave(w);
        const plumb_status status = skipped ? PLUMB_OK : track(t, now, first, count);
        enter(w);
        if (status != PLUMB_OK && w->status == RUN_OK)
            w->status = run_context_fail(w->job->voice, t->context, status);
        if (--now->threads == 0 && now->taken == now->block->count)
            tell_finished(w, now);
    }
    leave(w);
    return NULL;
}

/* ---- For the owner ---------------------------------------------------------------------------------------------------- */

int32_t run_threads(const run_job *job)
{
    return job->threads > 0 ? job->threads : plumb_context_threads(job->context);
}

static int begin_thread(run_worker *w, run_thread *t, plumb_context *gpu)
{
    plumb_context_options options;
    const run_job *job = w->job;
    t->worker = w;
    t->context = gpu;
    if (gpu == NULL) {
        plumb_context_options_init(&options);
        options.backend = PLUMB_BACKEND_CPU;
        options.threads = 1;
        options.isa = plumb_context_isa(job->context);
        const int result = run_context_create(job->voice, &options, &t->context);
        if (result != RUN_OK)
            return result;
        t->owns_context = true;
    }
    const int reason = pthread_create(&t->thread, NULL, work, t);
    t->started = reason == 0;
    return t->started ? RUN_OK : run_fail(job->voice, "a thread could not be started: %s", strerror(reason));
}

int run_worker_begin(run_worker *w, const run_job *job, uint64_t check, plumb_context *gpu, run_bell *bell)
{
    const int32_t threads = gpu != NULL ? 1 : run_threads(job);
    *w = (run_worker){.job = job, .check = check, .bell = bell, .thread_count = threads};
    w->threads = calloc((size_t)threads, sizeof *w->threads);
    w->has_given = w->threads != NULL && pthread_cond_init(&w->given, NULL) == 0;
    if (!w->has_given)
        return run_no_memory(job->voice);
    int result = RUN_OK;
    for (int32_t k = 0; k < threads && result == RUN_OK; k++)
        result = begin_thread(w, &w->threads[k], gpu);
    return result;
}

bool run_worker_give(run_worker *w, const run_block *block)
{
    const size_t bytes = run_block_bytes(block->count);
    run_queued *queued = calloc(1, sizeof *queued), **last = &w->queue;
    run_block *copy = malloc(bytes);
    if (!queued || !copy) {
        free(queued);
        free(copy);
        return false;
    }
    memcpy(copy, block, bytes);
    queued->block = copy;
    enter(w);
    while (*last != NULL)
        last = &(*last)->next;
    *last = queued;
    pthread_cond_broadcast(&w->given);
    leave(w);
    return true;
}

void run_worker_cancel(run_worker *w)
{
    enter(w);
    for (run_queued *q = w->queue; q != NULL; q = q->next)
        __atomic_store_n(&q->cancelled, 1, __ATOMIC_RELAXED);
    leave(w);
}

int run_worker_take(run_worker *w, run_told *told)
{
    enter(w);
    *told = w->told;
    w->told = (run_told){.length = 0};
    const int status = w->status;
    leave(w);
    return status;
}

static void end_thread(run_thread *t)
{
    if (t->started)
        pthread_join(t->thread, NULL);
    if (t->context) {
        plumb_array_destroy(t->context, &t->starts);
        plumb_array_destroy(t->context, &t->ends);
    }
    free(t->records);
    if (t->owns_context)
        plumb_context_destroy(t->context);
}

void run_worker_end(run_worker *w)
{
    if (w->has_given) {
        run_worker_cancel(w);
        enter(w);
        w->quit = true;
        pthread_cond_broadcast(&w->given);
        leave(w);
    }
    for (int32_t k = 0; w->threads != NULL && k < w->thread_count; k++)
        end_thread(&w->threads[k]);
    if (w->has_given)
        pthread_cond_destroy(&w->given);
    for (run_queued *q = w->queue, *next; q != NULL; q = next) {
        next = q->next;
        free(q->block);
        free(q);
    }
    run_told_free(&w->told);
    free(w->threads);
    *w = (run_worker){.thread_count = 0};
}
