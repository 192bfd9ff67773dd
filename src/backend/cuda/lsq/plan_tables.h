/* plan_tables.h - the tables that plan.c reads: data only, included there alone.
 *
 * A problem gets the first line that matches it and whose kernel has room. Lines for one system, where latency counts, come before
 * those for any number of systems, where throughput counts. The first columns are conditions:
 *
 *   precision, kind   of the problem; registers and panels are for complex numbers only
 *   systems           ONE; FEW: fewer than half the multiprocessors; ANY; MANY(k): at least k per multiprocessor;
 *                     ROUNDS(k): at most k times as many as clusters of this size run at a time
 *   rows, columns     maximum numbers of rows, of columns of A; 0: as many as the kernel takes
 *
 * and the others say what is launched, see mgs_kernel and mgs_plan. */

/* clang-format off */

/*                precision systems rows | threads per column, rows and columns per thread, pivots per step | blocks, turn */
#define REGISTERS(p, systems, rows, team, share, columns, together, blocks, turn) \
    {p, PLUMB_COMPLEX, systems, rows, 0, 0, -1, 0, MGS_REGISTERS, team, share, columns, together, blocks, turn, 0}
/* The same for at least this many columns of A, and also for exactly one right-hand side, where x is found along with the columns. */
#define AT_LEAST(p, systems, rows, cols, team, share, columns, together, blocks, turn) \
    {p, PLUMB_COMPLEX, systems, rows, cols, 0, -1, 0, MGS_REGISTERS, team, share, columns, together, blocks, turn, 0}
#define ONE_SIDE(p, systems, rows, cols, team, share, columns, together, blocks, turn) \
    {p, PLUMB_COMPLEX, systems, rows, cols, 0, MGS_SINGLE, 0, MGS_REGISTERS, team, share, columns, together, blocks, turn, 0}
/* Right-hand sides beside the columns: faster for a few of them only, and if there are enough columns of A. */
/*                precision systems rows, minimum number of columns, maximum of right-hand sides | threads per column,
 *                rows and columns per thread, turn */
#define BESIDE(p, systems, rows, cols, rhs, team, share, columns, turn) \
    {p, PLUMB_COMPLEX, systems, rows, cols, 0, rhs, 0, MGS_REGISTERS, team, share, columns, 1, 1, turn, 0}
/*                precision kind systems columns | threads per column, blocks, threads per block */
#define SMALL(p, kind, systems, cols, team, blocks, threads) \
    {p, kind, systems, 0, 0, cols, -1, 0, MGS_SMALL, team, 0, 0, 0, blocks, 0, threads}
/*                precision systems rows | warps per column, rows per thread, columns per block */
#define PANEL(p, systems, rows, warps, share, columns) \
    {p, PLUMB_COMPLEX, systems, rows, 0, 0, -1, 0, MGS_PANEL, 32 * (warps), share, columns, 0, 0, 0, 0}
/* In quad double the columns of a panel should have a multiprocessor of their own; where a thread has two parts of a row, two
 * columns per multiprocessor are still faster than other kernels. With one part and one right-hand side, or none, x comes
 * along. */
#define PANEL_QUAD_LINE(rows, rhs, warps, held) \
    {PLUMB_QD, PLUMB_COMPLEX, MGS_ANY, rows, 0, 0, rhs, held, MGS_PANEL, 32 * (warps), held, 1, 0, 0, 0, 0}
/*                precision kind | minimum number of columns */
#define LARGE(p, kind, cols) {p, kind, MGS_ANY, 0, cols, 0, -1, 0, MGS_LARGE, 0, 0, 0, 0, MGS_MOST, 0, 0}
#define FLOW(p, kind, systems) {p, kind, systems, 0, 0, 0, -1, 0, MGS_FLOW, 0, 0, 0, 0, 0, 0, 0}
#define COLUMNS(p, kind) {p, kind, MGS_ANY, 0, 0, 0, -1, 0, MGS_COLUMNS, 0, 0, 0, 0, 0, 0, 0}

/* What remains when no line before takes a problem. */
#define REST(p, kind) FLOW(p, kind, MGS_ANY), COLUMNS(p, kind)

/* From how many columns on large was faster than flow. */
#define LARGE_LINES(kind) LARGE(PLUMB_D, kind, 512), LARGE(PLUMB_DD, kind, 768), LARGE(PLUMB_QD, kind, 448)

/* Compute capability 9.0, measured on an H200 (bench/results/h200-families.json). */
static const mgs_choice table_90[] = {
    REGISTERS(PLUMB_D,  MGS_FEW,       16,      4, 4, 1, 2,  1, 1),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 20, 17, 16, 2, 1, 2,  5, 2),
    AT_LEAST( PLUMB_D,  MGS_ROUNDS(1), 32, 17, 16, 2, 1, 2,  8, 4),
    REGISTERS(PLUMB_D,  MGS_ROUNDS(1), 32,     16, 2, 1, 2,  4, 4),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 40,  0, 16, 3, 1, 2,  8, 4),
    ONE_SIDE( PLUMB_D,  MGS_ONE,       48,  0, 16, 3, 1, 2,  9, 3),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 48,  0, 16, 3, 1, 2,  8, 4),
    REGISTERS(PLUMB_D,  MGS_ROUNDS(1), 48,     16, 3, 1, 2,  8, 3),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 64,  0, 16, 4, 1, 2,  8, 4),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 48,  0, 16, 4, 1, 2,  4, 4),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1), 64,  0, 16, 5, 1, 2,  4, 2),
    ONE_SIDE( PLUMB_D,  MGS_ONE,       80,  0, 16, 5, 1, 2, 11, 4),
    REGISTERS(PLUMB_D,  MGS_ROUNDS(1), 80,     16, 5, 1, 2,  8, 4),
    ONE_SIDE( PLUMB_D,  MGS_ONE,       96,  0, 16, 6, 1, 2, 13, 4),
    REGISTERS(PLUMB_D,  MGS_ROUNDS(1), 96,     16, 6, 1, 2,  8, 4),
    ONE_SIDE( PLUMB_D,  MGS_ONE,      128,  0, 16, 8, 1, 2, 16, 4),
    ONE_SIDE( PLUMB_D,  MGS_ROUNDS(1),128,  0, 16, 8, 1, 2,  9, 4),
    BESIDE(PLUMB_D,  MGS_MANY(6), 16,  0, 1,  4, 4, 2, 1),
    BESIDE(PLUMB_D,  MGS_MANY(3), 24, 17, 3,  4, 6, 3, 1),
    BESIDE(PLUMB_D,  MGS_MANY(3), 32, 17, 3,  4, 8, 4, 1),
    BESIDE(PLUMB_D,  MGS_MANY(3), 48, 25, 3,  8, 6, 3, 8),
    BESIDE(PLUMB_D,  MGS_MANY(3), 64, 25, 1,  8, 8, 4, 8),
    REGISTERS(PLUMB_D,  MGS_ANY,  16,  4, 4, 1, 2,  1, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  24,  8, 4, 2, 1,  1, 4),
    REGISTERS(PLUMB_D,  MGS_ANY,  32,  8, 4, 2, 1,  1, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  64,  8, 8, 2, 1,  1, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  80, 16, 5, 1, 2,  4, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  96, 16, 6, 1, 2,  5, 2),
    REGISTERS(PLUMB_D,  MGS_ANY, 128, 16, 8, 1, 2,  8, 4),
    PANEL(PLUMB_D,  MGS_ANY,  256, 2, 4, 4),
    PANEL(PLUMB_D,  MGS_ANY,  512, 4, 4, 3),
    PANEL(PLUMB_D,  MGS_ANY, 1024, 4, 8, 3),

    REGISTERS(PLUMB_DD, MGS_ROUNDS(1), 16,     16, 1, 1, 1,  5, 4),
    REGISTERS(PLUMB_DD, MGS_ONE,       32,     16, 2, 1, 1,  9, 4),
    REGISTERS(PLUMB_DD, MGS_ROUNDS(1), 32,     16, 2, 1, 1,  8, 4),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(1), 32, 17, 16, 2, 1, 1,  4, 4),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(1), 24, 17, 16, 2, 1, 1,  2, 2),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(2), 32, 17, 16, 2, 1, 1,  4, 4),
    REGISTERS(PLUMB_DD, MGS_ONE,       48,     16, 3, 1, 1, 14, 4),
    REGISTERS(PLUMB_DD, MGS_ROUNDS(1), 48,     16, 3, 1, 1,  8, 4),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(2), 48, 33, 16, 3, 1, 1,  4, 2),
    REGISTERS(PLUMB_DD, MGS_ONE,       64,     16, 4, 1, 1, 16, 1),
    REGISTERS(PLUMB_DD, MGS_ROUNDS(1), 64,     16, 4, 1, 1,  8, 4),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(2), 64, 49, 16, 4, 1, 1,  8, 4),
    AT_LEAST( PLUMB_DD, MGS_ROUNDS(4), 64, 49, 16, 4, 1, 1,  5, 2),
    BESIDE(PLUMB_DD, MGS_MANY(3), 16, 12, 1,  4, 4, 2, 1),
    REGISTERS(PLUMB_DD, MGS_ANY,  16,  8, 2, 1, 1,  1, 1),
    BESIDE(PLUMB_DD, MGS_MANY(3), 24, 17, 3,  8, 4, 2, 1),
    BESIDE(PLUMB_DD, MGS_ANY,     24, 17, 1,  8, 4, 2, 3),
    BESIDE(PLUMB_DD, MGS_ANY,     32, 17, 1,  8, 4, 2, 8),
    REGISTERS(PLUMB_DD, MGS_ANY,  32,  8, 4, 1, 1,  1, 1),
    BESIDE(PLUMB_DD, MGS_ANY,     48, 25, 8,  8, 6, 2, 8),
    BESIDE(PLUMB_DD, MGS_ANY,     64, 25, 8,  8, 8, 2, 8),
    PANEL(PLUMB_DD, MGS_FEW,  128, 2, 2, 2),
    PANEL(PLUMB_DD, MGS_FEW,  256, 4, 2, 2),
    SMALL(PLUMB_DD, PLUMB_COMPLEX, MGS_ANY,   0,  8,         1, 512),
    PANEL(PLUMB_DD, MGS_ANY,  128, 2, 2, 2),
    PANEL(PLUMB_DD, MGS_ANY,  256, 4, 2, 2),

    PANEL_QUAD_LINE( 48,  1, 3, 1),
    PANEL_QUAD_LINE( 64,  1, 4, 1),
    PANEL_QUAD_LINE( 80,  1, 5, 1),
    PANEL_QUAD_LINE(128,  1, 8, 1),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ROUNDS(1), 16, 64,    8, 256),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ONE,  48, 64,        16, 256),
    PANEL_QUAD_LINE( 64, -1, 4, 1),
    PANEL_QUAD_LINE( 80, -1, 5, 1),
    PANEL_QUAD_LINE(128, -1, 8, 1),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ROUNDS(2), 80, 64,    8, 256),
    PANEL_QUAD_LINE(256, -1, 8, 2),

    LARGE_LINES(PLUMB_COMPLEX),
    FLOW(PLUMB_QD, PLUMB_COMPLEX, MGS_ONE),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_MANY(3), 16, 32,      1, 128),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ANY,   0, 32,         1, 256),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ANY,   0, 64, MGS_LEAST, 256),
    REST(PLUMB_D, PLUMB_COMPLEX),
    REST(PLUMB_DD, PLUMB_COMPLEX),
    REST(PLUMB_QD, PLUMB_COMPLEX),

    LARGE_LINES(PLUMB_REAL),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_MANY(3),    48,  8,   1, 128),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_MANY(3),    80,  8,   1, 256),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ANY,        32,  8,   1, 384),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ROUNDS(1),  96, 32,   4, 512),
    FLOW(PLUMB_D,   PLUMB_REAL,    MGS_ONE),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ROUNDS(2), 160, 32,   8, 512),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ANY,         0,  8,   1, 512),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ANY,         0, 32, MGS_LEAST, 256),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_MANY(3),    48,  8,   1, 128),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_MANY(3),    80,  8,   1, 256),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ROUNDS(1),  48, 32,   4, 384),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ANY,        32,  8,   1, 384),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ROUNDS(2),  64, 32,   8, 384),
    FLOW(PLUMB_DD,  PLUMB_REAL,    MGS_ONE),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ROUNDS(2), 128, 32,   8, 512),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ANY,         0,  8,   1, 512),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ANY,         0, 32, MGS_LEAST, 256),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_ROUNDS(2),  64, 32,   8, 256),
    FLOW(PLUMB_QD,  PLUMB_REAL,    MGS_ONE),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_ROUNDS(2), 128, 32,   8, 256),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_MANY(3),    48,  8,   1, 128),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_ANY,         0,  8,   1, 256),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_ANY,         0, 32, MGS_LEAST, 256),
    REST(PLUMB_D, PLUMB_REAL),
    REST(PLUMB_DD, PLUMB_REAL),
    REST(PLUMB_QD, PLUMB_REAL),
};

/* Any other GPU: not measured. Clusters are as large as the device can run for all systems at a time. */
static const mgs_choice table_any[] = {
    REGISTERS(PLUMB_D,  MGS_ANY,  16,  4, 4, 1, 2,  1, 1),
    REGISTERS(PLUMB_D,  MGS_FEW,  32, 16, 2, 1, 2, MGS_MOST, 4),
    ONE_SIDE(PLUMB_D,   MGS_FEW,  64,  0, 16, 4, 1, 2, MGS_MOST, 4),
    REGISTERS(PLUMB_D,  MGS_FEW,  80, 16, 5, 1, 2, MGS_MOST, 4),
    REGISTERS(PLUMB_D,  MGS_FEW, 128, 16, 8, 1, 2, MGS_MOST, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  32,  8, 4, 2, 1,  1, 1),
    REGISTERS(PLUMB_D,  MGS_ANY,  64,  8, 8, 2, 1,  1, 1),
    PANEL(PLUMB_D,  MGS_ANY,  256, 2, 4, 4),
    PANEL(PLUMB_D,  MGS_ANY,  512, 4, 4, 3),
    PANEL(PLUMB_D,  MGS_ANY, 1024, 4, 8, 3),

    REGISTERS(PLUMB_DD, MGS_FEW,  32, 16, 2, 1, 1, MGS_MOST, 4),
    REGISTERS(PLUMB_DD, MGS_FEW,  64, 16, 4, 1, 1, MGS_MOST, 1),
    PANEL(PLUMB_DD, MGS_FEW,  128, 2, 2, 2),
    PANEL(PLUMB_DD, MGS_FEW,  256, 4, 2, 2),
    REGISTERS(PLUMB_DD, MGS_ANY,  16,  8, 2, 1, 1,  1, 1),
    REGISTERS(PLUMB_DD, MGS_ANY,  32,  8, 4, 1, 1,  1, 1),
    SMALL(PLUMB_DD, PLUMB_COMPLEX, MGS_ANY,   0,  8,         1, 256),
    PANEL(PLUMB_DD, MGS_ANY,  128, 2, 2, 2),
    PANEL(PLUMB_DD, MGS_ANY,  256, 4, 2, 2),

    PANEL_QUAD_LINE( 48,  1, 3, 1),
    PANEL_QUAD_LINE(128,  1, 8, 1),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_FEW,  64, 64, MGS_MOST,  256),
    LARGE_LINES(PLUMB_COMPLEX),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ANY,  16, 32,         1, 128),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ANY,   0, 32,         1, 256),
    SMALL(PLUMB_QD, PLUMB_COMPLEX, MGS_ANY,   0, 64, MGS_LEAST, 256),
    REST(PLUMB_D, PLUMB_COMPLEX),
    REST(PLUMB_DD, PLUMB_COMPLEX),
    REST(PLUMB_QD, PLUMB_COMPLEX),

    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_FEW,  96, 32, MGS_MOST,  256),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_FEW,  96, 32, MGS_MOST,  256),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_FEW,  64, 32, MGS_MOST,  256),
    LARGE_LINES(PLUMB_REAL),
    SMALL(PLUMB_D,  PLUMB_REAL,    MGS_ANY,   0,  8,         1, 128),
    SMALL(PLUMB_DD, PLUMB_REAL,    MGS_ANY,   0,  8,         1, 128),
    SMALL(PLUMB_QD, PLUMB_REAL,    MGS_ANY,   0,  8,         1, 128),
    REST(PLUMB_D, PLUMB_REAL),
    REST(PLUMB_DD, PLUMB_REAL),
    REST(PLUMB_QD, PLUMB_REAL),
};

/* clang-format on */

#undef REGISTERS
#undef AT_LEAST
#undef ONE_SIDE
#undef BESIDE
#undef SMALL
#undef PANEL
#undef PANEL_QUAD_LINE
#undef LARGE
#undef FLOW
#undef COLUMNS
#undef REST
#undef LARGE_LINES
