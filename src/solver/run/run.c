/* run.c - tracks all paths, in blocks, in rounds (solver/track/rounds.h). What the journal has of a round is taken from there, what it
 * lacks is tracked. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/os/clock.h"
#include "base/os/team.h"
#include "solver/context/context.h"
#include "solver/ranks/ranks.h"
#include "solver/run/crew.h"
#include "solver/run/run.h"
#include "solver/run/worker.h"
#include "solver/track/rounds.h"
#include "solver/track/track.h"

/* Paths per call: at first this many, then twice as many while a call is short, and no more than these. Calls should not take hours,
 * because start solutions that come from paths are lost with the call, nor leave a machine idle at their ends too often. At first each
 * thread has FIRST_CPU, up to MOST_CPU in all, so that all of them follow paths side by side. */
enum { FIRST_CPU = 64, MOST_CPU = 1024, FIRST_GPU = 2048, MOST_GPU = 16384 };
static const double SHORT = 2, LONG = 30; /* seconds per call */

/* ---- A round ----------------------------------------------------------------------------------------------------- */

typedef struct run_round {
    run_state *run;
    bool *todo; /* of each path of the job */
    int32_t rerun;
    run_crew *crew;                     /* the workers; NULL: this thread tracks */
    int64_t total, left, done, failed;  /* paths of the round; failed: in all rounds */
    int64_t done_before, failed_before; /* at the beginning of the block */
    /* a block */
    int64_t block, most; /* how many paths it has now, and may have */
    plumb_view starts, ends;
    int64_t *paths;
    plumb_path_record *records;
    double *x;  /* an endpoint */
    int result; /* RUN_OK, or the exit status of a failure */
    /* Ends that a GPU has reported and that are not written yet */
    struct run_fresh_end *fresh;
    double *fresh_x; /* 2 * prec doubles per unknown of each */
    int64_t fresh_count;
} run_round;

/* Making the line of a path takes longer than everything else that the end of a path on a GPU asks of this thread. So ends are taken together, and all threads
 * make their lines. */
enum { FRESH = 1024 };
typedef struct run_fresh_end {
    plumb_path_record record;
    track_end end;
    char *line;
    size_t length;
} run_fresh_end;

static void write_fresh(run_round *r);

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    run_round *r = data;
    (void)total;
    const run_job *job = r->run->job;
    write_fresh(r);
    if (job->progress) {
        const int64_t now = job->count - r->total + r->done_before + done;
        if (job->progress(job->progress_data, now, r->failed_before + failed, job->count) != 0)
            job->voice->host->stop(job->voice);
    }
    return run_is_stopped(job->voice) || !run_journal_flush(&r->run->journal, false) ||
           !run_log_flush(&r->run->log, false);
}

static void on_step(void *data, const plumb_path_step *step)
{
    run_round *r = data;
    run_log_step(&r->run->log, step);
}

static track_end end_of(const run_job *job, const plumb_path_record *record, const double *x, int32_t prec)
{
    return track_end_of(record, x, job->homotopy->given_unknowns, 2 * prec, prec, job->homotopy->exponent);
}

static void take_end(run_round *r, const plumb_path_record *record, const track_end *end, int64_t line, const double *x,
                     int32_t prec)
{
    const run_job *job = r->run->job;
    int64_t k = record->path - job->first;
    run_path *state = &r->run->states[k];
    r->failed -= run_path_failed(state);
    *state = (run_path){.end = *end,
                        .line = line,
                        .kept = run_kept_add(&r->run->kept, record, x, prec, job->unknowns),
                        .steps = record->steps < INT32_MAX ? (int32_t)record->steps : INT32_MAX,
                        .winding = record->winding < INT16_MAX ? (int16_t)record->winding : INT16_MAX,
                        .prec = (int8_t)record->prec,
                        .most_prec = (int8_t)record->max_prec,
                        .reruns = record->reruns < INT8_MAX ? (int8_t)record->reruns : INT8_MAX};
    r->failed += run_path_failed(state);
    r->run->journal.is_read = r->run->journal.is_read || state->kept == NULL;
    if (state->kept == NULL && job->in_memory)
        r->run->journal.failure = ENOMEM;
    r->run->grouped = false;
    r->left -= r->todo[k];
    r->todo[k] = false;
}

static void take_state(run_round *r, const plumb_path_record *record, int64_t line, const double *x, int32_t prec)
{
    const track_end end = end_of(r->run->job, record, x, prec);
    take_end(r, record, &end, line, x, prec);
}

/* What the journal has of this round. */
static void on_found(void *data, const run_found_path *path, int64_t line)
{
    run_round *r = data;
    if (r->todo[path->record.path - r->run->job->first])
        take_state(r, &path->record, line, path->x, path->prec);
}

/* What threads share that make lines. */
typedef struct line_share {
    run_round *r;
    team_counter next;
} line_share;

static void make_lines(void *data, team *t, int32_t index, int32_t threads)
{
    enum { SOME = 8 };
    line_share *share = data;
    const run_round *r = share->r;
    const run_job *job = r->run->job;
    const int64_t each = 2 * job->prec * job->unknowns;
    (void)t, (void)index, (void)threads;
    for (int64_t first; (first = team_take(&share->next, SOME)) < r->fresh_count;)
        for (int64_t k = first; k < first + SOME && k < r->fresh_count; k++) {
            run_fresh_end *f = &r->fresh[k];
            const double *x = r->fresh_x + k * each;
            f->end = end_of(job, &f->record, x, job->prec);
            f->line = run_journal_line(job, r->run->journal.check, &f->record, x, &f->length);
        }
}

/* Writes down the ends that have come together, in their order. */
static void write_fresh(run_round *r)
{
    run_state *run = r->run;
    const run_job *job = run->job;
    machine *cpu = &job->context->cpu;
    line_share share = {.r = r};
    if (r->fresh_count == 0)
        return;
    const int32_t threads = r->fresh_count < cpu->threads ? (int32_t)r->fresh_count : cpu->threads;
    const bool shared = threads > 1 && team_start(&cpu->team, threads, NULL, 0) == PLUMB_OK;
    team_run(shared ? cpu->team : NULL, threads, make_lines, &share);
    for (int64_t k = 0; k < r->fresh_count; k++) {
        run_fresh_end *f = &r->fresh[k];
        const double *x = r->fresh_x + k * 2 * job->prec * job->unknowns;
        if (f->line == NULL && run->journal.failure == 0)
            run->journal.failure = ENOMEM;
        const int64_t line = f->line != NULL ? run_journal_append(&run->journal, f->line, f->length) : -1;
        free(f->line);
        if (line < 0)
            continue;
        take_end(r, &f->record, &f->end, line, x, job->prec);
        r->done++;
        run_log_record(&run->log, &f->record, x, job->prec);
    }
    r->fresh_count = 0;
}

/* A path has ended: writes it down at once, or with those that a GPU reports together. A journal that cannot be written ends the call by on_progress. */
static void on_ended(void *data, const plumb_path_record *record, const double *x)
{
    run_round *r = data;
    run_state *run = r->run;
    if (r->fresh != NULL) {
        const int64_t each = 2 * run->job->prec * run->job->unknowns;
        r->fresh[r->fresh_count] = (run_fresh_end){.record = *record};
        memcpy(r->fresh_x + r->fresh_count++ * each, x, (size_t)each * sizeof *x);
        if (r->fresh_count == FRESH)
            write_fresh(r);
        return;
    }
    int64_t line = run_journal_add(&run->journal, record, x, run->job->prec);
    if (line < 0)
        return;
    take_state(r, record, line, x, run->job->prec);
    r->done++;
    run_log_record(&run->log, record, x, run->job->prec);
}

/* The same for a path that a worker has tracked, and made the line for. */
static void on_told(void *data, const run_told_end *end)
{
    run_round *r = data;
    run_state *run = r->run;
    int64_t line = run_journal_append(&run->journal, end->line, end->line_length);
    if (line < 0)
        return;
    take_state(r, &end->record, line, end->x, run->job->prec);
    r->done++;
}

/* In memory the ends of a call are taken together, so that a GPU need not report them one by one and threads need not wait for each other. */
static void take_ends(run_round *r, int64_t count)
{
    const run_job *job = r->run->job;
    const plumb_view *ends = &r->ends;
    for (int64_t k = 0; k < count; k++) {
        if (r->records[k].code == PLUMB_PATH_STOPPED)
            continue;
        for (int64_t i = 0; i < ends->rows; i++)
            for (int64_t c = 0; c < 2 * ends->prec; c++)
                r->x[2 * i * ends->prec + c] = ends->data[k * ends->next + c * ends->plane + i];
        take_state(r, &r->records[k], 0, r->x, job->prec);
        run_log_record(&r->run->log, &r->records[k], r->x, job->prec);
        r->done++;
    }
}

/* Writes down which paths of a block were stopped, and makes sure that all is written. */
static int keep(run_round *r, int64_t count)
{
    run_state *run = r->run;
    write_fresh(r);
    for (int64_t k = 0; k < count; k++) {
        if (r->records[k].code == PLUMB_PATH_STOPPED)
            run_log_record(&run->log, &r->records[k], NULL, 0);
    }
    if (!run_journal_flush(&run->journal, false))
        return run_journal_fail(&run->journal);
    return run_log_flush(&run->log, true) ? RUN_OK : run_log_fail(&run->log);
}

plumb_status run_make_starts(const run_job *job, plumb_context *context, const int64_t *paths, int32_t rerun,
                             plumb_view *x)
{
    const plumb_status status = job->starts(job, context, paths, rerun, x);
    if (status == PLUMB_OK)
        return status;
    if (job->cells == NULL)
        return plumb_say(status, context->message, sizeof context->message, "start solutions could not be made");
    return plumb_say(status, context->message, sizeof context->message,
                     status == PLUMB_ERR_ARGUMENT
                         ? "%s has a mixed cell that is none, or has another volume; remove the file"
                         : "start solutions could not be made from %s",
                     job->cells);
}

static int track_one_block(run_round *r, int64_t count)
{
    const run_job *job = r->run->job;
    plumb_track_options options = job->options;
    plumb_view starts = r->starts, ends = r->ends;
    starts.batch = ends.batch = count;
    /* Ends are compared over the whole run. */
    const track_part part = {
        .paths = r->paths, .of_paths = job->all_paths, .rerun = r->rerun, .separate = true, .hurries = job->retry};
    options.progress = job->in_memory && job->runs_through ? NULL : on_progress;
    options.ended = job->in_memory ? NULL : on_ended;
    r->done_before = r->done;
    r->failed_before = r->failed;
    options.step = r->run->log.file != NULL ? on_step : NULL;
    options.data = r;
    plumb_status status = run_make_starts(job, job->context, r->paths, r->rerun, &starts);
    if (status == PLUMB_OK)
        status = track_paths(job->context, job->homotopy, &part, &starts, &ends, &options, r->records);
    if (status != PLUMB_OK && status != PLUMB_ERR_STOPPED) {
        write_fresh(r);
        return run_context_fail(job->voice, job->context, status);
    }
    if (job->in_memory && status == PLUMB_OK)
        take_ends(r, count);
    return keep(r, count);
}

static bool must_stop(void *data)
{
    run_round *r = data;
    r->done_before = r->done;
    r->failed_before = r->failed;
    return on_progress(data, 0, 0, 0) != 0;
}

static int share_round(run_round *r)
{
    run_state *run = r->run;
    const run_crew_round round = {.rerun = r->rerun,
                                  .todo = r->todo,
                                  .left = &r->left,
                                  .state = run->states,
                                  .ended = on_told,
                                  .must_stop = must_stop,
                                  .data = r};
    int result = run_crew_track(r->crew, &round);
    return result == RUN_OK && !run_journal_flush(&run->journal, false) ? run_journal_fail(&run->journal) : result;
}

static int track_round_blocks(run_round *r)
{
    const run_job *job = r->run->job;
    int result = RUN_OK;
    if (r->crew != NULL)
        return share_round(r);
    for (int64_t k = 0; k < job->count && result == RUN_OK && !run_is_stopped(job->voice);) {
        int64_t count = 0;
        for (; k < job->count && count < r->block; k++)
            if (r->todo[k])
                r->paths[count++] = job->first + k;
        double began = plumb_clock_seconds();
        if (count > 0)
            result = track_one_block(r, count);
        double took = plumb_clock_seconds() - began;
        if (took < SHORT && r->block <= r->most / 2)
            r->block *= 2;
        else if (took > LONG && r->block > 1)
            r->block /= 2;
    }
    return result;
}

/* ---- All rounds -------------------------------------------------------------------------------------------------- */

/* A round. A failure has been reported; r->result has the exit status. */
static plumb_status track_round_of(void *data, bool *todo, int64_t left, int32_t rerun)
{
    run_round *r = data;
    run_state *run = r->run;
    const run_job *job = run->job;
    r->todo = todo;
    r->left = left;
    r->rerun = rerun;
    if (run_is_stopped(job->voice))
        return PLUMB_OK;
    if (run->journal.resumed)
        r->result = run_journal_scan(&run->journal, rerun, on_found, r);
    r->total = left;
    r->done = left - r->left;
    if (r->result == RUN_OK && r->left > 0)
        r->result = track_round_blocks(r);
    return r->result == RUN_OK ? PLUMB_OK : PLUMB_ERR_STOPPED;
}

static int run_rounds(run_round *r)
{
    run_state *run = r->run;
    const run_job *job = run->job;
    const track_ends ends = run_ends(run);
    const track_rounds rounds = {.ends = &ends,
                                 .groups = run->groups,
                                 .todo = r->todo,
                                 .reruns = job->reruns,
                                 .retry = job->retry,
                                 .hunts = job->retry && isinf(job->options.largest),
                                 .data = r,
                                 .track = track_round_of};
    const plumb_status status = track_rounds_run(&rounds, &run->stopped);
    run->grouped = status == PLUMB_OK;
    if (status == PLUMB_OK || r->result != RUN_OK)
        return r->result;
    return status == PLUMB_ERR_IO ? run_fail(job->voice, "the journal could not be read") : run_no_memory(job->voice);
}

/* What is known of a path, and the comparison of endpoints; in memory the endpoints, and one call for all paths. */
static int64_t bytes_per_path(const run_job *job)
{
    const int64_t each = (int64_t)sizeof(run_path) + (int64_t)sizeof(track_group) + 96;
    const int64_t point = job->unknowns * 2 * (int64_t)sizeof(double);
    return job->in_memory ? each + 2 * (int64_t)sizeof(plumb_path_record) + point * (PLUMB_QD + 2 * job->prec) : each;
}

static int make_arrays(run_round *r)
{
    const int64_t most = r->most;
    run_state *run = r->run;
    const run_job *job = run->job;
    char what[64], message[160];
    snprintf(what, sizeof what, "a run of %lld paths", (long long)job->count);
    plumb_status status =
        plumb_memory_check(plumb_memory_add(0, job->count, bytes_per_path(job)), what, message, sizeof message);
    if (status != PLUMB_OK)
        return run_fail_as(job->voice, status, "%s; track them in parts", message);
    size_t count = (size_t)job->count;
    run->states = malloc(count * sizeof *run->states);
    plumb_memory_large(run->states, count * sizeof *run->states);
    run->groups = calloc(count, sizeof *run->groups);
    r->todo = calloc(count, sizeof *r->todo);
    r->paths = calloc((size_t)most, sizeof *r->paths);
    r->records = calloc((size_t)most, sizeof *r->records);
    r->x = calloc((size_t)(2 * PLUMB_QD * job->unknowns), sizeof *r->x);
    if (run->states == NULL || run->groups == NULL || r->todo == NULL || r->paths == NULL || r->records == NULL ||
        r->x == NULL)
        return run_fail_as(job->voice, PLUMB_ERR_MEMORY, "%lld paths do not fit into memory; track them in parts",
                           (long long)job->count);
    for (int64_t k = 0; k < job->count; k++)
        run->states[k] = (run_path){.line = -1};
    status = plumb_array_create(job->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, job->unknowns, 1, most, &r->starts);
    if (status == PLUMB_OK)
        status =
            plumb_array_create(job->context, PLUMB_HOST, job->prec, PLUMB_COMPLEX, job->unknowns, 1, most, &r->ends);
    return status == PLUMB_OK ? RUN_OK : run_context_fail(job->voice, job->context, status);
}

/* Without this room, ends are written down one after the other. */
static void make_fresh(run_round *r)
{
    const run_job *job = r->run->job;
    const int64_t point = 2 * job->prec * job->unknowns * (int64_t)sizeof(double), most = 1 << 17;
    if (job->in_memory || point > most)
        return;
    r->fresh = calloc(FRESH, sizeof *r->fresh);
    r->fresh_x = malloc((size_t)(FRESH * point));
    if (r->fresh != NULL && r->fresh_x != NULL)
        return;
    free(r->fresh);
    r->fresh = NULL;
}

static int track_all(run_state *run)
{
    const run_job *job = run->job;
    run_round r = {.run = run};
    double began = plumb_clock_seconds();
    bool gpu = run_is_on_gpu(job);
    const bool has_crew = run_crew_is_needed(job); /* then this thread tracks none */
    r.most = has_crew ? 1 : gpu ? MOST_GPU : MOST_CPU;
    r.most = job->count < r.most || job->in_memory ? job->count : r.most;
    const int64_t first_cpu = (int64_t)FIRST_CPU * plumb_context_threads(job->context);
    r.block = job->in_memory ? job->count : gpu ? FIRST_GPU : first_cpu < MOST_CPU ? first_cpu : MOST_CPU;
    r.block = r.most < r.block ? r.most : r.block;
    int result = make_arrays(&r);
    if (gpu && !has_crew && result == RUN_OK)
        make_fresh(&r);
    if (job->shared)
        ranks_alone(false);
    if (result == RUN_OK && has_crew)
        result = run_crew_begin(job, &r.crew);
    if (result == RUN_OK && r.todo != NULL) {
        result = run_rounds(&r);
    }
    run_crew_end(r.crew);
    if (job->shared)
        ranks_alone(true);
    if (result == RUN_OK && !run->stopped)
        result = run_judge(run);
    run->stopped = run->stopped && result == RUN_OK; /* a failure is no stop */
    run->seconds = plumb_clock_seconds() - began;
    plumb_array_destroy(job->context, &r.starts);
    plumb_array_destroy(job->context, &r.ends);
    free(r.todo);
    free(r.paths);
    free(r.records);
    free(r.x);
    free(r.fresh);
    free(r.fresh_x);
    return result;
}

int run_paths(run_state *run, const run_job *job)
{
    *run = (run_state){.job = job, .kept.most = job->in_memory ? INT64_MAX : job->most_kept};
    int result = run_journal_open(job, &run->journal);
    if (result == RUN_OK)
        result = run_log_open(job, run->journal.resumed, &run->log);
    return result == RUN_OK ? track_all(run) : result;
}

/* No path is finished: the journal is of no use to anyone. */
static bool is_empty(const run_state *run)
{
    for (int64_t k = 0; run->states != NULL && k < run->job->count; k++)
        if (run->states[k].line >= 0)
            return false;
    return !run->journal.resumed;
}

void run_end(run_state *run, bool kept)
{
    run_log_close(&run->log);
    run_journal_close(&run->journal, !run->stopped && (kept || is_empty(run)));
    free(run->states);
    free(run->groups);
    run_kept_free(&run->kept);
}
