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
    bool json, quiet, resume, mpi;
    bool certify, no_certify; /* neither: by the number of points and unknowns */
} decompose_words;

typedef struct decompose_job {
    const decompose_words *words;
    plumb_system *system;
    plumb_context *context;
    plumb_components *components;
    char *journal; /* a folder, in that of the output; or NULL */
    double seconds;
    bool certified;        /* certificates were made */
    char uncertified[256]; /* why not; "" if nobody asked */
    bool certify_stopped;
    double certify_seconds;
    plumb_curves_report drawn; /* with --plot */
} decompose_job;

/* Certifies the witness points, where that is wanted; and 1, with a line, if --certify could not be fulfilled (certify.c). */
int decompose_certify(decompose_job *job);
int decompose_certify_verdict(const decompose_job *job);

/* What certificates prove about a dimension, as a sentence without a full stop. False if there is nothing to say. */
bool decompose_proof(const decompose_job *job, const plumb_component_dimension *d, char *text, size_t size);

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
