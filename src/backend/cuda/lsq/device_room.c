/* device_room.c - scratch memory of least squares on a GPU, and what is asked of a device once. */
#include <stdlib.h>

#include "backend/cuda/lsq/device.h"
#include "base/message.h"

/* Streams whose scratch is kept: those of a program come and go. */
enum { MOST_ROOMS = 16 };

/* Of any kernel here: the architecture its code was compiled for, 10 * major + minor. What was compiled for an older GPU than
 * the one it runs on lacks what that one could do. */
int plumb_cuda_mgs_code_real_d(void);

static cudaError_t query(mgs_limits *limits, int device)
{
    int major = 0, minor = 0, multiprocessors = 0, shared = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess)
        return error;
    int capability = 10 * major + minor, code = plumb_cuda_mgs_code_real_d();
    if (code < capability)
        capability = code;
#ifdef PLUMB_RACECHECK
    const int clusters = 0; /* racecheck of compute-sanitizer does not follow what one block sends to another */
#else
    const int clusters = capability >= 90;
#endif
    *limits = (mgs_limits){.capability = capability,
                           .multiprocessors = multiprocessors,
                           .shared = shared,
                           .cluster = !clusters          ? 1
                                      : capability < 120 ? 16
                                                         : 8};
    return cudaSuccess;
}

plumb_status plumb_cuda_mgs_open(machine *m)
{
    if (m->lsq)
        return PLUMB_OK;
    struct device_lsq *made = calloc(1, sizeof *made);
    if (!made)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    plumb_status status =
        plumb_cuda_status(query(&made->limits, m->device), "asking a GPU for its limits", m->message, m->message_size);
    if (status != PLUMB_OK) {
        free(made);
        return status;
    }
    m->lsq = made;
    return PLUMB_OK;
}

static void release(mgs_room *room)
{
    /* Kernels of the stream may still be at work; waiting for a stream that is gone would fail, cudaFree waits for all. */
    if (room->memory && cudaFree(room->memory) != cudaSuccess)
        (void)cudaGetLastError();
    room->memory = NULL;
    room->bytes = 0;
}

/* The room of a stream to the front, made if need be: in place of the one not used for longest where there are too many. */
static mgs_room *room_of(struct device_lsq *lsq, void *stream)
{
    mgs_room **link = &lsq->rooms;
    int count = 0;
    while (*link && (*link)->stream != stream) {
        if (++count == MOST_ROOMS && !(*link)->next)
            break;
        link = &(*link)->next;
    }
    mgs_room *room = *link;
    if (room) {
        *link = room->next;
        if (room->stream != stream)
            release(room);
    } else {
        room = calloc(1, sizeof *room);
        if (!room)
            return NULL;
    }
    room->stream = stream;
    room->next = lsq->rooms;
    lsq->rooms = room;
    return room;
}

plumb_status plumb_cuda_mgs_room(machine *m, void *stream, size_t bytes, char **memory)
{
    mgs_room *room = m->lsq->rooms;
    if (!room || room->stream != stream)
        room = room_of(m->lsq, stream);
    if (!room)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    if (bytes > room->bytes) {
        void *more = NULL;
        release(room);
        plumb_status status =
            plumb_cuda_status(cudaMalloc(&more, bytes), "scratch memory on the GPU", m->message, m->message_size);
        if (status != PLUMB_OK)
            return status;
        room->memory = more;
        room->bytes = bytes;
    }
    *memory = room->memory;
    return PLUMB_OK;
}

void plumb_cuda_lsq_close(machine *m)
{
    int previous;
    if (!m->lsq)
        return;
    plumb_status status = plumb_cuda_enter(m, &previous);
    for (mgs_room *room = m->lsq->rooms, *next; room; room = next) {
        next = room->next;
        if (status == PLUMB_OK)
            release(room);
        free(room);
    }
    plumb_cuda_leave(previous);
    free(m->lsq);
    m->lsq = NULL;
}
