/* mgs_batch_kernels.c - modified Gram-Schmidt on groups of systems, for one precision and kind on one instruction set;
 * compiled like kernels.c. */

#ifndef BATCH_TRY
/* Vectors a lane on NEON, and columns at a time, by measurement: what the accumulators leave of the registers. */
#define LANE_VECTORS 2
#define MGS_BATCH_COLUMNS 2
#endif

#include "backend/cpu/kernels.h"
#include "method/mgs_batch_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_NAME_(prec, isa) plumb_mgs_batch_real_##prec##_##isa
#else
#define TABLE_NAME_(prec, isa) plumb_mgs_batch_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const mgs_batch_kernel TABLE;

const mgs_batch_kernel TABLE = {LANE_WIDTH, BATCH_FN(solve)};
