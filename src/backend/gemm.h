/* gemm.h - the operands of a product of matrices, as the machines traverse them. */
#ifndef PLUMB_BACKEND_GEMM_H
#define PLUMB_BACKEND_GEMM_H

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

#endif
