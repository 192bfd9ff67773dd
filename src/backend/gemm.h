/* gemm.h - the operands of a product of matrices, as the machines traverse them. */
#ifndef PLUMB_BACKEND_GEMM_H
#define PLUMB_BACKEND_GEMM_H

#include "method/gemm/triangle.h"
#include "plumb.h"

/* Row i and column j of op(X) as an entry of X: its place is i * row + j * col. */
typedef struct gemm_operand {
    const double *data;
    int64_t rows, cols, row, col, plane, next;
    int32_t conjugate;
} gemm_operand;

static inline gemm_operand gemm_operand_of(const plumb_view *view, int32_t of)
{
    gemm_operand o = {.data = view->data,
                      .rows = view->rows,
                      .cols = view->cols,
                      .row = 1,
                      .col = view->col,
                      .plane = view->plane,
                      .next = view->batch > 1 ? view->next : 0,
                      .conjugate = view->parts == PLUMB_COMPLEX && (of & PLUMB_OPERAND_CONJUGATE) != 0};
    if (of & PLUMB_OPERAND_TRANSPOSE) {
        o.rows = view->cols, o.cols = view->rows;
        o.row = view->col, o.col = 1;
    }
    return o;
}

/* Entry (l, j) of a triangular matrix in the order in which its unknowns are found: unknown j needs those before it, with the
 * coefficients (0, j) .. (j - 1, j). Its place is l * before + j * after from the first one, and unknown number j of a
 * right-hand side is `step` doubles behind the one before it. */
typedef struct triangle_order {
    const double *t;
    int64_t before, after;
    int64_t first, step;  /* unknown number 0, and the next ones, as a difference of places in b */
    int64_t sides, other; /* right-hand sides, and how far apart they are */
    int32_t conjugate;
} triangle_order;

static inline triangle_order triangle_order_of(const plumb_view *t, const plumb_view *b, int32_t triangle, int32_t side,
                                               int32_t of)
{
    const int64_t n = t->rows;
    const int transposed = (of & PLUMB_OPERAND_TRANSPOSE) != 0, left = side == PLUMB_SIDE_LEFT;
    const int lower = (triangle == PLUMB_LOWER) != transposed; /* of op(T) */
    /* Row and column of op(T) as steps in memory; the equation of an unknown is a row where T is on the left, else a column. */
    const int64_t row = transposed ? t->col : 1, col = transposed ? 1 : t->col;
    triangle_order o = {.t = t->data,
                        .before = left ? col : row,
                        .after = left ? row : col,
                        .step = left ? 1 : b->col,
                        .sides = left ? b->cols : b->rows,
                        .other = left ? b->col : 1,
                        .conjugate = t->parts == PLUMB_COMPLEX && (of & PLUMB_OPERAND_CONJUGATE) != 0};
    if (lower != left) { /* the last unknown comes first */
        o.t += (n - 1) * (row + col);
        o.first = (n - 1) * o.step;
        o.before = -o.before, o.after = -o.after, o.step = -o.step;
    }
    return o;
}

#endif
