/* kept.h - endpoints that stay in memory, so that what is written in the end need not be read from the journal, which takes ten times as
 * long. The journal has them all the same: what finds no room here is read from there. */
#ifndef PLUMB_SOLVER_RUN_KEPT_H
#define PLUMB_SOLVER_RUN_KEPT_H

#include "plumb.h"

struct track_found_path; /* run.h */

/* An endpoint, as a line of the journal has it. */
typedef struct track_kept_end {
    plumb_path_record record;
    int64_t prec; /* limbs of a number */
    double x[];   /* 2 * prec per unknown */
} track_kept_end;

/* All of them. With a journal they take an eighth of the memory that is available in the beginning, at most, and no more than
 * a gigabyte. */
typedef struct track_kept {
    struct track_kept_part *parts; /* each of some megabytes, the last one first */
    int64_t used, most;            /* bytes of all parts, and how many they may become; 0: not known yet */
} track_kept;

/* Keeps an endpoint, x with 2 * prec doubles per unknown. NULL if there is no room. */
const track_kept_end *track_kept_add(track_kept *kept, const plumb_path_record *record, const double *x, int32_t prec,
                                     int64_t unknowns);

/* What track_journal_read would read; path->x is to be set. */
void track_kept_read(const track_kept_end *end, int64_t unknowns, struct track_found_path *path);

void track_kept_free(track_kept *kept);

#endif
