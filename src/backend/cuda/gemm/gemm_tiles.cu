/* gemm_tiles.cu - products of matrices by sums in their own precision, with the operations and the order of the CPU (method/gemm/gemm.h), and so
 * with its bits.
 *
 * A block computes a square tile of C. Its threads bring the rows and columns that it needs to shared memory, some terms at a time, while
 * they work on those before; each thread has EACH x EACH entries, EDGE apart. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"
#include "method/gemm/gemm.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum {
    EDGE = 16, /* threads of a side */
    THREADS = EDGE * EDGE,
    EACH = PLUMB_LIMBS * PLUMB_PARTS == 1   ? 4
           : PLUMB_LIMBS * PLUMB_PARTS == 8 ? 1
                                            : 2,
    TILE = EDGE * EACH,
    PLANES = PLUMB_LIMBS * PLUMB_PARTS,
    DEPTH = PLANES >= 4 ? 8 : 16, /* terms in shared memory at one time, twice */
    ROW = TILE + 1,               /* doubles of a term of a plane there */
    BLOCK_TERMS = PLUMB_LIMBS == 1 ? GEMM_TERMS_D : GEMM_TERMS
};
static_assert(BLOCK_TERMS % DEPTH == 0, "a block of terms ends with what is in shared memory");

/* Plane c of term l of row r: to[(c*DEPTH + l)*ROW + r]. */
GPU_FN void bring(double *to, const double *from, int64_t row, int64_t term, int64_t plane, int64_t rows, int64_t terms)
{
    for (int k = gpu_thread(); k < TILE * DEPTH; k += THREADS) {
        /* Neighbouring threads read neighbouring doubles. */
        const int r = row == 1 ? k % TILE : k / DEPTH, l = row == 1 ? k / TILE : k % DEPTH;
        for (int c = 0; c < PLANES; c++) {
            double *place = to + (c * DEPTH + l) * ROW + r;
            if (r < rows && l < terms)
                gpu_copy(place, from + r * row + l * term + c * plane);
            else
                *place = 0.0;
        }
    }
}

/* A number in shared memory, or its conjugate. */
GPU_FN num take(const double *from, bool conjugate)
{
#if PLUMB_PARTS == 2
    if (conjugate) {
        double limb[PLANES];
        LANE_UNROLL
        for (int c = 0; c < PLANES; c++)
            limb[c] = c >= PLUMB_LIMBS ? -1.0 * from[c * DEPTH * ROW] : from[c * DEPTH * ROW];
        return num_load(limb, 1, 1);
    }
#endif
    (void)conjugate;
    return num_load(from, DEPTH * ROW, 1);
}

/* Terms l and the following ones, before `last`, of the rows and columns of a tile. */
GPU_FN void bring_both(const gemm_tiles_job &job, double *to, const double *a, const double *b, int64_t l, int64_t rows,
                       int64_t cols, int64_t last)
{
    bring(to, a + l * job.a_col, job.a_row, job.a_col, job.a_plane, rows, last - l);
    bring(to + PLANES * DEPTH * ROW, b + l * job.b_row, job.b_col, job.b_row, job.b_plane, cols, last - l);
}

static __global__ void __launch_bounds__(THREADS, 2) NUM_NAME(gemm_tiles)(const __grid_constant__ gemm_tiles_job job)
{
    enum { STAGE = 2 * PLANES * DEPTH * ROW }; /* rows, then columns; there are two stages */
    const int64_t tiles_down = (job.rows + TILE - 1) / TILE;
    const int64_t first_i = gpu_block() % tiles_down * TILE, first_j = gpu_block() / tiles_down * TILE;
    const int64_t rows = job.rows - first_i, cols = job.cols - first_j;
    const int at_i = gpu_thread() % EDGE, at_j = gpu_thread() / EDGE;
    double *c = job.c + gpu_block_y() * job.c_next + first_j * job.c_col + first_i;
    uint32_t wanted = 0; /* a bit for each entry */
    LANE_UNROLL
    for (int e = 0; e < EACH * EACH; e++) {
        const int i = at_i + e % EACH * EDGE, j = at_j + e / EACH * EDGE;
        wanted |= (uint32_t)(i < rows && j < cols && (!job.only || job.only[(first_j + j) * job.only_ld + first_i + i]))
                  << e;
    }
    if (job.only) { /* most tiles have nothing to do */
        gpu_shared()[gpu_thread()] = wanted != 0;
        gpu_sync();
        bool some = false;
        for (int k = 0; k < THREADS; k++)
            some |= gpu_shared()[k] != 0.0;
        gpu_sync();
        if (!some)
            return;
    }
    const double *a = job.a + gpu_block_y() * job.a_next + first_i * job.a_row;
    const double *b = job.b + gpu_block_y() * job.b_next + first_j * job.b_col;
    bool fresh = job.fresh, has_beta = job.has_beta;
    for (int64_t first = 0; first < job.terms; first += BLOCK_TERMS) {
        const int64_t last = job.terms - first < BLOCK_TERMS ? job.terms : first + BLOCK_TERMS;
        num_acc sum[EACH * EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH * EACH; e++)
            sum[e] = num_acc_zero();
        int stage = 0;
        gpu_sync(); /* the last block of terms has been read */
        bring_both(job, gpu_shared(), a, b, first, rows, cols, last);
        for (int64_t l = first; l < last; l += DEPTH, stage ^= 1) {
            const double *shared_a = gpu_shared() + stage * STAGE, *shared_b = shared_a + PLANES * DEPTH * ROW;
            gpu_copies_done();
            gpu_sync(); /* these terms are there, and those before have been read */
            if (l + DEPTH < last)
                bring_both(job, gpu_shared() + (stage ^ 1) * STAGE, a, b, l + DEPTH, rows, cols, last);
            const int depth = last - l < DEPTH ? (int)(last - l) : DEPTH;
            GPU_ROLLED
            for (int k = 0; k < depth; k++) {
                num x[EACH], y[EACH];
                LANE_UNROLL
                for (int e = 0; e < EACH; e++) {
                    x[e] = take(shared_a + k * ROW + at_i + e * EDGE, job.a_conjugate);
                    y[e] = take(shared_b + k * ROW + at_j + e * EDGE, job.b_conjugate);
                }
                LANE_UNROLL
                for (int e = 0; e < EACH * EACH; e++)
                    sum[e] = num_acc_add(sum[e], x[e % EACH], y[e / EACH]);
            }
        }
        LANE_UNROLL
        for (int e = 0; e < EACH * EACH; e++)
            if (wanted >> e & 1) {
                double *to = c + (at_j + e / EACH * EDGE) * job.c_col + at_i + e % EACH * EDGE;
                num s = num_acc_value(sum[e]);
                if (job.has_alpha)
                    s = num_mul(num_load(job.alpha, 1, 1), s);
                if (!fresh) {
                    num old = num_load(to, job.c_plane, 1);
                    if (has_beta)
                        old = num_mul(num_load(job.beta, 1, 1), old);
                    s = num_add(old, s);
                }
                num_store(to, job.c_plane, s, 1);
            }
        fresh = has_beta = false; /* from now on C is the sum so far */
    }
    if (job.terms == 0)
        LANE_UNROLL
    for (int e = 0; e < EACH * EACH; e++)
        if (wanted >> e & 1) {
            double *to = c + (at_j + e / EACH * EDGE) * job.c_col + at_i + e % EACH * EDGE;
            if (fresh)
                num_store(to, job.c_plane, num_acc_value(num_acc_zero()), 1);
            else if (has_beta)
                num_store(to, job.c_plane, num_mul(num_load(job.beta, 1, 1), num_load(to, job.c_plane, 1)), 1);
        }
}

/* `batch` matrices, at most 65535. */
extern "C" plumb_status NUM_NAME(plumb_cuda_gemm_tiles)(const gemm_tiles_job *given, int64_t batch, void *stream,
                                                        char *message, size_t message_size)
{
    enum { SHARED = 4 * PLANES * DEPTH * ROW * sizeof(double) };
    static_assert((int)SHARED <= 48 << 10 && (int)SHARED >= THREADS * (int)sizeof(double), "shared memory");
    gemm_tiles_job job = *given;
    void *arguments[] = {&job};
    const int64_t tiles = (job.rows + TILE - 1) / TILE * ((job.cols + TILE - 1) / TILE);
    cudaError_t error = tiles > INT32_MAX ? cudaErrorInvalidValue : cudaSuccess;
    if (error == cudaSuccess)
        error = cudaLaunchKernel((const void *)NUM_NAME(gemm_tiles), dim3((unsigned)tiles, (unsigned)batch),
                                 dim3(THREADS), arguments, SHARED, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a product failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
