/* sizes.c - computes the sizes of the terms of a system at a point, in double. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/number/modulus.h"
#include "model/system/system.h"
#include "solver/newton/newton.h"

bool newton_sizes_of(const plumb_system *system, newton_sizes *sizes)
{
    double **kept = &((plumb_system *)system)->moduli, *expected = NULL;
    const int64_t terms = system->equation[system->equations];
    *sizes = (newton_sizes){system, __atomic_load_n(kept, __ATOMIC_ACQUIRE)};
    if (sizes->coefficient)
        return true;
    double *fresh = malloc(((size_t)terms + 1) * sizeof *fresh);
    if (!fresh)
        return false;
    for (int64_t t = 0; t < terms; t++)
        fresh[t] = plumb_modulus(mpq_get_d(system->terms[t].re), mpq_get_d(system->terms[t].im));
    if (!__atomic_compare_exchange_n(kept, &expected, fresh, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(fresh); /* another thread was faster */
        fresh = expected;
    }
    sizes->coefficient = fresh;
    return true;
}

/* x^e by repeated squaring, because exponents may be large. */
static double power(double x, int32_t e)
{
    double result = 1.0;
    while (e > 1) {
        if (e % 2)
            result *= x;
        x *= x;
        e /= 2;
    }
    return result * x;
}

/* Powers and products below the smallest normal double have an absolute error of half the smallest double: relative to one of this
 * size, as limbs of any precision have it. */
static double underflow_of(double size)
{
    return size > 0.0 ? 0x1p-1074 / size : (double)INFINITY;
}

/* The size of a term; 0 if an unknown of it is 0, also beside an infinite power. */
static double size_of(const newton_sizes *sizes, int64_t t, const double *modulus)
{
    const system_term *term = &sizes->system->terms[t];
    const system_factor *f = &sizes->system->factors[term->first];
    double product = sizes->coefficient[t];
    for (int32_t j = 0; j < term->count; j++) {
        const double x = modulus[f[j].unknown];
        if (x == 0.0)
            return 0.0;
        product *= f[j].exponent == 1 ? x : power(x, f[j].exponent);
    }
    return product;
}

void newton_sizes_at(const newton_sizes *sizes, const double *modulus, double *size)
{
    const int64_t *equation = sizes->system->equation;
    for (int64_t i = 0; i < sizes->system->equations; i++) {
        double sum = 0.0;
        for (int64_t t = equation[i]; t < equation[i + 1]; t++)
            sum += size_of(sizes, t, modulus);
        size[i] = sum;
    }
}

double newton_sizes_lost(const newton_sizes *sizes, const double *modulus, double *size)
{
    const plumb_system *system = sizes->system;
    double underflow = 0.0;
    for (int64_t i = 0; i < system->equations; i++) {
        double lost = 0.0;
        size[i] = 0.0;
        for (int64_t t = system->equation[i]; t < system->equation[i + 1]; t++) {
            const system_term *term = &system->terms[t];
            double product = sizes->coefficient[t], factors = 1.0, least = 1.0, growth = fmax(product, 1.0);
            bool zero = false;
            for (int32_t j = 0; j < term->count; j++) {
                const system_factor *f = &system->factors[term->first + j];
                const double factor = power(modulus[f->unknown], f->exponent);
                zero = zero || modulus[f->unknown] == 0.0;
                product *= factor;
                factors *= factor;
                growth *= fmax(factor, 1.0);
                least = fmin(least, fmin(factor, factors));
            }
            if (zero)
                continue;
            size[i] += product;
            least = underflow_of(fmin(least, product)); /* a coefficient, which is not zero, may vanish, too */
            /* What is lost of a factor is multiplied by the others: a term that vanishes relative to others is not large. */
            if (least > 0x1p-300)
                lost += fmin(least * fmax(product, 0x1p-1074), 0x1p-1070 * growth);
        }
        if (lost > 0.0)
            underflow = fmax(underflow, size[i] > 0.0 ? lost / size[i] : (double)INFINITY);
    }
    return underflow;
}

/* The change of one term: its modulus times the sum of e_j |dx_j| / |x_j|; a factor that is zero is replaced by its derivative. */
static double change_of(const newton_sizes *sizes, int64_t t, const double *modulus, const double *moved)
{
    const system_term *term = &sizes->system->terms[t];
    double product = sizes->coefficient[t], sum = 0.0;
    int zeros = 0;
    for (int32_t j = 0; j < term->count; j++) {
        const system_factor *f = &sizes->system->factors[term->first + j];
        const double x = modulus[f->unknown], dx = moved[f->unknown];
        if (x > 0.0) {
            product *= power(x, f->exponent);
            sum += f->exponent * (dx / x);
        } else {
            product *= dx;
            zeros += f->exponent;
        }
    }
    return zeros > 1 ? 0.0 : zeros == 1 ? product : product * sum;
}

void newton_sizes_along(const newton_sizes *sizes, const double *modulus, const double *moved, double *change)
{
    for (int64_t i = 0; i < sizes->system->equations; i++) {
        change[i] = 0.0;
        for (int64_t t = sizes->system->equation[i]; t < sizes->system->equation[i + 1]; t++)
            change[i] += change_of(sizes, t, modulus, moved);
    }
}
