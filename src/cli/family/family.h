/* family.h - plumb solve --at: one family, many targets. Targets are read one by one, so that a file or a stream of any length
 * needs little memory; the solutions are written in their order. */
#ifndef PLUMB_CLI_FAMILY_H
#define PLUMB_CLI_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "app/command.h"
#include "app/format.h"

/* What the command line asks for. */
typedef struct family_words {
    const char *command, *file; /* file: NULL with equations */
    const app_texts *equations;
    const char *at, *parameters, *store, *output; /* store: the file of the generic solutions; at: may be "-" */
    int32_t prec, backend, start;
    bool real, positive, count, json, quiet, anew;
    int64_t threads, max_steps, reruns;
    uint64_t seed;
} family_words;

/* The exit status. */
int family_run(const family_words *words);

/* ---- Targets (rows.c) -------------------------------------------------------------------------------------------- */

typedef struct family_rows family_rows;

/* Opens the targets, and reads the names of their columns, or all of an npy file. A plain file is read once to its end and checked. names:
 * of the parameters. Says in one line what is wrong. */
int family_rows_open(const char *command, const char *path, const char *const *names, int64_t parameters,
                     family_rows **rows);
void family_rows_close(family_rows *rows);

/* Reads the next targets, at most `most`, and fewer where others have yet to come: *count is 0 at the end. limbs receives qd numbers, one
 * target after the other: limb c of part p of parameter k at (p * PLUMB_QD + c) * parameters + k. After a failure, which has
 * been said, *count targets have been read before the bad row. */
int family_rows_next(family_rows *rows, int64_t most, double *limbs, int64_t *count);

#endif
