/* plugin.c - see plugin.h. */
#define _GNU_SOURCE /* dladdr */
#include "base/os/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/call/message.h"

#ifndef PLUMB_PLUGIN_FOLDER
#define PLUMB_PLUGIN_FOLDER "" /* where libraries are, seen from the folder of programs */
#endif

/* The folder of the file that this code is in, with its last slash; "" if it is not known. */
static void own_folder(char folder[PATH_MAX])
{
    static const char here;
    Dl_info info;
    char path[PATH_MAX];
    folder[0] = '\0';
    if (!dladdr((const void *)&here, &info) || !info.dli_fname)
        return;
    if (strchr(info.dli_fname, '/')) {
        if (!realpath(info.dli_fname, path))
            return;
    } else { /* a program that was found in $PATH */
        const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        if (length <= 0)
            return;
        path[length] = '\0';
    }
    char *slash = strrchr(path, '/');
    if (slash) {
        slash[1] = '\0';
        memcpy(folder, path, strlen(path) + 1);
    }
}

static void *open_at(const char *path, bool is_global, char *why, size_t size)
{
    void *handle = dlopen(path, RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL));
    const char *error = handle ? NULL : dlerror();
    if (!handle)
        (void)plumb_say(PLUMB_OK, why, size, "%s", error ? error : "out of memory");
    return handle;
}

void *plumb_plugin_open(const char *file, bool is_global, char *why, size_t size)
{
    static const char *const places[] = {"", PLUMB_PLUGIN_FOLDER};
    char folder[PATH_MAX], path[PATH_MAX + 256];
    if (strchr(file, '/'))
        return open_at(file, is_global, why, size);
    own_folder(folder);
    for (size_t k = 0; folder[0] && k < sizeof places / sizeof places[0]; k++) {
        snprintf(path, sizeof path, "%s%s%s", folder, places[k], file);
        if (access(path, R_OK) == 0)
            return open_at(path, is_global, why, size);
    }
    void *handle = dlopen(file, RTLD_NOW | (is_global ? RTLD_GLOBAL : RTLD_LOCAL));
    if (!handle)
        (void)plumb_say(PLUMB_OK, why, size, "%s was not found", file);
    return handle;
}

bool plumb_plugin_find(void *plugin, const char *symbol, void *function, size_t size)
{
    void *found = dlsym(plugin, symbol);
    if (size != sizeof found)
        return false;
    memcpy(function, &found, size); /* ISO C has no conversion from objects to functions */
    return found != NULL;
}
