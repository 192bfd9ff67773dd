/* panel.h - orthogonalises a panel of columns by a cluster of blocks, each of which has some of the rows of all
 * columns; part of mgs_large.cu, for d. In a step, blocks exchange one sum per column, not a column.
 *
 * A warp has one column. In step k it sums its rows of a_k^H a_j, and the warp of a_k sums its square norm. Each
 * block sends all these sums to every other block. When the sums of all blocks have arrived, each warp adds them in
 * the same order and removes its rows of a_k from its column. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_LARGE_PANEL_H
#define PLUMB_BACKEND_CUDA_LSQ_LARGE_PANEL_H

#include "backend/cuda/lsq/block.h"
#include "backend/cuda/lsq/large/large.h"
#include "backend/cuda/lsq/small/small.h"

/* Words beside a column of the panel: its size and the bound of its square norm. */
GPU_FN double *large_beside(const mgs_gpu_job *job, int64_t problem, int k)
{
    return job->w + problem * job->w_step + NUM_PLANES * job->w_plane + (int64_t)k * FLOW_WORDS(PLUMB_LIMBS);
}

/* The word of a waiting column: first whether it is not finite, then the high word of an upper bound for its entries,
 * which each removal raises. */
GPU_FN int32_t *large_size(const mgs_gpu_job *job, int64_t problem, int j)
{
    return job->flags + problem * (job->all + MGS_FLAGS) + j;
}

GPU_FN int32_t *large_outcome(const mgs_gpu_job *job, int64_t problem)
{
    return large_size(job, problem, job->all + MGS_OUTCOME);
}

GPU_FN num num_of_lane(num a, int lane)
{
    double limb[NUM_PLANES];
    num_store(limb, 1, a, 1);
    LANE_UNROLL
    for (int q = 0; q < NUM_PLANES; q++)
        limb[q] = gpu_shuffle(limb[q], lane);
    return num_load(limb, 1, 1);
}

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)

typedef struct panel_work {
    const mgs_gpu_job *job;
    int64_t problem;
    int first, width; /* the columns of the panel */
    int rank, blocks, share, begin,
        count; /* rows begin .. begin + count - 1 are here; other blocks have `share` rows */
    int lane, warp;
    /* Shared memory: plane q of row i of column j at (j * planes + q) * share + i; sums of this block and those that came from each block,
     * both for two steps; a barrier for each of these. */
    double *columns, *own, *sums;
    gpu_barrier *arrived;
} panel_work;

GPU_FN double *panel_column(const panel_work *w, int j)
{
    return w->columns + (int64_t)j * NUM_PLANES * w->share;
}

enum { PANEL_SUMS = LARGE_WIDTH * NUM_PLANES }; /* doubles that a block sends in a step */

GPU_FN double *panel_own(const panel_work *w, int step)
{
    return w->own + (step & 1) * PANEL_SUMS;
}

/* The sum of block `from` for column j in a step. */
GPU_FN double *panel_sum(const panel_work *w, int step, int from, int j)
{
    double *sums = from == w->rank ? panel_own(w, step) : w->sums + ((step & 1) * w->blocks + from) * PANEL_SUMS;
    return sums + j * NUM_PLANES;
}

/* The sum over lanes that differ in bits below `lanes`, in all of them. */
GPU_FN num lanes_sum(num a, int lanes)
{
    for (int with = lanes / 2; with > 0; with /= 2)
        a = num_add(a, num_from_other(a, with));
    return a;
}

/* Sends the sums of this block to all others; each warp serves one or two of them. A block is at most one step ahead
 * of another, because it waits for sums that the other sends after it has finished the step before. */
GPU_FN void panel_send(const panel_work *w, int step)
{
    double *to = w->sums + ((step & 1) * w->blocks + w->rank) * PANEL_SUMS;
    if (gpu_thread() == 0)
        gpu_barrier_expect(w->arrived + (step & 1), (w->blocks - 1) * PANEL_SUMS * 8);
    for (int other = w->warp; other < w->blocks; other += LARGE_PANEL_TEAMS)
        if (w->lane == 0 && other != w->rank)
            gpu_send_many(gpu_remote_of(other), to, panel_own(w, step), PANEL_SUMS, w->arrived + (step & 1));
    gpu_sync_warp();
}

GPU_FN void panel_dot(const panel_work *w, int k, int j)
{
    const double *pivot = panel_column(w, k), *column = panel_column(w, j);
    num_acc sum = num_acc_zero();
    for (int i = w->lane; i < w->count; i += GPU_WARP)
        sum = num_acc_add_conj(sum, num_load(pivot + i, w->share, 1), num_load(column + i, w->share, 1));
    const num total = lanes_sum(num_acc_value(sum), GPU_WARP);
    if (w->lane == 0)
        num_store(panel_own(w, k) + j * NUM_PLANES, 1, total, 1);
    gpu_sync_warp();
}

/* The smallest square norm of a column that does not depend on those before. */
GPU_FN double panel_least(const panel_work *w, int k)
{
    const int64_t at = (int64_t)(w->first + k) * w->job->cols + w->first + k;
    return lane_mul(w->job->dependent, w->job->c[w->problem * w->job->c_step + at]);
}

/* Column k is finished: one thread of the cluster writes the data that others need. */
GPU_FN void panel_note(const panel_work *w, int k, real square, double least)
{
    const mgs_gpu_job *job = w->job;
    if (w->rank != 0 || w->lane != 0)
        return;
    real_store(job->s + w->problem * job->s_step + w->first + k, job->all, square, 1);
    large_beside(job, w->problem, w->first + k)[1] = least;
    if (!(real_head(square) > least))
        gpu_raise(large_outcome(job, w->problem), MGS_DEPENDENT - (w->first + k));
}

GPU_FN void panel_remove(const panel_work *w, int k, int j, double least)
{
    /* Half of the warp adds up the product, the other half the square norm. */
    const int half = GPU_WARP / 2, from = w->lane % half;
    num sum = num_acc_value(num_acc_zero());
    if (from < w->blocks)
        sum = num_load(panel_sum(w, k, from, w->lane < half ? j : k), 1, 1);
    sum = lanes_sum(sum, half);
    const num dot = num_of_lane(sum, 0);
    const real square = num_re(num_of_lane(sum, half));
    if (j == k) {
        panel_note(w, k, square, least);
        return;
    }
    const real inverse = real_select(real_head(square) > least, real_inv(square), real_set(0.0));
    const num coefficient = num_mul_real(dot, inverse);
    const double *pivot = panel_column(w, k);
    double *column = panel_column(w, j);
    for (int i = w->lane; i < w->count; i += GPU_WARP) {
        num_acc rest = num_acc_of(num_load(column + i, w->share, 1));
        rest = num_acc_sub(rest, coefficient, num_load(pivot + i, w->share, 1));
        num_store(column + i, w->share, num_acc_value(rest), 1);
    }
    if (w->rank == 0 && w->lane == 0)
        num_store(w->job->c + w->problem * w->job->c_step + (int64_t)(w->first + j) * w->job->cols + w->first + k,
                  w->job->c_plane, coefficient, 1);
}

/* Copies between w and shared memory in either direction; one warp per plane of a column. */
GPU_FN void panel_copy(const panel_work *w, int back)
{
    for (int e = w->warp; e < w->width * NUM_PLANES; e += LARGE_PANEL_TEAMS) {
        double *here = w->columns + (int64_t)e * w->share;
        double *there = w->job->w + w->problem * w->job->w_step + e % NUM_PLANES * w->job->w_plane +
                        (int64_t)(w->first + e / NUM_PLANES) * w->job->rows + w->begin;
        for (int i = w->lane; i < w->count; i += GPU_WARP)
            if (back)
                there[i] = here[i];
            else
                here[i] = there[i];
    }
}

GPU_FN void panel_run(const mgs_gpu_job *job, int first, int width)
{
    panel_work w;
    w.job = job, w.first = first, w.width = width;
    w.rank = gpu_cluster_rank(), w.blocks = gpu_cluster_size();
    w.problem = gpu_block() / w.blocks;
    w.share = (job->rows + w.blocks - 1) / w.blocks;
    w.begin = w.rank * w.share;
    w.count = job->rows - w.begin < w.share ? job->rows - w.begin : w.share; /* may be below 1 if there are few rows */
    w.lane = gpu_thread() % GPU_WARP, w.warp = gpu_thread() / GPU_WARP;
    w.columns = gpu_shared();
    w.own = w.columns + (int64_t)PANEL_SUMS * w.share;
    w.sums = w.own + 2 * PANEL_SUMS;
    w.arrived = (gpu_barrier *)(w.sums + 2 * w.blocks * PANEL_SUMS);
    if (gpu_thread() < 2)
        gpu_barrier_init(w.arrived + gpu_thread(), 1);
    gpu_barrier_init_done();
    if (first == 0 && w.rank == 0 && gpu_thread() < width && *large_size(job, w.problem, gpu_thread()) != 0)
        gpu_raise(large_outcome(job, w.problem), MGS_NONFINITE);
    panel_copy(&w, 0);
    gpu_cluster_sync();
    for (int k = 0; k < width; k++) {
        const double least = panel_least(&w, k);
        for (int j = k + w.warp; j < width; j += LARGE_PANEL_TEAMS)
            panel_dot(&w, k, j);
        gpu_send_ready();
        gpu_sync();
        panel_send(&w, k);
        gpu_barrier_wait(w.arrived + (k & 1), k >> 1 & 1);
        for (int j = k + w.warp; j < width; j += LARGE_PANEL_TEAMS)
            panel_remove(&w, k, j, least);
        gpu_sync();
    }
    panel_copy(&w, 1);
    gpu_cluster_sync(); /* no block may end while others send to it */
}

#endif
#endif
