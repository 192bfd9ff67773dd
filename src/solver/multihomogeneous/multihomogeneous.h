/* multihomogeneous.h - start systems whose equations are products of linear forms, one group of unknowns each.
 *
 * Equation i is the product over the groups j of d_ij random linear forms in the unknowns of group j, so that it has the
 * degree of the target in each group. A solution makes one form of each equation zero, such that every group has as many
 * of them as unknowns; it is then the solution of one small linear system per group. There are as many such choices as the
 * multi-homogeneous Bezout number says, all solutions are regular, and solution k is made from k alone. The forms of an
 * equation have only the unknowns that occur in it, if the linear systems of all choices stay regular: products are shorter
 * then (Morgan, Sommese and Wampler, A product-decomposition bound for Bezout numbers, 1995).
 *
 * The coefficients are complex numbers near the unit circle with parts of 20 bits, so that products are exact and short. If
 * the target needs scaling (model/homotopy/scaling.h), the forms are those of the scaled unknowns. */
#ifndef PLUMB_SOLVER_MULTIHOMOGENEOUS_H
#define PLUMB_SOLVER_MULTIHOMOGENEOUS_H

#include "solver/multihomogeneous/groups.h"

typedef struct multihomogeneous {
    plumb_system *system; /* the start system, in the unknowns of the target, multiplied out */
    unknown_groups groups;
    assignment_table table;
    bool *uses;           /* whether the forms of equation i have unknown u: entry i * unknowns + u */
    double *coefficients; /* of the forms: 2 (n_j + 1) doubles each, the constant first */
    int64_t *first;       /* coefficients of form 0 of equation i and group j: entry i * groups + j */
    int32_t *exponent;    /* of the scaled unknowns: x_u = 2^exponent y_u */
} multihomogeneous;

/* Makes a start system; the groups are moved into it, also on failure. PLUMB_ERR_ARGUMENT if there are no paths, or 2^63 or
 * more; PLUMB_ERR_SIZE if the equations would have too many terms. */
PLUMB_USE_RESULT plumb_status plumb_multihomogeneous_create(const plumb_system *target, unknown_groups *groups,
                                                            uint64_t seed, multihomogeneous **made);
void plumb_multihomogeneous_destroy(multihomogeneous *start); /* NULL is allowed */

/* Computes solutions first, first + 1, ...: x is a batch of complex points on the host, in qd. */
PLUMB_USE_RESULT plumb_status plumb_multihomogeneous_solutions(const multihomogeneous *start, int64_t first,
                                                               const plumb_view *x);

#endif
