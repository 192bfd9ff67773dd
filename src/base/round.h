/* round.h - from more limbs to fewer, rounded to nearest. */
#ifndef PLUMB_BASE_ROUND_H
#define PLUMB_BASE_ROUND_H

/* to[0] is the double nearest to the sum of the `from` limbs (ties to even), to[1] the one nearest to what remains, and so
 * on: the canonical expansion, cut after count <= from_count <= 8 limbs. The limbs given may overlap. Where the first is
 * not finite, or rounding would overflow, the limbs are passed on as they are. */
void plumb_round_limbs(const double *from, int from_count, double *to, int count);

#endif
