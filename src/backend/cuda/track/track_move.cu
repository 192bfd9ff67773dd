/* track_move.cu - moves paths from slot to slot: to the precision they need, and together at the beginning of a deck
 * whose ticks become smaller. One block assigns the moves, other blocks copy. The kernels are the same for all
 * precisions and are compiled once. */
#if PLUMB_PARTS == 2 && PLUMB_LIMBS == 1
#include <stdio.h>

#include "backend/cuda/runtime/gpu.h"
#define TRACK_FN GPU_FN
#include "backend/cuda/track/gpu.h"

enum { ARRANGE_THREADS = 256, CARRY_THREADS = 128, CARRY_BLOCKS = 256 };

/* Words of shared memory: the free slots of each deck, and how many of them are taken. */
enum { EMPTY_AT, TAKEN_AT = EMPTY_AT + TRACK_DECKS, MOVES_AT = TAKEN_AT + TRACK_DECKS, ARRANGE_WORDS };

static __global__ void __launch_bounds__(ARRANGE_THREADS) track_arrange(const __grid_constant__ track_gpu_move_job job)
{
    int32_t *count = (int32_t *)gpu_shared();
    if (gpu_thread() < ARRANGE_WORDS)
        count[gpu_thread()] = 0;
    gpu_sync();
    for (int d = 0; d < TRACK_DECKS; d++)
        for (int s = gpu_thread(); s < job.size[d]; s += gpu_threads())
            if (job.deck[d].entry[s] < 0)
                job.deck[d].empty[gpu_fetch_add(count + EMPTY_AT + d, 1)] = s;
    gpu_sync();
    for (int d = 0; d < TRACK_DECKS; d++)
        for (int s = gpu_thread(); s < job.deck[d].slots; s += gpu_threads()) {
            const int to = job.deck[d].wants[s];
            if (job.deck[d].entry[s] < 0 || (to == d && s < job.size[d]))
                continue;
            const int place = gpu_fetch_add(count + TAKEN_AT + to, 1);
            if (place >= count[EMPTY_AT + to])
                continue; /* moved next time */
            track_gpu_move *move = job.moves + gpu_fetch_add(count + MOVES_AT, 1);
            move->from_deck = d;
            move->from = s;
            move->to_deck = to;
            move->to = job.deck[to].empty[place];
            if (to != d) {
                gpu_fetch_add(job.counters + TRACK_WAIT + to, -1);
                gpu_fetch_add(job.counters + TRACK_LIVE + to, 1);
                gpu_fetch_add(job.counters + TRACK_LIVE + d, -1);
            }
        }
    gpu_sync();
    if (gpu_thread() == 0)
        job.counters[TRACK_MOVES] = count[MOVES_AT];
}

/* One block per path at a time. */
static __global__ void __launch_bounds__(CARRY_THREADS) track_carry(const __grid_constant__ track_gpu_move_job job)
{
    const int64_t entries = job.unknowns * TRACK_VECTORS;
    for (int m = gpu_block(); m < job.counters[TRACK_MOVES]; m += gpu_blocks()) {
        const track_gpu_move move = job.moves[m];
        const track_gpu_deck *from = job.deck + move.from_deck, *to = job.deck + move.to_deck;
        const double *vectors = from->vectors + move.from * track_vector_doubles(job.unknowns, from->prec);
        double *moved = to->vectors + move.to * track_vector_doubles(job.unknowns, to->prec);
        for (int64_t k = gpu_thread(); k < entries; k += gpu_threads())
            track_move_entry(vectors, from->prec, moved, to->prec, entries, k);
        for (int64_t k = gpu_thread(); k < job.width; k += gpu_threads())
            to->moduli[move.to * job.width + k] = from->moduli[move.from * job.width + k];
        if (to->points) {
            const double *before = from->points + move.from * 2 * from->prec * job.width;
            double *after = to->points + move.to * 2 * to->prec * job.width;
            for (int64_t k = gpu_thread(); k < job.width; k += gpu_threads())
                track_move_entry(before, from->prec, after, to->prec, job.width, k);
        }
        if (from->left[move.from] != 0) { /* within the deck */
            const int64_t doubles = 6 * from->prec * job.unknowns;
            for (int64_t k = gpu_thread(); k < doubles; k += gpu_threads())
                to->kept[move.to * doubles + k] = from->kept[move.from * doubles + k];
        }
        for (int64_t k = gpu_thread(); k < job.equations; k += gpu_threads())
            to->scale[move.to * job.equations + k] = from->scale[move.from * job.equations + k];
        if (gpu_thread() == 0) {
            to->paths[move.to] = from->paths[move.from];
            to->paths[move.to].precision.now = to->prec;
            to->entry[move.to] = from->entry[move.from];
            to->wants[move.to] = move.to_deck;
            to->left[move.to] = from->left[move.from];
            to->began[move.to] = from->began[move.from];
            from->entry[move.from] = -1;
        }
    }
}

extern "C" plumb_status plumb_cuda_track_move(const track_gpu_move_job *given, void *stream, char *message,
                                              size_t message_size)
{
    track_gpu_move_job job = *given;
    void *arguments[] = {&job};
    cudaError_t error = cudaLaunchKernel((const void *)track_arrange, dim3(1), dim3(ARRANGE_THREADS), arguments,
                                         ARRANGE_WORDS * sizeof(int32_t), (cudaStream_t)stream);
    if (error == cudaSuccess)
        error = cudaLaunchKernel((const void *)track_carry, dim3(CARRY_BLOCKS), dim3(CARRY_THREADS), arguments, 0,
                                 (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of moving paths failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}
#endif
