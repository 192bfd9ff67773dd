/* check.h - what the calls of least squares have in common: options, reports, checks of the operands. */
#ifndef PLUMB_SOLVER_LSQ_CHECK_H
#define PLUMB_SOLVER_LSQ_CHECK_H

#include <stdbool.h>

#include "solver/context/context.h"

/* One operand: in the same place and precision as like, real or complex as parts says, one matrix of that shape. */
plumb_status lsq_check(plumb_context *context, const plumb_view *view, const char *name, const plumb_view *like,
                       int32_t parts, int64_t rows, int64_t cols);
plumb_status lsq_check_matrix(plumb_context *context, const plumb_view *a);

/* A result (or NULL) shares no memory with an operand (or NULL), which is never changed. Both have been checked. */
plumb_status lsq_check_apart(plumb_context *context, const plumb_view *result, const char *name,
                             const plumb_view *operand, const char *operand_name);

/* The caller's options (or NULL) with defaults for what it does not know, and checked. */
plumb_status lsq_settle_options(plumb_context *context, const plumb_lsq_options *given, plumb_lsq_options *options);

/* The end of a call: the outcome goes to info where the caller gave one, and the status is PLUMB_OK; otherwise it is the status. */
plumb_status lsq_give_outcome(plumb_info outcome, plumb_info *info);

/* The same for a batch that nobody asked the outcomes of: the status of the first problem that was not solved. */
plumb_status lsq_give_outcomes(const plumb_info *info, int64_t count);

#endif
