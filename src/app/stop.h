/* stop.h - a stop requested by Ctrl-C, which long computations check regularly. */
#ifndef PLUMB_APP_STOP_H
#define PLUMB_APP_STOP_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP are recorded instead of ending the program; a second one, seconds later, ends it. SIGHUP stays
 * ignored if nohup had it ignored. SIGINT is handled also if a shell had it ignored for a background job, because then somebody
 * sent it to this job alone. */
void cli_stop_on_signals(void);

/* Was a stop requested? */
bool cli_stopped(void);

#endif
