/* local.c - see local.h. Each pair of a hyperplane and a starting point is a trial, with one point that moves. Trials
 * are independent; they are advanced together, so that evaluations and least-squares problems come in batches. */
#include "solver/track/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "base/number/precision.h"
#include "base/number/random.h"
#include "base/number/round.h"
#include "base/os/team.h"
#include "solver/eval/eval.h"
#include "solver/newton/newton.h"

enum {
    SLICES = 3,        /* hyperplanes per point */
    STARTS = 6,        /* starting points per hyperplane, */
    MOST_STARTS = 12,  /* and if some hyperplane of the point has a zero and others have not */
    NEEDED = 2,        /* hyperplanes that must have a zero */
    MOST_STEPS = 300,  /* Gauss-Newton steps for one eps; a zero of multiplicity k takes about 48 k in qd */
    LOOK_BACK = 24,    /* |f| is stationary if this many steps together have changed it by less than a factor SLOW */
    MEMORY = 6,        /* a step may increase |f|, but not above the largest of this many values before it */
    SHORTER = 3,       /* after a failure, a step is divided by 4 this many times, */
    MOST_CUTS = 7,     /* and after more failures, up to these, it is computed again with more damping */
    POINTS = 64,       /* points that are tested together */
    ZERO_BITS = 12,    /* |f| is zero if it is below 2^12 times the rounding errors */
    LEAST_EPS = -30,   /* exponents of two: smallest eps, */
    MOST_EPS = -4,     /* largest eps of the first size, */
    LAST_EPS = -7,     /* eps at which the zeros must still be there */
    APART = 2,         /* the second eps is 2^2 times the first, */
    CLIMB = 4,         /* each further one 2^4 times the one before */
    MOST_IN_DD = 6,    /* paths that end at a point; with more, dd is not tried */
    ROOM_FOR_ERROR = 6 /* eps is at least 2^6 times the error of the point */
};
static const double SLOW = 0.7, FAR = 1024.0, ON_PLANE = 1e-9;
static const double SAME = 1e-4; /* relative difference of minima that are the same */

/* |f| is not zero if it is above 2^this times the rounding errors: an eighth of all digits. */
static int not_zero_bits(int32_t prec)
{
    return 53 * prec / 8;
}

typedef enum trial_state { TRIAL_RUNS, TRIAL_ZERO, TRIAL_NOT_ZERO, TRIAL_UNCLEAR } trial_state;

/* A minimum of |f| on a hyperplane at the first eps that has turned out not to be zero; value 0: none is known. */
typedef struct local_minimum {
    double value, y;
} local_minimum;

typedef struct trial {
    int64_t point;
    int slice, start;
    int eps;   /* exponent of two */
    int level; /* sizes of eps done so far */
    trial_state state;
    int steps, cuts;             /* cuts: steps in a row that failed */
    bool again;                  /* evaluate at the accepted point once more */
    bool fresh;                  /* nothing is known about |f| at this eps */
    double value;                /* |f| at the accepted point, rows scaled */
    double least;                /* smallest value at this eps */
    double values[MEMORY];       /* the last ones */
    double before[LOOK_BACK];    /* the smallest value after each of the last steps */
    double first_value, first_y; /* |f| and |y| at the end of the first eps */
    trial_state first_state;     /* what was found there */
    const local_minimum *known;  /* on its hyperplane */
    bool ran;                    /* it was running before the last evaluation */
    bool confirms;               /* it begins at a zero that dd has found, at the eps of that, which is the only one */
} trial;

/* A zero that dd has found on a hyperplane of a point. */
typedef struct local_zero {
    double *x; /* 2 * PLUMB_DD doubles per unknown; NULL: there is none */
    int eps;
} local_zero;

/* Arrays: entry k belongs to trial k; "packed" ones to the trials that run. */
typedef struct local_work {
    plumb_context *context;
    machine *cpu;
    int32_t threads;
    const plumb_system *system;
    const eval_program *program;
    const double *coefficients;
    int32_t prec;
    newton_sizes sizes;
    int64_t trials;
    trial *trial;
    double *plane;                                  /* a: 2 n doubles per trial */
    int32_t *unit;                                  /* exponents of D: n per trial */
    int32_t *row;                                   /* exponents that scale the rows of f: m per trial */
    plumb_view centre, accepted, step;              /* p, the accepted point, and the last step in x */
    plumb_view points, values, jacobians, a, b, dy; /* packed */
    double *modulus, *size;
    double *y;               /* 2 n doubles for each thread */
    int64_t *which, *solved; /* the trial of a packed entry, and the entry of a problem */
    bool *steps;             /* a packed entry needs a new step */
    plumb_info *info;
} local_work;

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

static double *entry(const plumb_view *view, int64_t k, int64_t i, int64_t j, int32_t plane)
{
    return view->data + k * view->next + plane * view->plane + j * view->col + i;
}

static double modulus_at(const plumb_view *view, int64_t k, int64_t i)
{
    return plumb_modulus(*entry(view, k, i, 0, 0), *entry(view, k, i, 0, view->prec));
}

/* to = x + y, in the precision of the views. */
static void add_points(const plumb_view *x, int64_t k, const plumb_view *y, int64_t l, const plumb_view *to, int64_t q)
{
    const int32_t prec = x->prec;
    for (int64_t i = 0; i < x->rows; i++)
        for (int32_t part = 0; part < 2; part++) {
            double term[2 * PLUMB_QD], sum[PLUMB_QD];
            for (int32_t c = 0; c < prec; c++) {
                term[2 * c] = *entry(x, k, i, 0, part * prec + c);
                term[2 * c + 1] = *entry(y, l, i, 0, part * prec + c);
            }
            plumb_round_limbs(term, 2 * prec, sum, prec);
            for (int32_t c = 0; c < prec; c++)
                *entry(to, q, i, 0, part * prec + c) = sum[c];
        }
}

/* y = (x - p) / (eps D) for the accepted point of a trial, in double. Returns |y|. */
static double find_y(const local_work *w, int64_t k, double *y)
{
    const int64_t n = w->system->unknowns;
    double square = 0.0;
    for (int64_t i = 0; i < n; i++)
        for (int32_t part = 0; part < 2; part++) {
            double term[2 * PLUMB_QD], apart;
            for (int32_t c = 0; c < w->prec; c++) {
                term[2 * c] = *entry(&w->accepted, k, i, 0, part * w->prec + c);
                term[2 * c + 1] = -*entry(&w->centre, k, i, 0, part * w->prec + c);
            }
            plumb_round_limbs(term, 2 * w->prec, &apart, 1);
            y[2 * i + part] = ldexp(apart, -(w->trial[k].eps + w->unit[k * n + i]));
            square += y[2 * i + part] * y[2 * i + part];
        }
    return sqrt(square);
}

/* ---- Beginning of a trial ------------------------------------------------------------------------------------------ */

/* The first point of a trial: the point of the hyperplane nearest to p, or that and a random vector along the
 * hyperplane. Its size differs from start to start: from near the first point, |f| often falls into the same minimum again, which need
 * not be a zero. */
static void first_y(const local_work *w, int64_t k, plumb_random *random)
{
    const int64_t n = w->system->unknowns;
    const double *a = w->plane + 2 * n * k; /* entries on the unit circle: |a|^2 = n */
    double along[2] = {0.0, 0.0};
    for (int64_t i = 0; i < n; i++) {
        const double size = w->trial[k].start == 0 ? 0.0 : ldexp(2.0, w->trial[k].start % 4);
        const double re = size * (2.0 * plumb_random_unit(random) - 1.0),
                     im = size * (2.0 * plumb_random_unit(random) - 1.0);
        w->y[2 * i] = re;
        w->y[2 * i + 1] = im;
        along[0] += a[2 * i] * re - a[2 * i + 1] * im;
        along[1] += a[2 * i] * im + a[2 * i + 1] * re;
    }
    along[0] = (1.0 - along[0]) / (double)n;
    along[1] = -along[1] / (double)n;
    for (int64_t i = 0; i < n; i++) {
        w->y[2 * i] += a[2 * i] * along[0] + a[2 * i + 1] * along[1];
        w->y[2 * i + 1] += a[2 * i] * along[1] - a[2 * i + 1] * along[0];
    }
}

/* The accepted point becomes p + eps D y. */
static void put_y(const local_work *w, int64_t k)
{
    const int64_t n = w->system->unknowns;
    for (int64_t i = 0; i < n; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < w->prec; c++)
                *entry(&w->step, k, i, 0, part * w->prec + c) =
                    c == 0 ? ldexp(w->y[2 * i + part], w->trial[k].eps + w->unit[k * n + i]) : 0.0;
    add_points(&w->centre, k, &w->step, k, &w->accepted, k);
}

static void begin_level(trial *t, int eps)
{
    t->eps = eps;
    t->state = TRIAL_RUNS;
    t->fresh = true;
    t->steps = t->cuts = 0;
    t->again = false;
}

/* Exponent of two of the first eps: eps^paths is a quarter of the digits above rounding, and eps above the error of p. */
static int first_eps(const local_point *point, int32_t prec)
{
    const double digits = 0.75 * 53.0 * prec / fmax(2.0, point->paths);
    const double error = point->error > 0.0 ? log2(point->error) + ROOM_FOR_ERROR : -1e3;
    const double eps = fmin(fmax(fmax(-digits, error), LEAST_EPS), MOST_EPS);
    return (int)ceil(eps);
}

/* Sizes of the unknowns and of the terms of the equations, as powers of two. */
static void find_scales(local_work *w, int64_t k)
{
    const int64_t m = w->system->equations, n = w->system->unknowns;
    for (int64_t i = 0; i < n; i++) {
        w->modulus[i] = fmax(modulus_at(&w->centre, k, i), 1.0);
        w->unit[k * n + i] = ilogb(w->modulus[i]);
    }
    newton_sizes_at(&w->sizes, w->modulus, w->size);
    for (int64_t i = 0; i < m; i++)
        w->row[k * m + i] = w->size[i] > 0.0 && isfinite(w->size[i]) ? -ilogb(w->size[i]) : 0;
}

/* Hyperplanes depend on the seed and their number, first points also on the number of the start. */
static void begin_trial(local_work *w, int64_t k, const local_point *point)
{
    const double turn = 6.283185307179586;
    const int64_t n = w->system->unknowns;
    trial *t = &w->trial[k];
    for (int64_t i = 0; i < n; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < w->prec; c++)
                *entry(&w->centre, k, i, 0, part * w->prec + c) =
                    c < point->prec ? point->x[(2 * i + part) * point->prec + c] : 0.0;
    plumb_random random = plumb_random_start(point->seed);
    plumb_random_skip(&random, (uint64_t)t->slice * (uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        const double angle = turn * plumb_random_unit(&random);
        w->plane[2 * (n * k + i)] = cos(angle);
        w->plane[2 * (n * k + i) + 1] = sin(angle);
    }
    random = plumb_random_start(point->seed + 1);
    plumb_random_skip(&random, (uint64_t)(t->slice * MOST_STARTS + t->start) * 2 * (uint64_t)n);
    find_scales(w, k);
    begin_level(t, first_eps(point, w->prec));
    first_y(w, k, &random);
    put_y(w, k);
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

static plumb_view first_of(const plumb_view *view, int64_t count)
{
    plumb_view first = *view;
    first.batch = count;
    return first;
}

/* |f| with scaled rows, in which terms at D are about 1, so that it can be compared with the unit roundoff. Terms at the
 * point itself would not do: on the line x = 0, a row x y has a single term, and no value is small relative to it.
 * Packed entry l. */
static double measure(const local_work *w, int64_t k, int64_t l)
{
    const int64_t m = w->system->equations;
    double square = 0.0;
    for (int64_t i = 0; i < m; i++) {
        const double f = ldexp(modulus_at(&w->values, l, i), w->row[k * m + i]);
        square += f * f;
    }
    return isfinite(square) ? sqrt(square) : (double)INFINITY;
}

/* |f| is far above rounding errors, and below a small multiple of them. */
static bool is_large(const local_work *w, const trial *t)
{
    return t->least >= ldexp(precision_unit(w->prec), not_zero_bits(w->prec));
}

static bool is_zero(const local_work *w, const trial *t)
{
    return t->value <= ldexp(precision_unit(w->prec), ZERO_BITS);
}

/* The exponent of two of the damping relative to |f| / 8; with each failure it grows faster. */
static int damping_of(const trial *t)
{
    const int more = t->cuts > SHORTER ? t->cuts - SHORTER : 0;
    return 6 * more * (more + 1);
}

/* The least-squares problem for dy: f, the hyperplane, and damping, which makes every column independent (Levenberg and
 * Marquardt). Damping by |f| / 8 does not slow down convergence to a zero; on surfaces, where rounding errors of f / damping^2
 * move the point along them, more is needed. The hyperplane needs no digits beyond d: its
 * place does not matter. Packed entry l, problem q. */
static void put_problem(const local_work *w, int64_t k, int64_t l, int64_t q, double *y)
{
    const trial *t = &w->trial[k];
    const int64_t m = w->system->equations, n = w->system->unknowns;
    const int32_t planes = 2 * w->prec;
    const double *a = w->plane + 2 * n * k;
    const double damping = ldexp(fmax(0.125 * t->value, pow(precision_unit(w->prec), 0.9)), damping_of(t));
    double off[2] = {-1.0, 0.0};
    find_y(w, k, y);
    for (int64_t j = 0; j < n; j++) {
        off[0] += a[2 * j] * y[2 * j] - a[2 * j + 1] * y[2 * j + 1];
        off[1] += a[2 * j] * y[2 * j + 1] + a[2 * j + 1] * y[2 * j];
        for (int32_t c = 0; c < planes; c++) {
            const bool re = c == 0, im = c == w->prec;
            for (int64_t i = 0; i < m; i++)
                *entry(&w->a, q, i, j, c) =
                    ldexp(*entry(&w->jacobians, l, i, j, c), w->row[k * m + i] + w->unit[k * n + j] + t->eps);
            *entry(&w->a, q, m, j, c) = re ? a[2 * j] : im ? a[2 * j + 1] : 0.0;
            for (int64_t i = 0; i < n; i++)
                *entry(&w->a, q, m + 1 + i, j, c) = re && i == j ? damping : 0.0;
        }
    }
    if (plumb_modulus(off[0], off[1]) <
        ON_PLANE) /* rounding would move the point along surfaces, which only the damping limits */
        off[0] = off[1] = 0.0;
    for (int32_t c = 0; c < planes; c++) {
        for (int64_t i = 0; i < m; i++)
            *entry(&w->b, q, i, 0, c) = ldexp(*entry(&w->values, l, i, 0, c), w->row[k * m + i]);
        *entry(&w->b, q, m, 0, c) = c == 0 ? off[0] : c == w->prec ? off[1] : 0.0;
        for (int64_t i = 0; i < n; i++)
            *entry(&w->b, q, m + 1 + i, 0, c) = 0.0;
    }
}

/* Decides whether the trial goes on at this eps; its accepted point has just changed. */
static void look(const local_work *w, trial *t)
{
    t->values[t->steps % MEMORY] = t->value;
    t->before[t->steps % LOOK_BACK] = t->least;
    const double old = t->steps >= LOOK_BACK ? t->before[(t->steps + 1) % LOOK_BACK] : (double)INFINITY;
    t->steps++;
    if (is_zero(w, t))
        t->state = TRIAL_ZERO;
    else if (t->least > SLOW * old)
        t->state = is_large(w, t) ? TRIAL_NOT_ZERO : TRIAL_UNCLEAR;
    else if (t->steps >= MOST_STEPS || !isfinite(t->value))
        t->state = TRIAL_UNCLEAR;
}

/* A step that follows a curved valley increases |f| before the next one reduces it again, so steps need not be monotone
 * (Grippo, Lampariello and Lucidi 1986). */
static bool is_acceptable(const trial *t, double value)
{
    double most = 0.0;
    for (int i = 0; i < MEMORY && i < t->steps; i++)
        most = fmax(most, t->values[i]);
    return t->fresh || value < most;
}

/* Takes what the evaluation of packed entry l says about trial k. Returns true if a new step is needed. */
static bool take_values(const local_work *w, int64_t k, int64_t l)
{
    trial *t = &w->trial[k];
    const double value = measure(w, k, l);
    if (t->again) { /* back at the accepted point, for a step with more damping */
        t->again = false;
        return true;
    }
    if (is_acceptable(t, value)) {
        memcpy(w->accepted.data + k * w->accepted.next, w->points.data + l * w->points.next,
               (size_t)w->points.next * sizeof(double));
        t->value = value;
        t->least = t->fresh ? value : fmin(t->least, value);
        t->fresh = false;
        t->cuts = 0;
        look(w, t);
        return t->state == TRIAL_RUNS;
    }
    if (++t->cuts > MOST_CUTS) { /* no step reduces |f| */
        t->state = is_large(w, t) ? TRIAL_NOT_ZERO : TRIAL_UNCLEAR;
        return false;
    }
    t->again = t->cuts > SHORTER;
    for (int64_t i = 0; i < w->step.next && !t->again; i++)
        w->step.data[k * w->step.next + i] *= 0.25;
    return false;
}

/* The step -eps D dy of trial k, from solution q. */
static void take_step(const local_work *w, int64_t k, int64_t q)
{
    const int64_t n = w->system->unknowns;
    trial *t = &w->trial[k];
    if (w->info[q] != 0)
        t->state = TRIAL_UNCLEAR;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < 2 * w->prec; c++)
            *entry(&w->step, k, i, 0, c) = ldexp(-*entry(&w->dy, q, i, 0, c), t->eps + w->unit[k * n + i]);
}

/* The parts of a step that trials take alone are shared among threads: they take as long as evaluations and least squares. */
typedef void one_part(const local_work *w, int64_t item, double *y);

typedef struct part_share {
    const local_work *w;
    one_part *part;
    int64_t count;
    team_counter next;
} part_share;

static void do_some(void *data, team *t, int32_t index, int32_t threads)
{
    part_share *share = data;
    (void)t, (void)threads;
    for (int64_t k; (k = team_take(&share->next, 1)) < share->count;)
        share->part(share->w, k, share->w->y + 2 * share->w->system->unknowns * index);
}

static void share_part(const local_work *w, int64_t count, one_part *part)
{
    part_share share = {.w = w, .part = part, .count = count};
    const int32_t threads = count < w->threads ? (int32_t)count : w->threads;
    team_run(threads > 1 ? w->cpu->team : NULL, threads, do_some, &share);
}

/* The point at which packed entry l is evaluated. */
static void make_point(const local_work *w, int64_t l, double *y)
{
    const int64_t k = w->which[l];
    (void)y;
    if (w->trial[k].fresh || w->trial[k].again)
        memcpy(w->points.data + l * w->points.next, w->accepted.data + k * w->accepted.next,
               (size_t)w->points.next * sizeof(double));
    else
        add_points(&w->accepted, k, &w->step, k, &w->points, l);
}

static void take_entry(const local_work *w, int64_t l, double *y)
{
    (void)y;
    w->steps[l] = take_values(w, w->which[l], l);
}

static void make_problem(const local_work *w, int64_t q, double *y)
{
    put_problem(w, w->which[w->solved[q]], w->solved[q], q, y);
}

static void take_solution(const local_work *w, int64_t q, double *y)
{
    (void)y;
    take_step(w, w->which[w->solved[q]], q);
}

/* One evaluation for every trial that runs. Sets *left to their number. */
static plumb_status advance(local_work *w, int64_t *left)
{
    int64_t count = 0, problems = 0;
    for (int64_t k = 0; k < w->trials; k++)
        if (w->trial[k].state == TRIAL_RUNS)
            w->which[count++] = k;
    *left = count;
    if (count == 0)
        return PLUMB_OK;
    share_part(w, count, make_point);
    plumb_view points = first_of(&w->points, count), values = first_of(&w->values, count),
               jacobians = first_of(&w->jacobians, count);
    const eval_call call = {.program = w->program,
                            .coefficients = w->coefficients,
                            .points = &points,
                            .values = &values,
                            .jacobians = &jacobians};
    plumb_status status = w->cpu->ops->eval(w->cpu, &call, NULL);
    if (status != PLUMB_OK)
        return status;
    share_part(w, count, take_entry);
    for (int64_t l = 0; l < count; l++)
        if (w->steps[l])
            w->solved[problems++] = l;
    if (problems == 0)
        return PLUMB_OK;
    share_part(w, problems, make_problem);
    plumb_view a = first_of(&w->a, problems), b = first_of(&w->b, problems), dy = first_of(&w->dy, problems);
    const lsq_call solve = {.a = &a, .b = &b, .x = &dy, .info = w->info};
    status = w->cpu->ops->lsq(w->cpu, &solve, NULL);
    if (status == PLUMB_OK)
        share_part(w, problems, take_solution);
    return status;
}

/* ---- Sizes of eps -------------------------------------------------------------------------------------------------- */

static bool is_known(const trial *t)
{
    return fabs(t->first_value - t->known->value) <= SAME * t->known->value &&
           fabs(t->first_y - t->known->y) <= SAME * t->known->y;
}

/* A trial has ended at one size of eps. Begins the next one, or leaves the state that it has in the end. */
static void next_level(local_work *w, int64_t k)
{
    trial *t = &w->trial[k];
    const double y = find_y(w, k, w->y);
    const trial_state state = t->state;
    const bool first = t->level++ == 0;
    if (t->confirms) {
        t->state = state == TRIAL_ZERO && y <= FAR ? TRIAL_ZERO : TRIAL_UNCLEAR;
    } else if (first) {
        t->first_value = t->least;
        t->first_y = y;
        t->first_state = state;
        if (state == TRIAL_UNCLEAR || (state == TRIAL_ZERO && !(y <= FAR)))
            t->state = TRIAL_UNCLEAR;
        else if (state == TRIAL_ZERO || !is_known(t))
            begin_level(t, t->eps + APART);
    } else if (state != t->first_state) {
        t->state = TRIAL_UNCLEAR;
    } else if (state == TRIAL_NOT_ZERO) { /* |f| grows at least like eps^(1/2) */
        t->state = t->least >= ldexp(t->first_value, APART / 2) ? state : TRIAL_UNCLEAR;
    } else if (state == TRIAL_ZERO) {
        if (t->level == 2 && !(y >= 0.5 * t->first_y)) /* another solution, not near p: y is like 1 / eps */
            t->state = TRIAL_UNCLEAR;
        else if (t->eps < LAST_EPS)
            begin_level(t, t->eps + CLIMB < LAST_EPS ? t->eps + CLIMB : LAST_EPS);
    }
    if (t->state == TRIAL_RUNS) /* find_y has left y; the next point is in the same direction */
        put_y(w, k);
}

static plumb_status run_trials(local_work *w, const track_stop *stop, bool *stopped)
{
    plumb_status status = PLUMB_OK;
    for (int64_t left = 1; left > 0 && status == PLUMB_OK && !*stopped;) {
        for (int64_t k = 0; k < w->trials; k++)
            w->trial[k].ran = w->trial[k].state == TRIAL_RUNS;
        status = advance(w, &left);
        for (int64_t k = 0; k < w->trials && status == PLUMB_OK; k++)
            if (w->trial[k].ran && w->trial[k].state != TRIAL_RUNS)
                next_level(w, k);
        *stopped = stop != NULL && stop->ask(stop->data);
    }
    return status;
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

static void end_work(local_work *w)
{
    plumb_view *const views[] = {&w->centre,    &w->accepted, &w->step, &w->points, &w->values,
                                 &w->jacobians, &w->a,        &w->b,    &w->dy};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(w->context, views[k]);
    void *const plain[] = {w->trial, w->plane, w->unit,   w->row,   w->modulus, w->size,
                           w->y,     w->which, w->solved, w->steps, w->info};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++)
        free(plain[k]);
}

static plumb_status make_plain(local_work *w, int64_t most)
{
    const size_t m = (size_t)w->system->equations, n = (size_t)w->system->unknowns, count = (size_t)most;
    w->trial = calloc(count, sizeof *w->trial);
    w->plane = calloc(count, 2 * n * sizeof *w->plane);
    w->unit = calloc(count, n * sizeof *w->unit);
    w->row = calloc(count, m * sizeof *w->row);
    w->modulus = calloc(n, sizeof *w->modulus);
    w->size = calloc(m, sizeof *w->size);
    w->y = calloc((size_t)w->threads, 2 * n * sizeof *w->y);
    w->which = calloc(count, sizeof *w->which);
    w->solved = calloc(count, sizeof *w->solved);
    w->steps = calloc(count, sizeof *w->steps);
    w->info = calloc(count, sizeof *w->info);
    const bool good = w->trial && w->plane && w->unit && w->row && w->modulus && w->size && w->y && w->which &&
                      w->solved && w->steps && w->info && newton_sizes_of(w->system, &w->sizes);
    return good ? PLUMB_OK
                : plumb_say(PLUMB_ERR_MEMORY, w->context->message, sizeof w->context->message, "out of memory");
}

static plumb_status begin_work(local_work *w, int64_t most)
{
    const int64_t m = w->system->equations, n = w->system->unknowns;
    const struct {
        plumb_view *view;
        int64_t rows, cols;
    } arrays[] = {{&w->centre, n, 1},    {&w->accepted, n, 1},  {&w->step, n, 1},
                  {&w->points, n, 1},    {&w->values, m, 1},    {&w->jacobians, m, n},
                  {&w->a, m + 1 + n, n}, {&w->b, m + 1 + n, 1}, {&w->dy, n, 1}};
    int64_t term;
    plumb_status status = plumb_context_machine(w->context, PLUMB_HOST, &w->cpu);
    w->threads = 1;
    if (status == PLUMB_OK && w->cpu->threads > 1 && team_start(&w->cpu->team, w->cpu->threads, NULL, 0) == PLUMB_OK)
        w->threads = w->cpu->threads;
    if (status == PLUMB_OK)
        status = plumb_program_of(w->system, &w->program);
    if (status == PLUMB_OK)
        status = plumb_system_coefficients(w->system, w->program, w->prec, PLUMB_COMPLEX, &w->coefficients, &term);
    if (status != PLUMB_OK)
        return plumb_say(status, w->context->message, sizeof w->context->message, "the target cannot be evaluated: %s",
                         plumb_status_text(status));
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && status == PLUMB_OK; k++)
        status = plumb_array_create(w->context, PLUMB_HOST, w->prec, PLUMB_COMPLEX, arrays[k].rows, arrays[k].cols,
                                    most, arrays[k].view);
    return status == PLUMB_OK ? make_plain(w, most) : status;
}

/* What the hyperplanes of a point say: each has a zero, has none, or is unclear. */
static int32_t verdict_of(const int zeros, const int clear)
{
    return zeros >= NEEDED                 ? PLUMB_PATH_NOT_ISOLATED
           : zeros == 0 && clear == SLICES ? PLUMB_PATH_SINGULAR
                                           : PLUMB_PATH_UNDECIDED;
}

/* The point has no verdict, and the precision leaves digits enough for the number of its paths. */
static bool is_due(const local_work *w, const local_point *point)
{
    return point->verdict == PLUMB_PATH_UNDECIDED && (w->prec > PLUMB_DD || point->paths <= MOST_IN_DD);
}

/* Keeps the zero that a trial has found in dd. */
static plumb_status keep_zero(const local_work *w, int64_t k, local_zero *zero)
{
    const int64_t n = w->system->unknowns;
    zero->eps = w->trial[k].eps;
    zero->x = malloc((size_t)n * 2 * PLUMB_DD * sizeof *zero->x);
    for (int64_t i = 0; i < n && zero->x; i++)
        for (int32_t plane = 0; plane < 2 * PLUMB_DD; plane++)
            zero->x[i * 2 * PLUMB_DD + plane] = *entry(&w->accepted, k, i, 0, plane);
    return zero->x ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* Trial k goes on in qd where dd has found a zero. */
static void begin_confirming(local_work *w, int64_t k, const local_point *point, const local_zero *zero)
{
    const int64_t n = w->system->unknowns;
    begin_trial(w, k, point);
    begin_level(&w->trial[k], zero->eps);
    for (int64_t i = 0; i < n; i++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < w->prec; c++)
                *entry(&w->accepted, k, i, 0, part * w->prec + c) =
                    c < PLUMB_DD ? zero->x[(2 * i + part) * PLUMB_DD + c] : 0.0;
}

/* In dd, a value is zero to all digits also near an isolated point, if its multiplicity is high and terms cancel. So zeros that dd has
 * found must be zeros in qd, too. It takes few steps to see this, because they begin there. Points of which too few are lose their
 * verdict. */
static plumb_status confirm_points(local_work *w, local_point *points, int64_t count, const local_zero (*zeros)[SLICES],
                                   const track_stop *stop, bool *stopped)
{
    w->trials = 0;
    for (int64_t p = 0; p < count; p++)
        for (int s = 0; s < SLICES && points[p].verdict == PLUMB_PATH_NOT_ISOLATED; s++)
            if (zeros[p][s].x) {
                w->trial[w->trials] = (trial){.point = p, .slice = s, .confirms = true};
                begin_confirming(w, w->trials++, &points[p], &zeros[p][s]);
            }
    const plumb_status status = run_trials(w, stop, stopped);
    for (int64_t p = 0, k = 0; p < count && status == PLUMB_OK; p++) {
        int confirmed = 0;
        for (; k < w->trials && w->trial[k].point == p; k++)
            confirmed += w->trial[k].state == TRIAL_ZERO;
        if (points[p].verdict == PLUMB_PATH_NOT_ISOLATED && confirmed < NEEDED)
            points[p].verdict = PLUMB_PATH_UNDECIDED;
    }
    return status;
}

/* Tests some points in one precision. Starting points come one after the
 * other: a hyperplane whose zero is known needs no further one. */
static plumb_status test_points(local_work *w, local_point *points, int64_t count, local_zero (*found)[SLICES],
                                const track_stop *stop, bool *stopped)
{
    enum { UNKNOWN, HAS_ZERO, HAS_NONE, IS_UNCLEAR };
    char(*slice)[SLICES] = calloc((size_t)count, sizeof *slice);
    local_minimum(*minimum)[SLICES] = calloc((size_t)count, sizeof *minimum);
    plumb_status status = slice && minimum ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int start = 0; start < MOST_STARTS && status == PLUMB_OK && !*stopped; start++) {
        w->trials = 0;
        for (int64_t p = 0; p < count; p++)
            for (int s = 0; s < SLICES && is_due(w, &points[p]); s++)
                if (slice[p][s] != HAS_ZERO && (start < STARTS || memchr(slice[p], HAS_ZERO, SLICES) != NULL)) {
                    w->trial[w->trials] = (trial){.point = p, .slice = s, .start = start, .known = &minimum[p][s]};
                    begin_trial(w, w->trials++, &points[p]);
                }
        status = run_trials(w, stop, stopped);
        for (int64_t k = 0; k < w->trials && status == PLUMB_OK && !*stopped; k++) {
            const trial *t = &w->trial[k];
            char *known = &slice[t->point][t->slice];
            if (t->state == TRIAL_NOT_ZERO)
                minimum[t->point][t->slice] = (local_minimum){t->first_value, t->first_y};
            if (t->state == TRIAL_ZERO && w->prec == PLUMB_DD)
                status = keep_zero(w, k, &found[t->point][t->slice]);
            if (t->state == TRIAL_ZERO)
                *known = HAS_ZERO;
            else if (t->state == TRIAL_NOT_ZERO && *known != IS_UNCLEAR)
                *known = HAS_NONE;
            else
                *known = IS_UNCLEAR;
        }
    }
    for (int64_t p = 0; p < count && status == PLUMB_OK && !*stopped; p++) {
        int zeros = 0, clear = 0;
        for (int s = 0; s < SLICES; s++) {
            zeros += slice[p][s] == HAS_ZERO;
            clear += slice[p][s] == HAS_NONE;
        }
        if (is_due(w, &points[p]))
            points[p].verdict = verdict_of(zeros, clear);
    }
    free(slice);
    free(minimum);
    return status;
}

plumb_status track_local_test(plumb_context *context, const plumb_system *system, local_point *points, int64_t count,
                              const track_stop *stop)
{
    plumb_status status = PLUMB_OK;
    bool stopped = false;
    const int64_t together = count < POINTS ? count : POINTS;
    local_zero(*zeros)[SLICES] = calloc((size_t)count + 1, sizeof *zeros);
    if (!zeros)
        status = plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory");
    for (int64_t k = 0; k < count; k++)
        points[k].verdict = PLUMB_PATH_UNDECIDED;
    EACH_PRECISION (prec, PLUMB_DD, PLUMB_QD) { /* in qd what dd leaves undecided, and the zeros that it has found */
        local_work w = {.context = context, .system = system, .prec = prec};
        if (count > 0 && status == PLUMB_OK && !stopped)
            status = begin_work(&w, together * SLICES);
        for (int64_t first = 0; first < count && status == PLUMB_OK && !stopped; first += together) {
            const int64_t some = count - first < together ? count - first : together;
            if (prec > PLUMB_DD)
                status = confirm_points(&w, points + first, some, (const local_zero(*)[SLICES])(zeros + first), stop,
                                        &stopped);
            if (status == PLUMB_OK && !stopped)
                status = test_points(&w, points + first, some, zeros + first, stop, &stopped);
        }
        end_work(&w);
    }
    for (int64_t k = 0; k < count; k++) {
        if (stopped && points[k].verdict == PLUMB_PATH_NOT_ISOLATED)
            points[k].verdict = PLUMB_PATH_UNDECIDED; /* it may not have been confirmed */
        for (int s = 0; s < SLICES && zeros; s++)
            free(zeros[k][s].x);
    }
    free(zeros);
    return status;
}
