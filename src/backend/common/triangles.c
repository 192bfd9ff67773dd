/* triangles.c - triangular systems and Cholesky factors on any machine: halved until it solves or factors a block of TRIANGLE_BLOCK
 * columns; everything else is products of matrices. A GPU solves larger systems at once, with the same sums.
 *
 * A system of n unknowns is one of n/2, a product that takes its solution away from the other right-hand sides, and another
 * system. A factor is that of the leading half, a system for the block next to it, a product, and the factor of the
 * rest. Halves are TRIANGLE_BLOCK times a power of two, so that the order of all sums depends on n alone. */
#include <stdbool.h>

#include "backend/backend.h"
#include "base/array/view.h"
#include "method/gemm/triangle.h"

/* Square blocks of a Hermitian matrix that are larger than this are updated in two halves and the block between them, which leaves out a
 * part of the other half; smaller ones are not worth more calls. On a GPU, residues pay for products of larger blocks. */
enum { WHOLE_BLOCK = 256, WHOLE_BLOCK_DEVICE = 512 };

static plumb_view part(const plumb_view *v, int64_t row, int64_t col, int64_t rows, int64_t cols)
{
    plumb_view p = *v;
    p.data += col * v->col + row;
    p.rows = rows, p.cols = cols;
    return p;
}

/* TRIANGLE_BLOCK times the largest power of two that is less than n. */
static int64_t half_of(int64_t n)
{
    int64_t half = TRIANGLE_BLOCK;
    while (2 * half < n)
        half *= 2;
    return half;
}

/* C -= op(A) op(B), or += */
static plumb_status subtract(const triangles *t, const plumb_view *a, int32_t of_a, const plumb_view *b, int32_t of_b,
                             plumb_view *c)
{
    static const double minus[PLUMB_COMPLEX * PLUMB_QD] = {-1.0};
    plumb_gemm_report report = {.backend = PLUMB_BACKEND_CPU};
    const gemm_call call = {.a = a,
                            .b = b,
                            .c = c,
                            .of_a = of_a,
                            .of_b = of_b,
                            .alpha = t->add ? NULL : minus,
                            .method = t->method,
                            .workspace = t->workspace ? t->workspace : INT64_C(1) << 31,
                            .report = &report};
    return view_is_empty(c) ? PLUMB_OK : t->m->ops->gemm(t->m, &call, t->stream);
}

plumb_status backend_solve_triangle(const triangles *call, const plumb_view *t, plumb_view *b)
{
    const bool at_once = t->where == PLUMB_DEVICE && call->method != PLUMB_GEMM_RESIDUES;
    if (t->rows <= (at_once ? TRIANGLE_DEVICE : TRIANGLE_BLOCK)) {
        const triangle_call leaf = {
            .t = t, .b = b, .triangle = call->triangle, .side = call->side, .of_t = call->of, .unit = call->unit};
        const plumb_status status = call->m->ops->triangle(call->m, &leaf, call->stream);
        if (status != PLUMB_ERR_UNSUPPORTED || t->rows <= TRIANGLE_BLOCK)
            return status;
    }
    const bool lower = call->triangle == PLUMB_LOWER, left = call->side == PLUMB_SIDE_LEFT;
    const bool transposed = (call->of & PLUMB_OPERAND_TRANSPOSE) != 0;
    const int64_t n = t->rows, half = half_of(n), rest = n - half;
    const plumb_view next = lower ? part(t, half, 0, rest, half) : part(t, 0, half, half, rest);
    const plumb_view corner[2] = {part(t, 0, 0, half, half), part(t, half, half, rest, rest)};
    plumb_view x[2] = {left ? part(b, 0, 0, half, b->cols) : part(b, 0, 0, b->rows, half),
                       left ? part(b, half, 0, rest, b->cols) : part(b, 0, half, b->rows, rest)};
    const int first = (lower != transposed) != left; /* the half of the unknowns that comes first */
    plumb_status status = backend_solve_triangle(call, &corner[first], &x[first]);
    if (status == PLUMB_OK)
        status = left ? subtract(call, &next, call->of, &x[first], PLUMB_OPERAND_PLAIN, &x[!first])
                      : subtract(call, &x[first], PLUMB_OPERAND_PLAIN, &next, call->of, &x[!first]);
    return status == PLUMB_OK ? backend_solve_triangle(call, &corner[!first], &x[!first]) : status;
}

/* ---- Cholesky ------------------------------------------------------------------------------------------------------ */

plumb_status backend_downdate(const triangles *call, const plumb_view *v, plumb_view *c)
{
    const bool lower = call->triangle == PLUMB_LOWER;
    const int32_t of_a = lower ? PLUMB_OPERAND_PLAIN : PLUMB_OPERAND_ADJOINT, of_b = PLUMB_OPERAND_ADJOINT - of_a;
    const int64_t n = c->rows;
    if (n <= (c->where == PLUMB_DEVICE ? WHOLE_BLOCK_DEVICE : WHOLE_BLOCK))
        return subtract(call, v, of_a, v, of_b, c);
    const int64_t half = half_of(n), rest = n - half;
    const plumb_view v1 = lower ? part(v, 0, 0, half, v->cols) : part(v, 0, 0, v->rows, half);
    const plumb_view v2 = lower ? part(v, half, 0, rest, v->cols) : part(v, 0, half, v->rows, rest);
    plumb_view c1 = part(c, 0, 0, half, half), c2 = part(c, half, half, rest, rest);
    plumb_view between = lower ? part(c, half, 0, rest, half) : part(c, 0, half, half, rest);
    plumb_status status = backend_downdate(call, &v1, &c1);
    if (status == PLUMB_OK)
        status =
            lower ? subtract(call, &v2, of_a, &v1, of_b, &between) : subtract(call, &v1, of_a, &v2, of_b, &between);
    return status == PLUMB_OK ? backend_downdate(call, &v2, &c2) : status;
}

/* True if no matrix has a factor, which the host knows only of its own. */
static bool none_is_left(const triangles *call, const plumb_view *a)
{
    if (a->where != PLUMB_HOST)
        return false;
    for (int64_t k = 0; k < a->batch; k++)
        if (call->info[k] == 0)
            return false;
    return true;
}

plumb_status backend_cholesky(const triangles *call, plumb_view *a, int64_t first)
{
    const bool lower = call->triangle == PLUMB_LOWER;
    if (a->rows <= TRIANGLE_BLOCK) {
        const cholesky_call leaf = {.a = a, .first = first, .triangle = call->triangle, .info = call->info};
        return call->m->ops->cholesky(call->m, &leaf, call->stream);
    }
    const int64_t n = a->rows, half = half_of(n), rest = n - half;
    plumb_view a1 = part(a, 0, 0, half, half), a2 = part(a, half, half, rest, rest);
    plumb_view next = lower ? part(a, half, 0, rest, half) : part(a, 0, half, half, rest);
    plumb_status status = backend_cholesky(call, &a1, first);
    if (status != PLUMB_OK || none_is_left(call, a))
        return status;
    triangles system = *call; /* X L1^H = A21, or U1^H X = A12 */
    system.side = lower ? PLUMB_SIDE_RIGHT : PLUMB_SIDE_LEFT;
    system.of = PLUMB_OPERAND_ADJOINT;
    status = backend_solve_triangle(&system, &a1, &next);
    if (status == PLUMB_OK)
        status = backend_downdate(call, &next, &a2);
    return status == PLUMB_OK ? backend_cholesky(call, &a2, first + half) : status;
}
