/* t_monodromy.c - tests monodromy: families whose numbers of solutions and groups are known, from one solution that was made, given with or
 * without its parameters; symmetries; the same bits for any number of threads; and orders of groups that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *make_context(int32_t threads)
{
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.threads = threads;
    options.backend = PLUMB_BACKEND_CPU;
    assert_int_equal(plumb_context_create(&options, &context), PLUMB_OK);
    return context;
}

static plumb_family *parse(const char *text)
{
    plumb_family *family = NULL;
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    if (plumb_family_create(s, &family) != PLUMB_OK)
        fail_msg("%s", plumb_last_message());
    plumb_system_destroy(s);
    return family;
}

static plumb_family *read_family(const char *name)
{
    char path[512];
    plumb_family *family = NULL;
    plumb_system *s = NULL;
    plumb_text_error error;
    snprintf(path, sizeof path, "%s/tests/data/families/%s.phc", PLUMB_SOURCE_DIR, name);
    if (plumb_system_read_file(path, &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", path, error.message);
    assert_int_equal(plumb_family_create(s, &family), PLUMB_OK);
    plumb_system_destroy(s);
    return family;
}

static plumb_monodromy_report search(plumb_context *context, plumb_family *family,
                                     const plumb_monodromy_options *options, plumb_permutations **permutations)
{
    plumb_monodromy_report report;
    if (plumb_monodromy(context, family, NULL, NULL, options, permutations, &report) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return report;
}

/* The order of a group as text. */
static void order_of(const plumb_permutations *p, char text[512])
{
    int32_t proven = 0;
    assert_int_equal(plumb_permutations_order(p, text, 512, NULL, &proven), PLUMB_OK);
    assert_int_equal(proven, 1);
}

/* ---- Families ---------------------------------------------------------------------------------------------------- */

static void families_are_found(void **state)
{
    /* Groups: of the 27 lines the Weyl group of E6, of five points that of D10, of P3P the even sign changes of 4 pairs and their
     * permutations. */
    static const struct {
        const char *name, *order;
        int64_t solutions;
    } cases[] = {{"p3p", "192", 8},
                 {"tangents", "479001600", 12},
                 {"lines27", "51840", 27},
                 {"fivepoint", "1857945600", 20},
                 {"kuramoto4common", "87178291200", 14}};
    plumb_context *context = make_context(2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            plumb_family *family = read_family(cases[c].name);
            plumb_permutations *p = NULL;
            plumb_monodromy_options options;
            char order[512];
            plumb_monodromy_options_init(&options);
            options.seed = seed;
            const plumb_monodromy_report report = search(context, family, &options, &p);
            if (report.solutions != cases[c].solutions || report.code != PLUMB_MONODROMY_QUIET)
                fail_msg("%s: %lld solutions, %s", cases[c].name, (long long)report.solutions,
                         plumb_monodromy_name(report.code));
            assert_int_equal(plumb_family_paths(family), cases[c].solutions);
            assert_int_equal(plumb_family_omitted(family), 0);
            assert_int_equal(report.orbits, 1);
            assert_int_equal(report.quiet_loops, 10);
            assert_true(report.doubt == 0x1p-10);
            order_of(p, order);
            assert_string_equal(order, cases[c].order);
            plumb_permutations_destroy(p);
            plumb_family_destroy(family);
        }
    plumb_context_destroy(context);
}

/* Surfaces and curves of known degrees, cut by lines and planes: complete, or with one solution less than all of them, missing. */
static void traces_tell_what_is_missing(void **state)
{
    static const struct {
        const char *text;
        int64_t degree;
    } cases[] = {
        {"parameters a, b, c, d, e, f, g, h; x^2 + y^2 + z^2 - 1; a*x + b*y + c*z - d; e*x + f*y + g*z - h;", 2},
        {"parameters a, b, c, d, e, f, g, h; x^3 + y^3 + z^3 - x*y; a*x + b*y + c*z - d; e*x + f*y + g*z - h;", 3},
        {"parameters a, b, c, d; x^2 - y; x^3 - z; a*x + b*y + 2*c*z + d;", 3},
        {"parameters a, b, c; y^2 - x^3 + x - 1/3; a*x + b*y + c;", 3}};
    static const char *const others[] = {"parameters a, b; x^3 - a*x + b;",
                                         "parameters a, b, c; y^2 - x^3 + c; a*x + b*y + c;",
                                         "parameters a, b; y^2 - x^3 + 1; x + a*y + b;"};
    plumb_context *context = make_context(2);
    plumb_monodromy_options options;
    (void)state;
    plumb_monodromy_options_init(&options);
    options.trace = 1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            for (int64_t most = 0; most < cases[c].degree; most += cases[c].degree - 1) {
                plumb_family *family = parse(cases[c].text);
                options.seed = seed;
                options.max_solutions = most;
                const plumb_monodromy_report r = search(context, family, &options, NULL);
                if (most > 0 && r.solutions < cases[c].degree) {
                    assert_int_equal(r.trace, PLUMB_TRACE_MISSING);
                    assert_true(r.trace_error > 1e-6);
                } else {
                    assert_int_equal(r.solutions, cases[c].degree);
                    assert_int_equal(r.trace, PLUMB_TRACE_COMPLETE);
                    assert_true(r.trace_error < 1e-50);
                    assert_true(most > 0 || (r.quiet_loops <= 2 && r.code == PLUMB_MONODROMY_QUIET));
                }
                assert_true(r.trace_paths >= 3 * r.solutions);
                plumb_family_destroy(family);
            }
    /* Three solutions each. The test takes a curve, which is moved to them. */
    for (size_t c = 0; c < sizeof others / sizeof *others; c++)
        for (uint64_t seed = 1; seed <= 3; seed++)
            for (int64_t most = 0; most < 3; most += 2) {
                plumb_family *family = parse(others[c]);
                options.seed = seed;
                options.max_solutions = most;
                const plumb_monodromy_report r = search(context, family, &options, NULL);
                assert_int_equal(r.trace, r.solutions == 3 ? PLUMB_TRACE_COMPLETE : PLUMB_TRACE_MISSING);
                assert_true(r.solutions == 3 || most == 2);
                assert_true(r.trace_paths > 3 * r.solutions);
                plumb_family_destroy(family);
            }
    plumb_context_destroy(context);
}

/* They are the solutions that plumb_solve finds for the same parameters. */
static void solutions_start_paths(void **state)
{
    plumb_context *context = make_context(1);
    plumb_family *family = parse("parameters a, b; x^2 - 2*a*x + b;");
    double target[2] = {3.0, 5.0}, found[4];
    plumb_view at, x;
    plumb_instance instance;
    plumb_family_options options;
    (void)state;
    assert_int_equal(search(context, family, NULL, NULL).solutions, 2);
    plumb_family_options_init(&options);
    options.prec = PLUMB_D;
    assert_int_equal(plumb_view_init(&at, target, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&x, found, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 2, NULL), PLUMB_OK);
    assert_int_equal(plumb_family_solve(context, family, &at, &options, &x, NULL, &instance), PLUMB_OK);
    assert_int_equal(instance.code, PLUMB_INSTANCE_GENERIC);
    assert_true(fabs(fmin(x.data[0], x.data[x.next]) - 1.0) < 1e-12);
    assert_true(fabs(fmax(x.data[0], x.data[x.next]) - 5.0) < 1e-12);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

static char *text_of(const plumb_family *family)
{
    size_t needed = 0;
    assert_int_equal(plumb_family_write(family, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(plumb_family_write(family, text, needed, NULL), PLUMB_OK);
    return text;
}

static void bits_do_not_depend_on_threads(void **state)
{
    char *text[2];
    (void)state;
    for (int32_t k = 0; k < 2; k++) {
        plumb_context *context = make_context(k == 0 ? 1 : 3);
        plumb_family *family = read_family("kuramoto4common");
        (void)search(context, family, NULL, NULL);
        text[k] = text_of(family);
        plumb_family_destroy(family);
        plumb_context_destroy(context);
    }
    assert_string_equal(text[0], text[1]);
    free(text[0]);
    free(text[1]);
}

/* From the identity loops reach rotations and no reflections: 8 of the 16 orthogonal matrices in three planes. */
static void given_solutions_are_enough(void **state)
{
    plumb_context *context = make_context(2);
    plumb_family *family = read_family("so3");
    double identity[18] = {0.0};
    plumb_view x;
    plumb_monodromy_report report;
    (void)state;
    for (int64_t i = 0; i < 9; i++) {
        const char *name = plumb_system_name(plumb_family_system(family), i);
        identity[2 * i] = name[1] == name[2];
    }
    double planes[18];
    assert_int_equal(plumb_view_init(&x, planes, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 9, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_pack(identity, &x), PLUMB_OK);
    assert_int_equal(plumb_monodromy(context, family, NULL, &x, NULL, NULL, &report), PLUMB_OK);
    assert_int_equal(report.solutions, 8);

    /* From solutions that are known, more loops add none. */
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, NULL, NULL, &report), PLUMB_OK);
    assert_int_equal(report.solutions, 8);
    plumb_family_destroy(family);

    /* With its parameters. */
    family = parse("parameters a; x^3 - a;");
    double a[2] = {8.0, 0.0}, two[2] = {2.0, 0.0};
    plumb_view at;
    assert_int_equal(plumb_view_init(&at, a, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&x, two, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_monodromy(context, family, &at, &x, NULL, NULL, &report), PLUMB_OK);
    assert_int_equal(report.solutions, 3);
    two[0] = 2.5; /* Newton's method finds the solution beside it, but none beside 0 */
    two[1] = 0.1;
    assert_int_equal(plumb_monodromy(context, family, &at, &x, NULL, NULL, &report), PLUMB_OK);
    two[0] = two[1] = a[0] = 0.0;
    assert_int_equal(plumb_monodromy(context, family, &at, &x, NULL, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

static plumb_system *map_of(const char *text)
{
    plumb_system *map = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &map, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return map;
}

static void symmetries_make_classes(void **state)
{
    plumb_context *context = make_context(2);
    plumb_family *family = read_family("p3p");
    plumb_system *sign = map_of("-x; -y; -z;"), *wrong = map_of("y; x; z;"), *few = map_of("y; x;");
    const plumb_system *maps[1] = {sign};
    plumb_permutations *p = NULL;
    plumb_monodromy_options options;
    plumb_monodromy_report report;
    char order[512];
    int64_t image[8];
    (void)state;
    plumb_monodromy_options_init(&options);
    options.symmetries = 1;
    options.symmetry = maps;
    report = search(context, family, &options, &p);
    assert_int_equal(report.solutions, 8);
    assert_int_equal(report.classes, 4);
    assert_true(report.paths < 8 * 15); /* one path for each pair */
    order_of(p, order);
    assert_string_equal(order, "192");
    for (int64_t k = 0; k < plumb_permutations_count(p); k++) { /* pairs follow each other, and loops keep them */
        assert_int_equal(plumb_permutations_get(p, k, image), PLUMB_OK);
        for (int64_t i = 0; i < 8; i += 2)
            assert_int_equal(image[i] / 2, image[i + 1] / 2);
    }
    plumb_permutations_destroy(p);
    maps[0] = wrong;
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, &options, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "takes a solution to no solution"));
    maps[0] = few;
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, &options, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_family_destroy(family);

    /* A map with a quotient, whose square is the identity. */
    family = parse("parameters a, b; a*x^4 + b*x^3 + x^2 + b*x + a;");
    plumb_system *quotient = map_of("1/x;");
    maps[0] = quotient;
    report = search(context, family, &options, NULL);
    assert_int_equal(report.solutions, 4);
    assert_int_equal(report.classes, 2);
    plumb_family_destroy(family);
    plumb_system_destroy(quotient);
    plumb_system_destroy(sign);
    plumb_system_destroy(wrong);
    plumb_system_destroy(few);
    plumb_context_destroy(context);
}

static int stop_after(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)failed, (void)total;
    return done >= *(const int64_t *)data;
}

static void limits_are_kept(void **state)
{
    plumb_context *context = make_context(1);
    plumb_family *family = read_family("lines27");
    plumb_monodromy_options options;
    plumb_monodromy_report report;
    (void)state;
    plumb_monodromy_options_init(&options);
    options.max_solutions = 5;
    report = search(context, family, &options, NULL);
    assert_int_equal(report.code, PLUMB_MONODROMY_REACHED);
    assert_true(report.solutions >= 5);
    plumb_monodromy_options_init(&options);
    options.max_loops = 2;
    report = search(context, family, &options, NULL);
    assert_int_equal(report.code, PLUMB_MONODROMY_LOOPS);
    assert_int_equal(report.loops, 2);
    int64_t paths = 100;
    options.progress = stop_after;
    options.data = &paths;
    options.max_loops = 100;
    report = search(context, family, &options, NULL);
    assert_int_equal(report.code, PLUMB_MONODROMY_STOPPED);
    assert_true(report.solutions > 0 && plumb_family_paths(family) == report.solutions);
    paths = 0;
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, &options, NULL, &report), PLUMB_ERR_STOPPED);
    options.max_loops = 0;
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, &options, NULL, &report), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_monodromy(context, NULL, NULL, NULL, NULL, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_family_destroy(family);
    family = parse("parameters a; x^2 + 0*a;"); /* never a regular solution */
    assert_int_equal(plumb_monodromy(context, family, NULL, NULL, NULL, NULL, &report), PLUMB_ERR_ARGUMENT);
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/* Adds a permutation in cycles, "(1 2 3)(4 5)", to images. */
static void add_cycles(const char *text, int64_t points, int64_t *images)
{
    for (int64_t i = 0; i < points; i++)
        images[i] = i;
    for (const char *at = text; *at;) {
        int64_t first = -1, before = -1;
        at++; /* ( */
        while (*at != ')') {
            char *end;
            const int64_t point = strtol(at, &end, 10) - 1;
            if (before >= 0)
                images[before] = point;
            else
                first = point;
            before = point;
            at = *end == ' ' ? end + 1 : end;
        }
        images[before] = first;
        at++;
    }
}

static void check_order(int64_t points, const char *const *cycles, const char *order)
{
    int64_t count = 0, *images = calloc((size_t)(8 * points), sizeof *images);
    plumb_permutations *p = NULL;
    char text[512];
    assert_non_null(images);
    for (; cycles[count]; count++)
        add_cycles(cycles[count], points, images + count * points);
    assert_int_equal(plumb_permutations_create(points, count, images, &p), PLUMB_OK);
    order_of(p, text);
    assert_string_equal(text, order);
    plumb_permutations_destroy(p);
    free(images);
}

/* Orders as in the ATLAS of Finite Groups; that of the cube is well known. */
static void orders_are_known(void **state)
{
    static const char *const none[] = {NULL}, *const s5[] = {"(1 2 3 4 5)", "(1 2)", NULL},
                             *const a7[] = {"(1 2 3)", "(3 4 5 6 7)", NULL},
                             *const s9[] = {"(1 2 3 4 5 6 7 8 9)", "(1 2)", NULL},
                             *const a10[] = {"(1 2 3)", "(2 3 4 5 6 7 8 9 10)", NULL},
                             *const two[] = {"(1 2 3)(4 5)", "(1 2)(4 5 6 7)", NULL},
                             *const cyclic[] = {"(1 2 3 4 5 6 7 8 9 10 11 12)", NULL},
                             *const wreath[] = {"(1 2)", "(1 3 5 7 9)(2 4 6 8 10)", "(1 3)(2 4)", NULL};
    static const char *const m11[] = {"(1 2 3 4 5 6 7 8 9 10 11)", "(3 7 11 8)(4 10 5 6)", NULL};
    static const char *const m12[] = {"(1 2 3 4 5 6 7 8 9 10 11)", "(3 7 11 8)(4 10 5 6)",
                                      "(1 12)(2 11)(3 6)(4 8)(5 9)(7 10)", NULL};
    static const char *const m24[] = {"(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)",
                                      "(3 17 10 7 9)(4 13 14 19 5)(8 18 11 12 23)(15 20 22 21 16)",
                                      "(1 24)(2 23)(3 12)(4 16)(5 18)(6 10)(7 20)(8 14)(9 21)(11 17)(13 22)(15 19)",
                                      NULL};
    static const char *const cube[] = {"(1 3 8 6)(2 5 7 4)(9 33 25 17)(10 34 26 18)(11 35 27 19)",
                                       "(9 11 16 14)(10 13 15 12)(1 17 41 40)(4 20 44 37)(6 22 46 35)",
                                       "(17 19 24 22)(18 21 23 20)(6 25 43 16)(7 28 42 13)(8 30 41 11)",
                                       "(25 27 32 30)(26 29 31 28)(3 38 43 19)(5 36 45 21)(8 33 48 24)",
                                       "(33 35 40 38)(34 37 39 36)(3 9 46 32)(2 12 47 29)(1 14 48 27)",
                                       "(41 43 48 46)(42 45 47 44)(14 22 30 38)(15 23 31 39)(16 24 32 40)",
                                       NULL};
    (void)state;
    check_order(3, none, "1");
    check_order(5, s5, "120");
    check_order(7, a7, "2520");
    check_order(9, s9, "362880");
    check_order(10, a10, "1814400");
    check_order(7, two, "144");
    check_order(12, cyclic, "12");
    check_order(10, wreath, "3840");
    check_order(11, m11, "7920");
    check_order(12, m12, "95040");
    check_order(24, m24, "244823040");
    check_order(48, cube, "43252003274489856000");
}

static void bad_permutations_are_refused(void **state)
{
    const int64_t twice[3] = {0, 1, 1}, outside[3] = {0, 1, 3}, good[3] = {1, 2, 0};
    int64_t image[3];
    plumb_permutations *p = NULL;
    char text[2];
    size_t needed;
    (void)state;
    assert_int_equal(plumb_permutations_create(3, 1, twice, &p), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_permutations_create(3, 1, outside, &p), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_permutations_create(0, 0, NULL, &p), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_permutations_create(3, 1, good, &p), PLUMB_OK);
    assert_int_equal(plumb_permutations_points(p), 3);
    assert_int_equal(plumb_permutations_get(p, 1, image), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_permutations_get(p, 0, image), PLUMB_OK);
    assert_memory_equal(image, good, sizeof good);
    assert_int_equal(plumb_permutations_order(p, text, 1, &needed, NULL), PLUMB_ERR_BUFFER);
    assert_int_equal(needed, 2);
    assert_int_equal(plumb_permutations_order(p, text, 2, NULL, NULL), PLUMB_OK);
    assert_string_equal(text, "3");
    plumb_permutations_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(families_are_found),
                                       cmocka_unit_test(traces_tell_what_is_missing),
                                       cmocka_unit_test(solutions_start_paths),
                                       cmocka_unit_test(bits_do_not_depend_on_threads),
                                       cmocka_unit_test(given_solutions_are_enough),
                                       cmocka_unit_test(symmetries_make_classes),
                                       cmocka_unit_test(limits_are_kept),
                                       cmocka_unit_test(orders_are_known),
                                       cmocka_unit_test(bad_permutations_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
