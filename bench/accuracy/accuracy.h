/* accuracy.h - the data of plumb-bench accuracy: what was found. Shared by computing and reporting. */
#ifndef PLUMB_BENCH_ACCURACY_H
#define PLUMB_BENCH_ACCURACY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/common/common.h"
#include "bench/paper/numbers.h"
#include "plumb.h"
#include "text/json/json.h"

enum { ACCURACY_N = PAPER_N, ACCURACY_ROWS = PAPER_ACCURACIES, ACCURACY_PRECISIONS = 3 };
enum {
    ACCURACY_FULL_COUNT = PAPER_MATRICES,
    ACCURACY_QUICK_COUNT = 50,
    ACCURACY_MOST_COUNT = 100000,
    ACCURACY_SEED = 1
};

/* e = max |a_ij - (QR)_ij| of random matrices with entries between 10^-g and 10^g in modulus. */
typedef struct accuracy_row {
    int32_t prec;
    int32_t g;
    double paper_least, paper_most; /* log10 of the smallest and the largest e in Verschelde and Yoffe (2013) */
    double least, most;             /* the same, measured */
    int64_t dependent;              /* matrices with a column that was found dependent on those before it */
} accuracy_row;

/* Gaussian elimination compared with modified Gram-Schmidt on the same systems, whose solution is known exactly. */
typedef struct accuracy_elimination {
    int32_t prec;
    bool absent; /* the library does not have it */
    int64_t count;
    double mgs_us, lu_us;       /* per solve, one core */
    double mgs_error, lu_error; /* largest |x_j - 1|, averaged over the systems */
    double median_ratio;        /* of lu_error / mgs_error of one system */
} accuracy_elimination;

typedef struct accuracy_run {
    accuracy_row rows[ACCURACY_ROWS];
    accuracy_elimination elimination[ACCURACY_PRECISIONS];
    const char *isa, *commit;
    int64_t count;
    uint64_t seed;
    int32_t threads;
    bool quick;
    double seconds;
} accuracy_run;

/* Fills the run, whose count, seed and threads are given: rows on threads of its own, elimination on the context, which has
 * one thread. Stops early if the program was asked to. APP_OK, or an exit status after a line; whose: the command that it
 * names. */
int accuracy_measure(const char *whose, plumb_context *context, accuracy_run *run);

/* residual.c: an oracle converts Q and R to MPFR numbers and computes A - QR. */
typedef struct accuracy_oracle accuracy_oracle;
accuracy_oracle *accuracy_oracle_create(int32_t prec);
void accuracy_oracle_destroy(accuracy_oracle *oracle); /* NULL is fine */
double accuracy_residual(accuracy_oracle *oracle, const plumb_view *a, const plumb_view *q, const plumb_view *r);

/* lu.c: APP_OK or an exit status. */
int accuracy_compare_elimination(plumb_context *context, int64_t count, uint64_t seed, accuracy_elimination *e);

/* report.c */
void accuracy_print(const void *data, FILE *out);
void accuracy_json(const void *data, FILE *out);
void accuracy_json_body(const accuracy_run *run, json_writer *w); /* the members after the machine */

#endif
