/* t_family.c - tests families: numbers of generic solutions that are known from the literature, every target complete, the same bits
 * for any number of threads and for a target alone, special targets, and the file of generic solutions. */
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
#include "solver/context/context.h"

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

static plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return s;
}

static plumb_family *family_of(plumb_context *context, plumb_system *system)
{
    plumb_family *family = NULL;
    if (plumb_family_create(system, &family) != PLUMB_OK)
        fail_msg("%s", plumb_last_message());
    plumb_system_destroy(system);
    if (plumb_family_generic(context, family, NULL, NULL) != PLUMB_OK)
        fail_msg("%s", plumb_context_message(context));
    return family;
}

static plumb_family *read_family(plumb_context *context, const char *name)
{
    char path[512];
    plumb_system *s = NULL;
    plumb_text_error error;
    snprintf(path, sizeof path, "%s/tests/data/families/%s.phc", PLUMB_SOURCE_DIR, name);
    if (plumb_system_read_file(path, &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", path, error.message);
    return family_of(context, s);
}

/* Targets and what is found for them. */
typedef struct found {
    plumb_context *context;
    plumb_view targets, solutions;
    plumb_solution_record *records;
    plumb_instance *instances;
} found;

static found begin(plumb_context *context, const plumb_family *family, int64_t count)
{
    found f = {.context = context};
    const int64_t paths = plumb_family_paths(family);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, plumb_family_parameters(family), 1,
                                        count, &f.targets),
                     PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, plumb_family_unknowns(family), 1,
                                        count * paths, &f.solutions),
                     PLUMB_OK);
    f.records = calloc((size_t)(count * paths), sizeof *f.records);
    f.instances = calloc((size_t)count, sizeof *f.instances);
    assert_non_null(f.records);
    assert_non_null(f.instances);
    return f;
}

static void end(found *f)
{
    plumb_array_destroy(f->context, &f->targets);
    plumb_array_destroy(f->context, &f->solutions);
    free(f->records);
    free(f->instances);
}

static void solve(found *f, const plumb_family *family, const plumb_family_options *options)
{
    if (plumb_family_solve(f->context, family, &f->targets, options, &f->solutions, f->records, f->instances) !=
        PLUMB_OK)
        fail_msg("%s", plumb_context_message(f->context));
}

static void draw(found *f)
{
    uint64_t state = 1;
    for (int64_t k = 0; k < f->targets.batch * f->targets.rows; k++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        f->targets.data[k] = ldexp((double)(state >> 11), -52) - 1.0;
    }
}

static void families_have_their_counts(void **state)
{
    static const struct {
        const char *name;
        int64_t paths, targets;
    } cases[] = {{"p3p", 8, 300},       {"tangents", 12, 40},  {"lines27", 27, 20},
                 {"fivepoint", 20, 20}, {"kuramoto4", 20, 20}, {"kuramoto4common", 14, 20}};
    plumb_context *context = make_context(2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plumb_family *family = read_family(context, cases[c].name);
        assert_int_equal(plumb_family_paths(family), cases[c].paths);
        found f = begin(context, family, cases[c].targets);
        draw(&f);
        solve(&f, family, NULL);
        for (int64_t t = 0; t < cases[c].targets; t++) {
            const plumb_instance *instance = &f.instances[t];
            if (instance->code != PLUMB_INSTANCE_GENERIC)
                fail_msg("%s: target %lld is %s", cases[c].name, (long long)t, plumb_instance_name(instance->code));
            assert_int_equal(instance->solutions, cases[c].paths);
            assert_int_equal(instance->regular, cases[c].paths);
            assert_int_equal((instance->solutions - instance->real) % 2, 0);
            assert_true(instance->error < 1e-6);
        }
        end(&f);
        plumb_family_destroy(family);
    }
    plumb_context_destroy(context);
}

/* Solutions of P3P come in pairs, exactly: one path of each pair is tracked. The families after it have none, one and two changes of
 * signs, and solutions that these leave as they are. */
static void changes_of_signs_are_exact(void **state)
{
    static const struct {
        const char *text;
        int64_t paths;
        int all, x_only; /* (-x, -y) or (-x, y) is a solution, too */
    } cases[] = {{"parameters a, b; x^2 + x*y + y^2 - a; x*y + b*x^2 - 1;", 4, 1, 0},
                 {"parameters a, b; x^2 + y^2 - a; x^2 - b*y^2 + 1;", 4, 1, 1},
                 {"parameters a, b; x^2 - a*y; y^2 - y - b;", 4, 0, 1},
                 {"parameters a, b; x^3 - a*x; y - b*x;", 3, 1, 0},
                 {"parameters a, b; x^2 - a*x + 1; y^2 - b*y - x;", 4, 0, 0}};
    enum { N = 2, TARGETS = 25 };
    plumb_context *context = make_context(2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t paths = cases[c].paths;
        plumb_family *family = family_of(context, parse(cases[c].text));
        found f = begin(context, family, TARGETS);
        assert_int_equal(plumb_family_paths(family), paths);
        draw(&f);
        solve(&f, family, NULL);
        for (int64_t t = 0; t < TARGETS; t++) {
            int all = 0, x_only = 0;
            if (f.instances[t].code != PLUMB_INSTANCE_GENERIC)
                fail_msg("%s: target %lld is %s", cases[c].text, (long long)t,
                         plumb_instance_name(f.instances[t].code));
            for (int64_t k = t * paths; k < (t + 1) * paths; k++)
                for (int64_t j = t * paths; j < (t + 1) * paths; j++) {
                    const double *a = f.solutions.data + k * f.solutions.next,
                                 *b = f.solutions.data + j * f.solutions.next;
                    int same[2] = {1, 1}, opposite[2] = {1, 1};
                    for (int64_t p = 0; p < 2 * PLUMB_QD; p++)
                        for (int i = 0; i < N; i++) {
                            same[i] &= a[p * N + i] == b[p * N + i];
                            opposite[i] &= a[p * N + i] == -b[p * N + i];
                        }
                    all += opposite[0] && opposite[1];
                    x_only += opposite[0] && same[1];
                }
            assert_int_equal(all == paths, cases[c].all);
            assert_int_equal(x_only == paths, cases[c].x_only);
        }
        end(&f);
        plumb_family_destroy(family);
    }
    plumb_context_destroy(context);
}

/* Generic solutions with unknowns that are zero, at which all terms of an equation vanish; in the last one at all of them. */
static void zeros_are_followed(void **state)
{
    static const struct {
        const char *text;
        int64_t paths, zeros; /* of x */
    } cases[] = {{"parameters a, b; x*(y - a); x + y^2 - b;", 3, 2},
                 {"parameters a, b; x*(1 - x - a*y); y*(1 - y - b*x);", 4, 2},
                 {"parameters a, b; x^3 - a*x + b*x^2;", 3, 1},
                 {"parameters a, b; x*(x - a); y*(y - b); z - x - y;", 4, 2}};
    plumb_context *context = make_context(2);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const int64_t paths = cases[c].paths;
        plumb_family *family = family_of(context, parse(cases[c].text));
        found f = begin(context, family, 20);
        assert_int_equal(plumb_family_paths(family), paths);
        draw(&f);
        solve(&f, family, NULL);
        for (int64_t t = 0; t < 20; t++) {
            int64_t zeros = 0;
            if (f.instances[t].code != PLUMB_INSTANCE_GENERIC)
                fail_msg("%s: target %lld is %s", cases[c].text, (long long)t,
                         plumb_instance_name(f.instances[t].code));
            assert_int_equal(f.instances[t].solutions, paths);
            for (int64_t k = paths * t; k < paths * (t + 1); k++)
                zeros += fabs(f.solutions.data[k * f.solutions.next]) < 1e-9;
            assert_int_equal(zeros, cases[c].zeros);
        }
        end(&f);
        plumb_family_destroy(family);
    }
    plumb_context_destroy(context);
}

/* Solutions of targets are those that plumb_solve finds. */
static void check_against_solve(plumb_context *context, plumb_family *family)
{
    const int64_t n = plumb_family_unknowns(family), paths = plumb_family_paths(family);
    found f = begin(context, family, 5);
    draw(&f);
    solve(&f, family, NULL);
    for (int64_t t = 0; t < 5; t++) {
        plumb_view at = f.targets, x;
        plumb_system *system = NULL;
        plumb_solutions *list = NULL;
        plumb_solve_report report;
        at.data += t * at.next;
        at.batch = 1;
        assert_int_equal(plumb_family_at(family, &at, &system), PLUMB_OK);
        assert_int_equal(plumb_solve(context, system, NULL, &list), PLUMB_OK);
        assert_int_equal(plumb_solutions_report(list, &report), PLUMB_OK);
        assert_int_equal(report.distinct, paths);
        assert_int_equal(report.real, f.instances[t].real);
        assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, paths, &x), PLUMB_OK);
        assert_int_equal(plumb_solutions_get(list, 0, &x), PLUMB_OK);
        for (int64_t k = paths * t; k < paths * (t + 1); k++) {
            double nearest = INFINITY;
            for (int64_t j = 0; j < paths; j++) {
                double apart = 0.0;
                for (int64_t i = 0; i < n; i++)
                    for (int64_t c = 0; c < 2; c++)
                        apart =
                            fmax(apart, fabs(f.solutions.data[k * f.solutions.next + 4 * c * f.solutions.plane + i] -
                                             x.data[j * x.next + 4 * c * x.plane + i]));
                nearest = fmin(nearest, apart);
            }
            assert_true(nearest < 1e-9);
        }
        plumb_array_destroy(context, &x);
        plumb_solutions_destroy(list);
        plumb_system_destroy(system);
    }
    end(&f);
    plumb_family_destroy(family);
}

/* P3P, whose coefficients are its parameters, and families whose coefficients are longer: these are computed once per step. */
static void solutions_are_those_of_solve(void **state)
{
    static const char *const texts[] = {
        "parameters a, b; (a^2 + a*b + b^3 - 1)*x^2 + (a - b^2 + 3*a*b)*x*y + (2 + a + b + a^2*b^2)*y - b; "
        "(a^2 + b^2 + a*b + 1)*x*y - (a - b)^3*x + (a + b + 1)^2*y^2 + 1;",
        "parameters a, b, c; (a + b + c)^3*x^3 - (a - b)^2*(b - c)^2*x + (a*b + b*c + c*a + 1)^2;"};
    plumb_context *context = make_context(2);
    (void)state;
    check_against_solve(context, read_family(context, "p3p"));
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_against_solve(context, family_of(context, parse(texts[k])));
    plumb_context_destroy(context);
}

static void bits_depend_on_the_target_alone(void **state)
{
    plumb_context *one = make_context(1), *three = make_context(3);
    plumb_family *family = read_family(one, "kuramoto4");
    found all = begin(one, family, 12), same = begin(three, family, 12), alone = begin(three, family, 1);
    (void)state;
    draw(&all);
    draw(&same);
    solve(&all, family, NULL);
    solve(&same, family, NULL);
    const size_t bytes = (size_t)(all.solutions.next * all.solutions.batch) * sizeof(double);
    assert_memory_equal(all.solutions.data, same.solutions.data, bytes);
    assert_memory_equal(all.instances, same.instances, 12 * sizeof *all.instances);
    for (int64_t t = 0; t < 12; t += 5) {
        memcpy(alone.targets.data, all.targets.data + t * all.targets.next, (size_t)all.targets.next * sizeof(double));
        solve(&alone, family, NULL);
        assert_memory_equal(alone.solutions.data, (char *)all.solutions.data + (size_t)t * (bytes / 12), bytes / 12);
        assert_memory_equal(alone.instances, &all.instances[t], sizeof *all.instances);
    }
    end(&all);
    end(&same);
    end(&alone);
    plumb_family_destroy(family);
    plumb_context_destroy(one);
    plumb_context_destroy(three);
}

/* Paths that stay in lanes arrive at the solutions at which the others arrive, one after the other or side by side. The families have
 * parameters as coefficients, and coefficients that are computed from parameters, with quotients and high powers of them. */
static void lanes_lead_to_the_same_solutions(void **state)
{
    static const char *const texts[] = {"parameters a, b, c; x^2 + a*y^2 - b; x*y + c*x - 1;",
                                        "parameters a, b; (a + b)^3*x^2 + (a^2 - b + 2)*x*y + (a*b + 1)*y^2 + (a - "
                                        "b)^4*x + 3; (a + 2*b^2)*x*y + a*b*x - 1;",
                                        "parameters a, b; (a + b)^8*x^2 + (a^2 - b + 2)*x*y + (a*b + 1)*y^2 + (a - "
                                        "b)^4*x + 3; (a + 2*b^2)*x*y + a*b*x - 1;"};
    plumb_context *context = make_context(1);
    machine *m = NULL;
    (void)state;
    assert_int_equal(plumb_context_machine(context, PLUMB_HOST, &m), PLUMB_OK);
    for (size_t c = 0; c < sizeof texts / sizeof *texts; c++) {
        plumb_family *family = family_of(context, parse(texts[c]));
        const int64_t paths = plumb_family_paths(family), n = plumb_family_unknowns(family);
        found lanes = begin(context, family, 40), others = begin(context, family, 40);
        draw(&lanes);
        draw(&others);
        solve(&lanes, family, NULL);
        m->hooks.track_walk = -1;
        solve(&others, family, NULL);
        m->hooks.track_walk = 0;
        for (int64_t t = 0; t < 40; t++) {
            assert_int_equal(lanes.instances[t].code, PLUMB_INSTANCE_GENERIC);
            assert_int_equal(others.instances[t].code, PLUMB_INSTANCE_GENERIC);
            assert_int_equal(lanes.instances[t].real, others.instances[t].real);
            for (int64_t k = 0; k < paths; k++) {
                double nearest = (double)INFINITY;
                for (int64_t j = 0; j < paths; j++) {
                    double apart = 0.0;
                    for (int64_t i = 0; i < n; i++)
                        for (int64_t part = 0; part < 2; part++) {
                            const int64_t place = part * PLUMB_QD * lanes.solutions.plane + i;
                            const double x = lanes.solutions.data[(t * paths + k) * lanes.solutions.next + place],
                                         y = others.solutions.data[(t * paths + j) * others.solutions.next + place];
                            apart = fmax(apart, fabs(x - y) / fmax(1.0, fabs(x)));
                        }
                    nearest = fmin(nearest, apart);
                }
                assert_true(nearest < 1e-7);
            }
        }
        end(&lanes);
        end(&others);
        plumb_family_destroy(family);
    }
    plumb_context_destroy(context);
}

static plumb_instance solve_one(plumb_context *context, const char *text, const double *target, int32_t anew)
{
    plumb_family *family = family_of(context, parse(text));
    found f = begin(context, family, 1);
    plumb_family_options options;
    plumb_family_options_init(&options);
    options.anew = anew;
    memcpy(f.targets.data, target, (size_t)f.targets.rows * sizeof *target);
    solve(&f, family, &options);
    const plumb_instance instance = f.instances[0];
    end(&f);
    plumb_family_destroy(family);
    return instance;
}

static void special_targets_say_so(void **state)
{
    plumb_context *context = make_context(1);
    const double zero[2] = {0.0, 0.0}, one[2] = {1.0, 0.0};
    (void)state;
    plumb_instance i = solve_one(context, "parameters a; x^2 - a;", zero, 0); /* a double solution */
    assert_int_equal(i.code, PLUMB_INSTANCE_SPECIAL);
    assert_int_equal(i.singular, 2);
    assert_int_equal(i.solutions, 1);
    assert_int_equal(i.real, 1);
    i = solve_one(context, "parameters a; x^2 - a;", zero, 1);
    assert_int_equal(i.code, PLUMB_INSTANCE_ANEW);
    assert_int_equal(i.solutions, 1);
    i = solve_one(context, "parameters b, a; a*x^2 + b*x - 1;", one, 0); /* one at infinity */
    assert_int_equal(i.code, PLUMB_INSTANCE_SPECIAL);
    assert_int_equal(i.infinite, 1);
    assert_int_equal(i.regular, 1);
    assert_int_equal(i.real, 1);
    i = solve_one(context, "parameters a; x^3 - 1 - a*(x^3 - 1);", one, 0); /* 0 = 0 */
    assert_int_not_equal(i.code, PLUMB_INSTANCE_GENERIC);
    plumb_context_destroy(context);
}

/* Stops when all paths of the first arc are done: the others follow them for a target with singular solutions. */
static int stop_after_all(void *data, int64_t done, int64_t failed, int64_t total)
{
    int *calls = data;
    (void)failed;
    ++*calls;
    return done == total;
}

static void targets_stop_on_later_arcs(void **state)
{
    enum { TARGETS = 200 };
    plumb_context *context = make_context(1);
    plumb_family *family = family_of(context, parse("parameters a, b; x^2 - 2*a*x + b;"));
    (void)state;
    for (int32_t anew = 0; anew < 2; anew++) {
        found f = begin(context, family, TARGETS);
        plumb_family_options options;
        int calls = 0;
        plumb_family_options_init(&options);
        options.anew = anew;
        options.progress = stop_after_all;
        options.data = &calls;
        for (int64_t t = 0; t < TARGETS; t++) { /* double solutions */
            f.targets.data[t * f.targets.next] = (double)(t + 1) / 256.0;
            f.targets.data[t * f.targets.next + 1] = (double)((t + 1) * (t + 1)) / 65536.0;
        }
        solve(&f, family, &options);
        assert_true(calls > 0);
        int64_t stopped = 0;
        for (int64_t t = 0; t < TARGETS; t++)
            stopped += f.instances[t].code == PLUMB_INSTANCE_STOPPED;
        assert_true(stopped > 0);
        end(&f);
    }
    plumb_family_destroy(family);
    plumb_context_destroy(context);
}

/* More equations than unknowns: generic solutions satisfy all of them, and so do those of targets. */
static void overdetermined_families_are_solved(void **state)
{
    plumb_context *context = make_context(1);
    const double target[2] = {3.0, 5.0};
    (void)state;
    const plumb_instance i =
        solve_one(context, "3 2\nparameters a, b; x + y - a; x^2 + y^2 - b; 2*x*y - a^2 + b;", target, 0);
    assert_int_equal(i.code, PLUMB_INSTANCE_GENERIC);
    assert_int_equal(i.solutions, 2);
    assert_int_equal(i.positive, 2);
    plumb_context_destroy(context);
}

static void file_keeps_the_generic_solutions(void **state)
{
    plumb_context *context = make_context(1);
    plumb_family *family = read_family(context, "p3p"), *again = NULL, *other = NULL;
    plumb_text_error error;
    size_t needed = 0;
    (void)state;
    assert_int_equal(plumb_family_write(family, NULL, 0, &needed), PLUMB_ERR_BUFFER);
    char *text = malloc(needed);
    assert_non_null(text);
    assert_int_equal(plumb_family_write(family, text, needed, NULL), PLUMB_OK);
    assert_int_equal(plumb_family_create(plumb_family_system(family), &again), PLUMB_OK);
    if (plumb_family_read(again, text, strlen(text), &error) != PLUMB_OK)
        fail_msg("%lld:%lld: %s", (long long)error.line, (long long)error.column, error.message);
    assert_int_equal(plumb_family_paths(again), 8);
    found f = begin(context, family, 3), g = begin(context, again, 3);
    draw(&f);
    draw(&g);
    solve(&f, family, NULL);
    solve(&g, again, NULL);
    assert_memory_equal(f.solutions.data, g.solutions.data,
                        (size_t)(f.solutions.next * f.solutions.batch) * sizeof(double));
    plumb_system *s = parse("parameters a; x^2 - a;");
    assert_int_equal(plumb_family_create(s, &other), PLUMB_OK);
    assert_int_equal(plumb_family_read(other, text, strlen(text), &error), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "another family"));
    assert_int_equal(plumb_family_paths(other), 0);
    char *at = strstr(text, "u :");
    assert_non_null(at);
    at[0] = 'q';
    assert_int_equal(plumb_family_read(again, text, strlen(text), &error), PLUMB_ERR_PARSE);
    plumb_system_destroy(s);
    end(&f);
    end(&g);
    free(text);
    plumb_family_destroy(family);
    plumb_family_destroy(again);
    plumb_family_destroy(other);
    plumb_context_destroy(context);
}

static void start_takes_known_solutions(void **state)
{
    plumb_context *context = make_context(1);
    plumb_system *s = parse("parameters a; x^2 - a;");
    plumb_family *family = NULL;
    double a[2] = {2.0, 1.0}, x[4] = {1.45534669, 0.34356074, -1.45534669, -0.34356074};
    plumb_view at, solutions;
    (void)state;
    assert_int_equal(plumb_family_create(s, &family), PLUMB_OK);
    assert_int_equal(plumb_view_init(&at, a, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&solutions, x, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 2, NULL), PLUMB_OK);
    assert_int_equal(plumb_family_start(context, family, &at, &solutions), PLUMB_OK);
    found f = begin(context, family, 1);
    f.targets.data[0] = 9.0;
    solve(&f, family, NULL);
    assert_int_equal(f.instances[0].code, PLUMB_INSTANCE_GENERIC);
    assert_true(fabs(fabs(f.solutions.data[0]) - 3.0) < 1e-12);
    end(&f);
    x[2] = -x[2] + 1e-5;
    x[3] = -x[3];
    assert_int_equal(plumb_family_start(context, family, &at, &solutions), PLUMB_ERR_ARGUMENT); /* twice the same */
    plumb_family_destroy(family);
    plumb_system_destroy(s);
    plumb_context_destroy(context);
}

static void bad_calls_are_refused(void **state)
{
    plumb_context *context = make_context(1);
    plumb_family *family = NULL;
    plumb_system *s = parse("x^2 - a;"), *declared = NULL;
    const char *const names[] = {"a"}, *const wrong[] = {"q"};
    (void)state;
    assert_int_equal(plumb_family_create(s, &family), PLUMB_ERR_ARGUMENT);
    assert_null(family);
    assert_int_equal(plumb_system_declare(s, wrong, 1, &declared), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_system_declare(s, names, 1, &declared), PLUMB_OK);
    assert_int_equal(plumb_system_parameters(declared), 1);
    assert_int_equal(plumb_family_create(declared, &family), PLUMB_OK);
    plumb_view v;
    plumb_instance instance;
    double a[2] = {1.0, 0.0};
    assert_int_equal(plumb_view_init(&v, a, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_family_solve(context, family, &v, NULL, &v, NULL, &instance), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "no generic solutions"));
    plumb_solutions *list = NULL;
    assert_int_equal(plumb_solve(context, declared, NULL, &list), PLUMB_ERR_ARGUMENT);
    plumb_family_destroy(family);
    plumb_system_destroy(declared);
    plumb_system_destroy(s);
    plumb_context_destroy(context);
}

/* Parameters in texts: declared, written, read back; unused ones; and what is no declaration. */
static void texts_declare_parameters(void **state)
{
    char text[512];
    (void)state;
    plumb_system *s = parse("2\nparameters b, a;\na*x + b*y - 1; y^2 - b;");
    assert_int_equal(plumb_system_parameters(s), 2);
    assert_string_equal(plumb_system_name(s, 0), "x");
    assert_string_equal(plumb_system_name(s, 2), "b");
    for (int f = 0; f < 2; f++) {
        assert_int_equal(plumb_system_write(s, f ? PLUMB_FORMAT_TXT : PLUMB_FORMAT_PHC, text, sizeof text, NULL),
                         PLUMB_OK);
        plumb_system *again = parse(text);
        char second[512];
        assert_int_equal(
            plumb_system_write(again, f ? PLUMB_FORMAT_TXT : PLUMB_FORMAT_PHC, second, sizeof second, NULL), PLUMB_OK);
        assert_string_equal(text, second);
        assert_int_equal(plumb_system_parameters(again), 2);
        plumb_system_destroy(again);
    }
    plumb_system_destroy(s);
    s = parse("parameters*x - 1; parameters + x - 3;"); /* an unknown with this name */
    assert_int_equal(plumb_system_parameters(s), 0);
    plumb_system_destroy(s);
    s = parse("CONFIG\nPARAMETERHOMOTOPY: 2;\nEND;\nINPUT\nvariable_group x;\nparameter a, b;\nfunction f;\nf = a*x^2 "
              "- b;\nEND;\n");
    assert_int_equal(plumb_system_parameters(s), 2);
    assert_string_equal(plumb_system_name(s, 0), "x");
    plumb_system_destroy(s);
    static const char *const bad[] = {"parameters a, a; x - a;", "parameters a x; x - a;", "parameters a; a^2 - 1;",
                                      "parameters i; x - 1;", "parameters a,"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        plumb_text_error error;
        assert_int_equal(plumb_system_parse(bad[k], strlen(bad[k]), &s, &error), PLUMB_ERR_PARSE);
        assert_null(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_have_their_counts),
        cmocka_unit_test(zeros_are_followed),
        cmocka_unit_test(changes_of_signs_are_exact),
        cmocka_unit_test(solutions_are_those_of_solve),
        cmocka_unit_test(bits_depend_on_the_target_alone),
        cmocka_unit_test(special_targets_say_so),
        cmocka_unit_test(lanes_lead_to_the_same_solutions),
        cmocka_unit_test(overdetermined_families_are_solved),
        cmocka_unit_test(file_keeps_the_generic_solutions),
        cmocka_unit_test(start_takes_known_solutions),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(texts_declare_parameters),
        cmocka_unit_test(targets_stop_on_later_arcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
