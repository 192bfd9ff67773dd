/* collect.h - from the endpoints of all paths to the solutions: one for each distinct point, and an account of every path.
 *
 * All endpoints are counted and looked at when a collection begins. Points need much more memory than what is known of a path, so this is
 * done with some of them at a time, and once more for those that are then taken. If all of them are few enough, it is done once. */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_COLLECT_H
#define PLUMB_SOLVER_SOLVE_POINTS_COLLECT_H

#include "solver/solve/plan.h"
#include "solver/solve/points/look.h"
#include "solver/track/ends.h"

/* The paths after the verdicts that need all of them (solver/track/judge.h), wherever they are kept. */
typedef struct solve_paths {
    track_ends ends;
    const track_group *groups; /* of these endpoints with their present codes; NULL: they are grouped once more */
    /* Reads the record and the endpoint of path k, for several threads at once, in the unknowns of the target: 2 * *prec doubles per unknown, limbs of
     * the real part first; x has room for qd. ends.data is passed to it. False if it cannot be read. */
    bool (*read)(void *data, int64_t k, plumb_path_record *record, double *x, int32_t *prec);
    /* NULL, or called when no path will be read any more, before there is a list of solutions. */
    void (*taken)(void *data);
} solve_paths;

/* An endpoint that takes the place of the one that was tracked (settle.h). */
typedef struct settled_point {
    int64_t path;  /* the first of its paths */
    int64_t paths; /* number of paths that end there */
    bool cluster;  /* it is not known whether this is one point */
    double error;  /* relative to the largest unknown; the radius of a cluster */
    double *x;     /* in the unknowns of the target, 2 * PLUMB_QD doubles per unknown */
} settled_point;

typedef struct settled_points {
    settled_point *list;
    int64_t count, room;
} settled_points;

typedef struct solve_collection {
    const solve_plan *plan;
    solve_paths paths;
    track_group *groups;
    settled_points settled;
    plumb_solve_report report;
    int64_t *solution;    /* the paths of the solutions that are asked for, in the order in which they are listed */
    int64_t count, taken; /* of them */
    int64_t at_once;      /* how many points are in memory at most */
    solve_points points;  /* those that are in memory; its units are those of all */
    solve_view *seen;     /* of each */
    bool is_whole;        /* these are all points, as they were looked at when the collection began */
} solve_collection;

/* Groups the endpoints after the verdicts, counts them in the report, and finds those that are solutions. The collection is to be
 * ended also after a failure, of which the context has one line. PLUMB_ERR_IO if a path cannot be read. */
PLUMB_USE_RESULT plumb_status plumb_solve_collect(solve_collection *collection, const solve_plan *plan,
                                                  const solve_paths *paths, int64_t at_once);
/* The next solutions, at most this many. */
PLUMB_USE_RESULT plumb_status plumb_solve_take(solve_collection *collection, int64_t most, plumb_solutions **solutions);
void plumb_solve_collect_end(solve_collection *collection); /* zeros are allowed */

#endif
