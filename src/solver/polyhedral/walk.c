/* walk.c - plumb_polyhedral_walk: a start solution by MPFR, where the path of doubles, double doubles and quad doubles failed; see
 * polyhedral.h. The path is that of the polyhedral homotopy from the root of the cell, in the logarithms of the unknowns
 * (solver/mp/torus.h). The start system in the unknowns of the target serves as well as the one in scaled unknowns: logarithms of the
 * unknowns differ by a constant. */
#include <stdlib.h>

#include "solver/mp/torus.h"
#include "solver/polyhedral/polyhedral.h"

enum { START_BITS = 128 };

/* The rates of the terms over the cell of the path, and its start point z. */
static plumb_status set_out(const polyhedral *p, int64_t number, double *rate, mp_complex *z)
{
    const cell_supports *s = p->supports;
    const int64_t n = s->unknowns, points = s->first[s->groups], terms = p->system->equation[n];
    int64_t within = 0;
    cell_roots *roots = NULL;
    int64_t *point = calloc((size_t)terms + 1, sizeof *point);
    double *room = calloc((size_t)(2 * points + n), sizeof *room);
    const int64_t cell = plumb_cells_locate(p->cells, number, &within);
    plumb_status status = point && room ? plumb_supports_of_terms(s, p->system, point) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_cell_roots_create(p, cell, &roots);
    if (status == PLUMB_OK)
        status = plumb_polyhedral_rates(p, cell, plumb_cell_roots_logarithms(roots), room + points, room);
    for (int64_t k = 0; status == PLUMB_OK && k < terms; k++)
        rate[k] = room[point[k]];
    if (status == PLUMB_OK)
        plumb_cell_roots_turns(roots, within, room + 2 * points);
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++) {
        mpfr_const_log2(z[i].re, MPFR_RNDN);
        mpfr_mul_si(z[i].re, z[i].re, p->exponent[i], MPFR_RNDN);
        mpfr_add_d(z[i].re, z[i].re, plumb_cell_roots_logarithms(roots)[i], MPFR_RNDN);
        mpfr_const_pi(z[i].im, MPFR_RNDN);
        mpfr_mul_d(z[i].im, z[i].im, 2.0 * room[2 * points + i], MPFR_RNDN);
    }
    plumb_cell_roots_destroy(roots);
    free(point);
    free(room);
    return status;
}

plumb_status plumb_polyhedral_walk(const polyhedral *p, int64_t number, mp_effort *effort, mp_complex *x)
{
    const int64_t n = p->supports->unknowns, bits = (int64_t)mpfr_get_prec(x[0].re);
    mp_torus walk;
    double *rate = calloc((size_t)p->system->equation[n] + 1, sizeof *rate);
    mp_complex *z = mp_make(n, START_BITS);
    plumb_status status = mp_torus_begin(p->system, &walk);
    effort->arrived = false;
    if (!rate || !z)
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = set_out(p, number, rate, z);
    walk.rate = rate;
    if (status == PLUMB_OK && mp_torus_follow(&walk, z, 1.0, 1.0, bits, effort) == MP_TORUS_REGULAR)
        for (int64_t i = 0; i < n; i++)
            mp_exp(&x[i], &z[i], z[i].re);
    mp_torus_clear(&walk);
    mp_free(z, z ? n : 0);
    free(rate);
    return status;
}
