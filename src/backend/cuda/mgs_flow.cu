/* mgs_flow.cu - modified Gram-Schmidt of any size: a block a column, which takes the columns before it one after the other as
 * they become ready, and is ready then itself.
 *
 * A column is in shared memory while its block works on it, and ends in global memory, where the others read it. Blocks take
 * numbers in the order they start, so each waits only for blocks that have started: no matter how many run at a time, there is
 * no deadlock, and those in flight are always the next ones. Columns become ready in order, so two counters a problem
 * are enough: how many columns are ready, and how many inverses of square norms.
 *
 * EACH: every block adds up the square norms of the columns before it for itself. That is more work, but one message less to
 * wait for in each step: it pays while there are about as many multiprocessors as columns. */
#include <stdio.h>

#include "backend/cuda/mgs_chase.h"
#include "backend/cuda/mgs_plan.h"

enum { FLOW_THREADS = 256 };

typedef struct flow_work {
    const mgs_gpu_job *job;
    int problem, j, entries, used, share;
    int columns_known, inverses_known; /* ready the last time we looked */
    double *column, *stage[2];         /* shared memory; two stages for columns on their way */
    team<FLOW_THREADS> mates;
} flow_work;

/* Waits until a counter has passed k; the answer to the next question is often already known. */
GPU_FN void await(flow_work *w, int which, int *known, int k)
{
    if (*known > k)
        return;
    if (w->mates.lane % GPU_WARP == 0) {
        const int32_t *counter = job_flag(w->job, w->problem, which);
        while (gpu_flag_peek(counter) <= k)
            gpu_pause();
        *known = gpu_flag_get(counter);
    }
    *known = gpu_shuffle_int(*known, 0);
}

GPU_FN double *column_of(const flow_work *w, int j, int part)
{
    return w->job->w + w->problem * w->job->w_step + part * LIMBS * w->job->w_plane + (int64_t)j * w->job->rows;
}

/* Column k from global memory into a stage, in the order of shared memory. */
GPU_FN void stage_column(const flow_work *w, int k, double *stage)
{
    for (int e = w->mates.lane; e < w->used; e += FLOW_THREADS) {
        const double *from = column_of(w, k, e % PARTS) + e / PARTS;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_copy(LIMBS == 1 ? stage + e : stage + 2 * (q / 2 * w->entries + e) + q % 2, from + q * w->job->w_plane);
    }
}

GPU_FN double *inverse_place(const flow_work *w, int k)
{
    return w->job->c + w->problem * w->job->c_step + (int64_t)k * w->job->cols + k;
}

template <bool EACH> GPU_FN void flow_step(flow_work *w, int k, const double *pivot)
{
    const mgs_gpu_job *job = w->job;
    int size = job->flags[(int64_t)w->problem * (job->all + MGS_FLAGS) + k];
    const double *place = inverse_place(w, k);
    real_acc sum, squares;
    read_rows<0> rows;
    real c;
    if (EACH) {
        double bound = *place;
        column_dots<FLOW_THREADS, 0>(w->mates.lane, w->share, pivot, w->column, &rows, &sum, &squares);
        slices sums = slices_of(sum, sum_top(size, 0, w->used));
        slices square_sums = slices_of(squares, sum_top(size, (size >> 20) - 1022, w->used));
        team_sums(&w->mates, &sums, &square_sums);
        real square = slices_value(square_sums);
        c = real_select(real_head(square) > bound, real_mul(slices_value(sums), inverse_of(square)), real_set(0.0));
    } else {
        column_dots<FLOW_THREADS, 0>(w->mates.lane, w->share, pivot, w->column, &rows, &sum, nullptr);
        real total = slices_value(team_sum<PARTS>(&w->mates, slices_of(sum, sum_top(size, 0, w->used))));
        await(w, MGS_INVERSES_READY, &w->inverses_known, k);
        c = real_mul(total, real_load(place, job->c_plane, 1));
    }
    real other = PARTS == 2 ? real_of_neighbour(c) : c;
    column_remove<FLOW_THREADS, 0>(w->mates.lane, w->share, pivot, w->column, &rows, c, other);
    if (w->mates.lane < PARTS)
        real_store(job->c + w->problem * job->c_step + w->mates.lane * LIMBS * job->c_plane +
                       (int64_t)w->j * job->cols + k,
                   job->c_plane, c, 1);
    gpu_sync_warp();
}

/* The column to global memory for the others, then the inverse of its square norm. */
template <bool EACH> GPU_FN void flow_publish(flow_work *w, double least)
{
    const mgs_gpu_job *job = w->job;
    int size = column_size<FLOW_THREADS, 0>(w->mates.lane, w->share, w->column);
    for (int e = w->mates.lane; e < w->used; e += FLOW_THREADS)
        real_store(column_of(w, w->j, e % PARTS) + e / PARTS, job->w_plane, entry_load(w->column, w->entries, e), 1);
    size = team_max(&w->mates, size);
    int pivot = w->j < job->cols, leader = w->mates.lane == 0;
    gpu_sync();
    if (pivot && leader) {
        job->flags[(int64_t)w->problem * (job->all + MGS_FLAGS) + w->j] = size;
        if (EACH)
            *inverse_place(w, w->j) = least;
        gpu_flag_set(job_flag(job, w->problem, MGS_COLUMNS_READY), w->j + 1);
    }
    real_acc sum = column_squares<FLOW_THREADS, 0>(w->mates.lane, w->share, w->column);
    real s = slices_value(team_sum<1>(&w->mates, slices_of(sum, sum_top(size, (size >> 20) - 1022, w->used))));
    if (!leader)
        return;
    real_store(job->s + w->problem * job->s_step + w->j, job->all, s, 1);
    if (!pivot)
        return;
    int depends = !(real_head(s) > least);
    if (depends)
        gpu_raise(job_flag(job, w->problem, MGS_OUTCOME), MGS_DEPENDENT - w->j);
    if (EACH)
        return;
    real_store(inverse_place(w, w->j), job->c_plane, depends ? real_set(0.0) : inverse_of(s), 1);
    gpu_flag_set(job_flag(job, w->problem, MGS_INVERSES_READY), w->j + 1);
}

/* Loads column j, scaled; the square norm below which it counts as dependent. */
GPU_FN double flow_load(flow_work *w)
{
    const mgs_gpu_job *job = w->job;
    int64_t plane;
    const double *from = job_column(job, w->problem, w->j, &plane);
    loaded l = column_load<FLOW_THREADS, 0>(&w->mates, w->share, from, plane, w->used, w->column);
    if (w->mates.lane == 0) {
        job->exponent[(int64_t)w->problem * job->all + w->j] = l.exponent;
        if (!l.finite)
            gpu_raise(job_flag(job, w->problem, MGS_OUTCOME), MGS_NONFINITE);
    }
    return lane_mul(job->dependent, l.squares);
}

template <bool EACH> GPU_FN void flow(const mgs_gpu_job *given)
{
    const mgs_gpu_job &job = *given;
    flow_work w;
    w.job = given;
    w.problem = gpu_block_y();
    w.used = job.rows * PARTS;
    w.share = (w.used + FLOW_THREADS - 1) / FLOW_THREADS;
    w.entries = FLOW_THREADS * w.share;
    w.columns_known = w.inverses_known = 0;
    w.column = gpu_shared();
    w.stage[0] = w.column + w.entries * LIMBS;
    w.stage[1] = w.stage[0] + w.entries * LIMBS;
    w.mates.lane = gpu_thread();
    w.mates.warp = w.mates.lane / GPU_WARP;
    w.mates.barrier = 1;
    w.mates.turn = 0;
    w.mates.exchange = w.stage[1] + w.entries * LIMBS;
    for (int e = w.used + gpu_thread(); e < w.entries; e += FLOW_THREADS) {
        entry_store(w.stage[0], w.entries, e, real_set(0.0));
        entry_store(w.stage[1], w.entries, e, real_set(0.0));
    }
    double *number = w.mates.exchange + 2 * w.mates.warps * EXCHANGE;
    if (gpu_thread() == 0)
        *number = (double)gpu_fetch_add(job_flag(&job, w.problem, MGS_TICKET), 1);
    gpu_sync();
    w.j = (int)*number;
    double least = flow_load(&w);
    int steps = w.j < job.cols ? w.j : job.cols, staged = -1;
    for (int k = 0; k < steps; k++) {
        if (staged < k) {
            await(&w, MGS_COLUMNS_READY, &w.columns_known, k);
            stage_column(&w, k, w.stage[k & 1]);
        }
        gpu_copies_done();
        gpu_sync();
        if (k + 1 < steps && w.columns_known > k + 1) {
            stage_column(&w, k + 1, w.stage[(k + 1) & 1]);
            staged = k + 1;
        }
        flow_step<EACH>(&w, k, w.stage[k & 1]);
    }
    flow_publish<EACH>(&w, least);
}

static __global__ void __launch_bounds__(FLOW_THREADS, 2) flow_each(const __grid_constant__ mgs_gpu_job job)
{
    flow<true>(&job);
}

static __global__ void __launch_bounds__(FLOW_THREADS, 2) flow_once(const __grid_constant__ mgs_gpu_job job)
{
    flow<false>(&job);
}

/* A block a problem: x and the outcome. With more unknowns there are fewer registers a thread for coefficients on their way. */
enum { CHASE_FEW = 256, CHASE_CHUNK = LIMBS == 1 ? 16 : LIMBS == 2 ? 8 : 2, CHASE_MANY_CHUNK = LIMBS == 1 ? 4 : 1 };
static __global__ void __launch_bounds__(CHASE_FEW) flow_solve(const __grid_constant__ mgs_gpu_job job)
{
    chase_solve<CHASE_CHUNK>(&job, gpu_block(), gpu_shared());
}

static __global__ void __launch_bounds__(SMALL_UNKNOWNS(LIMBS)) flow_solve_many(const __grid_constant__ mgs_gpu_job job)
{
    if (LIMBS < 4)
        chase_solve<CHASE_MANY_CHUNK>(&job, gpu_block(), gpu_shared());
}

/* A block a problem: the outcome alone. */
static __global__ void flow_outcome(const __grid_constant__ mgs_gpu_job job)
{
    if (gpu_thread() == 0)
        job.info[gpu_block()] = outcome_info(gpu_flag_get(job_flag(&job, gpu_block(), MGS_OUTCOME)));
}

/* What follows when the columns are orthogonal, here and in mgs_panel.cu. */
extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_end)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    mgs_gpu_job value = *job;
    void *arguments[] = {&value};
    const int threads = plan->solves ? (job->cols + GPU_WARP - 1) / GPU_WARP * GPU_WARP : GPU_WARP;
    const void *kernel = !plan->solves          ? (const void *)flow_outcome
                         : threads <= CHASE_FEW ? (const void *)flow_solve
                                                : (const void *)flow_solve_many;
    const size_t shared = plan->solves ? (size_t)(threads * PARTS * LIMBS + 2) * 8 : 0;
    return cudaLaunchKernel(kernel, dim3((unsigned)job->batch), dim3((unsigned)threads), arguments, shared,
                            (cudaStream_t)stream);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_flow)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                      char *message, size_t message_size)
{
    mgs_gpu_job value = *job;
    void *arguments[] = {&value};
    const void *kernel = plan->each ? (const void *)flow_each : (const void *)flow_once;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan->shared);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, dim3((unsigned)job->all, (unsigned)job->batch), dim3((unsigned)plan->threads),
                                 arguments, plan->shared, (cudaStream_t)stream);
    if (error == cudaSuccess)
        error = NUM_NAME(plumb_cuda_mgs_flow_end)(job, plan, stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of least squares failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
