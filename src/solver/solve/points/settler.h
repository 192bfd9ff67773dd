/* settler.h - what settle.c and known.c share: the ends of a run that are being settled.
 *
 * known.c settles what needs no further digits of paths: exact solutions, multiplicities that many digits show, and paths whose ends follow
 * from those of all others. What is left open, settle.c has followed by MPFR (follow.h). */
#ifndef PLUMB_SOLVER_SOLVE_POINTS_SETTLER_H
#define PLUMB_SOLVER_SOLVE_POINTS_SETTLER_H

#include "solver/mp/exact.h"
#include "solver/solve/points/follow.h"
#include "solver/solve/points/settle.h"

/* Rational points are looked for within this multiple of the estimated error. */
#define SETTLE_TIMES_ERROR 100.0

/* A path that is to be followed. */
typedef struct open_path {
    int64_t k;     /* in the run */
    int32_t code;  /* before */
    int64_t group; /* the first open path that ends at the same point; own index: none before it */
    bool settled;
    mp_path path; /* that of followed_path, which owns its numbers */
} open_path;

typedef struct settler {
    const solve_plan *plan;
    const solve_paths *paths;
    track_group *groups;
    settled_points *settled;
    open_path *open;
    followed_path *followed; /* one for each open path */
    follow_account account;
    bool again; /* paths are to be followed once more, because they have come to the ends of others */
    int64_t count;
    bool doubts;        /* some path lacks digits: it might belong to any of the points */
    int64_t lacking;    /* how many of them */
    int64_t unfollowed; /* paths to infinity that should be followed, but are too many */
    double *x;          /* room for one point */
} settler;

/* The path ended, but for lack of digits or steps it is not known where. */
static inline bool settle_lacks_digits(int32_t code)
{
    return code == PLUMB_PATH_UNDECIDED || code == PLUMB_PATH_PRECISION_EXHAUSTED ||
           code == PLUMB_PATH_STEP_TOO_SMALL || code == PLUMB_PATH_TOO_MANY_STEPS || code == PLUMB_PATH_BAD_START;
}

/* Whether there is more than quad doubles. */
static inline bool settle_has_digits(const solve_plan *plan)
{
    return plan->options.max_digits >= FOLLOW_LEAST_DIGITS;
}

/* How close distinct solutions may be, in digits. */
double settle_digits(const solve_plan *plan);
/* With how many digits a path to infinity is distinguished from one to a large solution, which is another question: however many paths there
 * are, it is about one solution. */
double settle_digits_of_limit(const solve_plan *plan);

/* The largest modulus of an unknown. */
double settle_size(const double *x, int32_t prec, int64_t n);

/* Adds a point with a copy of x. */
PLUMB_USE_RESULT plumb_status settle_add_point(const settler *s, settled_point point, const double *x);

/* The number of paths in the group of a centre. */
int64_t settle_members(const settler *s, int64_t centre);

/* The multiplicity of a rational solution, which is to be `paths` (0: whatever it is): x becomes that point if it is. If all other
 * paths are known to end elsewhere, it is enough to see that the multiplicity is not smaller; otherwise, that it is not smaller than with
 * all paths that might end there. */
int64_t settle_count_exactly(const settler *s, const exact_point *point, int64_t paths, double *x);

/* Whether there is a solution of exactly this multiplicity within about so many times the error (relative to the largest unknown) of x,
 * rational or not, which its local structure shows to many digits; x, in qd, becomes that point then. */
PLUMB_USE_RESULT plumb_status settle_look_closely(const settler *s, int64_t multiplicity, double error, double *x,
                                                  bool *found);

/* Settles what can be settled without following paths, and lists the paths that are open then. */
PLUMB_USE_RESULT plumb_status settle_known(settler *s);

/* After the last paths were followed: those without a verdict end at infinity, if all solutions are known. */
void settle_by_counting(const settler *s);

#endif
