/* collect.h - from the endpoints of all paths to the list of solutions: one entry per distinct solution, and an account of
 * every path. */
#ifndef PLUMB_SOLVER_SOLVE_COLLECT_H
#define PLUMB_SOLVER_SOLVE_COLLECT_H

#include "solver/solve/plan.h"
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

/* Groups the endpoints after the verdicts, and makes the list with its report. PLUMB_ERR_IO if a path cannot
 * be read. */
PLUMB_USE_RESULT plumb_status plumb_solve_collect(const solve_plan *plan, const solve_paths *paths,
                                                  plumb_solutions **solutions);

#endif
