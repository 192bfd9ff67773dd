/* message.h - writes one line that describes an error into a buffer of the caller. */
#ifndef PLUMB_BASE_MESSAGE_H
#define PLUMB_BASE_MESSAGE_H

#include "plumb.h"

/* Writes the line (truncated to size) and returns status, so that a check can end with: return plumb_say(...).
 * message may be NULL. */
__attribute__((format(printf, 4, 5))) plumb_status plumb_say(plumb_status status, char *message, size_t size,
                                                             const char *format, ...);

/* The static analyzer cannot see from one file that plumb_say returns the status it was given. */
#ifdef __clang_analyzer__
#define plumb_say(status, ...) ((void)(plumb_say)(status, __VA_ARGS__), (status))
#endif

#endif
