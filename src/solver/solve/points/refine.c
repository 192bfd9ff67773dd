/* refine.c - see refine.h. */
#include "solver/solve/points/refine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "solver/newton/newton.h"
#include "solver/track/check.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* ---- Threads -------------------------------------------------------------------------------------------------------- */

/* Points: for which threads are worth their start; that a thread takes at a time, at least and at most. */
enum { WORTH = 256, LEAST_AT_ONCE = 16, MOST_AT_ONCE = 4096 };

/* Many points at a time keep threads out of the pages of others, which are large. */
int64_t plumb_points_at_once(int64_t count, int32_t threads)
{
    const int64_t some = count / (8 * (int64_t)threads);
    return some < LEAST_AT_ONCE ? LEAST_AT_ONCE : some > MOST_AT_ONCE ? MOST_AT_ONCE : some;
}

/* Runs work on all threads if there are many points, otherwise on this one alone. */
plumb_status plumb_points_share(const solve_points *points, team_work *work, void *data)
{
    plumb_context *context = points->context;
    const int64_t count = points->count;
    plumb_status status = PLUMB_OK;
    if (context->cpu.threads > 1 && count >= WORTH)
        status = team_start(&context->cpu.team, context->cpu.threads, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        team_run(count >= WORTH ? context->cpu.team : NULL, context->cpu.threads, work, data);
    return status;
}

/* ---- Points and views ---------------------------------------------------------------------------------------------- */

/* Some of the points, as a batch. */
typedef struct batch {
    plumb_view x;
    int64_t *which;
    plumb_newton_report *reports;
} batch;

static void load(const solve_points *points, const batch *b)
{
    const plumb_view *v = &b->x;
    for (int64_t k = 0; k < v->batch; k++)
        for (int64_t i = 0; i < v->rows; i++)
            for (int32_t part = 0; part < 2; part++)
                for (int32_t c = 0; c < v->prec; c++)
                    v->data[k * v->next + (part * v->prec + c) * v->plane + i] =
                        c < points->room ? points->list[b->which[k]].x[(2 * i + part) * points->room + c] : 0.0;
}

static void store(const plumb_view *v, int64_t k, int32_t room, double *x)
{
    for (int64_t i = 0; i < v->rows; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < room; c++)
                x[(2 * i + part) * room + c] =
                    c < v->prec ? v->data[k * v->next + (part * v->prec + c) * v->plane + i] : 0.0;
}

static void end_batch(const solve_points *points, batch *b)
{
    plumb_array_destroy(points->context, &b->x);
    free(b->which);
    free(b->reports);
}

/* The points that choose picks (of rows unknowns) as a batch in a precision. */
typedef bool choice(const solve_point *point, int32_t prec, int64_t k, const bool *marked);

static plumb_status begin_batch(const solve_points *points, int64_t rows, int32_t prec, int32_t of_prec, choice *chosen,
                                const bool *marked, batch *b)
{
    plumb_context *context = points->context;
    *b = (batch){.which = calloc((size_t)points->count + 1, sizeof *b->which),
                 .reports = calloc((size_t)points->count + 1, sizeof *b->reports)};
    if (!b->which || !b->reports)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    int64_t count = 0;
    for (int64_t k = 0; k < points->count; k++)
        if (chosen(&points->list[k], of_prec, k, marked))
            b->which[count++] = k;
    plumb_status status = PLUMB_OK;
    if (count > 0)
        status = plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, rows, 1, count, &b->x);
    if (status == PLUMB_OK && count > 0)
        load(points, b);
    return status;
}

static bool any(const solve_point *point, int32_t prec, int64_t k, const bool *marked)
{
    (void)point, (void)prec;
    return !marked || marked[k];
}

static bool any_of_precision(const solve_point *point, int32_t prec, int64_t k, const bool *marked)
{
    (void)k, (void)marked;
    return point->prec == prec;
}

static bool rest_of_precision(const solve_point *point, int32_t prec, int64_t k, const bool *refined)
{
    return point->prec == prec && point->regular && !(refined && refined[k]);
}

static bool marked_and_regular(const solve_point *point, int32_t prec, int64_t k, const bool *marked)
{
    (void)prec;
    return point->regular && (!marked || marked[k]);
}

static double modulus(const plumb_view *v, int64_t k, int64_t i)
{
    const double *x = v->data + k * v->next + i;
    return plumb_modulus(x[0], x[v->prec * v->plane]);
}

/* How far point k of the batch is from where it was, relative to its largest unknown. component: the same for the unknown for which it is
 * largest, relative to its own size, or to its unit if that is larger. */
static double moved(const solve_points *points, const batch *b, int64_t k, double *component)
{
    double size = 0.0, most = 0.0;
    const double *x = points->list[b->which[k]].x;
    *component = 0.0;
    for (int64_t i = 0; i < b->x.rows; i++) {
        double apart[2] = {0.0, 0.0};
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < b->x.prec || c < points->room; c++) {
                const double now =
                    c < b->x.prec ? b->x.data[k * b->x.next + (part * b->x.prec + c) * b->x.plane + i] : 0.0;
                apart[part] += now - (c < points->room ? x[(2 * i + part) * points->room + c] : 0.0);
            }
        const double distance = plumb_modulus(apart[0], apart[1]), own = modulus(&b->x, k, i);
        size = fmax(size, own);
        most = fmax(most, distance);
        *component = fmax(*component, distance / fmax(own, points->unit[i]));
    }
    return size > 0.0 ? most / size : most;
}

/* ---- Newton's method on some of them ------------------------------------------------------------------------------- */

enum { DOUBLE_DIGITS = 15 };

/* Refines the regular ones of a batch, in place; the others stay. */
static plumb_status refine_batch(const solve_points *points, const plumb_system *system, double digits, batch *b)
{
    plumb_context *context = points->context;
    newton_settings settings = {0};
    plumb_status status = newton_settle(context, NULL, b->x.prec, &settings);
    /* Points have come with the digits of a double already. */
    settings.first_prec = digits > DOUBLE_DIGITS && b->x.prec > PLUMB_D ? PLUMB_DD : PLUMB_D;
    return status == PLUMB_OK ? newton_climb(context, system, &b->x, digits, &settings, b->reports) : status;
}

/* ---- Points of the given system ------------------------------------------------------------------------------------ */

/* The errors of a point after the lift. before: moduli of the unknowns of the simpler system, and the same not below their units; size:
 * room for two numbers per unknown. */
static void lift_errors(const solve_points *points, const newton_sizes *sizes, const double *before, double *size,
                        solve_point *p)
{
    const double some = 4.0, rounding = p->settled ? 0.0 : precision_unit(p->prec); /* of the values */
    const int64_t n = sizes->system->equations;
    double degree = 1.0, largest = 0.0, error = 0.0, component = 0.0, *rounded = size + n;
    newton_sizes_at(sizes, before + (p->settled ? 0 : sizes->system->unknowns), size);
    newton_sizes_at(sizes, before, rounded);
    for (int64_t i = 0; i < n; i++) {
        const double modulus = plumb_modulus(p->x[2 * i * points->room], p->x[(2 * i + 1) * points->room]);
        degree = fmax(degree, (double)plumb_system_degree(sizes->system, i));
        largest = fmax(largest, modulus);
        const double most = p->component_error * size[i] + rounding * rounded[i];
        error = fmax(error, most);
        component = fmax(component, most / fmax(modulus, points->unit[i]));
    }
    if (p->settled && degree * component <= some * p->component_error)
        return;
    p->settled = false;
    p->component_error = degree * component;
    p->error = fmax(p->error, largest > 0.0 ? degree * error / largest : degree * error);
}

plumb_status plumb_solve_lift(const solve_points *points, const plumb_system *lift)
{
    plumb_context *context = points->context;
    const int64_t n = lift->unknowns;
    newton_sizes sizes;
    double *before = calloc(2 * (size_t)(n + lift->equations), sizeof *before);
    plumb_status status = before && newton_sizes_of(lift, &sizes) ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    EACH_PRECISION (prec, PLUMB_D, points->room) {
        batch b = {.which = NULL};
        plumb_view values = {.data = NULL};
        if (status == PLUMB_OK)
            status = begin_batch(points, lift->unknowns, prec, prec, any_of_precision, NULL, &b);
        if (status == PLUMB_OK && b.x.batch > 0)
            status =
                plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, lift->equations, 1, b.x.batch, &values);
        if (status == PLUMB_OK && b.x.batch > 0)
            status = plumb_system_eval(context, lift, &b.x, &values, NULL, NULL);
        for (int64_t k = 0; k < b.x.batch && status == PLUMB_OK; k++) {
            solve_point *p = &points->list[b.which[k]];
            for (int64_t i = 0; i < n; i++) {
                before[i] = modulus(&b.x, k, i);
                before[n + i] = fmax(before[i], points->target_unit[i]);
            }
            store(&values, k, points->room, p->x);
            lift_errors(points, &sizes, before, before + 2 * n, p);
        }
        plumb_array_destroy(context, &values);
        end_batch(points, &b);
    }
    free(before);
    return status;
}

/* Endpoints of a run are checked in the same way (solver/track/check.h): there a homotopy has the system. */
plumb_status plumb_solve_check(const solve_points *points, const plumb_system *system, const bool *marked)
{
    enum { TOGETHER = 256 };
    plumb_context *context = points->context;
    const plumb_homotopy only_target = {.given_unknowns = system->unknowns,
                                        .target = (plumb_system *)system}; /* which is only read */
    track_check check;
    batch b;
    plumb_status status = begin_batch(points, system->unknowns, points->room, 0, any, marked, &b);
    plumb_path_record *records = calloc((size_t)points->count + 1, sizeof *records);
    const int64_t count = b.x.batch;
    if (status == PLUMB_OK && !records)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        const solve_point *p = &points->list[b.which[k]];
        records[k] = (plumb_path_record){
            .code = p->regular ? PLUMB_PATH_SUCCESS : PLUMB_PATH_SINGULAR, .prec = p->prec, .error = p->error};
    }
    if (status == PLUMB_OK && count > 0) {
        status = track_check_begin(context, &only_target, NULL, count < TOGETHER ? count : TOGETHER, &check);
        check.unit = points->unit;
        if (status == PLUMB_OK)
            status = track_check_ends(&check, &b.x, NULL, count, records);
        track_check_end(&check);
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        solve_point *p = &points->list[b.which[k]];
        p->residual = records[k].residual;
        if (!p->regular || p->settled)
            continue; /* it cannot be seen from a singular point, and is known better for one that was settled */
        /* With more equations than unknowns, some may have no terms at the point to measure corrections by. What was known from as many
         * equations as unknowns remains, with room for what elimination has added. */
        const double most = system->equations > system->unknowns ? 1e3 : (double)INFINITY;
        p->error = fmin(records[k].error, most * p->error);
        p->component_error = fmin(records[k].component_error, most * p->component_error);
    }
    end_batch(points, &b);
    free(records);
    return status;
}

/* A point moves by no more than this many times its error: otherwise it went to another solution. */
static const double MOST_MOVE = 1e3;

/* What an error relative to the largest unknown may be for another one, relative to its own size, or to its unit if that is larger. */
static double component_of(const solve_points *points, const batch *b, int64_t k, double error)
{
    double size = 0.0, least = (double)INFINITY;
    for (int64_t i = 0; i < b->x.rows; i++) {
        const double own = modulus(&b->x, k, i);
        size = fmax(size, own);
        least = fmin(least, fmax(own, points->unit[i]));
    }
    return error * (size > 0.0 ? size : 1.0) / least;
}

/* A point that moves gets the errors that Newton's method states for where it goes. With more equations than unknowns, it does not move if less
 * would be known of it: least squares may lose more digits than the equations that it was found by. But if it is further away than
 * both errors allow, what was known was wrong, and the way counts. The error of an unknown relative to its own size is at most what it was
 * before, and the way. */
static bool take_report(const solve_points *points, const plumb_system *system, const batch *b, int64_t k, bool moves)
{
    solve_point *p = &points->list[b->which[k]];
    const plumb_newton_report *r = &b->reports[k];
    double component;
    const double way = moved(points, b, k, &component), known = fmax(p->error, precision_unit(p->prec));
    if (r->code != PLUMB_NEWTON_CONVERGED || !(way <= MOST_MOVE * known))
        return false;
    p->condition = r->condition;
    const bool refuted = way > known + r->error, may_lose = system->equations > system->unknowns;
    if (!moves || p->settled || (may_lose && r->error > known && !refuted))
        return false;
    const double before = fmax(p->component_error, precision_unit(p->prec));
    store(&b->x, k, points->room, p->x);
    p->component_error = component_of(points, b, k, refuted ? way : r->error);
    if (!refuted)
        p->component_error = fmin(p->component_error, before + component);
    p->error = refuted ? way : r->error;
    return true;
}

/* The check of all other points. */
static plumb_status check_rest(const solve_points *points, const plumb_system *system, const bool *refined)
{
    plumb_context *context = points->context;
    bool *rest = calloc((size_t)points->count + 1, sizeof *rest), some = false;
    if (!rest)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < points->count; k++) {
        rest[k] = !(refined && refined[k]);
        some = some || rest[k];
    }
    const plumb_status status = some ? plumb_solve_check(points, system, rest) : PLUMB_OK;
    free(rest);
    return status;
}

plumb_status plumb_solve_improve(const solve_points *points, const plumb_system *system, bool moves,
                                 const bool *refined)
{
    plumb_context *context = points->context;
    plumb_status status = PLUMB_OK;
    EACH_PRECISION (prec, PLUMB_D, points->room) {
        batch b = {.which = NULL};
        newton_settings settings = {0};
        if (status == PLUMB_OK)
            status = begin_batch(points, system->unknowns, prec, prec, rest_of_precision, refined, &b);
        if (status == PLUMB_OK && b.x.batch > 0)
            status = newton_settle(context, NULL, prec, &settings);
        if (status == PLUMB_OK && b.x.batch > 0)
            status = newton_run(context, system, &b.x, &settings, b.reports);
        for (int64_t k = 0; k < b.x.batch && status == PLUMB_OK; k++)
            (void)take_report(points, system, &b, k, moves);
        end_batch(points, &b);
    }
    return status == PLUMB_OK ? check_rest(points, system, refined) : status;
}

/* The orders of magnitude between the largest unknown of a point and the smallest one that is not zero. */
static double spread_of(const solve_points *points, const batch *b, int64_t k, const bool *zero)
{
    const solve_point *p = &points->list[b->which[k]];
    double most = 0.0, least = (double)INFINITY;
    for (int64_t i = 0; i < b->x.rows; i++) {
        const double size = modulus(&b->x, k, i);
        most = fmax(most, size);
        if (size > p->component_error && !(zero && zero[b->which[k] * b->x.rows + i]))
            least = fmin(least, size);
    }
    return most > 0.0 && least < most ? log10(most / least) : 0.0;
}

plumb_status plumb_solve_refine(const solve_points *points, const plumb_system *system, double digits, bool *marked,
                                const bool *zero)
{
    batch b;
    double spread = 0.0;
    plumb_status status = begin_batch(points, system->unknowns, points->room, 0, marked_and_regular, marked, &b);
    for (int64_t k = 0; k < b.x.batch && status == PLUMB_OK; k++)
        spread = fmax(spread, spread_of(points, &b, k, zero));
    if (status == PLUMB_OK && b.x.batch > 0)
        status = refine_batch(points, system, fmin(digits + spread, 61.0), &b);
    for (int64_t k = 0; k < b.x.batch && status == PLUMB_OK; k++) {
        const bool good = take_report(points, system, &b, k, true);
        if (good && b.reports[k].prec > points->list[b.which[k]].prec)
            points->list[b.which[k]].prec = b.reports[k].prec;
        if (marked)
            marked[b.which[k]] = good;
    }
    end_batch(points, &b);
    return status == PLUMB_OK ? plumb_solve_check(points, system, marked) : status;
}
