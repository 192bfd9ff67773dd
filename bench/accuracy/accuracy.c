/* accuracy.c - plumb bench accuracy: how exact QR is on the random matrices of the paper, beside its numbers.
 *
 * Each matrix is made once in the higher precision of its block and rounded to the lower one. Matrices are shared out among
 * threads; the least and largest error do not depend on who computed them. */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "app/app.h"
#include "app/options.h"
#include "bench/bench.h"
#include "bench/common/common.h"
#include "bench/common/peak.h"
#include "text/matrix/random.h"

static const char command[] = "bench accuracy";

typedef struct accuracy_options {
    bool json, quick;
    const char *isa, *output, *commit;
    int64_t count, seed, threads; /* 0: the default */
} accuracy_options;

static int help(void)
{
    printf(
        "usage: plumb bench accuracy [OPTIONS]\n"
        "\n"
        "The accuracy of A = QR by modified Gram-Schmidt on random complex %d x %d matrices whose entries have moduli "
        "from\n"
        "10^-g to 10^g: log10 of the least (m_e) and the largest (M_e) e = max |a_ij - (QR)_ij|, evaluated in higher\n"
        "precision, for g = 1, 4, 8, 12, 16 in d and dd and g = 17, 20, 24, 28, 32 in dd and qd, beside the numbers "
        "of\n"
        "Verschelde and Yoffe (2013). Then Gaussian elimination beside modified Gram-Schmidt: time and error.\n"
        "\n"
        "options:\n"
        "  --count N     matrices for each g (default: %d)\n"
        "  --seed S      of the matrices (default: %d)\n"
        "  --quick       %d matrices\n"
        "  -t THREADS    (default: one a core)\n"
        "  --isa NAME    the instruction set (default: PLUMB_ISA, else the best this processor has)\n"
        "  --json        JSON (default: tables to read)\n"
        "  -o FILE       write to FILE (default: standard output)\n"
        "  --commit HASH what to record as the commit (default: the one plumb was built from)\n"
        "  --help        this text\n",
        ACCURACY_N, ACCURACY_N, ACCURACY_FULL_COUNT, ACCURACY_SEED, ACCURACY_QUICK_COUNT);
    return CLI_OK;
}

static int parse(int argc, char **argv, accuracy_options *o)
{
    const cli_option table[] = {{"--json", CLI_FLAG, &o->json, 0, 0},
                                {"--quick", CLI_FLAG, &o->quick, 0, 0},
                                {"--count", CLI_COUNT, &o->count, 1, ACCURACY_MOST_COUNT},
                                {"--seed", CLI_COUNT, &o->seed, 0, 0x1p53},
                                {"-t", CLI_COUNT, &o->threads, 1, 1024},
                                {"--isa", CLI_TEXT, &o->isa, 0, 0},
                                {"-o", CLI_TEXT, &o->output, 0, 0},
                                {"--commit", CLI_TEXT, &o->commit, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, NULL, 0};
    int files;
    int result = cli_options_parse(&options, argc, argv, &files);
    if (o->count == 0)
        o->count = o->quick ? ACCURACY_QUICK_COUNT : ACCURACY_FULL_COUNT;
    if (result == CLI_OK && o->isa != NULL && plumb_cpu_isa_find(o->isa) == NULL)
        result = cli_misuse(command, "--isa: '%s' is not an instruction set this build and processor have", o->isa);
    return result;
}

/* ---- One thread ---------------------------------------------------------------------------------------------- */

enum { BOTH = 2 }; /* the rows of one g: lower and higher precision */

typedef struct worker {
    plumb_context *context; /* one thread of its own */
    plumb_view a[BOTH], q[BOTH], r[BOTH];
    accuracy_oracle *oracle[BOTH];
    accuracy_row found[BOTH];
    plumb_status status;
} worker;

static void worker_close(worker *w)
{
    for (int k = 0; k < BOTH; k++) {
        plumb_array_destroy(w->context, &w->a[k]);
        plumb_array_destroy(w->context, &w->q[k]);
        plumb_array_destroy(w->context, &w->r[k]);
        accuracy_oracle_destroy(w->oracle[k]);
    }
    plumb_context_destroy(w->context);
}

static void worker_open(worker *w, const plumb_context_options *on, const accuracy_row *rows)
{
    *w = (worker){0};
    w->status = plumb_context_create(on, &w->context);
    for (int k = 0; k < BOTH && w->status == PLUMB_OK; k++) {
        plumb_view *views[] = {&w->a[k], &w->q[k], &w->r[k]};
        for (size_t i = 0; i < sizeof views / sizeof views[0] && w->status == PLUMB_OK; i++)
            w->status = plumb_array_create(w->context, PLUMB_HOST, rows[k].prec, PLUMB_COMPLEX, ACCURACY_N, ACCURACY_N,
                                           1, views[i]);
        w->oracle[k] = accuracy_oracle_create(rows[k].prec);
        if (w->oracle[k] == NULL)
            w->status = PLUMB_ERR_MEMORY;
        w->found[k] = (accuracy_row){.least = (double)INFINITY, .most = -(double)INFINITY};
    }
}

static plumb_status factor_one(worker *w, int k)
{
    plumb_info info = 0;
    plumb_status status = plumb_qr(w->context, &w->a[k], &w->q[k], &w->r[k], NULL, &info, NULL, NULL);
    if (status == PLUMB_ERR_SINGULAR || (status == PLUMB_OK && info > 0)) {
        w->found[k].dependent++;
        return PLUMB_OK;
    }
    if (status != PLUMB_OK)
        return status;
    double e = log10(accuracy_residual(w->oracle[k], &w->a[k], &w->q[k], &w->r[k]));
    if (isnan(e))
        return PLUMB_ERR_NONFINITE;
    w->found[k].least = fmin(w->found[k].least, e);
    w->found[k].most = fmax(w->found[k].most, e);
    return PLUMB_OK;
}

static void worker_take(worker *w, int32_t g, uint64_t seed)
{
    w->status = plumb_random_matrix(&w->a[1], 0, g, seed);
    if (w->status == PLUMB_OK)
        w->status = plumb_copy(w->context, &w->a[1], &w->a[0], NULL);
    for (int k = 0; k < BOTH && w->status == PLUMB_OK; k++)
        w->status = factor_one(w, k);
}

/* ---- All of them --------------------------------------------------------------------------------------------- */

static void merge(const worker *w, accuracy_row *rows, plumb_status *status)
{
    for (int k = 0; k < BOTH; k++) {
        rows[k].least = fmin(rows[k].least, w->found[k].least);
        rows[k].most = fmax(rows[k].most, w->found[k].most);
        rows[k].dependent += w->found[k].dependent;
    }
    if (*status == PLUMB_OK)
        *status = w->status;
}

/* Both rows of one g. Every matrix has a seed of its own, so that threads do not matter. */
static plumb_status run_rows(const accuracy_run *run, const plumb_context_options *on, accuracy_row *rows)
{
    plumb_status status = PLUMB_OK;
    for (int k = 0; k < BOTH; k++)
        rows[k].least = (double)INFINITY, rows[k].most = -(double)INFINITY;
#pragma omp parallel num_threads(run->threads)
    {
        worker w;
        worker_open(&w, on, rows);
#pragma omp for schedule(dynamic)
        for (int64_t i = 0; i < run->count; i++)
            if (w.status == PLUMB_OK)
                worker_take(&w, rows[0].g, (uint64_t)(run->seed + rows[0].g * (int64_t)ACCURACY_MOST_COUNT + i));
#pragma omp critical
        merge(&w, rows, &status);
        worker_close(&w);
    }
    return status;
}

int accuracy_measure(const char *whose, plumb_context *context, accuracy_run *run)
{
    static const int32_t precisions[ACCURACY_PRECISIONS] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    plumb_context_options on;
    plumb_context_options_init(&on);
    on.backend = PLUMB_BACKEND_CPU;
    on.threads = 1;
    on.isa = run->isa = plumb_context_isa(context);
    double start = bench_now_ns();
    for (int k = 0; k < ACCURACY_ROWS; k++)
        run->rows[k] = (accuracy_row){.prec = paper_table2[k].prec,
                                      .g = paper_table2[k].g,
                                      .paper_least = paper_table2[k].least,
                                      .paper_most = paper_table2[k].most};
    for (int k = 0; k < ACCURACY_ROWS; k += BOTH) {
        bench_progress("g = %d, %lld matrices", (int)run->rows[k].g, (long long)run->count);
        plumb_status status = run_rows(run, &on, &run->rows[k]);
        if (status != PLUMB_OK)
            return cli_fail(whose, "g = %d: %s", (int)run->rows[k].g, plumb_status_text(status));
    }
    int result = CLI_OK;
    for (int k = 0; k < ACCURACY_PRECISIONS && result == CLI_OK; k++) {
        run->elimination[k] = (accuracy_elimination){.prec = precisions[k]};
        result = accuracy_compare_elimination(context, run->count, run->seed, &run->elimination[k]);
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
    return result;
}

static int report(const accuracy_options *o, const accuracy_run *run)
{
    FILE *out = bench_output_open(command, o->output);
    if (out == NULL)
        return CLI_FAILED;
    if (o->json)
        accuracy_json(run, out);
    else
        accuracy_print(run, out);
    return bench_output_close(command, out);
}

static int32_t thread_count(const accuracy_options *o)
{
    int32_t threads = (int32_t)o->threads;
#ifdef _OPENMP
    if (threads == 0)
        threads = omp_get_num_procs();
#endif
    return threads > 0 ? threads : 1;
}

int plumb_cli_bench_accuracy(int argc, char **argv)
{
    accuracy_options options = {.commit = plumb_bench_commit, .seed = ACCURACY_SEED};
    accuracy_run run = {0};
    plumb_context *context = NULL;
    plumb_context_options on;
    if (cli_wants_help(argc, argv))
        return help();
    int result = parse(argc, argv, &options);
    if (result != CLI_OK)
        return result;
    plumb_context_options_init(&on);
    on.backend = PLUMB_BACKEND_CPU;
    on.threads = 1;
    on.isa = options.isa;
    if ((result = cli_context_create(command, &on, &context)) != CLI_OK)
        return result;
    run.commit = options.commit;
    run.count = options.count;
    run.seed = options.seed;
    run.quick = options.quick;
    run.threads = thread_count(&options);
    result = accuracy_measure(command, context, &run);
    if (result == CLI_OK)
        result = report(&options, &run);
    plumb_context_destroy(context);
    return result;
}
