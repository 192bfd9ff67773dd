/* eliminate.h - the linear system of a tick, where it is square and has at most 32 unknowns: combined and solved by one warp, by Gaussian
 * elimination with partial pivoting.
 *
 * The matrix with its right-hand sides is in shared memory, row by row. A row belongs to the threads with the same number modulo that of the
 * rows, which share its entries: to four threads if there are up to 8 unknowns, to one if there are more than 16. Rows are not exchanged; a
 * thread knows the place that its row would have. The operations on numbers and their order are those of the processor
 * (method/track/ends_tmpl.h, eliminate_tmpl.h), and so are the bits.
 *
 * One warp waits most of the time: for the results of its last instruction, or for its next ones. So every thread of a row computes the entry
 * of the next pivot column, and the inverse of what might be the pivot, before it is known which one is; and a step is a small loop, which
 * stays in the nearest instruction cache, where the same steps with all columns in registers, one step after the other, would not. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_ELIMINATE_H
#define PLUMB_BACKEND_CUDA_TRACK_ELIMINATE_H

#include "backend/cuda/eval/number.h"
#include "backend/cuda/track/slot.h"

enum {
    ELIMINATE_SIDES = 3,
    ELIMINATE_INVERSE = 3,             /* 1 / u_kk is behind the right-hand sides */
    ELIMINATE_NUMBER = 2 * PLUMB_LIMBS /* doubles */
};

/* Where the parts of the system come from, and the share of the largest entry of a column up to which there is no pivot in it
 * (lsq_dependent). */
typedef struct eliminate_job {
    const track_settings *settings;
    track_path *path;
    TRACK(shares) of;
    track_c direction;            /* that of the row of the thread (track_direction) */
    track_view values, jacobians; /* of the stacked system */
    const double *sizes;
    double *scale;
    track_view x;
    double dependent;
    double *rows; /* shared memory, 16-byte aligned, for n rows of TRACK_ELIMINATE_ROW(n) numbers */
} eliminate_job;

/* The row of a thread, or n if it has none; the part of it that is the thread's; and what happens to the row: its place, and 1 once it has been
 * that of a pivot. */
typedef struct eliminator {
    int n, rows, row, part, parts, there, place, done, length;
    double *all, *own;
} eliminator;

GPU_FN int eliminate_parts(int n)
{
    return n <= 8 ? 4 : n <= 10 ? 3 : n <= 16 ? 2 : 1;
}
/* The row of the calling thread, which may be more than there are. */
GPU_FN int eliminate_own(int n)
{
    return gpu_thread() % GPU_WARP % (GPU_WARP / eliminate_parts(n));
}

GPU_FN void eliminate_put(double *to, cplx x)
{
    double v[ELIMINATE_NUMBER];
    cplx_store(v, 1, x, 1);
    put_doubles<ELIMINATE_NUMBER>(to, v);
}
GPU_FN cplx eliminate_get(const double *from)
{
    double v[ELIMINATE_NUMBER];
    get_doubles<ELIMINATE_NUMBER>(from, v);
    return cplx_load(v, 1, 1);
}
GPU_FN cplx eliminate_shuffle(cplx x, int from)
{
    double v[ELIMINATE_NUMBER];
    cplx_store(v, 1, x, 1);
    LANE_UNROLL
    for (int c = 0; c < ELIMINATE_NUMBER; c++)
        v[c] = gpu_shuffle(v[c], from);
    return cplx_load(v, 1, 1);
}
GPU_FN cplx eliminate_rest(cplx x, cplx factor, cplx by)
{
    return cplx_acc_value(cplx_acc_sub(cplx_acc_of(x), factor, by));
}
GPU_FN double *eliminate_row(const eliminator *e, int row)
{
    return e->all + row * e->length;
}

/* ---- The system ------------------------------------------------------------------------------------------------------- */

/* As TRACK(combine_jacobians): the entries of the thread. */
GPU_FN void eliminate_matrix(const eliminator *e, const eliminate_job *job, int i, double level)
{
    const TRACK(shares) *of = &job->of;
    GPU_ROLLED
    for (int column = e->part; column < e->n; column += e->parts) {
        const cplx g = TRACK(get)(job->jacobians, column, i, 1), f = TRACK(get)(job->jacobians, column, e->n + i, 1);
        const cplx entry = cplx_shift(cplx_fma(of->f, f, cplx_product(of->g, g)), level);
        if (e->there)
            eliminate_put(e->own + column * ELIMINATE_NUMBER, entry);
    }
}

/* As TRACK(combine_values): the right-hand sides, and the terms of the path. */
GPU_FN void eliminate_sides(const eliminator *e, const eliminate_job *job, int i, double over, double level)
{
    const TRACK(shares) *of = &job->of;
    const track_settings *s = job->settings;
    track_path *p = job->path;
    const int keeps = p->corrector.corrections == 0 && !track_is_at_end(p);
    const double unit = p->scale.unit, more = i == e->n - 1 ? 1.0 - unit : 0.0;
    cplx g = TRACK(get)(job->values, 0, i, 1), f = TRACK(get)(job->values, 0, e->n + i, 1);
    if (unit != 1.0) { /* the patch */
        g.re = real_add_d(g.re, more);
        f.re = s->moving ? f.re : real_add_d(f.re, more);
    }
    const cplx g_part = cplx_product(of->g, g), h = cplx_fma(of->f, f, g_part);
    cplx down = cplx_product(of->tau, f);
    down = s->moving ? cplx_neg(down) : cplx_sub(down, g_part);
    const track_c r = track_c_scale(job->direction, level * over);
    if (e->there && e->part == 0) {
        double *to = e->own + e->n * ELIMINATE_NUMBER;
        eliminate_put(to, cplx_shift(cplx_neg(h), level));
        eliminate_put(to + ELIMINATE_NUMBER, cplx_shift(down, level));
        eliminate_put(to + 2 * ELIMINATE_NUMBER, cplx_make(real_of(r.re), real_of(r.im)));
        if (keeps)
            job->scale[i] = over;
    }
    const double size = cplx_size(h), known = size == size ? size : (double)INFINITY;
    const double residual = gpu_max_double(size <= 0.0 ? 0.0 : known);
    const double backward = gpu_max_double(over > 0.0 && !(size <= 0.0) ? size / over : 0.0);
    const double inverse = gpu_max_double(over > 0.0 ? 1.0 / (over > TRACK_LOST ? over : TRACK_LOST) : 0.0),
                 largest = gpu_max_double(over > 0.0 ? over : 0.0);
    const int lost = gpu_any(!(over >= TRACK_LOST));
    gpu_sync_warp();
    if (gpu_thread() % GPU_WARP == 0) {
        p->terms.residual = residual;
        p->terms.backward = backward;
        p->terms.largest_inverse = inverse;
        p->terms.largest = largest;
        p->terms.lost = lost;
    }
}

GPU_FN void eliminate_load(const eliminator *e, const eliminate_job *job)
{
    const int i = e->row < e->n ? e->row : e->n - 1;
    const double over = TRACK(row_size)(job->settings, job->path, &job->of, job->sizes, job->scale, i),
                 level = track_level(job->settings, over);
    eliminate_matrix(e, job, i, level);
    eliminate_sides(e, job, i, over, level);
}

/* ---- Elimination ------------------------------------------------------------------------------------------------------ */

/* Step k; *w is the entry of the row in column k, and then in the next one. Returns 0, or 1 if there is no pivot. */
GPU_FN int eliminate_step(eliminator *e, int k, double dependent, cplx *w)
{
    const double size = fabs(real_head(w->re)) + fabs(real_head(w->im));
    /* Where an entry is no number, all comparisons of the processor are false: it is no pivot unless it was the first. */
    const double strange = e->place == k ? (double)INFINITY : 0.0, known = size == size ? size : strange;
    const double most = gpu_max_double(e->done ? 0.0 : known), all = gpu_max_double(known);
    const int may = (e->done == 0) & (known == most);
    const int first = gpu_max(may ? (GPU_WARP - e->place) * GPU_WARP + e->row : 0);
    const int best = GPU_WARP - first / GPU_WARP, from = first % GPU_WARP, is_pivot = e->row == from;
    const cplx own_inverse = cplx_inv(*w), zero = cplx_make(real_set(0.0), real_set(0.0));
    const double *pivot = eliminate_row(e, from);
    if (!(most > dependent * all && most < (double)INFINITY))
        return 1;
    e->place = is_pivot ? k : e->place == k ? best : e->place;
    e->done |= is_pivot;
    if (is_pivot && e->part == 0)
        eliminate_put(e->own + (e->n + ELIMINATE_INVERSE) * ELIMINATE_NUMBER, own_inverse);
    const cplx product = cplx_mul(*w, eliminate_shuffle(own_inverse, from)), factor = e->done ? zero : product;
    const int changes = e->there && !e->done, next = k + 1 < e->n ? k + 1 : k;
    const cplx rest_of_next = eliminate_rest(eliminate_get(e->own + next * ELIMINATE_NUMBER), factor,
                                             eliminate_get(pivot + next * ELIMINATE_NUMBER));
    *w = e->there ? rest_of_next : zero;
    gpu_sync_warp(); /* all threads of the row have read it */
#if PLUMB_LIMBS > 1
    GPU_ROLLED
#endif
    for (int column = k + 1 + e->part; column < e->n + ELIMINATE_SIDES; column += e->parts) {
        double *at = e->own + column * ELIMINATE_NUMBER;
        const cplx rest = eliminate_rest(eliminate_get(at), factor, eliminate_get(pivot + column * ELIMINATE_NUMBER));
        if (changes)
            eliminate_put(at, rest);
    }
    gpu_sync_warp();
    return 0;
}

/* Solves for the right-hand sides, from the last unknown on: a thread has the same unknown of some of them. */
GPU_FN void eliminate_back(const eliminator *e, track_view x)
{
    const int i = e->row, exists = e->there;
    double *order = e->all + e->n * e->length; /* the row of each place */
    if (exists && e->part == 0)
        order[e->place] = (double)i;
    gpu_sync_warp();
    const double *own = eliminate_row(e, exists ? (int)order[i] : 0);
    const cplx inverse = eliminate_get(own + (e->n + ELIMINATE_INVERSE) * ELIMINATE_NUMBER);
    GPU_ROLLED
    for (int first = 0; first < ELIMINATE_SIDES; first += e->parts) {
        const int side = first + e->part, has = exists && side < ELIMINATE_SIDES;
        cplx y = eliminate_get(own + (e->n + (has ? side : 0)) * ELIMINATE_NUMBER);
        cplx next = eliminate_get(own + (e->n - 1) * ELIMINATE_NUMBER);
        GPU_ROLLED
        for (int k = e->n - 1; k > 0; k--) {
            const cplx u = next;
            next = eliminate_get(own + (k - 1) * ELIMINATE_NUMBER);
            const cplx found = eliminate_shuffle(cplx_mul(y, inverse), k + (exists ? e->part : 0) * e->rows);
            const cplx rest = eliminate_rest(y, u, found);
            y = i < k ? rest : y;
        }
        if (has)
            cplx_store(x.p + side * x.col + i, x.plane, cplx_mul(y, inverse), 1);
    }
}

/* Combines the system of a tick and solves it, by a warp. Returns 0, or 1 if there is no pivot. */
GPU_FN int eliminate(const eliminate_job *job)
{
    eliminator e;
    int failed = 0;
    const int thread = gpu_thread() % GPU_WARP;
    e.n = (int)job->settings->unknowns;
    e.parts = eliminate_parts(e.n);
    e.rows = GPU_WARP / e.parts;
    e.row = e.place = thread % e.rows;
    e.part = thread / e.rows;
    e.there = e.row < e.n && e.part < e.parts; /* 32 is no multiple of three */
    e.done = !e.there;
    e.length = (int)TRACK_ELIMINATE_ROW(e.n) * ELIMINATE_NUMBER;
    e.all = job->rows;
    e.own = eliminate_row(&e, e.row < e.n ? e.row : 0);
    eliminate_load(&e, job);
    gpu_sync_warp();
    cplx w = eliminate_get(e.own);
    if (!e.there)
        w = cplx_make(real_set(0.0), real_set(0.0));
    GPU_ROLLED
    for (int k = 0; k < e.n && !failed; k++)
        failed = eliminate_step(&e, k, job->dependent, &w);
    if (!failed)
        eliminate_back(&e, job->x);
    gpu_sync_warp();
    return failed;
}

#endif
