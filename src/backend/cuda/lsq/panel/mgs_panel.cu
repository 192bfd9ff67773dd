/* mgs_panel.cu - modified Gram-Schmidt on many multiprocessors: a block has a few consecutive columns, a panel, in registers.
 *
 * WARPS warps are a team and share a column, ROWS rows a thread, both parts of a number in one thread. A block takes the columns
 * before its panel one after the other as they become ready; then those of its panel, through shared memory, so that the way
 * to another multiprocessor is gone once a panel. One more team is the block's courier: it fetches the columns of others into
 * places in shared memory, ahead of those who need them (mgs_panel_pass.h).
 *
 * A column goes through global memory without a flag: all words there are a NaN that no column has (GPU_NOT_YET) until they are
 * written, and the courier reads them until they are something else. That is one way through the second-level cache, where a flag
 * would be three: for the words, for the flag that must not overtake them, and for the words again.
 *
 * Blocks take numbers in the order they start and wait only for those with lower ones, so it does not matter how many run at a
 * time. The square norm of a column is added up by every team beside its own product; in double double by the team that has it,
 * when the column has gone, and the inverse is fetched by a warp of its own.
 *
 * That is for d and dd; what quad double has instead is in mgs_panel_quad.h. */
#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/panel/launch.h"

#if PLUMB_PARTS == 2

#if PLUMB_LIMBS < 4

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/panel/load.h"
#include "backend/cuda/lsq/panel/pass.h"
#include "backend/cuda/lsq/panel/sums.h"

template <int WARPS, int ROWS> struct panel {
    static_assert(WARPS % 2 == 0, "sums go through shared memory, in pairs");
    static const int warps = WARPS, rows_each = ROWS;
    static const int threads = GPU_WARP * WARPS, height = threads * ROWS, a_number = PARTS * LIMBS;
    static const int step = PANEL_STEP(LIMBS, WARPS, ROWS), tail = step - 2;
    static const int a_share = 3 * LIMBS; /* of a warp, in an exchange of sums */
    /* The team of a pivot, which has nothing else to do any more, adds up its square norm and sends the inverse after the column. */
    static const bool apart = PANEL_APART(LIMBS);
    static const int held = ROWS > 8   ? 2
                            : ROWS > 4 ? 4
                                       : ROWS; /* rows of a pivot that stay in registers for their second use */

    const mgs_gpu_job *job;
    int problem, first, column, columns,
        slots;    /* first column of the panel, the team's, how many there are in a panel */
    int position; /* of the thread in its team */
    team<threads> mates;
    double *places, *shared_columns; /* for columns of others, of the panel */
    gpu_barrier *ready, *taken, *done, *ready_inverse, *done_inverse;
    double *words[a_number], *behind, *coefficients; /* in global memory: of the thread's first row, of the column */
    double least;                                    /* the square norm of an independent column is larger */
    num own[ROWS];

    __device__ __forceinline__ double *global_column(int j) const
    {
        return job->w + problem * job->w_step + (int64_t)j * job->rows;
    }
    __device__ __forceinline__ int row(int i) const
    {
        return threads * i + position;
    }

    __device__ __forceinline__ num place_row(const double *place, int i) const
    {
        double v[a_number];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            pair p = *(const pair *)(place + 2 * (q * height + row(i)));
            v[2 * q] = p.x, v[2 * q + 1] = p.y;
        }
        return num_of_limbs(v);
    }
    __device__ __forceinline__ void store_row(double *place, int i, const double *v) const
    {
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            *(pair *)(place + 2 * (q * height + row(i))) = pair{v[2 * q], v[2 * q + 1]};
    }

    __device__ __forceinline__ void note_square(int k, real total, int depends)
    {
        real_store(job->s + problem * job->s_step + k, job->all, total, 1);
        if (depends)
            gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_DEPENDENT - k);
    }

    /* Column k, at a place in shared memory, is removed from the team's. */
    __device__ __forceinline__ void take(int k, const double *place)
    {
        const double bound = place[tail];
        num pivot[ROWS];
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            pivot[i] = place_row(place, i);
        num_acc dot = num_acc_zero();
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            dot = num_acc_add_conj(dot, pivot[i], own[i]);
        real_acc sum[3] = {rows_square<ROWS>(pivot), dot.re, dot.im};
        panel_add_up(this, sum);
        const real total = acc_total(sum[0]), zero = real_set(0.0);
        const int depends = !(real_head(total) > bound);
        const num c = num_mul_real(cplx_make(acc_total(sum[1]), acc_total(sum[2])),
                                   real_select(depends, zero, settled(inverse_near(total))));
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            own[i] = num_rest(own[i], i < held ? pivot[i] : place_row(place, i), c);
        if (k + 1 == column)
            panel_publish(this);
        if (position == 0) {
            num_store(coefficients + k, job->c_plane, c, 1);
            if (k + 1 == column)
                note_square(k, total, depends);
        }
    }

    /* The same, where the inverse of its square norm comes after it. */
    __device__ __forceinline__ void take_apart(int k, const double *place, gpu_barrier *inverse, int parity)
    {
        num pivot[ROWS];
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            pivot[i] = place_row(place, i);
        num_acc dot = num_acc_zero();
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            dot = num_acc_add_conj(dot, pivot[i], own[i]);
        real_acc sum[2] = {dot.re, dot.im};
        panel_add_up_two(this, sum);
        gpu_barrier_sleep(inverse, parity);
        const num c = num_loose(sum[0], sum[1], shared_real(place + tail));
        LANE_UNROLL
        for (int i = 0; i < ROWS; i++)
            own[i] = rest_near(own[i], pivot[i], c);
        if (k + 1 == column)
            panel_publish(this);
        if (position == 0)
            num_store(coefficients + k, job->c_plane, num_settled(c), 1);
    }

    /* All steps of the team. */
    __device__ __forceinline__ void work(void)
    {
        panel_load(this);
        if (column == 0)
            panel_publish(this);
        const int end = column < job->cols ? column : job->cols;
        int k = 0;
#pragma unroll 1
        for (int slot = 0, parity = 0; k < first && k < end; k++) {
            gpu_barrier_sleep(ready + slot, parity);
            if constexpr (apart)
                take_apart(k, places + slot * step, ready_inverse + slot, parity);
            else
                take(k, places + slot * step);
            gpu_sync_warp();
            if (gpu_arrives(position % GPU_WARP))
                gpu_barrier_arrive(taken + slot);
            if (++slot == slots)
                slot = 0, parity ^= 1;
        }
#pragma unroll 1
        for (; k < end; k++) {
            gpu_barrier_sleep(done + (k - first), 0);
            if constexpr (apart)
                take_apart(k, shared_columns + (k - first) * step, done_inverse + (k - first), 0);
            else
                take(k, shared_columns + (k - first) * step);
        }
        const int last = apart || job->all > job->cols ? job->cols : job->cols - 1;
        if (column >= last) {
            real_acc sum[3] = {rows_square<ROWS>(own), real_acc_zero(), real_acc_zero()};
            panel_add_up(this, sum);
            const real total = acc_total(sum[0]);
            if (position == 0)
                note_square(column, total, column < job->cols && !(real_head(total) > least));
        }
        if (column > job->cols)
            panel_publish(this);
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *given, int given_slots)
    {
        gpu_next_may_begin(); /* back substitution, which waits */
        job = given;
        problem = gpu_block_y();
        slots = given_slots;
        columns = gpu_threads() / threads - 1;
        position = gpu_thread() % threads;
        places = gpu_shared();
        shared_columns = places + slots * step;
        double *exchange = shared_columns + columns * step;
        ready = (gpu_barrier *)(exchange + (columns * PANEL_EXCHANGE(LIMBS, WARPS) + 1) / 2 * 2);
        taken = ready + slots;
        done = taken + slots;
        ready_inverse = done + columns;
        done_inverse = ready_inverse + slots;
        int32_t *number = (int32_t *)(apart ? done_inverse + columns : ready_inverse);
        const int which = gpu_thread() / threads;
        mates.lane = position;
        mates.warp = position / GPU_WARP;
        mates.barrier = 1 + which;
        mates.turn = 0;
        mates.exchange = exchange + which * PANEL_EXCHANGE(LIMBS, WARPS);
        if (gpu_thread() == 0)
            *number = gpu_fetch_add(job_flag(job, problem, MGS_TICKET), 1);
        gpu_sync();
        first = *number * columns;
        column = first + which;
        LANE_UNROLL
        for (int q = 0; q < a_number; q++)
            words[q] = gpu_once(global_column(column) + q * job->w_plane + position);
        behind = gpu_once(job_beside(job, problem, column));
        coefficients = gpu_once(job->c + problem * job->c_step + (int64_t)column * job->cols);
        const int there = job->all - first < columns ? job->all - first : columns;
        for (int k = gpu_thread(); k < slots; k += gpu_threads()) {
            gpu_barrier_init(ready + k, gpu_arrivals(GPU_WARP) * WARPS);
            gpu_barrier_init(taken + k, gpu_arrivals(GPU_WARP) * WARPS * there);
        }
        for (int k = gpu_thread(); k < columns; k += gpu_threads())
            gpu_barrier_init(done + k, gpu_arrivals(GPU_WARP) * WARPS);
        for (int k = gpu_thread(); apart && k < slots + columns; k += gpu_threads())
            gpu_barrier_init(ready_inverse + k, 1);
        gpu_sync();
        if (apart && gpu_thread() >= (columns + 1) * threads) {
            if (gpu_thread() % GPU_WARP == 0)
                panel_fetch_inverses(this);
        } else if (which == columns)
            panel_fetch(this);
        else if (column < job->all)
            work();
    }
};

#else
template <int WARPS, int ROWS> struct panel {
    __device__ void run(const mgs_gpu_job *, int)
    {
    }
};
#endif

#else

#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)
#include "backend/cuda/lsq/panel/quad.h"
template <int WARPS, int> struct panel {
    __device__ __forceinline__ void run(const mgs_gpu_job *given, int along)
    {
        panel_quad_run<WARPS>(given, along);
    }
};
#else
template <int WARPS, int> struct panel {
    __device__ void run(const mgs_gpu_job *, int)
    {
    }
};
#endif

#endif

#define PANEL_KERNELS REAL_JOIN(PANEL_KERNELS_, PLUMB_LIMBS)

#define PANEL_KERNEL(warps, rows, threads, columns)                                      \
    static __global__ void __launch_bounds__(threads, 1)                                 \
        panel_##warps##_##rows(const __grid_constant__ mgs_gpu_job job, const int slots) \
    {                                                                                    \
        panel<warps, rows> work;                                                         \
        work.run(&job, slots);                                                           \
    }
PANEL_KERNELS(PANEL_KERNEL)

static const panel_entry entries[] = {
#define PANEL_ENTRY(warps, rows, threads, columns) {32 * (warps), rows, (const void *)panel_##warps##_##rows},
    PANEL_KERNELS(PANEL_ENTRY)};

static cudaError_t start(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    return panel_start(entries, job, plan, stream);
}

#else

static cudaError_t start(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}

#endif

extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_end)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream);

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_panel)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    cudaError_t error = start(job, plan, stream);
    if (error == cudaSuccess && !panel_solves(job, plan))
        error = NUM_NAME(plumb_cuda_mgs_flow_end)(job, plan, stream);
    return mgs_say(error, message, message_size);
}
