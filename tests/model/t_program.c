/* t_program.c - tests the programs that systems are compiled to: powers in levels, shared products, sums in parts,
 * and the counted work. */
#include "solver/eval/eval_cases.h"
#include <stdbool.h>

#include "model/program/program.h"

static const eval_program *compile(const plumb_system *system)
{
    const eval_program *p, *again;
    assert_int_equal(plumb_program_of(system, &p), PLUMB_OK);
    assert_int_equal(plumb_program_of(system, &again), PLUMB_OK);
    assert_ptr_equal(p, again); /* made once */
    return p;
}

/* Every slot that is read has been filled by an earlier step, no slot is filled twice, all are below p->slots, and only pads
 * read nothing but slot 0. */
static void check_order(const eval_program *p)
{
    bool *filled = calloc((size_t)p->slots, sizeof *filled);
    assert_non_null(filled);
    for (int32_t s = 0; s <= p->unknowns; s++)
        filled[s] = true;
#define READS(slot) assert_true((slot) >= 0 && (slot) < p->slots && filled[slot])
#define FILLS(slot) assert_true((slot) >= 0 && (slot) < p->slots && !filled[slot]), filled[slot] = true
    for (int32_t l = 0; l < p->level_count; l++) {
        const program_level *level = &p->level[l];
        for (int32_t i = 0; i < level->count; i++) {
            READS(p->a[level->first + i]);
            READS(p->b[level->first + i]);
        }
        for (int32_t i = 0; i < level->count; i++)
            FILLS(level->to + i);
    }
    for (int32_t g = 0; g < p->group_count; g++) {
        const program_group *group = &p->group[g];
        assert_true(group->k >= 2 && group->raised <= group->k && group->k <= p->most_factors);
        assert_int_equal(group->stride % PROGRAM_PAD, 0);
        for (int32_t i = 0; i < group->count; i++)
            for (int32_t j = 0; j < group->k + group->raised; j++)
                READS(p->factors[group->first + j * group->stride + i]);
        for (int32_t i = group->count; i < group->stride; i++)
            for (int32_t j = 0; j < group->k + group->raised; j++)
                assert_int_equal(p->factors[group->first + j * group->stride + i], 0);
        for (int32_t i = 0; i < group->count; i++)
            for (int32_t j = 0; j <= group->kept; j++)
                FILLS(group->to + j * group->stride + i);
    }
    for (int32_t s = 0; s < p->stage_count; s++) {
        for (int32_t row = p->stage[s].first; row < p->stage[s].all; row++) {
            int32_t slice = row / PROGRAM_PAD, place = row % PROGRAM_PAD;
            int32_t steps = p->slice_start[slice + 1] - p->slice_start[slice];
            assert_true(p->row_terms[row] <= steps && p->row_terms[row] <= PROGRAM_LONGEST);
            for (int32_t t = 0; t < steps; t++) {
                int32_t at = (p->slice_start[slice] + t) * PROGRAM_PAD + place;
                READS(p->term_slot[at]);
                assert_true((p->times[at] != 0) == (t < p->row_terms[row]));
            }
        }
        for (int32_t row = p->stage[s].first; row < p->stage[s].all; row++)
            FILLS(p->row_to + row);
    }
    for (int32_t i = 0; i < p->equations; i++)
        READS(p->value_slot[i]);
    for (int32_t i = 0; i < p->entries; i++)
        READS(p->entry_slot[i]);
#undef READS
#undef FILLS
    free(filled);
}

static void program_shares_equal_products(void **state)
{
    (void)state;
    plumb_system *system = parse_system("2 3\n 3*x*y*z - x; 5*x*y*z + i*y*z;");
    const eval_program *p = compile(system);
    check_order(p);
    assert_int_equal(p->level_count, 0);
    assert_int_equal(p->group_count, 2); /* y z, and x y z once */
    assert_int_equal(p->group[0].count + p->group[1].count, 2);
    assert_int_equal(p->products, 1 + 4); /* y z; three and the value of x y z */
    assert_int_equal(p->value_products, 1 + 2);
    assert_int_equal(p->sum_terms, 4 + 3 + 1 + 3 + 2);
    assert_int_equal(p->value_sum_terms, 4);
    assert_int_equal(p->entries, 6);
    assert_false(p->is_real);
    plumb_system_destroy(system);
}

static void program_builds_powers_by_halves(void **state)
{
    (void)state;
    plumb_system *system = parse_system("1 2\n x^10000 + y^2;");
    const eval_program *p = compile(system);
    check_order(p);
    assert_int_equal(p->level_count, 14); /* 2^13 < 10000 <= 2^14 */
    assert_true(p->products <= 2 * 14 + 1);
    assert_int_equal(p->group_count, 0);
    assert_true(p->is_real);
    plumb_system_destroy(system);
}

static void program_cuts_long_sums(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    enum { TERMS = 20000 };
    fprintf(out, "2\n 1");
    for (int a = 1; a <= TERMS / 100; a++)
        for (int b = 1; b <= 100; b++)
            fprintf(out, " + x^%d*y^%d", a, b);
    fprintf(out, ";\n x - y;\n");
    fclose(out);
    plumb_system *system = parse_system(text);
    const eval_program *p = compile(system);
    check_order(p);
    assert_int_equal(p->stage_count, 3); /* 20001 terms, 157 parts, 2 parts */
    assert_true(p->sum_terms < 3 * TERMS + 3 * TERMS / 100);
    plumb_system_destroy(system);
    free(text);
}

static void program_orders_random_systems(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        const random_shape shape = {1 + (int)(seed % 5), 1 + (int)(seed % 7),  3 * (int)seed,
                                    1 + (int)(seed % 7), 1 + (int)(seed % 11), (int)(seed % 2)};
        plumb_system *system = random_system(&shape, seed);
        check_order(compile(system));
        plumb_system_destroy(system);
    }
}

/* The system of the paper: 32 equations of 32 monomials of 5 unknowns. A product of 5 powers costs 3 (5 - 2) + 1 products and
 * one for each exponent above 1. */
static void program_counts_its_work(void **state)
{
    (void)state;
    plumb_system *system = parse_system("1 5\n a^2*b^3*c*d*e^5 - 1;");
    const eval_program *p = compile(system);
    check_order(p);
    assert_int_equal(p->group_count, 1);
    assert_int_equal(p->group[0].raised, 3);
    /* a^2; b^2, b^3; e^2, e^3, e^4, e^5 */
    assert_int_equal(p->products, 1 + 2 + 4 + (9 + 1 + 3));
    assert_int_equal(p->sum_terms, 2 + 5);
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_shares_equal_products), cmocka_unit_test(program_builds_powers_by_halves),
        cmocka_unit_test(program_cuts_long_sums),        cmocka_unit_test(program_orders_random_systems),
        cmocka_unit_test(program_counts_its_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
