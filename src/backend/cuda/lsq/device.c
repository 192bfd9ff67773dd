/* device.c - a batch of least-squares problems on a GPU: plans, lays out scratch, launches. Nothing waits for the
 * GPU, and nothing is allocated once a stream has seen its largest problem.
 *
 * A batch whose scratch would be large is divided into parts. */
#include <math.h>

#include "backend/cuda/lsq/device.h"
#include "backend/cuda/lsq/large/large.h"
#include "backend/cuda/runtime/outcome.h"
#include "base/call/message.h"
#include "base/memory/size.h"
#include "base/number/precision.h"

typedef plumb_status (*mgs_entry)(const mgs_gpu_job *job, const mgs_plan *plan, void *stream, char *message,
                                  size_t message_size);
typedef plumb_status (*mgs_finish_entry)(const mgs_gpu_job *job, void *stream, char *message, size_t message_size);
typedef plumb_status (*mgs_qr_entry)(const mgs_gpu_job *job, const mgs_gpu_array *q, const mgs_gpu_array *r,
                                     void *stream, char *message, size_t message_size);

typedef struct mgs_entries {
    mgs_entry factor[MGS_FAMILIES];
    mgs_finish_entry finish, correct;
    mgs_qr_entry qr;
} mgs_entries;

#define MGS_DECLARE_KIND(name)                                                                                       \
    plumb_status plumb_cuda_mgs_small_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);         \
    plumb_status plumb_cuda_mgs_flow_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);          \
    plumb_status plumb_cuda_mgs_columns_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);       \
    plumb_status plumb_cuda_mgs_registers_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);     \
    plumb_status plumb_cuda_mgs_panel_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);         \
    plumb_status plumb_cuda_mgs_large_##name(const mgs_gpu_job *, const mgs_plan *, void *, char *, size_t);         \
    plumb_status plumb_cuda_mgs_finish_##name(const mgs_gpu_job *, void *, char *, size_t);                          \
    plumb_status plumb_cuda_mgs_correct_##name(const mgs_gpu_job *, void *, char *, size_t);                         \
    plumb_status plumb_cuda_mgs_qr_##name(const mgs_gpu_job *, const mgs_gpu_array *, const mgs_gpu_array *, void *, \
                                          char *, size_t)
#define MGS_DECLARE(prec)          \
    MGS_DECLARE_KIND(real_##prec); \
    MGS_DECLARE_KIND(cplx_##prec)
MGS_DECLARE(d);
MGS_DECLARE(dd);
MGS_DECLARE(qd);

#define MGS_ENTRIES(name)                                                                                   \
    {                                                                                                       \
        {[MGS_REGISTERS] = plumb_cuda_mgs_registers_##name, [MGS_SMALL] = plumb_cuda_mgs_small_##name,      \
         [MGS_PANEL] = plumb_cuda_mgs_panel_##name,         [MGS_FLOW] = plumb_cuda_mgs_flow_##name,        \
         [MGS_LARGE] = plumb_cuda_mgs_large_##name,         [MGS_COLUMNS] = plumb_cuda_mgs_columns_##name}, \
            plumb_cuda_mgs_finish_##name, plumb_cuda_mgs_correct_##name, plumb_cuda_mgs_qr_##name           \
    }

static const mgs_entries entries[PLUMB_QD + 1][PLUMB_COMPLEX + 1] = {
    [PLUMB_D] = {[PLUMB_REAL] = MGS_ENTRIES(real_d), [PLUMB_COMPLEX] = MGS_ENTRIES(cplx_d)},
    [PLUMB_DD] = {[PLUMB_REAL] = MGS_ENTRIES(real_dd), [PLUMB_COMPLEX] = MGS_ENTRIES(cplx_dd)},
    [PLUMB_QD] = {[PLUMB_REAL] = MGS_ENTRIES(real_qd), [PLUMB_COMPLEX] = MGS_ENTRIES(cplx_qd)},
};

/* The maximum number of bytes of scratch of a part, and of its problems. */
static const int64_t part_bytes = INT64_C(1) << 30;
enum { PART_PROBLEMS = 65535, ALIGNMENT = MGS_ALIGNMENT };

bool plumb_cuda_mgs_lay_out(const lsq_call *call, int64_t all, int keep_columns, int products, int kept,
                            mgs_layout *layout)
{
    const plumb_view *a = call->a;
    const int64_t planes = (int64_t)a->prec * a->parts;
    int64_t doubles;
    *layout = (mgs_layout){0};
    if (keep_columns && !(size_mul(a->rows, all, &layout->w) && size_mul(layout->w, planes, &layout->w) &&
                          size_add(layout->w, all * FLOW_WORDS(a->prec), &layout->w)))
        return false;
    if (!size_mul(a->cols, all, &layout->c) || !size_mul(layout->c, planes, &layout->c))
        return false;
    int64_t sent, unknowns; /* origins are as large as coefficients */
    if (keep_columns > 1) {
        const bool digits = a->prec == PLUMB_QD;
        if (!size_mul((digits ? a->rows : PANEL_SENT_ROWS(a->rows)) * a->parts, all * (digits ? QUAD_DIGITS : a->prec),
                      &sent) ||
            !size_add(PANEL_SENT(layout->w), sent + (digits ? layout->c : 0), &layout->w))
            return false;
    }
    const int64_t words = a->prec == PLUMB_QD ? planes : INVERSE_WORDS(a->prec);
    if (keep_columns &&
        !(size_mul(a->cols * words, all - a->cols, &unknowns) && size_add(layout->w, unknowns, &layout->w)))
        return false;
    layout->w = PANEL_SENT(layout->w);
    if (products && !size_mul(LARGE_PRODUCTS(all), planes, &layout->products))
        return false;
    if (kept)
        layout->kept = all * FLOW_WORDS(a->prec) + a->cols * INVERSE_WORDS(a->prec);
    layout->s = all * a->prec;
    /* s is short; exponents, flags and info take one double per column and less than MGS_FLAGS more. */
    return size_add(layout->w, layout->c, &doubles) && size_add(doubles, layout->products, &doubles) &&
           size_add(doubles, layout->s + all + MGS_FLAGS, &doubles) && size_mul(doubles, 8, &layout->bytes) &&
           size_add(layout->bytes, 7 * ALIGNMENT, &layout->bytes);
}

mgs_gpu_array plumb_cuda_mgs_array(const plumb_view *view, int64_t first)
{
    if (!view)
        return (mgs_gpu_array){0};
    return (mgs_gpu_array){view->cols > 0 ? view->data + first * view->next : view->data, view->plane, view->col,
                           view->next};
}

void *plumb_cuda_mgs_take(char **memory, int64_t bytes)
{
    void *piece = *memory;
    *memory += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

mgs_gpu_job plumb_cuda_mgs_job(const lsq_call *call, const mgs_layout *layout, int64_t all, int64_t first,
                               int64_t count, char *memory)
{
    const plumb_view *a = call->a;
    const double share = call->dependent > 0.0 ? call->dependent : (double)a->rows * precision_unit(a->prec);
    mgs_gpu_job job = {.a = plumb_cuda_mgs_array(a, first),
                       .b = plumb_cuda_mgs_array(call->b, first),
                       .x = plumb_cuda_mgs_array(call->x, first),
                       .residual = plumb_cuda_mgs_array(call->residual, first),
                       .corrected = plumb_cuda_mgs_array(call->corrected, first),
                       .rows = (int32_t)a->rows,
                       .cols = (int32_t)a->cols,
                       .all = (int32_t)all,
                       .batch = (int32_t)count,
                       .w_plane = a->rows * all,
                       .w_step = layout->w,
                       .c_plane = a->cols * all,
                       .c_step = layout->c,
                       .s_step = layout->s,
                       .coefficients = call->q || call->r,
                       .dependent = share * share};
    if (layout->w > 0)
        job.w = plumb_cuda_mgs_take(&memory, count * layout->w * 8);
    if (layout->products > 0)
        job.products = plumb_cuda_mgs_take(&memory, count * layout->products * 8);
    job.c = plumb_cuda_mgs_take(&memory, count * layout->c * 8);
    job.s = plumb_cuda_mgs_take(&memory, count * layout->s * 8);
    job.exponent = plumb_cuda_mgs_take(&memory, count * all * 4);
    job.flags = plumb_cuda_mgs_take(&memory, count * (all + MGS_FLAGS) * 4);
    job.info = call->info ? call->info + first : plumb_cuda_mgs_take(&memory, count * 8);
    return job;
}

mgs_plan plumb_cuda_mgs_choose(machine *m, const mgs_problem *problem)
{
    const mgs_plan plan = m->hooks.lsq_plan ? *m->hooks.lsq_plan
                                            : plumb_mgs_plan(&m->lsq->limits, problem, (mgs_family)m->hooks.lsq_family);
    m->hooks.lsq_taken = plan.family;
    if (plan.family == MGS_AUTO)
        (void)plumb_say(PLUMB_ERR_UNSUPPORTED, m->message, m->message_size,
                        "the kernels asked for do not take this shape");
    return plan;
}

plumb_status plumb_cuda_mgs_factor(machine *m, int32_t prec, int32_t parts, const mgs_plan *plan,
                                   const mgs_gpu_job *job, void *stream)
{
    const mgs_entry factor = entries[prec][parts].factor[plan->family];
    plumb_status status = PLUMB_OK;
    if (plan->family == MGS_LARGE) /* flow and panel clear them themselves */
        status = plumb_cuda_status(
            cudaMemsetAsync(job->flags, 0, (size_t)job->batch * ((size_t)job->all + MGS_FLAGS) * 4, stream),
            "clearing flags on the GPU", m->message, m->message_size);
    if (status == PLUMB_OK)
        status = factor(job, plan, stream, m->message, m->message_size);
    return status;
}

static plumb_status solve_part(machine *m, const lsq_call *call, const mgs_plan *plan, const mgs_gpu_job *given,
                               int64_t first, void *stream)
{
    const mgs_entries *entry = &entries[call->a->prec][call->a->parts];
    const bool corrects = plan->family == MGS_REGISTERS || plan->family == MGS_SMALL; /* in the same launch */
    mgs_gpu_job value = *given, *job = &value;
    if (!corrects)
        job->corrected.data = NULL;
    plumb_status status = plumb_cuda_mgs_factor(m, call->a->prec, call->a->parts, plan, job, stream);
    if (status == PLUMB_OK && !plan->solves && job->all > job->cols)
        status = entry->finish(job, stream, m->message, m->message_size);
    if (status == PLUMB_OK && !corrects && given->corrected.data)
        status = entry->correct(given, stream, m->message, m->message_size);
    if (status == PLUMB_OK && (call->q || call->r)) {
        const mgs_gpu_array q = plumb_cuda_mgs_array(call->q, first), r = plumb_cuda_mgs_array(call->r, first);
        status = entry->qr(job, &q, &r, stream, m->message, m->message_size);
    }
    return status;
}

plumb_status plumb_cuda_mgs_triangle(machine *m, const lsq_call *call, const mgs_gpu_job *job, const mgs_findings *to,
                                     void *stream)
{
    const size_t c = (size_t)job->c_plane * 8, all = (size_t)job->all;
    cudaError_t error = cudaMemcpyAsync(to->re, job->c, c, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess && to->im)
        error = cudaMemcpyAsync(to->im, job->c + call->a->prec * job->c_plane, c, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(to->square, job->s, all * 8, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(to->exponent, job->exponent, all * 4, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    return plumb_cuda_status(error, "copying the triangle from the GPU", m->message, m->message_size);
}

plumb_status plumb_cuda_mgs_find_room(machine *m, const mgs_layout *layout, int64_t all, int64_t batch, void *stream,
                                      int64_t *part, char **memory)
{
    int64_t most = part_bytes / layout->bytes, blocks = INT32_MAX / all;
    *part = batch < PART_PROBLEMS ? batch : PART_PROBLEMS;
    if (*part > most)
        *part = most;
    if (*part > blocks)
        *part = blocks;
    if (*part < 1)
        *part = 1;
    for (;; *part /= 2) {
        plumb_status status = plumb_cuda_scratch(m, stream, SCRATCH_KERNELS, (size_t)(*part * layout->bytes), memory);
        if (status != PLUMB_ERR_MEMORY || *part == 1)
            return status;
        m->message[0] = 0; /* a smaller part is not a failure */
    }
}

/* Whether another kernel finds x beside clusters of registers, which takes kept words (flow/mark.h): one problem of which nothing else
 * is wanted. */
static bool keeps_words(const lsq_call *call, const mgs_plan *plan, const mgs_findings *found)
{
    return plan->family == MGS_REGISTERS && plan->inverts && call->a->batch == 1 && !call->q && !call->r &&
           !call->corrected && !found;
}

plumb_status plumb_cuda_mgs_solve(machine *m, const lsq_call *call, mgs_findings *found, void *stream)
{
    const plumb_view *a = call->a;
    const int64_t all = a->cols + (call->b ? call->b->cols : 0);
    mgs_layout layout;
    char *memory = NULL, *words = NULL;
    int64_t part = 1;
    plumb_status status = plumb_cuda_mgs_open(m);
    if (status != PLUMB_OK)
        return status;
    if (a->rows > INT32_MAX / 2 || all > INT32_MAX / 2)
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "%lld x %lld is too large for the GPU",
                         (long long)a->rows, (long long)all);
    const mgs_plan plan = plumb_cuda_mgs_choose(
        m, &(mgs_problem){a->prec, a->parts, a->rows, a->cols, all, call->like > 0 ? call->like : a->batch});
    if (plan.family == MGS_AUTO)
        return PLUMB_ERR_UNSUPPORTED;
    const bool kept = keeps_words(call, &plan, found);
    if (!plumb_cuda_mgs_lay_out(call, all, plan.keep_columns > 0 ? plan.keep_columns : call->q != NULL,
                                plan.family == MGS_LARGE, kept, &layout))
        return plumb_say(PLUMB_ERR_SIZE, m->message, m->message_size, "scratch for %lld x %lld does not fit in memory",
                         (long long)a->rows, (long long)all);
    status = plumb_cuda_mgs_find_room(m, &layout, all, a->batch, stream, &part, &memory);
    if (status == PLUMB_OK && kept)
        status = plumb_cuda_scratch(m, stream, SCRATCH_WORDS, (size_t)layout.kept * 8, &words);
    for (int64_t first = 0; first < a->batch && status == PLUMB_OK; first += part) {
        int64_t count = a->batch - first < part ? a->batch - first : part;
        mgs_gpu_job job = plumb_cuda_mgs_job(call, &layout, all, first, count, memory);
        job.failures = call->info ? NULL : m->outcome;
        if (found)
            job.coefficients = 1;
        if (kept)
            job.products = (double *)(void *)words;
        status = solve_part(m, call, &plan, &job, first, stream);
        if (status == PLUMB_OK && first == 0 && found)
            status = plumb_cuda_mgs_triangle(m, call, &job, found, stream);
    }
    return status;
}

int plumb_gpu_can_lsq(const lsq_call *call)
{
    const plumb_lsq_options *options = call->options;
    if (call->keep || call->factor)
        return 0;
    if (!options)
        return 1;
    const bool refines = options->method == PLUMB_METHOD_REFINED && options->factor_prec <= PLUMB_D;
    return (options->method == PLUMB_METHOD_MGS || refines) && !options->pivot && !options->reorthogonalize &&
           !options->orthogonality;
}

static plumb_status solve(machine *m, const lsq_call *call, void *stream)
{
    if (call->a->rows < call->a->cols)
        return plumb_cuda_mgs_least_norm(m, call, stream);
    if (call->report)
        return plumb_cuda_mgs_reported(m, call, stream);
    return (mgs_is_refined(call) ? plumb_cuda_mgs_refined : plumb_cuda_mgs_solve)(m, call, NULL, stream);
}

plumb_status plumb_cuda_lsq(machine *m, const lsq_call *given, void *stream)
{
    int previous;
    lsq_call call = *given;
    if (call.b && call.b->cols == 0 && call.a->rows >= call.a->cols) /* nothing to solve for: the columns alone */
        call.b = call.x = call.residual = NULL;
    if (!stream)
        stream = m->stream;
    for (int64_t k = 0; call.permutation && k < call.a->cols; k++)
        call.permutation[k] = k;
    plumb_status status = plumb_cuda_enter(m, &previous);
    if (status == PLUMB_OK)
        status = call.report || call.info ? PLUMB_OK : plumb_cuda_outcome_open(m, stream);
    if (status == PLUMB_OK)
        status = solve(m, &call, stream);
    plumb_cuda_leave(previous);
    return status;
}
