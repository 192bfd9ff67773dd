/* scaled.h - dense copies with columns scaled by powers of two, for the methods that need the matrix itself beside
 * its factors: with largest entries in [1/2, 1) no residual overflows, and underflow stays below the unit of the
 * column. */
#ifndef PLUMB_BACKEND_CPU_LSQ_SCALED_H
#define PLUMB_BACKEND_CPU_LSQ_SCALED_H

#include <stdbool.h>

#include "backend/backend.h"

/* to = from with column j times 2^-exponent[j]; same shape and kind. -PLUMB_ERR_NONFINITE: there is an infinity or a NaN. */
plumb_info lsq_scaled_load(const machine *m, const plumb_view *from, const plumb_view *to, int32_t *exponent);

/* to(i, j) = from(i, j) 2^(-column[j] - row[i]) with one rounding at most, so that small rows keep all their limbs. choose_rows: the
 * columns are scaled as above, then row[] is chosen in the same way from what they would be; otherwise row[] is given, and the
 * columns are scaled after the rows. */
plumb_info lsq_scaled_load_rows(const plumb_view *from, const plumb_view *to, int32_t *column, int32_t *row,
                                bool choose_rows);

/* Undoes the scaling of rows: r(i, j) becomes r(i, j) 2^row[i], with each column rescaled and column[j] changed accordingly. */
void lsq_scaled_back(const plumb_view *r, const int32_t *row, int32_t *column);

/* to(k, j) = from(k, j) 2^(by_column[j] - by_row[k]); by_row NULL: zero. -PLUMB_ERR_RANGE when an entry is beyond the largest
 * double. */
plumb_info lsq_scaled_store(const plumb_view *from, const plumb_view *to, const int32_t *by_row,
                            const int32_t *by_column);

/* to = conjugate transpose of from. */
void lsq_scaled_adjoint(const plumb_view *from, const plumb_view *to);

/* r = b - A x (b NULL: -A x), rows shared among threads. Dense or not, all of one kind. */
void lsq_scaled_residual(const machine *m, const plumb_view *a, const plumb_view *x, const plumb_view *b,
                         const plumb_view *r);

/* norm (real, 1 x p): 2-norms of the columns of r. */
void lsq_scaled_norms(const machine *m, const plumb_view *r, const plumb_view *norm);

/* The 1-norm of column j of the leading limbs, in double. */
double lsq_scaled_sum(const plumb_view *view, int64_t j);

/* out = op(x, y), entry by entry; out may be x or y. All of one shape and kind. */
plumb_status lsq_scaled_map(machine *m, plumb_op op, const plumb_view *x, const plumb_view *y, const plumb_view *out);

#endif
