/* place.h - decides where a least-squares problem is solved: on the machine that holds its arrays, or on the other
 * one with copies of them.
 *
 * The CPU can do everything. A GPU does modified Gram-Schmidt without pivoting and without a second pass, and
 * refinement of a factor in double (plumb_gpu_can_lsq). Host arrays are copied to a GPU if the context has one and
 * there is enough work. Device arrays are copied to the host for methods that the GPU does not have, which the note
 * of the report says. */
#ifndef PLUMB_SOLVER_LSQ_PLACE_H
#define PLUMB_SOLVER_LSQ_PLACE_H

#include "solver/context/context.h"

/* Solves the problems of a call whose views have been checked and lie in one place. On the device it is queued on the stream, and
 * nothing waits unless there is a report or the GPU does not do it. The outcome of each problem goes to info, which lies where the
 * arrays do; where it is NULL and the host knows the outcome, the status is that of the first problem that was not solved.
 * Where the host knows, context->message describes the first failure. */
PLUMB_USE_RESULT plumb_status lsq_run(plumb_context *context, const lsq_call *call, plumb_stream stream);

/* count outcomes as an array that can be copied: copies do not look at the bits. */
plumb_view lsq_info_view(plumb_info *info, int32_t where, int64_t count);

#endif
