/* digits.c - see digits.h. */
#include "model/digits.h"

#include <stdlib.h>

#include "base/call/message.h"

const char *plumb_digits_text(plumb_digits_code code)
{
#define DIGITS_TEXT(name, text) text,
    static const char *const texts[] = {PLUMB_DIGITS_LIST(DIGITS_TEXT)};
#undef DIGITS_TEXT
    return (unsigned)code < PLUMB_DIGITS_CODES ? texts[code] : "unknown code";
}

plumb_digits *plumb_digits_create(int64_t count, int64_t unknowns)
{
    plumb_digits *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->count = count;
    d->unknowns = unknowns;
    d->report = calloc((size_t)count + 1, sizeof *d->report);
    d->number = calloc((size_t)(count * unknowns) + 1, 2 * sizeof *d->number);
    if (d->report && d->number)
        return d;
    plumb_digits_destroy(d);
    return NULL;
}

void plumb_digits_destroy(plumb_digits *digits)
{
    if (!digits)
        return;
    for (int64_t k = 0; digits->number && k < 2 * digits->count * digits->unknowns; k++)
        free(digits->number[k]);
    free(digits->number);
    free(digits->report);
    free(digits);
}

int64_t plumb_digits_count(const plumb_digits *digits)
{
    return digits ? digits->count : 0;
}

int64_t plumb_digits_unknowns(const plumb_digits *digits)
{
    return digits ? digits->unknowns : 0;
}

plumb_status plumb_digits_get(const plumb_digits *digits, int64_t index, plumb_digits_report *report)
{
    plumb_call_begin();
    if (!digits || !report)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", digits ? "report" : "digits");
    if (index < 0 || index >= digits->count)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "index: found %lld, expected 0 to %lld", (long long)index,
                         (long long)digits->count - 1);
    *report = digits->report[index];
    return plumb_call_end(PLUMB_OK);
}

static const char *part_of(const plumb_digits *d, int64_t index, int64_t unknown, int part)
{
    if (!d || index < 0 || index >= d->count || unknown < 0 || unknown >= d->unknowns)
        return NULL;
    return digits_number(d, index, unknown)[part];
}

const char *plumb_digits_re(const plumb_digits *digits, int64_t index, int64_t unknown)
{
    return part_of(digits, index, unknown, 0);
}

const char *plumb_digits_im(const plumb_digits *digits, int64_t index, int64_t unknown)
{
    return part_of(digits, index, unknown, 1);
}
