/* elimination.c - how much of a solution by elimination is to be believed.
 *
 * No bound on how much entries grow is needed: |x - exact| <= |A^-1| |b - A x|, and the residual is computed, with its own
 * rounding errors added. The norm of the inverse is estimated by a few solves with the factors, in double. */
#include "solver/lsq/elimination.h"

#include <math.h>

#include "solver/lsq/inverse_norm.h"
#include "solver/lsq/scaled.h"
#include "solver/lsq/work.h"

/* Row i of the work array in double: leading limbs, and the imaginary ones or NULL. */
static const double *row_re(const elimination *e, int64_t i)
{
    return elimination_at(e, 0, i, 0);
}
static const double *row_im(const elimination *e, int64_t i)
{
    return e->parts == PLUMB_COMPLEX ? elimination_at(e, e->prec, i, 0) : NULL;
}

/* v_i -= sum of w_ij v_j over first <= j < last. */
static void gather(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    double x = re[i], y = im[i];
    for (int64_t j = first; j < last; j++)
        x -= a[j] * re[j], y -= a[j] * im[j];
    for (int64_t j = first; b && j < last; j++)
        x += b[j] * im[j], y -= b[j] * re[j];
    re[i] = x, im[i] = y;
}

/* v_j -= conj(w_ij) v_i for first <= j < last. */
static void scatter(const elimination *e, int64_t i, int64_t first, int64_t last, double *re, double *im)
{
    const double *a = row_re(e, i), *b = row_im(e, i);
    double x = re[i], y = im[i];
    for (int64_t j = first; j < last; j++)
        re[j] -= a[j] * x, im[j] -= a[j] * y;
    for (int64_t j = first; b && j < last; j++)
        re[j] -= b[j] * y, im[j] += b[j] * x;
}

/* v[k] /= w_kk, or its conjugate, by the stored inverse. */
static void divide(const elimination *e, int64_t k, int conjugate, double *re, double *im)
{
    const double *inverse = e->job.inverse + k;
    double a = inverse[0], b = e->parts == PLUMB_COMPLEX ? inverse[e->prec * e->job.inverse_plane] : 0.0, x = re[k];
    if (conjugate)
        b = -b;
    re[k] = a * x - b * im[k];
    im[k] = a * im[k] + b * x;
}

/* v[row] 2^-exponent of the row, or v[row] itself when it is the matrix with scaled rows that is inverted. */
static double scale_row(const elimination *e, double value, int64_t row)
{
    return e->rows_stay_scaled ? value : ldexp(value, -e->row_exponent[row]);
}

/* With rows exchanged and scaled P D A = L U: A^-1 v = U^-1 L^-1 P D v and A^-H v = D P^T L^-H U^-H v. In double. */
static void apply_inverse(const void *data, int adjoint, double *re, double *im)
{
    const elimination *e = data;
    int64_t n = e->job.n;
    double *x = e->vectors + 2 * n, *y = e->vectors + 3 * n;
    for (int64_t k = 0; k < n; k++) {
        int64_t row = e->row_at[k];
        x[k] = adjoint ? re[k] : scale_row(e, re[row], row);
        y[k] = adjoint ? im[k] : scale_row(e, im[row], row);
    }
    if (adjoint) {
        for (int64_t k = 0; k < n; k++) {
            divide(e, k, 1, x, y);
            scatter(e, k, k + 1, n, x, y);
        }
        for (int64_t k = n - 1; k > 0; k--)
            scatter(e, k, 0, k, x, y);
    } else {
        for (int64_t k = 1; k < n; k++)
            gather(e, k, 0, k, x, y);
        for (int64_t k = n - 1; k >= 0; k--) {
            gather(e, k, k + 1, n, x, y);
            divide(e, k, 0, x, y);
        }
    }
    for (int64_t k = 0; k < n; k++) {
        int64_t row = e->row_at[k];
        re[adjoint ? row : k] = adjoint ? scale_row(e, x[k], row) : x[k];
        im[adjoint ? row : k] = adjoint ? scale_row(e, y[k], row) : y[k];
    }
}

/* The 1-norm of column j of D times a view, or of the view itself; both parts of a number count. */
static double column_sum(const elimination *e, const plumb_view *view, int64_t j)
{
    double sum = 0.0;
    for (int32_t part = 0; part < e->parts; part++)
        for (int64_t i = 0; i < view->rows; i++) {
            double size = fabs(view->data[part * e->prec * view->plane + j * view->col + i]);
            sum += e->rows_stay_scaled ? ldexp(size, -e->row_exponent[i]) : size;
        }
    return sum;
}

static void estimate_inverse(elimination *e, int rows_stay_scaled, double *norm, double *inverse)
{
    const double caution = 3.0; /* the estimator is rarely below a third of the truth */
    e->rows_stay_scaled = rows_stay_scaled;
    *inverse = caution * plumb_inverse_norm(e->job.n, apply_inverse, e, e->vectors);
    *norm = 0.0;
    for (int64_t j = 0; j < e->job.n; j++)
        *norm = fmax(*norm, column_sum(e, &e->a, j));
}

static int rows_differ(const elimination *e)
{
    int32_t low = e->row_exponent[0], high = low;
    for (int64_t i = 1; i < e->job.n; i++) {
        low = e->row_exponent[i] < low ? e->row_exponent[i] : low;
        high = e->row_exponent[i] > high ? e->row_exponent[i] : high;
    }
    return high - low > 3;
}

/* The condition is that of A with its columns scaled. Where rows differ much in size the error is bounded with them scaled too:
 * the same bound for multiples of the equations, |x - exact| <= |(D A)^-1| |D (b - A x)|, and not at the mercy of theirs. */
void elimination_estimate(elimination *e, plumb_lsq_report *report)
{
    double worst = 0.0, norm, inverse;
    double unit = lsq_unit(e->prec) * (e->prec == PLUMB_QD ? 16.0 : 4.0) * sqrt((double)e->job.n);
    estimate_inverse(e, 0, &norm, &inverse);
    report->condition = norm * inverse;
    if (rows_differ(e))
        estimate_inverse(e, 1, &norm, &inverse);
    for (int64_t j = 0; j < e->x.cols; j++) {
        double rounding = unit * (norm * lsq_scaled_sum(&e->x, j) + column_sum(e, &e->b, j));
        double error = inverse * (column_sum(e, &e->r, j) + rounding) * lsq_scaled_amplify(&e->x, j, e->a_exponent);
        worst = isnan(error) ? (double)INFINITY : fmax(worst, error);
    }
    report->digits = lsq_scaled_digits(e->prec, worst);
}
