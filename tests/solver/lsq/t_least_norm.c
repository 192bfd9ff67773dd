/* t_least_norm.c - tests plumb_lsq with fewer rows than columns. The matrices and the solutions are integers: x = A^H w is the solution of
 * least norm of A x = A A^H w, so that errors are known exactly, and no claim may exceed them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../context_test.h"
#include "base/number/random.h"

#include <math.h>

__extension__ typedef __int128 wide;

enum { MOST = 40 };

/* Which matrices: random integers, binomials (ill-conditioned), rows that nearly depend on others. */
enum { RANDOM, PASCAL, NEAR, KINDS };

typedef struct problem {
    plumb_view a, b, x, residual;
    double scale[MOST]; /* of rows, powers of two */
    wide exact[2][MOST];
    int64_t m, n;
} problem;

static double *entry(const plumb_view *v, int64_t i, int64_t j)
{
    return v->data + j * v->col + i;
}

static void put(const plumb_view *v, int64_t i, int64_t j, int32_t part, wide value, double scale)
{
    for (int32_t c = 0; c < v->prec; c++) {
        const double limb = (double)value;
        entry(v, i, j)[(part * v->prec + c) * v->plane] = limb * scale;
        value -= (wide)limb;
    }
}

static void make(problem *p, int32_t prec, int32_t parts, int64_t m, int64_t n, int kind, uint64_t seed)
{
    static wide a[2][MOST][MOST];
    plumb_random r = plumb_random_start(seed);
    p->m = m, p->n = n;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, m, n, 1, &p->a), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, m, 1, 1, &p->b), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, parts, n, 1, 1, &p->x), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_REAL, 1, 1, 1, &p->residual), PLUMB_OK);
    wide w[2][MOST], b[2][MOST];
    for (int64_t i = 0; i < m; i++) {
        for (int q = 0; q < 2; q++)
            w[q][i] = q < parts ? (wide)plumb_random_below(&r, 19) - 9 : 0;
        p->scale[i] = ldexp(1.0, (int)plumb_random_below(&r, 201) - 100);
        for (int64_t j = 0; j < n; j++)
            for (int q = 0; q < 2; q++) {
                wide v = (wide)plumb_random_below(&r, 201) - 100;
                if (kind == PASCAL && q == 0)
                    v = i == 0 || j == 0 ? 1 : a[0][i - 1][j] + a[0][i][j - 1];
                else if (kind == PASCAL)
                    v = 0;
                else if (kind == NEAR && i == m - 1)
                    v = a[q][0][j] * 100000 + (j == 0);
                a[q][i][j] = q < parts ? v : 0;
            }
    }
    for (int64_t j = 0; j < n; j++) { /* x = A^H w */
        p->exact[0][j] = p->exact[1][j] = 0;
        for (int64_t i = 0; i < m; i++) {
            p->exact[0][j] += a[0][i][j] * w[0][i] + a[1][i][j] * w[1][i];
            p->exact[1][j] += a[0][i][j] * w[1][i] - a[1][i][j] * w[0][i];
        }
    }
    for (int64_t i = 0; i < m; i++) {
        b[0][i] = b[1][i] = 0;
        for (int64_t j = 0; j < n; j++) {
            b[0][i] += a[0][i][j] * p->exact[0][j] - a[1][i][j] * p->exact[1][j];
            b[1][i] += a[0][i][j] * p->exact[1][j] + a[1][i][j] * p->exact[0][j];
        }
        for (int32_t q = 0; q < parts; q++) {
            put(&p->b, i, 0, q, b[q][i], p->scale[i]);
            assert_true(prec > 1 || (b[q][i] < (wide)1 << 53 && -b[q][i] < (wide)1 << 53));
            for (int64_t j = 0; j < n; j++)
                put(&p->a, i, j, q, a[q][i][j], p->scale[i]);
        }
    }
}

static void end(problem *p)
{
    plumb_array_destroy(context, &p->a), plumb_array_destroy(context, &p->b);
    plumb_array_destroy(context, &p->x), plumb_array_destroy(context, &p->residual);
}

/* The correct digits of the largest entry of x. */
static double digits_of(const problem *p)
{
    double most = 0.0, error = 0.0;
    for (int32_t q = 0; q < p->x.parts; q++)
        for (int64_t j = 0; j < p->n; j++) {
            wide rest = p->exact[q][j];
            most = fmax(most, fabs((double)rest));
            const double *e = entry(&p->x, j, 0) + q * p->x.prec * p->x.plane;
            double low = 0.0; /* the part of limbs that is no integer */
            for (int32_t c = 0; c < p->x.prec; c++) {
                const double whole = rint(e[c * p->x.plane]);
                rest -= (wide)whole;
                low += e[c * p->x.plane] - whole;
            }
            error = fmax(error, fabs((double)rest - low));
        }
    return error == 0.0 ? INFINITY : -log10(error / most);
}

static void claims_are_true(void **state)
{
    (void)state;
    static const double most_digits[] = {0, 15.95, 31.9, 0, 63.8};
    double over = 0.0, under = 0.0;
    int solved = 0;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int kind = 0; kind < KINDS; kind++)
                for (uint64_t seed = 1; seed <= 12; seed++) {
                    problem p;
                    int64_t m = 1 + (int64_t)(seed * 5 % 11), n = m + 1 + (int64_t)(seed % 4) * 7;
                    if (kind == PASCAL) /* what fits into a double */
                        m = 2 + (int64_t)seed % (prec == PLUMB_D ? 5 : 9), n = m + 2;
                    if (kind == NEAR)
                        m = 2 + (int64_t)seed % 3, n = m + 4;
                    make(&p, prec, parts, m, n, kind, 100 * seed + (uint64_t)kind);
                    if (kind == NEAR && prec == PLUMB_D) { /* b would be rounded */
                        end(&p);
                        continue;
                    }
                    plumb_info info = 9;
                    plumb_lsq_report report;
                    assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, &p.residual, &info, NULL, &report), PLUMB_OK);
                    assert_int_equal(info, 0);
                    const double digits = digits_of(&p);
                    over = fmax(over, report.digits - digits);
                    under = fmax(under, fmin(digits, most_digits[prec]) - report.digits);
                    if (report.digits > digits)
                        fail_msg("%s %s, %lld x %lld, kind %d, seed %d: claims %.1f digits, %.1f are right",
                                 parts == 2 ? "complex" : "real", plumb_prec_name(prec), (long long)m, (long long)n,
                                 kind, (int)seed, report.digits, digits);
                    assert_true(report.digits > most_digits[prec] - 3.0 - log10(report.condition));
                    assert_true(report.rank == m && report.method == PLUMB_METHOD_MGS);
                    solved++;
                    end(&p);
                }
    printf("%d problems: claims are below what is right by %.1f to %.1f digits\n", solved, -over, under);
}

/* The lowest precision with enough digits, and residuals of the size of rounding. */
static void precision_is_chosen(void **state)
{
    (void)state;
    problem p;
    make(&p, PLUMB_QD, PLUMB_REAL, 10, 12, PASCAL, 1);
    plumb_info info = 9;
    plumb_lsq_report report;
    static const double wanted[] = {6.0, 15.0, 45.0};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(plumb_lsq_auto(context, &p.a, &p.b, &p.x, &p.residual, &info, wanted[k], NULL, &report),
                         PLUMB_OK);
        assert_int_equal(info, 0);
        assert_true(report.digits >= wanted[k] && digits_of(&p) >= report.digits);
        assert_int_equal(report.factor_prec, k == 0 ? PLUMB_D : k == 1 ? PLUMB_DD : PLUMB_QD);
    }
    end(&p);
}

static void dependent_rows_are_named(void **state)
{
    (void)state;
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        problem p;
        make(&p, prec, PLUMB_COMPLEX, 5, 9, RANDOM, 7);
        for (int64_t j = 0; j < 9; j++)
            for (int32_t c = 0; c < 2 * prec; c++)
                entry(&p.a, 3, j)[c * p.a.plane] = -2.0 * entry(&p.a, 1, j)[c * p.a.plane];
        plumb_info info = 0;
        *p.x.data = 5.0, *p.residual.data = 5.0;
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, &p.residual, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, 4);
        assert_true(*p.x.data == 0.0 && *p.residual.data == 0.0);
        assert_non_null(strstr(plumb_context_message(context), "row 4"));
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, NULL, NULL), PLUMB_ERR_SINGULAR);
        *entry(&p.a, 3, 0) += *entry(&p.a, 0, 0) * 64.0 + *entry(&p.a, 3, 0); /* independent again */
        *entry(&p.b, 2, 0) = NAN;
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, -PLUMB_ERR_NONFINITE);
        *entry(&p.a, 2, 2) = INFINITY;
        assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, &info, NULL, NULL), PLUMB_OK);
        assert_int_equal(info, -PLUMB_ERR_NONFINITE);
        end(&p);
    }
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    problem p;
    make(&p, PLUMB_D, PLUMB_REAL, 3, 5, RANDOM, 8);
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.method = PLUMB_METHOD_REFINED;
    assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, &options, NULL), PLUMB_ERR_ARGUMENT);
    plumb_lsq_options_init(&options);
    options.pivot = 1;
    assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, &options, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_qr(context, &p.a, NULL, NULL, NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    p.x.rows = 3;
    assert_int_equal(plumb_lsq(context, &p.a, &p.b, &p.x, NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_are_true),
        cmocka_unit_test(precision_is_chosen),
        cmocka_unit_test(dependent_rows_are_named),
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
