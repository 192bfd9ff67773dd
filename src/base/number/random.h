/* random.h - reproducible random numbers: the same seed gives the same numbers on every machine.
 *
 * Number k of a seed is a bijective mixing of (scrambled seed + k * odd constant), so the state is one word and
 * jumping ahead is an addition. There is no hidden state: the seed and the generator belong to the caller. Reference:
 * Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014 (SplitMix64). Not for cryptography. */
#ifndef PLUMB_BASE_NUMBER_RANDOM_H
#define PLUMB_BASE_NUMBER_RANDOM_H

#include <stdint.h>

typedef struct plumb_random {
    uint64_t state;
} plumb_random;

plumb_random plumb_random_start(uint64_t seed);
uint64_t plumb_random_next(plumb_random *random);                  /* uniform on all 2^64 words */
double plumb_random_unit(plumb_random *random);                    /* a multiple of 2^-53 in [0, 1) */
uint64_t plumb_random_below(plumb_random *random, uint64_t bound); /* uniform in 0 .. bound-1; bound > 0 */
void plumb_random_skip(plumb_random *random, uint64_t count);      /* as if next had been called count times */

#endif
