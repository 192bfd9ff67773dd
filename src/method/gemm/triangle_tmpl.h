/* triangle_tmpl.h - see triangle.h. The including file defines TRIANGLE_LANES, the lanes of right-hand sides that are solved together. */
#include <math.h>

#include "arith/number.h"
#include "method/gemm/triangle.h"

#define TRIANGLE_FN(name) NUM_NAME(triangle_##name)

enum { TRIANGLE_PLANES = PLUMB_LIMBS * PLUMB_PARTS };

/* A value divided by a number of the diagonal, or multiplied by its inverse. */
LANE_FN num TRIANGLE_FN(over)(num value, num by)
{
#if PLUMB_LIMBS == 1
    return num_div(value, by);
#else
    return num_mul(value, by);
#endif
}

/* The same by a real number. */
LANE_FN num TRIANGLE_FN(over_real)(num value, real by)
{
#if PLUMB_LIMBS > 1
    return num_mul_real(value, by);
#elif PLUMB_PARTS == 1
    return real_div(value, by);
#else
    return cplx_make(real_div(value.re, by), real_div(value.im, by));
#endif
}

static void TRIANGLE_FN(prepare)(triangle_block *block)
{
#if PLUMB_LIMBS > 1
    for (int64_t j = 0; j < block->n && !block->unit; j++) {
        double *one = block->t + triangle_place(j, j) * TRIANGLE_PLANES, all[TRIANGLE_PLANES * LANE_WIDTH];
        num_store(all, LANE_WIDTH, num_inv(num_spread(one, 1)), LANE_WIDTH);
        for (int c = 0; c < TRIANGLE_PLANES; c++)
            one[c] = all[c * LANE_WIDTH];
    }
#else
    (void)block;
#endif
}

/* Right-hand sides r and the following ones: whole lanes, or one with this many. */
LANE_FN void TRIANGLE_FN(solve_some)(const triangle_block *b, int64_t r, const int lanes, int count)
{
    double *x = b->x + r;
    for (int64_t j = 0; j < b->n; j++) {
        num_acc s[TRIANGLE_LANES];
        const double *t = b->t + triangle_place(0, j) * TRIANGLE_PLANES;
        LANE_UNROLL
        for (int e = 0; e < lanes; e++)
            s[e] = num_acc_of(num_load(x + j * b->col + e * LANE_WIDTH, b->plane, count));
        for (int64_t l = 0; l < j; l++, t += TRIANGLE_PLANES) {
            const num c = num_spread(t, 1);
            LANE_UNROLL
            for (int e = 0; e < lanes; e++)
                s[e] = num_acc_sub(s[e], num_load(x + l * b->col + e * LANE_WIDTH, b->plane, count), c);
        }
        const num diagonal = num_spread(t, 1);
        LANE_UNROLL
        for (int e = 0; e < lanes; e++) {
            num v = num_acc_value(s[e]);
            if (!b->unit)
                v = TRIANGLE_FN(over)(v, diagonal);
            num_store(x + j * b->col + e * LANE_WIDTH, b->plane, v, count);
        }
    }
}

static void TRIANGLE_FN(solve)(const triangle_block *given)
{
    const triangle_block value = *given, *b = &value;
    int64_t r = 0;
    for (; r + TRIANGLE_LANES * LANE_WIDTH <= b->rows; r += TRIANGLE_LANES * LANE_WIDTH)
        TRIANGLE_FN(solve_some)(b, r, TRIANGLE_LANES, LANE_WIDTH);
    for (; r < b->rows; r += LANE_WIDTH) {
        const int64_t left = b->rows - r;
        TRIANGLE_FN(solve_some)(b, r, 1, left < LANE_WIDTH ? (int)left : LANE_WIDTH);
    }
}

/* Row i and the following ones of column j: the entries minus their terms so far, or these over the root of the diagonal. */
LANE_FN void TRIANGLE_FN(column_sums)(const cholesky_block *b, int64_t i, int64_t j, int count)
{
    double *a = b->a + i;
    num_acc s = num_acc_of(num_load(a + j * b->col, b->plane, count));
    for (int64_t k = 0; k < j; k++)
        s = num_acc_sub(s, num_load(a + k * b->col, b->plane, count),
                        num_conj(num_spread(b->a + k * b->col + j, b->plane)));
    num_store(a + j * b->col, b->plane, num_acc_value(s), count);
}

static int64_t TRIANGLE_FN(factor)(const cholesky_block *given)
{
    const cholesky_block value = *given, *b = &value;
    for (int64_t j = 0; j < b->n; j++) {
        double *diagonal = b->a + j * b->col + j, root[PLUMB_LIMBS * LANE_WIDTH];
        for (int64_t i = j; i < b->n; i += LANE_WIDTH)
            TRIANGLE_FN(column_sums)(b, i, j, b->n - i < LANE_WIDTH ? (int)(b->n - i) : LANE_WIDTH);
        if (!isfinite(diagonal[0]))
            return -1;
        if (!(diagonal[0] > 0.0))
            return j + 1;
        const real r = real_sqrt(real_spread(diagonal, b->plane));
#if PLUMB_LIMBS > 1
        const real by = real_inv(r);
#else
        const real by = r;
#endif
        for (int64_t i = j + 1; i < b->n; i += LANE_WIDTH) {
            const int count = b->n - i < LANE_WIDTH ? (int)(b->n - i) : LANE_WIDTH;
            double *a = b->a + j * b->col + i;
            num_store(a, b->plane, TRIANGLE_FN(over_real)(num_load(a, b->plane, count), by), count);
        }
        real_store(root, LANE_WIDTH, r, LANE_WIDTH);
        for (int c = 0; c < TRIANGLE_PLANES; c++)
            diagonal[c * b->plane] = c < PLUMB_LIMBS ? root[c * LANE_WIDTH] : 0.0;
    }
    return 0;
}

#define TRIANGLE_KERNELS                                              \
    {                                                                 \
        TRIANGLE_FN(prepare), TRIANGLE_FN(solve), TRIANGLE_FN(factor) \
    }
