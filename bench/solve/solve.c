/* solve.c - plumb-bench solve: all solutions of polynomial systems, on one core, on all cores and on a GPU, with PHCpack
 * beside it.
 *
 * A sample is a whole call of plumb_solve: the choice of the start system, the paths and the list of solutions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/models.h"
#include "bench/bench.h"
#include "bench/common/gpu.h"
#include "bench/common/machine.h"
#include "bench/solve/phc.h"
#include "text/system/make.h"

static const char command[] = "solve";

enum { MOST_FILES = 64, MOST_ROWS = MOST_FILES };

typedef struct solve_values {
    bench_options common;
    const char *file[MOST_FILES];
    bool no_phc, large;
    int32_t prec;
    double phc_seconds;
} solve_values;

typedef struct solve_row {
    char system[64];
    int64_t n, paths, roots, distinct, lost; /* roots: with multiplicity; lost: paths that failed or are undecided */
    int32_t start;
    double one, all, gpu, phc; /* seconds; NaN where that was not measured */
    int64_t phc_roots;
} solve_row;

typedef struct solve_run {
    const solve_values *values;
    bench_gpu_machines on;
    solve_row row[MOST_ROWS];
    int count;
    bool phc;
    double seconds;
} solve_run;

/* ---- Measuring ----------------------------------------------------------------------------------------------------- */

/* The smallest time of a few calls; what was found goes to row (or NULL). */
static plumb_status time_solve(plumb_context *context, const plumb_system *system, const solve_values *values,
                               double *seconds, solve_row *row)
{
    const double enough = values->common.quick ? 0.2 : 2;
    const int most = values->common.quick ? 2 : 7;
    plumb_solve_options options;
    double spent = 0;
    plumb_solve_options_init(&options);
    options.prec = app_precision(values->prec);
    *seconds = (double)NAN;
    for (int k = 0; k < most && (k == 0 || spent < enough); k++) {
        plumb_solutions *solutions = NULL;
        plumb_solve_report report;
        const double began = bench_now_ns();
        plumb_status status = plumb_solve(context, system, &options, &solutions);
        const double took = (bench_now_ns() - began) * 1e-9;
        if (status == PLUMB_OK)
            status = plumb_solutions_report(solutions, &report);
        plumb_solutions_destroy(solutions);
        if (status != PLUMB_OK)
            return status;
        spent += took;
        *seconds = took < *seconds || k == 0 ? took : *seconds;
        if (row != NULL) {
            row->paths = report.paths;
            row->roots = report.regular + report.singular;
            row->distinct = report.distinct;
            row->lost = report.failed + report.undecided;
            row->start = report.start;
        }
    }
    return PLUMB_OK;
}

/* Large systems are not solved on one core, and not by phc. */
static int measure(solve_run *run, const char *name, const plumb_system *system, bool large)
{
    const solve_values *values = run->values;
    solve_row *row = &run->row[run->count++];
    *row = (solve_row){.n = plumb_system_unknowns(system),
                       .one = (double)NAN,
                       .all = (double)NAN,
                       .gpu = (double)NAN,
                       .phc = (double)NAN};
    snprintf(row->system, sizeof row->system, "%s", name);
    plumb_status status = PLUMB_OK;
    if (!large) {
        bench_progress("%s, one core", name);
        status = time_solve(run->on.one, system, values, &row->one, row);
    }
    if (status == PLUMB_OK) {
        bench_progress("%s, all cores", name);
        status = time_solve(run->on.all, system, values, &row->all, large ? row : NULL);
    }
    if (status == PLUMB_OK && run->on.gpu != NULL) {
        bench_progress("%s, GPU", name);
        status = time_solve(run->on.gpu, system, values, &row->gpu, NULL);
    }
    if (status != PLUMB_OK)
        return app_fail(command, "%s: %s", name, bench_gpu_why(&run->on, status));
    if (run->phc && !large) {
        double seconds;
        bench_progress("%s, phc", name);
        if (bench_phc_solve(system, app_precision(values->prec), values->phc_seconds, &seconds, &row->phc_roots))
            row->phc = seconds;
    }
    return APP_OK;
}

/* ---- Which systems ------------------------------------------------------------------------------------------------- */

static int measure_family(solve_run *run, const char *family, int64_t n, bool large)
{
    const system_family *f = plumb_system_families;
    plumb_system *system = NULL;
    char name[32];
    while (f->name != NULL && strcmp(f->name, family) != 0)
        f++;
    plumb_status status = f->name != NULL ? plumb_system_family_make(f, n, &system) : PLUMB_ERR_ARGUMENT;
    if (status != PLUMB_OK)
        return app_fail(command, "%s: %s", family, plumb_status_text(status));
    snprintf(name, sizeof name, "%s%lld", family, (long long)n);
    int result = measure(run, name, system, large);
    plumb_system_destroy(system);
    return result;
}

static int measure_all(solve_run *run)
{
    static const struct {
        const char *family;
        int64_t n;
        bool quick;
    } usual[] = {{"cyclic", 5, true},   {"cyclic", 6, true}, {"cyclic", 7, false}, {"katsura", 6, true},
                 {"katsura", 8, false}, {"noon", 4, true},   {"noon", 5, false},   {"eco", 8, true},
                 {"eco", 10, false},    {"reimer", 4, true}};
    const solve_values *values = run->values;
    int result = APP_OK;
    for (size_t k = 0; k < sizeof usual / sizeof usual[0] && values->file[0] == NULL && result == APP_OK; k++)
        if (usual[k].quick || !values->common.quick)
            result = measure_family(run, usual[k].family, usual[k].n, false);
    for (int64_t n = 8; n <= 10 && values->large && result == APP_OK; n++)
        result = measure_family(run, "cyclic", n, true);
    for (int k = 0; k < MOST_FILES && values->file[k] != NULL && result == APP_OK; k++) {
        plumb_system *system = NULL;
        const char *slash = strrchr(values->file[k], '/'), *last = slash != NULL ? slash + 1 : values->file[k];
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(last, "."), last);
        result = app_system_load(command, values->file[k], &system);
        if (result == APP_OK)
            result = measure(run, name, system, false);
        plumb_system_destroy(system);
    }
    bench_progress_end();
    return result;
}

/* ---- Results ------------------------------------------------------------------------------------------------------- */

static void write_json(const void *data, FILE *out)
{
    const solve_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "solve", run->values->common.commit, &run->on);
    json_bool(&w, "quick", run->values->common.quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int k = 0; k < run->count; k++) {
        const solve_row *row = &run->row[k];
        json_open_object(&w, NULL);
        json_string(&w, "mode", "solve");
        json_string(&w, "system", row->system);
        json_int(&w, "n", row->n);
        json_string(&w, "precision", run->values->prec == APP_AUTO ? "auto" : app_precisions[run->values->prec]);
        json_string(&w, "start_kind", plumb_start_name(row->start));
        json_int(&w, "paths", row->paths);
        json_int(&w, "roots", row->roots);
        json_int(&w, "distinct_roots", row->distinct);
        json_int(&w, "lost_paths", row->lost);
        bench_gpu_json_number(&w, "us", 1e6 * (!isnan(row->gpu) ? row->gpu : !isnan(row->one) ? row->one : row->all));
        bench_gpu_json_number(&w, "cpu1_us", 1e6 * row->one);
        bench_gpu_json_number(&w, "cpuall_us", 1e6 * row->all);
        bench_gpu_json_number(&w, "phc_us", 1e6 * row->phc);
        if (!isnan(row->phc))
            json_int(&w, "phc_roots", row->phc_roots);
        bench_gpu_json_number(&w, "speedup", row->phc / row->one);
        json_close_object(&w);
    }
    json_close_array(&w);
    bench_json_end(&w);
}

static void print_seconds(FILE *out, double seconds)
{
    if (isnan(seconds))
        fprintf(out, " %10s", ".");
    else
        fprintf(out, " %10.4g", seconds);
}

static void print_table(const void *data, FILE *out)
{
    const solve_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s%s%s, on %s (%s, %d cores): seconds for all solutions\n"
            "  %-20s %3s %-16s %8s %8s %6s %10s %10s %10s %10s %8s\n",
            plumb_version(), run->on.gpu ? " on " : "", run->on.gpu ? run->on.device.name : "", m.cpu,
            plumb_context_isa(run->on.one), m.cores, "", "n", "start", "paths", "roots", "lost", "one core",
            "all cores", "gpu", "phc", "speedup");
    for (int k = 0; k < run->count; k++) {
        const solve_row *row = &run->row[k];
        fprintf(out, "  %-20s %3lld %-16s %8lld %8lld %6lld", row->system, (long long)row->n,
                plumb_start_name(row->start), (long long)row->paths, (long long)row->roots, (long long)row->lost);
        print_seconds(out, row->one);
        print_seconds(out, row->all);
        print_seconds(out, row->gpu);
        print_seconds(out, row->phc);
        if (isnan(row->phc))
            fprintf(out, " %8s\n", ".");
        else
            fprintf(out, " %8.1f\n", row->phc / row->one);
    }
    fprintf(out, "\nroots: with multiplicity. lost: paths that failed or are undecided. speedup: phc over one core.\n");
}

static int run_solve(const void *values)
{
    solve_values mine = *(const solve_values *)values;
    solve_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return app_fail(command, "out of memory");
    run->values = &mine;
    int result = bench_options_settle(command, &mine.common);
    if (result == APP_OK)
        result = bench_gpu_open(command, mine.common.backend, mine.common.isa, &run->on);
    if (result == APP_OK) {
        const double began = bench_now_ns();
        run->phc = !mine.no_phc && bench_phc_there();
        result = measure_all(run);
        run->seconds = (bench_now_ns() - began) * 1e-9;
        const int written = bench_write(command, &mine.common, write_json, print_table, run);
        result = result == APP_OK ? written : result;
    }
    bench_gpu_close(&run->on);
    free(run);
    return result;
}

static const app_option solve_table[] = {
    BENCH_BACKEND_OPTION(solve_values, "machine to measure; auto takes a GPU where there is one"),
    {'p', "precision", APP_WORD, offsetof(solve_values, prec), "PREC", "precision of the paths", NULL, 0, 0,
     app_precisions_auto},
    {0, "no-phc", APP_FLAG, offsetof(solve_values, no_phc), NULL, "do not time phc, where it is installed", NULL, 0, 0,
     NULL},
    {0, "large", APP_FLAG, offsetof(solve_values, large), NULL,
     "solve cyclic 8 to 10, too, on all cores and on the GPU", NULL, 0, 0, NULL},
    {0, "phc-seconds", APP_REAL, offsetof(solve_values, phc_seconds), "X", "maximum time of phc per system", NULL, 1,
     1e6, NULL},
    BENCH_COMMON_OPTIONS(solve_values, "measure small systems only, less exactly"),
    APP_OPTIONS_END,
};
static const solve_values solve_defaults = {
    .common = {.backend = PLUMB_BACKEND_AUTO}, .prec = APP_AUTO, .phc_seconds = 120};
static const char *const file_names[] = {"SYSTEM", NULL};

const app_command bench_solve_command = {
    .name = "solve",
    .summary = "time the solution of polynomial systems",
    .arguments = "[SYSTEM...] [OPTIONS]",
    .about =
        "Times plumb_solve, which finds all isolated solutions, on the systems in these files, or on cyclic, Katsura, "
        "Noonburg, economics and Reimer systems: on one core, on all cores and, where there is one, on a GPU. Where "
        "PHCpack is installed, the processor time of `phc -b -t1` is measured as well (`-b2` for dd, `-b4` for qd).",
    .options = solve_table,
    .defaults = &solve_defaults,
    .size = sizeof solve_defaults,
    .least_files = 0,
    .most_files = MOST_FILES,
    .file_names = file_names,
    .files = offsetof(solve_values, file),
    .run = run_solve,
};
