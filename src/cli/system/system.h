/* system.h - the commands below plumb system, and the option they share. */
#ifndef PLUMB_CLI_SYSTEM_H
#define PLUMB_CLI_SYSTEM_H

#include "app/command/command.h"
#include "app/models.h"

extern const app_command plumb_cli_system_show, plumb_cli_system_convert, plumb_cli_system_random,
    plumb_cli_system_family, plumb_cli_system_start;

/* --form: an index of system_forms; -1 when it is not given. */
extern const char *const system_forms[];
#define SYSTEM_FORM(type, member)                                                                    \
    {                                                                                                \
        0, "form", APP_WORD, offsetof(type, member), "FORM",                                         \
            "PHCpack's form, with the number of equations first, or plain, one polynomial per line", \
            "by the name of the file: phc unless it ends in .txt", 0, 0, system_forms                \
    }

/* The format of the output, from --form and the name of the file, which must agree. */
int system_format(const char *command, int32_t form, const char *path, app_format *format);

#endif
