/* host.c - see host.h. */
#include "solver/run/host.h"

#include <stdarg.h>
#include <string.h>

enum { TEXT_ROOM = 4096 };

static void say(const run_voice *voice, int what, plumb_status status, bool placed, const char *format,
                va_list arguments)
{
    char text[TEXT_ROOM];
    vsnprintf(text, sizeof text, format, arguments);
    voice->host->say(voice, what, status, placed, text);
}

int run_misuse(const run_voice *voice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(voice, RUN_MISUSE, PLUMB_ERR_ARGUMENT, false, format, arguments);
    va_end(arguments);
    return RUN_MISUSE;
}

int run_misread(const run_voice *voice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(voice, RUN_MISUSE, PLUMB_ERR_ARGUMENT, true, format, arguments);
    va_end(arguments);
    return RUN_MISUSE;
}

int run_fail(const run_voice *voice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(voice, RUN_FAILED, PLUMB_ERR_IO, false, format, arguments);
    va_end(arguments);
    return RUN_FAILED;
}

void run_note(const run_voice *voice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(voice, RUN_NOTE, PLUMB_OK, false, format, arguments);
    va_end(arguments);
}

int run_context_fail(const run_voice *voice, const plumb_context *context, plumb_status status)
{
    voice->host->say(voice, RUN_CALL, status, false, plumb_context_message(context));
    return RUN_FAILED;
}

int run_fail_as(const run_voice *voice, plumb_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(voice, RUN_FAILED, status, false, format, arguments);
    va_end(arguments);
    return RUN_FAILED;
}

int run_no_memory(const run_voice *voice)
{
    return run_fail_as(voice, PLUMB_ERR_MEMORY, "out of memory");
}

int run_context_create(const run_voice *voice, const plumb_context_options *options, plumb_context **context)
{
    const plumb_status status = plumb_context_create(options, context);
    plumb_device_info info;
    if (status == PLUMB_ERR_NO_DEVICE && plumb_device_query(options->device, &info) == PLUMB_OK)
        return run_fail(voice, "GPU %d cannot be used: %s", (int)options->device, info.why);
    if (status != PLUMB_OK)
        return run_fail(voice, "the context could not be created: %s", plumb_status_text(status));
    return RUN_OK;
}

int run_output_open(const run_voice *voice, file_output *output, const char *path)
{
    voice->host->defer(true);
    const int reason = file_output_open(output, path);
    if (output->temporary)
        voice->host->temporary(output->temporary, true);
    voice->host->defer(false);
    return reason == 0 ? RUN_OK : run_fail(voice, "%s could not be written: %s", path, strerror(reason));
}

static void forget(const run_voice *voice, const file_output *output)
{
    if (output->temporary)
        voice->host->temporary(output->temporary, false);
}

int run_output_place(const run_voice *voice, file_output *output, bool replace)
{
    voice->host->defer(true);
    forget(voice, output);
    const int reason = file_output_place(output, replace);
    voice->host->defer(false);
    return reason;
}

void run_output_discard(const run_voice *voice, file_output *output)
{
    voice->host->defer(true);
    forget(voice, output);
    (void)file_output_close(output);
    voice->host->defer(false);
    *output = (file_output){.file = NULL};
}

FILE *run_unnamed_file(const run_voice *voice)
{
    return file_unnamed(voice->host->folder(voice));
}
