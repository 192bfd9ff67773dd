/* refine.c - see refine.h. */
#include "solver/mp/refine.h"

#include <math.h>
#include <stdlib.h>

#include "solver/mp/system.h"

/* Bits that the last correction leaves to rounding. */
static const double GUARD = 40.0;

/* errors[i] becomes the larger of itself and the sum of |J^-1| times the rounding errors of the equations, which are relative to the
 * sizes of their terms. */
static bool add_rounding(mp_system *s, const mp_complex *x, mp_complex *values, mp_complex *jacobian,
                         mp_complex *temporary, double *errors)
{
    const int64_t n = s->system->unknowns;
    double *sizes = calloc((size_t)n, sizeof *sizes);
    mp_complex *inverse = mp_make(n * n, 64);
    bool good = sizes && inverse;
    if (good) {
        mp_system_eval(s, x, values, jacobian, sizes);
        for (int64_t i = 0; i < n; i++)
            mpfr_set_ui(inverse[i * n + i].re, 1, MPFR_RNDN);
        mp_resize(inverse, n * n, s->bits);
        good = mp_solve(jacobian, inverse, n, n, temporary);
    }
    for (int64_t i = 0; i < n && good; i++)
        for (int64_t e = 0; e < n; e++) {
            const double rounding = mp_log2(&inverse[i * n + e]) + sizes[e] - (double)s->bits + 6.0 + log2((double)n);
            errors[i] = fmax(errors[i], rounding);
        }
    free(sizes);
    mp_free(inverse, inverse ? n * n : 0);
    return good;
}

/* log2 of the largest correction. A zero at the origin has nothing that it could be relative to. */
static double move_of(const mp_complex *correction, const mp_complex *x, const double *unit, int64_t n)
{
    const double size = mp_log2_largest(x, n), all = isfinite(size) ? size : 0.0;
    double most = -(double)INFINITY;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, mp_log2(&correction[i]) - (unit ? fmax(mp_log2(&x[i]), log2(unit[i])) : all));
    return most;
}

bool mp_refine(const plumb_system *square, mp_complex *x, int64_t bits, double most_move, const double *unit,
               double *errors, plumb_status *status)
{
    const int64_t n = square->unknowns;
    mp_system s = {.system = NULL};
    mp_complex *values = mp_make(n, bits), *jacobian = mp_make(n * n, bits), *temporary = mp_make(3, bits);
    bool good = values && jacobian && temporary && mp_system_begin(square, bits, &s) == PLUMB_OK, done = false;
    *status = good ? PLUMB_OK : PLUMB_ERR_MEMORY;
    double before = (double)INFINITY;
    mp_resize(x, n, bits);
    for (int k = 0; k < 40 && good && !done; k++) {
        mp_system_eval(&s, x, values, jacobian, NULL);
        good = mp_solve(jacobian, values, n, 1, temporary);
        const double now = good ? move_of(values, x, unit, n) : (double)INFINITY;
        for (int64_t i = 0; i < n && good; i++) {
            mp_sub(&x[i], &x[i], &values[i]);
            errors[i] = mp_log2(&values[i]) + 1.0;
        }
        good = good && (k == 0 ? now <= most_move : now <= before - 2.0 || now <= -0.5 * (double)bits);
        done = good && now <= GUARD - (double)bits;
        done = done || (good && k > 0 && now <= -0.5 * (double)bits && now > before - 2.0); /* rounding */
        before = now;
    }
    good = good && done && add_rounding(&s, x, values, jacobian, temporary, errors);
    mp_free(values, values ? n : 0);
    mp_free(jacobian, jacobian ? n * n : 0);
    mp_free(temporary, temporary ? 3 : 0);
    mp_system_clear(&s);
    return good;
}

double mp_size_for_large(const plumb_system *system, int64_t e, const double *logs)
{
    double most = -(double)INFINITY;
    for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
        const system_term *t = &system->terms[k];
        double size = fmax(rational_log2(t->re), rational_log2(t->im));
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &system->factors[t->first + i];
            size += fmax(0.0, logs[f->unknown]) * f->exponent;
        }
        most = fmax(most, size);
    }
    return most;
}

mp_zero mp_vanishes(const plumb_system *system, const mp_complex *x, int64_t bits, const double *errors, double *miss,
                    plumb_status *status)
{
    const int64_t m = system->equations, n = system->unknowns;
    mp_system s = {.system = NULL};
    mp_complex *values = mp_make(m, bits), *jacobian = mp_make(m * n, bits);
    double *sizes = calloc((size_t)m + 1, sizeof *sizes), *logs = calloc((size_t)n + 1, sizeof *logs);
    mp_zero result = MP_ZERO;
    *miss = 0.0;
    *status = values && jacobian && sizes && logs && mp_system_begin(system, bits, &s) == PLUMB_OK ? PLUMB_OK
                                                                                                   : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < n && *status == PLUMB_OK; i++)
        logs[i] = mp_log2(&x[i]);
    if (*status == PLUMB_OK)
        mp_system_eval(&s, x, values, jacobian, sizes);
    for (int64_t e = 0; e < m && *status == PLUMB_OK; e++) {
        const double value = mp_log2(&values[e]), large = mp_size_for_large(system, e, logs);
        /* The errors of x contribute their products with the derivatives, and terms of second order. */
        double blur = sizes[e] + 10.0 - (double)bits;
        for (int64_t i = 0; i < n; i++) {
            blur = fmax(blur, mp_log2(&jacobian[e * n + i]) + errors[i] + log2((double)n) + 2.0);
            blur = fmax(blur, large + 2.0 * errors[i] + 20.0);
        }
        *miss = fmax(*miss, exp2(value - large));
        if (value > blur)
            result = MP_NOT_ZERO;
    }
    mp_free(values, values ? m : 0);
    mp_free(jacobian, jacobian ? m * n : 0);
    free(sizes);
    free(logs);
    mp_system_clear(&s);
    return *status == PLUMB_OK ? result : MP_UNCLEAR;
}
