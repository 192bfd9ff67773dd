/* bench_table_eval.c - Markdown tables from the JSON of `plumb bench eval`. */
#include <math.h>
#include <string.h>

#include "cli/bench_table.h"

static const char *text_of(const json_node *r, const char *key)
{
    return json_member_string(r, key, "?");
}

static double number_of(const json_node *r, const char *key)
{
    return json_member_number(r, key, (double)NAN);
}

/* The system the targets are about, one point after the other on one core. */
static bool is_brief(const json_node *r)
{
    return strcmp(text_of(r, "system"), "paper") == 0 && number_of(r, "n") == 32 &&
           strcmp(text_of(r, "mode"), "one") == 0;
}

static void write_row(FILE *out, const json_node *r)
{
    const json_node *peers = json_member(r, "peers");
    fprintf(out, "| %s %.0f | %s | %s |", text_of(r, "system"), number_of(r, "n"), text_of(r, "prec"),
            text_of(r, "mode"));
    bench_table_cell(out, number_of(r, "us"), "");
    bench_table_cell(out, number_of(peers, "double"), "");
    bench_table_cell(out, number_of(peers, "libqd_fma"), "");
    bench_table_cell(out, number_of(peers, "libqd_fma_sloppy"), "");
    bench_table_cell(out, number_of(r, "speedup"), "x");
    bench_table_cell(out, number_of(r, "floor_us"), "");
    if (isnan(number_of(r, "peak")))
        fprintf(out, " |\n");
    else
        fprintf(out, " %.0f%% |\n", 100 * number_of(r, "peak"));
}

bool bench_table_eval(FILE *out, const json_node *root, bool brief)
{
    const json_node *results = json_member(root, "results"), *machine = json_member(root, "machine");
    if (results == NULL || results->kind != JSON_ARRAY || results->child == NULL || machine == NULL)
        return false;
    fprintf(out,
            "**%s** (%s, %s, %.0f threads), microseconds an evaluation with its Jacobian, complex; commit `%.12s`, "
            "%.10s\n\n",
            text_of(machine, "cpu"), text_of(machine, "arch"), text_of(root, "isa"), number_of(root, "threads"),
            text_of(root, "commit"), text_of(root, "date"));
    fprintf(out, "| system | | | plumb | double | libqd | libqd sloppy | speedup | floor | peak |\n"
                 "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (!brief || is_brief(r))
            write_row(out, r);
    fprintf(out, "\n");
    return true;
}
