/* device_data.c - transfers of a run on a GPU: start points and numbers of paths before the first round, endpoints
 * and records from time to time and after the last, and accepted steps in between if they are requested. See device.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/track/device.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/round.h"
#include "method/track/control.h"
#include "method/track/record.h"

static plumb_status said(const track_run *run, cudaError_t error)
{
    return plumb_cuda_status(error, "paths to or from the GPU", run->m->message, run->m->message_size);
}

static plumb_status no_memory(const track_run *run)
{
    return plumb_say(PLUMB_ERR_MEMORY, run->m->message, run->m->message_size, "out of memory");
}

/* The place in the batch of path k of the call, and that of its start point. */
static int64_t place_of(const track_call *call, int64_t k)
{
    return call->entries ? call->entries[k] : k;
}
static int64_t start_of(const track_call *call, int64_t k)
{
    const int64_t place = place_of(call, k);
    return call->start ? call->start[place] : place;
}

/* ---- There ------------------------------------------------------------------------------------------------------------- */

/* Arrays in the memory of the GPU; the first ones are sent in one copy, the last ones are fetched in one copy. */
enum {
    OF_STARTS, /* of each path, or all that they share */
    OF_SHARED,
    OF_NUMBERS,
    OF_PATCH,
    OF_RATES, /* or targets */
    OF_FROM,
    OF_BEND,
    OF_ROWS,
    OF_COUNTERS,
    OF_SENT,
    OF_ENDS = OF_SENT,
    OF_RESULTS,
    OF_FINISHED,
    OF_MOVES,
    OF_LOG,
    OF_ALL
};

typedef struct data_layout {
    int64_t bytes[OF_ALL], at[OF_ALL + 1];
} data_layout;

/* Rows of rates or targets that the paths of the call use, from the first one on. */
static int64_t rows_of(const track_call *call)
{
    int64_t most = 0;
    for (int64_t k = 0; k < call->count; k++)
        if (call->moving->row[place_of(call, k)] >= most)
            most = call->moving->row[place_of(call, k)] + 1;
    return most;
}

/* What is sent of coefficients that move. */
static bool lay_out_moving(const track_call *call, int64_t *bytes)
{
    const track_moving *m = call->moving;
    const int64_t pair = 2 * (int64_t)sizeof(double);
    bytes[OF_RATES] = bytes[OF_FROM] = bytes[OF_BEND] = bytes[OF_ROWS] = 0;
    if (!m)
        return true;
    const int64_t rows = rows_of(call);
    bytes[OF_ROWS] = 4 * call->count;
    if (m->rates)
        return size_mul(rows, (int64_t)sizeof(double) * m->points, &bytes[OF_RATES]);
    bool fits = size_mul(rows, PLUMB_QD * pair * m->points, &bytes[OF_RATES]) &&
                size_mul(m->own ? rows : 1, pair * m->points, &bytes[OF_FROM]);
    bytes[OF_BEND] = m->bend ? bytes[OF_FROM] : 0;
    return fits;
}

static bool lay_out(const track_run *run, data_layout *layout)
{
    const track_call *call = run->call;
    const track_settings *s = call->settings;
    const int64_t count = call->count;
    int64_t *bytes = layout->bytes;
    bool fits = size_mul(call->start ? call->starts->batch : count, 16 * s->least_prec * call->given_unknowns,
                         &bytes[OF_STARTS]) &&
                size_mul(count, 16 * s->most_prec * call->given_unknowns, &bytes[OF_ENDS]) &&
                size_mul(count, (int64_t)sizeof(plumb_path_record), &bytes[OF_RESULTS]);
    fits = fits && lay_out_moving(call, bytes);
    bytes[OF_SHARED] = call->start ? 4 * count : 0;
    bytes[OF_NUMBERS] = 8 * count;
    bytes[OF_FINISHED] = 4 * count;
    bytes[OF_PATCH] = call->patch ? 16 * s->unknowns : 0;
    bytes[OF_COUNTERS] = TRACK_COUNTERS * (int64_t)sizeof(int32_t);
    bytes[OF_MOVES] = TRACK_DECKS * run->slots * (int64_t)sizeof(track_gpu_move);
    bytes[OF_LOG] = 0;
    if (call->step)
        fits = fits && size_mul(run->slots * run->ticks, 8 * run->job.log_doubles, &bytes[OF_LOG]);
    layout->at[0] = 0;
    for (int k = 0; k < OF_ALL && fits; k++)
        fits = size_add(layout->at[k], bytes[k] > 0 ? bytes[k] + MGS_ALIGNMENT - bytes[k] % MGS_ALIGNMENT : 0,
                        &layout->at[k + 1]);
    return fits;
}

/* Writes start point k with prec limbs, in planes. */
static void put_point(const track_call *call, int64_t k, int32_t prec, double *to)
{
    const plumb_view *from = call->starts;
    const int64_t n = call->given_unknowns;
    for (int64_t i = 0; i < n; i++)
        for (int32_t part = 0; part < 2; part++) {
            const double *entry = from->data + k * from->next + part * from->prec * from->plane + i;
            double given[PLUMB_QD] = {0}, limbs[PLUMB_QD];
            for (int32_t c = 0; c < from->prec; c++)
                given[c] = entry[c * from->plane];
            plumb_round_limbs(given, from->prec > prec ? from->prec : prec, limbs, prec);
            for (int32_t c = 0; c < prec; c++)
                to[(part * prec + c) * n + i] = limbs[c];
        }
}

static void fill(const track_run *run, const data_layout *layout, char *sent)
{
    const track_call *call = run->call;
    int64_t *numbers = (int64_t *)(void *)(sent + layout->at[OF_NUMBERS]);
    int32_t *counters = (int32_t *)(void *)(sent + layout->at[OF_COUNTERS]);
    double *starts = (double *)(void *)(sent + layout->at[OF_STARTS]);
    int32_t *shared = (int32_t *)(void *)(sent + layout->at[OF_SHARED]);
    const int32_t prec = call->settings->least_prec;
    const int64_t points = call->start ? call->starts->batch : call->count, each = 2 * prec * call->given_unknowns;
    for (int64_t k = 0; k < points; k++)
        put_point(call, call->start ? k : place_of(call, k), prec, starts + k * each);
    for (int64_t k = 0; k < call->count; k++)
        numbers[k] = call->records[place_of(call, k)].path;
    for (int64_t k = 0; call->start && k < call->count; k++)
        shared[k] = call->start[place_of(call, k)];
    if (call->patch)
        memcpy(sent + layout->at[OF_PATCH], call->patch, (size_t)layout->bytes[OF_PATCH]);
    if (call->moving) {
        int32_t *row = (int32_t *)(void *)(sent + layout->at[OF_ROWS]);
        const track_moving *m = call->moving;
        memcpy(sent + layout->at[OF_RATES], m->rates ? m->rates : m->targets, (size_t)layout->bytes[OF_RATES]);
        if (!m->rates)
            memcpy(sent + layout->at[OF_FROM], m->from, (size_t)layout->bytes[OF_FROM]);
        if (m->bend)
            memcpy(sent + layout->at[OF_BEND], m->bend, (size_t)layout->bytes[OF_BEND]);
        for (int64_t k = 0; k < call->count; k++)
            row[k] = m->row[place_of(call, k)];
    }
    memset(counters, 0, (size_t)layout->bytes[OF_COUNTERS]);
    counters[TRACK_CREDITS] = (int32_t)run->slots;
}

/* A limit of time for the GPU: at least 1 where there is one. */
static int64_t nanoseconds(double seconds)
{
    const double limit = ceil(seconds * 1e9);
    return limit < 0x1p62 ? (int64_t)limit : INT64_C(1) << 62;
}

static void place(track_run *run, const data_layout *layout)
{
    const track_call *call = run->call;
    const track_moving *moving = call->moving;
    char *at[OF_ALL];
    for (int k = 0; k < OF_ALL; k++)
        at[k] = run->m->track->shared.at + layout->at[k];
    run->moves = (track_gpu_move *)(void *)at[OF_MOVES];
    run->job = (track_gpu_job){.settings = *call->settings,
                               .starts = (double *)(void *)at[OF_STARTS],
                               .start = call->start ? (int32_t *)(void *)at[OF_SHARED] : NULL,
                               .numbers = (int64_t *)(void *)at[OF_NUMBERS],
                               .rates = moving && moving->rates ? (double *)(void *)at[OF_RATES] : NULL,
                               .row = moving ? (int32_t *)(void *)at[OF_ROWS] : NULL,
                               .moving = plumb_cuda_track_moving(call),
                               .width = plumb_cuda_track_width(call),
                               .patch = call->patch ? (double *)(void *)at[OF_PATCH] : NULL,
                               .ends = (double *)(void *)at[OF_ENDS],
                               .results = (plumb_path_record *)(void *)at[OF_RESULTS],
                               .finished = (int32_t *)(void *)at[OF_FINISHED],
                               .counters = (int32_t *)(void *)at[OF_COUNTERS],
                               .told = run->m->track->told,
                               .log = call->step ? (double *)(void *)at[OF_LOG] : NULL,
                               .log_doubles = run->job.log_doubles,
                               .most_nanoseconds = nanoseconds(call->most_seconds),
                               .given = (int32_t)call->given_unknowns,
                               .count = (int32_t)call->count,
                               .early = run->m->lsq->limits.capability >= 90};
    if (moving && !moving->rates)
        run->job.arcs = (track_moving){.points = moving->points,
                                       .targets = (double *)(void *)at[OF_RATES],
                                       .from = (double *)(void *)at[OF_FROM],
                                       .bend = moving->bend ? (double *)(void *)at[OF_BEND] : NULL,
                                       .own = moving->own};
}

plumb_status plumb_cuda_track_send(track_run *run)
{
    const track_settings *s = run->call->settings;
    data_layout layout;
    run->job.log_doubles = (int64_t)(sizeof(track_path) / 8) + 2 * s->most_prec * run->call->given_unknowns;
    if (run->call->count > INT32_MAX || !lay_out(run, &layout))
        return plumb_say(PLUMB_ERR_SIZE, run->m->message, run->m->message_size,
                         "the paths do not fit in memory: track fewer at a time");
    const int64_t bytes = layout.at[OF_SENT];
    char *pinned = plumb_cuda_track_pinned(&run->m->track->sent, bytes),
         *sent = pinned ? pinned : malloc((size_t)bytes);
    if (!sent)
        return no_memory(run);
    *run->m->track->told = -1;
    track_memory *shared = &run->m->track->shared;
    plumb_status status = plumb_cuda_track_memory(run, shared, layout.at[OF_ALL]);
    if (status == PLUMB_OK) {
        place(run, &layout);
        fill(run, &layout, sent);
        status = said(run, cudaMemcpyAsync(shared->at, sent, (size_t)bytes, cudaMemcpyHostToDevice, run->stream));
        if (status == PLUMB_OK)
            status = said(run, cudaMemsetAsync(run->job.finished, 0, (size_t)layout.bytes[OF_FINISHED], run->stream));
        run->call->to_device += bytes;
    }
    if (pinned) /* nobody writes there before the run has ended */
        return status;
    if (status == PLUMB_OK)
        status = said(run, cudaStreamSynchronize(run->stream));
    free(sent);
    return status;
}

/* ---- And back ---------------------------------------------------------------------------------------------------------- */

static void take_end(const track_call *call, int64_t k, const double *from)
{
    const plumb_view *to = call->ends;
    const int64_t n = call->given_unknowns;
    double *end = to->data + place_of(call, k) * to->next;
    for (int32_t c = 0; c < 2 * to->prec; c++)
        for (int64_t i = 0; i < n; i++)
            end[c * to->plane + i] = from[c * n + i];
}

/* Writes the start point of a path that never began because the call was stopped. */
static void put_start(const track_call *call, int64_t k, double *end, plumb_path_record *record)
{
    const track_settings *s = call->settings;
    put_point(call, start_of(call, k), s->most_prec, end);
    *record = (plumb_path_record){
        .code = PLUMB_PATH_STOPPED, .prec = s->least_prec, .max_prec = s->least_prec, .reruns = s->rerun};
}

/* Makes room on the host for the results of all paths. Copies to pinned memory are faster. */
static plumb_status make_room(track_run *run)
{
    const track_call *call = run->call;
    const size_t count = (size_t)call->count, end = (size_t)(16 * call->settings->most_prec * call->given_unknowns);
    if (run->room.results)
        return PLUMB_OK;
    run->room = (track_room){.entries = calloc(count, sizeof(int64_t)), .taken = calloc(count, sizeof(bool))};
    track_room *room = &run->room;
    int64_t bytes;
    char *pinned = size_mul(call->count, (int64_t)(end + sizeof(plumb_path_record) + sizeof(int32_t)), &bytes)
                       ? plumb_cuda_track_pinned(&run->m->track->fetched, bytes)
                       : NULL;
    room->ends = pinned ? (double *)(void *)pinned : calloc(count, end);
    room->results = pinned ? (plumb_path_record *)(void *)(pinned + count * end) : calloc(count, sizeof *room->results);
    room->finished = pinned ? (int32_t *)(void *)(room->results + count) : calloc(count, sizeof(int32_t));
    return room->ends && room->results && room->finished && room->entries && room->taken ? PLUMB_OK : no_memory(run);
}

void plumb_cuda_track_clear(track_run *run)
{
    if ((char *)run->room.ends != run->m->track->fetched.at) {
        free(run->room.ends);
        free(run->room.results);
        free(run->room.finished);
    }
    free(run->room.entries);
    free(run->room.taken);
    run->room = (track_room){.ends = NULL};
}

/* Copies the endpoints and scalars of the paths from the first one whose result was not taken to the last one that has begun. Those that
 * were finished before have all been written when they are copied, even if ticks are running; only a path that is stopped is
 * written by the last kernel that was queued. */
static plumb_status copy_results(track_run *run, int64_t end, int32_t *begun)
{
    const track_call *call = run->call;
    const track_room *room = &run->room;
    const int64_t end_doubles = 2 * call->settings->most_prec * call->given_unknowns, first = room->first;
    const size_t count = (size_t)(end - first);
    cudaStream_t stream = call->stopped ? run->stream : run->m->track->results;
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } arrays[] = {{room->finished + first, run->job.finished + first, count * sizeof(int32_t)},
                  {room->ends + first * end_doubles, run->job.ends + first * end_doubles,
                   count * (size_t)end_doubles * sizeof(double)},
                  {room->results + first, run->job.results + first, count * sizeof *room->results},
                  {begun, run->job.counters + TRACK_BEGUN, call->stopped ? sizeof(int32_t) : 0}};
    cudaError_t error = cudaSuccess;
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && error == cudaSuccess; k++) {
        if (arrays[k].bytes > 0)
            error = cudaMemcpyAsync(arrays[k].to, arrays[k].from, arrays[k].bytes, cudaMemcpyDeviceToHost, stream);
        run->call->to_host += (int64_t)arrays[k].bytes;
    }
    return said(run, error == cudaSuccess ? cudaStreamSynchronize(stream) : error);
}

/* Takes the results of the paths before `end` that have ended since the last time, or of all others if this is the last time. Returns the
 * number of those to report, whose places are in room.entries. */
static int64_t take_results(track_run *run, bool last, int64_t end, int32_t begun)
{
    track_call *call = run->call;
    track_room *room = &run->room;
    const int64_t end_doubles = 2 * call->settings->most_prec * call->given_unknowns;
    int64_t count = 0;
    for (int64_t k = room->first; k < end; k++) {
        plumb_path_record *result = &room->results[k], *record = &call->records[place_of(call, k)];
        if (room->taken[k] || (!last && !room->finished[k]))
            continue;
        if (k >= begun)
            put_start(call, k, room->ends + k * end_doubles, result);
        take_end(call, k, room->ends + k * end_doubles);
        result->path = record->path;
        *record = *result;
        call->steps += result->steps;
        room->taken[k] = true;
        room->taken_count++;
        if (call->left && room->finished[k] == TRACK_LEFT)
            call->left[call->left_count++] = place_of(call, k);
        else if (result->code != PLUMB_PATH_STOPPED)
            room->entries[count++] = place_of(call, k);
    }
    while (room->first < call->count && room->taken[room->first])
        room->first++;
    return count;
}

plumb_status plumb_cuda_track_fetch(track_run *run, bool last)
{
    track_call *call = run->call;
    const int64_t seen = run->seen[TRACK_BEGUN], end = last || seen > call->count ? call->count : seen;
    int32_t begun = (int32_t)end; /* all of them, unless the call was stopped */
    plumb_status status = make_room(run);
    if (status == PLUMB_OK)
        status = copy_results(run, end, &begun);
    if (status == PLUMB_OK) {
        const int64_t count = take_results(run, last, end, begun);
        run->told += count;
        if (call->ended && count > 0)
            call->ended(call->data, run->room.entries, count);
    }
    return status;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------------- */

/* Orders by path, then by the number of the step. */
static int by_path(const void *a, const void *b)
{
    const track_path *x = *(const track_path *const *)a, *y = *(const track_path *const *)b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->count.steps < y->count.steps ? -1 : x->count.steps > y->count.steps;
}

static void tell(const track_call *call, const track_path *path, double *x)
{
    const int64_t n = call->given_unknowns;
    const int32_t planes = 2 * path->precision.now;
    const double *from = (const double *)(const void *)(path + 1);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < planes; c++)
            x[i * planes + c] = from[c * n + i];
    const plumb_path_step step = track_step_of(call->settings, path, x);
    call->step(call->data, &step);
}

plumb_status plumb_cuda_track_fetch_log(track_run *run)
{
    track_call *call = run->call;
    const int64_t count = run->seen[TRACK_LOGGED], each = run->job.log_doubles;
    if (count == 0)
        return PLUMB_OK;
    const size_t bytes = (size_t)(count * each) * 8;
    double *log = malloc(bytes), *x = malloc((size_t)each * 8);
    const track_path **order = malloc((size_t)count * sizeof(const track_path *));
    plumb_status status = log && x && order ? PLUMB_OK : no_memory(run);
    if (status == PLUMB_OK)
        status = said(run, cudaMemcpyAsync(log, run->job.log, bytes, cudaMemcpyDeviceToHost, run->stream));
    if (status == PLUMB_OK)
        status = said(run, cudaMemsetAsync(run->job.counters + TRACK_LOGGED, 0, sizeof(int32_t), run->stream));
    if (status == PLUMB_OK)
        status = said(run, cudaStreamSynchronize(run->stream));
    call->to_host += (int64_t)bytes;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        order[k] = (const track_path *)(const void *)(log + k * each);
    if (status == PLUMB_OK)
        qsort(order, (size_t)count, sizeof(const track_path *), by_path);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        tell(call, order[k], x);
    free(log);
    free(x);
    free(order);
    return status;
}
