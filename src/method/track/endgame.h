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
#define TRACK_ASTRAY 1e3       /* ratio of residual to error of a mean above which no root is near */
#define TRACK_LENGTHY 1e2      /* ratio of a Newton step at a mean to its error above which the root is not multiple */
#define TRACK_UNSURE 8.0       /* noise of that step, in units of the noise of h */
#define TRACK_STRAY 1e2        /* growth of the condition on a circle above which it leads elsewhere */
#define TRACK_GROWTH .1        /* the condition grows at least like this power of 1 / tau at singular endpoints */
#define TRACK_CIRCLE_ZONE 1e-3 /* the largest circle */
#define TRACK_CIRCLE_SURE 1e-7 /* |tau| of a path to a finite endpoint below which circles begin in any case */
#define TRACK_CIRCLE_STEP 1.0  /* steps in log(tau) that are shorter show that another singularity is near */
#define TRACK_LATE 1e-6        /* exposure of the highest precision above which circles begin in any case */

TRACK_FN double track_least_radius(int32_t prec) { return prec == 1 ? 0x1p-45 : TRACK_LEAST_CIRCLE; }

/* True if the path tends to a finite endpoint that is singular, or if the precision will soon be exhausted. Circles do
 * not help a path that seems to go to infinity: their means are not distinguished from infinity. */
TRACK_CALL int32_t track_needs_endgame(const track_settings *s, track_path *p)
{
    double left = track_tau_abs(p->at[p->newest]);
    if (!s->endgame || s->moving || !p->zone || left > TRACK_CIRCLE_ZONE || left > p->resume ||
        p->circles >= TRACK_CIRCLES || left < 4.0 * track_least_radius(s->most_prec) || p->limit == TRACK_LIMIT_ZERO ||
        p->limit == TRACK_LIMIT_FALLS)
        return 0;
    if (track_exposure(p, s->most_prec) > TRACK_LATE)
        return 1;
    if (p->limit != TRACK_LIMIT_FINITE)
        return 0;
    if (left <= TRACK_CIRCLE_SURE) /* jumps have failed all the way */
        return 1;
    if (p->step < TRACK_CIRCLE_STEP)
        return 0;
    double grown = track_c_log(track_c_of(p->sample_condition[0] / p->sample_condition[2] - 1.0, 0.0)).re;
    double fallen = track_c_log(track_c_of(p->sample_tau[2] / p->sample_tau[0] - 1.0, 0.0)).re;
    return grown > TRACK_GROWTH * fallen;
}

/* Moves inward to a circle of this radius, a power of two. */
TRACK_CALL int32_t track_go_in(const track_settings *s, track_path *p, double radius)
{
    if (p->circles >= TRACK_CIRCLES || radius < track_least_radius(p->prec))
        return track_fail(s, p, PLUMB_PATH_STEP_TOO_SMALL);
    p->leg = TRACK_IN;
    p->radius = radius;
    track_tau_set(p->target, radius);
    return track_next_trial(p);
}

TRACK_CALL int32_t track_to_vertex(track_path *p)
{
    track_corner(p->target, p->radius, (p->vertex + 1) % p->vertices * (TRACK_CORNERS / p->vertices));
    return track_next_trial(p);
}

TRACK_FN int32_t track_begin_circle(const track_settings *s, track_path *p)
{
    p->leg = TRACK_ROUND;
    p->circles++;
    p->vertex = 0;
    p->vertices = 8 * track_goal(s);
    p->extent = 0.0;
    p->loop_accuracy = p->plain_accuracy;
    p->loop_condition = p->plain;
    return TRACK_DO_CIRCLE;
}

/* p->apart is the distance of the newest vertex from the first point of the circle. */
TRACK_CALL int32_t track_at_vertex(const track_settings *s, track_path *p)
{
    p->extent = p->apart > p->extent ? p->apart : p->extent;
    if (p->vertex % p->vertices != 0)
        return track_to_vertex(p);
    double blur = 64.0 * (p->plain_accuracy + p->loop_accuracy) * p->size + (p->prec == 1 ? 1e-6 : 1e-9) * p->extent;
    if (p->apart <= blur) {
        if (blur <= 1e-2 * p->extent || p->extent <= blur)
            return TRACK_DO_MEAN;
        return track_fail(s, p, PLUMB_PATH_PRECISION_EXHAUSTED); /* other branches may be as close as the noise */
    }
    if (p->vertex < s->most_winding * p->vertices)
        return track_to_vertex(p);
    return track_leave_circle(p);
}

/* Called when the circle is closed. size is the norm of the mean, alternate that of the mean with alternating signs,
 * and change the distance from the mean of the previous circle. Terms of degree N/2 may vanish by symmetry, so a
 * second circle must confirm the first. */
TRACK_CALL int32_t track_closed(const track_settings *s, track_path *p, double size, double alternate, double change)
{
    size = size > p->extent ? size : p->extent; /* the mean may be the origin */
    /* The points are accurate up to their noise, and tau at the vertices up to 10^-32. */
    double noise = p->loop_accuracy > p->plain_accuracy ? p->loop_accuracy : p->plain_accuracy;
    double floor = 2.0 * noise + track_noise(track_aim(s, p)) + TRACK_CORNER_ERROR * p->extent / size;
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
    } while (off > 2.0 * floor && p->inward > 1e-6);
    track_new_trial(p, TRACK_VERIFIES, 1);
    track_tau_set(p->tau, 0.0);
    return TRACK_DO_LOOK;
}

/* The endpoint seems to be regular. Since other singularities may lie inside the circle, and its mean may then belong
 * to another path, the path continues from the circle by steps. */
TRACK_CALL int32_t track_walk_on(track_path *p)
{
    track_walk_from(p);
    p->winding = 0;
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
enum { TRACK_STATIONS = 8 };

TRACK_CALL int32_t track_begin_ray(track_path *p)
{
    p->ray = TRACK_ON_RAY;
    p->stations = 0;
    p->power = p->winding < TRACK_PREDICTORS ? p->winding : 0;
    p->circle_error = p->mean_error;
    p->doubted = 1;
    p->leg = TRACK_IN;
    return track_next_trial(p);
}

/* Continues on the ray from an accepted point; there: it is a station. The first steps are made in the precision of the
 * circle, until they are as long as the stations are apart. */
TRACK_CALL int32_t track_go_on_ray(const track_settings *s, track_path *p, int32_t there)
{
    if (there && p->prec < s->most_prec && p->step >= TRACK_LOG_2 * p->winding)
        return track_enlarge_to(p, s->most_prec);
    if (p->prec == s->most_prec) {
        p->stations = there ? p->stations + 1 : p->phase == TRACK_STEPS ? 0 : p->stations;
        if (there && p->stations >= TRACK_HISTORY)
            return TRACK_DO_APPROACH;
    }
    return track_next_trial(p);
}

/* Called with the limit of the ray: its size, the change since the last one, its distance from the mean of the circle, and the
 * ratio of u at the newest station to u at the oldest one that it was computed from. */
TRACK_CALL int32_t track_approached(const track_settings *s, track_path *p, double size, double change, double apart,
                                    double ratio)
{
    size = size > p->extent ? size : p->extent; /* the limit may be the origin */
    if (p->stations == TRACK_HISTORY)
        return track_next_trial(p);
    const double floor = 2.0 * p->plain_accuracy + TRACK_CORNER_ERROR, off = change / size * ratio * ratio;
    if (!(off <= 4.0 * floor))
        return p->stations < TRACK_STATIONS ? track_next_trial(p) : track_leave_ray(s, p);
    if (!(apart / size <= TRACK_ASTRAY * p->circle_error))
        return track_leave_ray(s, p);
    p->ray_error = off + floor;
    p->loop_condition = p->plain;
    track_new_trial(p, TRACK_VERIFIES, 1);
    track_tau_set(p->tau, 0.0);
    return TRACK_DO_LOOK;
}

/* ---- The verdict ------------------------------------------------------------------------------------------------------- */

/* At a distance e from a multiple root, a step of Newton's method is about as long as e; the noise adds to it. In the
 * middle of simple roots at a distance d, where the Jacobian is nearly singular but h is not zero, it is much longer than
 * d. */
TRACK_FN int32_t track_is_lengthy(const track_path *p, double error)
{
    return !(p->plain_last <= TRACK_LENGTHY * error + TRACK_UNSURE * p->excess * track_noise(p->prec) * p->plain);
}

/* True if an endpoint with this error is not distinguished from infinity, where circles prove nothing. */
TRACK_FN int32_t track_is_far(const track_settings *s, const track_path *p, double error)
{
    return s->projective && p->finite <= TRACK_FINITE * error + 1.0 / s->largest;
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
    const double error = p->ray_error;
    if (regular || !(p->backward <= error) || track_is_lengthy(p, error) || track_is_far(s, p, error))
        return track_leave_ray(s, p);
    p->error = error;
    return track_end_singular(p, beside);
}

/* At a singular point the inverse Jacobian is noise, which may look small. Whether it is as large as on the circle is therefore
 * asked again beside the point, a thousand times nearer to it than the newest point: at a regular root it is the same there,
 * and at a singular one it is larger by that ratio at least. */
TRACK_CALL int32_t track_look_beside(track_path *p)
{
    p->beside = 1;
    p->backward_there = p->backward;
    p->last_there = p->plain_last;
    p->finite_there = p->finite;
    track_new_trial(p, TRACK_VERIFIES, 1);
    return TRACK_DO_BESIDE;
}

/* Decides after a tick at the mean; dx has not been added. The mean belongs to a regular root if the inverse Jacobian
 * there is about as large as on the circle; at a singular root it is larger by the ratio of the circle to the error. */
TRACK_CALL int32_t track_verify(const track_settings *s, track_path *p, int32_t solved)
{
    double error = p->mean_error;
    int32_t regular = solved && p->plain <= TRACK_STRAY * p->loop_condition;
    const int32_t beside = p->beside;
    if (regular && !beside)
        return track_look_beside(p);
    if (beside) {
        p->beside = 0;
        p->backward = p->backward_there;
        p->plain_last = p->last_there;
        p->finite = p->finite_there;
    }
    if (p->ray == TRACK_ON_RAY)
        return track_verify_ray(s, p, regular, beside);
    p->error = error;
    /* After one turn the endpoint is usually regular, and steps will find it. */
    if (regular && p->winding == 1 && p->backward <= error)
        return track_walk_on(p);
    if (!(p->backward <= TRACK_ASTRAY * error)) { /* far from a root: probably the mean of several roots */
        p->open++;
        return track_walk_on(p);
    }
    if (!p->settled)
        return track_go_in(s, p, p->inward * p->radius);
    if (regular) { /* a regular root has winding number 1: again the mean of several roots */
        p->open++;
        return track_walk_on(p);
    }
    if (!(p->backward <= error))
        return track_go_in(s, p, 0.25 * p->radius);
    if (track_is_lengthy(p, error) || track_is_far(s, p, error)) {
        p->open++;
        return track_walk_on(p);
    }
    if (p->prec < s->most_prec)
        return p->ray == TRACK_NO_RAY ? track_begin_ray(p) : track_circle_again(s, p);
    return track_end_singular(p, beside);
}

#endif
