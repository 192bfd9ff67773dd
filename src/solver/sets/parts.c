/* parts.c - see parts.h. */
#include "solver/sets/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/random.h"
#include "solver/mp/number.h"

enum {
    MOST_TRIED = 12, /* parts of which all sets are tried: 4,095 sums */
    BITS = 320,      /* of sums of quad doubles */
    ATTEMPTS = 3,    /* to trace all points */
    NEXT_SEED = 1000003,
    STALE = 8 /* loops without a change after which there are no further ones */
};

/* A sum below this multiple of its error is zero; one that is not far above it is neither zero nor not. */
static const double ZERO = 16.0;
/* A trace test closes only if it does so to this relative error. */
static const double MOST_ERROR = 1e-25;

typedef struct splitter {
    plumb_context *context;
    set_points *points;
    const set_slice *slice;
    set_slice shifted[2];
    uint64_t seed;
    double *w;         /* the linear form: real and imaginary part for each unknown of the base */
    mp_complex *delta; /* of each point */
    double *error;     /* of delta; negative: it is not known */
    double *size;      /* of the terms of delta */
    int64_t traced;    /* points that have a delta */
    set_parts *parts;
} splitter;

void set_parts_clear(set_parts *parts)
{
    free(parts->part);
    free(parts->closed);
    free(parts->digits);
    *parts = (set_parts){.part = NULL};
}

static bool make_room(splitter *s)
{
    set_parts *p = s->parts;
    const int64_t room = s->points->room;
    if (room == p->room)
        return true;
    int64_t *part = realloc(p->part, (size_t)room * sizeof *part);
    p->part = part ? part : p->part;
    bool *closed = realloc(p->closed, (size_t)room * sizeof *closed);
    p->closed = closed ? closed : p->closed;
    double *digits = realloc(p->digits, (size_t)room * sizeof *digits);
    p->digits = digits ? digits : p->digits;
    double *error = realloc(s->error, (size_t)room * sizeof *error);
    s->error = error ? error : s->error;
    double *size = realloc(s->size, (size_t)room * sizeof *size);
    s->size = size ? size : s->size;
    mp_complex *delta = mp_make(room, BITS);
    if (!part || !closed || !digits || !error || !size || !delta) {
        mp_free(delta, delta ? room : 0);
        return false;
    }
    for (int64_t k = 0; k < s->traced; k++)
        mp_set(&delta[k], &s->delta[k]);
    mp_free(s->delta, s->delta ? p->room : 0);
    s->delta = delta;
    p->room = room;
    return true;
}

/* ---- Traces -------------------------------------------------------------------------------------------------------- */

/* sum += times w.x, and the size of its terms. */
static void add_form(const splitter *s, const plumb_view *x, int64_t k, long times, mp_complex *t, mp_complex *sum,
                     double *size)
{
    const int64_t n = s->points->base->unknowns;
    for (int64_t i = 0; i < n; i++) {
        double limbs[2 * PLUMB_QD] = {0};
        for (int32_t c = 0; c < 2 * x->prec; c++)
            limbs[c] = x->data[k * x->next + c * x->plane + i];
        mp_set_limbs(&t[0], limbs, limbs + x->prec, x->prec);
        mp_set_limbs(&t[1], &s->w[2 * i], &s->w[2 * i + 1], 1);
        mpfr_mul_si(t[1].re, t[1].re, times, MPFR_RNDN);
        mpfr_mul_si(t[1].im, t[1].im, times, MPFR_RNDN);
        mp_add_product(sum, &t[0], &t[1], &t[2]);
        *size += fabs((double)times) * (fabs(limbs[0]) + fabs(limbs[x->prec]));
    }
}

/* Computes delta of the points that do not have one yet. All of them move along the same paths of the shift. */
static plumb_status trace(splitter *s)
{
    const set_points *points = s->points;
    const int64_t first = s->traced, count = points->count - first;
    const double n = (double)points->base->unknowns;
    double *errors = calloc((size_t)count + 1, sizeof *errors);
    mp_complex *t = mp_make(3, BITS);
    plumb_view x = {.data = NULL};
    plumb_status status = errors && t && make_room(s) ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t k = first; k < points->count && status == PLUMB_OK; k++) {
        mpfr_set_zero(s->delta[k].re, 1);
        mpfr_set_zero(s->delta[k].im, 1);
        s->size[k] = 0.0;
        s->error[k] = 2.0 * n * points->error[k];
        add_form(s, &points->x, k, -2, t, &s->delta[k], &s->size[k]);
        s->parts->part[k] = k;
        s->parts->closed[k] = false;
        s->parts->digits[k] = 0.0;
    }
    for (int side = 0; side < 2 && status == PLUMB_OK; side++) {
        status = plumb_array_create(s->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, points->unknowns, 1,
                                    count > 0 ? count : 1, &x);
        x.batch = count;
        plumb_view from = points->x;
        from.data += first * from.next;
        from.batch = count;
        if (status == PLUMB_OK && count > 0)
            status = plumb_copy(s->context, &from, &x, NULL);
        memset(errors, 0, (size_t)count * sizeof *errors);
        if (status == PLUMB_OK)
            status = set_points_move(s->context, points, s->slice, &s->shifted[side], s->seed + 1 + (uint64_t)side, &x,
                                     errors);
        for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
            double *error = &s->error[first + k];
            add_form(s, &x, k, 1, t, &s->delta[first + k], &s->size[first + k]);
            *error = errors[k] < 0.0 || *error < 0.0 ? -1.0 : *error + n * errors[k];
        }
        plumb_array_destroy(s->context, &x);
    }
    if (status == PLUMB_OK)
        s->traced = points->count;
    mp_free(t, t ? 3 : 0);
    free(errors);
    return status;
}

/* Sums over points: of delta, of their errors and sizes. */
typedef struct trace_sum {
    mp_complex *value; /* one number */
    double error, size;
} trace_sum;

static void add_point(const splitter *s, int64_t k, trace_sum *sum)
{
    mp_add(sum->value, sum->value, &s->delta[k]);
    sum->error += s->error[k] < 0.0 ? (double)INFINITY : s->error[k];
    sum->size += s->size[k];
}

static void add_part(const splitter *s, int64_t part, trace_sum *sum)
{
    for (int64_t k = 0; k < s->points->count; k++)
        if (s->parts->part[k] == part)
            add_point(s, k, sum);
}

static void begin_sum(trace_sum *sum)
{
    mpfr_set_zero(sum->value->re, 1);
    mpfr_set_zero(sum->value->im, 1);
    sum->error = sum->size = 0.0;
}

static bool is_zero(const trace_sum *sum)
{
    return sum->error <= MOST_ERROR * sum->size && mp_log2(sum->value) <= log2(ZERO * sum->error);
}

/* ---- Parts --------------------------------------------------------------------------------------------------------- */

/* The parts that are open, each by its first point, at most `most`; returns how many there are. */
static int64_t list_open(const splitter *s, int64_t *list, int64_t most)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->points->count; k++) {
        const set_parts *p = s->parts;
        if (p->closed[k] || p->part[k] != k)
            continue;
        if (count < most)
            list[count] = k;
        count++;
    }
    return count;
}

/* Joins two parts; the number of a part is that of its first point. */
static void join(splitter *s, int64_t a, int64_t b)
{
    const int64_t to = a < b ? a : b, from = a < b ? b : a;
    for (int64_t k = 0; k < s->points->count; k++)
        if (s->parts->part[k] == from)
            s->parts->part[k] = to;
}

static void close_part(splitter *s, int64_t part, const trace_sum *sum)
{
    for (int64_t k = 0; k < s->points->count; k++)
        if (s->parts->part[k] == part) {
            s->parts->closed[k] = true;
            s->parts->digits[k] = sum->error > 0.0 ? log10(sum->size / sum->error) : 0.0;
        }
}

/* Closes open parts, and sets of at most `most` parts, the smallest ones first. */
static void close_sets(splitter *s, trace_sum *sum)
{
    int64_t list[MOST_TRIED];
    for (int64_t k = 0; k < s->points->count; k++)
        if (s->parts->part[k] == k && !s->parts->closed[k]) {
            begin_sum(sum);
            add_part(s, k, sum);
            if (is_zero(sum))
                close_part(s, k, sum);
        }
    int64_t count = list_open(s, list, MOST_TRIED);
    for (int size = 2; count <= MOST_TRIED && size <= count; size++)
        for (uint32_t set = 1; set < 1U << count; set++) {
            if (__builtin_popcount(set) != size)
                continue;
            begin_sum(sum);
            for (int64_t i = 0; i < count; i++)
                if (set >> i & 1)
                    add_part(s, list[i], sum);
            if (!is_zero(sum))
                continue;
            int64_t whole = -1;
            for (int64_t i = 0; i < count; i++)
                if (set >> i & 1) {
                    if (whole >= 0)
                        join(s, whole, list[i]);
                    whole = whole < 0 ? list[i] : whole;
                }
            close_part(s, whole, sum);
            count = list_open(s, list, MOST_TRIED);
            set = 0;
        }
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

/* The point that x is; -1 for a new one, -2 if that is not clear. */
static int64_t find_point(const splitter *s, const plumb_view *x, int64_t k, double error)
{
    const set_points *points = s->points;
    for (int64_t i = 0; i < points->count; i++) {
        const double distance = set_points_distance(x, k, &points->x, i, points->base->unknowns);
        const double errors = ZERO * (error + points->error[i]);
        if (distance <= errors)
            return i;
        if (distance <= 1e6 * errors)
            return -2;
    }
    return -1;
}

/* Moves the open points to another slice and back, and joins parts. *changed: something was found. */
static plumb_status loop(splitter *s, uint64_t number, bool *changed)
{
    set_points *points = s->points;
    const int64_t before = points->count;
    const uint64_t seed = s->seed + 16 * (number + 1);
    int64_t count = 0, *which = calloc((size_t)before + 1, sizeof *which);
    double *errors = calloc((size_t)before + 1, sizeof *errors);
    set_slice other = {.c = NULL};
    plumb_view x = {.data = NULL};
    *changed = false;
    plumb_status status = which && errors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = set_slice_make(s->slice->equations, s->slice->unknowns, seed, &other);
    if (status == PLUMB_OK)
        status = plumb_array_create(s->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, points->unknowns, 1, before, &x);
    for (int64_t k = 0; k < before && status == PLUMB_OK; k++)
        if (!s->parts->closed[k]) {
            const plumb_view from = set_points_one(&points->x, k);
            plumb_view to = set_points_one(&x, count);
            which[count++] = k;
            status = plumb_copy(s->context, &from, &to, NULL);
        }
    x.batch = count;
    if (status == PLUMB_OK)
        status = set_points_move(s->context, points, s->slice, &other, seed + 1, &x, errors);
    if (status == PLUMB_OK)
        status = set_points_move(s->context, points, &other, s->slice, seed + 2, &x, errors);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        int64_t to = errors[k] < 0.0 ? -2 : find_point(s, &x, k, errors[k]);
        if (to == -1) {
            to = points->count;
            status = set_points_add(s->context, points, &x, k, errors[k]);
            if (status == PLUMB_OK)
                status = trace(s);
        }
        if (status == PLUMB_OK && to >= 0 && !s->parts->closed[to] && s->parts->part[to] != s->parts->part[which[k]]) {
            join(s, s->parts->part[to], s->parts->part[which[k]]);
            *changed = true;
        }
    }
    plumb_array_destroy(s->context, &x);
    set_slice_clear(&other);
    free(errors);
    free(which);
    return status;
}

static plumb_status prepare(splitter *s)
{
    const int64_t n = s->slice->unknowns;
    plumb_random random = plumb_random_start(s->seed);
    double shift[2];
    s->w = calloc(2 * (size_t)n, sizeof *s->w);
    plumb_status status = s->w ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++)
        set_direction(&random, s->w + 2 * i);
    set_direction(&random, shift);
    for (int side = 0; side < 2 && status == PLUMB_OK; side++) {
        status = set_slice_copy(s->slice, &s->shifted[side]);
        for (int part = 0; part < 2 && status == PLUMB_OK; part++)
            s->shifted[side].c[2 * n + part] += side == 0 ? shift[part] : -shift[part];
    }
    return status;
}

static void clear_traces(splitter *s)
{
    set_slice_clear(&s->shifted[0]);
    set_slice_clear(&s->shifted[1]);
    free(s->w);
    s->w = NULL;
    s->traced = 0;
}

/* Traces all points; where a path fails, all of them once more along other paths. */
static plumb_status trace_all(splitter *s)
{
    const uint64_t seed = s->seed;
    bool failed = true;
    plumb_status status = PLUMB_OK;
    for (uint64_t k = 0; k < ATTEMPTS && failed && status == PLUMB_OK; k++) {
        clear_traces(s);
        s->seed = seed + k * NEXT_SEED;
        status = prepare(s);
        if (status == PLUMB_OK)
            status = trace(s);
        failed = false;
        for (int64_t i = 0; i < s->traced; i++)
            failed = failed || s->error[i] < 0.0;
    }
    return status;
}

plumb_status set_parts_find(plumb_context *context, set_points *points, const set_slice *slice, set_parts *parts)
{
    const plumb_decompose_options *options = points->options;
    splitter s = {.context = context, .points = points, .slice = slice, .seed = options->seed, .parts = parts};
    trace_sum sum = {.value = mp_make(1, BITS)};
    int64_t stale = 0;
    *parts = (set_parts){.part = NULL};
    plumb_status status = sum.value ? trace_all(&s) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        close_sets(&s, &sum);
    for (int64_t k = 0; k < options->max_loops && stale < STALE && status == PLUMB_OK && list_open(&s, NULL, 0) > 0;
         k++) {
        bool changed;
        status = loop(&s, (uint64_t)k, &changed);
        if (status == PLUMB_OK && changed)
            close_sets(&s, &sum);
        stale = status == PLUMB_OK && changed ? 0 : stale + 1;
    }
    mp_free(sum.value, sum.value ? 1 : 0);
    mp_free(s.delta, s.delta ? parts->room : 0);
    clear_traces(&s);
    free(s.error);
    free(s.size);
    return status;
}
