/* context.c - makes a context out of its options: which instruction set, how many threads, a GPU or not.
 *
 * Opening a GPU takes a noticeable part of a second, and even asking whether there is one takes a tenth. So a context that
 * leaves the choice open asks when a call has enough to do, and opens the GPU when the first device array is asked for. */
#include <stdlib.h>

#include "backend/cpu/kernels.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/os/team.h"
#include "solver/context/context.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

void plumb_context_options_init(plumb_context_options *options)
{
    if (options)
        *options = (plumb_context_options){.size = sizeof *options, .backend = PLUMB_BACKEND_AUTO};
}

static plumb_status read_options(const plumb_context_options *given, plumb_context_options *options)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_context_options, backend, OPTION_INT32, PLUMB_BACKEND_AUTO, PLUMB_BACKEND_GPU),
        OPTION_RANGE(plumb_context_options, device, OPTION_INT32, 0.0, (double)INFINITY),
        OPTION_RANGE(plumb_context_options, threads, OPTION_INT32, 0.0, TEAM_MOST), OPTION_END};
    plumb_context_options_init(options);
    return plumb_options_take(given, options, fields, NULL, 0);
}

static plumb_status settle_backend(plumb_context *context, int32_t wanted)
{
    context->backend = context->wanted = wanted;
    return wanted == PLUMB_BACKEND_GPU ? plumb_gpu_usable(context->device, context->message, sizeof context->message)
                                       : PLUMB_OK;
}

bool plumb_context_has_gpu(plumb_context *context)
{
    if (context->small)
        return false;
    if (context->backend == PLUMB_BACKEND_AUTO) /* no GPU is no failure when none was asked for */
        context->backend =
            plumb_gpu_usable(context->device, NULL, 0) == PLUMB_OK ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU;
    return context->backend == PLUMB_BACKEND_GPU;
}

/* A path costs about as much as the cube of the number of unknowns. On 16 cores with AVX-512 this many take as long as on an H200 that
 * has to be opened first: of twelve systems from noon7 to noon11, katsura15 and cyclic10, this bound leaves none to a machine that takes
 * more than 1.2 times as long as the other one (docs/notes/gpu-evaluation.md). */
static const double worth_a_gpu = 7e7;

static bool is_small(const plumb_context *context, int64_t paths, int64_t unknowns)
{
    const double n = (double)unknowns;
    return context->wanted == PLUMB_BACKEND_AUTO && (double)paths * n * n * n < worth_a_gpu;
}

bool plumb_context_tracks_on_gpu(plumb_context *context, int64_t paths, int64_t unknowns)
{
    return !is_small(context, paths, unknowns) && plumb_context_has_gpu(context);
}

void plumb_context_begin_job(plumb_context *context, int64_t paths, int64_t unknowns)
{
    context->small = is_small(context, paths, unknowns);
}

void plumb_context_end_job(plumb_context *context)
{
    context->idle = context->small;
    context->small = 0;
}

static plumb_status create(const plumb_context_options *given, plumb_context **context)
{
    if (!context)
        return plumb_no_context();
    *context = NULL;
    plumb_context_options options;
    plumb_status status = read_options(given, &options);
    if (status != PLUMB_OK)
        return status;
    const isa_kernels *isa = plumb_cpu_isa_find(options.isa);
    if (!isa)
        return SAY(PLUMB_ERR_UNSUPPORTED, "options: this CPU or this build has no instruction set \"%.32s\"",
                   options.isa);

    plumb_context *made = calloc(1, sizeof *made);
    if (!made)
        return PLUMB_ERR_MEMORY;
    made->cpu.message = made->gpu.message = made->message;
    made->cpu.message_size = made->gpu.message_size = sizeof made->message;
    made->device = options.device;
    status = settle_backend(made, options.backend);
    if (status == PLUMB_OK)
        status = plumb_cpu_open(&made->cpu, isa, options.threads > 0 ? options.threads : team_cores());
    if (status != PLUMB_OK) {
        plumb_context_destroy(made);
        return status;
    }
    *context = made;
    return PLUMB_OK;
}

plumb_status plumb_context_create(const plumb_context_options *options, plumb_context **context)
{
    plumb_call_begin();
    return plumb_call_end(create(options, context));
}

void plumb_context_destroy(plumb_context *context)
{
    if (!context)
        return;
    if (context->gpu.ops)
        context->gpu.ops->close(&context->gpu);
    if (context->cpu.ops)
        context->cpu.ops->close(&context->cpu);
    free(context);
}

plumb_status plumb_context_machine(plumb_context *context, int32_t where, machine **m)
{
    *m = where == PLUMB_DEVICE ? &context->gpu : &context->cpu;
    if ((*m)->ops)
        return PLUMB_OK;
    return plumb_gpu_open(*m, context->device);
}

const char *plumb_context_message(const plumb_context *context)
{
    return context ? context->message : "";
}

const char *plumb_context_isa(const plumb_context *context)
{
    return context ? context->cpu.isa->name : NULL;
}

int32_t plumb_context_threads(const plumb_context *context)
{
    return context ? context->cpu.threads : 0;
}

int32_t plumb_context_backend(const plumb_context *context)
{
    if (!context)
        return 0;
    /* What the last job used, if nobody has needed to look for a GPU. */
    if (context->backend == PLUMB_BACKEND_AUTO && (context->idle || context->small))
        return PLUMB_BACKEND_CPU;
    /* A context belongs to one thread at a time, and is const here only because what it uses does not change. */
    return plumb_context_has_gpu((plumb_context *)context) ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU;
}

plumb_status plumb_stream_wait(plumb_context *context, plumb_stream stream)
{
    if (!context)
        return plumb_no_context();
    if (!stream && !context->gpu.ops)
        return PLUMB_OK; /* nothing was ever queued */
    machine *gpu;
    plumb_status status = plumb_context_machine(context, PLUMB_DEVICE, &gpu);
    return status == PLUMB_OK ? gpu->ops->wait(gpu, stream) : status;
}
