/* lane_any.h - the places of a mask as bits of a number, for loops that ask whether there is something to do in any place. */
#ifndef PLUMB_ARITH_LANE_ANY_H
#define PLUMB_ARITH_LANE_ANY_H

#include "arith/lane.h"

#if defined(PLUMB_ARITH_LANE_AVX512_H)
LANE_FN unsigned lane_bits(lane_mask m) { return m; }
#elif defined(PLUMB_ARITH_LANE_AVX2_H)
LANE_FN unsigned lane_bits(lane_mask m) { return (unsigned)_mm256_movemask_pd(m); }
#else
LANE_FN unsigned lane_bits(lane_mask m)
{
    double places[LANE_WIDTH];
    unsigned bits = 0;
    lane_store(places, lane_keep(m, lane_set(1.0)));
    for (int i = 0; i < LANE_WIDTH; i++)
        bits |= (places[i] != 0.0 ? 1U : 0U) << i;
    return bits;
}
#endif

/* The bits if all places are true. */
#define LANE_ALL ((1U << LANE_WIDTH) - 1)

#endif
