/* t_track_scaled.c - tests systems with unknowns and equations of very different sizes: all roots are found, and they
 * are those of the same systems in other units. If the units differ by powers of two, no bit changes. */
#define TRACK_SEED 141421
#include "track_fixture.h"

static track_run solve(plumb_system *target, int32_t projective, int32_t prec, uint64_t number)
{
    track_run run = track_total_degree(context, target, number, projective, prec);
    plumb_track_options how = track_defaults(prec, number);
    track_all(context, &run, &how);
    return run;
}

static track_run solve_file(const char *file, int32_t projective, uint64_t number)
{
    char *text = load_text(file);
    track_run run = solve(parse_good(text), projective, 0, number);
    free(text);
    return run;
}

/* The end of a path that is the one given, unknown i multiplied by factor[i]; the number of paths where there is none. */
static int64_t find_end(const track_run *run, const double *factor, const track_run *other, int64_t end)
{
    for (int64_t k = 0; k < run->paths; k++) {
        double apart = 0.0, size = 0.0;
        for (int64_t i = 0; i < run->ends.rows; i++) {
            double re = track_re(other, end, i), im = track_im(other, end, i);
            apart = fmax(apart, hypot(factor[i] * track_re(run, k, i) - re, factor[i] * track_im(run, k, i) - im));
            size = fmax(size, hypot(re, im));
        }
        if (apart < 1e-9 * size)
            return k;
    }
    return run->paths;
}

/* Katsura's system with unknowns in units of 1 to 10^12. */
static void roots_are_found_in_any_units(void **state)
{
    (void)state;
    static const double units[] = {1.0, 1e12, 1e10, 1e2, 1e3, 1e9};
    track_run plain = solve_file("katsura5.phc", 1, seed);
    assert_null(plain.homotopy->exponent);
    for (uint64_t number = 0; number < 4; number++) {
        track_run run = solve_file("scaled_katsura5.phc", number != 2, seed + number);
        assert_non_null(run.homotopy->exponent);
        assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 32);
        bool seen[33] = {[32] = true};
        for (int64_t k = 0; k < 32; k++) {
            int64_t found = find_end(&run, units, &plain, k);
            assert_false(seen[found]);
            seen[found] = true;
            assert_true(run.records[k].error < 1e-12);
            for (int64_t i = 0; i < 6; i++)
                assert_true(fabs(log2(units[i]) + run.homotopy->exponent[i]) < 3.0);
        }
        track_run_destroy(context, &run);
    }
    track_run_destroy(context, &plain);
}

/* ---- Powers of two --------------------------------------------------------------------------------------------------------- */

/* What a step was, in units. */
typedef struct step_sum {
    int64_t count;
    double t, x[2];
    const double *units;
} step_sum;

static void add_step(void *data, const plumb_path_step *step)
{
    step_sum *sum = data;
    sum->count++;
    sum->t += step->t;
    for (int64_t i = 0; i < step->unknowns; i++)
        sum->x[i] += step->x[2 * i * step->prec] * sum->units[i];
}

static track_run solve_in_units(const char *form, const double *units, const double *rows, int32_t projective,
                                int32_t prec, step_sum *sum)
{
    char text[1000];
    *sum = (step_sum){.units = units};
    snprintf(text, sizeof text, form, rows[0], units[0], units[1], rows[1], units[0], units[1]);
    track_run run = track_total_degree(context, parse_good(text), seed, projective, prec);
    plumb_track_options how = track_defaults(prec, seed);
    plumb_context *alone = track_context(1); /* so that steps come in their order */
    how.step = add_step;
    how.data = sum;
    how.largest = 0x1p140 / fmax(units[0], units[1]); /* the same in scaled units, which are the inverses of these */
    track_all(alone, &run, &how);
    plumb_context_destroy(alone);
    return run;
}

/* The equations, each with a factor; units and factors are integers, and written in full. */
#define EQUATIONS(first, second) "%.0f*(" first "); %.0f*(" second ");"

static void powers_of_two_change_no_bit(void **state)
{
    (void)state;
    /* Four solutions; three of four paths to infinity. The unknowns are u x and v y. */
    static const char *const forms[] = {
        EQUATIONS("(%.0f*x)^2 + (%.0f*y)^2 - 5", "(%.0f*x)*(%.0f*y) - 2"),
        EQUATIONS("(%.0f*x)^2 - 1 + 0*%.0f*y", "(%.0f*x - 1)*(%.0f*y) - 1"),
    };
    static const double units[2][2] = {{0x1p40, 0x1p60}, {0x1p90, 0x1p12}};
    static const double rows[2][2] = {{0x1p30, 0x1p55}, {0x1p70, 0x1p3}};
    for (int k = 0; k < 12; k++) {
        const int32_t projective = k / 2 % 2, prec = k / 4;
        step_sum sum[2];
        track_run run[2];
        for (int j = 0; j < 2; j++)
            run[j] = solve_in_units(forms[k % 2], units[j], rows[j], projective, prec, &sum[j]);
        assert_int_equal(run[0].paths, 4);
        assert_int_equal(track_count(&run[0], PLUMB_PATH_SUCCESS), k % 2 ? 1 : 4);
        if (projective)
            assert_int_equal(track_count(&run[0], PLUMB_PATH_AT_INFINITY) +
                                 (prec != 0 ? track_count(&run[0], PLUMB_PATH_UNDECIDED) : 0),
                             k % 2 ? 3 : 0);
        for (int path = 0; path < 4; path++) { /* these have the units of the equations and of the largest unknown */
            plumb_path_record *a = &run[0].records[path], *b = &run[1].records[path];
            if (a->code != PLUMB_PATH_UNDECIDED) /* as paths to infinity are in affine coordinates with few digits */
                assert_int_equal(a->checked > 0, a->code == PLUMB_PATH_SUCCESS);
            if (a->checked > 0)
                a->residual = b->residual = a->error = b->error = 0.0;
        }
        assert_memory_equal(run[0].records, run[1].records, 4 * sizeof *run[0].records);
        assert_true(sum[0].count > 4 && sum[0].count == sum[1].count && sum[0].t == sum[1].t);
        assert_true(sum[0].x[0] == sum[1].x[0] && sum[0].x[1] == sum[1].x[1]);
        const plumb_view *a = &run[0].ends, *b = &run[1].ends;
        for (int64_t path = 0; path < 4; path++) {
            const int infinite = run[0].records[path].code == PLUMB_PATH_AT_INFINITY;
            double most = 0.0;
            for (int64_t i = 0; i < 2; i++) {
                most = fmax(most, fabs(track_re(&run[0], path, i)));
                for (int64_t c = 0; c < 2 * a->prec && !infinite; c++)
                    assert_true(a->data[path * a->next + c * a->plane + i] * units[0][i] ==
                                b->data[path * b->next + c * b->plane + i] * units[1][i]);
            }
            assert_true(!infinite || most == 1.0);
        }
        track_run_destroy(context, &run[0]);
        track_run_destroy(context, &run[1]);
    }
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------------------- */

/* 13 roots from 10^low on, a factor of 10 apart, signs in turn. */
static void check_many_sizes(int low)
{
    char text[4000] = "";
    for (int k = 0; k < 13; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "(x %c 1e%d)%s", k % 2 ? '-' : '+', low + k,
                 k < 12 ? "*" : ";");
    track_run run = solve(parse_good(text), 1, 0, seed);
    int64_t seen = 0;
    for (int64_t path = 0; path < 13; path++)
        for (int k = 0; k < 13; k++) {
            double root = (k % 2 ? 1 : -1) * pow(10.0, low + k);
            if (run.records[path].code <= PLUMB_PATH_SINGULAR &&
                track_off(&run, path, 0, root, 0.0) < 1e-9 * fabs(root))
                seen |= (int64_t)1 << k;
        }
    if (seen != (1 << 13) - 1)
        for (int64_t path = 0; path < 13; path++)
            track_say(&run, path);
    assert_int_equal(seen, (1 << 13) - 1);
    track_run_destroy(context, &run);
}

static void roots_have_many_sizes(void **state)
{
    (void)state;
    check_many_sizes(-6);
    check_many_sizes(0);
}

/* x and y are 10^8 and 10^-8, and coefficients may be beyond the largest double where scaled ones are not. */
static void unknowns_are_large_and_small(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 4; number++) {
        track_run run = solve(parse_good("x^2 - 3e8*x + 2e16; x*y - 1;"), number != 3, 0, seed + number);
        assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 2);
        assert_int_equal(track_count(&run, PLUMB_PATH_AT_INFINITY), 2);
        for (int64_t path = 0; path < run.paths; path++)
            if (run.records[path].code == PLUMB_PATH_SUCCESS) {
                double x = track_re(&run, path, 0) < 1.5e8 ? 1e8 : 2e8;
                assert_true(track_off(&run, path, 0, x, 0.0) < 1e-12 * x);
                assert_true(track_off(&run, path, 1, 1.0 / x, 0.0) < 1e-12 / x);
                assert_int_equal(run.records[path].max_prec, PLUMB_D);
            }
        track_run_destroy(context, &run);
    }
    track_run run = solve(parse_good("x^60 - 1e600;"), 1, PLUMB_D, seed);
    assert_int_equal(track_count(&run, PLUMB_PATH_SUCCESS), 60);
    for (int64_t path = 0; path < 60; path++)
        assert_true(fabs(hypot(track_re(&run, path, 0), track_im(&run, path, 0)) - 1e10) < 1e-3);
    track_run_destroy(context, &run);
}

/* ---- Given starts ------------------------------------------------------------------------------------------------------------ */

/* More equations than unknowns; the path is a straight line. */
static void given_starts_are_scaled(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 4; k++) {
        plumb_homotopy_options options;
        plumb_homotopy_options_init(&options);
        options.seed = seed;
        options.projective = k % 2;
        options.unscaled = k / 2;
        track_run run = track_between(context, "x - 1e9; y - 2e-9; 1e-9*x + 1e9*y - 3;",
                                      "x - 3e9; y + 1e-9; 1e-9*x + 1e9*y - 2;", &options, 1, PLUMB_QD);
        assert_true((run.homotopy->exponent == NULL) == (k / 2 == 1));
        track_set_start(&run, 0, 0, 1e9, 0.0);
        track_set_start(&run, 0, 1, 2e-9, 0.0);
        plumb_track_options how = track_defaults(PLUMB_QD, seed);
        track_all(context, &run, &how);
        if (k < 2) {
            assert_int_equal(run.records[0].code, PLUMB_PATH_SUCCESS);
            assert_true(track_off(&run, 0, 0, 3e9, 0.0) < 1e-40);
            assert_true(track_off(&run, 0, 1, -1e-9, 0.0) < 1e-24);
        }
        track_run_destroy(context, &run);
    }
}

/* ---- Ends that are told ---------------------------------------------------------------------------------------------------- */

enum { TOLD_PATHS = 4, TOLD_DOUBLES = 2 * 2 * PLUMB_QD };

typedef struct told_ends {
    int32_t times[TOLD_PATHS];
    plumb_path_record record[TOLD_PATHS];
    double x[TOLD_PATHS][TOLD_DOUBLES];
    int32_t prec;
} told_ends;

static void on_ended(void *data, const plumb_path_record *record, const double *x)
{
    told_ends *all = data;
    assert_in_range(record->path, 0, TOLD_PATHS - 1);
    all->times[record->path]++;
    all->record[record->path] = *record;
    memcpy(all->x[record->path], x, (size_t)(2 * 2 * all->prec) * sizeof *x);
}

/* Each end is told once, with the bits that the call returns; also directions at infinity and in scaled unknowns. */
static void ends_are_told_as_they_are_returned(void **state)
{
    (void)state;
    static const char *const systems[] = {
        "x^2 - 1; (x - 1)*y - 1;",
        "(1099511627776*x)^2 - 1; (1099511627776*x - 1)*(1152921504606846976*y) - 1;",
    };
    for (int k = 0; k < 8; k++) {
        const int32_t prec = k / 2 == 3 ? 0 : 1 << k / 2;
        told_ends all = {.prec = prec != 0 ? prec : PLUMB_QD};
        track_run run = track_total_degree(context, parse_good(systems[k % 2]), seed, 1, prec);
        plumb_track_options how = track_defaults(prec, seed);
        assert_int_equal(run.homotopy->exponent != NULL, k % 2);
        how.reruns = 0;
        how.ended = on_ended;
        how.data = &all;
        track_all(context, &run, &how);
        assert_int_equal(run.paths, TOLD_PATHS);
        assert_true(track_count(&run, PLUMB_PATH_AT_INFINITY) > 0 && track_count(&run, PLUMB_PATH_SUCCESS) > 0);
        for (int64_t p = 0; p < run.paths; p++) {
            assert_int_equal(all.times[p], 1);
            all.record[p].multiplicity = run.records[p].multiplicity; /* known at the end of the call only */
            assert_memory_equal(&all.record[p], &run.records[p], sizeof all.record[p]);
            for (int64_t i = 0; i < 2; i++)
                for (int32_t c = 0; c < 2 * all.prec; c++)
                    assert_true(all.x[p][2 * i * all.prec + c] ==
                                run.ends.data[p * run.ends.next + c * run.ends.plane + i]);
        }
        track_run_destroy(context, &run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_found_in_any_units), cmocka_unit_test(powers_of_two_change_no_bit),
        cmocka_unit_test(roots_have_many_sizes),        cmocka_unit_test(unknowns_are_large_and_small),
        cmocka_unit_test(given_starts_are_scaled),      cmocka_unit_test(ends_are_told_as_they_are_returned),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
