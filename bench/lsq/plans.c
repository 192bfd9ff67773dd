/* plans.c - times every plan of the GPU's kernels for a shape: what the choices in mgs_plan.c are made of.
 *
 *   bench_plans PRECISION N [BATCH [ROWS]]     complex, one line a plan, with the error of x against the processor */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/large/large.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/small/small.h"
#include "plumb.h"

typedef plumb_status (*launcher)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream, char *message,
                                 size_t size);
#define DECLARE(prec)                                                                                                 \
    plumb_status plumb_cuda_mgs_small_cplx_##prec(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);     \
    plumb_status plumb_cuda_mgs_flow_cplx_##prec(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);      \
    plumb_status plumb_cuda_mgs_registers_cplx_##prec(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t); \
    plumb_status plumb_cuda_mgs_panel_cplx_##prec(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);     \
    plumb_status plumb_cuda_mgs_large_cplx_##prec(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);     \
    plumb_status plumb_cuda_mgs_finish_cplx_##prec(const mgs_gpu_job *, void *, char *, size_t)
DECLARE(d);
DECLARE(dd);
DECLARE(qd);

static const launcher small_entries[] = {0, plumb_cuda_mgs_small_cplx_d, plumb_cuda_mgs_small_cplx_dd, 0,
                                         plumb_cuda_mgs_small_cplx_qd};
static const launcher flow_entries[] = {0, plumb_cuda_mgs_flow_cplx_d, plumb_cuda_mgs_flow_cplx_dd, 0,
                                        plumb_cuda_mgs_flow_cplx_qd};
static const launcher block_entries[] = {0, plumb_cuda_mgs_registers_cplx_d, plumb_cuda_mgs_registers_cplx_dd, 0,
                                         plumb_cuda_mgs_registers_cplx_qd};
static const launcher large_entries[] = {0, plumb_cuda_mgs_large_cplx_d, plumb_cuda_mgs_large_cplx_dd, 0,
                                         plumb_cuda_mgs_large_cplx_qd};
static const launcher panel_entries[] = {0, plumb_cuda_mgs_panel_cplx_d, plumb_cuda_mgs_panel_cplx_dd, 0,
                                         plumb_cuda_mgs_panel_cplx_qd};
static plumb_status (*const finish_entries[])(const mgs_gpu_job *, void *, char *, size_t) = {
    0, plumb_cuda_mgs_finish_cplx_d, plumb_cuda_mgs_finish_cplx_dd, 0, plumb_cuda_mgs_finish_cplx_qd};

static void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

static void *device(size_t bytes)
{
    void *p = NULL;
    check(cudaMalloc(&p, bytes), "memory");
    check(cudaMemset(p, 0, bytes), "clearing");
    return p;
}

typedef struct problem {
    int prec, rows, cols, batch;
    mgs_gpu_job job;
    double *x, *expected; /* on the host */
    size_t x_doubles, flag_bytes;
} problem;

/* Solves problem 0 on the processor. */
static void expect(problem *p, double *a, double *b)
{
    plumb_context *context;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    plumb_view va, vb, vx;
    plumb_info info = 0;
    if (plumb_view_init(&va, a, PLUMB_HOST, p->prec, PLUMB_COMPLEX, p->rows, p->cols, 1, NULL) != PLUMB_OK ||
        plumb_view_init(&vb, b, PLUMB_HOST, p->prec, PLUMB_COMPLEX, p->rows, 1, 1, NULL) != PLUMB_OK ||
        plumb_view_init(&vx, p->expected, PLUMB_HOST, p->prec, PLUMB_COMPLEX, p->cols, 1, 1, NULL) != PLUMB_OK ||
        plumb_context_create(&options, &context) != PLUMB_OK ||
        plumb_lsq(context, &va, &vb, &vx, NULL, &info, NULL, NULL) != PLUMB_OK || info != 0)
        exit(fprintf(stderr, "the processor could not solve it\n"));
    plumb_context_destroy(context);
}

/* Random numbers whose limbs lie in planes, each limb below half a unit in the last place of the one before. */
static void fill(double *v, size_t doubles, size_t plane, size_t limbs)
{
    for (size_t i = 0; i < doubles; i++) {
        double part = 2.0 * (double)rand() / RAND_MAX - 1.0;
        v[i] = i / plane % limbs == 0 ? part : part * 0x1p-54 * v[i - plane];
    }
}

static problem make(int prec, int rows, int cols, int batch)
{
    problem p = {.prec = prec, .rows = rows, .cols = cols, .batch = batch};
    size_t planes = (size_t)prec * 2, a_one = planes * (size_t)rows * (size_t)cols, b_one = planes * (size_t)rows,
           count = (size_t)batch, all = (size_t)cols + 1;
    double *a = calloc(a_one * count, 8), *b = calloc(b_one * count, 8);
    p.x_doubles = planes * (size_t)cols;
    p.x = calloc(p.x_doubles, 8), p.expected = calloc(p.x_doubles, 8);
    if (!a || !b || !p.x || !p.expected)
        exit(1);
    srand(1);
    fill(a, a_one * count, (size_t)rows * (size_t)cols, (size_t)prec);
    fill(b, b_one * count, (size_t)rows, (size_t)prec);
    expect(&p, a, b);
    mgs_gpu_job *job = &p.job;
    job->a = (mgs_gpu_array){device(a_one * count * 8), (int64_t)rows * cols, rows, (int64_t)a_one};
    job->b = (mgs_gpu_array){device(b_one * count * 8), rows, rows, (int64_t)b_one};
    job->x = (mgs_gpu_array){device(p.x_doubles * count * 8), cols, cols, (int64_t)p.x_doubles};
    job->residual = (mgs_gpu_array){device((size_t)prec * count * 8), 1, 1, prec};
    check(cudaMemcpy(job->a.data, a, a_one * count * 8, cudaMemcpyHostToDevice), "copy");
    check(cudaMemcpy(job->b.data, b, b_one * count * 8, cudaMemcpyHostToDevice), "copy");
    free(a), free(b);
    job->info = device(8 * count);
    job->rows = rows, job->cols = cols, job->all = cols + 1, job->batch = batch;
    job->w_plane = (int64_t)rows * (int64_t)all, job->c_plane = (int64_t)cols * (int64_t)all,
    job->c_step = job->c_plane * (int64_t)planes;
    job->w_step = job->w_plane * (int64_t)planes + (int64_t)all * FLOW_WORDS(prec) + job->c_step;
    job->s_step = (int64_t)all * prec;
    job->c = device((size_t)job->c_step * count * 8);
    job->s = device((size_t)job->s_step * count * 8);
    job->exponent = device(all * count * 4);
    p.flag_bytes = (all + MGS_FLAGS) * count * 4;
    job->flags = device(p.flag_bytes);
    job->dependent = pow((double)rows * ldexp(1.0, -53 * prec), 2);
    return p;
}

static double error_of(const problem *p)
{
    double largest = 0.0, worst = 0.0;
    check(cudaMemcpy(p->x, p->job.x.data, p->x_doubles * 8, cudaMemcpyDeviceToHost), "copy");
    for (int k = 0; k < p->cols * 2; k++) {
        size_t at = (size_t)(k / p->cols) * (size_t)p->prec * (size_t)p->cols + (size_t)(k % p->cols);
        double difference = 0.0;
        for (int q = 0; q < p->prec; q++)
            difference += p->x[at + (size_t)(q * p->cols)] - p->expected[at + (size_t)(q * p->cols)];
        if (!(fabs(difference) <= worst))
            worst = fabs(difference);
        if (fabs(p->expected[at]) > largest)
            largest = fabs(p->expected[at]);
    }
    return worst / largest;
}

static void once(const problem *p, const mgs_plan *plan)
{
    char message[256] = "";
    plumb_status status = PLUMB_OK;
    if (plan->regime == MGS_FLOW || plan->regime == MGS_PANEL || plan->regime == MGS_LARGE)
        check(cudaMemsetAsync(p->job.flags, 0, p->flag_bytes, 0), "flags");
    const launcher *entries = plan->regime == MGS_FLOW    ? flow_entries
                              : plan->regime == MGS_BLOCK ? block_entries
                              : plan->regime == MGS_PANEL ? panel_entries
                              : plan->regime == MGS_LARGE ? large_entries
                                                          : small_entries;
    status = entries[p->prec](&p->job, plan, 0, message, sizeof message);
    if (status == PLUMB_OK && !plan->solves)
        status = finish_entries[p->prec](&p->job, 0, message, sizeof message);
    if (status != PLUMB_OK) {
        fprintf(stderr, "%s\n", message);
        exit(1);
    }
}

static void measure(problem *p, const mgs_plan *plan)
{
    cudaEvent_t begin, end;
    float first = 0.0F, ms = 0.0F;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaMemset(p->job.x.data, 0xff, p->x_doubles * 8), "clearing");
    once(p, plan);
    check(cudaEventRecord(begin, 0), "event");
    once(p, plan);
    check(cudaEventRecord(end, 0), "event");
    check(cudaEventSynchronize(end), "kernel");
    check(cudaEventElapsedTime(&first, begin, end), "time");
    int count = first > 20.0F ? 2 : (int)(40.0F / (first + 0.002F)) + 2;
    check(cudaEventRecord(begin, 0), "event");
    for (int i = 0; i < count; i++)
        once(p, plan);
    check(cudaEventRecord(end, 0), "event");
    check(cudaEventSynchronize(end), "kernel");
    check(cudaEventElapsedTime(&ms, begin, end), "time");
    const char *name = plan->regime == MGS_FLOW    ? "flow"
                       : plan->regime == MGS_BLOCK ? "block"
                       : plan->regime == MGS_PANEL ? "panel"
                       : plan->regime == MGS_LARGE ? "large"
                                                   : "small";
    printf("prec %d n %d batch %d %s each %d early %d cluster %d turn %d team %d threads %d share %d columns %d "
           "together %d slots %d keep %d shared %zu us %.3f error %.2e\n",
           p->prec, p->cols, p->batch, name, (int)plan->each, (int)plan->early, (int)plan->cluster, (int)plan->turn,
           (int)plan->team, (int)plan->threads, (int)plan->share, (int)plan->columns, (int)plan->together,
           (int)plan->slots, (int)plan->keep, plan->shared, 1000.0 * (double)ms / count / p->batch, error_of(p));
    fflush(stdout);
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "bench_plans d|dd|qd N [BATCH [ROWS]]\n"), 2;
    int prec = strcmp(argv[1], "d") == 0 ? 1 : strcmp(argv[1], "dd") == 0 ? 2 : 4, n = (int)strtol(argv[2], NULL, 10);
    int batch = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1, rows = argc > 4 ? (int)strtol(argv[4], NULL, 10) : n;
    mgs_limits limits = {0};
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "device");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "device");
    check(cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, 0), "device");
    check(cudaDeviceGetAttribute(&limits.shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "device");
    limits.capability = 10 * major + minor, limits.cluster = 16;
    problem p = make(prec, rows, n, batch);
    for (int cluster = 1; cluster <= 16; cluster *= 2)
        for (int turn = 1; turn <= (cluster > 1 ? 8 : 32); turn *= 2) {
            mgs_plan block = {.threads = 1};
            for (int index = 0; block.threads > 0; index++) {
                block = plumb_mgs_block_plan(&limits, prec, rows, n, n + 1, index, cluster, turn);
                if (block.regime != MGS_BLOCK || block.team * block.share > rows + 16 || 2 * block.turn <= turn)
                    continue;
                const int begins_early = block.early;
                for (block.early = 0; block.early <= begins_early; block.early++)
                    measure(&p, &block);
            }
        }
    for (int cluster = 1; cluster <= 16; cluster *= 2)
        for (int team = 8; team <= 256; team = team < 32 ? team * 2 : team + 32)
            for (int threads = 64; threads <= SMALL_THREADS(prec); threads += 64) {
                if (threads % team != 0 || (threads > 256 && threads % 128 != 0 && threads != team * 2))
                    continue;
                mgs_plan plan = plumb_mgs_small_plan(&limits, prec, 2, rows, n, n + 1, cluster, team, threads);
                int teams = threads / team, columns = (n + cluster) / cluster;
                int spare = threads > n * 2 + 64 && teams >= 2 * columns; /* more teams than columns */
                if (plan.regime == MGS_SMALL && !spare && team < 2 * n + 32 && team * 16 >= 2 * n &&
                    plumb_mgs_small_has(&plan, prec, 2))
                    measure(&p, &plan);
            }
    p.job.w = device((size_t)p.job.w_step * (size_t)batch * 8);
    mgs_plan flow = plumb_mgs_plan(&limits, prec, 2, rows, n, n + 1, batch, MGS_FLOW);
    for (flow.each = 0; flow.regime == MGS_FLOW && flow.each < 2; flow.each++)
        measure(&p, &flow);
    mgs_plan large = plumb_mgs_plan(&limits, prec, 2, rows, n, n + 1, batch, MGS_LARGE);
    p.job.products = device((size_t)LARGE_PRODUCTS(n + 1) * 2 * (size_t)prec * (size_t)batch * 8);
    if (large.regime == MGS_LARGE)
        measure(&p, &large);
    for (int columns = 1; columns < 16; columns++) {
        mgs_plan panel = {.threads = 1};
        for (int index = 0; panel.threads > 0; index++) {
            panel = plumb_mgs_panel_plan(&limits, prec, rows, n, index, columns);
            if (panel.regime == MGS_PANEL && panel.team * panel.share < 4 * rows)
                measure(&p, &panel);
        }
    }
    return 0;
}
