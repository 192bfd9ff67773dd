/* track_follow.cu - follows the paths of a deck: a warp per slot, or a few of them, takes the steps of a tick, one after the other, for
 * many ticks.
 *
 * The steps are those of the kernels of a tick, and so are their bits: evaluation (eval/many.h), combination, least squares by one warp
 * (lsq/registers/in_registers.h) and the decision (slot.h). All data of a path are in shared memory while it is followed; the
 * program of the system is read from global memory, and stays in the first-level cache. A slot whose path is done takes the next one
 * from the queue; a path that needs another precision waits in its slot.
 *
 * A block has all paths of a multiprocessor, and takes each step for all of them before the next one: the code of a tick is larger
 * than the instruction caches, and with every path at a step of its own each step took two to three times as long.
 *
 * All warps of a path evaluate and combine. Least squares and decisions are made by the first one. The numbers of warps and of paths
 * per block do not change any bit. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS < 4
#include "backend/cuda/track/slot.h"

#include <stdio.h>

#include "backend/cuda/eval/many.h"
#include "backend/cuda/lsq/launch.h"
#define REGISTERS_INSIDE true
#include "backend/cuda/lsq/registers/in_registers.h"
#include "backend/cuda/runtime/launch.h"
#include "backend/cuda/track/follow.h"

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__) || defined(PLUMB_EMULATED_GPU)

typedef struct follow_room {
    track_path path;
    track_settings settings;
    track_gpu_job job; /* whose deck has the arrays of the block */
    mgs_gpu_job solve;
    eval_gpu_job system, magnitudes;
    int32_t works, goes_on; /* the slot is this deck's to follow; it has a path that goes on */
    int32_t left;           /* the action that is left for the next tick, with the same solution, or TRACK_DO_NOTHING */
} follow_room;
static_assert(sizeof(follow_room) <= FOLLOW_ROOM_DOUBLES * 8, "the host leaves room for it");

/* The warps of a path. */
struct follow_team {
    int number, warps; /* of the path in the block; of a path */

    __device__ __forceinline__ void sync(void) const
    {
        if (warps == 1)
            gpu_sync_warp();
        else
            gpu_sync_some(1 + number, warps * GPU_WARP);
    }
};

typedef struct follower {
    const track_follow_job *given;
    follow_room *room;
    double *shared; /* of the path */
    slot_at at;
    int64_t m, n;
    follow_team team;
    int warp, thread, threads; /* of the path */

    __device__ __forceinline__ double *array(int which) const
    {
        return shared + given->at[which];
    }
} follower;

GPU_FN mgs_gpu_array follow_array(double *data, int64_t plane, int64_t col)
{
    mgs_gpu_array a;
    a.data = data;
    a.plane = plane;
    a.col = col;
    a.next = 0;
    return a;
}

/* Writes where everything is; by one thread. */
GPU_FN void describe(const follower *f)
{
    const track_follow_job *given = f->given;
    const int64_t m = f->m, n = f->n, width = given->job.width;
    const mgs_gpu_array nothing = follow_array(nullptr, 0, 0);
    track_gpu_deck *deck = &f->room->job.deck;
    deck->values = f->array(FOLLOW_VALUES);
    deck->jacobians = f->array(FOLLOW_JACOBIANS);
    deck->a = f->array(FOLLOW_A);
    deck->b = f->array(FOLLOW_B);
    deck->x = deck->kept = f->array(FOLLOW_X); /* no other step writes there while an action is left */
    deck->scale = f->array(FOLLOW_SCALE);
    deck->sizes = f->array(FOLLOW_SIZES);
    deck->moduli = f->array(FOLLOW_MODULI);
    deck->points = f->array(FOLLOW_POINT);
    f->room->job.pauses = 0;

    mgs_gpu_job *solve = &f->room->solve;
    *solve = mgs_gpu_job();
    solve->a = follow_array(deck->a, m * n, m);
    solve->b = follow_array(deck->b, 3 * m, m);
    solve->x = follow_array(deck->x, 3 * n, n);
    solve->info = given->job.deck.info;
    solve->rows = (int32_t)m;
    solve->cols = (int32_t)n;
    solve->all = (int32_t)n + 3;
    solve->batch = 1;
    solve->dependent = given->dependent;

    eval_gpu_job *system = &f->room->system, *magnitudes = &f->room->magnitudes;
    *system = eval_gpu_job();
    system->program = given->system;
    system->points = given->job.moving > 0 ? follow_array(deck->points, width, width)
                                           : follow_array(f->at.vectors.p + TRACK_X * n, n * TRACK_VECTORS, n);
    system->values = follow_array(deck->values, 2 * m, 2 * m);
    system->jacobians = follow_array(deck->jacobians, 2 * m * n, 2 * m);
    system->batch = 1;
    *magnitudes = eval_gpu_job();
    magnitudes->program = given->magnitudes;
    magnitudes->points = follow_array(deck->moduli, width, width);
    magnitudes->values = follow_array(deck->sizes, 2 * m, 2 * m);
    magnitudes->jacobians = nothing;
    magnitudes->batch = 1;
}

GPU_FN void copy_doubles(const follower *f, double *to, const double *from, int64_t count)
{
    for (int64_t k = f->thread; k < count; k += f->threads)
        to[k] = from[k];
}

/* The part of a path that moves from deck to deck with its scalars. */
GPU_FN void take_from_slot(const follower *f)
{
    const track_gpu_deck *deck = &f->given->job.deck;
    const int64_t doubles = track_vector_doubles(f->n, PLUMB_LIMBS), slot = f->at.slot;
    copy_doubles(f, f->at.vectors.p, deck->vectors + slot * doubles, doubles);
    copy_doubles(f, f->array(FOLLOW_SCALE), deck->scale + slot * f->m, f->m);
    if (f->warp == 0)
        copy_words(f->at.team, &f->room->path, deck->paths + slot, sizeof(track_path));
}

GPU_FN void put_into_slot(const follower *f)
{
    const track_gpu_deck *deck = &f->given->job.deck;
    const int64_t doubles = track_vector_doubles(f->n, PLUMB_LIMBS), slot = f->at.slot;
    copy_doubles(f, deck->vectors + slot * doubles, f->at.vectors.p, doubles);
    copy_doubles(f, deck->scale + slot * f->m, f->array(FOLLOW_SCALE), f->m);
    if (f->warp == 0)
        copy_words(f->at.team, deck->paths + slot, &f->room->path, sizeof(track_path));
}

template <class NUMBERS> GPU_FN void evaluate(const follower *f, const eval_gpu_job *job)
{
    const double constant[NUMBERS::planes] = {1.0};
    many_place<0, NUMBERS, follow_team> at;
    at.team = f->team;
    at.take(job, job->program.parts_at, f->array(FOLLOW_NUMBERS), f->thread, f->threads);
    at.go_to(0);
    if (f->thread == 0)
        at.put(0, NUMBERS::load(constant, 1));
    make_group(&at);
}

/* Values and Jacobian, and in the first tick of a trial the sizes of the terms. */
GPU_FN void evaluate_all(const follower *f)
{
    if (f->room->path.corrector.corrections == 0) {
        evaluate<many_doubles>(f, &f->room->magnitudes);
        f->team.sync();
    }
    double *jacobians = f->array(FOLLOW_JACOBIANS); /* derivatives that are identically zero have no sums */
    for (int64_t k = f->thread; k < 4 * PLUMB_LIMBS * f->m * f->n; k += f->threads)
        jacobians[k] = 0.0;
    evaluate<many_numbers>(f, &f->room->system);
}

GPU_FN void combine(const follower *f)
{
    const track_settings *s = f->at.settings;
    const int64_t m = f->m, n = f->n;
    const track_gpu_deck *deck = &f->room->job.deck;
    const TRACK(shares) of = TRACK(shares_at)(s, f->at.path);
    double *levels = deck->scale + m;
    for (int64_t i = f->thread; i < m; i += f->threads)
        levels[i] = track_level(s, TRACK(row_size)(s, f->at.path, &of, deck->sizes, deck->scale, i));
    f->team.sync();
    const int values_apart = f->team.warps > 1;
    if (f->warp > 0 || !values_apart) {
        track_team team;
        team.rank = f->thread - (values_apart ? GPU_WARP : 0);
        team.size = f->threads - (values_apart ? GPU_WARP : 0);
        team.board = nullptr;
        TRACK(combine_jacobians)
        (team, s, f->at.path, of, view_of(deck->jacobians, 2 * m, n, 0), deck->sizes, deck->scale, levels,
         view_of(deck->a, m, n, 0));
    }
    if (f->warp == 0)
        TRACK(combine_values)
    (f->at.team, s, f->at.path, of, view_of(deck->values, 2 * m, 1, 0), deck->sizes, deck->scale,
     view_of(deck->b, m, 3, 0));
}

/* Corrects the path and decides, by one warp; returns whether the slot goes on. A long decision is made in parts, because all paths of
 * the block wait for it, but not in the last tick. */
GPU_FN int decide_all(const follower *f, int is_last)
{
    const track_gpu_job *job = &f->room->job;
    const slot_at *at = &f->at;
    gpu_sync_warp();
    if (at->team.rank == 0)
        f->room->job.pauses = f->given->paths > 1 && !is_last;
    gpu_sync_warp();
    const TRACK(older) old = TRACK(older_of)(at->team, at->settings, at->path, at->vectors);
    const int32_t left = decide(job, at, &old, f->room->left);
    gpu_sync_warp();
    if (at->team.rank == 0)
        f->room->left = left;
    stop_late(job, at);
    if (job->log && at->path->shown.accepted && (left == TRACK_DO_NOTHING || at->path->verdict.state == TRACK_DONE))
        log_step(job, at);
    if (at->path->verdict.state == TRACK_DONE) {
        put_result(job, at);
        if (at->team.rank == 0)
            f->room->left = TRACK_DO_NOTHING;
        gpu_sync_warp();
        return at->settings->least_prec == PLUMB_LIMBS && begin_path(job, at);
    }
    if (left != TRACK_DO_NOTHING)
        return 1;
    put_trial(job, at, job->moving > 0 ? job->deck.entry[at->slot] : 0);
    const int waits = at->path->precision.wants != PLUMB_LIMBS;
    if (waits && at->team.rank == 0)
        let_wait(job, at);
    return !waits;
}

template <class SOLVER> GPU_FN void solve(const follower *f)
{
    SOLVER work;
    typename SOLVER::source columns;
    work.set_up(&f->room->solve, &f->given->shape, f->shared, (int)f->at.slot);
    work.prepare();
    if (work.take_columns(&f->room->solve, &columns))
        registers_solve(&work, &f->room->solve, 0, registers_failed(&work));
    gpu_sync_warp();
}

/* Where the path of these warps is. */
GPU_FN void locate(const track_follow_job *given, follower *f)
{
    const int warp = gpu_thread() / GPU_WARP;
    f->given = given;
    f->team.number = warp / given->warps;
    f->team.warps = given->warps;
    f->warp = warp % given->warps;
    f->threads = given->warps * GPU_WARP;
    f->thread = gpu_thread() - f->team.number * f->threads;
    f->shared = gpu_shared() + f->team.number * given->share;
    f->room = (follow_room *)(void *)f->array(FOLLOW_ROOM);
    f->m = given->job.settings.equations;
    f->n = given->job.settings.unknowns;
    f->at.team = this_warp((track_board *)(void *)f->shared);
    f->at.slot = gpu_block() + f->team.number * gpu_blocks();
    f->at.place = 0;
    f->at.vectors = view_of(f->array(FOLLOW_VECTORS), f->n, TRACK_VECTORS, 0);
    f->at.path = &f->room->path;
    f->at.settings = &f->room->settings;
}

/* Brings the path of the slot into shared memory, or takes one from the queue. */
GPU_FN void come(const follower *f)
{
    const track_gpu_deck *deck = &f->given->job.deck;
    const int own = track_deck_of(PLUMB_LIMBS);
    const int here = f->at.slot < f->given->slots, there = here && deck->entry[f->at.slot] >= 0,
              works = there ? deck->wants[f->at.slot] == own : here && f->given->job.settings.least_prec == PLUMB_LIMBS;
    f->team.sync(); /* the first thread may change them below */
    if (works && f->warp == 0) {
        copy_words(f->at.team, &f->room->settings, &f->given->job.settings, sizeof(track_settings));
        copy_words(f->at.team, &f->room->job, &f->given->job, sizeof(track_gpu_job));
        gpu_sync_warp();
        if (f->thread == 0)
            describe(f);
    }
    if (works && there)
        take_from_slot(f);
    f->team.sync();
    if (f->warp > 0)
        return;
    int goes_on = works;
    if (works && there)
        put_trial(&f->room->job, &f->at, deck->entry[f->at.slot]);
    else if (works)
        goes_on = begin_path(&f->room->job, &f->at);
    if (f->thread == 0) {
        f->room->goes_on = goes_on;
        f->room->works = works;
        f->room->left = TRACK_DO_NOTHING;
    }
}

/* Whether any path of the block goes on. */
GPU_FN int any_goes_on(const follower *f)
{
    int any = 0;
    for (int k = 0; k < f->given->paths; k++)
        any |= ((const follow_room *)(const void *)(gpu_shared() + k * f->given->share + f->given->at[FOLLOW_ROOM]))
                   ->goes_on;
    return any;
}

template <class SOLVER> GPU_FN void follow(const track_follow_job *given)
{
    follower f;
    locate(given, &f);
    come(&f);
    gpu_sync();
    GPU_ROLLED
    for (int tick = 0; tick < given->ticks && any_goes_on(&f); tick++) {
        const int goes_on = f.room->goes_on, solves = goes_on && f.room->left == TRACK_DO_NOTHING;
        if (solves)
            evaluate_all(&f);
        gpu_sync();
        if (solves)
            combine(&f);
        gpu_sync();
        if (solves && f.warp == 0)
            solve<SOLVER>(&f);
        gpu_sync();
        if (goes_on && f.warp == 0) {
            const int next = decide_all(&f, tick + 1 >= given->ticks);
            if (f.thread == 0)
                f.room->goes_on = next;
        }
        gpu_sync();
    }
    if (f.room->works && given->job.deck.entry[f.at.slot] >= 0)
        put_into_slot(&f);
}

#else
template <class SOLVER> GPU_FN void follow(const track_follow_job *)
{
}
#endif

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

#define FOLLOW_SOLVERS REAL_JOIN(FOLLOW_SOLVERS_, PLUMB_LIMBS)
#define FOLLOW_NAME(lanes, rows, columns) NUM_NAME(track_follow_##lanes##_##rows##_##columns)
#define FOLLOW_KERNEL(lanes, rows, columns, warps)                                                \
    static __global__ void __launch_bounds__(warps *GPU_WARP, 1)                                  \
        FOLLOW_NAME(lanes, rows, columns)(const __grid_constant__ track_follow_job job)           \
    {                                                                                             \
        follow<in_registers<lanes, rows, columns, GPU_WARP, false, 1, warps, true, false>>(&job); \
    }
FOLLOW_SOLVERS(FOLLOW_KERNEL)

static const struct follow_entry {
    int32_t lanes, rows, columns;
    bool cluster;
    const void *kernel;
} follow_entries[] = {
#define FOLLOW_ENTRY(lanes, rows, columns, warps) \
    {lanes, rows, columns, false, (const void *)FOLLOW_NAME(lanes, rows, columns)},
    FOLLOW_SOLVERS(FOLLOW_ENTRY)};

extern "C" plumb_status NUM_NAME(plumb_cuda_track_follow)(const track_follow_job *given, const track_follow_launch *how,
                                                          void *stream, char *message, size_t message_size)
{
    track_follow_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error = mgs_prepare(follow_entries);
    const void *kernel = nullptr;
    for (const follow_entry &e : follow_entries)
        if (e.lanes == how->team && e.rows == how->share && e.columns == how->columns)
            kernel = e.kernel;
    if (error == cudaSuccess)
        error = kernel ? gpu_launch(kernel, dim3((unsigned)how->blocks), (unsigned)how->threads, how->shared, 0,
                                    arguments, stream)
                       : cudaErrorInvalidDeviceFunction;
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of following paths failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
#endif
