/* context.h - what a context holds: the two machines and the line about the last failure. */
#ifndef PLUMB_SOLVER_CONTEXT_H
#define PLUMB_SOLVER_CONTEXT_H

#include "backend/backend.h"

struct plumb_context {
    machine cpu, gpu; /* the GPU is opened when a device array is first asked for */
    int32_t backend;  /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU */
    int32_t wanted;   /* what was asked for: those or PLUMB_BACKEND_AUTO */
    int32_t device;
    char message[512];
    /* Asked now and then by work of the running call that has no progress of its own, or NULL; not 0: end the work. */
    int (*stop)(void *data);
    void *stop_data;
    struct cells_store
        *cells; /* results of enumerations of mixed cells, which are taken from there and kept there; or NULL */
};

/* The machine where such arrays live, opened if need be. */
plumb_status plumb_context_machine(plumb_context *context, int32_t where, machine **m);

#endif
