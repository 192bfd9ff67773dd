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

static const char *folder(void)
{
    const char *given = getenv("TMPDIR");
    return given != NULL && given[0] != 0 ? given : "/tmp";
}

const run_host app_host = {
    .say = say, .stopped = stopped, .stop = stop, .defer = defer, .temporary = temporary, .folder = folder};

int app_ranks_begin(const run_voice *voice)
{
    size_t size;
    const int result = ranks_begin(voice);
    char *kept = ranks_kept(&size);
    if (result == RUN_OK && ranks_is_worker())
        app_messages_keep(kept, size);
    return result;
}
