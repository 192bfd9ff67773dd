/* table.c - plumb bench table: Markdown tables from the JSON of the benchmarks.
 *
 * Numbers in documents are never typed: this writes them between two marker lines of a document and leaves the rest of it
 * alone. For `bench arith`, one table a file, one row an operation; the last instruction set of a
 * file is its best. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "bench/bench.h"
#include "bench/common/common.h"
#include "bench/table/table.h"
#include "text/json/read.h"

enum { MAX_ISAS = 8 };

static const char begin_marker[] = "<!-- plumb bench table: begin -->";
static const char end_marker[] = "<!-- plumb bench table: end -->";

static int help(void)
{
    printf("usage: plumb bench table [OPTIONS] FILE...\n"
           "\n"
           "Writes a Markdown table for each FILE that a benchmark made with --json.\n"
           "\n"
           "options:\n"
           "  --brief      arith: only add, mul, div, sqrt, fma and dot of real dd and qd; lsq: complex, n = 32;\n"
           "               lsq on a GPU: one after the other; eval: the system of the paper, one core (default: all)\n"
           "  --into DOC   put the tables into DOC, between the lines (default: standard output)\n"
           "                 %s\n"
           "                 %s\n"
           "  --help       this text\n",
           begin_marker, end_marker);
    return CLI_OK;
}

/* ---- One table ----------------------------------------------------------------------------------------------- */

typedef struct isa_names {
    const char *name[MAX_ISAS];
    int count;
} isa_names;

static isa_names collect_isas(const json_node *results)
{
    isa_names isas = {.count = 0};
    for (const json_node *r = results->child; r != NULL; r = r->next) {
        const char *name = json_member_string(r, "isa", "?");
        int i = 0;
        while (i < isas.count && strcmp(isas.name[i], name) != 0)
            i++;
        if (i == isas.count && i < MAX_ISAS)
            isas.name[isas.count++] = name;
    }
    return isas;
}

static bool same_member(const json_node *a, const json_node *b, const char *key)
{
    return strcmp(json_member_string(a, key, "?"), json_member_string(b, key, "?")) == 0;
}

/* The time of the same operation on another instruction set. */
static double find_ns(const json_node *results, const json_node *like, const char *isa)
{
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (same_member(r, like, "op") && same_member(r, like, "prec") && same_member(r, like, "kind") &&
            strcmp(json_member_string(r, "isa", "?"), isa) == 0)
            return json_member_number(r, "ns", (double)NAN);
    return (double)NAN;
}

static bool is_brief(const json_node *r)
{
    static const char *const ops[] = {"add", "mul", "div", "sqrt", "fma", "dot"};
    if (strcmp(json_member_string(r, "kind", "?"), "real") != 0 || strcmp(json_member_string(r, "prec", "?"), "d") == 0)
        return false;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (strcmp(json_member_string(r, "op", "?"), ops[i]) == 0)
            return true;
    return false;
}

void bench_table_cell(FILE *out, double x, const char *mark)
{
    if (isnan(x))
        fprintf(out, " |");
    else
        fprintf(out, " %.*f%s |", x >= 100 ? 0 : x >= 10 ? 1 : x >= 0.1 || x == 0 ? 2 : x >= 0.01 ? 3 : 4, x, mark);
}

static void write_row(FILE *out, const json_node *results, const json_node *r, const isa_names *isas)
{
    const json_node *peers = json_member(r, "peers");
    double libqd = json_member_number(peers, "libqd_fma", (double)NAN);
    bool package = isnan(libqd);
    double ops = json_member_number(r, "flops", 0) + json_member_number(r, "others", 0);
    double speedup = json_member_number(r, "speedup", (double)NAN), peak = json_member_number(r, "peak", (double)NAN);
    fprintf(out, "| %s | %s | %s |", json_member_string(r, "prec", "?"), json_member_string(r, "kind", "?"),
            json_member_string(r, "op", "?"));
    for (int i = 0; i < isas->count; i++)
        bench_table_cell(out, find_ns(results, r, isas->name[i]), "");
    bench_table_cell(out, package ? json_member_number(peers, "libqd_package", (double)NAN) : libqd,
                     package ? "\\*" : "");
    bench_table_cell(out, json_member_number(peers, "mpfr", (double)NAN), "");
    bench_table_cell(out, json_member_number(peers, "float128", (double)NAN), "");
    if (isnan(speedup))
        fprintf(out, " |");
    else
        fprintf(out, " %.1fx |", speedup);
    fprintf(out, " %.*f |", fmod(ops, 1.0) == 0 ? 0 : 1, ops);
    if (isnan(peak))
        fprintf(out, " |\n");
    else
        fprintf(out, " %.0f%% |\n", 100 * peak);
}

/* False when the tree is not what `bench arith` writes. */
static bool table_arith(FILE *out, const json_node *root, bool brief)
{
    const json_node *results = json_member(root, "results"), *machine = json_member(root, "machine");
    if (results == NULL || results->kind != JSON_ARRAY || results->child == NULL || machine == NULL)
        return false;
    isa_names isas = collect_isas(results);
    fprintf(out, "**%s** (%s, %.0f cores, %.2f GHz), one core, ns an operation; commit `%.12s`, %.10s\n\n",
            json_member_string(machine, "cpu", "?"), json_member_string(machine, "arch", "?"),
            json_member_number(machine, "cores", 0), json_member_number(root, "ghz", 0),
            json_member_string(root, "commit", "unknown"), json_member_string(root, "date", "?"));
    fprintf(out, "| | | |");
    for (int i = 0; i < isas.count; i++)
        fprintf(out, " %s |", isas.name[i]);
    fprintf(out, " libqd | MPFR | float128 | vs libqd | instr. | peak |\n|---|---|---|");
    for (int i = 0; i < isas.count + 6; i++)
        fprintf(out, "---:|");
    fprintf(out, "\n");
    for (const json_node *r = results->child; r != NULL; r = r->next)
        if (strcmp(json_member_string(r, "isa", "?"), isas.name[isas.count - 1]) == 0 && (!brief || is_brief(r)))
            write_row(out, results, r, &isas);
    fprintf(out, "\n");
    return true;
}

static int add_table(FILE *out, const char *path, bool brief)
{
    size_t length;
    char *text = bench_read_file(path, &length);
    json_node *root;
    plumb_text_error error;
    if (text == NULL)
        return cli_fail("bench table", "'%s' could not be read", path);
    plumb_status status = json_read(text, length, &root, &error);
    free(text);
    if (status != PLUMB_OK)
        return cli_fail("bench table", "%s:%lld:%lld: %s", path, (long long)error.line, (long long)error.column,
                        error.message);
    const char *benchmark = json_member_string(root, "benchmark", "arith");
    bool written = strcmp(benchmark, "lsq") == 0        ? bench_table_lsq(out, root, brief)
                   : strcmp(benchmark, "eval") == 0     ? bench_table_eval(out, root, brief)
                   : strcmp(benchmark, "accuracy") == 0 ? bench_table_accuracy(out, root)
                                                        : table_arith(out, root, brief);
    json_free(root);
    return written ? CLI_OK : cli_fail("bench table", "%s: expected the JSON of 'plumb bench'", path);
}

/* ---- Into a document ----------------------------------------------------------------------------------------- */

static int put_into(const char *document, const char *tables)
{
    size_t length;
    char *text = bench_read_file(document, &length);
    if (text == NULL)
        return cli_fail("bench table", "'%s' could not be read", document);
    const char *begin = strstr(text, begin_marker), *end = begin != NULL ? strstr(begin, end_marker) : NULL;
    int result = CLI_OK;
    if (end == NULL) {
        result = cli_fail("bench table", "'%s' lacks the line '%s' or '%s'", document, begin_marker, end_marker);
    } else {
        FILE *out = fopen(document, "wb");
        bool failed = out == NULL;
        if (!failed) {
            fprintf(out, "%.*s%s\n\n%s%s", (int)(begin - text), text, begin_marker, tables, end);
            failed = ferror(out) != 0;
            failed |= fclose(out) != 0;
        }
        if (failed)
            result = cli_fail("bench table", "'%s' could not be written", document);
    }
    free(text);
    return result;
}

int plumb_cli_bench_table(int argc, char **argv)
{
    const char *document = NULL;
    bool brief = false;
    int files = 0, result = CLI_OK;
    char *tables = NULL;
    size_t size;
    for (int i = 1; i < argc; i++)
        if (cli_is_help(argv[i]))
            return help();
    FILE *out = open_memstream(&tables, &size);
    if (out == NULL)
        return cli_fail("bench table", "out of memory");
    for (int i = 1; i < argc && result == CLI_OK; i++) { /* options apply to the files after them */
        if (strcmp(argv[i], "--brief") == 0)
            brief = true;
        else if (strcmp(argv[i], "--into") == 0) {
            if (++i == argc)
                result = cli_misuse("bench table", "--into needs a file");
            else
                document = argv[i];
        } else if (argv[i][0] == '-')
            result = cli_misuse("bench table", "unknown option '%s'", argv[i]);
        else if (++files)
            result = add_table(out, argv[i], brief);
    }
    if (result == CLI_OK && files == 0)
        result = cli_misuse("bench table", "no file given");
    if (fclose(out) != 0 && result == CLI_OK)
        result = cli_fail("bench table", "out of memory");
    if (result == CLI_OK && document != NULL)
        result = put_into(document, tables);
    else if (result == CLI_OK)
        fputs(tables, stdout);
    free(tables);
    return result;
}
