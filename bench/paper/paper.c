/* paper.c - plumb bench paper: reruns every experiment of the paper, or takes results from files, and writes a page with the
 * paper's numbers beside ours. */
#include "bench/paper/paper.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/options.h"
#include "bench/bench.h"
#include "bench/common/peak.h"
#include "bench/paper/page.h"

static const char command[] = "bench paper";

enum { MOST_N = 256, LEAST_N = 16 };
static const double default_budget = 180, most_budget = 86400;

typedef struct paper_options {
    bool json, quick, from;
    const char *output, *backend, *isa, *commit, *plots;
    int64_t most_n, count;
    double budget;
    const char *file[PAPER_MOST_SOURCES];
    int files;
} paper_options;

static int help(void)
{
    printf("usage: plumb bench paper [OPTIONS]\n"
           "       plumb bench paper --from FILE... [-o FILE] [--plots FOLDER]\n"
           "\n"
           "Reruns the experiments of Verschelde and Yoffe (2013), \"Orthogonalization on a General Purpose Graphics\n"
           "Processing Unit with Double Double and Quad Double Arithmetic\": QR, least squares and evaluation on one "
           "core,\n"
           "on all cores and on a GPU where there is one, and the accuracy of QR. Writes one HTML page with every "
           "table and\n"
           "figure, their numbers beside ours, and a verdict on each statement. gnuplot draws the figures. Takes "
           "minutes;\n"
           "times are scaled to the paper's 10,000 runs.\n"
           "\n"
           "options:\n"
           "  --from        measure nothing: draw the page from FILEs made elsewhere by this command with --json, "
           "several\n"
           "                machines side by side; files of bench accuracy, lsq, eval, newton and track add to it\n"
           "  -o FILE       write to FILE (default: standard output)\n"
           "  --json        write what was measured as JSON, without gnuplot (default: the page)\n"
           "  --plots FOLDER  write the two plots of the summary there as well, quality-up.svg and speedup.svg "
           "(default: no)\n"
           "  --backend B   auto, cpu or gpu (default: auto, a GPU where one is usable)\n"
           "  --isa NAME    the instruction set (default: PLUMB_ISA, else the best this processor has)\n"
           "  --quick       fewer and shorter samples, %d matrices for each g; says so in the page\n"
           "  --budget S    after S seconds the remaining times are taken as with --quick (default: %.0f)\n"
           "  --most-n N    leave out systems of more than N unknowns, at least %d (default: %d, all)\n"
           "  --count N     matrices for each g of the accuracy table (default: %d)\n"
           "  --commit HASH what to record as the commit (default: the one plumb was built from)\n"
           "  --help        this text\n",
           ACCURACY_QUICK_COUNT, default_budget, LEAST_N, MOST_N, ACCURACY_FULL_COUNT);
    return CLI_OK;
}

static int parse(int argc, char **argv, paper_options *o, int32_t *backend)
{
    const cli_option table[] = {{"--json", CLI_FLAG, &o->json, 0, 0},
                                {"--quick", CLI_FLAG, &o->quick, 0, 0},
                                {"--from", CLI_FLAG, &o->from, 0, 0},
                                {"-o", CLI_TEXT, &o->output, 0, 0},
                                {"--backend", CLI_TEXT, &o->backend, 0, 0},
                                {"--isa", CLI_TEXT, &o->isa, 0, 0},
                                {"--commit", CLI_TEXT, &o->commit, 0, 0},
                                {"--plots", CLI_TEXT, &o->plots, 0, 0},
                                {"--most-n", CLI_COUNT, &o->most_n, LEAST_N, MOST_N},
                                {"--count", CLI_COUNT, &o->count, 1, ACCURACY_MOST_COUNT},
                                {"--budget", CLI_REAL, &o->budget, 0, most_budget},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, o->file, PAPER_MOST_SOURCES};
    int result = cli_options_parse(&options, argc, argv, &o->files);
    if (result == CLI_OK)
        result = cli_option_backend(command, o->backend, backend);
    if (result != CLI_OK)
        return result;
    if (o->from && o->files == 0)
        return cli_misuse(command, "--from needs a file");
    if (!o->from && o->files > 0)
        return cli_misuse(command, "unexpected argument '%s'; files come with --from", o->file[0]);
    if (o->json && (o->from || o->plots != NULL))
        return cli_misuse(command, "--json writes what is measured: it does not go with --from or --plots");
    if (o->isa != NULL && plumb_cpu_isa_find(o->isa) == NULL)
        return cli_misuse(command, "--isa: '%s' is not an instruction set this build and processor have", o->isa);
    if (o->count == 0)
        o->count = o->quick ? ACCURACY_QUICK_COUNT : ACCURACY_FULL_COUNT;
    return CLI_OK;
}

/* ---- The page ------------------------------------------------------------------------------------------------ */

/* The whole text or nothing: a page is written when all of it is there. */
static int write_text(const char *path, const char *text)
{
    FILE *out = bench_output_open(command, path);
    if (out == NULL)
        return CLI_FAILED;
    fputs(text, out);
    return bench_output_close(command, out);
}

static int save_plots(const paper_options *o, const paper_plots *plots)
{
    int result = CLI_OK;
    for (int i = 0; o->plots != NULL && i < plots->count && i < 2 && result == CLI_OK; i++)
        result = paper_plot_save(&plots->plot[i], o->plots);
    return result;
}

static int draw(const paper_options *o, paper_sources *sources)
{
    char *text = NULL;
    size_t size;
    paper_plots *plots = calloc(1, sizeof *plots);
    if (plots == NULL)
        return cli_fail(command, "out of memory");
    paper_sources_settle(sources);
    paper_figures(sources, plots);
    int result = plots->count > 0 ? paper_plots_draw(plots) : CLI_OK;
    FILE *out = result == CLI_OK ? open_memstream(&text, &size) : NULL;
    if (out != NULL) {
        const paper_page page = {out, sources, plots};
        paper_page_write(&page);
    }
    if (result == CLI_OK && (out == NULL || fclose(out) != 0))
        result = cli_fail(command, "out of memory");
    if (result == CLI_OK)
        result = save_plots(o, plots);
    if (result == CLI_OK)
        result = write_text(o->output, text);
    free(text);
    paper_plots_free(plots);
    free(plots);
    return result;
}

/* ---- The subcommand ------------------------------------------------------------------------------------------ */

static int measure(const paper_options *o, int32_t backend, paper_sources *sources)
{
    char *json = NULL;
    size_t size;
    paper_run *run = calloc(1, sizeof *run);
    if (run == NULL)
        return cli_fail(command, "out of memory");
    run->quick = o->quick;
    run->commit = o->commit;
    run->budget = o->budget;
    run->most_n = o->most_n;
    int result = paper_measure(run, backend, o->isa, o->count);
    FILE *out = result == CLI_OK ? open_memstream(&json, &size) : NULL;
    if (out != NULL)
        paper_json(run, out);
    if (result == CLI_OK && (out == NULL || fclose(out) != 0))
        result = cli_fail(command, "out of memory");
    const bool failed = run->failed;
    bench_gpu_close(&run->on);
    plumb_system_destroy(run->system.system);
    free(run);
    if (result == CLI_OK && o->json)
        result = write_text(o->output, json);
    else if (result == CLI_OK)
        result = paper_sources_add_text(sources, "this run", json, size);
    if (result == CLI_OK && !o->json)
        result = draw(o, sources);
    free(json);
    return result == CLI_OK && failed ? CLI_FAILED : result;
}

int plumb_cli_bench_paper(int argc, char **argv)
{
    paper_options options = {
        .commit = plumb_bench_commit, .backend = "auto", .most_n = MOST_N, .budget = default_budget};
    int32_t backend;
    if (cli_wants_help(argc, argv))
        return help();
    int result = parse(argc, argv, &options, &backend);
    if (result != CLI_OK)
        return result;
    paper_sources *sources = calloc(1, sizeof *sources);
    if (sources == NULL)
        return cli_fail(command, "out of memory");
    if (!options.json) /* before minutes of measuring */
        result = paper_plots_possible();
    for (int i = 0; i < options.files && result == CLI_OK; i++)
        result = paper_sources_add_file(sources, options.file[i]);
    if (result == CLI_OK)
        result = options.from ? draw(&options, sources) : measure(&options, backend, sources);
    paper_sources_free(sources);
    free(sources);
    return result;
}
