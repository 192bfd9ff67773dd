/* device_norm.c - problems with fewer rows than columns on a GPU: the conjugate transpose is made in scratch and factored by
 * any of the families, and mgs_norm.cu finds the solution of least norm from the factor. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/norm/norm.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "method/lsq/error.h"
#include "method/lsq/estimate.h"

#define SAY(status, ...) plumb_say(status, m->message, m->message_size, __VA_ARGS__)

typedef plumb_status (*norm_entry)(const mgs_norm_job *, void *, char *, size_t);

typedef struct norm_entries {
    norm_entry begin, end;
} norm_entries;

#define NORM_DECLARE(name)                                                                       \
    plumb_status plumb_cuda_mgs_norm_begin_##name(const mgs_norm_job *, void *, char *, size_t); \
    plumb_status plumb_cuda_mgs_norm_end_##name(const mgs_norm_job *, void *, char *, size_t)
NORM_DECLARE(real_d);
NORM_DECLARE(cplx_d);
NORM_DECLARE(real_dd);
NORM_DECLARE(cplx_dd);
NORM_DECLARE(real_qd);
NORM_DECLARE(cplx_qd);

#define NORM_ENTRIES(name)                                               \
    {                                                                    \
        plumb_cuda_mgs_norm_begin_##name, plumb_cuda_mgs_norm_end_##name \
    }

static const norm_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {[PLUMB_REAL] = NORM_ENTRIES(real_d), [PLUMB_COMPLEX] = NORM_ENTRIES(cplx_d)},
    [PLUMB_DD] = {[PLUMB_REAL] = NORM_ENTRIES(real_dd), [PLUMB_COMPLEX] = NORM_ENTRIES(cplx_dd)},
    [PLUMB_QD] = {[PLUMB_REAL] = NORM_ENTRIES(real_qd), [PLUMB_COMPLEX] = NORM_ENTRIES(cplx_qd)},
};

/* The triangle of the first problem, on the host, for a report. */
typedef struct norm_report {
    mgs_findings found;
    double *row_re, *row_im; /* by rows */
} norm_report;

/* The number of doubles of a problem in each piece of scratch. */
typedef struct norm_layout {
    int64_t adjoint, z, inverse; /* z: of a right-hand side */
} norm_layout;

static bool lay_out(const lsq_call *call, norm_layout *to, mgs_layout *layout)
{
    const plumb_view *a = call->a;
    const int64_t planes = view_planes(a), rhs = call->b->cols;
    int64_t sides, more;
    return size_mul(a->rows, a->cols, &to->adjoint) && size_mul(to->adjoint, planes, &to->adjoint) &&
           size_add(a->rows, a->cols, &to->z) && size_mul(to->z, planes, &to->z) &&
           size_mul(a->rows, a->prec, &to->inverse) && size_mul(to->z + 1, rhs, &sides) &&
           size_add(sides, to->adjoint, &more) && size_add(more, to->inverse + 2, &more) && size_mul(more, 8, &more) &&
           size_add(more, 5 * (int64_t)MGS_ALIGNMENT, &more) && size_add(layout->bytes, more, &layout->bytes);
}

static plumb_view dense(double *data, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                        int32_t where)
{
    return (plumb_view){.data = data,
                        .rows = rows,
                        .cols = cols,
                        .batch = batch,
                        .plane = rows * cols,
                        .col = rows,
                        .next = rows * cols * prec * parts,
                        .prec = prec,
                        .parts = parts,
                        .where = where};
}

/* The conjugate transposes of a batch, in scratch. */
static plumb_view adjoint_of(const plumb_view *a, int64_t batch, double *data)
{
    return dense(data, a->prec, a->parts, a->cols, a->rows, batch, PLUMB_DEVICE);
}

static plumb_status solve_part(machine *m, const lsq_call *call, const mgs_plan *plan, const mgs_layout *layout,
                               const norm_layout *own, int64_t first, int64_t count, char *memory,
                               const mgs_findings *found, void *stream)
{
    const plumb_view *a = call->a;
    const norm_entries *entry = &entries[a->prec][a->parts];
    plumb_view adjoint = adjoint_of(a, count, plumb_cuda_mgs_take(&memory, count * own->adjoint * 8));
    const lsq_call tall = {
        .a = &adjoint, .q = &adjoint, .dependent = call->dependent}; /* q: columns and coefficients are needed */
    mgs_norm_job job = {.a = plumb_cuda_mgs_array(a, first),
                        .b = plumb_cuda_mgs_array(call->b, first),
                        .x = plumb_cuda_mgs_array(call->x, first),
                        .residual = plumb_cuda_mgs_array(call->residual, first),
                        .z = plumb_cuda_mgs_take(&memory, count * call->b->cols * own->z * 8),
                        .inverse = plumb_cuda_mgs_take(&memory, count * own->inverse * 8),
                        .flags = plumb_cuda_mgs_take(&memory, count * call->b->cols * 4),
                        .z_step = own->z,
                        .inverse_step = own->inverse,
                        .rhs = (int32_t)call->b->cols,
                        .failures = call->info ? NULL : m->outcome};
    job.factor = plumb_cuda_mgs_job(&tall, layout, a->rows, 0, count, memory);
    if (call->info)
        job.factor.info = call->info + first;
    job.info = job.factor.info;
    plumb_status status = entry->begin(&job, stream, m->message, m->message_size);
    if (status == PLUMB_OK)
        status = plumb_cuda_mgs_factor(m, a->prec, a->parts, plan, &job.factor, stream);
    if (status == PLUMB_OK)
        status = entry->end(&job, stream, m->message, m->message_size);
    if (status == PLUMB_OK && first == 0 && found)
        status = plumb_cuda_mgs_triangle(m, &tall, &job.factor, found, stream);
    return status;
}

static plumb_status solve(machine *m, const lsq_call *call, const mgs_findings *found, void *stream)
{
    const plumb_view *a = call->a, shape = adjoint_of(a, 1, NULL);
    const lsq_call tall = {.a = &shape, .q = (plumb_view *)&shape};
    const int64_t columns = a->rows > call->b->cols ? a->rows : call->b->cols;
    mgs_layout layout;
    norm_layout own;
    char *memory = NULL;
    int64_t part = 1;
    plumb_status status = plumb_cuda_mgs_open(m);
    if (status != PLUMB_OK)
        return status;
    if (a->cols > INT32_MAX / 2 || columns > INT32_MAX / 2)
        return SAY(PLUMB_ERR_SIZE, "%lld x %lld is too large for the GPU", (long long)a->rows, (long long)a->cols);
    const mgs_plan plan = plumb_cuda_mgs_choose(
        m, &(mgs_problem){a->prec, a->parts, a->cols, a->rows, a->rows, call->like > 0 ? call->like : a->batch});
    if (plan.family == MGS_AUTO)
        return PLUMB_ERR_UNSUPPORTED;
    if (!plumb_cuda_mgs_lay_out(&tall, a->rows, plan.keep_columns > 1 ? plan.keep_columns : 1, plan.family == MGS_LARGE,
                                0, &layout) ||
        !lay_out(call, &own, &layout))
        return SAY(PLUMB_ERR_SIZE, "scratch for %lld x %lld does not fit in memory", (long long)a->rows,
                   (long long)a->cols);
    status = plumb_cuda_mgs_find_room(m, &layout, columns, a->batch, stream, &part, &memory);
    for (int64_t first = 0; first < a->batch && status == PLUMB_OK; first += part)
        status = solve_part(m, call, &plan, &layout, &own, first, a->batch - first < part ? a->batch - first : part,
                            memory, found, stream);
    return status;
}

/* ---- Reports ------------------------------------------------------------------------------------------------------------ */

static void report_destroy(norm_report *r)
{
    free(r->found.re);
    free(r->found.im);
    free(r->found.square);
    free(r->found.exponent);
    free(r->row_re);
    free(r->row_im);
}

static bool report_create(const plumb_view *a, norm_report *r)
{
    const size_t n = (size_t)a->rows, entries_of = n * n, some = a->parts > 1;
    *r = (norm_report){.found = {.re = calloc(entries_of, sizeof(double)),
                                 .im = some ? calloc(entries_of, sizeof(double)) : NULL,
                                 .square = calloc(n, sizeof(double)),
                                 .exponent = calloc(n, sizeof(int32_t))},
                       .row_re = calloc(entries_of, sizeof(double)),
                       .row_im = some ? calloc(entries_of, sizeof(double)) : NULL};
    return r->found.re && r->found.square && r->found.exponent && r->row_re && (!some || (r->found.im && r->row_im));
}

static lsq_triangle triangle_of(const plumb_view *a, norm_report *r)
{
    const int64_t n = a->rows;
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = 0; k < j; k++) {
            r->row_re[k * n + j] = r->found.re[j * n + k];
            if (r->row_im)
                r->row_im[k * n + j] = r->found.im[j * n + k];
        }
    return (lsq_triangle){.re = r->row_re,
                          .im = r->row_im,
                          .square = r->found.square,
                          .exponent = r->found.exponent,
                          .ld = n,
                          .rows = a->cols,
                          .cols = n,
                          .rank = n,
                          .all = n,
                          .prec = a->prec};
}

/* The leading limbs of a view on the device; PLUMB_ERR_MEMORY without a message. */
static plumb_status fetch(machine *m, const plumb_view *view, plumb_view *to, void *stream)
{
    plumb_view leading = *view;
    leading.prec = PLUMB_D;
    leading.plane = view->prec * view->plane;
    const size_t numbers = (size_t)(view->rows * view->cols * view->parts);
    *to = dense(calloc(numbers + 1, sizeof(double)), PLUMB_D, view->parts, view->rows, view->cols, 1, PLUMB_HOST);
    if (!to->data)
        return PLUMB_ERR_MEMORY;
    return view->cols > 0 ? m->ops->copy(m, &leading, to, stream) : PLUMB_OK;
}

/* The largest modulus of the parts of a column. */
static double largest_of(const plumb_view *view, int64_t j)
{
    double largest = 0.0;
    for (int32_t part = 0; part < view->parts; part++)
        for (int64_t i = 0; i < view->rows; i++)
            largest = fmax(largest, fabs(view->data[part * view->plane + j * view->col + i]));
    return largest;
}

static double claim(const lsq_inverse *inverse, const int32_t *exponent, int32_t prec, const plumb_view *x,
                    const plumb_view *b, int64_t j)
{
    lsq_least least = {.exponent = exponent, .prec = prec};
    const double largest = largest_of(x, j);
    if (largest == 0.0 && largest_of(b, j) > 0.0) /* so small that it became zero */
        return 0.0;
    frexp(largest, &least.shift);
    for (int64_t i = 0; i < x->rows; i++) {
        const double *entry = x->data + j * x->col + i;
        lsq_least_entry(&least, ldexp(entry[0], -least.shift),
                        x->parts > 1 ? ldexp(entry[x->plane], -least.shift) : 0.0);
    }
    return lsq_claim_least(inverse, &least);
}

static plumb_status fill(machine *m, const lsq_call *call, norm_report *r, void *stream)
{
    plumb_lsq_report *report = call->report;
    const lsq_triangle triangle = triangle_of(call->a, r);
    plumb_view x = {.data = NULL}, b = {.data = NULL};
    lsq_inverse inverse = {.row = NULL};
    plumb_status status = fetch(m, call->x, &x, stream);
    if (status == PLUMB_OK)
        status = fetch(m, call->b, &b, stream);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamSynchronize(stream), "solving on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK)
        status = lsq_inverse_make(&triangle, &inverse);
    if (status == PLUMB_OK) {
        report->method = PLUMB_METHOD_MGS;
        report->factor_prec = call->a->prec;
        report->rank = call->a->rows;
        report->condition = inverse.condition;
        report->digits = precision_digits(call->a->prec);
        for (int64_t j = 0; j < x.cols; j++)
            report->digits = fmin(report->digits, claim(&inverse, r->found.exponent, call->a->prec, &x, &b, j));
    }
    lsq_inverse_free(&inverse);
    free(x.data);
    free(b.data);
    return status == PLUMB_ERR_MEMORY ? SAY(status, "out of memory") : status;
}

static plumb_status solve_reported(machine *m, const lsq_call *given, void *stream)
{
    lsq_call call = *given;
    norm_report r;
    void *mine = NULL;
    plumb_info outcome = 0;
    plumb_status status = report_create(call.a, &r) ? PLUMB_OK : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK && !call.info) {
        status = m->ops->alloc(m, sizeof *call.info, &mine);
        call.info = mine;
    }
    call.report->backend = PLUMB_BACKEND_GPU;
    if (status == PLUMB_OK)
        status = solve(m, &call, &r.found, stream);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaMemcpyAsync(&outcome, call.info, sizeof outcome, cudaMemcpyDeviceToHost, stream),
                                   "copying an outcome from the GPU", m->message, m->message_size);
    if (status == PLUMB_OK)
        status = plumb_cuda_status(cudaStreamSynchronize(stream), "solving on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK && outcome == 0)
        status = fill(m, &call, &r, stream);
    if (status == PLUMB_OK && outcome > 0)
        status = SAY(PLUMB_ERR_SINGULAR, "row %lld depends on those before it", (long long)outcome);
    else if (status == PLUMB_OK && outcome < 0)
        status = SAY((plumb_status)-outcome, "%s", plumb_status_text((plumb_status)-outcome));
    if (outcome != 0 && given->info) /* with info, the outcome is data and not a failure */
        status = PLUMB_OK;
    if (mine)
        m->ops->release(m, mine);
    report_destroy(&r);
    return status;
}

plumb_status plumb_cuda_mgs_least_norm(machine *m, const lsq_call *call, void *stream)
{
    return call->report ? solve_reported(m, call, stream) : solve(m, call, NULL, stream);
}
