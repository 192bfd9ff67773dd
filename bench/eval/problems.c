/* problems.c - makes the systems and points of plumb-bench eval, evaluates them and counts the instructions. */
#include <stdlib.h>

#include "backend/cpu/eval/eval.h"
#include "bench/common/peak.h"
#include "bench/eval/eval.h"
#include "bench/eval/system.h"
#include "model/program/program.h"
#include "model/system/polynomial.h"
#include "solver/eval/eval.h"

/* ---- Systems --------------------------------------------------------------------------------------------------- */

typedef struct gathering {
    polynomial *equations;
    plumb_status status;
} gathering;

static void set_limbs(mpq_t sum, const double *limbs)
{
    mpq_t limb;
    mpq_init(limb);
    mpq_set_ui(sum, 0, 1);
    for (int c = 0; c < 4; c++) {
        mpq_set_d(limb, limbs[c]);
        mpq_add(sum, sum, limb);
    }
    mpq_clear(limb);
}

static void add_term(void *data, const bench_eval_term *t)
{
    gathering *g = data;
    system_factor factors[EVAL_MOST];
    int32_t degree = 0;
    mpq_t re, im;
    if (g->status != PLUMB_OK)
        return;
    for (int j = 0; j < t->count; j++) {
        factors[j] = (system_factor){t->unknown[j], t->exponent[j]};
        degree += t->exponent[j];
    }
    mpq_inits(re, im, NULL);
    set_limbs(re, t->coefficient);
    set_limbs(im, t->coefficient + 4);
    g->status = plumb_poly_append(&g->equations[t->equation], re, im, factors, t->count, degree);
    mpq_clears(re, im, NULL);
}

static plumb_status build(const char *kind, int64_t n, const double *constants, int64_t size, polynomial *equations,
                          plumb_system **system)
{
    gathering g = {equations, PLUMB_OK};
    char names[EVAL_MOST + 1][8];
    const char *name[EVAL_MOST + 1];
    for (int64_t v = 0; v < size; v++) {
        snprintf(names[v], sizeof names[v], "x%d", (int)v % 1000);
        name[v] = names[v];
    }
    bench_eval_terms(kind, n, BENCH_EVAL_SEED, add_term, &g);
    for (int64_t i = 0; constants != NULL && i < size; i++) {
        bench_eval_term t = {.equation = i};
        for (int c = 0; c < 8; c++)
            t.coefficient[c] = -constants[8 * i + c];
        add_term(&g, &t);
    }
    for (int64_t i = 0; i < size && g.status == PLUMB_OK; i++)
        g.status = plumb_poly_normalise(&equations[i]);
    return g.status == PLUMB_OK ? plumb_system_build(equations, size, name, size, system) : g.status;
}

plumb_status bench_eval_system_build(const char *name, int64_t n, const double *constants, plumb_system **system)
{
    int64_t size = bench_eval_size(name, n);
    if (size <= 0)
        return PLUMB_ERR_ARGUMENT;
    polynomial *equations = calloc((size_t)size, sizeof *equations);
    if (equations == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_status status = build(name, n, constants, size, equations, system);
    for (int64_t i = 0; i < size; i++)
        plumb_poly_clear(&equations[i]);
    free(equations);
    return status;
}

/* The steps of an evaluation on the counting lane. */
static plumb_status count(bench_eval_system *s, const eval_program *p, int32_t prec)
{
    const double *coefficients;
    int64_t term, flops, others, planes = (int64_t)PLUMB_COMPLEX * prec;
    plumb_status status = plumb_system_coefficients(s->system, p, prec, PLUMB_COMPLEX, &coefficients, &term);
    if (status != PLUMB_OK)
        return status;
    size_t doubles = (size_t)p->slots * (size_t)planes + 2 * (size_t)p->most_factors * (size_t)planes;
    double *memory = calloc(doubles, sizeof *memory);
    if (memory == NULL)
        return PLUMB_ERR_MEMORY;
    eval_job job = {p, coefficients, memory, memory + (size_t)p->slots * (size_t)planes, 1};
    bench_count_eval(prec, PLUMB_COMPLEX, &job, &flops, &others);
    s->instructions[prec] = (double)(flops + others);
    free(memory);
    return PLUMB_OK;
}

plumb_status bench_eval_system_create(bench_eval_system *s)
{
    const eval_program *p = NULL;
    plumb_status status = bench_eval_system_build(s->name, s->n, NULL, &s->system);
    if (status == PLUMB_OK)
        status = plumb_program_of(s->system, &p);
    for (int32_t prec = PLUMB_D; status == PLUMB_OK && prec <= PLUMB_QD; prec *= 2)
        status = count(s, p, prec);
    if (status == PLUMB_OK) {
        s->products = p->products;
        s->sum_terms = p->sum_terms;
    }
    return status;
}

/* ---- Points ---------------------------------------------------------------------------------------------------- */

static plumb_status fill(bench_eval_case *c)
{
    int64_t n = c->x.rows, width = (int64_t)2 * c->prec;
    double *numbers = calloc((size_t)c->points, (size_t)(n * width) * sizeof *numbers);
    if (numbers == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < c->points; k++)
        bench_eval_point((uint64_t)(BENCH_EVAL_SEED + 1000 * k), n, c->prec, numbers + k * n * width);
    plumb_status status = plumb_pack(numbers, &c->x);
    free(numbers);
    c->start = c->x.data[0];
    return status;
}

plumb_status bench_eval_case_create(plumb_context *context, bench_eval_case *c)
{
    int64_t n = plumb_system_unknowns(c->of->system), m = plumb_system_equations(c->of->system);
    const struct {
        plumb_view *view;
        int64_t rows, cols;
    } arrays[] = {{&c->x, n, 1}, {&c->values, m, 1}, {&c->jacobians, m, n}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        plumb_status status = plumb_array_create(context, PLUMB_HOST, c->prec, PLUMB_COMPLEX, arrays[k].rows,
                                                 arrays[k].cols, c->points, arrays[k].view);
        if (status != PLUMB_OK)
            return status;
    }
    return fill(c);
}

void bench_eval_case_destroy(plumb_context *context, bench_eval_case *c)
{
    plumb_array_destroy(context, &c->x);
    plumb_array_destroy(context, &c->values);
    plumb_array_destroy(context, &c->jacobians);
}

plumb_status bench_eval_once(plumb_context *context, bench_eval_case *c)
{
    plumb_status status = plumb_system_eval(context, c->of->system, &c->x, &c->values, &c->jacobians, NULL);
    c->x.data[0] = c->start + bench_eval_pull * c->values.data[0];
    return status;
}

double bench_eval_checksum(const bench_eval_case *c)
{
    double re = 0, im = 0;
    const plumb_view *views[] = {&c->values, &c->jacobians};
    for (size_t k = 0; k < 2; k++)
        for (int64_t j = 0; j < views[k]->cols; j++)
            for (int64_t i = 0; i < views[k]->rows; i++) {
                const double *z = views[k]->data + j * views[k]->col + i;
                re += z[0];
                im += z[c->prec * views[k]->plane];
            }
    return hypot(re, im);
}

double bench_eval_floor_ns(const bench_eval_run *run, const bench_eval_case *c)
{
    return run->lane_ops > 0 ? c->of->instructions[c->prec] / run->lane_ops : (double)NAN;
}

double bench_eval_rival(const bench_eval_case *c)
{
    const bench_eval_case *with = c->like != NULL ? c->like : c;
    return bench_times_best(&with->peer[c->prec == PLUMB_D ? EVALUATOR_DOUBLE : EVALUATOR_LIBQD].times);
}
