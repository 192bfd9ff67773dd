/* plans.c - times every kernel of least squares on a GPU on every problem of the benchmark tables: what the table of the planner is
 * made of, and what docs/notes/kernel-families.md shows.
 *
 *   bench_plans FILE.json [SECONDS [MOST_N [MOST_SYSTEMS]]]
 *
 * For each problem the plans of all kernels that take it are timed briefly, with several numbers of blocks and threads; then
 * the best ones of each kernel more carefully. A time is that of a call, replayed from a CUDA graph, per system. Results are compared
 * with those of the CPU. The file holds, for each problem, the time of the plan that the library chooses and the best time of
 * each kernel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/plan.h"
#include "bench/common/gpu.h"
#include "bench/common/machine.h"
#include "bench/common/peak.h"
#include "bench/lsq/kernel_name.h"
#include "plumb.h"
#include "solver/context/context.h"

typedef enum work { SOLVE, FACTOR, REFINE } work;

/* A problem, and the table that has a row for it; "also": in no table. */
typedef struct row {
    const char *table;
    work work;
    int32_t prec, parts;
    int64_t n, rhs, systems;
} row;

#define EACH_PRECISION(X, ...) X(PLUMB_D, __VA_ARGS__) X(PLUMB_DD, __VA_ARGS__) X(PLUMB_QD, __VA_ARGS__)
#define SEQUENCE(p, n) {"sequence", SOLVE, p, PLUMB_COMPLEX, n, 1, 1},
#define BATCH(p, n) {"batch", SOLVE, p, PLUMB_COMPLEX, n, 1, 4096},
#define QR(p, kind) {"qr", FACTOR, p, kind, 32, 0, 1},
#define REFINED(p, n) {"refined", REFINE, p, PLUMB_COMPLEX, n, 1, 1},
#define TRACK(p, n) {"track", SOLVE, p, PLUMB_COMPLEX, n, 3, 1},
#define MANY(p, systems) {"many", SOLVE, p, PLUMB_COMPLEX, 11, 3, systems},
#define LARGE(p, n) {"large", SOLVE, p, PLUMB_COMPLEX, n, 1, 1},
#define ALSO(p, kind, n, systems) {"also", SOLVE, p, kind, n, 1, systems},
#define SIDES(p, n, rhs, systems) {"also", SOLVE, p, PLUMB_COMPLEX, n, rhs, systems},

/* clang-format off */
static const row rows[] = {
    EACH_PRECISION(SEQUENCE, 16) EACH_PRECISION(SEQUENCE, 32) EACH_PRECISION(SEQUENCE, 48) EACH_PRECISION(SEQUENCE, 64)
    EACH_PRECISION(SEQUENCE, 80) EACH_PRECISION(SEQUENCE, 128) EACH_PRECISION(SEQUENCE, 256)
    SEQUENCE(PLUMB_D, 96) SEQUENCE(PLUMB_D, 112) SEQUENCE(PLUMB_D, 144) SEQUENCE(PLUMB_D, 160) SEQUENCE(PLUMB_D, 176)
    SEQUENCE(PLUMB_D, 192) SEQUENCE(PLUMB_D, 208) SEQUENCE(PLUMB_D, 224) SEQUENCE(PLUMB_D, 240)
    EACH_PRECISION(BATCH, 16) EACH_PRECISION(BATCH, 32) EACH_PRECISION(BATCH, 64)
    QR(PLUMB_D, PLUMB_REAL) EACH_PRECISION(QR, PLUMB_COMPLEX)
    REFINED(PLUMB_DD, 32) REFINED(PLUMB_DD, 64) REFINED(PLUMB_QD, 32) REFINED(PLUMB_QD, 64)
    EACH_PRECISION(TRACK, 32) MANY(PLUMB_D, 1024) MANY(PLUMB_DD, 1024) MANY(PLUMB_QD, 256)
    LARGE(PLUMB_D, 512) LARGE(PLUMB_D, 1024) LARGE(PLUMB_D, 2048)
    LARGE(PLUMB_DD, 512) LARGE(PLUMB_DD, 1024) LARGE(PLUMB_DD, 2048) LARGE(PLUMB_QD, 512) LARGE(PLUMB_QD, 1024)
    EACH_PRECISION(ALSO, PLUMB_COMPLEX, 16, 8) EACH_PRECISION(ALSO, PLUMB_COMPLEX, 32, 8)
    EACH_PRECISION(ALSO, PLUMB_COMPLEX, 64, 8) EACH_PRECISION(ALSO, PLUMB_COMPLEX, 80, 8)
    ALSO(PLUMB_D, PLUMB_COMPLEX, 24, 4096) ALSO(PLUMB_D, PLUMB_COMPLEX, 32, 132) ALSO(PLUMB_D, PLUMB_COMPLEX, 64, 132)
    SIDES(PLUMB_D, 32, 8, 4096) SIDES(PLUMB_D, 64, 3, 1024) SIDES(PLUMB_DD, 16, 3, 1024) SIDES(PLUMB_DD, 32, 8, 4096)
    ALSO(PLUMB_D, PLUMB_COMPLEX, 48, 4096) ALSO(PLUMB_DD, PLUMB_COMPLEX, 48, 4096) ALSO(PLUMB_D, PLUMB_COMPLEX, 80, 1024)
    EACH_PRECISION(ALSO, PLUMB_REAL, 32, 1) EACH_PRECISION(ALSO, PLUMB_REAL, 32, 4096)
    EACH_PRECISION(ALSO, PLUMB_REAL, 128, 1)
};
/* clang-format on */

enum { CPU_MOST = 256, MOST_CANDIDATES = 1024 };

/* A plan that takes the problem; in parallel to the kernel's name, what it was timed at. */
typedef struct candidate {
    mgs_plan plan;
    char kernel[64];
    double us; /* per call; NaN: it failed */
    double error;
} candidate;

/* One problem on the GPU, with its solution by the CPU. */
typedef struct problem {
    row of;
    bench_gpu_machines *on;
    plumb_view a, b, x, q, info; /* on the device; x is R where Q and R are wanted */
    plumb_view found, expected;  /* on the host, of the first system */
    plumb_lsq_options options;
    candidate list[MOST_CANDIDATES]; /* the first one is what the library chooses */
    int count;
} problem;

static void check(const problem *p, plumb_status status, const char *what)
{
    if (status != PLUMB_OK) {
        fprintf(stderr, "bench_plans: %s, %s %s, n = %lld: %s\n", what, p->of.table, plumb_prec_name(p->of.prec),
                (long long)p->of.n, bench_gpu_why(p->on, status));
        exit(1);
    }
}

static plumb_status call(void *data)
{
    problem *p = data;
    plumb_info *info = (plumb_info *)(void *)p->info.data;
    if (p->of.work == FACTOR)
        return plumb_qr(p->on->gpu, &p->a, &p->q, &p->x, NULL, info, NULL, NULL);
    if (p->of.systems > 1)
        return plumb_lsq_batch(p->on->gpu, &p->a, &p->b, &p->x, NULL, info, NULL);
    return plumb_lsq(p->on->gpu, &p->a, &p->b, &p->x, NULL, info, &p->options, NULL);
}

/* ---- Problems --------------------------------------------------------------------------------------------------- */

/* Random numbers, each limb below half a unit in the last place of the one before. */
static void fill(const plumb_view *v)
{
    for (int64_t s = 0; s < v->batch; s++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                for (int32_t part = 0; part < v->parts; part++) {
                    double *p = v->data + s * v->next + j * v->col + part * v->prec * v->plane + i, last = 0x1p54;
                    for (int32_t limb = 0; limb < v->prec; limb++)
                        p[limb * v->plane] = last = (2.0 * rand() / RAND_MAX - 1.0) * 0x1p-54 * last;
                }
}

static plumb_view array(problem *p, int32_t where, int64_t cols, int64_t systems)
{
    plumb_view view;
    check(p, plumb_array_create(p->on->gpu, where, p->of.prec, p->of.parts, p->of.n, cols, systems, &view), "array");
    return view;
}

static void solve_on_cpu(problem *p, plumb_view a, plumb_view b)
{
    plumb_info info = 0;
    a.batch = b.batch = 1;
    if (p->of.work == FACTOR)
        check(p, plumb_qr(p->on->all, &a, NULL, &p->expected, NULL, &info, NULL, NULL), "CPU");
    else
        check(p, plumb_lsq(p->on->all, &a, &b, &p->expected, NULL, &info, NULL, NULL), "CPU");
}

static void create(problem *p)
{
    const int64_t n = p->of.n, rhs = p->of.work == FACTOR ? n : p->of.rhs, systems = p->of.systems;
    plumb_view a = array(p, PLUMB_HOST, n, systems), b = array(p, PLUMB_HOST, rhs, systems);
    srand(1);
    fill(&a), fill(&b);
    p->a = array(p, PLUMB_DEVICE, n, systems), p->b = array(p, PLUMB_DEVICE, rhs, systems);
    p->x = array(p, PLUMB_DEVICE, rhs, systems), p->q = array(p, PLUMB_DEVICE, n, p->of.work == FACTOR ? systems : 1);
    p->found = array(p, PLUMB_HOST, rhs, 1), p->expected = array(p, PLUMB_HOST, rhs, 1);
    check(p, plumb_array_create(p->on->gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, systems, &p->info), "array");
    check(p, plumb_copy(p->on->gpu, &a, &p->a, NULL), "copy");
    check(p, plumb_copy(p->on->gpu, &b, &p->b, NULL), "copy");
    plumb_lsq_options_init(&p->options);
    p->options.method = p->of.work == REFINE ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
    if (n <= CPU_MOST)
        solve_on_cpu(p, a, b);
    plumb_array_destroy(p->on->gpu, &a), plumb_array_destroy(p->on->gpu, &b);
}

static void destroy(problem *p)
{
    plumb_view *views[] = {&p->a, &p->b, &p->x, &p->q, &p->info, &p->found, &p->expected};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(p->on->gpu, views[k]);
}

/* ---- Plans ------------------------------------------------------------------------------------------------------ */

static void add(problem *p, const mgs_plan *plan)
{
    if (plan->family == MGS_AUTO || p->count == MOST_CANDIDATES)
        return;
    candidate *c = &p->list[p->count++];
    *c = (candidate){.plan = *plan, .us = (double)NAN};
    bench_kernel_name(plan, c->kernel, sizeof c->kernel);
}

/* A kernel with all numbers of blocks, of warps in turn, of threads and of columns per block that may be sensible. */
static void add_kernel(problem *p, const mgs_limits *limits, const mgs_problem *shape, mgs_family family,
                       const mgs_kernel *k)
{
    mgs_choice c = {shape->prec, shape->parts, MGS_ANY,  0,          0,           0, -1, 0,
                    family,      k->team,      k->share, k->columns, k->together, 1, 1,  0};
    /* Clusters of a power of two, and with a block for x beside it (see registers/follow.h), too. */
    static const int32_t clusters[] = {2, 4, 5, 8, 9, 16}, alone[] = {1};
    const int32_t *sizes = k->cluster ? clusters : alone;
    for (size_t size = 0; size < (k->cluster ? sizeof clusters : sizeof alone) / sizeof *sizes; size++) {
        const int32_t blocks = sizes[size];
        if (blocks % 2 == 1 && blocks > 1 && family != MGS_REGISTERS)
            continue;
        c.cluster = blocks;
        if (shape->systems >= 1024 && blocks > 8)
            continue;
        const int32_t from = family == MGS_REGISTERS ? 1 : family == MGS_SMALL ? 64 : 1;
        const int32_t to = family == MGS_REGISTERS ? 8 : family == MGS_SMALL ? k->threads : 5;
        for (int32_t v = from; v <= to; v = family == MGS_REGISTERS ? 2 * v : family == MGS_SMALL ? v + 64 : v + 1) {
            if (family == MGS_SMALL && v > 256 && v % 128 != 0)
                continue;
            c.turn = c.threads = v;
            if (family == MGS_PANEL) {
                c.cluster = 0, c.columns = v;
                if (shape->prec == PLUMB_QD && (v > 1 || shape->all * shape->systems > limits->multiprocessors))
                    continue;
            }
            const mgs_plan plan = plumb_mgs_plan_of(limits, shape, &c);
            if (family != MGS_REGISTERS || 2 * plan.turn > v) /* else it is the same as with a shorter turn */
                add(p, &plan);
        }
    }
}

static void find_plans(problem *p, const mgs_limits *limits)
{
    const row *of = &p->of;
    const mgs_problem shape = {of->work == REFINE ? PLUMB_D : of->prec,     of->parts,  of->n, of->n,
                               of->work == SOLVE ? of->n + of->rhs : of->n, of->systems};
    const mgs_plan chosen = plumb_mgs_plan(limits, &shape, MGS_AUTO);
    p->count = 0;
    add(p, &chosen);
    for (mgs_family family = MGS_REGISTERS; family < MGS_FAMILIES; family++) {
        int count;
        const mgs_kernel *k = plumb_mgs_kernels(family, shape.prec, shape.parts, &count);
        if (count > 0) {
            for (; count > 0; count--, k++)
                add_kernel(p, limits, &shape, family, k);
            continue;
        }
        mgs_plan plan = plumb_mgs_plan(limits, &shape, family);
        const int slow = family == MGS_FLOW ? of->systems > 8 && of->n < 64 : of->n > 512;
        if (family == MGS_LARGE ? of->n >= 128 && of->systems == 1 : !slow)
            add(p, &plan);
        plan.cluster = 0;
        if (family == MGS_LARGE && of->n >= 128 && of->systems == 1)
            add(p, &plan);
    }
}

/* ---- Times ------------------------------------------------------------------------------------------------------ */

static double replay(problem *p, double us, double for_us)
{
    const int64_t total = (int64_t)(for_us / us) + 1, pieces = total < 50 ? total : 50;
    double found = (double)NAN;
    check(p, plumb_gpu_time_replays(&p->on->gpu->gpu, call, p, pieces, (total + pieces - 1) / pieces, &found),
          "replay");
    return found;
}

static double error_of(problem *p)
{
    plumb_view first = p->x;
    double largest;
    first.batch = 1;
    check(p, plumb_copy(p->on->gpu, &first, &p->found, NULL), "copy");
    return p->of.n > CPU_MOST ? 0.0 : bench_gpu_difference(&p->found, &p->expected, &largest) / largest;
}

static void time_briefly(problem *p, candidate *c)
{
    double us = (double)NAN;
    p->on->gpu->gpu.lsq_plan = &c->plan;
    if (call(p) != PLUMB_OK) {
        fprintf(stderr, "bench_plans: %s: %s\n", c->kernel, plumb_context_message(p->on->gpu));
        return;
    }
    c->error = error_of(p);
    check(p, plumb_gpu_time_launches(&p->on->gpu->gpu, call, p, 1, &us), "launch");
    c->us = us > 20000 ? us : replay(p, us, 3000);
}

static void measure(problem *p)
{
    double least = INFINITY;
    for (int k = 0; k < p->count; k++) {
        time_briefly(p, &p->list[k]);
        least = fmin(least, p->list[k].us);
    }
    for (int k = 0; k < p->count; k++) {
        candidate *c = &p->list[k];
        double of_kernel = INFINITY;
        for (int i = 0; i < p->count; i++)
            if (strcmp(p->list[i].kernel, c->kernel) == 0)
                of_kernel = fmin(of_kernel, p->list[i].us);
        if (isnan(c->us) || (k > 0 && (c->us > 1.04 * of_kernel || c->us > 3 * least)))
            continue;
        p->on->gpu->gpu.lsq_plan = &c->plan;
        double best = replay(p, c->us, 12000);
        for (int i = 0; i < 2; i++)
            best = fmin(best, replay(p, c->us, 12000));
        c->us = best;
    }
    p->on->gpu->gpu.lsq_plan = NULL;
}

/* ---- Results ---------------------------------------------------------------------------------------------------- */

static void write_kernel(json_writer *w, const problem *p, const candidate *c)
{
    json_open_object(w, NULL);
    json_string(w, "kernel", c->kernel);
    if (c->plan.cluster > 1)
        json_int(w, "blocks", c->plan.cluster);
    if (c->plan.family == MGS_REGISTERS)
        json_int(w, "turn", c->plan.turn);
    if (c->plan.family == MGS_PANEL)
        json_int(w, "columns", c->plan.columns);
    if (c->plan.threads > 0)
        json_int(w, "threads", c->plan.threads);
    json_double(w, "us", bench_rounded(c->us / (double)p->of.systems));
    json_close_object(w);
}

static void write_problem(json_writer *w, const problem *p)
{
    const row *of = &p->of;
    double error = 0.0;
    json_open_object(w, NULL);
    json_string(w, "table", of->table);
    json_string(w, "precision", plumb_prec_name(of->prec));
    json_string(w, "kind", of->parts == PLUMB_COMPLEX ? "complex" : "real");
    json_int(w, "n", of->n);
    json_int(w, "rhs", of->rhs);
    json_int(w, "systems", of->systems);
    json_string(w, "chosen", p->list[0].kernel);
    json_double(w, "us", bench_rounded(p->list[0].us / (double)of->systems));
    json_open_array(w, "kernels");
    for (int k = 0; k < p->count; k++) {
        const candidate *best = &p->list[k];
        int first = 1;
        for (int i = 0; i < p->count; i++)
            if (strcmp(p->list[i].kernel, best->kernel) == 0) {
                first &= i >= k;
                best = p->list[i].us < best->us || isnan(best->us) ? &p->list[i] : best;
            }
        if (first && !isnan(best->us))
            write_kernel(w, p, best);
        error = fmax(error, p->list[k].error);
    }
    json_close_array(w);
    if (of->n <= CPU_MOST)
        json_double(w, "error", bench_rounded(error));
    json_close_object(w);
}

int main(int argc, char **argv)
{
    static problem p;
    static bench_gpu_machines on;
    machine *m = NULL;
    if (argc < 2)
        return fprintf(stderr, "usage: bench_plans FILE.json [SECONDS [MOST_N [MOST_SYSTEMS]]]\n"), 2;
    const double limit = argc > 2 ? strtod(argv[2], NULL) : 1e9, begin = bench_now_ns();
    const int64_t most_n = argc > 3 ? strtoll(argv[3], NULL, 10) : INT64_MAX,
                  most_systems = argc > 4 ? strtoll(argv[4], NULL, 10) : INT64_MAX;
    cli_output output = {.path = NULL};
    if (cli_output_open("bench_plans", &output, argv[1]) != CLI_OK)
        return 1;
    FILE *out = output.file;
    if (bench_gpu_open("bench_plans", PLUMB_BACKEND_GPU, NULL, &on) != 0)
        return 1;
    p.on = &on;
    check(&p, plumb_context_machine(on.gpu, PLUMB_DEVICE, &m), "GPU");
    check(&p, plumb_cuda_mgs_open(m), "GPU");
    json_writer w = bench_gpu_json_begin(out, "families", bench_commit, &on);
    json_open_array(&w, "results");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0] && 1e-9 * (bench_now_ns() - begin) < limit; k++) {
        p.of = rows[k];
        if (p.of.n > most_n || p.of.systems > most_systems)
            continue;
        create(&p);
        find_plans(&p, &m->lsq->limits);
        measure(&p);
        write_problem(&w, &p);
        fflush(out);
        printf("%6.1f s  %s %s n = %lld, %lld systems: %d plans, %s %.4g us\n", 1e-9 * (bench_now_ns() - begin),
               p.of.table, plumb_prec_name(p.of.prec), (long long)p.of.n, (long long)p.of.systems, p.count,
               p.list[0].kernel, p.list[0].us / (double)p.of.systems);
        fflush(stdout);
        destroy(&p);
    }
    json_close_array(&w);
    bench_json_end(&w);
    bench_gpu_close(&on);
    return cli_output_commit("bench_plans", &output);
}
