/* digits.h - points whose coordinates are decimal numbers of any length, as plain data. */
#ifndef PLUMB_MODEL_DIGITS_H
#define PLUMB_MODEL_DIGITS_H

#include <stdint.h>

#include "plumb.h"

/* Owns its memory. */
struct plumb_digits {
    int64_t count, unknowns;
    plumb_digits_report *report;
    char **number; /* real and imaginary part of unknown i of point k: number[2 * (k * unknowns + i)] and the next */
};

/* Points without numbers; NULL without memory. */
plumb_digits *plumb_digits_create(int64_t count, int64_t unknowns);

/* The two parts of an unknown of a point. */
static inline char **digits_number(const plumb_digits *d, int64_t point, int64_t unknown)
{
    return d->number + 2 * (point * d->unknowns + unknown);
}

#endif
