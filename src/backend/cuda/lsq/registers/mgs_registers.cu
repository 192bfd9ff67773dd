/* mgs_registers.cu - least squares for a small system on one multiprocessor: a block a problem, its columns in registers.
 *
 * What a cluster pays for sending a column to other multiprocessors is more than the work it saves when the system is small. So
 * here one block has them all. LANES threads share a column, ROWS rows each, both parts of a number in one thread; groups of
 * threads lie side by side, thread l being of group l % groups, so that those that read the same row of the pivot are neighbours
 * (but for products of matrices, see mgs_registers_matrix.h).
 * A thread has a part of COLUMNS columns. Columns are dealt out one each to `turn` warps, again and again until these have all of
 * theirs, then to the next `turn` warps: what a warp has left to do when its column has become a pivot, another one with the next
 * column does not wait for; and early warps are done early, which counts where there are many problems. A column that is what it will
 * be goes to a place of its own in shared memory, and a barrier there says so: nobody waits for anybody but the warp that has
 * the next column.
 *
 * Few threads a column make few levels of sums over them; the square norm of the pivot is added up by everybody beside its own
 * products, or, where a whole warp has one column, by that warp after the column has gone, and its inverse follows. One pivot a
 * step: mgs_registers_take.h, two: mgs_registers_two.h. Back substitution: mgs_registers_back.h.
 *
 * Where that is too much work for one multiprocessor, a cluster of blocks shares the columns: those of `turn` warps of a block come
 * after those of as many of the block before. One more warp a block is its courier: it waits for each column of the block and
 * copies it to the others, so that the warp that made it can go on (mgs_registers_courier.h). Coefficients, square norms and
 * exponents go to block 0 when a warp has done its work.
 *
 * Columns take the places of earlier ones where there are fewer places than columns: everybody meets before they do. */
#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/registers/launch.h"

#if PLUMB_PARTS == 2 && PLUMB_LIMBS < 4

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)

#include "backend/cuda/lsq/registers/begin.h"
#include "backend/cuda/lsq/registers/courier.h"
#include "backend/cuda/lsq/registers/end.h"
#include "backend/cuda/lsq/registers/load.h"
#include "backend/cuda/lsq/registers/take.h"
#include "backend/cuda/lsq/registers/two.h"

/* Registers a thread of a block may have: warps come by fours, one to each quarter of a multiprocessor. */
constexpr int registers_of(int threads)
{
    return 65536 / ((threads + 127) / 128 * 128) < 255 ? 65536 / ((threads + 127) / 128 * 128) / 8 * 8 : 255;
}

/* How many rows of the pivots stay in registers from the products to the removal; the others are read again. */
constexpr int rows_held(int rows, int columns, int threads, int together)
{
    const int a_row = 4 * PLUMB_LIMBS, others = (PLUMB_LIMBS == 1 ? 50 : 70) + 6 * columns + 24 * (together - 1);
    const int left = (registers_of(threads) - others - a_row * rows * columns) / together;
    return left < 0 ? 0 : left / a_row < rows ? left / a_row : rows;
}

template <int LANES, int ROWS, int COLUMNS, int THREADS, bool CLUSTER, int TOGETHER> struct in_registers {
    static const int lanes = LANES, rows_each = ROWS, columns_each = COLUMNS;
    static const bool by_matrices = LIMBS == 1 && TOGETHER == 2 && LANES <= 2 * REGISTERS_QUAD;
    static const int groups = REGISTERS_GROUPS(LANES), spacing = by_matrices ? 1 : groups, height = LANES * ROWS,
                     a_warp = REGISTERS_A_WARP(LANES, COLUMNS);
    static const int together = TOGETHER; /* pivots a step */
    static const bool in_cluster = CLUSTER;
    static_assert(TOGETHER == 1 || (LANES < GPU_WARP && COLUMNS == 1), "both pivots must be in one slot of a warp");
    static const int held = rows_held(ROWS, COLUMNS, THREADS, together);
    static const int step = REGISTERS_STEP(LIMBS, LANES, ROWS), tail = step - 2, a_number = PARTS * LIMBS;
    /* Where a warp has one column, it has nothing to do once that is a pivot: then it adds up the square norm, and sends the inverse
     * after the column. */
    static const bool apart = LIMBS == 2 && CLUSTER && LANES == GPU_WARP && COLUMNS == 1;
    static const int sent = apart ? tail : step; /* doubles that go with the column */
    /* Chains of dependent additions in a product: more columns have enough of them, and in dd additions wait less for another. */
    static const int chains = LIMBS == 1 && ROWS > 1 && COLUMNS == 1 && together == 1 ? 2 : 1;

    int problem, cols, all, rows;
    int cluster, rank, turn;
    int warp, warps, lane, group, position; /* position of the thread in its group */
    int base, own_first;                    /* first column of the warp, of the thread */
    int next;                               /* the next one of the warp to become a pivot, or the first of two */
    int slots, first, parity;               /* places for columns; the column in the first one */
    int here, turn_here; /* where the pivots of this step are, in doubles, and the number of their barrier */
    double *pivots, *kept, *squares, *exponent, *outcomes;
    gpu_barrier *ready, *inverted, *delivered; /* inverted: for the inverses, where they come apart from the columns */
    int32_t *outcome, *out_of_range, *unfit;   /* what went wrong; whether a result leaves the range, an unknown */
    gpu_remote leader, there; /* block 0; the block so many turns away as the thread's number, if there is one */
    double *place[COLUMNS];   /* where the coefficients of each column begin */
    double least[COLUMNS];    /* the square norm of an independent column is larger */
    num own[COLUMNS][ROWS];

    /* The warp's columns, or pairs of them, lie `turn` columns or pairs apart. */
    __device__ __forceinline__ int column(int slot) const
    {
        return own_first + slot * groups * turn;
    }
    __device__ __forceinline__ int last_column(int slot) const
    {
        return base + ((slot + 1) * groups - together) * turn + together - 1;
    }
    __device__ __forceinline__ int block_of(int k) const
    {
        return CLUSTER ? k / (a_warp * turn) % cluster : 0;
    }
    __device__ __forceinline__ void meet(void)
    {
        gpu_sync_warp(); /* warps come as a whole */
        if constexpr (CLUSTER)
            gpu_cluster_sync();
        else
            gpu_sync();
    }

    /* A row in shared memory: pairs of doubles, all first pairs of a column before the second ones. */
    __device__ __forceinline__ num pivot_row(const double *pivot, int i) const
    {
        double v[a_number];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            pair p = *(const pair *)(pivot + 2 * (q * height + LANES * i + position));
            v[2 * q] = p.x, v[2 * q + 1] = p.y;
        }
        return num_of_limbs(v);
    }

    __device__ __forceinline__ void store_pairs(double *to, int apart, num a, int really) const
    {
        double v[a_number];
        num_store(v, 1, a, 1);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_put(to + 2 * q * apart, v[2 * q], v[2 * q + 1], really);
    }

    /* The barrier for column k, or for k and k + 1. */
    __device__ __forceinline__ gpu_barrier *ready_of(int k) const
    {
        return ready + (k - first) / together;
    }

    /* Column `next`, in this slot of the warp, is what it will be, and goes to this place with this barrier; of two, the second one
     * but for the first one's share. */
    template <int SLOT> __device__ __forceinline__ void publish(int to, int barrier)
    {
        const int which = column(SLOT) - next, mine = which >= 0 && which < together;
        double *at = pivots + to + (group % together) * step;
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            store_pairs(at + 2 * (LANES * i + position), height, own[SLOT][i], mine);
        if constexpr (!apart)
            gpu_put(at + tail, least[SLOT], 0.0, mine && position == 0);
        gpu_sync_warp();
        if (CLUSTER ? lane == 0 : gpu_arrives(lane))
            gpu_barrier_arrive(ready + barrier);
        if constexpr (apart)
            publish_inverse(at + tail, inverted + barrier);
    }

    /* The inverse of the square norm of the warp's column, 0 where it depends on others, to all blocks. */
    __device__ __forceinline__ void publish_inverse(double *at, gpu_barrier *barrier)
    {
        real_acc sum = rows_square<ROWS>(own[0]);
        group_sums<LANES, 1, spacing>(&sum);
        const real total = acc_total(sum);
        const int depends = !(real_head(total) > least[0]);
        double v[LIMBS];
        limbs_of_real(v, real_select(depends, real_set(0.0), inverse_near(total)));
        if (lane == 0) {
            gpu_put(at, v[0], v[LIMBS - 1], 1);
            gpu_barrier_arrive(barrier);
        } else if (lane < cluster)
            gpu_send(there, at, v[0], v[LIMBS - 1], barrier);
        if (lane == 0)
            note_square(base, total, depends);
    }

    __device__ __forceinline__ void note_square(int k, real square, int depends)
    {
        limbs_of_real(squares + k * LIMBS, square);
        if (depends)
            gpu_raise(outcome, MGS_DEPENDENT - k);
    }

    /* This thread's part of conj(pivot) times a column, in two sums. */
    __device__ __forceinline__ void dot(const num *pivot, const num *column, real_acc *sum) const
    {
        num_acc part[chains];
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            part[i % chains] = num_acc_add_conj(i < chains ? num_acc_zero() : part[i % chains], pivot[i], column[i]);
        sum[0] = part[0].re, sum[1] = part[0].im;
        if (chains == 2)
            sum[0] = acc_merge(sum[0], part[chains - 1].re), sum[1] = acc_merge(sum[1], part[chains - 1].im);
    }

    __device__ __forceinline__ void await_others(int k)
    {
        if (k < base || k + together * turn != next)
            gpu_barrier_sleep(ready + turn_here, parity);
    }

    /* Whether the warp has the pivots after k, and there is a place for them. */
    __device__ __forceinline__ int next_may_go(int k) const
    {
        return k + together == next && next < cols && next - first < slots;
    }

    /* In step k, when the columns of slot FIRST are done: the next pivots, if the warp has them and there is a place. */
    template <int FIRST> __device__ __forceinline__ void publish_next(int k)
    {
        if (next_may_go(k) && (together == 1 || next < last_column(FIRST)))
            publish<FIRST>(here + together * step, turn_here + 1);
    }

    /* The places are free again, for columns from k on. */
    __device__ __forceinline__ void turn_over(int k)
    {
        registers_await_all(this);
        meet();
        first = k;
        parity ^= 1;
        if constexpr (CLUSTER) {
            registers_announce(this);
            meet();
        }
    }

    /* The same in step k, by a warp that may have the column there was no place for. */
    template <int FIRST> __device__ __forceinline__ void renew(int k)
    {
        turn_over(k);
        here = turn_here = 0;
        if (next == k) {
            publish<FIRST>(0, 0);
            next += together * turn;
        }
    }

    /* All steps from k on, in which the slots from FIRST on have something to do. */
    template <int FIRST> __device__ __forceinline__ void take_all(int k)
    {
        const int last = last_column(FIRST), end = last < cols ? last : cols;
        for (;;) {
            /* The last column of a slot takes no step of its own, but may be the one without a place. */
            if (k - first == slots && (k < end || (together == 1 && k == next && k < cols)))
                renew<FIRST>(k);
            if (k >= end)
                break;
            const int stop = end < first + slots ? end : first + slots;
#pragma unroll 1
            for (; k < stop; k += together) {
                if constexpr (together == 2)
                    registers_take_two<FIRST>(this, k);
                else if constexpr (apart)
                    registers_take_apart(this, k);
                else
                    registers_take<FIRST>(this, k);
                next += next_may_go(k) ? together * turn : 0;
                here += together * step;
                turn_here++;
            }
        }
        if constexpr (FIRST + 1 < COLUMNS)
            take_all<FIRST + 1>(k);
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *job, const registers_shape *shape)
    {
        registers_set_up(this, job, shape);
        registers_prepare(this);
        gpu_previous_done();
        gpu_next_may_begin();
        registers_load(this, job);
        meet();
        const int works = base < all;
        if (base == 0) {
            publish<0>(0, 0);
            next = together * turn;
        }
        if (works)
            take_all<0>(0);
        else if constexpr (CLUSTER)
            if (warp == warps)
                registers_carry(this);
        while (first + slots < cols)
            turn_over(first + slots);
        registers_await_all(this);
        if (works)
            registers_leave(this, job);
        if constexpr (CLUSTER) {
            if (works && rank != 0)
                registers_deliver(this);
            gpu_sync();
            if (gpu_thread() == 0 && rank != 0)
                gpu_store_remote(leader, outcomes + rank, (double)*outcome);
            if (rank == 0)
                gpu_barrier_wait(delivered, 0);
        }
        meet();
        if (rank == 0)
            registers_solve(this, job);
    }
};

#else
template <int LANES, int ROWS, int COLUMNS, int THREADS, bool CLUSTER, int TOGETHER> struct in_registers {
    __device__ void run(const mgs_gpu_job *, const registers_shape *)
    {
    }
};
#endif

#define REGISTERS_KERNELS REAL_JOIN(REGISTERS_KERNELS_, PLUMB_LIMBS)

#define REGISTERS_NAME(lanes, rows, columns, cluster, together) \
    registers_##lanes##_##rows##_##columns##_##cluster##_##together
/* Blocks that share a multiprocessor: in double double, two for many systems, which spill a little, beat one that does not. */
#define REGISTERS_BLOCKS(lanes, rows, cluster) (PLUMB_LIMBS == 2 && !(cluster) && (lanes) * (rows) == 32 ? 2 : 1)
#define REGISTERS_KERNEL(lanes, rows, columns, threads, cluster, together)                                             \
    static __global__ void __launch_bounds__(threads, REGISTERS_BLOCKS(lanes, rows, cluster)) REGISTERS_NAME(          \
        lanes, rows, columns, cluster, together)(const __grid_constant__ mgs_gpu_job job, const registers_shape shape) \
    {                                                                                                                  \
        if constexpr (!cluster || GPU_HAS_CLUSTERS) {                                                                  \
            in_registers<lanes, rows, columns, threads, cluster, together> work;                                       \
            work.run(&job, &shape);                                                                                    \
        }                                                                                                              \
    }
REGISTERS_KERNELS(REGISTERS_KERNEL)

static const registers_entry entries[] = {
#define REGISTERS_ENTRY(lanes, rows, columns, threads, cluster, together) \
    {lanes,    rows,         columns,                                     \
     together, cluster != 0, (const void *)REGISTERS_NAME(lanes, rows, columns, cluster, together)},
    REGISTERS_KERNELS(REGISTERS_ENTRY)};

static cudaError_t start(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    return registers_start(entries, job, plan, stream);
}

#if PLUMB_LIMBS == 1
/* For the planner: how many clusters of so many blocks run at a time, by the occupancy of one of these kernels; 0: none. */
extern "C" int plumb_cuda_mgs_clusters_cplx_d(int blocks)
{
    return registers_clusters(entries, blocks);
}
#endif

#else

static cudaError_t start(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}

#endif

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_registers)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                           char *message, size_t message_size)
{
    return mgs_say(start(job, plan, stream), message, message_size);
}
