/* count.c - counts the instructions of an operation by running it.
 *
 * The kernels are compiled once more with lane_count.h as their lane, into the lists plumb_kernels_<kind>_<prec>_count. */
#include "backend/cpu/eval/eval.h"
#include "backend/cpu/lsq/mgs.h"
#include "bench/common/peak.h"

/* Declared by lane_count.h, which is a lane header and cannot be included here. */
extern int64_t plumb_lane_flops, plumb_lane_others;
int64_t plumb_lane_flops, plumb_lane_others;

PREC_KERNELS(d, count);
PREC_KERNELS(dd, count);
PREC_KERNELS(qd, count);

static const prec_kernels *const counting[PLUMB_QD + 1] = {
    [PLUMB_D] = &d_count_kernels,
    [PLUMB_DD] = &dd_count_kernels,
    [PLUMB_QD] = &qd_count_kernels,
};

bool bench_count(int32_t prec, int32_t parts, plumb_op op, const map_job *job, int64_t *flops, int64_t *others)
{
    map_kernel kernel = counting[prec]->map[parts][op];
    if (kernel == NULL)
        return false;
    plumb_lane_flops = plumb_lane_others = 0;
    kernel(job);
    *flops = plumb_lane_flops;
    *others = plumb_lane_others;
    return true;
}

void bench_count_eval(int32_t prec, int32_t parts, const eval_job *job, int64_t *flops, int64_t *others)
{
    plumb_lane_flops = plumb_lane_others = 0;
    plumb_cpu_eval_run(job, &counting[prec]->eval[parts]->one);
    *flops = plumb_lane_flops;
    *others = plumb_lane_others;
}

/* Arithmetic instructions of projecting one column on another and of removing it, with this many rows. */
static int64_t flops_of_step(const mgs_kernels *kernels, int64_t rows)
{
    enum { COLUMNS = 2, PLANE = 2 * COLUMNS, MOST_PLANES = PLUMB_COMPLEX * PLUMB_QD };
    double w[MOST_PLANES * PLANE] = {0}, c[MOST_PLANES * PLANE] = {0};
    const mgs_job job = {.w = w,
                         .c = c,
                         .w_plane = PLANE,
                         .c_plane = PLANE,
                         .ld = COLUMNS,
                         .rank = 1,
                         .rows = rows,
                         .cols = 1,
                         .all = COLUMNS};
    plumb_lane_flops = 0;
    kernels->project(&job, 0, 1, COLUMNS);
    kernels->remove(&job, 0, 1, COLUMNS);
    return plumb_lane_flops;
}

int64_t bench_count_mgs_step(int32_t prec, int32_t parts)
{
    const mgs_kernels *kernels = counting[prec]->mgs[parts];
    return flops_of_step(kernels, 2) - flops_of_step(kernels, 1); /* without the end of the sum */
}

void bench_count_mgs(int32_t prec, int32_t parts, const mgs_job *job, const double *least, int64_t *flops,
                     int64_t *others)
{
    const mgs_kernels *kernels = counting[prec]->mgs[parts];
    plumb_lane_flops = plumb_lane_others = 0;
    (void)plumb_cpu_mgs_factor(kernels, job, least, NULL, 1, true);
    kernels->back(job);
    *flops = plumb_lane_flops;
    *others = plumb_lane_others;
}
