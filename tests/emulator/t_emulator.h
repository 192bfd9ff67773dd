/* t_emulator.h - the kernels of t_emulator_kernels.cu, by name, with the doubles and flags they work on. */
#ifndef PLUMB_T_EMULATOR_H
#define PLUMB_T_EMULATOR_H

#include <cuda_runtime_api.h>

/* The first list does something right, the second something wrong. */
#define GOOD_KERNELS(X) \
    X(block_sum)        \
    X(warp_exchange)    \
    X(warp_products)    \
    X(named_barriers)   \
    X(cluster_ring)     \
    X(flag_chain)       \
    X(tickets)          \
    X(copies)           \
    X(remote_stores)
#define BAD_KERNELS(X)   \
    X(half_syncs)        \
    X(warp_divides)      \
    X(overruns)          \
    X(underruns)         \
    X(sends_to_ended)    \
    X(sends_too_far)     \
    X(sends_unaligned)   \
    X(forgets_init)      \
    X(arrives_too_often) \
    X(never_told)        \
    X(spins)             \
    X(reads_for_ever)

typedef enum test_kernel {
#define TEST_KERNEL_ID(name) KERNEL_##name,
    GOOD_KERNELS(TEST_KERNEL_ID) BAD_KERNELS(TEST_KERNEL_ID) KERNELS
#undef TEST_KERNEL_ID
} test_kernel;

typedef struct test_data {
    double *values;
    int32_t *flags;
} test_data;

#ifdef __cplusplus
extern "C"
#endif
    cudaError_t
    run_kernel(test_kernel kernel, int blocks, int cluster, int threads, size_t shared, int allow_large,
               test_data data);

enum { RING_PHASES = 7, RING_VALUES = 64 };

#endif
