/* t_lsq_backward.c - tests the backward error of plumb_lsq, of refinement and of batches against MPFR, for square and
 * overdetermined systems, with and without a residual, over all condition numbers. x itself may be inaccurate if the
 * condition number is large; the backward error may not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lsq_problems.h"
#include "plumb.h"
#include "solver/context_test.h"

static const uint64_t seed = 19970101;
static double worst; /* backward error over n u */

static void check(const char *what, const lsq_problem *p, int condition, double most)
{
    const double error = oracle_backward_error(&p->a, &p->b, &p->x) * ldexp(1.0, 53 * p->a.prec) / (double)p->a.cols;
    worst = fmax(worst, error);
    if (!(error <= most))
        fail_msg("%s, %s %s, %lld x %lld, condition 1e%d: backward error %.3g n u", what, plumb_prec_name(p->a.prec),
                 p->a.parts == PLUMB_REAL ? "real" : "complex", (long long)p->a.rows, (long long)p->a.cols, condition,
                 error);
}

static const struct {
    int64_t m, n;
    double residual;
} shapes[] = {{9, 9, 0.0}, {14, 8, 0.0}, {14, 8, 1e-12}, {14, 8, 1.0}, {60, 2, 1.0}, {150, 3, 1e-3}, {1, 1, 0.0}};

static void for_every_problem(int32_t first_prec, int most_condition, void (*run)(lsq_problem *p, int condition))
{
    worst = 0.0;
    for (int32_t prec = first_prec; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
                for (int condition = 0; condition <= most_condition * prec; condition += 3 * prec) {
                    lsq_problem p = problem_make(context, prec, parts, shapes[s].m, shapes[s].n, 2);
                    problem_matrix(&p.a, condition, seed + (uint64_t)condition);
                    problem_right_side(&p.a, &p.b, shapes[s].residual, seed);
                    run(&p, condition);
                    problem_free(context, &p);
                }
    printf("seed %llu, worst backward error %.2f n u\n", (unsigned long long)seed, worst);
}

static void solve_plain(lsq_problem *p, int condition)
{
    plumb_info info = -1;
    assert_int_equal(plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, &info, NULL, NULL), PLUMB_OK);
    assert_int_equal(info, 0);
    check("plain", p, condition, 64.0);
}

static void plain_solutions_are_backward_stable(void **state)
{
    (void)state;
    for_every_problem(PLUMB_D, 12, solve_plain);
}

static void solve_refined(lsq_problem *p, int condition)
{
    plumb_lsq_options options;
    plumb_info info = -1;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    assert_int_equal(plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, &info, &options, NULL), PLUMB_OK);
    assert_int_equal(info, 0);
    check("refined", p, condition, 64.0);
}

static void refined_solutions_are_backward_stable(void **state)
{
    (void)state;
    for_every_problem(PLUMB_DD, 12, solve_refined);
}

/* Three systems side by side, the same but for the order of the rows: their solutions are those of three problems. */
static void solve_batch(lsq_problem *p, int condition)
{
    enum { BATCH = 3 };
    plumb_view a, b, x;
    plumb_info info[BATCH] = {-1, -1, -1};
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, p->a.prec, p->a.parts, p->a.rows, p->a.cols, BATCH, &a),
                     PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, p->a.prec, p->a.parts, p->a.rows, p->b.cols, BATCH, &b),
                     PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, p->a.prec, p->a.parts, p->a.cols, p->b.cols, BATCH, &x),
                     PLUMB_OK);
    for (int64_t k = 0; k < BATCH; k++)
        for (int32_t c = 0; c < p->a.prec * p->a.parts; c++)
            for (int64_t i = 0; i < a.rows; i++) {
                const int64_t from = (i + k) % a.rows;
                for (int64_t j = 0; j < a.cols; j++)
                    a.data[k * a.next + c * a.plane + j * a.col + i] = p->a.data[c * p->a.plane + j * p->a.col + from];
                for (int64_t j = 0; j < b.cols; j++)
                    b.data[k * b.next + c * b.plane + j * b.col + i] = p->b.data[c * p->b.plane + j * p->b.col + from];
            }
    assert_int_equal(plumb_lsq_batch(context, &a, &b, &x, NULL, info, NULL), PLUMB_OK);
    for (int64_t k = 0; k < BATCH; k++) {
        lsq_problem one = {.a = a, .b = b, .x = x};
        one.a.data += k * a.next, one.b.data += k * b.next, one.x.data += k * x.next;
        assert_int_equal(info[k], 0);
        check("batch", &one, condition, 64.0);
    }
    plumb_array_destroy(context, &a), plumb_array_destroy(context, &b), plumb_array_destroy(context, &x);
}

static void solutions_of_batches_are_backward_stable(void **state)
{
    (void)state;
    for_every_problem(PLUMB_D, 6, solve_batch);
}

/* The measure itself: a solution that is off by a relative e in one entry has a backward error of about e. */
static void the_oracle_sees_errors(void **state)
{
    (void)state;
    lsq_problem p = problem_make(context, PLUMB_DD, PLUMB_REAL, 14, 8, 1);
    plumb_info info;
    problem_matrix(&p.a, 1.0, seed);
    problem_right_side(&p.a, &p.b, 1.0, seed);
    assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, &p.residual, &info, NULL, NULL), PLUMB_OK);
    for (int e = -10; e >= -20; e -= 10) {
        plumb_view x = p.x;
        const double kept = x.data[3];
        x.data[x.plane + 3] += kept * pow(10.0, e);
        const double error = oracle_backward_error(&p.a, &p.b, &x);
        assert_true(error > pow(10.0, e - 2) && error < pow(10.0, e + 1));
        x.data[x.plane + 3] -= kept * pow(10.0, e);
    }
    problem_free(context, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_sees_errors),
        cmocka_unit_test(plain_solutions_are_backward_stable),
        cmocka_unit_test(refined_solutions_are_backward_stable),
        cmocka_unit_test(solutions_of_batches_are_backward_stable),
    };
    backend = PLUMB_BACKEND_CPU;
    int failed = cmocka_run_group_tests(tests, make_context, end_context);
    plumb_device_info device;
    if (plumb_device_query(0, &device) != PLUMB_OK || !device.usable)
        return failed;
    printf("the same on the GPU\n");
    backend = PLUMB_BACKEND_GPU;
    return failed + cmocka_run_group_tests(tests, make_context, end_context);
}
