/* t_homotopy.c - tests the combination of two systems: the stacked system evaluates, in MPFR, to the values of the
 * two systems; in homogeneous coordinates it is homogeneous, and equals them where the first coordinate is 1. */
#include "solver/eval/eval_oracle.h"

#include <complex.h>

#include "model/homotopy/homotopy.h"
#include "text/system/make.h"

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

/* h += gamma tau g + (1 - tau) f */
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

/* h made of the stacked system at x is that made of the two systems at the point given, values and derivatives. */
static void check_same(const plumb_homotopy *h, const plumb_system *g, const plumb_system *f, const plumb_view *x,
                       const plumb_view *given, double tau)
{
    int64_t m = h->equations, n = h->unknowns, given_n = h->given_unknowns, shift = h->projective;
    for (int64_t b = 0; b < x->batch; b++) {
        oracle_result both = oracle_eval(h->stacked, x, b);
        oracle_result start = oracle_eval(g, given, b), target = oracle_eval(f, given, b);
        for (int64_t i = 0; i < g->equations; i++)
            for (int64_t v = -1; v < given_n; v++) { /* -1: the value */
                oracle_number a = {0}, c = {0};
                oracle_init(&a);
                oracle_init(&c);
                if (v < 0) {
                    combine(&a, h->gamma, tau, &both.value[i], &both.value[m + i]);
                    combine(&c, h->gamma, tau, &start.value[i], &target.value[i]);
                } else {
                    combine(&a, h->gamma, tau, &both.entry[i * n + v + shift], &both.entry[(m + i) * n + v + shift]);
                    combine(&c, h->gamma, tau, &start.entry[i * given_n + v], &target.entry[i * given_n + v]);
                }
                assert_close(&a, &c);
                oracle_clear(&a);
                oracle_clear(&c);
            }
        oracle_result_free(&both);
        oracle_result_free(&start);
        oracle_result_free(&target);
    }
}

static const random_shape shapes[] = {{5, 3, 9, 3, 4, 1}, {2, 2, 5, 2, 3, 0}, {4, 4, 12, 4, 2, 1}, {3, 1, 3, 1, 5, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void affine_is_the_two_systems(void **state)
{
    (void)state;
    for (size_t k = 0; k < SHAPES; k++) {
        plumb_system *g = random_system(&shapes[k], seed + 2 * k), *f = random_system(&shapes[k], seed + 2 * k + 1);
        plumb_homotopy *h = make(g, f, 0);
        assert_int_equal(h->projective, 0);
        assert_int_equal(h->equations, shapes[k].equations);
        assert_int_equal(h->unknowns, shapes[k].unknowns);
        assert_int_equal(h->given_unknowns, shapes[k].unknowns);
        assert_int_equal(plumb_system_equations(h->stacked), 2 * shapes[k].equations);
        assert_null(h->patch);
        assert_true(plumb_system_same(h->start, g));
        plumb_view x = eval_view(PLUMB_QD, PLUMB_COMPLEX, h->unknowns, 1, 2);
        random_points(&x, 2.0, seed);
        check_same(h, g, f, &x, &x, 0.375);
        free(x.data);
        plumb_homotopy_destroy(h);
        plumb_system_destroy(g);
        plumb_system_destroy(f);
    }
}

/* Both copies of the patch are p.x - 1. */
static void check_patch(const plumb_homotopy *h, const plumb_view *x)
{
    oracle_result r = oracle_eval(h->stacked, x, 0);
    oracle_number sum, p, entry;
    oracle_init(&sum);
    oracle_init(&p);
    oracle_init(&entry);
    mpfr_set_si(sum.re, -1, MPFR_RNDN);
    for (int64_t v = 0; v < h->unknowns; v++) {
        assert_true(fabs(hypot(h->patch[2 * v], h->patch[2 * v + 1]) - 1) < 1e-15);
        mpfr_set_d(p.re, h->patch[2 * v], MPFR_RNDN);
        mpfr_set_d(p.im, h->patch[2 * v + 1], MPFR_RNDN);
        oracle_get(&entry, x, 0, v, 0);
        add_times(&sum, &p, &entry);
    }
    assert_close(&r.value[h->equations - 1], &sum);
    assert_close(&r.value[2 * h->equations - 1], &sum);
    oracle_clear(&sum);
    oracle_clear(&p);
    oracle_clear(&entry);
    oracle_result_free(&r);
}

/* With x scaled by 2 i, exactly, equation i of each half is multiplied by the power of that number. */
static void check_homogeneous(const plumb_homotopy *h, const plumb_system *g, const plumb_system *f,
                              const plumb_view *x)
{
    plumb_view scaled = eval_view(x->prec, x->parts, x->rows, 1, x->batch);
    for (int64_t b = 0; b < x->batch; b++)
        for (int64_t i = 0; i < x->rows; i++)
            for (int32_t c = 0; c < x->prec; c++) {
                const double *from = x->data + b * x->next + i;
                double *to = scaled.data + b * scaled.next + i;
                to[c * scaled.plane] = -2 * from[(x->prec + c) * x->plane];
                to[(x->prec + c) * scaled.plane] = 2 * from[c * x->plane];
            }
    oracle_number lambda;
    oracle_init(&lambda);
    mpfr_set_ui(lambda.im, 2, MPFR_RNDN);
    for (int64_t b = 0; b < x->batch; b++) {
        oracle_result at_x = oracle_eval(h->stacked, x, b), at_scaled = oracle_eval(h->stacked, &scaled, b);
        for (int64_t i = 0; i < g->equations; i++) {
            int64_t degree = plumb_system_degree(g, i);
            if (plumb_system_degree(f, i) > degree)
                degree = plumb_system_degree(f, i);
            for (int half = 0; half < 2; half++) {
                int64_t row = half * h->equations + i;
                assert_int_equal(plumb_system_degree(h->stacked, row), degree);
                for (int64_t e = 0; e < degree; e++)
                    oracle_mul(&at_x.value[row], &lambda);
                assert_close(&at_scaled.value[row], &at_x.value[row]);
            }
        }
        oracle_result_free(&at_x);
        oracle_result_free(&at_scaled);
    }
    oracle_clear(&lambda);
    free(scaled.data);
}

static void projective_is_homogeneous_on_a_patch(void **state)
{
    (void)state;
    for (size_t k = 0; k < SHAPES; k++) {
        random_shape other = shapes[k]; /* of other degrees than the start */
        other.most_exponent += 3;
        plumb_system *g = random_system(&shapes[k], seed + 2 * k), *f = random_system(&other, seed + 2 * k + 1);
        plumb_homotopy *h = make(g, f, 1);
        int64_t n = shapes[k].unknowns;
        assert_int_equal(h->projective, 1);
        assert_int_equal(h->equations, shapes[k].equations + 1);
        assert_int_equal(h->unknowns, n + 1);
        assert_int_equal(h->given_unknowns, n);
        plumb_view x = eval_view(PLUMB_DD, PLUMB_COMPLEX, n + 1, 1, 2);
        random_points(&x, 1.5, seed);
        check_patch(h, &x);
        check_homogeneous(h, g, f, &x);
        for (int64_t b = 0; b < x.batch; b++)
            for (int64_t c = 0; c < 4; c++)
                x.data[b * x.next + c * x.plane] = c == 0; /* x_0 = 1 */
        plumb_view rest = x;
        rest.data = x.data + 1;
        rest.rows = n;
        check_same(h, g, f, &x, &rest, 0.625);
        free(x.data);
        plumb_homotopy_destroy(h);
        plumb_system_destroy(g);
        plumb_system_destroy(f);
    }
}

/* to = (1, x) / p.(1, x), in doubles. */
static void embed(const plumb_homotopy *h, const plumb_view *x, const plumb_view *to)
{
    for (int64_t b = 0; b < x->batch; b++) {
        double complex sum = h->patch[0] + I * h->patch[1];
        const double *from = x->data + b * x->next;
        double *at = to->data + b * to->next;
        for (int64_t i = 0; i < x->rows; i++)
            sum += (h->patch[2 * i + 2] + I * h->patch[2 * i + 3]) * (from[i] + I * from[x->plane + i]);
        for (int64_t i = 0; i < to->rows; i++) {
            double complex z = (i == 0 ? 1 : from[i - 1] + I * from[x->plane + i - 1]) / sum;
            at[i] = creal(z);
            at[to->plane + i] = cimag(z);
        }
    }
}

/* The largest modulus of a coordinate of a point, or 1 if that is more. */
static double size_of(const plumb_view *x, int64_t point)
{
    double size = 1;
    for (int64_t i = 0; i < x->rows; i++)
        size = fmax(size, hypot(x->data[point * x->next + i], x->data[point * x->next + x->plane + i]));
    return size;
}

/* For each classical system: the first start solutions, put on the patch, are zeros of the first half of what is stacked. */
static void start_solutions_are_on_the_patch(void **state)
{
    (void)state;
    plumb_context *context = make_context(NULL, 1);
    for (const system_family *family = plumb_system_families; family->name != NULL; family++) {
        plumb_system *f, *g;
        int64_t count;
        assert_int_equal(plumb_system_family_make(family, 5, &f), PLUMB_OK);
        assert_int_equal(plumb_system_start(f, seed, &g), PLUMB_OK);
        assert_int_equal(plumb_system_start_count(g, &count), PLUMB_OK);
        count = count < 50 ? count : 50;
        plumb_homotopy *h = make(g, f, 1);
        plumb_view x = eval_view(PLUMB_D, PLUMB_COMPLEX, h->given_unknowns, 1, count);
        plumb_view on_patch = eval_view(PLUMB_D, PLUMB_COMPLEX, h->unknowns, 1, count);
        plumb_view values = eval_view(PLUMB_D, PLUMB_COMPLEX, 2 * h->equations, 1, count);
        assert_int_equal(plumb_system_start_solutions(g, 0, &x), PLUMB_OK);
        embed(h, &x, &on_patch);
        assert_int_equal(plumb_system_eval(context, h->stacked, &on_patch, &values, NULL, NULL), PLUMB_OK);
        for (int64_t b = 0; b < count; b++)
            for (int64_t i = 0; i < h->equations; i++) {
                const double *v = values.data + b * values.next + i;
                assert_true(hypot(v[0], v[values.plane]) <=
                            1e-13 * pow(size_of(&on_patch, b), (double)plumb_system_degree(h->stacked, i)));
            }
        free(x.data);
        free(on_patch.data);
        free(values.data);
        plumb_homotopy_destroy(h);
        plumb_system_destroy(f);
        plumb_system_destroy(g);
    }
    plumb_context_destroy(context);
}

/* Start and target as texts, and the start as the homotopy must see it. */
static void check_match(const char *start, const char *target, const char *seen)
{
    plumb_system *g = parse_system(start), *f = parse_system(target), *wanted = parse_system(seen);
    for (int32_t projective = 0; projective < 2; projective++) {
        plumb_homotopy *h = make(g, f, projective);
        assert_true(plumb_system_same(h->start, wanted));
        assert_string_equal(plumb_system_name(h->stacked, projective), plumb_system_name(f, 0));
        plumb_homotopy_destroy(h);
    }
    plumb_system_destroy(g);
    plumb_system_destroy(f);
    plumb_system_destroy(wanted);
}

static void unknowns_go_by_name_or_by_position(void **state)
{
    (void)state;
    check_match("x - 1; y^2 - 2;", "x^3 - y; y - x;", "x - 1; y^2 - 2;");
    check_match("y^2*x - 1; x - 2*y;", "x^3 - y; y - x;", "x - x + y^2*x - 1; x - 2*y;");
    check_match("u - 1; v^2 - 2*u;", "x^3 - y; y - x;", "x - 1; y^2 - 2*x;");
    check_match("c - a*b; a - 1; b + c;", "a*b - c; b - c; a;", "a - a + b - b + c - a*b; a - 1; b + c;");
}

static void the_new_unknown_has_a_name_of_its_own(void **state)
{
    (void)state;
    plumb_system *f = parse_system("x0^2 - x0_1; x0_1 - 3;");
    plumb_homotopy *h = make(f, f, 1);
    for (int64_t i = 1; i < 3; i++)
        assert_string_not_equal(plumb_system_name(h->stacked, 0), plumb_system_name(h->stacked, i));
    plumb_homotopy_destroy(h);
    plumb_system_destroy(f);
}

static void the_seed_decides(void **state)
{
    (void)state;
    plumb_system *f = parse_system("x^2 - y; y - 3;");
    plumb_homotopy_options options;
    plumb_homotopy *h[4];
    for (int i = 0; i < 4; i++) { /* once more, without a patch, with another seed */
        plumb_homotopy_options_init(&options);
        options.seed = seed + (i == 3);
        options.projective = i != 2;
        assert_int_equal(plumb_homotopy_create(f, f, &options, &h[i]), PLUMB_OK);
        assert_true(fabs(hypot(h[i]->gamma[0], h[i]->gamma[1]) - 1) < 1e-15);
    }
    assert_memory_equal(h[0]->gamma, h[1]->gamma, sizeof h[0]->gamma);
    assert_memory_equal(h[0]->gamma, h[2]->gamma, sizeof h[0]->gamma);
    assert_memory_equal(h[0]->patch, h[1]->patch, 6 * sizeof(double));
    assert_true(h[0]->gamma[0] != h[3]->gamma[0] && h[0]->patch[0] != h[3]->patch[0]);
    assert_true(h[0]->gamma[0] != h[0]->patch[0]);
    for (int i = 0; i < 4; i++)
        plumb_homotopy_destroy(h[i]);
    options.gamma[1] = -0.25;
    assert_int_equal(plumb_homotopy_create(f, f, &options, &h[0]), PLUMB_OK);
    assert_true(h[0]->gamma[0] == 0 && h[0]->gamma[1] == -0.25);
    plumb_homotopy_destroy(h[0]);
    assert_int_equal(plumb_homotopy_create(f, f, NULL, &h[0]), PLUMB_OK);
    plumb_homotopy_destroy(h[0]);
    plumb_system_destroy(f);
}

static void refuse(const char *start, const char *target, int32_t projective, plumb_status wanted, const char *why)
{
    plumb_system *g = parse_system(start), *f = parse_system(target);
    plumb_homotopy_options options;
    plumb_homotopy *h = (plumb_homotopy *)&options;
    char message[256] = "";
    plumb_homotopy_options_init(&options);
    options.projective = projective;
    assert_int_equal(plumb_homotopy_create(g, f, &options, &h), wanted);
    assert_null(h);
    if (why != NULL) {
        assert_int_equal(plumb_homotopy_check(g, f, message, sizeof message), wanted);
        assert_string_equal(message, why);
    }
    plumb_system_destroy(g);
    plumb_system_destroy(f);
}

static void what_makes_no_homotopy_is_refused(void **state)
{
    (void)state;
    refuse("x - 1;", "x - 1; y - 2;", 0, PLUMB_ERR_ARGUMENT,
           "the start system has 1 equations in 1 unknowns, expected the 2 in 2 of the target");
    refuse("x - y;", "x*y - 1;", 0, PLUMB_ERR_ARGUMENT,
           "found 1 equations in 2 unknowns, expected at least as many equations");
    refuse("y - 1; x^2 - z;  z - 3;", "x - z; z - 2; u - x;", 0, PLUMB_ERR_ARGUMENT,
           "the start system shares the unknown z with the target, but not y: expected the same unknowns in both, or "
           "none in "
           "common");
    refuse("u - 1; x - 1;", "x - 1; y - 1;", 1, PLUMB_ERR_ARGUMENT,
           "the start system shares the unknown x with the target, but not u: expected the same unknowns in both, or "
           "none in "
           "common");
    refuse("x^2 - 1; y - 1;", "x^9999*y^9999 - 1; y;", 1, PLUMB_ERR_RANGE, NULL);
    plumb_system *f = parse_system("x - 1;");
    plumb_homotopy_options options;
    plumb_homotopy *h = NULL;
    plumb_homotopy_options_init(&options);
    assert_int_equal(plumb_homotopy_create(NULL, f, &options, &h), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_homotopy_create(f, NULL, &options, &h), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_homotopy_create(f, f, &options, NULL), PLUMB_ERR_ARGUMENT);
    options.projective = 2;
    assert_int_equal(plumb_homotopy_create(f, f, &options, &h), PLUMB_ERR_ARGUMENT);
    options.projective = 0;
    options.gamma[0] = (double)INFINITY;
    assert_int_equal(plumb_homotopy_create(f, f, &options, &h), PLUMB_ERR_NONFINITE);
    options.size = 1;
    assert_int_equal(plumb_homotopy_create(f, f, &options, &h), PLUMB_ERR_ARGUMENT);
    assert_null(h);
    plumb_homotopy_destroy(NULL);
    plumb_system_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(affine_is_the_two_systems),
                                       cmocka_unit_test(projective_is_homogeneous_on_a_patch),
                                       cmocka_unit_test(start_solutions_are_on_the_patch),
                                       cmocka_unit_test(unknowns_go_by_name_or_by_position),
                                       cmocka_unit_test(the_new_unknown_has_a_name_of_its_own),
                                       cmocka_unit_test(the_seed_decides),
                                       cmocka_unit_test(what_makes_no_homotopy_is_refused)};
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
