/* context.h - what a context holds: the two machines and the line about the last failure. */
#ifndef PLUMB_SOLVER_CONTEXT_H
#define PLUMB_SOLVER_CONTEXT_H

#include <stdbool.h>

#include "backend/backend.h"

struct plumb_context {
    machine cpu, gpu; /* the GPU is opened when a device array is first asked for */
    int32_t backend;  /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU; PLUMB_BACKEND_AUTO: nobody has looked for a GPU yet */
    int32_t wanted;   /* what was asked for */
    int32_t small;    /* 1: a job is running that is not worth a GPU: the context acts as one without */
    int32_t idle;     /* 1: so was the last job */
    int32_t device;
    char message[512];
    /* Asked now and then by work of the running call that has no progress of its own, or NULL; not 0: end the work. */
    int (*stop)(void *data);
    void *stop_data;
    struct cells_store
        *cells; /* results of enumerations of mixed cells, which are taken from there and kept there; or NULL */
};

/* Whether the context uses a GPU. Where the choice is open, the first call looks for one, which initialises the driver and takes a
 * tenth of a second; so ask for everything else first. */
bool plumb_context_has_gpu(plumb_context *context);

/* Whether a GPU tracks the paths of a job with so many of them, in so many unknowns: where the choice is open, only if the processors of
 * a large computer would take longer than a GPU takes to open. This depends on counts alone. */
bool plumb_context_tracks_on_gpu(plumb_context *context, int64_t paths, int64_t unknowns);

/* Around a job on such paths, for everything that it computes: jobs that are not worth a GPU do not look for one. */
void plumb_context_begin_job(plumb_context *context, int64_t paths, int64_t unknowns);
void plumb_context_end_job(plumb_context *context);

/* The machine where such arrays live, opened if need be. */
plumb_status plumb_context_machine(plumb_context *context, int32_t where, machine **m);

#endif
