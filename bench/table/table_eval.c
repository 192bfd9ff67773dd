/* table_eval.c - Markdown tables from the JSON of `plumb bench eval`. */
#include <math.h>
#include <string.h>

#include "bench/table/table.h"

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

static void write_gpu_row(FILE *out, const json_node *r)
{
    static const char *const times[] = {"us", "launch_us", "cpu1_us", "cpuall_us", "floor_us"};
    fprintf(out, "| %s %.0f | %s | %s |", text_of(r, "system"), number_of(r, "n"), text_of(r, "prec"),
            text_of(r, "mode"));
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        bench_table_cell(out, number_of(r, times[k]), "");
    bench_table_cell(out, number_of(r, "cpu1_us") / number_of(r, "us"), "x");
    fprintf(out, " %.0e |\n", number_of(r, "error"));
}

static void write_gpu(FILE *out, const json_node *root, bool brief)
{
    fprintf(out,
            "**%s** beside %s (%s, %.0f threads), microseconds an evaluation with its Jacobian, complex; commit "
            "`%.12s`, %.10s\n\n"
            "| system | | | GPU | launched | one core | all cores | floor | vs one core | error |\n"
            "|---|---|---|---:|---:|---:|---:|---:|---:|---:|\n",
            text_of(root, "device"), text_of(json_member(root, "machine"), "cpu"), text_of(root, "isa"),
            number_of(root, "threads"), text_of(root, "commit"), text_of(root, "date"));
    for (const json_node *r = json_member(root, "results")->child; r != NULL; r = r->next)
        if (!brief || (strcmp(text_of(r, "system"), "paper") == 0 && number_of(r, "n") == 32))
            write_gpu_row(out, r);
    fprintf(out, "\n");
}

bool bench_table_eval(FILE *out, const json_node *root, bool brief)
{
    const json_node *results = json_member(root, "results"), *machine = json_member(root, "machine");
    if (results == NULL || results->kind != JSON_ARRAY || results->child == NULL || machine == NULL)
        return false;
    if (strcmp(text_of(root, "backend"), "gpu") == 0) {
        write_gpu(out, root, brief);
        return true;
    }
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
