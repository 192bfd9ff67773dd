/* load.h - from global memory to registers: a team's column, scaled, for the kernels of mgs_panel.cu.
 *
 * W is one of their panels. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_LOAD_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_LOAD_H

#include "backend/cuda/lsq/column.h"

template <class W> GPU_FN void panel_load(W *w)
{
    int64_t plane;
    const double *from = job_column(w->job, w->problem, w->column, &plane);
    int size = 0;
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        double v[W::a_number] = {0.0};
        if (w->row(i) < w->job->rows) {
            LANE_UNROLL
            for (int q = 0; q < W::a_number; q++)
                v[q] = from[q * plane + w->row(i)];
        }
        LANE_UNROLL
        for (int q = 0; q < W::a_number; q++) {
            const int high = gpu_high_word(v[q]) & 0x7fffffff;
            size = high > size ? high : size;
        }
        w->own[i] = num_of_limbs(v);
    }
    size = team_max(&w->mates, size);
    const int finite = size < 0x7ff00000, exponent = finite ? size_exponent(size) : 0;
    const pair power = scale_factors(exponent);
    double sum = 0.0;
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        double v[W::a_number];
        num_store(v, 1, w->own[i], 1);
        LANE_UNROLL
        for (int q = 0; q < W::a_number; q++)
            v[q] = finite ? lane_mul(lane_mul(v[q], power.x), power.y) : 0.0; /* others wait for numbers */
        sum = lane_fma(v[LIMBS], v[LIMBS], lane_fma(v[0], v[0], sum));
        w->own[i] = num_of_limbs(v);
    }
    w->least = lane_mul(w->job->dependent, team_sum_double(&w->mates, sum));
    if (w->position == 0) {
        w->job->exponent[(int64_t)w->problem * w->job->all + w->column] = exponent;
        if (!finite)
            gpu_raise(job_flag(w->job, w->problem, MGS_OUTCOME), MGS_NONFINITE);
    }
}

#endif
