/* real.c - see real.h. */
#include "solver/sets/real.h"

#include <math.h>
#include <stdlib.h>

#include "solver/sets/slice.h"

enum { BITS = 20 }; /* of random coefficients */

bool set_real_system(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        if (mpq_sgn(system->terms[k].im) != 0)
            return false;
    return true;
}

static plumb_status make(const plumb_system *system, int64_t equations, const double *a, uint64_t seed,
                         plumb_system **made)
{
    const int64_t n = system->unknowns;
    plumb_random random = plumb_random_start(seed ^ 0x5245414C);
    set_slice slice = {.c = NULL};
    plumb_status status = set_slice_make(equations, n, seed, &slice);
    for (int64_t e = 0; e < equations && status == PLUMB_OK; e++)
        for (int64_t i = 0; i < n; i++) { /* the constants stay complex */
            double *c = slice.c + 2 * (e * (n + 1) + i);
            c[0] = a ? a[i] : rint(ldexp(2.0 * plumb_random_unit(&random) - 1.0, BITS)) * ldexp(1.0, -BITS);
            c[1] = 0.0;
        }
    if (status == PLUMB_OK)
        status = set_slice_stack(NULL, (const char *const *)system->names, &slice, made);
    set_slice_clear(&slice);
    return status;
}

plumb_status set_real_slice(const plumb_system *system, int64_t equations, uint64_t seed, plumb_system **slice)
{
    return make(system, equations, NULL, seed, slice);
}

plumb_status set_real_form(const plumb_system *system, const double *a, uint64_t seed, plumb_system **slice)
{
    return make(system, 1, a, seed, slice);
}

void set_real_values(const plumb_system *slice, int64_t equation, const double *y, double value[2])
{
    value[0] = value[1] = 0.0;
    for (int64_t k = slice->equation[equation]; k < slice->equation[equation + 1]; k++) {
        const system_term *t = &slice->terms[k];
        const double x = t->count > 0 ? y[slice->factors[t->first].unknown] : 1.0;
        value[0] += mpq_get_d(t->re) * x;
        value[1] += mpq_get_d(t->im) * x;
    }
}
