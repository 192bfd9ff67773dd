/* auto.h - least squares in the lowest precision that gives the digits wanted. */
#ifndef PLUMB_SOLVER_LSQ_AUTO_H
#define PLUMB_SOLVER_LSQ_AUTO_H

#include "plumb.h"

/* plumb_lsq_auto. rounded is 1 if the data were rounded to the precision they have here, 0 if they are exact, and -1 if that is not
 * known: then numbers of dd and qd that use their last limb count as rounded. */
PLUMB_USE_RESULT plumb_status lsq_auto(plumb_context *context, const plumb_view *a, const plumb_view *b, plumb_view *x,
                                       plumb_view *residual, plumb_info *info, double digits, int rounded,
                                       plumb_lsq_report *report);

#endif
