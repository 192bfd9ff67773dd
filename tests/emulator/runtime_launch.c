/* runtime_launch.c - the registered kernels, and launches, which are refused if a GPU of capability 9.0 would refuse
 * them. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "runtime.h"

enum { MOST_GRID_YZ = 65535, REGISTERS_REPORTED = 128 };

typedef struct known_kernel {
    const void *kernel;
    emu_caller caller;
    const size_t *sizes; /* of its arguments, then 0 */
    int shared;          /* dynamic shared memory it may have */
    int non_portable;
} known_kernel;

static known_kernel *kernels;
static size_t count, room;

static known_kernel *find(const void *kernel)
{
    for (size_t k = 0; k < count; k++)
        if (kernels[k].kernel == kernel)
            return &kernels[k];
    return NULL;
}

/* As find, for kernels that come as mere addresses. */
static known_kernel *require(const void *kernel)
{
    known_kernel *k = find(kernel);
    if (!k)
        emu_die((emu_site){0}, "how to call the kernel at %p is not known: is it a template?", kernel);
    return k;
}

const void *emu_know_kernel(const void *kernel, emu_caller caller, const size_t *sizes)
{
    emu_lock();
    if (!find(kernel)) {
        if (count == room) {
            room = room ? 2 * room : 64;
            kernels = realloc(kernels, room * sizeof *kernels);
            if (!kernels)
                emu_die((emu_site){0}, "there is no memory to emulate with");
        }
        kernels[count++] = (known_kernel){kernel, caller, sizes, EMU_SHARED_DEFAULT, 0};
    }
    emu_unlock();
    return kernel;
}

/* The number of blocks of a cluster; 0 if the attributes are invalid. */
static unsigned cluster_of(const cudaLaunchConfig_t *config)
{
    unsigned cluster = 1;
    for (unsigned k = 0; k < config->numAttrs; k++) {
        const cudaLaunchAttribute *a = &config->attrs[k];
        if (a->id == cudaLaunchAttributeClusterDimension)
            cluster = a->val.clusterDim.y == 1 && a->val.clusterDim.z == 1 ? a->val.clusterDim.x : 0;
    }
    return cluster;
}

static cudaError_t check(const cudaLaunchConfig_t *config, const known_kernel *k)
{
    dim3 g = config->gridDim, b = config->blockDim;
    if (!g.x || !g.y || !g.z || g.x > INT32_MAX || g.y > MOST_GRID_YZ || g.z > MOST_GRID_YZ)
        return cudaErrorInvalidConfiguration;
    if (!b.x || !b.y || !b.z || b.x > EMU_MAX_THREADS || b.y > EMU_MAX_THREADS || b.z > 64 ||
        b.x * b.y * b.z > EMU_MAX_THREADS)
        return cudaErrorInvalidConfiguration;
    if (config->dynamicSmemBytes > (size_t)k->shared)
        return cudaErrorInvalidValue;
    unsigned cluster = cluster_of(config);
    if (cluster == 0 || cluster > EMU_MAX_CLUSTER || (cluster > EMU_PORTABLE_CLUSTER && !k->non_portable))
        return cudaErrorInvalidClusterSize;
    return g.x % cluster == 0 ? cudaSuccess : cudaErrorInvalidConfiguration;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments)
{
    emu_lock();
    const known_kernel *k = require(kernel);
    cudaError_t error = check(config, k);
    if (error == cudaSuccess && emu_capture_of(config->stream)) {
        error = emu_record_launch(config, kernel, arguments, k->sizes);
    } else if (error == cudaSuccess) {
        emu_launch launch = {kernel,
                             k->caller,
                             arguments,
                             config->gridDim,
                             config->blockDim,
                             (int)cluster_of(config),
                             config->dynamicSmemBytes};
        emu_run(&launch);
    }
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    cudaLaunchConfig_t config = {grid, block, shared, stream, NULL, 0};
    return cudaLaunchKernelExC(&config, kernel, arguments);
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value)
{
    emu_lock();
    known_kernel *k = require(kernel);
    cudaError_t error = cudaSuccess;
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed)
        k->non_portable = value;
    else if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || value > EMU_SHARED_MOST)
            error = cudaErrorInvalidValue;
        else
            k->shared = value;
    }
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel)
{
    emu_lock();
    const known_kernel *k = require(kernel);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = EMU_MAX_THREADS;
    attributes->numRegs = REGISTERS_REPORTED;
    attributes->ptxVersion = attributes->binaryVersion = 90;
    attributes->maxDynamicSharedSizeBytes = k->shared;
    attributes->nonPortableClusterSizeAllowed = k->non_portable;
    emu_unlock();
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *kernel, const cudaLaunchConfig_t *config)
{
    emu_lock();
    *clusters = 0;
    cudaError_t error = check(config, require(kernel));
    if (error == cudaSuccess)
        *clusters = emu_resident_clusters((int)cluster_of(config), (int)config->blockDim.x);
    emu_unlock();
    return emu_result(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared)
{
    (void)kernel;
    *blocks = 0;
    if (threads <= 0 || threads > EMU_MAX_THREADS)
        return emu_result(cudaErrorInvalidValue);
    int by_threads = 2 * EMU_MAX_THREADS / threads, by_shared = (int)((228 << 10) / (shared + 1024));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    return cudaSuccess;
}
