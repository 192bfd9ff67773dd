/* plan.h - how a system is going to be solved: the square system whose paths are tracked, its start system and homotopy.
 *
 * The plan depends on the system and the options alone. What is done with it, one call for all paths (solve.c) or many
 * calls and a journal (the program), makes no difference to the results. */
#ifndef PLUMB_SOLVER_SOLVE_PLAN_H
#define PLUMB_SOLVER_SOLVE_PLAN_H

#include "model/homotopy/homotopy.h"
#include "solver/polyhedral/tropical.h"
#include "solver/solve/chain.h"
#include "solver/solve/simplify.h"
#include "solver/solve/start.h"

typedef struct solve_plan {
    plumb_context *context;
    const plumb_system *given;  /* the one that is to be solved; belongs to the caller */
    const plumb_system *system; /* the same, or its numerators if it has denominators */
    plumb_system *numerators;   /* these, or NULL */
    /* What must not vanish at a solution (conditions.h): systems of one equation each. */
    plumb_system **denominator;
    int64_t denominator_count;
    plumb_solve_options options;
    simple_system simple; /* what is left of it after elimination */
    bool solved;          /* no unknown is left: there is one solution, or none, and no path */
    chain_points chain;   /* the solutions of what is left, if that is triangular, and no path; none: there are paths */
    tropical_roots
        wide; /* the solutions of the target, if they have very different sizes, and no path; none: there are paths */
    plumb_system *square; /* random combinations of what is left if that has more equations than unknowns, or NULL */
    solve_start start;
    plumb_homotopy *homotopy; /* NULL: there are no paths */
    plumb_track_options track;
    plumb_solve_report report;                           /* the counts of start systems, for now */
    double multihomogeneous_seconds, polyhedral_seconds; /* times that the counts took, with their start systems */
    char given_up[PLUMB_START_POLYHEDRAL + 1][96];       /* by kind: why a start system was given up; "": it was not */
} solve_plan;

/* What is left after elimination. */
static inline const plumb_system *plumb_solve_left(const solve_plan *plan)
{
    return plan->simple.system ? plan->simple.system : plan->system;
}

/* The number of solutions that were found without paths. */
static inline int64_t plumb_solve_direct_count(const solve_plan *plan)
{
    return plan->solved ? 1 : plan->chain.count + plan->wide.count;
}

/* Digits that solutions are refined to in quad doubles; more are left to solver/newton/digits.c. */
enum { SOLVE_LIMB_DIGITS = 60 };
static inline int32_t plumb_solve_limb_digits(const solve_plan *plan)
{
    return plan->options.digits < SOLVE_LIMB_DIGITS ? plan->options.digits : SOLVE_LIMB_DIGITS;
}

/* The square system that is tracked. */
static inline const plumb_system *plumb_solve_target(const solve_plan *plan)
{
    return plan->square ? plan->square : plumb_solve_left(plan);
}

/* Reads options of any version, or none (NULL). */
PLUMB_USE_RESULT plumb_status plumb_solve_read_options(plumb_context *context, const plumb_solve_options *given,
                                                       plumb_solve_options *options);

/* given may be NULL. After a failure, of which the context has one line, the plan is to be cleared, too. */
PLUMB_USE_RESULT plumb_status plumb_solve_plan_make(plumb_context *context, const plumb_system *system,
                                                    const plumb_solve_options *given, solve_plan *plan);
void plumb_solve_plan_clear(solve_plan *plan);

/* The part that makes the start system, for the target of a plan that has its system and its options: counts the paths of
 * each kind, and makes the one that the options or the numbers speak for. */
PLUMB_USE_RESULT plumb_status plumb_solve_plan_start(plumb_context *context, solve_plan *plan);

#endif
