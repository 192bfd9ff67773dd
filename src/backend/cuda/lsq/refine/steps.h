/* steps.h - corrections until they are small enough, by a block of mgs_refine.cu: dx = P r, or P P^H A^H r for m > n, x += dx,
 * r -= A dx, and when to stop. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_STEPS_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_STEPS_H

#include "backend/cuda/lsq/refine/inverse.h"
#include "backend/cuda/lsq/refine/sums.h"

enum { MOST_STEPS = 30 };

/* dx = P from, where entry e of `from` is part e % PARTS of a row. */
GPU_FN void apply_inverse(refine *w, const double *from, int step)
{
    const int outputs = w->n * PARTS, group = group_for(outputs), at_once = gpu_threads() / group;
    for (int base = 0; base < outputs; base += at_once) {
        const int o = base + w->thread / group, there = o < outputs, k = there ? o / PARTS : 0, part = o % PARTS;
        const double *p = w->p + k * w->p_ld;
        double sum = 0.0, more = 0.0;
        for (int i = w->thread % group; i < w->m; i += group) {
            sum = lane_fma(p[i], from[i * PARTS + part], sum);
            if (PARTS == 2)
                more = lane_fma(p[w->p_plane + i], from[i * PARTS + 1 - part], more);
        }
        if (PARTS == 2)
            sum = lane_add(sum, part ? more : -more);
        for (int with = 1; with < group; with <<= 1)
            sum = lane_add(sum, gpu_shuffle_xor(sum, with));
        if (there && w->thread % group == 0)
            w->dx[o] = sum;
        raise_size(&w->size[SIZE_DX + (step & 1)], sum, there);
    }
}

/* t = P^H g. */
GPU_FN void apply_adjoint(refine *w, int step)
{
    const int outputs = w->m * PARTS, group = group_for(outputs), at_once = gpu_threads() / group;
    for (int base = 0; base < outputs; base += at_once) {
        const int o = base + w->thread / group, there = o < outputs, i = there ? o / PARTS : 0, part = o % PARTS;
        double sum = 0.0, more = 0.0;
        for (int k = w->thread % group; k < w->n; k += group) {
            sum = lane_fma(w->p[k * w->p_ld + i], w->g[k * PARTS + part], sum);
            if (PARTS == 2)
                more = lane_fma(w->p[w->p_plane + k * w->p_ld + i], w->g[k * PARTS + 1 - part], more);
        }
        if (PARTS == 2)
            sum = lane_add(sum, part ? -more : more);
        for (int with = 1; with < group; with <<= 1)
            sum = lane_add(sum, gpu_shuffle_xor(sum, with));
        if (there && w->thread % group == 0)
            w->t[o] = sum;
        raise_size(&w->size[SIZE_T + (step & 1)], sum, there);
    }
}

/* g = A^H r, added up in the precision of x and rounded. */
GPU_FN void gradient(refine *w, int r_size)
{
    const int outputs = w->n * PARTS, all = w->m * PARTS, group = group_for(outputs), at_once = gpu_threads() / group;
    const int top = sum_top(r_size, 0, all);
    for (int base = 0; base < outputs; base += at_once) {
        const int o = base + w->thread / group, there = o < outputs, k = there ? o / PARTS : 0, part = o % PARTS;
        const double *a = w->a + k * w->a_ld;
        real_acc sum = real_acc_zero();
        for (int i = w->thread % group; i < w->m; i += group) {
            sum = real_acc_add(sum, entry_of(a + i, w->a_plane), real_load(w->r + i * PARTS + part, all, 1));
            if (PARTS == 2) {
                real other = real_load(w->r + i * PARTS + 1 - part, all, 1);
                sum = real_acc_add(sum, entry_of(a + AS * w->a_plane + i, w->a_plane), part ? real_neg(other) : other);
            }
        }
        slices s = slices_of(sum, top);
        for (int with = 1; with < group; with <<= 1) {
            LANE_UNROLL
            for (int q = 0; q < SLICES; q++)
                s.v[q] = lane_add(s.v[q], gpu_shuffle_xor(s.v[q], with));
        }
        if (there && w->thread % group == 0)
            w->g[o] = real_head(slices_value(s));
    }
}

/* r -= A dx */
GPU_FN void update_residual(refine *w, int exponent, int step)
{
    const int outputs = w->m * PARTS, group = group_for(outputs), at_once = gpu_threads() / group;
    const int top = exponent + w->top_more;
    for (int base = 0; base < outputs; base += at_once) {
        const int o = base + w->thread / group, there = o < outputs, i = there ? o / PARTS : 0, part = o % PARTS;
        levels sum = levels_start(top);
        for (int k = w->thread % group; k < w->n; k += group) {
            const double *a = w->a + k * w->a_ld + i;
            levels_take(&sum, a, w->a_plane, on_grid(w->dx[k * PARTS + part], exponent));
            if (PARTS == 2)
                levels_take(&sum, a + AS * w->a_plane, w->a_plane,
                            on_grid(part ? w->dx[k * PARTS] : -w->dx[k * PARTS + 1], exponent));
        }
        real total = levels_total(sum, top, group);
        const int mine = there && w->thread % group == 0;
        if (mine) {
            total = real_sub(real_load(w->r + o, outputs, 1), total);
            real_store(w->r + o, outputs, total, 1);
        }
        raise_size(&w->size[SIZE_R + ((step + 1) & 1)], real_head(total), mine);
    }
}

/* x += dx */
GPU_FN void update_solution(refine *w, int exponent)
{
    const int all = w->n * PARTS;
    for (int base = 0; base < all; base += gpu_threads()) {
        const int e = base + w->thread, there = e < all;
        real x = real_load(w->x + (there ? e : 0), all, 1);
        x = real_add_d(x, there ? on_grid(w->dx[e], exponent) : 0.0);
        if (there)
            real_store(w->x + e, all, x, 1);
        raise_size(&w->size[SIZE_X], real_head(x), there);
    }
}

/* The largest correction that rounding alone can explain, relative to x: where r stays, so does the rounding of A^H r. */
GPU_FN double stall_limit(const refine *w, double x, double r)
{
    double condition = lane_mul(w->a_norm, w->p_norm);
    double left = lane_mul(w->p_norm, lane_div(lane_mul(r, lane_sqrt((double)w->m)), x));
    double limit = lane_mul(lane_mul(w->job->noise, condition), lane_add(1.0, left));
    return limit < 1e-3 ? limit : 1e-3;
}

/* One right-hand side from r = b, x = 0. Whether it converged; *steps: corrections after the first.
 *
 * What shrinks by u cond(A) from the first step on is the part of r in the range of A; the corrections follow it, but the
 * first ones may be larger by the condition, since the columns of W are orthogonal to u cond(A) only. */
GPU_FN int iterate(refine *w, int *steps)
{
    const double slowest = 0x1p-8; /* beyond, a factor in the precision of x is faster */
    double before = 1.0, error_before = 0.0;
    for (int step = 0; step <= MOST_STEPS; step++) {
        const int turn = step & 1, r_size = step == 0 ? 0x3ff00000 : w->size[SIZE_R + turn];
        *steps = step;
        if (w->thread < 3) /* of dx, r and t in the next step */
            w->size[2 * w->thread + 1 - turn] = 0;
        if (w->m > w->n) {
            gradient(w, r_size);
            gpu_sync();
            apply_adjoint(w, step);
            gpu_sync();
        }
        apply_inverse(w, w->m > w->n ? w->t : w->r, step);
        gpu_sync();
        const int size = w->size[SIZE_DX + turn], exponent = exponent_above(size);
        if (size == 0)
            return 1;
        if (size >= 0x7ff00000 || exponent < -900 || exponent > 900)
            return 0;
        const double x = gpu_of_high_word(w->size[SIZE_X]), now = step == 0 ? 1.0 : lane_div(gpu_of_high_word(size), x);
        const double error = gpu_of_high_word(w->m > w->n ? w->size[SIZE_T + turn] : r_size);
        const double rate = lane_div(now, before), error_rate = lane_div(error, error_before);
        const double next = lane_mul(now, rate > error_rate ? rate : error_rate);
        int done = step > 0 && (now <= w->job->unit || (rate <= 0.5 && next <= lane_mul(0.25, w->job->unit)));
        if (step > 0 && !done && !(error_rate <= slowest)) {
            if (w->m == w->n || !(now <= stall_limit(w, x, gpu_of_high_word(r_size))))
                return 0;
            done = 1;
        }
        if (!done || w->job->residual.data || w->m > w->n)
            update_residual(w, exponent, step);
        update_solution(w, exponent);
        gpu_sync();
        if (done)
            return 1;
        if (step > 0)
            before = now;
        error_before = error;
    }
    return 0;
}

#endif
