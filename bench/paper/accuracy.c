/* accuracy.c - Table 2, and elimination beside orthogonalization. The numbers have the same bits on every machine,
 * so those with the most matrices stand for all. */
#include <math.h>
#include <string.h>

#include "bench/paper/page.h"
#include "bench/paper/paper.h"

static void write_row(FILE *out, const json_node *ours, int k)
{
    fprintf(out, "<tr><th>%d</th>", (int)paper_table2[k].g);
    for (int half = 0; half < 2; half++) {
        const paper_accuracy *a = &paper_table2[k + half];
        fprintf(out, "<td class=\"edge\">%.1f</td><td>%.1f</td><td>%.1f</td>", a->least, a->most, a->spread);
        page_fixed(out, paper_accuracy_number(ours, a->prec, a->g, "m_e"), 2);
        page_fixed(out, paper_accuracy_number(ours, a->prec, a->g, "M_e"), 2);
        page_fixed(out, paper_accuracy_number(ours, a->prec, a->g, "D_e"), 2);
    }
    fprintf(out, "</tr>\n");
}

static void write_head(FILE *out, int k)
{
    fprintf(out, "<tbody>\n<tr><td class=\"head\"></td>");
    for (int half = 0; half < 2; half++)
        fprintf(out, "<td class=\"head edge\" colspan=\"6\">complex %s</td>",
                paper_table2[k + half].prec == PLUMB_D    ? "double"
                : paper_table2[k + half].prec == PLUMB_DD ? "double double"
                                                          : "quad double");
    fprintf(out, "</tr>\n");
}

static void write_elimination(FILE *out, const json_node *accuracy)
{
    const json_node *rows = json_member(accuracy, "elimination");
    if (rows == NULL || rows->child == NULL)
        return;
    page_table_open(
        out, "elimination",
        "Gaussian elimination with partial pivoting beside modified Gram-Schmidt, n = 32, one core: times in "
        "microseconds a system; errors are the largest |x<sub>j</sub> &minus; 1|, averaged.");
    fprintf(out, "<thead><tr><th></th><th>MGS, &micro;s</th><th>elimination, &micro;s</th><th>faster</th><th>MGS, "
                 "error</th><th>elimination, error</th><th>error larger, average</th><th>error larger, median</th></tr>"
                 "</thead>\n<tbody>\n<tr><th>the paper</th><td></td><td></td>");
    page_times(out, paper_elimination_faster);
    fprintf(out, "<td></td><td></td>");
    page_times(out, paper_elimination_worse);
    fprintf(out, "<td></td></tr>\n");
    for (const json_node *r = rows->child; r != NULL; r = r->next) {
        fprintf(out, "<tr><th>complex ");
        page_text(out, json_member_string(r, "prec", "?"));
        fprintf(out, "</th>");
        page_micros(out, json_member_number(r, "mgs_us", (double)NAN));
        page_micros(out, json_member_number(r, "lu_us", (double)NAN));
        page_times(out, json_member_number(r, "time_ratio", (double)NAN));
        fprintf(out, "<td>%.1e</td><td>%.1e</td>", json_member_number(r, "mgs_error", (double)NAN),
                json_member_number(r, "lu_error", (double)NAN));
        page_times(out, json_member_number(r, "error_ratio", (double)NAN));
        page_times(out, json_member_number(r, "median_ratio", (double)NAN));
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
}

void paper_table2_write(const paper_page *p)
{
    FILE *out = p->out;
    const paper_source *from;
    const json_node *ours = paper_accuracy_of(p->sources, NULL, &from);
    page_table_open(
        out, "table2",
        "Table 2. log<sub>10</sub> of the least (m<sub>e</sub>) and the largest (M<sub>e</sub>) error e = max "
        "|a<sub>ij</sub> &minus; (QR)<sub>ij</sub>| of 32 &times; 32 matrices with moduli from "
        "10<sup>&minus;g</sup> to 10<sup>g</sup>, and the difference D<sub>e</sub>.");
    fprintf(out, "<thead><tr><th rowspan=\"2\">g</th>");
    for (int half = 0; half < 2; half++)
        fprintf(out,
                "<th class=\"group edge\" colspan=\"3\">the paper, 1,000 matrices</th>"
                "<th class=\"group\" colspan=\"3\">ours, %.0f</th>",
                json_member_number(ours, "count", 0));
    fprintf(out, "</tr>\n<tr>");
    for (int k = 0; k < 4; k++)
        fprintf(out, "<th%s>m<sub>e</sub></th><th>M<sub>e</sub></th><th>D<sub>e</sub></th>",
                k % 2 == 0 ? " class=\"edge\"" : "");
    fprintf(out, "</tr></thead>\n");
    for (int k = 0; k < PAPER_ACCURACIES; k += 2) {
        if (k == 0 || paper_table2[k].prec != paper_table2[k - 2].prec) {
            if (k > 0)
                fprintf(out, "</tbody>\n");
            write_head(out, k);
        }
        write_row(out, ours, k);
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
    if (from != NULL)
        page_provenance(out, from);
    fprintf(out,
            "<p class=\"slip\">Slips of the paper: with D<sub>e</sub> = m<sub>e</sub> &minus; M<sub>e</sub> as it is "
            "defined, D<sub>e</sub> would be negative; the table has M<sub>e</sub> &minus; m<sub>e</sub>. And "
            "log<sub>10</sub>(e) does not decrease as g increases, as the text has it, but increases.</p>\n");
    write_elimination(out, ours);
    if (from != NULL)
        page_provenance(out, from);
}
