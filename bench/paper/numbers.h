/* numbers.h - the numbers of the paper that measuring needs, from bench/report/paper.json: the build writes paper_numbers.h with
 *
 *   PAPER_N, PAPER_RUNS, PAPER_MATRICES           the size of its matrices; how many runs and matrices
 *   PAPER_ACCURACY_LIST(X)   X(prec, g, m_e, M_e)  the rows of Table 2, those of one g together, the lower precision first
 *   PAPER_SOLVE_LIST(X)      X(prec, n)            the rows of Tables 4 and 5
 *   PAPER_ELIMINATION_FASTER, PAPER_ELIMINATION_WORSE
 *
 * J. Verschelde and G. Yoffe, "Orthogonalization on a general purpose graphics processing unit with double double and quad
 * double arithmetic", 13 January 2013. */
#ifndef PLUMB_BENCH_PAPER_NUMBERS_H
#define PLUMB_BENCH_PAPER_NUMBERS_H

#include "paper_numbers.h"
#include "plumb.h"

enum { PAPER_PREC_d = PLUMB_D, PAPER_PREC_dd = PLUMB_DD, PAPER_PREC_qd = PLUMB_QD };

#define PAPER_COUNT_ONE(...) +1
enum { PAPER_ACCURACIES = PAPER_ACCURACY_LIST(PAPER_COUNT_ONE), PAPER_SOLVES = PAPER_SOLVE_LIST(PAPER_COUNT_ONE) };

#endif
