/* header.h - the first line of a journal: everything that the results of a run depend on.
 *
 * It has a member for each thing that decides the bits of the results: options as they would be typed, systems and solutions as
 * hashes of what was read. The number of threads is not among them. Equal jobs have equal lines, byte for byte. */
#ifndef PLUMB_SOLVER_RUN_HEADER_H
#define PLUMB_SOLVER_RUN_HEADER_H

#include "solver/run/run.h"

/* Add a member: a text, a hash of something that has no short text, a number, a flag. */
__attribute__((format(printf, 3, 4))) void run_field_text(run_fields *h, const char *name, const char *format, ...);
void run_field_hash(run_fields *h, const char *name, uint64_t hash);
void run_field_system(run_fields *h, const char *name, const plumb_system *system);
void run_field_real(run_fields *h, const char *name, double value);
void run_field_flag(run_fields *h, const char *name, bool value);

/* What every first line of a journal of this command begins with; its length. */
enum { HEADER_MAGIC_ROOM = 64 };
size_t run_header_magic(const char *command, char magic[HEADER_MAGIC_ROOM]);

typedef struct run_header {
    char *line; /* with its line break; to be freed */
    size_t length;
    uint64_t check; /* its checksum, the seed of those of the other lines */
} run_header;

/* The first line of the journal of this job. */
int run_header_make(const run_job *job, run_header *header);

/* Compares a first line, whose checksum is right and which has no line break, with that of the job; names what differs. Of a part
 * the paths may be others. */
int run_header_compare(const run_job *job, const char *path, const char *line, size_t length, bool is_part);

#endif
