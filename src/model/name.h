/* name.h - the rules for names of unknowns. */
#ifndef PLUMB_MODEL_NAME_H
#define PLUMB_MODEL_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* True for a name in a system: ASCII letters, digits and '_', not beginning with a digit, and neither "i" nor "I". */
static inline bool name_is_valid(const char *name)
{
    if (name == NULL || name[0] == 0 || (name[0] >= '0' && name[0] <= '9') ||
        ((name[0] == 'i' || name[0] == 'I') && name[1] == 0))
        return false;
    for (const char *s = name; *s != 0; s++)
        if (!((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || *s == '_'))
            return false;
    return true;
}

/* True for a name in a list of solutions: whatever PHCpack's format can hold, without white space, ':' and '='. */
static inline bool name_is_usable(const char *name)
{
    for (const char *s = name != NULL ? name : ""; *s != 0; s++)
        if ((unsigned char)*s <= ' ' || *s == ':' || *s == '=')
            return false;
    return name != NULL && name[0] != 0;
}

#endif
