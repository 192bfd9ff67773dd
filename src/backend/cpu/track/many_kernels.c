/* many_kernels.c - the linear systems of several paths for one precision and instruction set; compiled like kernels.c, for
 * complex numbers only. */

/* Vectors per lane on NEON: as in eval_kernels.c, whose results are read. */
#if PLUMB_LIMBS == 4
#define LANE_VECTORS 1
#elif PLUMB_LIMBS == 2
#define LANE_VECTORS 2
#endif

#include "backend/cpu/kernels.h"
#include "backend/cpu/track/team_of_one.h"
#include "method/track/many_tmpl.h"
#include "method/track/track_tmpl.h"

#include "method/track/many_steps_tmpl.h"

#if PLUMB_LIMBS == 1
#include "method/track/walk_tmpl.h"
#define WALK_KERNELS MANY(walk_combine), MANY(walk_tick)
#else
#define WALK_KERNELS NULL, NULL
#endif

#define TABLE_NAME_(prec, isa) plumb_track_many_##prec##_##isa
#define TABLE_NAME(prec, isa) TABLE_NAME_(prec, isa)
#define TABLE TABLE_NAME(PLUMB_PREC, PLUMB_ISA)

extern const track_many_kernels TABLE;

const track_many_kernels TABLE = {LANE_WIDTH,      MANY(gather),  MANY(scatter), MANY(moduli),  MANY(combine),
                                  MANY(eliminate), MANY(correct), MANY(decide),  MANY(predict), WALK_KERNELS};
