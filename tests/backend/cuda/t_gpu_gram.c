/* t_gpu_gram.c - tests refinement with a Cholesky factor of the Gram matrix (device_gram.c), which is for large problems, on small ones,
 * against modified Gram-Schmidt in full precision on the CPU. Skipped, with the reason, if there is no GPU. */
#include "gpu_lsq.h"

/* A system and its solution on the CPU, in twice the precision if there is one. */
typedef struct problem {
    plumb_view a, b, x, residual;
} problem;

static void raise_to(const plumb_view *from, plumb_view *to, int32_t prec)
{
    *to = host_array(prec, from->parts, from->rows, from->cols, 1);
    assert_ok(plumb_copy(gpu, from, to, NULL));
}

static problem problem_create(int32_t prec, int32_t parts, int64_t m, int64_t n, int64_t rhs, uint64_t start,
                              double near)
{
    problem p = {.a = host_array(prec, parts, m, n, 1), .b = host_array(prec, parts, m, rhs, 1)};
    random_fill(&p.a, start);
    random_fill(&p.b, start + 1);
    for (int64_t i = 0; i < m && near > 0.0; i++) /* column 1 is nearly column 0 */
        for (int32_t c = 0; c < prec * parts; c++) {
            double *e = entry_of(&p.a, 0, c, i, 1);
            *e = *entry_of(&p.a, 0, c, i, 0) + (c % prec == 0 ? near * rint(256.0 * *e) / 256.0 : 0.0);
        }
    return p;
}

static void problem_solve(problem *p)
{
    const int32_t high = PLUMB_QD;
    plumb_view a, b;
    raise_to(&p->a, &a, high), raise_to(&p->b, &b, high);
    p->x = host_array(high, p->a.parts, p->a.cols, p->b.cols, 1);
    p->residual = host_array(high, PLUMB_REAL, 1, p->b.cols, 1);
    assert_int_equal(plumb_lsq(cpu, &a, &b, &p->x, &p->residual, NULL, NULL, NULL), PLUMB_OK);
    destroy(&a), destroy(&b);
}

static void problem_destroy(problem *p)
{
    destroy(&p->a), destroy(&p->b), destroy(&p->x), destroy(&p->residual);
}

/* Solves on the GPU by this refinement, twice with the same bits; with a factor in d first, or in dd alone. The number of correct digits
 * of x. */
static double solve_there(const problem *p, int32_t low, plumb_lsq_report *report)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b);
    plumb_view x = array_at(PLUMB_DEVICE, p->a.prec, p->a.parts, p->a.cols, p->b.cols, 1), again = x;
    plumb_view residual = array_at(PLUMB_DEVICE, p->a.prec, PLUMB_REAL, 1, p->b.cols, 1);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    again = array_at(PLUMB_DEVICE, p->a.prec, p->a.parts, p->a.cols, p->b.cols, 1);
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    gpu->gpu.hooks.lsq_gram = low;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, &residual, info_of(&info), &options, report));
    assert_ok(plumb_lsq(gpu, &a, &b, &again, NULL, NULL, &options, NULL));
    gpu->gpu.hooks.lsq_gram = 0;
    plumb_view outcome = host_copy(&info), found = host_copy(&x), second = host_copy(&again),
               norms = host_copy(&residual);
    assert_int_equal(*info_of(&outcome), 0);
    assert_true(difference(&found, &second) == 0.0);
    plumb_view raised, raised_norms;
    raise_to(&found, &raised, p->x.prec), raise_to(&norms, &raised_norms, p->x.prec);
    const double error = difference(&p->x, &raised);
    if (p->a.rows > p->a.cols)
        assert_true(difference(&p->residual, &raised_norms) <= 1e4 * unit_of(p->a.prec));
    plumb_view *all[] = {&a,       &b,     &x,      &again, &residual, &info,
                         &outcome, &found, &second, &norms, &raised,   &raised_norms};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        destroy(all[k]);
    return error == 0.0 ? 99.0 : -log10(error);
}

static void large_refinement_finds_what_the_cpu_finds(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int64_t shapes[][3] = {{1, 1, 1},   {9, 7, 2},   {32, 32, 1}, {41, 33, 1},
                                        {37, 37, 1}, {150, 5, 1}, {80, 64, 2}, {133, 131, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int32_t which = 0; which < 5; which++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                const int32_t prec = which == 0 ? PLUMB_D : which < 3 ? PLUMB_DD : PLUMB_QD;
                const int32_t low = which % 2 || which == 0 ? PLUMB_D : PLUMB_DD;    /* the precision of the factor */
                if (shapes[s][1] > 16 && prec == PLUMB_QD && parts == PLUMB_COMPLEX) /* an emulated GPU is slow */
                    continue;
                if (shapes[s][1] > 60 && which != 0 && (which != 1 || shapes[s][1] > 130))
                    continue;
                problem p = problem_create(prec, parts, shapes[s][0], shapes[s][1], shapes[s][2], seed + s, 0.0);
                if (s == 1) /* columns of very different sizes */
                    for (int32_t c = 0; c < prec * parts; c++)
                        for (int64_t i = 0; i < p.a.rows; i++) {
                            *entry_of(&p.a, 0, c, i, 1) *= 0x1p300;
                            *entry_of(&p.a, 0, c, i, 4) *= 0x1p-300;
                        }
                if (s != 1)
                    problem_solve(&p);
                else { /* the entries of x, too: compared after scaling */
                    problem same = problem_create(prec, parts, shapes[s][0], shapes[s][1], shapes[s][2], seed + s, 0.0);
                    problem_solve(&same);
                    p.x = same.x, p.residual = same.residual;
                    for (int32_t c = 0; c < p.x.prec * parts; c++)
                        for (int64_t k = 0; k < p.x.cols; k++) {
                            *entry_of(&p.x, 0, c, 1, k) *= 0x1p-300;
                            *entry_of(&p.x, 0, c, 4, k) *= 0x1p300;
                        }
                    destroy(&same.a), destroy(&same.b);
                }
                plumb_lsq_report report;
                const double digits = solve_there(&p, low, &report);
                printf("%s %s, %lld x %lld: %.1f digits, %.1f claimed, factor in %s, %d corrections\n",
                       parts == 2 ? "complex" : "real", plumb_prec_name(prec), (long long)shapes[s][0],
                       (long long)shapes[s][1], digits, report.digits, plumb_prec_name(report.factor_prec),
                       (int)report.steps);
                assert_int_equal(report.method, PLUMB_METHOD_REFINED);
                assert_int_equal(report.factor_prec, low);
                assert_true(report.digits <= digits && report.digits > 16 * prec - 5 - log10(report.condition));
                problem_destroy(&p);
            }
}

/* Where the square of the condition number leaves nothing of the factor, the full precision is used. */
static void large_refinement_ends_where_it_does_not_converge(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const double near[] = {0x1p-10, 0x1p-20, 0x1p-30, 0x1p-35, 0x1p-40, 0x1p-48};
    for (int k = 0; k < 6; k++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            problem p = problem_create(prec, PLUMB_REAL, 12, 12, 1, seed + 9, near[k]);
            problem_solve(&p);
            plumb_lsq_report report;
            const double digits = solve_there(&p, PLUMB_D, &report);
            printf("%s, condition %.1e: %s, factor in %s, %.1f digits, %.1f claimed, %d corrections\n",
                   plumb_prec_name(prec), report.condition, plumb_method_name(report.method),
                   plumb_prec_name(report.factor_prec), digits, report.digits, (int)report.steps);
            assert_true(report.digits <= digits + (prec == PLUMB_D ? 1.0 : 0.0));
            if (report.condition < (prec == PLUMB_D ? 1e5 : 1e13))
                assert_int_equal(report.method, PLUMB_METHOD_REFINED);
            if (report.condition > (prec == PLUMB_D ? 1e9 : 1e17))
                assert_int_equal(report.method, PLUMB_METHOD_MGS);
            if (report.method == PLUMB_METHOD_REFINED && prec > PLUMB_D && report.condition < 1e5)
                assert_int_equal(report.factor_prec, PLUMB_D);
            problem_destroy(&p);
        }
}

static void large_refinement_refuses_what_has_no_solution(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int k = 0; k < 6; k++) {
        const int32_t prec = k < 3 ? PLUMB_DD : PLUMB_D;
        problem p = problem_create(prec, PLUMB_REAL, 8, 6, 1, seed, 0.0);
        for (int64_t i = 0; i < 8; i++)
            for (int c = 0; c < prec; c++) {
                if (k % 3 == 0) /* a column of zeros */
                    *entry_of(&p.a, 0, c, i, 3) = 0.0;
                if (k % 3 == 1 && i == 4 && c == 0)
                    *entry_of(&p.a, 0, c, i, 2) = NAN;
                if (k % 3 == 2 && i == 4 && c == 0)
                    *entry_of(&p.b, 0, c, i, 0) = INFINITY;
            }
        plumb_view a = device_copy(&p.a), b = device_copy(&p.b), x = array_at(PLUMB_DEVICE, prec, PLUMB_REAL, 6, 1, 1);
        plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
        plumb_lsq_options options;
        plumb_lsq_options_init(&options);
        options.method = PLUMB_METHOD_REFINED;
        gpu->gpu.hooks.lsq_gram = PLUMB_D;
        assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, info_of(&info), &options, NULL));
        gpu->gpu.hooks.lsq_gram = 0;
        plumb_view outcome = host_copy(&info), found = host_copy(&x);
        assert_int_equal(*info_of(&outcome), k % 3 == 0 ? 4 : -PLUMB_ERR_NONFINITE);
        for (int64_t i = 0; i < 6; i++)
            assert_true(*entry_of(&found, 0, 0, i, 0) == 0.0);
        plumb_view *all[] = {&a, &b, &x, &info, &outcome, &found, &p.a, &p.b};
        for (size_t q = 0; q < sizeof all / sizeof all[0]; q++)
            destroy(all[q]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_refinement_finds_what_the_cpu_finds),
        cmocka_unit_test(large_refinement_ends_where_it_does_not_converge),
        cmocka_unit_test(large_refinement_refuses_what_has_no_solution),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
