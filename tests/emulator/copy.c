/* copy.c - copies from global to shared memory that are done later: when the thread asks for their end, or at once if the seed
 * says so. */
#include <stdlib.h>

#include "machine.h"

void emu_copy(double *to, const double *from, emu_site site)
{
    emu_shared_offset(to, sizeof *to, "the place to copy to", site);
    if ((uintptr_t)from % sizeof *from)
        emu_die(site, "what is copied is not aligned");
    if (emu_random() % 2 == 1) {
        *to = *from;
        return;
    }
    emu_copies *c = &emu_current()->copies;
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 16;
        c->item = realloc(c->item, c->room * sizeof *c->item);
        if (!c->item)
            emu_die(site, "there is no memory for another copy");
    }
    c->item[c->count].to = to;
    c->item[c->count++].from = from;
}

void emu_copies_done(void)
{
    emu_copies *c = &emu_current()->copies;
    for (size_t k = 0; k < c->count; k++)
        *c->item[k].to = *c->item[k].from;
    c->count = 0;
}
