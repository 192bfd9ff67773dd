/* reruns.c - see track.h. Which endpoints are the same is found by sorting: every endpoint is projected to a number by the same
 * random linear form, and only those with neighbouring numbers are compared. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/message.h"
#include "base/random.h"
#include "solver/track/track.h"

/* An endpoint in double. */
typedef struct endpoint {
    double key, size, error;
    int64_t entry;
} endpoint;

typedef struct rerun_state {
    const plumb_track_options *options;
    int64_t total, before, failed; /* paths of the call; of them not tracked this time, and failed among those */
} rerun_state;

static int on_progress(void *data, int64_t done, int64_t failed)
{
    const rerun_state *state = data;
    return state->options->progress(state->options->data, state->before + done, state->failed + failed, state->total);
}

static void on_step(void *data, const plumb_path_step *step)
{
    const rerun_state *state = data;
    state->options->step(state->options->data, step);
}

static int by_key(const void *a, const void *b)
{
    const endpoint *p = a, *q = b;
    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->entry < q->entry ? -1 : 1;
}

static endpoint endpoint_of(const track_call *call, int64_t entry)
{
    const plumb_view *ends = call->ends;
    endpoint e = {.entry = entry, .error = call->records[entry].error};
    plumb_random random = plumb_random_start(7);
    for (int64_t i = 0; i < ends->rows; i++) {
        const double *x = ends->data + entry * ends->next + i;
        double re = x[0], im = x[ends->prec * ends->plane];
        e.key += (plumb_random_unit(&random) - 0.5) * re + (plumb_random_unit(&random) - 0.5) * im;
        e.size = fmax(e.size, fmax(fabs(re), fabs(im)));
    }
    return e;
}

/* How far apart two estimates of one point may be. Estimates of errors are no bounds, and a tenth of a millionth is far less than
 * what paths that jumped are off by. */
static double slack(const endpoint *a, const endpoint *b)
{
    double size = fmax(a->size, b->size), errors = 1e3 * (a->error + b->error);
    return (errors < 1e-7 ? fmax(errors, 1e-10) : 1e-7) * size;
}

static int same(const track_call *call, const endpoint *a, const endpoint *b)
{
    const plumb_view *ends = call->ends;
    const double *x = ends->data + a->entry * ends->next, *y = ends->data + b->entry * ends->next;
    double apart = 0.0;
    for (int64_t i = 0; i < ends->rows; i++)
        for (int32_t part = 0; part < 2; part++) {
            double difference = 0.0;
            for (int32_t c = 0; c < ends->prec; c++) {
                int64_t at = (part * ends->prec + c) * ends->plane + i;
                difference += x[at] - y[at];
            }
            apart = fmax(apart, fabs(difference));
        }
    return apart <= slack(a, b);
}

/* Entries of paths that share their regular endpoint with another, ascending; their number. list has room for all. */
static int64_t find_shared(const track_call *call, int64_t total, endpoint *points, int64_t *list)
{
    int64_t count = 0, found = 0;
    if (!points || !list)
        return 0;
    for (int64_t k = 0; k < total; k++) {
        list[k] = 0;
        if (call->records[k].code == PLUMB_PATH_SUCCESS)
            points[count++] = endpoint_of(call, k);
    }
    qsort(points, (size_t)count, sizeof *points, by_key);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = i + 1; j < count; j++) {
            if (points[j].key - points[i].key > (double)call->ends->rows * slack(&points[i], &points[j]))
                break;
            if (same(call, &points[i], &points[j]))
                list[points[i].entry] = list[points[j].entry] = 1;
        }
    for (int64_t k = 0; k < total; k++)
        if (list[k])
            list[found++] = k;
    return found;
}

static plumb_status track_once(plumb_context *context, machine *m, track_call *call, const plumb_track_options *options)
{
    plumb_status status = m->ops->track(m, call, options->stream);
    context->track_to_device += call->to_device;
    context->track_to_host += call->to_host;
    context->track_steps += call->steps;
    return status;
}

plumb_status track_with_reruns(plumb_context *context, machine *m, track_call *call, track_settings *settings,
                               const plumb_track_options *options)
{
    const int64_t total = call->count;
    rerun_state state = {.options = options, .total = total};
    call->progress = options->progress ? on_progress : NULL;
    call->step = options->step ? on_step : NULL;
    call->data = &state;
    plumb_status status = track_once(context, m, call, options);
    if (status != PLUMB_OK || options->reruns == 0 || call->stopped || total < 2)
        return status;
    endpoint *points = calloc((size_t)total, sizeof *points);
    int64_t *list = calloc((size_t)total, sizeof *list);
    if (!points || !list)
        status = plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    for (int32_t k = 0; status == PLUMB_OK && k < options->reruns && !call->stopped; k++) {
        int64_t found = find_shared(call, total, points, list);
        if (found == 0)
            break;
        settings->turn *= 0.5;
        settings->shorten *= 0.5;
        settings->rerun++;
        call->count = found;
        call->entries = list;
        state.before = total - found;
        state.failed = 0;
        for (int64_t i = 0; i < total;
             i++) /* those with a shared endpoint have arrived, so none of them is among these */
            state.failed += call->records[i].code > PLUMB_PATH_SINGULAR;
        status = track_once(context, m, call, options);
    }
    free(points);
    free(list);
    return status;
}
