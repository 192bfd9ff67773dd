/* eval_kernels.c - evaluation of programs for one precision and kind on one instruction set; compiled like kernels.c. */

/* Vectors per lane on NEON: two in dd, because products depend on one another; one in qd, which fills the registers. */
#if PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#elif PLUMB_LIMBS == 2
#define LANE_VECTORS 2
#endif

#include "backend/cpu/kernels.h"
#include "method/eval_tmpl.h"

#if PLUMB_PARTS == 1
#define TABLE_NAME_(prec, isa) plumb_eval_real_##prec##_##isa
#else
#define TABLE_NAME_(prec, isa) plumb_eval_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const eval_kernels TABLE;

const eval_kernels TABLE = EVAL_KERNELS;
