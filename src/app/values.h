/* values.h - options that give a value to each unknown of a system: NAME=VALUE,NAME=VALUE. */
#ifndef PLUMB_APP_VALUES_H
#define PLUMB_APP_VALUES_H

#include "model/system/system.h"

/* Takes the value of an unknown, text that may have spaces around it; returns an exit status, after its message. */
typedef int app_value_take(void *data, int64_t unknown, const char *value, size_t length);

/* Reads all of them, in any order. Each unknown has to have one value. Commas in parentheses and brackets belong to values. form is what
 * messages expect, such as "NAME=NUMBER". */
int app_values_read(const char *command, const char *option, const char *form, const plumb_system *system,
                    const char *text, app_value_take *take, void *data);

#endif
