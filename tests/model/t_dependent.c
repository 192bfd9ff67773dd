/* t_dependent.c - tests which equations follow from others: random systems with planted combinations and multiples, compared
 * with ranks modulo a prime, and small systems by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "model/system/dependent.h"

enum { MOST = 16, MONOMIALS = 4096 };
static const uint64_t seed = 1855;

/* ---- Ranks modulo a prime, as an oracle ---------------------------------------------------------------------------- */

static const uint64_t PRIME = 2147483629; /* 1 modulo 4, so that it has a square root of -1 */

static uint64_t times(uint64_t a, uint64_t b)
{
    return a * b % PRIME;
}

static uint64_t power(uint64_t a, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent /= 2, a = times(a, a))
        result = exponent % 2 ? times(result, a) : result;
    return result;
}

static uint64_t modulo(mpq_srcptr x)
{
    return times(mpz_fdiv_ui(mpq_numref(x), PRIME), power(mpz_fdiv_ui(mpq_denref(x), PRIME), PRIME - 2));
}

/* 2 is no square modulo this prime. */
static uint64_t value_of(const system_term *t)
{
    return (modulo(t->re) + times(modulo(t->im), power(2, (PRIME - 1) / 4))) % PRIME;
}

/* A number of the monomial below MONOMIALS, for up to 4 unknowns with exponents below 8. */
static int64_t place_of(const polynomial *p, const system_term *t)
{
    int64_t place = 0;
    for (int32_t i = 0; i < t->count; i++) {
        assert_true(p->factors[t->first + i].exponent < 8 && p->factors[t->first + i].unknown < 4);
        place += (int64_t)p->factors[t->first + i].exponent << (3 * p->factors[t->first + i].unknown);
    }
    return place;
}

/* The rank of the polynomials that are not gone. */
static int64_t rank_of(const polynomial *p, int64_t count, const bool *gone)
{
    uint64_t(*row)[MONOMIALS] = calloc((size_t)count + 1, sizeof *row);
    int64_t rank = 0, rows = 0;
    assert_non_null(row);
    for (int64_t e = 0; e < count; e++) {
        if (gone && gone[e])
            continue;
        for (int64_t k = 0; k < p[e].count; k++)
            row[rows][place_of(&p[e], &p[e].terms[k])] = value_of(&p[e].terms[k]);
        rows++;
    }
    for (int64_t c = 0; c < MONOMIALS && rank < rows; c++) {
        int64_t pivot = rank;
        while (pivot < rows && row[pivot][c] == 0)
            pivot++;
        if (pivot == rows)
            continue;
        for (int64_t k = 0; k < MONOMIALS && pivot != rank; k++) {
            const uint64_t swap = row[rank][k];
            row[rank][k] = row[pivot][k];
            row[pivot][k] = swap;
        }
        const uint64_t inverse = power(row[rank][c], PRIME - 2);
        for (int64_t r = rank + 1; r < rows; r++) {
            const uint64_t by = times(row[r][c], inverse);
            for (int64_t k = c; k < MONOMIALS && by > 0; k++)
                row[r][k] = (row[r][k] + times(PRIME - by, row[rank][k])) % PRIME;
        }
        rank++;
    }
    free(row);
    return rank;
}

/* ---- Random polynomials -------------------------------------------------------------------------------------------- */

static void draw(plumb_random *random, mpq_t x)
{
    const long top = 1 + (long)plumb_random_below(random, 20);
    mpq_set_si(x, plumb_random_below(random, 2) ? top : -top, 1 + (unsigned long)plumb_random_below(random, 9));
    mpq_canonicalize(x);
}

/* Terms of at most a degree in some unknowns; complex coefficients or real ones. */
static polynomial draw_polynomial(plumb_random *random, int32_t unknowns, int32_t degree, int terms, bool complex)
{
    polynomial p = {.terms = NULL};
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int k = 0; k < terms; k++) {
        system_factor f[4];
        int32_t count = 0, left = degree;
        for (int32_t u = 0; u < unknowns; u++) {
            const int32_t exponent = (int32_t)plumb_random_below(random, (uint64_t)left + 1);
            if (exponent > 0)
                f[count++] = (system_factor){u, exponent};
            left -= exponent;
        }
        draw(random, re);
        if (complex)
            draw(random, im);
        assert_int_equal(plumb_poly_append(&p, re, im, f, count, degree - left), PLUMB_OK);
    }
    mpq_clears(re, im, NULL);
    assert_int_equal(plumb_poly_normalise(&p), PLUMB_OK);
    return p;
}

static void add_product(polynomial *p, const polynomial *a, const polynomial *b)
{
    poly_work work = {.left = POLY_MOST_WORK};
    assert_int_equal(plumb_poly_add_product(p, a, b, &work), PLUMB_OK);
}

static void swap(polynomial *p, polynomial *q)
{
    const polynomial t = *p;
    *p = *q;
    *q = t;
}

static void clear_all(polynomial *p, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        plumb_poly_clear(&p[k]);
}

static int64_t find(const polynomial *p, int64_t count, int64_t unknowns, bool *gone, polynomial *lower)
{
    poly_work work = {.left = POLY_MOST_WORK};
    int64_t contradiction = 0;
    memset(gone, 0, (size_t)count * sizeof *gone);
    assert_int_equal(plumb_dependent_find(p, count, unknowns, &work, gone, lower, &contradiction), PLUMB_OK);
    return contradiction;
}

/* ---- Linear combinations ------------------------------------------------------------------------------------------- */

/* As many equations stay as the rank says, and they have that rank; what replaces an equation is of lower degree and keeps
 * the rank, alone and together with all given ones. */
static void planted_combinations_are_found(void **state)
{
    plumb_random random = plumb_random_start(seed);
    (void)state;
    for (int run = 0; run < 200; run++) {
        const int32_t unknowns = 1 + (int32_t)plumb_random_below(&random, 4);
        const int64_t base = 1 + (int64_t)plumb_random_below(&random, 6),
                      more = (int64_t)plumb_random_below(&random, 5);
        const int64_t count = base + more;
        polynomial p[2 * MOST] = {{.terms = NULL}}, lower[MOST] = {{.terms = NULL}};
        bool gone[2 * MOST];
        for (int64_t e = 0; e < base; e++)
            p[e] = draw_polynomial(&random, unknowns, 1 + (int32_t)plumb_random_below(&random, 4),
                                   2 + (int)plumb_random_below(&random, 8), run % 3 == 0);
        for (int64_t e = base; e < count; e++)
            for (int64_t k = 0; k < base; k++)
                if (plumb_random_below(&random, 2)) {
                    polynomial number = draw_polynomial(&random, 1, 0, 1, run % 3 == 0);
                    add_product(&p[e], &number, &p[k]);
                    plumb_poly_clear(&number);
                }
        for (int64_t e = count - 1; e > 0; e--)
            swap(&p[e], &p[plumb_random_below(&random, (uint64_t)e + 1)]);
        const int64_t rank = rank_of(p, count, NULL);
        if (find(p, count, MOST, gone, lower) >= 0) { /* a constant is a combination of them */
            polynomial one = draw_polynomial(&random, 1, 0, 1, false);
            p[count] = one;
            assert_int_equal(rank_of(p, count + 1, NULL), rank);
            clear_all(p, count + 1);
            clear_all(lower, count);
            continue;
        }
        int64_t stay = 0;
        for (int64_t e = 0; e < count; e++)
            stay += !gone[e];
        if (stay != rank || rank_of(p, count, gone) != rank)
            fail_msg("run %d of seed %d: %d equations stay, their rank is %d of %d", run, (int)seed, (int)stay,
                     (int)rank_of(p, count, gone), (int)rank);
        for (int64_t e = 0; e < count; e++) {
            if (lower[e].count == 0)
                continue;
            assert_false(gone[e]);
            if (p[e].count == 0 || lower[e].terms[0].degree >= p[e].terms[0].degree)
                fail_msg("run %d of seed %d: what replaces equation %d has no lower degree", run, (int)seed, (int)e);
            swap(&p[e], &lower[e]);
        }
        assert_int_equal(rank_of(p, count, gone), rank);
        memcpy(p + count, lower, (size_t)count * sizeof *p);
        assert_int_equal(rank_of(p, 2 * count, NULL), rank);
        clear_all(p, 2 * count);
    }
}

/* ---- Multiples ----------------------------------------------------------------------------------------------------- */

/* Equations with leading terms x_i^d are a Groebner basis: all sums of their multiples are reduced to zero. */
static void planted_multiples_are_found(void **state)
{
    plumb_random random = plumb_random_start(seed);
    (void)state;
    for (int run = 0; run < 60; run++) {
        const int32_t unknowns = 1 + (int32_t)plumb_random_below(&random, 3), degree = 1 + run % 3;
        polynomial p[MOST] = {{.terms = NULL}};
        bool gone[MOST];
        for (int32_t u = 0; u < unknowns; u++) {
            const system_factor f = {u, degree};
            mpq_t one, zero;
            p[u] = draw_polynomial(&random, unknowns, degree - 1, 4, run % 2);
            mpq_inits(one, zero, NULL);
            mpq_set_ui(one, 1, 1);
            assert_int_equal(plumb_poly_append(&p[u], one, zero, &f, 1, degree), PLUMB_OK);
            mpq_clears(one, zero, NULL);
            assert_int_equal(plumb_poly_normalise(&p[u]), PLUMB_OK);
        }
        const int64_t count = unknowns + 2;
        for (int64_t e = unknowns; e < count; e++)
            for (int32_t u = 0; u < unknowns; u++) {
                polynomial by = draw_polynomial(&random, unknowns, 2, 3, false);
                add_product(&p[e], &by, &p[u]);
                plumb_poly_clear(&by);
            }
        assert_int_equal(find(p, count, unknowns, gone, NULL), -1);
        for (int64_t e = 0; e < count; e++)
            if (p[e].count > 0 && p[e].terms[0].degree > degree && !gone[e])
                fail_msg("run %d of seed %d: equation %d", run, (int)seed, (int)e);
        clear_all(p, count);
    }
}

/* ---- By hand ------------------------------------------------------------------------------------------------------- */

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &s, NULL), PLUMB_OK);
    return s;
}

/* The equations that stay are the ones given, in their order. */
static void the_others_stay_as_they_are(void **state)
{
    static const struct {
        const char *given, *left; /* NULL: nothing is square */
    } cases[] = {{"x^2 - 2; 0*x;", "x^2 - 2;"},
                 {"x*(x^2 - 2); x^2 - 2;", "x^2 - 2;"},
                 {"2*x^2 + 2*y^2 - 10; x*y - 2; x^2 + y^2 - 5;", "2*x^2 + 2*y^2 - 10; x*y - 2;"},
                 {"x^2 + y^2 + x*y - 7; x*y - 2; x^2 + y^2 - 5;", "x^2 + y^2 + x*y - 7; x*y - 2;"},
                 {"x*y - x - 2; x^2 - 2; y - x - 1;", "x*y - x - 2; y - x - 1;"},
                 /* division by both would miss this multiple */
                 {"x*y^2 - 1; x^2*y - 1; (y - 1)*(x^2*y - 1);", "x*y^2 - 1; x^2*y - 1;"},
                 {"i*x^2 + x; x^2 - i*x; y^2 - 1;", "i*x^2 + x; y^2 - 1;"},
                 {"x^2 - 1; y^2 - 1; x*y - 1;", NULL},
                 {"x^2 - 1; x^2 - 2; y;", NULL},
                 {"x + y; 2*x + 2*y; 3*x + 3*y;", NULL},
                 {"x^2 - 1;", NULL}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_system *given = parse(cases[k].given), *left = NULL;
        plumb_system *expected = cases[k].left ? parse(cases[k].left) : NULL;
        assert_int_equal(plumb_system_independent(given, &left), PLUMB_OK);
        if (!expected != !left || (left && !plumb_system_same(left, expected)))
            fail_msg("%s: not %s", cases[k].given, cases[k].left ? cases[k].left : "NULL");
        plumb_system_destroy(given);
        plumb_system_destroy(left);
        plumb_system_destroy(expected);
    }
}

/* Work that would exceed the budget is left, and what was found before stays. */
static void a_budget_is_kept(void **state)
{
    plumb_random random = plumb_random_start(seed);
    polynomial p[3] = {{.terms = NULL}};
    bool gone[3];
    (void)state;
    p[0] = draw_polynomial(&random, 3, 6, 40, false);
    p[1] = draw_polynomial(&random, 3, 6, 40, false);
    add_product(&p[2], &p[0], &p[1]);
    for (int64_t budget = 0; budget < 100000; budget = 3 * budget + 1) {
        poly_work work = {.left = budget};
        int64_t contradiction = 0;
        memset(gone, 0, sizeof gone);
        assert_int_equal(plumb_dependent_find(p, 3, 1, &work, gone, NULL, &contradiction), PLUMB_OK);
        assert_true(contradiction == -1 && !gone[0] && !gone[1]);
    }
    clear_all(p, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_combinations_are_found),
        cmocka_unit_test(planted_multiples_are_found),
        cmocka_unit_test(the_others_stay_as_they_are),
        cmocka_unit_test(a_budget_is_kept),
    };
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
