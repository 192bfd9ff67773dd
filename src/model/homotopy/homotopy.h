/* homotopy.h - a homotopy as plain data: two systems put together so that one program evaluates both.
 *
 * h(x, t) = gamma (1 - t) g(x) + t f(x), g the start and f the target. Nothing is expanded: g and f are stacked into
 * one system, whose monomials they share, and whoever evaluates it adds the two halves with the weights of the moment.
 *
 * Projective: a new unknown comes first, each term of equation i of g and of f is multiplied by a power of it such that
 * all of them have the larger of the two degrees, and the last equation of both is the patch p.x - 1. Its row of h is
 * that polynomial times gamma (1 - t) + t, so it has the same zeros at every t where that is not zero. A point x of the
 * systems given is (1, x) / p.(1, x) here; a point of h goes back by division by its first coordinate, and is at infinity
 * where that is zero.
 *
 * Scaled (scaling.h): before that, unknowns are x_i = 2^e_i y_i and equation k of g and of f, of both alike, is multiplied by 2^c_k, with e and
 * c made of the target. So h is the same homotopy in other coordinates, at every t. */
#ifndef PLUMB_MODEL_HOMOTOPY_H
#define PLUMB_MODEL_HOMOTOPY_H

#include "model/system/system.h"

struct plumb_homotopy {
    plumb_system *stacked;       /* equations 0 .. equations - 1: g; then as many of f; all in the unknowns of h */
    int64_t equations, unknowns; /* of h: patch and homogenizing unknown included when projective */
    int64_t given_unknowns;      /* of the two systems */
    int32_t projective;          /* unknown 0 of h is the homogenizing one, the last equation of g and of f the patch */
    double gamma[2];
    double *patch;       /* real and imaginary part of p_0, p_1, ...: exact in the patch. NULL unless projective */
    int32_t *exponent;   /* e_i of each unknown given; NULL: all are 0 */
    plumb_system *start; /* scaled, in the target's unknowns and their order: start points are checked with it */
};

/* Do the two systems make a homotopy? PLUMB_ERR_ARGUMENT and one line that says why not. They need the same numbers of
 * equations and of unknowns, the former at least the latter. Unknowns of the same names in any order go by name; by
 * position where no name is in both; names that are shared in part are refused. */
PLUMB_USE_RESULT plumb_status plumb_homotopy_check(const plumb_system *start, const plumb_system *target, char *message,
                                                   size_t size);

/* Puts two systems that pass the check together. patch (given_unknowns + 1 complex doubles, real and imaginary part in
 * turn; copied) makes the homotopy projective, NULL does not. scaled: 1 where the target needs it and both systems stay in range,
 * 0 never. PLUMB_ERR_RANGE when a homogenizing exponent is above POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_homotopy_build(const plumb_system *start, const plumb_system *target,
                                                   const double gamma[2], const double *patch, int32_t scaled,
                                                   plumb_homotopy **homotopy);

#endif
