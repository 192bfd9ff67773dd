/* names.h - the unknowns met so far: each name once, in order, found by hashing. */
#ifndef PLUMB_TEXT_SYSTEM_NAMES_H
#define PLUMB_TEXT_SYSTEM_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

typedef struct system_names {
    char **name; /* owned */
    int64_t count, room;
    int64_t *slot; /* 0, or 1 + the index of a name; a power of two of them, at most half of them taken */
    int64_t slots;
} system_names;

/* The index of a name, -1 when it is not there. */
int64_t plumb_names_find(const system_names *names, const char *at, size_t length);
/* Adds a name that is not there; PLUMB_ERR_MEMORY. */
PLUMB_USE_RESULT plumb_status plumb_names_add(system_names *names, const char *at, size_t length);
void plumb_names_clear(system_names *names);

#endif
