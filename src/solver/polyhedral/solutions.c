/* solutions.c - plumb_polyhedral_solutions: start points and rates of paths, cell by cell, and the paths from there; see
 * polyhedral.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/os/team.h"
#include "method/track/moving.h"
#include "solver/context/context.h"
#include "solver/polyhedral/polyhedral.h"
#include "solver/track/track.h"

/* At tau = 1 the largest neglected term is e^-DEPTH, relative to those of the cell. */
#define DEPTH 30.0
#define LOG_2 0.69314718055994531

enum { RERUNS = 3 }; /* of paths that failed, each with shorter steps */

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- Start points --------------------------------------------------------------------------------------------------- */

/* The paths of a call: their start points and the rates of their cells. */
typedef struct path_list {
    int64_t count, rows; /* paths; cells that they belong to */
    int64_t *number;
    int32_t *row; /* of each path */
    double *rates;
    plumb_view starts;
} path_list;

static void list_free(plumb_context *context, path_list *list)
{
    free(list->number);
    free(list->row);
    free(list->rates);
    plumb_array_destroy(context, &list->starts);
}

/* Sets excess[k], for the points k of an equation over a cell, to the logarithm of the size of its term at the roots of the
 * cell, relative to the terms of the cell, if that is larger. Sizes of coefficients are powers of two, and the result is the
 * same on every machine. */
static void find_excess(const polyhedral *p, int64_t g, const int32_t *point, const double *coefficient,
                        const double *logarithm, double *excess)
{
    const cell_supports *s = p->supports;
    const int64_t n = s->unknowns, first = s->first[g];
    double of_cell = -(double)INFINITY;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = first; k < s->first[g + 1]; k++) {
            const double *c = coefficient + 2 * (k - first);
            double size = LOG_2 * ilogb(fmax(fabs(c[0]), fabs(c[1])));
            bool in_cell = false;
            for (int64_t v = 0; v < n; v++)
                size += (double)s->exponent[k * n + v] * logarithm[v];
            for (int32_t j = 0; j <= s->size[g]; j++)
                in_cell = in_cell || point[j] == k;
            if (pass == 0 && in_cell)
                of_cell = fmax(of_cell, size);
            else if (pass == 1)
                excess[k] = fmax(excess[k], size - of_cell);
        }
}

plumb_status plumb_polyhedral_rates(const polyhedral *p, int64_t cell, const double *logarithm, double *excess,
                                    double *rates)
{
    const cell_supports *s = p->supports;
    const int64_t points = s->first[s->groups];
    const double *coefficient = p->coefficients;
    double scale = 0.0;
    plumb_status status = plumb_cells_weights(s, p->cells, cell, rates);
    memset(excess, 0, (size_t)points * sizeof *excess);
    for (int64_t i = 0; status == PLUMB_OK && i < s->unknowns; i++) {
        const int64_t g = s->group[i];
        const int32_t *point = p->cells->point + cell * p->cells->width;
        for (int64_t before = 0; before < g; before++)
            point += s->size[before] + 1;
        find_excess(p, g, point, coefficient, logarithm, excess);
        coefficient += 2 * (s->first[g + 1] - s->first[g]);
    }
    for (int64_t k = 0; k < points; k++)
        if (rates[k] > 0.0)
            scale = fmax(scale, (DEPTH + excess[k]) / rates[k]);
    for (int64_t k = 0; k < points; k++)
        rates[k] *= scale;
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = **(const int64_t *const *)a, y = **(const int64_t *const *)b;
    return (x > y) - (x < y);
}

/* The paths of one cell: order[first] .. order[last - 1]. */
typedef struct cell_paths {
    int64_t cell, first, last;
} cell_paths;

/* What threads share that make the start points of a list. */
typedef struct list_maker {
    const polyhedral *p;
    path_list *list;
    const int64_t **order; /* the numbers of the list, ascending */
    cell_paths *cells;     /* one for each row of rates */
    team_counter next;
    int32_t status;
} list_maker;

/* The start points and rates of the paths of one cell. */
static plumb_status make_cell(const list_maker *m, int64_t row, double *x, double *excess)
{
    const polyhedral *p = m->p;
    const cell_paths *paths = &m->cells[row];
    const plumb_view *starts = &m->list->starts;
    cell_roots *roots = NULL;
    plumb_status status = plumb_cell_roots_create(p, paths->cell, &roots);
    if (status == PLUMB_OK)
        status = plumb_polyhedral_rates(p, paths->cell, plumb_cell_roots_logarithms(roots), excess,
                                        m->list->rates + row * p->supports->first[p->supports->groups]);
    for (int64_t k = paths->first; status == PLUMB_OK && k < paths->last; k++) {
        const int64_t at = m->order[k] - m->list->number;
        m->list->row[at] = (int32_t)row;
        plumb_cell_roots_make(roots, *m->order[k] - p->cells->first_root[paths->cell], x);
        for (int64_t i = 0; i < starts->rows; i++)
            for (int64_t c = 0; c < 2; c++)
                starts->data[at * starts->next + c * starts->plane + i] = x[2 * i + c];
    }
    plumb_cell_roots_destroy(roots);
    return status;
}

static void make_cells(void *data, team *t, int32_t index, int32_t threads)
{
    list_maker *m = data;
    (void)t, (void)index, (void)threads;
    const int64_t points = m->p->supports->first[m->p->supports->groups];
    double *x = malloc((size_t)(2 * m->list->starts.rows) * sizeof *x);
    double *excess = malloc((size_t)(points + 1) * sizeof *excess);
    plumb_status status = x && excess ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t row; status == PLUMB_OK && (row = team_take(&m->next, 1)) < m->list->rows;)
        status = make_cell(m, row, x, excess);
    if (status != PLUMB_OK)
        __atomic_store_n(&m->status, (int32_t)status, __ATOMIC_RELAXED);
    free(x);
    free(excess);
}

/* Makes the start points and rates of the paths, cell by cell, on all threads. */
static plumb_status fill_list(plumb_context *context, const polyhedral *p, path_list *list)
{
    const int64_t points = p->supports->first[p->supports->groups];
    list_maker m = {.p = p, .list = list, .status = PLUMB_OK};
    int64_t bytes;
    m.order = malloc((size_t)(list->count + 1) * sizeof *m.order);
    m.cells = malloc((size_t)(list->count + 1) * sizeof *m.cells);
    plumb_status status = m.order && m.cells ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k < list->count; k++)
        m.order[k] = &list->number[k];
    if (status == PLUMB_OK)
        qsort((void *)m.order, (size_t)list->count, sizeof *m.order, by_number);
    for (int64_t k = 0; status == PLUMB_OK && k < list->count; k++) {
        int64_t within = 0;
        const int64_t cell = plumb_cells_locate(p->cells, *m.order[k], &within);
        if (k == 0 || cell != m.cells[list->rows - 1].cell)
            m.cells[list->rows++] = (cell_paths){.cell = cell, .first = k};
        m.cells[list->rows - 1].last = k + 1;
    }
    if (status == PLUMB_OK) {
        list->rates =
            size_mul(list->rows + 1, points * (int64_t)sizeof *list->rates, &bytes) ? malloc((size_t)bytes) : NULL;
        status = list->rates ? PLUMB_OK : PLUMB_ERR_MEMORY;
    }
    const int32_t threads = list->rows < context->cpu.threads ? (int32_t)list->rows : context->cpu.threads;
    if (status == PLUMB_OK && threads > 1)
        status = team_start(&context->cpu.team, threads, NULL, 0);
    if (status == PLUMB_OK)
        team_run(context->cpu.team, threads, make_cells, &m);
    free((void *)m.order);
    free(m.cells);
    return status == PLUMB_OK ? (plumb_status)m.status : status;
}

/* Makes the list of the paths with these numbers. */
static plumb_status make_list(plumb_context *context, const polyhedral *p, const int64_t *numbers, int64_t count,
                              path_list *list)
{
    *list = (path_list){.count = count};
    list->number = malloc((size_t)(count + 1) * sizeof *list->number);
    list->row = malloc((size_t)(count + 1) * sizeof *list->row);
    plumb_status status = list->number && list->row ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, p->supports->unknowns, 1, count,
                                    &list->starts);
    for (int64_t k = 0; status == PLUMB_OK && k < count; k++)
        list->number[k] = numbers ? numbers[k] : k;
    if (status == PLUMB_OK) {
        status = fill_list(context, p, list);
        if (status != PLUMB_OK)
            status = SAY(status, "start solutions: %s", plumb_status_text(status));
    }
    return status;
}

/* ---- Paths ---------------------------------------------------------------------------------------------------------- */

/* Paths of a list that are tracked, all of them or those that failed. */
typedef struct path_choice {
    int64_t count, *place, *number;
    int32_t *row;
    plumb_view starts, ends;
    plumb_path_record *records;
} path_choice;

static plumb_status make_choice(plumb_context *context, const path_list *list, const plumb_path_record *records,
                                int32_t rerun, int32_t prec, path_choice *c)
{
    const int64_t n = list->starts.rows;
    const size_t room = (size_t)list->count + 1;
    c->place = malloc(room * sizeof *c->place);
    c->number = malloc(room * sizeof *c->number);
    c->row = malloc(room * sizeof *c->row);
    if (!c->place || !c->number || !c->row)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < list->count; k++) {
        if (rerun > 0 && (records[k].code == PLUMB_PATH_SUCCESS || records[k].code == PLUMB_PATH_STOPPED))
            continue;
        c->place[c->count] = k;
        c->number[c->count] = list->number[k];
        c->row[c->count++] = list->row[k];
    }
    c->records = malloc((size_t)(c->count + 1) * sizeof *c->records);
    plumb_status status = c->records ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, c->count, &c->starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, c->count, &c->ends);
    for (int64_t k = 0; status == PLUMB_OK && k < c->count; k++)
        memcpy(c->starts.data + k * c->starts.next, list->starts.data + c->place[k] * list->starts.next,
               (size_t)c->starts.next * sizeof *c->starts.data);
    return status;
}

static void choice_free(plumb_context *context, path_choice *c)
{
    plumb_array_destroy(context, &c->starts);
    plumb_array_destroy(context, &c->ends);
    free(c->place);
    free(c->number);
    free(c->row);
    free(c->records);
}

/* Tracks the paths of a list, or in a rerun those that have not succeeded, with shorter steps. x and records are those
 * of the list. */
static plumb_status track_list(plumb_context *context, const polyhedral *p, const path_list *list,
                               plumb_track_options options, int32_t rerun, plumb_view *x, plumb_path_record *records)
{
    path_choice c = {.count = 0};
    plumb_status status = make_choice(context, list, records, rerun, x->prec, &c);
    if (status == PLUMB_OK && c.count > 0) {
        const track_moving moving = {
            .points = p->supports->first[p->supports->groups], .rates = list->rates, .row = c.row};
        const track_part part = {
            .paths = c.number, .of_paths = p->count, .rerun = rerun, .separate = true, .moving = &moving};
        options.progress = rerun > 0 ? NULL : options.progress;
        status = track_paths(context, p->homotopy, &part, &c.starts, &c.ends, &options, c.records);
    }
    for (int64_t k = 0; status == PLUMB_OK && k < c.count; k++) {
        records[c.place[k]] = c.records[k];
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t limb = 0; limb < 2 * x->prec; limb++) /* the scaling is a power of two */
                x->data[c.place[k] * x->next + limb * x->plane + i] =
                    ldexp(c.ends.data[k * c.ends.next + limb * c.ends.plane + i], p->exponent[i]);
    }
    choice_free(context, &c);
    return status;
}

plumb_status plumb_polyhedral_solutions(plumb_context *context, const polyhedral *p, const int64_t *numbers,
                                        const plumb_track_options *given, plumb_view *x, plumb_path_record *records)
{
    plumb_track_options options;
    plumb_track_options_init(&options);
    if (given)
        options = *given;
    options.seed = p->seed;
    options.step = NULL;
    options.ended = NULL;
    for (int64_t k = 0; k < x->batch; k++) {
        const int64_t asked = numbers ? numbers[k] : k;
        if (asked < 0 || asked >= p->count)
            return SAY(PLUMB_ERR_ARGUMENT, "start solution %lld was asked for, there are %lld", (long long)asked,
                       (long long)p->count);
    }
    path_list list;
    plumb_status status = make_list(context, p, numbers, x->batch, &list);
    for (int32_t k = 0; status == PLUMB_OK && k <= RERUNS; k++)
        status = track_list(context, p, &list, options, k, x, records);
    list_free(context, &list);
    return status;
}
