/* track.cu - launches of a tick: parameters on arcs before the evaluation, combine before the linear systems, eliminate where they are small
 * and square, and decide after them; see slot.h. */
#include <stdio.h>

#include "backend/cuda/runtime/launch.h"
#include "backend/cuda/track/plain.h"
#include "backend/cuda/track/slot.h"

/* ---- Parameters on arcs ------------------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_arcs)(const __grid_constant__ track_gpu_job job)
{
    const int64_t slot = gpu_block(), planes = 2 * PLUMB_LIMBS;
    const track_gpu_deck *deck = &job.deck;
    gpu_previous_done();
    gpu_next_may_begin();
    const int entry = deck->entry[slot];
    if (entry < 0)
        return;
    double *point = deck->points + slot * planes * job.width;
    track_view to;
    to.p = deck->parameters ? deck->parameters + slot * planes * 2 * job.arcs.points : point + job.settings.unknowns;
    to.plane = to.col = deck->parameters ? 2 * job.arcs.points : job.width;
    const track_team team = this_warp(NULL);
    put_arc(team, &job, deck->paths + slot, entry, to);
    gpu_sync_warp();
    if (!deck->parameters)
        put_moduli(team, &job, point, deck->moduli + slot * job.width);
}

/* Where coefficients are computed from the parameters. */
static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_moduli)(const __grid_constant__ track_gpu_job job)
{
    const int64_t slot = gpu_block();
    gpu_previous_done();
    gpu_next_may_begin();
    if (job.deck.entry[slot] >= 0)
        put_moduli(this_warp(NULL), &job, job.deck.points + slot * 2 * PLUMB_LIMBS * job.width,
                   job.deck.moduli + slot * job.width);
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
    const int here = deck->entry[slot] >= 0 && deck->left[slot] == TRACK_DO_NOTHING;
    track_path *path = deck->paths + slot;
    const TRACK(shares) of = TRACK(shares_at)(s, path);
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
        team.board = NULL;
        TRACK(combine_jacobians)(team, s, path, of, jacobians, sizes, scale, NULL, view_of(deck->a, m, n, slot));
        return;
    }
    if (gpu_thread() >= GPU_WARP)
        return;
    TRACK(combine_values)
    (this_warp(NULL), s, path, of, view_of(deck->values, 2 * m, 1, slot), sizes, scale, view_of(deck->b, m, 3, slot));
}

/* ---- Eliminate ---------------------------------------------------------------------------------------------------- */

#if PLUMB_LIMBS <= TRACK_ELIMINATED_LIMBS
#include "backend/cuda/track/eliminate.h"

/* What it has in shared memory, before the rows. */
typedef struct eliminate_room {
    track_path path;
    track_settings settings;
} eliminate_room;

static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_eliminate)(const __grid_constant__ track_gpu_job job)
{
    const int64_t slot = gpu_block(), n = job.settings.unknowns;
    const track_gpu_deck *deck = &job.deck;
    const int here = deck->entry[slot] >= 0 && deck->left[slot] == TRACK_DO_NOTHING; /* as in track_combine */
    eliminate_room *room = (eliminate_room *)(void *)gpu_shared();
    const track_team team = this_warp(NULL);
    if (here) {
        copy_words(team, &room->path, deck->paths + slot, sizeof(track_path));
        copy_words(team, &room->settings, &job.settings, sizeof(track_settings));
    }
    gpu_sync_warp();
    eliminate_job work;
    work.settings = &room->settings;
    work.path = &room->path;
    if (here) { /* what the previous kernel does not change */
        work.of = TRACK(shares_at)(work.settings, work.path);
        work.direction = track_direction(job.settings.seed, work.path->number, eliminate_own((int)n));
    }
    gpu_previous_done();
    gpu_next_may_begin();
    if (!here)
        return;
    work.values = view_of(deck->values, 2 * n, 1, slot);
    work.jacobians = view_of(deck->jacobians, 2 * n, n, slot);
    work.sizes = deck->sizes + slot * 2 * n;
    work.scale = deck->scale + slot * n;
    work.x = view_of(deck->x, n, 3, slot);
    work.dependent = job.dependent;
    work.rows = gpu_shared() + TRACK_ELIMINATE_ROOM;
    const int failed = eliminate(&work);
    if (gpu_thread() == 0) {
        deck->info[slot] = failed;
        deck->paths[slot].terms = room->path.terms;
    }
}
static_assert(sizeof(eliminate_room) <= TRACK_ELIMINATE_ROOM * 8, "there is room for it");
#endif

/* ---- Decide ------------------------------------------------------------------------------------------------------- */

/* Decisions are a long chain of dependent operations, so that warps wait most of the time. So many of them run at once on a
 * multiprocessor; for more there would not be enough registers, and what is kept in memory instead takes longer. */
enum { DECIDE_WARPS = 12 };

/* shortly: a short decision is tried first (plain.h). */
GPU_FN void decide_slot(const track_gpu_job &job, const int shortly)
{
    const track_gpu_deck *deck = &job.deck;
    const int own = track_deck_of(PLUMB_LIMBS);
    /* All of this is older than the solutions: a kernel begins when all blocks of the previous one have begun their work, and so after the
     * end of the one before that, which has found the terms. */
    const slot_at at = slot_of_block(&job);
    int is_free = deck->entry[at.slot] < 0;
    const int goes_on = !is_free && deck->wants[at.slot] == own;
    const int32_t before = deck->left[at.slot];
    TRACK(older) old = {};
    plain_ready ready = {};
    if (goes_on && shortly && before == TRACK_DO_NOTHING)
        plain_prepare(&at, &ready);
    if (goes_on)
        old = TRACK(older_of)(at.team, at.settings, at.path, at.vectors);
    gpu_previous_done();
    gpu_next_may_begin();
    if (goes_on) {
        const track_path *path = at.path;
        if (job.late) {
            copy_words(at.team, &at.path->terms, &deck->paths[at.slot].terms, sizeof(track_terms));
            gpu_sync_warp();
        }
        int32_t left = before;
        int plain = PLAIN_NOT;
        if (ready.works && deck->info[at.place] == 0)
            plain = plain_decide(&at, &ready, view_of(deck->x, job.settings.unknowns, 3, at.place));
        if (plain != PLAIN_DONE)
            left = decide(&job, &at, &old, plain == PLAIN_PREDICT ? (int32_t)TRACK_DO_PREDICT : before);
        stop_late(&job, &at);
        if (job.log && path->shown.accepted && (left == TRACK_DO_NOTHING || path->verdict.state == TRACK_DONE))
            log_step(&job, &at);
        if (path->verdict.state == TRACK_DONE) {
            put_result(&job, &at);
            is_free = 1;
        } else {
            if (left == TRACK_DO_NOTHING)
                put_trial(&job, &at, deck->entry[at.slot]);
            copy_words(at.team, deck->paths + at.slot, path, sizeof(track_path));
            if (at.team.rank == 0 && left != before)
                deck->left[at.slot] = left;
            if (at.team.rank == 0 && left == TRACK_DO_NOTHING && path->precision.wants != PLUMB_LIMBS)
                let_wait(&job, &at);
        }
    }
    if (is_free && job.settings.least_prec == PLUMB_LIMBS && begin_path(&job, &at))
        copy_words(at.team, deck->paths + at.slot, at.path, sizeof(track_path));
}

static __global__ void __launch_bounds__(GPU_WARP, DECIDE_WARPS)
    NUM_NAME(track_decide)(const __grid_constant__ track_gpu_job job)
{
    decide_slot(job, 0);
}

/* Where all paths of a tick wait for the slowest decision, a short one of most of them gains nothing. A path alone, or two of them, gain. */
static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_decide_few)(const __grid_constant__ track_gpu_job job)
{
    decide_slot(job, 1);
}
enum { DECIDE_FEW = 2 };

/* Ends all paths where they are, after a request to stop. */
static __global__ void __launch_bounds__(GPU_WARP) NUM_NAME(track_stop)(const __grid_constant__ track_gpu_job job)
{
    gpu_previous_done();
    if (job.deck.entry[gpu_block()] < 0)
        return;
    const slot_at at = slot_of_block(&job);
    if (at.team.rank == 0)
        stop_path(at.path);
    gpu_sync_warp();
    put_result(&job, &at);
}

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

/* The number of paths from which long decisions are made in parts. A single path would only take more ticks. */
enum { PAUSE_FROM = 3 };

/* Each kernel starts while the previous one is still running, and waits where it needs the results of that kernel. */
static plumb_status launch(const void *kernel, const track_gpu_job *given, dim3 blocks, unsigned threads, size_t shared,
                           void *stream, char *message, size_t message_size)
{
    track_gpu_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error = gpu_launch(kernel, blocks, threads, shared, job.early, arguments, stream);
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
extern "C" plumb_status NUM_NAME(plumb_cuda_track)(int32_t what, const track_gpu_job *given, int64_t slots,
                                                   void *stream, char *message, size_t message_size)
{
    const unsigned count = (unsigned)slots;
    track_gpu_job pausing = *given, *job = &pausing;
    pausing.pauses = slots >= PAUSE_FROM;
    switch (what) {
    case TRACK_RUN_ARCS:
        return launch((const void *)NUM_NAME(track_arcs), job, dim3(count), GPU_WARP, 0, stream, message, message_size);
    case TRACK_RUN_MODULI:
        return launch((const void *)NUM_NAME(track_moduli), job, dim3(count), GPU_WARP, 0, stream, message,
                      message_size);
    case TRACK_RUN_COMBINE:
        return launch((const void *)NUM_NAME(track_combine), job, dim3(combine_blocks(job, slots), count),
                      COMBINE_THREADS, 0, stream, message, message_size);
#if PLUMB_LIMBS <= TRACK_ELIMINATED_LIMBS
    case TRACK_RUN_ELIMINATE:
        return launch((const void *)NUM_NAME(track_eliminate), job, dim3(count), GPU_WARP,
                      (size_t)(TRACK_ELIMINATE_ROOM + TRACK_ELIMINATE_DOUBLES(job->settings.unknowns, PLUMB_LIMBS)) *
                          sizeof(double),
                      stream, message, message_size);
#endif
    case TRACK_RUN_DECIDE: {
        const bool shortly =
            slots <= DECIDE_FEW && job->settings.unknowns <= GPU_WARP && !job->log && job->most_nanoseconds <= 0;
        return launch(shortly ? (const void *)NUM_NAME(track_decide_few) : (const void *)NUM_NAME(track_decide), job,
                      dim3(count), GPU_WARP, sizeof(warp_room), stream, message, message_size);
    }
    default:
        return launch((const void *)NUM_NAME(track_stop), job, dim3(count), GPU_WARP, sizeof(warp_room), stream,
                      message, message_size);
    }
}
