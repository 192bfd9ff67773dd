/* cluster.h - new starting points for roots that are close to each other compared with their distance from all others.
 *
 * The Ehrlich-Aberth iteration approaches such a cluster by a constant factor per sweep only. Seen from its centre, it is the roots of
 * the lowest terms of the Taylor expansion there, whose Newton polygon gives their distances (nearby.h). The centre of k roots is the
 * root of the derivative of order k - 1 near it, which Newton's method finds. */
#ifndef PLUMB_SOLVER_MP_CLUSTER_H
#define PLUMB_SOLVER_MP_CLUSTER_H

#include "solver/mp/number.h"
#include "solver/mp/univariate/nearby.h"

/* A polynomial with coefficients of this many bits. */
typedef struct mp_poly {
    const wide_poly *shape;
    const mp_complex *c; /* of each term */
    int64_t bits;
} mp_poly;

/* Replaces k roots, z[member[0]] ... z[member[k - 1]], unless their new distances from the centre are not below most (log2). PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status mp_cluster_restart(const mp_poly *p, const int64_t *member, int64_t k, double most,
                                                 mp_complex *z);

#endif
