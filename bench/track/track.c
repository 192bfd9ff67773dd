/* track.c - plumb bench track: Newton steps and paths on a GPU, next to the processor. */
#include "bench/track/track.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/options.h"
#include "bench/bench.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

static const char command[] = "bench track";

/* The paths: all of them in d and dd, fewer in qd. */
static const struct planned {
    const char *mode, *name;
    int64_t n, quick_n, paths[PLUMB_QD + 1]; /* by precision */
} plan_of[] = {{"track", "paper", 32, 8, {0, 1, 1, 0, 1}}, {"many", "katsura", 10, 4, {0, 1024, 1024, 0, 256}}};
enum { PROBLEMS = sizeof plan_of / sizeof plan_of[0] };

static int help(void)
{
    printf(
        "usage: plumb bench track [OPTIONS]\n"
        "\n"
        "Times Newton steps as 'plumb bench newton' does, and tracks paths in d, dd and qd: one path of the paper's\n"
        "system f (32 equations of 32 monomials of 5 unknowns, exponents 1 to 5) from f - f(x0), whose solution x0\n"
        "is known; and 1,024 paths of Katsura's system of dimension 10 (256 in qd) from a start system of total\n"
        "degree. On a GPU, all cores and one core, which of many paths has a sample. Paths must end with the same\n"
        "codes on both.\n"
        "\n"
        "options:\n"
        "  --backend B   gpu beside the processor, or the processor alone: gpu or cpu (default: cpu)\n"
        "  --isa NAME    the instruction set (default: PLUMB_ISA, else the best this processor has)\n"
        "  --quick       small systems in a few seconds, less exact\n"
        "  --json        JSON (default: tables to read)\n"
        "  -o FILE       write to FILE (default: standard output)\n"
        "  --commit HASH what to record as the commit (default: the one plumb was built from)\n"
        "  --help        this text\n");
    return CLI_OK;
}

static int open_machines(const bench_options *o, bench_gpu_machines *on)
{
    plumb_context_options options;
    if (o->measured == PLUMB_BACKEND_GPU)
        return bench_gpu_open(command, o->isa, on);
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.isa = o->isa;
    int result = cli_context_create(command, &options, &on->all);
    options.threads = 1;
    return result == CLI_OK ? cli_context_create(command, &options, &on->one) : result;
}

static int plan(bench_track_run *run)
{
    run->problems = calloc(PROBLEMS, sizeof *run->problems);
    run->cases = calloc((size_t)PROBLEMS * 3, sizeof *run->cases);
    if (run->problems == NULL || run->cases == NULL) {
        (void)cli_fail(command, "out of memory");
        return CLI_FAILED;
    }
    for (int k = 0; k < PROBLEMS; k++) {
        const struct planned *from = &plan_of[k];
        bench_track_problem *p = &run->problems[run->problem_count++];
        *p = (bench_track_problem){.mode = from->mode, .name = from->name, .n = run->quick ? from->quick_n : from->n};
        plumb_status status = bench_track_problem_create(run->on.all, p);
        if (status != PLUMB_OK)
            return cli_fail(command, "%s %lld: %s", p->name, (long long)p->n, plumb_status_text(status));
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            const int64_t there = p->solutions.batch, wanted = from->paths[prec];
            run->cases[run->case_count++] =
                (bench_track_case){.of = p, .prec = prec, .paths = wanted < there ? wanted : there};
        }
    }
    return CLI_OK;
}

static void fail_case(bench_track_run *run, const bench_track_case *c, const char *why)
{
    (void)cli_fail(command, "%s, %s %lld, %s: %s", c->of->mode, c->of->name, (long long)c->of->n,
                   plumb_prec_name(c->prec), why);
    run->failed = true;
}

static const char *why(const bench_track_run *run, plumb_status status)
{
    const char *said = run->on.gpu != NULL ? plumb_context_message(run->on.gpu) : "";
    if (said[0] == 0)
        said = plumb_context_message(run->on.one);
    return said[0] != 0 ? said : plumb_status_text(status);
}

/* A case that fails does not stop the others. */
static void measure(bench_track_run *run)
{
    double start = bench_now_ns();
    bench_progress("Newton steps");
    plumb_status stepped = bench_newton_measure(&run->on, run->quick, run->newton);
    run->has_newton = stepped == PLUMB_OK;
    if (!run->has_newton) {
        (void)cli_fail(command, "newton: %s", why(run, stepped));
        run->failed = true;
    }
    for (int32_t i = 0; i < run->case_count; i++) {
        bench_track_case *c = &run->cases[i];
        bench_progress("%s, %s %lld, %s", c->of->mode, c->of->name, (long long)c->of->n, plumb_prec_name(c->prec));
        plumb_status status = bench_track_measure(run, c);
        c->absent = status != PLUMB_OK;
        if (c->absent)
            fail_case(run, c, why(run, status));
        else if (!bench_track_agrees(run, c))
            fail_case(run, c, "paths end with other codes than the processor's");
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
}

static int report(const bench_options *o, const bench_track_run *run)
{
    FILE *out = bench_output_open(command, o->output);
    if (out == NULL)
        return CLI_FAILED;
    if (o->json)
        bench_track_json(run, out);
    else
        bench_track_print(run, out);
    int written = bench_output_close(command, out);
    return written == CLI_OK && run->failed ? CLI_FAILED : written;
}

int plumb_cli_bench_track(int argc, char **argv)
{
    bench_options options = {.commit = plumb_bench_commit, .backend = "cpu"};
    if (cli_wants_help(argc, argv))
        return help();
    int result = bench_options_parse(command, argc, argv, 0, &options);
    if (result != CLI_OK)
        return result;
    bench_track_run run = {.quick = options.quick, .commit = options.commit};
    result = open_machines(&options, &run.on);
    if (result == CLI_OK)
        result = plan(&run);
    if (result == CLI_OK) {
        measure(&run);
        result = report(&options, &run);
    }
    for (int32_t i = 0; i < run.problem_count; i++)
        bench_track_problem_destroy(run.on.all, &run.problems[i]);
    bench_gpu_close(&run.on);
    free(run.problems);
    free(run.cases);
    return result;
}
