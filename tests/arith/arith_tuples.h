/* arith_tuples.h - arrays of operand tuples, valid numbers or not, and the check that a machine computes exactly what
 * the scalar kernels do and writes nothing else; shared by t_arith_isa.c and t_arith_gpu.c.
 *
 * Every length from 1 to 40 occurs, so that each tail of each lane width does; strides are larger than the length; results
 * go to an array of their own or in place of an operand. */
#ifndef PLUMB_ARITH_ARITH_TUPLES_H
#define PLUMB_ARITH_ARITH_TUPLES_H

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arith_cases.h"
#include "arith_run.h"

enum { SHORT_LENGTHS = 40, LONG_LENGTH = 1000, MOST_TERMS = 4, FRONT = 3, SHOWN = 8 };

static const double guard = -0x1.23456789abcdep+200;

/* Planes in memory of exactly their size, so that a sanitizer sees an access beyond. FRONT doubles come first, so that
 * nothing is aligned. */
typedef struct block {
    double *memory, *data;
    int64_t size; /* doubles in memory */
    int64_t plane, col;
} block;

typedef struct tuples {
    block x, y, z, power;
    int64_t n, terms;
    int limbs, parts;
} tuples;

static inline block block_create(int64_t n, int64_t cols, int planes, int64_t gap)
{
    block b = {.col = n + gap, .plane = (n + gap) * cols + gap};
    b.size = FRONT + (planes - 1) * b.plane + (cols - 1) * b.col + n;
    b.memory = malloc((b.size > 0 ? (size_t)b.size : 1) * sizeof(double));
    assert_non_null(b.memory);
    b.data = b.memory + FRONT;
    for (int64_t k = 0; k < b.size; k++)
        b.memory[k] = guard;
    return b;
}

static inline block block_copy(const block *from)
{
    block b = *from;
    b.memory = malloc((size_t)b.size * sizeof(double));
    assert_non_null(b.memory);
    memcpy(b.memory, from->memory, (size_t)b.size * sizeof(double));
    b.data = b.memory + FRONT;
    return b;
}

static inline void block_destroy(block *b)
{
    free(b->memory);
}

/* ---- Operands ----------------------------------------------------------------------------------------------- */

static inline double special(plumb_random *rng)
{
    static const double values[] = {0.0,        -0.0,        INFINITY,         -INFINITY, NAN,
                                    DBL_MAX,    -DBL_MAX,    DBL_MIN,          -DBL_MIN,  0x1p-1074,
                                    -0x1p-1074, 0x1.8p-1040, -0x0.fffffp-1022, 1.0,       -1.0};
    return values[arith_below(rng, (int)(sizeof values / sizeof values[0]))];
}

/* Turns some numbers into special ones, and a few into limbs that are no number: the bits must agree even so. */
static inline void strew(plumb_random *rng, int limbs, double *x)
{
    int what = arith_below(rng, 48);
    if (what < 6) {
        x[0] = special(rng);
        for (int c = 1; c < limbs; c++)
            x[c] = 0.0;
    } else if (what == 6) {
        x[arith_below(rng, limbs)] = special(rng);
    }
}

/* Relations between real and imaginary parts that decide branches: a part missing, both of one size. */
static inline void relate_parts(plumb_random *rng, int limbs, double *re, double *im)
{
    int what = arith_below(rng, 24);
    for (int c = 0; c < limbs && what < 4; c++)
        switch (what) {
        case 0:
            re[c] = 0.0;
            break;
        case 1:
            im[c] = 0.0;
            break;
        case 2:
            im[c] = re[c];
            break;
        default:
            im[c] = -re[c];
            break;
        }
}

static inline void put(const block *b, int64_t i, int64_t j, int limbs, int parts, double limb[2][4])
{
    for (int part = 0; part < parts; part++)
        for (int c = 0; c < limbs; c++)
            b->data[(part * limbs + c) * b->plane + j * b->col + i] = limb[part][c];
}

static inline void fill_tuple(plumb_random *rng, tuples *t, int64_t i)
{
    enum arith_case sort = (enum arith_case)arith_below(rng, CASE_COUNT);
    double x[2][4], y[2][4], z[2][4], rest[4];
    for (int64_t j = 0; j < t->terms; j++) {
        for (int part = 0; part < t->parts; part++) {
            arith_pair(rng, sort, t->limbs, x[part], y[part]);
            if (j == 0) {
                arith_pair(rng, sort, t->limbs, z[part], rest);
                if (arith_below(rng, 4) == 0) { /* x y + z cancels */
                    z[part][0] = -x[part][0] * y[part][0];
                    for (int c = 1; c < t->limbs; c++)
                        z[part][c] = 0.0;
                }
                strew(rng, t->limbs, z[part]);
            }
            strew(rng, t->limbs, x[part]);
            strew(rng, t->limbs, y[part]);
        }
        if (t->parts == PLUMB_COMPLEX) {
            relate_parts(rng, t->limbs, x[0], x[1]);
            relate_parts(rng, t->limbs, y[0], y[1]);
        }
        put(&t->x, i, j, t->limbs, t->parts, x);
        put(&t->y, i, j, t->limbs, t->parts, y);
    }
    put(&t->z, i, 0, t->limbs, t->parts, z);
    t->power.data[i] = arith_below(rng, 16) ? ldexp(arith_sign(rng), arith_below(rng, 2098) - 1074) : special(rng);
}

static inline tuples tuples_create(int64_t n, int64_t terms, int limbs, int parts, int64_t gap)
{
    tuples t = {.n = n, .terms = terms, .limbs = limbs, .parts = parts};
    t.x = block_create(n, terms, limbs * parts, gap);
    t.y = block_create(n, terms, limbs * parts, gap + 1);
    t.z = block_create(n, 1, limbs * parts, gap + 2);
    t.power = block_create(n, 1, 1, gap);
    return t;
}

static inline tuples tuples_random(plumb_random *rng, int64_t n, int limbs, int parts)
{
    tuples t = tuples_create(n, 1 + arith_below(rng, MOST_TERMS), limbs, parts, arith_below(rng, 9));
    for (int64_t i = 0; i < n; i++)
        fill_tuple(rng, &t, i);
    return t;
}

static inline void tuples_destroy(tuples *t)
{
    block_destroy(&t->x);
    block_destroy(&t->y);
    block_destroy(&t->z);
    block_destroy(&t->power);
}

/* Operand k of an operation: the power of two of scale has a block of its own. */
static inline const block *operand(const tuples *t, plumb_op op, int k)
{
    const block *blocks[] = {&t->x, op == PLUMB_OP_SCALE ? &t->power : &t->y, &t->z};
    return blocks[k];
}

/* May the result take the place of operand k? It must be of the same kind and shape. */
static inline int may_replace(const tuples *t, plumb_op op, int k)
{
    int mixed = k == 1 && op_is_mixed(op);
    int limbs = mixed ? PLUMB_D : t->limbs, parts = mixed ? PLUMB_REAL : t->parts;
    return k < op_operands(op) && limbs == op_out_limbs(op, t->limbs) && parts == op_out_parts(op, t->parts) &&
           (op != PLUMB_OP_DOT || t->terms == 1);
}

/* ---- Checks ------------------------------------------------------------------------------------------------- */

static inline void show_failure(const char *where, const char *what, const tuples *t, plumb_op op, int64_t i,
                                const block *expected, const block *found)
{
    if (failures++ >= SHOWN)
        return;
    printf("  %s %s %s on %s: %s, entry %lld of %lld\n", t->parts == PLUMB_REAL ? "real" : "complex",
           plumb_prec_name(t->limbs), plumb_op_name(op), where, what, (long long)i, (long long)t->n);
    for (int k = 0; k < op_operands(op); k++) {
        static const char *const names[] = {"x", "y", "z"};
        const block *b = operand(t, op, k);
        int mixed = k == 1 && op_is_mixed(op);
        for (int64_t j = 0; j < (op == PLUMB_OP_DOT ? t->terms : 1); j++)
            show_number(names[k], b->data + j * b->col + i, b->plane, mixed ? PLUMB_D : t->limbs,
                        mixed ? PLUMB_REAL : t->parts);
    }
    int limbs = op_out_limbs(op, t->limbs), parts = op_out_parts(op, t->parts);
    show_number("expected", expected->data + i, expected->plane, limbs, parts);
    show_number("found", found->data + i, found->plane, limbs, parts);
}

/* The results must be those expected, and everything around them as it was before. */
static inline void check(const char *where, const char *what, const tuples *t, plumb_op op, const block *expected,
                         const block *before, const block *found)
{
    int planes = op_out_limbs(op, t->limbs) * op_out_parts(op, t->parts);
    block rest = block_copy(found);
    for (int64_t i = 0; i < t->n; i++) {
        int same = 1;
        for (int c = 0; c < planes; c++) {
            same &= same_bits(expected->data[c * expected->plane + i], found->data[c * found->plane + i]);
            rest.data[c * rest.plane + i] = before->data[c * before->plane + i];
        }
        if (!same)
            show_failure(where, what, t, op, i, expected, found);
    }
    if (memcmp(rest.memory, before->memory, (size_t)rest.size * sizeof(double)) != 0) {
        printf("  %s %s on %s, %s, %lld entries: wrote beside its results\n", plumb_prec_name(t->limbs),
               plumb_op_name(op), where, what, (long long)t->n);
        failures++;
    }
    block_destroy(&rest);
}

static inline block block_for_results(const tuples *t, plumb_op op)
{
    return block_create(t->n, 1, op_out_limbs(op, t->limbs) * op_out_parts(op, t->parts), 5);
}

static const char *const in_place[] = {"in place of x", "in place of y", "in place of z"};

/* Runs op with its result in out, which takes the place of operand `replaced` unless that is -1. */
static inline void run_kernel(const isa_kernels *isa, const tuples *t, plumb_op op, int replaced, const block *out)
{
    const block *b[3];
    for (int k = 0; k < 3; k++)
        b[k] = k == replaced ? out : operand(t, op, k);
    kernel_of(isa, op, t->limbs, t->parts)(&(map_job){.x = b[0]->data,
                                                      .y = b[1]->data,
                                                      .z = b[2]->data,
                                                      .out = out->data,
                                                      .x_plane = b[0]->plane,
                                                      .y_plane = b[1]->plane,
                                                      .z_plane = b[2]->plane,
                                                      .out_plane = out->plane,
                                                      .n = t->n,
                                                      .terms = t->terms,
                                                      .x_col = b[0]->col,
                                                      .y_col = b[1]->col});
}

/* ---- Many tuples ---------------------------------------------------------------------------------------------- */

typedef void (*tuples_test)(const tuples *t, plumb_op op);

/* count tuples of each precision and kind through every operation. */
static inline void for_all_tuples(int64_t count, uint64_t seed, tuples_test test)
{
    for (int limbs = PLUMB_D; limbs <= PLUMB_QD; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            plumb_random rng = plumb_random_start(seed + (uint64_t)(limbs * 4 + parts));
            int64_t n = 0;
            for (int64_t done = 0; n < SHORT_LENGTHS || done < count; done += n) {
                n = n < SHORT_LENGTHS ? n + 1 : LONG_LENGTH;
                tuples t = tuples_random(&rng, n, limbs, parts);
                for (int op = 0; op < PLUMB_OP_COUNT; op++)
                    if (op_exists((plumb_op)op, parts))
                        test(&t, (plumb_op)op);
                tuples_destroy(&t);
            }
        }
}

/* ---- Contraction -------------------------------------------------------------------------------------------- */

/* Operands for which a product fused with the sum that follows gives another result: one factor is s = 1 + 2^-27, whose square
 * rounds down by 2^-54, or a product that rounds by as little, and the rounded products cancel. */
typedef struct fused_case {
    const char *about;
    plumb_op op;
    int limbs, parts;
    double x[2][4], y[2][4], expected[2][4];
} fused_case;

#define S (1.0 + 0x1p-27)
#define R (1.0 + 0x1p-26)
static const fused_case fused_cases[] = {
    {"real part of a product", PLUMB_OP_MUL, 1, 2, {{S}, {S}}, {{S}, {S}}, {{0.0}, {2.0 * (1.0 + 0x1p-26)}}},
    {"imaginary part of a product", PLUMB_OP_MUL, 1, 2, {{S}, {-S}}, {{S}, {S}}, {{2.0 * (1.0 + 0x1p-26)}, {0.0}}},
    {"low products", PLUMB_OP_MUL, 2, 1, {{R, 0x1p-54 * S}}, {{R, -0x1p-54 * S}}, {{1.0 + 0x1p-25 + 0x1p-52, 0.0}}},
    {"lowest products",
     PLUMB_OP_MUL,
     4,
     1,
     {{R, 0, 0, 0x1p-170 * S}},
     {{R, 0, 0, -0x1p-170 * S}},
     {{1.0 + 0x1p-25 + 0x1p-52}}},
};

/* The same tuple in every entry, as many as fill each lane width and leave a tail. */
static inline tuples fused_tuples(const fused_case *f)
{
    tuples t = tuples_create(29, 1, f->limbs, f->parts, 0);
    for (int64_t i = 0; i < t.n; i++) {
        double x[2][4], y[2][4];
        memcpy(x, f->x, sizeof x);
        memcpy(y, f->y, sizeof y);
        put(&t.x, i, 0, f->limbs, f->parts, x);
        put(&t.y, i, 0, f->limbs, f->parts, y);
    }
    return t;
}

static inline block fused_expected(const fused_case *f, const tuples *t)
{
    block b = block_for_results(t, f->op);
    for (int64_t i = 0; i < t->n; i++) {
        double limb[2][4];
        memcpy(limb, f->expected, sizeof limb);
        put(&b, i, 0, f->limbs, f->parts, limb);
    }
    return b;
}

#endif
