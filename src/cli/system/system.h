/* system.h - the parts of plumb system: each subcommand of it, and what they share. */
#ifndef PLUMB_CLI_SYSTEM_H
#define PLUMB_CLI_SYSTEM_H

#include "app/matrix_io.h"
#include "model/system/system.h"

/* argv[0] is the name of the subcommand. */
int plumb_cli_system_show(int argc, char **argv);
int plumb_cli_system_convert(int argc, char **argv);
int plumb_cli_system_random(int argc, char **argv);
int plumb_cli_system_family(int argc, char **argv);
int plumb_cli_system_start(int argc, char **argv);

/* Reads a system; what is wrong is said with file, line and column. */
int cli_system_load(const char *command, const char *path, plumb_system **system);

/* Writes a system, all or nothing; form is PLUMB_SYSTEM_PHC or PLUMB_SYSTEM_PLAIN. */
int cli_system_save(const char *command, const plumb_system *system, int32_t form, const char *path);

/* The same without the last step: the file is complete, but not in its place yet. *output starts as zeros, and is to be
 * discarded also after a failure. */
int cli_system_write(const char *command, const plumb_system *system, int32_t form, const char *path,
                     cli_output *output);

/* "phc" or "plain". */
int cli_system_form(const char *command, const char *word, int32_t *form);

#endif
