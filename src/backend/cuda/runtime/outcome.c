/* outcome.c - see outcome.h. */
#include "backend/cuda/runtime/outcome.h"

#include <stdbool.h>

#include "backend/cuda/runtime/scratch.h"
#include "base/call/message.h"

plumb_status plumb_cuda_outcome_open(machine *m, void *stream)
{
    if (m->outcome)
        return PLUMB_OK;
    if (plumb_cuda_is_recorded(stream))
        return plumb_say(PLUMB_ERR_DEVICE, m->message, m->message_size,
                         "a call that allocates cannot be recorded: run it once on the stream, then record it");
    void *words = NULL;
    plumb_status status = plumb_cuda_status(
        cudaHostAlloc(&words, OUTCOME_WORDS * sizeof(int32_t), cudaHostAllocMapped | cudaHostAllocPortable),
        "memory that the host and the GPU share", m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    m->outcome = words;
    for (int k = 0; k < OUTCOME_WORDS; k++)
        m->outcome[k] = 0;
    return PLUMB_OK;
}

/* Reads a word and clears it in one step: the GPU may be writing it. */
static bool take(int32_t *word)
{
    return __atomic_exchange_n(word, 0, __ATOMIC_ACQ_REL) != 0;
}

plumb_status plumb_cuda_outcome_tell(machine *m)
{
    if (!m->outcome)
        return PLUMB_OK;
    const bool singular = take(&m->outcome[OUTCOME_SINGULAR]), nonfinite = take(&m->outcome[OUTCOME_NONFINITE]),
               other = take(&m->outcome[OUTCOME_OTHER]);
    if (singular)
        return plumb_say(
            PLUMB_ERR_SINGULAR, m->message, m->message_size,
            "a call on the device found a column that depends on those before it; pass info to know which");
    if (nonfinite)
        return plumb_say(PLUMB_ERR_NONFINITE, m->message, m->message_size,
                         "a call on the device found an infinity or a NaN in its input; pass info to know where");
    if (other)
        return plumb_say(PLUMB_ERR_RANGE, m->message, m->message_size,
                         "a call on the device found a result beyond the largest double; pass info to know where");
    return PLUMB_OK;
}

void plumb_cuda_outcome_close(machine *m)
{
    if (m->outcome && cudaFreeHost(m->outcome) != cudaSuccess)
        (void)cudaGetLastError();
    m->outcome = NULL;
}
