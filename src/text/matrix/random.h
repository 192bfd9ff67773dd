/* random.h - random complex matrices as in the experiments of Verschelde and Yoffe (2013).
 *
 * Every entry is r e^(i theta) with theta uniform in [0, 2 pi), and r = 1 or r = 10^e with e uniform in [-g, g]. The
 * random numbers are theta / (2 pi) and (e/g + 1) / 2, multiples of 2^-53. Real and imaginary part are rounded to the
 * precision of the view, each within one unit in the last place. A seed therefore denotes the same matrix in every
 * precision, with the same bits on every machine. Entries are drawn column by column. */
#ifndef PLUMB_TEXT_MATRIX_RANDOM_H
#define PLUMB_TEXT_MATRIX_RANDOM_H

#include "plumb.h"

/* Fills a view on the host, one matrix of its batch after the other; a real view receives the real parts. If unit is
 * set, r = 1 and g is ignored. Returns PLUMB_ERR_ARGUMENT if g is not in [0, 300]. */
PLUMB_USE_RESULT plumb_status plumb_random_matrix(const plumb_view *view, int unit, double g, uint64_t seed);

/* Sets numbers to count complex doubles on the unit circle, real and imaginary parts alternating: those of a matrix. */
PLUMB_USE_RESULT plumb_status plumb_random_units(uint64_t seed, int64_t count, double *numbers);

#endif
