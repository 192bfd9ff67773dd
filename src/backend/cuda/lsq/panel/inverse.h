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
 * coefficients as well, so that only one piece is left at the end. Unknowns go through global memory to the last block, which
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

/* A word for another block. A number that is not finite must not look like the mark. */
GPU_FN void announce(double *to, double v)
{
    gpu_word_set(to, gpu_high_word(v) == GPU_NOT_YET ? lane_neg(v) : v);
}

/* What a block takes next: column j of C, or, after columns of a multiple of 32 and at the end, coefficients of the right-hand side. */
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

/* CHUNKS numbers of a row per thread, ROWS rows per block. */
template <int CHUNKS, int ROWS> struct inverse_rows {
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
    __device__ __forceinline__ inverse_item begin(void) const
    {
        inverse_item it = {first + 1, first + 1 == n};
        return it;
    }

    /* The work of a courier: every INVERSE_COURIERS-th item, in chunks of 32 coefficients. Chunks of which some are missing are read
     * again, after a nap if the turn of the column is not near. Threads without a coefficient read the last one. */
    __device__ __forceinline__ void fetch(int which) const
    {
        inverse_item it = begin();
        for (int number = 0, slot = 0, parity = 1; it.j <= n; number++, it.advance(n)) {
            if (number % INVERSE_COURIERS == which) {
                const double *from = job->c + problem * job->c_step + (int64_t)(it.side ? job->cols : it.j) * job->cols;
                double *place = places + slot * step + 2 * lane, v[CHUNKS][a_number];
                int low, high;
                range(it, &low, &high);
                for (int missing = (2 << high) - (1 << low); missing;) { /* a bit for each chunk */
                    LANE_UNROLL
                    for (int i = 0; i < CHUNKS; i++)
                        if (missing >> i & 1) {
                            const int k = lane + GPU_WARP * i;
                            LANE_UNROLL
                            for (int q = 0; q < a_number; q++)
                                v[i][q] = gpu_word_peek(from + (k < it.j ? k : it.j - 1) + q * job->c_plane);
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
                        const int none = i < low || lane + GPU_WARP * i >= it.j;
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
                growth = size > growth ? size : growth;
            }
        }
        double v[a_number + 1];
        num_store(v, 1, num_neg(total(x)), 1);
        const int grown = size_of(group_sum<GPU_WARP, 1>(gpu_of_high_word(growth)));
        v[a_number] = group_sum<GPU_WARP, 1>(x_growth);
        if (grown > (1023 + GROWTH) << 20)
            v[a_number] = gpu_of_high_word(0x7ff00000);
        LANE_UNROLL
        for (int q = 0; q <= a_number; q++)
            if (lane == q)
                announce(unknowns + q * n + r, v[q]);
    }

    /* The last block, which has a thread for every unknown, stores them and the outcome. */
    __device__ __forceinline__ void collect(int32_t *size, int32_t *grown, int32_t *out_of_range) const
    {
        const int k = gpu_thread(), b = job->cols;
        gpu_previous_done(); /* the panels are done before the unknowns come */
        const int failed = gpu_flag_peek(job_flag(job, problem, MGS_OUTCOME));
        const chase_scale by = chase_scale_of(job, problem, b);
        double v[a_number + 1] = {0.0};
        for (int missing = k < n; missing;) {
            missing = 0;
            LANE_UNROLL
            for (int q = 0; q <= a_number; q++)
                v[q] = gpu_word_peek(unknowns + q * n + k);
            LANE_UNROLL
            for (int q = 0; q <= a_number; q++)
                missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
            if (missing)
                gpu_pause();
        }
        gpu_sync_warp();
        const num x = num_of_limbs(v);
        const int largest = gpu_max(size_of(modulus_bound(x))), most = gpu_max(size_of(v[a_number]));
        if (lane == 0) {
            gpu_raise(size, largest);
            gpu_raise(grown, most);
        }
        gpu_sync();
        if (*grown - (X_GROWTH << 20) > *size)
            chase_solve<LIMBS == 1 ? 4 : 2>(job, problem, gpu_shared());
        else {
            const int fits = chase_result(job, problem, b, failed, x, by);
            chase_outcome(job, problem, failed, fits, out_of_range);
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
            *size = *grown = grown[1] = 0;
        gpu_sync();
        const int warp = gpu_thread() / GPU_WARP;
        if (warp < rows)
            work(first + warp);
        else if (warp >= ROWS && warp < ROWS + INVERSE_COURIERS)
            fetch(warp - ROWS);
        if (gpu_block() + 1 < gpu_blocks())
            return;
        gpu_sync();
        collect(size, grown, grown + 1);
    }
};

#endif
