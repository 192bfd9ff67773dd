/* files.c - see files.h. */
#include "app/files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/run/host.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

int app_is_stream(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

const char *app_input_name(const char *path)
{
    return path == NULL ? "-e" : app_is_stream(path) ? "standard input" : path;
}

int app_bytes_load(const char *command, const char *path, file_may_be *may_be, unsigned char **bytes, size_t *length)
{
    char *text = NULL;
    errno = 0;
    FILE *in = app_is_stream(path) ? stdin : fopen(path, "rb");
    plumb_status status = in != NULL ? plumb_stream_load(in, may_be, &text, length) : PLUMB_ERR_IO;
    int reason = errno;
    if (in != NULL && in != stdin)
        fclose(in);
    *bytes = (unsigned char *)text;
    if (status == PLUMB_OK)
        return APP_OK;
    if (status == PLUMB_ERR_MEMORY || reason == ENOMEM)
        return app_fail(command, "%s does not fit into memory", app_input_name(path));
    return app_misuse(command, "%s could not be read%s%s", app_input_name(path), reason != 0 ? ": " : "",
                      reason != 0 ? strerror(reason) : "");
}

/* For calls that say nothing. */
static const run_voice silent = {&app_host, NULL, NULL};

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

static int unwritable(const char *command, const char *path, int reason)
{
    return app_fail(command, "%s could not be written: %s", app_is_stream(path) ? "standard output" : path,
                    strerror(reason));
}

int app_output_open(const char *command, app_output *output, const char *path)
{
    *output = (app_output){.path = path};
    if (path == NULL)
        return APP_OK;
    if (app_is_stream(path)) {
        output->file = stdout;
        return APP_OK;
    }
    const run_voice voice = {&app_host, command, NULL};
    const int result = run_output_open(&voice, &output->beside, path);
    output->file = output->beside.file;
    if (result != APP_OK)
        output->path = NULL;
    return result;
}

/* Everything written is on the disk, or with the reader of a stream. */
static int finish(app_output *output)
{
    if (output->file != stdout)
        return file_output_finish(&output->beside);
    errno = 0;
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : errno != 0 ? errno : EIO;
}

int app_output_place(app_output *output, bool replace)
{
    if (output->path == NULL || output->file == stdout)
        return 0;
    return run_output_place(&silent, &output->beside, replace);
}

int app_outputs_commit(const char *command, app_output *const *outputs, int count)
{
    int reason = 0, k;
    for (k = 0; k < count && reason == 0; k++)
        reason = outputs[k]->path != NULL ? finish(outputs[k]) : 0;
    if (reason == 0)
        for (k = 0; k < count && reason == 0; k++)
            reason = app_output_place(outputs[k], true);
    const int result = reason == 0 ? APP_OK : unwritable(command, outputs[k - 1]->path, reason);
    for (k = 0; k < count; k++)
        app_output_discard(outputs[k]);
    return result;
}

int app_output_commit(const char *command, app_output *output)
{
    return app_outputs_commit(command, &output, 1);
}

void app_output_discard(app_output *output)
{
    run_output_discard(&silent, &output->beside);
    *output = (app_output){.path = NULL};
}

FILE *app_unnamed_file(void)
{
    return run_unnamed_file(&silent);
}
