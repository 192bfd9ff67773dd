/* verdicts.c - the table of statements with their verdicts, and quality up: which precision the GPU delivers in the
 * time that processors take for a lower one. */
#include <math.h>
#include <string.h>

#include "bench/paper/judge.h"
#include "bench/paper/page.h"
#include "bench/paper/paper.h"

static void write_finding(const paper_page *p, const paper_statement *statement, const paper_source *m)
{
    static const char *const classes[] = {"none", "yes", "no"};
    static const char *const words[] = {"not measured", "holds", "does not hold"};
    paper_finding f = {0};
    statement->judge(p->sources, m, &f);
    fprintf(p->out, "<td data-of=\"");
    page_text(p->out, m != NULL ? m->machine : "the paper");
    if (m == NULL && f.verdict == NOT_MEASURED) /* it says so, without numbers that could be judged */
        fprintf(p->out, "\"><span class=\"none\">%s</span>", f.text[0] ? "as stated: " : "as stated");
    else
        fprintf(p->out, "\"><span class=\"%s\">%s</span>%s", classes[f.verdict], words[f.verdict],
                f.text[0] ? ": " : "");
    page_text(p->out, f.text);
    fprintf(p->out, "</td>");
}

void paper_verdicts_write(const paper_page *p)
{
    FILE *out = p->out;
    const int machines = p->sources->machines;
    page_section(out, "statements", "The paper&rsquo;s statements");
    fprintf(
        out,
        "<p>Each is a rule that numbers follow or do not. The rule is applied to the paper&rsquo;s own numbers and to "
        "ours alike.</p>\n<div class=\"scroll\" tabindex=\"0\"><table id=\"t-statements\" class=\"words\"><thead><tr>"
        "<th>statement</th><th>said to hold when</th><th>the paper</th>");
    for (int i = 0; i < machines; i++) {
        fprintf(out, "<th>");
        page_machine(out, p->sources->machine[i]);
        fprintf(out, "</th>");
    }
    if (machines == 0)
        fprintf(out, "<th>no machine</th>");
    fprintf(out, "</tr></thead>\n<tbody>\n");
    for (int k = 0; k < PAPER_STATEMENTS; k++) {
        const paper_statement *s = &paper_statements[k];
        fprintf(out, "<tr id=\"s-%s\"><th>%s</th><td data-of=\"said to hold when\">%s</td>", s->id, s->claim, s->rule);
        write_finding(p, s, NULL);
        for (int i = 0; i < machines; i++)
            write_finding(p, s, p->sources->machine[i]);
        if (machines == 0)
            fprintf(out, "<td><span class=\"none\">not measured</span></td>");
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody></table></div>\n");
}

/* ---- Quality up ---------------------------------------------------------------------------------------------- */

/* Levels above the precision that the GPU computes in the time processors take for it; -1: not measured. */
static int levels_paid(const paper_source *m, int32_t prec, int64_t n, int how)
{
    const double time = paper_time(m, PAPER_SOLVE, prec, n, how);
    int levels = 0, level = 0;
    if (isnan(time) || isnan(paper_time(m, PAPER_SOLVE, prec, n, PAPER_GPU)))
        return -1;
    for (int32_t higher = 2 * prec; higher <= PLUMB_QD; higher *= 2) {
        level++;
        if (paper_time(m, PAPER_SOLVE, higher, n, PAPER_GPU) <= time)
            levels = level;
    }
    return levels;
}

static void write_levels(FILE *out, int levels)
{
    if (levels < 0)
        fprintf(out, "<td class=\"none\"></td>");
    else
        fprintf(out, "<td>%d</td>", levels);
}

static void write_quality_of(FILE *out, const paper_source *m, const char *id)
{
    fprintf(out, "<h3>");
    if (m != NULL)
        page_machine(out, m);
    else
        fprintf(out, "The paper&rsquo;s machine");
    fprintf(out, "</h3>\n");
    page_table_open(
        out, id,
        "Seconds for 10,000 solutions, and how many levels of precision the GPU pays for: those it climbs in "
        "the time that processors take for d or dd.");
    fprintf(
        out,
        "<thead><tr><th>n</th><th>d, one core, s</th><th>dd, one core, s</th><th>dd, GPU, s</th><th>qd, GPU, s"
        "</th><th>dd on one core / qd on the GPU</th><th>levels over d on one core</th><th>over dd on one core</th>");
    if (m != NULL)
        fprintf(out, "<th>over d on all cores</th><th>over dd on all cores</th>");
    fprintf(out, "</tr></thead>\n<tbody>\n");
    for (int k = 0; k < PAPER_DD_SIZES; k++) {
        const int64_t n = paper_table5[k].n;
        const double dd = paper_time(m, PAPER_SOLVE, PLUMB_DD, n, PAPER_ONE_CORE);
        const double qd = paper_time(m, PAPER_SOLVE, PLUMB_QD, n, PAPER_GPU);
        fprintf(out, "<tr><th>%lld</th>", (long long)n);
        page_seconds(out, paper_time(m, PAPER_SOLVE, PLUMB_D, n, PAPER_ONE_CORE));
        page_seconds(out, dd);
        page_seconds(out, paper_time(m, PAPER_SOLVE, PLUMB_DD, n, PAPER_GPU));
        page_seconds(out, qd);
        page_times(out, dd / qd);
        for (int how = PAPER_ONE_CORE; how <= (m != NULL ? PAPER_ALL_CORES : PAPER_ONE_CORE); how++) {
            write_levels(out, levels_paid(m, PLUMB_D, n, how));
            write_levels(out, levels_paid(m, PLUMB_DD, n, how));
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
}

static void write_conclusion(FILE *out, const paper_source *m)
{
    int64_t first = 0;
    int most = 0;
    bool on = true; /* from here to the largest */
    for (int k = PAPER_DD_SIZES - 1; k >= 0; k--) {
        const int64_t n = paper_table5[k].n;
        const int from_dd = levels_paid(m, PLUMB_DD, n, PAPER_ONE_CORE),
                  from_d = levels_paid(m, PLUMB_D, n, PAPER_ONE_CORE);
        on = on && from_dd != 0;
        if (on && from_dd > 0)
            first = n;
        most = from_d > most ? from_d : from_dd > most ? from_dd : most;
    }
    if (first > 0)
        fprintf(out, "<p>qd on the GPU is faster than dd on one core from n = %lld on", (long long)first);
    else
        fprintf(out, "<p>qd on the GPU is faster than dd on one core at no n measured");
    fprintf(out, "; the GPU pays for up to %d level%s of precision.</p>\n", most, most == 1 ? "" : "s");
}

void paper_quality_write(const paper_page *p)
{
    page_section(p->out, "quality", "Quality up");
    fprintf(
        p->out,
        "<p>If the time may stay what it was, how much better can the answer be? A level of precision is the step from "
        "d to dd, or from dd to qd.</p>\n");
    write_quality_of(p->out, NULL, "quality-paper");
    write_conclusion(p->out, NULL);
    for (int i = 0; i < p->sources->machines; i++) {
        const paper_source *m = p->sources->machine[i];
        char id[32];
        if (!paper_has(m, PAPER_GPU))
            continue;
        snprintf(id, sizeof id, "quality-%d", i + 1);
        write_quality_of(p->out, m, id);
        write_conclusion(p->out, m);
    }
}
