/* t_copy.c - tests conversion between precisions, and between planes and interleaved limbs: exact to a higher
 * precision, rounded to nearest to a lower one (compared with MPFR), for any strides. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "base/number/random.h"
#include "base/number/round.h"
#include "context_test.h"
#include "plumb.h"

/* The canonical expansion of the exact sum of the limbs, by MPFR: more than 2,100 bits hold any sum of doubles. */
static void canonical(const double *from, int from_count, double *to, int count)
{
    mpfr_t sum;
    mpfr_init2(sum, 2300);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < from_count; i++)
        mpfr_add_d(sum, sum, from[i], MPFR_RNDN);
    for (int i = 0; i < count; i++) {
        to[i] = mpfr_get_d(sum, MPFR_RNDN);
        mpfr_sub_d(sum, sum, to[i], MPFR_RNDN);
    }
    mpfr_clear(sum);
}

static void assert_rounds(const double *from, int from_count, int count)
{
    double expected[PLUMB_QD], got[PLUMB_QD];
    canonical(from, from_count, expected, count);
    plumb_round_limbs(from, from_count, got, count);
    for (int i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("[%a, %a, %a, %a] to %d limbs: limb %d is %a, not %a", from[0], from[1],
                     from_count > 2 ? from[2] : 0.0, from_count > 3 ? from[3] : 0.0, count, i, got[i], expected[i]);
}

static void round_limbs_breaks_ties_by_what_follows(void **state)
{
    (void)state;
    const double half = 0x1p-53;
    static const double tails[] = {0.0, 0x1p-110, -0x1p-110, 0x1p-160, -0x1p-160, 0x1p-107, -0x1p-107};
    static const double heads[] = {1.0, 1.0 + 0x1p-52, -1.0, -1.0 - 0x1p-52, 2.0 - 0x1p-52};
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++)
        for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++)
            for (int sign = -1; sign <= 1; sign += 2) {
                const double three[] = {heads[h], sign * half, tails[t], 0.0};
                const double gap[] = {heads[h], sign * half, 0.0, tails[t]};
                const double quarter[] = {heads[h], sign * half / 2, tails[t], tails[t] * 0x1p-60};
                const double second[] = {heads[h], sign * half / 2, sign * half * 0x1p-54, tails[t] * 0x1p-60};
                for (int count = 1; count <= 2; count++) {
                    assert_rounds(three, 4, count);
                    assert_rounds(gap, 4, count);
                    assert_rounds(quarter, 4, count);
                    assert_rounds(second, 4, count);
                }
                assert_rounds(three, 2, 1);
            }
}

static void round_limbs_agrees_with_mpfr(void **state)
{
    (void)state;
    const uint64_t seed = 42;
    printf("round_limbs_agrees_with_mpfr: seed %llu\n", (unsigned long long)seed);
    plumb_random r = plumb_random_start(seed);
    for (int trial = 0; trial < 100000; trial++) {
        double limbs[PLUMB_QD];
        int exponent = (int)plumb_random_below(&r, 1600) - 800;
        for (int i = 0; i < PLUMB_QD; i++) {
            /* Few bits make ties likely; distances from overlap to gaps. */
            uint64_t keep = plumb_random_below(&r, 4) ? UINT64_MAX : UINT64_MAX << 62;
            double m = ldexp((double)(int64_t)((plumb_random_next(&r) & keep) >> 11), -53);
            m = plumb_random_below(&r, 2) ? m : -m;
            limbs[i] =
                plumb_random_below(&r, 16) ? ldexp(plumb_random_below(&r, 4) ? m : copysign(1.0, m), exponent) : 0.0;
            exponent -= 50 + (int)plumb_random_below(&r, 6) + (plumb_random_below(&r, 8) ? 0 : 60);
        }
        assert_rounds(limbs, 4, 1);
        assert_rounds(limbs, 4, 2);
        assert_rounds(limbs, 2, 1);
    }
}

static void round_limbs_passes_on_what_is_not_finite(void **state)
{
    (void)state;
    double to[2];
    plumb_round_limbs((const double[]){INFINITY, 0.0, 0.0, 0.0}, 4, to, 2);
    assert_true(to[0] == INFINITY && to[1] == 0.0);
    plumb_round_limbs((const double[]){-INFINITY, 1.0, 1.0, 1.0}, 4, to, 2);
    assert_true(to[0] == -INFINITY && to[1] == 1.0);
    plumb_round_limbs((const double[]){NAN, NAN, NAN, NAN}, 4, to, 2);
    assert_true(isnan(to[0]));
    plumb_round_limbs((const double[]){-0.0, 0.0, 0.0, 0.0}, 4, to, 2);
    assert_true(to[0] == 0.0 && signbit(to[0]));
    plumb_round_limbs((const double[]){DBL_MAX, 0x1p969, 0x1p900, 0.0}, 4, to, 2);
    assert_true(to[0] == DBL_MAX && to[1] == 0x1p969);
    plumb_round_limbs((const double[]){0x1p-1074, 0.0, 0.0, 0.0}, 4, to, 2);
    assert_true(to[0] == 0x1p-1074 && to[1] == 0.0);
}

/* A view with gaps between columns, planes and matrices, over memory filled with a mark that must survive. */
#define MARK (-77.0)
typedef struct gapped {
    double memory[2048];
    plumb_view view;
} gapped;

static void gapped_init(gapped *g, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch, int64_t gap)
{
    for (size_t i = 0; i < sizeof g->memory / sizeof g->memory[0]; i++)
        g->memory[i] = MARK;
    assert_int_equal(plumb_view_init(&g->view, g->memory + gap, PLUMB_HOST, prec, parts, rows, cols, batch, NULL),
                     PLUMB_OK);
    g->view.col = rows + gap;
    g->view.plane = g->view.col * cols + gap;
    g->view.next = g->view.plane * prec * parts + gap;
    assert_true(g->view.next * batch + gap <= 2048);
}

static double *at(const plumb_view *v, int64_t b, int64_t c, int64_t i, int64_t j)
{
    return &v->data[b * v->next + c * v->plane + j * v->col + i];
}

static int marks_left(const gapped *g)
{
    int left = 0;
    for (size_t i = 0; i < sizeof g->memory / sizeof g->memory[0]; i++)
        left += g->memory[i] == MARK;
    return left;
}

static void pack_and_unpack_are_inverse(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    for (int p = 0; p < 3; p++)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int64_t gap = 0; gap < 4; gap += 3) {
                enum { ROWS = 3, COLS = 4, BATCH = 2 };
                int planes = precisions[p] * parts, total = ROWS * COLS * BATCH * planes;
                double interleaved[ROWS * COLS * BATCH * 8], back[ROWS * COLS * BATCH * 8];
                for (int i = 0; i < total; i++)
                    interleaved[i] = i;
                gapped g;
                gapped_init(&g, precisions[p], parts, ROWS, COLS, BATCH, gap);
                int marks = marks_left(&g);
                assert_int_equal(plumb_pack(interleaved, &g.view), PLUMB_OK);
                assert_int_equal(marks_left(&g), marks - total); /* only entries were written */
                for (int b = 0; b < BATCH; b++)
                    for (int j = 0; j < COLS; j++)
                        for (int i = 0; i < ROWS; i++)
                            for (int c = 0; c < planes; c++)
                                assert_true(*at(&g.view, b, c, i, j) == ((b * COLS + j) * ROWS + i) * planes + c);
                assert_int_equal(plumb_unpack(&g.view, back), PLUMB_OK);
                assert_memory_equal(interleaved, back, (size_t)total * sizeof(double));
            }
    plumb_view v;
    assert_int_equal(plumb_view_init(&v, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 2, 2, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_pack((const double[4]){0}, &v), PLUMB_ERR_ARGUMENT);
    double some[4] = {0};
    v.data = some;
    assert_int_equal(plumb_pack(NULL, &v), PLUMB_ERR_ARGUMENT);
    v.where = PLUMB_DEVICE;
    assert_int_equal(plumb_unpack(&v, some), PLUMB_ERR_ARGUMENT);
}

static void copy_converts_between_precisions(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    plumb_random r = plumb_random_start(9);
    for (int p = 0; p < 9; p++)
        for (int kind = 0; kind < 3; kind++) {
            int32_t from = precisions[p / 3], to = precisions[p % 3];
            int32_t from_parts = kind == 2 ? PLUMB_COMPLEX : PLUMB_REAL, to_parts = kind ? PLUMB_COMPLEX : PLUMB_REAL;
            gapped src, dst;
            gapped_init(&src, from, from_parts, 5, 3, 2, 1);
            gapped_init(&dst, to, to_parts, 5, 3, 2, 2);
            for (int64_t k = 0; k < 2 * 3 * 5 * from_parts; k++)
                for (int c = 0; c < from; c++)
                    *at(&src.view, k % 2, k / 30 * from + c, k / 2 % 5, k / 10 % 3) =
                        ldexp(2.0 * plumb_random_unit(&r) - 1.0, -53 * c);
            int marks = marks_left(&dst);
            assert_int_equal(plumb_copy(context, &src.view, &dst.view, NULL), PLUMB_OK);
            assert_int_equal(marks_left(&dst), marks - 2 * 3 * 5 * to * to_parts);
            for (int64_t k = 0; k < 2 * 3 * 5 * to_parts; k++) {
                double limbs[PLUMB_QD] = {0}, expected[PLUMB_QD] = {0};
                int64_t part = k / 30;
                for (int c = 0; c < from && part < from_parts; c++)
                    limbs[c] = *at(&src.view, k % 2, part * from + c, k / 2 % 5, k / 10 % 3);
                if (to < from)
                    canonical(limbs, from, expected, to);
                else
                    memcpy(expected, limbs, sizeof limbs);
                for (int c = 0; c < to; c++)
                    assert_true(*at(&dst.view, k % 2, part * to + c, k / 2 % 5, k / 10 % 3) == expected[c]);
            }
        }
}

static void copy_names_what_is_wrong(void **state)
{
    (void)state;
    double a[64] = {0}, b[64] = {0};
    plumb_view x, y;
    assert_int_equal(plumb_view_init(&x, a, PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, 2, 2, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&y, b, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 2, 2, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_copy(NULL, &x, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_copy(context, &x, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_context_message(context), "dst: it is real and src is complex");
    assert_int_equal(plumb_copy(context, NULL, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_context_message(context), "src: the view is NULL");
    assert_int_equal(plumb_copy(context, &x, &x, NULL), PLUMB_OK);
    y = x, y.data = a + 1;
    assert_int_equal(plumb_copy(context, &x, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_string_equal(plumb_context_message(context), "dst: it overlaps src");
    y = x, y.rows = 1;
    assert_int_equal(plumb_copy(context, &x, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "dst: shape 1 x 2"));
    y = x, y.data = b, y.where = PLUMB_DEVICE, y.prec = PLUMB_D;
    assert_int_equal(plumb_copy(context, &x, &y, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "precision"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_limbs_breaks_ties_by_what_follows),  cmocka_unit_test(round_limbs_agrees_with_mpfr),
        cmocka_unit_test(round_limbs_passes_on_what_is_not_finite), cmocka_unit_test(pack_and_unpack_are_inverse),
        cmocka_unit_test(copy_converts_between_precisions),         cmocka_unit_test(copy_names_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}
