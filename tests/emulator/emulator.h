/* emulator.h - the interface of kernels to the emulated GPU: the running thread, and the operations at which it may
 * wait.
 *
 * A thread runs until it waits; then another one runs. Between two calls of this header no other thread changes
 * anything. */
#ifndef PLUMB_EMULATOR_H
#define PLUMB_EMULATOR_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EMU_WARP = 32 };

typedef struct emu_block_view { /* the block, as its threads see it */
    dim3 index, size, grid;
    int rank, cluster; /* in its cluster, and the number of blocks there */
    double *shared;
} emu_block_view;

typedef struct emu_thread_view {
    dim3 index;
    const emu_block_view *block;
} emu_thread_view;

extern emu_thread_view *emu_self; /* the running thread; NULL outside of kernels */

/* The place where a thread waits, for the message about a deadlock. */
typedef struct emu_site {
    const char *what, *file, *function;
    int line;
} emu_site;

void emu_sync(emu_site site);
void emu_sync_some(int barrier, int count, emu_site site);
void emu_sync_cluster(emu_site site);
void emu_arrive_cluster(int release, emu_site site);
void emu_await_cluster(emu_site site);
/* Deposits a value for the others of the warp, and takes that of lane `from`; all threads of the warp must be there. */
uint64_t emu_shuffle(uint64_t value, int from, emu_site site);
void emu_sync_warp(emu_site site);
unsigned emu_ballot(int condition, emu_site site);
unsigned emu_warp_max(unsigned value, emu_site site);
void emu_pause(emu_site site);

int32_t emu_flag_get(const int32_t *flag, emu_site site);
void emu_flag_set(int32_t *flag, int32_t value, emu_site site);
int32_t emu_fetch_add(int32_t *counter, int32_t more, emu_site site);
int32_t emu_fetch_max(int32_t *word, int32_t value, emu_site site);

/* Copies a double from global to shared memory, at the latest when the thread waits for its copies. */
void emu_copy(double *to, const double *from, emu_site site);
void emu_copies_done(void);
/* Stores a double in another block of the cluster, at the latest when the thread reaches a cluster barrier. */
void emu_store_remote(double *to, double value, int rank, emu_site site);

void emu_barrier_init(uint64_t *barrier, int arrivals, emu_site site);
void emu_barrier_arrive(uint64_t *barrier, int bytes, emu_site site); /* announces bytes that will come */
int emu_barrier_test(uint64_t *barrier, int parity, emu_site site);
void emu_barrier_wait(uint64_t *barrier, int parity, emu_site site);
/* Sends one or two doubles to the same place in another block of the cluster. */
void emu_send(double *to, const double *values, int count, uint64_t *barrier, int rank, emu_site site);

/* Calls a kernel with the arguments of cudaLaunchKernel; registered once per kernel, derived from its type. */
typedef void (*emu_caller)(const void *kernel, void **arguments);
const void *emu_know_kernel(const void *kernel, emu_caller caller, const size_t *sizes); /* of the arguments, then 0 */

#ifdef __cplusplus
}
#endif
#endif
