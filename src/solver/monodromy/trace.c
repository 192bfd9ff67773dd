/* trace.c - the trace test: are the solutions that loops have found all points of a variety on a linear space?
 *
 * Some equations of the family are linear in all unknowns, and each of their coefficients, with the constant one, is a parameter that
 * occurs nowhere else: for the random parameters of a search they are a generic linear space L. The other equations have no
 * parameters: a variety V. If L moves in parallel, the sum of the points of V, or of one of its irreducible components, on L is an
 * affine function of how far, and that of a part of the points of a component is not. Three positions decide. The sums are
 * computed from points in quad doubles, without rounding, so that the error of the test is that of the points.
 *
 * References: A.J. Sommese, J. Verschelde and C.W. Wampler, Symmetric functions applied to decomposing solution sets of polynomial
 * systems, SIAM J. Numer. Anal. 40 (2002); A. Leykin, J.I. Rodriguez and F. Sottile, Trace test, Arnold Math. J. 4 (2018). */
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/modulus.h"
#include "solver/monodromy/monodromy.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

/* A sum within this many times its error is on the line; beyond APART times it, it is not. */
#define SAME 64.0
#define APART 0x1p40

/* ---- Families it applies to -------------------------------------------------------------------------------------- */

/* The parameter and the unknown of a term with one of each, to the first power; the unknown is -1 in a constant term. False for others. */
static bool read_term(const plumb_system *s, int64_t t, int64_t unknowns, int64_t *parameter, int64_t *unknown)
{
    const system_term *term = &s->terms[t];
    const system_factor *f = s->factors + term->first;
    if (term->count < 1 || term->count > 2)
        return false;
    const system_factor *last = &f[term->count - 1];
    *parameter = last->unknown - unknowns;
    *unknown = term->count == 2 ? f[0].unknown : -1;
    return *parameter >= 0 && *unknown < unknowns && last->exponent == 1 && f[0].exponent == 1;
}

/* The parameter of the constant term, if an equation is linear in all unknowns with parameters as coefficients; or -1. uses: of each
 * parameter in the whole system. */
static int64_t constant_of(const plumb_system *s, int64_t equation, int64_t unknowns, const int64_t *uses)
{
    int64_t constant = -1;
    const int64_t begin = s->equation[equation], end = s->equation[equation + 1];
    if (end - begin != unknowns + 1) /* no two terms have the same monomial */
        return -1;
    for (int64_t t = begin; t < end; t++) {
        int64_t parameter, unknown;
        if (!read_term(s, t, unknowns, &parameter, &unknown) || uses[parameter] != 1)
            return -1;
        if (unknown < 0 && constant >= 0)
            return -1;
        constant = unknown < 0 ? parameter : constant;
    }
    return constant;
}

/* Lists the parameters that move; returns how many there are, 0 if the test does not apply, -1 without memory. */
static int64_t find_constants(const plumb_family *family, int64_t *list)
{
    const plumb_system *s = family->system;
    const int64_t n = family->unknowns;
    int64_t count = 0, *uses = calloc((size_t)family->parameters, sizeof *uses);
    if (!uses)
        return -1;
    for (int64_t t = 0; t < s->equation[s->equations]; t++)
        for (int32_t f = 0; f < s->terms[t].count; f++) {
            const system_factor *factor = &s->factors[s->terms[t].first + f];
            if (factor->unknown >= n)
                uses[factor->unknown - n]++;
        }
    bool suits = true;
    for (int64_t e = 0; e < s->equations && suits; e++) {
        bool has_parameters = false;
        for (int64_t t = s->equation[e]; t < s->equation[e + 1]; t++) /* unknowns of a term are ascending */
            has_parameters = has_parameters || (s->terms[t].count > 0 &&
                                                s->factors[s->terms[t].first + s->terms[t].count - 1].unknown >= n);
        const int64_t constant = has_parameters ? constant_of(s, e, n, uses) : -1;
        suits = !has_parameters || constant >= 0;
        if (has_parameters && suits)
            list[count++] = constant;
    }
    free(uses);
    return suits && count < n ? count : 0;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

enum { BITS = 2200 }; /* of a sum of doubles without rounding */

/* Adds times the points of a batch in qd to the sums: one number per unknown and part. */
static void add_points(mpf_t *sum, const plumb_view *x, int64_t count, double times)
{
    mpf_t limb;
    mpf_init2(limb, BITS);
    for (int64_t k = 0; k < count; k++)
        for (int32_t part = 0; part < 2; part++)
            for (int32_t c = 0; c < PLUMB_QD; c++)
                for (int64_t i = 0; i < x->rows; i++) {
                    mpf_set_d(limb, times * x->data[k * x->next + (part * PLUMB_QD + c) * x->plane + i]);
                    mpf_add(sum[part * x->rows + i], sum[part * x->rows + i], limb);
                }
    mpf_clear(limb);
}

static double largest(mpf_t *sum, int64_t unknowns)
{
    double most = 0.0;
    for (int64_t i = 0; i < unknowns; i++)
        most = fmax(most, plumb_modulus(mpf_get_d(sum[i]), mpf_get_d(sum[unknowns + i])));
    return most;
}

/* Refines the solutions of a target in qd; *error grows by the errors of all of them. *good: they are regular. */
static plumb_status refine(plumb_context *context, const plumb_family *family, const plumb_view *target, plumb_view *x,
                           double *error, bool *good)
{
    plumb_system *system = NULL;
    plumb_newton_report *reports = calloc((size_t)x->batch + 1, sizeof *reports);
    plumb_status status = reports ? plumb_family_at(family, target, &system) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_newton(context, system, x, NULL, reports);
    for (int64_t k = 0; k < x->batch && status == PLUMB_OK; k++) {
        double most = 0.0;
        for (int64_t i = 0; i < x->rows; i++)
            most = fmax(most, plumb_modulus(x->data[k * x->next + i], x->data[k * x->next + PLUMB_QD * x->plane + i]));
        *good = *good && plumb_family_is_regular(&reports[k]);
        *error += reports[k].error * most;
    }
    free(reports);
    plumb_system_destroy(system);
    return status;
}

/* ---- The test ---------------------------------------------------------------------------------------------------- */

/* a + b exactly, as a double double whose limbs are `plane` apart. */
static void put_sum(double *to, int64_t plane, double a, double b)
{
    const double sum = a + b, more = sum - a;
    to[0] = sum;
    to[plane] = (a - (sum - more)) + (b - more);
}

/* Fills targets, in dd: the generic parameters, with the constants moved by -1 and 1 times a random vector, exactly. */
static void make_targets(const plumb_family *family, const int64_t *list, int64_t count, uint64_t seed,
                         plumb_view *targets)
{
    const int64_t m = family->parameters;
    plumb_random random = plumb_random_start(seed);
    for (int64_t t = 0; t < 3; t++)
        for (int32_t part = 0; part < 2; part++)
            for (int64_t k = 0; k < m; k++)
                put_sum(targets->data + t * targets->next + part * PLUMB_DD * targets->plane + k, targets->plane,
                        family->from[part * m + k], 0.0);
    for (int64_t k = 0; k < count; k++)
        for (int32_t part = 0; part < 2; part++) {
            const double way = plumb_random_unit(&random) - 0.5, from = family->from[part * m + list[k]];
            double *place = targets->data + part * PLUMB_DD * targets->plane + list[k];
            put_sum(place, targets->plane, from, -way);
            put_sum(place + 2 * targets->next, targets->plane, from, way);
        }
}

/* Judges the sums of three positions, whose second difference is `bend` and whose first one is `move`. */
static int32_t judge(double bend, double move, double error, double *relative)
{
    *relative = move > 0.0 ? bend / move : bend;
    return !(error < 0x1p-60 * move) ? PLUMB_TRACE_UNDECIDED
           : bend <= SAME * error    ? PLUMB_TRACE_COMPLETE
           : bend >= APART * error   ? PLUMB_TRACE_MISSING
                                     : PLUMB_TRACE_UNDECIDED;
}

static plumb_status test(plumb_context *context, const plumb_family *family, const plumb_monodromy_options *options,
                         plumb_view *targets, plumb_view *x, plumb_monodromy_report *report)
{
    const int64_t n = family->unknowns, paths = family->paths;
    plumb_family_options settings;
    plumb_instance instances[3];
    plumb_view all = *x;
    bool good = true;
    double error = 0.0;
    plumb_family_options_init(&settings);
    settings.max_steps = options->max_steps;
    settings.seed = options->seed;
    settings.progress = options->progress;
    settings.data = options->data;
    plumb_status status = plumb_family_solve_part(context, family, targets, 0, &settings, x, NULL, instances);
    report->trace_paths += 3 * paths;
    for (int t = 0; t < 3; t++)
        good = good && (status != PLUMB_OK || instances[t].code == PLUMB_INSTANCE_GENERIC);
    mpf_t *sum = calloc((size_t)(4 * n), sizeof *sum);
    if (status == PLUMB_OK && !sum)
        status = SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < 4 * n && sum; i++)
        mpf_init2(sum[i], BITS);
    for (int64_t t = 0; t < 3 && status == PLUMB_OK && good; t++) {
        static const double times[] = {1.0, -2.0, 1.0};
        plumb_view target = *targets;
        target.data += t * targets->next;
        target.batch = 1;
        all.data = x->data + t * paths * x->next;
        all.batch = paths;
        status = refine(context, family, &target, &all, &error, &good);
        if (status == PLUMB_OK) {
            add_points(sum, &all, paths, times[t]);
            add_points(sum + 2 * n, &all, paths, t == 2 ? 0.0 : t == 0 ? -1.0 : 1.0);
        }
    }
    report->trace = PLUMB_TRACE_UNDECIDED;
    if (status == PLUMB_OK && good)
        report->trace = judge(largest(sum, n), largest(sum + 2 * n, n), 4.0 * error, &report->trace_error);
    for (int64_t i = 0; i < 4 * n && sum; i++)
        mpf_clear(sum[i]);
    free(sum);
    return status;
}

plumb_status loop_trace(plumb_context *context, const plumb_family *family, const plumb_monodromy_options *options,
                        plumb_monodromy_report *report)
{
    plumb_view targets = {.data = NULL}, x = {.data = NULL};
    int64_t *list = malloc((size_t)family->system->equations * sizeof *list);
    const int64_t count = list ? find_constants(family, list) : -1;
    plumb_status status = count < 0 ? SAY(PLUMB_ERR_MEMORY, "out of memory") : PLUMB_OK;
    report->trace = PLUMB_TRACE_UNSUITED;
    if (count > 0)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, family->parameters, 1, 3, &targets);
    if (count > 0 && status == PLUMB_OK)
        status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, family->unknowns, 1,
                                    3 * family->paths, &x);
    if (count > 0 && status == PLUMB_OK) {
        make_targets(family, list, count, options->seed, &targets);
        status = test(context, family, options, &targets, &x, report);
    }
    plumb_array_destroy(context, &targets);
    plumb_array_destroy(context, &x);
    free(list);
    return status;
}
