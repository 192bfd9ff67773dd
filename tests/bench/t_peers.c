/* t_peers.c - tests that plumb-peers answers the requests of plumb-bench: its solutions are correct, it reports
 * times, and it reports what it cannot do.
 *
 * The path of the program is the argument. Solvers whose package it was built without are skipped. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bench/common/peers.h"
#include "bench/lsq/matrix.h"

static const char *program;

/* A problem of size m x n, and whether plumb-peers named its solver. */
typedef struct search {
    bench_peers_problem problem;
    int named, lines;
} search;

static void note_solver(void *data, const char *peer, const char *prec, const char *kind, const char *what)
{
    search *s = data;
    s->lines++;
    assert_true(strlen(what) > 0);
    if (!strcmp(peer, s->problem.peer) && !strcmp(prec, s->problem.prec) && !strcmp(kind, s->problem.kind))
        s->named++;
}

static int start_peers(void **state)
{
    *state = bench_peers_start(program);
    return *state == NULL;
}

static int stop_peers(void **state)
{
    bench_peers_stop(*state);
    return 0;
}

/* 0: the solver is not there. */
static int solves(bench_peers *peers, const char *peer, const char *prec, const char *kind, int64_t m, int64_t n,
                  double bound)
{
    search s = {.problem = {.peer = peer, .prec = prec, .kind = kind, .m = m, .n = n, .seed = 2013}};
    assert_true(bench_peers_list_solvers(peers, note_solver, &s));
    assert_true(s.lines > 0 && s.named <= 1);
    if (s.named == 0) {
        assert_true(isnan(bench_peers_time_solve(peers, &s.problem, 1e5)));
        return 0;
    }
    double error = bench_peers_solve_error(peers, &s.problem);
    double ns = bench_peers_time_solve(peers, &s.problem, 1e5);
    print_message("%s %s %s %d x %d, seed 2013: error %.1e (bound %.1e), %.1f us\n", peer, prec, kind, (int)m, (int)n,
                  error, bound, 1e-3 * ns);
    assert_true(error <= bound);
    assert_true(ns > 1 && ns < 1e9);
    return 1;
}

/* Square and, where it can, tall problems, real and complex. The bounds are u = 2^-53, 2^-104, 2^-208 times 10^4, ample
 * for the condition of these matrices, and far below what the precision underneath would reach. */
static void solve_all(bench_peers *peers, const char *peer, const char *prec, double bound, int tall)
{
    int found = 0;
    for (int parts = 1; parts <= 2; parts++) {
        const char *kind = parts == 1 ? "real" : "complex";
        found += solves(peers, peer, prec, kind, 12, 12, bound);
        if (tall)
            found += solves(peers, peer, prec, kind, 13, 7, bound) + solves(peers, peer, prec, kind, 1, 1, bound);
    }
    if (found == 0)
        skip();
    assert_int_equal(found, tall ? 6 : 2);
}

static void solve_double(void **state)
{
    solve_all(*state, "double", "d", 1e4 * 0x1p-53, 1);
}

static void solve_libqd_dd(void **state)
{
    solve_all(*state, "libqd_fma", "dd", 1e4 * 0x1p-104, 1);
}

static void solve_libqd_qd(void **state)
{
    solve_all(*state, "libqd_fma", "qd", 1e4 * 0x1p-208, 1);
}

static void solve_libqd_sloppy_dd(void **state)
{
    solve_all(*state, "libqd_fma_sloppy", "dd", 1e4 * 0x1p-104, 1);
}

static void solve_libqd_sloppy_qd(void **state)
{
    solve_all(*state, "libqd_fma_sloppy", "qd", 1e4 * 0x1p-208, 1);
}

static void solve_arb_dd(void **state)
{
    solve_all(*state, "arb", "dd", 1e4 * 0x1p-104, 0);
}

static void solve_arb_qd(void **state)
{
    solve_all(*state, "arb", "qd", 1e4 * 0x1p-208, 0);
}

static void solve_lapack(void **state)
{
    solve_all(*state, "lapack", "d", 1e4 * 0x1p-53, 1);
}

static void solve_openblas(void **state)
{
    solve_all(*state, "openblas", "d", 1e4 * 0x1p-53, 1);
}

static void solve_refuses_what_it_cannot(void **state)
{
    const bench_peers_problem bad[] = {
        {"nobody", "d", "real", 4, 4, 1},       {"double", "qd", "real", 4, 4, 1},
        {"double", "d", "quaternion", 4, 4, 1}, {"double", "d", "real", 3, 4, 1},
        {"double", "d", "real", 4, 0, 1},       {"double", "d", "real", -4, -4, 1},
        {"arb", "dd", "real", 5, 4, 1},         {"double", "d", "real", INT64_MAX, INT64_MAX, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(isnan(bench_peers_time_solve(*state, &bad[i], 1e5)));
        assert_true(isnan(bench_peers_solve_error(*state, &bad[i])));
    }
    const bench_peers_problem good = {"double", "d", "real", 4, 4, UINT64_MAX};
    assert_true(bench_peers_solve_error(*state, &good) < 1e-10); /* and it goes on after all that */
}

/* Entries on the unit circle, every limb in use and within half a unit of the one before, b the sums of rows. */
static void matrix_lies_on_the_circle(void **state)
{
    (void)state;
    enum { M = 9, N = 5, LIMBS = 4 };
    static double a[M * N * 2 * LIMBS], b[M * 2 * LIMBS];
    bench_lsq_matrix(7, M, N, LIMBS, 2, a);
    bench_lsq_ones(M, N, LIMBS, 2, a, b);
    for (int e = 0; e < M * N; e++) {
        const double *z = a + (ptrdiff_t)e * 2 * LIMBS;
        assert_true(fabs(hypot(z[0], z[LIMBS]) - 1) < 1e-15);
        for (int k = 1; k < LIMBS; k++)
            assert_true(z[k] != 0 && z[k - 1] + z[k] == z[k - 1]);
    }
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += a[(ptrdiff_t)(i + j * M) * 2 * LIMBS];
        assert_true(fabs(sum - b[(ptrdiff_t)i * 2 * LIMBS]) < 1e-14);
    }
}

static void count_products(void *data, const char *peer, const char *op, const char *prec, const char *kind)
{
    (void)prec, (void)kind;
    if (strcmp(peer, "mpfr") == 0 && strcmp(op, "mul") == 0)
        ++*(int *)data;
}

static void arithmetic_is_still_timed(void **state)
{
    int products = 0;
    assert_true(bench_peers_list(*state, count_products, &products));
    if (products == 0)
        skip();
    double ns = bench_peers_sample(*state, "mpfr", "mul", "dd", "real", 1e5);
    assert_true(ns > 0.1 && ns < 1e6);
    assert_true(isnan(bench_peers_sample(*state, "mpfr", "nothing", "dd", "real", 1e5)));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: t_peers PLUMB_PEERS\n");
        return 2;
    }
    program = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_lies_on_the_circle),
        cmocka_unit_test(solve_double),
        cmocka_unit_test(solve_libqd_dd),
        cmocka_unit_test(solve_libqd_qd),
        cmocka_unit_test(solve_libqd_sloppy_dd),
        cmocka_unit_test(solve_libqd_sloppy_qd),
        cmocka_unit_test(solve_arb_dd),
        cmocka_unit_test(solve_arb_qd),
        cmocka_unit_test(solve_lapack),
        cmocka_unit_test(solve_openblas),
        cmocka_unit_test(solve_refuses_what_it_cannot),
        cmocka_unit_test(arithmetic_is_still_timed),
    };
    return cmocka_run_group_tests(tests, start_peers, stop_peers);
}
