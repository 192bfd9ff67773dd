/* mbarrier.c - barriers in shared memory and messages between the blocks of a cluster, as the PTX ISA describes
 * mbarrier and st.async.
 *
 * The seed chooses how long a message takes (one step with seed 0), so that later ones overtake earlier ones, and a
 * kernel that fails to wait reads NaN. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

/* The eight bytes of a barrier. A phase is complete when pending arrivals and bytes are both 0; bytes may come before they are
 * announced. */
typedef struct state {
    int32_t bytes;
    uint32_t pending : 12, arrivals : 12, phase : 1, mark : 7; /* mark: it was initialised */
} state;
enum { MARK = 0x2d, MOST_ARRIVALS = 0xfff, MOST_BYTES = (1 << 20) - 1 };
_Static_assert(sizeof(state) == sizeof(uint64_t), "a barrier has eight bytes");

typedef struct message {
    emu_block *to;
    size_t offset, barrier; /* in shared memory */
    double value[2];
    int count;
    emu_site site; /* of the sender */
} message;

enum {
    SLOTS = 32768
}; /* messages by the step in which they arrive; none takes longer, and some may outlive a faulty block */
static struct {
    message *items;
    size_t count, room;
} slots[SLOTS];
static size_t on_the_way;

size_t emu_shared_offset(const void *p, size_t bytes, const char *name, emu_site site)
{
    const emu_block *b = emu_current()->block;
    const char *base = b->memory + EMU_GUARD;
    uintptr_t offset = (uintptr_t)p - (uintptr_t)base;
    if ((uintptr_t)p < (uintptr_t)base || offset + bytes > b->shared)
        emu_die(site, "%s is not in the shared memory of the block", name);
    if (offset % bytes)
        emu_die(site, "%s is not aligned to %zu bytes", name, bytes);
    return (size_t)offset;
}

emu_block *emu_cluster_block(int rank, emu_site site)
{
    emu_block *b = emu_current()->block;
    if (rank < 0 || rank >= b->view.cluster)
        emu_die(site, "there is no block %d in a cluster of %d", rank, b->view.cluster);
    return &b->cluster->blocks[rank];
}

static state load(const uint64_t *barrier, emu_site site)
{
    state s;
    memcpy(&s, barrier, sizeof s);
    if (s.mark != MARK)
        emu_die(site, "the barrier was not initialised, or was overwritten");
    return s;
}

/* Stores the barrier, its phase complete if nothing is missing. */
static void store(emu_block *b, uint64_t *barrier, state s)
{
    int complete = s.pending == 0 && s.bytes == 0;
    if (complete) {
        s.phase ^= 1;
        s.pending = s.arrivals;
    }
    memcpy(barrier, &s, sizeof s);
    if (!complete)
        return;
    emu_thread **link = &b->at_barriers.first, *last = NULL;
    while (*link) {
        emu_thread *t = *link;
        if (t->barrier == barrier) {
            *link = t->next;
            emu_make_ready(t);
        } else {
            last = t;
            link = &t->next;
        }
    }
    b->at_barriers.last = last;
    emu_progress();
}

void emu_barrier_init(uint64_t *barrier, int arrivals, emu_site site)
{
    emu_shared_offset(barrier, sizeof *barrier, "the barrier", site);
    if (arrivals < 1 || arrivals > MOST_ARRIVALS)
        emu_die(site, "a barrier for %d arrivals", arrivals);
    state s = {0, (uint32_t)arrivals & MOST_ARRIVALS, (uint32_t)arrivals & MOST_ARRIVALS, 0, MARK};
    memcpy(barrier, &s, sizeof s);
}

void emu_barrier_arrive(uint64_t *barrier, int bytes, emu_site site)
{
    emu_shared_offset(barrier, sizeof *barrier, "the barrier", site);
    state s = load(barrier, site);
    if (s.pending == 0)
        emu_die(site, "more than %d threads arrive at the barrier in one phase", (int)s.arrivals);
    if (bytes < 0 || s.bytes + bytes > MOST_BYTES)
        emu_die(site, "%d bytes more than the barrier can expect", bytes);
    s.bytes += bytes;
    s.pending--;
    store(emu_current()->block, barrier, s);
}

int emu_barrier_test(uint64_t *barrier, int parity, emu_site site)
{
    emu_shared_offset(barrier, sizeof *barrier, "the barrier", site);
    if (parity != 0 && parity != 1)
        emu_die(site, "%d is no parity", parity);
    return load(barrier, site).phase != (unsigned)parity;
}

void emu_barrier_wait(uint64_t *barrier, int parity, emu_site site)
{
    emu_thread *t = emu_current();
    while (!emu_barrier_test(barrier, parity, site)) {
        t->barrier = barrier;
        emu_wait_in(&t->block->at_barriers, site);
    }
}

void emu_send(double *to, const double *values, int count, uint64_t *barrier, int rank, emu_site site)
{
    message m = {emu_cluster_block(rank, site),
                 emu_shared_offset(to, (size_t)count * sizeof *to, "the place to send to", site),
                 emu_shared_offset(barrier, sizeof *barrier, "the barrier", site),
                 {values[0], values[count - 1]},
                 count,
                 site};
    uint64_t random = emu_random();
    uint64_t delay = 1 + (random % 8 == 1 ? (random >> 8) % (SLOTS - 1) : (random >> 8) % 16);
    size_t k = (emu_now() + delay) % SLOTS;
    if (slots[k].count == slots[k].room) {
        slots[k].room = slots[k].room ? 2 * slots[k].room : 64;
        slots[k].items = realloc(slots[k].items, slots[k].room * sizeof m);
        if (!slots[k].items)
            emu_die(site, "there is no memory for another message");
    }
    slots[k].items[slots[k].count++] = m;
    on_the_way++;
}

static void deliver(const message *m)
{
    if (m->to->live == 0)
        emu_die(m->site, "a message comes to block %u, which has ended", m->to->view.index.x);
    char *base = m->to->memory + EMU_GUARD;
    int bytes = m->count * (int)sizeof(double);
    memcpy(base + m->offset, m->value, (size_t)bytes);
    uint64_t *barrier = (uint64_t *)(void *)(base + m->barrier);
    state s = load(barrier, m->site);
    if (s.bytes - bytes < -MOST_BYTES)
        emu_die(m->site, "far more bytes come to the barrier than it expects");
    s.bytes -= bytes;
    store(m->to, barrier, s);
    emu_progress();
}

void emu_messages_begin(void)
{
    for (size_t k = 0; k < SLOTS; k++)
        slots[k].count = 0;
    on_the_way = 0;
}

int emu_deliver_due(void)
{
    if (on_the_way == 0)
        return 0;
    size_t k = emu_now() % SLOTS;
    for (size_t i = 0; i < slots[k].count; i++)
        deliver(&slots[k].items[i]);
    on_the_way -= slots[k].count;
    slots[k].count = 0;
    return 1;
}
