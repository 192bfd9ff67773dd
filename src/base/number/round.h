/* round.h - rounds a number to fewer limbs, to nearest. */
#ifndef PLUMB_BASE_NUMBER_ROUND_H
#define PLUMB_BASE_NUMBER_ROUND_H

/* to[0] is the double nearest to the sum of the `from` limbs (ties to even), to[1] is the double nearest to the
 * remainder, and so on: the canonical expansion, truncated after count <= from_count <= 8 limbs. The given limbs may
 * overlap. If the first limb is not finite, or if rounding would overflow, the limbs are copied unchanged. */
void plumb_round_limbs(const double *from, int from_count, double *to, int count);

#endif
