/* random.c - see random.h. */
#include "base/number/random.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio; odd, so that the sequence visits every word */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Seeds are usually small neighbouring numbers; after scrambling, their sequences start far apart. */
plumb_random plumb_random_start(uint64_t seed)
{
    return (plumb_random){mix(mix(seed + STEP) ^ STEP)};
}

uint64_t plumb_random_next(plumb_random *random)
{
    random->state += STEP;
    return mix(random->state);
}

double plumb_random_unit(plumb_random *random)
{
    return (double)(plumb_random_next(random) >> 11) * 0x1p-53; /* both steps exact */
}

uint64_t plumb_random_below(plumb_random *random, uint64_t bound)
{
    uint64_t unfair =
        (0 - bound) %
        bound; /* 2^64 mod bound: this many words must be rejected, or small results would be more likely */
    uint64_t word;
    do
        word = plumb_random_next(random);
    while (word < unfair);
    return word % bound;
}

void plumb_random_skip(plumb_random *random, uint64_t count)
{
    random->state += count * STEP;
}
