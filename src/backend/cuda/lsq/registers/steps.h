/* steps.h - what a step does in the kernels of mgs_registers.cu: one or two pivots are removed from the columns of a warp. W is one of
 * their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_STEPS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_STEPS_H

#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/registers/registers.h"

/* ---- One pivot ----------------------------------------------------------------------------------------------------- */

/* The columns of a thread from slot FIRST on minus their projections on the pivot of step k, whose rows are in `pivot` as far as they
 * are held; `sum` has the products with it, and `inverse` is that of its square norm, or 0 if it depends on other columns. */
template <int FIRST, class W>
GPU_FN void registers_remove(W *w, int k, const double *at, const num *pivot, const real_acc *sum, real inverse)
{
    const int count = W::columns_each - FIRST;
    if (W::held < W::rows_each)
        gpu_sync_warp(); /* otherwise the compiler keeps the loaded values */
    num coefficient[count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const int slot = FIRST + c; /* in the first slot, columns up to k do not change */
        coefficient[c] =
            num_loose(sum[2 * c], sum[2 * c + 1], real_select(c > 0 || w->column(FIRST) > k, inverse, real_set(0.0)));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[slot][i] = rest_near(w->own[slot][i], i < W::held ? pivot[i] : w->pivot_row(at, i), coefficient[c]);
        if (c == 0)
            w->template publish_next<FIRST>(k);
    }
    LANE_UNROLL
    for (int c = 0; c < count; c++)
        w->keep_coefficient(FIRST + c, k, num_settled(coefficient[c]),
                            w->position == 0 && w->column(FIRST + c) > k && w->column(FIRST + c) < w->end);
}

/* Step k for the slots from FIRST on, the earlier ones being done; column k + 1, if the warp has it, is in slot FIRST. */
template <int FIRST, class W> GPU_FN void registers_take(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    const double *at = w->pivots + w->here;
    w->await_others(k);
    const double bound = at[W::tail];
    num pivot[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        pivot[i] = w->pivot_row(at, i);
    real_acc sum[1 + 2 * count];
    sum[0] = rows_square<W::rows_each>(pivot);
    LANE_UNROLL
    for (int c = 0; c < count; c++)
        w->dot(pivot, w->own[FIRST + c], sum + 1 + 2 * c);
    group_sums<W::lanes, 1 + 2 * count, W::spacing>(sum);
    const int depends = !(real_head(sum[0]) > bound);
    registers_remove<FIRST>(w, k, at, pivot, sum + 1, real_select(!depends, inverse_near(sum[0]), real_set(0.0)));
    if (w->position == 0 && w->column(FIRST) == k + 1)
        w->note_square(k, acc_total(sum[0]), depends);
}

/* The same where right-hand sides are beside the columns, and the square norm is summed with them. */
template <int FIRST, class W> GPU_FN void registers_take_beside(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    const double *at = w->pivots + w->here;
    w->await_others(k);
    side_step<W> side;
    if constexpr (W::alone)
        side.multiply(w, at);
    else if (w->sides)
        sides_take(w, k);
    num pivot[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        pivot[i] = w->pivot_row(at, i);
    real_acc sum[2 * count];
    LANE_UNROLL
    for (int c = 0; c < count; c++)
        w->dot(pivot, w->own[FIRST + c], sum + 2 * c);
    group_sums<W::lanes, 2 * count, W::spacing>(sum);
    if constexpr (W::alone) {
        registers_remove<FIRST>(w, k, at, pivot, sum, side.inverse);
        side.remove(w, k);
        sides_take_others(w, k, at, side.inverse);
    } else {
        gpu_barrier_sleep(w->inverted + w->turn_here, w->parity);
        const pair p = *(const pair *)(at + W::tail);
        const double v[] = {p.x, p.y};
        registers_remove<FIRST>(w, k, at, pivot, sum, real_of_limbs(v));
    }
}

#if PLUMB_LIMBS == 2
/* The same where both halves of a warp have a column and the inverse comes after the column. */
template <class W> GPU_FN void registers_take_apart(W *w, int k)
{
    const double *at = w->pivots + w->here;
    gpu_barrier_sleep(w->ready + w->turn_here, w->parity);
    num pivot[W::rows_each];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        pivot[i] = w->pivot_row(at, i);
    real_acc re, im;
    halves_dot<W::rows_each>(pivot, w->own[0], usual_rounder<W::height>(), &re, &im);
    gpu_barrier_sleep(w->inverted + w->turn_here, w->parity);
    const pair p = *(const pair *)(at + W::tail);
    const double v[] = {p.x, p.y};
    num dot = half_factor(re, im, w->second), coefficient = num_loose(dot.re, dot.im, real_of_limbs(v));
    if (p.x > 1.0 / USUAL_SQUARE) { /* known this late, it delays nothing */
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            pivot[i] = w->pivot_row(at, i); /* otherwise registers would keep what both sums have in common */
        halves_dot<W::rows_each>(pivot, w->own[0], rounder_of<W::height>(rows_size<W::rows_each, false>(pivot), 0), &re,
                                 &im);
        dot = half_factor(re, im, w->second), coefficient = num_loose(dot.re, dot.im, real_of_limbs(v));
    }
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        w->own[0][i].re = half_rest(w->own[0][i].re, pivot[i], coefficient);
    w->template publish_next<0>(k);
    w->keep_half(k, settled(coefficient.re), w->position == 0 && w->base < w->all);
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) /* last: what comes is needed with the next pivot */
        w->own[0][i].im = half_other(w->own[0][i].re, w->second);
}
#endif

/* ---- Two pivots, in d -----------------------------------------------------------------------------------------------
 *
 * Most of a step is waiting: for the pivot, for one level of a sum after the other, for the inverse. Two pivots can
 * share this time. Both are published when everything before them has been removed from them. Every group computes,
 * beside the products of its own columns with both, those of the pivots with each other: for pivots a and b, s = a^H
 * a, t = b^H b, g = a^H b. From a column z with u = a^H z and v = b^H z, alpha a + beta b is removed, where
 *
 *   s alpha + g beta = u          alpha = (t u - g v) / e
 *   g* alpha + t beta = v         beta = (s v - g* u) / e,      e = s t - |g|^2.
 *
 * The stored coefficients are those of one pivot after the other: c_a = u / s, and c_b = beta, because removing a
 * from b first does not change beta; the square norm of b after the removal of a is e / s.
 *
 * The error of e, and so of beta, grows with s t / e, the inverse of the squared sine of the angle between the
 * pivots. If that exceeds 4 (for random columns hardly ever before the last two), if one of them depends on the
 * columns before, or if there is no second one, the pivots are removed one after the other, with separate sums. All
 * groups have the same sums, bit for bit, and take the same branch; and all have both pivots, so each can remove the
 * first one from the second by itself. */

/* Sums over a warp of which two threads have the same rows of the pivots, as products with matrices of ones: over four neighbours, which
 * gives a thread the sums of two such quads, and then over the places in a quad. Tensor cores do this while other sums are
 * added by shuffles, which all warps of a multiprocessor share. */
struct pivot_sums {
    enum { COUNT = 4 };
    double quads[COUNT][2];

    __device__ __forceinline__ void begin(const real_acc *sum)
    {
        LANE_UNROLL
        for (int i = 0; i < COUNT; i++) {
            quads[i][0] = quads[i][1] = 0.0;
            gpu_multiply_upper(quads[i], 1.0, real_head(sum[i]));
        }
    }
    __device__ __forceinline__ void end(real_acc *sum) const
    {
        LANE_UNROLL
        for (int i = 0; i < COUNT; i += 2) {
            double both[4] = {0.0, 0.0, 0.0, 0.0};
            gpu_multiply(both, lane_add(quads[i][0], quads[i][1]), lane_add(quads[i + 1][0], quads[i + 1][1]), 0.5);
            sum[i] = real_set(both[0]), sum[i + 1] = real_set(both[2]);
        }
    }
};

/* The state of a thread in a step of pivots k and k + 1. */
template <class W> struct two_pivots {
    int k;
    const double *at;                              /* the first one, in shared memory; the second one is behind it */
    num first[W::rows_each], second[W::rows_each]; /* rows of them, as many as are held */
    real s, t;
    num g;
    real e, over_e, over_s; /* s t - |g|^2, and inverses */

    __device__ __forceinline__ void invert(void)
    {
        real_acc rest = real_acc_add(real_acc_zero(), s, t);
        rest = real_acc_sub(real_acc_sub(rest, g.re, g.re), g.im, g.im);
        e = rest;
        over_e = inverse_near(e), over_s = inverse_near(s);
    }
    /* The share of this thread in s, t and both parts of g, and all of these from their sums. */
    __device__ __forceinline__ void multiply(const W *w, real_acc *sum) const
    {
        sum[0] = rows_square<W::rows_each>(first), sum[1] = rows_square<W::rows_each>(second);
        w->dot(first, second, sum + 2);
    }
    __device__ __forceinline__ void take(const real_acc *sum)
    {
        s = sum[0], t = sum[1], g = cplx_make(sum[2], sum[3]);
    }
    /* Stores all of these, by four threads. */
    __device__ __forceinline__ void note(double *to, int lane) const
    {
        const int odd = lane & 1, late = lane & 2;
        const real a = real_select(late, real_select(odd, over_s, e), real_select(odd, g.re, s)),
                   b = real_select(late, real_select(odd, zero(), over_e), real_select(odd, g.im, t));
        gpu_put(to + 2 * lane, real_head(a), real_head(b), lane < REGISTERS_MEASURES / 2);
    }
    /* Reads them. */
    __device__ __forceinline__ void recall(const double *from)
    {
        const pair *p = (const pair *)from;
        const pair a = p[0], b = p[1], c = p[2];
        s = real_set(a.x), t = real_set(a.y), g = cplx_make(real_set(b.x), real_set(b.y));
        e = real_set(c.x), over_e = real_set(c.y), over_s = real_set(from[6]);
    }
    __device__ __forceinline__ static real zero(void)
    {
        return real_set(0.0);
    }

    __device__ __forceinline__ num first_row(const W *w, int i) const
    {
        return i < W::held ? first[i] : w->pivot_row(at, i);
    }
    __device__ __forceinline__ num second_row(const W *w, int i) const
    {
        return i < W::held ? second[i] : w->pivot_row(at + W::step, i);
    }
    /* A row of the second pivot minus c times the first one; for rows that are held this has been done already. */
    __device__ __forceinline__ num left_row(const W *w, int i, num c) const
    {
        return i < W::held ? second[i] : rest_near(w->pivot_row(at + W::step, i), w->pivot_row(at, i), c);
    }
};

/* ---- The inner products of two pivots as products of matrices ----------------------------------------------------
 *
 * For kernels with four threads per column.
 *
 * A warp multiplies matrices on the tensor cores, which sum over the threads of a column as well; this removes most
 * of the shuffles and half of the instructions of a step. Four threads have a column, as the rows of the left matrix
 * are distributed: its real parts are one row, its imaginary parts another one. The matrix on the right has real and
 * imaginary parts of both pivots, twice, as columns. A thread thus gets the products of both parts of its column with
 * both parts of one pivot, the first one if its number is even, and combines them to a complex product. Of the eight
 * columns that a warp has room for, the last two are the pivots themselves, so their inner products are computed
 * along with the rest. */

/* The sums for the share of this thread in the product; several of them where a single one would be a long chain. */
template <class W> struct matrix_sums {
    static const int at_once = 4, chains = W::rows_each < 2 * at_once ? 1 : 2;
    double c[chains][4];

    __device__ __forceinline__ void clear(void)
    {
        LANE_UNROLL
        for (int i = 0; i < chains; i++)
            c[i][0] = c[i][1] = c[i][2] = c[i][3] = 0.0;
    }
    /* Row i of both matrices has been read, and all before it. */
    __device__ __forceinline__ void add(int i, const double *re, const double *im, const double *right)
    {
        const int first = i - at_once + 1;
        if (i % at_once == at_once - 1)
            gpu_multiply_4(c[i / at_once % chains], re + first, im + first, right + first);
        else if (i >= W::rows_each / at_once * at_once)
            gpu_multiply(c[0], re[i], im[i], right[i]);
    }
    /* The conjugate of the pivot times the column. */
    __device__ __forceinline__ void value(double *re, double *im)
    {
        LANE_UNROLL
        for (int j = 0; j < 4 && chains == 2; j++)
            c[0][j] = lane_add(c[0][j], c[chains - 1][j]);
        *re = lane_add(c[0][0], c[0][3]), *im = lane_sub(c[0][2], c[0][1]);
    }
};

GPU_FN num number_from(double re, double im, int lane)
{
    return cplx_make(real_set(gpu_shuffle(re, lane)), real_set(gpu_shuffle(im, lane)));
}

template <class W> GPU_FN void hold_pivots(const W *w, two_pivots<W> *p)
{
    LANE_UNROLL
    for (int i = 0; i < W::held; i++)
        p->first[i] = w->pivot_row(p->at, i), p->second[i] = w->pivot_row(p->at + W::step, i);
}

/* The inner products of the column of this thread with both pivots, u and v, and of the pivots with each other. */
template <int FIRST, class W> GPU_FN void products_by_quads(W *w, two_pivots<W> *p, num *u, num *v)
{
    const int rows = W::rows_each, has_pivot = w->group >= W::groups, apart = 2 * W::lanes;
    const double *from = p->at + (w->group >> 1 & 1) * W::step + 2 * w->position + (w->group & 1);
    const double *pivot = p->at + (w->group & 1) * W::step + 2 * w->position;
    double re[rows], im[rows], right[rows];
    matrix_sums<W> sums;
    sums.clear();
    LANE_UNROLL
    for (int i = 0; i < rows; i++) {
        num *own = &w->own[FIRST][i];
        right[i] = from[apart * i];
        re[i] = real_head(own->re), im[i] = real_head(own->im);
        gpu_get(&re[i], &im[i], pivot + apart * i, has_pivot);
        *own = cplx_make(real_set(re[i]), real_set(im[i]));
        sums.add(i, re, im, right);
    }
    hold_pivots(w, p);
    double x, y;
    sums.value(&x, &y);
    const int own = w->lane - w->position, of_first = W::groups * W::lanes, of_second = of_first + W::lanes;
    p->s = real_set(gpu_shuffle(x, of_first)), p->t = real_set(gpu_shuffle(x, of_second + 1));
    p->g = number_from(x, y, of_second);
    u[0] = number_from(x, y, own), v[0] = number_from(x, y, own + 1);
}

/* ---- Removing both ------------------------------------------------------------------------------------------------------- */

/* Stores the results of the step: the coefficients of both pivots, by two threads of each column, and the square
 * norms, by those of the second pivot. By rows, these are noted by the warp of the right-hand side alone. */
template <int FIRST, class W>
GPU_FN void keep_two(W *w, int k, const num *c_first, const num *c_second, real s_first, real s_second, int depends)
{
    const int pivot = k + w->position, second = w->position == 1;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        const int j = w->column(FIRST + c), behind = W::by_rows ? j > k + 1 : j > pivot && pivot < w->cols;
        const num kept = num_settled(cplx_make(real_select(second, c_second[c].re, c_first[c].re),
                                               real_select(second, c_second[c].im, c_first[c].im)));
        w->keep_coefficient(FIRST + c, pivot, kept, w->position < 2 && behind && j < w->all);
    }
    if (!W::by_rows && w->position < 2 && w->column(FIRST) == k + 1 && k + 1 < w->cols)
        w->note_square(pivot, acc_total(real_select(second, s_second, s_first)), depends >> w->position & 1);
}

/* The same by the warp of the right-hand side, by rows: two more threads of the right-hand side store the coefficient of the second
 * pivot, and the square norms. Each thread has an address that moves on from step to step. */
template <class W>
GPU_FN void note_two(W *w, int k, num c_first, num c_second, num of_second, real s_first, real s_second, int depends)
{
    const int j = w->column(0), side = j == w->cols, both = k + 1 < w->cols, odd = w->position & 1,
              late = w->position & 2;
    const num early = cplx_make(real_select(odd, c_second.re, c_first.re), real_select(odd, c_second.im, c_first.im)),
              more = cplx_make(real_select(odd, s_first, of_second.re), real_select(odd, s_second, of_second.im));
    const int really =
        side ? w->position < 4 && (both || w->position % 3 == 0) : w->position < 2 && j > k + 1 && j < w->all;
    w->store_pairs(w->note_at, 1, cplx_make(real_select(late, more.re, early.re), real_select(late, more.im, early.im)),
                   really);
    if (depends && side && w->position < 1 + both && (depends >> w->position & 1))
        gpu_raise(w->outcome, MGS_DEPENDENT - k - w->position);
    w->announce_to(w->noted + k / 2);
}

/* Computes alpha and beta for the columns of a thread, and stores the coefficients. */
template <int FIRST, bool NOTES, class W> struct coefficients_of_two {
    static const int count = W::columns_each - FIRST;
    num alpha[count], beta[count];

    num c_first[count];

    __device__ __forceinline__ void make(const W *w, const two_pivots<W> *p, int c, const num *u, const num *v,
                                         real over_e, real over_s)
    {
        const int mine = w->column(FIRST), later = c > 0 || mine > p->k + 1;
        const real zero = real_set(0.0);
        c_first[c] = num_mul_real(u[c], real_select(c > 0 || mine > p->k, over_s, zero));
        num_acc a = num_acc_zero(), b = num_acc_zero();
        a.re = real_acc_add(a.re, p->t, u[c].re), a.im = real_acc_add(a.im, p->t, u[c].im);
        b.re = real_acc_add(b.re, p->s, v[c].re), b.im = real_acc_add(b.im, p->s, v[c].im);
        a = num_acc_sub(a, p->g, v[c]);
        b = num_acc_sub(b, num_conj(p->g), u[c]);
        const num of_first = num_mul_real(cplx_make(a.re, a.im), over_e);
        alpha[c] =
            cplx_make(real_select(later, of_first.re, c_first[c].re), real_select(later, of_first.im, c_first[c].im));
        beta[c] = num_mul_real(cplx_make(b.re, b.im), real_select(later, over_e, zero));
    }

    __device__ __forceinline__ void keep(W *w, const two_pivots<W> *p, real e, real over_s) const
    {
        if constexpr (NOTES)
            note_two(w, p->k, c_first[0], beta[0], num_mul_real(p->g, over_s), p->s, product_loose(e, over_s), 0);
        else
            keep_two<FIRST>(w, p->k, c_first, beta, p->s, product_loose(e, over_s), 0);
    }
};

/* Removes both at once. */
template <int FIRST, bool NOTES, class W>
GPU_FN void remove_together(W *w, const two_pivots<W> *p, const num *u, const num *v, real e, real over_e, real over_s)
{
    /* In the last step unknowns are waited for, but no column. In a single block coefficients are announced by the next column. */
    const int early = W::single || (NOTES && p->k + 2 >= w->cols);
    coefficients_of_two<FIRST, NOTES, W> with;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        with.make(w, p, c, u, v, over_e, over_s);
        if (early)
            with.keep(w, p, e, over_s);
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            num_acc rest = num_acc_sub(num_acc_of(w->own[FIRST + c][i]), p->first_row(w, i), with.alpha[c]);
            rest = num_acc_sub(rest, p->second_row(w, i), with.beta[c]);
            w->own[FIRST + c][i] = cplx_make(settled(rest.re), settled(rest.im));
        }
        w->template publish_next<FIRST>(p->k);
    }
    if (!early)
        with.keep(w, p, e, over_s);
}

/* Removes one after the other. Every thread makes the second pivot itself from the columns that were sent, and the threads that
 * have that column make it, too: both take the coefficient from g. Their own sum u may differ in the last bit, and what a
 * difference of one rounding means to a second pivot that is nearly parallel to the first one is beyond any bound. */
template <int FIRST, bool NOTES, class W>
GPU_FN void remove_in_turn(W *w, two_pivots<W> *p, const num *u, real over, double bound, double second_bound)
{
    const int count = W::columns_each - FIRST, mine = w->column(FIRST), both = p->k + 1 < w->cols;
    const real zero = real_set(0.0);
    int depends = !(real_head(p->s) > bound);
    const real over_s = real_select(!depends, over, zero);
    const num of_second = num_loose(p->g.re, p->g.im, over_s);
    num c_first[count], c_second[count];
    real_acc sum[1 + 2 * count];
    LANE_UNROLL
    for (int i = 0; i < W::held; i++)
        p->second[i] = rest_near(p->second[i], p->first[i], of_second);
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const int is_second = c == 0 && mine == p->k + 1;
        const num with = cplx_make(real_select(is_second, p->g.re, u[c].re), real_select(is_second, p->g.im, u[c].im));
        c_first[c] = num_loose(with.re, with.im, real_select(c > 0 || mine > p->k, over_s, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[FIRST + c][i] = rest_near(w->own[FIRST + c][i], p->first_row(w, i), c_first[c]);
    }
    LANE_UNROLL
    for (int v = 0; v < 1 + 2 * count; v++)
        sum[v] = real_acc_zero();
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        const num left = p->left_row(w, i, of_second);
        sum[0] = real_acc_add(real_acc_add(sum[0], left.re, left.re), left.im, left.im);
        LANE_UNROLL
        for (int c = 0; c < count; c++) {
            num_acc with = {sum[1 + 2 * c], sum[2 + 2 * c]};
            with = num_acc_add_conj(with, left, w->own[FIRST + c][i]);
            sum[1 + 2 * c] = with.re, sum[2 + 2 * c] = with.im;
        }
    }
    group_sums<W::lanes, 1 + 2 * count, W::spacing>(sum);
    const real t = sum[0];
    const int second_depends = !(real_head(t) > second_bound);
    const real over_t = real_select(both && !second_depends, inverse_near(t), zero);
    depends |= second_depends << 1;
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        c_second[c] = num_loose(sum[1 + 2 * c], sum[2 + 2 * c], real_select(c > 0 || mine > p->k + 1, over_t, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[FIRST + c][i] = rest_near(w->own[FIRST + c][i], p->left_row(w, i, of_second), c_second[c]);
        if (!W::single)
            w->template publish_next<FIRST>(p->k);
    }
    if constexpr (NOTES)
        note_two(w, p->k, c_first[0], c_second[0], of_second, p->s, t, depends);
    else
        keep_two<FIRST>(w, p->k, c_first, c_second, p->s, t, depends);
    if (W::single)
        w->template publish_next<FIRST>(p->k);
}

/* The inner products of the columns of this thread with both pivots, u and v, and of the pivots with each other, unless these are
 * known, and their inverses. */
template <int FIRST, bool MEASURED, class W> GPU_FN void products_of_two(const W *w, two_pivots<W> *p, num *u, num *v)
{
    const int count = W::columns_each - FIRST, shared = MEASURED ? 0 : 4; /* sums of s, t and both parts of g */
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        p->first[i] = w->pivot_row(p->at, i), p->second[i] = w->pivot_row(p->at + W::step, i);
    real_acc sum[shared + 4 * count];
    pivot_sums of_pivots;
    if constexpr (!MEASURED && W::by_ones) {
        p->multiply(w, sum);
        of_pivots.begin(sum);
    }
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        w->dot(p->first, w->own[FIRST + c], sum + shared + 4 * c);
        w->dot(p->second, w->own[FIRST + c], sum + shared + 4 * c + 2);
    }
    if constexpr (!MEASURED && W::by_ones) {
        of_pivots.end(sum);
        p->take(sum);
        p->invert();
        group_sums<W::lanes, 4 * count, W::spacing>(sum + shared);
    } else {
        if constexpr (!MEASURED)
            p->multiply(w, sum);
        group_sums<W::lanes, shared + 4 * count, W::spacing>(sum);
        if constexpr (!MEASURED) {
            p->take(sum);
            p->invert();
        }
    }
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const real_acc *of = sum + shared + 4 * c;
        u[c] = cplx_make(of[0], of[1]);
        v[c] = cplx_make(of[2], of[3]);
    }
}

/* Steps k and k + 1 for the slots from FIRST on. */
template <int FIRST, bool NOTES, class W> GPU_FN void registers_take_two(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    two_pivots<W> p;
    p.k = k;
    p.at = w->pivots + w->here;
    if constexpr (NOTES && W::measured) {
        gpu_barrier_sleep(w->known + k / 2, 0);
        p.recall(w->measures + k / 2 * REGISTERS_MEASURES);
    } else
        w->await_others(k);
    const double bound = p.at[W::tail], second_bound = p.at[W::step + W::tail];
    num u[count], v[count];
    if constexpr (W::by_matrices)
        products_by_quads<FIRST>(w, &p, u, v);
    else
        products_of_two<FIRST, NOTES && W::measured>(w, &p, u, v);
    if constexpr (W::by_matrices)
        p.invert();
    const real e = p.e, over_e = p.over_e, over_s = p.over_s;
    const double s = real_head(p.s), quarter = lane_mul(0.25, real_head(p.t));
    if (W::held < W::rows_each)
        gpu_sync_warp(); /* otherwise the compiler keeps the loaded values */
    if (k + 1 < w->cols && s > bound && real_head(e) > lane_mul(s, quarter > second_bound ? quarter : second_bound))
        remove_together<FIRST, NOTES>(w, &p, u, v, e, over_e, over_s);
    else
        remove_in_turn<FIRST, NOTES>(w, &p, u, over_s, bound, second_bound);
}

/* By the warp that measures, in the block of the right-hand side: what the step of each two pivots needs of them alone. The warp of the
 * right-hand side also notes what a step finds (note_two), and would be slower than the columns if it summed all of this itself. */
template <class W> GPU_FN void registers_measure(W *w)
{
#pragma unroll 1
    for (int k = 0; k < w->cols; k += 2) {
        while (k >= w->limit)
            w->turn_over(w->limit);
        two_pivots<W> p;
        p.at = w->pivots + (k - w->first) * W::step;
        gpu_barrier_sleep(w->ready_of(k), w->parity);
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            p.first[i] = w->pivot_row(p.at, i), p.second[i] = w->pivot_row(p.at + W::step, i);
        real_acc sum[pivot_sums::COUNT];
        pivot_sums sums;
        p.multiply(w, sum);
        sums.begin(sum);
        sums.end(sum);
        p.take(sum);
        p.invert();
        p.note(w->measures + k / 2 * REGISTERS_MEASURES, w->lane);
        w->announce_to(w->known + k / 2);
    }
}

#endif
