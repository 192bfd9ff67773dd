/* choose.c - plumb_solutions_choose: which solutions are kept, after certificates have decided what is real and positive. */
#include <stdlib.h>
#include <string.h>

#include "model/certificates.h"
#include "model/solutions.h"
#include "solver/solve/plan.h"

/* What is proven replaces the estimate. */
static void correct(plumb_solutions *s, const plumb_certificates *certificates)
{
    for (int64_t k = 0; k < s->count; k++) {
        const plumb_certificate *c = &certificates->record[k];
        solution_record *r = &s->record[k];
        if (c->real != 0 && c->code != PLUMB_CERTIFY_EXCLUDED) {
            if (s->report)
                s->report->real += (c->real > 0) - (r->real != 0);
            r->real = c->real > 0;
        }
        if (c->positive != 0 && c->code == PLUMB_CERTIFIED)
            r->positive = c->positive > 0;
    }
}

/* Solution k, with its certificate, becomes number `to`. */
static void move(plumb_solutions *s, plumb_certificates *c, int64_t k, int64_t to)
{
    const size_t numbers = (size_t)s->unknowns * 2 * (size_t)s->prec;
    s->record[to] = s->record[k];
    memmove(s->t + to * 2 * s->prec, s->t + k * 2 * s->prec, 2 * (size_t)s->prec * sizeof *s->t);
    memmove(solution_value(s, to, 0), solution_value(s, k, 0), numbers * sizeof *s->x);
    if (!c)
        return;
    c->record[to] = c->record[k];
    for (int64_t i = 0; i < s->unknowns * CERTIFICATE_NUMBERS; i++) {
        char **from = certificate_number(c, k, 0) + i, **place = certificate_number(c, to, 0) + i;
        char *number = *from;
        *from = *place; /* freed with the others */
        *place = number;
    }
}

/* The first so many certificates stay; place: where each of the old ones is now, or -1. */
static void shorten(plumb_certificates *c, int64_t kept, const int64_t *place)
{
    for (int64_t k = 0; k < kept; k++)
        if (c->record[k].distinct < 0 && c->record[k].same_as >= 0)
            c->record[k].same_as = place[c->record[k].same_as];
    for (int64_t i = kept * c->unknowns * CERTIFICATE_NUMBERS; i < c->count * c->unknowns * CERTIFICATE_NUMBERS; i++) {
        free(c->number[i]);
        c->number[i] = NULL;
    }
    c->count = kept;
}

plumb_status plumb_solutions_choose(plumb_solutions *solutions, plumb_certificates *certificates,
                                    const plumb_solve_options *options)
{
    plumb_solutions *s = solutions;
    if (!s || !options || (certificates && (certificates->count != s->count || certificates->unknowns != s->unknowns)))
        return PLUMB_ERR_ARGUMENT;
    int64_t kept = 0, *place = malloc(((size_t)s->count + 1) * sizeof *place);
    if (!place)
        return PLUMB_ERR_MEMORY;
    if (certificates)
        correct(s, certificates);
    for (int64_t k = 0; k < s->count; k++) {
        place[k] = solution_is_wanted(&s->record[k], options) ? kept++ : -1;
        if (place[k] >= 0)
            move(s, certificates, k, place[k]);
    }
    s->count = kept;
    if (certificates)
        shorten(certificates, kept, place);
    free(place);
    return PLUMB_OK;
}
