/* plan.c - which kernels solve a problem: see plan.h. Tables say what to take (plan_tables.h); the functions here only work out whether a
 * kernel has room for a problem, and how much shared memory it needs. */
#include "backend/cuda/lsq/plan.h"

#include "backend/cuda/lsq/gpu.h"
#include "backend/cuda/lsq/large/large.h"
#include "backend/cuda/lsq/panel/panel.h"
#include "backend/cuda/lsq/plan_tables.h"
#include "backend/cuda/lsq/registers/registers.h"
#include "backend/cuda/lsq/small/small.h"
#include "plumb.h"

enum { FLOW_THREADS = 256, WARP = 32 };

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static const mgs_plan none = {.family = MGS_AUTO};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

const char *plumb_mgs_family_name(mgs_family family)
{
    static const char *const names[MGS_FAMILIES] = {"auto", "registers", "small", "panel", "flow", "large", "columns"};
    return names[family];
}

/* ---- The available kernels ---------------------------------------------------------------------------------- */

const mgs_kernel *plumb_mgs_kernels(mgs_family family, int32_t prec, int32_t parts, int *count)
{
#define IN_REGISTERS(lanes, rows, columns, threads, cluster, together, blocks, beside) \
    {lanes, rows, columns, together, threads, cluster, beside, 0},
#define ALONG(lanes, rows, columns, threads, cluster, together) \
    {lanes, rows, columns, together, threads, cluster, 0, 1},
#define IN_SHARED(team, cluster) {team, 0, 0, 0, SMALL_THREADS(PLUMB_D), cluster, 0, 0},
#define IN_SHARED_4(team, cluster) {team, 0, 0, 0, SMALL_THREADS(PLUMB_QD), cluster, 0, 0},
#define IN_PANEL(warps, rows, threads, columns) {WARP * (warps), rows, columns, 0, threads, 0, 0, 0},
    static const mgs_kernel registers_1[] = {REGISTERS_KERNELS_1(IN_REGISTERS) REGISTERS_ALONG_1(ALONG)},
                            registers_2[] = {REGISTERS_KERNELS_2(IN_REGISTERS) REGISTERS_ALONG_2(ALONG)};
    static const mgs_kernel small_real[] = {SMALL_KERNELS_REAL(IN_SHARED)},
                            small_real_4[] = {SMALL_KERNELS_REAL(IN_SHARED_4)},
                            small_2[] = {SMALL_KERNELS_2(IN_SHARED)}, small_4[] = {SMALL_KERNELS_4(IN_SHARED_4)};
    static const mgs_kernel panel_1[] = {PANEL_KERNELS_1(IN_PANEL)}, panel_2[] = {PANEL_KERNELS_2(IN_PANEL)},
                            panel_4[] = {PANEL_KERNELS_4(IN_PANEL)};
#define LIST(kernels) (*count = COUNT(kernels), (kernels))
    const int complex = parts == PLUMB_COMPLEX;
    *count = 0;
    switch (family) {
    case MGS_REGISTERS:
        return !complex || prec > PLUMB_DD ? NULL : prec == PLUMB_D ? LIST(registers_1) : LIST(registers_2);
    case MGS_SMALL:
        if (!complex)
            return prec == PLUMB_QD ? LIST(small_real_4) : LIST(small_real);
        return prec == PLUMB_D ? NULL : prec == PLUMB_DD ? LIST(small_2) : LIST(small_4);
    case MGS_PANEL:
        return !complex ? NULL : prec == PLUMB_D ? LIST(panel_1) : prec == PLUMB_DD ? LIST(panel_2) : LIST(panel_4);
    default:
        return NULL;
    }
}

/* The kernel that a line of a table names, with x along with the columns or without, or NULL. */
static const mgs_kernel *kernel_of(const mgs_choice *c, int along)
{
    int count;
    const mgs_kernel *k = plumb_mgs_kernels(c->family, c->prec, c->parts, &count);
    for (; count > 0; count--, k++)
        if (k->team == c->team && k->share == c->share && k->along == along &&
            k->cluster == (c->cluster != 0 && c->cluster != 1) &&
            (c->family != MGS_REGISTERS || (k->columns == c->columns && k->together == c->together)))
            return k;
    return NULL;
}

/* ---- Whether a kernel has room for a problem ------------------------------------------------------------------------------- */

/* The number of clusters of this many blocks, or of the next power of two, that run at a time. */
static int32_t clusters_of(const mgs_limits *limits, int32_t blocks)
{
    for (int k = 0; k < MGS_CLUSTER_SIZES; k++)
        if (blocks <= 1 << k)
            return limits->clusters[k];
    return 0;
}

/* In d, whether the block of the right-hand side has a warp for each part of the unknowns, which is done with its columns when the
 * part begins. */
static int rows_in_time(const registers_deal *d)
{
    int32_t there = 0;
    for (int32_t w = 0; w < d->all_warps; w++) {
        const int32_t part = registers_part(d, w), first = registers_first(d, w),
                      behind = first + d->share - 2 * (d->turn - 1); /* the last column */
        if (part == REGISTERS_NOTHING)
            continue;
        if (w < d->warps && first < d->all && part * REGISTERS_PART < behind)
            return 0;
        there++;
    }
    return there == REGISTERS_PARTS(d->cols) + (d->measured != 0);
}

/* With x found along with the columns in dd, the last block has none of them; all columns must have places then, and in d if there
 * is one block. */
static mgs_plan registers_shape_plan(const mgs_limits *limits, const mgs_problem *p, const mgs_kernel *k,
                                     int32_t cluster, int32_t turn, int32_t along)
{
    mgs_plan plan = {.family = MGS_REGISTERS,
                     .cluster = cluster,
                     .team = k->team,
                     .share = k->share,
                     .columns = k->columns,
                     .together = k->together,
                     .along = along,
                     .inverts = along && p->prec == PLUMB_DD && p->systems == 1 && p->all == p->cols + 1 &&
                                p->cols > WARP && p->cols <= WARP * REGISTERS_CHUNKS &&
                                (REGISTERS_ASIDE_WARPS(p->all, cluster, turn) + 1) * WARP <= REGISTERS_ASIDE_THREADS,
                     .early = limits->capability >= 90,
                     .solves = 1};
    const int32_t by_rows = along && p->prec == PLUMB_D, apart = along && !by_rows, single = by_rows && !k->cluster;
    if (limits->capability < (k->cluster ? 90 : 80) || p->rows > k->team * k->share || p->all > 4096 ||
        cluster <= apart)
        return none;
    const int64_t a_warp = REGISTERS_A_WARP(p->prec, k->team, k->columns, k->together),
                  columns = k->beside ? p->cols : p->all, enough = (columns + a_warp - 1) / a_warp;
    plan.turn = cluster == 1 && turn > enough ? (int32_t)enough : turn;
    const int32_t measured = by_rows && REGISTERS_MEASURED(k->team, k->share), kind = (along != 0) + measured;
    const int64_t a_turn = a_warp * plan.turn, blocks = cluster - apart,
                  turns = (columns + a_turn * blocks - 1) / (a_turn * blocks), with_columns = turns * plan.turn,
                  most_more = by_rows ? REGISTERS_ALONG_THREADS / WARP : 0;
    const int32_t least_warps = (int32_t)with_columns + (k->cluster || single); /* a courier, or a warp for x */
    registers_deal deal = {(int32_t)p->cols, (int32_t)p->all,       (int32_t)a_turn, plan.turn,
                           (int32_t)blocks,  (int32_t)with_columns, least_warps,     measured ? along : 0};
    while (!single && deal.all_warps < least_warps + most_more && !rows_in_time(&deal))
        deal.all_warps++;
    const int64_t needed = deal.all_warps,
                  warps = apart ? k->threads / WARP : needed; /* the followers need as many as there may be */
    const int64_t step = REGISTERS_STEP(p->prec, k->team, k->share),
                  wanted =
                      k->threads == WARP ? least(p->cols, REGISTERS_ALONE_SLOTS) : (p->cols > warps ? p->cols : warps),
                  most = (wanted + k->together - 1) / k->together * k->together,
                  sides = k->beside ? REGISTERS_SIDE_PLACES(p->cols, p->all) * step : 0,
                  barriers = REGISTERS_BARRIERS(p->prec, k->beside),
                  room = limits->shared / 8 - sides - REGISTERS_REST(p->prec, p->cols, p->all, barriers * most, kind);
    const int64_t at_least = apart || single ? (p->cols + k->together - 1) / k->together * k->together : needed;
    if (needed * WARP > (by_rows ? least(k->threads, REGISTERS_ALONG_THREADS) : k->threads) || room < at_least * step)
        return none;
    plan.warps = (int32_t)with_columns;
    plan.threads = (int32_t)warps * WARP;
    plan.slots = (int32_t)least(most, room / step / k->together * k->together);
    plan.shared =
        (size_t)(plan.slots * step + sides + REGISTERS_REST(p->prec, p->cols, p->all, barriers * plan.slots, kind)) * 8;
    return plan;
}

/* In d, x is found along with the columns by a kernel of its own; in dd, by the same kernel, or by one that the plan is the same for. */
static mgs_plan registers_plan(const mgs_limits *limits, const mgs_problem *p, const mgs_choice *c, int32_t cluster)
{
    const mgs_kernel *plain = kernel_of(c, 0), *by_rows = p->prec == PLUMB_D ? kernel_of(c, 1) : NULL;
    const int64_t sides = p->all - p->cols;
    mgs_plan plan = none;
    if (plain && p->prec == PLUMB_DD && cluster > 1 && sides > 0 && sides <= REGISTERS_SIDES)
        plan = registers_shape_plan(limits, p, plain, cluster, c->turn, 1);
    if (by_rows && sides == 1 && 2 * p->systems < limits->multiprocessors) {
        plan = registers_shape_plan(limits, p, by_rows, cluster, c->turn, REGISTERS_ELSEWHERE);
        if (plan.family == MGS_AUTO && REGISTERS_MEASURED(by_rows->team, by_rows->share))
            plan = registers_shape_plan(limits, p, by_rows, cluster, c->turn, REGISTERS_NEARBY);
    }
    return plan.family == MGS_AUTO && plain ? registers_shape_plan(limits, p, plain, cluster, c->turn, 0) : plan;
}

/* The number of threads of a block: as requested, or as back substitution needs, in whole teams and warps. */
static int32_t small_threads(const mgs_problem *p, const mgs_kernel *k, int32_t threads)
{
    const int32_t unit = k->team > WARP ? k->team : WARP, enough = (int32_t)(p->cols * p->parts);
    if (threads < enough)
        threads = enough;
    threads = (threads + unit - 1) / unit * unit;
    return threads > k->threads ? threads - unit : threads;
}

/* If there is no room for all slots, the blocks of a cluster synchronise now and then. */
static mgs_plan small_plan(const mgs_limits *limits, const mgs_problem *p, const mgs_kernel *k, int32_t cluster,
                           int32_t threads)
{
    const int32_t prec = p->prec, parts = p->parts, team = k->team;
    mgs_plan plan = {.family = MGS_SMALL, .cluster = cluster, .team = team, .solves = 1};
    if (limits->capability < 90 || p->cols * parts > k->threads || p->rows > 4096 || p->all > 4096)
        return none;
    plan.threads = small_threads(p, k, threads);
    if (p->cols * parts > plan.threads || plan.threads > k->threads || (team > WARP && plan.threads / team > 15))
        return none;
    plan.share = (int32_t)((p->rows * parts + team - 1) / team);
    const int64_t locals = (p->all + cluster - 1) / cluster, warps = team > WARP ? team / WARP : 1;
    const int64_t step = SMALL_COLUMN_STEP(prec, team, plan.share);
    const int64_t own = (locals + (team < WARP ? WARP / team - 1 : 0)) * step + locals * SMALL_BESIDE(prec, team) + 1 +
                        (team > WARP ? plan.threads / team * 2 * warps * SMALL_EXCHANGE(parts, prec) : 0) + 4;
    const int64_t origin = team * plan.share * prec,
                  origins = locals * (origin + 2 * parts * prec) + (p->all - p->cols) * p->cols * parts * prec;
    int64_t room = limits->shared / 8 - own, slot = cluster > 1 ? step + 2 : 2;
    int64_t slots = p->cols;
    if (cluster > 1) {
        const int64_t wanted = least(cluster + 2, p->cols < 3 ? 3 : p->cols);
        plan.along = prec == PLUMB_QD && room - origins >= (wanted < 8 ? wanted : 8) * (slot + origin + 1);
        if (plan.along)
            room -= origins, slot += origin + 1;
        slots = least(wanted, room > 0 ? room / slot : 0);
    }
    if (room < slots * slot || (cluster > 1 && slots < 3))
        return none;
    const int64_t kept = SMALL_COEFFICIENTS(p->cols, p->all) * parts * prec, back = p->cols * parts * prec + 2;
    plan.slots = (int32_t)slots;
    plan.keep = prec < 4 && p->cols <= 4 * WARP && room - slots * slot >= kept && own >= back;
    const int64_t used = own + slots * slot + (plan.keep ? kept : 0) + (plan.along ? origins : 0);
    plan.shared = (size_t)(used > back ? used : back) * 8;
    return plan;
}

/* Enough places for columns in transit; at most as many columns per block as there are named barriers. */
enum { PANEL_SLOTS = 6, PANEL_COLUMNS = 15 };

static mgs_plan panel_plan(const mgs_limits *limits, const mgs_problem *p, const mgs_kernel *k, int32_t columns)
{
    const int32_t prec = p->prec, warps = k->team / WARP;
    mgs_plan plan = {.family = MGS_PANEL,
                     .team = k->team,
                     .share = k->share,
                     .columns = columns,
                     .multiprocessors = limits->multiprocessors,
                     .threads = (columns + 1) * k->team + (PANEL_APART(prec) ? WARP : 0),
                     .early = limits->capability >= 90,
                     .inverts = limits->capability >= 90 && p->systems == 1 && p->cols <= INVERSE_COLS(prec),
                     .keep_columns = 2,
                     .solves = p->cols <= SMALL_UNKNOWNS(prec)};
    if (limits->capability < 80 || p->rows > k->team * k->share || plan.threads > k->threads || columns > PANEL_COLUMNS)
        return none;
    const int64_t room = limits->shared / 8 - PANEL_ROOM(prec, warps, k->share, columns, 0);
    plan.slots = (int32_t)least(PANEL_SLOTS, room / (PANEL_STEP(prec, warps, k->share) + 2 + PANEL_APART(prec)));
    plan.shared = (size_t)PANEL_ROOM(prec, warps, k->share, columns, plan.slots) * 8;
    /* If there is a multiprocessor for each panel, more than half of its shared memory keeps others away. */
    const size_t most_of_it = (size_t)limits->shared / 2 + 1024;
    if (p->systems == 1 && p->all <= (int64_t)columns * limits->multiprocessors && plan.shared < most_of_it)
        plan.shared = most_of_it;
    return plan.slots >= 2 ? plan : none;
}

/* In quad double a block has one column, and threads that keep track of its origin (panel/quad.h). */
static mgs_plan panel_quad_plan(const mgs_limits *limits, const mgs_problem *p, const mgs_kernel *k)
{
    mgs_plan plan = {.family = MGS_PANEL,
                     .team = k->team,
                     .share = k->share,
                     .columns = 1,
                     .multiprocessors = limits->multiprocessors,
                     .threads = k->threads,
                     .early = limits->capability >= 90,
                     .along = PANEL_QUAD_FOLLOWERS(k->team / WARP, k->share) > 0,
                     .keep_columns = 2,
                     .solves = 1,
                     .shared = (size_t)PANEL_QUAD_ROOM(k->team / WARP, p->cols) * 8};
    return limits->capability >= 80 && p->rows * PLUMB_COMPLEX <= k->team * k->share &&
                   plan.shared <= (size_t)limits->shared
               ? plan
               : none;
}

static mgs_plan flow_plan(const mgs_limits *limits, const mgs_problem *p)
{
    mgs_plan plan = {.family = MGS_FLOW,
                     .threads = FLOW_THREADS,
                     .multiprocessors = limits->multiprocessors,
                     .early = limits->capability >= 90,
                     .keep_columns = 1};
    const int64_t column = (p->rows * p->parts + FLOW_THREADS - 1) / FLOW_THREADS * FLOW_THREADS * p->prec;
    if (column > limits->shared / 24)
        return none;
    plan.shared =
        (size_t)(3 * column + 2 * FLOW_BESIDE + 2 * (FLOW_THREADS / WARP) * SMALL_EXCHANGE(p->parts, p->prec) + 2) * 8;
    plan.solves = p->cols <= SMALL_UNKNOWNS(p->prec);
    /* If there are more columns than run at a time, blocks that poll words slow down the others. */
    const int64_t at_work = p->prec < PLUMB_QD ? 2 * limits->multiprocessors : limits->multiprocessors;
    plan.near = p->cols < at_work ? (int32_t)p->cols : p->prec < PLUMB_QD ? 4 : 8;
    /* In qd, two columns on one multiprocessor take more than twice the time. */
    if (p->prec == PLUMB_QD && p->systems == 1 && plan.shared <= (size_t)limits->shared / 2)
        plan.shared = (size_t)limits->shared / 2 + 2048;
    return plan.shared <= (size_t)limits->shared ? plan : none;
}

/* In d a panel is factored by a cluster as large as the device can run, otherwise by flow. */
static mgs_plan large_plan(const mgs_limits *limits, const mgs_problem *p)
{
    mgs_plan plan = flow_plan(limits, p);
    if (plan.family == MGS_AUTO || limits->capability < 90 || p->rows > LARGE_PARTS * LARGE_PART_ROWS(p->prec) ||
        LARGE_SHARED(p->prec, p->parts) * 8 > limits->shared)
        return none;
    plan.family = MGS_LARGE;
    for (int32_t blocks = 1 << (MGS_CLUSTER_SIZES - 1); p->prec == PLUMB_D && blocks > 1 && plan.cluster == 0;
         blocks /= 2)
        if (clusters_of(limits, blocks) > 0 &&
            LARGE_PANEL_SHARED(p->prec, p->parts, p->rows, blocks) * 8 <= limits->shared)
            plan.cluster = blocks;
    return plan;
}

/* ---- The choice --------------------------------------------------------------------------------------------------------- */

static mgs_plan plan_with(const mgs_limits *limits, const mgs_problem *p, const mgs_choice *c, const mgs_kernel *k,
                          int32_t cluster)
{
    switch (c->family) {
    case MGS_REGISTERS:
        return registers_plan(limits, p, c, cluster);
    case MGS_SMALL:
        return small_plan(limits, p, k, cluster, c->threads);
    case MGS_PANEL:
        return p->prec == PLUMB_QD ? panel_quad_plan(limits, p, k) : panel_plan(limits, p, k, c->columns);
    case MGS_FLOW:
        return flow_plan(limits, p);
    case MGS_LARGE:
        return large_plan(limits, p);
    default:
        return (mgs_plan){.family = c->family, .keep_columns = 1};
    }
}

mgs_plan plumb_mgs_plan_of(const mgs_limits *limits, const mgs_problem *p, const mgs_choice *c)
{
    const int has_kernels = c->family == MGS_REGISTERS || c->family == MGS_SMALL || c->family == MGS_PANEL;
    const mgs_kernel *k = has_kernels ? kernel_of(c, 0) : NULL;
    mgs_plan plan = none;
    if (!k && c->family == MGS_REGISTERS)
        k = kernel_of(c, 1);
    if (has_kernels && !k)
        return none;
    if (!k || !k->cluster)
        return plan_with(limits, p, c, k, 1);
    if (c->cluster > 1)
        return clusters_of(limits, c->cluster) > 0 ? plan_with(limits, p, c, k, c->cluster) : none;
    for (int i = 1; i < MGS_CLUSTER_SIZES && plan.family == MGS_AUTO; i++) {
        const int32_t blocks = c->cluster == MGS_LEAST ? 1 << i : 1 << (MGS_CLUSTER_SIZES - i);
        const int64_t at_least = c->cluster == MGS_LEAST ? 1 : p->systems;
        if (clusters_of(limits, blocks) >= at_least)
            plan = plan_with(limits, p, c, k, blocks);
    }
    return plan;
}

static int systems_fit(const mgs_limits *limits, const mgs_problem *p, const mgs_choice *c)
{
    if (c->systems >= MGS_MANY(0))
        return p->systems >= (int64_t)(c->systems - MGS_MANY(0)) * limits->multiprocessors;
    if (c->systems < 0)
        return p->systems <= -(int64_t)c->systems * clusters_of(limits, c->cluster);
    return c->systems == MGS_ANY || p->systems == 1 ||
           (c->systems == MGS_FEW && 2 * p->systems < limits->multiprocessors);
}

static int holds(const mgs_limits *limits, const mgs_problem *p, const mgs_choice *c)
{
    const int64_t sides = p->all - p->cols;
    return systems_fit(limits, p, c) && (c->rows == 0 || p->rows <= c->rows) && p->cols >= c->least_cols &&
           (c->most_cols == 0 || p->cols <= c->most_cols) &&
           (c->rhs == MGS_SINGLE ? sides == 1 : c->rhs < 0 || sides <= c->rhs) &&
           (!c->spread || p->all * p->systems <= (int64_t)c->spread * limits->multiprocessors);
}

const mgs_choice *plumb_mgs_table(const mgs_limits *limits, int *count)
{
    const int measured = limits->capability == 90;
    *count = measured ? COUNT(table_90) : COUNT(table_any);
    return measured ? table_90 : table_any;
}

mgs_plan plumb_mgs_plan(const mgs_limits *limits, const mgs_problem *p, mgs_family want)
{
    int count;
    const mgs_choice *c = plumb_mgs_table(limits, &count);
    for (; count > 0; count--, c++) {
        if (c->prec != p->prec || c->parts != p->parts || (want == MGS_AUTO ? !holds(limits, p, c) : c->family != want))
            continue;
        const mgs_plan plan = plumb_mgs_plan_of(limits, p, c);
        if (plan.family != MGS_AUTO)
            return plan;
    }
    return none;
}
