/* matrix_input.c - the reading half of matrix_io.h. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/matrix_io.h"
#include "base/size.h"

enum { CHUNK = 1 << 16 };

int cli_is_stream(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return cli_is_stream(path) ? "standard input" : path;
}

/* A source without an end (/dev/zero) is given up at its first byte. */
static bool may_be_matrix(const unsigned char *bytes, size_t length)
{
    return length == 0 || bytes[0] == '%' || bytes[0] == 0x93;
}

/* All of a stream. False with errno set. */
static bool read_all(FILE *in, cli_may_be *may_be, unsigned char **bytes, size_t *length)
{
    size_t room = 0;
    *bytes = NULL;
    *length = 0;
    do {
        if (*length + CHUNK > room) {
            size_t more = room < CHUNK ? CHUNK : room;
            unsigned char *larger = room + more > room ? realloc(*bytes, room + more) : NULL;
            if (larger == NULL) {
                errno = ENOMEM;
                return false;
            }
            *bytes = larger;
            room += more;
        }
        errno = 0;
        *length += fread(*bytes + *length, 1, room - *length, in);
        if (ferror(in))
            return false;
    } while (!feof(in) && may_be(*bytes, *length));
    return true;
}

int cli_bytes_load(const char *command, const char *path, cli_may_be *may_be, unsigned char **bytes, size_t *length)
{
    FILE *in = cli_is_stream(path) ? stdin : fopen(path, "rb");
    bool good = in != NULL && read_all(in, may_be, bytes, length);
    int reason = errno;
    if (in != NULL && in != stdin)
        fclose(in);
    if (good)
        return CLI_OK;
    if (reason == ENOMEM)
        return cli_fail(command, "%s: out of memory", cli_input_name(path));
    return cli_misuse(command, "%s could not be read%s%s", cli_input_name(path), reason != 0 ? ": " : "",
                      reason != 0 ? strerror(reason) : "");
}

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

int cli_matrix_load(const char *command, const char *path, int32_t prec, text_matrix *matrix)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    *matrix = (text_matrix){.memory = NULL};
    int result = cli_bytes_load(command, path, may_be_matrix, &bytes, &length);
    if (result == CLI_OK && plumb_matrix_read(bytes, length, prec, matrix, &error) != PLUMB_OK)
        result = cli_misuse(NULL, "%s:%lld:%lld: %s", cli_input_name(path), (long long)error.line,
                            (long long)error.column, error.message);
    free(bytes);
    if (result == CLI_OK)
        result = check_finite(path, &matrix->view);
    if (result != CLI_OK)
        plumb_matrix_destroy(matrix);
    return result;
}

/* To be promised more memory than there is, and be ended when it is used, helps nobody. */
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
