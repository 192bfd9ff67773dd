/* stop.c - see stop.h. */
#include "cli/stop.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stopped;

static void remember(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

void cli_stop_on_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_stopped(void)
{
    return stopped != 0;
}
