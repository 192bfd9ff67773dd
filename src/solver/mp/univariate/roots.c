/* roots.c - see roots.h. */
#include "solver/mp/univariate/roots.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/univariate/gauss.h"
#include "solver/mp/univariate/isolate.h"

/* ---- Rational roots ------------------------------------------------------------------------------------------------ */

static void free_exact(mp_root *root)
{
    if (root->exact)
        mpq_clears(root->exact[0], root->exact[1], NULL);
    free(root->exact);
    root->exact = NULL;
}

/* Is (re + i im) / below a root of p, whose highest coefficient is 1? Horner's rule on the numerator, with powers of below. */
static bool is_root(const gauss_poly *p, mpz_srcptr re, mpz_srcptr im)
{
    mpz_t a, b, s, t, power;
    mpz_inits(a, b, s, t, power, NULL);
    mpz_set_ui(power, 1);
    for (int64_t k = p->degree; k >= 0; k--) {
        mpz_mul(s, a, re), mpz_submul(s, b, im);
        mpz_mul(t, a, im), mpz_addmul(t, b, re);
        mpz_set(a, s), mpz_set(b, t);
        mpz_addmul(a, p->re[k], power), mpz_addmul(b, p->im[k], power);
        mpz_mul(power, power, p->below);
    }
    const bool is_zero = mpz_sgn(a) == 0 && mpz_sgn(b) == 0;
    mpz_clears(a, b, s, t, power, NULL);
    return is_zero;
}

/* below times a root of p is an algebraic integer, so a rational root times below is a Gaussian integer: the one nearest to it. */
static plumb_status find_exact(const gauss_poly *p, mp_root *root)
{
    const double size = mp_log2(&root->z), large = (double)mpz_sizeinbase(p->below, 2);
    mpfr_t t;
    mpz_t whole[2];
    if (root->radius + large > -4.0)
        return PLUMB_OK; /* several integers are near */
    mpfr_init2(t, mpfr_get_prec(root->z.re) + (mpfr_prec_t)(large + fmax(size, 0.0)) + 8);
    mpz_inits(whole[0], whole[1], NULL);
    bool near = true;
    for (int part = 0; part < 2 && near; part++) {
        mpfr_mul_z(t, part == 0 ? root->z.re : root->z.im, p->below, MPFR_RNDN);
        mpfr_get_z(whole[part], t, MPFR_RNDN);
        mpfr_sub_z(t, t, whole[part], MPFR_RNDN);
        near = mp_real_log2(t) <= root->radius + large + 1.0;
    }
    plumb_status status = PLUMB_OK;
    if (near && is_root(p, whole[0], whole[1])) {
        root->exact = malloc(2 * sizeof *root->exact);
        status = root->exact ? PLUMB_OK : PLUMB_ERR_MEMORY;
        for (int part = 0; part < 2 && root->exact; part++) {
            mpq_init(root->exact[part]);
            mpq_set_num(root->exact[part], whole[part]);
            mpq_set_den(root->exact[part], p->below);
            mpq_canonicalize(root->exact[part]);
        }
    }
    mpfr_clear(t);
    mpz_clears(whole[0], whole[1], NULL);
    return status;
}

/* ---- Factors ------------------------------------------------------------------------------------------------------- */

void mp_roots_clear(mp_roots *roots)
{
    for (int64_t k = 0; roots->list && k < roots->count; k++) {
        mpfr_clear(roots->list[k].z.re);
        mpfr_clear(roots->list[k].z.im);
        free_exact(&roots->list[k]);
    }
    free(roots->list);
    *roots = (mp_roots){.list = NULL};
}

/* Adds the roots of a square-free polynomial that is real or has no real roots. The numbers move into the list. */
static plumb_status add_roots(const gauss_poly *p, int64_t multiplicity, const mp_roots_options *options,
                              mp_roots *roots)
{
    mp_complex *z = NULL;
    if (p->degree == 0)
        return PLUMB_OK;
    double *radius = calloc((size_t)p->degree, sizeof *radius);
    plumb_status status = radius ? mp_isolate(p, options, &z, radius) : PLUMB_ERR_MEMORY, exact = PLUMB_OK;
    for (int64_t k = 0; k < p->degree && status == PLUMB_OK; k++)
        roots->list[roots->count++] = (mp_root){.z = z[k], .radius = radius[k], .multiplicity = multiplicity};
    for (int64_t k = roots->count - p->degree; status == PLUMB_OK && options->rational && k < roots->count; k++)
        exact = exact == PLUMB_OK ? find_exact(p, &roots->list[k]) : exact;
    mp_free(z, status != PLUMB_OK && z ? p->degree : 0);
    free(radius);
    return status == PLUMB_OK ? exact : status;
}

/* The real roots of a polynomial, and its pairs of conjugate ones, are those that it has in common with its conjugate. */
static plumb_status add_factor(const gauss_poly *p, int64_t multiplicity, const mp_roots_options *options,
                               mp_roots *roots)
{
    gauss_poly conjugate = {.re = NULL}, common = {.re = NULL}, rest = {.re = NULL}, other = {.re = NULL};
    if (gauss_is_real(p))
        return add_roots(p, multiplicity, options, roots);
    plumb_status status = gauss_conjugate(p, &conjugate);
    if (status == PLUMB_OK)
        status = gauss_divide_out(p, &conjugate, &common, &rest, &other);
    if (status == PLUMB_OK)
        status = add_roots(&common, multiplicity, options, roots);
    if (status == PLUMB_OK)
        status = add_roots(&rest, multiplicity, options, roots);
    gauss_clear(&conjugate), gauss_clear(&common), gauss_clear(&rest), gauss_clear(&other);
    return status;
}

static plumb_status add_zero(int64_t multiplicity, const mp_roots_options *options, mp_roots *roots)
{
    mp_root *zero = &roots->list[roots->count++];
    *zero = (mp_root){.radius = -(double)INFINITY, .multiplicity = multiplicity};
    mpfr_init2(zero->z.re, 64);
    mpfr_init2(zero->z.im, 64);
    mpfr_set_zero(zero->z.re, 1);
    mpfr_set_zero(zero->z.im, 1);
    if (!options->rational)
        return PLUMB_OK;
    zero->exact = malloc(2 * sizeof *zero->exact);
    if (!zero->exact)
        return PLUMB_ERR_MEMORY;
    mpq_inits(zero->exact[0], zero->exact[1], NULL);
    return PLUMB_OK;
}

/* ---- Condition numbers --------------------------------------------------------------------------------------------- */

/* log2 of the sum of the moduli of the terms at 2^size. */
static double size_of_terms(const plumb_system *system, double size)
{
    double most = -(double)INFINITY, sum = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = system->equation[0]; k < system->equation[1]; k++) {
            const system_term *t = &system->terms[k];
            const double re = rational_log2(t->re), im = rational_log2(t->im);
            const double term = fmax(re, im) + (t->degree > 0 ? (double)t->degree * size : 0.0);
            if (pass == 0)
                most = fmax(most, term);
            else
                sum += exp2(term - most);
        }
    return most + log2(sum);
}

/* log2 of the modulus of the derivative at a simple root: that of the highest coefficient times the product of the differences. */
static double size_of_slope(const plumb_system *system, const mp_roots *roots, int64_t k, mp_complex *difference)
{
    const system_term *lead = &system->terms[system->equation[0]];
    double size = fmax(rational_log2(lead->re), rational_log2(lead->im));
    for (int64_t j = 0; j < roots->count; j++) {
        mp_sub(difference, &roots->list[k].z, &roots->list[j].z);
        if (j != k)
            size += (double)roots->list[j].multiplicity * mp_log2(difference);
    }
    return size;
}

/* The relative change of a root by relative changes of the terms. At zero, which stays where it is, they are relative to nothing. */
static plumb_status find_conditions(const plumb_system *system, mp_roots *roots)
{
    mp_complex *difference = mp_make(1, 64);
    if (!difference)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < roots->count; k++) {
        mp_root *root = &roots->list[k];
        const double size = mp_log2(&root->z);
        root->condition = 1.0;
        if (root->multiplicity > 1)
            root->condition = (double)INFINITY;
        else if (isfinite(size))
            root->condition = exp2(size_of_terms(system, size) - size_of_slope(system, roots, k, difference) - size);
    }
    mp_free(difference, 1);
    return PLUMB_OK;
}

/* ---- All of it ----------------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const mp_complex *a = &((const mp_root *)left)->z, *b = &((const mp_root *)right)->z;
    const int a_real = mpfr_zero_p(a->im) != 0, b_real = mpfr_zero_p(b->im) != 0;
    int order = b_real - a_real;
    if (order == 0)
        order = mpfr_cmp(a->re, b->re);
    if (order == 0)
        order = mpfr_cmpabs(a->im, b->im);
    return order != 0 ? order : mpfr_cmp(b->im, a->im);
}

static plumb_status add_all(gauss_poly *p, const mp_roots_options *options, mp_roots *roots)
{
    gauss_factors factors = {.factor = NULL};
    const int64_t zeros = gauss_split_zeros(p);
    plumb_status status = zeros > 0 ? add_zero(zeros, options, roots) : PLUMB_OK;
    if (status == PLUMB_OK && p->degree > 0)
        status = gauss_square_free(p, &factors);
    for (int64_t k = 0; k < factors.count && status == PLUMB_OK; k++)
        status = add_factor(&factors.factor[k], factors.multiplicity[k], options, roots);
    gauss_factors_clear(&factors);
    return status;
}

plumb_status mp_roots_find(const plumb_system *system, const mp_roots_options *options, mp_roots *roots)
{
    gauss_poly p;
    *roots = (mp_roots){.list = NULL};
    plumb_status status = gauss_from_system(system, &p);
    if (status == PLUMB_OK) {
        roots->degree = p.degree;
        roots->list = calloc((size_t)p.degree + 1, sizeof *roots->list);
        status = roots->list ? add_all(&p, options, roots) : PLUMB_ERR_MEMORY;
    }
    gauss_clear(&p);
    if (status == PLUMB_OK)
        status = find_conditions(system, roots);
    if (status == PLUMB_OK)
        qsort(roots->list, (size_t)roots->count, sizeof *roots->list, compare);
    else
        mp_roots_clear(roots);
    return status;
}
