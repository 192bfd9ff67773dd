/* mgs.c - modified Gram-Schmidt on the CPU: the order of the steps, and the distribution of columns over threads.
 *
 * Every column is computed by one thread from start to end of a step, in lanes that no other thread writes, so the
 * result does not depend on the number of threads. */
#include "backend/cpu/lsq/mgs.h"

/* Columns first .. last-1 as whole lanes; lane number b of them. */
static int64_t lanes_of(const mgs_kernels *kernels, int64_t first, int64_t last)
{
    return (last - first + kernels->width - 1) / kernels->width;
}

static void project_lane(const mgs_kernels *kernels, const mgs_job *job, int64_t k, int64_t b)
{
    int64_t first = k + b * kernels->width;
    kernels->project(job, k, first, first + kernels->width);
}

static void remove_lane(const mgs_kernels *kernels, const mgs_job *job, int64_t k, int64_t b)
{
    int64_t first = k + 1 + b * kernels->width;
    kernels->remove(job, k, first, first + kernels->width);
}

/* s_k is the real part of c_kk. */
static void keep_square(const mgs_kernels *kernels, const mgs_job *job, int64_t k)
{
    for (int32_t limb = 0; limb < kernels->limbs; limb++)
        job->s[limb * job->s_plane + k] = job->c[limb * job->c_plane + k * job->ld + k];
}

/* Compares the leading limb of s_k with the limit for dependent columns; false for a NaN, too. */
static int is_independent(const mgs_job *job, int64_t k, const double *least)
{
    return job->s[k] > least[k];
}

static int64_t step_alone(const mgs_kernels *kernels, const mgs_job *job, int64_t k, const double *least)
{
    kernels->project(job, k, k, job->all);
    keep_square(kernels, job, k);
    if (!is_independent(job, k, least))
        return k + 1;
    kernels->divide(job, k, k + 1);
    kernels->remove(job, k, k + 1, job->all);
    return 0;
}

/* Steps first .. last-1, the columns of each shared among threads. */
static int64_t steps_together(const mgs_kernels *kernels, const mgs_job *job, int64_t first, int64_t last,
                              const double *least, int32_t threads)
{
    int64_t dependent = 0;
    (void)threads; /* not used without OpenMP */
#pragma omp parallel num_threads(threads)
    for (int64_t k = first; k < last; k++) {
        int64_t lanes = lanes_of(kernels, k, job->all);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < lanes; b++)
            project_lane(kernels, job, k, b);
#pragma omp single
        {
            keep_square(kernels, job, k);
            if (is_independent(job, k, least))
                kernels->divide(job, k, k + 1);
            else
                dependent = k + 1;
        }
        if (dependent) /* the same for all: single ends with a barrier, and it is written after the next one */
            break;
        lanes = lanes_of(kernels, k + 1, job->all);
#pragma omp for schedule(static)
        for (int64_t b = 0; b < lanes; b++)
            remove_lane(kernels, job, k, b);
    }
    return dependent;
}

static int64_t steps(const mgs_kernels *kernels, const mgs_job *job, int64_t first, int64_t last, const double *least,
                     int32_t threads)
{
    /* A step has two barriers; with less work per thread than this they cost more than they save. */
    const int64_t worth = 4096;
    if (threads > 1 && job->rows * job->all / threads >= worth)
        return steps_together(kernels, job, first, last, least, threads);
    for (int64_t k = first; k < last; k++) {
        int64_t dependent = step_alone(kernels, job, k, least);
        if (dependent)
            return dependent;
    }
    return 0;
}

int64_t plumb_cpu_mgs_factor(const mgs_kernels *kernels, const mgs_job *job, const double *least, int32_t threads)
{
    return steps(kernels, job, 0, job->cols, least, threads);
}

int64_t plumb_cpu_mgs_step(const mgs_kernels *kernels, const mgs_job *job, int64_t k, const double *least,
                           int32_t threads)
{
    return steps(kernels, job, k, k + 1, least, threads);
}
