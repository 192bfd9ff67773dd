/* mirror.c - copies of the operands of least squares in the other place. */
#include <string.h>

#include "solver/lsq/gpu.h"

plumb_view lsq_info_view(plumb_info *info, int32_t where, int64_t count)
{
    return (plumb_view){.data = (double *)(void *)info,
                        .rows = count,
                        .cols = 1,
                        .batch = 1,
                        .plane = count,
                        .col = count,
                        .next = count,
                        .prec = PLUMB_D,
                        .parts = PLUMB_REAL,
                        .where = where};
}

/* The batch and place of the operands; without a matrix those of right-hand sides. */
static const plumb_view *any_of(const lsq_operands *given)
{
    return given->a ? given->a : given->b;
}

plumb_status lsq_mirror_in(plumb_context *context, const lsq_operands *given, int32_t where, plumb_stream stream,
                           lsq_mirror *mirror)
{
    memset(mirror, 0, sizeof *mirror);
    lsq_operands *on = &mirror->on;
    const plumb_view *const like[] = {given->a, given->b, given->x, given->residual, given->q, given->r};
    plumb_view *const copy[] = {&mirror->a, &mirror->b, &mirror->x, &mirror->residual, &mirror->q, &mirror->r};
    on->a = given->a ? &mirror->a : NULL;
    on->b = given->b ? &mirror->b : NULL;
    on->x = given->x ? &mirror->x : NULL;
    on->residual = given->residual ? &mirror->residual : NULL;
    on->q = given->q ? &mirror->q : NULL;
    on->r = given->r ? &mirror->r : NULL;
    plumb_status status =
        plumb_array_create(context, where, PLUMB_D, PLUMB_REAL, any_of(given)->batch, 1, 1, &mirror->info);
    on->info = (plumb_info *)(void *)mirror->info.data;
    for (size_t k = 0; k < sizeof like / sizeof like[0] && status == PLUMB_OK; k++) {
        if (!like[k])
            continue;
        status = plumb_array_create(context, where, like[k]->prec, like[k]->parts, like[k]->rows, like[k]->cols,
                                    like[k]->batch, copy[k]);
        if (status == PLUMB_OK && k < 2)
            status = plumb_copy(context, like[k], copy[k], stream);
    }
    return status;
}

plumb_status lsq_mirror_out(plumb_context *context, const lsq_operands *given, plumb_stream stream,
                            const lsq_mirror *mirror)
{
    const plumb_view *some = any_of(given);
    plumb_view info = lsq_info_view(given->info, some->where, some->batch);
    const plumb_view *const from[] = {&mirror->info, mirror->on.x, mirror->on.residual, mirror->on.q, mirror->on.r};
    plumb_view *const to[] = {given->info ? &info : NULL, given->x, given->residual, given->q, given->r};
    plumb_status status = PLUMB_OK;
    for (size_t k = 0; k < sizeof to / sizeof to[0] && status == PLUMB_OK; k++)
        if (to[k])
            status = plumb_copy(context, from[k], to[k], stream);
    return status;
}

void lsq_mirror_destroy(plumb_context *context, lsq_mirror *mirror)
{
    plumb_view *const views[] = {&mirror->a, &mirror->b, &mirror->x,   &mirror->residual,
                                 &mirror->q, &mirror->r, &mirror->info};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(context, views[k]);
}
