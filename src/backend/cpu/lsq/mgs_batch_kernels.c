/* mgs_batch_kernels.c - modified Gram-Schmidt on groups of systems, for one precision and kind on one instruction set;
 * compiled like kernels.c. */

/* Vectors per lane on NEON, chosen by measurement: as many as the accumulators leave registers for. */
#if PLUMB_PARTS == 1 && PLUMB_LIMBS < 4
#define LANE_VECTORS 4
#elif PLUMB_PARTS == 1 || PLUMB_LIMBS == 1
#define LANE_VECTORS 3
#elif PLUMB_LIMBS == 2
#define LANE_VECTORS 2
#else
#define LANE_VECTORS 1
#endif

/* Two rows at a time where mgs_kernels.c has them, too. */
#if defined(__ARM_NEON) && PLUMB_LIMBS == 2 * PLUMB_PARTS
#define BATCH_ROWS 2
#endif

#include "backend/cpu/kernels.h"
#include "method/lsq/mgs_batch_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_NAME_(prec, isa) plumb_mgs_batch_real_##prec##_##isa
#else
#define TABLE_NAME_(prec, isa) plumb_mgs_batch_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const mgs_batch_kernel TABLE;

const mgs_batch_kernel TABLE = {LANE_WIDTH, BATCH_FN(load), BATCH_FN(solve)};
