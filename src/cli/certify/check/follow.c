/* follow.c - which equations follow from others, so that a system with more equations than unknowns has the zeros of a square
 * one.
 *
 * The equations are taken in the order of their degrees, and then of their numbers. First those that are linear
 * combinations of the ones before them are left out; then, if there are still more equations than unknowns, those that
 * division by the ones before them reduces to zero (docs/certification.md). An equation that is left out is a sum of multiples
 * of the others, exactly. */
#include <stdlib.h>
#include <string.h>

#include "cli/certify/check/check.h"

/* Terms in order, higher degrees first, then larger exponents of the first unknown, of the second, ... */
typedef struct sum {
    int64_t count;
    int32_t *exponent; /* 1 + unknowns numbers per term: its degree, then the exponents */
    mpq_t *number;     /* real and imaginary part per term */
} sum;

typedef struct follower {
    int64_t width; /* 1 + unknowns */
    sum *divisor;  /* equations that stay, reduced */
    int64_t count;
    int64_t work; /* operations with terms that are left; below 0: too many were needed */
    bool no_memory;
} follower;

static bool sum_create(sum *s, int64_t terms, int64_t width)
{
    *s = (sum){.exponent = calloc((size_t)(terms * width) + 1, sizeof *s->exponent),
               .number = calloc(2 * (size_t)terms + 1, sizeof *s->number)};
    for (int64_t k = 0; s->number && k < 2 * terms; k++)
        mpq_init(s->number[k]);
    s->count = s->number ? terms : 0;
    return s->exponent && s->number;
}

static void sum_clear(sum *s, int64_t terms)
{
    for (int64_t k = 0; s->number && k < 2 * terms; k++)
        mpq_clear(s->number[k]);
    free(s->exponent);
    free(s->number);
    *s = (sum){.count = 0};
}

static sum sum_of(follower *f, const plumb_system *system, int64_t e)
{
    const int64_t first = system->equation[e], terms = system->equation[e + 1] - first;
    sum s;
    if (!sum_create(&s, terms, f->width))
        f->no_memory = true;
    for (int64_t k = 0; k < terms && !f->no_memory; k++) {
        const system_term *t = &system->terms[first + k];
        int32_t *exponent = s.exponent + k * f->width;
        mpq_set(s.number[2 * k], t->re);
        mpq_set(s.number[2 * k + 1], t->im);
        for (int32_t i = 0; i < t->count; i++) {
            exponent[1 + system->factors[t->first + i].unknown] = system->factors[t->first + i].exponent;
            exponent[0] += system->factors[t->first + i].exponent;
        }
    }
    return s;
}

/* Positive if monomial a comes before b. */
static int compare(const int32_t *a, const int32_t *b, int64_t width)
{
    for (int64_t i = 0; i < width; i++)
        if (a[i] != b[i])
            return a[i] > b[i] ? 1 : -1;
    return 0;
}

static bool divides(const int32_t *a, const int32_t *b, int64_t width)
{
    for (int64_t i = 0; i < width; i++)
        if (a[i] > b[i])
            return false;
    return true;
}

/* (re, im) = x / y for complex numbers; t is scratch. */
static void quotient(mpq_t re, mpq_t im, const mpq_t *x, const mpq_t *y, mpq_t t[3])
{
    mpq_mul(t[0], y[0], y[0]);
    mpq_mul(t[1], y[1], y[1]);
    mpq_add(t[2], t[0], t[1]);
    mpq_mul(t[0], x[0], y[0]);
    mpq_mul(t[1], x[1], y[1]);
    mpq_add(t[0], t[0], t[1]);
    mpq_div(re, t[0], t[2]);
    mpq_mul(t[0], x[1], y[0]);
    mpq_mul(t[1], x[0], y[1]);
    mpq_sub(t[0], t[0], t[1]);
    mpq_div(im, t[0], t[2]);
}

/* z -= (re, im) y */
static void subtract(mpq_t *z, const mpq_t re, const mpq_t im, const mpq_t *y, mpq_t t[3])
{
    mpq_mul(t[0], re, y[0]);
    mpq_mul(t[1], im, y[1]);
    mpq_sub(t[0], t[0], t[1]);
    mpq_sub(z[0], z[0], t[0]);
    mpq_mul(t[0], re, y[1]);
    mpq_mul(t[1], im, y[0]);
    mpq_add(t[0], t[0], t[1]);
    mpq_sub(z[1], z[1], t[0]);
}

/* The sum without its first term, less the multiple of the rest of the divisor that belongs to it. */
static void cancel(follower *f, sum *s, const sum *by)
{
    const int64_t width = f->width, room = s->count + by->count;
    int64_t i = 1, k = 1, count = 0;
    int32_t *moved = calloc((size_t)width, sizeof *moved); /* the monomial of the divisor's term times the quotient */
    sum made;
    mpq_t re, im, t[3];
    mpq_inits(re, im, t[0], t[1], t[2], NULL);
    quotient(re, im, s->number, by->number, t);
    f->work -= room;
    if (!sum_create(&made, room, width) || !moved)
        f->no_memory = true;
    while (!f->no_memory && (i < s->count || k < by->count)) {
        for (int64_t v = 0; k < by->count && v < width; v++)
            moved[v] = by->exponent[k * width + v] - by->exponent[v] + s->exponent[v];
        const int order = k == by->count ? 1 : i == s->count ? -1 : compare(s->exponent + i * width, moved, width);
        mpq_t *to = made.number + 2 * count;
        mpq_set_ui(to[0], 0, 1);
        mpq_set_ui(to[1], 0, 1);
        memcpy(made.exponent + count * width, order >= 0 ? s->exponent + i * width : moved,
               (size_t)width * sizeof *moved);
        if (order >= 0) {
            mpq_set(to[0], s->number[2 * i]);
            mpq_set(to[1], s->number[2 * i + 1]);
            i++;
        }
        if (order <= 0)
            subtract(to, re, im, (const mpq_t *)by->number + 2 * k++, t);
        count += mpq_sgn(to[0]) != 0 || mpq_sgn(to[1]) != 0;
    }
    mpq_clears(re, im, t[0], t[1], t[2], NULL);
    free(moved);
    sum_clear(s, s->count);
    for (int64_t n = 2 * count; made.number && n < 2 * room; n++)
        mpq_clear(made.number[n]);
    *s = made;
    s->count = made.number ? count : 0;
}

/* The divisor with the same first monomial; or else, if multiples are allowed, the first one whose monomial divides it. */
static const sum *find_divisor(const follower *f, const sum *s, bool multiples)
{
    for (int64_t k = 0; k < f->count; k++)
        if (compare(f->divisor[k].exponent, s->exponent, f->width) == 0)
            return &f->divisor[k];
    for (int64_t k = 0; k < f->count && multiples; k++)
        if (divides(f->divisor[k].exponent, s->exponent, f->width))
            return &f->divisor[k];
    return NULL;
}

/* Reduces a sum as far as it goes. */
static void reduce(follower *f, sum *s, bool multiples)
{
    const sum *by;
    while (s->count > 0 && f->work >= 0 && !f->no_memory && (by = find_divisor(f, s, multiples)) != NULL)
        cancel(f, s, by);
}

/* True if an equation is a multiple of another one of lower degree: division by that alone leaves nothing. */
static bool has_factor(follower *f, const plumb_system *system, int64_t e)
{
    bool found = false;
    for (int64_t k = 0; k < system->equations && !found && f->work >= 0 && !f->no_memory; k++) {
        if (system->equation[k] == system->equation[k + 1] ||
            system->terms[system->equation[k]].degree >= system->terms[system->equation[e]].degree)
            continue;
        sum rest = sum_of(f, system, e), divisor = sum_of(f, system, k);
        follower alone = {
            .width = f->width, .divisor = &divisor, .count = 1, .work = f->work, .no_memory = f->no_memory};
        reduce(&alone, &rest, true);
        f->work = alone.work;
        f->no_memory = alone.no_memory;
        found = f->work >= 0 && !f->no_memory && rest.count == 0;
        sum_clear(&rest, rest.count);
        sum_clear(&divisor, divisor.count);
    }
    return found;
}

/* Leaves out the equations of a degree that the ones before them reduce to zero. */
static void take(follower *f, const plumb_system *system, int64_t degree, bool multiples, bool *stays)
{
    for (int64_t e = 0; e < system->equations && f->work >= 0 && !f->no_memory; e++) {
        const int64_t first = system->equation[e];
        const int64_t own = first < system->equation[e + 1] ? system->terms[first].degree : 0;
        if (!stays[e] || own != degree)
            continue;
        if (multiples && own > 0 && has_factor(f, system, e)) {
            stays[e] = false;
            continue;
        }
        sum s = sum_of(f, system, e);
        reduce(f, &s, multiples);
        if (f->work >= 0 && !f->no_memory)
            stays[e] = s.count > 0;
        if (s.count > 0)
            f->divisor[f->count++] = s;
        else
            sum_clear(&s, 0);
    }
}

static void take_all(follower *f, const plumb_system *system, bool multiples, bool *stays)
{
    int64_t most = 0;
    for (int64_t e = 0; e < system->equations; e++)
        if (system->equation[e] < system->equation[e + 1]) {
            const int64_t degree = system->terms[system->equation[e]].degree;
            most = degree > most ? degree : most;
        }
    f->divisor = calloc((size_t)system->equations + 1, sizeof *f->divisor);
    f->count = 0;
    f->no_memory = f->no_memory || !f->divisor;
    for (int64_t degree = 0; degree <= most && f->work >= 0 && !f->no_memory; degree++)
        take(f, system, degree, multiples, stays);
    for (int64_t k = 0; k < f->count; k++)
        sum_clear(&f->divisor[k], f->divisor[k].count);
    free(f->divisor);
}

static int64_t count_all(const bool *stays, int64_t count)
{
    int64_t some = 0;
    for (int64_t e = 0; e < count; e++)
        some += stays[e];
    return some;
}

bool check_follow(const plumb_system *system, bool *stays, int64_t *left)
{
    enum { MOST_WORK = 100000000 };
    follower f = {.width = 1 + system->unknowns, .work = MOST_WORK};
    for (int64_t e = 0; e < system->equations; e++)
        stays[e] = true;
    take_all(&f, system, false, stays);
    if (!f.no_memory && count_all(stays, system->equations) > system->unknowns)
        take_all(&f, system, true, stays);
    *left = count_all(stays, system->equations);
    return !f.no_memory;
}
