/* arith_run.h - shared by the tests of the bits of the arithmetic: the kinds of operands, the instruction sets,
 * comparison of bits, and numbers printed in hexadecimal so that a failure can be reproduced. */
#ifndef PLUMB_ARITH_ARITH_RUN_H
#define PLUMB_ARITH_ARITH_RUN_H

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
    uint64_t a_bits, b_bits;
    memcpy(&a_bits, &a, sizeof a_bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    return a_bits == b_bits || (isnan(a) && isnan(b));
}

/* "    x = [0x1p+0, ...] + i [...]": the limbs of one number, plane doubles apart. */
static inline void show_number(const char *name, const double *limb, int64_t plane, int limbs, int parts)
{
    printf("    %-8s = ", name);
    for (int c = 0; c < limbs * parts; c++)
        printf("%s%a%s", c == limbs ? " + i [" : c == 0 ? "[" : ", ", limb[c * plane], (c + 1) % limbs == 0 ? "]" : "");
    printf("\n");
}

/* One number: limbs of the real part, then of the imaginary one. */
typedef struct number {
    double limb[8];
} number;

/* The number (re, im) of doubles; im is ignored by real kernels. */
static inline number number_of(int limbs, double re, double im)
{
    number x = {{0}};
    x.limb[0] = re;
    x.limb[limbs] = im;
    return x;
}

/* op(x, y, z) by the kernel of one instruction set: enough copies to fill its lanes and leave a tail. Returns the first; a
 * differing copy makes all limbs NaN, which no caller expects. Of y a mixed operation takes the leading limb. */
static inline number apply(const isa_kernels *isa, plumb_op op, int limbs, int parts, number x, number y, number z)
{
    enum { COPIES = 13 };
    double planes[4][8 * COPIES];
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < COPIES; i++) {
            planes[0][c * COPIES + i] = x.limb[c];
            planes[1][c * COPIES + i] = y.limb[c];
            planes[2][c * COPIES + i] = z.limb[c];
            planes[3][c * COPIES + i] = 0.0;
        }
    kernel_of(isa, op, limbs, parts)(&(map_job){.x = planes[0],
                                                .y = planes[1],
                                                .z = planes[2],
                                                .out = planes[3],
                                                .x_plane = COPIES,
                                                .y_plane = COPIES,
                                                .z_plane = COPIES,
                                                .out_plane = COPIES,
                                                .n = COPIES,
                                                .terms = 1});
    number result;
    int same = 1;
    for (int c = 0; c < 8; c++) {
        result.limb[c] = planes[3][c * COPIES];
        for (int i = 1; i < COPIES; i++)
            same &= same_bits(result.limb[c], planes[3][c * COPIES + i]);
    }
    for (int c = 0; c < 8 && !same; c++)
        result.limb[c] = NAN;
    return result;
}

static int64_t failures;

/* Counts a failure; shows the first two of each operation, precision and kind, with what is needed to repeat them. */
static inline void complain(const isa_kernels *isa, plumb_op op, int limbs, int parts, const char *what,
                            const number *x, const number *y, const number *z, const number *found)
{
    static int shown[PLUMB_OP_COUNT][PLUMB_QD + 1][PLUMB_COMPLEX + 1];
    failures++;
    if (shown[op][limbs][parts]++ >= 2)
        return;
    const number *operands[] = {x, y, z};
    static const char *const names[] = {"x", "y", "z"};
    printf("  %s %s %s on %s: %s\n", parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(limbs),
           plumb_op_name(op), isa->name, what);
    for (int k = 0; k < op_operands(op); k++) {
        int mixed = k == 1 && op_is_mixed(op);
        if (operands[k])
            show_number(names[k], operands[k]->limb, 1, mixed ? PLUMB_D : limbs, mixed ? PLUMB_REAL : parts);
    }
    show_number("found", found->limb, 1, op_out_limbs(op, limbs), op_out_parts(op, parts));
}

/* Half a unit in the last place bounds the next limb; after a zero, an infinity or a NaN there are only zeros. */
static inline int is_normalised(const double *limb, int limbs)
{
    for (int c = 1; c < limbs; c++) {
        int exponent;
        double most = 0.0;
        if (limb[c - 1] != 0.0 && isfinite(limb[c - 1])) {
            frexp(limb[c - 1], &exponent);
            most = exponent - 54 < -1074 ? 0.0 : ldexp(1.0, exponent - 54);
        }
        if (!(fabs(limb[c]) <= most))
            return 0;
    }
    return 1;
}

/* A test for each usable instruction set and precision. */
typedef void (*isa_test)(const isa_kernels *isa, int limbs);

static inline void for_every_isa(isa_test test)
{
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
        for (int limbs = PLUMB_D; limbs <= PLUMB_QD; limbs *= 2)
            if (plumb_cpu_isas[k]->usable())
                test(plumb_cpu_isas[k], limbs);
}

/* PLUMB_TEST_COUNT and PLUMB_TEST_SEED, where they are set. */
static inline int64_t test_count(int64_t otherwise)
{
    const char *text = getenv("PLUMB_TEST_COUNT");
    int64_t count = text ? strtoll(text, NULL, 10) : 0;
    return count > 0 ? count : otherwise;
}

static inline uint64_t test_seed(uint64_t otherwise)
{
    const char *text = getenv("PLUMB_TEST_SEED");
    return text ? strtoull(text, NULL, 0) : otherwise;
}

#endif
