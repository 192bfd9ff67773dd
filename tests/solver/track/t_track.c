/* t_track.c - tests paths to known regular endpoints: straight lines, all roots of random polynomials of degree 30
 * against MPFR, and more equations than unknowns. */
#define TRACK_SEED 161803
#include "track_fixture.h"

#include <mpfr.h>

#include "base/number/random.h"

static double unit(int32_t prec)
{
    return prec == PLUMB_D ? 0x1p-53 : prec == PLUMB_DD ? 0x1p-104 : 0x1p-208;
}

/* x = a to x = b: the path is a straight line, and the endpoint is known. */
static void straight_lines_arrive(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD, 0};
    for (int k = 0; k < 4; k++)
        for (int32_t projective = 0; projective < 2; projective++) {
            plumb_homotopy_options options;
            plumb_homotopy_options_init(&options);
            options.seed = seed + (uint64_t)k;
            options.projective = projective;
            track_run run = track_between(context, "x - 2; y + 3;", "x - 1/4; y - 5*i;", &options, 1, precisions[k]);
            track_set_start(&run, 0, 0, 2.0, 0.0);
            track_set_start(&run, 0, 1, -3.0, 0.0);
            plumb_track_options how = track_defaults(precisions[k], seed);
            track_all(context, &run, &how);
            assert_int_equal(run.records[0].code, PLUMB_PATH_SUCCESS);
            assert_int_equal(run.records[0].winding, 0);
            assert_true(run.records[0].t == 1.0);
            double u = unit(run.records[0].prec);
            assert_true(track_off(&run, 0, 0, 0.25, 0.0) <= 64.0 * u);
            assert_true(track_off(&run, 0, 1, 0.0, 5.0) <= 64.0 * u);
            assert_true(run.records[0].error <= 1e3 * u);
            track_run_destroy(context, &run);
        }
}

/* ---- One unknown ----------------------------------------------------------------------------------------------------------- */

enum { DEGREE = 30, BITS = 400 };

/* Coefficients of x^30 and so on are small complex integers: exact everywhere. */
static void random_polynomial(plumb_random *random, int (*c)[2], char *text)
{
    size_t used = 0;
    for (int d = DEGREE; d >= 0; d--) {
        for (int part = 0; part < 2; part++)
            c[d][part] = (int)plumb_random_below(random, 2001) - 1000;
        if (d == DEGREE && c[d][0] == 0)
            c[d][0] = 1;
        used += (size_t)sprintf(text + used, "%s(%d %+d*i)*x^%d", d < DEGREE ? " + " : "", c[d][0], c[d][1], d);
    }
    memcpy(text + used, ";", 2);
}

/* |f(x)| / |f'(x)|, by Horner in 400 bits: the distance to a root, to first order. */
static double newton_distance(const track_run *run, int64_t path, int (*c)[2])
{
    mpfr_t x[2], f[2], g[2], s, t;
    mpfr_inits2(BITS, x[0], x[1], f[0], f[1], g[0], g[1], s, t, NULL);
    for (int part = 0; part < 2; part++) {
        mpfr_set_zero(x[part], 1);
        mpfr_set_zero(f[part], 1);
        mpfr_set_zero(g[part], 1);
        for (int32_t limb = 0; limb < run->ends.prec; limb++)
            mpfr_add_d(x[part], x[part],
                       run->ends.data[path * run->ends.next + (part * run->ends.prec + limb) * run->ends.plane],
                       MPFR_RNDN);
    }
    for (int d = DEGREE; d >= 0; d--) {
        mpfr_t *terms[] = {g, f};
        for (int k = 0; k < 2; k++) { /* g = g x + f, then f = f x + c */
            mpfr_t *h = terms[k];
            mpfr_fmms(s, h[0], x[0], h[1], x[1], MPFR_RNDN);
            mpfr_fmma(t, h[0], x[1], h[1], x[0], MPFR_RNDN);
            for (int part = 0; part < 2; part++) {
                mpfr_set(h[part], part ? t : s, MPFR_RNDN);
                if (k == 0)
                    mpfr_add(h[part], h[part], f[part], MPFR_RNDN);
                else
                    mpfr_add_si(h[part], h[part], c[d][part], MPFR_RNDN);
            }
        }
    }
    mpfr_hypot(s, f[0], f[1], MPFR_RNDN);
    mpfr_hypot(t, g[0], g[1], MPFR_RNDN);
    mpfr_div(s, s, t, MPFR_RNDN);
    double distance = mpfr_get_d(s, MPFR_RNDN);
    mpfr_clears(x[0], x[1], f[0], f[1], g[0], g[1], s, t, NULL);
    return distance;
}

static void roots_of_polynomials_are_all_found(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(seed);
    for (int k = 0; k < 12; k++) {
        int c[DEGREE + 1][2];
        char text[2000];
        int32_t prec = k % 4 == 3 ? 0 : k % 4 == 2 && k > 4 ? PLUMB_DD : PLUMB_D;
        random_polynomial(&random, c, text);
        track_run run = track_total_degree(context, parse_good(text), seed + (uint64_t)k, k & 1, prec);
        plumb_track_options how = track_defaults(prec, seed + (uint64_t)k);
        track_all(context, &run, &how);
        assert_int_equal(run.paths, DEGREE);
        for (int64_t i = 0; i < run.paths; i++) {
            const plumb_path_record *r = &run.records[i];
            double size = hypot(track_re(&run, i, 0), track_im(&run, i, 0)), off = newton_distance(&run, i, c);
            if (r->code != PLUMB_PATH_SUCCESS || off > 4.0 * r->error * fmax(size, 1.0) || r->error > 1e-8) {
                track_say(&run, i);
                fail_msg("polynomial %d: off by %g", k, off);
            }
        }
        assert_int_equal(track_shared(&run, 1e-6), 0);
        track_run_destroy(context, &run);
    }
}

/* ---- More equations than unknowns ---------------------------------------------------------------------------------------- */

/* Three equations in two unknowns with common roots: x = +-a, y = +-b with x y = a b, for start and target alike, and the paths between
 * them are roots of all three on the way only where h has any: x^2 = a(t)^2 and so on would not be. So both systems have one root each
 * that moves along a line. */
static void overdetermined_pairs_arrive(void **state)
{
    (void)state;
    for (int32_t prec = 0; prec <= PLUMB_DD; prec++) {
        plumb_homotopy_options options;
        plumb_homotopy_options_init(&options);
        options.seed = seed;
        track_run run =
            track_between(context, "x - 1; y - 2; x + y - 3;", "x - 3; y + 1; x + y - 2;", &options, 1, prec);
        track_set_start(&run, 0, 0, 1.0, 0.0);
        track_set_start(&run, 0, 1, 2.0, 0.0);
        plumb_track_options how = track_defaults(prec, seed);
        track_all(context, &run, &how);
        assert_int_equal(run.records[0].code, PLUMB_PATH_SUCCESS);
        assert_true(track_off(&run, 0, 0, 3.0, 0.0) < 1e-13);
        assert_true(track_off(&run, 0, 1, -1.0, 0.0) < 1e-13);
        track_run_destroy(context, &run);
    }
}

/* The third equation is x times the first and y times the second, in g and in f: so it is in h for every t, and the paths are those of the
 * first two alone. */
static void overdetermined_pairs_may_be_curved(void **state)
{
    (void)state;
    static const char *const starts[] = {"x^2 - 1; y^2 - 1;", "x^2 - 1; y^2 - 1; x^3 - x + y^3 - y;"};
    static const char *const targets[] = {"x^2 + x*y - 3; y^2 - 2*x + 1/2;",
                                          "x^2 + x*y - 3; y^2 - 2*x + 1/2; x^3 + x^2*y - 3*x + y^3 - 2*x*y + 1/2*y;"};
    for (int32_t prec = 0; prec <= PLUMB_DD; prec++) {
        plumb_homotopy_options options;
        plumb_homotopy_options_init(&options);
        options.seed = seed;
        options.projective = 0;
        plumb_track_options how = track_defaults(prec, seed);
        track_run run[2];
        for (int k = 0; k < 2; k++) {
            run[k] = track_between(context, starts[k], targets[k], &options, 4, prec);
            for (int64_t i = 0; i < 4; i++) {
                track_set_start(&run[k], i, 0, i & 1 ? 1.0 : -1.0, 0.0);
                track_set_start(&run[k], i, 1, i & 2 ? 1.0 : -1.0, 0.0);
            }
            track_all(context, &run[k], &how);
        }
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 0; j < 2; j++) {
                assert_int_equal(run[1].records[i].code, PLUMB_PATH_SUCCESS);
                assert_true(track_off(&run[1], i, j, track_re(&run[0], i, j), track_im(&run[0], i, j)) < 1e-12);
            }
        assert_int_equal(track_shared(&run[1], 1e-6), 0);
        track_run_destroy(context, &run[0]);
        track_run_destroy(context, &run[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_lines_arrive),
        cmocka_unit_test(roots_of_polynomials_are_all_found),
        cmocka_unit_test(overdetermined_pairs_arrive),
        cmocka_unit_test(overdetermined_pairs_may_be_curved),
    };
    return cmocka_run_group_tests(tests, say_seed_and_make, end_context);
}
