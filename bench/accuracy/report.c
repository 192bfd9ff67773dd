/* report.c - the results of plumb-bench accuracy as text and as JSON. */
#include <math.h>

#include "app/report.h"
#include "bench/accuracy/accuracy.h"

static double two_decimals(double x)
{
    return isfinite(x) ? round(100 * x) / 100 : x;
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

static void print_rows(const accuracy_run *run, FILE *out, int32_t prec)
{
    fprintf(out, "\n%s\n  %3s %8s %8s %6s    %s\n", plumb_prec_name(prec), "g", "m_e", "M_e", "D_e",
            "the paper: m_e, M_e");
    for (int k = 0; k < ACCURACY_ROWS; k++) {
        const accuracy_row *r = &run->rows[k];
        if (r->prec != prec)
            continue;
        fprintf(out, "  %3d %8.2f %8.2f %6.2f    %15.1f %6.1f", (int)r->g, r->least, r->most, r->most - r->least,
                r->paper_least, r->paper_most);
        if (r->dependent > 0)
            fprintf(out, "    %lld left out: a column was found dependent", (long long)r->dependent);
        fprintf(out, "\n");
    }
}

static void print_elimination(const accuracy_run *run, FILE *out)
{
    fprintf(
        out,
        "\nGaussian elimination with partial pivoting compared with modified Gram-Schmidt, n = %d, entries on the unit "
        "circle\n  %4s %10s %10s %8s %11s %11s %8s %8s\n",
        ACCURACY_N, "", "mgs us", "lu us", "faster", "mgs error", "lu error", "larger", "median");
    for (int k = 0; k < ACCURACY_PRECISIONS; k++) {
        const accuracy_elimination *e = &run->elimination[k];
        if (e->absent)
            fprintf(out, "  %4s not in this build\n", plumb_prec_name(e->prec));
        else
            fprintf(out, "  %4s %10.1f %10.1f %7.1fx %11.2e %11.2e %7.1fx %7.1fx\n", plumb_prec_name(e->prec),
                    e->mgs_us, e->lu_us, e->mgs_us / e->lu_us, e->mgs_error, e->lu_error, e->lu_error / e->mgs_error,
                    e->median_ratio);
    }
    fprintf(
        out,
        "errors: largest |x_j - 1|, averaged; median: of the ratios of single systems. The paper has %dx and %dx.\n",
        PAPER_ELIMINATION_FASTER, PAPER_ELIMINATION_WORSE);
}

void accuracy_print(const void *data, FILE *out)
{
    const accuracy_run *run = data;
    fprintf(
        out,
        "plumb %s (%s): log10 of e = max |a_ij - (QR)_ij| over %lld complex %d x %d matrices for each g, seed %llu%s\n",
        plumb_version(), run->isa, (long long)run->count, ACCURACY_N, ACCURACY_N, (unsigned long long)run->seed,
        run->quick ? " (quick: fewer than the paper's 1000)" : "");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        print_rows(run, out, prec);
    print_elimination(run, out);
    fprintf(out, "\nThe run took %.0f s with %d threads.\n", run->seconds, (int)run->threads);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_row(json_writer *w, const accuracy_row *r)
{
    json_open_object(w, NULL);
    json_string(w, "precision", plumb_prec_name(r->prec));
    json_int(w, "g", r->g);
    json_double(w, "m_e", two_decimals(r->least));
    json_double(w, "M_e", two_decimals(r->most));
    json_double(w, "D_e", two_decimals(r->most - r->least));
    json_int(w, "dependent", r->dependent);
    json_open_object(w, "paper");
    json_double(w, "m_e", r->paper_least);
    json_double(w, "M_e", r->paper_most);
    json_close_object(w);
    json_close_object(w);
}

static void write_elimination(json_writer *w, const accuracy_elimination *e)
{
    json_open_object(w, NULL);
    json_string(w, "precision", plumb_prec_name(e->prec));
    json_int(w, "n", ACCURACY_N);
    json_int(w, "systems", e->count);
    json_double(w, "mgs_us", bench_rounded(e->mgs_us));
    json_double(w, "lu_us", bench_rounded(e->lu_us));
    json_double(w, "time_ratio", bench_rounded(e->mgs_us / e->lu_us));
    json_double(w, "mgs_error", bench_rounded(e->mgs_error));
    json_double(w, "lu_error", bench_rounded(e->lu_error));
    json_double(w, "error_ratio", bench_rounded(e->lu_error / e->mgs_error));
    json_double(w, "median_ratio", bench_rounded(e->median_ratio));
    json_open_object(w, "paper");
    json_double(w, "time_ratio", PAPER_ELIMINATION_FASTER);
    json_double(w, "error_ratio", PAPER_ELIMINATION_WORSE);
    json_close_object(w);
    json_close_object(w);
}

void accuracy_json_body(const accuracy_run *run, json_writer *w)
{
    json_int(w, "n", ACCURACY_N);
    json_int(w, "matrices", run->count);
    json_uint(w, "seed", run->seed);
    json_bool(w, "quick", run->quick);
    json_double(w, "seconds", bench_rounded(run->seconds));
    json_open_array(w, "results");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int k = 0; k < ACCURACY_ROWS; k++)
            if (run->rows[k].prec == prec)
                write_row(w, &run->rows[k]);
    json_close_array(w);
    json_open_array(w, "elimination");
    for (int k = 0; k < ACCURACY_PRECISIONS; k++)
        if (!run->elimination[k].absent)
            write_elimination(w, &run->elimination[k]);
    json_close_array(w);
}

void accuracy_json(const void *data, FILE *out)
{
    const accuracy_run *run = data;
    json_writer w = bench_json_begin(out, "accuracy", run->commit);
    app_report_backend(&w, PLUMB_BACKEND_CPU);
    json_string(&w, "isa", run->isa);
    json_int(&w, "threads", run->threads);
    accuracy_json_body(run, &w);
    bench_json_end(&w);
}
