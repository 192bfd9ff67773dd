/* cells.h - enumerates the mixed cells of lifted supports, exactly, by tropical homotopies.
 *
 * Each group of equations first gets a placeholder: the vertices of the unit simplex in the unknowns of the group, a
 * linear equation. The placeholders have one mixed cell, of volume 1, or none, and then the mixed volume is 0. The
 * groups are taken one by one. The placeholder of a group is scaled such that it contains the support, and then the
 * liftings of its points grow without end, all at the same speed, while those of the support stay as they are. In
 * the beginning the support is too high to matter, in the end the placeholder is. A mixed cell stays a mixed cell
 * until a lifted point reaches its lower facet; then it is exchanged for the cells on the other side of this wall,
 * which are found by one pivot of an integer matrix (a bistellar flip of the Cayley configuration). A cell behind the
 * wall may have several neighbours before it; only the neighbour that lacks the point of the lowest number continues
 * to it. So every cell is reached exactly once, nothing has to be remembered, and the cells form a tree that any
 * number of threads can walk in any order.
 *
 * Every decision is exact. The matrices are integers in doubles, below 2^53 by checks made before each operation. The
 * heights of the lifted points are doubles with an error bound. What these cannot decide is decided with GMP. Two
 * walls at the same moment are distinguished by a second lifting, which counts as an infinitesimal change of the first
 * one. If that is a tie as well, or if a cell of the final lifting has a point too many on its facet, the walk is
 * repeated with another, longer lifting.
 *
 * Reference: A. N. Jensen, Tropical homotopy continuation, arXiv:1601.02818, 2016. */
#ifndef PLUMB_SOLVER_CELLS_H
#define PLUMB_SOLVER_CELLS_H

#include "base/os/team.h"
#include "model/cells/supports.h"

enum {
    CELLS_LIFTING_BITS = 32,     /* of the first lifting */
    CELLS_MOST_LIFTING_BITS = 48 /* each further lifting has four bits more, up to this number */
};

typedef struct cells_options {
    uint64_t seed;
    int64_t most_steps;   /* 0: no limit; it also limits the operations, of which steps with many unknowns take more */
    team **team;          /* the threads, started if a walk is long enough to need them; NULL: one thread */
    int32_t threads;      /* at least 1 */
    int32_t stable;       /* 1: raise the artificial origins to infinity and return the stable cells only */
    int32_t lifting_bits; /* of the first lifting; 0: CELLS_LIFTING_BITS */
    int32_t exact;        /* 1: decide everything with GMP, for tests */
    /* Of each point of the supports, from 0 to below 2^47: added to its random lifting; or NULL. Cells then follow these heights where they
     * differ by more than the random numbers. */
    const int64_t *heights;
    /* Asked every thousand steps, or more often if they take long, by one thread at a time, or NULL; a result other than 0 ends the walk. */
    int (*stop)(void *data);
    void *data; /* passed to stop */
} cells_options;

/* Enumerates the mixed cells; the list does not depend on the number of threads.
 *
 * In a stable enumeration the artificial origins are raised until nothing changes any more, and their liftings in the
 * result are high enough for that. The stable cells are those whose normals, divided by the height of the origins,
 * tend to a vector without negative entries; the sum of their volumes is the stable mixed volume.
 *
 * PLUMB_ERR_STOPPED if stop ends the walk or it takes more than most_steps, which depends on the supports and the seed alone;
 * PLUMB_ERR_SIZE for a mixed volume of 2^63 or more, and for more than 2048 unknowns; PLUMB_ERR_RANGE if 32 liftings had ties. */
PLUMB_USE_RESULT plumb_status plumb_cells_enumerate(const cell_supports *supports, const cells_options *options,
                                                    mixed_cells **cells);

#endif
