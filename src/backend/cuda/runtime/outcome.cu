/* outcome.cu - notes the failures among the outcomes of a batch; see outcome.h. No numbers are involved: compiled once. */
#if PLUMB_PARTS == 1 && PLUMB_LIMBS == 1
#include "backend/cuda/runtime/outcome.h"

#include <stdio.h>

#include "backend/cuda/runtime/gpu.h"

enum { BLOCK = 128, MOST_BLOCKS = 64 };

static __global__ void __launch_bounds__(BLOCK) note_outcomes(const plumb_info *info, int64_t count, int32_t *words)
{
    for (int64_t k = (int64_t)gpu_block() * BLOCK + gpu_thread(); k < count; k += (int64_t)gpu_blocks() * BLOCK) {
        const plumb_info outcome = info[k];
        if (outcome != 0)
            *(volatile int32_t *)(words + (outcome > 0                       ? OUTCOME_SINGULAR
                                           : outcome == -PLUMB_ERR_NONFINITE ? OUTCOME_NONFINITE
                                                                             : OUTCOME_OTHER)) = 1;
    }
}

extern "C" plumb_status plumb_cuda_outcome_launch(const plumb_info *info, int64_t count, int32_t *words, void *stream,
                                                  char *message, size_t message_size)
{
    const int64_t blocks = (count - 1) / BLOCK + 1;
    if (count <= 0)
        return PLUMB_OK;
    void *arguments[] = {&info, &count, &words};
    cudaError_t error = cudaLaunchKernel(
        (const void *)note_outcomes, dim3((unsigned)(blocks < (int64_t)MOST_BLOCKS ? blocks : (int64_t)MOST_BLOCKS)),
        dim3(BLOCK), arguments, 0, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    snprintf(message, message_size, "noting outcomes on the GPU: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
#endif
