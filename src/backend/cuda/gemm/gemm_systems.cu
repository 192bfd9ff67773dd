/* gemm_systems.cu - triangular systems of up to TRIANGLE_DEVICE unknowns in one launch, with the operations and the order of those that are halved
 * (backend/common/triangles.c, gemm_tiles.cu, gemm_triangle.cu), and so with their bits.
 *
 * A block of threads has some right-hand sides, each of them in a warp, and each thread has one of TRIANGLE_BLOCK unknowns at a time. The
 * terms of earlier unknowns are taken away in sums of as many terms as halving gives: TRIANGLE_BLOCK times the powers of two
 * of which the number of unknowns before consists, from the largest down. Blocks of T come to shared memory one ahead. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"
#include "method/gemm/gemm.h"
#include "method/gemm/triangle.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum {
    PLANES = PLUMB_LIMBS * PLUMB_PARTS,
    THREADS = 128,
    WARPS = THREADS / GPU_WARP,
    EACH = PLANES <= 2   ? 4
           : PLANES == 4 ? 2
                         : 1, /* right-hand sides of a warp */
    SIDES = WARPS * EACH,
    ROW = TRIANGLE_BLOCK + 1,
    BLOCK = PLANES * TRIANGLE_BLOCK * ROW, /* doubles of a block of T */
    SUM_BLOCKS = (PLUMB_LIMBS == 1 ? GEMM_TERMS_D : GEMM_TERMS) /
                 TRIANGLE_BLOCK, /* blocks of T whose terms are one sum at most */
    SHARED = 2 * BLOCK + SIDES * TRIANGLE_DEVICE * PLANES
};
static_assert((int)TRIANGLE_BLOCK == (int)GPU_WARP, "a thread of a warp for each unknown");

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

/* Begins to copy the block of the coefficients of unknowns from l0 on in the equations from j0 on: plane c of (l, j) to
 * to[(c*TRIANGLE_BLOCK + l)*ROW + j]. */
GPU_FN void bring(const gemm_triangle_job &job, double *to, const double *t, int l0, int j0)
{
    const int across = job.t_after == 1 || job.t_after == -1; /* neighbouring threads read neighbouring doubles */
    for (int k = gpu_thread(); k < TRIANGLE_BLOCK * TRIANGLE_BLOCK; k += THREADS) {
        const int one = k % TRIANGLE_BLOCK, other = k / TRIANGLE_BLOCK, l = across ? other : one,
                  j = across ? one : other;
        if (j0 + j < job.n && l0 + l < job.n && (l0 < j0 || l <= j))
            for (int c = 0; c < PLANES; c++)
                gpu_copy(to + (c * TRIANGLE_BLOCK + l) * ROW + j,
                         t + (l0 + l) * job.t_before + (j0 + j) * job.t_after + c * job.t_plane);
    }
}

/* A number of such a block, or its conjugate. */
GPU_FN num coefficient(const double *from, bool conjugate)
{
#if PLUMB_PARTS == 2
    if (conjugate) {
        double limb[PLANES];
        LANE_UNROLL
        for (int c = 0; c < PLANES; c++)
            limb[c] = c >= PLUMB_LIMBS ? -1.0 * from[c * TRIANGLE_BLOCK * ROW] : from[c * TRIANGLE_BLOCK * ROW];
        return num_load(limb, 1, 1);
    }
#endif
    (void)conjugate;
    return num_load(from, TRIANGLE_BLOCK * ROW, 1);
}

static __global__ void __launch_bounds__(THREADS)
    NUM_NAME(triangle_system)(const __grid_constant__ gemm_triangle_job job)
{
    double *blocks = gpu_shared(), *found = blocks + 2 * BLOCK;
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const double *t = job.t + gpu_block_y() * job.t_next;
    const int64_t first = ((int64_t)gpu_block() * WARPS + warp) * EACH;
    double *own =
        found + warp * EACH * TRIANGLE_DEVICE * PLANES; /* unknown j of side e: own[(e*TRIANGLE_DEVICE + j)*PLANES] */
    double *b = job.b + gpu_block_y() * job.b_next + first * job.other;
    const double minus[PLANES] = {-1.0};
    const num alpha = num_load(minus, 1, 1);
    const int count = (job.n + TRIANGLE_BLOCK - 1) / TRIANGLE_BLOCK;
    int stage = 0;
    bring(job, blocks, t, 0, 0);
    for (int j = 0; j < count; j++) {
        const int unknown = j * TRIANGLE_BLOCK + lane,
                  size = job.n - j * TRIANGLE_BLOCK < TRIANGLE_BLOCK ? job.n - j * TRIANGLE_BLOCK : (int)TRIANGLE_BLOCK;
        num value[EACH];
        num_acc sum[EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            value[e] = lane < size && first + e < job.sides
                           ? num_load(b + e * job.other + unknown * job.step, job.b_plane, 1)
                           : zero();
        int left = 0; /* blocks that still belong to the sum */
        for (int l = 0; l <= j; l++, stage ^= 1) {
            double *block = blocks + stage * BLOCK;
            gpu_copies_done();
            gpu_sync(); /* this block is there, and the one before has been read */
            if (l < j)
                bring(job, blocks + (stage ^ 1) * BLOCK, t, (l + 1) * TRIANGLE_BLOCK, j * TRIANGLE_BLOCK);
            else if (j + 1 < count)
                bring(job, blocks + (stage ^ 1) * BLOCK, t, 0, (j + 1) * TRIANGLE_BLOCK);
            if (l == j)
                break;
            if (left == 0) {
                for (left = 1; 2 * left <= j - l;) /* the next power of two of those that make up j */
                    left *= 2;
                left = left < SUM_BLOCKS ? left : (int)SUM_BLOCKS;
                LANE_UNROLL
                for (int e = 0; e < EACH; e++)
                    sum[e] = num_acc_zero();
            }
            GPU_ROLLED
            for (int k = 0; k < TRIANGLE_BLOCK; k++) {
                const num c = coefficient(block + k * ROW + lane, job.conjugate);
                LANE_UNROLL
                for (int e = 0; e < EACH; e++) {
                    const num x = num_load(own + (e * TRIANGLE_DEVICE + l * TRIANGLE_BLOCK + k) * PLANES, 1, 1);
                    sum[e] = job.right ? num_acc_add(sum[e], x, c) : num_acc_add(sum[e], c, x);
                }
            }
            if (--left == 0)
                LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                value[e] = num_add(value[e], num_mul(alpha, num_acc_value(sum[e])));
        }
        /* The diagonal block. */
        double *block = blocks + stage * BLOCK;
        stage ^= 1;
#if PLUMB_LIMBS > 1
        if (!job.unit && gpu_thread() < size) {
            double *one = block + lane * ROW + lane, limb[PLANES];
            num_store(limb, 1, num_inv(coefficient(one, job.conjugate)), 1);
            LANE_UNROLL
            for (int c = 0; c < PLANES; c++)
                one[c * TRIANGLE_BLOCK * ROW] = job.conjugate && c >= PLUMB_LIMBS ? -1.0 * limb[c] : limb[c];
        }
        gpu_sync();
#endif
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            sum[e] = num_acc_of(value[e]);
        double mine[EACH][PLANES] = {{0.0}};
        GPU_ROLLED
        for (int l = 0; l < size; l++) {
            const num by = job.unit ? zero() : coefficient(block + l * ROW + l, job.conjugate);
            const num c = coefficient(block + l * ROW + lane, job.conjugate);
            LANE_UNROLL
            for (int e = 0; e < EACH; e++) {
                num v = num_acc_value(sum[e]); /* of thread l it is the unknown */
                if (!job.unit)
                    v = over(v, by);
                double limb[PLANES];
                num_store(limb, 1, v, 1);
                LANE_UNROLL
                for (int q = 0; q < PLANES; q++) {
                    mine[e][q] = lane == l ? limb[q] : mine[e][q];
                    limb[q] = gpu_shuffle(limb[q], l);
                }
                if (lane > l && lane < size)
                    sum[e] = num_acc_sub(sum[e], num_load(limb, 1, 1), c);
            }
            gpu_sync_warp();
        }
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            if (lane < size) {
                LANE_UNROLL
                for (int q = 0; q < PLANES; q++)
                    own[(e * TRIANGLE_DEVICE + unknown) * PLANES + q] = mine[e][q];
                if (first + e < job.sides)
                    num_store(b + e * job.other + unknown * job.step, job.b_plane, num_load(mine[e], 1, 1), 1);
            }
        gpu_sync_warp();
    }
}

/* `batch` matrices, at most 65535; PLUMB_ERR_UNSUPPORTED where there is not enough shared memory. */
extern "C" plumb_status NUM_NAME(plumb_cuda_triangle_system)(const gemm_triangle_job *given, int64_t batch,
                                                             void *stream, char *message, size_t size)
{
    const void *kernel = (const void *)NUM_NAME(triangle_system);
    gemm_triangle_job job = *given;
    void *arguments[] = {&job};
    const dim3 grid((unsigned)((job.sides + SIDES - 1) / SIDES), (unsigned)batch);
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED * 8);
    if (error != cudaSuccess) { /* an older GPU */
        (void)cudaGetLastError();
        return PLUMB_ERR_UNSUPPORTED;
    }
    error = cudaLaunchKernel(kernel, grid, dim3(THREADS), arguments, (size_t)SHARED * 8, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, size, "launch of a triangular system failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
