/* options.c - see options.h. */
#include "base/options.h"

#include <stdbool.h>
#include <string.h>

#include "base/message.h"

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

plumb_status plumb_options_take(const void *given, void *options, char *message, size_t size)
{
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
    memcpy(options, given, has < known ? has : known);
    memcpy(options, &known, sizeof known);
    return PLUMB_OK;
}

plumb_status plumb_report_check(const void *report, char *message, size_t size)
{
    if (!report || is_size(size_of(report)))
        return PLUMB_OK;
    return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                     "report->size is %zu: set the report with the matching _init function first", size_of(report));
}

void plumb_report_give(const void *report, void *to)
{
    if (!to || !is_size(size_of(to)))
        return;
    const size_t known = size_of(report), has = size_of(to), filled = has < known ? has : known;
    memcpy(to, report, filled);
    memcpy(to, &filled, sizeof filled);
}
