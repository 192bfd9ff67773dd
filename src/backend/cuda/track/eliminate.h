/* eliminate.h - the linear system of a tick, where it is square and small: combined and solved by one warp, by Gaussian elimination with partial
 * pivoting.
 *
 * A row of the matrix and of the right-hand sides belongs to a pair of threads, a half warp apart, in registers: one has the columns with even
 * numbers, the other those with odd ones. Rows are not exchanged; a thread knows the place that its row would have. The row of a pivot goes
 * through shared memory to all others and stays there as a row of U. The operations on numbers and their order are those of the processor
 * (method/track/ends_tmpl.h, eliminate_tmpl.h), and so are the bits.
 *
 * The columns move up by one register in every second step, so that the code is a loop over steps, not one step after the other: it has to stay
 * in the instruction caches. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_ELIMINATE_H
#define PLUMB_BACKEND_CUDA_TRACK_ELIMINATE_H

#include "backend/cuda/eval/number.h"
#include "backend/cuda/track/slot.h"

/* Right-hand sides 0 and 2 are those of the even half, 1 that of the odd one. */
enum {
    ELIMINATE_ROWS = TRACK_ELIMINATED,
    ELIMINATE_COLUMNS = ELIMINATE_ROWS / 2, /* per thread */
    ELIMINATE_SIDES = 2,
    ELIMINATE_INVERSE = 3, /* 1 / u_kk is behind the right-hand sides */
    ELIMINATE_ALL = ELIMINATE_COLUMNS + ELIMINATE_SIDES,
    ELIMINATE_NUMBER = 2 * PLUMB_LIMBS /* doubles */
};

/* What a thread has: its row and half, the place of the row, 1 where it has been that of a pivot, and the entries. */
typedef struct eliminator {
    int n, row, half, place, done;
    double *rows; /* in shared memory: row k of U, of n numbers, its right-hand sides and the inverse of the pivot */
    cplx a[ELIMINATE_ALL];
} eliminator;

GPU_FN double *eliminate_row(const eliminator *e, int k)
{
    return e->rows + k * (int)TRACK_ELIMINATE_ROW(e->n) * ELIMINATE_NUMBER;
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

/* The thread whose row has the pivot of step k shows its part of the row. */
template <int ODD> GPU_FN void eliminate_put_row(const eliminator *e, int k, double *row)
{
    LANE_UNROLL
    for (int s = 0; s < ELIMINATE_COLUMNS; s++) {
        const int column = k - ODD + 2 * s + e->half;
        if (column < e->n)
            eliminate_put(row + column * ELIMINATE_NUMBER, e->a[s]);
    }
    LANE_UNROLL
    for (int s = 0; s < ELIMINATE_SIDES; s++)
        if (2 * s + e->half < 3)
            eliminate_put(row + (e->n + 2 * s + e->half) * ELIMINATE_NUMBER, e->a[ELIMINATE_COLUMNS + s]);
}

/* ---- The system ------------------------------------------------------------------------------------------------------- */

/* Where its parts come from, and the share of the largest entry of a column up to which there is no pivot in it (lsq_dependent). */
typedef struct eliminate_job {
    const track_settings *settings;
    track_path *path;
    track_view values, jacobians; /* of the stacked system */
    const double *sizes;
    double *scale;
    track_view x;
    double dependent;
    double *rows; /* shared memory, 16-byte aligned, for n rows of TRACK_ELIMINATE_ROW(n) numbers */
} eliminate_job;

/* As TRACK(combine_jacobians): the entries of the thread. */
GPU_FN void eliminate_matrix(eliminator *e, const eliminate_job *job, const TRACK(shares) * of, int i, double level)
{
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0));
    LANE_UNROLL
    for (int s = 0; s < ELIMINATE_COLUMNS; s++) {
        const int column = 2 * s + e->half;
        if (2 * s >= e->n) {
            e->a[s] = zero;
            continue;
        }
        const int there = column < e->n;
        const cplx g = TRACK(get)(job->jacobians, there ? column : 0, i, 1),
                   f = TRACK(get)(job->jacobians, there ? column : 0, e->n + i, 1);
        const cplx entry = cplx_shift(cplx_fma(of->f, f, cplx_product(of->g, g)), level);
        e->a[s] = there && i == e->row ? entry : zero;
    }
}

/* As TRACK(combine_values): the right-hand sides of the thread, and the terms of the path. */
GPU_FN void eliminate_sides(eliminator *e, const eliminate_job *job, const TRACK(shares) * of, int i, double over,
                            double level)
{
    const track_settings *s = job->settings;
    track_path *p = job->path;
    const int there = i == e->row, keeps = p->corrector.corrections == 0 && !track_is_at_end(p);
    const double unit = p->scale.unit, more = i == e->n - 1 ? 1.0 - unit : 0.0;
    cplx g = TRACK(get)(job->values, 0, i, 1), f = TRACK(get)(job->values, 0, e->n + i, 1);
    if (unit != 1.0) { /* the patch */
        g.re = real_add_d(g.re, more);
        f.re = s->moving ? f.re : real_add_d(f.re, more);
    }
    const cplx g_part = cplx_product(of->g, g), h = cplx_fma(of->f, f, g_part);
    cplx down = cplx_product(of->tau, f);
    down = s->moving ? cplx_neg(down) : cplx_sub(down, g_part);
    const track_c r = track_c_scale(track_direction(s->seed, p->number, i), level * over);
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0)), first = cplx_shift(e->half ? down : cplx_neg(h), level);
    e->a[ELIMINATE_COLUMNS] = there ? first : zero;
    e->a[ELIMINATE_COLUMNS + 1] = there ? cplx_make(real_of(r.re), real_of(r.im)) : zero;
    if (keeps && there && e->half == 0)
        job->scale[i] = over;
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

GPU_FN void eliminate_load(eliminator *e, const eliminate_job *job)
{
    const TRACK(shares) of = TRACK(shares_at)(job->settings, job->path);
    const int i = e->row < e->n ? e->row : e->n - 1;
    const double over = TRACK(row_size)(job->settings, job->path, &of, job->sizes, job->scale, i),
                 level = track_level(job->settings, over);
    eliminate_matrix(e, job, &of, i, level);
    eliminate_sides(e, job, &of, i, over, level);
}

/* ---- Elimination ------------------------------------------------------------------------------------------------------ */

/* Step k, whose column is in register 0 of the half k % 2. Returns 0, or 1 if there is no pivot. */
template <int ODD> GPU_FN int eliminate_step(eliminator *e, int k, double dependent)
{
    const cplx w = eliminate_shuffle(e->a[0], e->row + ODD * ELIMINATE_ROWS);
    const double size = fabs(real_head(w.re)) + fabs(real_head(w.im));
    /* Where an entry is no number, all comparisons of the processor are false: it is no pivot unless it was the first. */
    const double known = size == size ? size : e->place == k ? (double)INFINITY : 0.0;
    const double most = gpu_max_double(e->done ? 0.0 : known), all = gpu_max_double(known);
    const int first = gpu_max(!e->done && known == most ? (ELIMINATE_ROWS - e->place) * GPU_WARP + e->row : 0);
    const int best = ELIMINATE_ROWS - first / GPU_WARP, from = first % GPU_WARP, is_pivot = e->row == from;
    if (!(most > dependent * all && most < (double)INFINITY))
        return 1;
    double *row = eliminate_row(e, k);
    if (is_pivot)
        eliminate_put_row<ODD>(e, k, row);
    e->place = is_pivot ? k : e->place == k ? best : e->place;
    e->done |= is_pivot;
    const cplx inverse = cplx_inv(eliminate_shuffle(w, from)), zero = cplx_make(real_set(0.0), real_set(0.0));
    if (gpu_thread() % GPU_WARP == 0)
        eliminate_put(row + (e->n + ELIMINATE_INVERSE) * ELIMINATE_NUMBER, inverse);
    const cplx factor = e->done ? zero : cplx_mul(w, inverse);
    gpu_sync_warp();
    LANE_UNROLL
    for (int s = ODD; s < ELIMINATE_ALL; s++) {
        const int is_side = s >= ELIMINATE_COLUMNS;
        const int column = is_side ? e->n + 2 * (s - ELIMINATE_COLUMNS) : k - ODD + 2 * s;
        if (!is_side && column >= e->n)
            continue;
        const cplx by = eliminate_get(row + (column + e->half) * ELIMINATE_NUMBER);
        const cplx rest = cplx_acc_value(cplx_acc_sub(cplx_acc_of(e->a[s]), factor, by));
        e->a[is_side ? s : s - ODD] = rest;
    }
    return 0;
}

/* Solves for the right-hand sides, row by row from the last one: a thread has an unknown of those of its half. */
GPU_FN void eliminate_back(const eliminator *e, track_view x)
{
    const int i = e->row, exists = i < e->n;
    const double *own = eliminate_row(e, exists ? i : 0), *sides = own + (e->n + e->half) * ELIMINATE_NUMBER;
    const cplx inverse = eliminate_get(own + (e->n + ELIMINATE_INVERSE) * ELIMINATE_NUMBER);
    cplx y[ELIMINATE_SIDES] = {eliminate_get(sides), eliminate_get(sides + 2 * ELIMINATE_NUMBER)};
    cplx next = eliminate_get(own + (e->n - 1) * ELIMINATE_NUMBER);
    GPU_ROLLED
    for (int k = e->n - 1; k > 0; k--) {
        const cplx u = next;
        next = eliminate_get(own + (k - 1) * ELIMINATE_NUMBER);
        LANE_UNROLL
        for (int s = 0; s < ELIMINATE_SIDES; s++) {
            const cplx found = eliminate_shuffle(cplx_mul(y[s], inverse), k + e->half * ELIMINATE_ROWS);
            const cplx rest = cplx_acc_value(cplx_acc_sub(cplx_acc_of(y[s]), u, found));
            y[s] = i < k ? rest : y[s];
        }
    }
    LANE_UNROLL
    for (int s = 0; s < ELIMINATE_SIDES; s++)
        if (exists && 2 * s + e->half < 3)
            cplx_store(x.p + (2 * s + e->half) * x.col + i, x.plane, cplx_mul(y[s], inverse), 1);
}

/* Combines the system of a tick and solves it, by a warp. The memory of job->rows may be that of the values and Jacobians. Returns 0, or 1 if
 * there is no pivot. */
GPU_FN int eliminate(const eliminate_job *job)
{
    eliminator e;
    const int thread = gpu_thread() % GPU_WARP;
    int failed = 0;
    e.n = (int)job->settings->unknowns;
    e.row = e.place = thread % ELIMINATE_ROWS;
    e.half = thread / ELIMINATE_ROWS;
    e.done = 0;
    e.rows = job->rows;
    eliminate_load(&e, job);
    gpu_sync_warp();
    GPU_ROLLED
    for (int k = 0; k < e.n && !failed; k += 2) {
        failed = eliminate_step<0>(&e, k, job->dependent);
        if (!failed && k + 1 < e.n)
            failed = eliminate_step<1>(&e, k + 1, job->dependent);
    }
    gpu_sync_warp();
    if (!failed)
        eliminate_back(&e, job->x);
    gpu_sync_warp();
    return failed;
}

#endif
