/* beyond.c - beyond the paper: what a GPU still buys against all cores, other libraries, and paths.
 *
 * The first comes from files of `bench paper`, the others from those of `bench lsq`, `eval`, `newton` and `track`; what was
 * not given is left out. */
#include <math.h>
#include <string.h>

#include "bench/paper/page.h"
#include "bench/paper/paper.h"

static const char *text_of(const json_node *r, const char *key)
{
    return json_member_string(r, key, "");
}

static double number_of(const json_node *r, const char *key)
{
    return json_member_number(r, key, (double)NAN);
}

static bool is(const json_node *r, const char *key, const char *value)
{
    return strcmp(text_of(r, key), value) == 0;
}

static const json_node *first_result(const paper_source *s)
{
    const json_node *results = json_member(s->root, "results");
    return results != NULL ? results->child : NULL;
}

static int files_of(const paper_page *p, const char *benchmark, bool gpu)
{
    int count = 0;
    for (int i = 0; i < p->sources->count; i++)
        count += paper_source_is(&p->sources->source[i], benchmark, gpu);
    return count;
}

/* ---- All cores ----------------------------------------------------------------------------------------------- */

static void write_all_cores(FILE *out, const paper_source *m, int number)
{
    char id[32];
    double least = (double)NAN, most = (double)NAN;
    snprintf(id, sizeof id, "all-cores-%d", number);
    page_table_open(
        out, id,
        "Solving one system after the other: how many times the GPU is as fast as all cores of its own machine, "
        "which run our own code in the widest vectors they have.");
    fprintf(out, "<thead><tr><th>n</th><th>d</th><th>dd</th><th>qd</th></tr></thead>\n<tbody>\n");
    for (int k = 0; k < PAPER_D_SIZES; k++) {
        fprintf(out, "<tr><th>%d</th>", (int)paper_table4[k].n);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            const double ratio = paper_time(m, PAPER_SOLVE, prec, paper_table4[k].n, PAPER_ALL_CORES) /
                                 paper_time(m, PAPER_SOLVE, prec, paper_table4[k].n, PAPER_GPU);
            least = fmin(least, ratio), most = fmax(most, ratio);
            page_times(out, ratio);
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
    if (!isnan(least))
        fprintf(out,
                "<p>Against all cores the GPU is %.2f to %.1f times as fast%s. Against one core of 2013 the "
                "paper&rsquo;s GPU "
                "was %.2f to %.1f times as fast.</p>\n",
                least, most, least >= 1 ? ": faster at every size and precision measured" : "", paper_table4[0].speedup,
                paper_table4[PAPER_D_SIZES - 1].speedup);
    page_provenance(out, m);
}

/* ---- Peers --------------------------------------------------------------------------------------------------- */

static void write_peers(FILE *out, const paper_source *s, int number)
{
    static const char *const peers[] = {"libqd_fma", "libqd_fma_sloppy", "arb", "lapack", "openblas"};
    char id[32];
    snprintf(id, sizeof id, "peers-%d", number);
    page_table_open(
        out, id,
        "One complex system on one core, microseconds: ours by modified Gram-Schmidt and by refinement; libqd with "
        "FMA by the same algorithm, Arb by elimination, LAPACK and OpenBLAS by Householder QR in d.");
    fprintf(out, "<thead><tr><th>precision</th><th>n</th><th>plumb</th><th>plumb, refined</th><th>libqd</th><th>libqd, "
                 "sloppy</th><th>Arb</th><th>LAPACK</th><th>OpenBLAS</th><th>best of them / plumb</th></tr></thead>\n"
                 "<tbody>\n");
    for (const json_node *r = first_result(s); r != NULL; r = r->next) {
        if (!is(r, "mode", "one") || !is(r, "kind", "complex"))
            continue;
        double refined = (double)NAN, best = (double)NAN;
        for (const json_node *other = first_result(s); other != NULL; other = other->next)
            if (is(other, "mode", "refined") && is(other, "kind", "complex") && is(other, "prec", text_of(r, "prec")) &&
                number_of(other, "n") == number_of(r, "n"))
                refined = number_of(other, "us");
        fprintf(out, "<tr><th>");
        page_text(out, text_of(r, "prec"));
        fprintf(out, "</th><td>%.0f</td>", number_of(r, "n"));
        page_micros(out, number_of(r, "us"));
        page_micros(out, refined);
        for (size_t k = 0; k < sizeof peers / sizeof peers[0]; k++) {
            const double us = number_of(json_member(r, "peers"), peers[k]);
            best = fmin(best, us);
            page_micros(out, us);
        }
        page_times(out, best / number_of(r, "us"));
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
    page_provenance(out, s);
}

/* ---- On a GPU ------------------------------------------------------------------------------------------------ */

static void write_gpu_row(FILE *out, const json_node *r, const char *what)
{
    const double us = number_of(r, "us");
    const bool batch = is(r, "mode", "batch");
    fprintf(out, "<tr><th>");
    page_text(out, text_of(r, what));
    fprintf(out, "</th><td>");
    page_text(out, text_of(r, "prec"));
    fprintf(out, "</td><td>%.0f</td>", number_of(r, "n"));
    page_micros(out, us);
    page_micros(out, number_of(r, "cpu1_us"));
    page_micros(out, number_of(r, "cpuall_us"));
    page_times(out, number_of(r, "cpu1_us") / us);
    page_times(out, number_of(r, "cpuall_us") / us);
    if (strcmp(what, "mode") == 0) {
        const double peer = number_of(r, batch ? "cublas_batched_us" : "cusolver_us");
        page_micros(out, peer);
        page_times(out, peer / us);
    }
    fprintf(out, "</tr>\n");
}

static void write_gpu(FILE *out, const paper_source *s, const char *benchmark, int number)
{
    const bool lsq = strcmp(benchmark, "lsq") == 0;
    char id[32];
    snprintf(id, sizeof id, "gpu-%s-%d", benchmark, number);
    page_table_open(
        out, id,
        lsq ? "Complex least squares on the GPU, microseconds a system; cuSOLVER by Householder QR in d, for "
              "batches cuBLAS by elimination in d."
            : "Evaluation of polynomial systems with their Jacobians on the GPU, one point after the other, "
              "microseconds a point.");
    fprintf(
        out,
        "<thead><tr><th>%s</th><th>precision</th><th>n</th><th>GPU</th><th>one core</th><th>all cores</th><th>over one "
        "core</th><th>over all cores</th>%s</tr></thead>\n<tbody>\n",
        lsq ? "mode" : "system", lsq ? "<th>cuSOLVER in d</th><th>cuSOLVER / plumb</th>" : "");
    for (const json_node *r = first_result(s); r != NULL; r = r->next)
        if (lsq || is(r, "mode", "sequence"))
            write_gpu_row(out, r, lsq ? "mode" : "system");
    fprintf(out, "</tbody>\n");
    page_table_close(out);
    page_provenance(out, s);
}

/* ---- Paths --------------------------------------------------------------------------------------------------- */

static bool is_shown(const json_node *member)
{
    return (member->kind == JSON_STRING || member->kind == JSON_NUMBER) && strcmp(member->key, "mode") != 0;
}

static void write_path_heads(FILE *out, const json_node *row)
{
    static const char *const names[][2] = {{"us", "&micro;s"},
                                           {"launch_us", "launched, &micro;s"},
                                           {"cpu1_us", "one core, &micro;s"},
                                           {"cpuall_us", "all cores, &micro;s"},
                                           {"eval_us", "evaluation, &micro;s"},
                                           {"lsq_us", "least squares, &micro;s"},
                                           {"prec", "precision"}};
    for (const json_node *c = row->child; c != NULL; c = c->next) {
        const char *known = NULL;
        if (!is_shown(c))
            continue;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
            if (strcmp(c->key, names[k][0]) == 0)
                known = names[k][1];
        fprintf(out, "<th>");
        if (known != NULL)
            fprintf(out, "%s", known);
        else
            page_text(out, c->key);
        fprintf(out, "</th>");
    }
}

/* The paper's evaluation and orthogonalization on its GPU: a Newton step without back substitution. */
static double newton_of_paper(const json_node *row)
{
    for (int k = 0; k < PAPER_PRECISIONS; k++)
        if (is(row, "prec", plumb_prec_name(paper_table6[PAPER_BOTH][k].prec)))
            return paper_table6[PAPER_BOTH][k].gpu * 1e6 / PAPER_RUNS;
    return (double)NAN;
}

/* The rows of one mode with whatever they have; the first tells the columns. */
static void write_path_mode(FILE *out, const json_node *first, const char *id)
{
    const bool newton = is(first, "mode", "newton");
    page_table_open(out, id,
                    newton                       ? "Newton steps one after the other, microseconds a step."
                    : is(first, "mode", "track") ? "One path."
                    : is(first, "mode", "many")  ? "Many paths at once."
                                                 : "Paths.");
    fprintf(out, "<thead><tr>");
    write_path_heads(out, first);
    fprintf(out, "%s</tr></thead>\n<tbody>\n", newton ? "<th>the paper, &micro;s</th><th>paper / ours</th>" : "");
    for (const json_node *r = first; r != NULL; r = r->next) {
        if (!is(r, "mode", text_of(first, "mode")))
            continue;
        fprintf(out, "<tr>");
        for (const json_node *c = first->child; c != NULL; c = c->next) {
            const json_node *value = json_member(r, c->key);
            if (!is_shown(c))
                continue;
            fprintf(out, "<td>");
            if (value != NULL && value->kind == JSON_STRING)
                page_text(out, value->string);
            else if (value != NULL && value->kind == JSON_NUMBER)
                fprintf(out, "%.6g", value->number);
            fprintf(out, "</td>");
        }
        if (newton) {
            page_micros(out, newton_of_paper(r));
            page_times(out, newton_of_paper(r) / number_of(r, "us"));
        }
        fprintf(out, "</tr>\n");
    }
    fprintf(out, "</tbody>\n");
    page_table_close(out);
}

static void write_paths(FILE *out, const paper_source *s, const char *benchmark, bool gpu, int number)
{
    int modes = 0;
    for (const json_node *r = first_result(s); r != NULL; r = r->next) {
        const json_node *before = first_result(s);
        while (before != r && !is(before, "mode", text_of(r, "mode")))
            before = before->next;
        if (before == r && r->kind == JSON_OBJECT) {
            char id[48];
            snprintf(id, sizeof id, "%s-%s-%d-%d", benchmark, gpu ? "gpu" : "cpu", number, ++modes);
            write_path_mode(out, r, id);
        }
    }
    page_provenance(out, s);
}

/* ---- All of it ----------------------------------------------------------------------------------------------- */

static void write_files(const paper_page *p, const char *benchmark, bool gpu, const char *title)
{
    int number = 0;
    if (files_of(p, benchmark, gpu) == 0)
        return;
    fprintf(p->out, "<h3>%s</h3>\n", title);
    for (int i = 0; i < p->sources->count; i++) {
        const paper_source *s = &p->sources->source[i];
        if (!paper_source_is(s, benchmark, gpu))
            continue;
        number++;
        if (strcmp(benchmark, "newton") == 0 || strcmp(benchmark, "track") == 0)
            write_paths(p->out, s, benchmark, gpu, number);
        else if (gpu)
            write_gpu(p->out, s, benchmark, number);
        else
            write_peers(p->out, s, number);
    }
}

void paper_beyond_write(const paper_page *p)
{
    bool any = false;
    page_section(p->out, "beyond", "Beyond the paper");
    for (int i = 0; i < p->sources->machines; i++)
        if (paper_has(p->sources->machine[i], PAPER_GPU)) {
            if (!any)
                fprintf(p->out, "<h3>What does the GPU still buy?</h3>\n");
            any = true;
            write_all_cores(p->out, p->sources->machine[i], i + 1);
        }
    write_files(p, "lsq", true, "Least squares on a GPU, beside cuSOLVER");
    write_files(p, "eval", true, "Polynomial systems on a GPU");
    write_files(p, "newton", true, "Newton steps on a GPU");
    write_files(p, "newton", false, "Newton steps on processors");
    write_files(p, "track", true, "Paths on a GPU");
    write_files(p, "track", false, "Paths on processors");
    write_files(p, "lsq", false, "Other libraries on one core");
    if (!any && files_of(p, "lsq", true) + files_of(p, "eval", true) + files_of(p, "lsq", false) == 0)
        fprintf(
            p->out,
            "<p>Nothing was given. <code>plumb bench paper --from</code> takes files of <code>plumb bench lsq</code>, "
            "<code>eval</code>, <code>newton</code> and <code>track</code> too, made with <code>--json</code>.</p>\n");
}
