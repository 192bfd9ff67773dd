/* family.h - plumb solve --at: one family, many targets. Targets are read one by one, so that a file or a stream of any length
 * needs little memory; the solutions are written in their order. plumb monodromy shares the files of families. */
#ifndef PLUMB_CLI_FAMILY_H
#define PLUMB_CLI_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include "app/certified.h"
#include "app/command/command.h"
#include "app/format.h"
#include "plumb.h"

/* The command line. */
typedef struct family_words {
    const char *command, *file; /* file: NULL with equations */
    const app_texts *equations;
    const char *at, *parameters, *store, *output, *html; /* store: the file of the generic solutions; at: may be "-" */
    const char *map, *plot, *plot_coordinates;           /* map: in the place of at */
    int32_t prec, backend, start;
    bool real, positive, count, json, quiet, anew, certify, resume, mpi;
    int64_t threads, max_steps, reruns, neighbours;
    uint64_t seed;
} family_words;

/* The exit status. */
int family_run(const family_words *words);

/* ---- Families in files (store.c) ---------------------------------------------------------------------------------- */

/* Makes the family of a file or of equations; parameters: the list of --parameters, or NULL. Says in one line what is wrong. */
int family_make(const char *command, const char *file, const app_texts *equations, const char *parameters,
                plumb_family **family);

/* Takes generic solutions from a file, and writes them. */
int family_load(const char *command, const char *path, plumb_family *family);
int family_save(const char *command, const char *path, const plumb_family *family);

/* ---- Certificates (certify.c) ------------------------------------------------------------------------------------- */

typedef struct family_proof {
    plumb_certificates *certificates; /* of all solutions of the target; NULL if there are none */
    app_certified counts;
    int64_t missed; /* regular solutions that could not be certified, or are those of others */
} family_proof;

/* Says so if certificates cannot be made here. */
int family_certify_check(const char *command);

/* Certifies the solutions of a target; proof->certificates is to be destroyed. */
int family_certify(const char *command, plumb_context *context, const plumb_family *family, const plumb_view *target,
                   const plumb_view *solutions, const plumb_solution_record *records, uint64_t seed,
                   family_proof *proof);

/* ---- Targets (rows.c) -------------------------------------------------------------------------------------------- */

typedef struct family_rows family_rows;

/* Opens the targets, and reads the names of their columns, or all of an npy file. A plain file is read once to its end and checked. names:
 * of the parameters. Says in one line what is wrong. */
int family_rows_open(const char *command, const char *path, const char *const *names, int64_t parameters,
                     family_rows **rows);
/* The targets of --map; it is used until the rows are closed. */
struct family_map;
int family_rows_open_map(const char *command, const struct family_map *map, int64_t parameters, family_rows **rows);

/* From now on so many rows of a stream come together, but for the last ones. */
void family_rows_group(family_rows *rows, int64_t group);
void family_rows_close(family_rows *rows);

/* How many targets there are; 0: unknown, because they come from a stream. */
int64_t family_rows_count(const family_rows *rows);

/* Reads the next targets, at most `most`, and fewer where others have yet to come: *count is 0 at the end. limbs receives qd numbers, one
 * target after the other: limb c of part p of parameter k at (p * PLUMB_QD + c) * parameters + k. After a failure, which has
 * been said, *count targets have been read before the bad row. */
int family_rows_next(family_rows *rows, int64_t most, double *limbs, int64_t *count);

#endif
