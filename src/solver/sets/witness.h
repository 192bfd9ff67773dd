/* witness.h - the witness points of one dimension k: the isolated solutions of the equations and a slice.
 *
 * A random combination of n - k equations has as components of dimension k those of the system, and others on which it is regular, so
 * their points on a slice are isolated solutions of a square system, which plumb_solve finds with a verdict about every path: points of
 * larger components are not isolated there. Of the points that it finds, those are kept at which all equations vanish: they are
 * refined by MPFR until that is decided. */
#ifndef PLUMB_SOLVER_SETS_WITNESS_H
#define PLUMB_SOLVER_SETS_WITNESS_H

#include <stdbool.h>

#include "solver/sets/slice.h"
#include "solver/sets/stage.h"

typedef struct set_witness {
    set_slice slice;
    plumb_system *combined;  /* the n - k combinations */
    plumb_solutions *points; /* of the combinations on the slice */
    bool *kept;              /* of each point: it solves the system */
    bool exact;              /* there were as many equations as combinations: multiplicities are those of the system */
    plumb_component_dimension info;
} set_witness;

/* Where the end of some path is not known, others may tell: attempts with other slices, combinations and start systems follow, from
 * *attempt on, which becomes the number of the last one. */
enum { SET_ATTEMPTS = 3 };
PLUMB_USE_RESULT plumb_status set_witness_find(const set_solver *solver, const plumb_system *system, int64_t dimension,
                                               int64_t *attempt, set_witness *witness);
void set_witness_clear(set_witness *witness);

/* On a rank other than 0: the same call of plumb_solve as rank 0 for an attempt to find them, whose paths are shared. */
PLUMB_USE_RESULT plumb_status set_witness_serve(const set_solver *solver, const plumb_system *system,
                                                const set_stage *stage);

#endif
