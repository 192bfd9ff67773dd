/* table_gpu.c - Markdown tables from the JSON of `plumb bench lsq --backend gpu`. */
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

static void write_row(FILE *out, const json_node *r)
{
    static const char *const times[] = {"us", "launch_us", "cpu1_us", "cpuall_us"};
    const bool batch = strcmp(text_of(r, "mode"), "batch") == 0;
    double error = number_of(r, "error");
    fprintf(out, "| %s | %s | %.0f |", text_of(r, "mode"), text_of(r, "prec"), number_of(r, "n"));
    for (size_t k = 0; k < sizeof times / sizeof times[0]; k++)
        bench_table_cell(out, number_of(r, times[k]), "");
    bench_table_cell(out, number_of(r, batch ? "cublas_batched_us" : "cusolver_us"), "");
    bench_table_cell(out, number_of(r, "floor_us"), "");
    bench_table_cell(out, number_of(r, "us") / number_of(r, "floor_us"), "x");
    bench_table_cell(out, number_of(r, "cpu1_us") / number_of(r, "us"), "x");
    if (isnan(error))
        fprintf(out, " |\n");
    else
        fprintf(out, " %.0e |\n", error);
}

static void write_quality(FILE *out, const json_node *quality, const char *key, const char *rival)
{
    double n = number_of(quality, key);
    if (n > 0)
        fprintf(out, "qd on the GPU takes less time than %s up to n = %.0f.\n", rival, n);
    else if (n == 0)
        fprintf(out, "qd on the GPU takes less time than %s at no n measured.\n", rival);
}

bool bench_table_lsq_gpu(FILE *out, const json_node *root, bool brief)
{
    const json_node *results = json_member(root, "results"), *machine = json_member(root, "machine");
    const json_node *quality = json_member(root, "quality_up");
    if (results == NULL || results->kind != JSON_ARRAY || results->child == NULL || machine == NULL)
        return false;
    fprintf(
        out,
        "**%s** beside %s (%s, %.0f threads), complex least squares, microseconds a system; commit `%.12s`, %.10s\n\n"
        "| | | n | GPU | launched | one core | all cores | cuSOLVER d | floor | over floor | vs one core | error |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        text_of(root, "device"), text_of(machine, "cpu"), text_of(root, "isa"), number_of(root, "threads"),
        text_of(root, "commit"), text_of(root, "date"));
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (!brief || strcmp(text_of(r, "mode"), "sequence") == 0)
            write_row(out, r);
    fprintf(out, "\n");
    if (quality == NULL)
        return true;
    write_quality(out, quality, "dd_one_core", "dd on one core");
    write_quality(out, quality, "d_cusolver", "cuSOLVER in d");
    fprintf(out, "\n");
    return true;
}
