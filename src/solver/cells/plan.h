/* plan.h - what all threads of an enumeration read: the points with their liftings, and the stages of the walk.
 *
 * The points of the placeholders and of the supports are numbered together, group by group, placeholders first; such a
 * number is an id, and decides which neighbour of a wall continues. The place of a point is where its data are:
 * first all supports in the order in which the stages bring them in, then all placeholders in the same order. Stage k <
 * groups brings in the support of group order[k], so its points are the first places and the last ones; the last stage
 * has all supports and no placeholder, and raises the artificial origins if stable cells are wanted.
 *
 * A cell has a base point in each group and n rows, one per equation, each with a further point of its group. Row z of
 * the integer matrix v belongs to the point of row z: v_z . (a - base of the group of a) / det is the coefficient of
 * this point in the affine combination of the points of the cell that is equal to a (in the Cayley configuration). */
#ifndef PLUMB_SOLVER_CELLS_PLAN_H
#define PLUMB_SOLVER_CELLS_PLAN_H

#include <stdbool.h>

#include "solver/cells/cells.h"

enum { PLAN_BLOCK = 8 }; /* points that are evaluated together */

/* A stage. The places of its points are 0 .. supports_end - 1 (supports), current .. later - 1 (the placeholder of the
 * group that is brought in) and later .. end - 1 (the placeholders of later groups). */
typedef struct plan_stage {
    int32_t group; /* the group that is brought in; -1 in the last stage */
    int64_t scale; /* of its placeholder */
    int64_t supports_end, current, later, end;
    bool narrow;    /* liftings are exact as doubles */
    double norm;    /* bounds the sum of the exponents of a point */
    double highest; /* bounds the liftings */
} plan_stage;

typedef struct walk_plan {
    const cell_supports *supports;
    int64_t n, groups, ids, places;
    int32_t *row_group;   /* n entries: the group of each row; rows of a group are consecutive */
    int32_t *first_row;   /* groups + 1 entries */
    int32_t *order;       /* groups entries */
    int32_t *first_id;    /* groups + 1 entries */
    int32_t *placeholder; /* groups entries: points of the placeholder */
    int32_t *start_row;   /* n entries: the ids of the rows of the start cell; its bases are the first ids of groups */
    int32_t *start_axis;  /* n entries: the unknown of each of these points */

    /* ids entries each */
    int32_t *id_group;
    int32_t *id_point; /* point of the supports; -1 for a placeholder */
    int32_t *id_place;
    int64_t *lift; /* the lifting; of placeholders before they are scaled */
    int64_t *tie;  /* the second lifting */

    /* groups entries each: the places of a support, from support_at to before support_end, and of a placeholder */
    int64_t *support_at, *support_end, *placeholder_at;

    /* places entries each */
    int32_t *place_id; /* -1 where there is no point */
    double *height;    /* the lifting, as a double */
    double *raised;    /* 1 for an artificial origin of a stable enumeration, otherwise 0 */
    int32_t *axis;     /* of placeholders: the unknown of the point; n for the origin */

    double *a;                 /* exponents of supports, in blocks of points: see plan_entry */
    plan_stage *stages;        /* groups + 1 entries */
    bool stable, exact, empty; /* empty: there is no start cell, so the mixed volume is 0 */
} walk_plan;

/* Makes the plan for liftings of `bits` bits derived from the seed. The caller frees it in either case. */
PLUMB_USE_RESULT plumb_status plumb_plan_make(const cell_supports *supports, const cells_options *options,
                                              uint64_t seed, int32_t bits, walk_plan *plan);
void plumb_plan_free(walk_plan *plan);

/* 1, or the scale of the stage for the placeholder of its group. */
static inline double plan_scale(const plan_stage *stage, int64_t q)
{
    return q >= stage->current && q < stage->later ? (double)stage->scale : 1.0;
}

/* How fast the lifting of a point grows in this stage. */
static inline double plan_speed(const walk_plan *plan, const plan_stage *stage, int64_t q)
{
    return stage->group < 0 ? plan->raised[q] : q >= stage->current && q < stage->later;
}

/* Exponent of unknown i at place q. */
static inline double plan_entry(const walk_plan *plan, const plan_stage *stage, int64_t q, int64_t i)
{
    if (q >= stage->current)
        return plan->axis[q] == i ? plan_scale(stage, q) : 0.0;
    return plan->a[(q / PLAN_BLOCK * plan->n + i) * PLAN_BLOCK + q % PLAN_BLOCK];
}

/* Returns the place of the next point of a stage; stage->end after the last one. */
static inline int64_t plan_next(const plan_stage *stage, int64_t q)
{
    return q + 1 == stage->supports_end ? stage->current : q + 1;
}

/* True if the id is a point of the placeholder of its group. */
static inline bool plan_is_placeholder(const walk_plan *plan, int32_t id)
{
    return plan->id_point[id] < 0;
}

#endif
