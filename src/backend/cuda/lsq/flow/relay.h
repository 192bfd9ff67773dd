/* relay.h - back substitution in qd by several blocks of one warp each, with coefficients in global memory, after
 * mgs_flow.cu and mgs_panel.cu.
 *
 * A thread has one part of one row, a block the rows that a warp has threads for. The block of the last rows finds their
 * unknowns one after the other, and gives each to its other threads by a shuffle and to the other blocks through global
 * memory, where words that have not been written yet are marked (GPU_NOT_YET). The other blocks remove these unknowns from
 * their rows meanwhile; then the next one continues. The block of the first rows sees all unknowns, and stores the results.
 * Blocks wait only for blocks with lower numbers. Coefficients and unknowns of other blocks are requested one ahead. Loops are
 * not unrolled: the instructions of four unknowns take longer to fetch than to execute. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_FLOW_RELAY_H
#define PLUMB_BACKEND_CUDA_LSQ_FLOW_RELAY_H

#include "backend/cuda/lsq/back.h"

enum { RELAY_ROWS = GPU_WARP / PARTS, RELAY_WORDS = PARTS * LIMBS };

/* Unknown k of right-hand side b on its way from block to block. */
GPU_FN double *relay_words(const mgs_gpu_job *job, int problem, int b, int k)
{
    const int64_t left = (int64_t)(job->all - b) * job->cols - k;
    return job->w + (problem + 1) * job->w_step - left * RELAY_WORDS;
}

GPU_FN void relay_look(const double *from, double *v)
{
    LANE_UNROLL
    for (int q = 0; q < RELAY_WORDS; q += 2)
        gpu_words_peek(from + q, v + q, v + q + 1);
}

GPU_FN int relay_missing(const double *v)
{
    int missing = 0;
    LANE_UNROLL
    for (int q = 0; q < RELAY_WORDS; q++)
        missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
    return missing;
}

/* The state of a thread. */
typedef struct relay_work {
    int n, row, part;
    const double *from; /* its coefficient of the next column to be requested */
    int64_t plane;
    int column;  /* that column */
    real re, im; /* the coefficient that has been requested */
    real rest;
} relay_work;

/* Requests the coefficient of the next column; zero on the diagonal and below. */
GPU_FN void relay_request(relay_work *w)
{
    w->re = w->im = real_set(0.0);
    if (w->row < w->column) {
        w->re = real_load(w->from, w->plane, 1);
        if (PARTS == 2)
            w->im = real_load(w->from + LIMBS * w->plane, w->plane, 1);
    }
    w->from -= w->n;
    w->column--;
}

/* Removes an unknown, `mine` being its part like that of the thread. */
GPU_FN void relay_remove(relay_work *w, real mine, real other)
{
    const real re = w->re, im = real_flip(w->im, sign_of(w->part + 1));
    relay_request(w);
    w->rest = PARTS == 2 ? qd_rest_2(w->rest, re, mine, im, other, 1) : qd_rest(w->rest, re, mine);
}

/* The part `part` of a number that has been read. */
GPU_FN real relay_part(const double *v, int part)
{
    double r[LIMBS];
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        r[q] = PARTS == 2 && part ? v[(PARTS - 1) * LIMBS + q] : v[q];
    return real_of_limbs(r);
}

/* An unknown of this block, by the threads of its row. A number that is not finite must not look like the mark. */
GPU_FN void relay_publish(double *to, real x)
{
    double v[LIMBS];
    limbs_of_real(v, x);
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        v[q] = gpu_high_word(v[q]) == GPU_NOT_YET ? lane_neg(v[q]) : v[q];
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q += 2)
        gpu_words_set(to + q, v[q], v[q + 1]);
}

/* Finds the unknowns of the rows of this block, for right-hand side b; those of row first + RELAY_ROWS and behind come from
 * other blocks. */
GPU_FN void relay(const mgs_gpu_job *job, int problem, int b, int first)
{
    const int n = job->cols, lane = gpu_thread();
    relay_work w;
    w.n = n;
    w.row = first + lane / PARTS;
    w.part = lane % PARTS;
    w.plane = job->c_plane;
    const double *row = job->c + problem * job->c_step + (w.row < n ? w.row : 0);
    w.rest = real_set(0.0);
    if (w.row < n)
        w.rest = real_load(row + (int64_t)b * n + w.part * LIMBS * w.plane, w.plane, 1);
    w.column = n - 1;
    w.from = row + (int64_t)(n - 1) * n;
    relay_request(&w);
    const int end = first + RELAY_ROWS < n ? first + RELAY_ROWS : n;
    double *words = relay_words(job, problem, b, n - 1), ahead[RELAY_WORDS];
    if (end < n)
        relay_look(words, ahead);
#pragma unroll 1
    for (int j = n - 1; j >= end; j--, words -= RELAY_WORDS) {
        double v[RELAY_WORDS];
        LANE_UNROLL
        for (int q = 0; q < RELAY_WORDS; q++)
            v[q] = ahead[q];
        while (gpu_any(relay_missing(v))) {
            gpu_pause();
            relay_look(words, v);
        }
        relay_look(words - RELAY_WORDS, ahead); /* in the end one of this block, for nothing */
        relay_remove(&w, relay_part(v, w.part), relay_part(v, 1 - w.part));
    }
#pragma unroll 1
    for (int at = (end - 1 - first) * PARTS; at >= 0; at -= PARTS, words -= RELAY_WORDS) {
        if (lane / PARTS * PARTS == at)
            relay_publish(words + w.part * LIMBS, w.rest);
        double mine[LIMBS], other[LIMBS];
        limbs_of_real(mine, w.rest);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            const double limb = mine[q];
            mine[q] = gpu_shuffle(limb, at + w.part);
            other[q] = PARTS == 2 ? gpu_shuffle(limb, at + 1 - w.part) : 0.0;
        }
        relay_remove(&w, real_of_limbs(mine), real_of_limbs(other));
    }
}

/* Stores the results of right-hand side b; all are zero if nothing is set. */
GPU_FN int relay_store(const mgs_gpu_job *job, int problem, int b, int nothing)
{
    const int32_t *exponent = job->exponent + (int64_t)problem * job->all;
    const int rhs = b - job->cols;
    int fits = 1;
    for (int e = gpu_thread(); e < job->cols * PARTS; e += GPU_WARP) {
        const int k = e / PARTS, part = e % PARTS;
        real x = real_set(0.0);
        if (!nothing) {
            double v[LIMBS];
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++)
                v[q] = gpu_word_peek(relay_words(job, problem, b, k) + part * LIMBS + q);
            x = scaled(real_of_limbs(v), exponent[b] - exponent[k], &fits);
        }
        real_store(result_at(&job->x, problem, k, rhs, part), job->x.plane, x, 1);
    }
    if (gpu_thread() == 0) {
        real norm = real_set(0.0);
        if (!nothing)
            norm = scaled(real_sqrt(real_load(job->s + problem * job->s_step + b, job->all, 1)), exponent[b], &fits);
        if (job->residual.data)
            real_store(result_at(&job->residual, problem, 0, rhs, 0), job->residual.plane, norm, 1);
    }
    gpu_sync_warp();
    return !gpu_any(!fits);
}

/* The rest of the work when the coefficients are known: x, residuals, info. */
GPU_FN void relay_solve(const mgs_gpu_job *job)
{
    const int problem = gpu_block_y(), first = ((job->cols - 1) / RELAY_ROWS - gpu_block()) * RELAY_ROWS;
    if (job->x.data)
        for (int b = job->cols; b < job->all; b++)
            relay(job, problem, b, first);
    gpu_sync_warp();
    if (first > 0)
        return;
    const int failed = gpu_flag_get(job_flag(job, problem, MGS_OUTCOME));
    int fits = 1;
    for (int b = job->cols; b < job->all && job->x.data; b++)
        fits &= relay_store(job, problem, b, failed);
    for (int b = job->cols; !fits && b < job->all; b++)
        (void)relay_store(job, problem, b, 1);
    if (gpu_thread() == 0)
        put_info(job->info + problem, job->failures, !fits ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

#endif
