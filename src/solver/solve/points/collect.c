/* collect.c - see collect.h. */
#include "solver/solve/points/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "model/solutions.h"
#include "solver/newton/newton.h"
#include "solver/solve/direct.h"
#include "solver/solve/points/conditions.h"
#include "solver/solve/points/deflate.h"
#include "solver/solve/points/settle.h"
#include "solver/solve/points/sift.h"
#include "solver/solve/points/zeros.h"
#include "text/number/number.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- The account of the paths -------------------------------------------------------------------------------------- */

static void count_path(const solve_paths *paths, const track_group *groups, int64_t k, plumb_solve_report *report)
{
    const track_end *end = track_ends_at(&paths->ends, k);
    if (!end->known) {
        report->failed++;
        report->unfinished++;
        return;
    }
    switch (end->code) {
    case PLUMB_PATH_SUCCESS:
        if (groups[k].centre == k)
            report->regular++;
        else
            report->failed++; /* a path has jumped to another one */
        break;
    case PLUMB_PATH_SINGULAR:
        report->singular++;
        break;
    case PLUMB_PATH_AT_INFINITY:
        report->infinite++;
        break;
    case PLUMB_PATH_BEYOND:
        report->beyond++;
        break;
    case PLUMB_PATH_NOT_ISOLATED:
        report->not_isolated++;
        break;
    case PLUMB_PATH_UNDECIDED:
        report->undecided++;
        break;
    default:
        report->failed++;
        break;
    }
}

/* Finds the sizes of the points of paths beyond the largest size of the options. */
static plumb_status measure_beyond(const solve_paths *paths, plumb_solve_report *report)
{
    const int64_t n = paths->ends.unknowns;
    double *x = report->beyond > 0 ? malloc((size_t)n * 2 * PLUMB_QD * sizeof *x) : NULL;
    plumb_status status = x || report->beyond == 0 ? PLUMB_OK : PLUMB_ERR_MEMORY;
    bool first = true;
    for (int64_t k = 0; k < paths->ends.count && x && status == PLUMB_OK; k++) {
        const track_end *end = track_ends_at(&paths->ends, k);
        plumb_path_record path;
        int32_t prec = 0;
        if (!end->known || end->code != PLUMB_PATH_BEYOND)
            continue;
        if (!paths->read(paths->ends.data, k, &path, x, &prec)) {
            status = PLUMB_ERR_IO;
            continue;
        }
        double size = 0;
        for (int64_t i = 0; i < n; i++)
            size = fmax(size, plumb_modulus(x[2 * i * prec], x[(2 * i + 1) * prec]));
        report->beyond_min = first || size < report->beyond_min ? size : report->beyond_min;
        report->beyond_max = fmax(report->beyond_max, size);
        first = false;
    }
    free(x);
    return status;
}

static const char *cannot_read(plumb_status status)
{
    return status == PLUMB_ERR_MEMORY ? "out of memory" : "an endpoint cannot be read";
}

static bool is_solution(const solve_paths *paths, const track_group *groups, int64_t k)
{
    const track_end *end = track_ends_at(&paths->ends, k);
    return end->known && groups[k].centre == k && (end->code == PLUMB_PATH_SUCCESS || end->code == PLUMB_PATH_SINGULAR);
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* Adds limbs that are zero, in place. */
static void widen(double *x, int64_t n, int32_t from, int32_t to)
{
    for (int64_t i = 2 * n - 1; i >= 0 && from < to; i--)
        for (int32_t c = to - 1; c >= 0; c--)
            x[i * to + c] = c < from ? x[i * from + c] : 0.0;
}

/* The precision of a point: limbs that are zero in all numbers do not count. */
static int32_t used_precision(const double *x, int64_t n, int32_t prec)
{
    int32_t used = 1;
    for (int64_t k = 0; k < 2 * n; k++)
        for (int32_t c = used; c < prec; c++)
            if (x[k * prec + c] != 0.0)
                used = c + 1;
    return precision_for(used);
}

static plumb_status take_point(const solve_paths *paths, const track_group *groups, int64_t k, int32_t room,
                               solve_point *p)
{
    plumb_path_record path;
    int32_t prec = 0;
    const int64_t n = paths->ends.unknowns;
    if (!paths->read(paths->ends.data, k, &path, p->x, &prec))
        return PLUMB_ERR_IO;
    const int32_t used = used_precision(p->x, n, prec);
    widen(p->x, n, prec, room);
    prec = path.prec > used ? path.prec : used;
    p->regular = track_ends_at(&paths->ends, k)->code == PLUMB_PATH_SUCCESS;
    p->prec = prec < room ? prec : room;
    p->error = path.error;
    p->component_error = path.component_error;
    p->residual = path.residual;
    p->condition = path.condition;
    p->paths = p->multiplicity = p->regular ? 1 : groups[k].all;
    p->path = k;
    return PLUMB_OK;
}

/* What was settled after the paths takes the place of what they came to. */
static void take_settled(const settled_point *settled, int64_t n, int32_t room, solve_point *p)
{
    for (int64_t i = 0; i < 2 * n; i++)
        for (int32_t c = 0; c < room; c++)
            p->x[i * room + c] = settled->x[i * PLUMB_QD + c];
    p->prec = room;
    p->error = fmax(settled->error, precision_unit(room));
    p->component_error = p->error;
    p->cluster = settled->cluster;
    p->settled = !settled->cluster;
    p->paths = p->multiplicity = settled->paths;
}

static const settled_point *find_settled(const settled_points *settled, int64_t path)
{
    int64_t low = 0, high = settled->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (settled->list[middle].path < path)
            low = middle + 1;
        else
            high = middle;
    }
    return low < settled->count && settled->list[low].path == path ? &settled->list[low] : NULL;
}

/* What threads share that take points. */
typedef struct point_taker {
    const solve_paths *paths;
    const track_group *groups;
    const settled_points *settled;
    solve_points *points;
    team_counter next;
    int32_t status;
} point_taker;

static void take_some(void *data, team *t, int32_t index, int32_t threads)
{
    point_taker *m = data;
    const int64_t some = plumb_points_at_once(m->points->count, threads);
    (void)t, (void)index;
    for (int64_t first; (first = team_take(&m->next, some)) < m->points->count;)
        for (int64_t i = first; i < first + some && i < m->points->count; i++) {
            solve_point *p = &m->points->list[i];
            plumb_status status = take_point(m->paths, m->groups, p->path, m->points->room, p);
            const settled_point *settled = find_settled(m->settled, p->path);
            if (settled)
                take_settled(settled, m->paths->ends.unknowns, m->points->room, p);
            if (status != PLUMB_OK)
                __atomic_store_n(&m->status, (int32_t)status, __ATOMIC_RELAXED);
        }
}

/* Takes the endpoints of these paths, by all threads. Each has room for the unknowns of the given system. */
static plumb_status take_points(solve_collection *c, const int64_t *path, int64_t count)
{
    plumb_context *context = c->plan->context;
    solve_points *points = &c->points;
    const int64_t each = c->plan->system->unknowns * 2 * PLUMB_QD;
    int64_t bytes;
    points->list = calloc((size_t)count + 1, sizeof *points->list);
    if (size_mul(count + 1, each * (int64_t)sizeof *points->memory, &bytes))
        points->memory = malloc((size_t)bytes);
    if (!points->list || !points->memory)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_memory_large(points->memory, (size_t)bytes);
    for (int64_t k = 0; k < count; k++)
        points->list[k] = (solve_point){.x = points->memory + k * each, .path = path[k]};
    points->count = count;
    point_taker taker = {
        .paths = &c->paths, .groups = c->groups, .settled = &c->settled, .points = points, .status = PLUMB_OK};
    plumb_status status = plumb_points_share(points, take_some, &taker);
    return taker.status != PLUMB_OK ? SAY((plumb_status)taker.status, "an endpoint cannot be read") : status;
}

/* The only solution of a system that elimination has solved: all of its unknowns are constants of the lift. */
static plumb_status take_known(const solve_plan *plan, solve_points *points)
{
    plumb_context *context = plan->context;
    points->list = calloc(1, sizeof *points->list);
    double *x = points->memory = calloc((size_t)plan->system->unknowns * 2 * PLUMB_QD, sizeof *x);
    if (!points->list || !x)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    points->list[0] = (solve_point){.x = x,
                                    .prec = points->room,
                                    .regular = true,
                                    .settled = true,
                                    .error = precision_unit(points->room),
                                    .condition = 1.0,
                                    .paths = 1,
                                    .multiplicity = 1};
    points->list[0].component_error = points->list[0].error;
    points->count = 1;
    return PLUMB_OK;
}

static plumb_status take_roots(solve_collection *c, const int64_t *which, int64_t count)
{
    plumb_context *context = c->plan->context;
    plumb_status status = plumb_direct_take(c->plan, which, count, &c->points);
    return status == PLUMB_OK ? status : SAY(status, "%s", plumb_status_text(status));
}

/* The units of the unknowns: 1, or what scaling made of them; those of unknowns that were eliminated are the sizes of what replaces them.
 * Those of the target come after those of the given system. */
static plumb_status make_units(const solve_plan *plan, solve_points *points)
{
    plumb_context *context = plan->context;
    const plumb_system *lift = plan->simple.lift;
    const int32_t *exponent = plan->homotopy ? plan->homotopy->exponent : NULL;
    const int64_t n = plan->system->unknowns;
    newton_sizes sizes;
    points->unit = malloc(2 * (size_t)n * sizeof *points->unit);
    points->target_unit = points->unit + n;
    if (!points->unit || (lift && !newton_sizes_of(lift, &sizes)))
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < n; i++) {
        const bool left = !lift || (plan->homotopy && i < lift->unknowns);
        points->unit[i] = points->target_unit[i] = left && exponent ? ldexp(1.0, exponent[i]) : 1.0;
    }
    if (lift)
        newton_sizes_at(&sizes, points->target_unit, points->unit);
    for (int64_t i = 0; i < n; i++)
        points->unit[i] = points->unit[i] > 0.0 && isfinite(points->unit[i]) ? points->unit[i] : 1.0;
    return PLUMB_OK;
}

enum { WIDE = 16 }; /* bits between coefficients, where unknowns may differ by as much */

/* What an unknown of a solution may be apart from its value, for each unit of its estimated error. */
static const double CERTAIN = 0x1p10;

/* What is asked of one point after the other. */
typedef struct digit_check {
    const solve_points *points;
    int64_t unknowns;
    bool wide;
    point_zeros zeros;
    double *size, *error; /* of each unknown, and within which it is */
} digit_check;

/* Is an unknown of the point, relative to its own size, known to fewer digits than a double has? Where the coefficients do not say that
 * unknowns differ in size, a few digits may be missing, unless all unknowns are smaller than their units; and an unknown that may be zero
 * does not count: most of them are. Otherwise it has to be seen from the equations that it is. zero: the unknowns for which that is seen: these
 * need none. */
static bool lacks_digits(digit_check *check, const solve_point *p, bool *zero)
{
    const solve_points *points = check->points;
    double unit = check->wide ? 0x1p-53 : 0x1p-50;
    bool some = false, lacks = false;
    for (int64_t i = 0; i < check->unknowns && !check->wide; i++) {
        const double size = plumb_modulus(p->x[2 * i * points->room], p->x[(2 * i + 1) * points->room]);
        unit = size > 0.125 * points->unit[i] ? 0x1p-40 : unit;
    }
    for (int64_t i = 0; i < check->unknowns; i++) {
        const double size = plumb_modulus(p->x[2 * i * points->room], p->x[(2 * i + 1) * points->room]);
        check->size[i] = size;
        check->error[i] = CERTAIN * p->component_error * fmax(points->unit[i], size);
        zero[i] = size <= check->error[i];
        some = some || (zero[i] && size > 0.0);
        lacks = lacks || (!zero[i] && check->error[i] > CERTAIN * unit * size);
    }
    if (!some || !(lacks || check->wide)) {
        for (int64_t i = 0; i < check->unknowns; i++)
            zero[i] = false;
        return lacks;
    }
    const bool shown = plumb_zeros_show(&check->zeros, p->x, points->room, check->error, zero);
    for (int64_t i = 0; i < check->unknowns; i++) {
        zero[i] = shown && zero[i];
        lacks = lacks || (check->size[i] > 0.0 && check->size[i] <= check->error[i] && !zero[i]);
    }
    return lacks;
}

/* Errors are relative to the largest unknown, or to units, so that little may be known about smaller ones. These points get the digits
 * of a double for each unknown. refined: the points that have got them. */
static plumb_status refine_small(const solve_plan *plan, const solve_points *points, bool *refined)
{
    plumb_context *context = plan->context;
    const int64_t n = plan->system->unknowns;
    int64_t numbers;
    bool some = false;
    if (!plan->homotopy || plan->options.digits || plan->options.prec)
        return PLUMB_OK;
    digit_check check = {.points = points, .unknowns = n, .wide = plumb_tropical_width(plan->system) > WIDE};
    bool *zero = size_mul(points->count, n, &numbers) ? calloc((size_t)numbers + 1, sizeof *zero) : NULL;
    check.size = calloc(2 * (size_t)n, sizeof *check.size);
    const bool good = zero && check.size && plumb_zeros_begin(plan->system, &check.zeros);
    check.error = check.size + n;
    for (int64_t k = 0; k < points->count && good; k++) {
        const solve_point *p = &points->list[k];
        refined[k] = p->regular && !p->settled && lacks_digits(&check, p, zero + k * n);
        some = some || refined[k];
    }
    plumb_status status = good ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (good && some)
        status = plumb_solve_refine(points, plan->system, 16.0, refined, zero);
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++)
        for (int64_t i = 0; i < n; i++)
            if (zero[k * n + i])
                memset(points->list[k].x + 2 * i * points->room, 0, 2 * (size_t)points->room * sizeof(double));
    plumb_zeros_end(&check.zeros);
    free(check.size);
    free(zero);
    return status;
}

/* Newton's method on the given system. */
static plumb_status improve_points(const solve_plan *plan, const solve_points *points)
{
    plumb_context *context = plan->context;
    bool *refined = calloc((size_t)points->count + 1, sizeof *refined);
    plumb_status status = refined ? refine_small(plan, points, refined) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && (plan->square || plan->simple.changed || plan->chain.unknowns > 1))
        status = plumb_solve_improve(points, plan->system, plan->square != NULL, refined);
    free(refined);
    if (status == PLUMB_OK && plan->options.digits)
        status = plumb_solve_refine(points, plan->system, plumb_solve_limb_digits(plan), NULL, NULL);
    if (status == PLUMB_OK && plan->options.digits)
        status = plumb_solve_deflate(points, plan->system, plumb_solve_limb_digits(plan));
    return status;
}

/* From points of the target to solutions of the given system. */
static plumb_status finish_points(const solve_plan *plan, solve_points *points, plumb_solve_report *report)
{
    plumb_status status = PLUMB_OK;
    if (plan->square) {
        status = plumb_solve_sift(points, plan->square, plumb_solve_left(plan), plan->options.residual, report);
    }
    if (status == PLUMB_OK && plan->denominator_count > 0)
        status = plumb_solve_conditions(plan, points, report);
    if (status == PLUMB_OK && plan->simple.lift && (plan->solved || plumb_solve_direct_count(plan) == 0))
        status = plumb_solve_lift(points, plan->simple.lift);
    if (status == PLUMB_OK && points->count > 0)
        status = improve_points(plan, points);
    return status;
}

/* ---- Solutions ----------------------------------------------------------------------------------------------------- */

/* The number of decimal digits that an error relative to the largest unknown leaves. */
static int32_t digits_of(double error, int32_t prec)
{
    const double most = floor(53.0 * prec * log10(2.0));
    const double digits = error > 0.0 ? floor(-log10(error)) : most;
    return (int32_t)fmax(0.0, fmin(most, digits));
}

static solution_record record_of(const solve_point *p, const solve_view *seen)
{
    return (solution_record){.multiplicity = p->multiplicity,
                             .err = p->error,
                             .rco = p->condition > 0.0 ? 1.0 / p->condition : 0.0,
                             .res = p->residual,
                             .kind = p->regular   ? PLUMB_SOLUTION_REGULAR
                                     : p->cluster ? PLUMB_SOLUTION_CLUSTER
                                                  : PLUMB_SOLUTION_SINGULAR,
                             .real = seen->real,
                             .positive = seen->positive,
                             .nonzero = seen->nonzero,
                             .prec = p->prec,
                             .known = digits_of(p->error, p->prec)};
}

/* What threads share that write points to the list. */
typedef struct point_writer {
    const solve_plan *plan;
    const solve_points *points;
    const solve_view *seen; /* of each point */
    plumb_solutions *solutions;
    team_counter next;
} point_writer;

static void write_some(void *data, team *t, int32_t index, int32_t threads)
{
    point_writer *m = data;
    const int64_t unknowns = m->plan->system->unknowns, room = m->points->room;
    const int32_t prec = m->solutions->prec;
    const int64_t some = plumb_points_at_once(m->points->count, threads);
    (void)t, (void)index;
    for (int64_t first; (first = team_take(&m->next, some)) < m->points->count;)
        for (int64_t k = first; k < first + some && k < m->points->count; k++) {
            const int64_t place = m->seen[k].place;
            if (place < 0)
                continue;
            m->solutions->record[place] = record_of(&m->points->list[k], &m->seen[k]);
            m->solutions->t[place * 2 * prec] = 1.0;
            for (int64_t i = 0; i < 2 * unknowns; i++) {
                double *to = solution_value(m->solutions, place, 0) + i * prec;
                memcpy(to, m->points->list[k].x + i * room, (size_t)prec * sizeof(double));
                plumb_number_shorten(m->points->list[k].prec, m->points->list[k].error, to);
            }
        }
}

static bool is_wanted(const solve_plan *plan, const solution_record *record)
{
    return plan->options.unfiltered || solution_is_wanted(record, &plan->options);
}

/* The list of the points that are in memory: real ones first, then in the order of the paths. Some of them have the largest of their
 * precisions, all of them the one there is room for, which depends on the options alone. */
static plumb_status make_list(solve_collection *c, bool is_all, plumb_solutions **solutions)
{
    const solve_plan *plan = c->plan;
    plumb_context *context = plan->context;
    const plumb_system *system = plan->system;
    int64_t wanted = 0;
    int32_t prec = is_all ? c->points.room : PLUMB_D;
    for (int real = 1; real >= 0; real--)
        for (int64_t k = 0; k < c->points.count; k++)
            if (c->seen[k].real == real) {
                prec = c->points.list[k].prec > prec ? c->points.list[k].prec : prec;
                const solution_record record = record_of(&c->points.list[k], &c->seen[k]);
                c->seen[k].place = is_wanted(plan, &record) ? wanted++ : -1;
            }
    plumb_status status =
        plumb_solutions_create(wanted, system->unknowns, prec, (const char *const *)system->names, solutions);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_last_message());
    point_writer writer = {.plan = plan, .points = &c->points, .seen = c->seen, .solutions = *solutions};
    return plumb_points_share(&c->points, write_some, &writer);
}

/* ---- The collection ------------------------------------------------------------------------------------------------ */

static void drop_points(solve_collection *c)
{
    free(c->seen);
    free(c->points.memory);
    free(c->points.list);
    c->seen = NULL;
    c->points.memory = NULL;
    c->points.list = NULL;
    c->points.count = 0;
}

/* Drops points of which an unknown that was eliminated is beyond the largest size of the options: their paths could not know. */
static void drop_beyond(solve_collection *c, plumb_solve_report *report)
{
    const solve_plan *plan = c->plan;
    solve_points *points = &c->points;
    int64_t kept = 0;
    for (int64_t k = 0; k < points->count; k++) {
        const solve_point p = points->list[k];
        double size = 0.0;
        for (int64_t i = 0; i < plan->system->unknowns; i++)
            size = fmax(size, plumb_modulus(p.x[2 * i * points->room], p.x[(2 * i + 1) * points->room]));
        if (size <= plan->options.largest) {
            points->list[kept] = p;
            c->seen[kept++] = c->seen[k];
            continue;
        }
        *(p.regular ? &report->regular : &report->singular) -= p.paths;
        report->beyond_min = report->beyond == 0 ? size : fmin(report->beyond_min, size);
        report->beyond_max = fmax(report->beyond_max, size);
        report->beyond += p.paths;
    }
    points->count = kept;
}

/* Takes the endpoints of these paths, and makes solutions of them. What is no solution leaves the list, and is counted in the report. */
static plumb_status look_at(solve_collection *c, const int64_t *path, int64_t count, plumb_solve_report *report)
{
    const solve_plan *plan = c->plan;
    drop_points(c);
    plumb_status status = plan->solved                         ? take_known(plan, &c->points)
                          : plumb_solve_direct_count(plan) > 0 ? take_roots(c, path, count)
                                                               : take_points(c, path, count);
    if (status == PLUMB_OK && c->is_whole && c->paths.taken)
        c->paths.taken(c->paths.ends.data);
    if (status == PLUMB_OK && c->points.count > 0)
        status = finish_points(plan, &c->points, report);
    if (status == PLUMB_OK)
        status = plumb_solve_look(plan, &c->points, report, &c->seen);
    if (status == PLUMB_OK && plan->simple.lift && !isinf(plan->options.largest))
        drop_beyond(c, report);
    return status;
}

/* Counts the points that are in memory, and notes the paths of those that are asked for: real ones at *real, others at *other. */
static void note_points(solve_collection *c, int64_t **real, int64_t **other)
{
    for (int64_t k = 0; k < c->points.count; k++) {
        const solution_record record = record_of(&c->points.list[k], &c->seen[k]);
        c->report.distinct++;
        c->report.real += record.real;
        c->report.clusters += c->points.list[k].cluster;
        if (is_wanted(c->plan, &record))
            *(*(record.real ? real : other))++ = c->points.list[k].path;
    }
}

/* Looks at all endpoints, some at a time. If a point is dropped, because it is too vague, then those of the first ones that are near it may
 * be the same: once more, with this doubt. */
static plumb_status look_at_all(solve_collection *c, const int64_t *path, int64_t count, int64_t *other)
{
    const plumb_solve_report before = c->report;
    plumb_status status = PLUMB_OK;
    for (bool again = true; again && status == PLUMB_OK;) {
        int64_t *real = c->solution, *rest = other;
        const bool doubts = c->points.doubts;
        c->report = before;
        for (int64_t first = 0; first < count && status == PLUMB_OK; first += c->at_once) {
            status = look_at(c, path + first, count - first < c->at_once ? count - first : c->at_once, &c->report);
            if (status == PLUMB_OK)
                note_points(c, &real, &rest);
        }
        again = c->points.doubts && !doubts && !c->is_whole;
        memcpy(real, other, (size_t)(rest - other) * sizeof *real);
        c->count = real - c->solution + (rest - other);
    }
    return status;
}

static plumb_status find_solutions(solve_collection *c)
{
    plumb_context *context = c->plan->context;
    int64_t count = 0;
    for (int64_t k = 0; k < c->paths.ends.count; k++)
        count += is_solution(&c->paths, c->groups, k);
    const int64_t direct = plumb_solve_direct_count(c->plan);
    count = direct > 0 ? direct : count;
    int64_t *path = calloc((size_t)count + 1, sizeof *path), *other = calloc((size_t)count + 1, sizeof *other);
    c->solution = calloc((size_t)count + 1, sizeof *c->solution);
    c->at_once = c->at_once < 1 ? 1 : c->at_once;
    c->is_whole = count <= c->at_once;
    plumb_status status = path && other && c->solution ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0, i = 0; k < c->paths.ends.count && status == PLUMB_OK; k++)
        if (is_solution(&c->paths, c->groups, k))
            path[i++] = k;
    for (int64_t k = 0; k < direct && status == PLUMB_OK; k++)
        path[k] = k;
    if (status == PLUMB_OK && count > 0)
        status = look_at_all(c, path, count, other);
    else if (status == PLUMB_OK)
        status = look_at(c, path, 0, &c->report);
    free(path);
    free(other);
    return status;
}

static plumb_status group(solve_collection *c)
{
    plumb_context *context = c->plan->context;
    const int64_t count = c->paths.ends.count;
    plumb_status status = PLUMB_OK;
    c->groups = calloc((size_t)count + 1, sizeof *c->groups);
    if (!c->groups)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (c->paths.groups && count > 0)
        memcpy(c->groups, c->paths.groups, (size_t)count * sizeof *c->groups);
    else
        status = track_ends_group(&c->paths.ends, c->groups);
    return status == PLUMB_OK ? status : SAY(status, "%s", cannot_read(status));
}

plumb_status plumb_solve_collect(solve_collection *c, const solve_plan *plan, const solve_paths *paths, int64_t at_once)
{
    plumb_context *context = plan->context;
    *c = (solve_collection){.plan = plan, .paths = *paths, .report = plan->report, .at_once = at_once};
    c->points = (solve_points){.context = context,
                               .room = plan->options.prec && !plan->options.digits ? plan->options.prec : PLUMB_QD};
    c->report.paths = plan->chain.count > 0  ? plan->chain.degree
                      : plan->wide.count > 0 ? plan->wide.count + plan->wide.infinite
                                             : paths->ends.count;
    plumb_status status = group(c);
    if (status == PLUMB_OK)
        status = plumb_solve_settle(plan, &c->paths, c->groups, &c->settled, &c->report);
    if (status != PLUMB_OK)
        return status;
    for (int64_t k = 0; k < paths->ends.count; k++)
        count_path(&c->paths, c->groups, k, &c->report);
    plumb_direct_count(plan, &c->report);
    c->points.doubts = c->report.undecided > 0;
    status = measure_beyond(&c->paths, &c->report);
    if (status != PLUMB_OK)
        return SAY(status, "%s", cannot_read(status));
    status = make_units(plan, &c->points);
    return status == PLUMB_OK ? find_solutions(c) : status;
}

plumb_status plumb_solve_take(solve_collection *c, int64_t most, plumb_solutions **solutions)
{
    plumb_context *context = c->plan->context;
    plumb_solve_report counted = c->report; /* they are in the report already */
    const int64_t left = c->count - c->taken, some = most < c->at_once ? most : c->at_once;
    const int64_t count = left < some ? left : some;
    const bool is_kept = c->is_whole && count == c->count;
    *solutions = NULL;
    plumb_status status = PLUMB_OK;
    if (!is_kept)
        drop_points(c);
    if (!is_kept && count > 0)
        status = look_at(c, c->solution + c->taken, count, &counted);
    if (status == PLUMB_OK)
        status = make_list(c, most == INT64_MAX, solutions);
    if (status == PLUMB_OK && (*solutions)->count != count)
        status = SAY(PLUMB_ERR_IO, "the ends of paths have changed since they were counted");
    c->taken += count;
    drop_points(c);
    c->is_whole = false;
    if (status == PLUMB_OK)
        return status;
    plumb_solutions_destroy(*solutions);
    *solutions = NULL;
    return status;
}

void plumb_solve_collect_end(solve_collection *c)
{
    drop_points(c);
    plumb_settled_clear(&c->settled);
    free(c->points.unit);
    free(c->groups);
    free(c->solution);
    *c = (solve_collection){.plan = NULL};
}
