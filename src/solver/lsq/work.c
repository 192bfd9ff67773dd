/* work.c - memory, loading and scaling of the work array. */
#include "solver/lsq/work.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/mgs.h"
#include "base/message.h"
#include "base/scale.h"
#include "base/size.h"

/* count doubles, added to *total, rounded up so that every array begins on a cache line. */
static bool reserve(int64_t count, int64_t *total, int64_t *at)
{
    int64_t padded;
    *at = *total;
    return size_add(count, 7, &padded) && size_add(*total, padded / 8 * 8, total);
}

plumb_status lsq_work_create(plumb_context *context, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                             int64_t rhs, lsq_work *work)
{
    int64_t all, ld, w_plane, c_plane, w_size, c_size, total = 0, at[6];
    int64_t planes = (int64_t)prec * parts;
    *work = (lsq_work){.prec = prec, .parts = parts, .threads = context->cpu.threads};
    work->kernels = context->cpu.isa->prec[prec]->mgs[parts];
    bool fits = size_add(cols, rhs, &all) && size_add(all, MGS_OVERHANG, &ld) && size_mul(rows, ld, &w_plane) &&
                size_mul(cols + 1, ld, &c_plane) && size_add(w_plane, MGS_OVERHANG, &w_plane) &&
                size_add(c_plane, MGS_OVERHANG, &c_plane) && size_mul(w_plane, planes, &w_size) &&
                size_mul(c_plane, planes, &c_size) && reserve(w_size, &total, &at[0]) &&
                reserve(c_size, &total, &at[1]) && reserve((cols + MGS_OVERHANG) * prec, &total, &at[2]) &&
                reserve(cols, &total, &at[3]) && reserve(cols, &total, &at[4]) && reserve(all, &total, &at[5]) &&
                total < INT64_MAX / 8;
    if (!fits)
        return plumb_say(PLUMB_ERR_SIZE, context->message, sizeof context->message,
                         "a work array for %lld x %lld does not fit in memory", (long long)rows, (long long)cols);
    work->memory = aligned_alloc(64, (size_t)total * 8);
    if (!work->memory)
        return plumb_say(PLUMB_ERR_MEMORY, context->message, sizeof context->message, "out of memory: %lld bytes",
                         (long long)total * 8);
    memset(work->memory, 0, (size_t)total * 8);
    double *memory = work->memory;
    work->job = (mgs_job){.w = memory + at[0],
                          .c = memory + at[1],
                          .s = memory + at[2],
                          .w_plane = w_plane,
                          .c_plane = c_plane,
                          .s_plane = cols + MGS_OVERHANG,
                          .ld = ld,
                          .rank = cols,
                          .rows = rows,
                          .cols = cols,
                          .all = all};
    work->least = memory + at[3];
    work->order = (int64_t *)(void *)(memory + at[4]);
    work->exponent = (int32_t *)(void *)(memory + at[5]);
    for (int64_t k = 0; k < cols; k++)
        work->order[k] = k;
    return PLUMB_OK;
}

void lsq_work_destroy(lsq_work *work)
{
    free(work->memory);
    work->memory = NULL;
}

static const double *column_of(const plumb_view *view, int64_t batch, int64_t j)
{
    return view->data + batch * view->next + j * view->col;
}

/* The largest modulus among the leading limbs of a column; a NaN or an infinity in any limb is reported. */
static plumb_info largest_of(const plumb_view *view, const double *column, int64_t j, const char *name, double *largest,
                             char *message, size_t message_size)
{
    *largest = 0.0;
    for (int32_t c = 0; c < view->prec * view->parts; c++)
        for (int64_t i = 0; i < view->rows; i++) {
            double a = fabs(column[c * view->plane + i]);
            if (!(a <= DBL_MAX)) {
                plumb_say(PLUMB_ERR_NONFINITE, message, message_size, "entry (%lld, %lld) of %s is not finite",
                          (long long)i + 1, (long long)j + 1, name);
                return -PLUMB_ERR_NONFINITE;
            }
            if (a > *largest)
                *largest = a;
        }
    return 0;
}

plumb_info lsq_work_load(lsq_work *work, const plumb_view *view, int64_t batch, int64_t first, const char *name,
                         char *message, size_t message_size)
{
    const mgs_job *job = &work->job;
    for (int64_t j = 0; j < view->cols; j++) {
        const double *column = column_of(view, batch, j);
        double largest;
        plumb_info info = largest_of(view, column, j, name, &largest, message, message_size);
        if (info)
            return info;
        int exponent = 0;
        if (largest > 0.0)
            frexp(largest, &exponent);
        work->exponent[first + j] = exponent;
        power_of_two power = scale_power(-exponent);
        for (int32_t c = 0; c < work->prec * work->parts; c++) {
            double *w = job->w + c * job->w_plane + first + j;
            for (int64_t i = 0; i < job->rows; i++)
                w[i * job->ld] = scale_by(column[c * view->plane + i], &power);
        }
    }
    return 0;
}

static void swap_columns(lsq_work *work, int64_t j, int64_t k)
{
    const mgs_job *job = &work->job;
    for (int32_t c = 0; c < work->prec * work->parts; c++) {
        for (int64_t i = 0; i < job->rows; i++) {
            double *w = job->w + c * job->w_plane + i * job->ld, t = w[j];
            w[j] = w[k], w[k] = t;
        }
        for (int64_t i = 0; i < k && i < j; i++) {
            double *row = job->c + c * job->c_plane + i * job->ld, t = row[j];
            row[j] = row[k], row[k] = t;
        }
    }
    int64_t o = work->order[j];
    work->order[j] = work->order[k], work->order[k] = o;
    int32_t e = work->exponent[j];
    work->exponent[j] = work->exponent[k], work->exponent[k] = e;
    double l = work->least[j];
    work->least[j] = work->least[k], work->least[k] = l;
}

/* A column is taken for dependent when its norm is at most max(m, n) u times what it was. */
static void set_limits(lsq_work *work)
{
    const mgs_job *job = &work->job;
    double share = (double)(job->rows > job->cols ? job->rows : job->cols) * lsq_unit(work->prec);
    work->kernels->squares(job, 0, job->cols);
    for (int64_t k = 0; k < job->cols; k++)
        work->least[k] = job->c[job->cols * job->ld + k] * share * share;
}

/* The column with the largest norm left goes first; the first of equals. */
static plumb_info factor_pivoted(lsq_work *work)
{
    mgs_job *job = &work->job;
    for (int64_t k = 0; k < job->cols; k++) {
        const double *squares = job->c + job->cols * job->ld;
        int64_t best = k;
        work->kernels->squares(job, k, job->cols);
        for (int64_t j = k + 1; j < job->cols; j++)
            if (squares[j] > squares[best])
                best = j;
        if (best != k)
            swap_columns(work, best, k);
        if (plumb_cpu_mgs_step(work->kernels, job, k, work->least, work->threads)) {
            job->rank = k;
            break;
        }
    }
    return 0;
}

plumb_info lsq_work_factor(lsq_work *work, int pivot)
{
    set_limits(work);
    if (pivot)
        return factor_pivoted(work);
    return plumb_cpu_mgs_factor(work->kernels, &work->job, work->least, work->threads);
}

plumb_status lsq_work_repeat(plumb_context *context, lsq_work *work)
{
    lsq_work again;
    mgs_job *job = &work->job;
    plumb_status status =
        lsq_work_create(context, work->prec, work->parts, job->rows, job->cols, job->all - job->cols, &again);
    if (status != PLUMB_OK)
        return status;
    /* The same columns, other coefficients; with limits of zero nothing can become dependent that was not. */
    mgs_job second = *job;
    second.c = again.job.c;
    for (int64_t k = 0; k < job->rank; k++)
        plumb_cpu_mgs_step(work->kernels, &second, k, again.least, work->threads);
    work->kernels->compose(job, &second);
    lsq_work_destroy(&again);
    return PLUMB_OK;
}

/* dst = src 2^e; 0 when an entry overflows. */
static int put_scaled(const double *src, int64_t src_plane, double *dst, int64_t dst_plane, int32_t planes, int32_t e)
{
    power_of_two power = scale_power(e);
    int ok = 1;
    for (int32_t c = 0; c < planes; c++) {
        double value = scale_by(src[c * src_plane], &power);
        ok = ok && fabs(value) <= DBL_MAX;
        dst[c * dst_plane] = value;
    }
    return ok;
}

static void clear_column(const plumb_view *view, int64_t batch, int64_t j)
{
    for (int32_t c = 0; c < view->prec * view->parts; c++)
        memset(view->data + batch * view->next + c * view->plane + j * view->col, 0, (size_t)view->rows * 8);
}

plumb_info lsq_work_solve(lsq_work *work, const plumb_view *x, const plumb_view *residual, int64_t batch)
{
    const mgs_job *job = &work->job;
    int32_t planes = work->prec * work->parts;
    plumb_info info = 0;
    work->kernels->squares(job, job->cols, job->all);
    work->kernels->residuals(job);
    work->kernels->back(job);
    for (int64_t r = job->cols; r < job->all; r++) {
        int64_t column = r - job->cols;
        clear_column(x, batch, column);
        for (int64_t k = 0; k < job->rank; k++) {
            double *to = x->data + batch * x->next + column * x->col + work->order[k];
            if (!put_scaled(job->c + k * job->ld + r, job->c_plane, to, x->plane, planes,
                            work->exponent[r] - work->exponent[k]))
                info = -PLUMB_ERR_RANGE;
        }
        if (residual && !put_scaled(job->c + job->cols * job->ld + r, job->c_plane,
                                    residual->data + batch * residual->next + column * residual->col, residual->plane,
                                    work->prec, work->exponent[r]))
            info = -PLUMB_ERR_RANGE;
    }
    for (int64_t column = 0; info && column < x->cols; column++)
        clear_column(x, batch, column);
    return info;
}

plumb_info lsq_work_store(lsq_work *work, const plumb_view *q, const plumb_view *r)
{
    plumb_info info = 0;
    const mgs_job *job = &work->job;
    int32_t planes = work->prec * work->parts;
    work->kernels->triangle(job);
    if (r)
        for (int64_t j = 0; j < job->cols; j++) {
            clear_column(r, 0, j);
            for (int64_t k = 0; k <= j && k < job->rank; k++)
                if (!put_scaled(job->c + k * job->ld + j, job->c_plane, r->data + j * r->col + k, r->plane, planes,
                                work->exponent[j]))
                    info = -PLUMB_ERR_RANGE;
        }
    if (!q)
        return info;
    work->kernels->normalize(job);
    for (int64_t k = 0; k < job->cols; k++) {
        clear_column(q, 0, k);
        for (int64_t i = 0; i < job->rows && k < job->rank; i++)
            put_scaled(job->w + i * job->ld + k, job->w_plane, q->data + k * q->col + i, q->plane, planes, 0);
    }
    return info;
}
