/* mgs_kernels.c - modified Gram-Schmidt for one precision and kind on one instruction set; compiled like kernels.c. */

/* Vectors per lane on NEON: fewer than in kernels.c, because accumulators need the registers, and wide lanes extend
 * beyond the last columns of small matrices. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#else
#define LANE_VECTORS 2
#endif

#include "arith/number.h"
#include "backend/cpu/kernels.h"

/* Lanes per tile, and rows of a tile at a time; in d see below. The operations of qd consist of many independent
 * instructions, and leave few registers for a second lane or row. In dd a core with AVX-512 gains from two lanes and two rows
 * side by side, because the coefficients between the passes wait for their sums; with 16 registers there is no room for
 * them. A Neoverse-V1 finds independent instructions only among the next 30 or so vector instructions. There, two lanes
 * (real qd), two rows (complex qd) or both (real dd) side by side gain more than the registers cost that must be stored
 * meanwhile; in complex dd they do not (docs/notes/cpu-arithmetic.md). */
#ifndef MGS_LANES
#if PLUMB_LIMBS == 2 && (LANE_WIDTH == 8 || (defined(__ARM_NEON) && LANE_WIDTH > 1 && PLUMB_PARTS == 1))
#define MGS_LANES 2
#define MGS_TOGETHER 2
#define MGS_SUMS (LANE_WIDTH == 8 ? 1 : 2)
#define MGS_REMOVED_ROWS 2
#define MGS_PROJECTED_ROWS 2
#elif defined(__ARM_NEON) && LANE_WIDTH > 1
#define MGS_LANES (PLUMB_LIMBS == 1 || PLUMB_PARTS == 1 ? 2 : 1)
#define MGS_SUMS (PLUMB_LIMBS == 1 ? 2 : 1)
#define MGS_REMOVED_ROWS (PLUMB_LIMBS == 4 && PLUMB_PARTS == 2 ? 2 : 1)
#elif PLUMB_LIMBS > 1
#define MGS_LANES 1
#elif LANE_WIDTH == 8
#define MGS_LANES (PLUMB_PARTS == 1 ? 2 : 1)
#elif LANE_WIDTH == 1
#define MGS_LANES 8
#else
#define MGS_LANES (PLUMB_PARTS == 1 || LANE_WIDTH < 4 ? 4 : 2)
#endif
#endif

/* In d, what the kernels of mgs_blocks_tmpl.h keep in registers: sixteen vectors of sums, and eight to sixteen of entries,
 * with 32 registers, eight with 16. Complex tiles are as wide as a block: eight columns of 256 rows take 32 KiB, and most of
 * them stay in a first-level cache. */
#if PLUMB_LIMBS == 1
#ifndef MGS_STRIP
#if LANE_WIDTH == 8
#define MGS_STRIP (PLUMB_PARTS == 1 ? 2 : 1)
#define MGS_FACTORS 8
#define MGS_ROWS (PLUMB_PARTS == 1 ? 4 : 8)
#elif defined(__ARM_NEON) && LANE_WIDTH > 1
#define MGS_STRIP (PLUMB_PARTS == 1 ? 2 : 1)
#define MGS_FACTORS 4
#define MGS_ROWS 4
#else
#define MGS_STRIP 2
#define MGS_FACTORS (PLUMB_PARTS == 1 ? 4 : 2)
#define MGS_ROWS (PLUMB_PARTS == 1 ? 4 : 2)
#endif
#endif
#include "method/lsq/mgs_blocks_tmpl.h"
#else
#include "method/lsq/mgs_tiles_tmpl.h"
#endif

#if PLUMB_PARTS == 1
#define TABLE_NAME_(prec, isa) plumb_mgs_real_##prec##_##isa
#else
#define TABLE_NAME_(prec, isa) plumb_mgs_cplx_##prec##_##isa
#endif
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const mgs_kernels TABLE;

const mgs_kernels TABLE = MGS_KERNELS;

_Static_assert(LANE_WIDTH <= MGS_OVERHANG, "a lane may not reach further behind the last column than the padding");
