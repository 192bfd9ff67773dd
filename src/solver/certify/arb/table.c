/* table.c - the table of the plugin, its only symbol. */
#include "solver/certify/arb/arb.h"

#ifdef PLUMB_ARB_IN_FLINT
#define ABOUT "FLINT " FLINT_VERSION
#else
#define ABOUT "FLINT " FLINT_VERSION " with Arb " ARB_VERSION
#include <arb.h>
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

PLUMB_API const balls_ops *plumb_balls(void);

const balls_ops *plumb_balls(void)
{
    static const balls_ops ops = {
        .interface = BALLS_INTERFACE,
        .plumb = TEXT(PLUMB_VERSION_MAJOR) "." TEXT(PLUMB_VERSION_MINOR) "." TEXT(PLUMB_VERSION_PATCH),
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
