/* follow.h - x along with the columns, in kernels of mgs_registers.cu for clusters: the last block has no columns, but gets every
 * coefficient as soon as it is found, and inverts the triangle of coefficients while columns are worked on. W is one of their
 * in_registers.
 *
 * Unknowns are taken in blocks of 32, a part each. The columns z_j of the inverse of a diagonal block are found from z_j = e_j, of
 * which c_kj z_k is removed for each k < j of the part as soon as c_kj comes; a warp has a row per thread, of several columns, and a
 * finished z_k goes to place k in shared memory. From a right-hand side with coefficients y_k this makes the unknowns of the last
 * part, minus the sum of the y_k z_k, right after the last step. For those of each part before, by all warps,
 *
 *   t = y - (what later unknowns contribute),   x = sum of the t_k z_k,
 *
 * with half a warp per row and sums over it: two steps per 32 unknowns, where back substitution has 32.
 *
 * Products with an inverse are as good as back substitution if terms do not cancel: z_j is found with an error of the sum of |c_kj|
 * |z_k| over k, times the unit roundoff, and x with one of the sum of |t_k| |z_k|. If one of the former exceeds 2^GROWTH, or one of the
 * latter 2^GROWTH times the largest unknown, x is not as accurate as it should be, and is found by back substitution instead. Columns
 * have entries up to about 1 here, so neither depends on how the columns of A are scaled. For random columns the sums are seldom
 * larger than 20. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_FOLLOW_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_FOLLOW_H

#include "backend/cuda/lsq/registers/ends.h"

/* ---- Diagonal blocks ---------------------------------------------------------------------------------------------- */

/* What a warp follows: MOST columns, first, first + apart, ..., below `end`, in the part of the rows from `start` on. */
template <class W, int MOST> struct followers {
    const W *w;
    int start, first, apart, end;
    num_acc z[MOST];

    __device__ __forceinline__ followers(const W *work, int part, int from, int distance, int stop)
        : w(work), start(part * GPU_WARP), first(from), apart(distance), end(stop)
    {
        LANE_UNROLL
        for (int s = 0; s < MOST; s++)
            z[s] = num_acc_of(cplx_make(real_set(start + w->lane == column(s) ? 1.0 : 0.0), real_set(0.0)));
    }
    __device__ __forceinline__ int column(int s) const
    {
        return first + s * apart;
    }

    /* Column s is final. */
    __device__ __forceinline__ void show(int s) const
    {
        const int k = column(s);
        w->store_pairs(w->pivots + k * W::step + 2 * w->lane, W::height, num_acc_value(z[s]), start + w->lane <= k);
        gpu_sync_warp();
        if (w->lane == 0)
            gpu_barrier_arrive(w->ready + k);
    }

    /* The row of this thread of z_k; those behind its last number are zero. */
    __device__ __forceinline__ num shown(int k) const
    {
        const double *at = w->pivots + k * W::step + 2 * w->lane;
        double v[W::a_number];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            v[2 * q] = v[2 * q + 1] = 0.0;
            gpu_get(&v[2 * q], &v[2 * q + 1], at + 2 * q * W::height, start + w->lane <= k);
        }
        return num_of_limbs(v);
    }

    /* All steps of the part. Adds what bounds the errors of the row: of all columns together, or of each. */
    template <bool EACH> __device__ __forceinline__ void take_all(double *growth)
    {
        const int in_part = start + GPU_WARP < w->cols ? start + GPU_WARP : w->cols;
        int place[MOST], last = start;
        LANE_UNROLL
        for (int s = 0; s < MOST; s++) {
            place[s] = SMALL_COEFFICIENTS(w->cols, column(s));
            last = column(s) < end ? column(s) : last;
        }
        last = last < in_part ? last : in_part;
        if (!EACH && first == start)
            show(0);
#pragma unroll 1
        for (int k = start; k < last; k++) {
            num c[MOST];
            gpu_barrier_sleep(w->coming + k, 0);
            LANE_UNROLL
            for (int s = 0; s < MOST; s++)
                c[s] = kept_coefficient(w->kept, place[s] + k, column(s) > k && column(s) < end);
            gpu_barrier_sleep(w->ready + k, 0);
            const num with = shown(k);
            const double size = modulus_bound(with);
            LANE_UNROLL
            for (int s = 0; s < MOST; s++)
                if (column(s) > k && column(s) < end) {
                    double *sum = &growth[EACH ? s : 0];
                    z[s] = rest_loose(z[s], with, c[s]);
                    if (!EACH && column(s) == k + 1 && k + 1 < end)
                        show(s);
                    *sum = lane_fma(modulus_bound(c[s]), size, *sum);
                }
        }
    }
};

/* By a warp that has columns of A: number `warp` of `warps`. */
template <class W> GPU_FN void follow_columns(const W *w, int warps)
{
    int grown = 0;
#pragma unroll 1
    for (int part = 0; part * GPU_WARP < w->cols; part++) {
        const int start = part * GPU_WARP, end = start + GPU_WARP < w->cols ? start + GPU_WARP : w->cols;
        followers<W, W::followed> f(w, part, start + w->warp, warps, end);
        double growth[1] = {0.0};
        f.template take_all<false>(growth);
        const int size = size_of(growth[0]);
        grown = size > grown ? size : grown;
    }
    if (gpu_any(grown > (1023 + GROWTH) << 20) && w->lane == 0)
        *w->unstable = 1;
}

/* Some threads of a warp have unknowns of a right-hand side, and bounds of their errors. */
template <class W> GPU_FN void put_unknowns(const W *w, int s, int k, num x, double growth, int have)
{
    if (have)
        num_store(w->answers + (s * w->cols + k) * W::a_number, 1, x, 1);
    const int size = gpu_max(have ? size_of(modulus_bound(x)) : 0), grown = gpu_max(have ? size_of(growth) : 0);
    if (w->lane == 0) {
        gpu_raise(w->sizes + s, size);
        gpu_raise(w->grown + s, grown);
    }
}

/* The last part of a right-hand side, and the sums of moduli that it comes from. */
struct last_part {
    num x[REGISTERS_SIDES];
    double growth[REGISTERS_SIDES];
};

/* By the warp that has the right-hand sides: the unknowns of the last part. */
template <class W> GPU_FN void follow_sides(const W *w, last_part *found)
{
    const int part = (w->cols - 1) / GPU_WARP, k = part * GPU_WARP + w->lane;
    followers<W, REGISTERS_SIDES> f(w, part, w->cols, 1, w->all);
    LANE_UNROLL
    for (int s = 0; s < REGISTERS_SIDES; s++) {
        f.z[s] = num_acc_zero(); /* a row behind the last unknown would be taken for a column of A */
        found->growth[s] = 0.0;
    }
    f.template take_all<true>(found->growth);
    LANE_UNROLL
    for (int s = 0; s < REGISTERS_SIDES; s++) {
        found->x[s] = num_neg(num_acc_value(f.z[s]));
        if (w->cols + s < w->all)
            put_unknowns(w, s, k, found->x[s], found->growth[s], k < w->cols);
    }
}

/* ---- The parts before ------------------------------------------------------------------------------------------------------ */

/* Sums over half a warp; all its threads get the same bits. */
GPU_FN num_acc half_sum(num_acc a)
{
    real_acc sum[] = {a.re, a.im};
    group_sums<GPU_WARP / 2, 2, 1>(sum);
    a.re = sum[0], a.im = sum[1];
    return a;
}

/* t and x of a part of right-hand side s, by all warps. */
template <class W> GPU_FN void part_before(const W *w, int s, int part)
{
    const int half = GPU_WARP / 2, start = part * GPU_WARP, at = w->lane % half,
              a_round = 2 * (gpu_threads() / GPU_WARP);
    const double *x = w->answers + s * w->cols * W::a_number;
    double *t = w->answers + (w->all - w->cols) * w->cols * W::a_number;
    const int of_side = SMALL_COEFFICIENTS(w->cols, w->cols + s);
    for (int two = 2 * w->warp; two < GPU_WARP; two += a_round) {
        const int r = two + w->lane / half;
        num_acc rest = num_acc_zero();
        GPU_ROLLED
        for (int j = start + GPU_WARP + at; j < w->cols; j += half)
            rest = rest_loose(rest, kept_coefficient(w->kept, SMALL_COEFFICIENTS(w->cols, j) + start + r, 1),
                              kept_coefficient(x, j, 1));
        rest = half_sum(rest);
        const num y = kept_coefficient(w->kept, of_side + start + r, 1);
        rest.re = acc_merge(rest.re, real_acc_of(y.re)), rest.im = acc_merge(rest.im, real_acc_of(y.im));
        if (at == 0)
            num_store(t + r * W::a_number, 1, num_acc_value(rest), 1);
    }
    gpu_sync();
    for (int two = 2 * w->warp; two < GPU_WARP; two += a_round) {
        const int r = two + w->lane / half;
        num_acc sum = num_acc_zero();
        double growth = 0.0;
        GPU_ROLLED
        for (int k = at; k < GPU_WARP; k += half) {
            const double *column = w->pivots + (start + k) * W::step + 2 * r;
            double v[W::a_number];
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                v[2 * q] = v[2 * q + 1] = 0.0;
                gpu_get(&v[2 * q], &v[2 * q + 1], column + 2 * q * W::height, r <= k);
            }
            const num z = num_of_limbs(v), with = kept_coefficient(t, k, 1);
            sum = rest_loose(sum, z, with);
            growth = lane_fma(modulus_bound(z), modulus_bound(with), growth);
        }
        sum = half_sum(sum);
        growth = group_sum<GPU_WARP / 2, 1>(growth);
        put_unknowns(w, s, start + r, num_neg(num_acc_value(sum)), growth, at == 0);
    }
    gpu_sync();
}

/* ---- The end ------------------------------------------------------------------------------------------------------------------ */

/* Stores unknown k of right-hand side s, if this thread has one. */
template <class W>
GPU_FN void store_answer(const W *w, const mgs_gpu_job *job, int s, int k, num x, int failed, num corrected)
{
    const int b = w->cols + s, mine = k < w->cols && w->stable(s);
    int fits = 1;
    if (mine) {
        const int power = (int)w->exponent[b] - (int)w->exponent[k];
        x = cplx_make(scaled(x.re, power, &fits), scaled(x.im, power, &fits));
        num_store(result_at(&job->x, w->problem, k, s, 0), job->x.plane,
                  failed ? cplx_make(real_set(0.0), real_set(0.0)) : x, 1);
    }
    if (!fits)
        *w->unfit = *w->out_of_range = 1;
    if (s > 0 || !job->corrected.data)
        return;
    if (w->cols > GPU_WARP)
        gpu_sync();
    else
        gpu_sync_warp();
    if (mine && !failed && !*w->unfit)
        num_store(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, num_sub(corrected, x), 1);
}

/* The work of the last block, which has a thread for every unknown. With one part alone, the warp that has the right-hand sides
 * stores them itself. Returns whether something is left to be done: if only x is wanted, nothing is, unless it has to be found
 * again. */
template <class W> GPU_FN int registers_follow(W *w, const mgs_gpu_job *job)
{
    const int warps = gpu_threads() / GPU_WARP - 1, sides = w->all - w->cols, of_sides = w->warp == warps;
    const int parts = (w->cols + GPU_WARP - 1) / GPU_WARP, k = parts > 1 ? gpu_thread() : of_sides ? w->lane : w->cols;
    const num corrected = registers_corrected(w, job, k);
    gpu_cluster_wait();   /* the barriers of all blocks are ready */
    gpu_cluster_arrive(); /* no other block waits for what this one does */
    last_part found;
    if (!of_sides)
        follow_columns(w, warps);
    else {
        follow_sides(w, &found);
        if (parts > 1) /* for all warps: more that wait would slow down the others */
            for (int i = w->lane; i < w->cols; i += GPU_WARP)
                gpu_barrier_sleep(w->coming + i, 0);
        gpu_sync_warp();
    }
    gpu_sync();
    for (int s = 0; s < sides; s++)
        for (int part = parts - 2; part >= 0; part--)
            part_before(w, s, part);
    gpu_sync_warp();
    gpu_cluster_wait(); /* all blocks have sent what they know */
    const int failed = registers_failed(w);
    LANE_UNROLL
    for (int s = 0; s < REGISTERS_SIDES; s++)
        if (s < sides && job->x.data && (parts > 1 || of_sides))
            store_answer(w, job, s, k,
                         parts > 1 ? kept_coefficient(w->answers, s * w->cols + k, k < w->cols) : found.x[s], failed,
                         corrected);
    if (!w->plain)
        return 1;
    gpu_sync();
    int good = !failed && !*w->out_of_range;
    for (int s = 0; s < sides; s++)
        good = good && w->stable(s);
    if (good && of_sides && w->lane == 0)
        put_info(job->info + w->problem, job->failures, 0);
    return !good;
}

#endif
