/* torus.c - see torus.h. */
#include "solver/mp/torus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/mp/system.h"

#define LOG2_E 1.4426950408889634

enum {
    FIRST_BITS = 128,
    FACTOR_BITS = 64, /* of what multiplies a coefficient, less 1: relative to that, and so to tau */
    SIDES = 3,        /* of the linear equations: for the correction, the slope and the condition */
    MOST_STEPS = 4000,
    MOST_CORRECTIONS = 6
};

/* The first correction of a step, that of z, from which steps are shortened and lengthened; and what its product with the condition is
 * where a point is good enough to go on. The next correction is at most about this product times the correction. */
static const double MOST_CORRECTION = 0.03, GOOD_CORRECTION = 0.004, SMALL_CORRECTION = 0x1p-12;

/* Steps of log(tau): the longest before tau is so small that terms change in proportion to it, and where to give up. */
static const double LONGEST = 0.7, EARLY = 0x1p-10, SHORTEST = 1e-8;

/* The target is tried when the slopes are at most this; and where it must have been reached. */
static const double MOST_SLOPE = 0.1, LEAST_TAU = 0x1p-900;

/* Rounding errors, which the condition multiplies, are to be smaller than corrections that are good enough by this number of bits. */
static const double SPARE_BITS = 48.0;

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static void round_coefficients(mp_torus *w)
{
    const plumb_system *s = w->system;
    for (int64_t k = 0; k < s->equation[s->equations]; k++) {
        mpfr_set_q(w->coefficient[k].re, s->terms[k].re, MPFR_RNDN);
        mpfr_set_q(w->coefficient[k].im, s->terms[k].im, MPFR_RNDN);
    }
}

/* The numbers of the work, in lists; false after the last one. */
static bool list_of(mp_torus *w, int which, mp_complex ***list, int64_t *count)
{
    const int64_t n = w->system->unknowns;
    mp_complex **const lists[] = {&w->coefficient, &w->z, &w->next, &w->powers, &w->matrix, &w->sides, &w->room};
    const int64_t counts[] = {w->system->equation[n], n, n, w->power_count, n * n, SIDES * n, 6};
    if (which >= (int)(sizeof counts / sizeof *counts))
        return false;
    *list = lists[which];
    *count = counts[which];
    return true;
}

static void resize(mp_torus *w, int64_t bits)
{
    mp_complex **list;
    int64_t count;
    for (int which = 0; list_of(w, which, &list, &count); which++)
        mp_resize(*list, count, bits);
    w->bits = bits;
    round_coefficients(w);
}

plumb_status mp_torus_begin(const plumb_system *square, mp_torus *w)
{
    const int64_t n = square->unknowns, terms = square->equation[n];
    mp_complex **list;
    int64_t count;
    *w = (mp_torus){.system = square, .bits = FIRST_BITS};
    w->highest = calloc((size_t)n, sizeof *w->highest);
    w->first = calloc((size_t)n, sizeof *w->first);
    w->size = calloc((size_t)(2 * terms + 6 * n), sizeof *w->size);
    if (!w->highest || !w->first || !w->size)
        return PLUMB_ERR_MEMORY;
    w->slope = w->size + 2 * terms;
    w->last = w->slope + 2 * n;
    w->last_slope = w->last + 2 * n;
    for (int64_t f = 0; f < terms; f++)
        for (int32_t i = 0; i < square->terms[f].count; i++) {
            const system_factor *factor = &square->factors[square->terms[f].first + i];
            if (factor->exponent > w->highest[factor->unknown])
                w->highest[factor->unknown] = factor->exponent;
        }
    for (int64_t i = 0; i < n; i++) {
        w->first[i] = w->power_count;
        w->power_count += w->highest[i] + 1;
    }
    for (int which = 0; list_of(w, which, &list, &count); which++) {
        *list = mp_make(count, w->bits);
        if (!*list)
            return PLUMB_ERR_MEMORY;
    }
    round_coefficients(w);
    for (int64_t k = 0; k < terms; k++)
        w->size[k] = mp_log2(&w->coefficient[k]);
    return PLUMB_OK;
}

void mp_torus_clear(mp_torus *w)
{
    mp_complex **list;
    int64_t count;
    if (!w->system)
        return;
    for (int which = 0; list_of(w, which, &list, &count); which++)
        mp_free(*list, *list ? count : 0);
    free(w->highest);
    free(w->first);
    free(w->size);
    *w = (mp_torus){.system = NULL};
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static void set_zero(mp_complex *x)
{
    mpfr_set_zero(x->re, 1);
    mpfr_set_zero(x->im, 1);
}

/* The powers of x = e^z. */
static void make_powers(mp_torus *w, const mp_complex *z)
{
    mp_complex *room = w->room;
    for (int64_t i = 0; i < w->system->unknowns; i++) {
        mp_complex *p = w->powers + w->first[i];
        mpfr_set_ui(p[0].re, 1, MPFR_RNDN);
        mpfr_set_zero(p[0].im, 1);
        if (w->highest[i] < 1)
            continue;
        mp_exp(&p[1], &z[i], room[0].re);
        for (int32_t e = 2; e <= w->highest[i]; e++)
            mp_mul(&p[e], &p[e - 1], &p[1], room[0].re);
    }
}

/* factor = e^(-rate tau + i angle) with the relative accuracy of factor - 1: e^a cos b - 1 = (e^a - 1) cos b - 2 sin(b/2)^2. */
static void make_factor(double rate_tau, double angle, mp_complex *factor)
{
    mpfr_t a, grown, half, cosine, sine;
    mpfr_inits2(FACTOR_BITS, a, grown, half, cosine, sine, (mpfr_ptr)0);
    mpfr_set_d(a, -rate_tau, MPFR_RNDN);
    mpfr_expm1(grown, a, MPFR_RNDN);
    mpfr_set_d(a, angle, MPFR_RNDN);
    mpfr_sin_cos(sine, cosine, a, MPFR_RNDN);
    mpfr_div_2ui(a, a, 1, MPFR_RNDN);
    mpfr_sin(half, a, MPFR_RNDN);
    mpfr_sqr(half, half, MPFR_RNDN);
    mpfr_mul_2ui(half, half, 1, MPFR_RNDN);
    mpfr_mul(a, grown, cosine, MPFR_RNDN);
    mpfr_sub(a, a, half, MPFR_RNDN);
    mpfr_add_ui(factor->re, a, 1, MPFR_RNDN);
    mpfr_mul(a, grown, sine, MPFR_RNDN);
    mpfr_add(factor->im, a, sine, MPFR_RNDN);
    mpfr_clears(a, grown, half, cosine, sine, (mpfr_ptr)0);
}

/* The terms of equation e at the point whose powers were made: log2 of their moduli; returns the largest. */
static double find_sizes(mp_torus *w, int64_t e, const mp_complex *z, double tau)
{
    const plumb_system *s = w->system;
    double *size = w->size + s->equation[s->equations], most = -(double)INFINITY;
    for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
        size[k] = w->size[k] - LOG2_E * w->rate[k] * tau;
        for (int32_t i = 0; i < s->terms[k].count; i++) {
            const system_factor *f = &s->factors[s->terms[k].first + i];
            size[k] += LOG2_E * f->exponent * mpfr_get_d(z[f->unknown].re, MPFR_RNDN);
        }
        most = fmax(most, size[k]);
    }
    return most;
}

/* term = the value of term k. */
static void make_term(mp_torus *w, int64_t k, double tau, mp_complex *term)
{
    const plumb_system *s = w->system;
    mp_complex *room = w->room;
    mp_set(term, &w->coefficient[k]);
    if (tau > 0.0) {
        make_factor(w->rate[k] * tau, w->angle ? w->angle[k] * (tau / (1.0 + tau)) : 0.0, &room[0]);
        mp_mul(term, term, &room[0], room[1].re);
    }
    for (int32_t i = 0; i < s->terms[k].count; i++) {
        const system_factor *f = &s->factors[s->terms[k].first + i];
        mp_mul(term, term, &w->powers[w->first[f->unknown] + f->exponent], room[1].re);
    }
}

/* Adds a term to row e of the equations, and to their right-hand sides. */
static void add_term(mp_torus *w, int64_t e, int64_t k, double tau, const mp_complex *term)
{
    const plumb_system *s = w->system;
    mp_complex *side = w->sides + SIDES * e, *room = w->room;
    const double turn = w->angle ? w->angle[k] / ((1.0 + tau) * (1.0 + tau)) : 0.0;
    mp_sub(&side[0], &side[0], term);
    for (int32_t i = 0; i < s->terms[k].count; i++) {
        const system_factor *f = &s->factors[s->terms[k].first + i];
        mp_complex *entry = &w->matrix[e * s->unknowns + f->unknown];
        mpfr_mul_si(room[0].re, term->re, f->exponent, MPFR_RNDN);
        mpfr_mul_si(room[0].im, term->im, f->exponent, MPFR_RNDN);
        mp_add(entry, entry, &room[0]);
    }
    mpfr_set_d(room[1].re, w->rate[k], MPFR_RNDN);
    mpfr_set_d(room[1].im, -turn, MPFR_RNDN);
    mp_add_product(&side[1], term, &room[1], &room[0]);
}

static void shift(mp_complex *x, long bits)
{
    mpfr_mul_2si(x->re, x->re, bits, MPFR_RNDN);
    mpfr_mul_2si(x->im, x->im, bits, MPFR_RNDN);
}

/* Solves the equations at z and tau: sides become the correction of Newton's method, dz/dtau, and a vector whose size is the condition. False
 * if they are singular. */
static bool solve_at(mp_torus *w, const mp_complex *z, double tau)
{
    const plumb_system *s = w->system;
    const int64_t n = s->unknowns;
    const double *size = w->size + s->equation[n];
    mp_complex *term = &w->room[2];
    make_powers(w, z);
    for (int64_t e = 0; e < n; e++) {
        const double most = find_sizes(w, e, z, tau);
        if (!isfinite(most))
            return false;
        for (int64_t j = 0; j < n; j++)
            set_zero(&w->matrix[e * n + j]);
        for (int64_t j = 0; j < SIDES; j++)
            set_zero(&w->sides[SIDES * e + j]);
        for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
            if (size[k] < most - (double)w->bits - 16.0)
                continue;
            make_term(w, k, tau, term);
            add_term(w, e, k, tau, term);
        }
        const long down = -(long)floor(most);
        for (int64_t j = 0; j < n; j++)
            shift(&w->matrix[e * n + j], down);
        for (int64_t j = 0; j < SIDES - 1; j++)
            shift(&w->sides[SIDES * e + j], down);
        mpfr_set_si(w->sides[SIDES * e + SIDES - 1].re, e % 2 ? -1 : 1, MPFR_RNDN);
        mpfr_set_d(w->sides[SIDES * e + SIDES - 1].im, 1.0 / (double)(e + 2), MPFR_RNDN);
    }
    w->effort->work += mp_system_cost(s, w->bits);
    if (!mp_solve(w->matrix, w->sides, n, SIDES, &w->room[3]))
        return false;
    w->condition = 0.0;
    for (int64_t i = 0; i < n; i++)
        w->condition = fmax(w->condition, mp_log2(&w->sides[SIDES * i + SIDES - 1]));
    return isfinite(w->condition);
}

/* Adds the correction to z, and returns log2 of its size. */
static double correct(mp_torus *w, mp_complex *z)
{
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < w->system->unknowns; i++) {
        most = fmax(most, mp_log2(&w->sides[SIDES * i]));
        mp_add(&z[i], &z[i], &w->sides[SIDES * i]);
    }
    return most;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

/* Are there enough bits for the condition? If not, there are from now on; false if that are too many. */
static bool has_bits(mp_torus *w, bool *enough)
{
    const double needed = 2.0 * w->condition + SPARE_BITS;
    *enough = needed <= (double)w->bits;
    if (*enough)
        return true;
    if (w->effort->most_bits > 0 && needed + SPARE_BITS > (double)w->effort->most_bits)
        return false;
    resize(w, ((int64_t)(needed + SPARE_BITS) / 64 + 1) * 64);
    return true;
}

typedef enum torus_step { STEP_DONE, STEP_SHORTER, STEP_AGAIN, STEP_LOST } torus_step;

/* Corrects w->next at tau. *first: the first correction. */
static torus_step land(mp_torus *w, double tau, double most, double *first)
{
    double before = (double)INFINITY;
    *first = (double)INFINITY;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        bool enough;
        if (!solve_at(w, w->next, tau))
            return STEP_SHORTER;
        if (!has_bits(w, &enough))
            return STEP_LOST;
        if (!enough)
            return STEP_AGAIN;
        const double now = exp2(correct(w, w->next));
        *first = k == 0 ? now : *first;
        if (!(now <= (k == 0 ? most : 0.25 * before)))
            return STEP_SHORTER;
        if (now <= SMALL_CORRECTION * exp2(-w->condition))
            return STEP_DONE;
        before = now;
    }
    return STEP_SHORTER;
}

/* w->next = what the cubic polynomial in log(tau) through the last two points gives a step further; `behind`: the step that led here, 0: there
 * was none. */
static void predict(mp_torus *w, double behind, double step)
{
    const double q = behind > 0.0 ? -step / behind : 0.0;
    for (int64_t i = 0; i < w->system->unknowns; i++) {
        mp_set(&w->next[i], &w->z[i]);
        for (int part = 0; part < 2; part++) {
            const double m0 = w->slope[2 * i + part] * behind, m1 = w->last_slope[2 * i + part] * behind;
            const double d = w->last[2 * i + part];
            const double second = 3.0 * d - 2.0 * m0 - m1, third = m0 + m1 - 2.0 * d;
            const double by = behind > 0.0 ? q * (m0 + q * (second + q * third)) : -step * w->slope[2 * i + part];
            mpfr_t *to = part == 0 ? &w->next[i].re : &w->next[i].im;
            mpfr_add_d(*to, *to, by, MPFR_RNDN);
        }
    }
}

/* Takes w->next for z, and the slope there. */
static void advance(mp_torus *w, double tau)
{
    for (int64_t i = 0; i < w->system->unknowns; i++) {
        mp_sub(&w->room[0], &w->z[i], &w->next[i]);
        w->last[2 * i] = mpfr_get_d(w->room[0].re, MPFR_RNDN);
        w->last[2 * i + 1] = mpfr_get_d(w->room[0].im, MPFR_RNDN);
        mp_set(&w->z[i], &w->next[i]);
        for (int part = 0; part < 2; part++)
            w->last_slope[2 * i + part] = w->slope[2 * i + part];
        mpfr_mul_d(w->room[0].re, w->sides[SIDES * i + 1].re, tau, MPFR_RNDN);
        mpfr_mul_d(w->room[0].im, w->sides[SIDES * i + 1].im, tau, MPFR_RNDN);
        w->slope[2 * i] = mpfr_get_d(w->room[0].re, MPFR_RNDN);
        w->slope[2 * i + 1] = mpfr_get_d(w->room[0].im, MPFR_RNDN);
    }
}

/* The largest slope, of the real parts alone or of all. */
static double steepest(const mp_torus *w, bool real)
{
    double most = 0.0;
    for (int64_t i = 0; i < 2 * w->system->unknowns; i += real ? 2 : 1)
        most = fmax(most, fabs(w->slope[i]));
    return most;
}

/* The next step after one of this length whose first correction was this: the error of the predictor is of fourth order. */
static double longer(double step, double first)
{
    const double ratio = GOOD_CORRECTION / fmax(first, 1e-6 * GOOD_CORRECTION);
    return step * fmin(fmax(sqrt(sqrt(ratio)), 0.5), 2.0);
}

/* Tries the last step, to the target. */
static torus_step jump(mp_torus *w, double most)
{
    double first;
    for (int64_t i = 0; i < w->system->unknowns; i++) {
        mp_set(&w->next[i], &w->z[i]);
        mpfr_sub_d(w->next[i].re, w->next[i].re, w->slope[2 * i], MPFR_RNDN);
        mpfr_sub_d(w->next[i].im, w->next[i].im, w->slope[2 * i + 1], MPFR_RNDN);
    }
    return land(w, 0.0, most, &first);
}

/* Corrects the start point, which is as accurate as the terms that it neglects are small. */
static bool begin_walk(mp_torus *w, double tau)
{
    torus_step landed = STEP_AGAIN;
    double first;
    while (landed == STEP_AGAIN) {
        for (int64_t i = 0; i < w->system->unknowns; i++)
            mp_set(&w->next[i], &w->z[i]);
        landed = land(w, tau, MOST_CORRECTION, &first);
    }
    if (landed == STEP_DONE)
        advance(w, tau);
    return landed == STEP_DONE;
}

/* At the least tau: has the path gone to infinity, or to zero, in some unknowns? They are powers of tau then, with the slopes as exponents, and
 * the largest terms of each equation have one exponent. All others must be so much smaller that no coefficient of the system could make
 * up for it. */
static bool is_at_infinity(mp_torus *w)
{
    const double same = 1e-6, least = 1.0 / 4096.0;
    const plumb_system *s = w->system;
    const double *size = w->size + s->equation[s->equations];
    const double gap = (double)mp_bits_for(s, 64, 1);
    for (int64_t i = 0; i < 2 * s->unknowns; i++)
        if (!(fabs(w->slope[i] - w->last_slope[i]) <= same))
            return false;
    if (steepest(w, true) < least)
        return false;
    for (int64_t e = 0; e < s->equations; e++) {
        const double most = find_sizes(w, e, w->z, LEAST_TAU);
        double lowest = (double)INFINITY;
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
                double exponent = 0.0;
                for (int32_t i = 0; i < s->terms[k].count; i++) {
                    const system_factor *f = &s->factors[s->terms[k].first + i];
                    exponent += f->exponent * w->slope[2 * f->unknown];
                }
                if (pass == 0)
                    lowest = fmin(lowest, exponent);
                else if (exponent - lowest > same * 64.0 && (exponent - lowest < least || size[k] > most - gap))
                    return false;
            }
    }
    return true;
}

static bool is_spent(const mp_effort *effort)
{
    return effort->work >= effort->most_work || (effort->stop && effort->stop(effort->data));
}

/* From w->z at tau to the target. */
static mp_torus_end walk(mp_torus *w, double tau, double shorter)
{
    double step = 0.2 * shorter, behind = 0.0, first = 0.0, flat = MOST_SLOPE;
    if (!begin_walk(w, tau))
        return MP_TORUS_LOST;
    for (int64_t steps = 0; tau > 0.0; steps++) {
        if (steps >= MOST_STEPS || is_spent(w->effort))
            return MP_TORUS_LOST;
        const double steep = steepest(w, false);
        if (steep <= flat) {
            const torus_step landed = jump(w, MOST_CORRECTION * shorter);
            if (landed == STEP_DONE)
                break;
            flat = landed == STEP_AGAIN ? flat : 0.25 * steep;
            if (landed == STEP_LOST)
                return MP_TORUS_LOST;
            if (landed == STEP_AGAIN)
                continue;
        }
        if (tau <= LEAST_TAU)
            return is_at_infinity(w) ? MP_TORUS_INFINITE : MP_TORUS_LOST;
        step = tau > EARLY ? fmin(step, LONGEST * shorter) : step;
        const double rest = log(tau / LEAST_TAU), next = step < rest ? tau * exp(-step) : LEAST_TAU;
        step = fmin(step, rest);
        predict(w, behind, step);
        const torus_step landed = land(w, next, MOST_CORRECTION * shorter, &first);
        if (landed == STEP_LOST || step < SHORTEST)
            return MP_TORUS_LOST;
        if (landed == STEP_SHORTER)
            step *= 0.5;
        if (landed != STEP_DONE)
            continue;
        advance(w, next);
        behind = step;
        step = longer(step, first / shorter);
        tau = next;
    }
    advance(w, 0.0);
    return MP_TORUS_REGULAR;
}

/* Newton's method at the target. */
static bool refine(mp_torus *w, int64_t goal)
{
    double before = (double)INFINITY;
    resize(w, goal + 2 * (int64_t)SPARE_BITS + 64 * ((int64_t)w->condition / 64 + 1));
    for (int k = 0; k < 40 && !is_spent(w->effort); k++) {
        if (!solve_at(w, w->z, 0.0))
            return false;
        const double now = correct(w, w->z);
        if (!(now <= (k == 0 ? log2(MOST_CORRECTION) : before - 2.0)))
            return false;
        /* The next one would be its square, times the condition. */
        if (now <= -0.5 * (double)goal - w->condition)
            return true;
        before = now;
    }
    return false;
}

mp_torus_end mp_torus_follow(mp_torus *w, mp_complex *z, double tau, double shorter, int64_t goal, mp_effort *effort)
{
    const int64_t n = w->system->unknowns;
    resize(w, FIRST_BITS);
    w->effort = effort;
    effort->work = 0.0;
    for (int64_t i = 0; i < n; i++)
        mp_set(&w->z[i], &z[i]);
    memset(w->slope, 0, (size_t)(6 * n) * sizeof *w->slope);
    mp_torus_end end = walk(w, tau, shorter);
    if (end == MP_TORUS_REGULAR && !refine(w, goal))
        end = MP_TORUS_LOST;
    mp_resize(z, n, w->bits);
    for (int64_t i = 0; i < n; i++)
        mp_set(&z[i], &w->z[i]);
    effort->arrived = end == MP_TORUS_REGULAR;
    return end;
}
