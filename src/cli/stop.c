/* stop.c - see stop.h. */
#include "cli/stop.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static time_t when; /* the first one came; written before `stopped`, read after it */

/* One request may come as two signals, to the program and to its group: a second one counts when it comes later. */
static void remember(int signal_number)
{
    if (stopped && time(NULL) > when + 1)
        _exit(128 + signal_number);
    if (!stopped)
        when = time(NULL);
    stopped = 1;
}

void cli_stop_on_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_stopped(void)
{
    return stopped != 0;
}
