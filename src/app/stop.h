/* stop.h - Ctrl-C as a question that long work asks now and then. */
#ifndef PLUMB_APP_STOP_H
#define PLUMB_APP_STOP_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are remembered instead of ending the program; one that comes seconds later ends it all the
 * same. A hang-up that nohup took away stays away; an interrupt that a shell took away from a job in the background is one that somebody
 * sent to it alone. */
void cli_stop_on_signals(void);

/* Has one come? */
bool cli_stopped(void);

#endif
