/* paper.c - plumb-bench paper: reruns every experiment of the paper and writes the results, or has them drawn as a page with the
 * paper's numbers beside them (bench/report). */
#include "bench/paper/paper.h"

#include <stdlib.h>
#include <string.h>

#include "app/files.h"
#include "app/format.h"
#include "bench/bench.h"
#include "bench/common/script.h"

static const char command[] = "paper";

enum { MOST_N = 256, LEAST_N = 16, MOST_FILES = 256 };
static const double most_budget = 86400;

typedef struct paper_options {
    bench_options common;
    bool from;
    const char *plots;
    int64_t most_n, count;
    double budget;
    const char *file[MOST_FILES];
} paper_options;

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static const char *const how_keys[PAPER_HOWS] = {"cpu1_us", "cpuall_us", "gpu_us"};

static bool was_measured(const paper_case *c)
{
    return !isnan(c->us[PAPER_ONE_CORE]) || !isnan(c->us[PAPER_GPU]);
}

static void write_case(json_writer *w, const paper_case *c)
{
    json_open_object(w, NULL);
    json_string(w, "work", paper_work_names[c->work]);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", c->parts == PLUMB_REAL ? "real" : "complex");
    json_int(w, "n", c->n);
    if (c->recalibrates != 0)
        json_string(w, "recalibrates", plumb_prec_name(c->recalibrates));
    for (int how = 0; how < PAPER_HOWS; how++)
        bench_gpu_json_number(w, how_keys[how], c->us[how]);
    if (!isnan(c->us[PAPER_GPU])) {
        json_int(w, "gpu_runs", c->gpu_runs);
        json_double(w, "gpu_error", bench_rounded(c->gpu_error));
    }
    if (c->hurried)
        json_bool(w, "hurried", true);
    json_close_object(w);
}

static void write_json(const void *data, FILE *out)
{
    const paper_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "paper", run->commit, &run->on);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (was_measured(&run->cases[i])) /* the others were not reached before the run was stopped */
            write_case(&w, &run->cases[i]);
    json_close_array(&w);
    json_open_object(&w, "accuracy");
    accuracy_json_body(&run->accuracy, &w);
    json_close_object(&w);
    bench_json_end(&w);
}

/* ---- The page ----------------------------------------------------------------------------------------------------- */

/* Draws the page from files; standard input, "-", is that of the file given. */
static int draw(const paper_options *o, FILE *input)
{
    const char *arguments[MOST_FILES + 8] = {"paper"};
    int count = 1;
    if (o->common.output != NULL) {
        arguments[count++] = "-o";
        arguments[count++] = o->common.output;
    }
    if (o->plots != NULL) {
        arguments[count++] = "--plots";
        arguments[count++] = o->plots;
    }
    arguments[count++] = "--";
    for (int i = 0; i < MOST_FILES && o->file[i] != NULL; i++)
        arguments[count++] = o->file[i];
    if (input != NULL)
        arguments[count++] = "-";
    return input != NULL ? bench_script_run(command, arguments, input) : bench_script_become(command, arguments);
}

static int probe(void)
{
    static const char *const arguments[] = {"paper", "--probe", NULL};
    return bench_script_run(command, arguments, NULL);
}

/* ---- The command -------------------------------------------------------------------------------------------------- */

/* Draws what was measured, by way of a file without a name. */
static int draw_run(const paper_options *o, const paper_run *run)
{
    FILE *results = app_unnamed_file();
    if (results == NULL)
        return app_fail(command, "a temporary file could not be made");
    write_json(run, results);
    int result = fflush(results) == 0 ? draw(o, results) : app_fail(command, "a temporary file could not be written");
    fclose(results);
    return result;
}

static int measure(const paper_options *o, bool page)
{
    paper_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return app_fail(command, "out of memory");
    run->quick = o->common.quick;
    run->commit = o->common.commit;
    run->budget = o->budget;
    run->most_n = o->most_n;
    int result = bench_gpu_open(command, o->common.backend, o->common.isa, &run->on);
    if (result == APP_OK)
        result = paper_measure(run, o->count > 0 ? o->count : run->quick ? ACCURACY_QUICK_COUNT : ACCURACY_FULL_COUNT);
    if (result == APP_OK)
        result = page ? draw_run(o, run) : bench_write(command, &o->common, write_json, write_json, run);
    if (result == APP_OK && run->failed)
        result = APP_FAILED;
    bench_gpu_close(&run->on);
    plumb_system_destroy(run->system.system);
    free(run);
    return result;
}

static int check(paper_options *o, bool *page)
{
    static const app_format results[] = {PLUMB_FORMAT_JSON, FORMAT_HTML, FORMAT_END},
                            pages[] = {FORMAT_HTML, FORMAT_END}, json[] = {PLUMB_FORMAT_JSON, FORMAT_END};
    app_format format;
    if (o->from && o->file[0] == NULL)
        return app_misuse(command, "--from needs at least one file of results");
    if (!o->from && o->file[0] != NULL)
        return app_misuse(command, "unexpected argument '%s'; files of results are read with --from", o->file[0]);
    if (o->common.json && (o->from || o->plots != NULL))
        return app_misuse(command, "--json writes what is measured: it excludes --from and --plots");
    int result = app_format_of(command, "-o/--output", o->common.output,
                               o->from          ? pages
                               : o->common.json ? json
                                                : results,
                               &format);
    if (result != APP_OK)
        return result;
    *page = format == FORMAT_HTML || o->plots != NULL;
    if (o->plots != NULL && format != FORMAT_HTML)
        return app_misuse(command, "--plots belongs to a page: give its name with -o FILE.html");
    const char *output = o->common.output;
    o->common.output = NULL; /* checked above */
    result = bench_options_settle(command, &o->common);
    o->common.output = output;
    return result;
}

static int run_paper(const void *values)
{
    paper_options options = *(const paper_options *)values;
    bool page = false;
    int result = check(&options, &page);
    if (result == APP_OK && options.from)
        return draw(&options, NULL);
    if (result == APP_OK && page) /* before minutes of measuring */
        result = probe();
    return result == APP_OK ? measure(&options, page) : result;
}

static const char *const file_names[] = {"FILE", NULL};
static const app_option paper_table[] = {
    {0, "from", APP_FLAG, offsetof(paper_options, from), NULL,
     "measure nothing: draw the page from FILEs written earlier by this command, several machines side by side; files "
     "of "
     "plumb-bench accuracy, lsq, eval, newton and track add to it",
     NULL, 0, 0, NULL},
    APP_OUTPUT_OPTION(paper_options, common.output, "FILE.json: write the results; FILE.html: write the page",
                      "results as JSON on standard output"),
    {0, "plots", APP_FOLDER, offsetof(paper_options, plots), "FOLDER",
     "with a page, also write the two plots of its summary there, quality-up.svg and speedup.svg", "none", 0, 0, NULL},
    APP_JSON(paper_options, common.json),
    BENCH_BACKEND_OPTION(paper_options, "machine to measure; auto takes a GPU where there is one"),
    BENCH_TEXT(paper_options, "isa", isa, "NAME", "instruction set of the CPU kernels",
               "PLUMB_ISA, otherwise the best one of this processor"),
    BENCH_FLAG(paper_options, 0, "quick", quick,
               "take fewer and shorter samples and 50 matrices for each g; the page says so"),
    {0, "budget", APP_REAL, offsetof(paper_options, budget), "SECONDS",
     "after this time the remaining cases are sampled as with --quick", NULL, 0, most_budget, NULL},
    {0, "most-n", APP_COUNT, offsetof(paper_options, most_n), "N", "leave out systems with more than N unknowns", NULL,
     LEAST_N, MOST_N, NULL},
    {0, "count", APP_COUNT, offsetof(paper_options, count), "N", "number of matrices for each g of the accuracy table",
     "1000, with --quick 50", 1, ACCURACY_MOST_COUNT, NULL},
    BENCH_FLAG(paper_options, 'q', "quiet", quiet, "show no progress on the terminal"),
    BENCH_TEXT(paper_options, "commit", commit, "HASH", "commit that the results record",
               "the one that plumb-bench was built from"),
    APP_OPTIONS_END,
};
static const paper_options paper_defaults = {
    .common = {.backend = PLUMB_BACKEND_AUTO}, .most_n = MOST_N, .budget = 180};

const app_command bench_paper_command = {
    .name = "paper",
    .summary = "rerun the experiments of Verschelde and Yoffe (2013) and draw a page with both results",
    .arguments = "[OPTIONS]\n--from FILE... [-o PAGE.html] [--plots FOLDER]",
    .about =
        "Reruns the experiments of Verschelde and Yoffe (2013), \"Orthogonalization on a General Purpose Graphics "
        "Processing "
        "Unit with Double Double and Quad Double Arithmetic\": QR, least squares and evaluation on one core, on all "
        "cores and "
        "on a GPU where there is one, and the accuracy of QR. This takes minutes; times are scaled to the paper's "
        "10,000 "
        "runs. The page shows every table and figure with their numbers next to ours, and a verdict on each statement. "
        "Python 3 and gnuplot draw it.",
    .options = paper_table,
    .defaults = &paper_defaults,
    .size = sizeof paper_defaults,
    .most_files = MOST_FILES - 1,
    .file_names = file_names,
    .files = offsetof(paper_options, file),
    .run = run_paper,
};
