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
typedef struct mgs_steps {
    const mgs_kernels *kernels;
    const mgs_job *job;
    int64_t first, last;
    const double *least;
    int64_t dependent;
} mgs_steps;

static void steps_of_thread(void *data, team *t, int32_t index, int32_t threads)
{
    mgs_steps *s = data;
    for (int64_t k = s->first; k < s->last; k++) {
        int64_t end, b = team_share(lanes_of(s->kernels, k, s->job->all), index, threads, &end);
        for (; b < end; b++)
            project_lane(s->kernels, s->job, k, b);
        team_wait(t, threads);
        if (index == 0) {
            keep_square(s->kernels, s->job, k);
            if (is_independent(s->job, k, s->least))
                s->kernels->divide(s->job, k, k + 1);
            else
                s->dependent = k + 1;
        }
        team_wait(t, threads);
        if (s->dependent) /* the same for all: it is written again after the next barrier at the earliest */
            return;
        b = team_share(lanes_of(s->kernels, k + 1, s->job->all), index, threads, &end);
        for (; b < end; b++)
            remove_lane(s->kernels, s->job, k, b);
        team_wait(t, threads);
    }
}

static int64_t steps(const mgs_kernels *kernels, const mgs_job *job, int64_t first, int64_t last, const double *least,
                     team *t, int32_t threads)
{
    /* A step has three barriers; with less work per thread than this they cost more than they save. */
    const int64_t worth = 4096;
    if (threads > 1 && job->rows * job->all / threads >= worth) {
        mgs_steps s = {kernels, job, first, last, least, 0};
        team_run(t, threads, steps_of_thread, &s);
        return s.dependent;
    }
    for (int64_t k = first; k < last; k++) {
        int64_t dependent = step_alone(kernels, job, k, least);
        if (dependent)
            return dependent;
    }
    return 0;
}

int64_t plumb_cpu_mgs_factor(const mgs_kernels *kernels, const mgs_job *job, const double *least, team *t,
                             int32_t threads)
{
    return steps(kernels, job, 0, job->cols, least, t, threads);
}

int64_t plumb_cpu_mgs_step(const mgs_kernels *kernels, const mgs_job *job, int64_t k, const double *least, team *t,
                           int32_t threads)
{
    return steps(kernels, job, k, k + 1, least, t, threads);
}
