/* nearby.h - approximations of all roots of a polynomial, by doubles.
 *
 * Starting points are on circles whose radii are the slopes of the Newton polygon of the logarithms of the coefficients, as many on each as
 * its edge is long; then come sweeps of the Ehrlich-Aberth iteration until rounding hides the values. (Bini, Numerical computation of
 * polynomial zeros by means of Aberth's method, Numerical Algorithms 13, 1996.) Nothing is known of the errors. */
#ifndef PLUMB_SOLVER_MP_NEARBY_H
#define PLUMB_SOLVER_MP_NEARBY_H

#include "plumb.h"
#include "solver/mp/univariate/wide.h"

/* The terms of a polynomial of degree n, higher exponents first; the last exponent is 0. */
typedef struct wide_poly {
    int64_t n, terms;
    int64_t *exponent;
    wide *c;
} wide_poly;

/* Value, derivative, and the sum of the moduli of the terms. */
typedef struct wide_value {
    wide p, slope, sum;
} wide_value;

wide_value wide_eval(const wide_poly *p, wide z);
wide wide_sum(const wide_poly *p, wide z); /* the sum of the moduli alone */

/* The starting points alone. PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status wide_starts(const wide_poly *p, wide *z);

/* z has room for n numbers. stop: NULL, or asked now and then; true ends it with PLUMB_ERR_STOPPED. PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status wide_roots_near(const wide_poly *p, wide *z, int (*stop)(void *data), void *data);

#endif
