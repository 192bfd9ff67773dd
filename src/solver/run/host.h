/* host.h - what a run asks of the program that it runs in: the library itself never prints, handles no signals and does not read the
 * environment.
 *
 * Calls of this folder that return int return RUN_OK, or say what is wrong in one line and return RUN_FAILED or RUN_MISUSE: the work failed,
 * or what was asked for makes no sense. */
#ifndef PLUMB_SOLVER_RUN_HOST_H
#define PLUMB_SOLVER_RUN_HOST_H

#include <stdbool.h>
#include <stdio.h>

#include "plumb.h"
#include "text/output.h"

enum { RUN_OK = 0, RUN_FAILED = 1, RUN_MISUSE = 2 };

/* What a line is: RUN_FAILED, RUN_MISUSE, or one of these. RUN_NOTE: something that the user should know and that does not end the work.
 * RUN_CALL: the message of a library call that failed. */
enum { RUN_NOTE = 0, RUN_CALL = 3 };

struct run_voice;

typedef struct run_host {
    /* Says a line, for which a call would return that status. placed: it begins with the place in a file. */
    void (*say)(const struct run_voice *voice, int what, plumb_status status, bool placed, const char *line);
    bool (*stopped)(const struct run_voice *voice); /* was a stop requested? */
    void (*stop)(const struct run_voice *voice);    /* requests it, because it was requested elsewhere */
    /* Between defer(true) and defer(false) signals wait; and a temporary file that they are to remove, which exists or exists no more. */
    void (*defer)(bool on);
    void (*temporary)(const char *path, bool exists);
    const char *(*folder)(const struct run_voice *voice); /* where files without a name are made */
} run_host;

/* The host, and the command that the lines are about. */
typedef struct run_voice {
    const run_host *host;
    const char *command;
    void *data; /* of the host */
} run_voice;

static inline bool run_is_stopped(const run_voice *voice)
{
    return voice->host->stopped(voice);
}

__attribute__((format(printf, 2, 3))) int run_misuse(const run_voice *voice, const char *format, ...);
__attribute__((format(printf, 2, 3))) int run_fail(const run_voice *voice, const char *format, ...);
__attribute__((format(printf, 2, 3))) void run_note(const run_voice *voice, const char *format, ...);
/* The same as run_misuse for a line that begins with the place in a file. */
__attribute__((format(printf, 2, 3))) int run_misread(const run_voice *voice, const char *format, ...);

/* With a status of its own; run_fail has PLUMB_ERR_IO. */
__attribute__((format(printf, 3, 4))) int run_fail_as(const run_voice *voice, plumb_status status, const char *format,
                                                      ...);
int run_no_memory(const run_voice *voice);

/* A library call that failed, whose message the context has. */
int run_context_fail(const run_voice *voice, const plumb_context *context, plumb_status status);
int run_context_create(const run_voice *voice, const plumb_context_options *options, plumb_context **context);

/* A file in the making (text/output.h). */
int run_output_open(const run_voice *voice, file_output *output, const char *path);
int run_output_place(const run_voice *voice, file_output *output, bool replace); /* 0 or an errno */
void run_output_discard(const run_voice *voice, file_output *output);
/* A file without a name, which vanishes when it is closed. NULL: errno is set. */
FILE *run_unnamed_file(const run_voice *voice);

#endif
