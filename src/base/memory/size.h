/* size.h - sums and products of sizes with overflow checks. */
#ifndef PLUMB_BASE_MEMORY_SIZE_H
#define PLUMB_BASE_MEMORY_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* *result = a * b and *result = a + b. Returns false if the result does not fit in 63 bits. */
static inline bool size_mul(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool size_add(int64_t a, int64_t b, int64_t *result)
{
    return !__builtin_add_overflow(a, b, result);
}

#endif
