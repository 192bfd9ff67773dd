/* inverse.h - what a block of mgs_refine.cu works on, and the first thing it makes: the pseudo-inverse P in double. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REFINE_INVERSE_H
#define PLUMB_BACKEND_CUDA_LSQ_REFINE_INVERSE_H

#include "backend/cuda/lsq/refine/refine.h"
#include "backend/cuda/lsq/refine/sums.h"

/* Words of shared memory: high words of largest moduli, those of this step and of the next one but for x. */
enum { SIZE_DX = 0, SIZE_R = 2, SIZE_T = 4, SIZE_X = 6, SIZES = 7 };

typedef struct refine {
    const mgs_refine_job *job;
    int problem, m, n, thread, top_more;
    double *a,
        *p; /* entry (i, k) of A: plane q (slices of re, then of im) at a[q*a_plane + k*a_ld + i]; P(k, i) at the same place */
    int64_t a_plane, a_ld, p_plane, p_ld;
    double *x, *r;      /* limb q of part e % PARTS of entry e / PARTS: x[q*n*PARTS + e] */
    double *dx, *g, *t; /* n, n and m numbers in double; g and t for m > n */
    double *sums;       /* a double a warp */
    int32_t *size;
    double a_norm, p_norm; /* for m > n */
} refine;

/* Threads that share a sum, neighbours: as many as there are for so many sums. */
GPU_FN int group_for(int outputs)
{
    int group = 1;
    while (group < GPU_WARP && 2 * group * outputs <= gpu_threads())
        group *= 2;
    return group;
}

/* The high word of a largest modulus over a warp, raised in a word of shared memory. */
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

/* Rows of P^H: C y = D^-1 (row of W)^H, UNITS rows a warp at a time, thread l having the entries l, l + 32, ... */
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

/* P, with C on its way through shared memory where A will be. */
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

#endif
