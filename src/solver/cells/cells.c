/* cells.c - plumb_cells_enumerate: walks with all threads, again with other liftings if there were ties, and puts the
 * cells in order. See cells.h. */
#include "solver/cells/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/random.h"
#include "solver/cells/walk.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

enum { MOST_LIFTINGS = 32 };

/* The limit of steps is one of operations, too, beyond those that each step is free to take (walk.c): this many per step. */
static const int64_t WORK_PER_STEP = 1024;

/* A cell has a matrix of as many rows as there are unknowns, of which there may be hundreds in memory. */
static const int64_t MOST_UNKNOWNS = 2048;

/* ---- The walk ----------------------------------------------------------------------------------------------------- */

typedef struct shared_walk {
    walk_pool *pool;
    walker *walkers;
} shared_walk;

static void walk_part(void *data, team *t, int32_t index, int32_t threads)
{
    shared_walk *shared = data;
    if (index == 0)
        shared->pool->threads = threads;
    team_wait(t, threads);
    plumb_walker_run(&shared->walkers[index], -1);
}

/* Begins alone, because most enumerations take less time than waking threads does, and goes on with all threads. */
static plumb_status walk(const walk_plan *plan, const cells_options *options, walk_pool *pool, walker *walkers)
{
    enum { ALONE = 2000 }; /* steps: about a millisecond */
    int32_t threads = options->team != NULL ? options->threads : 1;
    plumb_status status = plumb_walker_make(plan, pool, &walkers[0]);
    if (status != PLUMB_OK)
        return status;
    plumb_walker_start(&walkers[0]);
    plumb_walker_run(&walkers[0], threads > 1 ? ALONE : -1);
    if (walkers[0].stack.count == 0 || pool->status != PLUMB_OK || options->team == NULL)
        return pool->status;
    for (int32_t k = 1; status == PLUMB_OK && k < threads; k++)
        status = plumb_walker_make(plan, pool, &walkers[k]);
    if (status == PLUMB_OK)
        status = team_start(options->team, threads, NULL, 0);
    if (status != PLUMB_OK)
        return status;
    shared_walk shared = {.pool = pool, .walkers = walkers};
    pool->idle = 0;
    team_run(*options->team, threads, walk_part, &shared);
    return pool->status;
}

/* ---- The list ----------------------------------------------------------------------------------------------------- */

/* Adds up what the threads found; the points of the cells are put in order. */
static plumb_status gather(const walk_plan *plan, const walker *walkers, int32_t threads, mixed_cells *cells)
{
    int64_t count = 0, width = plan->n + plan->groups, points = plan->supports->first[plan->groups], entries;
    int64_t rise = 1; /* ties of the lifting before the origins rise end at once */
    for (int32_t k = 0; k < threads; k++) {
        count += walkers[k].found_count;
        cells->steps += walkers[k].steps;
        cells->exact_steps += walkers[k].exact_steps;
        rise = walkers[k].rise > rise ? walkers[k].rise : rise;
    }
    if (!size_mul(count + 1, width * (int64_t)sizeof *cells->point, &entries))
        return PLUMB_ERR_SIZE;
    const int32_t **order = malloc((size_t)(count + 1) * sizeof *order);
    cells->point = malloc((size_t)entries);
    cells->volume = malloc((size_t)(count + 1) * sizeof *cells->volume);
    cells->first_root = calloc((size_t)(count + 1), sizeof *cells->first_root);
    cells->lifting = calloc((size_t)(points + 1), sizeof *cells->lifting);
    bool good = order && cells->point && cells->volume && cells->first_root && cells->lifting;
    plumb_status status = good ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        int64_t c = 0;
        for (int32_t k = 0; k < threads; k++)
            for (int64_t i = 0; i < walkers[k].found_count; i++)
                order[c++] = walkers[k].found + i * walkers[k].width;
        plumb_points_sort(order, count, width);
        for (c = 0; c < count; c++) {
            memcpy(cells->point + c * width, order[c], (size_t)width * sizeof *cells->point);
            memcpy(&cells->volume[c], order[c] + width, sizeof *cells->volume);
            if (!size_add(cells->mixed_volume, cells->volume[c], &cells->mixed_volume))
                status = PLUMB_ERR_SIZE;
            cells->first_root[c + 1] = cells->mixed_volume;
        }
        for (int64_t id = 0; !plan->empty && id < plan->ids; id++)
            if (!plan_is_placeholder(plan, (int32_t)id)) {
                int32_t p = plan->id_point[id];
                cells->lifting[p] = plan->lift[id] + (plan->stable && plan->supports->added[p] ? rise : 0);
            }
        cells->count = count;
        cells->width = width;
    }
    free((void *)order);
    return status;
}

/* Walks once. *ties is set if another lifting is needed. */
static plumb_status enumerate(const walk_plan *plan, const cells_options *options, mixed_cells *cells, bool *ties)
{
    *ties = false;
    if (plan->empty)
        return gather(plan, NULL, 0, cells);
    int32_t threads = options->threads;
    walk_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                      .threads = 1,
                      .most_steps = options->most_steps,
                      .most_work =
                          options->most_steps < INT64_MAX / WORK_PER_STEP ? WORK_PER_STEP * options->most_steps : 0,
                      .asked = options->stop,
                      .data = options->data};
    walker *walkers = aligned_alloc(_Alignof(walker), (size_t)threads * sizeof *walkers);
    if (walkers != NULL)
        memset(walkers, 0, (size_t)threads * sizeof *walkers);
    plumb_status status = walkers != NULL ? walk(plan, options, &pool, walkers) : PLUMB_ERR_MEMORY;
    for (int32_t k = 0; status == PLUMB_OK && k < threads; k++)
        *ties = *ties || walkers[k].ties;
    if (status == PLUMB_OK && !*ties)
        status = gather(plan, walkers, threads, cells);
    for (int32_t k = 0; walkers != NULL && k < threads; k++)
        plumb_walker_free(&walkers[k]);
    free(walkers);
    free(pool.cells.record);
    pthread_mutex_destroy(&pool.lock);
    return status;
}

plumb_status plumb_cells_enumerate(const cell_supports *supports, const cells_options *options, mixed_cells **cells)
{
    *cells = NULL;
    if (supports->unknowns > MOST_UNKNOWNS)
        return SAY(PLUMB_ERR_SIZE, "mixed cells: there are more than %lld unknowns", (long long)MOST_UNKNOWNS);
    mixed_cells *made = calloc(1, sizeof *made);
    if (made == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_random seeds = plumb_random_start(options->seed);
    plumb_status status = PLUMB_OK;
    bool ties = true;
    int32_t bits = options->lifting_bits > 0 ? options->lifting_bits : CELLS_LIFTING_BITS;
    while (status == PLUMB_OK && ties && made->liftings < MOST_LIFTINGS) {
        walk_plan plan;
        made->liftings++;
        status = plumb_plan_make(supports, options, plumb_random_next(&seeds), bits, &plan);
        if (status == PLUMB_OK)
            status = enumerate(&plan, options, made, &ties);
        plumb_plan_free(&plan);
        bits = bits + 4 < CELLS_MOST_LIFTING_BITS ? bits + 4 : CELLS_MOST_LIFTING_BITS;
    }
    if (status == PLUMB_OK && ties)
        status = SAY(PLUMB_ERR_RANGE, "mixed cells: %d liftings had ties", (int)MOST_LIFTINGS);
    else if (status == PLUMB_ERR_STOPPED)
        status = SAY(status, "mixed cells: the enumeration takes more than %lld steps, or too many operations for them",
                     (long long)options->most_steps);
    else if (status == PLUMB_ERR_SIZE)
        status = SAY(status, "mixed cells: the mixed volume or the liftings are beyond 2^63 - 1");
    if (status == PLUMB_OK)
        *cells = made;
    else
        plumb_cells_destroy(made);
    return status;
}
