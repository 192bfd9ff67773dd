/* worker.c - see worker.h. One lock guards everything that a worker and its owner share; it is held for moments only. */
#include "app/run/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/app.h"

/* ---- What is told --------------------------------------------------------------------------------------------------- */

/* An entry: the length of the line, the record, the endpoint, and the line, filled up to whole doubles. */
static size_t point_size(const track_job *job)
{
    return (size_t)(2 * job->prec * job->unknowns) * sizeof(double);
}

static size_t entry_size(const track_job *job, uint64_t line)
{
    return sizeof line + sizeof(plumb_path_record) + point_size(job) + (size_t)((line + 7) / 8 * 8);
}

bool track_told_next(const track_job *job, const unsigned char *bytes, size_t length, size_t *at, track_told_end *end)
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

void track_told_free(track_told *told)
{
    free(told->bytes);
    free(told->blocks);
    *told = (track_told){.length = 0};
}

/* Makes room for `more` items of a list that has `count`. */
static bool grow(void **list, int64_t count, int64_t more, int64_t *room, size_t each)
{
    if (count + more <= *room)
        return true;
    const int64_t wanted = 2 * (count + more) + 64;
    void *grown = realloc(*list, (size_t)wanted * each);
    if (!grown)
        return false;
    *list = grown;
    *room = wanted;
    return true;
}

/* ---- The bell ------------------------------------------------------------------------------------------------------- */

int track_bell_make(track_bell *bell, const char *command)
{
    pthread_condattr_t monotonic;
    bool good = pthread_mutex_init(&bell->lock, NULL) == 0 && pthread_condattr_init(&monotonic) == 0;
    good = good && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(&bell->rung, &monotonic) == 0;
    return good ? CLI_OK : cli_fail(command, "out of memory");
}

void track_bell_free(track_bell *bell)
{
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
}

void track_bell_wait(track_bell *bell, int milliseconds)
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

static void enter(track_worker *w)
{
    pthread_mutex_lock(&w->bell->lock);
}

static void leave(track_worker *w)
{
    pthread_mutex_unlock(&w->bell->lock);
}

/* ---- Tracking, in the thread of the worker ---------------------------------------------------------------------------- */

typedef struct tracking {
    track_worker *worker;
    track_queued *queued;
} tracking;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const tracking *t = data;
    (void)done, (void)failed, (void)total;
    return __atomic_load_n(&t->queued->cancelled, __ATOMIC_RELAXED);
}

/* An endpoint that there is no memory for is not told: its path is tracked again. */
static void on_ended(void *data, const plumb_path_record *record, const double *x)
{
    const tracking *t = data;
    track_worker *w = t->worker;
    size_t length = 0;
    char *text = track_journal_line(w->job, w->check, record, x, &length);
    if (text == NULL)
        return;
    const uint64_t line = length;
    const size_t size = entry_size(w->job, line);
    enter(w);
    if (grow((void **)&w->told.bytes, w->told.length, (int64_t)size, &w->told.room, 1)) {
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

/* Makes arrays for blocks of so many paths. */
static plumb_status make_room(track_worker *w, int64_t count)
{
    const track_job *job = w->job;
    if (count <= w->room)
        return PLUMB_OK;
    plumb_array_destroy(w->context, &w->starts);
    plumb_array_destroy(w->context, &w->ends);
    free(w->records);
    w->room = 0;
    w->records = calloc((size_t)count, sizeof *w->records);
    plumb_status status = w->records ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status =
            plumb_array_create(w->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, job->unknowns, 1, count, &w->starts);
    if (status == PLUMB_OK)
        status =
            plumb_array_create(w->context, PLUMB_HOST, job->prec, PLUMB_COMPLEX, job->unknowns, 1, count, &w->ends);
    if (status == PLUMB_OK)
        w->room = count;
    return status;
}

static int track(track_worker *w, track_queued *queued)
{
    const track_job *job = w->job;
    const track_block *block = queued->block;
    tracking t = {w, queued};
    plumb_status status = make_room(w, block->count);
    if (status != PLUMB_OK)
        return cli_context_fail(job->command, w->context, status);
    plumb_view starts = w->starts, ends = w->ends;
    plumb_track_options options = job->options;
    starts.batch = ends.batch = block->count;
    options.paths = block->paths;
    options.of_paths = job->all_paths;
    options.rerun = (int32_t)block->rerun;
    options.separate = 1; /* ends are compared over the whole run */
    options.progress = on_progress;
    options.ended = on_ended;
    options.data = &t;
    int result = job->starts(job, w->context, block->paths, block->count, options.rerun, &starts);
    if (result != CLI_OK || __atomic_load_n(&queued->cancelled, __ATOMIC_RELAXED))
        return result;
    status = plumb_track(w->context, job->homotopy, &starts, &ends, &options, w->records);
    return status == PLUMB_OK || status == PLUMB_ERR_STOPPED ? CLI_OK
                                                             : cli_context_fail(job->command, w->context, status);
}

static void *work(void *data)
{
    track_worker *w = data;
    enter(w);
    while (!w->quit) {
        track_queued *now = w->queue;
        if (now == NULL) {
            pthread_cond_wait(&w->given, &w->bell->lock);
            continue;
        }
        const bool skipped = now->cancelled || w->status != CLI_OK;
        leave(w);
        const int status = skipped ? CLI_OK : track(w, now);
        enter(w);
        w->status = w->status != CLI_OK ? w->status : status;
        if (!grow((void **)&w->told.blocks, w->told.finished, 1, &w->told.block_room, sizeof *w->told.blocks))
            w->status = cli_fail(w->job->command, "out of memory");
        else
            w->told.blocks[w->told.finished++] = now->block->id;
        w->queue = now->next;
        free(now->block);
        free(now);
        pthread_cond_signal(&w->bell->rung);
    }
    leave(w);
    return NULL;
}

/* ---- For the owner ---------------------------------------------------------------------------------------------------- */

int track_worker_begin(track_worker *w, const track_job *job, uint64_t check, plumb_context *context, track_bell *bell)
{
    *w = (track_worker){.job = job, .check = check, .context = context, .bell = bell};
    if (pthread_cond_init(&w->given, NULL) != 0)
        return cli_fail(job->command, "out of memory");
    const int reason = pthread_create(&w->thread, NULL, work, w);
    w->started = reason == 0;
    if (!w->started)
        pthread_cond_destroy(&w->given);
    return w->started ? CLI_OK : cli_fail(job->command, "a thread could not be started: %s", strerror(reason));
}

bool track_worker_give(track_worker *w, const track_block *block)
{
    const size_t bytes = track_block_bytes(block->count);
    track_queued *queued = calloc(1, sizeof *queued), **last = &w->queue;
    track_block *copy = malloc(bytes);
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
    pthread_cond_signal(&w->given);
    leave(w);
    return true;
}

void track_worker_cancel(track_worker *w)
{
    enter(w);
    for (track_queued *q = w->queue; q != NULL; q = q->next)
        __atomic_store_n(&q->cancelled, 1, __ATOMIC_RELAXED);
    leave(w);
}

int track_worker_take(track_worker *w, track_told *told)
{
    enter(w);
    *told = w->told;
    w->told = (track_told){.length = 0};
    const int status = w->status;
    leave(w);
    return status;
}

void track_worker_end(track_worker *w)
{
    if (!w->started)
        return;
    track_worker_cancel(w);
    enter(w);
    w->quit = true;
    pthread_cond_signal(&w->given);
    leave(w);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->given);
    for (track_queued *q = w->queue, *next; q != NULL; q = next) {
        next = q->next;
        free(q->block);
        free(q);
    }
    track_told_free(&w->told);
    plumb_array_destroy(w->context, &w->starts);
    plumb_array_destroy(w->context, &w->ends);
    free(w->records);
    *w = (track_worker){.started = false};
}
