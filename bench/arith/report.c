/* report.c - the results of plumb-bench arith as text and as JSON. */
#include <math.h>
#include <string.h>

#include "app/report.h"
#include "bench/arith/arith.h"
#include "bench/common/machine.h"

/* ---- Tables -------------------------------------------------------------------------------------------------- */

/* Three significant digits, right-aligned; a dot if nothing was measured. */
static void print_ns(FILE *out, double ns, char mark)
{
    if (isnan(ns))
        fprintf(out, " %9s ", ".");
    else
        fprintf(out, " %9.*f%c", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns, mark);
}

static void print_header(const bench_run *run, FILE *out, const bench_case *c)
{
    static const char *const digits[PLUMB_QD + 1] = {[PLUMB_D] = "16", [PLUMB_DD] = "32", [PLUMB_QD] = "64"};
    fprintf(out, "\n%s %s, about %s digits: ns per operation\n", plumb_prec_name(c->prec),
            c->parts == PLUMB_REAL ? "real" : "complex", digits[c->prec]);
    fprintf(out, "  %-6s", "");
    for (int32_t i = 0; i < run->isa_count; i++)
        fprintf(out, " %9s ", run->isa[i].kernels->name);
    if (run->have_peers)
        fprintf(out, " %9s  %9s  %9s ", "libqd", "mpfr", "float128");
    fprintf(out, " %7s %6s", "instr.", "peak");
    if (run->have_peers)
        fprintf(out, " %9s", "vs libqd");
    fprintf(out, "\n");
}

static void print_case(const bench_run *run, FILE *out, const bench_case *c)
{
    int32_t best = run->isa_count - 1;
    bool package;
    double libqd = bench_libqd(c, &package), ns = bench_best(&c->isa[best]);
    double fraction = bench_peak_fraction(run, c, best);
    fprintf(out, "  %-6s", plumb_op_name(c->op));
    for (int32_t i = 0; i < run->isa_count; i++)
        print_ns(out, bench_best(&c->isa[i]), ' ');
    if (run->have_peers) {
        print_ns(out, libqd, package ? '*' : ' ');
        print_ns(out, bench_best(&c->peer[PEER_MPFR]), ' ');
        print_ns(out, bench_best(&c->peer[PEER_FLOAT128]), ' ');
    }
    fprintf(out, " %7.*f", fmod(c->flops + c->others, 1.0) == 0 ? 0 : 1, c->flops + c->others);
    if (isnan(fraction))
        fprintf(out, " %6s", ".");
    else
        fprintf(out, " %5.0f%%", 100 * fraction);
    if (run->have_peers && !isnan(libqd))
        fprintf(out, " %8.1fx", libqd / ns);
    fprintf(out, "\n");
}

/* The average relative distance of the median sample of a loop above its best: a percent or two on a quiet machine. */
static double typical_spread(const bench_run *run)
{
    double sum = 0;
    int64_t count = 0;
    for (int32_t k = 0; k < run->case_count; k++)
        for (int32_t i = 0; i < run->isa_count; i++)
            if (run->cases[k].isa[i].times.count > 0) {
                sum += bench_times_spread(&run->cases[k].isa[i].times);
                count++;
            }
    return count > 0 ? sum / (double)count : (double)NAN;
}

void bench_arith_print(const void *data, FILE *out)
{
    const bench_run *run = data;
    bench_machine m = bench_machine_now();
    fprintf(out, "plumb %s on one core of %s (%s, %d cores) at %.2f GHz, arrays of %d\n", plumb_version(), m.cpu,
            m.arch, m.cores, run->ghz, BENCH_LENGTH);
    fprintf(out, "peak in lane operations per ns:");
    for (int32_t i = 0; i < run->isa_count; i++)
        fprintf(out, "%s %s %.1f", i ? "," : "", run->isa[i].kernels->name, run->isa[i].lane_ops);
    fprintf(out, "\n");
    for (int32_t k = 0; k < run->case_count; k++) {
        const bench_case *c = &run->cases[k];
        if (k == 0 || c->prec != c[-1].prec || c->parts != c[-1].parts)
            print_header(run, out, c);
        print_case(run, out, c);
    }
    if (run->isa_count > 0)
        fprintf(
            out,
            "\ninstr.: vector instructions per operation; peak: the share of the issue slots of %s that they use%s.\n",
            run->isa[run->isa_count - 1].kernels->name,
            run->have_peers ? "; vs libqd: with the same instruction set" : "");
    if (run->have_peers)
        fprintf(
            out,
            "libqd: its accurate variants with FMA, not vectorised; * code of the packaged library, built without "
            "FMA.\n"
            "mpfr: at 53, 106, 212 bits. float128: IEEE quadruple precision, 113 bits. dot: per term of sums of %d.\n",
            BENCH_TERMS);
    else
        fprintf(out, "dot: per term of sums of %d. No peers were measured.\n", BENCH_TERMS);
    fprintf(out, "Smallest of all samples; the median is %.0f%% larger on average. The run took %.0f s.\n",
            100 * typical_spread(run), run->seconds);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void write_result(const bench_run *run, json_writer *w, const bench_case *c, int32_t isa)
{
    bool package;
    double ns = bench_best(&c->isa[isa]), libqd = bench_libqd(c, &package);
    json_open_object(w, NULL);
    json_string(w, "op", plumb_op_name(c->op));
    json_string(w, "precision", plumb_prec_name(c->prec));
    json_string(w, "kind", c->parts == PLUMB_REAL ? "real" : "complex");
    json_string(w, "isa", run->isa[isa].kernels->name);
    json_double(w, "ns", bench_rounded(ns));
    json_double(w, "spread", bench_rounded(bench_times_spread(&c->isa[isa].times)));
    json_double(w, "peak", bench_rounded(bench_peak_fraction(run, c, isa)));
    json_double(w, "flops", c->flops);
    json_double(w, "others", c->others);
    json_open_object(w, "peers");
    for (int p = 0; p < BENCH_PEER_COUNT; p++)
        if (c->peer[p].times.count > 0)
            json_double(w, bench_peer_names[p], bench_rounded(bench_best(&c->peer[p])));
    json_close_object(w);
    if (!isnan(libqd))
        json_double(w, "speedup", bench_rounded(libqd / ns));
    json_close_object(w);
}

void bench_arith_json(const void *data, FILE *out)
{
    const bench_run *run = data;
    json_writer w = bench_json_begin(out, "arith", run->commit);
    app_report_backend(&w, PLUMB_BACKEND_CPU);
    json_double(&w, "ghz", bench_rounded(run->ghz));
    json_int(&w, "length", BENCH_LENGTH);
    json_int(&w, "terms", BENCH_TERMS);
    json_bool(&w, "quick", run->quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_open_object(&w, "lane_ops_per_ns");
    for (int32_t i = 0; i < run->isa_count; i++)
        json_double(&w, run->isa[i].kernels->name, bench_rounded(run->isa[i].lane_ops));
    json_close_object(&w);
    json_open_array(&w, "results");
    for (int32_t k = 0; k < run->case_count; k++)
        for (int32_t i = 0; i < run->isa_count; i++)
            if (run->cases[k].isa[i].times.count > 0)
                write_result(run, &w, &run->cases[k], i);
    json_close_array(&w);
    bench_json_end(&w);
}
