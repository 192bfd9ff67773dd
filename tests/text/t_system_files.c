/* t_system_files.c - tests the systems of data/systems, the families among them, and round trips of random systems. */
#include "base/number/random.h"
#include "model/system/polynomial.h"
#include "system_texts.h"
#include "text/system/make.h"

/* The next word of a line, which is cut behind it. */
static char *next_word(char **line)
{
    char *word = *line, *space = strchr(word, ' ');
    assert_true(word[0] != 0);
    *line = space != NULL ? space + 1 : word + strlen(word);
    if (space != NULL)
        *space = 0;
    return word;
}

/* One line of LIST: file, equations, unknowns, Bezout number, degrees. */
static void check_listed(char *line)
{
    const char *name = next_word(&line);
    long equations = strtol(next_word(&line), NULL, 10), unknowns = strtol(next_word(&line), NULL, 10);
    const char *bezout = next_word(&line);
    char *text = load_text(name);
    plumb_system *system = parse_good(text);
    assert_int_equal(plumb_system_equations(system), equations);
    assert_int_equal(plumb_system_unknowns(system), unknowns);
    for (long i = 0; i < equations; i++)
        assert_int_equal(plumb_system_degree(system, i), strtol(next_word(&line), NULL, 10));
    mpz_t product;
    mpz_init(product);
    int has = plumb_system_bezout(system, product);
    assert_int_equal(has, strcmp(bezout, "-") != 0);
    if (has) {
        char *digits = mpz_get_str(NULL, 10, product);
        assert_string_equal(digits, bezout);
        free(digits);
    }
    mpz_clear(product);
    check_round_trip(system);
    plumb_system_destroy(system);
    free(text);
}

static void files_have_their_shape(void **state)
{
    (void)state;
    char *list = load_text("LIST");
    int count = 0;
    for (char *line = list, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        if (*line != '#') {
            check_listed(line);
            count++;
        }
    }
    assert_int_equal(count, 16);
    free(list);
}

/* The file with x1 - x1 + x2 - x2 + ... after its first line: the same system with its unknowns in order. */
static plumb_system *load_in_order(const char *name, int64_t unknowns)
{
    char *text = load_text(name), *body = strchr(text, '\n');
    assert_non_null(body);
    size_t size = strlen(text) + 40 * (size_t)unknowns + 10;
    char *ordered = malloc(size);
    assert_non_null(ordered);
    int used = snprintf(ordered, size, "%.*s\n", (int)(body - text), text);
    for (int64_t i = 1; i <= unknowns; i++)
        used += snprintf(ordered + used, size - (size_t)used, "+ x%lld - x%lld ", (long long)i, (long long)i);
    snprintf(ordered + used, size - (size_t)used, "+ %s", body);
    plumb_system *system = parse_good(ordered);
    free(ordered);
    free(text);
    return system;
}

static plumb_system *make_family(const char *name, int64_t n)
{
    for (const system_family *f = plumb_system_families; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) {
            plumb_system *system;
            assert_int_equal(plumb_system_family_make(f, n, &system), PLUMB_OK);
            return system;
        }
    fail_msg("no family %s", name);
    return NULL;
}

static void families_are_the_classical_ones(void **state)
{
    (void)state;
    static const struct {
        const char *family, *file;
        int64_t n;
    } known[] = {{"cyclic", "cyclic5.phc", 5},   {"cyclic", "cyclic6.phc", 6},   {"cyclic", "cyclic7.phc", 7},
                 {"katsura", "katsura5.phc", 5}, {"katsura", "katsura8.phc", 8}, {"katsura", "katsura10.phc", 10},
                 {"noon", "noon4.phc", 4},       {"noon", "noon5.phc", 5},       {"eco", "eco8.phc", 8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        plumb_system *made = make_family(known[i].family, known[i].n);
        plumb_system *read = load_in_order(known[i].file, plumb_system_unknowns(made));
        if (!plumb_system_same(made, read))
            fail_msg("%s %d is not %s", known[i].family, (int)known[i].n, known[i].file);
        plumb_system_destroy(made);
        plumb_system_destroy(read);
    }
    plumb_system *made = make_family("reimer", 2), *read = parse_good("2*x1^2 - 2*x2^2 - 1\n2*x1^3 - 2*x2^3 - 1");
    assert_true(plumb_system_same(made, read));
    plumb_system_destroy(made);
    plumb_system_destroy(read);
}

static void families_read_back_and_keep_their_bounds(void **state)
{
    (void)state;
    plumb_system *system;
    for (const system_family *f = plumb_system_families; f->name != NULL; f++) {
        for (int64_t n = f->least; n <= 12; n++) {
            assert_int_equal(plumb_system_family_make(f, n, &system), PLUMB_OK);
            assert_int_equal(plumb_system_equations(system), n + f->more);
            check_round_trip(system);
            plumb_system_destroy(system);
        }
        assert_int_equal(plumb_system_family_make(f, f->least - 1, &system), PLUMB_ERR_ARGUMENT);
        assert_int_equal(plumb_system_family_make(f, f->most + 1, &system), PLUMB_ERR_ARGUMENT);
        assert_null(system);
    }
}

static void random_systems_have_their_shape(void **state)
{
    (void)state;
    plumb_system *a, *b;
    assert_int_equal(plumb_system_random(32, 32, 5, 5, 7, &a), PLUMB_OK);
    assert_int_equal(plumb_system_random(32, 32, 5, 5, 7, &b), PLUMB_OK);
    assert_true(plumb_system_same(a, b));
    plumb_system_destroy(b);
    assert_int_equal(plumb_system_random(32, 32, 5, 5, 8, &b), PLUMB_OK);
    assert_false(plumb_system_same(a, b));
    plumb_system_destroy(b);
    for (int64_t i = 0; i < 32; i++)
        assert_int_equal(plumb_system_terms(a, i), 32);
    for (int64_t k = 0; k < a->equation[32]; k++) {
        const system_term *t = &a->terms[k];
        assert_int_equal(t->count, 5);
        for (int32_t i = 0; i < 5; i++) {
            const system_factor *f = &a->factors[t->first + i];
            assert_true(f->exponent >= 1 && f->exponent <= 5 && f->unknown >= 0 && f->unknown < 32);
            assert_true(i == 0 || f[-1].unknown < f->unknown);
        }
        double re = mpq_get_d(t->re), im = mpq_get_d(t->im), off = re * re + im * im - 1;
        assert_true(off < 1e-15 && off > -1e-15);
        mpq_t exact;
        mpq_init(exact);
        mpq_set_d(exact, re);
        assert_true(mpq_equal(exact, t->re));
        mpq_clear(exact);
    }
    check_round_trip(a);
    plumb_system_destroy(a);
    /* all monomials there are: x1, x2, x1^2, ... of one unknown; and one more than that */
    assert_int_equal(plumb_system_random(4, 12, 1, 3, 1, &a), PLUMB_OK);
    assert_int_equal(plumb_system_terms(a, 3), 12);
    plumb_system_destroy(a);
    assert_int_equal(plumb_system_random(4, 13, 1, 3, 1, &a), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_random(4, 1, 5, 3, 1, &a), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_random(10000, 10000, 5, 5, 1, &a), PLUMB_ERR_SIZE);
    assert_null(a);
}

/* A coefficient of any kind: integers and rationals of all lengths, powers of two and ten, real and complex. */
static void random_coefficient(plumb_random *random, mpq_t x)
{
    uint64_t kind = plumb_random_below(random, 6);
    unsigned long bits = (unsigned long)plumb_random_below(random, kind == 0 ? 1000 : 60);
    mpq_set_si(x, (long)plumb_random_below(random, 2000001) - 1000000, 1);
    if (kind <= 1)
        mpq_mul_2exp(x, x, bits);
    else if (kind == 2)
        mpq_div_2exp(x, x, 10 * bits); /* long exact decimals, and ratios where they are too long */
    else if (kind == 3)
        mpz_set_ui(mpq_denref(x), 1 + (unsigned long)plumb_random_below(random, 1000000));
    else if (kind == 4)
        mpz_ui_pow_ui(mpq_denref(x), 10, bits);
    mpq_canonicalize(x);
}

static void random_polynomial(plumb_random *random, polynomial *p, int32_t unknowns)
{
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (uint64_t n = plumb_random_below(random, 12); n > 0; n--) {
        system_factor factors[8];
        int32_t count = 0, degree = 0;
        for (int32_t i = 0; i < unknowns; i++)
            if (plumb_random_below(random, 3) == 0) {
                int32_t exponent =
                    plumb_random_below(random, 20) == 0 ? 10000 : 1 + (int32_t)plumb_random_below(random, 4);
                factors[count++] = (system_factor){.unknown = i, .exponent = exponent};
                degree += exponent;
            }
        random_coefficient(random, re);
        mpq_set_ui(im, 0, 1);
        if (plumb_random_below(random, 2) == 0)
            random_coefficient(random, im);
        assert_int_equal(plumb_poly_append(p, re, im, factors, count, degree), PLUMB_OK);
    }
    assert_int_equal(plumb_poly_normalise(p), PLUMB_OK);
    mpq_clears(re, im, NULL);
}

static void any_system_reads_back(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "Y_2", "e", "I1", "alpha", "_", "x10", "d"};
    const uint64_t seed = 4711;
    printf("seed %llu\n", (unsigned long long)seed);
    plumb_random random = plumb_random_start(seed);
    for (int round = 0; round < 500; round++) {
        int64_t equations = 1 + (int64_t)plumb_random_below(&random, 4);
        int32_t unknowns = 1 + (int32_t)plumb_random_below(&random, 8);
        polynomial p[4] = {{.terms = NULL}};
        plumb_system *system;
        for (int64_t i = 0; i < equations; i++)
            random_polynomial(&random, &p[i], unknowns);
        assert_int_equal(plumb_system_build(p, equations, names, unknowns, &system), PLUMB_OK);
        check_round_trip(system);
        plumb_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_their_shape),
        cmocka_unit_test(families_are_the_classical_ones),
        cmocka_unit_test(families_read_back_and_keep_their_bounds),
        cmocka_unit_test(random_systems_have_their_shape),
        cmocka_unit_test(any_system_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
