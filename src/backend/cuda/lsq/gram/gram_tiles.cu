/* gram_tiles.cu - the Cholesky factor U of the Gram matrix of scaled columns in d, and systems with it; see gram.h.
 *
 * One launch computes the factor, on the tensor cores. A block has a tile of U: it sums the products of the columns of A, subtracts those
 * of the rows of U above as these become ready, and multiplies by the inverse of the conjugate transpose of the diagonal tile of its
 * row. Blocks take tiles row by row, so that a tile waits only for tiles that other blocks have already.
 *
 * In a system a block has the unknowns of one tile, and takes those of other tiles when they announce themselves. */
#include <math.h>
#include <stdio.h>

#include "backend/cuda/lsq/gram/gram.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/number.h"

enum {
    PARTS = PLUMB_PARTS,
    TILE = GRAM_TILE,
    DEPTH = GRAM_DEPTH, /* rows of two columns that are multiplied at a time */
    STAGES = 4,
    ROW = DEPTH + 4, /* of a column in a stage: threads read from different banks */
    OPERAND = PARTS * TILE * ROW,
    STAGE = 2 * OPERAND,
    WIDE = TILE + 4, /* of a column of a whole tile */
    WHOLE = PARTS * TILE * WIDE,
    FACTOR_STAGES = 3,
    FACTOR_DOUBLES = STAGES * STAGE > WHOLE + FACTOR_STAGES *OPERAND ? STAGES *STAGE : WHOLE + FACTOR_STAGES *OPERAND,
    THREADS = GRAM_THREADS,
    SIDE = TILE / 2, /* of what a warp has of a tile */
    INVERSE_ROW = TILE + 2,
    EACH = TILE / (THREADS / GPU_WARP), /* columns of a warp in a system */
    SYSTEM_DOUBLES = PARTS * TILE * INVERSE_ROW + 4 * PARTS * TILE
};
static_assert((int)THREADS == 2 * (int)TILE && (int)THREADS == 4 * (int)GPU_WARP, "a thread has half a column");

/* ---- The factor ------------------------------------------------------------------------------------------------------- */

/* What a warp has of a tile: SIDE x SIDE entries in pieces of 16 x 8. */
typedef struct tile_sums {
    double v[SIDE / 16][SIDE / 8][PARTS][4];
} tile_sums;

GPU_FN void sums_clear(tile_sums *s)
{
    LANE_UNROLL
    for (int a = 0; a < SIDE / 16; a++)
        LANE_UNROLL
    for (int b = 0; b < SIDE / 8; b++)
        LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        LANE_UNROLL
    for (int e = 0; e < 4; e++)
        s->v[a][b][p][e] = 0.0;
}

/* Row and column in the tile of number e of a piece. */
GPU_FN int sum_row(int a, int e)
{
    return gpu_thread() / GPU_WARP % 2 * SIDE + 16 * a + gpu_thread() % GPU_WARP / 4 + e / 2 * 8;
}
GPU_FN int sum_column(int b, int e)
{
    return gpu_thread() / GPU_WARP / 2 * SIDE + 8 * b + gpu_thread() % 4 * 2 + e % 2;
}

GPU_FN int32_t *flag_of(const gram_job &job, int i, int j)
{
    return job.flags + GRAM_FLAGS + (int64_t)i * job.tiles + j;
}

GPU_FN void await(const gram_job &job, int i, int j)
{
    while (gpu_flag_get(flag_of(job, i, j)) == 0)
        gpu_pause();
}

/* Begins to copy DEPTH rows, from number `row` on, of TILE columns to shared memory: row k of part p of column r goes to
 * to[(p*TILE + r)*ROW + k]. */
GPU_FN void bring(double *to, const double *from, int64_t col, int64_t plane, int64_t row)
{
    for (int e = gpu_thread(); e < PARTS * TILE * DEPTH / 2; e += THREADS) {
        const int pair = e % (DEPTH / 2), r = e / (DEPTH / 2);
        gpu_copy_16(to + r * ROW + 2 * pair, from + r / TILE * plane + r % TILE * col + row + 2 * pair);
    }
}

/* Begins to copy stage number s of tile (i, j): rows of A first, then those of U above the tile. */
GPU_FN void bring_stage(const gram_job &job, int i, int j, int s, double *shared)
{
    const int given = job.ld / DEPTH, above = s - given, a_tile = TILE / DEPTH;
    double *to = shared + s % STAGES * STAGE;
    if (above >= 0 && above % a_tile == 0) {
        await(job, above / a_tile, i);
        await(job, above / a_tile, j);
    }
    const double *from = above < 0 ? job.scaled : job.factor;
    const int64_t col = above < 0 ? job.ld : job.wide, plane = col * job.wide;
    const int64_t row = (int64_t)(above < 0 ? s : above) * DEPTH;
    bring(to, from + (int64_t)i * TILE * col, col, plane, row);
    bring(to + OPERAND, from + (int64_t)j * TILE * col, col, plane, row);
}

/* s += x^T y, where x and y have DEPTH rows; with `conjugate` x^H y, with `minus` s -= that. Row k of column r at [r*ld + k]. */
GPU_FN void multiply(tile_sums *s, const double *x, int x_ld, const double *y, int y_ld, bool conjugate, bool minus)
{
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const int sign = minus ? (int)0x80000000u : 0, other = conjugate ? 0 : (int)0x80000000u;
    x += (warp % 2 * SIDE + lane / 4) * x_ld + lane % 4;
    y += (warp / 2 * SIDE + lane / 4) * y_ld + lane % 4;
    double right[SIDE / 8][PARTS][2];
    LANE_UNROLL
    for (int b = 0; b < SIDE / 8; b++)
        LANE_UNROLL
    for (int p = 0; p < PARTS; p++) {
        right[b][p][0] = y[(p * TILE + 8 * b) * y_ld];
        right[b][p][1] = y[(p * TILE + 8 * b) * y_ld + 4];
    }
    LANE_UNROLL
    for (int a = 0; a < SIDE / 16; a++) {
        double left[PARTS][4];
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            LANE_UNROLL
        for (int e = 0; e < 4; e++)
            left[p][e] = gpu_flip(x[(p * TILE + 16 * a + e % 2 * 8) * x_ld + e / 2 * 4], p == 0 ? sign : sign ^ other);
#if PLUMB_PARTS == 2
        double back[4]; /* for imaginary parts of sums */
        LANE_UNROLL
        for (int e = 0; e < 4; e++)
            back[e] = gpu_flip(left[1][e], (int)0x80000000u);
#endif
        /* No product waits for the one before. */
        LANE_UNROLL
        for (int b = 0; b < SIDE / 8; b++) {
            gpu_multiply_add(s->v[a][b][0], left[0], right[b][0]);
            if (PARTS == 2)
                gpu_multiply_add(s->v[a][b][PARTS - 1], left[0], right[b][PARTS - 1]);
        }
#if PLUMB_PARTS == 2
        LANE_UNROLL
        for (int b = 0; b < SIDE / 8; b++) {
            gpu_multiply_add(s->v[a][b][0], left[1], right[b][1]);
            gpu_multiply_add(s->v[a][b][1], back, right[b][0]);
        }
#endif
    }
}

/* What a thread has of the diagonal tile while it is factored: every other row of a column, which is one of the tile on and above the
 * diagonal and one of the inverse of the transposed unit triangle below. */
typedef struct diagonal {
    double x[SIDE][PARTS];
    double *pivots, *rows; /* rows: the pivot row and the next one, parts of a number together */
    double least;
    int col, odd, fails;
} diagonal;

enum { CHUNK = 16 }; /* steps without another choice of rows */

/* Steps FIRST and the following ones. Rows that are not concerned subtract zeros, so that no load waits for a branch. */
template <int FIRST> GPU_FN void eliminate(diagonal *d)
{
#pragma unroll 1
    for (int k = FIRST; k < FIRST + CHUNK; k++) {
        gpu_sync();
        const double *row = d->rows + k % 2 * TILE * PARTS;
        double *next = d->rows + (k + 1) % 2 * TILE * PARTS;
        const bool good = row[k * PARTS] > d->least && row[k * PARTS] < 0x1p900;
        const double pivot = good ? row[k * PARTS] : 1.0, inverse = gpu_reciprocal_near(pivot);
        d->fails |= !good;
        double r[PARTS];
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            r[p] = lane_mul(d->col == k ? (p == 0 ? 1.0 : 0.0) : row[d->col * PARTS + p], inverse);
        if (gpu_thread() == 0)
            d->pivots[k] = pivot;
        LANE_UNROLL
        for (int q = FIRST / 2; q < SIDE; q++) {
            const int i = 2 * q + d->odd;
            const bool own = i > k && (d->col <= k || d->col >= i);
            const double *c = row + i * PARTS;
            double s[PARTS];
            LANE_UNROLL
            for (int p = 0; p < PARTS; p++)
                s[p] = own ? r[p] : 0.0;
            d->x[q][0] = lane_fnma(c[0], s[0], d->x[q][0]);
#if PLUMB_PARTS == 2
            d->x[q][1] = lane_fnma(c[0], s[1], d->x[q][1]);
            d->x[q][0] = lane_fnma(c[1], s[1], d->x[q][0]);
            d->x[q][1] = lane_fma(c[1], s[0], d->x[q][1]);
#endif
            if (i == k + 1)
                LANE_UNROLL
            for (int p = 0; p < PARTS; p++)
                next[d->col * PARTS + p] = d->x[q][p];
        }
    }
    if constexpr (FIRST + CHUNK < TILE)
        eliminate<FIRST + CHUNK>(d);
}

/* Factors the diagonal tile in shared memory, U^H U, by elimination, with roots at the end. */
GPU_FN void factor_diagonal(const gram_job &job, int tile, double *shared)
{
    const int col = gpu_thread() % TILE, odd = gpu_thread() / TILE;
    diagonal d;
    d.pivots = shared, d.rows = shared + TILE;
    d.least = (double)job.rows * 0x1p-50;
    d.col = col, d.odd = odd, d.fails = 0;
    LANE_UNROLL
    for (int q = 0; q < SIDE; q++) {
        const int row = 2 * q + odd;
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            d.x[q][p] = row > col ? 0.0 : shared[(p * TILE + col) * WIDE + row];
        if (row == col && tile * TILE + col >= job.cols) /* beyond the last column */
            d.x[q][0] = 1.0;
    }
    gpu_sync();
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (odd == 0)
            d.rows[col * PARTS + p] = d.x[0][p];
    eliminate<0>(&d);
    gpu_sync();
    if (d.fails && gpu_thread() == 0)
        gpu_raise(job.flags + GRAM_FAILED, 1);
    double *roots = d.rows;
    if (gpu_thread() < TILE) {
        const double pivot = d.pivots[gpu_thread()];
        roots[gpu_thread()] = lane_div(1.0, lane_sqrt(pivot));
        if (tile * TILE + gpu_thread() < job.cols) {
            gpu_raise(job.flags + GRAM_MOST, gpu_high_word(pivot));
            gpu_raise(job.flags + GRAM_LEAST, INT32_MAX - gpu_high_word(pivot));
        }
    }
    gpu_sync();
    double *inverse = job.inverse + (int64_t)tile * PARTS * TILE * TILE;
    LANE_UNROLL
    for (int q = 0; q < SIDE; q++) {
        const int i = 2 * q + odd;
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            inverse[(p * TILE + i) * TILE + col] = col < i              ? lane_mul(d.x[q][p], roots[i])
                                                   : col == i && p == 0 ? roots[i]
                                                                        : 0.0;
    }
    gpu_sync();
    if (gpu_thread() == 0)
        gpu_flag_set(flag_of(job, tile, tile), 1);
    double *to = job.factor + ((int64_t)tile * TILE + col) * job.wide + (int64_t)tile * TILE;
    LANE_UNROLL
    for (int q = 0; q < SIDE; q++)
        LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (2 * q + odd <= col)
            to[(int64_t)p * job.wide * job.wide + 2 * q + odd] = lane_mul(d.x[q][p], roots[2 * q + odd]);
}

/* The tile in shared memory times the inverse of the conjugate transpose of the diagonal tile of its row. */
GPU_FN void finish_tile(const gram_job &job, int i, int j, double *shared)
{
    double *stages = shared + WHOLE;
    const double *inverse = job.inverse + (int64_t)i * PARTS * TILE * TILE;
    const int warp = gpu_thread() / GPU_WARP;
    tile_sums s;
    sums_clear(&s);
    await(job, i, i);
    for (int k = 0; k < FACTOR_STAGES - 1; k++) {
        bring(stages + k * OPERAND, inverse, TILE, TILE * TILE, k * DEPTH);
        gpu_copies_commit();
    }
#pragma unroll 1
    for (int k = 0; k < TILE / DEPTH; k++) {
        gpu_copies_wait(FACTOR_STAGES - 2);
        gpu_sync();
        if (k + FACTOR_STAGES - 1 < TILE / DEPTH)
            bring(stages + (k + FACTOR_STAGES - 1) % FACTOR_STAGES * OPERAND, inverse, TILE, TILE * TILE,
                  (k + FACTOR_STAGES - 1) * DEPTH);
        gpu_copies_commit();
        if (k * DEPTH < SIDE || warp % 2 == 1) /* the inverse is a lower triangle */
            multiply(&s, stages + k % FACTOR_STAGES * OPERAND, ROW, shared + k * DEPTH, WIDE, false, false);
    }
    double *to = job.factor + (int64_t)j * TILE * job.wide + (int64_t)i * TILE;
    LANE_UNROLL
    for (int a = 0; a < SIDE / 16; a++)
        LANE_UNROLL
    for (int b = 0; b < SIDE / 8; b++)
        LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        LANE_UNROLL
    for (int e = 0; e < 4; e++)
        to[((int64_t)p * job.wide + sum_column(b, e)) * job.wide + sum_row(a, e)] = s.v[a][b][p][e];
    gpu_sync();
    if (gpu_thread() == 0)
        gpu_flag_set(flag_of(job, i, j), 1);
}

static __global__ void __launch_bounds__(THREADS, 2) NUM_NAME(gram_tiles)(const __grid_constant__ gram_job job)
{
    double *shared = gpu_shared();
    int *number = (int *)shared;
    if (gpu_thread() == 0)
        *number = gpu_fetch_add(job.flags + GRAM_NEXT_TILE, 1);
    gpu_sync();
    int i = 0, j = *number;
    gpu_sync();
    for (; j >= job.tiles - i; i++)
        j -= job.tiles - i;
    j += i;
    const int stages = (job.ld + i * TILE) / DEPTH;
    tile_sums s; /* of U^H U minus A^H A */
    sums_clear(&s);
    for (int k = 0; k < STAGES - 1; k++) {
        if (k < stages)
            bring_stage(job, i, j, k, shared);
        gpu_copies_commit();
    }
#pragma unroll 1
    for (int k = 0; k < stages; k++) {
        gpu_copies_wait(STAGES - 2);
        gpu_sync();
        const double *at = shared + k % STAGES * STAGE;
        multiply(&s, at, ROW, at + OPERAND, ROW, true, k * DEPTH < job.ld);
        if (k + STAGES - 1 < stages)
            bring_stage(job, i, j, k + STAGES - 1, shared);
        gpu_copies_commit();
    }
    gpu_sync();
    LANE_UNROLL
    for (int a = 0; a < SIDE / 16; a++)
        LANE_UNROLL
    for (int b = 0; b < SIDE / 8; b++)
        LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        LANE_UNROLL
    for (int e = 0; e < 4; e++)
        shared[(p * TILE + sum_column(b, e)) * WIDE + sum_row(a, e)] = lane_neg(s.v[a][b][p][e]);
    gpu_sync();
    if (i == j)
        factor_diagonal(job, i, shared);
    else
        finish_tile(job, i, j, shared);
}

/* ---- Systems ---------------------------------------------------------------------------------------------------------- */

/* The number of this block among those of a launch, by the order in which they begin. */
GPU_FN int take_number(int32_t *counter, double *shared)
{
    int *number = (int *)shared;
    if (gpu_thread() == 0)
        *number = gpu_fetch_add(counter, 1);
    gpu_sync();
    const int mine = *number;
    gpu_sync();
    return mine;
}

/* Begins to copy the inverse of a diagonal tile: entry (i, j) of part p to to[(p*TILE + i)*INVERSE_ROW + j]. */
GPU_FN void bring_inverse(const gram_job &job, int tile, double *to)
{
    const double *from = job.inverse + (int64_t)tile * PARTS * TILE * TILE;
    for (int e = gpu_thread(); e < PARTS * TILE * TILE; e += THREADS)
        gpu_copy(to + e / TILE * INVERSE_ROW + e % TILE, from + e);
}

/* Unknown number k, once it has announced itself; zero beyond the last one. */
GPU_FN void unknown(const gram_job &job, const double *words, int k, double *to)
{
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        to[p] = 0.0;
    if (k >= job.cols)
        return;
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        to[p] = gpu_word_peek(words + (int64_t)p * job.cols + k);
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        while (gpu_high_word(to[p]) == GPU_NOT_YET) {
            gpu_pause();
            to[p] = gpu_word_peek(words + (int64_t)p * job.cols + k);
        }
}

/* Sums of 2 WITH numbers over the lanes that differ in bits below 2 WITH. At each step a lane gives away half of the sums it has; in the end
 * it has the one with its own number. */
template <int WITH> GPU_FN void warp_fold(double *v, int lane)
{
    LANE_UNROLL
    for (int e = 0; e < WITH; e++) {
        const double first = v[e], second = v[e + WITH];
        const double give = lane & WITH ? first : second, own = lane & WITH ? second : first;
        v[e] = lane_add(own, gpu_shuffle_xor(give, WITH));
    }
    if constexpr (WITH > 1)
        warp_fold<WITH / 2>(v, lane);
}

/* U^H y = from. A lane has two rows of the columns of its warp. */
static __global__ void __launch_bounds__(THREADS) NUM_NAME(gram_down)(const __grid_constant__ gram_job job)
{
    enum { VALUES = EACH * PARTS };
    double *inverse = gpu_shared(), *side = inverse + PARTS * TILE * INVERSE_ROW;
    const int tile = take_number(job.flags + GRAM_NEXT_DOWN, side);
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const double *above = job.factor + ((int64_t)tile * TILE + warp * EACH) * job.wide + lane;
    bring_inverse(job, tile, inverse);
    double v[VALUES];
    LANE_UNROLL
    for (int e = 0; e < VALUES; e++)
        v[e] = 0.0;
#pragma unroll 1
    for (int k = 0; k < tile; k++) {
        double u[EACH][2][PARTS], y[2][PARTS];
        LANE_UNROLL
        for (int c = 0; c < EACH; c++)
            LANE_UNROLL
        for (int h = 0; h < 2; h++)
            LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            u[c][h][p] = above[((int64_t)p * job.wide + c) * job.wide + k * TILE + h * GPU_WARP];
        LANE_UNROLL
        for (int h = 0; h < 2; h++)
            unknown(job, job.marks, k * TILE + h * GPU_WARP + lane, y[h]);
        LANE_UNROLL
        for (int c = 0; c < EACH; c++)
            LANE_UNROLL
        for (int h = 0; h < 2; h++) {
            v[c * PARTS] = lane_fma(u[c][h][0], y[h][0], v[c * PARTS]);
#if PLUMB_PARTS == 2
            v[c * 2] = lane_fma(u[c][h][1], y[h][1], v[c * 2]);
            v[c * 2 + 1] = lane_fma(u[c][h][0], y[h][1], v[c * 2 + 1]);
            v[c * 2 + 1] = lane_fnma(u[c][h][1], y[h][0], v[c * 2 + 1]);
#endif
        }
        gpu_sync_warp();
    }
    LANE_UNROLL
    for (int e = 0; e < VALUES && PARTS == 1; e++)
        v[e] = lane_add(v[e], gpu_shuffle_xor(v[e], 16));
    warp_fold<VALUES / 2>(v, lane);
    if (lane < VALUES) {
        const int c = warp * EACH + lane / PARTS, p = lane % PARTS, k = tile * TILE + c;
        side[p * TILE + c] = k < job.cols ? lane_sub(job.from[(int64_t)p * job.cols + k], v[0]) : 0.0;
    }
    gpu_copies_done();
    gpu_sync();
    const int row = gpu_thread() / 2, half = gpu_thread() % 2;
    double y[2][PARTS] = {{0.0}};
    LANE_UNROLL
    for (int e = 0; e < SIDE; e++) {
        const int k = 2 * e + half;
        const double *m = inverse + row * INVERSE_ROW + k, *s = side + k;
        double *to = y[e % 2];
        to[0] = lane_fma(m[0], s[0], to[0]);
#if PLUMB_PARTS == 2
        to[0] = lane_fnma(m[TILE * INVERSE_ROW], s[TILE], to[0]);
        to[1] = lane_fma(m[0], s[TILE], to[1]);
        to[1] = lane_fma(m[TILE * INVERSE_ROW], s[0], to[1]);
#endif
    }
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++) {
        const double some = lane_add(y[0][p], y[1][p]), all = lane_add(some, gpu_shuffle_xor(some, 1));
        if (half == 0 && tile * TILE + row < job.cols)
            gpu_word_set(job.marks + (int64_t)p * job.cols + tile * TILE + row, all);
    }
}

/* U x = y. A thread has half of a row. */
static __global__ void __launch_bounds__(THREADS) NUM_NAME(gram_up)(const __grid_constant__ gram_job job)
{
    double *inverse = gpu_shared(), *side = inverse + PARTS * TILE * INVERSE_ROW;
    const int tile = job.tiles - 1 - take_number(job.flags + GRAM_NEXT_UP, side);
    const int lane = gpu_thread() % GPU_WARP, warp = gpu_thread() / GPU_WARP;
    const int row = gpu_thread() % TILE, half = gpu_thread() / TILE, own = tile * TILE + row;
    const double *right = job.factor + (int64_t)half * SIDE * job.wide + own;
    double *words = job.marks + (int64_t)PARTS * job.cols;
    double *there = side + PARTS * TILE + warp * PARTS * GPU_WARP; /* unknowns for this warp */
    double *sums = side + 3 * PARTS * TILE;                        /* of the other half */
    bring_inverse(job, tile, inverse);
    double s[2][PARTS] = {{0.0}};
#pragma unroll 1
    for (int k = job.tiles - 1; k > tile; k--) {
        double u[SIDE][PARTS], x[PARTS];
        LANE_UNROLL
        for (int e = 0; e < SIDE; e++)
            LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            u[e][p] = right[((int64_t)p * job.wide + k * TILE + e) * job.wide];
        unknown(job, words, k * TILE + half * SIDE + lane, x);
        LANE_UNROLL
        for (int p = 0; p < PARTS; p++)
            there[p * GPU_WARP + lane] = x[p];
        gpu_sync_warp();
        LANE_UNROLL
        for (int e = 0; e < SIDE; e++) {
            double *to = s[e % 2];
            to[0] = lane_fma(u[e][0], there[e], to[0]);
#if PLUMB_PARTS == 2
            to[0] = lane_fnma(u[e][1], there[GPU_WARP + e], to[0]);
            to[1] = lane_fma(u[e][0], there[GPU_WARP + e], to[1]);
            to[1] = lane_fma(u[e][1], there[e], to[1]);
#endif
        }
        gpu_sync_warp();
    }
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (half == 1)
            sums[p * TILE + row] = lane_add(s[0][p], s[1][p]);
    gpu_sync();
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (half == 0) {
            const double all = lane_add(lane_add(s[0][p], s[1][p]), sums[p * TILE + row]);
            side[p * TILE + row] = own < job.cols ? lane_sub(job.marks[(int64_t)p * job.cols + own], all) : 0.0;
        }
    gpu_copies_done();
    gpu_sync();
    double x[2][PARTS] = {{0.0}};
    LANE_UNROLL
    for (int e = 0; e < SIDE; e++) {
        const int k = half * SIDE + e;
        const double *m = inverse + k * INVERSE_ROW + row, *from = side + k;
        double *to = x[e % 2];
        to[0] = lane_fma(m[0], from[0], to[0]);
#if PLUMB_PARTS == 2
        to[0] = lane_fma(m[TILE * INVERSE_ROW], from[TILE], to[0]);
        to[1] = lane_fma(m[0], from[TILE], to[1]);
        to[1] = lane_fnma(m[TILE * INVERSE_ROW], from[0], to[1]);
#endif
    }
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (half == 1)
            sums[p * TILE + row] = lane_add(x[0][p], x[1][p]);
    gpu_sync();
    LANE_UNROLL
    for (int p = 0; p < PARTS; p++)
        if (half == 0 && own < job.cols)
            gpu_word_set(words + (int64_t)p * job.cols + own,
                         lane_add(lane_add(x[0][p], x[1][p]), sums[p * TILE + row]));
}

static plumb_status launch(const void *kernel, int64_t blocks, int doubles, const gram_job *given, void *stream,
                           char *message, size_t message_size)
{
    gram_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, doubles * 8);
    if (error == cudaSuccess)
        error = cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(THREADS), arguments, (size_t)doubles * 8,
                                 (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a Cholesky factor failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_tiles)(const gram_job *job, void *stream, char *message, size_t size)
{
    return launch((const void *)NUM_NAME(gram_tiles), (int64_t)job->tiles * (job->tiles + 1) / 2, FACTOR_DOUBLES, job,
                  stream, message, size);
}

/* marks = (U^H U)^-1 from, behind the solution of the first of the two systems. */
extern "C" plumb_status NUM_NAME(plumb_cuda_gram_systems)(const gram_job *job, void *stream, char *message, size_t size)
{
    plumb_status status =
        launch((const void *)NUM_NAME(gram_down), job->tiles, SYSTEM_DOUBLES, job, stream, message, size);
    return status == PLUMB_OK
               ? launch((const void *)NUM_NAME(gram_up), job->tiles, SYSTEM_DOUBLES, job, stream, message, size)
               : status;
}
