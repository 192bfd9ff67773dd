/* mgs_small.cu - least squares for a small system in one launch: a cluster of blocks a problem, its columns in shared memory.
 *
 * Column j belongs to block j % cluster, and there to team (j / cluster) % teams. Nobody waits for all others: the team that has
 * brought column k + 1 up to date sends it to every block of the cluster (to a slot of shared memory, where a barrier counts
 * the bytes), then its square norm's inverse; the others, who have gone on with their own columns meanwhile, take it from
 * there. So the chain of dependences is one column long in each step: multiply, add up, remove, send.
 *
 * Slots: a block sends a column at least every `cluster` steps, having taken all columns before it, and its teams meet at the
 * end of each step; so when column k + 1 is sent nobody reads a column before k - cluster any more, and cluster + 2 slots are
 * enough. Where there is no room for so many, the cluster meets every slots - 2 steps. A cluster of one block reads the columns
 * where they are. */
#include <stdio.h>

#include <atomic>

#include "backend/cuda/mgs_back.h"
#include "backend/cuda/mgs_plan.h"

#if __CUDA_ARCH__ >= 900 || defined(PLUMB_EMULATED_GPU)

typedef struct small_work {
    const mgs_gpu_job *job;
    int problem, rank, cluster, slots, teams, column_step; /* doubles from one column to the next */
    int entries, used;                                     /* of a column: allotted (even) and there */
    int32_t *outcome;                                      /* shared memory, as the rest: see mgs_small.h */
    double *columns, *received, *least;
    gpu_barrier *column_ready, *inverse_ready;
    team mates;
    int first_team; /* of this warp */
} small_work;

/* Behind the entries of a column: the sizes each warp of its team found, then the inverse of its square norm. */
GPU_FN int tail_of(const small_work *w) { return w->entries * LIMBS; }
GPU_FN int inverse_at(const small_work *w) { return tail_of(w) + 2 * w->mates.warps; }

GPU_FN double *column_at(const small_work *w, int local) { return w->columns + local * w->column_step; }

/* Where column k of A can be read in this block once it is ready. */
GPU_FN double *pivot_at(const small_work *w, int k)
{
    return w->cluster == 1 ? column_at(w, k) : w->received + k % w->slots * w->column_step;
}

/* The entries of column k to all blocks, by the team that has it; with them the sizes. */
GPU_FN void send_column(const small_work *w, int k, const double *column, int size)
{
    double *to = pivot_at(w, k);
    gpu_barrier *ready = &w->column_ready[k % w->slots];
    for (int e = w->mates.lane; e < w->used; e += w->mates.lanes) {
        double v[LIMBS];
        limbs_of_real(v, entry_load(column, w->entries, e));
        for (int rank = 0; rank < w->cluster; rank++) {
#if PLUMB_LIMBS == 1
            gpu_send_one(to + e, v[0], ready, rank);
#else
            LANE_UNROLL
            for (int q = 0; q < LIMBS / 2; q++)
                gpu_send(to + 2 * (q * w->entries + e), v[2 * q], v[2 * q + 1], ready, rank);
#endif
        }
    }
    for (int rank = w->mates.lane % GPU_WARP; LIMBS > 1 && rank < w->cluster; rank += GPU_WARP)
        gpu_send(to + tail_of(w) + 2 * w->mates.warp, (double)size, 0.0, ready, rank);
}

/* Bytes that send_column and send_inverse make up. */
GPU_FN int column_bytes(const small_work *w) { return w->used * LIMBS * 8 + (LIMBS > 1 ? 16 * w->mates.warps : 0); }
enum { INVERSE_BYTES = INVERSE * 8 };

/* The same where there is only this block; the whole warp calls. */
GPU_FN void show_column(const small_work *w, int k, int size, int mine)
{
    int first = mine && w->mates.lane % GPU_WARP == 0;
    if (LIMBS > 1 && first)
        pivot_at(w, k)[tail_of(w) + 2 * w->mates.warp] = (double)size;
    gpu_sync_warp();
    if (first)
        gpu_barrier_arrive(&w->column_ready[k]);
}

GPU_FN void give_inverse(const small_work *w, int k, real inverse)
{
    double v[INVERSE] = {0.0};
    limbs_of_real(v, inverse);
    double *to = pivot_at(w, k) + inverse_at(w);
    gpu_barrier *ready = &w->inverse_ready[k % w->slots];
    if (w->cluster > 1) {
        if (w->mates.lane < w->cluster) {
            LANE_UNROLL
            for (int q = 0; q < INVERSE; q += 2)
                gpu_send(to + q, v[q], v[q + 1], ready, w->mates.lane);
        }
    } else if (w->mates.lane == 0) {
        LANE_UNROLL
        for (int q = 0; q < INVERSE; q++)
            to[q] = v[q];
        gpu_barrier_arrive(ready);
    }
}

GPU_FN double *job_squares(const small_work *w, int k) { return w->job->s + w->problem * w->job->s_step + k; }

/* Column k is what it will be: shows it to all, then computes the inverse of its square norm and shows that. Threads of the
 * warp that are not of its team come along for the shuffles. */
GPU_FN void publish(small_work *w, int k, int local, int mine)
{
    double *column = column_at(w, local);
    int size = 0;
    if (mine && LIMBS > 1)
        size = column_size(&w->mates, column, w->used);
    if (LIMBS > 1)
        size = w->mates.lanes >= GPU_WARP ? gpu_max(size) : team_max(&w->mates, size);
    if (mine && w->cluster > 1)
        send_column(w, k, column, size);
    if (w->cluster == 1)
        show_column(w, k, size, mine);
    if (LIMBS > 1 && w->mates.warps > 1)
        size = team_max(&w->mates, size);
    real_acc sum = column_squares(&w->mates, column, w->entries, w->used);
    slices parts = slices_of(sum, sum_top(size, (size >> 20) - 1022, w->used));
    real s = slices_value(team_sum(&w->mates, parts, 1));
    if (!mine)
        return;
    int depends = !(real_head(s) > w->least[local]);
    real inverse = inverse_of(depends ? real_set(1.0) : s);
    give_inverse(w, k, depends ? real_set(0.0) : inverse);
    if (w->mates.lane == 0) {
        real_store(job_squares(w, k), w->job->all, s, 1);
        if (depends)
            gpu_raise(w->outcome, MGS_DEPENDENT - k);
    }
}

/* Step k for column j, the local-th of this block. */
GPU_FN void step(small_work *w, int k, const double *pivot, int top, int j, int local)
{
    int active = j > k && j < w->job->all;
    double *column = column_at(w, active ? local : 0);
    real_acc sum = column_dot(&w->mates, pivot, column, w->entries, w->used);
    real total = slices_value(team_sum(&w->mates, slices_of(sum, top), PARTS));
    gpu_barrier_wait(&w->inverse_ready[k % w->slots], k / w->slots & 1);
    real c = real_mul(total, real_of_limbs(pivot + inverse_at(w))), other = c;
#if PLUMB_PARTS == 2
    double v[LIMBS];
    limbs_of_real(v, c);
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        v[q] = gpu_shuffle_xor(v[q], 1);
    other = real_of_limbs(v);
#endif
    if (active) {
        column_remove(&w->mates, pivot, column, w->entries, w->used, c, other);
        if (w->mates.lane < PARTS) {
            const mgs_gpu_job *job = w->job;
            real_store(job->c + w->problem * job->c_step + w->mates.lane * LIMBS * job->c_plane + (int64_t)j * job->cols + k,
                       job->c_plane, c, 1);
        }
    }
    gpu_sync_warp();
}

/* All columns of this block that come after k, nearest first. */
GPU_FN void steps(small_work *w, int k, int *round)
{
    int share = w->mates.lanes < GPU_WARP ? GPU_WARP / w->mates.lanes : 1; /* teams a warp */
    int own = w->mates.barrier - 1;                                       /* number of this team */
    while (((*round * w->teams + w->first_team + share - 1) * w->cluster + w->rank) <= k)
        ++*round;
    if ((*round * w->teams + w->first_team) * w->cluster + w->rank >= w->job->all)
        return;
    const double *pivot = pivot_at(w, k);
    int top = 0;
    if (LIMBS > 1) {
        int size = 0;
        for (int i = 0; i < w->mates.warps; i++) {
            int other = (int)pivot[tail_of(w) + 2 * i];
            size = other > size ? other : size;
        }
        top = sum_top(size, 0, w->used);
    }
    for (int r = *round;; r++) {
        int first = (r * w->teams + w->first_team) * w->cluster + w->rank;
        if (first >= w->job->all)
            break;
        int local = r * w->teams + own, j = local * w->cluster + w->rank, last = first + (share - 1) * w->cluster;
        step(w, k, pivot, top, j, local);
        if (k + 1 < w->job->cols && k + 1 >= first && k + 1 <= last && (k + 1 - first) % w->cluster == 0)
            publish(w, k + 1, j == k + 1 ? local : 0, j == k + 1);
    }
}

/* Loads and scales all columns of this block. */
GPU_FN void load(small_work *w, int locals)
{
    const mgs_gpu_job *job = w->job;
    int own = w->mates.barrier - 1;
    for (int r = 0; r * w->teams + w->first_team < locals; r++) {
        int local = r * w->teams + own, j = local * w->cluster + w->rank, there = j < job->all;
        int size = there ? column_fetch(&w->mates, job, w->problem, j, column_at(w, local), w->entries, w->used) : 0;
        size = team_max(&w->mates, size);
        int exponent = size_exponent(size);
        double sum = there ? column_scale(&w->mates, column_at(w, local), w->entries, w->used, exponent) : 0.0;
        sum = team_sum_double(&w->mates, sum);
        if (there && w->mates.lane == 0) {
            w->least[local] = lane_mul(job->dependent, sum);
            job->exponent[(int64_t)w->problem * job->all + j] = exponent;
            if (size >= 0x7ff00000)
                gpu_raise(w->outcome, MGS_NONFINITE);
        }
    }
    if (w->mates.warps > 1)
        gpu_sync_some(w->mates.barrier, w->mates.lanes);
    gpu_sync_warp();
}

/* What is left of the right-hand sides; and all columns to global memory, if asked for. */
GPU_FN void leave(small_work *w, int locals)
{
    const mgs_gpu_job *job = w->job;
    int own = w->mates.barrier - 1;
    for (int r = 0; r * w->teams + w->first_team < locals; r++) {
        int local = r * w->teams + own, j = local * w->cluster + w->rank, there = j < job->all;
        const double *column = column_at(w, there ? local : 0);
        if (gpu_any(there && j >= job->cols)) {
            int size = LIMBS > 1 ? team_max(&w->mates, column_size(&w->mates, column, w->used)) : 0;
            real_acc sum = column_squares(&w->mates, column, w->entries, w->used);
            slices parts = slices_of(sum, sum_top(size, (size >> 20) - 1022, w->used));
            real s = slices_value(team_sum(&w->mates, parts, 1));
            if (there && j >= job->cols && w->mates.lane == 0)
                real_store(job_squares(w, j), job->all, s, 1);
        }
        if (there && job->w)
            for (int e = w->mates.lane; e < w->used; e += w->mates.lanes)
                real_store(job->w + w->problem * job->w_step + e % PARTS * LIMBS * job->w_plane + (int64_t)j * job->rows +
                               e / PARTS,
                           job->w_plane, entry_load(column, w->entries, e), 1);
    }
}

static __global__ void __launch_bounds__(SMALL_THREADS(LIMBS), 1) small_kernel(const __grid_constant__ mgs_gpu_job job, const small_shape shape)
{
    small_work w;
    int thread = gpu_thread(), locals = (job.all + shape.cluster - 1) / shape.cluster;
    w.job = &job;
    w.cluster = shape.cluster;
    w.rank = shape.cluster > 1 ? gpu_cluster_rank() : 0;
    w.problem = gpu_block() / shape.cluster;
    w.slots = shape.slots;
    w.used = job.rows * PARTS;
    w.entries = (w.used + 1) / 2 * 2;
    w.mates.lanes = shape.team;
    w.mates.lane = thread % shape.team;
    w.mates.warps = shape.team > GPU_WARP ? shape.team / GPU_WARP : 1;
    w.mates.warp = w.mates.lane / GPU_WARP;
    w.mates.turn = 0;
    w.teams = gpu_threads() / shape.team;
    w.mates.barrier = thread / shape.team + 1;
    w.first_team = thread / GPU_WARP * GPU_WARP / shape.team;
    w.column_step = SMALL_COLUMN_STEP(job.rows, PARTS, LIMBS, shape.team);
    w.columns = gpu_shared();
    w.received = w.columns + locals * w.column_step;
    w.least = w.received + (shape.cluster > 1 ? shape.slots * w.column_step : 0);
    w.mates.exchange = w.least + (locals + 1) / 2 * 2 + (w.mates.barrier - 1) * 2 * w.mates.warps * EXCHANGE;
    w.column_ready = (gpu_barrier *)(w.least + (locals + 1) / 2 * 2 + w.teams * 2 * w.mates.warps * EXCHANGE);
    w.inverse_ready = w.column_ready + shape.slots;
    w.outcome = (int32_t *)(w.inverse_ready + shape.slots);
    if (thread == 0) {
        *w.outcome = 0;
        for (int k = 0; k < shape.slots; k++) {
            gpu_barrier_init(&w.column_ready[k], shape.cluster > 1 ? 1 : w.mates.warps);
            gpu_barrier_init(&w.inverse_ready[k], 1);
        }
        gpu_barrier_init_done();
        for (int k = 0; shape.cluster > 1 && k < shape.slots; k++) {
            gpu_barrier_expect(&w.column_ready[k], column_bytes(&w));
            gpu_barrier_expect(&w.inverse_ready[k], INVERSE_BYTES);
        }
    }
    gpu_sync();
    load(&w, locals);
    if (shape.cluster > 1)
        gpu_cluster_sync();
    else
        gpu_sync();
    if (w.rank == 0 && w.first_team == 0)
        publish(&w, 0, 0, w.mates.barrier == 1);
    int round = 0;
    for (int k = 0; k < job.cols; k++) {
        int slot = k % shape.slots, parity = k / shape.slots & 1;
        gpu_barrier_wait(&w.column_ready[slot], parity);
        steps(&w, k, &round);
        if (shape.cluster > 1) {
            if (thread < GPU_WARP)
                gpu_barrier_wait(&w.inverse_ready[slot], parity);
            if (thread == 0) {
                gpu_barrier_expect(&w.column_ready[slot], column_bytes(&w));
                gpu_barrier_expect(&w.inverse_ready[slot], INVERSE_BYTES);
            }
            if (shape.slots < shape.cluster + 2 && k % (shape.slots - 2) == 0)
                gpu_cluster_sync();
            else
                gpu_sync();
        }
    }
    leave(&w, locals);
    if (thread == 0)
        *job_flag(&job, w.problem, w.rank) = *w.outcome;
    if (shape.cluster > 1)
        gpu_cluster_sync();
    else
        gpu_sync();
    if (w.rank == 0)
        small_solve(&job, w.problem, shape.cluster, gpu_shared());
}

#else

static __global__ void small_kernel(const __grid_constant__ mgs_gpu_job job, const small_shape shape) {}

#endif

/* What a kernel must be allowed once on each device. */
static cudaError_t prepare(void)
{
    static std::atomic<uint64_t> prepared;
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    uint64_t bit = (uint64_t)1 << (device & 63);
    if (error != cudaSuccess || (prepared.load() & bit))
        return error;
    int most = 0;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)small_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute((const void *)small_kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error == cudaSuccess)
        prepared.fetch_or(bit);
    return error;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_small)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    small_shape shape = {plan->cluster, plan->team, plan->slots};
    mgs_gpu_job value = *job;
    void *arguments[] = {&value, &shape};
    cudaLaunchAttribute attribute[1];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(job->batch * plan->cluster));
    config.blockDim = dim3((unsigned)plan->threads);
    config.dynamicSmemBytes = plan->shared;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    if (plan->cluster > 1) {
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = (unsigned)plan->cluster;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        config.numAttrs = 1;
    }
    cudaError_t error = prepare();
    if (error == cudaSuccess)
        error = cudaLaunchKernelExC(&config, (const void *)small_kernel, arguments);
    if (error == cudaSuccess)
        return PLUMB_OK;
    snprintf(message, message_size, "launch of least squares failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
