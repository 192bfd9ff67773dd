/* t_homotopy.c - two systems put together: what is stacked evaluates, in MPFR, to what the two systems give one by one; in
 * homogeneous coordinates it is homogeneous, and becomes them again where the first coordinate is 1. */
#include "eval_oracle.h"

#include "model/homotopy.h"

static const uint64_t seed = 6022;

static plumb_homotopy *make(const plumb_system *start, const plumb_system *target, int32_t projective)
{
    plumb_homotopy_options options;
    plumb_homotopy *h;
    plumb_homotopy_options_init(&options);
    options.seed = seed;
    options.projective = projective;
    assert_int_equal(plumb_homotopy_create(start, target, &options, &h), PLUMB_OK);
    return h;
}

/* a += w b */
static void add_times(oracle_number *a, const oracle_number *w, const oracle_number *b)
{
    oracle_number product;
    oracle_init(&product);
    oracle_add(&product, b);
    oracle_mul(&product, w);
    oracle_add(a, &product);
    oracle_clear(&product);
}

/* |a - b| <= 2^-600 (1 + |b|): both were computed with ORACLE_BITS bits. */
static void assert_close(const oracle_number *a, const oracle_number *b)
{
    oracle_number d;
    oracle_init(&d);
    mpfr_sub(d.re, a->re, b->re, MPFR_RNDN);
    mpfr_sub(d.im, a->im, b->im, MPFR_RNDN);
    double distance = oracle_modulus(&d), size = oracle_modulus(b);
    oracle_clear(&d);
    assert_true(distance <= 0x1p-600 * (1 + size));
}

/* h = gamma tau g + (1 - tau) f, tau = weights[0], of values (or entries) i of each half. */
static void combine(oracle_number *h, const double gamma[2], double tau, const oracle_number *g, const oracle_number *f)
{
    oracle_number w;
    oracle_init(&w);
    mpfr_set_d(w.re, gamma[0], MPFR_RNDN);
    mpfr_set_d(w.im, gamma[1], MPFR_RNDN);
    mpfr_mul_d(w.re, w.re, tau, MPFR_RNDN);
    mpfr_mul_d(w.im, w.im, tau, MPFR_RNDN);
    add_times(h, &w, g);
    mpfr_set_d(w.re, tau, MPFR_RNDN);
    mpfr_ui_sub(w.re, 1, w.re, MPFR_RNDN);
    mpfr_set_zero(w.im, 1);
    add_times(h, &w, f);
    oracle_clear(&w);
}

static void affine_is_the_two_systems(void **state)
{
    (void)state;
    const random_shape shape = {5, 3, 9, 3, 4, 1};
    plumb_system *g = random_system(&shape, seed), *f = random_system(&shape, seed + 1);
    plumb_homotopy *h = make(g, f, 0);
    assert_int_equal(h->equations, 5);
    assert_int_equal(h->unknowns, 3);
    assert_int_equal(plumb_system_equations(h->stacked), 10);
    assert_null(h->patch);
    assert_true(plumb_system_same(h->start, g));
    plumb_view x = eval_view(PLUMB_QD, PLUMB_COMPLEX, 3, 1, 2);
    random_points(&x, 2.0, seed);
    for (int64_t b = 0; b < x.batch; b++) {
        oracle_result both = oracle_eval(h->stacked, &x, b), start = oracle_eval(g, &x, b),
                      target = oracle_eval(f, &x, b);
        for (int64_t i = 0; i < 5; i++) {
            oracle_number a, c;
            oracle_init(&a);
            oracle_init(&c);
            combine(&a, h->gamma, 0.375, &both.value[i], &both.value[5 + i]);
            combine(&c, h->gamma, 0.375, &start.value[i], &target.value[i]);
            assert_close(&a, &c);
            oracle_clear(&a);
            oracle_clear(&c);
            for (int64_t v = 0; v < 3; v++) {
                assert_close(&both.entry[i * 3 + v], &start.entry[i * 3 + v]);
                assert_close(&both.entry[(5 + i) * 3 + v], &target.entry[i * 3 + v]);
            }
        }
        oracle_result_free(&both);
        oracle_result_free(&start);
        oracle_result_free(&target);
    }
    free(x.data);
    plumb_homotopy_destroy(h);
    plumb_system_destroy(g);
    plumb_system_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(affine_is_the_two_systems)};
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
