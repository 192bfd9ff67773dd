/* edges.h - the real part of a curve, cut by a linear function pi: edges between two neighbouring special fibres, each a graph over pi.
 *
 * Between the values of pi at critical points the real fibres have a constant number of points, which move without meeting: the real points of
 * one fibre in between are one point of each edge, and none can be missed. From there real paths lead to both ends. */
#ifndef PLUMB_SOLVER_SETS_CURVES_EDGES_H
#define PLUMB_SOLVER_SETS_CURVES_EDGES_H

#include "solver/sets/carrier.h"

/* A sample is a point in all unknowns of the carrier, shifted: real and imaginary part of each. */
typedef struct curve_edge {
    int64_t interval; /* between values `interval` and `interval` + 1 */
    int64_t count, room;
    double *pi, *x;     /* of each sample; 2 * unknowns doubles per sample; pi ascends */
    int32_t winding[2]; /* turns after which the path to an end closes; 1: it is regular there */
    bool arrived[2];    /* the first and the last sample are on the fibres of the values */
    int64_t vertex[2];  /* of the graph that is made of them */
    int64_t component;
} curve_edge;

typedef struct curve_edges {
    int64_t count, room;
    curve_edge *edge;
    int64_t failed; /* paths that did not arrive anywhere near their ends */
} curve_edges;

void curve_edges_clear(curve_edges *edges);
void curve_edge_clear(curve_edge *edge);

/* Appends the edges between values first .. last of a list of ascending ones. The slice of the carrier has the direction a of pi = a.x. */
PLUMB_USE_RESULT plumb_status curve_edges_find(const set_carrier *fibres, const double *a, const double *value,
                                               int64_t first, int64_t last, uint64_t seed, int64_t component,
                                               curve_edges *edges);

/* Adds samples until the edges are smooth: neighbouring ones are close, and directions change little from one to the next, with unknown i
 * in units of unit[i]. */
PLUMB_USE_RESULT plumb_status curve_edges_refine(const set_carrier *fibres, const double *unit, int64_t first,
                                                 curve_edges *edges);

/* Coordinate i of a sample, not shifted. */
static inline double curve_coordinate(const set_carrier *c, const curve_edge *e, int64_t sample, int64_t i)
{
    return e->x[sample * 2 * c->start->unknowns + 2 * i] + c->shift[2 * i];
}

#endif
