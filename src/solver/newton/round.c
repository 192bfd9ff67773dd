/* round.c - one Newton step for many points: gathers the points, evaluates, solves for the correction and for the
 * response to rounding errors together, subtracts, and stores the points. */
#include "solver/newton/round.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/array/view.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "method/lsq/error.h"
#include "solver/lsq/place.h"

/* Equations within this many bits of one another are not scaled. */
enum { SIMILAR_BITS = 16 };

double newton_largest(const plumb_view *view, int64_t k, int64_t column)
{
    double largest = 0.0;
    const double *re = view->data + k * view->next + column * view->col, *im = re + view->prec * view->plane;
    for (int64_t i = 0; i < view->rows; i++) {
        const double modulus = plumb_modulus(re[i], im[i]);
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

static void find_moduli(const plumb_view *view, int64_t l, int64_t column, double *modulus)
{
    const double *re = view->data + l * view->next + column * view->col, *im = re + view->prec * view->plane;
    for (int64_t i = 0; i < view->rows; i++)
        modulus[i] = plumb_modulus(re[i], im[i]);
}

/* Corrections below this share of an unknown are small. */
static const double little = 1e-3;

/* True until the corrections of all unknowns are small relative to themselves. */
static bool is_moving(const newton_point *point)
{
    return !(point->moved < little && point->moved_each < little);
}

/* True if the last correction may have been small by luck. */
static bool is_doubtful(const newton_point *point)
{
    const double slow = 0.25;
    return is_moving(point) || point->slowest > slow;
}

/* Finds the sizes of the terms. Once corrections are small they hardly change, and the old ones are used. */
static void find_sizes(newton_work *work, int64_t k)
{
    const newton_arrays *at = &work->at;
    const int64_t m = plumb_system_equations(work->system), n = plumb_system_unknowns(work->system);
    double *size = at->sizes + m * k, largest = 0.0, sum = 0.0;
    if (!is_moving(&work->point[k]))
        return;
    const double *re = at->x.data + k * at->x.next, *im = re + at->x.prec * at->x.plane;
    for (int64_t i = 0; i < n; i++)
        at->modulus[i] = plumb_modulus(re[i], im[i]);
    at->underflow[k] = newton_sizes_lost(&work->sizes, at->modulus, size);
    for (int64_t i = 0; i < m; i++)
        largest = fmax(largest, size[i]);
    for (int64_t i = 0; i < m && largest > 0.0; i++)
        sum += size[i] / largest * (size[i] / largest);
    at->terms[k] = largest * sqrt(sum);
}

/* Puts column `column` of the sides of point k: the given moduli, or 1 if there are none, times a number, in random directions. */
static void put_side(const newton_work *work, const plumb_view *sides, int64_t l, int64_t column, const double *modulus,
                     double times)
{
    const int64_t m = sides->rows;
    double *to = sides->data + l * sides->next + column * sides->col, *im = to + sides->prec * sides->plane;
    for (int64_t c = 0; c < view_planes(sides); c++)
        memset(to + c * sides->plane, 0, (size_t)m * sizeof(double));
    for (int64_t i = 0; i < m; i++) {
        const double size = times * (modulus ? modulus[i] : 1.0);
        to[i] = size * work->at.direction[i];
        im[i] = size * work->at.direction[m + i];
    }
}

/* Adds to each value the part of its equation that belongs to unknowns on their way to zero, of which the last correction left next to
 * nothing: the value may be smaller by luck. */
static void add_vanishing(const newton_work *work, const plumb_view *jacobians, int64_t l, int64_t k, double *value)
{
    const plumb_view *x = &work->at.points;
    for (int64_t j = 0; j < jacobians->cols && work->point[k].steps > 0; j++) {
        const double *re = x->data + l * x->next + j, size = plumb_modulus(re[0], re[x->prec * x->plane]);
        if (!(size < little * work->at.before[2 * k * jacobians->cols + j]))
            continue;
        const double *a = jacobians->data + l * jacobians->next + j * jacobians->col;
        for (int64_t i = 0; i < jacobians->rows; i++)
            value[i] += plumb_modulus(a[i], a[i + jacobians->prec * jacobians->plane]) * size;
    }
}

/* The sides after the first, which has the values: errors as large as the terms of each equation; if there are more equations than
 * unknowns, as large as all terms in every equation, which are those that the solver makes; and values of the same size, whose
 * solution shows how small the correction is by luck, unless there is no doubt about that. */
static void put_sides(const newton_work *work, const plumb_view *jacobians, const plumb_view *sides, int64_t l,
                      int64_t k)
{
    const newton_arrays *at = &work->at;
    put_side(work, sides, l, 1, at->sizes + sides->rows * k, 1.0);
    if (work->problem.overdetermined)
        put_side(work, sides, l, 2, NULL, at->terms[k]);
    if (sides->cols == at->sides.cols) {
        find_moduli(sides, l, 0, at->value);
        add_vanishing(work, jacobians, l, k, at->value);
        put_side(work, sides, l, sides->cols - 1, at->value, 1.0);
    }
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

/* The exponent of the size of unknown j at a point: that of its last correction, if that was larger, and at least what the Jacobian can
 * distinguish from zero relative to the largest unknown. An unknown that is zero at the root is not to have an equation of its own. INT_MIN for
 * the point zero. */
static int exponent_of_unknown(const newton_work *work, const plumb_view *jacobians, int64_t l, int64_t j, double least)
{
    const int64_t k = work->at.which[l];
    const plumb_view *x = &work->at.points;
    const double *re = x->data + l * x->next + j;
    const double before = work->point[k].steps > 0 ? work->at.before[2 * k * jacobians->cols + j] : 0.0,
                 size = fmax(fmax(before, least), plumb_modulus(re[0], re[x->prec * x->plane]));
    int e = 0;
    frexp(size, &e);
    return size > 0.0 ? e : INT_MIN;
}

/* Equations of very different size, measured by the largest J_ij x_j, are multiplied by powers of two: the solver works with norms of
 * columns, to which a small equation is noise. The unknowns count with their sizes, because the solver scales columns by themselves.
 * The solution is that of the equations as they are, so this is not done if there are more equations than unknowns. Returns false if
 * the Jacobian is singular because it has a row of zeros, which the solver need not notice if rows are of very different size. */
static bool balance(const newton_work *work, const plumb_view *jacobians, const plumb_view *sides, int64_t l)
{
    const int64_t n = jacobians->cols, m = jacobians->rows;
    double *weight = work->at.weight + l * m, *unknown = work->at.modulus;
    int low = INT_MAX, high = INT_MIN;
    bool empty = false;
    const double least = precision_unit(jacobians->prec) * newton_largest(&work->at.points, l, 0);
    for (int64_t j = 0; j < n; j++)
        unknown[j] = exponent_of_unknown(work, jacobians, l, j, least);
    for (int64_t i = 0; i < m; i++) {
        int most = INT_MIN;
        bool zero = true;
        for (int64_t j = 0; j < n; j++) {
            const int e = exponent_of(jacobians, l, i, j);
            zero = zero && e == INT_MIN;
            if (e != INT_MIN && unknown[j] > INT_MIN && e + (int)unknown[j] > most)
                most = e + (int)unknown[j];
        }
        weight[i] = most;
        empty = empty || zero;
        if (most != INT_MIN) {
            low = most < low ? most : low;
            high = most > high ? most : high;
        }
    }
    const bool differ = m == n && high > low && high - low > SIMILAR_BITS; /* no row may have an entry */
    for (int64_t i = 0; i < m; i++) {
        const int power = differ && weight[i] > INT_MIN ? (int)fmin(fmax(-weight[i], -900.0), 900.0) : 0;
        weight[i] = ldexp(1.0, power);
        if (power != 0) {
            multiply_row(jacobians, l, i, weight[i]);
            multiply_row(sides, l, i, weight[i]);
        }
    }
    return m > n || !empty;
}

/* Computes values in the precision of x, and Jacobians and both right-hand sides in the precision of the Jacobian. */
static plumb_status evaluate(newton_work *work, int32_t low, int64_t count, int64_t columns, plumb_view *jacobians,
                             plumb_view *sides)
{
    const newton_arrays *at = &work->at;
    const int32_t prec = work->problem.prec;
    plumb_view points = first_of(&at->points, prec, count), values = first_of(&at->values, prec, count);
    *jacobians = first_of(&at->jacobians, low, count);
    *sides = first_of(&at->sides, low, count);
    sides->cols = columns;
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
        put_sides(work, jacobians, sides, l, at->which[l]);
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

/* Subtracts a b from sum + error, with the digits of two doubles. */
static void subtract_product(double *sum, double *error, const double *a, int64_t a_next, double sign, const double *b,
                             int64_t b_next)
{
    const double x = sign * a[0], p = -x * b[0], e = fma(-x, b[0], -p) - x * b[b_next] - sign * a[a_next] * b[0],
                 s = *sum + p, t = s - *sum;
    *error += (*sum - (s - t)) + (p - t) + e;
    *sum = s;
}

/* What the solver left of equation i, |f_i - J_i dx|. */
static double rest_of(const plumb_view *jacobians, const plumb_view *sides, const plumb_view *solutions, int64_t l,
                      int64_t i)
{
    const double *a = jacobians->data + l * jacobians->next + i, *x = solutions->data + l * solutions->next,
                 *f = sides->data + l * sides->next + i;
    const int64_t ai = jacobians->prec * jacobians->plane, xi = solutions->prec * solutions->plane,
                  fi = sides->prec * sides->plane, al = jacobians->plane, xl = solutions->plane;
    double re = f[0], im = f[fi], re_error = 0.0, im_error = 0.0;
    if (jacobians->prec == PLUMB_D) {
        for (int64_t j = 0; j < jacobians->cols; j++, a += jacobians->col, x++) {
            re = fma(a[ai], x[xi], fma(-a[0], x[0], re));
            im = fma(-a[ai], x[0], fma(-a[0], x[xi], im));
        }
        return plumb_modulus(re, im);
    }
    re_error = f[sides->plane];
    im_error = f[fi + sides->plane];
    for (int64_t j = 0; j < jacobians->cols; j++, a += jacobians->col, x++) {
        subtract_product(&re, &re_error, a, al, 1.0, x, xl);
        subtract_product(&re, &re_error, a + ai, al, -1.0, x + xi, xl);
        subtract_product(&im, &im_error, a, al, 1.0, x + xi, xl);
        subtract_product(&im, &im_error, a + ai, al, 1.0, x, xl);
    }
    return plumb_modulus(re + re_error, im + im_error);
}

/* Compares the correction with each equation. The share is the largest |J_i| |dx| relative to the terms of equation i: how much of it the
 * correction moves, cancellation aside. The lapse is the effect of errors of the Jacobian, and the rest that of what the solver left
 * of the equations. An error of equation i that is as large as its terms has at most the response as its effect; one that is as large
 * as its value has the correction for values in random directions. The smaller bound is used for each equation. */
static void compare_terms(const newton_work *work, const plumb_view *jacobians, const plumb_view *sides,
                          const plumb_view *solutions, int64_t l, int64_t k, newton_solve *solve)
{
    const int64_t m = jacobians->rows, n = jacobians->cols;
    const double *size = work->at.sizes + m * k, u = newton_rounding(&work->problem, jacobians->prec);
    double likely = (double)INFINITY, by_terms = 0.0, by_values = 0.0;
    double *change = work->at.value, each = 0.0, rest_by_terms = 0.0, rest_by_values = 0.0;
    for (int64_t j = 0; j < n; j++)
        each = solve->now[j] > 0.0 ? fmax(each, solve->now[j] / solve->now[2 * n + j]) : each;
    if (is_doubtful(&work->point[k]))
        likely = newton_largest(solutions, l, solutions->cols - 1);
    if (each > little) {
        newton_sizes_along(&work->sizes, solve->now + 2 * n, solve->now, change);
    } else {
        for (int64_t i = 0; i < m; i++)
            change[i] = work->problem.degree * each * size[i];
    }
    for (int64_t i = 0; i < m; i++) {
        const double *re = jacobians->data + l * jacobians->next + i, *im = re + jacobians->prec * jacobians->plane,
                     *f = sides->data + l * sides->next + (sides->cols - 1) * sides->col + i;
        double sum = 0.0, terms = size[i] * work->at.weight[l * m + i],
               value = plumb_modulus(f[0], f[sides->prec * sides->plane]);
        for (int64_t j = 0; j < n; j++)
            sum += (fabs(re[j * jacobians->col]) + fabs(im[j * jacobians->col])) * solve->now[j];
        if (!(terms > 0.0))
            continue;
        solve->share = fmax(solve->share, sum / terms);
        const double error = u * fmax(sum, change[i] * work->at.weight[l * m + i]),
                     rest = rest_of(jacobians, sides, solutions, l, i);
        if (likely / value < solve->response / terms) {
            by_values = fmax(by_values, error / value * likely);
            rest_by_values = fmax(rest_by_values, rest / value * likely);
        } else {
            by_terms = fmax(by_terms, error / terms * solve->response);
            rest_by_terms = fmax(rest_by_terms, rest / terms * solve->response);
        }
    }
    solve->lapse = by_terms + by_values;
    solve->rest = rest_by_terms + rest_by_values;
}

/* With more equations than unknowns: how far the solver can be trusted. Its errors are like those of all equations, relative to the
 * largest, if columns are scaled: the third solution shows their effect. */
static void trust_solver(const newton_work *work, const plumb_view *jacobians, const plumb_view *solutions, int64_t l,
                         int64_t k, newton_solve *solve)
{
    const double *re = solutions->data + l * solutions->next + 2 * solutions->col,
                 *im = re + solutions->prec * solutions->plane;
    double moved = 0.0, answer = 0.0;
    for (int64_t j = 0; j < jacobians->cols; j++) {
        const double column = newton_largest(jacobians, l, j) * sqrt((double)jacobians->rows) / work->at.terms[k],
                     one = plumb_modulus(re[j], im[j]);
        solve->factor = fmax(solve->factor, one * column);
        moved = fmax(moved, solve->now[j] * column);
        answer = fmax(answer, one);
    }
    solve->rest = fmin(solve->rest, newton_rounding(&work->problem, jacobians->prec) * answer * moved);
}

/* Examines the solves. The points whose correction is accepted are kept in which. Returns their number. */
static int64_t look(newton_work *work, const plumb_view *jacobians, const plumb_view *sides,
                    const plumb_view *solutions, const plumb_view *norms, int64_t count)
{
    const newton_arrays *at = &work->at;
    int64_t kept = 0;
    for (int64_t l = 0; l < count; l++) {
        const int64_t k = at->which[l];
        newton_point *point = &work->point[k];
        find_moduli(solutions, l, 0, at->modulus);
        find_moduli(solutions, l, 1, at->modulus + solutions->rows);
        find_moduli(&at->points, l, 0, at->modulus + 2 * solutions->rows);
        find_moduli(solutions, l, is_doubtful(point) ? solutions->cols - 1 : 0, at->modulus + 3 * solutions->rows);
        newton_solve solve = {
            .info = !all_finite(&at->values, l) ? -PLUMB_ERR_NONFINITE
                    : at->singular[l]           ? 1
                                                : at->info[l],
            .residual = residual_of(work, &at->values, l),
            .size = newton_largest(&at->points, l, 0),
            .correction = newton_largest(solutions, l, 0),
            .unknowns = solutions->rows,
            .now = at->modulus,
            .before = at->before + 2 * k * solutions->rows,
            .response = newton_largest(solutions, l, 1),
            .left = work->problem.overdetermined ? norms->data[l * norms->next] : 0.0,
            .terms = at->terms[k],
            .underflow = at->underflow[k],
        };
        compare_terms(work, jacobians, sides, solutions, l, k, &solve);
        if (work->problem.overdetermined)
            trust_solver(work, jacobians, solutions, l, k, &solve);
        solve.poor = work->problem.overdetermined && at->poor[l];
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
    bool doubt = false;
    for (int64_t k = 0; k < work->count; k++)
        if (work->point[k].active && work->point[k].jacobian_prec == low) {
            doubt = doubt || is_doubtful(&work->point[k]);
            find_sizes(work, k);
            move_point(&at->x, k, &at->points, count);
            at->which[count++] = k;
        }
    if (count == 0)
        return PLUMB_OK;
    const int64_t columns = at->sides.cols - (doubt ? 0 : 1);
    plumb_status status = evaluate(work, low, count, columns, &jacobians, &sides);
    plumb_view solutions = first_of(&at->solutions, low, count), norms = first_of(&at->norms, low, count);
    solutions.cols = norms.cols = columns;
    /* Chosen as for all points of the call: the bits of a point do not depend on how many others are left. */
    lsq_call solve = {.a = &jacobians,
                      .b = &sides,
                      .x = &solutions,
                      .residual = &norms,
                      .info = at->info,
                      .like = work->count,
                      .dependent = lsq_dependent(jacobians.rows, low)};
    bool again = false;
    if (work->problem.overdetermined) {
        solve.dependent = sqrt(solve.dependent);
        if (status == PLUMB_OK)
            status = lsq_run(work->context, &solve, NULL);
        for (int64_t l = 0; l < count; l++) {
            at->poor[l] = at->info[l] > 0;
            again = again || at->poor[l];
        }
        solve.dependent = lsq_dependent(jacobians.rows, low);
    }
    if (status == PLUMB_OK && (again || !work->problem.overdetermined))
        status = lsq_run(work->context, &solve, NULL);
    if (status != PLUMB_OK)
        return status;
    count = look(work, &jacobians, &sides, &solutions, &norms, count);
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
