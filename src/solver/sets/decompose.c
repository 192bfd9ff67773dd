/* decompose.c - plumb_decompose: dimension by dimension, the witness points (witness.h), those that are described by the same
 * regular system (points.h), and their irreducible components (parts.h).
 * Equations that follow from others are left out first (equations.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/modulus.h"
#include "model/components.h"
#include "model/solutions.h"
#include "solver/ranks/ranks.h"
#include "solver/sets/equations.h"
#include "solver/sets/parts.h"
#include "solver/sets/witness.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

static const plumb_decompose_options defaults = {.size = sizeof defaults, .seed = 1, .max_loops = 30};

void plumb_decompose_options_init(plumb_decompose_options *options)
{
    *options = defaults;
}

/* ---- One dimension ------------------------------------------------------------------------------------------------- */

typedef struct decomposition {
    plumb_context *context;
    const plumb_decompose_options *options;
    set_solver solver;
    plumb_system *system; /* independent equations */
    plumb_components *made;
    set_witness witness; /* of the present dimension */
    double *shift;       /* of the unknowns, for paths between slices */
    int64_t open;        /* witness points of it without a component */
    bool stopped;
} decomposition;

/* A coordinate below this multiple of the error of its point is zero. */
static const double ZERO = 16.0;
/* Unknowns are shifted if a witness point has a smaller one. */
static const double NEAR_ZERO = 1e-6;

/* The record of a witness point with this error. */
static void set_record(plumb_solutions *list, int64_t k, int64_t multiplicity, double error)
{
    solution_record *r = &list->record[k];
    double size = 0.0;
    for (int64_t i = 0; i < list->unknowns; i++) {
        const double *x = solution_value(list, k, i);
        size = fmax(size, plumb_modulus(x[0], x[list->prec]));
    }
    r->multiplicity = multiplicity;
    r->kind = multiplicity == 1 ? PLUMB_SOLUTION_REGULAR : PLUMB_SOLUTION_SINGULAR;
    r->prec = PLUMB_QD;
    r->err = error;
    r->known = (int32_t)fmax(0.0, size > 0.0 ? -log10(error / size) : 0.0);
}

/* Appends a component that has those of the points whose part is `part`; part < 0: all of them. */
static plumb_status add_component(decomposition *d, const set_points *points, const set_parts *parts, int64_t part)
{
    const int64_t n = d->system->unknowns;
    plumb_component info = {.dimension = d->witness.info.dimension,
                            .multiplicity = points->multiplicity,
                            .bound = points->bound,
                            .state = PLUMB_COMPONENT_OPEN};
    plumb_solutions *list = NULL;
    for (int64_t k = 0; k < points->count; k++)
        info.degree += part < 0 || parts->part[k] == part;
    if (part >= 0 && parts->closed[part]) {
        info.state = PLUMB_COMPONENT_IRREDUCIBLE;
        info.trace_digits = parts->digits[part];
    } else {
        d->open += info.degree;
    }
    plumb_status status =
        plumb_solutions_create(info.degree, n, PLUMB_QD, (const char *const *)d->system->names, &list);
    int64_t to = 0;
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++) {
        if (part >= 0 && parts->part[k] != part)
            continue;
        plumb_view x = set_points_one(&points->x, k);
        x.rows = n;
        status = set_shift_point(d->shift, n, 1, &x);
        for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
            const double modulus = plumb_modulus(x.data[i], x.data[x.prec * x.plane + i]);
            for (int32_t c = 0; c < 2 * x.prec && modulus <= ZERO * points->error[k]; c++)
                x.data[c * x.plane + i] = 0.0;
        }
        if (status == PLUMB_OK)
            status = plumb_solutions_set(list, to, &x);
        if (status == PLUMB_OK)
            set_record(list, to++, points->multiplicity, points->error[k]);
    }
    if (status != PLUMB_OK) {
        plumb_solutions_destroy(list);
        return status;
    }
    return plumb_components_add(d->made, &info, list);
}

/* Decomposes points of one regular system. */
static plumb_status split(decomposition *d, set_points *points)
{
    set_parts parts;
    points->options = d->options;
    plumb_status status = set_parts_find(d->context, points, &d->witness.slice, &parts);
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++)
        if (parts.part[k] == k)
            status = add_component(d, points, &parts, k);
    set_parts_clear(&parts);
    return status;
}

/* The witness points of multiplicity 1, in quad doubles. */
static plumb_status split_regular(decomposition *d)
{
    const plumb_solutions *s = d->witness.points;
    plumb_context *context = d->context;
    set_points points = {.base = d->witness.combined, .shift = d->shift, .multiplicity = 1, .unknowns = s->unknowns};
    plumb_system *square = NULL;
    plumb_view x = {.data = NULL};
    plumb_status status = set_points_system(&points, &d->witness.slice, &square);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, s->unknowns, 1, 1, &x);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++) {
        double error = 0.0;
        if (!d->witness.kept[k] || s->record[k].kind != PLUMB_SOLUTION_REGULAR)
            continue;
        status = plumb_solutions_get(s, k, &x);
        if (status == PLUMB_OK)
            status = set_shift_point(d->shift, s->unknowns, -1, &x);
        if (status == PLUMB_OK)
            status = set_points_refine(context, square, &x, &error);
        if (status == PLUMB_OK && error < 0.0)
            d->open++;
        else if (status == PLUMB_OK)
            status = set_points_add(context, &points, &x, 0, error);
    }
    if (status == PLUMB_OK && points.count > 0)
        status = split(d, &points);
    plumb_array_destroy(context, &x);
    plumb_system_destroy(square);
    set_points_clear(context, &points);
    return status;
}

static bool same_steps(const set_points *points, int64_t multiplicity, const deflated_point *how)
{
    bool same = points->multiplicity == multiplicity && points->how.stages == how->stages;
    for (int32_t k = 0; same && k < how->stages; k++)
        same = points->how.rank[k] == how->rank[k];
    return same;
}

/* Puts a deflated point to those with the same steps, which it begins if it is the first. */
static plumb_status put(decomposition *d, int64_t multiplicity, deflated_point *how, set_points **lists, int64_t *count)
{
    int64_t at = 0;
    while (at < *count && !same_steps(&(*lists)[at], multiplicity, how))
        at++;
    if (at == *count) {
        set_points *more = realloc(*lists, (size_t)(*count + 1) * sizeof *more);
        if (!more)
            return PLUMB_ERR_MEMORY;
        *lists = more;
        more[(*count)++] = (set_points){.base = d->system,
                                        .shift = d->shift,
                                        .multiplicity = multiplicity,
                                        .bound = !d->witness.exact,
                                        .how = *how,
                                        .unknowns = how->x.rows};
        const plumb_view x = how->x;
        const double error = how->error;
        how->system = NULL;
        how->x = (plumb_view){.data = NULL};
        return set_points_add(d->context, &more[at], &x, 0, error);
    }
    return set_points_add(d->context, &(*lists)[at], &how->x, 0, how->error);
}

/* The witness points of higher multiplicity: each is deflated, together with the slice. */
static plumb_status split_singular(decomposition *d)
{
    const plumb_solutions *s = d->witness.points;
    plumb_context *context = d->context;
    set_points *lists = NULL;
    int64_t count = 0;
    plumb_system *sliced = NULL;
    plumb_view x = {.data = NULL};
    plumb_status status = set_points_stack(d->system, d->shift, &d->witness.slice, &sliced);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, s->unknowns, 1, 1, &x);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++) {
        const solution_record *r = &s->record[k];
        deflated_point how;
        if (!d->witness.kept[k] || r->kind == PLUMB_SOLUTION_REGULAR)
            continue;
        status = plumb_solutions_get(s, k, &x);
        if (status == PLUMB_OK)
            status = set_shift_point(d->shift, s->unknowns, -1, &x);
        if (status == PLUMB_OK)
            status = plumb_deflate_point(context, sliced, &x, pow(10.0, -(double)r->known), &how);
        if (status != PLUMB_OK)
            break;
        if (how.stages == 0 || r->kind == PLUMB_SOLUTION_CLUSTER)
            d->open++;
        else
            status = put(d, r->multiplicity, &how, &lists, &count);
        plumb_deflated_clear(context, &how);
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        for (int64_t i = 0; i < lists[k].count && status == PLUMB_OK; i++) { /* errors become absolute */
            plumb_view one = set_points_one(&lists[k].x, i);
            lists[k].error[i] = 0.0;
            status = set_points_refine(context, lists[k].how.system, &one, &lists[k].error[i]);
        }
        if (status == PLUMB_OK)
            status = split(d, &lists[k]);
    }
    for (int64_t k = 0; k < count; k++)
        set_points_clear(context, &lists[k]);
    free(lists);
    plumb_array_destroy(context, &x);
    plumb_system_destroy(sliced);
    return status;
}

/* Shifts the unknowns that are zero at some witness point. */
static plumb_status choose_shift(decomposition *d)
{
    const plumb_solutions *s = d->witness.points;
    plumb_random random = plumb_random_start(d->options->seed ^ 0x5348494654);
    free(d->shift);
    d->shift = calloc(2 * (size_t)s->unknowns, sizeof *d->shift);
    for (int64_t i = 0; i < s->unknowns && d->shift; i++) {
        double c[2];
        set_direction(&random, c);
        for (int64_t k = 0; k < s->count; k++) {
            const double *x = solution_value(s, k, i);
            if (!d->witness.kept[k] || plumb_modulus(x[0], x[s->prec]) > NEAR_ZERO)
                continue;
            for (int part = 0; part < 2; part++)
                d->shift[2 * i + part] = ldexp(rint(ldexp(c[part], 8)), -8); /* short: the coefficients stay short */
        }
    }
    return d->shift ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static void begin_dimension(const decomposition *d, int64_t dimension)
{
    if (d->options->begins)
        d->options->begins(d->options->data, dimension);
}

static void drop_components(decomposition *d)
{
    const int64_t dimension = d->witness.info.dimension;
    while (d->made->count > 0 && d->made->list[d->made->count - 1].info.dimension == dimension)
        plumb_solutions_destroy(d->made->list[--d->made->count].points);
}

/* A dimension that was not finished has no components. */
static void stop_dimension(decomposition *d)
{
    plumb_component_dimension *info = &d->witness.info;
    drop_components(d);
    if (info->verdict != PLUMB_SOLVE_STOPPED)
        snprintf(info->line, sizeof info->line, "stopped before its witness points were decomposed");
    info->verdict = PLUMB_SOLVE_STOPPED;
    d->stopped = true;
}

static plumb_status split_all(decomposition *d)
{
    d->open = 0;
    plumb_status status = choose_shift(d);
    if (status == PLUMB_OK)
        status = split_regular(d);
    return status == PLUMB_OK ? split_singular(d) : status;
}

/* Takes over what an earlier run has finished; *taken: there was something. */
static plumb_status take_dimension(decomposition *d, int64_t dimension, bool *taken)
{
    plumb_components *done = NULL;
    plumb_status status = set_journal_take(&d->solver.journal, dimension, &done);
    *taken = done != NULL;
    for (int64_t k = 0; done && k < done->count && status == PLUMB_OK; k++) {
        plumb_solutions *points = done->list[k].points;
        done->list[k].points = NULL;
        for (int64_t i = 0; i < points->count; i++)
            set_record(points, i, done->list[k].info.multiplicity, points->record[i].err);
        status = plumb_components_add(d->made, &done->list[k].info, points);
    }
    if (done && status == PLUMB_OK) {
        plumb_system *slice = done->dimension[0].slice;
        done->dimension[0].slice = NULL;
        status = plumb_components_add_dimension(d->made, &done->dimension[0].info, slice);
    }
    plumb_components_destroy(done);
    return status;
}

/* The last dimension is finished; its components follow the first `before` ones. */
static plumb_status keep_dimension(const decomposition *d, int64_t before)
{
    plumb_components done = *d->made;
    done.list = done.list ? done.list + before : NULL;
    done.count -= before;
    done.dimension += done.dimensions - 1;
    done.dimensions = 1;
    return set_journal_keep(d->context, &d->solver.journal, &done);
}

/* Points that could not be put into components may lie badly: there are other slices. */
static plumb_status do_dimension(decomposition *d, int64_t dimension)
{
    plumb_system *slice = NULL;
    plumb_component_dimension *info = &d->witness.info;
    const int64_t before = d->made->count;
    bool taken = false;
    begin_dimension(d, dimension);
    plumb_status status = take_dimension(d, dimension, &taken);
    if (taken || status != PLUMB_OK)
        return status;
    for (int64_t attempt = 0; attempt < SET_ATTEMPTS && status == PLUMB_OK; attempt++) {
        if (attempt > 0)
            drop_components(d);
        status = set_witness_find(&d->solver, d->system, dimension, &attempt, &d->witness);
        if (status == PLUMB_OK)
            status = split_all(d);
        if (d->open == 0)
            break;
    }
    if (status == PLUMB_ERR_STOPPED && d->witness.slice.c) {
        stop_dimension(d);
        status = PLUMB_OK;
    }
    if (status == PLUMB_OK)
        status = set_slice_stack(NULL, (const char *const *)d->system->names, &d->witness.slice, &slice);
    if (d->open > 0 && info->verdict == PLUMB_SOLVE_COMPLETE) {
        info->verdict = PLUMB_SOLVE_MISSING;
        snprintf(info->line, sizeof info->line, "%lld witness point%s could not be put into irreducible components",
                 (long long)d->open, d->open == 1 ? "" : "s");
    }
    if (status == PLUMB_OK)
        status = plumb_components_add_dimension(d->made, info, slice);
    if (status == PLUMB_OK && !d->stopped)
        status = keep_dimension(d, before);
    set_witness_clear(&d->witness);
    return status;
}

static const set_stage ISOLATED = {.kind = SET_STAGE_ISOLATED}, WHOLE = {.kind = SET_STAGE_WHOLE};

/* Dimension 0: all equations at once, which plumb_solve simplifies as it does for itself. After a stop there are the solutions that
 * were found. */
static plumb_status do_isolated(decomposition *d)
{
    plumb_component_dimension info = {.dimension = 0};
    begin_dimension(d, 0);
    plumb_status status =
        set_stage_solve(&d->solver, &ISOLATED, d->system, d->options->seed, &info, &d->made->isolated);
    d->stopped = status == PLUMB_ERR_STOPPED && d->made->isolated;
    if (d->stopped)
        status = PLUMB_OK;
    return status == PLUMB_OK ? plumb_components_add_dimension(d->made, &info, NULL) : status;
}

/* A slice of the whole space. */
static plumb_status make_whole(decomposition *d, plumb_system **slice)
{
    const int64_t n = d->system->unknowns;
    plumb_status status = set_slice_make(n, n, d->options->seed, &d->witness.slice);
    if (status == PLUMB_OK)
        status = set_slice_stack(NULL, (const char *const *)d->system->names, &d->witness.slice, slice);
    return status;
}

/* All equations are zero: the solution set is the whole space, and any point is a witness point. */
static plumb_status do_whole(decomposition *d)
{
    const int64_t n = d->system->unknowns;
    const plumb_component info = {.dimension = n, .degree = 1, .multiplicity = 1, .state = PLUMB_COMPONENT_IRREDUCIBLE};
    plumb_component_dimension account = {.dimension = n};
    plumb_system *slice = NULL;
    plumb_solutions *point = NULL;
    begin_dimension(d, n);
    plumb_status status = make_whole(d, &slice);
    if (status == PLUMB_OK)
        status = set_stage_solve(&d->solver, &WHOLE, slice, d->options->seed, &account, &point);
    if (status == PLUMB_OK)
        status = plumb_components_add(d->made, &info, point);
    else
        plumb_solutions_destroy(point);
    if (status == PLUMB_OK)
        status = plumb_components_add_dimension(d->made, &account, slice);
    else
        plumb_system_destroy(slice);
    set_witness_clear(&d->witness);
    return status;
}

/* A rank other than 0: takes part in the stages that rank 0 names. */
static plumb_status serve(decomposition *d)
{
    plumb_context *context = d->context;
    plumb_component_dimension info;
    for (;;) {
        const set_stage stage = set_stage_next();
        plumb_status status = PLUMB_OK;
        plumb_system *slice = NULL;
        plumb_solutions *none = NULL;
        switch (stage.kind) {
        case SET_STAGE_WITNESS:
            status = set_witness_serve(&d->solver, d->system, &stage);
            break;
        case SET_STAGE_ISOLATED:
            status = set_stage_solve(&d->solver, &stage, d->system, d->options->seed, &info, &none);
            break;
        case SET_STAGE_WHOLE:
            status = make_whole(d, &slice);
            if (status == PLUMB_OK)
                status = set_stage_solve(&d->solver, &stage, slice, d->options->seed, &info, &none);
            plumb_system_destroy(slice);
            set_witness_clear(&d->witness);
            break;
        default:
            return stage.status == PLUMB_OK ? PLUMB_OK
                                            : SAY((plumb_status)stage.status, "rank 0 failed: %s",
                                                  plumb_status_text((plumb_status)stage.status));
        }
        if (status == PLUMB_ERR_MEMORY)
            return status;
    }
}

static plumb_status do_all(decomposition *d, bool empty)
{
    const int64_t n = d->system->unknowns, m = d->system->equations, wanted = d->options->dimension;
    const int64_t least = wanted > n - m ? wanted : n - m, linear = d->solver.linear,
                  most = n - (linear > 0 ? linear : 1);
    const char *const *names = (const char *const *)d->system->names;
    plumb_status status = PLUMB_OK;
    if (!empty && m == 0)
        status = do_whole(d);
    for (int64_t k = most; k >= least && k > 0 && m > 0 && !empty && !d->stopped && status == PLUMB_OK; k--)
        status = do_dimension(d, k);
    if (status != PLUMB_OK || d->stopped)
        return status;
    if (!empty && m > 0 && least <= 0)
        return do_isolated(d);
    return wanted == 0 ? plumb_solutions_create(0, n, PLUMB_QD, names, &d->made->isolated) : PLUMB_OK;
}

static plumb_status decompose(decomposition *d, const plumb_system *given)
{
    const bool serves = d->options->ranks && ranks_is_worker();
    bool empty = false;
    d->solver = (set_solver){.context = d->context, .options = d->options};
    plumb_status status = plumb_components_make(given, d->options->seed, d->options->dimension, &d->made);
    if (status == PLUMB_OK)
        status = set_equations_leave(given, &d->system, &d->solver.linear, &empty);
    if (status == PLUMB_OK && !serves)
        status = set_journal_open(d->context, given, d->options, &d->solver.journal);
    if (status == PLUMB_OK)
        status = serves ? serve(d) : do_all(d, empty);
    set_stage_end(&d->solver, status);
    set_journal_close(&d->solver.journal, d->stopped);
    plumb_system_destroy(d->system);
    free(d->shift);
    return status;
}

plumb_status plumb_decompose(plumb_context *context, const plumb_system *system, const plumb_decompose_options *options,
                             plumb_components **components)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_decompose_options, dimension, OPTION_INT64, 0.0, (double)INFINITY),
        OPTION_RANGE(plumb_decompose_options, max_loops, OPTION_INT64, 0.0, 1e6),
        OPTION_FLAG(plumb_decompose_options, resume),
        OPTION_FLAG(plumb_decompose_options, ranks),
        OPTION_RANGE(plumb_decompose_options, rank_threads, OPTION_INT32, 0.0, (double)INFINITY),
        OPTION_RESERVED(plumb_decompose_options, reserved),
        OPTION_END};
    plumb_decompose_options wanted = defaults;
    if (components)
        *components = NULL;
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    if (!system || !components)
        return SAY(PLUMB_ERR_ARGUMENT, "system and components must not be NULL");
    if (system->denominators)
        return SAY(PLUMB_ERR_ARGUMENT, "%s", SYSTEM_HAS_DENOMINATORS);
    plumb_status status = plumb_options_take(options, &wanted, fields, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (wanted.ranks && !ranks_are_used())
        return SAY(PLUMB_ERR_ARGUMENT, "options: ranks is 1, but plumb_ranks_begin has not been called");
    decomposition d = {.context = context, .options = &wanted};
    status = decompose(&d, system);
    if (status == PLUMB_OK && !(wanted.ranks && ranks_is_worker())) {
        plumb_components_sort(d.made);
        *components = d.made;
        return PLUMB_OK;
    }
    plumb_components_destroy(d.made);
    return status == PLUMB_OK || context->message[0] ? status : SAY(status, "%s", plumb_status_text(status));
}
