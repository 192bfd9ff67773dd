/* options.h - option structs, which begin with their size, so that later versions can append fields.
 *
 * Options go from the caller to the library. A caller compiled with an older header has a shorter struct: the fields
 * it does not have keep their defaults. A caller compiled with a newer header has a longer one: that is accepted as
 * long as the bytes this library does not know are zero, which by convention is the default of a new field;
 * otherwise the caller requests something that this library cannot do, which is an error.
 *
 * Structs that the library fills keep their size: they end with reserved fields. */
#ifndef PLUMB_BASE_CALL_OPTIONS_H
#define PLUMB_BASE_CALL_OPTIONS_H

#include <math.h>
#include <stddef.h>

#include "plumb.h"

/* What a field of an option struct may hold. Every enum, count, flag and number that the library uses has an entry in
 * the table of its struct, so that no call needs checks of its own. */
typedef enum option_kind {
    OPTION_INT32, /* int32_t from least to most: flags, enums, counts; reserved fields from 0 to 0 */
    OPTION_INT64, /* int64_t from least to most; a most of INFINITY is no bound */
    OPTION_REAL,  /* double from least to most, never NaN; infinite only where most is INFINITY */
    OPTION_PREC   /* int32_t: 0 or a precision */
} option_kind;

typedef struct option_field {
    const char *name; /* NULL ends a table */
    size_t offset;
    option_kind kind;
    double least, most;
} option_field;

#define OPTION_FLAG(type, field)                              \
    {                                                         \
#field, offsetof(type, field), OPTION_INT32, 0.0, 1.0 \
    }
#define OPTION_RESERVED(type, field)                          \
    {                                                         \
#field, offsetof(type, field), OPTION_INT32, 0.0, 0.0 \
    }
#define OPTION_RANGE(type, field, kind, least, most)     \
    {                                                    \
#field, offsetof(type, field), kind, least, most \
    }
#define OPTION_PRECISION(type, field)                        \
    {                                                        \
#field, offsetof(type, field), OPTION_PREC, 0.0, 0.0 \
    }
#define OPTION_END                      \
    {                                   \
        NULL, 0, OPTION_INT32, 0.0, 0.0 \
    }

/* Copies given (or NULL) over *options, which holds the defaults and its own size in its first field, and checks every
 * field of the table. PLUMB_ERR_ARGUMENT, and one line in message (or NULL), where the size is impossible, unknown
 * bytes are not zero, or a field is out of its range; *options is then unchanged. */
PLUMB_USE_RESULT plumb_status plumb_options_take(const void *given, void *options, const option_field *fields,
                                                 char *message, size_t size);

#endif
