/* points.h - witness points of one dimension that are regular zeros of one system, and their paths to other slices.
 *
 * Points of components of multiplicity 1 are regular zeros of the equations and a slice. For others the two are deflated together
 * (solver/solve/points/deflate.h): the new equations are linear in the coefficients of the slice, so that the straight line from
 * one slice to another is also the one between the deflated systems. Points that were deflated in the same way have the same
 * system. Points and systems are in shifted unknowns. */
#ifndef PLUMB_SOLVER_SETS_POINTS_H
#define PLUMB_SOLVER_SETS_POINTS_H

#include "solver/context/context.h"
#include "solver/sets/shift.h"
#include "solver/sets/slice.h"
#include "solver/solve/points/deflate.h"

typedef struct set_points {
    const plumb_decompose_options *options; /* whose callbacks moves of points have; or NULL */
    const plumb_system *base;               /* the equations without the slice */
    const double *shift;                    /* of the unknowns of the base (shift.h) */
    int64_t multiplicity;
    bool bound;         /* the multiplicity is an upper bound */
    deflated_point how; /* stages 0: regular; its point is the first one */
    int64_t unknowns;   /* of the points: those of the base, then those of deflation */
    int64_t count, room;
    plumb_view x;  /* count of them, in quad doubles */
    double *error; /* absolute */
} set_points;

void set_points_clear(plumb_context *context, set_points *points);

/* Appends point k of a view, which has at least as many unknowns. */
PLUMB_USE_RESULT plumb_status set_points_add(plumb_context *context, set_points *points, const plumb_view *x, int64_t k,
                                             double error);

/* The equations and a slice in shifted unknowns. */
PLUMB_USE_RESULT plumb_status set_points_stack(const plumb_system *base, const double *shift, const set_slice *slice,
                                               plumb_system **stacked);

/* The system that has the points on a slice as regular zeros. */
PLUMB_USE_RESULT plumb_status set_points_system(const set_points *points, const set_slice *slice,
                                                plumb_system **system);

/* Newton's method in quad doubles. error: absolute; negative for a point that does not converge to a regular zero. */
PLUMB_USE_RESULT plumb_status set_points_refine(plumb_context *context, const plumb_system *system, plumb_view *x,
                                                double *error);

/* Moves points (count of x) from one slice to another, along a path that depends on the seed. x is replaced; error as above,
 * also for paths that did not arrive. A point with a negative error is not moved. PLUMB_ERR_STOPPED if that was requested. */
PLUMB_USE_RESULT plumb_status set_points_move(plumb_context *context, const set_points *points, const set_slice *from,
                                              const set_slice *to, uint64_t seed, plumb_view *x, double *error);

/* The same between two systems, along a path that depends on the seed. options: of the callbacks, or NULL. */
PLUMB_USE_RESULT plumb_status set_points_track(plumb_context *context, const plumb_system *start,
                                               const plumb_system *target, const plumb_decompose_options *options,
                                               uint64_t seed, plumb_view *x, double *error);

/* The distance of two points in some of their unknowns, the largest over these. */
double set_points_distance(const plumb_view *x, int64_t k, const plumb_view *y, int64_t l, int64_t unknowns);

/* One point as a view. */
plumb_view set_points_one(const plumb_view *x, int64_t k);

#endif
