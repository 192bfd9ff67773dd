/* matrices.c - see matrices.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/matrices.h"
#include "app/report.h"
#include "base/size.h"

static int check_finite(const char *path, const plumb_view *v)
{
    for (int64_t j = 0; j < v->cols; j++)
        for (int64_t i = 0; i < v->rows; i++)
            for (int32_t part = 0; part < v->parts; part++) {
                double lead = v->data[part * v->prec * v->plane + j * v->col + i];
                if (!isfinite(lead))
                    return cli_misuse(NULL, "%s: row %lld, column %lld: found %s, expected a finite number",
                                      cli_input_name(path), (long long)i + 1, (long long)j + 1,
                                      isnan(lead) ? "NaN" : "an infinity");
            }
    return CLI_OK;
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

int cli_matrix_load(const char *command, const char *path, int32_t prec, text_matrix *matrix)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    *matrix = (text_matrix){.memory = NULL};
    int result = cli_bytes_load(command, path, file_may_be_matrix, &bytes, &length);
    plumb_status status = PLUMB_OK;
    if (result == CLI_OK)
        status = is_table(path, bytes, length) ? plumb_table_read(bytes, length, prec, matrix, &error)
                                               : plumb_matrix_read(bytes, length, prec, matrix, &error);
    if (status != PLUMB_OK)
        result = cli_misuse(NULL, "%s:%lld:%lld: %s", cli_input_name(path), (long long)error.line,
                            (long long)error.column, error.message);
    free(bytes);
    if (result == CLI_OK)
        result = check_finite(path, &matrix->view);
    if (result != CLI_OK)
        plumb_matrix_destroy(matrix);
    return result;
}

/* Is there so much memory in this computer? Otherwise the system might grant the memory and kill the program when it is used. */
static bool memory_has(int64_t doubles)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages <= 0 || page <= 0 || doubles / (page / (long)sizeof(double)) < pages;
}

int cli_array_create(const char *command, plumb_context *context, int32_t prec, int32_t parts, int64_t rows,
                     int64_t cols, plumb_view *view)
{
    int64_t doubles = 0;
    plumb_status status = plumb_view_init(view, NULL, PLUMB_HOST, prec, parts, rows, cols, 1, &doubles);
    if (status == PLUMB_OK)
        status = memory_has(doubles) ? plumb_array_create(context, PLUMB_HOST, prec, parts, rows, cols, 1, view)
                                     : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        return CLI_OK;
    *view = (plumb_view){.data = NULL};
    return cli_fail(command, "a matrix of %lld x %lld does not fit into memory (%s, %s)", (long long)rows,
                    (long long)cols, parts == PLUMB_REAL ? "real" : "complex", plumb_prec_name(prec));
}

int cli_matrix_complex(const char *command, plumb_context *context, const plumb_view *view, plumb_view *made,
                       plumb_view *complex_view)
{
    *complex_view = *view;
    if (view->parts == PLUMB_COMPLEX)
        return CLI_OK;
    int result = cli_array_create(command, context, view->prec, PLUMB_COMPLEX, view->rows, view->cols, made);
    if (result != CLI_OK)
        return result;
    plumb_status status = plumb_copy(context, view, made, NULL);
    if (status != PLUMB_OK)
        return cli_context_fail(command, context, status);
    *complex_view = *made;
    return CLI_OK;
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

int cli_output_matrix(const char *command, cli_output *output, const char *path, app_format format,
                      const plumb_view *view)
{
    char message[200] = "";
    int result = cli_output_open(command, output, path);
    if (result != CLI_OK || path == NULL)
        return result;
    plumb_status status = format == FORMAT_NPY   ? plumb_matrix_write_npy(output->file, view, message, sizeof message)
                          : format == FORMAT_CSV ? plumb_table_write(output->file, view, message, sizeof message)
                          : format == FORMAT_JSON
                              ? write_json(output->file, command, view)
                              : plumb_matrix_write_market(output->file, view, 0, message, sizeof message);
    if (status == PLUMB_OK)
        return CLI_OK;
    cli_output_discard(output);
    return cli_fail(command, "%s: %s", cli_is_stream(path) ? "standard output" : path,
                    message[0] != 0 ? message : plumb_status_text(status));
}
