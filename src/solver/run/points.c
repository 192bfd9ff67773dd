/* points.c - the distinct points at which paths end, and the verdicts that need the ends of all paths. The points
 * themselves are in the journal. */
#include <math.h>
#include <stdlib.h>

#include "solver/run/run.h"
#include "solver/track/judge.h"

bool run_read(run_state *run, int64_t k, run_found_path *path)
{
    const run_path *state = &run->states[k];
    if (state->kept != NULL)
        run_kept_read(state->kept, run->job->unknowns, path);
    else if (!run_journal_read(&run->journal, state->line, path))
        return false;
    path->record.code = (uint8_t)state->end.code;
    path->record.multiplicity = run->groups[k].all;
    return true;
}

void run_drop(run_state *run)
{
    for (int64_t k = 0; k < run->job->count; k++)
        run->states[k].kept = NULL;
    run_kept_free(&run->kept);
}

/* Endpoint k in the scaled unknowns. */
static bool read_end(void *data, int64_t k, double *x, int32_t *prec, int64_t *number)
{
    run_state *run = data;
    const int32_t *exponent = run->job->homotopy->exponent;
    run_found_path path = {.x = x};
    if (!run_read(run, k, &path))
        return false;
    *prec = path.prec;
    *number = path.record.path;
    for (int64_t i = 0; i < run->job->unknowns && exponent != NULL; i++)
        for (int64_t c = 2 * i * *prec; c < 2 * (i + 1) * *prec; c++)
            x[c] = ldexp(x[c], -exponent[i]);
    return true;
}

track_ends run_ends(run_state *run)
{
    const run_job *job = run->job;
    return (track_ends){.first = &run->states[0].end,
                        .stride = sizeof *run->states,
                        .count = job->count,
                        .unknowns = job->unknowns,
                        .read = read_end,
                        .data = run};
}

/* The log has the code that the tracker gave to the path: a second record has the final one. */
static int log_changes(run_state *run, const int8_t *before)
{
    const run_job *job = run->job;
    const run_voice *voice = job->voice;
    run_found_path path = {.x = malloc((size_t)job->unknowns * 2 * PLUMB_QD * sizeof(double))};
    int result = path.x != NULL ? RUN_OK : run_no_memory(voice);
    for (int64_t k = 0; k < job->count && result == RUN_OK && run->log.file != NULL; k++) {
        if (run->states[k].end.code == before[k])
            continue;
        if (run_read(run, k, &path))
            run_log_record(&run->log, &path.record, path.x, path.prec);
        else
            result = run_fail(voice, "the journal could not be read");
    }
    free(path.x);
    return result != RUN_OK || run_log_flush(&run->log, true) ? result : run_log_fail(&run->log);
}

static bool is_stopped(const void *data)
{
    return run_is_stopped(data);
}

int run_judge(run_state *run)
{
    const run_job *job = run->job;
    const run_voice *voice = job->voice;
    const track_ends ends = run_ends(run);
    const track_stop stop = {is_stopped, job->voice};
    const track_judge judge = {.context = job->context,
                               .homotopy = job->homotopy,
                               .seed = job->options.seed,
                               .complete = job->complete && job->count == job->all_paths,
                               .stop = &stop};
    int8_t *before = calloc((size_t)job->count + 1, sizeof *before);
    if (before == NULL)
        return run_no_memory(voice);
    for (int64_t k = 0; k < job->count; k++)
        before[k] = run->states[k].end.code;
    plumb_status status = track_judge_ends(&judge, &ends, run->groups);
    for (int64_t k = 0; k < job->count; k++)
        run->grouped = run->grouped && run->states[k].end.code == before[k];
    run->stopped = run_is_stopped(job->voice) != 0;
    int result = status == PLUMB_OK ? log_changes(run, before) : run_context_fail(voice, job->context, status);
    free(before);
    return result;
}
