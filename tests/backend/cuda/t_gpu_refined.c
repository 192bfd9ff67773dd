/* t_gpu_refined.c - tests refinement on a GPU against modified Gram-Schmidt in full precision on the CPU. Skipped,
 * with the reason, if there is no GPU. */
#include "gpu_lsq.h"

typedef struct shape {
    int64_t rows, cols, rhs, batch;
} shape;

typedef struct problem {
    plumb_view a, b, x, residual;
    double condition; /* of the first one */
} problem;

/* The last column becomes the sum of the others and a small part of itself: a condition of about 1 / small. The others are
 * rounded so that the sum is exact. */
static void make_dependent(const plumb_view *a, int64_t system, double small)
{
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t part = 0; part < a->parts; part++) {
            double sum = 0.0, own = small * *entry_of(a, system, part * a->prec, i, a->cols - 1);
            for (int64_t j = 0; j < a->cols; j++)
                for (int32_t c = 0; c < a->prec; c++) {
                    double *entry = entry_of(a, system, part * a->prec + c, i, j);
                    *entry = c == 0 ? ldexp(rint(ldexp(*entry, 20)), -20) : 0.0;
                    sum += j < a->cols - 1 ? *entry : 0.0;
                }
            const double head = sum + own;
            *entry_of(a, system, part * a->prec, i, a->cols - 1) = head;
            *entry_of(a, system, part * a->prec + 1, i, a->cols - 1) = own - (head - sum);
        }
}

static problem problem_create(int32_t prec, int32_t parts, shape s, uint64_t start, double small)
{
    problem p = {.a = host_array(prec, parts, s.rows, s.cols, s.batch),
                 .b = host_array(prec, parts, s.rows, s.rhs, s.batch),
                 .x = host_array(prec, parts, s.cols, s.rhs, s.batch),
                 .residual = host_array(prec, PLUMB_REAL, 1, s.rhs, s.batch)};
    random_fill(&p.a, start);
    random_fill(&p.b, start + 1);
    for (int64_t k = 0; small > 0.0 && k < s.batch; k += 2)
        make_dependent(&p.a, k, small);
    for (int64_t k = 0; k < s.batch; k++) {
        plumb_view a = p.a, b = p.b, x = p.x, residual = p.residual;
        a.data += k * a.next, b.data += k * b.next, x.data += k * x.next, residual.data += k * residual.next;
        a.batch = b.batch = x.batch = residual.batch = 1;
        plumb_lsq_report report;
        plumb_info info = -1;
        assert_int_equal(plumb_lsq(cpu, &a, &b, &x, &residual, &info, NULL, &report), PLUMB_OK);
        assert_int_equal(info, 0);
        if (k == 0)
            p.condition = report.condition;
    }
    return p;
}

static void problem_destroy(problem *p)
{
    destroy(&p->a), destroy(&p->b), destroy(&p->x), destroy(&p->residual);
}

static plumb_lsq_options refining(void)
{
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    return options;
}

static void assert_close(const problem *p, const plumb_view *x, const plumb_view *residual)
{
    const double unit = unit_of(p->a.prec), n = (double)p->a.cols, condition = p->condition;
    const double most = 32.0 * n * unit * condition * (p->a.rows > p->a.cols ? condition : 1.0);
    plumb_view found = host_copy(x), norms = host_copy(residual);
    if (!(difference(&p->x, &found) <= most))
        fail_msg("%s %s, %lld x %lld: x differs by %g, at most %g expected",
                 p->a.parts == PLUMB_COMPLEX ? "complex" : "real", plumb_prec_name(p->a.prec), (long long)p->a.rows,
                 (long long)p->a.cols, difference(&p->x, &found), most);
    if (p->a.rows > p->a.cols)
        assert_true(difference(&p->residual, &norms) <= 32.0 * (double)p->a.rows * unit * condition);
    destroy(&found), destroy(&norms);
}

/* One problem with a report, twice: the same bits. */
static plumb_lsq_report check_one(const problem *p)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b), x = device_like(&p->x), again = device_like(&p->x);
    plumb_view residual = device_like(&p->residual), info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    const plumb_lsq_options options = refining();
    plumb_lsq_report report;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, &residual, info_of(&info), &options, &report));
    plumb_view outcome = host_copy(&info);
    assert_int_equal(*info_of(&outcome), 0);
    assert_int_equal(report.backend, PLUMB_BACKEND_GPU);
    assert_close(p, &x, &residual);
    assert_ok(plumb_lsq(gpu, &a, &b, &again, NULL, NULL, &options, NULL));
    plumb_view first = host_copy(&x), second = host_copy(&again);
    assert_true(difference(&first, &second) == 0.0);
    destroy(&a), destroy(&b), destroy(&x), destroy(&again), destroy(&residual), destroy(&info), destroy(&outcome);
    destroy(&first), destroy(&second);
    return report;
}

static void refinement_finds_what_the_cpu_finds(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{1, 1, 1, 1},  {2, 2, 1, 1},   {8, 8, 2, 1},   {13, 11, 3, 1},
                                   {70, 3, 1, 1}, {32, 32, 1, 1}, {40, 35, 1, 1}, {68, 66, 1, 1}};
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int32_t prec = PLUMB_DD; prec <= PLUMB_QD; prec *= 2)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                if (shapes[s].cols > 32 && (prec > PLUMB_DD || parts == PLUMB_COMPLEX)) /* an emulated GPU is slow */
                    continue;
                problem p = problem_create(prec, parts, shapes[s], seed + s, 0.0);
                plumb_lsq_report report = check_one(&p);
                assert_int_equal(report.method, PLUMB_METHOD_REFINED);
                assert_int_equal(report.factor_prec, PLUMB_D);
                assert_true(report.steps >= 1 && report.steps <= (prec == PLUMB_DD ? 5 : 9));
                assert_true(report.condition >= 0.5 * p.condition && report.condition <= 2.0 * p.condition);
                assert_true(report.digits > 0.4 * 16 * prec);
                problem_destroy(&p);
            }
}

/* As long as refinement converges, it is as accurate as a factor in full precision; otherwise it reports this, and
 * the full precision is used. */
static void condition_decides(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const double small[] = {1e-6, 1e-9, 1e-12, 1e-15, 1e-20};
    for (int32_t prec = PLUMB_DD; prec <= PLUMB_QD; prec *= 2)
        for (size_t k = 0; k < sizeof small / sizeof small[0]; k++) {
            const shape shapes[] = {{10, 10, 1, 1}, {14, 10, 2, 1}};
            for (int s = 0; s < 2; s++) {
                if (prec == PLUMB_DD && s == 1 && small[k] < 1e-12) /* the square of the condition: nothing is right */
                    continue;
                problem p = problem_create(prec, PLUMB_REAL + s, shapes[s], seed + k, small[k]);
                plumb_lsq_report report = check_one(&p);
                printf("%s, condition %g: method %d, %d steps, %g digits\n", plumb_prec_name(prec), p.condition,
                       (int)report.method, (int)report.steps, report.digits);
                if (small[k] >= 1e-9)
                    assert_int_equal(report.method, PLUMB_METHOD_REFINED);
                if (small[k] <= 1e-15) {
                    assert_int_equal(report.method, PLUMB_METHOD_MGS);
                    assert_int_equal(report.factor_prec, prec);
                    assert_true(strstr(report.note, "refinement does not converge") != NULL);
                }
                problem_destroy(&p);
            }
        }
}

/* Every other problem of a batch needs the full precision. */
static void batches_are_mixed(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    problem p = problem_create(PLUMB_QD, PLUMB_COMPLEX, (shape){6, 6, 1, 5}, seed, 1e-18);
    plumb_view a = device_copy(&p.a), b = device_copy(&p.b), x = device_like(&p.x), residual = device_like(&p.residual);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 5, 1, 1);
    const plumb_lsq_options options = refining();
    assert_ok(plumb_lsq_batch(gpu, &a, &b, &x, &residual, info_of(&info), &options));
    plumb_view outcome = host_copy(&info);
    for (int k = 0; k < 5; k++)
        assert_int_equal(info_of(&outcome)[k], 0);
    assert_close(&p, &x, &residual);
    destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&info), destroy(&outcome);
    problem_destroy(&p);
}

/* Columns and right-hand sides of very different sizes: no power of two shows in the solution. */
static void scales_do_not_matter(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    problem p = problem_create(PLUMB_QD, PLUMB_REAL, (shape){6, 6, 1, 1}, seed, 0.0);
    for (int32_t c = 0; c < PLUMB_QD; c++)
        for (int64_t i = 0; i < 6; i++) {
            *entry_of(&p.a, 0, c, i, 1) *= 0x1p500;
            *entry_of(&p.a, 0, c, i, 4) *= 0x1p-300;
            *entry_of(&p.b, 0, c, i, 0) *= 0x1p400;
            *entry_of(&p.x, 0, c, i, 0) *= i == 1 ? 0x1p-100 : i == 4 ? 0x1p700 : 0x1p400;
        }
    (void)check_one(&p);
    problem_destroy(&p);
}

/* What is no system of numbers, or has no solution, has the outcome that the other method gives. */
static void bad_problems_are_refused(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int k = 0; k < 3; k++) {
        problem p = problem_create(PLUMB_QD, PLUMB_REAL, (shape){5, 4, 1, 1}, seed, 0.0);
        if (k == 0)
            *entry_of(&p.a, 0, 0, 2, 1) = (double)INFINITY;
        if (k == 1)
            *entry_of(&p.b, 0, 0, 3, 0) = (double)NAN;
        for (int64_t i = 0; k == 2 && i < 5; i++)
            for (int32_t c = 0; c < PLUMB_QD; c++)
                *entry_of(&p.a, 0, c, i, 2) = 2.0 * *entry_of(&p.a, 0, c, i, 0);
        plumb_view a = device_copy(&p.a), b = device_copy(&p.b), x = device_like(&p.x);
        plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
        const plumb_lsq_options options = refining();
        assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, info_of(&info), &options, NULL));
        plumb_view outcome = host_copy(&info);
        assert_int_equal(*info_of(&outcome), k < 2 ? -PLUMB_ERR_NONFINITE : 3);
        destroy(&a), destroy(&b), destroy(&x), destroy(&info), destroy(&outcome);
        problem_destroy(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refinement_finds_what_the_cpu_finds),
        cmocka_unit_test(condition_decides),
        cmocka_unit_test(batches_are_mixed),
        cmocka_unit_test(scales_do_not_matter),
        cmocka_unit_test(bad_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
