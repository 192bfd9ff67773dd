/* report.c - the results of plumb-bench lsq as text and as JSON. */
#include <math.h>
#include <string.h>

#include "app/report.h"
#include "bench/common/machine.h"
#include "bench/lsq/lsq.h"

static const char *kind_name(const bench_lsq_case *c)
{
    return c->parts == PLUMB_REAL ? "real" : "complex";
}

static const char *method_name(const bench_lsq_case *c)
{
    return c->mode == LSQ_REFINED ? "refined" : "mgs";
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

/* Microseconds with three significant digits, and the error of x; dots if nothing was measured. */
static void print_time(FILE *out, double ns, double error)
{
    double us = 1e-3 * ns;
    if (isnan(us))
        fprintf(out, " %9s %8s", ".", "");
    else
        fprintf(out, " %9.*f %8.1e", us < 10 ? 2 : us < 100 ? 1 : 0, us, error);
}

static void print_ratio(FILE *out, double ratio)
{
    if (isnan(ratio))
        fprintf(out, " %9s", ".");
    else
        fprintf(out, " %8.1fx", ratio);
}

static bool has_column(const bench_lsq_case *c, int solver)
{
    if (c->prec == PLUMB_D)
        return solver == SOLVER_DOUBLE || solver == SOLVER_LAPACK || solver == SOLVER_OPENBLAS;
    return solver == SOLVER_LIBQD || solver == SOLVER_LIBQD_SLOPPY || solver == SOLVER_ARB;
}

static void print_header(const bench_lsq_run *run, FILE *out, const bench_lsq_case *c)
{
    static const char *const titles[LSQ_MODES] = {"modified Gram-Schmidt", "iterative refinement",
                                                  "batches of 1024, modified Gram-Schmidt"};
    fprintf(out, "\n%s %s, %s\n  %4s %9s %8s", plumb_prec_name(c->prec), kind_name(c), titles[c->mode], "n", "plumb",
            "error");
    if (c->mode == LSQ_BATCH)
        fprintf(out, " %18s", "one by one");
    for (int s = 0; run->have_peers && s < BENCH_SOLVER_COUNT; s++)
        if (has_column(c, s))
            fprintf(out, " %18s", bench_solver_names[s]);
    fprintf(out, " %9s", c->mode == LSQ_BATCH ? "gain" : c->prec == PLUMB_D ? "vs LAPACK" : "vs libqd");
    if (c->mode != LSQ_BATCH && c->prec != PLUMB_D)
        fprintf(out, " %9s", "sloppy");
    fprintf(out, c->mode == LSQ_REFINED ? "\n" : " %6s\n", "peak");
}

static void print_case(const bench_lsq_run *run, FILE *out, const bench_lsq_case *c)
{
    const bench_lsq_case *with = c->like != NULL ? c->like : c;
    double ns = bench_times_best(&c->times), rival = bench_lsq_rival(c);
    double sloppy = bench_times_best(&with->solver[SOLVER_LIBQD_SLOPPY].times);
    fprintf(out, "  %4lld", (long long)c->n);
    print_time(out, ns, c->error);
    if (c->mode == LSQ_BATCH)
        print_time(out, bench_times_best(&c->one_by_one), c->error);
    for (int s = 0; run->have_peers && s < BENCH_SOLVER_COUNT; s++)
        if (has_column(c, s))
            print_time(out, bench_times_best(&with->solver[s].times), with->solver[s].error);
    print_ratio(out, rival / ns);
    if (c->mode != LSQ_BATCH && c->prec != PLUMB_D)
        print_ratio(out, sloppy / ns);
    if (!isnan(bench_lsq_peak(run, c)))
        fprintf(out, " %5.0f%%", 100 * bench_lsq_peak(run, c));
    fprintf(out, c->absent ? "  not in this build\n" : "\n");
}

static double time_of(const bench_lsq_run *run, int32_t prec, int32_t parts, int64_t n)
{
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_case *c = &run->cases[i];
        if (c->mode == LSQ_ONE && c->prec == prec && c->parts == parts && c->n == n)
            return bench_times_best(&c->times);
    }
    return (double)NAN;
}

/* The factors of the paper's first table: the cost of complex numbers and precision relative to a solve in real doubles. */
static void print_overheads(const bench_lsq_run *run, FILE *out)
{
    fprintf(out, "\ncost relative to real d\n  %4s %9s %10s %11s %11s\n", "n", "d", "complex d", "complex dd",
            "complex qd");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_case *c = &run->cases[i];
        if (c->mode != LSQ_ONE || c->prec != PLUMB_QD || c->parts != PLUMB_COMPLEX)
            continue;
        double one = time_of(run, PLUMB_D, PLUMB_REAL, c->n);
        fprintf(out, "  %4lld %9.2f %10.2f %11.2f %11.2f\n", (long long)c->n, 1.0,
                time_of(run, PLUMB_D, PLUMB_COMPLEX, c->n) / one, time_of(run, PLUMB_DD, PLUMB_COMPLEX, c->n) / one,
                time_of(run, PLUMB_QD, PLUMB_COMPLEX, c->n) / one);
    }
}

/* The average relative distance of the median sample above the best: a percent or two on a quiet machine. */
static double typical_spread(const bench_lsq_run *run)
{
    double sum = 0;
    int64_t count = 0;
    for (int32_t i = 0; i < run->case_count; i++)
        if (run->cases[i].times.count > 0) {
            sum += bench_times_spread(&run->cases[i].times);
            count++;
        }
    return count > 0 ? sum / (double)count : (double)NAN;
}

void bench_lsq_print(const void *data, FILE *out)
{
    const bench_lsq_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s (%s) on one core of %s (%s, %d cores) at %.2f GHz: microseconds per solve, largest |x_j - 1|\n",
            plumb_version(), plumb_context_isa(run->context), m.cpu, m.arch, m.cores, run->ghz);
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_case *c = &run->cases[i];
        if (i == 0 || c->mode != c[-1].mode || c->prec != c[-1].prec || c->parts != c[-1].parts)
            print_header(run, out, c);
        print_case(run, out, c);
    }
    print_overheads(run, out);
    fprintf(out, "\npeak: the share of the issue slots that the arithmetic of the steps uses, of %.1f per ns.\n",
            run->lane_ops);
    if (run->have_peers)
        fprintf(out,
                "\ndouble, libqd: the same algorithm on scalars. arb: Gaussian elimination at 106 "
                "and 212 bits.\nlapack, openblas: Householder QR; 'vs LAPACK' is against the faster of the two.\n");
    else
        fprintf(out, "\nNo peers were measured.\n");
    fprintf(out, "Smallest of all samples; the median is %.0f%% larger on average. The run took %.0f s.\n",
            100 * typical_spread(run), run->seconds);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_peers(json_writer *w, const bench_lsq_case *c)
{
    const bench_lsq_case *with = c->like != NULL ? c->like : c;
    json_open_object(w, "peers");
    for (int s = 0; s < BENCH_SOLVER_COUNT; s++)
        if (with->solver[s].times.count > 0)
            json_double(w, bench_solver_names[s], bench_rounded(1e-3 * bench_times_best(&with->solver[s].times)));
    json_close_object(w);
    json_open_object(w, "peer_errors");
    for (int s = 0; s < BENCH_SOLVER_COUNT; s++)
        if (with->solver[s].times.count > 0)
            json_double(w, bench_solver_names[s], bench_rounded(with->solver[s].error));
    json_close_object(w);
}

static void write_case(json_writer *w, const bench_lsq_run *run, const bench_lsq_case *c)
{
    const bench_lsq_case *with = c->like != NULL ? c->like : c;
    double ns = bench_times_best(&c->times), rival = bench_lsq_rival(c), peak = bench_lsq_peak(run, c);
    json_open_object(w, NULL);
    json_int(w, "n", c->n);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", kind_name(c));
    json_string(w, "method", method_name(c));
    json_string(w, "mode", bench_lsq_mode_names[c->mode]);
    json_double(w, "us", bench_rounded(1e-3 * ns));
    json_double(w, "spread", bench_rounded(bench_times_spread(&c->times)));
    json_double(w, "error", bench_rounded(c->error));
    if (c->mode == LSQ_BATCH)
        json_double(w, "one_by_one_us", bench_rounded(1e-3 * bench_times_best(&c->one_by_one)));
    write_peers(w, c);
    if (!isnan(rival))
        json_double(w, "speedup", bench_rounded(rival / ns));
    if (c->mode != LSQ_BATCH && with->solver[SOLVER_LIBQD_SLOPPY].times.count > 0)
        json_double(w, "speedup_sloppy",
                    bench_rounded(bench_times_best(&with->solver[SOLVER_LIBQD_SLOPPY].times) / ns));
    if (!isnan(peak))
        json_double(w, "peak", bench_rounded(peak));
    json_close_object(w);
}

static void write_overheads(json_writer *w, const bench_lsq_run *run)
{
    json_open_array(w, "overheads");
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_case *c = &run->cases[i];
        if (c->mode != LSQ_ONE || c->prec != PLUMB_QD || c->parts != PLUMB_COMPLEX)
            continue;
        double one = time_of(run, PLUMB_D, PLUMB_REAL, c->n);
        json_open_object(w, NULL);
        json_int(w, "n", c->n);
        json_double(w, "complex_d", bench_rounded(time_of(run, PLUMB_D, PLUMB_COMPLEX, c->n) / one));
        json_double(w, "complex_dd", bench_rounded(time_of(run, PLUMB_DD, PLUMB_COMPLEX, c->n) / one));
        json_double(w, "complex_qd", bench_rounded(time_of(run, PLUMB_QD, PLUMB_COMPLEX, c->n) / one));
        json_close_object(w);
    }
    json_close_array(w);
}

void bench_lsq_json(const void *data, FILE *out)
{
    const bench_lsq_run *run = data;
    json_writer w = bench_json_begin(out, "lsq", run->commit);
    app_report_backend(&w, PLUMB_BACKEND_CPU);
    json_string(&w, "isa", plumb_context_isa(run->context));
    json_int(&w, "threads", plumb_context_threads(run->context));
    json_double(&w, "ghz", bench_rounded(run->ghz));
    json_double(&w, "peak_ops_per_ns", bench_rounded(run->lane_ops));
    json_int(&w, "batch", BENCH_LSQ_BATCH);
    json_int(&w, "seed", BENCH_LSQ_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (run->cases[i].times.count > 0)
            write_case(&w, run, &run->cases[i]);
    json_close_array(&w);
    write_overheads(&w, run);
    bench_json_end(&w);
}
