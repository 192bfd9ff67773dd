/* scratch.c - see scratch.h. */
#include "backend/cuda/runtime/scratch.h"

#include <stdlib.h>

#include "base/call/message.h"

typedef struct scratch_piece {
    char *memory;
    size_t bytes;
    bool recorded; /* a graph uses it */
} scratch_piece;

typedef struct scratch_stream {
    struct scratch_stream *next;
    unsigned long long number;
    void *handle;  /* under which the stream was last seen; NULL: another stream has it by now */
    bool recorded; /* one of its pieces is, or was */
    scratch_piece piece[SCRATCH_USES];
} scratch_stream;

/* Memory that only a graph uses: its stream has a larger piece by now. */
typedef struct scratch_kept {
    struct scratch_kept *next;
    char *memory;
} scratch_kept;

struct device_scratch {
    scratch_stream *streams; /* the one used last comes first */
    scratch_stream *own;     /* that of the machine's own stream, NULL before its first call */
    scratch_kept *kept;
};

/* Pieces of the machine's own stream up to this size are never freed: nobody needs to ask whether a graph uses them. */
static const size_t small_piece = (size_t)1 << 20;

/* Kernels may still be using it: cudaFree waits for all of them. */
static void release(char *memory)
{
    if (memory && cudaFree(memory) != cudaSuccess)
        (void)cudaGetLastError();
}

bool plumb_cuda_is_recorded(void *stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

/* The scratch of a stream, by its number or by its handle, moved to the front; NULL where it has none. */
static scratch_stream *find(struct device_scratch *scratch, bool by_handle, unsigned long long number, void *handle)
{
    for (scratch_stream **link = &scratch->streams, *s; (s = *link) != NULL; link = &s->next)
        if (by_handle ? s->handle == handle : s->number == number) {
            *link = s->next;
            s->next = scratch->streams;
            scratch->streams = s;
            return s;
        }
    return NULL;
}

/* Takes the scratch that was not used for longest, of those no graph uses, from a stream if there are
 * SCRATCH_STREAMS of them. */
static void evict(struct device_scratch *scratch)
{
    scratch_stream **last = NULL;
    int count = 0;
    for (scratch_stream **link = &scratch->streams; *link; link = &(*link)->next)
        if (!(*link)->recorded) {
            last = link;
            count++;
        }
    if (count < SCRATCH_STREAMS)
        return;
    scratch_stream *gone = *last;
    *last = gone->next;
    for (int use = 0; use < SCRATCH_USES; use++)
        release(gone->piece[use].memory);
    free(gone);
}

static scratch_stream *add(struct device_scratch *scratch, unsigned long long number)
{
    evict(scratch);
    scratch_stream *s = calloc(1, sizeof *s);
    if (s) {
        s->number = number;
        s->next = scratch->streams;
        scratch->streams = s;
    }
    return s;
}

/* The stream that has this handle now is s: no other one is found by it any more. */
static void note_handle(struct device_scratch *scratch, scratch_stream *s, void *handle)
{
    for (scratch_stream *other = scratch->streams; other; other = other->next)
        if (other->handle == handle)
            other->handle = NULL;
    s->handle = handle;
}

static plumb_status grow(machine *m, void *stream, scratch_use use, scratch_piece *piece, size_t bytes, bool own)
{
    const bool small = own && piece->memory && piece->bytes <= small_piece;
    if (small && bytes < 2 * piece->bytes) /* few of them are kept */
        bytes = 2 * piece->bytes;
    if (piece->recorded || small) {
        scratch_kept *kept = malloc(sizeof *kept);
        if (!kept)
            return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
        *kept = (scratch_kept){m->scratch->kept, piece->memory};
        m->scratch->kept = kept;
    } else {
        release(piece->memory);
    }
    *piece = (scratch_piece){0};
    void *memory = NULL;
    plumb_status status =
        plumb_cuda_status(cudaMalloc(&memory, bytes), "scratch memory on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK)
        *piece = (scratch_piece){.memory = memory, .bytes = bytes};
    if (status == PLUMB_OK && use == SCRATCH_WORDS)
        status = plumb_cuda_status(cudaMemsetAsync(memory, 0xff, bytes, stream), "setting scratch memory on the GPU",
                                   m->message, m->message_size);
    if (status != PLUMB_OK)
        piece->bytes = 0; /* the next call tries again */
    return status;
}

plumb_status plumb_cuda_scratch(machine *m, void *stream, scratch_use use, size_t bytes, char **memory)
{
    unsigned long long number = 0;
    *memory = NULL;
    if (!m->scratch)
        m->scratch = calloc(1, sizeof *m->scratch);
    if (!m->scratch)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    scratch_stream *s = stream == m->stream ? m->scratch->own : NULL;
    if (s && bytes <= s->piece[use].bytes && s->piece[use].bytes <= small_piece) {
        *memory = s->piece[use].memory; /* the common case asks the CUDA runtime nothing */
        return PLUMB_OK;
    }
    const bool recorded = plumb_cuda_is_recorded(stream);
    plumb_status status = PLUMB_OK;
    if (!recorded) /* asking a stream that is being recorded for its number would end the recording */
        status = plumb_cuda_status(cudaStreamGetId(stream, &number), "asking for the number of a stream", m->message,
                                   m->message_size);
    if (status != PLUMB_OK)
        return status;
    s = find(m->scratch, recorded, number, stream);
    if (recorded && (!s || s->piece[use].bytes < bytes))
        return plumb_say(PLUMB_ERR_DEVICE, m->message, m->message_size,
                         "a call that allocates cannot be recorded: run it once on the stream, then record it");
    if (!s)
        s = add(m->scratch, number);
    if (!s)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    if (!recorded)
        note_handle(m->scratch, s, stream);
    if (stream == m->stream) {
        m->scratch->own = s;
        s->recorded = true; /* it is never evicted */
    }
    scratch_piece *piece = &s->piece[use];
    if (piece->bytes < bytes)
        status = grow(m, stream, use, piece, bytes, s == m->scratch->own);
    if (recorded && !m->own_graphs)
        s->recorded = piece->recorded = true;
    *memory = piece->memory;
    return status;
}

void plumb_cuda_scratch_close(machine *m)
{
    int previous;
    if (!m->scratch)
        return;
    const bool good = plumb_cuda_enter(m, &previous) == PLUMB_OK;
    for (scratch_stream *s = m->scratch->streams, *next; s; s = next) {
        next = s->next;
        for (int use = 0; use < SCRATCH_USES && good; use++)
            release(s->piece[use].memory);
        free(s);
    }
    for (scratch_kept *kept = m->scratch->kept, *next; kept; kept = next) {
        next = kept->next;
        if (good)
            release(kept->memory);
        free(kept);
    }
    plumb_cuda_leave(previous);
    free(m->scratch);
    m->scratch = NULL;
}
