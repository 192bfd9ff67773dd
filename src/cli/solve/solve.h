/* solve.h - the parts of plumb solve: the command line and the order of the work (solve.c), the run of its paths (job.c),
 * and what is said about the solutions (answer.c) or written (output.c). */
#ifndef PLUMB_CLI_SOLVE_H
#define PLUMB_CLI_SOLVE_H

#include <stdbool.h>
#include <stdio.h>

#include "app/certified.h"
#include "app/command.h"
#include "app/format.h"
#include "app/plot/plot.h"
#include "app/run/host.h"
#include "app/stop.h"
#include "model/solutions.h"
#include "solver/solve/cells.h"
#include "solver/solve/job.h"

/* The command line. */
typedef struct solve_words {
    const char *file[1]; /* NULL with equations */
    app_texts equations;
    const char *paths, *output, *path_log, *plot, *cells;
    int32_t prec, backend, start;
    bool certify, no_certify; /* neither: by the number of solutions and unknowns */
    bool real, positive, nonzero, json, resume, quiet, mpi;
    int64_t threads, max_steps, reruns, digits;
    double largest, residual;
    uint64_t seed;
    app_format output_format; /* follows from output */
} solve_words;

typedef struct solve_job {
    const solve_words *words;
    plumb_system *system;
    plumb_context *context;
    solve_cells cells; /* mixed cells that the plan was made with */
    solve_plan plan;
    const char *const *parts;   /* journals of parts, ends with NULL; or NULL */
    bool fill;                  /* track what no part has */
    run_job track;              /* what is to be tracked; count is 0 if nothing is */
    run_state run;              /* unless nothing was tracked */
    plumb_solutions *solutions; /* in the end */
    plumb_solve_report report;
    double seconds;
    plumb_certificates *certificates; /* of the solutions; NULL if there are none, and then: */
    char uncertified[256];            /* why not; "" if nobody asked */
    app_certified certified, chosen;  /* of all solutions, and of those that --real, --positive and --nonzero choose */
    app_bound bound;
    double certify_seconds;
} solve_job;

extern const run_voice solve_voice;

/* Solves with this command line (solve.c), or merges parts (or NULL): the exit status. */
int solve_run(solve_words *words, const char *const *parts, bool fill);

/* Makes the plan of the system (job.c). */
int solve_job_plan(solve_job *job);

/* Tracks the paths and collects the solutions. After a signal those of the paths that were finished. */
int solve_job_run(solve_job *job);

/* Certifies the solutions, where that is wanted (certify.c); and 1, with a line, if --certify could not be fulfilled. */
int solve_certify(solve_job *job);
void solve_choose(
    solve_job *job); /* drops the solutions that the options do not ask for, after certificates have decided */
int solve_certify_verdict(const solve_job *job);

/* Which start system was chosen, before the paths are tracked; and the solutions, in text or JSON. */
void solve_answer_start(const solve_job *job, FILE *out);
void solve_answer_text(const solve_job *job, FILE *out);
bool solve_answer_json(const solve_job *job, FILE *out);

/* Writes the solutions to the file of --output. */
int solve_output(const solve_job *job);

#endif
