/* t_gpu_lsq_kernels.c - tests every least-squares kernel on a GPU by itself: each line of the table of the planner is
 * launched, for any problem, gives the solution of the CPU, and really is the kernel that was requested. Hard problems are
 * judged by MPFR. */
#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/runtime/scratch.h"
#include "gpu_lsq.h"
#include "solver/lsq/lsq_problems.h"

/* What may be wrong with the last system of a problem. */
typedef enum flaw { NO_FLAW, DEPENDENT, LAST_DEPENDENT, NOT_FINITE, NOT_FINITE_RHS } flaw;

static void spoil(const plumb_view *a, const plumb_view *b, flaw how)
{
    const int64_t s = a->batch - 1, of = how == LAST_DEPENDENT ? a->cols - 1 : a->cols / 2;
    for (int64_t i = 0; (how == DEPENDENT || how == LAST_DEPENDENT) && i < a->rows; i++)
        for (int32_t q = 0; q < a->prec * a->parts; q++)
            *entry_of(a, s, q, i, of) = 2.0 * *entry_of(a, s, q, i, 0);
    if (how == NOT_FINITE)
        *entry_of(a, s, 0, a->rows - 1, of) = (double)NAN;
    if (how == NOT_FINITE_RHS)
        *entry_of(b, s, 0, 0, b->cols - 1) = (double)INFINITY;
}

/* Solves a problem of so many rows, columns and right-hand sides, and compares x and the norms of residuals with the processor. */
static void check_flawed(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t systems,
                         flaw how)
{
    plumb_view a = host_array(prec, parts, rows, cols, systems), b = host_array(prec, parts, rows, rhs, systems);
    plumb_view x = host_array(prec, parts, cols, rhs, systems), y = host_array(prec, parts, cols, rhs, systems);
    plumb_info info[8] = {0}, expected[8] = {0};
    plumb_view norms = host_array(prec, PLUMB_REAL, 1, rhs, systems);
    random_fill(&a, seed), random_fill(&b, seed + 1);
    spoil(&a, &b, how);
    assert_int_equal(plumb_lsq_batch(cpu, &a, &b, &x, &norms, expected, NULL), PLUMB_OK);
    plumb_view da = device_copy(&a), db = device_copy(&b), dx = device_like(&x), dn = device_like(&norms);
    plumb_view outcome = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, systems, 1, 1);
    assert_ok(plumb_lsq_batch(gpu, &da, &db, &dx, &dn, info_of(&outcome), NULL));
    plumb_view found = host_copy(&outcome), lengths = host_copy(&dn);
    assert_ok(plumb_copy(gpu, &dx, &y, NULL));
    memcpy(info, found.data, (size_t)systems * sizeof info[0]);
    for (int64_t s = 0; s < systems; s++)
        assert_int_equal(info[s], expected[s]);
    if (!(difference(&x, &y) <= 1e6 * unit_of(prec)))
        fail_msg("%s %s, %lld x %lld: x differs by %g", parts == PLUMB_COMPLEX ? "complex" : "real",
                 plumb_prec_name(prec), (long long)rows, (long long)cols, difference(&x, &y));
    if (rows > cols && !(difference(&norms, &lengths) <= 1e6 * unit_of(prec)))
        fail_msg("%s, %lld x %lld: the norms of residuals differ by %g", plumb_prec_name(prec), (long long)rows,
                 (long long)cols, difference(&norms, &lengths));
    destroy(&a), destroy(&b), destroy(&x), destroy(&y), destroy(&da), destroy(&db), destroy(&dx), destroy(&outcome),
        destroy(&found), destroy(&norms), destroy(&dn), destroy(&lengths);
}

static void check_problem(int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t rhs, int64_t systems)
{
    check_flawed(prec, parts, rows, cols, rhs, systems, NO_FLAW);
}

static void every_kernel_solves(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { ROWS = 11, COLS = 9, SYSTEMS = 2 };
    mgs_limits limits;
    int count, launched[MGS_FAMILIES] = {0};
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++)
        for (int64_t rhs = 1; rhs <= 2; rhs++) {
            const mgs_problem problem = {table->prec, table->parts, ROWS, COLS, COLS + rhs, SYSTEMS};
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (plan.family == MGS_AUTO || (plan.family == MGS_LARGE && rhs > 1)) /* tiles of 32 columns take long */
                continue;
            gpu->gpu.hooks.lsq_plan = &plan;
            check_problem(table->prec, table->parts, ROWS, COLS, rhs, SYSTEMS);
            gpu->gpu.hooks.lsq_plan = NULL;
            assert_int_equal(gpu->gpu.hooks.lsq_taken, table->family);
            launched[table->family]++;
        }
    for (mgs_family family = MGS_REGISTERS; family < MGS_FAMILIES; family++) {
        printf("%s: %d\n", plumb_mgs_family_name(family), launched[family]);
        if (limits.capability >= 90 && launched[family] == 0)
            fail_msg("no kernel of %s was launched", plumb_mgs_family_name(family));
    }
}

/* Columns so long that every warp has rows, and enough unknowns for several blocks of back substitution. */
static void long_columns_are_solved(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { ROWS = 230, COLS = 37, RHS = 2 };
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++) {
        const mgs_problem problem = {table->prec, table->parts, ROWS, COLS, COLS + RHS, 1};
        const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
        if ((plan.family != MGS_PANEL && plan.family != MGS_FLOW) || table->systems == MGS_FEW)
            continue;
        gpu->gpu.hooks.lsq_plan = &plan;
        check_problem(table->prec, table->parts, ROWS, COLS, RHS, 1);
        gpu->gpu.hooks.lsq_plan = NULL;
        launched++;
    }
    if (limits.capability >= 80 && launched < 7)
        fail_msg("only %d kernels took the problem", launched);
}

/* Where x is found beside the panels, by rows of the inverse of the triangle: several blocks of rows, the last of them not full, and
 * more columns than threads of a warp. */
static void x_is_found_beside_the_panels(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++) {
        static const int64_t sizes[] = {1, 2, 45, 64, 75}; /* 45: clusters, too */
        for (int k = 0; k < 5; k++) {
            const int64_t cols = sizes[k];
            const mgs_problem problem = {table->prec, table->parts, cols + 3, cols, cols + 1, 1};
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (!plan.inverts || table->systems == MGS_FEW)
                continue;
            gpu->gpu.hooks.lsq_plan = &plan;
            check_problem(table->prec, table->parts, cols + 3, cols, 1, 1);
            gpu->gpu.hooks.lsq_plan = NULL;
            launched++;
        }
    }
    if (limits.capability >= 90 && launched < 20)
        fail_msg("only %d problems were solved", launched);
}

/* Where x is found along with the columns in d: full columns, so that the right-hand side comes in a later turn than other columns of
 * its block, and one column less, so that it is the second one of a pair. At n = 79 pivots are measured in the same quarter of the
 * multiprocessor. */
static void x_is_found_along_with_full_columns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { MOST = 80 }; /* more take long on an emulated GPU */
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++)
        for (int64_t less = 0; less < 2; less++) {
            const int64_t rows = table->team * table->share;
            const mgs_problem problem = {PLUMB_D, PLUMB_COMPLEX, rows, rows - less, rows - less + 1, 1};
            if (table->family != MGS_REGISTERS || table->prec != PLUMB_D || rows > MOST)
                continue;
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (plan.family == MGS_AUTO || !plan.along)
                continue;
            gpu->gpu.hooks.lsq_plan = &plan;
            check_problem(PLUMB_D, PLUMB_COMPLEX, rows, rows - less, 1, 1);
            gpu->gpu.hooks.lsq_plan = NULL;
            launched++;
        }
    if (limits.clusters[3] > 0 && launched < 7) /* 47 columns need too many warps */
        fail_msg("only %d problems were solved", launched);
}

/* Solves a problem with a kernel of one block per problem, if it takes that, on a device with so much shared memory. */
static int solve_with(const mgs_limits *limits, const mgs_kernel *k, int32_t turn, const mgs_problem *problem, flaw how)
{
    const mgs_choice line = {problem->prec, PLUMB_COMPLEX, MGS_ANY,  0,          0,           0, -1,   0,
                             MGS_REGISTERS, k->team,       k->share, k->columns, k->together, 1, turn, 0};
    const mgs_plan plan = plumb_mgs_plan_of(limits, problem, &line);
    if (plan.family == MGS_AUTO)
        return 0;
    gpu->gpu.hooks.lsq_plan = &plan;
    check_flawed(problem->prec, PLUMB_COMPLEX, problem->rows, problem->cols, problem->all - problem->cols,
                 problem->systems, how);
    gpu->gpu.hooks.lsq_plan = NULL;
    return 1;
}

/* Kernels with one block per problem: as many rows as they take, all their slots with columns or only some, one right-hand side or
 * several, all warps in turn or one after the other; columns that depend on others or are not finite; and places for a few columns
 * only, which are used again and again. */
static void one_block_takes_full_columns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    mgs_limits limits, narrow;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    if (limits.capability < 80)
        return;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_DD; prec++) {
        int count;
        const mgs_kernel *k = plumb_mgs_kernels(MGS_REGISTERS, prec, PLUMB_COMPLEX, &count);
        for (; count > 0; count--, k++) {
            const int64_t rows = k->team * k->share;
            const mgs_problem full = {prec, PLUMB_COMPLEX, rows, rows, rows + 1, 3},
                              less = {prec, PLUMB_COMPLEX, rows - 1, rows - 5, rows - 2, 1},
                              single = {prec, PLUMB_COMPLEX, rows - 3, 1, 2, 1};
            const int32_t turn = k->beside ? 8 : 1;
            if (k->cluster || k->along)
                continue;
            assert_int_equal(solve_with(&limits, k, 1, &full, NO_FLAW), 1);
            assert_int_equal(solve_with(&limits, k, turn, &full, NO_FLAW), 1);
            assert_int_equal(solve_with(&limits, k, turn, &single, NO_FLAW), 1);
            for (flaw how = NO_FLAW; how <= NOT_FINITE_RHS; how++)
                assert_int_equal(solve_with(&limits, k, turn, &less, how), 1);
            narrow = limits;
            for (narrow.shared = 1024; !solve_with(&narrow, k, turn, &full, NO_FLAW); narrow.shared += 1024)
                assert_true(narrow.shared < limits.shared);
        }
    }
}

/* A call that says how many systems its run has gets the kernels of that number, however many it has itself: the same bits. */
static void the_stated_number_of_systems_decides(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { N = 7, MANY = 6 };
    for (int p = 0; p < PRECISIONS; p++) {
        const int32_t prec = precisions[p];
        plumb_view a = host_array(prec, PLUMB_COMPLEX, N, N, MANY), b = host_array(prec, PLUMB_COMPLEX, N, 1, MANY);
        plumb_view x = host_array(prec, PLUMB_COMPLEX, N, 1, MANY);
        random_fill(&a, seed), random_fill(&b, seed + 1);
        plumb_view da = device_copy(&a), db = device_copy(&b), dx = device_like(&x), one = device_like(&x);
        lsq_call call = {.a = &da, .b = &db, .x = &dx};
        assert_ok(gpu->gpu.ops->lsq(&gpu->gpu, &call, NULL));
        const int32_t family = gpu->gpu.hooks.lsq_taken;
        plumb_view all = host_copy(&dx);
        call.x = &one, call.like = MANY;
        da.batch = db.batch = one.batch = 1;
        assert_ok(gpu->gpu.ops->lsq(&gpu->gpu, &call, NULL));
        assert_int_equal(gpu->gpu.hooks.lsq_taken, family);
        one.batch = MANY;
        plumb_view first = host_copy(&one);
        assert_memory_equal(first.data, all.data, (size_t)all.next * sizeof(double));
        da.batch = db.batch = MANY;
        destroy(&a), destroy(&b), destroy(&x), destroy(&da), destroy(&db), destroy(&dx), destroy(&one), destroy(&all),
            destroy(&first);
    }
}

/* ---- Hard problems ------------------------------------------------------------------------------------------------------ */

/* Matrices of which projections leave little, or whose entries have very different sizes. */
typedef enum hardness {
    NEIGHBOURS, /* each second column is nearly the one before, by differences that become smaller and smaller */
    ALL_ALIKE,  /* all columns are nearly the first one */
    CHAIN,      /* each column is nearly the one before, all at the same small distance */
    ROWS,       /* each row is smaller than the one before */
    TRIANGLE,   /* triangular with a tiny diagonal, and zeros below */
    SPARSE,     /* most entries are zero, the others have any exponent and few bits */
    HARDNESSES
} hardness;

static const char *const hardness_names[] = {"neighbours", "all alike", "chain", "rows", "triangle", "sparse"};

static double signed_unit(plumb_random *rng)
{
    return 2.0 * plumb_random_unit(rng) - 1.0;
}

/* Entry k of a becomes 2^-bits times itself, plus entry `near` if that is not negative. */
static void bring_near(big_matrix *a, int64_t k, int64_t near, int bits)
{
    mpfr_t *const parts[] = {a->re, a->im};
    for (int part = 0; part < 2; part++) {
        mpfr_mul_2si(parts[part][k], parts[part][k], -bits, MPFR_RNDN);
        if (near >= 0)
            mpfr_add(parts[part][k], parts[part][k], parts[part][near], MPFR_RNDN);
    }
}

static void make_hard(const plumb_view *a, hardness how, int bits, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    const int64_t m = a->rows, n = a->cols;
    big_matrix A = big_create(m, n);
    big_random(&A, a->parts, &rng);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const int64_t k = j * m + i;
            const double any = plumb_random_unit(&rng), size = plumb_random_unit(&rng);
            if (how == NEIGHBOURS && j % 2 == 1)
                bring_near(&A, k, k - m, (int)(bits * (j + 1) / n));
            if (how == ALL_ALIKE && j > 0)
                bring_near(&A, k, i, bits);
            if (how == CHAIN && j > 0)
                bring_near(&A, k, k - m, bits / 8);
            if (how == ROWS)
                bring_near(&A, k, -1, (int)(bits * i / m));
            if (how == TRIANGLE && i >= j)
                bring_near(&A, k, -1, i > j ? 4000 : bits);
            if (how == SPARSE) {
                mpfr_set_d(A.re[k], i == j ? 1.0 : any < 0.3 ? (double)(int)(8.0 * signed_unit(&rng)) : 0.0, MPFR_RNDN);
                mpfr_set_d(A.im[k], a->parts == PLUMB_REAL || any < 0.8 ? 0.0 : (double)(int)(8.0 * any), MPFR_RNDN);
                bring_near(&A, k, -1, (int)(bits * size / 2.0));
            }
        }
    big_store(&A, a);
    big_destroy(&A);
}

/* Solves on the device, with the kernel that the context was told to use. */
static plumb_info solve_there(lsq_problem *p)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b), x = device_like(&p->x),
               residual = device_like(&p->residual), outcome = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    assert_ok(plumb_lsq_batch(gpu, &a, &b, &x, &residual, info_of(&outcome), NULL));
    assert_ok(plumb_copy(gpu, &x, &p->x, NULL));
    assert_ok(plumb_copy(gpu, &residual, &p->residual, NULL));
    plumb_view found = host_copy(&outcome);
    const plumb_info info = *info_of(&found);
    destroy(&a), destroy(&b), destroy(&x), destroy(&residual), destroy(&outcome), destroy(&found);
    return info;
}

/* Without a norm of the residual kernels may end sooner: x and the outcome are the same. */
static void check_alone(const lsq_problem *p, plumb_info expected)
{
    plumb_view a = device_copy(&p->a), b = device_copy(&p->b), x = device_like(&p->x),
               outcome = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1);
    assert_ok(plumb_lsq_batch(gpu, &a, &b, &x, NULL, info_of(&outcome), NULL));
    plumb_view found = host_copy(&x), told = host_copy(&outcome);
    assert_int_equal(*info_of(&told), expected);
    assert_memory_equal(found.data, p->x.data, (size_t)p->x.next * sizeof(double));
    destroy(&a), destroy(&b), destroy(&x), destroy(&outcome), destroy(&found), destroy(&told);
}

/* Multiplies columns by powers of two: x changes by powers of two, and by nothing else. */
static void check_scales(const lsq_problem *p)
{
    lsq_problem q = problem_make(gpu, p->a.prec, p->a.parts, p->a.rows, p->a.cols, p->b.cols);
    const int of_b = -150;
    for (int32_t c = 0; c < p->a.prec * p->a.parts; c++)
        for (int64_t i = 0; i < p->a.rows; i++) {
            for (int64_t j = 0; j < p->a.cols; j++)
                *entry_of(&q.a, 0, c, i, j) = ldexp(*entry_of(&p->a, 0, c, i, j), (int)(97 * j) % 401 - 200);
            for (int64_t j = 0; j < p->b.cols; j++)
                *entry_of(&q.b, 0, c, i, j) = ldexp(*entry_of(&p->b, 0, c, i, j), of_b);
        }
    assert_int_equal(solve_there(&q), 0);
    for (int32_t c = 0; c < p->a.prec * p->a.parts; c++)
        for (int64_t k = 0; k < p->a.cols; k++)
            for (int64_t j = 0; j < p->b.cols; j++)
                assert_true(*entry_of(&q.x, 0, c, k, j) ==
                            ldexp(*entry_of(&p->x, 0, c, k, j), of_b - ((int)(97 * k) % 401 - 200)));
    problem_free(gpu, &q);
}

enum { HARD_ROWS = 9, HARD_COLS = 6 };

static double worst; /* backward error over n u */

static void check_hard_problem(const mgs_choice *line, int64_t rows, int64_t cols, hardness how, int bits,
                               double residual)
{
    lsq_problem p = problem_make(gpu, line->prec, line->parts, rows, cols, 1);
    make_hard(&p.a, how, bits, seed + (uint64_t)how);
    problem_right_side(&p.a, &p.b, residual, seed);
    const plumb_info info = solve_there(&p);
    const double unit = ldexp(1.0, -53 * line->prec) * (double)p.a.cols;
    const double error = oracle_backward_error(&p.a, &p.b, &p.x) / unit;
    const double norms = oracle_residual_error(&p.a, &p.b, &p.x, &p.residual) / unit;
    worst = fmax(worst, error);
    if (info != 0 || !(error <= 64.0) || !(norms <= 64.0))
        fail_msg(
            "%s, %s %s, %d columns, %s, 2^-%d, residual %g: outcome %d, backward error %.3g n u, of the norm %.3g n u",
            plumb_mgs_family_name(line->family), line->parts == PLUMB_COMPLEX ? "complex" : "real",
            plumb_prec_name(line->prec), (int)cols, hardness_names[how], bits, residual, (int)info, error, norms);
    check_alone(&p, info);
    if (how == SPARSE)
        check_scales(&p);
    problem_free(gpu, &p);
}

static void check_hard_solution(const mgs_choice *line, hardness how, int bits, double residual)
{
    check_hard_problem(line, HARD_ROWS, HARD_COLS, how, bits, residual);
}

static void check_hard_factors(const mgs_choice *line, hardness how, int bits)
{
    plumb_view a = host_array(line->prec, line->parts, HARD_ROWS, HARD_COLS, 1);
    plumb_view r = host_array(line->prec, line->parts, HARD_COLS, HARD_COLS, 1), q = host_copy(&a);
    plumb_lsq_report report;
    make_hard(&a, how, bits, seed + (uint64_t)how);
    assert_ok(plumb_qr(gpu, &a, &q, &r, NULL, NULL, NULL, &report));
    assert_int_equal(gpu->gpu.hooks.lsq_taken, line->family);
    check_factors(&a, &q, &r, report.condition);
    destroy(&a), destroy(&q), destroy(&r);
}

/* True if an earlier line of the table launches the same kernel. */
static int seen_before(const mgs_choice *table, const mgs_choice *line)
{
    for (; table < line; table++)
        if (table->prec == line->prec && table->parts == line->parts && table->family == line->family &&
            table->team == line->team && table->share == line->share && table->columns == line->columns &&
            table->together == line->together && (table->cluster == 1) == (line->cluster == 1))
            return 1;
    return 0;
}

/* The plan that this line of the table makes for a hard problem; its family is MGS_AUTO if there is none. */
static mgs_plan hard_plan(const mgs_limits *limits, const mgs_choice *line, int64_t rhs)
{
    const mgs_problem problem = {line->prec, line->parts, HARD_ROWS, HARD_COLS, HARD_COLS + rhs, 1};
    mgs_plan plan = plumb_mgs_plan_of(limits, &problem, line);
    if (plan.family == MGS_LARGE) /* tiles of 32 columns take long */
        plan.family = MGS_AUTO;
    return plan;
}

/* Solutions, with residuals of several sizes. Where x comes along with the columns, they are multiplied by the inverse of the
 * triangle, which is not backward stable if coefficients are large: only problems without such are checked then. */
static void check_hard_solutions(const mgs_choice *line, int along)
{
    static const double residuals[] = {0x1p-120, 1.0, 0.0};
    for (hardness how = NEIGHBOURS; how < HARDNESSES; how++)
        for (int part = 1; part <= 3; part++)
            if (!along || how == ALL_ALIKE || how == CHAIN || how == ROWS || (how == SPARSE && part < 3))
                check_hard_solution(line, how, 53 * line->prec * part / 4, residuals[part - 1]);
}

/* A kernel that finds x beside the columns tells the outcome, too, where a column depends on others or is not finite. */
static void failures_are_told_beside_the_columns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { N = 45 };
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *table = plumb_mgs_table(&limits, &count);
    for (; count > 0; count--, table++)
        for (int spoilt = 0; spoilt < 2; spoilt++) {
            const mgs_problem problem = {table->prec, table->parts, N, N, N + 1, 1};
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (!plan.inverts || table->systems == MGS_FEW)
                continue;
            lsq_problem p = problem_make(gpu, table->prec, table->parts, N, N, 1);
            random_fill(&p.a, seed), random_fill(&p.b, seed + 1);
            for (int64_t plane = 0; plane < table->prec * table->parts; plane++) {
                double *at = p.a.data + plane * p.a.plane;
                memcpy(at + 34 * p.a.col, at + 7 * p.a.col, N * sizeof(double));
                if (spoilt && plane == 0)
                    at[40 * p.a.col + 3] = (double)NAN;
            }
            gpu->gpu.hooks.lsq_plan = &plan;
            assert_int_equal(solve_there(&p), spoilt ? -PLUMB_ERR_NONFINITE : 34 + 1);
            gpu->gpu.hooks.lsq_plan = NULL;
            problem_free(gpu, &p);
            launched++;
        }
    if (limits.capability >= 90 && launched == 0)
        fail_msg("nothing was solved");
}

/* All kept words (flow/mark.h) that a system of so many unknowns in dd may use have all their bits set. */
static void check_words(int64_t cols)
{
    const int64_t count = (cols + 1) * FLOW_WORDS(PLUMB_DD) + cols * INVERSE_WORDS(PLUMB_DD);
    plumb_view words = array_at(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, count, 1, 1);
    double *own = words.data;
    char *kept = NULL;
    assert_ok(plumb_stream_wait(gpu, NULL));
    assert_ok(plumb_cuda_scratch(&gpu->gpu, gpu->gpu.stream, SCRATCH_WORDS, (size_t)count * sizeof(double), &kept));
    words.data = (double *)(void *)kept;
    plumb_view found = host_copy(&words);
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, found.data + k, sizeof bits);
        if (bits != UINT64_MAX)
            fail_msg("word %lld of %lld is not marked", (long long)k, (long long)count);
    }
    words.data = own;
    destroy(&words), destroy(&found);
}

/* Where x is found beside clusters, words that blocks have told each other are marked again when the call ends, whatever its outcome is, and
 * also where the inverse is not stable. The largest system comes first, and all of its words are checked after each call. */
static void kept_words_are_marked_again(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int64_t sizes[] = {64, 45, 33};
    enum { MOST = 64, SPOILT = 45 };
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *first = plumb_mgs_table(&limits, &count);
    for (int k = 0; k < 3; k++)
        for (const mgs_choice *table = first; table < first + count; table++) {
            const int64_t cols = sizes[k];
            const mgs_problem problem = {PLUMB_DD, PLUMB_COMPLEX, cols, cols, cols + 1, 1};
            if (table->family != MGS_REGISTERS || table->prec != PLUMB_DD || seen_before(first, table))
                continue;
            const mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
            if (!plan.inverts)
                continue;
            gpu->gpu.hooks.lsq_plan = &plan;
            for (flaw how = NO_FLAW; how <= (cols == SPOILT ? NOT_FINITE_RHS : NO_FLAW); how++) {
                check_flawed(PLUMB_DD, PLUMB_COMPLEX, cols, cols, 1, 1, how);
                check_words(MOST);
            }
            if (cols == SPOILT) {
                check_hard_problem(table, cols, cols, NEIGHBOURS, 79, 0.0);
                check_words(MOST);
            }
            gpu->gpu.hooks.lsq_plan = NULL;
            launched++;
        }
    if (limits.clusters[4] > 0 && launched == 0)
        fail_msg("nothing was solved");
}

/* Clusters that find x along with the columns do so by the inverses of blocks of 16 or 32 unknowns, kernels beside panels and clusters,
 * and single blocks, by that of the whole triangle. They must notice where those are not stable: in the last block, or in the one
 * before. */
static void inverses_are_left_where_they_are_not_stable(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    enum { MOST = 38 };
    mgs_limits limits;
    int count, launched = 0;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *first = plumb_mgs_table(&limits, &count);
    worst = 0.0;
    for (const mgs_choice *table = first; table < first + count; table++) {
        const int64_t rows = table->family == MGS_REGISTERS ? table->team * table->share : MOST,
                      cols = rows < MOST ? rows : MOST;
        const mgs_problem problem = {table->prec, table->parts, cols, cols, cols + 1, 1};
        mgs_plan plan = plumb_mgs_plan_of(&limits, &problem, table);
        if (!(plan.inverts || (plan.family == MGS_REGISTERS && plan.along)) || seen_before(first, table))
            continue;
        gpu->gpu.hooks.lsq_plan = &plan;
        for (int beside = plan.inverts; beside >= 0; beside--) {
            plan.inverts = beside;
            for (int part = 1; part <= 3; part++)
                check_hard_problem(table, cols, cols, NEIGHBOURS, 53 * table->prec * part / 4, 0.0);
            check_hard_problem(table, cols, cols, TRIANGLE, 53 * table->prec / 4, 0.0);
            check_hard_problem(table, cols, cols, SPARSE, 8, 1.0);
        }
        gpu->gpu.hooks.lsq_plan = NULL;
        launched++;
    }
    printf("worst backward error %.2f n u\n", worst);
    if (limits.clusters[2] > 0)
        assert_true(launched > 0);
}

/* However much of a column projections remove: factors multiply to the matrix, column by column, backward errors of solutions
 * stay small, and norms of residuals are right. */
static void little_may_be_left_of_a_column(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    mgs_limits limits;
    int count;
    assert_ok((plumb_status)plumb_cuda_mgs_limits(&gpu->gpu, &limits));
    const mgs_choice *first = plumb_mgs_table(&limits, &count);
    worst = 0.0;
    for (const mgs_choice *table = first; table < first + count; table++) {
        if (seen_before(first, table))
            continue;
        mgs_plan plan = hard_plan(&limits, table, 0);
        gpu->gpu.hooks.lsq_plan = &plan;
        for (hardness how = NEIGHBOURS; plan.family != MGS_AUTO && how < HARDNESSES; how++)
            for (int part = 1; part <= 3; part++)
                check_hard_factors(table, how, 53 * table->prec * part / 4);
        plan = hard_plan(&limits, table, 1);
        const int along = plan.along && table->prec == PLUMB_QD;
        if (plan.family != MGS_AUTO)
            check_hard_solutions(table, along);
        plan.along = 0;
        if (along)
            check_hard_solutions(table, 0);
        gpu->gpu.hooks.lsq_plan = NULL;
    }
    printf("worst backward error %.2f n u\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_solves),
        cmocka_unit_test(long_columns_are_solved),
        cmocka_unit_test(x_is_found_beside_the_panels),
        cmocka_unit_test(one_block_takes_full_columns),
        cmocka_unit_test(failures_are_told_beside_the_columns),
        cmocka_unit_test(kept_words_are_marked_again),
        cmocka_unit_test(the_stated_number_of_systems_decides),
        cmocka_unit_test(x_is_found_along_with_full_columns),
        cmocka_unit_test(inverses_are_left_where_they_are_not_stable),
        cmocka_unit_test(little_may_be_left_of_a_column),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}
