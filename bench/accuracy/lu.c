/* lu.c - Gaussian elimination compared with modified Gram-Schmidt: the comparison that the paper makes at n = 32.
 *
 * Random systems with entries on the unit circle. The last limb of an entry is cut to a multiple of a power of two so that
 * the rows of A have exact sums: b = A * ones then holds exactly, and the whole error is due to the solver. */
#include <math.h>
#include <stdlib.h>

#include "app/app.h"
#include "bench/accuracy/accuracy.h"
#include "bench/common/common.h"
#include "bench/lsq/lsq.h"
#include "bench/lsq/matrix.h"

static const char command[] = "bench accuracy";

enum { SAMPLES = 5 };

/* Entries below 1 in modulus, 32 to a row: sums below 2^5, which with this unit fit 53 * limbs bits. */
static void cut(double *a, int64_t entries, int32_t limbs)
{
    double unit = ldexp(1.0, 6 - 53 * limbs);
    for (int64_t k = limbs - 1; k < entries * limbs; k += limbs)
        a[k] = unit * nearbyint(a[k] / unit);
}

static plumb_status make_system(bench_lsq_case *c, uint64_t seed)
{
    enum { MOST = ACCURACY_N * ACCURACY_N * PLUMB_COMPLEX * PLUMB_QD };
    double a[MOST] = {0}, b[ACCURACY_N * PLUMB_COMPLEX * PLUMB_QD] = {0};
    bench_lsq_matrix(seed, c->n, c->n, c->prec, c->parts, a);
    cut(a, c->n * c->n * c->parts, c->prec);
    bench_lsq_ones(c->n, c->n, c->prec, c->parts, a, b);
    plumb_status status = plumb_pack(a, &c->a);
    return status == PLUMB_OK ? plumb_pack(b, &c->b) : status;
}

typedef struct lu_work {
    plumb_context *context;
    bench_lsq_case *c;
    int32_t method;
    plumb_status status;
} lu_work;

static void solve(void *data)
{
    lu_work *w = data;
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = w->method;
    plumb_status status = plumb_lsq(w->context, &w->c->a, &w->c->b, &w->c->x, NULL, w->c->info, &options, NULL);
    if (status != PLUMB_OK)
        w->status = status;
}

/* Adds the error of one system to the average; the status is that of the solve. */
static double error_of(lu_work *w, int64_t count, double *average)
{
    solve(w);
    double error = bench_lsq_error(w->c);
    *average += error / (double)count;
    return error;
}

static plumb_status compare(lu_work *mgs, lu_work *lu, uint64_t seed, accuracy_elimination *e, double *ratios)
{
    for (int64_t i = 0; i < e->count; i++) {
        plumb_status status = make_system(mgs->c, seed + (uint64_t)i);
        if (status != PLUMB_OK)
            return status;
        double of_mgs = error_of(mgs, e->count, &e->mgs_error), of_lu = error_of(lu, e->count, &e->lu_error);
        ratios[i] = of_lu / of_mgs;
        if (mgs->status != PLUMB_OK || lu->status != PLUMB_OK)
            return mgs->status != PLUMB_OK ? mgs->status : lu->status;
    }
    e->median_ratio = bench_median(ratios, e->count);
    bench_times mgs_times = {0}, lu_times = {0};
    for (int k = 0; k < SAMPLES; k++) {
        bench_times_add(&mgs_times, bench_sample(&mgs_times.timer, solve, mgs, 4e6));
        bench_times_add(&lu_times, bench_sample(&lu_times.timer, solve, lu, 4e6));
    }
    e->mgs_us = 1e-3 * bench_times_best(&mgs_times);
    e->lu_us = 1e-3 * bench_times_best(&lu_times);
    return lu->status;
}

int accuracy_compare_elimination(plumb_context *context, int64_t count, uint64_t seed, accuracy_elimination *e)
{
    bench_lsq_case c = {.prec = e->prec, .parts = PLUMB_COMPLEX, .n = ACCURACY_N, .systems = 1};
    double *ratios = malloc((size_t)count * sizeof *ratios); /* at most 10^5 */
    plumb_status status = ratios != NULL ? bench_lsq_case_create(context, &c) : PLUMB_ERR_MEMORY;
    lu_work mgs = {context, &c, PLUMB_METHOD_MGS, PLUMB_OK}, lu = {context, &c, PLUMB_METHOD_LU, PLUMB_OK};
    e->count = count;
    if (status == PLUMB_OK)
        status = compare(&mgs, &lu, seed, e, ratios);
    e->absent = status == PLUMB_ERR_UNSUPPORTED;
    int result = status == PLUMB_OK || e->absent ? APP_OK : app_context_fail(command, context, status);
    bench_lsq_case_destroy(context, &c);
    free(ratios);
    return result;
}
