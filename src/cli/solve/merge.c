/* merge.c - plumb merge: the solutions of a system whose paths were tracked in parts, by plumb solve --paths on as many computers as one
 * likes.
 *
 * The journals of the parts have the results, and say with which options they were computed; merge takes these options from the
 * first one. It is then the run of plumb solve that has all these results already. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "cli/cli.h"
#include "cli/solve/solve.h"
#include "text/json/read.h"
#include "text/lines.h"

static const char command[] = "merge";

enum { MOST_PARTS = 10000 };

typedef struct merge_words {
    const char *file[MOST_PARTS + 2]; /* the system, the journals, NULL */
    const char *output, *plot, *plot_coordinates, *html;
    int64_t threads, digits, max_digits;
    double residual;
    bool certify, no_certify, real, positive, nonzero, json, resume, quiet, mpi, fill;
} merge_words;

static const app_option options[] = {
    {0, "fill", APP_FLAG, offsetof(merge_words, fill), NULL, "track the paths that no part has",
     "they are reported, and nothing is written", 0, 0, NULL},
    {0, "real", APP_FLAG, offsetof(merge_words, real), NULL, "only real solutions", NULL, 0, 0, NULL},
    {0, "positive", APP_FLAG, offsetof(merge_words, positive), NULL, "only real solutions with all unknowns above 0",
     NULL, 0, 0, NULL},
    {0, "nonzero", APP_FLAG, offsetof(merge_words, nonzero), NULL,
     "only solutions without zero coordinates, as it was for the parts", NULL, 0, 0, NULL},
    APP_THREADS(merge_words, threads),
    APP_MPI(merge_words, mpi),
    {0, "digits", APP_COUNT, offsetof(merge_words, digits), "N", "refine the solutions until N digits are known",
     "as they come from the paths", 1, 10000, NULL},
    {0, "max-digits", APP_COUNT, offsetof(merge_words, max_digits), "N",
     "maximum number of digits for paths whose outcome quad doubles cannot decide, and which are followed in MPFR",
     NULL, 1, 10000, NULL},
    {0, "residual", APP_REAL, offsetof(merge_words, residual), "X",
     "with more equations than unknowns, accept points that miss the equations by at most X, as plumb solve does",
     "only exact solutions", 0, 1, NULL},
    {0, "certify", APP_FLAG, offsetof(merge_words, certify), NULL,
     "certify the solutions (default for up to 10,000 solutions in up to 20 unknowns)", NULL, 0, 0, NULL},
    {0, "no-certify", APP_FLAG, offsetof(merge_words, no_certify), NULL, "skip certification", NULL, 0, 0, NULL},
    APP_OUTPUT_OPTION(merge_words, output,
                      "write the solutions to FILE (.phc, .sol, .json or .csv); - is standard output",
                      "they are only shown"),
    {0, "resume", APP_FLAG, offsetof(merge_words, resume), NULL,
     "continue a merge that was stopped, from the journal FILE.journal", NULL, 0, 0, NULL},
    {0, "plot", APP_OUTPUT, offsetof(merge_words, plot), "FILE", "draw all solutions (.svg)", "not drawn", 0, 0, NULL},
    {0, "plot-coordinates", APP_TEXT, offsetof(merge_words, plot_coordinates), "LIST",
     "unknowns to draw, such as x,y,x:y: x is the complex plane of x, x:y has y against x for real solutions",
     "the first 12", 0, 0, NULL},
    {0, "html", APP_OUTPUT, offsetof(merge_words, html), "FILE",
     "write a page with the system, a table and a picture of the solutions, and the account of the paths (.html)",
     "not written", 0, 0, NULL},
    APP_JSON(merge_words, json),
    APP_QUIET(merge_words, quiet, "show no text and no progress"),
    APP_OPTIONS_END,
};

static const merge_words defaults = {.max_digits = 10000};

/* ---- The options of the parts ------------------------------------------------------------------------------------------ */

static int find_word(const char *const *words, const char *word)
{
    for (int k = 0; words[k] != NULL; k++)
        if (word != NULL && strcmp(words[k], word) == 0)
            return k;
    return -1;
}

static bool read_count(const json_node *root, const char *key, uint64_t *value)
{
    const char *text = json_member_string(root, key, "");
    char *end = NULL;
    *value = strtoull(text, &end, 10);
    return end != text && *end == '\0';
}

static bool read_real(const json_node *root, const char *key, double *value)
{
    const char *text = json_member_string(root, key, "");
    return plumb_number_read(text, strlen(text), PLUMB_D, value, NULL, NULL) == PLUMB_OK;
}

/* The first line of a journal has them as they were typed. What else it has is compared later. */
static bool read_options(const char *line, size_t length, solve_words *words)
{
    static const char *const starts[] = {"auto", "total", "multihomogeneous", "polyhedral", NULL};
    json_node *root = NULL;
    uint64_t steps = 0, reruns = 0;
    if (json_read(line, length, &root, NULL) != PLUMB_OK)
        return false;
    words->prec = find_word(app_precisions_auto, json_member_string(root, "--precision", NULL));
    words->backend = find_word(app_backends, json_member_string(root, "--backend", NULL));
    words->start = find_word(starts, json_member_string(root, "--start", NULL));
    const bool good = words->prec >= 0 && words->backend >= 0 && words->start >= 0 &&
                      read_count(root, "--seed", &words->seed) && read_count(root, "--max-steps", &steps) &&
                      read_count(root, "--reruns", &reruns) && read_real(root, "--largest", &words->largest);
    words->max_steps = (int64_t)steps;
    words->reruns = (int64_t)reruns;
    json_free(root);
    return good;
}

static int read_first(const char *name, solve_words *words)
{
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return app_misuse(command, "%s could not be read; expected a journal of plumb solve --paths", name);
    text_lines lines = lines_begin(file);
    const bool good =
        lines_next(&lines) == PLUMB_OK && lines.text != NULL && read_options(lines.text, lines.length, words);
    lines_end(&lines);
    fclose(file);
    return good ? APP_OK
                : app_misuse(command, "%s is not a journal of plumb solve, or its first line is damaged", name);
}

/* ---- The command ----------------------------------------------------------------------------------------------------------- */

static int run_merge(const void *values)
{
    const merge_words *m = values;
    solve_words words = {.command = command,
                         .file = {m->file[0]},
                         .output = m->output,
                         .plot = m->plot,
                         .plot_coordinates = m->plot_coordinates,
                         .html = m->html,
                         .certify = m->certify,
                         .no_certify = m->no_certify,
                         .real = m->real,
                         .positive = m->positive,
                         .nonzero = m->nonzero,
                         .json = m->json,
                         .resume = m->resume,
                         .quiet = m->quiet,
                         .mpi = m->mpi,
                         .threads = m->threads,
                         .digits = m->digits,
                         .max_digits = m->max_digits,
                         .residual = m->residual};
    int result = read_first(m->file[1], &words);
    return result == APP_OK ? solve_run(&words, m->file + 1, m->fill) : result;
}

static const char *const file_names[] = {"SYSTEM", "JOURNAL", NULL};

const app_command plumb_cli_merge = {
    .name = "merge",
    .summary = "find the solutions of a system whose paths were tracked in parts",
    .arguments = "SYSTEM JOURNAL... [OPTIONS]",
    .about =
        "Puts together what plumb solve SYSTEM --paths A-B -o FILE has computed in parts, on any computers, in any "
        "order: JOURNAL is the file FILE.journal of a part. Options that the paths depend on are taken from "
        "there. Compares the endpoints of all paths, tracks paths again where necessary, and writes what one run of "
        "plumb solve would have written, byte for byte. Parts may overlap. Journals of another system, of other "
        "options or of another version are refused, and so are parts that leave paths out.",
    .options = options,
    .defaults = &defaults,
    .size = sizeof defaults,
    .least_files = 2,
    .most_files = MOST_PARTS + 1,
    .file_names = file_names,
    .files = offsetof(merge_words, file),
    .summary_shown = true,
    .run = run_merge,
    .after =
        "Exit status: 0 every path is accounted for; 1 some paths failed or are undecided, so that solutions may be "
        "missing, or a cluster of solutions was not resolved, or the run was stopped; 2 bad input or misuse.",
};
