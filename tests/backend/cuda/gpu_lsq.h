/* gpu_lsq.h - shared by the tests of least squares on a GPU: two contexts, arrays on both sides, one comparison.
 *
 * The processor is the oracle of the GPU. Kernels come in several families (backend/cuda/lsq/plan.h); tests run each of them on
 * every shape it takes, by setting context->gpu.hooks.lsq_family. */
#ifndef PLUMB_BACKEND_CUDA_GPU_LSQ_H
#define PLUMB_BACKEND_CUDA_GPU_LSQ_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/lsq/plan.h"
#include "base/number/random.h"
#include "gpu_test.h"
#include "plumb.h"
#include "solver/context/context.h"
#include "solver/lsq/lsq_oracle.h"

static const uint64_t seed = 20130113;
static plumb_context *cpu;

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
static const int32_t families[] = {MGS_REGISTERS, MGS_SMALL, MGS_FLOW, MGS_PANEL, MGS_LARGE, MGS_COLUMNS};
static const char *const family_names[] = {"registers", "small", "flow", "panel", "large", "columns"};
enum { PRECISIONS = 3, FAMILIES = 6 };

static inline int open_both(void **state)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    if (plumb_context_create(&options, &cpu) != PLUMB_OK)
        return -1;
    return open_gpu(state);
}

static inline int close_both(void **state)
{
    plumb_context_destroy(cpu);
    return close_gpu(state);
}

static inline plumb_view array_at(int32_t where, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    plumb_view view;
    assert_ok(plumb_array_create(gpu, where, prec, parts, rows, cols, batch, &view));
    return view;
}

static inline plumb_view host_array(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    return array_at(PLUMB_HOST, prec, parts, rows, cols, batch);
}

/* Room of the same shape on the device; with the contents of a host array. */
static inline plumb_view device_like(const plumb_view *host)
{
    return array_at(PLUMB_DEVICE, host->prec, host->parts, host->rows, host->cols, host->batch);
}

static inline plumb_view device_copy(const plumb_view *host)
{
    plumb_view device = device_like(host);
    assert_ok(plumb_copy(gpu, host, &device, NULL));
    return device;
}

static inline plumb_view host_copy(const plumb_view *device)
{
    plumb_view host = host_array(device->prec, device->parts, device->rows, device->cols, device->batch);
    assert_ok(plumb_copy(gpu, device, &host, NULL));
    return host;
}

static inline void destroy(plumb_view *view)
{
    plumb_array_destroy(gpu, view);
}

/* Outcomes on the device: an array of doubles, whose bits they are. */
static inline plumb_info *info_of(const plumb_view *view)
{
    return (plumb_info *)(void *)view->data;
}

static inline double *entry_of(const plumb_view *view, int64_t batch, int64_t c, int64_t i, int64_t j)
{
    return view->data + batch * view->next + c * view->plane + j * view->col + i;
}

static inline void random_fill(const plumb_view *view, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    for (int64_t b = 0; b < view->batch; b++)
        for (int64_t j = 0; j < view->cols; j++)
            for (int64_t i = 0; i < view->rows; i++) {
                double limb = 0.0; /* each below half a unit in the last place of the one before */
                for (int32_t c = 0; c < view->prec * view->parts; c++) {
                    limb = (2.0 * plumb_random_unit(&rng) - 1.0) * (c % view->prec == 0 ? 1.0 : 0x1p-54 * limb);
                    *entry_of(view, b, c, i, j) = limb;
                }
            }
}

static inline double unit_of(int32_t prec)
{
    return prec == PLUMB_D ? 0x1p-53 : prec == PLUMB_DD ? 0x1p-104 : 0x1p-208;
}

/* The largest difference between two host arrays over the largest entry of the first, the worst matrix of the batch. */
static inline double difference(const plumb_view *x, const plumb_view *y)
{
    double worst = 0.0;
    for (int64_t b = 0; b < x->batch; b++) {
        double most = 0.0, error = 0.0;
        for (int64_t j = 0; j < x->cols; j++)
            for (int64_t i = 0; i < x->rows; i++)
                for (int32_t part = 0; part < x->parts; part++) {
                    double sum = 0.0;
                    for (int32_t c = 0; c < x->prec; c++)
                        sum += *entry_of(x, b, part * x->prec + c, i, j) - *entry_of(y, b, part * x->prec + c, i, j);
                    error = isnan(sum) ? (double)INFINITY : fmax(error, fabs(sum));
                    most = fmax(most, fabs(*entry_of(x, b, part * x->prec, i, j)));
                }
        worst = fmax(worst, most > 0.0 ? error / most : error);
    }
    return worst;
}

static inline void assert_zero(const plumb_view *x, int64_t batch)
{
    for (int64_t c = 0; c < x->prec * x->parts; c++)
        for (int64_t j = 0; j < x->cols; j++)
            for (int64_t i = 0; i < x->rows; i++)
                assert_true(*entry_of(x, batch, c, i, j) == 0.0);
}

/* A family that does not take a shape says so; anything else is a failure. */
static inline int taken(plumb_status status)
{
    if (status != PLUMB_ERR_UNSUPPORTED)
        assert_ok(status);
    return status == PLUMB_OK;
}

/* The largest modulus of a column, or of everything, as a double. */
static inline double largest(const big_matrix *m, int64_t first, int64_t count)
{
    double most = 0.0;
    for (int64_t k = first; k < first + count; k++)
        most = fmax(most, hypot(mpfr_get_d(m->re[k], MPFR_RNDN), mpfr_get_d(m->im[k], MPFR_RNDN)));
    return most;
}

/* A = Q R, each column relative to its own size; Q is orthogonal as far as the condition number allows. */
static inline void check_factors(const plumb_view *a, const plumb_view *q, const plumb_view *r, double condition)
{
    const double unit = unit_of(a->prec), n = (double)a->cols;
    big_matrix A = big_of(a), Q = big_of(q), R = big_of(r), rest = big_of(a), gram = big_gram(&Q, &Q);
    for (int64_t j = 0; j < a->cols; j++) {
        for (int64_t k = 0; k < a->cols; k++) {
            const int64_t at = j * a->cols + k;
            assert_true(k <= j || (mpfr_zero_p(R.re[at]) && mpfr_zero_p(R.im[at])));
            for (int64_t i = 0; i < a->rows; i++)
                big_add_product(rest.re[j * a->rows + i], rest.im[j * a->rows + i], Q.re[k * a->rows + i],
                                Q.im[k * a->rows + i], R.re[at], R.im[at], 0, 1);
        }
        mpfr_sub_ui(gram.re[j * a->cols + j], gram.re[j * a->cols + j], 1, MPFR_RNDN);
        assert_true(mpfr_sgn(R.re[j * a->cols + j]) > 0 && mpfr_zero_p(R.im[j * a->cols + j]));
        assert_true(largest(&rest, j * a->rows, a->rows) <= 16.0 * n * unit * largest(&A, j * a->rows, a->rows));
    }
    assert_true(largest(&gram, 0, a->cols * a->cols) <= 16.0 * n * unit * condition);
    big_destroy(&A), big_destroy(&Q), big_destroy(&R), big_destroy(&rest), big_destroy(&gram);
}

#endif
