/* kernels.cu - the operations on arrays on a GPU, one precision a compilation: -DPLUMB_PREC=dd -DPLUMB_LIMBS=2.
 *
 * The kernels are those of the CPU, made of the same source with a device double as the lane; each thread takes every so
 * many-th entry, so neighbours read neighbouring doubles of a plane. */
#include <cuda_runtime_api.h>
#include <stdio.h>

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"

typedef void (*map_entry)(const struct map_job);

#define PLUMB_PARTS 1
#include "method/map_tmpl.h"
static const map_entry real_kernels[PLUMB_OP_COUNT] = {MAP_KERNELS};
#undef MAP_KERNELS
#undef PLUMB_PARTS

#define PLUMB_PARTS 2
#include "method/map_tmpl.h"
static const map_entry cplx_kernels[PLUMB_OP_COUNT] = {MAP_KERNELS};

enum { BLOCK = 128, MOST_BLOCKS = 1 << 16 };

#define MAP_ENTRY REAL_JOIN(plumb_cuda_map_, PLUMB_PREC)

extern "C" plumb_status MAP_ENTRY(int32_t parts, plumb_op op, const map_job *job, void *stream, char *message,
                                  size_t message_size)
{
    map_entry entry = parts == PLUMB_REAL ? real_kernels[op] : cplx_kernels[op];
    if (!entry || job->n <= 0)
        return entry ? PLUMB_OK : PLUMB_ERR_ARGUMENT;
    int64_t blocks = (job->n - 1) / BLOCK + 1;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    map_job value = *job;
    void *arguments[] = {&value};
    cudaError_t error =
        cudaLaunchKernel((const void *)entry, dim3((unsigned)blocks), dim3(BLOCK), arguments, 0, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    snprintf(message, message_size, "launch of %s failed: %s", plumb_op_name(op), cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
