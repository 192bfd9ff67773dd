/* kept.h - plumb solve --at -o FILE: what survives when the run is stopped or killed.
 *
 * The solutions grow in FILE.part, which becomes FILE at the end. FILE.journal has a first line with everything the solutions depend on, as the
 * journals of other runs have (solver/run/header.h), and one line every few seconds: how many targets are in how many bytes of FILE.part,
 * the totals, and hashes of both. --resume cuts FILE.part there and goes on, so that the bytes are those of a run that was
 * never stopped. A run that is stopped also copies what it has to FILE. */
#ifndef PLUMB_CLI_FAMILY_KEPT_H
#define PLUMB_CLI_FAMILY_KEPT_H

#include "cli/family/batch.h"

typedef struct family_kept {
    const family_words *words;
    char *journal, *part;
    FILE *lines, *file; /* of the two */
    int64_t begin;      /* bytes that are not part of the hash: the header of an array, which changes */
    int64_t bytes;      /* of the solutions, so far */
    uint64_t check;     /* checksum of the first line */
    uint64_t hash;      /* of the solutions */
    uint64_t values;    /* of the targets */
    double noted;       /* when the last line was written */
    bool holds;         /* the journal has such a line */
} family_kept;

/* Begins, or goes on with --resume: then *totals receives what is known of the targets that are done. */
int family_kept_begin(family_kept *kept, const family_batch *batch, family_totals *totals);

/* Before the targets that are done are read again. */
void family_kept_restart(family_kept *kept);

/* Adds to the hash of the targets those that were read: their limbs. */
void family_kept_read(family_kept *kept, const double *limbs, int64_t count);

/* Adds what shows some targets. totals: of all so far. */
int family_kept_add(family_kept *kept, const char *text, size_t length, const family_totals *totals);

/* FILE takes its place, and the journal is removed; or, after a stop, FILE receives a copy. */
int family_kept_commit(family_kept *kept, const family_batch *batch, const family_totals *totals, bool stopped);
void family_kept_end(family_kept *kept);

#endif
