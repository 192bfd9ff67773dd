/* paths.c - see paths.h. */
#include "app/run/paths.h"

#include <stdbool.h>

#include "app/app.h"

static bool read_number(const char **text, int64_t *value)
{
    const char *s = *text;
    for (*value = 0; *s >= '0' && *s <= '9' && *value < INT64_MAX / 10 - 1; s++)
        *value = 10 * *value + (*s - '0');
    bool good = s > *text;
    *text = s;
    return good;
}

int app_paths_read(const char *command, const char *text, int64_t *first, int64_t *count)
{
    int64_t from = 1, last = 0;
    *first = *count = 0;
    if (text == NULL)
        return APP_OK;
    const char *s = text;
    bool good = read_number(&s, &from);
    last = from;
    if (good && *s == '-')
        s++, good = read_number(&s, &last);
    if (!good || *s != 0 || from < 1 || from > last)
        return app_misuse(command, "--paths: found '%s', expected A-B or A, counted from 1", text);
    *first = from - 1;
    *count = last - from + 1;
    return APP_OK;
}

int app_paths_check(const char *command, const char *text, int64_t first, int64_t count, int64_t all_paths)
{
    if (text == NULL || first + count <= all_paths)
        return APP_OK;
    return app_misuse(command, "--paths: found '%s', expected numbers up to %lld, the number of paths", text,
                      (long long)all_paths);
}
