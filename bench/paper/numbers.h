/* numbers.h - every number of the paper that `plumb bench paper` stands beside ours, and no number of ours.
 *
 * J. Verschelde and G. Yoffe, "Orthogonalization on a general purpose graphics processing unit with double double and quad
 * double arithmetic", 13 January 2013. One core of a 3.47 GHz Intel Xeon X5690, an NVIDIA Tesla C2050. Seconds are those of
 * PAPER_RUNS runs. */
#ifndef PLUMB_BENCH_PAPER_NUMBERS_H
#define PLUMB_BENCH_PAPER_NUMBERS_H

#include <stdint.h>

enum { PAPER_RUNS = 10000, PAPER_MATRICES = 1000, PAPER_N = 32 };

/* Table 1: QR decompositions, n = m = 32, one core. */
typedef struct paper_overhead {
    int32_t prec, parts;
    const char *name;
    double seconds, factor;
    int32_t dimension; /* the recalibrated one, as printed */
} paper_overhead;
enum { PAPER_OVERHEADS = 4 };
extern const paper_overhead paper_table1[PAPER_OVERHEADS];

/* Table 2: log10 of the least and the largest e of QR decompositions, and their difference as printed. Rows of one g stand
 * together, the lower precision first. */
typedef struct paper_accuracy {
    int32_t prec, g;
    double least, most, spread;
} paper_accuracy;
enum { PAPER_ACCURACIES = 20 };
extern const paper_accuracy paper_table2[PAPER_ACCURACIES];

/* A row of Tables 3 to 6: seconds on one core and on the GPU, and the quotient as printed. */
typedef struct paper_row {
    int32_t prec, n;
    double cpu, gpu, speedup;
} paper_row;
enum { PAPER_PRECISIONS = 3, PAPER_D_SIZES = 16, PAPER_DD_SIZES = 5 };
extern const paper_row paper_table3[PAPER_PRECISIONS];
extern const paper_row paper_table4[PAPER_D_SIZES];
extern const paper_row paper_table5[2 * PAPER_DD_SIZES]; /* dd, then qd */

/* Table 6: polynomial evaluation and differentiation, modified Gram-Schmidt, both. */
enum { PAPER_PE, PAPER_MGS, PAPER_BOTH, PAPER_PARTS };
extern const char *const paper_part_names[PAPER_PARTS];
extern const paper_row paper_table6[PAPER_PARTS][PAPER_PRECISIONS];

/* The row of a precision and size in Tables 4 and 5, or NULL. */
const paper_row *paper_solve_row(int32_t prec, int32_t n);

/* Gaussian elimination at n = 32: so much faster, its error so much larger. */
extern const double paper_elimination_faster, paper_elimination_worse;

#endif
