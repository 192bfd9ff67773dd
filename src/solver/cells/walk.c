/* walk.c - follows mixed cells through the stages, in doubles that hold integers; see cells.h for the method.
 *
 * A step computes for every point q of the stage its height h_q over the lower facet of the cell, times det, and how
 * fast it falls, both of which are affine functions of the exponents. fall_q is an exact integer. h_q has a rounding
 * error of at most the bound of height_error. The next wall is that of the point with the least h_q / fall_q among those
 * that fall; a cell is left to exact.c if a second point could have the least one. The matrix after a pivot has
 * entries (v piv - f v_z) / det, which are integers; a pivot is made only if all products are below 2^53. */
#include "solver/cells/walk.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"

static const double most_integer = 0x1p53;

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

bool plumb_stack_push(cell_stack *stack, const double *cell, int64_t record)
{
    if (stack->count == stack->capacity) {
        int64_t capacity = stack->capacity > 0 ? 2 * stack->capacity : 4, bytes;
        if (!size_mul(capacity, record * (int64_t)sizeof(double), &bytes))
            return false;
        double *grown = realloc(stack->record, (size_t)bytes);
        if (grown == NULL)
            return false;
        stack->record = grown;
        stack->capacity = capacity;
    }
    memcpy(stack->record + stack->count++ * record, cell, (size_t)record * sizeof *cell);
    return true;
}

plumb_status plumb_walker_make(const walk_plan *plan, walk_pool *pool, walker *w)
{
    int64_t n = plan->n, square;
    *w = (walker){.plan = plan, .pool = pool, .width = n + plan->groups + 2};
    if (!size_mul(n, n, &square) || square > INT64_MAX / 64)
        return PLUMB_ERR_SIZE;
    w->record = CELL_MATRIX + square + (n + plan->groups + 1) / 2;
    w->cell = calloc((size_t)w->record, sizeof *w->cell);
    w->height = calloc((size_t)(2 * plan->places + 5 * n + 2), sizeof *w->height);
    w->child = calloc((size_t)(n + plan->groups), sizeof *w->child);
    if (w->cell == NULL || w->height == NULL || w->child == NULL)
        return PLUMB_ERR_MEMORY;
    w->fall = w->height + plan->places;
    w->normal = w->fall + plan->places;
    w->slope = w->normal + n + 1;
    w->weight = w->slope + n + 1;
    w->row = w->weight + n;
    w->difference = w->row + n;
    return PLUMB_OK;
}

void plumb_walker_free(walker *w)
{
    free(w->stack.record);
    free(w->cell);
    free(w->height);
    free(w->child);
    free(w->found);
}

static int compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void plumb_walker_store(walker *w, const int32_t *rows, const int32_t *bases, int64_t volume)
{
    const walk_plan *plan = w->plan;
    if (w->found_count == w->found_capacity) {
        int64_t capacity = w->found_capacity > 0 ? 2 * w->found_capacity : 64, bytes;
        int32_t *grown = NULL;
        if (size_mul(capacity, w->width * (int64_t)sizeof *grown, &bytes))
            grown = realloc(w->found, (size_t)bytes);
        if (grown == NULL) {
            w->status = PLUMB_ERR_MEMORY;
            return;
        }
        w->found = grown;
        w->found_capacity = capacity;
    }
    int32_t *point = w->found + w->found_count++ * w->width;
    for (int64_t g = 0; g < plan->groups; g++) {
        int32_t first = plan->first_row[g], count = plan->first_row[g + 1] - first;
        point[0] = plan->id_point[bases[g]];
        for (int32_t k = 0; k < count; k++)
            point[k + 1] = plan->id_point[rows[first + k]];
        qsort(point, (size_t)count + 1, sizeof *point, compare_ids);
        point += count + 1;
    }
    memcpy(point, &volume, sizeof volume);
}

/* ---- Stages ------------------------------------------------------------------------------------------------------- */

/* Multiplies the matrix as the placeholder of the group of the stage is scaled: det by d^k for a group of k equations,
 * the rows of the group by d^(k-1) and the others by d^k. */
static void scale_placeholder(walker *w, double *cell)
{
    const walk_plan *plan = w->plan;
    const plan_stage *stage = &plan->stages[(int64_t)cell[CELL_STAGE]];
    if (stage->group < 0 || cell[CELL_EXACT] != 0) {
        if (cell[CELL_EXACT] != 0)
            plumb_exact_load(w, cell);
        return;
    }
    int64_t n = plan->n;
    int32_t first = plan->first_row[stage->group], end = plan->first_row[stage->group + 1];
    double inside = 1.0, degree = (double)stage->scale, *v = cell_matrix(cell);
    for (int32_t k = first + 1; k < end && inside < most_integer; k++)
        inside *= degree;
    double outside = inside * degree;
    if (!(outside * fmax(cell[CELL_LARGEST], cell[CELL_DET]) < most_integer)) {
        plumb_exact_load(w, cell);
        return;
    }
    for (int64_t z = 0; z < n; z++)
        for (int64_t i = 0; i < n; i++)
            v[z * n + i] *= z >= first && z < end ? inside : outside;
    cell[CELL_DET] *= outside;
    cell[CELL_LARGEST] *= outside; /* a bound is enough */
}

/* True if the group that the stage brings in has no point of its placeholder left in the cell. */
static bool is_brought_in(const walk_plan *plan, double *cell, int32_t g)
{
    if (plan_is_placeholder(plan, cell_bases(plan, cell)[g]))
        return false;
    const int32_t *rows = cell_rows(plan, cell);
    for (int32_t z = plan->first_row[g]; z < plan->first_row[g + 1]; z++)
        if (plan_is_placeholder(plan, rows[z]))
            return false;
    return true;
}

void plumb_walker_start(walker *w)
{
    const walk_plan *plan = w->plan;
    double *cell = w->cell;
    memset(cell, 0, (size_t)w->record * sizeof *cell);
    cell[CELL_DET] = cell[CELL_LARGEST] = 1.0;
    for (int64_t z = 0; z < plan->n; z++) {
        cell_matrix(cell)[z * plan->n + plan->start_axis[z]] = 1.0;
        cell_rows(plan, cell)[z] = plan->start_row[z];
    }
    memcpy(cell_bases(plan, cell), plan->first_id, (size_t)plan->groups * sizeof *plan->first_id);
    scale_placeholder(w, cell);
    if (!plumb_stack_push(&w->stack, cell, w->record))
        w->status = PLUMB_ERR_MEMORY;
}

/* ---- Heights ------------------------------------------------------------------------------------------------------ */

/* Bounds the error of heights, and of the products they are compared in. Let m = det highest + norm n highest largest,
 * which bounds the terms of a height. The normal has n roundings, an evaluation n + 2, a height is the difference of two
 * of them, and a comparison adds two: at most 8 (n + 4) 2^-53 m. */
static double height_error(const walk_plan *plan, const plan_stage *stage, const double *cell)
{
    double n = (double)plan->n;
    return 0x1p-50 * (n + 4) * stage->highest * (cell[CELL_DET] + stage->norm * n * cell[CELL_LARGEST]);
}

/* Two doubles: the widest vector that every machine has without being asked. */
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

static inline pair load_pair(const double *from)
{
    return *(const pair *)(const void *)from;
}

/* to = constant det - gradient . a for the points of one block. */
static inline void evaluate_block(const double *a, const double *gradient, int64_t n, const double *constant,
                                  double det, double *to)
{
    pair s0 = load_pair(constant) * det, s1 = load_pair(constant + 2) * det;
    pair s2 = load_pair(constant + 4) * det, s3 = load_pair(constant + 6) * det;
    for (int64_t i = 0; i < n; i++, a += PLAN_BLOCK) {
        s0 -= load_pair(a) * gradient[i];
        s1 -= load_pair(a + 2) * gradient[i];
        s2 -= load_pair(a + 4) * gradient[i];
        s3 -= load_pair(a + 6) * gradient[i];
    }
    *(pair *)(void *)to = s0;
    *(pair *)(void *)(to + 2) = s1;
    *(pair *)(void *)(to + 4) = s2;
    *(pair *)(void *)(to + 6) = s3;
}

/* The lifting of the point at place q. */
static double get_lift(const walk_plan *plan, const plan_stage *stage, int64_t q)
{
    return plan->height[q] * plan_scale(stage, q);
}

/* Makes heights and falls of the points of a group from the values of the affine functions there and at the base. */
static void subtract_base(walker *w, int64_t first, int64_t end, double height, double fall)
{
    for (int64_t q = first; q < end; q++) {
        w->height[q] -= height;
        w->fall[q] = fall - w->fall[q];
    }
}

/* Computes the two affine functions whose differences are heights and falls: det lift_q - normal . a_q and det speed_q
 * - slope . a_q. */
static void evaluate(walker *w, const plan_stage *stage)
{
    const walk_plan *plan = w->plan;
    int64_t n = plan->n;
    const double *v = cell_matrix(w->cell);
    const int32_t *rows = cell_rows(plan, w->cell), *bases = cell_bases(plan, w->cell);
    for (int64_t i = 0; i <= n; i++) /* entry n is for the origin of placeholders and stays 0 */
        w->normal[i] = w->slope[i] = 0.0;
    for (int64_t z = 0; z < n; z++) {
        int64_t q = plan->id_place[rows[z]], b = plan->id_place[bases[plan->row_group[z]]];
        double lift = get_lift(plan, stage, q) - get_lift(plan, stage, b);
        double speed = plan_speed(plan, stage, q) - plan_speed(plan, stage, b);
        for (int64_t i = 0; i < n; i++)
            w->normal[i] += lift * v[z * n + i];
        if (speed != 0.0)
            for (int64_t i = 0; i < n; i++)
                w->slope[i] += speed * v[z * n + i];
    }
    double det = w->cell[CELL_DET], scale = (double)stage->scale;
    for (int64_t q = 0; q < stage->supports_end; q += PLAN_BLOCK) {
        evaluate_block(plan->a + q * n, w->normal, n, plan->height + q, det, w->height + q);
        evaluate_block(plan->a + q * n, w->slope, n, plan->raised + q, stage->group < 0 ? det : 0.0, w->fall + q);
    }
    for (int64_t q = stage->current; q < stage->later; q++) {
        w->height[q] = scale * (det * plan->height[q] - w->normal[plan->axis[q]]);
        w->fall[q] = det - scale * w->slope[plan->axis[q]];
    }
    for (int64_t q = stage->later; q < stage->end; q++) {
        w->height[q] = det * plan->height[q] - w->normal[plan->axis[q]];
        w->fall[q] = -w->slope[plan->axis[q]];
    }
    for (int64_t k = 0; k < plan->groups; k++) {
        int32_t g = plan->order[k];
        int64_t base = plan->id_place[bases[g]];
        double height = w->height[base], fall = w->fall[base];
        if (plan->support_end[g] <= stage->supports_end)
            subtract_base(w, plan->support_at[g], plan->support_end[g], height, fall);
        if (plan->placeholder_at[g] >= stage->current)
            subtract_base(w, plan->placeholder_at[g], plan->placeholder_at[g] + plan->placeholder[g], height, fall);
    }
    /* The rest of the first and of the last blocks has no points of this stage. */
    for (int64_t q = stage->supports_end; q % PLAN_BLOCK != 0; q++)
        w->fall[q] = -1.0;
    for (int64_t q = stage->current; q % PLAN_BLOCK != 0; q--)
        w->fall[q - 1] = -1.0;
    for (int64_t q = stage->end; q % PLAN_BLOCK != 0; q++)
        w->fall[q] = -1.0;
}

/* The first place of the block behind this one that has points of the stage; at most stage->end. */
static int64_t next_block(const plan_stage *stage, int64_t q)
{
    q += PLAN_BLOCK;
    int64_t current = stage->current / PLAN_BLOCK * PLAN_BLOCK;
    return q >= stage->supports_end && q < current ? current : q;
}

/* 1 if the wall of point q could be before the one at height / fall. */
static inline int64_t is_close(const walker *w, int64_t q, double height, double fall, double error)
{
    return (w->fall[q] > 0.0) & (w->height[q] * fall <= height * w->fall[q] + error * (fall + w->fall[q]));
}

/* Returns the point that reaches the facet first; -1 if there is none, -2 if rounding errors hide it. */
static int64_t next_point(const walker *w, const plan_stage *stage, double error)
{
    int64_t best = -1;
    double height = INFINITY, fall = 1.0;
    for (int64_t first = 0; first < stage->end; first = next_block(stage, first)) {
        /* Most blocks have no better point: one branch for all of them, and no chain of selections. */
        int32_t better = 0;
        for (int64_t q = first; q < first + PLAN_BLOCK; q++)
            better |= (w->fall[q] > 0.0) & (w->height[q] * fall < height * w->fall[q]);
        for (int64_t q = first; better && q < first + PLAN_BLOCK; q++)
            if (w->fall[q] > 0.0 && w->height[q] * fall < height * w->fall[q]) {
                best = q;
                height = w->height[q];
                fall = w->fall[q];
            }
    }
    if (best < 0)
        return -1;
    int64_t close = 0;
    for (int64_t q = 0; q < stage->supports_end; q++)
        close += is_close(w, q, height, fall, error);
    for (int64_t q = stage->current; q < stage->end; q++)
        close += is_close(w, q, height, fall, error);
    return close == 1 ? best : -2;
}

/* ---- The last stage ----------------------------------------------------------------------------------------------- */

/* Notes when the last event of a cell is, exactly: its height over its fall, rounded up to the next integer. */
static void note_rise(walker *w, const plan_stage *stage, int64_t q, const double *coefficient)
{
    const walk_plan *plan = w->plan;
    const int32_t *rows = cell_rows(plan, w->cell), *bases = cell_bases(plan, w->cell);
    double base = get_lift(plan, stage, plan->id_place[bases[plan->id_group[plan->place_id[q]]]]);
    __int128 height = (__int128)w->cell[CELL_DET] * (__int128)(get_lift(plan, stage, q) - base);
    for (int64_t z = 0; z < plan->n; z++) {
        base = get_lift(plan, stage, plan->id_place[bases[plan->row_group[z]]]);
        height -= (__int128)coefficient[z] * (__int128)(get_lift(plan, stage, plan->id_place[rows[z]]) - base);
    }
    __int128 rise = height / (__int128)w->fall[q] + 1;
    if (rise > INT64_MAX / 4)
        w->status = PLUMB_ERR_SIZE;
    else if (rise > w->rise)
        w->rise = (int64_t)rise;
}

/* Stores a cell that no point reaches any more. Returns false if rounding errors hide whether there is a point too
 * many on its facet. */
static bool finish(walker *w, const plan_stage *stage, double error)
{
    const walk_plan *plan = w->plan;
    const int32_t *rows = cell_rows(plan, w->cell), *bases = cell_bases(plan, w->cell);
    for (int64_t z = 0; z < plan->n; z++)
        w->height[plan->id_place[rows[z]]] = INFINITY;
    for (int64_t g = 0; g < plan->groups; g++)
        w->height[plan->id_place[bases[g]]] = INFINITY;
    for (int64_t q = 0; q < stage->supports_end; q++)
        if (w->fall[q] == 0.0 && !(w->height[q] > error))
            return false;
    bool stable = true; /* the normal is -(normal + t slope) / det */
    for (int64_t i = 0; plan->stable && i < plan->n; i++)
        stable = stable && w->slope[i] <= 0.0;
    if (stable)
        plumb_walker_store(w, rows, bases, (int64_t)w->cell[CELL_DET]);
    return true;
}

/* ---- Steps -------------------------------------------------------------------------------------------------------- */

/* Exchanges the point of row z, or the base of group g if z is -1, for the point `id`, whose coefficients are f and,
 * for the base, f_base. Returns false if products could be 2^53 or more; the cell is then not changed. */
static bool pivot(const walk_plan *plan, double *cell, int32_t id, int32_t g, int64_t z, double *f, double f_base)
{
    int64_t n = plan->n;
    double *v = cell_matrix(cell), det = cell[CELL_DET], largest = cell[CELL_LARGEST], most = fabs(f_base);
    for (int64_t y = 0; y < n; y++)
        most = fmax(most, fabs(f[y]));
    /* A row for the base is the negative sum of the rows of its group. */
    double size = z < 0 ? (double)(plan->first_row[g + 1] - plan->first_row[g]) : 1.0;
    if (!(2.0 * most * largest * size < most_integer))
        return false;
    int32_t *rows = cell_rows(plan, cell), *bases = cell_bases(plan, cell);
    if (z < 0) { /* the point of the first row becomes the base */
        z = plan->first_row[g];
        for (int64_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int64_t y = z; y < plan->first_row[g + 1]; y++)
                sum -= v[y * n + i];
            v[z * n + i] = sum;
        }
        f[z] = f_base;
        bases[g] = rows[z];
    }
    double p = f[z];
    const double *from = v + z * n;
    for (int64_t y = 0; y < n; y++) {
        double c = f[y], *to = v + y * n;
        if (y == z || (c == 0.0 && p == det))
            continue;
        if (det == 1.0)
            for (int64_t i = 0; i < n; i++)
                to[i] = to[i] * p - c * from[i];
        else
            for (int64_t i = 0; i < n; i++)
                to[i] = (to[i] * p - c * from[i]) / det; /* exact: the quotient is an integer */
    }
    largest = 0.0;
    for (int64_t i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(v[i]));
    rows[z] = id;
    cell[CELL_DET] = p;
    cell[CELL_LARGEST] = largest;
    return true;
}

/* The cells behind the wall of point q: one for each point of its group with a positive coefficient, which it replaces. The
 * first one becomes the cell that is followed now, the others go to the stack. Returns 1 if there are any, 0 if
 * another neighbour of the wall continues, and -1 if the integers are too large. */
static int cross(walker *w, const plan_stage *stage, int64_t q)
{
    const walk_plan *plan = w->plan;
    int64_t n = plan->n;
    int32_t id = plan->place_id[q], g = plan->id_group[id], first = plan->first_row[g], end = plan->first_row[g + 1];
    const int32_t *rows = cell_rows(plan, w->cell), *bases = cell_bases(plan, w->cell);
    const double *v = cell_matrix(w->cell);
    int64_t base = plan->id_place[bases[g]];
    for (int64_t i = 0; i < n; i++)
        w->difference[i] = plan_entry(plan, stage, q, i) - plan_entry(plan, stage, base, i);
    double f_base = w->cell[CELL_DET];
    bool mine = true;
    for (int64_t z = 0; z < n; z++) {
        double sum = 0.0;
        for (int64_t i = 0; i < n; i++)
            sum += v[z * n + i] * w->difference[i];
        w->weight[z] = sum;
        if (z >= first && z < end) {
            f_base -= sum;
            mine = mine && (sum >= 0.0 || rows[z] > id);
        }
    }
    mine = mine && (f_base >= 0.0 || bases[g] > id);
    if (stage->group < 0)
        note_rise(w, stage, q, w->weight);
    if (!mine)
        return 0;
    /* All but the last of the cells behind the wall are made on the stack, the last one in place. */
    int64_t last = -1;
    for (int64_t z = first; z < end; z++)
        last = w->weight[z] > 0.0 ? z : last;
    int64_t pushed = w->stack.count;
    for (int64_t z = -1; z < end; z = z < 0 ? first : z + 1) {
        if ((z < 0 ? f_base : w->weight[z]) <= 0.0)
            continue;
        double *to = w->cell;
        if (z != last) {
            if (!plumb_stack_push(&w->stack, w->cell, w->record)) {
                w->status = PLUMB_ERR_MEMORY;
                return 0;
            }
            to = w->stack.record + (w->stack.count - 1) * w->record;
        }
        memcpy(w->row, w->weight, (size_t)n * sizeof *w->row);
        if (!pivot(plan, to, id, g, z, w->row, f_base)) {
            w->stack.count = pushed;
            return -1;
        }
    }
    return 1;
}

/* Operations of a step that do not count: as many as systems with some 20 unknowns take, for which steps alone are limited. Those with a
 * thousand unknowns take a thousand times as many. */
static const int64_t FREE_WORK = 16384;

/* Makes one step with the cell that is followed now. Returns false if it has ended. */
static bool step(walker *w)
{
    const walk_plan *plan = w->plan;
    double *cell = w->cell;
    while (cell[CELL_STAGE] < (double)plan->groups &&
           is_brought_in(plan, cell, plan->stages[(int64_t)cell[CELL_STAGE]].group)) {
        cell[CELL_STAGE] += 1.0;
        scale_placeholder(w, cell);
    }
    const plan_stage *stage = &plan->stages[(int64_t)cell[CELL_STAGE]];
    w->steps++;
    const int64_t work = plan->n * (stage->end + 12 * plan->n); /* heights; normal, pivot, copy of the matrix */
    w->work += work > FREE_WORK ? work - FREE_WORK : 0;
    double range = 2.0 * ((double)plan->n + 1.0) * (cell[CELL_DET] + stage->norm * cell[CELL_LARGEST]);
    if (cell[CELL_EXACT] == 0 && stage->narrow && range < most_integer) {
        double error = height_error(plan, stage, cell);
        evaluate(w, stage);
        int64_t q = next_point(w, stage, error);
        int crossed = q >= 0 ? cross(w, stage, q) : -1;
        if (crossed >= 0)
            return crossed == 1;
        if (q == -1 && (stage->group >= 0 || finish(w, stage, error)))
            return false;
    }
    w->exact_steps++;
    plumb_exact_step(w);
    return false;
}

/* ---- Threads ------------------------------------------------------------------------------------------------------ */

/* The members of the pool that are read without a lock. They only tell where to look again, with the lock. */
static int32_t get_int32(const int32_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static int64_t get_int64(const int64_t *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}

static void put_int32(int32_t *to, int32_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

static void put_int64(int64_t *to, int64_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

enum { REPORT = 1024 };                              /* steps between two looks at the others, */
static const int64_t REPORT_WORK = (int64_t)1 << 28; /* or operations */

/* Adds the steps of this thread to those of all, and informs the others of a failure. */
static void report(walker *w)
{
    walk_pool *pool = w->pool;
    const int64_t steps = w->steps - w->counted, work = w->work - w->worked;
    pthread_mutex_lock(&pool->lock);
    pool->steps += steps;
    pool->work += work;
    w->counted = w->steps;
    w->worked = w->work;
    if (pool->status == PLUMB_OK)
        pool->status = w->status;
    if (pool->status == PLUMB_OK && pool->most_steps > 0 && pool->steps > pool->most_steps)
        pool->status = PLUMB_ERR_STOPPED;
    if (pool->status == PLUMB_OK && pool->most_work > 0 && pool->work > pool->most_work)
        pool->status = PLUMB_ERR_STOPPED;
    if (pool->status == PLUMB_OK && pool->asked && (steps >= REPORT || work >= REPORT_WORK) && pool->asked(pool->data))
        pool->status = PLUMB_ERR_STOPPED;
    put_int32(&pool->stop, pool->status != PLUMB_OK);
    pthread_mutex_unlock(&pool->lock);
}

/* Gives the cell at the bottom of the stack, which has the longest way before it, to a thread that has none. */
static void share(walker *w)
{
    walk_pool *pool = w->pool;
    if (get_int32(&pool->idle) <= get_int64(&pool->waiting) || w->stack.count < 2)
        return;
    pthread_mutex_lock(&pool->lock);
    if (!plumb_stack_push(&pool->cells, w->stack.record, w->record))
        w->status = PLUMB_ERR_MEMORY;
    put_int64(&pool->waiting, pool->cells.count);
    pthread_mutex_unlock(&pool->lock);
    w->stack.count--;
    memmove(w->stack.record, w->stack.record + w->record,
            (size_t)(w->stack.count * w->record) * sizeof *w->stack.record);
}

/* Takes the next cell, from the own stack or from the pool. Returns false when all threads have none. */
static bool take(walker *w)
{
    walk_pool *pool = w->pool;
    if (w->stack.count > 0) {
        memcpy(w->cell, w->stack.record + --w->stack.count * w->record, (size_t)w->record * sizeof *w->cell);
        return true;
    }
    report(w);
    bool waits = false, got = false, done = false;
    while (!got && !done) {
        pthread_mutex_lock(&pool->lock);
        int32_t idle = pool->idle + (waits ? 0 : 1);
        if (pool->cells.count > 0) {
            pool->cells.count--;
            memcpy(w->cell, pool->cells.record + pool->cells.count * w->record, (size_t)w->record * sizeof *w->cell);
            idle--;
            got = true;
        }
        waits = true;
        done = pool->status != PLUMB_OK || idle == pool->threads;
        put_int64(&pool->waiting, pool->cells.count);
        put_int32(&pool->idle, idle);
        pthread_mutex_unlock(&pool->lock);
        /* Without the lock, which the others need to share their cells. */
        while (!got && !done && get_int64(&pool->waiting) == 0 && get_int32(&pool->idle) < pool->threads &&
               !get_int32(&pool->stop))
            sched_yield();
    }
    return got;
}

void plumb_walker_run(walker *w, int64_t pause)
{
    while (take(w)) {
        bool more = true;
        while (more && w->status == PLUMB_OK) {
            if (w->steps == pause) {
                if (!plumb_stack_push(&w->stack, w->cell, w->record))
                    w->status = PLUMB_ERR_MEMORY;
                report(w);
                return;
            }
            more = step(w);
            if (w->pool->threads > 1)
                share(w);
            if (w->steps - w->counted >= REPORT || w->work - w->worked >= REPORT_WORK)
                report(w);
            if (get_int32(&w->pool->stop)) {
                w->stack.count = 0;
                more = false;
            }
        }
        if (w->status != PLUMB_OK)
            w->stack.count = 0;
    }
    report(w);
}
