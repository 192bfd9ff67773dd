/* cli.h - what the subcommands share: how they are called, and how they say that something went wrong.
 *
 * Exit statuses: 0 success, 1 the work failed, 2 the command line or the environment made no sense. */
#ifndef PLUMB_CLI_H
#define PLUMB_CLI_H

#include "plumb.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_MISUSE = 2 };

/* argv[0] is the name of the subcommand. Each answers --help on stdout with status 0, showing defaults. */
int plumb_cli_info(int argc, char **argv);
int plumb_cli_bench(int argc, char **argv);
int plumb_cli_demo(int argc, char **argv);
int plumb_cli_lsq(int argc, char **argv);
int plumb_cli_qr(int argc, char **argv);
int plumb_cli_random(int argc, char **argv);
int plumb_cli_eval(int argc, char **argv);
int plumb_cli_newton(int argc, char **argv);
int plumb_cli_system(int argc, char **argv);
int plumb_cli_track(int argc, char **argv);

/* "plumb COMMAND: ..." in one line on stderr; returns CLI_MISUSE or CLI_FAILED, so that one can write
 * return cli_misuse("bench", "unknown option '%s'", argv[i]). command may be NULL. */
__attribute__((format(printf, 2, 3))) int cli_misuse(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 3))) int cli_fail(const char *command, const char *format, ...);

/* Is this argument a request for help (--help or -h)? */
int cli_is_help(const char *argument);

/* The instruction set named by PLUMB_ISA, NULL when it is not set or empty. When it names one that is not compiled in or
 * that this processor lacks: one line on stderr saying what there is, and CLI_MISUSE. */
int cli_isa_from_environment(const char *command, const char **isa);

/* A context for a subcommand. The options given may be NULL; where they name no instruction set, PLUMB_ISA does. Returns CLI_OK, or
 * says what is wrong in one line on stderr and returns the exit status. */
int cli_context_create(const char *command, const plumb_context_options *given, plumb_context **context);

/* The same line for a library call on a context that failed: "plumb COMMAND: <message of the context>". */
int cli_context_fail(const char *command, const plumb_context *context, plumb_status status);

#endif
