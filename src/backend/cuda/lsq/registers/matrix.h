/* matrix.h - the products of a step of two pivots as products of matrices, for the kernels of mgs_registers.cu with four or
 * eight threads a column, complex double.
 *
 * The machine multiplies matrices by warps, and adds up over the threads of a column on the way, which takes most of the shuffles and
 * half of the instructions of a step away. Four threads have a column, as rows of the matrix on the left are dealt out: its real parts
 * are one row of it, its imaginary parts another one. The matrix on the right has real and imaginary parts of both pivots, twice, as
 * columns. So a thread gets products of both parts of its column with both parts of one pivot, the first one if its number is
 * even, and makes a complex one of them. Of the eight columns a warp has room for, the last two are the pivots themselves: what they
 * have in common comes out beside the rest.
 *
 * With eight threads a column, two quads have half of its rows each. The matrix on the right has the pivots' upper halves first and
 * then the lower ones; what is of use in the product is each quad's part with the same halves, and the sum of both is the thread's.
 * The pivots' products with each other are the matrix on the right times itself. That is more multiplications a column, and half as
 * many in a row.
 *
 * W is one of in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_MATRIX_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_MATRIX_H

#include "backend/cuda/lsq/group.h"

/* What a thread knows in a step of pivots k and k + 1. */
template <class W> struct two_pivots {
    int k;
    const double *at;                              /* the first one, in shared memory; the second one is behind it */
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
    /* What is left of the second one without c times the first one, where rows that are held are that already. */
    __device__ __forceinline__ num left_row(const W *w, int i, num c) const
    {
        return i < W::held ? second[i] : rest_near(w->pivot_row(at + W::step, i), w->pivot_row(at, i), c);
    }
};

/* The sums this thread's part of the product is kept in: more than one, where they would wait for each other. */
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

/* What the thread's column has in common with both pivots, u and v, and these with each other: four threads a column. */
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

/* The same with eight. */
template <int FIRST, class W> GPU_FN void products_by_halves(W *w, two_pivots<W> *p, num *u, num *v)
{
    const int rows = W::rows_each, quad = w->lane / 4, apart = 2 * W::lanes;
    const int another_part = 4, half_of_pivots = 16 + 2, half_of_column = 4 + 2; /* how far away */
    const double *from = p->at + (quad >> 1 & 1) * W::step + 2 * (4 * (quad >> 2) + w->lane % 4) + (quad & 1);
    double re[rows], im[rows], right[rows], pivots[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    matrix_sums<W> sums;
    sums.clear();
    LANE_UNROLL
    for (int i = 0; i < rows; i++) {
        right[i] = from[apart * i];
        re[i] = real_head(w->own[FIRST][i].re), im[i] = real_head(w->own[FIRST][i].im);
        gpu_multiply_upper(pivots[i % 2], right[i], right[i]);
        sums.add(i, re, im, right);
    }
    hold_pivots(w, p);
    double x, y, with[2] = {lane_add(pivots[0][0], pivots[1][0]), lane_add(pivots[0][1], pivots[1][1])};
    sums.value(&x, &y);
    double g_re = lane_add(with[0], gpu_shuffle_xor(with[1], another_part)),
           g_im = lane_sub(with[1], gpu_shuffle_xor(with[0], another_part));
    g_re = lane_add(g_re, gpu_shuffle_xor(g_re, half_of_pivots));
    g_im = lane_add(g_im, gpu_shuffle_xor(g_im, half_of_pivots));
    x = lane_add(x, gpu_shuffle_xor(x, half_of_column));
    y = lane_add(y, gpu_shuffle_xor(y, half_of_column));
    const int own = w->lane - w->position, of_second = 2 * 4 + 1;
    p->s = real_set(gpu_shuffle(g_re, 0)), p->t = real_set(gpu_shuffle(g_re, of_second));
    p->g = number_from(g_re, g_im, 1);
    u[0] = number_from(x, y, own), v[0] = number_from(x, y, own + 1);
}

#endif
