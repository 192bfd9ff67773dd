/* app.c - see app.h. */
#include "app/app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"

const char *app_program_name = "plumb";

/* A message is one line, whatever the names and the input in it are: they are escaped, and what is long is cut. */
enum { TEXT_ROOM = 12288, LINE_ROOM = 768 };

static char *kept; /* the first message goes here instead of stderr, unless it is NULL */
static size_t kept_size;

void app_messages_keep(char *text, size_t size)
{
    kept = text;
    kept_size = size;
}

static void say(const char *command, const char *format, va_list arguments)
{
    char text[TEXT_ROOM], line[LINE_ROOM];
    vsnprintf(text, sizeof text, format, arguments);
    escape_line(line, sizeof line, text);
    if (kept && !kept[0])
        snprintf(kept, kept_size, "%s", line);
    if (!kept)
        fprintf(stderr, "%s%s%s: %s\n", app_program_name, command ? " " : "", command ? command : "", line);
}

int app_misuse(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return APP_MISUSE;
}

int app_fail(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return APP_FAILED;
}

void app_note(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
}

/* Lists the instruction sets that this processor can run: "scalar, neon". */
static void list_usable(char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info info;
        if (plumb_isa_query(i, &info) != PLUMB_OK || !info.usable)
            continue;
        int written = snprintf(text + used, size - used, "%s%s", used ? ", " : "", info.name);
        if (written < 0 || (size_t)written >= size - used)
            return;
        used += (size_t)written;
    }
}

int app_isa_from_environment(const char *command, const char **isa)
{
    *isa = NULL;
    const char *wanted = getenv("PLUMB_ISA");
    if (!wanted || !wanted[0])
        return APP_OK;
    const char *problem = "is not an instruction set of this build";
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info info;
        if (plumb_isa_query(i, &info) != PLUMB_OK || strcmp(info.name, wanted) != 0)
            continue;
        if (info.usable) {
            *isa = info.name;
            return APP_OK;
        }
        problem = "is an instruction set this processor lacks";
    }
    char usable[128];
    list_usable(usable, sizeof usable);
    return app_misuse(command, "PLUMB_ISA: '%s' %s; available: %s", wanted, problem, usable);
}

int app_context_create(const char *command, const plumb_context_options *given, plumb_context **context)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    if (given)
        options = *given;
    if (!options.isa) {
        int result = app_isa_from_environment(command, &options.isa);
        if (result != APP_OK)
            return result;
    }
    plumb_status status = plumb_context_create(&options, context);
    if (status == PLUMB_ERR_NO_DEVICE) {
        char why[256];
        int32_t count = plumb_device_count(why, sizeof why);
        plumb_device_info info;
        if (count > 0 && options.device < count && plumb_device_query(options.device, &info) == PLUMB_OK)
            return app_fail(command, "GPU %d cannot be used: %s", (int)options.device, info.why);
        if (count > 0)
            return app_fail(command, "there is no GPU %d, only 0 to %d", (int)options.device, (int)count - 1);
        return app_fail(command, "no usable GPU: %s", why);
    }
    if (status != PLUMB_OK)
        return app_fail(command, "the context could not be created: %s", plumb_status_text(status));
    return APP_OK;
}

int app_context_fail(const char *command, const plumb_context *context, plumb_status status)
{
    const char *message = plumb_context_message(context);
    return app_fail(command, "%s%s%s", plumb_status_text(status), message[0] ? ": " : "", message);
}
