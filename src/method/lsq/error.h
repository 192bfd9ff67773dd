/* error.h - the constants of the error estimates for least squares, shared by the CPU and the GPU. */
#ifndef PLUMB_METHOD_LSQ_ERROR_H
#define PLUMB_METHOD_LSQ_ERROR_H

#include "base/number/precision.h"

/* The accumulated rounding error in units of u, relative to the norms of the columns, for estimates of the number of correct digits.
 * Errors have both signs, so they grow with the square root of the number of roundings; over 200,000 random problems claims made
 * with this exceed the truth by a factor of 5 at most (docs/reliability.md). */
static inline double lsq_roundings(int64_t rows) { return 1.0 + 0.5 * sqrt((double)rows); }

/* The digits that estimates lose if the data were rounded to the precision: A and b are then off by one more u each, which enters in
 * the same way. */
static inline double lsq_digits_of_rounding(int64_t rows) { return log10(1.0 + 2.0 / lsq_roundings(rows)); }

/* A generous bound of the same error, for decisions: it shows whether rounding alone can explain the error that a refinement leaves. */
static inline double lsq_growth(int64_t rows, int64_t cols, int32_t prec)
{
    return 4.0 * (double)cols + 2.0 * sqrt((double)rows) + precision_slack(prec);
}

/* A column is dependent if its norm falls below this share of its original norm; rounding errors alone leave less.
 * The bound is generous because near a singular endpoint of a path the tangent must not be computed from noise. */
static inline double lsq_dependent(int64_t rows, int32_t prec) { return 32.0 * (double)rows * precision_unit(prec); }

#endif
