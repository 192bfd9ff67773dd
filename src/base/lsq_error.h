/* lsq_error.h - what rounding does to a solution of least squares: the two numbers every estimate is made with, on the processor
 * and on a GPU. */
#ifndef PLUMB_BASE_LSQ_ERROR_H
#define PLUMB_BASE_LSQ_ERROR_H

#include <math.h>
#include <stdint.h>

#include "plumb.h"

/* What rounding errors add up to, in units of u: their number is larger, but they have signs. */
static inline double lsq_growth(int64_t rows, int64_t cols, int32_t prec)
{
    return 4.0 * (double)cols + 2.0 * sqrt((double)rows) + (prec == PLUMB_QD ? 16.0 : 4.0);
}

/* The unit roundoff that error estimates are made with. */
static inline double lsq_unit(int32_t prec)
{
    return ldexp(1.0, -53 * prec);
}

/* More than rounding leaves of a column that depends on others, over what it was: where a path ends in a singular point, what solves for
 * its tangent must not be noise. */
static inline double lsq_dependent(int64_t rows, int32_t prec)
{
    return 32.0 * (double)rows * lsq_unit(prec);
}

#endif
