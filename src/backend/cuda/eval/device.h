/* device.h - what evaluation on a GPU keeps from call to call: programs, as parts on the device. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_DEVICE_H
#define PLUMB_BACKEND_CUDA_EVAL_DEVICE_H

#include <stdbool.h>

#include "backend/cuda/eval/plan.h"
#include "backend/cuda/lsq/device.h"

/* How a program runs: its parts in shared memory, for few points or for many, or one part of all its equations in global memory. */
typedef struct eval_kept {
    struct eval_kept *next;
    uint64_t program; /* its number: programs come and go, numbers do not come again */
    int32_t prec, parts, derivatives, many, forced;
    bool recorded; /* a graph uses it: it stays until the context is destroyed */
    int32_t in_shared;
    int32_t log_points;  /* many: 2 to this side by side; -1: there is no room for them, and nothing on the device */
    eval_gpu_program at; /* on the device */
    size_t bytes;        /* there */
    int32_t levels, stages, pieces;
    int32_t *starts; /* levels + 1 products, then stages + 1 folds, for launches one by one; NULL in shared memory */
} eval_kept;

/* Bytes of shared memory for so many numbers of each slot. */
static inline int64_t eval_shared_bytes(const eval_gpu_program *program, int64_t planes, int32_t log_points)
{
    return (program->part_doubles + (program->slots * planes << log_points)) * 8;
}

struct device_eval {
    eval_kept *kept; /* the one used last comes first */
};

/* The form of a call's program on the device: made, sent there and kept by the first call, which cannot be recorded. Of those that no
 * graph uses EVAL_PROGRAMS are kept; the one that was not used for longest makes room, and then the call waits for the device. many:
 * for many points. */
enum { EVAL_PROGRAMS = 64 };
plumb_status plumb_cuda_eval_program(machine *m, const eval_call *call, bool many, void *stream,
                                     const eval_kept **found);
/* Whether it is there already. */
bool plumb_cuda_eval_knows(const machine *m, const eval_call *call, bool many);

#endif
