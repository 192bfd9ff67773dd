/* homotopy.h - a homotopy as plain data: two systems combined so that one program evaluates both.
 *
 * h(x, t) = gamma (1 - t) g(x) + t f(x), where g is the start system and f the target. h is not expanded: g and f are
 * stacked into one system with shared monomials, and after an evaluation the two halves are added with their weights
 * at t.
 *
 * Projective coordinates: a new unknown is put first, each term of equation i of g and f is multiplied by a power of
 * it such that all of them have the larger of the two degrees, and the last equation of both is the patch p.x - 1.
 * Its row of h is that polynomial times gamma (1 - t) + t, so its zeros are the same for every t where this factor is
 * not zero. A point x of the given systems becomes (1, x) / p.(1, x); a point of h is converted back by division by
 * its first coordinate, and is at infinity if that is zero.
 *
 * Scaling (scaling.h): before that, the unknowns are replaced by x_i = 2^e_i y_i, and equation k of both g and f is
 * multiplied by 2^c_k, with e and c computed from the target. h is thus the same homotopy in other coordinates, for
 * every t.
 *
 * A polyhedral homotopy has coefficients that move instead: the term of point a of the supports is c_a e_a x^a, with a
 * parameter e_a that tends to 1 (method/track/moving.h). Its system has the parameters and their derivatives as
 * further unknowns, and its equations are h and, without a Jacobian, dh/dtau. The homotopy of a family moves its parameters
 * in the same way, and its coefficients are polynomials in them; its paths are those of one family to many targets. */
#ifndef PLUMB_MODEL_HOMOTOPY_H
#define PLUMB_MODEL_HOMOTOPY_H

#include "model/cells/supports.h"
#include "model/system/system.h"

struct plumb_homotopy {
    plumb_system *stacked;       /* equations 0 .. equations - 1: g; then as many of f; all in the unknowns of h */
    int64_t equations, unknowns; /* of h, including the patch and the homogenizing unknown if projective */
    int64_t given_unknowns;      /* number of unknowns of the two given systems */
    /* Points of the supports of a polyhedral homotopy, or parameters of a family, or if `moved` is not NULL, its equations / 2; 0: none.
     * The system has so many further unknowns that move, and as many that are their derivatives. */
    int64_t moving;
    /* Of a family whose coefficients are longer than its parameters: the coefficients as polynomials in the parameters, then their
     * derivatives by tau in the parameters and those of these. They are computed once per step, and the system in them at each tick. */
    plumb_system *moved;
    int32_t family;     /* 1: a family; the parameters are the last unknowns of target, without derivatives */
    int32_t projective; /* 1: unknown 0 of h is the homogenizing one, the last equation of g and f the patch */
    double gamma[2];
    double *patch;     /* real and imaginary part of p_0, p_1, ...: exact in the patch. NULL unless projective */
    int32_t *exponent; /* e_i of each given unknown; NULL: all are 0 */
    int32_t *row;      /* c_k of each given equation; NULL: all are 0 */
    plumb_system
        *start; /* the scaled start system in the unknowns and the order of the target; used to check start points */
    plumb_system *target; /* the scaled target; used to check endpoints */
};

/* Checks whether two systems make a homotopy. If not, returns PLUMB_ERR_ARGUMENT and one line that gives the reason.
 * The systems need the same number of equations and the same number of unknowns, with at least as many equations as
 * unknowns. Unknowns are matched by name if the names agree (in any order), and by position if no name occurs in
 * both; partly shared names are refused. */
PLUMB_USE_RESULT plumb_status plumb_homotopy_check(const plumb_system *start, const plumb_system *target, char *message,
                                                   size_t size);

/* Combines two systems that pass the check. patch (given_unknowns + 1 complex doubles, real and imaginary parts
 * alternating; copied) makes the homotopy projective; NULL makes it affine. If scaled is 1, the systems are scaled if
 * the target needs it and both stay in range. Returns PLUMB_ERR_RANGE if a homogenizing exponent exceeds
 * POLY_MOST_EXPONENT. */
PLUMB_USE_RESULT plumb_status plumb_homotopy_build(const plumb_system *start, const plumb_system *target,
                                                   const double gamma[2], const double *patch, int32_t scaled,
                                                   plumb_homotopy **homotopy);

/* Makes the homotopy of a family (family.c), whose last `parameters` unknowns are parameters. */
PLUMB_USE_RESULT plumb_status plumb_homotopy_family(const plumb_system *family, int64_t parameters,
                                                    plumb_homotopy **homotopy);

/* Makes the polyhedral homotopy to a square system with these supports (polyhedral.c). */
PLUMB_USE_RESULT plumb_status plumb_homotopy_polyhedral(const plumb_system *system, const cell_supports *supports,
                                                        plumb_homotopy **homotopy);

#endif
