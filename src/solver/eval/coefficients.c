/* coefficients.c - rounds the exact coefficients of a system for a program. A derivative has the coefficient times
 * the exponent, multiplied exactly and rounded once. */
#include <math.h>
#include <stdlib.h>

#include "base/memory/reserve.h"
#include "base/memory/size.h"
#include "model/system/polynomial.h"
#include "solver/eval/eval.h"
#include "text/number/fixed.h"

typedef struct rounding {
    mpz_t numerator, fixed;
} rounding;

/* Sets limbs[c * step] to limb c of value * times. Returns false if that is out of range. */
static bool round_product(rounding *r, const mpq_t value, int32_t times, int32_t prec, double *limbs, int64_t step)
{
    double expansion[PLUMB_QD] = {0};
    mpz_mul_si(r->numerator, mpq_numref(value), times);
    /* Most coefficients are small integers, which need no rounding. */
    if (mpz_cmp_ui(mpq_denref(value), 1) == 0 && mpz_sizeinbase(r->numerator, 2) <= 53)
        expansion[0] = mpz_get_d(r->numerator);
    else if (!plumb_fixed_from_ratio(r->fixed, r->numerator, mpq_denref(value)) ||
             !plumb_fixed_to_limbs(r->fixed, mpz_sgn(r->numerator) < 0, prec, expansion))
        return false;
    for (int32_t c = 0; c < prec; c++)
        limbs[c * step] = expansion[c];
    return true;
}

/* The longest coefficient, in limbs of GMP. */
static int64_t longest(const plumb_system *system)
{
    int64_t most = 0;
    for (int64_t t = 0; t < system->equation[system->equations]; t++) {
        const int64_t re = coefficient_limbs(system->terms[t].re), im = coefficient_limbs(system->terms[t].im);
        most = re > most ? re : most;
        most = im > most ? im : most;
    }
    return most;
}

static bool round_all(const plumb_system *system, const eval_program *p, int32_t prec, int32_t parts, double *out,
                      int64_t *term)
{
    rounding r;
    bool good = true;
    mpz_inits(r.numerator, r.fixed, NULL);
    for (int64_t at = 0; good && at < program_steps(p) * PROGRAM_PAD; at++) {
        double *limbs = out + at / PROGRAM_PAD * PROGRAM_PAD * prec * parts + at % PROGRAM_PAD;
        if (p->term_of[at] < 0) { /* the sum of an earlier row */
            limbs[0] = p->times[at];
        } else if (p->times[at] != 0) {
            const system_term *t = &system->terms[p->term_of[at]];
            good = round_product(&r, t->re, p->times[at], prec, limbs, PROGRAM_PAD) &&
                   (parts == PLUMB_REAL ||
                    round_product(&r, t->im, p->times[at], prec, limbs + (int64_t)prec * PROGRAM_PAD, PROGRAM_PAD));
            if (!good)
                *term = p->term_of[at];
        }
    }
    mpz_clears(r.numerator, r.fixed, NULL);
    return good;
}

plumb_status plumb_system_coefficients(const plumb_system *system, const eval_program *p, int32_t prec, int32_t parts,
                                       const double **coefficients, int64_t *term)
{
    double **kept = &((eval_program *)p)->coefficients[parts][prec], *expected = NULL;
    int64_t doubles;
    *coefficients = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (*coefficients)
        return PLUMB_OK;
    if (!size_mul(program_steps(p), (int64_t)PROGRAM_PAD * prec * parts, &doubles) || doubles >= INT64_MAX / 64)
        return PLUMB_ERR_SIZE;
    size_t bytes = ((size_t)doubles * sizeof(double) + 64) / 64 * 64;
    double *fresh = aligned_alloc(64, bytes);
    if (!fresh)
        return PLUMB_ERR_MEMORY;
    for (size_t i = 0; i < bytes / sizeof *fresh; i++)
        fresh[i] = 0;
    if (!reserve_limbs(longest(system) + FIXED_LIMBS)) {
        free(fresh);
        return PLUMB_ERR_MEMORY;
    }
    if (!round_all(system, p, prec, parts, fresh, term)) {
        free(fresh);
        return PLUMB_ERR_RANGE;
    }
    if (!__atomic_compare_exchange_n(kept, &expected, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(fresh);
        fresh = expected;
    }
    *coefficients = fresh;
    return PLUMB_OK;
}

/* The same bits on every machine, which hypot does not promise. */
static double modulus(double re, double im)
{
    double more = fmax(fabs(re), fabs(im)), less = fmin(fabs(re), fabs(im));
    return more > 0.0 ? more * sqrt(1.0 + less / more * (less / more)) : 0.0;
}

plumb_status plumb_system_magnitudes(const plumb_system *system, const eval_program *p, const double **magnitudes)
{
    double **kept = &((eval_program *)p)->magnitudes, *expected = NULL;
    const double *given = NULL;
    int64_t term = -1;
    *magnitudes = __atomic_load_n(kept, __ATOMIC_ACQUIRE);
    if (*magnitudes)
        return PLUMB_OK;
    plumb_status status = plumb_system_coefficients(system, p, PLUMB_D, PLUMB_COMPLEX, &given, &term);
    if (status != PLUMB_OK)
        return status;
    const int64_t steps = program_steps(p);
    double *fresh = aligned_alloc(64, ((size_t)steps * PROGRAM_PAD * sizeof(double) + 64) / 64 * 64);
    if (!fresh)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < steps; k++)
        for (int64_t i = 0; i < PROGRAM_PAD; i++)
            fresh[k * PROGRAM_PAD + i] = modulus(given[2 * k * PROGRAM_PAD + i], given[(2 * k + 1) * PROGRAM_PAD + i]);
    if (!__atomic_compare_exchange_n(kept, &expected, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(fresh);
        fresh = expected;
    }
    *magnitudes = fresh;
    return PLUMB_OK;
}
