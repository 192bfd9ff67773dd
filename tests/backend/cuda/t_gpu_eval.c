/* t_gpu_eval.c - tests evaluation on a GPU against MPFR: random and classical systems, unusual shapes, numbers in
 * shared and in global memory, and batch invariance. Skipped, with the reason, if there is no GPU. */
#include "backend/cuda/runtime/time.h"
#include "gpu_test.h"
#include "solver/context/context.h"
#include "solver/eval/eval.h"
#include "solver/eval/eval_oracle.h"
#include "text/system_texts.h"

static const uint64_t seed = 20131;

static int say_seed_and_open(void **state)
{
    printf("seed %llu\n", (unsigned long long)seed);
    return open_gpu(state);
}

static plumb_view device_like(const plumb_view *host)
{
    plumb_view device;
    assert_ok(
        plumb_array_create(gpu, PLUMB_DEVICE, host->prec, host->parts, host->rows, host->cols, host->batch, &device));
    return device;
}

/* Results on the host. */
typedef struct results {
    plumb_view values, jacobians;
} results;

static results results_create(const plumb_system *system, const plumb_view *points)
{
    int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system);
    return (results){eval_view(points->prec, points->parts, m, 1, points->batch),
                     eval_view(points->prec, points->parts, m, n, points->batch)};
}

static void results_destroy(results *r)
{
    free(r->values.data);
    free(r->jacobians.data);
}

/* On device arrays, as a program would do it. */
static results on_device(const plumb_system *system, const plumb_view *points)
{
    results r = results_create(system, points);
    plumb_view x = device_like(points), f = device_like(&r.values), j = device_like(&r.jacobians);
    assert_ok(plumb_copy(gpu, points, &x, NULL));
    assert_ok(plumb_copy(gpu, &r.values, &f, NULL));
    assert_ok(plumb_copy(gpu, &r.jacobians, &j, NULL));
    assert_ok(plumb_system_eval(gpu, system, &x, &f, &j, NULL));
    assert_ok(plumb_copy(gpu, &f, &r.values, NULL));
    assert_ok(plumb_copy(gpu, &j, &r.jacobians, NULL));
    plumb_array_destroy(gpu, &x);
    plumb_array_destroy(gpu, &f);
    plumb_array_destroy(gpu, &j);
    return r;
}

static const double *number_at(const plumb_view *v, int64_t point, int64_t i, int64_t j)
{
    return v->data + point * v->next + j * v->col + i;
}

/* Point a of x and point b of y have the same bits. */
static void assert_same(const plumb_view *x, int64_t a, const plumb_view *y, int64_t b)
{
    for (int64_t c = 0; c < x->prec * x->parts; c++)
        for (int64_t j = 0; j < x->cols; j++)
            for (int64_t i = 0; i < x->rows; i++)
                assert_memory_equal(number_at(x, a, i, j) + c * x->plane, number_at(y, b, i, j) + c * y->plane,
                                    sizeof(double));
}

static void assert_same_results(const results *x, int64_t a, const results *y, int64_t b)
{
    assert_same(&x->values, a, &y->values, b);
    assert_same(&x->jacobians, a, &y->jacobians, b);
}

/* Accurate, and the same in global memory and as one of many points. */
static void check_points(const plumb_system *system, const char *name, const plumb_view *points)
{
    results r = on_device(system, points);
    double worst = oracle_worst(system, points, &r.values, &r.jacobians);
    if (!(worst <= oracle_allowed[points->prec]))
        fail_msg("%s, %s %s: error %g", name, points->parts == PLUMB_REAL ? "real" : "complex",
                 plumb_prec_name(points->prec), worst);
    gpu->gpu.hooks.eval_in_global = 1;
    results other = on_device(system, points);
    gpu->gpu.hooks.eval_in_global = 0;
    gpu->gpu.hooks.eval_many = 1;
    results many = on_device(system, points);
    gpu->gpu.hooks.eval_many = 0;
    for (int64_t b = 0; b < points->batch; b++) {
        assert_same_results(&r, b, &other, b);
        assert_same_results(&r, b, &many, b);
    }
    results_destroy(&r);
    results_destroy(&other);
    results_destroy(&many);
}

static void check_system(const plumb_system *system, const char *name, double size, int64_t batch, int real_too)
{
    for (int32_t parts = real_too ? PLUMB_REAL : PLUMB_COMPLEX; parts <= PLUMB_COMPLEX; parts++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            plumb_view points = eval_view(prec, parts, plumb_system_unknowns(system), 1, batch);
            random_points(&points, size, seed + (uint64_t)prec);
            check_points(system, name, &points);
            free(points.data);
        }
}

static void gpu_evaluates_random_systems(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const random_shape shapes[] = {{1, 1, 1, 1, 1, 0},  {3, 3, 7, 3, 3, 0},    {6, 5, 30, 4, 5, 1},
                                          {2, 9, 20, 9, 2, 0}, {4, 12, 12, 12, 1, 1}, {1, 3, 300, 3, 12, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "random system %zu", k);
        plumb_system *system = random_system(&shapes[k], seed + k);
        check_system(system, name, 2.0, 3, !shapes[k].complex_coefficients);
        plumb_system_destroy(system);
    }
}

static void gpu_evaluates_odd_shapes(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const struct {
        const char *text;
        int real_too;
    } cases[] = {{"1 1\n 5 + 0*x;", 1},                          /* a constant */
                 {"1 2\n x - x + y - y;", 1},                    /* the zero polynomial */
                 {"2 3\n x - x + y^2 + z; x - x;", 1},           /* x never occurs */
                 {"4 2\n x*y - 1; x^2; y^3 - x; x + y + 1;", 1}, /* overdetermined */
                 {"1 4\n a*b*c*d;", 1},
                 {"1 2\n x^1000*y - 1/3*x^777 + y^1000;", 1},
                 {"2 2\n (1 + i)*x*y - i; i*x^2*y^3 + 2;", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        plumb_system *system = parse_system(cases[k].text);
        check_system(system, cases[k].text, 0.75, 2, cases[k].real_too);
        plumb_system_destroy(system);
    }
}

static void gpu_evaluates_the_classics(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const char *const names[] = {"cyclic7.phc",          "katsura10.phc", "noon5.phc",
                                        "overdet_minors34.phc", "mult_kss5.phc", "scaled_katsura5.phc"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char *text = load_text(names[k]);
        plumb_system *system = parse_system(text);
        check_system(system, names[k], 1.5, 1, 0);
        plumb_system_destroy(system);
        free(text);
    }
}

static void gpu_divides_by_nothing(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("2 4\n 3*a*b*c*d + a^2*b^3 + 7*a*c; a*b^2*c^3 + d^2 + b;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view points = eval_view(prec, PLUMB_COMPLEX, 4, 1, 16); /* every set of coordinates is zero once */
        random_points(&points, 1.0, seed);
        for (int64_t b = 0; b < points.batch; b++)
            for (int v = 0; v < 4; v++)
                for (int c = 0; b >> v & 1 && c < 2 * prec; c++)
                    points.data[b * points.next + c * points.plane + v] = 0;
        check_points(system, "zeros", &points);
        free(points.data);
    }
    plumb_system_destroy(system);
}

/* More terms than a block has room for. */
static void gpu_evaluates_large_systems(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const random_shape large = {2, 6, 5000, 4, 12, 0};
    plumb_system *system = random_system(&large, seed);
    plumb_view points = eval_view(PLUMB_DD, PLUMB_REAL, 6, 1, 2);
    random_points(&points, 1.0, seed);
    check_points(system, "large", &points);
    free(points.data);
    plumb_system_destroy(system);
}

/* Many points, more than a group, and so many monomials that fewer of them go side by side. */
static void gpu_evaluates_many_points(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const random_shape shapes[] = {{5, 8, 20, 5, 5, 1}, {3, 20, 90, 5, 5, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        plumb_system *system = random_system(&shapes[k], seed + k);
        plumb_view points = eval_view(PLUMB_DD, PLUMB_COMPLEX, shapes[k].unknowns, 1, 9);
        random_points(&points, 1.0, seed);
        check_points(system, "many points", &points);
        free(points.data);
        plumb_system_destroy(system);
    }
}

/* A single point, a few, and more than a block takes at once: what a point gives does not depend on the others. */
static void gpu_gives_each_point_its_bits(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const random_shape shape = {5, 6, 12, 4, 5, 1};
    plumb_system *system = random_system(&shape, seed);
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view points = eval_view(prec, PLUMB_COMPLEX, 6, 1, prec == PLUMB_QD ? 37 : 200);
        random_points(&points, 2.0, seed);
        results all = on_device(system, &points), again = on_device(system, &points);
        for (int64_t b = 0; b < points.batch; b++)
            assert_same_results(&all, b, &again, b);
        for (int64_t b = 0; b < points.batch; b += points.batch / 3) {
            plumb_view one = points;
            one.batch = 1;
            one.data += b * points.next;
            results alone = on_device(system, &one);
            assert_same_results(&all, b, &alone, 0);
            results_destroy(&alone);
        }
        results_destroy(&all);
        results_destroy(&again);
        free(points.data);
    }
    plumb_system_destroy(system);
}

/* Host arrays go there and back; values alone are the values; views with room between columns keep what lies there. */
static void gpu_takes_any_arrays(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("3 2\n x^3*y - 2; x*y^2 + x - 1; y^5;");
    plumb_view points = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 1, 5);
    random_points(&points, 1.0, seed);
    results r = on_device(system, &points), host = results_create(system, &points);
    assert_ok(plumb_system_eval(gpu, system, &points, &host.values, &host.jacobians, NULL));
    plumb_view alone = eval_view(PLUMB_DD, PLUMB_COMPLEX, 3, 1, 5), wide = eval_view(PLUMB_DD, PLUMB_COMPLEX, 4, 2, 5);
    assert_ok(plumb_system_eval(gpu, system, &points, &alone, NULL, NULL));

    plumb_view x = device_like(&points), f = device_like(&alone), j = device_like(&wide), inner = j;
    inner.rows = 3;
    assert_ok(plumb_copy(gpu, &points, &x, NULL));
    assert_ok(plumb_copy(gpu, &wide, &j, NULL));
    assert_ok(plumb_system_eval(gpu, system, &x, &f, &inner, NULL));
    assert_ok(plumb_copy(gpu, &j, &wide, NULL));
    plumb_view kept = wide;
    kept.rows = 3;
    for (int64_t b = 0; b < points.batch; b++) {
        assert_same_results(&r, b, &host, b);
        assert_same(&r.values, b, &alone, b);
        assert_same(&r.jacobians, b, &kept, b);
        for (int64_t c = 0; c < 4; c++)
            for (int64_t v = 0; v < 2; v++)
                assert_true(number_at(&wide, b, 3, v)[c * wide.plane] == -12345.0);
    }
    plumb_array_destroy(gpu, &x);
    plumb_array_destroy(gpu, &f);
    plumb_array_destroy(gpu, &j);
    free(points.data), free(alone.data), free(wide.data);
    results_destroy(&r);
    results_destroy(&host);
    plumb_system_destroy(system);
}

/* Newton's way without the host in between: x -> f(x) -> f(f(x)), then the host looks. */
static void gpu_evaluates_one_after_the_other(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("2 2\n 0.5*x*y + 0.25; x^2 - 0.5*y;");
    plumb_view points = eval_view(PLUMB_QD, PLUMB_REAL, 2, 1, 1);
    random_points(&points, 1.0, seed);
    plumb_view x = device_like(&points), y = device_like(&points), end = eval_view(PLUMB_QD, PLUMB_REAL, 2, 1, 1);
    assert_ok(plumb_copy(gpu, &points, &x, NULL));
    for (int k = 0; k < 4; k++) {
        assert_ok(plumb_system_eval(gpu, system, k % 2 ? &y : &x, k % 2 ? &x : &y, NULL, NULL));
        plumb_view next = eval_view(PLUMB_QD, PLUMB_REAL, 2, 1, 1);
        assert_ok(plumb_system_eval(gpu, system, &points, &next, NULL, NULL));
        free(points.data);
        points = next;
    }
    assert_ok(plumb_copy(gpu, &x, &end, NULL));
    assert_same(&points, 0, &end, 0);
    plumb_array_destroy(gpu, &x);
    plumb_array_destroy(gpu, &y);
    free(points.data), free(end.data);
    plumb_system_destroy(system);
}

typedef struct recorded {
    const plumb_system *system;
    plumb_view x, f, j;
} recorded;

static plumb_status queue_evaluation(void *data)
{
    recorded *r = data;
    return plumb_system_eval(gpu, r->system, &r->x, &r->f, &r->j, NULL);
}

/* After the first call nothing is allocated and nothing waits: evaluations can be recorded and replayed. */
static void gpu_evaluations_can_be_recorded(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("2 2\n x^2*y - 2; x*y^3 + x;");
    plumb_view points = eval_view(PLUMB_DD, PLUMB_REAL, 2, 1, 1);
    random_points(&points, 1.0, seed);
    static const struct {
        int in_global, many_first, many_then;
    } ways[] = {
        {0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}; /* the third in a form that has not been sent yet */
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        double us = 0;
        gpu->gpu.hooks.eval_in_global = ways[k].in_global;
        gpu->gpu.hooks.eval_many = ways[k].many_first;
        results first = on_device(system, &points), r = results_create(system, &points);
        gpu->gpu.hooks.eval_many = ways[k].many_then;
        recorded work = {system, device_like(&points), device_like(&r.values), device_like(&r.jacobians)};
        assert_ok(plumb_copy(gpu, &points, &work.x, NULL));
        assert_ok(plumb_gpu_time_replays(&gpu->gpu, queue_evaluation, &work, 3, 2, &us));
        assert_ok(plumb_copy(gpu, &work.f, &r.values, NULL));
        assert_ok(plumb_copy(gpu, &work.j, &r.jacobians, NULL));
        assert_same_results(&first, 0, &r, 0);
        plumb_array_destroy(gpu, &work.x);
        plumb_array_destroy(gpu, &work.f);
        plumb_array_destroy(gpu, &work.j);
        results_destroy(&first);
        results_destroy(&r);
    }
    gpu->gpu.hooks.eval_in_global = gpu->gpu.hooks.eval_many = 0;
    free(points.data);
    plumb_system_destroy(system);
}

/* Of few points, those that need not be evaluated keep what was there, and the others have their bits. */
static void gpu_skips_points(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { POINTS = 3, EQUATIONS = 5, UNKNOWNS = 6 };
    static const random_shape shape = {EQUATIONS, UNKNOWNS, 12, 4, 5, 1};
    static const int32_t skipped[POINTS] = {0, 7, 0};
    plumb_system *system = random_system(&shape, seed);
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        plumb_view points = eval_view(prec, PLUMB_COMPLEX, UNKNOWNS, 1, POINTS),
                   values = eval_view(prec, PLUMB_COMPLEX, EQUATIONS, 1, POINTS),
                   flags = eval_view(PLUMB_D, PLUMB_REAL, 1, 1, POINTS);
        random_points(&points, 2.0, seed);
        for (int64_t k = 0; k < values.batch * values.next; k++)
            values.data[k] = 0.5;
        for (int64_t b = 0; b < POINTS; b++)
            memcpy(&flags.data[b], &skipped[b], sizeof skipped[b]);
        plumb_view x = device_like(&points), f = device_like(&values), skip = device_like(&flags);
        eval_call call = {.points = &x, .values = &f, .skip = (const int32_t *)(const void *)skip.data, .skip_next = 2};
        int64_t term;
        assert_ok(plumb_copy(gpu, &points, &x, NULL));
        assert_ok(plumb_copy(gpu, &values, &f, NULL));
        assert_ok(plumb_copy(gpu, &flags, &skip, NULL));
        assert_ok(plumb_program_of(system, &call.program));
        assert_ok(plumb_system_coefficients(system, call.program, prec, PLUMB_COMPLEX, &call.coefficients, &term));
        assert_ok(m->ops->eval(m, &call, NULL));
        plumb_view found = eval_view(prec, PLUMB_COMPLEX, EQUATIONS, 1, POINTS);
        assert_ok(plumb_copy(gpu, &f, &found, NULL));
        results all = on_device(system, &points);
        for (int64_t b = 0; b < POINTS; b++)
            assert_same(&found, b, skipped[b] ? &values : &all.values, b);
        results_destroy(&all);
        plumb_array_destroy(gpu, &x);
        plumb_array_destroy(gpu, &f);
        plumb_array_destroy(gpu, &skip);
        free(points.data), free(values.data), free(flags.data), free(found.data);
    }
    plumb_system_destroy(system);
}

/* Systems come and go, more of them than are kept, at the same addresses. */
static void gpu_keeps_systems_apart(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int k = 0; k < 70; k++) {
        char text[64];
        snprintf(text, sizeof text, "1 1\n %d*x^2 + %d;", k + 1, k);
        plumb_system *system = parse_system(text);
        plumb_view points = eval_view(PLUMB_D, PLUMB_REAL, 1, 1, 1), values = eval_view(PLUMB_D, PLUMB_REAL, 1, 1, 1);
        points.data[0] = 3.0;
        assert_ok(plumb_system_eval(gpu, system, &points, &values, NULL, NULL));
        assert_true(values.data[0] == 9.0 * (k + 1) + k);
        free(points.data), free(values.data);
        plumb_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_evaluates_random_systems),
        cmocka_unit_test(gpu_evaluates_odd_shapes),
        cmocka_unit_test(gpu_evaluates_the_classics),
        cmocka_unit_test(gpu_divides_by_nothing),
        cmocka_unit_test(gpu_evaluates_large_systems),
        cmocka_unit_test(gpu_evaluates_many_points),
        cmocka_unit_test(gpu_gives_each_point_its_bits),
        cmocka_unit_test(gpu_takes_any_arrays),
        cmocka_unit_test(gpu_evaluates_one_after_the_other),
        cmocka_unit_test(gpu_evaluations_can_be_recorded),
        cmocka_unit_test(gpu_skips_points),
        cmocka_unit_test(gpu_keeps_systems_apart),
    };
    return cmocka_run_group_tests(tests, say_seed_and_open, close_gpu);
}
