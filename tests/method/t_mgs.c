/* t_mgs.c - tests modified Gram-Schmidt on the CPU against MPFR: A = Q R with orthonormal Q, solutions of
 * least-squares problems, dependent columns, and the same bits on every instruction set and with any number of
 * threads; in d, the steps of blocks of columns against their definition and on hard problems; the same for the tiles of
 * large matrices in all precisions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/mgs.h"
#include "backend/cpu/lsq/mgs_wide.h"
#include "base/number/random.h"
#include "base/number/round.h"

static const uint64_t seed = 20130113;

/* A job with its memory; entry (i, j) of the columns and of the coefficients by planes. */
typedef struct problem {
    mgs_job job;
    int limbs, parts;
    double *least;
} problem;

static double *zeros(int64_t count)
{
    double *memory = calloc((size_t)count, sizeof *memory);
    assert_non_null(memory);
    return memory;
}

static problem make_problem(int limbs, int parts, int64_t rows, int64_t cols, int64_t rhs)
{
    int64_t all = cols + rhs, ld = all + MGS_OVERHANG;
    problem p = {.limbs = limbs, .parts = parts, .least = zeros(cols)};
    p.job = (mgs_job){.ld = ld,
                      .rows = rows,
                      .cols = cols,
                      .rank = cols,
                      .all = all,
                      .w_plane = rows * ld + 8,
                      .c_plane = (cols + 1) * ld + 8,
                      .s_plane = cols + MGS_OVERHANG};
    p.job.w = zeros(limbs * parts * p.job.w_plane);
    p.job.c = zeros(limbs * parts * p.job.c_plane);
    p.job.s = zeros(limbs * p.job.s_plane);
    return p;
}

/* Memory for tiles, which plumb_cpu_mgs_factor then uses. */
static void add_tiles(problem *p)
{
    mgs_job *job = &p->job;
    const int64_t doubles = p->limbs * p->parts * job->rows * (job->all + MGS_OVERHANG);
    job->tiles = zeros(doubles);
    job->inverse = zeros(p->limbs * job->cols);
    job->finished = zeros(mgs_copies(p->limbs) * doubles);
    job->products = zeros(p->limbs * p->parts * job->cols * MGS_BLOCK * mgs_wide_blocks(p->limbs));
    job->applied = calloc((size_t)job->all, sizeof *job->applied);
    assert_non_null(job->applied);
}

static void free_problem(problem *p)
{
    free(p->job.tiles);
    free(p->job.inverse);
    free(p->job.applied);
    free(p->job.finished);
    free(p->job.products);
    free(p->job.w);
    free(p->job.c);
    free(p->job.s);
    free(p->least);
}

static void random_columns(problem *p, uint64_t start)
{
    plumb_random rng = plumb_random_start(start);
    for (int64_t i = 0; i < p->job.rows; i++)
        for (int64_t j = 0; j < p->job.all; j++)
            for (int part = 0; part < p->parts; part++) {
                double raw[4], size = 1.0;
                for (int c = 0; c < p->limbs; c++) {
                    raw[c] = size * (2.0 * plumb_random_unit(&rng) - 1.0);
                    size *= 0x1p-53;
                }
                plumb_round_limbs(raw, p->limbs, raw, p->limbs);
                for (int c = 0; c < p->limbs; c++)
                    p->job.w[(part * p->limbs + c) * p->job.w_plane + i * p->job.ld + j] = raw[c];
            }
}

static void copy_columns(const problem *from, problem *to)
{
    memcpy(to->job.w, from->job.w, (size_t)(from->limbs * from->parts * from->job.w_plane) * sizeof(double));
}

static const mgs_kernels *kernels_of(const isa_kernels *isa, const problem *p)
{
    return isa->prec[p->limbs]->mgs[p->parts];
}

/* One part of an entry as MPFR sees it. */
static void get(mpfr_t to, const double *base, int64_t plane, int limbs, int part, int64_t at)
{
    mpfr_set_zero(to, 1);
    for (int c = 0; c < limbs; c++)
        mpfr_add_d(to, to, base[(part * limbs + c) * plane + at], MPFR_RNDN);
}

/* re, im += x * y, or conj(x) * y. */
static void add_product(mpfr_t re, mpfr_t im, mpfr_t x[2], mpfr_t y[2], mpfr_t t, int conjugate)
{
    mpfr_mul(t, x[0], y[0], MPFR_RNDN);
    mpfr_add(re, re, t, MPFR_RNDN);
    mpfr_mul(t, x[1], y[1], MPFR_RNDN);
    (conjugate ? mpfr_add : mpfr_sub)(re, re, t, MPFR_RNDN);
    mpfr_mul(t, x[0], y[1], MPFR_RNDN);
    mpfr_add(im, im, t, MPFR_RNDN);
    mpfr_mul(t, x[1], y[0], MPFR_RNDN);
    (conjugate ? mpfr_sub : mpfr_add)(im, im, t, MPFR_RNDN);
}

static void get_both(mpfr_t to[2], const double *base, int64_t plane, const problem *p, int64_t at)
{
    get(to[0], base, plane, p->limbs, 0, at);
    mpfr_set_zero(to[1], 1);
    if (p->parts == PLUMB_COMPLEX)
        get(to[1], base, plane, p->limbs, 1, at);
}

static double unit_of(int limbs)
{
    return ldexp(1.0, -53 * limbs);
}

/* The largest entry of Q R - A, all columns included, and of Q^H Q - I, by MPFR. */
static void check_factors(const problem *before, const problem *after)
{
    const mgs_job *job = &after->job;
    mpfr_t x[2], y[2], re, im, t;
    mpfr_inits2(600, x[0], x[1], y[0], y[1], re, im, t, (mpfr_ptr)0);
    double residual = 0.0, orthogonality = 0.0;
    for (int64_t j = 0; j < job->cols; j++) {
        for (int64_t i = 0; i < job->rows; i++) {
            get_both(y, before->job.w, before->job.w_plane, before, i * job->ld + j);
            mpfr_neg(re, y[0], MPFR_RNDN);
            mpfr_neg(im, y[1], MPFR_RNDN);
            for (int64_t k = 0; k <= j; k++) {
                get_both(x, job->w, job->w_plane, after, i * job->ld + k);
                get_both(y, job->c, job->c_plane, after, k * job->ld + j);
                add_product(re, im, x, y, t, 0);
            }
            residual = fmax(residual, fmax(fabs(mpfr_get_d(re, MPFR_RNDN)), fabs(mpfr_get_d(im, MPFR_RNDN))));
        }
        for (int64_t k = 0; k <= j; k++) {
            mpfr_set_si(re, k == j ? -1 : 0, MPFR_RNDN);
            mpfr_set_zero(im, 1);
            for (int64_t i = 0; i < job->rows; i++) {
                get_both(x, job->w, job->w_plane, after, i * job->ld + k);
                get_both(y, job->w, job->w_plane, after, i * job->ld + j);
                add_product(re, im, x, y, t, 1);
            }
            orthogonality = fmax(orthogonality, fmax(fabs(mpfr_get_d(re, MPFR_RNDN)), fabs(mpfr_get_d(im, MPFR_RNDN))));
        }
        get_both(y, job->c, job->c_plane, after, j * job->ld + j);
        assert_true(mpfr_sgn(y[0]) > 0 && mpfr_zero_p(y[1])); /* a real, positive diagonal */
    }
    mpfr_clears(x[0], x[1], y[0], y[1], re, im, t, (mpfr_ptr)0);
    double u = unit_of(after->limbs) * (after->limbs == 4 ? 16 : 4);
    printf("  %s %s %lld x %lld: A - QR 2^%.1f, Q^H Q - I 2^%.1f\n", plumb_prec_name(after->limbs),
           after->parts == PLUMB_REAL ? "real" : "complex", (long long)job->rows, (long long)job->cols, log2(residual),
           log2(orthogonality));
    assert_true(residual <= 4.0 * (double)job->rows * u);
    assert_true(orthogonality <= 1000.0 * (double)job->rows * u); /* random matrices: a condition of hundreds */
}

static const int64_t shapes[][2] = {{1, 1}, {2, 1}, {5, 5}, {9, 4}, {16, 16}, {21, 17}};

static void factors_reconstruct(void **state)
{
    (void)state;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < 2 * sizeof shapes / sizeof shapes[0]; s++) {
                const int64_t *shape = shapes[s / 2];
                problem a = make_problem(limbs, parts, shape[0], shape[1], 0);
                problem f = make_problem(limbs, parts, shape[0], shape[1], 0);
                if (s % 2)
                    add_tiles(&f);
                random_columns(&a, seed + s);
                copy_columns(&a, &f);
                const mgs_kernels *kernels = kernels_of(plumb_cpu_isa_find(NULL), &f);
                assert_int_equal(plumb_cpu_mgs_factor(kernels, &f.job, f.least, NULL, 1, true), 0);
                kernels->triangle(&f.job);
                kernels->normalize(&f.job);
                check_factors(&a, &f);
                free_problem(&a);
                free_problem(&f);
            }
}

/* b = A x with x_k = k + 1 (and -k i): exact in integers, so that the only error is that of the solver. */
static void known_right_hand_side(problem *p)
{
    const mgs_job *job = &p->job;
    for (int64_t i = 0; i < job->rows; i++) {
        double b[2] = {0.0, 0.0};
        for (int64_t j = 0; j < job->cols; j++) {
            double re = (double)((i * 7 + j * 13 + i * j * 3) % 19 - 9) + (i == j ? 40.0 : 0.0);
            double im = p->parts == PLUMB_COMPLEX ? (double)((i * 5 + j * 11) % 17 - 8) : 0.0;
            double x = (double)j + 1.0, y = p->parts == PLUMB_COMPLEX ? -(double)j : 0.0;
            b[0] += re * x - im * y;
            b[1] += re * y + im * x;
            job->w[i * job->ld + j] = re;
            if (p->parts == PLUMB_COMPLEX)
                job->w[p->limbs * job->w_plane + i * job->ld + j] = im;
        }
        for (int part = 0; part < p->parts; part++)
            job->w[part * p->limbs * job->w_plane + i * job->ld + job->cols] = b[part];
    }
}

static void back_solves(void **state)
{
    (void)state;
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            problem p = make_problem(limbs, parts, 14, 11, 1);
            known_right_hand_side(&p);
            const mgs_kernels *kernels = kernels_of(plumb_cpu_isa_find(NULL), &p);
            assert_int_equal(plumb_cpu_mgs_factor(kernels, &p.job, p.least, NULL, 1, true), 0);
            kernels->squares(&p.job, p.job.cols, p.job.all);
            kernels->back(&p.job);
            double u = unit_of(limbs), rest = p.job.c[p.job.cols * p.job.ld + p.job.cols];
            assert_true(fabs(rest) <= pow(1e5 * u, 2.0)); /* the residual of a consistent system */
            for (int64_t k = 0; k < p.job.cols; k++)
                for (int part = 0; part < parts; part++) {
                    double *x = p.job.c + part * limbs * p.job.c_plane + k * p.job.ld + p.job.cols, error = 0.0;
                    for (int c = limbs - 1; c >= 0; c--)
                        error += x[c * p.job.c_plane] - (c ? 0.0 : part ? -(double)k : (double)k + 1.0);
                    assert_true(fabs(error) <= 2e4 * u);
                }
            free_problem(&p);
        }
}

/* All entries of two arrays by rows, without what lies behind the last column of a row. */
static void check_rows(const problem *p, const double *x, const double *y, int64_t plane, int64_t rows)
{
    for (int c = 0; c < p->limbs * p->parts; c++)
        for (int64_t i = 0; i < rows; i++)
            assert_memory_equal(x + c * plane + i * p->job.ld, y + c * plane + i * p->job.ld,
                                (size_t)p->job.all * sizeof(double));
}

/* ---- Blocks: the steps of eight columns at once, one number after the other ------------------------------------------- */

typedef struct number {
    double re, im;
} number;

static number get_number(const double *base, int64_t plane, int parts, int64_t at)
{
    return (number){base[at], parts == PLUMB_COMPLEX ? base[plane + at] : 0.0};
}

static void put_number(double *base, int64_t plane, int parts, int64_t at, number x)
{
    base[at] = x.re;
    if (parts == PLUMB_COMPLEX)
        base[plane + at] = x.im;
}

/* a_k^H a_j. */
static number inner_product(const problem *p, int64_t k, int64_t j)
{
    const mgs_job *job = &p->job;
    number sum = {0.0, 0.0};
    for (int64_t i = 0; i < job->rows; i++) {
        const number q = get_number(job->w, job->w_plane, p->parts, i * job->ld + k);
        const number a = get_number(job->w, job->w_plane, p->parts, i * job->ld + j);
        sum.re = fma(a.re, q.re, sum.re);
        if (p->parts == PLUMB_COMPLEX) {
            sum.im = fma(a.im, q.re, sum.im);
            sum.re = fma(a.im, q.im, sum.re);
            sum.im = fma(-a.re, q.im, sum.im);
        }
    }
    return sum;
}

/* x - c q. */
static number rest(const problem *p, number x, number c, number q)
{
    x.re = fma(-c.re, q.re, x.re);
    if (p->parts == PLUMB_COMPLEX) {
        x.im = fma(-c.re, q.im, x.im);
        x.re = fma(c.im, q.im, x.re);
        x.im = fma(-c.im, q.re, x.im);
    }
    return x;
}

static void remove_column(const problem *p, int64_t k, int64_t j)
{
    const mgs_job *job = &p->job;
    const number c = get_number(job->c, job->c_plane, p->parts, k * job->ld + j);
    for (int64_t i = 0; i < job->rows; i++) {
        const number q = get_number(job->w, job->w_plane, p->parts, i * job->ld + k);
        const number a = get_number(job->w, job->w_plane, p->parts, i * job->ld + j);
        put_number(job->w, job->w_plane, p->parts, i * job->ld + j, rest(p, a, c, q));
    }
}

static void keep_quotient(const problem *p, int64_t k, int64_t j, number x)
{
    const double inverse = 1.0 / p->job.s[k];
    put_number(p->job.c, p->job.c_plane, p->parts, k * p->job.ld + j, (number){x.re * inverse, x.im * inverse});
}

/* The definition of method/lsq/mgs_blocks_tmpl.h in plain C; with corrects = false classical Gram-Schmidt within blocks. */
static void factor_by_blocks(problem *p, bool corrects)
{
    const mgs_job *job = &p->job;
    for (int64_t b = 0; b < job->cols; b += MGS_BLOCK) {
        const int64_t end = b + MGS_BLOCK < job->cols ? b + MGS_BLOCK : job->cols;
        for (int64_t k = b; k < end; k++) {
            const number square = inner_product(p, k, k);
            put_number(job->c, job->c_plane, p->parts, k * job->ld + k, square);
            job->s[k] = square.re;
            for (int64_t j = k + 1; j < end; j++) {
                keep_quotient(p, k, j, inner_product(p, k, j));
                remove_column(p, k, j);
            }
        }
        for (int64_t j = end; j < job->all; j++) {
            number x[MGS_BLOCK];
            for (int64_t k = b; k < end; k++)
                x[k - b] = inner_product(p, k, j);
            for (int64_t k = b; k < end; k++) {
                for (int64_t i = b; i < k && corrects; i++)
                    x[k - b] = rest(p, x[k - b], get_number(job->c, job->c_plane, p->parts, i * job->ld + j),
                                    inner_product(p, k, i));
                keep_quotient(p, k, j, x[k - b]);
            }
            for (int64_t k = b; k < end; k++)
                remove_column(p, k, j);
        }
    }
}

/* Columns and coefficients of all instruction sets, with any number of threads, by steps over whole rows and by tiles, are
 * those of the scalar steps; those by blocks (tiles in d) are those of their definition. */
static void check_machines(int limbs, int parts, int64_t rows, int64_t cols, int64_t rhs, team *workers)
{
    problem start = make_problem(limbs, parts, rows, cols, rhs), first[2];
    random_columns(&start, seed);
    for (int k = 0; k < 2; k++) {
        first[k] = make_problem(limbs, parts, rows, cols, rhs);
        copy_columns(&start, &first[k]);
        if (k == 1 && limbs == 1) {
            factor_by_blocks(&first[k], true);
            continue;
        }
        const mgs_kernels *scalar = kernels_of(plumb_cpu_isas[0], &first[k]);
        assert_int_equal(plumb_cpu_mgs_factor(scalar, &first[k].job, first[k].least, NULL, 1, true), 0);
    }
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
        for (int32_t run = 0; run < 8 && plumb_cpu_isas[k]->usable(); run++) {
            const problem *expected = &first[run % 2];
            problem p = make_problem(limbs, parts, rows, cols, rhs);
            copy_columns(&start, &p);
            if (run % 2)
                add_tiles(&p);
            const mgs_kernels *kernels = kernels_of(plumb_cpu_isas[k], &p);
            assert_int_equal(plumb_cpu_mgs_factor(kernels, &p.job, p.least, workers, run / 2 + 1, true), 0);
            check_rows(&p, p.job.w, expected->job.w, p.job.w_plane, rows);
            check_rows(&p, p.job.c, expected->job.c, p.job.c_plane, cols);
            assert_memory_equal(p.job.s, expected->job.s, (size_t)cols * sizeof(double));
            free_problem(&p);
        }
    free_problem(&first[0]);
    free_problem(&first[1]);
    free_problem(&start);
}

/* Columns that make it hard: every sixth is its neighbour up to 2^-nearly, within a block or across blocks; with grade >
 * 0 every column j is the one before it up to 2^(-j grade). The right-hand side is A x for x = (1, .., 1), rounded. */
static void hard_columns(problem *p, int nearly, double grade)
{
    const mgs_job *job = &p->job;
    random_columns(p, seed);
    for (int64_t i = 0; i < job->rows; i++)
        for (int part = 0; part < p->parts; part++) {
            double *w = job->w + part * job->w_plane + i * job->ld;
            long double b = w[0];
            for (int64_t j = 1; j < job->cols; j++) {
                if (grade > 0.0)
                    w[j] = w[j - 1] + ldexp(w[j], (int)(-grade * (double)j));
                else if (j % 6 == 1)
                    w[j] = w[j - 1] + ldexp(w[j], -nearly);
                b += w[j];
            }
            w[job->cols] = (double)b;
        }
}

/* The largest entry of b - A x relative to |A| |x| + |b|, for a factored problem. */
static double backward_error(const problem *a, const problem *f, const mgs_kernels *kernels)
{
    const mgs_job *job = &f->job;
    double worst = 0.0;
    kernels->back(job);
    for (int64_t i = 0; i < job->rows; i++) {
        const number b = get_number(a->job.w, job->w_plane, a->parts, i * job->ld + job->cols);
        long double re = b.re, im = b.im, size = fabsl(re) + fabsl(im);
        for (int64_t j = 0; j < job->cols; j++) {
            const number y = get_number(a->job.w, job->w_plane, a->parts, i * job->ld + j);
            const number x = get_number(job->c, job->c_plane, f->parts, j * job->ld + job->cols);
            re -= (long double)y.re * x.re - (long double)y.im * x.im;
            im -= (long double)y.re * x.im + (long double)y.im * x.re;
            size += (fabsl((long double)y.re) + fabsl((long double)y.im)) *
                    (fabsl((long double)x.re) + fabsl((long double)x.im));
        }
        worst = fmax(worst, (double)((fabsl(re) + fabsl(im)) / size));
    }
    return worst;
}

/* Blocks are as stable as one step after the other; without the products within blocks they would not be. */
static void blocks_are_stable(void **state)
{
    static const struct {
        int nearly;
        double grade;
    } hard[] = {{0, 0.0}, {10, 0.0}, {20, 0.0}, {30, 0.0}, {40, 0.0}, {0, 0.1}, {0, 0.2}, {0, 0.4}};
    double without = 0.0;
    (void)state;
    for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
        for (size_t n = 0; n < sizeof hard / sizeof hard[0]; n++) {
            problem a = make_problem(1, parts, 100, 90, 1);
            double error[3]; /* by steps, by blocks, and by blocks without corrections */
            hard_columns(&a, hard[n].nearly, hard[n].grade);
            for (int k = 0; k < 3; k++) {
                problem f = make_problem(1, parts, 100, 90, 1);
                copy_columns(&a, &f);
                const mgs_kernels *kernels = kernels_of(plumb_cpu_isa_find(NULL), &f);
                if (k == 1)
                    add_tiles(&f);
                if (k == 2)
                    factor_by_blocks(&f, false);
                else
                    assert_int_equal(plumb_cpu_mgs_factor(kernels, &f.job, f.least, NULL, 1, true), 0);
                error[k] = backward_error(&a, &f, kernels);
                free_problem(&f);
            }
            printf("  %s, pairs within 2^-%d, grade %.1f: backward error 2^%.1f by steps, 2^%.1f by blocks, "
                   "2^%.1f without corrections\n",
                   parts == PLUMB_REAL ? "real" : "complex", hard[n].nearly, hard[n].grade, log2(error[0]),
                   log2(error[1]), log2(error[2]));
            assert_true(error[1] <= 4.0 * error[0] && error[1] <= 0x1p-44);
            without = fmax(without, error[2]);
            free_problem(&a);
        }
    assert_true(without >= 0x1p-40); /* otherwise the problems are not hard enough to show it */
}

static void results_do_not_show_the_machine(void **state)
{
    /* Columns that end inside of a tile or with it, and right-hand sides in tiles of their own; last tiles with columns
     * in their first lane alone (on NEON). */
    static const int64_t sizes[][3] = {{90, 80, 3}, {110, 48, 40}, {95, 81, 0}, {3000, 5, 1}, {101, 77, 1}};
    team *workers = NULL;
    (void)state;
    assert_int_equal(team_start(&workers, 4, NULL, 0), PLUMB_OK);
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < (limbs < 4 ? 5 : 3); s++)
                check_machines(limbs, parts, sizes[s][0], sizes[s][1], sizes[s][2], workers);
    team_end(workers);
}

/* ---- Tiles of large matrices (method/lsq/mgs_wide_tmpl.h) ------------------------------------------------------------- */

static const mgs_wide_kernels *wide_of(const isa_kernels *isa, const problem *p)
{
    return isa->prec[p->limbs]->mgs_wide[p->parts];
}

/* Shapes whose last tiles are full, or have a column more or less, and rows that are a chunk of 64, more or less. */
static void wide_factors_reconstruct(void **state)
{
    static const int64_t wide[][2] = {{1, 1}, {9, 7}, {16, 16}, {64, 17}, {65, 9}, {63, 24}, {130, 33}};
    (void)state;
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < sizeof wide / sizeof wide[0]; s++) {
                problem a = make_problem(limbs, parts, wide[s][0], wide[s][1], 0);
                problem f = make_problem(limbs, parts, wide[s][0], wide[s][1], 0);
                add_tiles(&f);
                random_columns(&a, seed + s);
                copy_columns(&a, &f);
                const isa_kernels *isa = plumb_cpu_isa_find(NULL);
                assert_int_equal(plumb_cpu_mgs_wide_factor(wide_of(isa, &f), &f.job, f.least, NULL, 1, true), 0);
                kernels_of(isa, &f)->triangle(&f.job);
                kernels_of(isa, &f)->normalize(&f.job);
                check_factors(&a, &f);
                free_problem(&a);
                free_problem(&f);
            }
}

/* x = (1 - 0 i, 2 - i, ...) comes out of factoring with the right-hand side, and of taking it along later, with the same bits. */
static void wide_back_solves(void **state)
{
    team *workers = NULL;
    (void)state;
    assert_int_equal(team_start(&workers, 3, NULL, 0), PLUMB_OK);
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++) {
            problem p = make_problem(limbs, parts, 140, 131, 1), q = make_problem(limbs, parts, 140, 131, 1);
            const mgs_wide_kernels *kernels = wide_of(plumb_cpu_isa_find(NULL), &p);
            add_tiles(&p);
            add_tiles(&q);
            known_right_hand_side(&p);
            copy_columns(&p, &q);
            assert_int_equal(plumb_cpu_mgs_wide_factor(kernels, &p.job, p.least, workers, 3, true), 0);
            plumb_cpu_mgs_wide_back(kernels, &p.job, workers, 3);
            mgs_job alone = q.job;
            alone.all = alone.cols;
            assert_int_equal(plumb_cpu_mgs_wide_factor(kernels, &alone, q.least, NULL, 1, false), 0);
            plumb_cpu_mgs_wide_along(kernels, &alone, &q.job);
            plumb_cpu_mgs_wide_back(kernels, &q.job, NULL, 1);
            for (int64_t k = 0; k < p.job.cols; k++)
                for (int part = 0; part < parts; part++) {
                    const int64_t at = part * limbs * p.job.c_plane + k * p.job.ld + p.job.cols;
                    double error = 0.0;
                    for (int c = limbs - 1; c >= 0; c--) {
                        const double limb = p.job.c[at + c * p.job.c_plane];
                        assert_true(limb == q.job.c[at + c * p.job.c_plane]);
                        error += limb - (c ? 0.0 : part ? -(double)k : (double)k + 1.0);
                    }
                    assert_true(fabs(error) <= 1e7 * unit_of(limbs));
                }
            free_problem(&p);
            free_problem(&q);
        }
    team_end(workers);
}

/* Right-hand side number r of a factored problem. */
static const double *side(const problem *p, int64_t r, int64_t k, int64_t plane)
{
    return p->job.c + plane * p->job.c_plane + k * p->job.ld + p->job.cols + r;
}

static void check_wide_machines(int limbs, int parts, int64_t rows, int64_t cols, int64_t rhs, team *workers)
{
    problem start = make_problem(limbs, parts, rows, cols, rhs), first = make_problem(limbs, parts, rows, cols, rhs);
    random_columns(&start, seed);
    add_tiles(&first);
    copy_columns(&start, &first);
    const mgs_wide_kernels *scalar = wide_of(plumb_cpu_isas[0], &first);
    assert_int_equal(plumb_cpu_mgs_wide_factor(scalar, &first.job, first.least, NULL, 1, true), 0);
    for (int32_t k = 0; k < plumb_cpu_isa_count; k++)
        for (int32_t threads = 1; threads <= 4 && plumb_cpu_isas[k]->usable(); threads++) {
            problem p = make_problem(limbs, parts, rows, cols, rhs);
            add_tiles(&p);
            copy_columns(&start, &p);
            const mgs_wide_kernels *kernels = wide_of(plumb_cpu_isas[k], &p);
            assert_int_equal(plumb_cpu_mgs_wide_factor(kernels, &p.job, p.least, workers, threads, true), 0);
            check_rows(&p, p.job.w, first.job.w, p.job.w_plane, rows);
            check_rows(&p, p.job.c, first.job.c, p.job.c_plane, cols);
            assert_memory_equal(p.job.s, first.job.s, (size_t)cols * sizeof(double));
            free_problem(&p);
        }
    if (rhs > 0) { /* the last right-hand side alone has the same coefficients */
        problem one = make_problem(limbs, parts, rows, cols, 1);
        add_tiles(&one);
        for (int64_t c = 0; c < limbs * parts; c++)
            for (int64_t i = 0; i < rows; i++) {
                double *to = one.job.w + c * one.job.w_plane + i * one.job.ld;
                const double *from = start.job.w + c * start.job.w_plane + i * start.job.ld;
                memcpy(to, from, (size_t)cols * sizeof *to);
                to[cols] = from[cols + rhs - 1];
            }
        assert_int_equal(plumb_cpu_mgs_wide_factor(scalar, &one.job, one.least, NULL, 1, true), 0);
        for (int64_t c = 0; c < limbs * parts; c++)
            for (int64_t k = 0; k < cols; k++)
                assert_true(*side(&one, 0, k, c) == *side(&first, rhs - 1, k, c));
        free_problem(&one);
    }
    free_problem(&first);
    free_problem(&start);
}

static void wide_results_do_not_show_the_machine(void **state)
{
    static const int64_t sizes[][3] = {{70, 65, 3}, {129, 16, 18}, {300, 40, 1}, {260, 97, 9}, {400, 24, 0}};
    team *workers = NULL;
    (void)state;
    assert_int_equal(team_start(&workers, 4, NULL, 0), PLUMB_OK);
    for (int limbs = 1; limbs <= 4; limbs *= 2)
        for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t s = 0; s < (limbs < 4 ? 5 : 3); s++)
                check_wide_machines(limbs, parts, sizes[s][0], sizes[s][1], sizes[s][2], workers);
    team_end(workers);
}

/* Tiles of large matrices are as stable as one step after the other. */
static void wide_is_stable(void **state)
{
    static const struct {
        int nearly;
        double grade;
    } hard[] = {{0, 0.0}, {20, 0.0}, {40, 0.0}, {0, 0.1}, {0, 0.2}, {0, 0.4}};
    (void)state;
    for (int parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
        for (size_t n = 0; n < sizeof hard / sizeof hard[0]; n++) {
            problem a = make_problem(1, parts, 130, 110, 1);
            double error[2]; /* by steps, by tiles */
            hard_columns(&a, hard[n].nearly, hard[n].grade);
            for (int k = 0; k < 2; k++) {
                problem f = make_problem(1, parts, 130, 110, 1);
                copy_columns(&a, &f);
                const isa_kernels *isa = plumb_cpu_isa_find(NULL);
                if (k == 1) {
                    add_tiles(&f);
                    assert_int_equal(plumb_cpu_mgs_wide_factor(wide_of(isa, &f), &f.job, f.least, NULL, 1, true), 0);
                } else {
                    assert_int_equal(plumb_cpu_mgs_factor(kernels_of(isa, &f), &f.job, f.least, NULL, 1, true), 0);
                }
                error[k] = backward_error(&a, &f, kernels_of(isa, &f));
                free_problem(&f);
            }
            printf("  %s, pairs within 2^-%d, grade %.1f: backward error 2^%.1f by steps, 2^%.1f by tiles\n",
                   parts == PLUMB_REAL ? "real" : "complex", hard[n].nearly, hard[n].grade, log2(error[0]),
                   log2(error[1]));
            assert_true(error[1] <= 4.0 * error[0] && error[1] <= 0x1p-44);
            free_problem(&a);
        }
}

static void wide_reports_dependent_columns(void **state)
{
    team *workers = NULL;
    (void)state;
    assert_int_equal(team_start(&workers, 3, NULL, 0), PLUMB_OK);
    for (int32_t threads = 1; threads <= 3; threads++)
        for (int64_t k = 0; k < 120; k += 7) {
            problem p = make_problem(1, PLUMB_COMPLEX, 130, 120, 20);
            add_tiles(&p);
            random_columns(&p, seed);
            for (int64_t i = 0; i < 130; i++)
                for (int part = 0; part < 2; part++)
                    p.job.w[part * p.job.w_plane + i * p.job.ld + k] = 0.0;
            const mgs_wide_kernels *kernels = wide_of(plumb_cpu_isa_find(NULL), &p);
            assert_int_equal(plumb_cpu_mgs_wide_factor(kernels, &p.job, p.least, workers, threads, true), k + 1);
            free_problem(&p);
        }
    team_end(workers);
}

/* A dependent column ends the work of all threads, whichever tile it is in. */
static void tiles_report_dependent_columns(void **state)
{
    team *workers = NULL;
    (void)state;
    assert_int_equal(team_start(&workers, 3, NULL, 0), PLUMB_OK);
    for (int32_t threads = 1; threads <= 3; threads++)
        for (int64_t k = 0; k < 120; k += 7) {
            problem p = make_problem(1, PLUMB_COMPLEX, 130, 120, 20);
            add_tiles(&p);
            random_columns(&p, seed);
            for (int64_t i = 0; i < 130; i++)
                for (int part = 0; part < 2; part++)
                    p.job.w[part * p.job.w_plane + i * p.job.ld + k] = 0.0;
            const mgs_kernels *kernels = kernels_of(plumb_cpu_isa_find(NULL), &p);
            assert_int_equal(plumb_cpu_mgs_factor(kernels, &p.job, p.least, workers, threads, true), k + 1);
            free_problem(&p);
        }
    team_end(workers);
}

static void factor_reports_dependent_columns(void **state)
{
    (void)state;
    for (int limbs = 1; limbs <= 4; limbs *= 2) {
        problem p = make_problem(limbs, PLUMB_REAL, 12, 8, 1);
        random_columns(&p, seed);
        for (int64_t i = 0; i < 12; i++) /* column 5 = column 2 - 2 column 0 (integers, so that this is exact) */
            for (int64_t j = 0; j < 8; j++)
                for (int c = 0; c < limbs; c++) {
                    double *w = p.job.w + c * p.job.w_plane + i * p.job.ld;
                    w[j] = c ? 0.0 : j == 5 ? w[2] - 2.0 * w[0] : (double)((i * 31 + j * 17 + i * i * j) % 23);
                }
        for (int64_t k = 0; k < 8; k++)
            p.least[k] = pow(12.0 * unit_of(limbs), 2.0) * 12.0 * 23.0 * 23.0 * 100.0;
        assert_int_equal(plumb_cpu_mgs_factor(kernels_of(plumb_cpu_isa_find(NULL), &p), &p.job, p.least, NULL, 1, true),
                         6);
        free_problem(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_reconstruct),
        cmocka_unit_test(back_solves),
        cmocka_unit_test(results_do_not_show_the_machine),
        cmocka_unit_test(blocks_are_stable),
        cmocka_unit_test(factor_reports_dependent_columns),
        cmocka_unit_test(tiles_report_dependent_columns),
        cmocka_unit_test(wide_factors_reconstruct),
        cmocka_unit_test(wide_back_solves),
        cmocka_unit_test(wide_results_do_not_show_the_machine),
        cmocka_unit_test(wide_is_stable),
        cmocka_unit_test(wide_reports_dependent_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
