/* polyhedral.h - start systems with as many solutions as mixed volumes say, and their solutions.
 *
 * The start system has the supports of the target, and its coefficients (in scaled unknowns) turned by random angles of at
 * most 45 degrees. Its homotopy to the target needs no factor gamma. It has as many solutions without zero coordinates as its mixed volume, all regular. Solution number k
 * belongs to the mixed cell that contains root k of all cells in their canonical order. The cell keeps k + 1 terms in
 * each of the k equations of a group: these are binomial equations after a small linear solve, whose roots are known
 * (roots.c). A polyhedral homotopy (model/homotopy/homotopy.h) leads from each of them to a solution of the start system.
 *
 * Solutions with zero coordinates: paths do not start there, because an equation that vanishes with a coordinate has no
 * terms to measure residuals by along the whole path. Where the stable mixed volume is larger than the mixed volume, there
 * are such solutions, and the supports get the origin: then the start system has none, and more without.
 *
 * A solution depends on the target, the seed and its number alone. */
#ifndef PLUMB_SOLVER_POLYHEDRAL_H
#define PLUMB_SOLVER_POLYHEDRAL_H

#include "model/cells/supports.h"
#include "model/homotopy/homotopy.h"
#include "solver/mp/number.h"

typedef struct polyhedral {
    plumb_system *system; /* the start system, in the unknowns of the target */
    int64_t count;        /* its solutions */
    int32_t origins;      /* 1: the supports got the origin */
    uint64_t hash;        /* of the supports, lifting and cells, for journals */
    uint64_t seed;
    cell_supports *supports;
    mixed_cells *cells;
    plumb_homotopy *homotopy; /* in scaled unknowns */
    double *coefficients;     /* of its equations: real and imaginary part by equation, then by point of its group */
    int32_t *exponent;        /* of the scaled unknowns: x_i = 2^exponent y_i */
} polyhedral;

/* Makes the start system of a square target and enumerates its mixed cells, within most_steps steps for each enumeration
 * (0: any number). nonzero: paths to solutions with zero coordinates are not needed. PLUMB_ERR_STOPPED if the steps are not
 * enough, PLUMB_ERR_ARGUMENT if the target is not square. */
PLUMB_USE_RESULT plumb_status plumb_polyhedral_create(plumb_context *context, const plumb_system *target,
                                                      int32_t nonzero, uint64_t seed, int64_t most_steps,
                                                      polyhedral **made);
void plumb_polyhedral_destroy(polyhedral *p); /* NULL is allowed */

/* Sets *origins to 1 if there may be isolated solutions with zero coordinates, or if that takes more than most_steps to find out: the
 * supports of a start system then need the origin. Otherwise it stays what it is. */
PLUMB_USE_RESULT plumb_status plumb_polyhedral_zeros(plumb_context *context, const plumb_system *target, uint64_t seed,
                                                     int64_t most_steps, int32_t *origins);

/* Computes solutions of the start system: x is a batch of complex points on the host, in qd, or in the precision of the
 * options. numbers lists the solutions (NULL: 0, 1, ...); records receives the outcome of their paths, whose code is
 * PLUMB_PATH_SUCCESS where the solution is there. Paths of the call that share an endpoint are tracked again with
 * shorter steps, and so are those that failed. progress is called as by plumb_track. options may be NULL. */
PLUMB_USE_RESULT plumb_status plumb_polyhedral_solutions(plumb_context *context, const polyhedral *p,
                                                         const int64_t *numbers, const plumb_track_options *options,
                                                         plumb_view *x, plumb_path_record *records);

/* Computes root number `within` of the binomial system of a cell: 2 n doubles, real and imaginary parts alternating
 * (roots.c). */
typedef struct cell_roots cell_roots;
PLUMB_USE_RESULT plumb_status plumb_cell_roots_create(const polyhedral *p, int64_t cell, cell_roots **roots);
const double *plumb_cell_roots_logarithms(const cell_roots *roots); /* of the moduli, the same for all roots */
void plumb_cell_roots_make(cell_roots *roots, int64_t within, double *x);
void plumb_cell_roots_turns(cell_roots *roots, int64_t within, double *turn); /* arguments, in turns; one per unknown */
void plumb_cell_roots_destroy(cell_roots *roots);                             /* NULL is allowed */

/* The rates of the points over a cell (solutions.c): its weights, scaled such that every other term is at most e^-30 times those of the
 * cell where the paths begin, at roots with these logarithms. excess is room for one number per point. */
PLUMB_USE_RESULT plumb_status plumb_polyhedral_rates(const polyhedral *p, int64_t cell, const double *logarithm,
                                                     double *excess, double *rates);

/* Computes one solution of the start system by MPFR (walk.c), to all digits of x but some. */
PLUMB_USE_RESULT plumb_status plumb_polyhedral_walk(const polyhedral *p, int64_t number, mp_effort *effort,
                                                    mp_complex *x);

#endif
