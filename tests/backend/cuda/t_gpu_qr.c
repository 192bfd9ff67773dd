/* t_gpu_qr.c - tests that Q of every kernel is orthogonal as far as the condition number allows, up to condition numbers that leave few
 * digits, and how it compares with modified Gram-Schmidt on the CPU. Skipped, with the reason, if there is no GPU. */
#include "gpu_lsq.h"

/* Two ways for columns to be nearly dependent. */
enum {
    SPREAD, /* singular values fall geometrically, so that every step leaves less of all later columns */
    PAIRS,  /* every other column is nearly the one before */
    KINDS
};
static const char *const kind_names[] = {"spread", "pairs"};

static plumb_view random_unitary(int32_t prec, int32_t parts, int64_t m, int64_t n, uint64_t start)
{
    plumb_view a = host_array(prec, parts, m, n, 1), q = host_array(prec, parts, m, n, 1);
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.reorthogonalize = 1;
    random_fill(&a, start);
    assert_int_equal(plumb_qr(cpu, &a, &q, NULL, NULL, NULL, &options, NULL), PLUMB_OK);
    destroy(&a);
    return q;
}

/* A matrix with a condition number of about 2^bits. */
static plumb_view hard_matrix(int kind, int32_t prec, int32_t parts, int64_t m, int64_t n, int bits, uint64_t start)
{
    plumb_view a = random_unitary(prec, parts, m, n, start), right, product;
    double one[2 * PLUMB_QD] = {1.0};
    plumb_gemm_options options;
    plumb_gemm_options_init(&options);
    options.beta = one;
    if (kind == PAIRS) { /* column j - 1 twice, plus a little of another one */
        product = random_unitary(prec, parts, m, n, start + 1), right = host_array(prec, parts, n, n, 1);
        for (int64_t j = 0; j < n; j++) {
            for (int64_t k = 0; k < n; k++)
                for (int32_t c = 0; c < prec * parts; c++)
                    *entry_of(&right, 0, c, k, j) = c == 0 && k == j - j % 2;
            for (int64_t i = 0; i < m; i++)
                for (int32_t c = 0; c < prec * parts; c++) {
                    double *e = entry_of(&product, 0, c, i, j);
                    *e = j % 2 ? ldexp(*e, -bits) : 0.0;
                }
        }
    } else {
        product = host_array(prec, parts, m, n, 1), right = random_unitary(prec, parts, n, n, start + 2);
        options.beta = NULL;
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++)
                for (int32_t c = 0; c < prec * parts; c++) {
                    double *e = entry_of(&a, 0, c, i, j);
                    *e = ldexp(*e, (int)(-bits * j / (n > 1 ? n - 1 : 1)));
                }
    }
    assert_int_equal(plumb_gemm(cpu, &a, &right, &product, &options, NULL), PLUMB_OK);
    destroy(&a), destroy(&right);
    return product;
}

/* The largest entry of Q^H Q - 1, in qd. */
static double not_orthogonal(const plumb_view *q)
{
    plumb_view raised = host_array(PLUMB_QD, q->parts, q->rows, q->cols, 1);
    plumb_view gram = host_array(PLUMB_QD, q->parts, q->cols, q->cols, 1);
    plumb_gemm_options options;
    plumb_gemm_options_init(&options);
    options.of_a = PLUMB_OPERAND_TRANSPOSE | PLUMB_OPERAND_CONJUGATE;
    assert_ok(plumb_copy(gpu, q, &raised, NULL));
    assert_int_equal(plumb_gemm(cpu, &raised, &raised, &gram, &options, NULL), PLUMB_OK);
    double worst = 0.0;
    for (int64_t j = 0; j < q->cols; j++)
        for (int64_t i = 0; i < q->cols; i++)
            for (int32_t p = 0; p < q->parts; p++) {
                double sum = i == j && p == 0 ? -1.0 : 0.0;
                for (int32_t c = 0; c < PLUMB_QD; c++)
                    sum += *entry_of(&gram, 0, p * PLUMB_QD + c, i, j);
                worst = fmax(worst, isnan(sum) ? (double)INFINITY : fabs(sum));
            }
    destroy(&raised), destroy(&gram);
    return worst;
}

static void check_matrix(const plumb_view *a, int kind, int bits)
{
    const double unit = ldexp(1.0, -53 * a->prec), limit = 16.0 * (double)a->cols * unit;
    plumb_view host_q = host_array(a->prec, a->parts, a->rows, a->cols, 1);
    plumb_lsq_report report;
    assert_int_equal(plumb_qr(cpu, a, &host_q, NULL, NULL, NULL, NULL, &report), PLUMB_OK);
    const double reference = not_orthogonal(&host_q), condition = fmin(report.condition, ldexp(64.0, bits));
    destroy(&host_q);
    printf("%s %s %s %lld x %lld, 2^%d: condition %.1e, the CPU %.2e of condition times unit;",
           a->parts == 2 ? "complex" : "real", plumb_prec_name(a->prec), kind_names[kind], (long long)a->rows,
           (long long)a->cols, bits, condition, reference / condition / unit);
    assert_true(reference <= limit * condition);
    for (int f = -1; f < FAMILIES; f++) {
        plumb_view on = device_copy(a), q = device_like(a);
        gpu->gpu.hooks.lsq_family = f < 0 ? MGS_AUTO : families[f];
        if (taken(plumb_qr(gpu, &on, &q, NULL, NULL, NULL, NULL, NULL))) {
            plumb_view Q = host_copy(&q);
            const double worst = not_orthogonal(&Q);
            printf(" %s %.2e", f < 0 ? "auto" : family_names[f], worst / condition / unit);
            fflush(stdout);
            assert_true(worst <= limit * condition);
            destroy(&Q);
        }
        destroy(&on), destroy(&q);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    printf("\n");
}

static void columns_are_orthogonal_as_far_as_the_condition_allows(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    const char *sizes = getenv("PLUMB_TEST_LARGE"); /* for a GPU: shapes of all kernels */
    static const int64_t shapes[][2] = {{12, 12}, {20, 16}, {40, 32}, {64, 64}, {100, 80}, {128, 128}, {200, 192}};
    static const int all_bits[PLUMB_QD + 1][3] = {
        [PLUMB_D] = {20, 30, 40}, [PLUMB_DD] = {40, 60, 90}, [PLUMB_QD] = {60, 120, 180}};
    for (int s = 0; s < (sizes ? 7 : 2); s++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
                for (int kind = 0; kind < KINDS; kind++)
                    for (int b = 0; b < 3; b++) {
                        plumb_view a = hard_matrix(kind, prec, parts, shapes[s][0], shapes[s][1], all_bits[prec][b],
                                                   seed + (uint64_t)(s + 10 * b));
                        check_matrix(&a, kind, all_bits[prec][b]);
                        destroy(&a);
                    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_orthogonal_as_far_as_the_condition_allows),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
