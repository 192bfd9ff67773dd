/* load.h - from global memory to registers: the columns of a warp, scaled, for the kernels of mgs_registers.cu.
 *
 * W is one of their in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_LOAD_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_LOAD_H

#include "backend/cuda/lsq/group.h"

/* The column of a slot, whose largest entry has this high word, times a power of two. */
template <class W> GPU_FN void registers_scale(W *w, const mgs_gpu_job *job, int c, int size)
{
    const int j = w->column(c), finite = size < 0x7ff00000, power_of_two = finite ? size_exponent(size) : 0;
    const pair power = scale_factors(power_of_two);
    double sum = 0.0;
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        double v[W::a_number];
        num_store(v, 1, w->own[c][i], 1);
        LANE_UNROLL
        for (int q = 0; q < W::a_number; q++)
            v[q] = lane_mul(lane_mul(v[q], power.x), power.y);
        sum = lane_fma(v[LIMBS], v[LIMBS], lane_fma(v[0], v[0], sum));
        w->own[c][i] = num_of_limbs(v);
    }
    w->least[c] = lane_mul(job->dependent, group_sum<W::lanes, W::spacing>(sum));
    if (w->position == 0 && j < w->all) {
        w->exponent[j] = (double)power_of_two;
        if (!finite)
            gpu_raise(w->outcome, MGS_NONFINITE);
    }
}

/* All columns of the warp. Every load is on its way before the first one is waited for. */
template <class W> GPU_FN void registers_load(W *w, const mgs_gpu_job *job)
{
    int size[W::columns_each];
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c), there = j < w->all;
        int64_t plane;
        const double *from = job_column(job, w->problem, there ? j : 0, &plane);
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            double v[W::a_number] = {0.0};
            const int row = W::lanes * i + w->position;
            if (there && row < w->rows) {
                LANE_UNROLL
                for (int q = 0; q < W::a_number; q++)
                    v[q] = from[q * plane + row];
            }
            w->own[c][i] = num_of_limbs(v);
        }
    }
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        size[c] = 0;
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            double v[W::a_number];
            num_store(v, 1, w->own[c][i], 1);
            LANE_UNROLL
            for (int q = 0; q < W::a_number; q++) {
                const int high = gpu_high_word(v[q]) & 0x7fffffff;
                size[c] = high > size[c] ? high : size[c];
            }
        }
        size[c] = group_max<W::lanes, W::spacing>(size[c]);
    }
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++)
        registers_scale(w, job, c, size[c]);
}

#endif
