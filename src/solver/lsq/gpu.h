/* gpu.h - least squares on a GPU: for arrays that live there, and for arrays of the host where the context has one.
 *
 * What has a GPU form is modified Gram-Schmidt without exchanges and without a second pass, and refinement of a factor in double.
 * Everything else runs on the processor, with copies of device arrays there and back, and says so. */
#ifndef PLUMB_SOLVER_LSQ_GPU_H
#define PLUMB_SOLVER_LSQ_GPU_H

#include <stdbool.h>

#include "solver/context/context.h"
#include "solver/lsq/work.h"

/* The operands of one call, checked; b, x, residual, q and r may be NULL. info lies where the arrays do. */
typedef struct lsq_operands {
    const plumb_view *a, *b;
    plumb_view *x, *residual, *q, *r;
    plumb_info *info;
    bool refine;           /* factor in a lower precision */
    plumb_view *corrected; /* or NULL: x is subtracted from it; device arrays, one right-hand side */
} lsq_operands;

/* Does what is asked for have a GPU form? */
bool lsq_gpu_can(const plumb_lsq_options *options);

/* Should a call on host arrays go to the GPU: the context asks for one by name, or leaves it open and there is enough to do. */
bool lsq_gpu_pays(const plumb_context *context, const lsq_operands *on, const plumb_lsq_options *options);

/* The triangle of the GPU as the processor has it, as far as its estimates look: leading limbs, without the columns. x on the
 * host, or NULL. */
void lsq_gpu_put_triangle(const lsq_operands *on, const lsq_triangle *from, const plumb_view *x, lsq_work *work);

/* lsq_refined_gpu.c: the report of a refinement that converged, from the triangle in double and the solution on the host. */
plumb_status lsq_refined_gpu_report(plumb_context *context, const lsq_operands *on, const lsq_triangle *triangle,
                                    const lsq_refinement *refined, const plumb_view *x, plumb_lsq_report *report);

/* Device arrays: queued on the stream; with refinement it waits to know whether that converged. With a report (one problem only) it waits, and fills it. */
plumb_status lsq_gpu_device(plumb_context *context, const lsq_operands *on, plumb_stream stream,
                            plumb_lsq_report *report);

/* Host arrays: to the GPU, solved, and back. The report (or NULL) as above. */
plumb_status lsq_gpu_host(plumb_context *context, const lsq_operands *on, plumb_lsq_report *report);

/* A word in the report about what ran on the processor although a GPU was asked for or has the arrays. */
void lsq_gpu_note(const plumb_context *context, int32_t where, const plumb_lsq_options *options,
                  plumb_lsq_report *report);

/* The operands in the other place: host copies of device arrays for what only the processor does, and the other way round.
 * In goes what is read (a and b), out comes the rest, outcomes included. Where the host takes part nothing is left under way. */
typedef struct lsq_mirror {
    plumb_view a, b, x, residual, q, r, info;
    lsq_operands on; /* the copies */
} lsq_mirror;

plumb_status lsq_mirror_in(plumb_context *context, const lsq_operands *given, int32_t where, plumb_stream stream,
                           lsq_mirror *mirror);
plumb_status lsq_mirror_out(plumb_context *context, const lsq_operands *given, plumb_stream stream,
                            const lsq_mirror *mirror);
void lsq_mirror_destroy(plumb_context *context, lsq_mirror *mirror);

/* count outcomes as an array that can be copied: copies do not look at the bits. */
plumb_view lsq_info_view(plumb_info *info, int32_t where, int64_t count);

#endif
