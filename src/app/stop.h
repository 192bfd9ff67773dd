/* stop.h - signals: the end of a program without temporary files, and a stop that long computations check regularly. */
#ifndef PLUMB_APP_STOP_H
#define PLUMB_APP_STOP_H

#include <stdbool.h>

/* From now on a signal that ends the program removes its temporary files first, and a file that grows beyond its limit (ulimit -f)
 * is an error of the write instead of a signal. Signals that are ignored stay so. */
void app_signals_begin(void);

/* Files to be removed by a signal, at most 16. The names are not copied; NULL is allowed. */
void app_temporary_add(const char *path);
void app_temporary_remove(const char *path);

/* Between these two a signal waits. They do not nest, and are for one thread. */
void app_signals_defer(void);
void app_signals_deliver(void);

/* From now on SIGINT, SIGTERM and SIGHUP are recorded instead of ending the program; a second one, seconds later, ends it. SIGHUP stays
 * ignored if nohup had it ignored. SIGINT is handled also if a shell had it ignored for a background job, because then somebody
 * sent it to this job alone. */
void app_stop_on_signals(void);

/* Requests a stop as a signal does, for one that has come to another process of the job. */
void app_stop_request(void);

/* Was a stop requested? */
bool app_stopped(void);

#endif
