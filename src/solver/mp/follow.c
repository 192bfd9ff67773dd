/* follow.c - see follow.h. */
#include "solver/mp/follow.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/system.h"

enum {
    HISTORY = MP_HISTORY,
    FIRST_SIGMA = 100,    /* where the walk begins: there f does not matter yet */
    FIRST_BITS = 256,     /* precision there */
    MOST_CORRECTIONS = 20 /* of one step; Newton's method doubles the digits with each */
};

/* A correction is at most 2^CONTRACTION times the one before: far from where Newton's method starts to fail, so that a step does
 * not lead to another path. */
static const double CONTRACTION = -4.0;

/* And the last one is at most 2^QUADRATIC times the one before: then it is far inside the region of quadratic convergence, which near a
 * cluster is much smaller than the corrections that would otherwise do. */
static const double QUADRATIC = -16.0;

/* The first correction of a step is at most this (log2), relative to the largest coordinate, and at most 2^OFF_SLOPE times what is left
 * of the way to the limit: other paths to the same point are about as far away. */
static const double MOST_CORRECTION = -7.0, OFF_SLOPE = -3.0;

/* The slope after a step is what it was expected to be within this factor (log2): near a singular point small corrections alone do not
 * show that a point is on the path. */
static const double MOST_SURPRISE = 3.0;

/* Corrections end at 2^-ACCURATE times the largest one that is allowed. */
static const double ACCURATE = 24.0;

static const double LEAST_STEP = 1e-7, MOST_STEP = 1000.0, LEAST_REACH = 30.0;

/* The first step after the precision was doubled. */
static const double NEW_STEP = 1e-3;

/* Exponents by which slopes fall: 1/c at the end of a path with winding number c. */
static const double LEAST_FALL = 0.01, MOST_FALL = 8.0;

typedef struct follower {
    const plumb_homotopy *homotopy;
    mp_system system; /* stacked */
    int64_t n, bits;
    mp_complex *values, *jacobian; /* of the stacked system */
    mp_complex *a, *b;             /* of h: n x n, and n x 2: minus h and minus its derivative by sigma */
    mp_complex *x[HISTORY], *slope[HISTORY], *next;
    double sigma[HISTORY];
    int64_t known; /* points of the history */
    mp_complex gamma, temporary[3];
    mp_complex weight; /* of g */
    double *unit;      /* log2 of the size to which the corrections of each coordinate are relative */
    const mp_follow_options *options;
    double work;
    int64_t extra; /* bits */
} follower;

/* ---- Numbers of the follower --------------------------------------------------------------------------------------- */

static void make_single(mp_complex *z, int64_t count, int64_t bits)
{
    for (int64_t k = 0; k < count; k++) {
        mpfr_init2(z[k].re, (mpfr_prec_t)bits);
        mpfr_init2(z[k].im, (mpfr_prec_t)bits);
        mpfr_set_zero(z[k].re, 1);
        mpfr_set_zero(z[k].im, 1);
    }
}

static void clear_single(mp_complex *z, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        mpfr_clear(z[k].re);
        mpfr_clear(z[k].im);
    }
}

static void set_bits(follower *f, int64_t bits)
{
    const int64_t n = f->n;
    mp_system_resize(&f->system, bits);
    mp_resize(f->values, 2 * n, bits);
    mp_resize(f->jacobian, 2 * n * n, bits);
    mp_resize(f->a, n * n, bits);
    mp_resize(f->b, 2 * n, bits);
    mp_resize(f->next, n, bits);
    for (int k = 0; k < HISTORY; k++) {
        mp_resize(f->x[k], n, bits);
        mp_resize(f->slope[k], n, bits);
    }
    mp_resize(&f->gamma, 1, bits);
    mp_resize(f->temporary, 3, bits);
    mp_resize(&f->weight, 1, bits);
    f->bits = bits;
}

/* The history is that of an earlier call, or new. */
static plumb_status begin_history(follower *f, mp_walk *walk)
{
    bool good = true;
    for (int k = 0; k < HISTORY; k++) {
        f->x[k] = walk->known > 0 ? walk->x[k] : mp_make(f->n, f->bits);
        f->slope[k] = walk->known > 0 ? walk->slope[k] : mp_make(f->n, f->bits);
        f->sigma[k] = walk->sigma[k];
        walk->x[k] = walk->slope[k] = NULL;
        good = good && f->x[k] && f->slope[k];
    }
    f->known = walk->known;
    f->extra = walk->extra;
    walk->known = 0;
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

static plumb_status begin(const plumb_homotopy *homotopy, const mp_follow_options *options, mp_path *path, follower *f)
{
    const int64_t n = homotopy->unknowns, bits = path->walk.known > 0 ? path->walk.bits : FIRST_BITS;
    *f = (follower){.homotopy = homotopy, .n = n, .bits = bits, .options = options, .work = path->work};
    make_single(&f->gamma, 1, bits);
    make_single(f->temporary, 3, bits);
    make_single(&f->weight, 1, bits);
    mpfr_set_d(f->gamma.re, homotopy->gamma[0], MPFR_RNDN);
    mpfr_set_d(f->gamma.im, homotopy->gamma[1], MPFR_RNDN);
    plumb_status status = mp_system_begin(homotopy->stacked, bits, &f->system);
    f->values = mp_make(2 * n, bits);
    f->jacobian = mp_make(2 * n * n, bits);
    f->a = mp_make(n * n, bits);
    f->b = mp_make(2 * n, bits);
    f->next = mp_make(n, bits);
    f->unit = calloc((size_t)n, sizeof *f->unit);
    const bool good = f->values && f->jacobian && f->a && f->b && f->next && f->unit;
    const plumb_status of_history = begin_history(f, &path->walk);
    return !good ? PLUMB_ERR_MEMORY : status == PLUMB_OK ? of_history : status;
}

/* Keeps what a further call needs. */
static void keep(follower *f, double length, mp_walk *walk)
{
    walk->known = f->known;
    walk->bits = f->bits;
    walk->extra = f->extra;
    walk->length = length;
    for (int k = 0; k < HISTORY; k++) {
        walk->x[k] = f->x[k];
        walk->slope[k] = f->slope[k];
        walk->sigma[k] = f->sigma[k];
        f->x[k] = f->slope[k] = NULL;
    }
}

static void end(follower *f)
{
    const int64_t n = f->n;
    mp_system_clear(&f->system);
    mp_free(f->values, f->values ? 2 * n : 0);
    mp_free(f->jacobian, f->jacobian ? 2 * n * n : 0);
    mp_free(f->a, f->a ? n * n : 0);
    mp_free(f->b, f->b ? 2 * n : 0);
    mp_free(f->next, f->next ? n : 0);
    free(f->unit);
    for (int k = 0; k < HISTORY; k++) {
        mp_free(f->x[k], f->x[k] ? n : 0);
        mp_free(f->slope[k], f->slope[k] ? n : 0);
    }
    clear_single(&f->gamma, 1);
    clear_single(f->temporary, 3);
    clear_single(&f->weight, 1);
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

/* The weight gamma e^sigma of g; at_end: 0. */
static void set_weight(follower *f, double sigma, bool at_end)
{
    mpfr_ptr power = f->temporary[0].re;
    if (at_end) {
        mpfr_set_zero(power, 1);
    } else {
        mpfr_set_d(power, sigma, MPFR_RNDN);
        mpfr_exp(power, power, MPFR_RNDN);
    }
    mpfr_mul(f->weight.re, f->gamma.re, power, MPFR_RNDN);
    mpfr_mul(f->weight.im, f->gamma.im, power, MPFR_RNDN);
}

/* One correction at x: subtracts it, and returns its size (log2, in the units); infinity if there is none. The slope of the path, as far as
 * x is on it, is in column 1 of f->b. */
static double correct(follower *f, mp_complex *x)
{
    const int64_t n = f->n;
    f->work += mp_system_cost(f->homotopy->stacked, f->bits);
    mp_system_eval(&f->system, x, f->values, f->jacobian, NULL);
    for (int64_t e = 0; e < n; e++) {
        mp_complex *b = &f->b[2 * e];
        mp_mul(&b[1], &f->values[e], &f->weight, f->temporary[0].re); /* the derivative by sigma, */
        mp_add(&b[0], &b[1], &f->values[n + e]);
        mpfr_neg(b[1].re, b[1].re, MPFR_RNDN); /* with the opposite sign */
        mpfr_neg(b[1].im, b[1].im, MPFR_RNDN);
        for (int64_t j = 0; j < n; j++) {
            mp_complex *a = &f->a[e * n + j];
            mp_mul(a, &f->jacobian[e * n + j], &f->weight, f->temporary[0].re);
            mp_add(a, a, &f->jacobian[(n + e) * n + j]);
        }
    }
    if (!mp_solve(f->a, f->b, n, 2, f->temporary))
        return (double)INFINITY;
    double size = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        size = fmax(size, mp_log2(&f->b[2 * i]) - f->unit[i]);
        mp_sub(&x[i], &x[i], &f->b[2 * i]);
    }
    return size;
}

/* The size below which a change of X is rounding, relative to the largest coordinate. */
static double rounding(const follower *f)
{
    return 64.0 - (double)f->bits;
}

/* Corrections of x are relative to its largest coordinate, or each to its own coordinate. */
static void set_units(follower *f, const mp_complex *x, bool own)
{
    const double largest = mp_log2_largest(x, f->n);
    for (int64_t i = 0; i < f->n; i++)
        f->unit[i] = own ? mp_log2(&x[i]) : largest;
}

/* Newton's method at x; most: the largest first correction; enough: the size of a correction after which none follows, but the first does
 * not count: where equations like x y = 0 and y = x^2 meet, it moves y and says nothing about x, nor about the slope. All sizes are
 * in the units that are set. True if it converges by a margin; *first and *last are then sizes of corrections. */
static bool converge_in_units(follower *f, mp_complex *x, double most, double enough, double *first, double *last)
{
    const double contraction = CONTRACTION * (1.0 + (double)f->options->care);
    double before = (double)INFINITY;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        const double now = correct(f, x);
        *first = k == 0 ? now : *first;
        *last = now;
        if (!(now <= (k == 0 ? most : fmax(before + contraction, 0.6 * rounding(f)))))
            return false;
        const bool quadratic = now <= before + QUADRATIC || now <= 0.6 * rounding(f);
        if (now <= enough && (k > 0 ? quadratic : now <= rounding(f)))
            return true;
        before = now;
    }
    return false;
}

/* The same, relative to the largest coordinate. */
static bool converge(follower *f, mp_complex *x, double most, double enough, double *first, double *last)
{
    set_units(f, x, false);
    return converge_in_units(f, x, most, enough, first, last);
}

static double slope_size(const follower *f, int k)
{
    return mp_log2_largest(f->slope[k], f->n) - mp_log2_largest(f->x[k], f->n);
}

/* That of f->next, after a correction. */
static double next_slope_size(const follower *f)
{
    double size = -(double)INFINITY;
    for (int64_t i = 0; i < f->n; i++)
        size = fmax(size, mp_log2(&f->b[2 * i + 1]));
    return size - mp_log2_largest(f->next, f->n);
}

/* The exponent of tau by which |dX/dsigma| falls; 0 if that is not known. */
static double falls_by(const follower *f)
{
    if (f->known < 2)
        return 0.0;
    return (slope_size(f, 0) - slope_size(f, 1)) * log(2.0) / (f->sigma[0] - f->sigma[1]);
}

/* The variable of the predictor at sigma: e^(fall sigma) relative to the newest point, in which X is a power series near its end (fall is
 * 1/c), and near its beginning (fall is -1); or sigma itself where the slope hardly changes: fall is 0. */
static double variable(const follower *f, double fall, double sigma)
{
    return fall != 0.0 ? exp(fall * (sigma - f->sigma[0])) : sigma;
}

/* The predicted point at sigma, to f->next: the polynomial through the points and slopes of the history, by Newton's divided
 * differences. Rounding of the nodes is an error that corrections remove. */
static void predict(follower *f, double fall, double sigma)
{
    const int count = (int)f->known * 2;
    const double at = variable(f, fall, sigma);
    double node[2 * HISTORY];
    mp_complex d[2 * HISTORY];
    for (int k = 0; k < count; k++)
        node[k] = variable(f, fall, f->sigma[k / 2]);
    make_single(d, count, f->bits);
    for (int64_t i = 0; i < f->n; i++) {
        for (int k = 0; k < count; k++)
            mp_set(&d[k], &f->x[k / 2][i]);
        for (int order = 1; order < count; order++)
            for (int k = count - 1; k >= order; k--) {
                const bool same = k / 2 == (k - order) / 2;
                const double divisor = !same ? node[k] - node[k - order] : fall != 0.0 ? fall * node[k] : 1.0;
                if (same)
                    mp_set(&d[k], &f->slope[k / 2][i]);
                else
                    mp_sub(&d[k], &d[k], &d[k - 1]);
                mpfr_div_d(d[k].re, d[k].re, divisor, MPFR_RNDN);
                mpfr_div_d(d[k].im, d[k].im, divisor, MPFR_RNDN);
            }
        mp_complex *sum = &f->next[i];
        mp_set(sum, &d[count - 1]);
        for (int k = count - 2; k >= 0; k--) {
            mpfr_mul_d(sum->re, sum->re, at - node[k], MPFR_RNDN);
            mpfr_mul_d(sum->im, sum->im, at - node[k], MPFR_RNDN);
            mp_add(sum, sum, &d[k]);
        }
    }
    clear_single(d, count);
}

/* f->next becomes the newest point. */
static void remember(follower *f, double sigma)
{
    mp_complex *x = f->x[HISTORY - 1], *slope = f->slope[HISTORY - 1];
    for (int k = HISTORY - 1; k > 0; k--) {
        f->x[k] = f->x[k - 1];
        f->slope[k] = f->slope[k - 1];
        f->sigma[k] = f->sigma[k - 1];
    }
    f->x[0] = f->next;
    f->next = x;
    f->slope[0] = slope;
    f->sigma[0] = sigma;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&f->slope[0][i], &f->b[2 * i + 1]);
    f->known += f->known < HISTORY;
}

/* The bits that are needed at sigma: h has to be resolved far below tau. */
static int64_t bits_at(const follower *f, double sigma)
{
    const int64_t bits = FIRST_BITS + f->extra + (int64_t)(1.25 * fmax(-sigma, 0.0) / log(2.0));
    return bits / 64 * 64 + 64;
}

static bool is_affordable(const follower *f, int64_t bits)
{
    return f->options->most_bits <= 0 || bits <= f->options->most_bits;
}

/* log2 of a condition number of the target at x: how far X moves, in the units that are set, where each equation changes by its
 * derivative. */
static double condition(follower *f, const mp_complex *x)
{
    const int64_t n = f->n;
    const double largest = mp_log2_largest(x, n);
    double moves = -(double)INFINITY;
    f->work += mp_system_cost(f->homotopy->stacked, f->bits);
    mp_system_eval(&f->system, x, f->values, f->jacobian, NULL);
    for (int64_t e = 0; e < n; e++) {
        const mp_complex *row = &f->jacobian[(n + e) * n];
        int64_t most = 0;
        for (int64_t j = 0; j < n; j++) {
            mp_set(&f->a[e * n + j], &row[j]);
            most = mp_log2(&row[j]) + f->unit[j] > mp_log2(&row[most]) + f->unit[most] ? j : most;
        }
        const long unit = (long)(f->unit[most] - largest);
        mpfr_mul_si(f->b[e].re, row[most].re, (long)e + 1, MPFR_RNDN); /* factors that no solution fits by chance */
        mpfr_mul_si(f->b[e].im, row[most].im, (long)e + 1, MPFR_RNDN);
        mpfr_mul_2si(f->b[e].re, f->b[e].re, unit, MPFR_RNDN);
        mpfr_mul_2si(f->b[e].im, f->b[e].im, unit, MPFR_RNDN);
    }
    if (!mp_solve(f->a, f->b, n, 1, f->temporary))
        return (double)INFINITY;
    for (int64_t i = 0; i < n; i++)
        moves = fmax(moves, mp_log2(&f->b[i]) - f->unit[i]);
    return moves;
}

/* Newton's method at tau = 0 from the newest point, in the units that are set, where the slope has this size. That it converges does not
 * show that the end is regular, because X may come to a singular point from a direction in which nothing is seen of that. */
static bool jump_in_units(follower *f, double slope, double *error)
{
    double first, last;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&f->next[i], &f->x[0][i]);
    set_weight(f, 0.0, true);
    /* As many digits as the condition leaves: where corrections are that small, the next one would be their square. */
    const bool good = converge_in_units(f, f->next, -8.0, 0.6 * rounding(f), &first, &last);
    *error = fmax(last, rounding(f)) + 1.0;
    const double care = 1.0 + (double)f->options->care;
    const bool expected = first <= rounding(f) || fabs(first - slope) < 0.5 / care;
    return good && expected && condition(f, f->next) + fmax(first, rounding(f)) <= -8.0 * care;
}

/* The same, relative to the largest coordinate. If that fails and the changes of some coordinates are hidden by those of larger ones, each
 * is relative to its own: coordinates of a solution may be smaller than others by a factor of 10^-400, and a condition number that is relative
 * to the largest one is that large then, although the solution is as regular as any. */
static bool jump(follower *f, mp_path *path)
{
    const double slope = slope_size(f, 0), largest = mp_log2_largest(f->x[0], f->n);
    double own = -(double)INFINITY;
    bool hidden = false;
    set_units(f, f->x[0], false);
    path->own = false;
    if (jump_in_units(f, slope, &path->error))
        return true;
    set_units(f, f->x[0], true);
    for (int64_t i = 0; i < f->n; i++) {
        if (!isfinite(f->unit[i]))
            return false;
        hidden = hidden || f->unit[i] - largest < slope;
        own = fmax(own, mp_log2(&f->slope[0][i]) - f->unit[i]);
    }
    path->own = hidden && jump_in_units(f, own, &path->error);
    return path->own;
}

static void take(follower *f, mp_complex *x, mp_path *path)
{
    mp_resize(path->x, f->n, f->bits);
    path->bits = f->bits;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&path->x[i], &x[i]);
}

/* A step to sigma; true if it was accepted. *length becomes what the next step may try. */
static bool step(follower *f, double sigma, double *length)
{
    /* No other path is nearer than half of the digits: bits_at has more than twice those of e^(sigma / 2). Changes that are smaller
     * are not followed: as long as the slope says nothing else, X stays. */
    const double least = -0.5 * (double)f->bits, slope = slope_size(f, 0), way = f->sigma[0] - sigma;
    double fall = falls_by(f), first, last, left = least, surprise = 0.0;
    fall = fabs(fall) > LEAST_FALL && fabs(fall) < MOST_FALL ? fall : 0.0;
    if (slope <= least) {
        f->known = 1;
        for (int64_t i = 0; i < f->n; i++)
            mp_set(&f->next[i], &f->x[0][i]);
    } else {
        predict(f, fall, sigma);
        /* What is left of the way to the limit at the new point; where the slope does not fall, the way of the step. */
        left = slope + (fall != 0.0 ? -log2(fabs(fall)) - fall * way / log(2.0) : log2(way));
    }
    set_weight(f, sigma, false);
    const double care = 1.0 + (double)f->options->care;
    const double most = fmin(MOST_CORRECTION * care, fmax(left + OFF_SLOPE * care, least));
    bool good = converge(f, f->next, most, fmax(rounding(f), most - ACCURATE), &first, &last);
    if (good && slope > least) {
        const double expected = fmax(slope - fall * way / log(2.0), least);
        surprise = fmax(next_slope_size(f), least) - expected;
    }
    if (!good || fabs(surprise) > MOST_SURPRISE / care) {
        *length = 0.5 * way;
        return false;
    }
    *length = fmin(way * fmin(4.0, fmax(0.5, exp2((most - 2.0 - first) / (2.0 * HISTORY)))), MOST_STEP);
    f->known = slope <= least ? 0 : f->known;
    remember(f, sigma);
    return true;
}

/* More bits: the newest point and its slope are computed again. */
static bool raise_bits(follower *f, int64_t bits)
{
    double first, last;
    const double slope = slope_size(f, 0), most = fmax(slope + OFF_SLOPE, -0.5 * (double)f->bits);
    set_bits(f, bits);
    set_weight(f, f->sigma[0], false);
    if (!converge(f, f->x[0], most, fmax(0.6 * rounding(f), slope - 2.0 * ACCURATE), &first, &last))
        return false;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&f->slope[0][i], &f->b[2 * i + 1]);
    return true;
}

/* log2 of the distance of the newest point from the limit, relative to the largest coordinate: the integral of the slope, slope / fall. */
static double distance_left(const follower *f)
{
    return slope_size(f, 0) - log2(fmax(falls_by(f), LEAST_FALL));
}

/* The limit that ends the walk before its next step. */
static mp_limit limit_before(const follower *f, const mp_path *path)
{
    const mp_follow_options *o = f->options;
    if (o->stop && o->stop(o->data))
        return MP_LIMIT_STOPPED;
    if (o->most_steps > 0 && path->steps >= o->most_steps)
        return MP_LIMIT_STEPS;
    return f->work >= o->most_work ? MP_LIMIT_WORK : MP_LIMIT_NONE;
}

/* More bits, if they are needed at sigma; false: there are none, or the newest point is not on the path. */
static bool prepare_bits(follower *f, double sigma, mp_path *path)
{
    if (bits_at(f, sigma) <= f->bits)
        return true;
    const int64_t ahead = bits_at(f, sigma * 1.25), bits = is_affordable(f, ahead) ? ahead : bits_at(f, sigma);
    path->limit = is_affordable(f, bits) ? MP_LIMIT_NONE : MP_LIMIT_BITS;
    return path->limit == MP_LIMIT_NONE && raise_bits(f, bits);
}

/* The newest point, after an accepted step: true if the walk ends there. */
static bool arrive(follower *f, mp_path *path)
{
    const double fall = falls_by(f), near_end = -f->options->digits * log2(10.0);
    if (f->sigma[0] > -2.0)
        return false;
    if ((fall > 0.75 || slope_size(f, 0) <= rounding(f)) && jump(f, path)) {
        path->end = MP_END_REGULAR;
        take(f, f->next, path);
        return true;
    }
    const double distance = distance_left(f);
    if (!(fall > LEAST_FALL && distance <= near_end && f->sigma[0] < -40.0))
        return false;
    path->end = MP_END_SINGULAR;
    path->error = fmax(distance, rounding(f));
    take(f, f->x[0], path);
    return true;
}

/* *length is that of the next step. */
static void walk(follower *f, double *length, mp_path *path)
{
    for (; (path->limit = limit_before(f, path)) == MP_LIMIT_NONE; path->steps++) {
        *length =
            fmin(*length, fmax(LEAST_REACH, -f->sigma[0])); /* so that precisions do not grow for a step that fails */
        const double sigma = f->sigma[0] - *length;
        if (!prepare_bits(f, sigma, path))
            return;
        if (step(f, sigma, length)) {
            if (arrive(f, path))
                return;
        } else if (*length < LEAST_STEP) {
            f->extra += f->bits;
            *length = NEW_STEP;
        }
    }
}

/* The start solution on the patch: (1, x / 2^e) / p.(1, x / 2^e). */
static void set_start(follower *f, const mp_complex *start)
{
    const plumb_homotopy *h = f->homotopy;
    const int64_t n = f->n;
    mp_complex *x = f->next, *sum = &f->temporary[2];
    for (int64_t i = 0; i < h->given_unknowns; i++) {
        mp_complex *z = &x[i + h->projective];
        mp_set(z, &start[i]);
        const long e = h->exponent ? h->exponent[i] : 0;
        mpfr_mul_2si(z->re, z->re, -e, MPFR_RNDN);
        mpfr_mul_2si(z->im, z->im, -e, MPFR_RNDN);
    }
    if (!h->projective)
        return;
    mpfr_set_ui(x[0].re, 1, MPFR_RNDN);
    mpfr_set_zero(x[0].im, 1);
    mpfr_set_zero(sum->re, 1);
    mpfr_set_zero(sum->im, 1);
    for (int64_t i = 0; i < n; i++) {
        mpfr_set_d(f->weight.re, h->patch[2 * i], MPFR_RNDN);
        mpfr_set_d(f->weight.im, h->patch[2 * i + 1], MPFR_RNDN);
        mp_add_product(sum, &x[i], &f->weight, &f->temporary[0]);
    }
    mp_set(&f->weight, sum);
    for (int64_t i = 0; i < n; i++)
        mp_div(&x[i], &x[i], &f->weight, f->temporary);
}

/* The first point of the walk, if the start solution is one. */
static plumb_status set_out(follower *f, const mp_complex *start, mp_path *path)
{
    double first, last;
    set_start(f, start);
    set_weight(f, FIRST_SIGMA, false);
    /* The start solution solves g, not h: the slope is that of a corrected point. */
    if (!converge(f, f->next, -20.0, -100.0, &first, &last) || !(correct(f, f->next) < 0.0)) {
        mp_free(path->x, path->x ? f->n : 0);
        path->x = NULL;
        return PLUMB_OK;
    }
    path->x = path->x ? path->x : mp_make(f->n, f->bits);
    remember(f, FIRST_SIGMA);
    return path->x ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* After the newest point was found not to be on the path, or the start solution to be none: once more with twice the bits, if that may
 * help. */
static bool begin_anew(follower *f, mp_path *path)
{
    const int64_t bits = 2 * f->bits;
    path->limit = !path->x                           ? MP_LIMIT_NONE
                  : !is_affordable(f, bits)          ? MP_LIMIT_BITS
                  : f->work >= f->options->most_work ? MP_LIMIT_WORK
                                                     : MP_LIMIT_NONE;
    if (!path->x || path->limit != MP_LIMIT_NONE)
        return false;
    f->extra = bits - FIRST_BITS;
    f->known = 0;
    set_bits(f, bits);
    mpfr_set_d(f->gamma.re, f->homotopy->gamma[0], MPFR_RNDN);
    mpfr_set_d(f->gamma.im, f->homotopy->gamma[1], MPFR_RNDN);
    return true;
}

plumb_status mp_follow(const plumb_homotopy *homotopy, const mp_complex *start, const mp_follow_options *options,
                       mp_path *path)
{
    follower f;
    if (path->x && path->end == MP_END_REGULAR)
        return PLUMB_OK;
    bool is_new = path->walk.known == 0;
    double length = path->walk.length;
    plumb_status status = begin(homotopy, options, path, &f);
    path->end = MP_END_FAILED;
    path->limit = MP_LIMIT_NONE;
    do {
        if (status == PLUMB_OK && is_new)
            status = set_out(&f, start, path);
        length = is_new ? 1.0 : length;
        if (status == PLUMB_OK && path->x && !arrive(&f, path))
            walk(&f, &length, path);
        is_new = status == PLUMB_OK && path->end == MP_END_FAILED && path->limit == MP_LIMIT_NONE;
    } while (is_new && begin_anew(&f, path));
    if (status == PLUMB_OK && path->x && path->end == MP_END_FAILED) {
        path->error = distance_left(&f);
        take(&f, f.x[0], path);
    }
    path->work = f.work;
    if (status == PLUMB_OK && path->x && path->end != MP_END_REGULAR)
        keep(&f, length, &path->walk);
    end(&f);
    return status;
}

void mp_path_clear(const plumb_homotopy *homotopy, mp_path *path)
{
    const int64_t n = homotopy->unknowns;
    mp_free(path->x, path->x ? n : 0);
    for (int k = 0; k < HISTORY; k++) {
        mp_free(path->walk.x[k], path->walk.x[k] ? n : 0);
        mp_free(path->walk.slope[k], path->walk.slope[k] ? n : 0);
    }
    *path = (mp_path){.x = NULL};
}
