/* device.h - the host side of tracking on a GPU: memory of the decks (gpu.h), ticks recorded into graphs, and the
 * rounds in which they are replayed.
 *
 * The host never looks at a point during a run. It queues rounds, each of which has several ticks of every deck that
 * contains paths, and reads the counters of the round before the last one queued: how many paths are finished, and
 * how many slots a deck needs. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_DEVICE_H
#define PLUMB_BACKEND_CUDA_TRACK_DEVICE_H

#include <stdbool.h>

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/track/follow.h"
#include "backend/cuda/track/gpu.h"

/* The number of ticks of a graph. With more, a path that is finished or has to move would wait longer; with fewer,
 * launches by the host would no longer be hidden. With few paths, graphs are short so that the end of a path is
 * noticed soon. */
enum { TRACK_TICKS = 8, TRACK_TICKS_FEW = 4, TRACK_FEW = 16 };

/* Rounds whose counters the host has not looked at yet. */
enum { TRACK_TURNS = 4 };

/* Graphs of a deck: for all slots of the run, half of them, and so on to one. */
enum { TRACK_SIZES = 16 };

/* The first rounds of few paths are launched without a graph, which is recorded while they run. */
enum { TRACK_ROUNDS_DIRECT = 2 };

/* Memory that is kept for the next call unless it is large. */
typedef struct track_memory {
    char *at;
    size_t bytes;
} track_memory;

/* State that the machine keeps from call to call: one stream per deck, on which its ticks are recorded and to which
 * its scratch belongs; one stream for counters and one for results, so that ticks do not wait for them; events; and the memory of the
 * decks and of the data they share. */
struct device_track {
    cudaStream_t stream[TRACK_DECKS], aside, results;
    cudaEvent_t forked, joined[TRACK_DECKS], done[TRACK_TURNS], counted[TRACK_TURNS];
    int32_t *counters; /* of TRACK_TURNS rounds, in pinned host memory */
    int32_t *told;     /* there, too: -1, and once all paths have ended how many failed */
    track_memory decks[TRACK_DECKS], shared;
    track_memory sent, fetched; /* in pinned host memory */
    /* Graphs of the last call: they are destroyed while the GPU is busy with the next one, because that takes long. */
    cudaGraphExec_t gone[TRACK_DECKS * TRACK_SIZES];
    int32_t gone_count;
};

typedef struct track_deck {
    track_gpu_job job;
    int64_t slots; /* 0: the deck does not exist */
    plumb_view points, values, jacobians, moduli, sizes, a, b, x;
    plumb_view parameters,
        moved; /* of families whose coefficients are computed: from these; they are behind the points */
    cudaGraphExec_t graph[TRACK_SIZES];
    track_follow_job follow; /* of decks that are followed; job and ticks are set for each launch */
} track_deck;

/* Whether paths of a deck are followed by one kernel (follow.h) instead of ticks, and how. It depends on the call alone: the bits of a
 * path do, too. */
typedef struct track_follower {
    bool follows;
    int32_t warps; /* that a multiprocessor has registers for */
} track_follower;

/* Results as they are copied to the host, and what has become of them. */
typedef struct track_room {
    double *ends; /* in the memory that is kept for them, or all three allocated if they are large */
    plumb_path_record *results;
    int32_t *finished;
    int64_t *entries;           /* places of those that are reported */
    bool *taken;                /* for each path of the call, whether its result was taken */
    int64_t taken_count, first; /* how many were, and the first one that was not */
} track_room;

typedef struct track_run {
    machine *m;
    track_call *call;
    cudaStream_t stream;
    int64_t slots;      /* slots of the lowest deck, and the most of the others */
    int64_t most_slots; /* limit after memory was exhausted; 0: none */
    int32_t ticks;      /* the most ticks of a graph */
    track_gpu_job job;
    track_deck deck[TRACK_DECKS];
    track_follower follower[TRACK_DECKS];
    track_gpu_move *moves;
    int32_t size[TRACK_DECKS]; /* number of slots of the last ticks that were queued */
    int32_t seen[TRACK_COUNTERS];
    int64_t rounds;
    track_room room;   /* no memory before the first results are fetched */
    int64_t told;      /* paths that the caller knows have ended */
    double fetched_at; /* when results were fetched, in seconds */
} track_run;

/* Defined in device_decks.c. */

/* Half of the coefficients that move, or 0; and the unknowns of the system that is evaluated: those of h, and all of these. */
int64_t plumb_cuda_track_moving(const track_call *call);
int64_t plumb_cuda_track_width(const track_call *call);

/* Parameters of which coefficients are polynomials, and their rates; or 0. */
int64_t plumb_cuda_track_parameters(const track_call *call);

/* Chooses the number of slots of a deck such that there is memory for all precisions that the call allows. */
plumb_status plumb_cuda_track_slots(track_run *run);

/* Makes sure that the deck has this many slots: their memory, and the scratch for its ticks. Waits for the ticks that are
 * queued if a deck that exists has to grow. */
plumb_status plumb_cuda_track_deck(track_run *run, int32_t deck, int64_t slots);

/* Queues the ticks of a round for the first `size` slots of a deck. */
plumb_status plumb_cuda_track_ticks(track_run *run, int32_t deck, int32_t size, void *stream);

/* Launches one kernel of the deck. */
plumb_status plumb_cuda_track_do(track_run *run, int32_t deck, int32_t what, int64_t slots, void *stream);

/* True if the ticks of a round for this many slots will be launched without a graph. */
bool plumb_cuda_track_is_direct(const track_run *run, int32_t deck, int32_t size);

/* True if one warp can eliminate a linear system of a deck: they are small and square. It depends on the call alone. */
bool plumb_cuda_track_eliminates(const track_run *run, int32_t deck);

/* Destroys the graphs of the last call. */
void plumb_cuda_track_forget(struct device_track *kept);

/* The smallest number of slots that has a graph and is at least `need`. */
int32_t plumb_cuda_track_size(const track_run *run, int64_t need);

/* Provides memory, kept from an earlier call or newly allocated. */
plumb_status plumb_cuda_track_memory(const track_run *run, track_memory *memory, int64_t bytes);

/* The same for pinned memory of the host. NULL: it would be large, or there is none. */
char *plumb_cuda_track_pinned(track_memory *memory, int64_t bytes);

/* Frees everything that is not kept for the next run. */
void plumb_cuda_track_free(track_run *run);

/* Defined in device_follow.c. */

/* Decides which decks are followed. */
void plumb_cuda_track_choose_followers(track_run *run);

/* Slots of a multiprocessor for a deck that is followed: as many as run at a time. */
int32_t plumb_cuda_track_followed(const track_run *run, int32_t deck);

/* Sends the programs that following takes to the device, and lays out the shared memory of a block. If that is too small, the deck
 * is not followed. */
plumb_status plumb_cuda_track_prepare(track_run *run, int32_t deck);

/* Queues a round in which the first `size` slots are followed. */
plumb_status plumb_cuda_track_follow(track_run *run, int32_t deck, int32_t size, void *stream);

/* Defined in device_data.c: sends paths to the GPU and fetches results and steps. Results are those of the paths that have ended since
 * they were fetched before, while ticks are running; the last time, those of all others. */
plumb_status plumb_cuda_track_send(track_run *run);
plumb_status plumb_cuda_track_fetch(track_run *run, bool last);
plumb_status plumb_cuda_track_fetch_log(track_run *run);
void plumb_cuda_track_clear(track_run *run); /* frees what they use on the host */

#endif
