/* methods.h - the named ways to solve least squares that plumb_lsq chooses among.
 *
 * Whoever calls has checked the views: host memory, one precision and kind, m >= n >= 1, one system (no batch), x apart from a
 * and b. options and report are never NULL here; residual may be. */
#ifndef PLUMB_SOLVER_LSQ_METHODS_H
#define PLUMB_SOLVER_LSQ_METHODS_H

#include "plumb.h"

/* Gaussian elimination with partial pivoting, square systems only (else PLUMB_ERR_ARGUMENT). info[0] = k > 0: no pivot in
 * column k. */
plumb_status lsq_lu(plumb_context *context, const plumb_view *a, const plumb_view *b, const plumb_view *x,
                    const plumb_view *residual, plumb_info *info, plumb_lsq_report *report);

/* A factor in a lower precision, residuals in that of x. Where the corrections do not shrink, plumb_lsq with
 * PLUMB_METHOD_MGS in the precision of x, and a word about it in the note. */
plumb_status lsq_refined(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                         plumb_view *residual, plumb_info *info, const plumb_lsq_options *options,
                         plumb_lsq_report *report);

#endif
