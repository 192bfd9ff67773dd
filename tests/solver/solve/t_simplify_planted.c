/* t_simplify_planted.c - tests simplification (solver/solve/simplify.h) on random systems with a planted rational solution: it solves
 * what is left, and the lift gives it back exactly. A second point, which all equations but one have in common, does not. */
#include <gmp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "model/system/polynomial.h"
#include "solver/solve/simplify.h"

static const uint64_t SEED = 4711;

enum { MOST = 4, MOST_EQUATIONS = 9, SYSTEMS = 300 };

/* ---- Exact arithmetic ---------------------------------------------------------------------------------------------- */

typedef struct number {
    mpq_t re, im;
} number;

static void number_init(number *x)
{
    mpq_inits(x->re, x->im, NULL);
}

static void number_clear(number *x)
{
    mpq_clears(x->re, x->im, NULL);
}

static bool is_zero(const number *x)
{
    return mpq_sgn(x->re) == 0 && mpq_sgn(x->im) == 0;
}

static void multiply(number *x, const number *by)
{
    poly_work work = {.left = POLY_MOST_WORK};
    assert_int_equal(plumb_coefficient_multiply(x->re, x->im, by->re, by->im, &work), PLUMB_OK);
}

static void draw(plumb_random *random, number *x)
{
    mpq_set_si(x->re, (long)plumb_random_below(random, 19) - 9, 1 + (unsigned long)plumb_random_below(random, 5));
    mpq_set_si(x->im, plumb_random_below(random, 3) == 0 ? (long)plumb_random_below(random, 7) - 3 : 0, 1);
    mpq_canonicalize(x->re);
}

/* The sum of some terms at a point. */
static void evaluate(const system_term *terms, const system_factor *factors, int64_t count, const number *at,
                     number *value)
{
    number term;
    number_init(&term);
    mpq_set_ui(value->re, 0, 1);
    mpq_set_ui(value->im, 0, 1);
    for (int64_t k = 0; k < count; k++) {
        mpq_set(term.re, terms[k].re);
        mpq_set(term.im, terms[k].im);
        for (int32_t i = 0; i < terms[k].count; i++)
            for (int32_t e = 0; e < factors[terms[k].first + i].exponent; e++)
                multiply(&term, &at[factors[terms[k].first + i].unknown]);
        mpq_add(value->re, value->re, term.re);
        mpq_add(value->im, value->im, term.im);
    }
    number_clear(&term);
}

static void evaluate_equation(const plumb_system *s, int64_t e, const number *at, number *value)
{
    evaluate(s->terms + s->equation[e], s->factors, s->equation[e + 1] - s->equation[e], at, value);
}

static bool is_solution(const plumb_system *s, const number *at)
{
    bool all = true;
    number value;
    number_init(&value);
    for (int64_t e = 0; e < s->equations && all; e++) {
        evaluate_equation(s, e, at, &value);
        all = is_zero(&value);
    }
    number_clear(&value);
    return all;
}

/* ---- Random systems ------------------------------------------------------------------------------------------------ */

static void append(polynomial *p, const number *c, int32_t unknown)
{
    const system_factor f = {unknown, 1};
    assert_int_equal(plumb_poly_append(p, c->re, c->im, &f, unknown >= 0, unknown >= 0), PLUMB_OK);
}

/* A random polynomial that is zero at the first point, and at the second one, too, if there is one: a line in unknown 0, whose values at
 * the two points differ, corrects a polynomial that is not. */
static polynomial draw_equation(plumb_random *random, int32_t unknowns, int32_t degree, const number *first,
                                const number *second)
{
    polynomial p = {.terms = NULL};
    number c, a, b;
    number_init(&c), number_init(&a), number_init(&b);
    const uint64_t terms = 1 + plumb_random_below(random, 4);
    for (uint64_t k = 0; k < terms; k++) {
        system_factor f[MOST];
        int32_t count = 0, left = degree;
        for (int32_t u = 0; u < unknowns; u++) {
            const int32_t e = (int32_t)plumb_random_below(random, (uint64_t)left + 1);
            if (e > 0)
                f[count++] = (system_factor){u, e};
            left -= e;
        }
        draw(random, &c);
        assert_int_equal(plumb_poly_append(&p, c.re, c.im, f, count, degree - left), PLUMB_OK);
    }
    evaluate(p.terms, p.factors, p.count, first, &a);
    mpq_neg(a.re, a.re), mpq_neg(a.im, a.im);
    if (second) { /* -f(first) - slope (x - first), slope = (f(second) - f(first)) / (second - first) */
        poly_work work = {.left = POLY_MOST_WORK};
        evaluate(p.terms, p.factors, p.count, second, &c);
        mpq_add(c.re, c.re, a.re), mpq_add(c.im, c.im, a.im);
        mpq_sub(b.re, first[0].re, second[0].re), mpq_sub(b.im, first[0].im, second[0].im);
        assert_int_equal(plumb_coefficient_divide(c.re, c.im, b.re, b.im, &work), PLUMB_OK); /* minus the slope */
        append(&p, &c, 0);
        multiply(&c, &first[0]);
        mpq_sub(a.re, a.re, c.re), mpq_sub(a.im, a.im, c.im);
    }
    append(&p, &a, -1);
    assert_int_equal(plumb_poly_normalise(&p), PLUMB_OK);
    number_clear(&c), number_clear(&a), number_clear(&b);
    return p;
}

/* a times some linear polynomial of its own, plus a multiple of b. */
static polynomial draw_consequence(plumb_random *random, int32_t unknowns, const polynomial *a, const polynomial *b)
{
    polynomial result = {.terms = NULL}, factor = {.terms = NULL}, constant = {.terms = NULL};
    poly_work work = {.left = POLY_MOST_WORK};
    number c;
    number_init(&c);
    mpq_set_ui(c.re, 1 + (unsigned long)plumb_random_below(random, 5), 3);
    mpq_canonicalize(c.re);
    append(&constant, &c, -1);
    append(&factor, &c, plumb_random_below(random, 2) ? -1 : (int32_t)plumb_random_below(random, (uint64_t)unknowns));
    assert_int_equal(plumb_poly_add_product(&result, a, &factor, &work), PLUMB_OK);
    assert_int_equal(plumb_poly_add_product(&result, b, &constant, &work), PLUMB_OK);
    plumb_poly_clear(&factor);
    plumb_poly_clear(&constant);
    number_clear(&c);
    return result;
}

/* Equations with the solution point[0]; point[1] solves all of them but one, and hardly ever that one. Between them are consequences of the others. */
static plumb_system *draw_system(plumb_random *random, int32_t unknowns, number point[2][MOST])
{
    static const char *const names[] = {"x", "y", "z", "w"};
    polynomial p[MOST_EQUATIONS];
    plumb_system *system = NULL;
    int64_t count = 0;
    const int64_t common = unknowns - 1 + (int64_t)plumb_random_below(random, 3);
    for (; count < common; count++)
        p[count] = draw_equation(random, unknowns, 1 + (int32_t)plumb_random_below(random, 3), point[0], point[1]);
    for (int64_t more = (int64_t)plumb_random_below(random, 3); more > 0 && common > 0; more--, count++)
        p[count] = draw_consequence(random, unknowns, &p[plumb_random_below(random, (uint64_t)count)],
                                    &p[plumb_random_below(random, (uint64_t)count)]);
    const int64_t at = (int64_t)plumb_random_below(random, (uint64_t)count + 1);
    memmove(&p[at + 1], &p[at], (size_t)(count - at) * sizeof p[0]);
    p[at] = draw_equation(random, unknowns, 1 + (int32_t)plumb_random_below(random, 3), point[0], NULL);
    assert_int_equal(plumb_system_build(p, ++count, names, unknowns, &system), PLUMB_OK);
    return system;
}

/* ---- The property -------------------------------------------------------------------------------------------------- */

/* The values of the unknowns that are left; those of the given system are in the same order, without some of them. */
static void keep(const plumb_system *given, const plumb_system *left, const number *point, number *kept)
{
    for (int64_t u = 0, k = 0; u < given->unknowns && k < left->unknowns; u++)
        if (strcmp(given->names[u], left->names[k]) == 0) {
            mpq_set(kept[k].re, point[u].re);
            mpq_set(kept[k++].im, point[u].im);
        }
}

/* Does the lift give the point back? */
static bool is_lifted(const plumb_system *lift, const number *kept, const number *point)
{
    bool same = true;
    number value;
    number_init(&value);
    for (int64_t u = 0; u < lift->equations && same; u++) {
        evaluate_equation(lift, u, kept, &value);
        same = mpq_equal(value.re, point[u].re) && mpq_equal(value.im, point[u].im);
    }
    number_clear(&value);
    return same;
}

/* Is the point a solution of what is left, and given back by the lift? */
static bool survives(const plumb_system *given, const simple_system *simple, const number *point)
{
    const plumb_system *left = simple->system ? simple->system : simple->changed ? NULL : given;
    const plumb_system *in = left ? left : simple->lift;
    number kept[MOST];
    for (int k = 0; k < MOST; k++)
        number_init(&kept[k]);
    keep(given, in, point, kept);
    bool good = (!left || is_solution(left, kept)) && (!simple->lift || is_lifted(simple->lift, kept, point));
    if (good && left && left->equations > left->unknowns) {
        plumb_system *square = NULL;
        assert_int_equal(plumb_solve_square(left, 5, &square), PLUMB_OK);
        assert_int_equal(square->equations, left->unknowns);
        assert_true(is_solution(square, kept));
        plumb_system_destroy(square);
    }
    for (int k = 0; k < MOST; k++)
        number_clear(&kept[k]);
    return good;
}

static void planted_solutions_survive_and_no_others(void **state)
{
    int64_t kept = 0, substituted = 0, left_out = 0, lowered = 0, refused = 0;
    plumb_random random = plumb_random_start(SEED);
    number point[2][MOST];
    (void)state;
    print_message("seed %llu\n", (unsigned long long)SEED);
    for (int k = 0; k < 2 * MOST; k++)
        number_init(&point[k / MOST][k % MOST]);
    for (int k = 0; k < SYSTEMS; k++) {
        const int32_t unknowns = 1 + (int32_t)plumb_random_below(&random, MOST);
        for (int i = 0; i < 2 * MOST; i++)
            draw(&random, &point[i / MOST][i % MOST]);
        if (mpq_equal(point[0][0].re, point[1][0].re))
            continue;
        plumb_system *given = draw_system(&random, unknowns, point);
        simple_system simple;
        const plumb_status status = plumb_solve_simplify(given, &simple);
        assert_true(status == PLUMB_OK || status == PLUMB_ERR_ARGUMENT);
        assert_false(simple.inconsistent);
        assert_true(is_solution(given, point[0]));
        if (status == PLUMB_OK) {
            const int64_t left = simple.system ? simple.system->equations : simple.changed ? 0 : given->equations;
            assert_int_equal(simple.eliminated + simple.dependent + left, given->equations);
            assert_true(survives(given, &simple, point[0]));
            assert_int_equal(survives(given, &simple, point[1]), is_solution(given, point[1]));
        }
        kept += status == PLUMB_OK;
        refused += status != PLUMB_OK;
        substituted += simple.eliminated > 0;
        left_out += simple.dependent > 0;
        lowered += simple.lowered > 0;
        plumb_solve_simple_clear(&simple);
        plumb_system_destroy(given);
    }
    print_message("%d systems: %d kept, %d refused; substituted in %d, left out in %d, lowered in %d\n", SYSTEMS,
                  (int)kept, (int)refused, (int)substituted, (int)left_out, (int)lowered);
    assert_true(kept > SYSTEMS / 2 && substituted > SYSTEMS / 4 && left_out > SYSTEMS / 4 && lowered > SYSTEMS / 20);
    for (int k = 0; k < 2 * MOST; k++)
        number_clear(&point[k / MOST][k % MOST]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_solutions_survive_and_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
