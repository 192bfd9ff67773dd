/* reruns.c - see track.h. */
#include <stdlib.h>

#include "base/message.h"
#include "solver/track/ends.h"
#include "solver/track/track.h"

typedef struct rerun_state {
    const plumb_track_options *options;
    const track_call *call;
    double *x;                     /* an endpoint, for the callback */
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

static void on_ended(void *data, int64_t entry)
{
    const rerun_state *state = data;
    const plumb_view *ends = state->call->ends;
    for (int64_t i = 0; i < ends->rows; i++)
        for (int64_t c = 0; c < 2 * ends->prec; c++)
            state->x[2 * i * ends->prec + c] = ends->data[entry * ends->next + c * ends->plane + i];
    state->options->ended(state->options->data, &state->call->records[entry], state->x);
}

/* What is known of the endpoints of a call. */
typedef struct rerun_ends {
    track_end *end;
    int32_t *all, *regular;
    int64_t *list; /* entries to track again, ascending */
} rerun_ends;

/* Counts the paths of each endpoint; false without memory. */
static bool compare_ends(const track_call *call, int64_t total, const rerun_ends *e)
{
    const plumb_view *x = call->ends;
    for (int64_t k = 0; k < total; k++)
        e->end[k] = track_end_of(&call->records[k], x->data + k * x->next, x->rows, 1, x->prec * x->plane, NULL);
    return track_same_ends(e->end, sizeof *e->end, total, e->all, e->regular);
}

/* Lists the paths that share a regular endpoint with another; their number. */
static int64_t find_shared(int64_t total, const rerun_ends *e)
{
    int64_t found = 0;
    for (int64_t k = 0; k < total; k++)
        if (e->regular[k] > 1)
            e->list[found++] = k;
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

static plumb_status track_again(plumb_context *context, machine *m, track_call *call, track_settings *settings,
                                const plumb_track_options *options, rerun_state *state, const rerun_ends *e)
{
    plumb_status status = PLUMB_OK;
    for (int32_t k = 0; status == PLUMB_OK; k++) {
        if (!compare_ends(call, state->total, e))
            return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
        const int64_t found = k < options->reruns && !call->stopped ? find_shared(state->total, e) : 0;
        if (found == 0)
            break;
        settings->turn *= 0.5;
        settings->shorten *= 0.5;
        settings->rerun++;
        call->count = found;
        call->entries = e->list;
        state->before = state->total - found;
        state->failed = 0; /* those with a shared endpoint have arrived, so none of them is among these */
        for (int64_t i = 0; i < state->total; i++)
            state->failed += track_code_failed(call->records[i].code);
        status = track_once(context, m, call, options);
    }
    for (int64_t k = 0; status == PLUMB_OK && k < state->total; k++)
        call->records[k].multiplicity = e->all[k];
    return status;
}

plumb_status track_with_reruns(plumb_context *context, machine *m, track_call *call, track_settings *settings,
                               const plumb_track_options *options)
{
    const int64_t total = call->count;
    rerun_state state = {.options = options, .call = call, .total = total};
    call->progress = options->progress ? on_progress : NULL;
    call->step = options->step ? on_step : NULL;
    call->ended = options->ended ? on_ended : NULL;
    call->data = &state;
    if (options->ended && total > 0) {
        state.x = malloc((size_t)(call->ends->rows * 2 * call->ends->prec) * sizeof *state.x);
        if (!state.x)
            return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    }
    plumb_status status = track_once(context, m, call, options);
    if (status != PLUMB_OK || total == 0) {
        free(state.x);
        return status;
    }
    const rerun_ends ends = {.end = calloc((size_t)total, sizeof *ends.end),
                             .all = calloc((size_t)total, sizeof *ends.all),
                             .regular = calloc((size_t)total, sizeof *ends.regular),
                             .list = calloc((size_t)total, sizeof *ends.list)};
    if (ends.end && ends.all && ends.regular && ends.list)
        status = track_again(context, m, call, settings, options, &state, &ends);
    else
        status = plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    free(ends.end);
    free(ends.all);
    free(ends.regular);
    free(ends.list);
    free(state.x);
    return status;
}
