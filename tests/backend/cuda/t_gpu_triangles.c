/* t_gpu_triangles.c - tests triangular systems and Cholesky factors on a GPU: with products by sums they have the bits of the CPU, with
 * residues they are within the bound. Skipped, with the reason, if there is no GPU. */
#include <stdlib.h>

#include "gpu_test.h"
#include "solver/gemm/triangle_cases.h"

static plumb_context *cpu;

static int open_both(void **state)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    return open_gpu(state) || plumb_context_create(&options, &cpu) != PLUMB_OK;
}

static int close_both(void **state)
{
    plumb_context_destroy(cpu);
    return close_gpu(state);
}

static void make(plumb_view *v, int32_t where, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    assert_ok(plumb_array_create(gpu, where, prec, parts, rows, cols, batch, v));
}

static void assert_same(const plumb_view *a, const plumb_view *b)
{
    assert_memory_equal(a->data, b->data, (size_t)plumb_view_span(a) * sizeof(double));
}

/* Solves on the CPU, which gives `host`, and on the device, which gives `found`; t is unchanged. */
static void solve_twice(const plumb_view *t, plumb_view *host, plumb_view *found, const plumb_triangle_options *options)
{
    plumb_view there, b;
    make(&there, PLUMB_DEVICE, t->prec, t->parts, t->rows, t->cols, t->batch);
    make(&b, PLUMB_DEVICE, host->prec, host->parts, host->rows, host->cols, host->batch);
    assert_ok(plumb_copy(gpu, t, &there, NULL));
    assert_ok(plumb_copy(gpu, host, &b, NULL));
    assert_ok(plumb_trsm(gpu, &there, &b, options));
    assert_ok(plumb_copy(gpu, &b, found, NULL));
    plumb_triangle_options same = *options;
    same.method = PLUMB_GEMM_AUTO;
    assert_ok(plumb_trsm(cpu, t, host, &same));
    plumb_array_destroy(gpu, &there), plumb_array_destroy(gpu, &b);
}

static void systems_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int which = 0; which < 32; which += prec == PLUMB_D ? 1 : 5) {
                plumb_triangle_options options;
                plumb_triangle_options_init(&options);
                options.triangle = which & 1, options.side = which >> 1 & 1;
                options.unit = which >> 2 & 1, options.of_t = which >> 3 & 3;
                options.method = PLUMB_GEMM_TILES;
                const int64_t n = which % 3 == 0 ? 37 : which % 5 ? 9 : prec * parts <= 2 ? 230 : 70, sides = 7;
                const int left = options.side == PLUMB_SIDE_LEFT;
                plumb_view t, host, found;
                make(&t, PLUMB_HOST, prec, parts, n, n, 2);
                make(&host, PLUMB_HOST, prec, parts, left ? n : sides, left ? sides : n, 2);
                make(&found, PLUMB_HOST, prec, parts, left ? n : sides, left ? sides : n, 2);
                gemm_fill(&t, 0, 1, GEMM_HILBERT, 1);
                gemm_fill(&host, 0, 1, GEMM_RANDOM, 2);
                solve_twice(&t, &host, &found, &options);
                assert_same(&host, &found);
                plumb_array_destroy(gpu, &t), plumb_array_destroy(gpu, &host), plumb_array_destroy(gpu, &found);
            }
}

/* Factors on both, with the outcomes; the device's are compared. */
static void factor_twice(const plumb_view *a, int32_t triangle)
{
    plumb_view there, found, host, outcome, back;
    make(&there, PLUMB_DEVICE, a->prec, a->parts, a->rows, a->cols, a->batch);
    make(&found, PLUMB_HOST, a->prec, a->parts, a->rows, a->cols, a->batch);
    make(&host, PLUMB_HOST, a->prec, a->parts, a->rows, a->cols, a->batch);
    make(&outcome, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, a->batch, 1, 1);
    make(&back, PLUMB_HOST, PLUMB_D, PLUMB_REAL, a->batch, 1, 1);
    plumb_triangle_options options;
    plumb_triangle_options_init(&options);
    options.triangle = triangle, options.method = PLUMB_GEMM_TILES;
    plumb_info info[8] = {0};
    assert_ok(plumb_copy(gpu, a, &there, NULL));
    assert_ok(plumb_copy(gpu, a, &host, NULL));
    assert_ok(plumb_cholesky(gpu, &there, (plumb_info *)(void *)outcome.data, &options));
    assert_ok(plumb_cholesky(cpu, &host, info, &options));
    assert_ok(plumb_copy(gpu, &there, &found, NULL));
    assert_ok(plumb_copy(gpu, &outcome, &back, NULL));
    assert_memory_equal(info, back.data, (size_t)a->batch * sizeof(plumb_info));
    assert_same(&host, &found);
    plumb_view *all[] = {&there, &found, &host, &outcome, &back};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        plumb_array_destroy(gpu, all[k]);
}

static void factors_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int32_t triangle = 0; triangle < 2; triangle++) {
                const int64_t n = prec == PLUMB_D || triangle ? 40 : 11;
                plumb_view a, g;
                make(&a, PLUMB_HOST, prec, parts, n, n, 4);
                make(&g, PLUMB_HOST, prec, parts, n, n, 4);
                hermitian_fill(cpu, &a, &g, GEMM_RANDOM, 5);
                *gemm_entry(&a, 0, 1, n - 2, n - 2) = -1.0; /* not positive definite */
                *gemm_entry(&a, 0, 2, 5, 5) = INFINITY;
                *gemm_entry(&a, 0, 3, 0, 0) = 0.0;
                factor_twice(&a, triangle);
                plumb_array_destroy(gpu, &a), plumb_array_destroy(gpu, &g);
            }
    plumb_view a;
    make(&a, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 3, 3, 1); /* zeros */
    assert_int_equal(plumb_cholesky(gpu, &a, NULL, NULL), PLUMB_ERR_SINGULAR);
    plumb_array_destroy(gpu, &a);
}

static void residues_are_within_the_bound(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { N = 40 };
    plumb_view a, g, l, there, b, x;
    plumb_view *all[] = {&a, &g, &l, &there, &b, &x};
    make(&a, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, N, 1), make(&g, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, N, 1);
    make(&l, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, N, 1),
        make(&there, PLUMB_DEVICE, PLUMB_DD, PLUMB_COMPLEX, N, N, 1);
    make(&b, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, 3, 1), make(&x, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, 3, 1);
    hermitian_fill(cpu, &a, &g, GEMM_ROWS, 5);
    gemm_fill(&b, 0, 1, GEMM_RANDOM, 6);
    plumb_triangle_options options;
    plumb_triangle_options_init(&options);
    options.method = PLUMB_GEMM_RESIDUES;
    assert_ok(plumb_copy(gpu, &a, &there, NULL));
    assert_ok(plumb_cholesky(gpu, &there, NULL, &options));
    assert_ok(plumb_copy(gpu, &there, &l, NULL));
    const double error = cholesky_error(&a, &l, PLUMB_LOWER);
    assert_ok(plumb_copy(gpu, &b, &x, NULL));
    plumb_view found, host = b;
    make(&found, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, N, 3, 1);
    solve_twice(&l, &x, &found, &options);
    const double system = triangle_error(&l, &found, &host, &options);
    printf("errors %.2g (factor) and %.2g (system) of the bound\n", error, system);
    assert_true(error <= 1.0 && system <= 1.0);
    plumb_array_destroy(gpu, &found);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        plumb_array_destroy(gpu, all[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_bits_of_the_cpu),
        cmocka_unit_test(factors_have_the_bits_of_the_cpu),
        cmocka_unit_test(residues_are_within_the_bound),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
