/* problems.c - makes the systems of plumb-bench lsq, solves them and measures the errors of the solutions.
 *
 * The systems are the square ones of matrix.h, with consecutive seeds in a batch; every solution is all ones. */
#include <stdlib.h>

#include "bench/common/peak.h"
#include "bench/lsq/lsq.h"
#include "bench/lsq/matrix.h"

/* ---- Creation ------------------------------------------------------------------------------------------------ */

static plumb_status fill(bench_lsq_case *c)
{
    int64_t n = c->n, width = (int64_t)c->prec * c->parts;
    size_t of_a = (size_t)(n * n * width), of_b = (size_t)(n * width); /* cannot overflow: the views exist */
    double *numbers = calloc((size_t)c->systems, (of_a + of_b) * sizeof *numbers);
    if (numbers == NULL)
        return PLUMB_ERR_MEMORY;
    double *b = numbers + (size_t)c->systems * of_a;
    for (int64_t s = 0; s < c->systems; s++) {
        double *a = numbers + (size_t)s * of_a;
        bench_lsq_matrix((uint64_t)(BENCH_LSQ_SEED + s), n, n, c->prec, c->parts, a);
        bench_lsq_ones(n, n, c->prec, c->parts, a, b + (size_t)s * of_b);
    }
    plumb_status status = plumb_pack(numbers, &c->a);
    if (status == PLUMB_OK)
        status = plumb_pack(b, &c->b);
    free(numbers);
    return status;
}

plumb_status bench_lsq_case_create(plumb_context *context, bench_lsq_case *c)
{
    const struct {
        plumb_view *view;
        int32_t parts;
        int64_t rows, cols;
    } arrays[] = {{&c->a, c->parts, c->n, c->n},
                  {&c->b, c->parts, c->n, 1},
                  {&c->x, c->parts, c->n, 1},
                  {&c->residual, PLUMB_REAL, 1, 1}};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        plumb_status status = plumb_array_create(context, PLUMB_HOST, c->prec, arrays[k].parts, arrays[k].rows,
                                                 arrays[k].cols, c->systems, arrays[k].view);
        if (status != PLUMB_OK)
            return status;
    }
    c->info = calloc((size_t)c->systems, sizeof *c->info);
    return c->info != NULL ? fill(c) : PLUMB_ERR_MEMORY;
}

void bench_lsq_case_destroy(plumb_context *context, bench_lsq_case *c)
{
    plumb_view *views[] = {&c->a, &c->b, &c->x, &c->residual};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(context, views[k]);
    free(c->info);
    c->info = NULL;
}

/* ---- Solving ------------------------------------------------------------------------------------------------- */

/* System s of a batch as a batch of one. */
static plumb_view one_of(const plumb_view *view, int64_t s)
{
    plumb_view one = *view;
    one.data += s * view->next;
    one.batch = 1;
    return one;
}

plumb_status bench_lsq_solve_one_by_one(plumb_context *context, bench_lsq_case *c)
{
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = c->mode == LSQ_REFINED ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
    for (int64_t s = 0; s < c->systems; s++) {
        plumb_view a = one_of(&c->a, s), b = one_of(&c->b, s), x = one_of(&c->x, s), z = one_of(&c->residual, s);
        plumb_status status = plumb_lsq(context, &a, &b, &x, &z, &c->info[s], &options, NULL);
        if (status != PLUMB_OK)
            return status;
    }
    return PLUMB_OK;
}

plumb_status bench_lsq_solve(plumb_context *context, bench_lsq_case *c)
{
    if (c->mode == LSQ_BATCH)
        return plumb_lsq_batch(context, &c->a, &c->b, &c->x, &c->residual, c->info, NULL);
    return bench_lsq_solve_one_by_one(context, c);
}

/* ---- Errors -------------------------------------------------------------------------------------------------- */

/* The part of entry j of x whose limbs begin at plane first, minus one: the leading limb is near one, so the difference is exact. */
static double part_from(const plumb_view *x, int64_t j, int32_t first, double one)
{
    double sum = 0;
    for (int32_t k = x->prec - 1; k > 0; k--)
        sum += x->data[(first + k) * x->plane + j];
    return (x->data[first * x->plane + j] - one) + sum;
}

double bench_lsq_error(const bench_lsq_case *c)
{
    double largest = 0;
    for (int64_t s = 0; s < c->systems; s++) {
        plumb_view x = one_of(&c->x, s);
        if (c->info[s] != 0)
            return (double)INFINITY;
        for (int64_t j = 0; j < c->n; j++) {
            double re = part_from(&x, j, 0, 1.0);
            double im = c->parts == PLUMB_COMPLEX ? part_from(&x, j, c->prec, 0.0) : 0.0;
            double distance = hypot(re, im);
            if (!(distance <= largest) && !isnan(largest)) /* keeps a NaN */
                largest = distance;
        }
    }
    return largest;
}

double bench_lsq_rival(const bench_lsq_case *c)
{
    if (c->mode == LSQ_BATCH)
        return bench_times_best(&c->one_by_one);
    const bench_lsq_case *with = c->like != NULL ? c->like : c;
    if (c->prec == PLUMB_D)
        return fmin(bench_times_best(&with->solver[SOLVER_LAPACK].times),
                    bench_times_best(&with->solver[SOLVER_OPENBLAS].times));
    return bench_times_best(&with->solver[SOLVER_LIBQD].times);
}

double bench_lsq_peak(const bench_lsq_run *run, const bench_lsq_case *c)
{
    const double n = (double)c->n, steps = n * n * (n + 1.0) / 2.0;
    if (c->mode == LSQ_REFINED || !(run->lane_ops > 0.0))
        return (double)NAN;
    return steps * (double)bench_count_mgs_step(c->prec, c->parts) / (run->lane_ops * bench_times_best(&c->times));
}
