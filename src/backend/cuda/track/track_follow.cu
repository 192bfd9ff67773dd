/* track_follow.cu - follows the paths of a deck: a warp per slot, or a few of them, takes the steps of a tick, one after the other, for
 * many ticks.
 *
 * The steps are those of the kernels of a tick, and so are their bits: evaluation (eval/many.h), elimination (eliminate.h)
 * and the decision (slot.h). All data of a path are in shared memory while it is followed; the
 * program of the system is read from global memory, and stays in the first-level cache. A slot whose path is done takes the next one
 * from the queue; a path that needs another precision waits in its slot.
 *
 * A block has all paths of a multiprocessor, and takes each step for all of them before the next one: the code of a tick is larger
 * than the instruction caches, and with every path at a step of its own each step took two to three times as long. Most decisions are
 * short (plain.h). A path with a longer one leaves the others, who go on without it, and joins them when it is made.
 *
 * All warps of a path evaluate. The first one eliminates and decides. The numbers of warps and of paths
 * per block do not change any bit. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS < 4
#include "backend/cuda/track/slot.h"

#include <stdio.h>

#include "backend/cuda/eval/many.h"
#include "backend/cuda/runtime/launch.h"
#include "backend/cuda/track/eliminate.h"
#include "backend/cuda/track/follow.h"
#include "backend/cuda/track/plain.h"

typedef struct follow_room {
    track_path path;
    track_settings settings;
    track_gpu_job job; /* whose deck has the arrays of the block */
    eval_gpu_job system, magnitudes, moved;
    int32_t is_moved;       /* coefficients whose parameters are on arcs are those of the trial point */
    int32_t works, goes_on; /* the slot is this deck's to follow; it has a path that goes on */
    int32_t plain;          /* how the decision of this tick ended (plain.h) */
    int32_t stays;          /* the path takes the next tick with the others */
    uint32_t members;       /* the paths that take the next steps together */
    plumb_info info;        /* of the last linear system */
    int64_t directed;       /* the path whose directions there are, or -1 */
    int64_t since;          /* the cycle at which a step began, for timings */
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

/* ---- Paths that take steps together ----------------------------------------------------------------------------------- */

/* Their warps meet at a barrier after each step. At the end of a tick those with a long decision leave, and those that have made theirs join:
 * the path with the lowest number, the leader, takes in those that had asked for it before the barrier. If all have left, the first one
 * that wants to join begins anew. Paths are numbered in bits. */
typedef struct follow_group {
    int32_t asking;                /* paths that want to join */
    int32_t joining;               /* those that the leader takes in at this barrier */
    int32_t vacant;                /* 1: all have left */
    int32_t is_over;               /* 1: a path has taken the last tick of the launch */
    int32_t leaves[FOLLOW_MOST];   /* by path, at this barrier */
    int32_t accepted[FOLLOW_MOST]; /* of paths that have asked: the members, once they have joined */
} follow_group;
static_assert(sizeof(follow_group) <= FOLLOW_GROUP_DOUBLES * 8, "the host leaves room for it");

/* Flags in shared memory between the warps of a block. */
GPU_FN int32_t gpu_peek(const int32_t *flag)
{
    return *(const volatile int32_t *)flag;
}
GPU_FN void gpu_poke(int32_t *flag, int32_t value)
{
    *(volatile int32_t *)flag = value;
}

GPU_FN follow_group *group_of(const follower *f)
{
    return (follow_group *)(void *)(gpu_shared() + f->given->paths * f->given->share);
}

GPU_FN void group_sync(const follower *f, uint32_t members)
{
    int count = 0;
    for (int k = 0; k < FOLLOW_MOST; k++)
        count += (int)(members >> k & 1);
    gpu_sync_some(FOLLOW_BARRIER, count * f->threads);
}

/* Tells paths which the members are. */
GPU_FN void group_accept(follow_group *group, uint32_t joining, uint32_t members)
{
    for (int k = 0; k < FOLLOW_MOST; k++)
        if (joining >> k & 1)
            gpu_poke(&group->accepted[k], (int32_t)members);
    if (members == 0)
        gpu_fetch_add(&group->vacant, 1);
}

/* Takes the paths out of the list of those that ask. */
GPU_FN uint32_t group_asking(follow_group *group)
{
    const int32_t asking = gpu_peek(&group->asking);
    if (asking)
        gpu_fetch_add(&group->asking, -asking);
    return (uint32_t)asking;
}

/* The end of a tick: all members call. Returns those of the next one. */
GPU_FN uint32_t group_meet(const follower *f, uint32_t members, int leaves)
{
    follow_group *group = group_of(f);
    const int leads = f->thread == 0 && (members & (0u - members)) == 1u << f->team.number;
    if (f->thread == 0)
        group->leaves[f->team.number] = leaves;
    if (leads)
        group->joining = (int32_t)group_asking(group);
    group_sync(f, members);
    const uint32_t joining = (uint32_t)group->joining;
    uint32_t next = members | joining;
    for (int k = 0; k < f->given->paths; k++)
        if ((members >> k & 1) && group->leaves[k])
            next &= ~(1u << k);
    if (leads)
        group_accept(group, joining, next);
    group_sync(f, members); /* those who leave have read it all */
    return next;
}

/* A path that has left joins again, as soon as the others let it. */
GPU_FN uint32_t group_join(const follower *f)
{
    follow_group *group = group_of(f);
    const int number = f->team.number;
    if (f->thread == 0) {
        gpu_poke(&group->accepted[number], 0);
        gpu_fetch_add(&group->asking, 1 << number);
        while (!gpu_peek(&group->accepted[number])) {
            if (gpu_peek(&group->vacant) > 0) {
                if (gpu_fetch_add(&group->vacant, -1) > 0) {
                    const uint32_t all = group_asking(group);
                    group_accept(group, all, all);
                    continue;
                }
                gpu_fetch_add(&group->vacant, 1);
            }
            gpu_pause();
        }
        f->room->members = (uint32_t)gpu_peek(&group->accepted[number]);
    }
    f->team.sync();
    return f->room->members;
}

/* ---- The arrays of a path ---------------------------------------------------------------------------------------------- */

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
    deck->x = deck->kept = f->array(FOLLOW_X); /* no other step writes there while an action is left */
    deck->scale = f->array(FOLLOW_SCALE);
    deck->sizes = f->array(FOLLOW_SIZES);
    deck->moduli = f->array(FOLLOW_MODULI);
    deck->points = f->array(FOLLOW_POINT);
    deck->info = &f->room->info;
    f->room->job.pauses = 0;

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
    const int64_t parameters = 2 * given->job.arcs.points;
    eval_gpu_job *moved = &f->room->moved;
    *moved = eval_gpu_job();
    moved->program = given->moved;
    moved->points = follow_array(f->array(FOLLOW_PARAMETERS), parameters, parameters);
    moved->values = follow_array(deck->points + n, width, width);
    moved->jacobians = nothing;
    moved->batch = 1;
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

/* Where it moves to, a tick may begin with what the trial point is evaluated from. */
GPU_FN void put_into_slot(const follower *f)
{
    const track_gpu_deck *deck = &f->given->job.deck;
    const int64_t doubles = track_vector_doubles(f->n, PLUMB_LIMBS), slot = f->at.slot, width = f->given->job.width,
                  points = f->given->job.moving > 0 ? 2 * PLUMB_LIMBS * width : 0;
    copy_doubles(f, deck->moduli + slot * width, f->array(FOLLOW_MODULI), width);
    copy_doubles(f, deck->points + slot * points, f->array(FOLLOW_POINT), points);
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

GPU_FN track_team whole_team(const follower *f)
{
    track_team team;
    team.rank = f->thread;
    team.size = f->threads;
    team.board = nullptr;
    return team;
}

/* Puts parameters on arcs where the coefficients are computed from, or in the place of these. */
GPU_CALL void move_on_arc(const follower *f)
{
    const track_gpu_job *job = &f->given->job;
    const int64_t parameters = 2 * job->arcs.points;
    track_view to;
    to.p = f->given->moved.slots > 0 ? f->array(FOLLOW_PARAMETERS) : f->array(FOLLOW_POINT) + f->n;
    to.plane = to.col = f->given->moved.slots > 0 ? parameters : job->width;
    put_arc(whole_team(f), job, f->at.path, job->deck.entry[f->at.slot], to);
    f->team.sync();
}

/* What follows when the coefficients are there. */
GPU_CALL void end_moving(const follower *f)
{
    f->team.sync();
    put_moduli(whole_team(f), &f->given->job, f->array(FOLLOW_POINT), f->array(FOLLOW_MODULI));
    if (f->thread == 0)
        f->room->is_moved = 1;
    f->team.sync();
}

/* Values and Jacobian, and in the first tick of a trial the sizes of the terms; before them coefficients whose parameters are on arcs, in
 * a round of their own, so that there is one copy of the code. */
GPU_FN void evaluate_all(const follower *f)
{
    const int first = f->room->path.corrector.corrections == 0,
              moves = f->given->job.arcs.points > 0 && (first || !f->room->is_moved);
    if (moves)
        move_on_arc(f);
    int computes = moves && f->given->moved.slots > 0;
    if (moves && !computes)
        end_moving(f);
    GPU_ROLLED
    for (;; computes = 0) {
        if (!computes && first) {
            evaluate<many_doubles>(f, &f->room->magnitudes);
            f->team.sync();
        }
        double *jacobians = f->array(FOLLOW_JACOBIANS); /* derivatives that are identically zero have no sums */
        for (int64_t k = f->thread; !computes && k < 4 * PLUMB_LIMBS * f->m * f->n; k += f->threads)
            jacobians[k] = 0.0;
        evaluate<many_numbers>(f, computes ? &f->room->moved : &f->room->system);
        if (!computes)
            return;
        end_moving(f);
    }
}

/* Decides about a path that is on the way, by its first warp. Returns 0 if the general decision has to be made. */
GPU_FN int decide_shortly(const follower *f)
{
    const track_gpu_job *job = &f->room->job;
    int plain = PLAIN_NOT;
    if (f->room->info == 0 && f->n <= GPU_WARP && job->most_nanoseconds <= 0 && !job->log)
        plain = decide_plainly(&f->at, view_of(job->deck.x, f->n, 3, 0));
    if (plain == PLAIN_DONE)
        put_trial(job, &f->at, job->moving > 0 ? job->deck.entry[f->at.slot] : 0);
    if (f->thread == 0)
        f->room->plain = plain;
    return plain == PLAIN_DONE;
}

/* Corrects the path and decides, by its first warp; returns whether the slot goes on. */
GPU_CALL int decide_all(const follower *f)
{
    const track_gpu_job *job = &f->room->job;
    const slot_at *at = &f->at;
    const track_view x = view_of(job->deck.x, f->n, 3, 0);
    gpu_sync_warp();
    const TRACK(older) old = TRACK(older_of)(at->team, at->settings, at->path, at->vectors);
    if (f->room->plain == PLAIN_PREDICT)
        TRACK(act)(at->team, at->settings, at->path, at->vectors, x, &old, TRACK_DO_PREDICT, 0);
    else
        decide(job, at, &old, TRACK_DO_NOTHING);
    gpu_sync_warp();
    stop_late(job, at);
    if (job->log && at->path->shown.accepted)
        log_step(job, at);
    if (at->path->verdict.state == TRACK_DONE) {
        put_result(job, at);
        return at->settings->least_prec == PLUMB_LIMBS && begin_path(job, at);
    }
    put_trial(job, at, job->moving > 0 ? job->deck.entry[at->slot] : 0);
    const int waits = at->path->precision.wants != PLUMB_LIMBS;
    if (waits && at->team.rank == 0)
        let_wait(job, at);
    return !waits;
}

/* That of the row of a thread, which stays as long as the path. */
GPU_FN track_c direction_of(const follower *f)
{
    const int i = eliminate_own((int)f->n);
    track_c *all = (track_c *)(void *)f->array(FOLLOW_DIRECTIONS);
    if (f->room->directed != f->at.path->number) {
        gpu_sync_warp();
        if (i < f->n)
            all[i] = track_direction(f->at.settings->seed, f->at.path->number, i);
        if (f->thread == 0)
            f->room->directed = f->at.path->number;
        gpu_sync_warp();
    }
    return all[i < f->n ? i : 0];
}

/* Combines the linear system and solves it, by the first warp. */
GPU_FN void solve(const follower *f)
{
    const track_gpu_deck *deck = &f->room->job.deck;
    eliminate_job work;
    work.settings = f->at.settings;
    work.path = f->at.path;
    work.of = TRACK(shares_at)(work.settings, work.path);
    work.direction = direction_of(f);
    work.values = view_of(deck->values, 2 * f->n, 1, 0);
    work.jacobians = view_of(deck->jacobians, 2 * f->n, f->n, 0);
    work.sizes = deck->sizes;
    work.scale = deck->scale;
    work.x = view_of(deck->x, f->n, 3, 0);
    work.dependent = f->given->job.dependent;
    work.rows = f->array(FOLLOW_ROWS);
    const int failed = eliminate(&work);
    if (f->thread == 0)
        f->room->info = failed;
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
        f->room->is_moved = 0;
        f->room->directed = -1;
    }
}

/* The paths of the block that go on, when all have come. */
GPU_FN uint32_t first_members(const follower *f)
{
    uint32_t members = 0;
    follow_group *group = group_of(f);
    for (int k = 0; k < f->given->paths; k++)
        members |= (uint32_t)((const follow_room *)(const void *)(gpu_shared() + k * f->given->share +
                                                                  f->given->at[FOLLOW_ROOM]))
                       ->goes_on
                   << k;
    if (gpu_thread() == 0)
        group->asking = group->joining = group->vacant = group->is_over = 0;
    return members;
}

GPU_FN int64_t *given_clocks(const follower *f)
{
    return f->given->clocks && gpu_thread() == 0 ? f->given->clocks + gpu_block() * FOLLOW_CLOCKS : nullptr;
}
/* Notes that a step has ended; without one, that a tick begins. */
GPU_FN void note_cycles(const follower *f, int step)
{
    int64_t *to = given_clocks(f);
    if (!to)
        return;
    const int64_t now = gpu_cycles();
    to[step] += step > 0 ? now - f->room->since : 1;
    f->room->since = now;
}

/* Takes ticks together with the other paths of the block. All threads of a path have to agree whether this is its last tick, so the first one
 * decides that. */
GPU_FN void follow_together(const follower *f, uint32_t members)
{
    follow_group *group = group_of(f);
    GPU_ROLLED
    for (int tick = 1;; tick++) {
        note_cycles(f, 0);
        evaluate_all(f);
        group_sync(f, members);
        note_cycles(f, 1);
        if (f->warp == 0)
            solve(f);
        group_sync(f, members);
        note_cycles(f, 2);
        if (f->warp == 0) {
            const int is_short = decide_shortly(f);
            if (f->thread == 0) {
                if (tick >= f->given->ticks)
                    gpu_poke(&group->is_over, 1);
                f->room->stays = is_short && !gpu_peek(&group->is_over);
                f->room->goes_on = is_short;
            }
        }
        f->team.sync();
        const int stays = f->room->stays, is_short = f->room->goes_on;
        members = group_meet(f, members, !stays);
        note_cycles(f, 3);
        if (stays)
            continue;
        if (is_short)
            return;
        if (given_clocks(f))
            given_clocks(f)[f->at.path->course.zone ? 5 : f->at.path->trial.phase != TRACK_STEPS ? 6 : 7]++;
        if (f->warp == 0) {
            const int goes_on = decide_all(f);
            if (f->thread == 0)
                f->room->stays = goes_on && !gpu_peek(&group->is_over) && tick < f->given->ticks;
        }
        f->team.sync();
        if (!f->room->stays)
            return;
        members = group_join(f);
        note_cycles(f, 4);
    }
}

GPU_FN void follow(const track_follow_job *given)
{
    follower f;
    locate(given, &f);
    come(&f);
    gpu_sync();
    const uint32_t members = first_members(&f);
    gpu_sync();
    if (f.room->goes_on)
        follow_together(&f, members);
    if (f.room->works && given->job.deck.entry[f.at.slot] >= 0)
        put_into_slot(&f);
}

/* ---- Launches ------------------------------------------------------------------------------------------------------ */

#define FOLLOW_ROOM_PREC (PLUMB_LIMBS == 1 ? FOLLOW_ROOM_D : FOLLOW_ROOM_DD)
static __global__ void __launch_bounds__(FOLLOW_ROOM_PREC *GPU_WARP, 1)
    NUM_NAME(track_follow)(const __grid_constant__ track_follow_job job)
{
    follow(&job);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_track_follow)(const track_follow_job *given, const track_follow_launch *how,
                                                          void *stream, char *message, size_t message_size)
{
    track_follow_job job = *given;
    void *arguments[] = {&job};
    const void *kernel = (const void *)NUM_NAME(track_follow);
    /* As much as there is: another thread may launch the kernel with other sizes at the same time. */
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)how->most);
    if (error == cudaSuccess)
        error =
            gpu_launch(kernel, dim3((unsigned)how->blocks), (unsigned)how->threads, how->shared, 0, arguments, stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of following paths failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
#endif
