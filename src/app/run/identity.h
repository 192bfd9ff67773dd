/* identity.h - what a rank would compute, as text, so that rank 0 can refuse one that is different: the program itself, and
 * everything that the results of the run depend on, which is the first line of its journal. */
#ifndef PLUMB_APP_RUN_IDENTITY_H
#define PLUMB_APP_RUN_IDENTITY_H

#include "app/run/run.h"

/* *text is to be freed; *check is the checksum of the first line. */
int track_identity_make(const track_job *job, char **text, uint64_t *check);

/* Compares our own with that of another rank. CLI_OK, or one line that names what differs, and CLI_MISUSE. */
int track_identity_compare(const track_job *job, int32_t rank, const char *own, const char *other);

#endif
