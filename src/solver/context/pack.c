/* pack.c - conversion between planes and the interleaved form, in which the limbs of an entry are adjacent and
 * entries follow column by column. */
#include "base/array/view.h"
#include "base/call/message.h"

static plumb_status check(const plumb_view *view, const double *interleaved)
{
    plumb_status status = plumb_view_check(view, "view", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (view->where != PLUMB_HOST)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "the view must be on the host");
    if (!interleaved && !view_is_empty(view))
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "interleaved is NULL");
    return PLUMB_OK;
}

plumb_status plumb_pack(const double *interleaved, plumb_view *dst)
{
    plumb_status status = check(dst, interleaved);
    if (status != PLUMB_OK)
        return status;
    int64_t planes = view_planes(dst);
    const double *from = interleaved;
    for (int64_t b = 0; b < dst->batch; b++)
        for (int64_t j = 0; j < dst->cols; j++) {
            double *column = dst->data + b * dst->next + j * dst->col;
            for (int64_t i = 0; i < dst->rows; i++)
                for (int64_t c = 0; c < planes; c++)
                    column[c * dst->plane + i] = *from++;
        }
    return PLUMB_OK;
}

plumb_status plumb_unpack(const plumb_view *src, double *interleaved)
{
    plumb_status status = check(src, interleaved);
    if (status != PLUMB_OK)
        return status;
    int64_t planes = view_planes(src);
    double *to = interleaved;
    for (int64_t b = 0; b < src->batch; b++)
        for (int64_t j = 0; j < src->cols; j++) {
            const double *column = src->data + b * src->next + j * src->col;
            for (int64_t i = 0; i < src->rows; i++)
                for (int64_t c = 0; c < planes; c++)
                    *to++ = column[c * src->plane + i];
        }
    return PLUMB_OK;
}
