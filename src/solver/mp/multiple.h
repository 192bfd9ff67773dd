/* multiple.h - whether a point near x is a solution of a given multiplicity, to as many digits as are asked for.
 *
 * Let the Jacobian have rank n - c at the solution. Then n - c of the equations define n - c of the unknowns as power series in the other
 * c, and the remaining equations become c power series G(z) in c variables, whose multiplicity at z = 0 is that of the solution. It is
 * m if the Macaulay matrices of two successive orders have the nullity m (exact.h has the reference). c is small, often 1, and so are
 * these matrices.
 *
 * At a point near the solution, the matrix has m small rows and columns instead, after elimination of all others. That they vanish is a
 * system for the point that is regular at the solution, although f is not (Hauenstein, Mourrain and Szanto, On deflation and
 * multiplicity structure, Journal of Symbolic Computation 83, 2017): Gauss-Newton steps double the digits. In a cluster of
 * solutions the steps converge, too, but to a point where something remains that does not vanish.
 *
 * Six digits of the point suffice. What is small there and what vanishes at the solution need not be the same, because equations with large
 * terms may be small all around it: ranks are guessed, from several bounds of what counts as zero. If no guess leads to the solution, ranks
 * that lower orders show clearly lead nearer to it, and the guesses are repeated. */
#ifndef PLUMB_SOLVER_MP_MULTIPLE_H
#define PLUMB_SOLVER_MP_MULTIPLE_H

#include "model/system/system.h"
#include "solver/mp/number.h"

typedef struct mp_multiple {
    int64_t multiplicity; /* that is expected, at least 2 */
    double error;         /* log2 of the distance of x from the solution */
    int64_t bits;         /* what must vanish has to be below 2^(-3/4 bits), and what must not above 2^(-1/4 bits) */
    double most_work;     /* where to give up, in units of mp_system_cost */
    double work;          /* out: what was spent */
    bool (*stop)(void *data); /* asked between parts of the work, or NULL: true gives up */
    void *data;
} mp_multiple;

/* True if there is such a solution; x is it then, to about `bits` bits. The system has as many equations as unknowns, whose sizes are
 * about 1 or larger. False without a multiple solution, and also if it was not found, or for lack of work. *status: PLUMB_ERR_MEMORY. */
bool mp_is_multiple(const plumb_system *square, mp_complex *x, mp_multiple *multiple, plumb_status *status);

#endif
