/* shift.c - see shift.h. */
#include "solver/sets/shift.h"

#include <stdlib.h>

#include "model/system/polynomial.h"
#include "solver/mp/number.h"

enum { BITS = 320 }; /* of sums of quad doubles */

static bool is_shifted(const double *shift, int32_t unknown)
{
    return shift[2 * unknown] != 0.0 || shift[2 * unknown + 1] != 0.0;
}

/* *p becomes (x_unknown + s)^exponent. */
static plumb_status make_power(const double *shift, const system_factor *f, poly_work *work, polynomial *p)
{
    const system_factor factor = {f->unknown, 1};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_si(re, 1, 1);
    plumb_status status = plumb_poly_append(p, re, im, &factor, 1, 1);
    mpq_set_d(re, shift[2 * f->unknown]);
    mpq_set_d(im, shift[2 * f->unknown + 1]);
    if (status == PLUMB_OK)
        status = plumb_poly_append(p, re, im, &factor, 0, 0);
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_power(p, f->exponent, work) : status;
}

/* *sum += a term in the new unknowns. */
static plumb_status add_term(const plumb_system *s, const system_term *t, const double *shift, system_factor *factors,
                             poly_work *work, polynomial *sum)
{
    const system_factor *given = s->factors + t->first;
    polynomial product = {.terms = NULL};
    int32_t count = 0, degree = 0;
    for (int32_t i = 0; i < t->count; i++)
        if (!is_shifted(shift, given[i].unknown)) {
            factors[count++] = given[i];
            degree += given[i].exponent;
        }
    plumb_status status = plumb_poly_append(&product, t->re, t->im, factors, count, degree);
    for (int32_t i = 0; i < t->count && status == PLUMB_OK; i++) {
        polynomial power = {.terms = NULL}, next = {.terms = NULL};
        if (!is_shifted(shift, given[i].unknown))
            continue;
        status = make_power(shift, &given[i], work, &power);
        if (status == PLUMB_OK)
            status = plumb_poly_add_product(&next, &product, &power, work);
        plumb_poly_clear(&power);
        plumb_poly_clear(&product);
        product = next;
    }
    for (int64_t k = 0; k < product.count && status == PLUMB_OK; k++) {
        const system_term *p = &product.terms[k];
        status = plumb_poly_append(sum, p->re, p->im, product.factors + p->first, p->count, p->degree);
    }
    plumb_poly_clear(&product);
    return status;
}

plumb_status set_shift_system(const plumb_system *system, const double *shift, plumb_system **shifted)
{
    const int64_t m = system->equations;
    poly_work work = {.left = POLY_MOST_WORK};
    polynomial *p = calloc((size_t)m + 1, sizeof *p);
    system_factor *factors = calloc((size_t)system->unknowns + 1, sizeof *factors);
    plumb_status status = p && factors ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *shifted = NULL;
    for (int64_t e = 0; e < m && status == PLUMB_OK; e++) {
        for (int64_t k = system->equation[e]; k < system->equation[e + 1] && status == PLUMB_OK; k++)
            status = add_term(system, &system->terms[k], shift, factors, &work, &p[e]);
        if (status == PLUMB_OK)
            status = plumb_poly_normalise(&p[e]);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, m, (const char *const *)system->names, system->unknowns, shifted);
    for (int64_t e = 0; p && e < m; e++)
        plumb_poly_clear(&p[e]);
    free(factors);
    free(p);
    return status;
}

plumb_status set_shift_point(const double *shift, int64_t unknowns, int times, const plumb_view *x)
{
    mp_complex *z = mp_make(2, BITS);
    if (!z)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < unknowns; i++) {
        double limbs[2 * PLUMB_QD];
        if (!is_shifted(shift, (int32_t)i))
            continue;
        for (int32_t c = 0; c < 2 * x->prec; c++)
            limbs[c] = x->data[c * x->plane + i];
        mp_set_limbs(&z[0], limbs, limbs + x->prec, x->prec);
        mp_set_limbs(&z[1], &shift[2 * i], &shift[2 * i + 1], 1);
        (times > 0 ? mp_add : mp_sub)(&z[0], &z[0], &z[1]);
        mp_get_limbs(&z[0], limbs, limbs + x->prec, x->prec);
        for (int32_t c = 0; c < 2 * x->prec; c++)
            x->data[c * x->plane + i] = limbs[c];
    }
    mp_free(z, 2);
    return PLUMB_OK;
}
