/* mgs_flow.cu - modified Gram-Schmidt of any size: a block per column, which takes the columns before it one after
 * the other as they become ready, and then is ready itself.
 *
 * Invariants. A column is in shared memory while its block works on it, and ends in global memory, where the others
 * read it: without a flag, because words that have not been written yet are marked (GPU_NOT_YET). Blocks take numbers
 * in the order in which they start, so each waits only for blocks that have started. There is no deadlock for any
 * number of resident blocks, and the resident blocks are always the next ones.
 *
 * A block gets a column by polling its words until all are written (stage_column); or, while it is still many columns
 * away from its turn, by a counter of finished columns and copies that run in the background (await_counter,
 * copy_pivot). The square norm of a column is added up by its own block, and the inverse follows the column. */
#include "backend/cuda/lsq/flow/mark.h"
#include "backend/cuda/lsq/launch.h"
#if PLUMB_LIMBS == 4
#include "backend/cuda/lsq/flow/relay.h"
#include "backend/cuda/lsq/levels.h"
#else
#include "backend/cuda/lsq/flow/chase.h"
#endif
#include "backend/cuda/lsq/plan.h"

/* ---- Columns in transit ------------------------------------------------------------------------------------- */

enum { FLOW_THREADS = 256, LOOK = LIMBS == 1 ? 4 : 2 }; /* entries that a thread polls at a time */

/* The state of a thread. */
typedef struct flow_work {
    const mgs_gpu_job *job;
    int problem, j;           /* the column of this block */
    int entries, used, share; /* of a column, the last ones zero; those that are not; entries per thread */
    int known;                /* columns that were ready when the counter was last read */
    double *column;           /* in shared memory: the column, */
    double *stage[2];         /* and two columns in transit, each followed by its size */
    team<FLOW_THREADS> mates;
} flow_work;

/* The words of a column that a thread has read, and the size beside the column. */
typedef struct found_words {
    double v[LOOK][LIMBS], size;
} found_words;

GPU_FN double *column_of(const flow_work *w, int j, int part)
{
    return w->job->w + w->problem * w->job->w_step + part * LIMBS * w->job->w_plane + (int64_t)j * w->job->rows;
}

/* Waits until the counter has passed k; the answer to the next question is often already known. By whole warps. */
GPU_FN void await_counter(flow_work *w, int k)
{
    if (w->mates.lane % GPU_WARP == 0) {
        const int32_t *counter = job_flag(w->job, w->problem, MGS_COLUMNS_READY);
        while (gpu_flag_peek(counter) <= k)
            gpu_pause();
        w->known = gpu_flag_get(counter);
    }
    w->known = gpu_shuffle_int(w->known, 0);
}

/* Copies column k, which is known to be ready, into a stage asynchronously. */
GPU_FN void copy_column(const flow_work *w, int k, double *stage)
{
    for (int e = w->mates.lane; e < w->used; e += FLOW_THREADS) {
        const double *from = column_of(w, k, e % PARTS) + e / PARTS;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_copy(LIMBS == 1 ? stage + e : stage + 2 * (q / 2 * w->entries + e) + q % 2, from + q * w->job->w_plane);
    }
}

/* The same with the words beside it. */
GPU_FN void copy_pivot(const flow_work *w, int k, double *stage)
{
    copy_column(w, k, stage);
    if (w->mates.lane == 0)
        gpu_copy(stage + w->entries * LIMBS, job_beside(w->job, w->problem, k));
}

/* Reads the entries of this thread from the i-th on. */
GPU_FN void look(const flow_work *w, int k, int i, found_words *found)
{
    LANE_UNROLL
    for (int l = 0; l < LOOK; l++) {
        const int e = w->mates.lane + FLOW_THREADS * (i + l);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            found->v[l][q] = 0.0;
            if (e < w->used)
                found->v[l][q] = gpu_word_peek(column_of(w, k, e % PARTS) + e / PARTS + q * w->job->w_plane);
        }
    }
    found->size = 0.0;
    if (w->mates.lane == 0)
        found->size = gpu_word_peek(job_beside(w->job, w->problem, k));
}

GPU_FN int all_there(const found_words *found)
{
    int there = 1;
    LANE_UNROLL
    for (int l = 0; l < LOOK; l++) {
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            there &= gpu_high_word(found->v[l][q]) != GPU_NOT_YET;
    }
    there &= gpu_high_word(found->size) != GPU_NOT_YET;
    return there;
}

/* Gets column k into a stage as soon as it is ready; found holds the first words read. */
GPU_FN void stage_column(const flow_work *w, int k, double *stage, found_words *found)
{
    for (int i = 0; i < w->share; i += LOOK) {
        if (i > 0)
            look(w, k, i, found);
        while (!all_there(found)) {
            if (w->j > k + 2) /* other blocks are next, and may be on the same multiprocessor */
                gpu_nap();
            else
                gpu_pause();
            look(w, k, i, found);
        }
        LANE_UNROLL
        for (int l = 0; l < LOOK; l++)
            if (i + l < w->share)
                entry_store(stage, w->entries, w->mates.lane + FLOW_THREADS * (i + l), real_of_limbs(found->v[l]));
    }
    if (w->mates.lane == 0)
        stage[w->entries * LIMBS] = found->size;
}

/* Waits for the inverse of the square norm of column k; each thread of a warp polls one limb. */
GPU_FN real await_inverse(const flow_work *w, int k)
{
    const double *from = job_beside(w->job, w->problem, k) + FLOW_BESIDE + w->mates.lane % LIMBS;
    double word = gpu_word_peek(from), v[LIMBS];
    while (gpu_any(gpu_high_word(word) == GPU_NOT_YET)) {
        gpu_pause();
        word = gpu_word_peek(from);
    }
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        v[q] = gpu_shuffle(word, q);
    return real_of_limbs(v);
}

/* ---- Steps -------------------------------------------------------------------------------------------------------------- */

/* Removes column k, which lies in a stage, from the column of the block. */
GPU_FN void flow_step(flow_work *w, int k, const double *pivot)
{
    const mgs_gpu_job *job = w->job;
    const int size = (int)pivot[w->entries * LIMBS];
#if PLUMB_LIMBS == 4
    level_sum sums = column_dot_levels<FLOW_THREADS>(w->mates.lane, w->share, pivot, w->column,
                                                     grid_of(sum_top(size, 0, w->used), w->used));
    real total = levels_value(team_sum<PARTS>(&w->mates, sums));
#else
    real_acc sum;
    column_dots<FLOW_THREADS>(w->mates.lane, w->share, pivot, w->column, &sum, nullptr);
    real total = slices_value(team_sum<PARTS>(&w->mates, slices_of(sum, sum_top(size, 0, w->used))));
#endif
    real c = real_mul(total, await_inverse(w, k));
    real other = PARTS == 2 ? real_of_neighbour(c) : c;
    column_remove<FLOW_THREADS>(w->mates.lane, w->share, pivot, w->column, c, other);
    if (w->mates.lane < PARTS)
        real_store(job->c + w->problem * job->c_step + w->mates.lane * LIMBS * job->c_plane +
                       (int64_t)w->j * job->cols + k,
                   job->c_plane, c, 1);
    gpu_sync_warp();
}

/* Writes the column to global memory for the others, then the inverse of its square norm. */
GPU_FN void flow_publish(flow_work *w, double least)
{
    const mgs_gpu_job *job = w->job;
    double *beside = job_beside(job, w->problem, w->j);
    for (int e = w->mates.lane; e < w->used; e += FLOW_THREADS) {
        double v[LIMBS];
        limbs_of_real(v, entry_load(w->column, w->entries, e));
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_word_set(column_of(w, w->j, e % PARTS) + e / PARTS + q * job->w_plane, v[q]);
    }
    const int size = team_max(&w->mates, column_size<FLOW_THREADS>(w->mates.lane, w->share, w->column));
    const int pivot = w->j < job->cols, leader = w->mates.lane == 0;
    if (leader) {
        gpu_word_set(beside, (double)size);
        gpu_word_set(beside + 1, least); /* for large */
        if (pivot && w->known >= w->j)   /* otherwise the columns before may not be counted yet */
            gpu_flag_set(job_flag(job, w->problem, MGS_COLUMNS_READY), w->j + 1);
    }
    gpu_sync_warp();
    const int top = sum_top(size, (size >> 20) - 1022, w->used);
#if PLUMB_LIMBS == 4
    level_sum sum = team_sum<1>(
        &w->mates, column_square_levels<FLOW_THREADS>(w->mates.lane, w->share, w->column, grid_of(top, w->used)));
    real s = levels_value(sum);
#else
    real_acc sum = column_squares<FLOW_THREADS>(w->mates.lane, w->share, w->column);
    real s = slices_value(team_sum<1>(&w->mates, slices_of(sum, top)));
#endif
    if (!leader)
        return;
    const int depends = pivot && !(real_head(s) > least);
    if (pivot) {
        double v[LIMBS];
        limbs_of_real(v, depends ? real_set(0.0) : inverse_of(s));
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_word_set(beside + FLOW_BESIDE + q, v[q]);
    }
    if (pivot && w->known < w->j) { /* columns are counted in order, so that all counted columns are ready */
        int32_t *counter = job_flag(job, w->problem, MGS_COLUMNS_READY);
        while (gpu_flag_peek(counter) < w->j)
            gpu_pause();
        (void)gpu_flag_get(counter);
        gpu_flag_set(counter, w->j + 1);
    }
    real_store(job->s + w->problem * job->s_step + w->j, job->all, s, 1);
    if (depends)
        gpu_raise(job_flag(job, w->problem, MGS_OUTCOME), MGS_DEPENDENT - w->j);
}

/* Reads column j as other kernels left it, for flow_load. */
GPU_FN double flow_load_loaded(flow_work *w)
{
    const mgs_gpu_job *job = w->job;
    for (int e = w->used + w->mates.lane; e < w->entries; e += FLOW_THREADS)
        entry_store(w->column, w->entries, e, real_set(0.0));
    copy_column(w, w->j, w->column);
    gpu_copies_done();
    if (w->mates.lane == 0 && job->first == 0 && job->flags[(int64_t)w->problem * (job->all + MGS_FLAGS) + w->j] != 0)
        gpu_raise(job_flag(job, w->problem, MGS_OUTCOME), MGS_NONFINITE);
    gpu_sync(); /* neighbours have parts of the same number */
    return lane_mul(job->dependent, job->c[w->problem * job->c_step + (int64_t)w->j * job->cols + w->j]);
}

/* Loads column j, scaled. Returns the square norm below which it counts as dependent. */
GPU_FN double flow_load(flow_work *w)
{
    const mgs_gpu_job *job = w->job;
    if (job->loaded)
        return flow_load_loaded(w);
    int64_t plane;
    const double *from = job_column(job, w->problem, w->j, &plane);
    loaded l = column_load<FLOW_THREADS>(&w->mates, w->share, from, plane, w->used, w->column);
    if (w->mates.lane == 0) {
        job->exponent[(int64_t)w->problem * job->all + w->j] = l.exponent;
        if (!l.finite)
            gpu_raise(job_flag(job, w->problem, MGS_OUTCOME), MGS_NONFINITE);
    }
    gpu_sync_warp();
    for (int i = 0; i < w->share && !l.finite; i++) /* write numbers, because others wait for them */
        entry_store(w->column, w->entries, w->mates.lane + FLOW_THREADS * i, real_set(0.0));
    return l.finite ? lane_mul(job->dependent, l.squares) : 0.0;
}

GPU_FN void flow(const mgs_gpu_job *given)
{
    const mgs_gpu_job &job = *given;
    gpu_previous_done();
    gpu_next_may_begin();
    flow_work w;
    w.job = given;
    w.problem = gpu_block_y();
    w.used = job.rows * PARTS;
    w.share = (w.used + FLOW_THREADS - 1) / FLOW_THREADS;
    w.entries = FLOW_THREADS * w.share;
    w.known = 0;
    w.column = gpu_shared();
    w.stage[0] = w.column + w.entries * LIMBS;
    w.stage[1] = w.stage[0] + w.entries * LIMBS + FLOW_BESIDE;
    w.mates.lane = gpu_thread();
    w.mates.warp = w.mates.lane / GPU_WARP;
    w.mates.barrier = 1;
    w.mates.turn = 0;
    w.mates.exchange = w.stage[1] + w.entries * LIMBS + FLOW_BESIDE;
    double *number = w.mates.exchange + 2 * w.mates.warps * EXCHANGE;
    if (gpu_thread() == 0)
        *number = (double)gpu_fetch_add(job_flag(&job, w.problem, MGS_TICKET), 1);
    gpu_sync();
    w.j = (int)*number;
    double least = flow_load(&w);
    const int steps = w.j < job.cols ? w.j : job.cols;
    const int far = w.share <= 2 * LOOK && !job.loaded
                        ? w.j - job.near
                        : w.j; /* polling many words takes longer than polling a counter */
    for (int e = w.used + gpu_thread(); e < w.entries; e += FLOW_THREADS) {
        entry_store(w.stage[0], w.entries, e, real_set(0.0));
        entry_store(w.stage[1], w.entries, e, real_set(0.0));
    }
    found_words found;
    int staged = -1;
    if (job.first < steps && far <= job.first)
        look(&w, job.first, 0, &found);
    for (int k = job.first; k < steps; k++) {
        double *stage = w.stage[k & 1];
        if (staged < k && k >= far)
            stage_column(&w, k, stage, &found);
        else if (staged < k) {
            if (w.known <= k)
                await_counter(&w, k);
            copy_pivot(&w, k, stage);
        }
        gpu_copies_done();
        gpu_sync();
        if (k + 1 < steps && w.known > k + 1) {
            copy_pivot(&w, k + 1, w.stage[(k + 1) & 1]);
            staged = k + 1;
        } else if (k + 1 < steps && k + 1 >= far)
            look(&w, k + 1, 0, &found); /* words that arrive during the work need not be waited for */
        flow_step(&w, k, stage);
    }
    flow_publish(&w, least);
}

static __global__ void __launch_bounds__(FLOW_THREADS, 2) flow_once(const __grid_constant__ mgs_gpu_job job)
{
    flow(&job);
}

#if PLUMB_LIMBS == 4
/* Computes x and the outcome, by several blocks per problem. */
static __global__ void __launch_bounds__(GPU_WARP) flow_solve(const __grid_constant__ mgs_gpu_job job)
{
    gpu_previous_done();
    gpu_next_may_begin();
    relay_solve(&job);
}
#else
/* One block per problem: computes x and the outcome. With more unknowns there are fewer registers per thread for
 * prefetched coefficients. */
enum { CHASE_FEW = 256, CHASE_CHUNK = LIMBS == 1 ? 16 : 8, CHASE_MANY_CHUNK = LIMBS == 1 ? 4 : 1 };
static __global__ void __launch_bounds__(CHASE_FEW) flow_solve(const __grid_constant__ mgs_gpu_job job)
{
    gpu_previous_done();
    gpu_next_may_begin();
    chase_solve<CHASE_CHUNK>(&job, gpu_block(), chase_failed(&job, gpu_block()), gpu_shared());
}

static __global__ void __launch_bounds__(SMALL_UNKNOWNS(LIMBS)) flow_solve_many(const __grid_constant__ mgs_gpu_job job)
{
    gpu_previous_done();
    gpu_next_may_begin();
    chase_solve<CHASE_MANY_CHUNK>(&job, gpu_block(), chase_failed(&job, gpu_block()), gpu_shared());
}
#endif

/* One block per problem: computes the outcome alone. */
static __global__ void flow_outcome(const __grid_constant__ mgs_gpu_job job)
{
    if (gpu_thread() == 0)
        put_info(job.info + gpu_block(), job.failures,
                 outcome_info(gpu_flag_get(job_flag(&job, gpu_block(), MGS_OUTCOME))));
}

/* Launches what follows when the columns are orthogonal, here and in mgs_panel.cu. */
extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_end)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    mgs_gpu_job value = *job;
    void *arguments[] = {&value};
    if (!plan->solves)
        return cudaLaunchKernel((const void *)flow_outcome, dim3((unsigned)job->batch), dim3(GPU_WARP), arguments, 0,
                                (cudaStream_t)stream);
#if PLUMB_LIMBS == 4
    const dim3 grid((unsigned)((job->cols + RELAY_ROWS - 1) / RELAY_ROWS), (unsigned)job->batch);
    return gpu_launch((const void *)flow_solve, grid, GPU_WARP, 0, plan->early, arguments, stream);
#else
    const int threads = (job->cols + GPU_WARP - 1) / GPU_WARP * GPU_WARP;
    const void *kernel = threads <= CHASE_FEW ? (const void *)flow_solve : (const void *)flow_solve_many;
    const size_t shared = (size_t)(threads * PARTS * LIMBS + 2) * 8;
    return gpu_launch(kernel, dim3((unsigned)job->batch), threads, shared, plan->early, arguments, stream);
#endif
}

/* Launches flow for `columns` columns from job->first on. */
extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_begin)(const mgs_gpu_job *job, const mgs_plan *plan, int count,
                                                           void *stream)
{
    mgs_gpu_job value = *job;
    value.near = plan->near;
    void *arguments[] = {&value};
    const void *kernel = (const void *)flow_once;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)plan->shared);
    if (error == cudaSuccess)
        error = gpu_launch(kernel, dim3((unsigned)count, (unsigned)job->batch), plan->threads, plan->shared,
                           plan->early && !job->loaded, arguments, stream);
    return error;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_flow)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                      char *message, size_t message_size)
{
    cudaError_t error = mark_words(job, plan, 0, stream);
    if (error == cudaSuccess)
        error = NUM_NAME(plumb_cuda_mgs_flow_begin)(job, plan, job->all, stream);
    if (error == cudaSuccess)
        error = NUM_NAME(plumb_cuda_mgs_flow_end)(job, plan, stream);
    return mgs_say(error, message, message_size);
}
