/* lsq.h - one run of plumb lsq: what was asked, what came out. Shared by lsq.c, which solves, and lsq_report.c, which tells. */
#ifndef PLUMB_CLI_LSQ_H
#define PLUMB_CLI_LSQ_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"

typedef struct lsq_run {
    const char *a_path, *b_path, *output; /* output NULL: x goes into the report */
    int32_t prec;                         /* 0: auto */
    double digits;                        /* wanted, when auto */
    plumb_lsq_options options;
    bool json, quiet;

    int64_t m, n;
    bool rounded;           /* the files say more than prec holds */
    plumb_view x, residual; /* in the lowest precision that holds what was computed */
    plumb_lsq_report report;
    double seconds;
    int32_t threads;
} lsq_run;

/* On stdout; false when a number cannot be written in decimals (beyond the range of a double). */
bool lsq_print(const lsq_run *run);
bool lsq_print_json(const lsq_run *run);

#endif
