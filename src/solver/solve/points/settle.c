/* settle.c - see settle.h. */
#include "solver/solve/points/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "solver/mp/system.h"
#include "solver/solve/points/settler.h"
#include "solver/track/local.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Digits to which limits are found at first, which is enough to recognise rational numbers. */
static const double FIRST_DIGITS = 16.0;

/* Points of which errors are known as log2: the same if they are within 2^SAME times their errors, different if they are
 * further apart than 2^DIFFERENT times that; otherwise it is not known. */
static const double SAME = 6.0, DIFFERENT = 16.0;

/* A cluster is taken to have at least a radius of the m-th root of this, which is what quad doubles can resolve. */
static const double RESOLVED = 0x1p-190;

/* ---- Following them ------------------------------------------------------------------------------------------------ */

/* Follows the open paths that are not settled. */
static plumb_status follow_all(settler *s, double digits)
{
    for (int64_t k = 0; k < s->count; k++) {
        s->followed[k].ended = s->open[k].settled;
        s->open[k].group = k;
    }
    plumb_status status = plumb_solve_follow(s->plan, s->followed, s->count, digits, &s->account);
    for (int64_t k = 0; k < s->count; k++)
        s->open[k].path = s->followed[k].path;
    return status;
}

/* ---- Where they end ------------------------------------------------------------------------------------------------ */

/* log2 of the distance of the ends of two paths, relative to the largest coordinate. */
static double distance(const settler *s, const mp_path *a, const mp_path *b)
{
    const int64_t n = s->plan->homotopy->unknowns;
    double most = -(double)INFINITY;
    mp_complex *apart = mp_make(1, a->bits > b->bits ? a->bits : b->bits);
    if (!apart)
        return 0.0; /* far apart: nothing is joined that is not seen to be one */
    for (int64_t i = 0; i < n; i++) {
        mp_sub(apart, &a->x[i], &b->x[i]);
        most = fmax(most, mp_log2(apart));
    }
    mp_free(apart, 1);
    return most - mp_log2_largest(a->x, n);
}

/* x_0 is zero within the error of the end. */
static bool is_infinite(const settler *s, const mp_path *p)
{
    const double size = mp_log2_largest(p->x, s->plan->homotopy->unknowns);
    return s->plan->homotopy->projective && !p->own && mp_log2(&p->x[0]) - size <= p->error + SAME;
}

/* The end in the unknowns of the target; to be freed. NULL without memory. */
static mp_complex *make_end(const settler *s, const mp_path *p)
{
    const plumb_homotopy *h = s->plan->homotopy;
    mp_complex *x = mp_make(h->given_unknowns, p->bits), *room = mp_make(2, p->bits);
    for (int64_t i = 0; i < h->given_unknowns && x && room; i++) {
        mp_div(&x[i], &p->x[i + h->projective], &p->x[0], room);
        if (h->exponent) {
            mpfr_mul_2si(x[i].re, x[i].re, h->exponent[i], MPFR_RNDN);
            mpfr_mul_2si(x[i].im, x[i].im, h->exponent[i], MPFR_RNDN);
        }
    }
    if (!room)
        mp_free(x, x ? h->given_unknowns : 0);
    mp_free(room, room ? 2 : 0);
    return room ? x : NULL;
}

/* log2 of what the error of X becomes relative to the largest unknown of the target: x_0 may be small beside the others. */
static double magnified(const settler *s, const mp_path *p)
{
    const plumb_homotopy *h = s->plan->homotopy;
    return h->projective && !p->own ? fmax(0.0, mp_log2_largest(p->x, h->unknowns) - mp_log2(&p->x[0])) : 0.0;
}

/* The error of the end, relative to the largest unknown of the target: with a margin, and at least what quad doubles have. */
static double error_of_end(const settler *s, const mp_path *p)
{
    return fmax(exp2(fmax(p->error + magnified(s, p), -1000.0) + SAME), 0x1p-200);
}

static bool take_end(const settler *s, const mp_path *p, double *x)
{
    const int64_t n = s->plan->homotopy->given_unknowns;
    mp_complex *end = make_end(s, p);
    for (int64_t i = 0; i < n && end; i++)
        mp_get_limbs(&end[i], x + 2 * i * PLUMB_QD, x + (2 * i + 1) * PLUMB_QD, PLUMB_QD);
    mp_free(end, end ? n : 0);
    return end != NULL;
}

static void set_code(const settler *s, open_path *p, int32_t code)
{
    track_ends_at(&s->paths->ends, p->k)->code = (int8_t)code;
    s->groups[p->k] = (track_group){.centre = -1};
    p->settled = true;
}

/* Joins open paths to groups by their ends. A distance that is neither small nor large leaves both undecided: MP_END_FAILED. */
static void join(settler *s)
{
    for (int64_t i = 0; i < s->count; i++)
        for (int64_t j = 0; j < i && !s->open[i].settled && s->open[i].path.end != MP_END_FAILED; j++) {
            open_path *a = &s->open[i], *b = &s->open[j];
            if (b->path.end != a->path.end)
                continue;
            const double apart = distance(s, &a->path, &b->path), error = fmax(a->path.error, b->path.error);
            if (apart <= error + SAME)
                a->group = a->group == i || b->group < a->group ? b->group : a->group;
            else if (apart <= error + DIFFERENT && a->path.end == MP_END_SINGULAR)
                a->path.end = b->path.end = MP_END_FAILED;
        }
}

/* Whether a multiple point, of whose paths some were not seen to end at an isolated one, is isolated. */
static plumb_status is_isolated(const settler *s, const double *x, int64_t paths, double error, bool *isolated)
{
    const plumb_homotopy *h = s->plan->homotopy;
    const int64_t n = h->given_unknowns;
    double *scaled = calloc((size_t)(n * 2 * PLUMB_QD), sizeof *scaled);
    plumb_context *context = s->plan->context;
    *isolated = n == 1;
    if (!scaled)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 2 * i * PLUMB_QD; c < 2 * (i + 1) * PLUMB_QD; c++)
            scaled[c] = ldexp(x[c], h->exponent ? -h->exponent[i] : 0);
    local_point point = {.x = scaled,
                         .prec = PLUMB_QD,
                         .paths = (int32_t)paths,
                         .error = error,
                         .seed = s->plan->options.seed * 0x9e3779b97f4a7c15};
    plumb_status status = *isolated ? PLUMB_OK : track_local_test(context, h->target, &point, 1, NULL);
    *isolated = *isolated || point.verdict == PLUMB_PATH_SINGULAR;
    free(scaled);
    return status;
}

/* find_exact at the end of a path, with all of its digits. */
static int64_t find_exact_end(const settler *s, const mp_path *path, int64_t paths, double *x)
{
    const plumb_system *target = plumb_solve_target(s->plan);
    const int64_t n = target->unknowns;
    mp_complex *end = make_end(s, path);
    exact_point point = {.x = NULL};
    const double within = path->error + magnified(s, path) + SAME + log2(SETTLE_TIMES_ERROR) +
                          (end ? fmax(0.0, mp_log2_largest(end, n)) : 0.0);
    const bool found = end && exact_point_find(target, end, within, &point);
    const int64_t multiplicity = found ? settle_count_exactly(s, &point, paths, x) : -1;
    exact_point_clear(&point);
    mp_free(end, end ? n : 0);
    return multiplicity;
}

/* The group of paths whose first one is open[first], at a finite point that is not regular. Unless this is the last time that
 * its paths were followed, only an exact solution settles it, or one of exactly this multiplicity. */
static plumb_status settle_multiple(settler *s, int64_t first, int64_t paths, bool was_isolated, bool last)
{
    plumb_context *context = s->plan->context;
    open_path *p = &s->open[first];
    double error = error_of_end(s, &p->path);
    bool isolated = was_isolated;
    plumb_status status = PLUMB_OK;
    if (!take_end(s, &p->path, s->x))
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    int64_t exact = paths > 1 ? find_exact_end(s, &p->path, paths, s->x) : -1, own = paths;
    bool found = false;
    if (exact <= 0 && paths > 1)
        status = settle_look_closely(s, paths, error, s->x, &found);
    exact = found ? paths : exact;
    if (status != PLUMB_OK || (exact != paths && !last))
        return status;
    if (exact > 1 && exact < paths) { /* paths have jumped here that belong elsewhere */
        own = exact;
        exact = find_exact_end(s, &p->path, own, s->x);
    }
    error = exact == own ? 0x1p-200 : error;
    if (exact <= 0 && !isolated && paths > 1)
        status = is_isolated(s, s->x, paths, error, &isolated);
    const bool good = paths > 1 && (exact == own || (exact <= 0 && isolated));
    for (int64_t i = first, taken = 0; i < s->count; i++)
        if (s->open[i].group == first) {
            const bool here = good && taken++ < own;
            set_code(s, &s->open[i], here ? PLUMB_PATH_SINGULAR : PLUMB_PATH_UNDECIDED);
            if (here)
                s->groups[s->open[i].k] = (track_group){.centre = p->k, .all = (int32_t)own};
        }
    if (status == PLUMB_OK && good)
        status = settle_add_point(s, (settled_point){.path = p->k, .paths = own, .error = error}, s->x);
    return status;
}

/* Whether a path that was not followed ends at the regular point x, in the unknowns of the target. */
static plumb_status is_taken(const settler *s, const double *x, bool *taken)
{
    const track_ends *ends = &s->paths->ends;
    const int32_t *exponent = s->plan->homotopy->exponent;
    const int64_t n = ends->unknowns, each = 2 * PLUMB_QD;
    const plumb_path_record record = {.code = PLUMB_PATH_SUCCESS};
    const track_end own = track_end_of(&record, x, n, each, PLUMB_QD, exponent);
    double *scaled = calloc((size_t)(2 * n * each), sizeof *scaled), *other = scaled + n * each;
    plumb_status status = scaled ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *taken = false;
    for (int64_t i = 0; i < n * each && scaled; i++)
        scaled[i] = ldexp(x[i], exponent ? -exponent[i / each] : 0);
    for (int64_t k = 0; k < ends->count && status == PLUMB_OK && !*taken; k++) {
        const track_end *end = track_ends_at(ends, k);
        bool near = end->code == PLUMB_PATH_SUCCESS && s->groups[k].regular == 1;
        for (int p = 0; p < TRACK_PRINTS && near; p++)
            near = fabs(end->print[p] - own.print[p]) <= (1e-9 + 20.0 * end->error) * (double)own.scale;
        int32_t prec = 0;
        int64_t number = 0;
        for (int64_t i = 0; i < s->count && near; i++)
            near = s->open[i].k != k;
        if (near && !ends->read(ends->data, k, other, &prec, &number))
            status = PLUMB_ERR_IO;
        *taken = near && status == PLUMB_OK &&
                 track_ends_distance(scaled, PLUMB_QD, other, prec, n) <= 20.0 * end->error + 0x1p-190;
    }
    free(scaled);
    return status;
}

/* A regular end: another one must not be there. */
static plumb_status settle_regular(settler *s, int64_t first, int64_t paths)
{
    plumb_context *context = s->plan->context;
    open_path *p = &s->open[first];
    bool taken;
    plumb_status status = take_end(s, &p->path, s->x) ? is_taken(s, s->x, &taken) : PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_status_text(status));
    for (int64_t i = first + 1; i < s->count && paths > 1; i++)
        if (s->open[i].group == first)
            set_code(s, &s->open[i], PLUMB_PATH_UNDECIDED); /* one of these paths has jumped */
    set_code(s, p, taken ? PLUMB_PATH_UNDECIDED : PLUMB_PATH_SUCCESS);
    if (taken)
        return PLUMB_OK;
    s->groups[p->k] = (track_group){.centre = p->k, .all = 1, .regular = 1};
    return settle_add_point(s, (settled_point){.path = p->k, .paths = 1, .error = error_of_end(s, &p->path)}, s->x);
}

/* The largest difference of a part of an unknown of two points in qd. */
static double apart_by(const double *x, const double *y, int64_t n)
{
    double most = 0.0;
    for (int64_t c = 0; c < 2 * n; c++) {
        double part = 0.0;
        for (int32_t limb = 0; limb < PLUMB_QD; limb++)
            part += x[c * PLUMB_QD + limb] - y[c * PLUMB_QD + limb];
        most = fmax(most, fabs(part));
    }
    return most;
}

/* How far the ends of paths that were followed may be from a point, relative to its largest unknown: their distances, and what is left of
 * the ways to their limits. x: the point, in qd. */
static bool measure_cluster(const settler *s, int64_t centre, const double *x, double *radius)
{
    const int64_t n = s->paths->ends.unknowns;
    const double size = settle_size(x, PLUMB_QD, n);
    double *end = calloc((size_t)(n * 2 * PLUMB_QD), sizeof *end);
    bool good = end != NULL;
    for (int64_t i = 0; i < s->count && good; i++) {
        const open_path *p = &s->open[i];
        if (p->settled || s->groups[p->k].centre != centre || !settle_has_digits(s->plan))
            continue;
        good = p->path.x && take_end(s, &p->path, end);
        const double apart = good ? apart_by(end, x, n) : 0.0;
        *radius = fmax(*radius, 2.0 * (apart / size + exp2(p->path.error + magnified(s, &p->path) + SAME)));
    }
    free(end);
    return good && *radius < 0.1;
}

/* A group of singular ends that could not be followed: a cluster, if there is a radius within which all of them end. */
static plumb_status settle_cluster(const settler *s, int64_t centre, bool *good)
{
    plumb_context *context = s->plan->context;
    plumb_path_record record;
    int32_t prec = 0;
    const int64_t paths = settle_members(s, centre), n = s->paths->ends.unknowns;
    if (!s->paths->read(s->paths->ends.data, centre, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    for (int64_t i = 2 * n - 1; i >= 0; i--)
        for (int32_t c = PLUMB_QD - 1; c >= 0; c--)
            s->x[i * PLUMB_QD + c] = c < prec ? s->x[i * prec + c] : 0.0;
    double radius = fmax(1e3 * record.error, 10.0 * pow(RESOLVED, 1.0 / (double)paths));
    *good = measure_cluster(s, centre, s->x, &radius);
    return !*good ? PLUMB_OK
                  : settle_add_point(
                        s, (settled_point){.path = centre, .paths = paths, .cluster = true, .error = radius}, s->x);
}

/* The group of singular ends that an open path belongs to; -1: none. */
static int64_t singular_group(const settler *s, const open_path *p)
{
    return p->settled || p->code != PLUMB_PATH_SINGULAR ? -1 : s->groups[p->k].centre;
}

/* Groups of singular ends, one of whose paths could not be followed, stay together as a cluster, or are undecided. */
static plumb_status settle_clusters(settler *s)
{
    plumb_context *context = s->plan->context;
    plumb_status status = PLUMB_OK;
    enum { FOLLOWED, FAILED, CLUSTER };
    int8_t *group = calloc((size_t)s->paths->ends.count + 1, sizeof *group);
    if (!group)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < s->count; i++) {
        const int64_t centre = singular_group(s, &s->open[i]);
        if (s->open[i].path.end == MP_END_FAILED && centre >= 0)
            group[centre] = FAILED;
    }
    for (int64_t i = 0; i < s->count && status == PLUMB_OK; i++) {
        const int64_t centre = singular_group(s, &s->open[i]);
        bool good = false;
        if (centre < 0 || centre != s->open[i].k || group[centre] != FAILED)
            continue;
        status = settle_cluster(s, centre, &good);
        group[centre] = good ? CLUSTER : FAILED;
    }
    for (int64_t i = 0; i < s->count && status == PLUMB_OK; i++) {
        const int64_t centre = singular_group(s, &s->open[i]);
        if (centre < 0 || group[centre] == FOLLOWED)
            continue;
        s->open[i].path.end = MP_END_FAILED;
        s->open[i].settled = group[centre] == CLUSTER;
    }
    free(group);
    return status;
}

/* The code of a path that could not be followed to its end. */
static int32_t code_of_failure(const open_path *p)
{
    if (p->code == PLUMB_PATH_AT_INFINITY || p->code == PLUMB_PATH_TOO_MANY_STEPS || p->code == PLUMB_PATH_BAD_START)
        return p->code;
    return p->path.limit == MP_LIMIT_BITS ? PLUMB_PATH_PRECISION_EXHAUSTED : PLUMB_PATH_UNDECIDED;
}

/* The limits are known to this many digits; last: this is the last time that paths were followed. */
typedef struct settle_round {
    double digits;
    bool last;
} settle_round;

static plumb_status settle_group(settler *s, int64_t first, settle_round round)
{
    const bool last = round.last;
    open_path *p = &s->open[first];
    int64_t paths = 0;
    bool isolated = true;
    for (int64_t j = first; j < s->count; j++)
        if (s->open[j].group == first && !s->open[j].settled) {
            paths++;
            isolated = isolated && s->open[j].code == PLUMB_PATH_SINGULAR;
        }
    if (p->path.end == MP_END_REGULAR && !last)
        return PLUMB_OK; /* a path that goes on may come there, too */
    if (p->path.end == MP_END_REGULAR && !is_infinite(s, &p->path))
        return settle_regular(s, first, paths);
    if (p->path.end == MP_END_SINGULAR && !is_infinite(s, &p->path))
        return settle_multiple(s, first, paths, isolated, last);
    const bool told = p->path.infinite && round.digits >= settle_digits_of_limit(s->plan);
    for (int64_t j = first; j < s->count && (last || told); j++)
        if (s->open[j].group == first && !s->open[j].settled)
            set_code(s, &s->open[j],
                     p->path.end == MP_END_FAILED ? code_of_failure(&s->open[j]) : PLUMB_PATH_AT_INFINITY);
    return PLUMB_OK;
}

/* Of paths that have come to the same regular point some have jumped, nobody knows which; and so has one that comes to a point that is settled
 * already with all of its paths. They are followed once more, with more care, before anything else is settled; one that comes to a settled
 * point even so is undecided. */
static void find_jumps(settler *s, bool last)
{
    for (int64_t i = 0; i < s->count && last; i++) {
        open_path *p = &s->open[i], *first = &s->open[p->group];
        const bool is_late = !p->settled && first->settled;
        const bool is_double = p->path.end == MP_END_REGULAR && p->group != i && !is_infinite(s, &p->path);
        if (p->settled || !(is_late || is_double))
            continue;
        if (s->followed[i].care < FOLLOW_MOST_CARE) {
            s->again = s->followed[i].again = true;
            s->followed[p->group].again = s->followed[p->group].again || !first->settled;
        } else if (is_late) {
            set_code(s, p, PLUMB_PATH_UNDECIDED);
        }
    }
}

static plumb_status settle_ends(settler *s, settle_round round)
{
    const bool last = round.last;
    join(s);
    find_jumps(s, last);
    if (s->again)
        return PLUMB_OK;
    plumb_status status = last ? settle_clusters(s) : PLUMB_OK;
    for (int64_t i = 0; i < s->count && last; i++)
        s->open[i].group = i;
    if (last)
        join(s); /* without the paths of clusters */
    for (int64_t i = 0; i < s->count && status == PLUMB_OK; i++)
        if (!s->open[i].settled && s->open[i].group == i)
            status = settle_group(s, i, round);
    return status;
}

/* ---- All of it ----------------------------------------------------------------------------------------------------- */

static bool is_complete(const solve_plan *plan, const solve_paths *paths)
{
    bool complete = plan->homotopy && paths->ends.count == plan->start.paths;
    for (int64_t k = 0; k < paths->ends.count && complete; k++)
        complete = track_ends_at(&paths->ends, k)->known;
    return complete;
}

static int by_path(const void *a, const void *b)
{
    const settled_point *x = a, *y = b;
    return x->path < y->path ? -1 : x->path > y->path;
}

/* Clusters that overlap become one. */
static void join_clusters(const settler *s)
{
    settled_points *all = s->settled;
    const int64_t n = s->paths->ends.unknowns;
    for (int64_t i = 0; i < all->count; i++)
        for (int64_t j = 0; j < all->count; j++) {
            settled_point *a = &all->list[i], *b = &all->list[j];
            if (i == j || !a->cluster || !b->cluster)
                continue;
            const double apart = apart_by(a->x, b->x, n) / settle_size(a->x, PLUMB_QD, n);
            if (!(apart <= a->error + b->error))
                continue;
            for (int64_t k = 0; k < s->paths->ends.count; k++)
                if (s->groups[k].centre == b->path)
                    s->groups[k].centre = a->path;
            a->paths += b->paths;
            a->error = fmax(a->error, apart + b->error);
            free(b->x);
            *b = all->list[--all->count];
            i = i == all->count ? j : i;
            j = -1; /* it has become larger */
        }
}

/* Points that were settled apart must differ; otherwise one of them is not what it seems to be. And while some path is undecided, nobody
 * knows how many solutions a cluster has. */
static void doubt_points(const settler *s)
{
    settled_points *all = s->settled;
    const size_t bytes = (size_t)(s->paths->ends.unknowns * 2 * PLUMB_QD) * sizeof(double);
    int64_t kept = 0;
    bool undecided = false;
    for (int64_t k = 0; k < s->paths->ends.count && !undecided; k++)
        undecided = settle_lacks_digits(track_ends_at(&s->paths->ends, k)->code);
    for (int64_t i = 0; i < all->count; i++) {
        bool doubted = undecided && all->list[i].cluster;
        for (int64_t j = 0; j < all->count && !doubted; j++)
            doubted = j != i && memcmp(all->list[i].x, all->list[j].x, bytes) == 0;
        all->list[i].path = doubted ? -1 - all->list[i].path : all->list[i].path;
    }
    for (int64_t i = 0; i < all->count; i++) {
        if (all->list[i].path >= 0) {
            all->list[kept++] = all->list[i];
            continue;
        }
        const int64_t centre = -1 - all->list[i].path;
        for (int64_t k = 0; k < s->paths->ends.count; k++)
            if (k == centre || s->groups[k].centre == centre) {
                track_ends_at(&s->paths->ends, k)->code = PLUMB_PATH_UNDECIDED;
                s->groups[k] = (track_group){.centre = -1};
            }
        free(all->list[i].x);
    }
    all->count = kept;
}

/* What MPFR did. Paths that a stop has left open are undecided. */
static void report_work(settler *s, plumb_solve_report *report)
{
    int64_t bits = 0;
    for (int64_t k = 0; k < s->count; k++) {
        const mp_path *path = &s->followed[k].path;
        report->mpfr_paths += path->work > 0.0;
        report->mpfr_steps += path->steps;
        report->exhausted += path->end == MP_END_FAILED && path->limit == MP_LIMIT_BITS;
        bits = path->bits > bits ? path->bits : bits;
        if (!s->open[k].settled)
            set_code(s, &s->open[k], PLUMB_PATH_UNDECIDED);
    }
    report->unfollowed = s->unfollowed;
    report->mpfr_digits = (int64_t)((double)bits * log10(2.0));
    report->mpfr_seconds = s->account.seconds;
    report->stopped = s->account.stopped;
}

plumb_status plumb_solve_settle(const solve_plan *plan, const solve_paths *paths, track_group *groups,
                                settled_points *settled, plumb_solve_report *report)
{
    plumb_context *context = plan->context;
    settler s = {.plan = plan, .paths = paths, .groups = groups, .settled = settled};
    *settled = (settled_points){.list = NULL};
    if (!is_complete(plan, paths))
        return PLUMB_OK;
    s.x = calloc((size_t)(paths->ends.unknowns * 2 * PLUMB_QD), sizeof *s.x);
    plumb_status status = s.x ? settle_known(&s) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    s.doubts = true;
    /* Limits are rational numbers of few digits more often than not: the exact test is repeated whenever there are thrice as many. */
    const double most = s.count > 0 ? settle_digits(plan) : 0.0;
    double digits = settle_has_digits(plan) ? fmin(FIRST_DIGITS, most) : most;
    for (bool last = false; !last && s.count > 0 && status == PLUMB_OK;) {
        last = digits >= most;
        status = settle_has_digits(plan) ? follow_all(&s, digits) : PLUMB_OK;
        if (s.account.stopped)
            break;
        s.again = false;
        if (status == PLUMB_OK)
            status = settle_ends(&s, (settle_round){.digits = digits, .last = last});
        last = last && !s.again;
        const double limit = settle_digits_of_limit(plan), next = fmin(3.0 * digits, most);
        digits = digits < limit && next > limit ? limit : next;
    }
    if (status == PLUMB_OK)
        report_work(&s, report);
    if (status == PLUMB_OK) {
        join_clusters(&s);
        doubt_points(&s);
        settle_by_counting(&s);
    }
    if (status == PLUMB_OK && settled->count > 1)
        qsort(settled->list, (size_t)settled->count, sizeof *settled->list, by_path);
    for (int64_t k = 0; k < s.count; k++)
        plumb_followed_clear(plan, &s.followed[k]);
    free(s.followed);
    free(s.open);
    free(s.x);
    return status;
}

void plumb_settled_clear(settled_points *settled)
{
    for (int64_t k = 0; k < settled->count; k++)
        free(settled->list[k].x);
    free(settled->list);
    *settled = (settled_points){.list = NULL};
}
