/* track.h - path tracking on the CPU. */
#ifndef PLUMB_BACKEND_CPU_TRACK_H
#define PLUMB_BACKEND_CPU_TRACK_H

#include "backend/backend.h"

plumb_status plumb_cpu_track(machine *m, track_call *call, void *stream);

#endif
