/* random.c - see random.h.
 *
 * An angle is an integer multiple of 2^-53 turns. Quarter turns are removed as integers, so that cosine and sine are
 * only computed for angles below a quarter turn. Neither is then closer to zero than 2^-53 unless it is exactly zero,
 * and SPARE bits beyond the requested precision keep every digit of both. MPFR rounds correctly, so all machines give
 * the same result. */
#include "text/matrix/random.h"

#include <math.h>
#include <mpfr.h>

#include "base/array/view.h"
#include "base/memory/reserve.h"
#include "base/number/random.h"

enum { SPARE = 53 + 43, QUARTER_BITS = 51 };

typedef struct polar {
    mpfr_t cosine, sine, modulus, angle, pi;
} polar;

static mpfr_ptr member(polar *p, int i)
{
    mpfr_ptr all[] = {p->cosine, p->sine, p->modulus, p->angle, p->pi};
    return all[i];
}

static void polar_init(polar *p, int32_t prec)
{
    for (int i = 0; i < 5; i++)
        mpfr_init2(member(p, i), 53 * (mpfr_prec_t)prec + SPARE);
    mpfr_const_pi(p->pi, MPFR_RNDN);
}

static void polar_clear(polar *p)
{
    for (int i = 0; i < 5; i++)
        mpfr_clear(member(p, i));
}

/* Cosine and sine of turns * 2^-53 of a full turn. */
static void set_angle(polar *p, uint64_t turns)
{
    uint64_t quarter = turns >> QUARTER_BITS, rest = turns & ((UINT64_C(1) << QUARTER_BITS) - 1);
    mpfr_mul_d(p->angle, p->pi, (double)rest, MPFR_RNDN); /* rest < 2^53: the double is exact */
    mpfr_div_2ui(p->angle, p->angle, QUARTER_BITS + 1, MPFR_RNDN);
    mpfr_sin_cos(p->sine, p->cosine, p->angle, MPFR_RNDN);
    if (quarter & 1) { /* (c, s) becomes (-s, c) */
        mpfr_swap(p->cosine, p->sine);
        mpfr_neg(p->cosine, p->cosine, MPFR_RNDN);
    }
    if (quarter & 2) {
        mpfr_neg(p->cosine, p->cosine, MPFR_RNDN);
        mpfr_neg(p->sine, p->sine, MPFR_RNDN);
    }
}

/* 10^(g (2 k 2^-53 - 1)) */
static void set_modulus(polar *p, uint64_t k, double g)
{
    mpfr_set_d(p->modulus, (double)k * 0x1p-52 - 1.0, MPFR_RNDN); /* exact: a multiple of 2^-52 in [-1, 1) */
    mpfr_mul_d(p->modulus, p->modulus, g, MPFR_RNDN);             /* exact: 106 bits fit */
    mpfr_exp10(p->modulus, p->modulus, MPFR_RNDN);
}

/* Stores the limbs of x, each the double nearest to the remainder; x is overwritten. A zero is +0. */
static void store(mpfr_t x, int32_t prec, double *at, int64_t plane)
{
    for (int32_t limb = 0; limb < prec; limb++) {
        double d = mpfr_get_d(x, MPFR_RNDN);
        at[limb * plane] = d + 0.0;
        mpfr_sub_d(x, x, d, MPFR_RNDN); /* exact: the remainder is shorter than x */
    }
}

plumb_status plumb_random_matrix(const plumb_view *view, int unit, double g, uint64_t seed)
{
    if (!view || view->where != PLUMB_HOST || plumb_view_check(view, "matrix", NULL, 0) != PLUMB_OK)
        return PLUMB_ERR_ARGUMENT;
    if (!unit && !(g >= 0.0 && g <= 300.0))
        return PLUMB_ERR_ARGUMENT;
    enum { MPFR_NEEDS = 4096 }; /* limbs, with its tables of constants */
    if (!reserve_limbs(MPFR_NEEDS))
        return PLUMB_ERR_MEMORY;
    plumb_random random = plumb_random_start(seed);
    polar p;
    polar_init(&p, view->prec);
    for (int64_t b = 0; b < view->batch; b++)
        for (int64_t j = 0; j < view->cols; j++)
            for (int64_t i = 0; i < view->rows; i++) {
                double *at = view->data + b * view->next + j * view->col + i;
                /* Both numbers are always drawn, so that a seed gives the same angles with and without moduli. */
                uint64_t turns = plumb_random_next(&random) >> 11, k = plumb_random_next(&random) >> 11;
                set_angle(&p, turns);
                if (!unit) {
                    set_modulus(&p, k, g);
                    mpfr_mul(p.cosine, p.cosine, p.modulus, MPFR_RNDN);
                    mpfr_mul(p.sine, p.sine, p.modulus, MPFR_RNDN);
                }
                store(p.cosine, view->prec, at, view->plane);
                if (view->parts == PLUMB_COMPLEX)
                    store(p.sine, view->prec, at + view->prec * view->plane, view->plane);
            }
    polar_clear(&p);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* otherwise the cached constants of MPFR leak when a thread ends */
    return PLUMB_OK;
}

plumb_status plumb_random_units(uint64_t seed, int64_t count, double *numbers)
{
    const plumb_view view = {.data = numbers,
                             .rows = 1,
                             .cols = count,
                             .batch = 1,
                             .plane = 1,
                             .col = 2,
                             .next = 2 * count,
                             .prec = PLUMB_D,
                             .parts = PLUMB_COMPLEX,
                             .where = PLUMB_HOST};
    return plumb_random_matrix(&view, 1, 0, seed);
}
