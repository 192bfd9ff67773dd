/* mgs_wide.c - modified Gram-Schmidt for large matrices: the order of the steps, and how threads share them.
 *
 * The columns are divided into tiles. A tile takes the steps of all finished tiles before it, in order, then those among its own columns,
 * and is finished itself; right-hand sides have tiles of their own. Every tile belongs to a thread, so that it stays in a cache of its
 * core, and each number is computed by one thread in an order that does not depend on the others: so the bits do not depend on the
 * number of threads.
 *
 * Tiles are dealt forwards and backwards in turn, because later ones have more to do. A thread works on its first unfinished tile
 * whenever there is a finished one to apply, because others wait for it, and otherwise applies one finished tile to several of its
 * own that are equally far: the finished one is read once for them. */
#include "backend/cpu/lsq/mgs_wide.h"

#include <stddef.h>

/* Rows times columns per thread with which waiting for one another takes less time than is saved; and rows of a block of back
 * substitution. */
enum { WORTH = 4096, BACK_BLOCK = 64 };

/* What tiles of one thread alone take of a second-level cache, at most. */
enum { CACHE_BYTES = 1 << 20 };

typedef struct wide_run {
    const mgs_wide_kernels *kernels;
    mgs_job job;
    const double *least;
    int64_t tiles, factors; /* all tiles; those of columns of A */
    bool columns;           /* finished tiles go back to w */
    int64_t dependent;
    team_word ready; /* the number of finished tiles */
} wide_run;

/* Tile number q of a thread. */
static int64_t tile_of(int64_t q, int32_t index, int32_t threads)
{
    return q * threads + (q % 2 == 0 ? index : threads - 1 - index);
}

static void finish(wide_run *s, int64_t t)
{
    const int64_t dependent = s->kernels->finish(&s->job, t, s->least);
    if (dependent)
        __atomic_store_n(&s->dependent, dependent, __ATOMIC_RELAXED);
    team_word_change(&s->ready);
    if (s->columns && !dependent)
        s->kernels->store(&s->job, t);
}

/* Applies finished tile b to tiles that are side by side. */
static void apply_to(const wide_run *s, int64_t b, int64_t first, int64_t end)
{
    int64_t tiles[MGS_WIDE_TILES];
    for (int64_t t = first; t < end; t++)
        tiles[t - first] = t;
    if (first < end)
        s->kernels->apply(&s->job, b, tiles, end - first);
}

/* One thread alone takes some neighbouring tiles through all steps, as many as stay in a second-level cache, and then the next ones. */
static void factor_alone(wide_run *s, int64_t bytes)
{
    const int64_t fit = CACHE_BYTES / bytes, together = fit < 1 ? 1 : fit < MGS_WIDE_TILES ? fit : MGS_WIDE_TILES;
    for (int64_t first = 0; first < s->tiles; first += together) {
        const int64_t end = first + together < s->tiles ? first + together : s->tiles;
        for (int64_t t = first; t < end; t++)
            s->kernels->load(&s->job, t);
        for (int64_t b = 0; b < s->factors && b < end; b++) {
            if (b >= first)
                finish(s, b);
            if (s->dependent)
                return;
            apply_to(s, b, b < first ? first : b + 1, end);
        }
        for (int64_t t = first > s->factors ? first : s->factors; t < end; t++)
            s->kernels->store(&s->job, t);
    }
}

/* The tiles of a thread. The number of finished tiles whose steps a tile has taken is in job.applied, and DONE behind its own. */
typedef struct wide_share {
    wide_run *run;
    int32_t index, threads;
    int64_t first, count; /* the first one that is not done; all of them */
} wide_share;

enum { DONE = INT32_MAX };

/* Applies the next finished tile to tile number q of the thread; if others do not wait for that one, also to those behind it that
 * have taken as many steps. */
static void apply(const wide_share *own, int64_t q)
{
    const wide_run *s = own->run;
    int64_t tiles[MGS_WIDE_TILES], count = 0;
    const int64_t b = s->job.applied[tile_of(q, own->index, own->threads)], most = q == own->first ? 1 : 2;
    for (; q < own->count && count < most; q++) {
        const int64_t t = tile_of(q, own->index, own->threads);
        if (s->job.applied[t] == b)
            tiles[count++] = t;
    }
    s->kernels->apply(&s->job, b, tiles, count);
    for (int64_t i = 0; i < count; i++)
        s->job.applied[tiles[i]] = b + 1;
}

/* Does what there is to do for the first tile for which there is something. False: nothing until another tile is finished. */
static bool advance(wide_share *own, int64_t ready)
{
    wide_run *s = own->run;
    for (int64_t q = own->first; q < own->count; q++) {
        const int64_t t = tile_of(q, own->index, own->threads), steps = t < s->factors ? t : s->factors;
        int64_t *applied = &s->job.applied[t];
        if (*applied < steps && *applied < ready) {
            apply(own, q);
            return true;
        }
        if (*applied != steps)
            continue;
        if (t < s->factors)
            finish(s, t);
        else
            s->kernels->store(&s->job, t);
        *applied = DONE;
        while (own->first < own->count && s->job.applied[tile_of(own->first, own->index, own->threads)] == DONE)
            own->first++;
        return true;
    }
    return false;
}

static void work(void *data, team *t, int32_t index, int32_t threads)
{
    wide_run *s = data;
    wide_share own = {.run = s, .index = index, .threads = threads};
    while (tile_of(own.count, index, threads) < s->tiles)
        own.count++;
    for (int64_t q = 0; q < own.count; q++) {
        const int64_t tile = tile_of(q, index, threads);
        s->kernels->load(&s->job, tile);
        s->job.applied[tile] = 0;
    }
    while (own.first < own.count) {
        const uint32_t ready = team_word_value(&s->ready);
        if (__atomic_load_n(&s->dependent, __ATOMIC_RELAXED))
            return;
        if (!advance(&own, ready))
            team_word_wait(t, &s->ready, ready);
    }
}

int64_t plumb_cpu_mgs_wide_factor(const mgs_wide_kernels *kernels, const mgs_job *job, const double *least, team *t,
                                  int32_t threads, bool columns)
{
    const int64_t width = kernels->columns, most = job->rows * job->all / WORTH;
    wide_run s = {.kernels = kernels, .job = *job, .least = least, .columns = columns};
    s.factors = (job->cols + width - 1) / width;
    s.tiles = s.factors + (job->all - job->cols + width - 1) / width;
    s.job.finished = s.job.tiles;
    if (threads > most)
        threads = (int32_t)most;
    if (threads > s.tiles)
        threads = (int32_t)s.tiles;
    if (threads > 1)
        team_run(t, threads, work, &s);
    else
        factor_alone(&s, kernels->planes * job->rows * width * (int64_t)sizeof(double));
    return s.dependent;
}

void plumb_cpu_mgs_wide_along(const mgs_wide_kernels *kernels, const mgs_job *factored, const mgs_job *job)
{
    const int64_t width = kernels->columns, factors = (job->cols + width - 1) / width;
    wide_run s = {.kernels = kernels, .job = *job};
    s.job.finished = factored->tiles;
    s.job.products = factored->products;
    s.job.inverse = factored->inverse;
    for (int64_t t = factors; (t - factors) * width < job->all - job->cols; t++) {
        kernels->load(&s.job, t);
        for (int64_t b = 0; b < factors; b++)
            apply_to(&s, b, t, t + 1);
        kernels->store(&s.job, t);
    }
}

/* ---- Back substitution -------------------------------------------------------------------------------------------------- */

typedef struct back_run {
    const mgs_wide_kernels *kernels;
    const mgs_job *job;
} back_run;

/* The last unknowns first, BACK_BLOCK at a time: one thread finds them, and all take their terms away from the rows above. */
static void back(void *data, team *t, int32_t index, int32_t threads)
{
    const back_run *s = data;
    for (int64_t last = s->job->rank; last > 0;) {
        const int64_t first = last > BACK_BLOCK ? last - BACK_BLOCK : 0;
        for (int64_t k = last - 2; k >= first && index == 0; k--)
            s->kernels->fold(s->job, k, k + 1, last);
        team_wait(t, threads);
        int64_t end, k = team_share(first, index, threads, &end);
        for (; k < end; k++)
            s->kernels->fold(s->job, k, first, last);
        team_wait(t, threads);
        last = first;
    }
}

void plumb_cpu_mgs_wide_back(const mgs_wide_kernels *kernels, const mgs_job *job, team *t, int32_t threads)
{
    back_run s = {kernels, job};
    team_run(t, threads, back, &s);
}
