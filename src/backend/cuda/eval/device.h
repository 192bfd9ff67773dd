/* device.h - programs that evaluation on a GPU keeps from call to call, as parts on the device. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_DEVICE_H
#define PLUMB_BACKEND_CUDA_EVAL_DEVICE_H

#include <stdbool.h>

#include "backend/cuda/eval/plan.h"
#include "backend/cuda/lsq/device.h"

/* The form of a program: for few points, with its numbers in shared memory, or in global memory if they do not fit; for many points
 * (eval_many.cu); or for the block that follows a path (track_follow.cu), as for many points but in one part. */
enum { EVAL_FEW, EVAL_MANY, EVAL_WHOLE };

/* A program on the device: parts in shared memory, for few points or for many, or one part with all equations in
 * global memory. */
typedef struct eval_kept {
    struct eval_kept *next;
    uint64_t program;           /* the number of the program, which is never reused */
    const double *coefficients; /* those of the call, which stay where they are as long as the program does */
    int32_t prec, parts, derivatives, form, forced;
    bool stays; /* until the context is destroyed: a graph uses it, or nobody asks whether one does */
    int32_t in_shared;
    int32_t log_points;  /* EVAL_MANY: logarithm of the points at a time; -1: no room, and nothing is on the device */
    eval_gpu_program at; /* on the device */
    size_t bytes;        /* there */
    int32_t levels, stages, pieces;
    int32_t *starts; /* levels + 1 products, then stages + 1 folds, for launches one by one; NULL in shared memory */
} eval_kept;

/* The number of bytes of shared memory for this many numbers of each slot. */
static inline int64_t eval_shared_bytes(const eval_gpu_program *program, int64_t planes, int32_t log_points)
{
    return (program->part_doubles + (program->slots * planes << log_points)) * 8;
}

struct device_eval {
    eval_kept *kept; /* the one used last comes first */
    int64_t made;    /* programs sent to the device so far */
};

/* The form of a call's program on the device: made, sent there and kept by the first call, which cannot be recorded. The first
 * EVAL_FIRST_PROGRAMS of a context stay, so that calls with them need not ask whether they are recorded. Of the others, those that
 * graphs use stay, and EVAL_PROGRAMS more are kept: the one that was not used for longest makes room, and then the call waits for the
 * device. */
enum { EVAL_FIRST_PROGRAMS = 16, EVAL_PROGRAMS = 64 };
plumb_status plumb_cuda_eval_program(machine *m, const eval_call *call, int32_t form, void *stream,
                                     const eval_kept **found);
/* True if it is on the device already. */
bool plumb_cuda_eval_knows(const machine *m, const eval_call *call, int32_t form);

#endif
