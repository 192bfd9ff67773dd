/* store.c - families and the files of their generic solutions; see family.h. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "app/models.h"
#include "cli/family/family.h"

/* Declares the unknowns of --parameters. */
static int declare(const char *command, const char *parameters, plumb_system **system)
{
    char *list = strdup(parameters);
    const char **names = calloc(strlen(parameters) + 2, sizeof *names);
    plumb_system *declared = NULL;
    int64_t count = 0;
    int result = list != NULL && names != NULL ? APP_OK : app_fail(command, "out of memory");
    if (result == APP_OK && plumb_system_parameters(*system) > 0)
        result = app_misuse(command, "--parameters: the system declares its parameters already");
    for (char *at = list; result == APP_OK && names != NULL && at != NULL;) {
        char *comma = strchr(at, ',');
        if (comma != NULL)
            *comma++ = 0;
        names[count++] = at;
        at = comma;
    }
    if (result == APP_OK) {
        const plumb_status status = plumb_system_declare(*system, names, count, &declared);
        if (status != PLUMB_OK)
            result = app_misuse(command, "--parameters: %s", plumb_last_message());
    }
    if (result == APP_OK) {
        plumb_system_destroy(*system);
        *system = declared;
    }
    free(list);
    free(names);
    return result;
}

int family_make(const char *command, const char *file, const app_texts *equations, const char *parameters,
                plumb_family **family)
{
    plumb_system *system = NULL;
    int result = app_system_get(command, file, equations, &system);
    if (result == APP_OK && parameters != NULL)
        result = declare(command, parameters, &system);
    if (result == APP_OK && plumb_family_create(system, family) != PLUMB_OK)
        result = app_misuse(command, "%s: %s", app_input_name(file), plumb_last_message());
    plumb_system_destroy(system);
    return result;
}

int family_load(const char *command, const char *path, plumb_family *family)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    int result = app_bytes_load(command, path, file_may_be_text, &bytes, &length);
    if (result == APP_OK) {
        const plumb_status status = plumb_family_read(family, (const char *)bytes, length, &error);
        if (status == PLUMB_ERR_MEMORY)
            result = app_fail(command, "%s: out of memory", path);
        else if (status != PLUMB_OK)
            result = app_misuse(NULL, "%s:%lld:%lld: %s", path, (long long)error.line, (long long)error.column,
                                error.message);
    }
    free(bytes);
    return result;
}

int family_save(const char *command, const char *path, const plumb_family *family)
{
    app_output output = {.path = NULL};
    size_t needed = 0;
    char *text = NULL;
    plumb_status status = plumb_family_write(family, NULL, 0, &needed);
    if (status == PLUMB_ERR_BUFFER) {
        text = malloc(needed);
        status = text != NULL ? plumb_family_write(family, text, needed, NULL) : PLUMB_ERR_MEMORY;
    }
    int result = status == PLUMB_OK ? app_output_open(command, &output, path)
                                    : app_fail(command, "%s", plumb_status_text(status));
    if (result == APP_OK) {
        fputs(text, output.file); /* the commit finds out whether all of it could be written */
        result = app_output_commit(command, &output);
    }
    app_output_discard(&output);
    free(text);
    return result;
}
