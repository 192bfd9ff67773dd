/* file.c - matrices in files, and written into memory. */
#include "text/file.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "text/cursor.h"
#include "text/matrix/matrix.h"

static plumb_status read_file(const char *path, int32_t prec, plumb_matrix *matrix, plumb_text_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    if (!matrix)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "matrix is NULL");
    *matrix = (plumb_matrix){.memory = NULL};
    plumb_status status = plumb_file_load(path, file_may_be_matrix, &bytes, &length, error);
    const plumb_format named = plumb_format_of_path(path);
    const bool table = !plumb_matrix_is_known(bytes, length) && named != PLUMB_FORMAT_MTX && named != PLUMB_FORMAT_NPY;
    if (status == PLUMB_OK)
        status = !table ? plumb_matrix_read(bytes, length, prec, matrix, error)
                        : plumb_table_read(bytes, length, prec, matrix, error);
    free(bytes);
    return status;
}

plumb_status plumb_matrix_read_file(const char *path, int32_t prec, plumb_matrix *matrix, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (!error)
        error = &mine;
    return plumb_text_tell(read_file(path, prec, matrix, error), error);
}

typedef struct matrix_job {
    const plumb_view *view;
    plumb_format format;
    int32_t digits;
} matrix_job;

static plumb_status write_matrix(FILE *out, const void *what)
{
    const matrix_job *job = what;
    if (job->format == PLUMB_FORMAT_NPY)
        return plumb_matrix_write_npy(out, job->view, NULL, 0);
    if (job->format == PLUMB_FORMAT_CSV)
        return plumb_table_write(out, job->view, NULL, 0);
    return plumb_matrix_write_market(out, job->view, job->digits, NULL, 0);
}

static plumb_status prepare(const plumb_view *view, const char *path, plumb_format given, int32_t digits,
                            matrix_job *job)
{
    static const plumb_format possible[] = {PLUMB_FORMAT_MTX, PLUMB_FORMAT_NPY, PLUMB_FORMAT_CSV, PLUMB_FORMAT_AUTO};
    *job = (matrix_job){.view = view, .digits = digits};
    if (!view)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "view is NULL");
    plumb_status status = plumb_file_format(path, given, possible, &job->format);
    if (status == PLUMB_OK && (digits < 0 || (digits > 0 && job->format != PLUMB_FORMAT_MTX)))
        status = plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "digits: expected 0%s, found %d",
                           job->format == PLUMB_FORMAT_MTX ? " or more" : " in this format", (int)digits);
    return status;
}

plumb_status plumb_matrix_write(const plumb_view *view, plumb_format format, int32_t digits, void *buffer, size_t size,
                                size_t *needed)
{
    matrix_job job;
    plumb_call_begin();
    plumb_status status = prepare(view, NULL, format, digits, &job);
    if (status == PLUMB_OK)
        status = plumb_file_to_buffer(write_matrix, &job, 0, buffer, size, needed);
    return plumb_call_end(status);
}

plumb_status plumb_matrix_write_file(const plumb_view *view, const char *path, plumb_format format, int32_t digits)
{
    matrix_job job;
    plumb_call_begin();
    plumb_status status =
        path ? prepare(view, path, format, digits, &job) : plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "path is NULL");
    if (status == PLUMB_OK)
        status = plumb_file_save(path, write_matrix, &job);
    return plumb_call_end(status);
}
