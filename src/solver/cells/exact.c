/* exact.c - a step of the walk with integers of any size, from the points of the cell alone.
 *
 * It serves cells whose matrices do not fit in doubles, and decisions that are closer than the rounding errors of
 * walk.c. Both are rare for systems that can be solved, so this file is written for clarity: everything is computed
 * afresh, in GMP. Here, and only here, two walls at the same moment are distinguished by the second lifting. */
#include <stdlib.h>
#include <string.h>

#include "solver/cells/walk.h"

/* What an operation with integers costs, in operations with doubles; long ones are rare. */
enum { INTEGER_WORK = 128 };

typedef struct exact_cell {
    walker *walker;
    const walk_plan *plan;
    const plan_stage *stage;
    const int32_t *rows, *bases;
    mpz_t *v;                     /* n x n */
    mpz_t *normal, *tie, *slope;  /* n entries each: of the lifting, the second one, and the speeds */
    mpz_t det, height, fall, t;   /* det > 0 */
    mpz_t best_height, best_fall; /* of the first wall */
    mpz_t *memory;
    int64_t numbers;
} exact_cell;

static bool open_cell(walker *w, int64_t stage, const int32_t *rows, const int32_t *bases, exact_cell *e)
{
    int64_t n = w->plan->n;
    *e = (exact_cell){.walker = w, .plan = w->plan, .stage = &w->plan->stages[stage], .rows = rows, .bases = bases};
    e->numbers = 2 * n * n + 3 * n; /* the matrix needs as much again while it is inverted */
    e->memory = malloc((size_t)e->numbers * sizeof *e->memory);
    if (e->memory == NULL) {
        w->status = PLUMB_ERR_MEMORY;
        return false;
    }
    for (int64_t i = 0; i < e->numbers; i++)
        mpz_init(e->memory[i]);
    mpz_inits(e->det, e->height, e->fall, e->t, e->best_height, e->best_fall, NULL);
    e->v = e->memory;
    e->normal = e->memory + 2 * n * n;
    e->tie = e->normal + n;
    e->slope = e->tie + n;
    return true;
}

static void close_cell(exact_cell *e)
{
    for (int64_t i = 0; i < e->numbers; i++)
        mpz_clear(e->memory[i]);
    mpz_clears(e->det, e->height, e->fall, e->t, e->best_height, e->best_fall, NULL);
    free(e->memory);
}

/* Entry i of point q minus that of point b, as a double, which is exact: exponents have 32 bits. */
static double difference(const exact_cell *e, int64_t q, int64_t b, int64_t i)
{
    return plan_entry(e->plan, e->stage, q, i) - plan_entry(e->plan, e->stage, b, i);
}

/* The point of the stage that is the base of the group of point q. */
static int64_t base_of(const exact_cell *e, int64_t q)
{
    return e->plan->id_place[e->bases[e->plan->id_group[e->plan->place_id[q]]]];
}

/* to = the lifting of point q from one of the two lists, scaled as the stage scales its placeholder. */
static void get_lift(const exact_cell *e, const int64_t *list, int64_t q, mpz_t to)
{
    mpz_set_si(to, list[e->plan->place_id[q]]);
    mpz_mul_si(to, to, (long)plan_scale(e->stage, q));
}

/* Computes det and v. With the differences of the points of the rows to their bases as the columns of E, v = det E^-1;
 * by fraction-free Gauss-Jordan elimination of [E I] (Bareiss 1968), all of whose quotients are exact. Rows that a pivot leaves as they are,
 * most of them for sparse systems, take no time. Returns false for a singular matrix, which a mixed cell does not have, and after too much work. */
static bool invert(exact_cell *e)
{
    int64_t n = e->plan->n, width = 2 * n;
    mpz_t *m = e->memory;
    for (int64_t y = 0; y < n; y++) {
        int64_t q = e->plan->id_place[e->rows[y]], b = base_of(e, q);
        for (int64_t i = 0; i < n; i++) {
            mpz_set_d(m[i * width + y], difference(e, q, b, i));
            mpz_set_si(m[i * width + n + y], i == y);
        }
    }
    mpz_set_si(e->det, 1);
    for (int64_t c = 0; c < n; c++) {
        int64_t r = c;
        while (r < n && mpz_sgn(m[r * width + c]) == 0)
            r++;
        if (r == n)
            return false;
        for (int64_t j = 0; r != c && j < width; j++)
            mpz_swap(m[r * width + j], m[c * width + j]);
        for (int64_t i = 0; i < n; i++) {
            if (i == c || (mpz_sgn(m[i * width + c]) == 0 && mpz_cmp(m[c * width + c], e->det) == 0))
                continue;
            e->walker->work += INTEGER_WORK * width;
            for (int64_t j = width - 1; j >= 0; j--) {
                if (j == c || (mpz_sgn(m[i * width + j]) == 0 && mpz_sgn(m[c * width + j]) == 0))
                    continue;
                mpz_mul(m[i * width + j], m[i * width + j], m[c * width + c]);
                mpz_submul(m[i * width + j], m[i * width + c], m[c * width + j]);
                mpz_divexact(m[i * width + j], m[i * width + j], e->det);
            }
        }
        if (walker_is_exhausted(e->walker))
            return false;
        for (int64_t i = 0; i < n; i++)
            if (i != c)
                mpz_set_si(m[i * width + c], 0);
        mpz_set(e->det, m[c * width + c]);
    }
    for (int64_t i = 0; i < n; i++) /* [det I, det E^-1]: keep the right half */
        for (int64_t j = 0; j < n; j++)
            mpz_swap(m[i * n + j], m[i * width + n + j]);
    if (mpz_sgn(e->det) < 0) {
        mpz_neg(e->det, e->det);
        for (int64_t i = 0; i < n * n; i++)
            mpz_neg(e->v[i], e->v[i]);
    }
    return true;
}

/* Copies det and v to a record, or sets its flag if they do not fit. */
static void put(const exact_cell *e, double *cell)
{
    int64_t n = e->plan->n;
    bool fits = !e->plan->exact && mpz_sizeinbase(e->det, 2) <= 53;
    double largest = 0.0;
    for (int64_t i = 0; fits && i < n * n; i++) {
        double x = mpz_get_d(e->v[i]);
        fits = mpz_sizeinbase(e->v[i], 2) <= 53;
        cell_matrix(cell)[i] = x;
        largest = x > largest ? x : -x > largest ? -x : largest;
    }
    cell[CELL_EXACT] = fits ? 0.0 : 1.0;
    cell[CELL_DET] = fits ? mpz_get_d(e->det) : 0.0;
    cell[CELL_LARGEST] = largest;
}

void plumb_exact_load(walker *w, double *cell)
{
    exact_cell e;
    cell[CELL_EXACT] = 1.0;
    if (w->plan->exact ||
        !open_cell(w, (int64_t)cell[CELL_STAGE], cell_rows(w->plan, cell), cell_bases(w->plan, cell), &e))
        return;
    if (invert(&e))
        put(&e, cell);
    close_cell(&e);
}

/* ---- Heights and walls -------------------------------------------------------------------------------------------- */

/* Computes the normals that belong to the two liftings and to the speeds. */
static void find_normals(exact_cell *e)
{
    int64_t n = e->plan->n;
    for (int64_t z = 0; z < n; z++) {
        int64_t q = e->plan->id_place[e->rows[z]], b = base_of(e, q);
        const int64_t *lists[] = {e->plan->lift, e->plan->tie};
        mpz_t *const normals[] = {e->normal, e->tie};
        for (int k = 0; k < 2; k++) {
            get_lift(e, lists[k], q, e->height);
            get_lift(e, lists[k], b, e->t);
            mpz_sub(e->height, e->height, e->t);
            for (int64_t i = 0; i < n; i++)
                mpz_addmul(normals[k][i], e->height, e->v[z * n + i]);
        }
        mpz_set_d(e->height, plan_speed(e->plan, e->stage, q) - plan_speed(e->plan, e->stage, b));
        for (int64_t i = 0; i < n; i++)
            mpz_addmul(e->slope[i], e->height, e->v[z * n + i]);
    }
}

/* to -= normal . (a_q - a_b) */
static void subtract_normal(exact_cell *e, const mpz_t *normal, int64_t q, int64_t b, mpz_t to)
{
    for (int64_t i = 0; i < e->plan->n; i++) {
        mpz_set_d(e->t, difference(e, q, b, i));
        mpz_submul(to, normal[i], e->t);
    }
}

/* Height of point q over the facet by one of the liftings. */
static void find_height(exact_cell *e, const int64_t *list, const mpz_t *normal, int64_t q, mpz_t to)
{
    int64_t b = base_of(e, q);
    get_lift(e, list, q, to);
    get_lift(e, list, b, e->t);
    mpz_sub(to, to, e->t);
    mpz_mul(to, to, e->det);
    subtract_normal(e, normal, q, b, to);
}

static void find_fall(exact_cell *e, int64_t q, mpz_t to)
{
    int64_t b = base_of(e, q);
    mpz_set_d(to, plan_speed(e->plan, e->stage, q) - plan_speed(e->plan, e->stage, b));
    mpz_mul(to, to, e->det);
    subtract_normal(e, (const mpz_t *)e->slope, q, b, to);
    mpz_neg(to, to);
}

/* Compares height / fall of point q with that of the point p, whose numbers are best_height and best_fall. */
static int compare_walls(exact_cell *e, int64_t q, int64_t p)
{
    mpz_t a, b;
    mpz_inits(a, b, NULL);
    mpz_mul(a, e->height, e->best_fall);
    mpz_mul(b, e->best_height, e->fall);
    int order = mpz_cmp(a, b);
    if (order == 0) {
        find_height(e, e->plan->tie, (const mpz_t *)e->tie, q, a);
        find_height(e, e->plan->tie, (const mpz_t *)e->tie, p, b);
        mpz_mul(a, a, e->best_fall);
        mpz_mul(b, b, e->fall);
        order = mpz_cmp(a, b);
    }
    mpz_clears(a, b, NULL);
    return order;
}

/* Returns the point that reaches the facet first, -1 if there is none. *tied is set if there are two. */
static int64_t first_wall(exact_cell *e, bool *tied)
{
    int64_t best = -1;
    *tied = false;
    for (int64_t q = 0; q < e->stage->end; q = plan_next(e->stage, q)) {
        find_fall(e, q, e->fall);
        if (mpz_sgn(e->fall) <= 0)
            continue;
        find_height(e, e->plan->lift, (const mpz_t *)e->normal, q, e->height);
        int order = best < 0 ? -1 : compare_walls(e, q, best);
        if (order < 0) {
            best = q;
            *tied = false;
            mpz_swap(e->best_height, e->height);
            mpz_swap(e->best_fall, e->fall);
        } else if (order == 0) {
            *tied = true;
        }
    }
    return best;
}

/* ---- Results ------------------------------------------------------------------------------------------------------ */

static bool is_own(const exact_cell *e, int32_t id)
{
    bool own = id == e->bases[e->plan->id_group[id]];
    for (int64_t z = 0; z < e->plan->n; z++)
        own = own || id == e->rows[z];
    return own;
}

/* Stores a finished cell, unless there is a point too many on its facet. */
static void finish(walker *w, exact_cell *e)
{
    for (int64_t q = 0; q < e->stage->end; q = plan_next(e->stage, q)) {
        find_fall(e, q, e->fall);
        if (mpz_sgn(e->fall) != 0 || is_own(e, e->plan->place_id[q]))
            continue;
        find_height(e, e->plan->lift, (const mpz_t *)e->normal, q, e->height);
        if (mpz_sgn(e->height) <= 0) {
            w->ties = true;
            return;
        }
    }
    for (int64_t i = 0; e->plan->stable && i < e->plan->n; i++)
        if (mpz_sgn(e->slope[i]) > 0)
            return;
    if (mpz_fits_slong_p(e->det))
        plumb_walker_store(w, e->rows, e->bases, mpz_get_si(e->det));
    else
        w->status = PLUMB_ERR_SIZE;
}

static void note_rise(walker *w, exact_cell *e)
{
    mpz_fdiv_q(e->t, e->best_height, e->best_fall);
    mpz_add_ui(e->t, e->t, 1);
    if (mpz_cmp_si(e->t, INT64_MAX / 4) > 0)
        w->status = PLUMB_ERR_SIZE;
    else if (mpz_cmp_si(e->t, w->rise) > 0)
        w->rise = mpz_get_si(e->t);
}

/* Puts the cell on the stack in which point `id` replaces that of row z, or the base of its group if z is -1. */
static void push_child(walker *w, const exact_cell *e, int32_t id, int64_t z)
{
    const walk_plan *plan = e->plan;
    int32_t g = plan->id_group[id], *rows = w->child, *bases = w->child + plan->n;
    memcpy(rows, e->rows, (size_t)plan->n * sizeof *rows);
    memcpy(bases, e->bases, (size_t)plan->groups * sizeof *bases);
    if (z < 0) {
        z = plan->first_row[g];
        bases[g] = rows[z];
    }
    rows[z] = id;
    if (!plumb_stack_push(&w->stack, w->cell, w->record)) {
        w->status = PLUMB_ERR_MEMORY;
        return;
    }
    double *cell = w->stack.record + (w->stack.count - 1) * w->record;
    memcpy(cell_rows(plan, cell), w->child, (size_t)(plan->n + plan->groups) * sizeof *w->child);
    plumb_exact_load(w, cell);
}

/* The cells behind the wall of point q, as in walk.c. */
static void cross(walker *w, exact_cell *e, int64_t q)
{
    const walk_plan *plan = e->plan;
    int64_t n = plan->n, b = base_of(e, q);
    int32_t id = e->plan->place_id[q], g = plan->id_group[id];
    int32_t first = plan->first_row[g], end = plan->first_row[g + 1];
    mpz_set(e->fall, e->det); /* the coefficient of the base */
    bool mine = true;
    for (int64_t z = first; z < end; z++) {
        mpz_set_si(e->normal[z], 0); /* normals are no longer needed: here are the coefficients of the rows, negative */
        subtract_normal(e, (const mpz_t *)(e->v + z * n), q, b, e->normal[z]);
        mpz_add(e->fall, e->fall, e->normal[z]);
        mine = mine && (mpz_sgn(e->normal[z]) <= 0 || e->rows[z] > id);
    }
    mine = mine && (mpz_sgn(e->fall) >= 0 || e->bases[g] > id);
    if (!mine)
        return;
    if (mpz_sgn(e->fall) > 0)
        push_child(w, e, id, -1);
    for (int64_t z = first; z < end; z++)
        if (mpz_sgn(e->normal[z]) < 0)
            push_child(w, e, id, z);
}

void plumb_exact_step(walker *w)
{
    exact_cell e;
    bool tied = false;
    if (!open_cell(w, (int64_t)w->cell[CELL_STAGE], cell_rows(w->plan, w->cell), cell_bases(w->plan, w->cell), &e))
        return;
    if (invert(&e)) {
        w->work += 2 * INTEGER_WORK * w->plan->n * (e.stage->end + w->plan->n);
        find_normals(&e);
        int64_t q = first_wall(&e, &tied);
        if (q >= 0 && !tied && e.stage->group < 0)
            note_rise(w, &e);
        if (tied)
            w->ties = true;
        else if (q >= 0)
            cross(w, &e, q);
        else if (e.stage->group < 0)
            finish(w, &e);
    } else { /* without too much work it cannot be: no cell is reached twice or has volume 0 */
        w->status = walker_is_exhausted(w) ? PLUMB_ERR_STOPPED : PLUMB_ERR_SINGULAR;
    }
    close_cell(&e);
}
