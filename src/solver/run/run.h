/* run.h - a run: many paths, tracked in blocks, with a journal, so that it can be stopped and continued. The commands track
 * and solve say what is to be tracked (run_job); everything else is the same for both.
 *
 * The result of a path goes at once to the journal, a file of JSON lines; about 200 bytes per path are in memory, and as many endpoints
 * as there is room for (kept.h). What is written at the end is what the journal has, in the order of the paths, so that it depends
 * neither on the order in which paths finished nor on how often the run was stopped. A run in memory has no journal, and keeps them all.
 *
 * Calls that return int are those of host.h. Users see paths
 * counted from 1, like the solutions in their file; the code counts from 0, as the library does. */
#ifndef PLUMB_SOLVER_RUN_H
#define PLUMB_SOLVER_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "model/homotopy/homotopy.h"
#include "solver/context/context.h"
#include "solver/run/host.h"
#include "solver/run/kept.h"
#include "solver/track/ends.h"
#include "text/json/json.h"
#include "text/json/read.h"

/* ---- What is to be tracked -------------------------------------------------------------------------------------- */

typedef struct run_fields run_fields; /* of the first line of a journal: header.h */

typedef struct run_job {
    const run_voice *voice;     /* its command is that of the job: "track" or "solve" */
    const plumb_system *target; /* whose unknowns the endpoints have */
    const plumb_homotopy *homotopy;
    plumb_context *context;
    int64_t unknowns;
    int64_t all_paths;    /* how many start solutions there are */
    int64_t first, count; /* those to be tracked */
    bool complete;        /* as many paths end at an isolated solution as its multiplicity, if all are tracked */
    int32_t reruns;       /* how often paths with the same regular endpoint are tracked again */
    bool retry;           /* so are those that failed before they came near their ends */
    plumb_track_options options;
    bool shared;      /* with the other ranks (solver/ranks) */
    int32_t threads;  /* for tracking with --mpi; the context has those that rank 0 has alone */
    int32_t prec;     /* of the ends */
    const void *data; /* of the command, for the two functions */
    /* The start points of those paths, in the unknowns of the target, for rerun number k (0: the first time), made with
     * that context by the thread that it belongs to. x is a complex qd view of that batch. run_make_starts says what a failure means. */
    plumb_status (*starts)(const struct run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                           plumb_view *x);
    /* Adds what else the results depend on to the first line of the journal. */
    void (*describe)(const struct run_job *job, run_fields *fields);
    plumb_progress progress; /* done: paths of the job that need not be tracked now or any more; or NULL */
    void *progress_data;
    bool runs_through; /* nobody will stop it: then a run in memory does not ask */
    /* Files */
    bool in_memory;       /* there is no journal: all endpoints stay in memory */
    int64_t most_kept;    /* bytes of endpoints that stay in memory besides, at most; 0: as kept.h says */
    const char *journal;  /* its path; NULL: a file without a name, which vanishes at the end */
    const char *path_log; /* or NULL */
    const char *cells;    /* a file of mixed cells that start solutions are made from, or NULL */
    bool resume;
    const char *const *parts; /* journals of parts, whose paths are taken from there; ends with NULL; or NULL */
    bool fill;                /* track the paths that no part has; otherwise they are named */
} run_job;

/* Whether a GPU tracks the paths: one machine tracks all that there are, because two give different bits. It depends on counts, not on which
 * paths share a call. */
static inline bool run_is_on_gpu(const run_job *job)
{
    return plumb_context_tracks_on_gpu(job->context, job->all_paths, job->unknowns);
}

/* ---- What is known of each path --------------------------------------------------------------------------------- */

/* Small, because there is one for every path. */
typedef struct run_path {
    track_end end;            /* what endpoints are compared by; end.known: the path is done */
    int64_t line;             /* where its line of the journal begins; -1: not done */
    const run_kept_end *kept; /* NULL: only the journal has it */
    int32_t steps;
    int16_t winding;
    int8_t prec, most_prec, reruns; /* precisions in limbs */
} run_path;

static inline bool run_path_arrived(const run_path *s)
{
    return track_end_arrived(&s->end);
}
static inline bool run_path_failed(const run_path *s)
{
    return s->line >= 0 && track_code_failed(s->end.code);
}

/* ---- The journal (journal.c) ------------------------------------------------------------------------------------ */

typedef struct run_journal {
    const run_voice *voice;
    file_output output;             /* unless it has no path */
    FILE *file;                     /* NULL: the run is in memory */
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
    bool is_read;           /* it has endpoints that memory has not */
} run_journal;

/* What a journal has of a path. x has 2 * prec doubles per unknown, and room for 2 * PLUMB_QD. */
typedef struct run_found_path {
    plumb_path_record record;
    double *x;
    int32_t prec;
} run_found_path;

/* Makes the journal, or opens it again to resume. One that is made takes the lines of job->parts
 * (merge.c). */
int run_journal_open(const run_job *job, run_journal *journal);

/* Adds a line and returns where it begins, or -1 when it could not be written. x has 2 * prec doubles per unknown. */
int64_t run_journal_add(run_journal *journal, const plumb_path_record *record, const double *x, int32_t prec);

/* The line of a path with this checksum of the first line, to be freed; NULL without memory. And adds such a line. */
char *run_journal_line(const run_job *job, uint64_t check, const plumb_path_record *record, const double *x,
                       size_t *length);
int64_t run_journal_append(run_journal *journal, const char *line, size_t length);

/* Writes what was added to the disk: now, or if that was not done for some seconds. Returns false after a failure, which
 * run_journal_fail explains. */
bool run_journal_flush(run_journal *journal, bool now);
int run_journal_fail(const run_journal *journal);

/* Reads a line; path->x is to be set. False where there is no good one. Several threads may read at once. */
bool run_journal_read(run_journal *journal, int64_t line, run_found_path *path);

/* Calls found for every line of a round of reruns (0: the first time). */
typedef void run_found(void *data, const run_found_path *path, int64_t line);
int run_journal_scan(run_journal *journal, int32_t rerun, run_found *found, void *data);

/* Reads the lines of another journal of the same job for other paths, from where it stands: found is called for each good one, with its
 * number and a hash of it. check is the checksum of its first line. damaged receives how many lines are, and the first of them. */
typedef int run_part_line(void *data, const run_found_path *path, int64_t number, uint64_t hash);
int run_journal_read_part(const run_job *job, const char *name, FILE *file, uint64_t check, run_part_line *found,
                          void *data, int64_t *damaged, int64_t *first_damaged);

/* Adds the lines of job->parts to a new journal (merge.c). */
int run_journal_merge(const run_job *job, run_journal *journal);

/* Closes the journal, and removes it when the work is done. */
void run_journal_close(run_journal *journal, bool done);

/* A record as members of a JSON object, and back (record.c); and t, a complex number like any other. im may be NULL. */
void run_t_write(json_writer *w, double re, double im);
void run_t_read(const json_node *node, double *re, double *im);
void run_record_write(json_writer *w, const plumb_path_record *record);
const char *run_record_read(const json_node *node,
                            plumb_path_record *record); /* NULL, or the first key that is wrong */
bool run_record_has(const char *key);                   /* is it a key of a record? */
/* What becomes of a record that is written and read. */
void run_record_copy(const plumb_path_record *from, plumb_path_record *to);
/* Limbs that are zero in all numbers are not written: an endpoint in d needs one limb of four. */
int32_t run_used_limbs(const double *x, int32_t prec, int64_t unknowns);
plumb_status run_point_write(json_writer *w, const double *x, int32_t prec, int64_t unknowns, bool exact);

/* ---- The path log (log.c) --------------------------------------------------------------------------------------- */

typedef struct run_log {
    file_output output; /* unless it is a log that was opened again, or one for the plot alone */
    FILE *file;         /* NULL: not asked for */
    const char *path;   /* for messages */
    const run_job *job;
    plumb_status status;
    int failure;    /* errno of PLUMB_ERR_IO */
    double flushed; /* when it was given to the kernel last, in seconds */
} run_log;

int run_log_open(const run_job *job, bool resumed, run_log *log);
void run_log_step(run_log *log, const plumb_path_step *step);
/* x (or NULL): the endpoint, 2 * prec doubles per unknown; of a path to infinity its direction. */
void run_log_record(run_log *log, const plumb_path_record *record, const double *x, int32_t prec);

/* Gives what was written to the kernel: now, or if that was not done for some time. Returns false after a failure, which
 * run_log_fail explains. */
bool run_log_flush(run_log *log, bool now);
int run_log_fail(const run_log *log);
void run_log_close(run_log *log);

/* ---- Running (run.c) --------------------------------------------------------------------------------------------- */

typedef struct run_state {
    const run_job *job;
    run_journal journal;
    run_log log;
    run_path *states; /* of path job->first + k: states[k] */
    run_kept kept;
    track_group *groups; /* the points that paths end at, one entry per path */
    bool grouped;        /* they are those of the endpoints with their present codes */
    bool stopped;
    double seconds;
} run_state;

/* Opens the journal and the path log, and tracks all paths. Afterwards, also after a failure, comes run_end: kept says
 * that the results are written, so that the journal has served. */
int run_paths(run_state *run, const run_job *job);

/* Calls job->starts; the context has the message of a failure. */
plumb_status run_make_starts(const run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                             plumb_view *x);
void run_end(run_state *run, bool kept);

/* ---- Points (points.c) ------------------------------------------------------------------------------------------- */

/* The endpoints as they are compared. */
track_ends run_ends(run_state *run);

/* The verdicts that need all endpoints: changes the codes of the states. A signal stops it, and the run. */
int run_judge(run_state *run);

/* Reads a path that is done, from memory or from the journal, with its final code and its multiplicity; path->x is to be set. */
bool run_read(run_state *run, int64_t k, run_found_path *path);
/* Frees the endpoints that are in memory: only the journal has them then. */
void run_drop(run_state *run);

#endif
