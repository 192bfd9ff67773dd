/* triangle_kernels.c - blocks of triangular systems and Cholesky factors for one precision and kind on one instruction set; compiled like
 * kernels.c. */

/* Vectors per lane on NEON, as in gemm_kernels.c. */
#if PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#else
#define LANE_VECTORS 2
#endif

/* Independent sums: as many as hide the latency of an FMA in d; one in qd, whose operations are independent enough. */
#define TRIANGLE_LANES (PLUMB_LIMBS == 1 ? 8 / PLUMB_PARTS : PLUMB_LIMBS == 2 ? 2 / PLUMB_PARTS : 1)

#include "backend/cpu/gemm/gemm.h"
#include "method/gemm/triangle_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_(prec, isa) plumb_triangle_real_##prec##_##isa
#else
#define TABLE_(prec, isa) plumb_triangle_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_(prec, isa)

extern const triangle_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA);
const triangle_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA) = TRIANGLE_KERNELS;
