/* runs.c - see runs.h. */
#include "base/array/runs.h"

#include <stdbool.h>
#include <string.h>

static bool follows_without_gap(const runs *r)
{
    for (int v = 0; v < RUNS_OPERANDS; v++)
        if (r->step[0][v] != r->length)
            return false;
    return true;
}

void plumb_runs_merge(runs *r)
{
    for (int melted = 0; melted < RUNS_DIMENSIONS; melted++) {
        if (r->count[0] != 1 && !follows_without_gap(r))
            return;
        r->length *= r->count[0];
        memmove(r->count, r->count + 1, (RUNS_DIMENSIONS - 1) * sizeof r->count[0]);
        memmove(r->step, r->step + 1, (RUNS_DIMENSIONS - 1) * sizeof r->step[0]);
        r->count[RUNS_DIMENSIONS - 1] = 1;
    }
}
