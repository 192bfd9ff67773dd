/* message.c - see message.h. */
#include "base/call/message.h"

#include <stdarg.h>
#include <stdio.h>

#undef plumb_say
#undef plumb_call_end

static _Thread_local char last[512];

plumb_status plumb_say(plumb_status status, char *message, size_t size, const char *format, ...)
{
    va_list arguments;
    if (message && size > 0) {
        va_start(arguments, format);
        vsnprintf(message, size, format, arguments);
        va_end(arguments);
    }
    if (status != PLUMB_OK) {
        va_start(arguments, format);
        vsnprintf(last, sizeof last, format, arguments);
        va_end(arguments);
    }
    return status;
}

void plumb_call_begin(void)
{
    last[0] = 0;
}

plumb_status plumb_call_end(plumb_status status)
{
    if (status == PLUMB_OK)
        last[0] = 0; /* messages of intermediate steps did not make the call fail */
    else if (!last[0])
        (void)plumb_say(status, NULL, 0, "%s", plumb_status_text(status));
    return status;
}

plumb_status plumb_no_context(void)
{
    return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "context is NULL");
}

const char *plumb_last_message(void)
{
    return last;
}
