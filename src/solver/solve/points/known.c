/* known.c - settles ends of paths that need not be followed: see settler.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/os/team.h"
#include "solver/mp/multiple.h"
#include "solver/mp/system.h"
#include "solver/solve/points/settler.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Work for the multiplicity of one point with digits, for each of its paths and at most: about half a second and ten seconds on one core; and
 * bits. */
static const double WORK_OF_MULTIPLE = 2e8, MOST_OF_MULTIPLE = 4e9;
enum {
    MOST_BITS = 16384,
    MOST_LOOKS = 64, /* paths without a verdict near which rational solutions are looked for */
    FUNCTIONALS = 24
};

/* Digits of limits, at least, and at most for the sake of many paths: large coefficients ask for more, with as many paths as MOST_MEETING. */
static const double LEAST_DIGITS = 80.0, MANY_DIGITS = 400.0, MOST_MEETING = 2.0;

/* Coefficients of one equation that differ by more than this (log2) make roots that are as large. In the arithmetic of paths these
 * cannot always be distinguished from infinity; nor are those of equations that are nearly dependent, whose solutions have condition numbers as large
 * as this, or in which that number of bits of a coefficient may cancel. So paths to infinity are followed again, too, if all of them can be for this
 * work; each takes about EVALUATIONS evaluations. */
static const double WIDE = 26.0, NEARLY_DEPENDENT = 1e12, MOST_WORK_AT_INFINITY = 1e8, EVALUATIONS = 600.0;
static const size_t LONG = 53;

/* ---- Which paths are open ------------------------------------------------------------------------------------------ */

/* A regular end so close to where its Jacobian is singular that it may be one of the points of an undecided path. */
static bool may_be_multiple(const settler *s, const track_end *end)
{
    const double alone = 1e-2;
    return s->doubts && end->code == PLUMB_PATH_SUCCESS && end->error * (double)end->condition > alone;
}

static bool is_point(const settler *s, int64_t k)
{
    const track_end *end = track_ends_at(&s->paths->ends, k);
    return s->groups[k].centre >= 0 && (end->code == PLUMB_PATH_SINGULAR || end->code == PLUMB_PATH_NOT_ISOLATED);
}

double settle_size(const double *x, int32_t prec, int64_t n)
{
    double size = 0.0;
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, plumb_modulus(x[2 * i * prec], x[(2 * i + 1) * prec]));
    return size;
}

plumb_status settle_add_point(const settler *s, settled_point point, const double *x)
{
    plumb_context *context = s->plan->context;
    settled_points *all = s->settled;
    const size_t bytes = (size_t)(s->paths->ends.unknowns * 2 * PLUMB_QD) * sizeof *x;
    if (all->count == all->room) {
        const int64_t room = 2 * all->room + 16;
        settled_point *list = realloc(all->list, (size_t)room * sizeof *list);
        if (!list)
            return SAY(PLUMB_ERR_MEMORY, "out of memory");
        all->list = list;
        all->room = room;
    }
    point.x = malloc(bytes);
    if (!point.x)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    memcpy(point.x, x, bytes);
    all->list[all->count++] = point;
    return PLUMB_OK;
}

int64_t settle_count_exactly(const settler *s, const exact_point *point, int64_t paths, double *x)
{
    const int64_t more = s->lacking > 1 ? s->lacking : 1;
    const int64_t multiplicity =
        exact_multiplicity(plumb_solve_target(s->plan), point, paths > 0 && s->doubts ? paths + more : paths);
    if (multiplicity > 0 && (paths == 0 || multiplicity >= paths))
        exact_point_limbs(point, x, PLUMB_QD);
    return multiplicity;
}

/* The multiplicity of the rational solution within about SETTLE_TIMES_ERROR times the error of x, as above; -1: there is none. */
static int64_t find_exact(const settler *s, double *x, int32_t prec, double error, int64_t paths)
{
    const plumb_system *target = plumb_solve_target(s->plan);
    const double within = SETTLE_TIMES_ERROR * error * fmax(1.0, settle_size(x, prec, target->unknowns));
    exact_point point;
    const bool found = exact_point_find_limbs(target, x, prec, log2(within), &point);
    const int64_t multiplicity = found ? settle_count_exactly(s, &point, paths, x) : -1;
    exact_point_clear(&point);
    return multiplicity;
}

int64_t settle_members(const settler *s, int64_t centre)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->paths->ends.count; k++)
        count += s->groups[k].centre == centre;
    return count;
}

static void set_members(const settler *s, int64_t centre, int32_t code)
{
    for (int64_t k = 0; k < s->paths->ends.count; k++)
        if (s->groups[k].centre == centre)
            track_ends_at(&s->paths->ends, k)->code = (int8_t)code;
}

/* What is known of a group of singular ends. */
typedef struct singular_point {
    bool known; /* it is the centre of a group */
    bool open;  /* its paths are to be followed */
    /* The multiplicity of an exact solution near it, whose coordinates are exact; 0: there is none. */
    int64_t multiplicity;
} singular_point;

/* The multiplicity of the rational solution near x, where `paths` paths end that were not seen to end at an isolated point; -1: there is none,
 * or it is not isolated: an isolated one has as many functionals as paths that end there, and here there are many more. */
static int64_t find_isolated(const settler *s, double *x, int32_t prec, double error, int64_t paths)
{
    const plumb_system *target = plumb_solve_target(s->plan);
    const double within = SETTLE_TIMES_ERROR * error * fmax(1.0, settle_size(x, prec, target->unknowns));
    const int64_t most = 2 * (paths + s->lacking) + FUNCTIONALS;
    exact_point point;
    const bool found = exact_point_find_limbs(target, x, prec, log2(within), &point);
    int64_t multiplicity = found ? exact_multiplicity(target, &point, most) : -1;
    multiplicity = multiplicity < most ? multiplicity : -1;
    if (multiplicity > 0)
        exact_point_limbs(&point, x, PLUMB_QD);
    exact_point_clear(&point);
    return multiplicity;
}

/* Settles the point of a group by exact arithmetic, if that is possible. */
static plumb_status settle_exactly(const settler *s, int64_t centre, singular_point *point)
{
    plumb_context *context = s->plan->context;
    plumb_path_record record;
    int32_t prec = 0;
    const bool isolated = track_ends_at(&s->paths->ends, centre)->code == PLUMB_PATH_SINGULAR;
    const int64_t paths = settle_members(s, centre);
    if (!s->paths->read(s->paths->ends.data, centre, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    const int64_t multiplicity =
        isolated ? find_exact(s, s->x, prec, record.error, paths) : find_isolated(s, s->x, prec, record.error, paths);
    *point = (singular_point){.known = true,
                              .open = isolated || s->paths->ends.unknowns == 1 || multiplicity > 0,
                              .multiplicity = multiplicity > 0 ? multiplicity : 0};
    if (multiplicity != paths) /* some of these paths end elsewhere, or others end here */
        return PLUMB_OK;
    point->open = false;
    set_members(s, centre, PLUMB_PATH_SINGULAR);
    return settle_add_point(s, (settled_point){.path = centre, .paths = paths, .error = 0x1p-200}, s->x);
}

static plumb_status add_open(settler *s, int64_t k)
{
    plumb_context *context = s->plan->context;
    plumb_path_record record;
    int32_t prec = 0;
    if (!s->paths->read(s->paths->ends.data, k, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    s->open[s->count] = (open_path){
        .k = k, .code = track_ends_at(&s->paths->ends, k)->code, .group = s->count, .path = {.end = MP_END_FAILED}};
    s->followed[s->count] = (followed_path){.number = record.path, .path = {.end = MP_END_FAILED}};
    s->count++;
    return PLUMB_OK;
}

/* log2 of the largest ratio of two coefficients of one equation. */
static double spread_of(const plumb_system *system)
{
    double most = 0.0;
    for (int64_t e = 0; e < system->equations; e++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
            const system_term *t = &system->terms[k];
            const double size = fmax(rational_log2(t->re), rational_log2(t->im));
            low = fmin(low, size);
            high = fmax(high, size);
        }
        most = fmax(most, high - low);
    }
    return most;
}

static bool is_long_number(mpz_srcptr x)
{
    return mpz_sgn(x) != 0 && mpz_sizeinbase(x, 2) - mpz_scan1(x, 0) > LONG;
}

/* Does a coefficient have many bits, powers of two aside? */
static bool is_long(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        for (int part = 0; part < 2; part++) {
            mpq_srcptr c = part == 0 ? system->terms[k].re : system->terms[k].im;
            if (is_long_number(mpq_numref(c)) || is_long_number(mpq_denref(c)))
                return true;
        }
    return false;
}

/* Whether paths to infinity are open, too. If they are too many, they are counted instead. */
static bool doubts_infinity(settler *s)
{
    const plumb_homotopy *h = s->plan->homotopy;
    const double each = EVALUATIONS * mp_system_cost(h->stacked, INT64_C(64) * PLUMB_QD);
    int64_t paths = 0;
    bool easy = false;
    for (int64_t k = 0; k < s->paths->ends.count; k++) {
        const track_end *end = track_ends_at(&s->paths->ends, k);
        paths += end->code == PLUMB_PATH_AT_INFINITY;
        easy = easy || (end->code == PLUMB_PATH_SUCCESS && (double)end->condition < NEARLY_DEPENDENT);
    }
    if (!h->projective || paths == 0 || (easy && spread_of(h->target) <= WIDE && !is_long(s->plan->system)))
        return false;
    if (each * (double)paths <= MOST_WORK_AT_INFINITY)
        return true;
    s->unfollowed = s->plan->options.largest > 1e15 ? paths : 0;
    return false;
}

/* ---- Multiple solutions that are not rational ---------------------------------------------------------------------- */

double settle_digits_of_limit(const solve_plan *plan)
{
    const double bits = 0.3 * (double)mp_bits_for(plumb_solve_left(plan), 0, 1), paths = (double)plan->start.paths;
    return fmax(LEAST_DIGITS + bits * fmin(MOST_MEETING, paths), (double)plan->options.digits);
}

/* It grows with the sizes of the coefficients and the number of solutions; and digits that are asked for are told apart. */
double settle_digits(const solve_plan *plan)
{
    const double bits = 0.3 * (double)mp_bits_for(plumb_solve_left(plan), 0, 1), paths = (double)plan->start.paths;
    return fmax(fmin(MANY_DIGITS, LEAST_DIGITS + bits * paths), settle_digits_of_limit(plan));
}

/* A point whose multiplicity is to be seen with digits. */
typedef struct close_point {
    int64_t centre, paths;
    double *x; /* in the unknowns of the target, in qd; then the refined point */
    double error;
    bool gathered; /* its paths are those of a set of near ends (below), and no group */
    bool good;
} close_point;

/* What threads share that look at such points. */
typedef struct close_points {
    const settler *s;
    close_point *list;
    int64_t count;
    team_counter next;
    int32_t status, stopped, asking;
} close_points;

/* Whether the caller wants to stop, which one thread at a time asks. Points that are left open then are given up by those that follow paths,
 * who ask, too. */
static bool must_stop(void *data)
{
    close_points *all = data;
    const plumb_solve_options *o = &all->s->plan->options;
    if (o->stop && __atomic_exchange_n(&all->asking, 1, __ATOMIC_ACQUIRE) == 0) {
        if (o->stop(o->data) != 0)
            __atomic_store_n(&all->stopped, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&all->asking, 0, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&all->stopped, __ATOMIC_RELAXED) != 0;
}

/* The bits with which the multiplicity of a point is decided. What has to vanish is a value, which may be as small as a power of the distance
 * of two solutions: it gets the digits of distances, and twice the bits of the coefficients. Only three quarters of the bits are
 * compared with zero. */
static double bits_for_values(const solve_plan *plan)
{
    const double bits = (double)mp_bits_for(plumb_solve_left(plan), 0, 1);
    return 1.6 * (log2(10.0) * settle_digits(plan) + 2.0 * bits);
}

/* The point moves to the solution whose multiplicity is the number of its paths, if there is one. */
static plumb_status look_closely(close_points *all, close_point *p)
{
    const settler *s = all->s;
    const plumb_homotopy *h = s->plan->homotopy;
    const int64_t n = h->given_unknowns;
    mp_complex *x = mp_make(n, 2200); /* all that limbs can be apart */
    plumb_status status = x ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && x; i++) {
        const long exponent = h->exponent ? h->exponent[i] : 0;
        mp_set_limbs(&x[i], p->x + 2 * i * PLUMB_QD, p->x + (2 * i + 1) * PLUMB_QD, PLUMB_QD);
        mpfr_mul_2si(x[i].re, x[i].re, -exponent, MPFR_RNDN);
        mpfr_mul_2si(x[i].im, x[i].im, -exponent, MPFR_RNDN);
    }
    mp_multiple m = {.multiplicity = p->paths,
                     .error = x ? log2(SETTLE_TIMES_ERROR * p->error) + fmax(0.0, mp_log2_largest(x, n)) : 0.0,
                     .bits = (int64_t)bits_for_values(s->plan),
                     .most_work = fmin(MOST_OF_MULTIPLE, WORK_OF_MULTIPLE * (double)p->paths),
                     .stop = must_stop,
                     .data = all};
    p->good = x && settle_has_digits(s->plan) && m.bits <= MOST_BITS && mp_is_multiple(h->target, x, &m, &status);
    for (int64_t i = 0; i < n && p->good; i++) {
        const long exponent = h->exponent ? h->exponent[i] : 0;
        mpfr_mul_2si(x[i].re, x[i].re, exponent, MPFR_RNDN);
        mpfr_mul_2si(x[i].im, x[i].im, exponent, MPFR_RNDN);
        mp_get_limbs(&x[i], p->x + 2 * i * PLUMB_QD, p->x + (2 * i + 1) * PLUMB_QD, PLUMB_QD);
    }
    mp_free(x, x ? n : 0);
    return status;
}

plumb_status settle_look_closely(const settler *s, int64_t multiplicity, double error, double *x, bool *found)
{
    plumb_context *context = s->plan->context;
    close_points all = {.s = s};
    close_point point = {.paths = multiplicity, .x = x, .error = error};
    const plumb_status status = look_closely(&all, &point);
    *found = status == PLUMB_OK && point.good;
    return status == PLUMB_OK ? status : SAY(status, "%s", plumb_status_text(status));
}

static void look_at_some(void *data, team *t, int32_t index, int32_t threads)
{
    close_points *all = data;
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&all->next, 1)) < all->count;) {
        const plumb_status status = look_closely(all, &all->list[k]);
        if (status != PLUMB_OK)
            __atomic_store_n(&all->status, (int32_t)status, __ATOMIC_RELAXED);
    }
    mpfr_free_cache(); /* of this thread */
}

/* Lists the centres that are open, and not near an exact solution. */
static plumb_status list_close(const settler *s, const singular_point *points, close_points *all)
{
    plumb_context *context = s->plan->context;
    const int64_t n = s->paths->ends.unknowns, each = n * 2 * PLUMB_QD;
    for (int64_t k = 0; k < s->paths->ends.count; k++) {
        plumb_path_record record;
        int32_t prec = 0;
        if (!points[k].open || points[k].multiplicity > 0 ||
            track_ends_at(&s->paths->ends, k)->code != PLUMB_PATH_SINGULAR)
            continue;
        close_point *p = &all->list[all->count];
        p->x = calloc((size_t)each, sizeof *p->x);
        if (!p->x)
            return SAY(PLUMB_ERR_MEMORY, "out of memory");
        all->count++;
        if (!s->paths->read(s->paths->ends.data, k, &record, s->x, &prec))
            return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
        for (int64_t i = 0; i < 2 * n; i++)
            memcpy(p->x + i * PLUMB_QD, s->x + i * prec, (size_t)prec * sizeof *p->x);
        p->centre = k;
        p->paths = settle_members(s, k);
        p->error = fmax(record.error, 0x1p-190);
    }
    return PLUMB_OK;
}

/* ---- Ends that are near each other ---------------------------------------------------------------------------------- */

/* Sets of ends are looked at that are at most this far apart, relative to their size, and farther from all others by this factor; and as many
 * ends at most, because all distances are compared. */
static const double NEAR = 0x1p-8, GAP = 8.0;
enum { MOST_ENDS = 2048 };

/* Ends that may belong together: a tree of the shortest distances. */
typedef struct end_tree {
    int64_t count, n;
    int64_t *path;  /* in the run */
    double *x;      /* 2 n doubles each */
    int64_t *from;  /* the end that each was joined to, */
    double *length; /* over this distance */
    int64_t *set;   /* of each end: the first end of its set; and the number of the set that is looked at, or -1 */
    int64_t *chosen;
} end_tree;

static bool is_near_something(const settler *s, const singular_point *points, int64_t k)
{
    const track_end *end = track_ends_at(&s->paths->ends, k);
    const int64_t centre = s->groups[k].centre;
    if (centre >= 0)
        return end->code == PLUMB_PATH_SINGULAR && points[centre].open && points[centre].multiplicity == 0;
    return settle_lacks_digits(end->code);
}

static void clear_tree(end_tree *t)
{
    free(t->path);
    free(t->x);
    free(t->length);
}

static plumb_status make_tree(const settler *s, const singular_point *points, end_tree *t)
{
    plumb_context *context = s->plan->context;
    const int64_t n = s->paths->ends.unknowns;
    *t = (end_tree){.n = n};
    for (int64_t k = 0; k < s->paths->ends.count; k++)
        t->count += is_near_something(s, points, k);
    t->count = t->count <= MOST_ENDS ? t->count : 0;
    t->path = calloc(4 * (size_t)t->count + 1, sizeof *t->path);
    t->x = calloc(2 * (size_t)(t->count * n) + 1, sizeof *t->x);
    t->length = calloc((size_t)t->count + 1, sizeof *t->length);
    if (!t->path || !t->x || !t->length)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    t->from = t->path + t->count;
    t->set = t->from + t->count;
    t->chosen = t->set + t->count;
    for (int64_t k = 0, at = 0; k < s->paths->ends.count && at < t->count; k++) {
        plumb_path_record record;
        int32_t prec = 0;
        if (!is_near_something(s, points, k))
            continue;
        if (!s->paths->read(s->paths->ends.data, k, &record, s->x, &prec))
            return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
        for (int64_t i = 0; i < 2 * n; i++)
            t->x[2 * n * at + i] = s->x[i * prec];
        t->path[at++] = k;
    }
    return PLUMB_OK;
}

/* The distance of two ends relative to the smaller one; infinite if one is not finite. */
static double apart(const end_tree *t, int64_t a, int64_t b)
{
    const double *x = t->x + 2 * t->n * a, *y = t->x + 2 * t->n * b;
    double most = 0.0, size[2] = {0.0, 0.0};
    for (int64_t i = 0; i < t->n; i++) {
        most = fmax(most, plumb_modulus(x[2 * i] - y[2 * i], x[2 * i + 1] - y[2 * i + 1]));
        size[0] = fmax(size[0], plumb_modulus(x[2 * i], x[2 * i + 1]));
        size[1] = fmax(size[1], plumb_modulus(y[2 * i], y[2 * i + 1]));
    }
    const double ratio = most / fmin(size[0], size[1]);
    return isfinite(ratio) ? ratio : (double)INFINITY;
}

/* Prim's algorithm: from[k] and length[k] of each end but the first. */
static void span(end_tree *t)
{
    for (int64_t k = 0; k < t->count; k++) {
        t->length[k] = (double)INFINITY;
        t->from[k] = 0;
        t->chosen[k] = 0;
    }
    for (int64_t now = 0, done = 1; done < t->count; done++) {
        int64_t next = -1;
        t->chosen[now] = 1;
        for (int64_t k = 0; k < t->count; k++) {
            if (t->chosen[k])
                continue;
            const double d = apart(t, now, k);
            if (d < t->length[k]) {
                t->length[k] = d;
                t->from[k] = now;
            }
            next = next < 0 || t->length[k] < t->length[next] ? k : next;
        }
        now = next;
    }
}

/* An edge of the tree, and its place, so that sorting has one result. */
typedef struct tree_edge {
    double length;
    int64_t end;
} tree_edge;

static int by_length(const void *a, const void *b)
{
    const tree_edge *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void choose_set(const end_tree *t, int64_t set)
{
    for (int64_t k = 0; k < t->count; k++)
        if (t->set[k] == set)
            t->chosen[k] = set;
}

/* Joins ends by ever longer distances. A set of which all were shorter than the next one by a factor is chosen; a larger one takes
 * the place of those in it. */
static plumb_status choose_sets(const settler *s, end_tree *t)
{
    plumb_context *context = s->plan->context;
    tree_edge *edge = calloc((size_t)t->count + 1, sizeof *edge);
    double *inside = calloc((size_t)t->count + 1, sizeof *inside); /* the longest distance within each set */
    plumb_status status = edge && inside ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < t->count && status == PLUMB_OK; k++) {
        edge[k] = (tree_edge){k > 0 ? t->length[k] : (double)INFINITY, k};
        t->set[k] = k;
        t->chosen[k] = -1;
    }
    if (status == PLUMB_OK)
        qsort(edge, (size_t)t->count, sizeof *edge, by_length);
    for (int64_t e = 0; e < t->count && status == PLUMB_OK; e++) {
        const int64_t k = edge[e].end, both[2] = {t->set[k], t->set[t->from[k]]};
        for (int side = 0; side < 2; side++)
            if (inside[both[side]] > 0.0 && inside[both[side]] <= NEAR && edge[e].length >= GAP * inside[both[side]])
                choose_set(t, both[side]);
        const int64_t low = both[0] < both[1] ? both[0] : both[1];
        for (int64_t i = 0; i < t->count; i++)
            t->set[i] = t->set[i] == both[0] || t->set[i] == both[1] ? low : t->set[i];
        inside[low] = fmax(edge[e].length, 0x1p-1000);
    }
    free(edge);
    free(inside);
    return status;
}

/* Whether the ends of a set are those of one group, which is looked at anyway. */
static bool is_group(const settler *s, const end_tree *t, int64_t set)
{
    const int64_t centre = s->groups[t->path[set]].centre;
    for (int64_t k = 0; k < t->count; k++)
        if (t->chosen[k] == set && (centre < 0 || s->groups[t->path[k]].centre != centre))
            return false;
    return true;
}

/* Lists the sets: the mean of their ends, and how far these are from it. */
static plumb_status list_sets(const settler *s, const end_tree *t, close_points *all)
{
    plumb_context *context = s->plan->context;
    const int64_t n = t->n;
    for (int64_t set = 0; set < t->count; set++) {
        if (t->chosen[set] != set || is_group(s, t, set))
            continue;
        close_point *p = &all->list[all->count];
        double size = 0.0, most = 0.0;
        p->x = calloc((size_t)(2 * n * PLUMB_QD), sizeof *p->x);
        if (!p->x)
            return SAY(PLUMB_ERR_MEMORY, "out of memory");
        all->count++;
        p->centre = t->path[set];
        p->gathered = true;
        for (int64_t k = 0; k < t->count; k++)
            if (t->chosen[k] == set) {
                p->paths++;
                for (int64_t i = 0; i < 2 * n; i++)
                    p->x[i * PLUMB_QD] += t->x[2 * n * k + i];
            }
        for (int64_t i = 0; i < 2 * n; i++)
            p->x[i * PLUMB_QD] /= (double)p->paths;
        for (int64_t k = 0; k < t->count; k++)
            for (int64_t i = 0; i < n && t->chosen[k] == set; i++) {
                const double *x = t->x + 2 * n * k + 2 * i, *y = p->x + 2 * i * PLUMB_QD;
                most = fmax(most, plumb_modulus(x[0] - y[0], x[1] - y[PLUMB_QD]));
                size = fmax(size, plumb_modulus(y[0], y[PLUMB_QD]));
            }
        p->error = fmax(most / size, 0x1p-50) / SETTLE_TIMES_ERROR;
    }
    return PLUMB_OK;
}

/* The ends of a set are at the point that was found, unless some of them are settled by now. */
static void join_set(settler *s, const end_tree *t, singular_point *points, close_point *p)
{
    for (int64_t k = 0; k < t->count; k++)
        p->good = p->good &&
                  (t->chosen[k] < 0 || t->path[t->chosen[k]] != p->centre || is_near_something(s, points, t->path[k]));
    for (int64_t k = 0; k < t->count && p->good; k++) {
        if (t->chosen[k] < 0 || t->path[t->chosen[k]] != p->centre)
            continue;
        track_end *end = track_ends_at(&s->paths->ends, t->path[k]);
        s->lacking -= settle_lacks_digits(end->code);
        points[t->path[k]].open = false;
        end->code = PLUMB_PATH_SINGULAR;
        s->groups[t->path[k]] = (track_group){.centre = p->centre, .all = (int32_t)p->paths};
    }
}

/* Settles open points whose multiplicity, to many digits, is the number of their paths. */
static plumb_status settle_closely(settler *s, singular_point *points)
{
    plumb_context *context = s->plan->context;
    close_points all = {.s = s, .list = calloc(2 * (size_t)s->paths->ends.count + 1, sizeof *all.list)};
    end_tree tree = {.count = 0};
    plumb_status status = all.list ? list_close(s, points, &all) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = make_tree(s, points, &tree);
    if (status == PLUMB_OK) {
        span(&tree);
        status = choose_sets(s, &tree);
    }
    if (status == PLUMB_OK)
        status = list_sets(s, &tree, &all);
    const bool many = context->cpu.threads > 1 && all.count > 1;
    if (status == PLUMB_OK && many)
        status = team_start(&context->cpu.team, context->cpu.threads, context->message, sizeof context->message);
    if (status == PLUMB_OK && all.count > 0)
        team_run(many ? context->cpu.team : NULL, context->cpu.threads, look_at_some, &all);
    if (status == PLUMB_OK && all.status != PLUMB_OK)
        status = SAY((plumb_status)all.status, "%s", plumb_status_text((plumb_status)all.status));
    for (int64_t k = 0; k < all.count; k++) {
        close_point *p = &all.list[k];
        if (status == PLUMB_OK && p->good && p->gathered)
            join_set(s, &tree, points, p);
        if (status == PLUMB_OK && p->good) {
            points[p->centre].open = false;
            status =
                settle_add_point(s, (settled_point){.path = p->centre, .paths = p->paths, .error = 0x1p-200}, p->x);
        }
        free(p->x);
    }
    if (s->lacking == 0) {
        s->doubts = false;
        for (int64_t k = 0; k < s->paths->ends.count; k++)
            s->doubts = s->doubts || s->groups[k].regular > 1;
    }
    clear_tree(&tree);
    free(all.list);
    return status;
}

/* ---- Paths whose ends follow from those of all others -------------------------------------------------------------- */

static bool is_exact_and_open(const singular_point *p)
{
    return p->open && p->multiplicity > 0;
}

/* The paths that lack digits belong to exact solutions whose multiplicities are larger than the numbers of their paths, if as many
 * are missing there: exactly m paths end at an isolated solution of multiplicity m. */
static plumb_status complete_points(settler *s, singular_point *points)
{
    plumb_context *context = s->plan->context;
    const track_ends *ends = &s->paths->ends;
    plumb_status status = PLUMB_OK;
    int64_t missing = 0;
    for (int64_t k = 0; k < ends->count; k++)
        if (is_exact_and_open(&points[k]))
            missing += points[k].multiplicity - settle_members(s, k);
    if (missing != s->lacking || missing == 0)
        return PLUMB_OK;
    for (int64_t k = 0, next = 0; k < ends->count && status == PLUMB_OK; k++) {
        plumb_path_record record;
        int32_t prec = 0;
        if (!is_exact_and_open(&points[k]) || points[k].multiplicity < settle_members(s, k))
            continue;
        for (int64_t left = points[k].multiplicity - settle_members(s, k); left > 0; next++)
            if (settle_lacks_digits(track_ends_at(ends, next)->code)) {
                s->groups[next] = (track_group){.centre = k};
                left--;
            }
        set_members(s, k, PLUMB_PATH_SINGULAR);
        points[k].open = false;
        if (!s->paths->read(ends->data, k, &record, s->x, &prec))
            status = SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
        if (status == PLUMB_OK)
            (void)find_exact(s, s->x, prec, record.error, points[k].multiplicity);
        if (status == PLUMB_OK)
            status = settle_add_point(s, (settled_point){.path = k, .paths = points[k].multiplicity, .error = 0x1p-200},
                                      s->x);
    }
    s->lacking = 0;
    s->doubts = false;
    return status;
}

/* A rational solution that several paths should have come to, whatever they did. */
typedef struct exact_solution {
    int64_t centre; /* of the group of paths that did, or -1 */
    int64_t multiplicity;
    double *x;
} exact_solution;

typedef struct exact_solutions {
    exact_solution *list;
    int64_t count;
} exact_solutions;

/* Adds the solution s->x, if it is not known yet. */
static plumb_status add_solution(const settler *s, int64_t centre, int64_t multiplicity, exact_solutions *all)
{
    plumb_context *context = s->plan->context;
    const size_t bytes = (size_t)(s->paths->ends.unknowns * 2 * PLUMB_QD) * sizeof *s->x;
    for (int64_t k = 0; k < all->count; k++)
        if (memcmp(all->list[k].x, s->x, bytes) == 0)
            return PLUMB_OK;
    for (int64_t k = 0; k < s->settled->count; k++)
        if (memcmp(s->settled->list[k].x, s->x, bytes) == 0)
            return PLUMB_OK;
    double *x = malloc(bytes);
    if (!x)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    memcpy(x, s->x, bytes);
    all->list[all->count++] = (exact_solution){centre, multiplicity, x};
    return PLUMB_OK;
}

/* Looks for multiple rational solutions near a path without a verdict, whose errors say nothing: with ever smaller distances, in which numbers
 * have to be ever simpler. */
static plumb_status look_around(const settler *s, int64_t k, exact_solutions *all)
{
    plumb_context *context = s->plan->context;
    const plumb_system *target = plumb_solve_target(s->plan);
    plumb_status status = PLUMB_OK;
    plumb_path_record record;
    int32_t prec = 0;
    bool found = false;
    if (!s->paths->read(s->paths->ends.data, k, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    for (int power = 1; power <= 4 && !found && status == PLUMB_OK; power++) {
        const double within = -(double)(1 << power); /* log2 */
        exact_point point;
        found = exact_point_find_limbs(target, s->x, prec, within, &point);
        const int64_t multiplicity = found ? exact_multiplicity(target, &point, 0) : -1;
        if (multiplicity > 1) {
            exact_point_limbs(&point, s->x, PLUMB_QD);
            status = add_solution(s, -1, multiplicity, all);
        }
        exact_point_clear(&point);
    }
    return status;
}

/* The rational solutions that are open, and others near some of the paths without a verdict. *known: there are no other open points. */
static plumb_status find_solutions(const settler *s, const singular_point *points, exact_solutions *all, bool *known)
{
    plumb_context *context = s->plan->context;
    const track_ends *ends = &s->paths->ends;
    plumb_status status = PLUMB_OK;
    int64_t some = 0;
    *known = true;
    for (int64_t k = 0; k < ends->count && status == PLUMB_OK && *known; k++) {
        plumb_path_record record;
        int32_t prec = 0;
        if (!points[k].open)
            continue;
        if (!s->paths->read(ends->data, k, &record, s->x, &prec))
            return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
        const int64_t multiplicity = points[k].multiplicity > 0 ? find_exact(s, s->x, prec, record.error, 0) : 0;
        *known = multiplicity > 0;
        if (*known)
            status = add_solution(s, k, multiplicity, all);
    }
    for (int64_t k = 0; k < ends->count && status == PLUMB_OK && *known && some < MOST_LOOKS; k++)
        if (settle_lacks_digits(track_ends_at(ends, k)->code)) {
            status = look_around(s, k, all);
            some++;
        }
    return status;
}

/* The number of regular solutions that paths have come to, and of those of settled points, with multiplicity; -1: some of them may be others. */
static int64_t count_known(const settler *s)
{
    int64_t known = 0;
    for (int64_t k = 0; k < s->paths->ends.count; k++)
        known += track_ends_at(&s->paths->ends, k)->code == PLUMB_PATH_SUCCESS &&
                 (s->groups[k].regular <= 1 || s->groups[k].centre == k);
    for (int64_t k = 0; k < s->settled->count; k++) {
        const settled_point *p = &s->settled->list[k];
        if (p->cluster)
            return -1;
        known += track_ends_at(&s->paths->ends, p->path)->code == PLUMB_PATH_SINGULAR ? p->paths : 0;
    }
    return known;
}

static void send_to_infinity(const settler *s, int64_t k)
{
    track_ends_at(&s->paths->ends, k)->code = PLUMB_PATH_AT_INFINITY;
    s->groups[k] = (track_group){.centre = -1};
}

/* Exactly m paths end at a solution of multiplicity m: others without a verdict do, and those that are too many do not. */
static plumb_status give_paths(const settler *s, const exact_solution *p)
{
    const track_ends *ends = &s->paths->ends;
    int64_t centre = p->centre, left = p->multiplicity;
    for (int64_t k = 0; k < ends->count && centre >= 0; k++)
        if (s->groups[k].centre == centre && k != centre && (settle_members(s, centre) > p->multiplicity))
            send_to_infinity(s, k);
    left -= centre >= 0 ? settle_members(s, centre) : 0;
    for (int64_t k = 0; k < ends->count && left > 0; k++)
        if (settle_lacks_digits(track_ends_at(ends, k)->code)) {
            centre = centre >= 0 ? centre : k;
            track_ends_at(ends, k)->code = PLUMB_PATH_SINGULAR;
            s->groups[k] = (track_group){.centre = centre};
            left--;
        }
    if (centre < 0 || left > 0)
        return PLUMB_OK; /* there are fewer paths than solutions, which is impossible */
    set_members(s, centre, PLUMB_PATH_SINGULAR);
    return settle_add_point(s, (settled_point){.path = centre, .paths = p->multiplicity, .error = 0x1p-200}, p->x);
}

/* All solutions are known: what has no place among them ends at infinity. */
static void send_rest(const settler *s)
{
    for (int64_t k = 0; k < s->paths->ends.count; k++) {
        const track_end *end = track_ends_at(&s->paths->ends, k);
        if (settle_lacks_digits(end->code) || end->code == PLUMB_PATH_BEYOND ||
            (end->code == PLUMB_PATH_SUCCESS && s->groups[k].regular > 1 && s->groups[k].centre != k))
            send_to_infinity(s, k);
        else if (end->code == PLUMB_PATH_SUCCESS)
            s->groups[k] = (track_group){.centre = k, .all = 1, .regular = 1};
    }
}

/* If paths have no verdict, or exact solutions other numbers of paths than their multiplicities: are all solutions known? Then it is known
 * where the paths end. */
static plumb_status count_solutions(settler *s, singular_point *points, bool *all)
{
    plumb_context *context = s->plan->context;
    const int64_t count = s->paths->ends.count;
    exact_solutions found = {.list = calloc((size_t)count + MOST_LOOKS, sizeof *found.list)};
    bool some = s->lacking > 0, known = false;
    plumb_status status = found.list ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    *all = false;
    for (int64_t k = 0; k < count; k++)
        some = some || points[k].open;
    if (status == PLUMB_OK && some)
        status = find_solutions(s, points, &found, &known);
    int64_t solutions = known ? count_known(s) : -1;
    for (int64_t k = 0; k < found.count && solutions >= 0; k++)
        solutions += found.list[k].multiplicity;
    if (status == PLUMB_OK && solutions >= 0 && solutions <= count)
        *all = exact_has_at_most(plumb_solve_target(s->plan), solutions);
    for (int64_t k = 0; k < found.count; k++) {
        if (status == PLUMB_OK && *all)
            status = give_paths(s, &found.list[k]);
        free(found.list[k].x);
    }
    free(found.list);
    if (!*all)
        return status;
    send_rest(s);
    for (int64_t k = 0; k < count; k++)
        points[k].open = false;
    s->lacking = 0;
    s->doubts = false;
    return status;
}

void settle_by_counting(const settler *s)
{
    bool some = false;
    for (int64_t k = 0; k < s->paths->ends.count; k++)
        some = some || settle_lacks_digits(track_ends_at(&s->paths->ends, k)->code);
    const int64_t known = some ? count_known(s) : -1;
    if (known >= 0 && exact_has_at_most(plumb_solve_target(s->plan), known))
        send_rest(s);
}

/* ---- The list of open paths ---------------------------------------------------------------------------------------- */

/* Lists the open paths; points that can be settled exactly are. */
plumb_status settle_known(settler *s)
{
    plumb_context *context = s->plan->context;
    const int64_t count = s->paths->ends.count;
    bool *open = calloc((size_t)count + 1, sizeof *open);
    singular_point *points = calloc((size_t)count + 1, sizeof *points);
    plumb_status status = open && points ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count; k++) {
        s->lacking += settle_lacks_digits(track_ends_at(&s->paths->ends, k)->code);
        s->doubts = s->doubts || s->lacking > 0 || s->groups[k].regular > 1;
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        if (is_point(s, k) && !points[s->groups[k].centre].known)
            status = settle_exactly(s, s->groups[k].centre, &points[s->groups[k].centre]);
    if (status == PLUMB_OK)
        status = settle_closely(s, points);
    if (status == PLUMB_OK)
        status = complete_points(s, points);
    bool all = false;
    if (status == PLUMB_OK)
        status = count_solutions(s, points, &all);
    int64_t some = 0;
    const bool infinite = !all && doubts_infinity(s);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        const track_end *end = track_ends_at(&s->paths->ends, k);
        const int64_t centre = s->groups[k].centre;
        open[k] = settle_lacks_digits(end->code) || may_be_multiple(s, end) ||
                  (infinite && end->code == PLUMB_PATH_AT_INFINITY) || (centre >= 0 && points[centre].open) ||
                  s->groups[k].regular > 1;
        some += open[k];
    }
    if (status == PLUMB_OK && some > 0) {
        s->open = calloc((size_t)some, sizeof *s->open);
        s->followed = calloc((size_t)some, sizeof *s->followed);
    }
    if (status == PLUMB_OK && some > 0 && (!s->open || !s->followed))
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        if (open[k])
            status = add_open(s, k);
    free(open);
    free(points);
    return status;
}
