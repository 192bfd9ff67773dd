/* t_eval_bits.c - tests that evaluation gives the same bits for one point or many, on every instruction set, with any
 * number of threads, with derivatives or without, in views of any layout, and writes nothing else. */
#include <math.h>
#include <pthread.h>

#include "eval_cases.h"

static const uint64_t seed = 408;
static const double filler = -12345.0;

enum { BATCH = 19 };

typedef struct results {
    plumb_view values, jacobians;
} results;

static results make_results(const plumb_system *system, const plumb_view *points)
{
    int64_t m = plumb_system_equations(system), n = plumb_system_unknowns(system);
    results r = {eval_view(points->prec, points->parts, m, 1, points->batch),
                 eval_view(points->prec, points->parts, m, n, points->batch)};
    return r;
}

static void free_results(results *r)
{
    free(r->values.data);
    free(r->jacobians.data);
}

static plumb_view one_of(const plumb_view *view, int64_t index)
{
    plumb_view one = *view;
    one.data += index * view->next;
    one.batch = 1;
    return one;
}

/* Bit for bit; of a NaN only that it is one. */
static int same_bits(double x, double y)
{
    uint64_t a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    return a == b || (isnan(x) && isnan(y));
}

static void assert_same(const plumb_view *a, const plumb_view *b)
{
    for (int64_t k = 0; k < a->batch; k++)
        for (int64_t c = 0; c < (int64_t)a->prec * a->parts; c++)
            for (int64_t j = 0; j < a->cols; j++)
                for (int64_t i = 0; i < a->rows; i++) {
                    const double *x = a->data + k * a->next + c * a->plane + j * a->col + i;
                    const double *y = b->data + k * b->next + c * b->plane + j * b->col + i;
                    if (!same_bits(*x, *y))
                        fail_msg("point %d, entry (%d, %d), plane %d: %a and %a", (int)k, (int)i, (int)j, (int)c, *x,
                                 *y);
                }
}

/* All at once, one by one, and values alone, against what the scalar kernels made of single points. */
static void compare(const plumb_system *system, const plumb_view *points, const results *expected, const char *isa,
                    int32_t threads)
{
    plumb_context *context = make_context(isa, threads);
    results all = make_results(system, points), single = make_results(system, points),
            alone = make_results(system, points);
    assert_int_equal(plumb_system_eval(context, system, points, &all.values, &all.jacobians, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_eval(context, system, points, &alone.values, NULL, NULL), PLUMB_OK);
    for (int64_t k = 0; k < points->batch; k++) {
        plumb_view x = one_of(points, k), f = one_of(&single.values, k), j = one_of(&single.jacobians, k);
        assert_int_equal(plumb_system_eval(context, system, &x, &f, &j, NULL), PLUMB_OK);
    }
    assert_same(&all.values, &expected->values);
    assert_same(&all.jacobians, &expected->jacobians);
    assert_same(&single.values, &expected->values);
    assert_same(&single.jacobians, &expected->jacobians);
    assert_same(&alone.values, &expected->values);
    free_results(&all), free_results(&single), free_results(&alone);
    plumb_context_destroy(context);
}

static void compare_all(const plumb_system *system, int32_t prec, int32_t parts)
{
    plumb_view points = eval_view(prec, parts, plumb_system_unknowns(system), 1, BATCH);
    random_points(&points, 1.5, seed);
    for (int64_t v = 0; v < points.rows; v++) /* a point of zeros, and one whose products overflow or underflow */
        for (int32_t c = 0; c < prec * parts; c++) {
            points.data[3 * points.next + c * points.plane + v] = 0;
            points.data[4 * points.next + c * points.plane + v] *= v % 2 ? 1e40 : 1e-90;
        }
    plumb_context *scalar = make_context("scalar", 1);
    results expected = make_results(system, &points);
    for (int64_t k = 0; k < BATCH; k++) {
        plumb_view x = one_of(&points, k), f = one_of(&expected.values, k), j = one_of(&expected.jacobians, k);
        assert_int_equal(plumb_system_eval(scalar, system, &x, &f, &j, NULL), PLUMB_OK);
    }
    plumb_context_destroy(scalar);
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info info;
        assert_int_equal(plumb_isa_query(i, &info), PLUMB_OK);
        for (int32_t threads = 1; info.usable && threads <= 3; threads += 2)
            compare(system, &points, &expected, info.name, threads);
    }
    free(points.data);
    free_results(&expected);
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    static const random_shape shapes[] = {
        {5, 4, 20, 4, 4, 0}, {3, 7, 11, 7, 2, 0}, {2, 3, 200, 3, 9, 0}, {9, 9, 9, 3, 3, 1}, {40, 20, 30, 5, 3, 1}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        plumb_system *system = random_system(&shapes[k], seed + k);
        for (int32_t parts = shapes[k].complex_coefficients ? PLUMB_COMPLEX : PLUMB_REAL; parts <= PLUMB_COMPLEX;
             parts++)
            for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
                print_message("system %zu, seed %llu, %s, %d parts\n", k, (unsigned long long)seed + k,
                              plumb_prec_name(prec), (int)parts);
                compare_all(system, prec, parts);
            }
        plumb_system_destroy(system);
    }
}

/* Strided views: planes of matrices with room between, which stays as it was. */
static void layout_does_not_matter(void **state)
{
    (void)state;
    static const random_shape shape = {3, 4, 9, 3, 3, 1};
    plumb_system *system = random_system(&shape, seed);
    plumb_context *context = make_context(NULL, 2);
    plumb_view points = eval_view(PLUMB_DD, PLUMB_COMPLEX, 4, 1, BATCH), wide;
    random_points(&points, 1.0, seed);
    results dense = make_results(system, &points);
    wide = (plumb_view){NULL, 3, 4, BATCH, 6 * 5 * BATCH, 5 * BATCH, 5, PLUMB_DD, PLUMB_COMPLEX, PLUMB_HOST, 0};
    int64_t doubles = wide.plane * 4;
    wide.data = malloc((size_t)doubles * sizeof(double));
    assert_non_null(wide.data);
    for (int64_t i = 0; i < doubles; i++)
        wide.data[i] = filler;
    assert_int_equal(plumb_system_eval(context, system, &points, &dense.values, &dense.jacobians, NULL), PLUMB_OK);
    assert_int_equal(plumb_system_eval(context, system, &points, &dense.values, &wide, NULL), PLUMB_OK);
    assert_same(&dense.jacobians, &wide);
    for (int64_t i = 0; i < doubles; i++)
        if (i % 5 >= 3 || i % wide.plane >= 4 * wide.col)
            assert_true(wide.data[i] == filler);
    free(wide.data), free(points.data);
    free_results(&dense);
    plumb_context_destroy(context);
    plumb_system_destroy(system);
}

typedef struct worker {
    const plumb_system *system;
    const plumb_view *points;
    results found;
    plumb_status status;
} worker;

static void *evaluate(void *data)
{
    worker *w = data;
    plumb_context_options options;
    plumb_context *context = NULL;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.threads = 1;
    w->status = plumb_context_create(&options, &context);
    if (w->status == PLUMB_OK)
        w->status = plumb_system_eval(context, w->system, w->points, &w->found.values, &w->found.jacobians, NULL);
    plumb_context_destroy(context);
    return NULL;
}

/* Threads that meet a new system at the same time all compile it; one program is kept, and all find the same. */
static void threads_may_share_a_system(void **state)
{
    (void)state;
    enum { WORKERS = 6, TRIALS = 5 };
    static const random_shape shape = {4, 5, 25, 4, 4, 1};
    for (int trial = 0; trial < TRIALS; trial++) {
        plumb_system *system = random_system(&shape, seed + (uint64_t)trial);
        plumb_view points = eval_view(PLUMB_DD, PLUMB_COMPLEX, 5, 1, 3);
        pthread_t thread[WORKERS];
        worker w[WORKERS];
        random_points(&points, 1.0, seed);
        for (int i = 0; i < WORKERS; i++) {
            w[i] = (worker){system, &points, make_results(system, &points), PLUMB_OK};
            assert_int_equal(pthread_create(&thread[i], NULL, evaluate, &w[i]), 0);
        }
        for (int i = 0; i < WORKERS; i++)
            assert_int_equal(pthread_join(thread[i], NULL), 0);
        for (int i = 0; i < WORKERS; i++) {
            assert_int_equal(w[i].status, PLUMB_OK);
            assert_same(&w[i].found.values, &w[0].found.values);
            assert_same(&w[i].found.jacobians, &w[0].found.jacobians);
        }
        for (int i = 0; i < WORKERS; i++)
            free_results(&w[i].found);
        free(points.data);
        plumb_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(layout_does_not_matter),
        cmocka_unit_test(threads_may_share_a_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
