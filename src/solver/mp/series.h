/* series.h - power series in a few variables, truncated at a total degree, with coefficients of any precision. */
#ifndef PLUMB_SOLVER_MP_SERIES_H
#define PLUMB_SOLVER_MP_SERIES_H

#include "plumb.h"
#include "solver/mp/number.h"

/* The monomials of this many variables up to an order, by degree. A series is a list of `count` coefficients. */
typedef struct mp_shape {
    int64_t variables, order, count;
    int8_t *exponents; /* `variables` per monomial */
    int8_t *degree;
    int64_t *end;     /* monomials of degree at most k are those before end[k] */
    int32_t *product; /* of monomials i and j: product[i * count + j]; -1: beyond the order */
} mp_shape;

enum { MP_MOST_MONOMIALS = 1000, MP_MOST_ORDER = 100 };

bool mp_shape_fits(int64_t variables, int64_t order); /* whether there are not too many monomials */

/* PLUMB_ERR_SIZE if there would be too many monomials, PLUMB_ERR_MEMORY. To be cleared after a failure, too. */
PLUMB_USE_RESULT plumb_status mp_shape_make(int64_t variables, int64_t order, mp_shape *shape);
void mp_shape_clear(mp_shape *shape);

/* z = x y up to a degree; z is neither x nor y. Returns the number of products of coefficients. */
int64_t mp_series_mul(const mp_shape *shape, int64_t degree, mp_complex *z, const mp_complex *x, const mp_complex *y,
                      mp_complex *temporary);

static inline bool mp_is_zero(const mp_complex *x)
{
    return mpfr_zero_p(x->re) && mpfr_zero_p(x->im);
}

static inline void mp_set_zero(mp_complex *x)
{
    mpfr_set_zero(x->re, 1);
    mpfr_set_zero(x->im, 1);
}

#endif
