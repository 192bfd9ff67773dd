/* round.h - from more limbs to fewer, rounded to nearest. */
#ifndef PLUMB_BASE_ROUND_H
#define PLUMB_BASE_ROUND_H

/* to[0] is the double nearest to the sum of the `from` limbs (ties to even), to[1] the one nearest to what remains, and so
 * on: the canonical expansion, cut after `count` limbs. The limbs given may overlap, but each is at most a few units
 * in the last place of the one before (or all are such after a few two_sums); from_count <= 8. A leading limb that is not
 * finite is passed on with the limbs after it. */
void plumb_round_limbs(const double *from, int from_count, double *to, int count);

#endif
