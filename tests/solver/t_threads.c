/* t_threads.c - tests that contexts are independent: several threads of the caller, each with its own context that
 * has threads, too, evaluate one system, track one homotopy and solve least squares at the same time, from the first
 * use on. All get the same bits, and the thread sanitizer (preset tsan) sees every access. */
#include <pthread.h>

#include "solver/eval/eval_cases.h"

enum { CALLERS = 3, ROUNDS = 4, POINTS = 5, ROWS = 9, COLS = 4, PATHS = 6 };

/* What one caller reads, shared by all, and what it writes, its own. */
typedef struct caller {
    const plumb_system *system;
    const plumb_homotopy *homotopy;
    const plumb_view *points, *starts, *a, *b;
    plumb_view values, jacobian, ends, x;
    plumb_path_record records[PATHS];
    plumb_status status;
} caller;

static plumb_status call_all(caller *c)
{
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_track_options track;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.threads = 2;
    plumb_track_options_init(&track);
    track.prec = PLUMB_D;
    plumb_status status = plumb_context_create(&options, &context);
    if (status == PLUMB_OK)
        status = plumb_system_eval(context, c->system, c->points, &c->values, &c->jacobian, NULL);
    if (status == PLUMB_OK)
        status = plumb_track(context, c->homotopy, c->starts, &c->ends, &track, c->records);
    if (status == PLUMB_OK)
        status = plumb_lsq(context, c->a, c->b, &c->x, NULL, NULL, NULL, NULL);
    plumb_context_destroy(context);
    return status;
}

static void *run_caller(void *data) /* cmocka's assertions belong to its own thread */
{
    caller *c = data;
    c->status = call_all(c);
    return NULL;
}

static void assert_same(const plumb_view *x, const plumb_view *y)
{
    assert_memory_equal(x->data, y->data, (size_t)(x->next * x->batch) * sizeof(double));
}

static void run_round(int32_t prec, uint64_t seed)
{
    static const char text[] = "2\nx^2 + x*y - 3*y + 1;\ny^3 - 2*x*y + x - 2;\n";
    plumb_system *system = parse_system(text), *start = NULL;
    plumb_homotopy *homotopy = NULL;
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    assert_int_equal(plumb_system_start(system, seed, &start), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(start, system, &options, &homotopy), PLUMB_OK);
    plumb_view points = eval_view(prec, PLUMB_COMPLEX, 2, 1, POINTS),
               starts = eval_view(PLUMB_D, PLUMB_COMPLEX, 2, 1, PATHS);
    plumb_view a = eval_view(prec, PLUMB_REAL, ROWS, COLS, 1), b = eval_view(prec, PLUMB_REAL, ROWS, 1, 1);
    random_points(&points, 1.0, seed);
    assert_int_equal(plumb_system_start_solutions(start, 0, &starts), PLUMB_OK);
    for (int64_t j = 0; j < COLS; j++) {
        plumb_view column = a;
        column.data += j * a.col;
        random_points(&column, 1.0, seed + 1 + (uint64_t)j);
    }
    random_points(&b, 1.0, seed);
    caller callers[CALLERS];
    pthread_t threads[CALLERS];
    for (int k = 0; k < CALLERS; k++) {
        callers[k] =
            (caller){.system = system, .homotopy = homotopy, .points = &points, .starts = &starts, .a = &a, .b = &b};
        callers[k].values = eval_view(prec, PLUMB_COMPLEX, 2, 1, POINTS);
        callers[k].jacobian = eval_view(prec, PLUMB_COMPLEX, 2, 2, POINTS);
        callers[k].ends = eval_view(PLUMB_D, PLUMB_COMPLEX, 2, 1, PATHS);
        callers[k].x = eval_view(prec, PLUMB_REAL, COLS, 1, 1);
        assert_int_equal(pthread_create(&threads[k], NULL, run_caller, &callers[k]), 0);
    }
    for (int k = 0; k < CALLERS; k++)
        assert_int_equal(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < CALLERS; k++) {
        caller *c = &callers[k];
        assert_int_equal(c->status, PLUMB_OK);
        assert_same(&c->values, &callers[0].values), assert_same(&c->jacobian, &callers[0].jacobian);
        assert_same(&c->ends, &callers[0].ends), assert_same(&c->x, &callers[0].x);
        for (int path = 0; path < PATHS; path++)
            assert_int_equal(c->records[path].code, PLUMB_PATH_SUCCESS);
    }
    for (int k = 0; k < CALLERS; k++)
        free(callers[k].values.data), free(callers[k].jacobian.data), free(callers[k].ends.data),
            free(callers[k].x.data);
    free(points.data), free(starts.data), free(a.data), free(b.data);
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(start);
    plumb_system_destroy(system);
}

/* A new system each time: the first thread makes its program and its coefficients for all. */
static void contexts_share_systems_and_homotopies(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int round = 0; round < ROUNDS; round++)
            run_round(prec, 20130113 + (uint64_t)round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_share_systems_and_homotopies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
