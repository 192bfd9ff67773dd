/* npy_write.c - writes a matrix as npy, version 1.0, little endian, in Fortran order (column by column, as in
 * memory). d is written as float64 or complex128; dd and qd have their limbs along the last axis. */
#include <string.h>

#include "text/matrix/parts.h"

enum { HEAD = 10, ALIGNMENT = 64 }; /* the data begin at a multiple of ALIGNMENT, as in files of numpy */

static void put_head(matrix_sink *sink, const plumb_view *view)
{
    char axes[16] = "", text[256];
    if (view->prec != PLUMB_D)
        snprintf(axes, sizeof axes, "%s, %d", view->parts == PLUMB_COMPLEX ? ", 2" : "", (int)view->prec);
    int length = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': True, 'shape': (%lld, %lld%s), }",
                          view->prec == PLUMB_D && view->parts == PLUMB_COMPLEX ? "<c16" : "<f8", (long long)view->rows,
                          (long long)view->cols, axes);
    size_t used = (size_t)length, padded = (HEAD + used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - HEAD;
    memset(text + used, ' ', padded - used);
    text[padded - 1] = '\n';
    const unsigned char head[HEAD] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)padded, 0};
    plumb_sink_put(sink, head, sizeof head);
    plumb_sink_put(sink, text, padded);
}

static void put_double(matrix_sink *sink, double x)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    plumb_sink_put(sink, bytes, sizeof bytes);
}

/* Writes count doubles per entry, step apart: the two parts of a complex128, or one limb. */
static void put_plane(matrix_sink *sink, const plumb_view *view, const double *data, int count, int64_t step)
{
    for (int64_t col = 0; col < view->cols && sink->failed == 0; col++)
        for (int64_t row = 0; row < view->rows; row++)
            for (int k = 0; k < count; k++)
                put_double(sink, data[col * view->col + row + k * step]);
}

plumb_status plumb_matrix_write_npy(FILE *out, const plumb_view *view, char *message, size_t size)
{
    plumb_status status = plumb_sink_check(out, view, message, size);
    if (status != PLUMB_OK)
        return status;
    matrix_sink sink = {.out = out};
    put_head(&sink, view);
    if (view->prec == PLUMB_D)
        put_plane(&sink, view, view->data, view->parts, view->plane);
    else
        for (int32_t limb = 0; limb < view->prec; limb++)
            for (int32_t part = 0; part < view->parts; part++)
                put_plane(&sink, view, view->data + (part * view->prec + limb) * view->plane, 1, 0);
    return plumb_sink_finish(&sink, message, size);
}
