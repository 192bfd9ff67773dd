/* t_roots.c - tests the roots of polynomials in one unknown: planted ones with their multiplicities, famous polynomials, and random ones whose
 * real roots a Sturm sequence counts. */
#include "solver/mp/univariate/roots.h"

#include <stdlib.h>

#include "base/number/random.h"
#include "solver/mp/mp_test.h"
#include "solver/mp/univariate/gauss.h"

enum { DIGITS = 70, BITS = 600 };

static mp_roots roots_of(const char *text)
{
    const mp_roots_options options = {.digits = DIGITS};
    plumb_system *s = parse(text);
    mp_roots roots;
    const plumb_status status = mp_roots_find(s, &options, &roots);
    if (status != PLUMB_OK)
        fail_msg("%.200s: %s", text, plumb_status_text(status));
    plumb_system_destroy(s);
    return roots;
}

static int64_t count_real(const mp_roots *roots)
{
    int64_t count = 0;
    for (int64_t k = 0; k < roots->count; k++)
        count += mpfr_zero_p(roots->list[k].z.im) != 0;
    return count;
}

/* Each root has its digits, and the multiplicities sum up to the degree. */
static void expect_digits(const mp_roots *roots, const char *text)
{
    int64_t degree = 0;
    for (int64_t k = 0; k < roots->count; k++) {
        const mp_root *r = &roots->list[k];
        degree += r->multiplicity;
        if (r->radius > mp_log2(&r->z) + 1.0 - DIGITS * log2(10.0))
            fail_msg("%.200s: root %lld has an error of 2^%g", text, (long long)k, r->radius);
    }
    assert_int_equal(degree, roots->degree);
}

/* log2 |z - x| */
static double distance(const mp_complex *z, const mp_complex *x)
{
    mp_complex *d = mp_make(1, 2 * BITS);
    assert_non_null(d);
    mp_sub(d, z, x);
    const double size = mp_log2(d);
    mp_free(d, 1);
    return size;
}

/* ---- Planted roots ------------------------------------------------------------------------------------------------- */

/* Roots (a + b i) 10^e +- sqrt(square) 10^e: one of them if square is 0. */
typedef struct planted {
    long a, b, square;
    int e, multiplicity;
} planted;

static void write_factor(const planted *p, char *text, size_t room)
{
    char power[32];
    if (p->e < 0)
        snprintf(power, sizeof power, "/10^%d", -p->e);
    else
        snprintf(power, sizeof power, "*10^%d", p->e);
    if (p->square == 0)
        snprintf(text, room, "(x - (%ld + %ld*i)%s)^%d", p->a, p->b, power, p->multiplicity);
    else
        snprintf(text, room, "((x - (%ld + %ld*i)%s)^2 - (%ld)%s%s)^%d", p->a, p->b, power, p->square, power, power,
                 p->multiplicity);
}

static void set_planted(const planted *p, int sign, mp_complex *z)
{
    mpfr_t root;
    mpfr_init2(root, BITS);
    mpfr_set_si(z->re, p->a, MPFR_RNDN);
    mpfr_set_si(z->im, p->b, MPFR_RNDN);
    mpfr_sqrt_ui(root, (unsigned long)labs(p->square), MPFR_RNDN);
    mpfr_mul_si(root, root, sign, MPFR_RNDN);
    mpfr_ptr part = p->square < 0 ? z->im : z->re;
    mpfr_add(part, part, root, MPFR_RNDN);
    mpfr_ui_pow_ui(root, 10, (unsigned long)abs(p->e), MPFR_RNDN);
    for (int k = 0; k < 2; k++)
        (p->e < 0 ? mpfr_div : mpfr_mul)(k ? z->im : z->re, k ? z->im : z->re, root, MPFR_RNDN);
    mpfr_clear(root);
}

/* The planted root is in the disc of exactly one root, which has its multiplicity and is real if it is. */
static void expect_root(const mp_roots *roots, const planted *p, int sign, const char *text)
{
    mp_complex *z = mp_make(1, BITS);
    int64_t found = 0;
    assert_non_null(z);
    set_planted(p, sign, z);
    for (int64_t k = 0; k < roots->count; k++) {
        const mp_root *r = &roots->list[k];
        if (distance(&r->z, z) > fmax(r->radius, mp_log2(z) - 590.0))
            continue;
        found++;
        if (r->multiplicity != p->multiplicity || (mpfr_zero_p(z->im) != 0) != (mpfr_zero_p(r->z.im) != 0))
            fail_msg("%s: %ld + %ld i has multiplicity %lld", text, p->a, p->b, (long long)r->multiplicity);
    }
    if (found != 1)
        fail_msg("%s: %ld + %ld i, e%d is found %lld times", text, p->a, p->b, p->e, (long long)found);
    mp_free(z, 1);
}

static void expect_planted(const planted *list, int count)
{
    char text[4000] = "";
    int64_t distinct = 0;
    for (int k = 0; k < count; k++) {
        const size_t used = strlen(text);
        if (k > 0)
            snprintf(text + used, sizeof text - used, "*");
        write_factor(&list[k], text + used + (k > 0), sizeof text - used - 1);
        distinct += list[k].square != 0 ? 2 : 1;
    }
    mp_roots roots = roots_of(text);
    expect_digits(&roots, text);
    if (roots.count != distinct)
        fail_msg("%s: %lld distinct roots, expected %lld", text, (long long)roots.count, (long long)distinct);
    for (int k = 0; k < count; k++) {
        expect_root(&roots, &list[k], 1, text);
        if (list[k].square != 0)
            expect_root(&roots, &list[k], -1, text);
    }
    mp_roots_clear(&roots);
}

static long pick(plumb_random *random, long from, long to)
{
    return from + (long)plumb_random_below(random, (uint64_t)(to - from + 1));
}

/* Factors are distinct because their a are: 1000 k plus something. */
static void planted_roots_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        planted list[6];
        plumb_random random = plumb_random_start(seed);
        const int count = (int)pick(&random, 1, 6);
        const bool complex = seed % 3 == 0;
        printf("seed %d: %d factors\n", (int)seed, count);
        for (int k = 0; k < count; k++)
            list[k] = (planted){.a = 10000 * (k + 1) + pick(&random, -999, 999),
                                .b = complex ? pick(&random, -999, 999) : 0,
                                .square = seed % 2 ? pick(&random, -999, 999) : 0,
                                .e = (int)pick(&random, -4, 3) * 5,
                                .multiplicity = (int)(count < 3 ? pick(&random, 1, 40) : pick(&random, 1, 6))};
        for (int k = 0; k < count; k++)
            if (list[k].square > 0 &&
                lround(sqrt((double)list[k].square)) * lround(sqrt((double)list[k].square)) == list[k].square)
                list[k].square = 2;
        expect_planted(list, count);
    }
}

static void multiple_roots_beside_zeros_are_found(void **state)
{
    (void)state;
    expect_planted((planted[]){{1, 0, 0, 0, 40}}, 1);
    expect_planted((planted[]){{1, 0, 0, 0, 5}, {2, 0, 0, 0, 10}, {3, 0, 0, 0, 15}}, 3);
    expect_planted((planted[]){{0, 0, 0, 0, 7}, {1, 0, 0, -20, 3}, {1, 0, 0, 20, 2}}, 3);
    expect_planted((planted[]){{0, 0, 0, 0, 1}, {0, 1, 0, 0, 6}, {0, -1, 0, 0, 6}, {0, 0, 2, 0, 4}}, 4);
    expect_planted((planted[]){{0, 0, 0, 0, 12}}, 1);
    expect_planted((planted[]){{3, 1, 0, 0, 1}}, 1);
}

/* Roots 1, 1 + 10^-30, 1 + 2 10^-30, and others farther away. */
static void clusters_are_resolved(void **state)
{
    static const char text[] = "(x-1)*(x-1-1/10^30)*(x-1-2/10^30)^2*((x-2)^2+1/10^60)*(x-5)^3";
    mp_roots roots = roots_of(text);
    (void)state;
    expect_digits(&roots, text);
    assert_int_equal(roots.count, 6);
    assert_int_equal(count_real(&roots), 4);
    assert_int_equal(roots.list[2].multiplicity, 2);
    assert_int_equal(roots.list[3].multiplicity, 3);
    for (int k = 0; k < 3; k++) {
        mpfr_sub_ui(roots.list[k].z.re, roots.list[k].z.re, 1, MPFR_RNDN);
        assert_true(fabs(1e30 * mpfr_get_d(roots.list[k].z.re, MPFR_RNDN) - k) < 1e-9);
    }
    assert_true(fabs(1e30 * mpfr_get_d(roots.list[4].z.im, MPFR_RNDN) - 1.0) < 1e-9);
    mp_roots_clear(&roots);
}

/* Four roots within 10^-300 of 1, and five within 10^-39 of 1/1000. */
static void small_clusters_take_few_sweeps(void **state)
{
    static const char *const texts[] = {"(x-1)*(x-1-1/10^300)*(x-2)*(x^2-2*x+1+1/10^600);", "x^60 - (1000*x-1)^5;"};
    static const int64_t degree[] = {5, 60}, real[] = {3, 2};
    (void)state;
    for (int c = 0; c < 2; c++) {
        mp_roots roots = roots_of(texts[c]);
        expect_digits(&roots, texts[c]);
        assert_int_equal(roots.count, degree[c]);
        assert_int_equal(count_real(&roots), real[c]);
        mp_roots_clear(&roots);
    }
}

/* ---- Famous ones --------------------------------------------------------------------------------------------------- */

/* All of the roots are integers from 1 on. */
static void wilkinson_polynomials_have_integer_roots(void **state)
{
    (void)state;
    for (int n = 20; n <= 40; n += 20) {
        char text[1000] = "(x-1)";
        for (int k = 2; k <= n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "*(x-%d)", k);
        mp_roots roots = roots_of(text);
        expect_digits(&roots, text);
        assert_int_equal(roots.count, n);
        for (int k = 0; k < n; k++) {
            mpfr_sub_ui(roots.list[k].z.re, roots.list[k].z.re, (unsigned long)k + 1, MPFR_RNDN);
            assert_true(mpfr_zero_p(roots.list[k].z.im));
            assert_true(mp_real_log2(roots.list[k].z.re) <= roots.list[k].radius);
        }
        mp_roots_clear(&roots);
    }
}

/* The sign of the only equation at a rational number, exactly. */
static int sign_at(const plumb_system *s, mpq_srcptr x)
{
    mpq_t sum;
    mpq_init(sum);
    for (int64_t k = s->equation[0]; k < s->equation[1]; k++) {
        const int64_t next = k + 1 < s->equation[1] ? s->terms[k + 1].degree : 0;
        mpq_add(sum, sum, s->terms[k].re);
        for (int64_t e = s->terms[k].degree; e > next; e--)
            mpq_mul(sum, sum, x);
    }
    const int sign = mpq_sgn(sum);
    mpq_clear(sum);
    return sign;
}

/* Does the polynomial change its sign within 2^size of a real number? */
static bool changes_sign(const plumb_system *s, mpfr_srcptr x, long size)
{
    mpq_t at, step;
    mpq_inits(at, step, NULL);
    mpq_set_ui(step, 1, 1);
    if (size < 0)
        mpq_div_2exp(step, step, (mp_bitcnt_t)-size);
    else
        mpq_mul_2exp(step, step, (mp_bitcnt_t)size);
    mpfr_get_q(at, x);
    mpq_sub(at, at, step);
    const int left = sign_at(s, at);
    mpq_add(at, at, step);
    mpq_add(at, at, step);
    const int right = sign_at(s, at);
    mpq_clears(at, step, NULL);
    return left * right < 0;
}

/* x^n - 2 (1000 x - 1)^2 has two real roots near 1/1000, about 10^-(3n/2 + 3) apart. */
static void mignotte_pairs_are_told_apart(void **state)
{
    (void)state;
    for (int n = 20; n <= 60; n += n == 20 ? 10 : 30) {
        char text[100];
        snprintf(text, sizeof text, "x^%d - 2*(1000*x - 1)^2;", n);
        plumb_system *s = parse(text);
        mp_roots roots = roots_of(text);
        mpfr_t apart;
        mpfr_init2(apart, BITS);
        assert_int_equal(roots.count, n);
        assert_int_equal(count_real(&roots), 4);
        mpfr_sub(apart, roots.list[2].z.re, roots.list[1].z.re, MPFR_RNDN);
        const double gap = mp_real_log2(apart);
        assert_true(fabs(gap / log2(10.0) + 1.5 * n + 3.0) < 1.0);
        for (int k = 1; k <= 2; k++)
            assert_true(changes_sign(s, roots.list[k].z.re, lround(gap - 30.0 * log2(10.0))));
        mpfr_clear(apart);
        mp_roots_clear(&roots);
        plumb_system_destroy(s);
    }
}

static void unit_roots_are_on_the_circle(void **state)
{
    (void)state;
    for (int n = 1; n <= 200; n += n < 12 ? 1 : 47) {
        char text[100];
        snprintf(text, sizeof text, "x^%d - 1;", n);
        mp_roots roots = roots_of(text);
        expect_digits(&roots, text);
        assert_int_equal(roots.count, n);
        assert_int_equal(count_real(&roots), n % 2 ? 1 : 2);
        for (int64_t k = 0; k < n; k++) {
            mpfr_t size;
            mpfr_init2(size, BITS);
            mpfr_hypot(size, roots.list[k].z.re, roots.list[k].z.im, MPFR_RNDN);
            mpfr_sub_ui(size, size, 1, MPFR_RNDN);
            assert_true(mp_real_log2(size) <= roots.list[k].radius);
            mpfr_clear(size);
        }
        mp_roots_clear(&roots);
    }
}

/* The coefficients of Chebyshev's polynomial of degree n, by T_(k+1) = 2 x T_k - T_(k-1). */
static void write_chebyshev(int n, char *text, size_t room)
{
    mpz_t t[3][100];
    for (int k = 0; k < 300; k++)
        mpz_init(t[k / 100][k % 100]);
    mpz_set_ui(t[0][0], 1);
    mpz_set_ui(t[1][1], 1);
    for (int k = 2; k <= n; k++)
        for (int j = 0; j <= k; j++) {
            mpz_neg(t[k % 3][j], t[(k + 1) % 3][j]);
            if (j > 0)
                mpz_addmul_ui(t[k % 3][j], t[(k + 2) % 3][j - 1], 2);
        }
    for (int j = 0; j <= n; j++)
        gmp_snprintf(text + strlen(text), room - strlen(text), "%s(%Zd)*x^%d", j > 0 ? "+" : "", t[n % 3][j], j);
    for (int k = 0; k < 300; k++)
        mpz_clear(t[k / 100][k % 100]);
}

static void chebyshev_roots_are_cosines(void **state)
{
    enum { N = 64 };
    static char text[10000];
    mpfr_t angle;
    (void)state;
    write_chebyshev(N, text, sizeof text);
    mp_roots roots = roots_of(text);
    expect_digits(&roots, text);
    assert_int_equal(roots.count, N);
    assert_int_equal(count_real(&roots), N);
    mpfr_init2(angle, BITS);
    for (unsigned long k = 0; k < N; k++) { /* ascending */
        mpfr_const_pi(angle, MPFR_RNDN);
        mpfr_mul_ui(angle, angle, 2 * (N - 1 - k) + 1, MPFR_RNDN);
        mpfr_div_ui(angle, angle, 2 * N, MPFR_RNDN);
        mpfr_cos(angle, angle, MPFR_RNDN);
        mpfr_sub(angle, angle, roots.list[k].z.re, MPFR_RNDN);
        assert_true(mp_real_log2(angle) <= roots.list[k].radius);
    }
    mpfr_clear(angle);
    mp_roots_clear(&roots);
}

/* ---- Random ones --------------------------------------------------------------------------------------------------- */

enum { MOST_DEGREE = 100 };

typedef struct integers {
    int degree;
    mpz_t c[MOST_DEGREE + 1];
} integers;

/* a = -(positive number) * (a mod b), divided by the common divisor of the coefficients. */
static void take_remainder(integers *a, const integers *b)
{
    mpz_t lead, size;
    mpz_inits(lead, size, NULL);
    mpz_abs(size, b->c[b->degree]);
    for (; a->degree >= b->degree; a->degree--) {
        mpz_set(lead, a->c[a->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0)
            mpz_neg(lead, lead);
        for (int k = 0; k <= a->degree; k++)
            mpz_mul(a->c[k], a->c[k], size);
        for (int k = 0; k <= b->degree; k++)
            mpz_submul(a->c[a->degree - b->degree + k], lead, b->c[k]);
        assert_int_equal(mpz_sgn(a->c[a->degree]), 0);
    }
    while (a->degree >= 0 && mpz_sgn(a->c[a->degree]) == 0)
        a->degree--;
    mpz_set_ui(size, 0);
    for (int k = 0; k <= a->degree; k++)
        mpz_gcd(size, size, a->c[k]);
    for (int k = 0; k <= a->degree; k++) {
        mpz_divexact(a->c[k], a->c[k], size);
        mpz_neg(a->c[k], a->c[k]);
    }
    mpz_clears(lead, size, NULL);
}

/* The number of distinct real roots: sign changes of a Sturm sequence at -infinity minus those at infinity. */
static int64_t sturm_count(const integers *p)
{
    integers s[2];
    int before[2] = {0, 0};
    int64_t changes[2] = {0, 0};
    s[0].degree = p->degree;
    s[1].degree = p->degree - 1;
    for (int k = 0; k <= MOST_DEGREE; k++) {
        mpz_inits(s[0].c[k], s[1].c[k], NULL);
        if (k <= p->degree)
            mpz_set(s[0].c[k], p->c[k]);
        if (k > 0 && k <= p->degree)
            mpz_mul_ui(s[1].c[k - 1], p->c[k], (unsigned long)k);
    }
    for (int i = 0; s[i].degree >= 0; i = 1 - i) {
        const int at = mpz_sgn(s[i].c[s[i].degree]), signs[2] = {s[i].degree % 2 ? -at : at, at};
        for (int end = 0; end < 2; end++) {
            changes[end] += signs[end] * before[end] < 0;
            before[end] = signs[end];
        }
        if (s[1 - i].degree >= 0)
            take_remainder(&s[i], &s[1 - i]);
        else
            break;
        /* s[i] is now the one after s[1 - i], which comes next */
    }
    for (int k = 0; k <= MOST_DEGREE; k++)
        mpz_clears(s[0].c[k], s[1].c[k], NULL);
    return changes[0] - changes[1];
}

/* The sum of the roots is -c_(n-1) / c_n; the imaginary parts cancel. */
static void expect_sum(const integers *p, const mp_roots *roots)
{
    mp_complex *sum = mp_make(1, BITS);
    mpq_t wanted;
    assert_non_null(sum);
    mpq_init(wanted);
    for (int64_t k = 0; k < roots->count; k++)
        mp_add(sum, sum, &roots->list[k].z);
    mpz_neg(mpq_numref(wanted), p->c[p->degree - 1]);
    mpz_set(mpq_denref(wanted), p->c[p->degree]);
    mpq_canonicalize(wanted);
    mpfr_sub_q(sum->re, sum->re, wanted, MPFR_RNDN);
    assert_true(mp_log2(sum) < -200.0);
    mpq_clear(wanted);
    mp_free(sum, 1);
}

/* Their product is c_0 / c_n, for an even degree. */
static void expect_product(const integers *p, const mp_roots *roots)
{
    mp_complex *product = mp_make(1, BITS);
    mpfr_t scratch;
    assert_non_null(product);
    mpfr_init2(scratch, BITS);
    mpfr_set_z(product->re, p->c[p->degree], MPFR_RNDN);
    for (int64_t k = 0; k < roots->count; k++)
        mp_mul(product, product, &roots->list[k].z, scratch);
    mpfr_sub_z(product->re, product->re, p->c[0], MPFR_RNDN);
    assert_true(mp_log2(product) < -190.0);
    mpfr_clear(scratch);
    mp_free(product, 1);
}

static void random_polynomials_have_as_many_real_roots_as_sturm_counts(void **state)
{
    static char text[10000];
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        integers p = {.degree = MOST_DEGREE};
        plumb_random random = plumb_random_start(seed);
        text[0] = 0;
        for (int k = 0; k <= MOST_DEGREE; k++) {
            mpz_init_set_si(p.c[k], pick(&random, -1000, 1000) * 2 + 1);
            gmp_snprintf(text + strlen(text), sizeof text - strlen(text), "%s(%Zd)*x^%d", k ? "+" : "", p.c[k], k);
        }
        mp_roots roots = roots_of(text);
        expect_digits(&roots, text);
        printf("seed %d: %d real roots\n", (int)seed, (int)count_real(&roots));
        assert_int_equal(roots.count, MOST_DEGREE);
        assert_int_equal(count_real(&roots), sturm_count(&p));
        expect_sum(&p, &roots);
        expect_product(&p, &roots);
        mp_roots_clear(&roots);
        for (int k = 0; k <= MOST_DEGREE; k++)
            mpz_clear(p.c[k]);
    }
}

/* ---- Calls --------------------------------------------------------------------------------------------------------- */

static void conditions_are_those_of_the_terms(void **state)
{
    (void)state;
    mp_roots roots = roots_of("(x - 1)*(x - 1001)^2*x;");
    assert_int_equal(roots.count, 3);
    assert_true(roots.list[0].condition >= 1.0 && roots.list[0].condition < 10.0);
    assert_true(roots.list[1].condition >= 1.0 && roots.list[1].condition < 10.0);
    assert_true(isinf(roots.list[2].condition));
    mp_roots_clear(&roots);
    roots = roots_of("(x - 1)*(x - 1001/1000);"); /* terms of 4, a derivative of 1/1000 */
    assert_true(fabs(roots.list[0].condition - 4002.0) < 10.0);
    mp_roots_clear(&roots);
}

static int always(void *data)
{
    ++*(int *)data;
    return 1;
}

static void calls_can_fail(void **state)
{
    int asked = 0;
    const mp_roots_options options = {.digits = DIGITS}, stopped = {.digits = DIGITS, .stop = always, .data = &asked};
    plumb_system *two = parse("x^2 - y; y^2 - x;"), *one = parse("x^5 - x - 1;");
    mp_roots roots;
    (void)state;
    assert_int_equal(mp_roots_find(two, &options, &roots), PLUMB_ERR_ARGUMENT);
    assert_int_equal(mp_roots_find(one, &stopped, &roots), PLUMB_ERR_STOPPED);
    assert_true(asked > 0 && roots.list == NULL);
    plumb_system_destroy(one);
    plumb_system_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_roots_are_found),
        cmocka_unit_test(multiple_roots_beside_zeros_are_found),
        cmocka_unit_test(clusters_are_resolved),
        cmocka_unit_test(small_clusters_take_few_sweeps),
        cmocka_unit_test(wilkinson_polynomials_have_integer_roots),
        cmocka_unit_test(mignotte_pairs_are_told_apart),
        cmocka_unit_test(unit_roots_are_on_the_circle),
        cmocka_unit_test(chebyshev_roots_are_cosines),
        cmocka_unit_test(random_polynomials_have_as_many_real_roots_as_sturm_counts),
        cmocka_unit_test(conditions_are_those_of_the_terms),
        cmocka_unit_test(calls_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
