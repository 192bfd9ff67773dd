/* random.h - random complex matrices as in the experiments of Verschelde and Yoffe (2013).
 *
 * Every entry is r e^(i theta), theta uniform in [0, 2 pi), r = 1 or r = 10^e with e uniform in [-g, g]. The random choices
 * are theta / (2 pi) and (e/g + 1) / 2, multiples of 2^-53; real and imaginary part are those of that number rounded to the
 * precision of the view, each to within a unit in the last place: a seed means the same matrix at every precision, and the
 * same bits on every machine. Entries are drawn column by column. */
#ifndef PLUMB_TEXT_MATRIX_RANDOM_H
#define PLUMB_TEXT_MATRIX_RANDOM_H

#include "plumb.h"

/* Fills a view on the host, matrix after matrix of its batch; a real view receives the real parts. unit: r = 1, and g is
 * not looked at. PLUMB_ERR_ARGUMENT when g is not in [0, 300]. */
PLUMB_USE_RESULT plumb_status plumb_random_matrix(const plumb_view *view, int unit, double g, uint64_t seed);

#endif
