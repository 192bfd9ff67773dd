/* status.c - the texts of the status codes, the names of precisions and operations, and the version, generated from
 * the lists in the public header. */
#include <string.h>

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

const char *plumb_prec_name(int32_t prec)
{
    switch (prec) {
    case PLUMB_D:
        return "d";
    case PLUMB_DD:
        return "dd";
    case PLUMB_QD:
        return "qd";
    default:
        return NULL;
    }
}

int32_t plumb_prec_from_name(const char *name)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    for (size_t i = 0; name && i < sizeof precisions / sizeof precisions[0]; i++)
        if (strcmp(name, plumb_prec_name(precisions[i])) == 0)
            return precisions[i];
    return 0;
}

const char *plumb_op_name(plumb_op op)
{
#define OP_NAME(code, name, operands) name,
    static const char *const names[] = {PLUMB_OP_LIST(OP_NAME)};
#undef OP_NAME
    if ((int)op < 0 || op >= PLUMB_OP_COUNT)
        return NULL;
    return names[op];
}
