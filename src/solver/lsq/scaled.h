/* scaled.h - dense copies with columns scaled by powers of two, for the methods that need the matrix itself beside its
 * factors: with largest entries in [1/2, 1) no residual overflows, and what underflows is below the unit of the column. */
#ifndef PLUMB_SOLVER_LSQ_SCALED_H
#define PLUMB_SOLVER_LSQ_SCALED_H

#include "solver/context/context.h"

/* to = from with column j times 2^-exponent[j]; same shape and kind. An infinity or a NaN: -PLUMB_ERR_NONFINITE, and its place
 * (from 1) in the message as entry of `name`. */
plumb_info lsq_scaled_load(const plumb_view *from, const plumb_view *to, int32_t *exponent, const char *name,
                           char *message, size_t message_size);

/* to(k, j) = from(k, j) 2^(by_column[j] - by_row[k]); by_row NULL: zero. -PLUMB_ERR_RANGE when an entry is beyond the largest
 * double: then all of `to` is zero. */
plumb_info lsq_scaled_store(const plumb_view *from, const plumb_view *to, const int32_t *by_row,
                            const int32_t *by_column);

/* to = conjugate transpose of from. */
void lsq_scaled_adjoint(const plumb_view *from, const plumb_view *to);

/* r = b - A x (b NULL: -A x) on the processor, rows shared among threads. Dense or not, all of one kind. */
void lsq_scaled_residual(plumb_context *context, const plumb_view *a, const plumb_view *x, const plumb_view *b,
                         const plumb_view *r);

/* norm (real, 1 x p): 2-norms of the columns of r. */
void lsq_scaled_norms(plumb_context *context, const plumb_view *r, const plumb_view *norm);

/* The 1-norm of column j of the leading limbs, in double. */
double lsq_scaled_sum(const plumb_view *view, int64_t j);

/* Decimal digits that a relative error leaves in this precision: between 0 and all of them. */
double lsq_scaled_digits(int32_t prec, double error);

/* The largest over the columns of x of (the largest 2^-exponent[k]) / (the largest entry of x): what turns an error of the
 * scaled solution, relative to nothing, into one relative to the largest entry of the solution. */
double lsq_scaled_amplify(const plumb_view *x, int64_t j, const int32_t *exponent);

#endif
