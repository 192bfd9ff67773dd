/* isolate.h - a disc of its own for each root of a square-free polynomial: the numerical part of roots.h. */
#ifndef PLUMB_SOLVER_MP_ISOLATE_H
#define PLUMB_SOLVER_MP_ISOLATE_H

#include "solver/mp/univariate/gauss.h"
#include "solver/mp/univariate/roots.h"

/* Finds the roots of p, which is square-free and not zero at 0, and either real or without real roots,
 * unless the options say anywhere. z and radius have room for as many
 * as its degree; the numbers of z are made here, with as many bits as they take, and belong to the caller also after a failure (those that are NULL
 * were not made). Statuses are those of mp_roots_find. */
PLUMB_USE_RESULT plumb_status mp_isolate(const gauss_poly *p, const mp_roots_options *options, mp_complex **z,
                                         double *radius);

#endif
