/* plugin.h - finds and loads the plugins of plumb: code that needs a library which not every computer has. */
#ifndef PLUMB_BASE_OS_PLUGIN_H
#define PLUMB_BASE_OS_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "plumb.h"

/* The version that a plugin was built with, which must be that of the library. */
#define PLUGIN_TEXT_OF(x) #x
#define PLUGIN_TEXT(x) PLUGIN_TEXT_OF(x)
#define PLUGIN_VERSION \
    PLUGIN_TEXT(PLUMB_VERSION_MAJOR) "." PLUGIN_TEXT(PLUMB_VERSION_MINOR) "." PLUGIN_TEXT(PLUMB_VERSION_PATCH)

/* Loads the plugin in this file, which is a path, or a name. A name is looked for beside the file that this code is in (the library,
 * or a program that it is linked into), in its subfolder plumb, in the folder plumb beside the libraries of such a program, and where the system looks for
 * libraries. If is_global is true, libraries that are loaded later can use its symbols. Returns the handle of dlopen, or NULL with
 * one line in why if the plugin cannot be loaded. */
void *plumb_plugin_open(const char *file, bool is_global, char *why, size_t size);

/* The address of a function of the plugin, copied into *function, a pointer to a function; false if there is none. */
bool plumb_plugin_find(void *plugin, const char *symbol, void *function, size_t size);

#endif
