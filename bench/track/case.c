/* case.c - measures one case of `plumb bench track`: the same paths on a GPU, on all cores and on one, by the clock on the
 * wall from call to return, start points and endpoints on the host. */
#include <stdlib.h>

#include "bench/track/track.h"

/* Paths that one core gets where there are many, and where one takes long. */
enum { ONE_CORE_SAMPLE = 64, ONE_CORE_SAMPLE_QD = 8, RUNS = 2 };

static void count(const plumb_path_record *records, bench_track_result *r)
{
    r->steps = r->rejected = r->solves = 0;
    for (int32_t code = 0; code < PLUMB_PATH_CODES; code++)
        r->codes[code] = 0;
    for (int64_t k = 0; k < r->paths; k++) {
        r->steps += records[k].steps;
        r->rejected += records[k].rejected;
        r->solves += records[k].solves;
        r->codes[records[k].code]++;
    }
}

/* The first r->paths of the case's, so many times: the last one counts, earlier ones have made everything ready. */
static plumb_status track(plumb_context *context, const bench_track_case *c, int times, bench_track_result *r)
{
    plumb_view starts = c->of->solutions, ends = {0};
    plumb_track_options options;
    int64_t steps;
    plumb_track_options_init(&options);
    options.prec = c->prec;
    starts.batch = r->paths;
    plumb_path_record *records = calloc((size_t)r->paths, sizeof *records);
    if (records == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, c->prec, PLUMB_COMPLEX, starts.rows, 1, r->paths, &ends);
    for (int k = 0; k < times && status == PLUMB_OK; k++) {
        const double begin = bench_now_ns();
        status = plumb_track(context, c->of->homotopy, &starts, &ends, &options, records);
        r->us = 1e-3 * (bench_now_ns() - begin);
    }
    if (status == PLUMB_OK)
        count(records, r);
    plumb_track_traffic(context, &r->to_device, &r->to_host, &steps);
    plumb_array_destroy(context, &ends);
    free(records);
    return status;
}

plumb_status bench_track_measure(bench_track_run *run, bench_track_case *c)
{
    const int64_t sample = c->prec == PLUMB_QD ? ONE_CORE_SAMPLE_QD : ONE_CORE_SAMPLE;
    plumb_status status = PLUMB_OK;
    if (run->on.gpu != NULL) {
        c->gpu.paths = c->paths;
        status = track(run->on.gpu, c, RUNS, &c->gpu);
    }
    if (c->paths > 1 && status == PLUMB_OK) {
        c->all.paths = c->paths;
        status = track(run->on.all, c, 1, &c->all);
    }
    c->one.paths = c->paths < sample ? c->paths : sample;
    return status == PLUMB_OK ? track(run->on.one, c, 1, &c->one) : status;
}

bool bench_track_agrees(const bench_track_run *run, const bench_track_case *c)
{
    const bench_track_result *cpu = c->paths > 1 ? &c->all : &c->one;
    for (int32_t code = 0; code < PLUMB_PATH_CODES && run->on.gpu != NULL; code++)
        if (c->gpu.codes[code] != cpu->codes[code])
            return false;
    return true;
}
