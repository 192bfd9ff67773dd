/* polynomial.c - see polynomial.h. */
#include "model/system/polynomial.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/reserve.h"
#include "base/memory/size.h"

static void clear_term(system_term *t)
{
    mpq_clear(t->re);
    mpq_clear(t->im);
}

void plumb_poly_clear(polynomial *p)
{
    for (int64_t i = 0; i < p->count; i++)
        clear_term(&p->terms[i]);
    free(p->terms);
    free(p->factors);
    *p = (polynomial){.terms = NULL};
}

/* Makes room for more entries of an array and keeps the present ones. */
static bool grow(void **array, int64_t *room, int64_t needed, size_t entry)
{
    if (needed <= *room)
        return true;
    int64_t more, bytes;
    if (!size_add(needed, needed / 2 + 8, &more) || !size_mul(more, (int64_t)entry, &bytes))
        return false;
    void *larger = realloc(*array, (size_t)bytes);
    if (larger == NULL)
        return false;
    *array = larger;
    *room = more;
    return true;
}

plumb_status plumb_poly_append(polynomial *p, mpq_srcptr re, mpq_srcptr im, const system_factor *factors, int32_t count,
                               int32_t degree)
{
    void *terms = p->terms, *space = p->factors;
    bool fits = grow(&terms, &p->room, p->count + 1, sizeof *p->terms);
    p->terms = terms;
    if (!fits)
        return PLUMB_ERR_MEMORY;
    fits = grow(&space, &p->space, p->used + count + 1, sizeof *p->factors); /* never NULL, even for a constant */
    p->factors = space;
    if (!fits || !reserve_limbs(coefficient_limbs(re) + coefficient_limbs(im)))
        return PLUMB_ERR_MEMORY;
    system_term *t = &p->terms[p->count++];
    mpq_init(t->re);
    mpq_init(t->im);
    mpq_set(t->re, re);
    mpq_set(t->im, im);
    t->first = p->used;
    t->count = count;
    t->degree = degree;
    if (count > 0)
        memcpy(p->factors + p->used, factors, (size_t)count * sizeof *factors);
    p->used += count;
    return PLUMB_OK;
}

/* ---- Order ----------------------------------------------------------------------------------------------------- */

/* Negative if the monomial of a comes before that of b, 0 if they are equal. */
static int compare(const polynomial *p, const system_term *a, const system_term *b)
{
    if (a->degree != b->degree)
        return a->degree > b->degree ? -1 : 1;
    const system_factor *f = p->factors + a->first, *g = p->factors + b->first;
    for (int32_t i = 0; i < a->count && i < b->count; i++) {
        if (f[i].unknown != g[i].unknown) /* the other monomial has exponent 0 there */
            return f[i].unknown < g[i].unknown ? -1 : 1;
        if (f[i].exponent != g[i].exponent)
            return f[i].exponent > g[i].exponent ? -1 : 1;
    }
    return 0; /* equal degrees and equal factors as far as the shorter one goes: equal monomials */
}

/* Merges the sorted runs from[low..middle) and from[middle..high) into to. */
static void merge(const polynomial *p, const int64_t *from, int64_t *to, int64_t low, int64_t middle, int64_t high)
{
    int64_t i = low, j = middle;
    for (int64_t k = low; k < high; k++)
        to[k] = j == high || (i < middle && compare(p, &p->terms[from[i]], &p->terms[from[j]]) <= 0) ? from[i++]
                                                                                                     : from[j++];
}

/* A stable merge sort of the indices of all terms. Returns the array, a or b, that holds the result. */
static int64_t *sort(const polynomial *p, int64_t *a, int64_t *b)
{
    for (int64_t i = 0; i < p->count; i++)
        a[i] = i;
    for (int64_t width = 1; width < p->count; width *= 2) {
        for (int64_t low = 0; low < p->count; low += 2 * width) {
            int64_t middle = low + width < p->count ? low + width : p->count;
            int64_t high = middle + width < p->count ? middle + width : p->count;
            merge(p, a, b, low, middle, high);
        }
        int64_t *swap = a;
        a = b;
        b = swap;
    }
    return a;
}

static bool is_zero(const system_term *t)
{
    return mpq_sgn(t->re) == 0 && mpq_sgn(t->im) == 0;
}

static bool is_normal(const polynomial *p)
{
    for (int64_t i = 0; i < p->count; i++)
        if (is_zero(&p->terms[i]) || (i > 0 && compare(p, &p->terms[i - 1], &p->terms[i]) >= 0))
            return false;
    return true;
}

/* Moves the terms into `to` in the given order, in which equal ones are adjacent, and merges them. */
static void gather(polynomial *p, const int64_t *order, polynomial *to)
{
    for (int64_t i = 0; i < p->count;) {
        system_term *t = &p->terms[order[i]];
        int64_t same = i + 1;
        for (; same < p->count && compare(p, t, &p->terms[order[same]]) == 0; same++) {
            system_term *other = &p->terms[order[same]];
            mpq_add(t->re, t->re, other->re);
            mpq_add(t->im, t->im, other->im);
            clear_term(other);
        }
        i = same;
        if (is_zero(t)) {
            clear_term(t);
            continue;
        }
        if (t->count > 0)
            memcpy(to->factors + to->used, p->factors + t->first, (size_t)t->count * sizeof *to->factors);
        system_term *moved = &to->terms[to->count++];
        *moved = *t; /* its numbers now belong to `to` */
        moved->first = to->used;
        to->used += t->count;
    }
}

plumb_status plumb_poly_normalise(polynomial *p)
{
    if (is_normal(p))
        return PLUMB_OK;
    int64_t bytes;
    if (!size_mul(p->count, 2 * (int64_t)sizeof(int64_t), &bytes))
        return PLUMB_ERR_MEMORY;
    int64_t *space = malloc((size_t)bytes);
    polynomial to = {.terms = malloc((size_t)p->count * sizeof *to.terms),
                     .factors = malloc((size_t)(p->used > 0 ? p->used : 1) * sizeof *to.factors),
                     .room = p->count,
                     .space = p->used > 0 ? p->used : 1};
    int64_t longest = 0,
            all = 0; /* coefficients: two of them may be added, and a sum has at most twice their lengths */
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t limbs = coefficient_limbs(p->terms[i].re) + coefficient_limbs(p->terms[i].im);
        longest = limbs > longest ? limbs : longest;
        all += limbs;
    }
    bool good = space != NULL && to.terms != NULL && to.factors != NULL && reserve_limbs(2 * longest + all);
    if (good) {
        gather(p, sort(p, space, space + p->count), &to);
        p->count = 0; /* all of its terms were moved or cleared */
        plumb_poly_clear(p);
        *p = to;
    } else {
        plumb_poly_clear(&to);
    }
    free(space);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}
