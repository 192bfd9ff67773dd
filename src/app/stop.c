/* stop.c - see stop.h. */
#include "app/stop.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static volatile sig_atomic_t stopped;
static double when; /* time of the first signal; written before `stopped`, read after it */

/* One Ctrl-C may arrive as two signals, to the program and to its group; a second signal counts only if it comes more than a second
 * later. */
static void remember(int signal_number)
{
    if (stopped && plumb_clock_seconds() > when + 1)
        _exit(128 + signal_number);
    if (!stopped)
        when = plumb_clock_seconds();
    stopped = 1;
}

void cli_stop_on_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i] != SIGHUP || (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN))
            sigaction(numbers[i], &action, NULL);
}

bool cli_stopped(void)
{
    return stopped != 0;
}
