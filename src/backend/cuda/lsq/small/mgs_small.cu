/* mgs_small.cu - least squares for a small system in one launch: a cluster of blocks a problem, its columns in shared memory.
 *
 * Column j belongs to block j % cluster, and there to team (j / cluster) % teams. Nobody waits for all others: the team that has
 * brought column k + 1 up to date sends it to every block of the cluster (to a slot of shared memory, where a barrier counts
 * the bytes); the others, who have gone on with their own columns meanwhile, take it from there. So the chain of dependences
 * is one column long in each step: multiply, add up, remove, send. In d and dd every team adds up the square norm of column
 * k for itself, beside its own product; in qd, where that is dear, the team that sent the column sends the inverse after it.
 *
 * Slots: a block sends a column at least every `cluster` steps, having taken all columns before it, and its teams meet at the
 * end of each step; so when column k + 1 is sent nobody reads a column before k - cluster any more, and cluster + 2 slots are
 * enough. Where there is no room for so many, the cluster meets every slots - 2 steps. A cluster of one block reads the columns
 * where they are. */
#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/small/small.h"

#if __CUDA_ARCH__ >= 900 || defined(PLUMB_EMULATED_GPU)

#include "backend/cuda/lsq/small/ends.h"
#include "backend/cuda/lsq/small/send.h"

/* Where this thread's part of c_kj stays, or NULL: worked out before there is anything to wait for. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ double *small<TEAM, SHARE, CLUSTER>::coefficient_place(int k, int j) const
{
    return kept ? kept + ((SMALL_COEFFICIENTS(cols, j) + k) * PARTS + mates.lane) * LIMBS : nullptr;
}

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::store_coefficient(int k, int j, int local, double *to,
                                                                               real value)
{
    if (mates.lane >= PARTS)
        return;
    double v[LIMBS];
    limbs_of_real(v, value);
    LANE_UNROLL
    for (int q = 0; to && q < LIMBS; q++)
        if (CLUSTER)
            gpu_store_remote(leader, to + q, v[q]);
        else
            to[q] = v[q];
    if (c)
        real_store(c + (int64_t)j * cols + k, c_plane, value, 1);
#if PLUMB_LIMBS == 4
    if (CLUSTER && origin.along)
        limbs_of_real(origin_coefficient(this, k, local) + mates.lane * LIMBS, value);
#endif
}

/* Step k for the local-th column of this block, j, and for those of the other teams of the warp; then, what the others wait
 * for comes first, the column if it is the next one, and last what only the end of it all needs. The whole warp calls. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::remove(int k, int slot, int parity, int next_slot,
                                                                    const double *pivot, int size, double bound, int j,
                                                                    int local)
{
    int active = j > k && j < all, next = j == k + 1 && k + 1 < cols, depends = 0;
    double *column = column_at(active ? local : 0), *place = coefficient_place(k, j);
    real value, square = real_set(0.0);
    read_rows<SHARE> rows;
#if PLUMB_LIMBS == 4
    level_sum sums =
        column_dot_levels<TEAM, SHARE>(mates.lane, share, pivot, column, &rows, grid_of(sum_top(size, 0, used), used));
    real total = levels_value(team_sum<PARTS>(&mates, sums));
    gpu_barrier_wait(inverse_ready + slot, parity);
    value = real_mul(total, real_of_limbs(pivot + inverse_at()));
    (void)bound;
#else
    real_acc sum, squares;
    column_dots<TEAM, SHARE>(mates.lane, share, pivot, column, &rows, &sum, &squares);
    slices sums = slices_of(sum, sum_top(size, 0, used));
    slices square_sums = slices_of(squares, sum_top(size, (size >> 20) - 1022, used));
    team_sums(&mates, &sums, &square_sums);
    square = slices_value(square_sums);
    depends = !(real_head(square) > bound);
    value = real_select(!depends, real_mul(slices_value(sums), inverse_of(square)), real_set(0.0));
#endif
    real other = PARTS == 2 ? real_of_neighbour(value) : value;
    gpu_shuffles_order(); /* what is written hangs on what neighbours have read */
    if (active)
        column_remove<TEAM, SHARE>(mates.lane, share, pivot, column, &rows, value, other);
    if (next && others_send())
        gpu_send_ready();
    gpu_sync_warp();
    if (teams_a_warp == 1 ? next : gpu_any(next))
        publish(k + 1, next_slot, next ? local : 0, next);
    if (active)
        store_coefficient(k, j, local, place, value);
    if (!sends_inverse && j == k + 1)
        note_square(k, square, depends);
}

/* Step k for all columns of this team that come after, nearest first; *local: the first one of the warp that does. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::take(int k, int slot, int parity, int next_slot,
                                                                  int *local)
{
    if (number(*local) >= all)
        return;
    const double *pivot = CLUSTER ? received + slot * step : column_at(slot);
    double bound = pivot[tail() + 1];
    int size = 0;
    if (LIMBS > 1) {
        LANE_UNROLL
        for (int i = 0; i < mates.warps; i++) {
            int other = (int)pivot[tail() + 2 * i];
            size = other > size ? other : size;
        }
    }
    for (int at = *local; number(at) < all; at += teams)
        remove(k, slot, parity, next_slot, pivot, size, bound, number(at + own - first), at + own - first);
    if (number(*local + teams_a_warp - 1) <= k + 1)
        *local += teams;
}

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::announce(int slot)
{
    gpu_barrier_expect(column_ready + slot, column_bytes());
    if (sends_inverse)
        gpu_barrier_expect(inverse_ready + slot, 32);
}

/* What comes along with the columns in step k, see mgs_small_origin.h: with column k - 1, whose slot is the one before. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::follow(int k, int slot, int parity)
{
#if PLUMB_LIMBS == 4
    if (CLUSTER && origin.along)
        origin_follow(this, k - 1, slot == 0 ? slots - 1 : slot - 1, parity ^ (slot == 0));
#else
    (void)k, (void)slot, (void)parity;
#endif
}

template <int TEAM, int SHARE, bool CLUSTER> __device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::meet(void)
{
    if (CLUSTER)
        gpu_cluster_sync();
    else
        gpu_sync();
}

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::run(const mgs_gpu_job *job, const small_shape *shape)
{
    place(job, shape);
    if (gpu_thread() == 0) {
        *outcome = 0;
        for (int k = 0; k < slots; k++) {
            gpu_barrier_init(column_ready + k, CLUSTER ? 1 : mates.warps * gpu_arrivals(GPU_WARP / teams_a_warp));
            gpu_barrier_init(inverse_ready + k, 1);
        }
        if (others_send())
            gpu_barrier_init(column_written, mates.warps * gpu_arrivals(GPU_WARP));
#if PLUMB_LIMBS == 4
        origin_prepare(this);
#endif
        gpu_barrier_init_done();
        for (int k = 0; CLUSTER && k < slots; k++) {
            announce(k);
#if PLUMB_LIMBS == 4
            if (origin.along)
                origin_announce(this, k);
#endif
        }
    }
#if PLUMB_LIMBS == 4
    origin_begin(this);
#endif
    gpu_sync();
    load(job);
    meet();
    if (rank == 0 && first == 0)
        publish(0, 0, 0, own == 0);
    else if (rank == 0 && others_send())
        send_for(0, 0, 0);
    int local = first, slot = 0, parity = 0, since = 0;
    int next_rank = cluster > 1, next_local = cluster == 1,
        next_team = teams > 1 ? next_local : 0; /* of column k + 1 */
    if (number(first + teams_a_warp - 1) <= 0)
        local += teams;
    for (int k = 0; k < cols; k++) {
        int next_slot = slot + 1 == slots ? 0 : slot + 1;
        gpu_barrier_wait(column_ready + slot, parity);
        if (others_send() && rank == next_rank && own != next_team && k + 1 < cols)
            send_for(next_team, next_local, next_slot);
        take(k, slot, parity, next_slot, &local);
        follow(k, slot, parity);
        if (CLUSTER) {
            if (sends_inverse && gpu_thread() < GPU_WARP)
                gpu_barrier_wait(inverse_ready + slot, parity);
            if (gpu_thread() == 0)
                announce(slot);
            if (slots < cluster + 2 && ++since >= slots - 2) {
                since = 0;
                gpu_cluster_sync();
            } else
                gpu_sync();
        }
        if (others_send() && ++next_rank == cluster) {
            next_rank = 0, next_local++;
            next_team = next_team + 1 == teams ? 0 : next_team + 1;
        }
        slot = next_slot;
        parity ^= slot == 0;
    }
    follow(cols, slot, parity);
    leave(job);
    gpu_sync();
    if (gpu_thread() == 0)
        *job_flag(job, problem, rank) = *outcome;
    meet();
    if (rank == 0)
        small_solve(job, problem, cluster, gpu_shared(), kept, origin.along ? origin.found : nullptr);
}

#else
template <int TEAM, int SHARE, bool CLUSTER> struct small {
    __device__ void run(const mgs_gpu_job *, const small_shape *)
    {
    }
};
#endif

#if PLUMB_PARTS == 1
#define SMALL_KERNELS SMALL_KERNELS_REAL
#else
#define SMALL_KERNELS REAL_JOIN(SMALL_KERNELS_, PLUMB_LIMBS)
#endif

#define SMALL_KERNEL(team, share, cluster)                                                                   \
    static __global__ void __launch_bounds__(SMALL_THREADS(PLUMB_LIMBS), 1)                                  \
        small_##team##_##share##_##cluster(const __grid_constant__ mgs_gpu_job job, const small_shape shape) \
    {                                                                                                        \
        small<team, share, cluster> work;                                                                    \
        work.run(&job, &shape);                                                                              \
    }
SMALL_KERNELS(SMALL_KERNEL)

static const struct small_entry {
    int32_t team, share;
    bool cluster;
    const void *kernel;
} entries[] = {
#define SMALL_ENTRY(team, share, cluster) {team, share, cluster != 0, (const void *)small_##team##_##share##_##cluster},
    SMALL_KERNELS(SMALL_ENTRY)};

static const void *kernel_for(const mgs_plan *plan)
{
    const void *any = nullptr;
    for (const small_entry &e : entries)
        if (e.team == plan->team && e.cluster == (plan->cluster > 1)) {
            if (e.share == plan->share)
                return e.kernel;
            if (e.share == 0)
                any = e.kernel;
        }
    return any;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_small)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    small_shape shape = {plan->cluster, plan->share, plan->slots, plan->keep, plan->along};
    mgs_gpu_job value = *job;
    void *arguments[] = {&value, &shape};
    cudaError_t error = mgs_prepare(entries);
    if (error == cudaSuccess)
        error = mgs_launch(kernel_for(plan), plan, job->batch, arguments, stream);
    return mgs_say(error, message, message_size);
}
