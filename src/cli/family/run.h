/* run.h - the parts of plumb solve --at: one process, or the ranks of a job, which take batches of targets in turns. */
#ifndef PLUMB_CLI_FAMILY_RUN_H
#define PLUMB_CLI_FAMILY_RUN_H

#include "app/files.h"
#include "cli/family/batch.h"
#include "cli/family/kept.h"

/* Targets of a batch with ranks: between two batches rank 0 looks for messages. */
enum { CREW_TARGETS = 128 };

typedef struct family_job {
    const family_words *words;
    bool doubtful;      /* generic solutions may be missing */
    const char **names; /* of the parameters */
    family_rows *rows;
    family_batch batch;
    app_output output; /* if it is no plain file, which kept has */
    family_kept kept;
    family_page page;
    family_map map;
    family_totals totals;
    int64_t again;       /* targets of the first group that an earlier run has shown; they are in batch.limbs */
    bool pictures_only;  /* branches are drawn, which have targets of their own */
    plumb_progress show; /* or NULL */
} family_job;

/* How solutions are shown, if the options are good. */
family_form family_form_of(const family_words *words);

/* Writes what shows some targets, in their order, and adds them to the totals. */
int family_take(family_job *job, const char *text, size_t length, const family_totals *more);

/* ---- Ranks (crew.c) ---------------------------------------------------------------------------------------------- */

/* Rank 0: sends the generic solutions to the others, and goes on with its own share of the cores. */
int family_crew_begin(family_job *job);

/* Rank 0: all targets. *rows: what reading them said. */
int family_crew_solve(family_job *job, int *rows);

/* Another rank: solves what rank 0 sends, until it is told to end. */
int family_crew_serve(family_job *job);

#endif
