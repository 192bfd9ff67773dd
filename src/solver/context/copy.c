/* copy.c - dst = src: to and from a GPU, and on the host from one precision to another. */
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/number/round.h"
#include "solver/context/context.h"

/* Converts one part (real or imaginary) of one column. In a higher precision the new limbs are zero; in a lower one
 * the value is rounded. */
static void convert_column(const double *src, int64_t src_plane, int src_limbs, double *dst, int64_t dst_plane,
                           int dst_limbs, int64_t rows)
{
    if (src_limbs <= dst_limbs) {
        for (int c = 0; c < dst_limbs; c++) {
            double *plane = dst + c * dst_plane;
            if (c < src_limbs)
                memcpy(plane, src + c * src_plane, (size_t)rows * sizeof(double));
            else
                memset(plane, 0, (size_t)rows * sizeof(double));
        }
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        double from[PLUMB_QD], to[PLUMB_QD];
        for (int c = 0; c < src_limbs; c++)
            from[c] = src[c * src_plane + i];
        plumb_round_limbs(from, src_limbs, to, dst_limbs);
        for (int c = 0; c < dst_limbs; c++)
            dst[c * dst_plane + i] = to[c];
    }
}

static void convert(const plumb_view *src, const plumb_view *dst)
{
    for (int64_t b = 0; b < dst->batch; b++)
        for (int64_t j = 0; j < dst->cols; j++) {
            const double *from = src->data + b * src->next + j * src->col;
            double *to = dst->data + b * dst->next + j * dst->col;
            for (int part = 0; part < dst->parts; part++, to += dst->prec * dst->plane)
                if (part < src->parts) {
                    convert_column(from, src->plane, src->prec, to, dst->plane, dst->prec, dst->rows);
                    from += src->prec * src->plane;
                } else {
                    for (int c = 0; c < dst->prec; c++)
                        memset(to + c * dst->plane, 0, (size_t)dst->rows * sizeof(double));
                }
        }
}

static plumb_status check(const plumb_view *src, const plumb_view *dst, char *message, size_t size)
{
    plumb_status status = plumb_view_check(src, "src", message, size);
    if (status == PLUMB_OK)
        status = plumb_view_check(dst, "dst", message, size);
    if (status != PLUMB_OK)
        return status;
    if (src->rows != dst->rows || src->cols != dst->cols || src->batch != dst->batch)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "dst: shape %lld x %lld, batch %lld, but src is %lld x %lld, %lld", (long long)dst->rows,
                         (long long)dst->cols, (long long)dst->batch, (long long)src->rows, (long long)src->cols,
                         (long long)src->batch);
    if (src->parts > dst->parts)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "dst: it is real and src is complex");
    if ((src->where == PLUMB_DEVICE || dst->where == PLUMB_DEVICE) &&
        (src->prec != dst->prec || src->parts != dst->parts))
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "dst: precision and parts must be those of src when one of the two is on the device");
    if (!plumb_view_same(src, dst) && plumb_view_overlap(src, dst))
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "dst: it overlaps src");
    return PLUMB_OK;
}

plumb_status plumb_copy(plumb_context *context, const plumb_view *src, plumb_view *dst, plumb_stream stream)
{
    if (!context)
        return plumb_no_context();
    plumb_status status = check(src, dst, context->message, sizeof context->message);
    if (status != PLUMB_OK || view_is_empty(src) || plumb_view_same(src, dst))
        return status;
    if (src->prec != dst->prec || src->parts != dst->parts) {
        convert(src, dst);
        return PLUMB_OK;
    }
    machine *m;
    status = plumb_context_machine(context, src->where == PLUMB_DEVICE ? PLUMB_DEVICE : dst->where, &m);
    return status == PLUMB_OK ? m->ops->copy(m, src, dst, stream) : status;
}
