/* homogenize.c - see homogenize.h. */
#include "model/homotopy/homogenize.h"

#include <stdlib.h>

static int by_unknown(const void *a, const void *b)
{
    int32_t x = ((const system_factor *)a)->unknown, y = ((const system_factor *)b)->unknown;
    return (x > y) - (x < y);
}

/* The largest number of factors of a term, plus one for the homogenizing unknown. */
static int64_t most_factors(const plumb_system *system, int64_t equation)
{
    int64_t most = 0;
    for (int64_t k = system->equation[equation]; k < system->equation[equation + 1]; k++)
        if (system->terms[k].count > most)
            most = system->terms[k].count;
    return most + 1;
}

plumb_status plumb_homogenize(const plumb_system *system, int64_t equation, const int32_t *to, int64_t degree,
                              polynomial *p)
{
    plumb_status status = PLUMB_OK;
    system_factor *factors = calloc((size_t)most_factors(system, equation), sizeof *factors);
    if (factors == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = system->equation[equation]; k < system->equation[equation + 1] && status == PLUMB_OK; k++) {
        const system_term *term = &system->terms[k];
        int64_t missing = degree < 0 ? 0 : degree - term->degree;
        int32_t count = 0;
        if (missing > POLY_MOST_EXPONENT) {
            status = PLUMB_ERR_RANGE;
            break;
        }
        if (missing > 0)
            factors[count++] = (system_factor){0, (int32_t)missing};
        for (int32_t i = 0; i < term->count; i++) {
            const system_factor *f = &system->factors[term->first + i];
            factors[count++] = (system_factor){to[f->unknown], f->exponent};
        }
        qsort(factors, (size_t)count, sizeof *factors, by_unknown);
        status = plumb_poly_append(p, term->re, term->im, factors, count, term->degree + (int32_t)missing);
    }
    free(factors);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}
