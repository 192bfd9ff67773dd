/* names.h - the unknowns read so far: each name once, in order of first appearance, found by hashing. */
#ifndef PLUMB_TEXT_SYSTEM_NAMES_H
#define PLUMB_TEXT_SYSTEM_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

typedef struct system_names {
    char **name; /* owned */
    int64_t count, room;
    int64_t *slot; /* 0, or 1 + the index of a name; the number of slots is a power of two, and at most half are used */
    int64_t slots;
} system_names;

/* The index of a name, or -1 if it is not present. */
int64_t plumb_names_find(const system_names *names, const char *at, size_t length);
/* Adds a name that is not present. May return PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_names_add(system_names *names, const char *at, size_t length);
void plumb_names_clear(system_names *names);

#endif
