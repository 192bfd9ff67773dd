/* estimate.c - see estimate.h. */
#include "solver/solve/estimate.h"

#include <stdlib.h>

#include "base/call/message.h"
#include "base/os/clock.h"
#include "solver/track/track.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* A quarter of the paths, within these bounds. Every thread has some paths, so that the last ones do not count for more than they will
 * in a long run; a GPU needs many more before it is busy. */
enum { LEAST = 16, MOST_CPU = 64, MOST_PER_THREAD = 8, MOST_GPU = 2048 };

static int64_t sample_size(const run_job *job)
{
    const int64_t all = job->count, threads = plumb_context_threads(job->context);
    int64_t most = MOST_PER_THREAD * threads > MOST_CPU ? MOST_PER_THREAD * threads : MOST_CPU;
    if (run_is_on_gpu(job))
        most = MOST_GPU;
    const int64_t some = all / 4 < LEAST ? LEAST : all / 4 < most ? all / 4 : most;
    return some < all ? some : all;
}

typedef struct sample {
    const run_job *job;
    int64_t *paths;
    plumb_path_record *records;
    plumb_view starts, ends;
    bool is_timed; /* not the path before the sample, which is not shown */
} sample;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    const sample *s = data;
    const run_job *job = s->job;
    const int64_t shown = s->is_timed ? total : 0; /* 0: the number of paths is not known yet */
    if (job->progress && job->progress(job->progress_data, s->is_timed ? done : 0, failed, shown) != 0)
        return 1;
    return run_is_stopped(job->voice);
}

/* Tracks the first paths of the sample, up to this number, and measures the time. */
static plumb_status track_some(sample *s, int64_t count, double *seconds)
{
    const run_job *job = s->job;
    const double began = plumb_clock_seconds();
    plumb_track_options options = job->options;
    const track_part part = {.paths = s->paths, .of_paths = job->all_paths, .separate = true, .hurries = job->retry};
    plumb_view starts = s->starts, ends = s->ends;
    starts.batch = ends.batch = count;
    options.progress = on_progress;
    options.data = s;
    plumb_status status = run_make_starts(job, job->context, s->paths, 0, &starts);
    if (status == PLUMB_OK)
        status = track_paths(job->context, job->homotopy, &part, &starts, &ends, &options, s->records);
    *seconds = plumb_clock_seconds() - began;
    return status == PLUMB_OK && run_is_stopped(job->voice) ? PLUMB_ERR_STOPPED : status;
}

static plumb_status make_arrays(sample *s, int64_t count)
{
    const run_job *job = s->job;
    plumb_context *context = job->context;
    s->paths = calloc((size_t)count, sizeof *s->paths);
    s->records = calloc((size_t)count, sizeof *s->records);
    if (!s->paths || !s->records)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    const double spacing = (double)job->count / (double)count;
    for (int64_t k = 0; k < count; k++)
        s->paths[k] = job->first + (int64_t)(((double)k + 0.5) * spacing);
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, job->unknowns, 1, count, &s->starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, job->prec, PLUMB_COMPLEX, job->unknowns, 1, count, &s->ends);
    return status;
}

plumb_status plumb_solve_estimate(const run_job *job, solve_estimate *estimate)
{
    plumb_context *context = job->context;
    sample s = {.job = job};
    const int64_t count = sample_size(job);
    double seconds = 0.0;
    plumb_status status = make_arrays(&s, count);
    if (status == PLUMB_OK)
        status = track_some(&s, 1, &seconds); /* compiles the program and starts the threads, which is done only once */
    s.is_timed = true;
    if (status == PLUMB_OK)
        status = track_some(&s, count, &seconds);
    if (status == PLUMB_OK)
        *estimate = (solve_estimate){.seconds = seconds * (double)job->count / (double)count, .sample = (int32_t)count};
    else if (status == PLUMB_ERR_STOPPED)
        status = SAY(status, "stopped on request, before the time was estimated");
    plumb_array_destroy(context, &s.starts);
    plumb_array_destroy(context, &s.ends);
    free(s.paths);
    free(s.records);
    return status;
}
