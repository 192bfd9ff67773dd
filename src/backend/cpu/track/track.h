/* track.h - tracking of paths on the processor. */
#ifndef PLUMB_BACKEND_CPU_TRACK_H
#define PLUMB_BACKEND_CPU_TRACK_H

#include "backend/backend.h"

plumb_status plumb_cpu_track(machine *m, track_call *call, void *stream);

#endif
