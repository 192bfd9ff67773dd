/* eval.h - the parts of plumb eval: where points come from, and how the results are printed. */
#ifndef PLUMB_CLI_EVAL_H
#define PLUMB_CLI_EVAL_H

#include <stdbool.h>

#include "app/command/command.h"
#include "model/solutions.h"
#include "model/system/system.h"

/* A system at a batch of points: complex arrays of the context, in one precision. jacobians.data is NULL unless asked for. */
typedef struct eval_points {
    const plumb_system *system;
    plumb_view points, values, jacobians;
    bool many; /* the points came from a file: they are numbered, also when there is one */
} eval_points;

/* Each makes e->points at the precision (point.c). APP_OK, or one line on stderr and the exit status. */
int eval_points_from_text(const char *command, plumb_context *context, const char *text, int32_t prec, eval_points *e);
int eval_points_from_file(const char *command, plumb_context *context, const char *path, int32_t prec, eval_points *e);
int eval_points_random(const char *command, plumb_context *context, uint64_t seed, int32_t prec, eval_points *e);

/* The points of a list of solutions that came from the file path; unknowns are matched by name. */
int eval_points_of_solutions(const char *command, plumb_context *context, const char *path,
                             const plumb_solutions *solutions, eval_points *e);

/* What plumb newton and plumb certify work on: a system, and a list of solutions to begin with. */
typedef struct eval_inputs {
    plumb_context *context;
    plumb_system *system;
    plumb_solutions *solutions;
} eval_inputs;

/* Makes the context, reads the system and the solutions in a precision, and makes x, an array of the context with their
 * points. Whatever it returns, the caller destroys x and then closes the inputs. */
int eval_inputs_open(const char *command, const plumb_context_options *settings, const char *const file[2],
                     const app_texts *equations, int32_t prec, eval_inputs *in, plumb_view *x);
void eval_inputs_close(eval_inputs *in);

/* What was found, on stdout (report.c). False when a number could not be written. */
bool eval_print_text(const eval_points *e);
bool eval_print_json(const eval_points *e);

#endif
