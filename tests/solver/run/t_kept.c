/* t_kept.c - endpoints that stay in memory are those that the journal has, in all bits, also where numbers are not finite. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "solver/run/run.h"

enum { UNKNOWNS = 5, PATHS = 2000 };
static const uint64_t SEED = 20261;

static double random_real(plumb_random *random)
{
    static const double special[] = {0.0, -0.0, 1.0, INFINITY, -INFINITY, NAN, 0x1p-1074, 0x1.fffffffffffffp+1023};
    const int kind = (int)plumb_random_below(random, 40);
    if (kind < 8)
        return special[kind];
    const double x = ldexp(0.5 + plumb_random_unit(random), (int)plumb_random_below(random, 200) - 150);
    return plumb_random_next(random) & 1 ? -x : x;
}

static plumb_path_record random_record(plumb_random *random, int64_t path)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    return (plumb_path_record){.path = path,
                               .steps = (int64_t)plumb_random_below(random, 1000000),
                               .rejected = (int64_t)plumb_random_below(random, 1000),
                               .solves = (int64_t)plumb_random_below(random, 1000),
                               .code = (int32_t)plumb_random_below(random, PLUMB_PATH_CODES),
                               .prec = precisions[plumb_random_below(random, 3)],
                               .max_prec = precisions[plumb_random_below(random, 3)],
                               .winding = (int32_t)plumb_random_below(random, 20),
                               .reruns = (int32_t)plumb_random_below(random, 3),
                               .multiplicity = 7, /* is not written */
                               .t = random_real(random),
                               .residual = random_real(random),
                               .error = random_real(random),
                               .condition = random_real(random),
                               .min_step = random_real(random),
                               .component_error = random_real(random),
                               .checked = plumb_random_below(random, 2) ? PLUMB_DD : 0,
                               .padding = 3,
                               .reserved = {1, 2}};
}

/* An endpoint whose numbers use the first so many limbs. */
static void random_point(plumb_random *random, int32_t used, double *x)
{
    for (int k = 0; k < 2 * UNKNOWNS * PLUMB_QD; k++)
        x[k] = k % PLUMB_QD < used ? random_real(random) : 0.0;
}

static void kept_endpoints_are_those_of_the_journal(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    run_journal journal = {.file = tmpfile(), .unknowns = UNKNOWNS, .count = PATHS, .check = 17};
    run_kept kept = {.used = 0};
    double x[2 * UNKNOWNS * PLUMB_QD], a[2 * UNKNOWNS * PLUMB_QD], b[2 * UNKNOWNS * PLUMB_QD];
    static int64_t line[PATHS];
    static const run_kept_end *end[PATHS];
    assert_non_null(journal.file);
    for (int64_t k = 0; k < PATHS; k++) {
        const plumb_path_record record = random_record(&random, k);
        random_point(&random, 1 + (int32_t)(k % PLUMB_QD), x);
        line[k] = run_journal_add(&journal, &record, x, PLUMB_QD);
        end[k] = run_kept_add(&kept, &record, x, PLUMB_QD, UNKNOWNS);
        assert_true(line[k] >= 0);
        assert_non_null(end[k]);
    }
    for (int64_t k = 0; k < PATHS; k++) {
        run_found_path read = {.x = a}, copy = {.x = b};
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        assert_true(run_journal_read(&journal, line[k], &read));
        run_kept_read(end[k], UNKNOWNS, &copy);
        assert_int_equal(read.prec, copy.prec);
        assert_memory_equal(&read.record, &copy.record, sizeof read.record);
        assert_memory_equal(a, b, sizeof a);
    }
    run_kept_free(&kept);
    fclose(journal.file);
}

static void what_finds_no_room_is_not_kept(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 1);
    const int64_t most = 10 << 20; /* bytes */
    run_kept kept = {.most = most};
    double x[2 * UNKNOWNS * PLUMB_QD], copy[2 * UNKNOWNS * PLUMB_QD];
    const plumb_path_record record = random_record(&random, 0);
    random_point(&random, PLUMB_QD, x);
    const run_kept_end *first = run_kept_add(&kept, &record, x, PLUMB_QD, UNKNOWNS);
    int64_t count = first != NULL;
    while (run_kept_add(&kept, &record, x, PLUMB_QD, UNKNOWNS) != NULL)
        count++;
    assert_true(count * (int64_t)sizeof x > most / 4);
    assert_true(count * (int64_t)sizeof x < most);
    assert_true(kept.used <= most);
    run_found_path found = {.x = copy};
    run_kept_read(first, UNKNOWNS, &found);
    assert_int_equal(found.prec, PLUMB_QD);
    for (int k = 0; k < 2 * UNKNOWNS * PLUMB_QD; k++)
        assert_true(copy[k] == x[k] || (isnan(copy[k]) && isnan(x[k])));
    run_kept_free(&kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_endpoints_are_those_of_the_journal),
        cmocka_unit_test(what_finds_no_room_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
