/* track.c - plumb track: follows the solutions of a start system to those of a target system. */
#include "cli/track/track.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/matrix_io.h"
#include "app/options.h"
#include "cli/cli.h"

static const char command[] = "track";

static int help(void)
{
    printf(
        "usage: plumb track --target FILE [--start FILE --solutions FILE] [OPTIONS]\n"
        "       plumb track --plot FILE --from-log FILE\n"
        "\n"
        "Follows the solutions of a start system g to those of a target system f along gamma (1-t) g + t f = 0, from\n"
        "t = 0 to t = 1. Without --start: from a start system of total degree and all its solutions, which are made "
        "when\n"
        "they are needed. Paths are counted from 1, in the order of the start solutions.\n"
        "\n"
        "options:\n"
        "  --target FILE     the system to solve ('-': standard input)\n"
        "  --start FILE      the start system (default: of total degree, made of the seed)\n"
        "  --solutions FILE  its solutions (default: all, where it is of the form x^d - c)\n"
        "  -p PREC           d, dd, qd, or auto: what each stretch of a path needs (default: auto)\n"
        "  --backend NAME    auto, cpu or gpu (default: auto)\n"
        "  --threads N       on the processor; the result does not depend on it (default: one a core)\n"
        "  --seed N          of gamma, the start system and everything random (default: 1)\n"
        "  --gamma RE,IM     (default: on the unit circle, made of the seed)\n"
        "  --affine          no homogeneous coordinates: paths to infinity are long (default: projective)\n"
        "  --no-scale        unknowns and equations as they are (default: by powers of two, where coefficients call "
        "for it)\n"
        "  --paths A-B       only these (default: all)\n"
        "  --tol X           of the ends, relative; 0: by precision (default: 0)\n"
        "  --max-steps N     of a path (default: 10000)\n"
        "  --turn X          most relative change of the inverse Jacobian in a step (default: 0.6)\n"
        "  --no-endgame      no circles around t = 1 for paths that get there only so (default: with endgame)\n"
        "  --max-winding N   turns that an endgame makes at most (default: 16)\n"
        "  --reruns N        times that paths with the same regular end are tracked again, with shorter steps "
        "(default: 2)\n"
        "  -o FILE           write the solutions, '-': to standard output (default: they are only counted)\n"
        "  --all             also the ends of paths that go to infinity or fail (default: only solutions)\n"
        "  --resume          go on with a run that was stopped: -o FILE has a FILE.journal then\n"
        "  --path-log FILE   write every accepted step, as JSON lines\n"
        "  --plot FILE       draw the paths, the step size and the precision, as SVG (needs gnuplot)\n"
        "  --from-log FILE   draw what this path log has, track nothing\n"
        "  --json            the summary as JSON (default: a table)\n"
        "  --quiet           no summary and no progress\n"
        "  --help            this text\n"
        "\n"
        "Ctrl-C stops: what is finished is written, and --resume goes on later to the same result.\n"
        "\n"
        "exit status: 0 every path ended at a solution or at infinity, 1 some failed or it was stopped, 2 bad input\n");
    return CLI_OK;
}

static int check_words(const track_words *words)
{
    if (words->from_log != NULL) {
        if (words->plot == NULL)
            return cli_misuse(command, "--from-log needs --plot FILE");
        if (words->target != NULL)
            return cli_misuse(command, "--from-log and --target exclude each other");
        return CLI_OK;
    }
    if (words->target == NULL)
        return cli_misuse(command, "no system given: --target FILE");
    if (words->solutions != NULL && words->start == NULL)
        return cli_misuse(command, "--solutions needs --start, the system they solve");
    if (cli_is_stream(words->target) + cli_is_stream(words->start) + cli_is_stream(words->solutions) > 1)
        return cli_misuse(command, "only one of --target, --start and --solutions can be standard input");
    if (cli_is_stream(words->output) && words->json)
        return cli_misuse(command, "-o - and --json cannot both have standard output");
    if (cli_is_stream(words->path_log) || cli_is_stream(words->plot))
        return cli_misuse(command, "a path log and a plot need files");
    return CLI_OK;
}

static int parse(int argc, char **argv, track_words *words)
{
    const cli_option table[] = {{"--target", CLI_TEXT, &words->target, 0, 0},
                                {"--start", CLI_TEXT, &words->start, 0, 0},
                                {"--solutions", CLI_TEXT, &words->solutions, 0, 0},
                                {"-p", CLI_TEXT, &words->prec, 0, 0},
                                {"--backend", CLI_TEXT, &words->backend, 0, 0},
                                {"--threads", CLI_COUNT, &words->threads, 0, 4096},
                                {"-t", CLI_COUNT, &words->threads, 0, 4096},
                                {"--seed", CLI_SEED, &words->seed, 0, 0},
                                {"--gamma", CLI_TEXT, &words->gamma, 0, 0},
                                {"--affine", CLI_FLAG, &words->affine, 0, 0},
                                {"--no-scale", CLI_FLAG, &words->no_scale, 0, 0},
                                {"--paths", CLI_TEXT, &words->paths, 0, 0},
                                {"--tol", CLI_REAL, &words->tol, 0, 0.01},
                                {"--max-steps", CLI_COUNT, &words->max_steps, 1, 1e15},
                                {"--turn", CLI_REAL, &words->turn, 1e-3, 1},
                                {"--no-endgame", CLI_FLAG, &words->no_endgame, 0, 0},
                                {"--max-winding", CLI_COUNT, &words->max_winding, 1, 1024},
                                {"--reruns", CLI_COUNT, &words->reruns, 0, 8},
                                {"-o", CLI_TEXT, &words->output, 0, 0},
                                {"--all", CLI_FLAG, &words->all, 0, 0},
                                {"--resume", CLI_FLAG, &words->resume, 0, 0},
                                {"--path-log", CLI_TEXT, &words->path_log, 0, 0},
                                {"--plot", CLI_TEXT, &words->plot, 0, 0},
                                {"--from-log", CLI_TEXT, &words->from_log, 0, 0},
                                {"--json", CLI_FLAG, &words->json, 0, 0},
                                {"--quiet", CLI_FLAG, &words->quiet, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, NULL, 0};
    int files;
    int result = cli_options_parse(&options, argc, argv, &files);
    return result == CLI_OK ? check_words(words) : result;
}

/* 1 where a path failed or was not finished. */
static int verdict(const track_run *run)
{
    for (int64_t k = 0; k < run->job->count; k++)
        if (run->states[k].line < 0 || track_failed(&run->states[k]))
            return CLI_FAILED;
    return CLI_OK;
}

/* *kept: the solutions are where they belong. */
static int finish(track_run *run, bool *kept)
{
    const track_words *words = run->job->words;
    int result = track_output_solutions(run);
    *kept = result == CLI_OK;
    if (result == CLI_OK && words->plot != NULL)
        result = track_plot(run->log.path, words->plot);
    if (result == CLI_OK && !words->quiet && !(words->json ? track_report_json(run) : track_report_text(run)))
        result = cli_fail(command, "the journal could not be read");
    return result != CLI_OK ? result : verdict(run);
}

/* A journal of a run that did not begin is of no use to anyone. */
static bool is_empty(const track_run *run)
{
    for (int64_t k = 0; run->states != NULL && k < run->job->count; k++)
        if (run->states[k].line >= 0)
            return false;
    return !run->journal.resumed;
}

static int track(const track_job *job)
{
    track_run run = {.job = job, .progress = {.wanted = !job->words->quiet && isatty(STDERR_FILENO)}};
    int result = job->words->plot != NULL ? track_plot_check() : CLI_OK;
    bool kept = false;
    if (result == CLI_OK)
        result = track_journal_open(job, &run.journal);
    if (result == CLI_OK)
        result = track_log_open(job, run.journal.resumed, &run.log);
    if (result == CLI_OK)
        result = track_run_paths(&run);
    if (result == CLI_OK)
        result = finish(&run, &kept);
    track_log_close(&run.log);
    track_journal_close(&run.journal, !run.stopped && (kept || is_empty(&run)));
    free(run.states);
    free(run.multiplicity);
    return result;
}

int plumb_cli_track(int argc, char **argv)
{
    track_words words = {
        .prec = "auto", .backend = "auto", .seed = 1, .max_steps = 10000, .max_winding = 16, .reruns = 2, .turn = 0.6};
    if (cli_wants_help(argc, argv))
        return help();
    int result = parse(argc, argv, &words);
    if (result != CLI_OK)
        return result;
    if (words.from_log != NULL)
        return track_plot(words.from_log, words.plot);
    track_job job = {.words = &words};
    result = track_job_load(&job);
    if (result == CLI_OK)
        result = track(&job);
    track_job_clear(&job);
    return result;
}
