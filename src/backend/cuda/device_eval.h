/* device_eval.h - what evaluation on a GPU keeps from call to call: programs, as parts on the device. */
#ifndef PLUMB_CUDA_DEVICE_EVAL_H
#define PLUMB_CUDA_DEVICE_EVAL_H

#include <stdbool.h>

#include "backend/cuda/device_mgs.h"
#include "backend/cuda/eval_plan.h"

/* How a program runs: its parts in shared memory, or one part of all its equations in global memory. */
typedef struct eval_kept {
    struct eval_kept *next;
    uint64_t program; /* its number: programs come and go, numbers do not come again */
    int32_t prec, parts, derivatives, in_shared, forced;
    eval_gpu_program at; /* on the device */
    size_t bytes;        /* there */
    int32_t levels, stages, pieces;
    int32_t *starts; /* levels + 1 products, then stages + 1 folds, for launches one by one; NULL in shared memory */
} eval_kept;

struct device_eval {
    eval_kept *kept; /* the one used last comes first */
};

/* The form of a call's program on the device: made, sent there and kept by the first call. What has not been used for
 * longest goes when there are too many; such a call waits for the device, others do not. */
plumb_status plumb_cuda_eval_program(machine *m, const eval_call *call, const eval_kept **found);

#endif
