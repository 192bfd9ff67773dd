/* json.h - writes JSON value by value and takes care of commas, quotes and line breaks.
 *
 * The key is NULL inside an array and at the top level. Strings are escaped; a double that is not finite becomes
 * null. */
#ifndef PLUMB_TEXT_JSON_H
#define PLUMB_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The value of "schema" in every JSON object that plumb writes; docs/json.md describes it. */
#define JSON_SCHEMA "plumb/1"

typedef struct json_writer {
    FILE *out;
    int depth;
    int broken; /* members of containers up to this depth start a new line */
    bool first; /* nothing written yet at this depth */
} json_writer;

json_writer json_begin(FILE *out);
json_writer json_begin_line(FILE *out); /* everything on one line, as in JSON Lines files */
void json_end(json_writer *w);          /* final newline */
void json_open_object(json_writer *w, const char *key);
void json_close_object(json_writer *w);
void json_open_array(json_writer *w, const char *key);
void json_close_array(json_writer *w);
void json_string(json_writer *w, const char *key, const char *value); /* NULL value becomes null */
void json_int(json_writer *w, const char *key, int64_t value);
void json_uint(json_writer *w, const char *key, uint64_t value);
void json_double(json_writer *w, const char *key,
                 double value); /* shortest decimal that reads back to the same double */
void json_bool(json_writer *w, const char *key, bool value);

#endif
