/* context.c - makes a context out of its options: which instruction set, how many threads, a GPU or not.
 *
 * Opening a GPU takes a noticeable part of a second, so a context only finds out whether there is one, and opens it when the
 * first device array is asked for. */
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
    context->backend = PLUMB_BACKEND_CPU;
    context->wanted = wanted;
    if (wanted == PLUMB_BACKEND_CPU)
        return PLUMB_OK;
    plumb_status status = plumb_gpu_usable(context->device, context->message, sizeof context->message);
    if (status == PLUMB_OK)
        context->backend = PLUMB_BACKEND_GPU;
    else if (wanted == PLUMB_BACKEND_GPU)
        return status;
    context->message[0] = 0; /* no GPU is no failure when none was asked for */
    return PLUMB_OK;
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
    return context ? context->backend : 0;
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
