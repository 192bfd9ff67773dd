/* t_arith_laws.c - tests laws that hold for all numbers: products commute bit for bit, z conj(z) is real, x - x is
 * zero, results are normalised, comparisons and scaling are exact, conversion is exact to a higher precision and
 * rounds to nearest to a lower one. On every instruction set, in every precision, over all cases of arith_cases.h.
 *
 * PLUMB_TEST_COUNT pairs of operands for each law (30,000 unless set), random numbers from PLUMB_TEST_SEED. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <mpfr.h>

#include "arith_cases.h"
#include "arith_run.h"

enum { BATCH = 500, TERMS = 3, PLANE = BATCH * TERMS };

static int64_t count;
static uint64_t seed;

/* Operands of one case: TERMS columns of BATCH numbers, of which most operations take the first. */
typedef struct batch {
    double x[8 * PLANE], y[8 * PLANE], z[8 * PLANE], out[8 * PLANE];
} batch;

static batch work, other;

static void fill(plumb_random *rng, enum arith_case sort, int limbs, int parts, batch *b)
{
    for (int i = 0; i < PLANE; i++) {
        double x[4], y[4], z[4], rest[4];
        for (int part = 0; part < parts; part++) {
            arith_pair(rng, sort, limbs, x, y);
            arith_pair(rng, sort, limbs, z, rest);
            if (arith_below(rng, 4) == 0) { /* x y + z cancels */
                memset(z, 0, sizeof z);
                z[0] = -x[0] * y[0];
            }
            for (int c = 0; c < limbs; c++) {
                b->x[(part * limbs + c) * PLANE + i] = x[c];
                b->y[(part * limbs + c) * PLANE + i] = y[c];
                b->z[(part * limbs + c) * PLANE + i] = isfinite(z[0]) ? z[c] : 0.0;
            }
        }
    }
}

static void run(const isa_kernels *isa, plumb_op op, int limbs, int parts, const double *x, const double *y,
                const double *z, double *out)
{
    kernel_of(isa, op, limbs, parts)(&(map_job){.x = x,
                                                .y = y,
                                                .z = z,
                                                .out = out,
                                                .x_plane = PLANE,
                                                .y_plane = PLANE,
                                                .z_plane = PLANE,
                                                .out_plane = PLANE,
                                                .n = BATCH,
                                                .terms = TERMS,
                                                .x_col = BATCH,
                                                .y_col = BATCH});
}

static number number_at(const double *planes, int64_t i, int limbs, int parts)
{
    number x = {{0}};
    for (int c = 0; c < limbs * parts; c++)
        x.limb[c] = planes[c * PLANE + i];
    return x;
}

/* A law is checked on one batch of operands in work. */
typedef void (*law)(const isa_kernels *isa, int limbs, int parts, enum arith_case sort);

static void hold(law check, int first_parts, int last_parts)
{
    failures = 0;
    printf("%lld pairs, seed %llu\n", (long long)count, (unsigned long long)seed);
    for (int limbs = PLUMB_D; limbs <= PLUMB_QD; limbs *= 2)
        for (int parts = first_parts; parts <= last_parts; parts++) {
            plumb_random rng = plumb_random_start(seed + (uint64_t)(limbs * 4 + parts));
            for (int64_t done = 0; done < count; done += BATCH) {
                enum arith_case sort = (enum arith_case)(done / BATCH % CASE_COUNT);
                fill(&rng, sort, limbs, parts, &work);
                for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
                    if (plumb_cpu_isas[k]->usable())
                        check(plumb_cpu_isas[k], limbs, parts, sort);
            }
        }
    assert_int_equal(failures, 0);
}

/* Shows entry i of op(x, y, z) = out. */
static void object(const isa_kernels *isa, plumb_op op, int limbs, int parts, const char *what, const double *x,
                   const double *y, const double *out, int64_t i)
{
    int mixed = op_is_mixed(op);
    number a = number_at(x, i, limbs, parts), b = number_at(y, i, mixed ? 1 : limbs, mixed ? 1 : parts),
           z = number_at(work.z, i, limbs, parts),
           r = number_at(out, i, op_out_limbs(op, limbs), op_out_parts(op, parts));
    complain(isa, op, limbs, parts, what, &a, &b, &z, &r);
}

static void product_commutes(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    (void)sort;
    run(isa, PLUMB_OP_MUL, limbs, parts, work.x, work.y, NULL, work.out);
    run(isa, PLUMB_OP_MUL, limbs, parts, work.y, work.x, NULL, other.out);
    for (int64_t i = 0; i < BATCH; i++) {
        int same = 1;
        for (int c = 0; c < limbs * parts; c++)
            same &= same_bits(work.out[c * PLANE + i], other.out[c * PLANE + i]);
        if (!same) {
            object(isa, PLUMB_OP_MUL, limbs, parts, "x y is not y x", work.x, work.y, work.out, i);
            object(isa, PLUMB_OP_MUL, limbs, parts, "the other way round", work.y, work.x, other.out, i);
        }
    }
}

static void mul_commutes(void **state)
{
    (void)state;
    hold(product_commutes, PLUMB_REAL, PLUMB_COMPLEX);
}

static void square_is_real(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    (void)sort;
    run(isa, PLUMB_OP_CONJ, limbs, parts, work.x, NULL, NULL, other.x);
    run(isa, PLUMB_OP_MUL, limbs, parts, work.x, other.x, NULL, work.out);
    for (int64_t i = 0; i < BATCH; i++) {
        if (!isfinite(work.x[i] * work.x[limbs * PLANE + i]))
            continue; /* infinity minus infinity */
        for (int c = limbs; c < 2 * limbs; c++)
            if (work.out[c * PLANE + i] != 0.0) {
                object(isa, PLUMB_OP_MUL, limbs, parts, "z conj(z) is not real", work.x, other.x, work.out, i);
                break;
            }
    }
}

static void mul_of_conjugates_is_real(void **state)
{
    (void)state;
    hold(square_is_real, PLUMB_COMPLEX, PLUMB_COMPLEX);
}

static void difference_vanishes(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    (void)sort;
    run(isa, PLUMB_OP_NEG, limbs, parts, work.x, NULL, NULL, other.x);
    for (int pass = 0; pass < 2; pass++) {
        plumb_op op = pass ? PLUMB_OP_ADD : PLUMB_OP_SUB;
        const double *y = pass ? other.x : work.x;
        run(isa, op, limbs, parts, work.x, y, NULL, work.out);
        for (int64_t i = 0; i < BATCH; i++)
            for (int c = 0; c < limbs * parts; c++)
                if (work.out[c * PLANE + i] != 0.0) {
                    object(isa, op, limbs, parts, "x - x is not zero", work.x, y, work.out, i);
                    break;
                }
    }
}

static void sub_of_equals_is_zero(void **state)
{
    (void)state;
    hold(difference_vanishes, PLUMB_REAL, PLUMB_COMPLEX);
}

/* Every operation: limbs do not overlap, an infinity or a NaN has no further limbs, and the root lies to the right. */
static void result_is_normalised(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    for (int i = 0; i < BATCH; i++) /* powers of two for scale */
        other.y[i] = ldexp(1.0, (i * 7 + (int)sort * 131) % 2046 - 1022);
    for (int op = 0; op < PLUMB_OP_COUNT; op++) {
        if (op == PLUMB_OP_CMP)
            continue;
        const double *y = op == PLUMB_OP_SCALE ? other.y : work.y;
        run(isa, (plumb_op)op, limbs, parts, work.x, y, work.z, work.out);
        for (int64_t i = 0; i < BATCH; i++) {
            number r = number_at(work.out, i, limbs, op_out_parts((plumb_op)op, parts));
            if (!is_normalised(r.limb, limbs) || !is_normalised(r.limb + limbs, parts == PLUMB_COMPLEX ? limbs : 1))
                object(isa, (plumb_op)op, limbs, parts, "not normalised", work.x, y, work.out, i);
            if (op == PLUMB_OP_SQRT && r.limb[0] < 0.0)
                object(isa, (plumb_op)op, limbs, parts, "a root with negative real part", work.x, y, work.out, i);
        }
    }
}

static void results_are_normalised(void **state)
{
    (void)state;
    hold(result_is_normalised, PLUMB_REAL, PLUMB_COMPLEX);
}

/* Where the leading limbs do not overflow, nothing does; and a result that is not finite is that of the leading limbs. */
static void result_is_finite(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    (void)sort;
    static const plumb_op ops[] = {PLUMB_OP_ADD, PLUMB_OP_SUB,  PLUMB_OP_MUL,   PLUMB_OP_DIV,   PLUMB_OP_SQR,
                                   PLUMB_OP_INV, PLUMB_OP_SQRT, PLUMB_OP_ADD_D, PLUMB_OP_MUL_D, PLUMB_OP_DIV_D};
    for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
        run(isa, ops[k], limbs, parts, work.x, work.y, NULL, work.out);
        run(isa, ops[k], PLUMB_D, parts, work.x, work.y, NULL, other.out);
        for (int64_t i = 0; i < BATCH; i++)
            if (isfinite(other.out[i]) ? !isfinite(work.out[i])
                                       : !isfinite(work.out[i]) && !same_bits(work.out[i], other.out[i]))
                object(isa, ops[k], limbs, parts, "not finite, and the leading limbs say otherwise", work.x, work.y,
                       work.out, i);
    }
}

static void results_are_finite_where_doubles_are(void **state)
{
    (void)state;
    hold(result_is_finite, PLUMB_REAL, PLUMB_REAL);
}

/* Against the sign of the exact difference, and for equal numbers. */
static void comparison_is_exact(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    (void)sort;
    for (int pass = 0; pass < 3; pass++) { /* x with y, with -y (which cancels in CASE_CANCEL), with x */
        for (int64_t i = 0; i < BATCH; i++)
            for (int c = 0; c < limbs; c++)
                other.y[c * PLANE + i] = pass == 2 ? work.x[c * PLANE + i] : (pass ? -1 : 1) * work.y[c * PLANE + i];
        run(isa, PLUMB_OP_CMP, limbs, parts, work.x, other.y, NULL, work.out);
        for (int64_t i = 0; i < BATCH; i++) {
            double terms[8], difference;
            for (int c = 0; c < limbs; c++) {
                terms[2 * c] = work.x[c * PLANE + i];
                terms[2 * c + 1] = -other.y[c * PLANE + i];
            }
            plumb_round_limbs(terms, 2 * limbs, &difference, 1);
            if (work.out[i] != (difference > 0.0) - (difference < 0.0))
                object(isa, PLUMB_OP_CMP, limbs, parts, "wrong", work.x, other.y, work.out, i);
        }
    }
}

static void cmp_is_exact(void **state)
{
    (void)state;
    hold(comparison_is_exact, PLUMB_REAL, PLUMB_REAL);
}

/* Values in rising order, some of them written in two ways; limbs beyond the precision are left off. */
static void cmp_orders_all_kinds_on(const isa_kernels *isa, int limbs)
{
    static const struct {
        double limb[4];
        int rank;  /* equal ranks: equal numbers */
        int needs; /* limbs */
    } values[] = {
        {{-INFINITY}, 0, 1},
        {{-DBL_MAX, -0x1p+969}, 1, 2},
        {{-DBL_MAX}, 2, 1},
        {{-1.0}, 3, 1},
        {{-0x1p-1074}, 4, 1},
        {{0.0}, 5, 1},
        {{-0.0}, 5, 1},
        {{0x1p-1074}, 6, 1},
        {{1.0, -0x1p-160}, 7, 2},
        {{1.0}, 8, 1},
        {{1.0, 0.0, 0.0, 0x1p-1074}, 9, 4},
        {{1.0, 0x1p-1000}, 10, 2},
        {{1.0, 0x1p-53}, 11, 2},
        {{1.0 + 0x1p-52, -0x1p-53}, 11, 2},
        {{1.0, 0x1p-53, 0x1p-106, 0.0}, 12, 4},
        {{1.0 + 0x1p-52, -0x1p-53, 0x1p-106, 0.0}, 12, 4},
        {{1.0 + 0x1p-52, -0x1p-53, 0x1p-105, -0x1p-106}, 12, 4}, /* overlaps, and is still this number */
        {{1.0 + 0x1p-52}, 13, 1},
        {{DBL_MAX}, 14, 1},
        {{DBL_MAX, 0x1p+969}, 15, 2},
        {{INFINITY}, 16, 1},
        {{NAN}, 17, 1},
    };
    enum { VALUES = (int)(sizeof values / sizeof values[0]), NOT_A_NUMBER = 17 };
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            if (values[i].needs > limbs || values[j].needs > limbs)
                continue;
            number x = {{0}}, y = {{0}};
            memcpy(x.limb, values[i].limb, sizeof values[i].limb);
            memcpy(y.limb, values[j].limb, sizeof values[j].limb);
            number found = apply(isa, PLUMB_OP_CMP, limbs, PLUMB_REAL, x, y, x);
            int order = (values[i].rank > values[j].rank) - (values[i].rank < values[j].rank);
            int unordered = values[i].rank == NOT_A_NUMBER || values[j].rank == NOT_A_NUMBER;
            if (unordered ? !isnan(found.limb[0]) : found.limb[0] != order)
                complain(isa, PLUMB_OP_CMP, limbs, PLUMB_REAL, "wrong", &x, &y, NULL, &found);
        }
}

static void cmp_orders_all_kinds(void **state)
{
    (void)state;
    failures = 0;
    for_every_isa(cmp_orders_all_kinds_on);
    assert_int_equal(failures, 0);
}

static void scaling_is_exact(const isa_kernels *isa, int limbs, int parts, enum arith_case sort)
{
    for (int i = 0; i < BATCH; i++)
        other.y[i] = ldexp(1.0, (i * 13 + (int)sort * 17) % 401 - 200);
    run(isa, PLUMB_OP_SCALE, limbs, parts, work.x, other.y, NULL, work.out);
    for (int64_t i = 0; i < BATCH; i++)
        for (int c = 0; c < limbs * parts; c++) {
            double x = work.x[c * PLANE + i], scaled = x * other.y[i];
            double head = work.x[c / limbs * limbs * PLANE + i] * other.y[i];
            int exact = isfinite(head) && scaled / other.y[i] == x; /* neither overflow nor underflow */
            if (exact && !same_bits(work.out[c * PLANE + i], scaled)) {
                object(isa, PLUMB_OP_SCALE, limbs, parts, "not exact", work.x, other.y, work.out, i);
                break;
            }
        }
}

static void scale_is_exact(void **state)
{
    (void)state;
    hold(scaling_is_exact, PLUMB_REAL, PLUMB_COMPLEX);
}

static plumb_view view_of(double *data, int limbs)
{
    plumb_view v;
    assert_int_equal(plumb_view_init(&v, data, PLUMB_HOST, limbs, PLUMB_REAL, PLANE, 1, 1, NULL), PLUMB_OK);
    return v;
}

/* limbs of each work.x to every precision: going up adds zeros, going down gives the nearest double, and the nearest to what
 * remains. */
static void check_copies(plumb_context *context, int limbs)
{
    mpfr_t sum;
    mpfr_init2(sum, 2300); /* holds any sum of doubles */
    plumb_view from = view_of(work.x, limbs);
    for (int to = PLUMB_D; to <= PLUMB_QD; to *= 2) {
        plumb_view dst = view_of(work.out, to);
        assert_int_equal(plumb_copy(context, &from, &dst, NULL), PLUMB_OK);
        for (int64_t i = 0; i < PLANE; i++) {
            mpfr_set_d(sum, work.x[i], MPFR_RNDN);
            for (int c = 1; c < limbs; c++)
                mpfr_add_d(sum, sum, work.x[c * PLANE + i], MPFR_RNDN);
            for (int c = 0; c < to; c++) {
                double limb = to < limbs ? mpfr_get_d(sum, MPFR_RNDN) : c < limbs ? work.x[c * PLANE + i] : 0.0;
                mpfr_sub_d(sum, sum, limb, MPFR_RNDN);
                if (work.out[c * PLANE + i] == limb || !isfinite(work.x[i]))
                    continue;
                failures++;
                printf("  %s to %s: limb %d is %a, not %a\n", plumb_prec_name(limbs), plumb_prec_name(to), c,
                       work.out[c * PLANE + i], limb);
            }
        }
    }
    mpfr_clear(sum);
}

static void copy_is_exact_up_and_rounds_down(void **state)
{
    (void)state;
    plumb_context *context;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    failures = 0;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int limbs = PLUMB_D; limbs <= PLUMB_QD; limbs *= 2)
        for (int sort = 0; sort < CASE_COUNT; sort++) {
            plumb_random rng = plumb_random_start(seed + (uint64_t)(limbs * 16 + sort));
            fill(&rng, (enum arith_case)sort, limbs, PLUMB_REAL, &work);
            check_copies(context, limbs);
        }
    plumb_context_destroy(context);
    assert_int_equal(failures, 0);
}

/* Infinities, NaN and the sign of zero pass through every conversion. */
static void copy_passes_special_values(void **state)
{
    (void)state;
    static const double values[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0, 0x1p-1074, DBL_MAX};
    plumb_context *context;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    for (int limbs = PLUMB_D; limbs <= PLUMB_QD; limbs *= 2)
        for (int to = PLUMB_D; to <= PLUMB_QD; to *= 2) {
            memset(work.x, 0, sizeof work.x);
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
                work.x[i] = values[i];
            plumb_view from = view_of(work.x, limbs), dst = view_of(work.out, to);
            assert_int_equal(plumb_copy(context, &from, &dst, NULL), PLUMB_OK);
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
                for (int c = 0; c < to; c++)
                    assert_true(same_bits(work.out[(size_t)c * PLANE + i], c == 0 ? values[i] : 0.0));
        }
    plumb_context_destroy(context);
}

int main(void)
{
    count = test_count(30000);
    seed = test_seed(20130113);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mul_commutes),
        cmocka_unit_test(mul_of_conjugates_is_real),
        cmocka_unit_test(sub_of_equals_is_zero),
        cmocka_unit_test(results_are_normalised),
        cmocka_unit_test(results_are_finite_where_doubles_are),
        cmocka_unit_test(cmp_is_exact),
        cmocka_unit_test(cmp_orders_all_kinds),
        cmocka_unit_test(scale_is_exact),
        cmocka_unit_test(copy_is_exact_up_and_rounds_down),
        cmocka_unit_test(copy_passes_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
