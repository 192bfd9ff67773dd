/* supports.h - the supports of a square system, and its mixed cells, as plain data.
 *
 * Equations with the same support form a group: a group of k equations has one support and, later, one lifting, and a
 * mixed cell takes k + 1 of its points. Groups are in the order of their first equations. The points of a group are
 * distinct and in lexicographic order of their exponents, so that supports do not depend on the order of terms. */
#ifndef PLUMB_MODEL_CELLS_SUPPORTS_H
#define PLUMB_MODEL_CELLS_SUPPORTS_H

#include <gmp.h>
#include <stdint.h>

#include "plumb.h"

typedef struct cell_supports {
    int64_t unknowns, groups;
    int32_t *group;    /* unknowns entries: the group of each equation */
    int32_t *size;     /* groups entries: number of equations of each group */
    int64_t *first;    /* groups + 1 entries: points first[g] .. first[g + 1] - 1 belong to group g */
    int32_t *exponent; /* unknowns entries per point */
    uint8_t *added;    /* 1 for a point that is an artificial origin, otherwise 0 */
} cell_supports;

/* The mixed cells of lifted supports. The cells are in lexicographic order of their points, and the points of a cell
 * are in ascending order, group by group. */
typedef struct mixed_cells {
    int64_t count, width; /* number of cells; points per cell, unknowns + groups */
    int32_t *point;       /* width entries per cell */
    int64_t *volume;      /* one per cell, at least 1 */
    int64_t *first_root;  /* count + 1 entries: roots first_root[i] .. first_root[i + 1] - 1 of all belong to cell i */
    int64_t *lifting;     /* one per point of the supports */
    int64_t mixed_volume; /* the sum of the volumes */
    int64_t steps;        /* steps of the walk that found them; the same for every number of threads */
    int64_t exact_steps;  /* of them, those that doubles could not decide */
    int32_t liftings;     /* number of liftings that were tried; all but the last had ties */
} mixed_cells;

/* Makes the supports of as many equations as unknowns. Equation i has points first[i] .. first[i + 1] - 1 of exponents,
 * unknowns entries per point; points may be repeated, and exponents may be negative. If origins is not 0, each support
 * without the origin gets it as an artificial point. PLUMB_ERR_RANGE for an exponent beyond 2^30, PLUMB_ERR_ARGUMENT
 * without unknowns. */
PLUMB_USE_RESULT plumb_status plumb_supports_create(int64_t unknowns, const int64_t *first, const int32_t *exponents,
                                                    int32_t origins, cell_supports **supports);

/* The same for a system. PLUMB_ERR_ARGUMENT if it does not have as many equations as unknowns. */
PLUMB_USE_RESULT plumb_status plumb_supports_of_system(const plumb_system *system, int32_t origins,
                                                       cell_supports **supports);

/* Returns the point of an equation with these exponents, or -1. */
int64_t plumb_supports_find(const cell_supports *supports, int64_t equation, const int32_t *exponents);

/* Sets point[k] to the point of term k of a system with these supports. */
PLUMB_USE_RESULT plumb_status plumb_supports_of_terms(const cell_supports *supports, const plumb_system *system,
                                                      int64_t *point);
void plumb_supports_destroy(cell_supports *supports); /* NULL is allowed */
void plumb_cells_destroy(mixed_cells *cells);         /* NULL is allowed */

/* Sorts pointers to lists of n numbers into lexicographic order. */
void plumb_points_sort(const int32_t **point, int64_t count, int64_t n);

/* ---- Cells one by one (cell.c) ------------------------------------------------------------------------------------ */

/* Returns the cell that root number `root` of all cells belongs to, from 0 to mixed_volume - 1; *within receives its
 * number among the roots of the cell. */
int64_t plumb_cells_locate(const mixed_cells *cells, int64_t root, int64_t *within);

/* Writes the edges of a cell: n rows of n entries (n is the number of unknowns), group by group, each a point of the
 * cell minus the first one of its group. The absolute value of their determinant is the volume. */
void plumb_cells_edges(const cell_supports *supports, const mixed_cells *cells, int64_t index, int64_t *edges);

/* Computes the inner normal of a cell exactly: v has n initialised entries. The function lifting(a) + <v, a> takes its
 * minimum over the points of each group exactly at the points of the cell. Returns PLUMB_ERR_MEMORY or
 * PLUMB_ERR_SINGULAR, which does not happen for a cell that was enumerated. */
PLUMB_USE_RESULT plumb_status plumb_cells_normal(const cell_supports *supports, const mixed_cells *cells, int64_t index,
                                                 mpq_t *v);

/* Computes the weights of all points over a cell, which are the exponents of t in its polyhedral homotopy: lifting(a) +
 * <v, a> minus its minimum over the group, exactly, and then rounded towards 0. They are 0 for the points of the cell
 * and positive for all others; otherwise it is no mixed cell of the lifting, and PLUMB_ERR_ARGUMENT is returned, which does not
 * happen for a cell that was enumerated. */
PLUMB_USE_RESULT plumb_status plumb_cells_weights(const cell_supports *supports, const mixed_cells *cells,
                                                  int64_t index, double *weights);

#endif
