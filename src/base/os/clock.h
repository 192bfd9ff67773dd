/* clock.h - seconds of a clock that only goes forward. Time limits and measured times use it and never the wall
 * clock, which jumps when it is set. */
#ifndef PLUMB_BASE_OS_CLOCK_H
#define PLUMB_BASE_OS_CLOCK_H

/* Seconds since some moment in the past. Signal handlers may call it. */
double plumb_clock_seconds(void);

#endif
