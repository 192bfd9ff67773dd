/* t_gpu_memory.c - tests least squares on a GPU whose memory is exhausted: calls fail with a message, and nothing is
 * lost. The tests compare the free memory of the GPU before and after, so CTest runs this program alone. Skipped,
 * with the reason, if there is no GPU. */
#include "gpu_lsq.h"

/* A batch in as many parts as memory asks for, on a context that has no scratch yet. */
static void in_parts(void)
{
    enum { BATCH = 100, M = 6, N = 3 };
    plumb_view a = host_array(PLUMB_D, PLUMB_REAL, M, N, BATCH), b = host_array(PLUMB_D, PLUMB_REAL, M, 1, BATCH);
    plumb_view x = host_array(PLUMB_D, PLUMB_REAL, N, 1, BATCH), block[64], rest;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    plumb_view on_a = device_copy(&a), on_b = device_copy(&b), on_x = device_like(&x);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, BATCH, 1, 1);
    plumb_info expected[BATCH];
    plumb_context_options options;
    plumb_context *fresh = NULL;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    assert_int_equal(plumb_context_create(&options, &fresh), PLUMB_OK);
    /* Everything but 64 KiB, where the scratch of the batch is more than twice that. */
    assert_ok(plumb_array_create(gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 8192, 1, 1, &rest));
    int count = 0;
    for (int64_t rows = INT64_C(1) << 28; rows >= 64; rows /= 2)
        while (count < 64 &&
               plumb_array_create(gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, rows, 1, 1, &block[count]) == PLUMB_OK)
            count++;
    destroy(&rest);
    const plumb_status status = plumb_lsq_batch(fresh, &on_a, &on_b, &on_x, NULL, info_of(&info), NULL);
    while (count > 0)
        destroy(&block[--count]);
    assert_int_equal(status, PLUMB_OK);
    assert_string_equal(plumb_context_message(fresh), "");
    assert_int_equal(plumb_stream_wait(fresh, NULL), PLUMB_OK);
    plumb_view y = host_copy(&on_x), outcome = host_copy(&info);
    assert_int_equal(plumb_lsq_batch(cpu, &a, &b, &x, NULL, expected, NULL), PLUMB_OK);
    assert_memory_equal(outcome.data, expected, sizeof expected);
    assert_true(difference(&x, &y) <= 1e6 * unit_of(PLUMB_D));
    destroy(&a), destroy(&b), destroy(&x), destroy(&on_a), destroy(&on_b), destroy(&on_x), destroy(&info);
    destroy(&y), destroy(&outcome);
    plumb_context_destroy(fresh);
}

/* With the memory of the device taken, a call fails and says so; with some of it back, the next one works. Only where that
 * takes little memory: on an emulated device. */
static void memory_may_run_out(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_device_info device;
    assert_int_equal(plumb_device_query(0, &device), PLUMB_OK);
    if (device.memory_total > INT64_C(1) << 31)
        skip();
    plumb_view a = host_array(PLUMB_DD, PLUMB_REAL, 200, 100, 1), b = host_array(PLUMB_DD, PLUMB_REAL, 200, 1, 1);
    plumb_view x = host_array(PLUMB_DD, PLUMB_REAL, 100, 1, 1), taken_up[64];
    int count = 0;
    plumb_info info;
    for (int64_t rows = INT64_C(1) << 28; rows > 64; rows /= 2)
        while (count < 64 &&
               plumb_array_create(gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, rows, 1, 1, &taken_up[count]) == PLUMB_OK)
            count++;
    assert_int_equal(plumb_lsq(gpu, &a, &b, &x, NULL, &info, NULL, NULL), PLUMB_ERR_MEMORY);
    assert_true(strlen(plumb_context_message(gpu)) > 0);
    while (count > 0)
        destroy(&taken_up[--count]);
    in_parts();
    random_fill(&a, seed), random_fill(&b, seed + 1);
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    plumb_view small = a, small_b = b, small_x = x;
    small.rows = small_b.rows = 6, small.cols = small_x.rows = 4;
    assert_ok(plumb_lsq(gpu, &small, &small_b, &small_x, NULL, &info, NULL, NULL));
    assert_int_equal(info, 0);
    destroy(&a), destroy(&b), destroy(&x);
}

/* A matrix that fits in the memory of the device, but not twice: solving fails with a message and leaves nothing
 * allocated. */
static void a_matrix_may_fit_but_not_twice(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { COLUMNS = 64, TIMES = 3 };
    const int64_t slack = INT64_C(64) << 20; /* memory that the driver may take for itself in between */
    plumb_view a = host_array(PLUMB_D, PLUMB_REAL, 6, 4, 1), b = host_array(PLUMB_D, PLUMB_REAL, 6, 1, 1);
    plumb_view x = host_array(PLUMB_D, PLUMB_REAL, 4, 1, 1), large, large_b, large_x;
    plumb_info info;
    plumb_device_info before, after;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, &info, NULL, NULL));
    assert_int_equal(plumb_device_query(0, &before), PLUMB_OK);
    const int64_t rows = before.memory_free / 5 * 3 / (8 * COLUMNS);
    assert_ok(plumb_array_create(gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, rows, COLUMNS, 1, &large));
    large_x = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, COLUMNS, 1, 1);
    large_b = large;
    large_b.cols = 1; /* the first column again */
    plumb_view where = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    for (int time = 0; time < TIMES; time++) {
        assert_int_equal(plumb_lsq(gpu, &large, &large_b, &large_x, NULL, info_of(&where), NULL, NULL),
                         PLUMB_ERR_MEMORY);
        assert_non_null(strstr(plumb_context_message(gpu), "memory"));
    }
    destroy(&large), destroy(&large_x), destroy(&where);
    assert_int_equal(plumb_device_query(0, &after), PLUMB_OK);
    assert_true(after.memory_free >= before.memory_free - slack);
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, &info, NULL, NULL));
    assert_int_equal(info, 0);
    destroy(&a), destroy(&b), destroy(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_may_fit_but_not_twice),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
