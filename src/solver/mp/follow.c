/* follow.c - see follow.h. */
#include "solver/mp/follow.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/refine.h"
#include "solver/mp/system.h"

enum {
    HISTORY = MP_HISTORY,
    FIRST_SIGMA = 100,     /* where the walk begins: there f does not matter yet */
    FIRST_BITS = 256,      /* precision there */
    MOST_CORRECTIONS = 20, /* of one step; Newton's method doubles the digits with each */
    MOST_C = 64,           /* of the series that are tried, */
    SOME_C = 4,            /* and how many of them after a step */
    SPARE_BITS = 192,      /* of predictions */
    MOST_KEPT = 4,         /* steps, as good as expected, after which other variables are tried */
    LIMIT_POINTS = 4       /* from which a limit is found, at least */
};

/* A correction is at most 2^CONTRACTION times the one before: far from where Newton's method starts to fail, so that a step does
 * not lead to another path. */
static const double CONTRACTION = -6.0;

/* And the last one is at most 2^QUADRATIC times the one before: then it is far inside the region of quadratic convergence, which near a
 * cluster is much smaller than the corrections that would otherwise do. */
static const double QUADRATIC = -16.0;

/* The first correction of a step is at most this (log2), relative to the largest coordinate, and at most 2^OFF_SLOPE times what is left
 * of the way to the limit: other paths to the same point are about as far away. */
static const double MOST_CORRECTION = -7.0, OFF_SLOPE = -4.0;

/* The slope after a step is what it was expected to be within this factor (log2): near a singular point small corrections alone do not
 * show that a point is on the path. */
static const double MOST_SURPRISE = 3.0;

/* c times an exponent of tau is an integer within NEAR_ORDER, below MOST_ORDER. Terms are balanced if their sum is at most 2^BALANCED times
 * the largest one. */
static const double NEAR_ORDER = 0.1, MOST_ORDER = 1e4, BALANCED = -5.0;

/* Values of the target at a limit may be so much larger (log2) than what the error of the limit accounts for. */
static const double TOLERATED = 8.0;

/* Corrections also end where the next one is expected to be less than what is wanted by this factor (log2). */
static const double MARGIN = 16.0;

/* Corrections end at 2^-ACCURATE times the largest one that is allowed. */
static const double ACCURATE = 24.0;

static const double LEAST_STEP = 1e-7, MOST_STEP = 1000.0, LEAST_REACH = 30.0;

/* The first step after the precision was doubled. */
static const double NEW_STEP = 1e-3;

/* Exponents by which slopes fall: 1/c at the end of a path with winding number c. */
static const double LEAST_FALL = 0.01, MOST_FALL = 8.0;

/* A variable in which X is interpolated. */
typedef struct variable {
    double fall; /* u = e^(fall sigma); 0: sigma itself */
    int64_t c;   /* fall is 1 / c, exactly; 0: it is no such number */
} variable;

/* How the next point is predicted. */
typedef struct predictor {
    variable in;
    int points;      /* from so many of the newest points; in the same way the newest one */
    int tried;       /* would have been predicted from so many before it, */
    double missed;   /* with this error (log2), relative to the largest coordinate, */
    double gain;     /* which would be larger by so much without the oldest of them */
    int kept;        /* steps since other variables were tried */
    double expected; /* the error of the next prediction */
} predictor;

typedef struct follower {
    const plumb_homotopy *homotopy;
    mp_system system; /* stacked */
    int64_t n, bits;
    mp_complex *values, *jacobian; /* of the stacked system */
    mp_complex *a, *b;             /* of h: n x n, and n x 2: minus h and minus its derivative by sigma */
    mp_complex *x[HISTORY], *slope[HISTORY], *next, *other;
    mp_complex *trace; /* of each point: a combination of its coordinates and that of the slopes */
    double sigma[HISTORY];
    int64_t known; /* points of the history */
    predictor predictor;
    bool recedes; /* the path seems to go to infinity: points are corrected as far as their precision allows */
    double curve
        [2]; /* log2 of the ratio of a second correction to the square of the first, at the newest point where that was seen and */
    double curve_at[2]; /* at the one before it */
    double stall;       /* where corrections stopped decreasing */
    bool stalled;       /* in the last step */
    bool in_step;       /* the last correction need not show how accurate the point is */
    mp_complex gamma, temporary[3];
    mp_complex weight; /* of g */
    int64_t *order;    /* of each coordinate in u */
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
    mp_resize(f->other, n, bits);
    mp_resize(f->trace, 2 * HISTORY, bits);
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
    *f = (follower){.homotopy = homotopy,
                    .n = n,
                    .bits = bits,
                    .options = options,
                    .work = path->work,
                    .curve = {-(double)INFINITY, -(double)INFINITY},
                    .stall = (double)INFINITY};
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
    f->other = mp_make(n, bits);
    f->trace = mp_make(2 * HISTORY, bits);
    f->order = calloc((size_t)n, sizeof *f->order);
    f->unit = calloc((size_t)n, sizeof *f->unit);
    const bool good =
        f->values && f->jacobian && f->a && f->b && f->next && f->other && f->trace && f->order && f->unit;
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
    mp_free(f->other, f->other ? n : 0);
    mp_free(f->trace, f->trace ? 2 * HISTORY : 0);
    free(f->order);
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

/* What corrections of a step have shown; sizes are log2, in the units that are set. */
typedef struct corrections {
    double first, second, last;
} corrections;

/* Newton's method at x; most: the largest first correction; enough: the size of a correction after which none follows, but the first does
 * not count: where equations like x y = 0 and y = x^2 meet, it moves y and says nothing about x, nor about the slope. True if it
 * converges by a margin. */
static bool converge_in_units(follower *f, mp_complex *x, double most, double enough, corrections *by)
{
    const double contraction = CONTRACTION * (1.0 + (double)f->options->care);
    double before = (double)INFINITY;
    *by = (corrections){(double)INFINITY, -(double)INFINITY, (double)INFINITY};
    f->stalled = false;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        const double now = correct(f, x);
        by->first = k == 0 ? now : by->first;
        by->second = k == 1 ? now : by->second;
        by->last = now;
        if (!(now <= (k == 0 ? most : fmax(before + contraction, 0.6 * rounding(f))))) {
            f->stalled = k > 1 && before <= by->first + 2.0 * contraction && now <= before - 2.0 * contraction &&
                         before < f->stall - 32.0;
            f->stall = f->stalled ? before : f->stall;
            return false;
        }
        const bool quadratic = now <= before + QUADRATIC || now <= 0.6 * rounding(f);
        /* What is left is the square of the last correction, times what the ratio of the last two shows. */
        const bool close = now <= enough || (f->in_step && k > 1 && 3.0 * now - 2.0 * before <= enough - MARGIN);
        if (close && (k > 0 ? quadratic : now <= rounding(f)))
            return true;
        before = now;
    }
    return false;
}

/* The same, relative to the largest coordinate. */
static bool converge(follower *f, mp_complex *x, double most, double enough, corrections *by)
{
    set_units(f, x, false);
    return converge_in_units(f, x, most, enough, by);
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

/* ---- Predictions --------------------------------------------------------------------------------------------------- */

/* The variable at sigma: relative to its value at the newest point, or to that point for sigma itself. As many digits as the points
 * have, because those of a prediction near a component count. */
static void set_node(const follower *f, const variable *in, double sigma, mpfr_t node)
{
    mpfr_set_d(node, sigma, MPFR_RNDN);
    mpfr_sub_d(node, node, f->sigma[0], MPFR_RNDN);
    if (in->c != 0)
        mpfr_div_si(node, node, (long)in->c, MPFR_RNDN);
    else if (in->fall != 0.0)
        mpfr_mul_d(node, node, in->fall, MPFR_RNDN);
    if (in->fall != 0.0)
        mpfr_exp(node, node, MPFR_RNDN);
}

/* A derivative by sigma becomes one by the variable, or its weight that of the derivative by sigma. */
static void scale_slope(const variable *in, mpfr_t x, const mpfr_t node)
{
    if (in->fall == 0.0)
        return;
    mpfr_div(x, x, node, MPFR_RNDN);
    if (in->c != 0)
        mpfr_mul_si(x, x, (long)in->c, MPFR_RNDN);
    else
        mpfr_div_d(x, x, in->fall, MPFR_RNDN);
}

/* Weights of points and slopes. */
typedef struct weights {
    mpfr_t node[HISTORY + 1], a[HISTORY], b[HISTORY], room[3];
    mpfr_t inverse[HISTORY][HISTORY]; /* of the distances of nodes j and k, k < j */
} weights;

static void weights_begin(weights *w, int64_t bits)
{
    for (int k = 0; k <= HISTORY; k++)
        mpfr_init2(w->node[k], (mpfr_prec_t)bits);
    for (int j = 0; j < HISTORY; j++) {
        mpfr_inits2((mpfr_prec_t)bits, w->a[j], w->b[j], NULL);
        for (int k = 0; k < j; k++)
            mpfr_init2(w->inverse[j][k], (mpfr_prec_t)bits);
    }
    mpfr_inits2((mpfr_prec_t)bits, w->room[0], w->room[1], w->room[2], NULL);
}

static void weights_end(weights *w)
{
    for (int k = 0; k <= HISTORY; k++)
        mpfr_clear(w->node[k]);
    for (int j = 0; j < HISTORY; j++) {
        mpfr_clears(w->a[j], w->b[j], NULL);
        for (int k = 0; k < j; k++)
            mpfr_clear(w->inverse[j][k]);
    }
    mpfr_clears(w->room[0], w->room[1], w->room[2], NULL);
}

/* The first `count` nodes, and the inverses of their distances. */
static void set_nodes(const follower *f, const variable *in, int count, weights *w)
{
    for (int j = 0; j < count; j++) {
        set_node(f, in, f->sigma[j], w->node[j]);
        for (int k = 0; k < j; k++) {
            mpfr_sub(w->room[0], w->node[j], w->node[k], MPFR_RNDN);
            mpfr_ui_div(w->inverse[j][k], 1, w->room[0], MPFR_RNDN);
        }
    }
}

/* Those of the Hermite interpolant through points first, ..., last - 1 at the last node: with l_j, the Lagrange polynomials,
 * (1 - 2 (t - t_j) l_j'(t_j)) l_j(t)^2 and (t - t_j) l_j(t)^2. */
static void make_weights(const variable *in, int first, int last, weights *w)
{
    mpfr_ptr share = w->room[0], slope = w->room[1], apart = w->room[2];
    for (int j = first; j < last; j++) {
        mpfr_set_ui(share, 1, MPFR_RNDN);
        mpfr_set_zero(slope, 1);
        for (int k = first; k < last; k++) {
            if (k == j)
                continue;
            mpfr_set(apart, k < j ? w->inverse[j][k] : w->inverse[k][j], MPFR_RNDN);
            if (k > j)
                mpfr_neg(apart, apart, MPFR_RNDN);
            mpfr_add(slope, slope, apart, MPFR_RNDN);
            mpfr_mul(share, share, apart, MPFR_RNDN);
            mpfr_sub(apart, w->node[HISTORY], w->node[k], MPFR_RNDN);
            mpfr_mul(share, share, apart, MPFR_RNDN);
        }
        mpfr_sqr(share, share, MPFR_RNDN);
        mpfr_sub(apart, w->node[HISTORY], w->node[j], MPFR_RNDN);
        mpfr_mul(w->b[j], apart, share, MPFR_RNDN);
        mpfr_mul(slope, slope, w->b[j], MPFR_RNDN);
        mpfr_mul_2ui(slope, slope, 1, MPFR_RNDN);
        mpfr_sub(w->a[j], share, slope, MPFR_RNDN);
        scale_slope(in, w->b[j], w->node[j]);
    }
}

static void combine(follower *f, const weights *w, int first, int last, mp_complex *x)
{
    for (int64_t i = 0; i < f->n; i++) {
        mpfr_set_zero(x[i].re, 1);
        mpfr_set_zero(x[i].im, 1);
        for (int j = first; j < last; j++) {
            const mp_complex *at = &f->x[j][i], *slope = &f->slope[j][i];
            mpfr_fmma(f->temporary[0].re, at->re, w->a[j], slope->re, w->b[j], MPFR_RNDN);
            mpfr_fmma(f->temporary[0].im, at->im, w->a[j], slope->im, w->b[j], MPFR_RNDN);
            mp_add(&x[i], &x[i], &f->temporary[0]);
        }
    }
}

/* The bits for a prediction with this error (log2): with some of them weights may cancel. */
static int64_t bits_for(const follower *f, double error)
{
    const double bits = SPARE_BITS + fmax(0.0, -error);
    return bits < (double)f->bits ? (int64_t)bits : f->bits;
}

/* The predicted point at sigma, to f->next. */
static void predict(follower *f, double sigma)
{
    const predictor *p = &f->predictor;
    weights w;
    weights_begin(&w, bits_for(f, p->expected));
    set_nodes(f, &p->in, p->points, &w);
    set_node(f, &p->in, sigma, w.node[HISTORY]);
    make_weights(&p->in, 0, p->points, &w);
    combine(f, &w, 0, p->points, f->next);
    weights_end(&w);
}

/* The combinations of the coordinates of all points, and of their slopes. */
static void set_traces(follower *f)
{
    for (int k = 0; k < f->known; k++)
        for (int part = 0; part < 2; part++) {
            mp_complex *sum = &f->trace[2 * k + part];
            mpfr_set_zero(sum->re, 1);
            mpfr_set_zero(sum->im, 1);
            for (int64_t i = 0; i < f->n; i++) {
                const mp_complex *x = part == 0 ? &f->x[k][i] : &f->slope[k][i];
                mpfr_mul_si(f->temporary[0].re, x->re, (long)i + 1, MPFR_RNDN);
                mpfr_mul_si(f->temporary[0].im, x->im, (long)i + 1, MPFR_RNDN);
                mp_add(sum, sum, &f->temporary[0]);
            }
        }
}

/* Predicts the newest point from one, two, ... of those before it in a variable, and takes over what is better than *best; with as many bits as
 * suffice to see errors below the one that was expected. The polynomial is that of Newton's divided differences, whose first terms are those for fewer points. */
static void try_variable(follower *f, const variable *in, double expected, predictor *best)
{
    const int64_t bits = bits_for(f, expected);
    const int count = 2 * ((int)f->known - 1);
    const double largest = mp_log2_largest(f->x[0], f->n);
    double before = -(double)INFINITY;
    mp_complex d[2 * HISTORY], *sum = &f->temporary[1], *term = &f->temporary[2];
    weights w; /* its nodes, their distances and its room */
    weights_begin(&w, bits);
    make_single(d, count, bits);
    set_nodes(f, in, (int)f->known, &w);
    for (int k = 0; k < count; k++)
        mp_set(&d[k], &f->trace[2 * (k / 2 + 1)]);
    for (int order = 1; order < count; order++)
        for (int k = count - 1; k >= order; k--) {
            const int to = k / 2 + 1, from = (k - order) / 2 + 1;
            if (to == from) {
                mp_set(&d[k], &f->trace[2 * to + 1]);
                scale_slope(in, d[k].re, w.node[to]);
                scale_slope(in, d[k].im, w.node[to]);
                continue;
            }
            mp_sub(&d[k], &d[k], &d[k - 1]);
            mpfr_mul(d[k].re, d[k].re, w.inverse[to][from], MPFR_RNDN);
            mpfr_mul(d[k].im, d[k].im, w.inverse[to][from], MPFR_RNDN);
        }
    mp_set(sum, &f->trace[0]); /* becomes the error */
    mpfr_set_ui(w.room[1], 1, MPFR_RNDN);
    for (int k = 0; k < count; k++) {
        mpfr_mul(term->re, d[k].re, w.room[1], MPFR_RNDN);
        mpfr_mul(term->im, d[k].im, w.room[1], MPFR_RNDN);
        mp_sub(sum, sum, term);
        mpfr_sub(w.room[0], w.node[0], w.node[k / 2 + 1], MPFR_RNDN);
        mpfr_mul(w.room[1], w.room[1], w.room[0], MPFR_RNDN);
        const int points = k / 2 + 1;
        const double missed = mp_log2(sum) - largest;
        if (k % 2 == 0)
            continue;
        if (missed < best->missed)
            *best = (predictor){.in = *in,
                                .points = points + 1 < f->known ? points : (int)f->known,
                                .tried = points,
                                .missed = missed,
                                .gain = fmin(missed - before, 0.0)};
        before = missed;
    }
    clear_single(d, count);
    weights_end(&w);
}

/* How the next point is predicted: in the way that would have been best for the newest one. The candidates are sigma; near the beginning,
 * where X is a power series in e^-sigma, that; u with the fall of the slope; and near the end u = e^(sigma / c), for the least c of which that
 * fall is a multiple of 1/c, as it is where the first terms of the series are not missing, and the last c. The variable stays for some steps
 * while predictions are as good as expected. */
static void choose_predictor(follower *f)
{
    static const variable in_sigma = {.fall = 0.0}, in_power = {.fall = -1.0, .c = -1};
    const double fall = falls_by(f);
    const predictor last = f->predictor;
    const int64_t before = last.in.c;
    f->predictor =
        (predictor){.in = in_sigma, .points = (int)f->known, .missed = (double)INFINITY, .expected = -(double)f->bits};
    if (f->known < 2)
        return;
    set_traces(f);
    if (last.tried > 0 && last.kept < MOST_KEPT) {
        try_variable(f, &last.in, last.expected, &f->predictor);
        f->predictor.kept = last.kept + 1;
        if (f->predictor.missed <= last.expected)
            return;
        f->predictor.kept = 0;
    }
    try_variable(f, &in_sigma, last.expected, &f->predictor);
    if (f->sigma[0] > 0.0)
        try_variable(f, &in_power, last.expected, &f->predictor);
    if (!(fabs(fall) > LEAST_FALL && fabs(fall) < MOST_FALL))
        return;
    try_variable(f, &(variable){.fall = fall}, last.expected, &f->predictor);
    int some = 0;
    for (int64_t c = 1; c <= MOST_C && some < SOME_C && f->sigma[0] < -2.0 && fall > 0.0; c++) {
        const double k = fall * (double)c;
        if (c != before && !(k > 0.5 && fabs(k - rint(k)) < 0.1))
            continue;
        some += c != before;
        try_variable(f, &(variable){.fall = 1.0 / (double)c, .c = c}, last.expected, &f->predictor);
    }
}

/* log2 of the ratio of the errors of predictions at sigma and of the newest point: that of the products of the distances of the nodes. */
static double error_ratio(const follower *f, double sigma)
{
    const predictor *p = &f->predictor;
    const double to = p->in.fall != 0.0 ? expm1(p->in.fall * (sigma - f->sigma[0])) : sigma - f->sigma[0];
    double ratio = 0.0;
    for (int k = 0; k <= p->tried; k++) {
        const double by = f->sigma[k] - f->sigma[0], node = p->in.fall != 0.0 ? expm1(p->in.fall * by) : by;
        ratio += k < p->tried ? 2.0 * log2(fabs(to - node)) : 0.0;
        ratio -= k > 0 ? 2.0 * log2(fabs(node)) : 0.0;
    }
    return p->points > p->tried ? ratio + p->gain : ratio; /* one point more gains about as much */
}

/* Whether x_0 has become smaller from each of the last points to the next, relative to the largest coordinate. */
static bool seems_to_recede(const follower *f)
{
    bool good = f->homotopy->projective && f->known >= LIMIT_POINTS && f->sigma[0] < -2.0;
    for (int k = 0; k < LIMIT_POINTS && good; k++) {
        const double now = mp_log2(&f->x[k][0]) - mp_log2_largest(f->x[k], f->n);
        const double before =
            k + 1 < LIMIT_POINTS ? mp_log2(&f->x[k + 1][0]) - mp_log2_largest(f->x[k + 1], f->n) : (double)INFINITY;
        good = now < before;
    }
    return good;
}

/* Notes what the history shows. */
static void look_back(follower *f)
{
    f->recedes = seems_to_recede(f);
    choose_predictor(f);
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
    look_back(f);
}

/* The bits that are needed at sigma: h has to be resolved far below tau. For the limit of a path that recedes, points have to be as accurate as
 * u^2p, what the interpolant through p points leaves out, or as the digits of the limit, and the condition number may be 1/tau. */
static int64_t bits_at(const follower *f, double sigma)
{
    const double way = fmax(-sigma, 0.0) / log(2.0);
    double bits = 1.25 * way;
    if (f->recedes && f->predictor.in.c > 0)
        bits +=
            fmin(fmax(1.25, 2.0 * HISTORY / (double)f->predictor.in.c - 0.25) * way, f->options->digits * log2(10.0));
    return (FIRST_BITS + f->extra + (int64_t)bits) / 64 * 64 + 64;
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
    corrections by;
    for (int64_t i = 0; i < f->n; i++)
        mp_set(&f->next[i], &f->x[0][i]);
    set_weight(f, 0.0, true);
    /* As many digits as the condition leaves: where corrections are that small, the next one would be their square. */
    const bool good = converge_in_units(f, f->next, -8.0, 0.6 * rounding(f), &by);
    *error = fmax(by.last, rounding(f)) + 1.0;
    const double care = 1.0 + (double)f->options->care;
    const bool expected = by.first <= rounding(f) || fabs(by.first - slope) < 0.5 / care;
    return good && expected && condition(f, f->next) + fmax(by.first, rounding(f)) <= -8.0 * care;
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

/* What is left of the way to the limit (log2) at a point that much further, where the slope has this size and falls like that; where it does not
 * fall, the way of the step. */
static double left_after(double slope, double fall, double way)
{
    return slope + (fall != 0.0 ? -log2(fabs(fall)) - fall * way / log(2.0) : log2(way));
}

/* The largest first correction of a step. */
static double most_after(const follower *f, double left)
{
    const double care = 1.0 + (double)f->options->care;
    return fmin(MOST_CORRECTION * care, fmax(left + OFF_SLOPE * care, -0.5 * (double)f->bits));
}

/* Notes how quickly Newton's method converges: corrections below the noise show nothing. */
static void note_curve(follower *f, const corrections *by)
{
    if (!(by->second > rounding(f)))
        return;
    f->curve[1] = f->curve[0];
    f->curve_at[1] = f->curve_at[0];
    f->curve[0] = by->second - 2.0 * by->first;
    f->curve_at[0] = f->sigma[0];
}

/* The first correction (log2) after which Newton's method converges by a margin at sigma, if it goes on as between the last two points where that
 * was seen. */
static double most_for_newton(const follower *f, double sigma)
{
    const double way = f->curve_at[1] - f->curve_at[0];
    double rate = isfinite(f->curve[1]) && way > 0.0 ? (f->curve[0] - f->curve[1]) / way : 0.0;
    rate = fmin(fmax(rate, 0.0), 2.0 / log(2.0));
    return 2.0 * CONTRACTION * (1.0 + (double)f->options->care) - f->curve[0] - rate * (f->curve_at[0] - sigma);
}

/* How long the next step should be: the longest one, up to two or four times the last, for which the prediction should be good enough. */
static double next_length(follower *f, double way)
{
    const double slope = slope_size(f, 0), share = 0.84;
    double fall = falls_by(f), length = (f->recedes ? 2.0 : 4.0) * way;
    fall = fabs(fall) > LEAST_FALL && fabs(fall) < MOST_FALL ? fall : 0.0;
    for (; length > 0.5 * way; length *= share) {
        const double sigma = f->sigma[0] - length, wanted = most_after(f, left_after(slope, fall, length)) - 2.0;
        f->predictor.expected = fmax(f->predictor.missed, rounding(f)) + error_ratio(f, sigma);
        if (f->predictor.expected <= fmin(wanted, most_for_newton(f, sigma)))
            break;
    }
    return fmin(length, MOST_STEP);
}

/* A step to sigma; true if it was accepted. *length becomes what the next step may try. */
static bool step(follower *f, double sigma, double *length)
{
    /* No other path is nearer than half of the digits: bits_at has more than twice those of e^(sigma / 2). Changes that are smaller
     * are not followed: as long as the slope says nothing else, X stays. */
    const double least = -0.5 * (double)f->bits, slope = slope_size(f, 0), way = f->sigma[0] - sigma;
    double fall = falls_by(f), left = least, surprise = 0.0;
    corrections by;
    fall = fabs(fall) > LEAST_FALL && fabs(fall) < MOST_FALL ? fall : 0.0;
    if (slope <= least) {
        f->known = 1;
        for (int64_t i = 0; i < f->n; i++)
            mp_set(&f->next[i], &f->x[0][i]);
    } else {
        predict(f, sigma);
        left = left_after(slope, fall, way);
    }
    set_weight(f, sigma, false);
    const double most = most_after(f, left);
    f->in_step = true;
    bool good = converge(f, f->next, most, f->recedes ? rounding(f) : fmax(rounding(f), most - ACCURATE), &by);
    f->in_step = false;
    if (good && slope > least) {
        const double expected = fmax(slope - fall * way / log(2.0), least);
        surprise = fmax(next_slope_size(f), least) - expected;
    }
    if (!good || fabs(surprise) > MOST_SURPRISE / (1.0 + (double)f->options->care)) {
        *length = 0.5 * way;
        return false;
    }
    f->known = slope <= least ? 0 : f->known;
    remember(f, sigma);
    note_curve(f, &by);
    *length = f->known > 1 ? next_length(f, way)
                           : fmin(way * fmin(4.0, fmax(0.5, exp2((most - 2.0 - by.first) / 6.0))), MOST_STEP);
    return true;
}

/* More bits: the newest point and its slope are computed again. */
static bool raise_bits(follower *f, int64_t bits)
{
    corrections by;
    const double slope = slope_size(f, 0), most = fmax(slope + OFF_SLOPE, -0.5 * (double)f->bits);
    set_bits(f, bits);
    set_weight(f, f->sigma[0], false);
    if (!converge(f, f->x[0], most, fmax(0.6 * rounding(f), f->recedes ? -(double)INFINITY : slope - 2.0 * ACCURATE),
                  &by))
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

/* log2 of the largest difference of two points, relative to the largest coordinate. */
static double distance_of(follower *f, const mp_complex *x, const mp_complex *y)
{
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        mp_sub(&f->temporary[0], &x[i], &y[i]);
        most = fmax(most, mp_log2(&f->temporary[0]));
    }
    return most - mp_log2_largest(x, f->n);
}

/* Whether each equation of the target is zero at x, with this error (log2, relative to the largest coordinate). */
static bool solves_target(follower *f, const mp_complex *x, double error)
{
    const int64_t n = f->n;
    const plumb_system *s = f->homotopy->stacked;
    bool good = true;
    set_units(f, x, false);
    f->work += mp_system_cost(s, f->bits);
    mp_system_eval(&f->system, x, f->values, NULL, NULL);
    for (int64_t e = n; e < 2 * n && good; e++) {
        const double terms = (double)(s->equation[e + 1] - s->equation[e]), degree = (double)plumb_system_degree(s, e);
        good = mp_log2(&f->values[e]) <=
               mp_size_for_large(s, e, f->unit) + log2(fmax(1.0, terms * degree)) + error + TOLERATED;
    }
    return good;
}

static int64_t order_of_term(const plumb_system *s, const system_term *t, const int64_t *order)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < t->count; i++)
        sum += s->factors[t->first + i].exponent * order[s->factors[t->first + i].unknown];
    return sum;
}

/* The orders of the coordinates of the newest point, as powers of u = e^(sigma / c): how they change from the point before it, if that is near
 * integers and x_0 has a larger order than some other one. */
static bool find_orders(const follower *f, int64_t c, int64_t *order)
{
    bool good = true, recedes = false;
    for (int64_t i = 0; i < f->n && good; i++) {
        const double size = mp_log2(&f->x[0][i]), before = mp_log2(&f->x[1][i]);
        const double k = (double)c * (size - before) * log(2.0) / (f->sigma[0] - f->sigma[1]);
        good = isfinite(k) && fabs(k) < MOST_ORDER && fabs(k - rint(k)) <= NEAR_ORDER;
        order[i] = good ? (int64_t)rint(k) : 0;
        recedes = recedes || order[0] > order[i];
    }
    return good && recedes;
}

/* The smallest order of a term of an equation of h, e^sigma g + f, where g has the equations before those of f. */
static int64_t least_order(const follower *f, int64_t e, const int64_t *order, int64_t c)
{
    const plumb_system *s = f->homotopy->stacked;
    int64_t least = INT64_MAX;
    for (int part = 0; part < 2; part++)
        for (int64_t k = s->equation[e + part * f->n]; k < s->equation[e + part * f->n + 1]; k++) {
            const int64_t own = order_of_term(s, &s->terms[k], order) + (part == 0 ? c : 0);
            least = own < least ? own : least;
        }
    return least;
}

/* Whether the terms of least order of each equation balance each other, whatever the sizes of their coefficients are: a term that will
 * overtake the others further out, where no path has come yet, has a smaller order than they. So the path would not end at infinity, but at
 * a solution, however large. */
static bool is_balanced(follower *f, int64_t c, const int64_t *order)
{
    const int64_t n = f->n;
    const plumb_system *s = f->homotopy->stacked;
    mp_complex *sum = &f->temporary[1], *term = &f->temporary[2];
    bool good = true;
    set_weight(f, f->sigma[0], false);
    for (int64_t e = 0; e < n && good; e++) {
        const int64_t least = least_order(f, e, order, c);
        double largest = -(double)INFINITY;
        mpfr_set_zero(sum->re, 1);
        mpfr_set_zero(sum->im, 1);
        for (int part = 0; part < 2; part++)
            for (int64_t k = s->equation[e + part * n]; k < s->equation[e + part * n + 1]; k++) {
                const system_term *t = &s->terms[k];
                if (order_of_term(s, t, order) + (part == 0 ? c : 0) > least)
                    continue;
                mpfr_set_q(term->re, t->re, MPFR_RNDN);
                mpfr_set_q(term->im, t->im, MPFR_RNDN);
                for (int32_t i = 0; i < t->count; i++)
                    for (int32_t power = 0; power < s->factors[t->first + i].exponent; power++)
                        mp_mul(term, term, &f->x[0][s->factors[t->first + i].unknown], f->temporary[0].re);
                if (part == 0)
                    mp_mul(term, term, &f->weight, f->temporary[0].re);
                largest = fmax(largest, mp_log2(term));
                mp_add(sum, sum, term);
            }
        good = mp_log2(sum) <= largest + BALANCED;
    }
    return good;
}

/* The limit of a path that recedes, to f->next, if it is known to 10^-digits and at infinity. */
static bool find_limit(follower *f, double near_end, double *error)
{
    const predictor *p = &f->predictor;
    const int points = p->points;
    weights w;
    if (!f->recedes || p->in.c <= 0 || points <= LIMIT_POINTS)
        return false;
    weights_begin(&w, f->bits);
    set_nodes(f, &p->in, points, &w);
    mpfr_set_zero(w.node[HISTORY], 1);
    make_weights(&p->in, 0, points, &w);
    combine(f, &w, 0, points, f->next);
    *error = rounding(f);
    for (int without = 0; without < 2; without++) { /* the newest, and the oldest point */
        make_weights(&p->in, 1 - without, points - without, &w);
        combine(f, &w, 1 - without, points - without, f->other);
        *error = fmax(*error, distance_of(f, f->next, f->other));
    }
    weights_end(&w);
    return *error <= near_end && mp_log2(&f->next[0]) - mp_log2_largest(f->next, f->n) <= *error &&
           solves_target(f, f->next, *error) && find_orders(f, p->in.c, f->order) && is_balanced(f, p->in.c, f->order);
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
    path->infinite = find_limit(f, near_end, &path->error);
    if (path->infinite) {
        path->end = MP_END_SINGULAR;
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
        } else if (f->stalled) {
            f->extra += f->bits / 2;
            *length *= 2.0;
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
    corrections by;
    set_start(f, start);
    set_weight(f, FIRST_SIGMA, false);
    /* The start solution solves g, not h: the slope is that of a corrected point. */
    if (!converge(f, f->next, -20.0, -100.0, &by) || !(correct(f, f->next) < 0.0)) {
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
    path->infinite = false;
    path->limit = MP_LIMIT_NONE;
    do {
        if (status == PLUMB_OK && is_new)
            status = set_out(&f, start, path);
        else if (status == PLUMB_OK)
            look_back(&f);
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
