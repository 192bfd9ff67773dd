/* collective.c - threads of a block, a warp or a cluster that wait for each other, and flags in global memory. */
#include <string.h>

#include "machine.h"

enum { READS_LIMIT = 1000 * 1000 };

static void gate_open(emu_gate *g)
{
    g->arrived = 0;
    g->opened++;
    emu_wake(&g->waiting);
}

/* Waits at a gate; the last thread to arrive opens it and continues. */
static void gate_pass(emu_gate *g, emu_site site)
{
    if (++g->arrived == g->expected)
        gate_open(g);
    else
        emu_wait_in(&g->waiting, site);
}

void emu_sync(emu_site site)
{
    gate_pass(&emu_current()->block->named[0], site);
}

void emu_sync_some(int barrier, int count, emu_site site)
{
    emu_block *b = emu_current()->block;
    if (barrier < 1 || barrier >= EMU_NAMED_BARRIERS)
        emu_die(site, "there is no barrier %d", barrier);
    if (count <= 0 || count % EMU_WARP || count > b->count)
        emu_die(site, "%d threads are no whole warps of a block of %d", count, b->count);
    emu_gate *g = &b->named[barrier];
    if (g->arrived && g->expected != count)
        emu_die(site, "barrier %d is for %d threads here and for %d elsewhere", barrier, count, g->expected);
    g->expected = count;
    gate_pass(g, site);
}

void emu_arrive_cluster(int release, emu_site site)
{
    emu_thread *t = emu_current();
    emu_gate *g = &t->block->cluster->gate;
    if (release)
        emu_stores_done();
    if (t->arrived)
        emu_die(site, "arrives twice at the barrier of the cluster");
    t->arrived = 1;
    t->opened = g->opened;
    if (++g->arrived == g->expected)
        gate_open(g);
}

void emu_await_cluster(emu_site site)
{
    emu_thread *t = emu_current();
    emu_gate *g = &t->block->cluster->gate;
    if (!t->arrived)
        emu_die(site, "waits for the barrier of the cluster without having arrived");
    if (g->opened == t->opened)
        emu_wait_in(&g->waiting, site);
    t->arrived = 0;
}

void emu_sync_cluster(emu_site site)
{
    emu_arrive_cluster(1, site);
    emu_await_cluster(site);
}

/* All threads of the warp deposit a value; returns all deposited values. */
static const uint64_t *exchange(uint64_t value, emu_site site)
{
    emu_thread *t = emu_current();
    emu_warp *w = t->warp;
    if (w->gate.arrived == 0)
        w->what = site.what;
    else if (strcmp(w->what, site.what) != 0)
        emu_die(site, "%s while other threads of the warp are at %s", site.what, w->what);
    uint64_t *deposit = w->deposit[w->turn & 1];
    deposit[t->lane] = value;
    if (w->gate.arrived + 1 == w->gate.expected)
        w->turn++;
    gate_pass(&w->gate, site);
    return deposit;
}

uint64_t emu_shuffle(uint64_t value, int from, emu_site site)
{
    const uint64_t *deposit = exchange(value, site);
    if (from < 0 || from >= emu_current()->warp->threads)
        emu_die(site, "lane %d is not in the warp", from);
    return deposit[from];
}

void emu_sync_warp(emu_site site)
{
    exchange(0, site);
}

unsigned emu_ballot(int condition, emu_site site)
{
    const uint64_t *deposit = exchange(condition != 0, site);
    unsigned votes = 0;
    for (int k = 0; k < emu_current()->warp->threads; k++)
        votes |= (unsigned)deposit[k] << k;
    return votes;
}

unsigned emu_warp_max(unsigned value, emu_site site)
{
    const uint64_t *deposit = exchange(value, site);
    uint64_t most = 0;
    for (int k = 0; k < emu_current()->warp->threads; k++)
        most = deposit[k] > most ? deposit[k] : most;
    return (unsigned)most;
}

/* At every access to a flag, other threads may run first. */
static void interrupt(emu_site site)
{
    if (emu_random() % 4 == 1)
        emu_give_way(site);
}

int32_t emu_flag_get(const int32_t *flag, emu_site site)
{
    if (++emu_current()->reads > READS_LIMIT)
        emu_die(site, "reads flags for ever without gpu_pause");
    interrupt(site);
    return *flag;
}

void emu_flag_set(int32_t *flag, int32_t value, emu_site site)
{
    interrupt(site);
    *flag = value;
    emu_progress();
}

int32_t emu_fetch_add(int32_t *counter, int32_t more, emu_site site)
{
    interrupt(site);
    int32_t before = *counter;
    *counter = (int32_t)((uint32_t)before + (uint32_t)more);
    emu_progress();
    return before;
}

int32_t emu_fetch_max(int32_t *word, int32_t value, emu_site site)
{
    interrupt(site);
    int32_t before = *word;
    *word = value > before ? value : before;
    emu_progress();
    return before;
}

/* Barriers of the block or cluster do not wait for threads that have ended; a warp must stay together. */
static void gate_leave(emu_gate *g)
{
    g->expected--;
    if (g->arrived && g->arrived == g->expected)
        gate_open(g);
}

static void check_guards(const emu_block *b, size_t shared)
{
    for (size_t i = 0; i < EMU_GUARD; i++)
        if (b->memory[i] != (char)0xa5)
            emu_die((emu_site){0}, "block %u wrote %zu bytes before its shared memory", b->view.index.x, EMU_GUARD - i);
    const char *behind = b->memory + EMU_GUARD + shared;
    for (size_t i = 0; i < EMU_GUARD; i++)
        if (behind[i] != (char)0xa5)
            emu_die((emu_site){0}, "block %u wrote %zu bytes behind its %zu bytes of shared memory", b->view.index.x, i,
                    shared);
}

void emu_thread_left(emu_thread *t)
{
    emu_block *b = t->block;
    b->live--;
    b->cluster->live--;
    gate_leave(&b->named[0]);
    gate_leave(&b->cluster->gate);
    if (b->live == 0)
        check_guards(b, b->shared);
}
