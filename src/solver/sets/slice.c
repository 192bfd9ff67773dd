/* slice.c - see slice.h. */
#include "solver/sets/slice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/polynomial.h"

/* Binary places of directions: sums of a few of them are exact. */
enum { BITS = 32 };

static size_t doubles_of(const set_slice *slice)
{
    return 2 * (size_t)slice->equations * ((size_t)slice->unknowns + 1);
}

void set_direction(plumb_random *random, double c[2])
{
    const double s = 2.0 * plumb_random_unit(random) - 1.0, sign = plumb_random_below(random, 2) ? 1.0 : -1.0;
    c[0] = sign * ldexp(rint(ldexp((1.0 - s * s) / (1.0 + s * s), BITS)), -BITS);
    c[1] = sign * ldexp(rint(ldexp(2.0 * s / (1.0 + s * s), BITS)), -BITS);
}

plumb_status set_slice_make(int64_t equations, int64_t unknowns, uint64_t seed, set_slice *slice)
{
    plumb_random random = plumb_random_start(seed ^ 0x534C494345); /* other numbers than those of combinations */
    *slice = (set_slice){.equations = equations, .unknowns = unknowns};
    slice->c = calloc(doubles_of(slice) + 1, sizeof *slice->c);
    if (!slice->c)
        return PLUMB_ERR_MEMORY;
    for (size_t k = 0; k < doubles_of(slice); k += 2)
        set_direction(&random, slice->c + k);
    return PLUMB_OK;
}

plumb_status set_slice_copy(const set_slice *from, set_slice *slice)
{
    *slice = *from;
    slice->c = calloc(doubles_of(slice) + 1, sizeof *slice->c);
    if (!slice->c)
        return PLUMB_ERR_MEMORY;
    memcpy(slice->c, from->c, doubles_of(slice) * sizeof *slice->c);
    return PLUMB_OK;
}

void set_slice_clear(set_slice *slice)
{
    free(slice->c);
    *slice = (set_slice){.c = NULL};
}

static plumb_status add_term(double re, double im, int32_t unknown, polynomial *p)
{
    const system_factor factor = {unknown, 1};
    const int32_t count = unknown >= 0;
    mpq_t c, d;
    mpq_inits(c, d, NULL);
    mpq_set_d(c, re);
    mpq_set_d(d, im);
    plumb_status status = plumb_poly_append(p, c, d, &factor, count, count);
    mpq_clears(c, d, NULL);
    return status;
}

plumb_status set_slice_stack(const plumb_system *system, const char *const *names, const set_slice *slice,
                             plumb_system **stacked)
{
    const int64_t m = system ? system->equations : 0, n = slice->unknowns, all = m + slice->equations;
    plumb_status status = PLUMB_OK;
    polynomial *p = calloc((size_t)all + 1, sizeof *p);
    *stacked = NULL;
    if (!p)
        return PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < m; e++)
        for (int64_t k = system->equation[e]; k < system->equation[e + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &system->terms[k];
            status = plumb_poly_append(&p[e], t->re, t->im, system->factors + t->first, t->count, t->degree);
        }
    for (int64_t e = m; e < all; e++) {
        const double *c = slice->c + 2 * (e - m) * (n + 1);
        for (int64_t i = 0; i <= n && status == PLUMB_OK; i++)
            status = add_term(c[2 * i], c[2 * i + 1], i < n ? (int32_t)i : -1, &p[e]);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[e]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, all, system ? (const char *const *)system->names : names, n, stacked);
    for (int64_t e = 0; e < all; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    return status;
}
