/* accuracy.c - plumb-bench accuracy: the accuracy of QR on the random matrices of the paper, compared with its numbers.
 *
 * Each matrix is made once in the higher precision of its block and rounded to the lower one. Threads share the
 * matrices; the smallest and largest errors do not depend on which thread computed them. */
#include "bench/accuracy/accuracy.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "app/stop.h"
#include "base/os/team.h"
#include "bench/bench.h"
#include "bench/common/common.h"
#include "bench/common/peak.h"
#include "text/matrix/random.h"

static const char command[] = "accuracy";

typedef struct accuracy_options {
    bench_options common;
    int64_t count, threads; /* 0: the default */
    uint64_t seed;
} accuracy_options;

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

/* Both rows of one g, shared among threads. */
typedef struct rows_share {
    const accuracy_run *run;
    const plumb_context_options *on;
    accuracy_row *rows;
    plumb_status status;
    team_counter next;
    pthread_mutex_t lock;
} rows_share;

static void measure_share(void *data, team *t, int32_t index, int32_t threads)
{
    rows_share *s = data;
    const int32_t g = s->rows[0].g;
    worker w;
    (void)t, (void)index, (void)threads;
    worker_open(&w, s->on, s->rows);
    for (int64_t i; (i = team_take(&s->next, 1)) < s->run->count;)
        if (w.status == PLUMB_OK)
            worker_take(&w, g, s->run->seed + (uint64_t)(g * (int64_t)ACCURACY_MOST_COUNT + i));
    team_wait(t, threads); /* the rows are read until here */
    pthread_mutex_lock(&s->lock);
    merge(&w, s->rows, &s->status);
    pthread_mutex_unlock(&s->lock);
    worker_close(&w);
}

/* Every matrix has a seed of its own, so the results do not depend on the number of threads. */
static plumb_status run_rows(const accuracy_run *run, const plumb_context_options *on, accuracy_row *rows)
{
    team *threads = NULL;
    rows_share share = {.run = run, .on = on, .rows = rows, .lock = PTHREAD_MUTEX_INITIALIZER};
    for (int k = 0; k < BOTH; k++)
        rows[k].least = (double)INFINITY, rows[k].most = -(double)INFINITY;
    plumb_status status = team_start(&threads, run->threads, NULL, 0);
    if (status == PLUMB_OK)
        team_run(threads, run->threads, measure_share, &share);
    team_end(threads);
    return status == PLUMB_OK ? share.status : status;
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
#define ACCURACY_ROW(limbs, spread, smallest, largest) \
    {.prec = PAPER_PREC_##limbs,                       \
     .g = (spread),                                    \
     .paper_least = (smallest),                        \
     .paper_most = (largest),                          \
     .least = NAN,                                     \
     .most = NAN},
    static const accuracy_row rows[ACCURACY_ROWS] = {PAPER_ACCURACY_LIST(ACCURACY_ROW)};
#undef ACCURACY_ROW
    memcpy(run->rows, rows, sizeof rows);
    for (int k = 0; k < ACCURACY_ROWS && !app_stopped(); k += BOTH) {
        bench_progress("g = %d, %lld matrices", (int)run->rows[k].g, (long long)run->count);
        plumb_status status = run_rows(run, &on, &run->rows[k]);
        if (status != PLUMB_OK)
            return app_fail(whose, "g = %d: %s", (int)run->rows[k].g, plumb_status_text(status));
    }
    int result = APP_OK;
    for (int k = 0; k < ACCURACY_PRECISIONS && result == APP_OK; k++) {
        run->elimination[k] = (accuracy_elimination){.prec = precisions[k], .absent = app_stopped()};
        if (run->elimination[k].absent)
            continue;
        result = accuracy_compare_elimination(context, run->count, run->seed, &run->elimination[k]);
    }
    bench_progress_end();
    run->seconds = (bench_now_ns() - start) * 1e-9;
    return result;
}

static int32_t thread_count(int64_t asked)
{
    return asked > 0 ? (int32_t)asked : team_cores();
}

static int run_accuracy(const void *values)
{
    accuracy_options options = *(const accuracy_options *)values;
    accuracy_run run = {0};
    plumb_context *context = NULL;
    plumb_context_options on;
    int result = bench_options_settle(command, &options.common);
    plumb_context_options_init(&on);
    on.backend = PLUMB_BACKEND_CPU;
    on.threads = 1;
    on.isa = options.common.isa;
    if (result != APP_OK || (result = app_context_create(command, &on, &context)) != APP_OK)
        return result;
    run.commit = options.common.commit;
    run.quick = options.common.quick;
    run.count = options.count > 0 ? options.count : run.quick ? ACCURACY_QUICK_COUNT : ACCURACY_FULL_COUNT;
    run.seed = options.seed;
    run.threads = thread_count(options.threads);
    app_stop_on_signals();
    result = accuracy_measure(command, context, &run);
    if (result == APP_OK)
        result = bench_write(command, &options.common, accuracy_json, accuracy_print, &run);
    plumb_context_destroy(context);
    return result;
}

static const app_option accuracy_table[] = {
    {0, "count", APP_COUNT, offsetof(accuracy_options, count), "N", "number of matrices for each g",
     "1000, with --quick 50", 1, ACCURACY_MOST_COUNT, NULL},
    APP_SEED_OPTION(accuracy_options, seed, "(matrices and systems)"),
    APP_THREADS(accuracy_options, threads),
    BENCH_COMMON_OPTIONS(accuracy_options, "take fewer matrices"),
    APP_OPTIONS_END,
};
static const accuracy_options accuracy_defaults = {.seed = ACCURACY_SEED};

const app_command bench_accuracy_command = {
    .name = "accuracy",
    .summary = "measure the accuracy of QR on random matrices with entries of extreme sizes",
    .arguments = "[OPTIONS]",
    .about =
        "Measures the accuracy of A = QR by modified Gram-Schmidt on random complex 32 x 32 matrices whose "
        "entries have moduli "
        "from 10^-g to 10^g: log10 of the smallest (m_e) and the largest (M_e) error e = max |a_ij - (QR)_ij|, "
        "evaluated in "
        "higher precision, for g = 1, 4, 8, 12, 16 in d and dd and g = 17, 20, 24, 28, 32 in dd and qd, compared with "
        "the numbers of "
        "Verschelde and Yoffe (2013). Then it compares Gaussian elimination with modified Gram-Schmidt in time "
        "and error.",
    .options = accuracy_table,
    .defaults = &accuracy_defaults,
    .size = sizeof accuracy_defaults,
    .run = run_accuracy,
};
