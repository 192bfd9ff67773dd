/* mgs_registers_two.h - two pivots a step, for the kernels of mgs_registers.cu.
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
#ifndef PLUMB_CUDA_MGS_REGISTERS_TWO_H
#define PLUMB_CUDA_MGS_REGISTERS_TWO_H

#include "backend/cuda/mgs_group.h"

/* What a thread knows in a step of pivots k and k + 1. */
template <class W> struct two_pivots {
    int k;
    const double *at;                               /* the first one, in shared memory; the second one is behind it */
    num first[W::rows_each], second[W::rows_each]; /* rows of them, as many as are held */
    real s, t;
    num g;

    __device__ __forceinline__ num first_row(const W *w, int i) const
    {
        return i < W::held ? first[i] : w->pivot_row(at, i);
    }
    __device__ __forceinline__ num second_row(const W *w, int i) const
    {
        return i < W::held ? second[i] : w->pivot_row(at + W::step, i);
    }
};

/* What stays of the step: coefficients with both pivots, by two threads of each column, and the square norms, by those of the
 * second pivot. */
template <int FIRST, class W>
GPU_FN void keep_two(W *w, int k, const num *c_first, const num *c_second, real s_first, real s_second, int depends)
{
    if (w->position > 1)
        return;
    const int pivot = k + w->position, second = w->position == 1;
    LANE_UNROLL
    for (int c = 0; c < W::columns_each - FIRST; c++) {
        const int j = w->column(FIRST + c);
        const num kept = cplx_make(real_select(second, c_second[c].re, c_first[c].re),
                                   real_select(second, c_second[c].im, c_first[c].im));
        if (j > pivot && j < w->all && pivot < w->cols)
            w->store_pairs(w->place[FIRST + c] + pivot * W::a_number, 1, kept);
    }
    if (w->column(FIRST) == k + 1 && k + 1 < w->cols)
        w->note_square(pivot, real_select(second, s_second, s_first), depends >> w->position & 1);
}

/* Both at once. */
template <int FIRST, class W>
GPU_FN void remove_together(W *w, const two_pivots<W> *p, const num *u, const num *v, real e)
{
    const int count = W::columns_each - FIRST, mine = w->column(FIRST);
    const real over_e = inverse_near(e), over_s = inverse_near(p->s), zero = real_set(0.0);
    num c_first[count], beta[count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        const int later = c > 0 || mine > p->k + 1; /* the second pivot loses the first one, and that one nothing */
        c_first[c] = num_mul_real(u[c], real_select(c > 0 || mine > p->k, over_s, zero));
        num_acc a = num_acc_zero(), b = num_acc_zero();
        a.re = real_acc_add(a.re, p->t, u[c].re), a.im = real_acc_add(a.im, p->t, u[c].im);
        b.re = real_acc_add(b.re, p->s, v[c].re), b.im = real_acc_add(b.im, p->s, v[c].im);
        a = num_acc_sub(a, p->g, v[c]);
        b = num_acc_sub(b, num_conj(p->g), u[c]);
        num alpha = num_mul_real(cplx_make(acc_total(a.re), acc_total(a.im)), over_e);
        alpha = cplx_make(real_select(later, alpha.re, c_first[c].re), real_select(later, alpha.im, c_first[c].im));
        beta[c] = num_mul_real(cplx_make(acc_total(b.re), acc_total(b.im)), real_select(later, over_e, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            num_acc rest = num_acc_sub(num_acc_of(w->own[FIRST + c][i]), p->first_row(w, i), alpha);
            rest = num_acc_sub(rest, p->second_row(w, i), beta[c]);
            w->own[FIRST + c][i] = cplx_make(acc_total(rest.re), acc_total(rest.im));
        }
        w->template publish_from<FIRST>(c, p->k);
    }
    keep_two<FIRST>(w, p->k, c_first, beta, p->s, real_mul(e, over_s), 0);
}

/* One after the other. */
template <int FIRST, class W>
GPU_FN void remove_in_turn(W *w, const two_pivots<W> *p, const num *u, double bound, double second_bound)
{
    const int count = W::columns_each - FIRST, mine = w->column(FIRST), both = p->k + 1 < w->cols;
    const real zero = real_set(0.0);
    int depends = !(real_head(p->s) > bound);
    const real over_s = real_select(!depends, inverse_near(p->s), zero);
    const num of_second = num_mul_real(p->g, over_s);
    num c_first[count], c_second[count], left[W::rows_each];
    real_acc sum[1 + 2 * count];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        left[i] = num_rest(p->second_row(w, i), p->first_row(w, i), of_second);
    sum[0] = w->square(left);
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        c_first[c] = num_mul_real(u[c], real_select(c > 0 || mine > p->k, over_s, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[FIRST + c][i] = num_rest(w->own[FIRST + c][i], p->first_row(w, i), c_first[c]);
        w->dot(left, w->own[FIRST + c], sum + 1 + 2 * c);
    }
    group_sums<W::lanes, 1 + 2 * count>(sum);
    const real t = acc_total(sum[0]);
    const int second_depends = !(real_head(t) > second_bound);
    const real over_t = real_select(both && !second_depends, inverse_near(t), zero);
    depends |= second_depends << 1;
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        c_second[c] = num_mul_real(cplx_make(acc_total(sum[1 + 2 * c]), acc_total(sum[2 + 2 * c])),
                                   real_select(c > 0 || mine > p->k + 1, over_t, zero));
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++)
            w->own[FIRST + c][i] = num_rest(w->own[FIRST + c][i], left[i], c_second[c]);
        w->template publish_from<FIRST>(c, p->k);
    }
    keep_two<FIRST>(w, p->k, c_first, c_second, p->s, t, depends);
}

/* Steps k and k + 1 for the slots from FIRST on. */
template <int FIRST, class W> GPU_FN void registers_take_two(W *w, int k)
{
    const int count = W::columns_each - FIRST;
    two_pivots<W> p;
    p.k = k;
    p.at = w->pivots + (k - w->first) * W::step;
    w->await_others(k);
    const double bound = p.at[W::tail], second_bound = p.at[W::step + W::tail];
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++)
        p.first[i] = w->pivot_row(p.at, i), p.second[i] = w->pivot_row(p.at + W::step, i);
    real_acc sum[4 + 4 * count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        w->dot(p.first, w->own[FIRST + c], sum + 4 + 4 * c);
        w->dot(p.second, w->own[FIRST + c], sum + 6 + 4 * c);
    }
    sum[0] = w->square(p.first), sum[1] = w->square(p.second);
    w->dot(p.first, p.second, sum + 2);
    group_sums<W::lanes, 4 + 4 * count>(sum);
    p.s = acc_total(sum[0]), p.t = acc_total(sum[1]);
    p.g = cplx_make(acc_total(sum[2]), acc_total(sum[3]));
    num u[count], v[count];
    LANE_UNROLL
    for (int c = 0; c < count; c++) {
        u[c] = cplx_make(acc_total(sum[4 + 4 * c]), acc_total(sum[5 + 4 * c]));
        v[c] = cplx_make(acc_total(sum[6 + 4 * c]), acc_total(sum[7 + 4 * c]));
    }
    real_acc rest = real_acc_add(real_acc_zero(), p.s, p.t);
    rest = real_acc_sub(real_acc_sub(rest, p.g.re, p.g.re), p.g.im, p.g.im);
    const real e = acc_total(rest);
    const double s = real_head(p.s), quarter = lane_mul(0.25, real_head(p.t));
    if (W::held < W::rows_each)
        gpu_sync_warp(); /* or the compiler keeps what it has read */
    if (k + 1 < w->cols && s > bound && real_head(e) > lane_mul(s, quarter > second_bound ? quarter : second_bound))
        remove_together<FIRST>(w, &p, u, v, e);
    else
        remove_in_turn<FIRST>(w, &p, u, bound, second_bound);
}

#endif
