/* device_mgs.h - what least squares on a GPU keep from call to call: the limits of the device, and scratch memory. */
#ifndef PLUMB_CUDA_DEVICE_MGS_H
#define PLUMB_CUDA_DEVICE_MGS_H

#include "backend/cuda/device.h"
#include "backend/cuda/mgs_gpu.h"
#include "backend/cuda/mgs_plan.h"

/* Scratch of one stream. Calls on a stream run one after the other and share it; two streams never do. */
typedef struct mgs_room {
    struct mgs_room *next;
    void *stream;
    char *memory;
    size_t bytes;
} mgs_room;

struct device_lsq {
    mgs_limits limits;
    mgs_room *rooms; /* the one used last comes first */
};

/* m->lsq, made by the first call. The device is the current one. */
plumb_status plumb_cuda_mgs_open(machine *m);

/* *memory: so many bytes for the calls of a stream, aligned to 256. Allocates only where more than ever before are wanted. After
 * PLUMB_ERR_MEMORY less may still be there. */
plumb_status plumb_cuda_mgs_room(machine *m, void *stream, size_t bytes, char **memory);

#endif
