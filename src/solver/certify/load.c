/* load.c - loads the plugin with the ball arithmetic (base/os/plugin.h), once per process. It stays loaded: the threads of FLINT have
 * memory of their own that its code must free. */
#include <stdio.h>
#include <string.h>

#include "base/call/message.h"
#include "base/os/plugin.h"
#include "solver/certify/balls.h"

#ifdef PLUMB_ARB_FILE

static const balls_ops *loaded; /* published by one atomic exchange; a plugin that is loaded twice is the same one */

const balls_ops *balls_load(char *why, size_t size)
{
    const balls_ops *ops = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
    if (ops)
        return ops;
    void *plugin = plumb_plugin_open(PLUMB_ARB_FILE, false, why, size);
    if (!plugin)
        return NULL;
    balls_entry *entry = NULL;
    ops = plumb_plugin_find(plugin, BALLS_SYMBOL, &entry, sizeof entry) ? entry() : NULL;
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
