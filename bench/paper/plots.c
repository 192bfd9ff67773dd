/* plots.c - see bench_paper_plots.h.
 *
 * gnuplot reads one script from a file without a name and writes one SVG after the other to a pipe: nothing is left behind
 * when the program is stopped half-way. The script draws in marker colours, which become CSS variables here. */
#include "bench/paper/plots.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app.h"
#include "bench/common/common.h"

static const char command[] = "bench paper";
extern char **environ;

enum { INK = 1, GRID = 2, BAR_STEP = 16 }; /* markers: rgb(1,1,1), rgb(2,2,2), rgb(16k,0,0) */

paper_plot *paper_plot_add(paper_plots *plots, const char *id, const char *x, const char *y)
{
    if (plots->count == PAPER_MOST_PLOTS)
        return NULL;
    paper_plot *plot = &plots->plot[plots->count++];
    *plot = (paper_plot){.x = x, .y = y};
    snprintf(plot->id, sizeof plot->id, "%s", id);
    return plot;
}

plot_series *paper_plot_series(paper_plot *plot, const char *name, int colour)
{
    if (plot->series_count == PLOT_SERIES)
        return NULL;
    plot_series *s = &plot->series[plot->series_count++];
    *s = (plot_series){.colour = colour};
    snprintf(s->name, sizeof s->name, "%s", name);
    for (int g = 0; g < PLOT_GROUPS; g++)
        s->value[g] = (double)NAN;
    return s;
}

/* ---- The script ---------------------------------------------------------------------------------------------- */

static bool has_values(const paper_plot *plot, const plot_series *s)
{
    for (int g = 0; g < plot->groups; g++)
        if (isfinite(s->value[g]) && s->value[g] > 0)
            return true;
    return false;
}

/* Bars begin at the power of ten below the least. */
static double bottom_of(const paper_plot *plot)
{
    double least = (double)INFINITY;
    for (int k = 0; k < plot->series_count; k++)
        for (int g = 0; g < plot->groups; g++)
            if (plot->series[k].value[g] > 0)
                least = fmin(least, plot->series[k].value[g]);
    return isfinite(least) ? pow(10.0, floor(log10(least))) : 1.0;
}

static void write_plot(FILE *script, const paper_plot *plot, int number)
{
    const char *before = "plot ";
    fprintf(script, "$plot%d << EOD\n", number);
    for (int g = 0; g < plot->groups; g++) {
        fprintf(script, "\"%s\"", plot->group[g]);
        for (int k = 0; k < plot->series_count; k++)
            if (isfinite(plot->series[k].value[g]) && plot->series[k].value[g] > 0)
                fprintf(script, " %.6g", plot->series[k].value[g]);
            else
                fprintf(script, " ?");
        fprintf(script, "\n");
    }
    fprintf(script, "EOD\nset output\nset terminal svg size 760,400 dynamic font 'sans-serif,14' noenhanced\n");
    fprintf(script, "set xlabel '%s' textcolor rgb '#010101'\nset ylabel '%s' textcolor rgb '#010101'\n", plot->x,
            plot->y);
    fprintf(script, "set yrange [%g:*]\n", bottom_of(plot));
    for (int k = 0; k < plot->series_count; k++)
        if (has_values(plot, &plot->series[k])) {
            fprintf(script, "%s$plot%d using %d:xtic(1) title \"%s\" linecolor rgb '#%02x0000'", before, number, k + 2,
                    plot->series[k].name, (unsigned)(BAR_STEP * plot->series[k].colour));
            before = ", ";
        }
    fprintf(script, "\n");
}

static void write_script(FILE *script, const paper_plots *plots)
{
    fprintf(script, "set datafile missing '?'\n"
                    "set border 3 linecolor rgb '#010101'\n"
                    "set key outside top center horizontal textcolor rgb '#010101'\n"
                    "set tics nomirror scale 0.5 textcolor rgb '#010101'\n"
                    "set grid ytics linecolor rgb '#020202'\n"
                    "set style data histograms\n"
                    "set style histogram clustered gap 1\n"
                    "set style fill solid noborder\n"
                    "set boxwidth 0.9\n"
                    "set logscale y\n"
                    "set format y '%%g'\n");
    for (int i = 0; i < plots->count; i++)
        write_plot(script, &plots->plot[i], i);
}

/* ---- gnuplot ------------------------------------------------------------------------------------------------- */

/* Starts it with the script as its input; -1 or the end of its output, and its process. */
static int start_gnuplot(int script, pid_t *process, int *failure)
{
    char *const arguments[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    int output[2];
    *failure = pipe(output) == 0 ? 0 : errno;
    if (*failure != 0)
        return -1;
    *failure = posix_spawn_file_actions_init(&actions);
    if (*failure == 0) {
        posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
        posix_spawn_file_actions_addclose(&actions, output[0]);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1 /* O_WRONLY */, 0);
        *failure = posix_spawnp(process, "gnuplot", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(output[1]);
    if (*failure == 0)
        return output[0];
    close(output[0]);
    return -1;
}

static int say_failure(int failure)
{
    if (failure == ENOENT)
        return cli_fail(command, "gnuplot was not found: install it, or measure with --json and draw with --from");
    return cli_fail(command, "gnuplot could not be started: %s", strerror(failure));
}

/* What gnuplot makes of a script; *drawings goes back to free. */
static int run_gnuplot(FILE *script, char **drawings)
{
    size_t size, got;
    char piece[4096];
    int failure, status = 0;
    pid_t process;
    *drawings = NULL;
    if (script == NULL || fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0)
        return cli_fail(command, "the script for gnuplot could not be written");
    int end = start_gnuplot(fileno(script), &process, &failure);
    FILE *output = end >= 0 ? fdopen(end, "r") : NULL, *all = open_memstream(drawings, &size);
    while (output != NULL && all != NULL && (got = fread(piece, 1, sizeof piece, output)) > 0)
        fwrite(piece, 1, got, all);
    bool complete = all != NULL && fclose(all) == 0;
    if (output != NULL)
        fclose(output);
    if (end < 0)
        return say_failure(failure);
    if (waitpid(process, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !complete)
        return cli_fail(command, "gnuplot failed to draw the plots");
    return CLI_OK;
}

int paper_plots_possible(void)
{
    char *nothing;
    FILE *script = tmpfile();
    int result = run_gnuplot(script, &nothing);
    if (script != NULL)
        fclose(script);
    free(nothing);
    return result;
}

/* ---- What it drew -------------------------------------------------------------------------------------------- */

/* A marker colour, rgb(1, 1, 1) with spaces anywhere, as a variable; false for anything else. */
static bool write_colour(FILE *out, const char *text, size_t *length)
{
    static const char begins[] = "rgb(";
    long part[3];
    const char *at = text + strlen(begins);
    if (strncmp(text, begins, strlen(begins)) != 0)
        return false;
    for (int k = 0; k < 3; k++) {
        char *end;
        part[k] = strtol(at, &end, 10);
        end += strspn(end, " ");
        if (end == at || *end != (k < 2 ? ',' : ')'))
            return false;
        at = end + 1;
    }
    const long r = part[0], g = part[1], b = part[2];
    if (r == INK && g == INK)
        fprintf(out, "var(--ink)");
    else if (r == GRID && g == GRID)
        fprintf(out, "var(--grid)");
    else if (g == 0 && b == 0 && r % BAR_STEP == 0)
        fprintf(out, "var(--bar%ld)", r / BAR_STEP);
    else
        return false;
    *length = (size_t)(at - text);
    return true;
}

/* Parts that an inline drawing does without: symbols, names and tooltips, and identifiers that would come twice in a page. */
static size_t unwanted(const char *text)
{
    static const char *const parts[][2] = {
        {"<defs>", "</defs>"}, {"<title>", "</title>"}, {"<desc>", "</desc>"}, {" id=\"", "\""}, {" class=\"", "\""}};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        size_t begins = strlen(parts[k][0]);
        const char *end = strncmp(text, parts[k][0], begins) == 0 ? strstr(text + begins, parts[k][1]) : NULL;
        if (end != NULL)
            return (size_t)(end - text) + strlen(parts[k][1]);
    }
    return 0;
}

static char *adapt(const char *from, const char *end)
{
    char *svg = NULL;
    size_t size, length = 0;
    FILE *out = open_memstream(&svg, &size);
    if (out == NULL)
        return NULL;
    while (from < end)
        if (write_colour(out, from, &length) || (length = unwanted(from)) > 0)
            from += length;
        else
            fputc(*from++, out);
    return fclose(out) == 0 ? svg : NULL;
}

int paper_plots_draw(paper_plots *plots)
{
    static const char begins[] = "<svg", ends[] = "</svg>";
    FILE *script = tmpfile();
    char *drawings = NULL;
    if (script != NULL)
        write_script(script, plots);
    int result = run_gnuplot(script, &drawings);
    const char *at = drawings;
    for (int i = 0; i < plots->count && result == CLI_OK && at != NULL; i++) {
        const char *begin = strstr(at, begins), *end = begin != NULL ? strstr(begin, ends) : NULL;
        if (end != NULL)
            plots->plot[i].svg = adapt(begin, end + strlen(ends));
        if (plots->plot[i].svg == NULL)
            result = cli_fail(command, "gnuplot drew %d plots, expected %d", i, plots->count);
        at = end;
    }
    if (script != NULL)
        fclose(script);
    free(drawings);
    return result;
}

void paper_plots_free(paper_plots *plots)
{
    for (int i = 0; i < plots->count; i++)
        free(plots->plot[i].svg);
    plots->count = 0;
}

/* ---- Files --------------------------------------------------------------------------------------------------- */

void paper_plot_colours(FILE *out, const char *element)
{
    fprintf(
        out,
        "%s{--ink:#1c2128;--grid:#b6bdc6;--bar1:#8b949e;--bar2:#c3c9d0;--bar3:#2563c9;--bar4:#15998e;--bar5:#d9541e}\n"
        "@media screen and (prefers-color-scheme:dark){%s{--ink:#e2e7ec;--grid:#545d68;--bar1:#7d8691;--bar2:#4d5661;"
        "--bar3:#5b93f0;--bar4:#37c0b4;--bar5:#f07a45}}\n",
        element, element);
}

int paper_plot_save(const paper_plot *plot, const char *folder)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s.svg", folder, plot->id) >= (int)sizeof path)
        return cli_misuse(command, "--plots: the name of the folder is too long");
    FILE *out = bench_output_open(command, path);
    if (out == NULL)
        return CLI_FAILED;
    const char *inside = strchr(plot->svg, '>'); /* the end of the opening tag */
    fprintf(out, "%.*s>\n<style>\n", (int)(inside - plot->svg), plot->svg);
    paper_plot_colours(out, "svg");
    fprintf(out, "</style>%s\n", inside + 1);
    return bench_output_close(command, out);
}
