/* stop.c - see stop.h. Handlers use only what is safe in them: unlink, sigaction, raise and the clock. */
#include "app/stop.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"

enum { MOST_TEMPORARIES = 16 };

static const char *volatile temporary[MOST_TEMPORARIES]; /* changed only while signals are deferred */
static volatile sig_atomic_t deferring, deferred;        /* deferred: the signal that waits */
static volatile sig_atomic_t stopped;
static double when; /* time of the first request to stop; written before `stopped`, read after it */

static void set_handler(int signal_number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static bool is_ignored(int signal_number)
{
    struct sigaction old;
    return sigaction(signal_number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

/* ---- The end by a signal ------------------------------------------------------------------------------------------- */

static void end(int signal_number)
{
    if (deferring) {
        deferred = signal_number;
        return;
    }
    for (int k = 0; k < MOST_TEMPORARIES; k++)
        if (temporary[k] != NULL)
            unlink(temporary[k]);
    set_handler(signal_number, SIG_DFL, 0);
    raise(signal_number); /* delivered when the handler returns, if not at once */
}

void app_signals_begin(void)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGALRM, SIGXCPU, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!is_ignored(numbers[i]))
            set_handler(numbers[i], end, SA_RESTART);
    set_handler(SIGXFSZ, SIG_IGN, 0);
}

void app_temporary_add(const char *path)
{
    for (int k = 0; k < MOST_TEMPORARIES && path != NULL; k++)
        if (temporary[k] == NULL) {
            temporary[k] = path;
            return;
        }
}

void app_temporary_remove(const char *path)
{
    for (int k = 0; k < MOST_TEMPORARIES && path != NULL; k++)
        if (temporary[k] == path)
            temporary[k] = NULL;
}

void app_signals_defer(void)
{
    deferring = 1;
}

void app_signals_deliver(void)
{
    deferring = 0;
    if (deferred != 0)
        raise(deferred);
    deferred = 0;
}

/* ---- A stop on request --------------------------------------------------------------------------------------------- */

/* One Ctrl-C may arrive as two signals, to the program and to its group; a second signal counts only if it comes more than a second
 * later. */
static void remember(int signal_number)
{
    if (stopped && plumb_clock_seconds() > when + 1)
        end(signal_number);
    if (!stopped)
        when = plumb_clock_seconds();
    stopped = 1;
}

void app_stop_on_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] != SIGHUP || !is_ignored(SIGHUP))
            set_handler(numbers[i], remember, SA_RESTART);
}

void app_stop_request(void)
{
    if (!stopped)
        when = plumb_clock_seconds();
    stopped = 1;
}

bool app_stopped(void)
{
    return stopped != 0;
}
