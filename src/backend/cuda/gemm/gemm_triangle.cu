/* gemm_triangle.cu - blocks of triangular systems and Cholesky factors on a GPU, with the operations and the order of the CPU
 * (method/gemm/triangle.h), and so with its bits.
 *
 * In a system a thread has the sum of one unknown, and a warp all of a right-hand side: an unknown that has been found goes to the others by a
 * shuffle, and they subtract its terms at the same time. Of a factor a thread has some entries. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"
#include "method/gemm/triangle.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum {
    PLANES = PLUMB_LIMBS * PLUMB_PARTS,
    ENTRIES = TRIANGLE_BLOCK * (TRIANGLE_BLOCK + 1) / 2,
    SOLVE_THREADS = 128,
    SOLVE_WARPS = SOLVE_THREADS / GPU_WARP,
    FACTOR_THREADS = 192,
    EACH = (ENTRIES + FACTOR_THREADS - 1) / FACTOR_THREADS, /* entries of a thread */
    CLEAR_THREADS = 256
};
static_assert((int)TRIANGLE_BLOCK == (int)GPU_WARP, "a thread of a warp for each unknown");

GPU_FN int place(int l, int j)
{
    return (j * (j + 1) / 2 + l) * PLANES;
}

GPU_FN num zero(void)
{
    return num_acc_value(num_acc_zero());
}

/* A value divided by a number of the diagonal, or multiplied by its inverse. */
GPU_FN num over(num value, num by)
{
#if PLUMB_LIMBS == 1
    return num_div(value, by);
#else
    return num_mul(value, by);
#endif
}

static __global__ void __launch_bounds__(SOLVE_THREADS)
    NUM_NAME(triangle_solve)(const __grid_constant__ gemm_triangle_job job)
{
    double *t = gpu_shared();
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const double *from = job.t + gpu_block_y() * job.t_next;
    for (int k = gpu_thread(); k < TRIANGLE_BLOCK * TRIANGLE_BLOCK; k += SOLVE_THREADS) {
        const int l = k % TRIANGLE_BLOCK, j = k / TRIANGLE_BLOCK;
        if (l <= j && j < job.n)
            for (int c = 0; c < PLANES; c++) {
                const double x = from[l * job.t_before + j * job.t_after + c * job.t_plane];
                t[place(l, j) + c] = job.conjugate && c >= PLUMB_LIMBS ? -1.0 * x : x;
            }
    }
    gpu_sync();
#if PLUMB_LIMBS > 1
    if (!job.unit && gpu_thread() < job.n) {
        double *one = t + place(lane, lane);
        num_store(one, 1, num_inv(num_load(one, 1, 1)), 1);
    }
    gpu_sync();
#endif
    for (int64_t side = (int64_t)gpu_block() * SOLVE_WARPS + warp; side < job.sides;
         side += (int64_t)gpu_blocks() * SOLVE_WARPS) {
        double *x = job.b + gpu_block_y() * job.b_next + side * job.other + lane * job.step;
        const bool there = lane < job.n;
        num_acc s = num_acc_of(there ? num_load(x, job.b_plane, 1) : zero());
        double mine[PLANES];
        LANE_UNROLL
        for (int c = 0; c < PLANES; c++)
            mine[c] = 0.0;
#pragma unroll 4
        for (int l = 0; l < job.n; l++) {
            num v = num_acc_value(s); /* of thread l it is the unknown */
            if (!job.unit)
                v = over(v, num_load(t + place(l, l), 1, 1));
            double found[PLANES];
            num_store(found, 1, v, 1);
            LANE_UNROLL
            for (int c = 0; c < PLANES; c++) {
                mine[c] = lane == l ? found[c] : mine[c];
                found[c] = gpu_shuffle(found[c], l);
            }
            if (lane > l && there)
                s = num_acc_sub(s, num_load(found, 1, 1), num_load(t + place(l, lane), 1, 1));
            gpu_sync_warp();
        }
        if (there)
            num_store(x, job.b_plane, num_load(mine, 1, 1), 1);
    }
}

/* The conjugate, as the CPU makes it. */
GPU_FN num turned(num x, bool really)
{
    double limb[PLANES];
    num_store(limb, 1, x, 1);
    LANE_UNROLL
    for (int c = PLUMB_LIMBS; c < PLANES; c++)
        limb[c] = really ? -1.0 * limb[c] : limb[c];
    return num_load(limb, 1, 1);
}

static __global__ void __launch_bounds__(FACTOR_THREADS)
    NUM_NAME(triangle_factor)(const __grid_constant__ gemm_factor_job job)
{
    double *column = gpu_shared(), *root = column + TRIANGLE_BLOCK * PLANES, *by = root + PLUMB_LIMBS;
    double *outcome = by + PLUMB_LIMBS;
    int64_t *info = job.info + gpu_block();
    if (job.first > 0 && *info != 0)
        return;
    double *a = job.a + gpu_block() * job.next;
    num_acc s[EACH];
    int row[EACH], col[EACH];
    LANE_UNROLL
    for (int e = 0; e < EACH; e++) {
        const int k = e * FACTOR_THREADS + gpu_thread();
        int i = 0;
        while ((i + 1) * (i + 2) / 2 <= k)
            i++;
        row[e] = i < job.n ? i : -1;
        col[e] = k - i * (i + 1) / 2;
        num x = row[e] >= 0 ? num_load(a + i * job.row + col[e] * job.col, job.plane, 1) : zero();
        s[e] = num_acc_of(turned(x, job.conjugate));
    }
    for (int k = 0; k < job.n; k++) {
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            if (row[e] == k && col[e] == k) { /* one thread */
                const real pivot = num_re(num_acc_value(s[e]));
                const double head = real_head(pivot);
                const real r = real_sqrt(pivot);
                real_store(root, 1, r, 1);
#if PLUMB_LIMBS > 1
                real_store(by, 1, real_inv(r), 1);
#else
                real_store(by, 1, r, 1);
#endif
                *outcome = !isfinite(head) ? -(double)PLUMB_ERR_NONFINITE
                           : head > 0.0    ? 0.0
                                           : (double)(job.first + k + 1);
            }
        gpu_sync();
        if (*outcome != 0.0) {
            if (gpu_thread() == 0)
                *info = (int64_t)*outcome;
            return;
        }
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            if (row[e] >= k && col[e] == k) {
                num v = num_acc_value(s[e]);
                const real with = real_load(row[e] == k ? root : by, 1, 1);
#if PLUMB_PARTS == 1
                v = row[e] == k ? with : over(v, with);
#elif PLUMB_LIMBS == 1
                v = row[e] == k ? cplx_make(with, real_set(0.0))
                                : cplx_make(real_div(v.re, with), real_div(v.im, with));
#else
                v = row[e] == k ? cplx_make(with, real_set(0.0)) : num_mul_real(v, with);
#endif
                num_store(column + row[e] * PLANES, 1, v, 1);
                num_store(a + row[e] * job.row + k * job.col, job.plane, turned(v, job.conjugate && row[e] != k), 1);
            }
        gpu_sync();
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            if (col[e] > k && row[e] >= 0)
                s[e] = num_acc_sub(s[e], num_load(column + row[e] * PLANES, 1, 1),
                                   num_conj(num_load(column + col[e] * PLANES, 1, 1)));
    }
    if (gpu_thread() == 0 && job.first == 0)
        *info = 0;
}

static __global__ void __launch_bounds__(CLEAR_THREADS)
    NUM_NAME(triangle_clear)(const __grid_constant__ gemm_clear_job job)
{
    const int64_t matrix = gpu_block_y(), j = gpu_block() % job.rows;
    const bool all = job.info[matrix] != 0;
    double *column = job.a + matrix * job.next + j * job.col + gpu_block() / job.rows * job.plane;
    const int64_t first = !all && job.upper ? j + 1 : 0, last = all || job.upper ? job.rows : j;
    for (int64_t i = first + gpu_thread(); i < last; i += CLEAR_THREADS)
        column[i] = 0.0;
}

static plumb_status said(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a triangular system failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* `batch` matrices, at most 65535. */
extern "C" plumb_status NUM_NAME(plumb_cuda_triangle_solve)(const gemm_triangle_job *given, int64_t batch, void *stream,
                                                            char *message, size_t size)
{
    enum { SHARED = ENTRIES * PLANES * sizeof(double), MOST_BLOCKS = 512 };
    static_assert((int)SHARED <= 48 << 10, "shared memory");
    gemm_triangle_job job = *given;
    void *arguments[] = {&job};
    const int64_t blocks = (job.sides + SOLVE_WARPS - 1) / SOLVE_WARPS;
    const dim3 grid(blocks < MOST_BLOCKS ? (unsigned)blocks : (unsigned)MOST_BLOCKS, (unsigned)batch);
    return said(cudaLaunchKernel((const void *)NUM_NAME(triangle_solve), grid, dim3(SOLVE_THREADS), arguments, SHARED,
                                 (cudaStream_t)stream),
                message, size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_triangle_factor)(const gemm_factor_job *given, int64_t batch, void *stream,
                                                             char *message, size_t size)
{
    enum { SHARED = (TRIANGLE_BLOCK * PLANES + 2 * PLUMB_LIMBS + 1) * sizeof(double) };
    gemm_factor_job job = *given;
    void *arguments[] = {&job};
    return said(cudaLaunchKernel((const void *)NUM_NAME(triangle_factor), dim3((unsigned)batch), dim3(FACTOR_THREADS),
                                 arguments, SHARED, (cudaStream_t)stream),
                message, size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_triangle_clear)(const gemm_clear_job *given, int64_t batch, void *stream,
                                                            char *message, size_t size)
{
    gemm_clear_job job = *given;
    void *arguments[] = {&job};
    const dim3 grid((unsigned)(job.rows * PLANES), (unsigned)batch);
    return said(cudaLaunchKernel((const void *)NUM_NAME(triangle_clear), grid, dim3(CLEAR_THREADS), arguments, 0,
                                 (cudaStream_t)stream),
                message, size);
}
