/* single.h - x along with the columns in d, in kernels of mgs_registers.cu where one block has all columns, at most 16, and takes two
 * pivots per step. The warp behind those with columns inverts the triangle of coefficients by rows, see rows.h, while columns are worked
 * on. W is one of their in_registers.
 *
 * The rows are a matrix in the registers of the warp as gpu_multiply has it: thread 4 g + q has columns q, q + 4, ... of rows g and
 * g + 8. Two columns of coefficients, real and imaginary parts, are the four columns on the right, twice: every thread gets
 * what the first or the second of them has of all rows before it, and it is in its place if that thread keeps it. Nothing is shuffled but
 * the number of the first column to the thread of the second one. Coefficients of a column are stored before it is published, so that
 * they need no barrier of their own.
 *
 * When that is stable: row r is found with an error of e_j = the sum over k of |z_rk| |c_kj| in column j, times the unit roundoff. This
 * changes x_r by the sum of the e_j |x_j|, and the product with the right-hand side, y = C x, adds the sum of the |z_rk| |y_k|. Both
 * are at most
 *
 *   (the sum over k of |z_rk| (the sum over j of |c_kj|)) times the largest unknown.
 *
 * If that factor exceeds 2^SINGLE_GROWTH, x is found by back substitution instead. The inner sums take one number per thread and two
 * columns, and the factor is found before the last step is done, where the sums for each j (rows.h) take as long as those of
 * the z_rk c_kj. For random matrices (entries of modulus 1, normal, uniform, positive) it is 20 to 100. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_SINGLE_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_SINGLE_H

#include "backend/cuda/lsq/registers/rows.h"

#if PLUMB_LIMBS == 1

enum { SINGLE_QUADS = REGISTERS_PART / 4 };
enum { SINGLE_GROWTH = 8 };

template <class W> struct single_rows {
    const W *w;
    int g, q;  /* as above */
    int odd;   /* whether this thread gets numbers of the second column of a pair */
    int k;     /* the row whose unknown it has in the end */
    int pairs; /* of columns */
    double re[2][SINGLE_QUADS], im[2][SINGLE_QUADS]; /* minus z, of both rows */
    double
        moduli; /* of coefficients of row lane % 16, in even columns (first half of the warp) or odd ones: their sum */
    double bound, per; /* of errors of row k: the factor above is at most bound + per |the last coefficient| */

    __device__ __forceinline__ single_rows(const W *work)
        : w(work), g(work->lane / 4), q(work->lane % 4), odd(work->lane % 2), k(g + 8 * odd), pairs((w->cols + 1) / 2),
          moduli(0.0), bound(0.0), per(0.0)
    {
        LANE_UNROLL
        for (int i = 0; i < SINGLE_QUADS; i++)
            re[0][i] = re[1][i] = im[0][i] = im[1][i] = 0.0;
    }

    __device__ __forceinline__ static num number(double re, double im)
    {
        return cplx_make(real_set(re), real_set(im));
    }
    __device__ __forceinline__ num of_other(num a, int with) const
    {
        return number(gpu_shuffle_xor(real_head(a.re), with), gpu_shuffle_xor(real_head(a.im), with));
    }
    __device__ __forceinline__ static num choose(int first, num a, num b)
    {
        return cplx_make(real_select(first, a.re, b.re), real_select(first, a.im, b.im));
    }
    __device__ __forceinline__ double size(int r, int i) const
    {
        return lane_add(lane_abs(re[r][i]), lane_abs(im[r][i]));
    }

    /* What columns j = 2 M and j + 1 have of those before them, and the identity: both rows of one of them. */
    template <int M> __device__ __forceinline__ void take_columns(num *own) const
    {
        const int j = 2 * M, part = g & 1, column = g >> 1 & 1, sign = part ? 0 : (int)0x80000000u;
        const double *from = w->kept + (SMALL_COEFFICIENTS(w->cols, j) + column * j + q) * W::a_number;
        double a[4] = {g == j + odd ? 1.0 : 0.0, 0.0, g + 8 == j + odd ? 1.0 : 0.0, 0.0}, b[4] = {0.0, 0.0, 0.0, 0.0};
        double with[SINGLE_QUADS], across[SINGLE_QUADS];
        LANE_UNROLL
        for (int i = 0; i < (M + 1) / 2; i++)
            if (4 * i + 4 <= j)
                with[i] = from[8 * i + part], across[i] = gpu_flip(from[8 * i + 1 - part], sign);
            else { /* two of the four do not exist */
                double x = 0.0, y = 0.0;
                gpu_get(&x, &y, from + 8 * i, q < 2);
                with[i] = part ? y : x, across[i] = gpu_flip(part ? x : y, sign);
            }
        LANE_UNROLL
        for (int i = 0; i < (M + 1) / 2; i++) {
            gpu_multiply(a, re[0][i], re[1][i], with[i]);
            gpu_multiply(b, im[0][i], im[1][i], across[i]);
        }
        LANE_UNROLL
        for (int r = 0; r < 2; r++)
            own[r] = number(lane_add(a[2 * r], b[2 * r]), lane_add(a[2 * r + 1], b[2 * r + 1]));
    }

    /* Adds the moduli of coefficients of columns j = 2 M and j + 1, one per thread. */
    template <int M> __device__ __forceinline__ void add_moduli(void)
    {
        const int j = 2 * M, row = w->lane % REGISTERS_PART, second = w->lane / REGISTERS_PART;
        const num c = kept_coefficient(w->kept, SMALL_COEFFICIENTS(w->cols, j) + row + second * j,
                                       row < j && j + second < w->cols);
        moduli = lane_add(moduli, modulus_bound(c));
    }

    /* What is known of the bound before the last step is done. Of the last pair, `own` is final in the first column only. The
     * second one is then reduced by its coefficient c times the first one: its modulus grows by at most |c| times that of the first
     * one, and so does the term of the first one. */
    template <int M> __device__ __forceinline__ void bound_errors(const num *own, const num *before)
    {
        const int row = w->lane % REGISTERS_PART;
        const num c = kept_coefficient(w->couplings(), row / 2, row % 2 == 0 && row < 2 * M);
        const double sum =
            lane_add(lane_add(moduli, gpu_shuffle_xor(moduli, REGISTERS_PART)), lane_add(modulus_bound(c), 1.0));
        double both[2] = {0.0, 0.0};
        LANE_UNROLL
        for (int i = 0; i < (M + 1) / 2; i++) {
            const double of_row = gpu_shuffle(sum, 4 * i + q), with = 4 * i + 4 <= 2 * M || q < 2 ? of_row : 0.0;
            both[0] = lane_fma(size(0, i), with, both[0]), both[1] = lane_fma(size(1, i), with, both[1]);
        }
        bound = lane_add(odd ? both[1] : both[0], gpu_shuffle_xor(odd ? both[0] : both[1], 1));
        bound = lane_add(bound, gpu_shuffle_xor(bound, 2));
        const double first = modulus_bound(choose(odd, before[1], own[0])),
                     second = modulus_bound(choose(odd, own[1], before[0]));
        bound = lane_add(bound, lane_add(first, second)), per = lane_add(first, first);
    }

    /* Columns 2 M and 2 M + 1, when they come. Adds what they are times the right-hand side. */
    template <int M> __device__ __forceinline__ void take(num_acc *x)
    {
        const int j = 2 * M, there = j + odd < w->cols, keeps = (q >> 1) == M % 2, last = M == pairs - 1;
        const num zero = number(0.0, 0.0);
        num own[2] = {number(g == j + odd ? 1.0 : 0.0, 0.0), number(g + 8 == j + odd ? 1.0 : 0.0, 0.0)}, before[2];
        gpu_barrier_sleep(w->ready_of(j), 0);
        if constexpr (M > 0) {
            add_moduli<M>();
            take_columns<M>(own);
        }
        if (j + 1 >= w->cols)
            own[0] = choose(there, own[0], zero), own[1] = choose(there, own[1], zero);
        before[0] = of_other(own[0], 1), before[1] = of_other(own[1], 1);
        double *const place = w->kept + (SMALL_COEFFICIENTS(w->cols, j + 1) + j) * W::a_number;
        if (last)
            bound_errors<M>(own, before);
        gpu_barrier_sleep(w->noted + M, 0);
        const num c = kept_coefficient(w->couplings(), M, odd && there),
                  y = kept_coefficient(w->kept, SMALL_COEFFICIENTS(w->cols, w->cols) + j + odd, there && keeps);
        LANE_UNROLL
        for (int r = 0; r < 2; r++) {
            own[r] = num_acc_value(num_acc_sub(num_acc_of(own[r]), before[r], c));
            x[r] = num_acc_add(x[r], own[r], y);
            /* All threads may keep the first pair of four columns: others meet no coefficient before the next pair. */
            const int stays = M % 2 == 1 && !keeps;
            re[r][M / 2] = stays ? re[r][M / 2] : gpu_flip(real_head(own[r].re), (int)0x80000000u);
            im[r][M / 2] = stays ? im[r][M / 2] : gpu_flip(real_head(own[r].im), (int)0x80000000u);
        }
        w->store_pairs(place, 1, c, w->lane == 1 && there); /* its place among the others */
        if (last)
            bound = lane_fma(per, gpu_shuffle(modulus_bound(c), w->lane | 1), bound);
    }
    template <int M> __device__ __forceinline__ void take_from(num_acc *x)
    {
        if (M >= pairs)
            return;
        take<M>(x);
        if constexpr (2 * M + 2 < REGISTERS_PART)
            take_from<M + 1>(x);
    }

    /* All columns, as they come. Returns the unknown of row k. */
    __device__ __forceinline__ num take_all(void)
    {
        num_acc x[2] = {num_acc_zero(), num_acc_zero()};
        take_from<0>(x);
        const num a = num_acc_value(x[0]), b = num_acc_value(x[1]);
        const num half = num_add(choose(odd, b, a), of_other(choose(odd, a, b), 1));
        return num_add(half, of_other(half, 2));
    }
};

/* By the warp that has the rows. If nothing but x is wanted, it also stores the outcome where that is good: it has waited for all
 * that the other warps have found. */
template <class W> GPU_FN void registers_single(W *w, const mgs_gpu_job *job, row_unknown *unknown)
{
    single_rows<W> rows(w);
    const int n = w->cols, k = rows.k, mine = k < n && rows.q < 2;
    double *const to = result_at(&job->x, w->problem, mine ? k : 0, 0, 0);
    unknown->corrected = registers_corrected(w, job, mine ? k : n);
    const num x = rows.take_all();
    const int power = mine ? (int)w->exponent[n] - (int)w->exponent[k] : 0;
    int fits;
    unknown->x = row_scaled(x, power, &fits);
    if (mine && job->x.data)
        num_store(to, job->x.plane, unknown->x, 1);
    const int unstable = gpu_any(size_of(rows.bound) >= (1023 + SINGLE_GROWTH) << 20 || (mine && !fits));
    if (w->lane == 0 && unstable)
        *w->unstable = 1;
    if (w->lane == 0 && w->plain && !unstable && !*w->outcome)
        put_info(job->info + w->problem, job->failures, 0);
    if (mine && !w->plain) {
        unknown->k = k;
        row_keep(w, job, k);
    }
}

/* The end, by all warps. Returns 0 if the unknowns must be found by back substitution, or there are none, or they are out of range. */
template <class W> GPU_FN int registers_single_end(W *w, const mgs_gpu_job *job, const row_unknown *unknown)
{
    if (w->notes && !w->plain)
        registers_side(w, job);
    gpu_sync();
    const int good = !*w->outcome && !*w->unstable;
    if (good && !w->plain)
        rows_good(w, job, unknown);
    return good;
}

#endif
#endif
