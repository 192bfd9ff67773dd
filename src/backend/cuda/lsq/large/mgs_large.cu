/* mgs_large.cu - modified Gram-Schmidt of large matrices: panels of columns are factored by a cluster or by the
 * kernels of mgs_flow.cu, and are removed from the columns behind them by matrix products on the tensor cores
 * (pieces.h).
 *
 * Removing the columns a_0 .. a_p of a panel from a_j one after the other gives c_i = a_i^H (a_j - sum of c_l a_l, l
 * < i) / s_i. That is c_i = (a_i^H a_j - sum of (a_i^H a_l) c_l, l < i) / s_i: all products with the original a_j
 * come first, and the a_i^H a_l, which are small because the columns of the panel are nearly orthogonal, correct
 * them. This is therefore still modified Gram-Schmidt; without this correction it would be the classical one.
 *
 * Sums over the rows are divided into parts, which are added in order, so the bits depend on the shape alone. */
#include "backend/cuda/lsq/block.h"
#include "backend/cuda/lsq/large/panel.h"
#include "backend/cuda/lsq/large/pieces.h"
#include "backend/cuda/lsq/plan.h"

enum {
    TEAMS = 8 * PARTS / HALVES, /* warps per block */
    THREADS = TEAMS * GPU_WARP,
    FEW_TEAMS = 4, /* warps of a block for coefficients */
    SUM_THREADS = 256,
    BLOCKS = LIMBS < 4 ? 2 : 1 /* blocks per multiprocessor */
};

/* A panel of columns first .. first + width - 1, and the division of its products. */
typedef struct panel {
    int32_t first, width;
    int32_t parts, part_rows; /* of the sums over rows; parts * part_rows >= rows */
    double *
        products; /* a_i^H a_j of part t: plane q at [((problem * parts + t) * planes + q) * all * WIDTH + j * WIDTH + i] */
} panel;

GPU_FN double *product_at(const panel *p, const mgs_gpu_job *job, int64_t problem, int part, int j)
{
    return p->products + ((problem * p->parts + part) * NUM_PLANES * job->all + j) * WIDTH;
}

GPU_FN int column_exponent(const mgs_gpu_job *job, const panel *p, int64_t problem, int j)
{
    if (j >= job->all)
        return 0;
    if (j < p->first + p->width)
        return exponent_of((int)*large_beside(job, problem, j));
    return p->first == 0 ? 0 : exponent_of(*large_size(job, problem, j)); /* at first all entries are below 1 */
}

/* Factors the panel, with one cluster per problem. */
static __global__ void __launch_bounds__(LARGE_PANEL_TEAMS *GPU_WARP, 1)
    NUM_NAME(mgs_large_panel)(const __grid_constant__ mgs_gpu_job job, const __grid_constant__ panel p)
{
#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
    if (LIMBS == 1)
        panel_run(&job, p.first, p.width);
#endif
}

/* Computes a_i^H a_j for the columns i of the panel and all j from its first on; one block per tile of columns and
 * part of the rows. */
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    NUM_NAME(mgs_large_products)(const __grid_constant__ mgs_gpu_job job, const __grid_constant__ panel p)
{
    const int64_t problem = gpu_block_y();
    const int part = gpu_block() % p.parts, j0 = p.first + gpu_block() / p.parts * WIDTH;
    const int begin = part * p.part_rows, end = begin + p.part_rows < job.rows ? begin + p.part_rows : job.rows;
    const double *w = job.w + problem * job.w_step;
    double *left = gpu_shared(), *right = left + FACTOR;
    int32_t *exponents = (int32_t *)(right + FACTOR); /* of the columns on the left, then of those on the right */
    if (gpu_thread() < 2 * WIDTH) {
        const int i = gpu_thread() % WIDTH, j = gpu_thread() < WIDTH ? p.first + i : j0 + i;
        exponents[gpu_thread()] = gpu_thread() < WIDTH && i >= p.width ? 0 : column_exponent(&job, &p, problem, j);
    }
    gpu_sync();
    level_sums s;
    level_sums_clear(&s);
#pragma unroll 1
    for (int row = begin; row < end; row += CHUNK) {
#pragma unroll 1
        for (int e = gpu_thread(); e < PARTS * 2 * WIDTH * CHUNK; e += THREADS) {
            const int k = e % CHUNK, at = e / CHUNK % (2 * WIDTH), i = at % WIDTH, on_left = at < WIDTH;
            const int j = on_left ? p.first + i : j0 + i;
            const int there = row + k < end && (on_left ? i < p.width : j < job.all);
            put_entry(left + (on_left ? 0 : FACTOR), e / (2 * WIDTH * CHUNK), i, k,
                      w + (int64_t)(there ? j : 0) * job.rows + row + k, job.w_plane, power_of(-exponents[at]), there);
        }
        gpu_sync();
        if (warp_row() < p.width && warp_column() < job.all - j0)
            multiply<true>(&s, left, right);
        gpu_sync();
    }
    const int i = warp_row() + gpu_thread() % GPU_WARP / 4, at = warp_column() + gpu_thread() % 4 * 2;
    const int64_t plane = (int64_t)job.all * WIDTH;
    double *to = product_at(&p, &job, problem, part, j0 + at) + warp_part() * LIMBS * plane + i;
    LANE_UNROLL
    for (int r = 0; r < 4 * HALVES; r++) {
        const int down = r / 2 % 2 * 8, right_by = r / 4 * 8 + r % 2;
        if (j0 + at + right_by < job.all)
            real_store(to + right_by * WIDTH + down, plane,
                       level_value(&s, r, power_of(exponents[i + down]), power_of(exponents[WIDTH + at + right_by])),
                       1);
    }
}

/* Adds the parts of the products, in place of the first part; one thread per product. */
static __global__ void __launch_bounds__(SUM_THREADS)
    NUM_NAME(mgs_large_sums)(const __grid_constant__ mgs_gpu_job job, const __grid_constant__ panel p)
{
    const int64_t problem = gpu_block_y(), plane = (int64_t)job.all * WIDTH;
    const int e = gpu_block() * SUM_THREADS + gpu_thread(), i = e % WIDTH, j = p.first + e / WIDTH;
    if (j >= job.all)
        return;
    double *to = product_at(&p, &job, problem, 0, j) + i;
    num sum = num_load(to, plane, 1);
    for (int t = 1; t < p.parts; t++)
        sum = num_add(sum, num_load(product_at(&p, &job, problem, t, j) + i, plane, 1));
    num_store(to, plane, sum, 1);
}

GPU_FN num product_sum(const panel *p, const mgs_gpu_job *job, int64_t problem, int i, int j)
{
    return num_load(product_at(p, job, problem, 0, j) + i, (int64_t)job->all * WIDTH, 1);
}

/* Computes the coefficients of the columns behind the panel; one warp per column, one lane per i. */
static __global__ void __launch_bounds__(FEW_TEAMS *GPU_WARP)
    NUM_NAME(mgs_large_coefficients)(const __grid_constant__ mgs_gpu_job job, const __grid_constant__ panel p)
{
    const int64_t problem = gpu_block_y();
    const int i = gpu_thread() % GPU_WARP, j = p.first + p.width + gpu_block() * FEW_TEAMS + gpu_thread() / GPU_WARP;
    double *inner = gpu_shared(), *c = job.c + problem * job.c_step; /* a_i^H a_l at l * WIDTH + i */
    for (int e = gpu_thread(); e < p.width * WIDTH; e += FEW_TEAMS * GPU_WARP)
        num_store(inner + e, WIDTH * WIDTH, product_sum(&p, &job, problem, e % WIDTH, p.first + e / WIDTH), 1);
    gpu_sync();
    if (j >= job.all) /* whole warps */
        return;
    if (i == 0) {
        int32_t *size = large_size(&job, problem, j);
        if (p.first == 0 && *size != 0) /* flow does not see right-hand sides */
            gpu_raise(large_outcome(&job, problem), MGS_NONFINITE);
        *size = 0;
    }
    gpu_sync_warp();
    real inverse = real_set(0.0);
    if (i < p.width) {
        const real s = real_load(job.s + problem * job.s_step + p.first + i, job.all, 1);
        if (real_head(s) > large_beside(&job, problem, p.first + i)[1])
            inverse = real_inv(s);
    }
    num_acc rest = num_acc_of(product_sum(&p, &job, problem, i, j));
    num own = num_acc_value(rest);
    for (int l = 0; l < p.width; l++) {
        if (i == l)
            own = num_mul_real(num_acc_value(rest), inverse);
        const num known = num_of_lane(own, l);
        if (i > l)
            rest = num_acc_sub(rest, num_load(inner + l * WIDTH + i, WIDTH * WIDTH, 1), known);
    }
    if (i < p.width)
        num_store(c + (int64_t)j * job.cols + p.first + i, job.c_plane, own, 1);
}

/* The high word of a number without its sign. */
GPU_FN int real_size(real a)
{
    return gpu_high_word(real_head(a)) & 0x7fffffff;
}

/* a_j -= c_ij a_i for all columns j behind the panel; one block per tile of rows and columns. */
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    NUM_NAME(mgs_large_remove)(const __grid_constant__ mgs_gpu_job job, const __grid_constant__ panel p)
{
    const int64_t problem = gpu_block_y();
    const int row_tiles = (job.rows + WIDTH - 1) / WIDTH, row0 = gpu_block() % row_tiles * WIDTH;
    const int j0 = p.first + p.width + gpu_block() / row_tiles * WIDTH;
    double *w = job.w + problem * job.w_step;
    const double *c = job.c + problem * job.c_step + p.first;
    double *left = gpu_shared(), *right = left + FACTOR;
    int32_t *exponents = (int32_t *)(right + FACTOR); /* of the columns of the panel, then of the coefficients */
    const int lane = gpu_thread() % GPU_WARP;
    for (int at = gpu_thread() / GPU_WARP; at < WIDTH && LIMBS > 1; at += TEAMS) {
        const int own = lane < p.width ? column_exponent(&job, &p, problem, p.first + lane) : 0;
        int size = 0; /* high word of the product of column i and its coefficient, not negative */
        if (lane < p.width && j0 + at < job.all) {
            const double *from = c + (int64_t)(j0 + at) * job.cols + lane;
            size = gpu_high_word(from[0]) & 0x7fffffff;
            const int imaginary = gpu_high_word(from[(PARTS - 1) * LIMBS * job.c_plane]) & 0x7fffffff;
            size = (size > imaginary ? size : imaginary) + own * (1 << 20);
            size = size < 0 ? 0 : size;
        }
        size = gpu_max(size);
        if (at == 0)
            exponents[lane] = own;
        if (lane == 0)
            exponents[WIDTH + at] = exponent_of(size);
    }
    gpu_sync();
    level_sums s;
    level_sums_clear(&s);
#pragma unroll 1
    for (int i0 = 0; i0 < WIDTH; i0 += CHUNK) {
#pragma unroll 1
        for (int e = gpu_thread(); e < PARTS * WIDTH * CHUNK; e += THREADS) {
            const int m = e % WIDTH, k = e / WIDTH % CHUNK, there = row0 + m < job.rows && i0 + k < p.width;
            const double *from = w + (there ? (int64_t)(p.first + i0 + k) * job.rows + row0 + m : 0);
            put_entry(left, e / (WIDTH * CHUNK), m, k, from, job.w_plane,
                      LIMBS == 1 ? 1.0 : power_of(-exponents[i0 + k]), there);
        }
#pragma unroll 1
        for (int e = gpu_thread(); e < PARTS * WIDTH * CHUNK; e += THREADS) {
            const int k = e % CHUNK, at = e / CHUNK % WIDTH, there = i0 + k < p.width && j0 + at < job.all;
            const double *from = c + (there ? (int64_t)(j0 + at) * job.cols + i0 + k : 0);
            int e2 = LIMBS == 1 ? 0 : exponents[i0 + k] - exponents[WIDTH + at];
            e2 = e2 < -1000 ? -1000 : e2 > 1000 ? 1000 : e2;
            put_entry(right, e / (WIDTH * CHUNK), at, k, from, job.c_plane, power_of(e2), there);
        }
        gpu_sync();
        if (warp_row() < job.rows - row0 && warp_column() < job.all - j0)
            multiply<false>(&s, left, right);
        gpu_sync();
    }
    const int g = lane / 4, t = lane % 4;
    int size[2 * HALVES] = {0};
    LANE_UNROLL
    for (int r = 0; r < 4 * HALVES; r++) {
        const int row = row0 + warp_row() + g + r / 2 % 2 * 8, at = warp_column() + r / 4 * 8 + 2 * t + r % 2;
        if (row >= job.rows || j0 + at >= job.all)
            continue;
        double *to = w + warp_part() * LIMBS * job.w_plane + (int64_t)(j0 + at) * job.rows + row;
        const real gone = level_value(&s, r, LIMBS == 1 ? 1.0 : power_of(exponents[WIDTH + at]), 1.0);
        const real rest = real_sub(real_load(to, job.w_plane, 1), gone);
        real_store(to, job.w_plane, rest, 1);
        const int own = real_size(rest), column = r / 4 * 2 + r % 2;
        size[column] = own > size[column] ? own : size[column];
    }
    gpu_sync_warp();
    LANE_UNROLL
    for (int r = 0; r < 2 * HALVES && LIMBS > 1; r++) {
        const int j = j0 + warp_column() + r / 2 * 8 + 2 * t + r % 2;
        LANE_UNROLL
        for (int with = 4; with < GPU_WARP; with *= 2) {
            const int other = gpu_shuffle_xor_int(size[r], with);
            size[r] = other > size[r] ? other : size[r];
        }
        if (g == 0 && j < job.all)
            gpu_raise(large_size(&job, problem, j), size[r]);
    }
}

/* The number of parts that finishes soonest with the blocks that the device runs at a time. The order of additions depends on
 * it: like the choice of kernels it is the same in every run on one kind of GPU. */
static void cut_rows(panel *p, const mgs_gpu_job *job, const mgs_plan *plan)
{
    const int at_a_time = plan->multiprocessors * BLOCKS, tiles = (job->all - p->first + WIDTH - 1) / WIDTH;
    int64_t best = INT64_MAX;
    for (int parts = 1; parts <= LARGE_PARTS; parts++) {
        const int rows = ((job->rows + parts - 1) / parts + CHUNK - 1) / CHUNK * CHUNK;
        const int64_t turns = (tiles * (int64_t)((job->rows + rows - 1) / rows) + at_a_time - 1) / at_a_time;
        const int64_t took = turns * (rows / CHUNK + 1); /* the end of a part takes about as long as a chunk */
        if (rows <= LARGE_PART_ROWS(LIMBS) && took < best)
            best = took, p->part_rows = rows;
    }
    p->parts = (job->rows + p->part_rows - 1) / p->part_rows;
}

static plumb_status launch_large(const void *kernel, int64_t blocks, int threads, size_t doubles,
                                 const mgs_gpu_job *job, const panel *p, void *stream, char *message,
                                 size_t message_size)
{
    mgs_gpu_job job_value = *job;
    panel panel_value = *p;
    void *arguments[] = {&job_value, &panel_value};
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)(doubles * 8));
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, dim3((unsigned)blocks, (unsigned)job->batch), dim3((unsigned)threads),
                                 arguments, doubles * 8, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of large least squares failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* Removes a panel from the columns behind it. */
static plumb_status take_out(panel *p, const mgs_gpu_job *job, const mgs_plan *plan, void *stream, char *message,
                             size_t message_size)
{
    const int64_t behind = job->all - p->first - p->width, tiles = (behind + p->width + WIDTH - 1) / WIDTH;
    const int64_t rows = (job->rows + WIDTH - 1) / WIDTH;
    const size_t factors = LARGE_SHARED(LIMBS, PARTS);
    cut_rows(p, job, plan);
    plumb_status status = launch_large((const void *)NUM_NAME(mgs_large_products), tiles * p->parts, THREADS, factors,
                                       job, p, stream, message, message_size);
    if (status == PLUMB_OK && p->parts > 1)
        status = launch_large((const void *)NUM_NAME(mgs_large_sums),
                              ((behind + p->width) * WIDTH + SUM_THREADS - 1) / SUM_THREADS, SUM_THREADS, 0, job, p,
                              stream, message, message_size);
    if (status == PLUMB_OK)
        status = launch_large((const void *)NUM_NAME(mgs_large_coefficients), (behind + FEW_TEAMS - 1) / FEW_TEAMS,
                              FEW_TEAMS * GPU_WARP, (size_t)NUM_PLANES * WIDTH * WIDTH, job, p, stream, message,
                              message_size);
    if (status == PLUMB_OK)
        status = launch_large((const void *)NUM_NAME(mgs_large_remove), (behind + WIDTH - 1) / WIDTH * rows, THREADS,
                              factors, job, p, stream, message, message_size);
    return status;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_load)(const mgs_gpu_job *job, void *stream, char *message,
                                                      size_t message_size);
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_squares)(const mgs_gpu_job *job, void *stream, char *message,
                                                         size_t message_size);
extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_begin)(const mgs_gpu_job *job, const mgs_plan *plan, int count,
                                                           void *stream);
extern "C" cudaError_t NUM_NAME(plumb_cuda_mgs_flow_end)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream);

/* Factors a panel by a cluster, or by flow if there are no clusters. */
static cudaError_t launch_panel(const mgs_gpu_job *job, const panel *p, const mgs_plan *plan, void *stream)
{
    if (plan->cluster < 2)
        return NUM_NAME(plumb_cuda_mgs_flow_begin)(job, plan, p->width, stream);
    const size_t bytes = (size_t)LARGE_PANEL_SHARED(LIMBS, PARTS, job->rows, plan->cluster) * 8;
    const void *kernel = (const void *)NUM_NAME(mgs_large_panel);
    mgs_gpu_job job_value = *job;
    panel panel_value = *p;
    void *arguments[] = {&job_value, &panel_value};
    cudaLaunchAttribute attribute[1];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(job->batch * plan->cluster));
    config.blockDim = dim3(LARGE_PANEL_TEAMS * GPU_WARP);
    config.dynamicSmemBytes = bytes;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = (unsigned)plan->cluster;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return error == cudaSuccess ? cudaLaunchKernelExC(&config, kernel, arguments) : error;
}

static plumb_status flow_status(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a panel failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_large)(const mgs_gpu_job *given, const mgs_plan *plan, void *stream,
                                                       char *message, size_t message_size)
{
    mgs_gpu_job job = *given;
    panel p = {};
    p.products = job.products;
    job.loaded = 1;
    /* The words beside the columns are marked as not written yet. */
    plumb_status status =
        flow_status(cudaMemsetAsync(job.w, 0xff, (size_t)job.batch * (size_t)job.w_step * 8, (cudaStream_t)stream),
                    message, message_size);
    if (status == PLUMB_OK)
        status = NUM_NAME(plumb_cuda_mgs_load)(&job, stream, message, message_size);
    for (; job.first < job.cols && status == PLUMB_OK; job.first += p.width) {
        p.first = job.first;
        p.width = job.cols - job.first < WIDTH ? job.cols - job.first : WIDTH;
        status = flow_status(launch_panel(&job, &p, plan, stream), message, message_size);
        if (status == PLUMB_OK && p.first + p.width < job.all)
            status = take_out(&p, &job, plan, stream, message, message_size);
    }
    if (status == PLUMB_OK)
        status = NUM_NAME(plumb_cuda_mgs_squares)(&job, stream, message, message_size);
    if (status == PLUMB_OK)
        status = flow_status(NUM_NAME(plumb_cuda_mgs_flow_end)(&job, plan, stream), message, message_size);
    return status;
}
