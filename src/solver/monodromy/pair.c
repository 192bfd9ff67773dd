/* pair.c - parameters together with a solution for them, from which loops start; see monodromy.h.
 *
 * f(x, p) = 0 has many more unknowns than equations if p counts as unknown, so that Newton's method with the shortest corrections leads from
 * random numbers to a random point. Where the parameters enter linearly and x is given, its first step solves the linear equations. The
 * steps are those of Levenberg and Marquardt, which need no full rank: overdetermined families have equations that follow from others. A
 * point counts if its x is a regular solution for its p; points on other components, on which it is not, are thus left out. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "solver/monodromy/monodromy.h"

#define SAY(status, ...) plumb_say(status, graph->context->message, sizeof graph->context->message, __VA_ARGS__)

enum { TRIALS = 30, STEPS = 200 };

/* All unknowns and parameters v, the equations there, and the corrections. */
typedef struct pair_work {
    int64_t equations, all, first; /* unknowns first .. all - 1 are corrected */
    plumb_view v, f, j;
    double complex *h, *y, *trial;
} pair_work;

/* CMPLX, which clang does not have in every C library. */
static double complex number(double re, double im)
{
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static double complex product(double complex a, double complex b)
{
    return number(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static double square(double complex a)
{
    return creal(a) * creal(a) + cimag(a) * cimag(a);
}

static double complex get(const plumb_view *view, int64_t i, int64_t k)
{
    const double *at = view->data + k * view->col + i;
    return number(at[0], at[view->plane]);
}

static void put(plumb_view *view, int64_t i, double complex value)
{
    view->data[i] = creal(value);
    view->data[view->plane + i] = cimag(value);
}

static void work_end(plumb_context *context, pair_work *w)
{
    plumb_array_destroy(context, &w->v);
    plumb_array_destroy(context, &w->f);
    plumb_array_destroy(context, &w->j);
    free(w->h);
    free(w->y);
    free(w->trial);
}

static plumb_status work_begin(plumb_context *context, const plumb_family *family, bool fixed, pair_work *w)
{
    const int64_t m = family->system->equations, all = family->system->unknowns;
    *w = (pair_work){.equations = m, .all = all, .first = fixed ? family->unknowns : 0};
    w->h = calloc((size_t)(m * m), sizeof *w->h);
    w->y = calloc((size_t)m, sizeof *w->y);
    w->trial = calloc((size_t)all, sizeof *w->trial);
    plumb_status status = w->h && w->y && w->trial ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, all, 1, 1, &w->v);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, 1, 1, &w->f);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, m, all, 1, &w->j);
    return status;
}

static double size_of(const pair_work *w)
{
    double sum = 0.0;
    for (int64_t i = 0; i < w->equations; i++)
        sum += square(get(&w->f, i, 0));
    return sqrt(sum);
}

/* w->h = J J^H + damping; returns the mean of its diagonal. */
static double make_normal(pair_work *w, double damping)
{
    const int64_t m = w->equations;
    double mean = 0.0;
    for (int64_t a = 0; a < m; a++)
        for (int64_t b = 0; b <= a; b++) {
            double complex sum = a == b ? damping : 0.0;
            for (int64_t k = w->first; k < w->all; k++)
                sum += product(get(&w->j, a, k), conj(get(&w->j, b, k)));
            w->h[a * m + b] = sum;
            mean += a == b ? creal(sum) / (double)m : 0.0;
        }
    return mean;
}

/* Solves w->h y = f by the factor of Cholesky, in place; false if it breaks down. */
static bool solve_normal(pair_work *w)
{
    const int64_t m = w->equations;
    for (int64_t a = 0; a < m; a++) {
        for (int64_t b = 0; b <= a; b++) {
            double complex sum = w->h[a * m + b];
            for (int64_t k = 0; k < b; k++)
                sum -= product(w->h[a * m + k], conj(w->h[b * m + k]));
            if (a == b && !(creal(sum) > 0.0))
                return false;
            w->h[a * m + b] = a == b ? number(sqrt(creal(sum)), 0.0) : sum / creal(w->h[b * m + b]);
        }
        double complex sum = get(&w->f, a, 0);
        for (int64_t k = 0; k < a; k++)
            sum -= product(w->h[a * m + k], w->y[k]);
        w->y[a] = sum / creal(w->h[a * m + a]);
    }
    for (int64_t a = m - 1; a >= 0; a--) {
        for (int64_t k = a + 1; k < m; k++)
            w->y[a] -= product(conj(w->h[k * m + a]), w->y[k]);
        w->y[a] /= creal(w->h[a * m + a]);
    }
    return true;
}

/* Moves v to a zero; false if it does not come near one. */
static plumb_status descend(const loop_graph *graph, pair_work *w, bool *arrived)
{
    const plumb_system *system = graph->family->system;
    double damping = 1e-3;
    plumb_status status = plumb_system_eval(graph->context, system, &w->v, &w->f, &w->j, NULL);
    double size = size_of(w), before = INFINITY;
    *arrived = false;
    for (int step = 0; step < STEPS && status == PLUMB_OK && isfinite(size); step++) {
        if (size < 1e-13 || (size < 1e-9 && !(size < 0.5 * before))) {
            *arrived = true;
            break;
        }
        const double mean = make_normal(w, 0.0), least = 1e-13 * mean, relative = fmin(damping, size) * mean;
        (void)make_normal(w, fmax(least, relative));
        if (!solve_normal(w))
            break;
        for (int64_t k = w->first; k < w->all; k++) {
            double complex sum = 0.0;
            for (int64_t a = 0; a < w->equations; a++)
                sum += product(conj(get(&w->j, a, k)), w->y[a]);
            w->trial[k] = get(&w->v, k, 0);
            put(&w->v, k, w->trial[k] - sum);
        }
        status = plumb_system_eval(graph->context, system, &w->v, &w->f, &w->j, NULL);
        const double now = size_of(w);
        if (now < size) {
            before = size;
            size = now;
            damping *= 0.1;
            continue;
        }
        before = size;
        damping *= 10.0;
        for (int64_t k = w->first; k < w->all; k++)
            put(&w->v, k, w->trial[k]);
        if (status == PLUMB_OK)
            status = plumb_system_eval(graph->context, system, &w->v, &w->f, &w->j, NULL);
        if (damping > 1e6)
            break;
    }
    return status;
}

/* True if x is a regular solution for the parameters, which Newton's method takes to qd. */
static plumb_status complete(const loop_graph *graph, const double *parameters, plumb_view *x, bool *regular)
{
    plumb_newton_report report = {.code = PLUMB_NEWTON_DIVERGED};
    plumb_system *system = NULL;
    plumb_status status = plumb_family_specialize(graph->family, parameters, &system);
    *regular = false;
    if (status == PLUMB_OK)
        status = plumb_newton(graph->context, system, x, NULL, &report);
    *regular = status == PLUMB_OK && plumb_family_is_regular(&report);
    plumb_system_destroy(system);
    return status;
}

/* Random numbers near the unit circle; the parameters, and x unless it is given. */
static void draw(loop_graph *graph, const plumb_view *x, pair_work *w)
{
    const int64_t n = graph->family->unknowns;
    for (int64_t k = 0; k < w->all; k++) {
        double complex z;
        do {
            const double re = 2.0 * plumb_random_unit(&graph->random) - 1.0; /* before the other part */
            z = number(re, 2.0 * plumb_random_unit(&graph->random) - 1.0);
        } while (square(z) < 0.25 || square(z) > 1.0);
        if (k < w->first)
            z = number(x->data[k], x->data[PLUMB_QD * n + k]);
        put(&w->v, k, z);
    }
}

/* Moves the parameters, and a given solution less, by so little that Newton's method leads to the one beside it: sizes of equations whose
 * terms all vanish at a special point, as at the identity matrix, are not known there. */
static void nudge(loop_graph *graph, double *parameters, plumb_view *x)
{
    const double far = 0x1p-14, near = 0x1p-20;
    for (int64_t k = 0; k < 2 * graph->family->parameters; k++)
        parameters[k] += far * (2.0 * plumb_random_unit(&graph->random) - 1.0);
    for (int64_t i = 0; i < graph->family->unknowns; i++)
        for (int32_t part = 0; part < 2; part++)
            x->data[part * PLUMB_QD * x->plane + i] += near * (2.0 * plumb_random_unit(&graph->random) - 1.0);
}

static plumb_status attempt(loop_graph *graph, pair_work *w, double *parameters, plumb_view *x, bool *found)
{
    const int64_t n = graph->family->unknowns, m = graph->family->parameters;
    draw(graph, x, w);
    plumb_status status = descend(graph, w, found);
    if (status != PLUMB_OK || !*found)
        return status;
    for (int64_t k = 0; k < m; k++) {
        parameters[k] = w->v.data[n + k];
        parameters[m + k] = w->v.data[w->v.plane + n + k];
    }
    for (int64_t i = 0; i < n && w->first == 0; i++)
        for (int32_t part = 0; part < 2; part++) {
            for (int32_t c = 0; c < PLUMB_QD; c++)
                x->data[(part * PLUMB_QD + c) * x->plane + i] = 0.0;
            x->data[part * PLUMB_QD * x->plane + i] = w->v.data[part * w->v.plane + i];
        }
    status = complete(graph, parameters, x, found);
    if (status == PLUMB_OK && !*found && w->first > 0) {
        nudge(graph, parameters, x);
        status = complete(graph, parameters, x, found);
    }
    return status;
}

plumb_status loop_pair(loop_graph *graph, bool fixed, double *parameters, plumb_view *x)
{
    pair_work w;
    bool found = false;
    plumb_status status = work_begin(graph->context, graph->family, fixed, &w);
    for (int trial = 0; trial < TRIALS && status == PLUMB_OK && !found; trial++)
        status = attempt(graph, &w, parameters, x, &found);
    work_end(graph->context, &w);
    if (status == PLUMB_ERR_MEMORY)
        return SAY(status, "out of memory");
    if (status == PLUMB_OK && !found)
        status = SAY(PLUMB_ERR_ARGUMENT,
                     fixed ? "no parameters were found for which the solution that was given is a regular one"
                           : "no parameters with a regular solution were found; expected one solution that is known");
    return status;
}
