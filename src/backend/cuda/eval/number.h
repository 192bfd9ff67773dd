/* number.h - moves the doubles of numbers to and from memory that is 16-byte aligned. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_NUMBER_H
#define PLUMB_BACKEND_CUDA_EVAL_NUMBER_H

#include "backend/cuda/runtime/gpu.h"

typedef struct alignas(16) eval_pair {
    double x, y;
} eval_pair;

/* Reads COUNT doubles, in pairs if COUNT is even. */
template <int COUNT> GPU_FN void get_doubles(const double *from, double *v)
{
    if constexpr (COUNT % 2 == 0) {
        LANE_UNROLL
        for (int q = 0; q < COUNT; q += 2) {
            const eval_pair p = *(const eval_pair *)(from + q);
            v[q] = p.x, v[q + 1] = p.y;
        }
    } else
        v[0] = *from;
}

template <int COUNT> GPU_FN void put_doubles(double *to, const double *v)
{
    if constexpr (COUNT % 2 == 0) {
        LANE_UNROLL
        for (int q = 0; q < COUNT; q += 2)
            *(eval_pair *)(to + q) = eval_pair{v[q], v[q + 1]};
    } else
        *to = v[0];
}

#endif
