/* triangle.c - blocks of triangular systems and Cholesky factors on a GPU: from views to the jobs of gemm_triangle.cu. */
#include <stdbool.h>

#include "backend/cuda/gemm/gpu.h"
#include "backend/cuda/runtime/device.h"
#include "backend/gemm.h"

#define KERNELS(prec, kind)                                                                                            \
    plumb_status plumb_cuda_triangle_solve_##kind##_##prec(const gemm_triangle_job *, int64_t, void *, char *,         \
                                                           size_t);                                                    \
    plumb_status plumb_cuda_triangle_system_##kind##_##prec(const gemm_triangle_job *, int64_t, void *, char *,        \
                                                            size_t);                                                   \
    plumb_status plumb_cuda_triangle_factor_##kind##_##prec(const gemm_factor_job *, int64_t, void *, char *, size_t); \
    plumb_status plumb_cuda_triangle_clear_##kind##_##prec(const gemm_clear_job *, int64_t, void *, char *, size_t)
KERNELS(d, real);
KERNELS(d, cplx);
KERNELS(dd, real);
KERNELS(dd, cplx);
KERNELS(qd, real);
KERNELS(qd, cplx);

typedef struct triangle_entries {
    plumb_status (*solve)(const gemm_triangle_job *, int64_t, void *, char *, size_t);  /* TRIANGLE_BLOCK unknowns */
    plumb_status (*system)(const gemm_triangle_job *, int64_t, void *, char *, size_t); /* TRIANGLE_DEVICE */
    plumb_status (*factor)(const gemm_factor_job *, int64_t, void *, char *, size_t);
    plumb_status (*clear)(const gemm_clear_job *, int64_t, void *, char *, size_t);
} triangle_entries;

#define ENTRIES(prec, kind)                                                                       \
    {                                                                                             \
        plumb_cuda_triangle_solve_##kind##_##prec, plumb_cuda_triangle_system_##kind##_##prec,    \
            plumb_cuda_triangle_factor_##kind##_##prec, plumb_cuda_triangle_clear_##kind##_##prec \
    }
static const triangle_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {{0}, ENTRIES(d, real), ENTRIES(d, cplx)},
    [PLUMB_DD] = {{0}, ENTRIES(dd, real), ENTRIES(dd, cplx)},
    [PLUMB_QD] = {{0}, ENTRIES(qd, real), ENTRIES(qd, cplx)},
};

enum { MOST_BATCH = 65535 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

plumb_status plumb_cuda_triangle(machine *m, const triangle_call *call, void *stream)
{
    const plumb_view *t = call->t, *b = call->b;
    const triangle_order o = triangle_order_of(t, b, call->triangle, call->side, call->of_t);
    const int64_t t_next = t->batch > 1 ? t->next : 0, b_next = b->batch > 1 ? b->next : 0;
    int previous;
    if (t->rows > TRIANGLE_BLOCK && o.first != 0) /* halves have another order where the last unknown comes first */
        return PLUMB_ERR_UNSUPPORTED;
    plumb_status status = plumb_cuda_enter(m, &previous);
    for (int64_t k = 0; k < b->batch && status == PLUMB_OK; k += MOST_BATCH) {
        const gemm_triangle_job job = {.t = o.t + k * t_next,
                                       .t_before = o.before,
                                       .t_after = o.after,
                                       .t_plane = t->plane,
                                       .t_next = t_next,
                                       .b = b->data + k * b_next + o.first,
                                       .step = o.step,
                                       .other = o.other,
                                       .b_plane = b->plane,
                                       .b_next = b_next,
                                       .sides = o.sides,
                                       .n = (int32_t)t->rows,
                                       .unit = call->unit,
                                       .conjugate = o.conjugate,
                                       .right = call->side == PLUMB_SIDE_RIGHT};
        const triangle_entries *e = &entries[b->prec][b->parts];
        status = (t->rows <= TRIANGLE_BLOCK ? e->solve : e->system)(
            &job, least(b->batch - k, MOST_BATCH), stream ? stream : m->stream, m->message, m->message_size);
    }
    plumb_cuda_leave(previous);
    return status;
}

static plumb_status run_cholesky(machine *m, const cholesky_call *call, int64_t first, int64_t count, void *stream)
{
    const plumb_view *a = call->a;
    const int64_t next = a->batch > 1 ? a->next : 0;
    const bool upper = call->triangle == PLUMB_UPPER;
    if (call->finish) {
        const gemm_clear_job job = {.a = a->data + first * next,
                                    .rows = a->rows,
                                    .plane = a->plane,
                                    .col = a->col,
                                    .next = next,
                                    .planes = a->prec * a->parts,
                                    .upper = upper,
                                    .info = call->info + first};
        return entries[a->prec][a->parts].clear(&job, count, stream, m->message, m->message_size);
    }
    const gemm_factor_job job = {.a = a->data + first * next,
                                 .row = upper ? a->col : 1,
                                 .col = upper ? 1 : a->col,
                                 .plane = a->plane,
                                 .next = next,
                                 .first = call->first,
                                 .n = (int32_t)a->rows,
                                 .conjugate = upper && a->parts == PLUMB_COMPLEX,
                                 .info = call->info + first};
    return entries[a->prec][a->parts].factor(&job, count, stream, m->message, m->message_size);
}

plumb_status plumb_cuda_cholesky(machine *m, const cholesky_call *call, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    for (int64_t k = 0; k < call->a->batch && status == PLUMB_OK; k += MOST_BATCH)
        status = run_cholesky(m, call, k, least(call->a->batch - k, MOST_BATCH), stream ? stream : m->stream);
    plumb_cuda_leave(previous);
    return status;
}
