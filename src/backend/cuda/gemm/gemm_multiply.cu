/* gemm_multiply.cu - products of matrices of bytes modulo small numbers, see gpu.h. It does not depend on precision and kind, and is compiled
 * once.
 *
 * A block computes tiles of {GEMM_TILE_X} x {GEMM_TILE_Y} entries. Rows arrive in shared memory in steps of 128 bytes, some steps
 * ahead; 16 bytes of a row that are wanted together lie at different banks because their place is exchanged by the number of the row,
 * which is also how the tensor cores of capability 9.0 expect them.
 *
 * There (gemm_bytes_pairs) two groups of four warps multiply 64 rows of X each with all rows of Y from shared memory, which one more
 * thread fills by bulk copies. Two blocks have the same rows of Y: each of them brings half of these for both, because
 * what a multiprocessor can read from the second-level cache is less than what its tensor cores multiply. Blocks stay for many
 * tiles, so that the next one arrives while the last one is reduced. Elsewhere (gemm_bytes) each warp has 64 x 64 entries. */
#include <stdio.h>

#include "backend/cuda/gemm/gpu.h"
#ifdef PLUMB_GEMM_PAIRS
#include "backend/cuda/gemm/groups.h"
#endif
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

enum {
    STAGE = (GEMM_TILE_X + GEMM_TILE_Y) * GEMM_STEP, /* bytes: a part of X, two of Y */
    THREADS = 256,
    SUMS = GEMM_TILE_X * GEMM_TILE_Y / THREADS,
    OUT_ROW = GEMM_TILE_Y + 16, /* bytes of a row of results in shared memory */
    SHARED = GEMM_STAGES * STAGE + 1024
};

/* A sum modulo m: the nearest quotient, but for an error of 2^-9 because the sum is below 2^30 and 2^shift / m is known to 1/2. The
 * remainder fits a byte: for m = 255 it is at most 127.5 + 255/512, for m = 256 the quotient is exact, and of 128 the byte is -128. */
GPU_FN uint32_t residue(int32_t sum, int32_t m, int32_t inverse, int shift)
{
    const int64_t scaled = (int64_t)sum * inverse + (INT64_C(1) << (shift - 1));
    return (uint32_t)(sum - (int32_t)(scaled >> shift) * m);
}

/* What the plane that compares says of an entry, where this many bytes of the row of X and of the row of Y are not zero. */
GPU_FN uint32_t again(const gemm_bytes_job &job, int32_t sum, int64_t row, int64_t column)
{
    const int32_t xt = job.x_terms[row], yt = job.y_terms[column];
    const int32_t rounded = job.x_rounded[row] + job.y_rounded[column];
    const int64_t least = (int64_t)(xt < yt ? xt : yt) * rounded * job.limit;
    return sum < least || rounded >= GEMM_SPECIAL || job.x_size[row] + job.y_size[column] > GEMM_MOST_SIZE;
}

/* ---- Pairs of blocks, capability 9.0 ------------------------------------------------------------------------------ */

#ifdef PLUMB_GEMM_PAIRS
enum { PAIR_THREADS = THREADS + 128, PAIR_SHARED = SHARED + 2 * GEMM_STAGES * 8 };

#if GPU_HAS_GROUPS
/* Tile number q of a plane, for this block of the pair. The last tile of X may be there twice; then one of them is not stored. */
typedef struct pair_tile {
    int plane;
    int64_t x, y; /* the first rows */
    bool stored;
} pair_tile;

GPU_FN pair_tile tile_of(const gemm_bytes_job &job, int q, int rank)
{
    const int pairs = (job.x_tiles + 1) / 2, of_plane = pairs * job.y_tiles, in = q % of_plane;
    const int x = in % pairs * 2 + rank;
    pair_tile t;
    t.plane = q / of_plane;
    t.stored = x < job.x_tiles;
    t.x = (int64_t)(t.stored ? x : x - 1) * GEMM_TILE_X;
    t.y = (int64_t)(in / pairs) * GEMM_TILE_Y;
    return t;
}

/* One thread: brings the steps of all tiles. */
GPU_FN void bring_tiles(const gemm_bytes_job &job, char *shared, gpu_barrier *full, gpu_barrier *empty, int first,
                        int pairs, int count)
{
    const int rank = gpu_cluster_rank(), steps = job.length / GEMM_STEP;
    int slot = 0, round = 1;
    for (int q = first; q < count; q += pairs) {
        const pair_tile t = tile_of(job, q, rank);
        const int8_t *x = job.x + t.plane * job.x_next + t.x * job.ld;
        const int8_t *y = job.y + t.plane * job.y_next + (t.y + rank * GEMM_PART_ROWS) * job.ld;
        for (int step = 0; step < steps; step++) {
            char *stage = shared + slot * STAGE;
            gpu_barrier_sleep(empty + slot, round);
            gpu_barrier_expect(full + slot, STAGE);
            group_bring(stage, x + (int64_t)step * GEMM_PART, GEMM_PART, full + slot);
            group_bring_both(stage + (1 + rank) * GEMM_PART, y + (int64_t)step * GEMM_PART, GEMM_PART, full + slot);
            slot = slot + 1 == GEMM_STAGES ? 0 : slot + 1;
            round ^= slot == 0;
        }
    }
}

/* The sums of a group are 16 rows for each warp; a thread has two columns of every 8 x 8. Four threads exchange theirs, such that each has 8
 * columns of a row, and writes them. */
GPU_FN void write_bytes(uint2 *to, uint32_t v0, uint32_t v1, uint32_t v2, uint32_t v3)
{
    const int q = gpu_thread() & 3;
    const uint32_t low = gpu_pick_bytes(v0, v1, 0x5410), high = gpu_pick_bytes(v2, v3, 0x5410);
    const uint32_t other = (uint32_t)gpu_shuffle_xor_int((int)(q < 2 ? high : low), 2);
    const uint32_t a = q < 2 ? low : other, b = q < 2 ? other : high; /* of threads q & 1 and (q & 1) + 2 */
    const uint32_t even = gpu_pick_bytes(a, b, 0x5410), odd = gpu_pick_bytes(a, b, 0x7632);
    const uint32_t own = q & 1 ? odd : even, more = (uint32_t)gpu_shuffle_xor_int((int)(q & 1 ? even : odd), 1);
    const uint32_t one = q & 1 ? more : own, two = q & 1 ? own : more;
    if (to)
        *to = make_uint2(gpu_pick_bytes(one, two, 0x5410), gpu_pick_bytes(one, two, 0x7632));
}

template <bool CHECKS> GPU_FN void store(const gemm_bytes_job &job, const pair_tile &t, const int32_t *sum)
{
    const int thread = gpu_thread(), lane = thread % GPU_WARP;
    const int64_t x = t.x + thread / GPU_WARP * 16 + lane / 4;
    const int modulus = t.plane / job.planes_per_modulus;
    const int32_t m = job.modulus[modulus], inverse = job.inverse[modulus], shift = job.shift[modulus];
    int8_t *out = job.out + t.plane * job.out_next + x * job.out_ld + t.y;
    _Pragma("unroll") for (int h = 0; h < 2; h++)
    {
        _Pragma("unroll") for (int j = 0; j < GEMM_TILE_Y / 8; j += 4)
        {
            uint32_t v[4];
            _Pragma("unroll") for (int e = 0; e < 4; e++)
            {
                const int s = (j + e) * 4 + h * 2;
                const int64_t y = t.y + (j + e) * 8 + lane % 4 * 2;
                const uint32_t low = CHECKS ? again(job, sum[s], x + 8 * h, y) : residue(sum[s], m, inverse, shift);
                const uint32_t high =
                    CHECKS ? again(job, sum[s + 1], x + 8 * h, y + 1) : residue(sum[s + 1], m, inverse, shift);
                v[e] = gpu_pick_bytes(low, high, 0x0040);
            }
            int8_t *to = out + 8 * h * job.out_ld + (j + lane % 4) * 8;
            write_bytes(t.stored ? (uint2 *)to : NULL, v[0], v[1], v[2], v[3]);
        }
    }
}

/* Two groups of warps: multiply. */
template <bool CHECKS>
GPU_FN void multiply_tiles(const gemm_bytes_job &job, char *shared, gpu_barrier *full, gpu_barrier *empty, int first,
                           int pairs, int count, int group)
{
    const int rank = gpu_cluster_rank(), lane = gpu_thread() % GPU_WARP, steps = job.length / GEMM_STEP;
    int slot = 0, round = 0;
    for (int q = first; q < count; q += pairs) {
        int32_t sum[SUMS];
        _Pragma("unroll") for (int s = 0; s < SUMS; s++) sum[s] = 0;
        int before = 0;
        GPU_ROLLED
        for (int step = 0; step < steps; step++) {
            const char *stage = shared + slot * STAGE;
            const char *x = stage + group * 64 * GEMM_STEP, *y = stage + GEMM_PART;
            gpu_barrier_sleep(full + slot, round);
            gpu_group_begin(sum);
            _Pragma("unroll") for (int k = 0; k < GEMM_STEP / 32; k++) gpu_group_multiply(sum, x + 32 * k, y + 32 * k);
            gpu_group_end(sum, 1);
            /* The step before has been read: both blocks may bring something new for it. */
            group_arrive(empty + before, lane, step > 0 && lane < 2);
            before = slot;
            slot = slot + 1 == GEMM_STAGES ? 0 : slot + 1;
            round ^= slot == 0;
        }
        gpu_group_end(sum, 0);
        group_arrive(empty + before, lane, lane < 2);
        store<CHECKS>(job, tile_of(job, q, rank), sum);
    }
}
#endif

/* With CHECKS all planes compare: code that is not needed for each tile would not fit into the cache of instructions. */
template <bool CHECKS>
static __global__ void __launch_bounds__(PAIR_THREADS, 1) gemm_bytes_pairs(const __grid_constant__ gemm_bytes_job job)
{
#if GPU_HAS_GROUPS
    char *shared = (char *)(((uintptr_t)gpu_shared() + 1023) / 1024 * 1024);
    gpu_barrier *full = (gpu_barrier *)(shared + GEMM_STAGES * STAGE), *empty = full + GEMM_STAGES;
    const int first = gpu_block() / 2, pairs = gpu_blocks() / 2;
    const int count = (job.x_tiles + 1) / 2 * job.y_tiles * job.planes;
    if (gpu_thread() == 0) {
        for (int s = 0; s < GEMM_STAGES; s++) {
            gpu_barrier_init(full + s, 1);
            gpu_barrier_init(empty + s, 2 * THREADS / GPU_WARP); /* the warps of both blocks */
        }
        gpu_barrier_init_done();
    }
    gpu_cluster_sync();
    const int group = group_number();
    if (group == 2) {
        group_give_registers<40>();
        if (gpu_thread() == THREADS)
            bring_tiles(job, shared, full, empty, first, pairs, count);
        gpu_sync_warp();
    } else {
        group_take_registers<232>();
        multiply_tiles<CHECKS>(job, shared, full, empty, first, pairs, count, group);
    }
    gpu_cluster_sync(); /* the other block may still arrive here */
#endif
}

static cudaLaunchConfig_t config_of(int pairs, cudaLaunchAttribute *attribute, void *stream)
{
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = 2, attribute->val.clusterDim.y = 1, attribute->val.clusterDim.z = 1;
    config.gridDim = dim3(2 * (unsigned)pairs);
    config.blockDim = dim3(PAIR_THREADS);
    config.dynamicSmemBytes = PAIR_SHARED;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

/* How many pairs run at one time, which is asked for once for each device; 0 if it has not this capability. One pair more would begin when
 * the others have ended, and then have its share of tiles to do alone: not every two multiprocessors can be a pair. */
static cudaError_t most_pairs(const void *kernel, int *pairs)
{
    enum { DEVICES = 64 };
    static int known[DEVICES]; /* pairs + 1 */
    int device = 0, major = 0, minor = 0;
    *pairs = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess && device < DEVICES && __atomic_load_n(&known[device], __ATOMIC_RELAXED) > 0) {
        *pairs = __atomic_load_n(&known[device], __ATOMIC_RELAXED) - 1;
        return cudaSuccess;
    }
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (error == cudaSuccess && major == 9 && minor == 0) {
        int processors = 0;
        cudaLaunchAttribute attribute;
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        const cudaLaunchConfig_t config = config_of(processors / 2, &attribute, NULL);
        if (error == cudaSuccess)
            error = cudaOccupancyMaxActiveClusters(pairs, kernel, &config);
    }
    if (error == cudaSuccess && device < DEVICES)
        __atomic_store_n(&known[device], *pairs + 1, __ATOMIC_RELAXED);
    return error;
}

/* Returns false if the device has not this capability; otherwise error receives the result. */
static bool launch_pairs(gemm_bytes_job *job, void *stream, cudaError_t *error)
{
    void (*const with_checks)(const gemm_bytes_job) = gemm_bytes_pairs<true>;
    void (*const without)(const gemm_bytes_job) = gemm_bytes_pairs<false>;
    const void *kernel = job->checks ? (const void *)with_checks : (const void *)without;
    int most = 0;
    *error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, PAIR_SHARED);
    if (*error != cudaSuccess) { /* no code for this capability, or too little shared memory */
        *error = cudaSuccess;
        (void)cudaGetLastError();
        return false;
    }
    *error = most_pairs(kernel, &most);
    if (*error != cudaSuccess || most == 0)
        return *error != cudaSuccess;
    const int count = (job->x_tiles + 1) / 2 * job->y_tiles * job->planes;
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = config_of(count < most ? count : most, &attribute, stream);
    void *arguments[] = {job};
    *error = cudaLaunchKernelExC(&config, kernel, arguments);
    return true;
}
#endif

/* ---- One block per tile, everywhere else ---------------------------------------------------------------------------- */

/* Where 16 bytes, number `chunk`, of a row are in a part. */
GPU_FN int place(int row, int chunk)
{
    return row * GEMM_STEP + ((chunk ^ (row & 7)) << 4);
}

GPU_FN void load(const gemm_bytes_job &job, char *to, const int8_t *x, const int8_t *y, int step)
{
    if (step < job.length / GEMM_STEP)
        _Pragma("unroll") for (int k = 0; k < STAGE / 16; k += THREADS)
        {
            const int part = k * 16 / GEMM_PART, at = (k + gpu_thread()) * 16;
            const int8_t *from = part == 0 ? x : y + (part - 1) * GEMM_PART_ROWS * job.ld;
            gpu_copy_16(to + at, from + (int64_t)step * GEMM_PART + at % GEMM_PART);
        }
    gpu_copies_commit();
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
/* Row and column of sum number s of this thread: rows lane / 4 and 8 below it, columns 2 (lane % 4) and the next one of each 16 x 8. */
GPU_FN int row_of(int s)
{
    return gpu_thread() / 128 * 64 + s / 32 * 16 + gpu_thread() % 32 / 4 + s % 4 / 2 * 8;
}
GPU_FN int column_of(int s)
{
    return gpu_thread() / 32 % 4 * 64 + s / 4 % 8 * 8 + gpu_thread() % 4 * 2 + s % 2;
}

static __global__ void __launch_bounds__(THREADS, 1) gemm_bytes(const __grid_constant__ gemm_bytes_job job)
{
    enum { AHEAD = GEMM_STAGES - 1 };
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
        gpu_sync(); /* this step has arrived, and the one that is overwritten has been read by all */
        load(job, shared + (step + AHEAD) % GEMM_STAGES * STAGE, x, y, step + AHEAD);
        multiply(sum, shared + step % GEMM_STAGES * STAGE);
    }
    gpu_copies_wait(0);
    gpu_sync();
    const bool checks = job.checks && plane == job.planes - 1;
    const int modulus = plane / job.planes_per_modulus;
    const int32_t m = job.modulus[modulus], inverse = job.inverse[modulus], shift = job.shift[modulus];
    _Pragma("unroll") for (int s = 0; s < SUMS; s++)
    {
        const int row = row_of(s), column = column_of(s);
        shared[row * OUT_ROW + column] =
            (char)(checks ? again(job, sum[s], first_x + row, first_y + column) : residue(sum[s], m, inverse, shift));
    }
    gpu_sync();
    int8_t *out = job.out + plane * job.out_next + first_x * job.out_ld + first_y;
    for (int k = gpu_thread(); k < GEMM_TILE_X * GEMM_TILE_Y / 16; k += THREADS) {
        const int row = k / (GEMM_TILE_Y / 16), chunk = k % (GEMM_TILE_Y / 16);
        const double *from = (const double *)(shared + row * OUT_ROW + chunk * 16);
        double *to = (double *)(out + row * job.out_ld + chunk * 16);
        to[0] = from[0], to[1] = from[1];
    }
}

static cudaError_t launch(gemm_bytes_job *job, void *stream)
{
    void *arguments[] = {job};
    cudaError_t error = cudaSuccess;
#ifdef PLUMB_GEMM_PAIRS
    if (launch_pairs(job, stream, &error))
        return error;
#endif
    error = cudaFuncSetAttribute((const void *)gemm_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
    if (error == cudaSuccess)
        error = cudaLaunchKernel((const void *)gemm_bytes,
                                 dim3((unsigned)(job->x_tiles * job->y_tiles), (unsigned)job->planes), dim3(THREADS),
                                 arguments, SHARED, (cudaStream_t)stream);
    return error;
}

extern "C" plumb_status plumb_cuda_gemm_bytes(const gemm_bytes_job *given, void *stream, char *message,
                                              size_t message_size)
{
    gemm_bytes_job job = *given;
    const cudaError_t error = launch(&job, stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a product of residues failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
