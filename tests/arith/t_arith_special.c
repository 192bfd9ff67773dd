/* t_arith_special.c - tests infinities, NaN, signed zeros, subnormal numbers, overflow and underflow as documented in
 * src/arith, on every instruction set and in every precision. Laws for random operands are in t_arith_laws.c. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arith_run.h"

#define INF ((double)INFINITY)
#define TINY 0x1p-1074

static const double doubles[] = {0.0,       -0.0,        1.0,          -1.0,           INF,   -INF,   NAN,
                                 2.0,       0.5,         3.0,          -7.0,           0.1,   1.5,    DBL_MAX,
                                 -DBL_MAX,  DBL_MAX / 2, DBL_MIN,      -DBL_MIN,       TINY,  -TINY,  3 * TINY,
                                 0x1p-1030, 0x1.8p-540,  0x1.fffp-600, 0x1.55555p+700, 1e300, -1e-300};
enum { DOUBLES = (int)(sizeof doubles / sizeof doubles[0]) };

static double plain(plumb_op op, double x, double y)
{
    switch (op) {
    case PLUMB_OP_ADD:
    case PLUMB_OP_ADD_D:
        return x + y;
    case PLUMB_OP_SUB:
        return x - y;
    case PLUMB_OP_MUL:
    case PLUMB_OP_MUL_D:
    case PLUMB_OP_SCALE:
        return x * y;
    case PLUMB_OP_DIV:
    case PLUMB_OP_DIV_D:
        return x / y;
    case PLUMB_OP_SQR:
        return x * x;
    case PLUMB_OP_INV:
        return 1.0 / x;
    case PLUMB_OP_SQRT:
        return sqrt(x);
    case PLUMB_OP_ABS:
        return fabs(x);
    case PLUMB_OP_NEG:
        return -x;
    case PLUMB_OP_CONJ:
        return x;
    case PLUMB_OP_CMP:
        return isnan(x) || isnan(y) ? (double)NAN : (double)((x > y) - (x < y));
    default:
        fail_msg("no plain form of %s", plumb_op_name(op));
        return 0.0;
    }
}

static int is_power_of_two(double x)
{
    int exponent;
    return isfinite(x) && frexp(fabs(x), &exponent) == 0.5;
}

/* Is expected the double nearest to the first two limbs? A tie has two expansions, and a quotient or root that is subnormal
 * has been rounded twice. */
static int rounds_to(const double *limb, int limbs, double expected)
{
    int exponent;
    frexp(expected, &exponent);
    double most = fabs(expected) < DBL_MIN ? 2 * TINY : ldexp(1.0, exponent - 54);
    return fabs((limb[0] - expected) + (limbs > 1 ? limb[1] : 0.0)) <= most;
}

/* Doubles in any precision: the leading limb is what double arithmetic gives, NaN, infinities, subnormal numbers and all,
 * and where that is not finite the others are zero. The sign of a zero counts where dd.h says so. */
static void doubles_work_as_in_double_on(const isa_kernels *isa, int limbs)
{
    for (int op = 0; op < PLUMB_OP_COUNT; op++) {
        if (op == PLUMB_OP_FMA || op == PLUMB_OP_DOT)
            continue;
        int signs =
            limbs == PLUMB_D || op == PLUMB_OP_NEG || op == PLUMB_OP_ABS || op == PLUMB_OP_CONJ || op == PLUMB_OP_SCALE;
        int rounds = op == PLUMB_OP_DIV || op == PLUMB_OP_DIV_D || op == PLUMB_OP_INV || op == PLUMB_OP_SQRT;
        for (int i = 0; i < DOUBLES; i++)
            for (int j = 0; j < (op_operands((plumb_op)op) > 1 ? DOUBLES : 1); j++) {
                if (op == PLUMB_OP_SCALE && !is_power_of_two(doubles[j]))
                    continue;
                number x = number_of(limbs, doubles[i], 0.0), y = number_of(limbs, doubles[j], 0.0);
                number found = apply(isa, (plumb_op)op, limbs, PLUMB_REAL, x, y, x);
                double expected = plain((plumb_op)op, doubles[i], doubles[j]), head = found.limb[0];
                int right = head == expected || (isnan(head) && isnan(expected));
                if (signs && op != PLUMB_OP_CMP)
                    right = same_bits(head, expected);
                else if (rounds && isfinite(expected) && expected != 0.0)
                    right = rounds_to(found.limb, limbs, expected);
                if (!right)
                    complain(isa, (plumb_op)op, limbs, PLUMB_REAL, "not what doubles give", &x, &y, NULL, &found);
                else if (!is_normalised(found.limb, op_out_limbs((plumb_op)op, limbs)))
                    complain(isa, (plumb_op)op, limbs, PLUMB_REAL, "not normalised", &x, &y, NULL, &found);
            }
    }
}

static void doubles_work_as_in_double(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(doubles_work_as_in_double_on);
    assert_int_equal(failures, 0);
}

/* A full number whose leading limb is head and whose others are as large as they may be. */
static number full_number(int limbs, double head, double sign)
{
    number x = {{head}};
    for (int c = 1; c < limbs; c++) {
        int exponent;
        frexp(x.limb[c - 1], &exponent);
        x.limb[c] = sign * ldexp(1.0 - 0x1p-53, exponent - 54);
    }
    return x;
}

typedef struct overflow_case {
    plumb_op op;
    double x, y, expected;
} overflow_case;

/* Overflow gives an infinity and zeros, also of numbers with all their limbs. */
static void overflow_is_infinite_on(const isa_kernels *isa, int limbs)
{
    static const overflow_case cases[] = {
        {PLUMB_OP_MUL, 1e200, 1e200, INF},
        {PLUMB_OP_MUL, -1e200, 1e200, -INF},
        {PLUMB_OP_MUL, DBL_MAX, DBL_MAX, INF},
        {PLUMB_OP_MUL, DBL_MAX, 1.5, INF},
        {PLUMB_OP_SQR, -1e160, 0, INF},
        {PLUMB_OP_SQR, DBL_MAX, 0, INF},
        {PLUMB_OP_MUL_D, 1e200, -1e200, -INF},
        {PLUMB_OP_ADD, DBL_MAX, DBL_MAX, INF},
        {PLUMB_OP_SUB, -DBL_MAX, 1e308, -INF},
        {PLUMB_OP_ADD_D, DBL_MAX, 1e308, INF},
        {PLUMB_OP_DIV, 1e200, 1e-200, INF},
        {PLUMB_OP_DIV, -DBL_MAX, 1e-305, -INF},
        {PLUMB_OP_DIV, DBL_MAX, 0.4, INF},
        {PLUMB_OP_DIV_D, 1e300, -0.0, -INF},
        {PLUMB_OP_DIV_D, 1e300, 1e-100, INF},
        {PLUMB_OP_INV, 0x1p-1030, 0, INF},
        {PLUMB_OP_INV, -TINY, 0, -INF},
        {PLUMB_OP_SCALE, 1e300, 0x1p+60, INF},
        {PLUMB_OP_SCALE, -1.5, 0x1p+1023, -0x1.8p+1023},
        {PLUMB_OP_FMA, 1e200, -1e200, -INF},
        {PLUMB_OP_DOT, 1e200, 1e200, INF},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const overflow_case *c = &cases[k];
            number x = full_number(limbs, c->x, sign), y = full_number(limbs, c->y, -sign),
                   z = full_number(limbs, 1e300, sign);
            if (fabs(c->y) == 0.0 || op_is_mixed(c->op))
                y = number_of(limbs, c->y, 0.0);
            number found = apply(isa, c->op, limbs, PLUMB_REAL, x, y, z);
            if (found.limb[0] != c->expected)
                complain(isa, c->op, limbs, PLUMB_REAL, "the infinity is missing", &x, &y, &z, &found);
            else if (!is_normalised(found.limb, limbs))
                complain(isa, c->op, limbs, PLUMB_REAL, "limbs after an infinity", &x, &y, &z, &found);
        }
}

static void overflow_is_infinite(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(overflow_is_infinite_on);
    assert_int_equal(failures, 0);
}

/* Fused and accumulated products of special values. */
static void fma_of_special_values_on(const isa_kernels *isa, int limbs)
{
    static const double cases[][4] = {
        /* x, y, z, x y + z */
        {INF, 0, 1, NAN},    {0, -INF, 1, NAN},         {INF, 2, 1, INF},   {INF, -2, 1, -INF},
        {INF, 2, -INF, NAN}, {1, 1, INF, INF},          {1, 1, -INF, -INF}, {INF, 1, INF, INF},
        {NAN, 1, 1, NAN},    {1, NAN, 1, NAN},          {1, 1, NAN, NAN},   {0, 0, 0, 0},
        {TINY, TINY, 1, 1},  {TINY, 1, TINY, 2 * TINY}, {-1, 1, 1, 0},      {DBL_MAX, 1, -DBL_MAX, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        number x = number_of(limbs, cases[k][0], 0), y = number_of(limbs, cases[k][1], 0),
               z = number_of(limbs, cases[k][2], 0);
        for (int op = PLUMB_OP_FMA; op <= PLUMB_OP_DOT; op += PLUMB_OP_DOT - PLUMB_OP_FMA) {
            if (op == PLUMB_OP_DOT && cases[k][2] != 0.0)
                continue;
            number found = apply(isa, (plumb_op)op, limbs, PLUMB_REAL, x, y, z);
            if (!(found.limb[0] == cases[k][3] || (isnan(found.limb[0]) && isnan(cases[k][3]))) ||
                !is_normalised(found.limb, limbs))
                complain(isa, (plumb_op)op, limbs, PLUMB_REAL, "wrong", &x, &y, &z, &found);
        }
    }
}

static void fma_of_special_values(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(fma_of_special_values_on);
    assert_int_equal(failures, 0);
}

/* A NaN in any operand comes out of any operation, and an infinity or a NaN has no further limbs. */
static void nan_comes_through_on(const isa_kernels *isa, int limbs)
{
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (int operand = 0; operand < op_operands((plumb_op)op) && op_exists((plumb_op)op, parts); operand++) {
                int mixed = operand == 1 && op_is_mixed((plumb_op)op);
                for (int part = 0; part < (mixed ? PLUMB_REAL : parts); part++) {
                    if (operand == 1 && op == PLUMB_OP_SCALE) /* no power of two */
                        continue;
                    number n[3] = {number_of(limbs, 1.5, -0.3), number_of(limbs, 2.5, 0.7), number_of(limbs, 0.1, 3.5)};
                    n[operand].limb[part * limbs] = NAN;
                    number found = apply(isa, (plumb_op)op, limbs, parts, n[0], n[1], n[2]);
                    int out_limbs = op_out_limbs((plumb_op)op, limbs), out_parts = op_out_parts((plumb_op)op, parts);
                    int nan = isnan(found.limb[0]) || (out_parts == PLUMB_COMPLEX && isnan(found.limb[limbs]));
                    int clean = is_normalised(found.limb, out_limbs) &&
                                (out_parts == PLUMB_REAL || is_normalised(found.limb + limbs, limbs));
                    if (!nan || !clean)
                        complain(isa, (plumb_op)op, limbs, parts, nan ? "limbs after a NaN" : "the NaN is lost", &n[0],
                                 &n[1], &n[2], &found);
                }
            }
}

static void nan_comes_through_everything(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(nan_comes_through_on);
    assert_int_equal(failures, 0);
}

static int is_zero_with_sign(double x, int negative)
{
    return x == 0.0 && !signbit(x) == !negative;
}

/* neg, abs, scale and conj keep the sign of a zero in the leading limb, and leave +0 in the others. */
static void zeros_keep_their_sign_on(const isa_kernels *isa, int limbs)
{
    for (int negative = 0; negative <= 1; negative++) {
        double zero = negative ? -0.0 : 0.0;
        number x = number_of(limbs, zero, zero), half = number_of(limbs, 0.5, 0.0);
        static const struct {
            plumb_op op;
            int flips_re, flips_im;
        } cases[] = {{PLUMB_OP_NEG, 1, 1}, {PLUMB_OP_SCALE, 0, 0}, {PLUMB_OP_CONJ, 0, 1}};
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            number found = apply(isa, cases[k].op, limbs, PLUMB_COMPLEX, x, half, x);
            int right = is_zero_with_sign(found.limb[0], negative ^ cases[k].flips_re) &&
                        is_zero_with_sign(found.limb[limbs], negative ^ cases[k].flips_im);
            for (int c = 1; c < limbs; c++)
                right &= is_zero_with_sign(found.limb[c], 0) && is_zero_with_sign(found.limb[limbs + c], 0);
            if (!right)
                complain(isa, cases[k].op, limbs, PLUMB_COMPLEX, "sign of a zero", &x, &half, NULL, &found);
        }
        for (int k = 0; k < 2; k++) { /* one limb only: what is not there stays +0 */
            number one = number_of(limbs, k ? -1.0 : zero, 0.0);
            number found = apply(isa, PLUMB_OP_ABS, limbs, PLUMB_REAL, one, one, one);
            int right = k ? found.limb[0] == 1.0 : is_zero_with_sign(found.limb[0], 0);
            number opposite = apply(isa, PLUMB_OP_NEG, limbs, PLUMB_REAL, one, one, one);
            for (int c = 1; c < limbs; c++)
                right &= is_zero_with_sign(found.limb[c], 0) && is_zero_with_sign(opposite.limb[c], 0);
            if (!right)
                complain(isa, PLUMB_OP_ABS, limbs, PLUMB_REAL, "sign of a zero", &one, NULL, NULL, &found);
        }
    }
}

static void zeros_keep_their_sign(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(zeros_keep_their_sign_on);
    assert_int_equal(failures, 0);
}

/* Sums of subnormal numbers are exact, and products with them are those of doubles. */
static void subnormals_count_on(const isa_kernels *isa, int limbs)
{
    static const double cases[][4] = {/* x, y, x + y, x y */
                                      {TINY, TINY, 2 * TINY, 0},
                                      {0x1p-1030, TINY, 0x1p-1030 + TINY, 0},
                                      {5 * TINY, -5 * TINY, 0, 0},
                                      {DBL_MIN, -TINY, DBL_MIN - TINY, 0},
                                      {TINY, 0x1p+60, 0x1p+60, 0x1p-1014},
                                      {3 * TINY, 0x1p+1023, 0x1p+1023, 0x1.8p-50},
                                      {0x1p-537, 0x1p-537, 0x1p-536, TINY},
                                      {0x1p-538, 0x1p-537, 0x1.8p-537, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        number x = number_of(limbs, cases[k][0], 0), y = number_of(limbs, cases[k][1], 0);
        number sum = apply(isa, PLUMB_OP_ADD, limbs, PLUMB_REAL, x, y, x);
        double below = limbs > 1 && cases[k][1] > 1.0 ? cases[k][0] : 0.0; /* x is the second limb of such a sum */
        if (sum.limb[0] != cases[k][2] || (limbs > 1 && sum.limb[1] != below) || !is_normalised(sum.limb, limbs))
            complain(isa, PLUMB_OP_ADD, limbs, PLUMB_REAL, "wrong", &x, &y, NULL, &sum);
        number product = apply(isa, PLUMB_OP_MUL, limbs, PLUMB_REAL, x, y, x);
        if (product.limb[0] != cases[k][3] || (limbs > 1 && product.limb[1] != 0.0) ||
            !is_normalised(product.limb, limbs))
            complain(isa, PLUMB_OP_MUL, limbs, PLUMB_REAL, "wrong", &x, &y, NULL, &product);
    }
}

static void subnormals_count(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(subnormals_count_on);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_work_as_in_double), cmocka_unit_test(overflow_is_infinite),
        cmocka_unit_test(fma_of_special_values),     cmocka_unit_test(nan_comes_through_everything),
        cmocka_unit_test(zeros_keep_their_sign),     cmocka_unit_test(subnormals_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
