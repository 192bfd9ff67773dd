/* start_solutions.c - plumb_system_start_solutions: computes the requested solutions from the roots of a x^d = c,
 * unknown by unknown.
 *
 * With c/a = i^Q r e^(i delta), |delta| <= pi/4, root j has the modulus r^(1/d) and, in quarter turns, the angle (Q +
 * 4 j + 4 delta/(2 pi)) / d. Whole quarter turns are removed as integers; the rest is computed without cancellation,
 * so that cosine and sine keep all their digits. All of this is done with SPARE bits beyond the precision. Half of
 * these bits are rounded off before the number is split into limbs, so that exact roots, such as those of x^4 - 1 or
 * halves, come out exact. */
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/reserve.h"
#include "model/homotopy/start_form.h"
#include "model/system/polynomial.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

enum { SPARE = 128, MPFR_NEEDS = 4096 }; /* MPFR_NEEDS: limbs, with its tables of constants */

/* Computes the roots of one unknown. */
typedef struct root_maker {
    mpfr_t modulus, offset, half_pi; /* r^(1/d), delta in quarter turns, a quarter turn */
    mpfr_t angle, cosine, sine, part;
    int64_t quarter, degree;
    int32_t prec;
} root_maker;

static mpfr_ptr member(root_maker *m, int i)
{
    mpfr_ptr all[] = {m->modulus, m->offset, m->half_pi, m->angle, m->cosine, m->sine, m->part};
    return all[i];
}

static void maker_init(root_maker *m, int32_t prec)
{
    m->prec = prec;
    for (int i = 0; i < 7; i++)
        mpfr_init2(member(m, i), 53 * (mpfr_prec_t)prec + (i < 6 ? SPARE : SPARE / 2));
    mpfr_const_pi(m->half_pi, MPFR_RNDN);
    mpfr_div_2ui(m->half_pi, m->half_pi, 1, MPFR_RNDN);
}

static void maker_clear(root_maker *m)
{
    for (int i = 0; i < 7; i++)
        mpfr_clear(member(m, i));
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* otherwise the cached constants of MPFR leak when a thread ends */
}

/* Multiplies z by -i, Q times in total, such that its angle is at most an eighth of a turn. Returns Q. */
static int64_t take_quarters(mpq_t re, mpq_t im)
{
    int64_t quarter = 0;
    mpq_t size;
    mpq_init(size);
    for (mpq_abs(size, im); mpq_cmp(size, re) > 0 || mpq_sgn(re) < 0; mpq_abs(size, im), quarter++) {
        mpq_swap(re, im);
        mpq_neg(im, im);
    }
    mpq_clear(size);
    return quarter;
}

/* Prepares the roots of c/a = z; z is overwritten. */
static plumb_status set_quotient(root_maker *m, mpq_t re, mpq_t im, int64_t degree)
{
    m->degree = degree;
    m->quarter = take_quarters(re, im);
    mpfr_set_q(m->cosine, re, MPFR_RNDN);
    mpfr_set_q(m->sine, im, MPFR_RNDN);
    mpfr_hypot(m->modulus, m->cosine, m->sine, MPFR_RNDN);
    mpfr_rootn_ui(m->modulus, m->modulus, (unsigned long)degree, MPFR_RNDN);
    mpfr_atan2(m->offset, m->sine, m->cosine, MPFR_RNDN);
    mpfr_div(m->offset, m->offset, m->half_pi, MPFR_RNDN);
    mpq_abs(im, im);
    if (mpq_equal(im, re)) /* exactly an eighth of a turn */
        mpfr_set_d(m->offset, mpfr_sgn(m->sine) * 0.5, MPFR_RNDN);
    double size = mpfr_get_d(m->modulus, MPFR_RNDN);
    return isnormal(size) ? PLUMB_OK : SAY(PLUMB_ERR_RANGE, "the roots of the start system are out of range");
}

static plumb_status set_unknown(root_maker *m, const start_form *form, int64_t unknown)
{
    const system_term *a = start_power(form, unknown), *c = start_constant(form, unknown);
    poly_work work = {.left = POLY_MOST_WORK};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_neg(re, c->re);
    mpq_neg(im, c->im);
    plumb_status status = plumb_coefficient_divide(re, im, a->re, a->im, &work);
    if (status == PLUMB_OK)
        status = set_quotient(m, re, im, a->degree);
    mpq_clears(re, im, NULL);
    return status;
}

/* Stores the limbs of modulus * x, each the double nearest to the remainder. A zero is +0. */
static void put_part(root_maker *m, mpfr_t x, double *limbs)
{
    mpfr_mul(x, x, m->modulus, MPFR_RNDN);
    mpfr_set(m->part, x, MPFR_RNDN);
    for (int32_t limb = 0; limb < m->prec; limb++) {
        double d = mpfr_get_d(m->part, MPFR_RNDN);
        limbs[limb] = d + 0.0;
        mpfr_sub_d(m->part, m->part, d, MPFR_RNDN); /* exact: the remainder is shorter */
    }
}

/* Computes root j: limbs of the real part, then of the imaginary part. */
static void make_root(root_maker *m, int64_t j, double *limbs)
{
    int64_t d = m->degree, quarters = m->quarter + 4 * j;
    int64_t whole = (2 * quarters + d) / (2 * d); /* to nearest */
    mpfr_add_si(m->angle, m->offset, (long)(quarters - whole * d), MPFR_RNDN);
    mpfr_div_ui(m->angle, m->angle, (unsigned long)d, MPFR_RNDN);
    mpfr_mul(m->angle, m->angle, m->half_pi, MPFR_RNDN);
    mpfr_sin_cos(m->sine, m->cosine, m->angle, MPFR_RNDN);
    if (whole & 1) { /* (c, s) becomes (-s, c) */
        mpfr_swap(m->cosine, m->sine);
        mpfr_neg(m->cosine, m->cosine, MPFR_RNDN);
    }
    if (whole & 2) {
        mpfr_neg(m->cosine, m->cosine, MPFR_RNDN);
        mpfr_neg(m->sine, m->sine, MPFR_RNDN);
    }
    put_part(m, m->cosine, limbs);
    put_part(m, m->sine, limbs + m->prec);
}

/* The roots of one unknown that a call has needed so far; there are few of them, for any number of solutions. */
typedef struct root_table {
    double *limbs;
    unsigned char *made;
} root_table;

static void fill_unknown(root_maker *m, root_table *table, const start_form *form, int64_t unknown, int64_t first,
                         const plumb_view *x)
{
    const int64_t planes = view_planes(x);
    memset(table->made, 0, (size_t)m->degree);
    for (int64_t b = 0; b < x->batch; b++) {
        int64_t j = start_digit(form, unknown, first + b);
        double *limbs = table->limbs + j * planes, *at = x->data + b * x->next + unknown;
        if (!table->made[j])
            make_root(m, j, limbs);
        table->made[j] = 1;
        for (int64_t c = 0; c < planes; c++)
            at[c * x->plane] = limbs[c];
    }
}

static plumb_status fill(const start_form *form, int64_t first, const plumb_view *x)
{
    int64_t most = 1;
    for (int64_t u = 0; u < x->rows; u++)
        if (start_power(form, u)->degree > most)
            most = start_power(form, u)->degree;
    root_table table = {malloc((size_t)(most * view_planes(x)) * sizeof *table.limbs), malloc((size_t)most)};
    root_maker m;
    plumb_status status = table.limbs != NULL && table.made != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && !reserve_limbs(MPFR_NEEDS))
        status = PLUMB_ERR_MEMORY;
    if (status != PLUMB_OK) {
        free(table.limbs);
        free(table.made);
        return status;
    }
    maker_init(&m, x->prec);
    for (int64_t u = 0; u < x->rows && status == PLUMB_OK; u++) {
        status = set_unknown(&m, form, u);
        if (status == PLUMB_OK)
            fill_unknown(&m, &table, form, u, first, x);
    }
    maker_clear(&m);
    free(table.limbs);
    free(table.made);
    return status;
}

plumb_status plumb_system_start_solutions(const plumb_system *start, int64_t first, plumb_view *x)
{
    start_form form;
    if (start == NULL || x == NULL)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", start == NULL ? "start" : "x");
    plumb_status status = plumb_view_check(x, "x", NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (x->where != PLUMB_HOST || x->parts != PLUMB_COMPLEX || x->rows != start->unknowns || x->cols != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "x: expected complex points of %lld x 1 on the host",
                   (long long)start->unknowns);
    plumb_call_begin();
    status = plumb_start_form(start, &form, NULL, 0);
    if (status != PLUMB_OK)
        return plumb_call_end(status);
    int64_t count = form.count > 0 ? form.count : INT64_MAX;
    if (first < 0 || first > count || x->batch > count - first)
        status = SAY(PLUMB_ERR_ARGUMENT, "%lld solutions from number %lld on were asked for, there are %lld",
                     (long long)x->batch, (long long)first, (long long)count);
    else if (!view_is_empty(x))
        status = fill(&form, first, x);
    plumb_start_form_clear(&form);
    return plumb_call_end(status);
}
