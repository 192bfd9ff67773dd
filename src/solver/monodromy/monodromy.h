/* monodromy.h - solutions of a family from one of them, along loops of the parameters.
 *
 * Some random points of the parameters, the *ends*, are joined by arcs, each of which bends at random: first a chain of them, then
 * arcs between two random ends. Along an arc every solution at one end is continued to a solution at the other. A new arc is added
 * when every solution that is known has been followed along all arcs in both directions. It costs one path per solution, and
 * closes one loop more: with several ends, loops around many singular points, which act more like random permutations than those of
 * many arcs between the same two ends do.
 *
 * Invariant: a solution at an end is a regular zero of the equations there, refined in quad doubles, and differs from the others by
 * more than their errors. An arc is a partial bijection of the solutions of both ends; two paths that end at the same solution
 * are followed again with shorter steps, and failed if they meet again.
 *
 * References: Duff, Hill, Jensen, Lee, Leykin and Sommars, Solving polynomial systems via homotopy continuation and monodromy, IMA J.
 * Numer. Anal. 39 (2019); Sommese and Wampler, The Numerical Solution of Systems of Polynomials, 2005, chapter 15. */
#ifndef PLUMB_SOLVER_MONODROMY_H
#define PLUMB_SOLVER_MONODROMY_H

#include <stdbool.h>

#include "base/number/random.h"
#include "solver/family/family.h"
#include "solver/monodromy/permutations.h"

enum { UNTRIED = -1, FAILED = -2, LOOP_ENDS = 5 };

/* The solutions for the parameters of an end. */
typedef struct loop_end {
    double *at;           /* the parameters: real parts, then imaginary parts */
    plumb_system *system; /* for these parameters */
    family_points points; /* in qd */
    int64_t room;         /* of the lists below */
    int32_t *image;       /* of point k under map s: image[k * symmetries + s]; UNTRIED */
    int32_t *first;       /* the first point of the class of a point */
} loop_end;

typedef struct loop_arc {
    double *bend;
    int32_t end[2];
    /* Of each solution at the first end the one at the other to which it leads, and the reverse; UNTRIED or FAILED. */
    int32_t *match[2];
    bool broken; /* some match contradicts the symmetry */
} loop_arc;

typedef struct loop_graph {
    plumb_context *context;
    plumb_family *family;
    plumb_monodromy_options options;
    plumb_random random;
    loop_end end[LOOP_ENDS];
    loop_arc *arc;
    int32_t arcs;
    int64_t paths, failed;
    bool gentle; /* new arcs bend less */
    bool stopped;
} loop_graph;

/* ---- The graph (graph.c) ----------------------------------------------------------------------------------------- */

/* Makes an end with these parameters. */
PLUMB_USE_RESULT plumb_status loop_end_begin(loop_graph *graph, int32_t end, const double *at);

/* Adds solutions to an end, a batch in qd, and those that the symmetry makes of them. */
PLUMB_USE_RESULT plumb_status loop_end_add(loop_graph *graph, int32_t end, const plumb_view *x, int64_t *added);

/* Follows solutions for some parameters (2 per parameter) to end 0. */
PLUMB_USE_RESULT plumb_status loop_graph_enter(loop_graph *graph, const double *from, const plumb_view *x);

/* Adds an arc between two ends. */
PLUMB_USE_RESULT plumb_status loop_graph_join(loop_graph *graph, int32_t from, int32_t to);

/* Follows all solutions along all arcs until there are no others. */
PLUMB_USE_RESULT plumb_status loop_graph_follow(loop_graph *graph);

/* Solutions at all ends. */
int64_t loop_graph_count(const loop_graph *graph);

/* Sets way[e] to the number of an arc towards end 0 for each other end e, such that complete arcs lead there; -1 for end 0. Returns false if
 * they do not reach all ends. */
bool loop_graph_tree(const loop_graph *graph, int32_t way[LOOP_ENDS]);

/* True if an arc is a bijection of the known solutions. */
bool loop_arc_complete(const loop_graph *graph, int32_t arc);
void loop_graph_end(loop_graph *graph);

/* ---- Symmetry (symmetry.c) --------------------------------------------------------------------------------------- */

/* Checks the maps of the options. */
PLUMB_USE_RESULT plumb_status loop_symmetry_check(const loop_graph *graph);

/* The image of a point, layout and parameters as in family_points and loop_end; only the first limbs count, which Newton's method
 * completes. */
void loop_symmetry_map(const loop_graph *graph, int32_t map, const double *at, const double *x, double *image);

/* ---- The first solution (pair.c) --------------------------------------------------------------------------------- */

/* Makes parameters (2 per parameter) and a solution (unknowns x 1, qd); if fixed is 1, the parameters for the solution that is there. */
PLUMB_USE_RESULT plumb_status loop_pair(loop_graph *graph, bool fixed, double *parameters, plumb_view *x);

/* ---- The trace test (trace.c, pencil.c) -------------------------------------------------------------------------- */

/* Tests the generic solutions of the family, if the test applies to it directly; otherwise report->trace is PLUMB_TRACE_UNSUITED. */
PLUMB_USE_RESULT plumb_status loop_trace(plumb_context *context, const plumb_family *family,
                                         const plumb_monodromy_options *options, plumb_monodromy_report *report);

/* Tests them by a curve over a line of the parameters, which any family has. It takes more paths. */
PLUMB_USE_RESULT plumb_status loop_trace_curve(plumb_context *context, const plumb_family *family,
                                               const plumb_monodromy_options *options, plumb_monodromy_report *report);

#endif
