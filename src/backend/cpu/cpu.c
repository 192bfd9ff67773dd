/* cpu.c - the CPU as a machine: memory, copies, and the loop of a call over runs and threads.
 *
 * Entries are independent of one another, so the bits do not depend on how a call is divided into pieces. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/eval/eval.h"
#include "backend/cpu/gemm/gemm.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/lsq.h"
#include "backend/cpu/track/track.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/memory.h"
#include "base/os/team.h"

enum { ALIGNMENT = 64 };

/* Entries per piece: four qd operands fit in a second-level cache, and a piece is long enough to hide the loop around
 * it. */
enum { PIECE = 2048 };

/* Below this many limb products a team of threads costs more to wake than it saves (about 50 us of one core). */
enum { WORTH_THREADS = 1 << 17 };

static plumb_status cpu_alloc(machine *m, size_t bytes, void **memory)
{
    if (bytes > (size_t)PTRDIFF_MAX - ALIGNMENT)
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "an array of %zu bytes cannot be addressed",
                         bytes);
    plumb_status status = plumb_memory_check((int64_t)bytes, "an array", m->message, m->message_size);
    if (status != PLUMB_OK)
        return status;
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *memory = aligned_alloc(ALIGNMENT, rounded);
    if (!*memory)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "no memory for an array of %zu bytes", bytes);
    memset(*memory, 0, rounded);
    return PLUMB_OK;
}

static void cpu_release(machine *m, void *memory)
{
    (void)m;
    free(memory);
}

static plumb_status cpu_copy(machine *m, const plumb_view *src, const plumb_view *dst, void *stream)
{
    (void)m, (void)stream;
    runs r = {src->rows,
              {src->cols, view_planes(src), src->batch},
              {{src->col, dst->col, dst->col, dst->col},
               {src->plane, dst->plane, dst->plane, dst->plane},
               {src->next, dst->next, dst->next, dst->next}}};
    plumb_runs_merge(&r);
    for (int64_t i = 0; i < runs_total(&r); i++)
        memcpy(dst->data + runs_offset(&r, i, 1), src->data + runs_offset(&r, i, 0), (size_t)r.length * sizeof(double));
    return PLUMB_OK;
}

/* Computes entries [begin, end) of run number index. */
static void map_piece(map_kernel kernel, const map_call *call, int64_t index, int64_t begin, int64_t end)
{
    map_job job = call->first;
    job.n = end - begin;
    job.x += runs_offset(&call->loop, index, MAP_X) + begin;
    if (job.y)
        job.y += runs_offset(&call->loop, index, MAP_Y) + begin;
    if (job.z)
        job.z += runs_offset(&call->loop, index, MAP_Z) + begin;
    job.out += runs_offset(&call->loop, index, MAP_OUT) + begin;
    kernel(&job);
}

/* The pieces of a call, shared among threads. */
typedef struct map_share {
    map_kernel kernel;
    const map_call *call;
    int64_t piece, pieces, all; /* the length of one, their number in a run and in all runs */
} map_share;

static void map_pieces(void *data, team *t, int32_t index, int32_t threads)
{
    const map_share *s = data;
    int64_t last, length = s->call->loop.length;
    (void)t;
    for (int64_t k = team_share(s->all, index, threads, &last); k < last; k++) {
        int64_t begin = k % s->pieces * s->piece, end = begin + s->piece < length ? begin + s->piece : length;
        map_piece(s->kernel, s->call, k / s->pieces, begin, end);
    }
}

static bool worth_threads(const map_call *call, int64_t run_count)
{
    double terms = call->op == PLUMB_OP_DOT ? (double)call->first.terms : 1.0;
    double products = (double)call->prec * call->prec * call->parts * call->parts * terms;
    return products * (double)run_count * (double)call->loop.length >= WORTH_THREADS;
}

static plumb_status cpu_map(machine *m, const map_call *call, void *stream)
{
    (void)stream;
    map_kernel kernel = m->isa->prec[call->prec]->map[call->parts][call->op];
    if (!kernel)
        return plumb_say(PLUMB_ERR_UNSUPPORTED, m->message, m->message_size, "op: %s does not exist for %s %s numbers",
                         plumb_op_name(call->op), call->parts == PLUMB_COMPLEX ? "complex" : "real",
                         plumb_prec_name(call->prec));

    /* A dot product may be long and its run short; pieces are then short enough to give every thread one. */
    int64_t length = call->loop.length, run_count = runs_total(&call->loop), piece = PIECE;
    if (call->op == PLUMB_OP_DOT && run_count < m->threads)
        piece = (length / m->threads + 15) / 16 * 16 + 16;
    if (piece > PIECE)
        piece = PIECE;
    int64_t pieces = (length + piece - 1) / piece;
    const int32_t threads = pieces * run_count > 1 && worth_threads(call, run_count) ? m->threads : 1;
    plumb_status status = team_start(&m->team, threads, m->message, m->message_size);
    map_share share = {kernel, call, piece, pieces, pieces * run_count};
    if (status == PLUMB_OK)
        team_run(m->team, threads, map_pieces, &share);
    return status;
}

static plumb_status cpu_wait(machine *m, void *stream)
{
    (void)m, (void)stream;
    return PLUMB_OK; /* every call has finished when it returns */
}

static plumb_status cpu_scratch(machine *m, size_t bytes, void **memory, void *stream)
{
    (void)stream;
    if (bytes > m->step_bytes) {
        free(m->step);
        m->step = NULL;
        m->step_bytes = 0;
        plumb_status status = cpu_alloc(m, bytes, &m->step);
        if (status != PLUMB_OK)
            return status;
        m->step_bytes = bytes;
    }
    *memory = m->step;
    return PLUMB_OK;
}

static void cpu_close(machine *m)
{
    team_end(m->team);
    m->team = NULL;
    free(m->step);
    m->step = NULL;
    m->step_bytes = 0;
    free(m->work);
    m->work = NULL;
    m->work_doubles = 0;
    m->ops = NULL;
}

static const machine_ops cpu_ops = {.name = "cpu",
                                    .alloc = cpu_alloc,
                                    .release = cpu_release,
                                    .copy = cpu_copy,
                                    .map = cpu_map,
                                    .wait = cpu_wait,
                                    .lsq = plumb_cpu_lsq,
                                    .lsq_forget = plumb_cpu_lsq_forget,
                                    .close = cpu_close,
                                    .eval = plumb_cpu_eval,
                                    .track = plumb_cpu_track,
                                    .scratch = cpu_scratch,
                                    .gemm = plumb_cpu_gemm,
                                    .triangle = plumb_cpu_triangle,
                                    .cholesky = plumb_cpu_cholesky};

plumb_status plumb_cpu_open(machine *m, const isa_kernels *isa, int32_t threads)
{
    m->isa = isa;
    m->threads = threads;
    m->ops = &cpu_ops;
    return PLUMB_OK;
}
