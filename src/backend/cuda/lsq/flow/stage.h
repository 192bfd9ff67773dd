/* stage.h - how a block of mgs_flow.cu gets the columns before its own from global memory: by looking at their words until all are
 * written, or, where a counter says that they are, by copies that take their own way. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_FLOW_STAGE_H
#define PLUMB_BACKEND_CUDA_LSQ_FLOW_STAGE_H

#include "backend/cuda/lsq/column.h"

enum { FLOW_THREADS = 256, LOOK = LIMBS == 1 ? 4 : 2 }; /* entries a thread looks for at a time */

typedef struct flow_work {
    const mgs_gpu_job *job;
    int problem, j, entries, used, share;
    int known; /* columns that were ready the last time we looked at the counter */
    double *column,
        *stage[2]; /* shared memory; two stages for columns on their way, each with its size and bound behind it */
    team<FLOW_THREADS> mates;
} flow_work;

/* Words of a column as a thread has found them, and what is beside the column: its size and its bound. */
typedef struct found_words {
    double v[LOOK][LIMBS], beside[FLOW_BESIDE];
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

/* Column k, which is known to be there, into a stage, on its own way. */
GPU_FN void copy_column(const flow_work *w, int k, double *stage)
{
    for (int e = w->mates.lane; e < w->used; e += FLOW_THREADS) {
        const double *from = column_of(w, k, e % PARTS) + e / PARTS;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            gpu_copy(LIMBS == 1 ? stage + e : stage + 2 * (q / 2 * w->entries + e) + q % 2, from + q * w->job->w_plane);
    }
}

/* The same, with what is beside it. */
GPU_FN void copy_pivot(const flow_work *w, int k, double *stage)
{
    copy_column(w, k, stage);
    LANE_UNROLL
    for (int q = 0; q < FLOW_BESIDE; q++)
        if (w->mates.lane == 0)
            gpu_copy(stage + w->entries * LIMBS + q, job_beside(w->job, w->problem, k) + q);
}

/* Looks at the entries of this thread from the i-th on. */
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
    LANE_UNROLL
    for (int q = 0; q < FLOW_BESIDE; q++) {
        found->beside[q] = 0.0;
        if (w->mates.lane == 0)
            found->beside[q] = gpu_word_peek(job_beside(w->job, w->problem, k) + q);
    }
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
    LANE_UNROLL
    for (int q = 0; q < FLOW_BESIDE; q++)
        there &= gpu_high_word(found->beside[q]) != GPU_NOT_YET;
    return there;
}

/* Column k into a stage, as soon as it is there; found is what the first look at it has shown. */
GPU_FN void stage_column(const flow_work *w, int k, double *stage, found_words *found)
{
    for (int i = 0; i < w->share; i += LOOK) {
        if (i > 0)
            look(w, k, i, found);
        while (!all_there(found)) {
            if (w->j > k + 2) /* others are next, and may be on the same multiprocessor */
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
    LANE_UNROLL
    for (int q = 0; q < FLOW_BESIDE; q++)
        if (w->mates.lane == 0)
            stage[w->entries * LIMBS + q] = found->beside[q];
}

/* The inverse of the square norm of column k, when it is there. A thread of a warp looks for one limb. */
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

#endif
