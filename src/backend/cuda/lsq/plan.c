/* plan.c - which kernels take a shape: see mgs_plan.h. The sizes that follow from measurements are in docs/performance.md. */
#include "backend/cuda/lsq/plan.h"

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/large/large.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/registers/registers.h"
#include "backend/cuda/lsq/small/small.h"
#include "plumb.h"

enum { FLOW_THREADS = 256, WARP = 32 };

int plumb_mgs_small_has(const mgs_plan *plan, int32_t prec, int32_t parts)
{
#define HAS(t, s, c) || (plan->team == (t) && ((s) == 0 || plan->share == (s)) && (plan->cluster > 1) == (c))
    if (parts == 1)
        return 0 SMALL_KERNELS_REAL(HAS);
    return prec == PLUMB_D    ? 0 SMALL_KERNELS_1(HAS)
           : prec == PLUMB_DD ? 0 SMALL_KERNELS_2(HAS)
                              : 0 SMALL_KERNELS_4(HAS);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

mgs_plan plumb_mgs_small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                              int64_t all, int32_t cluster, int32_t team, int32_t threads)
{
    mgs_plan plan = {.regime = MGS_AUTO, .cluster = cluster, .team = team, .threads = threads, .solves = 1};
    if (cluster < 1 || team < 1)
        return plan;
    if (limits->capability < 90 || cluster > limits->cluster || threads > SMALL_THREADS(prec) || threads % team != 0 ||
        team % 8 != 0 || (team > WARP && (team % WARP != 0 || threads / team > 15)) || cols * parts > threads ||
        rows > 4096 || all > 4096 || (cluster > 1 && team < WARP))
        return plan;
    plan.share = (int32_t)((rows * parts + team - 1) / team);
    const int64_t locals = (all + cluster - 1) / cluster, warps = team > WARP ? team / WARP : 1;
    const int64_t step = SMALL_COLUMN_STEP(prec, team, plan.share);
    const int64_t own = (locals + (team < WARP ? WARP / team - 1 : 0)) * step + locals + 1 +
                        (team > WARP ? threads / team * 2 * warps * SMALL_EXCHANGE(parts, prec) : 0) + 4;
    const int64_t origin = team * plan.share * prec,
                  origins = locals * (origin + 2 * parts * prec) + (all - cols) * cols * parts * prec;
    int64_t room = limits->shared / 8 - own, slot = cluster > 1 ? step + 2 : 2;
    int64_t slots = cols;
    if (cluster > 1) {
        const int64_t wanted = least(cluster + 2, cols < 3 ? 3 : cols);
        plan.along = prec == PLUMB_QD && room - origins >= (wanted < 8 ? wanted : 8) * (slot + origin + 1);
        if (plan.along)
            room -= origins, slot += origin + 1;
        slots = least(wanted, room > 0 ? room / slot : 0);
    }
    if (room < slots * slot || (cluster > 1 && slots < 3))
        return plan;
    int64_t kept = SMALL_COEFFICIENTS(cols, all) * parts * prec, back = cols * parts * prec + 2;
    plan.slots = (int32_t)slots;
    plan.keep = prec < 4 && cols <= 4 * WARP && room - slots * slot >= kept && own >= back;
    int64_t used = own + slots * slot + (plan.keep ? kept : 0) + (plan.along ? origins : 0);
    plan.shared = (size_t)(used > back ? used : back) * 8;
    plan.regime = MGS_SMALL;
    return plan;
}

typedef struct block_kernel {
    int32_t lanes, rows, columns, threads, clusters, together;
} block_kernel;

static const block_kernel *block_kernels(int32_t prec, int32_t *count)
{
#define KERNEL(lanes, rows, columns, threads, cluster, together) {lanes, rows, columns, threads, cluster, together},
    static const block_kernel d[] = {REGISTERS_KERNELS_1(KERNEL)}, dd[] = {REGISTERS_KERNELS_2(KERNEL)};
    *count = prec == PLUMB_D    ? (int32_t)(sizeof d / sizeof d[0])
             : prec == PLUMB_DD ? (int32_t)(sizeof dd / sizeof dd[0])
                                : 0;
    return prec == PLUMB_D ? d : dd;
}

mgs_plan plumb_mgs_block_plan(const mgs_limits *limits, int32_t prec, int64_t rows, int64_t cols, int64_t all,
                              int32_t index, int32_t cluster, int32_t turn)
{
    int32_t count;
    const block_kernel *kernels = block_kernels(prec, &count);
    mgs_plan plan = {.regime = MGS_AUTO, .cluster = cluster, .turn = turn, .solves = 1};
    if (index >= count)
        return plan;
    const block_kernel k = kernels[index];
    plan.team = k.lanes, plan.share = k.rows, plan.columns = k.columns, plan.threads = k.threads;
    plan.together = k.together;
    if (limits->capability < (k.clusters ? 90 : 80) || (cluster > 1) != k.clusters || cluster > limits->cluster ||
        rows > k.lanes * k.rows || all > 4096)
        return plan;
    const int64_t a_warp = REGISTERS_A_WARP(k.lanes, k.columns), enough = (all + a_warp - 1) / a_warp;
    if (cluster == 1 && turn > enough)
        plan.turn = turn = (int32_t)enough;
    const int64_t a_turn = a_warp * turn, turns = (all + a_turn * cluster - 1) / (a_turn * cluster),
                  warps = turns * turn + k.clusters;
    const int64_t step = REGISTERS_STEP(prec, k.lanes, k.rows),
                  most = ((cols > warps ? cols : warps) + k.together - 1) / k.together * k.together,
                  room = limits->shared / 8 - REGISTERS_REST(prec, cols, all, most);
    if (warps * WARP > k.threads || room < warps * step)
        return plan;
    plan.threads = (int32_t)warps * WARP;
    plan.slots = (int32_t)least(most, room / step / k.together * k.together);
    plan.shared = (size_t)(plan.slots * step + REGISTERS_REST(prec, cols, all, plan.slots)) * 8;
    plan.early = limits->capability >= 90;
    plan.regime = MGS_BLOCK;
    return plan;
}

/* The fastest for one system with so many rows on an H200, or for many: threads a column, rows a thread, columns a thread, blocks,
 * warps of a block in turn, and pivots a step. Early warps of a block that are done early count for many systems, not for one. */
static const struct block_choice {
    int32_t lanes, rows, columns, cluster, turn, together;
} block_choices[PLUMB_DD + 1][12] = {
    [PLUMB_D] = {{4, 4, 1, 1, 1, 2},
                 {8, 3, 1, 1, 1, 2},
                 {8, 4, 1, 4, 2, 2},
                 {16, 3, 1, 8, 4, 2},
                 {16, 4, 1, 8, 4, 2},
                 {16, 5, 1, 8, 4, 2},
                 {16, 6, 1, 8, 4, 2},
                 {16, 8, 1, 16, 1, 2},
                 {16, 8, 1, 8, 4, 2}},
    [PLUMB_DD] = {{16, 1, 1, 4, 2, 2},
                  {32, 1, 1, 8, 4, 1},
                  {32, 2, 1, 16, 1, 1},
                  {32, 2, 1, 8, 4, 1},
                  {16, 4, 1, 8, 4, 1},
                  {32, 3, 1, 8, 4, 1},
                  {16, 5, 1, 8, 4, 1}},
};

static int chosen(const mgs_plan *plan, const struct block_choice *c)
{
    return plan->regime == MGS_BLOCK && plan->team == c->lanes && plan->share == c->rows &&
           plan->columns == c->columns && plan->together == c->together;
}

/* The first choice that takes the shape; for many systems, or without clusters, the first kernel of one block. */
static mgs_plan block_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                           int64_t all, int64_t batch)
{
    mgs_plan plan = {.regime = MGS_AUTO, .threads = 1}, none = plan;
    const int many = batch >= limits->multiprocessors / 2;
    if (parts != PLUMB_COMPLEX || prec > PLUMB_DD)
        return none;
    for (const struct block_choice *c = block_choices[prec]; !many && c->lanes > 0; c++) {
        if (c->cluster > 8 && c->cluster * batch > limits->multiprocessors)
            continue; /* half as many blocks a system take longer, but not twice as long */
        plan = none;
        for (int32_t index = 0; plan.threads > 0; index++) {
            plan = plumb_mgs_block_plan(limits, prec, rows, cols, all, index, c->cluster, c->turn);
            if (chosen(&plan, c))
                return plan;
        }
    }
    plan = none;
    for (int32_t index = 0; plan.regime == MGS_AUTO && plan.threads > 0; index++)
        plan = plumb_mgs_block_plan(limits, prec, rows, cols, all, index, 1, 1);
    return plan;
}

typedef struct panel_kernel {
    int32_t warps, rows, threads, columns;
} panel_kernel;

enum { PANEL_SLOTS = 6, PANEL_COLUMNS = 15 }; /* enough places; as many columns as there are named barriers */

/* A column a block, with followers and a courier: see mgs_panel_quad.h. */
static void quad_panel_plan(const mgs_limits *limits, int64_t rows, int64_t cols, const panel_kernel *k,
                            int32_t columns, mgs_plan *plan)
{
    plan->team = WARP * k->warps, plan->share = 1, plan->columns = 1, plan->threads = k->threads;
    plan->along = plan->solves = 1, plan->keep_columns = 2;
    plan->shared = (size_t)PANEL_QUAD_ROOM(k->warps, cols) * 8;
    if (limits->capability >= 80 && rows * PLUMB_COMPLEX <= plan->team && cols <= rows && columns <= 1)
        plan->regime = MGS_PANEL;
}

/* With columns 0: as many as were fastest. */
mgs_plan plumb_mgs_panel_plan(const mgs_limits *limits, int32_t prec, int64_t rows, int64_t cols, int32_t index,
                              int32_t columns)
{
#define PANEL(warps, rows, threads, columns) {warps, rows, threads, columns},
#define COUNT(kernels) (int32_t)(sizeof(kernels) / sizeof(kernels)[0])
    static const panel_kernel d[] = {PANEL_KERNELS_1(PANEL)}, dd[] = {PANEL_KERNELS_2(PANEL)},
                              qd[] = {PANEL_KERNELS_4(PANEL)};
    const int32_t count = prec == PLUMB_D ? COUNT(d) : prec == PLUMB_DD ? COUNT(dd) : COUNT(qd);
    mgs_plan plan = {.regime = MGS_AUTO, .keep_columns = 1};
    if (index >= count)
        return plan;
    const panel_kernel k = prec == PLUMB_D ? d[index] : prec == PLUMB_DD ? dd[index] : qd[index];
    if (prec == PLUMB_QD) {
        quad_panel_plan(limits, rows, cols, &k, columns, &plan);
        return plan;
    }
    plan.team = WARP * k.warps, plan.share = k.rows, plan.columns = columns > 0 ? columns : k.columns;
    plan.threads = (plan.columns + 1) * plan.team + (PANEL_APART(prec) ? WARP : 0);
    if (limits->capability < 80 || rows > plan.team * k.rows || plan.threads > k.threads ||
        plan.columns > PANEL_COLUMNS)
        return plan;
    const int64_t room = limits->shared / 8 - PANEL_ROOM(prec, k.warps, k.rows, plan.columns, 0);
    plan.slots = (int32_t)least(PANEL_SLOTS, room / (PANEL_STEP(prec, k.warps, k.rows) + 2 + PANEL_APART(prec)));
    plan.shared = (size_t)PANEL_ROOM(prec, k.warps, k.rows, plan.columns, plan.slots) * 8;
    plan.solves = cols <= SMALL_UNKNOWNS(prec);
    plan.early = limits->capability >= 90;
    if (plan.slots >= 2)
        plan.regime = MGS_PANEL;
    return plan;
}

static mgs_plan panel_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    mgs_plan plan = {.regime = MGS_AUTO, .threads = 1}, none = plan;
    if (parts != PLUMB_COMPLEX)
        return none;
    for (int32_t index = 0; plan.regime == MGS_AUTO && plan.threads > 0; index++)
        plan = plumb_mgs_panel_plan(limits, prec, rows, cols, index, 0);
    return plan;
}

static mgs_plan flow_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                          int64_t batch)
{
    mgs_plan plan = {.regime = MGS_AUTO, .threads = FLOW_THREADS, .keep_columns = 1};
    int64_t column = (rows * parts + FLOW_THREADS - 1) / FLOW_THREADS * FLOW_THREADS * prec;
    if (column > limits->shared / 24)
        return plan;
    plan.shared =
        (size_t)(3 * column + 2 * FLOW_BESIDE + 2 * (FLOW_THREADS / WARP) * SMALL_EXCHANGE(parts, prec) + 2) * 8;
    plan.solves = cols <= SMALL_UNKNOWNS(prec);
    plan.each = prec < PLUMB_QD && cols <= 2 * limits->multiprocessors;
    /* With more columns than are at work at a time, those who look for words are in the way of the others. */
    const int64_t at_work = prec < PLUMB_QD ? 2 * limits->multiprocessors : limits->multiprocessors;
    plan.near = cols < at_work ? (int32_t)cols : prec < PLUMB_QD ? 4 : 8;
    /* In qd a column that shares a multiprocessor with another takes longer than twice the time. */
    if (prec == PLUMB_QD && batch == 1 && plan.shared <= (size_t)limits->shared / 2)
        plan.shared = (size_t)limits->shared / 2 + 2048;
    if (plan.shared <= (size_t)limits->shared)
        plan.regime = MGS_FLOW;
    return plan;
}

static mgs_plan large_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                           int64_t batch)
{
    mgs_plan plan = flow_plan(limits, prec, parts, rows, cols, batch), none = {.regime = MGS_AUTO};
    if (plan.regime != MGS_FLOW || limits->capability < 90 || rows > LARGE_PARTS * LARGE_PART_ROWS(prec) ||
        LARGE_SHARED(prec, parts) * 8 > limits->shared)
        return none;
    plan.regime = MGS_LARGE;
    plan.each = prec < PLUMB_QD;
    if (prec == PLUMB_D && limits->cluster > 1 &&
        LARGE_PANEL_SHARED(prec, parts, rows, limits->cluster) * 8 <= limits->shared)
        plan.cluster = limits->cluster;
    return plan;
}

/* What was fastest for one system with so many unknowns on an H200, complex; taken for what lies between, too. */
static const struct choice {
    int32_t cols, cluster, team, threads;
} choices[PLUMB_QD + 1][7] = {
    [PLUMB_D] = {{16, 1, 16, 384}, {32, 8, 32, 256}, {128, 8, 32, 512}},
    [PLUMB_DD] = {{16, 4, 32, 192}, {32, 8, 32, 256}, {48, 8, 32, 256}, {64, 8, 64, 512}, {80, 8, 32, 384}},
    [PLUMB_QD] = {{16, 8, 32, 128}, {32, 16, 64, 256}, {48, 16, 96, 192}, {72, 16, 64, 256}},
};

/* Kernels with any share exist for these teams: see mgs_small.cu. */
static int32_t general_team(int32_t prec, int32_t cluster, int32_t team)
{
    if (cluster == 1)
        return team < WARP ? 8 : WARP;
    return prec > 1 && team > WARP ? 2 * WARP : WARP;
}

static mgs_plan small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols,
                           int64_t all, int64_t batch)
{
    const int32_t enough = (int32_t)((cols * parts + WARP - 1) / WARP * WARP); /* for back substitution */
    struct choice c = {0, 1, prec == 4 ? WARP : 16, 128};
    mgs_plan plan = {.regime = MGS_AUTO};
    if (cols * parts > SMALL_THREADS(prec))
        return plan;
    if (batch < limits->multiprocessors / 2) {
        c = choices[prec][0];
        for (int i = 1; i < 7 && choices[prec][i].cols > 0 && choices[prec][i - 1].cols < cols; i++)
            c = choices[prec][i];
    }
    while (c.cluster > limits->cluster)
        c.cluster /= 2;
    for (; plan.regime == MGS_AUTO && c.cluster <= limits->cluster; c.cluster *= 2)
        for (int general = 0; general < 2 && plan.regime == MGS_AUTO; general++) {
            int32_t team = general ? general_team(prec, c.cluster, c.team) : c.team,
                    least_threads = team > WARP ? team : WARP;
            int32_t threads = c.threads < enough ? enough : c.threads;
            threads = (threads + least_threads - 1) / least_threads * least_threads;
            if (threads > SMALL_THREADS(prec))
                threads -= least_threads;
            plan = plumb_mgs_small_plan(limits, prec, parts, rows, cols, all, c.cluster, team, threads);
            if (plan.regime == MGS_SMALL && !plumb_mgs_small_has(&plan, prec, parts))
                plan.regime = MGS_AUTO;
        }
    return plan;
}

mgs_plan plumb_mgs_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                        int64_t batch, mgs_regime want)
{
    mgs_plan none = {.regime = MGS_AUTO}, columns = {.regime = MGS_COLUMNS, .keep_columns = 1};
    mgs_plan small = small_plan(limits, prec, parts, rows, cols, all, batch);
    mgs_plan flow = flow_plan(limits, prec, parts, rows, cols, batch);
    mgs_plan block = block_plan(limits, prec, parts, rows, cols, all, batch);
    mgs_plan panel = panel_plan(limits, prec, parts, rows, cols);
    mgs_plan large = large_plan(limits, prec, parts, rows, cols, batch);
    if (want != MGS_AUTO)
        return want == MGS_SMALL     ? small
               : want == MGS_FLOW    ? flow
               : want == MGS_COLUMNS ? columns
               : want == MGS_BLOCK   ? block
               : want == MGS_PANEL   ? panel
               : want == MGS_LARGE   ? large
                                     : none;
    /* For one system panels are faster from here on; flow, where there are none. In quad double all blocks of a panel should be at
     * work at a time, and several right-hand sides take back substitution, which small kernels do without. */
    const int has_panel = panel.regime == MGS_PANEL && (prec < PLUMB_QD || all * batch <= limits->multiprocessors);
    const int64_t most_block = prec == PLUMB_D ? 128 : 64, most_quad = all == cols + 1 ? 0 : 64;
    const int64_t most = !has_panel ? (prec == PLUMB_D    ? 160
                                       : prec == PLUMB_DD ? 96
                                                          : 64)
                                    : (prec == PLUMB_D    ? 128
                                       : prec == PLUMB_DD ? 64
                                                          : most_quad);
    if (block.regime == MGS_BLOCK && (!has_panel || cols <= most_block || batch > 1))
        return block;
    if (small.regime == MGS_SMALL && (cols <= most || batch > 1))
        return small;
    if (has_panel)
        return panel;
    if (large.regime == MGS_LARGE && cols >= LARGE_LEAST(prec))
        return large;
    return flow.regime == MGS_FLOW ? flow : columns;
}
