/* many_tmpl.h - the linear systems of several paths, one in each place of a lane (many.h): their combination, and the
 * elimination.
 *
 * Every operation on numbers has its counterpart in ends_tmpl.h and eliminate_tmpl.h, with the same operands in the same
 * order, so that a path has the same bits as if it were alone. */
#ifndef PLUMB_METHOD_TRACK_MANY_TMPL_H
#define PLUMB_METHOD_TRACK_MANY_TMPL_H

#include "arith/lane_any.h"
#include "arith/product.h"
#include "method/track/control.h"
#include "method/track/many.h"

#define MANY(name) REAL_JOIN(track_many_##name##_, PLUMB_PREC)

enum { MANY_NUM = 2 * PLUMB_LIMBS * LANE_WIDTH };

_Static_assert(LANE_WIDTH <= TRACK_MANY_MOST, "as many paths as a lane has places");

LANE_FN cplx MANY(get)(const double *p) { return cplx_load(p, LANE_WIDTH, LANE_WIDTH); }
LANE_FN void MANY(put)(double *p, cplx x) { cplx_store(p, LANE_WIDTH, x, LANE_WIDTH); }
LANE_FN cplx MANY(select)(lane_mask m, cplx a, cplx b)
{
    return cplx_make(real_select(m, a.re, b.re), real_select(m, a.im, b.im));
}
LANE_FN lane_mask MANY(at_most)(lane a, lane b) { return lane_mask_or(lane_lt(a, b), lane_eq(a, b)); }

/* ---- Between paths and places ---------------------------------------------------------------------------------------- */

/* Loads count consecutive numbers of each path into the places of lanes that are `step` doubles apart, or stores them. */
static void MANY(gather)(double *to, int64_t step, const double *const *from, int64_t count)
{
    for (int64_t i = 0; i < count; i += LANE_WIDTH) {
        const int some = count - i < LANE_WIDTH ? (int)(count - i) : LANE_WIDTH;
        lane a[LANE_WIDTH];
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            a[l] = lane_get(from[l] + i, some);
        lane_transpose(a);
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            if (l < some)
                lane_store(to + (i + l) * step, a[l]);
    }
}

static void MANY(scatter)(const double *from, int64_t step, double *const *to, int64_t count)
{
    for (int64_t i = 0; i < count; i += LANE_WIDTH) {
        const int some = count - i < LANE_WIDTH ? (int)(count - i) : LANE_WIDTH;
        lane a[LANE_WIDTH];
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            a[l] = lane_load(from + (i + (l < some ? l : 0)) * step);
        lane_transpose(a);
        LANE_UNROLL
        for (int l = 0; l < LANE_WIDTH; l++)
            lane_put(to[l] + i, a[l], some);
    }
}

/* The moduli of count numbers at x, to_width doubles apart. */
static void MANY(moduli)(double *to, int64_t to_width, const double *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++, x += MANY_NUM) {
        const lane re = lane_load(x), im = lane_load(x + PLUMB_LIMBS * LANE_WIDTH);
        lane_store(to + i * to_width, lane_sqrt(lane_add(lane_mul(re, re), lane_mul(im, im))));
    }
}

/* ---- Combination ----------------------------------------------------------------------------------------------------- */

/* As TRACK(shares), but for the moduli. */
typedef struct MANY(shares) {
    cplx g, f, tau;
} MANY(shares);

LANE_FN MANY(shares) MANY(shares_at)(const track_many *job)
{
    const track_settings *s = job->settings;
    const cplx gamma = cplx_make(real_set(s->gamma[0]), real_set(s->gamma[1]));
    lane part[4];
    for (int k = 0; k < 4; k++)
        part[k] = lane_load(job->tau + k * LANE_WIDTH);
    MANY(shares) of;
    of.tau = cplx_make(real_add_d(real_of(part[0]), part[1]), real_add_d(real_of(part[2]), part[3]));
    if (s->moving) {
        of.g = cplx_make(real_set(1.0), real_set(0.0));
        of.f = cplx_make(real_set(0.0), real_set(0.0));
        return of;
    }
    of.g = cplx_mul(gamma, of.tau);
    of.f = cplx_make(real_add_d(real_sub(real_set(1.0), real_of(part[0])), lane_neg(part[1])), real_neg(of.tau.im));
    return of;
}

/* As track_row_size. */
LANE_FN lane MANY(row_size)(const track_many *job, int64_t i)
{
    const track_settings *s = job->settings;
    const int64_t m = s->equations;
    const lane g = lane_load(job->share), f = lane_load(job->share + LANE_WIDTH);
    lane size = lane_load(job->size_slots + job->value_slot[i] * job->size_width);
    if (!s->moving)
        size = lane_add(lane_mul(g, size),
                        lane_mul(f, lane_load(job->size_slots + job->value_slot[m + i] * job->size_width)));
    if (job->any_unit && i == m - 1) {
        const lane one = lane_set(1.0), unit = lane_load(job->unit);
        const lane more = lane_add(size, lane_mul(lane_add(g, f), lane_sub(unit, one)));
        size = lane_select(lane_eq(unit, one), size, more);
    }
    const lane_mask first = lane_eq(lane_load(job->first), lane_set(1.0));
    return lane_select(first, size, lane_load(job->scale + i * LANE_WIDTH));
}

/* As track_level, for a square system. */
LANE_FN lane MANY(level)(lane size)
{
    const lane_mask usual = lane_mask_and(lane_lt(lane_set(0.0), size), lane_lt(size, lane_set(0x1p1000)));
    const lane_int exponent = lane_int_shr(lane_to_int(size), 52);
    lane level = lane_from_int(lane_int_shl(lane_int_sub(lane_int_set(2045), exponent), 52));
    level = lane_select(lane_lt(size, lane_set(0x1p-1001)), lane_set(0x1p1000), level);
    return lane_select(usual, level, lane_set(1.0));
}

/* Row i of the right-hand sides, and what is known about its terms; returns its level. */
typedef struct MANY(tally) {
    lane residual, backward, inverse, largest, lost;
} MANY(tally);

LANE_FN lane MANY(combine_row)(const track_many *job, const MANY(shares) * of, int64_t i, MANY(tally) * tally)
{
    const track_settings *s = job->settings;
    const int64_t m = s->equations, n = s->unknowns;
    const lane zero = lane_set(0.0), one = lane_set(1.0), least = lane_set(TRACK_LOST);
    cplx g = MANY(get)(job->slots + (int64_t)job->value_slot[i] * MANY_NUM),
         f = MANY(get)(job->slots + (int64_t)job->value_slot[m + i] * MANY_NUM);
    if (job->any_unit && i == m - 1) {
        const lane unit = lane_load(job->unit), more = lane_sub(one, unit);
        const lane_mask is_one = lane_eq(unit, one);
        g.re = real_select(is_one, g.re, real_add_d(g.re, more));
        f.re = s->moving ? f.re : real_select(is_one, f.re, real_add_d(f.re, more));
    }
    const cplx g_part = cplx_product(of->g, g), h = cplx_fma(of->f, f, g_part);
    const lane size = cplx_size(h), over = MANY(row_size)(job, i), level = MANY(level)(over);
    const lane_mask some = lane_lt(zero, over);
    lane_store(job->scale + i * LANE_WIDTH, over);
    tally->largest = lane_select(lane_lt(tally->largest, over), over, tally->largest);
    tally->lost = lane_select(MANY(at_most)(least, over), tally->lost, one);
    const lane_mask smaller = lane_mask_and(some, lane_lt(lane_mul(over, tally->inverse), one));
    const lane inverse = lane_div(one, lane_select(lane_lt(least, over), over, least));
    tally->inverse = lane_select(smaller, inverse, tally->inverse);
    tally->residual = lane_select(MANY(at_most)(size, tally->residual), tally->residual,
                                  lane_select(lane_eq(size, size), size, lane_set((double)INFINITY)));
    const lane_mask within = MANY(at_most)(size, lane_mul(tally->backward, over));
    const lane backward = lane_select(within, tally->backward, lane_div(size, over));
    tally->backward = lane_select(some, backward, tally->backward);
    cplx down = cplx_product(of->tau, f);
    down = s->moving ? cplx_neg(down) : cplx_sub(down, g_part);
    double *b = job->b + i * MANY_NUM;
    MANY(put)(b, cplx_shift(cplx_neg(h), level));
    MANY(put)(b + n * MANY_NUM, cplx_shift(down, level));
    const lane by = lane_mul(level, over);
    const lane re = lane_mul(lane_load(job->direction + i * LANE_WIDTH), by),
               im = lane_mul(lane_load(job->direction + (m + i) * LANE_WIDTH), by);
    MANY(put)(b + 2 * n * MANY_NUM, cplx_make(real_of(re), real_of(im)));
    return level;
}

LANE_FN void MANY(combine_entry)(const track_many *job, const MANY(shares) * of, cplx no_g, cplx none, int32_t g_slot,
                                 int32_t f_slot, lane level, double *to)
{
    cplx x = none;
    if (f_slot >= 0) {
        const cplx g = g_slot < 0 ? no_g : cplx_product(of->g, MANY(get)(job->slots + (int64_t)g_slot * MANY_NUM));
        x = cplx_fma(of->f, MANY(get)(job->slots + (int64_t)f_slot * MANY_NUM), g);
    } else if (g_slot >= 0) {
        const cplx g = cplx_product(of->g, MANY(get)(job->slots + (int64_t)g_slot * MANY_NUM));
        x = cplx_fma(of->f, cplx_make(real_set(0.0), real_set(0.0)), g);
    }
    MANY(put)(to, cplx_shift(x, level));
}

static void MANY(combine)(const track_many *given)
{
    const track_many value = *given, *job = &value;
    const int64_t m = job->settings->equations, n = job->settings->unknowns;
    const MANY(shares) of = MANY(shares_at)(job);
    const cplx zero = cplx_make(real_set(0.0), real_set(0.0));
    const cplx no_g = cplx_product(of.g, zero), none = cplx_fma(of.f, zero, no_g);
    MANY(tally) tally;
    tally.residual = tally.backward = tally.inverse = tally.largest = tally.lost = lane_set(0.0);
    for (int64_t i = 0; i < m; i++) {
        const lane level = MANY(combine_row)(job, &of, i, &tally);
        for (int64_t j = 0; j < n; j++)
            MANY(combine_entry)
        (job, &of, no_g, none, job->g_slot[j * m + i], job->f_slot[j * m + i], level, job->a + (j * n + i) * MANY_NUM);
    }
    lane_store(job->terms + TRACK_MANY_RESIDUAL * LANE_WIDTH, tally.residual);
    lane_store(job->terms + TRACK_MANY_BACKWARD * LANE_WIDTH, tally.backward);
    lane_store(job->terms + TRACK_MANY_INVERSE * LANE_WIDTH, tally.inverse);
    lane_store(job->terms + TRACK_MANY_LARGEST * LANE_WIDTH, tally.largest);
    lane_store(job->terms + TRACK_MANY_LOST * LANE_WIDTH, tally.lost);
}

/* ---- Elimination ----------------------------------------------------------------------------------------------------- */

/* |re| + |im| of the leading limbs. */
LANE_FN lane MANY(entry_size)(const double *x)
{
    return lane_add(lane_abs(lane_load(x)), lane_abs(lane_load(x + PLUMB_LIMBS * LANE_WIDTH)));
}

/* As TRACK(find_pivot): the row of the largest entry of a column from row k on, for each place. Returns the places that have a
 * pivot. */
LANE_FN lane_mask MANY(find_pivot)(const double *column, int64_t n, int64_t k, double dependent, lane *best)
{
    lane most = MANY(entry_size)(column + k * MANY_NUM), above = lane_set(0.0), row = lane_set((double)k);
    for (int64_t i = 0; i < k; i++) {
        const lane here = MANY(entry_size)(column + i * MANY_NUM);
        above = lane_select(lane_lt(above, here), here, above);
    }
    for (int64_t i = k + 1; i < n; i++) {
        const lane here = MANY(entry_size)(column + i * MANY_NUM);
        const lane_mask larger = lane_lt(most, here);
        row = lane_select(larger, lane_set((double)i), row);
        most = lane_select(larger, here, most);
    }
    const lane largest = lane_select(lane_lt(above, most), most, above);
    *best = row;
    return lane_mask_and(lane_lt(lane_mul(lane_set(dependent), largest), most),
                         lane_lt(most, lane_set((double)INFINITY)));
}

/* The pivots of a step: their rows, those other than row k one by one, with the places that have them; and the inverses of the
 * pivots. */
typedef struct MANY(pivot) {
    cplx inverse;
    lane_mask here[LANE_WIDTH];
    int32_t rows[LANE_WIDTH], count;
} MANY(pivot);

/* Up to 64 rows below row k are marked in one word, so that no branch depends on them. */
static void MANY(list_rows)(lane best, int64_t n, int64_t k, MANY(pivot) * pivot)
{
    double places[LANE_WIDTH];
    lane_store(places, best);
    pivot->count = 0;
    for (int64_t first = k; first < n; first += 64) {
        uint64_t marks = 0;
        for (int l = 0; l < LANE_WIDTH; l++) {
            const int64_t below = (int64_t)places[l] - first;
            marks |= below >= 0 && below < 64 ? UINT64_C(1) << below : 0;
        }
        if (first == k)
            marks &= ~UINT64_C(1);
        for (; marks != 0; marks &= marks - 1)
            pivot->rows[pivot->count++] = (int32_t)first + __builtin_ctzll(marks);
    }
    for (int r = 0; r < pivot->count; r++)
        pivot->here[r] = lane_eq(best, lane_set((double)pivot->rows[r]));
}

/* Finds the pivots of column k, exchanges its rows, and computes the inverses. Returns the places without a pivot. What follows a step
 * of the elimination does not wait for this, and here no branch depends on the pivots. */
LANE_FN unsigned MANY(take_pivot)(const track_many *job, int64_t n, int64_t k, MANY(pivot) * pivot)
{
    double *column = job->a + k * n * MANY_NUM;
    lane best;
    const unsigned has = lane_bits(MANY(find_pivot)(column, n, k, job->dependent, &best));
    for (int c = 0; c < 2 * PLUMB_LIMBS; c++) {
        double *plane = column + c * LANE_WIDTH;
        const lane old = lane_load(plane + k * MANY_NUM);
        lane fresh = old;
        for (int64_t i = k + 1; i < n; i++) {
            const lane_mask here = lane_eq(best, lane_set((double)i));
            const lane x = lane_load(plane + i * MANY_NUM);
            fresh = lane_select(here, x, fresh);
            lane_store(plane + i * MANY_NUM, lane_select(here, old, x));
        }
        lane_store(plane + k * MANY_NUM, fresh);
    }
    pivot->inverse = cplx_inv(MANY(get)(column + k * MANY_NUM));
    MANY(put)(job->inverses + k * MANY_NUM, pivot->inverse);
    MANY(list_rows)(best, n, k, pivot);
    return LANE_ALL & ~has;
}

/* Exchanges row k of another column with the rows of the pivots. */
LANE_FN void MANY(exchange)(double *column, int64_t k, const MANY(pivot) * pivot)
{
    lane old[2 * PLUMB_LIMBS], fresh[2 * PLUMB_LIMBS];
    if (pivot->count == 0)
        return;
    LANE_UNROLL
    for (int c = 0; c < 2 * PLUMB_LIMBS; c++)
        old[c] = fresh[c] = lane_load(column + k * MANY_NUM + c * LANE_WIDTH);
    for (int r = 0; r < pivot->count; r++) {
        double *row = column + pivot->rows[r] * MANY_NUM;
        LANE_UNROLL
        for (int c = 0; c < 2 * PLUMB_LIMBS; c++) {
            const lane x = lane_load(row + c * LANE_WIDTH);
            fresh[c] = lane_select(pivot->here[r], x, fresh[c]);
            lane_store(row + c * LANE_WIDTH, lane_select(pivot->here[r], old[c], x));
        }
    }
    LANE_UNROLL
    for (int c = 0; c < 2 * PLUMB_LIMBS; c++)
        lane_store(column + k * MANY_NUM + c * LANE_WIDTH, fresh[c]);
}

/* x - f by. */
LANE_FN cplx MANY(rest)(const double *x, cplx f, cplx by)
{
    return cplx_acc_value(cplx_acc_sub(cplx_acc_of(MANY(get)(x)), f, by));
}

/* Rows first .. last - 1 of a column minus a number times the factors. */
LANE_FN void MANY(subtract)(double *column, const double *factors, cplx by, int64_t first, int64_t last)
{
    for (int64_t i = first; i < last; i++)
        MANY(put)(column + i * MANY_NUM, MANY(rest)(column + i * MANY_NUM, MANY(get)(factors + i * MANY_NUM), by));
}

/* Subtracts row k times the factors from the rows below it, in a column. Where row k is zero nothing is subtracted. */
LANE_FN void MANY(subtract_row)(double *column, const double *factors, int64_t k, int64_t n)
{
    double *row = column + k * MANY_NUM;
    const lane_mask none = lane_eq(MANY(entry_size)(row), lane_set(0.0));
    const unsigned bits = lane_bits(none);
    const cplx by = MANY(get)(row);
    if (bits == 0)
        MANY(subtract)(column, factors, by, k + 1, n);
    else if (bits != LANE_ALL)
        for (int64_t i = k + 1; i < n; i++) {
            double *x = column + i * MANY_NUM;
            MANY(put)(x, MANY(select)(none, MANY(get)(x), MANY(rest)(x, MANY(get)(factors + i * MANY_NUM), by)));
        }
}

/* One step in columns first .. last - 1 of a matrix. In d the factors are loaded for two columns at a time. */
LANE_FN void MANY(step)(double *v, int64_t first, int64_t last, const double *factors, int64_t k, int64_t n,
                        const MANY(pivot) * pivot)
{
    int64_t j = first;
    for (; PLUMB_LIMBS == 1 && j + 1 < last; j += 2) {
        double *x = v + j * n * MANY_NUM, *y = x + n * MANY_NUM;
        MANY(exchange)(x, k, pivot);
        MANY(exchange)(y, k, pivot);
        const lane_mask none = lane_mask_or(lane_eq(MANY(entry_size)(x + k * MANY_NUM), lane_set(0.0)),
                                            lane_eq(MANY(entry_size)(y + k * MANY_NUM), lane_set(0.0)));
        if (lane_bits(none) != 0) {
            MANY(subtract_row)(x, factors, k, n);
            MANY(subtract_row)(y, factors, k, n);
            continue;
        }
        const cplx by_x = MANY(get)(x + k * MANY_NUM), by_y = MANY(get)(y + k * MANY_NUM);
        for (int64_t i = k + 1; i < n; i++) {
            const cplx f = MANY(get)(factors + i * MANY_NUM);
            MANY(put)(x + i * MANY_NUM, MANY(rest)(x + i * MANY_NUM, f, by_x));
            MANY(put)(y + i * MANY_NUM, MANY(rest)(y + i * MANY_NUM, f, by_y));
        }
    }
    for (; j < last; j++) {
        MANY(exchange)(v + j * n * MANY_NUM, k, pivot);
        MANY(subtract_row)(v + j * n * MANY_NUM, factors, k, n);
    }
}

/* Notes the places that have no pivot in column k. Returns whether there is none left. */
LANE_FN int MANY(note_lacks)(track_many *job, unsigned fails, int64_t k, unsigned *lacks)
{
    for (int l = 0; fails & ~*lacks && l < LANE_WIDTH; l++)
        if ((fails & ~*lacks) >> l & 1U)
            job->info[l] = k + 1;
    *lacks |= fails;
    return *lacks == LANE_ALL;
}

/* As TRACK(eliminate). The columns of b become the solutions where job->info is 0. Column k has the factors below row k. The pivots of a
 * column are found as soon as it is ready, before the step of the column before it goes on with the others. */
static void MANY(eliminate)(track_many *job)
{
    const int64_t n = job->settings->unknowns, right_sides = 3;
    double *a = job->a, *b = job->b;
    unsigned lacks = 0;
    MANY(pivot) pivot, next;
    memset(&next, 0, sizeof next); /* so that compilers see no rows without a number */
    for (int l = 0; l < LANE_WIDTH; l++)
        job->info[l] = 0;
    if (MANY(note_lacks)(job, MANY(take_pivot)(job, n, 0, &next), 0, &lacks))
        return;
    for (int64_t k = 0; k < n; k++) {
        double *column = a + k * n * MANY_NUM;
        pivot = next;
        for (int64_t i = k + 1; i < n; i++)
            MANY(put)(column + i * MANY_NUM, cplx_mul(MANY(get)(column + i * MANY_NUM), pivot.inverse));
        if (k + 1 < n) {
            MANY(step)(a, k + 1, k + 2, column, k, n, &pivot);
            if (MANY(note_lacks)(job, MANY(take_pivot)(job, n, k + 1, &next), k + 1, &lacks))
                return;
        }
        MANY(step)(a, k + 2, n, column, k, n, &pivot);
        MANY(step)(b, 0, right_sides, column, k, n, &pivot);
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const cplx inverse = MANY(get)(job->inverses + k * MANY_NUM);
        for (int64_t j = 0; j < right_sides; j++) {
            double *column = b + j * n * MANY_NUM;
            const cplx x = cplx_mul(MANY(get)(column + k * MANY_NUM), inverse);
            MANY(put)(column + k * MANY_NUM, x);
            MANY(subtract)(column, a + k * n * MANY_NUM, x, 0, k);
        }
    }
}

#endif
