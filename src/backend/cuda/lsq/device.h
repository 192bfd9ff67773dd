/* device.h - the host side of least squares on a GPU. The limits of the device are kept from call to call; for
 * scratch memory see runtime/scratch.h. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_DEVICE_H
#define PLUMB_BACKEND_CUDA_LSQ_DEVICE_H

#include <stdbool.h>

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/runtime/scratch.h"

struct device_lsq {
    mgs_limits limits;
};

/* Creates m->lsq on the first call. The device must be the current one. */
plumb_status plumb_cuda_mgs_open(machine *m);

/* ---- device.c, also used by refinement ---- */

enum { MGS_ALIGNMENT = 256 }; /* alignment of a piece of scratch */

/* The number of doubles of one problem in each array, and its number of bytes in all of them; except for kept words, see flow/mark.h. */
typedef struct mgs_layout {
    int64_t w, c, s, products, kept, bytes;
} mgs_layout;

bool plumb_cuda_mgs_lay_out(const lsq_call *call, int64_t all, int keep_columns, int products, int kept,
                            mgs_layout *layout);

/* Finds the number of problems of a part and allocates scratch for them; halved until there is memory for it. */
plumb_status plumb_cuda_mgs_find_room(machine *m, const mgs_layout *layout, int64_t all, int64_t batch, void *stream,
                                      int64_t *part, char **memory);

/* The next piece of scratch. */
void *plumb_cuda_mgs_take(char **memory, int64_t bytes);

/* Problems first .. first + count - 1 of the call, and of a view (or NULL). */
mgs_gpu_job plumb_cuda_mgs_job(const lsq_call *call, const mgs_layout *layout, int64_t all, int64_t first,
                               int64_t count, char *memory);
mgs_gpu_array plumb_cuda_mgs_array(const plumb_view *view, int64_t first);

/* What to launch for a problem; family MGS_AUTO, and why in the message of the machine, where a test asked for a family that does not
 * take it. */
mgs_plan plumb_cuda_mgs_choose(machine *m, const mgs_problem *problem);

/* Factors the columns according to the plan. */
plumb_status plumb_cuda_mgs_factor(machine *m, int32_t prec, int32_t parts, const mgs_plan *plan,
                                   const mgs_gpu_job *job, void *stream);

/* The data of the first problem that a report needs, on the host: the leading limbs of the triangle for the scaled
 * columns, c_kj of column j at [j*cols + k], real and imaginary parts (im NULL: real numbers); the squared norms of
 * the columns; the exponents; and the outcome of its refinement. If that did not converge, the triangle is that of
 * modified Gram-Schmidt in the precision of x. */
typedef struct mgs_findings {
    double *re, *im, *square;
    int32_t *exponent;
    int32_t factor_prec;             /* of the refinement */
    int32_t tried, converged, steps; /* not tried: there is no lower precision, or the shape is too large */
    double left;                     /* largest ratio of scaled residual norm to largest entry of x; m > n only */
    double last;                     /* last correction of the refinement relative to the largest entry of x */
    double remains;                  /* what it leaves, relative to the same, if that is known; else 0 */
} mgs_findings;

/* Fetches the triangle and waits for it. */
plumb_status plumb_cuda_mgs_triangle(machine *m, const lsq_call *call, const mgs_gpu_job *job, const mgs_findings *to,
                                     void *stream);

/* The whole call, by modified Gram-Schmidt or by refinement, with the former for problems where refinement does not
 * converge. If found is not NULL, the call waits for its end. */
plumb_status plumb_cuda_mgs_solve(machine *m, const lsq_call *call, mgs_findings *found, void *stream);
plumb_status plumb_cuda_mgs_refined(machine *m, const lsq_call *call, mgs_findings *found, void *stream);

/* Refinement of a problem that is too large for one block (device_gram.c), problem number `index` of the call; *converged: 0 where the
 * results are not there. The call waits. */
plumb_status plumb_cuda_mgs_gram(machine *m, const lsq_call *call, int64_t index, mgs_findings *found, int *converged,
                                 void *stream);
bool plumb_cuda_mgs_gram_takes(const machine *m, const lsq_call *call, void *stream);

/* The call for fewer rows than columns, with its report if there is one (device_norm.c). */
plumb_status plumb_cuda_mgs_least_norm(machine *m, const lsq_call *call, void *stream);

/* Any other call with its report (report.c). */
plumb_status plumb_cuda_mgs_reported(machine *m, const lsq_call *given, void *stream);

static inline int mgs_is_refined(const lsq_call *call)
{
    return call->options && call->options->method == PLUMB_METHOD_REFINED;
}

#endif
