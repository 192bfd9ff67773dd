/* monodromy.h - what the parts of plumb monodromy share. */
#ifndef PLUMB_CLI_MONODROMY_H
#define PLUMB_CLI_MONODROMY_H

#include <stdbool.h>
#include <stdio.h>

#include "app/command/command.h"
#include "plumb.h"

typedef struct monodromy_words {
    const char *file[1], *output, *from, *parameters;
    app_texts equations, symmetry;
    int64_t threads, quiet_loops, max_loops, max_solutions, max_steps;
    uint64_t seed;
    bool json, quiet, trace;
} monodromy_words;

typedef struct monodromy_job {
    const monodromy_words *words;
    plumb_context *context;
    plumb_family *family;
    plumb_system **symmetry; /* one per --symmetry */
    plumb_permutations *permutations;
    plumb_monodromy_report report;
    char *order; /* of the group; NULL: not known */
    bool proven;
    double seconds;
} monodromy_job;

/* Reads the maps of --symmetry (symmetry.c). */
int monodromy_symmetry(monodromy_job *job);

/* What was found, as text and as an object (report.c). */
void monodromy_print(const monodromy_job *job, FILE *out);
void monodromy_print_json(const monodromy_job *job, FILE *out);

#endif
