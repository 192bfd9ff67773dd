/* kernels.h - the tables of compiled kernels, one an instruction set.
 *
 * kernels.c is compiled once for each instruction set and precision; each compilation fills one prec_kernels. NULL
 * means the operation does not exist for that kind (cmp of complex numbers). */
#ifndef PLUMB_CPU_KERNELS_H
#define PLUMB_CPU_KERNELS_H

#include "backend/backend.h"

typedef struct prec_kernels {
    map_kernel map[PLUMB_COMPLEX + 1][PLUMB_OP_COUNT]; /* [PLUMB_REAL or PLUMB_COMPLEX][op] */
} prec_kernels;

typedef struct isa_kernels {
    const char *name;
    int32_t lanes;
    int (*usable)(void);              /* does this processor have it? */
    const prec_kernels *prec[PLUMB_QD + 1]; /* by limb count: [1], [2], [4] */
} isa_kernels;

/* Slowest first; the last usable one is the default. */
extern const isa_kernels *const plumb_cpu_isas[];
extern const int32_t plumb_cpu_isa_count;

/* The named one, or the best usable one when name is NULL; NULL when it is not compiled in or not usable. */
const isa_kernels *plumb_cpu_isa_find(const char *name);

#endif
