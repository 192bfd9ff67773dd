/* plans.c - times every kernel of least squares on a GPU on problems of all classes that the table of the planner distinguishes, those of the
 * benchmark tables among them: what that table is made of, and what docs/notes/kernel-families.md shows.
 *
 *   bench_plans FILE.json [table=NAME] [precision=NAME] [kind=NAME] [n=N] [rhs=N] [systems=N] [seconds=N] [kernels=chosen]
 *
 * All rows, or those with these properties, until this many seconds have passed. For each problem the plans of all lines of the table are timed
 * briefly, whatever their conditions are. Kernels that come near the fastest are then tried with other numbers of blocks and threads, and
 * the best plans of those that come still nearer are timed more carefully. A time is that of a call, replayed from a CUDA graph, per
 * system. Results are compared with those of the CPU. The file holds, for each problem, the time of the plan that the library chooses and
 * the best time of each kernel. With kernels=chosen the former are timed alone, which shows what a change of the table is worth. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/files.h"
#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/lsq/registers/registers.h"
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

/* Rows that differ in n and in the precision only. */
enum { D = 1, DD = 2, QD = 4, EACH = D | DD | QD, MOST_SIZES = 12 };
typedef struct row_set {
    const char *table;
    work work;
    int32_t precisions, parts;
    int64_t rhs, systems;
    int64_t n[MOST_SIZES]; /* 0 ends them */
} row_set;

/* One system and right-hand side; no right-hand side; three, or eight, where x is found in other ways than for one. Then few systems, so
 * that each may have several multiprocessors; one system per multiprocessor, and at least three, six and eight. */
static const row_set sets[] = {
    {"sequence", SOLVE, EACH, PLUMB_COMPLEX, 1, 1, {16, 32, 48, 64, 80, 128, 256}},
    {"sequence", SOLVE, D, PLUMB_COMPLEX, 1, 1, {96, 112, 144, 192}},
    {"batch", SOLVE, EACH, PLUMB_COMPLEX, 1, 4096, {16, 32, 64}},
    {"qr", FACTOR, EACH, PLUMB_COMPLEX, 0, 1, {32}},
    {"qr", FACTOR, D, PLUMB_REAL, 0, 1, {32}},
    {"refined", REFINE, DD | QD, PLUMB_COMPLEX, 1, 1, {32, 64}},
    {"track", SOLVE, EACH, PLUMB_COMPLEX, 3, 1, {32}},
    {"many", SOLVE, D | DD, PLUMB_COMPLEX, 3, 1024, {11}},
    {"many", SOLVE, QD, PLUMB_COMPLEX, 3, 256, {11}},
    {"large", SOLVE, D | DD, PLUMB_COMPLEX, 1, 1, {512, 1024, 2048}},
    {"large", SOLVE, QD, PLUMB_COMPLEX, 1, 1, {512, 1024}},

    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 1, {8, 20, 24, 28, 40, 56, 72, 88}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 1, {8, 24, 40, 56, 96, 192}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 1, 1, {24, 72, 192}},
    {"also", FACTOR, D, PLUMB_COMPLEX, 0, 1, {16, 24, 48, 64, 80, 96, 128, 256}},
    {"also", FACTOR, DD, PLUMB_COMPLEX, 0, 1, {16, 48, 64, 128, 256}},
    {"also", FACTOR, QD, PLUMB_COMPLEX, 0, 1, {16, 64, 128}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 3, 1, {11, 16, 24, 48, 64, 80, 96, 112, 128, 256}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 3, 1, {11, 16, 24, 48, 64, 80, 128, 256}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 3, 1, {16, 64, 80, 128}},
    {"also", SOLVE, D | DD, PLUMB_COMPLEX, 8, 1, {16, 32, 64, 128}},

    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 8, {16, 20, 24, 32, 48, 64, 80, 96, 128}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 8, {16, 24, 32, 48, 64, 80, 128, 256}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 1, 8, {16, 32, 64, 80}},
    {"also", SOLVE, D | DD, PLUMB_COMPLEX, 1, 24, {24, 32, 48, 64}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 60, {16, 24, 32, 48, 64, 80, 96, 128}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 60, {16, 24, 32, 48, 64, 80, 128}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 1, 60, {16, 64}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 3, 8, {11, 16, 24, 32, 48, 64, 80, 96, 128}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 3, 8, {11, 16, 24, 32, 48, 64, 128}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 3, 8, {32}},

    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 132, {8, 16, 24, 32, 48, 64, 80, 96, 128}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 132, {8, 16, 24, 32, 48, 64, 80, 128}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 1, 132, {16, 64}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 3, 132, {11, 24, 32, 48, 64, 96}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 3, 132, {11, 24, 32, 48, 64}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 512, {8, 16, 24, 32, 48, 64}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 512, {8, 16, 24, 32, 48, 64}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 1, 1024, {8, 24, 28, 40, 48, 56, 80, 96, 128}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 1, 1024, {8, 24, 48, 80, 128}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 1, 1024, {24, 80}},
    {"also", SOLVE, D, PLUMB_COMPLEX, 3, 1024, {16, 24, 32, 48, 64, 96}},
    {"also", SOLVE, DD, PLUMB_COMPLEX, 3, 1024, {16, 24, 32, 48, 64}},
    {"also", SOLVE, QD, PLUMB_COMPLEX, 3, 1024, {32}},
    {"also", SOLVE, D | DD, PLUMB_COMPLEX, 8, 1024, {16, 32, 48, 64}},

    {"also", SOLVE, EACH, PLUMB_REAL, 1, 1, {16, 32, 64, 96, 128, 256}},
    {"also", SOLVE, EACH, PLUMB_REAL, 1, 8, {32, 64, 128}},
    {"also", SOLVE, EACH, PLUMB_REAL, 1, 132, {32}},
    {"also", SOLVE, EACH, PLUMB_REAL, 1, 1024, {32, 64, 96}},
};

enum { CPU_MOST = 256, MOST_CANDIDATES = 1024 };

/* A plan that takes the problem; in parallel to the kernel's name, what it was timed at. */
typedef struct candidate {
    mgs_plan plan;
    char kernel[64];
    int first; /* whether it is timed in any case */
    double us; /* per call; NaN: it failed, or was not timed */
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

/* Random numbers, each limb below half a unit in the last place of the one before. Many systems repeat some. */
static void fill(const plumb_view *v)
{
    enum { DIFFERENT = 64 };
    for (int64_t s = 0; s < v->batch && s < DIFFERENT; s++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                for (int32_t part = 0; part < v->parts; part++) {
                    double *p = v->data + s * v->next + j * v->col + part * v->prec * v->plane + i, last = 0x1p54;
                    for (int32_t limb = 0; limb < v->prec; limb++)
                        p[limb * v->plane] = last = (2.0 * rand() / RAND_MAX - 1.0) * 0x1p-54 * last;
                }
    for (int64_t s = DIFFERENT; s < v->batch; s++)
        memcpy(v->data + s * v->next, v->data + s % DIFFERENT * v->next, (size_t)v->next * sizeof(double));
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

static int same(const mgs_plan *a, const mgs_plan *b)
{
    return memcmp(a, b, offsetof(mgs_plan, keep_columns)) == 0 && a->inverts == b->inverts;
}

static void add(problem *p, const mgs_plan *plan, int first)
{
    for (int k = 0; k < p->count; k++)
        if (same(&p->list[k].plan, plan))
            return;
    if (plan->family == MGS_AUTO || p->count == MOST_CANDIDATES)
        return;
    candidate *c = &p->list[p->count++];
    *c = (candidate){.plan = *plan, .first = first, .us = (double)NAN};
    bench_kernel_name(plan, c->kernel, sizeof c->kernel);
    if (plan->family == MGS_REGISTERS && plan->inverts) { /* the same without the other kernel that finds x */
        mgs_plan alone = *plan;
        alone.inverts = 0;
        add(p, &alone, first);
    }
}

/* A kernel of clusters in registers, or of one block, with numbers of blocks and of warps in turn that may be sensible. */
static void add_registers(problem *p, const mgs_limits *limits, const mgs_problem *shape, const mgs_kernel *k)
{
    static const int32_t clusters[] = {8, 4, 16, 9, 2, 5, 11, 14}, turns[] = {4, 2, 1, 3, 8};
    const int64_t a_warp = REGISTERS_A_WARP(shape->prec, k->team, k->columns, k->together);
    for (size_t turn = 0; turn < sizeof turns / sizeof *turns; turn++)
        for (size_t size = 0; size < sizeof clusters / sizeof *clusters; size++) {
            const int32_t blocks = k->cluster ? clusters[size] : 1;
            const mgs_choice c = {
                shape->prec,   shape->parts, MGS_ANY,  0,          0,           0,      -1,          0,
                MGS_REGISTERS, k->team,      k->share, k->columns, k->together, blocks, turns[turn], 0};
            /* Blocks without columns help nobody, except for one that finds x; many systems have no multiprocessors for large clusters. */
            if ((blocks > 2 && (blocks - 2) * turns[turn] * a_warp >= shape->all) ||
                (2 * shape->systems >= limits->multiprocessors && blocks > 8))
                continue;
            const mgs_plan plan = plumb_mgs_plan_of(limits, shape, &c);
            add(p, &plan, 0);
        }
}

/* A kernel in shared memory with numbers of blocks and threads that may be sensible, or of panels with numbers of columns. */
static void add_others(problem *p, const mgs_limits *limits, const mgs_problem *shape, mgs_family family,
                       const mgs_kernel *k)
{
    mgs_choice c = {shape->prec, shape->parts, MGS_ANY,  0,          0,           0, -1, 0,
                    family,      k->team,      k->share, k->columns, k->together, 1, 1,  0};
    if (family == MGS_PANEL) {
        for (c.cluster = 0, c.columns = 1; c.columns <= 5; c.columns++) {
            const mgs_plan plan = plumb_mgs_plan_of(limits, shape, &c);
            add(p, &plan, 0);
        }
        return;
    }
    for (c.cluster = k->cluster ? 2 : 1; c.cluster <= (k->cluster ? 16 : 1); c.cluster *= 2)
        for (c.threads = 64; c.threads <= k->threads; c.threads += c.threads < 256 ? 64 : 128) {
            const mgs_plan plan = plumb_mgs_plan_of(limits, shape, &c);
            add(p, &plan, 0);
        }
}

/* First the chosen plan and those of all lines, as far as blocks do not wait for others that have no multiprocessor yet and families are
 * not much too slow; then other plans for each kernel. */
static void find_plans(problem *p, const mgs_limits *limits, int chosen_only)
{
    const row *of = &p->of;
    const mgs_problem shape = {of->work == REFINE ? PLUMB_D : of->prec,     of->parts,  of->n, of->n,
                               of->work == SOLVE ? of->n + of->rhs : of->n, of->systems};
    const mgs_plan chosen = plumb_mgs_plan(limits, &shape, MGS_AUTO);
    int lines;
    const mgs_choice *line = plumb_mgs_table(limits, &lines);
    p->count = 0;
    add(p, &chosen, 1);
    if (chosen_only) {
        p->count = 1;
        return;
    }
    for (; lines > 0; lines--, line++) {
        if (line->prec != shape.prec || line->parts != shape.parts)
            continue;
        mgs_plan plan = plumb_mgs_plan_of(limits, &shape, line);
        const int slow = plan.family == MGS_FLOW      ? of->systems > 8 && of->n < 64
                         : plan.family == MGS_LARGE   ? of->n < 128 || of->systems > 1
                         : plan.family == MGS_COLUMNS ? of->n > 512
                                                      : 0;
        if (slow || (plan.family == MGS_PANEL && shape.prec == PLUMB_QD &&
                     shape.all * shape.systems > line->share * limits->multiprocessors))
            continue;
        add(p, &plan, 1);
        plan.cluster = 0;
        if (plan.family == MGS_LARGE)
            add(p, &plan, 1);
    }
    for (mgs_family family = MGS_REGISTERS; family <= MGS_PANEL; family++) {
        int count;
        const mgs_kernel *k = plumb_mgs_kernels(family, shape.prec, shape.parts, &count);
        for (; count > 0; count--, k++) {
            if (family == MGS_REGISTERS)
                add_registers(p, limits, &shape, k);
            else if (family != MGS_PANEL || shape.prec != PLUMB_QD)
                add_others(p, limits, &shape, family, k);
        }
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
    p->on->gpu->gpu.hooks.lsq_plan = &c->plan;
    if (call(p) != PLUMB_OK) {
        fprintf(stderr, "bench_plans: %s: %s\n", c->kernel, plumb_context_message(p->on->gpu));
        return;
    }
    c->error = error_of(p);
    check(p, plumb_gpu_time_launches(&p->on->gpu->gpu, call, p, 1, &us), "launch");
    c->us = us > 2000 ? us : replay(p, us, 1500);
}

static double best_of(const problem *p, const char *kernel)
{
    double best = INFINITY;
    for (int k = 0; k < p->count; k++)
        if (kernel == NULL || strcmp(p->list[k].kernel, kernel) == 0)
            best = fmin(best, p->list[k].us);
    return best;
}

/* How many plans of this kernel take less time. */
static int faster_than(const problem *p, const char *kernel, double us)
{
    int count = 0;
    for (int k = 0; k < p->count; k++)
        count += strcmp(p->list[k].kernel, kernel) == 0 && p->list[k].us < us;
    return count;
}

/* At least four plans of a kernel are tried, more if one of them is not far slower than other kernels. The best three are timed carefully, if
 * they are near each other and the fastest kernel. */
static void measure(problem *p)
{
    enum { TRIED = 4, CAREFUL = 3 };
    for (int k = 0; k < p->count; k++)
        if (p->list[k].first)
            time_briefly(p, &p->list[k]);
    const double found = best_of(p, NULL);
    for (int k = 0; k < p->count; k++)
        if (!p->list[k].first &&
            (faster_than(p, p->list[k].kernel, INFINITY) < TRIED || best_of(p, p->list[k].kernel) < 1.3 * found))
            time_briefly(p, &p->list[k]);
    const double least = best_of(p, NULL);
    for (int k = 0; k < p->count; k++) {
        candidate *c = &p->list[k];
        const double of_kernel = best_of(p, c->kernel);
        if (isnan(c->us) || (k > 0 && (c->us > 1.03 * of_kernel || of_kernel > 1.25 * least ||
                                       faster_than(p, c->kernel, c->us) >= CAREFUL)))
            continue;
        p->on->gpu->gpu.hooks.lsq_plan = &c->plan;
        double best = replay(p, c->us, 6000);
        for (int i = 0; i < 2; i++)
            best = fmin(best, replay(p, c->us, 6000));
        c->us = best;
    }
    p->on->gpu->gpu.hooks.lsq_plan = NULL;
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

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* Which rows are wanted: properties and their values. */
typedef struct wanted {
    char **given;
    int count;
} wanted;

/* The value of a property, or NULL. */
static const char *value_of(const wanted *w, const char *property)
{
    const size_t length = strlen(property);
    for (int k = 0; k < w->count; k++)
        if (strncmp(w->given[k], property, length) == 0 && w->given[k][length] == '=')
            return w->given[k] + length + 1;
    return NULL;
}

static int fits(const wanted *w, const char *property, const char *value)
{
    const char *given = value_of(w, property);
    return given == NULL || strcmp(given, value) == 0;
}

static int number_fits(const wanted *w, const char *property, int64_t value)
{
    const char *given = value_of(w, property);
    return given == NULL || strtoll(given, NULL, 10) == value;
}

static int is_wanted(const wanted *w, const row *r)
{
    return fits(w, "table", r->table) && fits(w, "precision", plumb_prec_name(r->prec)) &&
           fits(w, "kind", r->parts == PLUMB_COMPLEX ? "complex" : "real") && number_fits(w, "n", r->n) &&
           number_fits(w, "rhs", r->rhs) && number_fits(w, "systems", r->systems);
}

static void run_row(problem *p, const mgs_limits *limits, int chosen_only, json_writer *w, double begin)
{
    create(p);
    find_plans(p, limits, chosen_only);
    measure(p);
    write_problem(w, p);
    printf("%6.1f s  %s %s %s n = %lld, %lld right-hand sides, %lld systems: %d plans, %s %.4g us, best %.4g us\n",
           1e-9 * (bench_now_ns() - begin), p->of.table, p->of.parts == PLUMB_COMPLEX ? "complex" : "real",
           plumb_prec_name(p->of.prec), (long long)p->of.n, (long long)p->of.rhs, (long long)p->of.systems, p->count,
           p->list[0].kernel, p->list[0].us / (double)p->of.systems, best_of(p, NULL) / (double)p->of.systems);
    fflush(stdout);
    destroy(p);
}

int main(int argc, char **argv)
{
    static problem p;
    static bench_gpu_machines on;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    machine *m = NULL;
    if (argc < 2)
        return fprintf(stderr, "usage: bench_plans FILE.json [table=NAME] [precision=NAME] [kind=NAME] [n=N] [rhs=N] "
                               "[systems=N] [seconds=N] [kernels=chosen]\n"),
               2;
    const wanted want = {argv + 2, argc - 2};
    const char *seconds = value_of(&want, "seconds");
    const double limit = seconds != NULL ? strtod(seconds, NULL) : 1e9, begin = bench_now_ns();
    app_output output = {.path = NULL};
    if (app_output_open("bench_plans", &output, argv[1]) != APP_OK)
        return 1;
    FILE *out = output.file;
    if (bench_gpu_open("bench_plans", PLUMB_BACKEND_GPU, NULL, &on) != 0)
        return 1;
    p.on = &on;
    check(&p, plumb_context_machine(on.gpu, PLUMB_DEVICE, &m), "GPU");
    check(&p, plumb_cuda_mgs_open(m), "GPU");
    json_writer w = bench_gpu_json_begin(out, "families", bench_commit, &on);
    json_open_array(&w, "results");
    for (size_t set = 0; set < sizeof sets / sizeof sets[0]; set++)
        for (int k = 0; k < MOST_SIZES && sets[set].n[k] > 0; k++)
            for (int q = 0; q < 3 && 1e-9 * (bench_now_ns() - begin) < limit; q++) {
                const row_set *s = &sets[set];
                p.of = (row){s->table, s->work, precisions[q], s->parts, s->n[k], s->rhs, s->systems};
                if (s->precisions >> q & 1 && is_wanted(&want, &p.of))
                    run_row(&p, &m->lsq->limits, value_of(&want, "kernels") != NULL, &w, begin);
            }
    json_close_array(&w);
    bench_json_end(&w);
    bench_gpu_close(&on);
    return app_output_commit("bench_plans", &output);
}
