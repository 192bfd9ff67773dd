/* journal.h - the journal of plumb_decompose: a folder with one journal of plumb_solve (solver/run/run.h) for each of its calls, and
 * a file that says what is decomposed.
 *
 * The calls of plumb_solve take nearly all the time. A call that continues makes them again, each from its journal; what follows from their
 * solutions is computed once more, to the same bits. Files are named DIMENSION-ATTEMPT, as "1-0". While a process
 * uses the folder it holds a lock of the kernel on the file "decompose". */
#ifndef PLUMB_SOLVER_SETS_JOURNAL_H
#define PLUMB_SOLVER_SETS_JOURNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "solver/context/context.h"

typedef struct set_journal {
    char *folder; /* NULL: there is none */
    FILE *lock;   /* the file "decompose" */
} set_journal;

/* Makes the folder, or opens it again to resume. The message of a failure is that of the context. */
PLUMB_USE_RESULT plumb_status set_journal_open(plumb_context *context, const plumb_system *system,
                                               const plumb_decompose_options *options, set_journal *journal);
/* Ends the lock; a folder without journals is removed, unless it is to be kept: a run that was stopped has one. */
void set_journal_close(set_journal *journal, bool keep);

/* The journal of a call, to be freed; NULL without memory. *exists: there is one already. */
char *set_journal_file(const set_journal *journal, int64_t dimension, int64_t attempt, bool *exists);

#endif
