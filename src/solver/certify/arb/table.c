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
        .system_create = arb_system_create,
        .system_destroy = arb_system_destroy,
        .worker_create = arb_worker_create,
        .worker_destroy = arb_worker_destroy,
        .box_create = arb_box_create,
        .box_destroy = arb_box_destroy,
        .jacobian = arb_jacobian,
        .prove = arb_prove,
        .compare = arb_box_compare,
        .form = arb_box_form,
        .text = arb_box_text,
        .radius = arb_box_radius,
        .moved = arb_box_moved,
    };
    return &ops;
}
