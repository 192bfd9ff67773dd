/* messages.h - what fuzz targets put in place of the program's messages: each is formatted and counted. */
#ifndef PLUMB_FUZZ_MESSAGES_H
#define PLUMB_FUZZ_MESSAGES_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/app.h"

#define CHECK(condition)  \
    do {                  \
        if (!(condition)) \
            abort();      \
    } while (0)

static int messages;

static void take_message(const char *format, va_list arguments)
{
    char text[4096];
    CHECK(vsnprintf(text, sizeof text, format, arguments) > 0);
    messages++;
}

/* Instead of those of the program. */
int app_misuse(const char *command, const char *format, ...)
{
    va_list arguments;
    (void)command;
    va_start(arguments, format);
    take_message(format, arguments);
    va_end(arguments);
    return APP_MISUSE;
}

int app_fail(const char *command, const char *format, ...)
{
    va_list arguments;
    (void)command;
    va_start(arguments, format);
    take_message(format, arguments);
    va_end(arguments);
    return APP_FAILED;
}

#endif
