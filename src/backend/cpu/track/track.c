/* track.c - tracking on the CPU: a thread takes a path and follows it from its first tick to its last; or several paths side by
 * side (deck.h), where there are enough of them. Paths are independent, so the bits depend neither on the number of threads
 * nor on which paths are side by side. */
#include "backend/cpu/track/track.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/track/deck.h"
#include "backend/cpu/track/frame.h"
#include "backend/cpu/track/walk.h"
#include "base/call/message.h"
#include "base/number/round.h"
#include "base/os/clock.h"
#include "base/os/team.h"
#include "method/track/control.h"
#include "method/track/record.h"

/* The number of ticks after which an unfinished path checks whether it should stop. */
enum { ASK_AFTER = 256 };

/* The state shared by all threads. */
typedef struct track_shared {
    track_call *call;
    int64_t done, failed;
    int32_t stop;
    track_work *works;      /* one per thread */
    track_walkers *walkers; /* one per thread, or NULL: no path begins in lanes of its own */
    track_deck *decks;      /* one per thread, or NULL: one path after the other */
    team_counter next;      /* path */
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
    const int64_t start = call->start ? call->start[entry] : entry;
    for (int64_t i = 0; i < call->given_unknowns; i++)
        convert(starts->data + start * starts->next + i, starts->plane, starts->prec, room->end.p + i, room->end.plane,
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

/* Runs one tick of a path alone. */
static void tick_alone(track_shared *shared, track_work *work, track_path *p)
{
    track_work_tick(work, shared->call->settings, p);
    if (p->shown.accepted && shared->call->step)
        show_step(shared, work, p);
    if (p->shown.accepted && p->verdict.state == TRACK_GOES_ON)
        track_frame_follow(work, shared->call, p);
}

static void stop_path(track_path *p)
{
    p->verdict.code = PLUMB_PATH_STOPPED;
    p->verdict.error = p->points.accuracy;
}

/* Follows a path alone until it ends or has to stop. */
static void follow_path(track_shared *shared, track_work *work, track_path *p)
{
    const double limit = shared->call->most_seconds, since = limit > 0.0 ? plumb_clock_seconds() : 0.0;
    for (int64_t ticks = 1; p->verdict.state == TRACK_GOES_ON; ticks++) {
        if (must_stop(shared) || (limit > 0.0 && plumb_clock_seconds() - since > limit)) {
            stop_path(p);
            break;
        }
        tick_alone(shared, work, p);
        if (ticks % ASK_AFTER == 0)
            report(shared, 0, 0);
    }
}

/* Stores the end of a path, and reports it. Returns the number of its accepted steps. */
static int64_t end_path(track_shared *shared, track_work *work, int64_t entry, const track_path *p)
{
    const track_call *call = shared->call;
    finish_path(call, work, entry, p);
    if (call->ended && p->verdict.code != PLUMB_PATH_STOPPED)
        tell_end(shared, entry);
    if (p->verdict.code != PLUMB_PATH_STOPPED || call->most_seconds > 0.0)
        report(shared, 1, p->verdict.code > PLUMB_PATH_SINGULAR);
    return p->count.steps;
}

/* Tracks one path. Returns the number of its accepted steps. */
static int64_t track_path_of(track_shared *shared, track_work *work, int64_t entry)
{
    const track_call *call = shared->call;
    track_path path;
    if (call->moving)
        track_work_move(work, call->settings, call->moving->row[entry]);
    track_frame_begin(work, call);
    begin_path(call, work, entry, &path);
    follow_path(shared, work, &path);
    return end_path(shared, work, entry, &path);
}

/* ---- Paths side by side ------------------------------------------------------------------------------------------------ */

static int64_t entry_at(const track_call *call, int64_t k)
{
    return call->entries ? call->entries[k] : k;
}

/* Ends the path of a place, which is free then. */
static int64_t leave_place(track_shared *shared, track_deck *deck, track_place *place)
{
    track_deck_enter(deck, place);
    place->taken = 0;
    return end_path(shared, deck->work, place->entry, &place->path);
}

/* Follows the path of a place alone to its end. */
static int64_t follow_place(track_shared *shared, track_deck *deck, track_place *place)
{
    track_deck_enter(deck, place);
    follow_path(shared, deck->work, &place->path);
    const int64_t steps = leave_place(shared, deck, place);
    track_frame_begin(deck->work, shared->call); /* whatever frame it had */
    return steps;
}

/* How many paths of a deck want each precision; returns how many there are. */
static int32_t count_wants(const track_deck *deck, int32_t *count)
{
    int32_t taken = 0;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        count[prec] = 0;
    for (int32_t k = 0; k < deck->place_count; k++)
        if (deck->places[k].taken) {
            count[deck->places[k].path.precision.wants]++;
            taken++;
        }
    return taken;
}

/* True if enough paths want the same precision. */
static int is_full(const track_deck *deck, const int32_t *count)
{
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        if (deck->lanes[prec].kernels && count[prec] >= deck->lanes[prec].kernels->width)
            return 1;
    return 0;
}

/* Takes new paths from the queue until a lane is full. Returns the number of paths of the deck. */
static int32_t fill_deck(track_shared *shared, track_deck *deck)
{
    const track_call *call = shared->call;
    int32_t count[PLUMB_QD + 1], taken = count_wants(deck, count);
    for (int32_t k = 0; k < deck->place_count && taken < deck->most && !is_full(deck, count); k++) {
        track_place *place = &deck->places[k];
        int64_t next;
        if (place->taken)
            continue;
        if (must_stop(shared) || (next = team_take(&shared->next, 1)) >= call->count)
            break;
        place->entry = entry_at(call, next);
        track_deck_enter(deck, place);
        begin_path(call, deck->work, place->entry, &place->path);
        track_deck_begin(deck, place);
        place->taken = 1;
        count[place->path.precision.wants]++;
        taken++;
    }
    return taken;
}

/* The paths of a tick: those that want the precision that most paths want, among the precisions that have lanes. */
static int32_t choose_paths(const track_deck *deck, int32_t *prec, track_place **chosen)
{
    int32_t count[PLUMB_QD + 1], most = 0;
    (void)count_wants(deck, count);
    *prec = PLUMB_D;
    for (int32_t p = PLUMB_D; p <= PLUMB_QD; p *= 2)
        if (deck->lanes[p].kernels && count[p] > most) {
            most = count[p];
            *prec = p;
        }
    int32_t taken = 0;
    for (int32_t k = 0; most > 0 && k < deck->place_count && taken < deck->lanes[*prec].kernels->width; k++)
        if (deck->places[k].taken && deck->places[k].path.precision.wants == *prec)
            chosen[taken++] = &deck->places[k];
    return taken;
}

/* What follows a tick of a path in a deck. Returns the steps of a path that has ended. */
static int64_t after_tick(track_shared *shared, track_deck *deck, track_place *place)
{
    track_path *p = &place->path;
    if (p->shown.accepted && shared->call->step) {
        track_deck_enter(deck, place);
        show_step(shared, deck->work, p);
    }
    if (p->verdict.state != TRACK_GOES_ON)
        return leave_place(shared, deck, place);
    if (p->shown.accepted && track_leaves_range(shared->call->settings, p)) {
        track_deck_enter(deck, place);
        track_frame_follow(deck->work, shared->call, p);
        if (deck->work->frame.is_used) /* coefficients of its own */
            return follow_place(shared, deck, place);
    }
    if (!deck->lanes[p->precision.wants].kernels)
        return follow_place(shared, deck, place);
    return 0;
}

/* Stops all paths of a deck. */
static int64_t stop_deck(track_shared *shared, track_deck *deck)
{
    int64_t steps = 0;
    for (int32_t k = 0; k < deck->place_count; k++)
        if (deck->places[k].taken) {
            stop_path(&deck->places[k].path);
            steps += leave_place(shared, deck, &deck->places[k]);
        }
    return steps;
}

/* Follows paths side by side until the queue is empty and all of them have ended. If only a few are left, one of them is followed
 * alone; so is a path that wants a precision without lanes. */
static int64_t track_deck_of(track_shared *shared, track_deck *deck)
{
    int64_t steps = 0;
    track_frame_begin(deck->work, shared->call);
    for (int64_t ticks = 1; fill_deck(shared, deck) > 0; ticks++) {
        track_place *chosen[TRACK_MANY_MOST];
        int32_t prec;
        const int32_t count = choose_paths(deck, &prec, chosen);
        if (must_stop(shared))
            return steps + stop_deck(shared, deck);
        if (count >= deck->lanes[prec].least && count > 0) {
            track_deck_tick(deck, prec, chosen, count);
            for (int32_t l = 0; l < count; l++)
                steps += after_tick(shared, deck, chosen[l]);
        } else {
            for (int32_t k = 0, alone = 0; k < deck->place_count && !alone; k++)
                if (deck->places[k].taken && (count == 0 || &deck->places[k] == chosen[0])) {
                    steps += follow_place(shared, deck, &deck->places[k]);
                    alone = 1;
                }
        }
        if (ticks % (ASK_AFTER / TRACK_MANY_MOST) == 0)
            report(shared, 0, 0);
    }
    return steps;
}

/* ---- Paths that stay in lanes ------------------------------------------------------------------------------------------ */

/* Paths that a thread takes from the queue at a time: those of a target share some work. Threads without a path should be rare. */
enum { TAKEN_TOGETHER = 16, SHARES = 8 };

/* The next path for a thread; -1: there is none. */
static int64_t next_entry(track_shared *shared, track_walkers *walkers, int32_t threads)
{
    const track_call *call = shared->call;
    int64_t each = call->count / ((int64_t)threads * SHARES);
    each = each < 1 ? 1 : each < TAKEN_TOGETHER ? each : TAKEN_TOGETHER;
    if (walkers->next == walkers->last) {
        const int64_t first = team_take(&shared->next, each);
        walkers->next = first < call->count ? first : call->count;
        walkers->last = first + each < call->count ? first + each : call->count;
    }
    return walkers->next < walkers->last ? entry_at(call, walkers->next++) : -1;
}

/* Takes new paths for the places that are free, but no more than its share of all paths at once. Returns the number of paths. */
static int32_t fill_places(track_shared *shared, track_walkers *walkers, int32_t threads)
{
    const int64_t share = (shared->call->count + threads - 1) / threads;
    int32_t taken = 0;
    for (int32_t l = 0; l < walkers->kernels->width && l < share; l++) {
        int64_t entry;
        if (walkers->entry[l] < 0 && !must_stop(shared) && (entry = next_entry(shared, walkers, threads)) >= 0)
            track_walkers_take(walkers, l, entry);
        taken += walkers->entry[l] >= 0;
    }
    return taken;
}

/* Ends a path that has arrived; or one that leaves or has to stop, which goes on alone. Returns its steps. */
static int64_t leave_lanes(track_shared *shared, track_work *work, track_walkers *walkers, int32_t place, bool arrived)
{
    const int64_t entry = walkers->entry[place];
    track_path path;
    if (arrived) {
        track_walkers_arrive(walkers, place, work, &path);
    } else {
        track_work_move(work, shared->call->settings, shared->call->moving->row[entry]);
        begin_path(shared->call, work, entry, &path);
        track_walkers_leave(walkers, place, work, &path);
        follow_path(shared, work, &path);
    }
    walkers->entry[place] = -1;
    return end_path(shared, work, entry, &path);
}

/* Follows paths until the queue is empty and all of them have ended. */
static int64_t walk_paths(track_shared *shared, track_work *work, track_walkers *walkers, int32_t threads)
{
    int64_t steps = 0;
    track_frame_begin(work, shared->call);
    for (int64_t ticks = 1; fill_places(shared, walkers, threads) > 0; ticks++) {
        const int stops = must_stop(shared);
        if (!stops)
            track_walkers_tick(walkers);
        for (int32_t l = 0; l < walkers->kernels->width; l++) {
            const int32_t outcome = track_walkers_outcome(walkers, l);
            if (walkers->entry[l] >= 0 && (stops || outcome != TRACK_WALK_ON))
                steps += leave_lanes(shared, work, walkers, l, outcome == TRACK_WALK_ARRIVED);
        }
        if (ticks % ASK_AFTER == 0)
            report(shared, 0, 0);
    }
    while (walkers->next < walkers->last) /* after a stop */
        steps += track_path_of(shared, work, entry_at(shared->call, walkers->next++));
    return steps;
}

/* Makes the lanes of each thread, if paths begin there. */
static plumb_status make_walkers(const machine *m, const track_call *call, const track_work *works, int32_t threads,
                                 track_walkers **walkers)
{
    int32_t made = 0;
    *walkers = NULL;
    if (!track_walkers_can(m, call))
        return PLUMB_OK;
    *walkers = calloc((size_t)threads, sizeof **walkers);
    plumb_status status = *walkers ? PLUMB_OK : PLUMB_ERR_MEMORY;
    while (made < threads && status == PLUMB_OK) {
        status = track_walkers_create(m, call, &works[made], &(*walkers)[made]);
        made += status == PLUMB_OK;
    }
    if (status == PLUMB_OK)
        return PLUMB_OK;
    while (made-- > 0)
        track_walkers_destroy(&(*walkers)[made]);
    free(*walkers);
    *walkers = NULL;
    return status == PLUMB_ERR_UNSUPPORTED ? PLUMB_OK : plumb_say(status, m->message, m->message_size, "out of memory");
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

/* Makes a deck for each thread, if there are enough paths. Steps that are shown, and paths with a limit of time, are those of one
 * path after the other. Without memory for it there are no decks. */
static track_deck *make_decks(const machine *m, const track_call *call, track_work *works, int32_t threads)
{
    const int64_t most = (call->count + threads - 1) / threads;
    const int32_t prec = call->settings->least_prec; /* that of most ticks */
    if (m->hooks.track_lanes < 0 || call->step || call->most_seconds > 0.0 || !track_deck_can(m, call, prec) ||
        most < track_deck_worth(m, prec, threads))
        return NULL;
    track_deck *decks = calloc((size_t)threads, sizeof *decks);
    for (int32_t k = 0; decks && k < threads; k++)
        if (track_deck_create(m, call, &works[k], most, &decks[k]) != PLUMB_OK) {
            while (k-- > 0)
                track_deck_destroy(&decks[k]);
            free(decks);
            return NULL;
        }
    return decks;
}

/* A thread takes paths one by one, as they differ in length. */
static void track_paths(void *data, team *t, int32_t index, int32_t threads)
{
    track_shared *shared = data;
    const track_call *call = shared->call;
    int64_t steps = 0;
    (void)t;
    if (shared->walkers)
        steps = walk_paths(shared, &shared->works[index], &shared->walkers[index], threads);
    else if (shared->decks)
        steps = track_deck_of(shared, &shared->decks[index]);
    for (int64_t k; (k = team_take(&shared->next, 1)) < call->count;)
        steps += track_path_of(shared, &shared->works[index], entry_at(call, k));
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
        status = make_walkers(m, call, works, threads, &shared.walkers);
    if (status == PLUMB_OK) {
        shared.decks = shared.walkers ? NULL : make_decks(m, call, works, threads);
        team_run(m->team, threads, track_paths, &shared);
    }
    for (int32_t k = 0; k < threads; k++) {
        if (shared.walkers)
            track_walkers_destroy(&shared.walkers[k]);
        if (shared.decks)
            track_deck_destroy(&shared.decks[k]);
        track_work_destroy(&works[k]);
    }
    free(shared.walkers);
    free(shared.decks);
    free(works);
    pthread_mutex_destroy(&shared.lock);
    call->steps = shared.steps;
    call->stopped = must_stop(&shared);
    return status;
}
