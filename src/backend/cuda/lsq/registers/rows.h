/* rows.h - x along with the columns in d, in kernels of mgs_registers.cu for clusters that take two pivots per step. In the block that
 * has the right-hand side, warps that have no columns, or none any more, invert diagonal blocks of the triangle of
 * coefficients while columns are worked on. W is one of their in_registers.
 *
 * Unknowns are taken in parts of 16, a warp each, with two threads per row of the inverse Z of the diagonal block: one has the even
 * columns, the other one the odd ones. Row r needs nothing of other rows,
 *
 *   z_rk = (r == k) - the sum over i < k of z_ri c_ik,
 *
 * so that no warp waits for another one. The coefficients of columns k and k + 1 come to this block when these are published
 * (hand_over), early enough for their step. That step makes c_(k,k+1) and what the right-hand side has of both, y_k and y_(k+1), which
 * the warp of the right-hand side notes here (note_two). The unknowns of the last part, the sum of the z_rk y_k, are therefore
 * there shortly after the last step. Those of each part before come from
 *
 *   t = y - (what later unknowns contribute),   x = Z t,
 *
 * where back substitution would have 16 steps. When that is stable: see follow.h; here each thread has half of the terms
 * of a sum, and compares that with half of the bound. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_ROWS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_ROWS_H

#include "backend/cuda/lsq/registers/ends.h"
#include "backend/cuda/lsq/registers/follow.h"

/* The unknown that a thread has found, and the number from which it is subtracted; k is the number of columns if it has none. */
struct row_unknown {
    int k;
    num x, corrected;
};

/* Reads those arguments of the kernel that will be needed at the end: the first read of an argument takes long. */
GPU_FN void registers_touch(const mgs_gpu_job *job)
{
    gpu_touch(job->x.data);
    gpu_touch(job->residual.data);
    gpu_touch(job->corrected.data);
    gpu_touch(job->info);
    gpu_touch(job->w);
    gpu_touch(job->s);
    gpu_touch((const void *)job->w_plane);
    gpu_touch((const void *)(int64_t)job->coefficients);
}

#if PLUMB_LIMBS == 1

enum { ROW_PAIRS = REGISTERS_PART / 2 };

template <class W> struct part_rows {
    const W *w;
    int start, pairs; /* first unknown of the part; pairs of columns in it */
    int k, odd;       /* the unknown of this thread's row; whether it has the odd columns */
    num z[ROW_PAIRS]; /* the last column first */
    int worst;        /* high word of the largest sum of moduli that a number of z came from */

    __device__ __forceinline__ part_rows(const W *work, int part)
        : w(work), start(part * REGISTERS_PART), k(start + work->lane / 2), odd(work->lane % 2), worst(0)
    {
        pairs = (w->cols - start + 1) / 2 < ROW_PAIRS ? (w->cols - start + 1) / 2 : ROW_PAIRS;
        LANE_UNROLL
        for (int s = 0; s < ROW_PAIRS; s++)
            z[s] = cplx_make(real_set(0.0), real_set(0.0));
    }

    __device__ __forceinline__ num coefficient(int row, int column, int there) const
    {
        return kept_coefficient(w->kept, SMALL_COEFFICIENTS(w->cols, column) + row, there);
    }
    __device__ __forceinline__ static num at(const double *from)
    {
        const pair p = *(const pair *)from;
        return cplx_make(real_set(p.x), real_set(p.y));
    }
    __device__ __forceinline__ void raise(double sum)
    {
        const int high = size_of(sum);
        worst = high > worst ? high : worst;
    }
    /* The number of the other thread of the row. */
    __device__ __forceinline__ num of_other(num a) const
    {
        return cplx_make(real_set(gpu_shuffle_xor(real_head(a.re), 1)), real_set(gpu_shuffle_xor(real_head(a.im), 1)));
    }
    __device__ __forceinline__ num with_other(num a) const
    {
        return num_add(a, of_other(a));
    }
    __device__ __forceinline__ static num choose(int first, num a, num b)
    {
        return cplx_make(real_select(first, a.re, b.re), real_select(first, a.im, b.im));
    }

    /* What columns j and j + 1 have of those before them in the part, m pairs: the number of this thread. Pairs that do not exist
     * have a zero in z, and read the coefficient of the first one. */
    __device__ __forceinline__ num take_columns(int j, int m)
    {
        const double *from = w->kept + (SMALL_COEFFICIENTS(w->cols, j) + start + odd) * W::a_number;
        num_acc first[2] = {num_acc_zero(), num_acc_zero()}, second[2] = {num_acc_zero(), num_acc_zero()};
        double of_first = 0.0, of_second = 0.0;
        LANE_UNROLL
        for (int half = 0; half < ROW_PAIRS; half += ROW_PAIRS / 2) {
            num a[ROW_PAIRS / 2], b[ROW_PAIRS / 2];
            if (half) {
                gpu_sync_warp();
                if (W::halves && m <= half)
                    break;
            }
            LANE_UNROLL
            for (int i = 0; i < ROW_PAIRS / 2; i++) {
                const int s = half + i;
                const double *c = from + (s < m ? m - 1 - s : 0) * 2 * W::a_number;
                a[i] = at(c), b[i] = at(c + j * W::a_number);
            }
            LANE_UNROLL
            for (int i = 0; i < ROW_PAIRS / 2; i++) {
                const int s = half + i;
                const double size = modulus_bound(z[s]);
                first[s % 2] = num_acc_sub(first[s % 2], z[s], a[i]);
                second[s % 2] = num_acc_sub(second[s % 2], z[s], b[i]);
                of_first = lane_fma(modulus_bound(a[i]), size, of_first);
                of_second = lane_fma(modulus_bound(b[i]), size, of_second);
            }
        }
        const num even = num_add(num_acc_value(first[0]), num_acc_value(first[1])),
                  uneven = num_add(num_acc_value(second[0]), num_acc_value(second[1]));
        const num own = num_add(choose(odd, uneven, even), of_other(choose(odd, even, uneven)));
        raise(of_first);
        raise(j + 1 < w->cols ? of_second : 0.0);
        return own;
    }

    /* All columns of the part, as they come. Returns the share of this thread in the product of z and the right-hand side. */
    __device__ __forceinline__ num take_all(W *turns, double *growth)
    {
        const num zero = cplx_make(real_set(0.0), real_set(0.0));
        num_acc x = num_acc_zero();
#pragma unroll 1
        for (int m = 0; m < pairs; m++) {
            const int j = start + 2 * m, there = j + odd < w->cols;
            while (j >= turns->limit)
                turns->turn_over(turns->limit);
            gpu_barrier_sleep(w->coming + j / 2, 0);
            num own = zero;
            if (m > 0)
                own = choose(there, take_columns(j, m), zero);
            own.re = d_add(own.re, real_set(k == j + odd ? 1.0 : 0.0));
            const num before = of_other(own);
            double *const of_second = w->kept + (SMALL_COEFFICIENTS(w->cols, j + 1) + j) * W::a_number;
            gpu_barrier_sleep(w->noted + j / 2, 0);
            const num c = kept_coefficient(w->couplings(), j / 2, odd && there),
                      y = coefficient(j + odd, w->cols, there);
            own = num_acc_value(num_acc_sub(num_acc_of(own), before, c));
            x = num_acc_add(x, own, y);
            raise(lane_mul(modulus_bound(before), modulus_bound(c)));
            *growth = lane_fma(modulus_bound(own), modulus_bound(y), *growth);
            LANE_UNROLL
            for (int s = ROW_PAIRS - 1; s > 0; s--)
                z[s] = z[s - 1];
            z[0] = own;
            w->store_pairs(of_second, 1, c, w->lane == 1 && there); /* its place among the others */
        }
        return num_acc_value(x);
    }

    /* The same for a part that is not the last one, when the unknowns behind it are known. */
    __device__ __forceinline__ num solve(double *growth)
    {
        num_acc rest = num_acc_of(coefficient(k, w->cols, !odd));
#pragma unroll 1
        for (int part = REGISTERS_PARTS(w->cols) - 1; part * REGISTERS_PART > start; part--) {
            const int from = part * REGISTERS_PART + odd;
            num c[ROW_PAIRS];
            LANE_UNROLL
            for (int i = 0; i < ROW_PAIRS; i++)
                c[i] = coefficient(k, from + 2 * i, from + 2 * i < w->cols);
            gpu_barrier_sleep(w->found + part, 0);
            num_acc more = num_acc_zero();
            LANE_UNROLL
            for (int i = 0; i < ROW_PAIRS; i++) {
                const num x = kept_coefficient(w->answers, from + 2 * i, from + 2 * i < w->cols);
                if (i % 2 == 0)
                    rest = num_acc_sub(rest, c[i], x);
                else
                    more = num_acc_sub(more, c[i], x);
            }
            rest = num_acc_of(num_add(num_acc_value(rest), num_acc_value(more)));
        }
        put(with_other(num_acc_value(rest)));
        num_acc x[2] = {num_acc_zero(), num_acc_zero()};
        LANE_UNROLL
        for (int s = 0; s < ROW_PAIRS; s++) {
            const num t = at(w->answers + (start + 2 * (ROW_PAIRS - 1 - s) + odd) * W::a_number);
            x[s % 2] = num_acc_add(x[s % 2], z[s], t);
            *growth = lane_fma(modulus_bound(z[s]), modulus_bound(t), *growth);
        }
        gpu_sync_warp(); /* all have read t */
        return num_add(num_acc_value(x[0]), num_acc_value(x[1]));
    }

    /* A number of this row, for all threads of the warp. */
    __device__ __forceinline__ void put(num a) const
    {
        w->store_pairs(w->answers + k * W::a_number, 1, a, !odd && k < w->cols);
        gpu_sync_warp();
    }
};

/* x times 2^power, and whether that fits. */
GPU_FN num row_scaled(num x, int power, int *fits)
{
    enum { POWER_LIMIT = 1000 }; /* 2^so much, and its inverse, are numbers */
    const double factor = gpu_of_high_word((1023 + (power > POWER_LIMIT    ? POWER_LIMIT
                                                    : power < -POWER_LIMIT ? -POWER_LIMIT
                                                                           : power))
                                           << 20);
    const num scaled = num_mul_real(x, real_set(factor));
    *fits = power <= POWER_LIMIT && power >= -POWER_LIMIT && size_of(real_head(scaled.re)) < 0x7ff00000 &&
            size_of(real_head(scaled.im)) < 0x7ff00000;
    return scaled;
}

/* The exponent and the square norm of column k, for those that read them together with coefficients. */
template <class W> GPU_FN void row_keep(const W *w, const mgs_gpu_job *job, int k)
{
    job->exponent[(int64_t)w->problem * w->all + k] = (int32_t)w->exponent[k];
    real_store(job->s + w->problem * job->s_step + k, w->all, real_of_limbs(w->squares + k), 1);
}

/* By a warp that has a part. */
template <class W> GPU_FN void registers_rows(W *w, const mgs_gpu_job *job, row_unknown *unknown)
{
    const int part = w->part, n = w->cols, parts = REGISTERS_PARTS(n), last = part == parts - 1;
    part_rows<W> rows(w, part);
    const int k = rows.k, mine = k < n && !rows.odd;
    unknown->corrected = registers_corrected(w, job, mine ? k : n);
    double *const to = result_at(&job->x, w->problem, mine ? k : 0, 0, 0);
    double growth = 0.0;
    num x = rows.take_all(w, &growth);
    const int power = mine ? (int)w->exponent[n] - (int)w->exponent[k] : 0;
    if (!last) {
        while (w->limit < n)
            w->turn_over(w->limit);
        gpu_barrier_sleep(w->coming + (n - 1) / 2, 0); /* then the others have come, too, or nearly so */
        for (int i = (rows.start + REGISTERS_PART) / 2 + w->lane; 2 * i < n; i += GPU_WARP)
            gpu_barrier_sleep(w->coming + i, 0);
        gpu_sync_warp();
        growth = 0.0;
        x = rows.solve(&growth);
    }
    x = rows.with_other(x);
    if (parts > 1) {
        rows.put(x);
        w->announce_to(w->found + part);
    }
    int fits;
    unknown->x = row_scaled(x, power, &fits);
    if (mine && job->x.data)
        num_store(to, job->x.plane, unknown->x, 1);
    const int size = gpu_max(mine ? size_of(modulus_bound(x)) : 0), grown = gpu_max(k < n ? size_of(growth) : 0);
    const int unstable = gpu_any(rows.worst > (1023 + GROWTH - 1) << 20 || (mine && !fits));
    if (w->lane == 0) {
        gpu_raise(w->sizes, size);
        gpu_raise(w->grown, grown + (1 << 20)); /* half of the terms */
        if (unstable)
            *w->unstable = 1;
    }
    if (mine) {
        unknown->k = k;
        row_keep(w, job, k);
    }
}

/* The residual of the right-hand side, by the warp that has it. */
template <class W> GPU_FN void registers_side(W *w, const mgs_gpu_job *job)
{
    const int b = w->cols;
    if (w->position != 0 || w->column(0) != b)
        return;
    if (job->x.data && job->residual.data && !registers_residual(w, job, b, 0))
        *w->unstable = 1;
    row_keep(w, job, b);
}

/* What is stored when the outcome is known to be good. */
template <class W> GPU_FN void rows_good(const W *w, const mgs_gpu_job *job, const row_unknown *unknown)
{
    if (gpu_thread() == 0)
        put_info(job->info + w->problem, job->failures, 0);
    if (job->corrected.data && unknown->k < w->cols)
        num_store(result_at(&job->corrected, w->problem, unknown->k, 0, 0), job->corrected.plane,
                  num_sub(unknown->corrected, unknown->x), 1);
    registers_keep_coefficients(w, job);
}

/* The end, by all warps. Returns 0 in the block that has all results if the unknowns must be found by back substitution, or there are
 * none, or they are out of range: that is for registers_solve. */
template <class W> GPU_FN int registers_rows_end(W *w, const mgs_gpu_job *job, const row_unknown *unknown)
{
    if (w->rank != w->home) {
        gpu_sync();
        if (gpu_thread() == 0)
            gpu_store_remote(w->keeper, w->outcomes + w->rank, (double)*w->outcome);
        w->meet();
        return 1;
    }
    if (w->notes)
        registers_side(w, job);
    gpu_sync_warp();
    gpu_cluster_come(); /* nothing more is needed of other blocks */
    gpu_sync();
    const int good = !*w->outcome && w->stable(0);
    if (good)
        rows_good(w, job, unknown);
    gpu_cluster_wait();
    if (!good) {
        if (gpu_thread() == 0)
            w->outcomes[w->rank] = (double)*w->outcome;
        gpu_sync();
    }
    return good;
}

#endif
#endif
