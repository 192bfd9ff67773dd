/* system.c - plumb system: the list of its commands, and the form in which they write systems. */
#include "cli/system/system.h"

#include "app/app.h"
#include "cli/cli.h"

enum { FORM_PHC, FORM_PLAIN };
const char *const system_forms[] = {"phc", "plain", NULL};

int system_format(const char *command, int32_t form, const char *path, app_format *format)
{
    int result = app_format_of(command, "--output", path, app_system_formats, format);
    if (result != APP_OK || form < 0)
        return result;
    if (path == NULL || app_is_stream(path))
        *format = form == FORM_PLAIN ? PLUMB_FORMAT_TXT : PLUMB_FORMAT_PHC;
    else if ((form == FORM_PLAIN) != (*format == PLUMB_FORMAT_TXT))
        return app_misuse(command, "--form %s contradicts the name %s, whose end decides the form", system_forms[form],
                          path);
    return APP_OK;
}

static const app_command *const commands[] = {&plumb_cli_system_show,   &plumb_cli_system_convert,
                                              &plumb_cli_system_random, &plumb_cli_system_family,
                                              &plumb_cli_system_start,  NULL};

const app_command plumb_cli_system = {
    .name = "system",
    .summary = "show, make and convert polynomial systems",
    .about = "Shows, makes and converts polynomial systems. files.md in " PLUMB_DOC_FOLDER "\n"
             "(below the prefix of the installation) describes their formats.",
    .commands = commands,
};
