/* certify.h - one run of plumb certify: what was asked for and what came out. certify.c proves, report.c prints; check.c reads
 * certificates and proves them again with arithmetic of its own. */
#ifndef PLUMB_CLI_CERTIFY_H
#define PLUMB_CLI_CERTIFY_H

#include <stdbool.h>

#include "app/certified.h"
#include "app/command/command.h"
#include "app/format.h"
#include "model/solutions.h"
#include "model/system/system.h"

/* The command line. */
typedef struct certify_words {
    const char *file[2]; /* the system, the solutions */
    app_texts equations; /* instead of the file of the system */
    const char *check;   /* a file with certificates to check */
    const char *output;
    int64_t bits, threads;
    uint64_t seed;
    bool json, quiet;
} certify_words;

typedef struct certify_cli {
    const certify_words *words;
    app_format output_format;
    const plumb_system *system;
    const plumb_solutions *given;
    plumb_view x; /* the points, in the unknowns of the system */
    plumb_certificates *certificates;
    app_certified counts;
    app_bound bound;
    double seconds;
    int32_t threads;
} certify_cli;

/* On stdout; false when a number cannot be written. */
bool certify_print(const certify_cli *run);
bool certify_print_json(const certify_cli *run);

/* plumb certify --check: the exit status. */
int certify_check(const certify_words *words);

#endif
