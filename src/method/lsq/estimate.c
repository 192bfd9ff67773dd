/* estimate.c - how accurate a solution by modified Gram-Schmidt is, or by refinement with such a factor.
 *
 * Modified Gram-Schmidt on [A b] is backward stable: x is the exact solution for data of which every column was changed by a small
 * multiple of u. How far that moves x is in the inverse of the triangle, which is computed here in double: with columns scaled to a
 * similar size its entries have a few correct digits, whatever the precision of the solution. With rows y_j of the inverse, columns
 * a_k of A and g roundings,
 *
 *   |error of x_j| <= g u |y_j| (|(|a_k| x_k)_k| + K |r|),   K^2 = sum of (|a_k| |y_k|)^2,
 *
 * where the last term is for the residual r when m > n (the square of the condition number times the residual). See Higham, Accuracy
 * and Stability of Numerical Algorithms, 20.1. Errors of different columns are independent, so their squares are added. This is of
 * first order: where g u K is not small, the triangle itself is noise and nothing can be said.
 *
 * Refinement moves x by the same, with u of the precision of the residuals; in addition its last correction has the relative error
 * g u K of the factor, whether or not it happened to be better.
 *
 * All this is known before x is. Where it promises little, although x may be good, the residual r = b - A x of the x that was found
 * is computed without rounding (base/number/exact_sum.h), and so is g = A^H r. With the exact factor A = Q R the error of x is R^-1 z with z =
 * Q^H r = R^-H g. Where K is far from 1 / u of a double, that can be computed, and is wrong by a share of |y_j| |z| that K
 * tells; otherwise |y_j| |z| is a bound. This costs about a hundred operations for each product of two limbs, and is done only
 * where it can matter.
 *
 * Below the smallest normal double there are fewer bits. Every limb of the data and of x may be off by 2^-1075. For the data this is
 * one more change, and a column that small counts as changed, because data rounded to it are. */
#include "method/lsq/estimate.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/exact_sum.h"
#include "base/number/modulus.h"
#include "method/lsq/error.h"

enum {
    LEAST_EXPONENT = -1075, /* half of the smallest double */
    BITS_OF_LIMB = 53       /* that exact_sum_take takes */
};

/* Where g u K is above this, first-order estimates are not valid. */
static const double most_noise = 0.1;

/* A claim by the residual needs a triangle that is certainly none of a singular matrix, whose residual can be zero. */
static const double most_noise_checked = 0.01;

/* Up to this share of |y_j| |z|, a correction by R in double shows more than a bound. */
static const double most_doubt = 0.1;

/* What scaled numbers may lose by underflow. */
#define LEAST_SCALED 0x1p-1000

/* Columns of the inverse that are made side by side, and columns below which a team of threads costs more to wake than it saves. */
enum { SIDE_BY_SIDE = 8, WORTH_THREADS = 128 };

typedef struct inverse_run {
    const lsq_triangle *t;
    lsq_inverse *inverse;
    double *square; /* what entry (k, j) adds to the square of the norm of row k; as inverse->re */
    double *room;   /* 2 * SIDE_BY_SIDE * cols for each thread */
    int64_t groups;
    team_counter next;
} inverse_run;

/* x -= a_l v_l for all columns, where v_l is row l of them; terms receives the moduli of the products. */
static void subtract_products(const double *restrict a, const double *restrict v, int64_t first, int64_t last,
                              double *restrict x, double *restrict terms)
{
    for (int64_t l = first; l < last; l++)
#pragma omp simd
        for (int c = 0; c < SIDE_BY_SIDE; c++) {
            const double product = a[l] * v[l * SIDE_BY_SIDE + c];
            x[c] -= product;
            terms[c] += fabs(product);
        }
}

/* The same for the products with i b_l, of a real part v_l and an imaginary part w_l. */
static void subtract_others(const double *restrict a, const double *restrict b, const double *restrict v,
                            const double *restrict w, int64_t first, int64_t last, double *restrict x,
                            double *restrict y, double *restrict terms)
{
    for (int64_t l = first; l < last; l++)
#pragma omp simd
        for (int c = 0; c < SIDE_BY_SIDE; c++) {
            const double re = v[l * SIDE_BY_SIDE + c], im = w[l * SIDE_BY_SIDE + c];
            const double other = b[l] * im, product = a[l] * im + b[l] * re;
            x[c] += other;
            y[c] -= product;
            terms[c] += fabs(other) + fabs(product);
        }
}

/* Columns first, first + 1, ... of the inverse of R = diag(sqrt s) C: C y = e_j / sqrt(s_j), from row j up; and the squared
 * norms of these columns of R. The square of |y_k| and of its rounding error goes to run->square: where terms cancel in double, they need not do so
 * in the precision of the triangle. */
static void invert_columns(const inverse_run *run, int64_t first, double *re, double *im)
{
    const lsq_triangle *t = run->t;
    const int64_t last = first + SIDE_BY_SIDE < t->rank ? first + SIDE_BY_SIDE : t->rank;
    memset(re + first * SIDE_BY_SIDE, 0, (size_t)((last - first) * SIDE_BY_SIDE) * sizeof *re);
    memset(im + first * SIDE_BY_SIDE, 0, (size_t)((last - first) * SIDE_BY_SIDE) * sizeof *im);
    for (int64_t k = last - 1; k >= 0; k--) {
        double x[SIDE_BY_SIDE] = {0.0}, y[SIDE_BY_SIDE] = {0.0}, terms[SIDE_BY_SIDE] = {0.0};
        const double *a = t->re + k * t->ld, *b = t->im ? t->im + k * t->ld : NULL;
        subtract_products(a, re, k + 1, last, x, terms);
        if (b)
            subtract_others(a, b, re, im, k + 1, last, x, y, terms);
        for (int64_t j = k > first ? k : first; j < last; j++) {
            const int64_t c = j - first, at = j * (j + 1) / 2 + k;
            if (j == k)
                x[c] = 1.0 / sqrt(t->square[j]), y[c] = terms[c] = 0.0;
            re[k * SIDE_BY_SIDE + c] = run->inverse->re[at] = x[c];
            im[k * SIDE_BY_SIDE + c] = y[c];
            if (b)
                run->inverse->im[at] = y[c];
            run->square[at] = x[c] * x[c] + y[c] * y[c] + DBL_EPSILON * DBL_EPSILON * terms[c] * terms[c];
        }
    }
    double square[SIDE_BY_SIDE];
    for (int64_t j = first; j < last; j++)
        square[j - first] = t->square[j];
    for (int64_t k = 0; k < last - 1; k++)
        for (int64_t j = k >= first ? k + 1 : first; j < last; j++) {
            const double u = t->re[k * t->ld + j], v = t->im ? t->im[k * t->ld + j] : 0.0;
            square[j - first] += t->square[k] * (u * u + v * v);
        }
    for (int64_t j = first; j < last; j++)
        run->inverse->column[j] = square[j - first];
}

/* Threads take groups of columns, the longest first. */
static void invert_groups(void *data, team *workers, int32_t index, int32_t threads)
{
    inverse_run *run = data;
    double *room = run->room + index * 2 * SIDE_BY_SIDE * run->t->cols;
    (void)workers, (void)threads;
    for (int64_t g; (g = team_take(&run->next, 1)) < run->groups;)
        invert_columns(run, (run->groups - 1 - g) * SIDE_BY_SIDE, room, room + SIDE_BY_SIDE * run->t->cols);
}

plumb_status lsq_inverse_make(const lsq_triangle *t, lsq_inverse *inverse)
{
    const size_t n = (size_t)t->cols + 1, entries = n * n / 2, parts = t->im ? 2 : 1;
    const int32_t threads = t->team && t->rank >= WORTH_THREADS ? t->threads : 1;
    double *memory = calloc(3 * n + parts * entries, sizeof *memory), sum = 0.0, inverse_sum = 0.0, scaled = 0.0;
    inverse_run run = {.t = t, .inverse = inverse, .groups = (t->rank + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE};
    run.square = malloc((entries + 2 * SIDE_BY_SIDE * n * (size_t)threads) * sizeof *run.square);
    run.room = run.square + entries;
    *inverse = (lsq_inverse){.row = memory, .rows = t->rows, .rank = t->rank};
    if (!memory || !run.square) {
        free(memory);
        free(run.square);
        inverse->row = NULL;
        return PLUMB_ERR_MEMORY;
    }
    inverse->column = memory + n;
    inverse->modulus = memory + 2 * n;
    inverse->re = memory + 3 * n;
    inverse->im = t->im ? inverse->re + entries : NULL;
    team_run(t->team, threads, invert_groups, &run);
    for (int64_t j = 0; j < t->rank; j++) {
        const double *square = run.square + j * (j + 1) / 2;
        for (int64_t k = 0; k <= j; k++)
            inverse->row[k] += square[k];
        sum += inverse->column[j];
        inverse->column[j] = sqrt(inverse->column[j]);
    }
    free(run.square);
    for (int64_t k = 0; k < t->rank; k++) {
        inverse_sum += inverse->row[k];
        inverse->row[k] = sqrt(inverse->row[k]);
        scaled = plumb_modulus(scaled, inverse->row[k] * inverse->column[k]);
    }
    inverse->condition = sqrt(sum) * sqrt(inverse_sum);
    inverse->scaled = scaled;
    if (!(inverse->condition <= DBL_MAX))
        inverse->condition = inverse->scaled = (double)INFINITY;
    return PLUMB_OK;
}

void lsq_inverse_free(lsq_inverse *inverse)
{
    free(inverse->row);
    inverse->row = NULL;
}

/* The relative error of the triangle as far as it matters; infinite where the inverse overflows. */
static double noise_in(const lsq_inverse *inverse, int32_t factor_prec)
{
    return lsq_roundings(inverse->rows) * precision_unit(factor_prec) * inverse->scaled;
}

static double noise_of(const lsq_inverse *inverse, const lsq_answer *answer)
{
    return noise_in(inverse, answer->factor_prec);
}

bool lsq_is_noise(const lsq_inverse *inverse, int32_t factor_prec)
{
    return !(noise_in(inverse, factor_prec) <= most_noise);
}

/* The right-hand side may be changed by this much, as far as it is in the range of A: what data below the normal doubles may have
 * lost. */
static double lost_by_cuts(const lsq_inverse *inverse, const lsq_answer *answer)
{
    double cut = ldexp(1.0, LEAST_EXPONENT - answer->shift), cut_inverse = 0.0;
    for (int64_t k = 0; k < inverse->rank; k++) {
        cut = plumb_modulus(cut, ldexp(answer->modulus[k], LEAST_EXPONENT - answer->exponent[k]));
        cut_inverse = plumb_modulus(cut_inverse, ldexp(inverse->row[k], LEAST_EXPONENT - answer->exponent[k]));
    }
    return sqrt((double)inverse->rows) * (cut + cut_inverse * answer->residual);
}

/* The digits that errors leave: |error of x_k| <= row[k] moved + known[k] (NULL: 0). Entries of x and their errors are multiples of
 * 2^(shift + scale), so that nothing overflows. */
static double digits_left(const lsq_inverse *inverse, const lsq_answer *answer, double moved, const double *known)
{
    double largest = 0.0, error = 0.0;
    int32_t scale = INT32_MIN;
    for (int64_t k = 0; k < inverse->rank; k++)
        if (-answer->exponent[k] > scale)
            scale = -answer->exponent[k];
    for (int64_t k = 0; k < inverse->rank; k++) {
        const double back = ldexp(1.0, -answer->exponent[k] - scale); /* at most 1 */
        const double here = inverse->row[k] * moved + (known ? known[k] : 0.0);
        if (isnan(here))
            return 0.0;
        largest = fmax(largest, answer->modulus[k] * back);
        error = fmax(error, here * back);
    }
    error = error / (1.0 - noise_of(inverse, answer)) + ldexp(4.0, LEAST_EXPONENT - answer->shift - scale);
    if (largest == 0.0) /* so small that it became zero */
        return 0.0;
    return lsq_digits(answer->prec, error / largest);
}

/* The norm of (|a_k| x_k)_k. */
static double size_of(const lsq_inverse *inverse, const lsq_answer *answer)
{
    double size = 0.0;
    for (int64_t k = 0; k < inverse->rank; k++)
        size = plumb_modulus(size, inverse->column[k] * answer->modulus[k]);
    return size;
}

double lsq_claim(const lsq_inverse *inverse, const lsq_answer *answer)
{
    if (inverse->rank == 0) /* all columns are zero, and so is x */
        return precision_digits(answer->prec);
    if (lsq_is_noise(inverse, answer->factor_prec))
        return 0.0;
    const double roundings = lsq_roundings(inverse->rows), size = size_of(inverse, answer);
    if (size == 0.0 && answer->residual == 0.0) /* b is zero, and so is x */
        return precision_digits(answer->prec);
    const double units = precision_unit(answer->prec) + precision_unit(answer->factor_prec) * answer->correction;
    const double moved = roundings * units * (size + (1.0 + inverse->scaled) * answer->residual);
    return digits_left(inverse, answer, moved + lost_by_cuts(inverse, answer), NULL);
}

/* ---- By the exact residual ------------------------------------------------------------------------------------------------ */

/* The limbs of part `part` of an entry; NULL if there is no such part. */
static const double *entry_of(const plumb_view *view, int64_t i, int64_t j, int32_t part)
{
    return part < view->parts ? view->data + part * view->prec * view->plane + j * view->col + i : NULL;
}

/* The column of A that is column k of the triangle. */
static int64_t column_of(const lsq_data *data, int64_t k) { return data->order ? data->order[k] : k; }

/* s = part `part` of entry i of b - A x. */
static void residual_at(const lsq_data *data, int64_t rank, int64_t side, int64_t i, int32_t part, exact_sum *s)
{
    const plumb_view *a = data->a, *b = data->b, *x = data->x;
    exact_sum_clear(s);
    const double *given = entry_of(b, i, side, part);
    for (int32_t c = 0; c < b->prec; c++)
        exact_sum_add(s, given[c * b->plane], 1.0, 0);
    for (int64_t k = 0; k < rank; k++) {
        const int64_t j = column_of(data, k);
        for (int32_t p = 0; p < a->parts; p++) { /* re re - im im, re im + im re */
            const double sign = part == 0 && p == 1 ? 1.0 : -1.0;
            const double *u = entry_of(a, i, j, p), *v = entry_of(x, j, side, part ^ p);
            for (int32_t c = 0; c < a->prec; c++)
                for (int32_t d = 0; d < x->prec && u[c * a->plane] != 0.0; d++)
                    exact_sum_add(s, sign * u[c * a->plane], v[d * x->plane], 0);
        }
    }
}

/* A residual with this many limbs for each part of each row that only a tiny share is missing. */
typedef struct exact_residual {
    double *limb; /* limb c of part p of row i at [(i*parts + p)*limbs + c], times 2^exponent there */
    int32_t *exponent;
    int32_t limbs;
} exact_residual;

static bool residual_create(const lsq_data *data, exact_residual *r)
{
    r->limbs = data->a->prec + 1;
    const size_t count = (size_t)data->a->rows * (size_t)(data->a->parts * r->limbs);
    r->limb = calloc(count, sizeof *r->limb);
    r->exponent = calloc(count, sizeof *r->exponent);
    return r->limb && r->exponent;
}

static void residual_free(exact_residual *r)
{
    free(r->limb);
    free(r->exponent);
}

/* Returns the norm, scaled. */
static double residual_find(const lsq_inverse *inverse, const lsq_answer *answer, const lsq_data *data, int64_t side,
                            exact_residual *r)
{
    double norm = 0.0;
    int64_t at = 0;
    for (int64_t i = 0; i < data->a->rows; i++)
        for (int32_t part = 0; part < data->a->parts; part++) {
            exact_sum s;
            residual_at(data, inverse->rank, side, i, part, &s);
            for (int32_t c = 0; c < r->limbs; c++, at++) {
                int e;
                r->limb[at] = exact_sum_take(&s, &e);
                r->exponent[at] = e;
                if (c == 0)
                    norm = plumb_modulus(norm, ldexp(r->limb[at], e - answer->shift));
            }
        }
    return norm;
}

/* Part `part` of entry k of g = A^H r, scaled; to *missing is added what the missing limbs of r could change. */
static double project(const lsq_answer *answer, const lsq_data *data, const exact_residual *r, int64_t k, int32_t part,
                      double *missing)
{
    const plumb_view *a = data->a;
    const int64_t j = column_of(data, k);
    exact_sum s;
    exact_sum_clear(&s);
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t p = 0; p < a->parts; p++) { /* conj(a) r: re re + im im, re im - im re */
            const double sign = part == 1 && p == 1 ? -1.0 : 1.0;
            const double *u = entry_of(a, i, j, p);
            const int64_t at = (i * a->parts + (part ^ p)) * r->limbs;
            for (int32_t c = 0; c < a->prec; c++)
                for (int32_t d = 0; d < r->limbs && u[c * a->plane] != 0.0; d++)
                    exact_sum_add(&s, sign * u[c * a->plane], r->limb[at + d], r->exponent[at + d]);
            *missing += fabs(ldexp(u[0], -answer->exponent[k]) *
                             ldexp(r->limb[at], r->exponent[at] - answer->shift - BITS_OF_LIMB * r->limbs + 2));
        }
    int e;
    const double f = exact_sum_take(&s, &e);
    return ldexp(f, e - answer->exponent[k] - answer->shift);
}

/* The correction R^-1 R^-H g in double: g goes to room[0 .. 2 n - 1], z after it; the moduli of the correction go to known. Returns |z|. */
static double correct(const lsq_inverse *inverse, double *room, double *known)
{
    const int64_t n = inverse->rank;
    double *g = room, *z = room + 2 * n, norm = 0.0;
    for (int64_t j = 0; j < n; j++) {
        const double *re = inverse->re + j * (j + 1) / 2, *im = inverse->im ? inverse->im + j * (j + 1) / 2 : NULL;
        double x = 0.0, y = 0.0;
        for (int64_t k = 0; k <= j; k++) {
            const double b = im ? im[k] : 0.0; /* conj(y_kj) g_k */
            x += re[k] * g[2 * k] + b * g[2 * k + 1];
            y += re[k] * g[2 * k + 1] - b * g[2 * k];
        }
        z[2 * j] = x, z[2 * j + 1] = y;
        norm = plumb_modulus(norm, plumb_modulus(x, y));
    }
    for (int64_t k = 0; k < n; k++) {
        double x = 0.0, y = 0.0;
        for (int64_t j = k; j < n; j++) {
            const double a = inverse->re[j * (j + 1) / 2 + k], b = inverse->im ? inverse->im[j * (j + 1) / 2 + k] : 0.0;
            x += a * z[2 * j] - b * z[2 * j + 1];
            y += a * z[2 * j + 1] + b * z[2 * j];
        }
        known[k] = plumb_modulus(x, y);
    }
    return norm;
}

/* The digits of x by its exact residual. */
static double check(const lsq_inverse *inverse, const lsq_answer *answer, const lsq_data *data, int64_t side,
                    exact_residual *r, double *room)
{
    const int64_t n = inverse->rank;
    double *known = room + 4 * n, missing = 0.0, bound = 0.0;
    const double norm = residual_find(inverse, answer, data, side, r);
    for (int64_t k = 0; k < n; k++) {
        double here = 0.0;
        room[2 * k] = project(answer, data, r, k, 0, &here);
        room[2 * k + 1] = data->a->parts > 1 ? project(answer, data, r, k, 1, &here) : 0.0;
        missing += inverse->row[k] * here;
        bound += inverse->row[k] * plumb_modulus(room[2 * k], room[2 * k + 1]);
    }
    const double lost = lost_by_cuts(inverse, answer) + missing + LEAST_SCALED;
    /* The errors of R, of its inverse and of the products with it, which are double. */
    const double doubt = 4.0 * (noise_of(inverse, answer) + (double)n * DBL_EPSILON * inverse->scaled);
    const double z = fmin(bound, norm); /* the norm of z is at most that of r */
    if (!(doubt <= most_doubt))
        return digits_left(inverse, answer, z + lost, NULL);
    return digits_left(inverse, answer, doubt * correct(inverse, room, known) + lost, known);
}

plumb_status lsq_claim_checked(const lsq_inverse *inverse, const lsq_answer *answer, const lsq_data *data, int64_t side,
                               double *digits)
{
    const double few = 0.3 * precision_digits(answer->prec); /* of more, the caution costs less than the check */
    *digits = lsq_claim(inverse, answer);
    if (!data || inverse->rank == 0 || *digits > few || !(noise_of(inverse, answer) <= most_noise_checked))
        return PLUMB_OK;
    exact_residual r;
    double *room = calloc((size_t)inverse->rank, 5 * sizeof *room);
    const bool enough = residual_create(data, &r) && room;
    if (enough)
        *digits = fmax(*digits, check(inverse, answer, data, side, &r, room));
    residual_free(&r);
    free(room);
    return enough ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

plumb_status lsq_estimate(const lsq_triangle *t, const lsq_data *data, double *condition, double *digits)
{
    lsq_inverse inverse;
    plumb_status status = lsq_inverse_make(t, &inverse);
    if (status != PLUMB_OK)
        return status;
    *condition = inverse.condition;
    if (digits)
        *digits = precision_digits(t->prec);
    for (int64_t r = t->cols; digits && status == PLUMB_OK && r < t->all; r++) {
        for (int64_t k = 0; k < t->rank; k++) {
            const int64_t at = k * t->ld + r;
            inverse.modulus[k] = t->im ? plumb_modulus(t->re[at], t->im[at]) : fabs(t->re[at]);
        }
        const lsq_answer answer = {.modulus = inverse.modulus,
                                   .exponent = t->exponent,
                                   .residual = t->rows > t->rank ? t->norm[r] : 0.0,
                                   .shift = t->exponent[r],
                                   .prec = t->prec,
                                   .factor_prec = t->prec};
        double claim = 0.0;
        status = lsq_claim_checked(&inverse, &answer, data, r - t->cols, &claim);
        *digits = fmin(*digits, claim);
    }
    lsq_inverse_free(&inverse);
    return status;
}

/* ---- Least norm ------------------------------------------------------------------------------------------------------------- */

void lsq_least_entry(lsq_least *least, double re, double im)
{
    const double modulus = im != 0.0 ? plumb_modulus(re, im) : fabs(re);
    least->norm = plumb_modulus(least->norm, modulus);
    least->largest = fmax(least->largest, modulus);
}

/* x = A v with A^H A v = b is exact for columns a_k + d_k, |d_k| <= g u |a_k|. To first order that changes x by Q R^-H e with |e_k| <=
 * |d_k| |x|, and by the part of sum d_k v_k outside of the range of A, where v = R^-1 z and |z| = |x|. Each of the two is at most
 * g u K |x|, if the errors of different columns are independent. */
double lsq_claim_least(const lsq_inverse *inverse, const lsq_least *least)
{
    const int32_t factor_prec = least->factor_prec ? least->factor_prec : least->prec;
    if (lsq_is_noise(inverse, factor_prec))
        return 0.0;
    if (least->norm == 0.0) /* b is zero, and so is x */
        return precision_digits(least->prec);
    const double noise = noise_in(inverse, factor_prec), root = sqrt((double)inverse->rows);
    const double left = noise_in(inverse, least->prec) + noise * least->correction;
    double cut = 0.0; /* of entries of A, which enter twice, and of b */
    for (int64_t k = 0; k < inverse->rank; k++) {
        const double of_a = 2.0 * root * least->norm * ldexp(inverse->row[k], LEAST_EXPONENT - least->exponent[k]);
        const double of_b = ldexp(inverse->row[k], LEAST_EXPONENT - least->exponent[k] - least->shift);
        cut = plumb_modulus(cut, of_a + of_b);
    }
    const double moved = 2.0 * left * least->norm;
    const double error = (moved + cut) / (1.0 - noise) + ldexp(4.0, LEAST_EXPONENT - least->shift);
    return lsq_digits(least->prec, error / least->largest);
}

double lsq_digits(int32_t prec, double error)
{
    const double all = precision_digits(prec);
    if (!(error < 1.0))
        return 0.0;
    return error > 0.0 ? fmin(all, -log10(error)) : all;
}
