/* schedule.c - one thread of the kernel runs at a time, until it waits; the seed chooses the next one.
 *
 * With PLUMB_EMULATOR_SEED=0, or unset, threads run in turn. Otherwise threads are chosen at random, differently in
 * each launch but reproducibly in each run of a program. Blocks begin in order, several clusters at a time. Threads
 * that pause (they poll a flag) run only now and then, because usually the flag is not set yet. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum {
    RESIDENT_CLUSTERS = 8,
    RESIDENT_THREADS = 8192,
    PAUSED_EVERY = 16,            /* steps */
    SPIN_LIMIT = 10 * 1000 * 1000 /* pauses while nothing else happens */
};

typedef struct ring { /* threads that can run */
    emu_thread **slot;
    size_t size, first, count; /* size is a power of two */
} ring;

static struct {
    const emu_launch *launch;
    emu_cluster *clusters;
    int resident;
    ring ready, paused;
    uint64_t random, steps, launches;
    int64_t pauses;
} machine;

emu_thread_view *emu_self;

emu_thread *emu_current(void)
{
    return (emu_thread *)(void *)emu_self;
}

uint64_t emu_now(void)
{
    return machine.steps;
}

/* xorshift64*, Vigna 2016. */
uint64_t emu_random(void)
{
    machine.random ^= machine.random >> 12;
    machine.random ^= machine.random << 25;
    machine.random ^= machine.random >> 27;
    return machine.random * 0x2545f4914f6cdd1du >> 16;
}

static void seed(void)
{
    const char *text = getenv("PLUMB_EMULATOR_SEED");
    uint64_t given = text ? strtoull(text, NULL, 0) : 0;
    machine.launches++;
    machine.random = given ? (given + machine.launches) * 0x9e3779b97f4a7c15u : 0;
}

static void *get(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory)
        emu_die((emu_site){0}, "there is no memory to emulate with");
    return memory;
}

static void ring_init(ring *r, size_t most)
{
    r->size = 1;
    while (r->size < most)
        r->size *= 2;
    r->slot = get(r->size, sizeof(emu_thread *));
    r->first = r->count = 0;
}

static void ring_put(ring *r, emu_thread *t)
{
    r->slot[(r->first + r->count++) & (r->size - 1)] = t;
}

static emu_thread *ring_take(ring *r)
{
    size_t head = r->first & (r->size - 1), chosen = (r->first + emu_random() % r->count) & (r->size - 1);
    emu_thread *t = r->slot[chosen];
    r->slot[chosen] = r->slot[head];
    r->first++;
    r->count--;
    return t;
}

void emu_make_ready(emu_thread *t)
{
    ring_put(&machine.ready, t);
}

void emu_progress(void)
{
    machine.pauses = 0;
}

static void stop(emu_site site)
{
    emu_thread *t = emu_current();
    t->site = site;
    fiber_yield(&t->fiber);
}

void emu_wait_in(emu_list *list, emu_site site)
{
    emu_thread *t = emu_current();
    t->next = NULL;
    if (list->last)
        list->last->next = t;
    else
        list->first = t;
    list->last = t;
    t->reads = 0;
    stop(site);
}

void emu_wake(emu_list *list)
{
    for (emu_thread *t = list->first; t; t = t->next)
        emu_make_ready(t);
    list->first = list->last = NULL;
    emu_progress();
}

void emu_give_way(emu_site site)
{
    emu_make_ready(emu_current());
    stop(site);
}

void emu_pause(emu_site site)
{
    if (++machine.pauses > SPIN_LIMIT) {
        emu_current()->site = site;
        emu_die_stuck("threads spin and nothing else happens", machine.launch, machine.clusters, machine.resident);
    }
    ring_put(&machine.paused, emu_current());
    emu_current()->reads = 0;
    stop(site);
}

static void thread_main(void *argument)
{
    emu_thread *t = argument;
    fiber_entered(&t->fiber);
    machine.launch->caller(machine.launch->kernel, machine.launch->arguments);
    emu_copies_done();
    emu_stores_done();
    t->ended = 1;
    fiber_end(&t->fiber);
}

static void run_thread(emu_thread *t)
{
    if (!t->started) {
        t->started = 1;
        if (!fiber_begin(&t->fiber, thread_main, t))
            emu_die((emu_site){0}, "there is no memory for another stack");
    }
    emu_self = &t->view;
    fiber_resume(&t->fiber);
    emu_self = NULL;
    if (t->ended) {
        fiber_free(&t->fiber);
        emu_thread_left(t);
        emu_progress();
    }
}

static void cluster_make(emu_cluster *c)
{
    const emu_launch *l = machine.launch;
    int threads = (int)(l->block.x * l->block.y * l->block.z);
    c->blocks = get((size_t)l->cluster, sizeof *c->blocks);
    for (int k = 0; k < l->cluster; k++) {
        emu_block *b = &c->blocks[k];
        b->cluster = c;
        b->count = threads;
        b->shared = l->shared;
        b->threads = get((size_t)threads, sizeof *b->threads);
        b->warps = get((size_t)(threads + EMU_WARP - 1) / EMU_WARP, sizeof *b->warps);
        size_t bytes = (l->shared + 2 * EMU_GUARD + 127) / 128 * 128;
        b->memory = aligned_alloc(128, bytes);
        if (!b->memory)
            emu_die((emu_site){0}, "there is no memory to emulate with");
    }
}

static void cluster_destroy(emu_cluster *c)
{
    for (int k = 0; k < machine.launch->cluster; k++) {
        for (int i = 0; i < c->blocks[k].count; i++) {
            free(c->blocks[k].threads[i].copies.item);
            free(c->blocks[k].threads[i].stores.item);
        }
        free(c->blocks[k].threads);
        free(c->blocks[k].warps);
        free(c->blocks[k].memory);
    }
    free(c->blocks);
}

/* Shared memory is filled with NaN, between guards with a pattern; see emu_thread_left. */
static void block_start(emu_block *b, dim3 index, int rank)
{
    const emu_launch *l = machine.launch;
    memset(b->memory, 0xa5, EMU_GUARD);
    memset(b->memory + EMU_GUARD, 0xff, l->shared);
    memset(b->memory + EMU_GUARD + l->shared, 0xa5, EMU_GUARD);
    b->view = (emu_block_view){index, l->block, l->grid, rank, l->cluster, (double *)(void *)(b->memory + EMU_GUARD)};
    memset(b->named, 0, sizeof b->named);
    b->named[0].expected = b->live = b->count;
    b->at_barriers = (emu_list){NULL, NULL};
    for (int i = 0; i < b->count; i++) {
        emu_thread *t = &b->threads[i];
        *t = (emu_thread){.copies = t->copies, .stores = t->stores};
        unsigned n = (unsigned)i;
        t->view.index = (dim3){n % l->block.x, n / l->block.x % l->block.y, n / l->block.x / l->block.y};
        t->view.block = &b->view;
        t->block = b;
        t->warp = &b->warps[i / EMU_WARP];
        t->lane = i % EMU_WARP;
        if (t->lane == 0) {
            memset(t->warp, 0, sizeof *t->warp);
            t->warp->threads = b->count - i < EMU_WARP ? b->count - i : EMU_WARP;
            t->warp->gate.expected = t->warp->threads;
        }
        emu_make_ready(t);
    }
}

static void cluster_start(emu_cluster *c, uint64_t number)
{
    const emu_launch *l = machine.launch;
    c->live = l->cluster * c->blocks[0].count;
    c->gate = (emu_gate){.expected = c->live};
    uint64_t first = number * (uint64_t)l->cluster;
    for (int k = 0; k < l->cluster; k++) {
        uint64_t n = first + (uint64_t)k;
        dim3 index = {(unsigned)(n % l->grid.x), (unsigned)(n / l->grid.x % l->grid.y),
                      (unsigned)(n / l->grid.x / l->grid.y)};
        block_start(&c->blocks[k], index, k);
    }
}

int emu_resident_clusters(int cluster, int threads)
{
    int fit = RESIDENT_THREADS / (cluster * threads);
    return fit < 1 ? 1 : fit > RESIDENT_CLUSTERS ? RESIDENT_CLUSTERS : fit;
}

static emu_thread *pick(void)
{
    if (machine.paused.count && (machine.ready.count == 0 || machine.steps % PAUSED_EVERY == 0))
        return ring_take(&machine.paused);
    return machine.ready.count ? ring_take(&machine.ready) : NULL;
}

void emu_run(const emu_launch *launch)
{
    uint64_t total = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z / (uint64_t)launch->cluster, begun = 0;
    int threads = (int)(launch->block.x * launch->block.y * launch->block.z);
    int resident = emu_resident_clusters(launch->cluster, threads);
    if ((uint64_t)resident > total)
        resident = (int)total;
    machine.launch = launch;
    machine.resident = resident;
    machine.pauses = 0;
    machine.steps = 0;
    seed();
    emu_report_launch(launch);
    emu_messages_begin();
    size_t most = (size_t)resident * (size_t)launch->cluster * (size_t)threads;
    ring_init(&machine.ready, most);
    ring_init(&machine.paused, most);
    machine.clusters = get((size_t)resident, sizeof *machine.clusters);
    for (int k = 0; k < resident; k++)
        cluster_make(&machine.clusters[k]);

    for (;;) {
        int live = 0;
        for (int k = 0; k < resident; k++) {
            if (machine.clusters[k].live == 0 && begun < total)
                cluster_start(&machine.clusters[k], begun++);
            live += machine.clusters[k].live;
        }
        if (live == 0)
            break;
        int left = live;
        while (left == live) { /* until a thread ends */
            machine.steps++;
            int on_the_way = emu_deliver_due();
            emu_thread *t = pick();
            if (!t && on_the_way)
                continue;
            if (!t)
                emu_die_stuck("no thread can go on", launch, machine.clusters, resident);
            run_thread(t);
            left -= t->ended;
        }
    }
    for (int k = 0; k < resident; k++)
        cluster_destroy(&machine.clusters[k]);
    free(machine.clusters);
    free(machine.ready.slot);
    free(machine.paused.slot);
    emu_report_launch(NULL);
}
