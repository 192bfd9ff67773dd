/* gpu_emulated.h - the names of src/backend/cuda/runtime/gpu.h on the emulated GPU; they are documented there. */
#ifndef PLUMB_GPU_EMULATED_H
#define PLUMB_GPU_EMULATED_H

#include <string.h>
#include <time.h>

#include "cuda_runtime.h"

#define GPU_FN static __device__ __forceinline__
#define GPU_CALL static __device__ __attribute__((noinline, unused))
#define GPU_ROLLED

#define GPU_HAS_CLUSTERS true

enum { GPU_WARP = EMU_WARP };
typedef uint64_t gpu_barrier;

GPU_FN int gpu_arrivals(int)
{
    return 1;
}
GPU_FN int gpu_arrives(int lane)
{
    return lane == 0;
}
GPU_FN void gpu_shuffles_order(void)
{
}
GPU_FN int gpu_thread(void)
{
    return (int)emu_self->index.x;
}
GPU_FN int gpu_threads(void)
{
    return (int)emu_self->block->size.x;
}
GPU_FN int gpu_block(void)
{
    return (int)emu_self->block->index.x;
}
GPU_FN int gpu_block_y(void)
{
    return (int)emu_self->block->index.y;
}
GPU_FN int gpu_blocks(void)
{
    return (int)emu_self->block->grid.x;
}
GPU_FN double *gpu_shared(void)
{
    return emu_self->block->shared;
}

GPU_FN void gpu_sync(emu_site site = EMU_SITE("gpu_sync"))
{
    emu_sync(site);
}
GPU_FN void gpu_sync_some(int barrier, int count, emu_site site = EMU_SITE("gpu_sync_some"))
{
    emu_sync_some(barrier, count, site);
}
GPU_FN void gpu_sync_warp(emu_site site = EMU_SITE("gpu_sync_warp"))
{
    emu_sync_warp(site);
}

GPU_FN int gpu_once(int a)
{
    return a;
}
GPU_FN void gpu_touch(const void *a)
{
    (void)a;
}
GPU_FN double *gpu_once(double *a)
{
    return a;
}
GPU_FN void gpu_put(double *to, double x, double y, int really)
{
    if (really)
        to[0] = x, to[1] = y;
}
GPU_FN void gpu_put_pair(double *to, double x, double y)
{
    to[0] = x;
    to[1] = y;
}
GPU_FN void gpu_get(double *x, double *y, const double *from, int really)
{
    if (really)
        *x = from[0], *y = from[1];
}
GPU_FN double gpu_shuffle_xor(double a, int with, emu_site site = EMU_SITE("gpu_shuffle_xor"))
{
    return emu_shuffle_any(a, emu_lane() ^ with, site);
}
GPU_FN double gpu_shuffle(double a, int from, emu_site site = EMU_SITE("gpu_shuffle"))
{
    return emu_shuffle_any(a, from, site);
}
GPU_FN int gpu_shuffle_xor_int(int a, int with, emu_site site = EMU_SITE("gpu_shuffle_xor_int"))
{
    return emu_shuffle_any(a, emu_lane() ^ with, site);
}
GPU_FN int gpu_shuffle_int(int a, int from, emu_site site = EMU_SITE("gpu_shuffle_int"))
{
    return emu_shuffle_any(a, from, site);
}
GPU_FN void gpu_multiply(double *c, double upper, double lower, double b, emu_site site = EMU_SITE("gpu_multiply"))
{
    const int row = emu_lane() / 4, column = emu_lane() % 4 * 2;
    for (int k = 0; k < 4; k++) {
        const double above = emu_shuffle_any(upper, 4 * row + k, site),
                     below = emu_shuffle_any(lower, 4 * row + k, site);
        for (int j = 0; j < 2; j++) {
            const double right = emu_shuffle_any(b, 4 * (column + j) + k, site);
            c[j] = fma(above, right, c[j]), c[2 + j] = fma(below, right, c[2 + j]);
        }
    }
}
GPU_FN void gpu_multiply_upper(double *c, double upper, double b, emu_site site = EMU_SITE("gpu_multiply_upper"))
{
    double both[4] = {c[0], c[1], 0.0, 0.0};
    gpu_multiply(both, upper, 0.0, b, site);
    c[0] = both[0], c[1] = both[1];
}
GPU_FN void gpu_multiply_4(double *c, const double *upper, const double *lower, const double *b,
                           emu_site site = EMU_SITE("gpu_multiply_4"))
{
    for (int i = 0; i < 4; i++)
        gpu_multiply(c, upper[i], lower[i], b[i], site);
}
GPU_FN int gpu_any(int condition, emu_site site = EMU_SITE("gpu_any"))
{
    return emu_ballot(condition, site) != 0;
}

GPU_FN int gpu_max(int a, emu_site site = EMU_SITE("gpu_max"))
{
    return (int)emu_warp_max((unsigned)a, site);
}

GPU_FN double gpu_max_double(double a, emu_site site = EMU_SITE("gpu_max_double"))
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    const uint64_t high = emu_warp_max((unsigned)(bits >> 32), site);
    bits = high << 32 | emu_warp_max(bits >> 32 == high ? (unsigned)bits : 0, site);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/* The threads exchange their values through a list of the first thread of the warp. */
GPU_FN void gpu_multiply_add(double *sum, const double *a, const double *b,
                             emu_site site = EMU_SITE("gpu_multiply_add"))
{
    const double *own[GPU_WARP][2];
    auto shown = (const double *(*)[2])(uintptr_t)emu_shuffle((uint64_t)(uintptr_t)own, 0, site);
    shown[emu_lane()][0] = a, shown[emu_lane()][1] = b;
    emu_sync_warp(site);
    for (int r = 0; r < 4; r++) {
        const int row = emu_lane() / 4, column = 2 * (emu_lane() % 4) + r % 2;
        for (int k = 0; k < 8; k++)
            sum[r] = fma(shown[4 * row + k % 4][0][k / 4 * 2 + r / 2], shown[4 * column + k % 4][1][k / 4], sum[r]);
    }
    emu_sync_warp(site);
}

GPU_FN void gpu_flag_set(int32_t *flag, int32_t value, emu_site site = EMU_SITE("gpu_flag_set"))
{
    emu_flag_set(flag, value, site);
}
GPU_FN void gpu_tell_host(int32_t *flag, int32_t value)
{
    *(volatile int32_t *)flag = value;
}
GPU_FN int32_t gpu_flag_peek(const int32_t *flag, emu_site site = EMU_SITE("gpu_flag_peek"))
{
    return emu_flag_get(flag, site);
}
GPU_FN void gpu_fence(void)
{
}
GPU_FN int32_t gpu_flag_get(const int32_t *flag, emu_site site = EMU_SITE("gpu_flag_get"))
{
    return emu_flag_get(flag, site);
}
enum { GPU_NOT_YET = -1 };
/* The low word is written first, so that a thread that reads in between finds nothing yet. */
GPU_FN void gpu_word_set(double *to, double v, emu_site site = EMU_SITE("gpu_word_set"))
{
    int32_t word[2];
    memcpy(word, &v, sizeof v);
    ((int32_t *)to)[0] = word[0];
    emu_flag_set((int32_t *)to + 1, word[1], site);
}
GPU_FN double gpu_word_peek(const double *from, emu_site site = EMU_SITE("gpu_word_peek"))
{
    (void)emu_flag_get((const int32_t *)from + 1, site);
    return *from;
}
GPU_FN void gpu_words_set(double *to, double x, double y, emu_site site = EMU_SITE("gpu_words_set"))
{
    gpu_word_set(to, x, site);
    gpu_word_set(to + 1, y, site);
}
GPU_FN void gpu_words_put(double *to, double x, double y, int really, emu_site site = EMU_SITE("gpu_words_put"))
{
    if (really)
        gpu_words_set(to, x, y, site);
}
GPU_FN void gpu_words_peek(const double *from, double *x, double *y, emu_site site = EMU_SITE("gpu_words_peek"))
{
    *x = gpu_word_peek(from, site);
    *y = gpu_word_peek(from + 1, site);
}
GPU_FN int32_t gpu_fetch_add(int32_t *counter, int32_t more, emu_site site = EMU_SITE("gpu_fetch_add"))
{
    return emu_fetch_add(counter, more, site);
}
GPU_FN void gpu_raise(int32_t *word, int32_t value, emu_site site = EMU_SITE("gpu_raise"))
{
    emu_fetch_max(word, value, site);
}
GPU_FN void gpu_pause(emu_site site = EMU_SITE("gpu_pause"))
{
    emu_pause(site);
}
GPU_FN void gpu_nap(emu_site site = EMU_SITE("gpu_nap"))
{
    emu_pause(site);
}
GPU_FN int64_t gpu_cycles(void)
{
    return 0;
}
GPU_FN int64_t gpu_nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

GPU_FN void gpu_copy(double *to, const double *from, emu_site site = EMU_SITE("gpu_copy"))
{
    emu_copy(to, from, site);
}
GPU_FN void gpu_copies_done(void)
{
    emu_copies_done();
}

/* Two halves of 16 bytes; every wait is for all copies. */
GPU_FN void gpu_copy_16(void *to, const void *from, emu_site site = EMU_SITE("gpu_copy_16"))
{
    emu_copy((double *)to, (const double *)from, site);
    emu_copy((double *)to + 1, (const double *)from + 1, site);
}
GPU_FN void gpu_copies_commit(void)
{
}
GPU_FN void gpu_copies_wait(int)
{
    emu_copies_done();
}
#define GPU_HAS_GROUPS 0
GPU_FN uint32_t gpu_dot_bytes(uint32_t a, uint32_t b, uint32_t sum)
{
    for (int byte = 0; byte < 32; byte += 8)
        sum += (a >> byte & 0xff) * (b >> byte & 0xff);
    return sum;
}
GPU_FN uint32_t gpu_pick_bytes(uint32_t a, uint32_t b, uint32_t choice)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    uint32_t picked = 0;
    for (int k = 0; k < 4; k++)
        picked |= (uint32_t)(both >> (choice >> 4 * k & 7) * 8 & 0xff) << 8 * k;
    return picked;
}
GPU_FN void gpu_load_bytes(uint32_t *to, const void *row, emu_site site = EMU_SITE("gpu_load_bytes"))
{
    for (int q = 0; q < 4; q++) {
        const uint64_t from = emu_shuffle((uint64_t)(uintptr_t)row, 8 * q + emu_lane() / 4, site);
        memcpy(to + q, (const char *)(uintptr_t)from + 4 * (emu_lane() % 4), 4);
    }
}
GPU_FN void gpu_multiply_bytes(int32_t *sum, const uint32_t *a, const uint32_t *b,
                               emu_site site = EMU_SITE("gpu_multiply_bytes"))
{
    const uint32_t *own[GPU_WARP][2];
    auto shown = (const uint32_t *(*)[2])(uintptr_t)emu_shuffle((uint64_t)(uintptr_t)own, 0, site);
    shown[emu_lane()][0] = a, shown[emu_lane()][1] = b;
    emu_sync_warp(site);
    for (int r = 0; r < 4; r++) {
        const int row = emu_lane() / 4, column = 2 * (emu_lane() % 4) + r % 2;
        for (int k = 0; k < 8; k++) { /* words of four bytes */
            const uint32_t x = shown[4 * row + k % 4][0][k / 4 * 2 + r / 2], y = shown[4 * column + k % 4][1][k / 4];
            for (int byte = 0; byte < 32; byte += 8)
                sum[r] += (int8_t)(x >> byte) * (int8_t)(y >> byte);
        }
    }
    emu_sync_warp(site);
}

GPU_FN int gpu_high_word(double a)
{
    return __double2hiint(a);
}
GPU_FN double gpu_of_high_word(int high)
{
    return __hiloint2double(high, 0);
}

GPU_FN double gpu_flip(double a, int sign)
{
    return sign ? -a : a;
}

GPU_FN int gpu_leading_zeros(int a)
{
    return __clz(a);
}

GPU_FN double gpu_reciprocal(double a)
{
    return 1.0 / a;
}
GPU_FN double gpu_reciprocal_near(double a)
{
    return 1.0 / a;
}

GPU_FN void gpu_previous_done(void)
{
}
GPU_FN void gpu_next_may_begin(void)
{
}

GPU_FN int gpu_cluster_rank(void)
{
    return emu_self->block->rank;
}
GPU_FN int gpu_cluster_size(void)
{
    return emu_self->block->cluster;
}
GPU_FN void gpu_cluster_sync(emu_site site = EMU_SITE("gpu_cluster_sync"))
{
    emu_sync_cluster(site);
}
GPU_FN void gpu_cluster_arrive(emu_site site = EMU_SITE("gpu_cluster_arrive"))
{
    emu_arrive_cluster(1, site);
}
GPU_FN void gpu_cluster_come(emu_site site = EMU_SITE("gpu_cluster_come"))
{
    emu_arrive_cluster(0, site);
}
GPU_FN void gpu_cluster_wait(emu_site site = EMU_SITE("gpu_cluster_wait"))
{
    emu_await_cluster(site);
}

GPU_FN void gpu_barrier_init(gpu_barrier *b, int arrivals, emu_site site = EMU_SITE("gpu_barrier_init"))
{
    emu_barrier_init(b, arrivals, site);
}
GPU_FN void gpu_barrier_init_done(void)
{
}
GPU_FN void gpu_barrier_arrive(gpu_barrier *b, emu_site site = EMU_SITE("gpu_barrier_arrive"))
{
    emu_barrier_arrive(b, 0, site);
}
GPU_FN void gpu_barrier_expect(gpu_barrier *b, int bytes, emu_site site = EMU_SITE("gpu_barrier_expect"))
{
    emu_barrier_arrive(b, bytes, site);
}
GPU_FN void gpu_barrier_wait(gpu_barrier *b, int parity, emu_site site = EMU_SITE("gpu_barrier_wait"))
{
    emu_barrier_wait(b, parity, site);
}
GPU_FN void gpu_barrier_sleep(gpu_barrier *b, int parity, emu_site site = EMU_SITE("gpu_barrier_sleep"))
{
    emu_barrier_wait(b, parity, site);
}
typedef int gpu_remote; /* the number of the block */
GPU_FN gpu_remote gpu_remote_of(int rank)
{
    return rank;
}
GPU_FN void gpu_store_remote(gpu_remote where, double *to, double v, emu_site site = EMU_SITE("gpu_store_remote"))
{
    emu_store_remote(to, v, where, site);
}
GPU_FN void gpu_send_one(gpu_remote where, double *to, double v, gpu_barrier *b,
                         emu_site site = EMU_SITE("gpu_send_one"))
{
    emu_send(to, &v, 1, b, where, site);
}
GPU_FN void gpu_send_many(gpu_remote where, double *to, const double *from, int doubles, gpu_barrier *b,
                          emu_site site = EMU_SITE("gpu_send_many"))
{
    for (int i = 0; i < doubles; i += 2)
        emu_send(to + i, from + i, 2, b, where, site);
}
GPU_FN void gpu_send_ready(void)
{
}
GPU_FN void gpu_send(gpu_remote where, double *to, double v0, double v1, gpu_barrier *b,
                     emu_site site = EMU_SITE("gpu_send"))
{
    const double values[2] = {v0, v1};
    emu_send(to, values, 2, b, where, site);
}
GPU_FN void gpu_send_some(gpu_remote where, double *to, double v0, double v1, gpu_barrier *b, int really,
                          emu_site site = EMU_SITE("gpu_send_some"))
{
    if (really)
        gpu_send(where, to, v0, v1, b, site);
}

#endif
