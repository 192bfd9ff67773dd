/* journal.h - the first line of a journal: what the results depend on. */
#ifndef PLUMB_CLI_TRACK_JOURNAL_H
#define PLUMB_CLI_TRACK_JOURNAL_H

#include "cli/track/track.h"

int track_header_write(const track_job *job, FILE *file);

/* Reads the line, and refuses to resume what was begun with other inputs, options or another version. */
int track_header_check(const track_job *job, const char *path, FILE *file);

#endif
