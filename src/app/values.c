/* values.c - see values.h. */
#include "app/values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* The length up to the next comma outside parentheses and brackets, or to the end. */
static size_t part_length(const char *text)
{
    int depth = 0;
    size_t length = 0;
    for (; text[length] != 0 && (depth > 0 || text[length] != ','); length++)
        depth += strchr("([", text[length]) != NULL ? 1 : strchr(")]", text[length]) != NULL ? -1 : 0;
    return length;
}

static size_t trimmed(const char **text, size_t length)
{
    while (length > 0 && **text == ' ')
        ++*text, length--;
    while (length > 0 && (*text)[length - 1] == ' ')
        length--;
    return length;
}

static int shown(size_t length)
{
    return length < 100 ? (int)length : 100;
}

int app_values_read(const char *command, const char *option, const char *form, const plumb_system *system,
                    const char *text, app_value_take *take, void *data)
{
    const int64_t unknowns = plumb_system_unknowns(system);
    bool *given = calloc((size_t)unknowns + 1, sizeof *given);
    int result = given != NULL ? APP_OK : app_fail(command, "out of memory");
    for (const char *part = text; result == APP_OK && part != NULL;) {
        const size_t length = part_length(part);
        const char *name = part, *equals = memchr(part, '=', length);
        const size_t name_length = trimmed(&name, equals != NULL ? (size_t)(equals - part) : length);
        const int64_t unknown = equals != NULL ? plumb_system_find_unknown(system, name, name_length) : -1;
        if (equals == NULL)
            result = app_misuse(command, "%s: found '%.*s', expected %s", option, shown(length), part, form);
        else if (unknown < 0)
            result = app_misuse(command, "%s: the system has no unknown '%.*s'", option, shown(name_length), name);
        else if (given[unknown])
            result = app_misuse(command, "%s: found two values for %s, expected one", option, system->names[unknown]);
        else
            result = take(data, unknown, equals + 1, length - (size_t)(equals + 1 - part));
        if (result == APP_OK)
            given[unknown] = true;
        part = part[length] == 0 ? NULL : part + length + 1;
    }
    for (int64_t v = 0; result == APP_OK && v < unknowns; v++)
        if (!given[v])
            result = app_misuse(command, "%s: found no value for %s, expected one for every unknown", option,
                                system->names[v]);
    free(given);
    return result;
}
