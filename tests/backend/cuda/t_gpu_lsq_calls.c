/* t_gpu_lsq_calls.c - tests the least-squares calls on a GPU: host and device arrays, batches with strides, failures
 * as data, extreme ranges, streams, reports, and methods that run on the CPU. Skipped, with the reason, if there is
 * no GPU. */
#include "gpu_lsq.h"

/* ---- host arrays ---------------------------------------------------------------------------------------------- */

static void host_arrays_go_there_and_back(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int p = 0; p < PRECISIONS; p++) {
        plumb_view a = host_array(precisions[p], PLUMB_COMPLEX, 9, 6, 1),
                   b = host_array(precisions[p], PLUMB_COMPLEX, 9, 2, 1);
        plumb_view x = host_array(precisions[p], PLUMB_COMPLEX, 6, 2, 1),
                   y = host_array(precisions[p], PLUMB_COMPLEX, 6, 2, 1);
        plumb_view norm = host_array(precisions[p], PLUMB_REAL, 1, 2, 1),
                   other = host_array(precisions[p], PLUMB_REAL, 1, 2, 1);
        plumb_lsq_report mine, theirs;
        plumb_info info = -1;
        random_fill(&a, seed), random_fill(&b, seed + 1);
        assert_int_equal(plumb_lsq(cpu, &a, &b, &x, &norm, &info, NULL, &theirs), PLUMB_OK);
        assert_ok(plumb_lsq(gpu, &a, &b, &y, &other, &info, NULL, &mine));
        assert_int_equal(info, 0);
        assert_int_equal(mine.backend, PLUMB_BACKEND_GPU);
        assert_int_equal(mine.rank, 6);
        assert_int_equal(mine.factor_prec, precisions[p]);
        assert_string_equal(mine.note, "");
        assert_true(fabs(mine.condition / theirs.condition - 1.0) < 1e-6);
        assert_true(fabs(mine.digits - theirs.digits) < 0.1);
        assert_true(difference(&x, &y) <= 1000.0 * unit_of(precisions[p]) * theirs.condition * theirs.condition);
        assert_true(difference(&norm, &other) <= 1000.0 * unit_of(precisions[p]) * theirs.condition);
        destroy(&a), destroy(&b), destroy(&x), destroy(&y), destroy(&norm), destroy(&other);
    }
}

/* Whether this family takes the problem. */
static int check_failures(plumb_context *context, int32_t family, int32_t parts)
{
    plumb_view a = host_array(PLUMB_DD, parts, 5, 3, 1), b = host_array(PLUMB_DD, parts, 5, 2, 1);
    plumb_view x = host_array(PLUMB_DD, parts, 3, 2, 1);
    plumb_info info;
    gpu->gpu.hooks.lsq_family = family;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    const int done = taken(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL));
    if (done) {
        *entry_of(&a, 0, 1, 3, 2) = (double)NAN;
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, -PLUMB_ERR_NONFINITE);
        assert_string_equal(plumb_context_message(context), "entry (4, 3) of a is not finite");
        assert_zero(&x, 0);
        *entry_of(&a, 0, 1, 3, 2) = 0.0;
        *entry_of(&b, 0, 0, 0, 1) = (double)INFINITY;
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, -PLUMB_ERR_NONFINITE);
        assert_string_equal(plumb_context_message(context), "entry (1, 2) of b is not finite");
        *entry_of(&b, 0, 0, 0, 1) = 1.0;
        for (int64_t i = 0; i < 5; i++)
            for (int64_t c = 0; c < 2 * parts; c++)
                *entry_of(&a, 0, c, i, 1) = 4.0 * *entry_of(&a, 0, c, i, 0);
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, 2);
        assert_string_equal(plumb_context_message(context), "column 2 depends on those before it");
        assert_zero(&x, 0);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    destroy(&a), destroy(&b), destroy(&x);
    return done;
}

static void failures_are_named_as_on_the_cpu(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
        assert_true(check_failures(cpu, MGS_AUTO, parts));
        int count = 0;
        for (int t = 0; t < FAMILIES; t++)
            count += check_failures(gpu, families[t], parts);
        assert_true(count > 0);
    }
}

/* Each column in turn, the last one included, where nothing comes after it that would notice. */
static void every_column_may_depend(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { M = 9, N = 6 };
    for (int p = 0; p < PRECISIONS; p++) {
        plumb_view a = host_array(precisions[p], PLUMB_COMPLEX, M, N, 1),
                   b = host_array(precisions[p], PLUMB_COMPLEX, M, 1, 1);
        plumb_view x = host_array(precisions[p], PLUMB_COMPLEX, N, 1, 1),
                   q = host_array(precisions[p], PLUMB_COMPLEX, M, N, 1);
        random_fill(&b, seed + 1);
        for (int t = 0; t < FAMILIES; t++)
            for (int64_t j = 1; j < N; j++) {
                plumb_info solved = 0, factored = 0;
                random_fill(&a, seed);
                for (int64_t i = 0; i < M; i++)
                    for (int64_t c = 0; c < 2 * precisions[p]; c++)
                        *entry_of(&a, 0, c, i, j) = -2.0 * *entry_of(&a, 0, c, i, j / 2);
                gpu->gpu.hooks.lsq_family = families[t];
                if (taken(plumb_lsq(gpu, &a, &b, &x, NULL, &solved, NULL, NULL)))
                    assert_int_equal(solved, j + 1);
                if (taken(plumb_qr(gpu, &a, &q, NULL, NULL, &factored, NULL, NULL)))
                    assert_int_equal(factored, j + 1);
                assert_zero(&x, 0), assert_zero(&q, 0);
            }
        destroy(&a), destroy(&b), destroy(&x), destroy(&q);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
}

/* ---- range ---------------------------------------------------------------------------------------------------- */

static void scale_column(const plumb_view *view, int64_t j, int exponent)
{
    for (int64_t c = 0; c < view->prec * view->parts; c++)
        for (int64_t i = 0; i < view->rows; i++)
            *entry_of(view, 0, c, i, j) = ldexp(*entry_of(view, 0, c, i, j), exponent);
}

/* Columns at both ends of the range: powers of two move nothing but exponents. */
static void check_far_apart(int32_t family, int32_t prec)
{
    plumb_view a = host_array(prec, PLUMB_COMPLEX, 7, 4, 1), b = host_array(prec, PLUMB_COMPLEX, 7, 1, 1);
    plumb_view x = host_array(prec, PLUMB_COMPLEX, 4, 1, 1), y = host_array(prec, PLUMB_COMPLEX, 4, 1, 1);
    plumb_info info;
    gpu->gpu.hooks.lsq_family = family;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    if (taken(plumb_lsq(gpu, &a, &b, &x, NULL, &info, NULL, NULL))) {
        scale_column(&a, 0, 1000), scale_column(&a, 2, -600), scale_column(&b, 0, 200);
        assert_ok(plumb_lsq(gpu, &a, &b, &y, NULL, &info, NULL, NULL));
        assert_int_equal(info, 0);
        static const int back[] = {-800, 200, 800, 200};
        for (int64_t k = 0; k < 4; k++)
            for (int64_t c = 0; c < 2 * prec; c++) /* limbs that became subnormal have lost bits */
                if (k != 0 || c % prec < 2)
                    assert_true(*entry_of(&y, 0, c, k, 0) == ldexp(*entry_of(&x, 0, c, k, 0), back[k]));
        /* x_3 beyond the largest double, in one of two columns at first */
        scale_column(&b, 0, 600);
        assert_ok(plumb_lsq(gpu, &a, &b, &y, NULL, &info, NULL, NULL));
        assert_int_equal(info, -PLUMB_ERR_RANGE);
        assert_zero(&y, 0);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    destroy(&a), destroy(&b), destroy(&x), destroy(&y);
}

static void scales_may_be_far_apart(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int t = 0; t < FAMILIES; t++)
        for (int p = 0; p < PRECISIONS; p++)
            check_far_apart(families[t], precisions[p]);
}

/* One right-hand side whose solution leaves the range takes the others with it, as on the processor. */
static void check_one_out_of_range(plumb_context *context, int32_t family, int32_t parts)
{
    plumb_view a = host_array(PLUMB_DD, parts, 6, 3, 1), b = host_array(PLUMB_DD, parts, 6, 3, 1);
    plumb_view x = host_array(PLUMB_DD, parts, 3, 3, 1), residual = host_array(PLUMB_DD, PLUMB_REAL, 1, 3, 1);
    plumb_info info = 0;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    scale_column(&a, 1, -700), scale_column(&b, 2, 700);
    gpu->gpu.hooks.lsq_family = family;
    if (taken(plumb_lsq(context, &a, &b, &x, &residual, &info, NULL, NULL))) {
        assert_int_equal(info, -PLUMB_ERR_RANGE);
        assert_zero(&x, 0), assert_zero(&residual, 0);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    destroy(&a), destroy(&b), destroy(&x), destroy(&residual);
}

static void one_of_several_out_of_range(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
        check_one_out_of_range(cpu, MGS_AUTO, parts);
        for (int t = 0; t < FAMILIES; t++)
            check_one_out_of_range(gpu, families[t], parts);
    }
}

/* ---- device arrays -------------------------------------------------------------------------------------------- */

/* A view inside a larger array, so that every stride has a gap. */
static plumb_view inside(const plumb_view *roomy, int64_t rows, int64_t cols)
{
    plumb_view view = *roomy;
    view.data += 2;
    view.rows = rows, view.cols = cols;
    return view;
}

static void batches_with_gaps(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { BATCH = 5, M = 7, N = 4, RHS = 2 };
    for (int p = 0; p < PRECISIONS; p++) {
        plumb_view a = host_array(precisions[p], PLUMB_COMPLEX, M + 3, N + 1, BATCH);
        plumb_view b = host_array(precisions[p], PLUMB_COMPLEX, M + 4, RHS + 1, BATCH);
        plumb_view x = host_array(precisions[p], PLUMB_COMPLEX, N + 5, RHS + 2, BATCH);
        plumb_view residual = host_array(precisions[p], PLUMB_REAL, 3, RHS + 1, BATCH);
        random_fill(&a, seed), random_fill(&b, seed + 1), random_fill(&x, seed + 2), random_fill(&residual, seed + 3);
        plumb_view a_in = inside(&a, M, N), x_in = inside(&x, N, RHS);
        *entry_of(&a_in, 1, 0, 2, 2) = (double)INFINITY;
        for (int64_t i = 0; i < M; i++)
            for (int64_t c = 0; c < 2 * precisions[p]; c++)
                *entry_of(&a_in, 3, c, i, 2) = 0.0;
        plumb_view on_a = device_copy(&a), on_b = device_copy(&b);
        plumb_view b_in = inside(&b, M, RHS), r_in = inside(&residual, 1, RHS);
        plumb_info expected[BATCH];
        plumb_view x_cpu = host_copy(&x), r_cpu = host_copy(&residual), x_cpu_in = inside(&x_cpu, N, RHS),
                   r_cpu_in = inside(&r_cpu, 1, RHS);
        assert_int_equal(plumb_lsq_batch(cpu, &a_in, &b_in, &x_cpu_in, &r_cpu_in, expected, NULL), PLUMB_OK);
        assert_int_equal(expected[1], -PLUMB_ERR_NONFINITE);
        assert_int_equal(expected[3], 3);
        for (int t = 0; t < FAMILIES; t++) {
            plumb_view on_x = device_copy(&x), on_r = device_copy(&residual);
            plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, BATCH, 1, 1);
            plumb_view da = inside(&on_a, M, N), db = inside(&on_b, M, RHS), dx = inside(&on_x, N, RHS),
                       dr = inside(&on_r, 1, RHS);
            gpu->gpu.hooks.lsq_family = families[t];
            if (taken(plumb_lsq_batch(gpu, &da, &db, &dx, &dr, info_of(&info), NULL))) {
                plumb_view got = host_copy(&on_x), got_r = host_copy(&on_r), outcome = host_copy(&info);
                plumb_view got_in = inside(&got, N, RHS), got_r_in = inside(&got_r, 1, RHS);
                assert_memory_equal(outcome.data, expected, sizeof expected);
                assert_true(difference(&x_cpu_in, &got_in) <= 1e6 * unit_of(precisions[p]));
                assert_true(difference(&r_cpu_in, &got_r_in) <= 1e6 * unit_of(precisions[p]));
                /* Nothing but the results has changed. */
                assert_ok(plumb_copy(gpu, &x_in, &got_in, NULL)), assert_ok(plumb_copy(gpu, &r_in, &got_r_in, NULL));
                assert_memory_equal(got.data, x.data, (size_t)(x.next * BATCH) * sizeof(double));
                assert_memory_equal(got_r.data, residual.data, (size_t)(residual.next * BATCH) * sizeof(double));
                destroy(&got), destroy(&got_r), destroy(&outcome);
            }
            destroy(&on_x), destroy(&on_r), destroy(&info);
        }
        gpu->gpu.hooks.lsq_family = MGS_AUTO;
        destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&on_a), destroy(&on_b), destroy(&x_cpu),
            destroy(&r_cpu);
    }
}

/* x = A^-1 (A^-1 (... b)) without a look in between, on two streams at once: as many times on the processor. */
static void sequences_stay_on_the_device(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { N = 6, STEPS = 4 };
    plumb_context_options options;
    plumb_context *second = NULL;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    assert_int_equal(plumb_context_create(&options, &second), PLUMB_OK);
    plumb_view other = {0};
    assert_int_equal(plumb_array_create(second, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1, &other), PLUMB_OK);
    const plumb_stream streams[2] = {NULL, second->gpu.stream}; /* its own, and that of another context */
    plumb_view a[2], b[2], on_a[2], on_x[2], on_y[2], info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 2, 1, 1);
    plumb_lsq_options with[2];
    for (int k = 0; k < 2; k++) {
        a[k] = host_array(PLUMB_DD, PLUMB_REAL, N + k, N + k, 1), b[k] = host_array(PLUMB_DD, PLUMB_REAL, N + k, 1, 1);
        random_fill(&a[k], seed + (uint64_t)k), random_fill(&b[k], seed + 2 + (uint64_t)k);
        on_a[k] = device_copy(&a[k]), on_x[k] = device_copy(&b[k]), on_y[k] = device_copy(&b[k]);
        plumb_lsq_options_init(&with[k]);
        with[k].stream = streams[k];
    }
    for (int step = 0; step < STEPS; step++)
        for (int k = 0; k < 2; k++) {
            plumb_view *from = step % 2 ? &on_y[k] : &on_x[k], *to = step % 2 ? &on_x[k] : &on_y[k];
            assert_ok(plumb_lsq(gpu, &on_a[k], from, to, NULL, info_of(&info) + k, &with[k], NULL));
        }
    for (int k = 0; k < 2; k++) {
        assert_ok(plumb_stream_wait(gpu, streams[k]));
        plumb_view x = host_copy(&on_x[k]), y = host_array(PLUMB_DD, PLUMB_REAL, N + k, 1, 1);
        for (int step = 0; step < STEPS; step++) {
            plumb_info outcome;
            assert_int_equal(plumb_lsq(cpu, &a[k], &b[k], &y, NULL, &outcome, NULL, NULL), PLUMB_OK);
            assert_ok(plumb_copy(gpu, &y, &b[k], NULL));
        }
        assert_true(difference(&y, &x) <= 1e8 * unit_of(PLUMB_DD));
        destroy(&x), destroy(&y);
    }
    plumb_view outcomes = host_copy(&info);
    assert_true(info_of(&outcomes)[0] == 0 && info_of(&outcomes)[1] == 0);
    for (int k = 0; k < 2; k++)
        destroy(&a[k]), destroy(&b[k]), destroy(&on_a[k]), destroy(&on_x[k]), destroy(&on_y[k]);
    destroy(&info), destroy(&outcomes);
    plumb_array_destroy(second, &other);
    plumb_context_destroy(second);
}

/* ---- what only the processor does ----------------------------------------------------------------------------- */

static void the_cpu_does_the_rest(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_view a = host_array(PLUMB_DD, PLUMB_REAL, 6, 6, 1), b = host_array(PLUMB_DD, PLUMB_REAL, 6, 1, 1);
    plumb_view x = host_array(PLUMB_DD, PLUMB_REAL, 6, 1, 1);
    random_fill(&a, seed), random_fill(&b, seed + 1);
    plumb_view on_a = device_copy(&a), on_b = device_copy(&b), on_x = device_like(&x);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    plumb_info expected;
    plumb_lsq_options wishes[3];
    for (int k = 0; k < 3; k++)
        plumb_lsq_options_init(&wishes[k]);
    wishes[0].method = PLUMB_METHOD_LU, wishes[1].pivot = 1, wishes[2].reorthogonalize = 1;
    for (int k = 0; k < 3; k++) {
        plumb_lsq_report report, host;
        assert_int_equal(plumb_lsq(cpu, &a, &b, &x, NULL, &expected, &wishes[k], NULL), PLUMB_OK);
        assert_ok(plumb_lsq(gpu, &on_a, &on_b, &on_x, NULL, info_of(&info), &wishes[k], &report));
        plumb_view y = host_copy(&on_x), outcome = host_copy(&info);
        assert_int_equal(*info_of(&outcome), 0);
        assert_true(difference(&x, &y) <= 1e6 * unit_of(PLUMB_DD));
        assert_non_null(strstr(report.note, "has no GPU form"));
        assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, &expected, &wishes[k], &host));
        assert_non_null(strstr(host.note, "has no GPU form"));
        destroy(&y), destroy(&outcome);
    }
    destroy(&a), destroy(&b), destroy(&x), destroy(&on_a), destroy(&on_b), destroy(&on_x), destroy(&info);
}

static void factors_and_automatic_precision(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_view a = host_array(PLUMB_QD, PLUMB_COMPLEX, 6, 4, 1), b = host_array(PLUMB_QD, PLUMB_COMPLEX, 6, 1, 1);
    plumb_view x = host_array(PLUMB_QD, PLUMB_COMPLEX, 4, 1, 1);
    random_fill(&a, seed), random_fill(&b, seed + 1);
    plumb_view on_a = device_copy(&a), on_b = device_copy(&b), on_x = device_like(&x);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    plumb_info outcome;
    assert_int_equal(plumb_lsq(cpu, &a, &b, &x, NULL, &outcome, NULL, NULL), PLUMB_OK);
    plumb_factor *factor = NULL;
    assert_ok(plumb_factor_create(gpu, &on_a, NULL, info_of(&info), &factor));
    assert_ok(plumb_factor_solve(gpu, factor, &on_b, &on_x, NULL, info_of(&info), NULL));
    plumb_view y = host_copy(&on_x);
    assert_true(difference(&x, &y) <= 1e6 * unit_of(PLUMB_QD));
    assert_int_equal(plumb_factor_solve(gpu, factor, &b, &x, NULL, &outcome, NULL), PLUMB_ERR_ARGUMENT);
    plumb_factor_destroy(factor);
    destroy(&y);

    plumb_lsq_report report;
    assert_ok(plumb_lsq_auto(gpu, &on_a, &on_b, &on_x, NULL, info_of(&info), 20.0, NULL, &report));
    assert_int_equal(report.factor_prec, PLUMB_DD);
    y = host_copy(&on_x);
    assert_true(difference(&x, &y) <= 1e-20);
    destroy(&y);
    destroy(&a), destroy(&b), destroy(&x), destroy(&on_a), destroy(&on_b), destroy(&on_x), destroy(&info);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_view a = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 4, 3, 1),
               b = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 4, 1, 1);
    plumb_view x = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 3, 1, 1),
               here = host_array(PLUMB_D, PLUMB_REAL, 3, 1, 1);
    plumb_view wide = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 3, 4, 1);
    assert_int_equal(plumb_lsq(gpu, &a, &b, &here, NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_context_message(gpu), "x is on the host, a is not");
    assert_int_equal(plumb_lsq(gpu, &wide, &here, &b, NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_lsq(gpu, &a, &b, &b, NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, NULL, NULL,
                        NULL)); /* the matrix is zero, and nobody asks for info: the wait tells */
    assert_int_equal(plumb_stream_wait(gpu, NULL), PLUMB_ERR_SINGULAR);
    destroy(&a), destroy(&b), destroy(&x), destroy(&here), destroy(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_arrays_go_there_and_back),   cmocka_unit_test(failures_are_named_as_on_the_cpu),
        cmocka_unit_test(every_column_may_depend),         cmocka_unit_test(scales_may_be_far_apart),
        cmocka_unit_test(one_of_several_out_of_range),     cmocka_unit_test(batches_with_gaps),
        cmocka_unit_test(sequences_stay_on_the_device),    cmocka_unit_test(the_cpu_does_the_rest),
        cmocka_unit_test(factors_and_automatic_precision), cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
