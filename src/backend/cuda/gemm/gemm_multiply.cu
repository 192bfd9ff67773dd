/* gemm_multiply.cu - products of matrices of bytes modulo small numbers, see gpu.h. It does not depend on precision and kind, and is compiled
 * once.
 *
 * A block computes a tile of {GEMM_TILE_X} x {GEMM_TILE_Y} entries. Rows arrive in shared memory in steps of 128 bytes, some steps
 * ahead; 16 bytes of a row that are wanted together lie at different banks because their place is exchanged by the number of the row,
 * which is also how the tensor cores of capability 9.0 expect them. There two groups of four warps multiply 64 rows of X each with all
 * rows of Y, from shared memory; elsewhere each warp has 64 x 64 entries. The sums of a thread are the same ones in both cases but for
 * this division: rows lane / 4 and 8 below it, columns 2 (lane % 4) and the next one of each 16 x 8. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

enum {
    STAGE = (GEMM_TILE_X + GEMM_TILE_Y) * GEMM_STEP, /* bytes */
    SUMS = GEMM_TILE_X * GEMM_TILE_Y / GEMM_THREADS,
    OUT_ROW = GEMM_TILE_Y + 16, /* bytes of a row of results in shared memory */
    SHARED = GEMM_STAGES * STAGE + 1024
};

/* The place of 16 bytes, number `chunk`, of a row. */
GPU_FN int place(int row, int chunk)
{
    return row * GEMM_STEP + ((chunk ^ (row & 7)) << 4);
}

GPU_FN void load(const gemm_bytes_job &job, char *to, const int8_t *x, const int8_t *y, int step)
{
    const int thread = gpu_thread();
    if (step < job.length / GEMM_STEP)
        _Pragma("unroll") for (int k = 0; k < (GEMM_TILE_X + GEMM_TILE_Y) * 8 / GEMM_THREADS; k++)
        {
            const int at = k * GEMM_THREADS + thread, row = at >> 3, chunk = at & 7;
            const int8_t *from = k * GEMM_THREADS < GEMM_TILE_X * 8 ? x + (int64_t)row * job.ld
                                                                    : y + (int64_t)(row - GEMM_TILE_X) * job.ld;
            gpu_copy_16(to + place(row, chunk), from + (int64_t)step * GEMM_STEP + chunk * 16);
        }
    gpu_copies_commit();
}

#if GPU_HAS_GROUPS
/* The steps whose products may still be running when those of the next one are queued, 0 or 1: a step may be overwritten so much
 * later. */
enum { STILL_RUNNING = 0, AHEAD = GEMM_STAGES - 1 - STILL_RUNNING };
/* Products of groups of warps do not see what this thread has copied before this. */
GPU_FN void show_copies(void)
{
    gpu_send_ready();
}
/* One step: the sums of a group of warps, 64 x 256. */
GPU_FN void multiply(int32_t *sum, const char *stage)
{
    const char *x = stage + gpu_thread() / 128 * 64 * GEMM_STEP, *y = stage + GEMM_TILE_X * GEMM_STEP;
    gpu_group_begin(sum);
    _Pragma("unroll") for (int k = 0; k < GEMM_STEP / 32; k++) gpu_group_multiply(sum, x + 32 * k, y + 32 * k);
    gpu_group_end(sum, STILL_RUNNING);
}
GPU_FN void finish(int32_t *sum)
{
    gpu_group_end(sum, 0);
}
/* Row and column of sum number s of this thread. */
GPU_FN int row_of(int s)
{
    return gpu_thread() / 32 * 16 + gpu_thread() % 32 / 4 + s % 4 / 2 * 8;
}
GPU_FN int column_of(int s)
{
    return s / 4 * 8 + gpu_thread() % 4 * 2 + s % 2;
}
#else
enum { AHEAD = GEMM_STAGES - 1 };
GPU_FN void show_copies(void)
{
}
GPU_FN void finish(int32_t *)
{
}
GPU_FN void multiply(int32_t *sum, const char *stage)
{
    const int lane = gpu_thread() % 32, warp = gpu_thread() / 32;
    const char *x = stage, *y = stage + GEMM_TILE_X * GEMM_STEP;
    const int x_row = warp / 4 * 64 + lane % 16, y_row = warp % 4 * 64 + (lane & 7) + (lane >> 4) * 8;
    _Pragma("unroll") for (int k = 0; k < GEMM_STEP / 32; k++)
    {
        uint32_t a[4][4];
        _Pragma("unroll") for (int i = 0; i < 4; i++)
            gpu_load_bytes(a[i], x + place(x_row + 16 * i, 2 * k + lane / 16));
        _Pragma("unroll") for (int j = 0; j < 4; j++)
        {
            uint32_t b[4];
            gpu_load_bytes(b, y + place(y_row + 16 * j, 2 * k + (lane >> 3 & 1)));
            _Pragma("unroll") for (int i = 0; i < 4; i++)
            {
                gpu_multiply_bytes(sum + (i * 8 + 2 * j) * 4, a[i], b);
                gpu_multiply_bytes(sum + (i * 8 + 2 * j + 1) * 4, a[i], b + 2);
            }
        }
    }
}
GPU_FN int row_of(int s)
{
    return gpu_thread() / 128 * 64 + s / 32 * 16 + gpu_thread() % 32 / 4 + s % 4 / 2 * 8;
}
GPU_FN int column_of(int s)
{
    return gpu_thread() / 32 % 4 * 64 + s / 4 % 8 * 8 + gpu_thread() % 4 * 2 + s % 2;
}
#endif

/* A sum modulo m, between -m/2 and m/2: the quotient is at most one too large or too small, because 2^32 / m is known to 1/2 and the sum
 * is below 2^30. Of 128 modulo 256 the byte is -128. */
GPU_FN int8_t residue(int32_t sum, int32_t m, int64_t inverse)
{
    const int32_t q = (int32_t)((sum * inverse + (INT64_C(1) << 31)) >> 32);
    int32_t r = sum - q * m;
    r = 2 * r > m ? r - m : r;
    r = 2 * r < -m ? r + m : r;
    return (int8_t)r;
}

static __global__ void __launch_bounds__(GEMM_THREADS, 1) gemm_bytes(const __grid_constant__ gemm_bytes_job job)
{
    char *shared = (char *)(((uintptr_t)gpu_shared() + 1023) / 1024 * 1024);
    const int tile = gpu_block(), plane = gpu_block_y();
    const int64_t first_x = (int64_t)(tile % job.x_tiles) * GEMM_TILE_X,
                  first_y = (int64_t)(tile / job.x_tiles) * GEMM_TILE_Y;
    const int8_t *x = job.x + plane * job.x_next + first_x * job.ld;
    const int8_t *y = job.y + plane * job.y_next + first_y * job.ld;
    int32_t sum[SUMS];
    _Pragma("unroll") for (int s = 0; s < SUMS; s++) sum[s] = 0;
    for (int step = 0; step < AHEAD; step++)
        load(job, shared + step * STAGE, x, y, step);
    GPU_ROLLED
    for (int step = 0; step < job.length / GEMM_STEP; step++) {
        gpu_copies_wait(AHEAD - 1);
        show_copies();
        gpu_sync(); /* this step has arrived, and the one that is overwritten has been read by all */
        load(job, shared + (step + AHEAD) % GEMM_STAGES * STAGE, x, y, step + AHEAD);
        multiply(sum, shared + step % GEMM_STAGES * STAGE);
    }
    finish(sum);
    gpu_copies_wait(0);
    gpu_sync();
    if (job.checks && plane == job.planes - 1) {
        _Pragma("unroll") for (int s = 0; s < SUMS; s++)
        {
            const int row = row_of(s), column = column_of(s);
            const int32_t xt = job.x_terms[first_x + row], yt = job.y_terms[first_y + column];
            const int32_t rounded = job.x_rounded[first_x + row] + job.y_rounded[first_y + column];
            const int64_t least = (int64_t)(xt < yt ? xt : yt) * rounded * job.limit;
            const bool large =
                rounded >= GEMM_SPECIAL || job.x_size[first_x + row] + job.y_size[first_y + column] > GEMM_MOST_SIZE;
            shared[row * OUT_ROW + column] = (char)(sum[s] < least || large);
        }
    } else {
        const int32_t m = job.modulus[plane / job.planes_per_modulus];
        const int64_t inverse = job.inverse[plane / job.planes_per_modulus];
        _Pragma("unroll") for (int s = 0; s < SUMS; s += 2)
        {
            const uint32_t low = (uint8_t)residue(sum[s], m, inverse), high = (uint8_t)residue(sum[s + 1], m, inverse);
            *(uint16_t *)(shared + row_of(s) * OUT_ROW + column_of(s)) = (uint16_t)(low | high << 8);
        }
    }
    gpu_sync();
    int8_t *out = job.out + plane * job.out_next + first_x * job.out_ld + first_y;
    for (int k = gpu_thread(); k < GEMM_TILE_X * GEMM_TILE_Y / 16; k += GEMM_THREADS) {
        const int row = k / (GEMM_TILE_Y / 16), chunk = k % (GEMM_TILE_Y / 16);
        const double *from = (const double *)(shared + row * OUT_ROW + chunk * 16);
        double *to = (double *)(out + row * job.out_ld + chunk * 16);
        to[0] = from[0], to[1] = from[1];
    }
}

extern "C" plumb_status plumb_cuda_gemm_bytes(const gemm_bytes_job *given, void *stream, char *message,
                                              size_t message_size)
{
    gemm_bytes_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error =
        cudaFuncSetAttribute((const void *)gemm_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    if (error == cudaSuccess)
        error = cudaLaunchKernel((const void *)gemm_bytes,
                                 dim3((unsigned)(job.x_tiles * job.y_tiles), (unsigned)job.planes), dim3(GEMM_THREADS),
                                 arguments, SHARED, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a product of residues failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
