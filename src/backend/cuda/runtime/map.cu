/* map.cu - the operations on arrays on a GPU, compiled once for each precision and kind: -DPLUMB_PREC=dd
 * -DPLUMB_LIMBS=2 -DPLUMB_PARTS=1 (real) or 2 (complex).
 *
 * The kernels are made from the same source as those of the CPU, with a device double as the lane. They use
 * grid-stride loops, so that neighbouring threads read neighbouring doubles of a plane. On GPUs that support it, they
 * start before the previous kernel has ended, and wait. */
#include <stdio.h>

#include "backend/cuda/runtime/launch.h"

GPU_FN void wait_for_operands(void)
{
    gpu_previous_done();
    gpu_next_may_begin();
}
#define MAP_BEGIN wait_for_operands

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "method/map_tmpl.h"

static void (*const entries[PLUMB_OP_COUNT])(const map_job) = {MAP_KERNELS};

enum { BLOCK = 128, MOST_BLOCKS = 1 << 16 };

extern "C" plumb_status NUM_NAME(plumb_cuda_map)(plumb_op op, const map_job *job, int early, void *stream,
                                                 char *message, size_t message_size)
{
    if (!entries[op])
        return PLUMB_ERR_ARGUMENT;
    if (job->n <= 0)
        return PLUMB_OK;
    int64_t blocks = (job->n - 1) / BLOCK + 1;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    map_job value = *job;
    void *arguments[] = {&value};
    cudaError_t error =
        gpu_launch((const void *)entries[op], dim3((unsigned)blocks), BLOCK, 0, early, arguments, stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    snprintf(message, message_size, "launch of %s failed: %s", plumb_op_name(op), cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
