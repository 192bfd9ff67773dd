/* view.c - see view.h. */
#include "base/array/view.h"

#include <stdint.h>

#include "base/call/message.h"
#include "base/memory/size.h"

static bool prec_known(int32_t prec)
{
    return prec == PLUMB_D || prec == PLUMB_DD || prec == PLUMB_QD;
}

static plumb_status kind_check(int32_t where, int32_t prec, int32_t parts, const char *name, char *message, size_t size)
{
    if (!prec_known(prec))
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: precision %d is none of d (1), dd (2), qd (4)", name,
                         (int)prec);
    if (parts != PLUMB_REAL && parts != PLUMB_COMPLEX)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: parts %d is neither real (1) nor complex (2)", name,
                         (int)parts);
    if (where != PLUMB_HOST && where != PLUMB_DEVICE)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: where %d is neither host (0) nor device (1)", name,
                         (int)where);
    return PLUMB_OK;
}

/* The dimensions of a view with more than one entry, ordered from the shortest stride to the longest. */
typedef struct dimension {
    const char *name;
    int64_t count, stride;
} dimension;

static int dimensions_sorted(const plumb_view *view, dimension sorted[3])
{
    const dimension all[3] = {
        {"col", view->cols, view->col}, {"plane", view_planes(view), view->plane}, {"next", view->batch, view->next}};
    int used = 0;
    for (int i = 0; i < 3; i++) {
        if (all[i].count <= 1)
            continue;
        int at = used++;
        for (; at > 0 && sorted[at - 1].stride > all[i].stride; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = all[i];
    }
    return used;
}

plumb_status plumb_view_check(const plumb_view *view, const char *name, char *message, size_t size)
{
    if (!view)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: the view is NULL", name);
    plumb_status status = kind_check(view->where, view->prec, view->parts, name, message, size);
    if (status != PLUMB_OK)
        return status;
    if (view->reserved != 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: reserved must be 0", name);
    if (view->rows < 0 || view->cols < 0 || view->batch < 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: negative shape %lld x %lld, batch %lld", name,
                         (long long)view->rows, (long long)view->cols, (long long)view->batch);
    if (view_is_empty(view))
        return PLUMB_OK;
    if (!view->data)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: data is NULL", name);
    if ((uintptr_t)view->data % sizeof(double) != 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: data is not aligned to a double", name);

    dimension sorted[3];
    int used = dimensions_sorted(view, sorted);
    int64_t extent = view->rows; /* doubles spanned by the dimensions so far */
    for (int i = 0; i < used; i++) {
        if (sorted[i].stride < extent)
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "%s: stride %s is %lld, entries need at least %lld",
                             name, sorted[i].name, (long long)sorted[i].stride, (long long)extent);
        int64_t reach;
        if (!size_mul(sorted[i].count - 1, sorted[i].stride, &reach) || !size_add(reach, extent, &extent))
            return plumb_say(PLUMB_ERR_SIZE, message, size, "%s: the view spans more doubles than can be counted",
                             name);
    }
    if (extent > (int64_t)(PTRDIFF_MAX / sizeof(double)))
        return plumb_say(PLUMB_ERR_SIZE, message, size, "%s: the view spans more memory than can be addressed", name);
    return PLUMB_OK;
}

int64_t plumb_view_span(const plumb_view *view)
{
    if (view_is_empty(view))
        return 0;
    return (view->cols - 1) * view->col + (view_planes(view) - 1) * view->plane + (view->batch - 1) * view->next +
           view->rows;
}

bool plumb_view_same(const plumb_view *a, const plumb_view *b)
{
    return a->data == b->data && a->where == b->where && a->prec == b->prec && a->parts == b->parts &&
           a->rows == b->rows && a->cols == b->cols && a->batch == b->batch && (a->cols <= 1 || a->col == b->col) &&
           (view_planes(a) <= 1 || a->plane == b->plane) && (a->batch <= 1 || a->next == b->next);
}

plumb_status plumb_view_init(plumb_view *view, double *data, int32_t where, int32_t prec, int32_t parts, int64_t rows,
                             int64_t cols, int64_t batch, int64_t *doubles)
{
    if (!view)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "view is NULL");
    if (rows < 0 || cols < 0 || batch < 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "view: negative shape %lld x %lld, batch %lld", (long long)rows,
                         (long long)cols, (long long)batch);
    plumb_status status = kind_check(where, prec, parts, "view", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    int64_t plane, next, total;
    if (!size_mul(rows, cols, &plane) || !size_mul((int64_t)prec * parts, plane, &next) ||
        !size_mul(next, batch, &total) || total > (int64_t)(PTRDIFF_MAX / sizeof(double)))
        return plumb_say(PLUMB_ERR_SIZE, NULL, 0, "a view of %lld x %lld, batch %lld, is too large to be addressed",
                         (long long)rows, (long long)cols, (long long)batch);
    *view = (plumb_view){.data = data,
                         .rows = rows,
                         .cols = cols,
                         .batch = batch,
                         .plane = plane,
                         .col = rows,
                         .next = next,
                         .prec = prec,
                         .parts = parts,
                         .where = where};
    if (doubles)
        *doubles = total;
    return PLUMB_OK;
}
