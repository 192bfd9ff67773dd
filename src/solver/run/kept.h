/* kept.h - endpoints that stay in memory, so that what is written in the end need not be read from the journal, which takes ten times as
 * long. The journal has them all the same: what finds no room here is read from there. */
#ifndef PLUMB_SOLVER_RUN_KEPT_H
#define PLUMB_SOLVER_RUN_KEPT_H

#include "plumb.h"

struct run_found_path; /* run.h */

/* An endpoint, as a line of the journal has it. */
typedef struct run_kept_end {
    plumb_path_record record;
    int64_t prec; /* limbs of a number */
    double x[];   /* 2 * prec per unknown */
} run_kept_end;

/* All of them. With a journal they take an eighth of the memory that is available in the beginning, at most, and no more than
 * a gigabyte. */
typedef struct run_kept {
    struct run_kept_part *parts; /* each of some megabytes, the last one first */
    int64_t used, most;          /* bytes of all parts, and how many they may become; 0: not known yet */
} run_kept;

/* Keeps an endpoint, x with 2 * prec doubles per unknown. NULL if there is no room. */
const run_kept_end *run_kept_add(run_kept *kept, const plumb_path_record *record, const double *x, int32_t prec,
                                 int64_t unknowns);

/* What run_journal_read would read; path->x is to be set. */
void run_kept_read(const run_kept_end *end, int64_t unknowns, struct run_found_path *path);

void run_kept_free(run_kept *kept);

#endif
