/* collect.c - see collect.h.
 *
 * A solution is real if it equals its complex conjugate by the rule that endpoints are compared by (solver/track/ends.h):
 * if all imaginary parts are within a multiple of its estimated error. A coordinate is zero if it is within that distance
 * of zero. */
#include "solver/solve/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "base/number/precision.h"
#include "base/os/team.h"
#include "model/solutions.h"
#include "model/system/dependent.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"
#include "solver/newton/newton.h"
#include "solver/solve/deflate.h"
#include "solver/solve/settle.h"
#include "solver/solve/sift.h"

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
            size = fmax(size, hypot(x[2 * i * prec], x[(2 * i + 1) * prec]));
        report->beyond_least = first || size < report->beyond_least ? size : report->beyond_least;
        report->beyond_most = fmax(report->beyond_most, size);
        first = false;
    }
    free(x);
    return status;
}

static bool is_solution(const solve_paths *paths, const track_group *groups, int64_t k)
{
    const track_end *end = track_ends_at(&paths->ends, k);
    return end->known && groups[k].centre == k && (end->code == PLUMB_PATH_SUCCESS || end->code == PLUMB_PATH_SINGULAR);
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* Points: for which threads are worth their start; that a thread takes at a time, at least and at most. */
enum { WORTH = 256, LEAST_AT_ONCE = 16, MOST_AT_ONCE = 4096 };

/* Many points at a time keep threads out of the pages of others, which are large. */
static int64_t at_once(int64_t count, int32_t threads)
{
    const int64_t some = count / (8 * (int64_t)threads);
    return some < LEAST_AT_ONCE ? LEAST_AT_ONCE : some > MOST_AT_ONCE ? MOST_AT_ONCE : some;
}

/* Runs work on all threads if there are many points, otherwise on this one alone. */
static plumb_status share(plumb_context *context, int64_t count, team_work *work, void *data)
{
    plumb_status status = PLUMB_OK;
    if (context->cpu.threads > 1 && count >= WORTH)
        status = team_start(&context->cpu.team, context->cpu.threads, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        team_run(count >= WORTH ? context->cpu.team : NULL, context->cpu.threads, work, data);
    return status;
}

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
    const int64_t some = at_once(m->points->count, threads);
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

/* The distinct endpoints, read by all threads. Each has room for the unknowns of the given system. */
static plumb_status take_points(const solve_plan *plan, const solve_paths *paths, const track_group *groups,
                                const settled_points *settled, solve_points *points)
{
    plumb_context *context = plan->context;
    const int64_t each = plan->system->unknowns * 2 * PLUMB_QD;
    int64_t count = 0, bytes;
    for (int64_t k = 0; k < paths->ends.count; k++)
        count += is_solution(paths, groups, k);
    points->list = calloc((size_t)count + 1, sizeof *points->list);
    if (size_mul(count + 1, each * (int64_t)sizeof *points->memory, &bytes))
        points->memory = malloc((size_t)bytes);
    if (!points->list || !points->memory)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_memory_large(points->memory, (size_t)bytes);
    for (int64_t k = 0; k < paths->ends.count; k++)
        if (is_solution(paths, groups, k)) {
            points->list[points->count] = (solve_point){.x = points->memory + points->count * each, .path = k};
            points->count++;
        }
    point_taker taker = {.paths = paths, .groups = groups, .settled = settled, .points = points, .status = PLUMB_OK};
    plumb_status status = share(context, count, take_some, &taker);
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

/* From points of the target to solutions of the given system. */
static plumb_status finish_points(const solve_plan *plan, solve_points *points, plumb_solve_report *report)
{
    plumb_status status = PLUMB_OK;
    if (plan->square) {
        status = plumb_solve_sift(points, plan->square, plumb_solve_left(plan), plan->options.residual, report);
    }
    if (status == PLUMB_OK && plan->simple.lift)
        status = plumb_solve_lift(points, plan->simple.lift);
    if (status == PLUMB_OK && (plan->square || plan->simple.changed) && points->count > 0)
        status = plumb_solve_improve(points, plan->system);
    if (status == PLUMB_OK && plan->options.digits)
        status = plumb_solve_refine(points, plan->system, plan->options.digits, NULL);
    if (status == PLUMB_OK && plan->options.digits)
        status = plumb_solve_deflate(points, plan->system, plan->options.digits);
    return status;
}

/* ---- Solutions ----------------------------------------------------------------------------------------------------- */

typedef struct solve_view {
    bool real, positive, nonzero;
    bool unclear;  /* a part that decides is small beside its unit, and not far above its error: more digits decide */
    bool for_sign; /* and not because of an imaginary part alone */
    bool vague;    /* its error is too large */
    int64_t place; /* in the list of solutions; -1: it is not wanted */
} solve_view;

/* Real, positive, without zeros. Of a point that was settled, parts that are zero are 0, and the others are not. */
static solve_view look_settled(const solve_plan *plan, const solve_point *p, int32_t room)
{
    solve_view seen = {true, true, true, false, false, false, -1};
    for (int64_t i = 0; i < plan->system->unknowns; i++) {
        const double re = p->x[2 * i * room], im = p->x[(2 * i + 1) * room];
        seen.real = seen.real && im == 0.0;
        seen.positive = seen.positive && re > 0.0;
        seen.nonzero = seen.nonzero && (re != 0.0 || im != 0.0);
    }
    seen.positive = seen.positive && seen.real;
    return seen;
}

/* Parts that are small beside their unit, and not far above their estimated error, are unclear. */
static const double FAR_ABOVE = 1e6;

/* The error, relative to the largest unknown, above which a regular point has to be found again with more digits. */
static const double MOST_VAGUE = 1e-6;

/* The same within the errors, which are relative to the size of an unknown, or to its unit if that is larger. */
static solve_view look(const solve_plan *plan, const solve_points *points, const solve_point *p)
{
    const int32_t room = points->room;
    const plumb_solve_options *options = &plan->options;
    const double distance = fmin((p->regular ? 20.0 : 200.0) * p->component_error, p->regular ? 1e-4 : 1e-3);
    solve_view seen = {true, true, true, false, false, false, -1};
    bool zero = false, small = false, far = false;
    double largest = 0.0, error = 0.0;
    for (int64_t i = 0; i < plan->system->unknowns; i++) {
        const double re = p->x[2 * i * room], im = p->x[(2 * i + 1) * room], size = hypot(re, im);
        const double unit = fmax(size, points->unit[i]), most = distance * unit;
        largest = fmax(largest, size);
        error = fmax(error, p->component_error * unit);
        seen.real = seen.real && 2.0 * fabs(im) <= most;
        seen.positive = seen.positive && re > most;
        seen.nonzero = seen.nonzero && size > most;
        small = small || (2.0 * fabs(im) > distance * size && 2.0 * fabs(im) <= FAR_ABOVE * most);
        far = far || 2.0 * fabs(im) > FAR_ABOVE * most;
        zero = zero || size <= FAR_ABOVE * most || fabs(re) <= FAR_ABOVE * most;
    }
    /* A point whose error is as large as that is known by its path alone. */
    seen.vague = p->regular && (p->error > MOST_VAGUE || (error > MOST_VAGUE * largest && largest > 0.0));
    seen.for_sign = p->regular && zero && (options->positive || options->nonzero);
    seen.unclear = seen.vague || seen.for_sign || (p->regular && small && !far);
    seen.positive = seen.positive && seen.real;
    return seen;
}

static bool is_by_imaginary_parts(const solve_view *seen)
{
    return seen->unclear && !seen->for_sign && !seen->vague && seen->real;
}

/* Points that are unclear because of their imaginary parts alone are clear if no other zero is as near as their conjugates: if |J^-1| times the
 * second derivatives times the distance is small. The sizes of terms for unknowns of at least their units stand for the second derivatives. */
static plumb_status clear_lone_points(const solve_plan *plan, const solve_points *points, solve_view *seen)
{
    const double alone = 1e-3;
    plumb_context *context = plan->context;
    const plumb_system *system = plan->system;
    const int64_t m = system->equations, n = system->unknowns;
    int64_t count = 0, at = 0;
    plumb_view x = {.data = NULL}, values = {.data = NULL}, jacobians = {.data = NULL}, w = {.data = NULL};
    newton_sizes sizes;
    for (int64_t k = 0; k < points->count; k++)
        count += is_by_imaginary_parts(&seen[k]);
    if (count == 0)
        return PLUMB_OK;
    double *unit = calloc((size_t)(m + n), sizeof *unit);
    plumb_info *info = calloc((size_t)count, sizeof *info);
    plumb_status status =
        unit && info && newton_sizes_of(system, &sizes) ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, count, &x);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, 1, count, &values);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, n, count, &jacobians);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, count, &w);
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++) {
        if (!is_by_imaginary_parts(&seen[k]))
            continue;
        for (int64_t i = 0; i < n; i++)
            for (int32_t part = 0; part < 2; part++)
                x.data[at * x.next + part * x.plane + i] = points->list[k].x[(2 * i + part) * points->room];
        at++;
    }
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, system, &x, &values, &jacobians, NULL);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        for (int64_t i = 0; i < n; i++)
            unit[m + i] = fmax(points->unit[i], hypot(x.data[k * x.next + i], x.data[k * x.next + x.plane + i]));
        newton_sizes_at(&sizes, unit + m, unit);
        for (int64_t e = 0; e < m; e++) {
            values.data[k * values.next + e] = unit[e];
            values.data[k * values.next + values.plane + e] = 0.0;
        }
    }
    if (status == PLUMB_OK)
        status = plumb_lsq_batch(context, &jacobians, &values, &w, NULL, info, NULL);
    at = 0;
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++) {
        double norm = 0.0, distance = 0.0;
        if (!is_by_imaginary_parts(&seen[k]))
            continue;
        for (int64_t i = 0; i < n; i++) {
            const double re = x.data[at * x.next + i], im = x.data[at * x.next + x.plane + i];
            const double size = fmax(points->unit[i], hypot(re, im));
            norm = fmax(norm, hypot(w.data[at * w.next + i], w.data[at * w.next + w.plane + i]) / size);
            distance = fmax(distance, 2.0 * fabs(im) / size);
        }
        seen[k].unclear = !(info[at] == 0 && norm * distance <= alone);
        at++;
    }
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &values);
    plumb_array_destroy(context, &jacobians);
    plumb_array_destroy(context, &w);
    free(unit);
    free(info);
    return status;
}

/* Decides by more digits what is unclear. The parts of a point that are zero within an error of hundreds of digits become 0. */
static plumb_status clear_up(const solve_plan *plan, const solve_points *points, solve_view *seen)
{
    plumb_context *context = plan->context;
    const plumb_system *system = plan->system;
    const int64_t n = system->unknowns;
    plumb_system *independent = NULL;
    bool some = false;
    for (int64_t k = 0; k < points->count && !some; k++)
        some = seen[k].unclear && !points->list[k].settled;
    plumb_status status = some ? plumb_system_independent(system, &independent) : PLUMB_OK;
    system = independent ? independent : system;
    const int64_t bits = mp_bits_for(system, 256, 2);
    for (int64_t k = 0; k < points->count && some && status == PLUMB_OK && system->equations == n; k++) {
        solve_point *p = &points->list[k];
        if (!seen[k].unclear || p->settled)
            continue;
        mp_complex *x = mp_make(n, bits);
        double *errors = calloc((size_t)n, sizeof *errors);
        for (int64_t i = 0; i < n && x; i++)
            mp_set_limbs(&x[i], p->x + 2 * i * points->room, p->x + (2 * i + 1) * points->room, points->room);
        const double most_move = log2(fmin(fmax(1e3 * fmax(p->component_error, precision_unit(p->prec)), 1e-8), 0.01));
        if (!x || !errors) {
            status = PLUMB_ERR_MEMORY;
        } else if (mp_refine(system, x, bits, most_move, points->unit, errors, &status)) {
            mp_round_to_zero(x, n, errors, 2.0);
            for (int64_t i = 0; i < n; i++)
                mp_get_limbs(&x[i], p->x + 2 * i * points->room, p->x + (2 * i + 1) * points->room, points->room);
            p->prec = points->room;
            p->error = p->component_error = precision_unit(points->room);
            p->settled = true;
            seen[k] = look_settled(plan, p, points->room);
        }
        mp_free(x, x ? n : 0);
        free(errors);
    }
    plumb_system_destroy(independent);
    return status == PLUMB_OK ? status : SAY(status, "%s", plumb_status_text(status));
}

/* Takes points out of the list whose errors are still too large; their paths are undecided. */
static void drop_vague(solve_points *points, solve_view *seen, plumb_solve_report *report)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < points->count; k++) {
        if (!seen[k].vague) {
            seen[kept] = seen[k];
            points->list[kept++] = points->list[k];
            continue;
        }
        report->regular -= points->list[k].paths;
        report->undecided += points->list[k].paths;
    }
    points->count = kept;
}

/* What threads share that look at all points, and later write the wanted ones to the list. */
typedef struct point_looker {
    const solve_plan *plan;
    const solve_points *points;
    solve_view *seen; /* of each point */
    plumb_solutions *solutions;
    team_counter next;
} point_looker;

static void look_at_some(void *data, team *t, int32_t index, int32_t threads)
{
    point_looker *m = data;
    const int64_t some = at_once(m->points->count, threads);
    (void)t, (void)index;
    for (int64_t first; (first = team_take(&m->next, some)) < m->points->count;)
        for (int64_t k = first; k < first + some && k < m->points->count; k++)
            m->seen[k] = look(m->plan, m->points, &m->points->list[k]);
}

static bool has_real_coefficients(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        if (mpq_sgn(system->terms[k].im) != 0)
            return false;
    return true;
}

/* The complex conjugate of a solution of a real system is another one, or the same: then its imaginary parts are zero. */
static plumb_status make_real(const solve_plan *plan, const solve_points *points, solve_view *seen)
{
    plumb_context *context = plan->context;
    bool *changed = calloc((size_t)points->count + 1, sizeof *changed), some = false;
    if (!changed)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < points->count; k++) {
        double *x = points->list[k].x;
        if (!seen[k].real)
            continue;
        for (int64_t i = 0; i < plan->system->unknowns; i++) {
            double *im = x + (2 * i + 1) * points->room;
            changed[k] = changed[k] || im[0] != 0.0; /* never in points that were settled */
            memset(im, 0, (size_t)points->room * sizeof *im);
        }
        some = some || changed[k];
    }
    plumb_status status = some ? plumb_solve_check(points, plan->system, changed) : PLUMB_OK;
    for (int64_t k = 0; k < points->count && status == PLUMB_OK; k++)
        if (changed[k])
            seen[k] = look(plan, points, &points->list[k]);
    free(changed);
    return status;
}

static bool is_wanted(const plumb_solve_options *options, const solve_view *seen)
{
    return (!options->real || seen->real) && (!options->positive || seen->positive) &&
           (!options->nonzero || seen->nonzero);
}

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

static void write_some(void *data, team *t, int32_t index, int32_t threads)
{
    point_looker *m = data;
    const int64_t unknowns = m->plan->system->unknowns, room = m->points->room;
    const int64_t some = at_once(m->points->count, threads);
    (void)t, (void)index;
    for (int64_t first; (first = team_take(&m->next, some)) < m->points->count;)
        for (int64_t k = first; k < first + some && k < m->points->count; k++) {
            const int64_t place = m->seen[k].place;
            if (place < 0)
                continue;
            m->solutions->record[place] = record_of(&m->points->list[k], &m->seen[k]);
            m->solutions->t[place * 2 * room] = 1.0;
            memcpy(solution_value(m->solutions, place, 0), m->points->list[k].x,
                   (size_t)(unknowns * 2 * room) * sizeof(double));
        }
}

/* The list: real ones first, then in the order of the paths. */
static plumb_status make_list(const solve_plan *plan, const solve_points *points, solve_view *seen,
                              plumb_solve_report *report, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    const plumb_system *system = plan->system;
    int64_t wanted = 0;
    for (int real = 1; real >= 0; real--)
        for (int64_t k = 0; k < points->count; k++) {
            if (seen[k].real != real)
                continue;
            report->distinct++;
            report->real += real;
            report->clusters += points->list[k].cluster;
            seen[k].place = plan->keep_all || is_wanted(&plan->options, &seen[k]) ? wanted++ : -1;
        }
    plumb_status status =
        plumb_solutions_create(wanted, system->unknowns, points->room, (const char *const *)system->names, solutions);
    if (status != PLUMB_OK)
        return SAY(status, "%s", plumb_last_message());
    point_looker writer = {.plan = plan, .points = points, .seen = seen, .solutions = *solutions};
    return share(context, points->count, write_some, &writer);
}

static plumb_status collect(const solve_plan *plan, const solve_paths *paths, track_group *groups,
                            plumb_solve_report *report, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    settled_points settled;
    solve_points points = {.context = context,
                           .room = plan->options.prec && !plan->options.digits ? plan->options.prec : PLUMB_QD};
    plumb_status status = plumb_solve_settle(plan, paths, groups, &settled);
    for (int64_t k = 0; k < paths->ends.count; k++)
        count_path(paths, groups, k, report);
    if (status == PLUMB_OK) {
        status = measure_beyond(paths, report);
        if (status != PLUMB_OK)
            status = SAY(status, "%s", status == PLUMB_ERR_MEMORY ? "out of memory" : "an endpoint cannot be read");
    }
    if (status == PLUMB_OK)
        status = plan->solved ? take_known(plan, &points) : take_points(plan, paths, groups, &settled, &points);
    plumb_settled_clear(&settled);
    if (paths->taken)
        paths->taken(paths->ends.data);
    if (status == PLUMB_OK)
        status = make_units(plan, &points);
    if (status == PLUMB_OK && points.count > 0)
        status = finish_points(plan, &points, report);
    point_looker looker = {.plan = plan, .points = &points};
    if (status == PLUMB_OK) {
        looker.seen = malloc(((size_t)points.count + 1) * sizeof *looker.seen);
        status =
            looker.seen ? share(context, points.count, look_at_some, &looker) : SAY(PLUMB_ERR_MEMORY, "out of memory");
    }
    if (status == PLUMB_OK && points.count > 0)
        status = clear_lone_points(plan, &points, looker.seen);
    if (status == PLUMB_OK && points.count > 0)
        status = clear_up(plan, &points, looker.seen);
    if (status == PLUMB_OK && points.count > 0 && has_real_coefficients(plan->system))
        status = make_real(plan, &points, looker.seen);
    if (status == PLUMB_OK && plan->homotopy)
        drop_vague(&points, looker.seen, report);
    if (status == PLUMB_OK)
        status = make_list(plan, &points, looker.seen, report, solutions);
    free(looker.seen);
    free(points.unit);
    free(points.memory);
    free(points.list);
    return status;
}

plumb_status plumb_solve_collect(const solve_plan *plan, const solve_paths *paths, plumb_solutions **solutions)
{
    plumb_context *context = plan->context;
    plumb_solve_report *report = malloc(sizeof *report);
    track_group *groups = calloc((size_t)paths->ends.count + 1, sizeof *groups);
    *solutions = NULL;
    plumb_status status = report && groups ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK) {
        *report = plan->report;
        report->paths = paths->ends.count;
        if (paths->groups && paths->ends.count > 0)
            memcpy(groups, paths->groups, (size_t)paths->ends.count * sizeof *groups);
        else
            status = track_ends_group(&paths->ends, groups);
        if (status != PLUMB_OK)
            status = SAY(status, "%s", status == PLUMB_ERR_IO ? "an endpoint cannot be read" : "out of memory");
    }
    if (status == PLUMB_OK)
        status = collect(plan, paths, groups, report, solutions);
    free(groups);
    if (status != PLUMB_OK) {
        free(report);
        plumb_solutions_destroy(*solutions);
        *solutions = NULL;
        return status;
    }
    (*solutions)->report = report;
    return PLUMB_OK;
}
