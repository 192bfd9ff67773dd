/* system.c - the paper's system with a known root x: the last coefficient c of each equation becomes c - f(x) / m(x), where m is
 * its monomial. No term is added, so the evaluation takes as long as before. */
#include <stdlib.h>

#include "bench/eval/eval.h"
#include "bench/eval/system.h"
#include "bench/newton/newton.h"
#include "model/system/polynomial.h"

/* sum -= the limbs of part `part` of entry i. */
static void subtract_limbs(mpq_t sum, const plumb_view *view, int64_t i, int32_t part)
{
    mpq_t limb;
    mpq_init(limb);
    for (int32_t c = 0; c < view->prec; c++) {
        mpq_set_d(limb, view->data[(part * view->prec + c) * view->plane + i]);
        mpq_sub(sum, sum, limb);
    }
    mpq_clear(limb);
}

/* The terms first .. last - 1 of an equation; the last one has the coefficient 1 (monomial) or its own minus a quotient. */
static plumb_status copy_terms(const plumb_system *from, int64_t i, bool last_only, const plumb_view *quotients,
                               polynomial *to)
{
    plumb_status status = PLUMB_OK;
    const int64_t last = from->equation[i + 1] - 1;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t t = last_only ? last : from->equation[i]; t <= last && status == PLUMB_OK; t++) {
        const system_term *term = &from->terms[t];
        mpq_set(re, term->re);
        mpq_set(im, term->im);
        if (last_only) {
            mpq_set_ui(re, 1, 1);
            mpq_set_ui(im, 0, 1);
        } else if (t == last) {
            subtract_limbs(re, quotients, i, 0);
            subtract_limbs(im, quotients, i, 1);
        }
        status = plumb_poly_append(to, re, im, &from->factors[term->first], term->count, term->degree);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(to) : status;
}

static plumb_status derive(const plumb_system *from, bool last_only, const plumb_view *quotients, plumb_system **system)
{
    polynomial *equations = calloc((size_t)from->equations, sizeof *equations);
    plumb_status status = equations ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < from->equations && status == PLUMB_OK; i++)
        status = copy_terms(from, i, last_only, quotients, &equations[i]);
    if (status == PLUMB_OK)
        status =
            plumb_system_build(equations, from->equations, (const char *const *)from->names, from->unknowns, system);
    for (int64_t i = 0; equations && i < from->equations; i++)
        plumb_poly_clear(&equations[i]);
    free(equations);
    return status;
}

plumb_status bench_newton_system(plumb_context *context, int64_t n, plumb_system **system, plumb_view *root)
{
    bench_eval_system paper = {.name = "paper", .n = n};
    bench_eval_case at = {.of = &paper, .prec = PLUMB_QD, .points = 1};
    plumb_system *monomials = NULL;
    plumb_view divisors = {0};
    plumb_status status = bench_eval_system_create(&paper);
    if (status == PLUMB_OK)
        status = bench_eval_case_create(context, &at);
    if (status == PLUMB_OK)
        status = derive(paper.system, true, NULL, &monomials);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, 1, &divisors);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, paper.system, &at.x, &at.values, NULL, NULL);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, monomials, &at.x, &divisors, NULL, NULL);
    if (status == PLUMB_OK)
        status = plumb_map(context, PLUMB_OP_DIV, &at.values, &divisors, NULL, &at.values, NULL);
    if (status == PLUMB_OK)
        status = derive(paper.system, false, &at.values, system);
    if (status == PLUMB_OK) {
        *root = at.x;
        at.x.data = NULL;
    }
    bench_eval_case_destroy(context, &at);
    plumb_array_destroy(context, &divisors);
    plumb_system_destroy(monomials);
    plumb_system_destroy(paper.system);
    return status;
}
