/* lsq.h - one run of plumb lsq: what was asked for and what came out. lsq.c solves, covariance.c estimates the errors of the
 * parameters, report.c prints them. */
#ifndef PLUMB_CLI_LSQ_H
#define PLUMB_CLI_LSQ_H

#include <stdbool.h>
#include <stdio.h>

#include "app/format.h"
#include "plumb.h"

/* The command line. */
typedef struct lsq_words {
    const char *file[2]; /* A, b */
    const char *output, *covariance;
    int32_t prec, method, backend; /* -1: not given */
    int64_t digits, threads;
    bool pivot, reorth, errors, json, quiet;
} lsq_words;

typedef struct lsq_run {
    const lsq_words *words;
    int32_t prec;  /* 0: auto */
    double digits; /* wanted, when auto */
    plumb_lsq_options options;
    app_format output_format, covariance_format;

    int64_t m, n;
    int32_t rounded;               /* the files have more digits than the precision holds: PLUMB_ROUNDED_..., or 0 */
    plumb_view x, residual;        /* in the lowest precision that holds what was computed */
    plumb_view errors, covariance; /* of x; data is NULL unless asked for */
    plumb_lsq_report report;
    double seconds;
    int32_t threads;
} lsq_run;

/* Fills run->errors (standard errors, one column per right-hand side) and, when asked for, run->covariance (of the one
 * right-hand side) with sigma^2 (A^H A)^-1, sigma^2 = |b - A x|^2 / (m - n). Returns the exit status. */
int lsq_covariance(lsq_run *run, plumb_context *context, const plumb_view *a);

/* Whether pivoting has left columns out. */
bool lsq_lacks_rank(const lsq_run *run);

/* False when a number is beyond the range of a double and cannot be written in decimals. */
bool lsq_print(const lsq_run *run);
bool lsq_print_json(const lsq_run *run, FILE *out);

#endif
