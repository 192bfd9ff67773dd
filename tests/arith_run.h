/* arith_run.h - what the tests of the arithmetic's bits share: the kinds of an operation's operands, the instruction sets,
 * comparing bits, and numbers shown in hexadecimal so that a failure can be repeated. */
#ifndef PLUMB_TESTS_ARITH_RUN_H
#define PLUMB_TESTS_ARITH_RUN_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "plumb.h"

static inline int op_operands(plumb_op op)
{
#define COUNT(code, name, count) count,
    static const int counts[] = {PLUMB_OP_LIST(COUNT)};
#undef COUNT
    return counts[op];
}

/* Is y a real array of doubles, whatever x is? */
static inline int op_is_mixed(plumb_op op)
{
    return op == PLUMB_OP_ADD_D || op == PLUMB_OP_MUL_D || op == PLUMB_OP_DIV_D || op == PLUMB_OP_SCALE;
}

static inline int op_exists(plumb_op op, int parts)
{
    return op != PLUMB_OP_CMP || parts == PLUMB_REAL;
}

static inline int op_out_limbs(plumb_op op, int limbs)
{
    return op == PLUMB_OP_CMP ? 1 : limbs;
}

static inline int op_out_parts(plumb_op op, int parts)
{
    return op == PLUMB_OP_ABS ? PLUMB_REAL : parts;
}

static inline map_kernel kernel_of(const isa_kernels *isa, plumb_op op, int limbs, int parts)
{
    return isa->prec[limbs]->map[parts][op];
}

/* Equal bits; any NaN equals any other, since payload and sign of a NaN differ between machines. */
static inline int same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* "    x = [0x1p+0, ...] + i [...]": the limbs of one number, plane doubles apart. */
static inline void show_number(const char *name, const double *limb, int64_t plane, int limbs, int parts)
{
    printf("    %-8s = ", name);
    for (int c = 0; c < limbs * parts; c++)
        printf("%s%a%s", c == limbs ? " + i [" : c == 0 ? "[" : ", ", limb[c * plane], (c + 1) % limbs == 0 ? "]" : "");
    printf("\n");
}

/* PLUMB_TEST_COUNT and PLUMB_TEST_SEED, where they are set. */
static inline int64_t test_count(int64_t otherwise)
{
    const char *text = getenv("PLUMB_TEST_COUNT");
    int64_t count = text ? atoll(text) : 0;
    return count > 0 ? count : otherwise;
}

static inline uint64_t test_seed(uint64_t otherwise)
{
    const char *text = getenv("PLUMB_TEST_SEED");
    return text ? strtoull(text, NULL, 0) : otherwise;
}

#endif
