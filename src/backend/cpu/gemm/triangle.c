/* triangle.c - blocks of triangular systems and Cholesky factors on the CPU, see method/gemm/triangle.h.
 *
 * Threads take some right-hand sides of a matrix at a time. Where those are columns of B, they are transposed first, because lanes
 * run down right-hand sides. */
#include <math.h>
#include <string.h>

#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernels.h"
#include "base/os/team.h"
#include "method/gemm/triangle.h"

enum {
    MOST_PLANES = PLUMB_COMPLEX * PLUMB_QD,
    SIDES = 64,             /* right-hand sides that a thread takes at a time */
    WORTH_THREADS = 1 << 17 /* products of limbs below which a team costs more to wake than it saves */
};

/* A triangular block as the kernels want it. */
typedef struct triangle_memory {
    _Alignas(64) double t[TRIANGLE_BLOCK * (TRIANGLE_BLOCK + 1) / 2 * MOST_PLANES];
    double x[TRIANGLE_BLOCK * SIDES * MOST_PLANES];
} triangle_memory;

typedef struct triangle_run {
    const triangle_call *call;
    const triangle_kernels *kernels;
    triangle_order order;
    int64_t pieces; /* of a matrix */
    team_counter next;
} triangle_run;

static void pack(const triangle_run *run, int64_t matrix, double *to)
{
    const plumb_view *t = run->call->t;
    const triangle_order *o = &run->order;
    const int64_t planes = (int64_t)t->prec * t->parts;
    const double *from = o->t + (t->batch > 1 ? matrix * t->next : 0);
    for (int64_t j = 0; j < t->rows; j++)
        for (int64_t l = 0; l <= j; l++)
            for (int64_t c = 0; c < planes; c++) {
                const double x = from[l * o->before + j * o->after + c * t->plane];
                to[triangle_place(l, j) * planes + c] = o->conjugate && c >= t->prec ? -1.0 * x : x;
            }
}

/* Right-hand sides `first` and the following ones of a matrix, from B to x or back; unknown j of side r: x[(j*planes + c)*SIDES + r]. */
static void move_sides(const triangle_run *run, int64_t matrix, int64_t first, int64_t count, double *x, bool back)
{
    const plumb_view *b = run->call->b;
    const triangle_order *o = &run->order;
    const int64_t planes = (int64_t)b->prec * b->parts, n = run->call->t->rows;
    double *from = b->data + matrix * b->next + o->first + first * o->other;
    for (int64_t c = 0; c < planes; c++)
        for (int64_t r = 0; r < count; r++)
            for (int64_t j = 0; j < n; j++) {
                double *one = from + c * b->plane + r * o->other + j * o->step,
                       *other = x + (j * planes + c) * SIDES + r;
                if (back)
                    *one = *other;
                else
                    *other = *one;
            }
}

static void solve_pieces(void *data, team *t, int32_t index, int32_t threads)
{
    triangle_run *run = data;
    const triangle_call *call = run->call;
    const plumb_view *b = call->b;
    const int64_t planes = (int64_t)b->prec * b->parts;
    triangle_memory memory;
    triangle_block block = {.t = memory.t, .n = call->t->rows, .unit = call->unit};
    int64_t packed = -1; /* the matrix whose triangle is there */
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&run->next, 1)) < run->pieces * b->batch;) {
        const int64_t matrix = k / run->pieces, first = k % run->pieces * SIDES;
        const int64_t left = run->order.sides - first;
        if (packed < 0 || (packed != matrix && call->t->batch > 1)) {
            pack(run, matrix, memory.t);
            run->kernels->prepare(&block);
            packed = matrix;
        }
        block.rows = left < SIDES ? left : SIDES;
        if (run->order.other == 1) {
            block.x = b->data + matrix * b->next + run->order.first + first;
            block.plane = b->plane, block.col = run->order.step;
            run->kernels->solve(&block);
            continue;
        }
        block.x = memory.x;
        block.plane = SIDES, block.col = planes * SIDES;
        move_sides(run, matrix, first, block.rows, memory.x, false);
        run->kernels->solve(&block);
        move_sides(run, matrix, first, block.rows, memory.x, true);
    }
}

plumb_status plumb_cpu_triangle(machine *m, const triangle_call *call, void *stream)
{
    (void)stream;
    const plumb_view *b = call->b;
    triangle_run run = {.call = call,
                        .kernels = m->isa->prec[b->prec]->triangle[b->parts],
                        .order = triangle_order_of(call->t, b, call->triangle, call->side, call->of_t)};
    run.pieces = (run.order.sides + SIDES - 1) / SIDES;
    const int64_t count = run.pieces * b->batch;
    const double products = (double)call->t->rows * (double)call->t->rows * (double)run.order.sides * (double)b->batch *
                            b->prec * b->prec * b->parts * b->parts;
    int32_t threads = products >= WORTH_THREADS ? m->threads : 1;
    threads = count < threads ? (int32_t)count : threads;
    plumb_status status = team_start(&m->team, threads, m->message, m->message_size);
    if (status == PLUMB_OK)
        team_run(m->team, threads, solve_pieces, &run);
    return status;
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------ */

typedef struct cholesky_run {
    const cholesky_call *call;
    const triangle_kernels *kernels;
    team_counter next;
} cholesky_run;

/* The matrix of an upper factor is factored as its adjoint: the same numbers, conjugate, with rows and columns exchanged. */
static void adjoin(const plumb_view *a, double *matrix, double *x, bool back)
{
    const int64_t n = a->rows, planes = (int64_t)a->prec * a->parts;
    for (int64_t c = 0; c < planes; c++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i <= j; i++) {
                double *one = matrix + c * a->plane + j * a->col + i;
                double *other = x + (c * TRIANGLE_BLOCK + i) * TRIANGLE_BLOCK + j;
                const double sign = c >= a->prec ? -1.0 : 1.0;
                if (back)
                    *one = i == j && c >= a->prec ? 0.0 : sign * *other;
                else
                    *other = sign * *one;
            }
}

static void factor_matrices(void *data, team *t, int32_t index, int32_t threads)
{
    cholesky_run *run = data;
    const cholesky_call *call = run->call;
    const plumb_view *a = call->a;
    _Alignas(64) double x[MOST_PLANES * TRIANGLE_BLOCK * TRIANGLE_BLOCK] = {0.0};
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&run->next, 1)) < a->batch;) {
        plumb_info *info = call->info + k;
        if (call->first > 0 && *info != 0)
            continue;
        double *matrix = a->data + (a->batch > 1 ? k * a->next : 0);
        cholesky_block block = {.a = matrix, .n = a->rows, .plane = a->plane, .col = a->col};
        if (call->triangle == PLUMB_UPPER) {
            adjoin(a, matrix, x, false);
            block.a = x;
            block.plane = (int64_t)TRIANGLE_BLOCK * TRIANGLE_BLOCK, block.col = TRIANGLE_BLOCK;
        }
        const int64_t column = run->kernels->factor(&block);
        if (call->triangle == PLUMB_UPPER)
            adjoin(a, matrix, x, true);
        *info = column > 0 ? call->first + column : column < 0 ? -(plumb_info)PLUMB_ERR_NONFINITE : 0;
    }
}

static void finish_matrices(void *data, team *t, int32_t index, int32_t threads)
{
    cholesky_run *run = data;
    const plumb_view *a = run->call->a;
    (void)t, (void)index, (void)threads;
    for (int64_t k; (k = team_take(&run->next, 1)) < a->batch;)
        for (int64_t c = 0; c < (int64_t)a->prec * a->parts; c++)
            for (int64_t j = 0; j < a->cols; j++) {
                double *column = a->data + (a->batch > 1 ? k * a->next : 0) + c * a->plane + j * a->col;
                const bool all = run->call->info[k] != 0, upper = run->call->triangle == PLUMB_UPPER;
                const int64_t first = !all && upper ? j + 1 : 0, last = all || upper ? a->rows : j;
                if (last > first)
                    memset(column + first, 0, (size_t)(last - first) * sizeof(double));
            }
}

plumb_status plumb_cpu_cholesky(machine *m, const cholesky_call *call, void *stream)
{
    (void)stream;
    const plumb_view *a = call->a;
    cholesky_run run = {.call = call, .kernels = m->isa->prec[a->prec]->triangle[a->parts]};
    const double products = (double)a->rows * (double)a->rows * (double)a->rows * (double)a->batch * a->prec * a->prec *
                            a->parts * a->parts / 3;
    int32_t threads = products >= WORTH_THREADS ? m->threads : 1;
    threads = a->batch < threads ? (int32_t)a->batch : threads;
    plumb_status status = team_start(&m->team, threads, m->message, m->message_size);
    if (status == PLUMB_OK)
        team_run(m->team, threads, call->finish ? finish_matrices : factor_matrices, &run);
    return status;
}
