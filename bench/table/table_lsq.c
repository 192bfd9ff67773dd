/* table_lsq.c - Markdown tables from the JSON of `plumb bench lsq` and `plumb bench accuracy`. */
#include "bench/table/table.h"

#include <math.h>
#include <string.h>

static const char *text_of(const json_node *r, const char *key)
{
    return json_member_string(r, key, "?");
}

static double number_of(const json_node *r, const char *key)
{
    return json_member_number(r, key, (double)NAN);
}

static bool write_title(FILE *out, const json_node *root, const char *what)
{
    const json_node *results = json_member(root, "results"), *machine = json_member(root, "machine");
    if (results == NULL || results->kind != JSON_ARRAY || results->child == NULL || machine == NULL)
        return false;
    fprintf(out, "**%s** (%s, %s), %s; commit `%.12s`, %.10s\n\n", text_of(machine, "cpu"), text_of(machine, "arch"),
            text_of(root, "isa"), what, text_of(root, "commit"), text_of(root, "date"));
    return true;
}

static void write_error(FILE *out, double error)
{
    if (isnan(error))
        fprintf(out, " |");
    else
        fprintf(out, " %.0e |", error);
}

static void write_solve(FILE *out, const json_node *r)
{
    static const char *const peers[] = {"libqd_fma", "libqd_fma_sloppy", "arb"};
    const json_node *us = json_member(r, "peers");
    double lapack = fmin(number_of(us, "lapack"), number_of(us, "openblas"));
    bool batch = strcmp(text_of(r, "mode"), "batch") == 0;
    fprintf(out, "| %s | %s | %s | %.0f |", text_of(r, "mode"), text_of(r, "prec"), text_of(r, "kind"),
            number_of(r, "n"));
    bench_table_cell(out, number_of(r, "us"), "");
    write_error(out, number_of(r, "error"));
    bench_table_cell(out, batch ? number_of(r, "one_by_one_us") : (double)NAN, "");
    for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++)
        bench_table_cell(out, number_of(us, peers[k]), "");
    bench_table_cell(out, lapack, "");
    bench_table_cell(out, number_of(r, "speedup"), "x");
    fprintf(out, "\n");
}

/* The sizes the targets are about. */
static bool is_brief(const json_node *r)
{
    return strcmp(text_of(r, "kind"), "complex") == 0 && number_of(r, "n") == 32;
}

bool bench_table_lsq(FILE *out, const json_node *root, bool brief)
{
    if (strcmp(text_of(root, "backend"), "gpu") == 0)
        return bench_table_lsq_gpu(out, root, brief);
    if (!write_title(out, root, "least squares on one core, microseconds a solve"))
        return false;
    fprintf(out, "| | | | n | plumb | error | one by one | libqd | libqd sloppy | Arb | LAPACK | speedup |\n"
                 "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const json_node *r = json_member(root, "results")->child; r != NULL; r = r->next)
        if (!brief || is_brief(r))
            write_solve(out, r);
    fprintf(out, "\n");
    const json_node *overheads = json_member(root, "overheads");
    if (brief || overheads == NULL || overheads->child == NULL)
        return true;
    fprintf(out, "What complex numbers and precision cost, real d being 1:\n\n"
                 "| n | complex d | complex dd | complex qd |\n|---:|---:|---:|---:|\n");
    for (const json_node *r = overheads->child; r != NULL; r = r->next) {
        fprintf(out, "| %.0f |", number_of(r, "n"));
        bench_table_cell(out, number_of(r, "complex_d"), "");
        bench_table_cell(out, number_of(r, "complex_dd"), "");
        bench_table_cell(out, number_of(r, "complex_qd"), "");
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
    return true;
}

bool bench_table_accuracy(FILE *out, const json_node *root)
{
    char what[96];
    snprintf(what, sizeof what, "log10 of max \\|A - QR\\| over %.0f matrices of 32 x 32", number_of(root, "count"));
    if (!write_title(out, root, what))
        return false;
    fprintf(out, "| | g | m_e | M_e | D_e | paper m_e | paper M_e |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (const json_node *r = json_member(root, "results")->child; r != NULL; r = r->next) {
        const json_node *paper = json_member(r, "paper");
        fprintf(out, "| %s | %.0f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", text_of(r, "prec"), number_of(r, "g"),
                number_of(r, "m_e"), number_of(r, "M_e"), number_of(r, "D_e"), number_of(paper, "m_e"),
                number_of(paper, "M_e"));
    }
    fprintf(out, "\n");
    const json_node *elimination = json_member(root, "elimination");
    if (elimination == NULL || elimination->child == NULL)
        return true;
    fprintf(out, "Gaussian elimination beside modified Gram-Schmidt, complex, n = 32:\n\n"
                 "| | mgs us | lu us | faster | mgs error | lu error | larger | median |\n"
                 "|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const json_node *r = elimination->child; r != NULL; r = r->next) {
        fprintf(out, "| %s |", text_of(r, "prec"));
        bench_table_cell(out, number_of(r, "mgs_us"), "");
        bench_table_cell(out, number_of(r, "lu_us"), "");
        bench_table_cell(out, number_of(r, "time_ratio"), "x");
        write_error(out, number_of(r, "mgs_error"));
        write_error(out, number_of(r, "lu_error"));
        bench_table_cell(out, number_of(r, "error_ratio"), "x");
        bench_table_cell(out, number_of(r, "median_ratio"), "x");
        fprintf(out, "\n");
    }
    fprintf(out, "\n");
    return true;
}
