/* ranks.h - the processes (ranks) of a command that was started with --mpi, and messages between them.
 *
 * Rank 0 is the manager: it alone writes files and prints. The others do what it asks. What goes wrong on them is printed by rank 0, so
 * that N processes do not say the same thing N times. In the end all have the exit status of rank 0.
 *
 * All calls are made by the main thread. Without --mpi the process is rank 0 of 1. */
#ifndef PLUMB_SOLVER_RANKS_H
#define PLUMB_SOLVER_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Joins the job of the launcher (mpirun, srun). RUN_OK, or one line and the exit status (solver/run/host.h). */
struct run_voice;
int ranks_begin(const struct run_voice *voice);

/* Room for what goes wrong on a worker, which rank 0 says in the end: the first line that the host of a worker is to say. */
char *ranks_kept(size_t *size);

bool ranks_are_launched(void); /* by a launcher; asks the environment alone */
bool ranks_are_used(void);     /* with --mpi, also for one process */
int32_t ranks_own(void);
int32_t ranks_count(void);
bool ranks_is_worker(void); /* a rank other than 0 */

/* For contexts of this rank. Its GPU, for this backend: the ranks of a computer take one after the other. The number of threads for
 * tracking, if none is given (0): the cores that the launcher gave to this rank, or its share of those that ranks have in common. The
 * number of threads for what rank 0 does alone, before and after: those of all ranks of the computer, because they wait. */
int32_t ranks_device(int32_t backend);
int32_t ranks_threads(int64_t given);
int32_t ranks_threads_alone(int64_t given);

/* Rank 0: the calling thread, and threads that it starts, may use the cores of all ranks of the computer, or only its own. After
 * ranks_begin it may use all. */
void ranks_alone(bool alone);

/* A hash of the program, by which different builds are distinguished. */
uint64_t ranks_build(void);

typedef enum ranks_tag {
    RANKS_CELLS = 1, /* to a worker: mixed cells, as text */
    RANKS_HELLO,     /* to rank 0: what this rank would compute, as text */
    RANKS_BLOCK,     /* to a worker: paths to track */
    RANKS_RESULTS,   /* to rank 0: endpoints and records */
    RANKS_FINISHED,  /* to rank 0: this many blocks are done, or were given up */
    RANKS_CANCEL,    /* to a worker: forget all blocks */
    RANKS_STOP,      /* to rank 0: a signal has come */
    RANKS_FAILED,    /* to rank 0: exit status, and why */
    RANKS_HOME,      /* to a worker: this job is over, and how */
    RANKS_QUIT,      /* to a worker: exit status */
    RANKS_STAGE,     /* to a worker: what the next job is (solver/sets/stage.h) */
    RANKS_BYE        /* to rank 0: the last message of a rank */
} ranks_tag;

typedef struct ranks_message {
    int32_t from;
    ranks_tag tag;
    void *bytes; /* to be freed; never NULL */
    size_t length;
} ranks_message;

void ranks_send(int32_t to, ranks_tag tag, const void *bytes, size_t length);
bool ranks_receive(ranks_message *message); /* false: none is there */

/* A process may do several jobs, one after the other and in the same order on all ranks: a worker that is late must not be taken for one of the
 * next job. Messages belong to the job in which they were sent; others are dropped, or wait until it begins. Rank 0 ends a job by sending
 * the others home, with its status; a worker asks whether it was sent home, and how. Both go on to the next job then. */
void ranks_send_home(int32_t status);
bool ranks_is_home(int32_t *status);
void ranks_wait_for_home(void); /* or until rank 0 tells it to end */
/* On a worker: tells rank 0 that it failed, and why. */
void ranks_tell_failure(int status, const char *why);
void ranks_next_job(void);

/* Long messages are under way only while their sender helps. Helps until all have arrived, for a tenth of a second at most. */
void ranks_deliver(void);

/* On a worker: waits for the next message with this tag; others are dropped. False if rank 0 has sent it
 * home, or told it to end. */
bool ranks_wait(ranks_tag tag, ranks_message *message);

/* Leaves the job with the exit status of the command. Rank 0 tells the others to end; they report a failure first, and wait
 * until they are told. Returns the exit status of all. Ranks that do not answer are ended with the whole job. */
int ranks_end(int status);

/* What plumb info says: the library, and where the plugin is not usable why not. */
bool ranks_about(char *text, size_t size);

#endif
