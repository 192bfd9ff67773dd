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
        cli_note(command, "%s", line);
    else if (what == RUN_CALL)
        (void)cli_fail(command, "%s%s%s", plumb_status_text(status), line[0] ? ": " : "", line);
    else if (what == RUN_FAILED)
        (void)cli_fail(command, "%s", line);
    else
        (void)cli_misuse(command, "%s", line);
}

static bool stopped(const run_voice *voice)
{
    (void)voice;
    return cli_stopped();
}

static void stop(const run_voice *voice)
{
    (void)voice;
    cli_stop_request();
}

static void defer(bool on)
{
    if (on)
        cli_signals_defer();
    else
        cli_signals_deliver();
}

static void temporary(const char *path, bool exists)
{
    if (exists)
        cli_temporary_add(path);
    else
        cli_temporary_remove(path);
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
        cli_messages_keep(kept, size);
    return result;
}
