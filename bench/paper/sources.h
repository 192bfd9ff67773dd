/* sources.h - the files a page is drawn from, and how to look numbers up in them.
 *
 * A file of `bench paper` is a machine: it has a column in every table. Files of other benchmarks serve the parts of the page
 * that go beyond the paper. In the look-ups a machine of NULL is the paper itself, so that whatever is computed from ours is
 * computed from its numbers by the same lines. */
#ifndef PLUMB_BENCH_PAPER_SOURCES_H
#define PLUMB_BENCH_PAPER_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/json/read.h"

enum { PAPER_MOST_SOURCES = 64 };

typedef struct paper_source {
    char name[128]; /* of the file, without folders */
    char machine[160];
    json_node *root;
} paper_source;

typedef struct paper_sources {
    paper_source source[PAPER_MOST_SOURCES];
    int count;
    const paper_source *machine[PAPER_MOST_SOURCES]; /* those of `bench paper`, those with a GPU first */
    int machines;
} paper_sources;

/* CLI_OK, or an exit status after a line. Text is read as if it were the file of that name. */
int paper_sources_add_file(paper_sources *s, const char *path);
int paper_sources_add_text(paper_sources *s, const char *name, const char *text, size_t length);
void paper_sources_settle(paper_sources *s); /* after the last */
void paper_sources_free(paper_sources *s);

bool paper_source_is(const paper_source *s, const char *benchmark, bool gpu);
const char *paper_source_text(const paper_source *s, const char *key); /* of the root; "" when it is not there */

/* Microseconds a run, NaN where there is none; how: PAPER_ONE_CORE and so on. */
double paper_time(const paper_source *machine, int32_t work, int32_t prec, int64_t n, int how); /* complex */
double paper_overhead_time(const paper_source *machine, int row, int how);                      /* of Table 1 */
bool paper_has(const paper_source *machine, int how);

/* Real d at the dimension that the cube root rule gives for a row of Table 1: the dimension, 0 when it was not measured, and
 * microseconds on one core. */
int64_t paper_recalibrated(const paper_source *machine, int row, double *us);

/* The object with the rows of Table 2 and of elimination that a machine has, the one with the most matrices; NULL for none.
 * With a machine of NULL: the best of all files. from receives where it stands. */
const json_node *paper_accuracy_of(const paper_sources *s, const paper_source *machine, const paper_source **from);
double paper_accuracy_number(const json_node *accuracy, int32_t prec, int32_t g, const char *key);

#endif
