/* groups.h - what groups of four warps need on capability 9.0 to multiply tiles of bytes in pairs of blocks: bulk copies to both blocks,
 * and barriers of the other one. The products themselves are in runtime/gpu.h (gpu_group_multiply). */
#ifndef PLUMB_BACKEND_CUDA_GEMM_GROUPS_H
#define PLUMB_BACKEND_CUDA_GEMM_GROUPS_H

#include "backend/cuda/runtime/gpu.h"

#if GPU_HAS_GROUPS
/* Copies from global memory; the bytes count at b. */
GPU_FN void group_bring(void *to, const void *from, int bytes, gpu_barrier *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     gpu_shared_address(to)),
                 "l"(from), "r"(bytes), "r"(gpu_shared_address(b))
                 : "memory");
}
/* The same to both blocks of a pair, where the bytes count at the twins of b. */
GPU_FN void group_bring_both(void *to, const void *from, int bytes, gpu_barrier *b)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], "
        "%4;" ::"r"(gpu_shared_address(to)),
        "l"(from), "r"(bytes), "r"(gpu_shared_address(b)), "h"((unsigned short)3)
        : "memory");
}
/* Arrives at the twin of b in block `rank` of the pair, if `really` is set. */
GPU_FN void group_arrive(gpu_barrier *b, int rank, int really)
{
    asm volatile(
        "{\n\t.reg .b32 twin;\n\t.reg .pred really;\n\t"
        "setp.ne.s32 really, %2, 0;\n\t"
        "mapa.shared::cluster.u32 twin, %0, %1;\n\t"
        "@really mbarrier.arrive.release.cluster.shared::cluster.b64 _, [twin];\n\t}" ::"r"(gpu_shared_address(b)),
        "r"(rank), "r"(really)
        : "memory");
}

/* The number of the group of this warp, which the compiler knows to be one for all of its threads. */
GPU_FN int group_number(void)
{
    return __shfl_sync(0xffffffffu, gpu_thread() / 128, 0);
}
/* Gives registers back, and takes them: for all warps of a group, in kernels with a maximum number of threads. */
template <int REGISTERS> GPU_FN void group_give_registers(void)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS> GPU_FN void group_take_registers(void)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

#endif
#endif
