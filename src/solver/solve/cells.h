/* cells.h - mixed cells that somebody else has enumerated: rank 0 with the threads of all ranks of its computer, or an earlier run,
 * which wrote them to a file. */
#ifndef PLUMB_SOLVER_SOLVE_CELLS_H
#define PLUMB_SOLVER_SOLVE_CELLS_H

#include "solver/cells/store.h"
#include "solver/run/host.h"
#include "solver/solve/plan.h"

typedef struct solve_cells {
    const char *path;  /* the file; NULL: none */
    bool shared;       /* with the other ranks */
    cells_store store; /* for the context that the plan is made with */
    bool were_read;    /* from the file; false if there was none */
} solve_cells;

/* Takes them, makes the plan with them, and passes them on: to the other ranks, and to the file if there was none. Those of a
 * file are enumerated again if this takes some tenths of a second at most, and are believed otherwise. RUN_FAILED without a line on a
 * worker that rank 0 has sent home. */
int plumb_solve_cells_take(const run_voice *voice, solve_cells *cells);
PLUMB_USE_RESULT plumb_status plumb_solve_cells_plan(plumb_context *context, const plumb_system *system,
                                                     const plumb_solve_options *options, solve_cells *cells,
                                                     solve_plan *plan);
int plumb_solve_cells_pass_on(const run_voice *voice, const solve_cells *cells, const solve_plan *plan);

#endif
