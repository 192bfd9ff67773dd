/* files.c - see files.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"

/* ---- Reading ------------------------------------------------------------------------------------------------------ */

int cli_is_stream(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

const char *cli_input_name(const char *path)
{
    return cli_is_stream(path) ? "standard input" : path;
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

/* ---- Writing ------------------------------------------------------------------------------------------------------ */

static const char SUFFIX[] = ".XXXXXX";

/* The permissions of the output: those of the file it replaces, otherwise what the umask leaves of 0666. */
static mode_t rights(const struct stat *old)
{
    if (old != NULL)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Opens a temporary file in the folder of the target, so that a rename puts it in place atomically. Symbolic links are followed. */
static bool open_temporary(cli_output *output, const struct stat *old)
{
    output->target = old != NULL ? realpath(output->path, NULL) : strdup(output->path);
    if (output->target == NULL)
        return false;
    size_t size = strlen(output->target) + sizeof SUFFIX;
    output->temporary = malloc(size);
    if (output->temporary == NULL)
        return false;
    snprintf(output->temporary, size, "%s%s", output->target, SUFFIX);
    int fd = mkstemp(output->temporary);
    if (fd < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return false;
    }
    if (fchmod(fd, rights(old)) != 0 || (output->file = fdopen(fd, "wb")) == NULL) {
        close(fd);
        return false;
    }
    return true;
}

static bool open_output(cli_output *output)
{
    struct stat old;
    if (cli_is_stream(output->path)) {
        output->file = stdout;
        return true;
    }
    errno = 0;
    bool exists = stat(output->path, &old) == 0;
    if (!exists && errno != ENOENT)
        return false;
    if (!exists || S_ISREG(old.st_mode))
        return open_temporary(output, exists ? &old : NULL);
    output->file = fopen(output->path, "wb");
    return output->file != NULL;
}

int cli_output_open(const char *command, cli_output *output, const char *path)
{
    *output = (cli_output){.path = path};
    if (path == NULL || open_output(output))
        return CLI_OK;
    cli_fail(command, "%s could not be written: %s", path, strerror(errno));
    cli_output_discard(output);
    return CLI_FAILED;
}

int cli_output_commit(const char *command, cli_output *output)
{
    if (output->path == NULL)
        return CLI_OK;
    errno = 0;
    bool good = output->file == stdout ? fflush(stdout) == 0 : fclose(output->file) == 0;
    output->file = NULL;
    if (good && output->temporary != NULL && (good = rename(output->temporary, output->target) == 0)) {
        free(output->temporary);
        output->temporary = NULL;
    }
    int result = good ? CLI_OK : cli_fail(command, "%s could not be written: %s", output->path, strerror(errno));
    cli_output_discard(output);
    return result;
}

void cli_output_discard(cli_output *output)
{
    if (output->file != NULL && output->file != stdout)
        fclose(output->file);
    if (output->temporary != NULL)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
    *output = (cli_output){.path = NULL};
}
