/* matrix_output.c - the writing half of matrix_io.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/matrix_io.h"

static const char SUFFIX[] = ".XXXXXX";

static bool ends_in_npy(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".npy") == 0;
}

/* The rights a new file would have had: those of the file it replaces, else what the umask leaves. */
static mode_t rights(const struct stat *old)
{
    if (old != NULL)
        return old->st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A temporary file in the folder of the target, so that renaming it is one step. Links are followed to what they name. */
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

int cli_output_matrix(const char *command, cli_output *output, const char *path, const plumb_view *view)
{
    char message[200] = "";
    int result = cli_output_open(command, output, path);
    if (result != CLI_OK || path == NULL)
        return result;
    plumb_status status = ends_in_npy(path) ? plumb_matrix_write_npy(output->file, view, message, sizeof message)
                                            : plumb_matrix_write_market(output->file, view, 0, message, sizeof message);
    if (status == PLUMB_OK)
        return CLI_OK;
    cli_output_discard(output);
    return cli_fail(command, "%s: %s", cli_is_stream(path) ? "standard output" : path,
                    message[0] != 0 ? message : plumb_status_text(status));
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
