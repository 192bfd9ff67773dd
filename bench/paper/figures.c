/* figures.c - what the bars of the plots are: seconds for 10,000 runs, the paper's beside ours. */
#include <math.h>

#include "bench/paper/paper.h"
#include "bench/paper/plots.h"

static const double to_seconds = PAPER_RUNS * 1e-6;
static const char seconds_axis[] = "seconds for 10,000 runs";

/* The bars of one figure of the paper: which work at which precisions and sizes. */
typedef struct bar {
    int32_t work; /* PAPER_WORKS: evaluation and QR together */
    int32_t prec;
    int64_t n;
    const char *group; /* NULL: n */
} bar;

static double seconds_of(const paper_source *m, const bar *b, int how)
{
    if (b->work == PAPER_WORKS)
        return to_seconds *
               (paper_time(m, PAPER_EVAL, b->prec, b->n, how) + paper_time(m, PAPER_QR, b->prec, b->n, how));
    return to_seconds * paper_time(m, b->work, b->prec, b->n, how);
}

static void set_group(paper_plot *plot, int g, const bar *b)
{
    if (b->group != NULL)
        snprintf(plot->group[g], sizeof plot->group[g], "%s", b->group);
    else
        snprintf(plot->group[g], sizeof plot->group[g], "%lld", (long long)b->n);
}

static void add_figure(paper_plots *plots, const paper_source *m, const char *id, int number, const char *what,
                       const bar *bars, int count)
{
    static const char *const names[] = {"one core, 2013", "GPU, 2013", "one core", "all cores", "GPU"};
    static const int hows[] = {PAPER_ONE_CORE, PAPER_GPU, PAPER_ONE_CORE, PAPER_ALL_CORES, PAPER_GPU};
    char full[32];
    snprintf(full, sizeof full, "%s-%d", id, number);
    paper_plot *plot = paper_plot_add(plots, full, bars[0].group == NULL ? "n" : "", seconds_axis);
    if (plot == NULL)
        return;
    plot->groups = count;
    for (int k = 0; k < BAR_COLOURS; k++) {
        plot_series *series = paper_plot_series(plot, names[k], k + 1);
        for (int g = 0; g < count; g++) {
            set_group(plot, g, &bars[g]);
            series->value[g] = seconds_of(k < BAR_ONE_CORE - 1 ? NULL : m, &bars[g], hows[k]);
        }
    }
    snprintf(plot->caption, sizeof plot->caption, "%s: %s, %.10s; 2013: the paper. Logarithmic.", what, m->machine,
             paper_source_text(m, "date"));
}

/* ---- The figures of the paper -------------------------------------------------------------------------------- */

static void add_sizes(paper_plots *plots, const paper_source *m, const char *id, int number, const char *what,
                      const paper_row *rows, int count)
{
    bar bars[PLOT_GROUPS];
    for (int k = 0; k < count; k++)
        bars[k] = (bar){PAPER_SOLVE, rows[k].prec, rows[k].n, NULL};
    add_figure(plots, m, id, number, what, bars, count);
}

static void add_machine(paper_plots *plots, const paper_source *m, int number)
{
    static const bar table3[] = {{PAPER_QR, PLUMB_D, PAPER_N, "complex d"},
                                 {PAPER_QR, PLUMB_DD, PAPER_N, "complex dd"},
                                 {PAPER_QR, PLUMB_QD, PAPER_N, "complex qd"}};
    static const bar table6[] = {
        {PAPER_EVAL, PLUMB_D, PAPER_N, "PE d"},     {PAPER_EVAL, PLUMB_DD, PAPER_N, "PE dd"},
        {PAPER_EVAL, PLUMB_QD, PAPER_N, "PE qd"},   {PAPER_QR, PLUMB_D, PAPER_N, "MGS d"},
        {PAPER_QR, PLUMB_DD, PAPER_N, "MGS dd"},    {PAPER_QR, PLUMB_QD, PAPER_N, "MGS qd"},
        {PAPER_WORKS, PLUMB_D, PAPER_N, "both d"},  {PAPER_WORKS, PLUMB_DD, PAPER_N, "both dd"},
        {PAPER_WORKS, PLUMB_QD, PAPER_N, "both qd"}};
    add_figure(plots, m, "table3", number, "The figure of Table 3, orthogonalization of 32 complex vectors", table3, 3);
    add_sizes(plots, m, "table4", number, "The figure of Table 4, solving in complex double", paper_table4,
              PAPER_D_SIZES);
    add_sizes(plots, m, "table5-dd", number, "The first figure of Table 5, solving in complex double double",
              paper_table5, PAPER_DD_SIZES);
    add_sizes(plots, m, "table5-qd", number, "The second figure of Table 5, solving in complex quad double",
              paper_table5 + PAPER_DD_SIZES, PAPER_DD_SIZES);
    add_figure(plots, m, "table6", number, "The figure of Table 6, evaluation, orthogonalization and both", table6, 9);
}

/* ---- The summary --------------------------------------------------------------------------------------------- */

typedef struct summary_bar {
    const char *name;
    int colour;
    bool ours;
    int32_t prec;
    int how, against; /* against: how dd or the same precision is computed that it is held against; -1: a time */
} summary_bar;

static void add_summary(paper_plots *plots, const paper_source *m, const char *id, const char *y, const char *caption,
                        const summary_bar *bars, int count)
{
    paper_plot *plot = paper_plot_add(plots, id, "n", y);
    if (plot == NULL)
        return;
    plot->groups = PAPER_DD_SIZES;
    for (int k = 0; k < count; k++) {
        const paper_source *from = bars[k].ours ? m : NULL;
        plot_series *series = paper_plot_series(plot, bars[k].name, bars[k].colour);
        for (int g = 0; g < PAPER_DD_SIZES; g++) {
            const int64_t n = paper_table5[g].n;
            const double us = paper_time(from, PAPER_SOLVE, bars[k].prec, n, bars[k].how);
            set_group(plot, g, &(bar){.n = n});
            series->value[g] = bars[k].against < 0
                                   ? to_seconds * us
                                   : paper_time(from, PAPER_SOLVE, bars[k].prec, n, bars[k].against) / us;
        }
    }
    snprintf(plot->caption, sizeof plot->caption, "%s %s, %.10s; 2013: the paper. Logarithmic.", caption, m->machine,
             paper_source_text(m, "date"));
}

void paper_figures(const paper_sources *s, paper_plots *plots)
{
    static const summary_bar quality[] = {{"dd, one core, 2013", BAR_PAPER_CORE, false, PLUMB_DD, PAPER_ONE_CORE, -1},
                                          {"qd, GPU, 2013", BAR_PAPER_GPU, false, PLUMB_QD, PAPER_GPU, -1},
                                          {"dd, one core", BAR_ONE_CORE, true, PLUMB_DD, PAPER_ONE_CORE, -1},
                                          {"qd, all cores", BAR_ALL_CORES, true, PLUMB_QD, PAPER_ALL_CORES, -1},
                                          {"qd, GPU", BAR_GPU, true, PLUMB_QD, PAPER_GPU, -1}};
    static const summary_bar speedup[] = {
        {"dd, GPU over one core, 2013", BAR_PAPER_CORE, false, PLUMB_DD, PAPER_GPU, PAPER_ONE_CORE},
        {"qd, GPU over one core, 2013", BAR_PAPER_GPU, false, PLUMB_QD, PAPER_GPU, PAPER_ONE_CORE},
        {"dd, GPU over one core", BAR_ONE_CORE, true, PLUMB_DD, PAPER_GPU, PAPER_ONE_CORE},
        {"qd, GPU over one core", BAR_GPU, true, PLUMB_QD, PAPER_GPU, PAPER_ONE_CORE},
        {"qd, GPU over all cores", BAR_ALL_CORES, true, PLUMB_QD, PAPER_GPU, PAPER_ALL_CORES}};
    static const summary_bar cores[] = {
        {"dd, GPU over one core, 2013", BAR_PAPER_CORE, false, PLUMB_DD, PAPER_GPU, PAPER_ONE_CORE},
        {"qd, GPU over one core, 2013", BAR_PAPER_GPU, false, PLUMB_QD, PAPER_GPU, PAPER_ONE_CORE},
        {"dd, all cores over one core", BAR_ONE_CORE, true, PLUMB_DD, PAPER_ALL_CORES, PAPER_ONE_CORE},
        {"qd, all cores over one core", BAR_ALL_CORES, true, PLUMB_QD, PAPER_ALL_CORES, PAPER_ONE_CORE}};
    if (s->machines == 0)
        return;
    const paper_source *m = s->machine[0];
    add_summary(plots, m, "quality-up", seconds_axis,
                "Quality up: twice the digits on the GPU beside double doubles on one core, solving complex systems.",
                quality, 5);
    if (paper_has(m, PAPER_GPU))
        add_summary(plots, m, "speedup", "times faster", "What the GPU buys, solving complex systems.", speedup, 5);
    else
        add_summary(plots, m, "speedup", "times faster", "What more cores buy, solving complex systems.", cores, 4);
    for (int i = 0; i < s->machines; i++)
        add_machine(plots, s->machine[i], i + 1);
}
