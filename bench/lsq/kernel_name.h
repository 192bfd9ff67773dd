/* kernel_name.h - the name of the kernel that a plan launches, as in cmake/cuda-limits.txt. */
#ifndef PLUMB_BENCH_LSQ_KERNEL_NAME_H
#define PLUMB_BENCH_LSQ_KERNEL_NAME_H

#include <stdio.h>

#include "backend/cuda/lsq/plan.h"

static inline void bench_kernel_name(const mgs_plan *plan, char *name, size_t size)
{
    const int clusters = plan->cluster > 1;
    switch (plan->family) {
    case MGS_REGISTERS:
        snprintf(name, size, "registers_%d_%d_%d_%d_%d%s", (int)plan->team, (int)plan->share, (int)plan->columns,
                 clusters, (int)plan->together, plan->inverts || (plan->along && plan->together == 2) ? "_along" : "");
        break;
    case MGS_SMALL:
        snprintf(name, size, "small_%d_%d", (int)plan->team, clusters);
        break;
    case MGS_PANEL:
        snprintf(name, size, "panel_%d_%d", (int)plan->team / 32, (int)plan->share);
        break;
    case MGS_FLOW:
        snprintf(name, size, "flow_once");
        break;
    case MGS_LARGE: /* which kernel factors a panel */
        snprintf(name, size, clusters ? "large_cluster" : "large_flow");
        break;
    default:
        snprintf(name, size, "%s", plumb_mgs_family_name(plan->family));
    }
}

#endif
