/* gemm.c - plumb-bench gemm: microseconds per product of square matrices, triangular system and Cholesky factor, on a GPU, on one core and on
 * all cores, compared with the issue rate of the processor and, for products, with other libraries.
 *
 * Entries are between -1 and 1 and use all limbs. A product on a GPU is compared with that of the processor, where both are measured. */
#include <math.h>
#include <stdlib.h>

#include "app/stop.h"
#include "base/number/random.h"
#include "bench/bench.h"
#include "bench/common/gpu.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"

static const char command[] = "gemm";

enum { MOST_ROWS = 128, SAMPLES = 5, QUICK_SAMPLES = 2, LARGEST = 4096 };
static const double short_us = 100, sequence_us = 1e5;
static const double patience = 8e10; /* vector instructions on one core, above which nothing is measured there */

/* What is measured: a product, a triangular system with n right-hand sides, or a Cholesky factor. The last two overwrite a matrix, so that
 * their times include a copy. */
typedef enum gemm_mode { PRODUCT, SYSTEM, CHOLESKY, MODES } gemm_mode;
static const char *const mode_names[MODES] = {"product", "system", "cholesky"};
static const double mode_products[MODES] = {1.0, 1.0 / 2, 1.0 / 6}; /* multiplications and additions, over n^3 */

typedef struct gemm_row {
    gemm_mode mode;
    int32_t prec, parts;
    int64_t n;
    double instructions;                    /* arithmetic instructions of the sums, per place of a lane */
    double us, cpu1_us, cpuall_us, peer_us; /* NaN if not measured; peer_us: on the machine of us */
    double tiles_us;                        /* on the GPU, by sums of products */
    double peak;                            /* share of the issue rate of one core */
    double error;                           /* largest difference from the processor, over n u */
    plumb_gemm_report report;
    const char *peer;
} gemm_row;

typedef struct gemm_run {
    bench_gpu_machines on;
    gemm_row rows[MOST_ROWS];
    int32_t count;
    bench_options options;
    bench_peers *peers, *gpu_peers;
    double lane_ops, seconds; /* operations per ns of one core, each place of a lane counted */
} gemm_run;

/* Instructions of a product of two numbers and its addition, by the counting lane. */
static double instructions_of(int32_t prec, int32_t parts)
{
    double x[2 * PLUMB_COMPLEX * PLUMB_QD] = {0}, out[PLUMB_COMPLEX * PLUMB_QD];
    int64_t flops[2] = {0}, others = 0;
    for (int terms = 1; terms <= 2; terms++) {
        const map_job job = {.x = x,
                             .y = x,
                             .out = out,
                             .x_plane = 2,
                             .y_plane = 2,
                             .out_plane = 1,
                             .n = 1,
                             .terms = terms,
                             .x_col = 1,
                             .y_col = 1};
        if (!bench_count(prec, parts, PLUMB_OP_DOT, &job, &flops[terms - 1], &others))
            return NAN;
    }
    return (double)(flops[1] - flops[0]);
}

/* ---- One case --------------------------------------------------------------------------------------------------- */

typedef struct gemm_case {
    plumb_context *context;
    gemm_mode mode;
    plumb_view a, b, c, info; /* info: room for an outcome */
    plumb_gemm_options options;
    plumb_gemm_report *report;
} gemm_case;

/* Entries from -1 to 1, and this more on the diagonal. */
static void fill(plumb_view *v, uint64_t seed, double diagonal)
{
    plumb_random r = plumb_random_start(seed);
    for (int32_t p = 0; p < v->parts; p++)
        for (int64_t i = 0; i < v->rows * v->cols; i++) {
            double at = 2.0 * plumb_random_unit(&r) - 1.0;
            for (int32_t c = 0; c < v->prec; c++) {
                v->data[(p * v->prec + c) * v->plane + i] = at;
                at *= (plumb_random_unit(&r) - 0.5) * 0x1p-53;
            }
        }
    for (int64_t i = 0; i < v->rows && diagonal != 0.0; i++)
        v->data[i * v->col + i] += diagonal;
}

static void destroy_case(gemm_case *k)
{
    plumb_array_destroy(k->context, &k->a);
    plumb_array_destroy(k->context, &k->b);
    plumb_array_destroy(k->context, &k->c);
    plumb_array_destroy(k->context, &k->info);
}

static plumb_status make_case(plumb_context *context, int32_t where, const gemm_row *row, gemm_case *k)
{
    *k = (gemm_case){.context = context, .mode = row->mode};
    plumb_gemm_options_init(&k->options);
    plumb_view *views[] = {&k->a, &k->b, &k->c};
    /* Positive definite, and well conditioned as a triangle. */
    const double diagonals[] = {row->mode == PRODUCT ? 0.0 : 2.0 * (double)row->n, 0.0};
    plumb_status status = plumb_array_create(context, where, PLUMB_D, PLUMB_REAL, 1, 1, 1, &k->info);
    for (int v = 0; v < 3 && status == PLUMB_OK; v++)
        status = plumb_array_create(context, where, row->prec, row->parts, row->n, row->n, 1, views[v]);
    for (int v = 0; v < 2 && status == PLUMB_OK; v++) {
        plumb_view host = {0};
        if (where == PLUMB_HOST) {
            fill(views[v], 1 + (uint64_t)v, diagonals[v]);
            continue;
        }
        status = plumb_array_create(context, PLUMB_HOST, row->prec, row->parts, row->n, row->n, 1, &host);
        if (status == PLUMB_OK) {
            fill(&host, 1 + (uint64_t)v, diagonals[v]);
            status = plumb_copy(context, &host, views[v], NULL);
        }
        plumb_array_destroy(context, &host);
    }
    return status;
}

static plumb_status compute(plumb_context *context, void *data)
{
    gemm_case *k = data;
    if (k->mode == PRODUCT)
        return plumb_gemm(context, &k->a, &k->b, &k->c, &k->options, k->report);
    plumb_status status = plumb_copy(context, k->mode == SYSTEM ? &k->b : &k->a, &k->c, NULL);
    if (status != PLUMB_OK)
        return status;
    return k->mode == SYSTEM ? plumb_trsm(context, &k->a, &k->c, NULL)
                             : plumb_cholesky(context, &k->c, (plumb_info *)(void *)k->info.data, NULL);
}

static plumb_status queue(void *data)
{
    return compute(((gemm_case *)data)->context, data);
}

static plumb_status time_host(const gemm_run *run, plumb_context *context, gemm_case *k, double *us)
{
    bench_call call = {compute, context, k, PLUMB_OK};
    return bench_gpu_time_cpu(&call, run->options.quick, us);
}

/* The difference of the results, over n times the unit of the precision. */
static plumb_status compare(const gemm_run *run, gemm_row *row, const gemm_case *device, const gemm_case *host)
{
    plumb_view found = {0};
    plumb_status status = plumb_array_create(run->on.gpu, PLUMB_HOST, row->prec, row->parts, row->n, row->n, 1, &found);
    if (status == PLUMB_OK)
        status = plumb_copy(run->on.gpu, &device->c, &found, NULL);
    if (status == PLUMB_OK) {
        double largest;
        row->error = bench_gpu_difference(&found, &host->c, &largest) / (double)row->n * ldexp(1.0, 53 * row->prec);
    }
    plumb_array_destroy(run->on.gpu, &found);
    return status;
}

static plumb_status measure_on_gpu(const gemm_run *run, gemm_row *row, const gemm_case *host)
{
    gemm_case k;
    const bench_gpu_sequence sequence = {queue, &k, run->options.quick, short_us, sequence_us};
    int64_t calls;
    plumb_status status = make_case(run->on.gpu, PLUMB_DEVICE, row, &k);
    if (status == PLUMB_OK) {
        k.report = &row->report;
        status = compute(run->on.gpu, &k);
        k.report = NULL;
    }
    if (status == PLUMB_OK)
        status = plumb_stream_wait(run->on.gpu, NULL);
    if (status == PLUMB_OK && row->mode == CHOLESKY) {
        plumb_view info = {0};
        status = plumb_array_create(run->on.gpu, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, &info);
        if (status == PLUMB_OK)
            status = plumb_copy(run->on.gpu, &k.info, &info, NULL);
        if (status == PLUMB_OK && *(plumb_info *)(void *)info.data != 0)
            status = PLUMB_ERR_SINGULAR;
        plumb_array_destroy(run->on.gpu, &info);
    }
    if (status == PLUMB_OK)
        status = bench_gpu_time_launched(&run->on, &sequence, &calls, &row->us);
    if (status == PLUMB_OK && host)
        status = compare(run, row, &k, host);
    if (status == PLUMB_OK && row->report.method == PLUMB_GEMM_RESIDUES && row->n <= 1024) {
        k.options.method = PLUMB_GEMM_TILES;
        status = bench_gpu_time_launched(&run->on, &sequence, &calls, &row->tiles_us);
    }
    destroy_case(&k);
    return status;
}

static plumb_status measure(gemm_run *run, gemm_row *row)
{
    gemm_case host = {.context = run->on.one};
    const double products = mode_products[row->mode] * pow((double)row->n, 3);
    const double work = row->instructions * products / 8.0;
    /* Where a GPU is measured, the processor is there to compare results. */
    const bool on_host = work < (run->options.quick ? patience / 64 : run->on.gpu ? patience / 16 : patience);
    plumb_status status = PLUMB_OK;
    if (on_host) {
        status = make_case(run->on.one, PLUMB_HOST, row, &host);
        if (status == PLUMB_OK && work < patience / 64)
            status = time_host(run, run->on.one, &host, &row->cpu1_us);
        if (status == PLUMB_OK)
            status = time_host(run, run->on.all, &host, &row->cpuall_us);
        row->peak = row->instructions * products / (run->lane_ops * 1e3) / row->cpu1_us;
    }
    if (status == PLUMB_OK && run->on.gpu)
        status = measure_on_gpu(run, row, on_host ? &host : NULL);
    if (!run->on.gpu)
        row->us = row->cpu1_us;
    destroy_case(&host);
    if (status != PLUMB_OK)
        return status;
    const bool gpu = run->on.gpu != NULL;
    const bench_peers_problem problem = {.peer = gpu                    ? "cublas"
                                                 : row->prec == PLUMB_D ? "openblas"
                                                                        : "arb",
                                         .prec = plumb_prec_name(row->prec),
                                         .kind = row->parts == PLUMB_COMPLEX ? "zproduct" : "product",
                                         .m = row->n,
                                         .n = row->n,
                                         .seed = 1};
    bench_peers *peers = gpu ? run->gpu_peers : run->peers;
    if (peers && row->mode == PRODUCT && !(gpu && row->prec != PLUMB_D) && (gpu || (on_host && row->n <= 512))) {
        row->peer_us = bench_peers_time_solve(peers, &problem, 1e7) * 1e-3;
        row->peer = isnan(row->peer_us) ? NULL : problem.peer;
    }
    return PLUMB_OK;
}

/* ---- Results ----------------------------------------------------------------------------------------------------- */

static void write_json(const void *data, FILE *out)
{
    const gemm_run *run = data;
    json_writer w = bench_gpu_json_begin(out, "gemm", run->options.commit, &run->on);
    json_bool(&w, "quick", run->options.quick);
    json_double(&w, "seconds", bench_rounded(run->seconds));
    json_double(&w, "peak_ops_per_ns", bench_rounded(run->lane_ops));
    json_open_array(&w, "results");
    for (int32_t k = 0; k < run->count; k++) {
        const gemm_row *row = &run->rows[k];
        json_open_object(&w, NULL);
        json_string(&w, "mode", mode_names[row->mode]);
        json_string(&w, "precision", plumb_prec_name(row->prec));
        json_string(&w, "kind", row->parts == PLUMB_COMPLEX ? "complex" : "real");
        json_int(&w, "n", row->n);
        json_string(
            &w, "method",
            plumb_gemm_method_name(run->on.gpu && row->mode == PRODUCT ? row->report.method : PLUMB_GEMM_TILES));
        if (run->on.gpu && row->report.method == PLUMB_GEMM_RESIDUES) {
            json_int(&w, "moduli", row->report.moduli);
            json_int(&w, "blocks", row->report.blocks);
            json_int(&w, "again", row->report.again);
            json_int(&w, "workspace", row->report.workspace);
        }
        json_int(&w, "instructions", (int64_t)row->instructions);
        bench_gpu_json_number(&w, "us", row->us);
        bench_gpu_json_number(&w, "tiles_us", row->tiles_us);
        bench_gpu_json_number(&w, "cpu1_us", row->cpu1_us);
        bench_gpu_json_number(&w, "cpuall_us", row->cpuall_us);
        bench_gpu_json_number(&w, "peak", row->peak);
        if (row->peer) {
            json_string(&w, "peer", row->peer);
            bench_gpu_json_number(&w, "peer_us", row->peer_us);
        }
        bench_gpu_json_number(&w, "error", row->error);
        json_close_object(&w);
    }
    json_close_array(&w);
    bench_json_end(&w);
}

static void print_table(const void *data, FILE *out)
{
    const gemm_run *run = data;
    const bench_gpu_machines *on = &run->on;
    bench_machine m = bench_machine_now();
    fprintf(out,
            "plumb %s%s%s, on %s (%s, %d cores): microseconds per product of square matrices, triangular system and "
            "Cholesky factor\n"
            "  %-21s %6s %12s %12s %12s %12s %6s %12s %8s\n",
            plumb_version(), on->gpu ? " on " : "", on->gpu ? on->device.name : "", m.cpu, plumb_context_isa(on->one),
            m.cores, "", "n", on->gpu ? "gpu" : "", on->gpu ? "gpu, tiles" : "", "one core", "all cores", "peak",
            "peer", "error");
    for (int32_t k = 0; k < run->count; k++) {
        const gemm_row *row = &run->rows[k];
        const double times[] = {on->gpu ? row->us : NAN, row->tiles_us, row->cpu1_us, row->cpuall_us};
        fprintf(out, "  %-8s %-2s %-9s %6lld", mode_names[row->mode], plumb_prec_name(row->prec),
                row->parts == PLUMB_COMPLEX ? "complex" : "real", (long long)row->n);
        for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
            fprintf(out, "   "), bench_gpu_print_time(out, times[i]);
        if (isnan(row->peak))
            fprintf(out, " %6s", ".");
        else
            fprintf(out, " %5.0f%%", 100 * row->peak);
        fprintf(out, "   ");
        bench_gpu_print_time(out, row->peer_us);
        if (isnan(row->error))
            fprintf(out, " %8s\n", ".");
        else
            fprintf(out, " %8.2g\n", row->error);
    }
    fprintf(out,
            "\npeak: the share of the issue slots of one core that the arithmetic of the sums uses, of %.1f per ns.\n"
            "peer: %s. error: largest difference from the processor, over n times the last place.\n",
            run->lane_ops, on->gpu ? "cuBLAS in d" : "OpenBLAS in d, Arb in dd and qd, on one core");
}

static void plan(gemm_run *run)
{
    static const int64_t cpu_sizes[] = {64, 128, 256, 512, 1024, 0}, gpu_sizes[] = {256, 512, 1024, 2048, 4096, 0};
    const int64_t *sizes = run->on.gpu ? gpu_sizes : cpu_sizes;
    const int64_t most = run->options.quick ? (run->on.gpu ? 512 : 128) : LARGEST, one[] = {run->options.n, 0};
    if (run->options.n > 0)
        sizes = one;
    for (gemm_mode mode = PRODUCT; mode < MODES; mode++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
                for (int s = 0; sizes[s] > 0; s++)
                    if (run->options.n > 0 || sizes[s] <= most)
                        run->rows[run->count++] = (gemm_row){.mode = mode,
                                                             .prec = prec,
                                                             .parts = parts,
                                                             .n = sizes[s],
                                                             .instructions = instructions_of(prec, parts),
                                                             .us = NAN,
                                                             .cpu1_us = NAN,
                                                             .cpuall_us = NAN,
                                                             .peer_us = NAN,
                                                             .tiles_us = NAN,
                                                             .peak = NAN,
                                                             .error = NAN};
}

static int run_gemm(const void *values)
{
    gemm_run *run = calloc(1, sizeof *run);
    if (!run)
        return app_fail(command, "out of memory");
    run->options = ((const bench_only_common *)values)->common;
    bench_options *o = &run->options;
    int result = bench_options_settle(command, o);
    if (result == APP_OK)
        result = bench_gpu_open(command, o->backend, o->isa, &run->on);
    if (result == APP_OK)
        result = bench_peers_open(command, o, "plumb-peers", NULL, NULL, &run->peers);
    if (result == APP_OK && run->on.gpu && o->peers == NULL)
        result = bench_peers_open(command, o, "plumb-gpu-peers", NULL, NULL, &run->gpu_peers);
    if (result == APP_OK) {
        const double start = bench_now_ns();
        run->lane_ops = bench_peak_of(plumb_context_isa(run->on.one), 2e7);
        plan(run);
        plumb_status status = PLUMB_OK;
        int32_t done = 0;
        for (; done < run->count && status == PLUMB_OK && !app_stopped(); done++) {
            const gemm_row *row = &run->rows[done];
            bench_progress("%s %s %s %lld", mode_names[row->mode], plumb_prec_name(row->prec),
                           row->parts == 2 ? "complex" : "real", (long long)row->n);
            status = measure(run, &run->rows[done]);
        }
        bench_progress_end();
        run->count = done;
        run->seconds = (bench_now_ns() - start) * 1e-9;
        if (status != PLUMB_OK)
            result = app_fail(command, "%s", bench_gpu_why(&run->on, status));
        const int written = bench_write(command, o, write_json, print_table, run);
        result = result == APP_OK ? written : result;
    }
    bench_peers_stop(run->peers);
    bench_peers_stop(run->gpu_peers);
    bench_gpu_close(&run->on);
    free(run);
    return result;
}

static const app_option gemm_table[] = {
    BENCH_BACKEND_OPTION(bench_only_common, "machine to measure; auto takes a GPU where there is one"),
    {'n', "size", APP_COUNT, BENCH_OPTION(bench_only_common, n), "N", "measure only products of this size",
     "all of them", 1, LARGEST, NULL},
    BENCH_PEER_OPTIONS(bench_only_common, "plumb-peers"),
    BENCH_COMMON_OPTIONS(bench_only_common, "measure small matrices only, less exactly"),
    APP_OPTIONS_END,
};
static const bench_only_common gemm_defaults = {{.backend = PLUMB_BACKEND_AUTO}};

const app_command bench_gemm_command = {
    .name = "gemm",
    .summary = "time products of matrices, triangular systems and Cholesky factors",
    .arguments = "[OPTIONS]",
    .about = "Times products of square matrices, triangular systems with n right-hand sides and Cholesky factors, real "
             "and complex, in "
             "d, dd and qd: on a GPU, on one core and on all cores. "
             "The time on one core is compared with the rate at which it can issue the arithmetic, and that of "
             "products with OpenBLAS (d) "
             "and "
             "Arb (dd, qd); that on a GPU with cuBLAS (d) and with the processor's results.",
    .options = gemm_table,
    .defaults = &gemm_defaults,
    .size = sizeof gemm_defaults,
    .run = run_gemm,
};
