/* t_chain.c - tests triangular systems, which are solved one unknown after the other: random ones whose rational solutions and their
 * multiplicities are computed beside them, a long chain, irrational ones, and what is left to paths. */
#include "solver/solve/chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number/random.h"
#include "solver/context_test.h"

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%.400s: %s", text, error.message);
    return s;
}

/* ---- Planted solutions --------------------------------------------------------------------------------------------- */

enum { UNKNOWNS = 3, FACTORS = 3, MOST_POINTS = 200, TEXT = 4096 };

/* A Gaussian rational. */
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

static void number_set(number *x, const number *y)
{
    mpq_set(x->re, y->re);
    mpq_set(x->im, y->im);
}

static bool number_is_zero(const number *x)
{
    return mpq_sgn(x->re) == 0 && mpq_sgn(x->im) == 0;
}

/* z += x y */
static void number_add_product(number *z, const number *x, const number *y)
{
    mpq_t t, s;
    mpq_inits(t, s, NULL);
    mpq_mul(t, x->re, y->re);
    mpq_mul(s, x->im, y->im);
    mpq_sub(t, t, s);
    mpq_add(z->re, z->re, t);
    mpq_mul(t, x->re, y->im);
    mpq_mul(s, x->im, y->re);
    mpq_add(t, t, s);
    mpq_add(z->im, z->im, t);
    mpq_clears(t, s, NULL);
}

/* z = x / y */
static void number_divide(number *z, const number *x, const number *y)
{
    number conjugate, product;
    mpq_t size, t;
    number_init(&conjugate);
    number_init(&product);
    mpq_inits(size, t, NULL);
    number_set(&conjugate, y);
    mpq_neg(conjugate.im, conjugate.im);
    number_add_product(&product, x, &conjugate);
    mpq_mul(size, y->re, y->re);
    mpq_mul(t, y->im, y->im);
    mpq_add(size, size, t);
    mpq_div(z->re, product.re, size);
    mpq_div(z->im, product.im, size);
    mpq_clears(size, t, NULL);
    number_clear(&conjugate);
    number_clear(&product);
}

/* Fractions of small integers times a power of ten. */
static void draw(plumb_random *random, int scale, bool is_complex, number *x)
{
    mpz_t power;
    mpq_t ten;
    mpz_init(power);
    mpq_init(ten);
    mpz_ui_pow_ui(power, 10, (unsigned long)abs(scale));
    mpq_set_z(ten, power);
    for (int part = 0; part < 2; part++) {
        mpq_ptr to = part == 0 ? x->re : x->im;
        mpq_set_si(to, (long)plumb_random_below(random, 11) - 5, 1 + plumb_random_below(random, 3));
        mpq_canonicalize(to);
        if (part == 1 && !is_complex)
            mpq_set_ui(to, 0, 1);
        if (scale < 0)
            mpq_div(to, to, ten);
        else
            mpq_mul(to, to, ten);
    }
    mpz_clear(power);
    mpq_clear(ten);
}

/* (lead . (1, earlier unknowns)) x - constant . (1, earlier unknowns), to a power */
typedef struct factor {
    number lead[UNKNOWNS], constant[UNKNOWNS];
    int power;
} factor;

typedef struct point {
    number x[UNKNOWNS];
    int64_t multiplicity;
} point;

typedef struct trial {
    factor factors[UNKNOWNS][FACTORS];
    int count[UNKNOWNS];
    point points[MOST_POINTS]; /* solutions of the equations so far */
    int point_count;
    char text[TEXT];
    bool has_line; /* an equation is zero at a solution of those before it */
} trial;

static void write_sum(const number *c, int unknown, char *text)
{
    size_t at = strlen(text);
    for (int j = 0; j <= unknown; j++) {
        char *re = mpq_get_str(NULL, 10, c[j].re), *im = mpq_get_str(NULL, 10, c[j].im);
        at += (size_t)snprintf(text + at, TEXT - at, "%s(%s+(%s)*i)", j ? "+" : "", re, im);
        if (j > 0)
            at += (size_t)snprintf(text + at, TEXT - at, "*x%d", j);
        free(re);
        free(im);
    }
}

static void append(char *text, const char *more)
{
    const size_t at = strlen(text);
    snprintf(text + at, TEXT - at, "%s", more);
}

static void write_factor(const factor *f, int unknown, char *text)
{
    append(text, "((");
    write_sum(f->lead, unknown, text);
    snprintf(text + strlen(text), TEXT - strlen(text), ")*x%d-(", unknown + 1);
    write_sum(f->constant, unknown, text);
    snprintf(text + strlen(text), TEXT - strlen(text), "))^%d", f->power);
}

/* Lead coefficients are 1, or vanish at one of the solutions so far. */
static void draw_factor(plumb_random *random, trial *t, int unknown, int scale, bool is_complex)
{
    factor *f = &t->factors[unknown][t->count[unknown]++];
    f->power = 1 + (int)plumb_random_below(random, 4) / 3;
    for (int j = 0; j <= unknown; j++) {
        draw(random, j == 0 ? scale : 0, is_complex, &f->constant[j]);
        mpq_set_ui(f->lead[j].re, j == 0, 1);
        mpq_set_ui(f->lead[j].im, 0, 1);
    }
    if (unknown == 0 || t->point_count == 0 || plumb_random_below(random, 2) == 0)
        return;
    const point *p = &t->points[plumb_random_below(random, (uint64_t)t->point_count)];
    mpq_neg(f->lead[0].re, p->x[unknown - 1].re);
    mpq_neg(f->lead[0].im, p->x[unknown - 1].im);
    mpq_set_ui(f->lead[unknown].re, 1, 1);
}

static void evaluate(const number *c, const point *p, int unknown, number *value)
{
    number_set(value, &c[0]);
    for (int j = 1; j <= unknown; j++)
        number_add_product(value, &c[j], &p->x[j - 1]);
}

static void add_point(trial *t, int first, const point *below, int unknown, const number *root, int power)
{
    for (int k = first; k < t->point_count; k++)
        if (mpq_equal(t->points[k].x[unknown].re, root->re) && mpq_equal(t->points[k].x[unknown].im, root->im)) {
            t->points[k].multiplicity += below->multiplicity * power;
            return;
        }
    assert_true(t->point_count < MOST_POINTS);
    point *p = &t->points[t->point_count++];
    for (int j = 0; j < unknown; j++)
        number_set(&p->x[j], &below->x[j]);
    number_set(&p->x[unknown], root);
    p->multiplicity = below->multiplicity * power;
}

/* Replaces the points by those with one unknown more. */
static void extend(trial *t, int unknown)
{
    static point before[MOST_POINTS];
    const int count = t->point_count;
    number lead, constant;
    number_init(&lead);
    number_init(&constant);
    for (int k = 0; k < count; k++) {
        before[k].multiplicity = t->points[k].multiplicity;
        for (int j = 0; j < UNKNOWNS; j++) {
            number_init(&before[k].x[j]);
            number_set(&before[k].x[j], &t->points[k].x[j]);
        }
    }
    t->point_count = 0;
    for (int k = 0; k < count; k++) {
        const int first = t->point_count;
        for (int j = 0; j < t->count[unknown]; j++) {
            const factor *f = &t->factors[unknown][j];
            evaluate(f->lead, &before[k], unknown, &lead);
            evaluate(f->constant, &before[k], unknown, &constant);
            t->has_line = t->has_line || (number_is_zero(&lead) && number_is_zero(&constant));
            if (number_is_zero(&lead))
                continue;
            number_divide(&constant, &constant, &lead);
            add_point(t, first, &before[k], unknown, &constant, f->power);
        }
        for (int j = 0; j < UNKNOWNS; j++)
            number_clear(&before[k].x[j]);
    }
    number_clear(&lead);
    number_clear(&constant);
}

static void init_trial(trial *t, bool begins)
{
    for (int u = 0; u < UNKNOWNS; u++)
        for (int j = 0; j < FACTORS; j++)
            for (int k = 0; k < UNKNOWNS; k++) {
                (begins ? number_init : number_clear)(&t->factors[u][j].lead[k]);
                (begins ? number_init : number_clear)(&t->factors[u][j].constant[k]);
            }
    for (int p = 0; p < MOST_POINTS; p++)
        for (int u = 0; u < UNKNOWNS; u++)
            (begins ? number_init : number_clear)(&t->points[p].x[u]);
}

static void make_trial(uint64_t seed, trial *t)
{
    static const int scales[] = {0, 0, -20, 20, 3};
    plumb_random random = plumb_random_start(seed);
    const bool is_complex = plumb_random_below(&random, 2) == 1;
    memset(t, 0, sizeof *t);
    init_trial(t, true);
    t->point_count = 1;
    t->points[0].multiplicity = 1;
    for (int u = 0; u < UNKNOWNS; u++) {
        const int scale = scales[plumb_random_below(&random, 5)], count = 1 + (int)plumb_random_below(&random, FACTORS);
        for (int j = 0; j < count; j++) {
            draw_factor(&random, t, u, scale, is_complex);
            append(t->text, j > 0 ? "*" : "");
            write_factor(&t->factors[u][j], u, t->text);
        }
        append(t->text, ";\n");
        extend(t, u);
    }
}

static bool is_at(const chain_point *found, const point *p)
{
    mpfr_t t;
    bool same = true;
    mpfr_init2(t, 2000);
    for (int u = 0; u < UNKNOWNS && same; u++)
        for (int part = 0; part < 2 && same; part++) {
            mpfr_set_q(t, part == 0 ? p->x[u].re : p->x[u].im, MPFR_RNDN);
            mpfr_sub(t, t, part == 0 ? found->z[u].re : found->z[u].im, MPFR_RNDN);
            same = mpfr_zero_p(t) || mp_real_log2(t) <= fmax(found->radius[u], mp_log2(&found->z[u]) - 1000.0);
        }
    mpfr_clear(t);
    return same;
}

static void rational_solutions_are_found_exactly(void **state)
{
    static trial t;
    const mp_roots_options options = {.digits = 70};
    int lines = 0, missing = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        chain_points points;
        make_trial(seed, &t);
        plumb_system *s = parse(t.text);
        /* An unknown that occurs nowhere has been multiplied by zero. */
        const plumb_status status = s->unknowns == UNKNOWNS ? plumb_chain_solve(s, &options, &points) : PLUMB_ERR_SIZE;
        lines += t.has_line;
        missing += t.point_count == 0;
        if (t.has_line || s->unknowns < UNKNOWNS)
            assert_int_equal(status, PLUMB_ERR_SIZE);
        else if (status != PLUMB_OK)
            fail_msg("seed %d: %s\n%s", (int)seed, plumb_status_text(status), t.text);
        for (int k = 0; k < t.point_count && status == PLUMB_OK; k++) {
            int64_t multiplicity = 0;
            for (int64_t j = 0; j < points.count; j++)
                multiplicity += is_at(&points.list[j], &t.points[k]) ? points.list[j].multiplicity : 0;
            if (multiplicity != t.points[k].multiplicity || points.count != t.point_count)
                fail_msg("seed %d: %d points, expected %d; one has multiplicity %d, expected %d\n%s", (int)seed,
                         (int)points.count, t.point_count, (int)multiplicity, (int)t.points[k].multiplicity, t.text);
        }
        if (status == PLUMB_OK) {
            assert_int_equal(points.count, t.point_count);
            plumb_chain_clear(&points);
        }
        plumb_system_destroy(s);
        init_trial(&t, false);
    }
    print_message("%d with lines, %d without solutions\n", lines, missing);
}

/* ---- Whole calls --------------------------------------------------------------------------------------------------- */

static plumb_solutions *solve(const char *text, const plumb_solve_options *options, plumb_solve_report *report)
{
    plumb_solutions *solutions = NULL;
    plumb_system *s = parse(text);
    if (plumb_solve(context, s, options, &solutions) != PLUMB_OK)
        fail_msg("%.400s: %s", text, plumb_context_message(context));
    assert_int_equal(plumb_solutions_report(solutions, report), PLUMB_OK);
    plumb_system_destroy(s);
    return solutions;
}

/* x_{k+1} = (x_k^3 + 2) / (x_k^4 + 1) */
static void a_long_chain_is_solved_with_any_seed(void **state)
{
    char text[4096] = "x1^3-2*x1-5;";
    (void)state;
    for (int k = 1; k < 30; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "x%d^4*x%d-x%d^3+x%d-2;", k, k + 1, k, k + 1);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        plumb_solve_options options;
        plumb_solve_report report;
        plumb_solution_record record;
        plumb_solve_options_init(&options);
        options.seed = seed;
        options.digits = seed == 10 ? 200 : 0;
        plumb_solutions *solutions = solve(text, &options, &report);
        assert_int_equal(report.direct, 30);
        assert_int_equal(report.paths, 3);
        assert_int_equal(report.regular, 3);
        assert_int_equal(report.real, 1);
        for (int64_t k = 0; k < 3; k++) {
            assert_int_equal(plumb_solutions_get_record(solutions, k, &record), PLUMB_OK);
            assert_true(record.error < 1e-60);
        }
        plumb_solutions_destroy(solutions);
    }
}

typedef struct expected {
    const char *text;
    int64_t direct, distinct, real, singular; /* singular: with multiplicities */
} expected;

/* What is not decided by discs, because roots are the same or coefficients zero at irrational points that depend on
 * several unknowns, is left to paths. */
static void irrational_systems_have_all_solutions(void **state)
{
    static const expected cases[] = {
        {"x^2-2; x*y^2-3;", 2, 4, 2, 0},
        {"x^2-2; y^2-2*x*y+3;", 2, 4, 0, 0},
        {"x^3-x; (x-1)*y-1;", 2, 2, 2, 0},
        {"x^2-1; (x-1)*y^2+x*y-1;", 2, 3, 1, 0},
        {"(x-1)^3*(x^2-2); y^2-x-3;", 2, 6, 6, 6},
        {"x^2+1; y^2-2*x*y-1;", 2, 2, 0, 4},
        {"x^2-i; y^2-x;", 2, 4, 0, 0},
        {"x^2-2; y^2-3; z^2-x*y*z-1;", 3, 8, 8, 0},
        {"x^2-2; y^2-2; (x-2*y)*z-1;", 3, 4, 4, 0},
        {"x^2-2*10^40; 10^20*x*y-1; z^2-10^40*y;", 2, 4, 2, 0},
        {"x^2-2; (x^2-2)*y-1;", 2, 0, 0, 0},
        {"(x-1)*(x^2-2); (x^2-2)*y-1;", 2, 1, 1, 0},
        {"(x^2-3)^2*(x^2-2); (x^2-2)*y^2+x*y-1;", 2, 6, 6, 8},
        {"(x^2-3)^2*(x^2-2); (x^2-3)*y^2+x*y-1;", 2, 6, 2, 4},
        {"(x^3-2)*(x^2-i); (x^2-i)*(y^3-x)+y-x; z^2-x-y;", 3, 22, 0, 0},
        {"x^2-2; y^2-2*x*y+2;", 0, 2, 2, 4},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_solve_report report;
        print_message("%s\n", cases[k].text);
        plumb_solutions_destroy(solve(cases[k].text, NULL, &report));
        assert_int_equal(report.direct, cases[k].direct);
        assert_int_equal(report.distinct, cases[k].distinct);
        assert_int_equal(report.real, cases[k].real);
        assert_int_equal(report.singular, cases[k].singular);
        assert_int_equal(report.undecided + report.failed, 0);
    }
}

/* A coefficient that is zero at all roots leaves no solutions. */
static void contradictions_have_no_solutions(void **state)
{
    plumb_solve_report report;
    (void)state;
    plumb_solutions *solutions = solve("x^2-1; (x^2-1)*y-1;", NULL, &report);
    assert_int_equal(plumb_solutions_count(solutions), 0);
    assert_int_equal(report.direct, 2);
    plumb_solutions_destroy(solutions);
}

/* Several equations in one unknown have the roots that they share. */
static void equations_in_one_unknown_are_merged(void **state)
{
    static const expected cases[] = {
        {"(x-1)*(x^2-2)*(x+5); (x-3)*(x^2-2)*(x^2+7); y^2-x;", 2, 4, 2, 0},
        {"(x-1)^2*(x^2-2); (x-1)^3*(x^2+7);", 1, 1, 1, 2},
        {"(x-1)*(x^3-2); (x-1)*(x^3-3); x*y^2-4;", 1, 2, 2, 0},
        {"x^3-2; x^4-3;", 0, 0, 0, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_solve_report report;
        print_message("%s\n", cases[k].text);
        plumb_solutions_destroy(solve(cases[k].text, NULL, &report));
        assert_int_equal(report.squared, 0);
        assert_int_equal(report.direct, cases[k].direct);
        assert_int_equal(report.distinct, cases[k].distinct);
        assert_int_equal(report.real, cases[k].real);
        assert_int_equal(report.singular, cases[k].singular);
    }
}

/* Options that speak of paths get them. */
static void paths_are_tracked_where_they_are_asked_for(void **state)
{
    plumb_solve_options options;
    plumb_solve_report report;
    (void)state;
    plumb_solve_options_init(&options);
    options.start = PLUMB_START_TOTAL;
    plumb_solutions_destroy(solve("x^2-2; x*y^2-3;", &options, &report));
    assert_int_equal(report.direct, 0);
    assert_int_equal(report.paths, 6);
    assert_int_equal(report.regular, 4);
}

/* Steps of an enumeration with many unknowns count for many: this one would take minutes. */
static void many_unknowns_are_given_up(void **state)
{
    enum { MANY = 300 };
    static char text[40 * MANY];
    plumb_mixed_options options;
    plumb_mixed_report report;
    (void)state;
    for (int k = 0; k < MANY; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "x%d^2-x%d-1;", k + 1, (k + 1) % MANY + 1);
    plumb_system *s = parse(text);
    plumb_mixed_options_init(&options);
    options.max_steps = 100000;
    assert_int_equal(plumb_mixed_volume(context, s, &options, &report), PLUMB_ERR_STOPPED);
    plumb_system_destroy(s);
}

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rational_solutions_are_found_exactly),
        cmocka_unit_test(a_long_chain_is_solved_with_any_seed),
        cmocka_unit_test(irrational_systems_have_all_solutions),
        cmocka_unit_test(contradictions_have_no_solutions),
        cmocka_unit_test(equations_in_one_unknown_are_merged),
        cmocka_unit_test(paths_are_tracked_where_they_are_asked_for),
        cmocka_unit_test(many_unknowns_are_given_up),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
