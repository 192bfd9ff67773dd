/* gram_scale.cu - the scaled columns whose Gram matrix is factored. See gram.h. */
#include <stdio.h>

#include "backend/cuda/lsq/gram/gram.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

/* x 2^e, for any e that a double has. */
GPU_FN double times_power(double x, int e)
{
    const int half = e / 2;
    return x * __hiloint2double((half + 1023) << 20, 0) * __hiloint2double((e - half + 1023) << 20, 0);
}

/* Column j of A, with its largest entry from 1/2 to 1, rounded to the precision of the factor, with zeros behind it; an infinity
 * or NaN stays. Columns beyond the last one are zero. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_scale)(const __grid_constant__ gram_job job)
{
    int *most = (int *)gpu_shared();
    const int64_t j = gpu_block(), rows = j < job.cols ? job.rows : 0;
    const double *a = job.a.data + (j < job.cols ? j * job.a.col : 0);
    if (gpu_thread() == 0)
        *most = 0;
    gpu_sync();
    int field = 0;
    for (int p = 0; p < PLUMB_PARTS; p++)
        for (int64_t i = gpu_thread(); i < rows; i += GRAM_THREADS) {
            const int own = __double2hiint(a[p * job.limbs * job.a.plane + i]) >> 20 & 0x7ff;
            field = own > field ? own : field;
        }
    gpu_raise(most, field);
    gpu_sync();
    const int exponent = *most > 0 ? *most - 1022 : 0;
    if (gpu_thread() == 0 && j < job.cols)
        job.exponent[j] = exponent;
    for (int p = 0; p < PLUMB_PARTS; p++)
        for (int c = 0; c < PLUMB_LIMBS; c++) {
            double *to = job.scaled + ((int64_t)(p * PLUMB_LIMBS + c) * job.wide + j) * job.ld;
            const double *from = a + (p * job.limbs + c) * job.a.plane;
            for (int64_t i = gpu_thread(); i < job.ld; i += GRAM_THREADS)
                to[i] = i < rows ? times_power(from[i], -exponent) : 0.0;
        }
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_scale)(const gram_job *given, void *stream, char *message,
                                                        size_t message_size)
{
    gram_job job = *given;
    void *arguments[] = {&job};
    const cudaError_t error = cudaLaunchKernel((const void *)NUM_NAME(gram_scale), dim3((unsigned)job.wide),
                                               dim3(GRAM_THREADS), arguments, sizeof(double), (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a refinement failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
