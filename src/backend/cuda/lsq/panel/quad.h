/* quad.h - the panels of qd: one column per block, in registers, one part of one row per thread.
 *
 * Every thread polls the row it needs of the next column in global memory itself until all its words are written
 * (GPU_NOT_YET); nothing of a column passes through shared memory. The inverse of its square norm, which comes later,
 * is fetched by one more warp, the courier, which does nothing else.
 *
 * Followers make back substitution unnecessary. Every column has an origin (small/origin.h): the combination of the
 * given columns of A that it has become. In each step the followers of a block apply the operation on the column to
 * the origin, with the same coefficient, while the other warps wait for the next column; origins go from block to
 * block as columns do. The origin of a right-hand side ends as -x. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_QUAD_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_QUAD_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/levels.h"
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

/* A row as a thread has read it, real part first. */
struct found_row {
    double v[PARTS * LIMBS];
};

/* True if a thread of the warp is still missing words. */
GPU_FN int row_missing(const found_row *f)
{
    int none = 0;
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        none |= gpu_high_word(f->v[q]) == GPU_NOT_YET;
    return gpu_any(none);
}

/* ---- Followers -------------------------------------------------------------------------------------------------------- */

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

    /* True if one of the i-th rows of this warp is not zero in the origin of column k. */
    __device__ __forceinline__ int reaches(int i, int k) const
    {
        return mates.warp * (GPU_WARP / PARTS) + rows_apart * i <= k;
    }

    /* The origin is final: publish it. */
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

    /* Runs all steps. */
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

    /* The exponent of column k, stored by its block. */
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

    /* For the block of the only right-hand side, after all its threads have synchronised after the last step:
     * computes x, residual and outcome. */
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
        put_info(job->info + problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
    }
};

/* ---- The team that has the column -------------------------------------------------------------------------- */

template <int WARPS> struct panel_quad : quad_block {
    static const int threads = GPU_WARP * WARPS;

    int used, there; /* entries of a column, whether this thread has one */
    team<threads> mates;
    double *words; /* of this thread's row of column 0 */
    double least;  /* the square norm of an independent column is larger */
    real own, beside;

    /* Reads the row of column k that this thread needs, and the largest entry of the column found by one of its
     * warps. */
    __device__ __forceinline__ void look(int k, found_row *f, double *size) const
    {
        LANE_UNROLL
        for (int q = 0; q < PARTS * LIMBS; q++) {
            f->v[q] = 0.0;
            if (there)
                f->v[q] = gpu_word_peek(words + q * job->w_plane + (int64_t)k * job->rows);
        }
        *size = 0.0;
        if (mates.lane % GPU_WARP < WARPS)
            *size = gpu_word_peek(job_beside(job, problem, k) + mates.lane % GPU_WARP);
    }

    /* Waits for the same; returns the high word of the largest entry of the column. */
    __device__ __forceinline__ int await(int k, found_row *f) const
    {
        double size;
        look(k, f, &size);
        while (row_missing(f) || gpu_any(gpu_high_word(size) == GPU_NOT_YET)) {
            gpu_pause();
            look(k, f, &size);
        }
        return gpu_max((int)size);
    }

    /* Removes column k from the column of the team. */
    __device__ __forceinline__ void take(int k)
    {
        found_row f;
        const int size = await(k, &f), sign = sign_of(mates.lane);
        const real re = real_of_limbs(f.v), im = real_of_limbs(f.v + LIMBS);
        const level_grid grid = grid_of(sum_top(size, 0, used), used);
        level_sum sum = levels_begin(grid);
        levels_take(&sum, re, own);
        levels_take(&sum, im, real_flip(beside, sign));
        const real total = levels_value(team_sum<PARTS>(&mates, levels_end(sum, grid)));
        gpu_barrier_wait(inverse_ready + k, 0);
        const real c = real_mul(total, real_of_limbs(inverses + k * LIMBS));
        const real minus = real_flip(real_of_neighbour(c), sign ^ (int)0x80000000u);
        own = qd_rest_2(own, c, re, minus, im, 1);
        if (k + 1 == column)
            publish();
        beside = real_of_neighbour(own);
        leave_coefficient(k, c);
    }

    __device__ __forceinline__ void leave_coefficient(int k, real c)
    {
        if (!along && mates.lane < PARTS)
            real_store(job->c + problem * job->c_step + mates.lane * LIMBS * job->c_plane +
                           (int64_t)column * job->cols + k,
                       job->c_plane, c, 1);
        if (!along || mates.warp > 0)
            return;
        if (mates.lane < PARTS)
            limbs_of_real(coefficients + (k * PARTS + mates.lane) * LIMBS, c);
        gpu_sync_warp();
        if (gpu_arrives(mates.lane))
            gpu_barrier_arrive(coefficient_ready + k);
    }

    /* The column is final: publish it, then the inverse of its square norm. */
    __device__ __forceinline__ void publish(void)
    {
        double v[LIMBS], *to = job_beside(job, problem, column);
        limbs_of_real(v, own);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            if (there)
                gpu_word_set(words + (mates.lane % PARTS * LIMBS + q) * job->w_plane + (int64_t)column * job->rows,
                             v[q]);
        int size = gpu_max(gpu_high_word(v[0]) & 0x7fffffff);
        if (mates.lane % GPU_WARP == 0)
            gpu_word_set(to + mates.warp, (double)size);
        gpu_sync_warp();
        size = team_max(&mates, size);
        const level_grid grid = grid_of(sum_top(size, (size >> 20) - 1022, used), used);
        level_sum sum = levels_begin(grid);
        levels_take_square(&sum, own);
        sum = team_sum<1>(&mates, levels_end(sum, grid));
        const real square = levels_value(sum),
                   inverse = inverse_from(square, gpu_reciprocal_near(lane_add(sum.v[0], sum.v[1])));
        const int pivot = column < job->cols, depends = pivot && !(real_head(square) > least);
        if (mates.lane == 0) {
            limbs_of_real(v, depends ? real_set(0.0) : inverse);
            LANE_UNROLL
            for (int q = 0; pivot && q < LIMBS; q++)
                gpu_word_set(to + PANEL_QUAD_INVERSE + q, v[q]);
            real_store(job->s + problem * job->s_step + column, job->all, square, 1);
            if (depends && !along)
                gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_DEPENDENT - column);
        }
        gpu_sync_warp();
    }

    __device__ __forceinline__ void load(void)
    {
        int64_t plane;
        const double *from = job_column(job, problem, column, &plane);
        double v[LIMBS] = {0.0};
        int size = 0;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            if (there)
                v[q] = from[(mates.lane % PARTS * LIMBS + q) * plane + mates.lane / PARTS];
            const int high = gpu_high_word(v[q]) & 0x7fffffff;
            size = high > size ? high : size;
        }
        size = team_max(&mates, size);
        const int finite = size < 0x7ff00000, exponent = finite ? size_exponent(size) : 0;
        const pair power = scale_factors(exponent);
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++)
            v[q] = finite ? lane_mul(lane_mul(v[q], power.x), power.y)
                          : 0.0; /* write numbers, because others wait for them */
        own = real_of_limbs(v);
        beside = real_of_neighbour(own);
        least = lane_mul(job->dependent, team_sum_double(&mates, lane_mul(v[0], v[0])));
        if (mates.lane == 0) {
            about[0] = exponent, about[1] = finite;
            job->exponent[(int64_t)problem * job->all + column] = exponent;
            gpu_word_set(job_beside(job, problem, column) + PANEL_QUAD_EXPONENT,
                         (double)(finite ? exponent : PANEL_QUAD_NONFINITE));
            if (!finite && !along)
                gpu_raise(job_flag(job, problem, MGS_OUTCOME), MGS_NONFINITE);
        }
        gpu_sync_warp();
    }

    /* Runs all steps of the team. */
    __device__ __forceinline__ void work(void)
    {
        load();
        if (column == 0)
            publish();
#pragma unroll 1
        for (int k = 0; k < steps; k++)
            take(k);
        if (column > job->cols)
            publish();
    }
};

/* The courier fetches the inverses of square norms as they become ready. */
GPU_FN void quad_fetch(const quad_block *block)
{
    const int lane = gpu_thread() % GPU_WARP;
    for (int k = 0; k < block->steps; k++) {
        const double *from = job_beside(block->job, block->problem, k) + PANEL_QUAD_INVERSE + lane % LIMBS;
        double word = gpu_word_peek(from);
        while (gpu_any(gpu_high_word(word) == GPU_NOT_YET)) {
            gpu_pause();
            word = gpu_word_peek(from);
        }
        if (lane < LIMBS)
            block->inverses[k * LIMBS + lane] = word;
        gpu_sync_warp();
        if (gpu_arrives(lane))
            gpu_barrier_arrive(block->inverse_ready + k);
    }
}

template <class TEAM> GPU_FN void quad_team(TEAM *team, int first_thread, double *exchange, int barrier)
{
    team->mates.lane = gpu_thread() - first_thread;
    team->mates.warp = team->mates.lane / GPU_WARP;
    team->mates.barrier = barrier;
    team->mates.turn = 0;
    team->mates.exchange = exchange;
}

/* Shared memory: PANEL_QUAD_ROOM. */
template <int WARPS> GPU_FN void panel_quad_run(const mgs_gpu_job *job, int along)
{
    const int follower_warps = PANEL_QUAD_FOLLOWERS(WARPS), exchange = 2 * WARPS * EXCHANGE, n = job->cols;
    quad_block block;
    block.job = job;
    block.problem = gpu_block_y();
    block.along = along;
    block.inverses = gpu_shared();
    block.coefficients = block.inverses + n * LIMBS;
    block.about = block.coefficients + n * PARTS * LIMBS;
    double *room = block.about + 2;
    block.inverse_ready = (gpu_barrier *)(room + 2 * exchange);
    block.coefficient_ready = block.inverse_ready + n;
    int32_t *number = (int32_t *)(block.coefficient_ready + n);
    for (int k = gpu_thread(); k < 2 * n; k += gpu_threads())
        gpu_barrier_init(block.inverse_ready + k, gpu_arrivals(GPU_WARP));
    if (gpu_thread() == 0)
        *number = gpu_fetch_add((int32_t *)(job_beside(job, block.problem, 0) + PANEL_QUAD_TICKET), 1) + 1;
    gpu_sync();
    block.column = *number;
    block.steps = block.column < n ? block.column : n;
    const int solves = along && block.column == n;
    if (gpu_thread() < GPU_WARP * WARPS) {
        panel_quad<WARPS> team;
        (quad_block &)team = block;
        quad_team(&team, 0, room, 1);
        team.used = job->rows * PARTS;
        team.there = gpu_thread() < team.used;
        team.words = job->w + block.problem * job->w_step + gpu_thread() / PARTS;
        team.work();
    } else if (gpu_thread() >= GPU_WARP * (WARPS + follower_warps))
        quad_fetch(&block);
    else if (along) {
        follower<follower_warps, WARPS / follower_warps> team;
        (quad_block &)team = block;
        quad_team(&team, GPU_WARP * WARPS, room + exchange, 2);
        team.words = job_beside(job, block.problem, job->all) + team.mates.lane / PARTS;
        team.work();
        if (solves) {
            gpu_sync();
            team.finish();
        }
        return;
    }
    if (solves)
        gpu_sync();
}

#endif
