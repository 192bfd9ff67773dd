/* gemm_kernels.c - products of matrices for one precision and kind on one instruction set; compiled like kernels.c. */

/* Vectors per lane on NEON: few, because the accumulators of a tile need the registers. */
#if PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#else
#define LANE_VECTORS 2
#endif

#include "arith/number.h"
#include "backend/cpu/gemm/gemm.h"

/* In d a tile fills the registers with sums, as many as hide the latency of an FMA twice over; each entry of B that is
 * loaded serves all lanes of a tile. In dd and qd the operations of one accumulator are themselves a dozen to a hundred
 * independent instructions, and what counts is that they stay in registers. */
#ifndef GEMM_LANES
#if PLUMB_LIMBS == 1
#if LANE_WIDTH == 8
#define GEMM_LANES (PLUMB_PARTS == 1 ? 3 : 2)
#define GEMM_COLS (PLUMB_PARTS == 1 ? 8 : 4)
#else
#define GEMM_LANES (PLUMB_PARTS == 1 ? 2 : 1)
#define GEMM_COLS (PLUMB_PARTS == 1 ? 4 : 2)
#endif
#elif PLUMB_LIMBS == 2
#define GEMM_LANES (LANE_WIDTH == 8 && PLUMB_PARTS == 1 ? 2 : 1)
#define GEMM_COLS (LANE_WIDTH == 8 || PLUMB_PARTS == 1 ? 2 : 1)
#else
#define GEMM_LANES 1
#define GEMM_COLS 1
#endif
#endif

#include "method/gemm/gemm_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_(prec, isa) plumb_gemm_real_##prec##_##isa
#else
#define TABLE_(prec, isa) plumb_gemm_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_(prec, isa)

extern const gemm_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA);
const gemm_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA) = GEMM_KERNELS;
