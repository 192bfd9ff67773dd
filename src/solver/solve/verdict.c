/* verdict.c - whether solutions may be missing: the one rule for C, the program and Python. A count of paths of which it is not known how
 * they end belongs here as soon as a report has it. */
#include <stdio.h>

#include "plumb.h"

/* Paths that may lead to solutions that are not in the list. Those that were stopped are among the failed ones. */
static int64_t missing_paths(const plumb_solve_report *r)
{
    return r->failed + r->undecided;
}

int32_t plumb_solve_verdict(const plumb_solve_report *report, char *line, size_t line_size)
{
    char none[1];
    char *to = line && line_size > 0 ? line : none;
    const size_t size = to == line ? line_size : sizeof none;
    to[0] = '\0';
    if (!report) {
        snprintf(to, size, "there is no account of the paths");
        return PLUMB_SOLVE_MISSING;
    }
    const long long paths = (long long)report->paths, missing = (long long)missing_paths(report);
    const char *plural = paths == 1 ? "" : "s";
    if (report->unfinished > 0 || report->stopped) {
        snprintf(to, size, "the run was stopped; %lld of %lld path%s finished", paths - (long long)report->unfinished,
                 paths, plural);
        return PLUMB_SOLVE_STOPPED;
    }
    if (missing > 0) {
        snprintf(to, size, "%lld of %lld path%s failed or %s undecided: up to %lld solution%s may be missing", missing,
                 paths, plural, missing == 1 ? "is" : "are", missing, missing == 1 ? "" : "s");
        return PLUMB_SOLVE_MISSING;
    }
    if (report->clusters > 0) {
        snprintf(to, size, "%lld cluster%s of solutions could not be resolved: each may be one solution or several",
                 (long long)report->clusters, report->clusters == 1 ? "" : "s");
        return PLUMB_SOLVE_MISSING;
    }
    return PLUMB_SOLVE_COMPLETE;
}
