/* host.h - the programs as hosts of runs (solver/run/host.h): lines go to stderr, signals stop runs, and progress is shown on a
 * terminal. */
#ifndef PLUMB_APP_RUN_HOST_H
#define PLUMB_APP_RUN_HOST_H

#include "solver/run/run.h"

extern const run_host app_host;

/* Shows progress on one line of stderr; NULL if that is no terminal, or with quiet. app_progress_end erases the line. After its
 * first seconds, a long run also shows an estimate of its time, and how to stop it: with a journal it can be resumed. */
plumb_progress app_progress(bool quiet, bool journal);
plumb_progress app_mpfr_progress(bool quiet);    /* the same for paths in MPFR */
plumb_progress app_targets_progress(bool quiet); /* the same for the targets of a family; total 0: unknown */
void app_progress_end(void);
/* From now on progress is that of another part of the run, which this text names: "dimension 2: ". */
void app_progress_part(const char *text);

/* The folder of temporary files. */
const char *app_folder(void);

/* ---- Ranks (--mpi) ------------------------------------------------------------------------------------------------- */

/* Joins the job of the launcher; lines of a rank other than 0 are kept for rank 0. app_ranks_end leaves it, and returns the exit status of
 * all; it does nothing where no job was joined. */
int app_ranks_begin(const char *command);
int app_ranks_end(int result);
bool app_is_worker(void); /* a rank other than 0, which neither prints nor writes files */

/* Sets threads and device of a context of this rank, from --threads and --backend. */
void app_ranks_context(plumb_context_options *options, int64_t threads, int32_t backend);

#endif
