/* walk.h - one thread's part of an enumeration: a stack of cells that are still to be followed, and what was found.
 *
 * A cell is one record of doubles: det (the volume, in its stage), the largest entry of |v|, the number of its stage, a
 * flag that is 1 if its matrix does not fit (det and v are then unused), the matrix v, and the ids of its points: n of
 * the rows, then one base per group. */
#ifndef PLUMB_SOLVER_CELLS_WALK_H
#define PLUMB_SOLVER_CELLS_WALK_H

#include <pthread.h>

#include "solver/cells/plan.h"

/* Cells, one after the other. */
typedef struct cell_stack {
    double *record;
    int64_t count, capacity;
} cell_stack;

/* What the threads of an enumeration share. */
typedef struct walk_pool {
    pthread_mutex_t lock;
    cell_stack cells; /* that any thread may take */
    int32_t threads, idle;
    int32_t stop;    /* 1: end early */
    int64_t waiting; /* cells.count, for a look without the lock */
    int64_t steps, most_steps;
    int64_t work, most_work;  /* operations, about, beyond those that each step is free to take */
    int (*asked)(void *data); /* stop of the options */
    void *data;
    plumb_status status;
} walk_pool;

typedef struct walker {
    _Alignas(128) const walk_plan *plan; /* no thread writes to the cache lines of another one */
    walk_pool *pool;
    cell_stack stack;
    int64_t record;                                                     /* doubles per cell */
    double *cell;                                                       /* the cell that is followed now */
    double *height, *fall, *normal, *slope, *weight, *row, *difference; /* scratch memory: walk.c */
    int32_t *child;                                                     /* ids of a cell, scratch memory of exact.c */
    int32_t *found; /* finished cells, `width` entries each: points in canonical order and the volume in two entries */
    int64_t found_count, found_capacity, width;
    int64_t steps, counted, exact_steps;
    int64_t work, worked; /* operations, and those of them that the pool knows of */
    int64_t rise;         /* stable cells: the artificial origins may stop after they have been raised by this much */
    bool ties;
    plumb_status status;
} walker;

/* The parts of a record. */
enum { CELL_DET, CELL_LARGEST, CELL_STAGE, CELL_EXACT, CELL_MATRIX };
static inline double *cell_matrix(double *cell)
{
    return cell + CELL_MATRIX;
}
static inline int32_t *cell_rows(const walk_plan *plan, double *cell)
{
    return (int32_t *)(void *)(cell + CELL_MATRIX + plan->n * plan->n);
}
static inline int32_t *cell_bases(const walk_plan *plan, double *cell)
{
    return cell_rows(plan, cell) + plan->n;
}

PLUMB_USE_RESULT plumb_status plumb_walker_make(const walk_plan *plan, walk_pool *pool, walker *w);
void plumb_walker_free(walker *w);

/* Puts the start cell on the stack. */
void plumb_walker_start(walker *w);

/* Follows cells until there are none left in any thread, or until this one has made `pause` steps; -1: never. */
void plumb_walker_run(walker *w, int64_t pause);

/* True if this thread alone has made too many operations: the walk will be stopped, whatever the others do. */
static inline bool walker_is_exhausted(const walker *w)
{
    return w->pool->most_work > 0 && w->work > w->pool->most_work;
}

/* Appends a cell to a stack. Returns false if memory is missing. */
bool plumb_stack_push(cell_stack *stack, const double *cell, int64_t record);

/* Stores a finished cell with these ids. */
void plumb_walker_store(walker *w, const int32_t *rows, const int32_t *bases, int64_t volume);

/* ---- exact.c ------------------------------------------------------------------------------------------------------ */

/* Computes det and the matrix of a cell from its points, in the stage that the record names. Sets the flag
 * CELL_EXACT if they do not fit. */
void plumb_exact_load(walker *w, double *cell);

/* Does what a step of walk.c does, with GMP: the cells that follow w->cell go to the stack, a finished one is stored.
 * The cell itself is then done with. */
void plumb_exact_step(walker *w);

#endif
