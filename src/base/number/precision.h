/* precision.h - the list of precisions ("rungs"), from the lowest to the highest, and what depends on them.
 *
 * A precision is named by its number of limbs: PLUMB_D, PLUMB_DD, PLUMB_QD. Host code climbs with precision_above and has tables with
 * PRECISION_COUNT entries; a further precision is an entry here, its constant in plumb.h and its arithmetic in src/arith. */
#ifndef PLUMB_BASE_NUMBER_PRECISION_H
#define PLUMB_BASE_NUMBER_PRECISION_H

#include <math.h>
#include <stdint.h>

#include "plumb.h"

/* X(limbs, name, flops, slack): flops is the approximate cost of a product and a sum, slack the error of a product in units of the
 * unit roundoff that estimates allow for. */
#define PRECISION_LIST(X)        \
    X(PLUMB_D, "d", 1.0, 4.0)    \
    X(PLUMB_DD, "dd", 20.0, 4.0) \
    X(PLUMB_QD, "qd", 200.0, 16.0)

#define PRECISION_ONE(limbs, name, flops, slack) +1
enum { PRECISION_COUNT = PRECISION_LIST(PRECISION_ONE), PRECISION_MOST = PLUMB_QD };
#undef PRECISION_ONE

typedef struct precision {
    int32_t limbs;
    const char *name;
    double flops, slack;
} precision;

extern const precision plumb_precisions[PRECISION_COUNT];

/* The place of a precision in the list, or -1. */
static inline int32_t precision_index(int32_t prec)
{
    for (int32_t i = 0; i < PRECISION_COUNT; i++)
        if (plumb_precisions[i].limbs == prec)
            return i;
    return -1;
}

/* The next precision above, and below; 0 where there is none. */
static inline int32_t precision_above(int32_t prec)
{
    for (int32_t i = 0; i < PRECISION_COUNT; i++)
        if (plumb_precisions[i].limbs > prec)
            return plumb_precisions[i].limbs;
    return 0;
}

static inline int32_t precision_below(int32_t prec)
{
    for (int32_t i = PRECISION_COUNT - 1; i >= 0; i--)
        if (plumb_precisions[i].limbs < prec)
            return plumb_precisions[i].limbs;
    return 0;
}

/* The lowest precision with at least this many limbs; 0 where there is none. */
static inline int32_t precision_for(int32_t limbs)
{
    return precision_above(limbs - 1);
}

/* The loop over the precisions first .. last. */
#define EACH_PRECISION(prec, first, last) \
    for (int32_t prec = (first); prec != 0 && prec <= (last); prec = precision_above(prec))

/* The unit roundoff that error estimates use, 2^-53 per limb; the number of decimal digits it stands for. */
static inline double precision_unit(int32_t prec)
{
    return ldexp(1.0, -53 * prec);
}

static inline double precision_digits(int32_t prec)
{
    return 53.0 * prec * 0.30102999566398120;
}

static inline double precision_slack(int32_t prec)
{
    return plumb_precisions[precision_index(prec)].slack;
}

static inline double precision_flops(int32_t prec)
{
    return plumb_precisions[precision_index(prec)].flops;
}

#endif
