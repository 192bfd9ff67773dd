/* thresholds.c - solves systems with other thresholds of path tracking, for the campaign thresholds.py.
 *
 *     thresholds list                                     the table: kind, name, value and texts, separated by tabs
 *     thresholds [--start total] [--seed N] [NAME=VALUE]... FILE...
 *                                                         solves each file, and prints the counts of its report
 *
 * The ticks of this program are compiled with PLUMB_TRACK_OVERRIDES, for the scalar instruction set: there the entries of
 * method/track/thresholds.h are the variables that are defined here. Everything else is that of the library. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"

#include "method/track/thresholds.h" /* declares the variables */

#define TRACK_REAL(name, value, what, source, trade) double name = (value)
#define TRACK_SHARE TRACK_REAL
#define TRACK_WHOLE(name, value, what, source, trade) int name = (value)
#include "method/track/thresholds.h"

typedef struct entry {
    const char *kind, *name, *what, *source, *trade;
    double *real; /* or NULL: */
    int *whole;
} entry;

enum { MOST_ENTRIES = 256 };
static entry entries[MOST_ENTRIES];
static int entry_count;

static void add(const char *kind, const char *name, double *real, int *whole, const char *what, const char *source,
                const char *trade)
{
    if (entry_count < MOST_ENTRIES)
        entries[entry_count++] = (entry){kind, name, what, source, trade, real, whole};
}

static void fill_table(void)
{
#define TRACK_REAL(name, value, what, source, trade) add("real", #name, &name, NULL, what, source, trade)
#define TRACK_SHARE(name, value, what, source, trade) add("share", #name, &name, NULL, what, source, trade)
#define TRACK_WHOLE(name, value, what, source, trade) add("whole", #name, NULL, &name, what, source, trade)
#include "method/track/thresholds.h"
}

static void print_table(void)
{
    for (int k = 0; k < entry_count; k++) {
        const entry *e = &entries[k];
        printf("%s\t%s\t%.17g\t%s\t%s\t%s\n", e->kind, e->name, e->real ? *e->real : (double)*e->whole, e->what,
               e->source, e->trade);
    }
}

/* Takes NAME=VALUE; false if there is no such entry, or no number. */
static bool override(const char *text)
{
    const char *equals = strchr(text, '=');
    for (int k = 0; equals && k < entry_count; k++) {
        const entry *e = &entries[k];
        if (strlen(e->name) != (size_t)(equals - text) || strncmp(e->name, text, (size_t)(equals - text)) != 0)
            continue;
        char *end = NULL;
        const double value = strtod(equals + 1, &end);
        if (end == equals + 1 || *end)
            return false;
        if (e->real)
            *e->real = value;
        else
            *e->whole = (int)value;
        return true;
    }
    return false;
}

static plumb_status solve(plumb_context *context, const char *file, int32_t start, uint64_t seed)
{
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    plumb_solve_options options;
    plumb_solve_report r;
    plumb_text_error where;
    plumb_solve_options_init(&options);
    options.start = start;
    options.seed = seed;
    plumb_status status = plumb_system_read_file(file, &system, &where);
    if (status == PLUMB_OK)
        status = plumb_solve(context, system, &options, &solutions);
    if (status == PLUMB_OK)
        status = plumb_solutions_report(solutions, &r);
    if (status == PLUMB_OK)
        printf("%s\tregular=%" PRId64 " singular=%" PRId64 " infinite=%" PRId64 " beyond=%" PRId64
               " not_isolated=%" PRId64 " extraneous=%" PRId64 " undecided=%" PRId64 " failed=%" PRId64
               " distinct=%" PRId64 "\n",
               file, r.regular, r.singular, r.infinite, r.beyond, r.not_isolated, r.extraneous, r.undecided, r.failed,
               r.distinct);
    else
        printf("%s\t%s\n", file, plumb_status_text(status));
    fflush(stdout);
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
    return status;
}

int main(int argc, char **argv)
{
    plumb_context_options settings;
    plumb_context *context = NULL;
    int32_t start = PLUMB_START_AUTO;
    uint64_t seed = 1;
    fill_table();
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        print_table();
        return 0;
    }
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    settings.threads = 1;
    settings.isa = "scalar";
    plumb_status status = plumb_context_create(&settings, &context);
    for (int k = 1; status == PLUMB_OK && k < argc; k++) {
        if (strcmp(argv[k], "--start") == 0 && k + 1 < argc && strcmp(argv[k + 1], "total") == 0) {
            start = PLUMB_START_TOTAL;
            k++;
        } else if (strcmp(argv[k], "--seed") == 0 && k + 1 < argc) {
            seed = strtoull(argv[++k], NULL, 10);
        } else if (strncmp(argv[k], "TRACK_", 6) == 0) {
            if (!override(argv[k])) {
                fprintf(stderr, "thresholds: found '%s', expected NAME=VALUE with a name of the table\n", argv[k]);
                status = PLUMB_ERR_ARGUMENT;
            }
        } else {
            status = solve(context, argv[k], start, seed);
        }
    }
    plumb_context_destroy(context);
    return status == PLUMB_OK ? 0 : 1;
}
