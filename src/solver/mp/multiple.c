/* multiple.c - see multiple.h. */
#include "solver/mp/multiple.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/mp/refine.h"
#include "solver/mp/series.h"
#include "solver/mp/system.h"

/* The error with which a point must be known at first (log2), variables of series and steps at most; and how much farther than its error a
 * point may move (log2). */
static const double LEAST_ERROR = -12.0, MARGIN = 12.0;

/* What counts as zero at first: below these powers of the error.
 * But nothing that does not vanish is as small as 2^SMALL; and points are brought nearer that are known less well than 2^VAGUE. */
static const double SMALL = -128.0, VAGUE = -40.0;
static const double GUESSES[] = {0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0};

enum { MOST_CORANK = 6, MOST_STEPS = 40, FIRST_BITS = 128, MOST_SEEN = 16, MOST_ROUNDS = 4, MOST_SHARPENING = 10 };

/* Bits between pivots that count as zero and those that do not, where the rank is believed for some steps. */
enum { GAP = 10 };

/* A matrix by rows. */
typedef struct matrix {
    mp_complex *entry;
    int64_t rows, columns, pivots;
    int64_t *row, *column; /* what is in each place after exchanges */
} matrix;

/* A nullity that was found, with a gap between what counted as zero and what did not. */
typedef struct seen_rank {
    int64_t order, nullity;
} seen_rank;

/* Everything about one point. Equations and unknowns are listed such that the first `rank` ones are solved. */
typedef struct local {
    const plumb_system *system;
    mp_multiple *m;
    mp_system at;
    int64_t n, rank, bits;
    int64_t expected;          /* nullity of the matrix that is to vanish */
    int64_t ignored;           /* the largest exponent of a pivot that counted as zero */
    seen_rank seen[MOST_SEEN]; /* what was found at some orders, the last ones first */
    int64_t seen_count;
    int64_t *equation, *unknown; /* their order; the last n - rank unknowns are the variables of the series */
    long *size;                  /* log2 of the size of each equation */
    mp_complex *x;
    mp_complex *values, *jacobian, *inverse; /* of the point: n, n x n, rank x rank */
    mp_shape shape;
    mp_complex *series; /* of each unknown, shape.count numbers */
    mp_complex *powers; /* of each unknown and exponent, as in mp_system */
    mp_complex *result; /* of each equation */
    mp_complex *room;   /* three series */
    mp_complex temporary[4];
} local;

static mp_complex *series_of(const local *l, mp_complex *list, int64_t k)
{
    return list + k * l->shape.count;
}

static void count_work(local *l, int64_t products)
{
    l->m->work += 4.0 * (double)products * pow((double)l->bits / 64.0 + 4.0, 1.6);
}

static bool has_work(const local *l)
{
    return l->m->work <= l->m->most_work && !(l->m->stop && l->m->stop(l->m->data));
}

/* ---- Elimination --------------------------------------------------------------------------------------------------- */

static bool make_matrix(int64_t rows, int64_t columns, int64_t bits, matrix *a)
{
    *a = (matrix){.entry = mp_make(rows * columns, bits),
                  .rows = rows,
                  .columns = columns,
                  .row = calloc((size_t)rows + 1, sizeof *a->row),
                  .column = calloc((size_t)columns + 1, sizeof *a->column)};
    for (int64_t i = 0; i < rows && a->row; i++)
        a->row[i] = i;
    for (int64_t j = 0; j < columns && a->column; j++)
        a->column[j] = j;
    return a->entry && a->row && a->column;
}

static void clear_matrix(matrix *a)
{
    mp_free(a->entry, a->entry ? a->rows * a->columns : 0);
    free(a->row);
    free(a->column);
    *a = (matrix){.rows = 0};
}

/* The exponent of two of the larger part. */
static int64_t exponent_of(const mp_complex *x)
{
    const int64_t none = -(INT64_C(1) << 40);
    const int64_t re = mpfr_regular_p(x->re) ? mpfr_get_exp(x->re) : none;
    const int64_t im = mpfr_regular_p(x->im) ? mpfr_get_exp(x->im) : none;
    return re > im ? re : im;
}

static void swap_numbers(mp_complex *x, mp_complex *y)
{
    mpfr_swap(x->re, y->re);
    mpfr_swap(x->im, y->im);
}

static void swap_places(int64_t *list, int64_t i, int64_t j)
{
    const int64_t swap = list[i];
    list[i] = list[j];
    list[j] = swap;
}

/* Exchanges rows and columns such that place (k, k) has the largest entry that is left; returns its exponent. */
static int64_t bring_largest(matrix *a, int64_t k)
{
    int64_t best = INT64_MIN, row = k, column = k;
    for (int64_t i = k; i < a->rows; i++)
        for (int64_t j = k; j < a->columns; j++) {
            const int64_t e = exponent_of(&a->entry[i * a->columns + j]);
            if (e > best) {
                best = e;
                row = i;
                column = j;
            }
        }
    for (int64_t j = 0; j < a->columns && row != k; j++)
        swap_numbers(&a->entry[k * a->columns + j], &a->entry[row * a->columns + j]);
    for (int64_t i = 0; i < a->rows && column != k; i++)
        swap_numbers(&a->entry[i * a->columns + k], &a->entry[i * a->columns + column]);
    swap_places(a->row, k, row);
    swap_places(a->column, k, column);
    return best;
}

/* Gaussian elimination with exchanges of rows and columns, in place: factors take the place of what becomes zero. It ends before a pivot
 * below 2^least, after this many of them, or for lack of work. Returns the exponent of the smallest pivot. */
static int64_t eliminate(local *l, matrix *a, double least, int64_t most)
{
    int64_t smallest = INT64_MAX;
    for (a->pivots = 0; a->pivots < most && a->pivots < a->rows && a->pivots < a->columns && has_work(l); a->pivots++) {
        const int64_t k = a->pivots, best = bring_largest(a, k), n = a->columns;
        int64_t products = 0;
        if (!((double)best > least))
            break;
        smallest = best < smallest ? best : smallest;
        for (int64_t i = k + 1; i < a->rows; i++) {
            mp_complex *factor = &a->entry[i * n + k];
            if (mp_is_zero(factor))
                continue;
            mp_div(factor, factor, &a->entry[k * n + k], l->temporary + 1);
            for (int64_t j = k + 1; j < n; j++)
                if (!mp_is_zero(&a->entry[k * n + j])) {
                    mp_sub_product(&a->entry[i * n + j], factor, &a->entry[k * n + j], l->temporary);
                    products++;
                }
        }
        count_work(l, products);
    }
    return smallest;
}

/* ---- The point, and the unknowns that depend on the others --------------------------------------------------------- */

static bool make_local(const plumb_system *system, mp_complex *x, mp_multiple *m, local *l)
{
    const int64_t n = system->unknowns;
    *l = (local){.system = system, .m = m, .n = n, .bits = FIRST_BITS, .x = x};
    l->equation = calloc((size_t)n, sizeof *l->equation);
    l->unknown = calloc((size_t)n, sizeof *l->unknown);
    l->size = calloc((size_t)n, sizeof *l->size);
    l->values = mp_make(n, l->bits);
    l->jacobian = mp_make(n * n, l->bits);
    l->inverse = mp_make(n * n, l->bits);
    mp_complex *temporary = mp_make(4, l->bits);
    for (int k = 0; k < 4 && temporary; k++)
        l->temporary[k] = temporary[k];
    const bool good = temporary != NULL;
    free(temporary); /* the numbers have moved */
    return mp_system_begin(system, l->bits, &l->at) == PLUMB_OK && good && l->equation && l->unknown && l->size &&
           l->values && l->jacobian && l->inverse;
}

static void clear_series(local *l)
{
    const int64_t count = l->shape.count;
    mp_free(l->series, l->series ? l->n * count : 0);
    mp_free(l->powers, l->powers ? l->at.power_count * count : 0);
    mp_free(l->result, l->result ? l->n * count : 0);
    mp_free(l->room, l->room ? 3 * count : 0);
    l->series = l->powers = l->result = l->room = NULL;
    mp_shape_clear(&l->shape);
}

static void clear_local(local *l)
{
    clear_series(l);
    mp_system_clear(&l->at);
    free(l->equation);
    free(l->unknown);
    free(l->size);
    mp_free(l->values, l->values ? l->n : 0);
    mp_free(l->jacobian, l->jacobian ? l->n * l->n : 0);
    mp_free(l->inverse, l->inverse ? l->n * l->n : 0);
    for (int k = 0; k < 4; k++)
        if (l->temporary[k].re->_mpfr_d) {
            mpfr_clear(l->temporary[k].re);
            mpfr_clear(l->temporary[k].im);
        }
}

static void set_bits(local *l, int64_t bits)
{
    l->bits = bits;
    mp_system_resize(&l->at, bits);
    mp_resize(l->x, l->n, bits);
    mp_resize(l->values, l->n, bits);
    mp_resize(l->jacobian, l->n * l->n, bits);
    mp_resize(l->inverse, l->n * l->n, bits);
    mp_resize(l->temporary, 4, bits);
}

/* Divides numbers by a power of two. */
static void scale_down(mp_complex *x, int64_t count, long exponent)
{
    for (int64_t k = 0; k < count; k++) {
        mpfr_mul_2si(x[k].re, x[k].re, -exponent, MPFR_RNDN);
        mpfr_mul_2si(x[k].im, x[k].im, -exponent, MPFR_RNDN);
    }
}

/* The sizes of the equations: those of their terms where unknowns of modulus below 1 are replaced by 1. At a multiple solution all of
 * the values and derivatives may be noise, which says nothing. */
static bool find_sizes(local *l)
{
    double *logs = calloc((size_t)l->n, sizeof *logs);
    for (int64_t i = 0; i < l->n && logs; i++)
        logs[i] = mp_log2(&l->x[i]);
    for (int64_t e = 0; e < l->n && logs; e++) {
        const double size = mp_size_for_large(l->system, e, logs);
        l->size[e] = isfinite(size) ? (long)size : 0;
    }
    free(logs);
    return logs != NULL;
}

/* Finds the rank of the Jacobian, for an error of x of 2^error, and the order of equations and unknowns. */
static bool find_rank(local *l, double error)
{
    matrix a;
    const bool good = make_matrix(l->n, l->n, l->bits, &a) && find_sizes(l);
    if (good) {
        mp_system_eval(&l->at, l->x, l->values, l->jacobian, NULL);
        for (int64_t k = 0; k < l->n * l->n; k++)
            mp_set(&a.entry[k], &l->jacobian[k]);
        for (int64_t e = 0; e < l->n; e++)
            scale_down(a.entry + e * l->n, l->n, l->size[e]);
        (void)eliminate(l, &a, 0.5 * error, l->n);
        l->rank = a.pivots;
        memcpy(l->equation, a.row, (size_t)l->n * sizeof *a.row);
        memcpy(l->unknown, a.column, (size_t)l->n * sizeof *a.column);
    }
    clear_matrix(&a);
    return good;
}

/* Solves the first `rank` equations for the first unknowns by Newton's method; the others do not move. Leaves the inverse of their
 * Jacobian. */
static bool solve_base(local *l)
{
    const int64_t n = l->n, r = l->rank;
    double before = 0.0;
    for (int k = 0; k < MOST_STEPS; k++) {
        mp_system_eval(&l->at, l->x, l->values, l->jacobian, NULL);
        l->m->work += mp_system_cost(l->system, l->bits);
        matrix a = {.rows = 0}, right = a;
        bool good = make_matrix(r, r, l->bits, &a) && make_matrix(r, r + 1, l->bits, &right);
        double move = -(double)INFINITY;
        for (int64_t i = 0; i < r && good; i++) {
            for (int64_t j = 0; j < r; j++)
                mp_set(&a.entry[i * r + j], &l->jacobian[l->equation[i] * n + l->unknown[j]]);
            mpfr_set_ui(right.entry[i * (r + 1) + i].re, 1, MPFR_RNDN);
            mp_set(&right.entry[i * (r + 1) + r], &l->values[l->equation[i]]);
        }
        good = good && (r == 0 || mp_solve(a.entry, right.entry, r, r + 1, l->temporary));
        for (int64_t i = 0; i < r && good; i++) {
            mp_complex *x = &l->x[l->unknown[i]];
            mp_sub(x, x, &right.entry[i * (r + 1) + r]);
            move = fmax(move, mp_log2(&right.entry[i * (r + 1) + r]) - fmax(0.0, mp_log2(x)));
            for (int64_t j = 0; j < r; j++)
                mp_set(&l->inverse[i * r + j], &right.entry[i * (r + 1) + j]);
        }
        clear_matrix(&a);
        clear_matrix(&right);
        if (!good || (k > 0 && move > before - 2.0 && move > 32.0 - (double)l->bits))
            return false;
        if (move <= 32.0 - (double)l->bits)
            return true;
        before = move;
    }
    return false;
}

/* ---- Series -------------------------------------------------------------------------------------------------------- */

static plumb_status make_series(local *l, int64_t order)
{
    clear_series(l);
    plumb_status status = mp_shape_make(l->n - l->rank, order, &l->shape);
    if (status != PLUMB_OK)
        return status;
    const int64_t count = l->shape.count;
    l->series = mp_make(l->n * count, l->bits);
    l->powers = mp_make(l->at.power_count * count, l->bits);
    l->result = mp_make(l->n * count, l->bits);
    l->room = mp_make(3 * count, l->bits);
    return l->series && l->powers && l->result && l->room ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

/* The powers of all unknowns up to a degree; a power that no term has is made, too. */
static void make_powers(local *l, int64_t degree)
{
    int64_t products = 0;
    for (int64_t i = 0; i < l->n; i++) {
        mp_complex *first = series_of(l, l->powers, l->at.first[i]);
        for (int64_t k = 0; k < l->shape.end[degree]; k++) {
            mp_set_zero(&first[k]);
            if (l->at.highest[i] > 0)
                mp_set(&first[l->shape.count + k], &l->series[i * l->shape.count + k]);
        }
        mpfr_set_ui(first[0].re, 1, MPFR_RNDN);
        for (int32_t e = 2; e <= l->at.highest[i]; e++)
            products += mp_series_mul(&l->shape, degree, first + e * l->shape.count, first + (e - 1) * l->shape.count,
                                      first + l->shape.count, l->temporary);
    }
    count_work(l, products);
}

/* result = the series of an equation up to a degree. */
static void evaluate(local *l, int64_t equation, int64_t degree, mp_complex *result)
{
    const plumb_system *s = l->system;
    const int64_t count = l->shape.end[degree];
    int64_t products = 0;
    for (int64_t k = 0; k < count; k++)
        mp_set_zero(&result[k]);
    for (int64_t t = s->equation[equation]; t < s->equation[equation + 1]; t++) {
        const system_term *term = &s->terms[t];
        mp_complex *room[2] = {series_of(l, l->room, 0), series_of(l, l->room, 1)};
        const mp_complex *product = NULL;
        for (int32_t i = 0; i < term->count; i++) {
            const system_factor *f = &s->factors[term->first + i];
            const mp_complex *power = series_of(l, l->powers, l->at.first[f->unknown] + f->exponent);
            if (product)
                products += mp_series_mul(&l->shape, degree, room[i % 2], power, product, l->temporary);
            product = product ? room[i % 2] : power;
        }
        if (!product)
            mp_add(&result[0], &result[0], &l->at.coefficient[t]);
        for (int64_t k = 0; k < count && product; k++)
            if (!mp_is_zero(&product[k])) {
                mp_add_product(&result[k], &l->at.coefficient[t], &product[k], l->temporary);
                products++;
            }
    }
    count_work(l, products);
}

/* The series of the unknowns around the point, up to the order, and those of the equations that are left, divided by their sizes. Every evaluation makes the
 * coefficients of one more degree right, because the base solves the equations. */
static bool expand(local *l)
{
    const int64_t r = l->rank, count = l->shape.count;
    for (int64_t k = 0; k < l->n * count; k++)
        mp_set_zero(&l->series[k]);
    for (int64_t i = 0; i < l->n; i++) {
        mp_set(&l->series[l->unknown[i] * count], &l->x[l->unknown[i]]);
        if (i >= r && l->shape.order > 0)
            mpfr_set_ui(l->series[l->unknown[i] * count + 1 + (i - r)].re, 1, MPFR_RNDN);
    }
    for (int64_t degree = 1; degree <= l->shape.order && r > 0 && has_work(l); degree++) {
        make_powers(l, degree);
        for (int64_t i = 0; i < r; i++)
            evaluate(l, l->equation[i], degree, series_of(l, l->result, i));
        for (int64_t i = 0; i < r; i++)
            for (int64_t j = 0; j < r; j++)
                for (int64_t k = l->shape.end[degree - 1]; k < l->shape.end[degree]; k++)
                    mp_sub_product(&l->series[l->unknown[i] * count + k], &l->inverse[i * r + j],
                                   &series_of(l, l->result, j)[k], l->temporary);
    }
    make_powers(l, l->shape.order);
    for (int64_t i = r; i < l->n && has_work(l); i++) {
        evaluate(l, l->equation[i], l->shape.order, series_of(l, l->result, i));
        scale_down(series_of(l, l->result, i), count, l->size[l->equation[i]]);
    }
    return has_work(l);
}

/* ---- Macaulay matrices --------------------------------------------------------------------------------------------- */

/* The matrix of an order: rows are the series times the monomials of lower degrees. by: -1, or the variable by which the series
 * are differentiated. */
static bool make_macaulay(const local *l, int64_t order, int64_t by, matrix *a)
{
    const mp_shape *s = &l->shape;
    const int64_t columns = s->end[order], shifts = s->end[order - 1], c = l->n - l->rank;
    if (!make_matrix(shifts * c, columns, l->bits, a))
        return false;
    for (int64_t i = 0; i < c; i++) {
        const mp_complex *g = l->result + (l->rank + i) * s->count;
        for (int64_t k = 0; k < columns; k++) {
            const int64_t from = by < 0 ? k : s->product[k * s->count + 1 + by];
            const long times = by < 0 ? 1 : s->exponents[k * s->variables + by] + 1;
            if (mp_is_zero(&g[from]))
                continue;
            for (int64_t shift = 0; shift < shifts && s->degree[k] + s->degree[shift] <= order; shift++) {
                mp_complex *entry = &a->entry[(i * shifts + shift) * columns + s->product[k * s->count + shift]];
                mpfr_mul_si(entry->re, g[from].re, times, MPFR_RNDN);
                mpfr_mul_si(entry->im, g[from].im, times, MPFR_RNDN);
            }
        }
    }
    return true;
}

/* The nullity of the matrix of an order, where what is below 2^least counts as zero; -1 without memory. */
static int64_t find_nullity(local *l, int64_t order, double least)
{
    matrix a;
    const bool good = make_macaulay(l, order, -1, &a);
    const int64_t smallest = good ? eliminate(l, &a, least, a.columns) : 0;
    if (good && a.pivots < a.rows && a.pivots < a.columns) {
        const int64_t next = bring_largest(&a, a.pivots);
        l->ignored = next > l->ignored ? next : l->ignored;
        if (a.pivots > 0 && smallest - next >= GAP && a.columns - a.pivots > 1 && l->seen_count < MOST_SEEN)
            l->seen[l->seen_count++] = (seen_rank){order, a.columns - a.pivots};
    }
    const int64_t nullity = good ? a.columns - a.pivots : -1;
    clear_matrix(&a);
    return nullity;
}

/* The order whose nullity is that of the order before, if it is the expected multiplicity, where what is below 2^least counts as zero; 0: it is
 * not. */
static int64_t find_order(local *l, double least, plumb_status *status)
{
    int64_t before = 1;
    for (int64_t order = 1; order <= l->m->multiplicity && has_work(l); order++) {
        *status = make_series(l, order);
        if (*status != PLUMB_OK || !expand(l))
            return 0;
        const int64_t now = find_nullity(l, order, least);
        if (now < 0)
            *status = PLUMB_ERR_MEMORY;
        if (now == before || now < 0 || now > l->m->multiplicity)
            return now == before && now == l->m->multiplicity && has_work(l) ? order : 0;
        before = now;
    }
    return 0;
}

/* ---- Steps --------------------------------------------------------------------------------------------------------- */

/* The null vectors of an eliminated matrix whose last columns, in their new order, are those of the unit matrix: one column each, by rows in the
 * old order of columns. */
static mp_complex *make_null(local *l, const matrix *a)
{
    const int64_t n = a->columns, r = a->pivots, m = n - r;
    mp_complex *null = mp_make(n * m, l->bits);
    int64_t products = 0;
    for (int64_t c = 0; c < m && null; c++) {
        mpfr_set_ui(null[a->column[r + c] * m + c].re, 1, MPFR_RNDN);
        for (int64_t k = r - 1; k >= 0; k--) {
            mp_complex *value = &null[a->column[k] * m + c];
            for (int64_t j = k + 1; j < n; j++)
                if (j < r || j == r + c) {
                    mp_sub_product(value, &a->entry[k * n + j], &null[a->column[j] * m + c], l->temporary);
                    products++;
                }
            mp_div(value, value, &a->entry[k * n + k], l->temporary + 1);
        }
    }
    count_work(l, products);
    return null;
}

/* The derivative of what elimination leaves, by one variable: the matrix of derivatives times the null vectors, with the same operations
 * on its rows. Rows are in the order of the eliminated matrix; only those after the pivots count. */
static mp_complex *make_slope(local *l, const matrix *a, const mp_complex *null, int64_t order, int64_t by)
{
    const int64_t n = a->columns, r = a->pivots, m = n - r;
    matrix d;
    mp_complex *slope = mp_make(a->rows * m, l->bits);
    int64_t products = 0;
    const bool good = make_macaulay(l, order, by, &d) && slope;
    for (int64_t i = 0; i < a->rows && good; i++)
        for (int64_t j = 0; j < n; j++) {
            const mp_complex *entry = &d.entry[a->row[i] * n + j];
            for (int64_t c = 0; c < m && !mp_is_zero(entry); c++, products++)
                mp_add_product(&slope[i * m + c], entry, &null[j * m + c], l->temporary);
        }
    for (int64_t k = 0; k < r && good; k++)
        for (int64_t i = k + 1; i < a->rows; i++)
            for (int64_t c = 0; c < m && !mp_is_zero(&a->entry[i * n + k]); c++, products++)
                mp_sub_product(&slope[i * m + c], &a->entry[i * n + k], &slope[k * m + c], l->temporary);
    count_work(l, products);
    clear_matrix(&d);
    if (!good)
        mp_free(slope, slope ? a->rows * m : 0);
    return good ? slope : NULL;
}

/* sum += conj(x) y */
static void add_inner(mp_complex *sum, const mp_complex *x, const mp_complex *y, mp_complex temporary[2])
{
    mp_set(&temporary[1], x);
    mpfr_neg(temporary[1].im, temporary[1].im, MPFR_RNDN);
    mp_add_product(sum, &temporary[1], y, temporary);
}

/* What a step found. */
typedef struct step {
    double move;     /* log2 of its length */
    double rest;     /* of what does not vanish after it, up to terms of second order */
    double smallest; /* of the smallest pivot */
} step;

/* Moves the variables such that the rest of an eliminated matrix vanishes, as far as it does in the sense of least squares. */
static bool solve_step(local *l, const matrix *a, mp_complex *const *slope, step *found)
{
    const int64_t c = l->n - l->rank, n = a->columns, r = a->pivots, m = n - r;
    mp_complex *square = mp_make(c * c, l->bits), *right = mp_make(c, l->bits), *rest = mp_make(1, l->bits);
    bool good = square && right && rest;
    for (int64_t i = r; i < a->rows && good; i++)
        for (int64_t j = 0; j < m; j++)
            for (int64_t v = 0; v < c; v++) {
                for (int64_t w = 0; w < c; w++)
                    add_inner(&square[v * c + w], &slope[v][i * m + j], &slope[w][i * m + j], l->temporary);
                add_inner(&right[v], &slope[v][i * m + j], &a->entry[i * n + r + j], l->temporary);
            }
    good = good && mp_solve(square, right, c, 1, l->temporary);
    found->rest = found->move = -(double)INFINITY;
    for (int64_t i = r; i < a->rows && good; i++)
        for (int64_t j = 0; j < m; j++) {
            mp_set(rest, &a->entry[i * n + r + j]);
            for (int64_t v = 0; v < c; v++)
                mp_sub_product(rest, &slope[v][i * m + j], &right[v], l->temporary);
            found->rest = fmax(found->rest, mp_log2(rest));
        }
    for (int64_t v = 0; v < c && good; v++) {
        mp_complex *x = &l->x[l->unknown[l->rank + v]];
        mp_sub(x, x, &right[v]);
        found->move = fmax(found->move, mp_log2(&right[v]));
    }
    mp_free(square, square ? c * c : 0);
    mp_free(right, right ? c : 0);
    mp_free(rest, rest ? 1 : 0);
    return good && found->move < (double)INFINITY;
}

/* One Gauss-Newton step for the point at which the matrix of this order has the expected nullity. */
static bool take_step(local *l, int64_t order, double least, step *found)
{
    const int64_t c = l->n - l->rank;
    mp_complex *slope[MOST_CORANK] = {NULL};
    matrix a = {.rows = 0};
    bool good = solve_base(l) && make_series(l, order + 1) == PLUMB_OK && expand(l) && make_macaulay(l, order, -1, &a);
    if (good)
        found->smallest = (double)eliminate(l, &a, least, a.columns - l->expected);
    good = good && a.pivots == a.columns - l->expected;
    mp_complex *null = good ? make_null(l, &a) : NULL;
    good = good && null;
    for (int64_t v = 0; v < c && good; v++) {
        slope[v] = make_slope(l, &a, null, order, v);
        good = slope[v] != NULL && has_work(l);
    }
    good = good && solve_step(l, &a, slope, found);
    mp_free(null, null ? a.columns * l->expected : 0);
    for (int64_t v = 0; v < c; v++)
        mp_free(slope[v], slope[v] ? a.rows * l->expected : 0);
    clear_matrix(&a);
    return good;
}

/* Steps until the point has all bits, where the matrix of this order and that of the next one have the expected nullity. */
static bool converge(local *l, int64_t order)
{
    double error = l->m->error, most = error + MARGIN;
    l->expected = l->m->multiplicity;
    for (int k = 0; k < MOST_STEPS; k++) {
        step now;
        const double enough = fmax((double)FIRST_BITS, 64.0 - 2.0 * error);
        const bool all = enough >= (double)l->m->bits;
        set_bits(l, all ? l->m->bits : (int64_t)enough);
        if (!take_step(l, order, (all ? -0.25 : -0.75) * (double)l->bits, &now) || now.move > most)
            return false;
        most = now.move - 1.0; /* far from the solution, steps do not double the digits yet */
        const bool close = now.move <= -0.5 * (double)l->bits;
        if (close && now.rest > -0.75 * (double)l->bits)
            return false; /* something remains */
        if (close && all)
            return find_nullity(l, order + 1, -0.25 * (double)l->bits) == l->m->multiplicity && solve_base(l);
        error = fmax(1.8 * now.move, 64.0 - (double)l->bits);
    }
    return false;
}

/* Starts at the point, which has this error (log2). */
static bool set_out(local *l, const mp_complex *start, double error)
{
    set_bits(l, (int64_t)fmax((double)FIRST_BITS, 64.0 - 2.0 * error));
    for (int64_t i = 0; i < l->n; i++)
        mp_set(&l->x[i], &start[i]);
    return find_rank(l, error) && l->rank < l->n && l->n - l->rank <= MOST_CORANK && solve_base(l);
}

/* Whether the point has the expected multiplicity if what is below 2^least counts as zero there; it moves. */
static bool try_guess(local *l, const mp_complex *start, double least, plumb_status *status)
{
    if (!set_out(l, start, l->m->error))
        return false;
    const int64_t order = find_order(l, least, status);
    return order > 1 && converge(l, order - 1);
}

/* Steps towards a point at which the matrix of an order has a nullity that was seen: where they contract, the error becomes smaller. */
static bool sharpen(local *l, const mp_complex *start, const seen_rank *seen)
{
    const double error = l->m->error;
    double before = error + MARGIN + 1.0;
    bool good = set_out(l, start, error);
    step now = {.rest = 0.0};
    l->expected = seen->nullity;
    for (int k = 0; k < MOST_SHARPENING && good && before > 4.0 * error && has_work(l); k++) {
        good = take_step(l, seen->order, -0.75 * (double)l->bits, &now) && now.move <= before - 1.0;
        before = good ? fmax(now.move, 64.0 - (double)l->bits) : before;
        if (good)
            set_bits(l, (int64_t)fmin((double)l->m->bits, fmax((double)l->bits, 64.0 - 4.0 * before)));
    }
    good = good && now.rest <= 1.5 * before + 16.0; /* of a wrong rank, something remains */
    l->m->error = good && before < error - 8.0 ? before : error;
    return l->m->error < error;
}

/* Tries what may count as zero, from more to less. */
static bool try_guesses(local *l, const mp_complex *start, plumb_status *status)
{
    const double bits = fmax((double)FIRST_BITS, 64.0 - 2.0 * l->m->error), lowest = fmax(-0.75 * bits, SMALL);
    bool found = false;
    l->ignored = 0;
    l->seen_count = 0;
    for (size_t k = 0; k < sizeof GUESSES / sizeof GUESSES[0] && !found && *status == PLUMB_OK && has_work(l); k++) {
        const double least = GUESSES[k] * l->m->error;
        if (k > 0 && !(least < (double)l->ignored && least > lowest))
            continue; /* nothing else would count as zero */
        l->ignored = INT64_MIN;
        found = try_guess(l, start, least, status);
    }
    return found;
}

/* What vanishes at the solution is small here, and so may be what does not: equations with large terms can be nearly zero all around it. Which
 * is which is guessed, and seen only after steps to a solution. If no guess is right, ranks that some order shows clearly lead nearer to it. */
static bool find_multiple(local *l, mp_complex *start, plumb_status *status)
{
    bool found = false, nearer = true;
    for (int round = 0; round < MOST_ROUNDS && !found && nearer && *status == PLUMB_OK && has_work(l); round++) {
        found = try_guesses(l, start, status);
        nearer = false;
        const bool vague = l->m->error > VAGUE;
        for (int64_t k = l->seen_count - 1; k >= 0 && vague && !found && !nearer && *status == PLUMB_OK && has_work(l);
             k--)
            nearer = sharpen(l, start, &l->seen[k]);
        mp_resize(start, l->n, l->bits);
        for (int64_t i = 0; i < l->n && nearer; i++)
            mp_set(&start[i], &l->x[i]);
    }
    return found;
}

bool mp_is_multiple(const plumb_system *square, mp_complex *x, mp_multiple *m, plumb_status *status)
{
    local l;
    const double error = m->error;
    mp_complex *start = mp_make(square->unknowns, 64 + (int64_t)fmax((double)FIRST_BITS, -error));
    bool good = make_local(square, x, m, &l) && start, found = false;
    *status = good ? PLUMB_OK : PLUMB_ERR_MEMORY;
    m->work = 0.0;
    for (int64_t i = 0; i < square->unknowns && good; i++)
        mp_set(&start[i], &x[i]);
    if (good && error <= LEAST_ERROR && m->multiplicity > 1)
        found = find_multiple(&l, start, status);
    m->error = error;
    *status = *status == PLUMB_ERR_SIZE ? PLUMB_OK : *status;
    mp_free(start, start ? square->unknowns : 0);
    clear_local(&l);
    return found;
}
