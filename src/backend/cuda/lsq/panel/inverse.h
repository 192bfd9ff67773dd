/* inverse.h - x along with the columns of mgs_panel.cu, in d and dd, for one right-hand side: a kernel that runs beside that one.
 *
 * Row i of the inverse Z of the triangle C follows from Z C = I without any other row:
 *
 *   z_ii = 1,   z_ij = -(sum over k = i .. j - 1 of z_ik c_kj),   x_i = sum over k >= i of z_ik y_k
 *
 * for a right-hand side with coefficients y_k. A warp has a row, each thread one number in 32, and takes the columns of C as they
 * are found: a short product and a sum over the warp each, which takes less time than the step of the panels that finds the next
 * column. Nothing but C comes from anywhere else. After the last step one product and one sum are left, where back substitution
 * has a chain of all unknowns.
 *
 * Couriers, warps of their own, fetch columns of C into places in shared memory for the rows of the block. Coefficients announce
 * themselves, like the columns of panels: their words are GPU_NOT_YET before. The right-hand side is taken in pieces of 32
 * coefficients as well, so that only one piece is left at the end. Of the last piece, all terms but the last one are
 * added up before that one comes, and the rows read its coefficient themselves. Unknowns go through global memory to the last block, which
 * stores them and the outcome.
 *
 * Blocks wait for the panels, all of which have begun before this kernel does, and the last one for those before it.
 *
 * A product with an inverse is as good as back substitution if terms do not cancel. With an error in z_ij of the unit roundoff
 * times the sum of |z_ik| |c_kj|, Z C = I + E, and x is wrong by E x and by what sums of z_ik y_k lose. So none of the former sums may
 * exceed 2^GROWTH, and none of those of |z_ik| |y_k| 2^X_GROWTH times the largest unknown; else the last block does back substitution.
 * (Each thread keeps the largest of its sums over all j, and these are added up at the end: an upper bound.) Columns have entries up to about 1
 * here, so neither depends on how the columns of A are scaled. For random matrices of 256 columns the sums are about 15 and 70. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_INVERSE_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_INVERSE_H

#include "backend/cuda/lsq/flow/chase.h"
#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/panel/panel.h"

enum { X_GROWTH = GROWTH + 2 };

/* A word for another block: a number that is not finite must not look like the mark. */
GPU_FN double announced(double v)
{
    return gpu_high_word(v) == GPU_NOT_YET ? lane_neg(v) : v;
}

/* What a block takes next: column j of C, or, after columns of a multiple of 32 and at the end, coefficients of the right-hand side,
 * without the last one. */
struct inverse_item {
    int j, side;
    __device__ __forceinline__ void advance(int n)
    {
        if (!side && j % GPU_WARP == 0)
            side = 1;
        else
            side = ++j == n;
    }
};

/* CHUNKS numbers of a row per thread, ROWS rows per block. TOLD: what the last block has to know of the columns comes in words beside
 * them, and all words, those of unknowns, too, are kept (flow/mark.h). Otherwise it waits for the end of the panels. */
template <int CHUNKS, int ROWS, bool TOLD> struct inverse_rows {
    static const int a_number = PARTS * LIMBS, height = GPU_WARP * CHUNKS, slots = INVERSE_SLOTS;
    static const int step = a_number * height;
    static const int together = CHUNKS < 4 ? CHUNKS : 4; /* chunks that are read before the first of them is used */

    const mgs_gpu_job *job;
    int problem, n, first, rows, lane; /* first row of the block, and how many it has */
    double *places;                    /* in shared memory: columns of C */
    gpu_barrier *ready, *taken;        /* of each place: its column has come; all rows have read it */
    double *unknowns; /* in global memory: words of the unknowns, and how large sums became on the way */

    __device__ __forceinline__ void range(inverse_item it, int *low, int *high) const
    {
        *high = (it.j - 1) / GPU_WARP;
        *low = it.side ? *high : first / GPU_WARP;
    }
    /* The number of coefficients of an item, from the first one of its column on. */
    __device__ __forceinline__ int count(inverse_item it) const
    {
        return it.j - (it.side && it.j == n);
    }
    __device__ __forceinline__ inverse_item begin(void) const
    {
        inverse_item it = {first + 1, first + 1 == n};
        return it;
    }

    /* The work of a courier: every INVERSE_COURIERS-th item, in chunks of 32 coefficients. Chunks of which some are missing are read
     * again, after a nap if the turn of the column is not near. Threads without a coefficient read the first one. */
    __device__ __forceinline__ void fetch(int which) const
    {
        inverse_item it = begin();
        for (int number = 0, slot = 0, parity = 1; it.j <= n; number++, it.advance(n)) {
            if (number % INVERSE_COURIERS == which) {
                const double *from = job->c + problem * job->c_step + (int64_t)(it.side ? job->cols : it.j) * job->cols;
                double *place = places + slot * step + 2 * lane, v[CHUNKS][a_number];
                const int there = count(it);
                int low, high;
                range(it, &low, &high);
                for (int missing = (2 << high) - (1 << low); missing;) { /* a bit for each chunk */
                    LANE_UNROLL
                    for (int i = 0; i < CHUNKS; i++)
                        if (missing >> i & 1) {
                            const int k = lane + GPU_WARP * i;
                            LANE_UNROLL
                            for (int q = 0; q < a_number; q++)
                                v[i][q] = gpu_word_peek(from + (k < there ? k : 0) + q * job->c_plane);
                        }
                    int far = 0;
                    LANE_UNROLL
                    for (int i = 0; i < CHUNKS; i++)
                        if (missing >> i & 1) {
                            int words = 0;
                            LANE_UNROLL
                            for (int q = 0; q < a_number; q++)
                                words |= gpu_high_word(v[i][q]) == GPU_NOT_YET;
                            far |= words && lane + GPU_WARP * i < it.j - INVERSE_NEAR;
                            missing &= ~(gpu_any(words) ? 0 : 1 << i);
                        }
                    if (missing) {
                        if (gpu_any(far))
                            gpu_nap();
                        else
                            gpu_pause();
                    }
                }
                if (number >= slots)
                    gpu_barrier_sleep(taken + slot, parity);
                LANE_UNROLL
                for (int i = 0; i < CHUNKS; i++)
                    if (i / together >= low / together && i <= high) {
                        const int none = i < low || lane + GPU_WARP * i >= there;
                        LANE_UNROLL
                        for (int q = 0; q < LIMBS; q++)
                            *(pair *)(place + 2 * (q * height + GPU_WARP * i)) =
                                pair{none ? 0.0 : v[i][2 * q], none ? 0.0 : v[i][2 * q + 1]};
                    }
                gpu_sync_warp();
                if (gpu_arrives(lane))
                    gpu_barrier_arrive(ready + slot);
            }
            if (++slot == slots)
                slot = 0, parity ^= 1;
        }
    }

    /* The sum over the warp; half of it adds up each part. All threads get the same bits. */
    __device__ __forceinline__ num total(num_acc sum) const
    {
        const int second = lane >= GPU_WARP / 2;
        real_acc a =
            acc_merge(real_select(second, sum.im, sum.re), acc_of_other(real_select(second, sum.re, sum.im), 16));
        LANE_UNROLL
        for (int with = GPU_WARP / 4; with > 0; with >>= 1)
            a = acc_merge(a, acc_of_other(a, with));
        const real mine = acc_total(a), other = acc_of_other(mine, GPU_WARP / 2);
        return cplx_make(real_select(second, other, mine), real_select(second, mine, other));
    }

    /* Takes some chunks of a column, which are zero where there are no coefficients. */
    __device__ __forceinline__ void take(const double *place, int chunk, const num *z, num_acc *sum,
                                         double *sizes) const
    {
        num c[together];
        LANE_UNROLL
        for (int i = 0; i < together; i++) {
            double v[a_number];
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                const pair p = *(const pair *)(place + 2 * (q * height + GPU_WARP * (chunk + i)));
                v[2 * q] = p.x, v[2 * q + 1] = p.y;
            }
            c[i] = num_of_limbs(v);
        }
        LANE_UNROLL
        for (int i = 0; i < together; i++) {
            *sum = rest_loose(*sum, c[i], z[i]);
            *sizes = lane_fma(modulus_bound(c[i]), modulus_bound(z[i]), *sizes);
        }
    }

    /* The work of a warp that has row r. */
    __device__ __forceinline__ void work(int r) const
    {
        num z[CHUNKS];
        num_acc x = num_acc_zero();
        num last = cplx_make(real_set(1.0), real_set(0.0)); /* the last number that was found */
        double x_growth = 0.0;
        int growth = 0; /* the largest sum of moduli of this thread, as its high word */
        LANE_UNROLL
        for (int i = 0; i < CHUNKS; i++)
            z[i] = cplx_make(real_set(lane + GPU_WARP * i == r ? 1.0 : 0.0), real_set(0.0));
        inverse_item it = begin();
#pragma unroll 1
        for (int slot = 0, parity = 0; it.j <= n; it.advance(n)) {
            int low, high;
            range(it, &low, &high);
            num_acc sum = it.side ? x : num_acc_zero();
            double sizes = it.side ? x_growth : 0.0;
            gpu_barrier_sleep(ready + slot, parity);
            const double *place = places + slot * step + 2 * lane;
            LANE_UNROLL
            for (int i = 0; i < CHUNKS; i += together)
                if (i <= high && low < i + together)
                    take(place, i, z + i, &sum, &sizes);
            gpu_sync_warp();
            if (gpu_arrives(lane))
                gpu_barrier_arrive(taken + slot);
            if (++slot == slots)
                slot = 0, parity ^= 1;
            if (it.side)
                x = sum, x_growth = sizes;
            else {
                const num found = total(sum);
                const int size = size_of(sizes);
                LANE_UNROLL
                for (int i = 0; i < CHUNKS; i++)
                    if (lane + GPU_WARP * i == it.j && it.j > r)
                        z[i] = found;
                last.re = real_select(it.j > r, found.re, last.re), last.im = real_select(it.j > r, found.im, last.im);
                growth = size > growth ? size : growth;
            }
        }
        finish(r, total(x), last, x_growth, growth);
    }

    /* Unknown r from the sum of all terms but the last one, -(z_ik y_k): the rows read the last coefficient themselves, and have only
     * its product to add. */
    __device__ __forceinline__ void finish(int r, num sum, num last, double x_growth, int growth) const
    {
        const double *from = job->c + problem * job->c_step + (int64_t)job->cols * job->cols + n - 1;
        double v[INVERSE_WORDS(LIMBS)];
        LANE_UNROLL
        for (int q = 0; q < a_number; q++)
            v[q] = gpu_word_peek(from + q * job->c_plane);
        const int grown = size_of(group_sum<GPU_WARP, 1>(gpu_of_high_word(growth)));
        x_growth = group_sum<GPU_WARP, 1>(x_growth);
        for (int missing = 1; missing;) {
            missing = 0;
            LANE_UNROLL
            for (int q = 0; q < a_number; q++)
                missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
            if (gpu_any(missing)) {
                missing = 1;
                gpu_pause();
                LANE_UNROLL
                for (int q = 0; q < a_number; q++)
                    v[q] = gpu_word_peek(from + q * job->c_plane);
            }
        }
        const num y = num_of_limbs(v);
        x_growth = lane_fma(modulus_bound(y), modulus_bound(last), x_growth);
        num_store(v, 1, num_neg(num_acc_value(rest_loose(num_acc_of(sum), y, last))), 1);
        v[a_number] = grown > (1023 + GROWTH) << 20 ? gpu_of_high_word(0x7ff00000) : x_growth;
        v[a_number + 1] = 0.0;
        LANE_UNROLL
        for (int q = 0; q < INVERSE_WORDS(LIMBS); q += 2)
            if (lane == q)
                gpu_words_set(unknowns + q * n + 2 * r, announced(v[q]), announced(v[q + 1]));
    }

    /* What the last block has to know of the columns. */
    struct known {
        int failed; /* what went wrong in the column of this thread, or in any */
        chase_scale scale;
    };

    /* The same from words beside the columns. The last ones, of the residual, come soon after the last coefficient. */
    __device__ __forceinline__ known ask(int k) const
    {
        const double *own = job_beside(job, problem, k < n ? k : n), *side = job_beside(job, problem, n);
        double v[2], w[2], exponent, of_b;
        for (int missing = 1; missing;) {
            gpu_words_peek(own, &v[0], &v[1]);
            gpu_words_peek(side, &w[0], &w[1]);
            exponent = gpu_word_peek(own + FLOW_BESIDE), of_b = gpu_word_peek(side + FLOW_BESIDE);
            missing = gpu_high_word(v[0]) == GPU_NOT_YET || gpu_high_word(v[1]) == GPU_NOT_YET ||
                      gpu_high_word(w[0]) == GPU_NOT_YET || gpu_high_word(w[1]) == GPU_NOT_YET ||
                      gpu_high_word(exponent) == GPU_NOT_YET || gpu_high_word(of_b) == GPU_NOT_YET;
            if (missing)
                gpu_nap();
        }
        const int nonfinite = exponent == BESIDE_NONFINITE || of_b == BESIDE_NONFINITE;
        const known found = {nonfinite              ? MGS_NONFINITE
                             : k < n && v[0] == 0.0 ? MGS_DEPENDENT - k
                                                    : 0,
                             {k < n ? (int)exponent : 0, (int)of_b, real_of_limbs(w)}};
        return found;
    }

    __device__ __forceinline__ known learn(int k) const
    {
        if constexpr (TOLD)
            return ask(k);
        gpu_previous_done();
        const known found = {gpu_flag_peek(job_flag(job, problem, MGS_OUTCOME)), chase_scale_of(job, problem, n)};
        return found;
    }

    /* The words that this thread of the last block has read are marked again. */
    __device__ __forceinline__ void keep_words(int k) const
    {
        LANE_UNROLL
        for (int q = 0; q < INVERSE_WORDS(LIMBS); q++)
            if (k < n)
                mark_word(unknowns + q / 2 * 2 * n + 2 * k + q % 2);
        LANE_UNROLL
        for (int q = 0; q < FLOW_WORDS(LIMBS); q++)
            if (k <= n)
                mark_word(job_beside(job, problem, k) + q);
    }

    /* The last block, which has a thread for every unknown, stores them and the outcome. What does not depend on the unknowns is done
     * before they come. */
    __device__ __forceinline__ void collect(int32_t *size, int32_t *grown, int32_t *out_of_range,
                                            int32_t *outcome) const
    {
        const int k = gpu_thread(), mine = k < n, last = k == gpu_threads() - 1;
        const known column = learn(k);
        const real zero = real_set(0.0);
        real norm = zero;
        int fits = 1;
        gpu_sync_warp();
        if (last)
            norm = scaled(real_sqrt(column.scale.square), column.scale.of_b, &fits);
        gpu_sync_warp();
        const int wrong = gpu_max(column.failed);
        double v[INVERSE_WORDS(LIMBS)] = {0.0};
        for (int missing = mine; missing;) {
            missing = 0;
            LANE_UNROLL
            for (int q = 0; q < INVERSE_WORDS(LIMBS); q += 2)
                gpu_words_peek(unknowns + q * n + 2 * k, v + q, v + q + 1);
            LANE_UNROLL
            for (int q = 0; q < INVERSE_WORDS(LIMBS); q++)
                missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
            if (missing)
                gpu_pause();
        }
        gpu_sync_warp();
        num x = num_of_limbs(v);
        const int largest = gpu_max(size_of(modulus_bound(x))), most = gpu_max(size_of(v[a_number]));
        x = num_scaled(chase_settled(x), column.scale.of_b - column.scale.own, &fits);
        if (lane == 0) {
            gpu_raise(size, largest);
            gpu_raise(grown, most);
            gpu_raise(outcome, wrong);
        }
        if (!fits)
            *out_of_range = 1;
        gpu_sync();
        const int failed = *outcome, beyond = !failed && *out_of_range;
        if (*grown - (X_GROWTH << 20) > *size && !failed) {
            gpu_previous_done();
            chase_solve<LIMBS == 1 ? 4 : 2>(job, problem, failed, gpu_shared());
        } else {
            if (mine)
                num_store(result_at(&job->x, problem, k, 0, 0), job->x.plane,
                          failed || beyond ? cplx_make(zero, zero) : x, 1);
            if (last && job->residual.data)
                real_store(result_at(&job->residual, problem, 0, 0, 0), job->residual.plane,
                           failed || beyond ? zero : norm, 1);
            if (k == 0)
                put_info(job->info + problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
        }
        if constexpr (TOLD) {
            keep_words(k);
            gpu_previous_done(); /* the next kernel waits for this one alone */
        }
    }

    __device__ __forceinline__ void run(const mgs_gpu_job *given)
    {
        job = given;
        problem = gpu_block_y();
        n = job->cols;
        first = gpu_block() * ROWS;
        rows = n - first < ROWS ? n - first : ROWS;
        lane = gpu_thread() % GPU_WARP;
        places = gpu_shared();
        ready = (gpu_barrier *)(places + slots * step);
        taken = ready + slots;
        unknowns = job->w + (problem + 1) * job->w_step - (int64_t)n * INVERSE_WORDS(LIMBS);
        int32_t *size = (int32_t *)(taken + slots), *grown = size + 1;
        gpu_next_may_begin();
        for (int k = gpu_thread(); k < slots; k += gpu_threads()) {
            gpu_barrier_init(ready + k, gpu_arrivals(GPU_WARP));
            gpu_barrier_init(taken + k, gpu_arrivals(GPU_WARP) * rows);
        }
        for (int k = gpu_thread(); k < slots * step; k += gpu_threads())
            places[k] = 0.0;
        if (gpu_thread() == 0)
            *size = *grown = grown[1] = grown[2] = 0;
        gpu_sync();
        const int warp = gpu_thread() / GPU_WARP;
        if (warp < rows)
            work(first + warp);
        else if (warp >= ROWS && warp < ROWS + INVERSE_COURIERS)
            fetch(warp - ROWS);
        if (gpu_block() + 1 == gpu_blocks())
            collect(size, grown, grown + 1, grown + 2);
    }
};

#endif
