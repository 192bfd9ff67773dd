/* decompose.h - what the parts of plumb decompose share. */
#ifndef PLUMB_CLI_DECOMPOSE_H
#define PLUMB_CLI_DECOMPOSE_H

#include <stdbool.h>

#include "app/command/command.h"
#include "app/plot/curves.h"
#include "plumb.h"

typedef struct decompose_words {
    const char *file[1], *output, *html;
    app_texts equations;
    app_curves_words curves;
    int64_t threads, dimension;
    int32_t backend;
    uint64_t seed;
    bool json, quiet;
} decompose_words;

typedef struct decompose_job {
    const decompose_words *words;
    plumb_system *system;
    plumb_context *context;
    plumb_components *components;
    double seconds;
    plumb_curves_report drawn; /* with --plot */
} decompose_job;

/* What was found, one line per dimension, and how far it can be relied on. */
void decompose_print(const decompose_job *job, FILE *out);

/* The same as an object; false if it cannot be written. */
bool decompose_print_json(const decompose_job *job, FILE *out);

/* The numbers of paths of all dimensions together. */
plumb_component_dimension decompose_account(const decompose_job *job);

/* The smallest number of digits to which the trace test of a component closes; infinity if there is none. */
double decompose_trace_digits(const decompose_job *job);

/* Writes the page of --html (page.c). */
int decompose_page(const decompose_job *job);

#endif
