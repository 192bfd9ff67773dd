/* slot.h - what kernels do with the path of a slot: begin it, decide about it, write its results. track.cu has the kernels of ticks,
 * track_follow.cu the kernel that follows a path for many of them. One warp decides for a path, because decisions are a chain of small
 * reductions over its unknowns; see method/track/track_tmpl.h. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_SLOT_H
#define PLUMB_BACKEND_CUDA_TRACK_SLOT_H

#include "backend/cuda/runtime/gpu.h"
#define TRACK_FN GPU_FN
#define TRACK_CALL GPU_CALL
#define TRACK_ROLLED GPU_ROLLED
#define TRACK_FRAMES 0
#include "backend/cuda/track/gpu.h"
#include "method/track/control.h"
#include "method/track/record.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

/* ---- Teams -------------------------------------------------------------------------------------------------------- */

/* A warp; or any number of threads where no agreement is needed. */
typedef struct track_team {
    int rank, size;
    track_board *board;
} track_team;

GPU_FN int team_rank(track_team team)
{
    return team.rank;
}
GPU_FN int team_size(track_team team)
{
    return team.size;
}
GPU_FN void team_sync(track_team team)
{
    (void)team;
    gpu_sync_warp();
}
GPU_FN double team_max(track_team team, double a)
{
    (void)team;
    return gpu_max_double(a);
}
GPU_FN int32_t team_most(track_team team, int32_t a)
{
    (void)team;
    return gpu_max(a);
}
/* One copy of the code of divisions. */
GPU_CALL double team_quotient(double a, double b)
{
    return a / b;
}
/* Each thread divides one pair, because divisions take long. */
GPU_FN void team_divide(track_team team, double *a, const double *b, int count)
{
    double x = a[0], y = b[0];
    LANE_UNROLL
    for (int k = 1; k < count; k++) {
        x = team.rank == k ? a[k] : x;
        y = team.rank == k ? b[k] : y;
    }
    x = team_quotient(x, y);
    LANE_UNROLL
    for (int k = 0; k < count; k++)
        a[k] = gpu_shuffle(x, k);
}
/* Each thread tries one factor, of the first problem or of the second. The factors are the products of track_stretch. */
GPU_FN void team_stretch(track_team team, const double *error, const int32_t *order, const double *least,
                         const double *most, double *factor)
{
    enum { HALF = TRACK_STRETCHES };
    const int second = team.rank / HALF, place = team.rank % HALF, times = second ? order[1] : order[0];
    double tried = second ? most[1] : most[0], grown = second ? error[1] : error[0];
    GPU_ROLLED
    for (int k = 0; k < HALF - 1; k++)
        tried = k < place ? tried * TRACK_STRETCH : tried;
    GPU_ROLLED
    for (int k = 0; k < times; k++)
        grown *= tried;
    const int fits = grown <= 1.0 ? HALF - place : 0; /* the first factor that fits has the largest number */
    LANE_UNROLL
    for (int q = 0; q < 2; q++) {
        const int best = gpu_max(second == q ? fits : 0);
        const double found = gpu_shuffle(tried, best > 0 ? (q + 1) * HALF - best : 0);
        factor[q] = best > 0 && found > least[q] ? found : least[q];
    }
}
GPU_FN int32_t team_agree(track_team team, int32_t a)
{
    a = gpu_shuffle_int(a, 0);
    team_sync(team);
    return a;
}
GPU_FN track_board *team_board(track_team team)
{
    return team.board;
}
GPU_FN track_team this_warp(track_board *board)
{
    track_team team;
    team.rank = gpu_thread() % GPU_WARP;
    team.size = GPU_WARP;
    team.board = board;
    return team;
}

#define TRACK_PART GPU_CALL
#define TRACK_ONCE GPU_FN
#define TRACK_LANE GPU_CALL
/* The template initialises structs with {0}, as is usual in C. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "method/track/track_tmpl.h"

#include "method/track/arc_tmpl.h"

GPU_FN track_view view_of(double *p, int64_t rows, int64_t cols, int64_t slot)
{
    track_view view;
    view.p = p + slot * 2 * PLUMB_LIMBS * rows * cols;
    view.plane = rows * cols;
    view.col = rows;
    return view;
}

/* ---- Decide ------------------------------------------------------------------------------------------------------- */

/* What a warp has in shared memory: the path, and what is read at many places of the code. */
typedef struct warp_room {
    track_path path;
    track_settings settings;
    track_board board;
} warp_room;

/* The slot of a warp, and the place of the path in the arrays that a tick fills: that of the slot, or 0 in those of a block. */
typedef struct slot_at {
    track_team team;
    int64_t slot, place;
    track_view vectors;
    track_path *path;
    const track_settings *settings;
} slot_at;

/* Copies a struct of whole words by all threads of a warp. */
GPU_FN void copy_words(track_team team, void *to, const void *from, size_t bytes)
{
    const int words = (int)(bytes / 8);
    for (int k = 0; k < words; k += GPU_WARP) /* is unrolled */
        if (k + team.rank < words)
            ((int64_t *)to)[k + team.rank] = ((const int64_t *)from)[k + team.rank];
}

/* Brings the path of the block into shared memory, if there is one. */
GPU_FN slot_at slot_of_block(const track_gpu_job *job)
{
    warp_room *room = (warp_room *)(void *)gpu_shared();
    slot_at at;
    at.team = this_warp(&room->board);
    at.slot = at.place = gpu_block();
    at.vectors = view_of(job->deck.vectors, job->settings.unknowns, TRACK_VECTORS, at.slot);
    at.path = &room->path;
    at.settings = &room->settings;
    copy_words(at.team, &room->settings, &job->settings, sizeof(track_settings));
    if (job->deck.entry[at.slot] >= 0)
        copy_words(at.team, at.path, job->deck.paths + at.slot, sizeof(track_path));
    gpu_sync_warp();
    return at;
}

/* Broadcasts a number of one thread to the warp. */
GPU_FN int everyone(int a)
{
    return gpu_shuffle_int(a, 0);
}

/* Writes the moduli of the trial point, at which the sizes of the terms are computed; and where coefficients move, the
 * point with them, unless their parameters are on arcs (put_arc). A thread reads only entries that it has written itself. */
GPU_FN void put_trial(const track_gpu_job *job, const slot_at *at, int entry)
{
    const track_view *v = &at->vectors;
    const int64_t n = job->settings.unknowns;
    double *to = job->deck.moduli + at->place * job->width;
    GPU_ROLLED
    for (int64_t i = at->team.rank; i < n; i += GPU_WARP) {
        const double *x = v->p + TRACK_X * v->col + i;
        to[i] = track_c_abs(track_c_of(x[0], x[PLUMB_LIMBS * v->plane]));
    }
    if (job->moving == 0)
        return;
    double *point = job->deck.points + at->place * 2 * PLUMB_LIMBS * job->width;
    GPU_ROLLED
    for (int64_t i = at->team.rank; i < n; i += GPU_WARP)
        for (int c = 0; c < 2 * PLUMB_LIMBS; c++)
            point[c * job->width + i] = v->p[c * v->plane + TRACK_X * v->col + i];
    if (!job->rates)
        return;
    const double *rates = job->rates + job->row[entry] * job->moving;
    GPU_ROLLED
    for (int64_t k = at->team.rank; k < job->moving; k += GPU_WARP) {
        const track_parameter e = track_parameter_at(rates[k], at->path->trial.tau[0]);
        to[n + k] = e.value;
        to[n + job->moving + k] = -e.slope;
        for (int c = 0; c < 2 * PLUMB_LIMBS; c++) {
            point[c * job->width + n + k] = c == 0 ? e.value : 0.0;
            point[c * job->width + n + job->moving + k] = c == 0 ? e.slope : 0.0;
        }
    }
}

/* Writes the parameters on arcs at the trial point of a path, and behind them their derivatives. */
GPU_CALL void put_arc(track_team team, const track_gpu_job *job, const track_path *path, int entry, track_view to)
{
    const track_moving *m = &job->arcs;
    const int64_t row = job->row[entry], count = m->points, part = PLUMB_QD * count;
    const double *target = track_target(m, row), *from = track_from(m, row), *bend = track_bend(m, row);
    const TRACK(arc_tau) at = TRACK(arc_tau_of)(path);
    TRACK_EACH(i, count)
    {
        const cplx goal = cplx_make(real_load(target + i, count, 1), real_load(target + part + i, count, 1));
        const cplx way = cplx_make(real_of(from[i] - target[i]), real_of(from[count + i] - target[part + i]));
        TRACK(arc_put)(&at, goal, way, bend, count, i, 1, to);
    }
}

/* Writes the moduli of coefficients that move: those of the last unknowns of a point. */
GPU_FN void put_moduli(track_team team, const track_gpu_job *job, const double *point, double *moduli)
{
    for (int64_t k = job->settings.unknowns + team.rank; k < job->width; k += team.size) {
        const double re = point[k], im = point[PLUMB_LIMBS * job->width + k];
        moduli[k] = sqrt(re * re + im * im);
    }
}

GPU_FN void log_step(const track_gpu_job *job, const slot_at *at)
{
    int place = 0;
    if (at->team.rank == 0)
        place = gpu_fetch_add(job->counters + TRACK_LOGGED, 1);
    double *to = job->log + everyone(place) * job->log_doubles;
    track_view x;
    x.p = to + sizeof(track_path) / 8;
    x.plane = x.col = job->given;
    copy_words(at->team, to, at->path, sizeof(track_path));
    TRACK(show)(at->team, at->settings, at->path, at->vectors, x);
}

/* Writes the endpoint and the scalars of a finished path, and frees its slot. */
GPU_FN void put_result(const track_gpu_job *job, const slot_at *at)
{
    const int64_t given = job->given, most = job->settings.most_prec;
    const int64_t entry = job->deck.entry[at->slot];
    track_view end =
        view_of(job->deck.x, job->settings.unknowns, 3, at->place); /* no longer needed, so it serves as scratch */
    TRACK(finish)(at->team, at->settings, at->path, at->vectors, end);
    gpu_sync_warp();
    double *to = job->ends + entry * 2 * most * given;
    GPU_ROLLED
    for (int64_t i = at->team.rank; i < given; i += GPU_WARP)
        for (int part = 0; part < 2; part++)
            for (int c = 0; c < most; c++)
                to[(part * most + c) * given + i] =
                    c < PLUMB_LIMBS ? end.p[(part * PLUMB_LIMBS + c) * end.plane + i] : 0.0;
    gpu_sync_warp();
    if (at->team.rank != 0)
        return;
    track_fill_record(at->settings, at->path, job->results + entry);
    if (at->path->verdict.code > PLUMB_PATH_SINGULAR)
        gpu_fetch_add(job->counters + TRACK_FAILED, 1);
    gpu_flag_set(job->finished + entry, track_has_left_range(at->settings, at->path) ? TRACK_LEFT : TRACK_FINISHED);
    job->deck.entry[at->slot] = -1;
    gpu_fetch_add(job->counters + TRACK_LIVE + track_deck_of(PLUMB_LIMBS), -1);
    gpu_fetch_add(job->counters + TRACK_CREDITS, 1);
    if (gpu_fetch_add(job->counters + TRACK_ENDED, 1) == job->count - 1)
        gpu_tell_host(job->told, gpu_flag_get(job->counters + TRACK_FAILED));
}

/* Takes the next path from the queue, or returns -1. Only thread 0 accesses the counter. */
GPU_FN int take_path(const track_gpu_job *job)
{
    int32_t *counters = job->counters;
    if (gpu_flag_peek(counters + TRACK_BEGUN) >= job->count)
        return -1;
    if (gpu_fetch_add(counters + TRACK_CREDITS, -1) <= 0) {
        gpu_fetch_add(counters + TRACK_CREDITS, 1);
        return -1;
    }
    const int entry = gpu_fetch_add(counters + TRACK_BEGUN, 1);
    if (entry < job->count)
        return entry;
    gpu_fetch_add(counters + TRACK_BEGUN, -1);
    gpu_fetch_add(counters + TRACK_CREDITS, 1);
    return -1;
}

/* Returns 0 if there is no path left. The slot does not have the path yet, but its words are set. */
GPU_FN int begin_path(const track_gpu_job *job, const slot_at *at)
{
    int entry = at->team.rank == 0 ? take_path(job) : -1;
    entry = everyone(entry);
    if (entry < 0)
        return 0;
    track_view start;
    start.p = (double *)job->starts +
              (job->start ? (int64_t)job->start[entry] : (int64_t)entry) * 2 * PLUMB_LIMBS * job->given;
    start.plane = start.col = job->given;
    gpu_sync_warp();
    TRACK(begin)(at->team, at->settings, at->path, job->numbers[entry], at->vectors, start, job->patch);
    put_trial(job, at, entry);
    if (at->team.rank != 0)
        return 1;
    if (job->most_nanoseconds > 0)
        job->deck.began[at->slot] = gpu_nanoseconds();
    job->deck.wants[at->slot] = track_deck_of(PLUMB_LIMBS);
    job->deck.left[at->slot] = TRACK_DO_NOTHING;
    job->deck.entry[at->slot] = entry;
    gpu_fetch_add(job->counters + TRACK_LIVE + track_deck_of(PLUMB_LIMBS), 1);
    return 1;
}

GPU_FN void stop_path(track_path *path)
{
    path->verdict.code = PLUMB_PATH_STOPPED;
    path->verdict.state = TRACK_DONE;
    path->verdict.error = path->points.accuracy;
}

/* Stops a path that has exceeded its time limit. The clock is read once. */
GPU_FN void stop_late(const track_gpu_job *job, const slot_at *at)
{
    if (job->most_nanoseconds <= 0)
        return;
    if (at->team.rank == 0 && at->path->verdict.state != TRACK_DONE &&
        gpu_nanoseconds() - job->deck.began[at->slot] > job->most_nanoseconds)
        stop_path(at->path);
    gpu_sync_warp();
}

/* True if what follows takes long: predictions near the end, which are made in logarithms but for those on circles. */
GPU_FN int pauses_before(const track_gpu_job *job, const track_path *path, int32_t action)
{
    return job->pauses && action != TRACK_DO_NOTHING && path->course.zone && path->course.leg != TRACK_ROUND &&
           path->verdict.state != TRACK_DONE;
}

/* Decides about a path, or carries out the action that was left in the last tick; returns the action that is left now. */
GPU_FN int32_t decide(const track_gpu_job *job, const slot_at *at, const TRACK(older) * old, int32_t left)
{
    const int64_t n = job->settings.unknowns;
    const track_view x = view_of(job->deck.x, n, 3, at->place), kept = view_of(job->deck.kept, n, 3, at->place);
    int32_t action = left;
    if (left == TRACK_DO_NOTHING)
        action = TRACK(judge)(at->team, at->settings, at->path, at->vectors, x, old, job->deck.info[at->place]);
    if (action == TRACK_DO_NOTHING)
        return action;
    if (left == TRACK_DO_NOTHING && pauses_before(job, at->path, action)) {
        GPU_ROLLED
        for (int64_t i = at->team.rank; i < 6 * PLUMB_LIMBS * n; i += GPU_WARP)
            kept.p[i] = x.p[i];
        return action;
    }
    return TRACK(act)(at->team, at->settings, at->path, at->vectors, left == TRACK_DO_NOTHING ? x : kept, old, action,
                      job->pauses);
}

/* The path waits to be moved to another deck. Only thread 0 calls. */
GPU_FN void let_wait(const track_gpu_job *job, const slot_at *at)
{
    const int32_t wanted = track_deck_of(at->path->precision.wants);
    job->deck.wants[at->slot] = wanted;
    gpu_fetch_add(job->counters + TRACK_WAIT + wanted, 1);
}

#endif
