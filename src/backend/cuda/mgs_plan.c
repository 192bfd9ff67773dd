/* mgs_plan.c - which kernels take a shape: see mgs_plan.h. The sizes that follow from measurements are in docs/performance.md. */
#include "backend/cuda/mgs_plan.h"

#include "backend/cuda/mgs_small.h"

enum { FLOW_THREADS = 256, WARP = 32 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

mgs_plan plumb_mgs_small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                              int32_t cluster, int32_t team, int32_t threads)
{
    mgs_plan plan = {.regime = MGS_AUTO, .cluster = cluster, .team = team, .threads = threads, .solves = 1};
    if (limits->capability < 90 || cluster > limits->cluster || threads > SMALL_THREADS(prec) || threads % team != 0 ||
        (team > WARP && threads / team > 15) || cols * parts > threads || rows > 4096 || all > 4096 ||
        (cluster > 1 && team < WARP))
        return plan;
    plan.share = (int32_t)((rows * parts + team - 1) / team);
    const int64_t locals = (all + cluster - 1) / cluster, warps = team > WARP ? team / WARP : 1;
    const int64_t step = SMALL_COLUMN_STEP(prec, team, plan.share);
    const int64_t own = (locals + (team < WARP)) * step + locals + 1 +
                        (team > WARP ? threads / team * 2 * warps * SMALL_EXCHANGE(parts, prec) : 0) + 4;
    const int64_t room = limits->shared / 8 - own, slot = cluster > 1 ? step + 2 : 2;
    int64_t slots = cols;
    if (cluster > 1)
        slots = least(least(cluster + 2, room > 0 ? room / slot : 0), cols < 3 ? 3 : cols);
    if (room < slots * slot || (cluster > 1 && slots < 3))
        return plan;
    int64_t kept = SMALL_COEFFICIENTS(cols, all) * parts * prec, back = cols * parts * prec + 2;
    plan.slots = (int32_t)slots;
    plan.keep = prec < 4 && cols <= 4 * WARP && room - slots * slot >= kept && own >= back;
    int64_t used = own + slots * slot + (plan.keep ? kept : 0);
    plan.shared = (size_t)(used > back ? used : back) * 8;
    plan.regime = MGS_SMALL;
    return plan;
}

static mgs_plan flow_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    mgs_plan plan = {.regime = MGS_AUTO, .threads = FLOW_THREADS, .keep_columns = 1};
    int64_t column = (rows * parts + FLOW_THREADS - 1) / FLOW_THREADS * FLOW_THREADS * prec;
    if (column > limits->shared / 24)
        return plan;
    plan.shared = (size_t)(3 * column + 2 * (FLOW_THREADS / WARP) * SMALL_EXCHANGE(parts, prec) + 2) * 8;
    plan.solves = cols * parts <= SMALL_THREADS(prec);
    if (plan.shared <= (size_t)limits->shared)
        plan.regime = MGS_FLOW;
    return plan;
}

static mgs_plan small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                           int64_t batch)
{
    const int32_t most = SMALL_THREADS(prec);
    int32_t cluster = 1, team = WARP, threads;
    int32_t enough = (int32_t)((cols * parts + WARP - 1) / WARP * WARP); /* for back substitution */
    if (batch >= limits->multiprocessors / 2) {
        team = prec == 4 ? 16 : WARP;
        threads = 128;
    } else {
        int64_t alone = prec == 1 ? 40 : prec == 2 ? 16 : 0;
        if (prec == 4 && rows * parts > WARP)
            team = 2 * WARP;
        threads = prec == 4 ? 256 : 512;
        if (cols > alone)
            cluster = limits->cluster;
        int64_t columns = (all + cluster - 1) / cluster;
        if (columns * team < threads)
            threads = (int32_t)columns * team;
    }
    if (threads < enough)
        threads = enough <= most ? enough + (team - enough % team) % team : most;
    if (cluster == 1 && team > WARP)
        team = WARP;
    mgs_plan plan = plumb_mgs_small_plan(limits, prec, parts, rows, cols, all, cluster, team, threads);
    for (int32_t wider = cluster * 2; plan.regime == MGS_AUTO && wider <= limits->cluster; wider *= 2)
        plan = plumb_mgs_small_plan(limits, prec, parts, rows, cols, all, wider, team < WARP ? WARP : team, threads);
    return plan;
}

mgs_plan plumb_mgs_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                        int64_t batch, mgs_regime want)
{
    mgs_plan none = {.regime = MGS_AUTO}, columns = {.regime = MGS_COLUMNS, .keep_columns = 1};
    mgs_plan small = small_plan(limits, prec, parts, rows, cols, all, batch);
    mgs_plan flow = flow_plan(limits, prec, parts, rows, cols);
    if (want != MGS_AUTO)
        return want == MGS_SMALL ? small : want == MGS_FLOW ? flow : want == MGS_COLUMNS ? columns : none;
    int64_t most = prec == 1 ? 320 : prec == 2 ? 200 : 100;
    if (small.regime == MGS_SMALL && (cols <= most || batch > 1))
        return small;
    return flow.regime == MGS_FLOW ? flow : columns;
}
