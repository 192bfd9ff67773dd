/* work.c - see work.h. */
#include "backend/cpu/lsq/work.h"

#include <stdlib.h>
#include <string.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/mgs.h"
#include "backend/cpu/lsq/mgs_wide.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/memory/size.h"
#include "method/lsq/error.h"

/* ---- Memory ------------------------------------------------------------------------------------------------------------- */

/* Where the arrays lie, in doubles from the beginning. */
typedef struct work_layout {
    int64_t w, c, s, least, order, exponent, tiles, inverse, applied, finished, products, end, all, ld, w_plane,
        c_plane;
    bool tiled;
} work_layout;

/* count * each doubles from *at on, rounded up so that the next array begins on a cache line. */
static bool after(int64_t at, int64_t count, int64_t each, int64_t *next)
{
    int64_t size;
    return size_mul(count, each, &size) && size_add(size, 7, &size) && size_add(at, size / 8 * 8, next);
}

/* With tiles there are powers of two behind the exponents, and a source behind these. */
enum { SOURCE_DOUBLES = (sizeof(mgs_source) + sizeof(double) - 1) / sizeof(double) };

static bool lay_out(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, work_layout *at)
{
    const int64_t planes = (int64_t)prec * parts;
    at->w = 0;
    if (!size_add(cols, rhs, &at->all))
        return false;
    at->tiled = mgs_is_tiled(prec, rows, cols, at->all);
    const bool wide = mgs_is_wide(rows, cols), blocks = wide || mgs_is_blocked(prec, rows, cols);
    if (!size_add(at->all, MGS_OVERHANG + (blocks ? 15 : 0), &at->ld))
        return false;
    if (blocks) /* an odd number of cache lines, so that lanes do not cross lines and rows lie in different sets of a cache */
        at->ld = (at->ld / 8 - 1) / 2 * 16 + 8;
    return size_mul(rows, at->ld, &at->w_plane) && size_mul(cols + 1, at->ld, &at->c_plane) &&
           size_add(at->w_plane, MGS_OVERHANG, &at->w_plane) && size_add(at->c_plane, MGS_OVERHANG, &at->c_plane) &&
           after(at->w, at->w_plane, planes, &at->c) && after(at->c, at->c_plane, planes, &at->s) &&
           after(at->s, cols + MGS_OVERHANG, prec, &at->least) && after(at->least, cols, 1, &at->order) &&
           after(at->order, cols, 1, &at->exponent) &&
           after(at->exponent, at->all + (at->tiled ? SOURCE_DOUBLES : 0), at->tiled ? 2 : 1, &at->tiles) &&
           after(at->tiles, at->tiled ? at->w_plane : 0, planes, &at->inverse) &&
           after(at->inverse, cols, prec, &at->applied) && after(at->applied, at->all, 1, &at->finished) &&
           after(at->finished, at->tiled && !wide ? at->w_plane : 0, planes * mgs_copies(prec), &at->products) &&
           after(at->products, blocks ? cols * MGS_BLOCK * mgs_wide_blocks(prec) : 0, planes, &at->end) &&
           at->end < INT64_MAX / 8;
}

bool lsq_work_size(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t *doubles)
{
    work_layout at;
    const bool fits = lay_out(prec, parts, rows, cols, rhs, &at);
    *doubles = fits ? at.end : 0;
    return fits;
}

static void place(const machine *m, int32_t prec, int32_t parts, int64_t rows, int64_t cols, const work_layout *at,
                  double *memory, lsq_work *work)
{
    *work = (lsq_work){.prec = prec,
                       .parts = parts,
                       .threads = m->threads,
                       .team = m->team,
                       .kernels = m->isa->prec[prec]->mgs[parts],
                       .wide = mgs_is_wide(rows, cols) ? m->isa->prec[prec]->mgs_wide[parts] : NULL,
                       .dependent = (double)rows * precision_unit(prec)};
    if (!memory)
        return;
    work->job = (mgs_job){.w = memory + at->w,
                          .c = memory + at->c,
                          .s = memory + at->s,
                          .tiles = at->tiled ? memory + at->tiles : NULL,
                          .finished = memory + at->finished,
                          .products = memory + at->products,
                          .inverse = memory + at->inverse,
                          .applied = (int64_t *)(void *)(memory + at->applied),
                          .w_plane = at->w_plane,
                          .c_plane = at->c_plane,
                          .s_plane = cols + MGS_OVERHANG,
                          .ld = at->ld,
                          .rank = cols,
                          .rows = rows,
                          .cols = cols,
                          .all = at->all};
    work->least = memory + at->least;
    work->order = (int64_t *)(void *)(memory + at->order);
    work->exponent = (int32_t *)(void *)(memory + at->exponent);
    if (at->tiled) {
        double *factor = memory + at->exponent + at->all;
        work->job.source = (mgs_source *)(void *)(factor + at->all);
        *work->job.source = (mgs_source){.factor = factor, .least = work->least};
    }
    for (int64_t k = 0; k < cols; k++)
        work->order[k] = k;
}

void lsq_work_place(const machine *m, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs,
                    double *memory, lsq_work *work)
{
    work_layout at;
    const bool fits = lay_out(prec, parts, rows, cols, rhs, &at); /* the caller has asked for the size */
    place(m, prec, parts, rows, cols, &at, fits ? memory : NULL, work);
}

/* What a lane reads behind the last column of every row of a plane. */
static void clear_padding(double *plane, int64_t rows, const work_layout *at, int32_t width)
{
    for (int64_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < width; j++)
            plane[i * at->ld + at->all + j] = 0.0;
}

plumb_status lsq_work_create(const machine *m, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs,
                             lsq_work *work)
{
    work_layout at;
    *work = (lsq_work){0};
    if (!lay_out(prec, parts, rows, cols, rhs, &at))
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size,
                         "a work array for %lld x %lld does not fit in memory", (long long)rows, (long long)cols);
    double *memory = aligned_alloc(64, (size_t)at.end * sizeof(double));
    if (!memory)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "no memory for a work array of %lld bytes",
                         (long long)at.end * 8);
    plumb_memory_large(memory + at.c,
                       (size_t)(at.end - at.c) * sizeof(double)); /* w is hardly used if there are tiles */
    /* Tiles and what follows are written before they are read, and so is a large matrix but for the padding behind its
     * columns. */
    const int64_t zeros = at.tiled ? at.s : 0;
    memset(memory + zeros, 0, (size_t)(at.tiles - zeros) * sizeof(double));
    place(m, prec, parts, rows, cols, &at, memory, work);
    for (int32_t c = 0; zeros > 0 && c < prec * parts; c++) {
        clear_padding(memory + at.w + c * at.w_plane, rows, &at, work->kernels->width);
        clear_padding(memory + at.c + c * at.c_plane, cols + 1, &at, work->kernels->width);
    }
    work->memory = memory;
    return PLUMB_OK;
}

void lsq_work_destroy(lsq_work *work)
{
    free(work->memory);
    work->memory = NULL;
}

/* ---- In ----------------------------------------------------------------------------------------------------------------- */

/* Moduli of doubles are in the order of their bits. */
double lsq_largest(const plumb_view *view, const double *column)
{
    uint64_t largest = 0;
    double modulus;
    for (int64_t c = 0; c < view_planes(view); c++)
#pragma omp simd reduction(max : largest)
        for (int64_t i = 0; i < view->rows; i++) {
            uint64_t bits;
            memcpy(&bits, &column[c * view->plane + i], sizeof bits);
            bits &= UINT64_MAX >> 1;
            largest = bits > largest ? bits : largest;
        }
    memcpy(&modulus, &largest, sizeof modulus);
    return modulus;
}

/* Columns are copied a few at a time, because every row of the work array is a cache line of its own. */
enum { LOAD_COLUMNS = 8 };

#ifdef __clang__
#define UNROLL_COLUMNS _Pragma("unroll")
#else
#define UNROLL_COLUMNS _Pragma("GCC unroll 8")
#endif

/* Copies LOAD_COLUMNS columns that are col apart into rows that are ld apart, each column times its factor. */
static void copy_columns(double *restrict to, int64_t ld, const double *restrict from, int64_t col,
                         const double *restrict factor, int64_t rows)
{
    for (int64_t i = 0; i < rows; i++)
        UNROLL_COLUMNS
    for (int64_t l = 0; l < LOAD_COLUMNS; l++)
        to[i * ld + l] = from[l * col + i] * factor[l];
}

/* The same for fewer columns. */
static void copy_last_columns(double *restrict to, int64_t ld, const double *restrict from, int64_t col,
                              const double *restrict factor, int64_t rows, int64_t count)
{
    for (int64_t i = 0; i < rows; i++)
#pragma omp simd
        for (int64_t l = 0; l < count; l++)
            to[i * ld + l] = from[l * col + i] * factor[l];
}

/* Columns whose powers of two are looked for; ready: every power is one factor, and all entries are finite. */
typedef struct column_share {
    lsq_work *work;
    const plumb_view *view;
    const double *data;
    int64_t first;
    bool ready;
} column_share;

static void scale_columns(void *shared, team *t, int32_t index, int32_t threads)
{
    column_share *s = shared;
    int64_t end, j = team_share(s->view->cols, index, threads, &end);
    (void)t;
    for (; j < end; j++) {
        const double largest = s->work->kernels->largest(s->data + j * s->view->col, s->view->plane, s->view->rows);
        int exponent = 0;
        if (largest > 0.0 && largest <= DBL_MAX)
            frexp(largest, &exponent);
        if (!(largest <= DBL_MAX) || !scale_is_normal(-exponent)) {
            __atomic_store_n(&s->ready, false, __ATOMIC_RELAXED);
            return;
        }
        s->work->exponent[s->first + j] = exponent;
        s->work->job.source->factor[s->first + j] = scale_normal_power(-exponent);
    }
}

/* Finds the powers of two for the columns of a matrix, and leaves the matrix where it is. False: a power takes more
 * than one factor, or an entry is not finite. */
__attribute__((noinline)) static bool leave_columns(lsq_work *work, const plumb_view *view, int64_t batch,
                                                    int64_t first)
{
    column_share share = {work, view, view->data + batch * view->next, first, true};
    mgs_source *source = work->job.source;
    mgs_columns *columns = first == 0 ? &source->a : &source->b;
    columns->data = NULL;
    team_run(work->team, work->wide && view->cols > 1 ? work->threads : 1, scale_columns, &share);
    if (share.ready)
        *columns = (mgs_columns){share.data, view->plane, view->col};
    return share.ready;
}

/* Copies the columns of A that were left where they are. */
static void fetch_columns(lsq_work *work)
{
    const mgs_job *job = &work->job;
    mgs_columns *a = &job->source->a;
    for (int32_t c = 0; c < work->prec * work->parts; c++)
        for (int64_t i = 0; i < job->rows; i++)
            for (int64_t j = 0; j < job->cols; j++)
                job->w[c * job->w_plane + i * job->ld + j] =
                    a->data[c * a->plane + j * a->col + i] * job->source->factor[j];
    a->data = NULL;
}

plumb_info lsq_work_load(lsq_work *work, const plumb_view *view, int64_t batch, int64_t first)
{
    const mgs_job *job = &work->job;
    /* In dd and qd a tile may hold columns of A and right-hand sides: both stay where they are, or none. */
    const bool with_a = work->prec > PLUMB_D && first > 0;
    if (job->source && (!with_a || job->source->a.data)) {
        if (leave_columns(work, view, batch, first))
            return 0;
        if (with_a)
            fetch_columns(work);
    }
    for (int64_t j = 0; j < view->cols; j += LOAD_COLUMNS) {
        const int64_t left = view->cols - j, count = left < LOAD_COLUMNS ? left : LOAD_COLUMNS;
        const double *from = view->data + batch * view->next + j * view->col;
        power_of_two power[LOAD_COLUMNS];
        double factor[LOAD_COLUMNS];
        bool normal = true;
        for (int64_t l = 0; l < count; l++) {
            const double largest = lsq_largest(view, from + l * view->col);
            int exponent = 0;
            if (!(largest <= DBL_MAX))
                return -PLUMB_ERR_NONFINITE;
            if (largest > 0.0)
                frexp(largest, &exponent);
            work->exponent[first + j + l] = exponent;
            power[l] = scale_power(-exponent);
            factor[l] = power[l].factor[0];
            normal = normal && scale_is_normal(-exponent);
        }
        for (int32_t c = 0; c < work->prec * work->parts; c++) {
            double *w = job->w + c * job->w_plane + first + j;
            if (normal && count == LOAD_COLUMNS)
                copy_columns(w, job->ld, from, view->col, factor, job->rows);
            else if (normal)
                copy_last_columns(w, job->ld, from, view->col, factor, job->rows, count);
            for (int64_t i = 0; i < job->rows && !normal; i++)
                for (int64_t l = 0; l < count; l++)
                    w[i * job->ld + l] = scale_by(from[l * view->col + i], &power[l]);
            from += view->plane;
        }
    }
    return 0;
}

/* ---- Factoring ------------------------------------------------------------------------------------------------------------ */

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

/* The squares of the norms below which columns are dependent, from the leading limbs: more digits would change nothing. */
static void set_limits(lsq_work *work)
{
    const mgs_job *job = &work->job;
    const double share = work->dependent * work->dependent;
    for (int64_t k = 0; k < job->cols; k++)
        work->least[k] = 0.0;
    for (int32_t part = 0; part < work->parts; part++)
        for (int64_t i = 0; i < job->rows; i++) {
            const double *w = job->w + part * work->prec * job->w_plane + i * job->ld;
            double *least = work->least;
#pragma omp simd
            for (int64_t k = 0; k < job->cols; k++)
                least[k] += w[k] * w[k];
        }
    for (int64_t k = 0; k < job->cols; k++)
        work->least[k] *= share;
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
        if (plumb_cpu_mgs_step(work->kernels, job, k, work->least, work->team, work->threads)) {
            job->rank = k;
            break;
        }
    }
    return 0;
}

plumb_info lsq_work_factor(lsq_work *work, int pivot)
{
    mgs_source *source = work->job.source;
    if (source)
        source->share = work->dependent * work->dependent;
    if (!source || !source->a.data)
        set_limits(work);
    if (pivot)
        return factor_pivoted(work);
    work->blocked = work->wide || mgs_is_blocked(work->prec, work->job.rows, work->job.cols);
    const plumb_info info = work->wide ? plumb_cpu_mgs_wide_factor(work->wide, &work->job, work->least, work->team,
                                                                   work->threads, !work->no_columns)
                                       : plumb_cpu_mgs_factor(work->kernels, &work->job, work->least, work->team,
                                                              work->threads, !work->no_columns);
    if (source) /* what comes later finds everything in job.w */
        source->a.data = source->b.data = NULL;
    return info;
}

plumb_status lsq_work_repeat(const machine *m, lsq_work *work)
{
    lsq_work again;
    mgs_job *job = &work->job;
    plumb_status status =
        lsq_work_create(m, work->prec, work->parts, job->rows, job->cols, job->all - job->cols, &again);
    if (status != PLUMB_OK)
        return status;
    /* The same columns, other coefficients; with limits of zero nothing can become dependent that was not. */
    mgs_job second = *job;
    second.c = again.job.c;
    if (work->wide)
        (void)plumb_cpu_mgs_wide_factor(work->wide, &second, again.least, work->team, work->threads, true);
    else
        (void)plumb_cpu_mgs_factor(work->kernels, &second, again.least, work->team, work->threads, true);
    work->kernels->compose(job, &second);
    lsq_work_destroy(&again);
    return PLUMB_OK;
}

/* ---- Out ---------------------------------------------------------------------------------------------------------------- */

void lsq_clear(const plumb_view *view, int64_t batch)
{
    for (int64_t c = 0; view && c < view_planes(view); c++)
        for (int64_t j = 0; j < view->cols; j++)
            memset(view->data + batch * view->next + c * view->plane + j * view->col, 0,
                   (size_t)view->rows * sizeof(double));
}

void lsq_work_norms(lsq_work *work)
{
    const mgs_job *job = &work->job;
    work->kernels->squares(job, job->cols, job->all);
    work->kernels->residuals(job);
}

plumb_info lsq_work_solve(lsq_work *work, const plumb_view *x, const plumb_view *residual, int64_t batch)
{
    const mgs_job *job = &work->job;
    const int32_t planes = work->prec * work->parts;
    plumb_info info = 0;
    if (work->wide)
        plumb_cpu_mgs_wide_back(work->wide, job, work->team, work->threads);
    else
        work->kernels->back(job);
    if (job->rank < job->cols)
        lsq_clear(x, batch);
    for (int64_t r = job->cols; r < job->all; r++) {
        const int64_t column = r - job->cols;
        for (int64_t k = 0; k < job->rank; k++) {
            double *to = x->data + batch * x->next + column * x->col + work->order[k];
            if (!lsq_put_scaled(job->c + k * job->ld + r, job->c_plane, to, x->plane, planes,
                                work->exponent[r] - work->exponent[k]))
                info = -PLUMB_ERR_RANGE;
        }
        if (residual && !lsq_put_scaled(job->c + job->cols * job->ld + r, job->c_plane,
                                        residual->data + batch * residual->next + column * residual->col,
                                        residual->plane, work->prec, work->exponent[r]))
            info = -PLUMB_ERR_RANGE;
    }
    return info;
}

plumb_info lsq_work_store(lsq_work *work, const plumb_view *q, const plumb_view *r)
{
    plumb_info info = 0;
    const mgs_job *job = &work->job;
    int32_t planes = work->prec * work->parts;
    work->kernels->triangle(job);
    lsq_clear(r, 0);
    for (int64_t j = 0; r && j < job->cols; j++)
        for (int64_t k = 0; k <= j && k < job->rank; k++)
            if (!lsq_put_scaled(job->c + k * job->ld + j, job->c_plane, r->data + j * r->col + k, r->plane, planes,
                                work->exponent[j]))
                info = -PLUMB_ERR_RANGE;
    if (!q)
        return info;
    work->kernels->normalize(job);
    lsq_clear(q, 0);
    for (int64_t k = 0; k < job->rank; k++)
        for (int64_t i = 0; i < job->rows; i++)
            for (int32_t c = 0; c < planes; c++)
                q->data[c * q->plane + k * q->col + i] = job->w[c * job->w_plane + i * job->ld + k];
    return info;
}

lsq_triangle lsq_work_triangle(const lsq_work *work)
{
    const mgs_job *job = &work->job;
    return (lsq_triangle){.re = job->c,
                          .im = work->parts == PLUMB_COMPLEX ? job->c + work->prec * job->c_plane : NULL,
                          .square = job->s,
                          .norm = job->c + job->cols * job->ld,
                          .exponent = work->exponent,
                          .ld = job->ld,
                          .rows = job->rows,
                          .cols = job->cols,
                          .rank = job->rank,
                          .all = job->all,
                          .prec = work->prec,
                          .threads = work->threads,
                          .team = work->team};
}
