/* t_lsq_outcomes.c - tests problems that cannot be solved: the outcome is data with info, and the status without it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *context;

static int open_context(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    return plumb_context_create(&options, &context) == PLUMB_OK ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

static plumb_view array(int32_t prec, int64_t rows, int64_t cols, int64_t batch)
{
    plumb_view view;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_REAL, rows, cols, batch, &view), PLUMB_OK);
    return view;
}

/* 3 x 2 problems. Number `bad` has column 2 = 2 * column 1, or an infinity (bad_kind 1); -1: none has. */
static void fill(plumb_view *a, plumb_view *b, int64_t bad, int bad_kind)
{
    static const double good[6] = {1, 2, 3, 1, -1, 2};
    for (int64_t k = 0; k < a->batch; k++) {
        double *to = a->data + k * a->next;
        memcpy(to, good, sizeof good);
        if (k == bad && bad_kind == 0)
            for (int i = 0; i < 3; i++)
                to[3 + i] = 2.0 * to[i];
        if (k == bad && bad_kind == 1)
            to[4] = (double)INFINITY;
        for (int i = 0; i < 3; i++)
            b->data[k * b->next + i] = 1.0 + i;
    }
}

static void assert_zero(const plumb_view *x, int64_t k)
{
    for (int64_t i = 0; i < x->next; i++)
        assert_true(x->data[k * x->next + i] == 0.0);
}

static void one_problem(int32_t prec, int32_t method, int32_t pivot)
{
    plumb_view a = array(prec, 3, 2, 1), b = array(prec, 3, 1, 1), x = array(prec, 2, 1, 1);
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = method;
    options.pivot = pivot;
    for (int kind = 0; kind < 2; kind++) {
        const plumb_status expected = kind == 0 ? PLUMB_ERR_SINGULAR : PLUMB_ERR_NONFINITE;
        plumb_info info = 77;
        fill(&a, &b, 0, kind);
        x.data[0] = 5.0;
        if (kind == 0 && pivot) { /* the rank is decided: a basic solution, and no failure */
            assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, NULL, &options, NULL), PLUMB_OK);
            continue;
        }
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, &info, &options, NULL), PLUMB_OK);
        assert_int_equal(info, kind == 0 ? 2 : -PLUMB_ERR_NONFINITE);
        assert_zero(&x, 0);
        x.data[0] = 5.0;
        assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, NULL, &options, NULL), expected);
        assert_non_null(strstr(plumb_context_message(context), kind == 0 ? "column 2" : "not finite"));
        assert_zero(&x, 0);
    }
    plumb_array_destroy(context, &a), plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
}

static void lsq_returns_what_nobody_asked_for(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        one_problem(prec, PLUMB_METHOD_MGS, 0);
        one_problem(prec, PLUMB_METHOD_MGS, 1);
        one_problem(prec, PLUMB_METHOD_REFINED, 0);
    }
}

static void lu_returns_what_nobody_asked_for(void **state)
{
    (void)state;
    plumb_view a = array(PLUMB_DD, 2, 2, 1), b = array(PLUMB_DD, 2, 1, 1), x = array(PLUMB_DD, 2, 1, 1);
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_LU;
    a.data[0] = a.data[1] = a.data[2] = a.data[3] = 1.0;
    assert_int_equal(plumb_lsq(context, &a, &b, &x, NULL, NULL, &options, NULL), PLUMB_ERR_SINGULAR);
    plumb_array_destroy(context, &a), plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
}

static void siblings_return_what_nobody_asked_for(void **state)
{
    (void)state;
    plumb_view a = array(PLUMB_DD, 3, 2, 1), b = array(PLUMB_DD, 3, 1, 1), x = array(PLUMB_DD, 2, 1, 1);
    plumb_view q = array(PLUMB_DD, 3, 2, 1), r = array(PLUMB_DD, 2, 2, 1);
    plumb_factor *factor = NULL;
    plumb_info info = 77;
    fill(&a, &b, 0, 0);
    r.data[0] = 5.0;
    assert_int_equal(plumb_qr(context, &a, &q, &r, NULL, NULL, NULL, NULL), PLUMB_ERR_SINGULAR);
    assert_zero(&r, 0);
    assert_int_equal(plumb_lsq_auto(context, &a, &b, &x, NULL, NULL, 10, NULL, NULL), PLUMB_ERR_SINGULAR);
    assert_int_equal(plumb_factor_create(context, &a, NULL, NULL, &factor), PLUMB_ERR_SINGULAR);
    assert_null(factor);
    assert_int_equal(plumb_factor_create(context, &a, NULL, &info, &factor), PLUMB_OK);
    assert_int_equal(info, 2);
    assert_non_null(factor);
    assert_int_equal(plumb_factor_solve(context, factor, &b, &x, NULL, &info, NULL), PLUMB_ERR_SINGULAR);
    plumb_factor_destroy(factor);

    fill(&a, &b, -1, 0);
    assert_int_equal(plumb_qr(context, &a, &q, &r, NULL, NULL, NULL, NULL), PLUMB_OK);
    assert_int_equal(plumb_factor_create(context, &a, NULL, NULL, &factor), PLUMB_OK);
    b.data[1] = (double)NAN;
    assert_int_equal(plumb_factor_solve(context, factor, &b, &x, NULL, NULL, NULL), PLUMB_ERR_NONFINITE);
    assert_int_equal(plumb_factor_solve(context, factor, &b, &x, NULL, &info, NULL), PLUMB_OK);
    assert_int_equal(info, -PLUMB_ERR_NONFINITE);
    plumb_factor_destroy(factor);
    plumb_array_destroy(context, &a), plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &q), plumb_array_destroy(context, &r);
}

/* In a batch the first failure is the status, and every other problem is solved. */
static void batch_returns_its_first_failure(void **state)
{
    (void)state;
    enum { BATCH = 19 };
    for (int kind = -1; kind < 2; kind++) {
        plumb_view a = array(PLUMB_DD, 3, 2, BATCH), b = array(PLUMB_DD, 3, 1, BATCH), x = array(PLUMB_DD, 2, 1, BATCH),
                   y = array(PLUMB_DD, 2, 1, BATCH);
        plumb_info info[BATCH];
        fill(&a, &b, kind < 0 ? -1 : 12, kind);
        assert_int_equal(plumb_lsq_batch(context, &a, &b, &x, NULL, info, NULL), PLUMB_OK);
        assert_int_equal(plumb_lsq_batch(context, &a, &b, &y, NULL, NULL, NULL), kind < 0    ? PLUMB_OK
                                                                                 : kind == 0 ? PLUMB_ERR_SINGULAR
                                                                                             : PLUMB_ERR_NONFINITE);
        if (kind >= 0)
            assert_non_null(strstr(plumb_context_message(context), "system 13"));
        assert_memory_equal(x.data, y.data, (size_t)(BATCH * x.next) * sizeof(double));
        plumb_array_destroy(context, &a), plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
        plumb_array_destroy(context, &y);
    }
}

/* The second of three points has a Jacobian of zero: it does not move, the others do, and the status tells this. */
static void newton_step_returns_what_nobody_asked_for(void **state)
{
    (void)state;
    static const char text[] = "x^2 - 4;";
    plumb_system *system = NULL;
    plumb_view x = array(PLUMB_D, 1, 1, 3), dx = array(PLUMB_D, 1, 1, 3);
    plumb_info info[3];
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    for (int asked = 0; asked < 2; asked++) {
        x.data[0] = 1.0, x.data[1] = 0.0, x.data[2] = 4.0;
        assert_int_equal(plumb_newton_step(context, system, &x, &dx, asked ? info : NULL, NULL),
                         asked ? PLUMB_OK : PLUMB_ERR_SINGULAR);
        assert_true(x.data[0] == 2.5 && x.data[1] == 0.0 && x.data[2] == 2.5);
        assert_true(dx.data[0] == 1.5 && dx.data[1] == 0.0 && dx.data[2] == -1.5);
    }
    assert_true(info[0] == 0 && info[1] == 1 && info[2] == 0);
    plumb_system_destroy(system);
    plumb_array_destroy(context, &x), plumb_array_destroy(context, &dx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lsq_returns_what_nobody_asked_for),         cmocka_unit_test(lu_returns_what_nobody_asked_for),
        cmocka_unit_test(siblings_return_what_nobody_asked_for),     cmocka_unit_test(batch_returns_its_first_failure),
        cmocka_unit_test(newton_step_returns_what_nobody_asked_for),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
