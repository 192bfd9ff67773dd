/* device.c - evaluation on a GPU: chooses the number of points of a block, provides scratch if numbers do not fit in
 * shared memory, and launches. Nothing waits for the GPU, and nothing is allocated once a program has been evaluated
 * on a stream. */
#include "backend/cuda/eval/device.h"
#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/size.h"

typedef plumb_status (*parts_entry)(const eval_gpu_job *job, size_t shared, void *stream, char *message, size_t size);
typedef plumb_status (*step_entry)(const eval_gpu_job *job, const eval_gpu_step *step, void *stream, char *message,
                                   size_t size);

typedef struct eval_entries {
    parts_entry parts, many; /* many: NULL in qd, where there are not enough registers */
    step_entry step;
} eval_entries;

#define EVAL_DECLARE_KIND(name)                                                                      \
    plumb_status plumb_cuda_eval_parts_##name(const eval_gpu_job *, size_t, void *, char *, size_t); \
    plumb_status plumb_cuda_eval_step_##name(const eval_gpu_job *, const eval_gpu_step *, void *, char *, size_t)
#define EVAL_DECLARE(prec)          \
    EVAL_DECLARE_KIND(real_##prec); \
    EVAL_DECLARE_KIND(cplx_##prec)
EVAL_DECLARE(d);
EVAL_DECLARE(dd);
EVAL_DECLARE(qd);

#define EVAL_DECLARE_MANY(prec)                                                                          \
    plumb_status plumb_cuda_eval_many_real_##prec(const eval_gpu_job *, size_t, void *, char *, size_t); \
    plumb_status plumb_cuda_eval_many_cplx_##prec(const eval_gpu_job *, size_t, void *, char *, size_t)
EVAL_DECLARE_MANY(d);
EVAL_DECLARE_MANY(dd);

#define EVAL_ENTRIES(name, many)                                        \
    {                                                                   \
        plumb_cuda_eval_parts_##name, many, plumb_cuda_eval_step_##name \
    }
#define EVAL_BOTH(prec, real_many, cplx_many)                                                                       \
    {                                                                                                               \
        [PLUMB_REAL] = EVAL_ENTRIES(real_##prec, real_many), [PLUMB_COMPLEX] = EVAL_ENTRIES(cplx_##prec, cplx_many) \
    }

static const eval_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = EVAL_BOTH(d, plumb_cuda_eval_many_real_d, plumb_cuda_eval_many_cplx_d),
    [PLUMB_DD] = EVAL_BOTH(dd, plumb_cuda_eval_many_real_dd, plumb_cuda_eval_many_cplx_dd),
    [PLUMB_QD] = EVAL_BOTH(qd, NULL, NULL),
};

/* Many points: several points per block, such that two blocks still share a multiprocessor, and enough blocks that
 * the last wave takes little time. In global memory at most 16 points at a time. */
enum { SHARING = 2, WAVES = 8, MOST_LOG_POINTS = 4 };

/* The maximum number of bytes of scratch of a part of a batch, and of groups of a launch. */
static const int64_t part_bytes = INT64_C(1) << 28;
enum { MOST_GROUPS = 65535 };

static mgs_gpu_array array_of(const plumb_view *view, int64_t first)
{
    if (!view)
        return (mgs_gpu_array){0};
    return (mgs_gpu_array){view->data + first * view->next, view->plane, view->col, view->next};
}

/* Makes the job for points first .. first + count - 1 of the call. */
static eval_gpu_job job_of(const eval_call *call, const eval_kept *kept, int64_t first, int64_t count)
{
    return (eval_gpu_job){.program = kept->at,
                          .points = array_of(call->points, first),
                          .values = array_of(call->values, first),
                          .jacobians = array_of(call->jacobians, first),
                          .skip = call->skip ? call->skip + first * call->skip_next : NULL,
                          .skip_next = call->skip_next,
                          .batch = count};
}

static int64_t groups_of(const eval_gpu_job *job)
{
    const int64_t points = INT64_C(1) << job->log_points;
    return (job->batch + points - 1) / points;
}

/* The number of blocks per part for `each` blocks on every multiprocessor. */
static int32_t blocks_of(const machine *m, const eval_gpu_job *job, int64_t shared, int64_t most_resident)
{
    const mgs_limits *limits = &m->lsq->limits;
    const int64_t fit = limits->shared / shared, resident = fit < most_resident ? fit : most_resident;
    const int64_t blocks = (limits->multiprocessors * resident * WAVES + job->program.parts - 1) / job->program.parts;
    const int64_t groups = groups_of(job);
    return (int32_t)(groups < blocks ? groups : blocks);
}

/* True if there are enough groups of points to fill the GPU. A call that is being recorded cannot send anything: if
 * earlier calls had few points, it runs like them, with the same results. */
static bool are_many(const machine *m, const eval_call *call, void *stream)
{
    const int64_t parts = (call->program->equations + EVAL_MANY_EQUATIONS - 1) / EVAL_MANY_EQUATIONS;
    if (!entries[call->points->prec][call->points->parts].many || m->hooks.eval_in_global)
        return false;
    const bool enough =
        (call->points->batch >> EVAL_MANY_MOST_LOG) * parts >= m->lsq->limits.multiprocessors * EVAL_MANY_SHARING;
    return (enough || m->hooks.eval_many) &&
           (plumb_cuda_eval_knows(m, call, EVAL_MANY) || !plumb_cuda_is_recorded(stream));
}

static plumb_status run_many(machine *m, const eval_call *call, const eval_kept *kept, void *stream)
{
    eval_gpu_job job = job_of(call, kept, 0, call->points->batch);
    job.log_points = kept->log_points;
    const int64_t shared = eval_shared_bytes(&job.program, view_planes(call->points), job.log_points);
    job.blocks = blocks_of(m, &job, shared, EVAL_MANY_RESIDENT(kept->prec));
    job.early = m->lsq->limits.capability >= 90;
    return entries[kept->prec][kept->parts].many(&job, (size_t)shared, stream, m->message, m->message_size);
}

static plumb_status run_parts(machine *m, const eval_call *call, const eval_kept *kept, void *stream)
{
    const mgs_limits *limits = &m->lsq->limits;
    const int64_t planes = view_planes(call->points);
    eval_gpu_job job = job_of(call, kept, 0, call->points->batch);
    /* Several points per block only if there are enough blocks to fill the GPU. */
    while (job.log_points < EVAL_MOST_LOG(kept->prec) &&
           (job.batch >> (job.log_points + 1)) * job.program.parts >= limits->multiprocessors * SHARING) {
        job.log_points++;
        if (eval_shared_bytes(&job.program, planes, job.log_points) > limits->shared / SHARING) {
            job.log_points--;
            break;
        }
    }
    const int64_t shared = eval_shared_bytes(&job.program, planes, job.log_points);
    job.blocks = blocks_of(m, &job, shared, EVAL_RESIDENT(kept->prec));
    job.early = limits->capability >= 90;
    return entries[kept->prec][kept->parts].parts(&job, (size_t)shared, stream, m->message, m->message_size);
}

/* ---- Numbers in global memory ----------------------------------------------------------------------------------- */

typedef struct stepper {
    machine *m;
    const eval_gpu_job *job;
    step_entry entry;
    void *stream;
} stepper;

static plumb_status take_step(const stepper *s, int32_t what, int64_t first, int64_t last)
{
    const eval_gpu_step step = {what, first, last};
    return s->entry(s->job, &step, s->stream, s->m->message, s->m->message_size);
}

static plumb_status run_steps(const stepper *s, const eval_kept *kept, bool clear)
{
    const int32_t *level = kept->starts, *stage = kept->starts + kept->levels + 1;
    plumb_status status = take_step(s, EVAL_DO_LOAD, 0, 1 + (int64_t)kept->at.unknowns);
    if (status == PLUMB_OK && clear)
        status = take_step(s, EVAL_DO_CLEAR, 0, (int64_t)kept->at.equations * kept->at.columns);
    for (int32_t l = 0; l < kept->levels && status == PLUMB_OK; l++)
        status = take_step(s, EVAL_DO_PRODUCTS, level[l], level[l + 1]);
    if (status == PLUMB_OK)
        status = take_step(s, EVAL_DO_PIECES, 0, kept->pieces);
    for (int32_t f = 0; f < kept->stages && status == PLUMB_OK; f++)
        status = take_step(s, EVAL_DO_FOLDS, stage[f], stage[f + 1]);
    return status;
}

static plumb_status run_launches(machine *m, const eval_call *call, const eval_kept *kept, void *stream)
{
    const int64_t batch = call->points->batch, planes = view_planes(call->points);
    const bool clear =
        call->jacobians && call->program->entries < (int64_t)call->program->equations * call->program->columns;
    int64_t each, log_points = 0, group;
    char *memory = NULL;
    while (log_points < MOST_LOG_POINTS && INT64_C(1) << log_points < batch)
        log_points++;
    if (!size_mul(kept->at.slots, planes * 8, &each))
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "the system is too large for the GPU");
    while (log_points > 0 && each << log_points > part_bytes)
        log_points--;
    group = each << log_points;
    int64_t groups = ((batch - 1) >> log_points) + 1, most = part_bytes / group;
    if (most < 1)
        most = 1;
    if (groups > most)
        groups = most;
    if (groups > MOST_GROUPS)
        groups = MOST_GROUPS;
    plumb_status status = plumb_cuda_scratch(m, stream, SCRATCH_KERNELS, (size_t)(groups * group), &memory);
    for (int64_t first = 0, step = groups << log_points; first < batch && status == PLUMB_OK; first += step) {
        eval_gpu_job job = job_of(call, kept, first, batch - first < step ? batch - first : step);
        job.log_points = (int32_t)log_points;
        job.blocks = (int32_t)groups_of(&job);
        job.slots = (double *)(void *)memory;
        const stepper s = {m, &job, entries[kept->prec][kept->parts].step, stream};
        status = run_steps(&s, kept, clear);
    }
    return status;
}

static plumb_status evaluate(machine *m, const eval_call *call, void *stream)
{
    const eval_kept *kept = NULL;
    if (call->points->batch == 0 || call->program->equations == 0)
        return PLUMB_OK;
    plumb_status status = plumb_cuda_mgs_open(m);
    /* The form for few points is sent first, because the next call may have fewer points and be recorded. */
    if (status == PLUMB_OK)
        status = plumb_cuda_eval_program(m, call, EVAL_FEW, stream, &kept);
    if (status == PLUMB_OK && kept->in_shared && are_many(m, call, stream)) {
        const eval_kept *many = NULL;
        status = plumb_cuda_eval_program(m, call, EVAL_MANY, stream, &many);
        if (status == PLUMB_OK && many->log_points >= 0)
            return run_many(m, call, many, stream);
    }
    if (status != PLUMB_OK)
        return status;
    return kept->in_shared ? run_parts(m, call, kept, stream) : run_launches(m, call, kept, stream);
}

plumb_status plumb_cuda_eval(machine *m, const eval_call *call, void *stream)
{
    int previous;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status == PLUMB_OK)
        status = evaluate(m, call, stream ? stream : m->stream);
    plumb_cuda_leave(previous);
    return status;
}
