/* endgame.h - the Cauchy endgame, for endpoints that steps do not reach: circles around tau = 0, and what they tell
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
enum { TRACK_CIRCLES = 14 };
/* An endpoint is regular if condition times error is below the first value (two circles) or the second (one circle);
 * at singular endpoints it is about 1 or more. */
#define TRACK_REGULAR 1e-2
#define TRACK_PLAIN 1e-6
#define TRACK_ASTRAY 1e3    /* ratio of residual to error of a mean above which no root is near */
#define TRACK_STRAY 1e2     /* growth of the condition on a circle above which it leads elsewhere */
#define TRACK_STEEP 1e8     /* condition times size of a circle above which it may enclose several close roots */
#define TRACK_INFINITE 1e-8 /* |x_0| / |x| below which a singular endpoint counts as infinite */

TRACK_FN double track_least_radius(const track_path *p) { return p->prec == 1 ? 0x1p-45 : 0x1p-90; }

/* True if the path is near its end and has not reached it by a few steps, as it would if the endpoint were regular.
 * The endgame starts earlier if the precision will soon be exhausted. */
TRACK_FN int32_t track_needs_endgame(const track_settings *s, track_path *p)
{
    double left = track_tau_abs(p->at[p->newest]);
    if (!s->endgame || left > TRACK_ENDGAME_ZONE || left > p->resume || p->circles >= TRACK_CIRCLES ||
        left < 4.0 * track_least_radius(p))
        return 0;
    p->cuts++;
    return p->cuts >= TRACK_CUTS && (left <= TRACK_ENDGAME || track_exposure(p, s->most_prec) > TRACK_EARLY);
}

/* Moves inward to a circle of this radius, a power of two. */
TRACK_FN int32_t track_go_in(const track_settings *s, track_path *p, double radius)
{
    if (p->circles >= TRACK_CIRCLES || radius < track_least_radius(p))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    p->leg = TRACK_IN;
    p->radius = radius;
    track_tau_set(p->target, radius);
    return track_next_trial(p);
}

TRACK_FN int32_t track_to_vertex(track_path *p)
{
    track_corner(p->target, p->radius, (p->vertex + 1) % p->vertices * (TRACK_CORNERS / p->vertices));
    return track_next_trial(p);
}

TRACK_FN int32_t track_begin_circle(const track_settings *s, track_path *p)
{
    p->grown = p->circles > 0 && p->size > 1.25 * p->loop_size ? p->grown + 1 : 0;
    p->loop_size = p->size;
    if (!s->projective && p->grown > 3)
        return track_end(p, PLUMB_PATH_AT_INFINITY);
    p->leg = TRACK_ROUND;
    p->circles++;
    p->vertex = 0;
    p->vertices = 8 * track_goal(s);
    p->extent = 0.0;
    p->loop_accuracy = p->accuracy;
    p->loop_condition = p->condition;
    return TRACK_DO_CIRCLE;
}

/* p->apart is the distance of the newest vertex from the first point of the circle. */
TRACK_FN int32_t track_at_vertex(const track_settings *s, track_path *p)
{
    p->extent = p->apart > p->extent ? p->apart : p->extent;
    if (p->vertex % p->vertices != 0)
        return track_to_vertex(p);
    double blur = 64.0 * (p->accuracy + p->loop_accuracy) * p->size + (p->prec == 1 ? 1e-6 : 1e-9) * p->extent;
    if (p->apart <= blur) {
        if (blur <= 1e-2 * p->extent || p->extent <= blur)
            return TRACK_DO_MEAN;
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED); /* other branches may be as close as the noise */
    }
    if (p->vertex < s->most_winding * p->vertices)
        return track_to_vertex(p);
    /* The circle did not close after the maximum number of turns, as happens if the solution set at infinity has
     * positive dimension. A much smaller circle may close; but if x_0 clearly tends to zero, the path goes to
     * infinity. */
    if (track_vanishes(p, TRACK_CLEARLY, TRACK_CLEARLY_SLACK)) {
        p->error = p->mark_finite;
        track_end(p, PLUMB_PATH_AT_INFINITY);
        return TRACK_DO_RESTORE;
    }
    return track_leave_circle(p);
}

/* Called when the circle is closed. size is the norm of the mean, alternate that of the mean with alternating signs,
 * and change the distance from the mean of the previous circle. Terms of degree N/2 may vanish by symmetry, so a
 * second circle must confirm the first. */
TRACK_FN int32_t track_closed(const track_settings *s, track_path *p, double size, double alternate, double change)
{
    size = size > p->extent ? size : p->extent; /* the mean may be the origin */
    /* The points are accurate up to their noise, and tau at the vertices up to 10^-32. */
    double noise = p->loop_accuracy > p->accuracy ? p->loop_accuracy : p->accuracy;
    double floor = 2.0 * noise + track_noise(track_aim(s, p)) + 1e-31 * p->extent / size;
    double off = p->extent > 0.0 ? alternate / p->extent * alternate / size : 0.0;
    int32_t winding = p->vertex / p->vertices, confirmed = winding == p->winding && p->mean_error >= 0.0;
    if (confirmed) {
        for (int32_t k = 0; k < p->vertices; k++)
            change *= p->radius / p->mean_radius;
        off = change / size > off ? change / size : off;
    }
    p->winding = winding;
    p->mean_radius = p->radius;
    p->mean_error = off + floor;
    p->settled =
        confirmed && (off <= 4.0 * floor || (p->circles > 6 && !p->doubted && p->mean_error <= track_tolerance(s)));
    p->inward = 1.0; /* chosen so that the error of the next mean, by its order, is below the noise */
    do {
        p->inward *= 0.5;
        for (int32_t k = 0; k < p->vertices; k++)
            off *= 0.5;
    } while (off > 2.0 * floor && p->inward > 0.05);
    track_new_trial(p, TRACK_VERIFIES, 1);
    track_tau_set(p->tau, 0.0);
    return TRACK_DO_LOOK;
}

/* The endpoint seems to be regular. Since other singularities may lie inside the circle, and its mean may then belong
 * to another path, the path continues from the circle by steps. */
TRACK_FN int32_t track_walk_on(track_path *p)
{
    track_walk_from(p);
    p->winding = 0;
    p->step = p->radius;
    return track_next_trial(p);
}

/* Decides after a tick at the mean; dx has not been added. A mean with this error belongs to a regular root if the
 * Jacobian is far from singular relative to such a perturbation. */
TRACK_FN int32_t track_verify(const track_settings *s, track_path *p, int32_t solved)
{
    double error = p->mean_error, hazard = solved ? p->condition * error : (double)INFINITY;
    p->error = error;
    /* After one turn the endpoint is usually regular, and steps will find it. */
    if ((p->settled ? hazard < TRACK_REGULAR : hazard <= TRACK_PLAIN) && p->winding == 1 && p->backward <= error)
        return track_walk_on(p);
    if (!(p->backward <= TRACK_ASTRAY * error)) { /* far from a root: probably the mean of several roots */
        p->open++;
        return track_walk_on(p);
    }
    if (!p->settled)
        return track_go_in(s, p, p->inward * p->radius);
    if (hazard < TRACK_REGULAR) { /* a regular root has winding number 1: again the mean of several roots */
        p->open++;
        return track_walk_on(p);
    }
    if (!(p->backward <= error))
        return track_go_in(s, p, 0.25 * p->radius);
    double zero = 100.0 * error > TRACK_INFINITE ? 100.0 * error : TRACK_INFINITE;
    int32_t infinite = s->projective && p->lead <= zero * p->size;
    /* With one turn and a large condition the endpoint may still be a simple root, and with a condition much larger
     * than the circle is small it may be the centre of several roots. A singular endpoint differs from these in that
     * no precision resolves it. */
    int32_t steep = p->loop_condition * p->extent > TRACK_STEEP * p->size;
    int32_t doubtful = !infinite && (p->winding == 1 || steep), again = doubtful && !p->doubted;
    if (hazard < 1.0 || !(error <= track_tolerance(s)) || doubtful) {
        p->doubted |= doubtful;
        int32_t action = track_enlarge(s, p);
        if (action)
            return action;
    }
    if (again)
        return track_go_in(s, p, 0.25 * p->radius);
    if (doubtful && hazard < 1.0)
        return track_walk_on(p);
    return track_end(p, infinite ? PLUMB_PATH_AT_INFINITY : PLUMB_PATH_SINGULAR);
}

#endif
