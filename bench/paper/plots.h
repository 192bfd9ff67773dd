/* plots.h - bar plots as SVG, by gnuplot. Colours are CSS variables, so that one drawing serves light, dark and
 * print: --ink, --grid, and --bar1 and so on for the series. */
#ifndef PLUMB_BENCH_PAPER_PLOTS_H
#define PLUMB_BENCH_PAPER_PLOTS_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/paper/sources.h"

enum { PLOT_GROUPS = 16, PLOT_SERIES = 6, PLOT_TEXT = 160 };
enum { BAR_PAPER_CORE = 1, BAR_PAPER_GPU, BAR_ONE_CORE, BAR_ALL_CORES, BAR_GPU, BAR_COLOURS = BAR_GPU };

typedef struct plot_series {
    char name[PLOT_TEXT];
    int colour;
    double value[PLOT_GROUPS]; /* NaN: no bar */
} plot_series;

typedef struct paper_plot {
    char id[32]; /* of the file and in the page */
    char caption[3 * PLOT_TEXT];
    const char *x, *y; /* what stands at the axes */
    char group[PLOT_GROUPS][24];
    int groups, series_count;
    plot_series series[PLOT_SERIES];
    char *svg; /* from <svg to </svg>; NULL before it is drawn */
} paper_plot;

enum { PAPER_MOST_PLOTS = 64 };
typedef struct paper_plots {
    paper_plot plot[PAPER_MOST_PLOTS];
    int count;
} paper_plots;

/* A plot without groups and series, NULL when there are too many; a series all NaN, NULL likewise. */
paper_plot *paper_plot_add(paper_plots *plots, const char *id, const char *x, const char *y);
plot_series *paper_plot_series(paper_plot *plot, const char *name, int colour);

/* Is there a gnuplot to start? Else one line and an exit status. */
int paper_plots_possible(void);
/* Draws all of them, in one run of gnuplot: CLI_OK, or an exit status after a line. */
int paper_plots_draw(paper_plots *plots);
void paper_plots_free(paper_plots *plots);
/* As a file that can stand alone. */
int paper_plot_save(const paper_plot *plot, const char *folder);
/* The variables of both colour schemes, for the element named. */
void paper_plot_colours(FILE *out, const char *element);

/* bench_paper_figures.c: the two plots of the summary, then the figures of the paper for every machine. */
void paper_figures(const paper_sources *s, paper_plots *plots);

#endif
