/* refined.c - a factor in a lower precision, residuals in that of x.
 *
 * With A = Q R in the lower precision each step computes the residual f = b - r - A x (and g = -A^H r) in the higher precision, solves
 * for a correction in the lower one, and adds it in the higher one. A step reduces the error by a factor of about u_low times the
 * condition number, down to the rounding errors of the residual: there x is as accurate as from a factor in the higher precision. For
 * m > n the augmented system [I A; A^H 0] [r; x] = [b; 0] is refined, so that x and r both improve (Bjorck 1967); for m = n, r = 0.
 *
 * With fewer rows than columns the same system [I B; B^H 0] [r; y] = [0; b] with B = A^H has the solution of least norm as its r. Rows of A
 * are scaled then, unknowns are not.
 *
 * A step costs m n products in the higher precision, a factor m n^2. Corrections that do not shrink end the attempt: then the
 * next precision is tried, and in the end modified Gram-Schmidt in the precision of x. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/lsq.h"
#include "backend/cpu/lsq/mgs_wide.h"
#include "backend/cpu/lsq/scaled.h"
#include "backend/cpu/lsq/work.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "method/lsq/error.h"

enum { MOST_STEPS = 30 };

typedef struct refinement {
    machine *machine;
    bool least;      /* a solution of least norm */
    int64_t m, n, p; /* m >= n: of A, or of its conjugate transpose */
    int32_t high, parts;
    int32_t *a_exponent, *b_exponent;
    plumb_view a, adjoint, b;      /* scaled by columns (b: by rows, too); adjoint only for m > n */
    plumb_view x, r, f, g, dx, dr; /* r, g and dr only for m > n */
    /* One attempt: */
    lsq_work work; /* Q and R in the lower precision, f and dx as right-hand sides */
    double *z;     /* n x p, rows z_ld apart: g in the lower precision */
    int64_t z_plane, z_ld;
    lsq_inverse inverse;
    double last; /* the last correction relative to the solution */
    int32_t steps;
} refinement;

static plumb_status make(refinement *t, int64_t rows, int64_t cols, plumb_view *view)
{
    int64_t doubles = 0;
    void *memory = NULL;
    plumb_view made;
    plumb_status status = plumb_view_init(&made, NULL, PLUMB_HOST, t->high, t->parts, rows, cols, 1, &doubles);
    if (status != PLUMB_OK)
        return plumb_say(status, t->machine->message, t->machine->message_size,
                         "refinement of %lld x %lld does not fit in memory", (long long)t->m, (long long)t->n);
    if (doubles > 0)
        status = t->machine->ops->alloc(t->machine, (size_t)doubles * sizeof(double), &memory);
    made.data = memory;
    if (status == PLUMB_OK)
        *view = made;
    return status;
}

static plumb_status create(machine *m, const plumb_view *a, int64_t p, refinement *t)
{
    *t = (refinement){.machine = m,
                      .least = a->rows<a->cols, .m = a->rows> a->cols ? a->rows : a->cols,
                      .n = a->rows > a->cols ? a->cols : a->rows,
                      .p = p,
                      .high = a->prec,
                      .parts = a->parts};
    int64_t columns;
    if (!size_add(t->n, p, &columns) || columns > INT64_MAX / 8)
        return PLUMB_ERR_SIZE;
    t->a_exponent = calloc((size_t)columns, sizeof *t->a_exponent);
    if (!t->a_exponent)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    t->b_exponent = t->a_exponent + t->n;
    plumb_status status = make(t, t->m, t->n, &t->a);
    plumb_view *const tall[] = {&t->b, &t->f, &t->r, &t->dr}, *const wide[] = {&t->x, &t->dx, &t->g};
    int augmented = t->m > t->n;
    for (int i = 0; i < (augmented ? 4 : 2) && status == PLUMB_OK; i++)
        status = make(t, t->least && i == 0 ? t->n : t->m, p, tall[i]);
    for (int i = 0; i < (augmented ? 3 : 2) && status == PLUMB_OK; i++)
        status = make(t, t->n, p, wide[i]);
    if (status == PLUMB_OK && augmented)
        status = make(t, t->n, t->m, &t->adjoint);
    return status;
}

static void end_attempt(refinement *t)
{
    lsq_work_destroy(&t->work);
    lsq_inverse_free(&t->inverse);
    free(t->z);
    t->z = NULL;
}

static void destroy(refinement *t)
{
    plumb_view *const views[] = {&t->a, &t->adjoint, &t->b, &t->x, &t->r, &t->f, &t->g, &t->dx, &t->dr};
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        t->machine->ops->release(t->machine, views[i]->data);
    free(t->a_exponent);
    end_attempt(t);
}

/* The leading limbs of a view into rows of an array, entry (i, j) of plane c at to[c*plane + i*ld + j]. */
static void lower(const plumb_view *from, int32_t low, double *to, int64_t plane, int64_t ld)
{
    for (int32_t part = 0; part < from->parts; part++)
        for (int32_t c = 0; c < low; c++)
            for (int64_t j = 0; j < from->cols; j++) {
                const double *column = from->data + (part * from->prec + c) * from->plane + j * from->col;
                for (int64_t i = 0; i < from->rows; i++)
                    to[(part * low + c) * plane + i * ld + j] = column[i];
            }
}

/* The reverse; the other limbs of the view are zero and stay zero. */
static void raise(const double *from, int64_t plane, int64_t ld, int32_t low, const plumb_view *to)
{
    for (int32_t part = 0; part < to->parts; part++)
        for (int32_t c = 0; c < low; c++)
            for (int64_t j = 0; j < to->cols; j++) {
                double *column = to->data + (part * to->prec + c) * to->plane + j * to->col;
                for (int64_t i = 0; i < to->rows; i++)
                    column[i] = from[(part * low + c) * plane + i * ld + j];
            }
}

/* True if corrections take the steps of the tiles of a large square matrix: then Q and R are not needed. */
static bool by_tiles(const refinement *t)
{
    return t->work.wide && t->m == t->n;
}

/* Q, R and the inverse of R in the lower precision; *dependent when there is no such factor. */
static plumb_status factor(refinement *t, int32_t low, int *dependent)
{
    lsq_work *work = &t->work;
    plumb_status status = lsq_work_create(t->machine, low, t->parts, t->m, t->n, t->p, work);
    if (status != PLUMB_OK)
        return status;
    int64_t size;
    t->z_ld = t->p + MGS_OVERHANG;
    if (!size_mul(t->n, t->z_ld, &t->z_plane) || !size_mul(t->z_plane, (int64_t)low * t->parts, &size) ||
        size > INT64_MAX / 8)
        return PLUMB_ERR_SIZE;
    t->z = calloc((size_t)size, sizeof(double));
    if (!t->z)
        return plumb_say(PLUMB_ERR_MEMORY, t->machine->message, t->machine->message_size, "out of memory");
    work->no_columns = by_tiles(t);
    if (work->no_columns && low == PLUMB_D) { /* leading limbs stay where they are */
        work->job.source->a = (mgs_columns){t->a.data, t->high * t->a.plane, t->a.col};
        for (int64_t j = 0; j < t->n; j++)
            work->job.source->factor[j] = 1.0;
    } else {
        lower(&t->a, low, work->job.w, work->job.w_plane, work->job.ld);
    }
    const int64_t all = work->job.all;
    work->job.all = work->job.cols; /* right-hand sides come later */
    *dependent = lsq_work_factor(work, 0) != 0;
    work->job.all = all;
    if (*dependent)
        return PLUMB_OK;
    const lsq_triangle triangle = lsq_work_triangle(work);
    status = lsq_inverse_make(&triangle, &t->inverse);
    if (!by_tiles(t)) {
        work->kernels->triangle(&work->job);
        work->kernels->normalize(&work->job);
    }
    return status == PLUMB_OK ? status
                              : plumb_say(status, t->machine->message, t->machine->message_size, "out of memory");
}

/* The adjoint with its columns scaled, and b with its rows scaled as those of A, and columns such that their largest entry is in [1/2,
 * 1). */
static plumb_info load_least(refinement *t, const lsq_call *call)
{
    const plumb_view *b = call->b;
    lsq_scaled_adjoint(call->a, &t->a);
    const plumb_info info = lsq_scaled_load(t->machine, &t->a, &t->a, t->a_exponent);
    for (int64_t j = 0; j < t->p && info == 0; j++) {
        if (!(lsq_largest(b, b->data + j * b->col) <= DBL_MAX))
            return -PLUMB_ERR_NONFINITE;
        int32_t largest = INT32_MIN;
        for (int64_t k = 0; k < t->n; k++)
            for (int32_t part = 0; part < t->parts; part++) {
                const double limb = b->data[part * t->high * b->plane + j * b->col + k];
                int e = 0;
                frexp(limb, &e);
                if (limb != 0.0 && e - t->a_exponent[k] > largest)
                    largest = e - t->a_exponent[k];
            }
        t->b_exponent[j] = largest != INT32_MIN ? largest : 0;
        for (int64_t k = 0; k < t->n; k++) {
            const power_of_two power = scale_power(-t->a_exponent[k] - t->b_exponent[j]);
            for (int64_t c = 0; c < view_planes(b); c++)
                t->b.data[c * t->b.plane + j * t->b.col + k] = scale_by(b->data[c * b->plane + j * b->col + k], &power);
        }
    }
    return info;
}

/* f = b - r - A x, g = -A^H r; from x = 0 these are b and 0. For a solution of least norm b belongs to g. */
static plumb_status find_residuals(refinement *t, int first)
{
    plumb_status status = PLUMB_OK;
    if (first) {
        memcpy(t->least ? t->g.data : t->f.data, t->b.data, (size_t)t->b.next * sizeof(double));
        return PLUMB_OK;
    }
    lsq_scaled_residual(t->machine, &t->a, &t->x, t->least ? NULL : &t->b, &t->f);
    if (t->m > t->n) {
        status = lsq_scaled_map(t->machine, PLUMB_OP_SUB, &t->f, &t->r, &t->f);
        lsq_scaled_residual(t->machine, &t->adjoint, &t->r, t->least ? &t->b : NULL, &t->g);
    }
    return status;
}

static plumb_status add_correction(refinement *t)
{
    mgs_job *job = &t->work.job;
    int32_t low = t->work.prec;
    int augmented = t->m > t->n;
    lower(&t->f, low, job->w + job->cols, job->w_plane, job->ld);
    if (augmented)
        lower(&t->g, low, t->z, t->z_plane, t->z_ld);
    if (by_tiles(t)) {
        plumb_cpu_mgs_wide_along(t->work.wide, job, job);
        plumb_cpu_mgs_wide_back(t->work.wide, job, t->work.team, t->work.threads);
    } else {
        t->machine->isa->prec[low]->residual[t->parts]->correct(job, augmented ? t->z : NULL, t->z_plane, t->z_ld);
    }
    raise(job->c + job->cols, job->c_plane, job->ld, low, &t->dx);
    plumb_status status = lsq_scaled_map(t->machine, PLUMB_OP_ADD, &t->x, &t->dx, &t->x);
    if (augmented && status == PLUMB_OK) {
        raise(job->w + job->cols, job->w_plane, job->ld, low, &t->dr);
        status = lsq_scaled_map(t->machine, PLUMB_OP_ADD, &t->r, &t->dr, &t->r);
    }
    return status;
}

/* The maximum over the right-hand sides of the correction relative to the solution, both parts of it: each correction has an error that is
 * relative to the larger one; NaN after an overflow. */
static double relative_correction(const refinement *t)
{
    double worst = 0.0;
    for (int64_t j = 0; j < t->p; j++) {
        double dx = lsq_scaled_sum(&t->dx, j), x = lsq_scaled_sum(&t->x, j);
        double dr = t->m > t->n ? lsq_scaled_sum(&t->dr, j) : 0.0;
        double b = lsq_scaled_sum(t->least ? &t->r : &t->b, j);
        double size = (dx == 0.0 ? 0.0 : dx / x) + (dr == 0.0 ? 0.0 : dr / b);
        if (!(size <= worst))
            worst = size;
    }
    return worst;
}

static double norm2(const plumb_view *view, int64_t first, int64_t last)
{
    double sum = 0.0;
    for (int64_t j = first; j < last; j++)
        for (int32_t part = 0; part < view->parts; part++)
            for (int64_t i = 0; i < view->rows; i++) {
                double a = view->data[part * view->prec * view->plane + j * view->col + i];
                sum += a * a;
            }
    return sqrt(sum);
}

/* A generous bound of the error of the scaled solution: the effect of changing the data by a small multiple of u, with the square of
 * the condition number where there is a residual (Higham, Accuracy and Stability of Numerical Algorithms, 20.1). */
static double expected_error(const refinement *t, int64_t j)
{
    const double condition = t->inverse.condition;
    double norm = norm2(&t->a, 0, t->n), growth = lsq_growth(t->m, t->n, t->high);
    if (t->least)
        return 2.0 * growth * precision_unit(t->high) * condition * norm2(&t->r, j, j + 1);
    double left = t->m > t->n ? condition / norm * norm2(&t->r, j, j + 1) : 0.0;
    return growth * precision_unit(t->high) * condition * (norm2(&t->x, j, j + 1) + left);
}

/* The largest correction that rounding alone can explain. */
static double stall_limit(const refinement *t)
{
    double limit = 0.0;
    for (int64_t j = 0; j < t->p; j++) {
        double size = norm2(t->least ? &t->r : &t->x, j, j + 1);
        if (size > 0.0)
            limit = fmax(limit, expected_error(t, j) / size);
    }
    return limit;
}

/* Iterates until the next correction would be below the unit roundoff, or until rounding prevents smaller corrections. A correction
 * has at most the digits of the factor: that it is much smaller than the one before may be luck, and says nothing about its own
 * error. */
static plumb_status iterate(refinement *t, int *converged)
{
    const double unit = precision_unit(t->high), unit_low = precision_unit(t->work.prec);
    double before = 1.0;
    *converged = 0;
    lsq_clear(&t->x, 0);
    lsq_clear(&t->dx, 0);
    if (t->m > t->n) {
        lsq_clear(&t->r, 0);
        lsq_clear(&t->dr, 0);
        lsq_clear(t->least ? &t->f : &t->g, 0);
    }
    for (t->steps = 0; t->steps <= MOST_STEPS; t->steps++) {
        plumb_status status = find_residuals(t, t->steps == 0);
        if (status == PLUMB_OK)
            status = add_correction(t);
        if (status != PLUMB_OK)
            return status;
        double now = relative_correction(t), rate = now / before;
        t->last = now;
        if (!isfinite(now))
            return PLUMB_OK;
        if (now <= unit || (t->steps > 0 && rate <= 0.5 && now * rate <= 0.25 * unit && now * unit_low <= unit)) {
            *converged = 1;
            return PLUMB_OK;
        }
        if (t->steps > 0 && rate > 0.5) {
            *converged = now <= fmin(stall_limit(t), 1e-3);
            return PLUMB_OK;
        }
        if (t->steps > 0)
            before = now;
    }
    return PLUMB_OK;
}

/* The maximum condition number for which a factor is worthwhile. With d for qd, more than about eight steps cost more
 * than a factor in dd. */
static double most_condition(int32_t low, int32_t high)
{
    if (low == PLUMB_D)
        return high == PLUMB_QD ? 1e9 : 1e13;
    return 1e28;
}

static plumb_status attempt(refinement *t, int32_t low, int insist, int *converged)
{
    int dependent = 0;
    *converged = 0;
    plumb_status status = factor(t, low, &dependent);
    /* With a factor that is noise the corrections may decrease, but nothing could be said about the result. */
    if (status == PLUMB_OK && !dependent && !lsq_is_noise(&t->inverse, low) &&
        (insist || t->inverse.condition <= most_condition(low, t->high)))
        status = iterate(t, converged);
    return status;
}

static plumb_status claim(refinement *t, const lsq_data *data, int64_t j, double *digits)
{
    for (int64_t k = 0; k < t->n; k++) {
        const double *x = t->x.data + j * t->x.col + k;
        t->inverse.modulus[k] = t->parts == PLUMB_REAL ? fabs(x[0]) : plumb_modulus(x[0], x[t->high * t->x.plane]);
    }
    const lsq_answer answer = {.modulus = t->inverse.modulus,
                               .exponent = t->a_exponent,
                               .residual = t->m > t->n ? norm2(&t->r, j, j + 1) : 0.0,
                               .shift = t->b_exponent[j],
                               .prec = t->high,
                               .factor_prec = t->work.prec,
                               .correction = t->last};
    return lsq_claim_checked(&t->inverse, &answer, data, j, digits);
}

static double claim_least(const refinement *t, int64_t j)
{
    lsq_least least = {.exponent = t->a_exponent,
                       .shift = t->b_exponent[j],
                       .prec = t->high,
                       .factor_prec = t->work.prec,
                       .correction = t->last};
    for (int64_t i = 0; i < t->m; i++) {
        const double *x = t->r.data + j * t->r.col + i;
        lsq_least_entry(&least, x[0], t->parts == PLUMB_COMPLEX ? x[t->high * t->r.plane] : 0.0);
    }
    return lsq_claim_least(&t->inverse, &least);
}

static plumb_status fill_report(refinement *t, const lsq_call *call)
{
    plumb_lsq_report *report = call->report;
    const lsq_data data = {call->a, call->b, call->x, NULL};
    plumb_status status = PLUMB_OK;
    report->method = PLUMB_METHOD_REFINED;
    report->factor_prec = t->work.prec;
    report->steps = t->steps;
    report->rank = t->n;
    report->condition = t->inverse.condition;
    report->digits = precision_digits(t->high);
    for (int64_t j = 0; j < t->p && status == PLUMB_OK; j++) {
        double digits = t->least ? claim_least(t, j) : 0.0;
        if (!t->least)
            status = claim(t, call->options->rounded ? NULL : &data, j, &digits);
        report->digits = fmin(report->digits, digits);
    }
    return status == PLUMB_OK ? status
                              : plumb_say(status, t->machine->message, t->machine->message_size, "out of memory");
}

/* x, and norms of b - A x, which are those of rounding errors. */
static plumb_info give_least(refinement *t, const plumb_view *x, const plumb_view *residual)
{
    const plumb_info info = lsq_scaled_store(&t->r, x, NULL, t->b_exponent);
    if (!residual || info != 0)
        return info;
    lsq_scaled_residual(t->machine, &t->adjoint, &t->r, &t->b, &t->g);
    lsq_scaled_back(&t->g, t->a_exponent, t->b_exponent);
    lsq_scaled_norms(t->machine, &t->g, residual);
    return lsq_scaled_store(residual, residual, NULL, t->b_exponent);
}

static plumb_info give_result(refinement *t, const plumb_view *x, const plumb_view *residual)
{
    if (t->least)
        return give_least(t, x, residual);
    plumb_info info = lsq_scaled_store(&t->x, x, t->a_exponent, t->b_exponent);
    if (!residual || info != 0)
        return info;
    if (t->m == t->n)
        lsq_scaled_residual(t->machine, &t->a, &t->x, &t->b, &t->f);
    lsq_scaled_norms(t->machine, t->m > t->n ? &t->r : &t->f, residual);
    return lsq_scaled_store(residual, residual, NULL, t->b_exponent);
}

static plumb_status fall_back(machine *m, const lsq_call *call, plumb_info *info, const char *why)
{
    plumb_status status = call->a->rows < call->a->cols ? lsq_least_norm(m, call, info) : lsq_mgs(m, call, info);
    if (status == PLUMB_OK && call->report)
        snprintf(call->report->note, sizeof call->report->note, "modified Gram-Schmidt in %s: %s",
                 plumb_prec_name(call->a->prec), why);
    return status;
}

plumb_status lsq_refined(machine *m, const lsq_call *call, plumb_info *info)
{
    refinement t;
    int converged = 0;
    const int32_t asked = call->options->factor_prec, first = asked ? asked : PLUMB_D;
    const int32_t last = asked ? asked : precision_below(call->a->prec);
    if (first >= call->a->prec)
        return fall_back(m, call, info, "there is no lower precision to factor in");
    plumb_status status = create(m, call->a, call->b->cols, &t);
    *info = 0;
    if (status == PLUMB_OK)
        *info = t.least ? load_least(&t, call) : lsq_scaled_load(m, call->a, &t.a, t.a_exponent);
    if (status == PLUMB_OK && *info == 0 && !t.least)
        *info = lsq_scaled_load(m, call->b, &t.b, t.b_exponent);
    if (status == PLUMB_OK && *info == 0 && t.m > t.n)
        lsq_scaled_adjoint(&t.a, &t.adjoint);
    const bool loaded = *info == 0;
    EACH_PRECISION (low, first, last) {
        if (status != PLUMB_OK || !loaded || converged)
            break;
        end_attempt(&t);
        status = attempt(&t, low, asked != 0, &converged);
    }
    if (status == PLUMB_OK && converged && t.least && call->report) /* exponents change below */
        status = fill_report(&t, call);
    if (status == PLUMB_OK && converged)
        *info = give_result(&t, call->x, call->residual);
    if (status == PLUMB_OK && converged && *info == 0 && !t.least && call->report)
        status = fill_report(&t, call);
    destroy(&t);
    if (status != PLUMB_OK || !loaded || converged)
        return status;
    return fall_back(m, call, info, "refinement does not converge at this condition");
}
