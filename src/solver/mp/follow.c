/* follow.c - see follow.h. */
#include "solver/mp/follow.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/system.h"

enum {
    HISTORY = 3,          /* points of the predictor */
    FIRST_SIGMA = 100,    /* where the walk begins: there f does not matter yet */
    FIRST_BITS = 256,     /* precision there */
    MOST_STEPS = 20000,   /* of one path, accepted or not */
    MOST_CORRECTIONS = 20 /* of one step; Newton's method doubles the digits with each */
};

/* A correction is at most 2^CONTRACTION times the one before: far from where Newton's method starts to fail, so that a step does
 * not lead to another path. */
static const double CONTRACTION = -4.0;

/* The first correction of a step is at most this (log2), relative to the largest coordinate, and at most 2^OFF_SLOPE times what is left
 * of the way to the limit: other paths to the same point are about as far away. */
static const double MOST_CORRECTION = -7.0, OFF_SLOPE = -3.0;

/* The slope after a step is what it was expected to be within this factor (log2): near a singular point small corrections alone do not
 * show that a point is on the path. */
static const double MOST_SURPRISE = 3.0;

/* Corrections end at 2^-ACCURATE times the largest one that is allowed. */
static const double ACCURATE = 24.0;

static const double LEAST_STEP = 1e-7, MOST_STEP = 1000.0, LEAST_REACH = 30.0;

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
    double work, most_work;
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

static plumb_status begin(const plumb_homotopy *homotopy, double most_work, follower *f)
{
    const int64_t n = homotopy->unknowns, bits = FIRST_BITS;
    *f = (follower){.homotopy = homotopy, .n = n, .bits = bits, .most_work = most_work};
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
    bool good = f->values && f->jacobian && f->a && f->b && f->next;
    for (int k = 0; k < HISTORY; k++) {
        f->x[k] = mp_make(n, bits);
        f->slope[k] = mp_make(n, bits);
        good = good && f->x[k] && f->slope[k];
    }
    return good ? status : PLUMB_ERR_MEMORY;
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

/* One correction at x: subtracts it, and returns its size (log2, absolute); infinity if there is none. The slope of the path, as far as
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
        size = fmax(size, mp_log2(&f->b[2 * i]));
        mp_sub(&x[i], &x[i], &f->b[2 * i]);
    }
    return size;
}

/* The size below which a change of X is rounding, relative to the largest coordinate. */
static double rounding(const follower *f)
{
    return 64.0 - (double)f->bits;
}

/* Newton's method at x; most: the largest first correction; enough: the size of a correction after which none follows, but the first does
 * not count: where equations like x y = 0 and y = x^2 meet, it moves y and says nothing about x, nor about the slope. All sizes are
 * relative to the largest coordinate. True if it converges by a margin; *first and *last are then sizes of corrections. */
static bool converge(follower *f, mp_complex *x, double most, double enough, double *first, double *last)
{
    const double size = mp_log2_largest(x, f->n);
    double before = (double)INFINITY;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        const double now = correct(f, x) - size;
        *first = k == 0 ? now : *first;
        *last = now;
        if (!(now <= (k == 0 ? most : fmax(before + CONTRACTION, enough))))
            return false;
        if (now <= enough && (k > 0 || now <= rounding(f)))
            return true;
        before = now;
    }
    return false;
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
static int64_t bits_at(double sigma)
{
    const int64_t bits = FIRST_BITS + (int64_t)(1.25 * fmax(-sigma, 0.0) / log(2.0));
    return bits / 64 * 64 + 64;
}

/* log2 of a condition number of the target at x: how far X moves, relative to the largest coordinate, where each equation changes by its
 * derivative. */
static double condition(follower *f, const mp_complex *x)
{
    const int64_t n = f->n;
    f->work += mp_system_cost(f->homotopy->stacked, f->bits);
    mp_system_eval(&f->system, x, f->values, f->jacobian, NULL);
    for (int64_t e = 0; e < n; e++) {
        const mp_complex *row = &f->jacobian[(n + e) * n];
        int64_t most = 0;
        for (int64_t j = 0; j < n; j++) {
            mp_set(&f->a[e * n + j], &row[j]);
            most = mp_log2(&row[j]) > mp_log2(&row[most]) ? j : most;
        }
        mpfr_mul_si(f->b[e].re, row[most].re, (long)e + 1, MPFR_RNDN); /* factors that no solution fits by chance */
        mpfr_mul_si(f->b[e].im, row[most].im, (long)e + 1, MPFR_RNDN);
    }
    if (!mp_solve(f->a, f->b, n, 1, f->temporary))
        return (double)INFINITY;
    return mp_log2_largest(f->b, n) - mp_log2_largest(x, n);
}

/* Newton's method at tau = 0 from the newest point. That it converges does not show that the end is regular, because X may come to a
 * singular point from a direction in which nothing is seen of that. */
static bool jump(follower *f, double *error)
{
    double first, last;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&f->next[i], &f->x[0][i]);
    set_weight(f, 0.0, true);
    /* As many digits as the condition leaves: where corrections are that small, the next one would be their square. */
    const bool good = converge(f, f->next, -8.0, 0.6 * rounding(f), &first, &last);
    *error = fmax(last, rounding(f)) + 1.0;
    const bool expected = first <= rounding(f) || fabs(first - slope_size(f, 0)) < 0.5;
    return good && expected && condition(f, f->next) + fmax(first, rounding(f)) <= -8.0;
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
    const double most = fmin(MOST_CORRECTION, fmax(left + OFF_SLOPE, least));
    bool good = converge(f, f->next, most, fmax(rounding(f), most - ACCURATE), &first, &last);
    if (good && slope > least) {
        const double expected = fmax(slope - fall * way / log(2.0), least);
        surprise = fmax(next_slope_size(f), least) - expected;
    }
    if (!good || fabs(surprise) > MOST_SURPRISE) {
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

static void walk(follower *f, double digits, mp_path *path)
{
    double length = 1.0;
    const double near_end = -digits * log2(10.0);
    for (path->steps = 0; path->steps < MOST_STEPS && f->work < f->most_work; path->steps++) {
        length =
            fmin(length, fmax(LEAST_REACH, -f->sigma[0])); /* so that precisions do not grow for a step that fails */
        const double sigma = f->sigma[0] - length;
        if (bits_at(sigma) > f->bits && !raise_bits(f, bits_at(sigma * 1.25)))
            return;
        if (!step(f, sigma, &length)) {
            if (length < LEAST_STEP)
                return;
            continue;
        }
        const double fall = falls_by(f), slope = slope_size(f, 0);
        if (f->sigma[0] > -2.0)
            continue;
        if ((fall > 0.75 || slope <= rounding(f)) && jump(f, &path->error)) {
            path->end = MP_END_REGULAR;
            take(f, f->next, path);
            return;
        }
        const double distance = distance_left(f);
        if (fall > LEAST_FALL && distance <= near_end && f->sigma[0] < -40.0) {
            path->end = MP_END_SINGULAR;
            path->error = fmax(distance, rounding(f));
            take(f, f->x[0], path);
            return;
        }
    }
}

/* The start solution on the patch: (1, x / 2^e) / p.(1, x / 2^e). */
static void set_start(follower *f, const double *start)
{
    const plumb_homotopy *h = f->homotopy;
    const int64_t n = f->n;
    mp_complex *x = f->next, *sum = &f->temporary[2];
    for (int64_t i = 0; i < h->given_unknowns; i++) {
        mp_complex *z = &x[i + h->projective];
        mp_set_limbs(z, start + 2 * i * PLUMB_QD, start + (2 * i + 1) * PLUMB_QD, PLUMB_QD);
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

plumb_status mp_follow(const plumb_homotopy *homotopy, const double *start, double digits, double most_work,
                       mp_path *path)
{
    follower f;
    double first, last;
    *path = (mp_path){.end = MP_END_FAILED, .error = 0.0};
    plumb_status status = begin(homotopy, most_work, &f);
    if (status == PLUMB_OK) {
        set_start(&f, start);
        set_weight(&f, FIRST_SIGMA, false);
        /* The start solution solves g, not h: the slope is that of a corrected point. */
        if (converge(&f, f.next, -20.0, -100.0, &first, &last) && correct(&f, f.next) < 0.0) {
            path->x = mp_make(f.n, f.bits);
            status = path->x ? PLUMB_OK : PLUMB_ERR_MEMORY;
            remember(&f, FIRST_SIGMA);
        }
    }
    if (status == PLUMB_OK && path->x)
        walk(&f, digits, path);
    if (status == PLUMB_OK && path->x && path->end == MP_END_FAILED) {
        path->error = distance_left(&f);
        take(&f, f.x[0], path);
    }
    path->work = f.work;
    end(&f);
    return status;
}

void mp_path_clear(const plumb_homotopy *homotopy, mp_path *path)
{
    mp_free(path->x, path->x ? homotopy->unknowns : 0);
    *path = (mp_path){.x = NULL};
}
