/* t_emulator_kernels.cu - one kernel for each thing the emulated GPU can do, and one for each mistake it must notice. */
#include "t_emulator.h"

#include "backend/cuda/runtime/gpu.h"

#define KERNEL(name) static __global__ void name(const test_data data)

/* values[block] = sum of 1 ... threads, by halves in shared memory. */
KERNEL(block_sum)
{
    double *s = gpu_shared();
    int i = gpu_thread();
    s[i] = i + 1;
    gpu_sync();
    for (int half = gpu_threads() / 2; half > 0; half /= 2) {
        if (i < half)
            s[i] += s[i + half];
        gpu_sync();
    }
    if (i == 0)
        data.values[gpu_block()] = s[0];
}

/* values[thread]: a sum over the warp by xor, twice, a value passed on by one lane, votes and the largest. */
KERNEL(warp_exchange)
{
    int lane = gpu_thread() % GPU_WARP;
    double sum = lane;
    for (int with = 1; with < GPU_WARP; with *= 2)
        sum += gpu_shuffle_xor(sum, with);
    int count = 1;
    for (int with = 1; with < GPU_WARP; with *= 2)
        count += gpu_shuffle_xor_int(count, with);
    double next = gpu_shuffle(sum + lane, (lane + 1) % GPU_WARP);
    int third = gpu_shuffle_int(lane, 3);
    gpu_sync_warp();
    int votes = 2 * gpu_any(lane == 17) + gpu_any(lane == 40);
    data.values[gpu_thread()] = next + 1000 * count + 100000 * third + 1e6 * votes + 1e7 * gpu_max(lane % 7);
}

/* values[4 * thread]: what the thread has of the product of 16 x 16 and 16 x 8 numbers, by four products and by one of four, half each; and
 * once more its upper half. */
KERNEL(warp_products)
{
    const int row = gpu_thread() / 4, column = gpu_thread() % 4;
    double upper[4], lower[4], right[4], c[4] = {0.0}, again[2] = {0.0};
    for (int i = 0; i < 4; i++) {
        const int k = 4 * i + column;
        upper[i] = (row + 1) * k, lower[i] = (row + 9) * k, right[i] = k - 3 * row;
        gpu_multiply(c, upper[i], lower[i], right[i]);
        gpu_multiply_upper(again, upper[i], right[i]);
    }
    gpu_multiply_4(c, upper, lower, right);
    for (int i = 0; i < 4; i++)
        data.values[4 * gpu_thread() + i] = 0.5 * c[i] + (i < 2 ? 1e6 * again[i] : 0.0);
}

/* The first half of the block makes numbers, the second half takes them, ten times through one buffer. */
KERNEL(named_barriers)
{
    int all = gpu_threads(), half = all / 2, i = gpu_thread() % half, maker = gpu_thread() < half;
    double *buffer = gpu_shared(), sum = 0.0;
    for (int round = 0; round < 10; round++) {
        if (maker) {
            buffer[i] = round * i;
            gpu_sync_some(1, all); /* full */
            gpu_sync_some(2, all); /* empty */
        } else {
            gpu_sync_some(1, all);
            sum += buffer[half - 1 - i];
            gpu_sync_some(3, half);
            gpu_sync_some(2, all);
        }
    }
    if (!maker)
        data.values[i] = sum;
}

/* Values go round the cluster, each block adding its rank: two buffers, a barrier each for full ones, and words back from the
 * next block that it has read them. */
KERNEL(cluster_ring)
{
    double *buffer = gpu_shared(), *word = buffer + 2 * RING_VALUES;
    gpu_barrier *full = (gpu_barrier *)(word + 4), *read = full + 2;
    int i = gpu_thread(), rank = gpu_cluster_rank(), size = gpu_cluster_size();
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (i == 0) {
        for (int k = 0; k < 2; k++) {
            gpu_barrier_init(&full[k], 1);
            gpu_barrier_init(&read[k], 1);
        }
        gpu_barrier_init_done();
    }
    gpu_cluster_sync();
    double mine[2] = {(double)gpu_block(), (double)i};
    for (int phase = 0; phase < RING_PHASES; phase++) {
        int k = phase % 2, parity = phase / 2 % 2;
        double *place = buffer + k * RING_VALUES + 2 * i;
        if (phase >= 2) /* the next block has read what was there */
            gpu_barrier_wait(&read[k], parity ^ 1);
        if (i == 0) {
            gpu_barrier_expect(&full[k], RING_VALUES * (int)sizeof(double));
            gpu_barrier_expect(&read[k], 2 * (int)sizeof(double));
        }
        gpu_send(gpu_remote_of(next), place, mine[0], mine[1], &full[k]);
        gpu_barrier_wait(&full[k], parity);
        mine[0] = place[0] + rank;
        mine[1] = place[1] + 1;
        gpu_sync();
        if (i == 0)
            gpu_send(gpu_remote_of(before), &word[2 * k], phase, phase, &read[k]);
    }
    data.values[(gpu_block() * gpu_threads() + i) * 2] = mine[0];
    data.values[(gpu_block() * gpu_threads() + i) * 2 + 1] = mine[1];
    for (int k = 0; k < 2; k++) /* no block ends before all words have come to it */
        gpu_barrier_wait(&read[k], (RING_PHASES - 1 - (RING_PHASES - 1 + k) % 2) / 2 % 2);
}

/* Block b adds to what block b - 1 left, when it has: values[b] = 1 + ... + b. */
KERNEL(flag_chain)
{
    int b = gpu_block();
    if (b > 0)
        while (gpu_flag_get(&data.flags[b - 1]) == 0)
            gpu_pause();
    gpu_sync();
    if (gpu_thread() == 0)
        data.values[b] = (b > 0 ? data.values[b - 1] : 0.0) + b;
    gpu_sync();
    if (gpu_thread() == 0)
        gpu_flag_set(&data.flags[b], 1);
}

/* Every thread of the grid takes a number of its own; the largest goes to flags[1]. */
KERNEL(tickets)
{
    int mine = gpu_fetch_add(&data.flags[0], 1);
    data.values[mine] = mine;
    gpu_raise(&data.flags[1], mine);
}

KERNEL(copies)
{
    double *s = gpu_shared();
    int i = gpu_thread(), n = gpu_threads();
    gpu_copy(&s[i], &data.values[i]);
    gpu_copies_done();
    gpu_sync();
    double other = s[n - 1 - i];
    gpu_sync();
    data.values[i] = other;
}

/* Every block writes its rank into all others. */
KERNEL(remote_stores)
{
    double *s = gpu_shared();
    int i = gpu_thread(), rank = gpu_cluster_rank(), size = gpu_cluster_size();
    gpu_cluster_sync(); /* all have begun */
    if (i < size)
        gpu_store_remote(gpu_remote_of(i), &s[rank], rank + 1);
    gpu_cluster_sync();
    double sum = 0.0;
    for (int k = 0; k < size; k++)
        sum += s[k];
    if (i == 0)
        data.values[gpu_block()] = sum;
    gpu_cluster_sync();
}

KERNEL(half_syncs)
{
    if (gpu_thread() < gpu_threads() / 2)
        gpu_sync();
    else
        gpu_sync_some(4, gpu_threads());
    data.values[0] = 0.0;
}
KERNEL(warp_divides)
{
    data.values[0] = gpu_thread() % 2 ? gpu_shuffle(1.0, 0) : gpu_any(1);
}
KERNEL(overruns)
{
    gpu_shared()[gpu_threads()] = data.flags[0];
}
KERNEL(underruns)
{
    gpu_shared()[-1] = data.flags[0];
}
static __device__ gpu_barrier *barrier_behind(double *values)
{
    return (gpu_barrier *)(gpu_shared() + 16) + (values == nullptr);
}
KERNEL(sends_to_ended)
{
    gpu_barrier *b = barrier_behind(data.values);
    if (gpu_thread() == 0)
        gpu_barrier_init(b, 1);
    gpu_cluster_sync();
    if (gpu_cluster_rank() == 1)
        return;
    for (int k = 0; k < 100 * gpu_threads(); k++) /* by then it has ended */
        gpu_pause();
    gpu_send(gpu_remote_of(1), gpu_shared(), 1.0, 2.0, b);
}
KERNEL(sends_too_far)
{
    gpu_send(gpu_remote_of(gpu_cluster_size()), gpu_shared(), 1.0, 2.0, barrier_behind(data.values));
}
KERNEL(sends_unaligned)
{
    gpu_send(gpu_remote_of(0), gpu_shared() + 1, 1.0, 2.0, barrier_behind(data.values));
}
KERNEL(forgets_init)
{
    gpu_barrier_wait(barrier_behind(data.values), 0);
}
KERNEL(arrives_too_often)
{
    gpu_barrier *b = barrier_behind(data.values);
    if (gpu_thread() == 0) {
        gpu_barrier_init(b, 1);
        gpu_barrier_expect(b, 16);
        gpu_barrier_arrive(b);
    }
}
KERNEL(never_told)
{
    gpu_barrier *b = barrier_behind(data.values);
    if (gpu_thread() == 0)
        gpu_barrier_init(b, 2);
    gpu_sync();
    if (gpu_thread() == 0)
        gpu_barrier_arrive(b);
    gpu_barrier_wait(b, 0);
}
KERNEL(spins)
{
    while (gpu_flag_get(data.flags) != -1)
        gpu_pause();
}
KERNEL(reads_for_ever)
{
    while (gpu_flag_get(data.flags) != -1) {
    }
}

extern "C" cudaError_t run_kernel(test_kernel kernel, int blocks, int cluster, int threads, size_t shared,
                                  int allow_large, test_data data)
{
#define TEST_KERNEL_ADDRESS(name) (const void *)name,
    static const void *const kernels[KERNELS] = {GOOD_KERNELS(TEST_KERNEL_ADDRESS) BAD_KERNELS(TEST_KERNEL_ADDRESS)};
    const void *f = kernels[kernel];
    if (allow_large) {
        cudaError_t error = cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);
        if (error == cudaSuccess)
            error = cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (error != cudaSuccess)
            return error;
    }
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = (unsigned)cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = shared;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void *arguments[] = {&data};
    return cudaLaunchKernelExC(&config, f, arguments);
}
