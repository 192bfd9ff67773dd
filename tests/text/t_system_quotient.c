/* t_system_quotient.c - tests equations with quotients and negative exponents: random expressions are evaluated at rational points, exactly,
 * both as they are written and as numerators over denominators. */
#include "base/number/random.h"
#include "model/system/polynomial.h"
#include "system_texts.h"

enum { ROOM = 4000, POINTS = 6 };

static uint64_t below(plumb_random *random, uint64_t n)
{
    return (plumb_random_next(random) >> 33) % n;
}

/* ---- Random expressions, with their values at some points ------------------------------------------------------------ */

typedef struct values {
    mpq_t at[POINTS];
    bool defined[POINTS];
} values;

typedef struct maker {
    plumb_random random;
    mpq_t x[2][POINTS];
    char text[ROOM];
    size_t used;
} maker;

static void put(maker *m, const char *text)
{
    assert_true(m->used + strlen(text) < ROOM);
    m->used += (size_t)snprintf(m->text + m->used, ROOM - m->used, "%s", text);
}

static void values_init(values *v)
{
    for (int k = 0; k < POINTS; k++) {
        mpq_init(v->at[k]);
        v->defined[k] = true;
    }
}

static void values_clear(values *v)
{
    for (int k = 0; k < POINTS; k++)
        mpq_clear(v->at[k]);
}

/* v = v to the power, which may be negative */
static void raise(values *v, int exponent)
{
    for (int k = 0; k < POINTS; k++) {
        mpq_t base;
        mpq_init(base);
        mpq_set(base, v->at[k]);
        mpq_set_ui(v->at[k], 1, 1);
        for (int i = 0; i < abs(exponent); i++)
            mpq_mul(v->at[k], v->at[k], base);
        if (exponent < 0 && mpq_sgn(v->at[k]) == 0)
            v->defined[k] = false;
        else if (exponent < 0)
            mpq_inv(v->at[k], v->at[k]);
        mpq_clear(base);
    }
}

static void combine(values *v, const values *w, char sign)
{
    for (int k = 0; k < POINTS; k++) {
        v->defined[k] = v->defined[k] && w->defined[k] && (sign != '/' || mpq_sgn(w->at[k]) != 0);
        if (!v->defined[k])
            continue;
        if (sign == '*')
            mpq_mul(v->at[k], v->at[k], w->at[k]);
        else if (sign == '/')
            mpq_div(v->at[k], v->at[k], w->at[k]);
        else if (sign == '+')
            mpq_add(v->at[k], v->at[k], w->at[k]);
        else
            mpq_sub(v->at[k], v->at[k], w->at[k]);
    }
}

static void make_sum(maker *m, int depth, values *v);

static void make_atom(maker *m, int depth, values *v)
{
    char text[32];
    const uint64_t kind = below(&m->random, depth > 0 ? 4 : 3);
    if (kind == 3) {
        put(m, "(");
        make_sum(m, depth - 1, v);
        put(m, ")");
        return;
    }
    const int number = (int)below(&m->random, 4);
    snprintf(text, sizeof text, "%d", number);
    put(m, kind == 2 ? text : kind == 1 ? "y" : "x");
    for (int k = 0; k < POINTS; k++)
        if (kind == 2)
            mpq_set_si(v->at[k], number, 1);
        else
            mpq_set(v->at[k], m->x[kind][k]);
}

static void make_power(maker *m, int depth, values *v)
{
    static const char *const exponents[] = {"^2", "^-1", "^-2", "^(-1)", "**-2", "^0", "^(2)"};
    static const int numbers[] = {2, -1, -2, -1, -2, 0, 2};
    make_atom(m, depth, v);
    const uint64_t which = below(&m->random, 14);
    if (which >= 7)
        return;
    put(m, exponents[which]);
    raise(v, numbers[which]);
}

static void make_product(maker *m, int depth, values *v)
{
    make_power(m, depth, v);
    for (uint64_t more = below(&m->random, 3); more > 0; more--) {
        const bool divides = below(&m->random, 2) == 0;
        values w;
        values_init(&w);
        put(m, divides ? "/" : "*");
        make_power(m, depth, &w);
        combine(v, &w, divides ? '/' : '*');
        values_clear(&w);
    }
}

static void make_sum(maker *m, int depth, values *v)
{
    make_product(m, depth, v);
    for (uint64_t more = below(&m->random, 3); more > 0; more--) {
        const bool minus = below(&m->random, 2) == 0;
        values w;
        values_init(&w);
        put(m, minus ? " - " : " + ");
        make_product(m, depth, &w);
        combine(v, &w, minus ? '-' : '+');
        values_clear(&w);
    }
}

/* ---- Their values as they were read ------------------------------------------------------------------------------------ */

static void evaluate(const plumb_system *s, int64_t equation, const maker *m, int k, mpq_t value)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(value, 0, 1);
    for (int64_t i = s->equation[equation]; i < s->equation[equation + 1]; i++) {
        mpq_set(term, s->terms[i].re);
        assert_int_equal(mpq_sgn(s->terms[i].im), 0);
        for (int32_t f = 0; f < s->terms[i].count; f++)
            for (int32_t e = 0; e < s->factors[s->terms[i].first + f].exponent; e++)
                mpq_mul(term, term, m->x[s->factors[s->terms[i].first + f].unknown][k]);
        mpq_add(value, value, term);
    }
    mpq_clear(term);
}

/* The value of the only equation at point k; false where a denominator is zero. */
static bool value_at(const plumb_system *s, const maker *m, int k, mpq_t value)
{
    bool defined = true;
    mpq_t divisor;
    mpq_init(divisor);
    evaluate(s, 0, m, k, value);
    for (int32_t i = 0; s->divisors != NULL && i < s->divisors[0].count; i++) {
        evaluate(s->denominators, s->divisors[0].list[i].denominator, m, k, divisor);
        defined = defined && mpq_sgn(divisor) != 0;
        for (int32_t e = 0; e < s->divisors[0].list[i].exponent && defined; e++)
            mpq_div(value, value, divisor);
    }
    mpq_clear(divisor);
    return defined;
}

static void check_values(const maker *m, const values *v, const plumb_system *system)
{
    mpq_t value;
    mpq_init(value);
    for (int k = 0; k < POINTS; k++) {
        const bool defined = value_at(system, m, k, value);
        if (defined != v->defined[k] || (defined && !mpq_equal(value, v->at[k])))
            fail_msg("%s: another value at point %d", m->text, k);
    }
    mpq_clear(value);
}

/* What is refused divides by zero everywhere. */
static void check_refused(const maker *m, const values *v, const plumb_text_error *error)
{
    assert_non_null(strstr(error->message, "found a division by zero"));
    for (int k = 0; k < POINTS; k++)
        if (v->defined[k])
            fail_msg("%s: %s", m->text, error->message);
}

static void quotients_have_their_values(void **state)
{
    const uint64_t seed = 20;
    maker m = {.random = plumb_random_start(seed)};
    int refused = 0, quotients = 0;
    (void)state;
    print_message("seed %d\n", (int)seed);
    for (int k = 0; k < 2 * POINTS; k++)
        mpq_init(m.x[k % 2][k / 2]);
    for (int round = 0; round < 3000; round++) {
        values v;
        plumb_system *system = NULL;
        plumb_text_error error;
        values_init(&v);
        for (int k = 0; k < 2 * POINTS; k++) {
            mpq_set_si(m.x[k % 2][k / 2], (long)below(&m.random, 2001) - 1000, 1 + below(&m.random, 50));
            mpq_canonicalize(m.x[k % 2][k / 2]);
        }
        m.used = 0;
        put(&m, "x - x + y - y + ");
        make_sum(&m, 2, &v);
        if (plumb_system_parse(m.text, m.used, &system, &error) == PLUMB_OK) {
            check_values(&m, &v, system);
            check_round_trip(system);
            quotients += plumb_system_denominators(system) > 0;
        } else {
            check_refused(&m, &v, &error);
            refused++;
        }
        plumb_system_destroy(system);
        values_clear(&v);
    }
    for (int k = 0; k < 2 * POINTS; k++)
        mpq_clear(m.x[k % 2][k / 2]);
    print_message("%d quotients, %d divisions by zero\n", quotients, refused);
    assert_true(quotients > 1000 && refused > 10);
}

/* ---- How they are written ---------------------------------------------------------------------------------------------- */

static void quotients_are_written_as_such(void **state)
{
    static const char *const cases[][2] = {
        {"x^-2 + y/x - 1", "(- x^2 + x*y + 1)/x^2;\n"},
        {"(x + 1)/(y - 2) = 3", "(x - 3*y + 7)/(y - 2);\n"},
        {"1/(x*y)", "(1)/x/y;\n"},
        {"x*y/x", "0/x + y;\n"},
        {"(x^2 - 1)/(2*x - 2)", "(0.5*x^2 - 0.5)/(x - 1);\n"},
        {"1/(1 + 1/x)", "0/x + 0/(x + 1) + (x)/(x + 1);\n"},
        {"x/y^-2", "x - x + y - y + 0/y + x*y^2;\n"},
        {"1/x - 1/x + y", "0/x + y;\n"},
        {"x/2 + x^1/3", "5/6*x;\n"},
        {"y/i^-1 + x", "(0 + 1*i)*y + x;\n"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *system = parse_good(cases[k][0]);
        char text[200];
        assert_int_equal(plumb_system_write(system, PLUMB_FORMAT_TXT, text, sizeof text, NULL), PLUMB_OK);
        assert_string_equal(text, cases[k][1]);
        check_round_trip(system);
        plumb_system_destroy(system);
    }
}

/* Systems with and without a denominator differ, also where it was cancelled. */
static void denominators_make_a_difference(void **state)
{
    plumb_system *plain = parse_good("y - 1; x - 1;"), *divided = parse_good("y - 1; x*x/x - 1;"),
                 *other = parse_good("y - 1; x*y/y - 1;");
    (void)state;
    assert_false(plumb_system_same(plain, divided));
    assert_false(plumb_system_same(other, divided));
    assert_true(plumb_system_same(divided, divided));
    assert_int_equal(plumb_system_denominators(plain), 0);
    assert_int_equal(plumb_system_denominators(divided), 1);
    plumb_system_destroy(plain);
    plumb_system_destroy(divided);
    plumb_system_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotients_have_their_values),
        cmocka_unit_test(quotients_are_written_as_such),
        cmocka_unit_test(denominators_make_a_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
