/* device_program.c - programs on a GPU: chooses their form, sends them to the device, and keeps the most recent ones. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/eval/device.h"
#include "base/call/message.h"

/* Derivatives that are identically zero are listed in a part if there are at most this many. */
enum { MOST_ZEROS = 1 << 22 };

/* Blocks per multiprocessor for one point; if there are more equations, a part has several. */
enum { PARTS_EACH = 2 };

static void forget(eval_kept *kept)
{
    /* Kernels that use it may still be running; cudaFree waits for them. */
    if (kept->at.parts_at && cudaFree((void *)kept->at.parts_at) != cudaSuccess)
        (void)cudaGetLastError();
    free(kept->starts);
    free(kept);
}

/* True if parts may fit: there is room for the coordinates, which every part has, and the derivatives that are zero
 * can be listed. */
static bool may_fit(const eval_wish *wish, int64_t bytes)
{
    const eval_program *p = wish->program;
    return ((int64_t)p->unknowns + 1) * wish->prec * wish->parts * 8 < bytes &&
           (!wish->derivatives || (int64_t)p->equations * p->columns - p->entries <= MOST_ZEROS);
}

/* For many points: the number of equations per part that leaves room for the largest number of points of a kernel and
 * for two blocks per multiprocessor; otherwise one equation and fewer points. */
static plumb_status choose_many(const machine *m, const eval_wish *given, eval_plan *plan, int32_t *log_points)
{
    const int64_t room = m->lsq->limits.shared / EVAL_MANY_SHARING;
    const int32_t planes = given->prec * given->parts;
    eval_wish wish = *given;
    wish.zeros = wish.derivatives;
    for (*log_points = EVAL_MANY_MOST_LOG; *log_points >= EVAL_MANY_LEAST_LOG; --*log_points) {
        if (!may_fit(&wish, room >> *log_points))
            continue;
        for (wish.equations = EVAL_MANY_EQUATIONS; wish.equations > 0; wish.equations /= 2) {
            plumb_status status = plumb_eval_plan_create(&wish, plan);
            if (status != PLUMB_OK || eval_shared_bytes(&plan->program, planes, *log_points) <= room)
                return status;
            plumb_eval_plan_destroy(plan);
        }
    }
    *log_points = -1;
    return PLUMB_OK;
}

/* For the block that follows a path: one part. Derivatives that are zero are not listed. */
static plumb_status make_whole(const eval_wish *given, eval_plan *plan)
{
    eval_wish wish = *given;
    wish.equations = wish.program->equations;
    wish.zeros = 0;
    return plumb_eval_plan_create(&wish, plan);
}

/* Chooses parts with as few equations as the number of multiprocessors allows; if one of them does not fit, one part
 * for global memory. */
static plumb_status choose(const machine *m, const eval_wish *given, eval_plan *plan, int32_t *in_shared)
{
    const eval_program *p = given->program;
    const mgs_limits *limits = &m->lsq->limits;
    const int64_t blocks = (int64_t)PARTS_EACH * limits->multiprocessors;
    const int32_t planes = given->prec * given->parts;
    eval_wish wish = *given;
    *in_shared = 0;
    wish.equations = (int32_t)((p->equations + blocks - 1) / blocks);
    wish.zeros = wish.derivatives;
    if (!m->hooks.eval_in_global && may_fit(&wish, limits->shared)) {
        plumb_status status = plumb_eval_plan_create(&wish, plan);
        if (status != PLUMB_OK)
            return status;
        *in_shared = eval_shared_bytes(&plan->program, planes, 0) <= limits->shared;
        if (*in_shared)
            return PLUMB_OK;
        plumb_eval_plan_destroy(plan);
    }
    wish.equations = p->equations;
    wish.zeros = 0;
    return plumb_eval_plan_create(&wish, plan);
}

/* Keeps the data that the host needs to launch level by level. */
static plumb_status keep_starts(const eval_plan *plan, eval_kept *kept)
{
    const int32_t *words = eval_plan_words(plan);
    kept->levels = words[EVAL_LEVELS];
    kept->stages = words[EVAL_STAGES];
    kept->pieces = words[EVAL_PIECES];
    const size_t levels = (size_t)kept->levels + 1, stages = (size_t)kept->stages + 1;
    kept->starts = malloc((levels + stages) * sizeof *kept->starts);
    if (!kept->starts)
        return PLUMB_ERR_MEMORY;
    memcpy(kept->starts, words + words[EVAL_LEVEL_AT], levels * sizeof *kept->starts);
    memcpy(kept->starts + levels, words + words[EVAL_STAGE_AT], stages * sizeof *kept->starts);
    return PLUMB_OK;
}

static plumb_status send(machine *m, const eval_plan *plan, eval_kept *kept)
{
    void *memory = NULL;
    kept->at = plan->program;
    kept->at.parts_at = NULL;
    kept->bytes = (size_t)plan->program.parts * (size_t)plan->program.part_doubles * 8;
    cudaError_t error = cudaMalloc(&memory, kept->bytes);
    if (error == cudaSuccess) {
        kept->at.parts_at = memory;
        error = cudaMemcpyAsync(memory, plan->program.parts_at, kept->bytes, cudaMemcpyHostToDevice, m->stream);
    }
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(m->stream); /* from here on any stream may read it */
    return plumb_cuda_status(error, "sending a system to the GPU", m->message, m->message_size);
}

static plumb_status make(machine *m, const eval_call *call, eval_kept *kept)
{
    const eval_wish wish = {.program = call->program,
                            .coefficients = call->coefficients,
                            .prec = kept->prec,
                            .parts = kept->parts,
                            .derivatives = kept->derivatives,
                            .many = kept->form != EVAL_FEW};
    eval_plan plan = {0};
    plumb_status status;
    if (kept->form == EVAL_WHOLE) {
        kept->in_shared = 1;
        status = make_whole(&wish, &plan);
    } else if (kept->form == EVAL_MANY) {
        kept->in_shared = 1;
        status = choose_many(m, &wish, &plan, &kept->log_points);
        if (status == PLUMB_OK && kept->log_points < 0)
            return PLUMB_OK;
    } else {
        status = choose(m, &wish, &plan, &kept->in_shared);
    }
    if (status == PLUMB_OK && !kept->in_shared)
        status = keep_starts(&plan, kept);
    if (status != PLUMB_OK)
        status = plumb_say(status, m->message, m->message_size, "the system cannot be laid out for the GPU: %s",
                           plumb_status_text(status));
    else
        status = send(m, &plan, kept);
    plumb_eval_plan_destroy(&plan);
    return status;
}

static bool is_of(const eval_kept *kept, const machine *m, const eval_call *call, int32_t form)
{
    return kept->program == call->program->number && kept->coefficients == call->coefficients &&
           kept->prec == call->points->prec && kept->parts == call->points->parts &&
           kept->derivatives == (call->jacobians != NULL) && kept->form == form &&
           kept->forced == m->hooks.eval_in_global;
}

bool plumb_cuda_eval_knows(const machine *m, const eval_call *call, int32_t form)
{
    for (const eval_kept *kept = m->eval ? m->eval->kept : NULL; kept; kept = kept->next)
        if (is_of(kept, m, call, form))
            return true;
    return false;
}

/* The one of this call, moved to the front; NULL where there is none. */
static eval_kept *find(const machine *m, const eval_call *call, int32_t form)
{
    struct device_eval *eval = m->eval;
    for (eval_kept **link = &eval->kept, *kept; (kept = *link) != NULL; link = &kept->next)
        if (is_of(kept, m, call, form)) {
            *link = kept->next;
            kept->next = eval->kept;
            eval->kept = kept;
            return kept;
        }
    return NULL;
}

/* Forgets the one that was not used for longest, of those that do not stay, if there are EVAL_PROGRAMS of them. */
static void evict(struct device_eval *eval)
{
    eval_kept **last = NULL;
    int count = 0;
    for (eval_kept **link = &eval->kept; *link; link = &(*link)->next)
        if (!(*link)->stays) {
            last = link;
            count++;
        }
    if (count < EVAL_PROGRAMS)
        return;
    eval_kept *gone = *last;
    *last = gone->next;
    forget(gone);
}

plumb_status plumb_cuda_eval_program(machine *m, const eval_call *call, int32_t form, void *stream,
                                     const eval_kept **found)
{
    if (!m->eval)
        m->eval = calloc(1, sizeof *m->eval);
    eval_kept *kept = m->eval ? find(m, call, form) : NULL;
    *found = kept;
    if (kept && kept->stays)
        return PLUMB_OK; /* without asking the CUDA runtime, which takes a third of the time of a launch */
    const bool recorded = plumb_cuda_is_recorded(stream);
    if (kept) {
        kept->stays = recorded && !m->own_graphs;
        return PLUMB_OK;
    }
    if (recorded)
        return plumb_say(
            PLUMB_ERR_DEVICE, m->message, m->message_size,
            "an evaluation that sends its system to the GPU cannot be recorded: run it once, then record it");
    if (m->eval)
        evict(m->eval);
    kept = m->eval ? calloc(1, sizeof *kept) : NULL;
    if (!kept)
        return plumb_say(PLUMB_ERR_MEMORY, m->message, m->message_size, "out of memory");
    *kept = (eval_kept){.program = call->program->number,
                        .coefficients = call->coefficients,
                        .prec = call->points->prec,
                        .parts = call->points->parts,
                        .derivatives = call->jacobians != NULL,
                        .form = form,
                        .stays = m->eval->made < EVAL_FIRST_PROGRAMS,
                        .forced = m->hooks.eval_in_global};
    plumb_status status = make(m, call, kept);
    if (status != PLUMB_OK) {
        forget(kept);
        return status;
    }
    kept->next = m->eval->kept;
    m->eval->kept = kept;
    m->eval->made++;
    *found = kept;
    return PLUMB_OK;
}

void plumb_cuda_eval_close(machine *m)
{
    int previous;
    if (!m->eval || plumb_cuda_enter(m, &previous) != PLUMB_OK)
        return;
    for (eval_kept *kept = m->eval->kept, *next; kept; kept = next) {
        next = kept->next;
        forget(kept);
    }
    plumb_cuda_leave(previous);
    free(m->eval);
    m->eval = NULL;
}
