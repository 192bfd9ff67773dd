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

/* Counts the cycles of a multiprocessor. */
GPU_FN int64_t gpu_cycles(void)
{
    return clock64();
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

/* Copies 16 bytes asynchronously from global to shared memory, both at multiples of 16 bytes. Copies are committed in groups; a wait
 * returns when at most `left` groups, the last ones, are still on their way. */
GPU_FN void gpu_copy_16(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from)
                 : "memory");
#endif
}
GPU_FN void gpu_copies_commit(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
#if __CUDA_ARCH__ >= 800
#define gpu_copies_wait(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")
#else
#define gpu_copies_wait(left)
#endif

/* sum + the products of the four bytes of two words, without signs. */
GPU_FN uint32_t gpu_dot_bytes(uint32_t a, uint32_t b, uint32_t sum)
{
    return __dp4a(a, b, sum);
}

/* Byte k of the result is the byte of a (0 to 3) or b (4 to 7) that digit k of the choice names. */
GPU_FN uint32_t gpu_pick_bytes(uint32_t a, uint32_t b, uint32_t choice)
{
    return __byte_perm(a, b, choice);
}

/* Loads four pieces of 8 rows of 16 bytes from shared memory: thread 8 q + r of a warp names row r of piece q, and each thread
 * receives bytes 4 (lane % 4) .. of row lane / 4 of each piece. */
GPU_FN void gpu_load_bytes(uint32_t *to, const void *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"((unsigned)__cvta_generic_to_shared(row)));
}
/* sum += a b^T by a warp for bytes: a is 16 x 32 (rows lane / 4 and 8 below, bytes 4 (lane % 4) ..; then the same 16 bytes further), b is 8 x
 * 32 (row lane / 4, the same bytes), sum is 16 x 8 (rows as those of a, columns 2 (lane % 4) and the next one). From sm_80 on. */
GPU_FN void gpu_multiply_bytes(int32_t *sum, const uint32_t *a, const uint32_t *b)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/* The same by a group of four warps, which starts at a warp whose number is a multiple of 4, from shared memory: sum += x y^T, where x
 * is 64 x 32 bytes, y is 256 x 32, rows are 128 bytes apart, and 16 bytes, number c of row r, are in place c ^ (r % 8); rows 0 lie at
 * multiples of 1024 bytes, from which x and y may be up to 96 bytes away. Warp w has rows 16 w .., and sum[4 j ..] are columns 8 j .. as
 * in gpu_multiply_bytes. Products between begin and end run until a later end; all that was written to shared memory must have
 * been made ready (gpu_send_ready) before a barrier. Only for capability 9.0 itself. */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define GPU_HAS_GROUPS 1
GPU_FN uint64_t gpu_group_operand(const void *p)
{
    const uint64_t at = (uint64_t)((unsigned)__cvta_generic_to_shared(p) & 0x3ffff) >> 4;
    return at | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 62; /* 8 rows take 1024 bytes; exchanged in 128 */
}
/* The sums stay in their registers while products are running. */
GPU_FN void gpu_group_keep(int32_t *sum)
{
    _Pragma("unroll") for (int s = 0; s < 128; s++) asm volatile("" : "+r"(sum[s])::"memory");
}
GPU_FN void gpu_group_begin(int32_t *sum)
{
    gpu_group_keep(sum);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
GPU_FN void gpu_group_multiply(int32_t *sum, const void *x, const void *y)
{
    asm volatile(
        "{\n\t.reg .pred add;\n\tsetp.ne.b32 add, 1, 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, add;\n\t}"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]), "+r"(sum[4]), "+r"(sum[5]), "+r"(sum[6]),
          "+r"(sum[7]), "+r"(sum[8]), "+r"(sum[9]), "+r"(sum[10]), "+r"(sum[11]), "+r"(sum[12]), "+r"(sum[13]),
          "+r"(sum[14]), "+r"(sum[15]), "+r"(sum[16]), "+r"(sum[17]), "+r"(sum[18]), "+r"(sum[19]), "+r"(sum[20]),
          "+r"(sum[21]), "+r"(sum[22]), "+r"(sum[23]), "+r"(sum[24]), "+r"(sum[25]), "+r"(sum[26]), "+r"(sum[27]),
          "+r"(sum[28]), "+r"(sum[29]), "+r"(sum[30]), "+r"(sum[31]), "+r"(sum[32]), "+r"(sum[33]), "+r"(sum[34]),
          "+r"(sum[35]), "+r"(sum[36]), "+r"(sum[37]), "+r"(sum[38]), "+r"(sum[39]), "+r"(sum[40]), "+r"(sum[41]),
          "+r"(sum[42]), "+r"(sum[43]), "+r"(sum[44]), "+r"(sum[45]), "+r"(sum[46]), "+r"(sum[47]), "+r"(sum[48]),
          "+r"(sum[49]), "+r"(sum[50]), "+r"(sum[51]), "+r"(sum[52]), "+r"(sum[53]), "+r"(sum[54]), "+r"(sum[55]),
          "+r"(sum[56]), "+r"(sum[57]), "+r"(sum[58]), "+r"(sum[59]), "+r"(sum[60]), "+r"(sum[61]), "+r"(sum[62]),
          "+r"(sum[63]), "+r"(sum[64]), "+r"(sum[65]), "+r"(sum[66]), "+r"(sum[67]), "+r"(sum[68]), "+r"(sum[69]),
          "+r"(sum[70]), "+r"(sum[71]), "+r"(sum[72]), "+r"(sum[73]), "+r"(sum[74]), "+r"(sum[75]), "+r"(sum[76]),
          "+r"(sum[77]), "+r"(sum[78]), "+r"(sum[79]), "+r"(sum[80]), "+r"(sum[81]), "+r"(sum[82]), "+r"(sum[83]),
          "+r"(sum[84]), "+r"(sum[85]), "+r"(sum[86]), "+r"(sum[87]), "+r"(sum[88]), "+r"(sum[89]), "+r"(sum[90]),
          "+r"(sum[91]), "+r"(sum[92]), "+r"(sum[93]), "+r"(sum[94]), "+r"(sum[95]), "+r"(sum[96]), "+r"(sum[97]),
          "+r"(sum[98]), "+r"(sum[99]), "+r"(sum[100]), "+r"(sum[101]), "+r"(sum[102]), "+r"(sum[103]), "+r"(sum[104]),
          "+r"(sum[105]), "+r"(sum[106]), "+r"(sum[107]), "+r"(sum[108]), "+r"(sum[109]), "+r"(sum[110]),
          "+r"(sum[111]), "+r"(sum[112]), "+r"(sum[113]), "+r"(sum[114]), "+r"(sum[115]), "+r"(sum[116]),
          "+r"(sum[117]), "+r"(sum[118]), "+r"(sum[119]), "+r"(sum[120]), "+r"(sum[121]), "+r"(sum[122]),
          "+r"(sum[123]), "+r"(sum[124]), "+r"(sum[125]), "+r"(sum[126]), "+r"(sum[127])
        : "l"(gpu_group_operand(x)), "l"(gpu_group_operand(y)));
}
/* Returns when at most `left` of the calls of this function have products that are running. */
GPU_FN void gpu_group_end(int32_t *sum, const int left)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (left)
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    else
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    gpu_group_keep(sum);
}
#else
#define GPU_HAS_GROUPS 0
#endif

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
