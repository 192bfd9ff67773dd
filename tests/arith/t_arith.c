/* t_arith.c - tests the error of every operation of the arithmetic, real and complex, in every precision, against
 * MPFR: the largest observed error must stay below the bound that src/arith states.
 *
 * PLUMB_TEST_COUNT operands for each operation (30,000 unless set; `make test-deep` takes 10^7), drawn from every case of
 * arith_cases.h; PLUMB_TEST_SEED is the seed of the random numbers. Only the scalar kernels are measured here;
 * t_arith_isa compares the bits of the other instruction sets with theirs. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arith_cases.h"
#include "arith_oracle.h"
#include "backend/cpu/kernels.h"
#include "base/os/team.h"

enum { CHUNK = 250, TERMS = 12 };

static int64_t operand_count = 30000;
static uint64_t seed = 20130113;

typedef struct bound {
    plumb_op op;
    double real[3], cplx[3]; /* d, dd, qd; relative errors */
} bound;

#define U 0x1p-53
#define U2 0x1p-106
#define N 12.0 /* TERMS */

/* Real bounds as src/arith states them; complex ones follow from them (docs/arithmetic.md). The bound of a sum of products is
 * relative to the sum of their moduli. */
static const bound bounds[] = {
    {PLUMB_OP_ADD, {U, 3.001 * U2, 0x1p-211}, {U, 3.001 * U2, 0x1p-211}},
    {PLUMB_OP_SUB, {U, 3.001 * U2, 0x1p-211}, {U, 3.001 * U2, 0x1p-211}},
    {PLUMB_OP_MUL, {U, 5 * U2, 0x1p-208}, {2.24 * U, 12 * U2, 0x1p-207}},
    {PLUMB_OP_SQR, {U, 5 * U2, 0x1p-208}, {3 * U, 16 * U2, 0x1p-207}},
    {PLUMB_OP_DIV, {U, 12 * U2, 0x1p-209}, {8 * U, 45 * U2, 0x1p-206}},
    {PLUMB_OP_INV, {U, 8 * U2, 0x1p-210}, {8 * U, 30 * U2, 0x1p-206}},
    {PLUMB_OP_SQRT, {U, 3.125 * U2, 0x1p-211}, {8 * U, 40 * U2, 0x1p-206}},
    {PLUMB_OP_ABS, {0, 0, 0}, {3 * U, 8 * U2, 0x1p-208}},
    {PLUMB_OP_NEG, {0, 0, 0}, {0, 0, 0}},
    {PLUMB_OP_CONJ, {0, 0, 0}, {0, 0, 0}},
    {PLUMB_OP_SCALE, {0, 0, 0}, {0, 0, 0}},
    {PLUMB_OP_ADD_D, {U, 2 * U2, 0x1p-211}, {U, 2 * U2, 0x1p-211}},
    {PLUMB_OP_MUL_D, {U, 2 * U2, 0x1p-210}, {U, 2 * U2, 0x1p-210}},
    {PLUMB_OP_DIV_D, {U, 5 * U2, 0x1p-211}, {U, 5 * U2, 0x1p-211}},
    {PLUMB_OP_FMA, {U, 16 * U2, 5 * 0x1p-208}, {4 * U, 50 * U2, 12 * 0x1p-208}},
    {PLUMB_OP_DOT,
     {N * U, (N + 3) * (N + 3) * U2, (N + 4) * 0x1p-208},
     {2 * N * U, (2 * N + 3) * (2 * N + 3) * U2, (2 * N + 4) * 0x1p-208}},
};

typedef struct tally {
    double largest, squares; /* of relative errors; squares are scaled by 2^400, and over CASE_RANDOM only */
    int64_t count, random_count, overflows, wrong;
    double worst[2][8]; /* operands of the largest error, real and imaginary limbs */
} tally;

/* Planes of up to three operands, TERMS columns each, and of the result. */
typedef struct arrays {
    double x[8 * CHUNK * TERMS], y[8 * CHUNK * TERMS], z[8 * CHUNK], out[8 * CHUNK];
} arrays;

static int is_mixed(plumb_op op)
{
    return op == PLUMB_OP_ADD_D || op == PLUMB_OP_MUL_D || op == PLUMB_OP_DIV_D || op == PLUMB_OP_SCALE;
}

/* Fills entry i of each operand. Plane c of a column is at c*CHUNK*TERMS + column*CHUNK. */
static void fill(plumb_random *rng, enum arith_case sort, plumb_op op, int limbs, int parts, arrays *a, int i)
{
    const int64_t plane = (int64_t)CHUNK * TERMS;
    int columns = op == PLUMB_OP_DOT ? TERMS : 1;
    for (int column = 0; column < columns; column++) {
        for (int part = 0; part < parts; part++) {
            double x[4], y[4], z[4];
            arith_pair(rng, sort, limbs, x, y);
            if (op == PLUMB_OP_SQRT && parts == PLUMB_REAL)
                for (int c = limbs - 1; c >= 0; c--)
                    x[c] = x[0] < 0 ? -x[c] : x[c];
            if (op == PLUMB_OP_FMA) { /* z about as large as x y and often its negative */
                int exponent;
                double head = x[0] * y[0];
                frexp(head, &exponent);
                arith_number(rng, sort, limbs, isfinite(head) && exponent > -900 ? exponent - 1 : 0, z);
                if (arith_below(rng, 2) && isfinite(head) && head != 0.0)
                    z[0] = -head, z[1] = z[2] = z[3] = 0.0;
            }
            for (int c = 0; c < limbs; c++) {
                int64_t at = (part * limbs + c) * plane + column * CHUNK + i;
                a->x[at] = x[c];
                a->y[at] = y[c];
                if (op == PLUMB_OP_FMA)
                    a->z[(part * limbs + c) * CHUNK + i] = z[c];
            }
        }
    }
    if (op == PLUMB_OP_SCALE)
        a->y[i] = ldexp(1.0, arith_below(rng, 200) - 100);
}

/* Sets the oracle to entry i and lets it work out the result. */
static void consult(oracle *o, plumb_op op, int limbs, int parts, const arrays *a, int i)
{
    const int64_t plane = (int64_t)CHUNK * TERMS;
    int columns = op == PLUMB_OP_DOT ? TERMS : 1;
    for (int column = 0; column < columns; column++) {
        int64_t at = column * CHUNK + i;
        oracle_set(o->re[0], a->x + at, plane, limbs);
        oracle_set(o->re[1], a->y + at, plane, is_mixed(op) ? 1 : limbs);
        mpfr_set_zero(o->im[1], 1);
        if (parts == PLUMB_COMPLEX) {
            oracle_set(o->im[0], a->x + limbs * plane + at, plane, limbs);
            if (!is_mixed(op))
                oracle_set(o->im[1], a->y + limbs * plane + at, plane, limbs);
        }
        if (op == PLUMB_OP_FMA) {
            oracle_set(o->re[2], a->z + i, CHUNK, limbs);
            if (parts == PLUMB_COMPLEX)
                oracle_set(o->im[2], a->z + limbs * CHUNK + i, CHUNK, limbs);
        }
        if (op != PLUMB_OP_DOT) {
            oracle_apply(o, op, parts);
            return;
        }
        if (column == 0) {
            mpfr_set_zero(o->re[3], 1);
            mpfr_set_zero(o->im[3], 1);
            mpfr_set_zero(o->size, 1);
        }
        oracle_add_product(o, 0, 1, 1, parts);
    }
}

/* Could the result, or a part of a sum of products on the way to it, be beyond the largest double? */
static int out_of_range(oracle *o)
{
    return !mpfr_number_p(o->size) || mpfr_cmp_d(o->size, 0x1.fffffffffffp+1023) > 0;
}

static void measure_chunk(plumb_random *rng, enum arith_case sort, const bound *b, int limbs, int parts, arrays *a,
                          oracle *o, tally *t)
{
    const int64_t plane = (int64_t)CHUNK * TERMS;
    const map_kernel kernel = plumb_cpu_isas[0]->prec[limbs]->map[parts][b->op];
    double limit = (parts == PLUMB_REAL ? b->real : b->cplx)[limbs / 2];
    for (int i = 0; i < CHUNK; i++)
        fill(rng, sort, b->op, limbs, parts, a, i);
    kernel(&(map_job){.x = a->x,
                      .y = a->y,
                      .z = a->z,
                      .out = a->out,
                      .x_plane = plane,
                      .y_plane = plane,
                      .z_plane = CHUNK,
                      .out_plane = CHUNK,
                      .n = CHUNK,
                      .terms = TERMS,
                      .x_col = CHUNK,
                      .y_col = CHUNK});
    int out_parts = b->op == PLUMB_OP_ABS ? PLUMB_REAL : parts;
    for (int i = 0; i < CHUNK; i++) {
        consult(o, b->op, limbs, parts, a, i);
        t->count++;
        if (out_of_range(o)) {
            t->overflows++;
            continue;
        }
        const double *re = a->out + i, *im = out_parts == PLUMB_COMPLEX ? re + limbs * CHUNK : NULL;
        if (!isfinite(re[0]) || (im && !isfinite(im[0]))) {
            t->wrong++;
            continue;
        }
        /* Underflow: some tens of roundings to multiples of 2^-1074, for each term. */
        double error = oracle_error(o, re, im, CHUNK, limbs, b->op == PLUMB_OP_DOT ? TERMS * 0x1p-1067 : 0x1p-1068);
        if (error > limit)
            t->wrong++;
        if (sort == CASE_RANDOM) {
            t->squares += error * error * 0x1p400;
            t->random_count++;
        }
        if (error > t->largest) {
            t->largest = error;
            for (int c = 0; c < limbs * parts; c++) {
                t->worst[0][c] = a->x[c * plane + i];
                t->worst[1][c] = a->y[c * plane + i];
            }
        }
    }
}

static void merge(tally *all, const tally *one)
{
    all->count += one->count;
    all->random_count += one->random_count;
    all->overflows += one->overflows;
    all->wrong += one->wrong;
    all->squares += one->squares;
    if (one->largest > all->largest) {
        all->largest = one->largest;
        memcpy(all->worst, one->worst, sizeof all->worst);
    }
}

/* The chunks of one operation over the threads; each has random numbers of its own, so that their number does not matter. */
typedef struct measure_share {
    const bound *b;
    int limbs, parts;
    tally all;
    team_counter next;
    pthread_mutex_t lock;
} measure_share;

static void measure_chunks(void *data, team *t, int32_t index, int32_t threads)
{
    measure_share *s = data;
    const int64_t chunks = (operand_count + CHUNK - 1) / CHUNK;
    arrays *a = malloc(sizeof *a);
    oracle o;
    tally mine = {0};
    (void)t, (void)index, (void)threads;
    oracle_init(&o);
    for (int64_t k; (k = team_take(&s->next, 1)) < chunks;) {
        plumb_random rng = plumb_random_start(seed + ((uint64_t)k << 16) + (uint64_t)s->b->op * 16 +
                                              (uint64_t)(s->limbs * 2 + s->parts));
        measure_chunk(&rng, (enum arith_case)(k % CASE_COUNT), s->b, s->limbs, s->parts, a, &o, &mine);
    }
    oracle_clear(&o);
    mpfr_free_cache();
    free(a);
    pthread_mutex_lock(&s->lock);
    merge(&s->all, &mine);
    pthread_mutex_unlock(&s->lock);
}

static tally measure(const bound *b, int limbs, int parts)
{
    team *workers = NULL;
    measure_share share = {.b = b, .limbs = limbs, .parts = parts, .lock = PTHREAD_MUTEX_INITIALIZER};
    assert_int_equal(team_start(&workers, team_cores(), NULL, 0), PLUMB_OK);
    team_run(workers, team_cores(), measure_chunks, &share);
    team_end(workers);
    return share.all;
}

static void show_worst(const tally *t, int limbs, int parts)
{
    for (int operand = 0; operand < 2; operand++) {
        printf("        %s =", operand ? "y" : "x");
        for (int c = 0; c < limbs * parts; c++)
            printf(" %a", t->worst[operand][c]);
        printf("\n");
    }
}

static double log2_or_zero(double x)
{
    return x > 0 ? log2(x) : -INFINITY;
}

static void errors_stay_under_bounds(int parts)
{
    int64_t wrong = 0;
    printf("%s, %lld operands an operation, seed %llu; errors as powers of two\n",
           parts == PLUMB_REAL ? "real" : "complex", (long long)operand_count, (unsigned long long)seed);
    printf("  %-8s%-4s %10s %10s %12s\n", "op", "", "largest", "bound", "random rms");
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        for (int limbs = 1; limbs <= 4; limbs *= 2) {
            const bound *b = &bounds[k];
            double limit = (parts == PLUMB_REAL ? b->real : b->cplx)[limbs / 2];
            tally t = measure(b, limbs, parts);
            double rms = t.random_count ? sqrt(t.squares / (double)t.random_count) * 0x1p-200 : 0.0;
            printf("  %-8s%-4s %10.2f %10.2f %12.2f%s\n", plumb_op_name(b->op), plumb_prec_name(limbs),
                   log2_or_zero(t.largest), log2_or_zero(limit), log2_or_zero(rms), t.wrong ? "   WRONG" : "");
            if (t.wrong)
                show_worst(&t, limbs, parts);
            wrong += t.wrong;
            if (limbs == 4 && parts == PLUMB_REAL && b->op != PLUMB_OP_DOT && b->op != PLUMB_OP_FMA)
                assert_true(rms < 0x1p-214);
            assert_true(t.overflows < t.count / 2);
        }
    }
    assert_int_equal(wrong, 0);
}

static void real_errors_stay_under_bounds(void **state)
{
    (void)state;
    errors_stay_under_bounds(PLUMB_REAL);
}

static void complex_errors_stay_under_bounds(void **state)
{
    (void)state;
    errors_stay_under_bounds(PLUMB_COMPLEX);
}

int main(void)
{
    const char *count_text = getenv("PLUMB_TEST_COUNT"), *seed_text = getenv("PLUMB_TEST_SEED");
    if (count_text && strtoll(count_text, NULL, 10) > 0)
        operand_count = strtoll(count_text, NULL, 10);
    if (seed_text)
        seed = strtoull(seed_text, NULL, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_errors_stay_under_bounds),
        cmocka_unit_test(complex_errors_stay_under_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
