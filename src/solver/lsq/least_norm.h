/* least_norm.h - systems with fewer equations than unknowns: the solution of least norm. */
#ifndef PLUMB_SOLVER_LSQ_LEAST_NORM_H
#define PLUMB_SOLVER_LSQ_LEAST_NORM_H

#include "solver/lsq/place.h"

/* Solves A x = b for a call of plumb_lsq that has been checked but for its options: a is m x n, m < n. The outcome goes to *outcome on the
 * host; where it is not 0, x and the residual are zero. The report may be NULL. */
PLUMB_USE_RESULT plumb_status lsq_least_norm(plumb_context *context, const lsq_call *call, plumb_info *outcome,
                                             plumb_lsq_report *report);

#endif
