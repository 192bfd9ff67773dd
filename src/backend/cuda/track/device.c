/* device.c - the rounds of a run on a GPU; see device.h. */
#include "backend/cuda/track/device.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/number/precision.h"
#include "base/os/clock.h"

/* Results are fetched after this many seconds, if there are new ones and someone waits for them: what a caller that is killed has not
 * heard of is lost. */
static const double fetch_seconds = 1.0;

/* They are also fetched whenever this part of all paths has ended, but not fewer and not many more at a time than this: the
 * caller checks them on the processor, which has nothing else to do, while the GPU tracks the others. */
enum { FETCH_PART = 4, FETCH_LEAST = 64, FETCH_MANY = 1024 };

plumb_status plumb_cuda_track_move(const track_gpu_move_job *job, void *stream, char *message, size_t message_size);

static plumb_status said(const track_run *run, cudaError_t error)
{
    return plumb_cuda_status(error, "tracking on the GPU", run->m->message, run->m->message_size);
}

/* ---- What the machine keeps ------------------------------------------------------------------------------------------ */

static cudaError_t make_kept(struct device_track *kept)
{
    cudaError_t error = cudaSuccess;
    for (int d = 0; d < TRACK_DECKS && error == cudaSuccess; d++) {
        error = cudaStreamCreateWithFlags(&kept->stream[d], cudaStreamNonBlocking);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&kept->joined[d], cudaEventDisableTiming);
    }
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&kept->forked, cudaEventDisableTiming);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&kept->aside, cudaStreamNonBlocking);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&kept->results, cudaStreamNonBlocking);
    for (int k = 0; k < TRACK_TURNS && error == cudaSuccess; k++) {
        error = cudaEventCreateWithFlags(&kept->counted[k], cudaEventDisableTiming);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&kept->done[k], cudaEventDisableTiming);
    }
    if (error == cudaSuccess)
        error = cudaMallocHost((void **)&kept->counters, (size_t)(TRACK_TURNS * TRACK_COUNTERS + 1) * sizeof(int32_t));
    if (error == cudaSuccess)
        kept->told = kept->counters + (ptrdiff_t)TRACK_TURNS * TRACK_COUNTERS;
    return error;
}

static void forget_event(cudaEvent_t event)
{
    if (event && cudaEventDestroy(event) != cudaSuccess)
        (void)cudaGetLastError();
}

static void forget_stream(cudaStream_t stream)
{
    if (stream && cudaStreamDestroy(stream) != cudaSuccess)
        (void)cudaGetLastError();
}

static void forget_memory(const track_memory *memory)
{
    if (memory->at && cudaFree(memory->at) != cudaSuccess)
        (void)cudaGetLastError();
}

static void forget_host_memory(void *memory)
{
    if (memory && cudaFreeHost(memory) != cudaSuccess)
        (void)cudaGetLastError();
}

void plumb_cuda_track_close(machine *m)
{
    int previous;
    struct device_track *kept = m->track;
    if (!kept || plumb_cuda_enter(m, &previous) != PLUMB_OK)
        return;
    for (int d = 0; d < TRACK_DECKS; d++) {
        forget_event(kept->joined[d]);
        forget_stream(kept->stream[d]);
        forget_memory(&kept->decks[d]);
    }
    for (int k = 0; k < TRACK_TURNS; k++) {
        forget_event(kept->counted[k]);
        forget_event(kept->done[k]);
    }
    forget_event(kept->forked);
    forget_stream(kept->aside);
    forget_stream(kept->results);
    forget_memory(&kept->shared);
    plumb_cuda_track_forget(kept);
    forget_host_memory(kept->counters);
    forget_host_memory(kept->sent.at);
    forget_host_memory(kept->fetched.at);
    plumb_cuda_leave(previous);
    free(m->track);
    m->track = NULL;
}

static plumb_status open(track_run *run)
{
    machine *m = run->m;
    plumb_status status = plumb_cuda_mgs_open(m);
    if (status != PLUMB_OK || m->track)
        return status;
    m->track = calloc(1, sizeof *m->track);
    if (!m->track)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    status = said(run, make_kept(m->track));
    if (status != PLUMB_OK)
        plumb_cuda_track_close(m);
    return status;
}

/* ---- A round ----------------------------------------------------------------------------------------------------------- */

/* Chooses the number of slots of the next ticks of each deck from the last counters; 0: the deck has nothing to do.
 * Decks that more paths have to move to than ever before grow. */
static plumb_status choose_sizes(track_run *run, int32_t *size)
{
    plumb_status status = PLUMB_OK;
    for (int32_t d = 0; d < TRACK_DECKS && status == PLUMB_OK; d++) {
        int64_t need = (int64_t)run->seen[TRACK_LIVE + d] + run->seen[TRACK_WAIT + d];
        if (plumb_precisions[d].limbs == run->call->settings->least_prec)
            need += run->call->count - run->seen[TRACK_BEGUN];
        size[d] = need > 0 ? plumb_cuda_track_size(run, need < run->slots ? need : run->slots) : 0;
        if (need > 0)
            status = plumb_cuda_track_deck(run, d, size[d]);
    }
    return status;
}

/* Moves paths if some are waiting for it, or if a deck becomes shorter. */
static plumb_status move(track_run *run, const int32_t *size)
{
    track_gpu_move_job job = {.moves = run->moves,
                              .counters = run->job.counters,
                              .unknowns = run->call->settings->unknowns,
                              .equations = run->call->settings->equations,
                              .width = run->job.width};
    bool needed = false;
    for (int d = 0; d < TRACK_DECKS; d++) {
        job.deck[d] = run->deck[d].job.deck;
        job.size[d] = size[d];
        needed = needed || run->seen[TRACK_WAIT + d] > 0 || (size[d] > 0 && size[d] < run->size[d]);
    }
    if (!needed)
        return PLUMB_OK;
    return plumb_cuda_track_move(&job, run->stream, run->m->message, run->m->message_size);
}

/* Queues the ticks of a deck on its own stream, from where the stream of the run is now to where that goes on. */
static plumb_status ticks_beside(track_run *run, int32_t d, int32_t size)
{
    struct device_track *kept = run->m->track;
    plumb_status status = said(run, cudaStreamWaitEvent(kept->stream[d], kept->forked, 0));
    if (status == PLUMB_OK)
        status = plumb_cuda_track_ticks(run, d, size, kept->stream[d]);
    if (status == PLUMB_OK)
        status = said(run, cudaEventRecord(kept->joined[d], kept->stream[d]));
    return status == PLUMB_OK ? said(run, cudaStreamWaitEvent(run->stream, kept->joined[d], 0)) : status;
}

/* Queues the ticks of all decks, each on its own stream so that they run concurrently. A single one needs its own stream only if its ticks
 * are launched without a graph, because its scratch belongs to that stream. */
static plumb_status all_ticks(track_run *run, const int32_t *size)
{
    const int active = (size[0] > 0) + (size[1] > 0) + (size[2] > 0);
    bool beside = active > 1;
    for (int32_t d = 0; d < TRACK_DECKS; d++)
        beside = beside || (size[d] > 0 && plumb_cuda_track_is_direct(run, d, size[d]));
    plumb_status status = beside ? said(run, cudaEventRecord(run->m->track->forked, run->stream)) : PLUMB_OK;
    for (int32_t d = 0; d < TRACK_DECKS && status == PLUMB_OK; d++)
        if (size[d] > 0)
            status = beside ? ticks_beside(run, d, size[d]) : plumb_cuda_track_ticks(run, d, size[d], run->stream);
    return status;
}

/* The copy runs beside the ticks: those of the next round may start, and change the counters, during the copy. The
 * decisions of the host do not need a consistent snapshot: if a deck is too short for a round, paths wait. */
static cudaError_t copy_counters(track_run *run, int64_t turn)
{
    struct device_track *kept = run->m->track;
    const size_t bytes = TRACK_COUNTERS * sizeof(int32_t);
    cudaError_t error = cudaEventRecord(kept->done[turn], run->stream);
    if (error == cudaSuccess)
        error = cudaStreamWaitEvent(kept->aside, kept->done[turn], 0);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(kept->counters + turn * TRACK_COUNTERS, run->job.counters, bytes,
                                cudaMemcpyDeviceToHost, kept->aside);
    run->call->to_host += (int64_t)bytes;
    return error == cudaSuccess ? cudaEventRecord(kept->counted[turn], kept->aside) : error;
}

static plumb_status queue_round(track_run *run)
{
    int32_t size[TRACK_DECKS];
    const int64_t turn = run->rounds++ % TRACK_TURNS;
    plumb_status status = choose_sizes(run, size);
    if (status == PLUMB_OK)
        status = move(run, size);
    if (status == PLUMB_OK)
        status = all_ticks(run, size);
    memcpy(run->size, size, sizeof size);
    return status == PLUMB_OK ? said(run, copy_counters(run, turn)) : status;
}

/* True if all paths have ended, as soon as the GPU has said so. */
static bool have_all_ended(track_run *run)
{
    const int32_t failed = *(volatile int32_t *)run->m->track->told;
    if (failed < 0)
        return false;
    run->seen[TRACK_BEGUN] = run->seen[TRACK_ENDED] = (int32_t)run->call->count;
    run->seen[TRACK_FAILED] = failed;
    return true;
}

/* Waits for the counters of a round. If few paths are left, until all have ended, which may be many ticks before the end of the round.
 * The host looks often whether it was told, and seldom whether the round is over, because asking that takes a microsecond. */
static plumb_status look_at(track_run *run, int64_t round)
{
    enum { LOOKS = 1000 };
    struct device_track *kept = run->m->track;
    cudaEvent_t counted = kept->counted[round % TRACK_TURNS];
    cudaError_t error = cudaErrorNotReady;
    if (run->call->step || run->call->count - run->seen[TRACK_ENDED] > TRACK_FEW)
        error = cudaEventSynchronize(counted);
    for (uint32_t k = 0; error == cudaErrorNotReady; k++) { /* k may start again */
        if (have_all_ended(run))
            return PLUMB_OK;
        if (k % LOOKS == 0 && (error = cudaEventQuery(counted)) == cudaErrorNotReady)
            (void)cudaGetLastError(); /* this is none */
    }
    memcpy(run->seen, kept->counters + round % TRACK_TURNS * TRACK_COUNTERS, sizeof run->seen);
    return said(run, error);
}

/* ---- A run ------------------------------------------------------------------------------------------------------------- */

static plumb_status stop(track_run *run)
{
    plumb_status status = PLUMB_OK;
    run->call->stopped = 1;
    for (int32_t d = 0; d < TRACK_DECKS && status == PLUMB_OK; d++)
        if (run->deck[d].slots > 0)
            status = plumb_cuda_track_do(run, d, TRACK_RUN_STOP, run->deck[d].slots, run->stream);
    return status;
}

/* True if results are to be fetched between two rounds. */
static bool has_results(const track_run *run)
{
    const track_call *call = run->call;
    const int64_t fresh = run->seen[TRACK_ENDED] - run->room.taken_count, part = call->count / FETCH_PART;
    const double seconds = run->m->hooks.track_seconds > 0.0 ? run->m->hooks.track_seconds : fetch_seconds;
    if (!call->ended || fresh <= 0 || run->seen[TRACK_ENDED] >= call->count)
        return false;
    return (fresh >= FETCH_LEAST && (fresh >= part || fresh >= FETCH_MANY)) ||
           (call->at_once && plumb_clock_seconds() - run->fetched_at >= seconds);
}

/* Another round is queued first, so that the GPU does not wait for the caller. */
static plumb_status fetch_some(track_run *run)
{
    plumb_status status = run->call->step ? PLUMB_OK : queue_round(run);
    if (status == PLUMB_OK)
        status = plumb_cuda_track_fetch(run, false);
    run->fetched_at = plumb_clock_seconds();
    return status;
}

static plumb_status rounds(track_run *run)
{
    track_call *call = run->call;
    const int32_t first = track_deck_of(call->settings->least_prec);
    /* With a log to fetch, no round is queued ahead. */
    const int64_t ahead = call->step ? 0 : 1;
    plumb_status status = plumb_cuda_track_deck(run, first, run->slots);
    run->seen[TRACK_CREDITS] = (int32_t)run->slots;
    if (status == PLUMB_OK && !run->follower[first].follows)
        status = plumb_cuda_track_do(run, first, TRACK_RUN_DECIDE, run->slots, run->stream); /* takes the first paths */
    while (status == PLUMB_OK && run->seen[TRACK_ENDED] < call->count) {
        status = queue_round(run);
        if (status == PLUMB_OK && run->rounds == 1 + ahead && call->begun)
            call->begun(call->data);
        if (status == PLUMB_OK && run->rounds == 1 + ahead)
            plumb_cuda_track_forget(run->m->track);
        if (status == PLUMB_OK && run->rounds > ahead)
            status = look_at(run, run->rounds - 1 - ahead);
        if (status == PLUMB_OK && call->step)
            status = plumb_cuda_track_fetch_log(run);
        if (status == PLUMB_OK && has_results(run))
            status = fetch_some(run);
        if (status == PLUMB_OK && call->progress &&
            call->progress(call->data, run->seen[TRACK_ENDED], run->seen[TRACK_FAILED]) &&
            run->seen[TRACK_ENDED] < call->count)
            return stop(run);
    }
    return status;
}

static plumb_status attempt(track_run *run)
{
    plumb_status status = plumb_cuda_track_slots(run);
    if (status == PLUMB_OK)
        status = plumb_cuda_track_send(run);
    if (status == PLUMB_OK)
        status = rounds(run);
    if (status == PLUMB_OK)
        status = plumb_cuda_track_fetch(run, true);
    /* Everything that is still queued uses the memory. */
    plumb_status ended = said(run, cudaStreamSynchronize(run->stream));
    for (int d = 0; d < TRACK_DECKS && ended == PLUMB_OK; d++)
        ended = said(run, cudaStreamSynchronize(run->m->track->stream[d]));
    if (ended == PLUMB_OK)
        ended = said(run, cudaStreamSynchronize(run->m->track->aside));
    plumb_cuda_track_free(run);
    plumb_cuda_track_clear(run);
    return status == PLUMB_OK ? ended : status;
}

/* If memory does not suffice, the run starts again with half the slots, as long as no step and no endpoint has been
 * reported to anyone; that a caller has checked some does not matter. */
static plumb_status track(machine *m, track_call *call, cudaStream_t stream)
{
    for (int64_t most = 0;;) {
        track_run run = {
            .m = m, .call = call, .stream = stream, .most_slots = most, .fetched_at = plumb_clock_seconds()};
        call->to_device = call->to_host = call->steps = call->left_count = 0;
        plumb_status status = open(&run);
        if (status == PLUMB_OK)
            status = attempt(&run);
        if (status != PLUMB_ERR_MEMORY || run.slots <= 1 || (call->step && run.rounds > 0) ||
            (call->at_once && run.told > 0))
            return status;
        m->message[0] = 0; /* fewer slots are not a failure */
        most = run.slots / 2;
    }
}

plumb_status plumb_cuda_track(machine *m, track_call *call, void *stream)
{
    int previous;
    call->to_device = call->to_host = call->steps = 0;
    call->stopped = 0;
    if (call->count == 0)
        return PLUMB_OK;
    plumb_status status = plumb_cuda_enter(m, &previous);
    m->own_graphs = 1;
    if (status == PLUMB_OK)
        status = track(m, call, stream ? stream : m->stream);
    m->own_graphs = 0;
    plumb_cuda_leave(previous);
    return status;
}
