/* critical.c - see critical.h. */
#include "solver/sets/curves/critical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/modulus.h"
#include "model/system/polynomial.h"
#include "solver/family/family.h"

enum { MOST_UNKNOWNS = 12, ATTEMPTS = 3, NEXT_SEED = 1000003, FAR = 4 };

/* Constants (log2) of slices that are far outside, such that values of D stay below 2^LOG_OF_LARGE; and by how much a degree may differ from
 * an integer. */
static const double MOST_RANGE = 32.0, LEAST_RANGE = 20.0, LOG_OF_LARGE = 800.0, UNSURE = 0.01;

/* A point is real if its imaginary parts are below this multiple of its error, or relative to its size if it is singular. */
static const double REAL = 64.0, NEARLY_REAL = 1e-7;

void critical_clear(critical_points *points)
{
    free(points->x);
    free(points->error);
    free(points->singular);
    *points = (critical_points){.count = 0};
}

/* ---- The determinant ----------------------------------------------------------------------------------------------- */

/* The derivative of an equation by an unknown. */
static plumb_status derive(const plumb_system *s, int64_t e, int32_t by, polynomial *p)
{
    system_factor *factors = calloc((size_t)s->unknowns + 1, sizeof *factors);
    mpq_t re, im, times;
    plumb_status status = factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    mpq_inits(re, im, times, NULL);
    for (int64_t k = s->equation[e]; k < s->equation[e + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        int32_t count = 0, exponent = 0;
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &s->factors[t->first + i];
            if (f->unknown == by)
                exponent = f->exponent;
            if (f->unknown != by)
                factors[count++] = *f;
            else if (exponent > 1)
                factors[count++] = (system_factor){by, exponent - 1};
        }
        if (exponent == 0)
            continue;
        mpq_set_si(times, exponent, 1);
        mpq_mul(re, t->re, times);
        mpq_mul(im, t->im, times);
        status = plumb_poly_append(p, re, im, factors, count, t->degree - 1);
    }
    mpq_clears(re, im, times, NULL);
    free(factors);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* *to = *to plus or minus *from. */
static plumb_status add(polynomial *to, const polynomial *from, bool minus)
{
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t k = 0; k < from->count && status == PLUMB_OK; k++) {
        const system_term *t = &from->terms[k];
        mpq_set(re, t->re);
        mpq_set(im, t->im);
        if (minus) {
            mpq_neg(re, re);
            mpq_neg(im, im);
        }
        status = plumb_poly_append(to, re, im, from->factors + t->first, t->count, t->degree);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(to) : status;
}

/* The determinant of the Jacobian of a square system: minors of its first rows, by the sets of their columns. */
static plumb_status determinant(const plumb_system *s, polynomial *d)
{
    const int64_t n = s->unknowns, sets = INT64_C(1) << n;
    poly_work work = {.left = POLY_MOST_WORK};
    polynomial *minor = calloc((size_t)sets, sizeof *minor), *entry = calloc((size_t)n + 1, sizeof *entry);
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    plumb_status status = minor && entry ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_poly_append(&minor[0], one, zero, NULL, 0, 0);
    for (int64_t row = 0; row < n && status == PLUMB_OK; row++) {
        for (int64_t j = 0; j < n && status == PLUMB_OK; j++)
            status = derive(s, row, (int32_t)j, &entry[j]);
        for (int64_t set = 0; set < sets && status == PLUMB_OK; set++) {
            if (__builtin_popcountll((unsigned long long)set) != row + 1)
                continue;
            for (int64_t j = 0; j < n && status == PLUMB_OK; j++) {
                const int64_t rest = set & ~(INT64_C(1) << j);
                const int above = __builtin_popcountll((unsigned long long)(set >> (j + 1)));
                polynomial product = {.terms = NULL};
                if (rest == set || minor[rest].count == 0 || entry[j].count == 0)
                    continue;
                status = plumb_poly_add_product(&product, &minor[rest], &entry[j], &work);
                if (status == PLUMB_OK)
                    status = add(&minor[set], &product, above % 2 != 0);
                plumb_poly_clear(&product);
            }
        }
        for (int64_t set = 0; minor && set < sets; set++)
            if (__builtin_popcountll((unsigned long long)set) == row)
                plumb_poly_clear(&minor[set]);
        for (int64_t j = 0; entry && j < n; j++)
            plumb_poly_clear(&entry[j]);
    }
    if (status == PLUMB_OK) {
        *d = minor[sets - 1];
        minor[sets - 1] = (polynomial){.terms = NULL};
    }
    for (int64_t set = 0; minor && set < sets; set++)
        plumb_poly_clear(&minor[set]);
    free(minor);
    free(entry);
    mpq_clears(one, zero, NULL);
    return status;
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* The system of the carrier with equation `row`, that of the slice, replaced. The polynomial is left. */
static plumb_status replace(const plumb_system *s, int64_t row, const polynomial *by, plumb_system **made)
{
    polynomial *p = calloc((size_t)s->equations + 1, sizeof *p);
    plumb_status status = p ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *made = NULL;
    for (int64_t e = 0; e < s->equations && status == PLUMB_OK; e++) {
        for (int64_t k = s->equation[e]; k < s->equation[e + 1] && e != row && status == PLUMB_OK; k++) {
            const system_term *t = &s->terms[k];
            status = plumb_poly_append(&p[e], t->re, t->im, s->factors + t->first, t->count, t->degree);
        }
        if (e == row)
            status = add(&p[e], by, false);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, s->equations, (const char *const *)s->names, s->unknowns, made);
    for (int64_t e = 0; p && e < s->equations; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    return status;
}

/* The product of the equation of the slice with all these constants added (complex doubles). */
static plumb_status product_of_slices(const plumb_system *s, int64_t row, const plumb_view *constants, polynomial *p)
{
    poly_work work = {.left = POLY_MOST_WORK};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_ui(re, 1, 1);
    plumb_status status = plumb_poly_append(p, re, im, NULL, 0, 0);
    for (int64_t j = 0; j < constants->batch && status == PLUMB_OK; j++) {
        polynomial factor = {.terms = NULL}, next = {.terms = NULL};
        for (int64_t k = s->equation[row]; k < s->equation[row + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &s->terms[k];
            status = plumb_poly_append(&factor, t->re, t->im, s->factors + t->first, t->count, t->degree);
        }
        mpq_set_d(re, constants->data[j * constants->next]);
        mpq_set_d(im, constants->data[j * constants->next + constants->plane]);
        if (status == PLUMB_OK)
            status = plumb_poly_append(&factor, re, im, NULL, 0, 0);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&factor);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(&next, p, &factor, &work);
        plumb_poly_clear(&factor);
        plumb_poly_clear(p);
        *p = next;
    }
    mpq_clears(re, im, NULL);
    return status;
}

/* log2 of the product of the values of D at the points of a fibre. */
static plumb_status log_of_product(const set_carrier *carrier, const plumb_system *d, const plumb_view *x, double *sum)
{
    plumb_view values = {.data = NULL};
    plumb_status status =
        plumb_array_create(carrier->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 1, 1, x->batch, &values);
    if (status == PLUMB_OK)
        status = plumb_system_eval(carrier->context, d, x, &values, NULL, NULL);
    *sum = 0.0;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        const double *v = values.data + k * values.next;
        *sum += log2(plumb_modulus(v[0], v[values.prec * values.plane]));
    }
    plumb_array_destroy(carrier->context, &values);
    return status;
}

/* The number of points of the curve at which D vanishes, with their multiplicities, or `most` if it cannot be seen. The product of the values
 * of D over a fibre is a polynomial in its constant, and the number is its degree: how fast it grows far outside. The linear function of the
 * carrier is in general position, so that no point of a fibre is at infinity. */
static plumb_status count_zeros(const set_carrier *carrier, const polynomial *d, uint64_t seed, int64_t most,
                                int64_t *zeros)
{
    plumb_context *context = carrier->context;
    const plumb_system *s = carrier->start;
    const double range = fmin(MOST_RANGE, LOG_OF_LARGE / (double)d->terms[0].degree);
    const double at[FAR] = {0.5 * range - 1.0, 0.5 * range, range - 1.0, range};
    double sum[FAR] = {0.0}, c[2];
    plumb_random random = plumb_random_start(seed ^ 0x4645415254);
    plumb_view constants = {.data = NULL};
    plumb_system *system = NULL;
    polynomial copy = {.terms = NULL};
    set_ends ends = {.family = NULL};
    *zeros = most;
    if (s->unknowns > carrier->unknowns || range < LEAST_RANGE)
        return PLUMB_OK;
    set_direction(&random, c);
    plumb_status status = add(&copy, d, false);
    if (status == PLUMB_OK)
        status = plumb_system_build(&copy, 1, (const char *const *)s->names, s->unknowns, &system);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, FAR, &constants);
    for (int64_t k = 0; k < FAR && status == PLUMB_OK; k++)
        for (int part = 0; part < 2; part++)
            constants.data[k * constants.next + part * constants.plane] = exp2(at[k]) * c[part];
    if (status == PLUMB_OK)
        status = set_carrier_follow(carrier, &constants, seed, NULL, NULL, &ends);
    bool all = status == PLUMB_OK;
    for (int64_t k = 0; k < FAR && status == PLUMB_OK && all; k++) {
        plumb_view fibre = ends.x;
        fibre.data += k * carrier->count * fibre.next;
        fibre.batch = carrier->count;
        all = ends.instances[k].code == PLUMB_INSTANCE_GENERIC;
        if (all)
            status = log_of_product(carrier, system, &fibre, &sum[k]);
    }
    const double near = sum[1] - sum[0], far = sum[3] - sum[2], count = rint(far);
    if (status == PLUMB_OK && all && fabs(near - count) <= UNSURE && fabs(far - count) <= UNSURE && count >= 0.0 &&
        count < (double)most)
        *zeros = (int64_t)count;
    set_ends_clear(carrier, &ends);
    plumb_array_destroy(context, &constants);
    plumb_system_destroy(system);
    plumb_poly_clear(&copy);
    return status;
}

/* The points that the carrier has in common with slices of random constants. */
static plumb_status find_starts(const set_carrier *carrier, uint64_t seed, const plumb_view *constants, plumb_view *x,
                                bool *all)
{
    plumb_random random = plumb_random_start(seed ^ 0x435249544943);
    plumb_family_options options;
    plumb_family *family = NULL;
    plumb_instance *instances = calloc((size_t)constants->batch + 1, sizeof *instances);
    plumb_family_options_init(&options);
    options.seed = seed;
    plumb_status status = instances ? set_carrier_family(carrier, &family) : PLUMB_ERR_MEMORY;
    for (int64_t j = 0; j < constants->batch; j++) {
        double c[2];
        set_direction(&random, c);
        const double radius = 0.5 + plumb_random_unit(&random);
        for (int part = 0; part < 2; part++)
            constants->data[j * constants->next + part * constants->plane] = rint(0x1p16 * radius * c[part]) * 0x1p-16;
    }
    if (status == PLUMB_OK)
        status = plumb_family_solve_part(carrier->context, family, constants, 0, &options, x, NULL, instances);
    *all = status == PLUMB_OK;
    for (int64_t j = 0; j < constants->batch && *all; j++)
        *all = instances[j].code == PLUMB_INSTANCE_GENERIC;
    plumb_family_destroy(family);
    free(instances);
    return status;
}

static double size_of(const double *x, int64_t n)
{
    double size = 1.0;
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* Keeps the end of a path if it is real and new. */
static void keep(critical_points *points, const plumb_view *x, const plumb_path_record *r)
{
    const int64_t n = points->unknowns;
    double *to = points->x + points->count * n, off = 0.0;
    for (int64_t i = 0; i < n; i++) {
        to[i] = x->data[i];
        off = fmax(off, fabs(x->data[x->prec * x->plane + i]));
    }
    const double size = size_of(to, n), error = fmax(r->error, 1e-16) * size;
    const bool singular = r->code != PLUMB_PATH_SUCCESS || r->multiplicity > 1;
    const double most = fmax(REAL * error, singular ? NEARLY_REAL * size : 1e-12 * size);
    if (!(off <= most))
        return;
    for (int64_t k = 0; k < points->count; k++) {
        double apart = 0.0;
        for (int64_t i = 0; i < n; i++)
            apart = fmax(apart, fabs(to[i] - points->x[k * n + i]));
        if (apart <= fmax(most, 16.0 * points->error[k])) {
            points->singular[k] = true;
            if (error < points->error[k]) { /* the better one of the two */
                memcpy(points->x + k * n, to, (size_t)n * sizeof *to);
                points->error[k] = error;
            }
            return;
        }
    }
    points->singular[points->count] = singular;
    points->error[points->count++] = error;
}

static plumb_status follow(const set_carrier *carrier, const plumb_system *start, const plumb_system *target,
                           const plumb_view *x, uint64_t seed, critical_points *points)
{
    plumb_context *context = carrier->context;
    plumb_homotopy_options options;
    plumb_track_options track;
    plumb_homotopy *homotopy = NULL;
    plumb_view ends = {.data = NULL};
    plumb_path_record *records = calloc((size_t)x->batch + 1, sizeof *records);
    plumb_homotopy_options_init(&options);
    plumb_track_options_init(&track);
    options.seed = track.seed = seed;
    options.projective = target->equations == target->unknowns;
    plumb_status status = records ? plumb_homotopy_create(start, target, &options, &homotopy) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, x->rows, 1, x->batch, &ends);
    if (status == PLUMB_OK)
        status = plumb_track(context, homotopy, x, &ends, &track, records);
    points->paths = x->batch;
    points->failed = points->count = 0;
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        const int32_t code = records[k].code;
        const plumb_view one = set_points_one(&ends, k);
        if (code == PLUMB_PATH_AT_INFINITY || code == PLUMB_PATH_BEYOND)
            continue;
        if (code != PLUMB_PATH_SUCCESS && code != PLUMB_PATH_SINGULAR && code != PLUMB_PATH_NOT_ISOLATED) {
            points->failed++;
            continue;
        }
        status = set_carrier_unshift(carrier, &one);
        if (status == PLUMB_OK)
            keep(points, &one, &records[k]);
    }
    plumb_array_destroy(context, &ends);
    plumb_homotopy_destroy(homotopy);
    free(records);
    return status;
}

plumb_status critical_find(const set_carrier *carrier, const set_carrier *fibres, uint64_t seed,
                           critical_points *points)
{
    plumb_context *context = carrier->context;
    const int64_t row = carrier->base->equations;
    plumb_system *square = NULL, *start = NULL, *target = NULL;
    plumb_view constants = {.data = NULL}, x = {.data = NULL};
    polynomial d = {.terms = NULL}, p = {.terms = NULL};
    bool all = false;
    int64_t zeros = 0;
    *points = (critical_points){.unknowns = carrier->unknowns};
    if (fibres->start->unknowns > MOST_UNKNOWNS)
        return PLUMB_ERR_SIZE;
    plumb_status status = set_carrier_square(fibres->start, seed, &square);
    if (status == PLUMB_OK)
        status = determinant(square, &d);
    if (status == PLUMB_OK && d.count > 0 && d.terms[0].degree > 0)
        status = count_zeros(carrier, &d, seed, d.terms[0].degree * carrier->count, &zeros);
    const int64_t degree = zeros / carrier->count + (zeros % carrier->count != 0);
    if (status == PLUMB_OK && degree > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, degree, &constants);
    if (status == PLUMB_OK && degree > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, carrier->start->unknowns, 1,
                                    degree * carrier->count, &x);
    points->x = calloc((size_t)(degree * carrier->count * carrier->unknowns) + 1, sizeof *points->x);
    points->error = calloc((size_t)(degree * carrier->count) + 1, sizeof *points->error);
    points->singular = calloc((size_t)(degree * carrier->count) + 1, sizeof *points->singular);
    if (status == PLUMB_OK && (!points->x || !points->error || !points->singular))
        status = PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && degree > 0)
        status = replace(carrier->start, row, &d, &target);
    points->failed = degree > 0;
    for (uint64_t k = 0; k < ATTEMPTS && degree > 0 && status == PLUMB_OK && points->failed > 0; k++) {
        const uint64_t own = seed + k * NEXT_SEED;
        plumb_poly_clear(&p);
        plumb_system_destroy(start);
        start = NULL;
        status = find_starts(carrier, own, &constants, &x, &all);
        if (status == PLUMB_OK && !all)
            continue;
        if (status == PLUMB_OK)
            status = product_of_slices(carrier->start, row, &constants, &p);
        if (status == PLUMB_OK)
            status = replace(carrier->start, row, &p, &start);
        if (status == PLUMB_OK)
            status = follow(carrier, start, target, &x, own, points);
    }
    plumb_poly_clear(&d);
    plumb_poly_clear(&p);
    plumb_system_destroy(square);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    plumb_array_destroy(context, &constants);
    plumb_array_destroy(context, &x);
    return status;
}
