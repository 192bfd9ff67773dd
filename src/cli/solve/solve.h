/* solve.h - the parts of plumb solve: the command line and the order of the work (solve.c), the call of the library (job.c),
 * certificates (certify.c), and what is said about the solutions (answer.c) or written (output.c, page.c). */
#ifndef PLUMB_CLI_SOLVE_H
#define PLUMB_CLI_SOLVE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/certified.h"
#include "app/command/command.h"
#include "app/format.h"
#include "app/numbers.h"
#include "app/plot/picture.h"
#include "app/run/files.h"
#include "app/run/host.h"
#include "app/run/paths.h"
#include "app/stop.h"
#include "model/solutions.h"

/* The command line. */
typedef struct solve_words {
    const char *command; /* "solve" or "merge" */
    const char *file[1]; /* NULL with equations */
    app_texts equations;
    const char *paths, *output, *path_log, *plot, *plot_coordinates, *html, *cells;
    const char *at, *map, *parameters, *family; /* of a family */
    bool count, anew;
    int32_t prec, backend, start;
    bool certify, no_certify; /* neither: by the number of solutions and unknowns */
    bool real, positive, nonzero, json, resume, quiet, mpi, plan;
    int64_t threads, max_steps, reruns, digits, max_digits, neighbours;
    double largest, residual;
    uint64_t seed;
    app_format output_format; /* follows from output */
} solve_words;

enum { SOLVE_KINDS = PLUMB_START_POLYHEDRAL + 1, SOLVE_WHY = 96 };

typedef struct solve_job {
    const solve_words *words;
    plumb_system *system;
    plumb_context *context;
    plumb_solve_options options;
    const char *const *parts;             /* journals of parts, ends with NULL; or NULL */
    bool fill;                            /* track what no part has */
    char *journal;                        /* beside the output; or NULL */
    app_log log;                          /* of steps, for --path-log */
    app_panels panels;                    /* of the picture */
    plumb_solve_planned planned;          /* what was done, as it was planned, with texts of our own */
    bool is_planned;                      /* it was */
    char why[SOLVE_KINDS + 1][SOLVE_WHY]; /* its texts */
    plumb_solution_stream *stream;        /* of more solutions than are in memory; or NULL */
    plumb_solutions *solutions;           /* in the end: all of them, or the first ones of the stream */
    int64_t count;                        /* of all */
    plumb_solve_report report;
    double seconds;
    plumb_certificates *certificates; /* of the solutions; NULL if there are none, and then: */
    char uncertified[256];            /* why not; "" if nobody asked */
    app_certified certified, chosen;  /* of all solutions, and of those that --real, --positive and --nonzero choose */
    app_bound bound;
    double certify_seconds;
} solve_job;

/* Solves with this command line (solve.c), or merges parts (or NULL): the exit status. */
int solve_run(solve_words *words, const char *const *parts, bool fill);

/* Reads the system and solves it (job.c). After a signal there are the solutions of the paths that were finished; on a rank other than 0
 * there are none. */
int solve_call(solve_job *job);
/* The solutions are written: removes the journal, which has served, unless the run was stopped, or is a part. */
void solve_call_done(const solve_job *job);

/* The solutions after those in job->solutions, in a list that is to be destroyed: NULL if there are none. */
plumb_status solve_next(const solve_job *job, plumb_solutions **solutions);

/* Certifies the solutions, where that is wanted (certify.c), and drops those that the options do not ask for; and 1, with a line, if --certify
 * could not be fulfilled. */
int solve_certify(solve_job *job);
int solve_certify_verdict(const solve_job *job);

/* Which start system was chosen, before the paths are tracked; and the solutions, in text or JSON. */
void solve_answer_start(const solve_job *job, FILE *out);
void solve_answer_text(const solve_job *job, FILE *out);
bool solve_answer_json(const solve_job *job, FILE *out);

/* An unknown of a solution with the digits that are known. */
typedef struct solve_number {
    const char *re, *im; /* "0" for the imaginary part of a real solution */
    app_known_pair room;
} solve_number;
void solve_answer_number(const solve_job *job, int64_t k, int64_t i, solve_number *number);

/* With --plan, instead of the solutions: how many paths would be tracked, and how long that would take. */
void solve_answer_plan_text(const solve_job *job, FILE *out);
void solve_answer_plan_json(const solve_job *job, FILE *out);

/* Writes the page of --html (page.c). */
int solve_page(const solve_job *job);

/* Writes the solutions to the file of --output. */
int solve_output(const solve_job *job);

#endif
