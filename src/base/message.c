/* message.c - see message.h. */
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>

#undef plumb_say

plumb_status plumb_say(plumb_status status, char *message, size_t size, const char *format, ...)
{
    if (message && size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, size, format, arguments);
        va_end(arguments);
    }
    return status;
}
