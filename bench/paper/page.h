/* page.h - the page of `plumb bench paper`: one HTML file without scripts that asks nothing of a network. */
#ifndef PLUMB_BENCH_PAPER_PAGE_H
#define PLUMB_BENCH_PAPER_PAGE_H

#include <stdio.h>

#include "bench/paper/plots.h"
#include "bench/paper/sources.h"

typedef struct paper_page {
    FILE *out;
    const paper_sources *sources;
    const paper_plots *plots;
} paper_page;

void paper_page_write(const paper_page *p);

/* bench_paper_page.c: its small parts. */
void page_text(FILE *out, const char *text); /* escaped */
void page_section(FILE *out, const char *id, const char *title);
/* A table in a box of its own that scrolls where the window is too narrow. */
void page_table_open(FILE *out, const char *id, const char *caption);
void page_table_close(FILE *out);
void page_seconds(FILE *out, double us); /* a cell: seconds for 10,000 runs; empty for NaN */
void page_micros(FILE *out, double us);
void page_times(FILE *out, double ratio); /* a cell: 3.1x */
void page_fixed(FILE *out, double x, int decimals);
void page_plots(const paper_page *p, const char *prefix); /* those whose id begins so */
void page_machine(FILE *out, const paper_source *m);      /* and when it was measured */
void page_provenance(FILE *out, const paper_source *s);   /* file, machine, commit, date in one line */

/* bench_paper_tables.c, bench_paper_accuracy.c */
void paper_tables_write(const paper_page *p);
void paper_table2_write(const paper_page *p);

/* bench_paper_verdicts.c */
void paper_verdicts_write(const paper_page *p);
void paper_quality_write(const paper_page *p);

/* bench_paper_beyond.c */
void paper_beyond_write(const paper_page *p);

#endif
