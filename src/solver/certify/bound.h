/* bound.h - upper bounds of the number of isolated solutions, which make the certificates of that many solutions a proof that there are no
 * others. */
#ifndef PLUMB_SOLVER_CERTIFY_BOUND_H
#define PLUMB_SOLVER_CERTIFY_BOUND_H

#include "plumb.h"

/* A proven upper bound of the number of isolated solutions in C^n, with multiplicities. */
typedef struct certify_bound {
    const char *name; /* NULL: no bound is known */
    int64_t value;
} certify_bound;

/* The smallest of the Bezout number, the multi-homogeneous one and the stable mixed volume, which is left out if it takes too long (a
 * fixed number of steps, so that the result depends on the system alone), or if another bound is `found`, so that none can be
 * smaller. */
certify_bound certify_bound_of(plumb_context *context, const plumb_system *system, int64_t found);

#endif
