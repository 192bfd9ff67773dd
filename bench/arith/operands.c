/* operands.c - the arrays of plumb-bench arith: planes of random canonical numbers with all limbs in use.
 *
 * Planes are PAD doubles longer than the arrays. At exactly 1024 doubles all planes of all operands would begin at the
 * same offset in a page and evict one another from the first-level cache; the cache would be measured, not the
 * arithmetic. */
#include <stdlib.h>

#include "bench/arith/arith.h"

enum { PAD = 24, PLANE = BENCH_LENGTH + PAD, DOT_PLANE = BENCH_LENGTH * BENCH_TERMS + PAD };

typedef struct operand {
    int64_t offset, plane; /* into the one block of memory */
} operand;

/* The arrays for one precision and kind. */
typedef struct operand_set {
    operand x, y, z, positive, out, dot_x, dot_y, scalar, power;
} operand_set;

static operand reserve(int64_t *total, int64_t planes, int64_t plane)
{
    operand o = {*total, plane};
    *total += planes * plane;
    return o;
}

static operand_set reserve_set(int64_t *total, int32_t prec, int32_t parts)
{
    int64_t planes = (int64_t)prec * parts;
    operand_set s;
    s.x = reserve(total, planes, PLANE);
    s.y = reserve(total, planes, PLANE);
    s.z = reserve(total, planes, PLANE);
    s.positive = reserve(total, planes, PLANE);
    s.out = reserve(total, planes, PLANE);
    s.scalar = reserve(total, 1, PLANE);
    s.power = reserve(total, 1, PLANE);
    s.dot_x = reserve(total, planes, DOT_PLANE);
    s.dot_y = reserve(total, planes, DOT_PLANE);
    return s;
}

static void fill(double *memory, operand o, int32_t prec, int32_t parts, int64_t n, uint64_t *state)
{
    double limbs[PLUMB_QD];
    for (int32_t part = 0; part < parts; part++)
        for (int64_t i = 0; i < n; i++) {
            bench_random_limbs(state, prec, limbs);
            for (int32_t k = 0; k < prec; k++)
                memory[o.offset + (part * prec + k) * o.plane + i] = limbs[k];
        }
}

static void fill_set(double *memory, const operand_set *s, int32_t prec, int32_t parts)
{
    uint64_t state = 2013;
    fill(memory, s->x, prec, parts, BENCH_LENGTH, &state);
    fill(memory, s->y, prec, parts, BENCH_LENGTH, &state);
    fill(memory, s->z, prec, parts, BENCH_LENGTH, &state);
    fill(memory, s->positive, prec, parts, BENCH_LENGTH, &state);
    fill(memory, s->scalar, PLUMB_D, PLUMB_REAL, BENCH_LENGTH, &state);
    fill(memory, s->dot_x, prec, parts, (int64_t)BENCH_LENGTH * BENCH_TERMS, &state);
    fill(memory, s->dot_y, prec, parts, (int64_t)BENCH_LENGTH * BENCH_TERMS, &state);
    for (int64_t i = 0; i < BENCH_LENGTH; i++) {
        double *p = memory + s->positive.offset + i;
        if (p[0] < 0)
            for (int32_t k = 0; k < prec; k++)
                p[k * s->positive.plane] = -p[k * s->positive.plane];
        memory[s->power.offset + i] = bench_random_power(&state);
    }
}

static void set_job(bench_case *c, const operand_set *s, double *memory)
{
    bool dot = c->op == PLUMB_OP_DOT;
    operand x = dot ? s->dot_x : s->x, y = dot ? s->dot_y : s->y;
    if (c->op == PLUMB_OP_SQRT && c->parts == PLUMB_REAL)
        x = s->positive;
    if (c->op == PLUMB_OP_SCALE)
        y = s->power;
    else if (c->op == PLUMB_OP_ADD_D || c->op == PLUMB_OP_MUL_D || c->op == PLUMB_OP_DIV_D)
        y = s->scalar;
    c->operations = dot ? (int64_t)BENCH_LENGTH * BENCH_TERMS : BENCH_LENGTH;
    c->job = (map_job){
        .x = memory + x.offset,
        .x_plane = x.plane,
        .x_col = BENCH_LENGTH,
        .y = memory + y.offset,
        .y_plane = y.plane,
        .y_col = BENCH_LENGTH,
        .z = memory + s->z.offset,
        .z_plane = s->z.plane,
        .out = memory + s->out.offset,
        .out_plane = s->out.plane,
        .n = BENCH_LENGTH,
        .terms = dot ? BENCH_TERMS : 1,
    };
}

bool bench_operands_create(bench_run *run, double **memory)
{
    operand_set sets[PLUMB_QD + 1][PLUMB_COMPLEX + 1];
    int64_t total = 0;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            sets[prec][parts] = reserve_set(&total, prec, parts);
    *memory = aligned_alloc(64, (size_t)(total + 8) / 8 * 64);
    if (*memory == NULL)
        return false;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            fill_set(*memory, &sets[prec][parts], prec, parts);
    for (int32_t i = 0; i < run->case_count; i++)
        set_job(&run->cases[i], &sets[run->cases[i].prec][run->cases[i].parts], *memory);
    return true;
}
