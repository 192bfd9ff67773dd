/* round.c - one Newton step for many points: gathers the points, evaluates, solves for the correction and for the
 * response to rounding errors together, subtracts, and stores the points. */
#include "solver/newton/round.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/lsq_error.h"
#include "base/view.h"
#include "solver/lsq/place.h"

/* Equations within this many bits of one another are not scaled. */
enum { SIMILAR_BITS = 16 };

double newton_largest(const plumb_view *view, int64_t k, int64_t column)
{
    double largest = 0.0;
    const double *re = view->data + k * view->next + column * view->col, *im = re + view->prec * view->plane;
    for (int64_t i = 0; i < view->rows; i++) {
        const double modulus = hypot(re[i], im[i]);
        if (isnan(modulus))
            return modulus;
        largest = fmax(largest, modulus);
    }
    return largest;
}

/* The residual as in reports: the largest modulus, or the norm for overdetermined systems. */
static double residual_of(const newton_work *work, const plumb_view *values, int64_t k)
{
    const double largest = newton_largest(values, k, 0);
    if (!work->problem.overdetermined || !(largest > 0.0) || !isfinite(largest))
        return largest;
    const double *re = values->data + k * values->next, *im = re + values->prec * values->plane;
    double sum = 0.0;
    for (int64_t i = 0; i < values->rows; i++) {
        const double a = re[i] / largest, b = im[i] / largest;
        sum += a * a + b * b;
    }
    return largest * sqrt(sum);
}

/* A view of the first `count` problems of the room, in a precision up to that of the room. */
static plumb_view first_of(const plumb_view *room, int32_t prec, int64_t count)
{
    plumb_view view;
    const plumb_status status =
        plumb_view_init(&view, room->data, PLUMB_HOST, prec, room->parts, room->rows, room->cols, count, NULL);
    (void)status; /* the room was larger */
    return view;
}

static plumb_view column_of(const plumb_view *view, int64_t column)
{
    plumb_view one = *view;
    one.data += column * view->col;
    one.cols = 1;
    return one;
}

static void move_point(const plumb_view *from, int64_t k, const plumb_view *to, int64_t l)
{
    memcpy(to->data + l * to->next, from->data + k * from->next, (size_t)from->next * sizeof(double));
}

static bool all_finite(const plumb_view *view, int64_t k)
{
    for (int64_t i = 0; i < view->next; i++)
        if (!isfinite(view->data[k * view->next + i]))
            return false;
    return true;
}

/* Makes the second right-hand side: errors as large as the terms, in random directions. Once corrections are small,
 * the terms hardly change, and the old ones are used. */
static void find_response_side(newton_work *work, int64_t k)
{
    const newton_arrays *at = &work->at;
    const int64_t m = plumb_system_equations(work->system), n = plumb_system_unknowns(work->system);
    double *side = at->response_side + 2 * m * k, largest = 0.0, sum = 0.0;
    if (work->point[k].moved < 1e-3 && work->point[k].moved_each < 1e-3)
        return;
    const double *re = at->x.data + k * at->x.next, *im = re + at->x.prec * at->x.plane;
    for (int64_t i = 0; i < n; i++)
        at->modulus[i] = hypot(re[i], im[i]);
    at->underflow[k] = newton_sizes_at(&work->sizes, at->modulus, side);
    for (int64_t i = 0; i < m; i++)
        largest = fmax(largest, side[i]);
    for (int64_t i = 0; i < m && largest > 0.0; i++)
        sum += side[i] / largest * (side[i] / largest);
    at->terms[k] = largest * sqrt(sum);
    for (int64_t i = 0; i < m; i++) {
        side[m + i] = side[i] * at->direction[m + i];
        side[i] *= at->direction[i];
    }
}

static void put_response_side(const newton_work *work, const plumb_view *sides, int64_t l, int64_t k)
{
    const int64_t m = sides->rows;
    const double *side = work->at.response_side + 2 * m * k;
    double *to = sides->data + l * sides->next + sides->col;
    for (int64_t c = 0; c < view_planes(sides); c++)
        memset(to + c * sides->plane, 0, (size_t)m * sizeof(double));
    memcpy(to, side, (size_t)m * sizeof(double));
    memcpy(to + sides->prec * sides->plane, side + m, (size_t)m * sizeof(double));
}

/* The exponent of the larger part of an entry; INT_MIN for zero. */
static int exponent_of(const plumb_view *view, int64_t l, int64_t i, int64_t j)
{
    const double *re = view->data + l * view->next + j * view->col + i;
    const double size = fmax(fabs(re[0]), fabs(re[view->prec * view->plane]));
    int e = 0;
    frexp(size, &e);
    return size > 0.0 && isfinite(size) ? e : INT_MIN;
}

static void multiply_row(const plumb_view *view, int64_t l, int64_t i, double by)
{
    for (int64_t c = 0; c < view_planes(view); c++)
        for (int64_t j = 0; j < view->cols; j++)
            view->data[l * view->next + c * view->plane + j * view->col + i] *= by;
}

/* Equations of very different size, after unknowns have been scaled to a similar size, are multiplied by powers of two: the solver
 * works with norms of columns, to which a small equation is noise. The solution is that of the equations as they are, so this is not
 * done if there are more equations than unknowns. Returns false if the Jacobian is singular because it has a row of zeros, which the
 * solver need not notice if rows are of very different size. */
static bool balance(const newton_work *work, const plumb_view *jacobians, const plumb_view *sides, int64_t l)
{
    const int64_t n = jacobians->cols, m = jacobians->rows;
    double *weight = work->at.weight + l * m, *column = work->at.modulus;
    int low = INT_MAX, high = INT_MIN;
    bool empty = false;
    for (int64_t j = 0; j < n; j++) {
        int most = INT_MIN;
        for (int64_t i = 0; i < m; i++) {
            const int e = exponent_of(jacobians, l, i, j);
            most = e > most ? e : most;
        }
        column[j] = most;
    }
    for (int64_t i = 0; i < m; i++) {
        int most = INT_MIN;
        for (int64_t j = 0; j < n; j++) {
            const int e = exponent_of(jacobians, l, i, j);
            if (e != INT_MIN && e - (int)column[j] > most)
                most = e - (int)column[j];
        }
        weight[i] = most;
        if (most == INT_MIN) {
            empty = true;
        } else {
            low = most < low ? most : low;
            high = most > high ? most : high;
        }
    }
    const bool differ = m == n && high > low && high - low > SIMILAR_BITS; /* no row may have an entry */
    for (int64_t i = 0; i < m; i++) {
        const int power = differ && weight[i] > INT_MIN ? (int)fmin(-weight[i], 900.0) : 0;
        weight[i] = ldexp(1.0, power);
        if (power != 0) {
            multiply_row(jacobians, l, i, weight[i]);
            multiply_row(sides, l, i, weight[i]);
        }
    }
    return m > n || !empty;
}

/* Computes values in the precision of x, and Jacobians and both right-hand sides in the precision of the Jacobian. */
static plumb_status evaluate(newton_work *work, int32_t low, int64_t count, plumb_view *jacobians, plumb_view *sides)
{
    const newton_arrays *at = &work->at;
    const int32_t prec = work->problem.prec;
    plumb_view points = first_of(&at->points, prec, count), values = first_of(&at->values, prec, count);
    *jacobians = first_of(&at->jacobians, low, count);
    *sides = first_of(&at->sides, low, count);
    plumb_status status =
        plumb_system_eval(work->context, work->system, &points, &values, low == prec ? jacobians : NULL, NULL);
    if (status == PLUMB_OK && low < prec) {
        plumb_view low_points = first_of(&at->low_points, low, count),
                   low_values = first_of(&at->low_values, low, count);
        status = plumb_copy(work->context, &points, &low_points, NULL);
        if (status == PLUMB_OK)
            status = plumb_system_eval(work->context, work->system, &low_points, &low_values, jacobians, NULL);
    }
    plumb_view side = column_of(sides, 0);
    if (status == PLUMB_OK)
        status = plumb_copy(work->context, &values, &side, NULL);
    for (int64_t l = 0; l < count && status == PLUMB_OK; l++) {
        put_response_side(work, sides, l, at->which[l]);
        at->singular[l] = !balance(work, jacobians, sides, l);
    }
    return status;
}

static void keep_trace(newton_work *work, int64_t k, int32_t jacobian_prec)
{
    const newton_point *point = &work->point[k];
    newton_trace *trace = work->trace ? &work->trace[k] : NULL;
    if (trace && trace->count < trace->room)
        trace->step[trace->count++] =
            (newton_trace_step){work->problem.prec, jacobian_prec, point->residual, point->moved};
}

static void find_moduli(const plumb_view *view, int64_t l, int64_t column, double *modulus)
{
    const double *re = view->data + l * view->next + column * view->col, *im = re + view->prec * view->plane;
    for (int64_t i = 0; i < view->rows; i++)
        modulus[i] = hypot(re[i], im[i]);
}

/* The largest |J_i| |dx| relative to the terms of equation i: how much of an equation the correction moves, cancellation aside.
 * Unknowns that are zero do not count, because all terms of an equation may be multiples of them. */
static double share_of(const newton_work *work, const plumb_view *jacobians, const newton_solve *solve, int64_t l,
                       int64_t k)
{
    const double *side = work->at.response_side + 2 * jacobians->rows * k;
    double share = 0.0;
    for (int64_t i = 0; i < jacobians->rows; i++) {
        const double *re = jacobians->data + l * jacobians->next + i, *im = re + jacobians->prec * jacobians->plane;
        double sum = 0.0, terms = hypot(side[i], side[jacobians->rows + i]) * work->at.weight[l * jacobians->rows + i];
        for (int64_t j = 0; j < jacobians->cols; j++)
            if (!newton_is_zero(&work->problem, &work->point[k], solve, j))
                sum += (fabs(re[j * jacobians->col]) + fabs(im[j * jacobians->col])) * solve->now[j];
        if (terms > 0.0)
            share = fmax(share, sum / terms);
    }
    return share;
}

/* The ratio of the terms of the largest equation to those of the smallest. */
static double spread_of(const newton_work *work, int64_t k)
{
    const int64_t m = plumb_system_equations(work->system);
    const double *side = work->at.response_side + 2 * m * k;
    double low = (double)INFINITY, high = 0.0;
    for (int64_t i = 0; i < m; i++) {
        const double terms = hypot(side[i], side[m + i]);
        if (terms > 0.0)
            low = fmin(low, terms);
        high = fmax(high, terms);
    }
    return high > 0.0 ? high / low : 1.0;
}

/* Examines the solves. The points whose correction is accepted are kept in which. Returns their number. */
static int64_t look(newton_work *work, const plumb_view *jacobians, const plumb_view *solutions,
                    const plumb_view *norms, int64_t count)
{
    const newton_arrays *at = &work->at;
    int64_t kept = 0;
    for (int64_t l = 0; l < count; l++) {
        const int64_t k = at->which[l];
        newton_point *point = &work->point[k];
        find_moduli(solutions, l, 0, at->modulus);
        find_moduli(solutions, l, 1, at->modulus + solutions->rows);
        find_moduli(&at->points, l, 0, at->modulus + 2 * solutions->rows);
        newton_solve solve = {
            .info = !all_finite(&at->values, l) ? -PLUMB_ERR_NONFINITE
                    : at->singular[l]           ? 1
                                                : at->info[l],
            .residual = residual_of(work, &at->values, l),
            .size = newton_largest(&at->points, l, 0),
            .correction = newton_largest(solutions, l, 0),
            .unknowns = solutions->rows,
            .now = at->modulus,
            .before = at->before + k * solutions->rows,
            .response = newton_largest(solutions, l, 1),
            .left = work->problem.overdetermined ? norms->data[l * norms->next] : 0.0,
            .terms = at->terms[k],
            .underflow = at->underflow[k],
            .spread = work->problem.overdetermined ? spread_of(work, k) : 1.0,
        };
        solve.share = share_of(work, jacobians, &solve, l, k);
        if (solve.residual < point->least_residual) {
            point->least_residual = solve.residual;
            move_point(&at->x, k, &at->best, k);
        }
        if (!newton_accept(&work->problem, point, &solve))
            continue;
        if (kept < l) {
            move_point(&at->points, l, &at->points, kept);
            move_point(solutions, l, solutions, kept);
        }
        at->which[kept++] = k;
    }
    return kept;
}

plumb_status newton_round(newton_work *work, int32_t low)
{
    const newton_arrays *at = &work->at;
    const int32_t prec = work->problem.prec;
    plumb_view jacobians, sides;
    int64_t count = 0;
    for (int64_t k = 0; k < work->count; k++)
        if (work->point[k].active && work->point[k].jacobian_prec == low) {
            find_response_side(work, k);
            move_point(&at->x, k, &at->points, count);
            at->which[count++] = k;
        }
    if (count == 0)
        return PLUMB_OK;
    plumb_status status = evaluate(work, low, count, &jacobians, &sides);
    plumb_view solutions = first_of(&at->solutions, low, count), norms = first_of(&at->norms, low, count);
    /* Chosen as for all points of the call: the bits of a point do not depend on how many others are left. */
    const lsq_call solve = {.a = &jacobians,
                            .b = &sides,
                            .x = &solutions,
                            .residual = &norms,
                            .info = at->info,
                            .like = work->count,
                            .dependent = lsq_dependent(jacobians.rows, low)};
    if (status == PLUMB_OK)
        status = lsq_run(work->context, &solve, NULL);
    if (status != PLUMB_OK)
        return status;
    count = look(work, &jacobians, &solutions, &norms, count);
    if (count == 0)
        return PLUMB_OK;
    plumb_view points = first_of(&at->points, prec, count), corrections = first_of(&at->corrections, prec, count),
               kept = column_of(&solutions, 0);
    kept.batch = count;
    status = plumb_copy(work->context, &kept, &corrections, NULL);
    if (status == PLUMB_OK)
        status = plumb_map(work->context, PLUMB_OP_SUB, &points, &corrections, NULL, &points, NULL);
    for (int64_t l = 0; status == PLUMB_OK && l < count; l++) {
        const int64_t k = at->which[l];
        move_point(&points, l, &at->x, k);
        newton_judge(&work->problem, &work->point[k],
                     all_finite(&points, l) ? newton_largest(&points, l, 0) : (double)INFINITY);
        if (work->point[k].at_zero)
            memset(at->x.data + k * at->x.next, 0, (size_t)at->x.next * sizeof(double));
        keep_trace(work, k, low);
    }
    return status;
}

plumb_status newton_residuals(newton_work *work, double *residual)
{
    const newton_arrays *at = &work->at;
    plumb_view x = first_of(&at->x, work->problem.prec, work->count),
               values = first_of(&at->values, work->problem.prec, work->count);
    plumb_status status = plumb_system_eval(work->context, work->system, &x, &values, NULL, NULL);
    for (int64_t k = 0; status == PLUMB_OK && k < work->count; k++)
        residual[k] = all_finite(&values, k) ? residual_of(work, &values, k) : (double)INFINITY;
    return status;
}
