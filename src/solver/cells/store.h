/* store.h - results of enumerations of mixed cells, so that what one process has enumerated others need not: as text, which is a file or a
 * message.
 *
 * A result is found by a key, which is a hash of everything that it depends on: the supports, the seed, the limit of steps and the
 * version of plumb. It is either a volume or a list of cells; that the limit was not enough is a result, too.
 *
 * A checksum shows that a text is not damaged, but not that its cells are those of the supports. Cells of the wrong volume, and points that
 * are no cell of the lifting, are noticed when their paths begin. A cell that is missing is not: its solutions would be lost. So what was read is
 * enumerated again, up to a number of steps, and what takes more is believed, which is counted. */
#ifndef PLUMB_SOLVER_CELLS_STORE_H
#define PLUMB_SOLVER_CELLS_STORE_H

#include "solver/cells/cells.h"

typedef struct cells_entry {
    uint64_t key;
    plumb_status status; /* PLUMB_OK or PLUMB_ERR_STOPPED */
    mixed_cells *cells;  /* of a volume alone: no cell, only mixed_volume */
    int64_t points;      /* entries of the lifting */
    bool checked;        /* confirmed or believed before */
} cells_entry;

typedef struct cells_store {
    cells_entry *entry;
    int64_t count, room;
    int64_t read;  /* entries that come from a text; they are the first ones */
    int64_t found; /* how often one of those was found */
    int64_t
        recount; /* steps in which those are enumerated again before they are used; 0: they are as good as our own */
    int64_t believed; /* results that would take more steps */
    int64_t refuted;  /* results that are wrong; they are not found */
} cells_store;

void plumb_store_clear(cells_store *store);

/* Looks for the result of an enumeration. True: *status is that of the enumeration, and *cells, to be destroyed, its list (NULL without
 * PLUMB_OK). Lists that do not fit the supports, and those that are refuted, are not found. */
bool plumb_store_find(cells_store *store, const cell_supports *supports, const cells_options *options, bool volume,
                      plumb_status *status, mixed_cells **cells);

/* Keeps the result of an enumeration: the list, which is copied, or only its volume. Without memory it is not kept. */
void plumb_store_add(cells_store *store, const cell_supports *supports, const cells_options *options, bool volume,
                     plumb_status status, const mixed_cells *cells);

/* All results as text, to be freed. NULL without memory. */
char *plumb_store_write(const cells_store *store, size_t *length);

/* Adds the results of a text; false if it is not one of this version of plumb, or damaged. */
bool plumb_store_read(cells_store *store, const char *text, size_t length);

#endif
