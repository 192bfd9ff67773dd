/* track.h - the parts of plumb track: what is to be tracked (input.c, starts.c), and what is written about it (output.c,
 * report.c). The run between them is that of solver/run. */
#ifndef PLUMB_CLI_TRACK_H
#define PLUMB_CLI_TRACK_H

#include <stdbool.h>
#include <stdio.h>

#include "app/command/command.h"
#include "app/format.h"
#include "app/plot/plot.h"
#include "app/run/files.h"
#include "app/run/host.h"
#include "app/run/paths.h"
#include "app/stop.h"
#include "model/solutions.h"

/* The command line. */
typedef struct track_words {
    const char *file[1]; /* the system to solve; NULL with from_log and with equations */
    app_texts equations;
    const char *start, *solutions, *gamma, *paths;
    const char *output, *path_log, *plot, *from_log;
    int32_t prec, backend;
    bool affine, no_scale, no_endgame, all, json, resume, quiet, mpi;
    int64_t threads, max_steps, max_winding, reruns;
    double tol, turn, largest;
    uint64_t seed;
    app_format output_format; /* follows from output */
} track_words;

/* ---- What is to be tracked (input.c) ---------------------------------------------------------------------------- */

typedef struct track_input {
    const track_words *words;
    plumb_context *context;
    plumb_system *target, *start; /* start: as given, or of total degree */
    plumb_homotopy *homotopy;
    plumb_solutions *solutions; /* of the start system; NULL: made when they are needed */
    int64_t *place; /* unknown i of the start system, or of the solutions, is unknown place[i] of the target */
    double gamma[2];
    run_job job;
} track_input;

/* Reads and checks everything that comes in; nothing is written before. The input starts as zeros with its words. */
int track_input_load(track_input *input);
void track_input_clear(track_input *input);

/* The function starts of the job. */
plumb_status track_input_starts(const run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                                plumb_view *x);

/* Refuses, by its number, the first given start solution that is none (starts.c). */
int track_input_check_starts(const track_input *input);

/* The command line of a run. */
static inline const track_words *track_words_of(const run_state *run)
{
    const track_input *input = run->job->data;
    return input->words;
}

/* ---- Results (output.c, report.c) -------------------------------------------------------------------------------- */

/* Writes the solutions found, all or nothing. */
int track_output_solutions(run_state *run);

/* The summary, as text or JSON; false when a journal cannot be read. */
bool track_report_text(run_state *run);
bool track_report_json(run_state *run);

extern const run_voice track_voice;

#endif
