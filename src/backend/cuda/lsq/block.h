/* block.h - common parts of mgs_columns.cu and mgs_finish.cu: sums over the threads of a block, powers of two, and
 * launches. Compiled once for each precision and kind, like arith/number.h.
 *
 * Sums use a fixed tree, so the same input gives the same bits. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_BLOCK_H
#define PLUMB_BACKEND_CUDA_LSQ_BLOCK_H

#include <cuda_runtime_api.h>
#include <stdio.h>

#include "backend/cuda/runtime/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"
#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/outcome.h"

/* The number of doubles of a number, and of a number with a real one, which a warp passes on in a sum. */
enum { NUM_PLANES = PLUMB_PARTS * PLUMB_LIMBS, SUM_PLANES = NUM_PLANES + PLUMB_LIMBS };

/* The number of doubles of shared memory that the functions below need in a block of this many threads. */
#define BLOCK_SHARED(threads) ((threads) / 32 * SUM_PLANES + SUM_PLANES)

GPU_FN real real_from_other(real a, int with)
{
    double limb[PLUMB_LIMBS];
    real_store(limb, 1, a, 1);
    LANE_UNROLL
    for (int c = 0; c < PLUMB_LIMBS; c++)
        limb[c] = gpu_shuffle_xor(limb[c], with);
    return real_load(limb, 1, 1);
}

GPU_FN num num_from_other(num a, int with)
{
#if PLUMB_PARTS == 2
    return cplx_make(real_from_other(a.re, with), real_from_other(a.im, with));
#else
    return real_from_other(a, with);
#endif
}

/* s + |a|^2 */
GPU_FN real_acc acc_add_square(real_acc s, num a)
{
#if PLUMB_PARTS == 2
    return real_acc_add(real_acc_add(s, a.re, a.re), a.im, a.im);
#else
    return real_acc_add(s, a, a);
#endif
}

/* Sums square and dot over the block; the results are valid in thread 0 only. */
GPU_FN void block_sums(real *square, num *dot, int with_dot, double *shared)
{
    const int warp = gpu_thread() / GPU_WARP, warps = gpu_threads() / GPU_WARP;
    for (int with = GPU_WARP / 2; with > 0; with /= 2) {
        *square = real_add(*square, real_from_other(*square, with));
        if (with_dot)
            *dot = num_add(*dot, num_from_other(*dot, with));
    }
    if (gpu_thread() % GPU_WARP == 0) {
        real_store(shared + warp * SUM_PLANES, 1, *square, 1);
        num_store(shared + warp * SUM_PLANES + PLUMB_LIMBS, 1, *dot, 1);
    }
    gpu_sync();
    for (int w = 1; w < warps && gpu_thread() == 0; w++) {
        *square = real_add(*square, real_load(shared + w * SUM_PLANES, 1, 1));
        if (with_dot)
            *dot = num_add(*dot, num_load(shared + w * SUM_PLANES + PLUMB_LIMBS, 1, 1));
    }
}

/* The maximum over the block, in every thread; no value is NaN. */
GPU_FN double block_largest(double a, double *shared)
{
    const int warps = gpu_threads() / GPU_WARP;
    for (int with = GPU_WARP / 2; with > 0; with /= 2) {
        double other = gpu_shuffle_xor(a, with);
        a = other > a ? other : a;
    }
    gpu_sync();
    if (gpu_thread() % GPU_WARP == 0)
        shared[gpu_thread() / GPU_WARP] = a;
    gpu_sync();
    for (int w = 0; w < warps; w++)
        a = shared[w] > a ? shared[w] : a;
    return a;
}

/* The sum over the block, in every thread. */
GPU_FN double block_sum(double a, double *shared)
{
    const int warps = gpu_threads() / GPU_WARP;
    for (int with = GPU_WARP / 2; with > 0; with /= 2)
        a = lane_add(a, gpu_shuffle_xor(a, with));
    gpu_sync();
    if (gpu_thread() % GPU_WARP == 0)
        shared[gpu_thread() / GPU_WARP] = a;
    gpu_sync();
    a = 0.0;
    for (int w = 0; w < warps; w++)
        a = lane_add(a, shared[w]);
    return a;
}

GPU_FN int block_any(int condition, double *shared)
{
    return block_largest(condition ? 1.0 : 0.0, shared) > 0.0;
}

/* x 2^e, also for powers beyond the range of a double: three factors on the same side of 1, as in base/number/scale.h. */
typedef struct gpu_power {
    double factor[3];
} gpu_power;

GPU_FN gpu_power gpu_power_of_two(int e)
{
    const int most = 3000;
    e = e > most ? most : e < -most ? -most : e;
    const int third = e / 3, half = (e - third) / 2;
    gpu_power power;
    power.factor[0] = gpu_of_high_word((third + 1023) << 20);
    power.factor[1] = gpu_of_high_word((half + 1023) << 20);
    power.factor[2] = gpu_of_high_word((e - third - half + 1023) << 20);
    return power;
}

GPU_FN double gpu_scale(double a, gpu_power power)
{
    return lane_mul(lane_mul(lane_mul(a, power.factor[0]), power.factor[1]), power.factor[2]);
}

/* The exponent of frexp for a >= 0: a 2^-e is in [1/2, 1); 0 for zero. */
GPU_FN int gpu_exponent(double a)
{
    if (a == 0.0)
        return 0;
    int more = 0;
    if (a < 0x1p-1022) {
        a = lane_mul(a, 0x1p54);
        more = -54;
    }
    return ((gpu_high_word(a) >> 20) & 2047) - 1022 + more;
}

/* Copies a number from one array to another, times a power of two. Returns 1 if a part of it is out of range. */
GPU_FN int put_scaled(const double *limb, int planes, double *to, int64_t plane, int e)
{
    const gpu_power power = gpu_power_of_two(e);
    int bad = 0;
    for (int c = 0; c < planes; c++) {
        double value = gpu_scale(limb[c], power);
        bad |= !lane_is_finite(value);
        to[c * plane] = value;
    }
    return bad;
}

/* Launches blocks of `threads` threads; arguments as for cudaLaunchKernel. */
static inline plumb_status launch(const char *what, const void *kernel, int64_t blocks, int threads, size_t shared,
                                  void **arguments, void *stream, char *message, size_t message_size)
{
    cudaError_t error = cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, shared,
                                         (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of %s failed: %s", what, cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

#endif
