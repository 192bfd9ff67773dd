/* two.h - two pivots a step, for the kernels of mgs_registers.cu.
 *
 * Most of a step is waiting: for the pivot, for one level of a sum after the other, for the inverse. So two pivots share it. Both are
 * published when everything before them is removed from them, and everybody has, beside the products of its own columns with
 * both, those of the pivots with each other: for pivots a and b, s = a^H a, t = b^H b, g = a^H b. What has to be removed from a column z
 * with u = a^H z and v = b^H z is alpha a + beta b, where
 *
 *   s alpha + g beta = u          alpha = (t u - g v) / e
 *   g* alpha + t beta = v         beta = (s v - g* u) / e,      e = s t - |g|^2.
 *
 * The coefficients that stay are those of one pivot after the other: c_a = u / s, and c_b = beta, since removing a from b first
 * does not change that; the square norm of what is left of b is e / s.
 *
 * The error of e, and so of beta, grows with s t / e, the inverse of the squared sine of the angle between the pivots. Where that is
 * over 4 (of random columns, hardly ever before the last two), where one of them depends on what came before, or where there is
 * no second one, the pivots are removed one after the other, by sums of their own. Everybody has the same sums, bit by bit, and so goes
 * the same way; and everybody has both pivots, so it takes nobody else to remove the first one from the second.
 *
 * W is one of in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_TWO_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_TWO_H

#include "backend/cuda/lsq/registers/matrix.h"

/* What stays of the step: coefficients with both pivots, by two threads of each column, and the square norms, by those of the
 * second pivot. */
template <int FIRST, class W>
GPU_FN void keep_two(W *w, int k, const num *c_first, const num *c_second, real s_first, real s_second, int depends)
{
    const int pivot = k + w->position, second = w->position == 1;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        const int j = w->column(FIRST + c);
        const num kept = num_settled(cplx_make(real_select(second, c_second[c].re, c_first[c].re),
                                               real_select(second, c_second[c].im, c_first[c].im)));
        w->store_pairs(w->place[FIRST + c] + pivot * W::a_number, 1, kept,
                       w->position < 2 && j > pivot && j < w->all && pivot < w->cols);
    }
    if (w->position < 2 && w->column(FIRST) == k + 1 && k + 1 < w->cols)
        w->note_square(pivot, acc_total(real_select(second, s_second, s_first)), depends >> w->position & 1);
}

/* alpha and beta for the columns of a thread, and what it keeps of them. In double every thread makes them. */
template <int FIRST, class W> struct coefficients_of_two {
    static const int count = W::columns_each - FIRST;
    num alpha[count], beta[count];

#if PLUMB_LIMBS == 1
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

    __device__ __forceinline__ void keep(W *w, const two_pivots<W> *p, real s_second) const
    {
        keep_two<FIRST>(w, p->k, c_first, beta, p->s, s_second, 0);
    }
#else
    real kept[count];

    /* Four threads make a part each: of alpha or of beta, real or imaginary. */
    __device__ __forceinline__ void make(const W *w, const two_pivots<W> *p, int c, const num *u, const num *v,
                                         real over_e, real over_s)
    {
        const int mine = w->column(FIRST), later = c > 0 || mine > p->k + 1;
        const int second = w->position >> 1 & 1, imaginary = w->position & 1;
        const real zero = real_set(0.0);
        const real u_1 = real_select(imaginary, u[c].im, u[c].re), u_2 = real_select(imaginary, u[c].re, u[c].im);
        const real v_1 = real_select(imaginary, v[c].im, v[c].re), v_2 = real_select(imaginary, v[c].re, v[c].im);
        const real x = real_select(second, v_1, u_1);
        real_acc sum = real_acc_add(real_acc_zero(), real_select(second, p->s, p->t), x);
        sum = real_acc_sub(sum, p->g.re, real_select(second, u_1, v_1));
        sum = real_acc_sub(sum, real_flip(p->g.im, second == imaginary ? (int)0x80000000u : 0),
                           real_select(second, u_2, v_2));
        /* The second pivot loses the first one, and that one nothing. */
        const real alone = real_select(!second && mine == p->k + 1, x, zero);
        const real part = product_loose(real_select(later, sum, alone), real_select(later, over_e, over_s));
        const int from = w->lane - (w->position & 3) * W::groups;
        alpha[c] = cplx_make(real_from(part, from), real_from(part, from + W::groups));
        beta[c] = cplx_make(real_from(part, from + 2 * W::groups), real_from(part, from + 3 * W::groups));
        kept[c] = settled(second ? part : product_loose(x, over_s));
    }

    __device__ __forceinline__ void keep(W *w, const two_pivots<W> *p, real s_second) const
    {
        const int second = w->position >> 1, imaginary = w->position & 1;
        LANE_UNROLL
        for (int c = 0; c < count; c++) {
            const int j = w->column(FIRST + c);
            double *to = w->place[FIRST + c] + (p->k + second) * W::a_number + imaginary * LIMBS;
            gpu_put(to, kept[c].hi, kept[c].lo, second < 2 && j > p->k + second && j < w->all);
        }
        if (second < 2 && !imaginary && w->column(FIRST) == p->k + 1)
            w->note_square(p->k + second, acc_total(real_select(second, s_second, p->s)), 0);
    }

    static __device__ __forceinline__ real real_from(real a, int lane)
    {
        return dd_make(gpu_shuffle(a.hi, lane), gpu_shuffle(a.lo, lane));
    }
#endif
};

/* Both at once. */
template <int FIRST, class W>
GPU_FN void remove_together(W *w, const two_pivots<W> *p, const num *u, const num *v, real e, real over_e, real over_s)
{
    coefficients_of_two<FIRST, W> with;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        with.make(w, p, c, u, v, over_e, over_s);
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            num_acc rest = num_acc_sub(num_acc_of(w->own[FIRST + c][i]), p->first_row(w, i), with.alpha[c]);
            rest = num_acc_sub(rest, p->second_row(w, i), with.beta[c]);
            w->own[FIRST + c][i] = cplx_make(settled(rest.re), settled(rest.im));
        }
        w->template publish_next<FIRST>(p->k);
    }
    with.keep(w, p, product_loose(e, over_s));
}

/* One after the other. */
template <int FIRST, class W>
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
        c_first[c] = num_loose(u[c].re, u[c].im, real_select(c > 0 || mine > p->k, over_s, zero));
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
        w->template publish_next<FIRST>(p->k);
    }
    keep_two<FIRST>(w, p->k, c_first, c_second, p->s, t, depends);
}

/* s, t and g. In double double a product costs more than a shuffle: columns next to each other make half of the sums each. */
template <class W> struct gram_of_two {
#if PLUMB_LIMBS == 1
    static const int sums = 4;
    static __device__ __forceinline__ void part(const W *w, const two_pivots<W> *p, real_acc *sum)
    {
        sum[0] = rows_square<W::rows_each>(p->first), sum[1] = rows_square<W::rows_each>(p->second);
        w->dot(p->first, p->second, sum + 2);
    }
    static __device__ __forceinline__ void total(const W *, two_pivots<W> *p, const real_acc *sum)
    {
        p->s = sum[0], p->t = sum[1], p->g = cplx_make(sum[2], sum[3]);
    }
#else
    static const int sums = 2;
    static __device__ __forceinline__ void part(const W *w, const two_pivots<W> *p, real_acc *sum)
    {
        const int other = w->lane & 1; /* t and the imaginary part of g */
        real_acc re = real_acc_zero(), im = re, g = re;
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            const num a = w->pivot_row(p->at + other * W::step, i), b = p->second[i];
            re = real_acc_add(re, a.re, a.re);
            im = real_acc_add(im, a.im, a.im);
            g = real_acc_add(g, p->first[i].re, real_select(other, b.im, b.re));
            g = real_acc_add(g, p->first[i].im, real_select(other, real_neg(b.re), b.im));
        }
        sum[0] = acc_merge(re, im), sum[1] = g;
    }
    static __device__ __forceinline__ void total(const W *w, two_pivots<W> *p, const real_acc *sum)
    {
        const int other = w->lane & 1;
        const real mine = sum[0], g = sum[1];
        const real theirs = acc_of_other(mine, 1), g_theirs = acc_of_other(g, 1);
        p->s = real_select(other, theirs, mine), p->t = real_select(other, mine, theirs);
        p->g = cplx_make(real_select(other, g_theirs, g), real_select(other, g, g_theirs));
    }
#endif
};

/* What the thread's columns have in common with both pivots, u and v, and these with each other. */
template <int FIRST, class W> GPU_FN void products_of_two(const W *w, two_pivots<W> *p, num *u, num *v)
{
    const int count = W::columns_each - FIRST, shared = gram_of_two<W>::sums;
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        p->first[i] = w->pivot_row(p->at, i), p->second[i] = w->pivot_row(p->at + W::step, i);
    real_acc sum[shared + 4 * count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        w->dot(p->first, w->own[FIRST + c], sum + shared + 4 * c);
        w->dot(p->second, w->own[FIRST + c], sum + shared + 4 * c + 2);
    }
    gram_of_two<W>::part(w, p, sum);
    group_sums<W::lanes, shared + 4 * count, W::spacing>(sum);
    gram_of_two<W>::total(w, p, sum);
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const real_acc *of = sum + shared + 4 * c;
        u[c] = cplx_make(of[0], of[1]);
        v[c] = cplx_make(of[2], of[3]);
    }
}

/* Steps k and k + 1 for the slots from FIRST on. */
template <int FIRST, class W> GPU_FN void registers_take_two(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    two_pivots<W> p;
    p.k = k;
    p.at = w->pivots + w->here;
    w->await_others(k);
    const double bound = p.at[W::tail], second_bound = p.at[W::step + W::tail];
    num u[count], v[count];
    if constexpr (W::by_matrices && W::lanes == REGISTERS_QUAD)
        products_by_quads<FIRST>(w, &p, u, v);
    else if constexpr (W::by_matrices)
        products_by_halves<FIRST>(w, &p, u, v);
    else
        products_of_two<FIRST>(w, &p, u, v);
    real_acc rest = real_acc_add(real_acc_zero(), p.s, p.t);
    rest = real_acc_sub(real_acc_sub(rest, p.g.re, p.g.re), p.g.im, p.g.im);
    const real e = rest;
    const real over_e = inverse_near(e), over_s = inverse_near(p.s);
    const double s = real_head(p.s), quarter = lane_mul(0.25, real_head(p.t));
    if (W::held < W::rows_each)
        gpu_sync_warp(); /* or the compiler keeps what it has read */
    if (k + 1 < w->cols && s > bound && real_head(e) > lane_mul(s, quarter > second_bound ? quarter : second_bound))
        remove_together<FIRST>(w, &p, u, v, e, over_e, over_s);
    else
        remove_in_turn<FIRST>(w, &p, u, over_s, bound, second_bound);
}

#endif
