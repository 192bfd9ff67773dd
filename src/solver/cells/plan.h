/* plan.h - what all threads of an enumeration read: the stages of the walk with their points and liftings.
 *
 * The points of the placeholders and of the supports are numbered together, group by group, placeholders first; such a
 * number is an id. Stage k < groups brings in the support of group order[k]; the last stage has all supports and no
 * placeholder, and raises the artificial origins if stable cells are wanted.
 *
 * A cell has a base point in each group and n rows, one per equation, each with a further point of its group. Row z of
 * the integer matrix v belongs to the point of row z: v_z . (a - base of the group of a) / det is the coefficient of
 * this point in the affine combination of the points of the cell that is equal to a (in the Cayley configuration),
 * for every point a but those of the group of z, where this is right if z is not the base. */
#ifndef PLUMB_SOLVER_CELLS_PLAN_H
#define PLUMB_SOLVER_CELLS_PLAN_H

#include <stdbool.h>

#include "solver/cells/cells.h"

enum { PLAN_BLOCK = 8 }; /* points that are evaluated together */

typedef struct plan_stage {
    int64_t points, blocks;
    double *a;     /* exponents: coordinate i of point q is a[(q / PLAN_BLOCK * n + i) * PLAN_BLOCK + q % PLAN_BLOCK] */
    double *lift;  /* blocks * PLAN_BLOCK entries, exact if narrow */
    double *speed; /* of the lifting in this stage: 1 or 0 */
    int32_t *id;   /* of each point */
    int32_t *where; /* the point with this id; -1 if it is not in this stage */
    int64_t *start; /* groups + 1 entries: first point of each group */
    int64_t scale;  /* of the placeholder that is being replaced */
    int32_t group;  /* that is brought in; -1 in the last stage */
    bool narrow;    /* liftings are exact as doubles */
    double norm;    /* largest sum of absolute exponents of a point */
    double highest; /* largest lifting */
} plan_stage;

typedef struct walk_plan {
    const cell_supports *supports;
    int64_t n, groups, ids;
    int32_t *row_group;   /* n entries: the group of each row; rows of a group are consecutive */
    int32_t *first_row;   /* groups + 1 entries */
    int32_t *order;       /* groups entries */
    int32_t *first_id;    /* groups + 1 entries */
    int32_t *placeholder; /* groups entries: points of the placeholder */
    int32_t *id_group;    /* ids entries, as the next four */
    int32_t *id_point;    /* point of the supports; -1 for a placeholder */
    int64_t *lift;        /* of placeholders before they are scaled */
    int64_t *tie;         /* the second lifting */
    int32_t *start_row;   /* n entries: the ids of the rows of the start cell; its bases are the first ids of groups */
    int32_t *start_axis;  /* n entries: the unknown of each of these points */
    plan_stage *stages;   /* groups + 1 entries */
    bool stable, exact, empty; /* empty: there is no start cell, so the mixed volume is 0 */
} walk_plan;

/* Makes the plan for liftings of `bits` bits derived from the seed. The caller frees it in either case. */
PLUMB_USE_RESULT plumb_status plumb_plan_make(const cell_supports *supports, const cells_options *options,
                                              uint64_t seed, int32_t bits, walk_plan *plan);
void plumb_plan_free(walk_plan *plan);

static inline double plan_entry(const walk_plan *plan, const plan_stage *s, int64_t q, int64_t i)
{
    return s->a[(q / PLAN_BLOCK * plan->n + i) * PLAN_BLOCK + q % PLAN_BLOCK];
}

/* True if the id is a point of the placeholder of its group. */
static inline bool plan_is_placeholder(const walk_plan *plan, int32_t id)
{
    return plan->id_point[id] < 0;
}

#endif
