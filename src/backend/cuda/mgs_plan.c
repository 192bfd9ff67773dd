/* mgs_plan.c - which kernels take a shape: see mgs_plan.h. The sizes that follow from measurements are in docs/performance.md. */
#include "backend/cuda/mgs_plan.h"

#include "backend/cuda/mgs_small.h"

enum { FLOW_THREADS = 256, WARP = 32 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Doubles of shared memory beside the columns of other blocks. */
static int64_t own_doubles(int32_t prec, int32_t parts, int64_t rows, int64_t locals, int32_t team, int32_t threads)
{
    int64_t warps = team > WARP ? team / WARP : 1, teams = threads / team;
    return locals * SMALL_COLUMN_STEP(rows, parts, prec, team) + locals + 1 +
           teams * 2 * warps * SMALL_EXCHANGE(parts, prec) + 2;
}

mgs_plan plumb_mgs_small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                              int32_t cluster, int32_t team, int32_t threads)
{
    mgs_plan plan = {.regime = MGS_AUTO, .cluster = cluster, .team = team, .threads = threads, .solves = 1};
    if (limits->capability < 90 || cluster > limits->cluster || threads > SMALL_THREADS(prec) || team > threads ||
        (team > WARP && threads / team > 15) || cols * parts > threads || rows > 4096 || all > 4096 ||
        (cluster > 1 && team < cluster))
        return plan;
    int64_t locals = (all + cluster - 1) / cluster, step = SMALL_COLUMN_STEP(rows, parts, prec, team);
    int64_t room = limits->shared / 8 - own_doubles(prec, parts, rows, locals, team, threads);
    if (cluster == 1)
        plan.slots = (int32_t)cols;
    else
        plan.slots = (int32_t)least(cluster + 2, least(room > 0 ? room / (step + 2) : 0, cols < 3 ? 3 : cols));
    int64_t used = 2 * plan.slots + (cluster > 1 ? plan.slots * step : 0), back = cols * parts * prec + 2;
    if (room < used || (cluster > 1 && plan.slots < 3))
        return plan;
    used += limits->shared / 8 - room;
    plan.shared = (size_t)(used > back ? used : back) * 8;
    plan.regime = MGS_SMALL;
    return plan;
}

static mgs_plan flow_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    mgs_plan plan = {.regime = MGS_AUTO, .threads = FLOW_THREADS, .keep_columns = 1};
    int64_t column = (rows * parts + 1) / 2 * 2 * prec;
    if (column > limits->shared / 24)
        return plan;
    plan.shared = (size_t)(3 * column + 2 * (FLOW_THREADS / WARP) * SMALL_EXCHANGE(parts, prec) + 2) * 8;
    plan.solves = cols * parts <= SMALL_THREADS(prec);
    if (plan.shared <= (size_t)limits->shared)
        plan.regime = MGS_FLOW;
    return plan;
}

/* Threads a column so that each has about `share` entries, between 8 and `most`. */
static int32_t team_for(int64_t entries, int64_t share, int32_t most)
{
    int32_t team = 8;
    while (team < most && team * share < entries)
        team *= 2;
    return team;
}

static mgs_plan small_plan(const mgs_limits *limits, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t all,
                           int64_t batch)
{
    const int32_t most = SMALL_THREADS(prec);
    int32_t cluster = 1, team, threads;
    int32_t enough = (int32_t)((cols * parts + WARP - 1) / WARP * WARP); /* for back substitution */
    if (batch >= limits->multiprocessors / 2) {
        team = team_for(rows * parts, 4, WARP);
        threads = 128;
    } else {
        int64_t alone = prec == 1 ? 48 : prec == 2 ? 16 : 8;
        team = team_for(rows * parts, prec == 4 ? 1 : 2, prec == 1 ? WARP : 128);
        threads = prec == 4 ? 256 : prec == 2 ? 256 : 512;
        if (cols > alone)
            cluster = limits->cluster;
        if (team < cluster)
            team = cluster;
    }
    if (threads < enough)
        threads = enough <= most ? enough + (team - enough % team) % team : most;
    mgs_plan plan = plumb_mgs_small_plan(limits, prec, parts, rows, cols, all, cluster, team, threads);
    for (int32_t wider = cluster * 2; plan.regime == MGS_AUTO && wider <= limits->cluster; wider *= 2)
        plan = plumb_mgs_small_plan(limits, prec, parts, rows, cols, all, wider, team < wider ? wider : team, threads);
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
