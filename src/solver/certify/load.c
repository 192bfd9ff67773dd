/* load.c - finds the plugin with the ball arithmetic and loads it, once per process.
 *
 * It is looked for beside the file that this code is in (the library, or a program that it is linked into), in the folder of
 * libraries beside that of such a program, and where the system looks for libraries. It stays loaded: the threads of FLINT have
 * memory of their own that its code must free. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "solver/certify/balls.h"

#ifdef PLUMB_ARB_FILE

static const balls_ops *loaded; /* published by one atomic exchange; a plugin that is loaded twice is the same one */

/* The folder of the file that this code is in, with its last slash; "" if it is not known. */
static void own_folder(char folder[PATH_MAX])
{
    Dl_info info;
    char path[PATH_MAX];
    folder[0] = '\0';
    if (!dladdr((void *)&loaded, &info) || !info.dli_fname)
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

static void *open_plugin(char *why, size_t size)
{
    static const char *const places[] = {"", PLUMB_ARB_FOLDER};
    char folder[PATH_MAX], path[PATH_MAX + 256];
    own_folder(folder);
    for (size_t k = 0; folder[0] && k < sizeof places / sizeof places[0]; k++) {
        snprintf(path, sizeof path, "%s%s%s", folder, places[k], PLUMB_ARB_FILE);
        if (access(path, R_OK) == 0) {
            void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            const char *error = handle ? NULL : dlerror();
            if (!handle)
                (void)plumb_say(PLUMB_OK, why, size, "%s", error ? error : "out of memory");
            return handle;
        }
    }
    void *handle = dlopen(PLUMB_ARB_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        (void)plumb_say(PLUMB_OK, why, size, "%s was not found", PLUMB_ARB_FILE);
    return handle;
}

const balls_ops *balls_load(char *why, size_t size)
{
    const balls_ops *ops = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
    if (ops)
        return ops;
    void *handle = open_plugin(why, size);
    if (!handle)
        return NULL;
    void *symbol = dlsym(handle, BALLS_SYMBOL);
    balls_entry *entry = NULL;
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no conversion from objects to functions */
    ops = entry ? entry() : NULL;
    if (!ops || ops->interface != BALLS_INTERFACE || strcmp(ops->plumb, plumb_version()) != 0) {
        (void)plumb_say(PLUMB_OK, why, size, "%s belongs to another version of plumb", PLUMB_ARB_FILE);
        return NULL;
    }
    __atomic_store_n(&loaded, ops, __ATOMIC_RELEASE);
    return ops;
}

#else

const balls_ops *balls_load(char *why, size_t size)
{
    (void)plumb_say(PLUMB_OK, why, size, "plumb was built without FLINT");
    return NULL;
}

#endif

int32_t plumb_certify_available(char *why, size_t why_size)
{
    const balls_ops *ops = balls_load(why, why_size);
    if (ops)
        (void)plumb_say(PLUMB_OK, why, why_size, "%s", ops->about);
    return ops != NULL;
}
