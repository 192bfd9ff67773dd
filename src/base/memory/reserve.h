/* reserve.h - finds out whether there is memory for GMP and MPFR before they are called.
 *
 * GMP ends the process when it gets no memory, and its hooks belong to the whole process, so a library must not set
 * them. Whoever is about to call GMP therefore reserves a bound of what the call allocates: the memory is taken and
 * given back, and the allocations of the call find it again. Numbers whose size is bounded by the range of a double do
 * without, because their memory is on the stack (text/number/fixed.h). */
#ifndef PLUMB_BASE_MEMORY_RESERVE_H
#define PLUMB_BASE_MEMORY_RESERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* True if numbers with this many limbs of 64 bits can be allocated, with temporary copies as products and quotients make
 * them, beside some small ones. */
static inline bool reserve_limbs(int64_t limbs)
{
    enum { COPIES = 6, SMALL = 1 << 14 };
    if (limbs < 0 || limbs > INT64_MAX / (16 * COPIES))
        return false;
    /* Compilers may leave out an allocation that is not used, and take it for successful; not a volatile one. */
    void *volatile memory = malloc((size_t)limbs * 8 * COPIES + SMALL);
    const bool there = memory != NULL;
    free(memory);
    return there;
}

#endif
