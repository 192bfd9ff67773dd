/* track.c - tracking on the CPU: one thread per path, from its first tick to its last. Paths are independent, so the
 * bits depend neither on the number of threads nor on their order. */
#include "backend/cpu/track/track.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/track/frame.h"
#include "backend/cpu/track/work.h"
#include "base/call/message.h"
#include "base/number/round.h"
#include "base/os/clock.h"
#include "base/os/team.h"
#include "method/track/record.h"

/* The number of ticks after which an unfinished path checks whether it should stop. */
enum { ASK_AFTER = 256 };

/* The state shared by all threads. */
typedef struct track_shared {
    track_call *call;
    int64_t done, failed;
    int32_t stop;
    track_work *works; /* one per thread */
    team_counter next; /* path */
    int64_t steps;
    pthread_mutex_t lock; /* belongs to the call, because a callback may track paths, too */
} track_shared;

static void enter(track_shared *shared)
{
    pthread_mutex_lock(&shared->lock);
}

static void leave(track_shared *shared)
{
    pthread_mutex_unlock(&shared->lock);
}

static int must_stop(const track_shared *shared)
{
    return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED);
}

/* Tells that the end and the record of a path are there. */
static void tell_end(track_shared *shared, int64_t entry)
{
    enter(shared);
    shared->call->ended(shared->call->data, &entry, 1);
    leave(shared);
}

/* Reports a path that is finished (1) or continues (0). */
static void report(track_shared *shared, int64_t done, int64_t failed)
{
    enter(shared);
    shared->done += done;
    shared->failed += failed;
    if (shared->call->progress && !must_stop(shared) &&
        shared->call->progress(shared->call->data, shared->done, shared->failed))
        __atomic_store_n(&shared->stop, 1, __ATOMIC_RELAXED);
    leave(shared);
}

static void show_step(track_shared *shared, track_work *work, const track_path *p)
{
    const track_settings *s = shared->call->settings;
    const track_room *room = &work->room[p->precision.now];
    const int64_t given = shared->call->given_unknowns;
    const int32_t planes = 2 * p->precision.now;
    room->track->show(s, p, room->vectors, room->end);
    track_frame_end(work, shared->call, p, 0);
    for (int64_t i = 0; i < given; i++)
        for (int32_t c = 0; c < planes; c++)
            work->interleaved[i * planes + c] = room->end.p[c * room->end.plane + i];
    plumb_path_step step = track_step_of(s, p, work->interleaved);
    enter(shared);
    shared->call->step(shared->call->data, &step);
    leave(shared);
}

/* Converts numbers from one precision to another; rounds if limbs are dropped. */
static void convert(const double *from, int64_t from_plane, int32_t from_prec, double *to, int64_t to_plane,
                    int32_t to_prec)
{
    for (int32_t part = 0; part < 2; part++) {
        double limbs[PLUMB_QD] = {0}, rounded[PLUMB_QD];
        for (int32_t c = 0; c < from_prec; c++)
            limbs[c] = from[(part * from_prec + c) * from_plane];
        plumb_round_limbs(limbs, PLUMB_QD, rounded, to_prec);
        for (int32_t c = 0; c < to_prec; c++)
            to[(part * to_prec + c) * to_plane] = rounded[c]; // NOLINT(clang-analyzer-core.NullDereference)
    }
}

static void begin_path(const track_call *call, track_work *work, int64_t entry, track_path *p)
{
    const track_settings *s = call->settings;
    const track_room *room = &work->room[s->least_prec];
    const plumb_view *starts = call->starts;
    for (int64_t i = 0; i < call->given_unknowns; i++)
        convert(starts->data + entry * starts->next + i, starts->plane, starts->prec, room->end.p + i, room->end.plane,
                s->least_prec);
    /* Rooms of all precisions that may be needed were made before. NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    room->track->begin(s, p, call->records[entry].path, room->vectors, room->end, call->patch);
}

static void finish_path(const track_call *call, track_work *work, int64_t entry, const track_path *p)
{
    const track_room *room = &work->room[p->precision.now];
    const plumb_view *ends = call->ends;
    if (p->verdict.state == TRACK_DONE || p->points.history == 0)
        room->track->finish(call->settings, p, room->vectors, room->end);
    else
        room->track->show(call->settings, p, room->vectors, room->end);
    track_frame_end(work, call, p, p->verdict.state == TRACK_DONE && p->verdict.code == PLUMB_PATH_AT_INFINITY);
    for (int64_t i = 0; i < call->given_unknowns; i++)
        convert(room->end.p + i, room->end.plane, p->precision.now, ends->data + entry * ends->next + i, ends->plane,
                ends->prec);
    track_fill_record(call->settings, p, &call->records[entry]);
}

/* Tracks one path. Returns the number of its accepted steps. */
static int64_t track_path_of(track_shared *shared, track_work *work, int64_t entry)
{
    track_call *call = shared->call;
    const track_settings *s = call->settings;
    const double limit = call->most_seconds, since = limit > 0.0 ? plumb_clock_seconds() : 0.0;
    track_path path;
    if (call->moving)
        track_work_move(work, s, call->moving->row[entry]);
    track_frame_begin(work, call);
    begin_path(call, work, entry, &path);
    for (int64_t ticks = 1; path.verdict.state == TRACK_GOES_ON; ticks++) {
        if (must_stop(shared) || (limit > 0.0 && plumb_clock_seconds() - since > limit)) {
            path.verdict.code = PLUMB_PATH_STOPPED;
            path.verdict.error = path.points.accuracy;
            break;
        }
        track_work_tick(work, s, &path);
        if (path.shown.accepted && call->step)
            show_step(shared, work, &path);
        if (path.shown.accepted && path.verdict.state == TRACK_GOES_ON)
            track_frame_follow(work, call, &path);
        if (ticks % ASK_AFTER == 0)
            report(shared, 0, 0);
    }
    finish_path(call, work, entry, &path);
    if (call->ended && path.verdict.code != PLUMB_PATH_STOPPED)
        tell_end(shared, entry);
    if (path.verdict.code != PLUMB_PATH_STOPPED || limit > 0.0)
        report(shared, 1, path.verdict.code > PLUMB_PATH_SINGULAR);
    return path.count.steps;
}

static plumb_status make_works(const machine *m, const track_call *call, track_work *works, int32_t threads)
{
    for (int32_t k = 0; k < threads; k++) {
        plumb_status status = track_work_create(m, call, &works[k]);
        if (status != PLUMB_OK)
            return plumb_say(status, m->message, m->message_size, "no room to track a path of %lld unknowns: %s",
                             (long long)call->settings->unknowns, plumb_status_text(status));
    }
    return PLUMB_OK;
}

/* A thread takes paths one by one, as they differ in length. */
static void track_paths(void *data, team *t, int32_t index, int32_t threads)
{
    track_shared *shared = data;
    const track_call *call = shared->call;
    int64_t steps = 0;
    (void)t, (void)threads;
    for (int64_t k; (k = team_take(&shared->next, 1)) < call->count;)
        steps += track_path_of(shared, &shared->works[index], call->entries ? call->entries[k] : k);
    __atomic_fetch_add(&shared->steps, steps, __ATOMIC_RELAXED);
}

plumb_status plumb_cpu_track(machine *m, track_call *call, void *stream)
{
    (void)stream;
    track_shared shared = {.call = call, .lock = PTHREAD_MUTEX_INITIALIZER};
    const int32_t threads = call->count < m->threads ? (int32_t)call->count : m->threads;
    call->to_device = call->to_host = call->steps = 0;
    call->stopped = 0;
    if (call->count == 0)
        return PLUMB_OK;
    track_work *works = calloc((size_t)threads, sizeof *works);
    if (!works)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    plumb_status status = make_works(m, call, works, threads);
    if (status == PLUMB_OK)
        status = team_start(&m->team, threads, m->message, m->message_size);
    shared.works = works;
    if (status == PLUMB_OK)
        team_run(m->team, threads, track_paths, &shared);
    for (int32_t k = 0; k < threads; k++)
        track_work_destroy(&works[k]);
    free(works);
    pthread_mutex_destroy(&shared.lock);
    call->steps = shared.steps;
    call->stopped = must_stop(&shared);
    return status;
}
