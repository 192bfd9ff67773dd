/* track.h - the parts of plumb track: what is to be tracked, what is known of each path, and where results are written.
 *
 * Paths are tracked in blocks. The result of a path goes at once to the journal, a file of JSON lines; memory holds about 150
 * bytes per path. At the end the solutions are written from the journal in the order of the paths, so that the output depends
 * neither on the order in which paths finished nor on how often the run was stopped.
 *
 * Calls that return int return CLI_OK, or say what is wrong in one line on stderr and return the exit status. Users see paths
 * counted from 1, like the solutions in their file; the code counts from 0, as the library does. */
#ifndef PLUMB_CLI_TRACK_H
#define PLUMB_CLI_TRACK_H

#include <stdbool.h>
#include <stdio.h>

#include "app/files.h"
#include "app/format.h"
#include "model/homotopy/homotopy.h"
#include "model/solutions.h"
#include "solver/track/ends.h"
#include "text/json/json.h"
#include "text/json/read.h"

/* The command line. */
typedef struct track_words {
    const char *file[1]; /* the system to solve; NULL with from_log */
    const char *start, *solutions, *gamma, *paths;
    const char *output, *path_log, *plot, *from_log;
    int32_t prec, backend;
    bool affine, no_scale, no_endgame, all, json, resume, quiet;
    int64_t threads, max_steps, max_winding, reruns;
    double tol, turn;
    uint64_t seed;
    app_format output_format; /* follows from output */
} track_words;

/* ---- What is to be tracked (input.c) ---------------------------------------------------------------------------- */

typedef struct track_job {
    const track_words *words;
    plumb_context *context;
    plumb_system *target, *start; /* start: as given, or of total degree */
    plumb_homotopy *homotopy;
    plumb_solutions *solutions; /* of the start system; NULL: made when they are needed */
    int64_t *place; /* unknown i of the start system, or of the solutions, is unknown place[i] of the target */
    int64_t unknowns;
    int64_t all_paths;    /* how many start solutions there are */
    int64_t first, count; /* those to be tracked */
    double gamma[2];
    plumb_track_options options;
    int32_t prec; /* of the ends */
} track_job;

/* Reads and checks everything that comes in; nothing is written before. The job starts as zeros with its words. */
int track_job_load(track_job *job);
void track_job_clear(track_job *job);

/* The start points of those paths, in the unknowns of the target. x is a complex qd view of that batch. */
int track_job_starts(const track_job *job, const int64_t *paths, int64_t count, const plumb_view *x);

/* Refuses, by its number, the first given start solution that is none (starts.c). */
int track_job_check_starts(const track_job *job);

/* ---- What is known of each path --------------------------------------------------------------------------------- */

/* Small, because there is one for every path. */
typedef struct track_state {
    track_end end; /* what endpoints are compared by; end.known: the path is done */
    int64_t line;  /* where its line of the journal begins; -1: not done */
    int32_t steps;
    int16_t winding;
    int8_t prec, most_prec, reruns; /* precisions in limbs */
} track_state;

static inline bool track_arrived(const track_state *s)
{
    return track_end_arrived(&s->end);
}
static inline bool track_failed(const track_state *s)
{
    return s->line >= 0 && track_code_failed(s->end.code);
}

/* ---- The journal (journal.c) ------------------------------------------------------------------------------------ */

typedef struct track_journal {
    cli_output output; /* unless it has no path */
    FILE *file;
    char *path;                     /* NULL: a file without a name, which vanishes at the end */
    bool placed;                    /* the file at path is that of this run */
    bool resumed;                   /* it holds results of an earlier run */
    int64_t unknowns, first, count; /* of the job */
    uint64_t check;                 /* checksum of the first line, the seed of all others */
    int64_t body;                   /* where the lines of paths begin */
    int64_t end;                    /* where the next one begins, while at_end */
    bool at_end;
    int failure;            /* errno of the first failure, or 0 */
    double flushed, synced; /* when that was done last, in seconds */
} track_journal;

/* What a journal has of a path. x has 2 * prec doubles per unknown, and room for 2 * PLUMB_QD. */
typedef struct track_found_path {
    plumb_path_record record;
    double *x;
    int32_t prec;
} track_found_path;

/* Makes the journal beside job->words->output, or opens it again to resume. */
int track_journal_open(const track_job *job, track_journal *journal);

/* Adds a line and returns where it begins, or -1 when it could not be written. x has 2 * prec doubles per unknown. */
int64_t track_journal_add(track_journal *journal, const plumb_path_record *record, const double *x, int32_t prec);

/* Writes what was added to the disk: now, or if that was not done for some seconds. Returns false after a failure, which
 * track_journal_fail explains. */
bool track_journal_flush(track_journal *journal, bool now);
int track_journal_fail(const track_journal *journal);

/* Reads a line; path->x is to be set. False where there is no good one. */
bool track_journal_read(track_journal *journal, int64_t line, track_found_path *path);

/* Calls found for every line of a round of reruns (0: the first time). */
typedef void track_found(void *data, const track_found_path *path, int64_t line);
int track_journal_scan(track_journal *journal, int32_t rerun, track_found *found, void *data);

/* Closes the journal, and removes it when the work is done. */
void track_journal_close(track_journal *journal, bool done);

/* A record as members of a JSON object, and back (record.c); and t, a complex number like any other. im may be NULL. */
void track_t_write(json_writer *w, double re, double im);
void track_t_read(const json_node *node, double *re, double *im);
void track_record_write(json_writer *w, const plumb_path_record *record);
const char *track_record_read(const json_node *node,
                              plumb_path_record *record); /* NULL, or the first key that is wrong */
bool track_record_has(const char *key);                   /* is it a key of a record? */
plumb_status track_point_write(json_writer *w, const double *x, int32_t prec, int64_t unknowns, bool exact);

/* ---- The path log (log.c) --------------------------------------------------------------------------------------- */

typedef struct track_log {
    cli_output output; /* unless it is a log that was opened again, or one for the plot alone */
    FILE *file;        /* NULL: not asked for */
    const char *path;  /* for messages */
    const track_job *job;
    plumb_status status;
    int failure;    /* errno of PLUMB_ERR_IO */
    double flushed; /* when it was given to the kernel last, in seconds */
} track_log;

int track_log_open(const track_job *job, bool resumed, track_log *log);
void track_log_step(track_log *log, const plumb_path_step *step);
void track_log_record(track_log *log, const plumb_path_record *record);

/* Gives what was written to the kernel: now, or if that was not done for some time. Returns false after a failure, which
 * track_log_fail explains. */
bool track_log_flush(track_log *log, bool now);
int track_log_fail(const track_log *log);
void track_log_close(track_log *log);

/* ---- Running (run.c), progress (progress.c) ---------------------------------------------------------------------- */

typedef struct track_progress {
    bool shown; /* there is a line to erase */
    bool wanted;
    int64_t total, before; /* paths in all, and those done before this run began */
    double began, last;    /* seconds */
} track_progress;

void track_progress_begin(track_progress *p, bool wanted, int64_t total, int64_t before);
void track_progress_show(track_progress *p, int64_t done, int64_t failed, int32_t rerun);
void track_progress_end(track_progress *p);

typedef struct track_run {
    const track_job *job;
    track_journal journal;
    track_log log;
    track_progress progress;
    track_state *states; /* of path job->first + k: states[k] */
    track_group *groups; /* the points that paths end at, one entry per path */
    bool stopped;
    double seconds;
} track_run;

int track_run_paths(track_run *run);

/* ---- Points (points.c) ------------------------------------------------------------------------------------------- */

/* Groups the endpoints of the paths that are done into points. */
int track_run_group(track_run *run);

/* The verdicts that need all endpoints: changes the codes of the states. A signal stops it, and the run. */
int track_run_judge(track_run *run);

/* Reads a path that is done from the journal, with its final code and its multiplicity; path->x is to be set. */
bool track_run_read(track_run *run, int64_t k, track_found_path *path);

/* ---- Results (output.c, report.c) -------------------------------------------------------------------------------- */

/* Writes the solutions found, all or nothing. */
int track_output_solutions(track_run *run);

/* The summary, as text or JSON; false when a journal cannot be read. */
bool track_report_text(track_run *run);
bool track_report_json(track_run *run);

/* ---- Pictures (gnuplot.c, plot.c, plot_data.c) ------------------------------------------------------------------------------ */

/* Draws a log into an SVG, by gnuplot. log: the open file, or NULL to open the one of that name. */
int track_plot(FILE *log, const char *name, const char *svg);
/* Checks that gnuplot is installed, before the work begins. */
int track_plot_check(void);

#endif
