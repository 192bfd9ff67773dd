/* t_arith_isa.c - tests that every instruction set returns the bits of the scalar kernels, for each operation,
 * precision and kind, on operands of every case of arith_cases.h with special values among them. Payload and sign of
 * NaN are not compared.
 *
 * PLUMB_TEST_COUNT tuples of operands per operation (50,000 unless set), random numbers from PLUMB_TEST_SEED. */
#include "arith_tuples.h"

static void compare_isas(const tuples *t, plumb_op op)
{
    block before = block_for_results(t, op), expected = block_copy(&before);
    run_kernel(plumb_cpu_isas[0], t, op, -1, &expected);
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++) {
        const isa_kernels *isa = plumb_cpu_isas[k];
        if (!isa->usable())
            continue;
        block found = block_copy(&before);
        run_kernel(isa, t, op, -1, &found);
        check(isa->name, "apart", t, op, &expected, &before, &found);
        block_destroy(&found);
        for (int replaced = 0; replaced < 3; replaced++) {
            if (!may_replace(t, op, replaced))
                continue;
            found = block_copy(operand(t, op, replaced));
            run_kernel(isa, t, op, replaced, &found);
            check(isa->name, in_place[replaced], t, op, &expected, operand(t, op, replaced), &found);
            block_destroy(&found);
        }
    }
    block_destroy(&before);
    block_destroy(&expected);
}

static void isas_give_the_same_bits(void **state)
{
    (void)state;
    int64_t count = test_count(50000);
    uint64_t seed = test_seed(20130113);
    printf("%lld operand tuples an operation, seed %llu, instruction sets:", (long long)count,
           (unsigned long long)seed);
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
        printf(" %s%s", plumb_cpu_isas[k]->name, plumb_cpu_isas[k]->usable() ? "" : " (not on this processor)");
    printf("\n");
    assert_string_equal(plumb_cpu_isas[0]->name, "scalar");
    failures = 0;
    for_all_tuples(count, seed, compare_isas);
    assert_int_equal(failures, 0);
}

static void isas_do_not_contract(void **state)
{
    (void)state;
    volatile double s = S, product = s * s; /* the cases rest on this */
    assert_true(fma(S, S, -product) != 0.0);
    failures = 0;
    for (size_t k = 0; k < sizeof fused_cases / sizeof fused_cases[0]; k++) {
        const fused_case *f = &fused_cases[k];
        tuples t = fused_tuples(f);
        block before = block_for_results(&t, f->op), expected = fused_expected(f, &t);
        for (int32_t isa = 0; isa < plumb_cpu_isa_count; isa++) {
            if (!plumb_cpu_isas[isa]->usable())
                continue;
            block found = block_copy(&before);
            run_kernel(plumb_cpu_isas[isa], &t, f->op, -1, &found);
            check(plumb_cpu_isas[isa]->name, f->about, &t, f->op, &expected, &before, &found);
            block_destroy(&found);
        }
        block_destroy(&before);
        block_destroy(&expected);
        tuples_destroy(&t);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isas_give_the_same_bits),
        cmocka_unit_test(isas_do_not_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
