/* roots.h - all roots of a polynomial in one unknown, whatever their sizes and multiplicities.
 *
 * Multiplicities are exact: the polynomial is divided into square-free factors (gauss.h). The roots of a factor are found by the
 * Ehrlich-Aberth iteration (nearby.h), with more and more bits, until each has a disc of its own. The discs are those of Smith (Error
 * bounds for zeros of a polynomial based upon Gerschgorin's theorems, J. ACM 17, 1970): around approximations z_i of the roots of a
 * polynomial p of degree n, with radius n |p(z_i)| / |a_n product of (z_i - z_j) over j other than i|. Together they have all roots,
 * and a disc that meets no other has exactly one. Rounding is part of the radii. So a root of a real polynomial is real if the
 * conjugate of its disc meets no disc but itself. */
#ifndef PLUMB_SOLVER_MP_ROOTS_H
#define PLUMB_SOLVER_MP_ROOTS_H

#include <stdbool.h>

#include "model/system/system.h"
#include "solver/mp/number.h"

typedef struct mp_root {
    mp_complex z;     /* within the radius of the root; the imaginary part of a real root is 0, that of others is not */
    double radius;    /* log2 of an upper bound; -infinity for zero */
    double condition; /* relative, as in plumb_newton_report; infinite for multiple roots */
    int64_t multiplicity;
    mpq_t *exact; /* the real and the imaginary part, if both are rational and the options ask for them; or NULL */
} mp_root;

/* Real roots first, in ascending order; then others by real and imaginary part, and conjugates together. */
typedef struct mp_roots {
    mp_root *list;
    int64_t count;
    int64_t degree; /* sum of the multiplicities */
} mp_roots;

typedef struct mp_roots_options {
    double digits;           /* decimal digits of each root, relative to its modulus */
    int (*stop)(void *data); /* NULL, or asked now and then: true stops the call */
    void *data;
    bool rational;     /* find out which roots are rational */
    bool anywhere;     /* of isolate.h alone: roots of polynomials that are not real may be on the real axis */
    int64_t most_bits; /* of isolate.h alone: 0, or numbers get no more bits than these */
} mp_roots_options;

/* The system is one equation in one unknown. PLUMB_ERR_SIZE: it would take too much work, which is bounded by counts, or too many
 * bits; PLUMB_ERR_STOPPED, PLUMB_ERR_MEMORY, PLUMB_ERR_ARGUMENT. After a failure there is nothing to clear. */
PLUMB_USE_RESULT plumb_status mp_roots_find(const plumb_system *system, const mp_roots_options *options,
                                            mp_roots *roots);
void mp_roots_clear(mp_roots *roots);

#endif
