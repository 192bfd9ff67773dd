/* lsq_error.h - the constants of the error estimates for least squares, shared by the CPU and the GPU. */
#ifndef PLUMB_BASE_LSQ_ERROR_H
#define PLUMB_BASE_LSQ_ERROR_H

#include "base/precision.h"

/* The accumulated rounding error in units of u. It is smaller than the number of roundings, because errors have both
 * signs. */
static inline double lsq_growth(int64_t rows, int64_t cols, int32_t prec)
{
    return 4.0 * (double)cols + 2.0 * sqrt((double)rows) + precision_slack(prec);
}

/* A column is dependent if its norm falls below this share of its original norm; rounding errors alone leave less.
 * The bound is generous because near a singular endpoint of a path the tangent must not be computed from noise. */
static inline double lsq_dependent(int64_t rows, int32_t prec)
{
    return 32.0 * (double)rows * precision_unit(prec);
}

#endif
