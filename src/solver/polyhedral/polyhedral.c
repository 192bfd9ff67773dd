/* polyhedral.c - plumb_polyhedral_create and plumb_polyhedral_solutions; see polyhedral.h. */
#include "solver/polyhedral/polyhedral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "base/random.h"
#include "base/size.h"
#include "method/track/moving.h"
#include "model/homotopy/scaling.h"
#include "model/system/polynomial.h"
#include "solver/cells/cells.h"
#include "solver/context/context.h"
#include "solver/track/track.h"
#include "text/matrix/random.h"

/* At tau = 1 the largest neglected term is e^-DEPTH. */
#define DEPTH 30.0

enum { RERUNS = 3 }; /* of paths that failed, each with shorter steps */

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The start system ----------------------------------------------------------------------------------------------- */

/* Sets p to the polynomial with the coefficients of equation i. */
static plumb_status make_equation(const polyhedral *p, int64_t i, system_factor *factors, polynomial *equation)
{
    const cell_supports *s = p->supports;
    const int64_t n = s->unknowns, g = s->group[i];
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t k = s->first[g]; status == PLUMB_OK && k < s->first[g + 1]; k++) {
        const double *c = p->coefficients + 2 * (p->first[i] + k - s->first[g]);
        int32_t count = 0, degree = 0;
        for (int32_t v = 0; v < n; v++)
            if (s->exponent[k * n + v] > 0) {
                factors[count++] = (system_factor){v, s->exponent[k * n + v]};
                degree += s->exponent[k * n + v];
            }
        mpq_set_d(re, c[0]);
        mpq_set_d(im, c[1]);
        status = plumb_poly_append(equation, re, im, factors, count, degree);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(equation) : status;
}

/* Makes a system with the coefficients, in the unknowns of the target: scaled, or with the scaling taken back. */
static plumb_status make_system(const polyhedral *p, const plumb_system *target, const system_scaling *scaling,
                                plumb_system **made)
{
    const int64_t n = target->unknowns;
    polynomial *equations = calloc((size_t)n, sizeof *equations);
    system_factor *factors = calloc((size_t)n, sizeof *factors);
    plumb_status status = equations && factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; status == PLUMB_OK && i < n; i++) {
        status = make_equation(p, i, factors, &equations[i]);
        if (status == PLUMB_OK && scaling)
            plumb_scaling_apply(scaling, i, 0, &equations[i]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(equations, n, (const char *const *)target->names, n, made);
    for (int64_t i = 0; equations && i < n; i++)
        plumb_poly_clear(&equations[i]);
    free(equations);
    free(factors);
    return status;
}

static plumb_status draw_coefficients(polyhedral *p, uint64_t seed)
{
    const cell_supports *s = p->supports;
    p->first = calloc((size_t)s->unknowns + 1, sizeof *p->first);
    if (!p->first)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < s->unknowns; i++)
        p->first[i + 1] = p->first[i] + s->first[s->group[i] + 1] - s->first[s->group[i]];
    const int64_t count = p->first[s->unknowns];
    p->coefficients = calloc((size_t)(2 * count) + 1, sizeof *p->coefficients);
    if (!p->coefficients)
        return PLUMB_ERR_MEMORY;
    const plumb_view view = {.data = p->coefficients,
                             .rows = 1,
                             .cols = count,
                             .batch = 1,
                             .plane = 1,
                             .col = 2,
                             .next = 2 * count,
                             .prec = PLUMB_D,
                             .parts = PLUMB_COMPLEX,
                             .where = PLUMB_HOST};
    return plumb_random_matrix(&view, 1, 0, seed);
}

/* The start system and the homotopy to its scaled form. */
static plumb_status make_systems(polyhedral *p, const plumb_system *target, uint64_t seed)
{
    const int64_t n = target->unknowns;
    system_scaling scaling = {.unknown = NULL};
    plumb_system *scaled = NULL;
    plumb_status status = draw_coefficients(p, seed);
    p->exponent = calloc((size_t)n, sizeof *p->exponent);
    if (status == PLUMB_OK && !p->exponent)
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_scaling_find(target, &scaling);
    for (int64_t i = 0; status == PLUMB_OK && scaling.unknown && i < n; i++) {
        p->exponent[i] = scaling.unknown[i];
        scaling.unknown[i] = -scaling.unknown[i];
        scaling.equation[i] = -scaling.equation[i];
    }
    if (status == PLUMB_OK)
        status = make_system(p, target, NULL, &scaled);
    if (status == PLUMB_OK)
        status = make_system(p, target, scaling.unknown ? &scaling : NULL, &p->system);
    if (status == PLUMB_OK)
        status = plumb_homotopy_polyhedral(scaled, p->supports, &p->homotopy);
    plumb_system_destroy(scaled);
    plumb_scaling_clear(&scaling);
    return status;
}

/* FNV-1a over 64-bit words. */
static uint64_t hash_word(uint64_t hash, int64_t word)
{
    for (int k = 0; k < 8; k++)
        hash = (hash ^ ((uint64_t)word >> (8 * k) & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(const polyhedral *p)
{
    const cell_supports *s = p->supports;
    const mixed_cells *cells = p->cells;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int64_t i = 0; i < s->first[s->groups] * s->unknowns; i++)
        hash = hash_word(hash, s->exponent[i]);
    for (int64_t i = 0; i < s->first[s->groups]; i++)
        hash = hash_word(hash, cells->lifting[i]);
    for (int64_t i = 0; i < cells->count * cells->width; i++)
        hash = hash_word(hash, cells->point[i]);
    return hash;
}

plumb_status plumb_polyhedral_create(plumb_context *context, const plumb_system *target, uint64_t seed,
                                     int64_t most_steps, polyhedral **made)
{
    plumb_random seeds = plumb_random_start(seed);
    const uint64_t coefficient_seed = plumb_random_next(&seeds), lifting_seed = plumb_random_next(&seeds);
    *made = NULL;
    polyhedral *p = calloc(1, sizeof *p);
    if (!p)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    p->seed = plumb_random_next(&seeds);
    plumb_call_begin();
    plumb_status status = plumb_supports_of_system(target, 0, &p->supports);
    if (status == PLUMB_OK) {
        const cells_options walk = {.seed = lifting_seed,
                                    .most_steps = most_steps,
                                    .team = &context->cpu.team,
                                    .threads = context->cpu.threads};
        status = plumb_cells_enumerate(p->supports, &walk, &p->cells);
    }
    if (status == PLUMB_OK)
        status = make_systems(p, target, coefficient_seed);
    status = plumb_call_end(status);
    if (status != PLUMB_OK) {
        char line[sizeof context->message];
        strncpy(line, plumb_last_message(), sizeof line - 1);
        line[sizeof line - 1] = '\0';
        plumb_polyhedral_destroy(p);
        return SAY(status, "%s", line[0] ? line : plumb_status_text(status));
    }
    p->count = p->cells->mixed_volume;
    p->hash = hash_of(p);
    *made = p;
    return PLUMB_OK;
}

void plumb_polyhedral_destroy(polyhedral *p)
{
    if (!p)
        return;
    plumb_system_destroy(p->system);
    plumb_homotopy_destroy(p->homotopy);
    plumb_supports_destroy(p->supports);
    plumb_cells_destroy(p->cells);
    free(p->coefficients);
    free(p->first);
    free(p->exponent);
    free(p);
}

/* ---- Solutions ------------------------------------------------------------------------------------------------------ */

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

/* The rates of the points over a cell: its weights, scaled such that the smallest is DEPTH. */
static plumb_status find_rates(const polyhedral *p, int64_t cell, double *rates)
{
    const int64_t points = p->supports->first[p->supports->groups];
    double least = 0.0;
    plumb_status status = plumb_cells_weights(p->supports, p->cells, cell, rates);
    for (int64_t k = 0; k < points; k++)
        if (rates[k] > 0.0 && (least == 0.0 || rates[k] < least))
            least = rates[k];
    for (int64_t k = 0; least > 0.0 && k < points; k++)
        rates[k] = rates[k] / least * DEPTH;
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = **(const int64_t *const *)a, y = **(const int64_t *const *)b;
    return (x > y) - (x < y);
}

/* Makes the start points and rates of the paths, cell by cell. */
static plumb_status fill_list(const polyhedral *p, path_list *list)
{
    const int64_t n = p->supports->unknowns, points = p->supports->first[p->supports->groups];
    const int64_t **order = malloc((size_t)(list->count + 1) * sizeof *order);
    double *x = malloc((size_t)(2 * n) * sizeof *x);
    cell_roots *roots = NULL;
    int64_t now = -1, room = 0;
    plumb_status status = order && x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; status == PLUMB_OK && k < list->count; k++)
        order[k] = &list->number[k];
    if (status == PLUMB_OK)
        qsort((void *)order, (size_t)list->count, sizeof *order, by_number);
    for (int64_t k = 0; status == PLUMB_OK && k < list->count; k++) {
        const int64_t at = order[k] - list->number;
        int64_t within = 0;
        const int64_t cell = plumb_cells_locate(p->cells, *order[k], &within);
        if (cell != now) {
            plumb_cell_roots_destroy(roots);
            roots = NULL;
            now = cell;
            if (list->rows == room) {
                int64_t bytes;
                room = 2 * room + 16;
                double *more =
                    size_mul(room, points * (int64_t)sizeof *more, &bytes) ? realloc(list->rates, (size_t)bytes) : NULL;
                if (!more) {
                    status = PLUMB_ERR_MEMORY;
                    break;
                }
                list->rates = more;
            }
            status = find_rates(p, cell, list->rates + list->rows++ * points);
            if (status == PLUMB_OK)
                status = plumb_cell_roots_create(p, cell, &roots);
            if (status != PLUMB_OK)
                break;
        }
        list->row[at] = (int32_t)(list->rows - 1);
        plumb_cell_roots_make(roots, within, x);
        for (int64_t i = 0; i < n; i++)
            for (int64_t part = 0; part < 2; part++)
                list->starts.data[at * list->starts.next + part * list->starts.plane + i] = x[2 * i + part];
    }
    plumb_cell_roots_destroy(roots);
    free((void *)order);
    free(x);
    return status;
}

static plumb_status make_list(plumb_context *context, const polyhedral *p, const int64_t *numbers, int64_t count,
                              path_list *list)
{
    const int64_t n = p->supports->unknowns;
    *list = (path_list){.count = count};
    list->number = malloc((size_t)(count + 1) * sizeof *list->number);
    list->row = malloc((size_t)(count + 1) * sizeof *list->row);
    plumb_status status = list->number && list->row ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, count, &list->starts);
    for (int64_t k = 0; status == PLUMB_OK && k < count; k++) {
        list->number[k] = numbers ? numbers[k] : k;
        if (list->number[k] < 0 || list->number[k] >= p->count)
            status = SAY(PLUMB_ERR_ARGUMENT, "start solution %lld was asked for, there are %lld",
                         (long long)list->number[k], (long long)p->count);
    }
    if (status == PLUMB_OK) {
        status = fill_list(p, list);
        if (status != PLUMB_OK)
            status = SAY(status, "start solutions: %s", plumb_status_text(status));
    }
    return status;
}

/* Tracks the paths of the list that have not succeeded again, with shorter steps. */
static plumb_status repair(plumb_context *context, const polyhedral *p, const path_list *list,
                           const plumb_track_options *options, int32_t rerun, plumb_view *x, plumb_path_record *records)
{
    int64_t count = 0;
    for (int64_t k = 0; k < list->count; k++)
        count += records[k].code != PLUMB_PATH_SUCCESS;
    if (count == 0)
        return PLUMB_OK;
    const int64_t n = p->supports->unknowns;
    plumb_view starts = {.data = NULL}, ends = {.data = NULL};
    int64_t *place = malloc((size_t)count * sizeof *place), *number = malloc((size_t)count * sizeof *number);
    int32_t *row = malloc((size_t)count * sizeof *row);
    plumb_path_record *again = malloc((size_t)count * sizeof *again);
    plumb_status status = place && number && row && again ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, count, &starts);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, x->prec, PLUMB_COMPLEX, n, 1, count, &ends);
    if (status == PLUMB_OK) {
        count = 0;
        for (int64_t k = 0; k < list->count; k++) {
            if (records[k].code == PLUMB_PATH_SUCCESS)
                continue;
            place[count] = k;
            number[count] = list->number[k];
            row[count] = list->row[k];
            memcpy(starts.data + count++ * starts.next, list->starts.data + k * list->starts.next,
                   (size_t)starts.next * sizeof *starts.data);
        }
        plumb_track_options how = *options;
        how.paths = number;
        how.rerun = rerun;
        how.reruns = 0;
        how.progress = NULL;
        const track_moving moving = {p->supports->first[p->supports->groups], list->rates, row};
        status = track_with_rates(context, p->homotopy, &moving, &starts, &ends, &how, again);
    }
    for (int64_t k = 0; status == PLUMB_OK && k < count; k++) {
        records[place[k]] = again[k];
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < 2 * x->prec; c++)
                x->data[place[k] * x->next + c * x->plane + i] = ends.data[k * ends.next + c * ends.plane + i];
    }
    plumb_array_destroy(context, &starts);
    plumb_array_destroy(context, &ends);
    free(place);
    free(number);
    free(row);
    free(again);
    return status;
}

/* Takes a solution to the unknowns of the start system; a path that did not succeed has none. */
static void unscale(const polyhedral *p, plumb_view *x)
{
    for (int64_t k = 0; k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int64_t c = 0; c < 2 * x->prec; c++) {
                double *limb = x->data + k * x->next + c * x->plane + i;
                *limb = ldexp(*limb, p->exponent[i]);
            }
}

plumb_status plumb_polyhedral_solutions(plumb_context *context, const polyhedral *p, const int64_t *numbers,
                                        const plumb_track_options *given, plumb_view *x, plumb_path_record *records)
{
    path_list list;
    plumb_track_options options;
    plumb_track_options_init(&options);
    if (given)
        options = *given;
    options.seed = p->seed;
    options.first_path = 0;
    plumb_status status = make_list(context, p, numbers, x->batch, &list);
    if (status == PLUMB_OK) {
        options.paths = list.number;
        options.of_paths = options.of_paths > p->count ? options.of_paths : p->count;
        const track_moving moving = {p->supports->first[p->supports->groups], list.rates, list.row};
        status = track_with_rates(context, p->homotopy, &moving, &list.starts, x, &options, records);
    }
    for (int32_t k = 1; status == PLUMB_OK && k <= RERUNS; k++)
        status = repair(context, p, &list, &options, k, x, records);
    if (status == PLUMB_OK)
        unscale(p, x);
    list_free(context, &list);
    return status;
}
