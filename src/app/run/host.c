/* host.c - see host.h. */
#include "app/run/host.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/stop.h"
#include "solver/ranks/ranks.h"

static void say(const run_voice *voice, int what, plumb_status status, bool placed, const char *line)
{
    const char *command = placed ? NULL : voice->command;
    if (what == RUN_NOTE)
        app_note(command, "%s", line);
    else if (what == RUN_CALL)
        (void)app_fail(command, "%s%s%s", plumb_status_text(status), line[0] ? ": " : "", line);
    else if (what == RUN_FAILED)
        (void)app_fail(command, "%s", line);
    else
        (void)app_misuse(command, "%s", line);
}

static bool stopped(const run_voice *voice)
{
    (void)voice;
    return app_stopped();
}

static void stop(const run_voice *voice)
{
    (void)voice;
    app_stop_request();
}

static void defer(bool on)
{
    if (on)
        app_signals_defer();
    else
        app_signals_deliver();
}

static void temporary(const char *path, bool exists)
{
    if (exists)
        app_temporary_add(path);
    else
        app_temporary_remove(path);
}

const char *app_folder(void)
{
    const char *given = getenv("TMPDIR");
    return given != NULL && given[0] != 0 ? given : "/tmp";
}

static const char *folder(const run_voice *voice)
{
    (void)voice;
    return app_folder();
}

const run_host app_host = {
    .say = say, .stopped = stopped, .stop = stop, .defer = defer, .temporary = temporary, .folder = folder};

/* ---- Ranks --------------------------------------------------------------------------------------------------------- */

int app_ranks_begin(const char *command)
{
    static run_voice voice; /* is kept until the end */
    size_t size;
    voice = (run_voice){&app_host, command, NULL};
    const int result = ranks_begin(&voice);
    char *kept = ranks_kept(&size);
    if (result == RUN_OK && ranks_is_worker())
        app_messages_keep(kept, size);
    return result;
}

int app_ranks_end(int result)
{
    return ranks_end(result);
}

bool app_is_worker(void)
{
    return ranks_is_worker();
}

void app_ranks_context(plumb_context_options *options, int64_t threads, int32_t backend)
{
    options->threads = ranks_threads_alone(threads);
    options->device = ranks_device(backend);
    options->backend = backend;
}
