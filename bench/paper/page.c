/* page.c - see bench_paper_page.h. */
#include "bench/paper/page.h"

#include <math.h>
#include <string.h>

#include "bench/paper/paper.h"

/* ---- Small parts --------------------------------------------------------------------------------------------- */

void page_text(FILE *out, const char *text)
{
    for (; *text != 0; text++)
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
}

void page_section(FILE *out, const char *id, const char *title)
{
    fprintf(out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void page_table_open(FILE *out, const char *id, const char *caption)
{
    fprintf(out,
            "<p class=\"caption\" id=\"%s-caption\">%s</p>\n"
            "<div class=\"scroll\" tabindex=\"0\"><table id=\"%s\" aria-labelledby=\"%s-caption\">\n",
            id, caption, id, id);
}

void page_table_close(FILE *out)
{
    fprintf(out, "</table></div>\n");
}

void page_fixed(FILE *out, double x, int decimals)
{
    if (isfinite(x))
        fprintf(out, "<td>%.*f</td>", decimals, x);
    else
        fprintf(out, "<td class=\"none\"></td>");
}

/* Three figures that count. */
static int decimals_of(double x)
{
    return x < 0.1 ? 4 : x < 1 ? 3 : x < 10 ? 2 : x < 100 ? 1 : 0;
}

void page_seconds(FILE *out, double us)
{
    const double seconds = us * 1e-6 * PAPER_RUNS;
    page_fixed(out, seconds, decimals_of(seconds));
}

void page_micros(FILE *out, double us)
{
    page_fixed(out, us, decimals_of(us));
}

void page_times(FILE *out, double ratio)
{
    if (isfinite(ratio))
        fprintf(out, "<td>%.*f&times;</td>", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
    else
        fprintf(out, "<td class=\"none\"></td>");
}

void page_plots(const paper_page *p, const char *prefix)
{
    for (int i = 0; i < p->plots->count; i++) {
        const paper_plot *plot = &p->plots->plot[i];
        if (strncmp(plot->id, prefix, strlen(prefix)) != 0)
            continue;
        fprintf(p->out, "<figure id=\"plot-%s\"><div class=\"scroll\" tabindex=\"0\" role=\"img\" aria-label=\"",
                plot->id);
        page_text(p->out, plot->caption);
        fprintf(p->out, "\">%s</div><figcaption>", plot->svg);
        page_text(p->out, plot->caption);
        fprintf(p->out, "</figcaption></figure>\n");
    }
}

static void write_commit(FILE *out, const paper_source *s)
{
    char commit[13];
    snprintf(commit, sizeof commit, "%s", paper_source_text(s, "commit"));
    fprintf(out, "<code>");
    page_text(out, commit);
    fprintf(out, "</code>");
}

static void write_date(FILE *out, const paper_source *s)
{
    char day[11];
    snprintf(day, sizeof day, "%s", paper_source_text(s, "date"));
    page_text(out, day);
}

void page_machine(FILE *out, const paper_source *m)
{
    page_text(out, m->machine);
    fprintf(out, ", ");
    write_date(out, m);
}

void page_provenance(FILE *out, const paper_source *s)
{
    const char *isa = paper_source_text(s, "isa"), *driver = paper_source_text(s, "driver");
    fprintf(out, "<p class=\"from\">");
    page_text(out, s->machine);
    if (isa[0] != 0) {
        fprintf(out, ", ");
        page_text(out, isa);
    }
    if (driver[0] != 0) {
        fprintf(out, ", ");
        page_text(out, driver);
    }
    fprintf(out, "; ");
    page_text(out, s->name);
    fprintf(out, ", commit ");
    write_commit(out, s);
    fprintf(out, ", ");
    write_date(out, s);
    fprintf(out, "</p>\n");
}

/* ---- The frame ----------------------------------------------------------------------------------------------- */

static void write_style(FILE *out)
{
    fprintf(out, "<style>\n");
    paper_plot_colours(out, ":root");
    fprintf(
        out,
        ":root{--paper:#fff;--soft:#f3f5f7;--line:#d4dae0;--faint:#59636e;--good:#11703a;--bad:#b3261e;"
        "color-scheme:light dark}\n"
        "@media screen and (prefers-color-scheme:dark){:root{--paper:#12161b;--soft:#1c2229;--line:#363f49;"
        "--faint:#9aa5b1;--good:#5bcb88;--bad:#ff8a80}}\n"
        "*{box-sizing:border-box}\n"
        "body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif;"
        "overflow-wrap:break-word}\n"
        "main{max-width:72rem;margin:0 auto;padding:1rem}\n"
        "h1{font-size:1.6rem;line-height:1.25}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}\n"
        "a{color:var(--bar3)}p,li{max-width:46rem}.from,.slip,figcaption,.caption{color:var(--faint);font-size:."
        "875rem}\n"
        ".slip{border-left:3px solid var(--bar5);padding-left:.75rem}\n"
        ".scroll{overflow-x:auto;max-width:100%%;margin:.25rem 0}.caption{margin:1.5rem 0 0}\n"
        "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}\n"
        "th,td{padding:.2rem .55rem;text-align:right;white-space:nowrap}\n"
        "thead th{vertical-align:bottom;border-bottom:1px solid var(--line);font-weight:600;white-space:normal;"
        "min-width:3.5rem;max-width:8rem}\n"
        "thead .group{text-align:center;max-width:none}tbody "
        "th:first-child,td:first-child,tr:first-child>th:first-child{text-align:left}\n"
        "tbody th{font-weight:500;position:sticky;left:0;background:var(--paper)}\n"
        "tbody tr:nth-child(even)>*{background:var(--soft)}\n"
        "tbody .head{text-align:left;font-weight:600;padding-top:.6rem;background:var(--paper)!important}\n"
        ".edge{border-left:1px solid var(--line)}\n"
        ".words td,.words th{white-space:normal;min-width:11rem;max-width:none;text-align:left;vertical-align:top}\n"
        ".words tbody th{position:static}\n"
        ".yes{color:var(--good);font-weight:600}.no{color:var(--bad);font-weight:600}.none{color:var(--faint)}\n"
        "figure{margin:1.5rem 0}figure svg{display:block;min-width:32rem;width:100%%;max-width:60rem;height:auto}\n"
        "@media screen and (max-width:44rem){.words,.words tbody,.words tr,.words th,.words td{display:block}"
        ".words thead{display:none}.words tr{border-top:1px solid var(--line);padding:.5rem 0}"
        ".words tbody th{font-weight:600}.words td::before{content:attr(data-of) \": \";color:var(--faint)}}\n"
        "@media print{body{font-size:10pt}main{max-width:none;padding:0}h2,h3,.caption{break-after:avoid}\n"
        ".scroll{overflow:visible}table{font-size:6.5pt}th,td{padding:.1rem .2rem}tbody th{position:static}\n"
        "thead th,.words td,.words th{min-width:0}figure,tr,table{break-inside:avoid}"
        "figure svg{min-width:0;max-width:16cm}nav{display:none}}\n"
        "</style>\n");
}

static void write_machines(const paper_page *p)
{
    FILE *out = p->out;
    page_section(out, "machines", "Machines");
    page_table_open(out, "t-machines", "The paper's and ours; every column of ours below names one of these.");
    fprintf(out, "<thead><tr><th>machine</th><th>processor</th><th>cores</th><th>instructions</th><th>GPU</th>"
                 "<th>driver</th><th>commit</th><th>date</th><th>file</th></tr></thead>\n<tbody>\n"
                 "<tr><th>the paper</th><td>3.47 GHz Intel Xeon X5690</td><td>1 used</td><td></td><td>NVIDIA Tesla "
                 "C2050, 1147 MHz</td><td>CUDA 4.0</td><td></td><td>2013-01-13</td><td></td></tr>\n");
    for (int i = 0; i < p->sources->machines; i++) {
        const paper_source *m = p->sources->machine[i];
        const json_node *computer = json_member(m->root, "machine");
        static const char *const keys[] = {"isa", "device", "driver"};
        fprintf(out, "<tr><th>");
        page_text(out, m->machine);
        fprintf(out, "</th><td>");
        page_text(out, json_member_string(computer, "cpu", "?"));
        fprintf(out, "</td><td>%.0f</td>", json_member_number(computer, "cores", 0));
        for (int k = 0; k < 3; k++) {
            fprintf(out, "<td>");
            page_text(out, paper_source_text(m, keys[k]));
            fprintf(out, "</td>");
        }
        fprintf(out, "<td>");
        write_commit(out, m);
        fprintf(out, "</td><td>");
        write_date(out, m);
        fprintf(out, "</td><td>");
        page_text(out, m->name);
        fprintf(out, "</td></tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
}

/* Was anything of a machine measured with --quick, or so because its time had run out? */
static bool is_quick(const paper_source *m)
{
    const json_node *said = json_member(m->root, "quick"), *results = json_member(m->root, "results");
    bool quick = said != NULL && said->number != 0;
    for (const json_node *r = results != NULL ? results->child : NULL; r != NULL && !quick; r = r->next)
        quick = json_member(r, "hurried") != NULL;
    return quick;
}

static void write_method(const paper_page *p)
{
    FILE *out = p->out;
    fprintf(out,
            "<p>The paper ran everything 10,000 times and gives the sum; so do the tables here. Ours on processors are "
            "<strong>scaled</strong>: the least of a few samples of one run, times 10,000. On a GPU runs follow one "
            "another on resident data, 10,000 of them where they are short, else as many as take a second or two, "
            "scaled.</p>\n");
    for (int i = 0; i < p->sources->machines; i++)
        if (is_quick(p->sources->machine[i])) {
            fprintf(out, "<p><strong>");
            page_machine(out, p->sources->machine[i]);
            fprintf(out,
                    ": measured with --quick, or in part so, because time ran out: fewer and shorter samples.</strong>"
                    "</p>\n");
        }
}

void paper_page_write(const paper_page *p)
{
    FILE *out = p->out;
    fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                 "<title>Orthogonalization with double doubles and quad doubles: the paper and plumb</title>\n");
    write_style(out);
    fprintf(out,
            "</head>\n<body>\n<main>\n<h1>Orthogonalization with double doubles and quad doubles: the paper and plumb"
            "</h1>\n<p>Every experiment of J. Verschelde and G. Yoffe, <cite>Orthogonalization on a General Purpose "
            "Graphics Processing Unit with Double Double and Quad Double Arithmetic</cite> (13 January 2013), rerun by "
            "<code>plumb bench paper</code>: their numbers, ours, and what became of their statements.</p>\n"
            "<nav><a href=\"#statements\">Statements</a> &middot; <a href=\"#quality\">Quality up</a> &middot; "
            "<a href=\"#tables\">Tables 1 to 6</a> &middot; <a href=\"#beyond\">Beyond the paper</a> &middot; "
            "<a href=\"#machines\">Machines</a></nav>\n");
    write_method(p);
    page_plots(p, "quality-up");
    page_plots(p, "speedup");
    write_machines(p);
    paper_verdicts_write(p);
    paper_quality_write(p);
    paper_tables_write(p);
    paper_beyond_write(p);
    fprintf(out, "</main>\n</body>\n</html>\n");
}
