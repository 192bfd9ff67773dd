/* mgs_wide_kernels.c - modified Gram-Schmidt for large matrices, for one precision and kind on one instruction set; compiled like
 * kernels.c. */

/* Vectors per lane on NEON: as in mgs_kernels.c. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#else
#define LANE_VECTORS 2
#endif

#include "arith/number.h"
#include "backend/cpu/kernels.h"

/* In d as many sums, or entries, as fill half of the registers, so that the latency of FMAs is hidden and a number that is loaded serves
 * several of them. In dd and qd the operations of one accumulator are a dozen to a hundred mostly independent instructions: two columns or
 * rows at a time in dd, where the registers suffice, and one in qd. */
#if PLUMB_LIMBS == 1
#if LANE_WIDTH == 8
#define WIDE_STRIP 2
#define WIDE_FACTORS (PLUMB_PARTS == 1 ? 8 : 4)
#define WIDE_ROWS (PLUMB_PARTS == 1 ? 8 : 4)
#elif defined(__ARM_NEON) && LANE_WIDTH > 1
#define WIDE_STRIP 1
#define WIDE_FACTORS (PLUMB_PARTS == 1 ? 8 : 4)
#define WIDE_ROWS (PLUMB_PARTS == 1 ? 8 : 4)
#else
#define WIDE_STRIP 1
#define WIDE_FACTORS (PLUMB_PARTS == 1 ? 8 : 4)
#define WIDE_ROWS (PLUMB_PARTS == 1 ? 8 : 4)
#endif
#elif PLUMB_LIMBS == 2 && LANE_WIDTH == 8
#define WIDE_FACTORS (PLUMB_PARTS == 1 ? 4 : 2)
#define WIDE_ROWS (PLUMB_PARTS == 1 ? 4 : 2)
#endif

#include "method/lsq/mgs_wide_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_(prec, isa) plumb_mgs_wide_real_##prec##_##isa
#else
#define TABLE_(prec, isa) plumb_mgs_wide_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_(prec, isa)

extern const mgs_wide_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA);
const mgs_wide_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA) = MGS_WIDE_KERNELS;
