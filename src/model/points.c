/* points.c - see points.h. */
#include "model/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "model/name.h"

void plumb_points_destroy(plumb_points *points)
{
    if (!points)
        return;
    for (int64_t i = 0; points->names && i < points->unknowns; i++)
        free(points->names[i]);
    for (int64_t k = 0; points->x && k < 2 * points->count * points->unknowns; k++)
        mpq_clear(points->x[k]);
    free(points->names);
    free(points->x);
    free(points);
}

plumb_status plumb_points_make(int64_t count, int64_t unknowns, plumb_points **points)
{
    int64_t numbers, bytes;
    *points = NULL;
    if (!size_mul(count, unknowns, &numbers) || !size_mul(numbers, 2 * (int64_t)sizeof(mpq_t), &bytes))
        return PLUMB_ERR_SIZE;
    plumb_status status =
        plumb_memory_check(plumb_memory_add(0, 2 * numbers, (int64_t)sizeof(mpq_t)), "a list of exact points", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    plumb_points *p = calloc(1, sizeof *p);
    mpq_t *x = calloc(2 * (size_t)numbers + 1, sizeof *x);
    if (!p || !x) {
        free(p);
        free(x);
        return PLUMB_ERR_MEMORY;
    }
    for (int64_t k = 0; k < 2 * numbers; k++)
        mpq_init(x[k]);
    *p = (plumb_points){.count = count, .unknowns = unknowns, .x = x};
    *points = p;
    return PLUMB_OK;
}

plumb_status plumb_points_name(plumb_points *points, const char *const *names)
{
    points->names = calloc((size_t)points->unknowns + 1, sizeof *points->names);
    for (int64_t i = 0; points->names && i < points->unknowns; i++) {
        points->names[i] = strdup(names[i]);
        if (!points->names[i])
            return PLUMB_ERR_MEMORY;
    }
    return points->names ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static plumb_status take(plumb_points *points, const plumb_view *x)
{
    mpq_t limb;
    mpq_init(limb);
    for (int64_t k = 0; k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int32_t c = 0; c < x->parts * x->prec; c++) {
                const double value = x->data[k * x->next + c * x->plane + i];
                mpq_ptr to = point_value(points, k, i)[c / x->prec];
                if (!isfinite(value)) {
                    mpq_clear(limb);
                    return plumb_say(PLUMB_ERR_NONFINITE, NULL, 0, "point %lld has a number that is not finite",
                                     (long long)k + 1);
                }
                mpq_set_d(limb, value);
                mpq_add(to, to, limb);
            }
    mpq_clear(limb);
    return PLUMB_OK;
}

plumb_status plumb_points_create(const plumb_view *x, const char *const *names, plumb_points **points)
{
    plumb_call_begin();
    if (!points)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "points is NULL");
    *points = NULL;
    if (!x)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "x is NULL");
    plumb_status status = plumb_view_check(x, "x", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (x->cols != 1 || x->where != PLUMB_HOST)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "x: expected points of one column on the host");
    for (int64_t i = 0; names && i < x->rows; i++)
        if (!name_is_usable(names[i]))
            return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0,
                             "names[%lld]: expected a name without white space, ':' and '='", (long long)i);
    plumb_points *made = NULL;
    status = plumb_points_make(x->batch, x->rows, &made);
    if (status == PLUMB_OK)
        status = take(made, x);
    if (status == PLUMB_OK && names)
        status = plumb_points_name(made, names);
    if (status == PLUMB_OK)
        *points = made;
    else
        plumb_points_destroy(made);
    return plumb_call_end(status);
}

int64_t plumb_points_count(const plumb_points *points)
{
    return points ? points->count : 0;
}

int64_t plumb_points_unknowns(const plumb_points *points)
{
    return points ? points->unknowns : 0;
}
