/* stop.h - Ctrl-C as a question that long work asks now and then. */
#ifndef PLUMB_CLI_STOP_H
#define PLUMB_CLI_STOP_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM are remembered instead of ending the program; one that comes seconds later ends it all the same. */
void cli_stop_on_signals(void);

/* Has one come? */
bool cli_stopped(void);

#endif
