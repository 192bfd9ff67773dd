/* reruns.c - see track.h. */
#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/os/team.h"
#include "solver/track/check.h"
#include "solver/track/judge.h"
#include "solver/track/rounds.h"
#include "solver/track/track.h"

/* Endpoints that are checked together if all of them are known at once; this many are shared among threads. */
enum { TOGETHER = 256 };

typedef struct rerun_state {
    plumb_context *context;
    const plumb_track_options *options;
    const track_call *call;
    const plumb_homotopy *homotopy;
    track_check check;
    int64_t *left;                 /* entries that a GPU has left to the processor */
    double *x;                     /* an endpoint, for the callback */
    int64_t total, before, failed; /* paths of the call; of them not tracked this time, and failed among those */
    int64_t together;              /* endpoints that may be known at once */
    plumb_status status;           /* of checks made by callbacks */
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

static void tell_end(const rerun_state *state, int64_t entry)
{
    const plumb_view *ends = state->call->ends;
    if (!state->options->ended)
        return;
    for (int64_t i = 0; i < ends->rows; i++)
        for (int64_t c = 0; c < 2 * ends->prec; c++)
            state->x[2 * i * ends->prec + c] = ends->data[entry * ends->next + c * ends->plane + i];
    state->options->ended(state->options->data, &state->call->records[entry], state->x);
}

/* Makes room for checks. If the paths are not tracked by the processor, that is done while it has to wait anyway. */
static void on_begun(void *data)
{
    rerun_state *state = data;
    if (!state->check.context && state->status == PLUMB_OK)
        state->status =
            track_check_begin(state->context, state->homotopy, state->call->moving, state->together, &state->check);
}

/* An endpoint with an unknown above the largest size that the caller asks for is beyond it. Sizes are those of the given
 * unknowns. */
static void judge_size(const rerun_state *state, int64_t entry)
{
    const plumb_view *ends = state->call->ends;
    const int32_t *exponent = state->homotopy->exponent;
    plumb_path_record *record = &state->call->records[entry];
    if (!track_code_arrived(record->code))
        return;
    for (int64_t i = 0; i < ends->rows; i++) {
        const double *x = ends->data + entry * ends->next + i;
        if (ldexp(plumb_modulus(x[0], x[ends->prec * ends->plane]), exponent ? exponent[i] : 0) >
            state->options->largest)
            record->code = PLUMB_PATH_BEYOND;
    }
}

/* Checks endpoints and reports them, unless the check could not be made: what is reported is kept for good. One thread at a time is here. On a
 * GPU ends come together, and are checked in batches. */
static void on_ended(void *data, const int64_t *entries, int64_t count)
{
    rerun_state *state = data;
    const track_call *call = state->call;
    on_begun(state);
    if (state->status == PLUMB_OK)
        state->status = track_check_ends(&state->check, call->ends, entries, count, call->records);
    for (int64_t k = 0; k < count && state->status == PLUMB_OK; k++) {
        judge_size(state, entries[k]);
        tell_end(state, entries[k]);
    }
}

/* Lets the processor track the paths that a GPU has left, from their starts. The list is in the order in which they ended, which
 * no result depends on. */
static plumb_status track_left(plumb_context *context, const track_call *call, rerun_state *state, int32_t *stopped)
{
    machine *m = NULL;
    track_call again = *call;
    const int64_t before = state->before;
    for (int64_t k = 0; call->stopped && k < call->left_count; k++)
        call->records[call->left[k]].code = PLUMB_PATH_STOPPED;
    plumb_status status = call->stopped ? PLUMB_OK : plumb_context_machine(context, PLUMB_HOST, &m);
    if (status != PLUMB_OK || !m)
        return status;
    again.count = call->left_count;
    again.entries = call->left;
    again.left = NULL;
    state->before += call->count - again.count;
    status = m->ops->track(m, &again, NULL);
    state->before = before;
    state->options->report->steps += again.steps;
    *stopped = again.stopped;
    return status;
}

/* Checks all endpoints of the processor after the last path has ended, shared among threads, if nobody waits for them: one at a time,
 * while other threads track paths, takes several times as long. */
static void check_later(track_call *call, rerun_state *state)
{
    on_begun(state);
    if (state->status == PLUMB_OK)
        state->status = track_check_ends(&state->check, call->ends, call->entries, call->count, call->records);
    for (int64_t k = 0; k < call->count && state->status == PLUMB_OK; k++)
        judge_size(state, call->entries ? call->entries[k] : k);
}

static plumb_status track_once(plumb_context *context, machine *m, track_call *call, rerun_state *state)
{
    const bool later = m == &context->cpu && !state->options->ended;
    call->begun = on_begun;
    call->ended = later ? NULL : on_ended;
    call->at_once = state->options->ended != NULL;
    call->left = m == &context->cpu ? NULL : state->left;
    call->left_count = 0;
    plumb_status status = m->ops->track(m, call, state->options->stream);
    state->options->report->to_device += call->to_device;
    state->options->report->to_host += call->to_host;
    state->options->report->steps += call->steps;
    if (status == PLUMB_OK && later)
        check_later(call, state);
    if (status == PLUMB_OK && call->left_count > 0)
        status = track_left(context, call, state, &call->stopped);
    return status == PLUMB_OK ? state->status : status;
}

/* ---- Comparison of the endpoints ----------------------------------------------------------------------------------- */

/* What is known of the endpoints of a call, and what tracks them again. */
typedef struct rerun_ends {
    rerun_state *state;
    machine *m;
    track_call *call;
    track_settings *settings;
    track_end *end;
    track_group *groups;
    int64_t *list; /* entries to track again, ascending */
    bool *todo;
} rerun_ends;

static bool read_end(void *data, int64_t k, double *x, int32_t *prec, int64_t *number)
{
    const rerun_state *state = data;
    const plumb_view *ends = state->call->ends;
    for (int64_t i = 0; i < ends->rows; i++)
        for (int64_t c = 0; c < 2 * ends->prec; c++)
            x[2 * i * ends->prec + c] = ends->data[k * ends->next + c * ends->plane + i];
    *prec = ends->prec;
    *number = state->call->records[k].path;
    return true;
}

/* Fingerprints of endpoints, shared among threads. */
typedef struct print_share {
    const rerun_state *state;
    track_end *end;
} print_share;

static void print_some(void *data, team *t, int32_t index, int32_t threads)
{
    const print_share *share = data;
    const track_call *call = share->state->call;
    const plumb_view *x = call->ends;
    int64_t last;
    (void)t;
    for (int64_t k = team_share(share->state->total, index, threads, &last); k < last; k++)
        share->end[k] = track_end_of(&call->records[k], x->data + k * x->next, x->rows, 1, x->prec * x->plane, NULL);
}

static plumb_status judge(plumb_context *context, const rerun_state *state, const track_ends *ends, const rerun_ends *e)
{
    const track_judge how = {.context = context,
                             .homotopy = state->homotopy,
                             .seed = state->options->seed,
                             .skip_local = state->call->stopped};
    plumb_status status = track_judge_ends(&how, ends, e->groups);
    for (int64_t k = 0; status == PLUMB_OK && k < state->total; k++) {
        plumb_path_record *record = &state->call->records[k];
        record->code = (uint8_t)e->end[k].code;
        record->multiplicity = e->groups[k].all;
    }
    return status;
}

/* ---- The call ------------------------------------------------------------------------------------------------------ */

/* A round (rounds.h). */
static plumb_status track_round(void *data, bool *todo, int64_t left, int32_t rerun)
{
    const rerun_ends *e = data;
    rerun_state *state = e->state;
    track_call *call = e->call;
    plumb_context *context = state->context;
    int64_t found = 0;
    if (rerun > 0) {
        e->settings->turn *= 0.5;
        e->settings->shorten *= 0.5;
        e->settings->rerun++;
        for (int64_t k = 0; k < state->total; k++)
            if (todo[k])
                e->list[found++] = k;
        call->count = found;
        call->entries = e->list;
        state->before = state->total - left;
        state->failed = 0; /* those with a shared endpoint have arrived, so none of them is among these */
        for (int64_t i = 0; i < state->total; i++)
            state->failed += track_code_failed(call->records[i].code);
    }
    const plumb_status status = track_once(context, e->m, call, state);
    print_share share = {state, e->end};
    /* The team exists if paths or their ends have been shared; fewer endpoints are not worth waking it. */
    team_run(state->total >= TOGETHER ? context->cpu.team : NULL, context->cpu.threads, print_some, &share);
    for (int64_t k = 0; k < state->total; k++)
        todo[k] = todo[k] && call->stopped;
    return status;
}

static plumb_status track_and_compare(rerun_ends *e, const plumb_track_options *options)
{
    rerun_state *state = e->state;
    plumb_context *context = state->context;
    const track_ends ends = {.first = e->end,
                             .stride = sizeof *e->end,
                             .count = state->total,
                             .unknowns = state->call->ends->rows,
                             .read = read_end,
                             .data = state};
    const track_rounds rounds = {.ends = &ends,
                                 .groups = e->groups,
                                 .todo = e->todo,
                                 .reruns = options->reruns,
                                 .data = e,
                                 .track = track_round};
    bool stopped;
    const plumb_status status = track_rounds_run(&rounds, &stopped);
    if (status == PLUMB_ERR_MEMORY)
        return plumb_say(status, context->message, sizeof context->message, "out of memory");
    return status == PLUMB_OK ? judge(context, state, &ends, e) : status;
}

plumb_status track_with_reruns(plumb_context *context, machine *m, const plumb_homotopy *homotopy, track_call *call,
                               track_settings *settings, const plumb_track_options *options, bool separate)
{
    const int64_t total = call->count, known = total < TOGETHER ? total : TOGETHER;
    const size_t room = (size_t)total + 1;
    rerun_state state = {.context = context,
                         .options = options,
                         .call = call,
                         .homotopy = homotopy,
                         .total = total,
                         .together = (m == &context->cpu && options->ended) || known < 1 ? 1 : known};
    call->progress = options->progress ? on_progress : NULL;
    call->step = options->step ? on_step : NULL;
    call->data = &state;
    rerun_ends ends = {.state = &state,
                       .m = m,
                       .call = call,
                       .settings = settings,
                       .end = calloc(room, sizeof *ends.end),
                       .groups = calloc(room, sizeof *ends.groups),
                       .list = calloc(room, sizeof *ends.list),
                       .todo = calloc(room, sizeof *ends.todo)};
    state.x = malloc((size_t)(call->ends->rows * 2 * call->ends->prec) * sizeof *state.x);
    state.left = m == &context->cpu ? NULL : calloc(room, sizeof *state.left);
    plumb_status status = PLUMB_OK;
    if (!ends.end || !ends.groups || !ends.list || !ends.todo || !state.x || (m != &context->cpu && !state.left))
        status = plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    if (m == &context->cpu && status == PLUMB_OK) {
        on_begun(&state);
        status = state.status;
    }
    if (status == PLUMB_OK)
        status = separate ? track_once(context, m, call, &state) : track_and_compare(&ends, options);
    track_check_end(&state.check);
    free(ends.end);
    free(ends.groups);
    free(ends.list);
    free(ends.todo);
    free(state.left);
    free(state.x);
    return status;
}
