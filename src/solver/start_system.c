/* start_system.c - plumb_system_start: a start system of total degree for a target. */
#include <stdlib.h>

#include "model/polynomial.h"
#include "model/start_form.h"
#include "text/random_matrix.h"

/* p = x^degree - c for unknown i; c is complex, its parts are exact. */
static plumb_status make_equation(int64_t i, int64_t degree, const double c[2], polynomial *p)
{
    const system_factor power = {(int32_t)i, (int32_t)degree};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_ui(re, 1, 1);
    plumb_status status = plumb_poly_append(p, re, im, &power, 1, (int32_t)degree);
    mpq_set_d(re, -c[0]);
    mpq_set_d(im, -c[1]);
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, re, im, NULL, 0, 0);
    mpq_clears(re, im, NULL);
    return status;
}

plumb_status plumb_system_start(const plumb_system *target, uint64_t seed, plumb_system **start)
{
    if (start == NULL)
        return PLUMB_ERR_ARGUMENT;
    *start = NULL;
    if (target == NULL)
        return PLUMB_ERR_ARGUMENT;
    plumb_status status = plumb_start_check(target, NULL, 0);
    if (status != PLUMB_OK)
        return status;
    const int64_t n = target->unknowns;
    polynomial *p = calloc((size_t)n, sizeof *p);
    plumb_view c = {.data = NULL};
    status = plumb_view_init(&c, NULL, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, n, NULL);
    if (status == PLUMB_OK) {
        c.data = malloc((size_t)n * 2 * sizeof *c.data); /* two parts a number, one after the other */
        status = p != NULL && c.data != NULL ? plumb_random_matrix(&c, 1, 0, seed) : PLUMB_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++)
        status = make_equation(i, plumb_system_degree(target, i), c.data + i * c.next, &p[i]);
    if (status == PLUMB_OK)
        status = plumb_system_build(p, n, (const char *const *)target->names, n, start);
    for (int64_t i = 0; p != NULL && i < n; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(c.data);
    return status;
}
