/* kernels.c - the kernels for one precision and kind on one instruction set. It is compiled once for each, with
 * -DPLUMB_PREC=dd -DPLUMB_LIMBS=2 -DPLUMB_PARTS=1 (real) or 2 (complex) -DPLUMB_ISA=avx2
 * -DPLUMB_LANE_HEADER=\"arith/lane_avx2.h\" and the flags of the set. Real and complex kernels are compiled
 * separately, because they use the registers differently; see arith/lane_neon.h. */
#include "backend/cpu/kernels.h"
#include "method/map_tmpl.h"

#if PLUMB_PARTS == 1
#define LIST_NAME_(prec, isa) plumb_kernels_real_##prec##_##isa
#else
#define LIST_NAME_(prec, isa) plumb_kernels_cplx_##prec##_##isa
#endif
#define LIST_NAME(prec, isa) LIST_NAME_(prec, isa)
#define LIST LIST_NAME(PLUMB_PREC, PLUMB_ISA)

extern const map_kernel LIST[PLUMB_OP_COUNT];

const map_kernel LIST[PLUMB_OP_COUNT] = {MAP_KERNELS};
