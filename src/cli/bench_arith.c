/* bench_arith.c - plumb bench arith: nanoseconds an operation for every precision, operation and instruction set.
 *
 * Noise of the machine only ever adds time, and it comes in stretches. So the run goes round all loops many times, taking
 * one short sample of each, plumb's and the peers' in turn, and keeps the least sample of each: every loop had its chance
 * in every quiet stretch. */
#include "cli/bench_arith.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/bench_machine.h"
#include "cli/bench_peers.h"
#include "cli/cli.h"

#define PEER_NAME(code, name) name,
const char *const bench_peer_names[BENCH_PEER_COUNT] = {BENCH_PEER_LIST(PEER_NAME)};
#undef PEER_NAME

enum { FULL_ROUNDS = 40, QUICK_ROUNDS = 5 };
static const double full_sample_ns = 2e6, quick_sample_ns = 5e5;

typedef struct arith_options {
    bool json, quick, no_peers;
    const char *isa, *op, *peers, *output, *commit;
} arith_options;

static int help(void)
{
    printf("usage: plumb bench arith [OPTIONS]\n"
           "\n"
           "Times every operation on arrays of %d numbers on one core: ns an operation, for each precision (d, dd, "
           "qd), real and\n"
           "complex, and each instruction set; dot: ns a term of sums of %d. Beside them stand libqd with FMA, MPFR at "
           "53, 106 and\n"
           "212 bits and IEEE quadruple precision, where plumb-peers was built, and the part of the machine's issue "
           "peak.\n"
           "\n"
           "options:\n"
           "  --op NAME     only this operation (default: all)\n"
           "  --isa NAME    only this instruction set (default: all that this processor has)\n"
           "  --quick       a few seconds, less exact\n"
           "  --json        JSON (default: tables to read)\n"
           "  -o FILE       write to FILE (default: standard output)\n"
           "  --peers PATH  the program that times the other libraries (default: plumb-peers beside plumb)\n"
           "  --no-peers    plumb alone\n"
           "  --commit HASH what to record as the commit (default: the one plumb was built from)\n"
           "  --help        this text\n",
           BENCH_LENGTH, BENCH_TERMS);
    return CLI_OK;
}

/* ---- Options ------------------------------------------------------------------------------------------------- */

static int parse(int argc, char **argv, arith_options *o)
{
    const struct {
        const char *name;
        const char **value;
    } with_value[] = {
        {"--op", &o->op}, {"--isa", &o->isa}, {"--peers", &o->peers}, {"-o", &o->output}, {"--commit", &o->commit}};
    const struct {
        const char *name;
        bool *value;
    } flags[] = {{"--json", &o->json}, {"--quick", &o->quick}, {"--no-peers", &o->no_peers}};

    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++)
            if (strcmp(argv[i], flags[k].name) == 0)
                known = *flags[k].value = true;
        for (size_t k = 0; !known && k < sizeof with_value / sizeof with_value[0]; k++)
            if (strcmp(argv[i], with_value[k].name) == 0) {
                if (++i == argc)
                    return cli_misuse("bench arith", "%s needs a value", with_value[k].name);
                *with_value[k].value = argv[i];
                known = true;
            }
        if (!known)
            return cli_misuse("bench arith", "unexpected argument '%s'; 'plumb bench arith --help' lists the options",
                              argv[i]);
    }
    if (o->peers != NULL && o->no_peers)
        return cli_misuse("bench arith", "--peers and --no-peers exclude each other");
    return CLI_OK;
}

/* ---- The plan ------------------------------------------------------------------------------------------------ */

static int plan_isas(const arith_options *o, bench_run *run)
{
    const char *only = o->isa;
    if (only == NULL) {
        int result = cli_isa_from_environment("bench arith", &only);
        if (result != CLI_OK)
            return result;
    } else if (plumb_cpu_isa_find(only) == NULL) {
        return cli_misuse("bench arith", "--isa: '%s' is not an instruction set this build and processor have", only);
    }
    for (int32_t i = 0; i < plumb_cpu_isa_count && run->isa_count < BENCH_MAX_ISAS; i++) {
        const isa_kernels *isa = plumb_cpu_isas[i];
        if (isa->usable() && (only == NULL || strcmp(only, isa->name) == 0))
            run->isa[run->isa_count++] = (bench_isa){.kernels = isa, .peak = plumb_bench_peak_find(isa->name)};
    }
    return CLI_OK;
}

static map_kernel find_kernel(const bench_run *run, const bench_case *c, int32_t isa)
{
    return run->isa[isa].kernels->prec[c->prec]->map[c->parts][c->op];
}

static void plan_case(bench_run *run, plumb_op op, int32_t prec, int32_t parts)
{
    bench_case *c = &run->cases[run->case_count];
    bool any = false;
    c->op = op, c->prec = prec, c->parts = parts;
    for (int32_t i = 0; i < run->isa_count; i++)
        any |= c->isa[i].wanted = find_kernel(run, c, i) != NULL;
    run->case_count += any;
}

static int plan_cases(const arith_options *o, bench_run *run)
{
    bool found = o->op == NULL;
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        found |= o->op != NULL && strcmp(o->op, plumb_op_name((plumb_op)op)) == 0;
    if (!found)
        return cli_misuse("bench arith", "--op: there is no operation '%s'", o->op);
    run->cases = calloc(3 * PLUMB_COMPLEX * PLUMB_OP_COUNT + 1, sizeof *run->cases);
    if (run->cases == NULL)
        return cli_fail("bench arith", "out of memory");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int op = 0; op < PLUMB_OP_COUNT; op++)
                if (o->op == NULL || strcmp(o->op, plumb_op_name((plumb_op)op)) == 0)
                    plan_case(run, (plumb_op)op, prec, parts);
    return CLI_OK;
}

static const char *kind_name(const bench_case *c)
{
    return c->parts == PLUMB_REAL ? "real" : "complex";
}

static void plan_peer(void *data, const char *peer, const char *op, const char *prec, const char *kind)
{
    bench_run *run = data;
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_case *c = &run->cases[i];
        if (strcmp(op, plumb_op_name(c->op)) == 0 && strcmp(prec, plumb_prec_name(c->prec)) == 0 &&
            strcmp(kind, kind_name(c)) == 0)
            for (int p = 0; p < BENCH_PEER_COUNT; p++)
                c->peer[p].wanted |= strcmp(peer, bench_peer_names[p]) == 0;
    }
}

/* No peers is a result with fewer columns, unless they were asked for by name. */
static int start_peers(const arith_options *o, bench_run *run, bench_peers **peers)
{
    char path[4096];
    *peers = NULL;
    if (o->no_peers || (o->peers == NULL && !bench_peers_find(path, sizeof path)))
        return CLI_OK;
    const char *program = o->peers != NULL ? o->peers : path;
    *peers = bench_peers_start(program);
    run->have_peers = *peers != NULL && bench_peers_list(*peers, plan_peer, run);
    if (!run->have_peers)
        return cli_fail("bench arith", "'%s' does not answer", program);
    return CLI_OK;
}

/* ---- Measuring ----------------------------------------------------------------------------------------------- */

typedef struct kernel_work {
    map_kernel kernel;
    const map_job *job;
} kernel_work;

static void run_kernel(void *data)
{
    kernel_work *w = data;
    w->kernel(w->job);
}

typedef struct peak_work {
    void (*loop)(int64_t rounds, double *sink);
    double sink[PEAK_SINK];
} peak_work;

enum { PEAK_ROUNDS = 1000 };

static void run_peak(void *data)
{
    peak_work *w = data;
    w->loop(PEAK_ROUNDS, w->sink);
}

static void sample_peaks(bench_run *run, double target_ns)
{
    for (int32_t i = 0; i < run->isa_count; i++) {
        bench_isa *isa = &run->isa[i];
        for (int kind = 0; isa->peak != NULL && kind < PEAK_KINDS; kind++) {
            peak_work w = {isa->peak->loop[kind], {0x1p-20, 0x1p-20}};
            for (int k = 2; k < PEAK_SINK; k++)
                w.sink[k] = k;
            double ns = bench_sample(&isa->timer[kind], run_peak, &w, target_ns);
            double lane_ops = (double)PEAK_ROUNDS * isa->peak->chains * isa->peak->lanes / ns;
            isa->lane_ops = fmax(isa->lane_ops, lane_ops);
        }
    }
}

static void add_sample(bench_series *s, double ns)
{
    if (isfinite(ns) && s->count < BENCH_MAX_ROUNDS)
        s->sample[s->count++] = ns;
}

static void sample_case(bench_run *run, bench_case *c, bench_peers *peers, double target_ns)
{
    for (int32_t i = 0; i < run->isa_count; i++)
        if (c->isa[i].wanted) {
            kernel_work w = {find_kernel(run, c, i), &c->job};
            add_sample(&c->isa[i], bench_sample(&c->isa[i].timer, run_kernel, &w, target_ns) / (double)c->operations);
        }
    for (int p = 0; p < BENCH_PEER_COUNT; p++)
        if (c->peer[p].wanted)
            add_sample(&c->peer[p], bench_peers_sample(peers, bench_peer_names[p], plumb_op_name(c->op),
                                                       plumb_prec_name(c->prec), kind_name(c), target_ns));
}

static void count_instructions(bench_run *run)
{
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_case *c = &run->cases[i];
        int64_t flops = 0, others = 0;
        if (plumb_bench_count(c->prec, c->parts, c->op, &c->job, &flops, &others)) {
            c->flops = (double)flops / (double)c->operations;
            c->others = (double)others / (double)c->operations;
        }
    }
}

static void measure(bench_run *run, bench_peers *peers)
{
    int rounds = run->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    double target_ns = run->quick ? quick_sample_ns : full_sample_ns, start = bench_now_ns();
    bool progress = isatty(STDERR_FILENO) != 0;
    run->ghz = bench_clock_ghz();
    count_instructions(run);
    for (int r = 0; r < rounds; r++) {
        if (progress)
            fprintf(stderr, "\rmeasuring: round %d of %d ", r + 1, rounds);
        sample_peaks(run, target_ns);
        for (int32_t i = 0; i < run->case_count; i++)
            sample_case(run, &run->cases[i], peers, target_ns);
    }
    if (progress)
        fprintf(stderr, "\r%40s\r", "");
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

/* ---- Statistics ---------------------------------------------------------------------------------------------- */

double bench_best(const bench_series *s)
{
    double best = (double)NAN;
    for (int32_t i = 0; i < s->count; i++)
        best = fmin(best, s->sample[i]);
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_spread(const bench_series *s)
{
    double sorted[BENCH_MAX_ROUNDS];
    if (s->count == 0)
        return (double)NAN;
    memcpy(sorted, s->sample, (size_t)s->count * sizeof sorted[0]);
    qsort(sorted, (size_t)s->count, sizeof sorted[0], compare_doubles);
    return sorted[s->count / 2] / sorted[0] - 1.0;
}

double bench_libqd(const bench_case *c, bool *package)
{
    *package = c->peer[PEER_LIBQD_FMA].count == 0;
    return bench_best(&c->peer[*package ? PEER_LIBQD_PACKAGE : PEER_LIBQD_FMA]);
}

double bench_peak_fraction(const bench_run *run, const bench_case *c, int32_t isa)
{
    double slots = bench_best(&c->isa[isa]) * run->isa[isa].lane_ops;
    return slots > 0 ? (c->flops + c->others) / slots : (double)NAN;
}

/* ---- The subcommand ------------------------------------------------------------------------------------------ */

static int report(const arith_options *o, const bench_run *run)
{
    FILE *out = o->output != NULL ? fopen(o->output, "w") : stdout;
    if (out == NULL)
        return cli_fail("bench arith", "'%s' could not be written", o->output);
    if (o->json)
        bench_arith_json(run, out);
    else
        bench_arith_print(run, out);
    bool failed = ferror(out) != 0;
    if (out != stdout)
        failed |= fclose(out) != 0;
    return failed ? cli_fail("bench arith", "the results could not be written") : CLI_OK;
}

int plumb_cli_bench_arith(int argc, char **argv)
{
    arith_options options = {.commit = plumb_bench_commit};
    bench_run run = {0};
    bench_peers *peers = NULL;
    double *memory = NULL;
    for (int i = 1; i < argc; i++)
        if (cli_is_help(argv[i]))
            return help();
    int result = parse(argc, argv, &options);
    if (result != CLI_OK)
        return result;
    run.quick = options.quick;
    run.commit = options.commit;
    if ((result = plan_isas(&options, &run)) != CLI_OK || (result = plan_cases(&options, &run)) != CLI_OK ||
        (result = start_peers(&options, &run, &peers)) != CLI_OK)
        goto done;
    if (!bench_operands_create(&run, &memory)) {
        result = cli_fail("bench arith", "out of memory");
        goto done;
    }
    measure(&run, peers);
    result = report(&options, &run);
done:
    bench_peers_stop(peers);
    free(memory);
    free(run.cases);
    return result;
}
