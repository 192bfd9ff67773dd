/* track.cu - two of the four launches of a tick: combine before least squares and decide after it; method/track_tmpl.h has what they
 * do. A path is a warp's in deciding, which is a chain of small sums over its unknowns. */
#include <stdio.h>

#include "backend/cuda/gpu.h"
#define TRACK_FN GPU_FN
#include "backend/cuda/track_gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

/* ---- A warp as a team ------------------------------------------------------------------------------------------- */

typedef struct track_team {
    int rank;
} track_team;

GPU_FN int team_rank(track_team team)
{
    return team.rank;
}
GPU_FN int team_size(track_team team)
{
    (void)team;
    return GPU_WARP;
}
GPU_FN void team_sync(track_team team)
{
    (void)team;
    gpu_sync_warp();
}
/* Of numbers that are not NaNs. */
GPU_FN double team_max(track_team team, double a)
{
    (void)team;
    for (int with = GPU_WARP / 2; with > 0; with >>= 1) {
        const double other = gpu_shuffle_xor(a, with);
        a = other > a ? other : a;
    }
    return a;
}

#define TRACK_PART GPU_FN
/* What is set to {0} there is C's way to say that all of it is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "method/track_tmpl.h"

GPU_FN track_view view_of(double *p, int64_t rows, int64_t cols, int64_t slot)
{
    track_view view;
    view.p = p + slot * 2 * PLUMB_LIMBS * rows * cols;
    view.plane = rows * cols;
    view.col = rows;
    return view;
}

/* ---- Combine ---------------------------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_combine)(const __grid_constant__ track_gpu_job job)
{
    const track_settings *s = &job.settings;
    const int64_t slot = gpu_block(), m = s->equations, n = s->unknowns;
    const track_gpu_deck *deck = &job.deck;
    if (deck->entry[slot] < 0)
        return;
    track_team team = {gpu_thread()};
    track_path path = deck->paths[slot];
    TRACK(combine)
    (team, s, &path, view_of(deck->values, 2 * m, 1, slot), view_of(deck->jacobians, 2 * m, n, slot),
     deck->scale + slot * 2 * m, view_of(deck->a, m, n, slot), view_of(deck->b, m, 3, slot));
    gpu_sync_warp();
    if (team.rank == 0) {
        deck->paths[slot].residual = path.residual;
        deck->paths[slot].backward = path.backward;
    }
}

/* ---- Decide ------------------------------------------------------------------------------------------------------- */

/* What a warp knows of its slot. */
typedef struct slot_at {
    track_team team;
    int64_t slot;
    track_view vectors;
} slot_at;

/* A number that one thread has, for all of the warp. */
GPU_FN int everyone(int a)
{
    return gpu_shuffle_int(a, 0);
}

/* Words of a path from one thread's copy to memory, by the first thread; there are about a hundred, and the others have nothing else to
 * do. */
GPU_FN void put_path(const slot_at *at, track_path *to, const track_path *path)
{
    if (at->team.rank == 0)
        *to = *path;
}

GPU_FN void log_step(const track_gpu_job *job, const slot_at *at, const track_path *path)
{
    int place = 0;
    if (at->team.rank == 0)
        place = gpu_fetch_add(job->counters + TRACK_LOGGED, 1);
    double *to = job->log + everyone(place) * job->log_doubles;
    track_view x;
    x.p = to + sizeof(track_path) / 8;
    x.plane = x.col = job->given;
    put_path(at, (track_path *)(void *)to, path);
    TRACK(show)(at->team, &job->settings, path, at->vectors, x);
}

/* The endpoint of a path that is done, and the path as it ended; its slot is free. */
GPU_FN void put_result(const track_gpu_job *job, const slot_at *at, const track_path *path)
{
    const int64_t given = job->given, most = job->settings.most_prec;
    const int64_t entry = job->deck.entry[at->slot];
    track_view end = view_of(job->deck.x, job->settings.unknowns, 3, at->slot); /* nobody needs it any more */
    TRACK(finish)(at->team, &job->settings, path, at->vectors, end);
    gpu_sync_warp();
    double *to = job->ends + entry * 2 * most * given;
    for (int64_t i = at->team.rank; i < given; i += GPU_WARP)
        for (int part = 0; part < 2; part++)
            for (int c = 0; c < most; c++)
                to[(part * most + c) * given + i] =
                    c < PLUMB_LIMBS ? end.p[(part * PLUMB_LIMBS + c) * end.plane + i] : 0.0;
    put_path(at, job->results + entry, path);
    if (at->team.rank != 0)
        return;
    job->deck.entry[at->slot] = -1;
    gpu_fetch_add(job->counters + TRACK_ENDED, 1);
    gpu_fetch_add(job->counters + TRACK_LIVE + track_deck_of(PLUMB_LIMBS), -1);
    gpu_fetch_add(job->counters + TRACK_CREDITS, 1);
    if (path->code > PLUMB_PATH_SINGULAR)
        gpu_fetch_add(job->counters + TRACK_FAILED, 1);
}

/* The next path of the queue, or -1. Thread 0 asks. */
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

GPU_FN void begin_path(const track_gpu_job *job, const slot_at *at)
{
    int entry = at->team.rank == 0 ? take_path(job) : -1;
    entry = everyone(entry);
    if (entry < 0)
        return;
    track_path path;
    track_view start;
    start.p = (double *)job->starts + (int64_t)entry * 2 * PLUMB_LIMBS * job->given;
    start.plane = start.col = job->given;
    TRACK(begin)(at->team, &job->settings, &path, job->numbers[entry], at->vectors, start, job->patch);
    gpu_sync_warp();
    if (at->team.rank != 0)
        return;
    job->deck.paths[at->slot] = path;
    if (job->most_nanoseconds > 0)
        job->deck.began[at->slot] = gpu_nanoseconds();
    job->deck.wants[at->slot] = track_deck_of(PLUMB_LIMBS);
    job->deck.entry[at->slot] = entry;
    gpu_fetch_add(job->counters + TRACK_LIVE + track_deck_of(PLUMB_LIMBS), 1);
}

GPU_FN void stop_path(track_path *path)
{
    path->code = PLUMB_PATH_STOPPED;
    path->state = TRACK_DONE;
    path->error = path->accuracy;
}

/* A path that has taken longer than it may. The clock is read once. */
GPU_FN void stop_late(const track_gpu_job *job, const slot_at *at, track_path *path)
{
    if (job->most_nanoseconds <= 0 || path->state == TRACK_DONE)
        return;
    int late = 0;
    if (at->team.rank == 0)
        late = gpu_nanoseconds() - job->deck.began[at->slot] > job->most_nanoseconds;
    if (everyone(late))
        stop_path(path);
}

static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_decide)(const __grid_constant__ track_gpu_job job)
{
    const track_gpu_deck *deck = &job.deck;
    const int own = track_deck_of(PLUMB_LIMBS);
    slot_at at;
    at.team.rank = gpu_thread();
    at.slot = gpu_block();
    at.vectors = view_of(deck->vectors, job.settings.unknowns, TRACK_VECTORS, at.slot);
    int is_free = deck->entry[at.slot] < 0;
    if (!is_free && deck->wants[at.slot] == own) {
        track_path path = deck->paths[at.slot];
        TRACK(decide)
        (at.team, &job.settings, &path, at.vectors, view_of(deck->x, job.settings.unknowns, 3, at.slot),
         deck->info[at.slot]);
        gpu_sync_warp();
        stop_late(&job, &at, &path);
        if (job.log && path.accepted)
            log_step(&job, &at, &path);
        if (path.state == TRACK_DONE) {
            put_result(&job, &at, &path);
            is_free = 1;
        } else if (at.team.rank == 0) {
            deck->paths[at.slot] = path;
            if (path.wants != PLUMB_LIMBS) {
                deck->wants[at.slot] = track_deck_of(path.wants);
                gpu_fetch_add(job.counters + TRACK_WAIT + track_deck_of(path.wants), 1);
            }
        }
    }
    if (is_free && job.settings.least_prec == PLUMB_LIMBS)
        begin_path(&job, &at);
}

/* Paths that are asked to stop end where they are. */
static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_stop)(const __grid_constant__ track_gpu_job job)
{
    slot_at at;
    at.team.rank = gpu_thread();
    at.slot = gpu_block();
    at.vectors = view_of(job.deck.vectors, job.settings.unknowns, TRACK_VECTORS, at.slot);
    if (job.deck.entry[at.slot] < 0)
        return;
    track_path path = job.deck.paths[at.slot];
    stop_path(&path);
    put_result(&job, &at, &path);
}

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

static plumb_status launch(const void *kernel, const track_gpu_job *given, int64_t blocks, int threads, void *stream,
                           char *message, size_t message_size)
{
    track_gpu_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error =
        cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, 0, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a step of tracking failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* For the first so many slots of the deck. */
extern "C" plumb_status NUM_NAME(plumb_cuda_track)(int32_t what, const track_gpu_job *job, int64_t slots, void *stream,
                                                   char *message, size_t message_size)
{
    switch (what) {
    case TRACK_RUN_COMBINE:
        return launch((const void *)NUM_NAME(track_combine), job, slots, GPU_WARP, stream, message, message_size);
    case TRACK_RUN_DECIDE:
        return launch((const void *)NUM_NAME(track_decide), job, slots, GPU_WARP, stream, message, message_size);
    default:
        return launch((const void *)NUM_NAME(track_stop), job, slots, GPU_WARP, stream, message, message_size);
    }
}
