/* decide.c - decisions after a Newton step: has the point converged, what is its error, does the Jacobian need a
 * higher precision?
 *
 * Rounding an equation causes errors of about degree * u times its terms. Their effect on x is the solution of J w =
 * r with r of the size of the terms: condition = |w| / |x|, and noise = degree * u * condition is the attainable
 * accuracy of x. A point has converged if its correction is as small as that (or within the tolerance). The remaining
 * error is the noise plus the corrections to come:
 * - If corrections decrease by a factor q, their sum is q / (1 - q) times the last. The last two corrections show q for
 *   each unknown, and the largest counts, because some converge later than others; but never less than degree * u_J *
 *   condition: with a Jacobian of precision u_J a smaller ratio is luck. So is a small correction of a large unknown
 *   that depends on others: the last correction counts as the one for values of the same size in random directions.
 * - The correction itself is wrong by what errors of the Jacobian, and of the solver, do to it. These are known for
 *   each equation: the terms of J dx times u_J, and what is left of f - J dx (round.c).
 * - For an unknown whose correction is smaller than its error by the Jacobian, the Jacobian is noise, and needs a higher
 *   precision before the point can have converged; unless the unknown is zero, as far as can be told.
 *
 * Small corrections are not enough: at a root of multiplicity k they decrease by (k - 1) / k until noise dominates.
 * There noise * condition is about 1 or larger, because an error of the size of the noise changes the Jacobian by as
 * much as its smallest singular value; in this precision the root cannot be distinguished from a cluster of roots,
 * and the condition number counts as infinite. Such a point is slow unless its corrections decreased fast while they
 * were larger than the noise. See Tisseur, Newton's method in floating point arithmetic, 2001, for the accuracy that
 * is attainable with Jacobians of a lower precision: it is that of the residual, as long as u_J * condition is well
 * below 1.
 *
 * Everything is relative to x itself. A root at zero has no relative error: if zero is a root, because no equation
 * has a constant term, and a step leaves next to nothing of x, the point becomes zero.
 *
 * On overdetermined systems with a nonzero residual at the root, the Gauss-Newton method converges linearly, which is
 * not a failure. These points have converged when corrections are small, like others. An error e of the Jacobian
 * shifts the limit by about condition^2 * e times the residual relative to the terms, so the Jacobian must have the
 * precision of x there. */
#include <math.h>

#include "base/number/precision.h"
#include "method/lsq/error.h"
#include "solver/newton/newton.h"

/* Errors of a Jacobian up to this share of the correction cost no further step. */
static const double jacobian_share = 1e-3;

/* Corrections decrease fast if they do so by this factor; where there are only two, by the second one. */
static const double fast = 0.25, fast_alone = 0.01;

/* Where the root cannot be distinguished from a cluster, the error is a multiple of correction and noise: the multiplicity. */
static const double vague_factor = 16.0;

/* A correction with a larger relative error than this says nothing; unless the unknown is below this share of the largest one, and
 * perhaps zero, the Jacobian then needs a higher precision. */
static const double most_uncertain = 0.1, small_unknown = 1e-8;

/* Near a simple root, responses of successive solves differ by less than this factor. */
static const double most_change = 1.25;

/* A step that leaves less than this share of x leads to the root zero, if that is one. */
static const double next_to_nothing = 1e-3;

double newton_rounding(const newton_problem *problem, int32_t prec)
{
    return 2.0 * (problem->degree + 4.0) * precision_unit(prec);
}

static void end(newton_point *point, plumb_newton_code code)
{
    point->active = false;
    point->code = (int32_t)code;
    if (code == PLUMB_NEWTON_SLOW)
        point->error = fmax(point->error, point->moved);
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

/* The relative error of entry k of a correction by a Jacobian of this precision: as for x as a whole, but relative to its own size. */
static double uncertainty(const newton_problem *problem, int32_t prec, const newton_solve *solve, int64_t k)
{
    const double response = solve->now[solve->unknowns + k], size = solve->now[2 * solve->unknowns + k];
    return response > 0.0 ? newton_rounding(problem, prec) * response / size : 0.0;
}

/* True if unknown k cannot be distinguished from zero: it is below the noise of x as a whole, the solve determines none of its digits, and
 * its correction leaves next to nothing of it. Errors are relative to x as a whole, so that such an unknown has no part in them. One
 * that stays where it is may be small and yet matter to others, by a large coefficient. */
static bool is_zero(const newton_problem *problem, const newton_point *point, const newton_solve *solve, int64_t k)
{
    const double noise = newton_rounding(problem, problem->prec) * (solve->response + solve->size), now = solve->now[k],
                 size = solve->now[2 * solve->unknowns + k];
    return fmax(now, size) <= noise && now >= 0.1 * size &&
           uncertainty(problem, point->jacobian_prec, solve, k) > most_uncertain;
}

/* True if the Jacobian is noise for an unknown that is not small, however large others are. */
static bool is_noise(const newton_problem *problem, const newton_point *point, const newton_solve *solve, double size)
{
    for (int64_t k = 0; k < solve->unknowns; k++)
        if (solve->now[2 * solve->unknowns + k] > small_unknown * size &&
            uncertainty(problem, point->jacobian_prec, solve, k) > most_uncertain)
            return true;
    return false;
}

/* True if two responses are those of similar Jacobians. If not, the ratio of the corrections is luck, or the root is a multiple one. */
static bool is_like(double response, double before)
{
    return response <= most_change * before && before <= most_change * response;
}

/* Estimates the corrections to come, as described above. Entries that are noise do not count. */
static void look_ahead(const newton_problem *problem, newton_point *point, const newton_solve *solve)
{
    const double most = 0.95, unknown = 0.9, half = 0.5;
    const bool first = !(point->correction[0] > 0.0);
    bool early = !(point->correction[1] > 0.0); /* the ratio of the first two corrections is luck */
    double slowest = 0.0, last = 0.0;
    point->moved_each = 0.0;
    point->uncertain = false;
    point->ahead = solve->lapse + solve->rest;
    for (int64_t k = 0; k < solve->unknowns; k++) {
        const double now = solve->now[k], before = first ? 0.0 : solve->before[k],
                     size = solve->now[2 * solve->unknowns + k],
                     noise = newton_rounding(problem, problem->prec) * (solve->now[solve->unknowns + k] + size);
        const double own = uncertainty(problem, point->jacobian_prec, solve, k), least = fmax(point->contraction, own);
        if (now > 0.0)
            point->moved_each = fmax(point->moved_each, now / size);
        if (own > most_uncertain) { /* the correction says nothing */
            const bool small = size <= 100.0 * noise || is_zero(problem, point, solve, k);
            point->uncertain = point->uncertain || !small;
            point->ahead = fmax(point->ahead, small ? fmax(size, vague_factor * (now + noise)) : solve->size);
        }
        if (now > noise) {
            const double q = before > 0.0 ? fmin(fmax(now / before, least), most) : unknown;
            slowest = fmax(slowest, q);
            early = early || !is_like(solve->now[solve->unknowns + k] / size, solve->before[solve->unknowns + k]);
        }
    }
    for (int64_t k = 0; k < solve->unknowns; k++) {
        last = fmax(last, fmax(solve->now[k], solve->now[3 * solve->unknowns + k]));
        solve->before[k] = solve->now[k];
        solve->before[solve->unknowns + k] = solve->now[solve->unknowns + k] / solve->now[2 * solve->unknowns + k];
    }
    if (early && slowest > 0.0)
        slowest = fmax(slowest, half);
    point->slowest = slowest;
    point->ahead = fmax(point->ahead, 2.0 * last * slowest / (1.0 - slowest));
    /* While a correction moves equations as a whole, its size shows nothing. */
    if (solve->share > 0.1 && solve->correction > 1e-3 * solve->size)
        point->ahead = fmax(point->ahead, solve->size);
    if (solve->poor || point->contraction > most_uncertain)
        point->ahead = fmax(point->ahead, solve->size);
}

bool newton_accept(const newton_problem *problem, newton_point *point, const newton_solve *solve)
{
    point->residual = solve->residual;
    if (solve->info < 0 || !isfinite(solve->residual)) {
        end(point, PLUMB_NEWTON_NONFINITE);
        return false;
    }
    if (solve->info > 0 || !isfinite(solve->response)) {
        if (!raise_jacobian(problem, point)) {
            point->condition = (double)INFINITY;
            end(point, PLUMB_NEWTON_SINGULAR);
        }
        return false;
    }
    /* From x = 0 the correction is the new x. */
    const double size = solve->size > 0.0 ? solve->size : solve->correction, u = precision_unit(problem->prec);
    point->size = solve->size;
    point->condition = size > 0.0 ? solve->response / size : 1.0;
    const double lost = newton_rounding(problem, point->jacobian_prec) * point->condition;
    point->contraction = fmax(lost, newton_rounding(problem, point->jacobian_prec) * solve->factor);
    if ((point->contraction > jacobian_share || solve->poor || is_noise(problem, point, solve, size)) &&
        raise_jacobian(problem, point))
        return false;
    point->noise = 4.0 * u + newton_rounding(problem, problem->prec) * point->condition +
                   solve->underflow * fmax(point->condition, 1.0);
    if (problem->overdetermined && solve->left > 0.0) {
        const double shift = lost * point->condition * solve->left / solve->terms;
        if (shift > point->noise && solve->correction <= 10.0 * shift * size && raise_jacobian(problem, point))
            return false;
        point->noise += shift;
    }
    look_ahead(problem, point, solve);
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
        factor = fmax(factor, newton_rounding(problem, point->jacobian_prec) * point->condition);
    if (c[1] * factor > point->noise * size)
        point->quadratic = c[0] < 0.1 * size && c[1] < 0.5 * c[2] && c[0] <= c[1] * factor;
}

/* True if rounding changes the Jacobian by as much as its smallest singular value. */
static bool is_vague(const newton_point *point)
{
    return !(point->noise * point->condition <= 0.05); /* a NaN included: terms that vanish by underflow */
}

/* True if the corrections decreased fast while they were larger than the noise. */
static bool was_fast(const newton_point *point, double size)
{
    if (point->correction[2] > 0.0)
        return point->quadratic;
    return point->correction[1] > 10.0 * point->noise * size && ratio(point, 0) <= fast_alone;
}

/* True if no further step is needed, or if none would help. */
static bool arrived(const newton_problem *problem, newton_point *point)
{
    const newton_settings *settings = problem->settings;
    /* If the first correction is as large as an unknown, that may be on its way to zero, which the next one shows. */
    if (!(point->correction[1] > 0.0) && point->correction[0] > 0.0 && point->moved_each > 0.5 &&
        point->ahead > point->size && point->steps < settings->most_steps)
        return false;
    if (point->moved <= fmax(settings->tolerance, point->noise))
        return true;
    if (point->correction[1] > 0.0 && ratio(point, 0) <= fast && point->error <= settings->wanted)
        return true;
    /* If the noise is larger than estimated, the corrections show its size. */
    return point->moved <= 100.0 * point->noise && ratio(point, 0) >= 0.9 && point->correction[1] > 0.0;
}

void newton_judge(const newton_problem *problem, newton_point *point, double size_now)
{
    point->steps++;
    if (!isfinite(size_now)) {
        end(point, PLUMB_NEWTON_NONFINITE);
        return;
    }
    const double before = point->moved, size = size_now > 0.0 ? size_now : point->correction[0];
    if (problem->zero_is_root && size_now <= next_to_nothing * point->size &&
        size_now <= precision_unit(problem->prec) * point->first_size) {
        point->at_zero = true;
        point->moved = 0.0;
        point->error = precision_unit(problem->prec);
        end(point, PLUMB_NEWTON_CONVERGED);
        return;
    }
    if (size > 0.0 && size < point->size) { /* the condition number was relative to a larger x */
        point->condition *= point->size / size;
        point->contraction *= point->size / size;
        point->noise *= point->size / size;
    }
    /* What is left of x after it was nearly cancelled, or is near the smallest double, has fewer digits. */
    if (size > 0.0)
        point->noise += 0x1p-1072 / size;
    point->moved = size > 0.0 ? point->correction[0] / size : 0.0;
    point->error = (size > 0.0 ? point->ahead / size : 0.0) + point->noise;
    look_for_squares(problem, point, size);
    if (arrived(problem, point)) {
        if (point->uncertain && point->steps < problem->settings->most_steps && raise_jacobian(problem, point))
            return;
        const bool vague = is_vague(point) && !was_fast(point, size);
        if (is_vague(point))
            point->error = fmax(point->error, vague_factor * (point->moved + point->noise));
        if (vague)
            point->condition = (double)INFINITY;
        end(point, vague ? PLUMB_NEWTON_SLOW : PLUMB_NEWTON_CONVERGED);
    } else if (point->steps >= problem->settings->most_steps) {
        const bool shrinks = point->correction[1] > 0.0 && ratio(point, 0) < 1.0 && ratio(point, 1) <= 1.0 &&
                             point->correction[0] < 0.1 * fmax(size_now, point->first_size);
        if (is_vague(point)) {
            point->error = fmax(point->error, vague_factor * (point->moved + point->noise));
            point->condition = (double)INFINITY;
        }
        end(point, shrinks ? PLUMB_NEWTON_SLOW : PLUMB_NEWTON_DIVERGED);
    } else if (before < 1e-3 && ratio(point, 0) > 0.1 && point->moved > 10.0 * point->noise) {
        (void)raise_jacobian(problem, point); /* this close to the root, corrections should decrease faster */
    }
}
