/* choose.c - plumb_solutions_choose: which solutions are kept, after certificates have decided what is real and positive. */
#include <stdlib.h>
#include <string.h>

#include "model/certificates.h"
#include "model/digits.h"
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

/* Texts that are not needed any more are freed with the others. */
static void exchange(char **from, char **to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        char *text = from[i];
        from[i] = to[i];
        to[i] = text;
    }
}

static void clear_texts(char **text, int64_t first, int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        free(text[i]);
        text[i] = NULL;
    }
}

/* Solution k, with its digits and its certificate, becomes number `to`. */
static void move(plumb_solutions *s, plumb_certificates *c, int64_t k, int64_t to)
{
    const size_t numbers = (size_t)s->unknowns * 2 * (size_t)s->prec;
    s->record[to] = s->record[k];
    memmove(s->t + to * 2 * s->prec, s->t + k * 2 * s->prec, 2 * (size_t)s->prec * sizeof *s->t);
    memmove(solution_value(s, to, 0), solution_value(s, k, 0), numbers * sizeof *s->x);
    if (s->digits) {
        s->digits->report[to] = s->digits->report[k];
        exchange(digits_number(s->digits, k, 0), digits_number(s->digits, to, 0), 2 * s->unknowns);
    }
    if (!c)
        return;
    c->record[to] = c->record[k];
    exchange(certificate_number(c, k, 0), certificate_number(c, to, 0), s->unknowns * CERTIFICATE_NUMBERS);
}

/* The first certificates, up to this number, stay; place: where each of the old ones is now, or -1. */
static void shorten(plumb_certificates *c, int64_t kept, const int64_t *place)
{
    for (int64_t k = 0; k < kept; k++)
        if (c->record[k].distinct < 0 && c->record[k].same_as >= 0)
            c->record[k].same_as = place[c->record[k].same_as];
    const int64_t each = c->unknowns * CERTIFICATE_NUMBERS;
    clear_texts(c->number, kept * each, c->count * each);
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
    if (s->digits) {
        clear_texts(s->digits->number, kept * 2 * s->unknowns, s->digits->count * 2 * s->unknowns);
        s->digits->count = kept;
    }
    if (certificates)
        shorten(certificates, kept, place);
    free(place);
    return PLUMB_OK;
}
