/* host.h - the programs as hosts of runs (solver/run/host.h): lines go to stderr, signals stop runs, and progress is shown on a
 * terminal. */
#ifndef PLUMB_APP_RUN_HOST_H
#define PLUMB_APP_RUN_HOST_H

#include "solver/run/run.h"

extern const run_host app_host;

/* What shows progress on stderr; NULL if that is no terminal, or if nobody wants it. */
const run_display *app_display(bool quiet);

/* Joins the job of the launcher; lines of a rank other than 0 are kept for rank 0. */
int app_ranks_begin(const run_voice *voice);

#endif
