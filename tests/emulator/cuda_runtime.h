/* cuda_runtime.h - CUDA C++ for the host compiler: keywords, built-in variables and functions, and launches of typed
 * kernels. */
#ifndef PLUMB_EMULATED_CUDA_RUNTIME_H
#define PLUMB_EMULATED_CUDA_RUNTIME_H

#include <math.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "cuda_runtime_api.h"
#include "emulator.h"

/* The attribute has no effect; `compile` finds the kernels by it. */
#define __global__ __attribute__((__noclone__))
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

/* The built-in variables: their members read the running thread when they are converted to a number. */
#define EMU_BUILT_IN(name, from)         \
    static const struct {                \
        struct {                         \
            operator unsigned() const    \
            {                            \
                return emu_self->from.x; \
            }                            \
        } x;                             \
        struct {                         \
            operator unsigned() const    \
            {                            \
                return emu_self->from.y; \
            }                            \
        } y;                             \
        struct {                         \
            operator unsigned() const    \
            {                            \
                return emu_self->from.z; \
            }                            \
        } z;                             \
    } name __attribute__((unused)) = {{}, {}, {}}
EMU_BUILT_IN(threadIdx, index);
EMU_BUILT_IN(blockIdx, block->index);
EMU_BUILT_IN(blockDim, block->size);
EMU_BUILT_IN(gridDim, block->grid);
static const int warpSize __attribute__((unused)) = EMU_WARP;

/* The place of a call, as the default value of a last parameter. */
#define EMU_SITE(what)                                                 \
    emu_site                                                           \
    {                                                                  \
        what, __builtin_FILE(), __builtin_FUNCTION(), __builtin_LINE() \
    }
#define EMU_FN static inline

/* Threads of a block and of a warp. */
EMU_FN void __syncthreads(emu_site site = EMU_SITE("__syncthreads"))
{
    emu_sync(site);
}
EMU_FN void __syncwarp(unsigned mask = ~0u, emu_site site = EMU_SITE("__syncwarp"))
{
    (void)mask;
    emu_sync_warp(site);
}
EMU_FN int emu_lane(void)
{
    return (int)(emu_self->index.x % EMU_WARP);
}
template <class T> EMU_FN T emu_shuffle_any(T value, int from, emu_site site)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = emu_shuffle(bits, from, site);
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <class T>
EMU_FN T __shfl_sync(unsigned, T value, int from, int width = EMU_WARP, emu_site site = EMU_SITE("__shfl_sync"))
{
    return emu_shuffle_any(value, (emu_lane() & ~(width - 1)) | (from & (width - 1)), site);
}
template <class T>
EMU_FN T __shfl_xor_sync(unsigned, T value, int with, int width = EMU_WARP, emu_site site = EMU_SITE("__shfl_xor_sync"))
{
    int from = emu_lane() ^ with;
    return emu_shuffle_any(value, (from & ~(width - 1)) > (emu_lane() & ~(width - 1)) ? emu_lane() : from, site);
}
template <class T>
EMU_FN T __shfl_down_sync(unsigned, T value, int by, int width = EMU_WARP, emu_site site = EMU_SITE("__shfl_down_sync"))
{
    int inside = (emu_lane() & (width - 1)) + by < width;
    return emu_shuffle_any(value, inside ? emu_lane() + by : emu_lane(), site);
}
template <class T>
EMU_FN T __shfl_up_sync(unsigned, T value, int by, int width = EMU_WARP, emu_site site = EMU_SITE("__shfl_up_sync"))
{
    int inside = (emu_lane() & (width - 1)) >= by;
    return emu_shuffle_any(value, inside ? emu_lane() - by : emu_lane(), site);
}
EMU_FN unsigned __ballot_sync(unsigned, int condition, emu_site site = EMU_SITE("__ballot_sync"))
{
    return emu_ballot(condition, site);
}
EMU_FN int __any_sync(unsigned, int condition, emu_site site = EMU_SITE("__any_sync"))
{
    return emu_ballot(condition, site) != 0;
}
EMU_FN unsigned __reduce_max_sync(unsigned, unsigned value, emu_site site = EMU_SITE("__reduce_max_sync"))
{
    return emu_warp_max(value, site);
}
EMU_FN int __all_sync(unsigned, int condition, emu_site site = EMU_SITE("__all_sync"))
{
    return emu_ballot(!condition, site) == 0;
}

/* One thread runs at a time, so memory is sequentially consistent. */
EMU_FN void __threadfence(void)
{
}
EMU_FN void __threadfence_block(void)
{
}
EMU_FN void __nanosleep(unsigned, emu_site site = EMU_SITE("__nanosleep"))
{
    emu_pause(site);
}
EMU_FN int atomicAdd(int *counter, int more, emu_site site = EMU_SITE("atomicAdd"))
{
    return emu_fetch_add(counter, more, site);
}
EMU_FN int atomicMax(int *word, int value, emu_site site = EMU_SITE("atomicMax"))
{
    return emu_fetch_max(word, value, site);
}
template <class T> EMU_FN T __ldg(const T *p)
{
    return *p;
}
template <class T> EMU_FN T __ldcg(const T *p)
{
    return *p;
}
template <class T> EMU_FN T __ldcs(const T *p)
{
    return *p;
}
template <class T> EMU_FN void __stcs(T *p, T value)
{
    *p = value;
}
template <class T> EMU_FN void __stcg(T *p, T value)
{
    *p = value;
}

/* Arithmetic, compiled with -ffp-contract=off, so that each operation is rounded separately. */
EMU_FN double __dadd_rn(double a, double b)
{
    return a + b;
}
EMU_FN double __dsub_rn(double a, double b)
{
    return a - b;
}
EMU_FN double __dmul_rn(double a, double b)
{
    return a * b;
}
EMU_FN double __ddiv_rn(double a, double b)
{
    return a / b;
}
EMU_FN double __drcp_rn(double a)
{
    return 1.0 / a;
}
EMU_FN double __dsqrt_rn(double a)
{
    return __builtin_sqrt(a);
}
EMU_FN double __fma_rn(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
EMU_FN float __fmaf_rn(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
EMU_FN long long __double_as_longlong(double a)
{
    long long bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
EMU_FN double __longlong_as_double(long long bits)
{
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
EMU_FN int __float_as_int(float a)
{
    int bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
EMU_FN float __int_as_float(int bits)
{
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
}
EMU_FN int __double2hiint(double a)
{
    return (int)(__double_as_longlong(a) >> 32);
}
EMU_FN int __double2loint(double a)
{
    return (int)__double_as_longlong(a);
}
EMU_FN double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)((uint64_t)(uint32_t)high << 32 | (uint32_t)low));
}
EMU_FN int __clz(int a)
{
    return a ? __builtin_clz((unsigned)a) : 32;
}
EMU_FN int __ffs(int a)
{
    return __builtin_ffs(a);
}
EMU_FN int __popc(unsigned a)
{
    return __builtin_popcount(a);
}

struct double2 {
    double x, y;
} __align__(16);
EMU_FN double2 make_double2(double x, double y)
{
    return double2{x, y};
}
struct int2 {
    int x, y;
} __align__(8);
EMU_FN int2 make_int2(int x, int y)
{
    return int2{x, y};
}
template <class T> EMU_FN T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T> EMU_FN T max(T a, T b)
{
    return a < b ? b : a;
}

/* Kernels: the type tells how to call one with arguments passed as pointers. */
template <class... A, size_t... I>
EMU_FN void emu_call_unpacked(void (*kernel)(A...), void **arguments, std::index_sequence<I...>)
{
    (void)arguments;
    kernel(*static_cast<std::remove_const_t<A> *>(arguments[I])...);
}
template <class... A> void emu_call(const void *kernel, void **arguments)
{
    emu_call_unpacked(reinterpret_cast<void (*)(A...)>(const_cast<void *>(kernel)), arguments,
                      std::index_sequence_for<A...>{});
}
template <class... A> EMU_FN const void *emu_kernel(void (*kernel)(A...))
{
    static const size_t sizes[] = {sizeof(A)..., 0};
    return emu_know_kernel(reinterpret_cast<const void *>(kernel), emu_call<A...>, sizes);
}

template <class... A>
EMU_FN cudaError_t cudaLaunchKernel(void (*kernel)(A...), dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                    cudaStream_t stream = nullptr)
{
    return cudaLaunchKernel(emu_kernel(kernel), grid, block, arguments, shared, stream);
}
template <class... A, class... B>
EMU_FN cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(A...), B &&...given)
{
    return [&](A... values) {
        void *arguments[] = {const_cast<void *>(static_cast<const void *>(&values))..., nullptr};
        return cudaLaunchKernelExC(config, emu_kernel(kernel), arguments);
    }(std::forward<B>(given)...);
}
template <class... A>
EMU_FN cudaError_t cudaFuncSetAttribute(void (*kernel)(A...), enum cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(emu_kernel(kernel), attribute, value);
}
template <class... A> EMU_FN cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, void (*kernel)(A...))
{
    return cudaFuncGetAttributes(attributes, emu_kernel(kernel));
}
template <class... A>
EMU_FN cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*kernel)(A...), const cudaLaunchConfig_t *config)
{
    return cudaOccupancyMaxActiveClusters(clusters, emu_kernel(kernel), config);
}
template <class... A>
EMU_FN cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(A...), int threads,
                                                                 size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, emu_kernel(kernel), threads, shared);
}

#endif
