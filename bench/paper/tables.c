/* tables.c - Tables 1 and 3 to 6: the paper's numbers, ours for every machine, and the ratios. */
#include <math.h>

#include "bench/paper/page.h"
#include "bench/paper/paper.h"

/* ---- Table 1 ------------------------------------------------------------------------------------------------- */

static double dimension_of(const paper_source *m, int row)
{
    return PAPER_N * cbrt(paper_overhead_time(m, row, PAPER_ONE_CORE) / paper_overhead_time(m, 0, PAPER_ONE_CORE));
}

static void write_overhead(const paper_page *p, int row)
{
    const paper_overhead *o = &paper_table1[row];
    FILE *out = p->out;
    fprintf(out, "<tr><th>%s</th><td class=\"edge\">%.1f</td><td>%.1f</td><td>%d</td>", o->name, o->seconds, o->factor,
            (int)o->dimension);
    page_fixed(out, dimension_of(NULL, row), 0);
    for (int i = 0; i < p->sources->machines; i++) {
        const paper_source *m = p->sources->machine[i];
        const double one = paper_overhead_time(m, row, PAPER_ONE_CORE);
        double there;
        const int64_t n = paper_recalibrated(m, row, &there);
        page_seconds(out, one);
        page_fixed(out, one / paper_overhead_time(m, 0, PAPER_ONE_CORE), 1);
        page_fixed(out, dimension_of(m, row), 0);
        page_seconds(out, n > 0 ? there : (double)NAN);
        page_seconds(out, paper_overhead_time(m, row, PAPER_ALL_CORES));
        page_times(out, paper_overhead_time(NULL, row, PAPER_ONE_CORE) / one);
    }
    fprintf(out, "</tr>\n");
}

static void write_table1(const paper_page *p)
{
    FILE *out = p->out;
    page_table_open(out, "table1",
                    "Table 1. 10,000 QR decompositions, n = m = 32: seconds, the factor over real double, and the "
                    "recalibrated dimension 32 &times; (cube root of the factor).");
    fprintf(
        out,
        "<thead><tr><th rowspan=\"2\">arithmetic</th><th class=\"group edge\" colspan=\"4\">the paper, one core</th>");
    for (int i = 0; i < p->sources->machines; i++) {
        fprintf(out, "<th class=\"group edge\" colspan=\"6\">");
        page_machine(out, p->sources->machine[i]);
        fprintf(out, "</th>");
    }
    fprintf(out, "</tr>\n<tr><th class=\"edge\">s</th><th>factor</th><th>n, printed</th><th>n, computed</th>");
    for (int i = 0; i < p->sources->machines; i++)
        fprintf(out, "<th class=\"edge\">one core, s</th><th>factor</th><th>n</th><th>real double at that n, s</th>"
                     "<th>all cores, s</th><th>one core, paper / ours</th>");
    fprintf(out, "</tr></thead>\n<tbody>\n");
    for (int row = 0; row < PAPER_OVERHEADS; row++)
        write_overhead(p, row);
    fprintf(out, "</tbody>\n");
    page_table_close(out);
    fprintf(
        out,
        "<p class=\"slip\">A slip of the paper: it multiplies 32 by the cube root of %.1f and prints %d; the product "
        "is "
        "%.0f. And a difference that is none: complex double takes %.1f s here and %.1f s in Table 3, because these "
        "runs were PHCpack&rsquo;s and those the authors&rsquo; C++ code.</p>\n",
        paper_table1[2].factor, (int)paper_table1[2].dimension, PAPER_N * cbrt(paper_table1[2].factor),
        paper_table1[1].seconds, paper_table3[0].cpu);
}

/* ---- Tables of times ----------------------------------------------------------------------------------------- */

/* A row of a table; work PAPER_WORKS: evaluation and QR one after the other. */
typedef struct times_row {
    const char *head;  /* of a group that begins here, or NULL */
    const char *title; /* of the row, or NULL for n */
    int32_t work;
    int decimals; /* of the paper's times */
    const paper_row *paper;
} times_row;

static double time_of(const paper_source *m, const times_row *r, int how)
{
    const int32_t prec = r->paper->prec;
    if (r->work == PAPER_WORKS)
        return paper_time(m, PAPER_EVAL, prec, PAPER_N, how) + paper_time(m, PAPER_QR, prec, PAPER_N, how);
    return paper_time(m, r->work, prec, r->paper->n, how);
}

enum { CPU_COLUMNS = 3, GPU_COLUMNS = 7 };

static int columns_of(const paper_source *m)
{
    return paper_has(m, PAPER_GPU) ? GPU_COLUMNS : CPU_COLUMNS;
}

static void write_machine_cells(FILE *out, const paper_source *m, const times_row *r)
{
    const double one = time_of(m, r, PAPER_ONE_CORE), all = time_of(m, r, PAPER_ALL_CORES);
    const double to_us = 1e6 / PAPER_RUNS, gpu = time_of(m, r, PAPER_GPU);
    page_seconds(out, one);
    page_seconds(out, all);
    if (columns_of(m) == GPU_COLUMNS) {
        page_seconds(out, gpu);
        page_times(out, one / gpu);
        page_times(out, all / gpu);
    }
    page_times(out, to_us * r->paper->cpu / one);
    if (columns_of(m) == GPU_COLUMNS)
        page_times(out, to_us * r->paper->gpu / gpu);
}

static void write_times_head(const paper_page *p, const char *first)
{
    FILE *out = p->out;
    fprintf(out, "<thead><tr><th rowspan=\"2\">%s</th><th class=\"group edge\" colspan=\"3\">the paper</th>", first);
    for (int i = 0; i < p->sources->machines; i++) {
        fprintf(out, "<th class=\"group edge\" colspan=\"%d\">", columns_of(p->sources->machine[i]));
        page_machine(out, p->sources->machine[i]);
        fprintf(out, "</th>");
    }
    fprintf(out, "</tr>\n<tr><th class=\"edge\">one core, s</th><th>GPU, s</th><th>speedup</th>");
    for (int i = 0; i < p->sources->machines; i++)
        fprintf(out,
                columns_of(p->sources->machine[i]) == GPU_COLUMNS
                    ? "<th class=\"edge\">one core, s</th><th>all cores, s</th><th>GPU, s</th><th>speedup over one "
                      "core</th><th>over all cores</th><th>one core, paper / ours</th><th>GPU, paper / ours</th>"
                    : "<th class=\"edge\">one core, s</th><th>all cores, s</th><th>one core, paper / ours</th>");
    fprintf(out, "</tr></thead>\n");
}

static void write_times(const paper_page *p, const char *id, const char *caption, const char *first,
                        const times_row *rows, int count)
{
    FILE *out = p->out;
    int columns = 4;
    for (int i = 0; i < p->sources->machines; i++)
        columns += columns_of(p->sources->machine[i]);
    page_table_open(out, id, caption);
    write_times_head(p, first);
    fprintf(out, "<tbody>\n");
    for (int k = 0; k < count; k++) {
        const times_row *r = &rows[k];
        if (r->head != NULL)
            fprintf(out, "<tr><td class=\"head\" colspan=\"%d\">%s</td></tr>\n", columns, r->head);
        fprintf(out, "<tr><th>");
        if (r->title != NULL)
            fprintf(out, "%s", r->title);
        else
            fprintf(out, "%d", (int)r->paper->n);
        fprintf(out, "</th><td class=\"edge\">%.*f</td><td>%.*f</td><td>%.*f&times;</td>", r->decimals, r->paper->cpu,
                r->decimals, r->paper->gpu, r->decimals, r->paper->speedup);
        for (int i = 0; i < p->sources->machines; i++)
            write_machine_cells(out, p->sources->machine[i], r);
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
}

static const char *const precision_names[PAPER_PRECISIONS] = {"complex double", "complex double double",
                                                              "complex quad double"};

static void write_table3(const paper_page *p)
{
    times_row rows[PAPER_PRECISIONS];
    for (int k = 0; k < PAPER_PRECISIONS; k++)
        rows[k] = (times_row){NULL, precision_names[k], PAPER_QR, 1, &paper_table3[k]};
    write_times(p, "table3",
                "Table 3. 10,000 orthogonalizations of 32 random complex vectors of dimension 32, seconds.",
                "arithmetic", rows, PAPER_PRECISIONS);
    page_plots(p, "table3");
}

static void write_tables4_5(const paper_page *p)
{
    times_row rows[PAPER_D_SIZES];
    for (int k = 0; k < PAPER_D_SIZES; k++)
        rows[k] = (times_row){NULL, NULL, PAPER_SOLVE, 2, &paper_table4[k]};
    write_times(p, "table4",
                "Table 4. 10,000 solutions of n &times; n systems in complex double, modified Gram-Schmidt and back "
                "substitution, seconds.",
                "n", rows, PAPER_D_SIZES);
    page_plots(p, "table4");
    for (int k = 0; k < 2 * PAPER_DD_SIZES; k++)
        rows[k] = (times_row){k % PAPER_DD_SIZES == 0 ? precision_names[1 + k / PAPER_DD_SIZES] : NULL, NULL,
                              PAPER_SOLVE, 2, &paper_table5[k]};
    write_times(p, "table5", "Table 5. The same in complex double double and complex quad double, seconds.", "n", rows,
                2 * PAPER_DD_SIZES);
    page_plots(p, "table5");
}

static void write_table6(const paper_page *p)
{
    static const int32_t works[PAPER_PARTS] = {PAPER_EVAL, PAPER_QR, PAPER_WORKS};
    times_row rows[PAPER_PARTS * PAPER_PRECISIONS];
    for (int part = 0; part < PAPER_PARTS; part++)
        for (int k = 0; k < PAPER_PRECISIONS; k++)
            rows[part * PAPER_PRECISIONS + k] = (times_row){k == 0 ? paper_part_names[part] : NULL, precision_names[k],
                                                            works[part], 1, &paper_table6[part][k]};
    write_times(
        p, "table6",
        "Table 6. 10,000 evaluations and differentiations of 32 polynomials of 32 monomials of 5 variables with "
        "degrees 1 to 5, 10,000 orthogonalizations, and both (the sum), seconds.",
        "arithmetic", rows, PAPER_PARTS * PAPER_PRECISIONS);
    const paper_row *qd = &paper_table6[PAPER_MGS][2];
    fprintf(p->out,
            "<p class=\"slip\">A slip of the paper: %.1f s against %.1f s is a speedup of %.1f here and of %.1f in "
            "Table 3; "
            "the quotient is %.2f.</p>\n",
            qd->cpu, qd->gpu, qd->speedup, paper_table3[2].speedup, qd->cpu / qd->gpu);
    page_plots(p, "table6");
}

void paper_tables_write(const paper_page *p)
{
    page_section(p->out, "tables", "The paper&rsquo;s tables and figures");
    write_table1(p);
    paper_table2_write(p);
    write_table3(p);
    /* Section 5.3: three vectors of complex double doubles in shared memory. */
    const double vectors = 3, bytes = vectors * PAPER_N * 32, printed = 3136, blocks = 8, shared = 49152;
    fprintf(p->out,
            "<p class=\"slip\">A slip of the paper: three vectors of 32 complex double doubles are %.0f bytes, as it "
            "says; its "
            "occupancy is computed with %.0f, %.0f%% instead of %.0f%%.</p>\n",
            bytes, printed, 100 * printed * blocks / shared, 100 * bytes * blocks / shared);
    write_tables4_5(p);
    write_table6(p);
}
