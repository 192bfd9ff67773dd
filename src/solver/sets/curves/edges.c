/* edges.c - see edges.h. */
#include "solver/sets/curves/edges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/polynomial.h"
#include "solver/family/family.h"

enum { LEVELS = 14, MOST_SAMPLES = 4000, CORRECTIONS = 8, NEXT_SEED = 1000003, RETRIES = 2 };

/* A point is real if its imaginary parts are below this multiple of its error, or relative to its size. */
static const double REAL = 64.0, NEARLY_REAL = 1e-20;
/* Where a path does not arrive, it is followed to this part of the way only. */
static const double SHORT = 0.999;
/* Largest distance of neighbouring samples, below which turns do not matter, and the largest turn (its cosine) in pictures of size 1. */
static const double FAR = 0.04, CLOSE = 1.5e-3, TURN = 0.995;
/* A corrected sample is within this part of the distance of its neighbours from where it was expected. */
static const double SURPRISE = 0.4;

void curve_edge_clear(curve_edge *edge)
{
    free(edge->pi);
    free(edge->x);
    *edge = (curve_edge){.count = 0};
}

void curve_edges_clear(curve_edges *edges)
{
    for (int64_t k = 0; k < edges->count; k++)
        curve_edge_clear(&edges->edge[k]);
    free(edges->edge);
    *edges = (curve_edges){.count = 0};
}

static bool add_sample(curve_edge *e, double pi, const double *x, int64_t width)
{
    if (e->count == e->room) {
        const int64_t room = 2 * e->room + 32;
        double *more = realloc(e->pi, (size_t)room * sizeof *more);
        e->pi = more ? more : e->pi;
        double *points = realloc(e->x, (size_t)(room * width) * sizeof *points);
        e->x = points ? points : e->x;
        if (!more || !points)
            return false;
        e->room = room;
    }
    memcpy(e->x + e->count * width, x, (size_t)width * sizeof *x);
    e->pi[e->count++] = pi;
    return true;
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* The system of the fibre pi = value. */
static plumb_status system_at(const set_carrier *c, double value, plumb_system **system)
{
    const plumb_system *s = c->slice;
    polynomial p = {.terms = NULL};
    plumb_system *slice = NULL;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    plumb_status status = PLUMB_OK;
    for (int64_t k = s->equation[0]; k < s->equation[1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        if (t->count > 0)
            status = plumb_poly_append(&p, t->re, t->im, s->factors + t->first, t->count, t->degree);
    }
    mpq_set_d(re, -value);
    if (status == PLUMB_OK)
        status = plumb_poly_append(&p, re, im, NULL, 0, 0);
    if (status == PLUMB_OK)
        status = plumb_poly_normalise(&p);
    if (status == PLUMB_OK)
        status = plumb_system_build(&p, 1, (const char *const *)s->names, s->unknowns, &slice);
    if (status == PLUMB_OK)
        status = set_carrier_system(c, slice, system);
    mpq_clears(re, im, NULL);
    plumb_poly_clear(&p);
    plumb_system_destroy(slice);
    return status;
}

/* What the callback of the tracker fills. */
typedef struct recorder {
    curve_edge *side; /* of each path */
    double from, to;
    int64_t unknowns;
    bool failed;
} recorder;

static void leading_limbs(const double *from, int64_t unknowns, int32_t prec, double *to)
{
    for (int64_t i = 0; i < unknowns; i++) {
        to[2 * i] = from[2 * i * prec];
        to[2 * i + 1] = from[(2 * i + 1) * prec];
    }
}

static void on_step(void *data, const plumb_path_step *step)
{
    recorder *r = data;
    curve_edge *e = &r->side[step->path];
    const double pi = r->from + (r->to - r->from) * step->t;
    double *x = malloc((size_t)(2 * r->unknowns) * sizeof *x);
    if (!x || step->unknowns != r->unknowns) {
        r->failed = true;
        free(x);
        return;
    }
    if (step->rerun > e->component) { /* begins again; the place of the component is free here */
        e->count = 1;
        e->component = step->rerun;
    }
    leading_limbs(step->x, r->unknowns, step->prec, x);
    const bool on_axis = step->t_imag == 0.0 && step->t < 1.0;
    const bool onward = e->count == 0 || fabs(pi - r->from) > fabs(e->pi[e->count - 1] - r->from);
    if (on_axis && onward && !add_sample(e, pi, x, 2 * r->unknowns))
        r->failed = true;
    free(x);
}

/* Follows real points from one fibre to another, and records the way. */
static plumb_status walk(const set_carrier *c, const plumb_system *start, double from, double to, const plumb_view *x,
                         uint64_t seed, curve_edge *side, plumb_path_record *records)
{
    plumb_context *context = c->context;
    plumb_homotopy_options options;
    plumb_track_options track;
    plumb_homotopy *homotopy = NULL;
    plumb_system *target = NULL;
    plumb_view ends = {.data = NULL};
    recorder r = {.side = side, .from = from, .to = to, .unknowns = x->rows};
    plumb_homotopy_options_init(&options);
    options.gamma[0] = 1.0; /* real paths */
    options.gamma[1] = 0.0;
    options.unscaled = 1;
    plumb_track_options_init(&track);
    track.seed = seed;
    track.turn = 0.3;
    track.step = on_step;
    track.data = &r;
    for (int64_t k = 0; k < x->batch; k++) {
        const plumb_view one = set_points_one(x, k);
        double *first = malloc((size_t)(2 * x->rows) * sizeof *first);
        if (!first)
            return PLUMB_ERR_MEMORY;
        for (int64_t i = 0; i < x->rows; i++) {
            first[2 * i] = one.data[i];
            first[2 * i + 1] = one.data[one.prec * one.plane + i];
        }
        side[k].count = 0;
        side[k].component = 0;
        const bool good = add_sample(&side[k], from, first, 2 * x->rows);
        free(first);
        if (!good)
            return PLUMB_ERR_MEMORY;
    }
    plumb_status status = system_at(c, to, &target);
    if (status == PLUMB_OK)
        status = plumb_homotopy_create(start, target, &options, &homotopy);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, x->rows, 1, x->batch, &ends);
    if (status == PLUMB_OK)
        status = plumb_track(context, homotopy, x, &ends, &track, records);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK && !r.failed; k++) {
        const int32_t code = records[k].code;
        double *last = malloc((size_t)(2 * x->rows) * sizeof *last);
        if (!last)
            r.failed = true;
        for (int64_t i = 0; last && i < x->rows; i++) {
            last[2 * i] = ends.data[k * ends.next + i];
            last[2 * i + 1] = ends.data[k * ends.next + ends.prec * ends.plane + i];
        }
        side[k].arrived[0] =
            code == PLUMB_PATH_SUCCESS || code == PLUMB_PATH_SINGULAR || code == PLUMB_PATH_NOT_ISOLATED;
        if (last && side[k].arrived[0])
            r.failed = !add_sample(&side[k], to, last, 2 * x->rows);
        side[k].winding[0] = records[k].winding > 0 ? records[k].winding : 1;
        free(last);
    }
    plumb_array_destroy(context, &ends);
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(target);
    return status == PLUMB_OK && r.failed ? PLUMB_ERR_MEMORY : status;
}

/* The same, where paths that do not arrive are repeated, and followed to a place shortly before the end if that does not help. */
static plumb_status walk_surely(const set_carrier *c, const plumb_system *start, double from, double to,
                                const plumb_view *x, uint64_t seed, curve_edge *side, int64_t *failed)
{
    plumb_path_record *records = calloc((size_t)x->batch + 1, sizeof *records), one;
    plumb_status status = records ? walk(c, start, from, to, x, seed, side, records) : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++)
        for (int i = 0; i < RETRIES && status == PLUMB_OK && !side[k].arrived[0]; i++) {
            const plumb_view alone = set_points_one(x, k);
            const double place = i == 0 ? to : from + SHORT * (to - from);
            status = walk(c, start, from, place, &alone, seed + NEXT_SEED * (uint64_t)(i + 1), &side[k], &one);
            if (i == 0 || !side[k].arrived[0])
                continue;
            side[k].arrived[0] = false; /* near the end, but not there */
            side[k].winding[0] = 2;
            i = RETRIES;
        }
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++)
        *failed += !side[k].arrived[0] && fabs(side[k].pi[side[k].count - 1] - from) < 0.99 * SHORT * fabs(to - from);
    free(records);
    return status;
}

/* ---- Fibres -------------------------------------------------------------------------------------------------------- */

/* The real points of the fibres of some values, refined: those of fibre k are points first[k] .. first[k + 1] - 1 of x. */
typedef struct real_fibres {
    plumb_view x;
    int64_t *first;
} real_fibres;

static bool is_real_point(const plumb_view *x, int64_t unknowns, double error)
{
    double size = 1.0;
    for (int64_t i = 0; i < unknowns; i++)
        size = fmax(size, fabs(x->data[i]));
    for (int64_t i = 0; i < unknowns; i++)
        if (!(fabs(x->data[x->prec * x->plane + i]) <= fmax(REAL * error, NEARLY_REAL * size)))
            return false;
    return true;
}

static plumb_status take_fibre(const set_carrier *c, double value, const plumb_view *from, int64_t first, int64_t count,
                               real_fibres *f, int64_t *taken)
{
    plumb_system *system = NULL;
    plumb_view copy = {.data = NULL};
    plumb_status status = system_at(c, value, &system);
    if (status == PLUMB_OK)
        status = plumb_array_create(c->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, from->rows, 1, 1, &copy);
    for (int64_t k = first; k < first + count && status == PLUMB_OK; k++) {
        plumb_view one = set_points_one(from, k);
        double error = 0.0;
        status = set_points_refine(c->context, system, &one, &error);
        if (status != PLUMB_OK || error < 0.0)
            continue;
        status = plumb_copy(c->context, &one, &copy, NULL);
        if (status == PLUMB_OK)
            status = set_carrier_unshift(c, &copy);
        if (status != PLUMB_OK || !is_real_point(&copy, c->unknowns, error))
            continue;
        plumb_view to = set_points_one(&f->x, (*taken)++);
        status = plumb_copy(c->context, &one, &to, NULL);
    }
    plumb_array_destroy(c->context, &copy);
    plumb_system_destroy(system);
    return status;
}

static plumb_status find_fibres(const set_carrier *c, const double *value, int64_t count, uint64_t seed, real_fibres *f)
{
    plumb_context *context = c->context;
    plumb_view targets = {.data = NULL};
    set_ends ends = {.family = NULL};
    const plumb_system *s = c->slice;
    double constant[2] = {0.0, 0.0};
    int64_t taken = 0;
    f->first = calloc((size_t)count + 1, sizeof *f->first);
    for (int64_t k = s->equation[0]; k < s->equation[1]; k++)
        if (s->terms[k].count == 0) {
            constant[0] = mpq_get_d(s->terms[k].re);
            constant[1] = mpq_get_d(s->terms[k].im);
        }
    plumb_status status = f->first ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, count, &targets);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, c->start->unknowns, 1,
                                    count * c->count, &f->x);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        targets.data[k * targets.next] = -constant[0] - value[k];
        targets.data[k * targets.next + targets.plane] = -constant[1];
    }
    if (status == PLUMB_OK)
        status = set_carrier_follow(c, &targets, seed, NULL, NULL, &ends);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        status = take_fibre(c, value[k], &ends.x, k * c->count, ends.instances[k].solutions, f, &taken);
        f->first[k + 1] = taken;
    }
    plumb_array_destroy(context, &targets);
    set_ends_clear(c, &ends);
    return status;
}

/* ---- Edges --------------------------------------------------------------------------------------------------------- */

/* Puts the two ways from the middle together. */
static plumb_status join(curve_edges *edges, const curve_edge *left, const curve_edge *right, int64_t interval,
                         int64_t component, int64_t width)
{
    if (edges->count == edges->room) {
        const int64_t room = 2 * edges->room + 8;
        curve_edge *more = realloc(edges->edge, (size_t)room * sizeof *more);
        if (!more)
            return PLUMB_ERR_MEMORY;
        edges->edge = more;
        edges->room = room;
    }
    curve_edge *e = &edges->edge[edges->count++];
    bool good = true;
    *e = (curve_edge){.interval = interval,
                      .component = component,
                      .winding = {left->winding[0], right->winding[0]},
                      .arrived = {left->arrived[0], right->arrived[0]},
                      .vertex = {-1, -1}};
    for (int64_t k = left->count - 1; k > 0 && good; k--)
        good = add_sample(e, left->pi[k], left->x + k * width, width);
    for (int64_t k = 0; k < right->count && good; k++)
        good = add_sample(e, right->pi[k], right->x + k * width, width);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static plumb_status do_interval(const set_carrier *c, const double *value, int64_t interval, double middle,
                                const plumb_view *x, uint64_t seed, int64_t component, curve_edges *edges)
{
    plumb_system *start = NULL;
    curve_edge *side[2] = {calloc((size_t)x->batch + 1, sizeof *side[0]),
                           calloc((size_t)x->batch + 1, sizeof *side[1])};
    plumb_status status = side[0] && side[1] ? system_at(c, middle, &start) : PLUMB_ERR_MEMORY;
    for (int k = 0; k < 2 && status == PLUMB_OK; k++)
        status = walk_surely(c, start, middle, value[interval + k], x, seed + (uint64_t)k, side[k], &edges->failed);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++)
        status = join(edges, &side[0][k], &side[1][k], interval, component, 2 * x->rows);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; side[k] && i < x->batch; i++)
            curve_edge_clear(&side[k][i]);
        free(side[k]);
    }
    plumb_system_destroy(start);
    return status;
}

plumb_status curve_edges_find(const set_carrier *fibres, const double *a, const double *value, int64_t first,
                              int64_t last, uint64_t seed, int64_t component, curve_edges *edges)
{
    const int64_t count = last - first;
    real_fibres f = {.first = NULL};
    double *middle = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *middle);
    (void)a;
    if (count <= 0) {
        free(middle);
        return PLUMB_OK;
    }
    plumb_status status = middle ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < count && middle; k++) /* not in the very middle, where a symmetric curve may be special */
        middle[k] = value[first + k] + 0.4721 * (value[first + k + 1] - value[first + k]);
    if (status == PLUMB_OK)
        status = find_fibres(fibres, middle, count, seed, &f);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        plumb_view x = f.x;
        x.data += f.first[k] * x.next;
        x.batch = f.first[k + 1] - f.first[k];
        if (x.batch > 0)
            status =
                do_interval(fibres, value, first + k, middle[k], &x, seed + 16 * (uint64_t)(k + 1), component, edges);
    }
    plumb_array_destroy(fibres->context, &f.x);
    free(f.first);
    free(middle);
    return status;
}

/* ---- Smooth edges -------------------------------------------------------------------------------------------------- */

/* Newton's method in doubles on a batch of points at given values of pi. */
typedef struct corrector {
    const set_carrier *c;
    plumb_family *family;
    double constant[2];
    plumb_view x, values, jacobian;
    double *a; /* normal equations: unknowns x (unknowns + 1), complex */
} corrector;

static plumb_status corrector_begin(const set_carrier *c, corrector *r)
{
    const plumb_system *s = c->slice;
    const int64_t n = c->start->unknowns;
    *r = (corrector){.c = c, .a = calloc((size_t)(2 * n * (n + 1)) + 1, sizeof(double))};
    for (int64_t k = s->equation[0]; k < s->equation[1]; k++)
        if (s->terms[k].count == 0) {
            r->constant[0] = mpq_get_d(s->terms[k].re);
            r->constant[1] = mpq_get_d(s->terms[k].im);
        }
    return r->a ? set_carrier_family(c, &r->family) : PLUMB_ERR_MEMORY;
}

static void corrector_end(corrector *r)
{
    plumb_context *context = r->c->context;
    plumb_array_destroy(context, &r->x);
    plumb_array_destroy(context, &r->values);
    plumb_array_destroy(context, &r->jacobian);
    plumb_family_destroy(r->family);
    free(r->a);
}

/* Solves J dx = f in the least-squares sense for point k; false if the Jacobian is singular. dx is the last column of a. */
static bool solve_step(corrector *r, int64_t k)
{
    const int64_t n = r->c->start->unknowns, m = r->c->start->equations, w = n + 1;
    const double *jre = r->jacobian.data + k * r->jacobian.next, *jim = jre + r->jacobian.plane;
    const double *fre = r->values.data + k * r->values.next, *fim = fre + r->values.plane;
    double *a = r->a;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < w; j++) {
            double re = 0.0, im = 0.0;
            for (int64_t e = 0; e < m; e++) {
                const double pr = jre[i * r->jacobian.col + e], pi = -jim[i * r->jacobian.col + e];
                const double qr = j < n ? jre[j * r->jacobian.col + e] : fre[e],
                             qi = j < n ? jim[j * r->jacobian.col + e] : fim[e];
                re += pr * qr - pi * qi;
                im += pr * qi + pi * qr;
            }
            a[2 * (i * w + j)] = re;
            a[2 * (i * w + j) + 1] = im;
        }
    for (int64_t p = 0; p < n; p++) {
        const double pr = a[2 * (p * w + p)], pi = a[2 * (p * w + p) + 1], square = pr * pr + pi * pi;
        if (!(square > 0.0))
            return false;
        for (int64_t i = 0; i < n; i++) {
            if (i == p)
                continue;
            const double ar = a[2 * (i * w + p)], ai = a[2 * (i * w + p) + 1];
            const double qr = (ar * pr + ai * pi) / square, qi = (ai * pr - ar * pi) / square;
            for (int64_t j = p; j < w; j++) {
                const double br = a[2 * (p * w + j)], bi = a[2 * (p * w + j) + 1];
                a[2 * (i * w + j)] -= qr * br - qi * bi;
                a[2 * (i * w + j) + 1] -= qr * bi + qi * br;
            }
        }
    }
    for (int64_t i = 0; i < n; i++) {
        const double pr = a[2 * (i * w + i)], pi = a[2 * (i * w + i) + 1], square = pr * pr + pi * pi;
        const double br = a[2 * (i * w + n)], bi = a[2 * (i * w + n) + 1];
        a[2 * (i * w + n)] = (br * pr + bi * pi) / square;
        a[2 * (i * w + n) + 1] = (bi * pr - br * pi) / square;
    }
    return true;
}

/* Corrects `count` points (2 * unknowns doubles each) at their values of pi. *good: of each, it converged. */
static plumb_status correct(corrector *r, int64_t count, const double *pi, double *x, bool *good)
{
    const int64_t n = r->c->start->unknowns, m = r->c->start->equations;
    plumb_context *context = r->c->context;
    plumb_array_destroy(context, &r->x);
    plumb_array_destroy(context, &r->values);
    plumb_array_destroy(context, &r->jacobian);
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n + 1, 1, count, &r->x);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, 1, count, &r->values);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, n + 1, count, &r->jacobian);
    for (int64_t k = 0; k < count; k++)
        good[k] = false;
    for (int step = 0; step < CORRECTIONS && status == PLUMB_OK; step++) {
        for (int64_t k = 0; k < count; k++) {
            double *to = r->x.data + k * r->x.next;
            for (int64_t i = 0; i < n; i++) {
                to[i] = x[2 * (k * n + i)];
                to[r->x.plane + i] = x[2 * (k * n + i) + 1];
            }
            to[n] = -r->constant[0] - pi[k];
            to[r->x.plane + n] = -r->constant[1];
        }
        status = plumb_system_eval(context, plumb_family_system(r->family), &r->x, &r->values, &r->jacobian, NULL);
        for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
            double size = 1.0, move = 0.0;
            if (!solve_step(r, k)) {
                good[k] = false;
                continue;
            }
            for (int64_t i = 0; i < 2 * n; i++) {
                const double dx = r->a[2 * ((i / 2) * (n + 1) + n) + i % 2];
                x[k * 2 * n + i] -= dx;
                move = fmax(move, fabs(dx));
                size = fmax(size, fabs(x[k * 2 * n + i]));
            }
            good[k] = move <= 1e-9 * size; /* at the end */
        }
    }
    return status;
}

static double gap(const set_carrier *c, const curve_edge *e, int64_t k, const double *unit)
{
    double sum = 0.0;
    for (int64_t i = 0; i < c->unknowns; i++) {
        const double d = (curve_coordinate(c, e, k + 1, i) - curve_coordinate(c, e, k, i)) / unit[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* The cosine of the turn at sample k. */
static double turn(const set_carrier *c, const curve_edge *e, int64_t k, const double *unit)
{
    const double before = gap(c, e, k - 1, unit), after = gap(c, e, k, unit);
    double sum = 0.0;
    for (int64_t i = 0; i < c->unknowns; i++) {
        const double x = curve_coordinate(c, e, k, i);
        sum += (x - curve_coordinate(c, e, k - 1, i)) * (curve_coordinate(c, e, k + 1, i) - x) / (unit[i] * unit[i]);
    }
    return before > 0.0 && after > 0.0 ? sum / (before * after) : 1.0;
}

/* Is the part from sample k to the next to be divided? The parts at the ends are, where the curve turns on the way to a critical point. */
static bool is_coarse(const set_carrier *c, const curve_edge *e, int64_t k, const double *unit)
{
    const double length = gap(c, e, k, unit);
    const bool at_end = (k == 0 && e->winding[0] > 1) || (k == e->count - 2 && e->winding[1] > 1);
    if (length <= CLOSE)
        return false;
    return length > (at_end ? 0.25 * FAR : FAR) || (k > 0 && turn(c, e, k, unit) < TURN) ||
           (k + 2 < e->count && turn(c, e, k + 1, unit) < TURN);
}

/* The place in the middle of a part. Near an end with winding number w the point moves like the w-th root of pi. */
static double guess(const curve_edge *e, int64_t k, int64_t width, double *x)
{
    const double *p = e->x + k * width, *q = p + width;
    for (int64_t i = 0; i < width; i++)
        x[i] = 0.5 * (p[i] + q[i]);
    if (k == 0 && e->arrived[0] && e->winding[0] > 1)
        return e->pi[0] + (e->pi[1] - e->pi[0]) * exp2(-e->winding[0]);
    if (k == e->count - 2 && e->arrived[1] && e->winding[1] > 1)
        return e->pi[k + 1] + (e->pi[k] - e->pi[k + 1]) * exp2(-e->winding[1]);
    return 0.5 * (e->pi[k] + e->pi[k + 1]);
}

/* A part that is to be divided. */
typedef struct division {
    int64_t edge, sample;
} division;

/* One round: divides all coarse parts once. done: parts that could not be divided, by their first sample, are left alone. */
static plumb_status refine_once(corrector *r, const double *unit, int64_t first, curve_edges *edges, int64_t *divided)
{
    const set_carrier *c = r->c;
    const int64_t width = 2 * c->start->unknowns;
    int64_t count = 0;
    *divided = 0;
    for (int64_t j = first; j < edges->count; j++)
        for (int64_t k = 0; k + 1 < edges->edge[j].count; k++)
            count += edges->edge[j].count < MOST_SAMPLES && is_coarse(c, &edges->edge[j], k, unit);
    if (count == 0)
        return PLUMB_OK;
    division *list = calloc((size_t)count, sizeof *list);
    double *x = calloc((size_t)(count * width), sizeof *x), *pi = calloc((size_t)count, sizeof *pi),
           *was = calloc((size_t)(count * width), sizeof *was);
    bool *good = calloc((size_t)count, sizeof *good);
    plumb_status status = list && x && pi && was && good ? PLUMB_OK : PLUMB_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t j = first; j < edges->count && status == PLUMB_OK; j++)
        for (int64_t k = 0; k + 1 < edges->edge[j].count; k++)
            if (edges->edge[j].count < MOST_SAMPLES && is_coarse(c, &edges->edge[j], k, unit)) {
                list[at] = (division){j, k};
                pi[at] = guess(&edges->edge[j], k, width, x + at * width);
                at++;
            }
    if (status == PLUMB_OK) {
        memcpy(was, x, (size_t)(count * width) * sizeof *x);
        status = correct(r, count, pi, x, good);
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        const curve_edge *e = &edges->edge[list[k].edge];
        double apart = 0.0, length = 0.0, imaginary = 0.0;
        for (int64_t i = 0; i < c->unknowns; i++) {
            const double *p = e->x + list[k].sample * width + 2 * i;
            apart = fmax(apart, fabs(x[k * width + 2 * i] - was[k * width + 2 * i]) / unit[i]);
            length = fmax(length, fabs(p[width] - p[0]) / unit[i]);
            imaginary = fmax(imaginary, fabs(x[k * width + 2 * i + 1] + c->shift[2 * i + 1]) / unit[i]);
        }
        good[k] = good[k] && apart <= SURPRISE * length && imaginary <= 1e-7;
        *divided += good[k];
    }
    for (int64_t k = count - 1; k >= 0 && status == PLUMB_OK; k--) { /* from the end: numbers before stay */
        curve_edge *e = &edges->edge[list[k].edge];
        const int64_t to = list[k].sample + 1;
        if (!good[k])
            continue;
        if (!add_sample(e, pi[k], x + k * width, width)) {
            status = PLUMB_ERR_MEMORY;
            break;
        }
        memmove(e->x + (to + 1) * width, e->x + to * width, (size_t)((e->count - 1 - to) * width) * sizeof *e->x);
        memmove(e->pi + to + 1, e->pi + to, (size_t)(e->count - 1 - to) * sizeof *e->pi);
        memcpy(e->x + to * width, x + k * width, (size_t)width * sizeof *x);
        e->pi[to] = pi[k];
    }
    free(list);
    free(x);
    free(pi);
    free(was);
    free(good);
    return status;
}

/* Points on the way of a path have a few digits only: all of them but the ends get those of a double. */
static plumb_status polish(corrector *r, const double *unit, int64_t first, curve_edges *edges)
{
    static const double MOST_MOVE = 1e-3; /* in pictures of size 1 */
    const int64_t width = 2 * r->c->start->unknowns;
    int64_t count = 0, at = 0;
    for (int64_t j = first; j < edges->count; j++)
        count += edges->edge[j].count > 2 ? edges->edge[j].count - 2 : 0;
    if (count == 0)
        return PLUMB_OK;
    double *x = calloc((size_t)(count * width), sizeof *x), *pi = calloc((size_t)count, sizeof *pi);
    bool *good = calloc((size_t)count, sizeof *good);
    plumb_status status = x && pi && good ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t j = first; j < edges->count && status == PLUMB_OK; j++) {
        const curve_edge *e = &edges->edge[j];
        for (int64_t k = 1; k + 1 < e->count; k++, at++) {
            memcpy(x + at * width, e->x + k * width, (size_t)width * sizeof *x);
            pi[at] = e->pi[k];
        }
    }
    if (status == PLUMB_OK)
        status = correct(r, count, pi, x, good);
    at = 0;
    for (int64_t j = first; j < edges->count && status == PLUMB_OK; j++) {
        curve_edge *e = &edges->edge[j];
        for (int64_t k = 1; k + 1 < e->count; k++, at++) {
            for (int64_t i = 0; i < r->c->unknowns; i++)
                good[at] = good[at] && fabs(x[at * width + 2 * i] - e->x[k * width + 2 * i]) <= MOST_MOVE * unit[i];
            if (good[at])
                memcpy(e->x + k * width, x + at * width, (size_t)width * sizeof *x);
        }
    }
    free(x);
    free(pi);
    free(good);
    return status;
}

plumb_status curve_edges_refine(const set_carrier *fibres, const double *unit, int64_t first, curve_edges *edges)
{
    corrector r;
    int64_t divided = 1;
    plumb_status status = corrector_begin(fibres, &r);
    if (status == PLUMB_OK)
        status = polish(&r, unit, first, edges);
    for (int k = 0; k < LEVELS && divided > 0 && status == PLUMB_OK; k++)
        status = refine_once(&r, unit, first, edges, &divided);
    corrector_end(&r);
    return status;
}
