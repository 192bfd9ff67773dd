/* mgs_refine.cu - refinement by one block per problem, all steps in one launch.
 *
 * With A = W C of the factor in double, the pseudo-inverse P = C^-1 D^-1 W^H, D = W^H W, is computed once: then a
 * correction is a product with a matrix instead of a substitution. The residual is updated instead of being computed
 * anew: r -= A dx with dx a vector of doubles costs a third of b - A x and is as accurate, since each step rounds
 * relative to its own dx. For m > n it is g = A^H r that must vanish, and dx = P P^H g; |A (x - x*)| shrinks by u
 * cond(A) per step, whatever the size of r.
 *
 * Sums of A dx are exact except for their last bits: A is cut into slices of fixed point, dx is rounded to a multiple
 * of 2^-51 of its largest entry, and a product goes to a level that begins at a bias (as in arith/qd_rest.h): three
 * instructions add it and find the rounding error of the level. All threads have the same levels, so partial sums add
 * exactly in any order.
 *
 * Small problems that do not converge are solved in the precision of x by the same block (full.h). */
#include <stdio.h>

#include <atomic>

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/refine/refine.h"
#include "backend/cuda/lsq/team.h"

#if PLUMB_LIMBS > 1

#include "backend/cuda/lsq/refine/full.h"

/* Words of shared memory: high words of the largest moduli of dx, r and t in this step and in the next one, and of x. */
enum { SIZE_DX = 0, SIZE_R = 2, SIZE_T = 4, SIZE_X = 6, SIZES = 7 };

/* The state of a thread. */
typedef struct refine {
    const mgs_refine_job *job;
    int problem, m, n, thread;
    int top_more; /* bits that a sum of n products may grow by */
    double *a;    /* entry (i, k) of A: plane q (slices of re, then of im) at a[q*a_plane + k*a_ld + i] */
    double *p;    /* P(k, i), likewise */
    int64_t a_plane, a_ld, p_plane, p_ld;
    double *x, *r;         /* limb q of part e % PARTS of entry e / PARTS: x[q*n*PARTS + e] */
    double *dx, *g, *t;    /* n, n and m numbers in double; g and t for m > n */
    double *sums;          /* a double per warp */
    int32_t *size;         /* SIZES words */
    double a_norm, p_norm; /* of A and P, for m > n */
} refine;

/* The number of neighbouring threads that share a sum, for a given number of sums. */
GPU_FN int group_for(int outputs)
{
    int group = 1;
    while (group < GPU_WARP && 2 * group * outputs <= gpu_threads())
        group *= 2;
    return group;
}

/* Raises a word of shared memory to the high word of the largest modulus over a warp. */
GPU_FN void raise_size(int32_t *word, double value, int counts)
{
    int size = gpu_max(counts ? gpu_high_word(value) & 0x7fffffff : 0);
    if (gpu_thread() % GPU_WARP == 0)
        gpu_raise(word, size);
}

GPU_FN int exponent_above(int size)
{
    return (size >> 20) - 1022;
}

/* The sum of a over the block, in a fixed order. */
GPU_FN double block_total(const refine *w, double a)
{
    for (int with = 1; with < GPU_WARP; with <<= 1)
        a = lane_add(a, gpu_shuffle_xor(a, with));
    gpu_sync();
    if (w->thread % GPU_WARP == 0)
        w->sums[w->thread / GPU_WARP] = a;
    gpu_sync();
    a = 0.0;
    for (int i = 0; i < gpu_threads() / GPU_WARP; i++)
        a = lane_add(a, w->sums[i]);
    return a;
}

/* Computes rows of P^H: C y = D^-1 (row of W)^H, UNITS rows per warp at a time; thread l has the entries l, l + 32,
 * ... */
template <int ROWS, int UNITS> GPU_FN void invert(const refine *w, const double *c, int64_t c_plane, const double *s)
{
    const int lane = w->thread % GPU_WARP, warps = gpu_threads() / GPU_WARP, n = w->n;
    const double *from = w->job->low.w + w->problem * w->job->low.w_step;
    for (int base = w->thread / GPU_WARP; base < w->m; base += warps * UNITS) {
        double re[UNITS][ROWS], im[UNITS][ROWS];
        LANE_UNROLL
        for (int r = 0; r < ROWS; r++) {
            const int k = lane + GPU_WARP * r;
            const double inverse = k < n ? gpu_reciprocal(s[k]) : 0.0;
            LANE_UNROLL
            for (int u = 0; u < UNITS; u++) {
                const int i = base + u * warps, there = k < n && i < w->m;
                const double *at = from + (there ? (int64_t)k * w->m + i : 0);
                re[u][r] = there ? lane_mul(at[0], inverse) : 0.0;
                im[u][r] = there && PARTS == 2 ? -lane_mul(at[w->job->low.w_plane], inverse) : 0.0;
            }
        }
        LANE_UNROLL
        for (int last = ROWS - 1; last >= 0; last--) {
#pragma unroll 2
            for (int l = n - GPU_WARP * last < GPU_WARP ? n - GPU_WARP * last - 1 : GPU_WARP - 1; l >= 0; l--) {
                const int j = GPU_WARP * last + l;
                double x[UNITS], y[UNITS];
                LANE_UNROLL
                for (int u = 0; u < UNITS; u++) {
                    x[u] = gpu_shuffle(re[u][last], l);
                    y[u] = PARTS == 2 ? gpu_shuffle(im[u][last], l) : 0.0;
                }
                LANE_UNROLL
                for (int r = 0; r <= last; r++) {
                    const int k = lane + GPU_WARP * r;
                    const double *at = c + (int64_t)j * n + k;
                    const double c_re = k < j ? at[0] : 0.0, c_im = k < j && PARTS == 2 ? at[c_plane] : 0.0;
                    LANE_UNROLL
                    for (int u = 0; u < UNITS; u++) {
                        re[u][r] = lane_fnma(c_re, x[u], re[u][r]);
                        if (PARTS == 2) {
                            re[u][r] = lane_fma(c_im, y[u], re[u][r]);
                            im[u][r] = lane_fnma(c_re, y[u], lane_fnma(c_im, x[u], im[u][r]));
                        }
                    }
                }
            }
        }
        LANE_UNROLL
        for (int r = 0; r < ROWS; r++) {
            LANE_UNROLL
            for (int u = 0; u < UNITS; u++) {
                const int k = lane + GPU_WARP * r, i = base + u * warps;
                if (k < n && i < w->m) {
                    w->p[k * w->p_ld + i] = re[u][r];
                    if (PARTS == 2)
                        w->p[w->p_plane + k * w->p_ld + i] = im[u][r];
                }
            }
        }
    }
}

/* Computes P; C passes through the shared memory where A will be. */
GPU_FN void make_inverse(refine *w)
{
    const mgs_gpu_job *low = &w->job->low;
    const double *c = low->c + w->problem * low->c_step, *s = low->s + w->problem * low->s_step;
    int64_t c_plane = low->c_plane;
    if (!w->job->slices) {
        for (int e = w->thread; e < w->n * w->n; e += gpu_threads())
            for (int part = 0; part < PARTS; part++)
                w->a[part * w->n * w->n + e] = c[part * c_plane + e];
        c = w->a;
        c_plane = w->n * w->n;
        gpu_sync();
    }
    if (w->n <= GPU_WARP)
        invert<1, 4>(w, c, c_plane, s);
    else if (w->n <= 2 * GPU_WARP)
        invert<2, 2>(w, c, c_plane, s);
    else if (w->n <= 4 * GPU_WARP)
        invert<4, 1>(w, c, c_plane, s);
    else
        invert<8, 1>(w, c, c_plane, s);
    gpu_sync();
}

/* ---- Exact sums ------------------------------------------------------------------------------------------------------ */

enum {
    AS = REFINE_SLICES(LIMBS),
    LEVEL_BITS = 41, /* from level to level, and from slice to slice of A: 12 for the number of terms */
    GRID_BITS = 51 /* bits of a correction: with those of a slice of A, the rounding error of a level has at most 53 */
};

typedef struct levels {
    double v[LIMBS + 1]; /* the last one an ordinary double */
} levels;

/* Everything that is added to level 0 is below 2^top. */
GPU_FN double level_bias(int top, int t)
{
    return gpu_of_high_word(((1024 + top - LEVEL_BITS * t) << 20) | 0x80000);
}

GPU_FN levels levels_start(int top)
{
    levels s;
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++)
        s.v[t] = level_bias(top, t);
    s.v[LIMBS] = 0.0;
    return s;
}

GPU_FN void levels_take(levels *s, const double *a, int64_t plane, double d)
{
    double gone[LIMBS];
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++) {
        gone[t] = level_take_product(&s->v[t], a[t * plane], d, 0);
        LANE_UNROLL
        for (int i = 0; i < t; i++)
            gone[i] = level_take(&s->v[t], gone[i], 0);
    }
    double last = lane_fma(a[LIMBS * plane], d, lane_add(gone[0], gone[1]));
    if (LIMBS == 4)
        last = lane_add(last, lane_add(gone[LIMBS - 2], gone[LIMBS - 1]));
    s->v[LIMBS] = lane_add(s->v[LIMBS], last);
}

/* The sum over `group` neighbours. */
GPU_FN real levels_total(levels s, int top, int group)
{
    LANE_UNROLL
    for (int t = 0; t < LIMBS; t++)
        s.v[t] = lane_sub(s.v[t], level_bias(top, t));
    for (int with = 1; with < group; with <<= 1) {
        LANE_UNROLL
        for (int t = 0; t <= LIMBS; t++)
            s.v[t] = lane_add(s.v[t], gpu_shuffle_xor(s.v[t], with));
    }
    sweep_up(s.v, 0, LIMBS);
    sweep_up(s.v, 0, LIMBS);
#if PLUMB_LIMBS == 2
    return dd_make(s.v[0], lane_add(s.v[1], s.v[2]));
#else
    sweep_up(s.v, 1, LIMBS);
    return gather_limbs(s.v, LIMBS);
#endif
}

/* Cuts a number below 1 into slices of fixed point; only the last one is a floating-point number. */
GPU_FN void slices_of_entry(double *limb, double *to, int64_t plane)
{
    LANE_UNROLL
    for (int t = 0; t < AS; t++) {
        double rounder = gpu_of_high_word(((1023 + 52 - LEVEL_BITS * (t + 1)) << 20) | 0x80000), slice = 0.0;
        LANE_UNROLL
        for (int i = 0; i < LIMBS; i++)
            slice = lane_add(slice, t < AS - 1 ? slice_cut(&limb[i], rounder) : limb[i]);
        to[t * plane] = slice;
    }
}

/* An entry of A as a number again. */
GPU_FN real entry_of(const double *a, int64_t plane)
{
    double v[AS];
    LANE_UNROLL
    for (int t = 0; t < AS; t++)
        v[t] = a[t * plane];
#if PLUMB_LIMBS == 2
    sweep_up(v, 0, 2);
    return quick_two_sum(v[0], lane_add(v[1], v[2]));
#else
    return qd_renormalize_5(v[0], v[1], v[2], v[3], v[4]);
#endif
}

/* Rounds a correction to GRID_BITS bits below 2^exponent. */
GPU_FN double on_grid(double dx, int exponent)
{
    double rounder = gpu_of_high_word(((1023 + 52 + exponent - GRID_BITS) << 20) | 0x80000);
    return lane_sub(lane_add(dx, rounder), rounder);
}

/* ---- Corrections ----------------------------------------------------------------------------------------------------- */

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

/* g = A^H r, summed in the precision of x and rounded. */
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

/* x += dx; the size of x raises size[to]. */
GPU_FN void update_solution(refine *w, int exponent, int to)
{
    const int all = w->n * PARTS;
    for (int base = 0; base < all; base += gpu_threads()) {
        const int e = base + w->thread, there = e < all;
        real x = real_load(w->x + (there ? e : 0), all, 1);
        x = real_add_d(x, there ? on_grid(w->dx[e], exponent) : 0.0);
        if (there)
            real_store(w->x + e, all, x, 1);
        raise_size(&w->size[to], real_head(x), there);
    }
}

/* The largest correction, relative to x, that rounding alone can explain; if r does not vanish, neither does the
 * rounding error of A^H r. */
GPU_FN double stall_limit(const refine *w, double x, double r)
{
    double condition = lane_mul(w->a_norm, w->p_norm);
    double left = lane_mul(w->p_norm, lane_div(lane_mul(r, lane_sqrt((double)w->m)), x));
    double limit = lane_mul(lane_mul(w->job->noise, condition), lane_add(1.0, left));
    return limit < 1e-3 ? limit : 1e-3;
}

/* Refines one right-hand side from r = b, x = 0. Returns whether it converged; *steps is the number of corrections
 * after the first, *last_size is raised to the last one relative to x.
 *
 * A correction has at most the digits of the factor: that it is much smaller than the one before may be luck, and says
 * nothing about its own error.
 *
 * The part of r in the range of A decreases by u cond(A) per step from the first step on. The corrections follow it,
 * but the first ones may be larger by the condition number, because the columns of W are orthogonal only up to u
 * cond(A). Then r, which is updated from step to step, has the rounding errors of an x that was much larger than the solution: such
 * a run has not converged either. */
GPU_FN int iterate(refine *w, int *steps, double *last_size)
{
    const double slowest = 0x1p-8; /* if corrections decrease more slowly, a factor in the precision of x is faster */
    const int most_lost = 4 << 20; /* as a difference of high words: x was at most 2^4 times as large as the solution */
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
        int done = step > 0 && (now <= w->job->unit || (rate <= 0.5 && next <= lane_mul(0.25, w->job->unit) &&
                                                        lane_mul(now, 0x1p-53) <= w->job->unit));
        if (step > 0 && !done && !(error_rate <= slowest)) {
            if (w->m == w->n || !(now <= stall_limit(w, x, gpu_of_high_word(r_size))))
                return 0;
            done = 1;
        }
        if (!done || w->job->residual.data || w->m > w->n)
            update_residual(w, exponent, step);
        const int last = SIZE_DX + 1 - turn; /* not used if there is no next step */
        update_solution(w, exponent, done ? last : SIZE_X);
        gpu_sync();
        if (done) {
            *last_size = now > *last_size ? now : *last_size;
            return w->size[SIZE_X] - w->size[last] <= most_lost;
        }
        if (step > 0)
            before = now;
        error_before = error;
    }
    return 0;
}

/* ---- Beginning and end ----------------------------------------------------------------------------------------------- */

/* Loads A, scaled, in slices. Returns whether it is finite. */
GPU_FN int load_matrix(refine *w)
{
    const mgs_gpu_array *from = &w->job->a;
    const int32_t *exponent = w->job->low.exponent + (int64_t)w->problem * w->job->low.all;
    int size = 0;
    double squares = 0.0, inverse_squares = 0.0;
    for (int e = w->thread; e < w->m * w->n * PARTS; e += gpu_threads()) {
        const int i = e % w->m, part = e / w->m % PARTS, k = e / w->m / PARTS;
        const pair power = scale_factors(exponent[k]);
        double v[LIMBS];
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            v[q] = from->data[w->problem * from->next + k * from->col + (part * LIMBS + q) * from->plane + i];
            int high = gpu_high_word(v[q]) & 0x7fffffff;
            size = high > size ? high : size;
            v[q] = lane_mul(lane_mul(v[q], power.x), power.y);
        }
        squares = lane_fma(v[0], v[0], squares);
        double inverse = w->p[part * w->p_plane + k * w->p_ld + i];
        inverse_squares = lane_fma(inverse, inverse, inverse_squares);
        slices_of_entry(v, w->a + part * AS * w->a_plane + k * w->a_ld + i, w->a_plane);
    }
    w->a_norm = w->p_norm = 0.0;
    if (w->m > w->n) {
        w->a_norm = lane_sqrt(block_total(w, squares));
        w->p_norm = lane_sqrt(block_total(w, inverse_squares));
    }
    return block_total(w, size < 0x7ff00000 ? 0.0 : 1.0) == 0.0;
}

/* Loads right-hand side b into r, scaled. Returns its exponent, or 0x7ff if it is not finite. */
GPU_FN int load_rhs(refine *w, int b)
{
    const mgs_gpu_array *from = &w->job->b;
    const double *column = from->data + w->problem * from->next + b * from->col;
    const int all = w->m * PARTS, rounds = (all + gpu_threads() - 1) / gpu_threads();
    gpu_sync();
    if (w->thread < SIZES)
        w->size[w->thread] = 0;
    gpu_sync();
    for (int round = 0; round < rounds; round++) {
        const int e = w->thread + round * gpu_threads(), there = e < all;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            double v = there ? column[(e % PARTS * LIMBS + q) * from->plane + e / PARTS] : 0.0;
            if (there)
                w->r[q * all + e] = v;
            raise_size(&w->size[SIZE_X], v, there);
        }
    }
    gpu_sync();
    const int size = w->size[SIZE_X], exponent = size < 0x7ff00000 ? size_exponent(size) : 0;
    const pair power = scale_factors(exponent);
    for (int e = w->thread; e < all * LIMBS; e += gpu_threads())
        w->r[e] = lane_mul(lane_mul(w->r[e], power.x), power.y);
    for (int e = w->thread; e < w->n * PARTS * LIMBS; e += gpu_threads())
        w->x[e] = 0.0;
    gpu_sync();
    if (w->thread == 0)
        w->size[SIZE_X] = 0;
    return size < 0x7ff00000 ? exponent : 0x7ff;
}

/* The norm of r, computed by the first warp, in all its threads. */
GPU_FN real residual_norm(const refine *w, double *plain)
{
    const int all = w->m * PARTS;
    real_acc sum = real_acc_zero();
    int size = 0;
    for (int e = w->thread % GPU_WARP; e < all; e += GPU_WARP) {
        real r = real_load(w->r + e, all, 1);
        int high = gpu_high_word(real_head(r)) & 0x7fffffff;
        size = high > size ? high : size;
        sum = real_acc_add(sum, r, r);
    }
    size = gpu_max(size);
    slices s = slices_of(sum, sum_top(size, exponent_above(size), all));
    LANE_UNROLL
    for (int with = 1; with < GPU_WARP; with <<= 1) {
        LANE_UNROLL
        for (int q = 0; q < SLICES; q++)
            s.v[q] = lane_add(s.v[q], gpu_shuffle_xor(s.v[q], with));
    }
    real norm = real_sqrt(slices_value(s));
    *plain = real_head(norm);
    return norm;
}

GPU_FN void give_result(refine *w, int b, int b_exponent, double *left)
{
    const mgs_refine_job *job = w->job;
    const int32_t *exponent = job->low.exponent + (int64_t)w->problem * job->low.all;
    const int all = w->n * PARTS;
    int fits = 1;
    for (int e = w->thread; e < all; e += gpu_threads()) {
        real x = scaled(real_load(w->x + e, all, 1), b_exponent - exponent[e / PARTS], &fits);
        real_store(result_at(&job->x, w->problem, e / PARTS, b, e % PARTS), job->x.plane, x, 1);
    }
    if (w->thread < GPU_WARP && (job->residual.data || w->m > w->n)) {
        double plain;
        real norm = residual_norm(w, &plain);
        plain = w->size[SIZE_X] ? lane_div(plain, gpu_of_high_word(w->size[SIZE_X])) : 0.0;
        *left = plain > *left ? plain : *left;
        norm = scaled(norm, b_exponent, &fits);
        if (job->residual.data && w->thread == 0)
            real_store(result_at(&job->residual, w->problem, 0, b, 0), job->residual.plane, norm, 1);
    }
    if (!fits)
        gpu_raise((int32_t *)(w->sums + REFINE_WORDS - 1), 1);
}

/* A number is out of range: all results are zero. */
GPU_FN void clear_results(const refine *w)
{
    const mgs_refine_job *job = w->job;
    for (int b = 0; b < job->rhs; b++) {
        for (int e = w->thread; e < w->n * PARTS; e += gpu_threads())
            real_store(result_at(&job->x, w->problem, e / PARTS, b, e % PARTS), job->x.plane, real_set(0.0), 1);
        if (job->residual.data && w->thread == 0)
            real_store(result_at(&job->residual, w->problem, 0, b, 0), job->residual.plane, real_set(0.0), 1);
    }
}

GPU_FN refine place(const mgs_refine_job *job)
{
    refine w;
    double *shared = gpu_shared();
    w.job = job;
    w.problem = gpu_block();
    w.m = job->low.rows, w.n = job->low.cols;
    w.thread = gpu_thread();
    w.top_more = 32 - gpu_leading_zeros(w.n * PARTS);
    w.sums = shared;
    w.size = (int32_t *)(shared + gpu_threads() / GPU_WARP);
    w.x = shared + REFINE_WORDS;
    w.r = w.x + w.n * PARTS * LIMBS;
    w.dx = w.r + w.m * PARTS * LIMBS;
    w.g = w.dx + w.n * PARTS;
    w.t = w.g + w.n * PARTS;
    double *free = w.t + w.m * PARTS;
    w.a_ld = REFINE_LD(w.m);
    w.a_plane = w.a_ld * w.n;
    if (job->inverse_shared) {
        w.p = free;
        w.p_ld = w.a_ld;
        w.p_plane = w.a_plane;
        free += PARTS * w.p_plane;
    } else {
        w.p = job->low.w + w.problem * job->low.w_step;
        w.p_ld = w.m;
        w.p_plane = job->low.w_plane;
    }
    w.a = job->slices ? job->slices + w.problem * job->slices_step : free;
    return w;
}

static __global__ void __launch_bounds__(REFINE_THREADS, 1)
    NUM_NAME(mgs_refine)(const __grid_constant__ mgs_refine_job job)
{
    refine w = place(&job);
    int converged = job.low.info[w.problem] == 0, most = 0;
    double left = 0.0, last = 0.0;
    int32_t *out_of_range = (int32_t *)(w.sums + REFINE_WORDS - 1);
    if (converged) {
        if (w.thread == 0)
            *out_of_range = 0;
        make_inverse(&w);
        converged = load_matrix(&w);
    }
    for (int b = 0; b < job.rhs && converged; b++) {
        int steps = 0, exponent = load_rhs(&w, b);
        converged = exponent != 0x7ff && iterate(&w, &steps, &last);
        if (converged)
            give_result(&w, b, exponent, &left);
        most = steps > most ? steps : most;
    }
    gpu_sync();
    int bad = converged && *out_of_range;
    if (bad)
        clear_results(&w);
    if (w.thread == 0) {
        double *outcome = job.outcome + (int64_t)w.problem * REFINED_WORDS;
        outcome[REFINED_CONVERGED] = converged;
        outcome[REFINED_STEPS] = most;
        outcome[REFINED_LEFT] = left;
        outcome[REFINED_LAST] = last;
        if (converged)
            put_info(job.info + w.problem, job.failures, bad ? -PLUMB_ERR_RANGE : 0);
    }
    if (!converged && job.full)
        full_solve(&job, w.problem, out_of_range);
}

/* Refines a batch with one block per problem; shared is its dynamic shared memory in bytes. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_refine)(const mgs_refine_job *job, size_t shared, void *stream,
                                                        char *message, size_t message_size)
{
    static std::atomic<uint64_t> prepared;
    const void *kernel = (const void *)NUM_NAME(mgs_refine);
    mgs_refine_job value = *job;
    void *arguments[] = {&value};
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    const uint64_t bit = (uint64_t)1 << (device & 63);
    if (error == cudaSuccess && !(prepared.load() & bit)) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
        if (error == cudaSuccess)
            prepared.fetch_or(bit);
    }
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, dim3((unsigned)job->low.batch), dim3(REFINE_THREADS), arguments, shared,
                                 (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of refinement failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

#endif
