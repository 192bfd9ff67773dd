/* look.c - see look.h. */
#include "solver/solve/points/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "solver/mp/refine.h"
#include "solver/mp/system.h"
#include "solver/newton/newton.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

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

/* Parts that are small compared with their unit, and not far above their estimated error, are unclear. */
static const double FAR_ABOVE = 1e6;

/* The error, relative to the largest unknown, above which a regular point has to be found again with more digits. */
static const double MOST_VAGUE = 1e-6;

/* The product of error and condition number above which a point may be one of several, if an undecided path might belong to it. */
static const double MOST_ALONE = 1e-2;

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
        const double re = p->x[2 * i * room], im = p->x[(2 * i + 1) * room], size = plumb_modulus(re, im);
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
    seen.vague = p->regular && (p->error > MOST_VAGUE || (error > MOST_VAGUE * largest && largest > 0.0) ||
                                (points->doubts && !p->settled && p->error * p->condition > MOST_ALONE));
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
            unit[m + i] =
                fmax(points->unit[i], plumb_modulus(x.data[k * x.next + i], x.data[k * x.next + x.plane + i]));
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
            const double size = fmax(points->unit[i], plumb_modulus(re, im));
            norm = fmax(norm, plumb_modulus(w.data[at * w.next + i], w.data[at * w.next + w.plane + i]) / size);
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

/* The unknown of the target that an equation of the lift takes as it is; -1: none. */
static int64_t kept_unknown(const plumb_system *lift, int64_t equation)
{
    const int64_t k = lift->equation[equation];
    const system_term *t = &lift->terms[k];
    if (lift->equation[equation + 1] != k + 1 || t->count != 1 || lift->factors[t->first].exponent != 1 ||
        mpq_cmp_ui(t->re, 1, 1) != 0 || mpq_sgn(t->im) != 0)
        return -1;
    return lift->factors[t->first].unknown;
}

/* A point while it is refined: in the unknowns of the target, and in the given ones. */
typedef struct fine_point {
    int64_t n, left, bits; /* given unknowns, those of the target */
    mp_complex *x, *lifted, *slopes;
    double *errors; /* of lifted and, before that, of x */
} fine_point;

static plumb_status begin_fine(const solve_plan *plan, fine_point *f)
{
    const plumb_system *left = plumb_solve_left(plan);
    const bool lifts = plan->simple.lift != NULL;
    *f = (fine_point){.n = plan->system->unknowns, .left = left->unknowns, .bits = mp_bits_for(left, 256, 2)};
    f->x = mp_make(f->left, f->bits);
    f->lifted = lifts ? mp_make(f->n, f->bits) : NULL;
    f->slopes = lifts ? mp_make(f->n * f->left, f->bits) : NULL;
    f->errors = calloc((size_t)(2 * f->n + f->left), sizeof *f->errors);
    return f->x && f->errors && (!lifts || (f->lifted && f->slopes)) ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static void end_fine(fine_point *f)
{
    mp_free(f->x, f->x ? f->left : 0);
    mp_free(f->lifted, f->lifted ? f->n : 0);
    mp_free(f->slopes, f->slopes ? f->n * f->left : 0);
    free(f->errors);
}

/* From the unknowns of the target to the given ones, with their errors. */
static plumb_status lift_fine(const plumb_system *lift, fine_point *f)
{
    mp_system s = {.system = NULL};
    double *own = f->errors + f->n, *sizes = own + f->left;
    plumb_status status = mp_system_begin(lift, f->bits, &s);
    memcpy(own, f->errors, (size_t)f->left * sizeof *own);
    if (status == PLUMB_OK)
        mp_system_eval(&s, f->x, f->lifted, f->slopes, sizes);
    for (int64_t u = 0; u < f->n && status == PLUMB_OK; u++) {
        f->errors[u] = sizes[u] + 8.0 - (double)f->bits;
        for (int64_t i = 0; i < f->left; i++)
            f->errors[u] = fmax(f->errors[u], mp_log2(&f->slopes[u * f->left + i]) + own[i] + 2.0);
    }
    mp_system_clear(&s);
    return status;
}

/* Refines a point by MPFR, in the equations that are left after elimination; false if that fails. Its parts that are zero within an error of
 * hundreds of digits become 0. */
static bool refine_finely(const solve_plan *plan, const solve_points *points, solve_point *p, fine_point *f,
                          plumb_status *status)
{
    const plumb_system *lift = plan->simple.lift;
    for (int64_t u = 0; u < f->n; u++) {
        const int64_t i = lift ? kept_unknown(lift, u) : u;
        if (i >= 0)
            mp_set_limbs(&f->x[i], p->x + 2 * u * points->room, p->x + (2 * u + 1) * points->room, points->room);
    }
    const double most_move = log2(fmin(fmax(1e3 * fmax(p->component_error, precision_unit(p->prec)), 1e-8), 0.01));
    if (!mp_refine(plumb_solve_left(plan), f->x, f->bits, most_move, points->target_unit, f->errors, status))
        return false;
    if (lift)
        *status = lift_fine(lift, f);
    mp_complex *x = lift ? f->lifted : f->x;
    mp_round_to_zero(x, f->n, f->errors, 2.0);
    for (int64_t u = 0; u < f->n; u++)
        mp_get_limbs(&x[u], p->x + 2 * u * points->room, p->x + (2 * u + 1) * points->room, points->room);
    p->prec = points->room;
    p->error = p->component_error = precision_unit(points->room);
    p->settled = true;
    return *status == PLUMB_OK;
}

/* Decides by more digits what is unclear. Overdetermined systems have only points that were sifted, and are settled. */
static plumb_status clear_up(const solve_plan *plan, const solve_points *points, solve_view *seen)
{
    plumb_context *context = plan->context;
    fine_point f = {.x = NULL};
    bool some = false;
    for (int64_t k = 0; k < points->count && !some; k++)
        some = seen[k].unclear && !points->list[k].settled;
    some = some && !plan->square && !plan->solved;
    plumb_status status = some ? begin_fine(plan, &f) : PLUMB_OK;
    for (int64_t k = 0; k < points->count && some && status == PLUMB_OK; k++) {
        solve_point *p = &points->list[k];
        if (!seen[k].unclear || p->settled)
            continue;
        if (refine_finely(plan, points, p, &f, &status))
            seen[k] = look_settled(plan, p, points->room);
    }
    end_fine(&f);
    /* What stays unclear is not known to be a solution of its own: others are equally near. Points that miss the equations, and were accepted
     * all the same, cannot become clearer; but whether a filter would choose them nobody knows. */
    for (int64_t k = 0; k < points->count; k++)
        seen[k].vague =
            seen[k].vague || (seen[k].unclear && (seen[k].for_sign || !plan->square) && !points->list[k].settled);
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

/* What threads share that look at all points. */
typedef struct point_looker {
    const solve_plan *plan;
    const solve_points *points;
    solve_view *seen; /* of each point */
    team_counter next;
} point_looker;

static void look_at_some(void *data, team *t, int32_t index, int32_t threads)
{
    point_looker *m = data;
    const int64_t some = plumb_points_at_once(m->points->count, threads);
    (void)t, (void)index;
    for (int64_t first; (first = team_take(&m->next, some)) < m->points->count;)
        for (int64_t k = first; k < first + some && k < m->points->count; k++)
            m->seen[k] = plumb_solve_direct_count(m->plan) > 0 && !m->plan->solved
                             ? look_settled(m->plan, &m->points->list[k], m->points->room)
                             : look(m->plan, m->points, &m->points->list[k]);
}

static bool has_real_coefficients(const plumb_system *system)
{
    for (int64_t k = 0; k < system->equation[system->equations]; k++)
        if (mpq_sgn(system->terms[k].im) != 0)
            return false;
    return true;
}

/* After imaginary parts were removed: whether it is vague does not become better by that. */
static solve_view look_again(const solve_plan *plan, const solve_points *points, const solve_point *p,
                             const solve_view *before)
{
    solve_view seen = look(plan, points, p);
    seen.vague = seen.vague || before->vague;
    return seen;
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
            seen[k] = look_again(plan, points, &points->list[k], &seen[k]);
    free(changed);
    return status;
}

/* The residuals of points that were settled are those of where they were before. */
static plumb_status measure_settled(const solve_plan *plan, const solve_points *points)
{
    plumb_context *context = plan->context;
    bool *settled = calloc((size_t)points->count + 1, sizeof *settled), some = false;
    if (!settled)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t k = 0; k < points->count; k++) {
        settled[k] = points->list[k].settled;
        some = some || settled[k];
    }
    const plumb_status status = some ? plumb_solve_check(points, plan->system, settled) : PLUMB_OK;
    free(settled);
    return status;
}

static plumb_status look_at_all(const solve_plan *plan, solve_points *points, solve_view *seen)
{
    point_looker looker = {.plan = plan, .points = points, .seen = seen};
    plumb_status status = plumb_points_share(points, look_at_some, &looker);
    if (status == PLUMB_OK && points->count > 0)
        status = clear_lone_points(plan, points, seen);
    if (status == PLUMB_OK && points->count > 0)
        status = clear_up(plan, points, seen);
    if (status == PLUMB_OK && points->count > 0 && has_real_coefficients(plan->system))
        status = make_real(plan, points, seen);
    if (status == PLUMB_OK && points->count > 0) /* without its imaginary parts an error may be too large */
        status = clear_up(plan, points, seen);
    return status;
}

plumb_status plumb_solve_look(const solve_plan *plan, solve_points *points, plumb_solve_report *report,
                              solve_view **seen)
{
    plumb_context *context = plan->context;
    *seen = malloc(((size_t)points->count + 1) * sizeof **seen);
    if (!*seen)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    plumb_status status = PLUMB_OK;
    for (bool again = true; again && status == PLUMB_OK;) {
        const int64_t before = points->count;
        status = look_at_all(plan, points, *seen);
        if (status == PLUMB_OK && plan->homotopy)
            drop_vague(points, *seen, report);
        /* Those that are left may be one with a point that was dropped. */
        again = points->count < before && !points->doubts;
        points->doubts = points->doubts || again;
    }
    return status == PLUMB_OK ? measure_settled(plan, points) : status;
}
