/* symmetry.c - maps of the unknowns that take solutions to solutions; see monodromy.h.
 *
 * An image needs a few digits only, because Newton's method completes it, and shows whether it is a solution. It is computed in
 * doubles, term by term. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/call/message.h"
#include "solver/monodromy/monodromy.h"

#define SAY(status, ...) plumb_say(status, graph->context->message, sizeof graph->context->message, __VA_ARGS__)

/* The unknown or parameter of the family with the name of an unknown of a map; -1: there is none. */
static int64_t find(const loop_graph *graph, const char *name)
{
    const plumb_system *system = graph->family->system;
    for (int64_t i = 0; i < system->unknowns; i++)
        if (strcmp(system->names[i], name) == 0)
            return i;
    return -1;
}

plumb_status loop_symmetry_check(const loop_graph *graph)
{
    const int64_t n = graph->family->unknowns;
    if (graph->options.symmetries > 0 && !graph->options.symmetry)
        return SAY(PLUMB_ERR_ARGUMENT, "symmetry is NULL");
    for (int32_t s = 0; s < graph->options.symmetries; s++) {
        const plumb_system *map = graph->options.symmetry[s];
        if (!map)
            return SAY(PLUMB_ERR_ARGUMENT, "symmetry %d is NULL", (int)s + 1);
        if (map->equations != n)
            return SAY(PLUMB_ERR_ARGUMENT, "symmetry %d has %lld equation%s, expected the images of %lld unknowns",
                       (int)s + 1, (long long)map->equations, map->equations == 1 ? "" : "s", (long long)n);
        for (int64_t i = 0; i < map->unknowns; i++)
            if (find(graph, map->names[i]) < 0)
                return SAY(PLUMB_ERR_ARGUMENT, "symmetry %d: the family has no unknown %.64s", (int)s + 1,
                           map->names[i]);
    }
    return PLUMB_OK;
}

/* CMPLX, which clang does not have in every C library. */
static double complex number(double re, double im)
{
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* The value of an unknown of a map. */
static double complex value(const loop_graph *graph, const char *name, const double *at, const double *x)
{
    const int64_t n = graph->family->unknowns, m = graph->family->parameters, i = find(graph, name);
    return i < n ? number(x[i], x[PLUMB_QD * n + i]) : number(at[i - n], at[m + i - n]);
}

static double complex multiply(double complex a, double complex b)
{
    return number(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static double complex evaluate(const loop_graph *graph, const plumb_system *map, int64_t equation, const double *at,
                               const double *x)
{
    double complex sum = 0.0;
    for (int64_t t = map->equation[equation]; t < map->equation[equation + 1]; t++) {
        const system_term *term = &map->terms[t];
        double complex product = number(mpq_get_d(term->re), mpq_get_d(term->im));
        for (int32_t j = 0; j < term->count; j++) {
            const system_factor *f = &map->factors[term->first + j];
            for (int32_t e = 0; e < f->exponent; e++)
                product = multiply(product, value(graph, map->names[f->unknown], at, x));
        }
        sum += product;
    }
    return sum;
}

void loop_symmetry_map(const loop_graph *graph, int32_t map, const double *at, const double *x, double *image)
{
    const int64_t n = graph->family->unknowns;
    const plumb_system *system = graph->options.symmetry[map];
    memset(image, 0, (size_t)(2 * PLUMB_QD * n) * sizeof *image);
    for (int64_t i = 0; i < n; i++) {
        double complex y = evaluate(graph, system, i, at, x);
        for (int32_t d = 0; system->denominators && d < system->divisors[i].count; d++) {
            const system_divisor *divisor = &system->divisors[i].list[d];
            const double complex below = evaluate(graph, system->denominators, divisor->denominator, at, x);
            const double square = creal(below) * creal(below) + cimag(below) * cimag(below);
            for (int32_t e = 0; e < divisor->exponent; e++)
                y = multiply(y, conj(below)) / square;
        }
        image[i] = creal(y);
        image[PLUMB_QD * n + i] = cimag(y);
    }
}
