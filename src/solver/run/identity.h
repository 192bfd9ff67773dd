/* identity.h - what a rank would compute, as text, so that rank 0 can refuse one that is different: the program itself, and
 * everything that the results of the run depend on, which is the first line of its journal. */
#ifndef PLUMB_SOLVER_RUN_IDENTITY_H
#define PLUMB_SOLVER_RUN_IDENTITY_H

#include "solver/run/run.h"

/* *text is to be freed; *check is the checksum of the first line. */
int run_identity_make(const run_job *job, char **text, uint64_t *check);

/* Compares our own with that of another rank. RUN_OK, or one line that names what differs, and RUN_MISUSE. */
int run_identity_compare(const run_job *job, int32_t rank, const char *own, const char *other);

#endif
