/* lu_kernels.c - Gaussian elimination, residuals and corrections for one precision and kind on one instruction set; compiled
 * like kernels.c. */

/* Vectors per lane on NEON: few, as in mgs_kernels.c, because accumulators need the registers. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#elif PLUMB_LIMBS > 1
#define LANE_VECTORS 2
#endif

#include "backend/cpu/kernels.h"
#include "method/lsq/lu_tmpl.h"
#include "method/lsq/residual_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_NAME_(table, prec, isa) plumb_##table##_real_##prec##_##isa
#else
#define TABLE_NAME_(table, prec, isa) plumb_##table##_cplx_##prec##_##isa
#endif
#define TABLE_NAME(table, prec, isa) TABLE_NAME_(table, prec, isa)
#define TABLE(table) TABLE_NAME(table, PLUMB_PREC, PLUMB_ISA)

extern const lu_kernels TABLE(lu);
extern const residual_kernels TABLE(residual);

const lu_kernels TABLE(lu) = LU_KERNELS;
const residual_kernels TABLE(residual) = RESIDUAL_KERNELS;

_Static_assert(LANE_WIDTH <= LU_OVERHANG && LANE_WIDTH <= MGS_OVERHANG,
               "a lane may not reach further behind the last column than the padding");
