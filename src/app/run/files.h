/* files.h - the files that a run has beside its output: the journal, and the log of steps that a picture is drawn from. */
#ifndef PLUMB_APP_RUN_FILES_H
#define PLUMB_APP_RUN_FILES_H

#include <stdbool.h>

/* The journal of a run with this output, FILE.journal; NULL if that is not a plain file. Refuses one that is also one of the
 * other files of the run (each may be NULL), and --resume without it. *path is to be freed. */
int app_journal_path(const char *command, const char *output, const char *const *others, int count, bool resume,
                     char **path);

/* A log of steps: that of --path-log, or a temporary one for --plot, or none. */
typedef struct app_log {
    const char *path; /* NULL: none */
    char *temporary;  /* to be removed; or NULL */
} app_log;

int app_log_begin(const char *command, const char *path_log, const char *plot, app_log *log);
void app_log_end(app_log *log);

#endif
