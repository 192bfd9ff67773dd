/* eliminate.h - the linear system of a tick, where it is square and small, by Gaussian elimination with partial pivoting on one warp.
 *
 * A row of the matrix and of the right-hand sides belongs to a pair of threads, a half warp apart, in registers: one has the columns with even
 * numbers, the other those with odd ones. Rows are not exchanged; a thread knows the place that its row would have. The row of a pivot goes
 * through shared memory to all others and stays there as a row of U. The operations on numbers and their order are those of the processor
 * (method/track/eliminate_tmpl.h), and so are the bits.
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

GPU_FN void eliminate_load(eliminator *e, track_view a, track_view b)
{
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0));
    LANE_UNROLL
    for (int s = 0; s < ELIMINATE_ALL; s++) {
        const int is_side = s >= ELIMINATE_COLUMNS, column = 2 * (is_side ? s - ELIMINATE_COLUMNS : s) + e->half;
        const track_view v = is_side ? b : a;
        const int there = e->row < e->n && column < (is_side ? 3 : e->n);
        e->a[s] = there ? cplx_load(v.p + column * v.col + e->row, v.plane, 1) : zero;
    }
}

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

/* Solves A x = b for three right-hand sides, by a warp. rows is shared memory, 16-byte aligned, for n rows of TRACK_ELIMINATE_ROW(n) numbers. dependent is the
 * share of the largest entry of a column of U up to which there is no pivot in it. Returns 0, or 1 if there is no pivot. */
GPU_CALL int eliminate(track_view a, track_view b, track_view x, int n, double dependent, double *rows)
{
    eliminator e;
    const int thread = gpu_thread() % GPU_WARP;
    int failed = 0;
    e.n = n;
    e.row = e.place = thread % ELIMINATE_ROWS;
    e.half = thread / ELIMINATE_ROWS;
    e.done = 0;
    e.rows = rows;
    eliminate_load(&e, a, b);
    gpu_sync_warp();
    GPU_ROLLED
    for (int k = 0; k < n && !failed; k += 2) {
        failed = eliminate_step<0>(&e, k, dependent);
        if (!failed && k + 1 < n)
            failed = eliminate_step<1>(&e, k + 1, dependent);
    }
    gpu_sync_warp();
    if (!failed)
        eliminate_back(&e, x);
    gpu_sync_warp();
    return failed;
}

#endif
