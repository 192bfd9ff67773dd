/* options.c - see options.h. */
#include "base/call/options.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/call/message.h"

/* No struct of any version is longer: a size above is memory that was never set. */
enum { MOST_BYTES = 4096 };

static size_t size_of(const void *object)
{
    size_t size;
    memcpy(&size, object, sizeof size);
    return size;
}

static bool is_size(size_t size)
{
    return size >= sizeof(size_t) && size <= MOST_BYTES;
}

static bool is_within(const option_field *field, double value)
{
    return value >= field->least && value <= field->most; /* false for a NaN */
}

/* Checks one field of the copy and writes what it holds, for the message. */
static bool check_field(const option_field *field, const unsigned char *copy, char *found, size_t size)
{
    int32_t narrow = 0;
    int64_t wide = 0;
    double real = 0.0;
    switch (field->kind) {
    case OPTION_INT64:
        memcpy(&wide, copy + field->offset, sizeof wide);
        snprintf(found, size, "%lld", (long long)wide);
        return is_within(field, (double)wide);
    case OPTION_REAL:
        memcpy(&real, copy + field->offset, sizeof real);
        snprintf(found, size, "%g", real);
        return is_within(field, real);
    default:
        memcpy(&narrow, copy + field->offset, sizeof narrow);
        snprintf(found, size, "%d", (int)narrow);
        return field->kind == OPTION_PREC ? narrow == 0 || plumb_prec_name(narrow) != NULL : is_within(field, narrow);
    }
}

static plumb_status refuse_field(const option_field *field, const char *found, char *message, size_t size)
{
    if (field->kind == OPTION_PREC)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "options: %s is %s, expected 0, d (1), dd (2) or qd (4)",
                         field->name, found);
    if (field->least == field->most)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "options: %s is %s, expected %g", field->name, found,
                         field->least);
    if (isinf(field->most))
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "options: %s is %s, expected at least %g", field->name,
                         found, field->least);
    return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "options: %s is %s, expected %g to %g", field->name, found,
                     field->least, field->most);
}

plumb_status plumb_options_take(const void *given, void *options, const option_field *fields, char *message,
                                size_t size)
{
    _Alignas(8) unsigned char copy[MOST_BYTES];
    if (!given)
        return PLUMB_OK;
    const size_t known = size_of(options), has = size_of(given);
    if (!is_size(has))
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "options->size is %zu: set the options with the matching _init function first", has);
    for (size_t i = known; i < has; i++)
        if (((const unsigned char *)given)[i] != 0)
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                             "the options set a field that version %s of the library does not have", plumb_version());
    memcpy(copy, options, known);
    memcpy(copy, given, has < known ? has : known);
    memcpy(copy, &known, sizeof known);
    for (const option_field *field = fields; field->name; field++) {
        char found[40];
        if (!check_field(field, copy, found, sizeof found))
            return refuse_field(field, found, message, size);
    }
    memcpy(options, copy, known);
    return PLUMB_OK;
}
