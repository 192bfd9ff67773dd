/* gram_factor.cu - what belongs to a factor of the Gram matrix in dd: systems with one right-hand side. See gram.h.
 *
 * A system takes one launch per block of unknowns: every block of threads finds the unknowns, by the inverse of the diagonal block, and takes
 * their terms away from some of the rows that are left. */
#include <stdio.h>

#include "backend/cuda/lsq/gram/gram.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum { PLANES = PLUMB_LIMBS * PLUMB_PARTS, SHARE = GRAM_THREADS / TRIANGLE_BLOCK /* threads of an unknown */ };

/* Unit matrices in the place of the inverses, which systems then replace. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_units)(const __grid_constant__ gram_job job)
{
    double *to = job.inverse + (int64_t)gpu_block() * PLANES * TRIANGLE_BLOCK * TRIANGLE_BLOCK;
    for (int k = gpu_thread(); k < PLANES * TRIANGLE_BLOCK * TRIANGLE_BLOCK; k += GRAM_THREADS)
        to[k] = k < TRIANGLE_BLOCK * TRIANGLE_BLOCK && k % TRIANGLE_BLOCK == k / TRIANGLE_BLOCK ? 1.0 : 0.0;
}

/* The sum over the threads that share a row. */
GPU_FN num sum_of_some(num x)
{
    LANE_UNROLL
    for (int with = SHARE / 2; with > 0; with /= 2) {
        double limb[PLANES];
        num_store(limb, 1, x, 1);
        LANE_UNROLL
        for (int c = 0; c < PLANES; c++)
            limb[c] = gpu_shuffle_xor(limb[c], with);
        x = num_add(x, num_load(limb, 1, 1));
    }
    return x;
}

static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_solve)(const __grid_constant__ gram_job job)
{
    double *found = gpu_shared(),
           *given = found + TRIANGLE_BLOCK * PLANES; /* plane c of unknown i: found[i*PLANES + c] */
    const int64_t n = job.cols, first = (int64_t)job.block * TRIANGLE_BLOCK;
    const int count = n - first < TRIANGLE_BLOCK ? (int)(n - first) : TRIANGLE_BLOCK;
    const double *inverse = job.inverse + (int64_t)job.block * PLANES * TRIANGLE_BLOCK * TRIANGLE_BLOCK;
    const num zero = num_acc_value(num_acc_zero());
    if (gpu_thread() < TRIANGLE_BLOCK)
        num_store(given + gpu_thread() * PLANES, 1,
                  gpu_thread() < count ? num_load(job.from + first + gpu_thread(), n, 1) : zero, 1);
    gpu_sync();
    const int own = gpu_thread() / SHARE, share = gpu_thread() % SHARE;
    num_acc sum = num_acc_zero();
    LANE_UNROLL
    for (int e = 0; e < TRIANGLE_BLOCK / SHARE; e++) {
        const int l = e * SHARE + share;
        const num d_l = num_load(inverse + (job.backwards ? l * TRIANGLE_BLOCK + own : own * TRIANGLE_BLOCK + l),
                                 TRIANGLE_BLOCK * TRIANGLE_BLOCK, 1);
        sum = num_acc_add(sum, job.backwards ? d_l : num_conj(d_l), num_load(given + l * PLANES, 1, 1));
    }
    const num x = sum_of_some(num_acc_value(sum));
    if (share == 0 && own < count) {
        num_store(found + own * PLANES, 1, x, 1);
        if (gpu_block() == 0)
            num_store(job.to + first + own, n, x, 1);
    }
    gpu_sync();
    /* Forwards the rows below, backwards those above. */
    const int64_t rows = job.backwards ? first : n - first - count;
    const int64_t r = (int64_t)gpu_block() * GRAM_THREADS + gpu_thread();
    if (r >= rows)
        return;
    const int64_t row = job.backwards ? r : first + count + r;
    num_acc s = num_acc_of(num_load(job.from + row, n, 1));
#pragma unroll 8
    for (int i = 0; i < count; i++) {
        const num l = job.backwards ? num_load(job.factor + (first + i) * n + row, n * n, 1)
                                    : num_conj(num_load(job.factor + row * n + first + i, n * n, 1));
        s = num_acc_sub(s, l, num_load(found + i * PLANES, 1, 1));
    }
    num_store(job.from + row, n, num_acc_value(s), 1);
}

static plumb_status launch(const void *kernel, int64_t blocks, size_t shared, const gram_job *given, void *stream,
                           char *message, size_t message_size)
{
    gram_job job = *given;
    void *arguments[] = {&job};
    const cudaError_t error =
        cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(GRAM_THREADS), arguments, shared, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a refinement failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_units)(const gram_job *job, void *stream, char *message, size_t size)
{
    return launch((const void *)NUM_NAME(gram_units), (job->cols + TRIANGLE_BLOCK - 1) / TRIANGLE_BLOCK, 0, job, stream,
                  message, size);
}

/* The unknowns of one block. */
extern "C" plumb_status NUM_NAME(plumb_cuda_gram_solve)(const gram_job *job, void *stream, char *message, size_t size)
{
    const int64_t first = (int64_t)job->block * TRIANGLE_BLOCK;
    const int64_t rows = job->backwards ? first : job->cols - first - TRIANGLE_BLOCK;
    const int64_t blocks = rows > 0 ? (rows + GRAM_THREADS - 1) / GRAM_THREADS : 1;
    return launch((const void *)NUM_NAME(gram_solve), blocks, 2 * TRIANGLE_BLOCK * PLANES * sizeof(double), job, stream,
                  message, size);
}
