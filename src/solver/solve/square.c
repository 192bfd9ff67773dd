/* square.c - random combinations of the equations of an overdetermined system; see simplify.h.
 *
 * The equations are ordered by degree. Equation i of the n of the highest degrees gets a random combination of those behind
 * them added, so that its degree stays, and the number of paths is as small as it can be for generic combinations. Each is
 * first multiplied by a power of two such that its largest coefficient is about 1. By Bertini's theorem the other solutions
 * of the result are isolated and regular, for almost all combinations. */
#include <stdlib.h>

#include "base/number/random.h"
#include "model/system/polynomial.h"
#include "solver/solve/simplify.h"

typedef struct ordered_equation {
    int64_t equation, degree;
} ordered_equation;

static int by_degree(const void *a, const void *b)
{
    const ordered_equation *x = a, *y = b;
    if (x->degree != y->degree)
        return x->degree > y->degree ? -1 : 1;
    return x->equation < y->equation ? -1 : 1;
}

/* The exponent of two of the largest coefficient. */
static int64_t size_of(const plumb_system *system, int64_t e)
{
    int64_t most = INT64_MIN;
    for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++)
        for (int part = 0; part < 2; part++) {
            mpq_srcptr c = part == 0 ? system->terms[k].re : system->terms[k].im;
            if (mpq_sgn(c) == 0)
                continue;
            const int64_t size = (int64_t)mpz_sizeinbase(mpq_numref(c), 2) - (int64_t)mpz_sizeinbase(mpq_denref(c), 2);
            most = size > most ? size : most;
        }
    return most;
}

/* p += (re + i im) 2^-size times equation e. */
static plumb_status add(const plumb_system *system, int64_t e, double re, double im, polynomial *p)
{
    const int64_t size = size_of(system, e);
    plumb_status status = PLUMB_OK;
    poly_work work = {.left = POLY_MOST_WORK};
    mpq_t c, d;
    mpq_inits(c, d, NULL);
    for (int64_t k = system->equation[e]; k < system->equation[e + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &system->terms[k];
        status = plumb_poly_append(p, t->re, t->im, system->factors + t->first, t->count, t->degree);
        if (status != PLUMB_OK)
            continue;
        system_term *made = &p->terms[p->count - 1];
        mpq_set_d(c, re);
        mpq_set_d(d, im);
        for (int part = 0; part < 2; part++) {
            mpq_ptr x = part == 0 ? c : d;
            if (size >= 0)
                mpq_div_2exp(x, x, (mp_bitcnt_t)size);
            else
                mpq_mul_2exp(x, x, (mp_bitcnt_t)-size);
        }
        status = plumb_coefficient_multiply(made->re, made->im, c, d, &work);
    }
    mpq_clears(c, d, NULL);
    return status;
}

plumb_status plumb_solve_combine(const plumb_system *system, int64_t count, uint64_t seed, plumb_system **combined)
{
    const int64_t m = system->equations, n = count;
    ordered_equation *order = calloc((size_t)m, sizeof *order);
    polynomial *p = calloc((size_t)n, sizeof *p);
    plumb_random random = plumb_random_start(seed ^ 0x5155415245); /* other numbers than those of a start system */
    plumb_status status = order && p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *combined = NULL;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++)
        order[e] = (ordered_equation){e, plumb_system_degree(system, e)};
    if (status == PLUMB_OK)
        qsort(order, (size_t)m, sizeof *order, by_degree);
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        status = add(system, order[i].equation, 1.0, 0.0, &p[i]);
        for (int64_t j = n; j < m && status == PLUMB_OK; j++) {
            const double re = 2.0 * plumb_random_unit(&random) - 1.0, im = 2.0 * plumb_random_unit(&random) - 1.0;
            status = add(system, order[j].equation, re, im, &p[i]);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, n, (const char *const *)system->names, system->unknowns, combined);
    for (int64_t i = 0; p && i < n; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(order);
    return status;
}

plumb_status plumb_solve_square(const plumb_system *system, uint64_t seed, plumb_system **square)
{
    return plumb_solve_combine(system, system->unknowns, seed, square);
}
