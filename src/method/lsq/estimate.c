/* estimate.c - how accurate a solution by modified Gram-Schmidt is, or by refinement with such a factor.
 *
 * Modified Gram-Schmidt on [A b] is backward stable: x is the exact solution for data of which every column was changed by a small
 * multiple of u. How far that moves x is in the inverse of the triangle, which is computed here in double: with columns scaled to a
 * similar size its entries have a few correct digits, whatever the precision of the solution. With rows y_j of the inverse, columns
 * a_k of A and g roundings,
 *
 *   |error of x_j| <= g u |y_j| (|(|a_k| x_k)_k| + K |r|),   K^2 = sum of (|a_k| |y_k|)^2,
 *
 * where the last term is for the residual r when m > n (the square of the condition number times the residual). See Higham, Accuracy
 * and Stability of Numerical Algorithms, 20.1. Errors of different columns are independent, so their squares are added. This is of
 * first order: where g u K is not small, the triangle itself is noise and nothing can be said.
 *
 * Refinement moves x by the same, with u of the precision of the residuals; in addition its last correction has the relative error
 * g u K of the factor, whether or not it happened to be better.
 *
 * Below the smallest normal double there are fewer bits. Every limb of the data and of x may be off by 2^-1075. For the data this is
 * one more change, and a column that small counts as changed, because data rounded to it are. */
#include "method/lsq/estimate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/lsq_error.h"

enum { LEAST_EXPONENT = -1075 }; /* half of the smallest double */

/* Where g u K is above this, first-order estimates are not valid. */
static const double most_noise = 0.1;

/* Column j of the inverse of R = diag(sqrt s) C: C y = e_j / sqrt(s_j), from row j up. The square of |y_k| and of its rounding error
 * is added to rows[k]: where terms cancel in double, they need not do so in the precision of the triangle. */
static void invert_column(const lsq_triangle *t, int64_t j, double *re, double *im, double *rows)
{
    re[j] = 1.0 / sqrt(t->square[j]);
    im[j] = 0.0;
    rows[j] += re[j] * re[j];
    for (int64_t k = j - 1; k >= 0; k--) {
        const double *a = t->re + k * t->ld, *b = t->im ? t->im + k * t->ld : NULL;
        double x = 0.0, y = 0.0, terms = 0.0;
        for (int64_t l = k + 1; l <= j; l++) {
            const double product = a[l] * re[l];
            x -= product;
            terms += fabs(product);
        }
        for (int64_t l = k + 1; b && l <= j; l++) {
            const double other = b[l] * im[l], product = a[l] * im[l] + b[l] * re[l];
            x += other;
            y -= product;
            terms += fabs(other) + fabs(product);
        }
        re[k] = x;
        im[k] = y;
        rows[k] += x * x + y * y + DBL_EPSILON * DBL_EPSILON * terms * terms;
    }
}

plumb_status lsq_inverse_make(const lsq_triangle *t, lsq_inverse *inverse)
{
    const size_t n = (size_t)t->cols + 1;
    double *memory = calloc(5 * n, sizeof *memory), sum = 0.0, inverse_sum = 0.0, scaled = 0.0;
    *inverse = (lsq_inverse){.row = memory, .rows = t->rows, .rank = t->rank};
    if (!memory)
        return PLUMB_ERR_MEMORY;
    inverse->column = memory + n;
    inverse->modulus = memory + 2 * n;
    double *re = memory + 3 * n, *im = memory + 4 * n;
    for (int64_t j = 0; j < t->rank; j++) {
        double square = t->square[j];
        invert_column(t, j, re, im, inverse->row);
        for (int64_t k = 0; k < j; k++) {
            const double a = t->re[k * t->ld + j], b = t->im ? t->im[k * t->ld + j] : 0.0;
            square += t->square[k] * (a * a + b * b);
        }
        inverse->column[j] = sqrt(square);
        sum += square;
    }
    for (int64_t k = 0; k < t->rank; k++) {
        inverse_sum += inverse->row[k];
        inverse->row[k] = sqrt(inverse->row[k]);
        scaled = hypot(scaled, inverse->row[k] * inverse->column[k]);
    }
    inverse->condition = sqrt(sum) * sqrt(inverse_sum);
    inverse->scaled = scaled;
    if (!(inverse->condition <= DBL_MAX))
        inverse->condition = inverse->scaled = (double)INFINITY;
    return PLUMB_OK;
}

void lsq_inverse_free(lsq_inverse *inverse)
{
    free(inverse->row);
    inverse->row = NULL;
}

double lsq_claim(const lsq_inverse *inverse, const lsq_answer *answer)
{
    const double roundings = lsq_roundings(inverse->rows), in_factor = roundings * precision_unit(answer->factor_prec),
                 noise = in_factor * inverse->scaled;
    if (inverse->rank == 0) /* all columns are zero, and so is x */
        return precision_digits(answer->prec);
    if (!(noise <= most_noise))
        return 0.0;
    double size = 0.0, cut = ldexp(1.0, LEAST_EXPONENT - answer->shift), cut_inverse = 0.0;
    int32_t scale = INT32_MIN;
    for (int64_t k = 0; k < inverse->rank; k++) {
        size = hypot(size, inverse->column[k] * answer->modulus[k]);
        cut = hypot(cut, ldexp(answer->modulus[k], LEAST_EXPONENT - answer->exponent[k]));
        cut_inverse = hypot(cut_inverse, ldexp(inverse->row[k], LEAST_EXPONENT - answer->exponent[k]));
        if (-answer->exponent[k] > scale)
            scale = -answer->exponent[k];
    }
    const double data = size + (1.0 + inverse->scaled) * answer->residual;
    const double moved = (roundings * precision_unit(answer->prec) + in_factor * answer->correction) * data +
                         sqrt((double)inverse->rows) * (cut + cut_inverse * answer->residual);
    /* Entries of x and their errors as multiples of 2^(shift + scale), so that nothing overflows. */
    double largest = 0.0, error = 0.0;
    for (int64_t k = 0; k < inverse->rank; k++) {
        const double back = ldexp(1.0, -answer->exponent[k] - scale); /* at most 1 */
        largest = fmax(largest, answer->modulus[k] * back);
        error = fmax(error, inverse->row[k] * moved * back);
    }
    error = error / (1.0 - noise) + ldexp(4.0, LEAST_EXPONENT - answer->shift - scale);
    if (largest == 0.0) /* zero, or so small that it became zero */
        return answer->residual == 0.0 && size == 0.0 ? precision_digits(answer->prec) : 0.0;
    return isnan(error) ? 0.0 : lsq_digits(answer->prec, error / largest);
}

plumb_status lsq_estimate(const lsq_triangle *t, double *condition, double *digits)
{
    lsq_inverse inverse;
    plumb_status status = lsq_inverse_make(t, &inverse);
    if (status != PLUMB_OK)
        return status;
    *condition = inverse.condition;
    if (digits)
        *digits = precision_digits(t->prec);
    for (int64_t r = t->cols; digits && r < t->all; r++) {
        for (int64_t k = 0; k < t->rank; k++) {
            const int64_t at = k * t->ld + r;
            inverse.modulus[k] = t->im ? hypot(t->re[at], t->im[at]) : fabs(t->re[at]);
        }
        const lsq_answer answer = {.modulus = inverse.modulus,
                                   .exponent = t->exponent,
                                   .residual = t->rows > t->rank ? t->norm[r] : 0.0,
                                   .shift = t->exponent[r],
                                   .prec = t->prec,
                                   .factor_prec = t->prec};
        *digits = fmin(*digits, lsq_claim(&inverse, &answer));
    }
    lsq_inverse_free(&inverse);
    return PLUMB_OK;
}

double lsq_digits(int32_t prec, double error)
{
    const double all = precision_digits(prec);
    if (!(error < 1.0))
        return 0.0;
    return error > 0.0 ? fmin(all, -log10(error)) : all;
}
