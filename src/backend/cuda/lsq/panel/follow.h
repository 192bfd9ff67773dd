/* follow.h - what all warps of a block of mgs_panel_quad.h know, and those of them that take origins along.
 *
 * With every column goes its origin (mgs_small_origin.h): which combination of the columns of A, in their first state, it is by now.
 * Its followers do to it in each step what others do to the column, with the same coefficient, in the time that those wait for the
 * next column; origins go from block to block as columns do. That of a right-hand side ends as -x. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_FOLLOW_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_FOLLOW_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/panel/panel.h"

/* A block: its column, and what its warps leave for each other in shared memory. */
struct quad_block {
    const mgs_gpu_job *job;
    int problem, column, steps;   /* steps: columns that are removed from it */
    int along;                    /* whether there are origins */
    double *inverses;             /* of the square norms of columns */
    double *coefficients, *about; /* of the steps; of the column: exponent, whether it is finite */
    gpu_barrier *inverse_ready, *coefficient_ready;
};

/* A row as a thread has found it, real part first. */
struct found_row {
    double v[PARTS * LIMBS];
};

/* Whether a thread of the warp misses words. */
GPU_FN int row_missing(const found_row *f)
{
    int none = 0;
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        none |= gpu_high_word(f->v[q]) == GPU_NOT_YET;
    return gpu_any(none);
}

/* A thread has SHARE entries of the origin. */
template <int WARPS, int SHARE> struct follower : quad_block {
    static const int threads = GPU_WARP * WARPS, rows_apart = threads / PARTS;

    team<threads> mates;
    double *words; /* of this thread's first row, of the origin of column 0 */
    real origin[SHARE];

    __device__ __forceinline__ int row(int i) const
    {
        return mates.lane / PARTS + rows_apart * i;
    }

    __device__ __forceinline__ void look(int k, int i, found_row *f) const
    {
        LANE_UNROLL
        for (int q = 0; q < PARTS * LIMBS; q++) {
            f->v[q] = 0.0;
            if (row(i) <= k)
                f->v[q] = gpu_word_peek(words + q * job->c_plane + (int64_t)k * job->cols + rows_apart * i);
        }
    }

    __device__ __forceinline__ void await(int k, int i, found_row *f) const
    {
        look(k, i, f);
        while (row_missing(f)) {
            gpu_pause();
            look(k, i, f);
        }
    }

    /* Whether one of the i-th rows of this warp is not zero in the origin of column k. */
    __device__ __forceinline__ int reaches(int i, int k) const
    {
        return mates.warp * (GPU_WARP / PARTS) + rows_apart * i <= k;
    }

    /* The origin is what it will be: to the others. */
    __device__ __forceinline__ void publish(void)
    {
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++) {
            double v[LIMBS];
            limbs_of_real(v, origin[i]);
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++)
                if (row(i) <= column)
                    gpu_word_set(words + (mates.lane % PARTS * LIMBS + q) * job->c_plane + (int64_t)column * job->cols +
                                     rows_apart * i,
                                 v[q]);
        }
    }

    /* All steps. */
    __device__ __forceinline__ void work(void)
    {
        const int part = mates.lane % PARTS;
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            origin[i] = real_set(column < job->cols && row(i) == column && part == 0 ? 1.0 : 0.0);
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            found_row f[SHARE];
            LANE_UNROLL
            for (int i = 0; i < SHARE; i++)
                if (reaches(i, k))
                    await(k, i, &f[i]);
            gpu_barrier_sleep(coefficient_ready + k, 0);
            const double *from = coefficients + k * PARTS * LIMBS;
            const real c = real_of_limbs(from + part * LIMBS),
                       minus = real_flip(real_of_limbs(from + (1 - part) * LIMBS), sign_of(part) ^ (int)0x80000000u);
            LANE_UNROLL
            for (int i = 0; i < SHARE; i++)
                if (reaches(i, k))
                    origin[i] = qd_rest_2(origin[i], c, real_of_limbs(f[i].v), minus, real_of_limbs(f[i].v + LIMBS), 1);
        }
        if (column < job->cols)
            publish();
    }

    /* The exponent of column k, which its block has left. */
    __device__ __forceinline__ int exponent_of(int k) const
    {
        const double *word = job_beside(job, problem, k) + PANEL_QUAD_EXPONENT;
        double found = gpu_word_peek(word);
        while (gpu_high_word(found) == GPU_NOT_YET) {
            gpu_pause();
            found = gpu_word_peek(word);
        }
        return (int)found;
    }

    /* The block has a right-hand side, the only one, and all of it has met after the last step: x, residual and outcome. */
    __device__ __forceinline__ void finish(void)
    {
        const int n = job->cols, exponent = (int)about[0];
        const real zero = real_set(0.0);
        int failed = about[1] != 0.0 ? 0 : MGS_NONFINITE, fits = 1, exponents[SHARE];
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++) {
            exponents[i] = row(i) < n ? exponent_of(row(i)) : 0;
            const int wrong = row(i) >= n                            ? 0
                              : exponents[i] == PANEL_QUAD_NONFINITE ? MGS_NONFINITE
                              : inverses[row(i) * LIMBS] == 0.0      ? MGS_DEPENDENT - row(i)
                                                                     : 0;
            failed = wrong > failed ? wrong : failed;
        }
        gpu_sync_warp();
        failed = team_max(&mates, failed);
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            origin[i] = failed || row(i) >= n
                            ? zero
                            : scaled(real_flip(origin[i], (int)0x80000000u), exponent - exponents[i], &fits);
        real norm = zero;
        if (mates.lane == 0 && !failed)
            norm = scaled(real_sqrt(real_load(job->s + problem * job->s_step + n, job->all, 1)), exponent, &fits);
        gpu_sync_warp();
        const int beyond = team_max(&mates, !fits);
        LANE_UNROLL
        for (int i = 0; i < SHARE; i++)
            if (row(i) < n)
                real_store(result_at(&job->x, problem, row(i), 0, mates.lane % PARTS), job->x.plane,
                           beyond ? zero : origin[i], 1);
        if (mates.lane != 0)
            return;
        if (job->residual.data)
            real_store(result_at(&job->residual, problem, 0, 0, 0), job->residual.plane, beyond ? zero : norm, 1);
        job->info[problem] = beyond ? -PLUMB_ERR_RANGE : outcome_info(failed);
    }
};

#endif
