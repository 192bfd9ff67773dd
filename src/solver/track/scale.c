/* scale.c - see scale.h. */
#include "solver/track/scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/number/round.h"

/* ---- Steps ------------------------------------------------------------------------------------------------------------- */

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const track_scale *scale = data;
    return scale->given.progress(scale->given.data, done, failed, total);
}

static void on_step(void *data, const plumb_path_step *step)
{
    const track_scale *scale = data;
    plumb_path_step unscaled = *step;
    for (int64_t i = 0; i < step->unknowns; i++)
        for (int64_t c = 2 * i * step->prec; c < 2 * (i + 1) * step->prec; c++)
            scale->x[c] = ldexp(step->x[c], scale->exponent[i]);
    unscaled.x = scale->x;
    scale->given.step(scale->given.data, &unscaled);
}

/* ---- Points ------------------------------------------------------------------------------------------------------------ */

/* Sets to = from with unknown i multiplied by 2^(sign e_i); the two may be the same. */
static void shift(const int32_t *exponent, int sign, const plumb_view *from, const plumb_view *to)
{
    for (int64_t b = 0; b < from->batch; b++)
        for (int64_t c = 0; c < 2 * from->prec; c++)
            for (int64_t i = 0; i < from->rows; i++)
                to->data[b * to->next + c * to->plane + i] =
                    ldexp(from->data[b * from->next + c * from->plane + i], sign * exponent[i]);
}

static int64_t largest(const plumb_view *x)
{
    int64_t at = 0;
    double most = -1;
    for (int64_t i = 0; i < x->rows; i++) {
        double size = fmax(fabs(x->data[i]), fabs(x->data[x->prec * x->plane + i]));
        if (size > most) {
            most = size;
            at = i;
        }
    }
    return at;
}

/* Divides x by its largest entry, in the precision of the path. divisors has the shape of x. */
static plumb_status make_direction(plumb_context *context, plumb_view *x, const plumb_view *divisors, int32_t prec)
{
    const int64_t at = largest(x);
    for (int64_t c = 0; c < 2 * x->prec; c++)
        for (int64_t i = 0; i < x->rows; i++)
            divisors->data[c * divisors->plane + i] = x->data[c * x->plane + at];
    plumb_status status = plumb_map(context, PLUMB_OP_DIV, x, divisors, NULL, x, NULL);
    for (int64_t i = 0; i < x->rows && status == PLUMB_OK; i++)
        for (int32_t part = 0; part < 2; part++) {
            double limbs[PLUMB_QD] = {0}, rounded[PLUMB_QD] = {0}, *entry = x->data + part * x->prec * x->plane + i;
            for (int32_t c = 0; c < x->prec; c++)
                limbs[c] = entry[c * x->plane];
            plumb_round_limbs(limbs, x->prec, rounded, prec);
            for (int32_t c = 0; c < x->prec; c++)
                entry[c * x->plane] = rounded[c];
        }
    for (int64_t c = 0; c < 2 * x->prec; c++)
        x->data[c * x->plane + at] = c == 0; /* exactly, which the division gives only up to rounding */
    return status;
}

/* Unscales an end and reports it. Every such call happens under one lock (plumb.h), so the room is used by one thread. */
static void on_ended(void *data, const plumb_path_record *record, const double *x)
{
    track_scale *scale = data;
    plumb_view *end = &scale->end;
    const int64_t planes = 2 * (int64_t)end->prec;
    for (int64_t i = 0; i < end->rows; i++)
        for (int64_t c = 0; c < planes; c++)
            end->data[c * end->plane + i] = ldexp(x[i * planes + c], scale->exponent[i]);
    if (record->code == PLUMB_PATH_AT_INFINITY && scale->status == PLUMB_OK)
        scale->status = make_direction(scale->context, end, &scale->divisors, record->prec);
    for (int64_t i = 0; i < end->rows; i++)
        for (int64_t c = 0; c < planes; c++)
            scale->x[i * planes + c] = end->data[c * end->plane + i];
    scale->given.ended(scale->given.data, record, scale->x);
}

plumb_status track_scale_ends(plumb_context *context, const track_scale *scale, const plumb_view *ends,
                              const plumb_path_record *records)
{
    if (scale->exponent == NULL)
        return PLUMB_OK;
    plumb_view divisors = {.data = NULL};
    plumb_status status = scale->status;
    shift(scale->exponent, 1, ends, ends);
    for (int64_t b = 0; b < ends->batch && status == PLUMB_OK; b++) {
        if (records[b].code != PLUMB_PATH_AT_INFINITY)
            continue;
        plumb_view x = *ends;
        x.data += b * ends->next;
        x.batch = 1;
        if (divisors.data == NULL)
            status = plumb_array_create(context, PLUMB_HOST, x.prec, PLUMB_COMPLEX, x.rows, 1, 1, &divisors);
        if (status == PLUMB_OK)
            status = make_direction(context, &x, &divisors, records[b].prec);
    }
    plumb_array_destroy(context, &divisors);
    return status;
}

plumb_status track_scale_begin(plumb_context *context, const plumb_homotopy *homotopy, const plumb_view **starts,
                               const plumb_view *ends, plumb_track_options *options, track_scale *scale)
{
    *scale = (track_scale){.exponent = homotopy->exponent, .given = *options, .context = context};
    if (scale->exponent == NULL)
        return PLUMB_OK;
    const plumb_view *given = *starts;
    scale->x = malloc((size_t)given->rows * 2 * PLUMB_QD * sizeof *scale->x);
    if (scale->x == NULL)
        return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    plumb_status status = plumb_array_create(context, PLUMB_HOST, given->prec, PLUMB_COMPLEX, given->rows, 1,
                                             given->batch, &scale->starts);
    plumb_view *const rooms[] = {&scale->end, &scale->divisors};
    for (int k = 0; k < 2 && status == PLUMB_OK && scale->given.ended != NULL; k++)
        status = plumb_array_create(context, PLUMB_HOST, ends->prec, PLUMB_COMPLEX, ends->rows, 1, 1, rooms[k]);
    if (status != PLUMB_OK)
        return status;
    shift(scale->exponent, -1, given, &scale->starts);
    *starts = &scale->starts;
    options->step = scale->given.step != NULL ? on_step : NULL;
    options->progress = scale->given.progress != NULL ? on_progress : NULL;
    options->ended = scale->given.ended != NULL ? on_ended : NULL;
    options->data = scale;
    return PLUMB_OK;
}

void track_scale_end(plumb_context *context, track_scale *scale)
{
    plumb_array_destroy(context, &scale->starts);
    plumb_array_destroy(context, &scale->end);
    plumb_array_destroy(context, &scale->divisors);
    free(scale->x);
    scale->x = NULL;
}
