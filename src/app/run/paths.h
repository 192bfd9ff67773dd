/* paths.h - what the commands that track paths share: which of them are tracked. */
#ifndef PLUMB_APP_RUN_PATHS_H
#define PLUMB_APP_RUN_PATHS_H

#include "plumb.h"

/* "A-B" or "A", from 1, as --paths has it; NULL: all. Sets the number of the first one, from 0, and how many; 0: all. */
int app_paths_read(const char *command, const char *text, int64_t *first, int64_t *count);
/* Refuses them if there are fewer. */
int app_paths_check(const char *command, const char *text, int64_t first, int64_t count, int64_t all_paths);

#endif
