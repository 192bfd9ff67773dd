/* t_gpu_lsq_kernels.c - tests every least-squares kernel on a GPU by itself: each line of the table of the planner is
 * launched, for any problem, gives the solution of the CPU, and really is the kernel that was requested. */
#include "gpu_lsq.h"

/* Solves a problem of so many rows, columns and right-hand sides, and compares with the processor. */
static void check_problem(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t systems)
{
    plumb_view a = host_array(prec, parts, rows, cols, systems), b = host_array(prec, parts, rows, rhs, systems);
    plumb_view x = host_array(prec, parts, cols, rhs, systems), y = host_array(prec, parts, cols, rhs, systems);
    plumb_info info[8] = {0}, expected[8] = {0};
    random_fill(&a, seed), random_fill(&b, seed + 1);
    assert_int_equal(plumb_lsq_batch(cpu, &a, &b, &x, NULL, expected, NULL), PLUMB_OK);
    plumb_view da = device_copy(&a), db = device_copy(&b), dx = device_like(&x);
    plumb_view outcome = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, systems, 1, 1);
    assert_ok(plumb_lsq_batch(gpu, &da, &db, &dx, NULL, info_of(&outcome), NULL));
    plumb_view found = host_copy(&outcome);
    assert_ok(plumb_copy(gpu, &dx, &y, NULL));
    memcpy(info, found.data, (size_t)systems * sizeof info[0]);
    for (int64_t s = 0; s < systems; s++)
        assert_int_equal(info[s], expected[s]);
    if (!(difference(&x, &y) <= 1e6 * unit_of(prec)))
        fail_msg("%s %s, %lld x %lld: x differs by %g", parts == PLUMB_COMPLEX ? "complex" : "real",
                 plumb_prec_name(prec), (long long)rows, (long long)cols, difference(&x, &y));
    destroy(&a), destroy(&b), destroy(&x), destroy(&y), destroy(&da), destroy(&db), destroy(&dx), destroy(&outcome),
        destroy(&found);
}

static void every_kernel_solves(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { ROWS = 11, COLS = 9, SYSTEMS = 2 };
    mgs_limits limits;
    int count, launched[MGS_FAMILIES] = {0};
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++)
        for (int64_t rhs = 1; rhs <= 2; rhs++) {
            const mgs_problem problem = {table->prec, table->parts, ROWS, COLS, COLS + rhs, SYSTEMS};
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (plan.family == MGS_AUTO || (plan.family == MGS_LARGE && rhs > 1)) /* tiles of 32 columns take long */
                continue;
            gpu->gpu.lsq_plan = &plan;
            check_problem(table->prec, table->parts, ROWS, COLS, rhs, SYSTEMS);
            gpu->gpu.lsq_plan = NULL;
            assert_int_equal(gpu->gpu.lsq_taken, table->family);
            launched[table->family]++;
        }
    for (mgs_family family = MGS_REGISTERS; family < MGS_FAMILIES; family++) {
        printf("%s: %d\n", plumb_mgs_family_name(family), launched[family]);
        if (limits.capability >= 90 && launched[family] == 0)
            fail_msg("no kernel of %s was launched", plumb_mgs_family_name(family));
    }
}

/* A call that says how many systems its run has gets the kernels of that number, however many it has itself: the same bits. */
static void the_stated_number_of_systems_decides(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { N = 7, MANY = 6 };
    for (int p = 0; p < PRECISIONS; p++) {
        const int32_t prec = precisions[p];
        plumb_view a = host_array(prec, PLUMB_COMPLEX, N, N, MANY), b = host_array(prec, PLUMB_COMPLEX, N, 1, MANY);
        plumb_view x = host_array(prec, PLUMB_COMPLEX, N, 1, MANY);
        random_fill(&a, seed), random_fill(&b, seed + 1);
        plumb_view da = device_copy(&a), db = device_copy(&b), dx = device_like(&x), one = device_like(&x);
        lsq_call call = {.a = &da, .b = &db, .x = &dx};
        assert_ok(gpu->gpu.ops->lsq(&gpu->gpu, &call, NULL));
        const int32_t family = gpu->gpu.lsq_taken;
        plumb_view all = host_copy(&dx);
        call.x = &one, call.like = MANY;
        da.batch = db.batch = one.batch = 1;
        assert_ok(gpu->gpu.ops->lsq(&gpu->gpu, &call, NULL));
        assert_int_equal(gpu->gpu.lsq_taken, family);
        one.batch = MANY;
        plumb_view first = host_copy(&one);
        assert_memory_equal(first.data, all.data, (size_t)all.next * sizeof(double));
        da.batch = db.batch = MANY;
        destroy(&a), destroy(&b), destroy(&x), destroy(&da), destroy(&db), destroy(&dx), destroy(&one), destroy(&all),
            destroy(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_solves),
        cmocka_unit_test(the_stated_number_of_systems_decides),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
