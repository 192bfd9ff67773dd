/* decide.c - decisions after a Newton step: has the point converged, what is its error, does the Jacobian need a
 * higher precision?
 *
 * Rounding an equation causes errors of about degree * u times its terms. Their effect on x is the solution of J w =
 * r with r of the size of the terms: condition = |w| / |x|, and noise = degree * u * condition is the attainable
 * accuracy of x. A point has converged if its correction is as small as that (or within the tolerance). The remaining
 * error is the noise plus, if corrections decrease by a factor q, the sum of the corrections to come, q / (1 - q)
 * times the last.
 *
 * Small corrections are not enough: at a root of multiplicity k they decrease by (k - 1) / k until noise dominates.
 * There noise * condition is about 1 or larger, because an error of the size of the noise changes the Jacobian by as
 * much as its smallest singular value; in this precision the root cannot be distinguished from a cluster of roots.
 * Such a point counts as slow unless its corrections decreased fast. See Tisseur, Newton's method in floating point
 * arithmetic, 2001, for the accuracy that is attainable with Jacobians of a lower precision: it is that of the
 * residual, as long as u_J * condition is well below 1.
 *
 * On overdetermined systems with a nonzero residual at the root, the Gauss-Newton method converges linearly, which is
 * not a failure. These points have converged when corrections are small, like others. An error e of the Jacobian
 * shifts the limit by about condition^2 * e times the residual relative to the terms, so the Jacobian must have the
 * precision of x there. */
#include <math.h>

#include "base/lsq_error.h"
#include "base/precision.h"
#include "solver/newton/newton.h"

/* Errors of a Jacobian up to this share of the correction cost no further step. */
static const double jacobian_share = 1e-3;

/* Corrections decrease fast if they do so by these factors in the last step and in the step before. */
static const double fast = 0.25, fast_before = 0.4;

static double rounding(const newton_problem *problem, int32_t prec)
{
    return 2.0 * (problem->degree + 4.0) * precision_unit(prec);
}

static void end(newton_point *point, plumb_newton_code code)
{
    point->active = false;
    point->code = (int32_t)code;
    if (code != PLUMB_NEWTON_CONVERGED && code != PLUMB_NEWTON_SLOW)
        point->error = (double)INFINITY;
}

/* Raises the Jacobian to the next precision, if there is one and the caller has not fixed it. */
static bool raise_jacobian(const newton_problem *problem, newton_point *point)
{
    if (problem->settings->jacobian_prec != 0 || point->jacobian_prec >= problem->prec)
        return false;
    point->jacobian_prec = precision_above(point->jacobian_prec);
    return true;
}

/* The size of x for relative errors. A root at zero has none: the size counts as at least u times its initial value. */
static double size_of(const newton_problem *problem, const newton_point *point, double size)
{
    return fmax(size, precision_unit(problem->prec) * point->first_size);
}

bool newton_accept(const newton_problem *problem, newton_point *point, const newton_solve *solve)
{
    point->residual = solve->residual;
    if (solve->info < 0 || !isfinite(solve->residual)) {
        end(point, PLUMB_NEWTON_NONFINITE);
        return false;
    }
    if (solve->info > 0 || !isfinite(solve->response)) {
        if (!raise_jacobian(problem, point))
            end(point, PLUMB_NEWTON_SINGULAR);
        return false;
    }
    const double size = size_of(problem, point, solve->size), u = precision_unit(problem->prec);
    point->condition = size > 0.0 ? solve->response / size : 1.0;
    const double lost = rounding(problem, point->jacobian_prec) * point->condition;
    if (lost > jacobian_share && raise_jacobian(problem, point))
        return false;
    point->noise = 4.0 * u + rounding(problem, problem->prec) * point->condition;
    if (problem->overdetermined && solve->left > 0.0) {
        const double shift = lost * point->condition * solve->left / solve->terms;
        if (shift > point->noise && solve->correction <= 10.0 * shift * size && raise_jacobian(problem, point))
            return false;
        point->noise += shift;
    }
    for (int k = 2; k > 0; k--)
        point->correction[k] = point->correction[k - 1];
    point->correction[0] = solve->correction;
    return true;
}

/* The ratio of correction k to the one before it, counted from the last; 1 if there was none. */
static double ratio(const newton_point *point, int k)
{
    return point->correction[k + 1] > 0.0 ? point->correction[k] / point->correction[k + 1] : 1.0;
}

/* Decides from three corrections whether convergence is quadratic, or nearly. This is unknown if the squared
 * correction would be below the noise. With a Jacobian of a lower precision, corrections decrease at best by its
 * relative error. */
static void look_for_squares(const newton_problem *problem, newton_point *point, double size)
{
    const double *c = point->correction;
    if (!(c[2] > 0.0))
        return;
    double factor = pow(c[1] / c[2], 1.5);
    if (point->jacobian_prec < problem->prec)
        factor = fmax(factor, rounding(problem, point->jacobian_prec) * point->condition);
    if (c[1] * factor > point->noise * size)
        point->quadratic = c[0] < 0.1 * size && c[1] < 0.5 * c[2] && c[0] <= c[1] * factor;
}

static double estimate(const newton_point *point)
{
    const double most = 0.95, q = point->correction[1] > 0.0 ? fmin(ratio(point, 0), most) : 0.5;
    return point->moved * q / (1.0 - q) + point->noise;
}

/* True if no further step is needed, or if none would help. */
static bool arrived(const newton_problem *problem, newton_point *point)
{
    const newton_settings *settings = problem->settings;
    if (point->moved <= fmax(settings->tolerance, point->noise))
        return true;
    if (point->correction[1] > 0.0 && ratio(point, 0) <= fast && point->error <= settings->wanted)
        return true;
    /* If the noise is larger than estimated, the corrections show its size. */
    if (point->moved <= 100.0 * point->noise && ratio(point, 0) >= 0.9 && point->correction[1] > 0.0) {
        point->error = 2.0 * point->moved;
        return true;
    }
    return false;
}

void newton_judge(const newton_problem *problem, newton_point *point, double size_now)
{
    point->steps++;
    if (!isfinite(size_now)) {
        end(point, PLUMB_NEWTON_NONFINITE);
        return;
    }
    const double size = size_of(problem, point, size_now), before = point->moved;
    point->moved = size > 0.0 ? point->correction[0] / size : 0.0;
    point->error = estimate(point);
    look_for_squares(problem, point, size);
    const bool is_fast = point->correction[1] > 0.0 && ratio(point, 0) <= fast &&
                         (point->correction[2] <= 0.0 || ratio(point, 1) <= fast_before);
    if (arrived(problem, point)) {
        const bool vague = point->noise * point->condition > 0.05 && !is_fast;
        end(point, vague ? PLUMB_NEWTON_SLOW : PLUMB_NEWTON_CONVERGED);
    } else if (point->steps >= problem->settings->most_steps) {
        const bool shrinks = point->correction[1] > 0.0 && ratio(point, 0) < 1.0 && ratio(point, 1) <= 1.0 &&
                             point->correction[0] < 0.1 * fmax(size_now, point->first_size);
        end(point, shrinks ? PLUMB_NEWTON_SLOW : PLUMB_NEWTON_DIVERGED);
    } else if (before < 1e-3 && ratio(point, 0) > 0.1 && point->moved > 10.0 * point->noise) {
        (void)raise_jacobian(problem, point); /* this close to the root, corrections should decrease faster */
    }
}
