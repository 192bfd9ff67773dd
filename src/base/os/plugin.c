/* plugin.c - see plugin.h. */
#define _GNU_SOURCE /* dladdr */
#include "base/os/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/call/message.h"

#ifndef PLUMB_PLUGIN_FOLDER
#define PLUMB_PLUGIN_FOLDER "" /* where libraries are, seen from the folder of programs */
#endif

#ifdef __linux__
/* Whether an address is in a mapping, such as "55d0-55e0 r--p 0000 08:01 1234  /usr/bin/plumb"; then path is its file, or empty. */
static bool is_mapping_of(const char *line, const char *address, char path[PATH_MAX])
{
    char *rest;
    const uintptr_t here = (uintptr_t)address;
    const unsigned long long begin = strtoull(line, &rest, 16);
    if (*rest != '-')
        return false;
    const unsigned long long end = strtoull(rest + 1, &rest, 16);
    if (here < begin || here >= end)
        return false;
    const char *name = strchr(rest, '/');
    const size_t length = name ? strlen(name) : PATH_MAX;
    const bool fits = length < PATH_MAX;
    memcpy(path, fits ? name : "", fits ? length + 1 : 1);
    return true;
}
#endif

/* The path of the file that an address is in. On Linux the kernel says which: the name that dladdr returns for a program is argv[0], which is
 * the choice of whoever starts it, and that of a library may be relative to a folder that was left meanwhile. */
static bool own_file(const char *address, char path[PATH_MAX])
{
#ifdef __linux__
    /* Read without a stream, whose memory might not be had: then a plugin that is there would seem to be missing. */
    const int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char block[4096], line[PATH_MAX + 128];
    size_t length = 0;
    ssize_t got = 0;
    bool found = false;
    while (maps >= 0 && !found && ((got = read(maps, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)))
        for (ssize_t i = 0; i < got && !found; i++) {
            const bool ends = block[i] == '\n';
            line[length] = ends ? '\0' : block[i];
            found = ends && is_mapping_of(line, address, path);
            length = ends ? 0 : length + (length < sizeof line - 1);
        }
    if (maps >= 0)
        close(maps);
    return found && path[0];
#else
    Dl_info info;
    return dladdr(address, &info) && info.dli_fname && strchr(info.dli_fname, '/') && realpath(info.dli_fname, path);
#endif
}

/* The folder of the file that this code is in, with its last slash; "" if it is not known. */
static void own_folder(char folder[PATH_MAX])
{
    static const char here = 1;
    folder[0] = '\0';
    if (own_file(&here, folder))
        strrchr(folder, '/')[1] = '\0';
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
    static const char *const places[] = {"", "plumb/", PLUMB_PLUGIN_FOLDER "plumb/"};
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
