/* newton.h - one run of plumb newton: what was asked, what came out. Shared by newton.c, which works, and newton_report.c, which tells. */
#ifndef PLUMB_CLI_NEWTON_H
#define PLUMB_CLI_NEWTON_H

#include <stdbool.h>

#include "model/system/system.h"
#include "solver/newton/newton.h"

typedef struct newton_cli {
    const char *system_path, *start_path, *output; /* output NULL: solutions go into the report */
    double digits;                                 /* wanted; 0: one precision, whatever comes out */
    newton_settings settings;
    bool json, quiet;

    const plumb_system *system;
    plumb_view x; /* the solutions, in the highest precision that one of them needed */
    plumb_newton_report *reports;
    newton_trace *traces;
    int64_t converged, enough; /* solutions that did, and of those the ones with the digits wanted */
    double seconds;
    int32_t threads, backend;
} newton_cli;

/* Decimal digits that the estimate promises. */
double newton_digits(const plumb_newton_report *report);

/* newton_report.c. On stdout; false when a number cannot be written. */
bool newton_print(const newton_cli *run);
bool newton_print_json(const newton_cli *run);

#endif
