/* eliminate_tmpl.h - the linear system of a tick, where it is square, by Gaussian elimination with partial pivoting on one
 * thread: a third of the operations of least squares.
 *
 * The rows of the matrix have about the same size (track_level), and scaling a column changes neither the pivots nor the
 * relative errors, so no scaling is needed. Everything is done in place and by columns, with lanes across the rows: the
 * multipliers of rows that are finished are zero, and so is a finished column from its diagonal on, so that whole lanes can be
 * used. The elimination of least squares (method/lsq/lu_tmpl.h) works by rows; on these small systems it was about as fast in qd, and
 * slower in d. Columns begin at multiples of TRACK_ROWS_ALIGNED, and what lies behind their last rows is zero and remains so. */
#ifndef PLUMB_METHOD_TRACK_ELIMINATE_TMPL_H
#define PLUMB_METHOD_TRACK_ELIMINATE_TMPL_H

_Static_assert(TRACK_ROWS_ALIGNED % LANE_WIDTH == 0, "columns consist of whole lanes");

/* |re| + |im| of the leading limbs of an entry. */
LANE_FN double TRACK(entry_size)(track_view v, int64_t column, int64_t i)
{
    const track_c x = TRACK(entry)(v, column, i);
    return fabs(x.re) + fabs(x.im);
}

/* The row of the largest entry of column k from row k on, the first of equals; and the size of the largest entry of the whole
 * column. */
LANE_FN int64_t TRACK(find_pivot)(track_view a, int64_t n, int64_t k, double *size, double *largest)
{
    int64_t best = k;
    double most = TRACK(entry_size)(a, k, k), above = 0.0;
    for (int64_t i = 0; i < k; i++) {
        const double here = TRACK(entry_size)(a, k, i);
        above = here > above ? here : above;
    }
    for (int64_t i = k + 1; i < n; i++) {
        const double here = TRACK(entry_size)(a, k, i);
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    *size = most;
    *largest = most > above ? most : above;
    return best;
}

/* Exchanges rows i and k of columns from, ..., to - 1. */
LANE_FN void TRACK(exchange)(track_view v, int64_t from, int64_t to, int64_t i, int64_t k)
{
    for (int64_t j = from; j < to && i != k; j++) {
        double *column = v.p + j * v.col;
        for (int32_t c = 0; c < 2 * PLUMB_LIMBS; c++, column += v.plane) {
            const double t = column[i];
            column[i] = column[k];
            column[k] = t;
        }
    }
}

/* One lane of rows minus factors times a number. */
LANE_FN void TRACK(subtract)(double *rows, int64_t plane, const double *factor, int64_t factor_plane, cplx by)
{
    const cplx_acc rest =
        cplx_acc_sub(cplx_acc_of(cplx_load(rows, plane, LANE_WIDTH)), cplx_load(factor, factor_plane, LANE_WIDTH), by);
    cplx_store(rows, plane, cplx_acc_value(rest), LANE_WIDTH);
}

/* The rows of a column from `first` on, but before `last`, minus a number times the factors, by whole lanes. */
LANE_FN void TRACK(subtract_column)(double *column, int64_t plane, const double *factor, int64_t factor_plane, cplx by,
                                    int64_t first, int64_t last)
{
    int64_t i = first / LANE_WIDTH * LANE_WIDTH;
    for (; i + LANE_WIDTH < last; i += 2 * LANE_WIDTH) {
        TRACK(subtract)(column + i, plane, factor + i, factor_plane, by);
        TRACK(subtract)(column + i + LANE_WIDTH, plane, factor + i + LANE_WIDTH, factor_plane, by);
    }
    if (i < last)
        TRACK(subtract)(column + i, plane, factor + i, factor_plane, by);
}

/* Subtracts row k times the column of factors from the rows below it, in columns from, ..., to - 1. Jacobians are sparse: often
 * there is nothing to subtract. */
LANE_FN void TRACK(subtract_row)(track_view v, int64_t from, int64_t to, int64_t k, int64_t n, track_view factors)
{
    for (int64_t j = from; j < to; j++) {
        double *column = v.p + j * v.col;
        if (TRACK(entry_size)(v, j, k) == 0.0)
            continue;
        const cplx by = cplx_spread(column + k, v.plane);
        TRACK(subtract_column)(column, v.plane, factors.p, factors.plane, by, k + 1, n);
    }
}

/* Ones at the places of a lane that belong to rows below row k (above it), zeros at the others; first is the row of the first
 * place, and row k belongs to the lane. */
static const double TRACK(steps)[3 * LANE_WIDTH] = {[LANE_WIDTH... 2 * LANE_WIDTH - 1] = 1.0};
LANE_FN lane TRACK(rows_below)(int64_t first, int64_t k)
{
    return lane_load(TRACK(steps) + LANE_WIDTH - 1 - (k - first));
}
LANE_FN lane TRACK(rows_above)(int64_t first, int64_t k)
{
    return lane_load(TRACK(steps) + 2 * LANE_WIDTH - (k - first));
}

/* Computes the factors w_ik / w_kk of the rows below row k; those of the others are zero, and column k becomes zero from row k
 * on. Returns 1 / w_kk. */
LANE_FN cplx TRACK(take_factors)(track_view a, int64_t n, int64_t k, track_view factors)
{
    double *column = a.p + k * a.col;
    const cplx inverse = cplx_inv(cplx_spread(column + k, a.plane)), zero = cplx_make(real_set(0.0), real_set(0.0));
    int64_t i = k / LANE_WIDTH * LANE_WIDTH;
    const cplx w = cplx_load(column + i, a.plane, LANE_WIDTH);
    cplx_store(factors.p + i, factors.plane, cplx_shift(cplx_mul(w, inverse), TRACK(rows_below)(i, k)), LANE_WIDTH);
    cplx_store(column + i, a.plane, cplx_shift(w, TRACK(rows_above)(i, k)), LANE_WIDTH);
    for (i += LANE_WIDTH; i < n; i += LANE_WIDTH) {
        cplx_store(factors.p + i, factors.plane, cplx_mul(cplx_load(column + i, a.plane, LANE_WIDTH), inverse),
                   LANE_WIDTH);
        cplx_store(column + i, a.plane, zero, LANE_WIDTH);
    }
    return inverse;
}

/* Replaces the columns of b by the solutions of A x = b; A is lost. factors is memory for two columns. dependent is the share of
 * the largest entry of a column of U up to which there is no pivot in it. Returns 0, or the number of a column without a pivot,
 * counted from 1.
 *
 * Processors wait when they load a lane of which a part has just been stored. So rows are exchanged in all columns before the
 * first of them is loaded, and unknowns are stored all at once in the end: until then, row k of b is x_k w_kk. */
TRACK_PART int64_t TRACK(eliminate)(track_view a, track_view b, int64_t n, int64_t right_sides, double dependent,
                                    track_view factors)
{
    double *inverses = factors.p + factors.col;
    for (int64_t k = 0; k < n; k++) {
        double size, largest;
        const int64_t best = TRACK(find_pivot)(a, n, k, &size, &largest);
        if (!(size > dependent * largest && size < (double)INFINITY))
            return k + 1;
        TRACK(exchange)(a, k, n, best, k);
        TRACK(exchange)(b, 0, right_sides, best, k);
        const cplx inverse = TRACK(take_factors)(a, n, k, factors);
        cplx_store(inverses + k, factors.plane, inverse, 1);
        TRACK(subtract_row)(a, k + 1, n, k, n, factors);
        TRACK(subtract_row)(b, 0, right_sides, k, n, factors);
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const cplx inverse = cplx_spread(inverses + k, factors.plane);
        for (int64_t j = 0; j < right_sides; j++) {
            double *column = b.p + j * b.col;
            const cplx x = cplx_mul(cplx_spread(column + k, b.plane), inverse);
            TRACK(subtract_column)(column, b.plane, a.p + k * a.col, a.plane, x, 0, k);
        }
    }
    for (int64_t j = 0; j < right_sides; j++)
        for (int64_t i = 0; i < n; i += LANE_WIDTH) {
            double *rows = b.p + j * b.col + i;
            const cplx inverse = cplx_load(inverses + i, factors.plane, LANE_WIDTH);
            cplx_store(rows, b.plane, cplx_mul(cplx_load(rows, b.plane, LANE_WIDTH), inverse), LANE_WIDTH);
        }
    return 0;
}

#endif
