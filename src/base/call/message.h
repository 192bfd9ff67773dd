/* message.h - one line of text about a call that failed.
 *
 * A call with a context leaves it there (plumb_context_message). Every line is also kept for the thread that said
 * it, so that calls without a context have one too (plumb_last_message): such a call begins with plumb_call_begin
 * and returns by plumb_call_end, which makes sure that a failure without a line of its own still has the text of its
 * status, and never an older line. */
#ifndef PLUMB_BASE_CALL_MESSAGE_H
#define PLUMB_BASE_CALL_MESSAGE_H

#include "plumb.h"

/* Writes the line, cut to size, into message (or NULL) and, unless status is PLUMB_OK, into the line of this thread.
 * Returns status, so that a check can end with: return plumb_say(...). */
__attribute__((format(printf, 4, 5))) plumb_status plumb_say(plumb_status status, char *message, size_t size,
                                                             const char *format, ...);

/* Around the body of a public function without a context. */
void plumb_call_begin(void);
plumb_status plumb_call_end(plumb_status status);

/* PLUMB_ERR_ARGUMENT with a line: a call that needs a context was given none. */
plumb_status plumb_no_context(void);

/* What the static analyzer cannot see from one file: the status that is returned is the one that was given. */
#ifdef __clang_analyzer__
#define plumb_say(status, ...) ((void)(plumb_say)(status, __VA_ARGS__), (status))
#define plumb_call_end(status) (status)
#endif

#endif
