/* t_number.c - tests reading and writing of numbers against exact rationals.
 *
 * The oracle shares nothing with the library: values are mpq, and a limb is what MPFR rounds them to with the exponents
 * of a double. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>
#include <mpfr.h>

#include "base/number/random.h"
#include "plumb.h"
#include "text/number/number.h"

enum { TEXT_SIZE = 4096, MOST = 4 };
static const int32_t PRECISIONS[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
static const uint64_t SEED = 7042;

#define FOR_EACH_PRECISION(prec) for (int32_t p_ = 0, prec = PLUMB_D; p_ < 3 && (prec = PRECISIONS[p_], true); p_++)

/* limb 0 = RN(x), limb 1 = RN(x - limb 0), ... False when limb 0 overflows. x is used up. */
static bool oracle(mpq_t x, int32_t prec, double *limbs)
{
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_t nearest;
    mpq_t limb;
    mpfr_init2(nearest, 53);
    mpq_init(limb);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    bool finite = true;
    for (int32_t i = 0; i < prec && finite; i++) {
        int ternary = mpfr_set_q(nearest, x, MPFR_RNDN);
        mpfr_subnormalize(nearest, ternary, MPFR_RNDN);
        limbs[i] = mpfr_get_d(nearest, MPFR_RNDN);
        finite = isfinite(limbs[i]) != 0;
        if (finite) {
            mpq_set_d(limb, limbs[i]);
            mpq_sub(x, x, limb);
        }
        if (limbs[i] == 0 && i > 0)
            limbs[i] = 0; /* no sign */
    }
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpq_clear(limb);
    mpfr_clear(nearest);
    return finite;
}

static void sum_of(mpq_t sum, int32_t count, const double *limbs)
{
    mpq_t limb;
    mpq_init(limb);
    mpq_set_ui(sum, 0, 1);
    for (int32_t i = 0; i < count; i++) {
        mpq_set_d(limb, limbs[i]);
        mpq_add(sum, sum, limb);
    }
    mpq_clear(limb);
}

static bool same_limbs(int32_t prec, const double *a, const double *b)
{
    return memcmp(a, b, (size_t)prec * sizeof *a) == 0;
}

static plumb_status read_text(const char *text, int32_t prec, double *limbs)
{
    return plumb_number_read(text, strlen(text), prec, limbs, NULL, NULL);
}

static bool reads_as(const char *text, int32_t prec, const double *limbs)
{
    double got[MOST];
    return read_text(text, prec, got) == PLUMB_OK && same_limbs(prec, got, limbs);
}

/* text must read as the expansion of the rational x, at every precision; x is kept. */
static void check_read(const char *text, const mpq_t x)
{
    mpq_t rest;
    mpq_init(rest);
    FOR_EACH_PRECISION(prec)
    {
        double expected[MOST], got[MOST];
        mpq_set(rest, x);
        plumb_status status = read_text(text, prec, got);
        bool finite = oracle(rest, prec, expected);
        if (finite != (status == PLUMB_OK) || (!finite && status != PLUMB_ERR_RANGE) ||
            (finite && !same_limbs(prec, got, expected)))
            fail_msg("%s as %s: %s, %a instead of %a", text, plumb_prec_name(prec), plumb_status_text(status), got[0],
                     expected[0]);
    }
    mpq_clear(rest);
}

/* x = digits * 10^exponent */
static void decimal_value(mpq_t x, const char *digits, long exponent)
{
    mpz_t power;
    mpz_init(power);
    mpq_set_ui(x, 0, 1);
    mpz_set_str(mpq_numref(x), digits, 10);
    mpz_ui_pow_ui(power, 10, (unsigned long)labs(exponent));
    if (exponent >= 0)
        mpz_mul(mpq_numref(x), mpq_numref(x), power);
    else
        mpz_set(mpq_denref(x), power);
    mpq_canonicalize(x);
    mpz_clear(power);
}

static double random_double(plumb_random *random, int exponent)
{
    double x = ldexp(1 + plumb_random_unit(random), exponent);
    return plumb_random_next(random) & 1 ? -x : x;
}

/* Canonical limbs of many kinds: close together, far apart, zeros between, ties, powers of two, subnormals, the ends of
 * the range. */
static void random_number(plumb_random *random, int32_t prec, double *limbs)
{
    double part[MOST + 2] = {0};
    int kind = (int)plumb_random_below(random, 8), exponent = (int)plumb_random_below(random, 2098) - 1074;
    for (int i = 0; i <= prec; i++) {
        bool keep = kind != 5 || i == 0 || plumb_random_below(random, 2) == 0;
        part[i] = keep ? random_double(random, exponent) : 0;
        if (kind == 1 || (kind == 6 && (plumb_random_next(random) & 1)))
            part[i] = copysign(ldexp(1, exponent), part[i]); /* powers of two */
        if (kind == 2 && i == 0)
            exponent = (int)plumb_random_below(random, 60) - 1074 + 53 * prec; /* low limbs subnormal */
        if (kind == 3)
            exponent -= (int)plumb_random_below(random, 400);                              /* far apart */
        exponent -= kind == 4 || kind == 6 ? 53 : 53 + (int)plumb_random_below(random, 3); /* 4, 6: near ties */
    }
    mpq_t sum;
    mpq_init(sum);
    sum_of(sum, prec + 1, part);
    if (!oracle(sum, prec, limbs) || limbs[0] == 0)
        for (int i = 0; i < prec; i++)
            limbs[i] = i == 0 ? DBL_MAX : 0;
    mpq_clear(sum);
}

static void number_write_reads_back(void **state)
{
    (void)state;
    print_message("seed %llu\n", (unsigned long long)SEED);
    plumb_random random = plumb_random_start(SEED);
    FOR_EACH_PRECISION(prec)
    {
        size_t longest = 0;
        for (int i = 0; i < 100000; i++) {
            double limbs[MOST];
            char text[TEXT_SIZE];
            size_t needed;
            random_number(&random, prec, limbs);
            assert_int_equal(plumb_number_write(prec, limbs, 0, text, sizeof text, &needed), PLUMB_OK);
            assert_int_equal(needed, strlen(text) + 1);
            if (!reads_as(text, prec, limbs))
                fail_msg("%s: %s does not read back to %a ...", plumb_prec_name(prec), text, limbs[0]);
            longest = needed > longest ? needed : longest;
            assert_int_equal(plumb_number_write_hex(prec, limbs, text, sizeof text, NULL), PLUMB_OK);
            assert_true(reads_as(text, prec, limbs));
        }
        print_message("%s: 100000 numbers, longest decimal %zu characters\n", plumb_prec_name(prec), longest - 1);
    }
}

static void number_write_reads_back_at_the_edges(void **state)
{
    (void)state;
    static const double edges[] = {DBL_MAX,     DBL_MIN,   0x1p-1074,
                                   0x1.8p-1073, 0x1p-1022, 0x0.fffffffffffffp-1022,
                                   1,           0x1p53,    0x1.fffffffffffffp+1022,
                                   0x1p1023,    1e22,      1e23,
                                   0x1p-969,    0.0,       -0.0};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        for (size_t j = 0; j < sizeof edges / sizeof edges[0]; j++) {
            FOR_EACH_PRECISION(prec)
            {
                double limbs[MOST] = {edges[i]}, sum[MOST];
                if (prec > 1 && edges[j] != 0 && edges[j] < fabs(edges[i]) * 0x1p-54)
                    limbs[1] = -edges[j];
                char text[TEXT_SIZE];
                mpq_t x;
                mpq_init(x);
                sum_of(x, prec, limbs);
                bool finite = oracle(x, prec, sum);
                mpq_clear(x);
                if (edges[i] == 0)
                    sum[0] = edges[i]; /* rationals have no -0 */
                assert_true(finite);
                assert_true(same_limbs(prec, sum, limbs));
                assert_int_equal(plumb_number_write(prec, limbs, 0, text, sizeof text, NULL), PLUMB_OK);
                assert_true(reads_as(text, prec, limbs));
            }
        }
    }
}

/* Splits what plumb_number_write wrote into digits (an integer) and an exponent; returns significant digits. */
static size_t take_apart(const char *text, char *digits, long *exponent)
{
    size_t n = 0;
    bool after_point = false;
    *exponent = 0;
    for (; *text != 0 && *text != 'e'; text++) {
        if (*text == '.')
            after_point = true;
        if (*text < '0' || *text > '9')
            continue;
        *exponent -= after_point;
        if (n > 0 || *text != '0')
            digits[n++] = *text;
    }
    if (*text == 'e')
        *exponent += strtol(text + 1, NULL, 10);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
        ++*exponent;
    }
    digits[n] = 0;
    return n;
}

/* The decimals next to |x| that are multiples of 10^exponent, down and up, as text and as distance from |x|. */
static void neighbours(const mpq_t x, long exponent, char text[2][TEXT_SIZE], mpq_t distance[2])
{
    mpq_t scaled, power;
    mpz_t n;
    mpq_inits(scaled, power, NULL);
    mpz_init(n);
    decimal_value(power, "1", exponent);
    mpq_abs(scaled, x);
    mpq_div(scaled, scaled, power);
    mpz_fdiv_q(n, mpq_numref(scaled), mpq_denref(scaled));
    for (int up = 0; up < 2; up++) {
        mpz_add_ui(n, n, (unsigned long)up);
        gmp_snprintf(text[up], TEXT_SIZE, "%s%Zde%ld", mpq_sgn(x) < 0 ? "-" : "", n, exponent);
        mpq_set_z(distance[up], n);
        mpq_sub(distance[up], distance[up], scaled);
        mpq_abs(distance[up], distance[up]);
    }
    mpq_clears(scaled, power, NULL);
    mpz_clear(n);
}

/* Is what is written of these limbs the shortest decimal that reads as them, and the nearest of those? */
static void check_shortest(int32_t prec, const double *limbs)
{
    static char near[2][TEXT_SIZE];
    char text[TEXT_SIZE], digits[TEXT_SIZE];
    long exponent;
    mpq_t x, distance[2];
    mpq_inits(x, distance[0], distance[1], NULL);
    assert_int_equal(plumb_number_write(prec, limbs, 0, text, sizeof text, NULL), PLUMB_OK);
    size_t count = take_apart(text, digits, &exponent);
    sum_of(x, prec, limbs);

    neighbours(x, exponent, near, distance);
    bool in[2] = {reads_as(near[0], prec, limbs), reads_as(near[1], prec, limbs)};
    int best = !in[0] || (in[1] && mpq_cmp(distance[1], distance[0]) < 0);
    char chosen[TEXT_SIZE];
    long same_exponent;
    take_apart(near[best], chosen, &same_exponent);
    if (strcmp(chosen, digits) != 0 && !(in[0] && in[1] && mpq_equal(distance[0], distance[1])))
        fail_msg("%s is not the nearest of its length: %s", text, near[best]);

    if (count > 1) {
        neighbours(x, exponent + 1, near, distance);
        if (reads_as(near[0], prec, limbs) || reads_as(near[1], prec, limbs))
            fail_msg("%s is not the shortest: %s or %s", text, near[0], near[1]);
    }
    mpq_clears(x, distance[0], distance[1], NULL);
}

static void number_write_is_shortest_and_nearest(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 1);
    FOR_EACH_PRECISION(prec)
    {
        for (int i = 0; i < 3000; i++) {
            double limbs[MOST];
            random_number(&random, prec, limbs);
            check_shortest(prec, limbs);
        }
    }
}

/* Doubles of the sizes for which there is a quick way, and of those next to them: mantissas of all kinds, powers of two, whole numbers,
 * numbers with few digits, powers of ten, and the neighbours of all of these. */
static void number_write_of_a_usual_double_is_shortest_and_nearest(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 7);
    for (int i = 0; i < 30000; i++) {
        const int exponent = (int)plumb_random_below(&random, 180) - 125;
        double x = ldexp(1.0, exponent);
        if (i % 5 == 1)
            x = ldexp(1.0 + plumb_random_unit(&random), exponent);
        else if (i % 5 == 2)
            x = (double)plumb_random_below(&random, 1000000) / (double)(1 << plumb_random_below(&random, 4));
        else if (i % 5 == 3)
            x = (double)plumb_random_below(&random, 1000) / pow(10.0, (double)plumb_random_below(&random, 36));
        else if (i % 5 == 4)
            x = pow(10.0, (double)plumb_random_below(&random, 54) - 37.0);
        const double list[] = {x, -nextafter(x, 0.0), nextafter(x, INFINITY)};
        for (int k = 0; k < 3; k++)
            if (list[k] != 0.0)
                check_shortest(PLUMB_D, &list[k]);
    }
}

static void number_write_digits_agrees_with_mpfr(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 2);
    mpfr_t x;
    mpfr_init2(x, 2300); /* holds any sum of doubles */
    FOR_EACH_PRECISION(prec)
    {
        for (int i = 0; i < 3000; i++) {
            double limbs[MOST];
            char text[TEXT_SIZE], digits[TEXT_SIZE], *expected;
            long exponent;
            mpfr_exp_t point;
            int32_t count = 1 + (int32_t)plumb_random_below(&random, i % 10 == 0 ? 1500 : 80);
            random_number(&random, prec, limbs);
            mpfr_set_zero(x, 1);
            for (int32_t k = 0; k < prec; k++)
                assert_int_equal(mpfr_add_d(x, x, limbs[k], MPFR_RNDN), 0);
            assert_int_equal(plumb_number_write(prec, limbs, count, text, sizeof text, NULL), PLUMB_OK);
            expected = mpfr_get_str(NULL, &point, 10, (size_t)count, x, MPFR_RNDN);
            char *first = expected + (*expected == '-');
            size_t written = 0;
            for (const char *s = text; *s != 0 && *s != 'e'; s++)
                written += *s >= '0' && *s <= '9' && (written > 0 || *s != '0');
            assert_int_equal(written, count);
            size_t length = take_apart(text, digits, &exponent);
            assert_int_equal(exponent + (long)length, point);
            assert_memory_equal(digits, first, length);
            assert_int_equal(strspn(first + length, "0"), (size_t)count - length);
            assert_int_equal(*text == '-', *expected == '-');
            mpfr_free_str(expected);
        }
    }
    mpfr_clear(x);
}

static void number_read_rounds_random_decimals(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 3);
    mpq_t x;
    mpq_init(x);
    for (int i = 0; i < 20000; i++) {
        char digits[TEXT_SIZE], text[TEXT_SIZE + 32];
        int n = 1 + (int)plumb_random_below(&random, i % 50 == 0 ? 2500 : 90);
        for (int k = 0; k < n; k++)
            digits[k] = (char)('0' + plumb_random_below(&random, 10));
        digits[n] = 0;
        long exponent = (long)plumb_random_below(&random, 660) - 335 - n;
        decimal_value(x, digits, exponent);
        int point = (int)plumb_random_below(&random, (uint64_t)n + 1);
        bool negative = mpq_sgn(x) != 0 && (plumb_random_next(&random) & 1);
        if (negative)
            mpq_neg(x, x);
        snprintf(text, sizeof text, "%s%.*s.%s%c%ld", negative ? "-" : "", point, digits, digits + point,
                 "eEdD"[plumb_random_below(&random, 4)], exponent + n - point);
        if (negative && mpq_sgn(x) < 0 && exponent + n < -323)
            continue; /* -0, which a rational has not */
        check_read(text, x);
    }
    mpq_clear(x);
}

static void number_read_rounds_random_ratios(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 4);
    mpq_t x;
    gmp_randstate_t bits;
    mpq_init(x);
    gmp_randinit_default(bits);
    gmp_randseed_ui(bits, (unsigned long)SEED);
    for (int i = 0; i < 5000; i++) {
        char text[TEXT_SIZE];
        mpz_rrandomb(mpq_numref(x), bits, 1 + (mp_bitcnt_t)plumb_random_below(&random, 2200));
        mpz_rrandomb(mpq_denref(x), bits, 1 + (mp_bitcnt_t)plumb_random_below(&random, 2200));
        gmp_snprintf(text, sizeof text, "%Zd/%Zd", mpq_numref(x), mpq_denref(x));
        mpq_canonicalize(x);
        check_read(text, x);
    }
    gmp_randclear(bits);
    mpq_clear(x);
}

/* x exactly in decimal: a dyadic rational m / 2^k is m 5^k / 10^k. */
static void exact_text(char *text, const mpq_t x)
{
    mpz_t n;
    mpz_init(n);
    unsigned long k = (unsigned long)mpz_sizeinbase(mpq_denref(x), 2) - 1;
    mpz_ui_pow_ui(n, 5, k);
    mpz_mul(n, n, mpq_numref(x));
    gmp_snprintf(text, TEXT_SIZE, "%Zde-%lu", n, k);
    mpz_clear(n);
}

/* Exactly between two neighbours in the last limb, and a hair to either side of it, where the hair is far below
 * anything a double can hold. */
static void number_read_breaks_ties_by_the_exact_value(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 5);
    mpq_t x, half, hair;
    mpq_inits(x, half, hair, NULL);
    for (int i = 0; i < 6000; i++) {
        int32_t prec = PRECISIONS[i % 3];
        double limbs[MOST];
        char text[TEXT_SIZE], longer[2 * TEXT_SIZE];
        random_number(&random, prec, limbs);
        double last = limbs[prec - 1];
        if (last == 0 || fabs(last) == DBL_MAX)
            continue;
        mpq_set_d(x, last);
        mpq_set_d(half, nextafter(last, plumb_random_next(&random) & 1 ? INFINITY : -INFINITY));
        mpq_sub(half, half, x);
        mpq_div_2exp(half, half, 1);
        sum_of(x, prec, limbs);
        mpq_add(x, x, half);
        if (mpq_sgn(x) == 0)
            continue;
        exact_text(text, x);
        check_read(text, x);
        for (int side = -1; side <= 1;
             side += 2) { /* digits of text, then 900 zeros and a 1, or one less and 900 nines */
            const char *e = strchr(text, 'e');
            long exponent = strtol(e + 1, NULL, 10) - 901;
            mpz_t n, shift;
            mpz_inits(n, shift, NULL);
            snprintf(longer, sizeof longer, "%.*s", (int)(e - text), text);
            mpz_set_str(n, longer, 10);
            mpz_ui_pow_ui(shift, 10, 901);
            mpz_mul(n, n, shift);
            if (side < 0)
                mpz_sub_ui(n, n, 1);
            else
                mpz_add_ui(n, n, 1);
            gmp_snprintf(longer, sizeof longer, "%Zde%ld", n, exponent);
            mpz_clears(n, shift, NULL);
            decimal_value(hair, "1", exponent);
            if (side < 0)
                mpq_neg(hair, hair);
            mpq_add(hair, x, hair);
            check_read(longer, hair);
        }
    }
    mpq_clears(x, half, hair, NULL);
}

static void number_read_agrees_with_strtod(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 6);
    for (int i = 0; i < 100000; i++) {
        char text[64], shortest[64];
        uint64_t bits = plumb_random_next(&random);
        double x, y;
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)plumb_random_below(&random, 25), x);
        double expected = strtod(text, NULL);
        plumb_status status = read_text(text, PLUMB_D, &y);
        assert_int_equal(status, isfinite(expected) ? PLUMB_OK : PLUMB_ERR_RANGE);
        if (isfinite(expected))
            assert_true(same_limbs(1, &y, &expected));
        assert_int_equal(plumb_number_write(PLUMB_D, &x, 0, shortest, sizeof shortest, NULL), PLUMB_OK);
        y = strtod(shortest, NULL);
        assert_true(same_limbs(1, &x, &y));
    }
}

/* Limbs in any order and overlapping: what is written stands for their exact sum. */
static void number_write_takes_limbs_that_are_not_canonical(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 7);
    mpq_t x;
    mpq_init(x);
    for (int i = 0; i < 5000; i++) {
        int32_t prec = PRECISIONS[i % 3];
        double limbs[MOST], canonical[MOST];
        char text[TEXT_SIZE];
        for (int k = 0; k < prec; k++)
            limbs[k] = random_double(&random, (int)plumb_random_below(&random, 400) - 200);
        sum_of(x, prec, limbs);
        assert_true(oracle(x, prec, canonical));
        assert_int_equal(plumb_number_write(prec, limbs, 0, text, sizeof text, NULL), PLUMB_OK);
        assert_true(reads_as(text, prec, canonical));
        assert_int_equal(plumb_number_write_hex(prec, limbs, text, sizeof text, NULL), PLUMB_OK);
        assert_true(reads_as(text, prec, limbs));
    }
    mpq_clear(x);
}

static void exact_values_round_as_tokens_do(void **state)
{
    (void)state;
    plumb_random random = plumb_random_start(SEED + 8);
    number_exact exact;
    plumb_exact_init(&exact);
    mpq_t x;
    mpq_init(x);
    for (int i = 0; i < 5000; i++) {
        int32_t prec = PRECISIONS[i % 3];
        double limbs[MOST], got[MOST];
        char text[TEXT_SIZE];
        random_number(&random, PLUMB_QD, limbs);
        sum_of(x, PLUMB_QD, limbs);
        if (i % 2 == 0)
            assert_int_equal(plumb_number_write_hex(PLUMB_QD, limbs, text, sizeof text, NULL), PLUMB_OK);
        else
            exact_text(text, x);
        text_cursor c = {.begin = text, .at = text, .end = text + strlen(text)};
        number_token token;
        assert_int_equal(plumb_number_scan(&c, NUMBER_WITH_ALL, &token, NULL), PLUMB_OK);
        assert_ptr_equal(c.at, c.end);
        assert_int_equal(plumb_exact_from_token(&c, &token, &exact, NULL), PLUMB_OK);
        assert_true(mpq_equal(exact.value, x));
        assert_int_equal(exact.exponent, 0);
        assert_int_equal(plumb_exact_to_limbs(&exact, prec, got), PLUMB_OK);
        assert_true(oracle(x, prec, limbs));
        assert_true(same_limbs(prec, got, limbs));
    }
    mpq_clear(x);
    plumb_exact_clear(&exact);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static int64_t allocations;

static void *count_alloc(size_t size)
{
    allocations++;
    return malloc(size);
}

static void *count_realloc(void *old, size_t was, size_t size)
{
    (void)was;
    allocations++;
    return realloc(old, size);
}

static void plain_free(void *memory, size_t size)
{
    (void)size;
    free(memory);
}

/* GMP ends the process when it gets no memory: decimals and hexadecimals of any length do without its memory. */
static void conversions_use_no_memory_of_gmp(void **state)
{
    (void)state;
    void *(*alloc)(size_t), *(*re)(void *, size_t, size_t);
    void (*release)(void *, size_t);
    static char text[20000], back[8192];
    static const char *const ends[] = {"", "e-324", "e-300", "e300", "e308", "e-10", "e-2000", "p-1074", "p1023"};
    static const size_t lengths[] = {1, 17, 70, 309, 770, 1400, 5000, 19000};
    mp_get_memory_functions(&alloc, &re, &release);
    mp_set_memory_functions(count_alloc, count_realloc, plain_free);
    allocations = 0;
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
        for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++)
            for (int form = 0; form < 3; form++) {
                const bool hex = ends[e][0] == 'p';
                size_t used = (size_t)sprintf(text, "%s%s", hex ? "0x" : "", form == 0 ? "0." : form == 1 ? "" : "7.");
                for (size_t k = 0; k < lengths[l]; k++)
                    text[used++] = (char)('1' + (k * 7 + l + (size_t)form) % 9);
                memcpy(text + used, ends[e], strlen(ends[e]) + 1);
                for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
                    double limbs[4];
                    if (plumb_number_read(text, strlen(text), prec, limbs, NULL, NULL) != PLUMB_OK)
                        continue;
                    assert_int_equal(plumb_number_write(prec, limbs, 0, back, sizeof back, NULL), PLUMB_OK);
                    assert_int_equal(plumb_number_write(prec, limbs, 900, back, sizeof back, NULL), PLUMB_OK);
                    assert_int_equal(plumb_number_write(prec, limbs, 2000, back, sizeof back, NULL), PLUMB_OK);
                }
            }
    static const double extremes[] = {0x1p-1074, 0x1.fffffffffffffp1023, 0x1p-1022, 1e300, 3e-310, 1.0};
    for (size_t a = 0; a < sizeof extremes / sizeof extremes[0]; a++)
        for (size_t b = 0; b < sizeof extremes / sizeof extremes[0]; b++) {
            const double limbs[4] = {extremes[a], extremes[b], -extremes[a] / 3, 0x1p-1074};
            (void)!plumb_number_write(PLUMB_QD, limbs, 0, back, sizeof back, NULL);
            (void)!plumb_number_write(PLUMB_QD, limbs, 1500, back, sizeof back, NULL);
        }
    const int64_t found = allocations;
    mp_set_memory_functions(alloc, re, release);
    assert_int_equal(found, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_use_no_memory_of_gmp),
        cmocka_unit_test(number_write_reads_back),
        cmocka_unit_test(number_write_reads_back_at_the_edges),
        cmocka_unit_test(number_write_is_shortest_and_nearest),
        cmocka_unit_test(number_write_of_a_usual_double_is_shortest_and_nearest),
        cmocka_unit_test(number_write_digits_agrees_with_mpfr),
        cmocka_unit_test(number_write_takes_limbs_that_are_not_canonical),
        cmocka_unit_test(number_read_rounds_random_decimals),
        cmocka_unit_test(number_read_rounds_random_ratios),
        cmocka_unit_test(number_read_breaks_ties_by_the_exact_value),
        cmocka_unit_test(number_read_agrees_with_strtod),
        cmocka_unit_test(exact_values_round_as_tokens_do),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    mpfr_free_cache();
    return failed;
}
