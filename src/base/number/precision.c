/* precision.c - the table of precisions and their names. */
#include "base/number/precision.h"

#include <string.h>

#define PRECISION_ENTRY(limbs, name, flops, slack) {limbs, name, flops, slack},
const precision plumb_precisions[PRECISION_COUNT] = {PRECISION_LIST(PRECISION_ENTRY)};
#undef PRECISION_ENTRY

const char *plumb_prec_name(int32_t prec)
{
    const int32_t index = precision_index(prec);
    return index >= 0 ? plumb_precisions[index].name : NULL;
}

int32_t plumb_prec_from_name(const char *name)
{
    for (int32_t i = 0; name && i < PRECISION_COUNT; i++)
        if (strcmp(name, plumb_precisions[i].name) == 0)
            return plumb_precisions[i].limbs;
    return 0;
}
