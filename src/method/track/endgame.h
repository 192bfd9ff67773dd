/* endgame.h - the Cauchy endgame, for endpoints that steps do not reach: circles around tau = 0, and what they show
 * about the endpoint. */
#ifndef PLUMB_METHOD_TRACK_ENDGAME_H
#define PLUMB_METHOD_TRACK_ENDGAME_H

#include "method/track/trials.h"

/* Near its end a path is a power series in tau^(1/c), where c is the winding number: it returns to its starting point
 * after c turns around 0, and the mean of its points on the circle is the endpoint. With N vertices per turn, the
 * error of the mean consists of the terms of degree N, 2N, ... in tau, about (r / rho)^N, where rho is the distance
 * to the nearest other singularity. The mean with alternating signs is the term of degree N/2, which shows how fast
 * the terms decrease. A circle that encloses other singularities may close too and have a mean, even one that does
 * not change when the circle shrinks. The mean is therefore accepted only if it satisfies the target system. */

TRACK_FN double track_least_radius(int32_t prec) { return prec == 1 ? TRACK_LEAST_CIRCLE_D : TRACK_LEAST_CIRCLE; }

/* True if the path tends to a finite endpoint that is singular, or if the precision will soon be exhausted. Circles do
 * not help a path that seems to go to infinity: their means are not distinguished from infinity. */
TRACK_CALL int32_t track_needs_endgame(const track_settings *s, track_path *p)
{
    double left = track_tau_abs(p->points.at[p->points.newest]);
    if (!s->endgame || s->moving == TRACK_RATES || !p->course.zone || left > TRACK_CIRCLE_ZONE ||
        left > p->circle.resume || p->circle.begun >= TRACK_CIRCLES ||
        left < TRACK_CIRCLE_ROOM * track_least_radius(s->most_prec) || p->limit.kind == TRACK_LIMIT_ZERO ||
        p->limit.kind == TRACK_LIMIT_FALLS)
        return 0;
    if (track_exposure(p, s->most_prec) > TRACK_LATE)
        return 1;
    if (p->limit.kind != TRACK_LIMIT_FINITE)
        return 0;
    if (left <= TRACK_CIRCLE_SURE) /* jumps have failed all the way */
        return 1;
    if (p->control.step < TRACK_CIRCLE_STEP)
        return 0;
    double grown = track_c_log(track_c_of(p->samples.condition[0] / p->samples.condition[2] - 1.0, 0.0)).re;
    double fallen = track_c_log(track_c_of(p->samples.tau[2] / p->samples.tau[0] - 1.0, 0.0)).re;
    return grown > TRACK_GROWTH * fallen;
}

/* Moves inward to a circle of this radius, a power of two. */
TRACK_CALL int32_t track_go_in(const track_settings *s, track_path *p, double radius)
{
    if (p->circle.begun >= TRACK_CIRCLES || radius < track_least_radius(p->precision.now))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    p->course.leg = TRACK_IN;
    p->circle.radius = radius;
    track_tau_set(p->course.target, radius);
    return track_next_trial(p);
}

TRACK_CALL int32_t track_to_vertex(track_path *p)
{
    track_corner(p->course.target, p->circle.radius,
                 (p->circle.vertex + 1) % p->circle.vertices * (TRACK_CORNERS / p->circle.vertices));
    return track_next_trial(p);
}

TRACK_FN int32_t track_begin_circle(const track_settings *s, track_path *p)
{
    p->course.leg = TRACK_ROUND;
    p->circle.begun++;
    p->circle.vertex = 0;
    p->circle.vertices = 8 * track_goal(s);
    p->circle.extent = 0.0;
    p->circle.first_accuracy = p->points.plain_accuracy;
    p->circle.first_condition = p->corrector.plain_condition;
    return TRACK_DO_CIRCLE;
}

/* p->points.apart is the distance of the newest vertex from the first point of the circle. */
TRACK_CALL int32_t track_at_vertex(const track_settings *s, track_path *p)
{
    p->circle.extent = p->points.apart > p->circle.extent ? p->points.apart : p->circle.extent;
    if (p->circle.vertex % p->circle.vertices != 0)
        return track_to_vertex(p);
    double blur = TRACK_CLOSES * (p->points.plain_accuracy + p->circle.first_accuracy) * p->scale.size +
                  (p->precision.now == 1 ? TRACK_CLOSES_D : TRACK_CLOSES_SHARE) * p->circle.extent;
    if (p->points.apart <= blur) {
        if (blur <= TRACK_RESOLVED * p->circle.extent || p->circle.extent <= blur)
            return TRACK_DO_MEAN;
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED); /* other branches may be as close as the noise */
    }
    if (p->circle.vertex < s->most_winding * p->circle.vertices)
        return track_to_vertex(p);
    return track_leave_circle(p);
}

/* Called when the circle is closed. size is the norm of the mean, alternate that of the mean with alternating signs,
 * and change the distance from the mean of the previous circle. Terms of degree N/2 may vanish by symmetry, so a
 * second circle must confirm the first. */
TRACK_CALL int32_t track_closed(const track_settings *s, track_path *p, double size, double alternate, double change)
{
    size = size > p->circle.extent ? size : p->circle.extent; /* the mean may be the origin */
    /* The points are accurate up to their noise, and tau at the vertices up to 10^-32. */
    double noise =
        p->circle.first_accuracy > p->points.plain_accuracy ? p->circle.first_accuracy : p->points.plain_accuracy;
    double floor =
        TRACK_MEAN_NOISE * noise + track_noise(track_aim(s, p)) + TRACK_CORNER_ERROR * p->circle.extent / size;
    double off = p->circle.extent > 0.0 ? alternate / p->circle.extent * alternate / size : 0.0;
    int32_t winding = p->circle.vertex / p->circle.vertices,
            confirmed = winding == p->mean.winding && p->mean.error >= 0.0;
    if (confirmed) {
        for (int32_t k = 0; k < p->circle.vertices; k++)
            change *= p->circle.radius / p->mean.radius;
        off = change / size > off ? change / size : off;
    }
    p->mean.winding = winding;
    p->mean.radius = p->circle.radius;
    p->mean.error = off + floor;
    p->mean.settled =
        confirmed && (off <= TRACK_MEAN_SETTLED * floor || (p->circle.begun > TRACK_CIRCLES_ENOUGH &&
                                                            !p->circle.doubted && p->mean.error <= track_tolerance(s)));
    p->mean.inward = 1.0; /* chosen so that the error of the next mean, by its order, is below the noise */
    do {
        p->mean.inward *= 0.5;
        for (int32_t k = 0; k < p->circle.vertices; k++)
            off *= 0.5;
    } while (off > TRACK_INWARD_TARGET * floor && p->mean.inward > TRACK_MOST_INWARD);
    track_new_trial(p, TRACK_VERIFIES, 1);
    track_tau_set(p->trial.tau, 0.0);
    return TRACK_DO_LOOK;
}

/* The endpoint seems to be regular. Since other singularities may lie inside the circle, and its mean may then belong
 * to another path, the path continues from the circle by steps. */
TRACK_CALL int32_t track_walk_on(track_path *p)
{
    track_walk_from(p);
    p->mean.winding = 0;
    return track_next_trial(p);
}

/* ---- The ray --------------------------------------------------------------------------------------------------------- */

/* A circle around several simple roots looks like one around a multiple root as long as the precision does not resolve
 * them, so the highest precision has the last word. Circles take many ticks, so it is first asked on the way inward: with the
 * winding number c of the circle, x is a power series in u = tau^(1/c), and the polynomial of degree 5 in u through three
 * points and their slopes tends to the endpoint like the product of the squares of u at these points. At stations where u
 * is divided by powers of two its weights are known to all digits. The endpoint is confirmed if the limits from two
 * times three stations agree with each other and with the mean of the circle, and the last one satisfies the target system
 * as the mean has to do. Close roots do not agree with it: where tau^(1/c) comes near their distance, the path is no such
 * series. Whatever is not confirmed is left to a circle in the highest precision. */

TRACK_CALL int32_t track_begin_ray(track_path *p)
{
    p->ray.state = TRACK_ON_RAY;
    p->ray.stations = 0;
    p->predictor.power = p->mean.winding < TRACK_PREDICTORS ? p->mean.winding : 0;
    p->ray.circle_error = p->mean.error;
    p->circle.doubted = 1;
    p->course.leg = TRACK_IN;
    return track_next_trial(p);
}

/* Continues on the ray from an accepted point; there: it is a station. The first steps are made in the precision of the
 * circle, until they are as long as the stations are apart. */
TRACK_CALL int32_t track_go_on_ray(const track_settings *s, track_path *p, int32_t there)
{
    if (there && p->precision.now < s->most_prec && p->control.step >= TRACK_LOG_2 * p->mean.winding)
        return track_enlarge_to(p, s->most_prec);
    if (p->precision.now == s->most_prec) {
        p->ray.stations = there ? p->ray.stations + 1 : p->trial.phase == TRACK_STEPS ? 0 : p->ray.stations;
        if (there && p->ray.stations >= TRACK_HISTORY)
            return TRACK_DO_APPROACH;
    }
    return track_next_trial(p);
}

/* Called with the limit of the ray: its size, the change since the last one, its distance from the mean of the circle, and the
 * ratio of u at the newest station to u at the oldest one that it was computed from. */
TRACK_CALL int32_t track_approached(const track_settings *s, track_path *p, double size, double change, double apart,
                                    double ratio)
{
    size = size > p->circle.extent ? size : p->circle.extent; /* the limit may be the origin */
    if (p->ray.stations == TRACK_HISTORY)
        return track_next_trial(p);
    const double floor = TRACK_MEAN_NOISE * p->points.plain_accuracy + TRACK_CORNER_ERROR,
                 off = change / size * ratio * ratio;
    if (!(off <= TRACK_RAY_SETTLED * floor))
        return p->ray.stations < TRACK_STATIONS ? track_next_trial(p) : track_leave_ray(s, p);
    if (!(apart / size <= TRACK_ASTRAY * p->ray.circle_error))
        return track_leave_ray(s, p);
    p->ray.error = off + floor;
    p->circle.first_condition = p->corrector.plain_condition;
    track_new_trial(p, TRACK_VERIFIES, 1);
    track_tau_set(p->trial.tau, 0.0);
    return TRACK_DO_LOOK;
}

/* ---- The verdict ------------------------------------------------------------------------------------------------------- */

/* At a distance e from a multiple root, a step of Newton's method is about as long as e; the noise adds to it. In the
 * middle of simple roots at a distance d, where the Jacobian is nearly singular but h is not zero, it is much longer than
 * d. */
TRACK_FN int32_t track_is_lengthy(const track_path *p, double error)
{
    return !(p->corrector.plain_last <= TRACK_LENGTHY * error + TRACK_UNSURE * p->corrector.excess *
                                                                    track_noise(p->precision.now) *
                                                                    p->corrector.plain_condition);
}

/* True if an endpoint with this error is not distinguished from infinity, where circles prove nothing. */
TRACK_FN int32_t track_is_far(const track_settings *s, const track_path *p, double error)
{
    return s->projective && p->lead.finite <= TRACK_FINITE * error + 1.0 / s->largest;
}

/* The endpoint is the mean, or the limit of the ray; beside: X is not. */
TRACK_FN int32_t track_end_singular(track_path *p, int32_t beside)
{
    track_end(p, PLUMB_PATH_SINGULAR);
    return beside ? TRACK_DO_LOOK : TRACK_DO_NOTHING;
}

/* Decides after a tick at the limit of the ray. */
TRACK_FN int32_t track_verify_ray(const track_settings *s, track_path *p, int32_t regular, int32_t beside)
{
    const double error = p->ray.error;
    if (regular || !(p->terms.backward <= error) || track_is_lengthy(p, error) || track_is_far(s, p, error))
        return track_leave_ray(s, p);
    p->verdict.error = error;
    return track_end_singular(p, beside);
}

/* At a singular point the inverse Jacobian is noise, which may look small. Whether it is as large as on the circle is therefore
 * asked again beside the point, a thousand times nearer to it than the newest point: at a regular root it is the same there,
 * and at a singular one it is larger by that ratio at least. */
TRACK_CALL int32_t track_look_beside(track_path *p)
{
    p->beside.is_there = 1;
    p->beside.backward = p->terms.backward;
    p->beside.plain_last = p->corrector.plain_last;
    p->beside.finite = p->lead.finite;
    track_new_trial(p, TRACK_VERIFIES, 1);
    return TRACK_DO_BESIDE;
}

/* Decides after a tick at the mean; dx has not been added. The mean belongs to a regular root if the inverse Jacobian
 * there is about as large as on the circle; at a singular root it is larger by the ratio of the circle to the error. */
TRACK_CALL int32_t track_verify(const track_settings *s, track_path *p, int32_t solved)
{
    double error = p->mean.error;
    int32_t regular = solved && p->corrector.plain_condition <= TRACK_STRAY * p->circle.first_condition;
    const int32_t beside = p->beside.is_there;
    if (regular && !beside)
        return track_look_beside(p);
    if (beside) {
        p->beside.is_there = 0;
        p->terms.backward = p->beside.backward;
        p->corrector.plain_last = p->beside.plain_last;
        p->lead.finite = p->beside.finite;
    }
    if (p->ray.state == TRACK_ON_RAY)
        return track_verify_ray(s, p, regular, beside);
    p->verdict.error = error;
    /* After one turn the endpoint is usually regular, and steps will find it. */
    if (regular && p->mean.winding == 1 && p->terms.backward <= error)
        return track_walk_on(p);
    if (!(p->terms.backward <= TRACK_ASTRAY * error)) { /* far from a root: probably the mean of several roots */
        p->circle.open++;
        return track_walk_on(p);
    }
    if (!p->mean.settled)
        return track_go_in(s, p, p->mean.inward * p->circle.radius);
    if (regular) { /* a regular root has winding number 1: again the mean of several roots */
        p->circle.open++;
        return track_walk_on(p);
    }
    if (!(p->terms.backward <= error))
        return track_go_in(s, p, TRACK_CIRCLE_SMALLER * p->circle.radius);
    if (track_is_lengthy(p, error) || track_is_far(s, p, error)) {
        p->circle.open++;
        return track_walk_on(p);
    }
    if (p->precision.now < s->most_prec)
        return p->ray.state == TRACK_NO_RAY ? track_begin_ray(p) : track_circle_again(s, p);
    return track_end_singular(p, beside);
}

#endif
