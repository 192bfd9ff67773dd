/* group.c - loads, solves and stores a group of systems.
 *
 * A system that cannot be solved is replaced by zeros in its place of every lane: all its columns are dependent there, and the
 * other systems of the group are not affected. */
#include "backend/cpu/lsq/group.h"

#include <string.h>

#include "backend/cpu/lsq/work.h"
#include "base/array/view.h"
#include "base/memory/size.h"

enum { MOST_PLACES = 8 }; /* of a lane */

/* Numbers of doubles from the start of the memory, in the order of mgs_batch_job; then the exponents. */
typedef struct group_layout {
    int64_t w, c, s, inverse, least, exponent, end;
} group_layout;

static bool after(int64_t at, int64_t count, int64_t each, int64_t *next)
{
    int64_t size;
    return size_mul(count, each, &size) && size_add(size, 7, &size) && size_add(at, size / 8 * 8, next);
}

static bool lay_out(const lsq_batch *batch, group_layout *at)
{
    int64_t rows = batch->a->rows, cols = batch->a->cols, width = batch->kernel->width, all, entries, coefficients;
    int64_t real = batch->a->prec * width, number = batch->a->parts * real;
    at->w = 0;
    return size_add(cols, batch->b->cols, &all) && size_mul(rows, all, &entries) &&
           size_mul(cols, all, &coefficients) && after(at->w, entries, number, &at->c) &&
           after(at->c, coefficients, number, &at->s) && after(at->s, all, real, &at->inverse) &&
           after(at->inverse, cols, real, &at->least) && after(at->least, cols, width, &at->exponent) &&
           after(at->exponent, all, width, &at->end);
}

bool lsq_group_size(const lsq_batch *batch, int64_t *doubles)
{
    group_layout at;
    if (!lay_out(batch, &at))
        return false;
    *doubles = at.end;
    return true;
}

/* The place of one system in a group. */
typedef struct group_place {
    const lsq_batch *batch;
    const mgs_batch_job *job;
    int32_t *exponent; /* of column j: exponent[j*width] */
    int64_t system, place;
} group_place;

/* Finds the exponents that scale the columns of a view, which are columns first, first + 1, ... of the group, to a
 * largest entry in [1/2, 1). */
static plumb_info measure_columns(const group_place *p, const plumb_view *view, int64_t first)
{
    const int64_t width = p->batch->kernel->width;
    for (int64_t j = 0; j < view->cols; j++) {
        double largest =
            p->batch->largest(view->data + p->system * view->next + j * view->col, view->plane, view->rows);
        int exponent = 0;
        if (!(largest <= DBL_MAX))
            return -PLUMB_ERR_NONFINITE;
        if (largest > 0.0)
            frexp(largest, &exponent);
        p->exponent[(first + j) * width] = exponent;
    }
    return 0;
}

/* Loads the columns of a view into columns first, first + 1, ... of the group, scaled; a column of all systems before
 * the next, so that it is still in a cache when it is written. */
static void load_columns(const lsq_batch *batch, const mgs_batch_job *job, const plumb_view *view, int64_t first,
                         int64_t system, int64_t count, const int32_t *exponent)
{
    const int64_t width = batch->kernel->width, planes = view_planes(view), rows = view->rows;
    for (int64_t j = 0; j < view->cols; j++) {
        const double *from = view->data + system * view->next + j * view->col;
        double *w = job->w + (first + j) * rows * planes * width, factor[MOST_PLACES];
        power_of_two power[MOST_PLACES];
        bool normal = true;
        for (int64_t l = 0; l < count; l++) {
            const int32_t up = -exponent[(first + j) * width + l];
            power[l] = scale_power(up);
            factor[l] = power[l].factor[0];
            normal = normal && scale_is_normal(up);
        }
        for (int64_t c = 0; c < planes; c++, from += view->plane, w += width) {
            if (normal)
                batch->kernel->load(w, from, view->next, (int32_t)count, factor, rows);
            for (int64_t i = 0; i < rows && !normal; i++)
                for (int64_t l = 0; l < count; l++)
                    w[i * planes * width + l] = scale_by(from[l * view->next + i], &power[l]);
        }
    }
}

static void load_zeros(const group_place *p)
{
    const int64_t width = p->batch->kernel->width;
    const int64_t count = p->job->rows * p->job->all * view_planes(p->batch->a);
    for (int64_t e = 0; e < count; e++)
        p->job->w[e * width + p->place] = 0.0;
}

/* The first dependent column, from 1, or 0; a column with a NaN counts as dependent. */
static plumb_info dependent_column(const group_place *p)
{
    const int64_t width = p->batch->kernel->width;
    for (int64_t k = 0; k < p->job->cols; k++)
        if (!(p->job->s[k * p->batch->a->prec * width + p->place] > p->job->least[k * width + p->place]))
            return k + 1;
    return 0;
}

static plumb_info store(const group_place *p)
{
    const plumb_view *x = p->batch->x, *residual = p->batch->residual;
    const int64_t width = p->batch->kernel->width, planes = view_planes(x), cols = p->job->cols;
    plumb_info info = 0;
    for (int64_t j = 0; j < x->cols; j++) {
        int64_t r = cols + j;
        int32_t up = p->exponent[r * width];
        for (int64_t k = 0; k < cols; k++)
            if (!lsq_put_scaled(p->job->c + (r * cols + k) * planes * width + p->place, width,
                                x->data + p->system * x->next + j * x->col + k, x->plane, planes,
                                up - p->exponent[k * width]))
                info = -PLUMB_ERR_RANGE;
        if (residual && !lsq_put_scaled(p->job->s + r * x->prec * width + p->place, width,
                                        residual->data + p->system * residual->next + j * residual->col,
                                        residual->plane, x->prec, up))
            info = -PLUMB_ERR_RANGE;
    }
    return info;
}

void lsq_group_solve(const lsq_batch *batch, int64_t first, double *memory)
{
    group_layout at;
    if (!lay_out(batch, &at)) /* the caller has asked for the size */
        return;
    const plumb_view *a = batch->a;
    const int64_t width = batch->kernel->width, left = a->batch - first, count = left < width ? left : width;
    mgs_batch_job job = {.w = memory + at.w,
                         .c = memory + at.c,
                         .s = memory + at.s,
                         .inverse = memory + at.inverse,
                         .least = memory + at.least,
                         .share = batch->dependent,
                         .rows = a->rows,
                         .cols = a->cols,
                         .all = a->cols + batch->b->cols};
    int32_t *exponent = (int32_t *)(void *)(memory + at.exponent);
    group_place p = {.batch = batch, .job = &job};
    memset(exponent, 0, (size_t)(job.all * width) * sizeof *exponent);
    for (p.place = 0; p.place < count; p.place++) {
        p.system = first + p.place;
        p.exponent = exponent + p.place;
        batch->info[p.system] = measure_columns(&p, a, 0);
        if (!batch->info[p.system])
            batch->info[p.system] = measure_columns(&p, batch->b, a->cols);
    }
    load_columns(batch, &job, a, 0, first, count, exponent);
    load_columns(batch, &job, batch->b, a->cols, first, count, exponent);
    for (p.place = 0; p.place < width; p.place++)
        if (p.place >= count || batch->info[first + p.place])
            load_zeros(&p);
    batch->kernel->solve(&job);
    for (p.place = 0; p.place < count; p.place++) {
        p.system = first + p.place;
        p.exponent = exponent + p.place;
        plumb_info info = batch->info[p.system];
        if (!info)
            info = dependent_column(&p);
        if (!info)
            info = store(&p);
        if (info) {
            lsq_clear(batch->x, p.system);
            lsq_clear(batch->residual, p.system);
        }
        batch->info[p.system] = info;
    }
}
