/* script.h - runs bench/report, the program in Python that makes tables, comparisons and pages of results.
 *
 * It lies in the folder "report" beside the running program (in a build tree) or in share/plumb/report (installed). */
#ifndef PLUMB_BENCH_COMMON_SCRIPT_H
#define PLUMB_BENCH_COMMON_SCRIPT_H

#include <stdio.h>

/* Runs it with arguments, which end with NULL, and the file from its beginning as standard input (NULL: this program's) and
 * returns its exit status. Where it cannot run, one line says what is missing; command: what that line names. */
int bench_script_run(const char *command, const char *const *arguments, FILE *input);

/* Becomes that program instead, so that a signal to this process ends it. Returns only after a failure, with the exit status. */
int bench_script_become(const char *command, const char *const *arguments);

#endif
