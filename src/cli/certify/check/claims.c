/* claims.c - what boxes that are proven say about their zeros: comparisons of rational numbers, exactly. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/certify/check/check.h"

static void refuse(check_claim *claim, const char *why)
{
    if (!claim->why[0])
        snprintf(claim->why, sizeof claim->why, "%s", why);
}

/* False if an equation has a coefficient that is not real; those that are not used do not matter. */
static bool is_real_system(const check_file *file)
{
    const plumb_system *s = file->system;
    for (int64_t e = 0; e < s->equations; e++) {
        bool used = file->square == NULL;
        for (int64_t i = 0; i < s->unknowns && !used; i++)
            used = file->square[i * s->equations + e] != 0;
        for (int64_t k = s->equation[e]; k < s->equation[e + 1] && used; k++)
            if (mpq_sgn(s->terms[k].im) != 0)
                return false;
    }
    return true;
}

/* Real: the conjugate of a zero of a system with real coefficients is a zero, and if the box is its own conjugate, both are the one in the
 * box. Not real: an imaginary part is larger than its radius. */
void check_reality(const check_file *file, check_claim *claim)
{
    bool symmetric = true, off_axis = false, above = true, below = false;
    mpq_t t;
    mpq_init(t);
    for (int64_t i = 0; i < file->system->unknowns; i++) {
        symmetric &= mpq_sgn(claim->im[i]) == 0;
        mpq_abs(t, claim->im[i]);
        off_axis |= mpq_cmp(t, claim->radius[i]) > 0;
        above &= mpq_cmp(claim->re[i], claim->radius[i]) > 0;
        mpq_neg(t, claim->radius[i]);
        below |= mpq_cmp(claim->re[i], t) <= 0;
    }
    mpq_clear(t);
    const bool real = symmetric && is_real_system(file);
    if (claim->real == CHECK_YES && !real)
        refuse(claim, "the box does not show that the zero is real");
    if (claim->real == CHECK_NO && !off_axis)
        refuse(claim, "the box does not show that the zero is not real");
    if (claim->positive == CHECK_YES && !(real && above))
        refuse(claim, "the box does not show that the zero is positive");
    if (claim->positive == CHECK_NO && !(off_axis || below))
        refuse(claim, "the box does not show that the zero is not positive");
    /* A zero of a system with other coefficients may be real without a box that shows it. */
    const bool must_show = is_real_system(file);
    if (claim->record.real == CHECK_YES && (off_axis || (must_show && !real)))
        refuse(claim, off_axis ? "it is called real, and its box shows that the zero is not"
                               : "it is called real, and its box does not show it");
    if (claim->record.real == CHECK_NO && (real || (must_show && !off_axis)))
        refuse(claim, real ? "it is called not real, and its box shows that the zero is real"
                           : "it is called not real, and its box does not show it");
}

/* The zero in a box that is proven is simple. */
void check_kind(check_claim *claim)
{
    if (claim->verdict == CHECK_EXCLUDED)
        return;
    if (claim->record.regular == CHECK_NO)
        refuse(claim, "it is called singular, and its box shows that the zero is regular");
    if (claim->record.multiplicity > 1)
        refuse(claim, "it has a multiplicity above 1, and its box shows that the zero is simple");
}

/* ---- Distinct zeros ----------------------------------------------------------------------------------------------- */

/* True if intervals with these centres and radii have a point in common. */
static bool meet(mpq_srcptr c, mpq_srcptr d, mpq_srcptr r, mpq_srcptr s, mpq_t t, mpq_t u)
{
    mpq_sub(t, c, d);
    mpq_abs(t, t);
    mpq_add(u, r, s);
    return mpq_cmp(t, u) <= 0;
}

static bool disjoint(const check_claim *a, const check_claim *b, int64_t n)
{
    bool apart = false;
    mpq_t t, u;
    mpq_init(t);
    mpq_init(u);
    for (int64_t i = 0; i < n && !apart; i++)
        apart = !meet(a->re[i], b->re[i], a->radius[i], b->radius[i], t, u) ||
                !meet(a->im[i], b->im[i], a->radius[i], b->radius[i], t, u);
    mpq_clear(t);
    mpq_clear(u);
    return apart;
}

/* True if box a lies in box b. */
static bool contained(const check_claim *a, const check_claim *b, int64_t n)
{
    bool in = true;
    mpq_t t, u;
    mpq_init(t);
    mpq_init(u);
    for (int64_t i = 0; i < n && in; i++) {
        mpq_sub(u, b->radius[i], a->radius[i]);
        mpq_sub(t, a->re[i], b->re[i]);
        mpq_abs(t, t);
        in = mpq_cmp(t, u) <= 0;
        mpq_sub(t, a->im[i], b->im[i]);
        mpq_abs(t, t);
        in = in && mpq_cmp(t, u) <= 0;
    }
    mpq_clear(t);
    mpq_clear(u);
    return in;
}

/* The interval of a box under a linear form with small integers. */
typedef struct claim_interval {
    mpq_t low, high;
    int64_t point;
} claim_interval;

static void find_interval(const check_claim *claim, int64_t n, claim_interval *interval)
{
    mpq_t t, weight;
    mpq_init(t);
    mpq_init(weight);
    unsigned long state = 1;
    for (int64_t k = 0; k < 2 * n; k++) {
        state = state * 48271 % 2147483647; /* any numbers would do */
        mpq_set_si(weight, (long)(state % 1999) - 999, 1);
        mpq_mul(t, weight, k % 2 ? claim->im[k / 2] : claim->re[k / 2]);
        mpq_add(interval->low, interval->low, t);
        mpq_add(interval->high, interval->high, t);
        mpq_abs(weight, weight);
        mpq_mul(t, weight, claim->radius[k / 2]);
        mpq_sub(interval->low, interval->low, t);
        mpq_add(interval->high, interval->high, t);
    }
    mpq_clear(t);
    mpq_clear(weight);
}

static int by_low(const void *p, const void *q)
{
    const claim_interval *a = p, *b = q;
    const int order = mpq_cmp(a->low, b->low);
    return order != 0 ? order : (a->point > b->point) - (a->point < b->point);
}

/* Boxes whose intervals are disjoint are disjoint; the others are compared. */
static void compare_all(const check_file *file, const claim_interval *interval, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = k + 1; i < count && mpq_cmp(interval[i].low, interval[k].high) <= 0; i++) {
            check_claim *a = &file->claim[interval[k].point], *b = &file->claim[interval[i].point];
            if (!disjoint(a, b, file->system->unknowns)) {
                snprintf(b->why, sizeof b->why, "the box is not disjoint from that of solution %lld",
                         (long long)interval[k].point + 1);
            }
        }
}

static void check_same(const check_file *file, check_claim *claim)
{
    if (claim->same_as < 0 || claim->same_as >= file->count) {
        refuse(claim, "it names no solution with the same zero");
        return;
    }
    const check_claim *other = &file->claim[claim->same_as];
    const int64_t n = file->system->unknowns;
    if (other == claim || other->verdict == CHECK_NONE || other->why[0] ||
        !(contained(claim, other, n) || contained(other, claim, n)))
        refuse(claim, "no box shows that the two zeros are the same");
}

bool check_distinct(const check_file *file)
{
    claim_interval *interval = malloc(((size_t)file->count + 1) * sizeof *interval);
    int64_t count = 0;
    if (!interval)
        return false;
    for (int64_t k = 0; k < file->count; k++) {
        check_claim *claim = &file->claim[k];
        if (claim->verdict == CHECK_NONE)
            continue;
        if (claim->distinct == CHECK_NO || claim->same_as >= 0)
            check_same(file, claim);
        if (claim->distinct != CHECK_YES)
            continue;
        mpq_init(interval[count].low);
        mpq_init(interval[count].high);
        interval[count].point = k;
        find_interval(claim, file->system->unknowns, &interval[count++]);
    }
    qsort(interval, (size_t)count, sizeof *interval, by_low);
    compare_all(file, interval, count);
    for (int64_t k = 0; k < count; k++) {
        mpq_clear(interval[k].low);
        mpq_clear(interval[k].high);
    }
    free(interval);
    return true;
}
