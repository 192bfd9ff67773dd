/* symmetry.c - the maps of --symmetry: "x = y, y = x"; unknowns that are not named stay as they are. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "cli/monodromy/monodromy.h"

static const char command[] = "monodromy";

/* The unknown whose name these bytes are; -1: there is none. */
static int64_t find(const plumb_family *family, const char *name, size_t length)
{
    const plumb_system *system = plumb_family_system(family);
    for (int64_t i = 0; i < plumb_family_unknowns(family); i++)
        if (strlen(plumb_system_name(system, i)) == length && memcmp(plumb_system_name(system, i), name, length) == 0)
            return i;
    return -1;
}

/* Cuts a part, up to a comma or semicolon outside of parentheses, off a text; NULL at the end. */
static char *cut(char **text)
{
    char *first = *text;
    int depth = 0;
    if (first == NULL)
        return NULL;
    for (char *at = first; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if ((*at == ',' || *at == ';') && depth <= 0) {
            *at = 0;
            *text = at + 1;
            return first;
        }
    }
    *text = NULL;
    return first;
}

/* Reads "x = y": the place of x in the images becomes y. */
static int read_image(const monodromy_job *job, char *part, const char **images)
{
    char *equals = strchr(part, '=');
    if (equals == NULL)
        return app_misuse(command, "--symmetry: found '%s', expected the image of an unknown, such as x = -x", part);
    char *end = equals;
    *equals = 0;
    while (isspace((unsigned char)*part))
        part++;
    while (end > part && isspace((unsigned char)end[-1]))
        end--;
    const int64_t i = find(job->family, part, (size_t)(end - part));
    if (i < 0)
        return app_misuse(command, "--symmetry: found the image of '%.*s', which is no unknown of the family",
                          (int)(end - part), part);
    images[i] = equals + 1;
    return APP_OK;
}

static int read_map(const monodromy_job *job, const char *given, plumb_system **map)
{
    const int64_t n = plumb_family_unknowns(job->family);
    const char **images = calloc((size_t)n + 1, sizeof *images);
    char *text = strdup(given), *rest = text;
    plumb_text_error error;
    int result = images != NULL && text != NULL ? APP_OK : app_fail(command, "out of memory");
    for (int64_t i = 0; i < n && images != NULL; i++)
        images[i] = plumb_system_name(plumb_family_system(job->family), i);
    for (char *part = cut(&rest); result == APP_OK && images != NULL && part != NULL; part = cut(&rest))
        result = read_image(job, part, images);
    if (result == APP_OK && plumb_system_parse_equations(images, n, map, &error) != PLUMB_OK)
        result = app_misuse(command, "--symmetry: the image of %s: %s",
                            error.line > 0 ? plumb_system_name(plumb_family_system(job->family), error.line - 1) : "",
                            error.message);
    free(images);
    free(text);
    return result;
}

int monodromy_symmetry(monodromy_job *job)
{
    const app_texts *given = &job->words->symmetry;
    int result = APP_OK;
    job->symmetry = calloc((size_t)given->count + 1, sizeof(plumb_system *));
    if (job->symmetry == NULL)
        return app_fail(command, "out of memory");
    for (int64_t k = 0; k < given->count && result == APP_OK; k++)
        result = read_map(job, given->text[k], &job->symmetry[k]);
    return result;
}
