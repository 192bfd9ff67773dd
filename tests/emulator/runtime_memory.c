/* runtime_memory.c - memory of the emulated GPU: on the heap, counted, and filled with NaN when it is allocated. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

enum { ALIGNMENT = 256, DEFAULT_MIB = 1024 };

typedef struct allocation {
    char *memory;
    size_t bytes;
    enum cudaMemoryType type;
} allocation;

static allocation *allocations;
static size_t count, room, used;

size_t emu_memory_total(void)
{
    const char *text = getenv("PLUMB_EMULATOR_MEMORY");
    unsigned long long mib = text ? strtoull(text, NULL, 10) : DEFAULT_MIB;
    return (size_t)(mib < SIZE_MAX >> 20 ? mib : SIZE_MAX >> 20) << 20;
}

/* The allocation that holds p, or NULL. */
static allocation *holder(const void *p)
{
    for (size_t k = 0; k < count; k++)
        if ((uintptr_t)p - (uintptr_t)allocations[k].memory < allocations[k].bytes)
            return &allocations[k];
    return NULL;
}

static cudaError_t allocate(void **memory, size_t bytes, enum cudaMemoryType type)
{
    *memory = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (type == cudaMemoryTypeDevice && (used > emu_memory_total() || bytes > emu_memory_total() - used))
        return cudaErrorMemoryAllocation;
    if (count == room) {
        size_t more = room ? 2 * room : 64;
        allocation *grown = realloc(allocations, more * sizeof *grown);
        if (!grown)
            return cudaErrorMemoryAllocation;
        allocations = grown;
        room = more;
    }
    /* Allocate exactly the requested length, so that the sanitizer detects overruns. */
    if (bytes > SIZE_MAX / 2 || posix_memalign(memory, ALIGNMENT, bytes) != 0) {
        *memory = NULL;
        return cudaErrorMemoryAllocation;
    }
    memset(*memory, 0xff, bytes);
    allocations[count++] = (allocation){*memory, bytes, type};
    used += type == cudaMemoryTypeDevice ? bytes : 0;
    return cudaSuccess;
}

static cudaError_t release(void *memory, enum cudaMemoryType type)
{
    if (!memory)
        return cudaSuccess;
    allocation *a = holder(memory);
    if (!a || a->memory != memory || a->type != type)
        return cudaErrorInvalidValue;
    used -= type == cudaMemoryTypeDevice ? a->bytes : 0;
    free(a->memory);
    *a = allocations[--count];
    return cudaSuccess;
}

/* A range that begins in an allocation must end there; other ranges belong to the host. A range that is declared to
 * be on the device must be there. */
static int range_is_good(const void *p, size_t bytes, int on_device)
{
    const allocation *a = holder(p);
    if (!a)
        return !on_device || bytes == 0;
    return bytes <= a->bytes - (size_t)((const char *)p - a->memory);
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    emu_lock();
    *total = emu_memory_total();
    *unused = used < *total ? *total - used : 0;
    emu_unlock();
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    cudaError_t refused = emu_refuse_while_recording();
    if (refused != cudaSuccess)
        return emu_result(refused);
    emu_lock();
    cudaError_t error = allocate(memory, bytes, cudaMemoryTypeDevice);
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaFree(void *memory)
{
    cudaError_t refused = emu_refuse_while_recording();
    if (refused != cudaSuccess)
        return emu_result(refused);
    emu_lock();
    cudaError_t error = release(memory, cudaMemoryTypeDevice);
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    return cudaMalloc(memory, bytes);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    (void)stream;
    return cudaFree(memory);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    (void)device;
    *pool = NULL;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    (void)pool, (void)attribute, (void)value;
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    (void)pool, (void)keep;
    return cudaSuccess;
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    cudaError_t refused = emu_refuse_while_recording();
    if (refused != cudaSuccess)
        return emu_result(refused);
    (void)flags;
    emu_lock();
    cudaError_t error = allocate(memory, bytes, cudaMemoryTypeHost);
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *memory)
{
    cudaError_t refused = emu_refuse_while_recording();
    if (refused != cudaSuccess)
        return emu_result(refused);
    emu_lock();
    cudaError_t error = release(memory, cudaMemoryTypeHost);
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    (void)memory, (void)bytes, (void)flags;
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    emu_lock();
    const allocation *a = holder(memory);
    void *same; /* without its const */
    memcpy(&same, &memory, sizeof same);
    *attributes = (struct cudaPointerAttributes){a ? a->type : cudaMemoryTypeUnregistered, 0, a ? same : NULL,
                                                 a && a->type == cudaMemoryTypeHost ? same : NULL};
    emu_unlock();
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    if (width > to_pitch || width > from_pitch || to_pitch > INT32_MAX || from_pitch > INT32_MAX)
        return emu_result(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0)
        return cudaSuccess;
    emu_lock();
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int good = range_is_good(to, (height - 1) * to_pitch + width, to_device) &&
               range_is_good(from, (height - 1) * from_pitch + width, from_device);
    for (size_t k = 0; good && k < height; k++)
        memmove((char *)to + k * to_pitch, (const char *)from + k * from_pitch, width);
    emu_unlock();
    return emu_result(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (emu_capture_of(stream))
        return emu_result(cudaErrorNotSupported);
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    emu_lock();
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    int good = range_is_good(to, bytes, to_device) && range_is_good(from, bytes, from_device);
    if (good && bytes > 0)
        memmove(to, from, bytes);
    emu_unlock();
    return emu_result(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    if (emu_capture_of(stream))
        return emu_result(emu_record_copy(stream, to, from, bytes));
    return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    if (emu_capture_of(stream))
        return emu_result(cudaErrorNotSupported);
    if (width > pitch)
        return emu_result(cudaErrorInvalidPitchValue);
    if (width == 0 || height == 0)
        return cudaSuccess;
    emu_lock();
    int good = range_is_good(memory, (height - 1) * pitch + width, 1);
    for (size_t k = 0; good && k < height; k++)
        memset((char *)memory + k * pitch, value, width);
    emu_unlock();
    return emu_result(good ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return cudaMemset2DAsync(memory, bytes, value, bytes, 1, NULL);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    if (emu_capture_of(stream))
        return emu_result(emu_record_set(stream, memory, value, bytes));
    return cudaMemset2DAsync(memory, bytes, value, bytes, 1, stream);
}
