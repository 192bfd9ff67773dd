/* mpi.h - the table of operations behind which an MPI library is: the plugin (mpi/) has one, and ranks.c uses it.
 *
 * Messages are bytes with a tag. Sending never waits: the plugin copies the bytes and lets the library go on with them whenever one of
 * its functions is called. All calls are made by one thread. */
#ifndef PLUMB_SOLVER_RANKS_MPI_H
#define PLUMB_SOLVER_RANKS_MPI_H

#include <stddef.h>
#include <stdint.h>

#define MPI_OPS_SYMBOL "plumb_mpi"
enum { MPI_OPS_INTERFACE = 2, MPI_CORE_BYTES = 128 };

typedef struct mpi_place {
    int32_t rank, size;             /* among all processes of the job */
    int32_t local_rank, local_size; /* among those on this computer */
    /* The cores that the launcher gave to the processes on this computer: all of them, as the bits of a cpu_set_t, and the sum of their
     * numbers, in which a core that several processes have counts several times. */
    unsigned char cores[MPI_CORE_BYTES];
    int32_t core_shares;
    /* For each process on this computer its rank and its process id; NULL if that is not known. It is never freed. */
    const int32_t (*processes)[2];
} mpi_place;

typedef struct mpi_ops {
    int32_t interface; /* MPI_OPS_INTERFACE */
    const char *plumb; /* the version that it was built with */
    /* The name and version of the library; may be called before begin. */
    void (*about)(char *text, size_t size);
    /* Joins the job. 0, or an error of the library, of which text has one line. */
    int (*begin)(mpi_place *place, char *text, size_t size);
    /* Sends a copy of the bytes, at most 2^30 of them. 0 if they are on their way. */
    int (*send)(int32_t to, int32_t tag, const void *bytes, size_t length);
    /* Receives a message if one is there: 1, and *bytes is to be freed. 0: none. 2: none, but one is arriving. Negative: the library
     * failed. */
    int (*receive)(int32_t *from, int32_t *tag, void **bytes, size_t *length);
    /* Are messages on their way that their receivers have not taken yet? */
    int (*is_sending)(void);
    void (*end)(void);           /* leaves the job; waits for all processes */
    void (*end_all)(int status); /* ends all processes of the job at once, this one included */
} mpi_ops;

typedef const mpi_ops *mpi_entry(void);

#endif
