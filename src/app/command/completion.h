/* completion.h - shell completions, written from the tables of a program's commands.
 *
 * Two further words serve the project itself: "options" lists all options for the tests, and "man" writes the sections of the
 * man page about the commands, which scripts/man-page puts into docs/plumb.1 and a test compares. */
#ifndef PLUMB_APP_COMPLETION_H
#define PLUMB_APP_COMPLETION_H

#include "app/command/command.h"

/* Writes the completion of "bash", "zsh" or "fish", or "options" or "man", to stdout. Returns the exit status. */
int app_completion(const app_program *for_program, const char *what);

/* The table of the command "completion" of a program; run calls app_completion. */
typedef struct app_completion_words {
    const char *file[1];
} app_completion_words;

extern const app_option app_no_options[];
extern const app_completion_words app_completion_defaults;
extern const char *const app_completion_files[];

#define APP_COMPLETION_COMMAND(function)                                                                          \
    {                                                                                                             \
        .name = "completion", .summary = "write the completion script of a shell", .arguments = "SHELL",          \
        .about = "Writes the completion script of a shell to standard output: bash, zsh or fish. 'make install' " \
                 "installs all three. It is written from the same tables as this help.",                          \
        .options = app_no_options, .defaults = &app_completion_defaults, .size = sizeof app_completion_defaults,  \
        .least_files = 1, .most_files = 1, .file_names = app_completion_files,                                    \
        .files = offsetof(app_completion_words, file), .only_words = true, .run = function                        \
    }

#endif
