/* app.h - what the programs plumb and plumb-bench share: exit statuses, and how a command reports that something went wrong.
 *
 * Exit statuses: 0 success, 1 the work failed, 2 the command line or the environment made no sense. */
#ifndef PLUMB_APP_H
#define PLUMB_APP_H

#include "plumb.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_MISUSE = 2 };

/* The program that is running, as messages and help name it: "plumb" or "plumb-bench". app_main sets it. */
extern const char *cli_program;

/* "plumb COMMAND: ..." in one line on stderr; returns CLI_MISUSE or CLI_FAILED, so that one can write
 * return cli_misuse("bench", "unknown option '%s'", argv[i]). command may be NULL. */
__attribute__((format(printf, 2, 3))) int cli_misuse(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 3))) int cli_fail(const char *command, const char *format, ...);

/* The instruction set named by PLUMB_ISA, NULL when it is not set or empty. When it names one that is not compiled in or
 * that this processor lacks: one line on stderr saying what there is, and CLI_MISUSE. */
int cli_isa_from_environment(const char *command, const char **isa);

/* A context for a subcommand. The options given may be NULL; where they name no instruction set, PLUMB_ISA does. Returns CLI_OK, or
 * says what is wrong in one line on stderr and returns the exit status. */
int cli_context_create(const char *command, const plumb_context_options *given, plumb_context **context);

/* The same line for a library call on a context that failed: "plumb COMMAND: <message of the context>". */
int cli_context_fail(const char *command, const plumb_context *context, plumb_status status);

#endif
