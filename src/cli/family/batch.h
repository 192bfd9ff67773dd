/* batch.h - plumb solve --at: targets that are solved together, as the bytes that show their solutions. A batch needs nothing from those
 * before it but the number of targets, so that any process can solve it. */
#ifndef PLUMB_CLI_FAMILY_BATCH_H
#define PLUMB_CLI_FAMILY_BATCH_H

#include "cli/family/family.h"
#include "cli/family/map.h"
#include "cli/family/page.h"
#include "text/memory_file.h"

typedef enum family_form { FORM_NONE, FORM_TEXT, FORM_LINES, FORM_TABLE, FORM_ARRAY } family_form;

/* What is known of targets; sums can be taken. */
typedef struct family_totals {
    int64_t targets; /* without those of a run that was stopped */
    int64_t outcome[PLUMB_INSTANCE_STOPPED + 1], real, positive;
    int64_t certified, missed; /* missed: regular solutions without a certificate */
    int64_t neighbours,
        repaired; /* targets that were begun at the one before them, and those of them where this lost solutions */
} family_totals;

typedef struct family_batch {
    const family_words *words;
    plumb_context *context;
    plumb_family *family;
    family_form form;
    int64_t each;    /* targets at most */
    int64_t targets; /* of the whole run, for which the machine is chosen; 0: unknown */
    double *limbs;   /* of the targets, as family_rows_next reads them */
    plumb_view solutions;
    plumb_solution_record *records;
    plumb_instance *instances;
    family_page *page; /* or NULL */
    family_map *map;   /* or NULL */
    FILE *out;         /* while a batch is written */
    family_proof proof;
} family_batch;

/* How many targets are solved together, if at most `most` may be: whole groups (of --neighbours) if there is room for one. */
int64_t family_batch_size(const plumb_family *family, int64_t group, int64_t most);

/* Room for batches of batch->each targets. */
int family_batch_begin(family_batch *batch);
void family_batch_end(family_batch *batch);

/* Solves the first `count` targets of batch->limbs, of which an earlier run has shown the first `again`, and the others come after `before`
 * ones. *text receives what shows these, up to the first one that was stopped; text->text is to be freed. Adds them to the totals. */
int family_batch_solve(family_batch *batch, int64_t before, int64_t again, int64_t count, memory_file *text,
                       family_totals *totals);

void family_totals_add(family_totals *to, const family_totals *more);

/* ---- How targets are shown (write.c) ----------------------------------------------------------------------------- */

/* The solutions that are shown: positive ones come first, then the other real ones. */
int64_t family_shown(const family_batch *batch, const plumb_instance *instance);

/* Writes a target with this number, from 1; its solutions begin at entry `first`. */
void family_write(const family_batch *batch, int64_t number, const plumb_instance *instance, int64_t first);

/* What comes before all targets. The header of an array has their number, and is written again at the end. */
enum { FAMILY_ARRAY_HEADER = 128 }; /* bytes */
void family_write_head(const family_batch *batch, FILE *out);
void family_write_array_header(const family_batch *batch, FILE *out, int64_t targets);

#endif
