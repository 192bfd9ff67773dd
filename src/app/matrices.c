/* matrices.c - see matrices.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/matrices.h"
#include "app/report.h"
#include "base/array/view.h"
#include "base/memory/memory.h"

static int check_finite(const char *path, const plumb_view *v)
{
    for (int64_t j = 0; j < v->cols; j++)
        for (int64_t i = 0; i < v->rows; i++)
            for (int32_t part = 0; part < v->parts; part++) {
                double lead = v->data[part * v->prec * v->plane + j * v->col + i];
                if (!isfinite(lead))
                    return app_misuse(NULL, "%s: row %lld, column %lld: found %s, expected a finite number",
                                      app_input_name(path), (long long)i + 1, (long long)j + 1,
                                      isnan(lead) ? "NaN" : "an infinity");
            }
    return APP_OK;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

/* A file that is called .mtx or .npy is held to that: one without its first line is damaged, not a table. */
static bool is_table(const char *path, const unsigned char *bytes, size_t length)
{
    return !(length > 0 && (bytes[0] == '%' || bytes[0] == 0x93)) && !ends_in(path, ".mtx") && !ends_in(path, ".npy");
}

/* The memory for the matrix itself, unless it is there already, and for what the command does with it. */
static int check_memory(const char *path, const plumb_view *shape, bool is_there, app_matrix_more *more,
                        const void *data)
{
    char what[128], message[256];
    snprintf(what, sizeof what, "a problem of %lld x %lld (%s, %s)", (long long)shape->rows, (long long)shape->cols,
             shape->parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(shape->prec));
    const int64_t entries = plumb_memory_add(0, shape->rows, shape->cols);
    const int64_t own = is_there ? 0 : plumb_memory_add(0, entries, (int64_t)sizeof(double) * view_planes(shape));
    if (!plumb_memory_has(own))
        return APP_OK; /* reading reports the place where the file promises that much */
    const int64_t bytes = plumb_memory_add(own, 1, more != NULL ? more(shape, data) : 0);
    if (plumb_memory_check(bytes, what, message, sizeof message) == PLUMB_OK)
        return APP_OK;
    return app_fail(NULL, "%s: %s", app_input_name(path), message);
}

/* The contents of the header, before the entries are read; a table has none. */
static int check_header(const char *path, const unsigned char *bytes, size_t length, int32_t prec,
                        app_matrix_more *more, const void *data)
{
    plumb_matrix_info info;
    if (plumb_matrix_query(bytes, length, &info, NULL) != PLUMB_OK)
        return APP_OK; /* reading will report why */
    const plumb_view shape = {.rows = info.rows, .cols = info.cols, .batch = 1, .prec = prec, .parts = info.parts};
    return check_memory(path, &shape, false, more, data);
}

int app_matrix_load(const char *command, const char *path, int32_t prec, app_matrix_more *more, const void *data,
                    text_matrix *matrix)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    *matrix = (text_matrix){.memory = NULL};
    int result = app_bytes_load(command, path, file_may_be_matrix, &bytes, &length);
    plumb_status status = PLUMB_OK;
    const bool table = result == APP_OK && is_table(path, bytes, length);
    if (result == APP_OK && !table)
        result = check_header(path, bytes, length, prec, more, data);
    if (result == APP_OK)
        status = table ? plumb_table_read(bytes, length, prec, matrix, &error)
                       : plumb_matrix_read(bytes, length, prec, matrix, &error);
    if (status != PLUMB_OK)
        result = app_misuse(NULL, "%s:%lld:%lld: %s", app_input_name(path), (long long)error.line,
                            (long long)error.column, error.message);
    free(bytes);
    if (result == APP_OK && table)
        result = check_memory(path, &matrix->view, true, more, data);
    if (result == APP_OK)
        result = check_finite(path, &matrix->view);
    if (result != APP_OK)
        plumb_matrix_destroy(matrix);
    return result;
}

int app_array_create(const char *command, plumb_context *context, int32_t prec, int32_t parts, int64_t rows,
                     int64_t cols, plumb_view *view)
{
    if (plumb_array_create(context, PLUMB_HOST, prec, parts, rows, cols, 1, view) == PLUMB_OK)
        return APP_OK;
    *view = (plumb_view){.data = NULL};
    const char *message = plumb_context_message(context);
    return app_fail(command, "a matrix of %lld x %lld does not fit into memory (%s, %s)%s%s", (long long)rows,
                    (long long)cols, parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(prec),
                    message[0] != 0 ? ": " : "", message);
}

int app_matrix_complex(const char *command, plumb_context *context, const plumb_view *view, plumb_view *made,
                       plumb_view *complex_view)
{
    *complex_view = *view;
    if (view->parts == PLUMB_COMPLEX)
        return APP_OK;
    int result = app_array_create(command, context, view->prec, PLUMB_COMPLEX, view->rows, view->cols, made);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_copy(context, view, made, NULL);
    if (status != PLUMB_OK)
        return app_context_fail(command, context, status);
    *complex_view = *made;
    return APP_OK;
}

/* A list of columns. */
static plumb_status write_json(FILE *out, const char *command, const plumb_view *view)
{
    bool good = true;
    json_writer w = app_report_begin(out, command);
    json_string(&w, "precision", plumb_prec_name(view->prec));
    json_open_array(&w, "matrix");
    for (int64_t j = 0; j < view->cols; j++)
        good &= app_report_column(&w, NULL, view, 0, j);
    json_close_array(&w);
    app_report_end(&w);
    return good ? PLUMB_OK : PLUMB_ERR_RANGE;
}

int app_output_matrix(const char *command, app_output *output, const char *path, app_format format,
                      const plumb_view *view)
{
    char message[200] = "";
    int result = app_output_open(command, output, path);
    if (result != APP_OK || path == NULL)
        return result;
    plumb_status status =
        format == PLUMB_FORMAT_NPY    ? plumb_matrix_write_npy(output->file, view, message, sizeof message)
        : format == PLUMB_FORMAT_CSV  ? plumb_table_write(output->file, view, message, sizeof message)
        : format == PLUMB_FORMAT_JSON ? write_json(output->file, command, view)
                                      : plumb_matrix_write_market(output->file, view, 0, message, sizeof message);
    if (status == PLUMB_OK)
        return APP_OK;
    app_output_discard(output);
    return app_fail(command, "%s: %s", app_is_stream(path) ? "standard output" : path,
                    message[0] != 0 ? message : plumb_status_text(status));
}
