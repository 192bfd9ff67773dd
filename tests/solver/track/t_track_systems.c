/* t_track_systems.c - tests known systems from start systems of total degree: the right numbers of regular roots,
 * singular ones and paths to infinity, for any seed; all roots different, and the same ones in every precision. */
#define TRACK_SEED 577215
#include "track_fixture.h"

/* Roots as data/systems/README.md of their origin counts them. */
typedef struct known {
    const char *file;
    int64_t regular, singular;
    int32_t winding; /* of the singular ones */
} known;

static track_run solve(const char *file, int32_t projective, int32_t prec, uint64_t number)
{
    char *text = load_text(file);
    track_run run = track_total_degree(context, parse_good(text), number, projective, prec);
    plumb_track_options how = track_defaults(prec, number);
    track_all(context, &run, &how);
    free(text);
    return run;
}

static void check_counts(const known *k, int32_t prec, uint64_t number)
{
    track_run run = solve(k->file, 1, prec, number);
    int64_t infinite = run.paths - k->regular - k->singular;
    int good = track_count(&run, PLUMB_PATH_SUCCESS) == k->regular &&
               track_count(&run, PLUMB_PATH_SINGULAR) == k->singular &&
               track_count(&run, PLUMB_PATH_AT_INFINITY) == infinite && track_shared(&run, 1e-6) == 0;
    for (int64_t i = 0; i < run.paths; i++) {
        const plumb_path_record *r = &run.records[i];
        good = good && (r->code != PLUMB_PATH_SINGULAR || r->winding == k->winding);
        good = good && (r->code != PLUMB_PATH_SUCCESS || (r->error < 1e-8 && r->t == 1.0));
    }
    if (!good) {
        for (int64_t i = 0; i < run.paths; i++)
            if (run.records[i].code != PLUMB_PATH_SUCCESS)
                track_say(&run, i);
        fail_msg("%s, seed %llu: %lld regular, %lld singular, %lld infinite, %lld shared", k->file,
                 (unsigned long long)number, (long long)track_count(&run, PLUMB_PATH_SUCCESS),
                 (long long)track_count(&run, PLUMB_PATH_SINGULAR),
                 (long long)track_count(&run, PLUMB_PATH_AT_INFINITY), (long long)track_shared(&run, 1e-6));
    }
    track_run_destroy(context, &run);
}

static void systems_have_their_roots(void **state)
{
    (void)state;
    static const known systems[] = {{"katsura5.phc", 32, 0, 0},
                                    {"noon4.phc", 73, 0, 0},
                                    {"mult_griewank_osborne.phc", 0, 3, 3},
                                    {"mult_kss5.phc", 16, 16, 2},
                                    {"hard_cheb20x2.phc", 40, 0, 0}};
    for (size_t k = 0; k < sizeof systems / sizeof *systems; k++)
        for (uint64_t number = 0; number < 4; number++)
            check_counts(&systems[k], 0, seed + number);
}

/* Most of its paths end at infinity, in points of multiplicity and with winding numbers of 2, 5 and 10. */
static void cyclic_roots(void **state)
{
    (void)state;
    static const known cyclic = {"cyclic5.phc", 70, 0, 0};
    check_counts(&cyclic, 0, seed);
}

/* The same seed in d and in dd: the same paths, so the same root for each. */
static void precisions_agree(void **state)
{
    (void)state;
    track_run d = solve("katsura5.phc", 1, PLUMB_D, seed), dd = solve("katsura5.phc", 1, PLUMB_DD, seed);
    track_run affine = solve("katsura5.phc", 0, PLUMB_D, seed);
    for (int64_t i = 0; i < d.paths; i++)
        for (int64_t k = 0; k < d.ends.rows; k++) {
            assert_true(track_off(&dd, i, k, track_re(&d, i, k), track_im(&d, i, k)) < 1e-10);
            assert_true(track_off(&affine, i, k, track_re(&d, i, k), track_im(&d, i, k)) < 1e-10);
        }
    track_run_destroy(context, &d);
    track_run_destroy(context, &dd);
    track_run_destroy(context, &affine);
}

/* Paths that pass close to a singularity lack digits in d, and say so. What d finds is what the precision that it takes finds. */
static void few_digits_are_not_wrong(void **state)
{
    (void)state;
    track_run d = solve("cyclic5.phc", 1, PLUMB_D, 16), all = solve("cyclic5.phc", 1, 0, 16);
    int64_t lost = 0;
    for (int64_t i = 0; i < d.paths; i++) {
        const int unknown =
            d.records[i].code == PLUMB_PATH_PRECISION_EXHAUSTED || d.records[i].code == PLUMB_PATH_UNDECIDED;
        lost += unknown;
        if (unknown)
            continue;
        assert_int_equal(d.records[i].code, all.records[i].code);
        for (int64_t k = 0; k < d.ends.rows && d.records[i].code == PLUMB_PATH_SUCCESS; k++)
            assert_true(track_off(&all, i, k, track_re(&d, i, k), track_im(&d, i, k)) < 1e-8);
    }
    assert_true(lost > 0);
    track_run_destroy(context, &d);
    track_run_destroy(context, &all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_their_roots),
        cmocka_unit_test(cyclic_roots),
        cmocka_unit_test(precisions_agree),
        cmocka_unit_test(few_digits_are_not_wrong),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
