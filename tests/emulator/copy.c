/* copy.c - delayed writes to shared memory: copies from global memory are done at the latest when the thread waits
 * for them, and stores to other blocks when it reaches a cluster barrier. The seed may choose to do them at once. */
#include <stdlib.h>

#include "machine.h"

static void do_write(const emu_write *w)
{
    if (w->block->live == 0)
        emu_die((emu_site){0}, "a store comes to block %u, which has ended", w->block->view.index.x);
    *w->to = w->from ? *w->from : w->value;
}

static void do_later(emu_writes *list, emu_write w, emu_site site)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->item = realloc(list->item, list->room * sizeof w);
        if (!list->item)
            emu_die(site, "there is no memory for another write");
    }
    list->item[list->count++] = w;
}

static void do_all(emu_writes *list)
{
    for (size_t k = 0; k < list->count; k++)
        do_write(&list->item[k]);
    list->count = 0;
}

void emu_copy(double *to, const double *from, emu_site site)
{
    emu_shared_offset(to, sizeof *to, "the place to copy to", site);
    if ((uintptr_t)from % sizeof *from)
        emu_die(site, "what is copied is not aligned");
    emu_write w = {to, from, 0.0, emu_current()->block};
    if (emu_random() % 2 == 1)
        do_write(&w);
    else
        do_later(&emu_current()->copies, w, site);
}

void emu_copies_done(void)
{
    do_all(&emu_current()->copies);
}

/* Once a store is delayed, all that follow are, because stores of a thread to one place must be seen in order. */
void emu_store_remote(double *to, double value, int rank, emu_site site)
{
    const emu_block *mine = emu_current()->block, *other = emu_cluster_block(rank, site);
    size_t offset = emu_shared_offset(to, sizeof *to, "the place to store to", site);
    emu_write w = {(double *)(void *)(other->memory + EMU_GUARD + offset), NULL, value, other};
    emu_writes *late = &emu_current()->stores;
    if (other == mine || (late->count == 0 && emu_random() % 2 == 1))
        do_write(&w);
    else
        do_later(late, w, site);
}

void emu_stores_done(void)
{
    do_all(&emu_current()->stores);
}
