/* sample.c - plumb_components_sample and plumb_components_intersect: where other slices meet a component.
 *
 * Random slices are parallel to one of the component, so that one batch of paths moves it to all of them (carrier.h). For real points
 * the slice is first turned to random real directions; its constants are then real as well, and the ends of paths that are their own
 * complex conjugates, within their errors in quad doubles, are real. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "model/solutions.h"
#include "model/system/polynomial.h"
#include "solver/sets/carrier.h"
#include "solver/sets/real.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum { ROUNDS = 24, MOST_TARGETS = 1024, NEXT_SEED = 1000003 };

/* A part of a number below this many times its error is zero. */
static const double ZERO = 16.0;

static const plumb_sample_options defaults = {.size = sizeof defaults, .count = 1, .radius = 1.0, .seed = 1};

void plumb_sample_options_init(plumb_sample_options *options)
{
    *options = defaults;
}

typedef struct sampler {
    plumb_context *context;
    plumb_sample_options options;
    set_carrier carrier;
    plumb_solutions *made; /* room for all */
    int64_t count;         /* that there are */
    bool stopped;
} sampler;

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    sampler *s = data;
    const int stop = s->options.progress(s->options.data, done, failed, total);
    s->stopped = s->stopped || stop != 0;
    return stop;
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* A regular point with an absolute error, in unknowns that are not shifted. Real points have imaginary parts that are 0. */
static plumb_status put_point(plumb_solutions *list, int64_t k, const plumb_view *x, double error, double rcond,
                              bool real)
{
    plumb_view one = *x;
    double size = 0.0;
    one.rows = list->unknowns;
    for (int64_t i = 0; i < one.rows; i++) {
        double *re = one.data + i, *im = re + one.prec * one.plane;
        const double modulus = plumb_modulus(re[0], im[0]);
        size = fmax(size, modulus);
        for (int32_t c = 0; c < one.prec; c++) {
            if (modulus <= ZERO * error)
                re[c * one.plane] = 0.0;
            if (modulus <= ZERO * error || real)
                im[c * one.plane] = 0.0;
        }
    }
    const plumb_status status = plumb_solutions_set(list, k, &one);
    solution_record *r = &list->record[k];
    r->kind = PLUMB_SOLUTION_REGULAR;
    r->prec = PLUMB_QD;
    r->real = real;
    r->err = size > 0.0 ? error / size : error;
    r->rco = rcond;
    r->known = (int32_t)fmax(0.0, size > 0.0 && error > 0.0 ? -log10(error / size) : 64.0);
    return status;
}

static bool is_real_point(const plumb_view *x, int64_t unknowns, double error)
{
    for (int64_t i = 0; i < unknowns; i++)
        if (!(fabs(x->data[x->prec * x->plane + i]) <= ZERO * error))
            return false;
    return true;
}

/* Takes the ends of the paths to one target. */
static plumb_status take(sampler *s, const plumb_family *family, const plumb_view *targets, int64_t target,
                         plumb_view *x, const plumb_solution_record *records, const plumb_instance *instance)
{
    const set_carrier *c = &s->carrier;
    plumb_view at = *targets;
    plumb_system *system = NULL;
    at.data += target * at.next;
    at.batch = 1;
    plumb_status status = plumb_family_at(family, &at, &system);
    for (int64_t k = 0; k < instance->solutions && s->count < s->options.count && status == PLUMB_OK; k++) {
        const int64_t entry = target * c->count + k;
        plumb_view one = set_points_one(x, entry);
        double error = 0.0;
        if (records[entry].kind != PLUMB_SOLUTION_REGULAR)
            continue;
        status = set_points_refine(s->context, system, &one, &error);
        if (status != PLUMB_OK || error < 0.0)
            continue;
        status = set_carrier_unshift(c, &one);
        const bool real = is_real_point(&one, c->unknowns, error);
        if (status == PLUMB_OK && (real || !s->options.real))
            status = put_point(s->made, s->count++, &one, error, records[entry].rcond, real);
    }
    plumb_system_destroy(system);
    return status;
}

/* Constants for the slices: random complex ones, or those for which real slices pass through random points. */
static void draw_targets(const sampler *s, plumb_random *random, const plumb_view *to)
{
    const set_carrier *c = &s->carrier;
    double *y = calloc((size_t)c->unknowns + 1, sizeof *y);
    for (int64_t j = 0; j < to->batch && y; j++) {
        for (int64_t i = 0; i < c->unknowns; i++)
            y[i] = s->options.radius * (2.0 * plumb_random_unit(random) - 1.0);
        for (int64_t e = 0; e < c->dimension; e++) {
            double value[2];
            double *data = to->data + j * to->next + e;
            set_direction(random, value);
            if (s->options.real) {
                set_real_values(c->slice, e, y, value);
                value[0] = -rint(value[0] * 0x1p32) * 0x1p-32;
                value[1] = -value[1];
            }
            data[0] = value[0];
            data[to->plane] = value[1];
        }
    }
    free(y);
}

static plumb_status do_round(sampler *s, plumb_random *random)
{
    const set_carrier *c = &s->carrier;
    const int64_t missing = s->options.count - s->count, paths = c->count,
                  least = missing / paths + (missing % paths != 0), wanted = s->options.real ? 2 * least + 8 : least,
                  count = wanted < MOST_TARGETS ? wanted : MOST_TARGETS;
    plumb_view targets = {.data = NULL};
    set_ends ends = {.family = NULL};
    plumb_status status =
        plumb_array_create(s->context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, c->dimension, 1, count, &targets);
    if (status == PLUMB_OK) {
        draw_targets(s, random, &targets);
        status = set_carrier_follow(c, &targets, s->options.seed, s->options.progress ? on_progress : NULL, s, &ends);
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK && !s->stopped && s->count < s->options.count; k++)
        status = take(s, ends.family, &targets, k, &ends.x, ends.records, &ends.instances[k]);
    plumb_array_destroy(s->context, &targets);
    set_ends_clear(c, &ends);
    return status;
}

static plumb_status sample(sampler *s)
{
    plumb_random random = plumb_random_start(s->options.seed ^ 0x53414D504C45);
    plumb_status status = PLUMB_OK;
    for (uint64_t k = 0; k < ROUNDS && s->count < s->options.count && status == PLUMB_OK && !s->stopped; k++) {
        if (s->options.real) {
            plumb_system *slice = NULL;
            status = set_real_slice(s->carrier.slice, s->carrier.dimension, s->options.seed + k * NEXT_SEED, &slice);
            if (status == PLUMB_OK)
                status = set_carrier_turn(&s->carrier, slice, s->options.seed + k);
            plumb_system_destroy(slice);
        }
        if (status == PLUMB_OK && !s->carrier.usable)
            break;
        if (status == PLUMB_OK)
            status = do_round(s, &random);
    }
    return status;
}

/* ---- The public functions ------------------------------------------------------------------------------------------ */

static plumb_status check(plumb_context *context, const plumb_components *components, int64_t index)
{
    if (!components)
        return SAY(PLUMB_ERR_ARGUMENT, "components is NULL");
    if (index < 0 || index >= components->count)
        return SAY(PLUMB_ERR_ARGUMENT, "found component %lld, expected one of %lld", (long long)index,
                   (long long)components->count);
    return PLUMB_OK;
}

static plumb_status finish(plumb_context *context, plumb_status status, bool stopped)
{
    if (status == PLUMB_OK && stopped)
        return SAY(PLUMB_ERR_STOPPED, "stopped on request");
    return status == PLUMB_OK || context->message[0] ? status : SAY(status, "%s", plumb_status_text(status));
}

/* The first points of a list become one of their own. */
static plumb_status keep_first(plumb_solutions *list, int64_t count, plumb_solutions **kept)
{
    plumb_status status =
        plumb_solutions_create(count, list->unknowns, list->prec, (const char *const *)list->names, kept);
    if (status != PLUMB_OK)
        return status;
    const size_t numbers = (size_t)(count * list->unknowns * 2 * list->prec);
    memcpy((*kept)->x, list->x, numbers * sizeof *list->x);
    memcpy((*kept)->record, list->record, (size_t)count * sizeof *list->record);
    return PLUMB_OK;
}

plumb_status plumb_components_sample(plumb_context *context, const plumb_components *components, int64_t index,
                                     const plumb_sample_options *options, plumb_solutions **solutions)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_sample_options, count, OPTION_INT64, 0.0, 1e9), OPTION_FLAG(plumb_sample_options, real),
        OPTION_RESERVED(plumb_sample_options, reserved),
        OPTION_RANGE(plumb_sample_options, radius, OPTION_REAL, 1e-100, 1e100), OPTION_END};
    sampler s = {.context = context, .options = defaults};
    if (solutions)
        *solutions = NULL;
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    plumb_status status =
        solutions ? check(context, components, index) : SAY(PLUMB_ERR_ARGUMENT, "solutions must not be NULL");
    if (status == PLUMB_OK)
        status = plumb_options_take(options, &s.options, fields, context->message, sizeof context->message);
    if (status == PLUMB_OK && s.options.real && !set_real_system(components->system))
        status = SAY(PLUMB_ERR_ARGUMENT, "the equations have complex coefficients; real points need real ones");
    if (status == PLUMB_OK)
        status = plumb_solutions_create(s.options.count, components->system->unknowns, PLUMB_QD,
                                        (const char *const *)components->system->names, &s.made);
    if (status == PLUMB_OK)
        status = set_carrier_make(context, components, index, false, s.options.seed, &s.carrier);
    if (status == PLUMB_OK && !s.carrier.usable)
        status = SAY(PLUMB_ERR_ARGUMENT, "the witness points of component %lld are not those of its slice",
                     (long long)index);
    if (status == PLUMB_OK)
        status = sample(&s);
    if (status == PLUMB_OK && !s.stopped)
        status = keep_first(s.made, s.count, solutions);
    set_carrier_clear(&s.carrier);
    plumb_solutions_destroy(s.made);
    return finish(context, status, s.stopped);
}

/* ---- Intersections ------------------------------------------------------------------------------------------------- */

/* The equations in the unknowns of the components. */
static plumb_status take_equations(plumb_context *context, const plumb_system *given, const plumb_system *system,
                                   int64_t dimension, plumb_system **slice)
{
    int32_t *to = calloc((size_t)given->unknowns + 1, sizeof *to);
    polynomial *p = calloc((size_t)given->equations + 1, sizeof *p);
    plumb_status status = to && p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *slice = NULL;
    if (status == PLUMB_OK && (given->denominators || given->declared > 0 || given->equations != dimension))
        status = SAY(PLUMB_ERR_ARGUMENT, "found %lld equations, expected as many linear ones as the dimension, %lld",
                     (long long)given->equations, (long long)dimension);
    for (int64_t i = 0; i < given->unknowns && status == PLUMB_OK; i++) {
        to[i] = -1;
        for (int64_t j = 0; j < system->unknowns; j++)
            if (strcmp(given->names[i], system->names[j]) == 0)
                to[i] = (int32_t)j;
        if (to[i] < 0)
            status = SAY(PLUMB_ERR_ARGUMENT, "the components have no unknown %s", given->names[i]);
    }
    for (int64_t e = 0; e < given->equations && status == PLUMB_OK; e++) {
        if (plumb_system_degree(given, e) != 1)
            status = SAY(PLUMB_ERR_ARGUMENT, "equation %lld is not linear", (long long)e + 1);
        for (int64_t k = given->equation[e]; k < given->equation[e + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &given->terms[k];
            const system_factor factor = {t->count > 0 ? to[given->factors[t->first].unknown] : 0, 1};
            status = plumb_poly_append(&p[e], t->re, t->im, &factor, t->count, t->degree);
        }
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[e]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, given->equations, (const char *const *)system->names, system->unknowns, slice);
    for (int64_t e = 0; p && e < given->equations; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    free(to);
    return status;
}

typedef struct crossing {
    plumb_context *context;
    set_carrier carrier;
    plumb_system *target;
    plumb_view ends;
    plumb_path_record *records;
    bool real; /* the equations */
    plumb_intersection account;
    plumb_solutions *made;
} crossing;

static void count_ends(crossing *c)
{
    plumb_intersection *a = &c->account;
    *a = (plumb_intersection){.paths = c->carrier.count};
    for (int64_t k = 0; k < c->carrier.count; k++) {
        const plumb_path_record *r = &c->records[k];
        *(r->code == PLUMB_PATH_SUCCESS && r->multiplicity == 1               ? &a->regular
          : r->code == PLUMB_PATH_SINGULAR                                    ? &a->singular
          : r->code == PLUMB_PATH_AT_INFINITY || r->code == PLUMB_PATH_BEYOND ? &a->infinite
          : r->code == PLUMB_PATH_NOT_ISOLATED                                ? &a->not_isolated
                                                                              : &a->failed) += 1;
    }
}

static plumb_status cross(crossing *c, uint64_t seed)
{
    enum { ATTEMPTS = 3 };
    plumb_context *context = c->context;
    plumb_status status = PLUMB_OK;
    for (uint64_t k = 0; k < ATTEMPTS && status == PLUMB_OK && (k == 0 || c->account.failed > 0); k++) {
        plumb_homotopy_options options;
        plumb_track_options track;
        plumb_homotopy *homotopy = NULL;
        plumb_homotopy_options_init(&options);
        plumb_track_options_init(&track);
        options.seed = track.seed = seed + k * NEXT_SEED;
        options.projective = c->target->equations == c->target->unknowns;
        status = plumb_homotopy_create(c->carrier.start, c->target, &options, &homotopy);
        if (status == PLUMB_OK)
            status = plumb_track(context, homotopy, &c->carrier.x, &c->ends, &track, c->records);
        if (status == PLUMB_OK)
            count_ends(c);
        plumb_homotopy_destroy(homotopy);
    }
    return status;
}

/* The singular ends that are the same point as end k, within their errors; 0 if an earlier one is. */
static int64_t count_same(const crossing *c, int64_t k, double *error)
{
    int64_t same = 0;
    const double own = c->records[k].error;
    *error = own;
    for (int64_t j = 0; j < c->carrier.count; j++) {
        if (c->records[j].code != PLUMB_PATH_SINGULAR)
            continue;
        const double other = c->records[j].error;
        double size = 1e-300;
        for (int64_t i = 0; i < c->carrier.unknowns; i++)
            size = fmax(size, fabs(c->ends.data[k * c->ends.next + i]));
        if (set_points_distance(&c->ends, k, &c->ends, j, c->carrier.unknowns) > 64.0 * (own + other) * (1.0 + size))
            continue;
        if (j < k)
            return 0;
        same++;
        *error = fmax(*error, other);
    }
    return same;
}

static plumb_status collect(crossing *c)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < c->carrier.count && status == PLUMB_OK; k++) {
        const plumb_path_record *r = &c->records[k];
        const bool regular = r->code == PLUMB_PATH_SUCCESS && r->multiplicity == 1;
        plumb_view one = set_points_one(&c->ends, k);
        double error = 0.0;
        const int64_t same = r->code == PLUMB_PATH_SINGULAR ? count_same(c, k, &error) : regular;
        if (same == 0)
            continue;
        if (regular)
            status = set_points_refine(c->context, c->target, &one, &error);
        if (status == PLUMB_OK)
            status = set_carrier_unshift(&c->carrier, &one);
        double size = 1e-300;
        for (int64_t i = 0; i < c->carrier.unknowns; i++)
            size = fmax(size, plumb_modulus(one.data[i], one.data[one.prec * one.plane + i]));
        if (error < 0.0 || !regular)
            error = fmax(r->error, regular ? 0.0 : error) * fmax(size, 1.0);
        const bool real = c->real && is_real_point(&one, c->carrier.unknowns, error);
        const int64_t at = c->account.solutions++;
        if (status == PLUMB_OK)
            status = put_point(c->made, at, &one, error, r->condition > 1.0 ? 1.0 / r->condition : 1.0, real);
        c->made->record[at].multiplicity = same;
        c->made->record[at].kind = regular ? PLUMB_SOLUTION_REGULAR : PLUMB_SOLUTION_SINGULAR;
        c->account.real += real;
    }
    return status;
}

plumb_status plumb_components_intersect(plumb_context *context, const plumb_components *components, int64_t index,
                                        const plumb_system *equations, uint64_t seed, plumb_solutions **solutions,
                                        plumb_intersection *intersection)
{
    crossing c = {.context = context};
    plumb_system *slice = NULL;
    if (solutions)
        *solutions = NULL;
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    plumb_status status = solutions && equations ? check(context, components, index)
                                                 : SAY(PLUMB_ERR_ARGUMENT, "equations and solutions must not be NULL");
    if (status == PLUMB_OK)
        status = take_equations(context, equations, components->system, components->list[index].info.dimension, &slice);
    if (status == PLUMB_OK)
        status = set_carrier_make(context, components, index, false, seed, &c.carrier);
    if (status == PLUMB_OK && !c.carrier.usable)
        status = SAY(PLUMB_ERR_ARGUMENT, "the witness points of component %lld are not those of its slice",
                     (long long)index);
    if (status == PLUMB_OK)
        status = set_carrier_system(&c.carrier, slice, &c.target);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, c.carrier.x.rows, 1, c.carrier.count,
                                    &c.ends);
    c.records = calloc((size_t)c.carrier.count + 1, sizeof *c.records);
    if (status == PLUMB_OK && !c.records)
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_solutions_create(c.carrier.count, components->system->unknowns, PLUMB_QD,
                                        (const char *const *)components->system->names, &c.made);
    if (status == PLUMB_OK) {
        c.real = set_real_system(components->system) && set_real_system(slice);
        status = cross(&c, seed);
    }
    if (status == PLUMB_OK)
        status = collect(&c);
    if (status == PLUMB_OK)
        status = keep_first(c.made, c.account.solutions, solutions);
    if (status == PLUMB_OK && intersection)
        *intersection = c.account;
    plumb_array_destroy(context, &c.ends);
    free(c.records);
    plumb_solutions_destroy(c.made);
    plumb_system_destroy(c.target);
    plumb_system_destroy(slice);
    set_carrier_clear(&c.carrier);
    return finish(context, status, false);
}
