/* carrier.h - a component of a solution set whose points can be moved: its witness points as regular zeros of a system that has the
 * slice as some of its equations, made again from what a file of components has.
 *
 * A component of multiplicity 1 has as many random combinations of the equations as its codimension; a multiple one has the equations
 * themselves, deflated together with the slice (points.h). The constants of the slice occur in its own equations only, also after deflation:
 * they can be the parameters of a family, and then one batch of paths moves the slice, parallel to itself, to any number of places. Such a
 * projection along directions in general position is finite on the component, so that no path goes to infinity, and every point of the
 * component in the new place is the end of a path, wherever that is. */
#ifndef PLUMB_SOLVER_SETS_CARRIER_H
#define PLUMB_SOLVER_SETS_CARRIER_H

#include "model/components.h"
#include "solver/context/context.h"
#include "solver/sets/points.h"

typedef struct set_carrier {
    plumb_context *context;
    const plumb_system *slice; /* of the components, or turned */
    plumb_system *turned;      /* by set_carrier_turn, or NULL */
    int64_t dimension, unknowns;
    plumb_system *base;  /* the equations, or combinations of them, in the unknowns of the components */
    double *shift;       /* of the unknowns (shift.h) */
    deflated_point how;  /* stages 0: the component has multiplicity 1 */
    plumb_system *start; /* the base, the slice and the equations of deflation, in shifted unknowns */
    int64_t count;       /* witness points */
    plumb_view x;        /* in quad doubles, in the unknowns of start */
    double *error;       /* absolute */
    bool usable;         /* all witness points are regular zeros of start; otherwise the file has something else */
} set_carrier;

/* Of component `index`. shift_all: all unknowns are shifted, because paths are real, and pass through points with coordinates that are zero. To be cleared after a failure, too. */
PLUMB_USE_RESULT plumb_status set_carrier_make(plumb_context *context, const plumb_components *components,
                                               int64_t index, bool shift_all, uint64_t seed, set_carrier *carrier);
void set_carrier_clear(set_carrier *carrier);

/* The system that start becomes if the slice is replaced by other linear equations in the same unknowns, exactly. */
PLUMB_USE_RESULT plumb_status set_carrier_system(const set_carrier *carrier, const plumb_system *slice,
                                                 plumb_system **system);

/* Moves the witness points to another slice in general position, which the carrier then has. Not usable if a path fails. */
PLUMB_USE_RESULT plumb_status set_carrier_turn(set_carrier *carrier, const plumb_system *slice, uint64_t seed);

/* The family whose parameters are added to the constants of the slice, with the witness points as its generic solutions for the
 * parameters 0. */
PLUMB_USE_RESULT plumb_status set_carrier_family(const set_carrier *carrier, plumb_family **family);

/* Where the paths of the witness points end when the slice has moved to a batch of places: those to place k are entries k * count
 * and following of x and records, as plumb_family_solve leaves them. */
typedef struct set_ends {
    plumb_family *family;
    plumb_view x; /* in quad doubles, in the unknowns of start */
    plumb_solution_record *records;
    plumb_instance *instances; /* one per place */
} set_ends;

/* Follows them. constants: what is added to those of the slice, one entry per place. progress may be NULL. To be cleared after a
 * failure, too. */
PLUMB_USE_RESULT plumb_status set_carrier_follow(const set_carrier *carrier, const plumb_view *constants, uint64_t seed,
                                                 plumb_progress progress, void *data, set_ends *ends);
void set_ends_clear(const set_carrier *carrier, set_ends *ends);

/* As many equations as unknowns: random combinations, the same ones for all systems of a carrier. */
PLUMB_USE_RESULT plumb_status set_carrier_square(const plumb_system *system, uint64_t seed, plumb_system **square);

/* Takes the shift from the first `unknowns` of each point of x. */
PLUMB_USE_RESULT plumb_status set_carrier_unshift(const set_carrier *carrier, const plumb_view *x);

#endif
