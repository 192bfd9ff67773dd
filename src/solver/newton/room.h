/* room.h - memory that Newton steps keep from call to call, a piece for each stream.
 *
 * Steps on a stream run one after the other and share its piece; two streams never do. It only grows, so that a sequence of steps
 * allocates nothing and a graph can record them. */
#ifndef PLUMB_SOLVER_NEWTON_ROOM_H
#define PLUMB_SOLVER_NEWTON_ROOM_H

#include "solver/context/context.h"

/* *memory: so many doubles at that place (PLUMB_HOST or PLUMB_DEVICE), aligned as its machine aligns. */
plumb_status newton_room(plumb_context *context, int32_t where, plumb_stream stream, int64_t doubles, double **memory);

/* All of them back; the machines are still open. */
void newton_rooms_destroy(plumb_context *context);

#endif
