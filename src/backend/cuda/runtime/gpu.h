/* gpu.h - the GPU operations that kernels use: threads, warps, clusters of blocks, and the barriers between them.
 *
 * There are two implementations: this one for a GPU, and one for the emulated GPU (tests/emulator), which runs the
 * same kernels on a CPU, so that they can be tested, debugged and checked by sanitizers without a GPU. Kernels
 * therefore use only these names: shared memory is obtained from gpu_shared (there are no __shared__ variables), a
 * warp always shuffles as a whole, and a loop that waits for another thread calls gpu_pause. */
#ifndef PLUMB_BACKEND_CUDA_RUNTIME_GPU_H
#define PLUMB_BACKEND_CUDA_RUNTIME_GPU_H

#include <stdint.h>

#ifdef PLUMB_EMULATED_GPU
#include "gpu_emulated.h"
#else

#include <cuda_runtime.h>

#define GPU_FN static __device__ __forceinline__
/* A function of which a kernel has one copy. */
#define GPU_CALL static __device__ __noinline__
/* Before a loop that is not to be unrolled, because it has few rounds and instruction caches are small. */
#define GPU_ROLLED _Pragma("unroll 1")

enum { GPU_WARP = 32 };

GPU_FN int gpu_thread(void)
{
    return (int)threadIdx.x;
}
GPU_FN int gpu_threads(void)
{
    return (int)blockDim.x;
} /* a multiple of GPU_WARP */
GPU_FN int gpu_block(void)
{
    return (int)blockIdx.x;
}
GPU_FN int gpu_block_y(void)
{
    return (int)blockIdx.y;
}
GPU_FN int gpu_blocks(void)
{
    return (int)gridDim.x;
}

/* The dynamic shared memory of the block, 16-byte aligned. */
GPU_FN double *gpu_shared(void)
{
    extern __shared__ double plumb_shared_memory[];
    return plumb_shared_memory;
}

/* Synchronises all threads of the block. */
GPU_FN void gpu_sync(void)
{
    __syncthreads();
}
/* Synchronises the threads of `count / 32` whole warps that name the same barrier, 1 to 15. */
GPU_FN void gpu_sync_some(int barrier, int count)
{
    asm volatile("barrier.sync %0, %1;" ::"r"(barrier), "r"(count) : "memory");
}
GPU_FN void gpu_sync_warp(void)
{
    __syncwarp();
}

/* Shuffles within a warp; all 32 threads must call. */
GPU_FN double gpu_shuffle_xor(double a, int with)
{
    return __shfl_xor_sync(0xffffffffu, a, with);
}
GPU_FN double gpu_shuffle(double a, int from)
{
    return __shfl_sync(0xffffffffu, a, from);
}
GPU_FN int gpu_shuffle_xor_int(int a, int with)
{
    return __shfl_xor_sync(0xffffffffu, a, with);
}
GPU_FN int gpu_shuffle_int(int a, int from)
{
    return __shfl_sync(0xffffffffu, a, from);
}
GPU_FN int gpu_any(int condition)
{
    return __any_sync(0xffffffffu, condition);
}
/* The maximum of 32 nonnegative numbers. */
GPU_FN int gpu_max(int a)
{
#if __CUDA_ARCH__ >= 800
    return (int)__reduce_max_sync(0xffffffffu, (unsigned)a);
#else
    for (int with = 16; with > 0; with >>= 1) {
        int other = __shfl_xor_sync(0xffffffffu, a, with);
        a = other > a ? other : a;
    }
    return a;
#endif
}
/* The maximum of 32 doubles that are neither negative nor NaN; these are ordered like integers. */
GPU_FN double gpu_max_double(double a)
{
#if __CUDA_ARCH__ >= 800
    const unsigned high = __reduce_max_sync(0xffffffffu, (unsigned)__double2hiint(a));
    const unsigned low = (unsigned)__double2hiint(a) == high ? (unsigned)__double2loint(a) : 0u;
    return __hiloint2double((int)high, (int)__reduce_max_sync(0xffffffffu, low));
#else
    for (int with = 16; with > 0; with >>= 1) {
        const double other = __shfl_xor_sync(0xffffffffu, a, with);
        a = other > a ? other : a;
    }
    return a;
#endif
}

/* Flags between blocks in global memory: everything written before a set is visible after a get that sees it. */
GPU_FN void gpu_flag_set(int32_t *flag, int32_t value)
{
    asm volatile("{\n\tfence.acq_rel.gpu;\n\tst.relaxed.gpu.global.s32 [%0], %1;\n}" ::"l"(flag), "r"(value)
                 : "memory");
}
GPU_FN int32_t gpu_flag_get(const int32_t *flag)
{
    int32_t value;
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
/* Stores to pinned memory of the host, which polls it: everything written or seen before can then be copied to the host. */
GPU_FN void gpu_tell_host(int32_t *flag, int32_t value)
{
    asm volatile("{\n\tfence.acq_rel.sys;\n\tst.relaxed.sys.global.s32 [%0], %1;\n}" ::"l"(flag), "r"(value)
                 : "memory");
}
/* The same without ordering of other accesses, for polling, because an acquire empties the first-level cache. */
GPU_FN int32_t gpu_flag_peek(const int32_t *flag)
{
    int32_t value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
/* What this thread has written is there for all blocks before what it does next. */
GPU_FN void gpu_fence(void)
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
/* Doubles that announce themselves: memory filled with bytes 0xff has not been written yet. This gives no ordering
 * for any other word. GPU_NOT_YET is the high word of such memory; no number has it, and no NaN that results from
 * arithmetic on numbers. */
enum { GPU_NOT_YET = -1 };
GPU_FN void gpu_word_set(double *to, double v)
{
    asm volatile("st.relaxed.gpu.global.f64 [%0], %1;" ::"l"(to), "d"(v) : "memory");
}
GPU_FN double gpu_word_peek(const double *from)
{
    double v;
    asm volatile("ld.relaxed.gpu.global.f64 %0, [%1];" : "=d"(v) : "l"(from) : "memory");
    return v;
}
/* Two of them at once, at a multiple of 16 bytes; each announces itself. */
GPU_FN void gpu_words_set(double *to, double x, double y)
{
    asm volatile("st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(x), "d"(y) : "memory");
}
/* The same for the threads with `really` set only. */
GPU_FN void gpu_words_put(double *to, double x, double y, int really)
{
    asm volatile("{\n\t.reg .pred really;\n\t"
                 "setp.ne.s32 really, %3, 0;\n\t"
                 "@really st.relaxed.gpu.global.v2.f64 [%0], {%1, %2};\n\t}" ::"l"(to),
                 "d"(x), "d"(y), "r"(really)
                 : "memory");
}
GPU_FN void gpu_words_peek(const double *from, double *x, double *y)
{
    asm volatile("ld.relaxed.gpu.global.v2.f64 {%0, %1}, [%2];" : "=d"(*x), "=d"(*y) : "l"(from) : "memory");
}
GPU_FN int32_t gpu_fetch_add(int32_t *counter, int32_t more)
{
    return atomicAdd(counter, more);
}
GPU_FN void gpu_raise(int32_t *word, int32_t value)
{
    atomicMax(word, value);
} /* sets the word to the maximum of both */
GPU_FN void gpu_pause(void)
{
}
/* Sleeps for about the time of a step of another block, which polling must not slow down. */
GPU_FN void gpu_nap(void)
{
    __nanosleep(200);
}
/* Reads a clock that all multiprocessors share. */
GPU_FN int64_t gpu_nanoseconds(void)
{
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Copies one double asynchronously from global to shared memory. It is available to the calling thread after
 * gpu_copies_done, and to other threads after a barrier that follows. */
GPU_FN void gpu_copy(double *to, const double *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#else
    *to = *from;
#endif
}
GPU_FN void gpu_copies_done(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Keeps an offset or an address in a register; otherwise the compiler recomputes it from the kernel arguments at each
 * use. */
GPU_FN int gpu_once(int a)
{
    asm volatile("" : "+r"(a));
    return a;
}
GPU_FN double *gpu_once(double *a)
{
    asm volatile("" : "+l"(a));
    return a;
}
/* Has the compiler read a kernel argument here. */
GPU_FN void gpu_touch(const void *a)
{
    asm volatile("" ::"l"(a));
}
/* Stores two doubles to shared memory, 16-byte aligned, for the threads with `really` set, without a branch. */
GPU_FN void gpu_put(double *to, double x, double y, int really)
{
    asm volatile("{\n\t.reg .pred really;\n\t"
                 "setp.ne.s32 really, %3, 0;\n\t"
                 "@really st.shared.v2.f64 [%0], {%1, %2};\n\t}" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "d"(x), "d"(y), "r"(really)
                 : "memory");
}
/* The same by all threads in one store; after a branch the compiler would split it into two. Only a barrier orders it
 * with reads. */
GPU_FN void gpu_put_pair(double *to, double x, double y)
{
    asm volatile("st.shared.v2.f64 [%0], {%1, %2};" ::"r"((unsigned)__cvta_generic_to_shared(to)), "d"(x), "d"(y));
}

/* Loads two doubles for the threads with `really` set; x and y are unchanged for the others. The load is not waited
 * for before its first use. */
GPU_FN void gpu_get(double *x, double *y, const double *from, int really)
{
    asm volatile("{\n\t.reg .pred really;\n\t"
                 "setp.ne.s32 really, %3, 0;\n\t"
                 "@really ld.shared.v2.f64 {%0, %1}, [%2];\n\t}"
                 : "+d"(*x), "+d"(*y)
                 : "r"((unsigned)__cvta_generic_to_shared(from)), "r"(really)
                 : "memory");
}

/* c += a b by a warp: a is 16 x 4 numbers, of which this thread has row lane / 4, column lane % 4 (upper) and the one
 * 8 rows below it (lower); of b, 4 x 8, it has row lane % 4, column lane / 4. In c, 16 x 8, the thread has row lane /
 * 4, columns 2 (lane % 4) and the next one, and both of them 8 rows below. This function computes the upper half
 * alone. */
GPU_FN void gpu_multiply_upper(double *c, double upper, double b)
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(upper), "d"(b));
#endif
}
/* Computes both halves. */
GPU_FN void gpu_multiply(double *c, double upper, double lower, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(upper), "d"(lower), "d"(b));
#else
    gpu_multiply_upper(c, upper, b);
    gpu_multiply_upper(c + 2, lower, b);
#endif
}
/* Four such products, one after the other. */
GPU_FN void gpu_multiply_4(double *c, const double *upper, const double *lower, const double *b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
        "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(upper[0]), "d"(lower[0]), "d"(upper[1]), "d"(lower[1]), "d"(upper[2]), "d"(lower[2]), "d"(upper[3]),
          "d"(lower[3]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
    for (int i = 0; i < 4; i++)
        gpu_multiply(c, upper[i], lower[i], b[i]);
#endif
}

/* The bits of doubles. */
GPU_FN int gpu_high_word(double a)
{
    return __double2hiint(a);
}
GPU_FN double gpu_of_high_word(int high)
{
    return __hiloint2double(high, 0);
}
GPU_FN int gpu_leading_zeros(int a)
{
    return __clz(a);
}
/* -a if sign is 0x80000000, a if sign is 0. */
GPU_FN double gpu_flip(double a, int sign)
{
    return __hiloint2double(__double2hiint(a) ^ sign, __double2loint(a));
}
GPU_FN double gpu_reciprocal(double a)
{
    return __drcp_rn(a);
} /* correctly rounded */
/* The reciprocal within one unit in the last place, for numbers away from the ends of the exponent range: starts from
 * the hardware approximation of about 20 bits and triples the number of bits. It has no branches for extreme
 * exponents, and the compiler cannot move it behind the next branch. */
GPU_FN double gpu_reciprocal_near(double a)
{
    double r;
    asm volatile("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    double e = __fma_rn(-a, r, 1.0);
    return __fma_rn(r, __fma_rn(e, e, e), r);
}

/* sum += a b for matrices of 16 x 8 and 8 x 8 doubles in the registers of a warp, which calls as a whole. With lane = 4 g + t, a thread has
 * a(g, t), a(g + 8, t), a(g, t + 4), a(g + 8, t + 4); b(t, g), b(t + 4, g); sum(g, 2t), sum(g, 2t + 1), sum(g + 8, 2t), sum(g + 8, 2t + 1).
 * From sm_90 on. */
GPU_FN void gpu_multiply_add(double *sum, const double *a, const double *b)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#endif
}

/* True if this code may use the cluster functions below. */
#if __CUDA_ARCH__ >= 900
#define GPU_HAS_CLUSTERS true
#else
#define GPU_HAS_CLUSTERS false
#endif

/* After the threads of a warp have synchronised, one of them arrives at a barrier for all. racecheck of
 * compute-sanitizer counts an arrival only for the writes of the arriving thread, so in a build with PLUMB_RACECHECK
 * all threads arrive. */
#ifdef PLUMB_RACECHECK
enum { GPU_ALL_ARRIVE = 1 };
#else
enum { GPU_ALL_ARRIVE = 0 };
#endif
GPU_FN int gpu_arrivals(int threads)
{
    return GPU_ALL_ARRIVE ? threads : 1;
}
GPU_FN int gpu_arrives(int lane)
{
    return GPU_ALL_ARRIVE || lane == 0;
}

/* Marks a place where shuffles order the reads of some threads of a warp before the writes of others, which racecheck
 * does not recognise. */
GPU_FN void gpu_shuffles_order(void)
{
    if (GPU_ALL_ARRIVE)
        __syncwarp();
}

/* A kernel that was launched to start while its predecessor in the stream is still running waits here until that has
 * finished and its writes are visible. It must do so before it accesses global memory. In other kernels this does
 * nothing. */
GPU_FN void gpu_previous_done(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/* Allows the next kernel to start, and to wait. */
GPU_FN void gpu_next_may_begin(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)

/* A barrier in shared memory that completes a phase when all arrivals and all announced bytes have come. Phases have
 * parities 0, 1, 0, ...; waiting for a parity returns once the phase of that parity is complete. */
typedef uint64_t gpu_barrier;

GPU_FN unsigned gpu_shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}
GPU_FN void gpu_barrier_init(gpu_barrier *b, int arrivals)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(gpu_shared_address(b)), "r"(arrivals) : "memory");
}
GPU_FN void gpu_barrier_arrive(gpu_barrier *b)
{
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(gpu_shared_address(b))
                 : "memory");
}
/* Waits by polling, for events that are a few hundred cycles away. */
GPU_FN void gpu_barrier_wait(gpu_barrier *b, int parity)
{
    asm volatile("{\n\t.reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n\t"
                 "@done bra over;\n\t"
                 "bra again;\n\t"
                 "over:\n\t}" ::"r"(gpu_shared_address(b)),
                 "r"(parity)
                 : "memory");
}
/* The same for threads that should not slow down others: they sleep between polls if the GPU supports it. */
GPU_FN void gpu_barrier_sleep(gpu_barrier *b, int parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .pred done;\n\t"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n\t"
                 "@done bra over;\n\t"
                 "bra again;\n\t"
                 "over:\n\t}" ::"r"(gpu_shared_address(b)),
                 "r"(parity)
                 : "memory");
#else
    gpu_barrier_wait(b, parity);
#endif
}

/* A cluster of blocks, each of which can access the shared memory of the others. */
GPU_FN int gpu_cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}
GPU_FN int gpu_cluster_size(void)
{
    unsigned size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return (int)size;
}
/* A barrier of all its threads in two parts, of which the first one does not wait; gpu_cluster_come does not order memory accesses
 * either. */
GPU_FN void gpu_cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
GPU_FN void gpu_cluster_come(void)
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
GPU_FN void gpu_cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
GPU_FN void gpu_cluster_sync(void)
{
    gpu_cluster_arrive();
    gpu_cluster_wait();
}

/* Call after the last gpu_barrier_init, before the synchronisation that makes the barriers visible to other blocks. */
GPU_FN void gpu_barrier_init_done(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/* Arrives and announces bytes that will arrive by gpu_send. */
GPU_FN void gpu_barrier_expect(gpu_barrier *b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(gpu_shared_address(b)),
                 "r"(bytes)
                 : "memory");
}
/* The offset from an address in the shared memory of this block to the same place in block `rank` (its twin). */
typedef unsigned gpu_remote;
GPU_FN gpu_remote gpu_remote_of(int rank)
{
    unsigned own = gpu_shared_address(gpu_shared()), other;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(own), "r"(rank));
    return other - own;
}
/* Sends one double, 8 bytes. */
GPU_FN void gpu_send_one(gpu_remote where, double *to, double v, gpu_barrier *b)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(
                     gpu_shared_address(to) + where),
                 "d"(v), "r"(gpu_shared_address(b) + where)
                 : "memory");
}
/* Sends an even number of doubles asynchronously from the shared memory of this block to the twin of `to`; the bytes
 * count at the twin of b. The data must not change before they have arrived. Writes of other threads of the warp are
 * included if gpu_send_ready and gpu_sync_warp are called before. */
GPU_FN void gpu_send_many(gpu_remote where, double *to, const double *from, int doubles, gpu_barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     gpu_shared_address(to) + where),
                 "r"(gpu_shared_address(from)), "r"(doubles * 8), "r"(gpu_shared_address(b) + where)
                 : "memory");
}
/* Must be called by each thread that wrote data that will be sent. */
GPU_FN void gpu_send_ready(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/* A plain store to the twin of `to`, visible after the cluster has synchronised. */
GPU_FN void gpu_store_remote(gpu_remote where, double *to, double v)
{
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(gpu_shared_address(to) + where), "d"(v) : "memory");
}
/* Sends two doubles to the twin of `to`, 16-byte aligned; they count as 16 bytes at the twin of b. */
GPU_FN void gpu_send(gpu_remote where, double *to, double v0, double v1, gpu_barrier *b)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::"r"(
                     gpu_shared_address(to) + where),
                 "d"(v0), "d"(v1), "r"(gpu_shared_address(b) + where)
                 : "memory");
}
/* The same for the threads with `really` set only. */
GPU_FN void gpu_send_some(gpu_remote where, double *to, double v0, double v1, gpu_barrier *b, int really)
{
    asm volatile(
        "{\n\t.reg .pred really;\n\t"
        "setp.ne.s32 really, %4, 0;\n\t"
        "@really st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];\n\t}" ::"r"(
            gpu_shared_address(to) + where),
        "d"(v0), "d"(v1), "r"(gpu_shared_address(b) + where), "r"(really)
        : "memory");
}

#endif
#endif
#endif
