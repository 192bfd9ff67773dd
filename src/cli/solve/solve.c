/* solve.c - plumb solve: all isolated solutions of a polynomial system. This file has the command line and the order of the
 * work. */
#include "cli/solve/solve.h"

#include <math.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/files.h"
#include "cli/cli.h"
#include "cli/family/family.h"

static const char *const starts[] = {"auto", "total", "multihomogeneous", "polyhedral", NULL}; /* as PLUMB_START_... */

static const app_option options[] = {
    APP_EQUATIONS(solve_words, equations),
    {0, "real", APP_FLAG, offsetof(solve_words, real), NULL, "only real solutions", NULL, 0, 0, NULL},
    {0, "positive", APP_FLAG, offsetof(solve_words, positive), NULL, "only real solutions with all unknowns above 0",
     NULL, 0, 0, NULL},
    {0, "nonzero", APP_FLAG, offsetof(solve_words, nonzero), NULL, "only solutions without zero coordinates", NULL, 0,
     0, NULL},
    {0, "start", APP_WORD, offsetof(solve_words, start), "KIND",
     "start system; auto takes the one with the fewest paths", NULL, 0, 0, starts},
    {'p', "precision", APP_WORD, offsetof(solve_words, prec), "PREC",
     "about 16, 32 or 64 digits; auto uses the precision that each part of a path needs", NULL, 0, 0,
     app_precisions_auto},
    APP_BACKEND(solve_words, backend),
    APP_THREADS(solve_words, threads),
    APP_MPI(solve_words, mpi),
    APP_SEED_OPTION(solve_words, seed, "(gamma, start system, patch)"),
    {0, "digits", APP_COUNT, offsetof(solve_words, digits), "N", "refine the solutions until N digits are known",
     "as they come from the paths", 1, 10000, NULL},
    {0, "max-digits", APP_COUNT, offsetof(solve_words, max_digits), "N",
     "maximum number of digits for paths whose outcome quad doubles cannot decide, and which are followed in MPFR; "
     "with 64 or less they are not followed",
     NULL, 1, 10000, NULL},
    {0, "certify", APP_FLAG, offsetof(solve_words, certify), NULL,
     "certify the solutions, as plumb certify does, and fail if a regular one cannot be certified (without this option "
     "and --at "
     "up to 10,000 solutions in up to 20 unknowns are certified, if FLINT is installed)",
     NULL, 0, 0, NULL},
    {0, "no-certify", APP_FLAG, offsetof(solve_words, no_certify), NULL, "skip certification", NULL, 0, 0, NULL},
    {0, "paths", APP_TEXT, offsetof(solve_words, paths), "A-B",
     "track only these paths, and keep the journal FILE.journal, which plumb merge takes", "all", 0, 0, NULL},
    {0, "plan", APP_FLAG, offsetof(solve_words, plan), NULL,
     "track only a sample of the paths, and estimate the time that all of them would take", NULL, 0, 0, NULL},
    {0, "max-steps", APP_COUNT, offsetof(solve_words, max_steps), "N", "maximum number of steps per path", NULL, 1,
     1e15, NULL},
    {0, "reruns", APP_COUNT, offsetof(solve_words, reruns), "N",
     "maximum number of times that a path that failed or shares a regular endpoint is tracked again, with shorter "
     "steps",
     NULL, 0, 8, NULL},
    {0, "largest", APP_REAL, offsetof(solve_words, largest), "X",
     "give up paths to solutions with an unknown above X, in the units of the system, and count them separately",
     "none", 100, 1e100, NULL},
    {0, "residual", APP_REAL, offsetof(solve_words, residual), "X",
     "with more equations than unknowns, accept points that miss the equations by at most X, relative to the sizes of "
     "their terms",
     "only exact solutions", 0, 1, NULL},
    {0, "cells", APP_STORE, offsetof(solve_words, cells), "FILE",
     "take the mixed cells from FILE, or enumerate and write them where there is none, so that parts of a run share "
     "them",
     "enumerated", 0, 0, NULL},
    {0, "at", APP_INPUT, offsetof(solve_words, at), "FILE",
     "solve a family for the values of its parameters in FILE, one target per row: .csv with the names of the "
     "parameters in its first line, or .npy; - is a stream of CSV; or for one target, such as a=1,b=1/3",
     NULL, 0, 0, NULL},
    {0, "map", APP_TEXT, offsetof(solve_words, map), "RANGES",
     "solve a family on a grid of two parameters, such as a=0:2:200,b=0:1:100, or along one, such as a=0:2:200, with "
     "the others fixed, such as c=1/3",
     NULL, 0, 0, NULL},
    {0, "neighbours", APP_COUNT, offsetof(solve_words, neighbours), "N",
     "with --at or --map: take targets in groups of N, and start each one from the solutions of the one before it; "
     "where this loses solutions, it is solved as without",
     "from the generic solutions", 2, 1e6, NULL},
    {0, "parameters", APP_TEXT, offsetof(solve_words, parameters), "LIST",
     "with --at or --map: these unknowns are parameters, such as a,b,c", "those that SYSTEM declares", 0, 0, NULL},
    {0, "family", APP_STORE, offsetof(solve_words, family), "FILE",
     "with --at or --map: take the solutions for generic parameters from FILE, or find and write them where there is "
     "none",
     "found and not written", 0, 0, NULL},
    {0, "count", APP_FLAG, offsetof(solve_words, count), NULL,
     "with --at or --map: only numbers of solutions, one line per target", NULL, 0, 0, NULL},
    {0, "special", APP_FLAG, offsetof(solve_words, anew), NULL,
     "with --at or --map: solve targets with fewer, multiple or infinite solutions by all paths of a start system, too",
     NULL, 0, 0, NULL},
    APP_OUTPUT_OPTION(
        solve_words, output,
        "write the solutions to FILE (.phc, .sol, .json or .csv; with --at .csv, .jsonl or .npy); - is standard "
        "output",
        "they are only shown"),
    {0, "resume", APP_FLAG, offsetof(solve_words, resume), NULL,
     "continue a run that was stopped, from the journal FILE.journal", NULL, 0, 0, NULL},
    {0, "path-log", APP_OUTPUT, offsetof(solve_words, path_log), "FILE",
     "write every accepted step to FILE, one JSON object per line (.jsonl)", "not written", 0, 0, NULL},
    {0, "plot", APP_OUTPUT, offsetof(solve_words, plot), "FILE",
     "draw all solutions, and behind them the paths of --path-log if there are at most 250; with --map the numbers of "
     "real (or --positive) solutions over two parameters, or the branches over one (.svg)",
     "not drawn", 0, 0, NULL},
    {0, "plot-coordinates", APP_TEXT, offsetof(solve_words, plot_coordinates), "LIST",
     "unknowns to draw, such as x,y,x:y: x is the complex plane of x, x:y has y against x for real solutions; "
     "with --map, x is x over the parameter",
     "the first 12", 0, 0, NULL},
    {0, "html", APP_OUTPUT, offsetof(solve_words, html), "FILE",
     "write a page with the system, a table and a picture of the solutions, and the account of the paths (.html); with "
     "--at, also a table of the targets",
     "not written", 0, 0, NULL},
    APP_JSON(solve_words, json),
    APP_QUIET(solve_words, quiet, "show no text and no progress"),
    APP_OPTIONS_END,
};

static const solve_words defaults = {.command = "solve",
                                     .prec = APP_AUTO,
                                     .seed = 1,
                                     .max_steps = 10000,
                                     .reruns = 2,
                                     .max_digits = 10000,
                                     .largest = (double)INFINITY};

static int check_words(solve_words *words)
{
    const char *command = words->command;
    static const app_format svg[] = {FORMAT_SVG, FORMAT_END}, html[] = {FORMAT_HTML, FORMAT_END},
                            lines[] = {FORMAT_LINES, FORMAT_END};
    app_format format;
    int result;
    if ((result = app_format_of(command, "--output", words->output, app_solution_formats, &words->output_format)) !=
            APP_OK ||
        (result = app_format_of(command, "--plot", words->plot, svg, &format)) != APP_OK ||
        (result = app_format_of(command, "--html", words->html, html, &format)) != APP_OK ||
        (result = app_format_of(command, "--path-log", words->path_log, lines, &format)) != APP_OK)
        return result;
    if (words->plan && (words->output != NULL || words->plot != NULL || words->html != NULL ||
                        words->path_log != NULL || words->paths != NULL || words->resume || words->mpi))
        return app_misuse(
            command, "--plan excludes --output, --plot, --html, --path-log, --resume, --paths and --mpi: it tracks "
                     "only a sample of the paths, and finds no solutions");
    if (words->plot_coordinates != NULL && words->plot == NULL)
        return app_misuse(command, "--plot-coordinates belongs to --plot");
    if (words->certify && words->no_certify)
        return app_misuse(command, "--certify and --no-certify exclude each other");
    if (app_is_stream(words->output) && words->json)
        return app_misuse(command, "--output - and --json cannot both have standard output");
    if (app_is_stream(words->path_log) || app_is_stream(words->plot) || app_is_stream(words->html) ||
        app_is_stream(words->cells))
        return app_misuse(command, "--path-log, --plot, --html and --cells need files; - is none");
    if (words->mpi && words->path_log != NULL)
        return app_misuse(command, "--mpi excludes --path-log: steps are not sent to rank 0");
    if (words->mpi && app_is_stream(words->file[0]))
        return app_misuse(command, "--mpi needs a file: standard input reaches one of the processes only");
    return APP_OK;
}

/* The exit status: 1, with one line about what may be missing, if not every path is accounted for. */
static int verdict(const solve_job *job)
{
    char line[256];
    const int32_t found = plumb_solve_verdict(&job->report, line, sizeof line);
    const bool kept = job->words->output != NULL && !app_is_stream(job->words->output);
    const char *next = found != PLUMB_SOLVE_STOPPED ? ""
                       : kept                       ? "; --resume continues it"
                                                    : "; a run with -o FILE can be continued by --resume";
    return line[0] ? app_fail(job->words->command, "%s%s", line, next) : APP_OK;
}

static int draw(const solve_job *job)
{
    app_picture picture = {
        .solutions = job->solutions, .report = &job->report, .largest = job->words->largest, .panels = &job->panels};
    return app_picture_save(job->words->command, &picture, job->log.path, job->words->plot);
}

static int answer(solve_job *job)
{
    const solve_words *words = job->words;
    FILE *out = app_is_stream(words->output) ? stderr : stdout; /* standard output has the solutions alone */
    int result = solve_output(job);
    plumb_solution_stream_destroy(job->stream); /* before the journal is removed */
    job->stream = NULL;
    if (result == APP_OK)
        solve_call_done(job);
    if (result == APP_OK && words->plot != NULL)
        result = draw(job);
    if (result == APP_OK && words->html != NULL)
        result = solve_page(job);
    if (result == APP_OK && words->json && !solve_answer_json(job, stdout))
        result = app_fail(words->command, "a solution is beyond the range of a double");
    if (result == APP_OK && !words->json && !words->quiet)
        solve_answer_text(job, out);
    if (result == APP_OK)
        result = verdict(job);
    return result != APP_OK ? result : solve_certify_verdict(job);
}

/* The start systems have been shown. */
static void answer_plan(const solve_job *job)
{
    if (job->words->json)
        solve_answer_plan_json(job, stdout);
    else if (!job->words->quiet)
        solve_answer_plan_text(job, stdout);
}

int solve_run(solve_words *words, const char *const *parts, bool fill)
{
    solve_job job = {.words = words, .parts = parts, .fill = fill};
    int result = check_words(words);
    if (result == APP_OK && words->mpi)
        result = app_ranks_begin(words->command);
    if (result == APP_OK)
        result = solve_call(&job);
    if (result == APP_OK && job.solutions != NULL && words->plan)
        answer_plan(&job);
    if (result == APP_OK && job.solutions != NULL && !words->plan)
        result = solve_certify(&job);
    if (result == APP_OK && job.solutions != NULL && !words->plan)
        result = answer(&job);
    app_log_end(&job.log);
    free(job.journal);
    plumb_certificates_destroy(job.certificates);
    plumb_solutions_destroy(job.solutions);
    plumb_solution_stream_destroy(job.stream);
    plumb_system_destroy(job.system);
    plumb_context_destroy(job.context);
    return app_ranks_end(result);
}

/* A family, at targets. */
static int run_family(const solve_words *words)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{words->nonzero, "--nonzero"},
                  {words->digits > 0, "--digits"},
                  {words->paths != NULL, "--paths"},
                  {words->plan, "--plan"},
                  {!isinf(words->largest), "--largest"},
                  {words->residual > 0.0, "--residual"},
                  {words->cells != NULL, "--cells"},
                  {words->path_log != NULL, "--path-log"},
                  {words->plot != NULL && words->map == NULL, "--plot without --map"},
                  {words->plot_coordinates != NULL && words->plot == NULL, "--plot-coordinates without --plot"}};
    static const app_format html[] = {FORMAT_HTML, FORMAT_END}, svg[] = {FORMAT_SVG, FORMAT_END};
    const char *at = words->map != NULL ? "--map" : "--at";
    app_format format;
    int result;
    if (words->at != NULL && words->map != NULL)
        return app_misuse(words->command, "--at and --map exclude each other");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return app_misuse(words->command, "%s excludes %s", at, others[k].name);
    if (words->output != NULL && words->json)
        return app_misuse(words->command, "%s excludes --json with --output: name a file that ends in .jsonl", at);
    if (app_is_stream(words->html) || app_is_stream(words->plot))
        return app_misuse(words->command, "--html and --plot need files; - is none");
    if ((words->html != NULL || words->plot != NULL) && (words->resume || words->mpi))
        return app_misuse(words->command,
                          "%s with --html or --plot excludes --resume and --mpi: they need all solutions", at);
    if ((result = app_format_of(words->command, "--plot", words->plot, svg, &format)) != APP_OK)
        return result;
    if (words->mpi && app_is_stream(words->file[0]))
        return app_misuse(words->command, "--mpi needs a file: standard input reaches one of the processes only");
    if ((result = app_format_of(words->command, "--html", words->html, html, &format)) != APP_OK)
        return result;
    if (app_is_stream(words->at) && app_is_stream(words->file[0]))
        return app_misuse(words->command, "the system and the targets cannot both come from standard input");
    const family_words family = {.command = words->command,
                                 .file = words->file[0],
                                 .equations = &words->equations,
                                 .at = words->at,
                                 .map = words->map,
                                 .plot = words->plot,
                                 .plot_coordinates = words->plot_coordinates,
                                 .neighbours = words->neighbours,
                                 .parameters = words->parameters,
                                 .store = words->family,
                                 .output = words->output,
                                 .html = words->html,
                                 .prec = words->prec,
                                 .backend = words->backend,
                                 .start = words->start,
                                 .real = words->real,
                                 .positive = words->positive,
                                 .count = words->count,
                                 .json = words->json,
                                 .quiet = words->quiet,
                                 .anew = words->anew,
                                 .certify = words->certify,
                                 .resume = words->resume,
                                 .mpi = words->mpi,
                                 .threads = words->threads,
                                 .max_steps = words->max_steps,
                                 .reruns = words->reruns,
                                 .seed = words->seed};
    return family_run(&family);
}

static int run_solve(const void *values)
{
    solve_words words = *(const solve_words *)values;
    if (words.at != NULL || words.map != NULL)
        return run_family(&words);
    if (words.parameters != NULL || words.family != NULL || words.count || words.anew || words.neighbours > 0)
        return app_misuse(words.command, "%s belongs to --at or --map",
                          words.neighbours > 0       ? "--neighbours"
                          : words.parameters != NULL ? "--parameters"
                          : words.family != NULL     ? "--family"
                          : words.count              ? "--count"
                                                     : "--special");
    return solve_run(&words, NULL, false);
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_solve = {
    .name = "solve",
    .summary = "find all isolated solutions of a polynomial system",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]\n"
                 "SYSTEM --at TARGETS [OPTIONS]\n"
                 "SYSTEM --map RANGES [OPTIONS]",
    .about =
        "Finds all isolated complex solutions of the polynomial system in SYSTEM (- is standard input), by tracking "
        "paths from the start system that has the fewest. Shows the numbers of paths of the start "
        "systems, the distinct solutions with the digits that are known, real ones first, and one line that accounts "
        "for every path. Solutions are certified where that is quick; the last line shows how many, and whether this "
        "proves that the list is complete.\n\n"
        "A family is a system with parameters, which the line 'parameters a, b;' before its equations declares. With "
        "--at or --map it is solved for generic complex parameters once, and along paths from there for every target. "
        "A "
        "target with fewer solutions than generic parameters is shown as special, or as incomplete if solutions may "
        "be missing.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(solve_words, file),
    .summary_shown = true,
    .run = run_solve,
    .after =
        "A solution is real if it equals its complex conjugate within its estimated error. Ctrl-C stops a run: what "
        "is finished is written, and --resume continues later to the same result.\n\n"
        "Exit status: 0 every path is accounted for; 1 some paths failed or are undecided, so that solutions may be "
        "missing, or a cluster of solutions was not resolved, or the run was stopped; 2 bad input or misuse. "
        "A stream of targets ends at a row that cannot be read, with status 2, after the targets before it.",
};
