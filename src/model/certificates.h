/* certificates.h - what was proven about a list of points, as plain data: verdicts, and boxes as exact numbers.
 *
 * Numbers are texts in hexadecimal, such as -0x1921fb54p-27, because a centre has up to 1024 bits and nothing about it may
 * be rounded. */
#ifndef PLUMB_MODEL_CERTIFICATES_H
#define PLUMB_MODEL_CERTIFICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

enum { CERTIFICATE_RE, CERTIFICATE_IM, CERTIFICATE_RADIUS, CERTIFICATE_NUMBERS }; /* of each unknown */

/* Owns its memory. */
struct plumb_certificates {
    int64_t count, unknowns, equations;
    plumb_certificate *record;
    char **
        number; /* number k of unknown i of point p: number[(p * unknowns + i) * CERTIFICATE_NUMBERS + k]; NULL without a box */
    int32_t *
        square; /* the combinations of equations: unknowns x equations, row by row; NULL if as many as unknowns are independent */
};

static inline char **certificate_number(const plumb_certificates *c, int64_t point, int64_t unknown)
{
    return c->number + (point * c->unknowns + unknown) * CERTIFICATE_NUMBERS;
}

/* True if there is a box: for PLUMB_CERTIFIED, PLUMB_CERTIFY_SQUARED and PLUMB_CERTIFY_EXCLUDED. */
static inline bool certificate_has_box(const plumb_certificate *c)
{
    return c->code == PLUMB_CERTIFIED || c->code == PLUMB_CERTIFY_SQUARED || c->code == PLUMB_CERTIFY_EXCLUDED;
}

#endif
