/* outputs.h - checks the files of a command line before the work begins. */
#ifndef PLUMB_APP_OUTPUTS_H
#define PLUMB_APP_OUTPUTS_H

#include "app/command/command.h"

/* Makes sure that descriptors 0, 1 and 2 are open, so that no file of ours becomes one of them. Where the caller closed one, reading
 * or writing it fails as it should; messages are lost. */
void app_streams_open(void);

/* Refuses, in one line, outputs that cannot be written (a folder, no permission, a full device, a closed standard output) and
 * outputs that are also an input or another output, under whatever name. Nothing is written. values: as app_parse fills
 * them. */
int app_outputs_check(const app_command *command, const void *values);

#endif
