/* least_norm.c - the solution of least norm where there are fewer rows than columns.
 *
 * A^H = Q R by modified Gram-Schmidt; then R^H z = b and x = Q z. Q loses its orthogonality as the condition number grows,
 * and A times this product would miss b by as much. Therefore x is made as by the reflections that modified
 * Gram-Schmidt is equivalent to: from x = 0, x += (z_k - q_k^H x) q_k for k = m, ..., 1. This x is the solution of least
 * norm for a matrix of which every row was changed by a small multiple of u, for any condition number (Bjorck, Solving
 * linear least squares problems by Gram-Schmidt orthogonalization, 1967; Bjorck and Paige, Solution of augmented linear systems
 * using orthogonal factorizations, 1994). It is the correction of method/lsq/residual.h for f = 0 and g = b.
 *
 * Each equation is multiplied by the power of two that brings the largest entry of its row to [1/2, 1), and each right-hand
 * side by one more, so that nothing overflows; unknowns are not scaled, because that would change their norm. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/lsq.h"
#include "backend/cpu/lsq/scaled.h"
#include "backend/cpu/lsq/work.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "method/lsq/error.h"
#include "method/lsq/residual.h"

typedef struct least_norm {
    machine *machine;
    const lsq_call *call;
    int64_t m, n, p;
    plumb_view adjoint; /* A^H, dense; once it is factored, A with its rows scaled */
    plumb_view b, x, r; /* scaled: right-hand sides, solutions, residuals; dense */
    lsq_work work;      /* Q and R of A^H; x as right-hand sides of w */
    double *z;          /* m x p, rows z_ld apart: b, then z */
    int32_t *shift;     /* of each right-hand side: it was multiplied by 2^-shift in addition */
    int64_t z_plane, z_ld;
    lsq_inverse inverse;
} least_norm;

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

static plumb_status out_of_memory(const machine *m)
{
    return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
}

static plumb_status make(least_norm *t, int64_t rows, int64_t cols, plumb_view *view)
{
    const plumb_view *a = t->call->a;
    int64_t doubles = 0;
    void *memory = NULL;
    plumb_view made;
    plumb_status status = plumb_view_init(&made, NULL, PLUMB_HOST, a->prec, a->parts, rows, cols, 1, &doubles);
    if (status == PLUMB_OK && doubles > 0)
        status = t->machine->ops->alloc(t->machine, (size_t)doubles * sizeof(double), &memory);
    made.data = memory;
    if (status == PLUMB_OK)
        *view = made;
    return status;
}

static plumb_status create(machine *m, const lsq_call *call, least_norm *t)
{
    const plumb_view *a = call->a;
    int64_t size;
    *t = (least_norm){.machine = m, .call = call, .m = a->rows, .n = a->cols, .p = call->b->cols};
    plumb_status status = make(t, t->n, t->m, &t->adjoint);
    if (status == PLUMB_OK)
        status = make(t, t->m, t->p, &t->b);
    if (status == PLUMB_OK && call->residual)
        status = make(t, t->n, t->p, &t->x);
    if (status == PLUMB_OK && call->residual)
        status = make(t, t->m, t->p, &t->r);
    if (status == PLUMB_OK)
        status = lsq_work_create(m, a->prec, a->parts, t->n, t->m, t->p, &t->work);
    if (status != PLUMB_OK)
        return status;
    t->z_ld = t->p + MGS_OVERHANG;
    if (!size_mul(t->m, t->z_ld, &t->z_plane) || !size_mul(t->z_plane, view_planes(a), &size) || size > INT64_MAX / 8)
        return PLUMB_ERR_SIZE;
    t->z = calloc((size_t)size, sizeof *t->z);
    t->shift = calloc((size_t)t->p + 1, sizeof *t->shift);
    return t->z && t->shift ? PLUMB_OK : out_of_memory(m);
}

static void destroy(least_norm *t)
{
    plumb_view *const views[] = {&t->adjoint, &t->b, &t->x, &t->r};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        t->machine->ops->release(t->machine, views[i]->data);
    lsq_work_destroy(&t->work);
    lsq_inverse_free(&t->inverse);
    free(t->z);
    free(t->shift);
}

/* ---- The steps ---------------------------------------------------------------------------------------------------------- */

static const double *entry(const plumb_view *view, int64_t plane, int64_t i, int64_t j)
{
    return view->data + plane * view->plane + j * view->col + i;
}

/* Sets the right-hand sides in rows of w, or of c, to zero. */
static void clear_sides(const least_norm *t, double *array, int64_t plane, int64_t rows)
{
    const mgs_job *job = &t->work.job;
    for (int32_t c = 0; c < t->work.prec * t->work.parts; c++)
        for (int64_t i = 0; i < rows; i++)
            memset(array + c * plane + i * job->ld + job->cols, 0, (size_t)(job->ld - job->cols) * sizeof(double));
}

/* Q and R of A^H, unless there is an infinity or a NaN in A or b. */
static plumb_status factor(least_norm *t, plumb_info *info)
{
    lsq_work *work = &t->work;
    const lsq_call *call = t->call;
    const int64_t all = work->job.all;
    plumb_status status = PLUMB_OK;
    lsq_scaled_adjoint(call->a, &t->adjoint);
    if (call->dependent > 0.0)
        work->dependent = call->dependent;
    work->job.all = work->job.cols; /* right-hand sides come later */
    *info = lsq_work_load(work, &t->adjoint, 0, 0);
    for (int64_t j = 0; j < t->p && *info == 0; j++)
        if (!(lsq_largest(call->b, entry(call->b, 0, 0, j)) <= DBL_MAX))
            *info = -PLUMB_ERR_NONFINITE;
    if (*info == 0)
        *info = lsq_work_factor(work, 0);
    if (*info == 0 && call->options->reorthogonalize) {
        clear_sides(t, work->job.w, work->job.w_plane, work->job.rows);
        clear_sides(t, work->job.c, work->job.c_plane, work->job.cols);
        work->job.all = all;
        status = lsq_work_repeat(t->machine, work);
        work->job.all = work->job.cols;
    }
    if (*info == 0 && status == PLUMB_OK) {
        const lsq_triangle triangle = lsq_work_triangle(work);
        if (call->report)
            status = lsq_inverse_make(&triangle, &t->inverse) == PLUMB_OK ? PLUMB_OK : out_of_memory(t->machine);
        work->kernels->triangle(&work->job);
        work->kernels->normalize(&work->job);
    }
    work->job.all = all;
    return status;
}

/* b with each row scaled as that of A, and each column such that its largest entry is in [1/2, 1). */
static void load_sides(least_norm *t)
{
    const plumb_view *b = t->call->b;
    for (int64_t j = 0; j < t->p; j++) {
        int32_t largest = INT32_MIN;
        for (int64_t k = 0; k < t->m; k++)
            for (int32_t part = 0; part < b->parts; part++) {
                const double limb = *entry(b, part * b->prec, k, j);
                int e = 0;
                frexp(limb, &e);
                if (limb != 0.0 && e - t->work.exponent[k] > largest)
                    largest = e - t->work.exponent[k];
            }
        t->shift[j] = largest != INT32_MIN ? largest : 0;
        for (int64_t k = 0; k < t->m; k++) {
            const power_of_two power = scale_power(-t->work.exponent[k] - t->shift[j]);
            for (int64_t c = 0; c < view_planes(b); c++) {
                const double value = scale_by(*entry(b, c, k, j), &power);
                t->b.data[c * t->b.plane + j * t->b.col + k] = value;
                t->z[c * t->z_plane + k * t->z_ld + j] = value;
            }
        }
    }
}

/* x in the right-hand sides of w. */
static void find(least_norm *t)
{
    const residual_kernels *kernels = t->machine->isa->prec[t->work.prec]->residual[t->work.parts];
    const mgs_job *job = &t->work.job;
    clear_sides(t, job->w, job->w_plane, job->rows);
    kernels->correct(job, t->z, t->z_plane, t->z_ld);
}

static plumb_info store(const least_norm *t)
{
    const mgs_job *job = &t->work.job;
    const plumb_view *x = t->call->x;
    plumb_info info = 0;
    for (int64_t j = 0; j < t->p; j++)
        for (int64_t i = 0; i < t->n; i++)
            if (!lsq_put_scaled(job->w + i * job->ld + job->cols + j, job->w_plane, x->data + j * x->col + i, x->plane,
                                view_planes(x), t->shift[j]))
                info = -PLUMB_ERR_RANGE;
    return info;
}

/* Norms of b - A x, which are those of rounding errors. */
static plumb_info store_residuals(least_norm *t)
{
    const plumb_view *a = t->call->a, *norms = t->call->residual;
    const mgs_job *job = &t->work.job;
    plumb_view scaled = t->adjoint; /* its memory */
    scaled.rows = t->m;
    scaled.cols = t->n;
    scaled.col = t->m;
    for (int64_t i = 0; i < t->m; i++)
        for (int64_t j = 0; j < t->n; j++)
            (void)lsq_put_scaled(entry(a, 0, i, j), a->plane, scaled.data + j * scaled.col + i, scaled.plane,
                                 view_planes(a), -t->work.exponent[i]);
    for (int64_t c = 0; c < view_planes(a); c++)
        for (int64_t j = 0; j < t->p; j++)
            for (int64_t i = 0; i < t->n; i++)
                t->x.data[c * t->x.plane + j * t->x.col + i] = job->w[c * job->w_plane + i * job->ld + job->cols + j];
    lsq_scaled_residual(t->machine, &scaled, &t->x, &t->b, &t->r);
    lsq_scaled_back(&t->r, t->work.exponent, t->shift);
    lsq_scaled_norms(t->machine, &t->r, norms);
    return lsq_scaled_store(norms, norms, NULL, t->shift);
}

static void fill_report(least_norm *t)
{
    const mgs_job *job = &t->work.job;
    plumb_lsq_report *report = t->call->report;
    const int32_t prec = t->work.prec;
    report->method = PLUMB_METHOD_MGS;
    report->factor_prec = prec;
    report->rank = t->m;
    report->condition = t->inverse.condition;
    report->digits = precision_digits(prec);
    for (int64_t j = 0; j < t->p; j++) {
        lsq_least least = {.exponent = t->work.exponent, .shift = t->shift[j], .prec = prec};
        for (int64_t i = 0; i < t->n; i++) {
            const double *x = job->w + i * job->ld + job->cols + j;
            lsq_least_entry(&least, x[0], t->work.parts == PLUMB_COMPLEX ? x[prec * job->w_plane] : 0.0);
        }
        report->digits = fmin(report->digits, lsq_claim_least(&t->inverse, &least));
    }
}

plumb_status lsq_least_norm(machine *m, const lsq_call *call, plumb_info *info)
{
    least_norm t;
    plumb_status status = create(m, call, &t);
    if (status == PLUMB_OK)
        status = factor(&t, info);
    if (status == PLUMB_OK && *info == 0) {
        load_sides(&t);
        find(&t);
        *info = store(&t);
    }
    if (status == PLUMB_OK && *info == 0 && call->report)
        fill_report(&t);
    if (status == PLUMB_OK && *info == 0 && call->report && call->options->orthogonality)
        call->report->orthogonality = lsq_loss_of_orthogonality(&t.work);
    if (status == PLUMB_OK && *info == 0 && call->residual)
        *info = store_residuals(&t);
    destroy(&t);
    return status;
}
