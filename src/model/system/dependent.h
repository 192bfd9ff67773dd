/* dependent.h - equations that follow from others, found exactly.
 *
 * The equations are taken in order: lower degrees first, and as they are numbered. One that is a linear combination of those
 * before it is dependent: without it the zeros are the same, with the same multiplicities. So the ones that stay are
 * determined by the system alone, and whoever looks for them in the same order finds the same ones. If there are still more
 * equations than unknowns, those that are multiples of an equation of lower degree are dependent, too, and those that division
 * by the ones before them reduces to zero: each leading term is cancelled by the equation with the same leading monomial, or
 * else by the first one (the one of the lowest degree) whose leading monomial divides it, where the equations themselves have
 * been reduced in this way. That finds sums of multiples, though not all of them, and what follows by substituting from linear
 * equations.
 *
 * Everything is rational arithmetic with a budget. Where that is exhausted, equations that follow may stay. */
#ifndef PLUMB_MODEL_SYSTEM_DEPENDENT_H
#define PLUMB_MODEL_SYSTEM_DEPENDENT_H

#include "model/system/polynomial.h"

/* Sets gone[e] for equations that follow from others; those that are gone already do not count. If some equations have a
 * constant other than zero as a combination, there are no zeros: *contradiction is the number of one of them, otherwise -1.
 * lower, or NULL, has an empty polynomial per equation. An equation whose terms of the highest degree are a combination of
 * those of the equations before it has lower[e] of a lower degree: the equation less a combination of others, if that is
 * linear or has no more terms. All such equations can be replaced at once, without any change of the zeros. The polynomials are normal and stay as they are.
 * PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_dependent_find(const polynomial *equations, int64_t count, int64_t unknowns,
                                                   poly_work *work, bool *gone, polynomial *lower,
                                                   int64_t *contradiction);

/* *left: the equations of a system that the others follow from, if these are as many as it has unknowns and it has more;
 * otherwise NULL. */
PLUMB_USE_RESULT plumb_status plumb_system_independent(const plumb_system *system, plumb_system **left);

#endif
