/* t_decompose.c - tests plumb_decompose on systems whose irreducible components are known, each with ten seeds.
 *
 * Sources of the answers: the first system is the example of Sommese, Verschelde and Wampler (a sphere, three lines, a twisted cubic
 * and a point); cyclic4 has two curves of degree 2 (Backelin); the adjacent 2 x 2 minors of a 2 x n matrix have as many prime
 * components as the Fibonacci number F(n), of degrees that add up to 2^(n-1) (Diaconis, Eisenbud and Sturmfels); matrices of rank at most
 * 2 and commuting 2 x 2 matrices are irreducible (of degrees 6 for 3 x 4 and 3); all others are products whose factors are
 * known to be irreducible. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "plumb.h"
#include "solver/context_test.h"

/* "2: 1 3*2; 0: 5": components of degree 1 and of degree 3 with multiplicity 2 in dimension 2, and 5 points. */
typedef struct answer {
    const char *system, *components;
} answer;

#define SPHERE "(x^2+y^2+z^2-1)"
static const answer answers[] = {
    {"(y-x^2)*" SPHERE "*(x-0.5); (z-x^3)*" SPHERE "*(y-0.5); (y-x^2)*(z-x^3)*" SPHERE "*(z-0.5);",
     "2: 2; 1: 1 1 1 3; 0: 1"},
    {"a+b+c+d; a*b+b*c+c*d+d*a; a*b*c+b*c*d+c*d*a+d*a*b; a*b*c*d-1;", "1: 2 2"},
    {"a*d-b*c; c*f-d*e;", "4: 1 3"},                         /* 2 x 3 */
    {"a*d-b*c; c*f-d*e; e*h-f*g;", "5: 2 2 4"},              /* 2 x 4 */
    {"a*d-b*c; c*f-d*e; e*h-f*g; g*k-h*j;", "6: 1 3 3 4 5"}, /* 2 x 5 */
    {"b*g-c*f; a*f+b*h-p*b-f*d; c*p+d*g-g*a-h*c; c*f-g*b;", "6: 3"},
    {"x^2-y^2*z;", "2: 3"},       /* Whitney's umbrella */
    {"z*(x^2+y^2)-x^3;", "2: 3"}, /* Cartan's umbrella */
    {"(x-y)^2;", "1: 1*2"},
    {"(y-x^2)^2*(x+y); (y-x^2)^3;", "1: 2*2"},
    {"x*y; x*z;", "2: 1; 1: 1"},
    {"(x^2+y^2-1)*(x-2*y);", "1: 1 2"}, /* they meet in two points */
    {"(x-y)*(x-y-1e-8);", "1: 1 1"},
    {"(x^2+y^2-1)*(x^2+y^2-1-1e-8*x);", "1: 2 2"},
    {"x^2*(x-1); x*(x-1)*y;", "1: 1 1"}, /* and an embedded point */
    {"y-x^2; z-x^3; x*z-y^2;", "1: 3"},  /* more equations than the codimension */
    {"(x^2+y^2-z)*(x-1)*(y+2); (x^2+y^2-z)*(y-3)*(x+z);", "2: 2; 1: 1 1 1"},
    {"x^2+i*y^2;", "1: 1 1"},
    {"x^2+y^2-1; x^2+y^2-2;", ""},
    {"x*y-1; x^2+y^2-1; x-y;", ""},
    {"x^2+y^2+z^2+1; x*y*z; x^2+y^2+z^2;", ""},
    {"0*x+0*y;", "2: 1"},
    {"x^2-1; x*y-1;", "0: 2"},
    {"(x-1)^2; y^2; x*y-y;", "0: 1*3"},
    {"x+y-1; y-2*z;", "1: 1"}, /* linear equations */
    {"x+y; x+y-1;", ""},
    {"x+y+z-1; (x-y)*(x^2+z^2-2); (x-y)*(z-3);", "1: 1; 0: 2"},
    {"x+y+z-1; x-t; (x-y)*(x^2+z^2-2); (x-y)*(z-3)*t;", "1: 1; 0: 4"},
    {"x+y; (x+y)*z;", "2: 1"},         /* the linear space itself */
    {"x^2+y^2+z; x^2+y^2+x;", "1: 2"}, /* their difference is linear */
    {"x^2+y*z; x^2+y*z+x-1; y*z^3-z;", "0: 1"},
};

static int prepare(void **state)
{
    backend = PLUMB_BACKEND_CPU;
    return make_context(state);
}

static void describe(const plumb_components *c, char *text, size_t size)
{
    int64_t last = -1;
    text[0] = 0;
    for (int64_t k = 0; k < plumb_components_count(c); k++) {
        plumb_component info;
        const size_t used = strlen(text);
        assert_int_equal(plumb_components_get(c, k, &info), PLUMB_OK);
        assert_int_equal(plumb_solutions_count(plumb_components_points(c, k)), info.degree);
        assert_int_equal(plumb_system_equations(plumb_components_slice(c, info.dimension)), info.dimension);
        if (info.dimension == last)
            snprintf(text + used, size - used, " %lld", (long long)info.degree);
        else
            snprintf(text + used, size - used, "%s%lld: %lld", used > 0 ? "; " : "", (long long)info.dimension,
                     (long long)info.degree);
        if (info.multiplicity > 1)
            snprintf(text + strlen(text), size - strlen(text), "*%lld", (long long)info.multiplicity);
        if (info.state != PLUMB_COMPONENT_IRREDUCIBLE)
            snprintf(text + strlen(text), size - strlen(text), "?");
        last = info.dimension;
    }
    const plumb_solutions *points = plumb_components_isolated(c);
    const int64_t count = plumb_solutions_count(points);
    if (count > 0) {
        plumb_solution_record r;
        snprintf(text + strlen(text), size - strlen(text), "%s0: %lld", text[0] ? "; " : "", (long long)count);
        assert_int_equal(plumb_solutions_get_record(points, 0, &r), PLUMB_OK);
        if (r.multiplicity > 1)
            snprintf(text + strlen(text), size - strlen(text), "*%lld", (long long)r.multiplicity);
    }
}

static plumb_components *decompose(const char *text, int64_t dimension, uint64_t seed)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    plumb_components *c = NULL;
    plumb_decompose_options options;
    plumb_decompose_options_init(&options);
    options.seed = seed;
    options.dimension = dimension;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_decompose(context, s, &options, &c) != PLUMB_OK)
        fail_msg("%s, seed %d: %s", text, (int)seed, plumb_context_message(context));
    plumb_system_destroy(s);
    return c;
}

static void components_are_known(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof answers / sizeof answers[0]; k++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            char found[256], line[256];
            plumb_components *c = decompose(answers[k].system, 0, seed);
            describe(c, found, sizeof found);
            if (strcmp(found, answers[k].components) != 0)
                fail_msg("%s, seed %d: found '%s', expected '%s'", answers[k].system, (int)seed, found,
                         answers[k].components);
            if (plumb_components_verdict(c, line, sizeof line) != PLUMB_SOLVE_COMPLETE)
                fail_msg("%s, seed %d: %s", answers[k].system, (int)seed, line);
            plumb_components_destroy(c);
        }
}

static void paths_add_up(void **state)
{
    (void)state;
    plumb_components *c = decompose(answers[0].system, 0, 3);
    assert_int_equal(plumb_components_dimensions(c), 3);
    for (int64_t k = 0; k < 3; k++) {
        plumb_component_dimension d;
        assert_int_equal(plumb_components_get_dimension(c, k, &d), PLUMB_OK);
        assert_int_equal(d.dimension, 2 - k);
        assert_int_equal(d.paths, d.witness + d.infinite + d.not_isolated + d.extraneous + d.undecided + d.failed);
    }
    plumb_components_destroy(c);
}

/* Witness points solve the equations and lie on the slice. */
/* The solution set lies in the linear space of a linear equation, and combinations do not leave it. */
static void linear_equations_are_kept(void **state)
{
    (void)state;
    plumb_components *c =
        decompose("2*a + 3*b - c - 1; a - d + 2*e; a*b - c^2; (a+b)*(d-e); (b-c)*(a*d-e); a*b*c*d*e - a;", 0, 1);
    plumb_component_dimension first;
    int64_t paths = 0;
    assert_int_equal(plumb_components_get_dimension(c, 0, &first), PLUMB_OK);
    assert_int_equal(first.dimension, 3);
    assert_int_equal(first.paths, 0);
    for (int64_t k = 0; k < plumb_components_dimensions(c); k++) {
        plumb_component_dimension d;
        assert_int_equal(plumb_components_get_dimension(c, k, &d), PLUMB_OK);
        assert_true(d.witness >= 0);
        paths += d.paths;
    }
    assert_true(paths <= 52); /* 5 + 15 + 32 */
    plumb_components_destroy(c);
}

static void witness_points_are_zeros(void **state)
{
    (void)state;
    plumb_components *c = decompose(answers[0].system, 0, 1);
    for (int64_t k = 0; k < plumb_components_count(c); k++) {
        plumb_component info;
        assert_int_equal(plumb_components_get(c, k, &info), PLUMB_OK);
        const plumb_solutions *points = plumb_components_points(c, k);
        const plumb_system *systems[] = {plumb_components_system(c), plumb_components_slice(c, info.dimension)};
        for (int64_t i = 0; i < info.degree; i++)
            for (int part = 0; part < 2; part++) {
                plumb_view x, values;
                const int64_t n = plumb_solutions_unknowns(points), m = plumb_system_equations(systems[part]);
                assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, 1, &x),
                                 PLUMB_OK);
                assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, m, 1, 1, &values),
                                 PLUMB_OK);
                assert_int_equal(plumb_solutions_get(points, i, &x), PLUMB_OK);
                assert_int_equal(plumb_system_eval(context, systems[part], &x, &values, NULL, NULL), PLUMB_OK);
                for (int64_t e = 0; e < m; e++) {
                    assert_true(values.data[e] < 1e-50 && values.data[e] > -1e-50);
                    assert_true(values.data[4 * values.plane + e] < 1e-50 &&
                                values.data[4 * values.plane + e] > -1e-50);
                }
                plumb_array_destroy(context, &x);
                plumb_array_destroy(context, &values);
            }
    }
    plumb_components_destroy(c);
}

static void lower_dimensions_are_left_out(void **state)
{
    (void)state;
    char found[256];
    plumb_components *c = decompose(answers[0].system, 1, 1);
    describe(c, found, sizeof found);
    assert_string_equal(found, "2: 2; 1: 1 1 1 3");
    assert_null(plumb_components_isolated(c));
    plumb_components_destroy(c);
    c = decompose(answers[0].system, 7, 1);
    assert_int_equal(plumb_components_dimensions(c), 0);
    plumb_components_destroy(c);
}

/* (x^2, x y, y^2) has multiplicity 3; two random combinations of them have 4. */
static void multiplicities_of_combinations_are_bounds(void **state)
{
    (void)state;
    plumb_component info;
    plumb_components *c = decompose("x^2; x*y; y^2 + 0*z;", 0, 1);
    assert_int_equal(plumb_components_count(c), 1);
    assert_int_equal(plumb_components_get(c, 0, &info), PLUMB_OK);
    assert_int_equal(info.dimension, 1);
    assert_true(info.bound == 1 && info.multiplicity >= 3);
    plumb_components_destroy(c);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    char *text[2];
    size_t size[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        plumb_context_options options;
        plumb_context *other = NULL;
        plumb_system *s = NULL;
        plumb_components *c = NULL;
        plumb_context_options_init(&options);
        options.backend = PLUMB_BACKEND_CPU;
        options.threads = k == 0 ? 1 : 3;
        assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
        assert_int_equal(plumb_system_parse(answers[4].system, strlen(answers[4].system), &s, NULL), PLUMB_OK);
        assert_int_equal(plumb_decompose(other, s, NULL, &c), PLUMB_OK);
        assert_int_equal(plumb_components_write(c, NULL, 0, &size[k]), PLUMB_ERR_BUFFER);
        text[k] = test_malloc(size[k]);
        assert_int_equal(plumb_components_write(c, text[k], size[k], NULL), PLUMB_OK);
        plumb_components_destroy(c);
        plumb_system_destroy(s);
        plumb_context_destroy(other);
    }
    assert_int_equal(size[0], size[1]);
    assert_string_equal(text[0], text[1]);
    test_free(text[0]);
    test_free(text[1]);
}

/* What a stopped call returns can be written and read; a journal continues it to the same bits. */
static int most_paths, begun;
static int stop_later(void *data)
{
    (void)data;
    return begun > most_paths;
}
static void count_dimension(void *data, int64_t dimension)
{
    (void)data, (void)dimension;
    begun++;
}

static char *write_all(const plumb_components *c)
{
    size_t size = 0;
    assert_int_equal(plumb_components_write(c, NULL, 0, &size), PLUMB_ERR_BUFFER);
    char *text = test_malloc(size);
    assert_int_equal(plumb_components_write(c, text, size, NULL), PLUMB_OK);
    return text;
}

static void stopped_calls_continue(void **state)
{
    (void)state;
    char folder[] = "/tmp/plumb-decompose-XXXXXX", path[64], line[256];
    plumb_system *s = NULL;
    plumb_components *whole = NULL, *c = NULL, *read = NULL;
    plumb_decompose_options options;
    plumb_decompose_options_init(&options);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/journal", folder);
    assert_int_equal(plumb_system_parse(answers[0].system, strlen(answers[0].system), &s, NULL), PLUMB_OK);
    assert_int_equal(plumb_decompose(context, s, NULL, &whole), PLUMB_OK);
    char *expected = write_all(whole);
    options.journal = path;
    options.stop = stop_later;
    options.begins = count_dimension;
    for (most_paths = 0; most_paths <= 3; most_paths++) {
        begun = 0;
        options.resume = most_paths > 0;
        assert_int_equal(plumb_decompose(context, s, &options, &c), PLUMB_OK);
        char *text = write_all(c);
        assert_int_equal(plumb_components_read(text, strlen(text), &read, NULL), PLUMB_OK);
        if (most_paths < 3) { /* there are three dimensions */
            assert_int_equal(plumb_components_verdict(c, line, sizeof line), PLUMB_SOLVE_STOPPED);
            assert_int_equal(plumb_components_verdict(read, line, sizeof line), PLUMB_SOLVE_STOPPED);
            assert_int_equal(plumb_components_dimensions(c), most_paths + 1);
            assert_int_equal(plumb_components_count(c), most_paths == 0 ? 0 : most_paths == 1 ? 1 : 5);
        } else {
            assert_string_equal(text, expected);
        }
        plumb_components_destroy(read);
        plumb_components_destroy(c);
        test_free(text);
    }
    options.resume = 0; /* the journal is the caller's, who has not removed it */
    assert_int_equal(plumb_decompose(context, s, &options, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_decompose_remove_journal(path), PLUMB_OK);
    assert_int_equal(plumb_decompose_remove_journal(path), PLUMB_ERR_IO);
    options.journal = NULL;
    options.resume = 1;
    assert_int_equal(plumb_decompose(context, s, &options, &c), PLUMB_ERR_ARGUMENT);
    options.resume = 0;
    options.ranks = 1;
    assert_int_equal(plumb_decompose(context, s, &options, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(rmdir(folder), 0);
    test_free(expected);
    plumb_components_destroy(whole);
    plumb_system_destroy(s);
}

/* k points on k components of multiplicity 1 prove a sum of degrees of at least k; with as many as the root count that it is k. */
static void certificates_prove_degrees(void **state)
{
    (void)state;
    static const struct {
        const char *system;
        int64_t dimension, certified, count;
        int32_t proof;
    } known[] = {
        {"a*d-b*c; c*f-d*e; e*h-f*g;", 5, 8, 8, PLUMB_DEGREE_PROVEN},
        {"(x^2+y^2-1)*(x-2*y);", 1, 3, 3, PLUMB_DEGREE_PROVEN},
        {"x^2*y - y;", 1, 3, 3, PLUMB_DEGREE_PROVEN},
        {"(x-y)^2*(x+y-1);", 1, 1, 3, PLUMB_DEGREE_LOWER_BOUND}, /* the double line has no certificate */
        {"(x-y)^2;", 1, 0, 0, PLUMB_DEGREE_UNPROVEN},
        {"y-x^2; z-x^3;", 1, 3, 3, PLUMB_DEGREE_PROVEN},
        {"y-x^2; z-x^3; x*z-y^2;", 1, 0, 0, PLUMB_DEGREE_UNPROVEN},        /* more than the codimension */
        {"x*y-z; x*z-y; y*z-x; x^2-y^2;", 0, 0, 0, PLUMB_DEGREE_UNPROVEN}, /* more equations than unknowns */
        {"0*x+0*y;", 2, 1, 1, PLUMB_DEGREE_PROVEN},
    };
    char why[256];
    if (!plumb_certify_available(why, sizeof why))
        skip();
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        plumb_component_dimension d = {.dimension = -1};
        plumb_components *c = decompose(known[k].system, 0, 1), *read = NULL;
        int64_t sum = 0;
        assert_int_equal(plumb_components_certify(context, c, NULL), PLUMB_OK);
        char *text = write_all(c);
        assert_int_equal(plumb_components_read(text, strlen(text), &read, NULL), PLUMB_OK);
        for (int64_t i = 0; i < plumb_components_dimensions(read) && d.dimension != known[k].dimension; i++)
            assert_int_equal(plumb_components_get_dimension(read, i, &d), PLUMB_OK);
        for (int64_t i = 0; i < plumb_components_count(read); i++) {
            plumb_component one;
            assert_int_equal(plumb_components_get(read, i, &one), PLUMB_OK);
            assert_true(one.certified == 0 || (one.certified == one.degree && one.multiplicity == 1));
            sum += one.dimension == known[k].dimension ? one.certified : 0;
        }
        if (d.certified != known[k].certified || d.proof != known[k].proof ||
            (known[k].count > 0 && d.root_count < known[k].count) || (d.dimension > 0 && sum != d.certified))
            fail_msg("%s: %lld certified, root count %lld, proof %d", known[k].system, (long long)d.certified,
                     (long long)d.root_count, (int)d.proof);
        test_free(text);
        plumb_components_destroy(read);
        plumb_components_destroy(c);
    }
    assert_int_equal(plumb_components_certify(context, NULL, NULL), PLUMB_ERR_ARGUMENT);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    plumb_system *s = NULL;
    plumb_components *c = NULL;
    plumb_decompose_options options;
    plumb_decompose_options_init(&options);
    assert_int_equal(plumb_system_parse("x/y - 1; x*y;", 13, &s, NULL), PLUMB_OK);
    assert_int_equal(plumb_decompose(context, s, NULL, &c), PLUMB_ERR_ARGUMENT);
    assert_null(c);
    options.dimension = -1;
    assert_int_equal(plumb_decompose(context, s, &options, &c), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_decompose(context, NULL, NULL, &c), PLUMB_ERR_ARGUMENT);
    plumb_system_destroy(s);
    plumb_components_destroy(NULL);
    assert_int_equal(plumb_components_verdict(NULL, NULL, 0), PLUMB_SOLVE_MISSING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_known),          cmocka_unit_test(paths_add_up),
        cmocka_unit_test(linear_equations_are_kept),     cmocka_unit_test(witness_points_are_zeros),
        cmocka_unit_test(lower_dimensions_are_left_out), cmocka_unit_test(multiplicities_of_combinations_are_bounds),
        cmocka_unit_test(threads_do_not_change_bits),    cmocka_unit_test(stopped_calls_continue),
        cmocka_unit_test(certificates_prove_degrees),    cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, prepare, end_context);
}
