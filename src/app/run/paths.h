/* paths.h - what the commands that track paths share: the machine for all of them, and which of them are tracked. */
#ifndef PLUMB_APP_RUN_PATHS_H
#define PLUMB_APP_RUN_PATHS_H

#include "plumb.h"

/* With --backend auto the library takes a GPU for calls with enough paths. Which paths share a call depends on --paths and on when a
 * run was stopped, and the two machines give different bits: so a run chooses one machine for all paths there are. Creates a
 * context for this number. */
int app_paths_context(const char *command, plumb_context_options *options, int64_t all_paths, plumb_context **context);

/* "A-B" or "A", from 1, as --paths has it; NULL: all. Sets the number of the first one, from 0, and how many; 0: all. */
int app_paths_read(const char *command, const char *text, int64_t *first, int64_t *count);
/* Refuses them if there are fewer. */
int app_paths_check(const char *command, const char *text, int64_t first, int64_t count, int64_t all_paths);

#endif
