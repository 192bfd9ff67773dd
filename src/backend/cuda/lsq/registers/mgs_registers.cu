/* mgs_registers.cu - least squares for a small system with its columns in registers: one block per problem, or a
 * cluster of blocks.
 *
 * For a small system, sending columns to other multiprocessors costs more than a cluster saves; then one block has
 * all columns. LANES threads of a warp are a group and share a column, ROWS rows each, with both parts of a number in
 * one thread. Thread l of a warp is in group l % groups, so that threads that read the same row of the pivot are
 * neighbours (except where inner products are products of matrices, see steps.h). A thread has a part of COLUMNS
 * columns. Columns are dealt out one each to `turn` warps, again and again until these have all of theirs, then to
 * the next `turn` warps: while a warp finishes its work after its column has become a pivot, another warp already has
 * the next column; and early warps are done early, which counts where there are many problems.
 *
 * Invariant: a finished column (a pivot) goes to its own place in shared memory, and a barrier there announces it.
 * Warps wait only for the warp that has the next column. If there are fewer places than columns, all warps
 * synchronise before places are reused.
 *
 * Few threads per column mean few levels of sums over them. The square norm of the pivot is summed by every group
 * beside its own products; where both halves of a warp have the same column, in double double (group.h), by that warp after
 * the column has gone, and its inverse follows (apart). One pivot or two per step: steps.h. Back substitution and results: ends.h.
 *
 * For many problems what counts is how many instructions a problem takes, and how many problems share a multiprocessor. Then a
 * thread has up to four columns, a problem has as few warps as its registers fill, one if possible, and the right-hand sides are
 * in shared memory (sides.h).
 *
 * In a cluster, the columns of `turn` warps of a block come after those of as many warps of the block before. One
 * more warp per block is its courier, the warp that carries columns: it waits for each finished column of the block
 * and copies it to the others, so that the warp that made it can go on. Coefficients, square norms and exponents go
 * to one block, the keeper: coefficients when a warp has done its work, or at once where x is found along with the columns; then
 * the keeper is the last block and has no columns (follow.h), otherwise it is block 0. In d, where x is found along with the
 * columns, the keeper is the block of the right-hand side, and gets the coefficients of two columns when these are
 * published (rows.h). A single block of up to 16 columns finds x along with them, too (single.h).
 *
 * One system in double double with 33 to 64 unknowns and one right-hand side has no keeper: coefficients, square norms and exponents
 * go to global memory, where coefficients announce themselves to another kernel that runs at the same time and finds x by
 * rows of the inverse (panel/inverse.h). */
#include "backend/cuda/lsq/column.h"
#include "backend/cuda/lsq/launch.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/registers/registers.h"
#include "backend/cuda/runtime/launch.h"

#if PLUMB_PARTS == 2 && PLUMB_LIMBS < 4

#include "backend/cuda/lsq/registers/in_registers.h"

#define REGISTERS_KERNELS REAL_JOIN(REGISTERS_KERNELS_, PLUMB_LIMBS)

#define REGISTERS_NAME(lanes, rows, columns, cluster, together) \
    registers_##lanes##_##rows##_##columns##_##cluster##_##together
#define REGISTERS_KERNEL(lanes, rows, columns, threads, cluster, together, blocks, beside)                             \
    static __global__ void __launch_bounds__(threads, blocks) REGISTERS_NAME(lanes, rows, columns, cluster, together)( \
        const __grid_constant__ mgs_gpu_job job, const registers_shape shape)                                          \
    {                                                                                                                  \
        if constexpr (!cluster || GPU_HAS_CLUSTERS) {                                                                  \
            in_registers<lanes, rows, columns, threads, cluster, together, blocks, beside, false> work;                \
            work.run(&job, &shape);                                                                                    \
        }                                                                                                              \
    }
REGISTERS_KERNELS(REGISTERS_KERNEL)

/* x along with the columns: by rows in d, by another kernel in dd. */
#define REGISTERS_ALONG_NAME(lanes, rows, columns, cluster, together) \
    registers_##lanes##_##rows##_##columns##_##cluster##_##together##_along
/* In d registers may be as many as threads leave; otherwise the compiler sometimes takes fewer than it needs. */
#define REGISTERS_ALONG_MOST(threads) (threads < REGISTERS_ALONG_THREADS ? threads : REGISTERS_ALONG_THREADS)
#if PLUMB_LIMBS == 1
#define REGISTERS_ALONG_BOUNDS(threads) REGISTERS_ALONG_MOST(threads), 1
#else
#define REGISTERS_ALONG_BOUNDS(threads) REGISTERS_ALONG_MOST(threads)
#endif
#define REGISTERS_ALONG_KERNEL(lanes, rows, columns, threads, cluster, together)                                       \
    static __global__ void __launch_bounds__(REGISTERS_ALONG_BOUNDS(threads)) REGISTERS_ALONG_NAME(                    \
        lanes, rows, columns, cluster, together)(const __grid_constant__ mgs_gpu_job job, const registers_shape shape) \
    {                                                                                                                  \
        if constexpr (!cluster || GPU_HAS_CLUSTERS) {                                                                  \
            in_registers<lanes, rows, columns, threads, cluster, together, 1, false, true> work;                       \
            work.run(&job, &shape);                                                                                    \
        }                                                                                                              \
    }
#define REGISTERS_ALONG REAL_JOIN(REGISTERS_ALONG_, PLUMB_LIMBS)
REGISTERS_ALONG(REGISTERS_ALONG_KERNEL)

static const struct registers_entry {
    int32_t lanes, rows, columns, together;
    bool cluster, along;
    const void *kernel;
} entries[] = {
#define REGISTERS_ENTRY(lanes, rows, columns, threads, cluster, together, blocks, beside) \
    {lanes,                                                                               \
     rows,                                                                                \
     columns,                                                                             \
     together,                                                                            \
     cluster != 0,                                                                        \
     false,                                                                               \
     (const void *)REGISTERS_NAME(lanes, rows, columns, cluster, together)},
#define REGISTERS_ALONG_ENTRY(lanes, rows, columns, threads, cluster, together) \
    {lanes,                                                                     \
     rows,                                                                      \
     columns,                                                                   \
     together,                                                                  \
     cluster != 0,                                                              \
     true,                                                                      \
     (const void *)REGISTERS_ALONG_NAME(lanes, rows, columns, cluster, together)},
    REGISTERS_KERNELS(REGISTERS_ENTRY) REGISTERS_ALONG(REGISTERS_ALONG_ENTRY)};

#if PLUMB_LIMBS == 2
#if __CUDA_ARCH__ >= 800 || defined(PLUMB_EMULATED_GPU)
#define REGISTERS_INVERT                                     \
    inverse_rows<REGISTERS_CHUNKS, INVERSE_ROWS, true> work; \
    work.run(&job)
#else
#define REGISTERS_INVERT
#endif
static __global__ void __launch_bounds__(INVERSE_THREADS(REGISTERS_CHUNKS, INVERSE_ROWS), 1)
    registers_inverse(const __grid_constant__ mgs_gpu_job job)
{
    REGISTERS_INVERT;
}

/* Launches a kernel whose coefficients go to another one at the same time, which finds x: all blocks have columns then. */
static cudaError_t start_inverting(const mgs_gpu_job *job, const mgs_plan *plan, const void *kernel, void *stream)
{
    const size_t shared = (size_t)INVERSE_ROOM(PLUMB_LIMBS, REGISTERS_CHUNKS) * 8;
    const unsigned blocks = (unsigned)((job->cols + INVERSE_ROWS - 1) / INVERSE_ROWS);
    const int32_t cluster = REGISTERS_ASIDE_BLOCKS(job->all, plan->cluster, plan->turn),
                  warps = REGISTERS_ASIDE_WARPS(job->all, cluster, plan->turn);
    registers_shape shape = {cluster, plan->turn, plan->slots, warps, 0};
    mgs_gpu_job columns = *job, rows = *job;
    mgs_plan wide = *plan;
    void *of_columns[] = {&columns, &shape}, *of_rows[] = {&rows};
    wide.threads = (warps + 1) * GPU_WARP;
    wide.cluster = cluster;
    rows.w = job->products;
    rows.w_plane = 0;
    rows.w_step = job->all * FLOW_WORDS(PLUMB_LIMBS) + job->cols * INVERSE_WORDS(PLUMB_LIMBS);
    cudaError_t error = mgs_launch(kernel, &wide, job->batch, of_columns, stream);
    if (error == cudaSuccess)
        error = gpu_launch((const void *)registers_inverse, dim3(blocks, (unsigned)job->batch),
                           INVERSE_THREADS(REGISTERS_CHUNKS, INVERSE_ROWS), shared, plan->early, of_rows, stream);
    return error;
}
#else
static cudaError_t start_inverting(const mgs_gpu_job *, const mgs_plan *, const void *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}
#endif

static cudaError_t start(const mgs_gpu_job *job, const mgs_plan *plan, void *stream)
{
    registers_shape shape = {plan->cluster, plan->turn, plan->slots, plan->warps, plan->along};
    mgs_gpu_job value = *job;
    void *arguments[] = {&value, &shape};
    const bool along = PLUMB_LIMBS == 1 ? plan->along : registers_inverts(job, plan);
    cudaError_t error = mgs_prepare(entries);
    for (const registers_entry &e : entries)
        if (error == cudaSuccess && e.lanes == plan->team && e.rows == plan->share && e.columns == plan->columns &&
            e.together == plan->together && e.cluster == (plan->cluster > 1) && e.along == along)
            return PLUMB_LIMBS == 2 && along ? start_inverting(job, plan, e.kernel, stream)
                                             : mgs_launch(e.kernel, plan, job->batch, arguments, stream);
    return error == cudaSuccess ? cudaErrorInvalidDeviceFunction : error;
}

#if PLUMB_LIMBS == 1
/* For the planner: how many clusters of this many blocks run at a time, each block with all shared memory of a multiprocessor, by
 * the occupancy of one of these kernels; 0 where the device cannot have such clusters. */
extern "C" int plumb_cuda_mgs_clusters_cplx_d(int blocks)
{
    int device = 0, shared = 0, count = 0;
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaError_t error = mgs_prepare(entries);
    if (error == cudaSuccess)
        error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3(2 * GPU_WARP);
    config.dynamicSmemBytes = (size_t)shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (const registers_entry &e : entries)
        if (e.cluster) {
            if (error == cudaSuccess)
                error = cudaOccupancyMaxActiveClusters(&count, e.kernel, &config);
            break;
        }
    if (error != cudaSuccess) /* a size that the device cannot have */
        (void)cudaGetLastError();
    return error == cudaSuccess ? count : 0;
}
#endif

#else

static cudaError_t start(const mgs_gpu_job *, const mgs_plan *, void *)
{
    return cudaErrorInvalidDeviceFunction;
}

#endif

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_registers)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream,
                                                           char *message, size_t message_size)
{
    return mgs_say(start(job, plan, stream), message, message_size);
}
