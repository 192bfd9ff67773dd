/* t_gpu_gemm.c - tests products of matrices on a GPU: sums of products have the bits of the CPU, and products by residues are within the
 * bound on matrices that are hard for products, whatever the workspace. Skipped, with the reason, if there is no GPU. */
#include <stdlib.h>

#include "backend/cuda/gemm/moduli.h"
#include "gpu_test.h"
#include "solver/gemm/gemm_oracle.h"

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

/* op(A) is m x k, op(B) k x n; on the host and on the device. */
typedef struct product {
    plumb_view a, b, c, old, a_there, b_there, c_there;
    plumb_gemm_options options;
    plumb_gemm_report report;
    double alpha[2 * PLUMB_QD], beta[2 * PLUMB_QD];
} product;

static void make(plumb_view *v, plumb_view *there, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                 int64_t batch)
{
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, prec, parts, rows, cols, batch, v));
    assert_ok(plumb_array_create(gpu, PLUMB_DEVICE, prec, parts, rows, cols, batch, there));
}

static void product_make(product *p, int32_t prec, int32_t parts, int64_t m, int64_t n, int64_t k, int64_t batch,
                         int32_t of_a, int32_t of_b, gemm_kind kind, uint64_t seed)
{
    plumb_gemm_options_init(&p->options);
    p->options.of_a = of_a, p->options.of_b = of_b;
    const int ta = of_a & PLUMB_OPERAND_TRANSPOSE, tb = of_b & PLUMB_OPERAND_TRANSPOSE;
    plumb_view unused;
    make(&p->a, &p->a_there, prec, parts, ta ? k : m, ta ? m : k, batch);
    make(&p->b, &p->b_there, prec, parts, tb ? n : k, tb ? k : n, batch);
    make(&p->c, &p->c_there, prec, parts, m, n, batch);
    make(&p->old, &unused, prec, parts, m, n, batch);
    plumb_array_destroy(gpu, &unused);
    gemm_fill(&p->a, of_a, 1, kind, seed);
    gemm_fill(&p->b, of_b, 0, kind, seed + 1);
    gemm_fill(&p->old, 0, 1, GEMM_RANDOM, seed + 2);
    plumb_random r = plumb_random_start(seed + 3);
    for (int32_t q = 0; q < parts; q++) {
        gemm_random(&r, 2.0, prec, p->alpha + q * prec);
        gemm_random(&r, 2.0, prec, p->beta + q * prec);
    }
}

static void product_end(product *p)
{
    plumb_view *all[] = {&p->a, &p->b, &p->c, &p->old, &p->a_there, &p->b_there, &p->c_there};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        plumb_array_destroy(gpu, all[k]);
}

/* Computes on the device; c receives the result. */
static void run(product *p, int32_t method)
{
    p->options.method = method;
    assert_ok(plumb_copy(gpu, &p->a, &p->a_there, NULL));
    assert_ok(plumb_copy(gpu, &p->b, &p->b_there, NULL));
    assert_ok(plumb_copy(gpu, &p->old, &p->c_there, NULL));
    assert_ok(plumb_gemm(gpu, &p->a_there, &p->b_there, &p->c_there, &p->options, &p->report));
    assert_int_equal(p->report.method, method);
    assert_int_equal(p->report.backend, PLUMB_BACKEND_GPU);
    assert_ok(plumb_copy(gpu, &p->c_there, &p->c, NULL));
}

static void tiles_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int64_t shapes[][3] = {{35, 20, 70}, {3, 70, 300}, {1, 1, 1}};
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int s = 0; s < 3; s++) {
                product p;
                product_make(&p, prec, parts, shapes[s][0], shapes[s][1], shapes[s][2], 2, s, prec - 1, GEMM_RANDOM, 3);
                if (s != 1)
                    p.options.alpha = p.alpha, p.options.beta = p.beta;
                run(&p, PLUMB_GEMM_TILES);
                assert_ok(plumb_gemm(cpu, &p.a, &p.b, &p.old, &p.options, NULL));
                assert_memory_equal(p.c.data, p.old.data, (size_t)plumb_view_span(&p.c) * sizeof(double));
                product_end(&p);
            }
}

static void check(int32_t prec, int32_t parts, gemm_kind kind, int64_t m, int64_t n, int64_t k, int64_t workspace)
{
    product p;
    product_make(&p, prec, parts, m, n, k, 1, (int32_t)kind % 4, ((int32_t)kind + prec) % 4, kind, 20 + (uint64_t)kind);
    if (kind % 2)
        p.options.alpha = p.alpha, p.options.beta = p.beta;
    p.options.workspace = workspace;
    run(&p, PLUMB_GEMM_RESIDUES);
    const double error = gemm_error(&p.a, &p.b, &p.c, &p.options, &p.old, 1.0);
    printf("%s %s, %s: %d moduli, %d blocks, %lld of %lld entries again, error %.2g of the bound\n",
           parts == 2 ? "complex" : "real", plumb_prec_name(prec), gemm_kind_names[kind], (int)p.report.moduli,
           (int)p.report.blocks, (long long)p.report.again, (long long)m * n, error);
    assert_true(error <= 1.0);
    if (workspace)
        assert_true(p.report.workspace <= workspace && p.report.blocks > 1);
    if (kind == GEMM_RANDOM || kind == GEMM_INTEGERS ||
        kind == GEMM_HILBERT) /* well-scaled matrices need nothing else */
        assert_int_equal(p.report.again, 0);
    if (kind == GEMM_INSIDE && prec == PLUMB_DD) /* large entries meet small ones everywhere */
        assert_int_equal(p.report.again, m * n);
    product_end(&p);
}

static void residues_are_within_the_bound_in_dd(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int kind = 0; kind < GEMM_KINDS; kind++)
        check(PLUMB_DD, PLUMB_REAL, (gemm_kind)kind, 13, 9, 40, 0);
    check(PLUMB_DD, PLUMB_COMPLEX, GEMM_RANDOM, 7, 11, 30, 0);
    check(PLUMB_DD, PLUMB_COMPLEX, GEMM_CANCEL, 5, 6, 30, 0);
}

static void residues_are_within_the_bound_in_qd(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    check(PLUMB_QD, PLUMB_REAL, GEMM_CANCEL, 13, 9, 40, 0);
    check(PLUMB_QD, PLUMB_REAL, GEMM_HUGE, 4, 9, 20, 0);
    check(PLUMB_QD, PLUMB_REAL, GEMM_HILBERT, 8, 9, 20, 0);
    check(PLUMB_QD, PLUMB_COMPLEX, GEMM_INTEGERS, 3, 4, 20, 0);
}

/* More columns than a tile, and too little memory for them at one time. */
static void workspace_may_be_small(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    check(PLUMB_DD, PLUMB_REAL, GEMM_RANDOM, 5, 140, 10, INT64_C(1300) << 10);
}

/* The entries of a row or column that is not finite, or of sums that may overflow, are those of sums of products. */
static void special_values_are_those_of_tiles(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    product p;
    product_make(&p, PLUMB_DD, PLUMB_REAL, 6, 5, 9, 1, 0, 0, GEMM_RANDOM, 41);
    for (int c = 0; c < 2; c++) {
        gemm_entry(&p.a, 0, 0, 1, 3)[c * p.a.plane] = c ? 0.0 : INFINITY;
        gemm_entry(&p.a, 0, 0, 2, 3)[c * p.a.plane] = c ? 0.0 : NAN;
        gemm_entry(&p.a, 0, 0, 3, 3)[c * p.a.plane] = c ? 0.0 : 0x1p1020;
        gemm_entry(&p.b, 0, 0, 3, 2)[c * p.b.plane] = c ? 0.0 : 0x1p10;
        for (int l = 0; l < 9; l++)
            gemm_entry(&p.b, 0, 0, l, 4)[c * p.b.plane] = 0.0;
    }
    run(&p, PLUMB_GEMM_RESIDUES);
    assert_true(p.report.again >= 11);
    assert_ok(plumb_gemm(cpu, &p.a, &p.b, &p.old, NULL, NULL));
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < 5; j++)
            for (int c = 0; c < 2; c++) {
                const double x = gemm_entry(&p.c, 0, 0, i, j)[c * p.c.plane],
                             y = gemm_entry(&p.old, 0, 0, i, j)[c * p.c.plane];
                if (i < 3 || j == 2)
                    assert_true(x == y || (isnan(x) && isnan(y)));
                assert_true(isfinite(x) == isfinite(y));
            }
    product_end(&p);
}

/* Weights, moduli and the numbers of the Chinese remainder theorem, on the host. */
static void moduli_are_coprime_and_enough(void **state)
{
    (void)state;
    double bits = 0.0;
    for (int32_t t = 0; t < GEMM_MODULI; t++) {
        const int32_t m = gemm_modulus_number(t);
        bits += log2(m);
        for (int32_t s = 0; s < t; s++) {
            int32_t a = m, b = gemm_modulus_number(s);
            while (b) {
                const int32_t rest = a % b;
                a = b, b = rest;
            }
            assert_int_equal(a, 1);
        }
        assert_in_range(m, 2, 256);
    }
    for (int64_t terms = 1; terms <= GEMM_MOST_TERMS; terms *= 2)
        for (int32_t parts = 1; parts <= 2; parts++)
            assert_in_range(gemm_moduli_for(terms, parts), 1, GEMM_MODULI);
    assert_true(bits < GEMM_DIGITS * GEMM_DIGIT_BITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_have_the_bits_of_the_cpu),      cmocka_unit_test(residues_are_within_the_bound_in_dd),
        cmocka_unit_test(residues_are_within_the_bound_in_qd), cmocka_unit_test(workspace_may_be_small),
        cmocka_unit_test(special_values_are_those_of_tiles),   cmocka_unit_test(moduli_are_coprime_and_enough),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
