/* names.c - see names.h. The hash table uses open addressing: a name is stored at its hash or in the next free slot. */
#include "text/system/names.h"

#include <stdlib.h>
#include <string.h>

/* The hash function of Fowler, Noll and Vo, 64 bits. */
static uint64_t hash(const char *at, size_t length)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)at[i]) * UINT64_C(0x100000001b3);
    return h ^ (h >> 32);
}

/* The slot of the name, or the free slot where it belongs. */
static int64_t *place(const system_names *names, const char *at, size_t length)
{
    uint64_t i = hash(at, length);
    for (;; i++) {
        int64_t *slot = &names->slot[i & (uint64_t)(names->slots - 1)];
        if (*slot == 0)
            return slot;
        const char *name = names->name[*slot - 1];
        if (strlen(name) == length && memcmp(name, at, length) == 0)
            return slot;
    }
}

int64_t plumb_names_find(const system_names *names, const char *at, size_t length)
{
    return names->slots > 0 ? *place(names, at, length) - 1 : -1;
}

static bool grow(system_names *names)
{
    int64_t slots = names->slots > 0 ? 2 * names->slots : 64;
    char **larger = realloc(names->name, (size_t)(slots / 2) * sizeof *larger);
    if (larger == NULL)
        return false;
    names->name = larger;
    names->room = slots / 2;
    int64_t *slot = calloc((size_t)slots, sizeof *slot);
    if (slot == NULL)
        return false;
    free(names->slot);
    names->slot = slot;
    names->slots = slots;
    for (int64_t i = 0; i < names->count; i++)
        *place(names, names->name[i], strlen(names->name[i])) = i + 1;
    return true;
}

plumb_status plumb_names_add(system_names *names, const char *at, size_t length)
{
    if (names->count >= names->slots / 2 && !grow(names))
        return PLUMB_ERR_MEMORY;
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return PLUMB_ERR_MEMORY;
    memcpy(copy, at, length);
    copy[length] = 0;
    int64_t *slot = place(names, at, length);
    names->name[names->count++] = copy;
    *slot = names->count;
    return PLUMB_OK;
}

void plumb_names_clear(system_names *names)
{
    for (int64_t i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    free(names->slot);
    *names = (system_names){.name = NULL};
}
