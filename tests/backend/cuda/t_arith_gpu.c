/* t_arith_gpu.c - tests that the GPU returns the bits of the scalar kernels, as t_arith_isa.c does, through plumb_map
 * on device arrays. Skipped, with the reason, if there is no GPU.
 *
 * PLUMB_TEST_COUNT tuples of operands per operation (50,000 unless set), random numbers from PLUMB_TEST_SEED. */
#include "arith/arith_tuples.h"
#include "gpu_test.h"

/* A block on the device: its memory as one column of doubles, guards and all. */
static plumb_view upload(const block *b)
{
    plumb_view host, device;
    assert_ok(plumb_view_init(&host, b->memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, b->size, 1, 1, NULL));
    assert_ok(plumb_array_create(gpu, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, b->size, 1, 1, &device));
    assert_ok(plumb_copy(gpu, &host, &device, NULL));
    return device;
}

static void download(const plumb_view *device, const block *b)
{
    plumb_view host;
    assert_ok(plumb_view_init(&host, b->memory, PLUMB_HOST, PLUMB_D, PLUMB_REAL, b->size, 1, 1, NULL));
    assert_ok(plumb_copy(gpu, device, &host, NULL));
}

/* The numbers inside that column. */
static plumb_view numbers(const plumb_view *device, const block *b, int limbs, int parts, int64_t n, int64_t cols)
{
    plumb_view v = *device;
    v.data += FRONT;
    v.prec = limbs, v.parts = parts;
    v.rows = n, v.cols = cols;
    v.plane = b->plane, v.col = b->col, v.next = limbs * parts * b->plane;
    return v;
}

/* run_kernel through plumb_map on device arrays. */
static void run_device(const tuples *t, plumb_op op, int replaced, const block *out)
{
    plumb_view memory[3], views[3], out_memory = upload(out);
    int64_t cols = op == PLUMB_OP_DOT ? t->terms : 1;
    int count = op_operands(op);
    plumb_view result = numbers(&out_memory, out, op_out_limbs(op, t->limbs), op_out_parts(op, t->parts), t->n, 1);
    for (int k = 0; k < count; k++) {
        int mixed = k == 1 && op_is_mixed(op);
        memory[k] = upload(operand(t, op, k));
        views[k] = k == replaced ? result
                                 : numbers(&memory[k], operand(t, op, k), mixed ? PLUMB_D : t->limbs,
                                           mixed ? PLUMB_REAL : t->parts, t->n, cols);
    }
    assert_ok(plumb_map(gpu, op, &views[0], count > 1 ? &views[1] : NULL, count > 2 ? &views[2] : NULL, &result, NULL));
    assert_ok(plumb_stream_wait(gpu, NULL));
    download(&out_memory, out);
    for (int k = 0; k < count; k++)
        plumb_array_destroy(gpu, &memory[k]);
    plumb_array_destroy(gpu, &out_memory);
}

static void compare_device(const tuples *t, plumb_op op)
{
    block before = block_for_results(t, op), expected = block_copy(&before), found = block_copy(&before);
    run_kernel(plumb_cpu_isas[0], t, op, -1, &expected);
    run_device(t, op, -1, &found);
    check("the GPU", "apart", t, op, &expected, &before, &found);
    block_destroy(&found);
    for (int replaced = 0; replaced < 3; replaced++) {
        if (!may_replace(t, op, replaced))
            continue;
        found = block_copy(operand(t, op, replaced));
        run_device(t, op, replaced, &found);
        check("the GPU", in_place[replaced], t, op, &expected, operand(t, op, replaced), &found);
        block_destroy(&found);
    }
    block_destroy(&before);
    block_destroy(&expected);
}

static void gpu_gives_the_same_bits(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    int64_t count = test_count(50000);
    uint64_t seed = test_seed(20130113);
    printf("%lld operand tuples an operation, seed %llu\n", (long long)count, (unsigned long long)seed);
    failures = 0;
    for_all_tuples(count, seed, compare_device);
    assert_int_equal(failures, 0);
}

static void gpu_does_not_contract(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    failures = 0;
    for (size_t k = 0; k < sizeof fused_cases / sizeof fused_cases[0]; k++) {
        const fused_case *f = &fused_cases[k];
        tuples t = fused_tuples(f);
        block before = block_for_results(&t, f->op), expected = fused_expected(f, &t), found = block_copy(&before);
        run_device(&t, f->op, -1, &found);
        check("the GPU", f->about, &t, f->op, &expected, &before, &found);
        block_destroy(&before);
        block_destroy(&expected);
        block_destroy(&found);
        tuples_destroy(&t);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_gives_the_same_bits),
        cmocka_unit_test(gpu_does_not_contract),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}
