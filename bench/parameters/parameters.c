/* parameters.c - plumb-bench parameters: the targets of families on a GPU, compared with the processor. */
#include "bench/parameters/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/files.h"
#include "app/stop.h"
#include "base/number/random.h"
#include "bench/bench.h"
#include "bench/common/machine.h"

static const char command[] = "parameters";

/* Targets of which one at a time is timed, also of families with many paths; paths that one core tracks, targets of a call, and the most of those
 * that all cores solve. */
enum {
    MOST_FILES = 16,
    ONE_BY_ONE = 20,
    ONE_BY_ONE_LARGE = 5,
    LARGE = 200,
    CORE_PATHS = 4096,
    TOGETHER = 1 << 14,
    MOST_ON_CORES = 1 << 16
};

/* ---- Families ---------------------------------------------------------------------------------------------------- */

static int load(const char *path, plumb_family **family)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error = {.line = 1, .column = 1};
    plumb_system *system = NULL;
    int result = app_bytes_load(command, path, file_may_be_text, &bytes, &length);
    if (result != APP_OK)
        return result;
    plumb_status status = plumb_system_parse((const char *)bytes, length, &system, &error);
    if (status == PLUMB_OK && plumb_family_create(system, family) != PLUMB_OK)
        result = app_misuse(command, "%s: %s", path, plumb_last_message());
    else if (status == PLUMB_OK)
        status = plumb_family_read(*family, (const char *)bytes, length, &error);
    if (result == APP_OK && status != PLUMB_OK)
        result =
            app_misuse(NULL, "%s:%lld:%lld: %s", path, (long long)error.line, (long long)error.column, error.message);
    plumb_system_destroy(system);
    free(bytes);
    return result;
}

/* The name of a file without folders and ending. */
static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash != NULL ? slash + 1 : path), *dot = name != NULL ? strrchr(name, '.') : NULL;
    if (dot != NULL && dot > name)
        *dot = 0;
    return name;
}

/* ---- One case: the same targets on a GPU, on all cores and on one core, timed by the wall clock from call to return, with targets and
 * solutions on the host */

/* Random real parameters between -1 and 1. */
static void draw(plumb_random *random, plumb_view *targets)
{
    for (int64_t k = 0; k < targets->batch * targets->next; k++)
        targets->data[k] = 2.0 * plumb_random_unit(random) - 1.0;
}

static void count(const plumb_instance *instances, int64_t targets, bench_parameters_result *r)
{
    for (int64_t t = 0; t < targets; t++) {
        r->outcome[instances[t].code]++;
        r->solutions += instances[t].solutions;
        r->real += instances[t].real;
    }
}

/* Solves for r->targets targets, `each` at a time; times receives what each call took. With `warms` the first call is made twice, because on a
 * GPU it prepares what others find. */
static plumb_status solve(plumb_context *context, const bench_parameters_case *c, bool warms, int64_t each,
                          double *times, bench_parameters_result *r)
{
    const int32_t prec = c->prec ? c->prec : PLUMB_QD;
    const int64_t paths = plumb_family_paths(c->family), total = r->targets;
    plumb_view targets = {.data = NULL}, x = {.data = NULL};
    plumb_random random = plumb_random_start(2026);
    plumb_family_options options;
    plumb_family_options_init(&options);
    options.prec = c->prec;
    plumb_instance *instances = calloc((size_t)each, sizeof *instances);
    plumb_status status = instances == NULL ? PLUMB_ERR_MEMORY
                                            : plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL,
                                                                 plumb_family_parameters(c->family), 1, each, &targets);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, plumb_family_unknowns(c->family), 1,
                                    each * paths, &x);
    *r = (bench_parameters_result){.targets = total};
    for (int64_t done = 0, call = 0; done < total && status == PLUMB_OK && !app_stopped(); done += each, call++) {
        const int64_t some = total - done < each ? total - done : each;
        plumb_view at = targets, found = x;
        at.batch = some;
        found.batch = some * paths;
        draw(&random, &at);
        for (int again = warms && call == 0 ? 0 : 1; again < 2 && status == PLUMB_OK; again++) {
            const double begin = bench_now_ns();
            status = plumb_family_solve(context, c->family, &at, &options, &found, NULL, instances);
            times[call] = 1e-3 * (bench_now_ns() - begin);
        }
        r->us += times[call];
        count(instances, some, r);
    }
    plumb_array_destroy(context, &targets);
    plumb_array_destroy(context, &x);
    free(instances);
    return status;
}

static plumb_status measure_on(plumb_context *context, const bench_parameters_case *c, bool warms,
                               bench_parameters_result *r)
{
    const int64_t some = r->targets < TOGETHER ? r->targets : TOGETHER, each = c->one || some < 1 ? 1 : some,
                  calls = (r->targets + each - 1) / each;
    double *times = calloc((size_t)calls + 1, sizeof *times);
    plumb_status status = times != NULL ? solve(context, c, warms, each, times, r) : PLUMB_ERR_MEMORY;
    if (c->one && status == PLUMB_OK)
        r->us = bench_median(times, calls);
    free(times);
    return status;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static plumb_status measure_case(bench_parameters_run *run, bench_parameters_case *c)
{
    const int64_t paths = plumb_family_paths(c->family), many = paths > LARGE ? 1 : 1 + CORE_PATHS / paths,
                  one = paths > LARGE ? 1 : ONE_BY_ONE_LARGE;
    plumb_status status = PLUMB_OK;
    c->gpu.targets = c->targets;
    c->all.targets = smaller(c->targets, MOST_ON_CORES);
    c->core.targets = smaller(c->targets, c->one ? one : many);
    if (run->on.gpu != NULL)
        status = measure_on(run->on.gpu, c, true, &c->gpu);
    if (status == PLUMB_OK)
        status = measure_on(run->on.all, c, false, &c->all);
    return status == PLUMB_OK ? measure_on(run->on.one, c, false, &c->core) : status;
}

bool bench_parameters_agrees(const bench_parameters_run *run, const bench_parameters_case *c)
{
    if (run->on.gpu == NULL || c->gpu.targets != c->all.targets)
        return true;
    for (int32_t code = 0; code <= PLUMB_INSTANCE_STOPPED; code++)
        if (c->gpu.outcome[code] != c->all.outcome[code])
            return false;
    return c->gpu.solutions == c->all.solutions && c->gpu.real == c->all.real;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

typedef struct parameters_values {
    bench_options common;
    const char *file[MOST_FILES + 1];
    int64_t targets;
    int32_t prec;
    bool one, many;
} parameters_values;

static void add(bench_parameters_run *run, int32_t family, const parameters_values *values, bool one, bool quick)
{
    plumb_family *f = run->families[family];
    const int64_t paths = plumb_family_paths(f),
                  many = quick           ? 1 << 10
                         : paths > LARGE ? 1 << 13
                                         : 1 << 17,
                  single = quick           ? 3
                           : paths > LARGE ? ONE_BY_ONE_LARGE
                                           : ONE_BY_ONE;
    run->cases[run->case_count++] = (bench_parameters_case){.name = run->names[family],
                                                            .family = f,
                                                            .prec = app_precision(values->prec),
                                                            .one = one,
                                                            .targets = one                   ? single
                                                                       : values->targets > 0 ? values->targets
                                                                       : many / paths > 1    ? many / paths
                                                                                             : 1};
}

static int plan(bench_parameters_run *run, const parameters_values *values)
{
    int32_t count = 0;
    while (values->file[count] != NULL)
        count++;
    run->families = calloc((size_t)count + 1, sizeof(plumb_family *));
    run->names = calloc((size_t)count + 1, sizeof *run->names);
    run->cases = calloc(2 * (size_t)count + 1, sizeof *run->cases);
    if (run->families == NULL || run->names == NULL || run->cases == NULL)
        return app_fail(command, "out of memory");
    for (int32_t k = 0; k < count; k++) {
        run->family_count = k + 1;
        run->names[k] = name_of(values->file[k]);
        const int result = load(values->file[k], &run->families[k]);
        if (result != APP_OK)
            return result;
        if (run->names[k] == NULL)
            return app_fail(command, "out of memory");
        if (plumb_family_paths(run->families[k]) == 0)
            return app_misuse(command, "%s: found no generic solutions, expected a file of plumb solve --family",
                              values->file[k]);
        if (!values->many)
            add(run, k, values, true, values->common.quick);
        if (!values->one)
            add(run, k, values, false, values->common.quick);
    }
    return APP_OK;
}

static void fail_case(bench_parameters_run *run, const bench_parameters_case *c, const char *why)
{
    (void)app_fail(command, "%s, %s: %s", c->name, c->one ? "one target" : "many targets", why);
    run->failed = true;
}

/* A case that fails does not stop the others. */
static void measure(bench_parameters_run *run)
{
    const double start = bench_now_ns();
    app_stop_on_signals();
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_parameters_case *c = &run->cases[i];
        c->absent = app_stopped(); /* what was measured before is written */
        if (c->absent)
            continue;
        bench_progress("%s, %s", c->name, c->one ? "one target" : "many targets");
        const plumb_status status = measure_case(run, c);
        c->absent = status != PLUMB_OK;
        if (c->absent)
            fail_case(run, c, bench_gpu_why(&run->on, status));
        else if (!bench_parameters_agrees(run, c))
            fail_case(run, c, "targets have other outcomes than on the processor");
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

static int run_parameters(const void *values)
{
    const parameters_values *given = values;
    bench_options options = given->common;
    int result = bench_options_settle(command, &options);
    if (result != APP_OK)
        return result;
    bench_parameters_run run = {.commit = options.commit};
    result = bench_gpu_open(command, options.backend, options.isa, &run.on);
    if (result == APP_OK)
        result = plan(&run, given);
    if (result == APP_OK) {
        measure(&run);
        result = bench_write(command, &options, bench_parameters_json, bench_parameters_print, &run);
        if (result == APP_OK && run.failed)
            result = APP_FAILED;
    }
    for (int32_t i = 0; i < run.family_count; i++) {
        plumb_family_destroy(run.families[i]);
        free(run.names[i]);
    }
    bench_gpu_close(&run.on);
    free(run.families);
    free(run.names);
    free(run.cases);
    return result;
}

static const app_option parameters_table[] = {
    BENCH_BACKEND_OPTION(parameters_values, "machine to measure; auto takes a GPU where there is one"),
    {'p', "precision", APP_WORD, offsetof(parameters_values, prec), "NAME",
     "precision of the paths; auto: the one that each path needs", NULL, 0, 0, app_precisions_auto},
    {0, "targets", APP_COUNT, offsetof(parameters_values, targets), "N", "number of targets of a batch",
     "about 131,072 paths, 8,192 if a target has more than 200", 1, (double)(INT64_C(1) << 40), NULL},
    {0, "one", APP_FLAG, offsetof(parameters_values, one), NULL, "measure one target at a time only", NULL, 0, 0, NULL},
    {0, "many", APP_FLAG, offsetof(parameters_values, many), NULL, "measure batches only", NULL, 0, 0, NULL},
    BENCH_COMMON_OPTIONS(parameters_values, "measure few targets, less exactly"),
    APP_OPTIONS_END,
};
static const char *const parameters_files[] = {"FILE"};
static const parameters_values parameters_defaults = {.common = {.backend = PLUMB_BACKEND_CPU}};

const app_command bench_parameters_command = {
    .name = "parameters",
    .summary = "time the targets of families",
    .arguments = "[OPTIONS] FILE...",
    .about =
        "Solves families for random real parameters between -1 and 1, from generic solutions in files of 'plumb solve "
        "--family' or 'plumb monodromy': one target at a time, whose median time counts, and many of them in calls "
        "with "
        "16,384 targets each. All cores and one core are measured, and a GPU if there is one; one core solves a "
        "sample, "
        "and all cores at most 65,536 targets. Targets must have the same outcomes on all machines.",
    .options = parameters_table,
    .defaults = &parameters_defaults,
    .size = sizeof parameters_defaults,
    .least_files = 1,
    .most_files = MOST_FILES,
    .file_names = parameters_files,
    .files = offsetof(parameters_values, file),
    .run = run_parameters,
};
