/* many.h - several paths side by side, one in each place of a lane: their linear systems, and what follows on the way, far from
 * its end (track_is_plain), where all paths do the same.
 *
 * The numbers of these paths are stored entry by entry, planes inside an entry, paths inside a plane: plane c of entry e of
 * path l is at [(e*planes + c)*width + l], as in evaluations of many points (method/eval.h). */
#ifndef PLUMB_METHOD_TRACK_MANY_H
#define PLUMB_METHOD_TRACK_MANY_H

#include "method/track/control.h"

/* The widest lane. */
enum { TRACK_MANY_MOST = 8 };

/* What TRACK(many_combine) leaves for each path: the fields of track_terms. */
enum {
    TRACK_MANY_RESIDUAL,
    TRACK_MANY_BACKWARD,
    TRACK_MANY_INVERSE,
    TRACK_MANY_LARGEST,
    TRACK_MANY_LOST,
    TRACK_MANY_TERMS
};

/* What TRACK(many_correct) leaves for each path: maxima over the entries of its vectors, named as in TRACK(correct) and TRACK(keep). */
enum {
    TRACK_MANY_SIZE,
    TRACK_MANY_DX,
    TRACK_MANY_PLAIN_DX,
    TRACK_MANY_W,
    TRACK_MANY_PLAIN_W,
    TRACK_MANY_NEWEST,
    TRACK_MANY_PLAIN_NEWEST,
    TRACK_MANY_BEFORE,
    TRACK_MANY_PLAIN_BEFORE,
    TRACK_MANY_CHANGE,
    TRACK_MANY_PLAIN_CHANGE,
    TRACK_MANY_BEND,
    TRACK_MANY_PLAIN_BEND,
    TRACK_MANY_APART,
    TRACK_MANY_SLOPE,
    TRACK_MANY_TOPS
};

typedef struct track_many {
    const track_settings *settings;
    /* The values of the stacked system, and where they are; entry (i, j) of the Jacobians of g and f is slot g_slot[j*m + i] or
     * f_slot[j*m + i], or zero if that is negative. */
    const double *slots;
    const int32_t *value_slot, *g_slot, *f_slot;
    /* The sums of the moduli of the terms, real and in double: that of equation i of path l is size_slots[value_slot[i] *
     * size_width + l]. */
    const double *size_slots;
    int64_t size_width;
    /* By path: tau (4), the moduli of the weights of g and f (2), the unit, and 1 where the sizes are those of this tick. */
    double *tau, *share, *unit, *first;
    int32_t any_unit;  /* a unit is not 1 */
    double *scale;     /* m: the sizes of the rows */
    double *direction; /* 2 m: r before it is scaled */
    double *a, *b;     /* n x n, n x right sides */
    double *inverses;  /* n */
    double *terms;     /* TRACK_MANY_TERMS */
    double dependent;
    int64_t info[TRACK_MANY_MOST];
    /* Steps: X; of the newest point x, its slope and w, and w of the last tick, of which the last three have leading limbs alone,
     * numbers of one limb; the points and slopes of predictions, newest first. */
    double *x, *newest, *slope, *w, *w_before;
    double *point[TRACK_HISTORY], *rate[TRACK_HISTORY];
    /* By path: reach of both yardsticks (2), the least size of a point, tau of the points (4 each, newest first); and TRACK_MANY_TOPS. */
    double *reach, *least_size, *at, *tops;
    double *odd; /* by path: not 0 where a prediction has to be made alone */
    double floor;
    int32_t again; /* a path has been corrected before */
} track_many;

struct track_walk;

/* The kernels of one precision and machine (many_tmpl.h, many_steps_tmpl.h). */
struct track_many_kernels {
    int32_t width; /* paths */
    void (*gather)(double *to, int64_t step, const double *const *from, int64_t count);
    void (*scatter)(const double *from, int64_t step, double *const *to, int64_t count);
    void (*moduli)(double *to, int64_t to_width, const double *x, int64_t count);
    void (*combine)(const track_many *job);
    void (*eliminate)(track_many *job);
    void (*correct)(const track_many *job);
    int32_t (*decide)(const track_many *job, int32_t l, track_path *p, track_view v, track_view solution);
    void (*predict)(const track_many *job);
    /* Of paths that stay in lanes (walk.h), in d; NULL otherwise. */
    void (*walk_combine)(const struct track_walk *job);
    void (*walk_tick)(const struct track_walk *job);
};

/* True if the next point of a path is an ordinary one: of a step on the real line, neither near the end nor to it. */
TRACK_FN int32_t track_is_plain(const track_path *p)
{
    const double *from = p->points.at[p->points.newest], *to = p->trial.tau;
    return p->trial.phase == TRACK_STEPS && p->course.leg == TRACK_WALK && !p->course.zone && !p->trial.jump &&
           !p->trial.ahead && !p->predictor.logarithmic && !track_is_framed(p) && p->ray.state != TRACK_ON_RAY &&
           p->points.history > 0 && to[0] > 0.0 && to[2] == 0.0 && to[3] == 0.0 && from[0] > 0.0 && from[2] == 0.0 &&
           from[3] == 0.0;
}

/* True if its next prediction is one from all points, likewise. */
TRACK_FN int32_t track_predicts_plainly(const track_path *p)
{
    for (int32_t j = 0; j < TRACK_HISTORY; j++)
        if (p->points.at[j][2] != 0.0 || p->points.at[j][3] != 0.0)
            return 0;
    return p->course.leg == TRACK_WALK && !p->course.zone && !p->predictor.logarithmic && !track_is_framed(p) &&
           p->points.history == TRACK_HISTORY && p->trial.tau[2] == 0.0 && p->trial.tau[3] == 0.0;
}

#endif
