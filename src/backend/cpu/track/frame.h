/* frame.h - coordinates of a path that leaves the range of doubles.
 *
 * A point of a path may have coordinates of 10^-400 where others are 1, far from the end of the path: where an unknown is a
 * cube of another one, which is a cube again, five times in all, 0.2 becomes 10^-170. Such a path may come back, so it is
 * followed: each unknown is x_i = 2^e_i y_i with a frame of exponents e_i of its own, which is 0 for all but small unknowns, and
 * the coefficients are multiplied by powers of two, so that the homotopy in y is the same one. As e_i is never above 0, what is
 * concluded from a small y_0 holds for x_0. */
#ifndef PLUMB_BACKEND_CPU_TRACK_FRAME_H
#define PLUMB_BACKEND_CPU_TRACK_FRAME_H

#include "backend/cpu/track/work.h"

/* Gives a new path the coordinates of the call. */
void track_frame_begin(track_work *work, const track_call *call);

/* Chooses another frame after a tick, if the path needs one. Without memory for it the path keeps the one it has. */
void track_frame_follow(track_work *work, const track_call *call, track_path *p);

/* Prepares the coefficients of a precision, before they are used. */
void track_frame_use(track_work *work, int32_t prec);

/* Converts room->end, which TRACK(finish) or TRACK(show) computed, from y to x. By default unknowns are divided by x_0;
 * is_direction: by the largest one, whose exponent is 0. */
void track_frame_end(const track_work *work, const track_call *call, const track_path *p, int is_direction);

void track_frame_free(track_work *work);

#endif
