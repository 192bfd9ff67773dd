/* files.c - see files.h. */
#include "app/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/run/host.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

int cli_is_stream(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return path == NULL ? "-e" : cli_is_stream(path) ? "standard input" : path;
}

int cli_bytes_load(const char *command, const char *path, file_may_be *may_be, unsigned char **bytes, size_t *length)
{
    char *text = NULL;
    errno = 0;
    FILE *in = cli_is_stream(path) ? stdin : fopen(path, "rb");
    plumb_status status = in != NULL ? plumb_stream_load(in, may_be, &text, length) : PLUMB_ERR_IO;
    int reason = errno;
    if (in != NULL && in != stdin)
        fclose(in);
    *bytes = (unsigned char *)text;
    if (status == PLUMB_OK)
        return CLI_OK;
    if (status == PLUMB_ERR_MEMORY || reason == ENOMEM)
        return cli_fail(command, "%s does not fit into memory", cli_input_name(path));
    return cli_misuse(command, "%s could not be read%s%s", cli_input_name(path), reason != 0 ? ": " : "",
                      reason != 0 ? strerror(reason) : "");
}

/* For calls that say nothing. */
static const run_voice silent = {&app_host, NULL, NULL};

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

static int unwritable(const char *command, const char *path, int reason)
{
    return cli_fail(command, "%s could not be written: %s", cli_is_stream(path) ? "standard output" : path,
                    strerror(reason));
}

int cli_output_open(const char *command, cli_output *output, const char *path)
{
    *output = (cli_output){.path = path};
    if (path == NULL)
        return CLI_OK;
    if (cli_is_stream(path)) {
        output->file = stdout;
        return CLI_OK;
    }
    const run_voice voice = {&app_host, command, NULL};
    const int result = run_output_open(&voice, &output->beside, path);
    output->file = output->beside.file;
    if (result != CLI_OK)
        output->path = NULL;
    return result;
}

/* Everything written is on the disk, or with the reader of a stream. */
static int finish(cli_output *output)
{
    if (output->file != stdout)
        return file_output_finish(&output->beside);
    errno = 0;
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : errno != 0 ? errno : EIO;
}

int cli_output_place(cli_output *output, bool replace)
{
    if (output->path == NULL || output->file == stdout)
        return 0;
    return run_output_place(&silent, &output->beside, replace);
}

int cli_outputs_commit(const char *command, cli_output *const *outputs, int count)
{
    int reason = 0, k;
    for (k = 0; k < count && reason == 0; k++)
        reason = outputs[k]->path != NULL ? finish(outputs[k]) : 0;
    if (reason == 0)
        for (k = 0; k < count && reason == 0; k++)
            reason = cli_output_place(outputs[k], true);
    const int result = reason == 0 ? CLI_OK : unwritable(command, outputs[k - 1]->path, reason);
    for (k = 0; k < count; k++)
        cli_output_discard(outputs[k]);
    return result;
}

int cli_output_commit(const char *command, cli_output *output)
{
    return cli_outputs_commit(command, &output, 1);
}

void cli_output_discard(cli_output *output)
{
    run_output_discard(&silent, &output->beside);
    *output = (cli_output){.path = NULL};
}

FILE *cli_unnamed_file(void)
{
    return run_unnamed_file(&silent);
}
