/* member.c - plumb_components_member: whether points lie on components.
 *
 * The equations are evaluated first, exactly. With a tolerance, a bound of what the values can change within it decides. All other points are
 * taken together: the slice of a component moves to each of them in one batch (carrier.h), and a point is on the component if a path
 * ends at it. A regular end that is near the point is refined by MPFR on the slice through the point. It is the point if the point
 * is a zero, too, and is so near that there is no other one. Where an end is singular, all paths to the point are followed in MPFR, unless the answers
 * for other components decide.
 *
 * A point that solves all equations exactly lies on some component or is isolated. If the list of them is complete, this decides the last
 * one that is open, and shows a contradiction if none is left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "model/points.h"
#include "model/solutions.h"
#include "solver/mp/exact.h"
#include "solver/mp/follow.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"
#include "solver/sets/carrier.h"
#include "solver/sets/slices.h"
#include "solver/solve/simplify.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

enum {
    POINT_BITS = 1024, /* of a point, and of differences from it */
    FEW_BITS = 256,    /* in which a regular end is refined */
    MANY_BITS = 768,   /* and an isolated solution */
    FOLLOW_DIGITS = 50 /* of a singular end */
};

/* An end is elsewhere if it is farther away than this many times its error. Errors of tracked ends are estimates. */
static const double APART = 16.0, FAR_APART = 1e4;
/* Ends within this distance, relative to the size of the point, are refined whatever their errors are said to be. */
static const double NEAR_END = 1e-6;
/* An end of a path to a singular zero is that zero if it is as near as this, relative to its size. */
static const double SAME = 1e-40;
/* How far a singular end may move, relative to the point that the slice goes through. */
static const double STEEP = 1e8;
/* Regular ends that are as near as this to each other, relative to their size, are the same. */
static const double DISTINCT = 1e-40;
/* The work for one path to a singular end, in units of mp_system_cost: about a second. */
static const double FOLLOW_WORK = 3e8;
static const double MOST_MOVE = 0x1p-10;

static const plumb_member_options defaults = {.size = sizeof defaults, .seed = 1};

void plumb_member_options_init(plumb_member_options *options)
{
    *options = defaults;
}

typedef struct membership {
    plumb_context *context;
    const plumb_components *components;
    plumb_member_options options;
    int64_t count, unknowns, row; /* row: entries per point */
    mpq_t *x;                     /* the points in the order of the unknowns of the components */
    bool *zero;                   /* of each point: all equations vanish there, exactly */
    int64_t *most;                /* of each point: no component of a larger dimension contains it (conclude) */
    bool *near;                   /* of each entry: an end of a path is to be looked at more closely */
    plumb_member *members;
    bool stopped;
} membership;

static plumb_member *entry(const membership *m, int64_t point, int64_t component)
{
    return &m->members[point * m->row + component];
}

static const mpq_t *point_of(const membership *m, int64_t point)
{
    return (const mpq_t *)(m->x + 2 * point * m->unknowns);
}

/* ---- The equations ------------------------------------------------------------------------------------------------- */

/* *most = |x| + add, rounded up. */
static void add_up(mpfr_t most, const mp_complex *x, double add)
{
    mpfr_hypot(most, x->re, x->im, MPFR_RNDU);
    mpfr_add_d(most, most, add, MPFR_RNDU);
}

/* A bound of what the value of an equation can change if each unknown moves by at most the tolerance: the sum over the terms of |c|
 * ((|x_1| + t)^e_1 ... - |x_1|^e_1 ...). room: 4 numbers. */
static void bound_change(const plumb_system *s, int64_t e, const mp_complex *x, double tolerance, mpfr_t *room,
                         mpfr_t bound)
{
    const mpfr_prec_t bits = mpfr_get_prec(bound);
    mpfr_set_zero(bound, 1);
    for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
        const system_term *t = &s->terms[k];
        mpfr_set_ui(room[0], 1, MPFR_RNDU);
        mpfr_set_ui(room[1], 1, MPFR_RNDD);
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &s->factors[t->first + i];
            add_up(room[2], &x[f->unknown], tolerance);
            mpfr_pow_ui(room[2], room[2], (unsigned long)f->exponent, MPFR_RNDU);
            mpfr_mul(room[0], room[0], room[2], MPFR_RNDU);
            mpfr_hypot(room[2], x[f->unknown].re, x[f->unknown].im, MPFR_RNDD);
            mpfr_pow_ui(room[2], room[2], (unsigned long)f->exponent, MPFR_RNDD);
            mpfr_mul(room[1], room[1], room[2], MPFR_RNDD);
        }
        mpfr_set_q(room[2], t->re, MPFR_RNDA);
        mpfr_set_q(room[3], t->im, MPFR_RNDA);
        mpfr_hypot(room[2], room[2], room[3], MPFR_RNDU);
        mpfr_mul_2si(room[3], room[0], 8 - (long)bits, MPFR_RNDU); /* what the rounding of x contributes */
        mpfr_sub(room[0], room[0], room[1], MPFR_RNDU);
        mpfr_add(room[0], room[0], room[3], MPFR_RNDU);
        mpfr_mul(room[0], room[0], room[2], MPFR_RNDU);
        mpfr_add(bound, bound, room[0], MPFR_RNDU);
    }
}

/* Whether some equation has a value that it cannot have within the tolerance of a zero. */
static bool misses(const plumb_system *s, const exact_point *values, const mpq_t *point, double tolerance)
{
    const double small = tolerance > 0.0 ? -log2(tolerance) : 0.0;
    const int64_t bits = 128 + (small > 0.0 ? (int64_t)fmin(small, 4000.0) : 0);
    bool off = false;
    mpfr_t room[4], bound, value;
    mp_complex *x = mp_make(s->unknowns + 1, bits);
    if (!x)
        return false;
    mpfr_inits2((mpfr_prec_t)bits, room[0], room[1], room[2], room[3], bound, value, NULL);
    for (int64_t i = 0; i < s->unknowns; i++) {
        mpfr_set_q(x[i].re, point[2 * i], MPFR_RNDN);
        mpfr_set_q(x[i].im, point[2 * i + 1], MPFR_RNDN);
    }
    for (int64_t e = 0; e < s->equations && !off; e++) {
        bound_change(s, e, x, tolerance, room, bound);
        mpfr_set_q(room[0], values->x[2 * e], MPFR_RNDZ);
        mpfr_set_q(room[1], values->x[2 * e + 1], MPFR_RNDZ);
        mpfr_hypot(value, room[0], room[1], MPFR_RNDD);
        off = mpfr_greater_p(value, bound) != 0;
    }
    mpfr_clears(room[0], room[1], room[2], room[3], bound, value, NULL);
    mp_free(x, s->unknowns + 1);
    return off;
}

/* Decides the points at which an equation does not vanish. */
static plumb_status look_at_equations(const membership *m)
{
    const plumb_system *s = m->components->system;
    for (int64_t k = 0; k < m->count; k++) {
        const exact_point point = {.x = m->x + 2 * k * m->unknowns, .unknowns = m->unknowns};
        exact_point values;
        const bool known = exact_point_map(s, &point, &values);
        bool off = false;
        if (!known && !values.x)
            return PLUMB_ERR_MEMORY;
        m->zero[k] = known;
        for (int64_t e = 0; e < 2 * s->equations && known; e++)
            m->zero[k] = m->zero[k] && mpq_sgn(values.x[e]) == 0;
        m->most[k] = m->unknowns;
        if (m->zero[k] && m->options.tolerance == 0.0)
            m->most[k] -= exact_rank(s, &point);
        if (known && !m->zero[k])
            off = m->options.tolerance == 0.0 || misses(s, &values, point_of(m, k), m->options.tolerance);
        exact_point_clear(&values);
        for (int64_t c = 0; c < m->row; c++)
            *entry(m, k, c) =
                (plumb_member){.verdict = off || (c < m->row - 1 && m->components->list[c].info.dimension > m->most[k])
                                              ? PLUMB_MEMBER_OFF
                                              : PLUMB_MEMBER_UNDECIDED,
                               .proven = off,
                               .distance = -1.0};
    }
    return PLUMB_OK;
}

/* ---- Ends of paths ------------------------------------------------------------------------------------------------- */

/* What is known about the ends of the paths to one point. */
typedef struct ends {
    bool on;
    bool near;              /* an end is singular and near the point, or not known: further work may decide */
    bool open;              /* it did not */
    double distance, error; /* of the nearest end */
} ends;

/* The point in shifted unknowns. */
static void set_point(const membership *m, const set_carrier *c, int64_t point, mp_complex *z)
{
    const mpq_t *x = point_of(m, point);
    for (int64_t i = 0; i < m->unknowns; i++) {
        mpfr_set_q(z[i].re, x[2 * i], MPFR_RNDN);
        mpfr_set_q(z[i].im, x[2 * i + 1], MPFR_RNDN);
        mpfr_sub_d(z[i].re, z[i].re, c->shift[2 * i], MPFR_RNDN);
        mpfr_sub_d(z[i].im, z[i].im, c->shift[2 * i + 1], MPFR_RNDN);
    }
}

static double distance_of(const mp_complex *z, const mp_complex *x, int64_t n, mp_complex *difference)
{
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mp_sub(difference, &z[i], &x[i]);
        most = fmax(most, plumb_modulus(mpfr_get_d(difference->re, MPFR_RNDA), mpfr_get_d(difference->im, MPFR_RNDA)));
    }
    return most;
}

static void set_end(const plumb_view *x, int64_t entry, mp_complex *z)
{
    for (int64_t i = 0; i < x->rows; i++) {
        double limbs[2 * PLUMB_QD];
        for (int32_t c = 0; c < 2 * x->prec; c++)
            limbs[c] = x->data[entry * x->next + c * x->plane + i];
        mp_set_limbs(&z[i], limbs, limbs + x->prec, x->prec);
    }
}

static double size_of(const mp_complex *z, int64_t n)
{
    return exp2(fmin(1000.0, mp_log2_largest(z, n)));
}

static void note_end(ends *e, double distance, double error)
{
    if (e->distance < 0.0 || distance < e->distance) {
        e->distance = distance;
        e->error = error;
    }
}

/* With a tolerance, an end that is not much farther away than that is neither on nor off. */
static void judge_distance(const membership *m, double distance, double error, double slope, ends *e)
{
    const double tolerance = m->options.tolerance;
    note_end(e, distance, error);
    if (distance + error <= tolerance)
        e->on = true;
    else if (distance <= APART * error + 4.0 * (1.0 + slope) * tolerance)
        e->open = true;
}

/* The system of the carrier with the slice through the point, as many equations as unknowns. */
static plumb_status make_through(const membership *m, const set_carrier *c, int64_t point, plumb_system **square)
{
    plumb_system *through = NULL, *system = NULL;
    *square = NULL;
    plumb_status status = set_slices_through(c->slice, point_of(m, point), &through);
    if (status == PLUMB_OK)
        status = set_carrier_system(c, through, &system);
    if (status == PLUMB_OK)
        status = set_carrier_square(system, m->options.seed, square);
    plumb_system_destroy(through);
    plumb_system_destroy(system);
    return status;
}

/* log2 of a radius within which a zero of a square system is the only one: with P the inverse of the Jacobian J there, P J(y) is closer to
 * the unit matrix than 1 for all y within it. -infinity for a singular zero. */
static double radius_at(const plumb_system *system, const mp_complex *zero, plumb_status *status)
{
    const int64_t n = system->unknowns, bits = FEW_BITS;
    mp_system s = {.system = NULL};
    mp_complex *x = mp_make(n, bits), *values = mp_make(n, bits), *jacobian = mp_make(n * n, bits),
               *inverse = mp_make(n * n, bits), *temporary = mp_make(3, bits);
    double *logs = calloc((size_t)n + 1, sizeof *logs), radius = -(double)INFINITY;
    bool good = x && values && jacobian && inverse && temporary && logs;
    *status = good ? mp_system_begin(system, bits, &s) : PLUMB_ERR_MEMORY;
    if (*status == PLUMB_OK) {
        for (int64_t i = 0; i < n; i++) {
            mp_set(&x[i], &zero[i]);
            logs[i] = fmax(0.0, mp_log2(&x[i])) + 1.0; /* anywhere within 1, or its own size, of it */
            mpfr_set_ui(inverse[i * n + i].re, 1, MPFR_RNDN);
        }
        mp_system_eval(&s, x, values, jacobian, NULL);
        good = mp_solve(jacobian, inverse, n, n, temporary);
    }
    double bend = -(double)INFINITY;
    for (int64_t e = 0; e < n && good && *status == PLUMB_OK; e++) {
        double column = -(double)INFINITY;
        for (int64_t i = 0; i < n; i++)
            column = fmax(column, mp_log2(&inverse[i * n + e]));
        const double degree = (double)plumb_system_degree(system, e),
                     terms = (double)(system->equation[e + 1] - system->equation[e]);
        bend = fmax(bend, column + mp_size_for_large(system, e, logs) + log2(fmax(1.0, terms * degree * degree)));
    }
    if (good && *status == PLUMB_OK)
        radius = bend < 0.5 * (double)bits ? fmin(0.0, -bend - 3.0 * log2((double)n) - 4.0) : -(double)INFINITY;
    mp_free(x, x ? n : 0);
    mp_free(values, values ? n : 0);
    mp_free(jacobian, jacobian ? n * n : 0);
    mp_free(inverse, inverse ? n * n : 0);
    mp_free(temporary, temporary ? 3 : 0);
    free(logs);
    mp_system_clear(&s);
    return radius;
}

/* Normal equations: a = J^H J, b = J^H E, where E has a 1 for each equation of the slice, which begin at row `first`. */
static void make_normal(const mp_complex *jacobian, int64_t rows, int64_t n, int64_t first, int64_t k, mp_complex *a,
                        mp_complex *b, mp_complex *t)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = 0; e < rows; e++) {
            mp_set(&t[0], &jacobian[e * n + i]);
            mpfr_neg(t[0].im, t[0].im, MPFR_RNDN);
            for (int64_t j = 0; j < n; j++)
                mp_add_product(&a[i * n + j], &t[0], &jacobian[e * n + j], &t[1]);
            if (e >= first && e < first + k)
                mp_set(&b[i * k + e - first], &t[0]);
        }
}

/* How far a point moves if the point that the slice goes through moves: the norm of the columns of the pseudo-inverse of the Jacobian that
 * belong to the slice, times those of its equations; infinity if they are not known. */
static plumb_status slope_at(const membership *m, const set_carrier *c, int64_t point, const mp_complex *at,
                             double *slope)
{
    const int64_t n = c->start->unknowns, k = c->dimension, first = c->base ? c->base->equations : 0,
                  rows = c->start->equations;
    plumb_system *through = NULL, *system = NULL;
    mp_system s = {.system = NULL};
    mp_complex *jacobian = mp_make(rows * n, FEW_BITS), *f = mp_make(rows, FEW_BITS), *x = mp_make(n, FEW_BITS),
               *a = mp_make(n * n, FEW_BITS), *b = mp_make(n * k, FEW_BITS), *t = mp_make(3, FEW_BITS);
    plumb_status status = jacobian && f && x && a && b && t ? set_slices_through(c->slice, point_of(m, point), &through)
                                                            : PLUMB_ERR_MEMORY;
    *slope = (double)INFINITY;
    if (status == PLUMB_OK)
        status = set_carrier_system(c, through, &system);
    if (status == PLUMB_OK)
        status = mp_system_begin(system, FEW_BITS, &s);
    if (status == PLUMB_OK) {
        double norm = 0.0;
        for (int64_t i = 0; i < n; i++)
            mp_set(&x[i], &at[i]);
        mp_system_eval(&s, x, f, jacobian, NULL);
        for (int64_t e = first * n; e < (first + k) * n; e++)
            norm = fmax(norm, exp2(mp_log2(&jacobian[e])));
        make_normal(jacobian, rows, n, first, k, a, b, t);
        if (mp_solve(a, b, n, k, t))
            *slope = exp2(mp_log2_largest(b, m->unknowns * k)) * norm * 2.0 * (double)(n * k);
    }
    mp_system_clear(&s);
    mp_free(jacobian, jacobian ? rows * n : 0);
    mp_free(f, f ? rows : 0);
    mp_free(x, x ? n : 0);
    mp_free(a, a ? n * n : 0);
    mp_free(b, b ? n * k : 0);
    mp_free(t, t ? 3 : 0);
    plumb_system_destroy(through);
    plumb_system_destroy(system);
    return status;
}

/* A regular end near the point: it is refined on the slice through the point. If all equations vanish at the point and it is regular, an end
 * within some radius of it is the same zero. */
static plumb_status judge_regular(const membership *m, const set_carrier *c, int64_t point, const plumb_view *x,
                                  int64_t at, const mp_complex *z, double slope, ends *e)
{
    const int64_t n = c->start->unknowns;
    plumb_system *system = NULL;
    plumb_status status = make_through(m, c, point, &system);
    mp_complex *end = mp_make(n + 1, POINT_BITS), *difference = mp_make(1, POINT_BITS);
    double *errors = calloc((size_t)n + 1, sizeof *errors), distance = 0.0, error = -(double)INFINITY;
    bool known = end && difference && errors && status == PLUMB_OK;
    if (!end || !difference || !errors)
        status = PLUMB_ERR_MEMORY;
    if (known)
        set_end(x, at, end);
    if (known)
        known = mp_refine(system, end, FEW_BITS, log2(MOST_MOVE), NULL, errors, &status);
    for (int64_t i = 0; i < n && known; i++)
        error = fmax(error, errors[i]);
    if (known) {
        error = exp2(error);
        distance = distance_of(z, end, m->unknowns, difference);
    }
    if (known && m->options.tolerance > 0.0) {
        double exact = slope;
        status = slope_at(m, c, point, end, &exact);
        judge_distance(m, distance, error, fmin(slope, exact), e);
    } else if (known && status == PLUMB_OK) {
        const double radius = radius_at(system, end, &status);
        note_end(e, distance, error);
        if (log2(distance + error) <= radius) {
            e->on = m->zero[point];
            e->open = e->open || !e->on; /* the values of the equations at the point are not known */
        } else {
            e->near = !(distance > APART * error && distance > 1e-40 * (1.0 + size_of(z, m->unknowns)) &&
                        radius > log2(error) + 40.0);
        }
    } else {
        e->near = true;
    }
    mp_free(end, end ? n + 1 : 0);
    mp_free(difference, difference ? 1 : 0);
    free(errors);
    plumb_system_destroy(system);
    return status;
}

/* Paths that are followed in MPFR. */
typedef struct followers {
    const plumb_homotopy *homotopy;
    mp_complex *start, *end, *t, *z; /* z: the point */
    mp_complex *regular;             /* regular ends that were found, n numbers each */
    int64_t found;
    bool jumped; /* two paths came to the same one: one of them has jumped, and another end is missing */
} followers;

/* Whether a regular end is one that was found before; it is remembered. */
static bool is_known_end(followers *f, double size)
{
    const int64_t n = f->homotopy->given_unknowns;
    bool known = false;
    for (int64_t k = 0; k < f->found && !known; k++)
        known = distance_of(&f->regular[k * n], f->end, n, &f->t[2]) <= DISTINCT * (1.0 + size);
    for (int64_t i = 0; i < n; i++)
        mp_set(&f->regular[f->found * n + i], &f->end[i]);
    f->found++;
    return known;
}

/* What the end of a path shows. */
static plumb_status judge_followed(const membership *m, const set_carrier *c, int64_t point, const mp_path *path,
                                   followers *f, ends *e)
{
    const int64_t n = c->start->unknowns;
    const double first = mp_log2(&path->x[0]), largest = mp_log2_largest(path->x, n + 1);
    if (!isfinite(first))
        return PLUMB_OK;
    for (int64_t i = 0; i < n; i++)
        mp_div(&f->end[i], &path->x[i + 1], &path->x[0], f->t);
    const double size = size_of(f->end, n), error = exp2(path->error + 4.0 + largest - first) * (1.0 + size),
                 distance = distance_of(f->z, f->end, m->unknowns, &f->t[2]);
    if (path->end == MP_END_REGULAR)
        f->jumped = is_known_end(f, size) || f->jumped;
    if (m->options.tolerance > 0.0) {
        double slope = STEEP;
        const plumb_status status = path->end == MP_END_REGULAR ? slope_at(m, c, point, f->end, &slope) : PLUMB_OK;
        judge_distance(m, distance, error, fmin(slope, STEEP), e);
        return status;
    }
    /* The error of an end that seems to be regular is that of quadratic convergence, which the zero need not have. */
    const bool same = distance <= SAME * (1.0 + size) && error <= SAME * (1.0 + size);
    note_end(e, distance, error);
    e->on = m->zero[point] && same;
    e->open = e->open || (!e->on && distance <= fmax(APART * error, sqrt(SAME) * (1.0 + size)));
    return PLUMB_OK;
}

/* All paths of a component, with this much care. */
static plumb_status follow_all(const membership *m, const set_carrier *c, int64_t point, int32_t care, followers *f,
                               ends *e)
{
    plumb_status status = PLUMB_OK;
    f->found = 0;
    f->jumped = false;
    *e = (ends){.distance = -1.0};
    for (int64_t k = 0; k < c->count && status == PLUMB_OK && !e->on; k++) {
        const mp_follow_options limits = {.digits = FOLLOW_DIGITS, .most_work = FOLLOW_WORK, .care = care};
        mp_path path = {.x = NULL};
        set_end(&c->x, k, f->start);
        status = mp_follow(f->homotopy, f->start, &limits, &path);
        if (status == PLUMB_OK && path.x && path.end != MP_END_FAILED)
            status = judge_followed(m, c, point, &path, f, e);
        else
            e->open = true;
        mp_path_clear(f->homotopy, &path);
    }
    return status;
}

/* Some end is singular, or not known: all paths to the point are followed in MPFR, with more care if one has jumped. */
static plumb_status follow(const membership *m, const set_carrier *c, int64_t point, ends *e)
{
    enum { MOST_CARE = 2 };
    const int64_t n = c->start->unknowns;
    plumb_system *start_system = NULL, *system = NULL;
    plumb_homotopy *homotopy = NULL;
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.projective = 1;
    options.unscaled = 1;
    options.seed = m->options.seed;
    followers f = {.start = mp_make(n + 1, FEW_BITS),
                   .end = mp_make(n + 1, POINT_BITS),
                   .t = mp_make(3, POINT_BITS),
                   .z = mp_make(n + 1, POINT_BITS),
                   .regular = mp_make(n * c->count, FEW_BITS)};
    plumb_status status =
        f.start && f.end && f.t && f.z && f.regular ? make_through(m, c, point, &system) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = set_carrier_square(c->start, m->options.seed, &start_system);
    if (status == PLUMB_OK)
        status = plumb_homotopy_create(start_system, system, &options, &homotopy);
    f.homotopy = homotopy;
    if (status == PLUMB_OK)
        set_point(m, c, point, f.z);
    for (int32_t care = 0; care <= MOST_CARE && status == PLUMB_OK && (care == 0 || f.jumped) && !e->on; care++)
        status = follow_all(m, c, point, care, &f, e);
    e->open = e->open || f.jumped;
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(system);
    plumb_system_destroy(start_system);
    mp_free(f.start, f.start ? n + 1 : 0);
    mp_free(f.end, f.end ? n + 1 : 0);
    mp_free(f.t, f.t ? 3 : 0);
    mp_free(f.z, f.z ? n + 1 : 0);
    mp_free(f.regular, f.regular ? n * c->count : 0);
    return status;
}

static void put_verdict(const membership *m, const ends *e, int64_t component, plumb_member *member)
{
    const bool complete = m->components->list[component].info.state != PLUMB_COMPONENT_OPEN;
    member->distance = e->distance;
    member->error = e->error;
    member->verdict = e->on                             ? PLUMB_MEMBER_ON
                      : e->open || e->near || !complete ? PLUMB_MEMBER_UNDECIDED /* witness points may be missing */
                                                        : PLUMB_MEMBER_OFF;
}

/* The ends of the paths to one point: entries first .. of the results of the family. */
static plumb_status judge(membership *m, const set_carrier *c, int64_t point, const plumb_view *x, int64_t first,
                          const plumb_solution_record *records, const plumb_instance *instance, int64_t component)
{
    const int64_t n = c->start->unknowns;
    ends e = {.distance = -1.0, .near = instance->code == PLUMB_INSTANCE_INCOMPLETE};
    mp_complex *z = mp_make(m->unknowns + 1, POINT_BITS), *end = mp_make(n + 1, POINT_BITS),
               *difference = mp_make(1, POINT_BITS);
    plumb_status status = z && end && difference ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        set_point(m, c, point, z);
    for (int64_t k = first; k < first + instance->solutions && status == PLUMB_OK && !e.on; k++) {
        const plumb_solution_record *r = &records[k];
        set_end(x, k, end);
        const double size = size_of(end, n), error = fmax(r->error, precision_unit(PLUMB_QD)) * size,
                     distance = distance_of(z, end, m->unknowns, difference),
                     slope = 16.0 * (double)m->unknowns / fmax(r->rcond, 1e-300) * (1.0 + size),
                     reach = m->options.tolerance * 4.0 * (1.0 + slope);
        if (r->kind == PLUMB_SOLUTION_REGULAR && distance > FAR_APART * error + reach &&
            distance > NEAR_END * (1.0 + size))
            note_end(&e, distance, error);
        else if (r->kind == PLUMB_SOLUTION_REGULAR)
            status = judge_regular(m, c, point, x, k, z, slope, &e);
        else if (distance > FAR_APART * error + pow(m->options.tolerance, 1.0 / (double)r->multiplicity) * 1e4 &&
                 distance > 1e-2 * (1.0 + size))
            note_end(&e, distance, error);
        else
            e.near = true;
    }
    put_verdict(m, &e, component, entry(m, point, component));
    m->near[point * m->row + component] = !e.on && e.near;
    mp_free(z, z ? m->unknowns + 1 : 0);
    mp_free(end, end ? n + 1 : 0);
    mp_free(difference, difference ? 1 : 0);
    return status;
}

/* ---- A component --------------------------------------------------------------------------------------------------- */

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    membership *m = data;
    const int stop = m->options.progress ? m->options.progress(m->options.data, done, failed, total) : 0;
    m->stopped = m->stopped || stop != 0;
    return stop;
}

/* The parameters of the family that move the slice to the points of a list. */
static plumb_status make_targets(const membership *m, const set_carrier *c, const int64_t *list, const plumb_view *to)
{
    const int64_t k = c->dimension;
    mpq_t *values = calloc(2 * (size_t)k + 1, sizeof *values);
    mp_complex *value = mp_make(1, POINT_BITS);
    plumb_status status = values && value ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; values && i < 2 * k; i++)
        mpq_init(values[i]);
    for (int64_t j = 0; j < to->batch && status == PLUMB_OK; j++) {
        set_slices_values(c->slice, point_of(m, list[j]), values);
        for (int64_t i = 0; i < k; i++) {
            double limbs[2 * PLUMB_QD];
            mpfr_set_q(value->re, values[2 * i], MPFR_RNDN);
            mpfr_set_q(value->im, values[2 * i + 1], MPFR_RNDN);
            mp_get_limbs(value, limbs, limbs + PLUMB_QD, PLUMB_QD);
            for (int32_t l = 0; l < 2 * PLUMB_QD; l++)
                to->data[j * to->next + l * to->plane + i] = -limbs[l];
        }
    }
    for (int64_t i = 0; values && i < 2 * k; i++)
        mpq_clear(values[i]);
    free(values);
    mp_free(value, value ? 1 : 0);
    return status;
}

static plumb_status move_to(membership *m, const set_carrier *c, const int64_t *list, int64_t count, int64_t component)
{
    plumb_view targets = {.data = NULL};
    set_ends arrived = {.family = NULL};
    plumb_status status =
        plumb_array_create(m->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, c->dimension, 1, count, &targets);
    if (status == PLUMB_OK)
        status = make_targets(m, c, list, &targets);
    if (status == PLUMB_OK)
        status =
            set_carrier_follow(c, &targets, m->options.seed, m->options.progress ? on_progress : NULL, m, &arrived);
    for (int64_t k = 0; k < count && status == PLUMB_OK && !m->stopped; k++)
        status = judge(m, c, list[k], &arrived.x, k * c->count, arrived.records, &arrived.instances[k], component);
    plumb_array_destroy(m->context, &targets);
    set_ends_clear(c, &arrived);
    return status;
}

static plumb_status look_at_component(membership *m, int64_t component)
{
    const plumb_component *info = &m->components->list[component].info;
    int64_t count = 0, *list = calloc((size_t)m->count + 1, sizeof *list);
    set_carrier carrier = {.context = NULL};
    plumb_status status = list ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < m->count && list; k++)
        if (entry(m, k, component)->verdict == PLUMB_MEMBER_UNDECIDED) {
            list[count++] = k;
            if (info->dimension == m->unknowns) /* the whole space */
                entry(m, k, component)->verdict = PLUMB_MEMBER_ON;
        }
    if (status == PLUMB_OK && count > 0 && info->dimension < m->unknowns) {
        status = set_carrier_make(m->context, m->components, component, false, m->options.seed, &carrier);
        if (status == PLUMB_OK && carrier.usable)
            status = move_to(m, &carrier, list, count, component);
        set_carrier_clear(&carrier);
    }
    free(list);
    return status;
}

/* Looks more closely where that is needed, and still matters. */
static plumb_status look_closely(membership *m, int64_t component)
{
    set_carrier carrier = {.context = NULL};
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < m->count && status == PLUMB_OK; k++) {
        plumb_member *member = entry(m, k, component);
        ends e = {.distance = -1.0};
        if (!m->near[k * m->row + component] || member->verdict != PLUMB_MEMBER_UNDECIDED)
            continue;
        if (!carrier.context)
            status = set_carrier_make(m->context, m->components, component, false, m->options.seed, &carrier);
        if (status == PLUMB_OK)
            status = follow(m, &carrier, k, &e);
        if (status == PLUMB_OK)
            put_verdict(m, &e, component, member);
        if (status == PLUMB_OK && m->options.progress)
            m->stopped = m->stopped || m->options.progress(m->options.data, 0, 0, 0) != 0;
        if (m->stopped)
            break;
    }
    set_carrier_clear(&carrier);
    return status;
}

/* ---- Isolated solutions -------------------------------------------------------------------------------------------- */

/* As many combinations of the equations as unknowns, for Newton's method; NULL if there are too few. */
static plumb_status make_square(const membership *m, plumb_system **square)
{
    *square = NULL;
    if (m->components->system->equations < m->unknowns)
        return PLUMB_OK;
    return plumb_solve_combine(m->components->system, m->unknowns, m->options.seed, square);
}

static plumb_status compare(const membership *m, const plumb_system *square, int64_t point, mp_complex *z,
                            mp_complex *x, double *errors, plumb_member *member)
{
    const plumb_solutions *s = m->components->isolated;
    const int64_t n = m->unknowns;
    const mpq_t *exact = point_of(m, point);
    plumb_status status = PLUMB_OK;
    ends e = {.distance = -1.0};
    for (int64_t i = 0; i < n; i++) {
        mpfr_set_q(z[i].re, exact[2 * i], MPFR_RNDN);
        mpfr_set_q(z[i].im, exact[2 * i + 1], MPFR_RNDN);
    }
    for (int64_t k = 0; k < s->count && status == PLUMB_OK && !e.on; k++) {
        const solution_record *r = &s->record[k];
        mp_resize(x, n, POINT_BITS);
        for (int64_t i = 0; i < n; i++) {
            const double *value = solution_value(s, k, i);
            mp_set_limbs(&x[i], value, value + s->prec, s->prec);
        }
        const double size = size_of(x, n);
        double error = fmax(r->err, precision_unit(PLUMB_QD)) * fmax(size, 1e-300);
        double distance = distance_of(z, x, n, &z[n]);
        if (m->options.tolerance > 0.0 || distance > FAR_APART * error) {
            judge_distance(m, distance, error, 0.0, &e);
            continue;
        }
        if (!square || !mp_refine(square, x, MANY_BITS, log2(MOST_MOVE), NULL, errors, &status)) {
            e.open = true;
            continue;
        }
        error = errors[0];
        for (int64_t i = 1; i < n; i++)
            error = fmax(error, errors[i]);
        error = exp2(error);
        distance = distance_of(z, x, n, &z[n]);
        note_end(&e, distance, error);
        e.on = distance <= APART * error;
    }
    member->distance = e.distance;
    member->error = e.error;
    member->verdict = e.on ? PLUMB_MEMBER_ON : e.open ? PLUMB_MEMBER_UNDECIDED : PLUMB_MEMBER_OFF;
    return status;
}

static plumb_status look_at_isolated(membership *m)
{
    const int64_t n = m->unknowns;
    plumb_system *square = NULL;
    if (!m->components->isolated)
        return PLUMB_OK;
    mp_complex *z = mp_make(n + 1, POINT_BITS), *x = mp_make(n, POINT_BITS);
    double *errors = calloc((size_t)n + 1, sizeof *errors);
    plumb_status status = z && x && errors ? make_square(m, &square) : PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < m->count && status == PLUMB_OK; k++)
        if (!entry(m, k, m->row - 1)->proven)
            status = compare(m, square, k, z, x, errors, entry(m, k, m->row - 1));
    mp_free(z, z ? n + 1 : 0);
    mp_free(x, x ? n : 0);
    free(errors);
    plumb_system_destroy(square);
    return status;
}

/* ---- All of them --------------------------------------------------------------------------------------------------- */

/* At a point where the Jacobian has rank r, tangent spaces of the solution set have dimension n - r. A component of this dimension that
 * contains the point is the only one: the solution set is smooth there. */
static void conclude_at_smooth_points(const membership *m)
{
    const plumb_components *c = m->components;
    for (int64_t k = 0; k < m->count; k++) {
        plumb_member *row = entry(m, k, 0);
        int64_t only = -1;
        for (int64_t i = 0; i < c->count && m->zero[k]; i++)
            if (row[i].verdict == PLUMB_MEMBER_ON && c->list[i].info.dimension == m->most[k])
                only = i;
        for (int64_t i = 0; i < m->row && only >= 0; i++)
            if (row[i].verdict == PLUMB_MEMBER_UNDECIDED)
                row[i].verdict = PLUMB_MEMBER_OFF;
    }
}

/* What follows from the answers together. */
static void conclude(const membership *m)
{
    const plumb_components *c = m->components;
    conclude_at_smooth_points(m);
    bool complete = c->isolated && plumb_components_verdict(c, NULL, 0) == PLUMB_SOLVE_COMPLETE;
    for (int64_t k = 0; k < c->count; k++)
        complete = complete && c->list[k].info.state == PLUMB_COMPONENT_IRREDUCIBLE;
    for (int64_t k = 0; k < m->count; k++) {
        plumb_member *row = entry(m, k, 0), *isolated = &row[m->row - 1];
        int64_t on = 0, open = 0, last = 0;
        for (int64_t i = 0; i < m->row - 1; i++)
            on += row[i].verdict == PLUMB_MEMBER_ON;
        if (on > 0 && isolated->verdict == PLUMB_MEMBER_UNDECIDED)
            isolated->verdict = PLUMB_MEMBER_OFF; /* a point of a larger component is not isolated */
        on += isolated->verdict == PLUMB_MEMBER_ON;
        for (int64_t i = 0; i < m->row; i++)
            if (row[i].verdict == PLUMB_MEMBER_UNDECIDED) {
                open++;
                last = i;
            }
        if (!m->zero[k] || !complete || on > 0)
            continue;
        if (open == 1) {
            row[last].verdict = PLUMB_MEMBER_ON;
            m->near[k * m->row + last] = false;
        }
        for (int64_t i = 0; i < m->row && open == 0; i++)
            row[i].verdict = PLUMB_MEMBER_UNDECIDED;
    }
}

/* Takes the points in the order of the unknowns of the components. */
static plumb_status take_points(membership *m, const plumb_points *points)
{
    const plumb_system *s = m->components->system;
    plumb_context *context = m->context;
    if (points->unknowns != s->unknowns)
        return SAY(PLUMB_ERR_ARGUMENT, "found points of %lld unknowns, expected %lld", (long long)points->unknowns,
                   (long long)s->unknowns);
    m->x = calloc(2 * (size_t)(m->count * m->unknowns) + 1, sizeof *m->x);
    m->zero = calloc((size_t)m->count + 1, sizeof *m->zero);
    m->near = calloc((size_t)(m->count * m->row) + 1, sizeof *m->near);
    m->most = calloc((size_t)m->count + 1, sizeof *m->most);
    if (!m->x || !m->zero || !m->near || !m->most) {
        free(m->x);
        m->x = NULL;
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    }
    for (int64_t k = 0; k < 2 * m->count * m->unknowns; k++)
        mpq_init(m->x[k]);
    for (int64_t i = 0; i < s->unknowns; i++) {
        int64_t from = points->names ? -1 : i;
        for (int64_t j = 0; points->names && j < points->unknowns; j++)
            if (strcmp(points->names[j], s->names[i]) == 0)
                from = j;
        if (from < 0)
            return SAY(PLUMB_ERR_ARGUMENT, "the points have no coordinate %s", s->names[i]);
        for (int64_t k = 0; k < m->count; k++)
            for (int part = 0; part < 2; part++)
                mpq_set(m->x[2 * (k * m->unknowns + i) + part], point_value(points, k, from)[part]);
    }
    return PLUMB_OK;
}

plumb_status plumb_components_member(plumb_context *context, const plumb_components *components,
                                     const plumb_points *points, const plumb_member_options *options,
                                     plumb_member *members)
{
    static const option_field fields[] = {OPTION_RANGE(plumb_member_options, tolerance, OPTION_REAL, 0.0, 1e300),
                                          OPTION_END};
    if (!context)
        return plumb_no_context();
    context->message[0] = 0;
    if (!components || !points || (!members && points->count > 0))
        return SAY(PLUMB_ERR_ARGUMENT, "components, points and members must not be NULL");
    membership m = {.context = context,
                    .components = components,
                    .options = defaults,
                    .count = points->count,
                    .unknowns = components->system->unknowns,
                    .row = components->count + 1,
                    .members = members};
    plumb_status status = plumb_options_take(options, &m.options, fields, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    status = take_points(&m, points);
    if (status == PLUMB_OK)
        status = look_at_equations(&m);
    for (int64_t c = 0; c < components->count && status == PLUMB_OK && !m.stopped; c++)
        status = look_at_component(&m, c);
    if (status == PLUMB_OK && !m.stopped)
        status = look_at_isolated(&m);
    if (status == PLUMB_OK && !m.stopped)
        conclude(&m);
    for (int64_t c = 0; c < components->count && status == PLUMB_OK && !m.stopped; c++)
        status = look_closely(&m, c);
    if (status == PLUMB_OK && !m.stopped)
        conclude(&m);
    for (int64_t k = 0; m.x && k < 2 * m.count * m.unknowns; k++)
        mpq_clear(m.x[k]);
    free(m.x);
    free(m.zero);
    free(m.near);
    free(m.most);
    if (status == PLUMB_OK && m.stopped)
        status = SAY(PLUMB_ERR_STOPPED, "stopped on request");
    if (status != PLUMB_OK && !context->message[0])
        return SAY(status, "%s", plumb_status_text(status));
    return status;
}
