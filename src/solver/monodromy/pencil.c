/* pencil.c - the trace test for families of any form; see trace.c for those to which it applies directly.
 *
 * On a line p = a + b (s - 1) of the parameters the solutions (x, s) are a curve. Its points on a linear space
 * c x + e s + f = 0 are the solutions of another family, whose parameters are the coefficients of this one equation: loops find
 * them from one solution of the given family at s = 1, and the trace test applies to them. If it says that all points of the curve are
 * there, the linear space moves to s = 1, and their ends are all solutions of the given family for the parameters a on that curve. The
 * line is a generic one, on which loops connect the same solutions as in the whole space of the parameters (Zariski, Bertini).
 *
 * Reference: A. Leykin, J.I. Rodriguez and F. Sottile, Trace test, Arnold Math. J. 4 (2018), which reduces the test for several
 * groups of unknowns to curves in this way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "model/system/polynomial.h"
#include "solver/monodromy/monodromy.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* Searches for the points of the curve, until the trace test finds that none is missing. */
enum { SEARCHES = 4 };

enum { NAME_ROOM = 16 };

/* ---- The family -------------------------------------------------------------------------------------------------- */

/* What terms are made with: b, and a - b. */
typedef struct pencil {
    const plumb_family *family;
    system_value *from, *way;
    system_value *power; /* coefficients of a polynomial in s, and of the next one */
    system_value *next;
    int64_t room;
    system_factor *factors;
    poly_work work;
} pencil;

static system_value *make_values(int64_t count)
{
    system_value *values = calloc((size_t)count + 1, sizeof *values);
    for (int64_t i = 0; values && i < count; i++)
        mpq_inits(values[i].re, values[i].im, NULL);
    return values;
}

static void pencil_free(pencil *p)
{
    plumb_family_values_free(p->from, p->family->parameters);
    plumb_family_values_free(p->way, p->family->parameters);
    plumb_family_values_free(p->power, p->room);
    plumb_family_values_free(p->next, p->room);
    free(p->factors);
}

/* The largest sum of exponents of parameters in a term. */
static int64_t degree_of(const plumb_family *family)
{
    const plumb_system *s = family->system;
    int64_t most = 0;
    for (int64_t t = 0; t < s->equation[s->equations]; t++) {
        int64_t degree = 0;
        for (int32_t j = 0; j < s->terms[t].count; j++) {
            const system_factor *f = &s->factors[s->terms[t].first + j];
            degree += f->unknown >= family->unknowns ? f->exponent : 0;
        }
        most = degree > most ? degree : most;
    }
    return most;
}

static plumb_status pencil_begin(const plumb_family *family, uint64_t seed, pencil *p)
{
    const int64_t m = family->parameters;
    *p = (pencil){.family = family, .work = {.left = POLY_MOST_WORK}};
    double *way = malloc((size_t)(2 * m) * sizeof *way);
    p->from = make_values(m);
    p->way = make_values(m);
    p->room = degree_of(family) + 1;
    p->power = make_values(p->room);
    p->next = make_values(p->room);
    p->factors = calloc((size_t)family->unknowns + 2, sizeof *p->factors);
    if (!way || !p->from || !p->way || !p->power || !p->next || !p->factors) {
        free(way);
        return PLUMB_ERR_MEMORY;
    }
    plumb_family_draw(seed, m, way);
    for (int64_t k = 0; k < m; k++) {
        mpq_set_d(p->way[k].re, way[k]);
        mpq_set_d(p->way[k].im, way[m + k]);
        mpq_set_d(p->from[k].re, family->from[k]);
        mpq_set_d(p->from[k].im, family->from[m + k]);
        mpq_sub(p->from[k].re, p->from[k].re, p->way[k].re);
        mpq_sub(p->from[k].im, p->from[k].im, p->way[k].im);
    }
    free(way);
    return PLUMB_OK;
}

/* Adds times x to a coefficient. */
static plumb_status add_times(system_value *to, const system_value *x, const system_value *by, poly_work *work)
{
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set(re, x->re);
    mpq_set(im, x->im);
    const plumb_status status = plumb_coefficient_multiply(re, im, by->re, by->im, work);
    mpq_add(to->re, to->re, re);
    mpq_add(to->im, to->im, im);
    mpq_clears(re, im, NULL);
    return status;
}

/* Multiplies the polynomial in s, of this degree, by from + way s. */
static plumb_status multiply(pencil *p, int64_t degree, int64_t parameter)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k <= degree + 1; k++) {
        mpq_set_ui(p->next[k].re, 0, 1);
        mpq_set_ui(p->next[k].im, 0, 1);
        if (k <= degree)
            status = add_times(&p->next[k], &p->power[k], &p->from[parameter], &p->work);
        if (k > 0 && status == PLUMB_OK)
            status = add_times(&p->next[k], &p->power[k - 1], &p->way[parameter], &p->work);
        if (status != PLUMB_OK)
            return status;
    }
    system_value *swap = p->power;
    p->power = p->next;
    p->next = swap;
    return PLUMB_OK;
}

/* Appends a term of the family, in the unknowns and s. */
static plumb_status append_term(pencil *p, int64_t t, polynomial *to)
{
    const plumb_system *s = p->family->system;
    const system_term *term = &s->terms[t];
    const int64_t n = p->family->unknowns;
    int64_t degree = 0;
    int32_t count = 0, own = 0;
    plumb_status status = PLUMB_OK;
    mpq_set(p->power[0].re, term->re);
    mpq_set(p->power[0].im, term->im);
    for (int32_t j = 0; j < term->count && status == PLUMB_OK; j++) {
        const system_factor *f = &s->factors[term->first + j];
        if (f->unknown < n) {
            p->factors[count++] = *f;
            own += f->exponent;
        }
        for (int32_t e = 0; e < f->exponent && f->unknown >= n && status == PLUMB_OK; e++)
            status = multiply(p, degree++, f->unknown - n);
    }
    for (int64_t k = 0; k <= degree && status == PLUMB_OK; k++) {
        p->factors[count] = (system_factor){(int32_t)n, (int32_t)k};
        status = plumb_work_spend(&p->work, 10);
        if (status == PLUMB_OK)
            status =
                plumb_poly_append(to, p->power[k].re, p->power[k].im, p->factors, count + (k > 0), own + (int32_t)k);
    }
    return status;
}

/* Appends the terms of c x + e s + f, whose coefficients are the last n + 2 unknowns. */
static plumb_status append_linear(int64_t unknowns, polynomial *to)
{
    plumb_status status = PLUMB_OK;
    mpq_t one, zero;
    mpq_inits(one, zero, NULL);
    mpq_set_ui(one, 1, 1);
    for (int64_t i = 0; i <= unknowns + 1 && status == PLUMB_OK; i++) {
        const system_factor factors[] = {{(int32_t)i, 1}, {(int32_t)(unknowns + 1 + i), 1}};
        const int32_t constant = i == unknowns + 1;
        status = plumb_poly_append(to, one, zero, factors + constant, 2 - constant, 2 - constant);
    }
    mpq_clears(one, zero, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(to) : status;
}

/* The system of the curve and the linear space. */
static plumb_status make_system(pencil *p, plumb_system **system)
{
    const plumb_system *s = p->family->system;
    const int64_t m = s->equations, n = p->family->unknowns, all = 2 * n + 3;
    polynomial *equation = calloc((size_t)m + 2, sizeof *equation);
    char *text = calloc((size_t)all, NAME_ROOM);
    const char **names = calloc((size_t)all, sizeof *names);
    plumb_status status = equation && text && names ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < all && status == PLUMB_OK; i++) {
        (void)snprintf(text + i * NAME_ROOM, NAME_ROOM, "%c%d", i < n ? 'x' : i == n ? 's' : 'c', (int)i);
        names[i] = text + i * NAME_ROOM;
    }
    for (int64_t i = 0; i < m && status == PLUMB_OK; i++) {
        for (int64_t t = s->equation[i]; t < s->equation[i + 1] && status == PLUMB_OK; t++)
            status = append_term(p, t, &equation[i]);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&equation[i]);
    }
    if (status == PLUMB_OK)
        status = append_linear(n, &equation[m]);
    if (status == PLUMB_OK)
        status = plumb_system_build(equation, m + 1, names, all, system);
    if (status == PLUMB_OK)
        (*system)->declared = n + 2;
    for (int64_t i = 0; equation && i <= m; i++)
        plumb_poly_clear(&equation[i]);
    free(equation);
    free(text);
    free((void *)names);
    return status;
}

static plumb_status make_curve(const plumb_family *family, uint64_t seed, plumb_family **curve)
{
    pencil p;
    plumb_system *system = NULL;
    plumb_status status = pencil_begin(family, seed, &p);
    if (status == PLUMB_OK)
        status = make_system(&p, &system);
    if (status == PLUMB_OK)
        status = plumb_family_create(system, curve);
    plumb_system_destroy(system);
    pencil_free(&p);
    return status;
}

/* ---- The test ---------------------------------------------------------------------------------------------------- */

/* Finds the points of the curve from the first solution, which has s = 1. */
static plumb_status find_points(plumb_context *context, const plumb_family *family, plumb_family *curve,
                                const plumb_monodromy_options *given, plumb_monodromy_report *found)
{
    const int64_t n = family->unknowns;
    plumb_monodromy_options options = *given;
    plumb_view x = {.data = NULL};
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n + 1, 1, 1, &x);
    if (status != PLUMB_OK)
        return status;
    for (int64_t c = 0; c < 2 * PLUMB_QD; c++) {
        memcpy(x.data + c * x.plane, family->starts + c * n, (size_t)n * sizeof *x.data);
        x.data[c * x.plane + n] = c == 0 ? 1.0 : 0.0;
    }
    options.trace = 1;
    options.symmetries = 0;
    options.symmetry = NULL;
    options.max_solutions = 0;
    status = plumb_monodromy(context, curve, NULL, &x, &options, NULL, found);
    for (int32_t k = 1; k < SEARCHES && status == PLUMB_OK && found->trace == PLUMB_TRACE_MISSING; k++) {
        const int64_t paths = found->paths + found->trace_paths;
        options.seed++;
        status = plumb_monodromy(context, curve, NULL, NULL, &options, NULL, found); /* from those that are known */
        found->paths += paths;
    }
    plumb_array_destroy(context, &x);
    return status;
}

/* Moves the linear space to s = 1. The points that do not go to infinity are the solutions there. */
static plumb_status move(plumb_context *context, const plumb_family *curve, const plumb_monodromy_options *given,
                         plumb_instance *instance)
{
    const int64_t n = curve->unknowns;
    plumb_family_options options;
    plumb_view target = {.data = NULL}, x = {.data = NULL};
    plumb_family_options_init(&options);
    options.max_steps = given->max_steps;
    options.seed = given->seed;
    options.progress = given->progress;
    options.data = given->data;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, n + 1, 1, 1, &target);
    if (status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, curve->paths, &x);
    for (int64_t i = 0; i <= n && status == PLUMB_OK; i++)
        target.data[i] = i == n - 1 ? 1.0 : i == n ? -1.0 : 0.0;
    if (status == PLUMB_OK)
        status = plumb_family_solve(context, curve, &target, &options, &x, NULL, instance);
    plumb_array_destroy(context, &target);
    plumb_array_destroy(context, &x);
    return status;
}

plumb_status loop_trace_curve(plumb_context *context, const plumb_family *family,
                              const plumb_monodromy_options *options, plumb_monodromy_report *report)
{
    plumb_family *curve = NULL;
    plumb_monodromy_report found = {.solutions = 0};
    plumb_instance instance = {.failed = 0};
    report->trace = PLUMB_TRACE_UNDECIDED;
    plumb_status status = make_curve(family, options->seed + 1, &curve);
    if (status == PLUMB_ERR_SIZE || status == PLUMB_ERR_RANGE) { /* too many terms */
        report->trace = PLUMB_TRACE_UNSUITED;
        return PLUMB_OK;
    }
    if (status != PLUMB_OK)
        return SAY(status, "the curve of the trace test cannot be made: %s", plumb_status_text(status));
    status = find_points(context, family, curve, options, &found);
    report->trace_paths += found.paths + found.trace_paths;
    report->trace_error = found.trace_error;
    if (status == PLUMB_OK && found.trace == PLUMB_TRACE_COMPLETE)
        status = move(context, curve, options, &instance);
    if (status == PLUMB_OK && found.trace == PLUMB_TRACE_COMPLETE) {
        const bool sound = instance.code == PLUMB_INSTANCE_GENERIC || instance.code == PLUMB_INSTANCE_SPECIAL;
        report->trace_paths += found.solutions * instance.arcs;
        if (sound && instance.failed == 0 && instance.singular == 0 && instance.regular >= family->paths)
            report->trace = instance.regular == family->paths ? PLUMB_TRACE_COMPLETE : PLUMB_TRACE_MISSING;
    }
    if (status == PLUMB_ERR_STOPPED)
        status = PLUMB_OK;
    plumb_family_destroy(curve);
    return status;
}
