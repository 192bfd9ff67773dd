/* check.h - common parts of the least-squares calls: options, outcomes, checks of the operands. */
#ifndef PLUMB_SOLVER_LSQ_CHECK_H
#define PLUMB_SOLVER_LSQ_CHECK_H

#include <stdbool.h>

#include "solver/context/context.h"

/* Checks one operand: same place and precision as `like`, the given kind, and one matrix of the given shape. */
plumb_status lsq_check(plumb_context *context, const plumb_view *view, const char *name, const plumb_view *like,
                       int32_t parts, int64_t rows, int64_t cols);
plumb_status lsq_check_matrix(plumb_context *context, const plumb_view *a); /* of any shape but an empty one */
plumb_status lsq_check_tall(plumb_context *context, const plumb_view *a);   /* with m >= n */

/* Checks that the method of settled options takes the shape of a. A GPU does not refine solutions of least norm: with m < n that
 * method becomes modified Gram-Schmidt there. */
plumb_status lsq_check_method(plumb_context *context, const plumb_view *a, plumb_lsq_options *options);

/* The share of its norm below which a row depends on those before it, where a has fewer rows than columns: what rounding errors can leave of
 * a row that is a combination of others, generously, because a solution made of such rests is wrong by orders of magnitude. 0 for
 * other shapes: the default of the machines. */
double lsq_dependent_rows(const plumb_view *a);

/* Checks that a result (or NULL) shares no memory with an operand (or NULL), which is never changed. Both have been
 * checked. */
plumb_status lsq_check_apart(plumb_context *context, const plumb_view *result, const char *name,
                             const plumb_view *operand, const char *operand_name);

/* Merges the options of the caller (or NULL) with the defaults, and checks them. */
plumb_status lsq_settle_options(plumb_context *context, const plumb_lsq_options *given, plumb_lsq_options *options);

/* Ends a call: the outcome is stored in info if the caller gave one, and the status is PLUMB_OK; otherwise the
 * outcome is the status. */
plumb_status lsq_give_outcome(plumb_info outcome, plumb_info *info);

/* The same for a batch without info: the status of the first problem that was not solved. */
plumb_status lsq_give_outcomes(const plumb_info *info, int64_t count);

#endif
