/* kernels.c - the table of one precision on one instruction set. Compiled once for each, with
 * -DPLUMB_PREC=dd -DPLUMB_LIMBS=2 -DPLUMB_ISA=avx2 -DPLUMB_LANE_HEADER=\"arith/lane_avx2.h\" and the flags of the set. */
#include "backend/cpu/kernels.h"
#include "method/map_tmpl.h"

#define TABLE_NAME_(prec, isa) plumb_kernels_##prec##_##isa
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)

extern const prec_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA);

const prec_kernels TABLE_NAME(PLUMB_PREC, PLUMB_ISA) = {
    .map = {[PLUMB_REAL] = {MAP_REAL_KERNELS}, [PLUMB_COMPLEX] = {MAP_CPLX_KERNELS}},
};
