/* lane_cuda.h - a lane of one double in a GPU thread. The compiler never contracts the _rn intrinsics into an FMA. */
#ifndef PLUMB_ARITH_LANE_CUDA_H
#define PLUMB_ARITH_LANE_CUDA_H

#include <stdint.h>

#define LANE_FN static __device__ __forceinline__
#define LANE_WIDTH 1

typedef double lane;
typedef bool lane_mask;
typedef uint64_t lane_int;

LANE_FN lane lane_set(double a) { return a; }
LANE_FN lane lane_load(const double *p) { return *p; }
LANE_FN void lane_store(double *p, lane a) { *p = a; }

LANE_FN lane lane_add(lane a, lane b) { return __dadd_rn(a, b); }
LANE_FN lane lane_sub(lane a, lane b) { return __dsub_rn(a, b); }
LANE_FN lane lane_mul(lane a, lane b) { return __dmul_rn(a, b); }
LANE_FN lane lane_div(lane a, lane b) { return __ddiv_rn(a, b); }
LANE_FN lane lane_sqrt(lane a) { return __dsqrt_rn(a); }
LANE_FN lane lane_fma(lane a, lane b, lane c) { return __fma_rn(a, b, c); }
LANE_FN lane lane_fnma(lane a, lane b, lane c) { return __fma_rn(-a, b, c); }
LANE_FN lane lane_abs(lane a) { return fabs(a); }
LANE_FN lane lane_neg(lane a) { return -a; }

LANE_FN lane_mask lane_lt(lane a, lane b) { return a < b; }
LANE_FN lane_mask lane_eq(lane a, lane b) { return a == b; }
/* This runs on the integer pipe; comparisons of doubles would occupy the pipe of the arithmetic. */
LANE_FN lane_mask lane_is_finite(lane a) { return (__double2hiint(a) & 0x7ff00000) != 0x7ff00000; }
LANE_FN lane lane_select(lane_mask m, lane a, lane b) { return m ? a : b; }
LANE_FN lane lane_keep(lane_mask m, lane a) { return m ? a : 0.0; }
LANE_FN lane_mask lane_mask_and(lane_mask a, lane_mask b) { return a && b; }
LANE_FN lane_mask lane_mask_or(lane_mask a, lane_mask b) { return a || b; }

LANE_FN lane_int lane_to_int(lane a) { return (lane_int)__double_as_longlong(a); }
LANE_FN lane lane_from_int(lane_int a) { return __longlong_as_double((long long)a); }
LANE_FN lane_int lane_int_set(uint64_t a) { return a; }
LANE_FN lane_int lane_int_add(lane_int a, lane_int b) { return a + b; }
LANE_FN lane_int lane_int_sub(lane_int a, lane_int b) { return a - b; }
LANE_FN lane_int lane_int_and(lane_int a, lane_int b) { return a & b; }
LANE_FN lane_int lane_int_shr(lane_int a, int k) { return a >> k; }
LANE_FN lane_int lane_int_shl(lane_int a, int k) { return a << k; }

#endif
