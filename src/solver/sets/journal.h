/* journal.h - the journal of plumb_decompose: a folder with one journal of plumb_solve (solver/run/run.h) for each of its calls, and
 * a file that says what is decomposed.
 *
 * A call that continues makes the calls of plumb_solve again, each from its journal, and computes what follows from their solutions once
 * more, to the same bits; but dimensions that were finished are read. Journals are named DIMENSION-ATTEMPT, as "1-0", and finished
 * dimensions, which are files of components, DIMENSION-done. While a process uses the folder it holds a lock of the kernel on the file
 * "decompose". */
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

/* Keeps the components and the account of a finished dimension: `done` has these alone. */
PLUMB_USE_RESULT plumb_status set_journal_keep(plumb_context *context, const set_journal *journal,
                                               const plumb_components *done);
/* *done: those of a dimension that an earlier run has finished, or NULL. */
PLUMB_USE_RESULT plumb_status set_journal_take(const set_journal *journal, int64_t dimension, plumb_components **done);

/* The journal of a call, to be freed; NULL without memory. *exists: there is one already. */
char *set_journal_file(const set_journal *journal, int64_t dimension, int64_t attempt, bool *exists);

#endif
