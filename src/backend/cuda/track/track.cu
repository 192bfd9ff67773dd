/* track.cu - two of the five launches of a tick: combine before least squares, and decide after it; see
 * method/track/track_tmpl.h. One warp decides for a path, because decisions are a chain of small reductions over its
 * unknowns. */
#include <stdio.h>

#include "backend/cuda/runtime/gpu.h"
#define TRACK_FN GPU_FN
#define TRACK_CALL GPU_CALL
#include "backend/cuda/track/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

/* ---- Teams -------------------------------------------------------------------------------------------------------- */

/* A warp; or any number of threads where no agreement is needed. */
typedef struct track_team {
    int rank, size;
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
/* The maximum over a warp of numbers that are not NaN. */
GPU_FN double team_max(track_team team, double a)
{
    (void)team;
    for (int with = GPU_WARP / 2; with > 0; with >>= 1) {
        const double other = gpu_shuffle_xor(a, with);
        a = other > a ? other : a;
    }
    return a;
}
GPU_FN track_team this_warp(void)
{
    track_team team;
    team.rank = gpu_thread() % GPU_WARP;
    team.size = GPU_WARP;
    return team;
}

#define TRACK_PART GPU_CALL
/* The template initialises structs with {0}, as is usual in C. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include "method/track/track_tmpl.h"

GPU_FN track_view view_of(double *p, int64_t rows, int64_t cols, int64_t slot)
{
    track_view view;
    view.p = p + slot * 2 * PLUMB_LIMBS * rows * cols;
    view.plane = rows * cols;
    view.col = rows;
    return view;
}

/* ---- Combine ---------------------------------------------------------------------------------------------------- */

/* The first block of a path computes the right-hand sides, and the others share the matrix. */
enum { COMBINE_THREADS = 128, MATRIX_BLOCK = 1 };

static __global__ void __launch_bounds__(COMBINE_THREADS)
    NUM_NAME(track_combine)(const __grid_constant__ track_gpu_job job)
{
    const track_settings *s = &job.settings;
    const int64_t slot = gpu_block_y(), m = s->equations, n = s->unknowns;
    const track_gpu_deck *deck = &job.deck;
    const track_view jacobians = view_of(deck->jacobians, 2 * m, n, slot);
    /* The data needed from the path are older than the evaluation. */
    const int here = deck->entry[slot] >= 0;
    track_path path = deck->paths[slot];
    const TRACK(shares) of = TRACK(shares_at)(s, &path);
    const double *sizes = deck->sizes + slot * 2 * m;
    double *scale = deck->scale + slot * m;
    gpu_previous_done();
    gpu_next_may_begin();
    if (!here)
        return;
    if (gpu_block() >= MATRIX_BLOCK) { /* reads scale only in the ticks in which the first block does not write it */
        track_team team;
        team.rank = (gpu_block() - MATRIX_BLOCK) * COMBINE_THREADS + gpu_thread();
        team.size = (gpu_blocks() - MATRIX_BLOCK) * COMBINE_THREADS;
        TRACK(combine_jacobians)(team, s, &path, of, jacobians, sizes, scale, NULL, view_of(deck->a, m, n, slot));
        return;
    }
    if (gpu_thread() >= GPU_WARP)
        return;
    TRACK(combine_values)
    (this_warp(), s, &path, of, view_of(deck->values, 2 * m, 1, slot), sizes, scale, view_of(deck->b, m, 3, slot));
    if (gpu_thread() == 0) {
        deck->paths[slot].residual = path.residual;
        deck->paths[slot].backward = path.backward;
        deck->paths[slot].rows_inverse = path.rows_inverse;
        deck->paths[slot].rows_size = path.rows_size;
        deck->paths[slot].lost = path.lost;
    }
}

/* ---- Decide ------------------------------------------------------------------------------------------------------- */

/* The slot of a warp. */
typedef struct slot_at {
    track_team team;
    int64_t slot;
    track_view vectors;
} slot_at;

/* Broadcasts a number of one thread to the warp. */
GPU_FN int everyone(int a)
{
    return gpu_shuffle_int(a, 0);
}

/* Writes the moduli of the trial point, at which the sizes of the terms are computed; and where coefficients move, the
 * point with its parameters. A thread reads only entries that it has written itself. */
GPU_FN void put_trial(const track_gpu_job *job, const slot_at *at, const track_path *path, int entry)
{
    const track_view *v = &at->vectors;
    const int64_t n = job->settings.unknowns;
    double *to = job->deck.moduli + at->slot * job->width;
    for (int64_t i = at->team.rank; i < n; i += GPU_WARP) {
        const double *x = v->p + TRACK_X * v->col + i;
        to[i] = track_c_abs(track_c_of(x[0], x[PLUMB_LIMBS * v->plane]));
    }
    if (job->moving == 0)
        return;
    double *point = job->deck.points + at->slot * 2 * PLUMB_LIMBS * job->width;
    const double *rates = job->rates + job->row[entry] * job->moving;
    for (int64_t i = at->team.rank; i < n; i += GPU_WARP)
        for (int c = 0; c < 2 * PLUMB_LIMBS; c++)
            point[c * job->width + i] = v->p[c * v->plane + TRACK_X * v->col + i];
    for (int64_t k = at->team.rank; k < job->moving; k += GPU_WARP) {
        const track_parameter e = track_parameter_at(rates[k], path->tau[0]);
        to[n + k] = e.value;
        to[n + job->moving + k] = -e.slope;
        for (int c = 0; c < 2 * PLUMB_LIMBS; c++) {
            point[c * job->width + n + k] = c == 0 ? e.value : 0.0;
            point[c * job->width + n + job->moving + k] = c == 0 ? e.slope : 0.0;
        }
    }
}

/* Writes a path from the copy of the first thread to memory; it has about a hundred words, and the other threads have
 * nothing to do meanwhile. */
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

/* Writes the endpoint and the scalars of a finished path, and frees its slot. */
GPU_FN void put_result(const track_gpu_job *job, const slot_at *at, const track_path *path)
{
    const int64_t given = job->given, most = job->settings.most_prec;
    const int64_t entry = job->deck.entry[at->slot];
    track_view end =
        view_of(job->deck.x, job->settings.unknowns, 3, at->slot); /* no longer needed, so it serves as scratch */
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
    put_trial(job, at, &path, entry);
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

/* Stops a path that has exceeded its time limit. The clock is read once. */
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

/* Decisions are a long chain of dependent operations, so that warps wait most of the time. So many of them run at once on a
 * multiprocessor; for more there would not be enough registers, and what is kept in memory instead takes longer. */
enum { DECIDE_WARPS = 12 };

static __global__ void __launch_bounds__(GPU_WARP, DECIDE_WARPS)
    NUM_NAME(track_decide)(const __grid_constant__ track_gpu_job job)
{
    const track_gpu_deck *deck = &job.deck;
    const int own = track_deck_of(PLUMB_LIMBS);
    slot_at at;
    at.team = this_warp();
    at.slot = gpu_block();
    at.vectors = view_of(deck->vectors, job.settings.unknowns, TRACK_VECTORS, at.slot);
    /* All of this is older than the solutions. */
    int is_free = deck->entry[at.slot] < 0;
    const int goes_on = !is_free && deck->wants[at.slot] == own;
    track_path path = deck->paths[at.slot];
    gpu_previous_done();
    gpu_next_may_begin();
    if (goes_on) {
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
        } else {
            put_trial(&job, &at, &path, deck->entry[at.slot]);
            if (at.team.rank == 0) {
                deck->paths[at.slot] = path;
                if (path.wants != PLUMB_LIMBS) {
                    deck->wants[at.slot] = track_deck_of(path.wants);
                    gpu_fetch_add(job.counters + TRACK_WAIT + track_deck_of(path.wants), 1);
                }
            }
        }
    }
    if (is_free && job.settings.least_prec == PLUMB_LIMBS)
        begin_path(&job, &at);
}

/* Ends all paths where they are, after a request to stop. */
static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_stop)(const __grid_constant__ track_gpu_job job)
{
    slot_at at;
    at.team = this_warp();
    at.slot = gpu_block();
    at.vectors = view_of(job.deck.vectors, job.settings.unknowns, TRACK_VECTORS, at.slot);
    gpu_previous_done();
    if (job.deck.entry[at.slot] < 0)
        return;
    track_path path = job.deck.paths[at.slot];
    stop_path(&path);
    put_result(&job, &at, &path);
}

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

/* Each kernel starts while the previous one is still running, and waits where it needs the results of that kernel. */
static plumb_status launch(const void *kernel, const track_gpu_job *given, dim3 blocks, unsigned threads, size_t shared,
                           void *stream, char *message, size_t message_size)
{
    track_gpu_job job = *given;
    void *arguments[] = {&job};
    cudaLaunchAttribute attribute[1];
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    config.numAttrs = job.early ? 1 : 0;
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaError_t error = cudaLaunchKernelExC(&config, kernel, arguments);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a step of tracking failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* One entry per thread for few paths, and several for many, because each thread computes the weights of the two
 * systems for itself. */
static unsigned combine_blocks(const track_gpu_job *job, int64_t slots)
{
    const int64_t most_each = 4, many = 1 << 17, most_blocks = 1 << 16;
    const int64_t entries = job->settings.equations * job->settings.unknowns;
    const int64_t each = entries > many / slots ? most_each : 1;
    const int64_t blocks = MATRIX_BLOCK + (entries / each) / COMBINE_THREADS + 1;
    return (unsigned)(blocks < most_blocks ? blocks : most_blocks);
}

/* Launches a kernel for the first `slots` slots of the deck. */
extern "C" plumb_status NUM_NAME(plumb_cuda_track)(int32_t what, const track_gpu_job *job, int64_t slots, void *stream,
                                                   char *message, size_t message_size)
{
    const unsigned count = (unsigned)slots;
    switch (what) {
    case TRACK_RUN_COMBINE:
        return launch((const void *)NUM_NAME(track_combine), job, dim3(combine_blocks(job, slots), count),
                      COMBINE_THREADS, 0, stream, message, message_size);
    case TRACK_RUN_DECIDE:
        return launch((const void *)NUM_NAME(track_decide), job, dim3(count), GPU_WARP, 0, stream, message,
                      message_size);
    default:
        return launch((const void *)NUM_NAME(track_stop), job, dim3(count), GPU_WARP, 0, stream, message, message_size);
    }
}
