/* files.c - see files.h. */
#define _GNU_SOURCE /* asprintf */
#include "app/run/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "app/run/host.h"
#include "app/stop.h"

/* Only a plain file has a journal beside it, not a device or a pipe. */
static bool is_plain(const char *path)
{
    struct stat there;
    return path != NULL && !app_is_stream(path) && (stat(path, &there) != 0 || S_ISREG(there.st_mode));
}

int app_journal_path(const char *command, const char *output, const char *const *others, int count, bool resume,
                     char **path)
{
    *path = NULL;
    if (!is_plain(output))
        return resume ? app_misuse(command, "--resume needs -o FILE: the journal is FILE.journal") : APP_OK;
    if (asprintf(path, "%s.journal", output) < 0) {
        *path = NULL;
        return app_fail(command, "out of memory");
    }
    for (int i = 0; i < count; i++)
        if (others[i] != NULL && !app_is_stream(others[i]) && file_same(others[i], *path))
            return app_misuse(command, "%s and the journal of this run, %s, are one file", others[i], *path);
    return APP_OK;
}

static int make_temporary(const char *command, app_log *log)
{
    if (asprintf(&log->temporary, "%s/plumb-log-XXXXXX", app_folder()) < 0) {
        log->temporary = NULL;
        return app_fail(command, "out of memory");
    }
    app_signals_defer();
    const int file = mkstemp(log->temporary);
    const int reason = errno;
    if (file >= 0) {
        app_temporary_add(log->temporary);
        close(file);
    }
    app_signals_deliver();
    log->path = log->temporary;
    if (file >= 0)
        return APP_OK;
    free(log->temporary);
    log->temporary = NULL;
    return app_fail(command, "a temporary file could not be written: %s", strerror(reason));
}

int app_log_begin(const char *command, const char *path_log, const char *plot, app_log *log)
{
    *log = (app_log){.path = path_log};
    if (path_log == NULL && plot != NULL)
        return make_temporary(command, log);
    if (path_log != NULL && plot != NULL && !is_plain(path_log))
        return app_misuse(command, "--plot reads the path log; expected a plain file for --path-log, found %s",
                          path_log);
    return APP_OK;
}

void app_log_end(app_log *log)
{
    if (log->temporary != NULL) {
        app_signals_defer();
        unlink(log->temporary);
        app_temporary_remove(log->temporary);
        app_signals_deliver();
    }
    free(log->temporary);
    *log = (app_log){.path = NULL};
}
