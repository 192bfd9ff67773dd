/* models.h - polynomial systems and their solutions between files and the commands; the conventions are those of files.h. */
#ifndef PLUMB_APP_MODELS_H
#define PLUMB_APP_MODELS_H

#include "app/command/command.h"
#include "app/files.h"
#include "app/format.h"
#include "model/digits.h"
#include "model/solutions.h"
#include "model/system/system.h"
#include "text/json/json.h"

/* Reads a system, and shows the notes about it on stderr. */
int app_system_load(const char *command, const char *path, plumb_system **system);

/* The same from equations of the command line where there are any; then path is NULL. */
int app_system_get(const char *command, const char *path, const app_texts *equations, plumb_system **system);

/* The same for commands that need polynomials: refuses equations with denominators, in one line. And the check alone. */
int app_polynomials_get(const char *command, const char *path, const app_texts *equations, plumb_system **system);
int app_polynomials_check(const char *command, const char *path, const plumb_system *system);

/* Reads solutions in PHCpack's form or JSON, recognised by content. *solutions starts as NULL and goes back to
 * plumb_solutions_destroy. */
int app_solutions_load(const char *command, const char *path, int32_t prec, plumb_solutions **solutions);

/* Reads a file of components, and points with exact coordinates. *components and *points start as NULL. */
int app_components_load(const char *command, const char *path, plumb_components **components);
int app_points_load(const char *command, const char *path, plumb_points **points);

/* Writes a system as PLUMB_FORMAT_PHC or PLUMB_FORMAT_TXT. The file is complete, but has not taken its name yet. *output starts as
 * zeros, and is to be discarded also after a failure. */
int app_system_write(const char *command, const plumb_system *system, app_format format, const char *path,
                     app_output *output);

/* The same with the last step. */
int app_system_save(const char *command, const plumb_system *system, app_format format, const char *path);

/* Solutions into an open file, in a format of app_solution_formats, one after the other: all of them need not fit into
 * memory. The precision of s may differ from one to the next. In PHCpack's form the remark stands on the first line of a
 * solution; it may be NULL. Begin opens what end closes; the caller looks at ferror. */
typedef struct app_solution_writer {
    FILE *out;
    app_format format;
    const plumb_system *system;             /* whose unknowns they have */
    bool kinds;                             /* they come from plumb solve: write also what only their records have */
    const plumb_certificates *certificates; /* written into JSON, or NULL */
    int64_t point;                          /* which of them belongs to the next solution; it is counted up */
    int64_t written;
    json_writer json;
} app_solution_writer;

/* Solution k of a list becomes the only one of another, which has room for any precision, in the precision of its record. Its digits, if there
 * are any, are borrowed: remove them from the list before it is destroyed. */
void app_solution_take(const plumb_solutions *s, int64_t k, plumb_solutions *one, plumb_digits *digits);

void app_solutions_begin(app_solution_writer *w, int64_t count);
PLUMB_USE_RESULT plumb_status app_solutions_one(app_solution_writer *w, const plumb_solutions *s, int64_t k,
                                                const char *remark);
PLUMB_USE_RESULT plumb_status app_solutions_end(app_solution_writer *w);

#endif
