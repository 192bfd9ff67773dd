/* status.c - the texts of the status codes, and the version, generated from the public header. */
#include "plumb.h"

#define STRING_(x) #x
#define STRING(x) STRING_(x)

const char *plumb_status_text(plumb_status status)
{
#define STATUS_TEXT(code, text) text,
    static const char *const texts[] = {PLUMB_STATUS_LIST(STATUS_TEXT)};
#undef STATUS_TEXT
    if ((int)status < 0 || status >= PLUMB_STATUS_COUNT)
        return "unknown status";
    return texts[status];
}

const char *plumb_version(void)
{
    return STRING(PLUMB_VERSION_MAJOR) "." STRING(PLUMB_VERSION_MINOR) "." STRING(PLUMB_VERSION_PATCH);
}
