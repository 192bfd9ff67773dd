/* stage.h - the calls of plumb_solve that a decomposition consists of, its stages: with a journal of their own, and shared by ranks.
 *
 * Rank 0 decides which stage comes next, because that depends on solutions, and tells the others, which make the same call of
 * plumb_solve. What comes between stages rank 0 does alone. */
#ifndef PLUMB_SOLVER_SETS_STAGE_H
#define PLUMB_SOLVER_SETS_STAGE_H

#include "solver/sets/journal.h"

typedef struct set_solver {
    plumb_context *context;
    const plumb_decompose_options *options;
    int64_t linear; /* linear equations of the system that are not combined with others (equations.h) */
    set_journal journal;
} set_solver;

/* What is solved: an attempt to find the witness points of a dimension, the whole system, or a slice of the whole space. */
typedef enum set_stage_kind { SET_STAGE_END, SET_STAGE_WITNESS, SET_STAGE_ISOLATED, SET_STAGE_WHOLE } set_stage_kind;

typedef struct set_stage {
    int64_t kind; /* set_stage_kind */
    int64_t dimension, attempt;
    int64_t status; /* of SET_STAGE_END: that of rank 0 */
} set_stage;

/* Solves a system, whose isolated solutions become points, and its account that of a dimension. PLUMB_ERR_STOPPED if it was stopped:
 * there may be points. On a rank other than 0 there are none. */
PLUMB_USE_RESULT plumb_status set_stage_solve(const set_solver *solver, const set_stage *stage,
                                              const plumb_system *system, uint64_t seed,
                                              plumb_component_dimension *info, plumb_solutions **points);

/* Rank 0: there are no more stages. */
void set_stage_end(const set_solver *solver, plumb_status status);
/* Another rank: waits for the next stage, which may be SET_STAGE_END. */
set_stage set_stage_next(void);

/* Was a stop requested? */
bool set_stopped(const plumb_decompose_options *options);

#endif
