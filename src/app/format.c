/* format.c - see format.h. */
#include "app/format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/app.h"

const app_format app_matrix_formats[] = {PLUMB_FORMAT_MTX, PLUMB_FORMAT_NPY, PLUMB_FORMAT_CSV, PLUMB_FORMAT_JSON,
                                         FORMAT_END};
const app_format app_solution_formats[] = {PLUMB_FORMAT_PHC, PLUMB_FORMAT_JSON, PLUMB_FORMAT_CSV, FORMAT_END};
const app_format app_system_formats[] = {PLUMB_FORMAT_PHC, PLUMB_FORMAT_TXT, FORMAT_END};

/* A format may have two endings; the first one is what messages name first. */
static const struct {
    app_format format;
    const char *ending;
} endings[] = {
    {PLUMB_FORMAT_MTX, ".mtx"}, {PLUMB_FORMAT_NPY, ".npy"}, {PLUMB_FORMAT_CSV, ".csv"}, {PLUMB_FORMAT_JSON, ".json"},
    {PLUMB_FORMAT_PHC, ".phc"}, {PLUMB_FORMAT_PHC, ".sol"}, {PLUMB_FORMAT_TXT, ".txt"}, {FORMAT_SVG, ".svg"},
    {FORMAT_LINES, ".jsonl"},   {FORMAT_HTML, ".html"},
};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

static bool is_plain(const char *path)
{
    struct stat there;
    return strcmp(path, "-") != 0 && (stat(path, &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode));
}

static bool is_possible(const app_format *possible, app_format format)
{
    for (; *possible != FORMAT_END; possible++)
        if (*possible == format)
            return true;
    return false;
}

int app_format_of(const char *command, const char *option, const char *path, const app_format *possible,
                  app_format *format)
{
    *format = possible[0];
    if (path == NULL || !is_plain(path))
        return APP_OK;
    const char *list[ENDINGS];
    int count = 0;
    for (const app_format *f = possible; *f != FORMAT_END; f++)
        for (int i = 0; i < ENDINGS; i++)
            if (endings[i].format == *f)
                list[count++] = endings[i].ending;
    for (int i = 0; i < ENDINGS; i++)
        if (is_possible(possible, endings[i].format) && ends_in(path, endings[i].ending)) {
            *format = endings[i].format;
            return APP_OK;
        }
    char text[128] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", list[i]);
    }
    return app_misuse(command, "%s: found '%s', expected a name that ends in %s, or - for standard output", option,
                      path, text);
}
