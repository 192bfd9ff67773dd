/* read.h - reads JSON (RFC 8259) into a tree of nodes.
 *
 * For results and settings, not for bulk data: every value is a node of its own. Numbers are doubles, correctly rounded.
 * Containers may be nested JSON_DEPTH deep. A key that comes twice is an error: two programs could read two values. */
#ifndef PLUMB_TEXT_JSON_READ_H
#define PLUMB_TEXT_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

enum { JSON_DEPTH = 64 };

typedef enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } json_kind;

typedef struct json_node {
    json_kind kind;
    char *key;               /* of a member of an object, else NULL; UTF-8 */
    char *string;            /* of a string */
    double number;           /* of a number; 1 or 0 of a bool */
    struct json_node *child; /* first member or element */
    struct json_node *next;  /* sibling */
} json_node;

/* One value and nothing after it but white space. *root goes back to json_free. */
PLUMB_USE_RESULT plumb_status json_read(const char *text, size_t length, json_node **root,
                                        plumb_text_error *error /* or NULL */);
void json_free(json_node *node); /* NULL is fine */

/* The member of an object, or NULL: also when node is NULL or no object, so that look-ups can be chained. */
const json_node *json_member(const json_node *node, const char *key);
/* Their values, or the given one when there is no such member of that kind. */
double json_member_number(const json_node *node, const char *key, double otherwise);
const char *json_member_string(const json_node *node, const char *key, const char *otherwise);

#endif
