/* app.h - what the programs plumb and plumb-bench share: exit statuses, and how a command reports that something went wrong.
 *
 * Exit statuses: 0 success, 1 the work failed or missed its goal, 2 the command line, the environment or the input makes no sense. */
#ifndef PLUMB_APP_H
#define PLUMB_APP_H

#include "plumb.h"

enum { APP_OK = 0, APP_FAILED = 1, APP_MISUSE = 2 };

/* The program that is running, as messages and help name it: "plumb" or "plumb-bench". app_main sets it. */
extern const char *app_program_name;

/* Write "plumb COMMAND: ..." in one line to stderr and return APP_MISUSE or APP_FAILED, so that a caller can end with
 * return app_misuse("lsq", ...). command may be NULL. */
__attribute__((format(printf, 2, 3))) int app_misuse(const char *command, const char *format, ...);
__attribute__((format(printf, 2, 3))) int app_fail(const char *command, const char *format, ...);

/* The same for a message to the user that does not end the work. */
__attribute__((format(printf, 2, 3))) void app_note(const char *command, const char *format, ...);

/* From now on the first message goes to text, without the names of program and command, and all others are dropped: for a process
 * that is not the one which speaks to the user. */
void app_messages_keep(char *text, size_t size);

/* Sets *isa to the instruction set that PLUMB_ISA names, or to NULL when it is not set or empty. One that is not compiled in or that
 * this processor lacks is refused with a line that lists the usable ones. */
int app_isa_from_environment(const char *command, const char **isa);

/* Creates the context of a command. given may be NULL; PLUMB_ISA decides where it names no instruction set. Returns APP_OK, or
 * explains the failure in one line on stderr and returns the exit status. */
int app_context_create(const char *command, const plumb_context_options *given, plumb_context **context);

/* Reports a library call that failed: "plumb COMMAND: <status>: <message of the context>". Returns APP_FAILED. */
int app_context_fail(const char *command, const plumb_context *context, plumb_status status);

#endif
