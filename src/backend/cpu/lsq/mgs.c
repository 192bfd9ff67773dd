/* mgs.c - modified Gram-Schmidt on the CPU: the order of the steps, and the distribution of columns over threads.
 *
 * Small matrices and pivoting take steps over whole rows; other matrices are divided into tiles of columns
 * (method/lsq/mgs_tiles_tmpl.h). In both cases one thread computes a column in a step, in lanes that no other thread
 * writes, so the result does not depend on the number of threads. */
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

/* ---- Tiles -------------------------------------------------------------------------------------------------------- */

/* What tiles of one thread take of a second-level cache, and how many columns they have, at most. */
enum { CACHE_BYTES = 1 << 19, CACHE_COLUMNS = 32 };

/* Tile t belongs to thread t % threads. The thread applies earlier tiles to it as they are finished, then takes the
 * steps among its own columns, and announces that it is finished. A thread always works on the first of its tiles for
 * which there is something to do, because other threads wait for that one. */
typedef struct mgs_tiles {
    const mgs_kernels *kernels;
    mgs_job job; /* with cols = rank: columns behind the rank are treated as right-hand sides */
    const double *least;
    int64_t tiles, factors; /* all tiles; those with columns that are applied to others */
    int64_t empty;          /* places before the first column: see mgs_tiles_tmpl.h */
    bool columns;           /* finished tiles go back to w */
    int64_t dependent;
    team_word ready; /* the number of finished tiles */
} mgs_tiles;

static int64_t tiles_of(const mgs_kernels *kernels, int64_t columns)
{
    return (columns + kernels->tile - 1) / kernels->tile;
}

/* The first column of tile t, if it is applied to others, or the end of such columns. */
static int64_t column_of(const mgs_tiles *s, int64_t t)
{
    const int64_t column = t * s->kernels->tile - s->empty;
    return column < 0 ? 0 : column < s->job.cols ? column : s->job.cols;
}

/* True if tile t goes back to w when it is finished: somebody needs its columns, or it has right-hand sides. */
static bool goes_back(const mgs_tiles *s, int64_t t)
{
    return s->columns || (!s->kernels->block && (t + 1) * s->kernels->tile - s->empty > s->job.cols);
}

/* Works on tile t, applying at most this many tiles; decreases *left if it is complete then. False: there is nothing to do
 * until another tile is finished. */
static bool advance(mgs_tiles *s, int64_t t, int64_t ready, int64_t most, int64_t *left)
{
    const mgs_kernels *kernels = s->kernels;
    int64_t *applied = s->job.applied + t;
    int64_t end = ready < t ? ready : t;
    if (*applied < 0) {
        kernels->load_tile(&s->job, t);
        *applied = 0;
    }
    if (*applied < end) {
        const int64_t first = *applied, last = end - first > most ? first + most : end;
        kernels->apply(&s->job, column_of(s, first), column_of(s, last), t);
        *applied = last;
        if (last < s->factors || t < s->factors)
            return true;
        kernels->store_tile(&s->job, t, 0);
    } else if (t == ready && t < s->factors) {
        const int64_t dependent = kernels->finish(&s->job, t, s->least);
        if (dependent)
            __atomic_store_n(&s->dependent, dependent, __ATOMIC_RELAXED);
        else if (goes_back(s, t))
            kernels->store_tile(&s->job, t, 1);
        team_word_change(&s->ready);
    } else {
        return false;
    }
    *left -= 1;
    return true;
}

/* One thread alone takes some neighbouring tiles at a time, with blocks: as many as stay in a second-level cache together
 * with the columns that are applied to them one tile after the other, so that those are read from a slower one less often.
 * Finished columns have memory of their own, so the next tiles take the place of these. */
static void tiles_alone(mgs_tiles *s)
{
    const mgs_kernels *kernels = s->kernels;
    const int64_t doubles = kernels->planes * s->job.rows * kernels->tile,
                  cache = CACHE_BYTES / (int64_t)sizeof(double);
    const int64_t most = CACHE_COLUMNS / kernels->tile, fit = kernels->block && doubles < cache ? cache / doubles : 1;
    const int64_t together = fit < most ? fit : most;
    for (int64_t first = 0; first < s->tiles; first += together) {
        const int64_t end = first + together < s->tiles ? first + together : s->tiles;
        s->job.first_tile = first;
        for (int64_t t = first; t < end; t++)
            kernels->load_tile(&s->job, t);
        for (int64_t f = 0; f < s->factors && f < end; f++) {
            if (f >= first) {
                s->dependent = kernels->finish(&s->job, f, s->least);
                if (s->dependent)
                    return;
                if (goes_back(s, f))
                    kernels->store_tile(&s->job, f, 1);
            }
            for (int64_t t = f < first ? first : f + 1; t < end; t++)
                kernels->apply(&s->job, column_of(s, f), column_of(s, f + 1), t);
        }
        for (int64_t t = first > s->factors ? first : s->factors; t < end; t++)
            kernels->store_tile(&s->job, t, 0);
    }
}

static void tiles_of_thread(void *data, team *t, int32_t index, int32_t threads)
{
    mgs_tiles *s = data;
    /* An earlier tile may become ready: look again after 16 steps. */
    const int64_t most = 15 / s->kernels->tile + 1;
    if (threads == 1) {
        tiles_alone(s);
        return;
    }
    int64_t first = index, left = (s->tiles - index + threads - 1) / threads;
    while (left > 0) {
        const uint32_t ready = team_word_value(&s->ready);
        if (__atomic_load_n(&s->dependent, __ATOMIC_RELAXED))
            return;
        int64_t tile = first;
        const int64_t before = left;
        while (tile < s->tiles && !advance(s, tile, ready, most, &left))
            tile += threads;
        if (tile >= s->tiles)
            team_word_wait(t, &s->ready, ready);
        else if (left < before && tile == first)
            first += threads;
    }
}

static int64_t factor_tiles(const mgs_kernels *kernels, const mgs_job *job, const double *least, team *t,
                            int32_t threads, bool columns)
{
    /* With fewer rows and columns per thread than this, waiting for one another takes more time than is saved. */
    const int64_t worth = 2048, fit = job->rows * job->all / worth, most = fit > 1 ? fit : 1;
    const int64_t empty = kernels->block ? 0 : mgs_empty(job->all, kernels->tile);
    mgs_tiles s = {.kernels = kernels,
                   .job = *job,
                   .least = least,
                   .columns = columns,
                   .tiles = kernels->block ? tiles_of(kernels, job->rank) + tiles_of(kernels, job->all - job->rank)
                                           : tiles_of(kernels, job->all),
                   .factors = tiles_of(kernels, empty + job->rank),
                   .empty = empty};
    if (job->rank == 0)
        return 0;
    s.job.cols = job->rank;
    for (int64_t k = 0; k < s.tiles; k++)
        job->applied[k] = -1;
    if (threads > most)
        threads = (int32_t)most;
    if (threads > s.tiles)
        threads = (int32_t)s.tiles;
    team_run(t, threads, tiles_of_thread, &s);
    return s.dependent;
}

int64_t plumb_cpu_mgs_factor(const mgs_kernels *kernels, const mgs_job *job, const double *least, team *t,
                             int32_t threads, bool columns)
{
    return job->tiles ? factor_tiles(kernels, job, least, t, threads, columns)
                      : steps(kernels, job, 0, job->rank, least, t, threads);
}

void plumb_cpu_mgs_along(const mgs_kernels *kernels, const mgs_job *factored, const mgs_job *job)
{
    mgs_job beside = *job;
    beside.finished = factored->finished;
    beside.products = factored->products;
    beside.inverse = factored->inverse;
    const int64_t factors = tiles_of(kernels, job->cols), tiles = factors + tiles_of(kernels, job->all - job->cols);
    for (int64_t t = factors; t < tiles; t++) {
        kernels->load_tile(&beside, t);
        kernels->apply(&beside, 0, job->cols, t);
        kernels->store_tile(&beside, t, 0);
    }
}

int64_t plumb_cpu_mgs_step(const mgs_kernels *kernels, const mgs_job *job, int64_t k, const double *least, team *t,
                           int32_t threads)
{
    return steps(kernels, job, k, k + 1, least, t, threads);
}
