/* read.h - reads JSON (RFC 8259) into a tree of nodes.
 *
 * Meant for results and settings, not for bulk data: every value is a separate node. Numbers are correctly rounded
 * doubles. Containers may be nested up to JSON_DEPTH deep. A duplicate key is an error, because two programs could
 * read two different values. */
#ifndef PLUMB_TEXT_JSON_READ_H
#define PLUMB_TEXT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

enum { JSON_DEPTH = 64 };

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_node {
    json_kind kind;
    char *key;               /* key of a member of an object, otherwise NULL; UTF-8 */
    char *string;            /* value of a string */
    double number;           /* value of a number; 1 or 0 for a bool */
    struct json_node *child; /* first member or element */
    struct json_node *next;  /* sibling */
} json_node;

/* Reads one value, which only white space may follow. *root must be released with json_free. */
PLUMB_USE_RESULT plumb_status json_read(const char *text, size_t length, json_node **root,
                                        plumb_text_error *error /* or NULL */);
void json_free(json_node *node); /* NULL is allowed */

/* Returns the member of an object, or NULL, also if node is NULL or not an object, so that look-ups can be chained. */
const json_node *json_member(const json_node *node, const char *key);
/* Return the value of a member, or the given default if there is no such member of that kind. */
double json_member_number(const json_node *node, const char *key, double otherwise);
const char *json_member_string(const json_node *node, const char *key, const char *otherwise);

#endif
