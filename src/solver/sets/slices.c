/* slices.c - see slices.h. */
#include "solver/sets/slices.h"

#include <stdlib.h>

#include "model/system/polynomial.h"

/* (re, im) += (a + b i)(c + d i) */
static void add_product(mpq_t re, mpq_t im, mpq_srcptr a, mpq_srcptr b, mpq_srcptr c, mpq_srcptr d, mpq_t s[2])
{
    mpq_mul(s[0], a, c);
    mpq_mul(s[1], b, d);
    mpq_sub(s[0], s[0], s[1]);
    mpq_add(re, re, s[0]);
    mpq_mul(s[0], a, d);
    mpq_mul(s[1], b, c);
    mpq_add(s[0], s[0], s[1]);
    mpq_add(im, im, s[0]);
}

void set_slices_values(const plumb_system *slice, const mpq_t *point, mpq_t *values)
{
    mpq_t s[2], one, zero;
    mpq_inits(s[0], s[1], one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    for (int64_t e = 0; e < slice->equations; e++) {
        mpq_set_ui(values[2 * e], 0, 1);
        mpq_set_ui(values[2 * e + 1], 0, 1);
        for (int64_t k = slice->equation[e]; k < slice->equation[e + 1]; k++) {
            const system_term *t = &slice->terms[k];
            const int64_t i = t->count > 0 ? slice->factors[t->first].unknown : -1;
            add_product(values[2 * e], values[2 * e + 1], t->re, t->im, i < 0 ? one : point[2 * i],
                        i < 0 ? zero : point[2 * i + 1], s);
        }
    }
    mpq_clears(s[0], s[1], one, zero, NULL);
}

plumb_status set_slices_through(const plumb_system *slice, const mpq_t *point, plumb_system **made)
{
    const int64_t m = slice->equations;
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    mpq_t *values = calloc(2 * (size_t)m + 1, sizeof *values);
    plumb_status status = p && values ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *made = NULL;
    for (int64_t k = 0; values && k < 2 * m; k++)
        mpq_init(values[k]);
    if (status == PLUMB_OK)
        set_slices_values(slice, point, values);
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        for (int64_t k = slice->equation[e]; k < slice->equation[e + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &slice->terms[k];
            status = plumb_poly_append(&p[e], t->re, t->im, slice->factors + t->first, t->count, t->degree);
        }
        mpq_neg(values[2 * e], values[2 * e]);
        mpq_neg(values[2 * e + 1], values[2 * e + 1]);
        if (status == PLUMB_OK)
            status = plumb_poly_append(&p[e], values[2 * e], values[2 * e + 1], NULL, 0, 0);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[e]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, m, (const char *const *)slice->names, slice->unknowns, made);
    for (int64_t e = 0; p && e < m; e++)
        plumb_poly_clear(&p[e]);
    for (int64_t k = 0; values && k < 2 * m; k++)
        mpq_clear(values[k]);
    free(values);
    free(p);
    return status;
}
