/* half.h - numbers in the kernels of eval.cu and eval_global.cu. In dd and qd two neighbouring threads compute the
 * two parts of a complex number; they read the same operands in swapped order. The doubles of a number are adjacent. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_HALF_H
#define PLUMB_BACKEND_CUDA_EVAL_HALF_H

#include "backend/cuda/eval/gpu.h"
#include "backend/cuda/runtime/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/product.h"
#include "backend/cuda/eval/number.h"

/* HALVES: a thread computes one part of a number. In d it computes both, because finding the operands is most of the
 * work. */
enum {
    EVAL_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    HALVES = PLUMB_PARTS == 2 && PLUMB_LIMBS > 1,
    EACH = HALVES ? 1 : PLUMB_PARTS /* parts per thread */
};

/* Reads a part of a number; with one limb, both parts are read together and only once. */
GPU_FN real part_at(const double *number, int part)
{
    enum { COUNT = PLUMB_LIMBS == 1 ? EVAL_PLANES : PLUMB_LIMBS };
    double v[COUNT];
    get_doubles<COUNT>(PLUMB_LIMBS == 1 ? number : number + part * PLUMB_LIMBS, v);
    return real_load(PLUMB_LIMBS == 1 ? v + part : v, 1, 1);
}

/* Stores the parts that a thread has computed. */
GPU_FN void put_parts(double *number, int half, const real *made)
{
    double v[EACH * PLUMB_LIMBS];
    LANE_UNROLL
    for (int e = 0; e < EACH; e++)
        real_store(v + e * PLUMB_LIMBS, 1, made[e], 1);
    put_doubles<EACH * PLUMB_LIMBS>(number + half * PLUMB_LIMBS, v);
}

/* Part `half` of a product is are * first + aim * second, where first is that part of b and second is its other part,
 * negated for the real part. */
typedef struct half_factors {
    real are, aim, first, second;
} half_factors;

#if PLUMB_PARTS == 2
/* a for half 1, -a for half 0, without a branch if the half is not known at compile time. */
GPU_FN real real_for_half(real a, int half)
{
    if (!HALVES)
        return half ? a : real_neg(a);
    double limb[PLUMB_LIMBS];
    const lane_int sign = half ? 0 : (lane_int)1 << 63;
    real_store(limb, 1, a, 1);
    LANE_UNROLL
    for (int c = 0; c < PLUMB_LIMBS; c++)
        limb[c] = lane_from_int(lane_to_int(limb[c]) ^ sign);
    return real_load(limb, 1, 1);
}
#endif

GPU_FN half_factors half_load(const double *a, const double *b, int half)
{
    half_factors f;
    f.are = part_at(a, 0);
#if PLUMB_PARTS == 2
    f.aim = part_at(a, 1);
    f.first = part_at(b, half);
    f.second = real_for_half(part_at(b, 1 - half), half);
#else
    (void)half;
    f.first = part_at(b, 0);
#endif
    return f;
}

GPU_FN real half_product(half_factors f)
{
#if PLUMB_PARTS == 2
    return real_acc_value(real_acc_add(real_acc_start(f.are, f.first), f.aim, f.second));
#else
    return real_mul(f.are, f.first);
#endif
}

GPU_FN real_acc half_add(real_acc sum, half_factors f)
{
    sum = real_acc_add(sum, f.are, f.first);
#if PLUMB_PARTS == 2
    sum = real_acc_add(sum, f.aim, f.second);
#endif
    return sum;
}

#endif
