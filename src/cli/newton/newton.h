/* newton.h - one run of plumb newton: what was asked for and what came out. newton.c works, report.c prints. */
#ifndef PLUMB_CLI_NEWTON_H
#define PLUMB_CLI_NEWTON_H

#include <stdbool.h>

#include "app/command/command.h"
#include "app/format.h"
#include "model/system/system.h"
#include "solver/newton/newton.h"

/* The command line. */
typedef struct newton_words {
    const char *file[2]; /* the system, the solutions to start from */
    app_texts equations; /* instead of the file of the system */
    const char *output;
    int32_t prec, jacobian, backend;
    double digits, tolerance; /* 0: not given */
    int64_t steps, threads;
    bool json, quiet;
} newton_words;

typedef struct newton_cli {
    const newton_words *words;
    app_format output_format;
    double digits; /* wanted; 0: none, one precision is used */
    int64_t many;  /* the same if quad doubles have fewer, otherwise 0 */
    newton_settings settings;

    const plumb_system *system;
    plumb_view x;          /* the solutions, in the highest precision that one of them needed */
    plumb_digits *refined; /* the solutions with many digits, or NULL */
    plumb_newton_report *reports;
    newton_trace *traces;
    int64_t converged, enough; /* solutions that converged, and of those the ones with the digits wanted */
    double seconds;
    int32_t threads, backend;
} newton_cli;

/* Correct decimal digits, as the estimate of the error has it. */
double newton_digits(const plumb_newton_report *report);

/* On stdout; false when a number cannot be written. */
bool newton_print(const newton_cli *run);
bool newton_print_json(const newton_cli *run);

#endif
