/* line.h - lines of a journal: one JSON object each, whose last member is a checksum of everything before it.
 *
 *   {"path": 1, "code": "success", ..., "check": "0123456789abcdef"}
 *
 * The checksum is FNV-1a with 64 bits, which no change of a single byte leaves the same. It begins with a seed: the lines of paths
 * begin with the checksum of the first line of their journal, so that a line of another journal does not pass for one of
 * this. It protects against accidents, not against forgery. */
#ifndef PLUMB_SOLVER_RUN_LINE_H
#define PLUMB_SOLVER_RUN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/json/json.h"
#include "text/memory_file.h"

enum { LINE_KEY = 64 };    /* room for a key in a message */
#define LINE_CHECK "check" /* the key of the checksum */

uint64_t run_line_hash(uint64_t seed, const void *bytes, size_t length);
extern const uint64_t LINE_SEED; /* of first lines, and of other hashes */

/* A line in the making. Members are added to json between the two calls. */
typedef struct run_line_writer {
    json_writer json;
    memory_file memory;
    char *text; /* after line_end: the line with its line break; to be freed */
    size_t length;
} run_line_writer;

/* False without memory; line_end is to be called also then. */
bool run_line_begin(run_line_writer *line);
bool run_line_end(run_line_writer *line, uint64_t seed, uint64_t *check);

/* A hash of what the line, which has a checksum, says beside that: the same in every journal. */
uint64_t run_line_content(const char *text, size_t length);

/* Has the line, without its line break, the checksum that belongs to it? *check receives it. */
bool run_line_check(const char *text, size_t length, uint64_t seed, uint64_t *check);

#endif
