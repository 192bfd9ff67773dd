/* scaled.c - scaled copies, residuals on them, and their norms in double. */
#include "solver/lsq/scaled.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "base/message.h"
#include "base/scale.h"
#include "base/view.h"
#include "solver/lsq/check.h"

static double *entry(const plumb_view *view, int64_t c, int64_t i, int64_t j)
{
    return view->data + c * view->plane + j * view->col + i;
}

plumb_info lsq_scaled_load(const plumb_view *from, const plumb_view *to, int32_t *exponent, const char *name,
                           char *message, size_t message_size)
{
    int64_t planes = view_planes(from);
    for (int64_t j = 0; j < from->cols; j++) {
        double largest = 0.0;
        int e = 0;
        for (int64_t c = 0; c < planes; c++)
            for (int64_t i = 0; i < from->rows; i++) {
                double size = fabs(*entry(from, c, i, j));
                if (!(size <= DBL_MAX))
                    return -(plumb_info)plumb_say(PLUMB_ERR_NONFINITE, message, message_size,
                                                  "entry (%lld, %lld) of %s is not finite", (long long)i + 1,
                                                  (long long)j + 1, name);
                if (size > largest)
                    largest = size;
            }
        frexp(largest, &e);
        exponent[j] = e;
        power_of_two power = scale_power(-e);
        for (int64_t c = 0; c < planes; c++) {
            const double *src = entry(from, c, 0, j);
            double *dst = entry(to, c, 0, j);
            for (int64_t i = 0; i < from->rows; i++)
                dst[i] = scale_by(src[i], &power);
        }
    }
    return 0;
}

plumb_info lsq_scaled_store(const plumb_view *from, const plumb_view *to, const int32_t *by_row,
                            const int32_t *by_column)
{
    for (int64_t j = 0; j < from->cols; j++)
        for (int64_t k = 0; k < from->rows; k++) {
            power_of_two power = scale_power(by_column[j] - (by_row ? by_row[k] : 0));
            for (int64_t c = 0; c < view_planes(from); c++) {
                double value = scale_by(*entry(from, c, k, j), &power);
                if (!(fabs(value) <= DBL_MAX)) {
                    lsq_clear(to);
                    return -(plumb_info)PLUMB_ERR_RANGE;
                }
                *entry(to, c, k, j) = value;
            }
        }
    return 0;
}

void lsq_scaled_adjoint(const plumb_view *from, const plumb_view *to)
{
    for (int64_t c = 0; c < view_planes(from); c++) {
        double sign = c < from->prec ? 1.0 : -1.0;
        for (int64_t j = 0; j < from->cols; j++)
            for (int64_t i = 0; i < from->rows; i++)
                *entry(to, c, j, i) = sign * *entry(from, c, i, j);
    }
}

static residual_job job_of(const plumb_view *r)
{
    return (residual_job){.r = r->data, .r_plane = r->plane, .r_col = r->col, .rows = r->rows, .rhs = r->cols};
}

void lsq_scaled_residual(plumb_context *context, const plumb_view *a, const plumb_view *x, const plumb_view *b,
                         const plumb_view *r)
{
    const residual_kernels *kernels = context->cpu.isa->prec[a->prec]->residual[a->parts];
    residual_job job = job_of(r);
    job.a = a->data, job.a_plane = a->plane, job.a_col = a->col;
    job.x = x->data, job.x_plane = x->plane, job.x_col = x->col;
    job.inner = a->cols;
    if (b)
        job.b = b->data, job.b_plane = b->plane, job.b_col = b->col;
    /* Each thread whole lanes; below this many products for each of them starting them costs more than it brings. */
    const int64_t worth = 4096, lanes = (r->rows + kernels->width - 1) / kernels->width;
    int threads = context->cpu.threads;
    if (threads <= 1 || r->rows * a->cols / threads < worth) {
        kernels->residual(&job, 0, r->rows);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t l = 0; l < lanes; l++) {
        int64_t first = l * kernels->width, last = first + kernels->width;
        kernels->residual(&job, first, last < job.rows ? last : job.rows);
    }
}

void lsq_scaled_norms(plumb_context *context, const plumb_view *r, const plumb_view *norm)
{
    residual_job job = job_of(r);
    for (int64_t j = 0; j < r->cols; j++) { /* a view's columns may be further apart than its entries */
        job.r = r->data + j * r->col, job.rhs = 1;
        context->cpu.isa->prec[r->prec]->residual[r->parts]->norms(&job, norm->data + j * norm->col, norm->plane);
    }
}

static double modulus(const plumb_view *view, int64_t i, int64_t j)
{
    double re = *entry(view, 0, i, j);
    return view->parts == PLUMB_REAL ? fabs(re) : hypot(re, *entry(view, view->prec, i, j));
}

double lsq_scaled_sum(const plumb_view *view, int64_t j)
{
    double sum = 0.0;
    for (int64_t i = 0; i < view->rows; i++)
        sum += modulus(view, i, j);
    return sum;
}

double lsq_scaled_digits(int32_t prec, double error)
{
    const double all = 53.0 * prec * 0.30102999566398120;
    if (!(error < 1.0))
        return 0.0;
    return error > 0.0 ? fmin(all, -log10(error)) : all;
}

double lsq_scaled_amplify(const plumb_view *x, int64_t j, const int32_t *exponent)
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
