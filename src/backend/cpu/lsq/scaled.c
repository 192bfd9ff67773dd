/* scaled.c - scaled copies, residuals on them, and their norms in double. */
#include "backend/cpu/lsq/scaled.h"

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/work.h"
#include "base/array/view.h"
#include "base/number/modulus.h"
#include "base/os/team.h"

static double *entry(const plumb_view *view, int64_t c, int64_t i, int64_t j)
{
    return view->data + c * view->plane + j * view->col + i;
}

typedef struct load_share {
    const plumb_view *from, *to;
    int32_t *exponent;
    plumb_info info;
} load_share;

static void load_columns(void *data, team *t, int32_t index, int32_t threads)
{
    load_share *s = data;
    int64_t end, j = team_share(s->from->cols, index, threads, &end);
    (void)t;
    for (; j < end; j++) {
        const double largest = lsq_largest(s->from, entry(s->from, 0, 0, j));
        int e = 0;
        if (!(largest <= DBL_MAX)) {
            __atomic_store_n(&s->info, -PLUMB_ERR_NONFINITE, __ATOMIC_RELAXED);
            return;
        }
        frexp(largest, &e);
        s->exponent[j] = e;
        const power_of_two power = scale_power(-e);
        for (int64_t c = 0; c < view_planes(s->from); c++) {
            const double *src = entry(s->from, c, 0, j);
            double *dst = entry(s->to, c, 0, j);
            for (int64_t i = 0; i < s->from->rows; i++)
                dst[i] = scale_by(src[i], &power);
        }
    }
}

plumb_info lsq_scaled_load(const machine *m, const plumb_view *from, const plumb_view *to, int32_t *exponent)
{
    /* With fewer entries than this, starting threads costs more than it saves. */
    const int64_t worth = 1 << 16;
    load_share share = {.from = from, .to = to, .exponent = exponent};
    team_run(m->team, from->rows * from->cols >= worth ? m->threads : 1, load_columns, &share);
    return share.info;
}

/* The exponent of the largest leading limb of an entry; INT32_MIN for zero. */
static int32_t exponent_of(const plumb_view *view, int64_t i, int64_t j)
{
    int32_t largest = INT32_MIN;
    for (int32_t part = 0; part < view->parts; part++) {
        int e = 0;
        const double limb = *entry(view, part * view->prec, i, j);
        frexp(limb, &e);
        if (limb != 0.0 && e > largest)
            largest = e;
    }
    return largest;
}

static void scale_entry(const plumb_view *from, const plumb_view *to, int64_t i, int64_t j, int32_t e)
{
    const power_of_two power = scale_power(e);
    for (int64_t c = 0; c < view_planes(from); c++)
        *entry(to, c, i, j) = scale_by(*entry(from, c, i, j), &power);
}

plumb_info lsq_scaled_load_rows(const plumb_view *from, const plumb_view *to, int32_t *column, int32_t *row,
                                bool choose_rows)
{
    for (int64_t j = 0; j < from->cols; j++) {
        const double largest = lsq_largest(from, entry(from, 0, 0, j));
        int e = 0;
        if (!(largest <= DBL_MAX))
            return -PLUMB_ERR_NONFINITE;
        frexp(largest, &e);
        column[j] = e;
    }
    for (int64_t i = 0; choose_rows && i < from->rows; i++) {
        int32_t largest = INT32_MIN;
        for (int64_t j = 0; j < from->cols; j++) {
            const int32_t e = exponent_of(from, i, j);
            if (e != INT32_MIN && e - column[j] > largest)
                largest = e - column[j];
        }
        row[i] = largest != INT32_MIN ? largest : 0;
    }
    for (int64_t j = 0; !choose_rows && j < from->cols; j++) {
        int32_t largest = INT32_MIN;
        for (int64_t i = 0; i < from->rows; i++) {
            const int32_t e = exponent_of(from, i, j);
            if (e != INT32_MIN && e - row[i] > largest)
                largest = e - row[i];
        }
        column[j] = largest != INT32_MIN ? largest : 0;
    }
    for (int64_t j = 0; j < from->cols; j++)
        for (int64_t i = 0; i < from->rows; i++)
            scale_entry(from, to, i, j, -column[j] - row[i]);
    return 0;
}

void lsq_scaled_back(const plumb_view *r, const int32_t *row, int32_t *column)
{
    for (int64_t j = 0; j < r->cols; j++) {
        int32_t largest = INT32_MIN;
        for (int64_t i = 0; i < r->rows; i++) {
            const int32_t e = exponent_of(r, i, j);
            if (e != INT32_MIN && e + row[i] > largest)
                largest = e + row[i];
        }
        if (largest == INT32_MIN)
            continue;
        for (int64_t i = 0; i < r->rows; i++)
            scale_entry(r, r, i, j, row[i] - largest);
        column[j] += largest;
    }
}

plumb_info lsq_scaled_store(const plumb_view *from, const plumb_view *to, const int32_t *by_row,
                            const int32_t *by_column)
{
    for (int64_t j = 0; j < from->cols; j++)
        for (int64_t k = 0; k < from->rows; k++) {
            power_of_two power = scale_power(by_column[j] - (by_row ? by_row[k] : 0));
            for (int64_t c = 0; c < view_planes(from); c++) {
                double value = scale_by(*entry(from, c, k, j), &power);
                if (!(fabs(value) <= DBL_MAX))
                    return -PLUMB_ERR_RANGE;
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

typedef struct residual_share {
    const residual_kernels *kernels;
    const residual_job *job;
    int64_t lanes;
} residual_share;

static void residual_lanes(void *data, team *t, int32_t index, int32_t threads)
{
    const residual_share *s = data;
    int64_t end, l = team_share(s->lanes, index, threads, &end);
    (void)t;
    for (; l < end; l++) {
        int64_t first = l * s->kernels->width, last = first + s->kernels->width;
        s->kernels->residual(s->job, first, last < s->job->rows ? last : s->job->rows);
    }
}

void lsq_scaled_residual(const machine *m, const plumb_view *a, const plumb_view *x, const plumb_view *b,
                         const plumb_view *r)
{
    const residual_kernels *kernels = m->isa->prec[a->prec]->residual[a->parts];
    residual_job job = job_of(r);
    job.a = a->data, job.a_plane = a->plane, job.a_col = a->col;
    job.x = x->data, job.x_plane = x->plane, job.x_col = x->col;
    job.inner = a->cols;
    if (b)
        job.b = b->data, job.b_plane = b->plane, job.b_col = b->col;
    /* Each thread has whole lanes; with fewer products per thread than this, starting threads costs more than it
     * saves. */
    const int64_t worth = 4096;
    const int32_t threads = m->threads;
    if (threads <= 1 || r->rows * a->cols / threads < worth) {
        kernels->residual(&job, 0, r->rows);
        return;
    }
    residual_share share = {kernels, &job, (r->rows + kernels->width - 1) / kernels->width};
    team_run(m->team, threads, residual_lanes, &share);
}

void lsq_scaled_norms(const machine *m, const plumb_view *r, const plumb_view *norm)
{
    residual_job job = job_of(r);
    for (int64_t j = 0; j < r->cols; j++) { /* a view's columns may be further apart than its entries */
        job.r = r->data + j * r->col, job.rhs = 1;
        m->isa->prec[r->prec]->residual[r->parts]->norms(&job, norm->data + j * norm->col, norm->plane);
    }
}

static double modulus(const plumb_view *view, int64_t i, int64_t j)
{
    double re = *entry(view, 0, i, j);
    return view->parts == PLUMB_REAL ? fabs(re) : plumb_modulus(re, *entry(view, view->prec, i, j));
}

double lsq_scaled_sum(const plumb_view *view, int64_t j)
{
    double sum = 0.0;
    for (int64_t i = 0; i < view->rows; i++)
        sum += modulus(view, i, j);
    return sum;
}

plumb_status lsq_scaled_map(machine *m, plumb_op op, const plumb_view *x, const plumb_view *y, const plumb_view *out)
{
    map_call call = {.prec = x->prec, .parts = x->parts, .op = op};
    call.loop = (runs){.length = x->rows,
                       .count = {x->cols, x->batch, 1},
                       .step = {{x->col, y->col, x->col, out->col}, {x->next, y->next, x->next, out->next}}};
    plumb_runs_merge(&call.loop);
    call.first = (map_job){.x = x->data,
                           .y = y->data,
                           .out = out->data,
                           .x_plane = x->plane,
                           .y_plane = y->plane,
                           .out_plane = out->plane,
                           .n = call.loop.length};
    return view_is_empty(out) ? PLUMB_OK : m->ops->map(m, &call, NULL);
}
