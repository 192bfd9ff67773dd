/* t_gpu_lsq.c - tests least squares and QR on a GPU against the CPU and MPFR: every precision, kind and family of
 * kernels on many shapes. Skipped, with the reason, if there is no GPU. */
#include "gpu_lsq.h"

typedef struct shape {
    int64_t rows, cols, rhs;
} shape;

/* A problem on the processor: what the GPU is held against. */
typedef struct problem {
    plumb_view a, b, x, residual;
    plumb_lsq_report report;
} problem;

/* After a has changed. */
static void problem_solve(problem *p)
{
    plumb_info info = -1;
    assert_int_equal(plumb_lsq(cpu, &p->a, &p->b, &p->x, &p->residual, &info, NULL, &p->report), PLUMB_OK);
    assert_int_equal(info, 0);
}

static problem problem_create(int32_t prec, int32_t parts, shape s, uint64_t start)
{
    problem p = {.a = host_array(prec, parts, s.rows, s.cols, 1),
                 .b = host_array(prec, parts, s.rows, s.rhs, 1),
                 .x = host_array(prec, parts, s.cols, s.rhs, 1),
                 .residual = host_array(prec, PLUMB_REAL, 1, s.rhs, 1)};
    random_fill(&p.a, start);
    random_fill(&p.b, start + 1);
    problem_solve(&p);
    return p;
}

static void problem_destroy(problem *p)
{
    destroy(&p->a), destroy(&p->b), destroy(&p->x), destroy(&p->residual);
}

/* Whether this family takes the problem. */
static int check_solution(const problem *p, int32_t family, const char *name)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b), x = device_like(&p->x),
               residual = device_like(&p->residual);
    plumb_view info = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    gpu->gpu.hooks.lsq_family = family;
    const int done = taken(plumb_lsq(gpu, &a, &b, &x, &residual, info_of(&info), NULL, NULL));
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    if (done) {
        assert_true(family == MGS_AUTO || gpu->gpu.hooks.lsq_taken == family);
        plumb_view found = host_copy(&x), norms = host_copy(&residual), outcome = host_copy(&info);
        const double unit = unit_of(p->a.prec), n = (double)p->a.cols, condition = p->report.condition;
        const double most = 32.0 * n * unit * condition * (p->a.rows > p->a.cols ? condition : 1.0);
        assert_int_equal(*info_of(&outcome), 0);
        if (!(difference(&p->x, &found) <= most))
            fail_msg("%s, %s %s, %lld x %lld, %lld right-hand sides: x differs by %g, at most %g expected", name,
                     p->a.parts == PLUMB_COMPLEX ? "complex" : "real", plumb_prec_name(p->a.prec), (long long)p->a.rows,
                     (long long)p->a.cols, (long long)p->b.cols, difference(&p->x, &found), most);
        if (p->a.rows > p->a.cols) /* else the norms are nothing but rounding errors */
            assert_true(difference(&p->residual, &norms) <= 32.0 * (double)p->a.rows * unit * condition);
        destroy(&found), destroy(&norms), destroy(&outcome);
    }
    destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&info);
    return done;
}

static void gpu_solves_as_the_cpu_does(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{1, 1, 1}, {2, 2, 1}, {3, 1, 2}, {8, 8, 1}, {13, 11, 3}, {120, 3, 1}, {33, 32, 1}};
    printf("seed %llu\n", (unsigned long long)seed);
    int count[FAMILIES] = {0}, all = 0;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int p = 0; p < PRECISIONS; p++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++, all++) {
                if (shapes[s].cols > 16 && (p > 1 || parts == PLUMB_REAL)) /* an emulated GPU is slow */
                    continue;
                problem with = problem_create(precisions[p], parts, shapes[s], seed + s);
                for (int r = 0; r < FAMILIES; r++)
                    count[r] += check_solution(&with, families[r], family_names[r]);
                problem_destroy(&with);
            }
    for (int r = 0; r < FAMILIES; r++)
        printf("%s: %d problems\n", family_names[r], count[r]);
    for (int r = 0; r < FAMILIES; r++)
        assert_true(count[r] > 0);
    assert_true(count[FAMILIES - 1] > all / 2);
}

/* Whatever is chosen by shape is right: from one unknown to many rows. */
static void gpu_chooses_by_shape(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{3, 2, 1}, {500, 3, 1}, {90, 40, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        problem with = problem_create(PLUMB_D, PLUMB_COMPLEX, shapes[s], seed);
        assert_int_equal(check_solution(&with, MGS_AUTO, "auto"), 1);
        problem_destroy(&with);
    }
}

/* Columns in registers of one block and of several, and more of them than there are places for in shared memory. */
static void blocks_share_columns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const struct {
        int32_t prec;
        shape s;
    } cases[] = {{PLUMB_D, {30, 27, 2}},
                 {PLUMB_D, {66, 66, 3}},
                 {PLUMB_D, {101, 98, 1}},
                 {PLUMB_DD, {41, 40, 2}},
                 {PLUMB_DD, {62, 62, 1}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        problem with = problem_create(cases[c].prec, PLUMB_COMPLEX, cases[c].s, seed);
        int taken_here = check_solution(&with, MGS_REGISTERS, "registers");
#ifdef PLUMB_RACECHECK
        (void)taken_here; /* without clusters most of them are too large */
#else
        assert_int_equal(taken_here, 1);
#endif
        problem_destroy(&with);
    }
}

/* Columns of one to eight warps, more of them than places in shared memory, right-hand sides in a block of their own; in qd with x
 * along, but for several right-hand sides. */
static void panels_pass_columns_on(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const struct {
        int32_t prec;
        shape s;
    } cases[] = {{PLUMB_D, {64, 20, 6}},  {PLUMB_D, {200, 18, 1}}, {PLUMB_D, {300, 9, 1}},  {PLUMB_D, {600, 4, 2}},
                 {PLUMB_DD, {70, 15, 3}}, {PLUMB_DD, {140, 9, 1}}, {PLUMB_QD, {19, 18, 1}}, {PLUMB_QD, {41, 7, 3}},
                 {PLUMB_QD, {70, 5, 1}},  {PLUMB_QD, {125, 4, 1}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        problem with = problem_create(cases[c].prec, PLUMB_COMPLEX, cases[c].s, seed);
        assert_int_equal(check_solution(&with, MGS_PANEL, "panel"), 1);
        problem_destroy(&with);
    }
}

/* In qd, where several warps share a column, others send it, and x comes along with the columns. */
static void teams_of_several_warps(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{20, 20, 1}, {35, 18, 2}, {17, 17, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        problem with = problem_create(PLUMB_QD, PLUMB_COMPLEX, shapes[s], seed + s);
        assert_int_equal(check_solution(&with, MGS_SMALL, "small"), 1);
        problem_destroy(&with);
    }
}

/* In qd, columns 1, 3, ... with the first limbs of the column before: nearly parallel by 1e-16, 1e-32 and 1e-48. */
static void neighbours_may_share_limbs(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int64_t sizes[] = {2, 3, 8, 13};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int32_t alike = 1; alike < PLUMB_QD; alike++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                const int64_t n = sizes[s];
                problem with = problem_create(PLUMB_QD, parts, (shape){n, n, 1}, seed + s);
                for (int64_t j = 1; j < n; j += 2)
                    for (int64_t i = 0; i < n; i++)
                        for (int32_t c = 0; c < PLUMB_QD * parts; c++)
                            if (c % PLUMB_QD < alike)
                                *entry_of(&with.a, 0, c, i, j) = *entry_of(&with.a, 0, c, i, j - 1);
                problem_solve(&with);
                for (int r = 0; r < FAMILIES; r++)
                    if (families[r] != MGS_LARGE || n > 8) /* tiles of 32 columns take an emulated GPU long */
                        check_solution(&with, families[r], family_names[r]);
                problem_destroy(&with);
            }
}

/* In qd, more rows than can be added up without carries, and entries that differ by 2^90 within a column. */
static void columns_may_be_long(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int32_t taking[] = {MGS_SMALL, MGS_FLOW};
    for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
        for (int graded = 0; graded < 2; graded++) {
            problem with = problem_create(PLUMB_QD, parts, (shape){290, 3, 1}, seed);
            for (int64_t i = 0; graded && i < with.a.rows; i++)
                for (int64_t j = 0; j < with.a.cols; j++)
                    for (int32_t c = 0; c < PLUMB_QD * parts; c++)
                        *entry_of(&with.a, 0, c, i, j) = ldexp(*entry_of(&with.a, 0, c, i, j), -(int)(i % 91));
            problem_solve(&with);
            for (int f = 0; f < 2; f++)
                assert_int_equal(check_solution(&with, taking[f], "long columns"), 1);
            problem_destroy(&with);
        }
}

/* Several panels of columns, the last one narrow, and right-hand sides behind them. */
static void panels_take_out_what_columns_do(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const struct {
        int32_t prec, parts;
        shape s;
    } cases[] = {{PLUMB_D, PLUMB_COMPLEX, {40, 38, 3}},  {PLUMB_D, PLUMB_REAL, {70, 65, 1}},
                 {PLUMB_DD, PLUMB_COMPLEX, {35, 34, 1}}, {PLUMB_DD, PLUMB_REAL, {200, 34, 1}},
                 {PLUMB_QD, PLUMB_REAL, {98, 33, 1}},    {PLUMB_QD, PLUMB_COMPLEX, {33, 33, 1}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        problem with = problem_create(cases[c].prec, cases[c].parts, cases[c].s, seed);
        for (int64_t j = 0; j < with.a.cols; j += 7) /* columns of other sizes */
            for (int64_t i = 0; i < with.a.rows; i++)
                for (int32_t q = 0; q < with.a.prec * with.a.parts; q++)
                    *entry_of(&with.a, 0, q, i, j) = ldexp(*entry_of(&with.a, 0, q, i, j), 40 - (int)j);
        problem_solve(&with);
        assert_int_equal(check_solution(&with, MGS_LARGE, "large"), 1);
        problem_destroy(&with);
    }
}

/* More unknowns than a block has threads: back substitution in groups of rows. */
static void gpu_solves_more_unknowns_than_threads(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    problem with = problem_create(PLUMB_D, PLUMB_REAL, (shape){140, 135, 2}, seed);
    assert_int_equal(check_solution(&with, MGS_COLUMNS, "columns"), 1);
    problem_destroy(&with);
}

static void check_family_factors(int32_t family, const plumb_view *a)
{
    plumb_view square = array_at(PLUMB_DEVICE, a->prec, a->parts, a->cols, a->cols, 1);
    plumb_view on = device_copy(a), q = device_like(a), r = device_like(&square);
    plumb_lsq_report report;
    gpu->gpu.hooks.lsq_family = family;
    if (taken(plumb_qr(gpu, &on, &q, &r, NULL, NULL, NULL, &report))) {
        plumb_view Q = host_copy(&q), R = host_copy(&r);
        assert_int_equal(report.backend, PLUMB_BACKEND_GPU);
        check_factors(a, &Q, &R, report.condition);
        destroy(&Q), destroy(&R);
    }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    destroy(&square), destroy(&on), destroy(&q), destroy(&r);
}

static void gpu_factors_multiply_to_the_matrix(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{1, 1, 1}, {9, 9, 1}, {17, 5, 1}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int p = 0; p < PRECISIONS; p++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
                plumb_view a = host_array(precisions[p], parts, shapes[s].rows, shapes[s].cols, 1);
                random_fill(&a, seed + s);
                for (int t = 0; t < FAMILIES; t++)
                    check_family_factors(families[t], &a);
                destroy(&a);
            }
}

/* The same bits every time. */
static void gpu_repeats_itself(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int t = 0; t < FAMILIES; t++)
        for (int p = 0; p < PRECISIONS; p++) {
            problem with = problem_create(precisions[p], PLUMB_COMPLEX, (shape){11, 9, 1}, seed);
            problem other = problem_create(precisions[p], PLUMB_COMPLEX, (shape){11, 9, 1}, seed + 1);
            plumb_view x = host_array(precisions[p], PLUMB_COMPLEX, 9, 1, 1);
            plumb_view y = host_array(precisions[p], PLUMB_COMPLEX, 9, 1, 1);
            plumb_info info = -1;
            gpu->gpu.hooks.lsq_family = families[t];
            if (taken(plumb_lsq(gpu, &with.a, &with.b, &x, NULL, &info, NULL, NULL)))
                for (int again = 0; again < 2; again++) { /* nor does what another one left behind matter */
                    assert_ok(plumb_lsq(gpu, &other.a, &other.b, &y, NULL, &info, NULL, NULL));
                    assert_ok(plumb_lsq(gpu, &with.a, &with.b, &y, NULL, &info, NULL, NULL));
                    assert_memory_equal(x.data, y.data, (size_t)(9 * 2 * precisions[p]) * sizeof(double));
                }
            gpu->gpu.hooks.lsq_family = MGS_AUTO;
            destroy(&x), destroy(&y), problem_destroy(&with), problem_destroy(&other);
        }
}

/* Columns that are nearly those before them: each second one, the others, or all of them nearly the first one. */
typedef enum likeness { LIKE_EVEN, LIKE_ODD, LIKE_FIRST } likeness;

static void make_alike(const plumb_view *a, likeness how, double apart)
{
    for (int64_t j = 1; j < a->cols; j++)
        for (int64_t i = 0; i < a->rows; i++)
            for (int32_t c = 0; c < a->prec * a->parts; c++) {
                const double near = *entry_of(a, 0, c, i, how == LIKE_FIRST ? 0 : j - 1);
                double *entry = entry_of(a, 0, c, i, j);
                if (how == LIKE_FIRST || j % 2 == (how == LIKE_EVEN))
                    *entry = c % a->prec == 0 ? near + apart * *entry : 0.0;
            }
}

/* What a panel takes out all at once is what its columns take out one after the other. */
static void panels_are_as_stable_as_columns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec++) {
        plumb_view a = host_array(prec, PLUMB_COMPLEX, 37, 35, 1);
        random_fill(&a, seed);
        make_alike(&a, LIKE_FIRST, prec == PLUMB_D ? 0x1p-24 : 0x1p-50);
        check_family_factors(MGS_LARGE, &a);
        destroy(&a);
    }
}

/* Kernels that take two pivots a step take them one by one where they are nearly parallel. */
static void neighbours_may_be_nearly_parallel(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const shape shapes[] = {{2, 2, 1}, {3, 3, 2}, {9, 8, 1}, {21, 21, 1}, {36, 35, 1}};
    static const double from_one[] = {0.3, 1e-3, 1e-8, 1e-15}; /* the cosine of the angle */
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec++)
            for (size_t e = 0; e < sizeof from_one / sizeof from_one[0]; e++)
                for (likeness how = LIKE_EVEN; how <= LIKE_FIRST; how++) {
                    if (shapes[s].cols > 8 && (size_t)how + s != 4 + e % 2) /* an emulated GPU is slow */
                        continue;
                    problem with = problem_create(prec, PLUMB_COMPLEX, shapes[s], seed + s);
                    make_alike(&with.a, how, sqrt(2.0 * from_one[e]));
                    problem_solve(&with);
                    assert_int_equal(check_solution(&with, MGS_REGISTERS, "registers"), 1);
                    if (shapes[s].cols < 10)
                        check_family_factors(MGS_REGISTERS, &with.a);
                    problem_destroy(&with);
                }
}

/* Columns that are multiples of the first one, in a system of so many rows. */
static void check_dependent(int32_t prec, int64_t rows, int32_t family, const int64_t *of, plumb_info expected)
{
    plumb_view a = host_array(prec, PLUMB_COMPLEX, rows, 5, 1), b = host_array(prec, PLUMB_COMPLEX, rows, 2, 1);
    plumb_view x = host_array(prec, PLUMB_COMPLEX, 5, 2, 1);
    plumb_info info = -1;
    random_fill(&a, seed), random_fill(&b, seed + 1);
    for (int t = 0; t < 4; t++)
        for (int64_t i = 0; i < rows; i++)
            for (int32_t q = 0; q < 2 * prec; q++)
                *entry_of(&a, 0, q, i, of[t]) = ldexp(*entry_of(&a, 0, q, i, 0), 3 * t);
    gpu->gpu.hooks.lsq_family = family;
    assert_ok(plumb_lsq(gpu, &a, &b, &x, NULL, &info, NULL, NULL));
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    assert_int_equal(info, expected);
    assert_zero(&x, 0);
    destroy(&a), destroy(&b), destroy(&x);
}

/* A first pivot of two that has nothing left, a second one, and both; the same where pivots come one by one. */
static void pivots_may_depend(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const struct {
        int64_t of[4]; /* which columns are multiples of the first one */
        plumb_info expected;
    } cases[] = {{{2, 2, 2, 2}, 3}, {{3, 3, 3, 3}, 4}, {{2, 3, 3, 3}, 3}, {{1, 2, 3, 4}, 2}, {{4, 4, 4, 4}, 5}};
    for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec++)
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            check_dependent(prec, 6, MGS_REGISTERS, cases[c].of, cases[c].expected);
            check_dependent(prec, 20, MGS_REGISTERS, cases[c].of, cases[c].expected);
            check_dependent(prec, 70, MGS_PANEL, cases[c].of, cases[c].expected);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_solves_as_the_cpu_does),
        cmocka_unit_test(gpu_chooses_by_shape),
        cmocka_unit_test(blocks_share_columns),
        cmocka_unit_test(panels_pass_columns_on),
        cmocka_unit_test(teams_of_several_warps),
        cmocka_unit_test(neighbours_may_share_limbs),
        cmocka_unit_test(columns_may_be_long),
        cmocka_unit_test(panels_take_out_what_columns_do),
        cmocka_unit_test(gpu_solves_more_unknowns_than_threads),
        cmocka_unit_test(panels_are_as_stable_as_columns),
        cmocka_unit_test(gpu_factors_multiply_to_the_matrix),
        cmocka_unit_test(gpu_repeats_itself),
        cmocka_unit_test(neighbours_may_be_nearly_parallel),
        cmocka_unit_test(pivots_may_depend),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
