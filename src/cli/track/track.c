/* track.c - plumb track: follows the solutions of a start system to those of a target system. This file has the command line
 * and the order of the work. */
#include "cli/track/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/command/command.h"
#include "app/files.h"
#include "cli/cli.h"
#include "solver/run/crew.h"

static const char command[] = "track";

const run_voice track_voice = {&app_host, command, NULL};

static const app_option options[] = {
    APP_EQUATIONS(track_words, equations),
    {0, "start", APP_INPUT, offsetof(track_words, start), "FILE", "start system",
     "one of total degree, derived from the seed", 0, 0, NULL},
    {0, "start-solutions", APP_INPUT, offsetof(track_words, solutions), "FILE", "solutions of the start system",
     "all, where it has the form x^d - c", 0, 0, NULL},
    {'p', "precision", APP_WORD, offsetof(track_words, prec), "PREC",
     "about 16, 32 or 64 digits; auto uses the precision that each part of a path needs", NULL, 0, 0,
     app_precisions_auto},
    APP_BACKEND(track_words, backend),
    APP_THREADS(track_words, threads),
    APP_MPI(track_words, mpi),
    APP_SEED_OPTION(track_words, seed, "(gamma, start system, patch)"),
    {0, "gamma", APP_TEXT, offsetof(track_words, gamma), "RE,IM", "the constant gamma",
     "on the unit circle, derived from the seed", 0, 0, NULL},
    {0, "affine", APP_FLAG, offsetof(track_words, affine), NULL,
     "use affine instead of homogeneous coordinates: paths to infinity become long", NULL, 0, 0, NULL},
    {0, "no-scale", APP_FLAG, offsetof(track_words, no_scale), NULL,
     "leave unknowns and equations as they are; otherwise they are scaled by powers of two where the coefficients "
     "differ much "
     "in size",
     NULL, 0, 0, NULL},
    {0, "paths", APP_TEXT, offsetof(track_words, paths), "A-B", "track only these paths", "all", 0, 0, NULL},
    {0, "tol", APP_REAL, offsetof(track_words, tol), "X", "relative tolerance of the endpoints",
     "what the precision allows", 0, 0.01, NULL},
    {0, "max-steps", APP_COUNT, offsetof(track_words, max_steps), "N", "maximum number of steps per path", NULL, 1,
     1e15, NULL},
    {0, "turn", APP_REAL, offsetof(track_words, turn), "X",
     "maximum relative change of the inverse Jacobian per step: smaller is slower and safer", NULL, 1e-3, 1, NULL},
    {0, "largest", APP_REAL, offsetof(track_words, largest), "X",
     "give up paths to roots with an unknown above X, in the units of the system, and count them separately", "none",
     100, 1e100, NULL},
    {0, "no-endgame", APP_FLAG, offsetof(track_words, no_endgame), NULL,
     "omit the endgame: no steps in log(1 - t) and no circles around t = 1, so that paths to singular endpoints "
     "fail",
     NULL, 0, 0, NULL},
    {0, "max-winding", APP_COUNT, offsetof(track_words, max_winding), "N",
     "maximum number of turns of a circle around t = 1", NULL, 1, 1024, NULL},
    {0, "reruns", APP_COUNT, offsetof(track_words, reruns), "N",
     "maximum number of times that paths with the same regular endpoint are tracked again, with shorter steps", NULL, 0,
     8, NULL},
    APP_OUTPUT_OPTION(track_words, output,
                      "write the solutions to FILE (.phc, .sol, .json or .csv); - is standard output",
                      "they are only counted"),
    {0, "all", APP_FLAG, offsetof(track_words, all), NULL,
     "write also the endpoints of paths that went to infinity or failed", NULL, 0, 0, NULL},
    {0, "resume", APP_FLAG, offsetof(track_words, resume), NULL,
     "continue a run that was stopped, from the journal FILE.journal", NULL, 0, 0, NULL},
    {0, "path-log", APP_OUTPUT, offsetof(track_words, path_log), "FILE",
     "write every accepted step to FILE, one JSON object per line (.jsonl)", "not written", 0, 0, NULL},
    {0, "plot", APP_OUTPUT, offsetof(track_words, plot), "FILE",
     "draw the paths, the step size and the precision (.svg; needs gnuplot)", "not drawn", 0, 0, NULL},
    {0, "from-log", APP_INPUT, offsetof(track_words, from_log), "FILE",
     "draw the paths of this path log and track nothing", NULL, 0, 0, NULL},
    APP_JSON(track_words, json),
    APP_QUIET(track_words, quiet, "show neither summary nor progress"),
    APP_OPTIONS_END,
};

static const track_words defaults = {.prec = APP_AUTO,
                                     .seed = 1,
                                     .max_steps = 10000,
                                     .max_winding = 16,
                                     .reruns = 2,
                                     .turn = 0.6,
                                     .largest = (double)INFINITY};

static int check_words(track_words *words)
{
    static const app_format svg[] = {FORMAT_SVG, FORMAT_END}, lines[] = {FORMAT_LINES, FORMAT_END};
    app_format format;
    int result;
    if ((result = app_format_of(command, "--output", words->output, app_solution_formats, &words->output_format)) !=
            APP_OK ||
        (result = app_format_of(command, "--plot", words->plot, svg, &format)) != APP_OK ||
        (result = app_format_of(command, "--path-log", words->path_log, lines, &format)) != APP_OK)
        return result;
    if (words->from_log != NULL) {
        if (words->plot == NULL)
            return app_misuse(command, "--from-log needs --plot FILE");
        if (words->file[0] != NULL || words->equations.count > 0)
            return app_misuse(command, "--from-log and a system exclude each other; found '%s'",
                              words->file[0] != NULL ? words->file[0] : words->equations.text[0]);
        return APP_OK;
    }
    if (words->file[0] == NULL && words->equations.count == 0)
        return app_misuse(command, "the argument SYSTEM is missing; usage: plumb track SYSTEM [OPTIONS]");
    if (words->solutions != NULL && words->start == NULL)
        return app_misuse(command, "--start-solutions needs --start, the system they solve");
    if (app_is_stream(words->file[0]) + app_is_stream(words->start) + app_is_stream(words->solutions) > 1)
        return app_misuse(command, "only one of SYSTEM, --start and --start-solutions can be standard input");
    if (words->resume && words->plot != NULL && words->path_log == NULL)
        return app_misuse(command,
                          "--resume with --plot needs --path-log: the steps of paths that ended before are there");
    if (app_is_stream(words->output) && words->json)
        return app_misuse(command, "--output - and --json cannot both have standard output");
    if (app_is_stream(words->path_log) || app_is_stream(words->plot))
        return app_misuse(command, "--path-log and --plot need files; - is none");
    if (words->mpi && (words->path_log != NULL || words->plot != NULL))
        return app_misuse(command, "--mpi excludes --path-log and --plot: steps are not sent to rank 0");
    if (words->mpi && (app_is_stream(words->file[0]) || app_is_stream(words->start) || app_is_stream(words->solutions)))
        return app_misuse(command, "--mpi needs files: standard input reaches one of the processes only");
    return APP_OK;
}

/* The exit status: 1, with one line, if a path failed or was not finished. */
static int verdict(const run_state *run)
{
    int64_t failed = 0, finished = 0, count = run->job->count;
    const char *plural = count == 1 ? "" : "s";
    for (int64_t k = 0; k < count; k++) {
        finished += run->states[k].line >= 0;
        failed += run_path_failed(&run->states[k]);
    }
    if (run->stopped)
        return app_fail(command, "the run was stopped; %lld of %lld path%s finished", (long long)finished,
                        (long long)count, plural);
    failed += count - finished;
    if (failed > 0)
        return app_fail(command, "%lld of %lld path%s failed", (long long)failed, (long long)count, plural);
    return APP_OK;
}

/* *kept: the solutions are written, so the journal has served. */
static int finish(run_state *run, const app_log *log, bool *kept)
{
    const track_words *words = track_words_of(run);
    int result = track_output_solutions(run);
    *kept = result == APP_OK;
    if (result == APP_OK && words->plot != NULL)
        result = run_log_flush(&run->log, true) ? app_plot_run(command, log->path, words->plot, run->stopped)
                                                : run_log_fail(&run->log);
    if (result == APP_OK && !words->quiet && !(words->json ? track_report_json(run) : track_report_text(run)))
        result = app_fail(command, "the journal could not be read");
    return result != APP_OK ? result : verdict(run);
}

static int track_paths_of(const track_input *input, const app_log *log)
{
    run_state run;
    bool kept = false;
    app_stop_on_signals();
    int result = run_paths(&run, &input->job);
    app_progress_end();
    if (result == APP_OK)
        result = finish(&run, log, &kept);
    run_end(&run, kept);
    return result;
}

static int track(track_input *input)
{
    const track_words *words = input->words;
    const char *const others[] = {words->file[0], words->start, words->solutions, words->path_log, words->plot};
    char *journal = NULL;
    app_log log = {.path = NULL};
    int result = words->plot != NULL ? app_plot_check(command) : APP_OK;
    if (result == APP_OK)
        result = app_journal_path(command, words->output, others, 5, words->resume, &journal);
    if (result == APP_OK)
        result = app_log_begin(command, words->path_log, words->plot, &log);
    input->job.journal = journal;
    input->job.path_log = log.path;
    if (result == APP_OK)
        result = track_paths_of(input, &log);
    app_log_end(&log);
    free(journal);
    return result;
}

static int run_track(const void *values)
{
    track_words words = *(const track_words *)values;
    int result = check_words(&words);
    if (result != APP_OK)
        return result;
    if (words.from_log != NULL)
        return app_plot(command, words.from_log, words.plot);
    track_input input = {.words = &words};
    if (words.mpi)
        result = app_ranks_begin(command);
    if (result == APP_OK)
        result = track_input_load(&input);
    if (result == APP_OK && app_is_worker()) {
        app_stop_on_signals();
        result = run_crew_serve(&input.job);
    } else if (result == APP_OK) {
        result = track(&input);
    }
    track_input_clear(&input);
    return app_ranks_end(result);
}

static const char *const file_names[] = {"SYSTEM", NULL};

const app_command plumb_cli_track = {
    .name = "track",
    .summary = "find the solutions of a polynomial system by path tracking",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]\n"
                 "SYSTEM --start FILE [--start-solutions FILE] [OPTIONS]\n"
                 "--plot FILE --from-log FILE",
    .about = "Follows the solutions of a start system g to those of the polynomial system f in SYSTEM (- is standard "
             "input) along "
             "gamma (1-t) g + t f = 0, from t = 0 to t = 1. Without --start, g is a start system of total degree, and "
             "all its "
             "solutions are made as they are needed. Paths are counted from 1, in the order of the start solutions.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 0,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(track_words, file),
    .summary_shown = true,
    .run = run_track,
    .after = "Ctrl-C stops a run: what is finished is written, and --resume continues later to the same result.\n\n"
             "Exit status: 0 every path ended at a solution or at infinity; 1 some paths failed or the run was "
             "stopped; 2 bad "
             "input or misuse.",
};
