/* sources.c - see bench_paper_sources.h. */
#include "bench/paper/sources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "bench/common/common.h"
#include "bench/paper/paper.h"

static const char command[] = "bench paper";

/* ---- Reading ------------------------------------------------------------------------------------------------- */

/* "Intel(R) Xeon(R) Processor" is "Intel Xeon": a column is narrow. */
static void append_short(char *out, size_t size, const char *name)
{
    static const char *const noise[] = {"(R)", "(TM)", " Processor", " CPU", "NVIDIA "};
    size_t used = strlen(out);
    while (*name != 0 && used + 1 < size) {
        size_t skip = 0;
        for (size_t k = 0; k < sizeof noise / sizeof noise[0]; k++)
            if (strncmp(name, noise[k], strlen(noise[k])) == 0)
                skip = strlen(noise[k]);
        if (skip == 0)
            out[used++] = *name++;
        name += skip;
    }
    out[used] = 0;
}

static void name_machine(paper_source *s)
{
    const json_node *computer = json_member(s->root, "machine");
    const char *device = json_member_string(s->root, "device", NULL);
    char cores[48];
    s->machine[0] = 0;
    if (device != NULL) {
        append_short(s->machine, sizeof s->machine, device);
        append_short(s->machine, sizeof s->machine, " beside ");
    }
    snprintf(cores, sizeof cores, "%.0f cores of ", json_member_number(computer, "cores", 0));
    append_short(s->machine, sizeof s->machine, cores);
    append_short(s->machine, sizeof s->machine, json_member_string(computer, "cpu", "an unknown processor"));
}

int paper_sources_add_text(paper_sources *s, const char *name, const char *text, size_t length)
{
    plumb_text_error error;
    const char *slash = strrchr(name, '/');
    if (s->count == PAPER_MOST_SOURCES)
        return cli_misuse(command, "more than %d files", PAPER_MOST_SOURCES);
    paper_source *source = &s->source[s->count];
    if (json_read(text, length, &source->root, &error) != PLUMB_OK)
        return cli_misuse(command, "%s:%lld:%lld: %s", name, (long long)error.line, (long long)error.column,
                          error.message);
    s->count++;
    snprintf(source->name, sizeof source->name, "%s", slash != NULL ? slash + 1 : name);
    name_machine(source);
    const json_node *rows = json_member(source->root, "results");
    if (json_member_string(source->root, "benchmark", NULL) == NULL || rows == NULL || rows->kind != JSON_ARRAY)
        return cli_misuse(command, "%s: expected the JSON of 'plumb bench'", name);
    return CLI_OK;
}

int paper_sources_add_file(paper_sources *s, const char *path)
{
    size_t length;
    char *text = bench_read_file(path, &length);
    if (text == NULL)
        return cli_misuse(command, "'%s' could not be read", path);
    int result = paper_sources_add_text(s, path, text, length);
    free(text);
    return result;
}

void paper_sources_settle(paper_sources *s)
{
    for (int gpu = 1; gpu >= 0; gpu--)
        for (int i = 0; i < s->count; i++)
            if (paper_source_is(&s->source[i], "paper", gpu))
                s->machine[s->machines++] = &s->source[i];
}

void paper_sources_free(paper_sources *s)
{
    for (int i = 0; i < s->count; i++)
        json_free(s->source[i].root);
    s->count = s->machines = 0;
}

/* ---- Looking up ---------------------------------------------------------------------------------------------- */

bool paper_source_is(const paper_source *s, const char *benchmark, bool gpu)
{
    return strcmp(paper_source_text(s, "benchmark"), benchmark) == 0 &&
           (strcmp(paper_source_text(s, "backend"), "gpu") == 0) == gpu;
}

const char *paper_source_text(const paper_source *s, const char *key)
{
    return json_member_string(s->root, key, "");
}

static const json_node *find_case(const paper_source *m, const char *work, const char *prec, const char *kind, double n,
                                  const char *recalibrates)
{
    const json_node *cases = json_member(m->root, "results");
    for (const json_node *c = cases != NULL ? cases->child : NULL; c != NULL; c = c->next)
        if (strcmp(json_member_string(c, "work", ""), work) == 0 &&
            strcmp(json_member_string(c, "prec", ""), prec) == 0 &&
            strcmp(json_member_string(c, "kind", ""), kind) == 0 &&
            strcmp(json_member_string(c, "recalibrates", ""), recalibrates) == 0 &&
            (n == 0 || json_member_number(c, "n", 0) == n))
            return c;
    return NULL;
}

static double from_seconds(const paper_row *row, int how)
{
    double seconds = row == NULL || how == PAPER_ALL_CORES ? (double)NAN : how == PAPER_GPU ? row->gpu : row->cpu;
    return seconds * 1e6 / PAPER_RUNS;
}

static double time_of_paper(int32_t work, int32_t prec, int64_t n, int how)
{
    if (work == PAPER_SOLVE)
        return from_seconds(paper_solve_row(prec, (int32_t)n), how);
    for (int k = 0; k < PAPER_PRECISIONS; k++)
        if (paper_table3[k].prec == prec && n == PAPER_N)
            return from_seconds(work == PAPER_QR ? &paper_table3[k] : &paper_table6[PAPER_PE][k], how);
    return (double)NAN;
}

double paper_time(const paper_source *m, int32_t work, int32_t prec, int64_t n, int how)
{
    if (m == NULL)
        return time_of_paper(work, prec, n, how);
    return json_member_number(find_case(m, paper_work_names[work], plumb_prec_name(prec), "complex", (double)n, ""),
                              paper_how_keys[how], (double)NAN);
}

double paper_overhead_time(const paper_source *m, int row, int how)
{
    const paper_overhead *o = &paper_table1[row];
    if (m == NULL)
        return how == PAPER_ONE_CORE ? o->seconds * 1e6 / PAPER_RUNS : (double)NAN;
    return json_member_number(find_case(m, paper_work_names[PAPER_QR], plumb_prec_name(o->prec),
                                        o->parts == PLUMB_REAL ? "real" : "complex", PAPER_N, ""),
                              paper_how_keys[how], (double)NAN);
}

bool paper_has(const paper_source *m, int how)
{
    const json_node *cases = json_member(m->root, "results");
    for (const json_node *c = cases != NULL ? cases->child : NULL; c != NULL; c = c->next)
        if (json_member_number(c, paper_how_keys[how], 0) > 0)
            return true;
    return false;
}

int64_t paper_recalibrated(const paper_source *m, int row, double *us)
{
    const json_node *c = m == NULL || row == 0 ? NULL
                                               : find_case(m, paper_work_names[PAPER_QR], plumb_prec_name(PLUMB_D),
                                                           "real", 0, plumb_prec_name(paper_table1[row].prec));
    *us = json_member_number(c, paper_how_keys[PAPER_ONE_CORE], (double)NAN);
    return (int64_t)json_member_number(c, "n", 0);
}

/* ---- Accuracy ------------------------------------------------------------------------------------------------ */

const json_node *paper_accuracy_of(const paper_sources *s, const paper_source *m, const paper_source **from)
{
    const json_node *best = NULL;
    *from = NULL;
    for (int i = 0; i < s->count; i++) {
        const paper_source *file = &s->source[i];
        const json_node *accuracy = strcmp(paper_source_text(file, "benchmark"), "accuracy") == 0
                                        ? file->root
                                        : json_member(file->root, "accuracy");
        const json_node *there = json_member(file->root, "machine");
        const json_node *wanted = m != NULL ? json_member(m->root, "machine") : there;
        if (strcmp(json_member_string(there, "cpu", "?"), json_member_string(wanted, "cpu", "?")) != 0 ||
            json_member_number(there, "cores", 0) != json_member_number(wanted, "cores", 0))
            continue;
        if (accuracy != NULL && json_member_number(accuracy, "count", 0) > json_member_number(best, "count", 0)) {
            best = accuracy;
            *from = file;
        }
    }
    return best;
}

double paper_accuracy_number(const json_node *accuracy, int32_t prec, int32_t g, const char *key)
{
    const json_node *results = json_member(accuracy, "results");
    for (const json_node *r = results != NULL ? results->child : NULL; r != NULL; r = r->next)
        if (strcmp(json_member_string(r, "prec", ""), plumb_prec_name(prec)) == 0 && json_member_number(r, "g", 0) == g)
            return json_member_number(r, key, (double)NAN);
    return (double)NAN;
}
