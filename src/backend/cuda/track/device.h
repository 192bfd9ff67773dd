/* device.h - tracking on a GPU, the host's side: memory of the decks (track_gpu.h), ticks recorded into graphs, and the rounds in
 * which they are replayed.
 *
 * The host never looks at a point on the way. It queues rounds, each so many ticks of every deck that has paths, and reads the counters of
 * the round before the last one it queued: how many paths are done, how many slots a deck needs. */
#ifndef PLUMB_BACKEND_CUDA_TRACK_DEVICE_H
#define PLUMB_BACKEND_CUDA_TRACK_DEVICE_H

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/track/gpu.h"

/* Ticks of a graph. More would let a path that is done, or wants to move, wait longer; fewer would show the host's launches. Where
 * there are few paths, the end of one is soon noticed. */
enum { TRACK_TICKS = 8, TRACK_TICKS_FEW = 4, TRACK_FEW = 16 };

/* Graphs of a deck: for all of its slots, a quarter of them, and so on to one. */
enum { TRACK_SIZES = 8 };

/* Memory that is kept for the next call unless it is a lot. */
typedef struct track_memory {
    char *at;
    size_t bytes;
} track_memory;

/* Kept by the machine from call to call: a stream a deck, on which its ticks are recorded and its scratch depends; one for counters,
 * so that ticks do not wait for them; events; memory of the decks and of what all of them share. */
struct device_track {
    cudaStream_t stream[TRACK_DECKS], aside;
    cudaEvent_t forked, joined[TRACK_DECKS], done[2], counted[2];
    int32_t *counters; /* of two rounds, in host memory the GPU copies to */
    track_memory decks[TRACK_DECKS], shared;
};

typedef struct track_deck {
    track_gpu_job job;
    bool there;
    plumb_view points, values, jacobians, a, b, x;
    cudaGraphExec_t graph[TRACK_SIZES];
} track_deck;

typedef struct track_run {
    machine *m;
    track_call *call;
    cudaStream_t stream;
    int64_t slots;      /* of each deck */
    int64_t most_slots; /* where there was no memory for more; 0: not yet */
    int32_t ticks;      /* of a graph */
    int64_t like;       /* paths that kernels are chosen for */
    track_gpu_job job;
    track_deck deck[TRACK_DECKS];
    track_gpu_move *moves;
    int32_t size[TRACK_DECKS]; /* slots of the last ticks that were queued */
    int32_t seen[TRACK_COUNTERS];
    int64_t rounds;
} track_run;

/* device_track_decks.c */

/* Slots for each deck such that there is memory for all the precisions that the call allows. */
plumb_status plumb_cuda_track_slots(track_run *run);

/* Makes the deck, if it is not there: memory, and scratch for its ticks. */
plumb_status plumb_cuda_track_deck(track_run *run, int32_t deck);

/* Queues the ticks of a round for the first `size` slots of a deck. */
plumb_status plumb_cuda_track_ticks(track_run *run, int32_t deck, int32_t size, void *stream);

/* One kernel of the deck's. */
plumb_status plumb_cuda_track_do(track_run *run, int32_t deck, int32_t what, int64_t slots, void *stream);

/* The smallest number of slots there is a graph for and that is not below `need`. */
int32_t plumb_cuda_track_size(const track_run *run, int64_t need);

/* So many bytes, kept from earlier or new. */
plumb_status plumb_cuda_track_memory(const track_run *run, track_memory *memory, int64_t bytes);

/* Frees what a run does not leave for the next one. */
void plumb_cuda_track_free(track_run *run);

/* device_track_data.c: paths to the GPU, results and steps back. */
plumb_status plumb_cuda_track_send(track_run *run);
plumb_status plumb_cuda_track_fetch(track_run *run);
plumb_status plumb_cuda_track_fetch_log(track_run *run);

#endif
