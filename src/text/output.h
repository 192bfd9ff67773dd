/* output.h - files that are written beside their place and take it when they are complete.
 *
 * A reader of the file, and whoever looks after a crash, finds the old contents or the new ones, never a part of them. Until it is
 * placed the new file has no name at all where the file system supports that (O_TMPFILE), so that nothing is left over even
 * if the process is killed; elsewhere it is named .plumb-PID-K in the same folder. What is not a plain file (a device, a
 * pipe) is written to directly. Symbolic links are followed, also to a file that does not exist yet.
 *
 * Calls that return int return 0 or the errno of what failed. Nothing here prints. */
#ifndef PLUMB_TEXT_OUTPUT_H
#define PLUMB_TEXT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct file_output {
    FILE *file;      /* what to write to; it can be read as well */
    char *target;    /* the place, with links followed; NULL: written to directly */
    char *temporary; /* the name until then; NULL: none */
} file_output;

/* Opens what will take the place of path. *output need not be set before. */
int file_output_open(file_output *output, const char *path);

/* Lets the disk begin with what the kernel has of a file, so that there is less to wait for in the end. 0, also where that is not
 * possible, or an errno: what is written is then lost. */
int file_output_hurry(FILE *file);

/* Everything written so far reaches the disk. */
int file_output_finish(file_output *output);

/* Takes the place, with replace false only if nothing is there (EEXIST). Afterwards the file can be written further until it is
 * closed. To replace a file, the new one has a name beside it for a moment: a program that wants to leave none behind defers
 * signals meanwhile. */
int file_output_place(file_output *output, bool replace);

/* Closes and removes what was not placed. Closing what was placed is an error if its last bytes cannot be written. */
int file_output_close(file_output *output);

/* Would file_output_open succeed? Writes nothing; a pipe is not opened, because its reader would notice. */
int file_output_try(const char *path);

/* An empty file without a name in this folder, for reading and writing. NULL: errno is set. */
FILE *file_unnamed(const char *folder);

/* Do two paths lead to one file, which need not exist? False where one of them cannot be followed. */
bool file_same(const char *one, const char *other);

/* Locks an open file for this process, until it is closed or the process ends, however that happens. EAGAIN: another process
 * has it, and *holder is its number (0 if it runs on another machine). Closing any descriptor of the file ends the lock, so
 * the file is to be opened only once. File systems without locks are no error. */
int file_lock(FILE *file, pid_t *holder);

/* Does the path still lead to the open file? */
bool file_is_at(FILE *file, const char *path);

#endif
