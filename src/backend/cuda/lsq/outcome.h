/* outcome.h - how a kernel reports the outcome of a problem: in the info of the problem, and if the caller gave no info,
 * in the words of the context that its next wait reads (runtime/outcome.h). Only a failure costs a store there. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_OUTCOME_H
#define PLUMB_BACKEND_CUDA_LSQ_OUTCOME_H

#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/outcome.h"

/* failures: OUTCOME_WORDS words that the host sees, or NULL. */
GPU_FN void put_info(plumb_info *info, int32_t *failures, plumb_info outcome)
{
    *info = outcome;
    if (outcome != 0 && failures)
        *(volatile int32_t *)(failures + (outcome > 0                       ? OUTCOME_SINGULAR
                                          : outcome == -PLUMB_ERR_NONFINITE ? OUTCOME_NONFINITE
                                                                            : OUTCOME_OTHER)) = 1;
}

#endif
