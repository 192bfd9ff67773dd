/* none.c - the GPU backend of a library that was built without CUDA: every call fails and gives the reason.
 *
 * It is compiled instead of all other files of src/backend/cuda. */
#include "backend/backend.h"
#include "backend/cuda/runtime/time.h"
#include "base/call/message.h"

static const char reason[] = "built without CUDA";

int plumb_gpu_built(void)
{
    return 0;
}

plumb_status plumb_gpu_usable(int32_t device, char *why, size_t why_size)
{
    (void)device;
    return plumb_say(PLUMB_ERR_NO_DEVICE, why, why_size, "%s", reason);
}

plumb_status plumb_gpu_open(machine *m, int32_t device)
{
    return plumb_gpu_usable(device, m->message, m->message_size);
}

int32_t plumb_device_count(char *why, size_t why_size)
{
    plumb_say(PLUMB_OK, why, why_size, "%s", reason);
    return 0;
}

plumb_status plumb_device_query(int32_t index, plumb_device_info *info)
{
    (void)index;
    return info ? plumb_say(PLUMB_ERR_NO_DEVICE, NULL, 0, "%s", reason)
                : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "info is NULL");
}

plumb_status plumb_gpu_time_launches(machine *m, device_work work, void *data, int64_t count, double *us)
{
    (void)work, (void)data, (void)count, (void)us;
    return plumb_gpu_usable(0, m->message, m->message_size);
}

plumb_status plumb_gpu_time_replays(machine *m, device_work work, void *data, int64_t pieces, int64_t replays,
                                    double *us)
{
    (void)work, (void)data, (void)pieces, (void)replays, (void)us;
    return plumb_gpu_usable(0, m->message, m->message_size);
}

plumb_status plumb_gpu_double_rate(machine *m, double *rate)
{
    *rate = 0.0;
    return plumb_gpu_usable(0, m->message, m->message_size);
}

int32_t plumb_gpu_driver(void)
{
    return 0;
}

int plumb_gpu_can_lsq(const lsq_call *call)
{
    (void)call;
    return 0;
}
