/* header.h - the first line of a journal: everything that the results of a run depend on.
 *
 * It has a member for each thing that decides the bits of the results: options as they would be typed, systems and solutions as
 * hashes of what was read. The number of threads is not among them. Equal jobs have equal lines, byte for byte. */
#ifndef PLUMB_CLI_TRACK_HEADER_H
#define PLUMB_CLI_TRACK_HEADER_H

#include "cli/track/track.h"

/* What every first line begins with. */
#define HEADER_MAGIC "{\"journal\": \"plumb track\""

typedef struct track_header {
    char *line; /* with its line break; to be freed */
    size_t length;
    uint64_t check; /* its checksum, the seed of those of the other lines */
} track_header;

/* The first line of the journal of this job. */
int track_header_make(const track_job *job, track_header *header);

/* Compares a first line, whose checksum is right and which has no line break, with that of the job; names what differs. */
int track_header_compare(const track_job *job, const char *path, const char *line, size_t length);

#endif
