/* mgs_wide.c - modified Gram-Schmidt for large matrices: the order of the steps, and how threads share them.
 *
 * The columns are divided into tiles. A tile takes the steps of all finished tiles before it, in order, then those among its own columns,
 * and is finished itself; right-hand sides have tiles of their own. Every number is computed by the same operations in the same order,
 * whichever thread takes a step: so the bits do not depend on the number of threads.
 *
 * A thread takes one step after the other: of the next tile to be finished, because all others wait for that one; otherwise of its own
 * tiles, which are in a cache of its core; and otherwise of any tile, because cores of a virtual computer may differ in speed by
 * a factor of two. Tiles are dealt forwards and backwards in turn, because later ones have more to do. */
#include "backend/cpu/lsq/mgs_wide.h"

#include <stddef.h>

/* Rows times columns per thread with which waiting for one another takes less time than is saved; unknowns that back substitution finds
 * at a time, and rows that a thread takes then. */
enum { WORTH = 4096, BACK_BLOCK = 64, BACK_ROWS = 4 };

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

/* ---- Threads ------------------------------------------------------------------------------------------------------------- */

/* What job.applied says of a tile: LOADED times one more than the number of finished tiles whose steps it has taken; zero before it is
 * loaded. A thread that works on it has added TAKEN. */
enum { TAKEN = 1, LOADED = 2, NOT_TAKEN = -1 };
static const int64_t done = INT64_MAX - 1;

/* The number of tiles whose steps tile t takes. */
static int64_t steps_of(const wide_run *s, int64_t t)
{
    return t < s->factors ? t : s->factors;
}

/* Returns the state of tile t, and takes it, if there is something to do for it and no other thread does it. */
static int64_t take(const wide_run *s, int64_t t, int64_t ready)
{
    int64_t state = __atomic_load_n(&s->job.applied[t], __ATOMIC_RELAXED);
    const int64_t applied = state / LOADED - 1;
    if ((state & TAKEN) != 0 || state == done || (applied < steps_of(s, t) && applied >= ready))
        return NOT_TAKEN;
    const bool taken = __atomic_compare_exchange_n(&s->job.applied[t], &state, state | TAKEN, false, __ATOMIC_ACQUIRE,
                                                   __ATOMIC_RELAXED);
    return taken ? state : NOT_TAKEN;
}

static void give(const wide_run *s, int64_t t, int64_t state)
{
    __atomic_store_n(&s->job.applied[t], state, __ATOMIC_RELEASE);
}

static bool takes_steps(const wide_run *s, int64_t t, int64_t state)
{
    return state != 0 && state / LOADED - 1 < steps_of(s, t);
}

/* Does what there is to do for a tile in this state, which was taken; steps of a finished tile also for another one (or -1) in the
 * same state. */
static void advance(wide_run *s, int64_t t, int64_t state, int64_t other)
{
    int64_t next = done;
    if (state == 0) {
        s->kernels->load(&s->job, t);
        next = LOADED;
    } else if (takes_steps(s, t, state)) {
        const int64_t tiles[] = {t, other};
        s->kernels->apply(&s->job, state / LOADED - 1, tiles, other < 0 ? 1 : 2);
        next = state + LOADED;
        if (other >= 0)
            give(s, other, next);
    } else if (t < s->factors) {
        finish(s, t);
    } else {
        s->kernels->store(&s->job, t);
    }
    give(s, t, next);
}

/* Works on a tile of this thread, or on two of them that are equally far. */
static bool advance_own(wide_run *s, int64_t ready, int32_t index, int32_t threads)
{
    int64_t first = -1, state = NOT_TAKEN, other = -1, t;
    for (int64_t q = 0; other < 0 && (t = tile_of(q, index, threads)) < s->tiles; q++) {
        const int64_t found = first < 0 || takes_steps(s, first, state) ? take(s, t, ready) : NOT_TAKEN;
        if (found == NOT_TAKEN)
            continue;
        if (first < 0)
            first = t, state = found;
        else if (found == state)
            other = t;
        else
            give(s, t, found);
    }
    if (first >= 0)
        advance(s, first, state, other);
    return first >= 0;
}

/* Works on tile t. */
static bool advance_one(wide_run *s, int64_t t, int64_t ready)
{
    const int64_t state = take(s, t, ready);
    if (state != NOT_TAKEN)
        advance(s, t, state, -1);
    return state != NOT_TAKEN;
}

static bool advance_any(wide_run *s, int64_t ready, int32_t index, int32_t threads)
{
    if ((ready < s->factors && advance_one(s, ready, ready)) || advance_own(s, ready, index, threads))
        return true;
    for (int64_t t = ready; t < s->tiles; t++)
        if (advance_one(s, t, ready))
            return true;
    return false;
}

static void work(void *data, team *t, int32_t index, int32_t threads)
{
    wide_run *s = data;
    for (;;) {
        const uint32_t ready = team_word_value(&s->ready);
        if (__atomic_load_n(&s->dependent, __ATOMIC_RELAXED))
            return;
        if (advance_any(s, ready, index, threads))
            continue;
        if (ready == s->factors) /* other threads have taken what is left */
            return;
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
    for (int64_t k = 0; k < s.tiles; k++)
        s.job.applied[k] = 0;
    if (t && threads > 1)
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
    team_counter next;
} back_run;

/* The last unknowns first, BACK_BLOCK at a time: one thread finds them, and all take their terms away from the rows above. */
static void back(void *data, team *t, int32_t index, int32_t threads)
{
    back_run *s = data;
    for (int64_t last = s->job->rank; last > 0;) {
        const int64_t first = last > BACK_BLOCK ? last - BACK_BLOCK : 0;
        for (int64_t k = last - 2; k >= first && index == 0; k--)
            s->kernels->fold(s->job, k, k + 1, last);
        team_wait(t, threads);
        for (int64_t k; (k = team_take(&s->next, BACK_ROWS)) < first;)
            for (int64_t i = k; i < k + BACK_ROWS && i < first; i++)
                s->kernels->fold(s->job, i, first, last);
        team_wait(t, threads);
        if (index == 0) /* it is used again after the next wait */
            s->next.next = 0;
        last = first;
    }
}

void plumb_cpu_mgs_wide_back(const mgs_wide_kernels *kernels, const mgs_job *job, team *t, int32_t threads)
{
    back_run s = {.kernels = kernels, .job = job};
    team_run(t, threads, back, &s);
}
