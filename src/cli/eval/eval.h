/* eval.h - the parts of `plumb eval`: where points come from, and what is printed of them. */
#ifndef PLUMB_CLI_EVAL_H
#define PLUMB_CLI_EVAL_H

#include <stdbool.h>

#include "model/solutions.h"
#include "model/system/system.h"

/* A system at a batch of points: complex arrays of the context, in one precision. jacobians.data is NULL when nobody asked. */
typedef struct eval_points {
    const plumb_system *system;
    plumb_view points, values, jacobians;
    bool many; /* the points came out of a file: a list of results, also for one */
} eval_points;

/* eval_point.c. Each makes e->points at the precision; CLI_OK, or one line on stderr and the exit status. */
int eval_points_from_text(const char *command, plumb_context *context, const char *text, int32_t prec, eval_points *e);
int eval_points_from_file(const char *command, plumb_context *context, const char *path, int32_t prec, eval_points *e);
int eval_points_random(const char *command, plumb_context *context, uint64_t seed, int32_t prec, eval_points *e);

/* The two halves of a file of solutions, for those who need what it says beside the points; unknowns go by name. *solutions starts as
 * NULL, and goes back to plumb_solutions_destroy. */
int eval_solutions_load(const char *command, const char *path, int32_t prec, plumb_solutions **solutions);
int eval_points_of_solutions(const char *command, plumb_context *context, const char *path,
                             const plumb_solutions *solutions, eval_points *e);

/* eval_report.c. False when memory ran out. */
bool eval_print_text(const eval_points *e);
bool eval_print_json(const eval_points *e);

#endif
