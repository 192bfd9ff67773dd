/* matrix.c - recognises the format and allocates the matrix. */
#include "text/matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "text/matrix/parts.h"

enum { ALIGNMENT = 64 };

static const char MARKET_BANNER[] = "%%MatrixMarket", NPY_MAGIC[] = "\x93NUMPY";

static bool begins_with(const text_cursor *c, const char *word, bool any_case)
{
    for (size_t i = 0; word[i] != 0; i++) {
        int byte = text_peek(c, i), wanted = (unsigned char)word[i];
        bool letter = wanted >= 'A' && wanted <= 'z';
        if (byte != wanted && !(any_case && letter && byte >= 0 && (byte | 0x20) == (wanted | 0x20)))
            return false;
    }
    return true;
}

/* Sets up the cursor and recognises the format; the cursor stays at the start. */
static plumb_status recognise(const void *bytes, size_t length, text_cursor *c, plumb_format *format,
                              plumb_text_error *error)
{
    static const char nothing[1];
    const char *text = bytes != NULL ? bytes : nothing;
    *c = (text_cursor){.begin = text, .at = text, .end = text + (bytes != NULL ? length : 0)};
    if (bytes == NULL && length > 0)
        return plumb_text_error_at(c, text, PLUMB_ERR_ARGUMENT, error, "%s", plumb_status_text(PLUMB_ERR_ARGUMENT));
    *format = begins_with(c, NPY_MAGIC, false) ? PLUMB_FORMAT_NPY : PLUMB_FORMAT_MTX;
    if (*format == PLUMB_FORMAT_MTX)
        *c = text_begin(text, bytes != NULL ? length : 0);
    if (*format == PLUMB_FORMAT_MTX && !begins_with(c, MARKET_BANNER, true))
        return plumb_text_expected(c, "a matrix file: %%MatrixMarket or \\x93NUMPY at its start", error);
    return PLUMB_OK;
}

bool plumb_matrix_is_known(const void *bytes, size_t length)
{
    text_cursor c;
    plumb_format format;
    return recognise(bytes, length, &c, &format, NULL) == PLUMB_OK;
}

static plumb_status query(const void *bytes, size_t length, plumb_matrix_info *info, plumb_text_error *error)
{
    text_cursor c;
    plumb_format format = PLUMB_FORMAT_MTX;
    plumb_status status = recognise(bytes, length, &c, &format, error);
    if (status != PLUMB_OK)
        return status;
    if (format == PLUMB_FORMAT_NPY) {
        npy_header header;
        status = plumb_npy_header(&c, &header, error);
        *info = header.info;
    } else {
        market_header header;
        status = plumb_market_header(&c, &header, error);
        *info = header.info;
    }
    return status;
}

plumb_status plumb_matrix_query(const void *bytes, size_t length, plumb_matrix_info *info, plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (error == NULL)
        error = &mine;
    if (info == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "info is NULL");
    return plumb_text_tell(query(bytes, length, info, error), error);
}

static plumb_status read_matrix(const void *bytes, size_t length, int32_t prec, plumb_matrix *matrix,
                                plumb_text_error *error)
{
    *matrix = (text_matrix){.memory = NULL};
    text_cursor c;
    plumb_format format = PLUMB_FORMAT_MTX;
    plumb_status status = recognise(bytes, length, &c, &format, error);
    if (status == PLUMB_OK && plumb_prec_name(prec) == NULL)
        return plumb_text_error_at(&c, c.at, PLUMB_ERR_ARGUMENT, error, "there is no precision of %d limbs", (int)prec);
    if (status == PLUMB_OK)
        status = format == PLUMB_FORMAT_NPY ? plumb_npy_read(&c, prec, matrix, error)
                                            : plumb_market_read(&c, prec, matrix, error);
    if (status != PLUMB_OK)
        plumb_matrix_destroy(matrix);
    return status;
}

plumb_status plumb_matrix_read(const void *bytes, size_t length, int32_t prec, plumb_matrix *matrix,
                               plumb_text_error *error)
{
    plumb_text_error mine = {.line = 0};
    if (error == NULL)
        error = &mine;
    if (matrix == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "matrix is NULL");
    return plumb_text_tell(read_matrix(bytes, length, prec, matrix, error), error);
}

plumb_status plumb_matrix_create(text_matrix *matrix, const text_matrix_info *info, int32_t prec, const text_cursor *c,
                                 const char *where, plumb_text_error *error)
{
    int64_t doubles = 0;
    plumb_status status =
        plumb_view_init(&matrix->view, NULL, PLUMB_HOST, prec, info->parts, info->rows, info->cols, 1, &doubles);
    int64_t bytes = doubles * (int64_t)sizeof(double); /* does not overflow if status is PLUMB_OK */
    if (status == PLUMB_OK && !size_add(bytes, ALIGNMENT, &bytes))
        status = PLUMB_ERR_SIZE;
    if (status == PLUMB_OK && plumb_memory_has(bytes))
        matrix->memory = calloc((size_t)bytes, 1);
    if (matrix->memory == NULL)
        return plumb_text_error_at(
            c, where, status == PLUMB_OK ? PLUMB_ERR_MEMORY : status, error,
            "found a matrix of %lld x %lld, expected one that fits into memory (dense, %s, %s): it "
            "needs %.3g GB, %.3g GB are available",
            (long long)info->rows, (long long)info->cols, info->parts == PLUMB_REAL ? "real" : "complex",
            plumb_prec_name(prec), (double)info->rows * (double)info->cols * prec * info->parts * 8e-9,
            (double)plumb_memory_available() * 1e-9);
    uintptr_t over = (uintptr_t)matrix->memory % ALIGNMENT;
    matrix->view.data = (double *)(void *)((char *)matrix->memory + (over > 0 ? ALIGNMENT - over : 0));
    matrix->exact = true;
    return PLUMB_OK;
}

void plumb_matrix_destroy(text_matrix *matrix)
{
    if (matrix == NULL)
        return;
    free(matrix->memory);
    *matrix = (text_matrix){.memory = NULL};
}
