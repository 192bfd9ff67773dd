/* estimate.c - how much of a solution is to be believed.
 *
 * Modified Gram-Schmidt on [A b] is backward stable: x is exact for data off by a small multiple of u. How far that moves x
 * is in the inverse of the triangle, which is computed here in double: with the columns scaled to like size its entries are
 * good to a few digits whatever the precision of the solution. With rows y_j of the inverse,
 *
 *   |error of x_j| <= c u |y_j| (|A| |x| + |A| |inverse| |r|),   norms of Frobenius,
 *
 * the second term for what is left over when m > n (the square of the condition number times the residual). See Higham,
 * Accuracy and Stability of Numerical Algorithms, 20.1. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "solver/lsq/work.h"

/* c_kj in double. The parts are stored one by one: not every compiler has CMPLX, and re + im * I turns an infinite part into NaN. */
static double complex coefficient(const lsq_work *work, int64_t k, int64_t j)
{
    const mgs_job *job = &work->job;
    const double *c = job->c + k * job->ld + j;
    double complex value;
    ((double *)&value)[0] = c[0];
    ((double *)&value)[1] = work->parts == PLUMB_COMPLEX ? c[work->prec * job->c_plane] : 0.0;
    return value;
}

/* rows[j] = |row j of the inverse of R|; the Frobenius norms of R and of its inverse. R = diag(sqrt s) C. */
static void invert(const lsq_work *work, double complex *column, double *rows, double *norm, double *inverse_norm)
{
    const mgs_job *job = &work->job;
    double sum = 0.0, inverse_sum = 0.0;
    for (int64_t j = 0; j < job->rank; j++) {
        /* Column j of the inverse: C y = e_j / sqrt(s_j), from row j up. */
        column[j] = 1.0 / sqrt(job->s[j]);
        sum += job->s[j];
        for (int64_t k = j - 1; k >= 0; k--) {
            double complex y = 0.0;
            double size = cabs(coefficient(work, k, j));
            for (int64_t l = k + 1; l <= j; l++)
                y -= coefficient(work, k, l) * column[l];
            column[k] = y;
            sum += job->s[k] * size * size;
        }
        for (int64_t k = 0; k <= j; k++) {
            double size = cabs(column[k]);
            rows[k] += size * size;
            inverse_sum += size * size;
        }
    }
    for (int64_t k = 0; k < job->rank; k++)
        rows[k] = sqrt(rows[k]);
    *norm = sqrt(sum);
    *inverse_norm = sqrt(inverse_sum);
}

/* The digits of one right-hand side; all moduli of x as multiples of 2^scale, so that nothing overflows. */
static double digits_of(const lsq_work *work, int64_t r, const double *rows, double norm, double inverse_norm)
{
    const mgs_job *job = &work->job;
    double size = 0.0, largest = 0.0, error = 0.0;
    int32_t scale = INT32_MIN;
    for (int64_t k = 0; k < job->rank; k++) {
        double x = cabs(coefficient(work, k, r));
        size = hypot(size, x);
        if (-work->exponent[k] > scale)
            scale = -work->exponent[k];
    }
    double residual = job->rows > job->rank ? job->c[job->cols * job->ld + r] : 0.0;
    double moved =
        lsq_growth(job->rows, job->cols, work->prec) * lsq_unit(work->prec) * norm * (size + inverse_norm * residual);
    for (int64_t k = 0; k < job->rank; k++) {
        double back = ldexp(1.0, -work->exponent[k] - scale); /* at most 1 */
        largest = fmax(largest, cabs(coefficient(work, k, r)) * back);
        error = fmax(error, rows[k] * moved * back);
    }
    double most = (double)work->prec * 53.0 * log10(2.0);
    if (error == 0.0)
        return most;
    double digits = largest > 0.0 ? log10(largest / error) : 0.0;
    return isnan(digits) ? 0.0 : fmin(fmax(digits, 0.0), most);
}

plumb_status lsq_work_estimate(const lsq_work *work, double *condition, double *digits)
{
    const mgs_job *job = &work->job;
    double norm, inverse_norm;
    double *rows = calloc((size_t)job->cols + 1, sizeof *rows);
    double complex *column = calloc((size_t)job->cols + 1, sizeof *column);
    plumb_status status = rows && column ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK) {
        invert(work, column, rows, &norm, &inverse_norm);
        *condition = norm * inverse_norm;
        if (!(*condition <= DBL_MAX))
            *condition = (double)INFINITY;
        if (digits) {
            *digits = (double)work->prec * 53.0 * log10(2.0);
            for (int64_t r = job->cols; r < job->all; r++)
                *digits = fmin(*digits, digits_of(work, r, rows, norm, inverse_norm));
        }
    }
    free(column);
    free(rows);
    return status;
}
