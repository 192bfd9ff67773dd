/* quotient.c - see quotient.h. */
#include "text/system/quotient.h"

#include <stdlib.h>
#include <string.h>

void plumb_quotient_clear(quotient *q)
{
    plumb_poly_clear(&q->top);
    free(q->under.list);
    *q = (quotient){.under.list = NULL};
}

void plumb_quotient_table_clear(quotient_table *table)
{
    for (int32_t i = 0; i < table->count; i++)
        plumb_poly_clear(&table->list[i]);
    free(table->list);
    *table = (quotient_table){.list = NULL};
}

/* ---- Denominators ------------------------------------------------------------------------------------------------ */

static bool is_same(const polynomial *a, const polynomial *b)
{
    if (a->count != b->count)
        return false;
    for (int64_t i = 0; i < a->count; i++) {
        const system_term *s = &a->terms[i], *t = &b->terms[i];
        if (s->count != t->count || s->degree != t->degree || !mpq_equal(s->re, t->re) || !mpq_equal(s->im, t->im) ||
            (s->count > 0 &&
             memcmp(a->factors + s->first, b->factors + t->first, (size_t)s->count * sizeof *a->factors) != 0))
            return false;
    }
    return true;
}

plumb_status plumb_quotient_find(quotient_table *table, polynomial *p, poly_work *work, int32_t *number)
{
    plumb_status status = plumb_work_spend(work, 1 + table->count / 8 + p->count);
    for (*number = 0; *number < table->count && !is_same(&table->list[*number], p);)
        ++*number;
    if (status == PLUMB_OK && *number == QUOTIENT_MOST_DENOMINATORS) {
        work->limit = "with more than 1000 different denominators";
        status = PLUMB_ERR_SIZE;
    }
    if (status == PLUMB_OK && *number == table->room) {
        const int32_t room = 2 * table->room + 8;
        polynomial *larger = realloc(table->list, (size_t)room * sizeof *larger);
        status = larger != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
        table->list = larger != NULL ? larger : table->list;
        table->room = larger != NULL ? room : table->room;
    }
    if (status == PLUMB_OK && *number == table->count) {
        table->list[table->count++] = *p;
        *p = (polynomial){.terms = NULL};
    }
    plumb_poly_clear(p);
    return status;
}

plumb_status plumb_quotient_divide(system_divisors *under, int32_t denominator, int64_t exponent)
{
    int32_t place = 0;
    while (place < under->count && under->list[place].denominator < denominator)
        place++;
    const bool found = place < under->count && under->list[place].denominator == denominator;
    exponent += found ? under->list[place].exponent : 0;
    if (exponent > POLY_MOST_EXPONENT)
        return PLUMB_ERR_RANGE;
    if (!found && under->count == under->room) {
        const int32_t room = 2 * under->room + 4;
        system_divisor *larger = realloc(under->list, (size_t)room * sizeof *larger);
        if (larger == NULL)
            return PLUMB_ERR_MEMORY;
        under->list = larger;
        under->room = room;
    }
    if (!found) {
        memmove(under->list + place + 1, under->list + place, (size_t)(under->count - place) * sizeof *under->list);
        under->count++;
    }
    under->list[place] = (system_divisor){.denominator = denominator, .exponent = (int32_t)exponent};
    return PLUMB_OK;
}

static int32_t exponent_of(const system_divisors *under, int32_t denominator)
{
    for (int32_t i = 0; i < under->count; i++)
        if (under->list[i].denominator == denominator)
            return under->list[i].exponent;
    return 0;
}

plumb_status plumb_quotient_power(const quotient_table *table, int32_t denominator, int64_t exponent, poly_work *work,
                                  polynomial *p)
{
    const polynomial *base = &table->list[denominator];
    plumb_status status = plumb_work_spend(work, base->count);
    for (int64_t i = 0; i < base->count && status == PLUMB_OK; i++) {
        const system_term *t = &base->terms[i];
        status = plumb_poly_append(p, t->re, t->im, base->factors + t->first, t->count, t->degree);
    }
    return status == PLUMB_OK ? plumb_poly_power(p, exponent, work) : status;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static void forget_exponents(system_divisors *under)
{
    for (int32_t i = 0; i < under->count; i++)
        under->list[i].exponent = 0;
}

static system_divisor divisor_at(const system_divisors *under, int32_t i)
{
    return under->list[i]; /* NOLINT(clang-analyzer-unix.Malloc): the list that realloc returned, not the one before */
}

/* Multiplies numerator and denominator such that the exponents are at least those of the other one. */
static plumb_status extend(const quotient_table *table, quotient *q, const system_divisors *other, poly_work *work)
{
    plumb_status status = PLUMB_OK;
    for (int32_t i = 0; i < other->count && status == PLUMB_OK; i++) {
        const system_divisor d = divisor_at(other, i);
        const int32_t denominator = d.denominator, more = d.exponent - exponent_of(&q->under, denominator);
        status = plumb_quotient_divide(&q->under, denominator, more > 0 ? more : 0);
        if (status != PLUMB_OK || more <= 0)
            continue;
        polynomial factor = {.terms = NULL}, top = {.terms = NULL};
        status = plumb_quotient_power(table, denominator, more, work, &factor);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&q->top);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(&top, &q->top, &factor, work);
        plumb_poly_clear(&factor);
        plumb_poly_clear(&q->top);
        q->top = top;
    }
    return status;
}

plumb_status plumb_quotient_add(const quotient_table *table, quotient *a, quotient *b, poly_work *work)
{
    plumb_status status = plumb_poly_normalise(&b->top);
    if (b->top.count == 0)
        forget_exponents(&b->under);
    if (a->top.count == 0)
        forget_exponents(&a->under);
    if (status == PLUMB_OK)
        status = extend(table, a, &b->under, work);
    if (status == PLUMB_OK)
        status = extend(table, b, &a->under, work);
    for (int64_t i = 0; i < b->top.count && status == PLUMB_OK; i++) {
        const system_term *t = &b->top.terms[i];
        status = plumb_poly_append(&a->top, t->re, t->im, b->top.factors + t->first, t->count, t->degree);
    }
    plumb_quotient_clear(b);
    return status;
}

/* ---- Cancelling -------------------------------------------------------------------------------------------------- */

/* The smallest exponent of an unknown in the terms, at most `most`. */
static int32_t least_exponent(const polynomial *p, int32_t unknown, int32_t most)
{
    for (int64_t k = 0; k < p->count && most > 0; k++) {
        int32_t exponent = 0;
        for (int32_t i = 0; i < p->terms[k].count; i++) {
            const system_factor *f = &p->factors[p->terms[k].first + i];
            exponent = f->unknown == unknown ? f->exponent : exponent;
        }
        most = exponent < most ? exponent : most;
    }
    return most;
}

/* Divides all terms by a power of an unknown, which they have. Their order stays. */
static void divide_terms(polynomial *p, int32_t unknown, int32_t exponent)
{
    for (int64_t k = 0; k < p->count; k++) {
        system_term *t = &p->terms[k];
        system_factor *f = p->factors + t->first;
        int32_t kept = 0;
        for (int32_t i = 0; i < t->count; i++) {
            system_factor factor = f[i];
            factor.exponent -= factor.unknown == unknown ? exponent : 0;
            if (factor.exponent > 0)
                f[kept++] = factor;
        }
        t->count = kept;
        t->degree -= exponent;
    }
}

plumb_status plumb_quotient_finish(const quotient_table *table, quotient *q)
{
    const plumb_status status = plumb_poly_normalise(&q->top);
    if (q->top.count == 0)
        forget_exponents(&q->under);
    for (int32_t i = 0; i < q->under.count && status == PLUMB_OK; i++) {
        system_divisor *d = &q->under.list[i];
        const polynomial *base = &table->list[d->denominator];
        if (base->count > 1)
            continue;
        const int32_t unknown = base->factors[base->terms[0].first].unknown;
        const int32_t common = least_exponent(&q->top, unknown, d->exponent);
        if (common > 0)
            divide_terms(&q->top, unknown, common);
        d->exponent -= common;
    }
    return status;
}
