/* family.h - a family: a system with parameters, and its solutions for generic values of them.
 *
 * The homotopy moves the parameters on an arc from the generic ones to those of a target (method/track/moving.h): the first
 * time on a straight line, which is none of the reals because the generic parameters are complex, and misses all
 * singularities with probability one. A target whose paths fail or coincide is solved again on other arcs, which bend at
 * random, with shorter steps and then with the highest precision.
 *
 * Reference: A.J. Sommese and C.W. Wampler, The Numerical Solution of Systems of Polynomials, 2005, chapter 7. */
#ifndef PLUMB_SOLVER_FAMILY_H
#define PLUMB_SOLVER_FAMILY_H

#include <stdbool.h>

#include "model/homotopy/homotopy.h"
#include "model/system/parameters.h"
#include "solver/context/context.h"

struct plumb_family {
    plumb_system *system;     /* with declared parameters */
    plumb_homotopy *homotopy; /* of the family */
    int64_t unknowns, parameters;
    int64_t paths;   /* generic solutions; 0: none are known */
    int64_t omitted; /* that are not regular, and that paths cannot start from */
    /* Unknowns that are zero in some generic solutions are followed elsewhere: paths are those of `shifted`, whose unknowns are x + shift.
     * Steps are judged relative to the unknowns, and of one that is zero there would be only noise. NULL: none are. */
    plumb_homotopy *shifted;
    double *shift;
    /* Changes of signs take solutions to solutions (signs.c): only the first solution of each orbit is followed, and solution k is change
     * change[k] of leader[place[k]]. Without changes signs is NULL, and all of them lead. */
    int64_t leaders, *leader, *place, *change;
    unsigned char *signs; /* of unknown i in change g at g * unknowns + i: 1 if it changes */
    unsigned char *
        zero; /* of unknown i of the k-th that leads at k * unknowns + i: 1 if a change that leaves it as it is changes this unknown */
    double *from; /* the generic parameters: real parts, then imaginary parts */
    double *
        starts; /* limb c of part p of unknown i of solution k at k * next + (p * PLUMB_QD + c) * unknowns + i, next = 8 unknowns */
};

/* The values of parameters as exact numbers; NULL without memory. values is to be freed by family_values_free. */
system_value *plumb_family_values(int64_t parameters, const plumb_view *view, int64_t entry);
void plumb_family_values_free(system_value *values, int64_t parameters);

/* Takes generic parameters (2 per parameter: real parts, then imaginary parts) and solutions, a batch in qd; omitted: how many others are not
 * regular. */
PLUMB_USE_RESULT plumb_status plumb_family_take(plumb_family *family, const double *from, const plumb_view *solutions,
                                                int64_t omitted);

/* Sets unknowns of a batch of points to zero that are not larger than this: where paths begin, relative changes of noise would mean
 * nothing. */
void plumb_family_clear(plumb_view *x, int64_t first, int64_t count, double noise);

/* The homotopy whose paths are followed. */
const plumb_homotopy *plumb_family_homotopy(const plumb_family *family);

/* Adds times the shift of the family, 1 or -1, to points of a batch. */
void plumb_family_translate(const plumb_family *family, plumb_view *x, double times);

/* Finds the changes of signs of the family and the orbits of its generic solutions, or forgets them. */
PLUMB_USE_RESULT plumb_status plumb_family_find_signs(plumb_family *family);
void plumb_family_forget_signs(plumb_family *family);

/* Changes the signs of a point. */
void plumb_family_change_signs(const unsigned char *signs, double *x, int64_t unknowns, int64_t planes, int64_t plane);

/* Random parameters near the unit circle, with 16 bits per part: coefficients at them are short. */
void plumb_family_draw(uint64_t seed, int64_t parameters, double *from);

/* Makes the system for parameters of one limb, 2 per parameter as above. */
PLUMB_USE_RESULT plumb_status plumb_family_specialize(const plumb_family *family, const double *from,
                                                      plumb_system **system);

/* Checks a view of points on the host: its shape, and that all numbers are finite. */
PLUMB_USE_RESULT plumb_status plumb_family_check_view(const plumb_view *view, const char *name, int64_t rows,
                                                      bool complex_only);

/* True if Newton's method in qd ended at a regular solution. */
bool plumb_family_is_regular(const plumb_newton_report *report);

/* Refines points that are given, in qd, and checks that they are different regular solutions. */
PLUMB_USE_RESULT plumb_status plumb_family_refine(plumb_context *context, const plumb_system *system, plumb_view *x,
                                                  int64_t unknowns);

/* plumb_family_solve for a part of a job with so many targets, for which the machine is chosen; 0: by the processor. */
PLUMB_USE_RESULT plumb_status plumb_family_solve_part(plumb_context *context, const plumb_family *family,
                                                      const plumb_view *targets, int64_t job,
                                                      const plumb_family_options *options, plumb_view *solutions,
                                                      plumb_solution_record *records, plumb_instance *instances);

/* True if all coefficients are real. */
bool plumb_family_is_real(const plumb_family *family);

/* The generic solutions and parameters as views. */
plumb_view plumb_family_starts(const plumb_family *family);
plumb_view plumb_family_from(const plumb_family *family);

/* ---- The ends of the paths of one target (judge.c) --------------------------------------------------------------- */

/* The regular ends of all arcs, without repetitions. Room for family->paths + 1 of them: one more shows that something is wrong. */
typedef struct family_points {
    int64_t count, room, unknowns;
    int32_t prec;
    double *x;                 /* limb c of part p of unknown i of point k, as in family->starts but in prec limbs */
    plumb_path_record *record; /* one per point */
    int64_t *order;            /* by key */
    double *key;               /* a linear form of the real parts */
    double largest;            /* error of a point */
} family_points;

/* What is known after an arc. */
typedef struct family_account {
    int64_t regular, singular, infinite, failed, stopped;
    bool doubtful; /* two points are too close to each other for their errors */
} family_account;

PLUMB_USE_RESULT plumb_status plumb_family_points_begin(int64_t paths, int64_t unknowns, int32_t prec,
                                                        family_points *points);
void plumb_family_points_end(family_points *points);

/* Forgets the points of the target before. */
void plumb_family_points_clear(family_points *points);

/* Makes room for this many points in all. */
PLUMB_USE_RESULT plumb_status plumb_family_points_room(family_points *points, int64_t room);

/* The point that x is, within the errors of both; -1: none. doubtful: the digits do not decide. */
int64_t plumb_family_points_find(const family_points *points, const double *x, double error, bool *doubtful);

/* Adds a point, for which there is room, and returns its number. */
int64_t plumb_family_points_put(family_points *points, const double *x, const plumb_path_record *record);

/* Adds the ends of paths first .. first + paths - 1 of a call, and accounts for all of them. */
void plumb_family_points_add(family_points *points, const plumb_view *ends, const plumb_path_record *records,
                             int64_t first, int64_t paths, family_account *account);

/* True if the complex conjugate of each point is one of them. */
bool plumb_family_points_symmetric(const family_points *points);

/* True if a point is its own conjugate, within its error. */
bool plumb_family_point_real(const family_points *points, int64_t k);

#endif
