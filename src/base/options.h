/* options.h - structs that begin with their size, so that later versions can append fields.
 *
 * Options go from the caller to the library. A caller compiled with an older header has a shorter struct: the fields
 * it does not have keep their defaults. A caller compiled with a newer header has a longer one: that is accepted as
 * long as the bytes this library does not know are zero, which by convention is the default of a new field;
 * otherwise the caller asks for something that this library cannot do, and is told so.
 *
 * Reports go the other way: the library fills as much of the caller's struct as both know. */
#ifndef PLUMB_BASE_OPTIONS_H
#define PLUMB_BASE_OPTIONS_H

#include "plumb.h"

/* Copies given (or NULL) over *options, which holds the defaults and its own size in its first field.
 * PLUMB_ERR_ARGUMENT, and one line in message (or NULL), where the size is impossible or unknown bytes are not zero. */
PLUMB_USE_RESULT plumb_status plumb_options_take(const void *given, void *options, char *message, size_t size);

/* PLUMB_ERR_ARGUMENT, with a line, for a report (or NULL) whose size was never set. */
PLUMB_USE_RESULT plumb_status plumb_report_check(const void *report, char *message, size_t size);

/* Copies *report, which has its own size in its first field, to the caller's struct (or NULL), whose size becomes
 * the number of bytes that were filled. */
void plumb_report_give(const void *report, void *to);

#endif
