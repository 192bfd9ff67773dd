/* t_gpu_least_norm.c - tests solutions of least norm on a GPU against the CPU and MPFR: every precision, kind and family of
 * kernels, ill-conditioned and graded rows, batches in which some problems have no solution. Skipped, with the reason, if
 * there is no GPU. */
#include "gpu_lsq.h"
#include "solver/lsq/lsq_problems.h"

typedef struct shape {
    int64_t rows, cols, rhs;
} shape;

/* A problem on the processor: what the GPU is held against. */
typedef struct problem {
    plumb_view a, b, x, residual;
    plumb_lsq_report report;
} problem;

static void problem_solve(problem *p)
{
    plumb_info info = -1;
    assert_int_equal(plumb_lsq(cpu, &p->a, &p->b, &p->x, &p->residual, &info, NULL, &p->report), PLUMB_OK);
    assert_int_equal(info, 0);
}

static problem problem_create(int32_t prec, int32_t parts, shape s, uint64_t start)
{
    problem p = {.a = host_array(prec, parts, s.rows, s.cols, 1),
                 .b = host_array(prec, parts, s.rows, s.rhs, 1),
                 .x = host_array(prec, parts, s.cols, s.rhs, 1),
                 .residual = host_array(prec, PLUMB_REAL, 1, s.rhs, 1)};
    random_fill(&p.a, start);
    random_fill(&p.b, start + 1);
    problem_solve(&p);
    return p;
}

static void problem_destroy(problem *p)
{
    destroy(&p->a), destroy(&p->b), destroy(&p->x), destroy(&p->residual);
}

/* Whether this family takes the problem. */
static int check_solution(const problem *p, int32_t family, const char *name)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b), x = device_like(&p->x),
               residual = device_like(&p->residual);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    plumb_lsq_report report;
    gpu->gpu.hooks.lsq_family = family;
    const int done = taken(plumb_lsq(gpu, &a, &b, &x, &residual, info_of(&info), NULL, &report));
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    if (done) {
        assert_true(family == MGS_AUTO || gpu->gpu.hooks.lsq_taken == family);
        plumb_view found = host_copy(&x), norms = host_copy(&residual), outcome = host_copy(&info);
        const double unit = unit_of(p->a.prec), n = (double)p->a.cols, condition = p->report.condition;
        const double most = 32.0 * n * unit * condition, right = oracle_least_norm_digits(&p->a, &p->b, &found);
        assert_int_equal(*info_of(&outcome), 0);
        if (!(difference(&p->x, &found) <= most) || !(report.digits <= right + 1.0))
            fail_msg("%s, %s %s, %lld x %lld, %lld right-hand sides: x differs by %g, at most %g expected; %.1f digits "
                     "claimed, %.1f correct",
                     name, p->a.parts == PLUMB_COMPLEX ? "complex" : "real", plumb_prec_name(p->a.prec),
                     (long long)p->a.rows, (long long)p->a.cols, (long long)p->b.cols, difference(&p->x, &found), most,
                     report.digits, right);
        assert_int_equal(report.backend, PLUMB_BACKEND_GPU);
        assert_int_equal(report.method, PLUMB_METHOD_MGS);
        assert_int_equal(report.rank, p->a.rows);
        assert_true(fabs(report.digits - p->report.digits) < 1.0 && fabs(report.condition / condition - 1.0) < 0.1);
        /* Every equation holds to a small multiple of u, whatever the condition number: x = Q z would not do that. */
        assert_true(oracle_row_residual(&p->a, &p->b, &found) <= 8.0 * n * unit);
        assert_true(oracle_residual_error(&p->a, &p->b, &found, &norms) <= 32.0 * n * unit);
        destroy(&found), destroy(&norms), destroy(&outcome);
    }
    destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&info);
    return done;
}

static void least_norm_is_that_of_the_cpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{1, 2, 1}, {1, 9, 2}, {2, 3, 1}, {5, 8, 3}, {12, 33, 1}, {3, 120, 1}, {35, 40, 2}};
    printf("seed %llu\n", (unsigned long long)seed);
    int count[FAMILIES] = {0};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int p = 0; p < PRECISIONS; p++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                if (shapes[s].rows > 16 && (p > 1 || parts == PLUMB_REAL)) /* an emulated GPU is slow */
                    continue;
                problem with = problem_create(precisions[p], parts, shapes[s], seed + s);
                for (int r = 0; r < FAMILIES; r++)
                    count[r] += check_solution(&with, families[r], family_names[r]);
                assert_int_equal(check_solution(&with, MGS_AUTO, "auto"), 1);
                problem_destroy(&with);
            }
    for (int r = 0; r < FAMILIES; r++)
        printf("%s: %d problems\n", family_names[r], count[r]);
    for (int r = 0; r < FAMILIES; r++)
        assert_true(count[r] > 0);
}

/* Row k is the first one but for a share of 10^-(8 prec). */
static void rows_may_be_nearly_parallel(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int p = 0; p < PRECISIONS; p++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            const int32_t prec = precisions[p];
            const double apart = pow(10.0, -4.0 * prec);
            problem with = problem_create(prec, parts, (shape){6, 11, 2}, seed);
            for (int64_t k = 1; k < with.a.rows; k++)
                for (int64_t j = 0; j < with.a.cols; j++)
                    for (int32_t part = 0; part < parts; part++) {
                        const double first = *entry_of(&with.a, 0, part * prec, 0, j);
                        for (int32_t c = 0; c < prec; c++) {
                            double *to = entry_of(&with.a, 0, part * prec + c, k, j);
                            *to = c == 0 && prec == 1 ? first + apart * *to
                                  : c == 0            ? first
                                  : c == 1            ? apart * *to
                                                      : 0.0;
                        }
                    }
            problem_solve(&with);
            printf("  %s, condition %.0e\n", plumb_prec_name(prec), with.report.condition);
            for (int r = 0; r < FAMILIES; r++)
                check_solution(&with, families[r], family_names[r]);
            problem_destroy(&with);
        }
}

/* Singular values from 1 down to 10^-(9 prec), so that each row is left with less than the one before. */
static void conditions_may_be_large(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int p = 0; p < PRECISIONS; p++)
        for (int64_t m = 8; m <= 24; m += 16) {
            const int32_t prec = precisions[p];
            problem with = problem_create(prec, PLUMB_COMPLEX, (shape){m, m + 3, 1}, seed);
            plumb_view tall = host_array(prec, PLUMB_COMPLEX, m + 3, m, 1);
            problem_matrix(&tall, 9.0 * prec, seed);
            big_matrix t = big_of(&tall), a = big_adjoint(&t);
            big_store(&a, &with.a);
            problem_solve(&with);
            printf("  %s, condition %.0e\n", plumb_prec_name(prec), with.report.condition);
            for (int r = 0; r < FAMILIES; r++)
                if (m < 10 || prec < PLUMB_QD || families[r] == MGS_PANEL || families[r] == MGS_SMALL)
                    check_solution(&with, families[r], family_names[r]);
            assert_int_equal(check_solution(&with, MGS_AUTO, "auto"), 1);
            big_destroy(&t), big_destroy(&a);
            destroy(&tall), problem_destroy(&with);
        }
}

/* Equations of very different size, up to the ends of the range of doubles. */
static void rows_may_be_graded(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int p = 0; p < PRECISIONS; p++) {
        problem with = problem_create(precisions[p], PLUMB_COMPLEX, (shape){7, 13, 2}, seed);
        for (int64_t k = 0; k < with.a.rows; k++)
            for (int32_t q = 0; q < 2 * precisions[p]; q++) {
                const int e = (int)(k - 3) * 240;
                for (int64_t j = 0; j < with.a.cols; j++)
                    *entry_of(&with.a, 0, q, k, j) = ldexp(*entry_of(&with.a, 0, q, k, j), e);
                for (int64_t j = 0; j < with.b.cols; j++)
                    *entry_of(&with.b, 0, q, k, j) = ldexp(*entry_of(&with.b, 0, q, k, j), e + (j ? 200 : 0));
            }
        problem_solve(&with);
        assert_int_equal(check_solution(&with, MGS_AUTO, "graded"), 1);
        problem_destroy(&with);
    }
}

enum { ROWS = 4, COLS = 9, RHS = 2, BATCH = 9 };

static plumb_info expected_info(int64_t k)
{
    return k == 1   ? 3
           : k == 2 ? 1
           : k == 4 ? -PLUMB_ERR_NONFINITE
           : k == 5 ? -PLUMB_ERR_NONFINITE
           : k == 7 ? -PLUMB_ERR_RANGE
           : k == 8 ? -PLUMB_ERR_NONFINITE /* before what depends */
                    : 0;
}

static void make_trouble(const plumb_view *a, const plumb_view *b)
{
    for (int32_t c = 0; c < a->prec * a->parts; c++)
        for (int64_t j = 0; j < COLS; j++) {
            *entry_of(a, 1, c, 2, j) = -4.0 * *entry_of(a, 1, c, 0, j); /* a row that depends */
            *entry_of(a, 2, c, 0, j) = 0.0;                             /* no first row */
            *entry_of(a, 7, c, 3, j) *= 0x1p-1000;
            *entry_of(a, 8, c, 2, j) = *entry_of(a, 8, c, 0, j);
        }
    for (int32_t c = 0; c < a->prec * a->parts; c++)
        *entry_of(b, 7, c, 3, 1) *= 0x1p+1000;
    *entry_of(a, 4, 0, ROWS - 1, COLS - 1) = (double)NAN;
    *entry_of(b, 5, a->prec * a->parts - 1, 1, 1) = (double)INFINITY;
    *entry_of(b, 8, 0, 1, 0) = (double)NAN;
}

static void batches_have_an_outcome_of_each(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int p = 0; p < PRECISIONS; p++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            plumb_view a = host_array(precisions[p], parts, ROWS, COLS, BATCH),
                       b = host_array(precisions[p], parts, ROWS, RHS, BATCH),
                       x = host_array(precisions[p], parts, COLS, RHS, BATCH),
                       residual = host_array(precisions[p], PLUMB_REAL, 1, RHS, BATCH);
            plumb_info expected[BATCH];
            random_fill(&a, seed), random_fill(&b, seed + 1);
            make_trouble(&a, &b);
            assert_int_equal(plumb_lsq_batch(cpu, &a, &b, &x, &residual, expected, NULL), PLUMB_OK);
            plumb_view to = device_copy(&a), side = device_copy(&b), y = device_like(&x),
                       norms = device_like(&residual);
            plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, BATCH, 1, 1);
            assert_ok(plumb_lsq_batch(gpu, &to, &side, &y, &norms, info_of(&info), NULL));
            plumb_view found = host_copy(&y), outcome = host_copy(&info);
            for (int64_t k = 0; k < BATCH; k++) {
                assert_int_equal(expected[k], expected_info(k));
                assert_int_equal(info_of(&outcome)[k], expected_info(k));
                if (expected[k] != 0)
                    assert_zero(&found, k);
            }
            assert_true(difference(&x, &found) <= 1e4 * unit_of(precisions[p]));
            /* Without info the next wait has the first failure of them. */
            assert_ok(plumb_lsq_batch(gpu, &to, &side, &y, NULL, NULL, NULL));
            assert_true(plumb_stream_wait(gpu, NULL) != PLUMB_OK);
            /* Host arrays go there and back. */
            plumb_info back[BATCH];
            plumb_view z = host_array(precisions[p], parts, COLS, RHS, BATCH);
            assert_ok(plumb_lsq_batch(gpu, &a, &b, &z, NULL, back, NULL));
            assert_memory_equal(back, expected, sizeof back);
            assert_memory_equal(z.data, found.data, (size_t)(z.next * BATCH) * sizeof(double));
            destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&to), destroy(&side), destroy(&y);
            destroy(&norms), destroy(&info), destroy(&found), destroy(&outcome), destroy(&z);
        }
}

/* What the GPU does not do is done on the processor; without right-hand sides the rows alone are looked at. */
static void options_and_empty_sides(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    problem with = problem_create(PLUMB_DD, PLUMB_COMPLEX, (shape){4, 7, 1}, seed);
    plumb_view a = device_copy(&with.a), b = device_copy(&with.b), x = device_like(&with.x);
    plumb_lsq_options options;
    plumb_lsq_report report;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, NULL, &options, &report));
    assert_int_equal(report.backend, PLUMB_BACKEND_GPU);
    assert_non_null(strstr(report.note, "not refined"));
    options.method = PLUMB_METHOD_MGS;
    options.reorthogonalize = 1;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, NULL, &options, &report));
    assert_int_equal(report.backend, PLUMB_BACKEND_CPU);
    assert_non_null(strstr(report.note, "second orthogonalisation"));
    plumb_view none = host_array(PLUMB_DD, PLUMB_COMPLEX, 4, 0, 1),
               nowhere = host_array(PLUMB_DD, PLUMB_COMPLEX, 7, 0, 1);
    plumb_view no_side = device_copy(&none), no_x = device_copy(&nowhere);
    assert_ok(plumb_lsq(gpu, &a, &no_side, &no_x, NULL, NULL, NULL, &report));
    assert_int_equal(report.rank, 4);
    destroy(&none), destroy(&nowhere), destroy(&no_side), destroy(&no_x);
    destroy(&a), destroy(&b), destroy(&x), problem_destroy(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_norm_is_that_of_the_cpu),   cmocka_unit_test(rows_may_be_nearly_parallel),
        cmocka_unit_test(conditions_may_be_large),         cmocka_unit_test(rows_may_be_graded),
        cmocka_unit_test(batches_have_an_outcome_of_each), cmocka_unit_test(options_and_empty_sides),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
