/* estimate.c - how accurate a solution by modified Gram-Schmidt is.
 *
 * Modified Gram-Schmidt on [A b] is backward stable: x is the exact solution for data changed by a small multiple of u. How far that
 * moves x is in the inverse of the triangle, which is computed here in double: with columns scaled to a similar size its entries
 * have a few correct digits, whatever the precision of the solution. With rows y_j of the inverse,
 *
 *   |error of x_j| <= c u |y_j| (|A| |x| + |A| |inverse| |r|),   Frobenius norms,
 *
 * where the second term is for the residual r when m > n (the square of the condition number times the residual). See Higham,
 * Accuracy and Stability of Numerical Algorithms, 20.1. */
#include "method/lsq/estimate.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/lsq_error.h"

/* c_kj in double. */
static double complex coefficient(const lsq_triangle *t, int64_t k, int64_t j)
{
    const int64_t at = k * t->ld + j;
    return __builtin_complex(t->re[at], t->im ? t->im[at] : 0.0);
}

/* rows[j] = |row j of the inverse of R|; the Frobenius norms of R and of its inverse. R = diag(sqrt s) C. */
static void invert(const lsq_triangle *t, double complex *column, double *rows, double *norm, double *inverse_norm)
{
    double sum = 0.0, inverse_sum = 0.0;
    for (int64_t j = 0; j < t->rank; j++) {
        /* Column j of the inverse: C y = e_j / sqrt(s_j), from row j up. */
        column[j] = 1.0 / sqrt(t->square[j]);
        sum += t->square[j];
        for (int64_t k = j - 1; k >= 0; k--) {
            double complex y = 0.0;
            double size = cabs(coefficient(t, k, j));
            for (int64_t l = k + 1; l <= j; l++)
                y -= coefficient(t, k, l) * column[l];
            column[k] = y;
            sum += t->square[k] * size * size;
        }
        for (int64_t k = 0; k <= j; k++) {
            double size = cabs(column[k]);
            rows[k] += size * size;
            inverse_sum += size * size;
        }
    }
    for (int64_t k = 0; k < t->rank; k++)
        rows[k] = sqrt(rows[k]);
    *norm = sqrt(sum);
    *inverse_norm = sqrt(inverse_sum);
}

/* The digits of one right-hand side; all moduli of x as multiples of 2^scale, so that nothing overflows. */
static double digits_of(const lsq_triangle *t, int64_t r, const double *rows, double norm, double inverse_norm)
{
    double size = 0.0, largest = 0.0, error = 0.0;
    int32_t scale = INT32_MIN;
    for (int64_t k = 0; k < t->rank; k++) {
        double x = cabs(coefficient(t, k, r));
        size = hypot(size, x);
        if (-t->exponent[k] > scale)
            scale = -t->exponent[k];
    }
    double residual = t->rows > t->rank ? t->norm[r] : 0.0;
    double moved =
        lsq_growth(t->rows, t->cols, t->prec) * precision_unit(t->prec) * norm * (size + inverse_norm * residual);
    for (int64_t k = 0; k < t->rank; k++) {
        double back = ldexp(1.0, -t->exponent[k] - scale); /* at most 1 */
        largest = fmax(largest, cabs(coefficient(t, k, r)) * back);
        error = fmax(error, rows[k] * moved * back);
    }
    double most = (double)t->prec * 53.0 * log10(2.0);
    if (error == 0.0)
        return most;
    double digits = largest > 0.0 ? log10(largest / error) : 0.0;
    return isnan(digits) ? 0.0 : fmin(fmax(digits, 0.0), most);
}

plumb_status lsq_estimate(const lsq_triangle *t, double *condition, double *digits)
{
    double norm, inverse_norm;
    double *rows = calloc((size_t)t->cols + 1, sizeof *rows);
    double complex *column = calloc((size_t)t->cols + 1, sizeof *column);
    plumb_status status = rows && column ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        invert(t, column, rows, &norm, &inverse_norm);
        *condition = norm * inverse_norm;
        if (!(*condition <= DBL_MAX))
            *condition = (double)INFINITY;
        if (digits) {
            *digits = (double)t->prec * 53.0 * log10(2.0);
            for (int64_t r = t->cols; r < t->all; r++)
                *digits = fmin(*digits, digits_of(t, r, rows, norm, inverse_norm));
        }
    }
    free(column);
    free(rows);
    return status;
}

double lsq_digits(int32_t prec, double error)
{
    const double all = precision_digits(prec);
    if (!(error < 1.0))
        return 0.0;
    return error > 0.0 ? fmin(all, -log10(error)) : all;
}

static double modulus(const plumb_view *view, int64_t i, int64_t j)
{
    const double *entry = view->data + j * view->col + i;
    return view->parts == PLUMB_REAL ? fabs(entry[0]) : hypot(entry[0], entry[view->prec * view->plane]);
}

double lsq_amplify(const plumb_view *x, int64_t j, const int32_t *exponent)
{
    double largest = 0.0, factor = 0.0;
    int32_t least = exponent[0]; /* everything relative to it: no overflow */
    for (int64_t k = 0; k < x->rows; k++)
        least = exponent[k] < least ? exponent[k] : least;
    for (int64_t k = 0; k < x->rows; k++) {
        factor = fmax(factor, ldexp(1.0, least - exponent[k]));
        largest = fmax(largest, ldexp(modulus(x, k, j), least - exponent[k]));
    }
    return largest > 0.0 ? factor / largest : 1.0;
}
