/* file.c - solutions in files, and written into memory. */
#include "text/file.h"

#include <stdlib.h>

#include "base/call/message.h"
#include "text/solutions/text.h"

static plumb_status read_file(const char *path, int32_t prec, plumb_solutions **solutions, plumb_text_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    if (!solutions)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "solutions is NULL");
    *solutions = NULL;
    plumb_status status = plumb_file_load(path, file_may_be_text, &bytes, &length, error);
    if (status == PLUMB_OK)
        status = plumb_solutions_read(bytes, length, prec, solutions, error);
    free(bytes);
    return status;
}

plumb_status plumb_solutions_read_file(const char *path, int32_t prec, plumb_solutions **solutions,
                                       plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (!error)
        error = &mine;
    return plumb_text_tell(read_file(path, prec, solutions, error), error);
}

static plumb_status read_points_file(const char *path, plumb_points **points, plumb_text_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    if (!points)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "points is NULL");
    *points = NULL;
    plumb_status status = plumb_file_load(path, file_may_be_text, &bytes, &length, error);
    if (status == PLUMB_OK)
        status = plumb_points_read(bytes, length, points, error);
    free(bytes);
    return status;
}

plumb_status plumb_points_read_file(const char *path, plumb_points **points, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    error = error ? error : &mine;
    return plumb_text_tell(read_points_file(path, points, error), error);
}

static plumb_status write_phc(FILE *out, const void *what)
{
    return plumb_solutions_write_phc(out, what);
}

static plumb_status write_json(FILE *out, const void *what)
{
    return plumb_solutions_write_json(out, what);
}

static plumb_status prepare(const plumb_solutions *solutions, const char *path, plumb_format given, file_writer *writer)
{
    static const plumb_format possible[] = {PLUMB_FORMAT_PHC, PLUMB_FORMAT_JSON, PLUMB_FORMAT_AUTO};
    plumb_format format;
    if (!solutions)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "solutions is NULL");
    for (int64_t i = 0; i < solutions->unknowns; i++)
        if (!solutions->names[i])
            return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "solutions: unknown %lld has no name", (long long)i + 1);
    plumb_status status = plumb_file_format(path, given, possible, &format);
    *writer = format == PLUMB_FORMAT_JSON ? write_json : write_phc;
    return status;
}

plumb_status plumb_solutions_write(const plumb_solutions *solutions, plumb_format format, char *buffer, size_t size,
                                   size_t *needed)
{
    file_writer writer;
    plumb_call_begin();
    plumb_status status = prepare(solutions, NULL, format, &writer);
    if (status == PLUMB_OK)
        status = plumb_file_to_buffer(writer, solutions, 1, buffer, size, needed);
    return plumb_call_end(status);
}

plumb_status plumb_solutions_write_file(const plumb_solutions *solutions, const char *path, plumb_format format)
{
    file_writer writer;
    plumb_call_begin();
    plumb_status status =
        path ? prepare(solutions, path, format, &writer) : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "path is NULL");
    if (status == PLUMB_OK)
        status = plumb_file_save(path, writer, solutions);
    return plumb_call_end(status);
}
