/* settle.c - see settle.h. */
#include "solver/solve/points/settle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/os/team.h"
#include "solver/mp/exact.h"
#include "solver/mp/follow.h"
#include "solver/mp/system.h"
#include "solver/track/local.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Work of all paths that are followed again, in units of mp_system_cost: about ten seconds on one core. They share it evenly, but one
 * path gets a quarter at most. */
static const double MOST_WORK = 4e9, SHARE = 0.25;

/* Digits to which limits are found at first, which is enough to recognise rational numbers; and then at least, and at most. */
static const double FIRST_DIGITS = 16.0, LEAST_DIGITS = 80.0, MOST_DIGITS = 400.0;

/* Coefficients of one equation that differ by more than this (log2) make roots that are as large. In the arithmetic of paths these are
 * not always told from infinity; nor are those of equations that are nearly dependent, whose solutions have condition numbers as large
 * as this. So paths to infinity are followed again, too, if all of them can be for this work; each takes about so many
 * evaluations. */
static const double WIDE = 26.0, NEARLY_DEPENDENT = 1e12, MOST_WORK_AT_INFINITY = 1e8, EVALUATIONS = 600.0;

/* Points of which errors are known as log2: the same if they are within 2^SAME times their errors, different if they are
 * further apart than 2^DIFFERENT times that; otherwise it is not known. */
static const double SAME = 6.0, DIFFERENT = 16.0;

/* Rational points are looked for within so many times the estimated error. */
static const double TIMES_ERROR = 100.0;

/* A cluster is taken to have at least a radius of the m-th root of this, which is what quad doubles can resolve. */
static const double RESOLVED = 0x1p-190;

/* A path that is to be followed. */
typedef struct open_path {
    int64_t k; /* in the run */
    int64_t number;
    int32_t code;  /* before */
    int64_t group; /* the first open path that ends at the same point; own index: none before it */
    bool settled;
    mp_path path;
} open_path;

typedef struct settler {
    const solve_plan *plan;
    const solve_paths *paths;
    track_group *groups;
    settled_points *settled;
    open_path *open;
    int64_t count;
    bool doubts; /* some path lacks digits: it might belong to any of the points */
    double *x;   /* room for one point */
} settler;

/* ---- Which paths are open ------------------------------------------------------------------------------------------ */

static bool lacks_digits(int32_t code)
{
    return code == PLUMB_PATH_UNDECIDED || code == PLUMB_PATH_PRECISION_EXHAUSTED || code == PLUMB_PATH_STEP_TOO_SMALL;
}

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

/* The largest modulus of an unknown. */
static double size_of(const double *x, int32_t prec, int64_t n)
{
    double size = 0.0;
    for (int64_t i = 0; i < n; i++)
        size = fmax(size, hypot(x[2 * i * prec], x[(2 * i + 1) * prec]));
    return size;
}

static plumb_status add_point(const settler *s, settled_point point, const double *x)
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

/* The multiplicity of a rational solution, which is to be `paths` (0: whatever it is): x becomes that point if it is. If all other
 * paths are known to end elsewhere, it is enough to see that the multiplicity is not smaller. */
static int64_t count_exactly(const settler *s, const exact_point *point, int64_t paths, double *x)
{
    const int64_t multiplicity =
        exact_multiplicity(plumb_solve_target(s->plan), point, paths > 0 && s->doubts ? paths + 1 : paths);
    if (multiplicity > 0 && (paths == 0 || multiplicity == paths))
        exact_point_limbs(point, x, PLUMB_QD);
    return multiplicity;
}

/* The same for the rational solution within about so many times the error of x; -1: there is none. */
static int64_t find_exact(const settler *s, double *x, int32_t prec, double error, int64_t paths)
{
    const plumb_system *target = plumb_solve_target(s->plan);
    const double within = TIMES_ERROR * error * fmax(1.0, size_of(x, prec, target->unknowns));
    exact_point point;
    const bool found = exact_point_find_limbs(target, x, prec, log2(within), &point);
    const int64_t multiplicity = found ? count_exactly(s, &point, paths, x) : -1;
    exact_point_clear(&point);
    return multiplicity;
}

/* The number of paths in the group of a centre. */
static int64_t count_members(const settler *s, int64_t centre)
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

/* Settles the point of a group by exact arithmetic, if that is possible. *open: its paths are to be followed. */
static plumb_status settle_exactly(const settler *s, int64_t centre, bool *open)
{
    plumb_context *context = s->plan->context;
    plumb_path_record record;
    int32_t prec = 0;
    const bool isolated = track_ends_at(&s->paths->ends, centre)->code == PLUMB_PATH_SINGULAR;
    const int64_t paths = count_members(s, centre);
    if (!s->paths->read(s->paths->ends.data, centre, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    const int64_t multiplicity = find_exact(s, s->x, prec, record.error, isolated ? paths : 0);
    *open = isolated || s->paths->ends.unknowns == 1;
    if (multiplicity <= 0)
        return PLUMB_OK;
    if (multiplicity != paths) {
        *open = true; /* some of these paths end elsewhere */
        return PLUMB_OK;
    }
    *open = false;
    set_members(s, centre, PLUMB_PATH_SINGULAR);
    return add_point(s, (settled_point){.path = centre, .paths = paths, .error = 0x1p-200}, s->x);
}

static plumb_status add_open(settler *s, int64_t k)
{
    plumb_context *context = s->plan->context;
    plumb_path_record record;
    int32_t prec = 0;
    if (!s->paths->read(s->paths->ends.data, k, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    s->open[s->count] =
        (open_path){.k = k, .number = record.path, .code = track_ends_at(&s->paths->ends, k)->code, .group = s->count};
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

/* Whether paths to infinity are open, too. */
static bool doubts_infinity(const settler *s)
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
    return h->projective && paths > 0 && each * (double)paths <= MOST_WORK_AT_INFINITY &&
           (!easy || spread_of(h->target) > WIDE);
}

/* Lists the open paths; points that can be settled exactly are. */
static plumb_status find_open(settler *s)
{
    plumb_context *context = s->plan->context;
    const int64_t count = s->paths->ends.count;
    bool *open = calloc((size_t)count + 1, sizeof *open), *points = calloc((size_t)count + 1, sizeof *points);
    plumb_status status = open && points ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count; k++)
        s->doubts = s->doubts || lacks_digits(track_ends_at(&s->paths->ends, k)->code) || s->groups[k].regular > 1;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        if (is_point(s, k) && !points[s->groups[k].centre]) {
            const int64_t centre = s->groups[k].centre;
            points[centre] = true;
            status = settle_exactly(s, centre, &open[centre]);
        }
    int64_t some = 0;
    const bool infinite = doubts_infinity(s);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        const track_end *end = track_ends_at(&s->paths->ends, k);
        const int64_t centre = s->groups[k].centre;
        open[k] = lacks_digits(end->code) || may_be_multiple(s, end) ||
                  (infinite && end->code == PLUMB_PATH_AT_INFINITY) ||
                  (centre >= 0 && points[centre] && open[centre]) || s->groups[k].regular > 1;
        some += open[k];
    }
    if (status == PLUMB_OK && some > 0)
        s->open = calloc((size_t)some, sizeof *s->open);
    if (status == PLUMB_OK && some > 0 && !s->open)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++)
        if (open[k])
            status = add_open(s, k);
    free(open);
    free(points);
    return status;
}

/* ---- Following them ------------------------------------------------------------------------------------------------ */

/* How close distinct solutions may be, in digits: it grows with the sizes of the coefficients and the number of solutions. */
static double digits_for(const solve_plan *plan)
{
    const int64_t bits = mp_bits_for(plumb_solve_left(plan), 0, 1);
    return fmin(MOST_DIGITS, LEAST_DIGITS + 0.3 * (double)bits * (double)plan->start.paths);
}

/* What threads share that follow paths. */
typedef struct followers {
    settler *s;
    const plumb_view *starts;
    double digits, work; /* of each path */
    team_counter next;
    int32_t status;
} followers;

static void follow_some(void *data, team *t, int32_t index, int32_t threads)
{
    followers *f = data;
    settler *s = f->s;
    const plumb_view *starts = f->starts;
    const int64_t n = s->paths->ends.unknowns;
    double *x = calloc((size_t)(n * 2 * PLUMB_QD), sizeof *x);
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&f->next, 1)) < s->count;) {
        open_path *p = &s->open[k];
        if (p->settled)
            continue;
        for (int64_t i = 0; x && i < n; i++)
            for (int64_t c = 0; c < 2 * PLUMB_QD; c++)
                x[2 * i * PLUMB_QD + c] = starts->data[k * starts->next + c * starts->plane + i];
        mp_path_clear(s->plan->homotopy, &p->path);
        p->group = k;
        const plumb_status status =
            x ? mp_follow(s->plan->homotopy, x, f->digits, f->work, &p->path) : PLUMB_ERR_MEMORY;
        if (status != PLUMB_OK)
            __atomic_store_n(&f->status, (int32_t)status, __ATOMIC_RELAXED);
    }
    free(x);
    mpfr_free_cache(); /* of this thread */
}

/* Follows the open paths that are not settled. */
static plumb_status follow_all(settler *s, double digits)
{
    const solve_plan *plan = s->plan;
    plumb_context *context = plan->context;
    int64_t *numbers = calloc((size_t)s->count + 1, sizeof *numbers), left = 0;
    plumb_view starts = {.data = NULL};
    plumb_status status = numbers ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, s->paths->ends.unknowns, 1, s->count,
                                    &starts);
    for (int64_t k = 0; k < s->count && status == PLUMB_OK; k++) {
        numbers[k] = s->open[k].number;
        left += !s->open[k].settled;
    }
    if (status == PLUMB_OK && left > 0)
        status = plan->start.make(&plan->start, context, numbers, plan->options.reruns, &starts);
    if (status == PLUMB_OK && left > 0) {
        followers f = {.s = s,
                       .starts = &starts,
                       .digits = digits,
                       .work = MOST_WORK * fmin(SHARE, 1.0 / (double)left),
                       .status = PLUMB_OK};
        const bool many = context->cpu.threads > 1 && left > 1;
        if (many)
            status = team_start(&context->cpu.team, context->cpu.threads, context->message, sizeof context->message);
        if (status == PLUMB_OK)
            team_run(many ? context->cpu.team : NULL, context->cpu.threads, follow_some, &f);
        if (status == PLUMB_OK && f.status != PLUMB_OK)
            status = SAY((plumb_status)f.status, "%s", plumb_status_text((plumb_status)f.status));
    }
    free(numbers);
    plumb_array_destroy(context, &starts);
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
    return s->plan->homotopy->projective && mp_log2(&p->x[0]) - size <= p->error + SAME;
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
    return h->projective ? fmax(0.0, mp_log2_largest(p->x, h->unknowns) - mp_log2(&p->x[0])) : 0.0;
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
    const double within =
        path->error + magnified(s, path) + SAME + log2(TIMES_ERROR) + (end ? fmax(0.0, mp_log2_largest(end, n)) : 0.0);
    const bool found = end && exact_point_find(target, end, within, &point);
    const int64_t multiplicity = found ? count_exactly(s, &point, paths, x) : -1;
    exact_point_clear(&point);
    mp_free(end, end ? n : 0);
    return multiplicity;
}

/* The group whose first path is open[first], of so many paths, at a finite point that is not regular. Unless this is the last time that
 * its paths were followed, only an exact solution settles it. */
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
    if (exact != paths && !last)
        return PLUMB_OK;
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
        status = add_point(s, (settled_point){.path = p->k, .paths = own, .error = error}, s->x);
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
    return add_point(s, (settled_point){.path = p->k, .paths = 1, .error = error_of_end(s, &p->path)}, s->x);
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
    const double size = size_of(x, PLUMB_QD, n);
    double *end = calloc((size_t)(n * 2 * PLUMB_QD), sizeof *end);
    bool good = end != NULL;
    for (int64_t i = 0; i < s->count && good; i++) {
        const open_path *p = &s->open[i];
        if (p->settled || s->groups[p->k].centre != centre)
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
    const int64_t paths = count_members(s, centre), n = s->paths->ends.unknowns;
    if (!s->paths->read(s->paths->ends.data, centre, &record, s->x, &prec))
        return SAY(PLUMB_ERR_IO, "an endpoint cannot be read");
    for (int64_t i = 2 * n - 1; i >= 0; i--)
        for (int32_t c = PLUMB_QD - 1; c >= 0; c--)
            s->x[i * PLUMB_QD + c] = c < prec ? s->x[i * prec + c] : 0.0;
    double radius = fmax(1e3 * record.error, 10.0 * pow(RESOLVED, 1.0 / (double)paths));
    *good = measure_cluster(s, centre, s->x, &radius);
    return !*good
               ? PLUMB_OK
               : add_point(s, (settled_point){.path = centre, .paths = paths, .cluster = true, .error = radius}, s->x);
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

static plumb_status settle_group(settler *s, int64_t first, bool last)
{
    open_path *p = &s->open[first];
    int64_t paths = 0;
    bool isolated = true;
    for (int64_t j = first; j < s->count; j++)
        if (s->open[j].group == first && !s->open[j].settled) {
            paths++;
            isolated = isolated && s->open[j].code == PLUMB_PATH_SINGULAR;
        }
    if (p->path.end == MP_END_REGULAR && !is_infinite(s, &p->path))
        return settle_regular(s, first, paths);
    if (p->path.end == MP_END_SINGULAR && !is_infinite(s, &p->path))
        return settle_multiple(s, first, paths, isolated, last);
    for (int64_t j = first; j < s->count && (p->path.end == MP_END_REGULAR || last); j++)
        if (s->open[j].group == first && !s->open[j].settled)
            set_code(s, &s->open[j],
                     p->path.end == MP_END_FAILED && s->open[j].code != PLUMB_PATH_AT_INFINITY
                         ? PLUMB_PATH_UNDECIDED
                         : PLUMB_PATH_AT_INFINITY);
    return PLUMB_OK;
}

static plumb_status settle_ends(settler *s, bool last)
{
    plumb_status status = last ? settle_clusters(s) : PLUMB_OK;
    join(s);
    for (int64_t i = 0; i < s->count && status == PLUMB_OK; i++)
        if (!s->open[i].settled && s->open[i].group == i)
            status = settle_group(s, i, last);
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
            const double apart = apart_by(a->x, b->x, n) / size_of(a->x, PLUMB_QD, n);
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
        undecided = lacks_digits(track_ends_at(&s->paths->ends, k)->code);
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

plumb_status plumb_solve_settle(const solve_plan *plan, const solve_paths *paths, track_group *groups,
                                settled_points *settled)
{
    plumb_context *context = plan->context;
    settler s = {.plan = plan, .paths = paths, .groups = groups, .settled = settled};
    *settled = (settled_points){.list = NULL};
    if (!is_complete(plan, paths))
        return PLUMB_OK;
    s.x = calloc((size_t)(paths->ends.unknowns * 2 * PLUMB_QD), sizeof *s.x);
    plumb_status status = s.x ? find_open(&s) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    s.doubts = true;
    for (int last = 0; last < 2 && s.count > 0 && status == PLUMB_OK; last++) {
        status = follow_all(&s, last ? digits_for(plan) : FIRST_DIGITS);
        if (status == PLUMB_OK)
            status = settle_ends(&s, last != 0);
    }
    if (status == PLUMB_OK) {
        join_clusters(&s);
        doubt_points(&s);
    }
    if (status == PLUMB_OK && settled->count > 1)
        qsort(settled->list, (size_t)settled->count, sizeof *settled->list, by_path);
    for (int64_t k = 0; k < s.count; k++)
        mp_path_clear(plan->homotopy, &s.open[k].path);
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
