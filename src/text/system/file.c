/* file.c - systems in files. */
#include "text/file.h"

#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "text/cursor.h"

static plumb_status read_file(const char *path, plumb_system **system, plumb_text_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    if (!system)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "system is NULL");
    *system = NULL;
    plumb_status status = plumb_file_load(path, file_may_be_text, &bytes, &length, error);
    if (status == PLUMB_OK)
        status = plumb_system_parse(bytes, length, system, error);
    free(bytes);
    return status;
}

plumb_status plumb_system_read_file(const char *path, plumb_system **system, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (!error)
        error = &mine;
    return plumb_text_tell(read_file(path, system, error), error);
}

static plumb_status write_text(FILE *out, const void *what)
{
    const char *text = what;
    const size_t length = strlen(text);
    return fwrite(text, 1, length, out) == length && fflush(out) == 0 ? PLUMB_OK : PLUMB_ERR_IO;
}

static plumb_status write_file(const plumb_system *system, const char *path, plumb_format given)
{
    static const plumb_format possible[] = {PLUMB_FORMAT_PHC, PLUMB_FORMAT_TXT, PLUMB_FORMAT_AUTO};
    plumb_format format;
    size_t needed = 0;
    if (!system || !path)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", system ? "path" : "system");
    plumb_status status = plumb_file_format(path, given, possible, &format);
    if (status != PLUMB_OK)
        return status;
    status = plumb_system_write(system, format, NULL, 0, &needed);
    if (status != PLUMB_ERR_BUFFER)
        return status;
    char *text = malloc(needed);
    status = text ? plumb_system_write(system, format, text, needed, NULL) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_file_save(path, write_text, text);
    free(text);
    return status;
}

plumb_status plumb_system_write_file(const plumb_system *system, const char *path, plumb_format format)
{
    plumb_call_begin();
    return plumb_call_end(write_file(system, path, format));
}
