/* gpu_floor.c - how many instructions a solve takes, and who beats whom.
 *
 * Counting runs the method on a lane that counts, which is slow: it is done for small n only. The count is a polynomial of degree
 * three in n, so four of them tell all. */
#include "bench/common/peak.h"
#include "bench/lsq/gpu.h"
#include "solver/lsq/work.h"

enum { POINTS = 4 };

static double count_at(plumb_context *context, int32_t prec, int64_t n)
{
    lsq_work work;
    uint64_t state = BENCH_LSQ_SEED;
    int64_t flops = 0, others = 0;
    if (lsq_work_create(context, prec, PLUMB_COMPLEX, n, n, 1, &work) != PLUMB_OK)
        return (double)NAN;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < work.job.all; j++)
            work.job.w[i * work.job.ld + j] = bench_uniform(&state) - 0.5;
    plumb_bench_count_mgs(prec, PLUMB_COMPLEX, &work.job, work.least, &flops, &others);
    lsq_work_destroy(&work);
    return (double)(flops + others);
}

double bench_lsq_gpu_instructions(plumb_context *context, int32_t prec, int64_t n)
{
    static const int64_t at[POINTS] = {4, 8, 12, 16};
    double sum = 0.0;
    for (int k = 0; k < POINTS; k++) {
        double term = count_at(context, prec, at[k]);
        for (int i = 0; i < POINTS; i++)
            if (i != k)
                term *= (double)(n - at[i]) / (double)(at[k] - at[i]);
        sum += term;
    }
    return sum;
}

double bench_lsq_gpu_most_error(int32_t prec, int64_t n)
{
    return 1e5 * (double)n * ldexp(1.0, 3 - 52 * prec); /* condition numbers of the systems stay below 10^5 */
}

static bool is_one_system(const bench_lsq_gpu_case *c)
{
    return !c->absent && (c->mode == GPU_SEQUENCE || c->mode == GPU_LARGE);
}

int64_t bench_lsq_gpu_beats_cusolver(const bench_lsq_gpu_run *run)
{
    int64_t most = 0;
    for (int32_t i = 0; i < run->case_count; i++) {
        const bench_lsq_gpu_case *c = &run->cases[i];
        if (is_one_system(c) && c->prec == PLUMB_QD && c->n > most && c->us < c->cusolver_us)
            most = c->n;
    }
    return most;
}

int64_t bench_lsq_gpu_beats_one_core(const bench_lsq_gpu_run *run)
{
    int64_t most = 0;
    for (int32_t i = 0; i < run->case_count; i++)
        for (int32_t k = 0; k < run->case_count; k++) {
            const bench_lsq_gpu_case *c = &run->cases[i], *other = &run->cases[k];
            if (is_one_system(c) && c->prec == PLUMB_QD && other->mode == c->mode && other->prec == PLUMB_DD &&
                other->n == c->n && c->n > most && c->us < other->cpu1_us)
                most = c->n;
        }
    return most;
}
