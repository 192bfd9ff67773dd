/* report.c - the results of plumb-bench eval as text and as JSON. */
#include <math.h>
#include <string.h>

#include "app/report.h"
#include "bench/common/machine.h"
#include "bench/eval/eval.h"

static bool on_one_core(const bench_eval_case *c)
{
    return c->mode == EVAL_ONE || c->mode == EVAL_BATCH;
}

/* ---- Tables -------------------------------------------------------------------------------------------------- */

/* Three significant digits; a dot if nothing was measured. */
static void print_cell(FILE *out, double x, const char *mark)
{
    if (isnan(x))
        fprintf(out, " %10s", ".");
    else
        fprintf(out, " %*.*f%s", 10 - (int)strlen(mark), x < 10 ? 2 : x < 100 ? 1 : 0, x, mark);
}

static void print_case(FILE *out, const bench_eval_case *c, const bench_eval_run *run)
{
    const bench_eval_case *with = c->like != NULL ? c->like : c;
    double ns = bench_times_best(&c->times), floor_ns = bench_eval_floor_ns(run, c);
    fprintf(out, "  %-3s %-15s", plumb_prec_name(c->prec), bench_eval_mode_names[c->mode]);
    print_cell(out, 1e-3 * ns, "");
    for (int s = 0; run->have_peers && s < BENCH_EVALUATOR_COUNT; s++)
        print_cell(out, 1e-3 * bench_times_best(&with->peer[s].times), "");
    if (run->have_peers)
        print_cell(out, bench_eval_rival(c) / ns, "x");
    print_cell(out, on_one_core(c) ? 1e-3 * floor_ns : (double)NAN, "");
    print_cell(out, on_one_core(c) ? 100 * floor_ns / ns : (double)NAN, "%");
    fprintf(out, "\n");
}

static void print_header(FILE *out, const bench_eval_case *c, const bench_eval_run *run)
{
    fprintf(out, "\n%s %lld: %lld equations in %lld unknowns, %lld products and %lld terms of sums\n", c->of->name,
            (long long)c->of->n, (long long)plumb_system_equations(c->of->system),
            (long long)plumb_system_unknowns(c->of->system), (long long)c->of->products, (long long)c->of->sum_terms);
    fprintf(out, "  %-19s %10s", "", "plumb");
    for (int s = 0; run->have_peers && s < BENCH_EVALUATOR_COUNT; s++)
        fprintf(out, " %10s", s == EVALUATOR_LIBQD ? "libqd" : s == EVALUATOR_LIBQD_SLOPPY ? "sloppy" : "double");
    if (run->have_peers)
        fprintf(out, " %10s", "faster");
    fprintf(out, " %10s %10s\n", "floor", "of floor");
}

/* The average relative distance of the median sample above the best: a percent or two on a quiet machine. */
static double typical_spread(const bench_eval_run *run)
{
    double sum = 0;
    for (int32_t i = 0; i < run->case_count; i++)
        sum += bench_times_spread(&run->cases[i].times);
    return sum / run->case_count;
}

void bench_eval_print(const void *data, FILE *out)
{
    const bench_eval_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s (%s) on %s (%s, %d cores) at %.2f GHz: microseconds per evaluation with its Jacobian, complex\n",
            plumb_version(), plumb_context_isa(run->one), m.cpu, m.arch, m.cores, run->ghz);
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_eval_case *c = &run->cases[i];
        if (i == 0 || c->of != c[-1].of)
            print_header(out, c, run);
        print_case(out, c, run);
    }
    fprintf(out,
            "\n%s"
            "floor: all instructions of the evaluation at the peak of one core. Batches of %d points, %lld per call.\n"
            "Smallest of all samples; the median is %.0f%% larger on average. The run took %.0f s.\n",
            run->have_peers ? "double, libqd: the same work on scalars on one core.\n" : "No peers were measured.\n",
            BENCH_EVAL_BATCH, (long long)BENCH_EVAL_CALL, 100 * typical_spread(run), run->seconds);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_case(json_writer *w, const bench_eval_case *c, const bench_eval_run *run)
{
    const bench_eval_case *with = c->like != NULL ? c->like : c;
    double ns = bench_times_best(&c->times), rival = bench_eval_rival(c), floor_ns = bench_eval_floor_ns(run, c);
    json_open_object(w, NULL);
    json_string(w, "system", c->of->name);
    json_int(w, "n", c->of->n);
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", "complex");
    json_string(w, "mode", bench_eval_mode_names[c->mode]);
    json_double(w, "us", bench_rounded(1e-3 * ns));
    json_double(w, "spread", bench_rounded(bench_times_spread(&c->times)));
    json_int(w, "products", c->of->products);
    json_int(w, "sum_terms", c->of->sum_terms);
    json_double(w, "instructions", c->of->instructions[c->prec]);
    if (on_one_core(c)) {
        json_double(w, "floor_us", bench_rounded(1e-3 * floor_ns));
        json_double(w, "peak", bench_rounded(floor_ns / ns));
    }
    json_double(w, "checksum", bench_rounded(c->checksum));
    json_open_object(w, "peers");
    for (int s = 0; s < BENCH_EVALUATOR_COUNT; s++)
        if (with->peer[s].times.count > 0)
            json_double(w, bench_evaluator_names[s], bench_rounded(1e-3 * bench_times_best(&with->peer[s].times)));
    json_close_object(w);
    if (!isnan(rival))
        json_double(w, "speedup", bench_rounded(rival / ns));
    if (with->peer[EVALUATOR_LIBQD_SLOPPY].times.count > 0)
        json_double(w, "speedup_sloppy",
                    bench_rounded(bench_times_best(&with->peer[EVALUATOR_LIBQD_SLOPPY].times) / ns));
    json_close_object(w);
}

void bench_eval_json(const void *data, FILE *out)
{
    const bench_eval_run *run = data;
    json_writer w = bench_json_begin(out, "eval", run->commit);
    app_report_backend(&w, PLUMB_BACKEND_CPU);
    json_string(&w, "isa", plumb_context_isa(run->one));
    json_int(&w, "threads", plumb_context_threads(run->all));
    json_double(&w, "ghz", bench_rounded(run->ghz));
    json_double(&w, "peak_ops_per_ns", bench_rounded(run->lane_ops));
    json_int(&w, "batch", BENCH_EVAL_BATCH);
    json_int(&w, "call", BENCH_EVAL_CALL);
    json_int(&w, "seed", BENCH_EVAL_SEED);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_array(&w, "results");
    for (int32_t i = 0; i < run->case_count; i++)
        if (run->cases[i].times.count > 0)
            write_case(&w, &run->cases[i], run);
    json_close_array(&w);
    bench_json_end(&w);
}
