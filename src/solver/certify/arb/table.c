/* table.c - the table of the plugin, its only symbol. */
#include "base/os/plugin.h"
#include "solver/certify/arb/arb.h"

#ifdef PLUMB_ARB_IN_FLINT
#define ABOUT "FLINT " FLINT_VERSION
#else
#define ABOUT "FLINT " FLINT_VERSION " with Arb " ARB_VERSION
#include <arb.h>
#endif

PLUMB_API const balls_ops *plumb_balls(void);

const balls_ops *plumb_balls(void)
{
    static const balls_ops ops = {
        .interface = BALLS_INTERFACE,
        .plumb = PLUGIN_VERSION,
        .about = ABOUT,
        .system_create = balls_system_create,
        .system_destroy = balls_system_destroy,
        .worker_create = balls_worker_create,
        .worker_destroy = balls_worker_destroy,
        .box_create = balls_box_create,
        .box_destroy = balls_box_destroy,
        .jacobian = balls_jacobian,
        .prove = balls_prove,
        .compare = balls_box_compare,
        .form = balls_box_form,
        .text = balls_box_text,
        .radius = balls_box_radius,
        .moved = balls_box_moved,
    };
    return &ops;
}
